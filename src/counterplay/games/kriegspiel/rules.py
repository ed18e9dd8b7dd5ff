"""Kriegspiel: chess in which neither player sees the other's pieces (H. M. Temple, 1898).

A player *tries* a move that their own pieces allow. If it is illegal (something is in the way, a pawn finds nothing to
take, the king would be in check), the referee says "no", and they try another. If it is legal, it is made. Both players
hear the referee: "no"; that a pawn or a piece was taken, and where; check, by a knight or along the rank, the file, the
long or the short diagonal, as seen from the king; and how many captures the pawns of the side to move can make (*pawn
tries*); without any, pawn captures cannot be tried. Everything else is chess: checkmate wins; stalemate, dead positions
and fifty moves by each side without a capture or a pawn move are draws.

Boards are 8x8 and, with smaller armies, 4x4 to 7x7, where pawns make no double steps and kings do not castle. The
referee keeps a record of all tries and announcements; it has room for a long game, and when it is full, the game is a
draw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.diagram import Diagram
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, first, ones
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.core.language.wide import Wide, WideInt, u64
from counterplay.games.kriegspiel.board import KING, NOWHERE, PAWN, STARTS, WHITE, Pieces
from counterplay.games.kriegspiel.moves import Moves

TRY, MOST_TRIES = 14, 150
"""Bits of a try in the record, and the capacity for each player's tries."""
HEARD_BITS, LONGEST = 2048, 21
"""Bits of all announcements in the record, and of the longest one."""
KNIGHT_CHECK, RANK, FILE, LONG, SHORT = range(1, 6)
"""The kinds of check; 0 for none."""
PATIENCE = 100
"""Moves of both sides without a capture or a pawn move until a draw."""
WORTH = (1.0, 3.0, 3.0, 5.0, 9.0)
"""The values of the pieces, in pawns."""
SCALE = 40.0
"""An advantage of this many pawns counts as a win."""

if TYPE_CHECKING:
    Tries = WideInt
    Heard = WideInt
else:
    Tries, Heard = Wide(TRY * MOST_TRIES), Wide(HEARD_BITS)


@state
class State(NamedTuple):
    """The board, and the referee's record."""

    pawn: u64
    knight: u64
    bishop: u64
    rook: u64
    queen: u64
    king: u64
    white: u64
    black: u64
    castling: u64
    en_passant: int
    clock: int
    player: int  # the player to move
    refused: int  # the number of their tries refused in this turn
    said: int  # of the last move: two bits for the capture (1 a pawn, 2 a piece), six for its square, three for each of
    # two checks, two spare ones, and the number of pawn tries
    tried: tuple[Tries, Tries]  # by each player: TRY bits each, the last lowest
    heard: Heard  # all announcements, each in its own code, after a first bit


@state
class Known(NamedTuple):
    """What a player knows."""

    tried: Tries  # their own tries
    heard: Heard
    is_on_move: bool


class Kriegspiel(Moves):
    """Chess in the dark, with a referee."""

    name = "kriegspiel"

    def __init__(self, size: int = 8, start: str = "") -> None:
        from counterplay.games.kriegspiel.notation import read_start

        if size not in STARTS:
            raise CounterplayError(f"kriegspiel: a board of size {size} is not supported: size is from 4 to 8")
        super().__init__(size)
        self.home = tuple(read_start(size, start or STARTS[size]))
        self.evaluation_bounds = (-1.0, 1.0)

    def initial(self) -> State:
        pawn, knight, bishop, rook, queen, king = (
            u64(self.home[0]), u64(self.home[1]), u64(self.home[2]), u64(self.home[3]), u64(self.home[4]),
            u64(self.home[5]),
        )  # fmt: skip
        b = Pieces(
            pawn, knight, bishop, rook, queen, king, u64(self.home[6]), u64(self.home[7]), u64(self.home[8]), NOWHERE, 0
        )
        return self.begun(b, WHITE)

    def begun(self, b: Pieces, player: int) -> State:
        """A state in which nothing has been tried yet, with the referee's first announcement."""
        return self.placed(b, player, 0, self.announce(b, player), (Tries(0), Tries(0)), Heard(1))

    def placed(
        self, b: Pieces, player: int, refused: int, said: int, tried: tuple[Tries, Tries], heard: Heard
    ) -> State:
        """A state made of a board and a record."""
        return State(
            b.pawn, b.knight, b.bishop, b.rook, b.queen, b.king, b.white, b.black, b.castling, b.en_passant, b.clock,
            player, refused, said, tried, heard,
        )  # fmt: skip

    def pieces(self, s: State) -> Pieces:
        """The board of a state."""
        return Pieces(
            s.pawn, s.knight, s.bishop, s.rook, s.queen, s.king, s.white, s.black, s.castling, s.en_passant, s.clock
        )

    def to_move(self, s: State) -> int:
        return s.player

    def actions(self, s: State, out: Actions) -> None:
        self.tries(self.pieces(s), s.player, s.said >> 16 > 0, out)
        for i in range(s.refused):
            out.remove(self.tried_before(s, i))

    def tried_before(self, s: State, i: int) -> int:
        """The player to move's last try (0), the one before it (1), and so on."""
        return int(s.tried[s.player] >> TRY * i & (1 << TRY) - 1)

    def result(self, s: State, action: int) -> State:
        b, me = self.pieces(s), s.player
        record = s.tried[me] << TRY | action
        tried = (record, s.tried[1]) if me == WHITE else (s.tried[0], record)
        if not self.is_legal(b, me, action):
            return self.placed(b, me, s.refused + 1, s.said, tried, s.heard << 1)
        after = self.moved(b, me, action)
        said, taken = self.announce(after, 1 - me), self.taken_square(b, action)
        if taken != NOWHERE:
            said |= (1 if self.piece_at(b, taken) == PAWN else 2) | taken << 2
        return self.placed(after, 1 - me, 0, said, tried, self.written(s.heard, said))

    def is_terminal(self, s: State) -> bool:
        b = self.pieces(s)
        return s.clock >= PATIENCE or self.is_full(s) or self.is_dead(b) or not self.can_move(b, s.player)

    def is_full(self, s: State) -> bool:
        """Whether the referee's record has no room for another turn."""
        return (s.tried[s.player] >> TRY * (MOST_TRIES - 1)) != 0 or (s.heard >> HEARD_BITS - LONGEST) != 0

    def utility(self, s: State, player: int) -> float:
        b = self.pieces(s)
        if not self.checkers(b, s.player) or self.can_move(b, s.player):
            return 0.0
        return -1.0 if player == s.player else 1.0

    # The referee.

    def announce(self, b: Pieces, side: int) -> int:
        """The referee's announcement of check and pawn tries to `side`, which is to move; see State.said."""
        said, shift = self.captures_of_pawns(b, side) << 16, 8
        king = first(b.king & (b.white if side == WHITE else b.black))
        for checker in ones(self.checkers(b, side)):
            said |= self.line_of(b, king, checker) << shift
            shift += 3
        return said

    def line_of(self, b: Pieces, king: int, checker: int) -> int:
        """The kind of check that a piece gives, as seen from the king."""
        if b.knight & bit(checker):
            return KNIGHT_CHECK
        up, right, n = checker // 8 - king // 8, checker % 8 - king % 8, self.size
        if up == 0:
            return RANK
        if right == 0:
            return FILE
        rising = n - abs(king // 8 - king % 8)  # the lengths of the two diagonals through the king
        falling = n - abs(king // 8 + king % 8 - (n - 1))
        longer = rising >= falling if (up > 0) == (right > 0) else falling >= rising
        return LONG if longer else SHORT

    def written(self, heard: Heard, said: int) -> Heard:
        """The record with the announcement of a legal move. A "no" is a 0 in it; this is a 1, then a part each for the
        capture, check and pawn tries, which is 0 if there is nothing to announce."""
        heard = heard << 1 | 1
        taken, checks, tries = said & 255, said >> 8 & 63, said >> 16
        heard = heard << 8 | (1 << 7 | (taken & 3) - 1 << 6 | taken >> 2) if taken else heard << 1
        heard = heard << 7 | (1 << 6 | checks) if checks else heard << 1
        return heard << 5 | (1 << 4 | tries - 1) if tries else heard << 1

    # Secrets.

    def information(self, s: State, player: int) -> Known:
        return Known(s.tried[player], s.heard, s.player == player)

    def essence(self, s: State) -> State:
        """The board, and the tries refused in this turn."""
        kept = s.tried[s.player] & (Tries(1) << TRY * s.refused) - 1
        tried = (kept, Tries(0)) if s.player == WHITE else (Tries(0), kept)
        return self.placed(self.pieces(s), s.player, s.refused, s.said, tried, Heard(1))

    # The evaluation, which sees everything.

    def evaluate(self, s: State, player: int) -> float:
        balance = 0.0
        for piece in range(KING):
            board = s.pawn
            if piece == 1:
                board = s.knight
            elif piece == 2:
                board = s.bishop
            elif piece == 3:
                board = s.rook
            elif piece == 4:
                board = s.queen
            balance += WORTH[piece] * (count(board & s.white) - count(board & s.black))
        balance = min(max(balance / SCALE, -0.99), 0.99)
        return balance if player == WHITE else -balance

    def is_noisy(self, s: State, action: int) -> bool:
        other = s.black if s.player == WHITE else s.white
        return (other & bit(action >> 6 & 63)) != 0 and self.is_clear(self.pieces(s), s.player, action)

    def ordering(self, s: State, action: int) -> int:
        """Captures first, of the most valuable piece; tries that the referee would refuse last."""
        b = self.pieces(s)
        if not self.is_clear(b, s.player, action):
            return -1
        taken = self.taken_square(b, action)
        return 0 if taken == NOWHERE else 1 + self.piece_at(b, taken)

    def sample(self, s: State, rng: Rng) -> int:
        """A legal move for a playout: of two random ones, the one that captures more."""
        b, best, most = self.pieces(s), -1, -1
        for _ in range(2):
            action = self.random_move(b, s.player, rng)
            taken = self.taken_square(b, action)
            worth = 0 if taken == NOWHERE else 1 + self.piece_at(b, taken)
            if worth > most:
                best, most = action, worth
        return best

    # Notation and pictures.

    def action_text(self, s: State, action: int) -> str:
        from counterplay.games.kriegspiel.notation import action_text

        return action_text(self, s, action)

    def position_text(self, s: State) -> str:
        from counterplay.games.kriegspiel.notation import write

        return write(self, s)

    def parse_position(self, text: str) -> State:
        from counterplay.games.kriegspiel.notation import read

        return read(self, text)

    def player_name(self, player: int) -> str:
        return ("White", "Black")[player]

    def ending(self, s: State) -> str:
        if not self.can_move(self.pieces(s), s.player):
            return "by checkmate" if self.checkers(self.pieces(s), s.player) else "by stalemate"
        if s.clock >= PATIENCE:
            return "fifty moves without a capture or a pawn move"
        return "the referee's record is full" if self.is_full(s) else "nobody can mate"

    def referee(self, s: State) -> str:
        """The referee's last announcement."""
        from counterplay.games.kriegspiel.drawing import referee

        return referee(self, s)

    def board(self, s: State, viewer: int | None = None) -> str:
        from counterplay.games.kriegspiel.drawing import board

        return board(self, s, viewer)

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        from counterplay.games.kriegspiel.drawing import diagram

        return diagram(self, s, viewer)

    def clicks(self, s: State, action: int) -> tuple[str, ...]:
        from counterplay.games.kriegspiel.notation import square_name

        return square_name(action & 63), square_name(action >> 6 & 63)
