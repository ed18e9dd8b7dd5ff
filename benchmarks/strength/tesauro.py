"""Tesauro's table: networks of one shape that learned backgammon from an expert's plays, and from self-play.

The inputs are his (raw: the positions of the checkers), with 40 and 80 hidden units. Neurogammon's networks prefer the
plays that an expert preferred; TD-Gammon's learned by temporal differences. Each plays each of the others, and GNU
Backgammon as in `backgammon.py`. Nobody looks ahead, and there is no cube.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import combinations
from typing import Any, cast

from benchmarks.measure import Mean, Outcome, Skipped
from benchmarks.strength.backgammon import ask
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.rng import Rng
from counterplay.core.registry import load
from counterplay.evaluation.judged import encoded
from counterplay.evaluation.model import find_model
from counterplay.learning.heads import Head, new_head
from counterplay.learning.td_lambda import Diary, duel

NAME = "tesauro"
MODELS = ("neurogammon-40", "neurogammon", "td-gammon-40", "td-gammon")
GAMES, GAMES_OF_GNU, SECONDS, PROGRAMS = 4000, 200, 600.0, 8


def run(quick: bool) -> Iterator[Outcome]:
    """The pairs, then GNU Backgammon."""
    games = 40 if quick else GAMES
    for one, other in combinations(MODELS, 2):
        mean, error = pair(one, other, games)
        yield Mean(NAME, f"{one}, {games:,} games", other, "points a game", mean, error, None)
    program = shutil.which("gnubg", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
    for model in MODELS:
        if program is None:
            yield Skipped(NAME, model, "GNU Backgammon", "gnubg is not installed")
            continue
        found = ask(program, model, 1, *((4, 60.0, 1) if quick else (GAMES_OF_GNU, SECONDS, PROGRAMS)))
        for name, unit in (("points", "points a game"), ("lost", "millipoints a play")):
            values = found[name]
            mean = sum(values) / len(values)
            error = (sum((each - mean) ** 2 for each in values) ** 0.5) / len(values)
            what = "plays" if name == "lost" else "games"
            yield Mean(NAME, f"{model}, {len(values):,} {what}", "GNU Backgammon, 0-ply", unit, mean, error, None)


def pair(one: str, other: str, games: int) -> tuple[float, float]:
    """One network's points per game against another, and the standard error."""
    game = load("backgammon")
    seen = encoded(game, "raw")
    heads = [head_of(seen, find_model(name, game)) for name in (one, other)]
    out = cast(ActionStack, action_stack(seen))
    return duel(seen, *heads, Diary(seen, len(heads[0].payoffs)), games, 0, Rng(1), out)


def head_of(seen: Any, model: Any) -> Head:
    """The weights of a model, in the form for games between networks."""
    head = new_head(seen, model.arrays["first"].shape[-1], 0, 0)
    for name, part in head.arrays().items():
        part[...] = model.arrays[name]
    return head
