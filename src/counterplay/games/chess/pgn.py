"""Portable Game Notation (Edwards 1994): playthroughs of chess as other programs read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.records import numbered, tagged_record
from counterplay.core.playthrough import Playthrough
from counterplay.games.chess.library import library

if TYPE_CHECKING:
    from counterplay.games.chess.game import Chess

UNKNOWN = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?"}
RESULTS = {"1-0": (1.0, -1.0), "0-1": (-1.0, 1.0), "1/2-1/2": (0.0, 0.0)}
"""The payoffs of White and Black."""


def write_pgn(p: Playthrough, returns: Sequence[float] | None = None, **tags: str) -> str:
    """A playthrough with tags such as Event, White and Black; `returns` if someone forfeited."""
    got = returns or (p.returns if p.is_over else None)
    result = result_text(got) if got else "*"
    shown = {**UNKNOWN, **tags, "Result": result}
    if p.states[0] != p.game.initial() or p.game.parameters.get("start", 518) != 518:
        shown |= {"SetUp": "1", "FEN": p.game.position_text(p.states[0])}
    return tagged_record(shown, [*numbered(p.moves, p.states[0].ply), result])


def result_text(returns: Sequence[float]) -> str:
    """The result of a game from White's and Black's payoffs."""
    return "1-0" if returns[0] > returns[1] else "0-1" if returns[0] < returns[1] else "1/2-1/2"


def read_pgn(
    game: Chess, path: str | Path, skip: Callable[[str], None] | None = None
) -> Iterator[tuple[Playthrough, dict[str, str]]]:
    """The games of a file, the main line of each as a playthrough (from any start, including Chess960), and its tags.

    A game goes as far as our rules allow: an unclaimed draw ends it here. If a game cannot be read, `skip` receives the
    reason, and the next one follows; without `skip` it is an error.
    """
    read_game = library("pgn").read_game
    try:
        file = Path(path).open(encoding="utf-8", errors="replace")  # noqa: SIM115 (closed below)
    except OSError as wrong:
        raise CounterplayError(f"cannot read {path}: {wrong.strerror}") from None
    with file:
        for number in count(1):
            try:
                found = read_game(file, Visitor=builder)
                if found is None:
                    return
                p = main_line(game, found)
            except Exception as wrong:  # python-chess can raise anything on garbage
                told = str(wrong) if isinstance(wrong, CounterplayError) else "it cannot be read"
                sentence = f"{path}, game {number}: {told}"
                if skip is None:
                    raise CounterplayError(sentence) from None
                skip(sentence)
                continue
            yield p, dict(found.headers)


def main_line(game: Chess, found: Any) -> Playthrough:
    """The main line of a game that python-chess has read."""
    if found.errors:
        raise CounterplayError(str(found.errors[0]))
    if found.headers.variant() is not library().Board:
        raise CounterplayError(f"its rules are those of {found.headers['Variant']}, not of chess")
    p = game.start(position=found.headers.get("FEN"))
    for move in found.mainline_moves():
        if p.is_over:
            break
        if not move:
            raise CounterplayError(f"a null move (--) after ply {len(p)}: nobody may pass in chess")
        p.play(move.uci())
    return p


def builder() -> Any:
    """python-chess's builder of games, with errors collected for our own message instead of logged."""
    made = library("pgn").GameBuilder()
    made.handle_error = lambda error: made.game.errors.append(error)
    return made
