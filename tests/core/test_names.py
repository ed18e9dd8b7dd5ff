"""An attribute cannot take a name that means something to every Game."""

import re

import pytest
from core import toys

from counterplay import CounterplayError, Game, load

NAMES = ["start", "key", "stones", "mark", "part", "stage", "name", "spec", "traits"]


@pytest.mark.parametrize("name", NAMES)
def test_an_attribute_that_hides_a_name_of_every_game_is_refused_with_its_line(name, tmp_path):
    file = tmp_path / "hiding.py"
    file.write_text(
        "from counterplay import Game\n"
        "class Hiding(Game):\n"
        "    def __init__(self, start: int = 3):\n"
        f"        self.{name} = start\n"
    )
    with pytest.raises(CounterplayError, match=rf"hiding.py:4: `self.{name}` hides the .* `{name}`.*; rename it"):
        load(str(file))


def test_a_class_cannot_put_a_number_in_place_of_a_method():
    with pytest.raises(CounterplayError, match=r"`Numbered.stage` hides the method `stage`"):
        type("Numbered", (Game,), {"stage": 2})


def test_a_class_cannot_put_a_method_in_place_of_a_setting():
    with pytest.raises(CounterplayError, match=r"`Repeating.repetition` is a method, but `repetition` is a setting"):
        type("Repeating", (Game,), {"repetition": lambda self, s: s})


WRONG = {
    "repetition": ("draws", "none, draw, loss or illegal"),
    "players": (2.0, "an int from 1 to 64"),
    "zero_sum": ("no", "True or False"),
    "compiled": ("no", "True or False"),
    "utility_bounds": ((float("-inf"), float("inf")), r"\(lowest, highest\), two finite numbers"),
    "outcomes": ((1.0, -1.0), "a tuple of different finite numbers in ascending order"),
    "feature_names": ("lead", "a tuple of strings"),
    "patterns": (((0, 64),), "a tuple of tuples of cells, ints from 0 to 63"),
    "plane_shape": ((3, 3), r"\(planes, rows, columns\), three ints of at least 1, or \(\)"),
    "policy_size": (-1, "an int of at least 0"),
    "stages": (True, "an int of at least 1"),
    "symmetries": (2.5, "an int of at least 1"),
    "occurrences": (1, "an int of at least 2"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_setting_that_means_nothing_is_refused(name):
    value, words = WRONG[name]
    game = type("Wrong", (toys.Subtraction,), {name: value})()
    with pytest.raises(CounterplayError, match=rf"^Wrong\.{name} is {re.escape(repr(value))}; it must be {words}$"):
        game.frozen  # noqa: B018


def test_what_is_there_to_be_set_can_be_set():
    class Settled(Game):
        def __init__(self):
            self.players, self.symmetries, self.width = 3, 2, 4
            self.utility = lambda s, player: 0.0

    assert Settled().players == 3
