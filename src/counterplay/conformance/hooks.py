"""What learning asks of a game: features, planes, the places of actions, stages, and in whose view."""

from __future__ import annotations

from counterplay.core.calling import ask, refuse
from counterplay.core.game import CHANCE, Game
from counterplay.core.pulse import within
from counterplay.core.purity import told
from counterplay.core.rules import legal
from counterplay.core.survey import SampledPosition
from counterplay.core.types import State
from counterplay.evaluation.encoding import try_features, try_planes, try_policy

DEAL = 6
"""Chance may move so often in a row before somebody acts."""


def check_hooks(game: Game, positions: list[SampledPosition]) -> str:
    """Everything that a game writes for learning must fit what it declares."""
    learns = [
        name
        for name, given in (
            ("features", game.feature_names),
            ("patterns", game.patterns),
            ("planes", game.plane_shape),
            ("a policy", game.policy_size),
        )
        if given
    ]
    if not learns:
        return "none: the game declares no `feature_names`, `patterns`, `plane_shape` or `policy_size`"
    tried = 0
    for position in within(positions):
        check_viewer(game, position)
        if position.mover == CHANCE or not position.options:
            continue
        try_features(game, position.state)
        check_stage(game, position.state)
        check_stones(game, position.state)
        try_planes(game, position.state)
        try_policy(game, position.state, position.options)
        tried += 1
    return f"{', '.join(learns)} fit what is declared on {tried} positions"


def check_stage(game: Game, s: State) -> None:
    """The stage must be one of those declared."""
    stage = ask(game, "stage", s)
    if not hasattr(stage, "__index__") or not 0 <= int(stage) < game.stages:
        raise refuse(
            game, "stage", f"`stage` gives {stage!r}, but `stages` is {game.stages}: it must be 0 to {game.stages - 1}"
        )


def check_stones(game: Game, s: State) -> None:
    """A cell of a pattern cannot belong to both sides."""
    if not game.patterns:
        return
    mine, theirs = ask(game, "stones", s)
    if int(mine) & int(theirs):
        raise refuse(game, "stones", f"`stones` gives a cell to both sides: {told(s)}")


def check_viewer(game: Game, position: SampledPosition) -> None:
    """Somebody must look at a position; where it depends on chance who acts next, the default cannot know who."""
    if not (game.feature_names or game.patterns or game.plane_shape):
        return
    s, mover, options, _ = position
    viewer = ask(game, "viewer", s)
    if not hasattr(viewer, "__index__") or not 0 <= int(viewer) < game.players:
        raise refuse(game, "viewer", f"`viewer` gives {viewer!r}; it must be a player, 0 to {game.players - 1}")
    if mover != CHANCE or not options or type(game).viewer is not Game.viewer or game.players == 1:
        return
    following = next_movers(game, s)
    if len(following) > 1:
        raise refuse(
            game,
            "features" if game.feature_names else "planes",
            f"where chance moves, the default `viewer` says player {int(viewer)}, but it depends on the event which of the "
            f"players {sorted(following)} acts next, so that learning would get signs wrong; write `viewer(self, s)`: in "
            f"whose view `features` and `planes` show {told(s)}",
        )


def next_movers(game: Game, s: State, depth: int = DEAL) -> set[int]:
    """Who may act next, after chance."""
    found: set[int] = set()
    for event in legal(game, s)[: 1 << depth]:
        after = game.result(s, event)
        if game.is_terminal(after):
            continue
        mover = int(game.to_move(after))
        if mover != CHANCE:
            found.add(mover)
        elif depth:
            found |= next_movers(game, after, depth - 2)
    return found
