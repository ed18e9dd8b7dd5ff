"""Weaker play that looks human: a search of few positions, and a choice among the best moves that is not always the
best.

The rating determines how many positions are searched and how much worse a move may be and still be played sometimes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from counterplay.core.language.rng import Rng
from counterplay.games.chess.evaluation import PAWNS
from counterplay.protocols.uci.analysis import AnalysisLine

LOWEST, HIGHEST = 1000, 2000
BASE, STEP = 910, 900
"""The rating of a player that searches 250 positions, and the increase for a hundred times as many without deliberate
mistakes: by matches with Stockfish's UCI_Elo (docs/protocols/uci.md)."""
LINES = 5
"""The number of best moves to choose among, unless the best is always played."""


class Weakness(NamedTuple):
    """The play of a rating."""

    nodes: int
    spread: float  # in pawns: a move this much worse is played a third as often
    lines: int  # the number of best moves to choose among


def weakness(elo: int) -> Weakness:
    """The play of a player rated `elo`."""
    above = (elo - BASE) / STEP
    careless = max(1 - above, 0.0)
    return Weakness(round(250 * 100**above), 0.8 * careless**1.5 + 0.02, LINES if careless else 1)


def pick(lines: Sequence[AnalysisLine], spread: float, rng: Rng) -> AnalysisLine:
    """One of the lines; worse ones are chosen less often."""
    top = max(line.value for line in lines)
    odds = [math.exp((line.value - top) * PAWNS / spread) for line in lines]
    left = rng.uniform() * sum(odds)
    for line, share in zip(lines, odds, strict=True):
        left -= share
        if left < 0:
            return line
    return lines[0]
