"""`book`: opening books in Polyglot's format, written from games and looked into."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.cli.options import Json, Moves, Position, whole_number

if TYPE_CHECKING:
    from counterplay.core.playthrough import Playthrough

SQLITE = b"SQLite format 3\0"
"""So begins what `match` and `tournament` write."""


def book(
    file: Annotated[Path, typer.Argument(metavar="BOOK.bin", help="The book.")],
    games: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[GAMES]...",
            help="Write it from these games, PGN or what `match` or `tournament` wrote; else show it.",
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
    from counterplay.cli.terminal import console, note, wait_for, write_json
    from counterplay.core.errors import CounterplayError
    from counterplay.games.chess.book import Book, write_book
    from counterplay.games.chess.game import Chess
    from counterplay.players.wording import open_playthrough

    game = Chess()
    if games:
        if plies < 1:
            raise CounterplayError(f"--plies {plies}: a book follows games for 1 ply or more")
        skipped = 0

        def skip(sentence: str) -> None:
            nonlocal skipped
            skipped += 1
            note(f"skipped: {sentence}")

        read = (each for path in games for each in read_games(path, skip))
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


def read_games(path: Path, skip: Callable[[str], None]) -> Iterator[tuple[Playthrough, dict[str, str]]]:
    """The games of a file, PGN or the arena's, with tags; `skip` is told of a game that cannot be read."""
    from counterplay.core.errors import CounterplayError
    from counterplay.games.chess.game import Chess
    from counterplay.games.chess.pgn import read_pgn

    try:
        with path.open("rb") as file:
            is_match = file.read(len(SQLITE)) == SQLITE
    except OSError as wrong:
        raise CounterplayError(f"cannot read {path}: {wrong.strerror}") from None
    return read_match(path) if is_match else read_pgn(Chess(), path, skip)


def read_match(path: Path) -> Iterator[tuple[Playthrough, dict[str, str]]]:
    """The games of a match or tournament, as `results --export` would write them."""
    from counterplay.arena.openings import Opening
    from counterplay.arena.store import Store
    from counterplay.cli.arguments import open_game
    from counterplay.core.errors import CounterplayError
    from counterplay.core.registry import names_file
    from counterplay.games.chess.game import Chess
    from counterplay.games.chess.pgn import result_text

    store = Store.existing(path)
    try:
        spec = store.plan.game
        game = None if names_file(spec) else open_game(spec)  # a file that only the data name is never run
        if not isinstance(game, Chess):
            raise CounterplayError(f"{str(path)!r} has games of {spec}, not of chess")
        for text, result in store.texts_and_results():
            p = Opening(f"{text.opening} {text.moves}", text.position).start(game)
            yield p, {"Result": result_text(result.utilities)}
    finally:
        store.close()
