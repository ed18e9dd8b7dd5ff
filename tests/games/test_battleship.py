"""Battleship: rules and knowledge against OpenSpiel, resampling, notation."""

import random
import xml.etree.ElementTree as ET

import pytest
from games.openspiel import lockstep
from games.secrets import assert_compiled_secrets_agree

from counterplay import CounterplayError, Rng, load
from counterplay.core.rules import legal
from counterplay.games.battleship import Battleship


class Plain(Battleship):
    """Uncompiled."""

    compiled = False


GAMES = [Plain(), Plain(3, 3, "1-2", 5), Plain(4, 3, "2-3", 6), Plain(5, 5, "1-2-3", 10)]


def theirs(game):
    lengths = ";".join(map(str, game.lengths))
    values = ";".join("1" for _ in game.lengths)
    return (
        f"battleship(board_width={game.width},board_height={game.height},ship_sizes=[{lengths}],"
        f"ship_values=[{values}],num_shots={game.shots},allow_repeated_shots=False)"
    )


@pytest.mark.peer
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_rules_agree_with_openspiel(game):
    lockstep(game, theirs(game), lambda s, action: action, playthroughs=60)


@pytest.mark.peer
@pytest.mark.parametrize("game", GAMES[:2], ids=str)
def test_information_is_openspiels(game):
    pyspiel = pytest.importorskip("pyspiel")
    names, rng = {}, random.Random(1)
    for _ in range(150):
        s, t = game.initial(), pyspiel.load_game(theirs(game)).new_initial_state()
        while not game.is_terminal(s):
            for player in range(2):
                name = t.information_state_string(player)
                assert names.setdefault((player, game.information(s, player)), name) == name
            action = rng.choice(legal(game, s))
            s = game.result(s, action)
            t.apply_action(action)
    assert len({(player, name) for (player, _), name in names.items()}) == len(names)


@pytest.mark.parametrize("game", GAMES[:3], ids=str)
def test_resampling_and_positions(game):
    rng, choose, different = Rng(3), random.Random(4), 0
    for _ in range(8):
        p = game.start()
        while not p.is_over:
            assert game.parse_position(p.position) == p.state
            for player in range(2):
                other = game.resample(p.state, player, rng)
                assert game.information(other, player) == game.information(p.state, player)
                assert game.parse_position(game.position_text(other)) == other
                different += other != p.state
            p.play(choose.choice(p.options()))
        assert abs(p.returns[0]) <= game.utility_bounds[1]
    assert different > 5


def test_compiled_secrets_agree():
    assert_compiled_secrets_agree(load("battleship"), playthroughs=10)


def test_shots_are_told():
    p = load("battleship").start("a1- b1| a1 b1")
    board = p.game.board(p.state, viewer=0).splitlines()
    assert board == ["player 1    player 2", "   a b c       a b c", "1  A * .    1  o . .", "2  . . .    2  . . ."]
    p.play("b1").play("a1")
    assert p.is_over  # the second player has sunk the fleet
    assert p.returns == (-1, 1)


def test_pictures_hide_what_is_hidden():
    p = load("battleship").start("a1- b1| a2")
    for viewer, ships in ((None, 4), (0, 2), (1, 2)):
        shapes = ET.fromstring(p.game.svg(p.state, viewer))
        assert len([shape for shape in shapes.iter() if shape.get("fill") == "#9aa7b3"]) == ships


@pytest.mark.parametrize("text", ["c1-", "a1- a2|", "a1- a1- a1 a1 a1", "a1"])
def test_wrong_positions(text):
    with pytest.raises(CounterplayError, match="cannot be done there"):
        load("battleship").parse_position(text)


@pytest.mark.parametrize(
    "spec",
    ["width=0", "width=6,height=5", "ships=x", "ships=9", "ships=1-1-1-1", "shots=0", "shots=7", "3,2,ships=2-3"],
)
def test_wrong_parameters(spec):
    with pytest.raises(CounterplayError, match="battleship: "):
        load(f"battleship:{spec}")
