"""Phantom tic-tac-toe and Dark Hex: rules and knowledge against OpenSpiel, resampling, notation."""

import random
import re
import xml.etree.ElementTree as ET

import pytest
from games.openspiel import lockstep
from games.secrets import assert_compiled_secrets_agree
from games.sequence_form import solve

from counterplay import CounterplayError, Rng, load
from counterplay.core.rules import legal

PAIRS = [
    ("phantom-tic-tac-toe", "phantom_ttt"),
    ("dark-hex:2", "dark_hex(board_size=2,num_rows=2,num_cols=2)"),
    ("dark-hex", "dark_hex(board_size=3)"),
    ("dark-hex:4", "dark_hex(board_size=4,num_rows=4,num_cols=4)"),
]


@pytest.mark.peer
@pytest.mark.parametrize("ours, theirs", PAIRS)
def test_rules_agree_with_openspiel(ours, theirs):
    lockstep(load(ours), theirs, lambda s, action: action, playthroughs=60)


@pytest.mark.peer
@pytest.mark.parametrize("ours, theirs", PAIRS)
def test_information_is_openspiels(ours, theirs):
    """The same states look the same to the player to move: all histories of 2x2, random ones of larger boards."""
    pyspiel = pytest.importorskip("pyspiel")
    game, theirs, names, rng = load(ours), pyspiel.load_game(theirs), {}, random.Random(1)
    waiting = [(game.initial(), theirs.new_initial_state())]
    met = 0
    while waiting and met < 1500:
        s, t = waiting.pop()
        if game.is_terminal(s):
            continue
        met += 1
        # OpenSpiel's Dark Hex also reveals the number of tries, which nobody sees.
        name = re.sub(r"^\d+$", "", t.information_state_string(s.player), flags=re.MULTILINE)
        assert names.setdefault((s.player, game.information(s, s.player)), name) == name
        options = legal(game, s)
        chosen = options if game.cells == 4 or rng.random() < 0.3 else rng.sample(options, min(2, len(options)))
        waiting += [(game.result(s, action), t.child(action)) for action in chosen]
    assert len({(player, name) for (player, _), name in names.items()}) == len(names)


def test_first_player_is_sure_to_win_small_dark_hex():
    assert solve(load("dark-hex:2")).value == pytest.approx(1)


@pytest.mark.parametrize("spec, playthroughs", [("phantom-tic-tac-toe", 20), ("dark-hex", 10), ("dark-hex:4", 1)])
def test_resampling_keeps_what_is_known(spec, playthroughs):
    game, rng, choose, different = load(spec), Rng(3), random.Random(4), 0
    for _ in range(playthroughs):
        p = game.start()
        while not p.is_over:
            for player in range(2):
                other = game.resample(p.state, player, rng)
                assert game.information(other, player) == game.information(p.state, player)
                assert not game.is_terminal(other)
                assert game.parse_position(game.position_text(other)) == other
                different += other != p.state
            p.play(choose.choice(p.options()))
            assert game.parse_position(p.position) == p.state
    assert different > 10


def test_compiled_secrets_agree():
    assert_compiled_secrets_agree(load("phantom-tic-tac-toe"), playthroughs=10)


def test_a_try_on_a_stone_is_told_and_repeated():
    p = load("phantom-tic-tac-toe").start("b2 b2")
    assert p.to_move == 1
    assert "b2" not in p.legal()
    assert p.game.board(p.state, viewer=1).splitlines()[2] == "2  . x ."
    p.play("a1")
    assert p.to_move == 0
    assert p.game.board(p.state, viewer=0).splitlines()[1] == "1  . . ."
    assert p.game.board(p.state).splitlines()[1] == "1  o . ."
    assert p.position == "b2 b2 a1"


def test_pictures_hide_what_is_hidden():
    for spec in ("phantom-tic-tac-toe", "dark-hex"):
        p = load(spec).start("b2 a1")
        for viewer, stones in ((None, 2), (0, 1), (1, 1)):
            drawn = p.game.diagram(p.state, viewer)
            assert len(drawn.pieces) == stones
            pieces = [shape for shape in ET.fromstring(drawn.svg) if shape.tag.endswith("g")]
            assert len(pieces) == stones


@pytest.mark.parametrize("text", ["b2 b2 b2", "d1", "b2 x", "b2 -"])
def test_wrong_positions(text):
    with pytest.raises(CounterplayError, match="cannot be tried there"):
        load("dark-hex").parse_position(text)


def test_wrong_parameters():
    with pytest.raises(CounterplayError, match="size is 2, 3 or 4"):
        load("dark-hex:5")
