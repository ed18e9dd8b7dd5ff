"""Games solved turn by turn: too many positions for a full table, but few between two turns.

Such a game has a module (for Yahtzee `games/yahtzee_turns.py`) with `expected_scores(report)`, the expected score from
every position between two turns, and `TurnTable(values)`, which computes the value of any position from those.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.rules import listed
from counterplay.endgame.table import TableEntry, file_name, require_table_of, rules_mark
from counterplay.endgame.table_file import TableFile, write_table

TURNED = {"yahtzee": "counterplay.games.yahtzee_turns"}
"""The built-in games that are solved turn by turn, and the modules that do it."""
TURNS = "turns"
"""The class of such a table."""
SAMPLED = 25
"""Turns that the verifier plays through by the rules."""
TOLERANCE = 1e-6


def turned(game: Game) -> Any:
    """The module that solves a game turn by turn; None if there is none."""
    module = TURNED.get(type(game)._spec_name())
    return None if module is None else importlib.import_module(module)


class TurnByTurn:
    """A table of the positions between turns."""

    def __init__(self, game: Game, values: np.ndarray) -> None:
        self.game, self.values = game, values
        self.solved = turned(game).TurnTable(values)

    def probe(self, s: Any) -> TableEntry:
        """The value of a position, to player 0."""
        return TableEntry(self.solved.expected(s), None)

    @property
    def summary(self) -> list[dict[str, Any]]:
        """Like other tables' summaries, but none of these positions is won or lost."""
        count = int(np.count_nonzero(self.values))
        told = {"class": TURNS, "to_move": self.game.player_name(CHANCE), "positions": count}
        return [told | {"won": 0, "drawn": count, "lost": 0, "longest": None}]

    def save(self, folder: Path) -> Path:
        """Write the table, atomically."""
        file = folder / file_name(self.game, self.game.initial())
        head = {"game": self.game.spec, "rules": rules_mark(self.game), "class": TURNS, "summary": self.summary}
        write_table(file, head, {"expected": self.values.reshape(-1, 1)})
        return file

    @classmethod
    def read(cls, file: TableFile, game: Game) -> TurnByTurn:
        """The whole table of `game` in a file."""
        require_table_of(file, game)
        values = np.ascontiguousarray(file.column("expected").ravel())
        if turned(game) is None or len(values) != turned(game).SIZE:
            raise file.damaged()
        return cls(game, values)


def build_turns(game: Game, report: Callable[[str], None] | None = None) -> TurnByTurn:
    """Solve a game turn by turn."""
    return TurnByTurn(game, turned(game).expected_scores(report))


def verify_turns(table: TurnByTurn, seed: int = 0, sampled: int = SAMPLED) -> int:
    """Play some turns by the rules alone, with every roll and choice; returns how many positions were right. It is a
    sample: it says nothing about the other positions."""
    game, rng, right = table.game, random.Random(seed), 0
    for _ in range(sampled):
        s = between_turns(game, rng)
        known: dict[Any, float] = {}
        found = by_rules(game, s, table, known)
        for each, value in [(s, found), *known.items()]:
            if abs(table.probe(each).value - value) > TOLERANCE:
                raise CounterplayError(
                    f"the table is wrong: {game.spec} in {game.position_text(each)!r} is listed as "
                    f"{table.probe(each).value:g}, which does not follow from its successors"
                )
        right += len(known)
    return right


def between_turns(game: Game, rng: random.Random) -> Any:
    """A position at the start of some turn, by random play."""
    starts, s = [], game.initial()
    while not game.is_terminal(s):
        if turned(game).is_between_turns(s):
            starts.append(s)
        options = listed(game, s)
        s = game.result(s, options[rng.randrange(len(options))])
    return starts[rng.randrange(len(starts))]


def by_rules(game: Game, s: Any, table: TurnByTurn, known: dict[Any, float]) -> float:
    """A position's value by the rules during a turn, and by the table at the start of the next."""
    if s in known:
        return known[s]
    if game.is_terminal(s):
        return game.utility(s, 0)
    after = []
    for option in listed(game, s):
        t = game.result(s, option)
        after.append(table.probe(t).value if turned(game).is_between_turns(t) else by_rules(game, t, table, known))
    if game.to_move(s) == CHANCE:
        shares = [game.probability(s, event) for event in listed(game, s)]
        known[s] = sum(p * value for p, value in zip(shares, after, strict=True))
    else:
        known[s] = max(after)
    return known[s]
