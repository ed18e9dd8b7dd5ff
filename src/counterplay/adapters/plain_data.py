"""Playthroughs and states as plain data for JSON, and back; `playthrough.schema.json` describes the format.

Numbers beyond 53 bits are written as text, since many JSON readers would round them. Nothing in the data is ever run:
to read a playthrough of a game of your own, pass the game.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from counterplay.api.position import AnyGame, game_of
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.language.state import Kind, conforms, is_state, kinds
from counterplay.core.language.wide import WideInt
from counterplay.core.playthrough import Playthrough
from counterplay.core.registry import catalogue, is_spec_of
from counterplay.core.rules import legal

FORMAT = "counterplay playthrough 1"
EXACT = 1 << 53
"""Numbers from this size on are written as text."""


def schema(of: str = "playthrough") -> dict[str, Any]:
    """The JSON schema of a playthrough, as `to_json` returns it, or of a trace."""
    found: dict[str, Any] = json.loads((files("counterplay.adapters") / f"{of}.schema.json").read_text())
    return found


def to_json(p: Playthrough) -> dict[str, Any]:
    """A playthrough as plain data: the starting position, the actions, and the resulting position."""
    game, s = p.game, p.state
    over = bool(game.is_terminal(s))
    return {
        "format": FORMAT,
        "game": game.spec,
        "start": p._position,
        "actions": [int(action) for action in p.actions],
        "moves": p.moves,
        "position": game.position_text(s),
        "state": state_data(s, game),
        "to_move": None if over else int(game.to_move(s)),
        "legal": [] if over else [{"action": int(a), "text": game.action_text(s, a)} for a in legal(game, s)],
        "returns": [float(game.utility(s, player)) for player in range(game.players)] if over else None,
    }


def from_json(data: Mapping[str, Any], game: AnyGame | None = None) -> Playthrough:
    """The playthrough that `to_json` wrote. Pass your own game as well: data never names code that is run."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise CounterplayError(f"the data is not a playthrough: its `format` must be {FORMAT!r}")
    spec, actions, start = data.get("game"), data.get("actions"), data.get("start")
    if not isinstance(spec, str) or not isinstance(actions, list) or not isinstance(start, (str, type(None))):
        raise CounterplayError(
            "the data is not a playthrough: it needs `game` and `start` as strings and a list of `actions`"
        )
    if game is None and spec.partition(":")[0] not in catalogue():
        raise CounterplayError(f"{spec[:80]!r} is not one of our games: give the game as well, from_json(data, game)")
    rules = game_of(spec if game is None else game)
    if game is not None and not is_spec_of(spec, rules):
        raise CounterplayError(f"the data is a playthrough of {spec[:80]}, not of {rules.spec}")
    p = Playthrough(rules, position=start)
    for i, action in enumerate(actions):
        if type(action) is not int or rules.is_terminal(p.state) or action not in legal(rules, p.state):
            raise CounterplayError(f"action {i + 1} of the data, {str(action)[:80]!r}, is not legal there")
        p.play(action)
    if data.get("position") != rules.position_text(p.state):
        raise CounterplayError("the data is inconsistent: its actions do not lead to the position that it states")
    return p


def state_data(s: Any, game: Game) -> Any:
    """A state as plain data; None if it is an object of the game's own, which the text of the position stands for."""
    return written(s) if is_state(type(s)) else None


def state_from(data: Any, game: Game) -> Any:
    """The state that `state_data` wrote, each part checked against its declared type."""
    kind = type(game.initial())
    if not is_state(kind):
        raise CounterplayError(f"{game.spec} has custom states: read the position's text instead")
    try:
        return read(data, kind)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise CounterplayError(f"the data is not a state of {game.spec}, which has {', '.join(kind._fields)}") from None


def written(value: Any) -> Any:
    """A part of a state."""
    if hasattr(value, "_fields"):
        return {name: written(part) for name, part in zip(value._fields, value, strict=True)}
    if isinstance(value, tuple):
        return [written(part) for part in value]
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    number = int(value)
    return number if abs(number) < EXACT else str(number)


def read(data: Any, kind: Kind) -> Any:
    """A part of a state, of the declared kind; raises ValueError if it is not."""
    if isinstance(kind, tuple):
        if not isinstance(data, list):
            raise ValueError
        return tuple(read(part, each) for part, each in zip(data, kind, strict=True))
    if is_state(kind):
        fields: tuple[str, ...] = kind._fields
        if set(data) != set(fields):
            raise ValueError
        return kind(*(read(data[name], each) for name, each in zip(fields, kinds(kind), strict=True)))
    value = data
    if isinstance(data, str):
        value = float(data) if kind is float else int(data)
    if not conforms(value, kind) or (type(value) is bool) != (kind is bool):
        raise ValueError
    return kind(value) if issubclass(kind, (WideInt, float)) else value
