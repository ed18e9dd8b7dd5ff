"""Kriegspiel in the terminal and as a diagram: White sees where Black's king may be, and the referee's answer."""

from __future__ import annotations

from counterplay.core.formats.diagram import Diagram, Look, grid, ink, paper
from counterplay.core.formats.svg import CELL, circle, label
from counterplay.core.language.bits import bit
from counterplay.games.chess.drawing import LOOKS
from counterplay.games.kriegspiel.ending import BLACK, FILES, NOWHERE, PIECE, WHITE, KriegspielEnding, State

SAID = ("no", "", "check on the rank", "check on the file", "check on the long diagonal", "check on the short diagonal")
"""The referee's answers to a try."""
WORD = {"R": "the rook", "Q": "the queen"}
MAYBE = Look("perhaps the black king", circle(0, 0, 17, "#3b3527", opacity=0.75) + label(0, 1, "?", 22, "#ffe9a8"))


def shown(game: KriegspielEnding, s: State, square: int, viewer: int | None) -> str:
    """What a viewer sees on a square: a piece, ? if Black's king may be there, . for nothing."""
    if square in (s.king, s.piece):
        return "K" if square == s.king else game.letter
    if viewer != WHITE or s.piece == NOWHERE:
        return "k" if square == s.lone else "."
    return "?" if s.lone != NOWHERE and game.possible(s, s.moves) & bit(square) else "."


def referee(game: KriegspielEnding, s: State) -> str:
    """The referee's last answer."""
    if s.piece == NOWHERE:
        return f"{WORD[game.letter]} is taken: a draw"
    if s.tries == 0 or s.lone == NOWHERE:
        return ""
    if s.player == BLACK and game.is_terminal(s):
        return "checkmate" if game.utility(s, WHITE) else "stalemate"
    return SAID[game.said(s, s.tries - 1)]


def board(game: KriegspielEnding, s: State, viewer: int | None) -> str:
    """The board in the terminal: White sees where Black's king may be."""
    n = game.size
    rows = [
        f"{rank + 1}  " + " ".join(shown(game, s, rank * n + file, viewer) for file in range(n))
        for rank in reversed(range(n))
    ]
    said = referee(game, s)
    tried = f"White has tried {game.words(s)[-1]}: " if s.refused else ""
    return "\n".join([*rows, f"   {' '.join(FILES[:n])}", *([f"{tried}{said}"] if said else [])])


def diagram(game: KriegspielEnding, s: State, viewer: int | None) -> Diagram:
    """The board as cells, with the referee's answer below it."""
    n = game.size
    rows = [[shown(game, s, rank * n + file, viewer) for file in range(n)] for rank in reversed(range(n))]
    drawn = grid(rows, {**LOOKS, "?": MAYBE}, ground="chequered")
    height = drawn.height + CELL / 2
    ground = paper(drawn.width, height) + drawn.ground + ink(drawn.width / 2, height - CELL / 4, referee(game, s), 14)
    return drawn._replace(height=height, ground=ground, text=board(game, s, viewer), turns=False)


def clicks(game: KriegspielEnding, s: State, action: int) -> tuple[str, ...]:
    """The squares to click for an action: the piece's, and its target."""
    if s.lone == NOWHERE:
        return (square_name(game, action),)
    origin = s.lone if s.player == BLACK else s.piece if action >= PIECE else s.king
    return square_name(game, origin), square_name(game, action % PIECE)


def square_name(game: KriegspielEnding, square: int) -> str:
    """The name of a square."""
    rank, file = divmod(square, game.size)
    return f"{FILES[file]}{rank + 1}"
