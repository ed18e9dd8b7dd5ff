"""El Ajedrecista (1912): Torres y Quevedo's automaton, which mates with king and rook by rules, without looking ahead.

The rook's rank stands between the kings: the automaton's king above it, the lone king below. Each turn, the first rule that
applies is followed:

1. The lone king is on the rook's side of the board: the rook flees along its rank to the other side.
2. The lone king is more than one rank below the rook: the rook goes down a rank.
3. The kings are more than two ranks apart: the king goes down a rank.
4. The kings are on the same file: the rook goes down a rank, giving check; on the last rank it is mate.
5. They are an odd number of files apart: the rook waits, a step along its rank.
6. They are an even number of files apart: the king steps towards the other.

Sides are the files a to c and f to h; the rook lives on a and b, or on g and h.
"""

from __future__ import annotations

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.core.language.bits import count, first
from counterplay.core.playthrough import Playthrough
from counterplay.games.chess.position import KING, PLAIN, ROOK, State, move
from counterplay.players.clock import Clock
from counterplay.players.machines.hall import MACHINES, require_own
from counterplay.players.player import Player
from counterplay.search.decision import Decision, Report

LEFT, RIGHT = (0, 1, 2), (5, 6, 7)
LAIRS = (0, 1, 6, 7)
"""Files on which the rook lives."""


class Ajedrecista(Player):
    """Six rules; it must have king and rook against a king, with the rook's rank between them."""

    def __init__(self) -> None:
        self.spec = "ajedrecista"

    def require(self, game: Game) -> None:
        require_own(MACHINES["ajedrecista"], game)

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        self.require(p.game)
        if not is_its_own(p.state):
            raise Unsuitable(
                "ajedrecista plays king and rook against a king, the rook's rank between them and its own king above, "
                'such as --position "K7/1R6/8/8/4k3/8/8/8 w - - 0 1"'
            )
        origin, target, piece = step(p.state)
        action = move(origin, target, piece, PLAIN)
        return Decision(action, line=(action,))


def seen(s: State) -> tuple[int, int, int]:
    """Its king, its rook, the lone king, as the side to move sees the board."""
    flip = 56 * (s.ply % 2)
    return first(s.king & s.own) ^ flip, first(s.rook & s.own) ^ flip, first(s.king & s.opp) ^ flip


def is_its_own(s: State) -> bool:
    """Whether the automaton can continue from here."""
    if count(s.own | s.opp) != 3 or count(s.rook & s.own) != 1 or s.castling:
        return False
    king, rook, lone = seen(s)
    return king // 8 > rook // 8 > lone // 8


def step(s: State) -> tuple[int, int, int]:
    """The origin and the target of the move, and the piece."""
    flip = 56 * (s.ply % 2)
    king, rook, lone = seen(s)
    origin, target = rule(king, rook, lone)
    return origin ^ flip, target ^ flip, KING if origin == king else ROOK


def rule(king: int, rook: int, lone: int) -> tuple[int, int]:
    """The first rule that applies: origin and target."""
    file, rank = rook % 8, rook // 8 * 8
    if file not in LAIRS or any(file in side and lone % 8 in side for side in (LEFT, RIGHT)):
        return rook, rank + (7 if lone % 8 < 4 else 0)
    if rook // 8 - lone // 8 > 1:
        return rook, rook - 8
    if king // 8 - lone // 8 > 2:
        return king, king - 8
    apart = lone % 8 - king % 8
    if apart == 0:
        return rook, rook - 8
    if apart % 2:
        return rook, rook ^ 1  # a and b, g and h
    return king, king + (1 if apart > 0 else -1)
