"""What each technique is worth in one position: the same search, to the same depth, with one technique more or one
less.

The rows go from minimax to plain alpha-beta, to iterative deepening without a table, and then add one technique after
another: first those that change no value at a fixed depth, then those that take risks. Finally, each alone is removed
from the full set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from counterplay.core.game import Game
from counterplay.core.types import State
from counterplay.search.decision import Decision
from counterplay.search.engine.decide import decide
from counterplay.search.engine.techniques import SOUND, Technique, default_for
from counterplay.search.engine.transposition_table import TranspositionTable
from counterplay.search.suitability import DEPTH, require_budget, require_suitable
from counterplay.search.textbook.minimax import minimax

ORDER = [
    Technique.TABLE,
    Technique.SYMMETRY,
    Technique.ORDERING,
    Technique.KILLERS,
    Technique.HISTORY,
    Technique.COUNTERS,
    Technique.IID,
    Technique.PVS,
    Technique.ASPIRATION,
    Technique.DEEPER,
    Technique.EXTENSIONS,
    Technique.NULL_MOVE,
    Technique.QUIESCENCE,
    Technique.FUTILITY,
    Technique.REDUCTIONS,
    Technique.STATIC,
    Technique.LATE,
    Technique.EXCHANGES,
    Technique.CIRCLES,
    Technique.SINGULAR,
]
"""In order. Techniques that do not pay for a game, and MTD(f), which replaces other windows, have rows of their own.
ProbCut has none: it needs numbers fitted to the game."""

NOTHING = Technique(0)
COMPILED, UNCOMPILED = (2_000_000, 20_000_000), (3_000, 30_000)
"""The maximum nodes of plain alpha-beta at the default depth, and of minimax, beyond which it has no row."""


class Row(NamedTuple):
    """One search."""

    group: str  # ladder, added, other, gamble or removed
    name: str
    techniques: Technique  # what was on
    decision: Decision
    is_sound: bool  # its value must equal plain alpha-beta's
    agrees: bool  # and does


class Study(NamedTuple):
    """All rows."""

    depth: int
    rows: tuple[Row, ...]

    @property
    def value(self) -> float | None:
        """The position's value at this depth."""
        return next(row.decision.value for row in self.rows if row.name == "alpha-beta")

    @property
    def faults(self) -> list[str]:
        """The names of rows whose value differs but must not: none, unless this program is wrong."""
        return [row.name for row in self.rows if row.is_sound and not row.agrees]


class PlannedRow(NamedTuple):
    """A row before its search."""

    group: str
    name: str
    techniques: Technique
    first: int = 1  # the depth to begin with


def study(
    game: Game, s: State, depth: int | None = None, *, table: float = 64, report: Callable[[str], None] | None = None
) -> Study:
    """Search `s` to `depth` (or as deep as plain alpha-beta gets in a moment) with ever more techniques.

    `report` receives the name of each search before it begins.
    """
    require_suitable(game, s, "study")
    require_budget(depth)
    tell = report or (lambda name: None)
    if depth is None:
        tell("how deep")
        depth = affordable_depth(game, s)
    usual = default_for(game)
    plans = [*ladder(depth), *additions(usual), *removals(usual)]
    rows: list[Row] = []
    plain: Decision | None = None
    memory = TranspositionTable(table)
    for plan in plans:
        tell(plan.name)
        memory.clear()
        found = decide(game, s, depth=depth, first=plan.first, techniques=plan.techniques, table=memory)
        plain = plain or found
        is_sound = plan.techniques & ~SOUND == NOTHING
        rows.append(Row(*plan[:3], found, is_sound, found.value == plain.value))
    assert plain is not None
    if minimax_nodes(plain) <= limits(game)[1]:
        tell("minimax")
        minimax(game, s, 1)  # compiled before the clock starts
        found = minimax(game, s, depth)
        rows.insert(0, Row("ladder", "minimax", NOTHING, found, True, found.value == plain.value))
    return Study(depth, tuple(rows))


def limits(game: Game) -> tuple[int, int]:
    """Nodes that plain alpha-beta and minimax may take."""
    return COMPILED if game.compiles else UNCOMPILED


def affordable_depth(game: Game, s: State) -> int:
    """The depth that plain alpha-beta reaches within its nodes, or at which it has searched the whole tree."""
    deepest = 1
    for depth in range(1, DEPTH + 1):
        found = decide(game, s, depth=depth, first=depth, techniques=NOTHING, nodes=limits(game)[0])
        if not found.depth:
            break
        deepest = depth
        if found.proven:
            break
    return deepest


def minimax_nodes(plain: Decision) -> float:
    """About how many nodes minimax would visit for the search in which alpha-beta found `plain`."""
    inner = sum(plain.counts[kind] for kind in ("left", "cuts", "all"))
    return (plain.counts["actions"] / max(inner, 1)) ** plain.depth


def ladder(depth: int) -> list[PlannedRow]:
    """Alpha-beta directly to the depth, and with iterative deepening."""
    return [PlannedRow("ladder", "alpha-beta", NOTHING, depth), PlannedRow("ladder", "deepening", NOTHING)]


def additions(usual: Technique) -> list[PlannedRow]:
    """The game's usual techniques, one after another; other windows on top of all sound ones."""
    plans, chosen = [], NOTHING
    for technique in ORDER:
        if technique in usual and technique in SOUND:
            chosen |= technique
            plans.append(PlannedRow("added", technique.words, chosen))
    others = [each for each in (Technique.ASPIRATION, Technique.MTDF) if each not in usual]
    plans += [PlannedRow("other", each.words, chosen | each) for each in others]
    for technique in ORDER:
        if technique in usual and technique not in SOUND:
            chosen |= technique
            plans.append(PlannedRow("gamble", technique.words, chosen))
    return plans


def removals(usual: Technique) -> list[PlannedRow]:
    """Each technique taken away from the full set."""
    return [PlannedRow("removed", each.words, usual & ~each) for each in ORDER if each in usual]
