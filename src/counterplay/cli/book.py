"""`book`: grows opening books, writes Polyglot books from games, and shows either."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import Cluster, Json, Moves, PlayerSpec, Position, Workers, whole_number
from counterplay.cli.train import duration


def learning_time(text: str) -> float:
    """Seconds from 90s, 10m or 1.5h; with 0 a book learns from games only."""
    return duration(text, zero=True)


def book(
    file: Annotated[Path, typer.Argument(metavar="BOOK|learn", help="The book; or `learn GAME`, to grow one.")],
    given: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAMES",
            help="Games for a Polyglot book, or to learn from: PGN, or a file of `match` or `tournament`. Without "
            "games, show the book (for your own game, name its FILE.py).",
        ),
    ] = None,
    player: PlayerSpec = "",
    seconds: Annotated[
        float | None,
        typer.Option(
            "--time", metavar="T", parser=learning_time, help="Learn for a time: 90s, 10m, 1.5h (default: 1m)."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="BOOK", help="The book to grow: a new one, or one to continue."),
    ] = None,
    plies: Annotated[
        int, typer.Option("--plies", metavar="N", parser=whole_number, help="Follow each game for N plies.")
    ] = 24,
    position: Position = None,
    moves: Moves = "",
    workers: Workers = 0,
    cluster: Cluster = "",
    json: Json = False,
) -> None:
    """Grow an opening book for any game, write one for chess from games, or show one.

    `book learn GAME --player SPEC --time 1h -o BOOK` searches the positions most likely to come up and backs up their
    values; files of games after GAME are entered in full, so no loss is repeated. Players take `book=BOOK`.

    `book BOOK.bin GAMES` writes a Polyglot chess book from PGN files, or from files of `match` or `tournament`. A move's
    weight is 2 for each game that its side won and 1 for each draw. Unreadable games are skipped.
    """
    from counterplay.api.book import LEARN, MINUTE, BookLearner
    from counterplay.api.book import book as look
    from counterplay.cli.arguments import open_game, tell_of
    from counterplay.cli.terminal import console, note, wait_for, wait_with_news, write_json
    from counterplay.scale.crew import Fleet

    names = given or []
    if str(file) == LEARN:
        games = [Path(each) for each in names[1:]]
        game = open_game(names[0]) if names else ""
        fleet = Fleet(workers, cluster, spec=names[0] if names else "")
        with BookLearner(game, games, player, MINUTE if seconds is None else seconds, output, fleet) as learner:
            tell_of(learner.player, learner.game)
            wait_with_news(learner.run, "learning")
        found = learner.result()
    else:
        found = wait_for(
            lambda: look(
                file,
                *names,
                plies=plies,
                position=position,
                moves=moves,
                workers=workers,
                cluster=cluster,
                progress=note,
            ),
            "reading games",
        )
    if json:
        write_json(found.to_json())
    else:
        console().print(str(found))
