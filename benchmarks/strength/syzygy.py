"""Chess endgames in our tables beside the same positions in Syzygy's, won, drawn or lost.

`SYZYGY_PATH` names the folders of Syzygy's files, which python-chess reads, and `CHESS_TABLES` a folder of ours
(`counterplay tables build chess --class 4 -o FOLDER`). Positions of each class are drawn at random, without repetition.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Outcome, Quota, Skipped
from counterplay import load
from counterplay.endgame.endings import numbering
from counterplay.endgame.store import Tables
from counterplay.games.chess.game import Chess
from counterplay.games.chess.tablebase import Tablebase

NAME = "syzygy"
THEIRS, OURS = "SYZYGY_PATH", "CHESS_TABLES"
POSITIONS = 5_000


def run(quick: bool) -> Iterator[Outcome]:
    """One line for each class that both have."""
    if not os.environ.get(THEIRS) or not os.environ.get(OURS):
        yield Skipped(NAME, "chess endgames", "Syzygy", f"set {THEIRS} and {OURS} to folders of tables")
        return
    chess = load("chess")
    assert isinstance(chess, Chess)
    tables, syzygy = Tables(Path(os.environ[OURS]), chess), Tablebase(os.environ[THEIRS])
    numbered = numbering(chess)
    assert numbered is not None
    for k in [] if tables.endings is None else sorted(tables.endings.files):
        agree, found = compared(chess, tables, syzygy, k, 100 if quick else POSITIONS)
        name = numbered.names[k]
        if found:
            yield Quota(NAME, f"chess {name}, {found:,} positions are worth what Syzygy says", agree, found, 1.0)
        else:
            yield Skipped(NAME, f"chess {name}", "Syzygy", f"{THEIRS} has no files of it")


def compared(chess: Chess, tables: Tables, syzygy: Tablebase, k: int, positions: int) -> tuple[int, int]:
    """In how many positions of a class both say the same, and how many were compared."""
    assert tables.endings is not None
    numbered, agree, found = tables.endings.numbering, 0, 0
    indices = range(numbered.sizes[k])
    for index in random.Random(k).sample(indices, min(2 * positions, len(indices))):
        s = numbered.game.ending_state(k, index)
        if found == positions or not numbered.game.is_ending(k, index, s):
            continue
        theirs, ours = syzygy.value(chess, s), tables.lookup(s)
        assert ours is not None
        if theirs is None:
            return 0, 0
        found += 1
        agree += (theirs > 0) - (theirs < 0) == ours.to(chess.to_move(s))
    return agree, found
