"""`check` finds what is wrong with a game, names the rule, and passes what is right."""

import inspect
import re

import pytest
from core import toys

from counterplay import CHANCE, CounterplayError, Game, load
from counterplay.core import calling as watchdog
from counterplay.core.check import check
from counterplay.core.survey import smoke


def quick(game):
    return check(game, playthroughs=30, seconds=3)


@pytest.mark.parametrize(
    "game", [toys.Subtraction(), toys.AnyObject(), toys.Shuffle(), toys.Draws(), load("connect-four:4,4")], ids=repr
)
def test_right_games_pass(game):
    report = quick(game)
    assert report.ok, report
    assert report.playouts_per_second > 0


class NoReturn(toys.Subtraction):
    def result(self, s, action):
        pass


class WrongClass(toys.Subtraction):
    def result(self, s, action):
        return toys.Spot(s.left - action, s.ply + 1)


class WrongField(toys.Subtraction):
    def result(self, s, action):
        return toys.Pile(s.left - action, (s.ply + 1) / 1)


class Raises(toys.Subtraction):
    def result(self, s, action):
        return toys.Pile(s.left - action // (s.left - 7), s.ply + 1)


class Loops(toys.Subtraction):
    def actions(self, s, out):
        n = 0
        while n <= s.left:
            n = 0 if s.left < 9 else n + 1
        out.append(1)


class Nothing(toys.Subtraction):
    def actions(self, s, out):
        if s.left > 4:
            out.append(1)


class Twice(toys.Subtraction):
    def actions(self, s, out):
        out.append(1)
        out.append(1)


class Words(toys.Subtraction):
    def actions(self, s, out):
        out.append("1")


class NoPlayer(toys.Subtraction):
    def to_move(self, s):
        return 1 + s.ply % 2


class NoDice(toys.Subtraction):
    def to_move(self, s):
        return CHANCE


class NotZero(toys.Subtraction):
    def utility(self, s, player):
        return 1.0


class TooMuch(toys.Subtraction):
    def utility(self, s, player):
        return -2.0 if player == s.ply % 2 else 2.0


class Loaded(toys.Draws):
    def probability(self, s, event):
        return 0.1


class Endless(toys.Shuffle):
    def __init__(self):
        super().__init__(repetition="none")

    def is_terminal(self, s):
        return False


class Forgetful(toys.Subtraction):
    def key(self, s):
        return s.ply


class Mumbles(toys.Subtraction):
    def action_text(self, s, action):
        return "take"


class Misreads(toys.Subtraction):
    def parse_action(self, s, text):
        return 1


class Misplaces(toys.Subtraction):
    def parse_position(self, text):
        return toys.Pile(3, 0)


class Lopsided(toys.Subtraction):
    symmetries = 2

    def symmetric(self, s, k):
        return s if k == 0 else toys.Pile(s.left, s.ply + 1)


class Tells(toys.Draws):
    def information(self, s, player):
        return 0

    def actions(self, s, out):
        out.append(1 + s.drawn % 2)


class Boasts(toys.Subtraction):
    def evaluate(self, s, player):
        return 7.0


class Overflows(toys.Subtraction):
    plane_shape, policy_size = (1, 1, 1), 3

    def policy_index(self, s, action):
        return action + 1


class Scrawls(toys.Subtraction):
    def svg(self, s, viewer=None):
        return "<svg>"


class Grows(toys.Subtraction):
    """Beyond 64 bits the compiled rule wraps around."""

    def evaluate(self, s, player):
        x = 3 + s.ply
        for _ in range(7):
            x = x * x + 1
        return (x % 1000) / 1000.0


class NoRule(Game):
    def initial(self):
        return toys.Pile(3, 0)


BROKEN = [
    (NoReturn, "rules", "result", "returns None"),
    (WrongClass, "rules", "result", "returns a Spot, but `initial` a Pile"),
    (WrongField, "rules", "result", r"Pile.ply, declared as int, to 1.0"),
    (Raises, "rules", "result", "ZeroDivisionError"),
    (Loops, "rules", "actions", "loop for ever"),
    (Nothing, "rules", "actions", "lists nothing"),
    (Twice, "rules", "actions", "lists 1 twice"),
    (Words, "rules", "actions", "an action is an int"),
    (NoPlayer, "rules", "to_move", "the 2 players are 0 to 1"),
    (NoDice, "rules", "to_move", "has no `chance`"),
    (NotZero, "rules", "utility", "does not add up to 0"),
    (TooMuch, "rules", "utility", "outside the declared utility_bounds"),
    (Loaded, "rules", "probability", "add up to 1.2, not 1"),
    (Endless, "ends", None, "no random playthrough ended"),
    (Forgetful, "keys", "key", "two different positions"),
    (Mumbles, "notation", "action_text", "alike"),
    (Misreads, "notation", "parse_action", "reads '2' as 1"),
    (Misplaces, "positions", "parse_position", "not Pile"),
    (Lopsided, "symmetries", "symmetric", "not symmetric|another utility"),
    (Tells, "information", "information", "two states with different actions"),
    (Boasts, "evaluation", "evaluate", "outside the declared evaluation_bounds"),
    (Overflows, "planes", "policy_index", "has place 3 of a policy of 3"),
    (Scrawls, "pictures", "svg", "no well-formed SVG"),
    (Grows, "compiles", "evaluate", "differently compiled and in plain"),
]


@pytest.mark.parametrize("cls, what, rule, why", BROKEN, ids=lambda value: getattr(value, "__name__", None))
def test_wrong_games_are_found_out(cls, what, rule, why, monkeypatch):
    monkeypatch.setattr(watchdog, "PATIENCE", 0.5)
    report = quick(cls())
    assert not report.ok
    wrong = next(finding for finding in report.findings if not finding.ok)
    assert wrong.what == what
    assert re.search(why, wrong.detail)
    if rule:  # the sentence says where the rule is written
        lines, first = inspect.getsourcelines(vars(cls)[rule])
        line = int(wrong.detail.split(".py:")[1].split(":")[0].split(" ")[0])
        assert first <= line < first + len(lines)


def test_a_missing_rule_is_named():
    with pytest.raises(CounterplayError, match="NoRule has no `is_terminal`; a game must write it"):
        smoke(NoRule())
