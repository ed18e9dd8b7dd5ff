"""Errors that say in one sentence what is wrong and what would be right."""

from __future__ import annotations


class CounterplayError(ValueError):
    """Something that a person can mend: shown as one sentence, exit code 2, no traceback."""


class UnknownGame(CounterplayError):
    """No game of that name, or a parameter that it does not have."""


class IllegalAction(CounterplayError):
    """An action that the position does not allow."""


class InvalidAction(CounterplayError):
    """A text that is no action at all."""


class InvalidPosition(CounterplayError):
    """A text that describes no position of the game."""


class BrokenGame(CounterplayError):
    """A user's game that raises, does not end, or returns what it must not."""


class Unsuitable(CounterplayError):
    """A method asked to do what it cannot do for this kind of game."""
