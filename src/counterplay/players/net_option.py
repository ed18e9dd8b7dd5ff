"""The option `net=MODEL` of a player: a network with a policy, evaluated on many leaves of a search at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.search.decision import Decision

if TYPE_CHECKING:
    from counterplay.evaluation.residual import Residual
    from counterplay.montecarlo.policy_search import Policy

MANY = 1 << 20
"""The number of simulations if time is the only limit."""
LEAVES, APIECE = 8, 32
"""The maximum number of leaves evaluated at once: one for every `APIECE` simulations. Many are evaluated faster, but
the later ones are chosen without the answers to the earlier ones."""


class Adviser:
    """A network, loaded when a game first needs it."""

    def __init__(self, model: str, values: str | None = None, shortlist: int = 0) -> None:
        """`values` names a second network, whose values count; `shortlist` says how many actions keep a prior (0: all)."""
        self.model, self.values, self.shortlist = model, values, shortlist
        self._network: Residual | None = None

    def of(self, game: Game) -> Residual:
        """The network for a game."""
        if self._network is None or self._network.game != game:
            from counterplay.evaluation.encoding import try_encoding
            from counterplay.evaluation.model import find_model
            from counterplay.evaluation.residual import Residual

            try_encoding(game)
            judge = Residual(game, find_model(self.values, game)) if self.values else None
            self._network = Residual(game, find_model(self.model, game), judge=judge)
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
        """The result of a search by its policy. `seen` is the game with the evaluation for playouts, if a `mix` has
        them; `options` are of `SimulationOptions`, if they differ from the default; `limits` go to
        `search_by_policy`."""
        from counterplay.montecarlo.policy_search import PLAIN, USUAL, search_by_policy

        usual = PLAIN if self.shortlist else replace(USUAL, select="gumbel")
        found = search_by_policy(
            seen or p.game,
            [p.state],
            self.shortlisted(self.of(p.game).policy),
            simulations=simulations,
            seconds=seconds,
            leaves=min(max((simulations or MANY) // APIECE, 1), LEAVES),
            options=replace(usual, **(options or {})),
            before=[p.before],
            **limits,
        )
        return found[0]

    def shortlisted(self, policy: Policy) -> Policy:
        """The policy restricted to its likeliest actions; all others get 0."""
        number = self.shortlist

        def shortlist(states: list[Any], actions: list[list[int]]) -> tuple[Sequence[Any], Sequence[Any]]:
            priors, values = policy(states, actions)
            return [np.where(each >= np.sort(each)[-number:][0], each, 0.0) for each in priors], values

        return shortlist if number else policy

    def opinion(self, p: Playthrough) -> Decision:
        """The network's choice without search: its likeliest action."""
        actions = p.options()
        priors, values = self.of(p.game).policy([p.state], [actions])
        ranked = sorted(zip(priors[0], actions, strict=True), reverse=True)
        return Decision(ranked[0][1], values[0], (ranked[0][1],))
