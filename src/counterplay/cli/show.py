"""`show`: a position, in the terminal or as SVG."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.cli.options import GameSpec, Json, Moves, Position
from counterplay.players.wording import outcome

if TYPE_CHECKING:
    from counterplay.core.playthrough import Playthrough


def show(
    game: GameSpec,
    position: Position = None,
    moves: Moves = "",
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Draw the board into this file.")] = None,
    viewer: Annotated[
        str, typer.Option("--viewer", metavar="PLAYER", help="Show what this player sees: a number from 1, or a name.")
    ] = "",
    json: Json = False,
) -> None:
    """Show a position: the board, who is to move, what is legal."""
    from counterplay.cli.arguments import find_player, open_game
    from counterplay.cli.terminal import note, write_json, write_whole
    from counterplay.core.playthrough import open_playthrough

    rules = open_game(game)
    p = open_playthrough(rules, position, moves)
    seen_by = find_player(rules, viewer) if viewer else None
    scene = {"game": game, **describe(p, seen_by)}
    if svg is not None:
        write_whole(svg, rules.svg(p.state, seen_by))
        scene["svg"] = str(svg)
        note(f"drawn into {svg}")
    if json:
        write_json(scene)
    else:
        print_scene(p, scene)


def describe(p: Playthrough, viewer: int | None) -> dict[str, Any]:
    """A position for programs; what `viewer` may not see is left out."""
    secret = viewer is not None and p.game.has_secrets
    over = p.is_over
    return {
        "position": None if secret else p.position,
        "moves": None if secret else p.moves,
        "to_move": None if over else p.game.player_name(p.to_move),
        "legal": None if secret and p.to_move != viewer else p.legal(),
        "over": over,
        "returns": list(p.returns) if over else None,
        "board": p.game.board(p.state, viewer),
    }


def print_scene(p: Playthrough, scene: dict[str, Any]) -> None:
    """The same for people."""
    from counterplay.cli.terminal import console

    lines = [scene["board"], ""]
    if scene["over"]:
        lines.append(outcome(p))
    elif scene["legal"] is None:
        lines.append(f"{scene['to_move']} to move")
    else:
        between = ", " if any(" " in text for text in scene["legal"]) else " "
        lines.append(f"{scene['to_move']} to move: {between.join(options(p))}")
    if scene["position"] is not None:
        lines.append(f"position: {scene['position']}")
    console().print("\n".join(lines))


def options(p: Playthrough) -> list[str]:
    """The legal actions; where chance moves, the events with their probabilities."""
    from counterplay.core.game import CHANCE

    if p.to_move != CHANCE:
        return p.legal()
    odds = [p.game.probability(p.state, event) for event in p.options()]
    return [f"{text} ({chance:.4g})" for text, chance in zip(p.legal(), odds, strict=True)]
