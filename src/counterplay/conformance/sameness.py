"""Whether every process that creates a game creates the same one: a board drawn at random without a seed differs from
process to process, and so does the order of a set of strings."""

from __future__ import annotations

import hashlib

from counterplay.core.calling import file_of
from counterplay.core.errors import BrokenGame
from counterplay.core.fingerprint import Fingerprint
from counterplay.core.game import Game
from counterplay.core.language.rng import Rng
from counterplay.core.rules import listed

RULES = "code or data that the rules use"

PLAYTHROUGHS, PLIES = 20, 50
"""How many random playthroughs, and how much of each, the order of actions is compared in."""


def parts(game: Game) -> dict[str, str]:
    """A hash of each attribute of a game, and of its class: the same in every process, if the game is."""
    cls = type(game)
    reached = {f"self.{name}": value for name, value in vars(game).items() if not name.startswith("_")} | {RULES: cls}
    return {name: Fingerprint(cls.__module__).of(value).hexdigest() for name, value in reached.items()}


def require_same(game: Game, there: dict[str, str]) -> None:
    """Refuse a game that another process, which sent its `parts`, created differently."""
    here = parts(game)
    if here[RULES] != there[RULES]:
        game.frozen  # noqa: B018 (declares the state, as may have happened there)
        here = parts(game)
    differing = [name for name in sorted(here) if there.get(name, here[name]) != here[name]]
    if differing:
        raise BrokenGame(
            f"{file_of(game)}: {differing[0]} differs from one process to the next, so two processes would play "
            f"different games; "
            "take random numbers from a fixed seed, as random.Random(1) does, and sort what comes from a set"
        )


def order(game: Game) -> str:
    """A hash of the actions along some random playthroughs, in their order."""
    seen = hashlib.sha256()
    for seed in range(PLAYTHROUGHS):
        rng, s = Rng(seed), game.initial()
        for _ in range(PLIES):
            if game.is_terminal(s):
                break
            options = listed(game, s)
            if not options:
                break
            seen.update(repr([int(option) for option in options]).encode())
            s = game.result(s, options[rng.below(len(options))])
    return seen.hexdigest()


def require_order(game: Game, there: str) -> None:
    """Refuse actions that come in another order in another process, which has sent its `order`."""
    if order(game) != there:
        raise BrokenGame(
            f"{file_of(game)}: the order of the actions differs from one process to the next, so the same seed plays "
            "different games; is it the order of a set? then sort them"
        )
