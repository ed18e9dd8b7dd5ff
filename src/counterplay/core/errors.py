"""Errors that say in one sentence what is wrong and what is allowed."""

from __future__ import annotations


class CounterplayError(ValueError):
    """An error that the user can fix: shown as one sentence, exit code 2, no traceback."""


class UnknownGame(CounterplayError):
    """There is no game of that name, or it has no such parameter."""


class IllegalAction(CounterplayError):
    """The position does not allow the action."""


class InvalidAction(CounterplayError):
    """The text is not an action."""


class InvalidPosition(CounterplayError):
    """The text does not describe a position of the game."""


class BrokenGame(CounterplayError):
    """A user's game raises, does not end, or returns something invalid."""


class Unsuitable(CounterplayError):
    """The method does not suit this kind of game."""
