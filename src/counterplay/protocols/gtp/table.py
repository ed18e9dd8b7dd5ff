"""The board between two programs: a playthrough that also lets a side move twice, places handicap stones, and takes
back.

Most of GTP is the same for every board game of two sides: Go, and its board subset for Hex and Othello. What only Go
has (komi, handicap, scores, SGF) is refused in other games.
"""

from __future__ import annotations

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.games.go import notation
from counterplay.games.go.handicap import free_points, handicap_points, placed
from counterplay.games.go.rules import Go
from counterplay.games.hex import Hex
from counterplay.games.othello import Othello
from counterplay.protocols.gtp.syntax import Refusal

PLAYED = (Go, Hex, Othello)


class GtpTable:
    """The game and its current position."""

    def __init__(self, game: Game) -> None:
        if not isinstance(game, PLAYED):
            raise CounterplayError(f"GTP is spoken for go, hex and othello, not for {game.spec}")
        self.game: Game = game
        self.p = game.start()
        self._earlier: list[Playthrough] = []  # separated from what follows by a side that moved out of turn

    def change(self, **parameters: object) -> None:
        """The same game with other parameters, from the start."""
        try:
            self.game = type(self.game)(**{**self.game.parameters, **parameters})
        except CounterplayError as wrong:
            raise Refusal(str(wrong)) from None
        self.clear()

    def clear(self) -> None:
        """An empty board."""
        self.p, self._earlier = self.game.start(), []

    def set_komi(self, komi: float) -> None:
        """Set another komi; the board stays unchanged."""
        games = [(p._position, list(p.actions)) for p in (*self._earlier, self.p)]
        self.change(komi=komi)
        self._earlier = [self._replayed(*each) for each in games]
        self.p = self._earlier.pop()

    def _replayed(self, position: str | None, actions: list[int]) -> Playthrough:
        p = self.game.start(position=position)
        for action in actions:
            p.play(action)
        return p

    @property
    def go(self) -> Go:
        """The game, if it is Go."""
        self.require_go()
        assert isinstance(self.game, Go)
        return self.game

    def require_go(self) -> None:
        """Refuse what only Go has."""
        if not isinstance(self.game, Go):
            raise Refusal(f"only for go, not for {self.game.spec}")

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been played."""
        return not self._earlier and not self.p.actions and self.p.state == self.game.initial()

    def turn(self, player: int) -> None:
        """Make it `player`'s turn: a side may move twice, or continue after the end."""
        p = self.p
        if p.to_move == player and not p.is_over:
            return
        if isinstance(self.game, Go):
            s = p.state
            position = f"{'/'.join(notation.rows(self.game, s))} {notation.STONES[player]}"
        elif isinstance(self.game, Othello) and p.to_move != player:
            position = p.position[:-1] + "xo"[player]
        else:
            raise Refusal("illegal move")
        self._earlier.append(p)
        self.p = self.game.start(position=position)

    def play(self, player: int, text: str) -> None:
        """Play a move of `player`; an illegal one is refused and the board stays unchanged."""
        if not self.is_vertex(text):
            raise Refusal("syntax error")
        if self.p.is_over and text == "pass" and isinstance(self.game, Go):
            return  # both have passed already: another one changes nothing
        depth = len(self._earlier)
        self.turn(player)
        try:
            self.p.play(text)
        except CounterplayError:
            if len(self._earlier) > depth:
                self.p = self._earlier.pop()
            raise Refusal("illegal move") from None

    def is_vertex(self, text: str) -> bool:
        """Whether a word looks like a point, or like another move of the game."""
        return text in ("pass", "swap") or (text[:1].isalpha() and text[1:].isascii() and text[1:].isdigit())

    def undo(self) -> None:
        """Take the last move back."""
        if not self.p.actions:
            raise Refusal("cannot undo")
        self.p.undo()
        if not self.p.actions and self._earlier:
            self.p = self._earlier.pop()

    def put_stones(self, points: list[tuple[int, int]]) -> list[str]:
        """Put handicap stones on rows and columns of the empty board; White moves next."""
        game = self.go
        if not self.is_empty:
            raise Refusal("board not empty")
        self.p = game.start(position=placed(game, points))
        return [notation.vertex(game, row * game.stride + column) for row, column in points]

    def mark(self) -> tuple[Playthrough, int]:
        """The current state of the game, for `back`."""
        return self.p, len(self._earlier)

    def back(self, mark: tuple[Playthrough, int]) -> None:
        """Undo a `turn`."""
        self.p = mark[0]
        del self._earlier[mark[1] :]

    def put(self, p: Playthrough) -> None:
        """Continue from another playthrough."""
        self.game, self.p, self._earlier = p.game, p, []

    def fixed_handicap(self, stones: int) -> list[str]:
        """Place handicap stones on the dots of the board."""
        points = handicap_points(self.go.size, stones)
        if not points:
            raise Refusal("invalid number of stones")
        return self.put_stones(points)

    def own_handicap(self, stones: int) -> list[str]:
        """Place handicap stones of our choice."""
        if not 2 <= stones < self.go.size**2:
            raise Refusal("invalid number of stones")
        return self.put_stones(free_points(self.go.size, stones))

    def free_handicap(self, texts: list[str]) -> list[str]:
        """Place handicap stones chosen by the other program."""
        points = [notation.point_of(self.go, text) for text in texts]
        if not 2 <= len(points) < self.go.size**2 or min(points) < 0 or len(set(points)) < len(points):
            raise Refusal("bad vertex list")
        return self.put_stones([divmod(point, self.go.stride) for point in points])
