"""Positions and whole games from the clipboard, in any notation that a game reads, and back again."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough, open_playthrough
from counterplay.web.admission import MOST_ACTIONS, MOST_MOVES, SECONDS, playthrough, require_length

RECORD = re.compile(r"\s*(\[\s*\w+\s+\"|\(\s*;|#|V\d|\S+：)")
"""How PGN and PDN begin with their tags, SGF with its tree, CSA with its version, KIF with a comment or a tag."""
BESIDE = re.compile(r"\{[^}]*\}|\$\d+|\b\d+\s*\.+|(?:^|\s)(?:1-0|0-1|1/2-1/2|\*)\s*$|[?!]+(?=\s|$)")
"""What stands beside moves in books: comments, numbers, results, praise and blame."""


def read_pasted(game: Game, text: str) -> Playthrough:
    """What a text is: a game in its own format, moves from the start, or a position."""
    text = text.strip()
    require_length("the text", text, MOST_MOVES)
    if not text:
        raise CounterplayError("paste a position or a game first")
    if game.record_suffix and RECORD.match(text):
        return read_record(game, text)
    reasons = []
    for moves in dict.fromkeys((text, BESIDE.sub(" ", text))):
        try:
            return playthrough(game, None, moves)
        except CounterplayError as wrong:
            reasons.append(str(wrong))
    try:
        return playthrough(game, text, "")
    except CounterplayError as wrong:
        raise CounterplayError(f"neither moves ({reasons[-1]}) nor a position ({wrong})") from None


def read_record(game: Game, text: str) -> Playthrough:
    """The first game of a text in the game's own format."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"pasted.{game.record_suffix}"
        file.write_text(text + "\n", encoding="utf-8")
        try:
            found = next(iter(game.read_playthroughs(file)), None)
        except CounterplayError as wrong:
            raise CounterplayError(str(wrong).replace(str(file), "the text")) from None
    if found is None:
        raise CounterplayError(f"there is no game in this {game.record_suffix.upper()}")
    p = found[0]
    if len(p) > MOST_ACTIONS:
        raise CounterplayError(f"a playthrough may have {MOST_ACTIONS} actions here, not more")
    start = None if p.states[0] == game.initial() else game.position_text(p.states[0])
    return open_playthrough(game, start, " ".join(p.moves), 0, SECONDS)


def written(p: Playthrough) -> tuple[str, str]:
    """A playthrough as text, in the game's own format where it has one, and how a file of it ends."""
    game = p.game
    if not game.record_suffix:
        return " ".join(p.moves), "txt"
    names = [game.player_name(player) for player in range(game.players)]
    return game.playthrough_text(p, names, p.returns, {}), game.record_suffix
