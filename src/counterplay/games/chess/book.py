"""Opening books in Polyglot's format (Letouzey 2006): for each position the moves played there, with their weights.

python-chess reads them and computes the format's hash of a position; entries are 16 bytes, in the order of their keys.
"""

from __future__ import annotations

import os
import struct
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import write_whole
from counterplay.core.language.rng import Rng
from counterplay.core.playthrough import Playthrough
from counterplay.games.chess import notation
from counterplay.games.chess.library import library
from counterplay.games.chess.position import State, kind_of, origin_of, target_of

if TYPE_CHECKING:
    from counterplay.games.chess.game import Chess

ENTRY = struct.Struct(">QHHI")
HEAVIEST = 65535
PLIES = 24
"""How far games are followed into a book by default, in plies."""


class Book:
    """A book to read from."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not os.path.isfile(self.path) or self.path.stat().st_size % ENTRY.size:
            raise CounterplayError(f"{path} is not a Polyglot book: a file of entries of {ENTRY.size} bytes")

    def moves(self, game: Chess, s: State) -> dict[int, int]:
        """The book's moves in `s`, each with its weight, the heaviest first."""
        board = board_of(game, s)
        legal = {notation.uci(game, action, chess960=True): action for action in notation.moves(game, s)}
        found: dict[int, int] = {}
        with library("polyglot").open_reader(self.path) as reader:
            for entry in reader.find_all(board):
                action = legal.get(board.uci(entry.move, chess960=True))
                if action is not None:
                    found[action] = found.get(action, 0) + entry.weight
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def choose(self, game: Chess, s: State, rng: Rng | None = None) -> int | None:
        """A move of the book, by its weight (the heaviest without `rng`); None after the book's end."""
        found = self.moves(game, s)
        if not found or not any(found.values()):
            return None
        if rng is None:
            return next(iter(found))
        left = rng.below(sum(found.values()))
        for action, weight in found.items():
            left -= weight
            if left < 0:
                return action
        raise AssertionError("weights add up to their sum")


def write_book(path: str | Path, games: Iterable[tuple[Playthrough, dict[str, str]]], plies: int = PLIES) -> int:
    """A book of the first `plies` of some games: a move weighs 2 for each game that its side won, 1 for each draw. Moves
    that only lost are left out. Returns the number of entries."""
    weights: dict[tuple[int, int], int] = defaultdict(int)
    for p, tags in games:
        game = cast("Chess", p.game)
        points = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1)}.get(tags.get("Result", "*"))
        if points is None:
            continue
        for s, action in zip(p.states[:plies], p.actions, strict=False):
            board = board_of(game, s)
            weights[library("polyglot").zobrist_hash(board), coded(action)] += points[s.ply % 2]
    heaviest: dict[int, int] = defaultdict(int)
    for (key, _), weight in weights.items():
        heaviest[key] = max(heaviest[key], weight)
    entries = []
    for (key, move), weight in sorted(weights.items(), key=lambda item: (item[0][0], -item[1])):
        if weight:
            scaled = weight if heaviest[key] <= HEAVIEST else max(1, weight * HEAVIEST // heaviest[key])
            entries.append(ENTRY.pack(key, move, scaled, 0))
    if not entries:
        raise CounterplayError("no game has a result: there is nothing to write to a book")
    write_whole(Path(path), b"".join(entries))
    return len(entries)


def coded(action: int) -> int:
    """A move in the format's encoding: castling is the king taking its rook, as in ours."""
    promoted = max(0, kind_of(action) - 3)  # a knight is 1, a queen 4
    return target_of(action) | origin_of(action) << 6 | promoted << 12


def board_of(game: Chess, s: State) -> Any:
    """A position as python-chess's board."""
    return library().Board(game.position_text(s), chess960=True)
