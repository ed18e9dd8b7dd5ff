"""The Analyse page's tree of moves, texts pasted there, and how values are shown."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterplay import load
from counterplay.core.errors import CounterplayError
from counterplay.core.registry import catalogue
from counterplay.players.wording import worth
from counterplay.web.board import pointers, scene
from counterplay.web.graph import GraphPoint, graph
from counterplay.web.judging import cost, findings, part, valued
from counterplay.web.move_list import MoveList
from counterplay.web.pasting import read_pasted, written
from counterplay.web.studying import judge
from counterplay.web.variations import MoveTree


def reread(tree, game):
    told = tree.query()
    again = MoveTree(game.start(told.get("moves", "")))
    again.read(told.get("lines", ""), told.get("at", ""))
    return again


def shape(node):
    return node.action, [shape(child) for child in node.children]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8)), max_size=25), st.integers(0, 30))
def test_a_tree_comes_back_from_its_address(steps, last):
    game = load("tic-tac-toe")
    tree = MoveTree(game.start("b2 a1"))
    for where, which in steps:
        order = tree.order()
        tree.go(order[where % len(order)])
        options = tree.p.options()
        if options:
            tree.add(options[which % len(options)])
    order = tree.order()
    tree.go(order[last % len(order)])
    again = reread(tree, game)
    assert again.query() == tree.query()
    assert shape(again.root) == shape(tree.root)
    assert again.p.actions == tree.p.actions == [node.action for node in tree.here.path()]
    assert tree.size == len(order)
    assert MoveList(tree).html().count("data-node") == len(order)


def test_variations_are_promoted_and_deleted():
    tree = MoveTree(load("tic-tac-toe").start("b2 a1 c3"))
    main = list(tree.root.line())
    tree.go(main[1])
    tree.add("a3")
    assert tree.is_variation
    assert tree.query()["moves"] == "b2 a1 c3"
    assert MoveList(tree).html().count("cp-variation") == 1
    tree.promote()
    assert not tree.is_variation
    assert tree.query()["moves"] == "b2 a3"
    tree.go(main[2])
    tree.delete()
    assert tree.here is main[1]
    assert tree.query() == {"moves": "b2 a3", "at": "1"}
    assert tree.size == 3


@pytest.mark.parametrize("lines", ["9:1", "0", "0:x", "0:0.0", "0:99", f"0:{'9' * 30}"])
def test_lines_that_are_none_are_refused_in_a_sentence(lines):
    with pytest.raises(CounterplayError):
        MoveTree(load("tic-tac-toe").start("b2 a1")).read(lines, "")
    with pytest.raises(CounterplayError, match="no position"):
        MoveTree(load("tic-tac-toe").start("b2 a1")).read("", "7")


@pytest.mark.parametrize("name", sorted(set(catalogue())))
def test_every_game_has_a_board_to_move_on_and_reads_what_it_writes(name):
    game, rng = load(name), random.Random(1)
    p = game.start()
    for _ in range(5):
        if not p.is_over:
            p.play(rng.choice(p.options()))
    tree = MoveTree(p)
    tree.go(tree.root.children[0])
    if not p.is_over:
        tree.add(p.options()[-1])
        shown = scene(p, len(p), None, acts=True)
        cells = len(shown["cells"])
        assert all(a < cells and b < cells for a, b, _ in pointers(p, p.options()[:3]))
    assert reread(tree, game).query() == tree.query()
    assert read_pasted(game, written(p)[0]).p.actions == p.actions
    assert read_pasted(game, p.position).p.state == p.state


@pytest.mark.parametrize(
    "text",
    [
        "e4 e5 Nf3",
        "1. e4 e5 2. Nf3!? *",
        "1.e4 {best by test} e5 2.Nf3",
        '[Event "x"]\n[Result "*"]\n\n1. e4 (1. d4 d5) e5 2. Nf3 *',
    ],
)
def test_games_of_chess_are_read_however_they_are_written(text):
    assert read_pasted(load("chess"), text).p.moves == ["e4", "e5", "Nf3"]


PGN = '[Event "x"]\n\n1. e4 {best} e5 (1... c5 2. Nf3 (2. c3 d5) 2... d6) (1... e6) 2. Nf3! Nc6 1/2-1/2'
SGF = r"(;GM[1]SZ[9];B[ee]C[a \] \( (];W[cc](;B[gg];W[gc](;B[cg])(;B[cf]))(;B[gc]))"


@pytest.mark.parametrize(
    "game, text, lines",
    [
        ("chess", PGN, ["e4 e5 Nf3 Nc6", "c5 Nf3 d6", "e6", "c3 d5"]),
        ("chess", "1. e4 (1. d4 d5) 1... e5", ["e4 e5", "d4 d5"]),
        ("go", SGF, ["E5 C7 G3 G7 C3", "G7", "C4"]),
        ("backgammon", "31: 8/5 6/5 (13/10 6/5) 65: 24/13", ["31 8/5,6/5 65 24/13", "13/10,6/5"]),
    ],
)
def test_variations_are_pasted_with_their_game(game, text, lines):
    tree = read_pasted(load(game), text)
    found = [" ".join(node.text for node in line if node.parent) for line in tree.lines()]
    assert [each.replace(" ", "") for each in found] == [each.replace(",", "").replace(" ", "") for each in lines]
    assert not tree.is_variation
    assert not tree.here.children


@pytest.mark.parametrize(
    "text, told",
    [("(1. e4)", "there is none"), ("1. e4 (1. d4", "never closed"), ("1. e4 (1. d4)) e5", "no opening one")],
)
def test_variations_that_are_none(text, told):
    with pytest.raises(CounterplayError, match=told):
        read_pasted(load("chess"), text)


def test_text_that_is_neither_is_refused_in_a_sentence():
    with pytest.raises(CounterplayError, match=r"neither moves \(.*\) nor a position \(.*\)"):
        read_pasted(load("chess"), "hello")
    with pytest.raises(CounterplayError, match="paste"):
        read_pasted(load("chess"), " ")
    with pytest.raises(CounterplayError) as found:
        read_pasted(load("chess"), '[Event "x"]\n\n1. e4 e4 *')
    assert "pasted.pgn" not in str(found.value)


def test_values_are_in_the_games_own_units():
    chess, othello = load("chess"), load("othello")
    assert worth(chess, -0.09) == "-9.00 pawns"
    assert worth(chess, 1.0, 5) == "mate in 3"
    assert worth(chess, -1.0, 2) == "mated in 1"
    assert worth(load("go"), 0.24, simulated=True) == "62% to win"
    assert worth(load("go:score=on"), 3.5) == "+3.5 points"
    assert worth(othello, 0.25) == "+16 discs"
    assert worth(othello, 1.0, 3) == "+1 in 3 plies"
    assert worth(load("backgammon"), 0.5) == "equity +0.500"
    assert worth(load("kuhn-poker"), -1.0) == "-1 chips"
    assert worth(load("connect-four"), 0.5) == "+0.5"


@given(st.floats(-0.99, 0.99), st.floats(-0.99, 0.99), st.sampled_from(["chess", "connect-four"]))
def test_a_bar_grows_with_the_value(one, other, name):
    game = load(name)
    assert (part(game, one) <= part(game, other)) == (one <= other) or part(game, one) == part(game, other)
    assert part(game, one) + part(game, -one) == pytest.approx(1.0)
    assert part(game, -1.0, 3) == 0.0 < part(game, one) <= 1.0 == part(game, 1.0, 4)


def test_values_are_the_first_sides_throughout():
    game = load("chess")
    assert valued(game, 1, 0.02)["text"] == "-2.00 pawns"
    assert cost(1, valued(game, 1, 0.0), valued(game, 1, -0.09)) == pytest.approx(
        cost(0, valued(game, 0, 0.0), valued(game, 0, -0.09))
    )
    assert cost(0, valued(game, 0, 0.0), valued(game, 0, -0.09)) > 0.3  # a queen


def test_a_mistake_is_shown_with_what_was_better():
    from counterplay.players.specs import player

    made = player("minimax:depth=9")
    p = load("tic-tac-toe").start("a1 b2 a2 a3 c1")
    worse = p.game.parse_action(p.state, "c3")
    after = judge(made, load("tic-tac-toe").start("a1 b2 a2 a3 c1 c3"), None, None)
    told = judge(made, p, worse, after)
    assert (told["best"], told["played"], told["mover"], told["cost"]) == ("b1", "c3", 1, 0.5)
    assert told["view"] == 0
    over = judge(made, load("tic-tac-toe").start("a1 b2 a2 a3 c1 c3 b1"), None, None)
    assert (over["value"], over["part"]) == (1.0, 1.0)


def test_lines_are_told_the_best_first():
    from counterplay.players.specs import player

    p = load("tic-tac-toe").start("a1 b1 b2")
    told = findings(p, player("minimax:depth=9").choose(p))
    assert told["lines"][0]["moves"][0] == "c3"
    assert told["part"] == pytest.approx(told["lines"][0]["part"])


def test_a_graph_has_every_ply_and_the_last():
    drawn = graph([GraphPoint(0, 0, 0.5, "even"), GraphPoint(2, 0, 1.0, "<won>", "??")], 2, 2, "x wins", "o wins", True)
    assert [f'data-ply="{i}"' in drawn for i in range(4)] == [True, True, True, False]
    assert "&lt;won&gt;" in drawn
    assert drawn.count("cp-graph-bad") == 1
