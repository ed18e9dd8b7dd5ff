"""Stories of recorded searches for the browser: nothing before its step, only real cuts marked, sides in their
colours.
"""

from __future__ import annotations

import asyncio
import json
import re
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from counterplay import load
from counterplay.core.derived import derive
from counterplay.core.errors import CounterplayError
from counterplay.core.rules import legal
from counterplay.equilibrium.cfr import NEVER, VARIANTS
from counterplay.players.specs import player
from counterplay.search.tracing.trace import compose
from counterplay.search.tracing.tracer import RecordingTracer
from counterplay.web.readable import readable_depth
from counterplay.web.scenes import boards_of, story_of
from counterplay.web.training import pseudocode, training_story

LECTURE = "tree:[[3,12,8],[2,4,6],[14,5,2]]"
CHANCES = 'tree:[{"chance":[[0.5,[2,8]],[0.5,[4,6]]]},{"chance":[[0.9,[1,3]],[0.1,[20,30]]]}]'


def searched(game, spec, moves=""):
    """The story of a search."""
    p = load(game).start(moves)
    recorder, who = RecordingTracer(), player(spec)
    found = who.trace(p, recorder)
    return story_of({"kind": "search", **compose(p, recorder, found, game=game, player=spec)._asdict()}, p.game)


def looks(story, step):
    """How every node looks after a step."""
    found = {}
    for each in story["steps"][: step + 1]:
        found |= {k: look for k, *look in each["set"]}
    return found


def last(story):
    """The same at the end."""
    return looks(story, len(story["steps"]) - 1)


def test_alpha_beta_on_the_tree_of_the_lecture():
    story = searched(LECTURE, "plain-alphabeta:depth=8")
    end = last(story)
    assert [look[1] for look in end.values() if look[3] == "pruned"] == ["4", "6"]
    inner = [k for k, node in enumerate(story["nodes"]) if node[2] == "min"]
    assert [end[k][1] for k in inner] == ["3", "≤ 2", "2"]
    assert [end[k][2] for k in inner] == ["chosen", "cut", ""]  # the third was searched fully: no cut
    at_cut = next(i for i, step in enumerate(story["steps"]) if "pruned" in step["words"])
    facts = dict(story["steps"][at_cut]["facts"])
    assert (facts["player"], facts["alpha"], facts["beta"], facts["pruned"]) == ("Min", "3", "2", "2")
    assert story["code"][story["steps"][at_cut]["lines"][0]].strip() == "if alpha >= beta: prune the rest"
    assert story["code"].index(story["code"][story["steps"][at_cut]["lines"][0]]) < story["steps"][at_cut]["lines"][0]


def test_nothing_is_shown_before_its_step():
    for spec in ("plain-alphabeta:depth=8", "minimax:depth=8"):
        story = searched(LECTURE, spec)
        for i, step in enumerate(story["steps"]):
            for k, *_ in step["set"]:
                assert story["nodes"][k][4] <= i
            assert story["nodes"][step["at"]][4] <= i
            assert ("chosen" in json.dumps(step["set"])) == (i == len(story["steps"]) - 1)
        seen = [sum(node[4] <= i for node in story["nodes"]) for i in range(len(story["steps"]))]
        assert seen[0] == 1
        assert seen == sorted(seen)
        assert seen[-1] == len(story["nodes"])


def test_minimax_shows_every_leaf_and_no_windows():
    story = searched(LECTURE, "minimax:depth=8")
    assert not story["windows"]
    assert not any(look[0] or look[2] == "cut" or look[3] for look in last(story).values())
    assert [last(story)[k][1] for k, node in enumerate(story["nodes"]) if node[2] == "end"] == [
        *"3",
        "12",
        *"8246",
        "14",
        *"52",
    ]


def test_the_root_s_player_maximizes_whoever_it_is():
    story = searched("tic-tac-toe", "minimax:depth=8", "b2 a1 c1 a3 a2")
    assert story["nodes"][0][2:4] == ["max", 1]  # o moves at the root, in o's colour
    assert story["boards"]["kind"] == "svg"
    assert len(story["boards"]["of"]) == len(story["nodes"])
    assert max(story["boards"]["of"]) < len(story["boards"]["all"])


def test_every_position_of_a_chess_tree_is_a_picture():
    game = load("chess")
    states = [game.initial()]
    for action in legal(game, states[0]):
        states.append(game.result(states[0], action))
        states += [game.result(states[-1], reply) for reply in legal(game, states[-1])]
    boards = boards_of(game, states)
    assert (len(states), boards["kind"]) == (421, "svg")
    for k in (0, 1, 200, 420):
        assert "".join(boards["parts"][n] for n in boards["all"][boards["of"][k]]) == game.svg(states[k])


def test_expectiminimax_averages_over_events_with_their_probabilities():
    story = searched(CHANCES, "expectiminimax:depth=4,prune=none,table=off")
    end = last(story)
    shaped = [(node[2], end[k][1]) for k, node in enumerate(story["nodes"]) if node[2] in ("max", "chance")]
    assert shaped == [("max", "3"), ("chance", "3"), ("chance", "2.9")]
    assert [node[1] for node in story["nodes"] if "(" in node[1]] == ["1 (0.5)", "2 (0.5)", "1 (0.9)", "2 (0.1)"]
    assert any("the average is 0.9 × 1 + 0.1 × 20 = 2.9" in step["words"] for step in story["steps"])


def test_star2s_probes_are_visits_of_their_own():
    story = searched(CHANCES, "expectiminimax:depth=4,prune=star2,table=off")
    end = last(story)
    probed = [look[1] for look in end.values() if look[2] == "probe"]
    assert probed == ["≤ 2", "≤ 4", "≤ 1", "≤ 20"]
    again = next(step["words"] for step in story["steps"] if "After 1 1, all moves seen" in step["words"])
    assert "the smallest of 2 and 8: 2" in again  # the probed move counts


def test_simulations_have_their_sides_and_their_sums():
    p = load("tic-tac-toe").start("b2 a1 c1 a3 a2")
    trace = player("mcts:simulations=60").record(p, 4000, game="tic-tac-toe")
    story = story_of({"kind": "simulations", **trace._asdict()}, p.game)
    assert story["nodes"][0][2:4] == ["player", 1]
    assert {node[3] for node in story["nodes"] if node[0] == 0} == {0}
    taken = next(i for i, step in enumerate(story["steps"]) if "takes c2: 0.00 + 0.82 = 0.82" in step["words"])
    children = [k for k, node in enumerate(story["nodes"]) if node[0] == 0]
    assert [looks(story, taken)[k][0] for k in children] == ["-0.18", "-0.18", "0.82", "-0.18"]
    assert not any(looks(story, taken + 1)[k][0] for k in children)  # and gone with the next step
    assert "since the result is proven" in story["steps"][-1]["words"]


def test_values_are_in_the_games_own_units():
    game = derive(load("chess"), compiled=False)
    p = game.start("f3 e5 g4")
    recorder = RecordingTracer()
    found = player("minimax:depth=1").trace(p, recorder)
    written = compose(p, recorder, found, game="chess", player="minimax:depth=1")
    story = story_of({"kind": "search", **written._asdict()}, game)
    assert "values are from Black's point of view, in pawns" in [words for _, _, words in story["legend"]]
    told = [step["words"] for step in story["steps"]]
    assert "Black tries Qh4#: the game ends: a win for Black" in " ".join(told)
    estimates = [float(each) for each in re.findall(r"the estimate is (-?\d+\.\d\d)[;.]", " ".join(told))]
    assert len(estimates) == len(p.options()) - 1
    assert max(map(abs, estimates)) > 1  # pawns, not hundredths of a win


def test_trees_open_at_a_depth_that_can_be_read():
    assert readable_depth(load(LECTURE).start()) == 2
    assert readable_depth(load("tic-tac-toe").start()) == 2
    assert readable_depth(load("nim:3-2").start()) == 5
    assert readable_depth(load("go:19").start()) == 1
    assert readable_depth(load(CHANCES).start()) == 2


def test_regret_minimization_in_sentences():
    sets = [{"player": 0, "knows": "J", "actions": ["pass", "bet"], "start": 0, "end": 2}]
    steps = [
        {
            "regrets": [0.0, 0.0],
            "strategy": [0.5, 0.5],
            "average": [0.5, 0.5],
            "exploitability": 0.5,
            "values": [0.1, -0.1],
        },
        {
            "regrets": [1.0, 0.0],
            "strategy": [1.0, 0.0],
            "average": [0.75, 0.25],
            "exploitability": 0.25,
            "values": [0, 0],
        },
    ]
    answer = {"kind": "training", "method": "cfr", "players": ["Ann", "Bob"], "sets": sets, "steps": steps}
    story = training_story(answer)
    assert story["curve"] == [0.5, 0.25]
    assert "every action is equally likely" in story["steps"][0]["words"]
    assert (
        "Ann with J now plays pass with 1.00 instead of 0.50, as its regret went from 0.000 to 1.000"
        in (story["steps"][1]["words"])
    )
    # The reason is the action whose regret changed, not the one that made room for it.
    moved = {**steps[1], "regrets": [1.0, 3.0], "strategy": [0.25, 0.75]}
    words = training_story({**answer, "steps": [steps[1], moved]})["steps"][1]["words"]
    assert "Ann with J now plays bet with 0.75 instead of 0.00, as its regret went from 0.000 to 3.000" in words


def test_every_variant_of_regret_minimization_has_its_own_pseudocode():
    codes = {method: pseudocode(method) for method in VARIANTS}
    assert len(set(map(tuple, codes.values()))) == len(VARIANTS)
    assert max(len(line) for code in codes.values() for line in code) <= 40
    forgets = [method for method, code in codes.items() if "    regrets below 0 become 0" in code]
    assert forgets == [method for method, fading in VARIANTS.items() if fading.below == NEVER] == ["cfr+", "pcfr+"]
    weighted = {
        method: next(line for line in code if "comes there" in line).partition("there × ")[2]
        for method, code in codes.items()
    }
    assert weighted == {"cfr": "", "cfr+": "t", "linear": "t", "dcfr": "t²", "pcfr+": "t²"}


def test_a_training_is_as_long_as_can_be_watched_and_a_larger_game_shows_another_search(monkeypatch):
    pytest.importorskip("nicegui")
    from counterplay.web import thinking, training
    from counterplay.web.watch import Scene, WatchPage

    asked = {"game": "kuhn-poker", "method": "cfr+"}
    talk = SimpleNamespace(say=lambda _: None, news=lambda _: None)
    monkeypatch.setattr(thinking, "MOST_NUMBERS", 3 * 26 * 10)  # 26 sequences
    assert len(thinking.train(talk, iterations=None, **asked)["steps"]) == 10
    with pytest.raises(CounterplayError, match="watch at most 9 iterations"):
        thinking.train(talk, iterations=10, **asked)
    assert len(thinking.train(talk, iterations=9, **asked)["steps"]) == 10

    monkeypatch.setattr(training, "MOST_SETS", 5)
    answer = thinking.train(talk, iterations=9, **asked)
    story = training_story(answer)
    assert story["note"] == "5 of 12 information sets: those in which the strategy moves most"
    for drawn in story["sets"]:
        player, _, knows = drawn["text"].partition(" knows ")
        whole = next(
            each for each in answer["sets"] if (f"player {each['player'] + 1}", each["knows"]) == (player, knows)
        )
        for now, before in zip(story["steps"], answer["steps"], strict=True):
            shown = now["average"][drawn["start"] : drawn["start"] + len(drawn["actions"])]
            assert shown == before["average"][whole["start"] : whole["end"]]

    async def train(i, spec):
        raise CounterplayError("too large")

    async def search(i, spec):
        return {"note": page.scene.note}

    page = WatchPage.__new__(WatchPage)
    page.scene, page.specs, page.stories = Scene(load("kuhn-poker").start()), ["cfr+", ""], [{"spec": "cfr+"}]
    page.asked, page.tree = {"game": "kuhn-poker", "position": None, "moves": ""}, Mock(props={})
    monkeypatch.setattr(page, "train", train)
    monkeypatch.setattr(page, "search", search)
    asyncio.run(page.record(0, "cfr+"))
    assert page.stories == [
        {
            "spec": "Monte Carlo tree search over information sets: ismcts:simulations=40 on kuhn-poker",
            "note": "too large",
        }
    ]
    assert "ismcts" in page.tree.props["query"]
    asyncio.run(page.record(0, "cfr+"))  # once: a visitor who asks for something unsuitable gets the reason
    assert page.stories[0]["wrong"] == "too large"
