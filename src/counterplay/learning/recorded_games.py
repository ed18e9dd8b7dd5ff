"""Training data from recorded games: positions with their values, and choices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from counterplay.core.game import CHANCE
from counterplay.core.playthrough import Playthrough, RecordedGame
from counterplay.learning.imitation import Choice
from counterplay.learning.samples import Lesson

Opinion = Callable[[Playthrough], float | None]
"""What a position is worth to the player to move."""


def lesson_of(game: RecordedGame, opinion: Opinion | None, skip: int) -> Lesson:
    """The positions of a game after each action, while the game continues, and the value of each to its viewer: by
    `opinion`, or by the result of the game. The first `skip` plies are left out."""
    p, rules = game.start, game.start.game
    states: list[Any] = []
    labels: list[float] = []
    for move in game.moves:
        p.play(move)
        if p.is_over or len(p) <= skip:
            continue
        viewer = rules.viewer(p.state)
        label = None
        if opinion is None:
            label = game.utilities[viewer] if game.utilities else None
        elif p.to_move == viewer:  # (if chance moves, there is no opinion)
            label = opinion(p)
        if label is not None:
            states.append(p.state)
            labels.append(float(label))
    return states, labels


def choices_of(game: RecordedGame, skip: int) -> Iterator[Choice]:
    """The choices of a game between more than one action, and the result for the player who chose."""
    p = game.start
    for move in game.moves:
        mover, state = p.to_move, p.state
        options = p.options() if mover != CHANCE and len(p) >= skip else []
        p.play(move)
        if len(options) > 1:
            got = game.utilities[mover] if game.utilities else None
            yield Choice(state, options, p.actions[-1], got)
