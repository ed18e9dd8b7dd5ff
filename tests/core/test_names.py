"""An attribute cannot take a name that means something to every Game."""

import pytest

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


def test_a_rule_of_repetition_must_be_one_that_there_is():
    class Repeating(type(load("tic-tac-toe"))):
        repetition = "draws"

    with pytest.raises(
        CounterplayError, match=r"Repeating.repetition is 'draws'; it must be none, draw, loss or illegal"
    ):
        Repeating().frozen  # noqa: B018


def test_what_is_there_to_be_set_can_be_set():
    class Settled(Game):
        def __init__(self):
            self.players, self.symmetries, self.width = 3, 2, 4
            self.utility = lambda s, player: 0.0

    assert Settled().players == 3
