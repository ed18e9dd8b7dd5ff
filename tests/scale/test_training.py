"""Training with play on other processes: the same weights wherever they run, and runs that move between machines."""

from __future__ import annotations

import numpy as np
import pytest

from counterplay import CounterplayError, train
from counterplay.core.formats.archive import read_archive
from counterplay.learning.games_in_progress import divided, joined
from counterplay.learning.runs import FORMAT, Run

TINY = {
    "simulations": 8, "slots": 8, "width": 4, "blocks": 1, "positions": 60, "window": 150, "batch": 16, "opening": 2,
    "gate": 0, "lanes": 2,
}  # fmt: skip
SMALL = {"hidden": 4, "batch": 20, "threads": 2}


def learned(folder):
    """All numbers of a checkpoint."""
    return read_archive(folder / "checkpoint.npz", FORMAT)[1]


def assert_same(one, two):
    assert set(one) == set(two)
    for name, part in one.items():
        assert np.array_equal(part, two[name]), name


def in_progress(lengths):
    """Games of which as many positions were written down as they have plies; each number says whose it is."""
    rows = np.repeat(np.arange(len(lengths)), lengths)
    history = np.array([[game] * max(lengths) for game in range(len(lengths))])
    numbers = {name: rows.astype(np.float32) for name in ("own_target", "own_worth", "own_mover")}
    lengths = np.array(lengths)
    return {"history": history, "length": lengths, "own_count": lengths, "own_planes": rows[:, None], **numbers}


def test_games_in_progress_are_divided_among_lanes_and_put_together_again():
    games = in_progress([2, 0, 3, 1, 1])
    lanes = divided(games, [2, 1, 4])
    assert [len(lane["length"]) for lane in lanes] == [2, 1, 2]
    assert [lane["own_worth"].tolist() for lane in lanes] == [[0, 0], [2, 2, 2], [3, 4]]
    assert_same(joined(lanes), games)
    lanes[1]["history"] = lanes[1]["history"][:, :1]  # a lane may have shorter games than the others
    assert joined(lanes)["history"][2].tolist() == [2, 0, 0]
    fewer = divided(games, [1, 1])  # games that no lane has room for are dropped
    assert joined(fewer)["length"].tolist() == [2, 0]
    assert divided({}, [1, 1]) == [{}, {}]


def train_in_turns(folder, method, options, *fleets, games=30):
    """A run that is continued by one crew after another."""
    for number, fleet in enumerate(fleets):
        if number == 0:
            train("tic-tac-toe", method=method, games=games, output=folder, set=options, seed=3, **fleet)
        else:
            train("tic-tac-toe", games=games * (number + 1), output=folder, resume=True, **fleet)
    return learned(folder)


def test_lanes_learn_the_same_here_and_in_processes(tmp_path):
    here = train_in_turns(tmp_path / "a", "alphazero", TINY, {}, {})
    moved = train_in_turns(tmp_path / "b", "alphazero", TINY, {"workers": 2}, {})
    assert_same(here, moved)
    row = Run(tmp_path / "b").metrics()[0]
    assert 0 <= row["actors_wait"] < 1
    assert 0 <= row["learner_waits"] <= 1
    assert "stale_steps" in row


def test_temporal_differences_learn_the_same_in_threads_and_in_processes(tmp_path):
    here = train_in_turns(tmp_path / "a", "td", SMALL, {}, {})
    moved = train_in_turns(tmp_path / "b", "td", SMALL, {"workers": 2}, {})
    assert_same(here, moved)


@pytest.mark.scale
def test_a_run_goes_on_on_a_cluster_and_back(tmp_path, cluster):
    there = {"cluster": "local:2x1"}
    for method, options in (("alphazero", TINY), ("td", SMALL)):
        here = train_in_turns(tmp_path / f"{method}-a", method, options, {}, {}, {})
        moved = train_in_turns(tmp_path / f"{method}-b", method, options, {}, there, {})
        assert_same(here, moved)
    rows = Run(tmp_path / "alphazero-b").metrics()
    assert any(row.get("cores") == 2 for row in rows)


def test_lanes_follow_the_cores_and_a_run_may_have_more_or_fewer_later(tmp_path):
    options = {**TINY, "lanes": 0}
    train_in_turns(tmp_path / "run", "alphazero", options, {"workers": 2}, {}, {"workers": 3})
    rows = Run(tmp_path / "run").metrics()
    assert [row["step"] for row in rows] == list(range(1, len(rows) + 1))
    assert rows[-1]["games"] >= 90


def test_what_one_process_does_alone_is_refused_for_a_crew(tmp_path):
    for method, options, why in (
        ("rounds", {}, "rounds learns in one process: --workers and --cluster are for alphazero and td"),
        ("td", {}, "td divides a batch among its threads, and there is only 1: --set threads=4"),
    ):
        with pytest.raises(CounterplayError, match=why):
            train("tic-tac-toe", method=method, games=10, output=tmp_path / method, set=options, workers=2)
        assert not (tmp_path / method).exists()
