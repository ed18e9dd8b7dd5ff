"""A playthrough: one instance of play, with its history, as a person handles it in a REPL or a notebook.

    >>> from counterplay import load
    >>> p = load("connect-four").start()
    >>> p.play("4").play("4").undo()
"""

from __future__ import annotations

from typing import Any

from counterplay.core.errors import BrokenGame, CounterplayError, IllegalAction
from counterplay.core.game import CHANCE, Game, legal, summary
from counterplay.core.rng import Rng


class Playthrough:
    """States and actions from a starting position on."""

    def __init__(self, game: Game, moves: str = "", *, position: str | None = None, seed: int = 0) -> None:
        self.game = game
        """The rules."""
        self.actions: list[int] = []
        """What was played, chance events included."""
        self.rng = Rng(seed)
        """Rolls the dice in `roll`."""
        self._position = position
        self._states = [game.initial() if position is None else game.parse_position(position)]
        for text in moves.split():
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
    def to_move(self) -> int:
        """The player to move, or CHANCE."""
        return self.game.to_move(self.state)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by its rules or by repetition."""
        return self.game.is_terminal(self.state) or self._repeated() or not self.options()

    @property
    def returns(self) -> tuple[float, ...]:
        """What each player got; zeros while the game goes on."""
        game, s = self.game, self.state
        if game.is_terminal(s):
            return tuple(float(game.utility(s, player)) for player in range(game.players))
        if self._repeated() and game.repetition == "loss":
            culprit = game.to_move(self._states[-2])
            low, high = game.utility_bounds
            return tuple(low if player == culprit else high for player in range(game.players))
        return (0.0,) * game.players

    def options(self) -> list[int]:
        """The legal actions (where chance moves, the events), as numbers."""
        game, s = self.game, self.state
        if self._repeated():
            return []
        found = legal(game, s)
        if game.repetition == "illegal":
            found = [action for action in found if not self._would_repeat(game.result(s, action))]
        return found

    def legal(self) -> list[str]:
        """The legal actions (where chance moves, the events), as one writes them."""
        return [self.game.action_text(self.state, action) for action in self.options()]

    def play(self, action: str | int) -> Playthrough:
        """Play an action, written or as a number; returns the playthrough itself."""
        game, s = self.game, self.state
        options = self.options()
        if not options:
            raise IllegalAction(f"{str(action).strip()!r} cannot be played: the game is over")
        number = game.parse_action(s, action) if isinstance(action, str) else int(action)
        if number not in options:
            texts = [game.action_text(s, option) for option in options]
            raise IllegalAction(f"{str(action).strip()!r} is not legal here; legal: {summary(texts)}")
        after = game.result(s, number)
        if after is None:
            raise BrokenGame(f"{type(game).__name__}.result returned None for action {action}; it must return the new state")
        self._states.append(after)
        self.actions.append(number)
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
        for _ in range(count):
            self._states.pop()
            self.actions.pop()
        return self

    @property
    def moves(self) -> list[str]:
        """What was played, as one writes it."""
        return [self.game.action_text(s, a) for s, a in zip(self._states, self.actions, strict=False)]

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

    def _repeated(self) -> bool:
        """Whether the position on the board ends the game by repetition."""
        game = self.game
        if game.repetition not in ("draw", "loss") or len(self._states) == 1:
            return False
        return self._count(self.state, self._states[:-1]) >= game.occurrences - 1

    def _would_repeat(self, after: Any) -> bool:
        return self._count(after, self._states) >= self.game.occurrences - 1

    def _count(self, s: Any, earlier: list[Any]) -> int:
        game = self.game
        key, reach = game.repetition_key(s), game.lookback(s)
        return sum(game.repetition_key(t) == key for t in earlier[max(0, len(earlier) - reach) :])


def draw_event(game: Game, s: Any, rng: Rng) -> int:
    """A chance event of `s`, by its probability."""
    u, total = rng.uniform(), 0.0
    events = legal(game, s)
    for event in events:
        total += game.probability(s, event)
        if u < total:
            return event
    return events[-1]
