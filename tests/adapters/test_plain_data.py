"""Playthroughs and traces as JSON: every game there and back, by the schema; wrong data in a sentence."""

from __future__ import annotations

import json

import pytest

import counterplay as cp
from counterplay import CHANCE, CounterplayError, load
from counterplay.adapters.plain_data import from_json, schema, state_from, to_json
from counterplay.core.language.rng import Rng
from counterplay.core.playthrough import Playthrough
from counterplay.core.registry import catalogue
from counterplay.core.rules import legal
from counterplay.montecarlo.trace import read_simulations
from counterplay.search.tracing.trace import read_trace

GAMES = sorted(set(catalogue()) - {"tree", "matrix"})


@pytest.mark.parametrize("name", GAMES)
def test_a_playthrough_comes_back(name):
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema())
    game, rng = load(name), Rng(3)
    p = Playthrough(game)
    for plies in (0, 3, 12):
        while len(p.actions) < plies and not game.is_terminal(p.state):
            options = legal(game, p.state)
            p.play(options[rng.below(len(options))])
        text = json.dumps(to_json(p), allow_nan=False)
        data = json.loads(text)
        validator.validate(data)
        again = from_json(data)
        assert (again.actions, again.state) == (p.actions, p.state)
        if data["state"] is not None:
            found = state_from(data["state"], game)
            assert found == p.state


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_a_trace_comes_back(name, tmp_path):
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema("trace"))
    game = load(name)
    game.compiled = False
    p = game.start(seed=1)
    while p.to_move == CHANCE:
        p.roll()
    if game.traits.hidden:
        found, read = cp.trace(p, "ismcts:simulations=3"), read_simulations
    elif game.traits.players == 2 and not game.traits.chance and game.traits.zero_sum:
        found, read = cp.trace(p, "plain-alphabeta", depth=1), read_trace
    else:
        found, read = cp.trace(p, "maxn", depth=1), read_trace
    validator.validate(found.to_json())
    found.save(tmp_path / "trace.json")
    assert read(tmp_path / "trace.json") == found.trace


WRONG = {
    "is not a playthrough: its `format`": {"format": "pgn"},
    "needs `game` and `start` as strings": {"actions": "e4"},
    "is not one of our games": {"game": "evil.py"},
    "action 1 of the data, '99', is not legal": {"actions": [99]},
    "do not lead to the position that it states": {"position": "x"},
}


@pytest.mark.parametrize("why", WRONG)
def test_wrong_data_is_refused_in_a_sentence(why):
    data = to_json(load("tic-tac-toe").start("b2")) | WRONG[why]
    with pytest.raises(CounterplayError, match=why):
        from_json(data)


def test_data_of_another_game_is_refused():
    with pytest.raises(CounterplayError, match=r"a playthrough of tic-tac-toe, not of hex"):
        from_json(to_json(load("tic-tac-toe").start()), "hex")


@pytest.mark.parametrize("wrong", [{}, [], 7, None, {"left": "x"}, {"left": True}, {"left": 1, "more": 2}])
def test_a_wrong_state_is_refused_in_a_sentence(wrong):
    with pytest.raises(CounterplayError, match="is not a state of tic-tac-toe, which has"):
        state_from(wrong, load("tic-tac-toe"))
