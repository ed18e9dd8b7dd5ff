"""The static value of a draughts position, in hundredths of a man.

The terms are those that books on the game name: material (exchanges favour the side that is ahead), the tempo of men on
their way, the back rank, the centre, kings that cannot get out, the double corner, and the move (which side will be
able to oppose the last piece). Samuel (1959) was the first to weight most of them.
"""

from __future__ import annotations

from counterplay.core.language.bits import count, ones
from counterplay.core.language.wide import u64
from counterplay.games.checkers.board import (
    BOARD,
    ROWS,
    WHITE,
    State,
    column_of,
    downward,
    movers,
    row_of,
    squares,
    upward,
)

MAN, KING = 100, 135
BACK, BRIDGE, CENTRE, TRAPPED, REFUGE, MOVE = 5, 8, 3, 45, 20, 6

MIDDLE = squares(10, 11, 14, 15, 18, 19, 22, 23)
DOUBLE_CORNERS = squares(1, 5, 28, 32)
BRIDGES = (squares(1, 3), squares(30, 32))
BACK_RANKS = (ROWS[0], ROWS[7])
SYSTEMS = (ROWS[0] | ROWS[2] | ROWS[4] | ROWS[6], ROWS[1] | ROWS[3] | ROWS[5] | ROWS[7])
"""The files that begin on a side's own back rank: if the number of pieces on them is odd, the side to move has the
move."""
HALVES = ROWS[4] | ROWS[5] | ROWS[6] | ROWS[7]
QUARTERS = ROWS[2] | ROWS[3] | ROWS[6] | ROWS[7]
ODD_ROWS = SYSTEMS[1]

ENDING = 8
"""With this many pieces or fewer it is an endgame."""


def lead(s: State) -> int:
    """The lead of the side to move."""
    mine, theirs = s.mine, s.theirs
    pieces = count(mine | theirs)
    material = worth(mine, s.kings) - worth(theirs, s.kings)
    material += material * (24 - pieces) // 48  # a lead counts more with fewer pieces
    value = material + posture(mine, theirs, s.kings, s.player) - posture(theirs, mine, s.kings, 1 - s.player)
    if pieces <= ENDING + 4 and count(mine) == count(theirs):
        value += MOVE if count((mine | theirs) & SYSTEMS[s.player]) & 1 else -MOVE
    if pieces <= ENDING and material != 0:
        chase = chasing(mine, theirs, s.kings) if material > 0 else -chasing(theirs, mine, s.kings)
        value += chase
    return value


def worth(own: u64, kings: u64) -> int:
    """The material of one side."""
    return MAN * count(own & ~kings) + KING * count(own & kings)


def posture(own: u64, other: u64, kings: u64, player: int) -> int:
    """The placement of one side's pieces, whatever their number."""
    men = own & ~kings
    on_way = 4 * count(men & HALVES) + 2 * count(men & QUARTERS) + count(men & ODD_ROWS)
    if player == WHITE:
        on_way = 7 * count(men) - on_way
    few = count(own | other) <= ENDING
    value = on_way * (4 if few else 1) + CENTRE * count(own & MIDDLE)
    if other & ~kings:  # the other side still has men to crown
        value += BACK * count(men & BACK_RANKS[player])
        if men & BRIDGES[player] == BRIDGES[player]:
            value += BRIDGE
    own_kings = own & kings
    if own_kings:
        value -= TRAPPED * count(own_kings & ~roaming(own, other, kings, player))
    return value


def roaming(own: u64, other: u64, kings: u64, player: int) -> u64:
    """A side's pieces that can step, up or down, to a free square where they cannot be captured at once."""
    free = BOARD & ~(own | other)
    falling, rising = downward(other, kings, 1 - player), upward(other, kings, 1 - player)
    # A piece on a free square can be captured by one beyond it, if the square behind it is free.
    danger = falling << 4 & free >> 4 | falling << 5 & free >> 5 | rising >> 4 & free << 4 | rising >> 5 & free << 5
    return movers(own, own, free & ~danger)


def chasing(strong: u64, weak: u64, kings: u64) -> int:
    """In an ending, how far the stronger side's kings have come towards the weaker side's pieces, and whether these
    lack the refuge of a double corner."""
    value = -REFUGE * count(weak & kings & DOUBLE_CORNERS)
    for king in ones(strong & kings):
        for prey in ones(weak):
            apart = max(abs(row_of(king) - row_of(prey)), abs(column_of(king) - column_of(prey)))
            value -= 2 * apart
    return value
