"""Node counts of the engine on fixed positions, its signature: `python tests/search/signatures.py` re-records them.

A change that should not affect the search (a refactoring, a faster rule) leaves the counts unchanged. One that should
affect it changes them: record them in the same commit, which shows what the change is worth.
"""

from __future__ import annotations

import json
from pathlib import Path

from counterplay import load
from counterplay.search.engine.decide import decide
from counterplay.search.engine.techniques import SOUND, Technique, default_for

FILE = Path(__file__).with_name("signatures.json")
POSITIONS = {
    "connect-four": [("", 9), ("4 4 4 4 4 2", 9)],
    "othello": [("", 8), ("d3 c3 c4 e3 f3", 6)],
    "hex:5": [("", 5), ("c3 b4 a1", 6)],
    "mnk:5,5,4": [("", 5), ("c3 b2 d4", 6)],
    "nim": [("", 9), ("a1 b2", 9)],
    "checkers": [("", 7), ("10-14 22-17 14-18 23x14 9x18 24-20", 7)],
}
SETS = {
    "none": lambda game: Technique(0),
    "usual": default_for,
    "mtdf": lambda game: default_for(game) & SOUND | Technique.MTDF,
}
MEGABYTES = 1.0


def signature(spec: str, moves: str, depth: int) -> dict[str, int]:
    """The number of nodes that the engine visits with all techniques off, with the usual ones, and with MTD(f)."""
    game = load(spec)
    s = game.start(moves).state
    return {
        name: decide(game, s, depth=depth, techniques=chosen(game), table=MEGABYTES).nodes
        for name, chosen in SETS.items()
    }


def title(moves: str, depth: int) -> str:
    """A position and a depth in words."""
    return f"after {moves or 'nothing'}, depth {depth}"


def main() -> None:
    """Write the file."""
    found = {
        spec: {title(moves, depth): signature(spec, moves, depth) for moves, depth in searches}
        for spec, searches in POSITIONS.items()
    }
    FILE.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
