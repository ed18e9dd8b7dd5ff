"""`book`: grows opening books, writes Polyglot books from games, and shows either."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

from counterplay.api.match_result import plural
from counterplay.api.position import AnyGame, game_of, player_for
from counterplay.api.result import Result
from counterplay.api.train import duration
from counterplay.arena.recorded_games import read_chess_games, read_games
from counterplay.core.errors import CounterplayError, UnknownGame
from counterplay.core.formats.files import hold, read_whole
from counterplay.core.formats.saving import Saving
from counterplay.core.game import Game
from counterplay.core.playthrough import open_playthrough
from counterplay.core.registry import load, names_file
from counterplay.games.chess.book import Book, write_book
from counterplay.games.chess.game import Chess
from counterplay.players.player import Player
from counterplay.players.wording import worth
from counterplay.scale.crew import Fleet, WorkCrew, crew_for
from counterplay.scale.job import GameParcel, Job, parcel
from counterplay.search.books.book import OpeningBook
from counterplay.search.books.learning import Judge, grow, learn_game
from counterplay.search.decision import Decision

LEARN = "learn"
MINUTE = 60.0
SOONEST = 20.0
"""A growing book is saved again after this many seconds."""
Hear = Callable[[str], None]


@dataclass(frozen=True, repr=False)
class BookResult(Result):
    """What a book learned or knows, as `data` and as `text`."""

    data: dict[str, Any]  # as the command prints it with --json
    text: str

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return self.data

    def __str__(self) -> str:
        return self.text


def book(
    file: str | Path,
    *given: AnyGame | Path,
    player: str = "",
    time: float | str = MINUTE,
    output: str | Path | None = None,
    plies: int = 24,
    position: str | None = None,
    moves: str = "",
    workers: int = 0,
    cluster: str = "",
    progress: Hear | None = None,
) -> BookResult:
    """Grow an opening book for any game, write one for chess from games, or show one.

    `book("learn", game, output=FILE)` searches the positions most likely to come up with `player` for a `time` (seconds, or
    "1h"), and backs up their values; files of games after `game` are entered in full. `book("x.bin", "games.pgn")`
    writes a Polyglot chess book from PGN files, or from match files, each game followed for `plies`. `book(file)` shows
    a book's entry for a position, and `book(file, game)` that of a game of your own. `learn` searches as many positions at
    once as there are `workers` processes, or cores of a Ray `cluster`. `progress` receives the progress, or skips.
    """
    hear = progress or (lambda line: None)
    if str(file) == LEARN:
        games = [Path(str(each)) for each in given[1:]]
        seconds = duration(time, zero=True) if isinstance(time, str) else time
        fleet = Fleet(workers, cluster)
        with BookLearner(given[0] if given else "", games, player, seconds, output, fleet) as learner:
            learner.run(hear)
        return learner.result()
    if workers or cluster:
        raise CounterplayError("--workers and --cluster are for `book learn`, which searches")
    path, games = Path(file), [Path(str(each)) for each in given]
    if path.suffix != ".bin" and not games:
        return known(path, None, position, moves)
    if path.suffix != ".bin" and len(given) == 1 and is_own(given[0]):
        return known(path, game_of(given[0] if isinstance(given[0], Game) else str(given[0])), position, moves)
    if games:
        return written(path, games, plies, hear)
    return known_to_polyglot(path, Chess(), position, moves)


def written(file: Path, games: list[Path], plies: int, hear: Hear) -> BookResult:
    """A Polyglot book from games; unreadable games are skipped."""
    if plies < 1:
        raise CounterplayError(f"--plies {plies}: a book follows games for at least 1 ply")
    skipped: list[str] = []

    def skip(sentence: str) -> None:
        skipped.append(sentence)
        hear(f"skipped: {sentence}")

    entries = write_book(file, (each for path in games for each in read_chess_games(path, skip)), plies)
    text = f"{entries:,} moves written to {file}" + (f"\n{len(skipped):,} games skipped" if skipped else "")
    return BookResult({"book": str(file), "entries": entries, "skipped": len(skipped)}, text)


def known_to_polyglot(file: Path, game: Chess, position: str | None, moves: str) -> BookResult:
    """The moves of a Polyglot book, with their weights."""
    p = open_playthrough(game, position, moves)
    found = {game.action_text(p.state, action): weight for action, weight in Book(file).moves(game, p.state).items()}
    total = max(1, sum(found.values()))
    lines = [f"{move:7} {weight / total:6.1%}" for move, weight in found.items()]
    return BookResult({"position": p.position, "moves": found}, "\n".join(lines) or UNKNOWN)


UNKNOWN = "the book does not know this position"


def is_own(given: AnyGame | Path) -> bool:
    """Whether this is a game or the file of its rules, not a file of games."""
    return isinstance(given, Game) or str(given).partition(":")[0].endswith(".py")


def known(file: Path, game: Game | None, position: str | None, moves: str) -> BookResult:
    """A learned book's entry for a position; `game` is needed if the book's game is in the user's file."""
    held = opened(file) if game is None else OpeningBook.read(file, game)
    p = open_playthrough(held.game, position, moves)
    rows: list[dict[str, Any]] = [
        {"action": held.game.action_text(p.state, each.action), "value": each.value, "games": each.visits}
        for each in held.options(p.state)
    ]
    width = max((len(row["action"]) for row in rows), default=0)
    lines = [
        f"{row['action']:{width}}  {worth(held.game, row['value'])}"
        + (f"  ({row['games']:,} games)" if row["games"] else "")
        for row in rows
    ]
    data = {"position": p.position, "positions": len(held.entries), "sources": held.sources, "actions": rows}
    return BookResult(data, "\n".join(lines) or UNKNOWN)


def opened(file: Path) -> OpeningBook:
    """A book of a registered game."""
    content = read_whole(file)
    try:
        spec = str(json.loads(content)["game"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise CounterplayError(
            f"{str(file)!r} is not a book, or is incomplete; `book learn GAME -o BOOK` writes one; Polyglot books "
            "end in .bin"
        ) from None
    try:
        if names_file(spec):  # a file that is named only in data is never run
            raise UnknownGame(spec)
        game = load(spec)
    except UnknownGame:
        raise CounterplayError(
            f"{str(file)!r} is a book of {spec}, whose rules are in a file: write `book {file} FILE.py`"
        ) from None
    return OpeningBook.read(file, game)


class BookShared(NamedTuple):
    """What all positions of a book share."""

    game: GameParcel
    player: str


class BookDesk:
    """A process that evaluates positions, each with a fresh player."""

    def __init__(self, game: Game, player: str) -> None:
        self.game, self.player = game, player

    def __call__(self, position: str) -> dict[int, float]:
        """The value of each action."""
        with player_for(self.game.start(), self.player) as made:
            return ranked(self.game, made, position)


def open_desk(shared: BookShared) -> BookDesk:
    """The workshop of that process."""
    return BookDesk(shared.game.open(), shared.player)


def ranked(game: Game, player: Player, position: str) -> dict[int, float]:
    """A player's evaluation of each action in a position."""
    reports: list[Decision] = []
    return smoothed(player.rank(game.start(position=position), reports.append), reports)


def smoothed(found: Decision, reports: list[Decision]) -> dict[int, float]:
    """The value of each action: the mean of the last two iterations, where both are estimates. An evaluation tends to
    favour whoever moved last, so odd and even depths differ, and a book compares values of both."""
    before = next((each for each in reversed(reports) if found.depth and each.depth == found.depth - 1), None)
    earlier = {} if before is None or found.proven else {each.action: each for each in before.options}
    values = {}
    for each in found.options:
        other = earlier.get(each.action)
        is_estimate = each.plies is None and other is not None and other.plies is None
        values[each.action] = (each.value + other.value) / 2 if is_estimate and other is not None else each.value
    return values


class BookLearner:
    """A book that grows, first by the given games, then by drop-out expansion; saved on exit."""

    def __init__(
        self,
        given: AnyGame | Path,
        games: list[Path],
        player: str,
        seconds: float,
        output: str | Path | None,
        fleet: Fleet | None = None,
    ) -> None:
        if given == "":
            raise CounterplayError("`book learn` needs a game: write `book learn GAME -o BOOK`")
        if output is None:
            raise CounterplayError("`book learn` needs a file for the book: write -o BOOK")
        self.file, self.games, self.seconds = Path(output), games, seconds
        if self.file.suffix in (".bin", ".npz"):
            raise CounterplayError(
                f"a learned book cannot be a {self.file.suffix} file: choose another name than {str(self.file)!r}"
            )
        self.game: Game = game_of(str(given) if isinstance(given, Path) else given)
        self.lock: IO[bytes] | None = None
        self.hold()
        self.book = OpeningBook.read(self.file, self.game) if self.file.exists() else OpeningBook(self.game)
        self.before = len(self.book.entries)
        self.player: Player = player_for(self.game.start(), player)
        self.save()  # if the file cannot be written, better now than after hours
        self.complete = self.ended = False
        self.crew: WorkCrew | None = None
        if fleet is not None and fleet.is_asked_for:
            spec = str(given) if isinstance(given, (str, Path)) else fleet.spec
            shared = BookShared(parcel(self.game, spec), self.player.spec)
            job = Job("the book", "counterplay.api.book:open_desk", shared, "position")
            self.crew = crew_for(job, fleet.workers, fleet.cluster)

    def __enter__(self) -> BookLearner:
        return self

    def __exit__(self, *wrong: object) -> None:
        self.ended = True
        if self.crew is not None:
            self.crew.stop()
        self.save()
        self.player.close()
        if self.lock is not None:
            self.lock.close()

    def save(self) -> None:
        """Write the book, and keep other learners away from the new file as well."""
        self.book.save(self.file)
        self.hold()

    def hold(self) -> None:
        """Lock the book as it is on disk against other learners."""
        if self.file.is_file():
            before, self.lock = self.lock, hold(self.file, f"another program is writing to {str(self.file)!r}")
            if before is not None:
                before.close()

    def judge(self, s: Any) -> dict[int, float]:
        """The player's evaluation of each action in `s`."""
        if self.ended:
            raise SystemExit
        return ranked(self.game, self.player, self.game.position_text(s))

    def judge_all(self, judge: Judge, states: Iterable[Any]) -> Iterable[Mapping[int, float]]:
        """The same for several states, by the crew if there is one."""
        if self.crew is None:
            return map(judge, states)
        return self.crew.map(self.game.position_text(s) for s in states)

    def run(self, hear: Hear) -> None:
        """Learn until time is up or nothing is left to learn."""
        if self.crew is None:
            self.player.prepare(self.game.start())  # compiling is not learning
        began, saving = time.monotonic(), Saving(self.save, SOONEST, 1.0)

        def goes_on() -> bool:
            hear(f"{len(self.book.entries):,} positions")
            saving.if_due()
            return time.monotonic() - began < self.seconds

        for file in self.games:
            for each in read_games(self.game, file):
                p = each.start
                for move in each.moves:
                    p.play(move)
                learn_game(self.book, p.states[0], p.actions, self.judge, file.name, self.judge_all)
                hear(f"{len(self.book.entries):,} positions")
                saving.if_due()
        at_once, s = 1 if self.crew is None else self.crew.size, self.game.start().state
        self.complete = self.seconds > 0 and grow(self.book, s, self.judge, goes_on, at_once, self.judge_all)

    def result(self) -> BookResult:
        """The book as it is now."""
        positions = len(self.book.entries)
        told = {"book": str(self.file), "positions": positions, "new": positions - self.before}
        text = f"{plural(positions, 'position')} in {self.file}, {told['new']:,} of them new"
        return BookResult(told | {"complete": bool(self.complete)}, text)
