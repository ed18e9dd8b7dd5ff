"""Portable Game Notation (Edwards 1994): playthroughs of chess as other programs read them."""

from __future__ import annotations

from collections.abc import Sequence

from counterplay.core.playthrough import Playthrough
from counterplay.core.records import numbered, tagged_record

UNKNOWN = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?"}


def write_pgn(p: Playthrough, returns: Sequence[float] | None = None, **tags: str) -> str:
    """A playthrough with tags such as Event, White and Black; `returns` where somebody forfeited."""
    got = returns or (p.returns if p.is_over else None)
    result = "*"
    if got:
        result = "1-0" if got[0] > got[1] else "0-1" if got[0] < got[1] else "1/2-1/2"
    shown = {**UNKNOWN, **tags, "Result": result}
    if p.states[0] != p.game.initial() or p.game.parameters.get("start", 518) != 518:
        shown |= {"SetUp": "1", "FEN": p.game.position_text(p.states[0])}
    return tagged_record(shown, [*numbered(p.moves, p.states[0].ply), result])
