"""Proof that a table is right, from the rules alone: every value follows from those of the successors.

If the game is over, the value is what the rules pay. Elsewhere it is the best that the successors offer to the side to
move; the side that the result favours takes the nearest of them, the other side the farthest, and the distance is one
ply more. As distances go down to 0, this proves every win and loss; and a position without a distance has no winning
action and an action that keeps the balance, forever. No code that built the table takes part.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.state import words
from counterplay.endgame.ending_tables import EndingTables
from counterplay.endgame.endings import CLASS, NOTHING, SolvedEndings
from counterplay.endgame.packing import packable
from counterplay.endgame.retrograde import NO_PLIES
from counterplay.endgame.table import REACHED, KnownPositions, Table
from counterplay.endgame.table_file import TableFile
from counterplay.endgame.threads import require_threads, share_out
from counterplay.endgame.turns import TURNS, TurnByTurn, verify_turns

BATCH = 1 << 16
"""Positions verified between two reports."""
UNKNOWN = 1 << 30
"""The entry of a position whose entry is not known."""
TOLERANCE = 1e-9
"""The maximum error of an expected value against its successors, as a fraction of the utility range."""


def prove(file: TableFile, game: Game, report: Callable[[str], None] | None = None, threads: int | None = None) -> int:
    """Prove every value in a file or, if it was solved turn by turn, check a sample; returns the number of values."""
    if file.head["class"] == REACHED:
        return verify(Table.read(file, game), report, threads)
    if file.head["class"] == TURNS:
        return verify_turns(TurnByTurn.read(file, game))
    tables = EndingTables(file.file.parent, game)
    for k in tables.numbering.order(tables.numbering.wanted(file.head["class"])):
        if k not in tables.files:
            raise CounterplayError(
                f"{str(file.file)!r} cannot be verified without {tables.numbering.names[k]}, which it leads to"
            )
    return verify_ending(tables, tables.numbering.wanted(file.head["class"])[0], report, threads)


def verify(table: Table, report: Callable[[str], None] | None = None, threads: int | None = None) -> int:
    """Prove every value of a table, or refuse the first wrong one; returns the number of values."""
    game, known = packable(table.game), table.known
    low, high = table.game.utility_bounds
    slack = TOLERANCE * (high - low) if table.game.has_chance else 0.0

    def check(start: int, end: int, out: Any) -> int:
        wrong = first_wrong(game, known.twin(), start, end, slack, out)
        if wrong >= 0:
            s = table.state(wrong)
            raise CounterplayError(
                f"the table is wrong: {table.game.spec} in {table.game.position_text(s)!r} is listed as "
                f"{table.entry(wrong).value:+g}, which does not follow from its successors"
            )
        return end - start

    return in_batches(check, game, known.count, "positions", report, threads)


def in_batches(
    check: Callable[[int, int, Any], int],
    game: Any,
    size: int,
    things: str,
    report: Callable[[str], None] | None,
    threads: int | None,
) -> int:
    """The sum of `check` over all numbers below `size`, run batch by batch in threads."""
    done = proven = 0
    started, lock = time.perf_counter(), threading.Lock()
    stacks = [action_stack(game) for _ in range(require_threads(threads))]
    check(0, 0, stacks[0])  # compile before the threads start

    def work(start: int) -> None:
        nonlocal done, proven
        out, end = stacks.pop(), min(start + BATCH, size)
        found = check(start, end, out)
        stacks.append(out)
        with lock:
            done, proven = done + end - start, proven + found
        if report:
            seconds = (time.perf_counter() - started) * (size - done) / done
            report(f"{done:,} of {size:,} {things} proven, {seconds:.0f} s left")

    share_out(work, range(0, size, BATCH), len(stacks))
    return proven


@kernel
def first_wrong(game: Any, known: KnownPositions, start: int, end: int, slack: float, out: ActionStack) -> int:
    """The first position from `start` to `end` whose value does not follow from its successors', or -1."""
    for i in range(start, end):
        known.unpack(known.codes, i * known.width)
        s = game.state_of(known.unpacked)
        if known.find(words(s)) != i:
            return i  # it cannot be found, or is there twice
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
def backed_up(game: Game, s: Any, known: KnownPositions, out: ActionStack) -> tuple[float, int, int]:
    """The value of `s` to player 0 by its successors, and the least and greatest distance among successors of that
    value; NaN if a successor is not in the table."""
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


# Endings whose positions the game numbers.


def verify_ending(
    tables: EndingTables, k: int, report: Callable[[str], None] | None = None, threads: int | None = None
) -> int:
    """Prove every value of a class, or refuse the first wrong one; returns the number proven."""
    numbered = tables.numbering
    game, name = numbered.game, numbered.names[k]
    solved = SolvedEndings({one: tables.entries(one) for one in (k, *numbered.leads_to(k))}, len(numbered.names))

    def check(start: int, end: int, out: Any) -> int:
        found = wrong_ending(game, k, solved, start, end, out)
        if found < 0:
            s = game.ending_state(k, -1 - found)
            raise CounterplayError(
                f"the table is wrong: {name} in {tables.game.position_text(s)!r} does not follow from its successors"
            )
        return int(found)

    return in_batches(check, game, numbered.sizes[k], f"indices of {name}", report, threads)


@kernel
def wrong_ending(game: Any, k: int, solved: SolvedEndings, start: int, end: int, out: ActionStack) -> int:
    """How many positions of a class from `start` to `end` are proven; -1 - i if the entry of i is wrong."""
    proven = 0
    for i in range(start, end):
        s = game.ending_state(k, i)
        entry = solved.entry(k << CLASS | i)
        if not game.is_ending(k, i, s):
            if entry != NOTHING:
                return -1 - i
            continue
        if not follows(game, s, entry, solved, out):
            return -1 - i
        proven += 1
    return proven


@kernel
def follows(game: Game, s: Any, entry: int, solved: SolvedEndings, out: ActionStack) -> bool:
    """Whether the entry of `s` follows from those of its successors."""
    if game.is_terminal(s):
        return entry == settled(game, s)
    start, best, sign = len(out), UNKNOWN, 1 if game.to_move(s) == 0 else -1
    game.actions(s, out.fresh())
    for j in range(start, len(out)):
        after = game.result(s, out[j])
        found = known_entry(game, after, solved)
        if found == UNKNOWN:  # it has no number: look one ply further
            inner = len(out)
            game.actions(after, out.fresh())
            for i in range(inner, len(out)):
                then = known_entry(game, game.result(after, out[i]), solved)
                if then == UNKNOWN:
                    return False
                found = better(found, then, -sign)
            out.truncate(inner)
            found = one_ply_earlier(found)
        best = better(best, found, sign)
    out.truncate(start)
    return one_ply_earlier(best) == entry


@kernel
def known_entry(game: Any, s: Any, solved: SolvedEndings) -> int:
    """The entry of `s` that the tables or the rules give directly, or UNKNOWN."""
    number = game.ending_number(s)
    if number >= 0:
        return solved.entry(number) if solved.offset[number >> CLASS] >= 0 else UNKNOWN
    return settled(game, s) if game.is_terminal(s) else UNKNOWN


@kernel
def settled(game: Game, s: Any) -> int:
    """The entry of an end."""
    won = game.utility(s, 0)
    return 1 if won > 0 else -1 if won < 0 else 0


@kernel
def better(a: int, b: int, sign: int) -> int:
    """The entry that a side prefers (the first side if `sign` is 1): to win soon, to draw, to lose late."""
    if a == UNKNOWN:
        return b
    x, y = sign * a, sign * b
    if (x > 0) != (y > 0):
        return a if x > 0 else b
    if x > 0:
        return a if x <= y else b
    if x == 0 or y == 0:
        return a if x == 0 else b
    return a if x <= y else b


@kernel
def one_ply_earlier(entry: int) -> int:
    """An entry as seen one ply before."""
    return entry + 1 if entry > 0 else entry - 1 if entry < 0 else 0
