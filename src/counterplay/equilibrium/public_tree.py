"""The public tree of a game with private deals: what everybody sees, with a vector over hands for each player.

A node stands for all deals at once. The tree is walked through the rules with one deal that is possible there, since
actions depend on what is public alone. At a leaf all that counts is what each pair of hands is worth there:

- where hands are cards (`hand_cards`), a fold pays the same to every hand that is still possible, and a showdown pays by
  order of strength: hands are sorted once for each set of public cards, and a leaf is valued in linear time;
- else a leaf has a matrix, the chance of each pair of hands times what it pays; equal ones (but for a factor) are shared.

Names that do not matter, such as suits, are folded: of all public cards that some symmetry of the cards so far turns into
one another, one is walked, and the others read its values under other names. This is exact as long as both ranges are
symmetric, as they are at the start of a game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import BrokenGame, Unsuitable
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.workspace import Array, Workspace, f64, i8, i16, i32, i64
from counterplay.core.rules import legal
from counterplay.equilibrium.information_tree import TooLarge

TURN, FOLD, SHOWDOWN, MATRIX = 2, 3, 4, 5
"""Kinds of nodes; 0 and 1 are decisions of that player."""
MOST_NODES = 20_000_000
MOST_PAIRS = 256
"""So many hands at most where they are not of cards: a leaf then has a matrix over pairs of them."""
DONE, TOO_MANY, STUCK, UNEQUAL = range(4)


class PublicTree(Workspace):
    """The arrays, nodes in depth-first order."""

    nodes: i64
    rows: i64  # actions of all decisions
    depth: i64
    widest: i64  # most actions of a node
    hands: i64
    deck: i64  # how many cards; 0 where hands are not of cards
    held: i64  # how many of them a hand has
    holding: i64  # how many hands have a given card
    kind: Array[i8, "nodes_"]
    start: Array[i32, "nodes_"]  # the first of its links, or the index of a leaf's order or matrix
    count: Array[i16, "nodes_"]  # how many links
    row: Array[i32, "nodes_"]  # the row of its first action among all actions of decisions
    amount: Array[f64, "nodes_"]  # what a leaf pays to the first player: by a fold, to the winner, or the factor
    child: Array[i64, "links"]  # (a recursion that is entered with a wider number than it goes on with would crash)
    action: Array[i64, "links"]
    chance: Array[f64, "links"]  # of a card that is turned over; 1 where matrices have it
    card: Array[i16, "links"]  # which one; -1 where hands are not of cards
    names: Array[i32, "links_and_1"]  # where the list of equal cards begins
    renaming: Array[i16, "renamings"]  # for each of these, which symmetry turns it into the one that is walked
    renamed: Array[i16, "symmetries", "hands_"]
    cards: Array[i16, "hands_", 2]  # of each hand
    holders: Array[i16, "cards_", "holders_"]  # the hands that have a card
    order: Array[i16, "boards", "hands_"]  # hands by strength, for each set of public cards
    group: Array[i16, "boards", "hands_"]  # the last in the order that is as strong
    live: Array[i16, "boards"]  # how many hands are possible
    matrix: Array[f64, "matrices", "hands_", "hands_"]  # [second, first]

    def __init__(self, parts: dict[str, Any]) -> None:
        self.nodes, self.rows, self.depth, self.widest = (
            int(parts[each]) for each in ("nodes", "rows", "depth", "widest")
        )
        self.hands, self.deck, self.held = parts["hands"], parts["deck"], parts["held"]
        self.holding = parts["holders"].shape[1]
        self._public_cards = parts["public_cards"]
        for name in PublicTree._arrays:
            setattr(self, name, np.ascontiguousarray(parts[name]))


class Unrolled(NamedTuple):
    """What a walk through the public states has found."""

    status: int
    depth: int
    kind: np.ndarray
    start: np.ndarray
    count: np.ndarray
    row: np.ndarray
    amount: np.ndarray
    child: np.ndarray
    action: np.ndarray
    chance: np.ndarray
    card: np.ndarray
    names: np.ndarray
    renaming: np.ndarray
    strengths: np.ndarray  # [boards * hands], -1 where a hand is impossible
    boards: np.ndarray  # [boards] public cards
    matrices: np.ndarray  # [matrices * hands * hands]


def require_deals(game: Game) -> None:
    """Refuse games that have no public tree."""
    if not game.has_private_deals:
        raise Unsuitable(
            f"{game.spec} has no public tree: `private_hands`, `public`, `hand_of` and `with_hands` say what is dealt to "
            "each player and what everybody sees"
        )
    if game.players != 2 or not game.zero_sum:
        raise Unsuitable(f"{game.spec}: public trees are for two players whose gains add up to 0")


def public_tree(game: Game, symmetric: bool = True, most: int = MOST_NODES) -> PublicTree:
    """The public tree of `game`; without `symmetric`, no card stands for others."""
    require_deals(game)
    hands, masks = game.private_hands, [int(game.hand_cards(h)) for h in range(game.private_hands)]
    if not any(masks) and hands > MOST_PAIRS:
        raise Unsuitable(f"{game.spec}: {hands} hands that are not of cards are more than {MOST_PAIRS}")
    renamed, events = game.suit_symmetries() if symmetric else (np.arange(hands)[None, :], np.zeros((1, 0), np.int64))
    start, weights = dealt(game, any(masks))
    found = Unrolled(
        *unroll_public(
            game,
            start,
            action_stack(game),
            most,
            weights,
            np.ascontiguousarray(events, np.int64),
            np.array(masks, np.uint64).view(np.int64),
            game.private_hands,
        )
    )
    if found.status == TOO_MANY:
        raise TooLarge(f"{game.spec} has more than {most:,} public nodes; `mccfr` samples instead of holding them all")
    if found.status == STUCK:
        raise BrokenGame(f"{game.spec} has a public state that is not over and has no actions")
    if found.status == UNEQUAL:
        raise BrokenGame(f"{game.spec}: the chance of a public card depends on the hands beyond whether they hold it")
    return PublicTree(arranged(found, hands, masks, renamed))


def dealt(game: Game, cards: bool) -> tuple[Any, np.ndarray]:
    """A state after the private deals, and [hands, hands] the chance of each pair (all 1 where hands are of cards)."""
    hands = game.private_hands
    weights = np.zeros((hands, hands))
    waiting, first = [(game.initial(), 1.0)], None
    while waiting:
        s, weight = waiting.pop()
        a, b = int(game.hand_of(s, 0)), int(game.hand_of(s, 1))
        if a >= 0 and b >= 0:
            first = s if first is None else first
            weights[a, b] += weight
            if cards:
                return s, np.ones((hands, hands))
            continue
        if game.is_terminal(s) or game.to_move(s) != CHANCE:
            raise BrokenGame(f"{game.spec}: somebody acts before both players have their hands")
        events = legal(game, s)
        if cards:
            events = events[:1]
        waiting.extend((game.result(s, event), weight * game.probability(s, event)) for event in events)
    return first, weights


def arranged(found: Unrolled, hands: int, masks: list[int], renamed: np.ndarray) -> dict[str, Any]:
    """The arrays of a tree."""
    held = [[card for card in range(64) if mask >> card & 1] for mask in masks]
    most = max(map(len, held))
    if most > 2:
        raise Unsuitable(f"a hand has {most} cards: public trees are for hands of one or two")
    deck = max((card for cards in held for card in cards), default=-1) + 1
    cards = np.full((hands, 2), -1, np.int16)
    for hand, own in enumerate(held):
        cards[hand, : len(own)] = own
    lists = [[hand for hand in range(hands) if card in held[hand]] for card in range(deck)] or [[]]
    width = max(1, max(map(len, lists)))
    holders = np.array([own + [-1] * (width - len(own)) for own in lists], np.int16)
    strengths = found.strengths.reshape(-1, hands)
    if not len(strengths):
        strengths = np.full((1, hands), -1)
    order = np.argsort(np.where(strengths < 0, np.iinfo(np.int64).max, strengths), axis=1, kind="stable")
    ranked = np.take_along_axis(strengths, order, axis=1)
    group = np.zeros_like(order)
    group[:, -1] = hands - 1
    for i in range(hands - 2, -1, -1):
        group[:, i] = np.where(ranked[:, i] == ranked[:, i + 1], group[:, i + 1], i)
    matrices = found.matrices.reshape(-1, hands, hands)
    return {
        **found._asdict(),
        "nodes": len(found.kind),
        "rows": found.row[-1],
        "row": found.row[:-1].astype(np.int32),
        "widest": found.count.max(),
        "hands": hands,
        "deck": deck,
        "held": most,
        "public_cards": found.boards,
        "kind": found.kind.astype(np.int8),
        "start": found.start.astype(np.int32),
        "count": found.count.astype(np.int16),
        "card": found.card.astype(np.int16),
        "names": found.names.astype(np.int32),
        "renaming": found.renaming.astype(np.int16),
        "renamed": np.ascontiguousarray(renamed, np.int16),
        "cards": cards,
        "holders": holders,
        "order": order.astype(np.int16),
        "group": group.astype(np.int16),
        "live": (strengths >= 0).sum(axis=1).astype(np.int16),
        "matrix": matrices if len(matrices) else np.zeros((1, hands, hands)),
    }


@kernel
def unroll_public(game: Any, root: Any, out: Any, most: int, weights: Any, events: Any, masks: Any, hands: int) -> Any:
    """Walk through the public states, depth first; the fields of an `Unrolled`."""
    by_cards = masks[0] != 0
    status, depth, rows = DONE, 0, 0
    states, plies, kept, boards, entries = [root], [0], [(1 << len(events)) - 1], [0], [-1]
    kind, start, count, row, amount, child, action = [0], [0], [0], [0], [0.0], [0], [0]
    chance, card, names, renaming, strengths, tables = [0.0], [0], [0], [0], [0], [0]
    for numbers in (kind, start, count, row, child, action, card, renaming, strengths, tables):
        numbers.clear()
    ways = [0.0]  # the chance of each pair of hands after each series of public cards, where hands are not of cards
    matrices = [0.0]
    for fractions in (amount, chance, ways, matrices):
        fractions.clear()
    if not by_cards:
        for i in range(hands * hands):
            ways.append(weights[i // hands, i % hands])
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
            count.append(0)
            if not by_cards:
                kind.append(MATRIX)
                factor = worth_of_pairs(game, s, ways, board * pairs, hands, here)
                start.append(shared(here, matrices, known))
                amount.append(factor)
            elif game.is_showdown(s):
                kind.append(SHOWDOWN)
                start.append(sorted_board(game, s, masks, hands, strengths, tables, known))
                amount.append(stake(game, s, masks, hands))
            else:
                kind.append(FOLD)
                start.append(0)
                amount.append(game.utility(s, 0))
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
                if seen_by[i] < 0:  # another card stands for it
                    continue
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
                        if seen_by[j] < 0:
                            break
                names.append(len(renaming))
                child.append(-1)
                action.append(listed[i])
                t = game.result(game.with_hands(s, seen_by[i] // hands, seen_by[i] % hands), listed[i])
                number, path = -1, board
                if by_cards:
                    turned_over = int(game.public_cards(t)) & ~int(game.public_cards(s))
                    number = 0
                    while turned_over >> (number + 1):
                        number += 1
                else:
                    path = len(ways) // pairs
                    dealt_ways(game, s, out, ways, board * pairs, hands, listed[i])
                card.append(number)
                chance.append(likely[i] if by_cards else 1.0)
                states.append(t)
                plies.append(ply + 1)
                kept.append(stabilizer)
                boards.append(path)
                entries.append(len(child) - 1)
        else:
            kind.append(mover)
            game.actions(s, out.fresh())
            rows += len(out)
            for i in range(len(out)):
                child.append(-1)
                action.append(out[i])
                chance.append(1.0)
                card.append(-1)
                names.append(len(renaming))
                states.append(game.result(s, out[i]))
                plies.append(ply + 1)
                kept.append(symmetries)
                boards.append(board)
                entries.append(len(child) - 1)
            out.truncate(0)
        count.append(len(child) - start[-1])
        if count[-1] == 0:
            status = STUCK
            break
    row.append(rows)
    return (
        status,
        depth,
        np.array(kind, np.int64),
        np.array(start, np.int64),
        np.array(count, np.int64),
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
    """The events of chance in `s`, whatever the hands are: each with its chance, and a pair of hands which leaves it. A
    first chance of -1 says that an event's chance depends on the hands."""
    public = int(game.public_cards(s))
    listed, likely, seen_by = [0], [0.0], [0]
    listed.clear()
    likely.clear()
    seen_by.clear()
    equal = True
    for first in range(hands):
        low, high = -1, -1
        for second in range(hands):
            pair = first * hands + second
            if may_be(masks, public, ways, offset, hands, pair):
                low = second if low < 0 else low
                high = second
                if masks[0] == 0:
                    equal = list_events(game, s, out, pair, hands, False, listed, likely, seen_by) and equal
        if masks[0] != 0 and low >= 0:
            equal = list_events(game, s, out, first * hands + low, hands, True, listed, likely, seen_by) and equal
            equal = list_events(game, s, out, first * hands + high, hands, True, listed, likely, seen_by) and equal
    if not equal:
        likely[0] = -1.0
    return listed, likely, seen_by


def list_events(
    game: Any, s: Any, out: Any, pair: int, hands: int, alike: bool, listed: Any, likely: Any, seen_by: Any
) -> bool:
    """Add the events that a pair of hands leaves; False where one has another chance than before, and must not."""
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
    """Write into `here` [second, first] the chance of each pair times what it pays to the first player, divided by the
    number that is returned."""
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
    """The index of a matrix; a new one where it is not known yet."""
    mixed = 0
    for i in range(len(here)):
        mixed = (mixed * 1_000_003 + int(round(here[i] * 1e9))) & 0xFFFFFFFFFFFF
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
    """The index of a set of public cards; where it is new, the strength of every hand with them is appended."""
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
    """What the winner of a showdown gets."""
    public = int(game.public_cards(s))
    for first in range(hands):
        for second in range(hands):
            if (masks[first] & masks[second]) | ((masks[first] | masks[second]) & public) == 0:
                t = game.with_hands(s, first, second)
                if game.showdown_strength(t, 0) > game.showdown_strength(t, 1):
                    return float(game.utility(t, 0))
    return 0.0
