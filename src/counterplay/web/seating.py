"""Players that live as long as their game: what one has found, in its table or its tree, helps with its next action.

A worker keeps a few of them, each with the playthrough that it has followed so far. Nothing depends on them: another
worker, or a new one, can create the same player again.
"""

from __future__ import annotations

from collections import OrderedDict

from counterplay.core.game import Game
from counterplay.core.playthrough import play_moves
from counterplay.web.admission import SECONDS, bounded

MOST_SEATED = 6
"""The number of players kept; beyond it, the one unused for longest is dropped."""


class SeatedPlayer:
    """A player and the playthrough in which it plays."""

    def __init__(self, game: Game, position: str | None, spec: str, seed: int) -> None:
        self.game, self.position, self.spec = game, position, spec
        self.player = bounded(spec, seed)
        self.player.require(game)
        self.playthrough = game.start(position=position)
        self.moves: list[str] = []

    def follow(self, moves: str) -> None:
        """Bring the playthrough up to date: back to where it differs from `moves`, and on from there."""
        texts = self.game.split_moves(moves)
        shared = 0
        while shared < min(len(texts), len(self.moves)) and texts[shared] == self.moves[shared]:
            shared += 1
        self.playthrough.undo(len(self.moves) - shared)
        del self.moves[shared:]
        try:
            play_moves(self.playthrough, texts[shared:], SECONDS)
        finally:
            self.moves = texts[: len(self.playthrough)]

    def close(self) -> None:
        """Release the player."""
        self.player.close()


class Seating:
    """The players kept, by table and seat, the least recently used first."""

    def __init__(self) -> None:
        self.seats: OrderedDict[tuple[str, int], SeatedPlayer] = OrderedDict()

    def seat(self, table: str, number: int, game: Game, position: str | None, spec: str, seed: int) -> SeatedPlayer:
        """The player in a seat: the same as before, if it is the same player in the same game."""
        key = table, number
        kept = self.seats.pop(key, None)
        if kept is not None and (kept.game, kept.position, kept.spec) != (game, position, spec):
            kept.close()
            kept = None
        self.seats[key] = kept or SeatedPlayer(game, position, spec, seed)
        while len(self.seats) > MOST_SEATED:
            self.seats.popitem(last=False)[1].close()
        return self.seats[key]

    def leave(self, table: str) -> None:
        """Drop the players of a closed table."""
        for key in [key for key in self.seats if key[0] == table]:
            self.seats.pop(key).close()

    def clear(self) -> None:
        """Drop all players."""
        for table, _ in list(self.seats):
            self.leave(table)
