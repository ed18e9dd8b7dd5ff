"""Weaker play that looks human: a search of few positions, and a choice among the best moves that is not always the best.

The rating says how many positions are searched and by how much a move may be worse to be still played sometimes.
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
"""The rating of one who searches 250 positions, and how much higher it is with a hundred times as many and without
mistakes on purpose: by matches with Stockfish's UCI_Elo (docs/protocols/uci.md)."""
LINES = 5
"""This many of the best moves come into question, as long as the best is not always played."""


class Weakness(NamedTuple):
    """How a player of some rating plays."""

    nodes: int
    spread: float  # in pawns: a move this much worse is played a third as often
    lines: int  # this many of the best moves come into question


def weakness(elo: int) -> Weakness:
    """How a player rated `elo` plays."""
    above = (elo - BASE) / STEP
    careless = max(1 - above, 0.0)
    return Weakness(round(250 * 100**above), 0.8 * careless**1.5 + 0.02, LINES if careless else 1)


def pick(lines: Sequence[AnalysisLine], spread: float, rng: Rng) -> AnalysisLine:
    """One of the lines: the worse, the rarer."""
    top = max(line.value for line in lines)
    odds = [math.exp((line.value - top) * PAWNS / spread) for line in lines]
    left = rng.uniform() * sum(odds)
    for line, share in zip(lines, odds, strict=True):
        left -= share
        if left < 0:
            return line
    return lines[0]
