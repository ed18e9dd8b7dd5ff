"""Exercises about trees: minimax, alpha-beta, windows, ordering, chance. Every answer is read from a recorded search."""

from __future__ import annotations

from itertools import permutations
from random import Random

from counterplay.core.game import CHANCE
from counterplay.search.tracing.history import INFINITY, History, Visit
from counterplay.search.tracing.sentences import Narrator, counted, listed
from counterplay.teaching.exercise import Blank, Exercise
from counterplay.teaching.lettered_tree import LetteredTree, Lists, grown
from counterplay.teaching.numbers import factor, fraction, written

MINIMAX, ALPHA_BETA = "minimax:depth=4", "plain-alphabeta:depth=4"
EXPECTED = "expectiminimax:depth=4,prune=none,table=off"
ODDS = ((0.5, 0.5), (0.4, 0.6), (0.7, 0.3), (0.8, 0.2), (0.9, 0.1), (0.25, 0.75), (0.2, 0.3, 0.5), (0.5, 0.25, 0.25))
APART = 0.25
"""The minimum margin of the best move over the second in a chance tree."""
MOST_SHARE = 0.6
"""The maximum share of leaves that are pruned in an exercise."""


class SearchedTree:
    """A tree with a search of it, and the visit of each node."""

    def __init__(self, lists: Lists, spec: str) -> None:
        self.tree = LetteredTree(lists)
        self.history: History = self.tree.search(spec)
        self.spec = spec
        self.visit: dict[int, int] = {
            about.state.node: k for k, about in enumerate(self.history.visits) if not about.pruned
        }
        """By node: its visit."""

    def at(self, node: int) -> Visit:
        """The search's result at a node."""
        return self.history.visits[self.visit[node]]

    def exercise(self, about: tuple[str, int, int], question: str, blanks: list[Blank], hint: str) -> Exercise:
        """An exercise on this tree."""
        topic, seed, number = about
        figure = self.tree.figure()
        return Exercise(topic, seed, number, question, figure, tuple(blanks), hint, self.tree.watch(self.spec))


def value_text(value: float) -> str:
    """A value as an answer."""
    return written(fraction(value))


def best_child(attempt: SearchedTree) -> int:
    """The child that the search chose at the root."""
    tree = attempt.tree
    chosen = attempt.history.trace.decision["action"]
    return next(k for k in tree.children(0) if tree.names[k] == chosen)


def node_blank(attempt: SearchedTree, node: int) -> Blank:
    """The value of an inner node, with its derivation."""
    tree, value = attempt.tree, attempt.at(node).value
    below = [attempt.at(k).value for k in tree.children(node)]
    texts, who, name = [value_text(each) for each in below], tree.mover(node), tree.names[node]
    if who == "chance":
        odds = [
            f"{tree.game.chances[k]:g} × {factor(text)}" for k, text in zip(tree.children(node), texts, strict=True)
        ]
        reason = f"{name} is a chance node: {' + '.join(odds)} = {value_text(value)}."
    else:
        which = (
            ("larger" if who == "Max" else "smaller") if len(below) == 2 else "largest" if who == "Max" else "smallest"
        )
        reason = f"{who} moves at {name} and takes the {which} of {listed(texts)}: {value_text(value)}."
    return Blank(f"value-{name}", f"value of {name}", "number", (value_text(value),), reason, node=node)


def best_move_blank(attempt: SearchedTree) -> Blank:
    """Max's move at the root."""
    tree, best = attempt.tree, best_child(attempt)
    because = {
        tree.names[k]: f"{tree.names[k]} is worth {value_text(attempt.at(k).value)} to Max." for k in tree.children(0)
    }
    reason = f"Max moves to {tree.names[best]}, worth {value_text(attempt.at(best).value)}, the most at the root."
    options = tuple(tree.names[k] for k in tree.children(0))
    return Blank("move", "Max moves to", "choice", (tree.names[best],), reason, options, because)


# Minimax.


def minimax(rng: Random, seed: int, number: int) -> Exercise | None:
    """Back up the values of a tree."""
    attempt = SearchedTree(grown(rng, [(2, 3), (2,), (2, 3)]), MINIMAX)
    tree, leaves = attempt.tree, len(attempt.tree.leaves)
    top = attempt.history.visits[0].value
    most = max(attempt.at(k).value for k in tree.leaves)
    if leaves > 14 or top == most:  # otherwise the answer could be guessed
        return None
    blanks = [node_blank(attempt, k) for k in tree.inner] + [best_move_blank(attempt)]
    question = "Back up the minimax value of every inner node, from the leaves to the root. Where does Max move?"
    hint = "Work upwards: Max takes the largest value below, Min the smallest. Leaves say what Max gets."
    return attempt.exercise(("minimax", seed, number), question, blanks, hint)


# Alpha-beta.


def alpha_beta(rng: Random, seed: int, number: int) -> Exercise | None:
    """Pick the leaves that alpha-beta prunes."""
    attempt = SearchedTree(grown(rng, [(2, 3), (2, 3), (2, 3)], 0, 30), ALPHA_BETA)
    tree, history = attempt.tree, attempt.history
    seen = [k for k in tree.leaves if k in attempt.visit]
    pruned = [k for k in tree.leaves if k not in attempt.visit]
    searched = [k for k in tree.inner if k in attempt.visit and not history.pruned_children(attempt.visit[k])]
    cut = [k for k in tree.inner if k in attempt.visit and history.pruned_children(attempt.visit[k])]
    if not 10 <= len(tree.leaves) <= 16 or not 2 <= len(pruned) <= MOST_SHARE * len(tree.leaves) or not cut:
        return None
    if not any(k in searched for k in tree.inner if attempt.visit.get(k, 0) > attempt.visit[cut[0]]):
        return None  # after the first cut, some node must have none
    because = {tree.names[k]: pruned_reason(attempt, k) for k in pruned}
    because |= {tree.names[k]: seen_reason(attempt, k) for k in seen}
    options = tuple(tree.names[k] for k in tree.leaves)
    picked = " ".join(tree.names[k] for k in pruned)
    told = [f"At {tree.names[k]}: {cut_sentence(attempt, k)}" for k in cut]
    blank = Blank("pruned", "leaves that are never visited", "set", (picked,), " ".join(told), options, because)
    question = "Alpha-beta searches this tree from left to right. Which leaves does it never visit?"
    hint = "At Max's nodes alpha rises, at Min's beta falls; once alpha >= beta, the rest of the node is pruned."
    return attempt.exercise(("alpha-beta", seed, number), question, [blank], hint)


def cut_sentence(attempt: SearchedTree, node: int) -> str:
    """Why the rest of a node was pruned, in the trace's words."""
    narrator, visit = Narrator(attempt.history), attempt.visit[node]
    step = next(each for each in attempt.history.steps if each.kind == "prune" and each.visit == visit)
    return narrator.sentence(step)


def pruned_reason(attempt: SearchedTree, leaf: int) -> str:
    """Why a leaf is never visited."""
    tree, node = attempt.tree, attempt.tree.parents[leaf]
    while node not in attempt.visit:
        node = tree.parents[node]
    return f"pruned at {tree.names[node]}. {cut_sentence(attempt, node)}"


def seen_reason(attempt: SearchedTree, leaf: int) -> str:
    """Why a leaf is visited."""
    tree, above = attempt.tree, attempt.tree.parents[leaf]
    low, high = attempt.history.window(attempt.visit[above], attempt.at(leaf).entered)
    ends = f"alpha is {end_text(low)} and beta {end_text(high)}"
    return f"when its turn comes at {tree.names[above]}, {ends}, so it can still matter."


def end_text(end: float) -> str:
    """An end of a window."""
    return written(end) if abs(end) == INFINITY else value_text(end)


# Windows.


def windows(rng: Random, seed: int, number: int) -> Exercise | None:
    """Write the window that alpha-beta enters a node with."""
    attempt = SearchedTree(grown(rng, [(2, 3), (2, 3), (2, 3)], 0, 30), ALPHA_BETA)
    tree = attempt.tree
    if not 10 <= len(tree.leaves) <= 16:
        return None
    inside = [k for k in tree.inner if k and k in attempt.visit]
    both = [k for k in inside if attempt.at(k).alpha > -INFINITY and attempt.at(k).beta < INFINITY]
    one = [k for k in inside if (attempt.at(k).alpha > -INFINITY) != (attempt.at(k).beta < INFINITY)]
    if not both or not one:
        return None
    chosen = sorted((rng.choice(one), rng.choice(both)), key=tree.place)
    blanks, narrator = [], Narrator(attempt.history)
    for node in chosen:
        about, name = attempt.at(node), tree.names[node]
        step = next(each for each in attempt.history.steps if each.visit == attempt.visit[node])
        reason = narrator.sentence(step)
        for end, value in (("alpha", about.alpha), ("beta", about.beta)):
            text = end_text(value)
            blanks.append(Blank(f"{end}-{name}", f"{end} at {name}", "number", (text,), reason, node=node))
    names = listed([tree.names[k] for k in chosen])
    question = (
        "Alpha-beta searches this tree from left to right, beginning with alpha = -∞ and beta = ∞. With which window does "
        f"it enter {names}? (Write inf for ∞.)"
    )
    hint = "A node gets its parent's current window: Max's nodes have raised alpha, Min's have lowered beta."
    return attempt.exercise(("windows", seed, number), question, blanks, hint)


# Ordering.


def ordering(rng: Random, seed: int, number: int) -> Exercise | None:
    """Order the successors so that alpha-beta visits the fewest leaves."""
    lists = grown(rng, [(3,), (3,)], 1, 30)
    attempt = SearchedTree(lists, ALPHA_BETA)
    tree, top = attempt.tree, attempt.history.visits[0].value
    drawn = sum(k in attempt.visit for k in tree.leaves)
    best = best_child(attempt)
    others = [k for k in tree.children(0) if k != best]
    if drawn < 8 or any(max(leaf_values(tree, k)) < top for k in others):
        return None  # already in a good order, or no order to get wrong
    ideal = [sorted(leaf_values(tree, k)) for k in (best, *others)]
    again = SearchedTree(ideal, ALPHA_BETA)
    fewest = sum(k in again.visit for k in again.tree.leaves)
    blanks = [root_order(attempt, best), *(leaf_order(attempt, node, best, top) for node in tree.children(0))]
    as_drawn = f"As drawn, {counted(drawn)} of {counted(len(tree.leaves))} leaves are visited"
    reason = f"{as_drawn}: run it and count."
    blanks.append(Blank("drawn", "leaves visited as drawn", "number", (str(drawn),), reason))
    reason = f"All three leaves of {tree.names[best]}, then the first one of each other node: 3 + 1 + 1 = {fewest}."
    blanks.append(Blank("fewest", "leaves visited in the best order", "number", (str(fewest),), reason))
    question = (
        "Alpha-beta tries moves in the order you give. Order the moves at the root, and the leaves below each Min node, "
        "so that it visits as few leaves as possible. How many is that, and how many does it visit as drawn?"
    )
    hint = "Max's best move first, to raise alpha early; at every other Min node a leaf below alpha first."
    return attempt.exercise(("ordering", seed, number), question, blanks, hint)


def leaf_values(tree: LetteredTree, node: int) -> list[float]:
    """The values to Max of the leaves below a node."""
    return [int(tree.names[k]) for k in tree.children(node)]


def root_order(attempt: SearchedTree, best: int) -> Blank:
    """The order at the root: the best move first."""
    tree, names = attempt.tree, [attempt.tree.names[k] for k in attempt.tree.children(0)]
    first = tree.names[best]
    answers = sorted(" ".join(order) for order in permutations(names) if order[0] == first)
    reason = (
        f"{first} is Max's best move ({value_text(attempt.at(best).value)}); searched first, it cuts the others off after "
        "one leaf. Searched later, all its leaves must still be visited."
    )
    return Blank("order-A", "moves at A", "order", tuple(answers), reason, tuple(names), node=0)


def leaf_order(attempt: SearchedTree, node: int, best: int, top: float) -> Blank:
    """The order below a Min node: unless it is the best one, a leaf that refutes it first."""
    tree, name, alpha = attempt.tree, attempt.tree.names[node], value_text(top)
    names = [tree.names[k] for k in tree.children(node)]
    orders = [order for order in permutations(sorted(names, key=int)) if node == best or int(order[0]) < top]
    reason = f"With alpha {alpha}, a leaf below {alpha} cuts {name} off immediately, so it comes first."
    if node == best:
        reason = f"{name} is the best move: all its leaves are visited in any order."
    answers = tuple(" ".join(order) for order in orders)
    return Blank(f"order-{name}", f"leaves of {name}", "order", answers, reason, tuple(names), node=node)


# Chance.


def chance(rng: Random, seed: int, number: int) -> Exercise | None:
    """The value of a tree with chance nodes."""
    deep, moves = rng.random() < 0.5, rng.choice((2, 2, 3))
    odds = [list(rng.choice(ODDS)) for _ in range(moves)]
    events = sum(map(len, odds))
    values = rng.sample(range(-9, 21), 2 * events if deep else events)
    lists = [
        {
            "chance": [
                [share, [values.pop(), values.pop()] if deep else values.pop()] for share in rng.sample(each, len(each))
            ]
        }
        for each in odds
    ]
    attempt = SearchedTree(lists, EXPECTED)
    tree = attempt.tree
    worth = sorted(attempt.at(k).value for k in tree.children(0))
    likeliest = [max(tree.children(k), key=lambda c: tree.game.chances[c]) for k in tree.children(0)]
    if len(tree.leaves) > 12 or worth[-1] - worth[-2] < APART:
        return None
    tempting = max(likeliest, key=lambda k: attempt.at(k).value)
    if tree.parents[tempting] == best_child(attempt) and rng.random() < 0.7:
        return None  # mostly, the likeliest event alone would mislead
    assert all(tree.game.mover[k] == CHANCE for k in tree.children(0))
    blanks = [node_blank(attempt, k) for k in tree.inner if tree.mover(k) != "Min"] + [best_move_blank(attempt)]
    question = "What is each chance node worth, what is the root worth, and where does Max move?"
    hint = "A chance node is worth the average of the values below, each weighted by its probability."
    return attempt.exercise(("chance", seed, number), question, blanks, hint)
