"""Results on disk: one SQLite file for each match or tournament, which other tools can open as well.

A game is written in one transaction when it is over, under its number in the plan. So after a crash the file has only
complete games, and the missing ones are those whose numbers it lacks.

    event    key, value: what is played (the plan as JSON), a hash of its rules, the format's version
    players  player, spec, label
    games    game, round, position, opening, moves, ended, note, seconds, finished, thoughts
    seats    game, seat, player, utility, score, seconds, forfeit
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import time
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, NamedTuple

from counterplay.arena.plan import Fixture, Plan
from counterplay.arena.referee import Played
from counterplay.arena.result import GameResult, result_of
from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import hold

VERSION = "1"
SQLITE = b"SQLite format 3\0"
"""The first bytes of an SQLite file."""
SCHEMA = """
CREATE TABLE event (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE players (player INTEGER PRIMARY KEY, spec TEXT NOT NULL, label TEXT NOT NULL);
CREATE TABLE games (
    game INTEGER PRIMARY KEY,  -- its number in the plan, from 0
    round INTEGER NOT NULL,    -- games of one round have the same opening and the same dice
    position TEXT,             -- where it began; NULL: where the game usually begins
    opening TEXT NOT NULL,     -- moves that were given
    moves TEXT NOT NULL,       -- moves that were played
    ended TEXT NOT NULL,       -- 'rules', or what somebody forfeited by
    note TEXT NOT NULL,
    seconds REAL NOT NULL,
    finished TEXT NOT NULL,    -- UTC
    thoughts TEXT NOT NULL     -- JSON: [ply, seconds, value, depth, nodes] for each choice
);
CREATE TABLE seats (
    game INTEGER NOT NULL REFERENCES games, seat INTEGER NOT NULL, player INTEGER NOT NULL REFERENCES players,
    utility REAL NOT NULL, score REAL NOT NULL, seconds REAL NOT NULL, forfeit INTEGER NOT NULL,
    PRIMARY KEY (game, seat)
) WITHOUT ROWID;
"""


class Text(NamedTuple):
    """A stored game, as text to show."""

    game: int
    round: int
    position: str | None
    opening: str
    moves: str
    ended: str
    note: str
    seconds: float
    finished: str


class Store:
    """The file of one match or tournament."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: IO[bytes] | None = None
        try:
            name = f"{path.absolute().as_uri()}?immutable=1" if is_frozen(path) else str(path)
            self.db = sqlite3.connect(name, check_same_thread=False, timeout=60, uri=name != str(path))
            tables = {name for (name,) in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        except sqlite3.Error as wrong:
            raise CounterplayError(f"cannot open {str(path)!r}: {wrong}") from None
        if tables and "event" not in tables:
            raise CounterplayError(f"{str(path)!r} is an SQLite file, but not one of matches")
        if tables and self._value("version") != VERSION:
            raise CounterplayError(f"{str(path)!r} was written by another version of Counterplay")
        self.is_new = not tables

    @classmethod
    def existing(cls, path: Path) -> Store:
        """A file that must exist, opened for reading."""
        if not path.is_file():
            raise CounterplayError(f"no file {str(path)!r}")
        store = cls(path)
        if store.is_new:
            store.close()
            raise CounterplayError(f"{str(path)!r} has no match")
        return store

    def hold(self) -> None:
        """Lock this file against other writers while it is open."""
        self._lock = hold(self.path, f"another program is writing to {str(self.path)!r}")

    def begin(self, plan: Plan, rules: str) -> None:
        """Start with `plan`: write it into a new file, or continue the same one, perhaps with more games; `rules` is
        the hash of the game's rules, which must not have changed."""
        try:
            self.db.execute("PRAGMA journal_mode = WAL")  # readers do not block, and killing the process loses nothing
            self.db.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last games, never the file
            if self.is_new:
                players = list(enumerate(zip(plan.contestants, plan.labels(), strict=True)))
                self.db.executescript("BEGIN;" + SCHEMA)
                self.db.executemany("INSERT INTO players VALUES (?, ?, ?)", [(i, *names) for i, names in players])
                self.db.execute("INSERT INTO event VALUES ('version', ?)", (VERSION,))
            else:
                self._require_same(plan, rules)
            self.db.execute("INSERT OR REPLACE INTO event VALUES ('plan', ?)", (json.dumps(plan.as_data()),))
            self.db.execute("INSERT OR REPLACE INTO event VALUES ('rules', ?)", (rules,))
            self.db.commit()
        except sqlite3.Error as wrong:
            raise CounterplayError(f"cannot write {str(self.path)!r}: {wrong}") from None
        self.is_new = False

    def _require_same(self, plan: Plan, rules: str) -> None:
        before, now = self.plan.as_data(), plan.as_data()
        different = [name for name in now if name != "games" and before.get(name) != now[name]]
        if different:
            name = different[0]
            told = f"{_short(before[name])}, not {_short(now[name])}"
            raise CounterplayError(
                f"{str(self.path)!r} holds another match ({name}: {told}); choose another file for a new one"
            )
        if self._value("rules") not in (None, rules):  # older files do not say
            raise CounterplayError(
                f"{str(self.path)!r} has games played by other rules: {plan.game}, Counterplay or Python has "
                f"changed since; "
                "choose another file for a new match"
            )

    def _value(self, key: str) -> str | None:
        row = next(self._rows("SELECT value FROM event WHERE key = ?", key), None)
        return row[0] if row else None

    def _rows(self, query: str, *values: Any) -> Iterator[Any]:
        """The rows of a query, one at a time."""
        try:
            for row in self.db.execute(query, values):  # noqa: UP028 (a caller who stops early may have closed the file)
                yield row
        except sqlite3.Error as wrong:
            raise CounterplayError(f"cannot read {str(self.path)!r}: {wrong}") from None

    @property
    def plan(self) -> Plan:
        """The plan in the file."""
        try:
            return Plan.from_data(json.loads(self._value("plan") or "{}"))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as wrong:
            if isinstance(wrong, CounterplayError):
                raise
            raise CounterplayError(f"{str(self.path)!r} is damaged: its plan is missing") from None

    def add(self, fixture: Fixture, played: Played) -> None:
        """Store a game."""
        opening, n = fixture.opening, fixture.number
        finished = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        thoughts = json.dumps([list(each) for each in played.thoughts])
        row = (n, fixture.round, opening.position, opening.moves, " ".join(played.moves), played.ended, played.note)
        result = result_of(fixture, played)
        rows = zip(result.players, result.utilities, result.scores, played.seconds, result.forfeits, strict=True)
        try:
            with self.db:
                self.db.execute(
                    "INSERT INTO games VALUES (?,?,?,?,?,?,?,?,?,?)", (*row, sum(played.seconds), finished, thoughts)
                )
                self.db.executemany(
                    "INSERT INTO seats VALUES (?,?,?,?,?,?,?)", [(n, seat, *row) for seat, row in enumerate(rows)]
                )
        except sqlite3.Error as wrong:
            raise CounterplayError(
                f"cannot write {str(self.path)!r}: {wrong}; earlier games are kept, and the same command continues"
            ) from None

    def done(self) -> set[int]:
        """The numbers of the games played so far."""
        return {number for (number,) in self._rows("SELECT game FROM games")}

    def results(self) -> list[GameResult]:
        """The games, in the order of the plan."""
        query = """SELECT game, round, seat, player, utility, score, forfeit FROM games JOIN seats USING (game)
                   ORDER BY game, seat"""
        contestants = len(self.plan.contestants)
        found = groupby(self._rows(query), itemgetter(0, 1))
        return [self._result(game, turn, [row[2:] for row in seats], contestants) for (game, turn), seats in found]

    def texts_and_results(self) -> Iterator[tuple[Text, GameResult]]:
        """The same games with their moves, one in memory at a time."""
        width, contestants = len(Text._fields), len(self.plan.contestants)
        query = f"""SELECT {", ".join(f"games.{name}" for name in Text._fields)}, seat, player, utility, score, forfeit
                    FROM games JOIN seats USING (game) ORDER BY games.game, seat"""
        for _, rows in groupby(self._rows(query), itemgetter(0)):
            seats = list(rows)
            text = Text(*seats[0][:width])
            said = (text.opening, text.moves, text.ended, text.note, text.finished, text.position or "")
            if not all(isinstance(each, str) for each in said) or not isinstance(text.seconds, float):
                raise self.damaged(text.game)
            yield text, self._result(text.game, text.round, [row[width:] for row in seats], contestants)

    def _result(self, game: int, round: int, rows: list[Any], contestants: int) -> GameResult:
        """A game's result; SQLite keeps values of any type, so each one is checked."""
        seats, players, utilities, scores, forfeits = zip(*rows, strict=True)
        whole = all(isinstance(each, int) for each in (game, round, *players))
        numbers = all(isinstance(each, float) and math.isfinite(each) for each in (*utilities, *scores))
        known = whole and all(player in range(contestants) for player in players)
        if not (known and numbers and seats == tuple(range(len(seats)))):
            raise self.damaged(game)
        return GameResult(game, round, players, utilities, scores, tuple(map(bool, forfeits)))

    def damaged(self, game: object) -> CounterplayError:
        """The error for a game that makes no sense."""
        return CounterplayError(f"{str(self.path)!r} is damaged: game {str(game)[:20]} is not in the format of a match")

    def notes(self) -> list[tuple[int, str]]:
        """The games that were forfeited or aborted."""
        query = "SELECT game, note FROM games WHERE note != '' AND ended != 'judged' ORDER BY game"
        return list(self._rows(query))

    def judged(self) -> int:
        """The number of games that the judge ended."""
        found: int = next(self._rows("SELECT count(*) FROM games WHERE ended = 'judged'"))[0]
        return found

    def close(self) -> None:
        """Close the file."""
        self.db.close()
        if self._lock:
            self._lock.close()


def is_frozen(path: Path) -> bool:
    """Whether a file stands complete in a read-only folder, where SQLite cannot put its own files beside it."""
    return path.is_file() and not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:77] + "..."


def is_store(path: Path) -> bool:
    """Whether a file was written by `match` or `tournament`."""
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError as wrong:
        raise CounterplayError(f"cannot read {path}: {wrong.strerror}") from None


def usual_file(game: str) -> Path:
    """A new file in the user's data folder."""
    root = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    folder = root / "counterplay" / "matches"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        raise CounterplayError(f"cannot create the folder {str(folder)!r}: {wrong.strerror}") from None
    name = "".join(c if c.isalnum() or c in "-._" else "-" for c in Path(game).name)
    return folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{name}-{os.getpid()}.db"
