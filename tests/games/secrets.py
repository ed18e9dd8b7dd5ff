"""What a player considers possible: the same in compiled code as in plain Python, and never against what the player
knows."""

from __future__ import annotations

import random
from typing import Any

from counterplay import Game, Rng
from counterplay.core.language.kernel import kernel
from counterplay.core.rules import legal


@kernel
def told(game: Any, s: Any, player: int) -> int:
    """What the player knows."""
    return game.information(s, player)


@kernel
def imagined(game: Any, s: Any, player: int, rng: Any) -> Any:
    """A state that the player considers possible."""
    return game.resample(s, player, rng)


def assert_compiled_secrets_agree(game: Game, playthroughs: int = 100) -> None:
    """Ask compiled and plain rules the same questions in random play."""
    choose = random.Random(1)
    for seed in range(playthroughs):
        s = game.initial()
        while not game.is_terminal(s):
            for player in range(game.players):
                assert told(game, s, player) == game.information(s, player)
                assert imagined(game, s, player, Rng(seed)) == game.resample(s, player, Rng(seed))
            s = game.result(s, choose.choice(legal(game, s)))
