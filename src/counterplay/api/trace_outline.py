"""A recorded search in words: the tree that it searched, one node per line."""

from __future__ import annotations

from collections.abc import Iterator

from counterplay.core.game import CHANCE, Game
from counterplay.search.tracing.trace import Event, Trace

HAIR = 1e-5
"""The maximum width of a null window."""


def summary(trace: Trace) -> dict[str, object]:
    """A trace's summary as plain data."""
    kinds = [event["event"] for event in trace.events]
    counts = {"entered": kinds.count("enter"), "pruned": kinds.count("pruned")}
    told = {"game": trace.game, "player": trace.player, **trace.decision}
    return told | counts | {"events": len(kinds), "happened": trace.happened, "complete": trace.complete}


def in_words(trace: Trace) -> str:
    """The summary in words."""
    told = summary(trace)
    seen = f"{told['entered']:,} nodes, {told['pruned']:,} actions pruned"
    if trace.complete:
        return f"{told['events']:,} events, complete: {seen}"
    return f"the first {told['events']:,} of {trace.happened:,} events: {seen}"


def outline(trace: Trace) -> Iterator[str]:
    """The tree of a search, one node per line, indented; the window comes first, then the value."""
    root = trace.events[0]["player"] if trace.events else 0
    lines: list[tuple[int, Event, Event | None]] = []  # indentation, how it was entered (or pruned), how it was left
    open_nodes: list[int] = []
    for event in trace.events:
        if event["event"] == "leave":
            depth, entered, _ = lines[open_nodes[-1]]
            lines[open_nodes.pop()] = (depth, entered, event)
        else:
            lines.append((len(open_nodes), event, None))
            if event["event"] == "enter":
                open_nodes.append(len(lines) - 1)
    for depth, entered, left in lines:
        yield "  " * depth + node_text(trace, root, entered, left)


def sentences(trace: Trace, game: Game) -> Iterator[str]:
    """What each step does and why."""
    from counterplay.search.tracing.history import History
    from counterplay.search.tracing.sentences import Narrator

    history = History(trace, game)
    narrator = Narrator(history)
    yield from map(narrator.sentence, history.steps)


def node_text(trace: Trace, root: int, entered: Event, left: Event | None) -> str:
    """A node in one line."""
    if entered["event"] == "pruned":
        return f"{entered['action']}  pruned"
    own = entered["player"] in (root, CHANCE)
    label = {"action": entered["action"], "root": "", "null move": "pass", "same position": "again"}[entered["by"]]
    if left is None:
        return f"{label}  {window(entered, own)}  not left".strip()
    value = left["value"] if own else 0.0 - left["value"]
    sign = {"exact": "", "lower": ">= " if own else "<= ", "upper": "<= " if own else ">= "}[left["bound"]]
    if left["why"] in ("terminal", "horizon"):
        return f"{label}  {value:g}"
    soon = f" in {left['plies']}" if left["plies"] else ""
    who = "chance" if entered["player"] == CHANCE else trace.players[entered["player"]]
    note = {"table": "  (table)", "null move": "  (null move)"}.get(left["why"], "")
    shallow = f" to depth {entered['depth']}" if entered["by"] in ("same position", "root") else ""
    return f"{label}  {who}{shallow} {window(entered, own)}  {sign}{value:g}{soon}{note}".strip()


def window(entered: Event, own: bool) -> str:
    """A window from the point of view of the root's player; (3, 3+) only asks whether there is more than 3."""
    low, high = entered["alpha"], entered["beta"]
    if not own:
        low, high = (None if end is None else 0.0 - end for end in (high, low))
    opens, closes = "-inf" if low is None else f"{low:g}", "inf" if high is None else f"{high:g}"
    if low is not None and high is not None and high - low < HAIR * max(1.0, abs(low)):
        closes = f"{opens}+"
    return f"({opens}, {closes})"
