"""`solve`: the value of a position under best play, proven."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.cli.options import GameSpec, Json, Moves, Nodes, Position, Seconds, number

if TYPE_CHECKING:
    from counterplay.api.solve import SolveResult
    from counterplay.core.game import Game

Method = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="NAME",
        help="search, retrograde or deepening (for long or endless lines), pns (only who wins) or grundy "
        "(default: what suits the game).",
    ),
]
Megabytes = Annotated[
    float | None,
    typer.Option(
        "--memory",
        metavar="MB",
        parser=number,
        help="The table grows to at most MB megabytes (default: 512, or 2048 for retrograde).",
    ),
]

Book = Annotated[
    str,
    typer.Option(
        "--book",
        metavar="FILE",
        help="A book written by `openings`, or none (default: the book shipped with the package, if any).",
    ),
]


def solve(
    game: GameSpec,
    position: Position = None,
    moves: Moves = "",
    everything: Annotated[bool, typer.Option("--all", help="Solve each action, not only the best ones.")] = False,
    method: Method = "",
    seconds: Seconds = None,
    nodes: Nodes = None,
    megabytes: Megabytes = None,
    book: Book = "",
    tables: Annotated[
        str,
        typer.Option("--tables", metavar="FOLDER", help="Also use the tables in this folder (`tables build`)."),
    ] = "",
    json: Json = False,
) -> None:
    """Find the exact value of a position under best play.

    Also reports how many plies best play lasts and which actions are best. Values are from the point of view of the side to
    move. If --time, --nodes or --memory run out, or on Ctrl-C, it reports the bounds proven so far.
    """
    from counterplay.api.solve import in_words
    from counterplay.api.solve import solve as find
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import note, wait_for, write_json
    from counterplay.core.playthrough import open_playthrough
    from counterplay.search.suitability import has_key

    rules = open_game(game)
    p = open_playthrough(rules, position, moves)
    if not has_key(rules):
        note(f"solving without a table: states of {rules.spec} have no hash and equality; use tuples, or write `key`")
    heard: list[SolveResult] = []
    stopped = False
    try:
        found = wait_for(
            lambda: find(
                p,
                all=everything,
                method=method,
                time=seconds,
                nodes=nodes,
                memory=megabytes,
                book=book,
                tables=tables,
                progress=heard.append,
            ),
            "solving",
            lambda: f"{in_words(rules, heard[-1].solution)}, " if heard else "",
        )
    except KeyboardInterrupt:
        if not heard:
            raise
        found, stopped = heard[-1], True
        note("stopped; what is proven so far:")
    if json:
        write_json(found.to_json() | {"game": game})
    else:
        print_solution(rules, found, everything)
    if stopped:
        raise KeyboardInterrupt


def print_solution(rules: Game, found: SolveResult, everything: bool) -> None:
    """What is proven, as text."""
    from counterplay.api.solve import within
    from counterplay.cli.terminal import console

    out = console()
    out.print(found.text)
    if everything or not found.proven:
        width = max((len(each.action) for each in found.actions), default=0)
        for each in found.actions:
            out.print(f"  {each.action:{width}}  {within(rules, each.bounds, each.plies)}")
    elif len(found.actions) > 1 and found.complete:
        out.print(f"  just as good: {' '.join(each.action for each in found.actions if each.action != found.action)}")
    if not found.complete:
        out.print(f"  not everything is proven{LACK.get(found.ran_out, '')}")


LACK = {
    "time": ": give it more --time",
    "nodes": ": give it more --nodes",
    "memory": ": give it more --memory",
    "depth": ": neither side can force more within the search depth",
}
