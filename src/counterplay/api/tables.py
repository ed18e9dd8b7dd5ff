"""`tables`: every position of a small game or an endgame, solved once and stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.api.position import AnyPosition, game_of, position_of
from counterplay.api.result import Result
from counterplay.core.errors import CounterplayError, UnknownGame
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.endgame.ending_tables import EndingTables
from counterplay.endgame.endings import numbering
from counterplay.endgame.spread_build import build_spread, tables_job
from counterplay.endgame.store import Tables, require_folder, table_files
from counterplay.endgame.table import build_table, file_name, rules_mark
from counterplay.endgame.threads import require_threads
from counterplay.endgame.turns import SAMPLED, TURNS, build_turns, turned
from counterplay.endgame.verify import prove
from counterplay.players.wording import worth
from counterplay.scale.crew import Fleet, crew_for

VERBS = ("build", "list", "verify", "probe")
FOLDER = Path("tables")
MEGABYTES = 2048.0
Hear = Callable[[str], None]


@dataclass(frozen=True, repr=False)
class TablesResult(Result):
    """What was built, listed, verified or looked up, as `data` and as `text`."""

    data: Any  # as the command prints it with --json
    text: str

    def to_json(self) -> Any:
        """The result as plain data."""
        return self.data

    def __str__(self) -> str:
        return self.text


def tables(
    what: str | AnyPosition,
    game: AnyPosition = "",
    *,
    folder: str | Path = FOLDER,
    class_: str = "",
    position: str | None = None,
    moves: str = "",
    memory: float = MEGABYTES,
    threads: int | None = None,
    workers: int = 0,
    cluster: str = "",
    progress: Hear | None = None,
) -> TablesResult:
    """Solve every reachable position of a game, by retrograde analysis.

    `tables(game)` counts the positions that are won, drawn and lost; `tables("build", game)` stores their values in
    `folder`, or with `class_` those of an endgame of chess or checkers, such as KRK, or all of n pieces. `tables("probe",
    game)` looks up a position and its actions, `tables("list")` lists the tables, and `tables("verify")` proves every value
    from the rules alone; for Yahtzee it checks a sample. It uses at most `memory` MB, and `threads` threads to build
    classes and to verify (default: all cores). Classes can also be built in `workers` processes or on a Ray `cluster`.
    `progress` receives the progress.
    """
    require_threads(threads)
    hear, path = progress or (lambda line: None), Path(folder)
    verb = what if isinstance(what, str) and what in VERBS else ""
    has_game = game != ""
    if verb in ("list", "verify"):
        if position is not None or moves:
            raise CounterplayError(f"`tables {verb}` is for whole tables: leave out --position and --moves")
        rules = position_of(game).game if has_game else None
        return listed(path, rules) if verb == "list" else verified(path, rules, threads, hear)
    if verb and not has_game:
        raise CounterplayError(f"`tables {verb}` needs a game: write `tables {verb} GAME`")
    if not verb and has_game:
        raise CounterplayError(f"`tables` does not know {what!r}; it takes {', '.join(VERBS)}, or just a game")
    if class_:
        if verb != "build" or position is not None or moves:
            raise CounterplayError("--class goes with `tables build GAME` and with no position")
        fleet = Fleet(workers, cluster, spec=game if isinstance(game, str) else "")
        return endings(position_of(game).game, class_, path, memory, threads, hear, fleet)
    if workers or cluster:
        raise CounterplayError("--workers and --cluster are for `tables build GAME --class CLASS`")
    p = position_of(game if has_game else what, position, moves)
    if verb == "probe":
        return probed(p, path)
    if numbered := numbering(p.game):
        raise CounterplayError(
            f"{p.game.spec} has too many positions for a table; its endgames are built by class, such as `tables build "
            f"{p.game.spec} --class {numbered.example}`"
        )
    kept = path if verb == "build" else None
    if kept is not None:
        require_folder(kept)
    return by_turns(p, kept, hear) if turned(p.game) else built(p, kept, memory, hear)


def built(p: Playthrough, folder: Path | None, megabytes: float, hear: Hear) -> TablesResult:
    """Solve everything from a position on, and store it if there is a folder."""
    name = file_name(p.game, p.state)
    file = None if folder is None else folder / name
    beside = None if folder is None else folder / f".{name}.{rules_mark(p.game)}.building"
    made = build_table(p.game, p.state, megabytes=megabytes, report=hear, beside=beside)
    if file is not None:
        made.save(file)
    if beside is not None:
        beside.unlink(missing_ok=True)
    found = made.probe(p.state)
    assert found is not None  # it is the root
    return summary(p, made.head["summary"], worth(p.game, found.to(max(p.to_move, 0)), found.plies), file)


def by_turns(p: Playthrough, folder: Path | None, hear: Hear) -> TablesResult:
    """Solve a game turn by turn, and store it if there is a folder."""
    made = build_turns(p.game, hear)
    file = None if folder is None else made.save(folder)
    return summary(p, made.summary, worth(p.game, made.probe(p.state).value), file)


def summary(p: Playthrough, rows: list[dict[str, Any]], value: str, file: Path | None) -> TablesResult:
    """What was solved from a position on."""
    lines = [*rows_in_words(rows), f"from {p.game.position_text(p.state)!r}: {value}"]
    return TablesResult(rows, "\n".join([*lines, *([] if file is None else [f"kept in {file}"])]))


def endings(
    rules: Game, classes: str, folder: Path, megabytes: float, threads: int | None, hear: Hear, fleet: Fleet
) -> TablesResult:
    """Solve classes of endings and all classes that they lead to."""
    require_folder(folder)
    made = EndingTables(folder, rules)
    if fleet.is_asked_for:
        with crew_for(tables_job(rules, fleet.spec, megabytes), fleet.workers, fleet.cluster) as crew:
            rows = build_spread(made, classes, crew, megabytes=megabytes, threads=require_threads(threads), report=hear)
    else:
        rows = made.build(classes, megabytes=megabytes, threads=threads, report=hear)
    return TablesResult(rows, "\n".join([*rows_in_words(rows), f"kept in {folder}"]))


def rows_in_words(rows: list[dict[str, Any]]) -> Iterator[str]:
    """How many positions are won, drawn and lost."""
    for row in rows:
        if row["class"] == TURNS:
            yield f"{row['positions']:,} positions between two turns"
            continue
        longest = "" if row["longest"] is None else f", longest {row['longest']} plies"
        yield (
            f"{row['class']}, {row['to_move']} to move: {row['positions']:,} positions, {row['won']:,} won, "
            f"{row['drawn']:,} drawn, {row['lost']:,} lost{longest}"
        )


def listed(folder: Path, rules: Game | None) -> TablesResult:
    """The tables in a folder."""
    found = [file for file in table_files(folder) if rules is None or file.head["game"] == rules.spec]
    data = [{"file": str(each.file), "game": each.head["game"], "tables": each.head["summary"]} for each in found]
    lines: list[str] = []
    for each in found:
        rows = each.head["summary"]
        lines.append(f"{each.file}: {each.head['game']}, {sum(row['positions'] for row in rows):,} positions")
        lines += rows_in_words(rows)
    return TablesResult(data, "\n".join(lines) or f"no tables in {folder}")


def verified(folder: Path, given: Game | None, threads: int | None, hear: Hear) -> TablesResult:
    """Prove every value of the tables in a folder; of those solved turn by turn, check a sample."""
    rows: list[dict[str, Any]] = []
    lines = []
    for each in table_files(folder):
        rules = given or rules_of(each.head["game"], each.file, folder)
        if each.head["game"] != rules.spec:
            continue
        count, is_sample = prove(each, rules, hear, threads), each.head["class"] == TURNS
        told = f"{count:,} positions proven"
        if is_sample:
            told = f"a sample is correct: {count:,} positions of {SAMPLED} turns; the others were not verified"
        rows.append({"file": str(each.file), "game": each.head["game"], "sampled" if is_sample else "proven": count})
        lines.append(f"{each.file}: {told}")
    if given and not rows:
        raise CounterplayError(
            f"no table of {given.spec} in {str(folder)!r}; `tables list -o {folder}` shows what is there"
        )
    return TablesResult(rows, "\n".join(lines) or f"no tables in {folder}")


def rules_of(spec: str, file: Path, folder: Path) -> Game:
    """The game that a table names."""
    try:
        return game_of(spec)
    except UnknownGame:
        raise CounterplayError(
            f"{str(file)!r} is a table of {spec}, whose rules are in a file: write `tables verify FILE.py -o {folder}`"
        ) from None


def probed(p: Playthrough, folder: Path) -> TablesResult:
    """What tables know about a position and its actions."""
    found = Tables(folder, p.game).ranked(p.state)
    if found is None:
        raise CounterplayError(f"no table in {str(folder)!r} has this position of {p.game.spec}")
    here, actions = found
    mover = max(p.to_move, 0)
    rows: list[dict[str, Any]] = [
        {"action": p.game.action_text(p.state, action), "value": entry.to(mover), "plies": entry.plies}
        for action, entry in actions
    ]
    width = max((len(row["action"]) for row in rows), default=0)
    lines = [f"{p.game.player_name(p.to_move)} to move: {worth(p.game, here.to(mover), here.plies)}"]
    lines += [f"  {row['action']:{width}}  {worth(p.game, row['value'], row['plies'])}" for row in rows]
    return TablesResult({"value": here.to(mover), "plies": here.plies, "actions": rows}, "\n".join(lines))
