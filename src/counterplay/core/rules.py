"""How a position continues or ends, by the game's rules and by repetition: what playthroughs and kernels share.

`path` holds the repetition keys of the positions so far, `path[ply]` being that of `s`. Only games with a repetition
rule look at it. These are plain functions: Python calls them as they are, kernels compile them with the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import Actions, ActionStack
from counterplay.core.language.bits import signed
from counterplay.core.language.marks import inlined
from counterplay.core.language.rng import Rng
from counterplay.core.repetition import is_new, repeats, repetition_word
from counterplay.core.types import State

INSISTENCE = 8
"""How often a playout policy may propose an action that would repeat a position."""


def has_ended(game: Any, s: State, path: Any, ply: int) -> bool:
    """Whether the game is over in `s`: by its rules, or because the position recurred."""
    if game.is_terminal(s):
        return True
    if game.has_repetition and not game.forbids_repetition:
        return repeats(game, s, path, ply)
    return False


def payoff(game: Any, s: State, player: int) -> float:
    """What `player` gets if the game has ended in `s`."""
    if game.is_terminal(s):
        return float(game.utility(s, player))
    return float(game.repeated_utility(s, player))


def list_options(game: Any, s: State, path: Any, ply: int, out: Any) -> None:
    """Append the legal actions of `s`, or its chance events; the game must not have ended."""
    if game.has_chance:
        if game.to_move(s) == CHANCE:
            game.chance(s, out.fresh())
            return
    start = len(out)
    game.actions(s, out.fresh())
    if game.forbids_repetition:
        kept = start
        for i in range(start, len(out)):
            if is_new(game, game.result(s, out[i]), path, ply + 1):
                out[kept] = out[i]
                kept += 1
        out.truncate(kept)


def pick(game: Any, s: State, path: Any, ply: int, out: Any, rng: Any) -> int:
    """A random action of `s`, by the game's own policy or uniformly; if chance moves, an event by its probability; -1
    if there is none. A policy does not see the path: if repetition is illegal, use `step`."""
    if game.has_sample:
        if not game.has_chance or game.to_move(s) != CHANCE:
            return game.sample(s, rng)
    return pick_evenly(game, s, path, ply, out, rng)


def pick_evenly(game: Any, s: State, path: Any, ply: int, out: Any, rng: Any) -> int:
    """The same without the game's own policy."""
    start = len(out)
    list_options(game, s, path, ply, out)
    end = len(out)
    chosen = -1
    if start < end:
        if game.has_chance and game.to_move(s) == CHANCE:
            u = rng.uniform()
            i = start
            while i < end - 1 and u >= game.probability(s, out[i]):
                u -= game.probability(s, out[i])
                i += 1
            chosen = out[i]
        else:
            chosen = out[start + rng.below(end - start)]
    out.truncate(start)
    return chosen


@inlined
def step(game: Any, s: State, path: Any, ply: int, out: Any, rng: Any) -> tuple[int, Any]:
    """A random action of `s`, as `pick` picks it but always legal, and the state after it, recorded on the path; -1 and
    `s` if there is none."""
    action = pick(game, s, path, ply, out, rng)
    if action < 0:
        return action, s
    after = game.result(s, action)
    if game.forbids_repetition:
        if not is_new(game, after, path, ply + 1):
            return step_elsewhere(game, s, path, ply, out, rng)
    elif game.has_repetition:
        path[ply + 1] = signed(game.repetition_key(after))
    return action, after


def step_elsewhere(game: Any, s: State, path: Any, ply: int, out: Any, rng: Any) -> tuple[int, Any]:
    """The same after the policy proposed an illegal repetition: it is asked again; if it insists, the action is drawn
    uniformly."""
    for _ in range(INSISTENCE - 1):
        action = pick(game, s, path, ply, out, rng)
        if action < 0:
            return action, s
        after = game.result(s, action)
        if is_new(game, after, path, ply + 1):
            return action, after
    action = pick_evenly(game, s, path, ply, out, rng)
    if action < 0:
        return action, s
    after = game.result(s, action)
    path[ply + 1] = signed(game.repetition_key(after))
    return action, after


def listed(game: Game, s: State) -> list[int]:
    """The actions (if chance moves, the events) of `s`, including those that would repeat a position."""
    out = Actions()
    if game.to_move(s) == CHANCE:
        game.chance(s, out)
    else:
        game.actions(s, out)
    return list(out)


def legal(game: Game, s: State, before: Sequence[int] = ()) -> list[int]:
    """The actions (if chance moves, the events) of `s`; none if the game is over. `before` are the repetition keys of
    the positions before `s`."""
    out, path = ActionStack(), [*before, repetition_word(game, s), 0]
    if not has_ended(game, s, path, len(before)):
        list_options(game, s, path, len(before), out)
    return list(out)


def is_over(game: Game, s: State, before: Sequence[int] = ()) -> bool:
    """Whether there is nothing to do in `s`: `legal` would be empty."""
    path = [*before, repetition_word(game, s), 0]
    if has_ended(game, s, path, len(before)):
        return True
    options = listed(game, s)
    if not game.forbids_repetition or game.to_move(s) == CHANCE:
        return not options
    return not any(is_new(game, game.result(s, action), path, len(before) + 1) for action in options)


def draw_event(game: Game, s: State, rng: Rng) -> int:
    """A chance event of `s`, by its probability."""
    return pick(game, s, [], 0, ActionStack(), rng)
