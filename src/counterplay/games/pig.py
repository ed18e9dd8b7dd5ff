"""Pig: roll as often as you dare; a 1 loses the turn's points, and the first player to reach the goal wins.

On their turn a player rolls a die again and again. Each roll adds to the points of the turn, but a 1 loses them all and
ends the turn. Instead of rolling they may hold: the points of the turn become theirs for good, and the next player's
turn begins. Whoever reaches the goal, usually 100 points, wins (Scarne on Dice, 1945; solved by Neller and Presser,
Optimal Play of the Dice Game Pig, The UMAP Journal 25(1), 2004: the first player wins 0.5306 of the games).

Two options are left out because they never help: holding without points at risk, and rolling again with enough points
to win. So a turn begins with a roll, and the game ends as soon as the points at risk suffice.
"""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.diagram import Cell, Diagram, button, ink, paper, rectangle
from counterplay.core.formats.svg import CELL, rect
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.state import state

ROLL, HOLD = 0, 1
WORDS = ("roll", "hold")
COLOURS = ("#d33", "#2858b8", "#2a8a4a", "#c80")


@state
class State(NamedTuple):
    """A position: the scores, and the state of the turn."""

    scores: tuple[int, int, int, int]  # 0 for players who do not take part
    turn: int  # points at risk
    player: int  # whose turn it is
    rolling: bool  # the die is being rolled


class Pig(Game):
    """Roll as often as you dare; a 1 loses the turn's points."""

    name = "pig"
    runtime_parameters = ("goal",)

    def __init__(self, goal: int = 100, players: int = 2) -> None:
        if not 2 <= goal <= 1_000_000:
            raise CounterplayError(f"pig: the goal must be from 2 to 1000000, not {goal}")
        if not 2 <= players <= 4:
            raise CounterplayError(f"pig: 2, 3 or 4 can play, not {players}")
        self.goal, self.players = goal, players
        self.policy_size = 2

    def initial(self) -> State:
        return State((0, 0, 0, 0), 0, 0, False)

    def to_move(self, s: State) -> int:
        return CHANCE if s.rolling else s.player

    def actions(self, s: State, out: Actions) -> None:
        out.append(ROLL)
        if s.turn > 0:
            out.append(HOLD)

    def chance(self, s: State, out: Actions) -> None:
        for face in range(1, 7):
            out.append(face)

    def probability(self, s: State, event: int) -> float:
        return 1 / 6

    def result(self, s: State, action: int) -> State:
        if s.rolling and action > 1:
            return State(s.scores, s.turn + action, s.player, False)
        if s.rolling:
            return State(s.scores, 0, self.following(s.player), False)
        if action == ROLL:
            return State(s.scores, s.turn, s.player, True)
        return State(self.credited(s, s.turn), 0, self.following(s.player), False)

    def following(self, player: int) -> int:
        """The player after `player`."""
        return (player + 1) % self.players

    def credited(self, s: State, points: int) -> tuple[int, int, int, int]:
        """The scores with `points` more for the player whose turn it is."""
        a, b, c, d = s.scores
        p = s.player
        return (a + points * (p == 0), b + points * (p == 1), c + points * (p == 2), d + points * (p == 3))

    def is_terminal(self, s: State) -> bool:
        return s.scores[s.player] + s.turn >= self.goal

    def utility(self, s: State, player: int) -> float:
        return 1.0 if player == s.player else -1.0 / (self.players - 1)

    def evaluate(self, s: State, player: int) -> float:
        """The lead over the others' average, as a fraction of the goal; points at risk count half."""
        mine, all_points = 0.0, 0.0
        for p in range(self.players):
            points = s.scores[p] + (0.5 * s.turn if p == s.player else 0.0)
            all_points += points
            if p == player:
                mine = points
        return (mine - (all_points - mine) / (self.players - 1)) / self.goal

    def viewer(self, s: State) -> int:
        return s.player  # also while the die is being rolled

    # Notation: "roll", "hold" and the die's faces 1 to 6; positions such as "12 30 turn 5 player 1 rolling".

    def action_text(self, s: State, action: int) -> str:
        return str(action) if s.rolling else WORDS[action]

    def position_text(self, s: State) -> str:
        scores = " ".join(str(points) for points in s.scores[: self.players])
        return f"{scores} turn {s.turn} player {s.player + 1}" + (" rolling" if s.rolling else "")

    def parse_position(self, text: str) -> State:
        words = text.lower().split()
        rolling = words[-1:] == ["rolling"]
        n = self.players
        rest = words[: len(words) - rolling]
        shape = len(rest) == n + 4 and rest[n] == "turn" and rest[n + 2] == "player"
        numbers = [*rest[:n], rest[n + 1], rest[n + 3]] if shape else []
        if not numbers or not all(word.isdecimal() and word.isascii() and len(word) <= 7 for word in numbers):
            example = " ".join(["12", "30", "0", "7"][:n])
            raise InvalidPosition(
                f'{self.spec}: write a position as "{example} turn 5 player 1", not {text.strip()[:80]!r}'
            )
        *scores, turn, player = map(int, numbers)
        if not 1 <= player <= n:
            raise InvalidPosition(f"{self.spec}: there is no player {player} among {n}")
        for points in scores:
            if points >= self.goal or points == 1:
                raise InvalidPosition(
                    f"{self.spec}: nobody has a score of {points}; scores are 0 or from 2 to {self.goal - 1}"
                )
        padded = (*scores, 0, 0)[:4]
        s = State((padded[0], padded[1], padded[2], padded[3]), turn, player - 1, rolling)
        self._check_turn(s)
        return s

    def _check_turn(self, s: State) -> None:
        """Refuse points at risk that no rolls can add up to."""
        before = s.scores[s.player]
        if s.turn == 1 or before + s.turn >= self.goal + 6:
            raise InvalidPosition(
                f"{self.spec}: no rolls from 2 to 6 add up to {s.turn} points for a player who has {before}"
            )
        if s.rolling and before + s.turn >= self.goal:
            raise InvalidPosition(f"{self.spec}: with {before} and {s.turn} points the player has already won")

    # Pictures.

    def player_name(self, player: int) -> str:
        return "the die" if player == CHANCE else f"player {player + 1}"

    def board(self, s: State, viewer: int | None = None) -> str:
        rows = []
        for p in range(self.players):
            mark = "*" if p == s.player else " "
            note = f" + {s.turn} at risk" if p == s.player and s.turn else ""
            rows.append(f"{mark} {self.player_name(p)}: {s.scores[p]:{len(str(self.goal))}}{note}")
        if self.is_terminal(s):
            rows.append(f"{self.player_name(s.player)} wins")
        elif s.rolling:
            rows.append("the die rolls")
        return "\n".join([*rows, f"goal {self.goal}"])

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        """Everyone's points on a bar, and the two actions."""
        left, length = 2 * CELL, 4.4 * CELL
        width, height = left + length + 100, (self.players + 1.8) * CELL
        shapes = [paper(width, height)]
        for p in range(self.players):
            middle, colour = (p + 0.6) * CELL, COLOURS[p]
            at_risk = s.turn if p == s.player else 0
            scale = length / max(self.goal, s.scores[p] + at_risk)
            name = ink(left - 12, middle, self.player_name(p), 16, anchor="end")
            shapes.append(name.replace("<text", '<text font-weight="bold"') if p == s.player else name)
            shapes.append(rect(left, middle - 11, length, 22, "#b9ae97", rx=4, opacity=0.5))
            shapes.append(rect(left, middle - 11, s.scores[p] * scale, 22, colour, rx=4))
            end = left + s.scores[p] * scale
            shapes.append(rect(end, middle - 11, at_risk * scale, 22, colour, rx=4, opacity=0.45))
            points = f"{s.scores[p]} + {at_risk}" if at_risk else str(s.scores[p])
            shapes.append(ink(left + length + 10, middle, points, 16, anchor="start"))
        below = (self.players + 0.35) * CELL
        shapes.append(ink(left + length, below, f"goal {self.goal}", anchor="end"))
        cells = []
        if not self.is_terminal(s) and not s.rolling:
            for x, word in zip((left + 1.4 * CELL, left + 3.9 * CELL), WORDS, strict=True):
                y = below + 0.8 * CELL
                shapes.append(button(x, y, 2.2 * CELL, word))
                cells.append(Cell(word, x, y, rectangle(x, y, 2.2 * CELL, 0.72 * CELL), is_word=True))
        return Diagram(width, height, tuple(cells), (), {}, "".join(shapes), self.board(s), turns=False)
