"""Recorded simulations in words: each path, what it found, and the final tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from counterplay.core.game import Game
    from counterplay.montecarlo.trace import ReplayedNode, SimulationTrace

KINDS = {"open": "playout", "end": "the end", "proven": "proven", "busy": "playout"}


def summary(trace: SimulationTrace) -> dict[str, object]:
    """A trace's summary as plain data."""
    nodes = 1 + sum(len(step["new"]) for step in trace.steps)
    told = {"game": trace.game, "player": trace.player, **trace.decision}
    return told | {"recorded": len(trace.steps), "nodes": nodes, "complete": trace.complete}


def in_words(trace: SimulationTrace) -> str:
    """The summary in words."""
    told = summary(trace)
    if trace.complete:
        return f"{told['recorded']:,} simulations, complete: {told['nodes']:,} nodes"
    return f"the first {told['recorded']:,} of {told['simulations']:,} simulations: {told['nodes']:,} nodes"


def sentences(trace: SimulationTrace, game: Game) -> Iterator[str]:
    """What each step does and why."""
    from counterplay.hidden.trace import history_of

    yield from (step.words for step in history_of(trace, game).steps)


def outline(trace: SimulationTrace) -> Iterator[str]:
    """One line per simulation: the path down, what was found there, what was backed up; then the visited nodes."""
    from counterplay.montecarlo.trace import replay

    nodes: list[ReplayedNode] = []
    width = len(str(len(trace.steps)))
    for i, (step, nodes) in enumerate(zip(trace.steps, replay(trace), strict=True), 1):
        way = " ".join(nodes[k].action or "" for k in step["way"][1:]) or "(root)"
        yield f"{i:{width}}  {way}  {KINDS[step['leaf']]} {valued(step['backed_up'])}"
    below: dict[int, list[int]] = {}
    for k, node in enumerate(nodes):
        if node.parent is not None and node.visits:
            below.setdefault(node.parent, []).append(k)
    if nodes:
        yield (
            f"visits and averages, from the point of view of {trace.players[0]}:"
            if len(trace.players) == 2
            else "visits and averages:"
        )
        yield from branch(trace, nodes, below, 0, 0)


def branch(
    trace: SimulationTrace, nodes: list[ReplayedNode], below: dict[int, list[int]], k: int, depth: int
) -> Iterator[str]:
    """A node and what is below it, the most visited first."""
    node = nodes[k]
    known = node.bounds is not None and node.bounds[0] == node.bounds[1]
    proven = "  proven" if known else ""
    yield f"{'  ' * depth}{node.action or 'root'}  {node.visits}  {valued(node.value)}{proven}"
    for child in sorted(below.get(k, []), key=lambda child: -nodes[child].visits):
        yield from branch(trace, nodes, below, child, depth + 1)


def valued(value: float | list[float] | None) -> str:
    """A value, or one for each player."""
    if isinstance(value, list):
        return " ".join(f"{each:+.3g}" for each in value)
    return "?" if value is None else f"{value:+.3g}" if value else "0"
