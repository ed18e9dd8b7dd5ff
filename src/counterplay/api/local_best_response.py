"""`exploit --method lbr`: what a player of poker loses at least, by local best responses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.api.result import Result
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.equilibrium.blueprint import Blueprint, read_blueprint
from counterplay.equilibrium.local_best_response import LocalResponder, require_betting
from counterplay.equilibrium.resolving import Follower, answers


@dataclass(frozen=True, repr=False)
class LocalExploitResult(Result):
    """What each player gets by local best responses to a player."""

    game: str
    player: str
    players: tuple[dict[str, Any], ...]  # player, local_best_response
    exploitability: float  # a lower bound

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        told = {"game": self.game, "player": self.player, "method": "lbr"}
        return told | {"exploitability_at_least": self.exploitability, "players": list(self.players)}

    def __str__(self) -> str:
        lines = [
            f"{each['player']}: {each['local_best_response']:+.6g} by local best responses" for each in self.players
        ]
        return "\n".join([*lines, f"exploitability of {self.player}: {self.exploitability:.6g} or more"])


def local_exploit(rules: Game, player: str, output: str | Path | None) -> LocalExploitResult:
    """A lower bound on what a player loses: both seats respond to it by local best responses. `player` is `policy:FILE`,
    `resolve` with its options, or `random`."""
    if output is not None:
        raise CounterplayError("lbr writes no policy; leave out --output, or use --method exact")
    require_betting(rules)
    followed = asked_everywhere(rules, player)
    values = [LocalResponder(followed, seat).value() for seat in range(2)]
    named = tuple(
        {"player": rules.player_name(seat), "local_best_response": value} for seat, value in enumerate(values)
    )
    return LocalExploitResult(rules.spec, player, named, sum(values) / 2)


def asked_everywhere(game: Game, spec: str) -> Blueprint:
    """The strategy of a player at every public state."""
    from counterplay.players.policy import PolicyPlayer
    from counterplay.players.random import Uniform
    from counterplay.players.resolving import Resolve
    from counterplay.players.specs import player

    asked = player(f"policy:{spec}" if Path(spec).is_file() else spec)
    if isinstance(asked, PolicyPlayer):
        return read_blueprint(game, asked.file.expanduser())
    found = Blueprint(game, 2)
    if isinstance(asked, Resolve):
        for seat in range(2):
            follower = Follower(game, seat, asked.iterations, asked.gadget, None, asked.leaves(game))
            for node, shares in answers(follower, found.tree, 0):
                found.set(node, shares)
    elif not isinstance(asked, Uniform):
        raise CounterplayError(f"{spec}: lbr needs the strategy of every hand: policy:FILE, resolve or random")
    return found
