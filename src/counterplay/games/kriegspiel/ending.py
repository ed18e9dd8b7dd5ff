"""Kriegspiel endings: king and rook, or king and queen, against an unseen king.

White has a king and a rook (or a queen) on a small board, Black a king. Black sees the whole board; White sees only
their own pieces and hears the referee. White tries a move. If it is illegal, because White's king would step next to
the other, the referee says "no", and White tries something else. After a legal move the referee says whether it gives
check, and on which line: the rank, the file, the long or the short diagonal, as seen from Black's king. Black's moves
are not announced, except captures. White wins by checkmate within a number of moves (`moves`); stalemate, losing the
piece, and running out of moves are draws.

Chance places Black's king on any square that is not in check. Whatever White can force against a king that sees
everything works against a blind one as well. Kriegspiel was invented by H. M. Temple in 1898; that the rook wins on the
large board was shown by J. Boyce (A Kriegspiel Endgame, in The Mathematical Gardner, 1981).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import Diagram
from counterplay.core.formats.text import read_moves, shorten
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, nth, ones
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.core.language.wide import Wide, WideInt, u64

STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
NOWHERE = -1
WHITE, BLACK = 0, 1
KING, PIECE = 0, 64
"""White's actions: the target, plus 64 if the rook or queen moves."""
REFUSED, QUIET, RANK, FILE, LONG, SHORT = range(6)
FILES = "abcdefgh"
MOST_MOVES = 12
TRIES = 4
"""The maximum number of tries in a turn: two kings have no more than three squares between them."""
EVENT = 10
"""Bits of a try in the record: the action, and above it the referee's answer."""
if TYPE_CHECKING:
    Record = WideInt
    Replies = WideInt
else:
    Record, Replies = Wide(EVENT * TRIES * MOST_MOVES), Wide(6 * MOST_MOVES)


@state
class State(NamedTuple):
    """The pieces, and the record of all tries, the last lowest."""

    king: int  # White's
    piece: int  # White's other piece, NOWHERE if captured
    lone: int  # Black's king, NOWHERE before it is placed
    player: int  # the player to move
    refused: u64  # squares that White's king has tried without success in this turn
    moves: int  # of White, legal ones
    tries: int  # of White
    record: Record  # of White's tries: EVENT bits each
    replies: Replies  # six bits per move of Black's
    start: tuple[int, int, int]  # where the three stood at the start of the record


@state
class Known(NamedTuple):
    """What a player knows."""

    record: Record
    replies: Replies  # Black knows them, White does not
    start: int  # of Black's king, which Black knows
    king: int
    piece: int
    player: int  # the player to move, CHANCE before the start


class KriegspielEnding(Game):
    """Mate a king that you cannot see."""

    name = "kriegspiel-ending"

    def __init__(self, size: int = 4, piece: Literal["rook", "queen"] = "rook", moves: int = MOST_MOVES) -> None:
        if not 3 <= size <= 8:
            raise CounterplayError(f"kriegspiel-ending: a board of size {size} is not supported: size is from 3 to 8")
        if piece not in ("rook", "queen"):
            raise CounterplayError(f"kriegspiel-ending: piece={piece!r} must be rook or queen")
        if not 1 <= moves <= MOST_MOVES:
            raise CounterplayError(f"kriegspiel-ending: White has from 1 to {MOST_MOVES} moves, not {moves}")
        self.size, self.moves = size, moves
        self.cells = size * size
        self.policy_size = PIECE + self.cells
        ways = STRAIGHT if piece == "rook" else STRAIGHT + DIAGONAL
        squares = range(self.cells)
        self.near = np.array([self._ray(at, NOWHERE, STRAIGHT + DIAGONAL, 1) for at in squares], np.uint64)
        self.sight = np.array([self._ray(at, king, ways, size) for at in squares for king in squares], np.uint64)
        self.letter = "R" if piece == "rook" else "Q"

    def _ray(self, square: int, king: int, ways: tuple[tuple[int, int], ...], far: int) -> int:
        """The squares that a piece attacks: up to `far` steps in each direction, until it meets a king."""
        seen = 0
        for up, right in ways:
            rank, file = divmod(square, self.size)
            for _ in range(far):
                rank, file = rank + up, file + right
                if not (0 <= rank < self.size and 0 <= file < self.size):
                    break
                seen |= 1 << rank * self.size + file
                if rank * self.size + file == king:
                    break
        return seen

    def initial(self) -> State:
        return self.placed(0, 1, NOWHERE, WHITE)

    def placed(self, king: int, piece: int, lone: int, player: int) -> State:
        """A state in which nothing has been tried yet."""
        return State(king, piece, lone, player, u64(0), 0, 0, Record(0), Replies(0), (king, piece, lone))

    def to_move(self, s: State) -> int:
        return CHANCE if s.lone == NOWHERE else s.player

    def chance(self, s: State, out: Actions) -> None:
        for square in ones(self.free(s.king, s.piece)):
            out.append(square)

    def probability(self, s: State, event: int) -> float:
        return 1 / count(self.free(s.king, s.piece))

    def actions(self, s: State, out: Actions) -> None:
        if s.player == BLACK:
            for square in ones(self.flights(s.king, s.piece, s.lone)):
                out.append(square)
            return
        for square in ones(self.beside(s.king) & ~bit(s.piece) & ~s.refused):
            out.append(KING + square)
        for square in ones(self.lines(s.piece, s.king) & ~bit(s.king)):
            out.append(PIECE + square)

    def result(self, s: State, action: int) -> State:
        if s.lone == NOWHERE:
            start = (s.king, s.piece, action)
            return State(s.king, s.piece, action, s.player, s.refused, 0, 0, s.record, s.replies, start)
        if s.player == BLACK:
            piece = NOWHERE if action == s.piece else s.piece
            replies = s.replies << 6 | action
            return State(s.king, piece, action, WHITE, u64(0), s.moves, s.tries, s.record, replies, s.start)
        king, piece = (s.king, action - PIECE) if action >= PIECE else (action, s.piece)
        said = self.verdict(king, piece, s.lone)
        record, tries = s.record << EVENT | (said << 7 | action), s.tries + 1
        if said == REFUSED:
            refused = s.refused | bit(action)
            return State(s.king, s.piece, s.lone, WHITE, refused, s.moves, tries, record, s.replies, s.start)
        return State(king, piece, s.lone, BLACK, u64(0), s.moves + 1, tries, record, s.replies, s.start)

    def is_terminal(self, s: State) -> bool:
        if s.lone == NOWHERE:
            return False
        if s.player == BLACK:
            return not self.flights(s.king, s.piece, s.lone)
        return s.piece == NOWHERE or s.moves >= self.moves

    def utility(self, s: State, player: int) -> float:
        mated = s.player == BLACK and self.verdict(s.king, s.piece, s.lone) > QUIET
        return 0.0 if not mated else 1.0 if player == WHITE else -1.0

    # The board: a square is a bit, rank by rank from a1 on.

    def beside(self, square: int) -> u64:
        """The squares next to a square."""
        return u64(self.near[square])

    def lines(self, piece: int, king: int) -> u64:
        """The squares that the rook or queen sees, with White's king in its way. Black's king hides nothing: on White's
        turn it cannot stand in between, and on its own turn it may not step back along the line."""
        return u64(self.sight[piece * self.cells + king])

    def attacked(self, king: int, piece: int) -> u64:
        """The squares that White attacks; the rook or queen itself only if the king protects it."""
        return self.beside(king) | self.lines(piece, king)

    def free(self, king: int, piece: int) -> u64:
        """The squares where Black's king can stand when White is to move."""
        return (bit(self.cells - 1) * 2 - 1) & ~(self.attacked(king, piece) | bit(king) | bit(piece))

    def flights(self, king: int, piece: int, lone: int) -> u64:
        """The squares that Black's king can go to."""
        return self.beside(lone) & ~self.attacked(king, piece) & ~bit(king)

    def verdict(self, king: int, piece: int, lone: int) -> int:
        """The referee's answer when White's pieces have gone there."""
        if self.beside(lone) & bit(king):
            return REFUSED
        if not self.lines(piece, king) & bit(lone):
            return QUIET
        n = self.size
        up, right = lone // n - piece // n, lone % n - piece % n
        if up == 0:
            return RANK
        if right == 0:
            return FILE
        rising = n - abs(lone // n - lone % n)  # the lengths of the two diagonals through Black's king
        falling = n - abs(lone // n + lone % n - (n - 1))
        longer = rising >= falling if up == right else falling >= rising
        return LONG if longer else SHORT

    # Secrets: White does not see Black's king.

    def information(self, s: State, player: int) -> Known:
        mover = CHANCE if s.lone == NOWHERE else s.player
        if player == BLACK:
            return Known(s.record, s.replies, s.start[2], s.king, s.piece, mover)
        return Known(s.record, Replies(0), NOWHERE, s.king, s.piece, mover)

    def essence(self, s: State) -> State:
        start = (s.king, s.piece, s.lone)
        return State(s.king, s.piece, s.lone, s.player, s.refused, 0, 0, Record(0), Replies(0), start)

    def possible(self, s: State, moves: int) -> u64:
        """The squares where Black's king may be, by what White has heard, after a number of White's moves: on White's
        turn, after as many answers; if Black is to answer the last of them, before that."""
        king, piece = s.start[0], s.start[1]
        squares = self.free(king, piece)
        made = 0
        for i in range(s.tries):
            if made == moves and self.said(s, i) != REFUSED:
                break
            action = self.tried(s, i)
            next_king, next_piece = (king, action - PIECE) if action >= PIECE else (action, piece)
            kept = u64(0)
            for square in ones(squares):
                if self.verdict(next_king, next_piece, square) == self.said(s, i):
                    kept |= bit(square)
            squares = kept
            if self.said(s, i) != REFUSED:
                king, piece, made = next_king, next_piece, made + 1
                if made < s.moves or s.player == WHITE:
                    squares = self.answers(king, piece, squares)
        return squares

    def answers(self, king: int, piece: int, squares: u64) -> u64:
        """The squares that Black's king can go to from any of some squares without capturing."""
        reached = u64(0)
        for square in ones(squares):
            reached |= self.flights(king, piece, square)
        return reached & ~bit(piece)

    def tried(self, s: State, i: int) -> int:
        """The i-th try of White."""
        return int(s.record >> EVENT * (s.tries - 1 - i) & 127)

    def said(self, s: State, i: int) -> int:
        """The referee's answer to the i-th try."""
        return int(s.record >> EVENT * (s.tries - 1 - i) + 7 & 7)

    def resample(self, s: State, player: int, rng: Rng) -> State:
        """Black's king on a square where it may be, with a path there that it may have taken."""
        if player == BLACK or s.lone == NOWHERE or s.piece == NOWHERE:
            return s
        squares = self.possible(s, s.moves)
        lone = nth(squares, rng.below(count(squares)))
        answers = s.moves - int(s.player == BLACK)
        square, replies = lone, Replies(0)
        for back in range(answers):
            replies |= Replies(square) << 6 * back
            # Before an answer: a square that White considers possible, and from which it is legal.
            before = self.possible(s, answers - 1 - back) & self.came(s, answers - 1 - back, square)
            square = nth(before, rng.below(count(before)))
        start = (s.start[0], s.start[1], square)
        return State(s.king, s.piece, lone, s.player, s.refused, s.moves, s.tries, s.record, replies, start)

    def came(self, s: State, moves: int, target: int) -> u64:
        """The squares from which Black's king can go to `target` after White's next move, after a number of moves, and
        where the referee would have given the same answers."""
        king, piece, made = s.start[0], s.start[1], 0
        said = QUIET
        for i in range(s.tries):
            said, action = self.said(s, i), self.tried(s, i)
            if said != REFUSED:
                king, piece = (king, action - PIECE) if action >= PIECE else (action, piece)
                made += 1
                if made > moves:
                    break
        found = u64(0)
        for square in ones(self.beside(target)):
            legal = self.flights(king, piece, square) & bit(target)
            if square not in (king, piece) and legal and self.verdict(king, piece, square) == said:
                found |= bit(square)
        return found

    # Notation: a piece and its square, "Kb2", "Rc1" and "kd4" for Black's king. A position is the start, rank by rank
    # from the top, and the tries since: "3k/4/4/KR2 Kb2 Rb3 kd3" ("4/4/4/KR2" before the start).

    def square_text(self, square: int) -> str:
        """A square, such as b2."""
        return f"{FILES[square % self.size]}{square // self.size + 1}"

    def action_text(self, s: State, action: int) -> str:
        letter = "k" if s.lone == NOWHERE or s.player == BLACK else self.letter if action >= PIECE else "K"
        return letter + self.square_text(action % PIECE)

    def rows_text(self, king: int, piece: int, lone: int) -> str:
        """A board as in chess: rows from the top, a digit for consecutive empty squares."""
        rows = []
        for rank in reversed(range(self.size)):
            row, empty = "", 0
            for square in range(rank * self.size, (rank + 1) * self.size):
                here = {king: "K", piece: self.letter, lone: "k"}.get(square)
                if here:
                    row, empty = row + (str(empty) if empty else "") + here, 0
                else:
                    empty += 1
            rows.append(row + (str(empty) if empty else ""))
        return "/".join(rows)

    def words(self, s: State) -> list[str]:
        """All tries and answers, in order."""
        words, answered = [], count_answers(s)
        made = 0
        for i in range(s.tries):
            action = self.tried(s, i)
            words.append((self.letter if action >= PIECE else "K") + self.square_text(action % PIECE))
            if self.said(s, i) != REFUSED:
                made += 1
                if made <= answered:
                    words.append("k" + self.square_text(int(s.replies >> 6 * (answered - made) & 63)))
        return words

    def position_text(self, s: State) -> str:
        return " ".join([self.rows_text(*s.start), *self.words(s)])

    def parse_position(self, text: str) -> State:
        rows, *words = text.split() or [""]
        return read_moves(self, self._read_start(rows), words, "tried")

    def _read_start(self, rows: str) -> State:
        """The start from its text."""
        found = {"K": NOWHERE, self.letter: NOWHERE, "k": NOWHERE}
        lines = rows.split("/")
        usual = self.rows_text(0, 1, self.cells - 1)
        wrong = InvalidPosition(
            f"{self.spec}: {shorten(rows)!r} is not a board of {self.size} rows from the top with K, {self.letter} and k, "
            f"such as {usual}"
        )
        if len(lines) != self.size:
            raise wrong
        for rank, line in zip(reversed(range(self.size)), lines, strict=True):
            file = 0
            for character in line:
                if character.isdecimal():
                    file += int(character)
                elif found.get(character) == NOWHERE and file < self.size:
                    found[character] = rank * self.size + file
                    file += 1
                else:
                    raise wrong
            if file != self.size:
                raise wrong
        king, piece, lone = found.values()
        if NOWHERE in (king, piece):
            raise wrong
        if lone != NOWHERE and not self.free(king, piece) & bit(lone):
            raise InvalidPosition(
                f"{self.spec}: White is to move at the start, so Black's king cannot stand in check there"
            )
        if not self.free(king, piece):
            raise InvalidPosition(f"{self.spec}: White leaves no square for Black's king there")
        return self.placed(king, piece, lone, WHITE)

    # Pictures, which need the names of this module.

    def referee(self, s: State) -> str:
        """The referee's last answer."""
        from counterplay.games.kriegspiel.ending_drawing import referee

        return referee(self, s)

    def board(self, s: State, viewer: int | None = None) -> str:
        from counterplay.games.kriegspiel.ending_drawing import board

        return board(self, s, viewer)

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        from counterplay.games.kriegspiel.ending_drawing import diagram

        return diagram(self, s, viewer)

    def player_name(self, player: int) -> str:
        return ("White", "Black")[player] if player >= 0 else super().player_name(player)

    def clicks(self, s: State, action: int) -> tuple[str, ...]:
        from counterplay.games.kriegspiel.ending_drawing import clicks

        return clicks(self, s, action)


def count_answers(s: State) -> int:
    """The number of moves that Black has made."""
    return s.moves - (s.player == BLACK)
