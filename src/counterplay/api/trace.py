"""`trace`: a recorded search, to be replayed step by step."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterplay.api import trace_outline, trace_simulations
from counterplay.api.position import AnyPosition, player_for, position_of
from counterplay.api.result import Result
from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import write_whole
from counterplay.core.game import Game
from counterplay.montecarlo.trace import SimulationTrace
from counterplay.players.hidden import InformationSetSearch
from counterplay.players.montecarlo import Simulating
from counterplay.search.background import beside
from counterplay.search.tracing.trace import Trace, compose

LIMIT, MOST = 100_000, 1_000_000
"""The default number of events kept; and the maximum."""


@dataclass(frozen=True, repr=False)
class TraceResult(Result):
    """A recorded search. `print(result.outline())` shows the tree that it searched."""

    game: Game
    trace: Trace | SimulationTrace
    summary: dict[str, Any] = field(compare=False)  # the decision, and how much was recorded
    text: str = field(compare=False)

    def outline(self) -> str:
        """The steps as text, one line for each node (or simulation)."""
        if isinstance(self.trace, Trace):
            return "\n".join(trace_outline.outline(self.trace))
        return "\n".join(trace_simulations.outline(self.trace))

    def steps(self) -> str:
        """Each step in one sentence, with its reason."""
        if isinstance(self.trace, Trace):
            return "\n".join(trace_outline.sentences(self.trace, self.game))
        return "\n".join(trace_simulations.sentences(self.trace, self.game))

    def save(self, file: str | Path) -> None:
        """Write the trace as a JSON file."""
        write_whole(Path(file), self.trace.text())

    def to_json(self) -> dict[str, Any]:
        """The whole trace as plain data, the same that `save` writes."""
        data: dict[str, Any] = json.loads(self.trace.text())
        return data

    def __str__(self) -> str:
        return self.text


def trace(
    game: AnyPosition,
    player: str = "alphabeta",
    *,
    position: str | None = None,
    moves: str = "",
    depth: int | None = None,
    limit: int = LIMIT,
    deepening: bool = False,
    progress: Callable[[int], None] | None = None,
) -> TraceResult:
    """Every step of a search: the nodes that it enters and leaves, with their windows and values, and what it prunes; for a
    player that simulates, the tree after each simulation.

    At most `limit` events are kept. With `deepening` every depth on the way is traced, not only the last. `progress`
    receives the number of events so far, or of simulations.
    """
    if not 1 <= limit <= MOST:
        raise CounterplayError(f"--limit must be from 1 to {MOST} events, not {limit}")
    p = position_of(game, position, moves)
    spec, start = game if isinstance(game, str) else p.game.spec, p._position
    with player_for(p, player, depth=depth) as chosen:
        chosen.require(p.game)  # before asking for a depth, which would not help
        if isinstance(chosen, (Simulating, InformationSetSearch)):
            simulated = chosen.record(p, limit, game=spec, start=start, report=progress)
            summary = trace_simulations.summary(simulated)
            return TraceResult(p.game, simulated, summary, trace_simulations.in_words(simulated))
        recorder = chosen.recorder(p.game, limit)

        def heard() -> None:
            if progress is not None:
                progress(int(recorder.used))

        found = beside(lambda: chosen.trace(p, recorder, deepening), heard)
        heard()
        written = compose(p, recorder, found, game=spec, player=chosen.spec, start=start)
        return TraceResult(p.game, written, trace_outline.summary(written), trace_outline.in_words(written))
