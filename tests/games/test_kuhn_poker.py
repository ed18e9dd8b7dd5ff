"""Kuhn poker: the rules against OpenSpiel, the value against Kuhn, secrets and notation against themselves."""

import pytest
from games.openspiel import lockstep
from games.secrets import assert_compiled_secrets_agree
from games.sequence_form import solve
from hypothesis import given
from hypothesis import strategies as st

from counterplay import CounterplayError, Rng, load
from counterplay.core.game import CHANCE
from counterplay.core.rules import legal
from counterplay.games.kuhn_poker import KuhnPoker


@pytest.mark.peer
@pytest.mark.parametrize("players", [2, 3, 4, 10])
def test_rules_agree_with_openspiel(players):
    game = KuhnPoker(players)
    lockstep(
        game, f"kuhn_poker(players={players})", lambda s, a: a - 1 if game.to_move(s) == CHANCE else a, playthroughs=300
    )


def test_the_first_player_loses_an_eighteenth():
    solution = solve(KuhnPoker())
    assert solution.value == pytest.approx(-1 / 18, abs=1e-12)
    assert sum(solution.sets) == 12


def states(game):
    waiting = [game.initial()]
    while waiting:
        s = waiting.pop()
        yield s
        waiting += [game.result(s, action) for action in legal(game, s)]


@pytest.mark.parametrize("players, decisions", [(2, 12), (3, 48)])
def test_information_sets(players, decisions):
    """With 3 players: 4 cards at 12 histories that end in a decision."""
    game = KuhnPoker(players)
    inner = [s for s in states(game) if game.to_move(s) != CHANCE and not game.is_terminal(s)]
    assert len({(game.to_move(s), game.information(s, game.to_move(s))) for s in inner}) == decisions


def test_information_is_the_own_card_and_the_betting():
    game = KuhnPoker(3)
    told = {}
    for s in states(game):
        for player in range(3):
            known = (s.dealt, s.history, s.dealt > player and game.card(s, player))
            assert told.setdefault(game.information(s, player), known) == known
            assert told.setdefault(known, game.information(s, player)) == game.information(s, player)


@given(st.integers(2, 5), st.randoms(use_true_random=True), st.integers(0, 2**64 - 1))
def test_resampling_keeps_what_a_player_knows(players, random, seed):
    p, rng = KuhnPoker(players).start(), Rng(seed)
    while True:
        for player in range(players):
            other = p.game.resample(p.state, player, rng)
            assert p.game.information(other, player) == p.game.information(p.state, player)
            assert p.game.parse_position(p.game.position_text(other)) == other  # refuses a card that is dealt twice
        if p.is_over:
            break
        p.play(random.choice(p.options()))


@pytest.mark.parametrize("players", [2, 3])
def test_compiled_secrets_agree_with_plain_ones(players):
    assert_compiled_secrets_agree(KuhnPoker(players))


def test_resampling_reaches_every_deal():
    game, rng = KuhnPoker(3), Rng(5)
    s = game.parse_position("QKA pass")
    deals = [game.position_text(game.resample(s, 1, rng)).split()[0] for _ in range(600)]
    assert {deal: 70 < deals.count(deal) < 130 for deal in set(deals)} == dict.fromkeys(
        ["JKQ", "JKA", "QKJ", "QKA", "AKJ", "AKQ"], True
    )


@pytest.mark.parametrize("players", [2, 3])
def test_returns_keep_their_bounds_and_add_up_to_0(players):
    game = KuhnPoker(players)
    low, high = game.utility_bounds
    returns = [[game.utility(s, p) for p in range(players)] for s in states(game) if game.is_terminal(s)]
    assert all(sum(r) == 0 for r in returns)
    assert (min(map(min, returns)), max(map(max, returns))) == (low, high)


@given(st.integers(2, 10), st.randoms(use_true_random=True))
def test_position_text_round_trips(players, random):
    p = load(f"kuhn-poker:{players}").start()
    while True:
        assert p.game.parse_position(p.position) == p.state
        if p.is_over:
            break
        p.play(random.choice(p.legal()))


def test_poker_words_are_understood():
    assert load("kuhn-poker").start("q k check bet fold").moves == ["Q", "K", "pass", "bet", "pass"]
    assert load("kuhn-poker").start("J K b call").returns == (-2, 2)
    for wrong in ("J K fold", "J K call", "J K bet check", "J J", "J K bet raise"):
        with pytest.raises(CounterplayError, match="legal: "):
            load("kuhn-poker").start(wrong)


def test_a_viewer_sees_only_what_they_may_see():
    game = load("kuhn-poker:3")
    for moves, viewer, visible in [
        ("Q K A pass", 0, "Q"),
        ("Q K A pass", None, "QKA"),
        ("Q K", 2, ""),
        ("Q K A bet pass bet", 0, "QA"),  # a showdown; a player who folded does not show
        ("Q K A bet pass bet", 1, "QKA"),
        ("Q K A bet pass pass", 1, "K"),  # nobody called: nothing is shown
        ("Q K A pass pass pass", 0, "QKA"),
    ]:
        s = game.start(moves).state
        board, svg = game.board(s, viewer), game.svg(s, viewer)
        assert "".join(card for card in "QKA" if f": {card} " in board) == visible
        assert "".join(card for card in "QKA" if f">{card}<" in svg) == visible


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "write a position as"),
        ("JJ", "no action 'J'"),
        ("JX", "different cards of J Q K"),
        ("JQK", "at most 2 different cards"),
        ("J pass", "'pass' comes before all 2 players"),
        ("JQ raise", "no action 'raise'"),
        ("JQ pass pass bet", "'bet' follows after the end"),
        ("- bet", "'bet' comes before"),
        ("JQ b p b", "follows after the end"),
    ],
)
def test_malformed_positions_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why):
        load("kuhn-poker").parse_position(text)


@pytest.mark.parametrize("players", [1, 11, 0, -3])
def test_bad_parameters_are_refused(players):
    with pytest.raises(CounterplayError, match="2 to 10 can play"):
        KuhnPoker(players)
