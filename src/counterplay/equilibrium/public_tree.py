"""The public tree of a game with private deals: what everyone sees, with a vector over hands for each player.

A node represents all deals at once. The tree is walked through the rules with one deal that is possible there, since
actions depend only on what is public. At a leaf, all that counts is what each pair of hands is worth:

- if hands are cards (`hand_cards`), a fold pays the same to every hand that is still possible, and a showdown pays by
  order of strength: hands are sorted once per set of public cards, so a leaf is valued in linear time;
- otherwise a leaf has a matrix, the chance of each pair of hands times its payoff; equal ones (up to a factor) are
  shared.

Names that do not matter, such as suits, are folded: of all public cards that some symmetry of the cards so far maps to
one another, one is walked, and the others read its values under other names. This is exact as long as both ranges are
symmetric, as they are at the start of a game; elsewhere only symmetries that change neither range are used.

The tree of a whole game begins after the deal, with all hands in both ranges. That of a *subgame* begins in any public
state with any ranges; hands that neither player may hold are left out of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import BrokenGame, CounterplayError, Unsuitable
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import action_stack
from counterplay.core.language.rng import Rng
from counterplay.core.language.workspace import Array, Workspace, f64, i8, i16, i32, i64
from counterplay.core.rules import legal
from counterplay.equilibrium.information_tree import TooLarge
from counterplay.equilibrium.public_unrolling import (
    FRONTIER,
    STUCK,
    TO_THE_END,
    TOO_MANY,
    TURN,
    UNEQUAL,
    Unrolled,
    unroll_public,
)

MOST_NODES = 20_000_000
MOST_NUMBERS = 500_000_000
"""The maximum of public nodes times hands: about 5 GB during learning."""
FAR = 100
"""A tree is not even walked if a random sample estimates that it has this many times too many nodes."""
PROBES = 30
ROUNDING = 1e-13
"""This fraction of the total stake counts as nothing."""
MOST_PAIRS = 256
"""The maximum number of hands that are not cards: a leaf then has a matrix over pairs of them."""


class PublicTree(Workspace):
    """The arrays, nodes in depth-first order."""

    nodes: i64
    rows: i64  # actions of all decisions
    depth: i64
    widest: i64  # the most actions of a node
    hands: i64
    deck: i64  # the number of cards; 0 if hands are not of cards
    held: i64  # the number of cards in a hand
    holding: i64  # the most hands that share a card
    noise: f64  # a hand's earnings below this are rounding errors
    total: f64  # the total probability of all deals, by the ranges and the cards that they share
    kind: Array[i8, "nodes_"]
    start: Array[i32, "nodes_"]  # the first of its links, or the index of a leaf's order or matrix
    width: Array[i16, "nodes_"]  # the number of links
    row: Array[i32, "nodes_"]  # the row of its first action among the actions of all decisions
    amount: Array[f64, "nodes_"]  # what a leaf pays to the first player: by a fold, to the winner, or the factor
    child: Array[i64, "links"]  # (a recursion that is entered with a wider number than it continues with would crash)
    action: Array[i64, "links"]
    chance: Array[f64, "links"]  # of a card that is turned over; 1 if matrices have it
    card: Array[i16, "links"]  # the card; -1 if hands are not of cards
    names: Array[i32, "links_and_1"]  # where the list of equal cards begins
    renaming: Array[i16, "renamings"]  # for each of these, the symmetry that maps it to the one that is walked
    renamed: Array[i16, "symmetries", "hands_"]
    cards: Array[i16, "hands_", 2]  # of each hand
    holders: Array[i16, "cards_", "holders_"]  # the hands that have a card, -1 behind the last
    order: Array[i16, "boards", "hands_"]  # hands by strength, for each set of public cards
    group: Array[i16, "boards", "hands_"]  # the last equally strong hand in the order
    live: Array[i16, "boards"]  # the number of possible hands
    matrix: Array[f64, "matrices", "hands_", "hands_"]  # [second, first]
    part: Array[i32, "nodes_"]  # which of the parts that threads share begins here, -1 if none does
    hand: Array[i16, "hands_"]  # the game's number for each hand
    pairs: Array[f64, "hands_", "hands_"]  # [first, second] the chance of each deal, up to a factor and the ranges
    ranges: Array[f64, 2, "hands_"]  # how likely each player is to have each hand at the first node, up to a factor

    def __init__(self, parts: dict[str, Any]) -> None:
        self.nodes, self.rows, self.depth, self.widest = (
            int(parts[each]) for each in ("nodes", "rows", "depth", "widest")
        )
        self.hands, self.deck, self.held = parts["hands"], parts["deck"], parts["held"]
        self.holding, self.total = parts["holders"].shape[1], float(parts["total"])
        self.noise = ROUNDING * float(np.abs(parts["amount"]).max() * parts["ranges"].sum(axis=1).max())
        for name in PublicTree._arrays:
            setattr(self, name, np.ascontiguousarray(parts[name]))


def require_deals(game: Game) -> None:
    """Refuse games that have no public tree."""
    if not game.has_private_deals:
        raise Unsuitable(
            f"{game.spec} has no public tree: `private_hands`, `public`, `hand_of` and `with_hands` say what is dealt to "
            "each player and what everyone sees"
        )
    if game.players != 2 or not game.zero_sum:
        raise Unsuitable(f"{game.spec}: public trees are for two-player zero-sum games")


class PublicBelief(NamedTuple):
    """A public state with what each player may hold there."""

    state: Any  # with any hands
    ranges: np.ndarray  # [2, hands] how likely each hand is, up to a factor
    weights: np.ndarray | None = None  # [hands, hands] of each pair besides, if hands are not of cards


def public_tree(
    game: Game,
    symmetric: bool = True,
    most: int = MOST_NODES,
    root: PublicBelief | None = None,
    reach: int = TO_THE_END,
) -> PublicTree:
    """The public tree of `game`, or from `root` on, as far as `reach` says (public_unrolling.py). Without `symmetric`,
    no card represents others."""
    require_deals(game)
    hands, masks = game.private_hands, [int(game.hand_cards(h)) for h in range(game.private_hands)]
    if not any(masks) and hands > MOST_PAIRS:
        raise Unsuitable(f"{game.spec}: {hands} hands that are not cards are more than {MOST_PAIRS}")
    start, weights = dealt(game, any(masks))
    ranges = np.ones((2, hands))
    if root is not None:
        start, weights = root.state, weights if root.weights is None else root.weights
        public = int(game.public_cards(start))
        ranges = np.where([mask & public for mask in masks], 0.0, root.ranges)
    held = int(ranges.any(axis=0).sum())
    most = min(most, MOST_NUMBERS // max(held, 1))
    renamed, events = symmetries(game, start, ranges) if symmetric else no_symmetries(hands)
    refusal = TooLarge(
        f"{game.spec} has more than {most:,} public nodes for {held:,} hands: start nearer to the end of a hand "
        "(--position), allow fewer bets, or let `mccfr` sample it"
    )
    if reach == TO_THE_END and estimated_nodes(game, start) > FAR * most * len(renamed):
        raise refusal
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
            reach,
        )
    )
    if found.status == TOO_MANY:
        raise refusal
    if found.status == STUCK:
        raise BrokenGame(f"{game.spec} has a public state that is not over and has no actions")
    if found.status == UNEQUAL:
        raise BrokenGame(
            f"{game.spec}: the probability of a public card depends on more of the hands than whether they hold it"
        )
    return PublicTree(arranged(found, hands, masks, renamed, ranges, weights))


def estimated_nodes(game: Game, s: Any) -> int:
    """A rough count of the public nodes from a state on: the product of the numbers of actions along random play is
    right on average (Knuth 1975)."""
    rng, total = Rng(1), 0
    for _ in range(PROBES):
        t, size = s, 1
        while options := legal(game, t):
            size *= len(options)
            total += size
            t = game.result(t, options[rng.below(len(options))])
    return total // PROBES


def no_symmetries(hands: int) -> tuple[np.ndarray, np.ndarray]:
    """Every name is its own."""
    return np.arange(hands)[None, :], np.zeros((1, 0), np.int64)


def symmetries(game: Game, start: Any, ranges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The game's symmetries that change neither range nor the public cards."""
    renamed, events = game.suit_symmetries()
    public = int(game.public_cards(start))
    cards = [card for card in range(64) if public >> card & 1]
    holders = [np.array([bool(int(game.hand_cards(h)) >> card & 1) for h in range(len(ranges[0]))]) for card in cards]
    same = [
        all((row[names] == row).all() for row in ranges) and all((who[names] == who).all() for who in holders)
        for names in renamed
    ]
    return renamed[same], events[same]


def dealt(game: Game, cards: bool) -> tuple[Any, np.ndarray]:
    """A state after the private deals, and [hands, hands] the chance of each pair (all 1 if hands are of cards)."""
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
            raise BrokenGame(f"{game.spec}: a player acts before both have their hands")
        events = legal(game, s)
        if cards:
            events = events[:1]
        waiting.extend((game.result(s, event), weight * game.probability(s, event)) for event in events)
    return first, weights


def arranged(
    found: Unrolled, everyone: int, masks: list[int], renamed: np.ndarray, ranges: np.ndarray, weights: np.ndarray
) -> dict[str, Any]:
    """The arrays of a tree, without hands that nobody can have."""
    kept = np.flatnonzero(ranges.any(axis=0))
    hands, ranges, weights = len(kept), ranges[:, kept], weights[np.ix_(kept, kept)]
    held = [[card for card in range(64) if masks[hand] >> card & 1] for hand in kept]
    most = max(map(len, held))
    if most > 2:
        raise Unsuitable(f"a hand has {most} cards: public trees are for hands of one or two")
    places = np.full(everyone, -1)
    places[kept] = np.arange(hands)
    deck = max(mask.bit_length() for mask in masks)
    cards = np.full((hands, 2), -1, np.int16)
    for hand, own in enumerate(held):
        cards[hand, : len(own)] = own
    lists = [[hand for hand in range(hands) if card in held[hand]] for card in range(deck)] or [[]]
    width = max(1, max(map(len, lists)))
    holders = np.array([own + [-1] * (width - len(own)) for own in lists], np.int16)
    strengths = found.strengths.reshape(-1, everyone)[:, kept]
    if not len(strengths):
        strengths = np.full((1, hands), -1)
    order = np.argsort(np.where(strengths < 0, np.iinfo(np.int64).max, strengths), axis=1, kind="stable")
    ranked = np.take_along_axis(strengths, order, axis=1)
    group = np.zeros_like(order)
    group[:, -1] = hands - 1
    for i in range(hands - 2, -1, -1):
        group[:, i] = np.where(ranked[:, i] == ranked[:, i + 1], group[:, i + 1], i)
    matrices = found.matrices.reshape(-1, everyone, everyone)[:, kept][:, :, kept]
    return {
        **found._asdict(),
        "nodes": len(found.kind),
        "rows": found.row[-1],
        "row": found.row[:-1].astype(np.int32),
        "widest": found.width.max(),
        "hands": hands,
        "deck": deck,
        "held": most,
        "kind": found.kind.astype(np.int8),
        "start": found.start.astype(np.int32),
        "width": found.width.astype(np.int16),
        "card": found.card.astype(np.int16),
        "names": found.names.astype(np.int32),
        "renaming": found.renaming.astype(np.int16),
        "renamed": np.ascontiguousarray(places[renamed[:, kept]], np.int16),
        "cards": cards,
        "holders": holders,
        "order": order.astype(np.int16),
        "group": group.astype(np.int16),
        "live": (strengths >= 0).sum(axis=1).astype(np.int16),
        "matrix": matrices if len(matrices) else np.zeros((1, hands, hands)),
        "part": parts_of(found),
        "hand": kept.astype(np.int16),
        "ranges": ranges,
        "pairs": (pairs := weights * apart(cards)),
        "total": ranges[0] @ pairs @ ranges[1],
    }


def after_event(game: Game, s: Any, event: int, weights: np.ndarray | None) -> Any:
    """The state after a public event of chance, with hands that allow it."""
    hands = range(game.private_hands)
    for first in hands:
        for second in hands:
            if weights is None:
                held = int(game.hand_cards(first)), int(game.hand_cards(second))
                if held[0] & held[1] or (held[0] | held[1]) & int(game.public_cards(s)):
                    continue
            elif not weights[first, second]:
                continue
            t = game.with_hands(s, first, second)
            if event in legal(game, t):
                return game.result(t, event)
    raise CounterplayError(f"{game.spec}: no deal leaves the event {event}")


def frontier_states(game: Game, tree: PublicTree, root: Any, weights: np.ndarray | None) -> list[Any]:
    """The states at which a look-ahead from `root` stops, by their parts."""
    found: dict[int, Any] = {}
    waiting = [(0, root)]
    while waiting:
        node, s = waiting.pop()
        if tree.kind[node] == FRONTIER:
            found[int(tree.part[node])] = s
        for link in range(int(tree.start[node]), int(tree.start[node]) + int(tree.width[node])):
            action = int(tree.action[link])
            turned = tree.kind[node] == TURN
            waiting.append(
                (int(tree.child[link]), after_event(game, s, action, weights) if turned else game.result(s, action))
            )
    return [found[part] for part in range(len(found))]


def apart(cards: np.ndarray) -> np.ndarray:
    """[hands, hands]: whether two hands share no card."""
    shared = (cards[:, None, :, None] == cards[None, :, None, :]) & (cards[:, None, :, None] >= 0)
    found: np.ndarray = ~shared.any(axis=(2, 3))
    return found


def parts_of(found: Unrolled) -> np.ndarray:
    """[nodes] Where independent parts begin: after the first public card or, if none is to come, after the second
    action; in a look-ahead, at the decisions where it stops."""
    part = np.full(len(found.kind), -1, np.int32)
    frontier = np.flatnonzero(found.kind == FRONTIER)
    if len(frontier):
        part[frontier] = np.arange(len(frontier))
        return part
    some_turn = bool((found.kind == TURN).any())
    waiting, parts = [(0, 0)], 0
    while waiting:
        node, depth = waiting.pop()
        for child in found.child[found.start[node] :][: found.width[node]]:
            if found.kind[node] == TURN if some_turn else depth == 1:
                part[child], parts = parts, parts + 1
            else:
                waiting.append((int(child), depth + 1))
    return part
