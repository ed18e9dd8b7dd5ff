"""Traces: the lecture's trees node for node, files that read back unchanged, and a tracer that changes nothing."""

import json
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, load
from counterplay.games.tree import Tree
from counterplay.players.specs import player
from counterplay.search.engine.decide import decide
from counterplay.search.engine.techniques import Technique
from counterplay.search.statistics import figures, minimal_leaves
from counterplay.search.textbook.alpha_beta import search as plain_search
from counterplay.search.textbook.minimax import minimax, negamax
from counterplay.search.tracing.trace import VERSION, compose, read_trace, replay
from counterplay.search.tracing.tracer import RecordingTracer

PLAIN, BARE = "plain-alphabeta", "alphabeta:techniques=none"
RUNGS = ["minimax", "negamax", PLAIN, BARE, "alphabeta"]
FIRST, SECOND = "[[3,12,8],[2,4,6],[14,5,2]]", "[[3,12,8],[2,4,6],[2,5,14]]"


def traced(spec, game, depth, moves="", *, capacity=100_000, deepening=False):
    """The trace of a search, by way of the player."""
    p = load(game).start(moves)
    chosen, recorder = player(spec, budget={"depth": depth}), RecordingTracer(capacity)
    found = chosen.trace(p, recorder, deepening)
    return compose(p, recorder, found, game=game, player=chosen.spec)


def leaves(trace, root=0):
    """What the leaves are worth to the root's player, in the order of the visits."""
    entered, found = [], []
    for event in trace.events:
        if event["event"] == "enter":
            entered.append(event)
        elif event["event"] == "leave":
            node = entered.pop()
            if event["why"] in ("terminal", "horizon"):
                found.append(event["value"] if node["player"] == root else -event["value"])
    return found


def pruned(trace):
    """The leaves that were pruned: what each would have been worth to Max."""
    p = trace.opening()
    found = []
    for step in replay(trace):
        if step.event["event"] == "pruned":
            s = p.game.result(step.state, p.game.parse_action(step.state, step.event["action"]))
            found.append(p.game.utility(s, 0))
    return found


def windows(trace):
    """Path, window and value of each inner node, from Max's point of view; the ends of the scale count as open."""
    opened, found = [], {}
    for step in replay(trace):
        event = step.event
        if event["event"] == "enter":
            low, high = event["alpha"], event["beta"]
            low, high = -math.inf if low in (None, -14) else low, math.inf if high in (None, 14) else high
            opened.append((-high, -low) if event["player"] else (low, high))
        elif event["event"] == "leave":
            window = opened.pop()
            if event["why"] == "searched":
                turned = {"exact": "exact", "lower": "upper", "upper": "lower"}
                value, bound = event["value"], event["bound"]
                odd = len(step.path) % 2
                found["/".join(step.path)] = (*window, -value if odd else value, turned[bound] if odd else bound)
    return found


# The lecture's trees.


@pytest.mark.plain
@pytest.mark.parametrize("spec", [PLAIN, BARE])
@pytest.mark.parametrize("tree, unseen", [(FIRST, [4, 6]), (SECOND, [4, 6, 5, 14])])
def test_the_lectures_leaves_are_pruned_and_no_others(spec, tree, unseen):
    trace = traced(spec, f"tree:{tree}", 2)
    assert trace.complete
    assert pruned(trace) == unseen
    every = [leaf for branch in json.loads(tree) for leaf in branch]
    for leaf in unseen:
        every.remove(leaf)
    assert leaves(trace) == every
    assert (trace.decision["action"], trace.decision["value"]) == ("1", 3)


@pytest.mark.plain
@pytest.mark.parametrize("spec", [PLAIN, BARE])
def test_the_lectures_windows(spec):
    infinity = math.inf
    assert windows(traced(spec, f"tree:{FIRST}", 2)) == {
        "1": (-infinity, infinity, 3, "exact"),
        "2": (3, infinity, 2, "upper"),
        "3": (3, infinity, 2, "upper"),
        "": (-infinity, infinity, 3, "exact"),
    }


def test_the_windows_at_the_lectures_leaves():
    entered = [event for event in traced(PLAIN, f"tree:{FIRST}", 2).events if event["event"] == "enter"]
    at_leaves = [(event["alpha"], event["beta"]) for event in entered if event["ply"] == 2]
    assert at_leaves == [(None, None), (None, 3), (None, 3), (3, None), (3, None), (3, 14), (3, 5)]


@pytest.mark.plain
@pytest.mark.parametrize("spec", ["minimax", "negamax"])
def test_minimax_sees_every_leaf(spec):
    trace = traced(spec, f"tree:{FIRST}", 2)
    assert leaves(trace) == [3, 12, 8, 2, 4, 6, 14, 5, 2]
    assert pruned(trace) == []
    assert windows(trace)["2"] == (-math.inf, math.inf, 2, "exact")


def best_first(branching, depth, value, sign=1):
    """A uniform tree with this value, in which the first action is the best everywhere, and others are worse."""
    if depth == 0:
        return value
    worse = [value - sign * (i + 1) for i in range(branching - 1)]
    return [best_first(branching, depth - 1, v, -sign) for v in (value, *worse)]


@pytest.mark.parametrize(
    "branching, depth",
    [(2, 1), (2, 5), (3, 3), (3, 4), *(pytest.param(*shape, marks=pytest.mark.slow) for shape in ((4, 4), (5, 3)))],
)
def test_in_the_best_order_the_minimal_tree_is_visited(branching, depth):
    game = Tree(best_first(branching, depth, 0))
    least = minimal_leaves(branching, depth)
    assert least == branching ** math.ceil(depth / 2) + branching ** math.floor(depth / 2) - 1
    recorder = RecordingTracer()
    plain_search(game, game.initial(), depth, recorder)
    seen = [event for event in recorder.events() if event["event"] == "leave" and event["why"] == "terminal"]
    assert len(seen) == least
    bare = decide(game, game.initial(), depth=depth, first=depth, techniques=Technique(0))
    assert bare.counts["leaves"] == least
    assert minimax(game, game.initial(), depth).counts["leaves"] == branching**depth
    told = figures(bare, first=depth)
    assert told["branching"] == branching
    assert told["leaves_to_minimal"] == pytest.approx(1)
    assert told["effective_branching"] == pytest.approx(bare.nodes ** (1 / depth))


trees = st.recursive(
    st.integers(-9, 9), lambda children: st.lists(children, min_size=1, max_size=4), max_leaves=30
).filter(lambda tree: isinstance(tree, list))


@given(trees)
def test_every_leaf_is_seen_or_pruned(tree):
    game, spec = Tree(tree), f"tree:{json.dumps(tree, separators=(',', ':'))}"

    def under(node):
        return sum(map(under, node)) if isinstance(node, list) else 1

    def at(path):
        node = tree
        for name in path:
            node = node[int(name) - 1]
        return node

    for each in (PLAIN, BARE):
        trace = traced(each, spec, 9)
        steps = list(replay(trace))
        unseen = [step.path for step in steps if "pruned" in step.event["event"]]
        unseen += [step.path for step in steps if step.event.get("why") == "too late"]  # the engine knows the best end
        assert len(leaves(trace)) + sum(under(at(path)) for path in unseen) == under(tree)
        assert trace.decision["value"] == minimax(game, game.initial(), 9).value


def luck(tree):
    """What a tree of chance is worth to player 0."""
    if isinstance(tree, dict) and "chance" in tree:
        return sum(p * luck(behind) for p, behind in tree["chance"])
    if isinstance(tree, dict):
        return (max if tree["player"] == 0 else min)(map(luck, tree["actions"]))
    return tree


def tosses(behind):
    """A coin or a die of three sides."""
    sides = st.sampled_from([(0.5, 0.5), (0.25, 0.5, 0.25), (1.0,)])
    return sides.flatmap(
        lambda p: st.tuples(*[behind] * len(p)).map(
            lambda them: {"chance": [list(each) for each in zip(p, them, strict=True)]}
        )
    )


def choices(behind):
    """A player's choice."""
    actions = st.lists(behind, min_size=1, max_size=3)
    return st.builds(lambda who, them: {"player": who, "actions": them}, st.integers(0, 1), actions)


lots = st.recursive(st.integers(-9, 9), lambda behind: choices(behind) | tosses(choices(behind)), max_leaves=16)


@settings(max_examples=40)
@given(lots.filter(lambda tree: isinstance(tree, dict) and tree.get("player") == 0))
def test_what_pruning_with_chance_records_at_each_node_is_true(tree):
    spec = f"tree:{json.dumps(tree, separators=(',', ':'))}"

    def at(path):
        node = tree
        for name in path:
            node = node["chance"][int(name) - 1][1] if "chance" in node else node["actions"][int(name) - 1]
        return node

    for prune in ("none", "star1", "star2"):
        trace, entered = traced(f"expectiminimax:prune={prune},table=off", spec, 9), []
        assert trace.complete
        for step in replay(trace):
            if step.event["event"] == "enter":
                entered.append(step.event)
            elif step.event["event"] == "leave":
                true = luck(at(step.path)) * (-1 if entered.pop()["player"] == 1 else 1)
                value, bound = step.event["value"], step.event["bound"]
                assert value == pytest.approx(true) or (value < true if bound == "lower" else value > true)
                assert value == pytest.approx(true) or bound != "exact"
        assert trace.decision["value"] == pytest.approx(luck(tree))


# The tracer observes the search, and changes nothing.


@pytest.mark.parametrize("spec", ["connect-four", pytest.param("othello", marks=pytest.mark.slow)])
def test_recording_changes_nothing(spec):
    game = load(spec)
    s = game.initial()
    for search in (minimax, negamax, plain_search):
        silent, recorder = search(game, s, 4), RecordingTracer()
        loud = search(game, s, 4, recorder)
        assert silent._replace(seconds=0) == loud._replace(seconds=0)
        entered = sum(event["event"] == "enter" for event in recorder.events())
        assert entered - silent.nodes in (0, 1)  # some count the root
    silent, recorder = decide(game, s, depth=5), RecordingTracer(1_000_000)
    loud = decide(game, s, depth=5, tracer=recorder)
    assert silent._replace(seconds=0) == loud._replace(seconds=0)
    assert sum(event["event"] == "enter" for event in recorder.events()) == silent.nodes


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("spec, moves", [("connect-four", "4 4"), ("othello", "d3 c3")])
def test_a_trace_can_be_replayed(rung, spec, moves):
    trace = traced(rung, spec, 3, moves)
    assert trace.complete
    steps = list(replay(trace))
    assert [step.event for step in steps] == trace.events
    assert steps[0].path == steps[-1].path == ()
    assert steps[-1].event["value"] == trace.decision["value"]
    game = load(spec)
    for step in steps:
        if step.event["event"] == "enter":
            assert step.event["player"] == game.to_move(step.state)
        if step.event["event"] == "leave":
            assert (step.event["why"] == "terminal") == game.is_terminal(step.state)
            assert step.event["bound"] == "lower" or not step.event["cut"]


def test_deepening_is_traced_on_request():
    once = traced("alphabeta", "connect-four", 5)
    assert [each["depth"] for each in once.passes] == [5]
    every = traced("alphabeta", "connect-four", 5, deepening=True)
    assert [each["depth"] for each in every.passes][:3] == [1, 2, 3]
    for each in every.passes:
        event = every.events[each["event"]]
        assert (event["by"], event["depth"]) == ("root", each["depth"])


@pytest.mark.slow
def test_hits_in_the_table_and_null_moves_are_told():
    events = traced("alphabeta", "connect-four", 7, deepening=True).events
    assert "table" in {event["why"] for event in events if event["event"] == "leave"}
    assert "same position" in {event["by"] for event in traced("alphabeta", "connect-four", 7).events if "by" in event}
    passes = [traced("alphabeta", "hex:5", depth, "c3 a1", deepening=True) for depth in (4, 5)]
    assert any(event.get("by") == "null move" for trace in passes for event in trace.events)
    for trace in passes:
        list(replay(trace))


def test_moves_outside_a_beam_are_named():
    trace = traced("alphabeta:techniques=none,beam=2", "connect-four", 2)
    at_root = [event["action"] for event in trace.events if event["event"] == "pruned" and event["ply"] == 0]
    assert at_root == [*"34567"]
    assert sum(event["event"] == "enter" and event["ply"] == 1 for event in trace.events) == 2


# Files.


def test_a_trace_is_bounded(tmp_path):
    trace = traced("minimax", "connect-four", 3, capacity=50)
    assert (len(trace.events), trace.complete, trace.happened) == (50, False, 2 * 400)
    file = tmp_path / "trace.json"
    file.write_text(trace.text())
    assert read_trace(file) == trace
    assert len(list(replay(trace))) == 50
    with pytest.raises(CounterplayError, match="at least 1 event"):
        RecordingTracer(0)


def test_a_stopped_search_is_not_complete():
    trace = traced("alphabeta:nodes=30", "connect-four", 9)
    assert trace.decision["depth"] == 9
    p, recorder = load("connect-four").start(), RecordingTracer()
    found = player("alphabeta:depth=9,nodes=30").trace(p, recorder)
    trace = compose(p, recorder, found, game="connect-four", player="alphabeta")
    assert not trace.complete
    assert found.nodes <= 31


@given(trees, st.sampled_from(RUNGS), st.integers(1, 4))
def test_a_file_comes_back_as_it_was(tmp_path_factory, tree, spec, depth):
    trace = traced(spec, f"tree:{json.dumps(tree, separators=(',', ':'))}", depth)
    file = tmp_path_factory.getbasetemp() / "again.json"
    file.write_text(trace.text())
    json.loads(file.read_text(), parse_constant=pytest.fail)  # no Infinity, no NaN
    assert read_trace(file) == trace


def spoilt(data, rng):
    """A trace with one thing wrong in it."""
    kind = rng.randrange(5)
    if kind == 0:
        del data[rng.choice([name for name in data if name != "format"])]
    elif kind == 1:
        data["events"].pop(rng.randrange(len(data["events"])))
    elif kind == 2:
        event = rng.choice(data["events"])
        del event[rng.choice(list(event))]
    elif kind == 3:
        rng.choice(data["events"])[rng.choice(["ply", "event"])] = "three"
    else:
        data["events"].insert(rng.randrange(len(data["events"])), 7)
    return data


@pytest.mark.parametrize("seed", range(40))
def test_a_file_that_is_not_a_trace_is_refused(tmp_path, seed):
    rng = random.Random(seed)
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(spoilt(json.loads(traced(PLAIN, f"tree:{FIRST}", 2).text()), rng)))
    with pytest.raises(CounterplayError) as raised:
        read_trace(file)
    assert "wrong.json" in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "is not JSON"),
        ("[]", "is not a trace"),
        ("{}", 'lacks "format"'),
        (json.dumps({"format": "counterplay-trace", "version": VERSION + 1}), "of version 2; this program reads 1"),
        (json.dumps({"format": "counterplay-trace", "version": VERSION}), '"game" is missing'),
    ],
)
def test_other_files_are_refused(tmp_path, text, why):
    file = tmp_path / "trace.json"
    file.write_text(text)
    with pytest.raises(CounterplayError, match=why):
        read_trace(file)
    with pytest.raises(CounterplayError, match="no such file"):
        read_trace(tmp_path / "nothing.json")


def test_an_illegal_action_does_not_replay():
    trace = traced(PLAIN, f"tree:{FIRST}", 2)
    trace.events[1]["action"] = "9"
    with pytest.raises(CounterplayError, match="no action '9'"):
        list(replay(trace))


# Pieces of long traces.


def test_a_long_trace_comes_in_pieces_that_make_the_whole():
    p, spec = load("connect-four").start(), "plain-alphabeta:depth=4"
    recorder = RecordingTracer()
    found = player(spec).trace(p, recorder)
    written = {"game": "connect-four", "player": spec}
    whole = compose(p, recorder, found, **written)
    piece, opened = compose(p, recorder, found, **written, limit=100), []
    assert not piece.complete
    sizes = [len(piece.events)]
    while hidden := [event["at"] for event in piece.events if event.get("hidden")]:
        assert all(whole.events[at]["event"] == "enter" for at in hidden)
        list(replay(piece))
        opened += hidden
        piece = compose(p, recorder, found, **written, limit=100, opened=opened)
        sizes.append(len(piece.events))
    assert sizes == sorted(set(sizes))
    assert [{k: v for k, v in event.items() if k != "at"} for event in piece.events] == whole.events
    assert piece.complete
    assert compose(p, recorder, found, **written, limit=100_000) == whole
    assert compose(p, recorder, found, **written, limit=100, opened=[-3, 10**9]).events[0]["at"] == 0  # nobody's node
