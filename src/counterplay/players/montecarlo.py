"""Players that simulate: Monte Carlo tree search, and flat Monte Carlo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, Literal

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.options import spec_of, written
from counterplay.core.game import INFINITY, Game
from counterplay.core.playthrough import Playthrough
from counterplay.montecarlo.options import Asking, Decisive, Rollout, SimulationOptions
from counterplay.montecarlo.search import (
    MEGABYTES,
    Final,
    Parallel,
    TreeSearch,
    require_memory,
    require_simulations,
)
from counterplay.montecarlo.trace import SimulationTrace, record
from counterplay.players.clock import Clock, thinking_time
from counterplay.players.evaluation_option import EvaluationOption
from counterplay.players.net_option import Adviser
from counterplay.players.player import Player
from counterplay.players.tables_option import TablesOption
from counterplay.search.chance.expectiminimax import require_open
from counterplay.search.decision import Decision, Report

CANDIDATES = 8
"""The default length of a network's shortlist of actions."""
SECONDS = 1.0
"""The default thinking time."""
ADVISED = ("select", "c", "fpu", "solver", "mix", "rollout", "epsilon", "length")
"""Options of the search that also apply with a network."""
WITH_NETWORK = ("time", "simulations", *ADVISED, "memory", "seed", "evaluation", "net", "values", "candidates")


class Simulating(Player):
    """The common part of both: a search that is kept from action to action of one playthrough."""

    name = ""
    example = "simulations=50"

    def __init__(self, options: SimulationOptions, simulations: int | None, time: float | None, **search: Any) -> None:
        """`search` are arguments of `TreeSearch`, and `evaluation`, a model."""
        require_simulations(simulations, time)
        require_memory(search.get("megabytes", MEGABYTES), search.get("threads", 1))
        self.evaluation = EvaluationOption(search.pop("evaluation", None))
        self.tables = TablesOption(search.pop("tables", None))
        self.options, self.simulations, self.search = options, simulations, search
        self.time, self.otherwise = time, SECONDS if simulations is None and time is None else None
        self._searching: TreeSearch | None = None

    def require(self, game: Game) -> None:
        require_open(self.name, game)
        self.searched(game)

    def searched(self, game: Game) -> Game:
        """The game for the search: with a learned evaluation, with tables, or unchanged."""
        return self.evaluation.of(self.tables.of(game))

    def searching(self, game: Game) -> TreeSearch:
        """The search, one for each game."""
        game = self.searched(game)
        if self._searching is None or self._searching.game != game:
            self._searching = TreeSearch(game, self.options, **self.search)
        return self._searching

    def prepare(self, p: Playthrough) -> None:
        self.require(p.game)
        self.searching(p.game).prepare()

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        self.require(p.game)
        if known := self.tables.decision(p):
            return known
        search = self.searching(p.game)
        search.set_position(p)
        search.prepare()
        seconds = thinking_time(p.to_move, clock, self.time, self.otherwise)
        return search.run(simulations=self.budget(p), seconds=seconds, report=report)

    def budget(self, p: Playthrough) -> int | None:
        """The maximum number of simulations."""
        return self.simulations

    def record(
        self,
        p: Playthrough,
        limit: int,
        *,
        game: str,
        start: str | None = None,
        report: Callable[[int], None] | None = None,
    ) -> SimulationTrace:
        """The tree after each simulation, of which at most `limit` nodes and changes are kept; `game` and `start` are
        as the user wrote them. `report` receives the number of simulations so far."""
        self.require_choice(p)
        self.require(p.game)
        simulations = self.budget(p)
        if simulations is None:
            raise CounterplayError(f"a trace needs a number of simulations, such as {self.name}:{self.example}")
        if self.search.get("threads", 1) > 1:
            raise CounterplayError("a trace shows one thread: leave `threads` out")
        search = TreeSearch(self.searched(p.game), self.options, **self.search)
        return record(search, p, simulations, limit, game=game, player=self.spec, start=start, report=report)


class MonteCarloTreeSearch(Simulating):
    """Monte Carlo tree search within a time in seconds or a number of simulations (1 second by default).

    `memory` bounds the tree, in MB; `parallel` says whether threads share one tree or have one each; `reuse` keeps the
    subtree of the actions played; `final` is how the action is chosen; `evaluation` is a learned one, which counts if
    there is a `mix` and plays if `rollout` says so; `net` is a network with a policy (a file, a run or a name) that
    guides `select=gumbel` or `puct`: its value is that of a leaf, or a part of it, if a `mix` below 1 adds playouts.
    With `values`, the values are those of another network (AlphaGo); `select=shortlist` uses UCT among the `candidates`
    actions that the network likes best (Darkforest). `tables` is a folder of tables: positions in them are played
    perfectly. The other options are those of `counterplay.montecarlo.options.SimulationOptions`.
    """

    name = "mcts"

    def __init__(
        self,
        time: float | None = None,
        simulations: int | None = None,
        c: float = SimulationOptions.c,
        fpu: float | Literal[False] = False,
        final: Final = "visits",
        rollout: Rollout = "own",
        epsilon: float = SimulationOptions.epsilon,
        mix: float | Literal[False] = False,
        length: int = SimulationOptions.length,
        solver: bool = True,
        decisive: Decisive = SimulationOptions.decisive,
        rave: float | Literal[False] = False,
        grave: int | Literal[False] = False,
        bias: float | Literal[False] = False,
        implicit: float | Literal[False] = False,
        expand: int = SimulationOptions.expand,
        widen: int = SimulationOptions.widen,
        memory: float = MEGABYTES,
        threads: int = 1,
        parallel: Parallel = "tree",
        reuse: bool = True,
        seed: int = 0,
        evaluation: str | None = None,
        net: str | None = None,
        select: Asking | None = None,
        values: str | None = None,
        candidates: int = CANDIDATES,
        tables: str | None = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        chosen = {field.name: given[field.name] for field in fields(SimulationOptions) if field.name in given}
        chosen["fpu"] = INFINITY if fpu is False else float(fpu)
        chosen["select"] = select or "uct"
        options = checked("mcts", {k: v or 0 if k not in ("fpu", "select") else v for k, v in chosen.items()})
        super().__init__(
            options,
            simulations,
            time,
            megabytes=memory,
            threads=threads,
            parallel=parallel,
            final=final,
            seed=seed,
            reuse=reuse,
            evaluation=evaluation,
            tables=tables,
        )
        if select is not None and not net:
            raise CounterplayError(f"mcts: select={select} needs a network: add net=MODEL")
        if net == "":
            raise CounterplayError("mcts: net names a model: a file, a run, or one that comes with the package")
        usual = dict(zip(given, DEFAULTS, strict=True))
        unusual = {name: value for name, value in given.items() if written(value) != written(usual[name])}
        for name in ("values", "candidates"):
            if name in unusual and not net:
                raise CounterplayError(f"mcts: {name} needs a network: add net=MODEL")
        if "candidates" in unusual and select != "shortlist":
            raise CounterplayError("mcts: candidates belongs to select=shortlist: add that option")
        if candidates < 1:
            raise CounterplayError(f"mcts: candidates={candidates} must be 1 or more")
        self.adviser = Adviser(net, values, candidates if select == "shortlist" else 0) if net else None
        if self.adviser:
            for name in unusual:
                if name not in WITH_NETWORK:
                    raise CounterplayError(f"mcts: {name} does not go with net; {', '.join(WITH_NETWORK)} do")
                if name in ("c", "fpu") and select not in ("puct", "shortlist"):
                    raise CounterplayError(f"mcts: with net, {name} belongs to select=puct: add that option")
        self.advised: dict[str, Any] = {name: value for name, value in unusual.items() if name in ADVISED}
        self.bounds: dict[str, Any] = {"seed": seed} | ({"megabytes": memory} if "memory" in unusual else {})
        given |= {"time": time or self.otherwise}
        self.spec = spec_of(
            "mcts", {k: v for k, v in given.items() if v is not None and written(v) != written(usual[k])}
        )

    def require(self, game: Game) -> None:
        super().require(game)
        if self.adviser:
            self.adviser.of(game)

    def prepare(self, p: Playthrough) -> None:
        if self.adviser:
            self.advice(p, self.adviser, 2)
        else:
            super().prepare(p)

    def advice(self, p: Playthrough, adviser: Adviser, simulations: int | None, **limits: Any) -> Decision:
        """The result of the search with a network."""
        seen = self.evaluation.of(p.game)
        return adviser.search(p, simulations, seen=seen, options=self.advised, **self.bounds, **limits)

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        if self.adviser is None:
            return super().think(p, report, clock)
        self.require(p.game)
        seconds = thinking_time(p.to_move, clock, self.time, self.otherwise)
        return self.advice(p, self.adviser, self.simulations, seconds=seconds, report=report)

    def record(
        self,
        p: Playthrough,
        limit: int,
        *,
        game: str,
        start: str | None = None,
        report: Callable[[int], None] | None = None,
    ) -> SimulationTrace:
        if self.adviser:
            raise CounterplayError("a trace shows simulations with playouts: leave `net` out")
        return super().record(p, limit, game=game, start=start, report=report)


DEFAULTS = MonteCarloTreeSearch.__init__.__defaults__ or ()


class Flat(Simulating):
    """Flat Monte Carlo: the action with the best average of `playouts` each, or of as many as `time` in seconds allows
    (1 second by default)."""

    name, example = "flat", "playouts=5"

    def __init__(
        self,
        playouts: int | None = None,
        time: float | None = None,
        rollout: Rollout = "own",
        epsilon: float = SimulationOptions.epsilon,
        length: int = SimulationOptions.length,
        threads: int = 1,
        seed: int = 0,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        if playouts is not None and playouts < 1:
            raise CounterplayError(f"playouts={playouts}: an action needs at least 1 playout")
        options = checked(
            "flat",
            {
                "select": "even",
                "expand": 1 << 40,
                "rollout": rollout,
                "epsilon": epsilon,
                "length": length,
                "solver": False,
            },
        )
        super().__init__(options, playouts, time, megabytes=1, threads=threads, final="value", seed=seed, reuse=False)
        usual = {
            "rollout": "own",
            "epsilon": SimulationOptions.epsilon,
            "length": SimulationOptions.length,
            "threads": 1,
            "seed": 0,
        }
        given |= {"time": time or self.otherwise}
        self.spec = spec_of("flat", {k: v for k, v in given.items() if v is not None and v != usual.get(k)})

    def budget(self, p: Playthrough) -> int | None:
        return None if self.simulations is None else self.simulations * len(p.options())


def checked(name: str, options: dict[str, Any]) -> SimulationOptions:
    """The options of a player; errors name the player."""
    try:
        return SimulationOptions(**options)
    except CounterplayError as wrong:
        raise CounterplayError(f"{name}: {wrong}") from None
