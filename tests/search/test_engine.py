"""The engine against minimax: every sound technique, alone and combined, on random trees and on all suitable games."""

import math
import random
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search.oracles import expected
from search.oracles import trees as estimated_trees

from counterplay import CounterplayError, load
from counterplay.core.rules import legal
from counterplay.games.tree import Tree
from counterplay.search.engine.decide import CANDIDATES, decide
from counterplay.search.engine.engine import search
from counterplay.search.engine.iterative_deepening import Searcher
from counterplay.search.engine.killers_and_history import EngineContext
from counterplay.search.engine.multipv import rank
from counterplay.search.engine.techniques import SOUND, Technique, default_for
from counterplay.search.engine.transposition_table import (
    COMPLETE,
    EXACT,
    LOWER,
    NO_ACTION,
    TranspositionTable,
    action_of,
    bound_of,
    depth_of,
)
from counterplay.search.memory import Scale
from counterplay.search.textbook.alpha_beta import search as plain_search
from counterplay.search.textbook.context import TextbookContext
from counterplay.search.textbook.minimax import greedy, max_value, minimax, negamax

numbers = st.integers(-9, 9)
trees = st.recursive(numbers, lambda children: st.lists(children, min_size=1, max_size=4), max_leaves=40).filter(
    lambda tree: isinstance(tree, list)
)
sound = st.sets(st.sampled_from([t for t in Technique if t in SOUND])).map(lambda chosen: sum(chosen, Technique(0)))
GAMES = ["tic-tac-toe", "mnk:4,3,3", "connect-four:5,4", "othello:4", "hex:3", "nim", "kayles:7"]
ALIKE = ["mnk:4,3,3", "kayles:7", "othello:4", "hex:3", "connect-four:5,4"]
"""Games much like others of them, as far as a search can tell."""


def value_by_hand(tree, sign=1):
    """Minimax by a few lines of Python over the nested list."""
    if not isinstance(tree, list):
        return tree
    return sign * max(sign * value_by_hand(child, -sign) for child in tree)


def deep(tree):
    return 1 + max(map(deep, tree)) if isinstance(tree, list) else 0


@given(trees, sound)
def test_the_engine_agrees_with_minimax_on_random_trees(tree, techniques):
    game = Tree(tree)
    found = decide(game, game.initial(), depth=deep(tree), techniques=techniques, table=0.01)
    assert found.value == value_by_hand(tree)
    assert found.proven
    assert value_by_hand(tree[found.action], -1) == found.value
    assert found.line[0] == found.action


@pytest.mark.parametrize("spec", ["tic-tac-toe", "mnk:4,3,3"])
def test_the_line_of_a_decided_position_leads_to_its_end(spec):
    """An immediate win is part of the line, even though its value is the maximum."""
    game, rng, decided = load(spec), random.Random(5), 0
    while decided < 25:
        p = game.start()
        while not p.is_over and len(p) < 3 + decided % 4:
            p.play(rng.choice(p.options()))
        found = None if p.is_over else decide(game, p.state, depth=9, techniques=SOUND & ~Technique.TABLE)
        if found and found.plies:
            decided += 1
            for action in found.line:
                p.play(action)
            assert len(found.line) == found.plies
            assert p.is_over


@given(trees, st.integers(1, 6), sound)
def test_cut_off_at_a_depth_it_still_agrees(tree, depth, techniques):
    game = Tree(tree)
    expected = minimax(game, game.initial(), depth)
    found = decide(game, game.initial(), depth=depth, techniques=techniques, table=0.01)
    assert found.value == expected.value == negamax(game, game.initial(), depth).value
    assert found.plies == expected.plies


@given(trees, numbers, numbers, sound)
def test_a_value_outside_the_window_is_a_bound(tree, a, b, techniques):
    alpha, beta = sorted((a + 0.5, b + 1.5))
    game = Tree(tree)
    searcher = Searcher(game, game.initial(), EngineContext(game, techniques, TranspositionTable(0.01)))
    scale = Scale.of(game)
    for depth in range(1, deep(tree) + 1):
        found = scale.plain(searcher.look(depth, alpha, beta))
        true = minimax(game, game.initial(), depth).value
        if found <= alpha:
            assert true <= found
        elif found >= beta:
            assert true >= found
        else:
            assert true == found


def positions(game, plies, seed=0):
    """A few positions along random play."""
    import random

    rng = random.Random(seed)
    p = game.start()
    for _ in range(plies):
        if p.is_over:
            break
        yield p.state
        p.play(rng.choice(p.options()))


@pytest.mark.parametrize("spec", [pytest.param(g, marks=pytest.mark.slow) if g in ALIKE else g for g in GAMES])
def test_sound_techniques_change_no_value(spec):
    game = load(spec)
    for s in positions(game, 8, seed=1):
        for depth in (1, 3, 4):
            expected = minimax(game, s, depth)
            for techniques in (Technique(0), SOUND & ~Technique.MTDF, SOUND, SOUND & ~Technique.PVS & ~Technique.MTDF):
                for chip in (0, 2):
                    found = decide(game, s, depth=depth, techniques=techniques, table=0.1, chip=chip)
                    assert (found.value, found.plies) == (expected.value, expected.plies)


@pytest.mark.parametrize("spec", ["tic-tac-toe", *(pytest.param(g, marks=pytest.mark.slow) for g in GAMES[1:])])
def test_each_sound_technique_alone_changes_no_value(spec):
    game = load(spec)
    s = list(positions(game, 3, seed=2))[-1]
    expected = minimax(game, s, 4)
    for technique in Technique:
        if technique in SOUND:
            for chosen in (technique, technique | Technique.TABLE):
                found = decide(game, s, depth=4, techniques=chosen, table=0.1)
                assert (found.value, found.plies) == (expected.value, expected.plies), technique


@pytest.mark.parametrize("spec", [pytest.param(g, marks=pytest.mark.slow) if g in ALIKE else g for g in GAMES])
def test_gambles_are_not_taken_for_proofs(spec):
    """With everything on, a proven value is the true one."""
    game, proven = load(spec), 0
    for s in list(positions(game, 1000, seed=3))[-6:]:  # near the end, something can be proven
        found = decide(game, s, depth=7, techniques=~Technique(0))
        true = decide(game, s, techniques=SOUND & ~Technique.MTDF)  # to the end, without gambles
        assert true.proven
        if found.proven:
            proven += 1
            assert found.value == true.value
    assert proven


class Estimated(Tree):
    """A tree whose inner nodes have estimates as well: whole numbers, opposite for the two players."""

    def evaluate(self, s, player):
        return float((s.node * 7919 % 13 - 6) * (1 - 2 * player))


def verified_by_hand(game, first, deeper):
    """Secondary search by plain minimax: the chosen action is searched deeper, and then the most promising others,
    until one is at least as good as the rest promise. Returns its action and value."""
    s = game.initial()
    hero = game.to_move(s)

    def value(action, depth):
        return expected(game, game.result(s, action), depth - 1, hero)

    promises = {action: value(action, first.depth) for action in legal(game, s)}
    others = sorted((action for action in promises if action != first.action), key=lambda action: -promises[action])
    best, top = first.action, -math.inf
    for tried, action in enumerate([first.action, *others[: CANDIDATES - 1]]):
        again = value(action, first.depth + deeper)
        if again > top:
            best, top = action, again
        if all(top >= promises[other] for other in others[tried:]):
            break
    return best, Scale.of(game).plain(top)


@pytest.mark.slow
@given(estimated_trees(chance=False), st.integers(1, 3), st.integers(1, 3), sound)
def test_a_second_look_follows_its_rule(tree, depth, deeper, techniques):
    game = Estimated(tree)
    techniques &= ~Technique.TABLE
    first = decide(game, game.initial(), depth=depth, techniques=techniques, table=0)
    found = decide(game, game.initial(), depth=depth, techniques=techniques, table=0, secondary=deeper)
    by_hand = (first.action, first.value) if first.proven else verified_by_hand(game, first, deeper)
    assert (found.action, found.value) == by_hand
    assert found.line[0] == found.action


def test_a_second_look_changes_a_choice_that_disappoints():
    """Estimates are 0: at depth 1 the first action looks better than the leaf, at depth 2 it is worse."""
    game = Tree([[-5, 9], -1])
    assert decide(game, game.initial(), depth=1).action == 0
    verified = decide(game, game.initial(), depth=1, secondary=1)
    assert (verified.action, verified.value) == (1, -1)


def test_plain_alpha_beta_agrees():
    for spec in GAMES:
        game = load(spec)
        for s in positions(game, 4):
            assert plain_search(game, s, 4).value == pytest.approx(minimax(game, s, 4).value, abs=1e-3)


def test_the_shorter_win_and_the_longer_loss():
    game = Tree([[[1]], [1], [-1, [1]]])
    found = decide(game, game.initial(), depth=5)
    assert (found.action, found.value, found.plies) == (1, 1, 2)
    game = Tree([[-1], [[[-1], [-1, 1]]]])
    found = decide(game, game.initial(), depth=5)
    assert (found.action, found.value, found.plies) == (1, -1, 4)
    game = load("tic-tac-toe")
    p = game.start("a1 b1 a2 b2")
    found = decide(game, p.state, depth=5)
    assert game.action_text(p.state, found.action) == "a3"
    assert found.plies == 1


def test_turns_need_not_alternate():
    game = Tree({"player": 0, "actions": {"a": {"player": 0, "actions": {"x": 1, "y": 7}}, "b": 5}})
    found = decide(game, game.initial(), depth=2)
    assert found.value == minimax(game, game.initial(), 2).value == 7


def test_greedy_looks_one_ply_ahead():
    game = Tree([[-5, -7], 3, [9]])
    assert greedy(game, game.initial()).action == 1


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.floats(-9, 9), st.integers(0, 999), st.integers(-1, 9))))
def test_the_table_gives_back_what_was_stored_last(entries):
    table = TranspositionTable(4)
    latest = {}
    for key, value, depth, action in entries:
        table.store(key, value, depth, EXACT, action)
        latest[key] = (value, depth)
    for key, (value, depth) in latest.items():
        data, found = table.probe(key)
        if bound_of(data):
            assert (found, depth_of(data)) == (value, depth)


def test_a_torn_entry_is_not_found():
    table = TranspositionTable(0.01)
    table.store(77, 1.5, 3, LOWER, 4)
    table.occupy()  # loses nothing
    data, value = table.probe(77)
    assert (bound_of(data), depth_of(data), action_of(data), value) == (LOWER, 3, 4, 1.5)
    place = table.words.nonzero()[0]
    table.words[place[1]] ^= 1
    assert table.probe(77)[0] == 0
    assert action_of(0) == NO_ACTION
    table.store(5, 0.5, COMPLETE, EXACT, 0)
    assert depth_of(table.probe(5)[0]) == COMPLETE


@pytest.mark.parametrize(
    "spec", ["connect-four", *(pytest.param(g, marks=pytest.mark.slow) for g in ("othello", "hex:5"))]
)
def test_a_deadline_is_kept(spec):
    game = load(spec)
    decide(game, game.initial(), depth=1)
    for seconds in (0.01, 0.2):
        started = time.process_time()  # other work on this machine must not fail this test
        found = decide(game, game.initial(), seconds=seconds)
        assert found.action in legal(game, game.initial())
        assert time.process_time() - started < seconds + 0.5


def test_budgets_of_nodes_and_threads():
    game = load("connect-four")
    found = decide(game, game.initial(), nodes=5000)
    assert 4000 < found.nodes <= 5001
    again = decide(game, game.initial(), nodes=5000)
    assert found._replace(seconds=0) == again._replace(seconds=0)
    two = decide(game, game.initial(), depth=9, threads=2)
    assert two.value == decide(game, game.initial(), depth=9).value
    assert threading.active_count() < 10


def test_the_best_actions_are_ranked():
    game = load("connect-four")
    s = game.start("4 1 4 1 4").state  # x threatens to win in the middle
    ranked = rank(game, s, depth=4).options
    assert game.action_text(s, ranked[0].action) == "4"
    assert [option.value for option in ranked] == sorted((option.value for option in ranked), reverse=True)


def test_kernels_have_one_signature_for_each_game():
    game = load("tic-tac-toe")

    def signatures():
        kernels = (search, max_value)
        return [len([sig for sig in k.dispatcher.signatures if game.frozen.key in str(sig[0])]) for k in kernels]

    before = signatures()  # from other tests in this process, which may have traced
    for depth in (1, 2):
        decide(game, game.initial(), depth=depth)
        max_value(game, game.initial(), 0, depth, 0, NO_ACTION, TextbookContext(game))
    assert all(after - already <= 1 for after, already in zip(signatures(), before, strict=True))


def test_a_beam_is_no_proof():
    game = load("tic-tac-toe")
    found = decide(game, game.initial(), depth=9, beam=1)
    assert not found.proven
    assert math.isfinite(found.value)


def test_a_chip_remembers_nothing():
    game = load("tic-tac-toe")
    hits = [decide(game, game.initial(), depth=6, first=6, chip=chip).counts["table_hits"] for chip in (0, 3, 6)]
    assert hits[0] > hits[1] > hits[2] == 0


@pytest.mark.parametrize(
    "budget, why",
    [
        ({"depth": 0}, "1 to"),
        ({"depth": 10**6}, "1 to"),
        ({"seconds": 0}, "more than 0"),
        ({"nodes": 0}, "a limit of 1 to"),
        ({"threads": 0}, "at least 1"),
    ],
)
def test_budgets_that_allow_nothing_are_refused(budget, why):
    game = load("tic-tac-toe")
    with pytest.raises(CounterplayError, match=why):
        decide(game, game.initial(), **budget)


@pytest.mark.parametrize(
    "spec, why",
    [
        ("pig", "expectiminimax"),
        ("kuhn-poker", "hides information"),
        ("mnk:3,3,3,3", "maxn"),
        ("prisoners-dilemma", "hides"),
    ],
)
def test_unsuitable_games_are_refused(spec, why):
    game = load(spec)
    with pytest.raises(CounterplayError, match=why):
        decide(game, game.initial(), depth=2)


def test_defaults_are_what_the_game_has():
    assert Technique.SYMMETRY in default_for(load("othello"))
    assert Technique.SYMMETRY not in default_for(load("nim"))
    assert Technique.QUIESCENCE not in default_for(load("connect-four"))
