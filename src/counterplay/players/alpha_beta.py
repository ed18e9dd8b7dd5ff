"""Alpha-beta with every refinement, each technique an option."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.options import spec_of
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.players.clock import SECONDS, Clock, allowance
from counterplay.players.evaluation_option import EvaluationOption
from counterplay.players.player import Player
from counterplay.players.tables_option import TablesOption
from counterplay.search.decision import Decision, Report
from counterplay.search.engine.decide import decide
from counterplay.search.engine.multipv import rank
from counterplay.search.engine.probcut import read_cuts
from counterplay.search.engine.techniques import SOUND, Technique, default_for
from counterplay.search.engine.transposition_table import TranspositionTable
from counterplay.search.suitability import DEPTH, require_budget, require_suitable

if TYPE_CHECKING:
    from counterplay.search.tracing.tracer import RecordingTracer

MEGABYTES, MOST_MEGABYTES, LEAST_MEGABYTES = 64, 1 << 16, 0.001
MOST_THREADS = 256
Number = int | Literal[False]


class AlphaBeta(Player):
    """Alpha-beta within a depth, a time in seconds or a number of nodes (1 second by default).

    `techniques` selects the initial set: the usual one for the game, only those that change no value at a fixed depth
    (sound), or none; each technique can then be switched on or off. `table` is in MB: 64, or off if no technique is on.
    `evaluation` is a learned one: a model's file or name. `tables` is a folder of tables (`tables build`): positions in
    them are played perfectly. `cuts` is what ProbCut relies on (`counterplay probcut` finds it), a file or the name of
    one shipped with the package; with it, `probcut` is on unless switched off.
    """

    def __init__(
        self,
        depth: int | None = None,
        time: float | None = None,
        nodes: int | None = None,
        table: float | Literal[False] | None = None,
        threads: int = 1,
        beam: Number = 0,
        chip: Number = 0,
        secondary: Number = 0,
        techniques: Literal["usual", "sound", "none"] = "usual",
        pvs: bool | None = None,
        ordering: bool | None = None,
        killers: bool | None = None,
        history: bool | None = None,
        counters: bool | None = None,
        iid: bool | None = None,
        aspiration: bool | None = None,
        symmetry: bool | None = None,
        mtdf: bool | None = None,
        deeper: bool | None = None,
        quiescence: bool | None = None,
        null_move: bool | None = None,
        futility: bool | None = None,
        reductions: bool | None = None,
        extensions: bool | None = None,
        static: bool | None = None,
        late: bool | None = None,
        exchanges: bool | None = None,
        circles: bool | None = None,
        singular: bool | None = None,
        probcut: bool | None = None,
        cuts: str | None = None,
        evaluation: str | None = None,
        tables: str | None = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        require_budget(depth, time, nodes)
        usual: dict[str, Any] = {"table": MEGABYTES, "threads": 1, "techniques": "usual"}
        usual |= {"beam": 0, "chip": 0, "secondary": 0}
        if techniques == "none":
            usual["table"] = 0
        table = usual["table"] if table is None else table
        require_range("table", table, 0, MOST_MEGABYTES, "MB, or off")
        require_range("threads", threads, 1, MOST_THREADS, "threads")
        require_range("beam", beam, 0, 1 << 20, "actions, 0 or off for all")
        require_range("chip", chip, 0, DEPTH, "plies, 0 or off for none")
        require_range("secondary", secondary, 0, DEPTH, "plies, 0 or off for none")
        self.depth, self.nodes = depth, nodes
        self.time, self.otherwise = time, SECONDS if depth is None and time is None and nodes is None else None
        self.megabytes, self.threads = float(table), threads
        self.beam, self.chip, self.secondary = int(beam), int(chip), int(secondary)
        self.basis = techniques
        self.switched = {t: given.get(t.words) for t in Technique if t is not Technique.TABLE}
        given |= {"time": time or self.otherwise, "table": table or False}
        self.spec = spec_of("alphabeta", {k: v for k, v in given.items() if v is not None and v != usual.get(k)})
        self.evaluation, self.tables = EvaluationOption(evaluation), TablesOption(tables)
        if probcut and cuts is None:
            raise CounterplayError(
                "alphabeta: probcut=on needs cuts=FILE, which `counterplay probcut GAME -o FILE` writes"
            )
        if cuts is not None and probcut is None:
            self.switched[Technique.PROBCUT] = True
        self._read = None if cuts is None else read_cuts(cuts)
        self._table: TranspositionTable | None = None
        self._owner: Game | None = None

    def require(self, game: Game) -> None:
        require_suitable(game, None, "alphabeta")
        self.searched(game)
        if self._read is not None:
            self._read.require(game)

    def searched(self, game: Game) -> Game:
        """The game for the search: with a learned evaluation, with tables, or unchanged."""
        return self.evaluation.of(self.tables.of(game))

    def prepare(self, p: Playthrough) -> None:
        if p.is_over:
            self.require(p.game)
        elif self.tables.decision(p) is None:
            game, table = self.searched(p.game), self.table(p.game)
            decide(game, p.state, depth=1, techniques=self.techniques(p.game), table=table, before=p.before)

    def techniques(self, game: Game) -> Technique:
        """The techniques in use for this game."""
        usual = default_for(game)
        chosen = {"usual": usual, "sound": SOUND & usual, "none": Technique.TABLE}[self.basis]
        for technique, on in self.switched.items():
            if on is not None:
                chosen = chosen | technique if on else chosen & ~technique
        return chosen if self.megabytes else chosen & ~Technique.TABLE

    def table(self, game: Game) -> TranspositionTable:
        """The table, kept from action to action of one game; its memory is allocated before the clock runs."""
        if self._table is None or self._owner != game:
            self._table, self._owner = TranspositionTable(self.megabytes or LEAST_MEGABYTES), game
            self._table.occupy()
        return self._table

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        if known := self.tables.decision(p):
            return known
        time = allowance(p.to_move, clock, self.time, self.otherwise)
        found = decide(
            self.searched(p.game),
            p.state,
            depth=self.depth,
            seconds=time.hard,
            soft=time.soft,
            nodes=self.nodes,
            techniques=self.techniques(p.game),
            table=self.table(p.game),
            threads=self.threads,
            beam=self.beam,
            chip=self.chip,
            cuts=self._read,
            secondary=self.secondary,
            before=p.before,
            report=report,
        )
        return found if self.tables.folder is None else found._replace(plies=None)  # a table knows the rest

    def rank(self, p: Playthrough, report: Report | None = None) -> Decision:
        self.require_choice(p)
        if known := self.tables.decision(p):
            return known
        return rank(
            self.searched(p.game),
            p.state,
            depth=self.depth,
            seconds=self.time or self.otherwise,
            nodes=self.nodes,
            techniques=self.techniques(p.game),
            table=self.table(p.game),
            beam=self.beam,
            chip=self.chip,
            cuts=self._read,
            before=p.before,
            report=report,
        )

    def trace(self, p: Playthrough, recorder: RecordingTracer, deepening: bool = False) -> Decision:
        self.require_choice(p)
        if self.depth is None:
            raise CounterplayError("a trace needs a depth, such as alphabeta:depth=4")
        return decide(
            self.searched(p.game),
            p.state,
            depth=self.depth,
            seconds=self.time or self.otherwise,
            nodes=self.nodes,
            techniques=self.techniques(p.game),
            table=TranspositionTable(self.megabytes or LEAST_MEGABYTES),
            beam=self.beam,
            chip=self.chip,
            cuts=self._read,
            first=1 if deepening else self.depth,
            before=p.before,
            tracer=recorder,
        )


def require_range(name: str, value: float, least: float, most: float, what: str) -> None:
    """Refuse an amount out of range."""
    if not least <= value <= most:
        raise CounterplayError(f"alphabeta: {name}={value:g} must be from {least} to {most} {what}")
