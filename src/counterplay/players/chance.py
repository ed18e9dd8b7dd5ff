"""Players for games with chance, for many players, or not zero-sum: expectiminimax, max^n, paranoid, best replies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.options import spec_of
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.players.clock import SECONDS, Clock, thinking_time
from counterplay.players.evaluation_option import EvaluationOption
from counterplay.players.player import Player
from counterplay.players.tables_option import TablesOption
from counterplay.search.chance.expectiminimax import MEGABYTES, ChanceSearch, Expectiminimax
from counterplay.search.decision import Decision, Report
from counterplay.search.many_players.search import BestReply, MaxN, Paranoid, VectorSearch
from counterplay.search.root import RootMethod
from counterplay.search.suitability import require_budget
from counterplay.search.tracing.vector_tracer import VectorRecorder

if TYPE_CHECKING:
    from counterplay.search.tracing.tracer import RecordingTracer

Pruning = Literal["none", "star1", "star2"]


class Seeker(Player):
    """Iterative deepening by its method, within a depth, a time in seconds or a number of nodes."""

    name = ""
    usual: ClassVar[dict[str, Any]] = {"prune": True}

    def __init__(
        self, method: RootMethod, depth: int | None, time: float | None, nodes: int | None, **options: Any
    ) -> None:
        """`options` are those of the method, `evaluation`, a model, and `tables`, a folder; those equal to the `usual`
        ones are not shown."""
        require_budget(depth, time, nodes)
        self.evaluation, self.tables = EvaluationOption(options.get("evaluation")), TablesOption(options.get("tables"))
        self.method, self.depth, self.nodes = method, depth, nodes
        self.time, self.otherwise = time, SECONDS if depth is None and time is None and nodes is None else None
        budget = {"depth": depth, "time": time or self.otherwise, "nodes": nodes}
        given = {k: v for k, v in (budget | options).items() if v is not None and v != self.usual.get(k)}
        self.spec = spec_of(self.name, given)

    def require(self, game: Game) -> None:
        self.method.require(game)
        self.searched(game)

    def searched(self, game: Game) -> Game:
        """The game for the search: with a learned evaluation, with tables, or unchanged."""
        return self.evaluation.of(self.tables.of(game))

    def prepare(self, p: Playthrough) -> None:
        if not p.is_over and (p.to_move < 0 or self.tables.decision(p) is None):
            self.method.deepen(self.searched(p.game), p.state, depth=1)

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        return self.tables.decision(p) or self.look(p, report, clock, every=False)

    def rank(self, p: Playthrough, report: Report | None = None) -> Decision:
        self.require_choice(p)
        return self.tables.decision(p) or self.look(p, report, None, every=True)

    def appraise(self, p: Playthrough, report: Report | None = None) -> Decision:
        return self.look(p, report, None, every=True)

    def look(self, p: Playthrough, report: Report | None, clock: Clock | None, every: bool) -> Decision:
        """The search itself."""
        seconds = thinking_time(p.to_move, clock, self.time, self.otherwise)
        return self.method.deepen(
            self.searched(p.game),
            p.state,
            depth=self.depth,
            seconds=seconds,
            nodes=self.nodes,
            every=every,
            before=p.before,
            report=report,
        )


class Averaging(Seeker):
    """A search with two sides and chance: pruned by Star1 or Star2, with a table in MB. If chance has more than
    `samples` events (0: no limit), that many are drawn by `seed`. `evaluation` is a learned one; `tables` is a folder
    of tables: positions in them are played perfectly."""

    kind: type[Expectiminimax]
    usual: ClassVar[dict[str, Any]] = {"prune": "star2", "samples": 0, "table": MEGABYTES, "seed": 0}

    def __init__(
        self,
        depth: int | None = None,
        time: float | None = None,
        nodes: int | None = None,
        prune: Pruning = "star2",
        samples: int = 0,
        table: float | Literal[False] = MEGABYTES,
        seed: int = 0,
        evaluation: str | None = None,
        tables: str | None = None,
    ) -> None:
        method = self.kind(prune, samples, float(table), seed)
        given: dict[str, Any] = {"prune": prune, "samples": samples, "table": table or False}
        given |= {"seed": seed * (samples > 0), "evaluation": evaluation, "tables": tables}
        super().__init__(method, depth, time, nodes, **given)

    def trace(self, p: Playthrough, recorder: RecordingTracer, deepening: bool = False) -> Decision:
        self.require_choice(p)
        if self.depth is None:
            raise CounterplayError(f"a trace needs a depth, such as {self.name}:depth=2")
        search = self.method.started(self.searched(p.game), p.state, self.depth, before=p.before)
        assert isinstance(search, ChanceSearch)
        return search.recorded(self.depth, recorder)


class ExpectiminimaxPlayer(Averaging):
    """The best action against one opponent and the dice (1 second by default)."""

    name, kind = "expectiminimax", Expectiminimax


class ParanoidPlayer(Averaging):
    """The best action if all others play against me (1 second by default)."""

    name, kind = "paranoid", Paranoid


class Selfish(Seeker):
    """A search for many players who are not all against me. `evaluation` is a learned one."""

    kind: type[MaxN] | type[BestReply]

    def __init__(
        self,
        depth: int | None = None,
        time: float | None = None,
        nodes: int | None = None,
        prune: bool = True,
        evaluation: str | None = None,
    ) -> None:
        super().__init__(self.kind(prune), depth, time, nodes, prune=prune, evaluation=evaluation)


class MaxNPlayer(Selfish):
    """The best action if everyone maximizes their own payoff (1 second by default)."""

    name, kind = "maxn", MaxN

    def recorder(self, game: Game, limit: int) -> RecordingTracer:
        return VectorRecorder(limit, game.players)

    def trace(self, p: Playthrough, recorder: RecordingTracer, deepening: bool = False) -> Decision:
        self.require_choice(p)
        if self.depth is None:
            raise CounterplayError(f"a trace needs a depth, such as {self.name}:depth=2")
        search = self.method.started(self.evaluation.of(p.game), p.state, self.depth, before=p.before)
        assert isinstance(search, VectorSearch)
        assert isinstance(recorder, VectorRecorder)
        return search.recorded(self.depth, recorder)


class BestReplyPlayer(Selfish):
    """The best action if one opponent at a time plays against me (1 second by default)."""

    name, kind = "bestreply", BestReply
