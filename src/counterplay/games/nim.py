"""Nim: take from heaps; whoever takes the last object wins (or, in misère play, loses).

Two players take turns removing one or more objects, all from one heap, until nothing is left. In normal play whoever
takes the last object wins; in misère play they lose.

Bouton's theorem ("Nim, a game with a complete mathematical theory", Annals of Mathematics 3, 1901-02): in normal play
the side to move wins exactly if the exclusive or of the heap sizes is not 0. In misère play the same holds while a heap
of two or more is left; with only heaps of one, the side to move wins if their number is even. `evaluate` returns just
that, so a search that looks one action ahead plays perfectly.

The heaps are one 64-bit number, a byte each.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import Cell, Diagram, Look, ink, paper, rectangle, ruled, standing
from counterplay.core.formats.svg import CELL, circle
from counterplay.core.game import Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64

MOST_HEAPS, LARGEST = 8, 255


@state
class State(NamedTuple):
    """Heaps, and whose turn it is."""

    heaps: u64  # the size of each heap, a byte each, the first heap lowest
    turn: int  # the player to move


class Nim(Game):
    """Take from heaps; whoever takes the last object wins (or, in misère play, loses)."""

    name = "nim"
    impartial = True
    """Both players have the same actions and the last to move wins: Sprague-Grundy theory applies."""

    def __init__(self, heaps: str = "3-4-5", misere: bool = False) -> None:
        sizes = read_heaps(heaps) or []
        if not (1 <= len(sizes) <= MOST_HEAPS and all(1 <= size <= LARGEST for size in sizes)):
            raise CounterplayError(
                f"nim: heaps={heaps!r} must be 1 to {MOST_HEAPS} sizes from 1 to {LARGEST} with - between them, "
                "such as '3-4-5'"
            )
        self.sizes, self.misere = tuple(sizes), misere
        self.count, self.largest = len(sizes), max(sizes)
        self.impartial = not misere
        self.plane_shape, self.policy_size = (1, self.count, self.largest), self.count * self.largest

    def initial(self) -> State:
        heaps = u64(0)
        for heap in range(self.count):
            heaps = heaps | u64(self.sizes[heap]) << 8 * heap
        return State(heaps, 0)

    def to_move(self, s: State) -> int:
        return s.turn

    def actions(self, s: State, out: Actions) -> None:
        for heap in range(self.count):
            for take in range(1, self.left(s, heap) + 1):
                out.append(self.action(heap, take))

    def result(self, s: State, action: int) -> State:
        heap, take = action // self.largest, action % self.largest + 1
        return State(s.heaps - (u64(take) << 8 * heap), 1 - s.turn)

    def is_terminal(self, s: State) -> bool:
        return s.heaps == 0

    def utility(self, s: State, player: int) -> float:
        won = (player == s.turn) == self.misere  # the other player took the last object
        return 1.0 if won else -1.0

    def left(self, s: State, heap: int) -> int:
        """The number of objects left in a heap."""
        return int(s.heaps >> 8 * heap & 255)

    def action(self, heap: int, take: int) -> int:
        """The number of the action that takes `take` objects from `heap`."""
        return heap * self.largest + take - 1

    def sample(self, s: State, rng: Rng) -> int:
        total = 0
        for heap in range(self.count):
            total += self.left(s, heap)
        chosen, heap = rng.below(total), 0
        while chosen >= self.left(s, heap):
            chosen -= self.left(s, heap)
            heap += 1
        return self.action(heap, chosen + 1)

    # Evaluation: Bouton's theorem.

    def nim_sum(self, s: State) -> int:
        """The exclusive or of the heaps' sizes: in normal play the Grundy value of `s`."""
        total = 0
        for heap in range(self.count):
            total ^= self.left(s, heap)
        return total

    def wins(self, s: State) -> bool:
        """Whether the side to move wins under best play."""
        large = False
        for heap in range(self.count):
            large = large or self.left(s, heap) > 1
        return (self.nim_sum(s) != 0) != (self.misere and not large)

    def parts(self, s: State) -> int:
        some = 0
        for heap in range(self.count):
            some += self.left(s, heap) > 0
        return some

    def part(self, s: State, k: int) -> State:
        """The k-th heap that is not empty, moved to the front."""
        heap = 0
        while k > 0 or not self.left(s, heap):
            k -= self.left(s, heap) > 0
            heap += 1
        return State(s.heaps >> 8 * heap & 255, 0)

    def evaluate(self, s: State, player: int) -> float:
        return 1.0 if self.wins(s) == (player == s.turn) else -1.0

    def planes(self, s: State, out: Any) -> None:
        for heap in range(self.count):
            for i in range(self.left(s, heap)):
                out[0, heap, i] = 1

    # Notation: b3 takes 3 from the second heap; positions as sizes and the player to move, such as "3-4-2 1".

    def action_text(self, s: State, action: int) -> str:
        return f"{heap_name(action // self.largest)}{action % self.largest + 1}"

    def heaps(self, s: State) -> list[int]:
        """The sizes of the heaps."""
        return [self.left(s, heap) for heap in range(self.count)]

    def position_text(self, s: State) -> str:
        return f"{'-'.join(map(str, self.heaps(s)))} {s.turn + 1}"

    def parse_position(self, text: str) -> State:
        written, _, turn = text.strip().partition(" ")
        sizes = read_heaps(written)
        if sizes is None or turn.strip() not in ("1", "2"):
            raise InvalidPosition(
                f"{self.spec}: {text.strip()[:80]!r} is not a position: write the heaps and the player to move, "
                f"such as '{self.position_text(self.initial())}'"
            )
        if len(sizes) != self.count:
            raise InvalidPosition(f"{self.spec}: a position has {self.count} heaps (0 if empty), not {len(sizes)}")
        for heap, (size, start) in enumerate(zip(sizes, self.sizes, strict=True)):
            if size > start:
                raise InvalidPosition(f"{self.spec}: heap {heap_name(heap)} has at most {start} objects, not {size}")
        return State(u64(sum(size << 8 * heap for heap, size in enumerate(sizes))), int(turn) - 1)

    def board(self, s: State, viewer: int | None = None) -> str:
        return "\n".join(f"{heap_name(heap)} {size:3} {'o' * size}".rstrip() for heap, size in enumerate(self.heaps(s)))

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        """The heaps side by side; removed objects leave a trace."""
        side = min(CELL * 0.8, 8 * CELL / self.largest)
        floor, width = self.largest * side + CELL / 2, (self.count + 1) * CELL
        cells, letters, shapes = [], [], [paper(width, floor + CELL)]
        for heap, size in enumerate(self.heaps(s)):
            x = (heap + 1) * CELL
            for i in range(self.sizes[heap]):
                y = floor - (i + 0.5) * side
                cells.append(Cell(f"heap {heap_name(heap)}, object {i + 1}", x, y, rectangle(x, y, 0.9 * CELL, side)))
                letters.append("o" if i < size else ".")
                shapes.append(circle(x, y, 0.4 * side, "none", stroke="#a8987a", opacity=0.5))
            shapes += [ink(x, floor + 0.3 * CELL, heap_name(heap), 16), ink(x, floor + 0.7 * CELL, str(size))]
        shapes.append(ruled(CELL / 2, floor, width - CELL / 2, floor))
        look = Look("stone", circle(0, 0, 0.42 * side, "#d99a33", stroke="#7d5413"))
        drawn = standing(cells, letters, {"o": look})
        return Diagram(width, floor + CELL, tuple(cells), *drawn, "".join(shapes), self.board(s), turns=False)

    def clicks(self, s: State, action: int) -> tuple[str, ...]:
        """The lowest object taken, counted from the top of the heap."""
        heap, taken = divmod(action, self.largest)
        return (f"heap {heap_name(heap)}, object {self.left(s, heap) - taken}",)


def read_heaps(text: object) -> list[int] | None:
    """The sizes in a text such as "3-4-5", or None if it is something else."""
    if not (isinstance(text, str) and re.fullmatch(r"[0-9]{1,3}(-[0-9]{1,3}){0,63}", text)):
        return None
    return [int(size) for size in text.split("-")]


def heap_name(heap: int) -> str:
    """Heaps are called a, b, c and so on."""
    return chr(ord("a") + heap)
