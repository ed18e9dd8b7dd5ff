"""Chinook's method for endings: checkers positions in tables, played against perfect play, and what tables are worth.

A won position must be won and a drawn one must not be lost. They are drawn at random. The other side also plays by the
tables: it holds out as long as it can, and chooses any of the moves that keep a draw, so that there is something to
resist. Then the search with tables plays itself without them at equal time, until a sequential test decides. Games
begin where fast games reached three pieces against three, each such position from both sides.

`CHINOOK_TABLES` names a folder with tables (`counterplay tables build checkers --class 4 -o FOLDER`); the games so far
are stored there as well, and an interrupted run continues.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import Match, Outcome, Quota, Skipped, held
from benchmarks.strength.chess import pairs
from counterplay import load
from counterplay.api.match import play_match
from counterplay.arena.openings import random_opening
from counterplay.core.formats.files import write_whole
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.bits import count
from counterplay.core.language.kernel import kernel
from counterplay.core.playthrough import Playthrough
from counterplay.endgame.store import Tables
from counterplay.endgame.tabled import tabled
from counterplay.endgame.verify import UNKNOWN, better, settled
from counterplay.players.specs import player

NAME = "chinook"
FOLDER = "CHINOOK_TABLES"
POSITIONS = 10_000
LONGEST = 60
"""Plies after which a draw counts as held."""
LOG = "chinook.jsonl"
OPENINGS, GAMES = "chinook.openings", "chinook.db"
PIECES, STARTS, PLIES, FAST = 3, 250, 6, "alphabeta:nodes=500"
"""Pieces of each side at the start; the number of such positions; the openings of the games that led to them, and the
players."""
SECONDS, SPRT = 0.02, "0,30"
"""The time per move, and the differences in Elo that the test decides between."""


def run(quick: bool) -> Iterator[Outcome]:
    """Won positions and drawn ones, then games with tables against none."""
    folder = Path(os.environ.get(FOLDER, ""))
    if FOLDER not in os.environ or not folder.is_dir():
        yield Skipped(NAME, "endings against perfect play", "tables", f"set {FOLDER} to a folder of checkers tables")
        return
    with held(folder / LOG):
        done = played(folder, 20 if quick else POSITIONS)
        for kind, wish in (("won", "won"), ("drawn", "not lost")):
            rows = [row for row in done if row["kind"] == kind]
            yield Quota(NAME, f"checkers, {kind} endings are {wish}", sum(row["good"] for row in rows), len(rows), 1.0)
        yield worth_of_tables(folder, quick)


def worth_of_tables(folder: Path, quick: bool) -> Outcome:
    """Our scores with tables against none."""
    prefix = "quick-" if quick else ""
    openings, output = folder / f"{prefix}{OPENINGS}", folder / f"{prefix}{GAMES}"
    if not openings.is_file():
        write_whole(openings, "\n".join(met_in_games(5 if quick else STARTS)))
    us, them = f"alphabeta:time={SECONDS:g},tables={folder}", f"alphabeta:time={SECONDS:g}"
    found = play_match(
        "checkers", us, them, openings=openings, games=2 if quick else None, sprt="" if quick else SPRT, output=output
    )
    work = f"checkers from {PIECES} pieces against {PIECES}, {SECONDS:g} s a move, {found.games} games, with tables"
    return Match(NAME, work, "without", pairs(found.standing, 1), 0.0, certain=True)


def met_in_games(positions: int) -> list[str]:
    """Positions that occurred in games between fast players."""
    game, us, found, seed = load("checkers"), player(FAST), dict[str, None](), 0
    while len(found) < positions:
        seed += 1
        p = random_opening(game, PLIES, seed).start(game)
        while not p.is_over and count(p.state.mine | p.state.theirs) > 2 * PIECES:
            p.play(us.choose(p).action)
        if not p.is_over and count(p.state.mine) == count(p.state.theirs) == PIECES:
            found[p.position] = None
    return list(found)


def played(folder: Path, positions: int) -> list[dict[str, Any]]:
    """The results of a number of positions of each kind."""
    log = folder / LOG
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    game = load("checkers")
    tables, us = Tables(folder, game), player(f"alphabeta:depth=8,tables={folder}")
    assert tables.endings is not None
    them = tabled(game, tables.endings)
    left = Counter({"won": positions, "drawn": positions})
    left.subtract(row["kind"] for row in rows)
    number = max((row["number"] for row in rows), default=-1)
    with log.open("a") as opened:
        while any(left[kind] > 0 for kind in left):
            number += 1
            s = drawn_at_random(tables, random.Random(number))
            found = tables.probe(s) if s is not None else None
            kind = "" if found is None else {1.0: "won", 0.0: "drawn"}.get(found.to(game.to_move(s)), "")
            if left[kind] <= 0:
                continue
            left[kind] -= 1
            good = holds(tables, us, them, game.start(position=game.position_text(s)), kind, random.Random(number))
            rows.append({"number": number, "kind": kind, "position": game.position_text(s), "good": good})
            opened.write(json.dumps(rows[-1]) + "\n")
            opened.flush()
    return rows


def drawn_at_random(tables: Tables, rng: random.Random) -> Any:
    """A position of some class with a table, each class as often as it has positions; None if the index has none."""
    endings = tables.endings
    assert endings is not None
    classes = list(endings.files)
    k = rng.choices(classes, [endings.numbering.sizes[each] for each in classes])[0]
    index = rng.randrange(endings.numbering.sizes[k])
    s = endings.numbering.game.ending_state(k, index)
    return s if endings.numbering.game.is_ending(k, index, s) and not tables.game.is_terminal(s) else None


def holds(tables: Tables, us: Any, them: Any, p: Playthrough, kind: str, rng: random.Random) -> bool:
    """Whether the player to move wins a won position, or does not lose a drawn one, against perfect play."""
    side, out = p.to_move, action_stack(them)
    while not p.is_over and (kind == "won" or len(p) < LONGEST):
        if p.to_move == side:
            p.play(us.choose(p).action)
        else:
            p.play(perfect(them, p.state, rng.randrange(1 << 30), out))
    if not p.is_over:
        found = tables.probe(p.state)
        return found is not None and found.to(side) >= 0
    return p.returns[side] > 0 if kind == "won" else p.returns[side] >= 0


@kernel
def perfect(game: Any, s: Any, luck: int, out: ActionStack) -> int:
    """The best action by the tables, the one that holds out longest if all lose; among equals, one by `luck`."""
    start, best, sign = len(out), UNKNOWN, 1 if game.to_move(s) == 0 else -1
    game.actions(s, out.fresh())
    for j in range(start, len(out)):
        best = better(best, entry_of(game, game.result(s, out[j])), sign)
    equals = 0
    for j in range(start, len(out)):
        if entry_of(game, game.result(s, out[j])) == best:
            out[start + equals] = out[j]
            equals += 1
    chosen = out[start + luck % equals]
    out.truncate(start)
    return chosen


@kernel
def entry_of(game: Any, s: Any) -> int:
    """The entry of a position by the tables or the rules."""
    number = game.ending_number(s)
    return game.table_entry(number) if number >= 0 else settled(game, s)
