"""What each rule may return: one check per rule, whose error names the rule, its line, what it returned and what it
should."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from counterplay.core.calling import ask, refuse
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.state import conforms, is_state, kinds
from counterplay.core.language.wide import WideInt
from counterplay.core.purity import ask_twice, list_twice, told
from counterplay.core.rules import payoff
from counterplay.core.types import State

TOLERANCE = 1e-9


class LegalOptions(NamedTuple):
    """What can happen in a state."""

    actions: tuple[int, ...]
    chances: tuple[float, ...] = ()  # the probability of each, if chance moves


def answer(game: Game, careful: bool, name: str, s: State, *args: Any) -> Any:
    """A rule's answer; if `careful`, it is asked twice."""
    return (ask_twice if careful else ask)(game, name, s, *args)


def check_state(game: Game, name: str, s: State, wanted: Any) -> None:
    """A state must be of the class that `initial` gave, with fields of the declared types."""
    if s is None:
        raise refuse(game, name, f"`{name}` returns None; it must return a state (is there a `return`?)")
    if type(s) is not wanted:
        raise refuse(game, name, f"`{name}` returns a {type(s).__name__}, but `initial` a {wanted.__name__}")
    if is_state(wanted) and not conforms(s, wanted):
        fields: tuple[str, ...] = vars(wanted)["_fields"]
        values: tuple[Any, ...] = s
        for field, value, kind in zip(fields, values, kinds(wanted), strict=True):
            if not conforms(value, kind):
                said = f"a tuple of {len(kind)}" if isinstance(kind, tuple) else kind.__name__
                raise refuse(game, name, f"`{name}` sets {wanted.__name__}.{field}, declared as {said}, to {value!r}")


def check_end(game: Game, s: State, careful: bool) -> bool:
    """`is_terminal` must return a bool."""
    ended = answer(game, careful, "is_terminal", s)
    if not isinstance(ended, int) and type(ended).__name__ not in ("bool", "bool_"):
        raise refuse(game, "is_terminal", f"`is_terminal` returns {ended!r}; it must be True or False")
    return bool(ended)


def check_mover(game: Game, s: State, careful: bool) -> int:
    """The player to move must be one of the game's, even when the game is over."""
    mover = answer(game, careful, "to_move", s)
    if isinstance(mover, bool):
        raise refuse(
            game, "to_move", f"`to_move` returns {mover}, a bool; it must be a player's number: write int(...)"
        )
    if not hasattr(mover, "__index__"):
        raise refuse(game, "to_move", f"`to_move` returns {mover!r}; it must be a player's number or CHANCE")
    mover = int(mover)
    if mover == CHANCE and not game.has_chance:
        raise refuse(game, "to_move", "`to_move` says CHANCE, but the game has no `chance` that lists the events")
    if mover != CHANCE and not 0 <= mover < game.players:
        named = f"players are 0 to {game.players - 1}" if game.players > 1 else "one player is 0"
        count = f"{game.players} " if game.players > 1 else ""
        over = ", even when the game is over" if game.is_terminal(s) else ""
        raise refuse(game, "to_move", f"`to_move` returns {mover}, but the {count}{named}{over}: {told(s)}")
    return mover


def check_options(game: Game, s: State, mover: int, careful: bool) -> LegalOptions:
    """Until the game ends there must be actions, all ints and all different; the chances of events must add up to 1."""
    rule, out = "chance" if mover == CHANCE else "actions", Actions()
    if careful:
        out.extend(list_twice(game, rule, s))
    else:
        ask(game, rule, s, out)
    if not out:
        if (returned := ask(game, rule, s, Actions())) is not None:
            why = f"`{rule}` returns {told(returned)} and appends nothing to `out`; write out.append(action) for each"
            raise refuse(game, rule, why)
        raise refuse(game, rule, f"`{rule}` lists nothing, but `is_terminal` says that the game is not over: {told(s)}")
    for action in out:
        if not hasattr(action, "__index__"):
            why = "an action is an int; number them, and let `action_text` name them"
            raise refuse(game, rule, f"`{rule}` appends {action!r}; {why}")
    options = tuple(int(action) for action in out)
    if len(set(options)) < len(options):
        twice = next(action for action in options if options.count(action) > 1)
        raise refuse(game, rule, f"`{rule}` lists {twice} twice: {told(s)}")
    if min(options) < 0 and mover != CHANCE:
        raise refuse(game, rule, f"`{rule}` lists {min(options)}; actions are numbers from 0")
    if max(options) >= 2**63 or min(options) < -(2**63):
        raise refuse(game, rule, f"`{rule}` lists {max(options, key=abs)}; an action must be below 2**63")
    if mover != CHANCE:
        return LegalOptions(options)
    chances = tuple(float(answer(game, careful, "probability", s, event)) for event in options)
    if not all(0 <= chance <= 1 + TOLERANCE for chance in chances):
        raise refuse(
            game, "probability", f"`probability` gives {wrong_of(chances)}, which is not a probability: {told(s)}"
        )
    if abs(math.fsum(chances) - 1) > TOLERANCE:
        raise refuse(
            game,
            "probability",
            f"the probabilities of {len(options)} events add up to {math.fsum(chances):.12g}, not 1: {told(s)}",
        )
    return LegalOptions(options, chances)


def wrong_of(chances: tuple[float, ...]) -> float:
    """The first number that is not a probability."""
    return next(chance for chance in chances if not 0 <= chance <= 1 + TOLERANCE)


def check_number(game: Game, name: str, value: Any, s: State) -> float:
    """A value must be a number that can be compared."""
    if isinstance(value, complex) or (not isinstance(value, (int, float)) and not hasattr(value, "__float__")):
        raise refuse(game, name, f"`{name}` returns {value!r}; it must be a number")
    number = float(value)
    if not math.isfinite(number):
        raise refuse(game, name, f"`{name}` gives {number}, which no search can compare; it must be finite: {told(s)}")
    return number


def check_utilities(game: Game, s: State, careful: bool) -> None:
    """At the end each player gets a number within the declared bounds; in a zero-sum game of several players they add
    up to 0."""
    by_rule = bool(game.is_terminal(s))
    got = [
        check_number(
            game, "utility", answer(game, careful, "utility", s, player) if by_rule else payoff(game, s, player), s
        )
        for player in range(game.players)
    ]
    low, high = game.utility_bounds
    if not all(low - TOLERANCE <= value <= high + TOLERANCE for value in got):
        raise refuse(
            game,
            "utility",
            f"`utility` gives {got}, outside utility_bounds, which are ({low:g}, {high:g}) here; "
            "write `utility_bounds = (lowest, highest)` if that is intended",
        )
    if game.zero_sum and game.players > 1 and abs(math.fsum(got)) > TOLERANCE:
        raise refuse(
            game,
            "utility",
            f"`utility` gives {got}, which does not add up to 0; write `zero_sum = False` if that is intended",
        )


def check_estimate(game: Game, s: State, careful: bool) -> None:
    """An estimate must be a number within its declared bounds."""
    low, high = game.evaluation_bounds
    for player in range(game.players):
        value = check_number(game, "evaluate", answer(game, careful, "evaluate", s, player), s)
        if not low - TOLERANCE <= value <= high + TOLERANCE:
            raise refuse(
                game,
                "evaluate",
                f"`evaluate` gives {value:g}, outside the declared evaluation_bounds ({low:g}, {high:g}): {told(s)}",
            )


def check_information(game: Game, s: State, player: int, careful: bool) -> Any:
    """What a player knows must be an int, or a tuple of them, that compiled code and policy files can hold."""
    known = answer(game, careful, "information", s, player)
    if not is_information(known):
        raise refuse(
            game,
            "information",
            f"`information` returns {told(known)}, a {type(known).__name__}; it must be an int or a tuple of ints",
        )
    return known


def is_information(known: Any) -> bool:
    """Whether a value is of a type that information may have."""
    if isinstance(known, tuple):
        return all(map(is_information, known))
    return isinstance(known, WideInt) or hasattr(known, "__index__") or (isinstance(known, float) and known == known)
