"""The topics, in the order of a course, and exercises drawn from them: the same seed and number, the same exercise."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.options import nearest
from counterplay.teaching import table_topics, tree_topics
from counterplay.teaching.exercise import Exercise

MOST = 40
"""The maximum number of exercises on one sheet."""
MOST_ATTEMPTS = 5_000
MOST_SEED = 10**9
Draw = Callable[[Random, int, int], Exercise | None]


class Topic(NamedTuple):
    """A topic to practise."""

    name: str
    title: str
    about: str  # in a sentence
    draw: Draw  # an exercise, or None if the draw was poor


TOPICS = {
    topic.name: topic
    for topic in (
        Topic("minimax", "Minimax", "Back up the values of a tree.", tree_topics.minimax),
        Topic("alpha-beta", "Alpha-beta", "Pick the leaves that are pruned.", tree_topics.alpha_beta),
        Topic("windows", "Windows", "Write alpha and beta at a node.", tree_topics.windows),
        Topic("ordering", "Move ordering", "Order the moves so that the most is pruned.", tree_topics.ordering),
        Topic("chance", "Chance", "The value of a tree with dice.", tree_topics.chance),
        Topic("uct", "UCT", "Which child is visited next, and why.", table_topics.uct),
        Topic("cfr", "Regret minimization", "One iteration: regrets and the next strategy.", table_topics.cfr),
        Topic("equilibrium", "Mixed equilibrium", "Probabilities and value of a 2x2 game.", table_topics.equilibrium),
        Topic("nim", "Nim", "The nim-sum and the winning move.", table_topics.nim),
    )
}


def topic_named(name: str) -> Topic:
    """A topic by name, or an error that lists them."""
    if name not in TOPICS:
        near = nearest(name, TOPICS)
        meant = f"; did you mean {near[0]}?" if near else f"; topics are {', '.join(TOPICS)}"
        raise CounterplayError(f"there is no topic {name[:40]!r}{meant}")
    return TOPICS[name]


def exercises_of(name: str, count: int, seed: int) -> list[Exercise]:
    """`count` exercises on a topic, no two alike."""
    topic = topic_named(name)
    if not 1 <= count <= MOST:
        raise CounterplayError(f"a sheet has from 1 to {MOST} exercises, not {count}")
    if not 0 <= seed <= MOST_SEED:
        raise CounterplayError(f"a seed is a whole number from 0 to {MOST_SEED:,}, not {seed}")
    found: list[Exercise] = []
    for number in range(count):
        found.append(drawn(topic, seed, number, found))
    return found


def drawn(topic: Topic, seed: int, number: int, earlier: list[Exercise]) -> Exercise:
    """An exercise that is good enough and unlike the earlier ones."""
    rng = Random(f"{topic.name} {seed} {number}")
    for _ in range(MOST_ATTEMPTS):
        exercise = topic.draw(rng, seed, number)
        if exercise is not None and all(exercise.figure != each.figure for each in earlier):
            return exercise
    raise AssertionError(f"no exercise of {topic.name} in {MOST_ATTEMPTS} attempts")
