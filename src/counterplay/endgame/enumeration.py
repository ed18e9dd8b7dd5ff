"""All positions that can be reached from one, each once, with their successors.

Breadth first: positions are numbered as they are met, and expanded in that order. They are stored packed (packing.py)
and found by a hash table of their numbers. If memory or bits run out, the kernel stops between two positions, gets
more, and continues.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from counterplay.core.errors import BrokenGame, CounterplayError, Unsuitable
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.state import words
from counterplay.core.language.workspace import Array, Flag, f64, i8, i32, i64
from counterplay.endgame.estimate import least_positions
from counterplay.endgame.graph import OPEN, Graph
from counterplay.endgame.kept import keep, kept
from counterplay.endgame.packing import Packing, packable

MEGABYTES = 2048.0
"""The default limit of memory."""
STATES, EDGES, MOST = 1 << 12, 1 << 14, (1 << 31) - 1
"""The initial capacity for positions and edges; at most MOST positions are numbered."""
MANY = 1 << 21
"""From here on the capacity is doubled; before, it is quadrupled."""
BATCH = 1 << 16
"""Positions expanded between two looks at the clock."""
POSITION, BACK, EXPECTED = 17, 42, 76
"""Bytes per position besides its code, and the extra bytes while play goes back from the ends, or while expected values
are found."""
COMPLETE, GOES_ON, FULL, UNFIT, STUCK = range(5)
"""Why `expand` returned: everything is expanded; a batch is; memory is full; a field needs more bits; a position has no
actions although the game is not over."""


class Space(Packing):
    """The positions met so far."""

    out: ActionStack
    interrupted: Flag
    count: i64  # positions met
    followed: i64  # of these, those whose successors are known
    edges: i64
    most_states: i64
    most_edges: i64
    last: i64  # slot
    codes: Array[i64, "room"]  # packed positions, `width` numbers each
    slots: Array[i32, "length"]  # a hash table: the number of a position plus 1, or 0
    first: Array[i64, "states"]  # where the successors of a position begin
    successors: Array[i32, "many"]
    probability: Array[f64, "events"]  # of each edge, if there is chance
    mover: Array[i8, "states"]
    payoff: Array[f64, "states"]  # to player 0, or OPEN

    def __init__(
        self, game: Game, low: Sequence[int], high: Sequence[int], states: int, edges: int, old: Space | None = None
    ) -> None:
        super().__init__(low, high)
        self.out = cast(ActionStack, action_stack(game)) if old is None else old.out
        self.most_states, self.most_edges = states, edges
        if old is not None:
            self.count, self.followed, self.edges = old.count, old.followed, old.edges
            old.give_up("slots")
        lengths = {"first": states + 1, "mover": states, "payoff": states, "successors": edges}
        for name, length in (lengths | {"probability": edges if game.has_chance else 1}).items():
            setattr(self, name, longer(old, name, length, self._arrays[name].item.code))
        self.codes = np.empty(states * self.width, np.int64)
        self.slots = np.zeros(1 << (2 * states - 1).bit_length(), np.int32)
        self.last = len(self.slots) - 1
        if old is not None:
            move_in(old, self)

    def give_up(self, name: str) -> np.ndarray:
        """Hand over an array that is no longer needed here, so its memory can be freed."""
        _ = self.layout  # the layout is fixed before an array leaves
        found: np.ndarray = self.__dict__.pop(name)
        return found

    def memory(self, chance: bool) -> int:
        """The bytes that the positions met so far take while play goes back from the ends."""
        back = EXPECTED if chance else BACK + 8 * self.width
        return self.count * (POSITION + 8 * self.width + back) + self.edges * (12 if chance else 8)

    # What kernels call.

    def number(self) -> int:
        """The number of the position in `code`, a new one if it was not met before."""
        at = int(self.hash() & self.last)
        while self.slots[at] != 0:
            base = (self.slots[at] - 1) * self.width
            same = True
            for k in range(self.width):
                same = same and self.codes[base + k] == self.code[k]
            if same:
                return self.slots[at] - 1
            at = (at + 1) & self.last
        return self.enter(at)

    def enter(self, at: int) -> int:
        """Give the position in `code`, which was not met before, the next number, and a slot from `at` on."""
        while self.slots[at] != 0:
            at = (at + 1) & self.last
        for k in range(self.width):
            self.codes[self.count * self.width + k] = self.code[k]
        self.count += 1
        self.slots[at] = self.count
        return self.count - 1


def longer(old: Space | None, name: str, length: int, kind: str) -> np.ndarray:
    """An array of a new space that begins with the old one's, which is given up: one after the other, so that they
    never all exist twice."""
    given = np.zeros(1, kind) if old is None else old.give_up(name)
    if len(given) == length:
        return given
    made = np.empty(length, kind)
    made[: len(given)] = given
    return made


@kernel
def move_in(old: Space, new: Space) -> int:
    """Number the positions of `old` in `new`, packed again."""
    count = new.count
    new.count = 0
    for i in range(count):
        old.unpack(old.codes, i * old.width)
        new.pack(old.unpacked)
        new.enter(int(new.hash() & new.last))
    return count


@kernel
def expand(game: Any, space: Space, batch: int) -> int:
    """Expand the next positions, up to a limit; returns why it stopped."""
    out = space.out
    for _ in range(batch):
        if space.followed == space.count:
            return COMPLETE
        if space.interrupted:
            return GOES_ON
        i = space.followed
        space.unpack(space.codes, i * space.width)
        s = game.state_of(space.unpacked)
        mover = game.to_move(s)
        end = space.edges
        if game.is_terminal(s):
            space.payoff[i] = game.utility(s, 0)
        else:
            space.payoff[i] = OPEN
            start = len(out)
            if game.has_chance and mover == CHANCE:
                game.chance(s, out.fresh())
            else:
                game.actions(s, out.fresh())
            options = len(out) - start
            if options == 0:
                return STUCK
            if space.count + options > space.most_states or end + options > space.most_edges:
                out.truncate(start)
                return FULL
            for j in range(start, len(out)):
                given = words(game.result(s, out[j]))
                if not space.pack(given):
                    for k in range(space.fields):
                        space.unpacked[k] = given[k]
                    out.truncate(start)
                    return UNFIT
                space.successors[end] = space.number()
                if game.has_chance:
                    space.probability[end] = game.probability(s, out[j]) if mover == CHANCE else 1.0
                end += 1
            out.truncate(start)
        space.mover[i] = mover
        space.edges = end
        space.followed = i + 1
        space.first[i + 1] = end
    return GOES_ON


class Enumeration:
    """All positions from one on: `run` finds them, within a bound of memory."""

    def __init__(self, game: Game, s: Any, megabytes: float = MEGABYTES) -> None:
        if reason := unfit_for_tables(game):
            raise Unsuitable(reason)
        if not 0 < megabytes < float("inf"):
            raise CounterplayError(f"memory={megabytes:g}: tables need a number of megabytes, more than 0")
        self.plain, self.game, self.megabytes = game, packable(game), megabytes
        given = [int(word) for word in words(s)]
        self.space = Space(self.game, given, given, STATES, EDGES)
        self.space.pack(given)
        self.space.number()
        self.s, self.halted = s, False

    # Saving, so that a killed build continues.

    def keep(self, file: Path) -> None:
        """Save what has been found so far."""
        space = self.space
        n, followed = space.count, space.followed
        counts = np.array([n, followed, space.edges])
        columns = space.codes[: n * space.width], space.first[: followed + 1], space.mover[:followed]
        edges = space.successors[: space.edges], space.probability[: space.edges]
        keep(file, (counts, space.low, space.high, *columns, space.payoff[:followed], *edges))

    def take_up(self, file: Path) -> bool:
        """Load what was saved; whether there was anything."""
        found = kept(file, 9)
        if found is None:
            return False
        (n, followed, edges), low, high = (column.tolist() for column in found[:3])
        old = Space(self.game, low, high, n, edges)
        old.count, old.followed, old.edges, old.codes = n, followed, edges, found[3]
        for name, column in zip(("first", "mover", "payoff", "successors", "probability"), found[4:], strict=True):
            getattr(old, name)[: len(column)] = column
        self.space = Space(self.game, low, high, max(STATES, 2 * n), max(EDGES, 2 * edges), old)
        return True

    def stop(self) -> None:
        """Stop soon; any thread may call this."""
        self.halted = True

    def prepare(self) -> None:
        """Compile, or load what was compiled, before a clock runs."""
        expand(self.game, self.space, 0)

    def run(self, report: Callable[[int, int], None] | None = None, most: int = MOST) -> bool:
        """Find all positions, while they are fewer than `most`; returns whether these are all. `report` receives how
        many have been met and how many of those have been expanded."""
        while not self.halted and self.space.count < most:
            why = expand(self.game, self.space, BATCH)
            if why == COMPLETE:
                self.require_memory()
                return True
            if why == FULL:
                self.grow()
            elif why == UNFIT:
                self.widen()
            elif why == STUCK:
                raise BrokenGame(
                    f"{self.plain.spec} is not over in a position without actions: {self.text(self.space.followed)}"
                )
            if report:
                report(self.space.count, self.space.followed)
        return False

    def text(self, number: int) -> str:
        """A position, as text."""
        return str(self.plain.position_text(self.state(number)))

    def state(self, number: int) -> Any:
        """The state with this number."""
        self.space.unpack(self.space.codes, number * self.space.width)
        return self.game.state_of(self.space.unpacked.tolist())

    def grow(self) -> None:
        """Make room for more positions and edges."""
        space = self.space
        states, edges = space.most_states, space.most_edges
        factor = 4 if states < MANY else 2
        if 2 * space.count > states:
            if states < MANY <= factor * states:
                self.require_room()
            states *= factor
        if 2 * space.edges > edges or states == space.most_states:
            edges *= factor
        if states > MOST:
            raise CounterplayError(f"{self.plain.spec} has too many positions for a table: more than {MOST // 2:,}")
        self.require_memory()
        self.space = Space(self.game, space.low, space.high, states, edges, space)

    def require_memory(self) -> None:
        """Refuse positions that do not fit."""
        space = self.space
        needed = space.memory(self.plain.has_chance) / 2**20
        if needed > self.megabytes:
            raise CounterplayError(
                f"{self.plain.spec} has too many positions for a table: {space.count:,} found, {space.followed:,} of "
                f"them expanded, and these alone need {needed:,.1f} MB; --memory allows {self.megabytes:g}"
            )

    def require_room(self) -> None:
        """Refuse a game that has far too many positions before the memory is full of them."""
        least = least_positions(self.plain, self.s)
        needed = least * self.space.memory(self.plain.has_chance) / self.space.count / 2**20
        if needed > self.megabytes:
            raise CounterplayError(
                f"{self.plain.spec} has too many positions for a table: at least {least:.2g} by a sample, which take "
                f"at least {needed:,.0f} MB; --memory allows {self.megabytes:g}"
            )

    def widen(self) -> None:
        """Make bits for the last position's field that needs them, and some more."""
        space = self.space
        low, high = space.low.tolist(), space.high.tolist()
        for k, word in enumerate(space.unpacked.tolist()):
            span = max(1, high[k] - low[k])
            if word < low[k]:
                low[k] = max(-(1 << 63), word - (span if word != -1 else 0))
            if word > high[k]:
                top = (1 << (word - low[k]).bit_length()) - 1
                high[k] = min((1 << 63) - 1, low[k] + top)
        self.space = Space(self.game, low, high, space.most_states, space.most_edges, space)

    @property
    def graph(self) -> Graph:
        """The positions and their successors as a graph."""
        space, n = self.space, self.space.count
        return Graph(
            space.first[: n + 1],
            space.successors[: space.edges],
            space.mover[:n],
            space.payoff[:n],
            None,
            space.probability[: space.edges] if self.plain.has_chance else None,
        )


def unfit_for_tables(game: Game) -> str:
    """Why tables do not suit a game; empty if they do."""
    traits = game.traits
    if traits.hidden:
        return f"tables do not suit {game.spec}, which hides information; `equilibrium` solves such games"
    if traits.players > 2 or (traits.players == 2 and not traits.zero_sum):
        return f"tables suit one player, or two with opposite interests, not {game.spec}"
    if game.repetition in ("loss", "illegal"):
        return f"tables do not suit {game.spec}: what a position is worth there depends on which ones came before"
    if game.has_plain_states:
        return (
            f"tables need states that are numbers: declare the state of {game.spec} with @state, as docs/rules.md shows"
        )
    return ""
