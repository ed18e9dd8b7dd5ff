"""Scenes of recorded searches: windows, cuts and pruned leaves as the lecture has them; figures that fold."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from counterplay import load
from counterplay.players.specs import player
from counterplay.search.tracing.trace import compose
from counterplay.search.tracing.tracer import Recorder
from counterplay.web.figure import MOST_DRAWN, Dot, Figure
from counterplay.web.scenes import SearchScenes, SimulationScenes

LECTURE = "tree:[[3,12,8],[2,4,6],[14,5,2]]"


def searched(game, spec, moves=""):
    p = load(game).start(moves)
    recorder, who = Recorder(), player(spec)
    found = who.trace(p, recorder)
    return SearchScenes(compose(p, recorder, found, game=game, player=spec), p.game)


def test_alpha_beta_on_the_tree_of_the_lecture():
    scenes = searched(LECTURE, "plain-alphabeta:depth=8")
    last = scenes.scene(len(scenes) - 1)
    pruned = [dot.below for dot in last.dots if dot.tone == "pruned"]
    assert pruned == ["4", "6"]
    values = [dot.below for dot in last.dots if dot.shape == "min"]
    assert values == ["3", "≤ 2", "≤ 2"]
    assert dict(scenes.summary()) == {
        "chooses": "1",
        "value": "3",
        "entered": "11",
        "leaves": "7",
        "pruned": "2",
    }
    at_cut = next(i for i in range(len(scenes)) if "cut" in scenes.scene(i).words)
    facts = dict(scenes.scene(at_cut).facts)
    assert (facts["player"], facts["alpha"], facts["beta"], facts["value"]) == ("Min", "3", "2", "≤ 2")
    first = dict(scenes.scene(0).facts)
    assert (first["player"], first["alpha"], first["beta"]) == ("Max", "-∞", "∞")


def test_minimax_sees_every_leaf():
    scenes = searched(LECTURE, "minimax:depth=8")
    assert dict(scenes.summary())["leaves"] == "9"
    assert not scenes.pruned
    assert all(dot.tone == "unseen" for dot in scenes.scene(0).dots[1:])


@pytest.mark.slow
def test_table_hits_are_marked():
    scenes = searched("tic-tac-toe", "alphabeta:depth=6,techniques=none,table=1", "b2 a1 c1")
    marks = {dot.mark for dot in scenes.scene(len(scenes) - 1).dots}
    assert "table" in marks


def test_four_phases_of_a_simulation():
    p = load("tic-tac-toe").start("b2 a1 c1 a3 a2")
    trace = player("mcts:simulations=10").record(p, 1000, game="tic-tac-toe")
    scenes = SimulationScenes(trace, p.game)
    assert len(scenes) == 4 * len(trace.steps)
    select, expand, evaluate, backup = (scenes.scene(i) for i in range(4))
    assert [scene.words.partition(":")[0] for scene in (select, expand, evaluate, backup)] == [
        "select",
        "expand",
        "evaluate",
        "back up",
    ]
    assert not any(dot.below for dot in evaluate.dots)
    assert backup.dots[0].below.startswith("1: ")


def test_large_trees_are_folded_and_open_by_hand():
    dots = [Dot(None)] + [Dot(0) for _ in range(100)] + [Dot(1 + i // 5) for i in range(500)]
    figure = Figure(dots)
    assert len(figure.x) <= MOST_DRAWN + 5
    folded = max(figure.folded)
    assert figure.below(folded) == 5
    wider = Figure(dots, opened=frozenset({folded}))
    assert len(wider.x) == len(figure.x) + 5
    closed = Figure(dots, closed=frozenset({0}))
    assert closed.folded == {0}
    ElementTree.fromstring(figure.svg())
    ElementTree.fromstring(Figure([]).svg())


CHANCES = 'tree:[{"chance":[[0.5,[2,8]],[0.5,[4,6]]]},{"chance":[[0.9,[1,3]],[0.1,[20,30]]]}]'


def test_expectiminimax_averages_over_events_with_their_probabilities():
    scenes = searched(CHANCES, "expectiminimax:depth=4,prune=none")
    last = scenes.scene(len(scenes) - 1)
    assert [(dot.shape, dot.below) for dot in last.dots if dot.shape in ("max", "chance")] == [
        ("max", "3"),
        ("chance", "3"),
        ("chance", "2.9"),
    ]
    assert [dot.label for dot in last.dots if "(" in dot.label] == ["1 (0.5)", "2 (0.5)", "1 (0.9)", "2 (0.1)"]
    assert [dot.below for dot in last.dots if dot.shape == "min"] == ["2", "4", "1", "20"]


def test_star2s_probes_are_visits_of_their_own():
    scenes = searched(CHANCES, "expectiminimax:depth=4,prune=star2,table=off")
    last = scenes.scene(len(scenes) - 1)
    probed = [dot for dot in last.dots if dot.mark == "probe"]
    assert [dot.below for dot in probed] == ["≤ 2", "≤ 4", "≤ 1", "≤ 20"]
    assert [dot.below for dot in last.dots if dot.shape == "chance"] == ["3", "≤ 2.9"]
    assert any("by a probe" in scenes.scene(i).words for i in range(len(scenes)))
