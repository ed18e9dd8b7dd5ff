"""Backgammon: plays against OpenSpiel, GNU Backgammon and a brute force; identifiers and notation; the cube."""

import random
import re
import xml.etree.ElementTree as ET
from collections import Counter

import numpy as np
import pytest
from games import gnubg
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import CHANCE, CounterplayError, load
from counterplay.core.language.features import blank
from counterplay.core.playout import playouts
from counterplay.core.rules import draw_event, legal
from counterplay.games.backgammon.bearoff import ROLLS, SIZE, bear_off, following
from counterplay.games.backgammon.board import (
    BAR,
    CHECKERS,
    PLAYING,
    START,
    blots,
    checkers,
    count_at,
    made,
    mirrored,
    occupied,
    pips,
)
from counterplay.games.backgammon.evaluation import chances, meet
from counterplay.games.backgammon.features import FEATURES
from counterplay.games.backgammon.notation import hits_of, position_id
from counterplay.games.backgammon.rules import Backgammon
from counterplay.search.chance.expectiminimax import expectiminimax


def counts(side):
    """A side's checkers from point 1 to the bar."""
    return tuple(count_at(side, point) for point in range(1, BAR + 1))


def points(board):
    return {point for point in range(BAR + 1) if board >> 4 * point & 1}


def positions(number, seed=0):
    """States of random play in which a roll is to be played, from all stages of the game."""
    game, rng, found = load("backgammon"), random.Random(seed), []
    while len(found) < number:
        s = game.initial()
        while not game.is_terminal(s):
            if s.stage == PLAYING and rng.random() < 0.15:
                found.append(s)
            s = game.result(s, rng.choice(legal(game, s)))
    return found[:number]


# The board.


def test_counts_are_kept_by_points():
    assert counts(START) == (0,) * 5 + (5, 0, 3, 0, 0, 0, 0, 5) + (0,) * 10 + (2, 0)
    assert pips(START) == 167
    side = checkers((1, 1), (3, 2), (24, 4), (25, 3))
    assert count_at(side, 0) == 5
    assert points(occupied(side)) == {1, 3, 24, 25}
    assert points(made(side)) == {3, 24}
    assert points(blots(side)) == {1}
    assert points(mirrored(occupied(side) & ~(1 << 100))) == {24, 22, 1}


# Plays.


def brute_force(s):
    """All positions that the mover can reach, a checker at a time; only those that use the most dice (or, of two, the
    higher one)."""

    def steps(mine, theirs, die):
        home = all(not mine[point] for point in range(7, 26))
        for point in range(25, 0, -1):
            if not mine[point] or (mine[25] and point != 25):
                continue
            end = point - die
            if end > 0:
                if theirs[25 - end] > 1:
                    continue
            elif not home or (end < 0 and any(mine[point + 1 : 7])):
                continue
            new, other = list(mine), list(theirs)
            new[point] -= 1
            if end > 0:
                new[end] += 1
                if other[25 - end] == 1:
                    other[25 - end], other[25] = 0, other[25] + 1
            yield tuple(new), tuple(other)

    def ends(mine, theirs, dice):
        """(dice used, the highest of them, position)."""
        found = set()
        for i, die in enumerate(dice):
            if die not in dice[:i]:
                for after in steps(mine, theirs, die):
                    rest = dice[:i] + dice[i + 1 :]
                    found |= {(used + 1, max(die, top), at) for used, top, at in ends(*after, rest)}
        return found or {(0, 0, (mine, theirs))}

    a, b = s.dice >> 3, s.dice & 7
    found = ends((0, *counts(s.mine)), (0, *counts(s.theirs)), (a,) * 4 if a == b else (a, b))
    most = max(used for used, _, _ in found)
    found = {(top, at) for used, top, at in found if used == most}
    top = max(top for top, _ in found)
    return {at for t, at in found if most != 1 or t == top}


def test_plays_are_those_of_a_brute_force_without_duplicates():
    game, kinds = load("backgammon"), set()
    for s in positions(300, seed=1):
        plays = legal(game, s)
        after = [game.result(s, play) for play in plays]
        found = {((0, *counts(t.theirs)), (0, *counts(t.mine))) for t in after}
        assert len(found) == len(plays), f"duplicates in {game.position_text(s)}"
        assert found == brute_force(s), game.position_text(s)
        kinds.add((s.dice >> 3 == s.dice & 7, plays == [0]))
    assert len(kinds) == 4  # doubles or not, and positions without a move


@pytest.mark.parametrize(
    "checkers_, other, roll, expected",
    [
        (((6, 2), (5, 1)), (), "65", ["6/off 5/off", "6/1 6/off"]),  # the same two checkers, either die first
        (((4, 1), (2, 1)), (), "65", ["4/off 2/off"]),
        (((3, 1), (2, 1)), (), "62", ["3/off 2/off", "3/1 2/off"]),  # 6 may wait until 3 is not the farthest
        (((6, 1), (1, 1)), (), "61", ["6/off 1/off", "6/off"]),
        (((7, 1), (1, 1)), (), "61", ["7/off"]),  # 6 moves the checker that has come home
        (((8, 1),), ((19, 2),), "62", ["8/off"]),  # 8/2 is open, 8/6 is not
        (((25, 2),), ((4, 2),), "43", ["bar/22"]),  # only one can enter
        (((25, 1), (6, 1)), tuple((p, 2) for p in range(1, 7)), "43", ["pass"]),
        (((24, 1),), ((7, 2),), "63", ["24/15"]),
        (
            ((24, 1),),
            ((10, 2),),
            "63",
            [
                "24/18",
            ],
        ),  # either die, but not both: the higher
    ],
)
def test_plays_by_hand(checkers_, other, roll, expected):
    game = load("backgammon")
    s = game.initial()._replace(
        mine=checkers(*checkers_),
        theirs=checkers(*(other or ((1, 1),))),
        stage=PLAYING,
        dice=int(roll[0]) * 8 + int(roll[1]),
    )
    texts = [game.action_text(s, play) for play in legal(game, s)]
    assert sorted(texts) == sorted(expected)


class Theirs:
    """OpenSpiel's board: x moves up its points 0 to 23, o down; a double is two actions of the same player."""

    BAR = 100

    def __init__(self, state):
        self.state = state

    def side(self, player):
        found = [self.state.board(player, 24 - p if player == 0 else p - 1) for p in range(1, 25)]
        return (*found, self.state.board(player, self.BAR))

    def events(self):
        """Our events, each with one number of theirs and the probability of all such numbers."""
        found = {}
        for number, probability in self.state.chance_outcomes():
            after = self.state.child(number)
            a, b = sorted(map(int, re.search(r"Dice: (\d)(\d)", str(after)).groups()))
            is_first = self.state.move_number() == 0
            event = a * 8 + b if is_first and after.current_player() == 1 else b * 8 + a
            found[event] = number, found.get(event, (0, 0))[1] + probability
        return found

    def ends(self):
        """Each position after a play, with a sequence of actions that leads there."""
        mover, found = self.state.current_player(), {}
        for action in self.state.legal_actions():
            after = Theirs(self.state.child(action))
            where = after.side(0), after.side(1)
            if where in found:
                continue
            found[where] = [action], after
        done = {}
        for where, (actions, after) in found.items():
            if not after.state.is_terminal() and after.state.current_player() == mover:
                for end, more in after.ends().items():
                    done.setdefault(end, actions + more)
            else:
                done.setdefault(where, actions)
        return done


def race_with_openspiel(game, playthroughs, seed):
    """Play both side by side; returns the number of plays compared."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs, rng, plays, returns = (
        pyspiel.load_game("backgammon(scoring_type=full_scoring)"),
        random.Random(seed),
        0,
        set(),
    )
    for _ in range(playthroughs):
        s, t = game.initial(), theirs.new_initial_state()
        while not game.is_terminal(s):
            assert not t.is_terminal()
            assert game.to_move(s) == (CHANCE if t.is_chance_node() else t.current_player())
            if t.is_chance_node():
                events = Theirs(t).events()
                ours = {event: game.probability(s, event) for event in legal(game, s)}
                assert ours == pytest.approx({event: p for event, (_, p) in events.items()})
                event = rng.choice(list(events))
                s = game.result(s, event)
                t.apply_action(events[event][0])
                continue
            ends = Theirs(t).ends()
            after = {}
            for play in legal(game, s):
                u = game.result(s, play)
                x, o = (u.theirs, u.mine) if s.player == 0 else (u.mine, u.theirs)
                after[counts(x), counts(o)] = u
            assert set(after) == set(ends), game.position_text(s)
            chosen = rng.choice(sorted(after))
            s = after[chosen]
            for action in ends[chosen]:
                t.apply_action(action)
            plays += 1
        assert t.is_terminal()
        assert [game.utility(s, 0), game.utility(s, 1)] == t.returns()
        returns.add(abs(t.returns()[0]))
    return plays, returns


@pytest.mark.peer
def test_rules_agree_with_openspiel():
    plays, _ = race_with_openspiel(load("backgammon"), 8, seed=2)
    assert plays > 500


@pytest.mark.slow
@pytest.mark.peer
def test_rules_agree_with_openspiel_for_long():
    plays, returns = race_with_openspiel(load("backgammon"), 1000, seed=3)
    assert plays > 50_000
    assert returns == {1, 2, 3}


def agree_with_gnubg(number, seed):
    """Compare the legal plays and their notation, on this many positions and rolls."""
    game, found = load("backgammon"), positions(number, seed)
    answers = gnubg.plays([(position_id(s), s.dice >> 3, s.dice & 7) for s in found])
    for s, answer in zip(found, answers, strict=True):
        texts = [game.action_text(s, play) for play in legal(game, s)]
        assert sorted(answer) == ([] if texts == ["pass"] else sorted(texts)), game.position_text(s)


@pytest.mark.peer
@gnubg.needs_gnubg
def test_plays_and_notation_are_those_of_gnu_backgammon():
    agree_with_gnubg(100, seed=4)


@pytest.mark.slow
@pytest.mark.peer
@gnubg.needs_gnubg
def test_a_thousand_positions_agree_with_gnu_backgammon():
    agree_with_gnubg(1000, seed=5)


# The end.


@pytest.mark.parametrize(
    "loser, points_",
    [(((1, 3), (2, 11)), 1), (((1, 4), (18, 11)), 2), (((1, 14), (19, 1)), 3), (((1, 14), (25, 1)), 3)],
)
def test_gammons_count_double_and_backgammons_triple(loser, points_):
    game = load("backgammon")
    s = game.initial()._replace(mine=checkers((1, 1)), theirs=checkers(*loser), stage=PLAYING, dice=2 * 8 + 1, player=1)
    (play,) = legal(game, s)
    after = game.result(s, play)
    assert game.is_terminal(after)
    assert (game.utility(after, 0), game.utility(after, 1)) == (-points_, points_)


def test_random_play_comes_to_an_end_and_is_fair():
    played = playouts(load("backgammon"), load("backgammon").initial(), 2000)
    assert played.unfinished == 0
    assert abs(played.returns[0]) < 300
    assert 150 < played.plies / played.played < 250


@pytest.mark.plain
@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from([(False, False), (True, False), (True, True)]))
def test_play_keeps_its_invariants(seed, options):
    game, rng = Backgammon(*options), random.Random(seed)
    low, high = game.evaluation_bounds
    p = game.start()
    while not p.is_over:
        s = p.state
        for side, other in ((s.mine, s.theirs), (s.theirs, s.mine)):
            assert sum(counts(side)) + count_at(side, 0) == CHECKERS
            assert not points(occupied(side)) & points(mirrored(occupied(other) & ~(1 << 100)))
        assert game.parse_position(p.position) == s
        assert low <= game.evaluate(s, 0) == -game.evaluate(s, 1) <= high
        texts = p.legal()
        assert len(set(texts)) == len(texts)
        options = p.options()
        if p.to_move == CHANCE:
            assert sum(game.probability(s, event) for event in options) == pytest.approx(1)
        i = rng.randrange(len(options))
        assert game.parse_action(s, texts[i]) == options[i]
        p.play(options[i])
    assert sum(p.returns) == 0
    assert game.split_moves(" ".join(p.moves)) == p.moves
    assert game.parse_position(p.position) == p.state


# The cube.


def test_a_double_may_be_dropped():
    p = load("backgammon:cube=on").start("31 8/5 6/5")
    assert p.legal() == ["roll", "double"]
    p.play("double")
    assert p.to_move == 0
    assert p.legal() == ["take", "drop"]
    assert p.play("drop").is_over
    assert p.returns == (-1, 1)


def test_who_takes_owns_the_cube():
    p = load("backgammon:cube=on").start("31 8/5 6/5 double take 64 24/14")
    assert p.legal() == ["roll", "double"]  # x owns it
    p.play("roll")
    assert p.to_move == CHANCE
    assert p.position.endswith(" rolling")
    p.play("21").play("24/23 24/22")
    assert p.to_move == CHANCE  # o may not double
    p = load("backgammon:cube=on").start("31 8/5 6/5 double take 64 24/14 double drop")
    assert p.returns == (2, -2)


def test_the_cube_ends_at_64():
    p = load("backgammon:cube=on").start("31 8/5 6/5 double take")
    for _ in range(5):
        p.play(p.options()[0]).play(legal(p.game, p.state)[0])
        p.play("double").play("take")
    assert p.state.cube == 6
    p.play("21").play(p.options()[0])
    assert p.to_move == CHANCE
    assert p.game.traits.utility_bounds == (-192, 192)


def test_jacoby_counts_gammons_only_after_a_double():
    end = {"mine": checkers((1, 4), (18, 11)), "theirs": checkers(), "stage": 1, "player": 0}
    for spec, cube, points_ in (("cube=on", 0, 2), ("cube=on,jacoby=on", 0, 1), ("cube=on,jacoby=on", 1, 4)):
        game = load(f"backgammon:{spec}")
        s = game.initial()._replace(cube=cube, owner=-1 if cube == 0 else 0, **end)
        assert game.utility(s, 1) == points_
    with pytest.raises(CounterplayError, match="needs cube=on"):
        load("backgammon:jacoby=on")


# Notation.


def test_identifiers_are_those_of_gnu_backgammon():
    """As gnubg 1.07 shows them."""
    game = load("backgammon")
    assert game.start("31").position == "4HPwATDgc/ABMA:cIkFAAAAAAAA"
    p = game.start("31: 8/5 6/5")
    assert p.position == "sGfwATDgc/ABMA:MAEAAAAAAAAA"
    assert p.play("6-4").position == "sGfwATDgc/ABMA:MAETAAAAAAAA"
    assert game.parse_position("4HPwATDgc/ABMA 13") == game.start("31").state
    assert game.parse_position("sGfwATDgc/ABMA o 64") == p.state
    assert game.parse_position("sGfwATDgc/ABMA o") == game.start("31 8/5 6/5").state


def test_plays_are_read_in_many_forms():
    game = load("backgammon")
    s = game.start("31").state
    for text in ("8/5 6/5", "6/5, 8/5", " 8/5,6/5 ", "6/5 8/5"):
        assert game.action_text(s, game.parse_action(s, text)) == "8/5 6/5"
    s = game.parse_position("4HPwATDgc/ABMA 66")
    assert game.action_text(s, game.parse_action(s, "24/18 24/18 13/7 13/7")) == "24/18(2) 13/7(2)"
    s = game.initial()._replace(
        mine=checkers((25, 1), (6, 2)), theirs=checkers((3, 1), (5, 1)), stage=PLAYING, dice=3 * 8 + 2
    )
    assert "bar/22*/20*" in {game.action_text(s, play) for play in legal(game, s)}
    assert hits_of(s, game.parse_action(s, "25/22*/20")) == {22, 20}
    s = game.initial()._replace(mine=checkers((6, 2), (5, 2)), theirs=checkers((1, 2)), stage=PLAYING, dice=6 * 8 + 5)
    assert game.action_text(s, game.parse_action(s, "6/0 5/0")) == "6/off 5/off"


def test_where_it_hits_must_be_said_if_that_matters():
    game = load("backgammon")
    s = game.initial()._replace(mine=checkers((24, 1)), theirs=checkers((4, 1), (2, 1)), stage=PLAYING, dice=3 * 8 + 1)
    texts = sorted(game.action_text(s, play) for play in legal(game, s))
    assert texts == ["24/21*/20", "24/23*/20"]
    with pytest.raises(CounterplayError, match=r"may mean .*: say where it hits"):
        game.parse_action(s, "24/20")
    assert game.action_text(s, game.parse_action(s, "24/23*/20")) == "24/23*/20"


@pytest.mark.parametrize(
    "moves, why",
    [
        ("31 8/3", "no play '8/3' here; legal: "),
        ("31 13/10* 6/5", "nothing is hit there"),
        ("31 8/5 6/5 x", "no action 'x' here"),
        ("31 5/8", "is not a checker's move; write 13/8"),
        ("31 8-5", "is not a checker's move"),
        ("31 8/5/", "is not a checker's move"),
        ("31 pass", "no action 'pass' here"),
        ("31 double", "no action 'double' here"),
        ("31 31", "no action '31' here"),
        ("77", "no action '77' here; legal: 12 13"),
        ("11", "no action '11' here"),
    ],
)
def test_plays_that_are_none_are_refused(moves, why):
    with pytest.raises(CounterplayError, match=why) as raised:
        load("backgammon").start(moves)
    assert "\n" not in str(raised.value)


CLOSED = position_id(
    load("backgammon")
    .initial()
    ._replace(
        mine=checkers(*((p, 2) for p in range(1, 7)), (25, 1)), theirs=checkers(*((p, 2) for p in range(1, 7)), (25, 1))
    )
)
HEAPED = position_id(load("backgammon").initial()._replace(mine=checkers((1, 3)), theirs=checkers((24, 2))))


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "is not a position ID; write"),
        ("4HPwATDgc/ABM", "is not a position ID"),
        ("4HPwATDgc/ABM!", "is not a position ID"),
        ("//////////////", "checkers on a side; the maximum is 15"),
        ("AAAAAAAAAAAAgA", "it continues after the last checker"),
        ("4HPwATDgc/ABMA:xyz", "'xyz' is not a match ID"),
        ("4HPwATDgc/ABMA:cIkFAAAAAAAA x", "leave out 'x'"),
        ("4HPwATDgc/ABMA z", "'z' is neither x or o nor dice"),
        ("4HPwATDgc/ABMA 17", "'17' is neither"),
        ("4HPwATDgc/ABMA:cAlgAAAAAAAA", "is from a match"),
        ("4HPwATDgc/ABMA:cAn/AAAAAAAA", "is from a match|have the dice|has the dice"),
        (HEAPED, "both sides have checkers on one point"),
        ("AAAAAAAAAAAAAA", "has already won"),
        (CLOSED, "closed home boards"),
        ("4HPwATDgc/ABMA:EYEEAAAAAAAA", "there is no cube in this game"),
        ("4HPwATDgc/ABMA 31 rolling", "the dice do not roll here"),
        ("x" * 20000, "too long"),
    ],
)
def test_malformed_positions_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why) as raised:
        load("backgammon").parse_position(text)
    assert "\n" not in str(raised.value)


def test_the_cube_of_a_position_is_checked():
    game = load("backgammon:cube=on")
    assert game.parse_position("sGfwATDgc/ABMA:EYEEAAAAAAAA").cube == 1
    with pytest.raises(CounterplayError, match="who takes a double owns it"):
        game.parse_position("sGfwATDgc/ABMA:AIEEAAAAAAAA")


# Evaluation.


def worth(mine, theirs):
    return load("backgammon").initial()._replace(mine=checkers(*mine), theirs=checkers(*theirs), stage=1)


BEGINNING = ((24, 2), (13, 5), (8, 3), (6, 5))


@pytest.mark.parametrize(
    "mine, theirs, stage",
    [
        (BEGINNING, BEGINNING, 0),  # both have checkers behind
        (((13, 8), (6, 7)), ((18, 2), (13, 6), (6, 7)), 0),  # neither has
        (BEGINNING, ((13, 7), (8, 3), (6, 5)), 1),
        (((13, 7), (8, 3), (6, 5)), BEGINNING, 2),
        (((25, 1), (13, 6), (8, 3), (6, 5)), ((13, 7), (8, 3), (6, 5)), 1),  # the bar is behind
        (((24, 1), (2, 7), (1, 7)), BEGINNING, 3),  # late, by its crunched board
        (((24, 2), (6, 5)), ((3, 4), (2, 3)), 4),
        (((3, 4), (2, 3)), ((24, 2), (6, 5)), 5),
        (((6, 5),), ((6, 5),), 6),  # a race
    ],
)
def test_positions_have_weights_by_their_kind(mine, theirs, stage):
    game, s = load("backgammon"), worth(mine, theirs)
    assert game.stage(s) == stage
    mirror = worth(theirs, mine)
    assert game.stage(mirror) == {1: 2, 2: 1, 4: 5, 5: 4}.get(stage, stage)


@pytest.mark.parametrize(
    "better, worse",
    [
        (((24, 2), (13, 5), (8, 2), (6, 4), (5, 2)), ((24, 2), (13, 5), (8, 3), (6, 3), (2, 2))),  # a point, a prime
        (((24, 2), (13, 5), (8, 3), (6, 5)), ((25, 1), (24, 1), (13, 5), (8, 3), (6, 5))),  # on the bar
        (((13, 4), (8, 3), (6, 6), (5, 2)), ((13, 4), (8, 3), (7, 1), (6, 6), (3, 1))),  # blots before x's men
    ],
)
def test_the_evaluation_counts_what_players_count(better, worse):
    assert chances(worth(better, BEGINNING)) > chances(worth(worse, BEGINNING))


def test_races_go_by_pips_and_gammons():
    ahead = chances(worth(((6, 5), (5, 5), (4, 5)), ((7, 5), (6, 5), (5, 5))))
    behind = chances(worth(((7, 5), (6, 5), (5, 5)), ((6, 5), (5, 5), (4, 5))))
    assert 1 > ahead > 0.5 > 0 > behind > -1
    assert chances(worth(((1, 2),), ((7, 15),))) > 1.5  # a gammon is sure
    assert chances(worth(((1, 2),), ((7, 14),))) < 1.01  # one is off


@pytest.mark.peer
@gnubg.needs_gnubg
def test_judgement_goes_with_gnu_backgammons(tmp_path):
    """Ours is a sum of twelve numbers, theirs a network; theirs estimates who wins, ours by how much."""
    found = [s._replace(stage=1, dice=0) for s in positions(150, seed=8)]
    theirs = gnubg.wins([(counts(s.mine), counts(s.theirs)) for s in found], tmp_path)
    assert np.corrcoef([chances(s) for s in found], theirs)[0, 1] > 0.7


@pytest.mark.slow
def test_star2_looks_two_plies_ahead():
    """These rolls are played this way by everyone."""
    game = load("backgammon")
    for roll, play in (("31", "8/5 6/5"), ("42", "8/4 6/4"), ("61", "13/7 8/7")):
        s = game.parse_position(f"4HPwATDgc/ABMA {roll}")
        assert game.action_text(s, expectiminimax(game, s, 2).action) == play


# The bear-off.


def test_bear_off_by_hand():
    table = bear_off()
    assert table.expected(checkers((1, 2))) == pytest.approx(1)
    assert table.expected(checkers((6, 1))) == pytest.approx(1 * 27 / 36 + 2 * 9 / 36)  # 27 rolls take it off at once
    assert table.expected(checkers((2, 2))) == pytest.approx(1 * 26 / 36 + 2 * 10 / 36)
    assert table.win(checkers((6, 1)), checkers((1, 1))) == pytest.approx(27 / 36)
    assert table.win(checkers((6, 1)), checkers((6, 1))) == pytest.approx(27 / 36 + 9 / 36 * 9 / 36)
    with pytest.raises(CounterplayError, match="outside the home board"):
        table.expected(checkers((7, 1)))


def test_every_home_board_has_its_place():
    table, side = bear_off(), checkers()
    rng = random.Random(1)
    for place in range(SIZE - 1):
        if rng.random() < 0.01:
            assert table.index(side) == place
        side = following(side)
    assert side == checkers((6, 15))
    assert table.index(side) == SIZE - 1
    assert np.allclose(table.rolls.sum(1), 1)
    assert np.allclose(table.rolls @ np.arange(ROLLS), table.means)
    assert table.rolls[:, -1].max() == 0


@pytest.mark.peer
@gnubg.needs_gnubg
def test_bear_offs_are_those_of_gnu_backgammon(tmp_path):
    """Its database has one side alone as well, for up to 15 checkers, with 16 bits a number."""
    rng = random.Random(2)
    numbers = [number for number in (7, 9, 12, 15) for _ in range(10)]
    sides_ = [[checkers(*((rng.randint(1, 6), 1) for _ in range(number))) for _ in range(2)] for number in numbers]
    theirs = gnubg.wins([(counts(mine), counts(other)) for mine, other in sides_], tmp_path)
    ours = [bear_off().win(mine, other) for mine, other in sides_]
    assert ours == pytest.approx(theirs, abs=2e-3)
    assert np.std(ours) > 0.1


def test_the_table_judges_where_it_is_asked_for():
    exact, plain = load("backgammon:bearoff=on"), load("backgammon")
    mine, theirs = checkers((6, 2), (1, 3)), checkers((5, 4))
    s = plain.initial()._replace(mine=mine, theirs=theirs, stage=1)
    assert exact.evaluate(s, 0) == pytest.approx(2 * bear_off().win(mine, theirs) - 1)
    assert exact.evaluate(s, 1) == -exact.evaluate(s, 0) != plain.evaluate(s, 1)
    assert exact.evaluate(plain.initial(), 0) == plain.evaluate(plain.initial(), 0)


@pytest.mark.slow
def test_search_reads_the_table():
    exact = load("backgammon:bearoff=on")
    s = exact.initial()._replace(mine=checkers((6, 2), (1, 3)), theirs=checkers((5, 4)), stage=PLAYING, dice=6 * 8 + 1)
    values = [exact.evaluate(exact.result(s, play), 0) for play in legal(exact, s)]
    assert expectiminimax(exact, s, 1).value == pytest.approx(max(values))


# Pictures.


def test_boards_show_piles_and_the_bar():
    game = load("backgammon")
    s = game.initial()._replace(
        mine=checkers((6, 7), (25, 2), (1, 3)), theirs=checkers((5, 15)), stage=PLAYING, dice=6 * 8 + 2
    )
    text = game.board(s)
    assert text.count(" x ") >= 2
    assert "7" in text.splitlines()[8]
    assert "15" in text.splitlines()[6]
    assert "x: 95 pips, 3 off" in text
    assert text.endswith("x to play 62")
    pieces = game.diagram(s).pieces
    assert Counter(piece.look for piece in pieces) == {"x": 12, "o": 15, "x|": 3}
    discs = [shape for shape in ET.fromstring(game.svg(s)).iter() if shape.get("r") == "18.5"]
    assert len(discs) == 12 + 15
    assert game.board(game.start("31 8/5 6/5").state).splitlines()[0].split()[0] == "12"  # numbered for o


def test_dice_fall_by_their_probability():
    game, found = load("backgammon"), set()
    p = game.start("31 8/5 6/5")
    for _ in range(300):
        found.add(draw_event(game, p.state, p.rng))
    assert found == {a * 8 + b for a in range(1, 7) for b in range(1, a + 1)}


# What a network sees.


def features_of(game, s):
    """The features by name; what is not written is 0."""
    out = blank(len(FEATURES))
    game.features(s, out)
    written = [FEATURES[i] for i in out.index[: out.used[0]]]
    assert len(written) == len(set(written))
    found = dict.fromkeys(FEATURES, 0.0)
    return found | dict(zip(written, map(float, out.value[: out.used[0]]), strict=True))


def rolls_that_hit(game, s):
    """The number of rolls, out of 36, that let the side on roll hit, by the rules."""
    before, number = count_at(s.theirs, BAR), 0
    for a in range(1, 7):
        for b in range(1, a + 1):
            rolled = s._replace(dice=a * 8 + b, stage=PLAYING)
            afters = (game.result(rolled, play) for play in legal(game, rolled))
            if any(count_at(after.mine, BAR) > before for after in afters):
                number += 1 if a == b else 2
    return number


def test_shots_are_the_rolls_that_hit_by_the_rules():
    game, same, seen = load("backgammon"), 0, 0
    for s in positions(60, seed=4):
        if meet(s.mine, s.theirs) and count_at(s.mine, BAR) < 2:  # of two on the bar, doubles count only to enter
            seen += 1
            same += round(36 * features_of(game, s)["mine: shots"]) == rolls_that_hit(game, s)
    assert seen > 30
    assert same >= 0.95 * seen  # ignoring that both dice must be played if possible


def test_stages_are_kinds_of_contact_and_races():
    game, met = load("backgammon"), set()
    for s in positions(300, seed=6):
        spent = [count_at(side, 0) + sum(counts(side)[:3]) for side in (s.mine, s.theirs)]
        back, theirs = (sum(counts(side)[18:]) > 0 for side in (s.mine, s.theirs))
        contact = (3 if max(spent) >= 7 else 0) + (0 if back == theirs else 1 if back else 2)
        assert game.stage(s) == (contact if meet(s.mine, s.theirs) else 6)
        met.add(game.stage(s))
    assert met == set(range(game.stages))


def test_features_count_what_they_say():
    game = load("backgammon")
    for s in positions(150, seed=5):
        found = features_of(game, s)
        for whose, side, other in (("mine", s.mine, s.theirs), ("theirs", s.theirs, s.mine)):
            number, rival = counts(side), counts(other)
            for point in range(1, BAR + 1):
                n, name = number[point - 1], f"{whose} {point}"
                kinds = [found[f"{name}: {kind}"] for kind in ("one", "two", "three", "more")]
                assert kinds == [n == 1, n == 2, n >= 3, max(n - 3, 0) / 2]
            assert found[f"{whose}: pips"] == pytest.approx(pips(side) / 100)
            assert found[f"{whose}: off"] == pytest.approx(count_at(side, 0) / CHECKERS)
            if not meet(s.mine, s.theirs):
                continue
            rear = max(point for point, n in enumerate(number, 1) if n)
            blocked = {25 - point for point in range(1, 25) if rival[point - 1] >= 2}
            assert found[f"{whose}: escapes"] == pytest.approx(escaping(rear, blocked))
            assert found[f"{whose}: rearmost"] == pytest.approx(rear / 24)
            held = "".join("x" if n >= 2 else " " for n in number[:24])
            assert found[f"{whose}: home points"] == pytest.approx(held[:6].count("x") / 6)
            assert found[f"{whose}: prime"] == pytest.approx(max(map(len, held.split())) / 6 if "x" in held else 0.0)
            walls = {25 - point for point in range(1, 25) if number[point - 1] >= 2}
            least = min(escaping(point, walls) for point in range(15, 26))
            assert found[f"{whose}: blockade"] == pytest.approx(least)
            shut = (sum(n >= 2 for n in rival[:6]) / 6) ** 2 if number[24] else 0.0
            assert found[f"{whose}: shut out"] == pytest.approx(shut)
            where = [point for point, n in enumerate(number, 1) for _ in range(n)]
            free = sum(max(point - 6, 0) * escaping(point, blocked) for point in where)
            assert found[f"{whose}: mobility"] == pytest.approx(free / 50)
            line = 25 - max(point for point, n in enumerate(rival, 1) if n)
            assert found[f"{whose}: still to pass"] == pytest.approx(sum(p - line for p in where if p > line) / 80)
            assert found[f"{whose}: spread"] == pytest.approx(np.var(where) / 60, abs=1e-6)
            anchors = [point for point in range(18, 25) if number[point - 1] >= 2]
            assert found[f"{whose}: anchor"] == pytest.approx((25 - min(anchors)) / 7 if anchors else 0.0)
            assert found[f"{whose}: double shots"] <= found[f"{whose}: shots"]
            assert rival[:24].count(1) > 1 or not found[f"{whose}: double shots"]


def escaping(point, blocked):
    """The share of rolls that move a checker from `point` by both dice, one after the other."""
    rolls = [(a, b) for a in range(1, 7) for b in range(1, 7)]
    return sum(
        point - a - b not in blocked and not (point - a in blocked and point - b in blocked) for a, b in rolls
    ) / len(rolls)
