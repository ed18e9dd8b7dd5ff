"""Errors that say in one sentence what is wrong and what is allowed."""

from __future__ import annotations


class CounterplayError(ValueError):
    """An error that the user can fix: shown as one sentence, exit code 2, no traceback."""


class UnknownGame(CounterplayError):
    """No game of that name, or a parameter that it does not have."""


class IllegalAction(CounterplayError):
    """An action that the position does not allow."""


class InvalidAction(CounterplayError):
    """A text that is not an action."""


class InvalidPosition(CounterplayError):
    """A text that does not describe a position of the game."""


class BrokenGame(CounterplayError):
    """A user's game that raises, does not end, or returns something invalid."""


class Unsuitable(CounterplayError):
    """A method that does not suit this kind of game."""
