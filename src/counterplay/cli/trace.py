"""`trace`: a search written down, to be replayed step by step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.cli.options import Depth, GameSpec, Json, Moves, PlayerSpec, Position, whole_number
from counterplay.core.game import CHANCE

if TYPE_CHECKING:
    from counterplay.core.game import Game
    from counterplay.search.tracing.trace import Event, Trace

HAIR = 1e-5
"""The width of a null window, at most."""
LIMIT, MOST = 100_000, 1_000_000
"""How many events are kept where nobody says; and at most."""


def trace(
    game: GameSpec,
    position: Position = None,
    moves: Moves = "",
    player: PlayerSpec = "alphabeta",
    depth: Depth = None,
    file: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write it into this file, as JSON.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="EVENTS", parser=whole_number, help="Keep so many events at most.")
    ] = LIMIT,
    deepening: Annotated[
        bool, typer.Option("--deepening", help="Trace every depth on the way, not only the last.")
    ] = False,
    steps: Annotated[bool, typer.Option("--steps", help="Tell each step in a sentence, with its reason.")] = False,
    json: Json = False,
) -> None:
    """Write down every step of a search.

    Which nodes it enters and leaves, with which window and value, and what it prunes; of a player that simulates, the tree
    after each simulation. Without -o the steps are shown as an outline, all values in view of the player to move at the
    root (of simulations, of the first player).
    """
    from counterplay.cli import trace_simulations as simulations
    from counterplay.cli.arguments import open_game, open_player
    from counterplay.cli.terminal import console, note, wait_for, write_json, write_whole
    from counterplay.core.errors import CounterplayError
    from counterplay.core.formats.files import require_writable
    from counterplay.core.playthrough import open_playthrough
    from counterplay.players.hidden import InformationSetSearch
    from counterplay.players.montecarlo import Simulating
    from counterplay.search.tracing.trace import compose

    if not 1 <= limit <= MOST:
        raise CounterplayError(f"--limit must be from 1 to {MOST} events, not {limit}")
    if file is not None:
        require_writable(file)
    rules = open_game(game)
    p = open_playthrough(rules, position, moves)
    chosen = open_player(
        p, player, compiled=False, depth=depth
    )  # what a trace needs is compiled by itself, once it is clear
    if isinstance(chosen, (Simulating, InformationSetSearch)):
        simulated = wait_for(lambda: chosen.record(p, limit, game=game, start=position), "tracing")
        text, told, words = simulated.text(), simulations.summary(simulated), simulations.in_words(simulated)
        lines = simulations.sentences(simulated, rules) if steps else simulations.outline(simulated)
    else:
        recorder = chosen.recorder(rules, limit)
        found = wait_for(lambda: chosen.trace(p, recorder, deepening), "tracing")
        written = compose(p, recorder, found, game=game, player=chosen.spec, start=position)
        text, told, words = written.text(), summary(written), in_words(written)
        lines = sentences(written, rules) if steps else outline(written)
    if file is not None:
        write_whole(file, text)
    if json:
        write_json(told | ({} if file is None else {"file": str(file)}))
    elif file is not None:
        console().print(f"{words}: {file}")
    else:
        for line in lines:
            console().print(line)
        note(words)


def summary(trace: Trace) -> dict[str, object]:
    """What a trace holds, for programs."""
    kinds = [event["event"] for event in trace.events]
    counts = {"entered": kinds.count("enter"), "pruned": kinds.count("pruned")}
    told = {"game": trace.game, "player": trace.player, **trace.decision}
    return told | counts | {"events": len(kinds), "happened": trace.happened, "complete": trace.complete}


def in_words(trace: Trace) -> str:
    """The same for people."""
    told = summary(trace)
    seen = f"{told['entered']:,} nodes, {told['pruned']:,} actions pruned"
    if trace.complete:
        return f"{told['events']:,} events, complete: {seen}"
    return f"the first {told['events']:,} of {trace.happened:,} events: {seen}"


def sentences(trace: Trace, game: Game) -> Iterator[str]:
    """What each step does and why."""
    from counterplay.search.tracing.history import History
    from counterplay.search.tracing.sentences import Narrator

    history = History(trace, game)
    narrator = Narrator(history)
    yield from map(narrator.sentence, history.steps)


def outline(trace: Trace) -> Iterator[str]:
    """The tree that a search walked, a node a line, indented; the window comes first, then the value."""
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


def node_text(trace: Trace, root: int, entered: Event, left: Event | None) -> str:
    """A node in a line."""
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
    """A window in view of the root's player; (3, 3+) only asks whether there is more than 3."""
    low, high = entered["alpha"], entered["beta"]
    if not own:
        low, high = (None if end is None else 0.0 - end for end in (high, low))
    opens, closes = "-inf" if low is None else f"{low:g}", "inf" if high is None else f"{high:g}"
    if low is not None and high is not None and high - low < HAIR * max(1.0, abs(low)):
        closes = f"{opens}+"
    return f"({opens}, {closes})"
