"""Sentences say what the search did: windows, the reason for each cut, averages; nothing before its step."""

import json
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import load
from counterplay.players.specs import player
from counterplay.search.tracing.history import History
from counterplay.search.tracing.sentences import Narrator, number
from counterplay.search.tracing.trace import compose
from counterplay.search.tracing.tracer import RecordingTracer

LECTURE = "[[3,12,8],[2,4,6],[14,5,2]]"
CUT = re.compile(
    r"^(?P<who>\w+) can already force (?P<best>\S+) here; (?P<other>.+) elsewhere "
    r"\(alpha (?P<alpha>\S+) >= beta (?P<beta>\S+)\), so the other (?P<count>\w+ )?moves? cannot matter: pruned\.$"
)
COUNTS = {None: 1, "two ": 2, "three ": 3}

trees = st.recursive(
    st.integers(-9, 9), lambda children: st.lists(children, min_size=1, max_size=4), max_leaves=30
).filter(lambda tree: isinstance(tree, list))


def told(tree, spec):
    """The steps of a search of a tree, with their sentences."""
    game = f"tree:{tree if isinstance(tree, str) else json.dumps(tree, separators=(',', ':'))}"
    p = load(game).start()
    recorder, who = RecordingTracer(), player(spec)
    found = who.trace(p, recorder)
    history = History(compose(p, recorder, found, game=game, player=spec), p.game)
    narrator = Narrator(history)
    return history, [(step, narrator.sentence(step)) for step in history.steps]


def cuts(tree, alpha=-math.inf, beta=math.inf, maximizes=True):
    """Alpha-beta in the plainest form: its value, and for each cut who, the best so far, the window, the number unseen."""
    if not isinstance(tree, list):
        return tree, []
    best, found = (-math.inf if maximizes else math.inf), []
    for i, child in enumerate(tree):
        value, below = cuts(child, alpha, beta, not maximizes)
        found += below
        best = max(best, value) if maximizes else min(best, value)
        alpha, beta = (max(alpha, best), beta) if maximizes else (alpha, min(beta, best))
        if alpha >= beta:
            if unseen := len(tree) - i - 1:
                found.append(("Max" if maximizes else "Min", best, alpha, beta, unseen))
            break
    return best, found


def test_the_lectures_cut_in_words():
    _, steps = told(LECTURE, "plain-alphabeta:depth=2")
    assert [words for step, words in steps if step.kind == "prune"] == [
        "Min can already force 2 here; Max has 3 elsewhere (alpha 3 >= beta 2), "
        "so the other two moves cannot matter: pruned."
    ]
    assert steps[-1][1] == (
        "Done: at the root, all moves seen: Max takes the largest of 3, ≤ 2 and 2: 3; Max chooses 1, worth 3 to Max."
    )
    assert len(steps) == 16


@settings(max_examples=60)
@given(trees)
def test_every_cut_gives_its_window_and_its_reason(tree):
    _, steps = told(tree, "plain-alphabeta:depth=9")
    value, wanted = cuts(tree)
    said = [words for step, words in steps if step.kind == "prune"]
    assert len(said) == len(wanted)
    for words, (who, best, alpha, beta, unseen) in zip(said, wanted, strict=True):
        found = CUT.match(words)
        assert found, words
        assert (found["who"], found["best"], found["alpha"], found["beta"]) == (
            who, number(best), number(alpha), number(beta),
        )  # fmt: skip
        assert COUNTS[found["count"]] == unseen
        had = f"Max has {number(alpha)}" if who == "Min" else f"Min can hold Max to {number(beta)}"
        assert found["other"] == had
    assert steps[-1][1].endswith(f", worth {number(value)} to Max.")


def value_of(tree, maximizes=True):
    if not isinstance(tree, list):
        return tree
    return (max if maximizes else min)(value_of(child, not maximizes) for child in tree)


@settings(max_examples=40)
@given(trees)
def test_sentences_about_a_node_are_true_and_only_cut_nodes_are_bounds(tree):
    for spec in ("minimax:depth=9", "plain-alphabeta:depth=9"):
        history, _ = told(tree, spec)
        for k, visit in enumerate(history.visits):
            at, maximizes = tree, True
            for name in history.path(k)[1:]:
                at, maximizes = at[int(history.visits[name].action) - 1], not maximizes
            if visit.pruned:
                continue
            true = value_of(at, maximizes)
            if visit.bound == "exact":
                assert visit.value == true
            else:
                assert visit.value >= true if visit.bound == "upper" else visit.value <= true
                below = [k, *visit.children]
                while below and not any(history.visits[c].pruned for c in below):
                    below = [c for each in below for c in history.visits[each].children]
                assert below  # something below was never looked at
            if spec.startswith("minimax"):
                assert visit.bound == "exact"


@settings(max_examples=10)
@given(trees)
def test_minimax_has_no_windows(tree):
    _, steps = told(tree, "minimax:depth=9")
    assert not any(re.search(r"alpha|beta|elsewhere|∞", words) for _, words in steps)


@pytest.mark.parametrize("spec", ["plain-alphabeta:depth=9", "minimax:depth=9", "alphabeta:depth=2,techniques=none"])
def test_no_step_knows_what_comes_later(spec):
    _, steps = told(LECTURE, spec)
    last = next(i for i, (_, words) in enumerate(steps) if "Max tries 3" in words)
    _, others = told("[[3,12,8],[2,4,6],[14,7,1]]", spec)
    assert [words for _, words in steps[:last]] == [words for _, words in others[:last]]
    if "minimax" not in spec:
        _, others = told("[[3,12,8],[2,13,-1],[14,5,2]]", spec)  # pruned leaves: no step mentions them
        assert [words for _, words in steps] == [words for _, words in others]


TERM = re.compile(r"(-?[\d.]+) × (-?[\d.]+)")


@settings(max_examples=15)
@given(
    st.lists(st.lists(st.integers(-9, 9), min_size=1, max_size=3), min_size=2, max_size=2), st.sampled_from([0.5, 0.25])
)
def test_an_average_is_told_with_its_terms(behind, p):
    tree = [{"chance": [[p, behind[0]], [1 - p, behind[1]]]}, 1]
    _, steps = told(json.dumps(tree, separators=(",", ":")), "expectiminimax:depth=4,prune=none,table=off")
    said = next(words for step, words in steps if step.kind == "leave" and "the average is" in words)
    terms = [float(a) * float(b) for a, b in TERM.findall(said)]
    assert len(terms) == 2
    assert sum(terms) == pytest.approx(p * min(behind[0]) + (1 - p) * min(behind[1]))
    assert f"= {number(sum(terms))}" in said


@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(-9, 9), min_size=2, max_size=3), min_size=4, max_size=4))
def test_star1_says_why_the_rest_of_an_average_does_not_matter(leaves):
    tree = [{"chance": [[0.5, leaves[0]], [0.5, leaves[1]]]}, {"chance": [[0.5, leaves[2]], [0.5, leaves[3]]]}]
    history, steps = told(json.dumps(tree, separators=(",", ":")), "expectiminimax:depth=4,prune=star1,table=off")
    for step, words in steps:
        if step.kind == "prune" and history.visits[step.visit].player == -1:
            most, alpha = re.search(r"would be at most (\S+), and Max has (\S+) elsewhere", words).groups()
            assert float(most) <= float(alpha) + 1e-9
            first = sum(0.5 * min(each) for each in leaves[:2])
            assert float(alpha) == pytest.approx(first, rel=1e-3)


def test_the_engine_s_steps_have_sentences():
    p = load("connect-four").start()
    recorder, spec = RecordingTracer(), "alphabeta:depth=6"
    found = player(spec).trace(p, recorder)
    history = History(compose(p, recorder, found, game="connect-four", player=spec), p.game)
    narrator = Narrator(history)
    said = [narrator.sentence(step) for step in history.steps]
    assert all(words.endswith(".") and "\n" not in words for words in said)
    assert any("null window" in words for words in said)
    assert any("The same position first, at a lower depth" in words for words in said)


# A value for each player.


def best_for_each(tree, player=0):
    """max^n on nested lists whose leaves are tuples, in the plainest form."""
    if isinstance(tree, tuple):
        return tree
    return max((best_for_each(child, (player + 1) % 3) for child in tree), key=lambda values: values[player])


payoffs = st.tuples(st.integers(-3, 3), st.integers(-3, 3)).map(lambda two: (*two, -sum(two)))
forests = st.lists(st.lists(payoffs, min_size=1, max_size=3), min_size=2, max_size=3)


@settings(max_examples=25)
@given(forests)
def test_maxn_shows_what_each_player_gets(tree):
    spec = json.dumps([[{"payoffs": list(leaf)} for leaf in branch] for branch in tree], separators=(",", ":"))
    game = load(f"tree:{spec}")
    who, p = player("maxn:depth=3"), game.start()
    recorder = who.recorder(game, 1000)
    found = who.trace(p, recorder)
    untraced = who.choose(p)
    assert (found.action, found.value) == (untraced.action, untraced.value)
    history = History(compose(p, recorder, found, game=f"tree:{spec}", player="maxn:depth=3"), game)
    assert history.has_vectors
    for k, visit in enumerate(history.visits):
        if visit.pruned or visit.bound != "exact":
            continue
        at = tree
        for name in history.path(k)[1:]:
            at = at[int(history.visits[name].action) - 1]
        cut = any(history.visits[c].pruned or history.visits[c].bound != "exact" for c in visit.children)
        if not cut:
            wanted = best_for_each(at, (len(history.path(k)) - 1) % 3)
            assert tuple(visit.values) == wanted
    said = [Narrator(history).sentence(step) for step in history.steps]
    assert said[-1].startswith("Done: at the root")
    assert not any("alpha" in words for words in said)
    seen = sum(not visit.pruned and visit.is_end for visit in history.visits)
    unseen = {history.path_text(k) for k, visit in enumerate(history.visits) if visit.pruned}
    left = sum(1 if " " in path else len(tree[int(path) - 1]) for path in unseen)
    assert seen + left == sum(map(len, tree))
