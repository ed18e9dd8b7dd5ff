"""Checkers (English draughts): jump over the opponent's pieces to capture them; whoever cannot move loses.

Black, who begins, and White have 12 men each on the dark squares of an 8x8 board. A man steps diagonally forward to a
free square, or jumps over an adjacent enemy piece to the free square behind it and captures it. A player who can jump
must, and a jump continues as long as the same piece can capture another; among several jumps the choice is free. A man
that reaches the far row becomes a king, which ends its move; kings step and jump forward and backward. A player without
a legal move loses, with or without pieces left (rules of the World Checkers Draughts Federation, 1.1 to 1.31).

The game is a draw when a position occurs for the third time with the same side to move (rule 1.32.1), or when nothing
was captured and no man moved in the last 40 moves by each side, 80 plies (rule 1.32.2). Best play is a draw (Schaeffer
et al., "Checkers Is Solved", Science 317, 2007).

An action names the piece and every direction of its path, so two paths between the same squares are two actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.diagram import Diagram
from counterplay.core.game import Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, ones
from counterplay.core.language.features import Features
from counterplay.core.language.rng import mix
from counterplay.core.language.wide import u64
from counterplay.core.playthrough import Playthrough
from counterplay.games.checkers import pdn, picture
from counterplay.games.checkers.board import (
    BLACK,
    BOARD,
    ROWS,
    WHITE,
    State,
    ahead,
    column_of,
    downward,
    jumpers,
    movers,
    row_of,
    shift_of,
    square_of,
    upward,
)
from counterplay.games.checkers.evaluation import MIDDLE, lead
from counterplay.games.checkers.features import FEATURES, list_features

NAMES = ("black", "white")
FIRST_JUMP, FIRST_WAY = 6, 10
"""An action has the bit of the piece's square in its lowest 6 bits, then the number of jumps (0 for a step) in 4, then
2 bits for each direction of its path."""
SAFE = 10
"""With at least this many pieces on the board, having to move is rarely a burden."""


class Checkers(Game):
    """Jump over the opponent's pieces to capture them; whoever cannot move loses."""

    name = "checkers"
    record_suffix = "pdn"
    evaluation_bounds = (-0.95, 0.95)
    plane_shape = (4, 8, 8)
    policy_size = 32 * 4
    feature_names = FEATURES

    def __init__(self, limit: int = 80, repetitions: int = 3, advances: bool = True) -> None:
        if not 1 <= limit <= 10_000:
            raise CounterplayError(f"checkers: a limit of {limit} plies without progress is out of range: 1 to 10000")
        if repetitions != 0 and not 2 <= repetitions <= 100:
            raise CounterplayError(
                f"checkers: the {repetitions}-th occurrence of a position cannot be a draw: 2 to 100, or 0 for never"
            )
        self.limit, self.repetitions, self.advances = limit, repetitions, advances
        if repetitions:
            self.repetition, self.occurrences = "draw", repetitions

    def initial(self) -> State:
        return State(ROWS[0] | ROWS[1] | ROWS[2], ROWS[5] | ROWS[6] | ROWS[7], u64(0), BLACK, 0)

    def to_move(self, s: State) -> int:
        return s.player

    def actions(self, s: State, out: Actions) -> None:
        free = BOARD & ~(s.mine | s.theirs)
        down, up = downward(s.mine, s.kings, s.player), upward(s.mine, s.kings, s.player)
        jumping = jumpers(down, up, s.theirs, free)
        if jumping:
            for cell in ones(jumping):
                self.add_jumps(s, cell, free, out)
            return
        for cell in ones(down & free >> 4):
            out.append(cell)
        for cell in ones(down & free >> 5):
            out.append(cell | 1 << FIRST_WAY)
        for cell in ones(up & free << 4):
            out.append(cell | 2 << FIRST_WAY)
        for cell in ones(up & free << 5):
            out.append(cell | 3 << FIRST_WAY)

    def add_jumps(self, s: State, cell: int, free: u64, out: Actions) -> None:
        """Append every complete path of jumps of the piece at `cell`: a depth-first walk that backtracks by the
        directions it took."""
        first, after = 0, 4  # the directions that the piece may take
        if not s.kings & bit(cell):
            first, after = (0, 2) if s.player == BLACK else (2, 4)
        free |= bit(cell)  # the piece may pass here again
        theirs, way, jumps, direction, is_end = s.theirs, 0, 0, first, False
        start = cell
        while True:
            if direction < after:
                if ahead(cell, direction, 1) & theirs and ahead(cell, direction, 2) & free:
                    theirs ^= ahead(cell, direction, 1)
                    cell += 2 * shift_of(direction)
                    way |= direction << 2 * jumps
                    jumps, direction, is_end = jumps + 1, first, True
                else:
                    direction += 1
                continue
            if is_end:
                out.append(start | jumps << FIRST_JUMP | way << FIRST_WAY)
                is_end = False
            if jumps == 0:
                return
            jumps -= 1  # backtrack, and continue with the next direction
            direction = way >> 2 * jumps & 3
            way ^= direction << 2 * jumps
            cell -= 2 * shift_of(direction)
            theirs ^= ahead(cell, direction, 1)
            direction += 1

    def result(self, s: State, action: int) -> State:
        start, jumps, way = action & 63, action >> FIRST_JUMP & 15, action >> FIRST_WAY
        end, taken = start, u64(0)
        for _ in range(jumps):
            taken |= ahead(end, way & 3, 1)
            end += 2 * shift_of(way & 3)
            way >>= 2
        if jumps == 0:
            end += shift_of(way & 3)
        kings = s.kings & ~taken
        if kings & bit(start):
            kings ^= bit(start) | bit(end)  # a round trip ends where it began
            if start == end:
                kings |= bit(end)
        elif bit(end) & (ROWS[0] | ROWS[7]):  # a man moves forward only, so this is the far row
            kings |= bit(end)
        progress = jumps > 0 or (self.advances and not s.kings & bit(start))
        quiet = 0 if progress else s.quiet + 1
        return State(s.theirs & ~taken, s.mine & ~bit(start) | bit(end), kings, 1 - s.player, quiet)

    def is_terminal(self, s: State) -> bool:
        return s.quiet >= self.limit or self.is_stuck(s)

    def is_stuck(self, s: State) -> bool:
        """Whether the side to move has no legal move."""
        free = BOARD & ~(s.mine | s.theirs)
        down, up = downward(s.mine, s.kings, s.player), upward(s.mine, s.kings, s.player)
        return not movers(down, up, free) and not jumpers(down, up, s.theirs, free)

    def utility(self, s: State, player: int) -> float:
        if not self.is_stuck(s):
            return 0.0
        return -1.0 if player == s.player else 1.0

    # Identity.

    def key(self, s: State) -> u64:
        return self.repetition_key(s) + s.quiet

    def repetition_key(self, s: State) -> u64:
        return mix(mix(mix(s.mine << 1 | s.player) ^ s.theirs) ^ s.kings)

    def lookback(self, s: State) -> int:
        return s.quiet

    # Evaluation.

    def evaluate(self, s: State, player: int) -> float:
        value = lead(s) if player == s.player else -lead(s)
        return 0.95 * value / (300.0 + abs(value))

    def ordering(self, s: State, action: int) -> int:
        """Most captures first; then men about to be crowned; then towards the middle; the back rank last."""
        jumps = action >> FIRST_JUMP & 15
        if jumps:
            return 8 * jumps
        start, end = action & 63, (action & 63) + shift_of(action >> FIRST_WAY & 3)
        edge = ROWS[0] | ROWS[7]
        value = 1 if bit(end) & MIDDLE else 0
        if not s.kings & bit(start):
            value += 6 if bit(end) & edge else -2 if bit(start) & edge else 0
        return value

    def is_noisy(self, s: State, action: int) -> bool:
        return action >> FIRST_JUMP & 15 != 0

    def is_forcing(self, s: State, action: int, after: State) -> bool:
        return self.must_jump(after)

    def is_tense(self, s: State) -> bool:
        """A position with a possible jump is never quiet enough for a static evaluation."""
        return self.must_jump(s)

    def must_jump(self, s: State) -> bool:
        """Whether the side to move has a jump, and so must."""
        free = BOARD & ~(s.mine | s.theirs)
        down, up = downward(s.mine, s.kings, s.player), upward(s.mine, s.kings, s.player)
        return jumpers(down, up, s.theirs, free) != 0

    def allows_null(self, s: State) -> bool:
        """Late in the game, having to move is often what loses (the move decides), and a side that must jump cannot
        pass."""
        return count(s.mine) + count(s.theirs) >= SAFE and not self.must_jump(s)

    def null(self, s: State) -> State:
        return State(s.theirs, s.mine, s.kings, 1 - s.player, s.quiet + 1)

    def features(self, s: State, out: Features) -> None:
        list_features(s, out)

    # Planes: own men, own kings, the other's men and kings; the board turned so that the side to move moves down.

    def planes(self, s: State, out: Any) -> None:
        for cell in ones(s.mine | s.theirs):
            row, column = row_of(cell), column_of(cell)
            if s.player == WHITE:
                row, column = 7 - row, 7 - column
            plane = 0 if s.mine & bit(cell) else 2
            out[plane + (1 if s.kings & bit(cell) else 0), row, column] = 1

    def policy_index(self, s: State, action: int) -> int:
        """The square that a piece leaves and the direction of its first step, turned as the planes are."""
        square, way = square_of(action & 63) - 1, action >> FIRST_WAY & 3
        return 4 * square + way if s.player == BLACK else 4 * (31 - square) + (way ^ 2)

    # Notation: PDN, such as 11-15 and 22x15x8; positions as FEN, such as "B:W21,K30:B1,2". Pictures.

    def action_text(self, s: State, action: int) -> str:
        separator = "x" if action >> FIRST_JUMP & 15 else "-"
        return separator.join(map(str, self.stops(action)))

    def stops(self, action: int) -> list[int]:
        """The squares that the piece touches, 1 to 32, from start to end."""
        cell, jumps, way = action & 63, action >> FIRST_JUMP & 15, action >> FIRST_WAY
        touched = [square_of(cell)]
        for _ in range(max(1, jumps)):
            cell += shift_of(way & 3) * (2 if jumps else 1)
            way >>= 2
            touched.append(square_of(cell))
        return touched

    def parse_action(self, s: State, text: str) -> int:
        return pdn.parse_move(self, s, text)

    def split_moves(self, text: str) -> list[str]:
        return pdn.split_moves(text)

    def playthrough_text(
        self, p: Playthrough, names: Sequence[str], returns: Sequence[float], tags: Mapping[str, str]
    ) -> str:
        told = {**tags, "Date": tags.get("Date", "????-??-??").replace("-", ".")}
        return pdn.write_pdn(p, returns, Black=names[0], White=names[1], **told)

    def read_playthroughs(self, file: Path) -> Iterator[tuple[Playthrough, tuple[float, ...] | None]]:
        try:
            lines = file.open(encoding="utf-8", errors="replace")
        except OSError as wrong:
            raise CounterplayError(f"cannot read {str(file)!r}: {(wrong.strerror or str(wrong)).lower()}") from None
        with lines:
            for record in pdn.each_game(lines, self):
                yield record.playthrough, pdn.RESULTS.get(record.result)

    def position_text(self, s: State) -> str:
        return pdn.fen(s)

    def parse_position(self, text: str) -> State:
        return pdn.parse_fen(text, self.spec, self.limit)

    def value_text(self, value: float, plies: int | None = None) -> str:
        """In men, as `evaluate` counts them."""
        return "" if plies is not None or abs(value) >= 0.95 else f"{3 * value / (0.95 - abs(value)):+.1f} men"

    def player_name(self, player: int) -> str:
        return NAMES[player]

    def board(self, s: State, viewer: int | None = None) -> str:
        return picture.board(s)

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        return picture.diagram(s)

    def ending(self, s: State) -> str:
        if not self.is_stuck(s):
            return "without progress"
        return f"because {NAMES[s.player]} cannot move" if s.mine else "by taking every piece"
