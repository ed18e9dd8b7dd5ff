"""Engines that speak USI, the Universal Shogi Interface (Romstad 2007), such as Fairy-Stockfish.

`usi:fairy-stockfish,time=0.1`: like UCI (uci.py), with other words. The clocks are Black's, who begins, and White's.
"""

from __future__ import annotations

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.players.engines.uci import Uci


class Usi(Uci):
    """A USI engine, within a depth, a time in seconds or a number of nodes (1 second by default)."""

    protocol = "usi"
    position_word = "sfen"
    sides = "bw"

    def require(self, game: Game) -> None:
        super().require(game)
        if "shogi" not in game.name:
            raise Unsuitable(f"USI is for shogi and minishogi: {self.spec} cannot play {game.spec}")
