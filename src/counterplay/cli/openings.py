"""`openings`: a book of solved openings."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import GameSpec, number, whole_number


def openings(
    game: GameSpec,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="BOOK.npz", help="The book: a new one, or one to extend.")
    ],
    plies: Annotated[
        int, typer.Option("--plies", metavar="N", parser=whole_number, help="Up to N plies from the start.")
    ] = 6,
    megabytes: Annotated[
        float, typer.Option("--memory", metavar="MB", parser=number, help="The table grows to at most MB megabytes.")
    ] = 1024.0,
) -> None:
    """Solve the openings of a game and keep them in a book.

    The book has the proven value of every action in all positions that at most one mistake leads to. `solve --book
    BOOK.npz` answers from it. It is saved regularly; after Ctrl-C the same command continues.
    """
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, wait_for
    from counterplay.core.errors import CounterplayError
    from counterplay.players.wording import plural
    from counterplay.search.solving.openings import HABIT, Openings, require_foldable
    from counterplay.search.suitability import require_table

    rules = open_game(game)
    require_foldable(rules)
    require_table(megabytes)
    if plies < 0:
        raise CounterplayError(f"--plies {plies}: a book begins at the start, 0 plies from it")
    book = Openings.read(output, rules) if output.exists() else Openings(rules.spec)
    book.save(output)  # if the file cannot be written, better now than after hours
    news, written = [""], time.monotonic()

    def hear(mistakes: int, ply: int) -> None:
        nonlocal written
        line = "a line with a mistake" if mistakes else "best play"
        news[0] = f"{len(book.entries):,} positions, {plural(ply)} into {line}, "
        if time.monotonic() - written > HABIT:
            book.save(output)
            written = time.monotonic()

    try:
        wait_for(lambda: book.extend(rules, plies, megabytes, hear), "solving", lambda: news[0])
    finally:
        book.save(output)
    console().print(f"{len(book.entries):,} solved positions in {output}")
