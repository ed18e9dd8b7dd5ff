"""The techniques of the alpha-beta engine: each can be switched off to study what it does.

The first group is sound: at a fixed depth it changes the number of nodes, never the value. The second group takes
risks, with good odds, to search deeper in the same time.
"""

from __future__ import annotations

from enum import IntFlag
from functools import reduce
from operator import or_

from counterplay.core.game import Game


class Technique(IntFlag):
    """A set of techniques."""

    TABLE = 1  # the transposition table
    PVS = 2  # principal variation search: after the first action, null windows
    ORDERING = 4  # move ordering: the table's action, the game's hint, noisy actions first
    KILLERS = 8  # actions that refuted a sibling
    HISTORY = 16  # the history heuristic
    COUNTERS = 32  # countermoves: what refuted the opponent's last action before
    IID = 64  # a shallower search finds the first action if the table has none
    ASPIRATION = 128  # aspiration windows: start with a narrow window around the last value
    SYMMETRY = 256  # symmetric positions share an entry of the table
    MTDF = 512  # find the value by a series of null windows
    DEEPER = 1024  # accept table entries from deeper searches
    QUIESCENCE = 2048  # follow noisy actions beyond the horizon
    NULL_MOVE = 4096  # null move: if even a pass reaches beta, search less
    FUTILITY = 8192  # futility pruning: near the horizon, skip actions that cannot reach the window
    REDUCTIONS = 16384  # late move reductions: first search late quiet actions less deeply
    EXTENSIONS = 32768  # search forcing actions and only replies deeper

    STATIC = 65536  # near the horizon, do not search a position far above the window
    LATE = 131072  # near the horizon, skip quiet actions that come late in the order
    EXCHANGES = 262144  # try losing noisy actions late, and beyond the horizon not at all
    CIRCLES = 524288  # a position repeated within the search counts as a draw, even if the rule needs more repetitions
    SINGULAR = 1048576  # search the table's action deeper if all others are clearly worse
    PROBCUT = 2097152  # ProbCut: trust a shallow search that puts the value well outside the window

    @property
    def words(self) -> str:
        """The names, as written in options."""
        return ", ".join(t.name.lower() for t in Technique if t in self and t.name)


SOUND = reduce(or_, [t for t in Technique if t < Technique.DEEPER])
"""Techniques that change no value at a fixed depth."""
CHIP = Technique.ORDERING | Technique.QUIESCENCE | Technique.EXCHANGES | Technique.CIRCLES
"""What Deep Blue's chip searched with: every action to a fixed depth, then quiescence, nothing remembered (Hsu 1999)."""


def default_for(game: Game) -> Technique:
    """The techniques that pay off in this game."""
    chosen = SOUND & ~Technique.MTDF & ~Technique.ASPIRATION | Technique.DEEPER | Technique.EXTENSIONS
    if game.symmetries == 1:
        chosen &= ~Technique.SYMMETRY
    if game.has_noise:
        chosen |= Technique.QUIESCENCE | Technique.FUTILITY | Technique.REDUCTIONS
        chosen |= Technique.ASPIRATION  # elsewhere values vary too much from depth to depth for narrow windows
    if game.has_noise and game.has_tension and game.has_exchanges:
        chosen |= Technique.STATIC | Technique.LATE | Technique.SINGULAR | Technique.EXCHANGES
    if game.repetition == "draw" and game.occurrences > 2:
        chosen |= Technique.CIRCLES
    if game.has_null:
        chosen |= Technique.NULL_MOVE
    return chosen
