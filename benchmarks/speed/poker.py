"""Poker: hands evaluated, beside another project's evaluator in C, and a river solved."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.measure import Comparison, Differs, Duration, Outcome, Skipped, Turn, race, turn
from counterplay.core.language.bits import bit
from counterplay.core.language.kernel import kernel
from counterplay.core.language.wide import u64
from counterplay.core.registry import load
from counterplay.equilibrium.ranges import read_ranges
from counterplay.equilibrium.subgame import CLOSE, METHOD, Subgame
from counterplay.equilibrium.training import PolicyTraining
from counterplay.games.poker_hands import RANKS, hand_strength

NAME = "poker"
PEER = "phevaluator (C)"
RIVER = "?? ?? pot:60 Ks Td 7h 7c 2s"
SECONDS = 5.0
MANY, IN_TIME = 20_000_000, 1.0
"""The number of hands for one core to evaluate, and the seconds for it."""


def run(quick: bool) -> Iterator[Outcome]:
    """Hands of seven cards, then a river."""
    yield from seven_cards(20_000 if quick else 200_000, 1 if quick else 5)
    yield river()


def random_hands(count: int) -> np.ndarray:
    """[count, 7] different cards."""
    rng = np.random.default_rng(1)
    return np.argsort(rng.random((count, 52)), axis=1)[:, :7].astype(np.int64)


@kernel
def judge_all(hands: Any) -> int:
    """The sum of the strengths of all hands."""
    total = 0
    for i in range(len(hands)):
        cards = u64(0)
        for j in range(hands.shape[1]):
            cards |= bit(hands[i, j])
        total += hand_strength(cards)
    return total


def seven_cards(count: int, turns: int) -> Iterator[Outcome]:
    """Hands of seven random cards; the peer is called from Python, hand by hand, as intended by its authors."""
    hands = random_hands(count)
    judge_all(hands)
    ours = turn(lambda: judge_all(hands))
    whole = MANY / count * min(ours() for _ in range(turns))
    yield Duration(NAME, f"{MANY:,} hands of seven cards judged", whole, whole, IN_TIME)
    yield beside_peer(hands, ours, turns)


def beside_peer(hands: np.ndarray, ours: Turn, turns: int) -> Outcome:
    """Hands per second of both."""
    work, count = "hands of seven cards judged", len(hands)
    try:
        from phevaluator import evaluate_cards
    except ImportError:
        return Skipped(NAME, work, PEER, "phevaluator is not installed (pip install phevaluator)")
    theirs = [[their_card(card) for card in hand] for hand in hands[: count // 100].tolist()]
    strengths = [hand_strength(u64(sum(1 << card for card in hand))) for hand in hands[: count // 100].tolist()]
    ranks = [evaluate_cards(*hand) for hand in theirs]  # the strongest is 1
    if any((a > b) != (x < y) for a, b, x, y in zip(strengths, strengths[1:], ranks, ranks[1:], strict=False)):
        return Differs(NAME, work, PEER, "the two do not order hands alike")
    seconds, their_seconds = race(ours, turn(lambda: [evaluate_cards(*hand) for hand in theirs]), turns)
    return Comparison(NAME, work, "hands/s", count / seconds, PEER, len(theirs) / their_seconds, None)


def their_card(card: int) -> int:
    """The number of a card there: four times the rank, plus the suit (clubs first)."""
    return 4 * (card % len(RANKS)) + 3 - card // len(RANKS)


def river() -> Outcome:
    """A river with all 1,326 hands on both sides, three sizes of bets and all-in, to 0.3% of the pot."""
    game = load("texas-holdem")
    subgame = Subgame(game, game.parse_position(RIVER), read_ranges(game, ""), METHOD)
    subgame.learner.run(0)
    training = PolicyTraining(subgame.learner, None)
    started, cpu = time.perf_counter(), time.process_time()
    training.run(exploitability=CLOSE * subgame.pot)
    work = f"a river solved, {subgame.learner.count} iterations"
    return Duration(NAME, work, time.perf_counter() - started, time.process_time() - cpu, SECONDS)
