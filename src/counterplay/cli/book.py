"""`book`: opening books in Polyglot's format, written from games and looked into."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import Json, Moves, Position, whole_number


def book(
    file: Annotated[Path, typer.Argument(metavar="BOOK.bin", help="The book.")],
    games: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[GAMES]...",
            help="Write the book from these games (PGN, or a file of `match` or `tournament`); without games, show it.",
        ),
    ] = None,
    plies: Annotated[
        int, typer.Option("--plies", metavar="N", parser=whole_number, help="Follow each game so far.")
    ] = 24,
    position: Position = None,
    moves: Moves = "",
    json: Json = False,
) -> None:
    """Write a Polyglot opening book from games, or look into one.

    The games are PGN files, or files of our own matches and tournaments. A move weighs 2 for each game that its side won
    and 1 for each draw. A game that cannot be read is skipped.
    """
    from counterplay.arena.recorded_games import read_chess_games
    from counterplay.cli.terminal import console, note, wait_for, write_json
    from counterplay.core.errors import CounterplayError
    from counterplay.core.playthrough import open_playthrough
    from counterplay.games.chess.book import Book, write_book
    from counterplay.games.chess.game import Chess

    game = Chess()
    if games:
        if plies < 1:
            raise CounterplayError(f"--plies {plies}: a book follows games for 1 ply or more")
        skipped = 0

        def skip(sentence: str) -> None:
            nonlocal skipped
            skipped += 1
            note(f"skipped: {sentence}")

        read = (each for path in games for each in read_chess_games(path, skip))
        entries = wait_for(lambda: write_book(file, read, plies), "reading games")
        if json:
            write_json({"book": str(file), "entries": entries, "skipped": skipped})
        else:
            console().print(f"{entries:,} moves written to {file}")
            if skipped:
                console().print(f"{skipped:,} games skipped")
        return
    p = open_playthrough(game, position, moves)
    found = {game.action_text(p.state, action): weight for action, weight in Book(file).moves(game, p.state).items()}
    if json:
        write_json({"position": p.position, "moves": found})
        return
    for move, weight in found.items():
        console().print(f"{move:7} {weight / max(1, sum(found.values())):6.1%}")
    if not found:
        console().print("the book does not know this position")
