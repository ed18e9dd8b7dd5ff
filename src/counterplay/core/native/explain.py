"""Numba's errors in the words of the rules' author: which line does not compile, and why."""

from __future__ import annotations

import re
from pathlib import Path

from numba.core.errors import NumbaError

from counterplay.core.errors import BrokenGame
from counterplay.core.game import Game

PLACE = re.compile(r'File "([^"]+)", line (\d+)')


def explain(wrong: NumbaError, game: Game | None) -> BrokenGame:
    """One sentence with file and line."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(wrong))
    return BrokenGame(text)
