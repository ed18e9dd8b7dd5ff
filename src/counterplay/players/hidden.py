"""Players for games with secrets that need no training: information-set Monte Carlo tree search, determinization."""

from __future__ import annotations

import time as clocks
from collections.abc import Callable, Sequence
from typing import Any, Literal

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.formats.options import spec_of
from counterplay.core.game import Game
from counterplay.core.language.rng import Rng
from counterplay.core.playthrough import Playthrough
from counterplay.hidden.determinization import determinize, open_hand
from counterplay.hidden.ismcts import C, has_resample, information_search, require_searchable
from counterplay.hidden.particle_filter import NoneAgrees, ParticleFilter
from counterplay.hidden.trace import record_information
from counterplay.montecarlo.trace import SimulationTrace
from counterplay.players.clock import Clock, thinking_time
from counterplay.players.player import Player
from counterplay.search.decision import Decision, Report

SECONDS = 1.0
"""The default thinking time."""
INNER = ("alphabeta", "expectiminimax", "maxn")
"""The open searches that evaluate every action, in the order in which they are tried."""
PARTICLES, PLAIN_PARTICLES, DRAWN = 2000, 200, 200
"""The number of states that a belief filter follows if a game does not define `resample`, compiled and plain, and how
many of them a search receives."""


class Imagination:
    """The states that the player to move considers possible, followed from turn to turn."""

    def __init__(self) -> None:
        self._filters: dict[tuple[Game, int, int], ParticleFilter] = {}

    def possible(self, p: Playthrough, most: int, seed: int) -> Sequence[Any] | None:
        """States that the player to move considers possible; empty if the game itself samples them, None if everything
        that the filter considered possible has been ruled out."""
        if has_resample(p.game):
            return ()
        key = p.game, p.to_move, seed
        if key not in self._filters:
            number = PARTICLES if p.game.compiles else PLAIN_PARTICLES
            self._filters = {each: found for each, found in self._filters.items() if each[0] == p.game}
            self._filters[key] = ParticleFilter(*key[:2], number, seed)
        try:
            return self._filters[key].follow(p, most)
        except NoneAgrees:
            return None


def at_random(p: Playthrough, seed: int) -> Decision:
    """An action drawn uniformly, for a player who has ruled out every state."""
    options = p.options()
    action = options[Rng(seed).below(len(options))]
    return Decision(action, 0.0, (action,))


def remark_on(game: Game) -> str:
    """A caveat about how such players play `game`; empty if there is none."""
    if has_resample(game):
        return ""
    return (
        f"{game.spec} has no `resample`, so a belief filter follows what a player considers possible from the start of the "
        "game, which takes longer"
    )


class InformationSetSearch(Player):
    """Monte Carlo tree search over information sets, within a time in seconds or a number of simulations (1 second by
    default); `observers` says whose knowledge the others' choices depend on."""

    def __init__(
        self,
        time: float | None = None,
        simulations: int | None = None,
        observers: Literal["many", "one"] = "many",
        c: float = C,
        seed: int = 0,
    ) -> None:
        if (time is not None and not time > 0) or (simulations is not None and simulations < 1):
            raise CounterplayError("ismcts: time and simulations must be above 0")
        if not c >= 0:
            raise CounterplayError(f"ismcts: c={c:g} must be 0 or more")
        self.time, self.simulations, self.observers, self.c, self.seed = time, simulations, observers, c, seed
        self.otherwise = SECONDS if time is None and simulations is None else None
        usual = {"time": None, "simulations": None, "observers": "many", "c": C, "seed": 0}
        given = {
            "time": time or self.otherwise,
            "simulations": simulations,
            "observers": observers,
            "c": c,
            "seed": seed,
        }
        self.spec = spec_of("ismcts", {k: v for k, v in given.items() if v is not None and v != usual[k]})
        self._imagination = Imagination()

    def require(self, game: Game) -> None:
        require_searchable(game)

    def remark(self, game: Game) -> str:
        return remark_on(game)

    def prepare(self, p: Playthrough) -> None:
        if not p.is_over and p.to_move >= 0:
            self.look(p, 1, None)

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        return self.look(p, self.simulations, thinking_time(p.to_move, clock, self.time, self.otherwise))

    def record(
        self,
        p: Playthrough,
        limit: int,
        *,
        game: str,
        start: str | None = None,
        report: Callable[[int], None] | None = None,
    ) -> SimulationTrace:
        """The steps of each simulation, of which at most `limit` nodes and changes are kept; `game` and `start` are as
        the user wrote them. `report` receives the number of simulations so far."""
        self.require_choice(p)
        if self.simulations is None:
            raise CounterplayError("a trace needs a number of simulations, such as ismcts:simulations=40")
        possible = self._imagination.possible(p, DRAWN, self.seed)
        if possible is None:
            raise CounterplayError(
                "none of the states that the player considered possible agrees with the observations"
            )
        return record_information(
            p,
            self.simulations,
            limit,
            many=self.observers == "many",
            c=self.c,
            seed=self.seed * 7919 + len(p),
            possible=possible,
            game=game,
            player=self.spec,
            start=start,
            report=report,
        )

    def look(self, p: Playthrough, simulations: int | None, seconds: float | None) -> Decision:
        """The search itself; each turn of a playthrough has a seed of its own."""
        possible = self._imagination.possible(p, DRAWN, self.seed)
        if possible is None:
            return at_random(p, self.seed * 7919 + len(p))
        return information_search(
            p.game,
            p.game.essence(p.state) if possible else p.state,
            simulations=simulations,
            seconds=seconds,
            many=self.observers == "many",
            c=self.c,
            seed=self.seed * 7919 + len(p),
            possible=possible,
        )


class Determinization(Player):
    """Draws `deals` that it considers possible, lets an open search (`inner`: alphabeta, expectiminimax or maxn; by
    default the first that suits) evaluate each to a `depth` or within its share of a `time` in seconds, and takes the
    action with the best average."""

    def __init__(
        self,
        deals: int = 20,
        time: float | None = None,
        depth: int | None = None,
        inner: Literal["", "alphabeta", "expectiminimax", "maxn"] = "",
        seed: int = 0,
    ) -> None:
        if deals < 1:
            raise CounterplayError(f"determinize: deals={deals}: there must be at least 1")
        if time is not None and not time > 0:
            raise CounterplayError(f"determinize: time={time:g} must be above 0")
        self.deals, self.time, self.depth, self.inner, self.seed = deals, time, depth, inner, seed
        self.otherwise = SECONDS if time is None and depth is None else None
        given = {
            "deals": deals,
            "time": time or self.otherwise,
            "depth": depth,
            "inner": inner or None,
            "seed": seed or None,
        }
        self.spec = spec_of("determinize", {k: v for k, v in given.items() if v is not None})
        self._judges: tuple[Game, Game, Player] | None = None  # the game, its open version, its searcher
        self._imagination = Imagination()

    def require(self, game: Game) -> None:
        require_searchable(game)
        self.judge_for(game)

    def judge_for(self, game: Game) -> tuple[Game, Player]:
        """The open game and the player that evaluates it, created once per game."""
        from counterplay.players.specs import player

        if self._judges is None or self._judges[0] != game:
            bare = open_hand(game)
            for name in (self.inner,) if self.inner else INNER:
                made = player(name, budget=self.budget(self.time or SECONDS))
                try:
                    made.require(bare)
                except Unsuitable:
                    continue
                self._judges = game, bare, made
                break
            else:
                raise Unsuitable(f"determinize finds no open search for {game.spec}; `ismcts` plays it")
        return self._judges[1], self._judges[2]

    def budget(self, seconds: float) -> dict[str, float]:
        """The inner search's budget for a deal."""
        return {"depth": self.depth} if self.depth is not None else {"time": max(seconds / self.deals, 1e-3)}

    def remark(self, game: Game) -> str:
        return remark_on(game)

    def prepare(self, p: Playthrough) -> None:
        bare, judge = self.judge_for(p.game)
        if not p.is_over and p.to_move >= 0:
            judge.prepare(bare.start(position=p.position))

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        from counterplay.players.specs import player

        bare, judge = self.judge_for(p.game)
        seconds = thinking_time(p.to_move, clock, self.time, self.otherwise)
        if seconds is not None:
            judge = player(judge.spec.partition(":")[0], budget=self.budget(seconds))
        started = clocks.perf_counter()
        possible = self._imagination.possible(p, self.deals, self.seed)
        if possible is None:
            return at_random(p, self.seed * 7919 + len(p))
        found = determinize(
            p.game,
            p.state,
            lambda s: judge.rank(bare.start(position=p.game.position_text(s))).options,
            self.deals,
            self.seed * 7919 + len(p),
            possible,
        )
        return found._replace(seconds=clocks.perf_counter() - started)
