"""Dash: a race with dice.

In turn, each player throws one die or two and runs as many steps. But a throw of 7 with two dice is a fall, and the
runner goes back to the start. Whoever first reaches the goal wins.

The dice are a player as well, called CHANCE: on its turn, `chance` lists the events and `probability` gives their
chances. `features` is what `counterplay train` learns from; `viewer` says from whose point of view they are written.
"""

from typing import NamedTuple

from counterplay import CHANCE, Game, note, state


@state
class State(NamedTuple):
    """How far the players are, and the state of the turn."""

    run: tuple[int, int]  # how far each player has come
    turn: int  # whose turn it is
    dice: int  # how many dice are being thrown


class Dash(Game):
    """Run with one die, or with two and at a risk."""

    feature_names = ("my way left", "their way left", "dice in the air")

    def __init__(self, goal: int = 20) -> None:
        self.goal = goal

    def initial(self):
        return State((0, 0), 0, 0)

    def to_move(self, s):
        return CHANCE if s.dice > 0 else s.turn

    def actions(self, s, out):
        out.append(1)
        out.append(2)

    def chance(self, s, out):
        for throw in range(s.dice, 6 * s.dice + 1):
            out.append(throw)

    def probability(self, s, event):
        return 1 / 6 if s.dice == 1 else (6 - abs(event - 7)) / 36

    def result(self, s, action):
        if s.dice == 0:
            return State(s.run, s.turn, action)  # the dice are thrown; chance decides the result
        first, second = s.run
        fell = s.dice == 2 and action == 7
        if s.turn == 0:
            first = 0 if fell else first + action
        else:
            second = 0 if fell else second + action
        return State((first, second), 1 - s.turn, 0)

    def is_terminal(self, s):
        return max(s.run[0], s.run[1]) >= self.goal

    def utility(self, s, player):
        return 1.0 if s.run[player] >= self.goal else -1.0

    def viewer(self, s):
        return s.turn  # also while the dice are being thrown

    def features(self, s, out):
        note(out, 0, (self.goal - s.run[s.turn]) / self.goal)
        note(out, 1, (self.goal - s.run[1 - s.turn]) / self.goal)
        note(out, 2, s.dice / 2)

    def action_text(self, s, action):
        return str(action) if s.dice else ("one", "two")[action - 1]

    def board(self, s, viewer=None):
        return "\n".join(f"{self.player_name(i)}: {'=' * run}> {run} of {self.goal}" for i, run in enumerate(s.run))
