"""A game whose rules run compiled, one call at a time: for Python code that replays many games.

A call into compiled code costs some ten microseconds; rules in Python can cost hundreds. Kernels still take the plain
game, not one with compiled rules.
"""

from __future__ import annotations

from typing import Any

from counterplay.core.derived import derive
from counterplay.core.game import Game
from counterplay.core.language.actions import action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.types import State


class CompiledRules:
    """The rules that cost time, run through kernels over the plain game."""

    def result(self: Any, s: State, action: int) -> State:
        """The state after `action`."""
        return result(self._plain, s, int(action))

    def is_terminal(self: Any, s: State) -> bool:
        """Whether the game is over in `s`."""
        return is_terminal(self._plain, s)

    def actions(self: Any, s: State, out: Any) -> None:
        """Append the legal actions of `s`."""
        self._stack.truncate(0)
        list_actions(self._plain, s, self._stack)
        out.extend(self._stack)


def with_compiled_rules(game: Game) -> Any:
    """The same game with compiled rules; a game that does not compile is returned as it is."""
    if not game.compiles:
        return game
    return derive(game, CompiledRules, _plain=game, _stack=action_stack(game))


@kernel
def result(game: Any, s: State, action: int) -> State:
    """The state after `action`."""
    return game.result(s, action)


@kernel
def is_terminal(game: Any, s: State) -> bool:
    """Whether the game is over in `s`."""
    return bool(game.is_terminal(s))


@kernel
def list_actions(game: Any, s: State, out: Any) -> None:
    """Append the legal actions of `s`."""
    game.actions(s, out.fresh())
