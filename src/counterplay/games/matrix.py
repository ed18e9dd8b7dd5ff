"""Matrix games: all players choose simultaneously, and a table says what each of them earns.

A game in normal form for two or more players, from a JSON file or from the JSON itself:

    [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]

are the payoffs of the row player in a two-player zero-sum game. In full:

    {"title": "Battle of the sexes",
     "players": ["Ann", "Bob"],
     "actions": [["bach", "stravinsky"], ["bach", "stravinsky"]],
     "payoffs": [[[3, 2], [0, 0]], [[0, 0], [2, 3]]]}

`payoffs` is nested by the players' actions in order, with each player's payoff in the innermost lists; `tables` can be
given instead, one table per player: [[[3, 0], [0, 2]], [[2, 0], [0, 3]]]. Everything except for one of these two is
optional.

The players choose one after another, but nobody learns what the others chose: that is equivalent to choosing
simultaneously.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.svg import Box, label, line, picture, rect, text_card
from counterplay.core.language.actions import Actions
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import state
from counterplay.games.explicit import MOST_PLAYERS, Explicit, action_names, fail, finite, read_json

KEYS = ("title", "players", "actions", "payoffs", "tables")
MOST_DRAWN = 20
"""Rows and columns of the largest table shown."""


@state
class State(NamedTuple):
    """What has been chosen so far."""

    profile: int  # the choices as digits: the last player's is the lowest, each in the base of their number of actions
    ply: int  # the number of players who have chosen


class Matrix(Explicit):
    """A game in normal form: all choose simultaneously, and a table gives the payoffs."""

    name = "matrix"
    title = "Matrix game"

    def __init__(self, source: Any = "[[1,-1],[-1,1]]") -> None:
        data, self._parameters["source"] = read_json(source, "matrix")
        self.fill(data)

    def fill(self, data: Any) -> None:
        """Adopt the game that `data` describes, checked."""
        form = read_normal_form(data, vars(type(self)).get("name", "matrix"))
        self.players = len(form.names)
        self.counts = tuple(map(len, form.names))
        self.policy_size = max(self.counts)
        self.payoffs = np.ascontiguousarray(form.payoffs.reshape(-1, self.players))  # [profiles, players]
        scale = float(np.abs(self.payoffs).max())
        self.zero_sum = bool(np.abs(self.payoffs.sum(axis=1)).max() <= 1e-12 * scale)
        self.set_bounds(self.payoffs)
        self._form = form

    def initial(self) -> State:
        return State(0, 0)

    def to_move(self, s: State) -> int:
        return s.ply % self.players

    def actions(self, s: State, out: Actions) -> None:
        for action in range(self.counts[s.ply]):
            out.append(action)

    def result(self, s: State, action: int) -> State:
        return State(s.profile * self.counts[s.ply] + action, s.ply + 1)

    def is_terminal(self, s: State) -> bool:
        return s.ply == self.players

    def utility(self, s: State, player: int) -> float:
        return float(self.payoffs[s.profile, player])

    def choice(self, s: State, player: int) -> int:
        """The choice of `player`, -1 if they have not chosen yet."""
        if player >= s.ply:
            return -1
        rest = s.profile
        for p in range(s.ply - 1, player, -1):
            rest //= self.counts[p]
        return rest % self.counts[player]

    # Secrets: a player knows how many have chosen, and their own choice.

    def information(self, s: State, player: int) -> int:
        return (self.choice(s, player) + 1) * (self.players + 1) + s.ply

    def resample(self, s: State, player: int, rng: Rng) -> State:
        profile = 0
        for p in range(s.ply):
            chosen = self.choice(s, p) if p == player else rng.below(self.counts[p])
            profile = profile * self.counts[p] + chosen
        return State(profile, s.ply)

    # Notation: the actions' names; a position is what has been chosen, such as "rock" ("-" at the start).

    def action_text(self, s: State, action: int) -> str:
        return self._form.names[s.ply][action]

    def player_name(self, player: int) -> str:
        return self._form.players[player] if player >= 0 else super().player_name(player)

    def position_text(self, s: State) -> str:
        return " ".join(self._form.names[p][self.choice(s, p)] for p in range(s.ply)) or "-"

    def parse_position(self, text: str) -> State:
        words = text.split()
        if not words or len(words) > self.players:
            raise InvalidPosition(
                f"{self._spec_name()}: write a position as what the players have chosen, at most {self.players} "
                "words, or - for the start"
            )
        s = self.initial()
        for word in [] if words == ["-"] else words:
            try:
                s = self.result(s, self.parse_action(s, word))
            except CounterplayError as wrong:
                raise InvalidPosition(f"{self._spec_name()}: {wrong}") from None
        return s

    # Pictures: the others' choices are shown at the end.

    def shown(self, s: State, player: int, viewer: int | None) -> int:
        """The choice of `player` as `viewer` sees it, -1 if it is hidden."""
        return self.choice(s, player) if viewer in (None, player) or self.is_terminal(s) else -1

    def cells(self) -> list[list[str]]:
        """A two-player game's payoffs in each cell: both, or only the row player's if they determine the other's."""
        texts = [f"{row[0]:g}" if self.zero_sum else f"{row[0]:g}, {row[1]:g}" for row in self.payoffs]
        columns = self.counts[1]
        return [texts[i : i + columns] for i in range(0, len(texts), columns)]

    @property
    def is_drawable(self) -> bool:
        """Whether the table has two dimensions and is small."""
        return self.players == 2 and max(self.counts) <= MOST_DRAWN

    def board(self, s: State, viewer: int | None = None) -> str:
        rows, names = [title for title in [self._form.title] if title], self._form.names
        if self.is_drawable:
            table = [["", *names[1]], *([name, *row] for name, row in zip(names[0], self.cells(), strict=True))]
            widths = [max(len(row[c]) for row in table) for c in range(len(table[0]))]
            rows += ["  ".join(f"{cell:>{w}}" for cell, w in zip(row, widths, strict=True)) for row in table]
        for p in range(self.players):
            action = self.shown(s, p, viewer)
            chosen = names[p][action] if action >= 0 else "has chosen" if p < s.ply else "-"
            gets = f", gets {self.utility(s, p):g}" if self.is_terminal(s) else ""
            rows.append(f"{self.player_name(p)}: {chosen}{gets}")
        return "\n".join(rows)

    def svg(self, s: State, viewer: int | None = None) -> str:
        if not self.is_drawable:
            return text_card(self.board(s, viewer))
        (rows, columns), cells = self._form.names, self.cells()
        left, side = self.measures()
        width, height = left + side * len(columns) + 12, 76 + 44 * len(rows)
        shapes = [rect(0, 0, width, height, "#faf7f0", rx=8)]
        row, column = self.shown(s, 0, viewer), self.shown(s, 1, viewer)
        if row >= 0:
            shapes.append(rect(left, 64 + 44 * row, side * len(columns), 44, "#f6c9c0"))
        if column >= 0:
            shapes.append(rect(left + side * column, 64, side, 44 * len(rows), "#bcd2f2"))
        if row >= 0 and column >= 0:
            shapes.append(rect(left + side * column, 64 + 44 * row, side, 44, "#f2e08a"))
        shapes.append(label(left - 10, 44, self.player_name(0), fill="#b33", anchor="end", font_weight="bold"))
        shapes.append(label(left + side * len(columns) / 2, 18, self.player_name(1), fill="#25a", font_weight="bold"))
        shapes += [label(left + side * (c + 0.5), 44, name) for c, name in enumerate(columns)]
        for r, name in enumerate(rows):
            shapes.append(label(left - 10, 86 + 44 * r, name, anchor="end"))
            shapes += [label(left + side * (c + 0.5), 86 + 44 * r, text) for c, text in enumerate(cells[r])]
        shapes += [line(left, 64 + 44 * r, width - 12, 64 + 44 * r, "#aaa") for r in range(len(rows) + 1)]
        shapes += [line(left + side * c, 64, left + side * c, height - 12, "#aaa") for c in range(len(columns) + 1)]
        return picture(width, height, shapes)

    def measures(self) -> tuple[float, float]:
        """The left edge of the columns in the picture, and their width."""
        (rows, columns), cells = self._form.names, self.cells()
        left = 9.5 * max(map(len, (*rows, self.player_name(0)))) + 24
        return left, max(9 * max(len(text) for row in (columns, *cells) for text in row) + 24, 64)

    def spots(self, s: State, action: int) -> tuple[Box, ...]:
        """The name of a row, or of a column."""
        if not self.is_drawable:
            return ()
        left, side = self.measures()
        if s.ply == 0:
            return (Box(4, 64 + 44 * action, left - 4, 44),)
        return (Box(left + side * action, 30, side, 34),)


class Classic(Matrix):
    """A well-known matrix game: the class defines everything, and there are no parameters."""

    normal_form: ClassVar[dict[str, Any]]

    def __init__(self) -> None:
        self.fill(self.normal_form)


class RockPaperScissors(Classic):
    """Rock breaks scissors, scissors cut paper, paper wraps rock."""

    name = "rock-paper-scissors"
    title = "Rock, paper, scissors"
    normal_form: ClassVar[dict[str, Any]] = {
        "actions": [["rock", "paper", "scissors"]] * 2,
        "payoffs": [[0, -1, 1], [1, 0, -1], [-1, 1, 0]],
    }


class PrisonersDilemma(Classic):
    """Each does better by defecting, and both do worse when both defect."""

    name = "prisoners-dilemma"
    title = "Prisoner's dilemma"
    normal_form: ClassVar[dict[str, Any]] = {
        "actions": [["cooperate", "defect"]] * 2,
        "payoffs": [[[5, 5], [0, 10]], [[10, 0], [1, 1]]],
    }


class MatchingPennies(Classic):
    """The first player wins if the pennies match, the second if they do not."""

    name = "matching-pennies"
    normal_form: ClassVar[dict[str, Any]] = {"actions": [["heads", "tails"]] * 2, "payoffs": [[1, -1], [-1, 1]]}


class BattleOfTheSexes(Classic):
    """Both want to go together, but each prefers a different concert."""

    name = "battle-of-the-sexes"
    normal_form: ClassVar[dict[str, Any]] = {
        "actions": [["bach", "stravinsky"]] * 2,
        "payoffs": [[[3, 2], [0, 0]], [[0, 0], [2, 3]]],
    }


class StagHunt(Classic):
    """The stag takes two hunters, a hare only one."""

    name = "stag-hunt"
    normal_form: ClassVar[dict[str, Any]] = {
        "actions": [["stag", "hare"]] * 2,
        "payoffs": [[[2, 2], [0, 1]], [[1, 0], [1, 1]]],
    }


class Chicken(Classic):
    """Whoever swerves loses face; if nobody does, both lose more."""

    name = "chicken"
    normal_form: ClassVar[dict[str, Any]] = {
        "actions": [["dare", "swerve"]] * 2,
        "payoffs": [[[0, 0], [4, 1]], [[1, 4], [3, 3]]],
    }


class NormalForm(NamedTuple):
    """The contents of a file, checked."""

    title: str
    players: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]  # of the actions, a tuple per player
    payoffs: np.ndarray  # [the first player's actions, the second's, ..., players]


def read_normal_form(data: Any, game: str) -> NormalForm:
    """The game that JSON data describe."""
    if isinstance(data, list):
        data = {"payoffs": data}
    if not isinstance(data, dict) or ("payoffs" in data) == ("tables" in data):
        fail(game, 'the game must be a table of payoffs, or an object with either "payoffs" or "tables"')
    unknown = [key for key in data if key not in KEYS]
    if unknown:
        fail(game, f"there is no {unknown[0]!r} in a matrix game; it has {', '.join(KEYS)}")
    actions = data.get("actions")
    if actions is not None and not (isinstance(actions, list) and all(isinstance(part, list) for part in actions)):
        fail(game, '"actions" must be a list of names for each player')
    payoffs = _payoffs(data, len(actions) if actions is not None else None, game)
    shape = payoffs.shape[:-1]
    if not 2 <= len(shape) <= MOST_PLAYERS:
        fail(game, f"from 2 to {MOST_PLAYERS} can play, not {len(shape)}")
    if actions is None:
        actions = [[str(i + 1) for i in range(count)] for count in shape]
    if tuple(map(len, actions)) != shape:
        counted = " by ".join(str(len(part)) for part in actions)
        fail(game, f"the actions are {counted}, but the payoffs are {' by '.join(map(str, shape))}")
    names = tuple(action_names(part, game) for part in actions)
    title, players = data.get("title", ""), data.get("players", [f"player {p + 1}" for p in range(len(shape))])
    if not isinstance(players, list) or len({p for p in players if isinstance(p, str) and p.strip()}) != len(shape):
        fail(game, f'"players" must be {len(shape)} different names')
    if not isinstance(title, str):
        fail(game, '"title" must be a text')
    return NormalForm(title, tuple(players), names, payoffs)


def _payoffs(data: dict[str, Any], players: int | None, game: str) -> np.ndarray:
    """The payoffs as [actions, ..., players], from either form."""
    if "tables" in data:
        tables = dense(data["tables"], '"tables"', game)
        if tables.ndim != len(tables) + 1:
            fail(game, f'"tables" has {len(tables)} tables, but the tables have {tables.ndim - 1} dimensions')
        return np.moveaxis(tables, 0, -1)
    payoffs = dense(data["payoffs"], '"payoffs"', game)
    if payoffs.ndim < 2:
        fail(game, '"payoffs" must be a list of rows, one for each action of the first player')
    if payoffs.ndim == 2 and players in (None, 2):
        return np.stack([payoffs, 0.0 - payoffs], axis=-1)
    players = payoffs.ndim - 1 if players is None else players
    if payoffs.ndim != players + 1 or payoffs.shape[-1] != players:
        cell = f"lists of {payoffs.shape[-1]}" if payoffs.ndim > players else "numbers"
        fail(game, f'"payoffs" of {players} players must be nested {players} deep with lists of {players}, not {cell}')
    return payoffs


def dense(value: Any, what: str, game: str) -> np.ndarray:
    """Nested lists of numbers as an array; refuses ragged or empty lists and non-numbers."""
    shape: list[int] = []
    inner = value
    while isinstance(inner, list) and inner and len(shape) <= MOST_PLAYERS:
        shape.append(len(inner))
        inner = inner[0]
    numbers: list[float] = []

    def walk(part: Any, depth: int, location: str) -> None:
        if depth == len(shape):
            numbers.append(finite(part, location, game))
        elif not isinstance(part, list) or len(part) != shape[depth]:
            found = f"has {len(part)} entries" if isinstance(part, list) else "is not a list"
            fail(game, f"{location} {found}; it must have {shape[depth]} like the first")
        else:
            for i, entry in enumerate(part, 1):
                walk(entry, depth + 1, f"{location}, entry {i}")

    walk(value, 0, what)
    return np.array(numbers).reshape(shape)


# What explicit games share: JSON from a text or a file, checked.
