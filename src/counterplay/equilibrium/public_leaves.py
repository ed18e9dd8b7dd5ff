"""What each hand earns at a leaf of a public tree, against all hands of the opponent at once, and the vectors of a walk.

Linear in the number of hands if hands are of cards: hands that share a card with one's own are subtracted by means of
the sums over the hands with each card.
"""

from __future__ import annotations

import numpy as np

from counterplay.core.language.workspace import Array, Workspace, f64, i64
from counterplay.equilibrium.public_tree import PublicTree
from counterplay.equilibrium.public_unrolling import FOLD, SHOWDOWN


class Scratch(Workspace):
    """A walk's working memory: vectors over hands, by depth."""

    own: Array[f64, "depth", "hands"]  # the reach of the walk's player
    other: Array[f64, "depth", "hands"]  # the opponent's, chance included
    worth: Array[f64, "depth", "hands"]  # what each hand of the player earns
    strategy: Array[f64, "depth", "widest", "hands"]
    total: Array[f64, "depth", "hands"]
    by_card: Array[f64, "deck"]
    phase: i64 = 0  # WHOLE, or on the way to or from the parts of the tree
    part_own: Array[f64, "parts", "hands"]  # the same vectors at the parts' first nodes
    part_other: Array[f64, "parts", "hands"]
    part_worth: Array[f64, "parts", "hands"]

    def __init__(self, tree: PublicTree, shared: Scratch | None = None) -> None:
        depth, hands = tree.depth + 2, tree.hands
        for name in ("own", "other", "worth", "total"):
            setattr(self, name, np.zeros((depth, hands)))
        self.strategy = np.zeros((depth, tree.widest, hands))
        self.by_card = np.zeros(max(tree.deck, 1))
        for name in ("part_own", "part_other", "part_worth"):
            parts = np.zeros((max(1, int(tree.part.max()) + 1), hands)) if shared is None else getattr(shared, name)
            setattr(self, name, parts)


def pay(tree: PublicTree, scratch: Scratch, node: int, kind: int, player: int, depth: int) -> None:
    """What each hand earns at a leaf."""
    index, amount = tree.start[node], tree.amount[node]
    if kind == FOLD:
        fold(tree, scratch, amount if player == 0 else -amount, depth)
    elif kind == SHOWDOWN:
        showdown(tree, scratch, index, amount, depth)
    else:
        multiply(tree, scratch, index, amount, player, depth)


def sum_of_others(tree: PublicTree, scratch: Scratch, depth: int) -> float:
    """The sum of the opponent's reach over all hands; if hands have two cards, also over those with each card."""
    total = 0.0
    if tree.held == 2:
        for c in range(tree.deck):
            scratch.by_card[c] = 0.0
    for h in range(tree.hands):
        total += scratch.other[depth, h]
        if tree.held == 2:
            scratch.by_card[tree.cards[h, 0]] += scratch.other[depth, h]
            scratch.by_card[tree.cards[h, 1]] += scratch.other[depth, h]
    return total


def fold(tree: PublicTree, scratch: Scratch, amount: float, depth: int) -> None:
    """The payoff of a fold: the same for every hand, times the reach of the opponent's hands that share no card with it."""
    total = sum_of_others(tree, scratch, depth)
    if tree.held == 1:
        for h in range(tree.hands):
            scratch.worth[depth, h] = amount * (total - scratch.other[depth, h])
        return
    for h in range(tree.hands):
        taken = scratch.by_card[tree.cards[h, 0]] + scratch.by_card[tree.cards[h, 1]] - scratch.other[depth, h]
        scratch.worth[depth, h] = amount * (total - taken)


def showdown(tree: PublicTree, scratch: Scratch, board: int, amount: float, depth: int) -> None:
    """From the weakest hand to the strongest: the weaker hands less the stronger ones. Of the hands that share a card
    with one, those before it and those after it are subtracted."""
    live = tree.live[board]
    for h in range(tree.hands):
        scratch.worth[depth, h] = 0.0
    if tree.held == 1:
        total = 0.0
        for k in range(live):
            total += scratch.other[depth, tree.order[board, k]]
        weaker, k = 0.0, 0
        while k < live:
            end, equal = tree.group[board, k] + 1, 0.0
            for j in range(k, end):
                equal += scratch.other[depth, tree.order[board, j]]
            for j in range(k, end):
                scratch.worth[depth, tree.order[board, j]] = amount * (weaker - (total - weaker - equal))
            weaker += equal
            k = end
        return
    sweep(tree, scratch, board, amount, depth, live, 1)
    sweep(tree, scratch, board, -amount, depth, live, -1)


def sweep(tree: PublicTree, scratch: Scratch, board: int, amount: float, depth: int, live: int, step: int) -> None:
    """Add what each hand earns from those before it in one direction, if hands have two cards."""
    for c in range(tree.deck):
        scratch.by_card[c] = 0.0
    before, k = 0.0, 0
    while k < live:
        at = k if step > 0 else live - 1 - k
        same = tree.group[board, at]
        end = k
        while end < live and tree.group[board, end if step > 0 else live - 1 - end] == same:
            h = tree.order[board, end if step > 0 else live - 1 - end]
            taken = scratch.by_card[tree.cards[h, 0]] + scratch.by_card[tree.cards[h, 1]]
            scratch.worth[depth, h] += amount * (before - taken)
            end += 1
        for j in range(k, end):
            h = tree.order[board, j if step > 0 else live - 1 - j]
            before += scratch.other[depth, h]
            scratch.by_card[tree.cards[h, 0]] += scratch.other[depth, h]
            scratch.by_card[tree.cards[h, 1]] += scratch.other[depth, h]
        k = end


def multiply(tree: PublicTree, scratch: Scratch, index: int, amount: float, player: int, depth: int) -> None:
    """Sum over pairs of hands: chance times payoff."""
    if player == 0:
        for i in range(tree.hands):
            scratch.worth[depth, i] = 0.0
        for j in range(tree.hands):
            reach = amount * scratch.other[depth, j]
            for i in range(tree.hands):
                scratch.worth[depth, i] += reach * tree.matrix[index, j, i]
        return
    for j in range(tree.hands):
        total = 0.0
        for i in range(tree.hands):
            total += tree.matrix[index, j, i] * scratch.other[depth, i]
        scratch.worth[depth, j] = -amount * total
