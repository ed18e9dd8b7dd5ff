"""The table and the board without a page: seats, secrets, undo, clocks, and the meaning of clicks."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from counterplay import load
from counterplay.core.errors import CounterplayError
from counterplay.web.board import grid_of, scene
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


def test_dice_fall_immediately_and_the_same_ones_again_after_taking_back():
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
    with pytest.raises(CounterplayError, match="is not a clock"):
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
        "left": ["30.0,30.0"],
    }
    table.resign()
    assert parse_qs(table.query())["resigned"] == ["1"]


def paths(p):
    """Every legal action as text, with the names of the cells to click."""
    told = scene(p, len(p), None, acts=True)
    return {each["text"]: [told["cells"][i]["name"] for i in each["path"]] for each in told["actions"]}


def test_a_promotion_is_four_actions_of_one_path_told_apart_by_their_pieces():
    p = load("chess").start(position="8/P6k/8/8/8/8/8/K7 w - - 0 1")
    told = scene(p, 0, None, acts=True)
    promotions = [each for each in told["actions"] if "=" in each["text"]]
    assert {each["text"]: each["look"] for each in promotions} == {"a8=Q": "Q", "a8=R": "R", "a8=B": "B", "a8=N": "N"}
    assert {tuple(each["path"]) for each in promotions} == {(8, 0)}  # a7, a8: cells come row by row from the top


def test_castling_is_two_squares_of_the_king():
    found = paths(load("chess").start(position="4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"))
    assert found["O-O"] == ["e1", "g1"]
    assert found["O-O-O"] == ["e1", "c1"]


def test_a_jump_is_clicked_stop_by_stop():
    assert paths(load("checkers").start(position="B:W10,18:B6")) == {"6x15x22": ["6", "15", "22"]}


def test_a_column_is_clicked_anywhere_and_the_last_stone_is_marked():
    p = load("connect-four").start("4 4")
    told = scene(p, 2, None, acts=True)
    cells = told["cells"]
    fourth = next(each for each in told["actions"] if each["text"] == "4")
    assert cells[fourth["path"][0]]["name"] == "column 4, row 3"
    assert len({cell["zone"] for cell in cells}) == 7
    assert [cells[i]["name"] for i in told["marks"]] == ["column 4, row 2"]
    assert told["ghost"] == "x"
    assert not told["turns"]


def test_last_moves_are_marked_where_they_were_whoever_is_to_move():
    p = load("backgammon").start("31 8/5 6/5")
    told = scene(p, len(p), None)
    then = p.game.diagram(p.states[1]).cells
    now = p.game.diagram(p.state).cells
    assert sorted(then[i].name for pair in told["moved"] for i in pair) == ["5", "5", "6", "8"]
    assert sorted(now[i].name for pair in told["moved"] for i in pair) == ["17", "19", "20", "20"]


def test_a_game_that_draws_by_itself_has_a_cell_for_every_spot():
    p = load("rock-paper-scissors").start()
    told = scene(p, 0, None, acts=True)
    assert len(told["cells"]) == len(told["actions"]) == len(p.options())
    assert {told["cells"][each["path"][0]]["name"] for each in told["actions"]} == set(p.legal())
    assert told["ground"].startswith("<svg")


@pytest.mark.parametrize(
    "text, stones",
    [("  a b\n1 x .\n2 . o", {"a1": "x", "b2": "o"}), ("2 x .\n1 . o\n  a b", {"a2": "x", "b1": "o"})],
)
def test_a_board_that_is_only_written_has_cells(text, stones):
    drawn = grid_of(text)
    assert {drawn.cells[piece.cell].name: piece.look for piece in drawn.pieces} == stones


def test_other_text_is_not_a_board():
    for text in ("", "x to move", "a b\nc d", "1 2 3\n4 5", "player 1: 3 of 20\nplayer 2: 0 of 20"):
        assert grid_of(text) is None, text


def test_what_is_hidden_is_not_in_a_scene():
    p = load("phantom-tic-tac-toe").start("a1 b2")
    told = scene(p, 2, 0, acts=True)
    assert told["marks"] == []
    assert [piece[0] for piece in told["pieces"]] == ["x"]
    assert told["ghost"] == ""  # the result of a try is not known in advance


def test_what_a_shot_will_hit_is_not_in_a_scene():
    p = load("battleship").start("a1- a1-")
    told = scene(p, 2, 0, acts=True)
    assert {piece[0] for piece in told["pieces"]} == {"A"}
    assert len(told["pieces"]) == 2
    assert told["ghost"] == ""
    assert {told["cells"][each["path"][0]]["name"] for each in told["actions"]} >= {"player 2's a1", "player 2's c2"}


def test_a_ship_is_placed_from_end_to_end_and_a_heap_is_taken_from_the_top():
    assert paths(load("battleship").start())["a1|"] == ["player 1's a1", "player 1's a2"]
    assert paths(load("nim:3-4-5").start("b1"))["b2"] == ["heap b, object 2"]
    assert paths(load("kayles").start())["2-3"] == ["2-3"]
    assert paths(load("kriegspiel-ending").start("kd4"))["Kb2"] == ["a1", "b2"]


def test_a_face_of_the_cube_is_clicked_anywhere_and_turned_either_way():
    told = scene(load("pocket-cube").start(), 0, None, acts=True)
    ways = {each["text"]: (told["cells"][each["path"][0]]["zone"], "look" in each) for each in told["actions"]}
    assert ways == {turn: (turn[0], False) for turn in ("U", "R", "F", "U'", "R'", "F'")}


def test_cards_and_bids_are_clicked():
    whist = load("whist").start(seed=3)
    while whist.to_move == -1:
        whist.play(whist.options()[0])
    assert len(paths(whist)) == len(whist.options())
    goofspiel = load("goofspiel:order=descending").start()
    assert paths(goofspiel) == {str(card): [f"card {card}"] for card in range(1, 5)}
    assert paths(load("pig").start("roll 5")) == {"roll": ["roll"], "hold": ["hold"]}
    dice = load("liars-dice").start("2 5")
    assert paths(dice)["1-3"] == ["1-3"]
    assert paths(dice.play("1-3"))["liar"] == ["liar"]


def test_pictures_too_large_are_not_sent(monkeypatch):
    p = load("rock-paper-scissors").start()
    monkeypatch.setattr(type(p.game), "svg", lambda *_: "<svg>" + "x" * 2_000_000)
    assert "too large" in scene(p, 0, None)["ground"]
