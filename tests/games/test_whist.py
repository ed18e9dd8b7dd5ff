"""Whist: the play against OpenSpiel's Oh Hell, open hands against brute force, resampling, notation."""

import random

import pytest
from games.secrets import assert_compiled_secrets_agree
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, Rng, load
from counterplay.core.rules import legal
from counterplay.games.whist import Whist
from counterplay.players.specs import player


class Plain(Whist):
    """Uncompiled."""

    compiled = False


@pytest.mark.peer
@pytest.mark.parametrize("seats, suits, ranks, hand", [(3, 2, 6, 3), (4, 3, 5, 3), (4, 4, 6, 5)])
def test_tricks_agree_with_oh_hell(seats, suits, ranks, hand):
    """Who may play what, whose turn it is, and who wins, if the card turned up for trumps is of the last suit."""
    pyspiel = pytest.importorskip("pyspiel")
    rng, game = random.Random(2), Plain(seats, suits, ranks, hand)
    rules = f"oh_hell(players={seats},num_suits={suits},num_cards_per_suit={ranks},num_tricks_fixed={hand})"
    for _ in range(40):
        t, theirs = (
            pyspiel.load_game(rules).new_initial_state(),
            {c: c % ranks * suits + c // ranks for c in range(game.cards)},
        )
        deck = rng.sample(range(game.cards), game.cards)
        turned = next(card for card in deck if card // ranks == suits - 1)
        deck.remove(turned)
        hands = [deck[p * hand : (p + 1) * hand] for p in range(seats)]
        for event in (hand, seats - 1):  # tricks, and the dealer, so that the first player leads
            t.apply_action(event)
        for i in range(seats * hand):
            t.apply_action(theirs[hands[i % seats][i // seats]])
        t.apply_action(theirs[turned])
        bids = [rng.randrange(hand + 1) for _ in range(seats)]
        for bid in bids:
            t.apply_action(game.cards + bid)
        p = game.start()
        for card in (card for own in hands for card in own):
            p.play(card)
        while not p.is_over:
            assert p.to_move == t.current_player()
            assert sorted(theirs[card] for card in p.options()) == sorted(t.legal_actions())
            card = rng.choice(p.options())
            p.play(card)
            t.apply_action(theirs[card])
        won = p.state.won[:seats]
        assert t.is_terminal()
        assert t.returns() == [n + 10 * (n == bid) for n, bid in zip(won, bids, strict=True)]


def best(game, s):
    """What the first side gets under best play with open hands, by brute force."""
    if game.is_terminal(s):
        return game.utility(s, 0)
    values = [best(game, game.result(s, card)) for card in legal(game, s)]
    return max(values) if game.to_move(s) == 0 else min(values)


def test_open_hands_are_solved():
    """Four open hands are a game for two sides: search to the end agrees with brute force."""
    deal = "AsKhQh-KsAhJh-QsTh9h-JsTs8h"
    game = Plain(4, 2, 7, 3, open=True, deal=deal)
    assert (game.players, game.has_secrets, game.has_chance) == (2, False, False)
    found = player("negamax:depth=12").choose(game.start())
    assert found.value == best(game, game.initial())


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 4), st.integers(1, 4), st.booleans(), st.randoms(use_true_random=True), st.integers(0, 2**64 - 1))
def test_positions_and_resampling(seats, suits, trump, random, seed):
    game, rng = Plain(seats, suits, 5, 5 * suits // seats if suits < 3 else 4, trump), Rng(seed)
    p = game.start()
    while not p.is_over:
        assert game.parse_position(p.position) == p.state
        for seat in range(seats):
            other = game.resample(p.state, seat, rng)
            assert game.information(other, seat) == game.information(p.state, seat)
            assert game.parse_position(game.position_text(other)) == other  # or refuses a revoke
        p.play(random.choice(p.options()))
    assert sum(p.returns) == pytest.approx(0)
    assert all(game.utility_bounds[0] - 1e-9 <= value <= game.utility_bounds[1] + 1e-9 for value in p.returns)


def test_compiled_secrets_agree():
    assert_compiled_secrets_agree(load("whist"), playthroughs=5)


def test_determinization_takes_the_trick():
    p = Plain(2, 2, 4, 2).start("As Kh Ks Jh Kh")
    assert p.legal() == ["Jh"]  # it must follow suit
    p = Plain(2, 2, 4, 2).start("Kh Ah Ks Qs Kh")
    found = player("determinize:deals=4,depth=4").choose(p)
    assert p.game.action_text(p.state, found.action) in ("Ks", "Qs")  # a trump wins
    assert found.value == 2


def test_a_viewer_sees_his_own_hand():
    p = load("whist").start("As Kh Qh Ks Qs Ah As")
    assert p.game.board(p.state, 0).splitlines() == [
        "seat 1: Kh Qh  (0 won)",
        "seat 2: ?? ?? ??  (0 won) <",
        "on the table: As",
    ]
    assert p.game.svg(p.state, 0).count("#3a5fa8") == 3  # backs
    assert p.game.svg(p.state).count("#3a5fa8") == 0


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "must be 2 hands"),
        ("AsKsQs", "must be 2 hands"),
        ("AsKsQs AsKhQh", "must be 2 hands"),
        ("AsKs AhKhQh", "must be 2 hands"),
        ("AsKsXs AhKhQh", "must be 2 hands"),
        ("AsKsQs AhKhQh Ah", "cannot be played there"),
        ("AsKsQh AhKhQs As Ah", "cannot be played there"),
    ],
)
def test_wrong_positions(text, why):
    with pytest.raises(CounterplayError, match=why):
        load("whist").parse_position(text)


@pytest.mark.parametrize("spec", ["seats=5", "suits=5", "ranks=1", "hand=5", "4,4,13,6", "deal=AsKs-QsJs"])
def test_wrong_parameters(spec):
    with pytest.raises(CounterplayError, match="whist: "):
        load(f"whist:{spec}")
