"""Rhode Island hold'em: the betting against OpenSpiel, the hands against published counts, the abstraction, notation."""

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
from games.openspiel import lockstep
from games.secrets import assert_compiled_secrets_agree
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, Rng, load
from counterplay.core.game import CHANCE
from counterplay.games.rhode_island import PAIR, RhodeIsland


class Plain(RhodeIsland):
    """Uncompiled."""

    compiled = False


class OnlyPairs(Plain):
    """Neither straights nor flushes count, as in OpenSpiel, which evaluates five-card hands."""

    def worth(self, a, b, c):
        ranks = sorted((card // self.suits for card in (a, b, c)), reverse=True)
        pair = next((rank for rank in ranks if ranks.count(rank) == 2), None)
        return ((ranks[0] * 16 + ranks[1]) * 16 + ranks[2]) + (0 if pair is None else 10_000 * (pair + 1))


@pytest.mark.peer
def test_betting_and_deals_agree_with_openspiel():
    pyspiel = pytest.importorskip("pyspiel")
    game = OnlyPairs(4, 2, 2)
    rules = {"betting": "limit", "numRounds": 3, "blind": "1 1", "raiseSize": "2 4 4", "firstPlayer": "1 1 1"}
    rules |= {"maxRaises": "2 2 2", "numSuits": 2, "numRanks": 4, "numHoleCards": 1, "numBoardCards": "0 1 1"}
    theirs = pyspiel.load_game("universal_poker", rules)
    lockstep(game, theirs, lambda s, a: a - 1 if game.to_move(s) == CHANCE else a, playthroughs=600)


def test_hands_of_three_cards():
    """The number of each kind in a deck of 52 is known from three card poker."""
    game = RhodeIsland(13, 4, 3)
    kinds = Counter(game.worth(*hand) >> 12 for hand in combinations(range(52), 3))
    assert [kinds[kind] for kind in range(6)] == [16440, 3744, 1096, 720, 52, 48]
    card = {game.card_text(i + 1): i for i in range(52)}

    def worth(hand):
        found = {game.worth(*order) for order in permutations(card[text] for text in hand.split())}
        assert len(found) == 1
        return found.pop()

    order = ["2s 3s 5h", "2s 4s Ah", "2s 2h Ah", "3s 3h 2h", "2s 3s 5s", "As 2s 3h", "2s 3s 4h", "Qs Ks Ah", "2s 2h 2d"]
    order += ["As 2s 3s", "Qh Kh Ah"]
    assert [worth(hand) for hand in order] == sorted({worth(hand) for hand in order})


def test_buckets_go_by_the_chance_to_win():
    """By brute force: the chance of each hand on the turn, on the flop, and before."""
    game = Plain(3, 2, 1, buckets=10)
    cards = range(game.cards)

    def chance(own, public):
        if len(public) == 2:
            others = [card for card in cards if card not in (own, *public)]
            mine = game.worth(own, *public)
            return np.mean([(mine > game.worth(o, *public)) + 0.5 * (mine == game.worth(o, *public)) for o in others])
        return np.mean([chance(own, (*public, card)) for card in cards if card not in (own, *public)])

    for own, first, second in permutations(cards, 3):
        n = game.cards
        found = (game.before[own], game.flop[own * n + first], game.turn[(own * n + first) * n + second])
        expected = [chance(own, public) for public in ((), (first,), (first, second))]
        for bucket, hope in zip(found, expected, strict=True):
            assert bucket == min(int(10 * hope + 1e-9), 9) or hope * 10 == pytest.approx(round(hope * 10))


@settings(max_examples=30, deadline=None)
@given(
    st.integers(2, 6), st.integers(2, 4), st.integers(0, 3), st.randoms(use_true_random=True), st.integers(0, 2**64 - 1)
)
def test_positions_and_resampling(ranks, suits, raises, random, seed):
    game, rng = Plain(ranks, suits, raises), Rng(seed)
    p = game.start()
    while True:
        assert game.parse_position(p.position) == p.state
        for player in range(2):
            other = game.resample(p.state, player, rng)
            assert game.information(other, player) == game.information(p.state, player)
            assert game.bucket(other, player) == game.bucket(p.state, player)
            assert game.parse_position(game.position_text(other)) == other
        if p.is_over:
            break
        p.play(random.choice(p.options()))
    assert p.returns[0] == -p.returns[1]
    assert abs(p.returns[0]) <= game.utility_bounds[1]


def test_compiled_secrets_agree():
    assert_compiled_secrets_agree(load("rhode-island"), playthroughs=20)


def test_a_hand_is_played_as_it_is_written():
    p = load("rhode-island").start("Js Qs call call Ks raise call As call call")
    assert p.is_over
    assert p.returns == (-5, 5)  # a straight flush against a flush
    assert p.game.strength(p.state, 1) > p.game.strength(p.state, 0)
    assert load("rhode-island").start("Js Ks call call Kh call call Ah raise").legal() == ["fold", "call"]
    assert load("rhode-island").start("Ks Js call call Kh call call Qh call call").returns == (
        -1,
        1,
    )  # J Q K is a straight
    assert p.game.board(p.state).splitlines()[0] == "public cards: Ks As"
    assert (
        p.game.strength(load("rhode-island").start("Ks Js call call Kh call call Ah call call").state, 0) >> 12 == PAIR
    )


@pytest.mark.parametrize("spec", ["ranks=1", "suits=5", "ranks=3,suits=1", "raises=4", "buckets=0", "buckets=61"])
def test_wrong_parameters(spec):
    with pytest.raises(CounterplayError, match="rhode-island: "):
        load(f"rhode-island:{spec}")
