"""The point of view at chance nodes: only the game knows it, and learning requires it."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from counterplay import CHANCE, CounterplayError, Game, load, state, u64
from counterplay.core.language.features import note
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.rules import draw_event, legal
from counterplay.evaluation.judged import encoded, judged
from counterplay.learning.td_training import Recipe, TemporalTraining
from counterplay.players.random import Uniform
from counterplay.search.chance.expectiminimax import expectiminimax

GOAL = 6


@state
class Track(NamedTuple):
    first: int
    second: int
    turn: int
    die: int  # 0: it is still to be rolled


class Race(Game):
    """Roll, then go forward or back by the die; whoever reaches the goal first wins."""

    compiled = False
    feature_names = ("my lead", "die")

    def initial(self):
        return Track(0, 0, 0, 0)

    def to_move(self, s):
        return s.turn if s.die else CHANCE

    def chance(self, s, out):
        for face in range(1, 4):
            out.append(face)

    def probability(self, s, event):
        return 1 / 3

    def actions(self, s, out):
        out.append(0)
        out.append(1)

    def result(self, s, action):
        if s.die == 0:
            return Track(s.first, s.second, s.turn, action)
        step = s.die if action == 0 else -s.die
        if s.turn == 0:
            return Track(max(s.first + step, 0), s.second, 1, 0)
        return Track(s.first, max(s.second + step, 0), 0, 0)

    def is_terminal(self, s):
        return s.first >= GOAL or s.second >= GOAL

    def utility(self, s, player):
        return 1.0 if (s.first >= GOAL) == (player == 0) else -1.0

    def features(self, s, out):
        lead = s.first - s.second
        note(out, 0, float(lead if s.turn == 0 else -lead) / GOAL)
        note(out, 1, float(s.die))


class CompiledRace(Race):
    """The same compiled, with events of another type."""

    compiled = True

    def chance(self, s, out):
        out.append(u64(1))
        out.extend((2, 3))


class Dare(Race):
    """The same, but a 1 ends the turn: who acts next depends on the die."""

    def result(self, s, action):
        return Track(s.first, s.second, 1 - s.turn, 2) if s.die == 0 and action == 1 else super().result(s, action)


class Dash(Race):
    """The same, but one chooses before the roll, so that the other side acts after it: the roller is shown."""

    def to_move(self, s):
        return CHANCE if s.die else s.turn

    def actions(self, s, out):
        out.append(1)
        out.append(2)

    def result(self, s, action):
        if s.die == 0:
            return s._replace(die=action)
        step = s.die * (action - 1)
        return Track(s.first + step * (1 - s.turn), s.second + step * s.turn, 1 - s.turn, 0)


class LastRoll(Race):
    """The same, but the first roll decides everything."""

    def is_terminal(self, s):
        return s.die > 0

    def utility(self, s, player):
        return 1.0 if (s.die == 3) == (player == 0) else -1.0


def positions(game, seed=0):
    """The positions of some random games."""
    rng, found = Rng(seed), []
    for _ in range(5):
        s = game.initial()
        while not game.is_terminal(s):
            found.append(s)
            options = legal(game, s)
            s = game.result(
                s, draw_event(game, s, rng) if game.to_move(s) == CHANCE else options[rng.below(len(options))]
            )
    return found


class SeenRace(Race):
    def viewer(self, s):
        return s.turn


def test_a_dice_game_with_a_viewer_learns_to_beat_random():
    training = TemporalTraining(SeenRace(), Recipe(encoding="features", hidden=0, rate=0.1, seed=1), games=300)
    while training.played < 300:
        training.advance()
    game = judged(SeenRace(), training.model())
    assert training.model().arrays["weights"][0, 0] > 0  # a lead is good
    won, rng, random = 0, Rng(2), Uniform(seed=3)
    for k in range(60):
        p = SeenRace().start(seed=k)
        while not p.is_over:
            if p.to_move == CHANCE:
                p.play(draw_event(p.game, p.state, rng))
            else:
                chosen = expectiminimax(game, p.state, 1) if p.to_move == k % 2 else random.choose(p)
                p.play(chosen.action)
        won += p.returns[k % 2] > 0
    assert won >= 54


class SixFirst(Race):
    """The same, but every other face of the die is rolled again, for ever."""

    def result(self, s, action):
        return s if s.die == 0 and action < 3 else super().result(s, action)


class NeverRolls(Race):
    """The same, but the die never comes to rest."""

    def result(self, s, action):
        return s if s.die == 0 else super().result(s, action)


def test_endless_rolls_end_the_search_for_the_next_player():
    start = Track(0, 0, 1, 0)
    assert SixFirst().viewer(start) == 1
    assert NeverRolls().viewer(start) == 0
    assert expectiminimax(SixFirst(), SixFirst().initial(), 2).value == 0


@kernel
def asked(game, s):
    """The viewer as compiled code sees it."""
    return game.viewer(s)


class OrdinaryRace(Race):
    """The same compiled."""

    compiled = True


@pytest.mark.parametrize("cls", [Race, CompiledRace, OrdinaryRace])
def test_who_acts_next_sees_a_roll(cls):
    game = cls()
    for s in positions(game):
        assert asked(game, s) == game.viewer(s) == s.turn


@pytest.mark.parametrize("cls", [Race, Dash, Dare, LastRoll])
def test_where_chance_moves_the_game_must_say(cls):
    with pytest.raises(CounterplayError, match=f"{cls.__name__} must write `viewer") as raised:
        TemporalTraining(cls(), Recipe(encoding="features", hidden=0), games=1)
    assert "\n" not in str(raised.value)

    class Said(cls):
        def viewer(self, s):
            return s.turn

    encoded(Said(), "features")


def test_games_that_say_are_not_asked():
    encoded(load("backgammon"), "features")
