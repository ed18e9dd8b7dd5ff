"""`tables`: every position of a small game or an ending, solved once and kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.cli.options import Json, Moves, Position, number, whole_number

if TYPE_CHECKING:
    from counterplay.core.game import Game
    from counterplay.core.playthrough import Playthrough
    from counterplay.endgame.table_file import TableFile

VERBS = ("build", "list", "verify", "probe")


def tables(
    what: Annotated[
        str,
        typer.Argument(
            metavar="build|list|verify|probe", help="What to do; or only a game, to solve it and keep nothing."
        ),
    ],
    game: Annotated[
        str, typer.Argument(metavar="[GAME]", help="A game, such as connect-four:5,4, or your own file.py:Class.")
    ] = "",
    folder: Annotated[
        Path, typer.Option("-o", "--folder", metavar="FOLDER", help="Where tables are written and looked for.")
    ] = Path("tables"),
    classes: Annotated[
        str,
        typer.Option(
            "--class", metavar="NAME", help="Build an ending of chess or checkers, such as KRK, or all of N pieces."
        ),
    ] = "",
    position: Position = None,
    moves: Moves = "",
    megabytes: Annotated[
        float, typer.Option("--memory", metavar="MB", parser=number, help="Take MB megabytes of memory at most.")
    ] = 2048.0,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            metavar="N",
            parser=whole_number,
            help="Build classes and verify in N threads (default: all cores).",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Solve every position of a game that can be reached, by retrograde analysis.

    `tables GAME` says how many positions are won, drawn and lost; `tables build GAME -o FOLDER` keeps what each is worth.
    `tables probe GAME` looks a position and its actions up there, `tables list` says what there is, and `tables verify`
    proves every value from the rules alone; of Yahtzee it checks a sample.
    """
    from counterplay.core.errors import CounterplayError
    from counterplay.endgame.endings import numbering
    from counterplay.endgame.threads import require_threads
    from counterplay.endgame.turns import turned

    require_threads(threads)
    if what in ("list", "verify"):
        if position is not None or moves:
            raise CounterplayError(f"`tables {what}` is for whole tables: leave out --position and --moves")
        if what == "list":
            list_tables(folder, game, json)
        else:
            verify_tables(folder, game, threads, json)
        return
    if what in VERBS and not game:
        raise CounterplayError(f"`tables {what}` needs a game: write `tables {what} GAME`")
    if what not in VERBS and game:
        raise CounterplayError(f"`tables` does not know {what!r}: it takes {', '.join(VERBS)}, or only a game")
    if classes:
        if what != "build" or position is not None or moves:
            raise CounterplayError("--class goes with `tables build GAME` and with no position")
        build_endings(game, classes, folder, megabytes, threads, json)
        return
    p = open_position(game or what, position, moves)
    if what != "probe" and (numbered := numbering(p.game)):
        raise CounterplayError(
            f"{p.game.spec} has too many positions for a table; its endings are built by class, such as `tables build "
            f"{p.game.spec} --class {numbered.example}`"
        )
    if what == "probe":
        probe(p, folder, json)
        return
    kept = folder if what == "build" else None
    (build_by_turns if turned(p.game) else build)(p, kept, megabytes, json)


def open_position(game: str, position: str | None, moves: str) -> Playthrough:
    """The position that a person means."""
    from counterplay.cli.arguments import open_game
    from counterplay.core.playthrough import open_playthrough

    return open_playthrough(open_game(game), position, moves)


def build(p: Playthrough, folder: Path | None, megabytes: float, json: bool) -> None:
    """Solve everything from a position on, and keep it where there is a folder."""
    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.endgame.store import require_folder
    from counterplay.endgame.table import build_table, file_name, rules_mark
    from counterplay.players.wording import worth

    if folder is not None:
        require_folder(folder)
    news = [""]
    beside = None if folder is None else folder / f".{file_name(p.game, p.state)}.{rules_mark(p.game)}.building"
    made = wait_for(
        lambda: build_table(
            p.game, p.state, megabytes=megabytes, report=lambda line: news.__setitem__(0, line), beside=beside
        ),
        "solving",
        lambda: f"{news[0]}, " if news[0] else "",
    )
    if folder is not None:
        made.save(folder / file_name(p.game, p.state))
    if beside is not None:
        beside.unlink(missing_ok=True)
    if json:
        write_json(made.head["summary"])
        return
    print_summary(made.head["summary"])
    found = made.probe(p.state)
    assert found is not None  # it began there
    console().print(
        f"from {p.game.position_text(p.state)!r}: {worth(p.game, found.to(max(p.to_move, 0)), found.plies)}"
    )
    if folder is not None:
        console().print(f"kept in {folder / file_name(p.game, p.state)}")


def build_by_turns(p: Playthrough, folder: Path | None, megabytes: float, json: bool) -> None:
    """Solve a game turn by turn, and keep it where there is a folder."""
    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.endgame.store import require_folder
    from counterplay.endgame.turns import build_turns
    from counterplay.players.wording import worth

    if folder is not None:
        require_folder(folder)
    news = [""]
    made = wait_for(
        lambda: build_turns(p.game, lambda line: news.__setitem__(0, line)),
        "solving",
        lambda: f"{news[0]}, " if news[0] else "",
    )
    file = made.save(folder) if folder is not None else None
    if json:
        write_json(made.summary)
        return
    print_summary(made.summary)
    console().print(f"from {p.game.position_text(p.state)!r}: {worth(p.game, made.probe(p.state).value)}")
    if file is not None:
        console().print(f"kept in {file}")


def build_endings(game: str, classes: str, folder: Path, megabytes: float, threads: int | None, json: bool) -> None:
    """Solve classes of endings and all that they lead to."""
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.endgame.ending_tables import EndingTables
    from counterplay.endgame.store import require_folder

    require_folder(folder)
    tables, news = EndingTables(folder, open_game(game)), [""]
    rows = wait_for(
        lambda: tables.build(
            classes, megabytes=megabytes, threads=threads, report=lambda line: news.__setitem__(0, line)
        ),
        "solving",
        lambda: f"{news[0]}, " if news[0] else "",
    )
    if json:
        write_json(rows)
        return
    print_summary(rows)
    console().print(f"kept in {folder}")


def print_summary(rows: list[dict[str, Any]]) -> None:
    """How many positions are won, drawn and lost."""
    from counterplay.cli.terminal import console
    from counterplay.endgame.turns import TURNS

    for row in rows:
        if row["class"] == TURNS:
            console().print(f"{row['positions']:,} positions between two turns")
            continue
        longest = "" if row["longest"] is None else f", longest {row['longest']} plies"
        console().print(
            f"{row['class']}, {row['to_move']} to move: {row['positions']:,} positions, {row['won']:,} won, "
            f"{row['drawn']:,} drawn, {row['lost']:,} lost{longest}"
        )


def list_tables(folder: Path, game: str, json: bool) -> None:
    """Tell what is in a folder."""
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, note, write_json
    from counterplay.endgame.store import table_files

    wanted = open_game(game).spec if game else ""
    found = [file for file in table_files(folder) if not wanted or file.head["game"] == wanted]
    if json:
        write_json(
            [{"file": str(each.file), "game": each.head["game"], "tables": each.head["summary"]} for each in found]
        )
        return
    for each in found:
        console().print(f"{each.file}: {each.head['game']}, {each.head['positions']:,} positions")
        print_summary(each.head["summary"])
    if not found:
        note(f"no tables in {folder}")


def verify_tables(folder: Path, game: str, threads: int | None, json: bool) -> None:
    """Prove every value of the tables in a folder; of those solved turn by turn, check a sample."""
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, note, wait_for, write_json
    from counterplay.core.errors import CounterplayError, UnknownGame
    from counterplay.endgame.store import table_files
    from counterplay.endgame.turns import SAMPLED, TURNS
    from counterplay.endgame.verify import prove

    rows = []
    for each in table_files(folder):
        try:
            rules = open_game(game or each.head["game"])
        except UnknownGame:
            if game:
                raise
            raise CounterplayError(
                f"{str(each.file)!r} is a table of {each.head['game']}, whose rules are in a file: write `tables verify "
                f"FILE.py -o {folder}`"
            ) from None
        if each.head["game"] != rules.spec:
            continue
        news = [""]

        def work(each: TableFile = each, rules: Game = rules, news: list[str] = news) -> int:
            return prove(each, rules, lambda line: news.__setitem__(0, line), threads)

        count = wait_for(work, "verifying", lambda news=news: f"{news[0]}, " if news[0] else "")  # type: ignore[misc]
        is_sample = each.head["class"] == TURNS
        told = f"{count:,} positions proven"
        if is_sample:
            told = f"a sample is right, {count:,} positions of {SAMPLED} turns; the others were not verified"
        rows.append({"file": str(each.file), "game": each.head["game"], "sampled" if is_sample else "proven": count})
        if not json:
            console().print(f"{each.file}: {told}")
    if json:
        write_json(rows)
    elif not rows:
        note(f"no tables in {folder}")


def probe(p: Playthrough, folder: Path, json: bool) -> None:
    """Look a position and its actions up."""
    from counterplay.cli.terminal import console, write_json
    from counterplay.core.errors import CounterplayError
    from counterplay.endgame.store import Tables
    from counterplay.players.wording import worth

    found = Tables(folder, p.game).ranked(p.state)
    if found is None:
        raise CounterplayError(f"no table in {str(folder)!r} has this position of {p.game.spec}")
    here, actions = found
    mover = max(p.to_move, 0)
    rows: list[dict[str, Any]] = [
        {"action": p.game.action_text(p.state, action), "value": entry.to(mover), "plies": entry.plies}
        for action, entry in actions
    ]
    if json:
        write_json({"value": here.to(mover), "plies": here.plies, "actions": rows})
        return
    console().print(f"{p.game.player_name(p.to_move)} to move: {worth(p.game, here.to(mover), here.plies)}")
    width = max((len(row["action"]) for row in rows), default=0)
    for row in rows:
        console().print(f"  {row['action']:{width}}  {worth(p.game, row['value'], row['plies'])}")
