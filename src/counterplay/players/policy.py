"""The player that follows a policy from a file: in each turn it draws an action by the policy's probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.language.rng import Rng
from counterplay.core.playthrough import Playthrough
from counterplay.equilibrium.policy import load_policy
from counterplay.equilibrium.public_policy import load_public_policy
from counterplay.equilibrium.training import AnyPolicy
from counterplay.evaluation.model import model_file
from counterplay.players.clock import Clock
from counterplay.players.player import Player
from counterplay.search.decision import Decision, Report

if TYPE_CHECKING:
    from counterplay.learning.league_policy import LeaguePolicy


class PolicyPlayer(Player):
    """Mixes its actions as the policy in `file` says; the same seed makes the same draws."""

    outside = "reads a file"

    def __init__(self, file: str, seed: int = 0) -> None:
        if not file:
            raise CounterplayError(
                "policy needs a file: policy:FILE, as `counterplay equilibrium GAME -o FILE` writes it"
            )
        self.file, self.rng = Path(file), Rng(seed)
        self.spec = f"policy:{file}" + (f",seed={seed}" if seed else "")
        self._policy: tuple[Game, AnyPolicy | LeaguePolicy] | None = None

    def require(self, game: Game) -> None:
        self.policy_for(game)

    def policy_for(self, game: Game) -> AnyPolicy | LeaguePolicy:
        """The policy, read once for each game."""
        if self._policy is None or self._policy[0] != game:
            from counterplay.learning.league_policy import load_league

            file = model_file(str(self.file)) or self.file.expanduser()
            found = load_league(game, file) or load_public_policy(game, file) or load_policy(game, file)
            self._policy = game, found
        return self._policy[1]

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        chances = {action: chance for action, chance in self.policy_for(p.game).of(p).items() if chance > 0}
        u = self.rng.uniform()
        for action, chance in chances.items():
            u -= chance
            if u < 0:
                return Decision(action)
        return Decision(next(reversed(chances)))  # rounding has left a remainder
