"""Leduc poker: the rules against OpenSpiel, the value against the literature, the notation against itself."""

import pytest
from games.openspiel import lockstep
from games.secrets import assert_compiled_secrets_agree
from games.sequence_form import solve
from hypothesis import given
from hypothesis import strategies as st

from counterplay import CounterplayError, Rng, load
from counterplay.core.game import CHANCE
from counterplay.core.rules import legal
from counterplay.games.betting import DEALING
from counterplay.games.leduc_poker import LeducPoker

VALUE = -0.085606424078
"""To the first player, as known from the literature on counterfactual regret."""

games = st.builds(
    LeducPoker,
    ranks=st.integers(2, 13),
    suits=st.integers(2, 4),
    raises=st.integers(0, 8),
    distinct_suits=st.booleans(),
)


@pytest.mark.peer
@pytest.mark.parametrize("distinct", [True, False])
def test_rules_agree_with_openspiel(distinct):
    game = LeducPoker(distinct_suits=distinct)
    theirs = f"leduc_poker(suit_isomorphism={not distinct})"
    lockstep(game, theirs, lambda s, a: a - 1 if game.to_move(s) == CHANCE else a, playthroughs=1500)


@pytest.mark.parametrize("distinct, sets", [(True, 936), (False, 288)])
def test_value_and_information_sets(distinct, sets):
    solution = solve(LeducPoker(distinct_suits=distinct))
    assert solution.value == pytest.approx(VALUE, abs=1e-9)
    assert sum(solution.sets) == sets


def test_one_suit_and_no_raises_is_a_fair_draw():
    solution = solve(LeducPoker(ranks=4, suits=1, raises=0))
    assert solution.value == pytest.approx(0, abs=1e-12)
    assert sum(solution.sets) == 2 * (4 * 1 + 4 * 3)  # own card, then own card and the public one


def states(game):
    waiting = [game.initial()]
    while waiting:
        s = waiting.pop()
        yield s
        waiting += [game.result(s, action) for action in legal(game, s)]


@pytest.mark.parametrize("distinct", [True, False])
def test_information_is_the_own_card_the_public_card_and_the_betting(distinct):
    game = LeducPoker(distinct_suits=distinct)
    told = {}
    for s in states(game):
        for player in range(2):
            dealt = sum(card > 0 for card in s.cards)
            known = (dealt, s.history, s.cards[player], s.cards[2])
            assert told.setdefault(game.information(s, player), known) == known
            assert told.setdefault(known, game.information(s, player)) == game.information(s, player)


def test_returns_keep_their_bounds_and_add_up_to_0():
    for game in (LeducPoker(), LeducPoker(2, 2, 1, False)):
        returns = [(game.utility(s, 0), game.utility(s, 1)) for s in states(game) if game.is_terminal(s)]
        assert all(a + b == 0 for a, b in returns)
        assert (min(map(min, returns)), max(map(max, returns))) == game.utility_bounds


@given(games)
def test_information_fits_63_bits(game):
    s = game.initial()
    while not game.is_terminal(s):
        if s.stage == DEALING:
            s = game.result(s, legal(game, s)[-1])
        else:  # a check, then raises as long as they last, then a call
            s = game.result(s, legal(game, s)[-1] if s.acted else 1)
    assert s.paid[0] == game.utility_bounds[1]
    assert 0 < game.information(s, 1) < 2**63


@given(games, st.randoms(use_true_random=True), st.integers(0, 2**64 - 1))
def test_resampling_keeps_what_a_player_knows(game, random, seed):
    p, rng = game.start(), Rng(seed)
    while True:
        for player in range(2):
            other = game.resample(p.state, player, rng)
            assert game.information(other, player) == game.information(p.state, player)
            assert game.parse_position(game.position_text(other)) == other  # refuses a card that the deck does not have
        if p.is_over:
            break
        p.play(random.choice(p.options()))


@pytest.mark.parametrize("distinct", [True, False])
def test_compiled_secrets_agree_with_plain_ones(distinct):
    assert_compiled_secrets_agree(LeducPoker(distinct_suits=distinct))


@pytest.mark.parametrize(
    "distinct, moves, expected",
    [
        (True, "Js Kh call call Qs", {"Jh": 0.25, "Qh": 0.25, "Ks": 0.25, "Kh": 0.25}),
        (False, "J K call call Q", {"J": 0.25, "Q": 0.25, "K": 0.5}),
        (False, "J J", {"J": 0.2, "Q": 0.4, "K": 0.4}),
    ],
)
def test_resampling_draws_from_the_unseen_cards(distinct, moves, expected):
    p, rng = LeducPoker(distinct_suits=distinct).start(moves), Rng(3)
    drawn = [p.game.words(p.game.resample(p.state, 0, rng))[1] for _ in range(2000)]
    assert {card: drawn.count(card) / 2000 for card in set(drawn)} == pytest.approx(expected, abs=0.04)


@given(games, st.randoms(use_true_random=True))
def test_position_text_round_trips(game, random):
    p = game.start()
    while True:
        assert game.parse_position(p.position) == p.state
        assert p.position == (" ".join(p.moves) or "-")
        if p.is_over:
            break
        p.play(random.choice(p.legal()))


def test_a_hand_is_played_as_it_is_written():
    p = load("leduc-poker").start("Js Qh check bet c Jh r raise call")
    assert p.moves == ["Js", "Qh", "call", "raise", "call", "Jh", "raise", "raise", "call"]
    assert p.returns == (11, -11)  # a pair of jacks
    assert load("leduc-poker").start("Js Qh raise").legal() == ["fold", "call", "raise"]
    assert load("leduc-poker").start("Js Qh raise raise").legal() == ["fold", "call"]
    assert load("leduc-poker").start("Js Qh call").legal() == ["call", "raise"]
    assert load("leduc-poker").start("Qs Qh call call Kh call call").returns == (0, 0)
    assert load("leduc-poker:distinct_suits=off").start("J J").legal() == ["call", "raise"]
    assert load("leduc-poker:distinct_suits=off").start("J J call call").legal() == ["Q", "K"]


def test_buttons_say_what_a_bet_costs():
    for spec, moves, said in [
        ("leduc-poker", "Js Qh", ["check", "bet 2"]),
        ("leduc-poker", "Js Qh raise", ["fold", "call 2", "raise to 5"]),
        ("leduc-poker", "Js Qh call call Kh raise", ["fold", "call 4", "raise to 9"]),
        ("leduc-poker:betting=no-limit,bets=0.5", "Js Qh", ["check", "bet 1", "all-in 11"]),
    ]:
        p = load(spec).start(moves)
        assert [p.game.caption(p.state, action) for action in p.options()] == said
    p = load("leduc-poker").start("Js")
    assert p.game.caption(p.state, p.options()[0]) == "Jh"


def test_a_viewer_sees_only_what_they_may_see():
    game = load("leduc-poker")
    for moves, viewer, visible in [
        ("Js Qh call", 0, ["Js"]),
        ("Js Qh call", None, ["Js", "Qh"]),
        ("Js Qh call call Kh raise", 1, ["Qh", "Kh"]),
        ("Js Qh call call Kh raise fold", 1, ["Qh", "Kh"]),
        ("Js Qh call call Kh raise call", 1, ["Js", "Qh", "Kh"]),
        ("Js", 1, []),
    ]:
        s = game.start(moves).state
        board, svg = game.board(s, viewer), game.svg(s, viewer)
        assert [card for card in ("Js", "Qh", "Kh") if f": {card}" in board] == visible
        assert [card for card in ("Js", "Qh", "Kh") if f">{card[0]}<" in svg] == visible


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "write a position as"),
        ("Js Js", "no action 'Js'"),
        ("Jx", "no action 'Jx'"),
        ("Js Qh fold", "no action 'fold' here; legal: call raise"),
        ("Js Qh raise raise raise", "no action 'raise'"),
        ("Js Qh call call call", "no action 'call'"),
        ("Js Qh raise fold call", "'call' follows after the end"),
        ("- Js", "no action '-'"),
    ],
)
def test_malformed_positions_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why):
        load("leduc-poker").parse_position(text)


@pytest.mark.parametrize(
    "spec", ["ranks=1", "ranks=14", "suits=5", "suits=0", "ranks=2,suits=1", "raises=9", "raises=-1"]
)
def test_bad_parameters_are_refused(spec):
    with pytest.raises(CounterplayError, match="leduc-poker: "):
        load(f"leduc-poker:{spec}")
