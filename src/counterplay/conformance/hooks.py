"""What learning reads from a game: features, planes, action indices, stages, and the viewer."""

from __future__ import annotations

from counterplay.conformance.report import Caution
from counterplay.core.calling import ask, refuse
from counterplay.core.game import CHANCE, Game
from counterplay.core.pulse import within
from counterplay.core.purity import told
from counterplay.core.survey import SampledPosition
from counterplay.core.types import State
from counterplay.evaluation.encoding import require_written, try_features, try_planes, try_policy


def check_hooks(game: Game, positions: list[SampledPosition]) -> str:
    """Everything that a game provides for learning must match its declarations."""
    learns = [
        name
        for name, given in (
            ("features", game.feature_names),
            ("raw features", game.raw_names),
            ("patterns", game.patterns),
            ("planes", game.plane_shape),
            ("a policy", game.policy_size),
        )
        if given
    ]
    if not learns:
        return "none: the game declares no `feature_names`, `patterns`, `plane_shape` or `policy_size`"
    tried = noted = filled = 0
    shared = ""
    for position in within(positions):
        check_viewer(game, position)
        if position.mover == CHANCE or not position.options:
            continue
        noted += try_features(game, position.state)
        check_stage(game, position.state)
        check_stones(game, position.state)
        filled += try_planes(game, position.state)
        try_policy(game, position.state, position.options)
        shared = shared or shared_index(game, position)
        tried += 1
    require_written(game, tried, noted, filled)
    if shared:
        return Caution(shared)
    return f"{', '.join(learns)} match their declarations on {tried} positions"


def shared_index(game: Game, position: SampledPosition) -> str:
    """Two actions of a position that a policy cannot tell apart."""
    met: dict[int, int] = {}
    for action in position.options if game.policy_size else ():
        index = int(game.policy_index(position.state, action))
        if index in met:
            return (
                f"`policy_index` is {index} for both {met[index]} and {action} in {told(position.state)}: "
                "a network cannot prefer one of them; is that intended?"
            )
        met[index] = action
    return ""


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
    """A position must have a viewer; if chance moves, only the game knows who it is."""
    s, mover, options, _ = position
    viewer = ask(game, "viewer", s)
    if not hasattr(viewer, "__index__") or not 0 <= int(viewer) < game.players:
        raise refuse(game, "viewer", f"`viewer` gives {viewer!r}; it must be a player, 0 to {game.players - 1}")
    is_default = type(game).viewer is Game.viewer and game.players > 1 and not game.has_secrets
    if mover == CHANCE and options and is_default:
        raise refuse(
            game,
            "features" if game.feature_names else "stones" if game.patterns else "planes",
            f"chance moves in {told(s)}: from whose point of view is it shown? Learning would get signs wrong; write "
            "`viewer(self, s)`, such as `return s.turn`",
        )
