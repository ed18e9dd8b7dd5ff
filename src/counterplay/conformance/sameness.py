"""Whether every process that creates a game creates the same one: a board drawn at random without a seed differs from
process to process, and so does the order of a set of strings."""

from __future__ import annotations

from counterplay.core.calling import file_of
from counterplay.core.errors import BrokenGame
from counterplay.core.fingerprint import Fingerprint
from counterplay.core.game import Game

RULES = "code or data that the rules use"


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
