"""Continual re-solving with the shipped networks: what it concedes to best responses, duplicate hands against the
equilibrium, and the time of an action.

The re-solver is asked at every public state, so its whole strategy is known: the best responses are exact, and a
hundred thousand hands are played quickly. In duplicate hands, each deal is played twice, once from each seat.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.measure import Duration, Mean, Outcome
from counterplay.api.exploit_player import asked_everywhere
from counterplay.core.game import CHANCE, Game
from counterplay.core.registry import load
from counterplay.core.rules import legal
from counterplay.equilibrium.public_training import PublicLearner
from counterplay.equilibrium.vector_cfr import PublicWalker
from counterplay.players.resolving import Resolve

NAME = "resolving"
ITERATIONS = 250
"""Iterations at each decision, as in the machine `deepstack`."""
HANDS = 100_000
CONCEDED = 0.03
"""The maximum chips per hand that a best response may win."""
LEVEL = -0.02
"""Chips per hand that count as no difference, given the luck left in this many duplicate hands."""
SECONDS = 0.05
OTHERS = (("rhode-island", "rhode-island"), ("liars-dice:sides=4", "liars-dice-4"))
"""Further games, and the shipped networks for them."""
EQUILIBRIUM = 2000
"""Iterations of CFR+ for the opponent."""
Table = dict[tuple[Any, int], tuple[list[int], np.ndarray]]
"""The actions and their cumulative probabilities, by public state and hand."""


def run(quick: bool) -> Iterator[Outcome]:
    """Leduc poker, then the other games that have networks."""
    game, iterations = load("leduc-poker"), 20 if quick else ITERATIONS
    yield action(game, iterations, 3 if quick else 30)
    spec = f"resolve:net=leduc-poker,iterations={iterations}"
    resolved = asked_everywhere(game, spec, folded=False)
    yield conceded(game.spec, resolved)
    learner = PublicLearner(game, resolved.tree, "cfr+")
    learner.run(20 if quick else EQUILIBRIUM)
    ours, theirs = table(resolved, resolved.learned.sums), table(resolved, learner.regrets.sums)
    hands = 1000 if quick else HANDS
    won = duplicate(game, ours, theirs, hands)
    work, peer = f"leduc-poker, {hands:,} duplicate hands", f"CFR+, {learner.count:,} iterations"
    yield Mean(NAME, work, peer, "chips a hand", float(won.mean()), float(won.std() / len(won) ** 0.5), LEVEL)
    for spec, net in OTHERS:
        yield conceded(spec, asked_everywhere(load(spec), f"resolve:net={net},iterations={iterations}"))


def conceded(name: str, followed: Any) -> Outcome:
    """The winnings of best responses."""
    found = PublicWalker(followed.tree, followed.learned).evaluate()
    return Mean(
        NAME, f"{name}, what it concedes", "best responses", "chips a hand", -found.exploitability, 0.0, -CONCEDED
    )


def action(game: Game, iterations: int, hands: int) -> Outcome:
    """The time of a decision in a new situation, on average over the hands of random opponents."""
    rng, spent, cpu, decisions = np.random.default_rng(1), 0.0, 0.0, 0
    for hand in range(hands + 1):  # the first compiles
        player, p = Resolve(iterations=iterations, net="leduc-poker"), game.start()
        player.require(game)
        while not p.is_over:
            if p.to_move == hand % 2:
                started, begun = time.perf_counter(), time.process_time()
                chosen = player.think(p).action
                if hand:
                    spent, cpu = spent + time.perf_counter() - started, cpu + time.process_time() - begun
                    decisions += 1
            else:
                chosen = int(rng.choice(p.options()))
            p = p.play(chosen)
    return Duration(
        NAME, f"leduc-poker, an action, {iterations} iterations", spent / decisions, cpu / decisions, SECONDS
    )


def table(followed: Any, sums: np.ndarray) -> Table:
    """A strategy by public state and hand."""
    found: Table = {}
    for node, s in followed.states.items():
        tree = followed.tree
        row, start, count = int(tree.row[node]), int(tree.start[node]), int(tree.width[node])
        parts = sums[row : row + count].astype(np.float64)
        totals = parts.sum(axis=0)
        mixed = np.where(totals > 0, parts / np.where(totals > 0, totals, 1.0), 1.0 / count)
        actions = tree.action[start : start + count].tolist()
        for hand in range(tree.hands):
            found[followed.game.public(s), int(tree.hand[hand])] = actions, np.cumsum(mixed[:, hand])
    return found


def duplicate(game: Game, ours: Table, theirs: Table, hands: int) -> np.ndarray:
    """[pairs of hands] our average winnings per hand of each pair."""
    rng = np.random.default_rng(7)
    won = np.zeros(hands // 2)
    for pair in range(len(won)):
        cards, drawn = rng.permutation(game.private_hands) + 1, rng.random((2, 16))
        for seat in range(2):
            won[pair] += played(game, (ours, theirs) if seat == 0 else (theirs, ours), cards, drawn[seat], seat) / 2
    return won


def played(game: Game, seats: tuple[Table, Table], cards: np.ndarray, drawn: np.ndarray, seat: int) -> float:
    """The winnings of `seat` in one hand."""
    s, turn, dealt = game.initial(), 0, 0
    while not game.is_terminal(s):
        mover = int(game.to_move(s))
        if mover == CHANCE:
            chosen, dealt = int(cards[dealt]), dealt + 1
            assert chosen in legal(game, s)
        else:
            actions, upto = seats[mover][game.public(s), int(game.hand_of(s, mover))]
            chosen = actions[min(int(np.searchsorted(upto, drawn[turn], side="right")), len(actions) - 1)]
            turn += 1
        s = game.result(s, chosen)
    return float(game.utility(s, seat))
