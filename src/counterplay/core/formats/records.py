"""Records of play with tags in brackets and numbered moves: the layout of PGN (Edwards 1994), which PDN shares."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

LINE = 79
"""The maximum length of a line of moves."""


def tagged_record(tags: Mapping[str, str], words: Sequence[str]) -> str:
    """A record: the tags, a blank line, the words in lines of a readable length."""
    heads = [f'[{name} "{re.sub(_SPECIAL, _ESCAPED, value)}"]' for name, value in tags.items()]
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > LINE:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join([*heads, "", *lines, ""])


_SPECIAL, _ESCAPED = r'(["\\])', r"\\\1"


def numbered(moves: Sequence[str], ply: int = 0) -> list[str]:
    """Moves with their numbers, two moves per number; `ply` is that of the first."""
    words = []
    for i, move in enumerate(moves, ply):
        if i % 2 == 0:
            words.append(f"{i // 2 + 1}.")
        elif i == ply:
            words.append(f"{i // 2 + 1}...")
        words.append(move)
    return words
