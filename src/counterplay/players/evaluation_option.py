"""The option `evaluation=MODEL` of a player: it searches the game with a learned evaluation instead of the game's own."""

from __future__ import annotations

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game


class EvaluationOption:
    """The game for a player's search: unchanged, or with the evaluation of a model (a file, a run, or the name of one
    shipped with the package)."""

    def __init__(self, model: str | None) -> None:
        if model == "":
            raise CounterplayError(
                "no model is named: it is a file, a run or the name of one that comes with the package"
            )
        self.model = model
        self._seen: tuple[Game, Game] | None = None

    def of(self, game: Game) -> Game:
        """The game to search."""
        if self.model is None:
            return game
        if self._seen is None or self._seen[0] != game:
            from counterplay.evaluation.judged import judged
            from counterplay.evaluation.model import find_model

            self._seen = game, judged(game, find_model(self.model, game))
        return self._seen[1]
