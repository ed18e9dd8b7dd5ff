"""Hidden information: what players know, what they remember, what they consider possible, and what they are shown."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from counterplay.core.answers import check_information, check_state
from counterplay.core.calling import ask, refuse
from counterplay.core.errors import BrokenGame
from counterplay.core.game import CHANCE, Game
from counterplay.core.pulse import beat, within
from counterplay.core.purity import draw_twice, told
from counterplay.core.rules import legal, listed
from counterplay.core.survey import SampledPosition, Survey

DRAWS = 24
"""Resamples of each position: with two equally probable states, all are the same once in eight million times."""
REACHED = 5_000
"""The maximum number of reachable states up to which resamples are compared with them."""
ROOMS = 200
"""The number of information sets examined."""


def information(game: Game, found: Survey) -> str:
    """Players who know the same must have the same choice, and the same memory of what they saw and did."""
    if not game.has_secrets:
        return "open: nothing is hidden"
    choices: dict[tuple[int, Any], SampledPosition] = {}
    for position in within(found.positions):
        s, mover, options, memory = position
        if mover == CHANCE or not options:
            continue
        known = check_information(game, s, mover, careful=False)
        before = choices.setdefault((mover, known), position)
        if sorted(before.options) != sorted(options):
            raise refuse(
                game,
                "information",
                f"player {mover} knows {told(known)} in two states with different actions: "
                f"{tuple(sorted(before.options))} and {sorted(options)}",
            )
        if before.memory != memory:
            raise refuse(
                game,
                "information",
                f"player {mover} forgets: they know {told(known)} both in {told(before.state)} and in {told(s)}, "
                f"but got there by different actions or with different knowledge; `information` must tell these "
                f"apart (perfect recall)",
            )
    return f"{len(choices)} information sets met, each with one choice of actions"


def resampling(game: Game, found: Survey, seed: int) -> str:
    """`resample` must keep what a player knows, and vary what they do not."""
    if type(game).resample is Game.resample:
        return "none: the game has no `resample`"
    sets = possible(game, found, movers_only=True)
    reached = reachable(game)
    tried = varied = 0
    stuck: dict[int, str] = {}
    moving: set[int] = set()
    for (player, known), states in within(sorted(sets.items(), key=lambda item: -len(item[1]))[:ROOMS]):
        s = states[0]
        drawn = [draw_twice(game, "resample", s, player, seed=seed + k) for k in range(DRAWS)]
        for other in drawn:
            check_state(game, "resample", other, type(s))
            if ask(game, "information", other, player) != known or ask(game, "to_move", other) != player:
                is_known = ask(game, "information", other, player) == known
                differs = "is not to move, as" if is_known else "would know something else than"
                raise refuse(
                    game,
                    "resample",
                    f"`resample` gives {told(other)}, in which player {player} {differs} in {told(s)}",
                )
            if reached is not None and other not in reached:
                raise refuse(game, "resample", f"`resample` gives {told(other)} for {told(s)}, but no play leads there")
        if len(states) > 1:
            tried += 1
            if any(game.essence(other) != game.essence(drawn[0]) for other in drawn):
                varied += 1
                moving.add(player)
            what = "always returns the true state" if drawn[0] == s else "always returns the same state"
            stuck.setdefault(
                player,
                f"`resample` {what}, {told(drawn[0])}, but player {player} also considers {told(states[1])} possible",
            )
    for player in sorted(stuck.keys() - moving):
        raise refuse(game, "resample", f"{stuck[player]}; it must draw one of the possible states at random")
    real = "" if reached is None else "; all draws can be reached by play"
    return f"{len(sets)} information sets resampled; of {tried} with several states, {varied} vary{real}"


def reachable(game: Game) -> set[Any] | None:
    """Every state that play can reach; None if there are too many, states cannot be in a set, or some that differ only
    in their past count as one."""
    first = ask(game, "initial")
    if not isinstance(first, Hashable) or type(game).essence is not Game.essence:
        return None
    found, waiting = {first}, [first]
    while waiting:
        s = waiting.pop()
        for action in legal(game, s, []):
            after = ask(game, "result", s, action)
            if after not in found:
                if len(found) == REACHED:
                    return None
                found.add(after)
                waiting.append(after)
        beat()
    return found


def possible(game: Game, found: Survey, movers_only: bool) -> dict[tuple[int, Any], list[Any]]:
    """The different states that random play met, by viewer and what the viewer knows."""
    sets: dict[tuple[int, Any], list[Any]] = {}
    for s, mover, options, _ in within(found.positions):
        if mover == CHANCE or not options:
            continue
        for player in [mover] if movers_only else range(game.players):
            states = sets.setdefault((player, ask(game, "information", s, player)), [])
            if len(states) < 4 and all(game.essence(s) != game.essence(other) for other in states):
                states.append(s)
    return sets


def views(game: Game, found: Survey) -> str:
    """A player who cannot tell two states apart must see the same picture of both."""
    pairs = [(player, states) for (player, _), states in possible(game, found, False).items() if len(states) > 1]
    compared = 0
    for player, states in within(pairs[: 4 * ROOMS]):
        for name in ("board", "svg"):
            one, other = (ask(game, name, s, player) for s in states[:2])
            if one != other:
                raise leak(game, name, player, states, "pictures of")
        if all(ask(game, "to_move", s) == player for s in states[:2]):  # so they have the same actions
            for action in listed(game, states[0]):
                for name in ("action_text", "caption"):
                    one, other = (ask(game, name, s, action) for s in states[:2])
                    if one != other:
                        raise leak(game, name, player, states, "words in")
        compared += 1
    return f"{compared} pairs of states that a player cannot tell apart are shown alike"


def leak(game: Game, name: str, player: int, states: list[Any], what: str) -> BrokenGame:
    """The error for a rule that reveals a secret to a player."""
    advice = "; show only what `viewer` knows" if what == "pictures of" else ""
    return refuse(
        game,
        name,
        f"`{name}` shows player {player} a secret: its {what} {told(states[0])} and {told(states[1])} differ, which "
        f"this player cannot tell apart{advice}",
    )
