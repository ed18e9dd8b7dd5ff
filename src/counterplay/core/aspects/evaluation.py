"""The value of a position without search, and hints about its actions for a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from counterplay.core.types import State

if TYPE_CHECKING:
    from counterplay.core.language.actions import Actions
    from counterplay.core.language.rng import Rng


class Evaluation:
    """The value of a position without search, and hints about its actions for a search."""

    evaluation_bounds: tuple[float, float] = (-1.0, 1.0)
    swing: float = 0.0
    """The most that a quiet action usually changes an estimate; 0: a tenth of the range of estimates."""
    sketch_error: float = 0.0
    """How far `evaluate` may be from `sketch`."""
    expert: ClassVar[str] = ""
    """The best player for this game, if it is not the usual strongest one for games of its kind."""

    def evaluate(self: Any, s: State, player: int) -> float:
        """An estimate, without search, of what `player` will get from `s`. The default is the middle of `utility_bounds`,
        or 0 in a zero-sum game."""
        if self.zero_sum and self.players > 1:
            return 0.0
        return (self.utility_bounds[0] + self.utility_bounds[1]) / 2

    def structure(self, s: State) -> tuple[int, int]:
        """Two words about a part of `s` that changes rarely (the pawns of chess) and is slow to evaluate: a search caches
        them by `structure_key` and passes them to `evaluate_with`."""
        return 0, 0

    def structure_key(self, s: State) -> int:
        """64 bits that identify what `structure` depends on."""
        return 0

    def evaluate_with(self, s: State, player: int, structure: tuple[int, int]) -> float:
        """`evaluate(s, player)`, given `structure(s)`."""
        return self.evaluate(s, player)

    def sketch(self, s: State, player: int) -> float:
        """A quick estimate: `evaluate` is rarely further from it than `sketch_error`."""
        return 0.0

    def ordering(self, s: State, action: int) -> int:
        """A hint for the order in which to try actions: higher comes earlier."""
        return 0

    def is_noisy(self, s: State, action: int) -> bool:
        """Whether `action` changes the evaluation so much that quiescence search follows it."""
        return False

    def noisy_actions(self: Any, s: State, out: Actions) -> None:
        """Append the noisy actions of `s`, if that is faster than listing all actions; listing a few others does no
        harm."""
        self.actions(s, out)

    def is_losing(self, s: State, action: int) -> bool:
        """Whether a noisy action loses more than it gains, judging by its square alone: search tries it late, and skips it
        beyond the horizon."""
        return False

    def is_tense(self, s: State) -> bool:
        """Whether `s` cannot be evaluated as it is (a king in check, a compulsory capture): there, search takes no
        shortcuts and quiescence follows every action."""
        return False

    def threatens(self: Any, s: State, action: int) -> bool:
        """Whether the state after `action` is tense, for a game that can tell without playing it."""
        return self.is_tense(self.result(s, action))

    def is_forcing(self, s: State, action: int, after: State) -> bool:
        """Whether `action`, which leads to `after`, leaves the opponent so little choice that search extends it."""
        return False

    def allows_null(self, s: State) -> bool:
        """Whether passing in `s` is a safe test of its strength (no zugzwang in sight)."""
        return False

    def null(self, s: State) -> Any:
        """The state after the player to move in `s` has passed; called only if `allows_null(s)`."""
        return s

    def sample(self, s: State, rng: Rng) -> int:
        """One action for a playout. By default playouts draw uniformly from `actions`."""
        return 0

    @property
    def has_evaluation(self) -> bool:
        """Whether the game has an evaluation."""
        return type(self).evaluate is not Evaluation.evaluate

    @property
    def has_sample(self) -> bool:
        """Whether the game has its own playout policy."""
        return type(self).sample is not Evaluation.sample

    @property
    def has_ordering(self) -> bool:
        """Whether the game has ordering hints."""
        return type(self).ordering is not Evaluation.ordering

    @property
    def has_noise(self) -> bool:
        """Whether the game distinguishes noisy actions from quiet ones."""
        return type(self).is_noisy is not Evaluation.is_noisy

    @property
    def has_null(self) -> bool:
        """Whether passing can serve as a test of strength."""
        return type(self).allows_null is not Evaluation.allows_null

    @property
    def has_forcing(self) -> bool:
        """Whether the game says which actions are forcing."""
        return type(self).is_forcing is not Evaluation.is_forcing

    @property
    def has_structure(self) -> bool:
        """Whether part of the estimate changes rarely."""
        return is_part_of_evaluate(type(self), "structure")

    @property
    def has_sketch(self) -> bool:
        """Whether the game has a quick estimate as well as the careful one."""
        return is_part_of_evaluate(type(self), "sketch")

    @property
    def has_exchanges(self) -> bool:
        """Whether the game says which noisy actions lose."""
        return type(self).is_losing is not Evaluation.is_losing

    @property
    def has_tension(self) -> bool:
        """Whether the game says which positions cannot be evaluated as they are."""
        return type(self).is_tense is not Evaluation.is_tense


def is_part_of_evaluate(cls: type, name: str) -> bool:
    """Whether `name` was written for the `evaluate` in use: a subclass with another `evaluate` loses it."""
    owners = [next(i for i, base in enumerate(cls.__mro__) if n in vars(base)) for n in (name, "evaluate")]
    return owners[0] <= owners[1] and getattr(cls, name) is not getattr(Evaluation, name)
