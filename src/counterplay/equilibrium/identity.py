"""A game's identity, by what its rules do: a policy learned for one game must not be read as one for another.

A game's name is not enough (rules are edited, files are replaced), nor is its compiled code (which differs between
versions of Python). So the rules are run: two hundred playthroughs, always the same ones, and everything that a player
meets in them, as one hash.
"""

from __future__ import annotations

import hashlib

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import words
from counterplay.core.rules import legal

PLAYTHROUGHS, PLIES = 200, 200


def identity(game: Game) -> str:
    """A hash that is equal for games whose rules behave alike."""
    told, rng = hashlib.sha256(str(game.players).encode()), Rng(2024)
    for _ in range(PLAYTHROUGHS):
        s = game.initial()
        for _ in range(PLIES):
            options = legal(game, s)
            if not options:
                payoffs = [f"{game.utility(s, player):.9g}" for player in range(game.players)]
                told.update(repr(payoffs).encode())
                break
            mover = int(game.to_move(s))
            known: object
            if mover == CHANCE:
                known = [f"{game.probability(s, event):.9g}" for event in options]
            else:
                known = words(game.information(s, mover))
            told.update(repr((mover, [int(option) for option in options], known)).encode())
            s = game.result(s, options[rng.below(len(options))])
    return told.hexdigest()[:32]
