"""The texts of the Play page, without a page."""

from __future__ import annotations

import pytest

from counterplay import load
from counterplay.web.phrases import Phrases
from counterplay.web.table import HUMAN, GameTable


def phrases(spec: str, moves: str, *seats: str) -> Phrases:
    return Phrases(GameTable(load(spec).start(moves), seats))


@pytest.mark.parametrize(
    "spec, moves, seats, said",
    [
        ("chess", "f3 e5 g4 Qh4#", (HUMAN, "random"), "You lost: Black won by checkmate, move 2"),
        ("chess", "f3 e5 g4 Qh4#", ("random", HUMAN), "You won: Black won by checkmate, move 2"),
        ("chess", "f3 e5 g4 Qh4#", (HUMAN, HUMAN), "Black won by checkmate, move 2"),
        ("chess", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", (HUMAN, "random"), "A draw by repetition, move 4"),
        ("connect-four", "1 2 1 2 1 2 1", (HUMAN, "random"), "You won: Red won with four in a row, move 4"),
        ("tic-tac-toe", "a1 b2 c3 c1 a3 a2 c2 b3 b1", (HUMAN, "random"), "A draw with the board full, move 5"),
        ("kuhn-poker", "J Q bet pass", (HUMAN, "random"), "You won 1, move 1"),
        ("kuhn-poker", "J Q bet pass", (HUMAN, HUMAN), "Player 1 wins"),
    ],
)
def test_how_a_game_ended(spec, moves, seats, said):
    found = phrases(spec, moves, *seats)
    assert found.table.is_over
    assert found.ending() == said


def test_who_gave_up():
    found = phrases("connect-four", "4", HUMAN, "random")
    found.table.resign(0)
    assert found.ending() == "You resigned"
    found.table.lose(1, "lost on time")
    assert found.ending() == "Yellow lost on time: you won"


def test_phrases_say_whose_turn_it_is():
    assert phrases("connect-four", "", HUMAN, "random").turn() == "Your move: you are red"
    assert phrases("texas-holdem", "", HUMAN, "random").who(0) == "the button"
    assert phrases("connect-four", "4", HUMAN, "random").turn() == "Yellow is thinking"
    assert phrases("tic-tac-toe", "a1", HUMAN, HUMAN).turn() == "O to move"
    assert phrases("hex:3", "a1", HUMAN, HUMAN).turn() == "Blue to move"


@pytest.mark.parametrize(
    "spec, found, said",
    [
        ("connect-four", {"value": 0.02, "depth": 9}, "About even; I looked 9 moves ahead."),
        ("connect-four", {"value": -0.5, "depth": 1}, "You are better; I looked 1 move ahead."),
        (
            "connect-four",
            {"value": 1.0, "plies": 5, "proven": True},
            "I win in 3 moves.",
        ),
        ("chess", {"value": -0.09, "depth": 6}, "I count -9.00 pawns; I looked 6 moves ahead."),
        ("go", {"value": 0.3, "nodes": 1000}, "I am a little better; I played it through 1,000 times."),
        ("connect-four", {}, ""),
    ],
)
def test_thoughts_in_plain_words(spec, found, said):
    assert phrases(spec, "", HUMAN, "random").thought(1, found) == said
