"""Traces: a recorded search as a JSON file that can be replayed step by step.

docs/search/traces.md describes the file. Values and windows are in the game's units and from the point of view of the
player who moves at the node, as the search itself sees them; a window's open end is null."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.core.registry import load
from counterplay.core.types import State
from counterplay.search.decision import Decision
from counterplay.search.engine.transposition_table import NO_ACTION
from counterplay.search.memory import Scale
from counterplay.search.tracing.pieces import pieces
from counterplay.search.tracing.tracer import REASONS, RecordingTracer

FORMAT, VERSION = "counterplay-trace", 1
ENTRIES = ("root", "action", "null move", "same position")
"""How a node is entered: the last two are a pass that tests the position, and a shallower search of it."""
BOUNDS = ("exact", "lower", "upper")

Event = dict[str, Any]


class Trace(NamedTuple):
    """A recorded search."""

    game: str  # its spec
    start: str | None  # the position that play began from; None: the game's own start
    moves: list[str]  # from there to the root of the search
    position: str  # the root, as text
    players: list[str]  # their names
    player: str  # the spec of the player who searched
    decision: dict[str, Any]  # action, value, plies, line, depth, nodes, proven
    happened: int  # how many events there were
    complete: bool  # whether all of them are here
    passes: list[dict[str, Any]]  # where each search of the root begins: event, depth, alpha, beta
    events: list[Event]

    def opening(self) -> Playthrough:
        """The playthrough whose last position was searched."""
        return load(self.game).start(" ".join(self.moves), position=self.start)

    def text(self) -> str:
        """The text of the file, one event per line."""
        return as_file({"format": FORMAT, "version": VERSION, **self._asdict()}, "events")


class ReplayStep(NamedTuple):
    """An event of a replay."""

    event: Event
    path: tuple[
        str, ...
    ]  # the actions from the root to the node concerned (for a pruned action: to where it would lead)
    state: State  # the node's state


def as_file(data: dict[str, Any], rows: str) -> str:
    """JSON with a line for each field, and for each entry of the field `rows`, which comes last."""
    lines = [f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in data.items() if k != rows]
    entries = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in data[rows])
    return "{\n" + ",\n".join(lines) + f',\n"{rows}": [\n{entries}\n]\n}}\n'


def from_file(path: Path | str) -> Any:
    """The JSON in a file."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as wrong:
        raise CounterplayError(f"cannot read {str(path)!r}: {(wrong.strerror or str(wrong)).lower()}") from None
    except ValueError as wrong:
        raise CounterplayError(f"{path} is not JSON: {wrong}") from None


# From a recorder.


class Open(NamedTuple):
    """A node that has been entered and not left."""

    state: State
    ply: int
    alpha: float  # from the search's point of view
    beta: float
    unseen: list[str]  # the actions that were not searched


def compose(
    p: Playthrough,
    recorder: RecordingTracer,
    found: Decision,
    *,
    game: str,
    player: str,
    start: str | None = None,
    limit: int | None = None,
    opened: Sequence[int] = (),
) -> Trace:
    """The trace of a search of `p`, with the specs and the starting position as the user wrote them. With a `limit` it
    is a piece of the trace: the upper levels, and those below the `opened` nodes (pieces.py)."""
    raw = recorder.events()
    if limit is not None and (opened or len(raw) > limit):
        raw = pieces(raw, limit, opened)
    events = list(_translate(p.game, p.state, raw))
    passes = [
        {"event": i, **{name: event[name] for name in ("depth", "alpha", "beta")}}
        for i, event in enumerate(events)
        if event["event"] == "enter" and event["by"] == "root"
    ]
    s, line = p.state, []
    for action in found.line:
        line.append(p.game.action_text(s, action))
        s = p.game.result(s, action)
    told = found._asdict()
    decision = {"action": p.game.action_text(p.state, found.action), "line": line}
    decision |= {name: told[name] for name in ("value", "plies", "depth", "nodes", "proven")}
    names = [p.game.player_name(i) for i in range(p.game.players)]
    happened = recorder.used
    complete = recorder.complete and len(raw) == happened and _is_closed(events)
    return Trace(game, start, p.moves, p.position, names, player, decision, happened, complete, passes, events)


def _translate(game: Game, root: State, events: list[Event]) -> Iterator[Event]:
    """A recorder's events with actions and values as people write them."""
    scale, stack = Scale.of(game), list[Open]()
    for raw in events:
        if raw["event"] == "enter":
            here = stack[-1] if stack else None
            by = "root" if here is None else _entry(here, raw)
            action, s = None, root if here is None else here.state
            if by == "action":
                action, s = game.action_text(s, raw["action"]), game.result(s, raw["action"])
            elif by == "null move":
                s = game.null(s)
            stack.append(Open(s, raw["ply"], raw["alpha"], raw["beta"], []))
            told = {"event": "enter", "ply": raw["ply"], "by": by, "action": action}
            told |= {"player": raw["player"], "depth": raw["depth"]}
            told |= {name: raw[name] for name in ("at", "hidden") if name in raw}
            yield told | {"alpha": _shown(scale, raw["alpha"]), "beta": _shown(scale, raw["beta"])}
        elif raw["event"] == "leave":
            node = stack.pop()
            bound = "lower"  # one action was tried
            if raw["why"] != "probed":
                bound = _bound(node, raw["value"], game.has_noise or raw["why"] not in ("terminal", "horizon"))
            if "values" in raw:
                bound = "lower" if node.unseen else "exact"
            told = {"event": "leave", "ply": raw["ply"], "value": _shown(scale, raw["value"])}
            if "values" in raw:
                told["values"] = [_shown(scale, value) for value in raw["values"]]
            told |= {"plies": scale.plies(raw["value"]) or None, "bound": bound, "why": raw["why"]}
            yield told | {"cut": bound == "lower" and raw["why"] == "searched" and bool(node.unseen)}
        else:
            action = game.action_text(stack[-1].state, raw["action"])
            stack[-1].unseen.append(action)
            yield {"event": "pruned", "ply": raw["ply"], "action": action}


def _entry(above: Open, raw: Event) -> str:
    """How a node below another is entered."""
    if raw["ply"] == above.ply:
        return "same position"
    return "null move" if raw["action"] == NO_ACTION else "action"


def _bound(node: Open, value: float, by_search: bool) -> str:
    """What kind of bound a value found within a window is; a leaf's own value is always exact."""
    if by_search and value >= node.beta:
        return "lower"
    return "upper" if by_search and value <= node.alpha else "exact"


def _shown(scale: Scale, value: float) -> float | None:
    """A value or an end of a window in the game's units."""
    return scale.plain(value) if math.isfinite(value) else None


def _is_closed(events: list[Event]) -> bool:
    """Whether every node that was entered was left: not if the search was stopped."""
    return sum(event["event"] == "enter" for event in events) == sum(event["event"] == "leave" for event in events)


# From a file.

NUMBER = (int, float)
OPTIONAL = (int, float, type(None))
FIELDS: dict[str, Any] = {
    "game": str,
    "start": (str, type(None)),
    "moves": list,
    "position": str,
    "players": list,
    "player": str,
    "decision": dict,
    "happened": int,
    "complete": bool,
    "passes": list,
    "events": list,
}
EVENTS: dict[str, dict[str, Any]] = {
    "enter": {
        "ply": int,
        "by": ENTRIES,
        "action": (str, type(None)),
        "player": int,
        "depth": int,
        "alpha": OPTIONAL,
        "beta": OPTIONAL,
    },
    "leave": {
        "ply": int,
        "value": NUMBER,
        "plies": (int, type(None)),
        "bound": BOUNDS,
        "why": REASONS,
        "cut": bool,
    },
    "pruned": {"ply": int, "action": str},
}


def read_trace(path: Path | str) -> Trace:
    """Read a trace from a file. Anything else is rejected, with the location of the error."""
    data = from_file(path)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise CounterplayError(f'{path} is not a trace: it lacks "format": "{FORMAT}"')
    if data.get("version") != VERSION:
        raise CounterplayError(f"{path} is a trace of version {data.get('version')!r}; this program reads {VERSION}")
    _require_fields(data, FIELDS, str(path))
    trace = Trace(**{name: data[name] for name in FIELDS})
    depth = 0
    for i, event in enumerate(trace.events):
        place = f"{path}, event {i}"
        kind = event.get("event") if isinstance(event, dict) else None
        if kind not in EVENTS:
            raise CounterplayError(f'{place}: "event" must be enter, leave or pruned')
        _require_fields(event, EVENTS[kind], place)
        if (kind != "enter" and depth == 0) or (kind == "enter" and (event["by"] == "root") != (depth == 0)):
            raise CounterplayError(f"{place}: {kind} does not fit here: {depth} nodes are open")
        depth += {"enter": 1, "leave": -1}.get(kind, 0)
    if trace.complete and (depth or trace.happened != len(trace.events)):
        raise CounterplayError(f"{path}: the trace says that it is complete, but events are missing")
    return trace


def _require_fields(data: dict[str, Any], fields: dict[str, Any], place: str) -> None:
    for name, wanted in fields.items():
        if name not in data:
            raise CounterplayError(f'{place}: "{name}" is missing')
        value = data[name]
        if isinstance(wanted, tuple) and isinstance(wanted[0], str):
            if value not in wanted:
                raise CounterplayError(f'{place}: "{name}" must be {", ".join(wanted[:-1])} or {wanted[-1]}')
        elif not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            raise CounterplayError(f'{place}: "{name}" is {value!r}, which is of the wrong kind')


def replay(trace: Trace) -> Iterator[ReplayStep]:
    """Go through the search again, event by event; every action must be legal where it was searched."""
    p = trace.opening()
    game, paths, states = p.game, list[tuple[str, ...]](), list[Any]()
    for event in trace.events:
        if event["event"] == "enter":
            path, s = (paths[-1], states[-1]) if paths else ((), p.state)
            if event["by"] == "action":
                path, s = (*path, event["action"]), game.result(s, game.parse_action(s, event["action"]))
            elif event["by"] == "null move":
                path, s = (*path, "pass"), game.null(s)
            paths.append(path)
            states.append(s)
            yield ReplayStep(event, path, s)
        elif event["event"] == "leave":
            yield ReplayStep(event, paths.pop(), states.pop())
        else:
            game.parse_action(states[-1], event["action"])
            yield ReplayStep(event, (*paths[-1], event["action"]), states[-1])
