"""A playthrough: one instance of play, with its history, as used in a REPL or a notebook.

>>> from counterplay import load
>>> p = load("connect-four").start()
>>> p.play("4").play("4").undo()
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from counterplay.core.errors import BrokenGame, CounterplayError, IllegalAction
from counterplay.core.formats.text import summary
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.rng import Rng
from counterplay.core.repetition import is_new, repetition_word
from counterplay.core.rules import draw_event, has_ended, legal, listed, payoff


class Playthrough:
    """The states and actions from a starting position on."""

    def __init__(self, game: Game, moves: str = "", *, position: str | None = None, seed: int = 0) -> None:
        self.game = game
        """The rules."""
        self.actions: list[int] = []
        """The actions played, including chance events."""
        self.rng = Rng(seed)
        """Rolls the dice in `roll`."""
        self._position = position
        self._states = [game.initial() if position is None else game.parse_position(position)]
        self._path = {0: repetition_word(game, self._states[0])}
        self._known: list[int] | None = None  # the actions listed in the state on the board, once asked for
        for text in game.split_moves(moves):
            self.play(text)

    @property
    def state(self) -> Any:
        """The state on the board."""
        return self._states[-1]

    @property
    def states(self) -> list[Any]:
        """Every state from the start to now."""
        return list(self._states)

    @property
    def before(self) -> tuple[int, ...]:
        """The repetition keys of all earlier positions, so that a search knows what would repeat; none if the game has no
        repetition rule."""
        return tuple(self._path[ply] for ply in range(len(self.actions))) if self.game.has_repetition else ()

    @property
    def to_move(self) -> int:
        """The player to move, or CHANCE."""
        return self.game.to_move(self.state)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by its rules or by repetition."""
        return not any(self._allows(action) for action in self._listed())

    @property
    def returns(self) -> tuple[float, ...]:
        """Each player's payoff; zeros while the game is not over."""
        if not self.is_over:
            return (0.0,) * self.game.players
        return tuple(payoff(self.game, self.state, player) for player in range(self.game.players))

    def options(self) -> list[int]:
        """The legal actions (if chance moves, the events), as numbers."""
        return [action for action in self._listed() if self._allows(action)]

    def _listed(self) -> list[int]:
        """The same numbers, including actions that repetition forbids."""
        if self._known is None:
            over = has_ended(self.game, self.state, self._path, len(self))
            self._known = [] if over else listed(self.game, self.state)
        return self._known

    def _allows(self, action: int) -> bool:
        """Whether a listed action is not forbidden because it repeats a position."""
        game, s = self.game, self.state
        if not game.forbids_repetition or game.to_move(s) == CHANCE:
            return True
        return is_new(game, game.result(s, action), self._path, len(self) + 1)

    def legal(self) -> list[str]:
        """The legal actions (if chance moves, the events), in the game's notation."""
        return [self.game.action_text(self.state, action) for action in self.options()]

    def play(self, action: str | int) -> Playthrough:
        """Play an action, given as text or as a number; returns the playthrough itself."""
        game, s = self.game, self.state
        if self.is_over:
            raise IllegalAction(f"{str(action).strip()!r} cannot be played: the game is over")
        number = game.parse_action(s, action) if isinstance(action, str) else int(action)
        if number not in self._listed() or not self._allows(number):
            raise IllegalAction(f"{str(action).strip()!r} is not legal here; legal: {summary(self.legal())}")
        after = game.result(s, number)
        if after is None:
            raise BrokenGame(
                f"{type(game).__name__}.result returned None for action {action}; it must return the new state"
            )
        self._states.append(after)
        self._known = None
        self.actions.append(number)
        self._path[len(self.actions)] = repetition_word(game, after)
        return self

    def roll(self) -> Playthrough:
        """Let chance act until a player is to move."""
        while not self.is_over and self.to_move == CHANCE:
            self.play(draw_event(self.game, self.state, self.rng))
        return self

    def undo(self, count: int = 1) -> Playthrough:
        """Take back the last `count` actions."""
        if count > len(self.actions):
            raise CounterplayError(f"cannot take back {count} of {len(self.actions)} actions")
        self._known = None
        for _ in range(count):
            self._states.pop()
            self.actions.pop()
        return self

    @property
    def moves(self) -> list[str]:
        """The actions played, in the game's notation."""
        return [self.game.action_text(s, a) for s, a in zip(self._states, self.actions, strict=False)]

    def can_see(self, ply: int, viewer: int) -> bool:
        """Whether `viewer` can tell the action at `ply` from every other that was legal there."""
        game, before, played = self.game, self._states[ply], self.actions[ply]
        if not game.has_secrets:
            return True
        known = game.information(self._states[ply + 1], viewer)
        others = (action for action in legal(game, before) if action != played)
        return all(game.information(game.result(before, other), viewer) != known for other in others)

    def moves_seen_by(self, viewer: int) -> list[str]:
        """The actions played as `viewer` saw them: ? for what they could not see."""
        return [text if self.can_see(ply, viewer) else "?" for ply, text in enumerate(self.moves)]

    @property
    def position(self) -> str:
        """The position on the board as a line of text."""
        return self.game.position_text(self.state)

    def __len__(self) -> int:
        return len(self.actions)

    def __repr__(self) -> str:
        moves = f", {' '.join(self.moves)!r}" if self.actions else ""
        start = f", position={self._position!r}" if self._position is not None else ""
        return f"Playthrough({self.game!r}{moves}{start})"

    def __str__(self) -> str:
        return self.game.board(self.state)

    def _repr_svg_(self) -> str:
        return self.game.svg(self.state)


def open_playthrough(
    game: Game, position: str | None, moves: str, seed: int = 0, seconds: float | None = None
) -> Playthrough:
    """A playthrough from `position` (or from the start), with `moves` played, optionally within a number of seconds. An
    error names the wrong move and its number."""
    p = game.start(position=position, seed=seed)
    play_moves(p, game.split_moves(moves), seconds)
    return p


def play_moves(p: Playthrough, texts: Sequence[str], seconds: float | None = None) -> None:
    """Play moves given as text; refused if that takes more than `seconds` of computing."""
    deadline = None if seconds is None else time.thread_time() + seconds
    for text in texts:
        try:
            p.play(text)
        except CounterplayError as wrong:
            raise type(wrong)(f"the {ordinal(len(p) + 1)} move, {text!r}: {wrong}") from None
        if deadline is not None and time.thread_time() > deadline:
            raise CounterplayError(f"these moves take longer than {seconds:g} seconds to play; start from a position")


def ordinal(n: int) -> str:
    """1st, 2nd, 3rd, 4th, ..."""
    ending = "th" if n // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


class RecordedGame(NamedTuple):
    """A recorded game from a file, to be replayed."""

    start: Playthrough  # before its first move
    moves: list[Any]  # as texts, or as actions
    utilities: tuple[float, ...] | None  # what the players got; None: the file does not say
