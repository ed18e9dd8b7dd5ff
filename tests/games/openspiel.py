"""Lock-step play against OpenSpiel, an independent implementation."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from counterplay.core.game import CHANCE, Game
from counterplay.core.rules import legal

pyspiel = pytest.importorskip("pyspiel")


def lockstep(game: Game, theirs: Any, translate: Callable[[Any, int], int], playthroughs: int, seed: int = 0) -> None:
    """Play both games at random, side by side: the same player, actions, events, probabilities, end and returns.

    `theirs` is a pyspiel game (or its name), turn-based; `translate(state, action)` is OpenSpiel's number of our action
    or event.
    """
    theirs = pyspiel.load_game(theirs) if isinstance(theirs, str) else theirs
    rng = random.Random(seed)
    for _ in range(playthroughs):
        s, t = game.initial(), theirs.new_initial_state()
        while not game.is_terminal(s):
            assert not t.is_terminal(), f"OpenSpiel has ended at {t}, we have not: {s}"
            options = {translate(s, action): action for action in legal(game, s)}
            assert len(options) == len(legal(game, s)), f"two actions translate to one at {s}"
            assert game.to_move(s) == (CHANCE if t.is_chance_node() else t.current_player())
            if t.is_chance_node():
                expected = dict(t.chance_outcomes())
                ours = {event: game.probability(s, action) for event, action in options.items()}
                assert ours == pytest.approx(expected)
            else:
                assert sorted(options) == sorted(t.legal_actions())
            chosen = rng.choice(sorted(options))
            s = game.result(s, options[chosen])
            t.apply_action(chosen)
        assert t.is_terminal(), f"we have ended at {s}, OpenSpiel has not: {t}"
        assert [game.utility(s, player) for player in range(game.players)] == pytest.approx(t.returns())
