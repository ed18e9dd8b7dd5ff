"""The sentences about simulations: sums recomputed from visits and means, the point of view of each mean, why a run
ended.
"""

import json
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import load
from counterplay.montecarlo.history import SimulationHistory
from counterplay.montecarlo.trace import replay
from counterplay.players.specs import player

SUM = re.compile(r"takes (?P<move>\S+): (?P<mean>-?[\d.]+) \+ (?P<bonus>[\d.]+) = (?P<sum>-?[\d.]+), ")


def told(game, spec, moves=""):
    """Recorded simulations with their steps."""
    p = load(game).start(moves)
    trace = player(spec).record(p, 10_000, game=game)
    return trace, SimulationHistory(trace, p.game)


def check_sums(trace, c, half):
    """Every sum of the trace, from the visits and means of the tree before its simulation."""
    before = [None]
    compared = 0
    for step, nodes in zip(trace.steps, replay(trace), strict=True):
        for choice in step["choices"]:
            parent = before[choice["node"]]
            sums = {}
            for each in choice["sums"]:
                child = before[each["node"]]
                if "mean" not in each:
                    assert each["state"] == "useless" or not child.visits
                    continue
                mean = child.value / half * (1 if choice["player"] == 0 else -1)
                low, high = sorted(
                    bound / half * (1 if choice["player"] == 0 else -1) for bound in child.bounds or (-half, half)
                )
                bonus = c * math.sqrt(math.log(parent.visits) / child.visits)
                assert math.isclose(each["mean"], min(max(mean, low), high), abs_tol=1e-9)
                assert math.isclose(each["bonus"], bonus, abs_tol=1e-9)
                if each["state"] == "open":
                    sums[each["node"]] = each["mean"] + each["bonus"]
                compared += 1
            went = step["way"][step["way"].index(choice["node"]) + 1]
            untried = [each["node"] for each in choice["sums"] if each["state"] == "untried"]
            assert went == untried[0] if untried else sums[went] >= max(sums.values()) - 1e-12
        before = nodes
    return compared


def test_the_sums_of_tic_tac_toe():
    trace, history = told("tic-tac-toe", "mcts:simulations=60", "b2 a1 c1 a3 a2")
    assert check_sums(trace, 0.7, 1.0) > 50
    said = [SUM.search(step.words) for step in history.steps if step.kind == "select"]
    assert sum(map(bool, said)) > 10
    for found in filter(None, said):
        assert abs(float(found["mean"]) + float(found["bonus"]) - float(found["sum"])) < 0.0101
    assert "Select: at the root, o takes c2: 0.00 + 0.82 = 0.82, highest (then b3 -0.18, b1 -0.18, c3 -0.18)." in [
        step.words for step in history.steps
    ]


@pytest.mark.slow
def test_why_a_run_ended_and_whose_view_a_mean_has():
    trace, history = told("tic-tac-toe", "mcts:simulations=60", "b2 a1 c1 a3 a2")
    assert (trace.decision["asked"], trace.decision["ended"]) == (60, "proven")
    assert trace.decision["simulations"] < 60
    end = history.steps[-1].words
    assert (
        f"after {trace.decision['simulations']} simulations before the 60 of the budget, since the result is proven"
        in end
    )
    assert history.root == 1  # o moves; the trace itself is from x's point of view
    for nodes in replay(trace):
        last = nodes
    for k, known in history.known.items():
        if known.visits:
            own = last[k].value if history.viewer(k) == 0 else -last[k].value
            assert math.isclose(known.mean, own, abs_tol=1e-9)
    for node in history.nodes[1:]:
        assert node.chooser == history.nodes[node.parent].player
        assert node.is_end == history.game.is_terminal(node.state)
        assert node.is_end or node.player == history.game.to_move(node.state)
    ended, _ = told("connect-four", "mcts:simulations=8")
    assert ended.decision["ended"] == "budget"


trees = st.recursive(
    st.integers(-9, 9), lambda children: st.lists(children, min_size=1, max_size=3), max_leaves=12
).filter(lambda tree: isinstance(tree, list))


@settings(max_examples=30)
@given(trees)
def test_the_sums_of_any_tree(tree):
    game = f"tree:{json.dumps(tree, separators=(',', ':'))}"
    trace, history = told(game, "mcts:simulations=20")
    bounds = [abs(bound) for bound in load(game).utility_bounds]
    check_sums(trace, 0.7, max(bounds) or 1.0)
    assert all(step.words.endswith(".") for step in history.steps)


def test_flat_monte_carlo_is_described_as_well():
    _, history = told("tree", "flat:playouts=2")
    kinds = [step.kind for step in history.steps]
    assert kinds.count("simulate") == kinds.count("backup") == 6
    assert "as it has the best mean" in history.steps[-1].words
