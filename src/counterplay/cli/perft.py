"""`perft`: count a game's tree."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from counterplay.cli.options import GameSpec, Json, Moves, Position, whole_number

DEEPEST = 1000
"""Nobody lives to see the end of more, and each ply takes some of the machine's stack."""


def perft(
    game: GameSpec,
    depth: Annotated[
        int, typer.Argument(metavar="DEPTH", parser=whole_number, help="How many actions, chance events included.")
    ],
    position: Position = None,
    moves: Moves = "",
    divide: Annotated[bool, typer.Option("--divide", help="Count behind each first action apart.")] = False,
    json: Json = False,
) -> None:
    """Count the sequences of exactly DEPTH actions.

    It is the oldest test of a game's rules: the counts are known, or another program finds them, too.
    """
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.core.errors import CounterplayError
    from counterplay.core.perft import perft as leaves_of
    from counterplay.core.playthrough import open_playthrough

    lowest = 1 if divide else 0
    if not lowest <= depth <= DEEPEST:
        raise CounterplayError(f"DEPTH must be from {lowest} to {DEEPEST}, not {depth}")
    rules = open_game(game)
    p = open_playthrough(rules, position, moves)
    s = p.state

    def parts() -> dict[str, int]:
        return {
            text: leaves_of(rules, rules.result(s, action), depth - 1)
            for text, action in zip(p.legal(), p.options(), strict=True)
        }

    wait_for(lambda: leaves_of(rules, s, 1), "compiling")  # so that the clock below measures counting alone
    started = time.perf_counter()
    counts = wait_for(parts, "counting") if divide else {}
    leaves = sum(counts.values()) if divide else wait_for(lambda: leaves_of(rules, s, depth), "counting")
    seconds = time.perf_counter() - started
    if json:
        divided = {"divide": counts} if divide else {}
        write_json({"game": game, "depth": depth, "leaves": leaves, "seconds": round(seconds, 6), **divided})
        return
    width = max(map(len, counts), default=0)
    for text, count in counts.items():
        console().print(f"{text:{width}}  {count:,}")
    unit = "leaf" if leaves == 1 else "leaves"
    console().print(f"{leaves:,} {unit} at depth {depth}, counted in {seconds:.3f} s")
