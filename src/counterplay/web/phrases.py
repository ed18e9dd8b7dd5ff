"""The texts of the Play page: whose turn it is, how a game ended, the opponent's view. In plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from counterplay.core.game import CHANCE, Game
from counterplay.players.wording import outcome, side_of

if TYPE_CHECKING:
    from counterplay.core.formats.diagram import Diagram
    from counterplay.web.table import GameTable

EVEN, BETTER, WINNING = 0.12, 0.4, 0.8
"""The fractions of the best result from which a side is called a little better, better, winning."""
FLAT = ("disc", "stone")
"""Pieces that are called by their colour alone."""
SEATS = ("button", "big blind")
"""Sides named for their seats: a sentence calls them "the button"."""


def side(game: Game, player: int, drawn: Diagram | None = None) -> str:
    """A side's name by its look on the board, such as "red" if its letter stands for a red disc."""
    name = side_of(game, player)
    if drawn is not None and name in drawn.looks:
        colour, _, shape = drawn.looks[name].name.rpartition(" ")
        return colour if shape in FLAT and colour else name.upper()
    return name


def capital(text: str) -> str:
    """A text with a capital letter at its start."""
    return text[:1].upper() + text[1:]


class Phrases:
    """Sentences about a table."""

    def __init__(self, table: GameTable) -> None:
        self.table = table
        self.sides = [side(table.game, i, table.diagram()) for i in range(table.game.players)]

    def who(self, player: int) -> str:
        """A side's name inside a sentence."""
        name = self.sides[player] if player != CHANCE else self.table.game.player_name(player)
        return f"the {name}" if name in SEATS else name

    def turn(self) -> str:
        """Whose turn it is."""
        table = self.table
        mover = self.who(table.p.to_move)
        if not table.is_persons_turn:
            return f"{capital(mover)} is thinking"
        if table.game.players == 1:
            return "Your move"
        return f"Your move: you are {mover}" if len(table.people) == 1 else f"{capital(mover)} to move"

    def ending(self) -> str:
        """How the game ended, from the visitor's point of view: "You lost: White won by checkmate, move 23"."""
        table, game = self.table, self.table.game
        you = table.people[0] if len(table.people) == 1 else None
        if table.loser is not None:
            return (
                f"You {table.why}"
                if table.loser == you
                else f"{capital(self.who(table.loser))} {table.why}{self.so(you)}"
            )
        returns = table.returns
        how = game.ending(table.p.state) if game.is_terminal(table.p.state) else "by repetition"
        when = f", move {self.moves()}" if game.players < 3 else ""
        plain = game.players == 2 and game.zero_sum
        if plain and not any(returns):
            return f"A draw {how}{when}".replace(" ,", ",")
        if not plain or (not how and you is None):
            return capital(outcome(table.p).removeprefix("over: "))
        winner = returns.index(max(returns))
        if not how:
            much = f" {max(returns):g}" if game.utility_bounds != (-1.0, 1.0) else ""
            return f"You {'won' if winner == you else 'lost'}{much}{when}"
        told = f"{capital(self.who(winner))} won {how}".rstrip() + when
        return told if you is None else f"You {'won' if winner == you else 'lost'}: {told}"

    def so(self, you: int | None) -> str:
        """The meaning for the person of a loss outside the rules."""
        return ": you won" if you is not None and self.table.game.players == 2 else ""

    def moves(self) -> int:
        """The largest number of moves made by one player."""
        made = sum(mover != CHANCE for mover in self.table.movers())
        return -(-made // self.table.game.players)

    def thought(self, mover: int, found: dict[str, Any]) -> str:
        """A player's view in words: "About even; I looked 9 moves ahead."."""
        game, value, plies = self.table.game, found.get("value"), found.get("plies")
        parts = []
        if value is not None:
            parts.append(self.judgement(game, value, plies, bool(found.get("proven"))))
        if found.get("depth"):
            parts.append(f"looked {counted(found['depth'], 'move')} ahead")
        elif found.get("nodes") and found["nodes"] > 1:
            parts.append(f"played it through {found['nodes']:,} times")
        if not parts:
            return ""
        words = "; I ".join(parts) if value is not None else f"I {parts[0]}"
        return capital(words) + "."

    def judgement(self, game: Game, value: float, plies: int | None, proven: bool) -> str:
        """A value in words, for the player who moved."""
        high = game.utility_bounds[1]
        if not game.zero_sum or game.players != 2 or high <= 0:
            return f"I expect {value:.3g}"
        part = value / high
        if proven or plies is not None:
            if not value:
                return "it is a draw if nobody errs"
            when = f" in {counted(-(-plies // 2), 'move')}" if plies else ""
            return f"I win{when}" if value > 0 else f"I am lost{when}, if you find it"
        if own := game.value_text(value):
            return f"I count {own}"
        if abs(part) < EVEN:
            return "about even"
        word = "a little better" if abs(part) < BETTER else "better" if abs(part) < WINNING else "winning"
        return f"I am {word}" if part > 0 else f"you are {word}"


def counted(n: int, what: str) -> str:
    """1 move, 2 moves."""
    return f"{n} {what}{'s' * (n != 1)}"
