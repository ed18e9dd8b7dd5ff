"""Nim: the rules against OpenSpiel, Bouton's theorem against plain minimax."""

import functools
import itertools

import numpy as np
import pytest
from games.openspiel import lockstep, pyspiel
from hypothesis import given
from hypothesis import strategies as st

from counterplay import CounterplayError, Rng, load
from counterplay.core.language.kernel import kernel
from counterplay.core.perft import perft
from counterplay.core.rules import legal
from counterplay.games.nim import Nim

heap_sets = st.lists(st.integers(1, 9), min_size=1, max_size=5).map(lambda sizes: "-".join(map(str, sizes)))


@st.composite
def playthroughs(draw):
    """A game after some random moves, perhaps at its end."""
    p, random = Nim(draw(heap_sets), draw(st.booleans())).start(), draw(st.randoms(use_true_random=False))
    for _ in range(draw(st.integers(0, 12))):
        if not p.is_over:
            p.play(random.choice(p.options()))
    return p


@functools.cache
def wins(heaps, misere):
    """Whether the side to move wins, by an independent version of the rules, on tuples."""
    if not any(heaps):
        return misere
    return not all(
        wins(tuple(sorted((*heaps[:i], left, *heaps[i + 1 :]))), misere)
        for i in range(len(heaps))
        for left in range(heaps[i])
    )


# The rules.


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("heaps", ["3-4-5", "1-3-5-7", "9", "1-1-1-1-1-1-1-1", "2-30-1"])
def test_rules_agree_with_openspiel(heaps, misere):
    game = Nim(heaps, misere)
    theirs = pyspiel.load_game("nim", {"pile_sizes": heaps.replace("-", ";"), "is_misere": misere})

    def translate(s, action):
        heap, take = divmod(action, game.largest)
        return take * len(game.sizes) + heap

    lockstep(game, theirs, translate, playthroughs=40)


def test_the_last_object_wins_or_in_misere_play_loses():
    assert load("nim:heaps=2-1").start("a2 b1").returns == (-1.0, 1.0)
    assert load("nim:heaps=2-1,misere=on").start("a2 b1").returns == (1.0, -1.0)
    assert load("nim:heaps=3").start("a3").returns == (1.0, -1.0)


def test_the_largest_heaps_fit():
    game = Nim("-".join(["255"] * 8))
    p = game.start()
    assert len(p.legal()) == 8 * 255
    p.play("h255").play("a1").play("a254")
    assert p.position == "0-255-255-255-255-255-255-0 2"
    assert p.game.parse_position(p.position) == p.state


def test_traits():
    assert load("nim").traits == (2, False, False, True, (-1.0, 1.0))
    assert load("nim").impartial
    assert not load("nim:misere=on").impartial


# Bouton's theorem.


@pytest.mark.parametrize("misere", [False, True])
def test_bouton_is_right_wherever_minimax_can_look(misere):
    seen = set()
    for count in (1, 2, 3, 4):
        most = {1: 9, 2: 9, 3: 6, 4: 4}[count]
        game = Nim("-".join([str(most)] * count), misere)
        for heaps in itertools.product(range(most + 1), repeat=count):
            s = game.parse_position(f"{'-'.join(map(str, heaps))} 1")
            truth = wins(tuple(sorted(heaps)), misere)
            assert game.wins(s) == truth, heaps
            assert game.evaluate(s, 0) == (1.0 if truth else -1.0) == -game.evaluate(s, 1)
            seen.add(truth)
    assert seen == {False, True}


@pytest.mark.parametrize("misere", [False, True])
def test_minimax_over_the_game_itself_finds_bouton(misere):
    game = Nim("2-3-4", misere)

    @functools.cache
    def value(s):
        if game.is_terminal(s):
            return game.utility(s, s.turn)
        return max(-value(game.result(s, action)) for action in legal(game, s))

    value(game.initial())
    assert value.cache_info().currsize > 100
    for sizes in itertools.product(range(3), range(4), range(5)):
        s = game.parse_position(f"{'-'.join(map(str, sizes))} 2")
        assert value(s) == (1.0 if wins(tuple(sorted(sizes)), misere) else -1.0) == game.evaluate(s, 1)


@given(playthroughs())
def test_a_terminal_state_is_worth_what_it_is_judged(p):
    game = p.game
    s = p.state
    while not game.is_terminal(s):
        s = game.result(s, legal(game, s)[-1])
    assert [game.evaluate(s, player) for player in (0, 1)] == [game.utility(s, player) for player in (0, 1)]


def test_nim_sum():
    game = load("nim:heaps=9-9-9")
    assert game.nim_sum(game.parse_position("3-4-5 1")) == 3 ^ 4 ^ 5
    assert game.nim_sum(game.parse_position("1-4-5 1")) == 0


# Compiled, sampled, seen by a network.


@kernel
def judged(game, s, player):
    return game.evaluate(s, player)


@pytest.mark.parametrize("misere", [False, True])
def test_compiled_bouton_is_the_same(misere):
    game = Nim("3-2-2", misere)
    for heaps in itertools.product(range(4), range(3), range(3)):
        s = game.parse_position(f"{'-'.join(map(str, heaps))} 1")
        assert [judged(game, s, player) for player in (0, 1)] == [game.evaluate(s, player) for player in (0, 1)]


def test_compiled_and_plain_count_the_same():
    game = load("nim:heaps=2-2-200")

    def plain(s, depth):
        return 1 if depth == 0 else sum(plain(game.result(s, action), depth - 1) for action in legal(game, s))

    assert perft(game, game.initial(), 2) == plain(game.initial(), 2)


def test_the_longest_games_take_one_by_one():
    game = load("nim:heaps=1-2-3")
    assert perft(game, game.initial(), 6) == 60  # 6! / (1! 2! 3!) orders
    assert perft(game, game.initial(), 7) == 0


@given(playthroughs(), st.integers(0, 2**32))
def test_a_sample_is_legal(p, seed):
    if not p.is_over:
        assert p.game.sample(p.state, Rng(seed)) in p.options()


def test_samples_are_even():
    p, rng = load("nim:heaps=1-4-2").start("b1"), Rng(5)
    drawn = [p.game.sample(p.state, rng) for _ in range(3000)]
    assert set(drawn) == set(p.options())
    assert all(400 < drawn.count(action) < 600 for action in p.options())


@given(playthroughs())
def test_planes_show_the_heaps(p):
    out = np.zeros(p.game.plane_shape)
    p.game.planes(p.state, out)
    assert out[0].sum(axis=1).tolist() == p.game.heaps(p.state)
    assert (np.diff(out, axis=2) <= 0).all()


# Notation.


@given(playthroughs())
def test_position_text_round_trips(p):
    assert p.game.parse_position(p.position) == p.state


def test_notation():
    p = load("nim").start("b3 A1")
    assert p.moves == ["b3", "a1"]
    assert p.position == "2-1-5 1"
    assert p.legal() == ["a1", "a2", "b1", "c1", "c2", "c3", "c4", "c5"]
    assert str(p.play("b1")) == "a   2 oo\nb   0\nc   5 ooooo"
    assert p._repr_svg_().count('fill="#d99a33"') == 7


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "write the heaps and the player to move, such as '3-4-5 1'"),
        ("3-4-5", "the player to move"),
        ("3-4-5 3", "the player to move"),
        ("3-4-5 1 1", "the player to move"),
        ("3-x-5 1", "not a position"),
        ("3--5 1", "not a position"),
        ("-3-4-5 1", "not a position"),
        ("3-4 1", "3 heaps .* not 2"),
        ("3-4-5-1 1", "3 heaps .* not 4"),
        ("3-5-5 1", "heap b has at most 4 objects, not 5"),
        ("3-4-999 1", "heap c has at most 5 objects, not 999"),
        ("1-" * 5000 + "1 1", "not a position"),
    ],
)
def test_malformed_positions_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why) as refused:
        load("nim").parse_position(text)
    assert len(str(refused.value)) < 250


@pytest.mark.parametrize("heaps", ["", "0", "3-0", "256", "3-4-", "three", "1-1-1-1-1-1-1-1-1", "3 4 5", "-3", "٣"])
def test_impossible_heaps_are_refused(heaps):
    with pytest.raises(CounterplayError, match="must be 1 to 8 sizes from 1 to 255"):
        Nim(heaps)


@pytest.mark.parametrize("action", ["a4", "d1", "a0", "a", "3", "", "a-1", "b2 b2"])
def test_bad_actions_are_refused(action):
    with pytest.raises(CounterplayError, match="legal: a1"):
        load("nim").start().play(action)
