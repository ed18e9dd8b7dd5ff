"""`search`: ask a player what it would do."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.cli.options import GameSpec, Json, Moves, Position, number, whole_number

if TYPE_CHECKING:
    from counterplay.core.playthrough import Playthrough
    from counterplay.players.player import Thought


def search(
    game: GameSpec,
    position: Position = None,
    moves: Moves = "",
    player: Annotated[
        str,
        typer.Option(
            "--player",
            metavar="SPEC",
            help="Who searches, such as alphabeta:depth=6; else the best that suits.",
        ),
    ] = "",
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="N", parser=whole_number, help="Look N plies ahead.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--time", metavar="S", parser=number, help="Think for S seconds.")
    ] = None,
    json: Json = False,
) -> None:
    """Find the best action of a position.

    Its value is in view of the side to move. --depth and --time take the place of what SPEC says.
    """
    from counterplay.cli.opening import open_game, open_playthrough
    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.players.specs import best
    from counterplay.players.specs import player as make_player

    rules = open_game(game)
    p = open_playthrough(rules, position, moves)
    budget = {name: given for name, given in (("depth", depth), ("time", seconds)) if given is not None}
    chosen = make_player(player or best(rules), budget=budget)
    chosen.require(rules)
    wait_for(lambda: chosen.prepare(p), "compiling")
    started = time.perf_counter()
    thought = wait_for(lambda: chosen.choose(p), "searching")
    took = time.perf_counter() - started
    report = {"game": game, "player": chosen.spec, **told(p, thought), "seconds": round(took, 6)}
    if json:
        write_json(report)
    else:
        mover = rules.player_name(p.to_move)
        console().print(f"{mover} plays {report['action']}  ({in_words(p, thought)}; {took:.2f} s)")


def told(p: Playthrough, thought: Thought) -> dict[str, Any]:
    """What a player thought, for programs."""
    line = {"line": line_of(p, thought)} if thought.line else {}
    action = p.game.action_text(p.state, thought.action)
    return {"action": action, "value": thought.value, **line, "depth": thought.depth, "nodes": thought.nodes}


def line_of(p: Playthrough, thought: Thought) -> list[str]:
    """The play that a player expects, as one writes it."""
    s, line = p.state, []
    for action in thought.line:
        line.append(p.game.action_text(s, action))
        s = p.game.result(s, action)
    return line


def in_words(p: Playthrough, thought: Thought) -> str:
    """What a player thought, for people."""
    parts = []
    if thought.value is not None:
        parts.append(f"value {thought.value:+.3g}" if thought.value else "value 0")
    if thought.depth is not None:
        parts.append(f"{thought.depth} {'ply' if thought.depth == 1 else 'plies'} ahead")
    if thought.nodes is not None:
        parts.append(f"{thought.nodes:,} states")
    if thought.line:
        parts.append(f"expects {' '.join(line_of(p, thought))}")
    return ", ".join(parts) or "at random"
