"""ProbCut: the regression, its file, and what the search does with it."""

import json

import numpy as np
import pytest

from counterplay import CounterplayError, load
from counterplay.learning.probcut_fit import checks_of, fit_cuts
from counterplay.players.specs import player
from counterplay.search.engine.decide import decide
from counterplay.search.engine.probcut import Cut, Cuts, read_cuts
from counterplay.search.engine.techniques import Technique, default_for

SPEC = "connect-four"


def cuts(error, slope=1.0):
    return Cuts(SPEC, "", 1.5, 100, tuple(Cut(d, s, slope, 0.0, error) for d in (4, 5, 6, 7) for s in checks_of(d)))


def test_regression_finds_the_line_and_its_error():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(4000, 6))
    values[:, 5] = 0.9 * values[:, 1] + 0.25 + rng.normal(scale=0.3, size=4000)
    found = next(cut for cut in fit_cuts(values) if (cut.depth, cut.shallow) == (6, 2))
    assert found.slope == pytest.approx(0.9, abs=0.02)
    assert found.offset == pytest.approx(0.25, abs=0.02)
    assert found.error == pytest.approx(0.3, abs=0.02)


def test_checks_are_shallower_and_of_the_same_parity():
    for depth in range(4, 20):
        checks = checks_of(depth)
        assert checks == sorted(set(checks))
        assert all(1 <= each <= depth // 2 and (depth - each) % 2 == 0 for each in checks)


def test_deeper_searches_use_the_last_depth_of_their_parity():
    table = cuts(0.2).by_depth(12)
    assert table[3].sum() == 0
    assert table[10, 0].tolist() == [checks_of(6)[0] + 4, 1.0, 0.0, pytest.approx(0.3)]
    assert table[11, 0, 0] == checks_of(7)[0] + 4


def test_cuts_that_never_happen_change_no_value_and_likely_ones_save_nodes():
    game = load(SPEC)
    techniques = default_for(game) & ~Technique.DEEPER
    for moves in ("4 4 3", "1 4 2 5 7"):
        s = game.start(moves).state
        without = decide(game, s, depth=8, techniques=techniques)
        never = decide(game, s, depth=8, techniques=techniques | Technique.PROBCUT, cuts=cuts(1e6))
        often = decide(game, s, depth=8, techniques=techniques | Technique.PROBCUT, cuts=cuts(0.02))
        assert never.value == without.value
        assert never.nodes == without.nodes
        assert often.nodes < without.nodes
        assert not often.proven
        off = decide(game, s, depth=8, techniques=techniques | Technique.PROBCUT)
        assert (off.value, off.nodes) == (without.value, without.nodes)


def test_what_comes_with_the_package():
    shipped = read_cuts("othello")
    shipped.require(load("othello"))
    assert shipped.evaluation == "othello"
    assert {cut.depth for cut in shipped.cuts} == set(range(4, 11))
    assert all(0.9 < cut.slope < 1.2 and cut.error < 0.11 for cut in shipped.cuts)


def test_files(tmp_path):
    file = tmp_path / "cuts.json"
    file.write_text(cuts(0.1).to_json())
    assert read_cuts(str(file)) == cuts(0.1)
    chosen = player(f"alphabeta:depth=4,cuts={file}")
    assert Technique.PROBCUT in chosen.techniques(load(SPEC))
    assert Technique.PROBCUT not in player(f"alphabeta:depth=4,cuts={file},probcut=off").techniques(load(SPEC))
    with pytest.raises(CounterplayError, match="these cuts are for connect-four"):
        chosen.require(load("hex:5"))
    with pytest.raises(CounterplayError, match="needs cuts=FILE"):
        player("alphabeta:probcut=on")
    told = json.loads(cuts(0.1).to_json())
    for wrong in ("", "{}", "[1]", json.dumps(told | {"cuts": [{"depth": 4}]}), json.dumps(told | {"format": "x"})):
        file.write_text(wrong)
        with pytest.raises(CounterplayError, match="is not a file of cuts"):
            read_cuts(str(file))
