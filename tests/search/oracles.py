"""Second, plainest versions of the searches, to test the kernels against: no windows, no tables, not compiled."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from counterplay.core.game import CHANCE
from counterplay.core.rules import legal
from counterplay.games.tree import Tree
from counterplay.search.memory import Scale


class Judged(Tree):
    """A tree whose inner nodes have estimates as well; they look random and add up to 0 in a zero-sum tree."""

    def evaluate(self, s, player):
        around = 0.0
        mine = 0.0
        for p in range(self.players):
            x = (s.node * 7919 + p * 104729) % 1009 / 1009 * 6 - 3
            around += x
            if p == player:
                mine = x
        return mine - around / self.players if self.zero_sum else mine


class Drawn(Tree):
    """A tree by hand, too small to be worth compiling."""

    compiled = False


def clipped(game, value):
    scale = Scale.of(game)
    return min(max(value, scale.low + scale.margin), scale.high - scale.margin)


def dated(game, value, ply):
    """Without chance, the best result counts more the sooner it comes, the worst less."""
    scale = Scale.of(game)
    if game.has_chance:
        return value
    if value >= scale.high:
        return scale.high - scale.unit * ply
    return scale.low + scale.unit * ply if value <= scale.low else value


def expected(game, s, depth, hero, ply=0):
    """Expectiminimax: the hero takes the greatest value, all others the least, chance the average."""
    if game.is_terminal(s):
        return dated(game, game.utility(s, hero), ply)
    if depth == 0:
        return clipped(game, game.evaluate(s, hero))
    mover = game.to_move(s)
    if mover == CHANCE:
        return sum(
            game.probability(s, event) * expected(game, game.result(s, event), depth, hero, ply + 1)
            for event in legal(game, s)
        )
    values = [expected(game, game.result(s, action), depth - 1, hero, ply + 1) for action in legal(game, s)]
    return max(values) if mover == hero else min(values)


def vector(game, s, depth, ply=0):
    """max^n: each player takes the first action that gives them the most; chance averages."""
    players = range(game.players)
    if game.is_terminal(s):
        return [dated(game, game.utility(s, p), ply) for p in players]
    if depth == 0:
        return [clipped(game, game.evaluate(s, p)) for p in players]
    mover = game.to_move(s)
    if mover == CHANCE:
        below = [(game.probability(s, e), vector(game, game.result(s, e), depth, ply + 1)) for e in legal(game, s)]
        return [sum(p * values[player] for p, values in below) for player in players]
    return max(
        (vector(game, game.result(s, action), depth - 1, ply + 1) for action in legal(game, s)),
        key=lambda values: values[mover],
    )


def size(game, s):
    """The number of states of the whole tree under `s`."""
    return 1 + sum(size(game, game.result(s, action)) for action in legal(game, s))


@st.composite
def trees(draw, players=2, zero_sum=True, chance=True):
    """Descriptions of random trees of at most 64 nodes, which share their compiled code."""
    random = draw(st.randoms(use_true_random=False))
    left = 60

    def leaf():
        values = [random.randint(-9, 9) for _ in range(players)]
        if zero_sum:
            values[-1] = -sum(values[:-1])
        return {"payoffs": values}

    def node(height):
        nonlocal left
        width = random.randint(1, 4)
        kind = random.randint(0, 9)
        if height == 0 or left < width or kind == 0:
            return leaf()
        left -= width
        children = [node(height - 1) for _ in range(width)]
        if kind <= 4 and chance:
            weights = [random.randint(1, 6) for _ in children]
            total = sum(weights)
            return {"chance": [[str(Fraction(w, total)), child] for w, child in zip(weights, children, strict=True)]}
        return {"player": random.randrange(players), "actions": children}

    height = draw(st.integers(1, 6))
    actions = [node(height), {"chance": [[1, leaf()]]} if chance else leaf()]
    return {"player": random.randrange(players), "actions": actions[:: random.choice((1, -1))]}


@st.composite
def trees_of_distinct_leaves(draw, players=3, most=6):
    """Descriptions of random trees in which no two payoffs are the same, of anybody anywhere."""
    random = draw(st.randoms(use_true_random=False))
    payoffs = random.sample(range(-9, 10), players * most)

    def node(leaves, may_be_chance=True):
        if leaves == 1:
            return {"payoffs": [payoffs.pop() for _ in range(players)]}
        cuts = sorted(random.sample(range(1, leaves), random.randint(1, min(leaves - 1, 3))))
        children = [node(end - start) for start, end in zip([0, *cuts], [*cuts, leaves], strict=True)]
        if may_be_chance and random.random() < 0.3:
            weights = [random.randint(1, 6) for _ in children]
            shares = [str(Fraction(weight, sum(weights))) for weight in weights]
            return {"chance": [list(each) for each in zip(shares, children, strict=True)]}
        return {"player": random.randrange(players), "actions": children}

    return node(draw(st.integers(2, most)), may_be_chance=False)


def promise(game, s, action):
    """The rank of an action as a natural one, by the game's hint or by the estimate of the player who takes it."""
    if game.has_ordering:
        return game.ordering(s, action)
    after = game.result(s, action)
    return (game.utility if game.is_terminal(after) else game.evaluate)(after, game.to_move(s))


def replied(game, s, depth, hero, replier=None, ply=0):
    """Best-reply search: whoever does not reply passes, if allowed, or acts by the game's hint or their own estimate."""
    if game.is_terminal(s):
        return dated(game, game.utility(s, hero), ply)
    if depth == 0:
        return clipped(game, game.evaluate(s, hero))
    mover = game.to_move(s)
    after = {action: game.result(s, action) for action in legal(game, s)}
    if mover == CHANCE:
        return sum(game.probability(s, e) * replied(game, t, depth, hero, replier, ply + 1) for e, t in after.items())
    if mover == hero:
        return max(replied(game, t, depth - 1, hero, None, ply + 1) for t in after.values())
    usual = game.null(s) if game.allows_null(s) else after[max(after, key=lambda action: promise(game, s, action))]
    if replier not in (None, mover):
        return replied(game, usual, depth, hero, replier, ply + 1)
    values = [replied(game, t, depth - 1, hero, mover, ply + 1) for t in after.values()]
    if replier is None and game.players > 2 and game.to_move(usual) not in (hero, mover):
        values.append(replied(game, usual, depth, hero, None, ply + 1))
    return min(values)
