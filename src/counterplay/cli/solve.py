"""`solve`: the value of a position under best play, proven."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.cli.options import GameSpec, Json, Moves, Nodes, Position, Seconds, number
from counterplay.players.wording import plural, worth

if TYPE_CHECKING:
    from counterplay.core.game import Game
    from counterplay.core.playthrough import Playthrough
    from counterplay.search.solving.openings import Openings
    from counterplay.search.solving.solution import Solution

Method = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="NAME",
        help="search, retrograde or deepening (for long or endless lines), pns (only who wins) or grundy; else what suits.",
    ),
]
Megabytes = Annotated[
    float, typer.Option("--memory", metavar="MB", parser=number, help="The table grows up to MB megabytes.")
]

Book = Annotated[
    str,
    typer.Option(
        "--book",
        metavar="FILE",
        help="A book that `openings` wrote, or none; else the one that comes with the package, where there is one.",
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
    megabytes: Megabytes = 512.0,
    book: Book = "",
    json: Json = False,
) -> None:
    """Find the exact value of a position under best play.

    It tells how long that takes and which actions are best, too. Values are in view of the side to move. Where --time,
    --nodes or --memory do not suffice, or after Ctrl-C, it tells what is proven by then: the value lies within bounds.
    """
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import note, wait_for, write_json
    from counterplay.core.errors import CounterplayError
    from counterplay.core.playthrough import open_playthrough
    from counterplay.search.solving.solve import solve as find
    from counterplay.search.suitability import has_key

    rules = open_game(game)
    p = open_playthrough(rules, position, moves)
    if p.is_over:
        raise CounterplayError("there is nothing to solve: the game is over")
    if not has_key(rules):
        note(f"solving without a table: states of {rules.spec} have no hash and equality; use tuples, or write `key`")
    openings = open_book(book, rules)
    heard: list[Solution] = []

    def news() -> str:
        return f"{in_words(heard[-1])}, " if heard else ""

    stopped = False
    try:
        found = wait_for(
            lambda: find(
                rules,
                p.state,
                method=method,
                every=everything,
                before=p.before,
                seconds=seconds,
                nodes=nodes,
                megabytes=megabytes,
                book=openings,
                report=heard.append,
            ),
            "solving",
            news,
        )
    except KeyboardInterrupt:
        if not heard:
            raise
        found, stopped = heard[-1], True
        note("stopped; what is proven so far:")
    if json:
        write_json({"game": game, **as_data(p, found)})
    else:
        print_solution(p, found, everything)
    if stopped:
        raise KeyboardInterrupt


def open_book(text: str, rules: Game) -> Openings | None:
    """The book of solved openings that a person means."""
    from counterplay.search.solving.openings import Openings, shipped_openings

    if text == "none":
        return None
    return Openings.read(Path(text), rules) if text else shipped_openings(rules)


def as_data(p: Playthrough, found: Solution) -> dict[str, Any]:
    """What is proven, for programs."""

    def text(action: int | None) -> str | None:
        return None if action is None else p.game.action_text(p.state, action)

    return {
        "method": found.method,
        "value": found.value,
        "bounds": found.bounds,
        "plies": found.plies,
        "action": text(found.action),
        "actions": [
            {"action": text(each.action), "value": each.value, "bounds": each.bounds, "plies": each.plies}
            for each in found.actions
        ],
        "proven": found.proven,
        "complete": found.complete,
        "ran_out": found.ran_out or None,
        "nodes": found.nodes,
        "seconds": round(found.seconds, 6),
        **({} if found.plies_bounds is None else {"plies_bounds": found.plies_bounds}),
        **({} if found.grundy is None else {"grundy": found.grundy}),
    }


def print_solution(p: Playthrough, found: Solution, everything: bool) -> None:
    """What is proven, for people."""
    from counterplay.cli.terminal import console

    out, mover = console(), p.game.player_name(p.to_move)

    def text(action: int) -> str:
        return p.game.action_text(p.state, action)

    does = f"{mover} plays {text(found.action)}" if found.action is not None else f"{mover} is to move"
    out.print(f"{does}  ({in_words(found)}; {found.seconds:.2f} s)")
    if everything or not found.proven:
        width = max((len(text(each.action)) for each in found.actions), default=0)
        for each in found.actions:
            out.print(f"  {text(each.action):{width}}  {within(each.bounds, each.plies)}")
    elif len(found.actions) > 1 and found.complete:
        out.print(
            f"  just as good: {' '.join(text(each.action) for each in found.actions if each.action != found.action)}"
        )
    if not found.complete:
        out.print(f"  not everything is proven{LACK.get(found.ran_out, '')}")


LACK = {
    "time": ": give it more --time",
    "nodes": ": give it more --nodes",
    "memory": ": give it more --memory",
    "depth": ": no side can force more within the plies that are looked ahead",
}


def in_words(found: Solution) -> str:
    """What is proven, for people."""
    parts = [f"value {within(found.bounds, found.plies)}"]
    if found.plies_bounds is not None:
        least, most = found.plies_bounds
        parts[0] += f" in {least} to {most} plies" if least < most else f" in {plural(least)}"
    if found.grundy is not None:
        parts.append(f"Grundy value {found.grundy}")
    if found.proven:
        parts.append("proven")
    if found.method == "book":
        parts.append("solved before")
    else:
        parts.append(f"{found.nodes:,} {'state' if found.nodes == 1 else 'states'}")
    return ", ".join(parts)


def within(bounds: tuple[float, float], plies: int | None = None) -> str:
    """A value for people, or what it lies between."""
    low, high = bounds
    return worth(low, plies) if low == high else f"{worth(low, None)} to {worth(high, None)}"
