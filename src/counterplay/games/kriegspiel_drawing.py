"""Kriegspiel in the terminal and as SVG: White sees where Black's king may be, and what the referee said."""

from __future__ import annotations

from counterplay.core.formats.svg import CELL, Box, label, picture, rect
from counterplay.core.language.bits import bit
from counterplay.games.kriegspiel import BLACK, FILES, NOWHERE, PIECE, WHITE, Kriegspiel, State

SAID = ("no", "", "check on the rank", "check on the file", "check on the long diagonal", "check on the short diagonal")
"""What the referee says of a try."""
WORD = {"R": "the rook", "Q": "the queen"}
SIGNS = {"K": "\u265a", "R": "\u265c", "Q": "\u265b", "k": "\u265a", "?": "?"}


def shown(game: Kriegspiel, s: State, square: int, viewer: int | None) -> str:
    """What a viewer sees on a square: a piece, ? where Black's king may stand, . for nothing."""
    if square in (s.king, s.piece):
        return "K" if square == s.king else game.letter
    if viewer != WHITE or s.piece == NOWHERE:
        return "k" if square == s.lone else "."
    return "?" if s.lone != NOWHERE and game.possible(s, s.moves) & bit(square) else "."


def referee(game: Kriegspiel, s: State) -> str:
    """What the referee said last."""
    if s.piece == NOWHERE:
        return f"{WORD[game.letter]} is taken: a draw"
    if s.tries == 0 or s.lone == NOWHERE:
        return ""
    if s.player == BLACK and game.is_terminal(s):
        return "checkmate" if game.utility(s, WHITE) else "stalemate"
    return SAID[game.said(s, s.tries - 1)]


def board(game: Kriegspiel, s: State, viewer: int | None) -> str:
    """The board in the terminal: White sees where Black's king may be."""
    n = game.size
    rows = [
        f"{rank + 1}  " + " ".join(shown(game, s, rank * n + file, viewer) for file in range(n))
        for rank in reversed(range(n))
    ]
    said = referee(game, s)
    tried = f"White has tried {game.words(s)[-1]}: " if s.refused else ""
    return "\n".join([*rows, f"   {' '.join(FILES[:n])}", *([f"{tried}{said}"] if said else [])])


def svg(game: Kriegspiel, s: State, viewer: int | None) -> str:
    """The board as SVG."""
    n, edge = game.size, CELL / 2
    side = n * CELL + 2 * edge
    shapes = [rect(0, 0, side, side + edge, "#232833", rx=8)]
    for square in range(game.cells):
        rank, file = divmod(square, n)
        x, y = edge + file * CELL, edge + (n - 1 - rank) * CELL
        here = shown(game, s, square, viewer)
        light = "#8f9bb3" if (rank + file) % 2 else "#66718a"
        shapes.append(rect(x, y, CELL, CELL, "#b9a44c" if here == "?" else light))
        if here != ".":
            fill, size = ("#fff", 38) if here in "KRQ" else ("#111", 38 if here == "k" else 26)
            shapes.append(label(x + CELL / 2, y + CELL / 2, SIGNS[here], size=size, fill=fill))
    shapes += [label(edge + (i + 0.5) * CELL, side - edge / 2, FILES[i], fill="#cbd3e1") for i in range(n)]
    shapes += [label(edge / 2, side - edge - (i + 0.5) * CELL, str(i + 1), fill="#cbd3e1") for i in range(n)]
    shapes.append(label(side / 2, side + edge / 4, referee(game, s), size=14, fill="#ffe9a8"))
    return picture(side, side + edge, shapes)


def spots(game: Kriegspiel, s: State, action: int) -> tuple[Box, ...]:
    """Where one clicks for an action: the piece, and where it goes."""
    if s.lone == NOWHERE:
        return (box(game, action),)
    origin = s.lone if s.player == BLACK else s.piece if action >= PIECE else s.king
    return box(game, origin), box(game, action % PIECE)


def box(game: Kriegspiel, square: int) -> Box:
    """Where a square is drawn."""
    rank, file = divmod(square, game.size)
    return Box((file + 0.5) * CELL, (game.size - rank - 0.5) * CELL, CELL, CELL)
