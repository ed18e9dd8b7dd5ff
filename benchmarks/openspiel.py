"""OpenSpiel, driven from Python, if it is installed."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from random import Random
from typing import Any

pyspiel: Any
try:
    pyspiel = importlib.import_module("pyspiel")
except ImportError:
    pyspiel = None

MISSING = "open_spiel is not installed (pip install open_spiel)"


def playouts(game: Any, count: int, rng: Random, by_turns: bool = False) -> list[tuple[int, float]]:
    """Random playouts: for each, its length, including chance events, and the first player's payoff. If `by_turns`,
    consecutive actions of one player count as one."""
    random: Callable[[], float] = rng.random
    has_chance = game.get_type().chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC
    played = []
    for _ in range(count):
        state = game.new_initial_state()
        plies, last = 0, None
        while not state.is_terminal():
            if has_chance and state.is_chance_node():
                u = random()
                for event, probability in state.chance_outcomes():  # noqa: B007 (the loop leaves the last one)
                    u -= probability
                    if u < 0:
                        break
                state.apply_action(event)
            else:
                if by_turns:
                    mover = state.current_player()
                    plies -= mover == last
                    last = mover
                actions = state.legal_actions()
                state.apply_action(actions[int(random() * len(actions))])
            plies += 1
        played.append((plies, state.player_return(0)))
    return played


def perft(state: Any, depth: int) -> int:
    """The number of sequences of exactly `depth` actions; the last ones are counted, not played, as we do."""
    actions = state.legal_actions()
    if depth == 1:
        return len(actions)
    leaves = 0
    for action in actions:
        after = state.clone()
        after.apply_action(action)
        leaves += perft(after, depth - 1)
    return leaves
