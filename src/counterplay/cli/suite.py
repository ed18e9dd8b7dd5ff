"""`suite` and `bench`: how strong the chess engine is on test positions, and whether it still visits the same nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from counterplay.cli.options import Depth, Json, Nodes, PlayerSpec, Seconds, whole_number


def suite(
    file: Annotated[Path, typer.Argument(metavar="FILE.epd", help="Positions with bm (best) or am (avoid) moves.")],
    time: Seconds = None,
    depth: Depth = None,
    nodes: Nodes = None,
    player: PlayerSpec = "",
    json: Json = False,
) -> None:
    """Solve a suite of chess positions, and tell when.

    Best moves (bm) are to be found, mistakes (am) to be avoided. A second a position, unless told otherwise.
    """
    from counterplay.arena.suite import attempt
    from counterplay.cli.opening import open_player
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


def bench(
    depth: Annotated[int, typer.Option("--depth", metavar="N", parser=whole_number, help="How deep.")] = 10,
    json: Json = False,
) -> None:
    """Tell the chess engine's signature: nodes of fixed searches.

    It is the same on every machine, and changes only where the search, the rules or the evaluation changes.
    """
    import time

    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.core.errors import CounterplayError
    from counterplay.games.chess.game import Chess
    from counterplay.games.chess.samples import SAMPLES
    from counterplay.search.deepening import decide
    from counterplay.search.suitable import DEPTH
    from counterplay.search.table import Table

    if not 1 <= depth <= DEPTH:
        raise CounterplayError(f"depth={depth}: a search looks 1 to {DEPTH} plies ahead")
    game = Chess()
    wait_for(lambda: decide(game, game.initial(), depth=1), "compiling")
    rows: list[dict[str, str | int]] = []
    table, seconds = Table(16), 0.0
    for fen in SAMPLES:
        s = game.parse_position(fen)
        table.clear()
        started = time.process_time()
        found = wait_for(lambda: decide(game, s, depth=depth, table=table), fen)  # noqa: B023
        seconds += time.process_time() - started
        rows.append({"position": fen, "move": game.action_text(s, found.action), "nodes": found.nodes})
        if not json:
            console().print(f"{found.nodes:>12,}  {rows[-1]['move']:7} {fen}")
    nodes = sum(int(row["nodes"]) for row in rows)
    if json:
        write_json({"depth": depth, "nodes": nodes, "seconds": round(seconds, 3), "positions": rows})
    else:
        console().print(
            f"{nodes:>12,}  nodes in {seconds:.2f} s of processor time, {nodes / seconds / 1e6:.2f} million/s"
        )
