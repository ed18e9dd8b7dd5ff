"""Suites, tunings, labels and books as units of work: the same in this process and in others."""

from __future__ import annotations

import json

import numpy as np
import pytest

from counterplay import CounterplayError, book, fit, load, play_match, suite, tables, tune
from counterplay.arena.suite import attempt
from counterplay.evaluation.model import read_model
from counterplay.players.player import Player
from counterplay.search.decision import Decision

EPD = """6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#; id "back rank";
k7/8/1K6/8/8/8/8/7R w - - bm Rh8#; id "corner";
"""


def test_a_suite_is_solved_the_same_in_processes(tmp_path):
    file = tmp_path / "mates.epd"
    file.write_text(EPD)
    here, there = (suite(file, depth=2, workers=workers) for workers in (0, 2))
    assert here.solved == 2
    assert [row._replace(seconds=None) for row in here.rows] == [row._replace(seconds=None) for row in there.rows]


def test_what_is_compiled_first_does_not_count_in_a_suite(monkeypatch):
    now = [0.0]

    class Compiling(Player):
        def think(self, p, report=None, clock=None):
            now[0] += 30
            for depth in (1, 2):
                now[0] += 1
                report(Decision(5, depth=depth))
            return Decision(5, depth=2, seconds=2.0)

    p = load("tic-tac-toe").start()
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    tried = attempt(p, Compiling(), None, lambda action: action == 5)
    assert (tried.found, tried.depth, tried.seconds) == (1.0, 1, 2.0)


@pytest.mark.scale
def test_a_tuning_plays_the_same_games_in_processes(tmp_path):
    found = []
    for workers in (0, 2):
        data = tmp_path / f"games-{workers}"
        told = tune(tmp_path / f"{workers}.json", games=8, nodes=60, data=data, seed=2, check=2, workers=workers)
        weights = json.loads((tmp_path / f"{workers}.json").read_text())["weights"]
        found.append((data.read_text(), weights, told.score, told.loss_after))
    assert found[0] == found[1]


def weights_of(file):
    return read_model(file).arrays["weights"]


def test_labels_are_the_same_from_processes(tmp_path):
    games = tmp_path / "games.db"
    play_match("tic-tac-toe", "random", "random", games=6, seed=4, output=games, workers=0)
    for workers in (0, 2):
        fit("tic-tac-toe", games, output=tmp_path / f"{workers}.npz", labels="solve", workers=workers)
    assert np.array_equal(weights_of(tmp_path / "0.npz"), weights_of(tmp_path / "2.npz"))
    with pytest.raises(CounterplayError, match="for labels that take a search"):
        fit("tic-tac-toe", games, output=tmp_path / "x.npz", workers=2)


def test_a_book_grows_in_processes(tmp_path):
    file = tmp_path / "small.book"
    found = book("learn", "hex:size=2", player="alphabeta:depth=2", time=600, output=file, workers=2)
    assert found.data["complete"]  # all positions, whatever the order
    alone = book("learn", "hex:size=2", player="alphabeta:depth=2", time=600, output=tmp_path / "alone.book")
    assert alone.data["positions"] == found.data["positions"]
    assert book(file).data["actions"] == book(tmp_path / "alone.book").data["actions"]
    with pytest.raises(CounterplayError, match="are for `book learn`, which searches"):
        book(file, workers=2)


@pytest.mark.scale
def test_classes_of_endings_are_the_same_from_processes(tmp_path, monkeypatch):
    from counterplay.endgame import spread_build

    tables("build", "chess", class_="KRK", folder=tmp_path / "here", threads=1)
    tables("build", "chess", class_="KRK", folder=tmp_path / "class", threads=1, workers=1)  # a unit of its own
    monkeypatch.setattr(spread_build, "PART", 4000)
    tables("build", "chess", class_="KRK", folder=tmp_path / "parts", threads=1, workers=1)  # its parts are units
    for name in ("class", "parts"):
        file = tmp_path / name / "chess-KRK.table"
        assert file.read_bytes() == (tmp_path / "here" / "chess-KRK.table").read_bytes()
    with pytest.raises(CounterplayError, match="are for `tables build GAME --class CLASS`"):
        tables("nim", workers=2)
