"""Openings: the starts of a match's games, drawn at random or read from a file.

Strong players repeat themselves from the start position; openings make them show more. Each is played from every side,
so an opening that favours one side gives nobody an advantage.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.rng import Rng
from counterplay.core.playthrough import Playthrough
from counterplay.core.rules import draw_event

PLIES = 4
"""The default number of random plies at the start of a game without chance of its own."""
TRIES = 100
"""How often an opening that ends the game is redrawn before a shorter one is used."""


class Opening(NamedTuple):
    """The start of a game: a position (None: the usual one), with some moves played."""

    moves: str = ""
    position: str | None = None

    def start(self, game: Game, seed: int = 0) -> Playthrough:
        """A playthrough from this opening; `seed` is for its dice."""
        return game.start(self.moves, position=self.position, seed=seed)


def usual_plies(game: Game) -> int:
    """The default number of random plies: 0 if dice or deals make games differ, or if players choose unseen."""
    return 0 if game.has_chance or game.has_secrets else PLIES


def random_opening(game: Game, plies: int, seed: int) -> Opening:
    """An opening of this many random plies that leaves the game unfinished; shorter if there is none."""
    rng = Rng(seed)
    for length in range(plies, 0, -1):
        for _ in range(TRIES):
            p = game.start()
            while len(p) < length and not p.is_over:
                options = p.options()
                drawn = draw_event(game, p.state, rng) if p.to_move == CHANCE else options[rng.below(len(options))]
                p.play(drawn)
            if not p.is_over:
                return Opening(" ".join(p.moves))
    return Opening()


def read_openings(game: Game, file: Path) -> list[Opening]:
    """The openings in a file: each line has moves, or a position as `show` writes it; # begins a comment."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as wrong:
        why = wrong.strerror if isinstance(wrong, OSError) else "it is not UTF-8 text"
        raise CounterplayError(f"cannot read the openings in {str(file)!r}: {(why or str(wrong)).lower()}") from None
    found = [
        read_opening(game, line.strip(), f"{file}:{number}")
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not found:
        raise CounterplayError(f"{file} has no opening; each line is one, as moves or as a position")
    return found


def read_opening(game: Game, line: str, location: str) -> Opening:
    """One line of such a file."""
    reasons = []
    for opening in (Opening(line), Opening("", line)):
        try:
            p = opening.start(game)
        except CounterplayError as wrong:
            reasons.append(str(wrong))
            continue
        if p.is_over:
            raise CounterplayError(f"{location}: after this opening the game is over")
        return opening
    raise CounterplayError(f"{location}: neither moves ({reasons[0]}) nor a position ({reasons[1]})")
