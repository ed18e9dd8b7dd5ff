"""`check` finds what is wrong with a game, names the rule, and passes what is right."""

import inspect
import itertools
import re

import pytest
from conformance import broken
from core import toys

from counterplay import CHANCE, CounterplayError, Game, grid, load
from counterplay.conformance import compiled
from counterplay.conformance.check import check_here
from counterplay.conformance.compiled import agrees, count, counts, plain_twin
from counterplay.conformance.examination import examine
from counterplay.core import calling as watchdog
from counterplay.core.perft import perft
from counterplay.core.survey import smoke, survey


def quick(game, playthroughs=30):
    return check_here(game, playthroughs, seconds=20)


RIGHT = [
    *(toys.Subtraction(), toys.AnyObject(), toys.Shuffle(), toys.Draws(), load("connect-four:4,4")),
    *(broken.Lists(), broken.Guess(), broken.Featured(), broken.Planes(), broken.Parity()),
]


@pytest.mark.parametrize("game", RIGHT, ids=repr)
def test_right_games_pass(game):
    report = quick(plain_twin(game))
    assert report.ok, report
    assert report.playouts_per_second > 0


@pytest.mark.parametrize("game", [toys.Shuffle(), pytest.param(broken.Planes(), marks=pytest.mark.slow)], ids=repr)
def test_right_games_pass_compiled(game):
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


class Returns(toys.Subtraction):
    def actions(self, s, out):
        return list(range(1, min(3, s.left) + 1))


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


class Abridges(toys.Subtraction):
    def position_text(self, s):
        return repr(toys.Pile(s.left, 0))


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


class Paints(toys.Subtraction):
    def diagram(self, s, viewer=None):
        return "a board"


class Misclicks(toys.Subtraction):
    def diagram(self, s, viewer=None):
        return grid(["x"])

    def clicks(self, s, action):
        return ("b1",)


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
    (Loops, "rules", "actions", "loop forever"),
    (Nothing, "rules", "actions", "lists nothing"),
    (Returns, "rules", "actions", r"returns \[1, 2, 3\] and appends nothing to `out`; write out.append"),
    (Twice, "rules", "actions", "lists 1 twice"),
    (Words, "rules", "actions", "an action is an int; number them, and let `action_text` name them"),
    (NoPlayer, "rules", "to_move", "the 2 players are 0 to 1"),
    (NoDice, "rules", "to_move", "has no `chance`"),
    (NotZero, "rules", "utility", "does not add up to 0"),
    (TooMuch, "rules", "utility", "outside utility_bounds, which are"),
    (Loaded, "rules", "probability", "add up to 1.2, not 1"),
    (Endless, "ends", None, "no random playthrough ended"),
    (Forgetful, "keys", "key", "two different positions"),
    (Mumbles, "notation", "action_text", "alike"),
    (Misreads, "notation", "parse_action", "reads '2' as 1"),
    (Misplaces, "positions", "parse_position", "not Pile"),
    (Abridges, "positions", None, "`parse_position` reads .* not Pile"),
    (Lopsided, "symmetries", "symmetric", "not symmetric|a different utility"),
    (Tells, "information", "information", "two states with different actions"),
    (Boasts, "rules", "evaluate", "outside the declared evaluation_bounds"),
    (Overflows, "learning", "policy_index", "`policy_index` is 3 for the action 2, but `policy_size` is 3"),
    (Scrawls, "pictures", "svg", "no well-formed SVG"),
    (Paints, "pictures", "diagram", "make it by `grid`"),
    (Misclicks, "pictures", "clicks", "names the cell 'b1', which `diagram` does not have"),
    (Grows, "compiles", "evaluate", "differently compiled and in plain"),
]


def named(value):
    return getattr(value, "__name__", None)


@pytest.mark.parametrize("cls, what, rule, why", [*BROKEN, *broken.WRONG], ids=named)
def test_wrong_games_are_detected(cls, what, rule, why, monkeypatch):
    monkeypatch.setattr(watchdog, "PATIENCE", 0.5)
    game = cls() if what == "compiles" else plain_twin(cls())
    steps = examine(game, playthroughs=2 if what == "ends" else 30, seconds=20, seed=0)
    wrong = next(finding for finding in steps if not finding.ok)
    assert wrong.what == what
    assert re.search(why, wrong.detail)
    if rule:  # the sentence says where the rule is written
        lines, first = inspect.getsourcelines(vars(cls)[rule])
        line = int(wrong.detail.split(".py:")[1].split(":")[0].split(" ")[0])
        assert first <= line < first + len(lines)


def test_a_missing_rule_is_named():
    with pytest.raises(CounterplayError, match="NoRule has no `is_terminal`; a game must define it"):
        smoke(NoRule())


@pytest.mark.parametrize("cls, what, why", broken.DOUBTFUL, ids=named)
def test_findings_for_a_person_to_look_at_are_named(cls, what, why):
    report = quick(plain_twin(cls()), playthroughs=6)
    assert report.ok, report
    (finding,) = report.warnings
    assert finding.what == what
    assert re.search(why, finding.detail)


def test_a_rule_that_reads_its_list_is_right_or_detected():
    game = broken.FlatList()
    twin, s = plain_twin(game), game.initial()
    truth = count(game, s, 6, [])
    assert quick(game).ok == (perft(game, s, 6) == perft(twin, s, 6) == truth)


def test_a_tree_that_wraps_around_is_detected():
    game = broken.Overflow()
    s = game.initial()
    assert perft(plain_twin(game), s, 5) == count(game, s, 5, []) != perft(game, s, 5)
    with pytest.raises(CounterplayError, match=r"a compiled search counts .* but there are .* beyond 64 bits"):
        counts(game, survey(game, 20, 20.0))


def test_many_actions_are_no_mistake():
    found = survey(broken.Broad(), 1, 2.0)
    assert agrees(broken.Broad(), found, 1, 2.0, 0).startswith("compiled and plain play agree")


def test_the_time_for_hooks_begins_when_they_are_compiled(monkeypatch):
    """If chance moves first, no hook is called, and the compilation for the next position does not count."""
    game = toys.Draws()
    positions = list(itertools.dropwhile(lambda each: each.mover != CHANCE, survey(game, 2, 2.0).positions))
    monkeypatch.setattr(compiled, "within", lambda items: itertools.islice(items, 1))
    assert compiled.hooks(game, positions).endswith(" on 1 positions")
