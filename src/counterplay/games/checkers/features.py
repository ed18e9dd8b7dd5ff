"""The features of a draughts position, by name: the terms that Samuel (1959) used in his program, or close to them.

Each is how far the side to move is ahead in it.
"""

from __future__ import annotations

from counterplay.core.language.bits import count
from counterplay.core.language.features import Features, note
from counterplay.core.language.wide import u64
from counterplay.games.checkers.board import BOARD, ROWS, State, downward, jumpers, movers, upward
from counterplay.games.checkers.evaluation import BACK_RANKS, BRIDGES, DOUBLE_CORNERS, MIDDLE, SYSTEMS

FEATURES = (
    *("men", "kings", "advance", "back rank", "bridge", "centre", "kings in the centre", "mobility", "threats"),
    *("double corners", "the move"),
)


def list_features(s: State, out: Features) -> None:
    """Write the features of `s`."""
    mine, theirs = side(s.mine, s.theirs, s.kings, s.player), side(s.theirs, s.mine, s.kings, 1 - s.player)
    for i in range(len(mine)):
        if mine[i] != theirs[i]:
            note(out, i, mine[i] - theirs[i])
    if count(s.mine) == count(s.theirs):
        note(out, len(mine), 1.0 if count((s.mine | s.theirs) & SYSTEMS[s.player]) & 1 else -1.0)


def side(own: u64, other: u64, kings: u64, player: int) -> tuple[float, ...]:
    """One side's count of each."""
    men, crowned, free = own & ~kings, own & kings, BOARD & ~(own | other)
    down, up = downward(own, kings, player), upward(own, kings, player)
    way = 0
    for row in range(8):
        way += (row if player == 0 else 7 - row) * count(men & ROWS[row])
    return (
        count(men) / 4.0,
        count(crowned) / 4.0,
        way / 16.0,
        count(men & BACK_RANKS[player]) / 4.0,
        1.0 if men & BRIDGES[player] == BRIDGES[player] else 0.0,
        count(men & MIDDLE) / 4.0,
        count(crowned & MIDDLE) / 4.0,
        count(movers(down, up, free)) / 4.0,
        float(count(jumpers(down, up, other, free))),
        count(crowned & DOUBLE_CORNERS) / 2.0,
    )
