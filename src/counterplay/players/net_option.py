"""The option `net=MODEL` of a player: a network with a policy, asked about many leaves of a search at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.search.decision import Decision

if TYPE_CHECKING:
    from counterplay.evaluation.residual import Residual

MANY = 1 << 20
"""Simulations that time may allow where nothing else ends a search."""
LEAVES, APIECE = 8, 32
"""Leaves that are asked about at once, at most: one for every `APIECE` simulations. Many are answered faster, but the
later ones are chosen without the answers to the earlier ones."""


class Adviser:
    """A network, loaded when a game first asks for it."""

    def __init__(self, model: str) -> None:
        self.model = model
        self._network: Residual | None = None

    def of(self, game: Game) -> Residual:
        """The network for a game."""
        if self._network is None or self._network.game != game:
            from counterplay.evaluation.encoding import try_encoding
            from counterplay.evaluation.model import find_model
            from counterplay.evaluation.residual import Residual

            try_encoding(game)
            self._network = Residual(game, find_model(self.model, game))
        return self._network

    def search(
        self,
        p: Playthrough,
        simulations: int | None,
        seconds: float | None = None,
        *,
        seen: Game | None = None,
        options: Mapping[str, Any] | None = None,
        **limits: Any,
    ) -> Decision:
        """What search by its policy finds. `seen` is the game with the evaluation by which playouts go, where a `mix` has
        them; `options` are of `SimulationOptions`, where they are not as usual; `limits` go to `search_by_policy`."""
        from counterplay.montecarlo.policy_search import USUAL, search_by_policy

        found = search_by_policy(
            seen or p.game,
            [p.state],
            self.of(p.game).policy,
            simulations=simulations,
            seconds=seconds,
            leaves=min(max((simulations or MANY) // APIECE, 1), LEAVES),
            options=replace(USUAL, **{"select": "gumbel", **(options or {})}),
            before=[p.before],
            **limits,
        )
        return found[0]

    def opinion(self, p: Playthrough) -> Decision:
        """What the network says without search: the action that it likes best."""
        actions = p.options()
        priors, values = self.of(p.game).policy([p.state], [actions])
        ranked = sorted(zip(priors[0], actions, strict=True), reverse=True)
        return Decision(ranked[0][1], values[0], (ranked[0][1],))
