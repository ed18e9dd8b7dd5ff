"""Games with the search's value of each position, and their files: what networks learn from.

A file is text, a line of JSON for each game, after a line that names the game of the rules:

    {"format": "counterplay searched games 1", "game": "chess", "nodes": 2000}
    {"opening": 8, "actions": [...], "values": [...], "result": 1.0}

`values` are those of the positions before each action from the end of the opening on, to the side to move; `result` is the
utility of the first player. Lines can be appended at any time, files of one game can be joined end to end, and a
truncated last line is skipped.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import read_whole
from counterplay.core.game import Game
from counterplay.core.language.bits import signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.rules import has_ended, payoff, pick_evenly
from counterplay.core.types import State
from counterplay.search.engine.iterative_deepening import deepen_within
from counterplay.search.engine.killers_and_history import EngineContext
from counterplay.search.engine.techniques import default_for
from counterplay.search.engine.transposition_table import NO_ACTION, TranspositionTable

FORMAT = "counterplay searched games 1"
LONGEST = 320
"""A longer game counts as a draw."""
MEGABYTES = 4
"""The table of a game."""
LOPSIDED, HOPELESS, AGREED = 3.0, 8.0, 6
"""If the game says how much a quiet action changes at most (`swing`): an opening is balanced if its value is at most
LOPSIDED times that, and a side gives up after AGREED positions in a row with a value of HOPELESS times that."""


class SearchedGame(NamedTuple):
    """A game played by search."""

    opening: int  # the number of random actions at the beginning
    actions: list[int]
    values: list[float]  # of the positions from there on, to the side to move
    result: float  # the utility of the first player


def head_line(game: Game, nodes: int) -> str:
    """The first line of a file."""
    return json.dumps({"format": FORMAT, "game": game.spec, "nodes": nodes}) + "\n"


def game_line(played: SearchedGame) -> str:
    """A game as a line of a file."""
    return json.dumps(played._asdict(), separators=(",", ":")) + "\n"


def play_searched(
    game: Game, numbers: Iterable[int], *, nodes: int, opening: int, seed: int = 0
) -> Iterator[SearchedGame]:
    """Games of the engine against itself, `nodes` nodes an action, each after `opening` actions at random or one more. A
    game depends on its number and the seed alone."""
    table = TranspositionTable(MEGABYTES)
    actions, values = np.zeros(LONGEST, np.int64), np.zeros(LONGEST)
    before = [0] * LONGEST if game.has_repetition else ()
    for number in numbers:
        rng, found = Rng(seed * 1_000_003 + number), 0
        while found <= 0:
            table.clear()
            context = EngineContext(game, default_for(game), table, nodes=nodes, before=before)
            begin = opening + rng.below(2)
            last, found, winner = play(game, game.initial(), begin, rng, context, actions, values)
        low, high = game.utility_bounds
        result = (high, low)[winner] if winner >= 0 else payoff(game, last, 0) if found < LONGEST else (low + high) / 2
        thoughts = [round(value, 5) for value in values[begin:found].tolist()]
        yield SearchedGame(begin, actions[:found].tolist(), thoughts, float(result))


@kernel
def play(
    game: Game, s: State, opening: int, rng: Rng, context: EngineContext, actions: np.ndarray, values: np.ndarray
) -> tuple[Any, int, int]:
    """Play from `s` to the end, recording the actions and the search's value before each. Returns the last state, the
    number of plies (0 if the opening cannot be used) and the winner if the other side gave up, else -1."""
    hopeless = 0
    for ply in range(LONGEST):
        context.past = ply
        if game.has_repetition:
            context.path[ply] = signed(game.repetition_key(s))
        if has_ended(game, s, context.path, ply):
            return s, ply if ply > opening else 0, -1
        action, value = NO_ACTION, 0.0
        if ply >= opening:
            action, value, settled = deepen_within(game, s, context)
            if ply == opening and (settled or (game.swing > 0 and abs(value) > LOPSIDED * game.swing)):
                return s, 0, -1
            is_hopeless = settled or (game.swing > 0 and abs(value) > HOPELESS * game.swing)
            hopeless = hopeless + 1 if is_hopeless else 0
            if hopeless >= AGREED:
                mover = game.to_move(s)
                return s, ply, mover if value > 0 else 1 - mover
        if action == NO_ACTION:
            action = pick_evenly(game, s, context.path, ply, context.out, rng)
        actions[ply], values[ply] = action, value
        s = game.result(s, action)
    return s, LONGEST, -1


def read_games(game: Game, file: Path) -> list[SearchedGame]:
    """The games of a file. A truncated last line is skipped; any other content is refused."""
    found: list[SearchedGame] = []
    lines = read_whole(file).decode(errors="replace").split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            if number == len(lines):
                continue
            data = None
        if number == 1 and not (isinstance(data, dict) and data.get("format") == FORMAT):
            raise CounterplayError(f"{str(file)!r} holds no searched games: its first line does not say so")
        if isinstance(data, dict) and data.get("format") == FORMAT:
            if data.get("game") != game.spec:
                raise CounterplayError(f"{str(file)!r}, line {number}: games of {data.get('game')}, not of {game.spec}")
        elif is_game(data):
            found.append(SearchedGame(**data))
        else:
            raise CounterplayError(f"{str(file)!r}, line {number}: this is not a searched game")
    return found


def is_game(data: Any) -> bool:
    """Whether a line has the form of a game."""
    if not isinstance(data, dict) or data.keys() != set(SearchedGame._fields):
        return False
    opening, actions, values, result = (data[name] for name in SearchedGame._fields)
    if type(opening) is not int or not isinstance(actions, list) or not isinstance(values, list):
        return False
    if not all(type(action) is int and abs(action) < 1 << 63 for action in actions):
        return False
    numbers = all(type(value) in (int, float) and math.isfinite(value) for value in [*values, result])
    return numbers and opening >= 0 and opening + len(values) == len(actions)
