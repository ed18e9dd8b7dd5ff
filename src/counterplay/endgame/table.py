"""A table of every position that can be reached from one, with the value of each and the distance to the end.

Positions are packed and sorted, and found by binary search.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.saving import Saving
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import words
from counterplay.core.language.wide import u64
from counterplay.core.language.workspace import Array, f64, i64
from counterplay.core.rules import listed
from counterplay.endgame.enumeration import MEGABYTES, Enumeration
from counterplay.endgame.packing import Packing, packable
from counterplay.endgame.retrograde import NO_PLIES, solve_graph
from counterplay.endgame.table_file import SUFFIX, TableFile, write_table

REACHED = "reached"
"""The class of a table of all positions reachable from one."""
SOONEST = 20.0
"""Seconds between two saves of what has been found so far."""
PLAYTHROUGHS, PLIES = 20, 60
"""The sample of the rules that distinguishes them from other rules."""


class TableEntry(NamedTuple):
    """A table's entry for a position."""

    value: float  # to player 0
    plies: int | None  # to the end under best play; None if nobody forces one, or chance decides

    def to(self, player: int) -> float:
        """The value to a player."""
        return self.value if player == 0 else -self.value + 0.0


class KnownPositions(Packing):
    """The positions of a table with their values, for compiled code."""

    count: i64
    endless: f64  # the value of endless play
    codes: Array[i64, "room"]  # packed positions in order, as unsigned numbers
    value: Array[f64, "states"]  # to player 0
    plies: Array[i64, "states"]  # or NO_PLIES

    def __init__(
        self,
        low: Sequence[int],
        high: Sequence[int],
        codes: np.ndarray,
        value: np.ndarray,
        plies: np.ndarray,
        endless: float,
    ) -> None:
        super().__init__(low, high)
        self.codes, self.value, self.plies = codes, value, plies
        self.count, self.endless = len(value), endless

    def twin(self) -> KnownPositions:
        """The same positions, with a state buffer of its own, for another thread."""
        return KnownPositions(self.low, self.high, self.codes, self.value, self.plies, self.endless)

    # What kernels call.

    def find(self, given: Sequence[int]) -> int:
        """The number of the state with these words, or -1."""
        if not self.pack(given):
            return -1
        low, high = 0, self.count - 1
        while low <= high:
            middle = (low + high) >> 1
            k = 0
            while k < self.width and self.codes[middle * self.width + k] == self.code[k]:
                k += 1
            if k == self.width:
                return middle
            if u64(self.codes[middle * self.width + k]) < u64(self.code[k]):
                low = middle + 1
            else:
                high = middle - 1
        return -1


class Table:
    """The solution of a game from one position on."""

    def __init__(self, game: Game, head: dict[str, Any], known: KnownPositions) -> None:
        self.game, self.head, self.known = game, head, known

    def probe(self, s: Any) -> TableEntry | None:
        """The entry for `s`; None if it is not in the table."""
        number = self.known.find([int(word) for word in words(s)])
        return None if number < 0 else self.entry(number)

    def entry(self, number: int) -> TableEntry:
        """The entry of a position."""
        plies = int(self.known.plies[number])
        return TableEntry(float(self.known.value[number]), None if plies == NO_PLIES else plies)

    def state(self, number: int) -> Any:
        """The position with this number."""
        self.known.unpack(self.known.codes, number * self.known.width)
        return packable(self.game).state_of(self.known.unpacked.tolist())

    # Files.

    def save(self, file: Path) -> None:
        """Write the table, atomically."""
        known = self.known
        columns = {"code": known.codes.reshape(-1, known.width), **_columns(self.head["values"], known)}
        write_table(file, self.head, columns)

    @classmethod
    def read(cls, file: Path | TableFile, game: Game) -> Table:
        """The whole table of `game` in a file."""
        opened = file if isinstance(file, TableFile) else TableFile(file)
        head = opened.head
        require_table_of(opened, game)
        value, plies = _numbers(opened)
        try:
            low, high = head["packing"]
            known = KnownPositions(low, high, opened.column("code").ravel(), value, plies, head["endless"])
        except (KeyError, ValueError, TypeError, OverflowError):
            raise opened.damaged() from None
        if len(known.codes) != known.width * known.count or known.fields != len(words(game.initial())):
            raise opened.damaged()
        return cls(game, head, known)


def _columns(values: list[float] | None, known: KnownPositions) -> dict[str, np.ndarray]:
    """The values of positions, as a file stores them."""
    if values is None:
        return {"expected": known.value.reshape(-1, 1)}
    outcome = np.searchsorted(values, known.value).astype(np.uint8)
    return {"outcome": outcome.reshape(-1, 1), "plies": known.plies.astype(np.uint16).reshape(-1, 1)}


def _numbers(opened: TableFile) -> tuple[np.ndarray, np.ndarray]:
    """The value of each position to player 0, and its distance."""
    try:
        if opened.head["values"] is None:
            value = opened.column("expected").ravel()
            return value, np.full(len(value), NO_PLIES, np.int64)
        value = np.array(opened.head["values"], np.float64)[opened.column("outcome").ravel()]
        return value, opened.column("plies").ravel().astype(np.int64)
    except (KeyError, IndexError, ValueError, TypeError):
        raise opened.damaged() from None


def require_table_of(opened: TableFile, game: Game) -> None:
    """Refuse the table of another game, of other parameters, or of other rules."""
    head = opened.head
    if head.get("game") != game.spec:
        raise CounterplayError(f"{str(opened.file)!r} is a table of {head.get('game')}, not of {game.spec}")
    if head.get("rules") != rules_mark(game):
        raise CounterplayError(
            f"{str(opened.file)!r} was built with different rules of {game.spec}; run `tables build` again"
        )


def rules_mark(game: Game) -> str:
    """A hash of what the rules do in some playthroughs, always the same ones: edited rules have a different one."""
    told, rng = hashlib.sha256(repr((game.players, game.repetition)).encode()), Rng(2026)
    for _ in range(PLAYTHROUGHS):
        s = game.initial()
        for _ in range(PLIES):
            told.update(repr((int(game.to_move(s)), [int(word) for word in words(s)])).encode())
            if game.is_terminal(s):
                told.update(repr([f"{game.utility(s, player):.9g}" for player in range(game.players)]).encode())
                break
            options = [int(option) for option in listed(game, s)]
            told.update(repr(options).encode())
            if game.to_move(s) == CHANCE:
                told.update(repr([f"{game.probability(s, event):.9g}" for event in options]).encode())
            if not options:
                break
            s = game.result(s, options[rng.below(len(options))])
    return told.hexdigest()[:16]


def build_table(
    game: Game,
    s: Any,
    *,
    megabytes: float = MEGABYTES,
    report: Callable[[str], None] | None = None,
    positions: Enumeration | None = None,
    beside: Path | None = None,
) -> Table:
    """Find every position from `s` on, unless `positions` has them already, and its value. Results are saved `beside`
    from time to time, so that a killed build continues."""
    work = positions or Enumeration(game, s, megabytes)
    tell = report or (lambda line: None)
    saving = None
    if beside is not None:
        work.take_up(beside)
        saving = Saving(lambda: work.keep(beside), SOONEST, SOONEST)

    def heard(met: int, followed: int) -> None:
        tell(f"{met:,} positions found, {met - followed:,} to expand")
        if saving is not None:
            saving.if_due()

    work.run(heard)
    tell(f"{work.space.count:,} positions, working back from the ends")
    work.space.give_up("slots")  # no more lookups
    graph = work.graph
    endless = 0.0 if game.players == 2 else float(game.utility_bounds[0])
    values: list[float] | None = None
    if game.has_chance:
        from counterplay.endgame.value_iteration import expected_values

        value = expected_values(graph, *map(float, game.utility_bounds))
        plies = np.full(graph.size, NO_PLIES, np.int64)
    else:
        solved = solve_graph(graph, endless)
        values = list(solved.values)
        value, plies = np.array(solved.values)[solved.outcome], solved.plies.astype(np.int64)
        del solved
    space = work.space
    codes = space.codes[: space.count * space.width].reshape(-1, space.width)
    order = np.lexsort(codes.view(np.uint64).T[::-1])
    head = {
        "game": game.spec,
        "rules": rules_mark(game),
        "class": REACHED,
        "position": game.position_text(s),
        "values": values,
        "endless": endless,
        "packing": [space.low.tolist(), space.high.tolist()],
        "summary": summary(game, graph.mover, value, plies),
    }
    known = KnownPositions(space.low, space.high, codes[order].ravel(), value[order], plies[order], endless)
    return Table(game, head, known)


def summary(game: Game, mover: np.ndarray, value: np.ndarray, plies: np.ndarray) -> list[dict[str, Any]]:
    """The numbers of positions won, drawn and lost for each side to move, and the longest way to an end."""
    told: list[dict[str, Any]] = []
    low, high = (0.0, 0.0) if game.players == 2 else map(float, game.utility_bounds)
    for player in (CHANCE, *range(game.players)):
        here = mover == player
        if not here.any():
            continue
        seen = value[here] if player <= 0 else -value[here]
        if game.players == 1:
            won, lost = seen >= high, seen <= low
        else:
            won, lost = seen > 0, seen < 0
        away = plies[here]
        dated = away[away != NO_PLIES]
        told.append(
            {
                "class": REACHED,
                "to_move": game.player_name(player),
                "positions": int(here.sum()),
                "won": int(won.sum()),
                "drawn": int((~won & ~lost).sum()),
                "lost": int(lost.sum()),
                "longest": int(dated.max(initial=0)) if not game.has_chance else None,
            }
        )
    return told


def file_name(game: Game, s: Any) -> str:
    """The usual name of a table's file: the game and, if it does not begin at the start, the position."""
    name = re.sub(r"[^\w.=-]+", "-", game.spec)
    if s != game.initial():
        name += "-" + hashlib.sha256(game.position_text(s).encode()).hexdigest()[:8]
    return name + SUFFIX
