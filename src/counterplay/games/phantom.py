"""Phantom games: tic-tac-toe and Hex in the dark, where neither player sees the other's stones.

A player tries a cell. If it is empty, the stone is placed and the opponent moves; if the opponent's stone is there, the
player learns this and tries another cell. Players do not learn what the opponent tried, nor how often. Three in a row
on 3x3 wins phantom tic-tac-toe; in Dark Hex the first player wins by connecting top and bottom, the second by
connecting left and right (the "classical" versions of Lanctot et al., OpenSpiel, 2019; phantom games after Kriegspiel,
H. M. Temple 1898).

What a player knows is their tries, in order, and which succeeded. On 2x2 the first player is certain to win Dark Hex.
"""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import COLOURS, Diagram, grid, hexagons
from counterplay.core.formats.text import shorten
from counterplay.core.game import Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit, count, nth, ones
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64

MARKS = "xo"
LETTERS = "abcd"
NOBODY = -1


@state
class State(NamedTuple):
    """The stones, and each player's tries."""

    stones: tuple[u64, u64]
    seen: tuple[u64, u64]  # the cells that each has tried
    tries: tuple[u64, u64]  # in order: four bits per cell, the first lowest
    player: int  # the player to move
    winner: int


@state
class Known(NamedTuple):
    """What a player knows."""

    early: int  # their first 8 tries
    late: int  # the others
    number: int  # of tries
    stones: int  # those that succeeded
    is_on_move: bool


class Phantom(Game):
    """A game on a square board, played in the dark; a subclass says who has won."""

    def __init__(self, size: int) -> None:
        self.size, self.cells = size, size * size
        self.policy_size = self.cells
        self.full = bit(self.cells) - 1

    def initial(self) -> State:
        nothing = (u64(0), u64(0))
        return State(nothing, nothing, nothing, 0, NOBODY)

    def has_won(self, stones: u64, player: int) -> bool:
        """Whether `stones`, those of `player`, win."""
        raise NotImplementedError

    def to_move(self, s: State) -> int:
        return s.player

    def actions(self, s: State, out: Actions) -> None:
        for cell in ones(self.full & ~s.seen[s.player]):
            out.append(cell)

    def result(self, s: State, action: int) -> State:
        me, cell = s.player, bit(action)
        tried = s.tries[me] | u64(action) << 4 * count(s.seen[me])
        seen, stones, player, winner = s.seen[me] | cell, s.stones[me], me, NOBODY
        if not s.stones[1 - me] & cell:
            stones, player = stones | cell, 1 - me
            if self.has_won(stones, me):
                winner = me
        if me == 0:
            return State((stones, s.stones[1]), (seen, s.seen[1]), (tried, s.tries[1]), player, winner)
        return State((s.stones[0], stones), (s.seen[0], seen), (s.tries[0], tried), player, winner)

    def is_terminal(self, s: State) -> bool:
        return s.winner != NOBODY or s.stones[0] | s.stones[1] == self.full

    def utility(self, s: State, player: int) -> float:
        if s.winner == NOBODY:
            return 0.0
        return 1.0 if player == s.winner else -1.0

    # Secrets.

    def information(self, s: State, player: int) -> Known:
        tries, low = s.tries[player], u64(0xFFFFFFFF)
        stones, number = s.stones[player], count(s.seen[player])
        return Known(int(tries & low), int(tries >> 32), number, int(stones), s.player == player)

    def resample(self, s: State, player: int, rng: Rng) -> State:
        """Replay the player's tries against an opponent who places stones at random wherever they must and can; start
        over if the opponent wins too soon."""
        t = self.replayed(s, player, rng)
        while t.winner != s.winner or t.player != s.player or t.stones[player] != s.stones[player]:
            t = self.replayed(s, player, rng)
        return t

    def replayed(self, s: State, player: int, rng: Rng) -> State:
        """A play that agrees with the player's tries, unless the other wins on the way."""
        other, i = 1 - player, 0
        number, stones = count(s.seen[player]), count(s.stones[other])
        t = self.initial()
        while t.winner == NOBODY:
            if t.player == player:
                if i == number:
                    break
                t = self.result(t, int(s.tries[player] >> 4 * i & 15))
                i += 1
            elif count(t.stones[other]) == stones:
                break
            else:
                t = self.dark_turn(s, t, player, i, rng)
        return t

    def dark_turn(self, s: State, t: State, player: int, made: int, rng: Rng) -> State:
        """A turn of the other player, after `made` tries of `player`: first perhaps onto `player`'s stones, then where
        a stone must be by the time `player` finds it, or anywhere that `player` does not try later."""
        other = 1 - player
        hidden = t.stones[player] & ~t.seen[other]
        while hidden and rng.below(3) == 0:  # the failures
            t = self.result(t, nth(hidden, rng.below(count(hidden))))
            hidden = t.stones[player] & ~t.seen[other]
        allowed = self.full & ~(s.stones[player] | t.stones[other] | t.seen[other])
        if self.is_urgent(s, t, player, made):
            allowed = self.found_next(s, t, player, made)
        return self.result(t, nth(allowed, rng.below(count(allowed))))

    def found_next(self, s: State, t: State, player: int, made: int) -> u64:
        """The cells of the other's stones that `player` finds by their tries from `made` on, and that are not placed
        yet."""
        found = u64(0)
        for i in range(made, count(s.seen[player])):
            cell = bit(int(s.tries[player] >> 4 * i & 15))
            if not s.stones[player] & cell:
                found |= cell
        return found & ~t.stones[1 - player]

    def is_urgent(self, s: State, t: State, player: int, made: int) -> bool:
        """Whether the other player has no turn to spare for stones that are not found: at some point, the stones found
        by then that are missing are as many as the turns until then."""
        turns, missing = 1, 0
        for i in range(made, count(s.seen[player])):
            cell = bit(int(s.tries[player] >> 4 * i & 15))
            if s.stones[player] & cell:
                turns += 1  # the turn passes to the other player and comes back
            elif not t.stones[1 - player] & cell:
                missing += 1
                if missing >= turns:
                    return True
        return False

    # Notation: cells a1, b1, ...; a position is all tries in order, or - at the start.

    def action_text(self, s: State, action: int) -> str:
        return f"{LETTERS[action % self.size]}{action // self.size + 1}"

    def history(self, s: State) -> list[int]:
        """All tries in order: a player continues until they succeed."""
        t, found = self.initial(), []
        made = [0, 0]
        while made != [count(s.seen[0]), count(s.seen[1])]:
            action = int(s.tries[t.player] >> 4 * made[t.player] & 15)
            made[t.player] += 1
            found.append(action)
            t = self.result(t, action)
        return found

    def position_text(self, s: State) -> str:
        return " ".join(self.action_text(s, action) for action in self.history(s)) or "-"

    def parse_position(self, text: str) -> State:
        s = self.initial()
        for word in text.split() if text.strip() != "-" else []:
            try:
                action = self.parse_action(s, word)
            except CounterplayError:
                raise InvalidPosition(
                    f"{self.spec}: {shorten(word)!r} cannot be tried there; a position is all cells tried, such as "
                    '"b2 b2 a1", or - at the start'
                ) from None
            s = self.result(s, action)
        return s

    # Pictures: a viewer sees their own stones, and those of the other's that they have run into.

    def shown(self, s: State, cell: int, viewer: int | None) -> str:
        """The mark that a viewer sees on a cell: x, o or . for nothing."""
        for player in range(2):
            if s.stones[player] & bit(cell) and (viewer in (None, player) or s.seen[viewer] & bit(cell)):
                return MARKS[player]
        return "."

    def board(self, s: State, viewer: int | None = None) -> str:
        rows = [f"   {' '.join(LETTERS[: self.size])}"]
        for r in range(self.size):
            cells = " ".join(self.shown(s, r * self.size + c, viewer) for c in range(self.size))
            rows.append(f"{' ' * self.slant(r)}{r + 1}  {cells}")
        return "\n".join(rows)

    def slant(self, row: int) -> int:
        """The indentation of a row."""
        return 0

    def player_name(self, player: int) -> str:
        return MARKS[player]

    def rows(self, s: State, viewer: int | None) -> list[list[str]]:
        """The viewer's sight of the board, row by row."""
        n = self.size
        return [[self.shown(s, r * n + c, viewer) for c in range(n)] for r in range(n)]


class PhantomTicTacToe(Phantom):
    """Three in a row on 3x3, in the dark."""

    name = "phantom-tic-tac-toe"
    title = "Phantom tic-tac-toe"

    def __init__(self) -> None:
        super().__init__(3)

    def has_won(self, stones: u64, player: int) -> bool:
        for line in (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124):  # noqa: SIM110 (generators do not compile)
            if stones & line == line:
                return True
        return False

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        drawn = grid(self.rows(s, viewer), {"x": "red cross", "o": "blue ring"}, from_top=True, turns=False)
        return drawn._replace(text=self.board(s, viewer))


class DarkHex(Phantom):
    """Connect your two edges, in the dark."""

    name = "dark-hex"
    title = "Dark Hex"

    def __init__(self, size: int = 3) -> None:
        if not 2 <= size <= 4:
            raise CounterplayError(f"dark-hex: a board of size {size} is not supported: size is 2, 3 or 4")
        super().__init__(size)
        self.top = bit(size) - 1
        self.left = u64(sum(1 << size * row for row in range(size)))

    def has_won(self, stones: u64, player: int) -> bool:
        n = self.size
        start, goal = self.top, self.top << n * (n - 1)
        if player == 1:
            start, goal = self.left, self.left << n - 1
        linked = stones & start
        for _ in range(self.cells):
            right, left = linked & ~(self.left << n - 1), linked & ~self.left
            near = linked << n | linked >> n | right << 1 | left >> 1 | left << n - 1 | right >> n - 1
            linked |= near & stones
        return (linked & goal) != 0

    def slant(self, row: int) -> int:
        return row

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        drawn = hexagons(
            self.rows(s, viewer), {"x": "red stone", "o": "blue stone"}, edges=(COLOURS["red"], COLOURS["blue"])
        )
        return drawn._replace(text=self.board(s, viewer))
