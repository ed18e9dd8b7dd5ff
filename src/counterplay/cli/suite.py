"""`suite`: test positions of chess, and when the engine solves them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from counterplay.cli.options import Depth, Json, Nodes, PlayerSpec, Seconds


def suite(
    file: Annotated[Path, typer.Argument(metavar="FILE.epd", help="Positions with bm (best) or am (avoid) moves.")],
    time: Seconds = None,
    depth: Depth = None,
    nodes: Nodes = None,
    player: PlayerSpec = "",
    json: Json = False,
) -> None:
    """Solve a suite of chess positions, and report how fast.

    Best moves (bm) are to be found, mistakes (am) to be avoided. One second per position by default.
    """
    from counterplay.arena.suite import attempt
    from counterplay.cli.arguments import open_player
    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.core.errors import CounterplayError
    from counterplay.games.chess.epd import read_suite
    from counterplay.games.chess.game import Chess

    try:
        text = file.read_text(errors="replace")
    except OSError as wrong:
        raise CounterplayError(f"cannot read {file}: {wrong.strerror}") from None
    game = Chess()
    records = read_suite(game, text)
    asked = [record for record in records if record.best or record.avoid]
    if not asked:
        raise CounterplayError(f"{file} has no position with a best move (bm) or one to avoid (am)")
    made = open_player(game.start(), player, depth=depth, time=time, nodes=nodes)
    solved = 0
    rows: list[dict[str, Any]] = []
    for number, record in enumerate(asked, 1):
        p = game.start(position=game.position_text(record.state))
        name = record.name or f"position {number}"
        if p.is_over:
            rows.append({"id": name, "solved": False, "move": None, "seconds": None, "depth": 0})
            if not json:
                console().print(f"- {name}: the game is over here")
            continue
        tried = wait_for(lambda: attempt(p, made, None, record.is_solved_by), f"position {number} of {len(asked)}")  # noqa: B023
        solved += tried.is_solved
        move = game.action_text(record.state, tried.action)
        when = None if tried.found is None else round(tried.found, 3)
        rows.append({"id": name, "solved": tried.is_solved, "move": move, "seconds": when, "depth": tried.depth})
        if not json:
            said = f"{'+' if tried.is_solved else '-'} {name}: {move}"
            goal = [f"bm {record.operations['bm']}"] if record.best else []
            goal += [f"am {record.operations['am']}"] if record.avoid else []
            after = f" after {when:.2f} s, depth {tried.depth}" if when is not None else f" ({', '.join(goal)})"
            console().print(said + after)
    if json:
        write_json({"player": made.spec, "solved": solved, "positions": len(asked), "rows": rows})
    else:
        console().print(f"{solved} of {len(asked)} solved by {made.spec}")
