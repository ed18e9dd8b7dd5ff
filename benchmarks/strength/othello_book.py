"""Othello with a book that learns: a hundred games against GRhino from the start, in which no loss repeats.

After each loss, the whole game is added to the book, so the next one deviates. Moves are searched with few nodes, so
there are losses to learn from. `OTHELLO_BOOK` names a folder: the book grows and the games are stored there, and an
interrupted run continues.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import Outcome, Quota, Skipped, held
from counterplay.core.registry import load
from counterplay.players.engines.gtp import Gtp
from counterplay.players.specs import player
from counterplay.search.books.book import OpeningBook
from counterplay.search.books.formats import learned
from counterplay.search.books.learning import learn_game

NAME = "othello-book"
FOLDER = "OTHELLO_BOOK"
GAMES, LEVEL = 100, 2
OURS, JUDGE = "alphabeta:evaluation=othello,nodes=30", "alphabeta:evaluation=othello,nodes=20000"
"""The player, and the judge of the positions of a lost game."""
LOG, BOOK = "games.jsonl", "othello.book"


def run(quick: bool) -> Iterator[Outcome]:
    """The games."""
    program = shutil.which("gtp-rhino", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
    folder = Path(os.environ.get(FOLDER, ""))
    if program is None or FOLDER not in os.environ or not folder.is_dir():
        yield Skipped(NAME, "no loss repeats", "GRhino", f"install grhino and set {FOLDER} to a folder")
        return
    with held(folder / LOG):
        rows = played(folder, program, 4 if quick else GAMES)
    lost = [row["moves"] for row in rows if row["result"] < 0]
    scored = sum((row["result"] + 1) / 2 for row in rows)
    work = f"othello, {len(rows)} games against GRhino at level {LEVEL}, {scored:g} points: losses that are new"
    yield Quota(NAME, work, len({tuple(each) for each in lost}), len(lost), 1.0)


def played(folder: Path, program: str, games: int) -> list[dict[str, Any]]:
    """The results of a number of games, colours in turn."""
    game, log, file = load("othello"), folder / LOG, folder / BOOK
    rows: list[dict[str, Any]] = [json.loads(line) for line in log.read_text().splitlines()]
    book = OpeningBook.read(file, game) if file.is_file() else OpeningBook(game)
    us, judge = player(OURS), player(JUDGE)

    def estimates(s: Any) -> dict[int, float]:
        return {each.action: each.value for each in judge.rank(game.start(position=game.position_text(s))).options}

    while len(rows) < games:
        side, p = len(rows) % 2, game.start()
        with Gtp(f"{program} --book 0 --level {LEVEL}", patience=600) as them:
            them.prepare(p)
            while not p.is_over:
                ours = p.to_move == side
                p.play((learned(book, p.state) or us.choose(p)).action if ours else them.choose(p).action)
        if p.returns[side] < 0:
            learn_game(book, p.states[0], p.actions, estimates, LOG)
            book.save(file)
        rows.append({"side": side, "result": p.returns[side], "moves": list(map(int, p.actions))})
        with log.open("a") as opened:
            opened.write(json.dumps(rows[-1]) + "\n")
    return rows
