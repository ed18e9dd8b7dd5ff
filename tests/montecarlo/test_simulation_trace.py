"""Recorded simulations: the tree after each of them, as the search itself had it."""

import pytest

from counterplay import CounterplayError, load
from counterplay.montecarlo.options import SimulationOptions
from counterplay.montecarlo.search import TreeSearch
from counterplay.montecarlo.trace import read_simulations, record, replay

GAME = load("tic-tac-toe")
USUAL = SimulationOptions()


def recorded(simulations, limit=10_000, moves="", options=USUAL):
    search = TreeSearch(GAME, options, megabytes=1)
    p = GAME.start(moves)
    return search, record(search, p, simulations, limit, game="tic-tac-toe", player="mcts", start=None)


@pytest.mark.parametrize(
    "options", [SimulationOptions(), SimulationOptions(solver=False), SimulationOptions(decisive="tree")]
)
def test_the_last_tree_is_the_search_s_own(options):
    search, trace = recorded(200, options=options, moves="a1 b1")
    *_, last = replay(trace)
    tree = search.trees[0]
    assert len(last) == tree.used[0]
    for k, node in enumerate(last):
        assert node.visits == tree.visits[k]
        if node.visits:
            assert node.value == pytest.approx(tree.total[k] / tree.visits[k])
        if node.bounds:
            assert node.bounds == (tree.lower[k], tree.upper[k])
    assert trace.complete


def test_each_step_adds_a_simulation_along_its_way():
    _, trace = recorded(60)
    assert len(trace.steps) == 60
    for i, (step, nodes) in enumerate(zip(trace.steps, replay(trace), strict=True), 1):
        assert nodes[0].visits == i
        for parent, child in zip(step["way"], step["way"][1:], strict=False):
            assert nodes[child].parent == parent
        p = GAME.start()
        for k in step["way"][1:]:
            p.play(nodes[k].action)


def test_the_same_search_untraced_grows_the_same_tree():
    traced, _ = recorded(150)
    plain = TreeSearch(GAME, megabytes=1)
    plain.begin(GAME.initial())
    plain.run(simulations=150)
    used = int(plain.trees[0].used[0])
    assert traced.trees[0].visits[:used].tolist() == plain.trees[0].visits[:used].tolist()


def test_what_does_not_fit_is_left_out():
    _, trace = recorded(100, limit=50)
    assert not trace.complete
    assert 0 < len(trace.steps) < 50
    assert trace.decision["simulations"] == 100


def test_a_file_is_read_again(tmp_path):
    _, trace = recorded(20)
    file = tmp_path / "trace.json"
    file.write_text(trace.text())
    assert read_simulations(file) == trace
    file.write_text("{}")
    with pytest.raises(CounterplayError, match="not a trace of simulations"):
        read_simulations(file)
    file.write_text('{"format": "counterplay-simulations", "version": 1}')
    with pytest.raises(CounterplayError, match='"game" is missing'):
        read_simulations(file)
    with pytest.raises(CounterplayError, match="no such file"):
        read_simulations(tmp_path / "none.json")
