"""The table and the board without a page: seats, secrets, taking back, clocks, and what clicks mean."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from counterplay import load
from counterplay.core.errors import CounterplayError
from counterplay.web.board import Clicks, overlaid
from counterplay.web.table import HUMAN, GameTable


def test_taking_back_goes_to_a_person_and_forth_again():
    table = GameTable(load("connect-four").start(), [HUMAN, "random"])
    for move in ("4", "3", "5"):
        table.play(move)
    table.undo()
    assert (table.p.moves, table.is_persons_turn) == (["4", "3"], True)
    table.undo()
    assert table.p.moves == []
    with pytest.raises(CounterplayError, match="nothing to take back"):
        table.undo()
    table.redo()
    assert table.p.moves == ["4", "3"]
    table.play("1")
    assert table.future == []


def test_dice_fall_at_once_and_the_same_ones_again_after_taking_back():
    table = GameTable(load("pig").start(seed=5), [HUMAN, HUMAN])
    table.play("roll")
    rolled = table.p.moves
    assert len(rolled) == 2
    assert rolled[1].isdigit()
    table.undo()
    table.redo()
    assert table.p.moves == rolled


def test_a_person_alone_sees_only_his_own_card():
    table = GameTable(load("kuhn-poker").start("J K"), [HUMAN, "random"])
    assert table.moves_shown() == ["J", "?"]
    assert table.viewer == 0
    assert not table.may_share
    assert ">K<" not in table.game.svg(table.p.state, table.viewer)
    table.resign()
    assert table.returns[0] < 0
    assert table.may_share


def test_two_people_hand_the_screen_over():
    table = GameTable(load("kuhn-poker").start("J K"), [HUMAN, HUMAN])
    assert table.needs_hand_over
    table.hand_over()
    assert not table.needs_hand_over
    table.play("pass")
    assert table.needs_hand_over
    assert table.moves_shown() == ["?", "?", "?"]


def test_a_flag_falls():
    table = GameTable(load("tic-tac-toe").start(), [HUMAN, HUMAN], "60+1")
    assert table.clocks is not None
    table.clocks.left[0] = -1.0
    with pytest.raises(CounterplayError, match="lost on time"):
        table.play("a1")
    assert table.is_over
    assert table.returns == (-1.0, 1.0)


@pytest.mark.parametrize("text", ["x", "-5", "0", "1e9", "5+x", "nan"])
def test_wrong_clocks_are_refused(text):
    with pytest.raises(CounterplayError, match="a clock of"):
        GameTable(load("tic-tac-toe").start(), [HUMAN, HUMAN], text)


def test_a_link_describes_the_table():
    table = GameTable(load("hex:size=5").start("a1 b2"), [HUMAN, "alphabeta:depth=2"], "30+1")
    told = parse_qs(table.query())
    assert told == {
        "game": ["hex:size=5"],
        "moves": ["a1 b2"],
        "p1": [HUMAN],
        "p2": ["alphabeta:depth=2"],
        "clock": ["30+1"],
    }


def test_every_click_of_a_chess_move_and_a_choice_of_pieces():
    p = load("chess").start(position="8/P6k/8/8/8/8/8/K7 w - - 0 1")
    clicks = Clicks(p)
    pawn = next(path[0] for action, path in clicks.paths.items() if p.game.action_text(p.state, action) == "a8=Q")
    assert clicks.click(pawn) == []
    (target,) = {clicks.paths[action][1] for action in clicks.open}
    assert sorted(p.game.action_text(p.state, action) for action in clicks.click(target)) == [
        "a8=B",
        "a8=N",
        "a8=Q",
        "a8=R",
    ]
    assert clicks.click(pawn._replace(x=pawn.x + 300)) == []  # beside everything: begin again
    assert clicks.made == ()


def test_castling_is_two_squares_of_the_king():
    p = load("chess").start(position="4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    clicks = Clicks(p)
    for text, file in (("O-O", 6), ("O-O-O", 2)):
        path = clicks.paths[p.game.parse_action(p.state, text)]
        assert [box.x for box in path] == [24 + 48 * 4, 24 + 48 * file]


def test_a_jump_is_clicked_stop_by_stop():
    p = load("checkers").start(position="B:W10,18:B6")
    clicks = Clicks(p)
    (path,) = clicks.paths.values()
    assert len(path) == 3
    assert [clicks.click(box) for box in path] == [[], [], list(clicks.paths)]


def test_pictures_too_large_are_not_sent():
    assert "too large" in overlaid("x" * 2_000_000, [])
    assert overlaid("<svg></svg>", []).startswith("<svg>")
