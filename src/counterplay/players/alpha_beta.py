"""The player that looks ahead by alpha-beta with everything that sharpens it, each technique an option."""

from __future__ import annotations

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.players.player import Player, Thought
from counterplay.search.decision import Decision
from counterplay.search.deepening import Report, decide
from counterplay.search.suitable import require_budget, require_suitable
from counterplay.search.table import Table
from counterplay.search.technique import Technique, default_for

SECONDS = 1.0
"""How long it thinks where nobody says."""


class AlphaBeta(Player):
    """Alpha-beta within a depth, a time in seconds or a number of nodes (1 second, unless told otherwise).

    `table` is in MB; the techniques are on where they pay and can be switched on or off one by one.
    """

    def __init__(
        self,
        depth: int | None = None,
        time: float | None = None,
        nodes: int | None = None,
        table: float = 64,
        threads: int = 1,
        beam: int = 0,
        secondary: int = 0,
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
    ) -> None:
        require_budget(depth, time, nodes)
        if table < 0 or threads < 1 or beam < 0 or secondary < 0:
            raise CounterplayError("alphabeta: table, beam and secondary are 0 or more, threads 1 or more")
        given = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        self.depth, self.nodes = depth, nodes
        self.time = SECONDS if depth is None and time is None and nodes is None else time
        self.megabytes, self.threads, self.beam, self.secondary = table, threads, beam, secondary
        self.switched = {t: given[t.name.lower()] for t in Technique if t.name and t.name.lower() in given}
        self.switched[Technique.TABLE] = None if table else False
        defaults = {"table": 64, "threads": 1, "beam": 0, "secondary": 0}
        given["time"] = self.time
        options = {name: value for name, value in given.items() if value is not None and defaults.get(name) != value}
        self.spec = "alphabeta:" + ",".join(f"{name}={_written(value)}" for name, value in options.items())
        self._table: Table | None = None

    def require(self, game: Game) -> None:
        require_suitable(game, None, "alphabeta")

    def prepare(self, p: Playthrough) -> None:
        self.require(p.game)
        if not p.is_over:
            decide(p.game, p.state, depth=1, techniques=self.techniques(p.game), table=self.table())

    def techniques(self, game: Game) -> Technique:
        """What pays for this game, with what was switched."""
        chosen = default_for(game)
        for technique, on in self.switched.items():
            if on is not None:
                chosen = chosen | technique if on else chosen & ~technique
        return chosen

    def table(self) -> Table:
        """The table, kept from action to action."""
        if self._table is None:
            self._table = Table(self.megabytes or 0.001)
        return self._table

    def search(self, p: Playthrough, report: Report | None = None) -> Decision:
        """What the search finds in `p`; `report` hears of each completed depth."""
        return decide(
            p.game,
            p.state,
            depth=self.depth,
            seconds=self.time,
            nodes=self.nodes,
            techniques=self.techniques(p.game),
            table=self.table(),
            threads=self.threads,
            beam=self.beam,
            secondary=self.secondary,
            report=report,
        )

    def think(self, p: Playthrough) -> Thought:
        found = self.search(p)
        return Thought(found.action, found.value + 0.0, found.depth, found.nodes, found.line)


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)
