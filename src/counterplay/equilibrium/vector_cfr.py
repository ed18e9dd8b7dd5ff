"""Counterfactual regret minimization over a public tree: all hands of a player at once (Johanson and others 2011).

The walk goes down with the two players' reaches, a number for each hand, and comes up with what each hand of one player
earns. At a decision the regrets and the sums of the average are rows over hands. The variants are those of `cfr`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterplay.core.language.kernel import kernel
from counterplay.core.language.workspace import Array, Workspace, f32, f64, i64
from counterplay.equilibrium.cfr import FOREVER, NEVER, Fading
from counterplay.equilibrium.public_tree import FOLD, SHOWDOWN, TURN, PublicTree

LEARN, EVALUATE, RESPOND = range(3)
"""What a walk is for: regrets; what the average strategies earn; the best response to the other's average."""


class VectorRegrets(Workspace):
    """What both players have learned: a row over hands for each action of each public node."""

    above: f64
    below: f64
    average: f64
    predictive: f64
    iterations: i64 = 0
    regrets: Array[f32, "rows", "hands"]
    sums: Array[f32, "rows", "hands"]
    last: Array[f32, "last_rows", "hands"]  # the regrets of the last iteration alone, where they are a prediction

    def __init__(self, tree: PublicTree, fading: Fading) -> None:
        self.above, self.below, self.average, self.predictive = fading
        shape = (tree.rows, tree.hands)
        self.regrets, self.sums = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.last = np.zeros(shape if fading.predictive else (1, tree.hands), np.float32)

    def kept(self, power: float) -> float:
        """The part of the regrets that is left after this iteration."""
        if power == FOREVER:
            return 1.0
        if power == NEVER:
            return 0.0
        weight = float(self.iterations) ** power
        return weight / (weight + 1.0)


class Scratch(Workspace):
    """What a walk writes on its way: by depth, vectors over hands."""

    own: Array[f64, "depth", "hands"]  # the reach of the player for whom the walk is
    other: Array[f64, "depth", "hands"]  # the opponent's, chance included
    worth: Array[f64, "depth", "hands"]  # what each hand of the player earns
    strategy: Array[f64, "depth", "widest", "hands"]
    total: Array[f64, "depth", "hands"]
    by_card: Array[f64, "deck"]

    def __init__(self, tree: PublicTree) -> None:
        depth, hands = tree.depth + 2, tree.hands
        for name in ("own", "other", "worth", "total"):
            setattr(self, name, np.zeros((depth, hands)))
        self.strategy = np.zeros((depth, tree.widest, hands))
        self.by_card = np.zeros(max(tree.deck, 1))


class PublicEvaluation(NamedTuple):
    """What the average strategies are worth, exactly."""

    values: tuple[float, float]
    responses: tuple[float, float]  # what each player's best response would get

    @property
    def nash_conv(self) -> float:
        """What both players together would gain, each by their best response."""
        return max(0.0, self.responses[0] + self.responses[1])

    @property
    def exploitability(self) -> float:
        """The same for a player on average."""
        return self.nash_conv / 2


def pairs_of(tree: PublicTree) -> float:
    """How many pairs of hands can be dealt, where all are equally likely; 1 where leaves have the chance of each."""
    if not tree.deck:
        return 1.0
    taken = (tree.cards[:, None, :, None] == tree.cards[None, :, None, :]) & (tree.cards[:, None, :, None] >= 0)
    return float((~taken.any(axis=(2, 3))).sum())


def evaluate_public(tree: PublicTree, learned: VectorRegrets) -> PublicEvaluation:
    """What the average strategies earn, and what they would lose to a best response."""
    scratch, pairs = Scratch(tree), pairs_of(tree)
    value = walk(tree, learned, scratch, 0, EVALUATE) / pairs
    responses = tuple(walk(tree, learned, scratch, player, RESPOND) / pairs for player in range(2))
    return PublicEvaluation((value, -value), (responses[0], responses[1]))


@kernel
def iterate(tree: PublicTree, learned: VectorRegrets, scratch: Scratch, iterations: int) -> None:
    """So many iterations more; the players take turns within each."""
    for _ in range(iterations):
        learned.iterations += 1
        for player in range(2):
            begin(tree, scratch)
            visit(tree, learned, scratch, 0, player, LEARN, 0)


@kernel
def walk(tree: PublicTree, learned: VectorRegrets, scratch: Scratch, player: int, purpose: int) -> float:
    """What all hands of `player` earn together."""
    begin(tree, scratch)
    visit(tree, learned, scratch, 0, player, purpose, 0)
    total = 0.0
    for h in range(tree.hands):
        total += scratch.worth[0, h]
    return total


# What kernels call.


def begin(tree: PublicTree, scratch: Scratch) -> None:
    """Every hand is there, in full."""
    for h in range(tree.hands):
        scratch.own[0, h] = 1.0
        scratch.other[0, h] = 1.0


@kernel
def visit(
    tree: PublicTree, learned: VectorRegrets, scratch: Scratch, node: int, player: int, purpose: int, depth: int
) -> None:
    """Write what each hand of `player` earns from `node` on against the opponent's reach."""
    kind = tree.kind[node]
    if kind >= FOLD:
        pay(tree, scratch, node, kind, player, depth)
        return
    if kind != TURN and not (kind == player and purpose == RESPOND):
        mix(tree, learned, scratch, node, purpose == LEARN, depth)
    for h in range(tree.hands):
        scratch.worth[depth, h] = 0.0
    for a in range(tree.count[node]):
        link = tree.start[node] + a
        if kind == TURN:
            turn(tree, scratch, link, depth)
        elif kind == player:
            act(tree, learned, scratch, tree.row[node] + a, a, purpose, depth)
        else:
            face(tree, scratch, a, depth)
        visit(tree, learned, scratch, tree.child[link], player, purpose, depth + 1)
        if kind == TURN:
            add_cards(tree, scratch, link, depth)
        elif kind == player:
            add_own(tree, scratch, a, purpose, depth)
        else:
            for h in range(tree.hands):
                scratch.worth[depth, h] += scratch.worth[depth + 1, h]
    if kind == player and purpose == LEARN:
        regret(tree, learned, scratch, tree.row[node], tree.count[node], depth)


def pay(tree: PublicTree, scratch: Scratch, node: int, kind: int, player: int, depth: int) -> None:
    """What each hand earns at a leaf."""
    index, amount = tree.start[node], tree.amount[node]
    if kind == FOLD:
        fold(tree, scratch, amount if player == 0 else -amount, depth)
    elif kind == SHOWDOWN:
        showdown(tree, scratch, index, amount, depth)
    else:
        multiply(tree, scratch, index, amount, player, depth)


def mix(tree: PublicTree, learned: VectorRegrets, scratch: Scratch, node: int, learning: bool, depth: int) -> None:
    """Write the strategy at a decision: by the regrets above 0, or the average; even where there is nothing."""
    row, count = tree.row[node], tree.count[node]
    for h in range(tree.hands):
        scratch.total[depth, h] = 0.0
    for a in range(count):
        for h in range(tree.hands):
            part = float(learned.sums[row + a, h])
            if learning:
                part = float(learned.regrets[row + a, h])
                if learned.predictive != 0.0:
                    part += learned.predictive * float(learned.last[row + a, h])
            part = max(part, 0.0)
            scratch.strategy[depth, a, h] = part
            scratch.total[depth, h] += part
    for a in range(count):
        for h in range(tree.hands):
            total = scratch.total[depth, h]
            scratch.strategy[depth, a, h] = scratch.strategy[depth, a, h] / total if total > 0 else 1.0 / count


def face(tree: PublicTree, scratch: Scratch, a: int, depth: int) -> None:
    """The opponent takes an action, as often as their strategy says."""
    for h in range(tree.hands):
        scratch.own[depth + 1, h] = scratch.own[depth, h]
        scratch.other[depth + 1, h] = scratch.other[depth, h] * scratch.strategy[depth, a, h]


def act(
    tree: PublicTree, learned: VectorRegrets, scratch: Scratch, row: int, a: int, purpose: int, depth: int
) -> None:
    """The player takes an action; what they learn from counts in the average."""
    for h in range(tree.hands):
        scratch.other[depth + 1, h] = scratch.other[depth, h]
    if purpose == LEARN:
        weight = float(learned.iterations) ** learned.average
        for h in range(tree.hands):
            reach = scratch.own[depth, h] * scratch.strategy[depth, a, h]
            scratch.own[depth + 1, h] = reach
            learned.sums[row, h] += weight * reach


def add_own(tree: PublicTree, scratch: Scratch, a: int, purpose: int, depth: int) -> None:
    """Add what an own action earns, by its share; of a best response, take the better."""
    if purpose == RESPOND:
        for h in range(tree.hands):
            gain = scratch.worth[depth + 1, h]
            scratch.worth[depth, h] = gain if a == 0 else max(scratch.worth[depth, h], gain)
        return
    for h in range(tree.hands):
        gain = scratch.worth[depth + 1, h]
        scratch.worth[depth, h] += gain * scratch.strategy[depth, a, h]
        scratch.strategy[depth, a, h] = gain  # the share has done its work; what the action earns is wanted for regrets


def regret(tree: PublicTree, learned: VectorRegrets, scratch: Scratch, row: int, count: int, depth: int) -> None:
    """Add by how much each action beats the mixture."""
    above, below = learned.kept(learned.above), learned.kept(learned.below)
    for a in range(count):
        for h in range(tree.hands):
            more = scratch.strategy[depth, a, h] - scratch.worth[depth, h]
            total = float(learned.regrets[row + a, h]) + more
            learned.regrets[row + a, h] = total * (above if total > 0 else below)
            if learned.predictive != 0.0:
                learned.last[row + a, h] = more


def turn(tree: PublicTree, scratch: Scratch, link: int, depth: int) -> None:
    """Turn a public card over: nobody holds it."""
    for h in range(tree.hands):
        scratch.own[depth + 1, h] = scratch.own[depth, h]
        scratch.other[depth + 1, h] = scratch.other[depth, h] * tree.chance[link]
    card = tree.card[link]
    if card >= 0:
        for i in range(tree.holding):
            scratch.own[depth + 1, tree.holders[card, i]] = 0.0
            scratch.other[depth + 1, tree.holders[card, i]] = 0.0


def add_cards(tree: PublicTree, scratch: Scratch, link: int, depth: int) -> None:
    """Add what a card earns, and under other names the cards that it stands for."""
    card = tree.card[link]
    if card >= 0:
        for i in range(tree.holding):
            scratch.worth[depth + 1, tree.holders[card, i]] = 0.0
    for i in range(tree.names[link], tree.names[link + 1]):
        g = tree.renaming[i]
        for h in range(tree.hands):
            scratch.worth[depth, h] += scratch.worth[depth + 1, tree.renamed[g, h]]


def sum_of_others(tree: PublicTree, scratch: Scratch, depth: int) -> float:
    """The opponent's reach over all hands; over those with each card, too, where hands have two."""
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
    """The same for every hand, as far as the opponent's hands share no card with it."""
    total = sum_of_others(tree, scratch, depth)
    if tree.held == 1:
        for h in range(tree.hands):
            scratch.worth[depth, h] = amount * (total - scratch.other[depth, h])
        return
    for h in range(tree.hands):
        taken = scratch.by_card[tree.cards[h, 0]] + scratch.by_card[tree.cards[h, 1]] - scratch.other[depth, h]
        scratch.worth[depth, h] = amount * (total - taken)


def showdown(tree: PublicTree, scratch: Scratch, board: int, amount: float, depth: int) -> None:
    """From the weakest hand to the strongest: what is weaker less what is stronger. Of the hands that share a card with
    one, those before it and those after it are left out."""
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


def sweep(
    tree: PublicTree, scratch: Scratch, board: int, amount: float, depth: int, live: int, step: int
) -> None:
    """Add what each hand gets from those that come before it in one direction; of hands with two cards."""
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
    """Each pair of hands by its chance and what it pays."""
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
