"""Steps a second of environments for learners: ours beside OpenSpiel's and pgx's, random legal actions, in one run.

A step of the vector environments plays 1,024 games; choosing the actions does not count. Single environments are stepped
as a learner does it: look at the mask, choose, step. Each side plays by rules of its own, so only rates are compared.
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


class Event(NamedTuple):
    """A game by each side's name."""

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
    turns = 2 if quick else 5
    for event in EVENTS:
        ours = aec(event.ours)
        if openspiel.pyspiel is None:
            yield Skipped(NAME, f"{event.ours}, single steps", "OpenSpiel", openspiel.MISSING)
        else:
            yield compare(f"{event.ours}, single steps", "OpenSpiel", ours, rl_environment(event.openspiel), turns, 5.0)
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
"""Steps a second of CPU time, over a short while."""


def compare(work: str, peer: str, ours: Rate, theirs: Rate, turns: int, target: float) -> Outcome:
    """Both sides in alternation, the best of each."""
    pairs = [(ours(), theirs()) for _ in range(turns)]
    rate, their_rate = max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)
    return Comparison(NAME, work, "steps/s", rate, peer, their_rate, target)


def aec(spec: str) -> Rate:
    """Our PettingZoo environment."""
    from counterplay.adapters.environments import pettingzoo_env

    env, rng = pettingzoo_env(spec), Random(0)
    env.reset(seed=0)

    def rate(steps: int = 3000) -> float:
        begun = time.process_time()
        for _ in range(steps):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[int(rng.random() * len(legal))])
        return steps / (time.process_time() - begun)

    rate(50)
    return rate


def rl_environment(name: str) -> Rate:
    """OpenSpiel's own environment for learners."""
    environments = importlib.import_module("open_spiel.python.rl_environment")
    env, rng = environments.Environment(name), Random(0)

    def rate(steps: int = 1500) -> float:
        seen = env.reset()
        begun = time.process_time()
        for _ in range(steps):
            if seen.last():
                seen = env.reset()
                continue
            legal = seen.observations["legal_actions"][seen.observations["current_player"]]
            seen = env.step([legal[int(rng.random() * len(legal))]])
        return steps / (time.process_time() - begun)

    rate(50)
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
    """pgx, compiled by JAX for the processor; games that end begin again."""
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
