"""What a backgammon position is worth without search."""

from __future__ import annotations

from counterplay.games.backgammon.board import State, pips


def chances(s: State) -> float:
    """What the side on roll may expect, in points of the cube's stake."""
    lead = (pips(s.theirs) - pips(s.mine)) / 100.0
    return lead / (1.0 + abs(lead))
