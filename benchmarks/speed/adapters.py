"""Steps per second of environments for learners: ours beside OpenSpiel's and pgx's, with random legal actions, in one
run.

A step of the vector environments plays 1,024 games. In single environments, a step plays the action of one player and
shows the next one what they see and their legal actions; with a seat, it also plays the random opponent's answer.
Choosing the learner's actions does not count: they are drawn in advance, and replayed from the same seed. Each side has
its own rules, so only rates are compared.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import numpy as np

from benchmarks import openspiel
from benchmarks.measure import Comparison, Outcome, Skipped

NAME = "adapters"
GAMES = 1024
STEPS = 2000


class Event(NamedTuple):
    """A game by its name on each side."""

    ours: str
    openspiel: str
    pgx: str


EVENTS = [
    Event("connect-four", "connect_four", "connect_four"),
    Event("othello", "othello", "othello"),
    Event("go", "go(board_size=9)", "go_9x9"),
    Event("backgammon", "backgammon", "backgammon"),
]


def run(quick: bool) -> Iterator[Outcome]:
    """Single environments against both, then the vector environment against pgx."""
    turns = 2 if quick else 15
    for event in EVENTS:
        ours = aec(event.ours)
        if openspiel.pyspiel is None:
            yield Skipped(NAME, f"{event.ours}, single steps", "OpenSpiel", openspiel.MISSING)
        else:
            yield compare(f"{event.ours}, single steps", "OpenSpiel", ours, rl_environment(event.openspiel), turns, 5.0)
            yield compare(f"{event.ours}, a seat", "OpenSpiel", seat(event.ours), rl_seat(event.openspiel), turns, 5.0)
        try:
            importlib.import_module("pgx")
        except ImportError:
            yield Skipped(NAME, f"{event.ours}, {GAMES} games", "pgx", "pgx is not installed (pip install pgx jax)")
            continue
        yield compare(f"{event.ours}, single steps", "pgx", ours, pgx_steps(event.pgx, 1), turns, 5.0)
        yield compare(
            f"{event.ours}, {GAMES} games a step", "pgx", vector(event.ours), pgx_steps(event.pgx, GAMES), turns, 10.0
        )


Rate = Callable[[], float]
"""Steps per second of CPU time, over a short while."""


def compare(work: str, peer: str, ours: Rate, theirs: Rate, turns: int, target: float) -> Outcome:
    """Both sides in alternation, the best turn of each."""
    pairs = [(ours(), theirs()) for _ in range(turns)]
    rate, their_rate = max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)
    return Comparison(NAME, work, "steps/s", rate, peer, their_rate, target)


def aec(spec: str) -> Rate:
    """Our PettingZoo environment."""
    from counterplay.adapters.environments import pettingzoo_env

    env, rng, actions = pettingzoo_env(spec), Random(0), []
    env.reset(seed=0)
    while len(actions) < STEPS:
        observation, _, terminated, truncated, _ = env.last()
        legal = observation["action_mask"].nonzero()[0].tolist()
        actions.append(None if terminated or truncated else legal[int(rng.random() * len(legal))])
        if actions[-1] is None:
            env.reset()
        else:
            env.step(actions[-1])

    def rate() -> float:
        env.reset(seed=0)
        begun = time.process_time()
        for action in actions:
            env.last()
            if action is None:
                env.reset()
            else:
                env.step(action)
        return STEPS / (time.process_time() - begun)

    return rate


def rl_environment(name: str) -> Rate:
    """OpenSpiel's own environment for learners."""
    environments = importlib.import_module("open_spiel.python.rl_environment")
    env, rng, actions = environments.Environment(name), Random(0), []
    env.seed(0)
    seen = env.reset()
    while len(actions) < STEPS:
        actions.append(None if seen.last() else [drawn(seen, rng)])
        seen = env.reset() if seen.last() else env.step(actions[-1])

    def rate() -> float:
        env.seed(0)
        env.reset()
        begun = time.process_time()
        for action in actions:
            if action is None:
                env.reset()
            else:
                env.step(action)
        return STEPS / (time.process_time() - begun)

    return rate


def drawn(seen: Any, rng: Random) -> int:
    """A legal action of the player to move, as OpenSpiel lists them."""
    legal = seen.observations["legal_actions"][seen.observations["current_player"]]
    return legal[int(rng.random() * len(legal))]


def seat(spec: str) -> Rate:
    """Our Gymnasium environment: the first seat against random play."""
    from counterplay.adapters.environments import gymnasium_env

    env, rng, actions = gymnasium_env(spec), Random(0), []
    _, info = env.reset(seed=0)
    over = False
    while len(actions) < STEPS:
        if over:
            actions.append(None)
            _, info = env.reset()
            over = False
        else:
            legal = info["action_mask"].nonzero()[0].tolist()
            actions.append(legal[int(rng.random() * len(legal))])
            _, _, terminated, truncated, info = env.step(actions[-1])
            over = terminated or truncated

    def rate() -> float:
        env.reset(seed=0)
        begun = time.process_time()
        for action in actions:
            if action is None:
                env.reset()
            else:
                env.step(action)
        return STEPS / (time.process_time() - begun)

    return rate


def rl_seat(name: str) -> Rate:
    """The same seat in OpenSpiel's environment, which leaves the opponent to its user."""
    environments = importlib.import_module("open_spiel.python.rl_environment")
    env, rng, opponent = environments.Environment(name), Random(0), Random(1)

    def answered(seen: Any) -> Any:
        while not seen.last() and seen.observations["current_player"] != 0:
            seen = env.step([drawn(seen, opponent)])
        return seen

    env.seed(0)
    seen, actions = answered(env.reset()), []
    while len(actions) < STEPS:
        actions.append(None if seen.last() else [drawn(seen, rng)])
        seen = answered(env.reset() if seen.last() else env.step(actions[-1]))

    def rate() -> float:
        env.seed(0)
        opponent.seed(1)
        answered(env.reset())
        begun = time.process_time()
        for action in actions:
            answered(env.reset() if action is None else env.step(action))
        return STEPS / (time.process_time() - begun)

    return rate


def vector(spec: str) -> Rate:
    """Our vector environment."""
    from counterplay.adapters.environments import vector_env

    env, rng = vector_env(spec, GAMES), np.random.default_rng(0)
    seen = env.reset()

    def rate(steps: int = 60) -> float:
        spent = 0.0
        for _ in range(steps):
            actions = (seen.mask * rng.random(seen.mask.shape, dtype=np.float32)).argmax(axis=1)
            begun = time.process_time()
            env.step(actions)
            spent += time.process_time() - begun
        return steps * GAMES / spent

    rate(30)
    return rate


def pgx_steps(name: str, games: int) -> Rate:
    """pgx, compiled by JAX for the CPU; finished games start again."""
    jax, pgx = importlib.import_module("jax"), importlib.import_module("pgx")
    env = pgx.make(name)
    again = importlib.import_module("pgx.experimental").auto_reset(env.step, env.init)
    step = jax.jit(jax.vmap(again))
    choose = jax.jit(lambda key, mask: jax.random.categorical(key, jax.numpy.where(mask, 0.0, -1e9), axis=-1))
    held: dict[str, Any] = {"key": jax.random.PRNGKey(0)}
    keys = jax.random.split(held["key"], games)
    held["state"] = jax.jit(jax.vmap(env.init))(keys)

    def rate(steps: int = 20 if games > 1 else 200) -> float:
        spent = 0.0
        for _ in range(steps):
            held["key"], key = jax.random.split(held["key"])
            actions = jax.block_until_ready(choose(key, held["state"].legal_action_mask))
            begun = time.process_time()
            held["state"] = jax.block_until_ready(step(held["state"], actions, keys))
            spent += time.process_time() - begun
        return steps * games / spent

    rate(3)
    return rate
