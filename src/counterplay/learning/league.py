"""League training for games with secrets: policy-space response oracles (Lanctot and others 2017) as a run.

Each seat has a growing set of agents. A round solves the meta-game, the matrix of what agents earn against each other,
by linear program, and adds to each seat a main agent that responds to the other's mixture, and exploiters that respond
only to the other's newest main agents (after AlphaStar, Vinyals and others 2019). If the game's tree fits, responses
are exact: this is the double oracle, and its exploitability falls to 0. Otherwise they are networks, trained by policy
gradient: the main agents continue from round to round, and exploiters start over.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.language.rng import Rng
from counterplay.equilibrium.double_oracle import DoubleOracle, require_two_opponents, solve_meta
from counterplay.equilibrium.information_tree import (
    InformationTree,
    TooLarge,
    information_tree,
    require_secrets,
)
from counterplay.equilibrium.plans import evaluate_policy
from counterplay.equilibrium.policy import Policy
from counterplay.learning.agents import Ground, shape_of
from counterplay.learning.league_policy import LeaguePolicy
from counterplay.learning.policy_gradient import Responder, respond_by_gradient
from counterplay.learning.runs import Run
from counterplay.learning.training import MOST_SEED, Training, require_ranges

MOST_HISTORIES = 3_000_000
"""The largest tree that is searched for exact responses by default."""
SELF_SHARE = 0.35
"""The share of a main agent's games against the other seat's main agent instead of the mixture."""
ENOUGH = 1e-9
"""An exploitability below this counts as 0."""


@dataclass(frozen=True)
class LeagueSettings:
    """The options of a league."""

    responses: str = ""
    """tree (exact best responses) or gradient (networks); empty: tree if the game's tree fits."""
    opponents: str = "league"
    """league, or self: agents that only play each other's newest selves, without a league."""
    rounds: int = 0
    """The maximum number of rounds; 0: until the budget is spent."""
    exploiters: int = 0
    """The number of exploiters that a seat receives in a round."""
    hidden: int = 64
    """Units of a network's hidden layers."""
    updates: int = 20
    """Steps of a response by gradient."""
    batch: int = 512
    """Games for a step."""
    trials: int = 400
    """Games for an entry of the matrix."""
    rate: float = 0.003
    magnet: float = 0.05
    """How strongly an agent is held near its version of a round ago; 0: not at all."""
    entropy: float = 0.01
    """How strongly an agent is rewarded for keeping all its actions possible."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.responses not in ("", "tree", "gradient"):
            raise CounterplayError(f"responses={self.responses} must be tree or gradient")
        if self.opponents not in ("league", "self"):
            raise CounterplayError(f"opponents={self.opponents} must be league or self")
        require_ranges(self, rounds=(0, 1_000_000), exploiters=(0, 10), hidden=(1, 1024), updates=(1, 100_000),
                       batch=(2, 100_000), trials=(1, 1_000_000), seed=(0, MOST_SEED))  # fmt: skip
        if not 0 < self.rate <= 1 or not 0 <= self.magnet <= 100 or not 0 <= self.entropy <= 100:
            raise CounterplayError("rate must be above 0 and at most 1, magnet and entropy from 0 to 100")


def league_for(game: Game, settings: LeagueSettings, games: int | None, seconds: float | None) -> Training:
    """The league that suits a game."""
    require_two_opponents(game)
    require_secrets(game)
    tree = None
    if settings.responses != "gradient" or game.policy_size:
        try:
            tree = information_tree(game, MOST_HISTORIES if settings.responses != "tree" else 10 * MOST_HISTORIES)
        except TooLarge:
            if settings.responses == "tree":
                raise
    if settings.responses == "gradient" or settings.opponents == "self" or tree is None:
        return GradientLeague(game, settings, games, seconds, tree)
    if games is not None:
        raise CounterplayError("exact responses play no games: give --time, or --set rounds=N")
    return TreeLeague(game, settings, games, seconds, tree)


class League(Training):
    """The common part of both kinds of league."""

    method = "league"
    saves_each = True

    def __init__(self, game: Game, settings: LeagueSettings, games: int | None, seconds: float | None) -> None:
        super().__init__(game, settings, games, seconds)
        self.rngs = [Rng(settings.seed)]
        self.exploitability: float | None = None

    @property
    def share(self) -> float:
        rounds = self.settings.rounds
        done = self.exploitability is not None and self.exploitability < ENOUGH
        return 1.0 if done else max(super().share, min(self.step / rounds, 1.0) if rounds else 0.0)

    def numbers(self) -> dict[str, Any]:
        return {"exploitability": self.exploitability, "responses": type(self).__name__}

    def take_up(self, head: Mapping[str, Any]) -> None:
        """Refuse a checkpoint of the other kind of league."""
        if head["responses"] != type(self).__name__:
            raise CounterplayError("the run has a different kind of responses; choose another folder")
        found = head["exploitability"]
        self.exploitability = None if found is None else float(found)

    def row(self, started: float, agents: int) -> dict[str, Any]:
        """A line of metrics."""
        self.step += 1
        self.spent += time.perf_counter() - started
        found = {"games": self.played, "seconds": self.spent, "rounds": self.step, "agents": agents}
        return found | {"exploitability": self.exploitability}


class TreeLeague(League):
    """Exact responses: the double oracle."""

    def __init__(
        self, game: Game, settings: LeagueSettings, games: int | None, seconds: float | None, tree: InformationTree
    ) -> None:
        super().__init__(game, settings, games, seconds)
        self.tree, self.oracle = tree, DoubleOracle(tree)
        self.mixtures = (np.ones(1), np.ones(1))

    @property
    def played(self) -> int:
        return 0

    def prepare(self) -> None:
        if not self.step:
            self.oracle.begin()

    def advance(self) -> dict[str, Any]:
        started = time.perf_counter()
        if self.step:
            self.oracle.widen(self.mixtures, self.settings.exploiters)
        self.mixtures = solve_meta(self.oracle.payoffs).mixtures
        self.exploitability = self.oracle.evaluation(self.mixtures).exploitability
        return self.row(started, sum(self.oracle.payoffs.shape))

    def model(self) -> Policy:  # type: ignore[override]
        about = {"method": self.method, "iterations": self.step, "seconds": self.spent}
        return Policy.on_tree(self.game, self.tree, self.oracle.strategy(self.mixtures), **about)

    def parts(self) -> Mapping[str, np.ndarray]:
        found: dict[str, np.ndarray] = {
            f"plans_{seat}": np.packbits(np.array(self.oracle.plans[seat]), axis=1) for seat in range(2)
        }
        found |= {f"mixture_{seat}": self.mixtures[seat] for seat in range(2)}
        return found | {"payoffs": self.oracle.payoffs}

    def restore(self, run: Run, head: Mapping[str, Any], saved: Mapping[str, Any]) -> None:
        self.take_up(head)
        for seat in range(2):
            own = self.oracle.own(seat)
            for row in np.unpackbits(saved[f"plans_{seat}"], axis=1, count=own.stop - own.start):
                self.oracle.add(seat, row > 0)
        self.mixtures = (saved["mixture_0"], saved["mixture_1"])
        if tuple(map(len, self.mixtures)) != self.oracle.payoffs.shape:
            raise ValueError
        self.oracle.payoffs[...] = saved["payoffs"]  # identical to the last bit


class GradientLeague(League):
    """Responses by policy gradient, or only self-play."""

    def __init__(
        self,
        game: Game,
        settings: LeagueSettings,
        games: int | None,
        seconds: float | None,
        tree: InformationTree | None,
    ) -> None:
        super().__init__(game, settings, games, seconds)
        self.tree, self.shape = tree, shape_of(game, settings.hidden)
        rng = np.random.default_rng(settings.seed)
        self.mains = [self.shape.fresh(rng) for _ in range(2)]
        self.agents = [main[None].copy() for main in self.mains]  # float32[agents, numbers] of each seat
        self.payoffs, self.mixtures = np.zeros((1, 1)), (np.ones(1), np.ones(1))
        self.ground = Ground(game, self.shape, settings.seed, room=64 * settings.batch)
        self.rngs = [self.ground.rng]
        self._played = 0

    @property
    def played(self) -> int:
        return self._played

    def prepare(self) -> None:
        self.ground.play((self.agents[0], self.agents[1]), np.zeros((0, 2), np.int64))

    def train_against(self, seat: int, weights: np.ndarray, opponents: np.ndarray, chances: np.ndarray) -> np.ndarray:
        """The agent that training makes from `weights`."""
        how = self.settings
        seed = int(self.ground.rng.below(1 << 31))
        responder = Responder(self.game, self.shape, weights, how.rate, how.magnet, how.entropy, seed)
        rng = np.random.default_rng(seed)
        respond_by_gradient(self.ground, responder, seat, opponents, chances, how.updates, how.batch, rng, self.stop)
        self._played += how.updates * how.batch
        return responder.agent

    def advance(self) -> dict[str, Any]:
        started = time.perf_counter()
        before = [main.copy() for main in self.mains]
        for seat in range(2):
            other = 1 - seat
            opponents, chances = before[other][None], np.ones(1)
            if self.settings.opponents == "league":
                opponents = np.concatenate([self.agents[other], opponents])
                chances = np.append((1 - SELF_SHARE) * self.mixtures[other], SELF_SHARE)
            self.mains[seat] = self.train_against(seat, before[seat], opponents, chances)
        if self.settings.opponents == "self":
            self.agents = [main[None].copy() for main in self.mains]
        else:
            self.join(before)
        self.judge()
        return self.row(started, sum(map(len, self.agents)))

    def join(self, before: list[np.ndarray]) -> None:
        """Add the main agents and new exploiters to the league, and solve its matrix."""
        for seat in range(2):
            new = [self.mains[seat]]
            for _ in range(self.settings.exploiters):
                fresh = self.shape.fresh(np.random.default_rng(self.ground.rng.below(1 << 31)))
                new.append(self.train_against(seat, fresh, self.mains[1 - seat][None], np.ones(1)))
            self.agents[seat] = np.concatenate([self.agents[seat], np.array(new)])
        known = self.payoffs
        self.payoffs = np.zeros((len(self.agents[0]), len(self.agents[1])))
        self.payoffs[: known.shape[0], : known.shape[1]] = known
        for i in range(self.payoffs.shape[0]):
            for j in range(self.payoffs.shape[1]):
                if i >= known.shape[0] or j >= known.shape[1]:
                    draws = np.tile(np.array([[i, j]], np.int64), (self.settings.trials, 1))
                    self.payoffs[i, j] = self.ground.play((self.agents[0], self.agents[1]), draws).returns.mean()
                    self._played += self.settings.trials
        self.mixtures = solve_meta(self.payoffs).mixtures

    def judge(self) -> None:
        """Measure how exploitable the league's mixture is, if the tree is known."""
        strategy = None if self.tree is None else self.model().strategy(self.tree)
        if strategy is not None and self.tree is not None:
            self.exploitability = evaluate_policy(self.tree, strategy).exploitability

    def model(self) -> LeaguePolicy:  # type: ignore[override]
        about = {"method": self.method, "rounds": self.step, "games": self.played, "seconds": self.spent}
        return LeaguePolicy(self.game, self.shape, (self.agents[0], self.agents[1]), self.mixtures, about)

    def parts(self) -> Mapping[str, np.ndarray]:
        found = {f"agents_{seat}": self.agents[seat] for seat in range(2)}
        found |= {f"main_{seat}": self.mains[seat] for seat in range(2)}
        found |= {f"mixture_{seat}": self.mixtures[seat] for seat in range(2)}
        return found | {"payoffs": self.payoffs}

    def numbers(self) -> dict[str, Any]:
        return super().numbers() | {"played": self._played}

    def restore(self, run: Run, head: Mapping[str, Any], saved: Mapping[str, Any]) -> None:
        self.take_up(head)
        self._played = int(head["played"])
        self.agents = [np.asarray(saved[f"agents_{seat}"]) for seat in range(2)]
        self.mains = [np.asarray(saved[f"main_{seat}"]) for seat in range(2)]
        self.mixtures, self.payoffs = (saved["mixture_0"], saved["mixture_1"]), saved["payoffs"]
        if any(part.shape[-1] != self.shape.numbers for part in (*self.agents, *self.mains)):
            raise ValueError
