"""Go: surround more of the board than your opponent.

Black and White take turns placing a stone on an empty point, or passing; Black begins. Adjacent stones of one colour
form a chain; a chain whose last liberty (adjacent empty point) is filled is taken off the board, the opponent's chains
first. Two passes in a row end the game, and all stones count as alive. A side's area is its stones and the empty points
that reach only its stones; White gets `komi` points more, for moving second. The side with more wins (area scoring, as
in the rules of China, New Zealand and the American Go Association, and of Tromp and Taylor 1995).

A move that leaves its own chain without a liberty is suicide: illegal, or legal with `suicide` (the chain is removed,
unless it is a single stone, which would change nothing). No move may recreate an earlier position of the whole board,
whoever moved then (positional superko); passing is always allowed. Without `superko`, only the stone that has just
taken a single stone may not be retaken at once (simple ko), and a game may continue forever.

Points are written as Go players and programs write them: a letter for the column, without I, and a number for the row,
from the bottom: A1 is the lower left corner. Best play on an empty board is worth, in points of area, 1 on 2x2, 9 on
3x3, 2 on 4x4, 25 on 5x5 to Black (van der Werf, Uiterwijk & van den Herik 2003).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.diagram import Diagram
from counterplay.core.game import INFINITY
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import count, first, ones
from counterplay.core.language.marks import inlined
from counterplay.core.language.rng import mix
from counterplay.core.language.wide import u64
from counterplay.core.rules import listed
from counterplay.games.go import drawing, notation
from counterplay.games.go.policy import PlayoutPolicy
from counterplay.games.go.stones import NOWHERE, State, is_single

if TYPE_CHECKING:
    from pathlib import Path

    from counterplay.core.playthrough import Playthrough

NAMES = ("black (x)", "white (o)")
MOST_KOMI = 1000.0
COUNTED = 511
"""The bits of a repetition key that count the stones."""


class Go(PlayoutPolicy):
    """Surround more of the board than your opponent."""

    name = "go"
    expert = "mcts:c=0.2,rave=1000"
    record_suffix = "sgf"
    symmetries = 8

    def __init__(
        self,
        size: int = 9,
        komi: float = 7.5,
        superko: bool = True,
        suicide: bool = False,
        score: bool = False,
        playouts: Literal["local", "uniform"] = "local",
    ) -> None:
        super().__init__(size, suicide, playouts == "local")
        if not abs(komi) <= MOST_KOMI:
            raise CounterplayError(f"go: komi={komi:g} must be a number of points, up to {MOST_KOMI:g}")
        self.superko, self.score = superko, score
        self.compensation = np.array([float(komi)])  # an array, so that all komis share machine code
        if superko:
            self.repetition = "illegal"
        if score:
            most = size * size + abs(float(komi))
            self.utility_bounds = self.evaluation_bounds = (-most, most)
        self.plane_shape = (9, size, size)
        self.policy_size = self.skip + 1

    def initial(self) -> State:
        return self.State(self.Board(0), self.Board(0), u64(0), NOWHERE, NOWHERE, 0, 0)

    def to_move(self, s: State) -> int:
        return s.player

    def actions(self, s: State, out: Actions) -> None:
        empty = self.empty(s)
        free = self.open(s, empty)
        legal = free & self.near(empty)
        for point in ones(free ^ legal):
            if self.is_legal(s, self.at(point), empty):
                legal |= self.at(point)
        for point in ones(legal):
            out.append(self.action(point))
        out.append(self.skip)

    def is_legal(self, s: State, stone: Any, empty: Any) -> bool:
        """Whether the rules, ko aside, allow a `stone` on an empty point without empty neighbours."""
        if self.suicide:
            if self.near(stone) & s.mine:
                return True
        return self.is_safe(stone, s.mine, s.theirs, empty)

    @inlined
    def result(self, s: State, action: int) -> State:
        if action == self.skip:
            return self.State(s.theirs, s.mine, s.stones, NOWHERE, NOWHERE, s.passes + 1, 1 - s.player)
        point = self.point(action)
        stone = self.at(point)
        mine = s.mine | stone
        empty = self.empty(s)
        taken = self.captured(stone, s.theirs, empty)
        stones = s.stones ^ u64(self.zobrist[s.player, point])
        ko, last = NOWHERE, point
        if taken:
            for at in ones(taken):
                stones ^= u64(self.zobrist[1 - s.player, at])
            if is_single(taken) and not self.near(stone) & (s.mine | empty):
                ko = first(taken)
        elif self.suicide:
            chain = self.breathless(stone, mine, empty ^ stone)
            if chain:
                last = NOWHERE
                mine ^= chain
                for at in ones(chain):
                    stones ^= u64(self.zobrist[s.player, at])
        return self.State(s.theirs ^ taken, mine, stones, ko, last, 0, 1 - s.player)

    def is_terminal(self, s: State) -> bool:
        return s.passes >= 2

    def utility(self, s: State, player: int) -> float:
        lead = self.margin(s)
        if player == 1:
            lead = -lead
        if self.score:
            return lead
        return float((lead > 0) - (lead < 0))

    def margin(self, s: State) -> float:
        """Black's lead in points, including komi, if all stones are alive."""
        lead = self.lead(s.mine, s.theirs)
        return (lead if s.player == 0 else -lead) - float(self.compensation[0])

    @property
    def komi(self) -> float:
        """White's compensation for moving second."""
        return float(self.compensation[0])

    # Identity.

    def key(self, s: State) -> u64:
        return s.stones ^ mix(u64(s.player + 2 * s.passes + 8 * (s.ko + 1)))

    def repetition_key(self, s: State) -> u64:
        return s.stones & ~u64(COUNTED) | u64(count(s.mine | s.theirs))

    def earliest(self, s: State, first: int) -> int:
        return max(0, count(s.mine | s.theirs) - (first & COUNTED))  # an action adds at most one stone

    def lookback(self, s: State) -> int:
        return 0 if s.passes else 1 << 30  # a pass is no repetition

    def mark(self, s: State) -> u64:
        black, white = (s.mine, s.theirs) if s.player == 0 else (s.theirs, s.mine)
        return u64(black & 0xFFFFFFFF) | u64(white & 0xFFFFFFFF) << 32  # up to 5x5 all stones, else those at the top

    # Evaluation.

    def assured(self, s: State, player: int) -> float:
        settled = self.settled(s.mine if player == s.player else s.theirs)
        if not settled:
            return -INFINITY
        komi = float(self.compensation[0])
        lead = 2.0 * count(settled) - self.skip + (komi if player == 1 else -komi)
        return lead if self.score else float((lead > 0) - (lead < 0))

    def squanders(self, s: State, action: int) -> bool:
        """Only filling a one-point eye can make one's own settled stones unsafe."""
        if action == self.skip:
            return False
        stone = self.at(self.point(action))
        if self.near(stone) & (self.full ^ s.mine):
            return False
        return bool(self.settled(s.mine) & stone)

    def evaluate(self, s: State, player: int) -> float:
        """Stones and the empty points that are nearer to one side's stones than to the other's; half a point to move."""
        empty = self.empty(s)
        mine, theirs = s.mine, s.theirs
        while empty:
            my_step, their_step = self.near(mine) & empty, self.near(theirs) & empty
            if not my_step | their_step:
                break
            empty &= ~(my_step | their_step)
            mine |= my_step & ~their_step
            theirs |= their_step & ~my_step
        lead = count(mine) - count(theirs) + 0.5
        value = (lead if s.player == 0 else -lead) - float(self.compensation[0])
        if player == 1:
            value = -value
        if self.score:
            return min(max(value, self.utility_bounds[0]), self.utility_bounds[1])
        return value / (8.0 + abs(value))

    def ordering(self, s: State, action: int) -> int:
        """Captures first, then beside the last stone, then beside stones; near the middle; passing and own eyes late."""
        if action == self.skip:
            return -40
        stone, empty = self.at(self.point(action)), self.empty(s)
        if stone & self.eyes(s.mine, s.theirs, empty):
            return -50
        row, column = 2 * (action // self.size) + 1 - self.size, 2 * (action % self.size) + 1 - self.size
        value = -max(abs(row), abs(column))
        around = self.near(stone)
        value += 20 * min(count(self.captured(stone, s.theirs, empty)), 10)
        if around & (s.mine | s.theirs):
            value += 4
        if s.last != NOWHERE and around & self.at(s.last):
            value += 8
        return value

    # Symmetry and planes.

    def symmetric(self, s: State, k: int) -> State:
        if k == 0:
            return s
        mine, theirs = self.turn(s.mine, k), self.turn(s.theirs, k)
        stones = self.hashed(mine, theirs) if s.player == 0 else self.hashed(theirs, mine)
        return self.State(
            mine, theirs, stones, self.turn_point(s.ko, k), self.turn_point(s.last, k), s.passes, s.player
        )

    def symmetric_action(self, action: int, k: int) -> int:
        return action if action == self.skip else self.action(self.turn_point(self.point(action), k))

    def turn_point(self, point: int, k: int) -> int:
        """The point mirrored left to right (k & 1), then upside down (k & 2), then over the main diagonal (k & 4)."""
        if point == NOWHERE:
            return NOWHERE
        row, column = point // self.stride, point % self.stride
        if k & 1:
            column = self.size - 1 - column
        if k & 2:
            row = self.size - 1 - row
        return column * self.stride + row if k & 4 else row * self.stride + column

    def turn(self, points: Any, k: int) -> Any:
        """The same for many points."""
        seen = self.Board(0)
        for point in ones(points):
            seen |= self.at(self.turn_point(point, k))
        return seen

    def planes(self, s: State, out: Any) -> None:
        empty = self.empty(s)
        self.show(s.mine, out[0])
        self.show(s.theirs, out[1])
        for side, stones in enumerate((s.mine, s.theirs)):
            one, two = self.in_danger(stones, empty)
            self.show(one, out[2 + 2 * side])
            self.show(two, out[3 + 2 * side])
        if s.ko != NOWHERE:
            self.show(self.at(s.ko), out[6])
        if s.passes:
            out[7, :, :] = 1
        if s.player == 1:
            out[8, :, :] = 1  # the side to move gets the komi

    def show(self, points: Any, plane: Any) -> None:
        """Write ones where `points` are."""
        for point in ones(points):
            plane[point // self.stride, point % self.stride] = 1

    # Notation and picture.

    def action_text(self, s: State, action: int) -> str:
        return "pass" if action == self.skip else notation.vertex(self, self.point(action))

    def parse_action(self, s: State, text: str) -> int:
        word = text.strip()
        point = notation.point_of(self, word)
        action = self.skip if word.casefold() == "pass" else self.action(point) if point != NOWHERE else NOWHERE
        return action if action in listed(self, s) else super().parse_action(s, text)

    def position_text(self, s: State) -> str:
        return notation.position_text(self, s)

    def parse_position(self, text: str) -> State:
        return notation.parse_position(self, text)

    def board(self, s: State, viewer: int | None = None) -> str:
        return notation.diagram(self, s)

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        return drawing.diagram(self, s)

    def value_text(self, value: float, plies: int | None = None) -> str:
        return f"{value:+.1f} points" if self.score else ""

    def ending(self, s: State) -> str:
        return f"by {abs(self.margin(s)):g} points"

    def playthrough_text(
        self, p: Playthrough, names: Sequence[str], returns: Sequence[float], tags: Mapping[str, str]
    ) -> str:
        from counterplay.games.go.sgf import write_sgf

        properties = {"Event": "EV", "Date": "DT", "Round": "RO", "Termination": "GC"}
        told = {properties[name]: value for name, value in tags.items() if name in properties}
        if not p.is_over:
            told["RE"] = f"{'B' if returns[0] > returns[1] else 'W'}+F"  # by forfeit
        return write_sgf(p, PB=names[0], PW=names[1], **told)

    def read_playthroughs(self, file: Path) -> Iterator[tuple[Playthrough, tuple[float, ...] | None]]:
        from counterplay.core.formats.files import read_whole
        from counterplay.games.go.sgf import each_game, lead_of

        for record in each_game(read_whole(file)):
            size = record.playthrough.game.parameters["size"]
            if size != self.size:
                raise CounterplayError(f"{str(file)!r} has a game on {size}x{size}, not on {self.size}x{self.size}")
            lead = lead_of(record.tags.get("RE", ""), self.score)
            yield record.playthrough, None if lead is None else (lead, -lead)

    def player_name(self, player: int) -> str:
        return NAMES[player]
