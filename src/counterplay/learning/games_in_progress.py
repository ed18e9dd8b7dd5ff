"""Games in progress, kept and taken up again: each goes on from the start of a search."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack
from counterplay.core.language.kernel import kernel
from counterplay.core.rules import has_ended, list_options
from counterplay.learning.self_play import SelfPlay

GAMES, POSITIONS = ("history", "length", "own_count"), ("own_planes", "own_target", "own_worth", "own_mover")
"""What there is of each game, and of each position that was written down in it."""


def in_progress(play: SelfPlay) -> dict[str, np.ndarray]:
    """What it takes to go on with the games."""
    rows = written_rows(play)
    found = {name: getattr(play, name)[rows] for name in POSITIONS}
    return found | {name: getattr(play, name).copy() for name in GAMES}


def take_up(play: SelfPlay, saved: Mapping[str, np.ndarray]) -> None:
    """Put the games of `in_progress` in the place of those that are here. Raises ValueError where they do not fit."""
    for name in GAMES:
        getattr(play, name)[...] = saved[name]
    if not ((play.own_count >= 0) & (play.own_count <= play.length) & (play.length < play.longest - 2)).all():
        raise ValueError("games of an impossible length")
    rows = written_rows(play)
    for name in POSITIONS:
        getattr(play, name)[rows] = saved[name]


def written_rows(play: SelfPlay) -> np.ndarray:
    """Where the positions of the games are."""
    return np.concatenate([slot * play.longest + np.arange(number) for slot, number in enumerate(play.own_count)])


@kernel
def search_anew(game: Game, play: SelfPlay, out: ActionStack) -> bool:
    """Every game goes on from the start of a search: whether each is one that can be played, and not over."""
    for slot in range(play.slots):
        play.simulator.base = 0
        s, path = game.initial(), play.simulator.path
        play.simulator.note(game, s, 0)
        for n in range(play.length[slot] + 1):
            if has_ended(game, s, path, n) or (n == play.length[slot] and game.to_move(s) == CHANCE):
                return False
            if n < play.length[slot]:
                start = len(out)
                list_options(game, s, path, n, out)
                action, found = play.history[slot, n], False
                for i in range(start, len(out)):
                    found = found or out[i] == action
                out.truncate(start)
                if not found:
                    return False
                s = game.result(s, action)
                play.simulator.note(game, s, n + 1)
        play.clear(slot)
    return True
