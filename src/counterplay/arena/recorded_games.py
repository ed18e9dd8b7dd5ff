"""Games read from files: those of a match or tournament, or in a game's own format (PGN, PDN, SGF)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from counterplay.arena.openings import Opening
from counterplay.arena.store import Store, is_store
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough, RecordedGame
from counterplay.core.registry import is_spec_of, load, names_file
from counterplay.games.chess.game import Chess
from counterplay.games.chess.pgn import read_pgn, result_text


def read_games(game: Game, file: Path) -> Iterator[RecordedGame]:
    """The games of a file whose results come from the rules: of the arena, or in the game's own format."""
    if game.record_suffix and file.suffix.lower().removeprefix(".") in (game.record_suffix, *game.more_suffixes):
        for p, utilities in game.read_playthroughs(file):
            usual = p.states[0] == game.initial()
            start = game.start(position=None if usual else game.position_text(p.states[0]))
            yield RecordedGame(start, list(p.actions), utilities)
        return
    store = Store.existing(file)
    try:
        if not is_spec_of(store.plan.game, game):
            raise CounterplayError(f"{str(file)!r} has games of {store.plan.game}, not of {game.spec}")
        for text, result in store.texts_and_results():
            if len(result.players) != game.players:
                raise store.damaged(text.game)
            if text.ended == "rules":  # otherwise someone forfeited: the result says nothing about the positions
                start = Opening(text.opening, text.position).start(game)
                yield RecordedGame(start, game.split_moves(text.moves), result.utilities)
    finally:
        store.close()


def read_chess_games(file: Path, skip: Callable[[str], None]) -> Iterator[tuple[Playthrough, dict[str, str]]]:
    """Every game of a file, the arena's or PGN, with its tags; `skip` receives a game that cannot be read."""
    if not is_store(file):
        yield from read_pgn(Chess(), file, skip)
        return
    store = Store.existing(file)
    try:
        spec = store.plan.game
        game = None if names_file(spec) else load(spec)  # a file that only the data name is never run
        if not isinstance(game, Chess):
            raise CounterplayError(f"{str(file)!r} has games of {spec}, not of chess")
        for text, result in store.texts_and_results():
            p = Opening(f"{text.opening} {text.moves}", text.position).start(game)
            yield p, {"Result": result_text(result.utilities)}
    finally:
        store.close()
