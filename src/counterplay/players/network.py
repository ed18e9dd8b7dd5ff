"""The player that follows a model without search: a network's policy, or the values after each action."""

from __future__ import annotations

from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.players.clock import Clock
from counterplay.players.evaluation_option import EvaluationOption
from counterplay.players.net_option import Adviser
from counterplay.players.player import Player
from counterplay.search.decision import Decision, Report


class Network(Player):
    """The model's favourite action; `model` is a file, a run or a name."""

    def __init__(self, model: str) -> None:
        self.adviser, self.evaluation = Adviser(model), EvaluationOption(model)
        self._kind: tuple[Game, str] | None = None
        self.spec = f"net:{model}"

    def has_policy(self, game: Game) -> bool:
        """Whether the model has a policy, not only values."""
        if self._kind is None or self._kind[0] != game:
            from counterplay.evaluation.model import find_model

            self._kind = game, find_model(self.adviser.model, game).kind
        return self._kind[1] == "residual"

    def require(self, game: Game) -> None:
        if self.has_policy(game):
            self.adviser.of(game)
        else:
            self.evaluation.of(game)

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        if self.has_policy(p.game):
            return self.adviser.opinion(p)
        game, mover, best = self.evaluation.of(p.game), p.to_move, Decision(-1, None)
        for action in p.options():
            after = game.result(p.state, action)
            value = game.utility(after, mover) if game.is_terminal(after) else game.evaluate(after, mover)
            if best.value is None or value > best.value:
                best = Decision(action, float(value), (action,))
        return best
