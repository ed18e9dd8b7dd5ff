"""Our games as PettingZoo environments (AEC): an agent for each player, observations with an action mask."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from counterplay.adapters.batch import Games, seen_numbers
from counterplay.adapters.environments import LIMIT
from counterplay.adapters.extras import imported
from counterplay.adapters.spaces import action_index, observation_box, require_render_mode
from counterplay.api.position import AnyGame, game_of
from counterplay.core.errors import CounterplayError
from counterplay.core.language.kept_states import words_of

if TYPE_CHECKING:

    class AgentsBase:
        """AECEnv, which a type checker may not know."""

        _was_dead_step: Any

else:
    AgentsBase = imported("pettingzoo", "a PettingZoo environment").AECEnv


def unbegun() -> int:
    """The step of an environment that was never reset."""
    raise CounterplayError("reset the environment before its first step")


class GameEnv(AgentsBase):
    """A game for PettingZoo. Rewards come at the end. Whoever plays an illegal action gets the least that the game can
    pay, the others nothing, and the game is over, as in PettingZoo's own board games."""

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self, game: AnyGame, *, observation: str = "", limit: int = LIMIT, render_mode: str | None = None
    ) -> None:
        super().__init__()
        require_render_mode(render_mode)
        spaces = imported("gymnasium.spaces", "a PettingZoo environment")
        self.game, self.render_mode = game_of(game), render_mode
        self.__dict__["metadata"] = {**self.metadata, "name": self.game.spec}
        self._games = Games(self.game, 1, observation, limit=limit, restart=False)
        batch = self._games.batch
        self._count = int(batch.actions)
        self._chosen, self._mover = memoryview(batch.chosen), memoryview(batch.mover)  # as Python's numbers
        self._observation, self._mask = self._games.observation[0], batch.mask[0]
        self._copy_observation, self._copy_mask = self._observation.copy, self._mask.copy
        self._every_view = self._games.kind == "information"
        self.possible_agents = [f"player_{player}" for player in range(self.game.players)]
        seen = observation_box(self._games)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": seen, "action_mask": spaces.Box(0, 1, (self._count,), np.int8)})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(self._count) for agent in self.possible_agents}
        self.agents: list[str] = []
        self._over = False
        self._advance: Callable[[], int] = unbegun

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game; the same seed gives the same dice and deals. Without a seed, the stream continues."""
        if seed is not None:
            self._games.seed(seed)
        self._games.reset()
        agents = self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(agents, False), dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        self.agent_selection = agents[self._mover[0]]
        self._over, self._advance = False, self._games.step

    def last(self, observe: bool = True) -> tuple[dict[str, np.ndarray] | None, float, bool, bool, dict[str, Any]]:
        """What the agent to move sees, and the outcome of its last action. Faster than PettingZoo's own."""
        agent = self.agent_selection
        seen = {"observation": self._copy_observation(), "action_mask": self._copy_mask()} if observe else None
        if not self._over:  # rewards come at the end
            return seen, 0.0, False, False, self.infos[agent]
        reward, ended = self._cumulative_rewards[agent], self.terminations[agent]
        return seen, reward, ended, self.truncations[agent], self.infos[agent]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees: planes, features and state from the point of view of the player to move; information from
        this agent's. The mask is all 0 for an agent that is not to move."""
        seen, mask = self._observation.copy(), self._mask.copy()
        if agent != self.agent_selection:
            mask[:] = 0
            if self._every_view:
                player = self.possible_agents.index(agent)
                seen[:] = words_of(seen_numbers(self.game, self._games.state(0), player))
        return {"observation": seen, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Play an action of the agent to move; None for one whose game is over."""
        if self._over:
            self._was_dead_step(action)
            return
        known = type(action) is int and 0 <= action < self._count  # the usual case, without a call
        self._chosen[0] = action if known else action_index(action, self._count)
        if self._advance():
            self._end(self.agent_selection)
        else:
            self.agent_selection = self.possible_agents[self._mover[0]]

    def _end(self, agent: str) -> None:
        self._over, batch = True, self._games.batch
        is_legal = not batch.illegal
        paid = batch.rewards[0].tolist()
        for player, each in enumerate(self.possible_agents):
            self.rewards[each] = paid[player] if is_legal or each == agent else 0.0
            self._cumulative_rewards[each] = self.rewards[each]
            self.terminations[each] = bool(batch.terminated[0])
            self.truncations[each] = bool(batch.truncated[0])
        if not is_legal:
            batch.illegal = 0
            self.infos[agent]["illegal"] = True
        self.agent_selection = self.possible_agents[self._mover[0]]
        self._mask[:] = 0

    def render(self) -> str | None:
        """The board as text, as the agent to move sees it."""
        player = self.possible_agents.index(self.agent_selection)
        text = self.game.board(self._games.state(0), player if self.game.has_secrets else None)
        if self.render_mode == "human":
            print(text)
            return None
        return text if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
