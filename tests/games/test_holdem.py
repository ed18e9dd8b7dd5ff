"""Hold'em: betting against OpenSpiel, notation, secrets, hands and ranges as players write them."""

from __future__ import annotations

import pytest
from games.openspiel import lockstep
from games.secrets import assert_compiled_secrets_agree
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CounterplayError, Rng, load
from counterplay.core.game import CHANCE
from counterplay.games.holdem import FlopHoldem, TexasHoldem


class PlainTexas(TexasHoldem):
    compiled = False


class PlainFlop(FlopHoldem):
    compiled = False


def openspiel_card(card):
    """There four times the rank, plus the suit."""
    return 4 * (card % 13) + card // 13


@pytest.mark.peer
def test_limit_agrees_with_openspiel():
    pyspiel = pytest.importorskip("pyspiel")
    game = PlainTexas("limit", raises=4)
    rules = {"betting": "limit", "numRounds": 4, "blind": "1 2", "raiseSize": "2 2 4 4", "firstPlayer": "1 2 2 2"}
    rules |= {"maxRaises": "3 4 4 4", "numSuits": 4, "numRanks": 13, "numHoleCards": 2, "numBoardCards": "0 3 1 1"}
    theirs = pyspiel.load_game("universal_poker", rules)
    lockstep(game, theirs, lambda s, a: openspiel_card(a) if game.to_move(s) == CHANCE else a, playthroughs=120)


def test_compiled_secrets_agree():
    assert_compiled_secrets_agree(load("texas-holdem"), playthroughs=3)


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["limit", "pot-limit", "no-limit"]),
    st.integers(5, 300),
    st.sampled_from(["1", "0.5/1", "0.33/0.75"]),
    st.integers(0, 5),
    st.booleans(),
    st.randoms(use_true_random=True),
)
def test_play_keeps_its_rules(betting, stack, bets, raises, flop, random):
    game = (PlainFlop if flop else PlainTexas)(betting, stack, bets, raises)
    p, rng = game.start(), Rng(random.randrange(2**60))
    while True:
        s = p.state
        assert game.parse_position(p.position) == s
        for player in range(2):
            other = game.resample(s, player, rng)
            assert game.information(other, player) == game.information(s, player)
            assert not game.held(other.hands[0]) & game.held(other.hands[1])
        if betting != "limit":
            assert max(s.paid) <= stack
        if p.is_over:
            break
        p.play(random.choice(p.options()))
    assert p.returns[0] == -p.returns[1]
    assert abs(p.returns[0]) <= game.utility_bounds[1]


def test_a_hand_is_played_as_it_is_written():
    p = load("texas-holdem").start(
        "AsKs QdQh raise1 call 7h8s2c check bet0.5 raise1 call 3d check check Kd check all-in call"
    )
    assert p.is_over
    assert p.returns == (200, -200)  # a pair of kings against one of queens
    assert p.position.startswith("As Ks Qh Qd raise1 call 8s 7h 2c check bet0.5 raise1 call 3d check check Kd")
    assert "wins with a pair" in p.game.board(p.state)


def test_sizes_are_fractions_of_the_pot():
    game = load("texas-holdem")
    p = game.start("AsKs QdQh raise1")  # calls 1, and raises by the pot of 4
    assert p.state.paid == (6, 2)
    assert p.legal() == ["fold", "call", "raise0.5", "raise1", "raise2", "all-in"]
    assert p.play("raise0.5").state.paid == (6, 12)  # by half of 12
    short = load("texas-holdem:stack=20").start("AsKs QdQh raise1 raise0.5")
    assert short.legal() == ["fold", "call", "all-in"]  # a pot of 24 is more than the 8 chips that are left
    assert short.play("all-in").legal() == ["fold", "call"]
    pot = load("texas-holdem:betting=pot-limit,bets=0.5/1").start("AsKs QdQh")
    assert pot.legal() == ["fold", "call", "raise0.5", "raise1"]


def test_where_both_are_all_in_the_board_is_dealt():
    p = load("texas-holdem").start("AsKs QdQh all-in call 7h8s2c3d")
    assert p.to_move == CHANCE
    p.play("Kd")
    assert p.is_over
    assert p.returns == (200, -200)


def test_a_pot_stands_for_the_betting_so_far():
    game = load("texas-holdem")
    s = game.parse_position("?? ?? pot:60 Ks Td 7h 7c 2s")
    assert s.paid == (30, 30)
    assert game.to_move(s) == 1
    assert "pot:60" in game.position_text(s)
    for text in ("?? ?? pot:60 Ks Td 7h bet0.5 call 7c check bet1 call 2s", "?? ?? pot:20 Ks Td 7h all-in call 7c 2s"):
        s = game.parse_position(text)
        assert game.parse_position(game.position_text(s)) == s


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "write a position as the cards and actions so far"),
        ("As As", "As is dealt twice"),
        ("AsKs QdQh pot:61 7h8s2c", "an even number of chips"),
        ("AsKs QdQh pot:60", "followed by 3 to 5 public cards, not 0"),
        ("AsKs pot:60 7h8s2c", "must follow the players' four cards"),
        ("AsKs QdQh fold call", "follows after the end"),
        ("AsKs QdQh bet7", "no action"),
    ],
)
def test_malformed_positions_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why):
        load("texas-holdem").parse_position(text)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("stack=4", "a stack of 4 chips"),
        ("bets=x", "fractions of the pot"),
        ("bets=0", "fractions of the pot"),
        ("raises=6", "from 0 to 5 raises"),
        ("betting=pot-limit", "no bet is larger than 1"),
        ("betting=spread", "must be limit, pot-limit or no-limit"),
    ],
)
def test_wrong_parameters(spec, why):
    with pytest.raises(CounterplayError, match=why):
        load(f"texas-holdem:{spec}")


@pytest.mark.parametrize(
    ("word", "hands"),
    [
        ("AA", 6),
        ("AKs", 4),
        ("AKo", 12),
        ("AK", 16),
        ("KA", 16),
        ("TT+", 30),
        ("TT-77", 24),
        ("77-TT", 24),
        ("QTs+", 8),
        ("A2s+", 48),
        ("A5s-A2s", 16),
        ("AsKd", 1),
        ("any", 1326),
        ("AAs", 0),
        ("AsAs", 0),
        ("XY", 0),
        ("A5s-K2s", 0),
        ("A5s-A2o", 0),
    ],
)
def test_ranges_are_read_as_players_write_them(word, hands):
    found = load("texas-holdem").hands_named(word)
    assert len(found) == len(set(found)) == hands


def test_every_hand_has_its_cell():
    game = load("texas-holdem")
    cells = {game.hand_cell(hand) for hand in range(1326)}
    assert len(cells) == 169
    assert (0, 1, "AKs") in cells
    assert (1, 0, "AKo") in cells
    assert [game.hand_name(hand) for hand in game.hands_named("AdAs")] == ["AsAd"]


def test_no_limit_is_for_all_games_of_poker():
    p = load("leduc-poker:betting=no-limit").start("Js Kh raise1")
    assert p.state.paid == (3, 1)
    assert p.legal() == ["fold", "call", "raise1", "all-in"]
    assert p.play("all-in").play("call").play("Jh").is_over
    assert p.returns == (12, -12)  # a pair with the public card
    assert p.game.parse_position(p.position) == p.state
    q = load("rhode-island:betting=no-limit,raises=2").start("Js Ks all-in call Qs")
    assert q.to_move == CHANCE
    assert q.play("As").is_over
    with pytest.raises(CounterplayError, match="without a limit a round has at most 4 raises"):
        load("leduc-poker:betting=no-limit,raises=5")
