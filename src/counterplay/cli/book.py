"""`book`: opening books that learn, and those in Polyglot's format: grown, written from games, looked into."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.cli.options import Json, Moves, PlayerSpec, Position, whole_number
from counterplay.cli.train import duration

if TYPE_CHECKING:
    from counterplay.core.game import Game
    from counterplay.search.books.book import OpeningBook

MINUTE = 60.0
SOONEST = 20.0
"""Seconds after which a book that grows is saved again."""


def book(
    file: Annotated[Path, typer.Argument(metavar="BOOK|learn", help="The book; or `learn GAME`, to grow one.")],
    given: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAMES]...",
            help="Write a Polyglot book from these games (PGN, or a file of `match` or `tournament`), or learn from them; "
            "without games, show the book.",
        ),
    ] = None,
    player: PlayerSpec = "",
    seconds: Annotated[
        float | None,
        typer.Option("--time", metavar="T", parser=duration, help="Learn for a time: 90s, 10m, 1.5h (default: 1m)."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="BOOK", help="The book to grow: a new one, or one to go on with."),
    ] = None,
    plies: Annotated[
        int, typer.Option("--plies", metavar="N", parser=whole_number, help="Follow each game so far.")
    ] = 24,
    position: Position = None,
    moves: Moves = "",
    json: Json = False,
) -> None:
    """Grow an opening book for any game, write one for chess from games, or look into one.

    `book learn GAME --player SPEC --time 1h -o BOOK` searches the positions that are most likely to come up, and backs
    their values up; files of games after GAME are entered to their ends, so that no loss is repeated. Players take
    `book=BOOK`.

    `book BOOK.bin GAMES` writes a Polyglot book of chess from PGN files, or files of our own matches and tournaments. A
    move weighs 2 for each game that its side won and 1 for each draw. A game that cannot be read is skipped.
    """
    if str(file) == "learn":
        learn(list(given or []), player, MINUTE if seconds is None else seconds, output, json)
        return
    games = [Path(each) for each in given or []]
    if file.suffix != ".bin" and not games:
        look_into(file, position, moves, json)
        return
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


def learn(given: list[str], player: str, seconds: float, output: Path | None, json: bool) -> None:
    """Grow a book: first by the games that are given, then by drop-out expansion."""
    import time

    from counterplay.arena.recorded_games import read_games
    from counterplay.cli.arguments import open_game, open_player
    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.core.errors import CounterplayError
    from counterplay.core.formats.saving import Saving
    from counterplay.search.books.book import OpeningBook
    from counterplay.search.books.learning import grow, learn_game

    if not given:
        raise CounterplayError("`book learn` needs a game: write `book learn GAME -o BOOK`")
    if output is None:
        raise CounterplayError("`book learn` needs a file for the book: write -o BOOK")
    if output.suffix in (".bin", ".npz"):
        raise CounterplayError(f"a book that learns is no {output.suffix}: choose another name than {str(output)!r}")
    game = open_game(given[0])
    book = OpeningBook.read(output, game) if output.exists() else OpeningBook(game)
    book.save(output)  # if the file cannot be written, better now than after hours
    start = game.start()
    made = open_player(start, player)
    began, ended = time.monotonic(), [False]
    saving = Saving(lambda: book.save(output), SOONEST, 1.0)

    def judge(s: Any) -> dict[int, float]:
        if ended[0]:
            raise SystemExit
        found = made.rank(game.start(position=game.position_text(s)))
        return {option.action: option.value for option in found.options}

    def goes_on() -> bool:
        saving.if_due()
        return time.monotonic() - began < seconds

    def work() -> bool:
        for file in given[1:]:
            for each in read_games(game, Path(file)):
                p = each.start
                for move in each.moves:
                    p.play(move)
                learn_game(book, p.states[0], p.actions, judge, Path(file).name)
                saving.if_due()
        return seconds <= 0 or grow(book, start.state, judge, goes_on)

    before = len(book.entries)
    try:
        complete = wait_for(work, "learning", lambda: f"{len(book.entries):,} positions, ")
    finally:
        ended[0] = True
        book.save(output)
        made.close()
    told = {"book": str(output), "positions": len(book.entries), "new": len(book.entries) - before}
    if json:
        write_json(told | {"complete": bool(complete and seconds > 0)})
        return
    console().print(f"{told['positions']:,} positions in {output}, {told['new']:,} of them new")


def look_into(file: Path, position: str | None, moves: str, json: bool) -> None:
    """Show what a book knows of a position."""
    from counterplay.cli.terminal import console, write_json
    from counterplay.core.playthrough import open_playthrough
    from counterplay.players.wording import worth

    book = opened(file)
    p = open_playthrough(book.game, position, moves)
    rows: list[dict[str, Any]] = [
        {"action": book.game.action_text(p.state, each.action), "value": each.value, "games": each.visits}
        for each in book.options(p.state)
    ]
    if json:
        write_json({"position": p.position, "positions": len(book.entries), "sources": book.sources, "actions": rows})
        return
    width = max((len(row["action"]) for row in rows), default=0)
    for row in rows:
        games = f"  ({row['games']:,} games)" if row["games"] else ""
        console().print(f"{row['action']:{width}}  {worth(book.game, row['value'])}{games}")
    if not rows:
        console().print("the book does not know this position")


def opened(file: Path) -> OpeningBook:
    """A book of a game that has a name."""
    import json

    from counterplay.core.errors import CounterplayError
    from counterplay.core.formats.files import read_whole
    from counterplay.core.registry import load, names_file
    from counterplay.search.books.book import OpeningBook

    try:
        spec = str(json.loads(read_whole(file))["game"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise CounterplayError(
            f"{str(file)!r} is no book, or not a whole one; `book learn GAME -o BOOK` makes them, and "
            "Polyglot's end in .bin"
        ) from None
    if names_file(spec):  # a file that only the data name is never run
        raise CounterplayError(f"{str(file)!r} is a book of {spec}, whose rules are in a file: play with book=FILE")
    game: Game = load(spec)
    return OpeningBook.read(file, game)
