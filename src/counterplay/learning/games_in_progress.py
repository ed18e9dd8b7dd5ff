"""Games in progress, saved and resumed: each continues from the start of a search. They can be divided differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack
from counterplay.core.language.kernel import kernel
from counterplay.core.rules import has_ended, list_options
from counterplay.learning.self_play import SelfPlay

GAMES, POSITIONS = ("history", "length", "own_count"), ("own_planes", "own_target", "own_worth", "own_mover")
"""The data of each game, and of each position recorded in it."""


Games = Mapping[str, np.ndarray]
"""Games in progress, by the names above: arrays [games, ...] and [positions of all games, ...]."""


def in_progress(play: SelfPlay) -> dict[str, np.ndarray]:
    """The data from which the games continue."""
    rows, longest = written_rows(play), int(play.length.max())
    found = {name: getattr(play, name)[rows] for name in POSITIONS}
    found |= {name: getattr(play, name).copy() for name in GAMES}
    return found | {"history": play.history[:, :longest].copy()}


def take_up(play: SelfPlay, saved: Games) -> None:
    """Replace the first games here with those of `in_progress`."""
    if not saved:
        return
    number, longest = saved["history"].shape
    play.history[:number, :longest] = saved["history"]
    play.length[:number], play.own_count[:number] = saved["length"], saved["own_count"]
    play.own_count[number:] = 0
    rows = written_rows(play)
    for name in POSITIONS:
        getattr(play, name)[rows] = saved[name]


def require_sound(saved: Games, longest: int) -> None:
    """Raise ValueError or KeyError if the arrays do not fit together or games have impossible lengths."""
    number, positions = len(saved["length"]), int(saved["own_count"].sum())
    if saved["history"].ndim != 2 or len(saved["history"]) != number or saved["own_count"].shape != (number,):
        raise ValueError("games that do not fit together")
    if any(len(saved[name]) != positions for name in POSITIONS):
        raise ValueError("positions that do not fit their games")
    most = min(longest - 2, saved["history"].shape[1] + 1)
    sound = (saved["own_count"] >= 0) & (saved["own_count"] <= saved["length"]) & (saved["length"] < most)
    if not sound.all():
        raise ValueError("games of an impossible length")


def joined(lanes: Sequence[Games]) -> dict[str, np.ndarray]:
    """The games of several lanes as those of one."""
    longest = max(lane["history"].shape[1] for lane in lanes)
    found = {name: np.concatenate([lane[name] for lane in lanes]) for name in (*POSITIONS, "length", "own_count")}
    rows = [np.pad(lane["history"], ((0, 0), (0, longest - lane["history"].shape[1]))) for lane in lanes]
    return found | {"history": np.concatenate(rows)}


def divided(games: Games, slots: Sequence[int]) -> list[dict[str, np.ndarray]]:
    """Distribute games in order over lanes with this many slots each. Games without a slot are dropped; the last
    lanes may have fewer games than slots."""
    if not games:
        return [{} for _ in slots]
    ends = np.concatenate([[0], np.cumsum(games["own_count"])])
    found, first = list[dict[str, np.ndarray]](), 0
    for number in slots:
        last = min(first + number, len(games["length"]))
        lane = {name: games[name][first:last] for name in GAMES}
        lane |= {name: games[name][ends[first] : ends[last]] for name in POSITIONS}
        found.append(lane)
        first = last
    return found


def written_rows(play: SelfPlay) -> np.ndarray:
    """The rows of the games' positions."""
    return np.concatenate([slot * play.longest + np.arange(number) for slot, number in enumerate(play.own_count)])


@kernel
def search_anew(game: Game, play: SelfPlay, out: ActionStack) -> bool:
    """Restart every game at the beginning of a search; returns for each whether it is legal and not over."""
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
                action, found = int(play.history[slot, n]), False
                for i in range(start, len(out)):
                    found = found or out[i] == action
                out.truncate(start)
                if not found:
                    return False
                s = game.result(s, action)
                play.simulator.note(game, s, n + 1)
        play.clear(slot)
    return True
