"""Proof that a table is right, from the rules alone: every value follows from those of the successors.

Where the game is over, the value is what the rules pay. Elsewhere it is the best that the successors offer to the side to
move; the side that the result is good for takes the nearest of them, the other the farthest, and the distance is one ply
more. As distances go down to 0, that proves every win and loss; and a position without a distance has no winning action
and one that keeps the balance, for ever. Nothing of the program that built the table takes part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE
from counterplay.core.language.actions import action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.state import words
from counterplay.endgame.packing import packable
from counterplay.endgame.retrograde import NO_PLIES
from counterplay.endgame.table import Known, Table

BATCH = 1 << 16
"""Positions that are verified between two reports."""
TOLERANCE = 1e-9
"""How far an expected value may be from what its successors say, as a part of the range of utility."""


def verify(table: Table, report: Callable[[str], None] | None = None) -> int:
    """Prove every value of a table, or refuse the first that is wrong; how many are proven."""
    game, known = packable(table.game), table.known
    low, high = table.game.utility_bounds
    out, slack = action_stack(game), TOLERANCE * (high - low) if table.game.has_chance else 0.0
    for start in range(0, known.count, BATCH):
        end = min(start + BATCH, known.count)
        wrong = first_wrong(game, known, start, end, slack, cast(Any, out))
        if wrong >= 0:
            s = table.state(wrong)
            raise CounterplayError(
                f"the table is wrong: {table.game.spec} in {table.game.position_text(s)!r} is said to be worth "
                f"{table.entry(wrong).value:+g}, which does not follow from what comes after it"
            )
        if report:
            report(f"{end:,} of {known.count:,} positions proven")
    return int(known.count)


@kernel
def first_wrong(game: Any, known: Known, start: int, end: int, slack: float, out: Any) -> int:
    """The first position from `start` to `end` whose value does not follow from its successors', or -1."""
    for i in range(start, end):
        known.unpack(known.codes, i * known.width)
        s = game.state_of(known.unpacked)
        if known.find(words(s)) != i:
            return i  # it would not be found, or is there twice
        if game.is_terminal(s):
            if abs(known.value[i] - game.utility(s, 0)) > slack or known.plies[i] != (
                NO_PLIES if game.has_chance else 0
            ):
                return i
            continue
        value, nearest, farthest = backed_up(game, s, known, out)
        plies = NO_PLIES
        if not game.has_chance and value != known.endless:
            mover_gains = (value > known.endless) == (game.to_move(s) == 0)
            plies = 1 + (nearest if mover_gains else farthest)
        if not abs(known.value[i] - value) <= slack or known.plies[i] != plies:
            return i
    return -1


@kernel
def backed_up(game: Any, s: Any, known: Known, out: Any) -> tuple[float, int, int]:
    """What the successors of `s` say that it is worth to player 0, and how near and how far those are that are worth the
    same; nothing, NaN, where one is not in the table."""
    mover = game.to_move(s)
    start = len(out)
    if game.has_chance and mover == CHANCE:
        game.chance(s, out.fresh())
    else:
        game.actions(s, out.fresh())
    value, nearest, farthest = 0.0, NO_PLIES, -1
    for j in range(start, len(out)):
        after = known.find(words(game.result(s, out[j])))
        if after < 0:
            value = float("nan")
            break
        there, away = known.value[after], known.plies[after]
        if game.has_chance and mover == CHANCE:
            value += game.probability(s, out[j]) * there
            continue
        if j == start or (there > value if mover == 0 else there < value):
            value, nearest, farthest = there, NO_PLIES, -1
        if there == value:
            nearest, farthest = min(nearest, away), max(farthest, away)
    out.truncate(start)
    return value, nearest, farthest
