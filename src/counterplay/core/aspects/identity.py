"""When two positions are the same: keys, repetition, symmetry."""

from __future__ import annotations

from typing import Any

from counterplay.core.errors import BrokenGame, Unsuitable
from counterplay.core.formats.text import shorten
from counterplay.core.language.state import Numbers, is_state, state_key
from counterplay.core.language.wide import u64
from counterplay.core.types import State

INFINITY = float("inf")

MOST_PLAIN_STATES = 1 << 20
"""The number of plain Python states that a game remembers."""


class Identity:
    """When two positions are the same: keys, repetition, symmetry."""

    repetition: str = "none"
    """"draw" or "loss" (of the player who repeats) ends the playthrough, "illegal" forbids the action."""
    occurrences: int = 2
    """Which occurrence of a position counts as the repetition (3 for threefold)."""
    symmetries: int = 1
    """The number of symmetric forms of a state, including itself."""

    _numbers: Numbers | None = None

    def key(self: Any, s: State) -> int:
        """64 bits that identify the state in a transposition table: equal for equal states. If a state is an arbitrary
        Python object, its hash and equality decide."""
        if self.has_plain_states:
            return self._plain_key(s)
        return state_key(s)

    def repetition_key(self, s: State) -> int:
        """64 bits that decide whether a position is repeated."""
        return self.key(s)

    def lookback(self, s: State) -> int:
        """How many earlier positions of the path can equal `s` (0 right after a move that cannot be undone)."""
        return 1 << 30

    def earliest(self, s: State, first: int) -> int:
        """The minimum number of plies to a position that equals `s` from one whose repetition key is `first`, as a signed
        word: earlier positions on a path that began there need not be compared."""
        return 0

    def repeated_utility(self: Any, s: State, player: int) -> float:
        """What `player` gets if `s` is a repetition that ends the game, as `repetition` says."""
        if self.repetition == "loss":  # of the player who repeated the position
            return float(self.utility_bounds[1] if player == self.to_move(s) else self.utility_bounds[0])
        return 0.0

    def symmetric(self, s: State, k: int) -> Any:
        """The k-th symmetric form of `s`; the 0-th is `s` itself."""
        return s

    def symmetric_action(self, action: int, k: int) -> int:
        """The action of the k-th symmetric form that corresponds to `action`."""
        return action

    @property
    def has_repetition(self) -> bool:
        """Whether a repeated position ends the game or is forbidden."""
        return self.repetition != "none"

    @property
    def forbids_repetition(self) -> bool:
        """Whether an action that repeats a position is illegal."""
        return self.repetition == "illegal"

    @property
    def has_plain_states(self: Any) -> bool:
        """Whether its states are arbitrary Python objects, not `@state` values."""
        return not is_state(self.frozen.state_class)

    @property
    def has_equality(self: Any) -> bool:
        """Whether plain states can be compared: two that are equal, such as two initial ones, have the same hash."""
        one, other = self.initial(), self.initial()
        plain: Any = object.__eq__
        try:
            return type(one).__eq__ is not plain and bool(one == other) and hash(one) == hash(other)
        except Exception:  # __eq__ and __hash__ are a user's code
            return False

    def _plain_key(self: Any, s: State) -> u64:
        if self._numbers is None:
            if not self.has_equality:
                raise Unsuitable(
                    f"states of {self.spec} cannot be told apart: a {type(s).__name__} has no hash and equality of its "
                    "own; make states of tuples, or write `key`"
                )
            # A repetition rule must recognize a position however long ago it occurred.
            self.__dict__.setdefault("_numbers", Numbers(INFINITY if self.has_repetition else MOST_PLAIN_STATES))
        assert self._numbers is not None
        try:
            return self._numbers.key(s)
        except TypeError:
            raise BrokenGame(
                f"a state of {self.spec} has no hash: {shorten(repr(s))}; make states of tuples, or write `key`"
            ) from None
