"""Trio: a game for three.

A row of coins. In turn, each of three players takes one coin from the left end, two from the right end, or passes once in
the game. Whoever takes the last coin pays one to each of the others.

With more than two players, `utility` gives each player's payoff; here the payoffs add up to 0.
"""

from typing import NamedTuple

from counterplay import Game, replaced, state

LEFT, RIGHT, PASS = range(3)


@state
class State(NamedTuple):
    """What is left, who has passed, and whose turn it is."""

    coins: int
    passed: tuple[bool, bool, bool]
    turn: int


class Trio(Game):
    """Take coins, but not the last one."""

    players = 3
    utility_bounds = (-2.0, 1.0)
    runtime_parameters = ("coins",)  # the same machine code for any number of them

    def __init__(self, coins: int = 12) -> None:
        self.coins = coins

    def initial(self):
        return State(self.coins, (False, False, False), 0)

    def to_move(self, s):
        return s.turn

    def actions(self, s, out):
        out.append(LEFT)
        if s.coins >= 2:
            out.append(RIGHT)
        if not s.passed[s.turn]:
            out.append(PASS)

    def result(self, s, action):
        turn = (s.turn + 1) % 3
        if action == PASS:
            return State(s.coins, replaced(s.passed, s.turn, True), turn)
        return State(s.coins - action - 1, s.passed, turn)

    def is_terminal(self, s):
        return s.coins == 0

    def utility(self, s, player):
        return -2.0 if player == (s.turn - 1) % 3 else 1.0  # the player before took the last coin

    def action_text(self, s, action):
        return ("left", "right", "pass")[action]

    def board(self, s, viewer=None):
        waiting = [self.player_name(i) for i in range(3) if not s.passed[i]]
        return "o " * s.coins + f"\nmay still pass: {', '.join(waiting) or 'nobody'}"
