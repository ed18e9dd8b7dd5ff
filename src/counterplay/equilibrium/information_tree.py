"""A game with secrets as flat arrays of information sets and leaves: what every exact method works on.

A player's *information set* is all states that they cannot tell apart; their *sequence* at a state is the last
information set in which they acted and their action there (0 to players - 1 are the empty sequences). With perfect
recall, the same sequence leads to all states of an information set (Kuhn 1953), so a strategy is a plan: for each
sequence, the product of its probabilities (von Stengel 1996). A leaf's weight is then its chance times one number of
each player's plan, and a pass over the game is a loop over its leaves and a loop over its information sets, parents
before children; the states in between are not kept.

The tree is walked once, depth first, by a compiled kernel, in time and memory linear in the number of histories.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from counterplay.core.errors import BrokenGame, Unsuitable
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import words
from counterplay.core.language.workspace import Workspace, i64
from counterplay.core.rules import legal

MOST_HISTORIES = 50_000_000
"""A larger tree is refused: about 2 GB."""
MOST_PLIES = 10_000

DONE, FOUND, TOO_LARGE, ENDLESS, STUCK, FORGETS, DIFFERS = range(7)
"""How a walk ended: completed, at the history asked for, or with an error."""


class TooLarge(Unsuitable):
    """A tree that is too large to hold."""


class InformationTree(Workspace):
    """The arrays. Information sets of one player are contiguous, parents before children."""

    sets: i64  # information sets
    sequences: i64  # including the empty ones
    leaves: i64  # terminal histories
    histories: i64  # including chance and terminal ones

    def __init__(self, players: int, walk: Walk) -> None:
        order = np.argsort(walk.owner, kind="stable")
        widths = (walk.start[1:] - walk.start[:-1])[order]
        starts = players + np.append(0, np.cumsum(widths))
        renamed = np.arange(players + len(walk.actions))  # [old sequences] -> new
        old = np.repeat(walk.start[:-1][order] - (starts[:-1] - players), widths) + np.arange(widths.sum())
        renamed[old] = players + np.arange(len(old))
        self.players = players
        self.owner = walk.owner[order].astype(np.int64)  # [sets]
        self.start = starts.astype(np.int64)  # [sets + 1] the sequence of the first action; the others follow it
        self.arrival = renamed[walk.arrival[order]]  # [sets] the owner's sequence that leads here
        self.first = np.searchsorted(self.owner, np.arange(players + 1)).astype(
            np.int64
        )  # [players + 1] their first set
        self.actions = walk.actions[old - players]  # [sequences - players]
        self.reached = np.ascontiguousarray(renamed[walk.reached].astype(np.int32).reshape(-1, players).T).ravel()
        self.payoffs = np.ascontiguousarray(walk.payoffs.reshape(-1, players).T).ravel()
        self.sets, self.sequences = len(order), int(starts[-1])
        self.leaves, self.histories = len(walk.payoffs) // players, int(walk.nodes)
        self.keys = np.ascontiguousarray(walk.keys.reshape(len(order), -1)[order]).ravel()  # [sets, words]
        self.buckets = np.ascontiguousarray(
            walk.buckets.reshape(len(order), -1)[order]
        ).ravel()  # [sets, words], or empty
        self.nodes = walk.first_nodes[order]  # [sets] the first history that reached it

    def key_words(self) -> np.ndarray:
        """[sets, words]: what the owner knows in each set."""
        return self.keys.reshape(self.sets, -1)

    def bucket_words(self) -> np.ndarray:
        """[sets, words]: the bucket, if the game has an abstraction."""
        return self.buckets.reshape(self.sets, -1)


class Walk(NamedTuple):
    """The result of a walk through a game."""

    status: int
    node: int  # the history where it ended
    other: int  # the history that it contradicts
    nodes: int
    owner: np.ndarray  # [sets]
    start: np.ndarray  # [sets + 1]
    arrival: np.ndarray  # [sets]
    first_nodes: np.ndarray  # [sets]
    actions: np.ndarray  # [sequences - players]
    keys: np.ndarray  # [sets * words]
    buckets: np.ndarray  # [sets * words], empty if the game has no abstraction
    reached: np.ndarray  # [leaves * players]
    payoffs: np.ndarray  # [leaves * players] times the chance of the leaf


def information_tree(game: Game, most: int = MOST_HISTORIES) -> InformationTree:
    """The information sets and leaves of `game`; refused if it is too large, or a player forgets something."""
    require_secrets(game)
    if is_far_larger(game, most):
        raise too_large(game, most)
    path = np.zeros(MOST_PLIES, np.int64)
    walk = Walk(*unroll(game, game.initial(), cast(ActionStack, action_stack(game)), path, most, -1))
    if walk.status != DONE:
        raise refusal(game, walk, most)
    return InformationTree(game.players, walk)


PROBES, FAR = 100, 1000
"""This many random histories decide whether a tree is this many times larger than can be held."""


def is_far_larger(game: Game, most: int) -> bool:
    """Whether random histories show that the tree is far too large, so that the walk, which would take minutes and
    gigabytes to find out, need not begin. A tree that can be held is refused in at most 1 of FAR cases (Markov's
    inequality)."""
    return estimated_histories(game, FAR * most) > FAR * most


def estimated_histories(game: Game, enough: float = float("inf")) -> float:
    """A rough count of the histories; it stops once it reaches `enough`. The product of the numbers of actions along a
    random history is right on average (Knuth 1975)."""
    rng, total = Rng(1), 0
    for _ in range(PROBES):
        s, size = game.initial(), 1
        for _ in range(MOST_PLIES):
            options = legal(game, s)
            if not options or size > PROBES * enough:
                break
            size *= len(options)
            s = game.result(s, options[rng.below(len(options))])
        total += size
        if total > PROBES * enough:
            break
    return total / PROBES


def too_large(game: Game, most: int) -> TooLarge:
    """The refusal of a tree with too many histories."""
    return TooLarge(
        f"{game.spec} has more than {most:,} histories; `mccfr` and `mccfr-outcome` sample instead of storing them all"
    )


def require_secrets(game: Game) -> None:
    """Refuse games that have no use for information sets."""
    if not game.has_secrets:
        raise Unsuitable(f"{game.spec} hides nothing: `counterplay search` plays open games, by alphabeta or maxn")
    if game.has_repetition:
        raise Unsuitable(f"{game.spec} has a repetition rule, which trees of information sets do not support")


def refusal(game: Game, walk: Walk, most: int) -> Unsuitable | BrokenGame:
    """What is wrong, in a sentence with the histories that show it."""
    if walk.status == TOO_LARGE:
        return too_large(game, most)
    here = history_text(game, walk.node)
    if walk.status == ENDLESS:
        return Unsuitable(f"{game.spec} does not end within {MOST_PLIES:,} plies")
    if walk.status == STUCK:
        return BrokenGame(f"{game.spec} has no actions after {here}, and is not over")
    there = history_text(game, walk.other)
    if walk.status == FORGETS:
        return Unsuitable(
            f"{game.spec} lacks perfect recall: after {there} and after {here} the player to move knows the same, but got "
            "there by different actions or knowledge of their own"
        )
    return BrokenGame(
        f"{game.spec}: after {there} and after {here} the player to move knows the same, but has different actions"
    )


def history_of(game: Game, node: int) -> list[int]:
    """The actions and events that lead to the n-th history of the walk."""
    path = np.zeros(MOST_PLIES, np.int64)
    walk = Walk(*unroll(game, game.initial(), cast(ActionStack, action_stack(game)), path, node, node))
    assert walk.status == FOUND
    return [int(action) for action in path[: walk.node]]


def history_text(game: Game, node: int) -> str:
    """The same, as text."""
    s, texts = game.initial(), []
    for action in history_of(game, node):
        texts.append(game.action_text(s, action))
        s = game.result(s, action)
    return f"'{' '.join(texts)}'" if texts else "the start"


@kernel
def unroll(game: Game, root: Any, out: ActionStack, path: np.ndarray, most: int, wanted: int) -> Any:
    """Walk through all histories, depth first, up to `most`; the fields of a `Walk`.

    If `wanted` is a history's number, the walk ends there: its actions are in `path`, and `node` is how many there are.
    """
    players = game.players
    nodes, node, status, other, sequence = 0, 0, DONE, 0, players
    states, weights, plies, taken = [root], [1.0], [0], [0]
    marks = list(range(players))  # for each waiting state the players' sequences
    last = np.zeros(players, np.int64)
    sets = {(0,) + words(game.information(root, 0)): 0}  # noqa: RUF005 (compiled code adds tuples)
    sets.clear()
    owner, start, arrival, first_nodes, actions, keys, buckets, reached = [0], [players], [0], [0], [0], [0], [0], [0]
    payoffs = [0.0]
    for numbers in (owner, arrival, first_nodes, actions, keys, buckets, reached):
        numbers.clear()
    payoffs.clear()
    while len(states) > 0:
        s, weight, ply, action = states.pop(), weights.pop(), plies.pop(), taken.pop()
        for i in range(players):
            last[players - 1 - i] = marks.pop()
        if ply > 0:
            path[ply - 1] = action
        nodes += 1
        if nodes == wanted:
            status, node, other = FOUND, ply, 0
            break
        if nodes > most or ply >= len(path):
            status = TOO_LARGE if nodes > most else ENDLESS
            break
        if game.is_terminal(s):
            for player in range(players):
                reached.append(last[player])
                payoffs.append(weight * game.utility(s, player))
            continue
        mover = game.to_move(s)
        if game.has_chance and mover == CHANCE:
            game.chance(s, out.fresh())
        else:
            game.actions(s, out.fresh())
            key = words(game.information(s, mover))
            full = (mover,) + key  # noqa: RUF005
            if full not in sets:
                sets[full] = len(owner)
                owner.append(mover)
                arrival.append(last[mover])
                first_nodes.append(nodes)
                append_all(keys, key)
                if game.has_buckets:
                    append_all(buckets, words(game.bucket(s, mover)))
                append_all(actions, out)
                start.append(start[-1] + len(out))
            known = sets[full]
            sequence = start[known]
            other = first_nodes[known]
            status = compare(
                out, actions, sequence - players, start[known + 1] - sequence, arrival[known] - last[mover]
            )
        if len(out) == 0:
            status = STUCK
        if status != DONE:
            break
        for i in range(len(out) - 1, -1, -1):
            chance = 1.0
            if game.has_chance and mover == CHANCE:
                chance = game.probability(s, out[i])
            if chance > 0:
                states.append(game.result(s, out[i]))
                weights.append(weight * chance)
                plies.append(ply + 1)
                taken.append(out[i])
                for player in range(players):
                    marks.append(sequence + i if player == mover else last[player])  # noqa: PERF401
        out.truncate(0)
    out.truncate(0)
    node = node if status == FOUND else nodes
    return walked(
        status, node, other, nodes, owner, start, arrival, first_nodes, actions, keys, buckets, reached, payoffs
    )


def append_all(numbers: list[int], more: Sequence[int] | ActionStack) -> None:
    """Append the numbers of a tuple or of a list of actions."""
    for i in range(len(more)):
        numbers.append(more[i])  # noqa: PERF401 (compiled code extends by no tuple)


def compare(out: ActionStack, actions: list[int], start: int, count: int, apart: int) -> int:
    """Whether a state belongs in its information set: the same actions, and reached by the same own sequence."""
    if apart != 0:
        return FORGETS
    if len(out) != count:
        return DIFFERS
    for i in range(count):
        if out[i] != actions[start + i]:
            return DIFFERS
    return DONE


def walked(
    status: int,
    node: int,
    other: int,
    nodes: int,
    owner: list[int],
    start: list[int],
    arrival: list[int],
    first_nodes: list[int],
    actions: list[int],
    keys: list[int],
    buckets: list[int],
    reached: list[int],
    payoffs: list[float],
) -> Any:
    """The lists of a walk as arrays."""
    return (
        status,
        node,
        other,
        nodes,
        np.array(owner, np.int64),
        np.array(start, np.int64),
        np.array(arrival, np.int64),
        np.array(first_nodes, np.int64),
        np.array(actions, np.int64),
        np.array(keys, np.int64),
        np.array(buckets, np.int64),
        np.array(reached, np.int64),
        np.array(payoffs, np.float64),
    )
