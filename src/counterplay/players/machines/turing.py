"""Turing's paper machine (1948 to 1952): the first chess program, written before there was a computer to run it.

As Turing describes it in "Digital computers applied to games" (in Bowden, Faster than Thought, 1953): the machine
considers all moves and all replies, and beyond them every *considerable* move, until the position is *dead*, which
means that none is left. A move is considerable if it

- takes a piece that has just taken one (recaptures),
- takes a piece that nobody defends,
- takes a piece with a cheaper one, or
- mates.

A dead position is worth the ratio of the material: mine divided by theirs. Of the moves with the best ratio, the machine
plays the one with the best *positional value* after it, which depends only on the machine's own pieces.
"""

from __future__ import annotations

import math
import time
from typing import cast

from counterplay.core.game import Game
from counterplay.core.language.bits import bit, count, first, ones
from counterplay.core.language.kernel import kernel
from counterplay.core.language.wide import u64
from counterplay.core.playthrough import Playthrough
from counterplay.core.rules import legal
from counterplay.games.chess.game import Chess
from counterplay.games.chess.position import (
    BISHOP,
    CASTLING,
    KING,
    KNIGHT,
    NO_PIECE,
    PAWN,
    QUEEN,
    ROOK,
    State,
    kind_of,
    origin_of,
    piece_of,
    target_of,
)
from counterplay.players.clock import Clock
from counterplay.players.machines.hall import MACHINES, require_own
from counterplay.players.player import Player
from counterplay.search.background import beside
from counterplay.search.decision import Decision, Option, Report, ranked
from counterplay.search.memory import INFINITY
from counterplay.search.textbook.context import TextbookContext

WORTH = (1.0, 3.0, 3.5, 5.0, 10.0, 0.0, 0.0)
"""Pawn, knight, bishop, rook, queen; nobody counts the king."""
MATE = 100.0
EVEN = 1e-9
"""Two ratios that differ by less are equal."""


class Turing(Player):
    """All moves and replies, then considerable ones; among equals, the one with the best positional value."""

    def __init__(self) -> None:
        self.spec = "turing"

    def require(self, game: Game) -> None:
        require_own(MACHINES["turing"], game)

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        self.require(p.game)
        return beside(lambda: choose(cast(Chess, p.game), p))

    def prepare(self, p: Playthrough) -> None:
        self.require(p.game)
        if not p.is_over:
            look(cast(Chess, p.game), p.state, 0, 0, -INFINITY, INFINITY, TextbookContext(p.game))


def choose(game: Chess, p: Playthrough) -> Decision:
    """The machine's move: the best ratio of material, then the best positional value."""
    started, context = time.perf_counter(), TextbookContext(game)
    side, options = p.to_move, []
    for action in legal(game, p.state, p.before):
        after = game.result(p.state, action)
        value = -look(game, after, 1, action, -INFINITY, INFINITY, context)
        options.append((value, positional(game, after, side) + castles(action), action))
    best = max(value for value, _, _ in options)
    value, _, action = max(option for option in options if option[0] > best - EVEN)
    judged = ranked(Option(action, squeezed(value)) for value, _, action in options)
    chosen = next(option for option in judged if option.action == action)
    rest = tuple(option for option in judged if option.action != action)
    seconds = time.perf_counter() - started
    return Decision(
        action,
        squeezed(value),
        (action,),
        2,
        context.nodes,
        seconds,
        options=(chosen, *rest),
        counts={"nodes": context.nodes},
    )


def squeezed(value: float) -> float:
    """The logarithm of a ratio as a value between a loss and a win."""
    return max(-1.0, min(1.0, value / MATE if abs(value) >= MATE else math.tanh(value)))


def castles(action: int) -> float:
    """A point for castling."""
    return 1.0 if kind_of(action) == CASTLING else 0.0


# The look ahead, compiled.


@kernel
def look(game: Chess, s: State, depth: int, last: int, alpha: float, beta: float, context: TextbookContext) -> float:
    """Value of `s` to the side to move: the logarithm of the ratio of material at the end of the variations, so that
    what is good for one side is equally bad for the other. `depth` plies are searched in full; `last` is the move that
    led here."""
    context.nodes += 1
    if game.is_terminal(s):
        return game.utility(s, s.ply % 2) * MATE
    value = -INFINITY if depth > 0 else balance(s)  # nobody has to make a considerable move
    alpha = max(alpha, value)
    out, start = context.out, len(context.out)
    game.actions(s, out.fresh())
    for i in range(start, len(out)):
        if alpha >= beta:
            break
        if depth > 0 or is_considerable(game, s, out[i], last):
            taken = 0 if victim(game, s, out[i]) == NO_PIECE else out[i]
            value = max(value, -look(game, game.result(s, out[i]), max(depth - 1, 0), taken, -beta, -alpha, context))
            alpha = max(alpha, value)
    out.truncate(start)
    return value


def balance(s: State) -> float:
    """The logarithm of the ratio of material; a king counts more than all else."""
    return math.log((material(s, s.own) + 1e-3) / (material(s, s.opp) + 1e-3))


def material(s: State, side: u64) -> float:
    """The total value of a side's pieces."""
    return (
        WORTH[PAWN] * count(s.pawn & side)
        + WORTH[KNIGHT] * count(s.knight & side)
        + WORTH[BISHOP] * count(s.bishop & side)
        + WORTH[ROOK] * count(s.rook & side)
        + WORTH[QUEEN] * count(s.queen & side)
    )


def victim(game: Chess, s: State, action: int) -> int:
    """The piece that a move takes, or NO_PIECE. (Castling goes to one's own rook.)"""
    return NO_PIECE if kind_of(action) == CASTLING else game.victim(s, action)


def is_considerable(game: Chess, s: State, action: int, last: int) -> bool:
    """Whether a move must be considered when other moves need not be; `last` is the capture that led here, or 0."""
    piece, target = victim(game, s, action), target_of(action)
    if piece != NO_PIECE:
        if last and target == target_of(last):
            return True
        if WORTH[piece_of(action)] < WORTH[piece] and piece_of(action) != KING:
            return True
        others = (s.own | s.opp) ^ bit(origin_of(action))
        if not game.attackers(s, target, others, s.ply % 2) & s.opp & ~bit(target):
            return True
    if not game.threatens(s, action):
        return False
    after = game.result(s, action)
    return not game.can_move(after)


# Positional value, uncompiled: it is computed once for each move of the root.


def positional(game: Chess, after: State, side: int) -> float:
    """The value of the position of `side`'s own pieces, when it has just moved."""
    s = game.null(after)  # as if it were to move again
    steps = moves_by_square(game, s)
    occupied, total = s.own | s.opp, 0.0
    for square in ones(s.own & ~s.pawn):
        total += math.sqrt(steps.get(square, 0))  # 1, 3. mobility, of the king as well
    for square in ones(s.own & (s.rook | s.bishop | s.knight)):  # 2. safety
        guards = count(game.attackers(s, square, occupied, 1 - side) & s.own)
        total += 1.5 if guards > 1 else guards
    total -= math.sqrt(as_queen(game, s))  # 4. the king's vulnerability
    if s.castling & s.own:  # 5. castling
        king = first(s.king & s.own)
        now = not s.checkers and any(game.can_castle(s, king, rook) for rook in ones(s.castling & s.own))
        total += 2.0 if now else 1.0
    for square in ones(s.own & s.pawn):  # 6. pawns: ranks gained, and defended by a piece
        total += 0.2 * abs(square // 8 - (1 if side == 0 else 6))
        if game.attackers(s, square, occupied, 1 - side) & s.own & ~s.pawn:
            total += 0.3
    total += 0.5 if after.checkers else 0.0  # 7. a check, the threat of mate
    return total + (1.0 if threatens_mate(game, s, after) else 0.0)


def moves_by_square(game: Chess, s: State) -> dict[int, int]:
    """How many moves each piece has, a capture counting twice; castling does not count."""
    found: dict[int, int] = {}
    for action in legal(game, s):
        if kind_of(action) != CASTLING:
            found[origin_of(action)] = found.get(origin_of(action), 0) + (
                1 if victim(game, s, action) == NO_PIECE else 2
            )
    return found


def as_queen(game: Chess, s: State) -> int:
    """How many moves a queen would have in the king's place, a capture counting twice."""
    king, occupied = first(s.king & s.own), s.own | s.opp
    reach = game.rook_attacks(king, occupied) | game.bishop_attacks(king, occupied)
    return count(reach & ~occupied) + 2 * count(reach & s.opp)


def threatens_mate(game: Chess, s: State, after: State) -> bool:
    """Whether the side that has just moved would mate if it could move again."""
    if after.checkers:
        return False  # a check must be answered first
    for action in legal(game, s):
        if game.threatens(s, action):
            reached = game.result(s, action)
            if reached.checkers and not game.can_move(reached):
                return True
    return False
