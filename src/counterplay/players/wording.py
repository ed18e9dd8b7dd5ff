"""Games, outcomes and searches in words and as data, the same in the terminal and in the browser."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.registry import load

if TYPE_CHECKING:
    from counterplay.core.playthrough import Playthrough
    from counterplay.search.decision import Decision

LONGEST = 12
"""The maximum length of a line shown."""


# Games.


def description(name: str) -> dict[str, Any]:
    """The description of a registered game; if it does not load or needs parameters, the reason."""
    try:
        game = load(name)
    except CounterplayError as wrong:
        return {"name": name, "description": str(wrong)}
    about = {"name": name, "description": first_sentence(type(game)), "parameters": game.parameters}
    return {**about, **game.traits._asdict()}


def first_sentence(cls: type[Game]) -> str:
    """The first line of a game's docstring."""
    return own_words(cls).partition("\n")[0]


def own_words(cls: type[Game]) -> str:
    """The docstring of a game's class, or of a class that it extends, but never that of `Game` itself."""
    written = (vars(each).get("__doc__") for each in cls.__mro__[: cls.__mro__.index(Game)])
    return inspect.cleandoc(next(filter(None, written), ""))


def title_of(game: Game | type[Game]) -> str:
    """The title of a game: its own, or its name or class in words."""
    cls = game if isinstance(game, type) else type(game)
    if own := vars(cls).get("title"):
        return str(own)
    words = vars(cls).get("name") or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__)
    first, *rest = words.split("-")
    return " ".join([first[:1].upper() + first[1:], *(word.lower() for word in rest)])


def side_of(game: Game, player: int) -> str:
    """A side's name by its look on the board: "red", not "red (x)"."""
    return re.sub(r" \(\w\)$", "", game.player_name(player))


def kind(about: dict[str, Any]) -> str:
    """The traits of a game in words."""
    players = "1 player" if about["players"] == 1 else f"{about['players']} players"
    words = ["chance"] * about["chance"] + ["hidden information"] * about["hidden"]
    of_any_sum = about["players"] > 1 and not about["zero_sum"]
    return ", ".join([players, *words, *["not zero-sum"] * of_any_sum])


def rules_of(game: Game) -> str:
    """The rules of a game: the docstring of its module, or else of its class, a paragraph per line."""
    cls = type(game)
    text = inspect.getdoc(inspect.getmodule(cls)) or own_words(cls) or "The game says nothing about its rules."
    return re.sub(r"(?<=\S)\n(?=\w)", " ", text.strip())


# Outcomes.


def outcome(p: Playthrough) -> str:
    """How a playthrough ended, in a sentence."""
    game, returns = p.game, p.returns
    names = [game.player_name(player) for player in range(game.players)]
    shares = ", ".join(f"{name} {value:+g}" for name, value in zip(names, returns, strict=True))
    best = max(returns)
    if game.players == 1 or not game.zero_sum or (any(returns) and returns.count(best) > 1):
        return f"over: {shares}"
    if not any(returns):
        return "over: a draw"
    winner = f"over: {names[returns.index(best)]} wins"
    return winner if sorted(returns) == [-1, 1] else f"{winner} ({shares})"


# Thoughts.


def as_data(p: Playthrough, found: Decision) -> dict[str, Any]:
    """A decision as plain data."""
    by_chance = {"value_to": p.game.player_name(p.game.viewer(p.state))} if p.to_move == CHANCE else {}
    return {
        "action": None if p.to_move == CHANCE else p.game.action_text(p.state, found.action),
        "value": found.value,
        "plies": found.plies,
        "line": line_of(p, found),
        "depth": found.depth,
        "nodes": found.nodes,
        "seconds": round(found.seconds, 6),
        "proven": found.proven,
        **by_chance,
    }


def ranking(p: Playthrough, found: Decision, wanted: bool) -> dict[str, Any]:
    """The evaluation of each action as plain data."""
    simulated = is_simulated(found)
    if not wanted and not simulated:
        return {}
    return {
        "actions": [
            {"action": p.game.action_text(p.state, each.action), "value": each.value, "plies": each.plies}
            | ({"visits": each.visits} if simulated else {})
            for each in found.options
        ]
    }


def line_of(p: Playthrough, found: Decision) -> list[str]:
    """The line that a player expects, as text."""
    s, line = p.state, []
    for action in found.line:
        line.append(p.game.action_text(s, action))
        s = p.game.result(s, action)
    return line


def in_words(p: Playthrough, found: Decision) -> str:
    """A player's decision as text."""
    parts = []
    if found.value is not None:
        whose = f" to {p.game.player_name(p.game.viewer(p.state))}" if p.to_move == CHANCE else ""
        parts.append(
            f"value {worth(p.game, found.value, found.plies, is_simulated(found) and not found.proven)}{whose}"
        )
    if found.options and all(each.prior is not None and not each.visits for each in found.options):
        mixed = (f"{p.game.action_text(p.state, each.action)} {each.prior:.2f}" for each in found.options)
        parts.append(f"mixes {', '.join(mixed)}")
    if found.proven:
        parts.append("proven")
    if found.depth:
        parts.append(f"{plural(found.depth)} ahead")
    if found.nodes:
        noun = "simulation" if is_simulated(found) else "state"
        parts.append(f"{found.nodes:,} {noun}{'s' * (found.nodes != 1)}")
    if len(found.line) > 1:
        line = line_of(p, found)
        parts.append(f"expects {' '.join(line[:LONGEST])}{' ...' if len(line) > LONGEST else ''}")
    return ", ".join(parts) or ("no value" if found.seconds else "at random")


def worth(game: Game, value: float, plies: int | None = None, simulated: bool = False) -> str:
    """A value for people: in the game's own units, or as a number with its sign and, if the end is in sight, its
    distance. For simulations of a game that is won or lost, it is the percentage of wins; a draw counts half."""
    if simulated and plies is None and is_won_or_lost(game) and -1 < value < 1:
        return f"{(1 + value) / 2:.0%} to win"
    if not simulated and (own := game.value_text(value, plies)):
        return own
    return plain(value, plies)


def plain(value: float, plies: int | None = None) -> str:
    """A value as a number with its sign and, if the end is in sight, its distance."""
    told = f"{value:+.3g}" if value else "0"
    return told if plies is None else f"{told} in {plural(plies)}"


def is_simulated(found: Decision) -> bool:
    """Whether a value is an average over simulations."""
    return "simulations" in found.counts


def is_won_or_lost(game: Game) -> bool:
    """Whether the game is zero-sum for two players and only won, lost or drawn."""
    return game.players == 2 and game.zero_sum and game.utility_bounds == (-1.0, 1.0)


def plural(plies: int) -> str:
    """1 ply, 2 plies."""
    return f"{plies} {'ply' if plies == 1 else 'plies'}"
