"""Texel's method: the weights that generated the results are recovered, and self-play provides its data."""

from __future__ import annotations

import math
import random
from typing import NamedTuple

import numpy as np
import pytest

from counterplay import CounterplayError, Game, state
from counterplay.learning.texel import PlayedGame, contest, fit, read_records, self_play

TRUTH = np.array([[30, -10], [0, 45], [-20, 5]])


@state
class Walk(NamedTuple):
    features: int  # six bits
    ply: int


class Features(Game):
    """Each action shows six features; the evaluation is the sum of the weights of those that are there."""

    compiled = False

    def __init__(self, rows: object = None) -> None:
        self.table = np.zeros(6) if rows is None else np.asarray(rows, float).ravel()

    def initial(self):
        return Walk(0, 0)

    def to_move(self, s):
        return s.ply % 2

    def actions(self, s, out):
        for action in range(64):
            out.append(action)

    def result(self, s, action):
        return Walk(action, s.ply + 1)

    def is_terminal(self, s):
        return s.ply == 12

    def utility(self, s, player):
        lead = self.evaluate(s, player)
        return float(lead > 0) - float(lead < 0)

    def evaluate(self, s, player):
        lead = sum(self.table[i] for i in range(6) if s.features >> i & 1) / 100
        return lead if player == 0 else -lead

    def weight_rows(self):
        return self.table.reshape(3, 2)

    def with_weights(self, rows):
        return Features(rows)


def records(count, seed=0):
    """Walks whose results are drawn by the true weights."""
    rng, truth, found = random.Random(seed), Features(TRUTH), []
    for _ in range(count):
        actions = [rng.randrange(64)] * 4
        chance = 1 / (1 + math.exp(-4 * truth.evaluate(Walk(actions[0], 1), 0)))
        found.append(PlayedGame(actions, [1, 2, 3], float(rng.random() < chance)))
    return found


def test_weights_that_made_the_results_are_found_again():
    start = Features(np.array([[20, 0], [10, 20], [0, 0]]))
    found = fit(start, records(4500))
    assert found.positions == 4500  # one of three quiet positions
    assert found.after < found.before  # on held-out games
    ours, true = found.rows.ravel() / np.linalg.norm(found.rows), TRUTH.ravel() / np.linalg.norm(TRUTH)
    assert ours @ true > 0.9
    assert ours @ true > start.table @ true / np.linalg.norm(start.table)


def test_what_was_never_seen_keeps_its_weight():
    start = Features(np.array([[20, 0], [10, 20], [0, 7]]))
    seen = [record._replace(actions=[action & 31 for action in record.actions]) for record in records(180)]
    found = fit(start, seen)
    assert found.rows[2, 1] == 7
    assert (found.rows != start.weight_rows()).any()
    with pytest.raises(CounterplayError, match="too few"):
        fit(start, records(5))


def test_self_play_is_recorded(tmp_path):
    game = Features(TRUTH)
    played = list(self_play(game, range(2), nodes=200, seed=3))
    assert list(self_play(game, [1], nodes=200, seed=3)) == played[1:]  # as if it had not been interrupted
    assert all(len(record.actions) == 12 for record in played)
    assert all(record.result in (0.0, 0.5, 1.0) and min(record.quiet) >= 8 for record in played)
    file = tmp_path / "games.jsonl"
    file.write_text("".join(record.line() for record in played) + '{"actions": [1, 2')
    assert read_records(game, file) == played


@pytest.mark.parametrize(
    "line",
    [
        '{"actions": [1, 2], "quiet": [5], "result": 0.5}',
        '{"actions": [1, 2], "quiet": [-1], "result": 0.5}',
        '{"actions": "abc", "quiet": [0], "result": 0.5}',
        '{"actions": [1, 2.5], "quiet": [0], "result": 0.5}',
        '{"actions": [1, 64], "quiet": [0], "result": 0.5}',  # no action of this game
        '{"actions": [1, 9223372036854775808], "quiet": [0], "result": 0.5}',
        '{"actions": [1, 2], "quiet": [0], "result": NaN}',
        '{"actions": [1, 2], "quiet": [0], "result": "1-0"}',
        '{"actions": [1, 2], "quiet": [0]}',
        "5",
    ],
)
def test_a_line_that_is_not_a_record_is_refused_by_number(tmp_path, line):
    file = tmp_path / "games.jsonl"
    file.write_text(records(1)[0].line() + line + "\n")
    with pytest.raises(CounterplayError, match=r"games.jsonl, line 2: this is not a record of a game"):
        read_records(Features(), file)


@pytest.mark.parametrize("content", [b'[Event "?"]\n\n1. e4 e5 *\n', b"SQLite format 3\x00\xff\xfe\x80"])
def test_a_file_of_something_else_is_refused(tmp_path, content):
    file = tmp_path / "games.pgn"
    file.write_bytes(content)
    with pytest.raises(CounterplayError, match="holds something other than games"):
        read_records(Features(), file)
    file.write_bytes(b"")
    assert read_records(Features(), file) == []


class Late(Features):
    """The last two actions show nothing new, and the true weights decide: at the last choice that counts, the end is too
    far away to be seen."""

    def result(self, s, action):
        return Walk(action if s.ply < 10 else s.features, s.ply + 1)

    def utility(self, s, player):
        return Features(TRUTH).utility(s, player)


def test_weights_are_compared_from_both_sides():
    game, other = Late(TRUTH), Late(-TRUTH)
    assert list(contest(game, game, range(2), nodes=100)) == [0.5, 0.5]
    assert list(contest(game, other, range(2), nodes=100)) == [1.0, 1.0]
    assert list(contest(other, game, range(2), nodes=100)) == [0.0, 0.0]
