"""`show`: a position, with the board, the player to move and the legal actions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.api.position import AnyPosition, find_player, position_of
from counterplay.api.result import Result
from counterplay.core.formats.files import write_whole
from counterplay.core.game import CHANCE
from counterplay.core.playthrough import Playthrough
from counterplay.players.wording import outcome


@dataclass(frozen=True, repr=False)
class ShownPosition(Result):
    """A position as everyone, or one player, sees it; what they may not see is None."""

    game: str
    position: str | None
    moves: tuple[str, ...] | None
    to_move: str | None  # None if the game is over
    legal: tuple[str, ...] | None
    over: bool
    returns: tuple[float, ...] | None
    board: str
    text: str  # all this in words
    svg: Path | None = None

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        told: dict[str, Any] = {"game": self.game, "position": self.position, "moves": listed(self.moves)}
        told |= {"to_move": self.to_move, "legal": listed(self.legal), "over": self.over}
        told |= {"returns": listed(self.returns), "board": self.board}
        return told | ({} if self.svg is None else {"svg": str(self.svg)})

    def __str__(self) -> str:
        return self.text


def show(
    game: AnyPosition,
    *,
    position: str | None = None,
    moves: str = "",
    svg: str | Path | None = None,
    viewer: str = "",
) -> ShownPosition:
    """A position: the board, whose turn it is, and the legal actions. `viewer` is the player whose view is shown, by number
    from 1 or by name; `svg` is a file to draw the board to."""
    p = position_of(game, position, moves)
    seen_by = find_player(p.game, viewer) if viewer else None
    secret = seen_by is not None and p.game.has_secrets
    file = None if svg is None else Path(svg)
    if file is not None:
        write_whole(file, p.game.svg(p.state, seen_by))
    board, over = p.game.board(p.state, seen_by), p.is_over
    hides_actions = secret and p.to_move != seen_by
    return ShownPosition(
        game=p.game.spec,
        position=None if secret else p.position,
        moves=None if secret else tuple(p.moves),
        to_move=None if over else p.game.player_name(p.to_move),
        legal=None if hides_actions else tuple(p.legal()),
        over=over,
        returns=tuple(p.returns) if over else None,
        board=board,
        text="\n".join(lines(p, board, secret, hides_actions)),
        svg=file,
    )


def lines(p: Playthrough, board: str, secret: bool, hides_actions: bool) -> list[str]:
    """The position as text."""
    shown = [board, ""]
    if p.is_over:
        shown.append(outcome(p))
    elif hides_actions:
        shown.append(f"{p.game.player_name(p.to_move)} to move")
    else:
        between = ", " if any(" " in text for text in p.legal()) else " "
        shown.append(f"{p.game.player_name(p.to_move)} to move: {between.join(options(p))}")
    if not secret:
        shown.append(f"position: {p.position}")
    return shown


def options(p: Playthrough) -> list[str]:
    """The legal actions; if chance moves, the events with their probabilities."""
    if p.to_move != CHANCE:
        return p.legal()
    odds = [p.game.probability(p.state, event) for event in p.options()]
    return [f"{text} ({chance:.4g})" for text, chance in zip(p.legal(), odds, strict=True)]


def listed(values: tuple[Any, ...] | None) -> list[Any] | None:
    """A tuple as a JSON list."""
    return None if values is None else list(values)
