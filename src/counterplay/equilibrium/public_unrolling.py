"""The walk through the public states of a game with private deals, depth first, by a compiled kernel.

Each state is seen with one pair of hands that is possible there: the legal actions depend only on what is public.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.core.game import CHANCE
from counterplay.core.language.kernel import kernel

TURN, FOLD, SHOWDOWN, MATRIX, FRONTIER = 2, 3, 4, 5, 6
"""Kinds of nodes: a public card; ends by a fold, by a showdown, and of any other kind; and decisions at which a look-ahead
stops. 0 and 1 are decisions."""
TO_THE_END, TO_THE_CARD = -1, 0
"""How far a walk goes: to the end; to the decision after the next public card; any other number is a number of actions."""
DONE, TOO_MANY, STUCK, UNEQUAL = range(4)
"""How a walk ended."""


class Unrolled(NamedTuple):
    """The result of a walk through the public states."""

    status: int
    depth: int
    kind: np.ndarray
    start: np.ndarray
    width: np.ndarray
    row: np.ndarray
    amount: np.ndarray
    child: np.ndarray
    action: np.ndarray
    chance: np.ndarray
    card: np.ndarray
    names: np.ndarray
    renaming: np.ndarray
    strengths: np.ndarray  # [boards * hands], -1 if a hand is impossible
    boards: np.ndarray  # [boards] public cards
    matrices: np.ndarray  # [matrices * hands * hands]


@kernel
def unroll_public(
    game: Any, root: Any, out: Any, most: int, weights: Any, events: Any, masks: Any, hands: int, reach: int
) -> Any:
    """Walk through the public states, depth first, as far as `reach` says; the fields of an `Unrolled`."""
    first_cards = int(game.public_cards(root))
    by_cards = masks[0] != 0
    status, depth, rows = DONE, 0, 0
    states, plies, kept, boards, entries = [root], [0], [(1 << len(events)) - 1], [0], [-1]
    kind, start, width, row, amount, child, action = [0], [0], [0], [0], [0.0], [0], [0]
    chance, card, names, renaming, strengths, tables = [0.0], [0], [0], [0], [0], [0]
    for numbers in (kind, start, width, row, child, action, card, renaming, strengths, tables):
        numbers.clear()
    matrices, ways = [0.0], first_ways(weights, 0 if by_cards else hands)
    for fractions in (amount, chance, matrices):
        fractions.clear()
    pairs = len(ways)
    known = {0: 0}
    known.clear()
    here = np.zeros(max(pairs, 1))
    while len(states) > 0:
        s, ply, symmetries, board, entry = states.pop(), plies.pop(), kept.pop(), boards.pop(), entries.pop()
        node = len(kind)
        if entry >= 0:
            child[entry] = node
        if node >= most:
            status = TOO_MANY
            break
        depth = max(depth, ply)
        row.append(rows)
        pair = possible(game, s, masks, ways, board * pairs, hands)
        s = game.with_hands(s, pair // hands, pair % hands)
        if game.is_terminal(s):
            width.append(0)
            if by_cards:
                add_compared(game, s, masks, hands, strengths, tables, known, kind, start, amount)
            else:
                kind.append(MATRIX)
                amount.append(worth_of_pairs(game, s, ways, board * pairs, hands, here))
                start.append(shared(here, matrices, known))
            continue
        mover = game.to_move(s)
        amount.append(0.0)
        start.append(len(child))
        if game.has_chance and mover == CHANCE:
            kind.append(TURN)
            listed, likely, seen_by = turned(game, s, out, masks, ways, board * pairs, hands)
            if len(listed) > 0 and likely[0] < 0:
                status = UNEQUAL
                break
            for i in range(len(listed)):
                if seen_by[i] < 0:  # another card represents it
                    continue
                stabilizer = stand_for(events, symmetries, listed, seen_by, i, renaming)
                t = game.result(game.with_hands(s, seen_by[i] // hands, seen_by[i] % hands), listed[i])
                path = board
                if not by_cards:
                    path = len(ways) // pairs
                    dealt_ways(game, s, out, ways, board * pairs, hands, listed[i])
                likelihood = likely[i] if by_cards else 1.0  # else the matrices have it
                add_link(child, action, chance, card, names, listed[i], likelihood, len(renaming))
                card[-1] = new_card(game, s, t)
                wait(states, plies, kept, boards, entries, t, ply + 1, stabilizer, path, len(child) - 1)
        elif stops(reach, node, ply, int(game.public_cards(s)) != first_cards):
            kind.append(FRONTIER)
        else:
            kind.append(mover)
            game.actions(s, out.fresh())
            rows += len(out)
            for i in range(len(out)):
                add_link(child, action, chance, card, names, out[i], 1.0, len(renaming))
                t = game.result(s, out[i])
                wait(states, plies, kept, boards, entries, t, ply + 1, symmetries, board, len(child) - 1)
            out.truncate(0)
        width.append(len(child) - start[-1])
        if width[-1] == 0 and kind[-1] != FRONTIER:
            status = STUCK
            break
    row.append(rows)
    whole = (kind, start, width, row, child, action, card, names, renaming, strengths, tables)
    return unrolled(status, depth, whole, amount, chance, matrices)


def first_ways(weights: Any, hands: int) -> Any:
    """The chance of each pair of hands, if they are not of cards; a walk appends those after public cards."""
    ways = [0.0]
    ways.clear()
    for i in range(hands * hands):
        ways.append(weights[i // hands, i % hands])  # noqa: PERF401 (compiled code knows no extend by a generator)
    return ways


def stops(reach: int, node: int, ply: int, card: bool) -> bool:
    """Whether a walk ends at a decision."""
    if reach == TO_THE_CARD:
        return card
    return reach > 0 and node > 0 and ply >= reach


def unrolled(status: int, depth: int, whole: Any, amount: Any, chance: Any, matrices: Any) -> Any:
    """The lists of a walk as arrays."""
    kind, start, width, row, child, action, card, names, renaming, strengths, tables = whole
    return (
        status,
        depth,
        np.array(kind, np.int64),
        np.array(start, np.int64),
        np.array(width, np.int64),
        np.array(row, np.int64),
        np.array(amount, np.float64),
        np.array(child, np.int64),
        np.array(action, np.int64),
        np.array(chance, np.float64),
        np.array(card, np.int64),
        np.array(names, np.int64),
        np.array(renaming, np.int64),
        np.array(strengths, np.int64),
        np.array(tables, np.int64),
        np.array(matrices, np.float64),
    )


def add_compared(
    game: Any,
    s: Any,
    masks: Any,
    hands: int,
    strengths: Any,
    tables: Any,
    known: Any,
    kind: Any,
    start: Any,
    amount: Any,
) -> None:
    """Add the end of a hand by a showdown or a fold, if hands are of cards."""
    if game.is_showdown(s):
        kind.append(SHOWDOWN)
        start.append(sorted_board(game, s, masks, hands, strengths, tables, known))
        amount.append(stake(game, s, masks, hands))
    else:
        kind.append(FOLD)
        start.append(0)
        amount.append(game.utility(s, 0))


def add_link(
    child: Any, action: Any, chance: Any, card: Any, names: Any, taken: int, likely: float, renamings: int
) -> None:
    """A link to a node that does not exist yet."""
    child.append(-1)
    action.append(taken)
    chance.append(likely)
    card.append(-1)
    names.append(renamings)


def wait(
    states: Any,
    plies: Any,
    kept: Any,
    boards: Any,
    entries: Any,
    s: Any,
    ply: int,
    symmetries: int,
    board: int,
    entry: int,
) -> None:
    """Put a state on the stack: with the symmetries left by its public cards, and the link to it."""
    states.append(s)
    plies.append(ply)
    kept.append(symmetries)
    boards.append(board)
    entries.append(entry)


def stand_for(events: Any, symmetries: int, listed: Any, seen_by: Any, i: int, renaming: Any) -> int:
    """Let the i-th event represent all later ones that a symmetry maps it to; the symmetries that leave it unchanged."""
    stabilizer = 0
    for g in range(len(events)):
        if symmetries >> g & 1 and (g == 0 or events[g, listed[i]] == listed[i]):
            stabilizer |= 1 << g
    renaming.append(0)
    for j in range(i + 1, len(listed)):
        for g in range(1, len(events)):
            if seen_by[j] >= 0 and symmetries >> g & 1 and events[g, listed[j]] == listed[i]:
                renaming.append(g)
                seen_by[j] = -1
    return stabilizer


def new_card(game: Any, before: Any, after: Any) -> int:
    """The card that was turned over, -1 if hands are not of cards."""
    turned_over = int(game.public_cards(after)) & ~int(game.public_cards(before))
    number = -1
    while turned_over >> (number + 1):
        number += 1
    return number


def possible(game: Any, s: Any, masks: Any, ways: Any, offset: int, hands: int) -> int:
    """A pair of hands that is possible in `s`: the first's times the number of hands, and the second's."""
    public = int(game.public_cards(s))
    for pair in range(hands * hands):
        if may_be(masks, public, ways, offset, hands, pair):
            return pair
    return 0


def may_be(masks: Any, public: int, ways: Any, offset: int, hands: int, pair: int) -> bool:
    """Whether a pair of hands is possible."""
    if masks[0] == 0:
        return bool(ways[offset + pair] > 0)
    first, second = masks[pair // hands], masks[pair % hands]
    return bool((first & second) | ((first | second) & public) == 0)


def turned(game: Any, s: Any, out: Any, masks: Any, ways: Any, offset: int, hands: int) -> Any:
    """The chance events in `s`, whatever the hands are: each with its chance, and a pair of hands that allows it. A
    first chance of -1 says that an event's chance depends on the hands."""
    public = int(game.public_cards(s))
    listed, likely, seen_by = [0], [0.0], [0]
    listed.clear()
    likely.clear()
    seen_by.clear()
    equal = True
    for first in range(hands):
        if masks[0] == 0:
            for second in range(hands):
                pair = first * hands + second
                if may_be(masks, public, ways, offset, hands, pair):
                    equal = list_events(game, s, out, pair, hands, False, listed, likely, seen_by) and equal
            continue
        low, high = 0, hands - 1
        while low < hands and not may_be(masks, public, ways, offset, hands, first * hands + low):
            low += 1
        while high > low and not may_be(masks, public, ways, offset, hands, first * hands + high):
            high -= 1
        if low < hands:
            equal = list_events(game, s, out, first * hands + low, hands, True, listed, likely, seen_by) and equal
            equal = list_events(game, s, out, first * hands + high, hands, True, listed, likely, seen_by) and equal
    if not equal:
        likely[0] = -1.0
    return listed, likely, seen_by


def list_events(
    game: Any, s: Any, out: Any, pair: int, hands: int, alike: bool, listed: Any, likely: Any, seen_by: Any
) -> bool:
    """Add the events that a pair of hands allows; False if one has another chance than before, which is an error."""
    t = game.with_hands(s, pair // hands, pair % hands)
    game.chance(t, out.fresh())
    equal = True
    for i in range(len(out)):
        chance = game.probability(t, out[i])
        at = -1
        for j in range(len(listed)):
            if listed[j] == out[i]:
                at = j
        if at < 0:
            listed.append(out[i])
            likely.append(chance)
            seen_by.append(pair)
        elif alike and abs(likely[at] - chance) > 1e-12:
            equal = False
    out.truncate(0)
    return equal


def dealt_ways(game: Any, s: Any, out: Any, ways: Any, offset: int, hands: int, event: int) -> None:
    """Append the chance of each pair of hands after an event."""
    for pair in range(hands * hands):
        chance = 0.0
        if ways[offset + pair] > 0:
            t = game.with_hands(s, pair // hands, pair % hands)
            game.chance(t, out.fresh())
            for i in range(len(out)):
                if out[i] == event:
                    chance = game.probability(t, event)
            out.truncate(0)
        ways.append(ways[offset + pair] * chance)


def worth_of_pairs(game: Any, s: Any, ways: Any, offset: int, hands: int, here: Any) -> float:
    """Write into `here` [second, first] each pair's chance times the first player's payoff, divided by the number that
    is returned."""
    factor = 0.0
    for second in range(hands):
        for first in range(hands):
            chance, worth = ways[offset + first * hands + second], 0.0
            if chance > 0:
                worth = chance * game.utility(game.with_hands(s, first, second), 0)
            here[second * hands + first] = worth
            if abs(worth) > abs(factor):
                factor = worth
    if factor != 0:
        for i in range(len(here)):
            here[i] /= factor
    return factor


def shared(here: Any, matrices: Any, known: Any) -> int:
    """The index of a matrix; a new one if it is not known yet."""
    mixed = 0
    for i in range(len(here)):
        mixed = (mixed * 1_000_003 + round(here[i] * 1e9)) & 0xFFFFFFFFFFFF
    while mixed in known:
        at = known[mixed]
        alike = True
        for i in range(len(here)):
            if abs(matrices[at * len(here) + i] - here[i]) > 1e-12:
                alike = False
        if alike:
            return int(at)
        mixed += 1
    number = len(matrices) // len(here)
    known[mixed] = number
    for i in range(len(here)):
        matrices.append(here[i])
    return number


def sorted_board(game: Any, s: Any, masks: Any, hands: int, strengths: Any, tables: Any, known: Any) -> int:
    """The index of a set of public cards; for a new set, the strength of every hand with it is appended."""
    public = int(game.public_cards(s))
    if public not in known:
        known[public] = len(tables)
        tables.append(public)
        for hand in range(hands):
            strength = -1
            if masks[hand] & public == 0:
                strength = int(game.showdown_strength(game.with_hands(s, hand, hand), 0))
            strengths.append(strength)
    return int(known[public])


def stake(game: Any, s: Any, masks: Any, hands: int) -> float:
    """The payoff of a showdown's winner."""
    public = int(game.public_cards(s))
    for first in range(hands):
        for second in range(hands):
            if (masks[first] & masks[second]) | ((masks[first] | masks[second]) & public) == 0:
                t = game.with_hands(s, first, second)
                if game.showdown_strength(t, 0) > game.showdown_strength(t, 1):
                    return float(game.utility(t, 0))
    return 0.0
