"""A user's rules, asked in plain Python about random positions, every answer checked."""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

from counterplay.core.calling import ask, refuse, watching
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import Actions, ActionStack
from counterplay.core.language.bits import signed
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import conforms, is_state, kinds
from counterplay.core.rules import has_ended, list_options, payoff, pick, pick_evenly

TOLERANCE = 1e-9


class Position(NamedTuple):
    """A position that random play reached."""

    state: Any
    mover: int
    options: tuple[int, ...]  # empty where the game is over


class Survey(NamedTuple):
    """What random play came across."""

    playthroughs: int
    finished: int
    longest: int  # plies
    positions: list[Position]


def smoke(game: Game) -> None:
    """Two short random playthroughs: enough to meet most mistakes before a user's game is compiled."""
    survey(game, playthroughs=2, seconds=3.0, limit=1_000)


def survey(game: Game, playthroughs: int, seconds: float, limit: int, seed: int = 0) -> Survey:
    """Play at random in plain Python and check each answer of each rule; the first wrong one is raised."""
    rng, deadline = Rng(seed), time.monotonic() + seconds
    positions: list[Position] = []
    played = finished = longest = 0
    with watching():
        while played < playthroughs and (played == 0 or time.monotonic() < deadline):
            plies = _play(game, rng, limit, deadline, positions)
            if plies is None and played:
                break  # the time ran out in the middle
            played += 1
            finished += not positions[-1].options
            longest = max(longest, plies or 0)
    return Survey(played, finished, longest, positions)


def _play(game: Game, rng: Rng, limit: int, deadline: float, positions: list[Position]) -> int | None:
    """The length of one playthrough, None where the time ran out."""
    s = ask(game, "initial")
    wanted = type(s)
    path: dict[int, int] = {}
    out = ActionStack()
    for ply in range(limit):
        check_state(game, "initial" if ply == 0 else "result", s, wanted)
        if game.has_repetition:
            path[ply] = signed(ask(game, "repetition_key", s))
        ended = ask(game, "is_terminal", s)
        if not isinstance(ended, int) and type(ended).__name__ not in ("bool", "bool_"):
            raise refuse(game, "is_terminal", f"`is_terminal` returns {ended!r}; it must be True or False")
        mover = check_mover(game, s, bool(ended))
        if ended or has_ended(game, s, path, ply):
            check_utilities(game, s)
            positions.append(Position(s, mover, ()))
            return ply
        found = options = check_options(game, s, mover)
        list_options(game, s, path, ply, out)
        if len(out):
            options = tuple(out)
            out.truncate(0)
        elif game.forbids_repetition:
            options = ()
        positions.append(Position(s, mover, options))
        if type(game).evaluate is not Game.evaluate:
            ask(game, "evaluate", s, max(mover, 0))
        if not options:
            return ply
        if time.monotonic() > deadline:
            return None
        action = (
            ask(game, "sample", s, rng) if game.has_sample and mover != CHANCE else pick(game, s, path, ply, out, rng)
        )
        if action not in found:
            raise refuse(game, "sample", f"`sample` gives {action}, which is not among the actions of {s}")
        if action not in options:  # a policy does not see what would repeat a position
            action = pick_evenly(game, s, path, ply, out, rng)
        s = ask(game, "result", s, action)
    return limit


def check_state(game: Game, name: str, s: Any, wanted: Any) -> None:
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
                said = getattr(kind, "__name__", "tuple")
                raise refuse(game, name, f"`{name}` sets {wanted.__name__}.{field}, declared as {said}, to {value!r}")


def check_mover(game: Game, s: Any, ended: bool) -> int:
    """The player to move must be one of the game's."""
    mover = ask(game, "to_move", s)
    if not hasattr(mover, "__index__") or (isinstance(mover, bool) and game.players < 2):
        raise refuse(game, "to_move", f"`to_move` returns {mover!r}; it must be a player's number or CHANCE")
    mover = int(mover)
    if mover == CHANCE and not game.has_chance:
        raise refuse(game, "to_move", "`to_move` says CHANCE, but the game has no `chance` that lists the events")
    if mover != CHANCE and not 0 <= mover < game.players:
        raise refuse(
            game, "to_move", f"`to_move` returns {mover}, but the {game.players} players are 0 to {game.players - 1}"
        )
    return mover


def check_options(game: Game, s: Any, mover: int) -> tuple[int, ...]:
    """Until the game ends there must be actions, each an int and each once; chance events must add up to 1."""
    rule, out = "chance" if mover == CHANCE else "actions", Actions()
    ask(game, rule, s, out)
    if not out:
        raise refuse(game, rule, f"`{rule}` lists nothing, but `is_terminal` says that the game goes on: {s}")
    for action in out:
        if not hasattr(action, "__index__"):
            raise refuse(game, rule, f"`{rule}` appends {action!r}; an action is an int")
    options = tuple(int(action) for action in out)
    if len(set(options)) < len(options):
        twice = next(action for action in options if options.count(action) > 1)
        raise refuse(game, rule, f"`{rule}` lists {twice} twice: {s}")
    if min(options) < 0 and mover != CHANCE:
        raise refuse(game, rule, f"`{rule}` lists {min(options)}; actions are numbers from 0 on")
    if mover == CHANCE:
        chances = [ask(game, "probability", s, event) for event in options]
        if min(chances) < 0 or abs(math.fsum(chances) - 1) > TOLERANCE:
            raise refuse(
                game,
                "probability",
                f"the probabilities of {len(options)} events add up to {math.fsum(chances):.12g}, not 1: {s}",
            )
    return options


def check_utilities(game: Game, s: Any) -> None:
    """At the end each player gets a number within the declared bounds; in a zero-sum game of several they add up to 0."""
    got = []
    for player in range(game.players):
        value = ask(game, "utility", s, player) if game.is_terminal(s) else payoff(game, s, player)
        if not isinstance(value, (int, float)) and not hasattr(value, "__float__"):
            raise refuse(game, "utility", f"`utility` returns {value!r}; it must be a number")
        got.append(float(value))
    low, high = game.utility_bounds
    if not all(low - TOLERANCE <= value <= high + TOLERANCE for value in got):
        raise refuse(game, "utility", f"`utility` gives {got}, outside the declared utility_bounds ({low:g}, {high:g})")
    if game.zero_sum and game.players > 1 and abs(math.fsum(got)) > TOLERANCE:
        raise refuse(
            game,
            "utility",
            f"`utility` gives {got}, which does not add up to 0; say `zero_sum = False` if that is meant",
        )
