"""Skirmish: units on a grid, fog of war, production, and orders that both sides give simultaneously.

Each side has a base in the middle of its edge, with one unit on it. In every round each side gives one order without
knowing the other's: a unit moves to a cell beside it (not across a corner, not onto a unit of its own), a new unit is
built on the base, if that is free, for two of the stock, or the side waits. Then both orders are carried out
simultaneously. New units come first. Units that change places, or that enter the same cell, destroy each other; any
other unit that enters a cell destroys what is there. Whoever enters the other's base wins; if both do in the same
round, the game is a draw. After each round the stock of each side grows by one, up to nine. After the last round, the
side with more units wins half a point.

A side sees the cells beside its units and its base, corners included, and learns when an enemy was destroyed. The game
was made for this package, as a small model of what AlphaStar and OpenAI Five had to learn: scouting, economy, bluff.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import Diagram, grid, ink, paper
from counterplay.core.formats.svg import CELL
from counterplay.core.formats.text import read_moves
from counterplay.core.game import Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, ones
from counterplay.core.language.state import state
from counterplay.core.language.wide import Wide, WideInt, u64

WAIT, BUILD, MOVE = 0, 1, 2
"""Orders: the last is the first of all moves, four for each cell, up, right, down and left."""
NO_ORDER, NOBODY, BOTH = -1, -1, 2
COST, MOST_STOCK = 2, 9
MOST_CELLS, MOST_ROUNDS = 15, 12
ROUND = 7 + 2 * MOST_CELLS + 1
"""Bits of a round in a side's memory: its order, its units, the enemies that it sees, and whether one was destroyed."""
LETTERS = "abcde"
if TYPE_CHECKING:
    Memory = WideInt
else:
    Memory = Wide(ROUND * MOST_ROUNDS)


@state
class State(NamedTuple):
    """The units, and each side's memory."""

    units: tuple[u64, u64]
    stock: tuple[int, int]
    order: int  # of the first side, while the second has not given its own
    round: int  # from 0
    winner: int  # the side that has taken the other's base, BOTH, or NOBODY
    memory: tuple[Memory, Memory]  # ROUND bits per round, the last lowest


@state
class Known(NamedTuple):
    """What a side knows."""

    units: int
    seen: int  # enemies
    stock: int
    round: int
    order: int  # its own, while the other side still has to give one
    memory: Memory
    is_on_move: bool


class Skirmish(Game):
    """Take the enemy's base through the fog."""

    name = "skirmish"

    def __init__(self, width: int = 4, height: int = 3, rounds: int = 8) -> None:
        if not (2 <= width <= 5 and height >= 1 and width * height <= MOST_CELLS):
            raise CounterplayError(
                f"skirmish: a board of {width}x{height} is not supported: it is 2 to 5 cells wide and has at most "
                f"{MOST_CELLS}"
            )
        if not 1 <= rounds <= MOST_ROUNDS:
            raise CounterplayError(f"skirmish: there are from 1 to {MOST_ROUNDS} rounds, not {rounds}")
        self.width, self.height, self.rounds = width, height, rounds
        self.cells = width * height
        middle = height // 2 * width
        self.bases = (middle, middle + width - 1)
        self.policy_size = MOVE + 4 * self.cells

    def initial(self) -> State:
        units = (bit(self.bases[0]), bit(self.bases[1]))
        return State(units, (0, 0), NO_ORDER, 0, NOBODY, (Memory(0), Memory(0)))

    def to_move(self, s: State) -> int:
        return 0 if s.order == NO_ORDER else 1

    def actions(self, s: State, out: Actions) -> None:
        side = 0 if s.order == NO_ORDER else 1
        own = s.units[side]
        out.append(WAIT)
        if s.stock[side] >= COST and not own & bit(self.bases[side]):
            out.append(BUILD)
        for cell in ones(own):
            for way in range(4):
                target = self.beside(cell, way)
                if target >= 0 and not own & bit(target):
                    out.append(MOVE + 4 * cell + way)

    def beside(self, cell: int, way: int) -> int:
        """The next cell up (0), right, down or left; -1 beyond the edge."""
        row, column = cell // self.width, cell % self.width
        if way == 0:
            return cell + self.width if row + 1 < self.height else -1
        if way == 1:
            return cell + 1 if column + 1 < self.width else -1
        if way == 2:
            return cell - self.width if row > 0 else -1
        return cell - 1 if column > 0 else -1

    def result(self, s: State, action: int) -> State:
        if s.order == NO_ORDER:
            return State(s.units, s.stock, action, s.round, s.winner, s.memory)
        orders = (s.order, action)
        first, second = s.units
        if orders[0] == BUILD:
            first |= bit(self.bases[0])
        if orders[1] == BUILD:
            second |= bit(self.bases[1])
        built = first, second
        origins, targets = (
            (self.origin(orders[0]), self.origin(orders[1])),
            (self.target(orders[0]), self.target(orders[1])),
        )
        first, second = self.moved(first, origins[0], targets[0]), self.moved(second, origins[1], targets[1])
        clash = targets[0] >= 0 and (
            targets[0] == targets[1] or (targets[0] == origins[1] and targets[1] == origins[0])
        )
        if clash:
            first, second = first & ~bit(targets[0]), second & ~bit(targets[1])
        else:
            if targets[0] >= 0:
                second &= ~bit(targets[0])
            if targets[1] >= 0:
                first &= ~bit(targets[1])
        units = first, second
        taken = (units[0] & bit(self.bases[1]) != 0, units[1] & bit(self.bases[0]) != 0)
        winner = BOTH if taken[0] and taken[1] else 0 if taken[0] else 1 if taken[1] else NOBODY
        stock = (self.saved(s.stock[0], orders[0]), self.saved(s.stock[1], orders[1]))
        memory = (self.noted(s, 0, orders[0], built, units), self.noted(s, 1, orders[1], built, units))
        return State(units, stock, NO_ORDER, s.round + 1, winner, memory)

    def origin(self, order: int) -> int:
        """The cell that an order leaves, -1 if it moves nothing."""
        return (order - MOVE) // 4 if order >= MOVE else -1

    def target(self, order: int) -> int:
        """The cell that an order enters, -1 if it moves nothing."""
        return self.beside((order - MOVE) // 4, (order - MOVE) % 4) if order >= MOVE else -1

    def moved(self, units: u64, origin: int, target: int) -> u64:
        """A side's units after its move."""
        return units & ~bit(origin) | bit(target) if origin >= 0 else units

    def saved(self, stock: int, order: int) -> int:
        """The stock after a round."""
        return min(MOST_STOCK, stock + 1 - (COST if order == BUILD else 0))

    def noted(self, s: State, side: int, order: int, before: tuple[u64, u64], units: tuple[u64, u64]) -> Memory:
        """A side's memory with this round added."""
        lost = 1 if count(units[1 - side]) < count(before[1 - side]) else 0
        seen = units[1 - side] & self.sight(units[side], side)
        return s.memory[side] << ROUND | (order << 31 | int(units[side]) << 16 | int(seen) << 1 | lost)

    def sight(self, units: u64, side: int) -> u64:
        """The cells that a side sees."""
        found = u64(0)
        for cell in ones(units | bit(self.bases[side])):
            row, column = cell // self.width, cell % self.width
            for r in range(max(0, row - 1), min(self.height, row + 2)):
                for c in range(max(0, column - 1), min(self.width, column + 2)):
                    found |= bit(r * self.width + c)
        return found

    def is_terminal(self, s: State) -> bool:
        return s.order == NO_ORDER and (s.winner != NOBODY or s.round == self.rounds)

    def utility(self, s: State, player: int) -> float:
        if s.winner == BOTH:
            return 0.0
        if s.winner != NOBODY:
            return 1.0 if s.winner == player else -1.0
        lead = count(s.units[player]) - count(s.units[1 - player])
        return 0.5 if lead > 0 else -0.5 if lead < 0 else 0.0

    # Secrets.

    def information(self, s: State, player: int) -> Known:
        seen = s.units[1 - player] & self.sight(s.units[player], player)
        order = s.order if player == 0 else NO_ORDER
        mine = player == (0 if s.order == NO_ORDER else 1)
        return Known(int(s.units[player]), int(seen), s.stock[player], s.round, order, s.memory[player], mine)

    def essence(self, s: State) -> State:
        return State(s.units, s.stock, s.order, s.round, s.winner, (Memory(0), Memory(0)))

    # Notation: a move is two cells, b1c1, and the other orders are words. A position is all orders, or - at the start.

    def cell_text(self, cell: int) -> str:
        """A cell, such as b2."""
        return f"{LETTERS[cell % self.width]}{cell // self.width + 1}"

    def action_text(self, s: State, action: int) -> str:
        if action < MOVE:
            return ("wait", "build")[action]
        return self.cell_text(self.origin(action)) + self.cell_text(self.target(action))

    def position_text(self, s: State) -> str:
        t = self.initial()
        told: list[str] = []
        for i in range(s.round + 1):
            for side in range(2):
                if i < s.round:
                    order = int(s.memory[side] >> ROUND * (s.round - 1 - i) + 31 & 127)
                elif side == 0 and s.order != NO_ORDER:
                    order = s.order
                else:
                    return " ".join(told) or "-"
                told.append(self.action_text(t, order))
        return " ".join(told)

    def parse_position(self, text: str) -> State:
        words = text.split()
        if not words:
            raise InvalidPosition(f'{self.spec}: a position is all orders, such as "b1c1 wait", or - at the start')
        return read_moves(self, self.initial(), [] if words == ["-"] else words, "ordered")

    def player_name(self, player: int) -> str:
        return ("Red", "Blue")[player]

    def ending(self, s: State) -> str:
        if s.winner == BOTH:
            return "both bases fell"
        return "the base fell" if s.winner != NOBODY else f"{count(s.units[0])} units to {count(s.units[1])}"

    # Pictures.

    def rows(self, s: State, viewer: int | None) -> list[list[str]]:
        """The viewer's sight, row by row from the top: units r and b, on a base R and B, empty bases + and *, fog ?."""
        clear = bit(self.cells) - 1 if viewer is None else self.sight(s.units[viewer], viewer)
        shown = []
        for cell in range(self.cells):
            base = self.bases.index(cell) if cell in self.bases else NOBODY
            sign = "." if base == NOBODY else "+*"[base]
            for side in range(2):
                if s.units[side] & bit(cell) and (clear & bit(cell) or viewer == side):
                    sign = "rb"[side] if base == NOBODY else "RB"[side]
            shown.append(sign if sign != "." or clear & bit(cell) else "?")
        return [shown[r * self.width : (r + 1) * self.width] for r in reversed(range(self.height))]

    def heading(self, s: State, viewer: int | None) -> str:
        """The round and the viewer's stock."""
        held = [f"{self.player_name(side)} has {s.stock[side]}" for side in range(2) if viewer in (None, side)]
        return f"round {min(s.round + 1, self.rounds)} of {self.rounds}; {', '.join(held)} in stock"

    def board(self, s: State, viewer: int | None = None) -> str:
        lines = [f"{self.height - i}  {' '.join(row)}" for i, row in enumerate(self.rows(s, viewer))]
        return "\n".join([*lines, f"   {' '.join(LETTERS[: self.width])}", self.heading(s, viewer)])

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        looks = {
            "r": "red disc",
            "b": "blue disc",
            "R": "red stone",
            "B": "blue stone",
            "+": "red ring",
            "*": "blue ring",
        }
        drawn = grid(self.rows(s, viewer), looks, turns=False)
        height = drawn.height + CELL / 2
        told = ink(drawn.width / 2, height - CELL / 4, self.heading(s, viewer), 12)
        ground = paper(drawn.width, height) + drawn.ground + told
        return drawn._replace(height=height, ground=ground, text=self.board(s, viewer))

    def clicks(self, s: State, action: int) -> tuple[str, ...]:
        if action < MOVE:
            return ()
        return self.cell_text(self.origin(action)), self.cell_text(self.target(action))
