"""Pig: the rules against OpenSpiel, the value of the game against Neller and Presser, the notation against itself."""

import random

import numpy as np
import pytest
from games.openspiel import lockstep, pyspiel
from hypothesis import given
from hypothesis import strategies as st

from counterplay import CounterplayError, load
from counterplay.core.game import CHANCE
from counterplay.core.language.kernel import kernel
from counterplay.core.rules import legal
from counterplay.games.pig import HOLD, ROLL, Pig, State

THEIR_ROLL, THEIR_HOLD = 0, 1


class Trimmed:
    """OpenSpiel's Pig by our rules: no holding without points at risk, and enough points to win are held at once."""

    def __init__(self, players, goal):
        self.game = pyspiel.load_game("pig", {"players": players, "winscore": goal, "horizon": 1_000_000})
        self.players, self.goal = players, goal

    def new_initial_state(self):
        self.state, self.scores, self.turn = self.game.new_initial_state(), [0] * self.players, 0
        return self

    def __getattr__(self, name):
        return getattr(self.state, name)

    def legal_actions(self):
        return [action for action in self.state.legal_actions() if action == THEIR_ROLL or self.turn]

    def apply_action(self, action):
        player = self.state.current_player()
        rolled = self.state.is_chance_node()
        self.state.apply_action(action)
        if rolled:
            self.turn = self.turn + action + 1 if action else 0
            player = self.state.current_player()
            if self.turn and self.scores[player] + self.turn >= self.goal:
                self.state.apply_action(THEIR_HOLD)
        elif action == THEIR_HOLD:
            self.scores[player] += self.turn
            self.turn = 0


def theirs(s, action):
    return action - 1 if s.rolling else {ROLL: THEIR_ROLL, HOLD: THEIR_HOLD}[action]


@pytest.mark.peer
@pytest.mark.parametrize("goal, players", [(100, 2), (30, 2), (20, 3), (15, 4)])
def test_rules_agree_with_openspiel(goal, players):
    lockstep(Pig(goal, players), Trimmed(players, goal), theirs, playthroughs=60)


def test_holding_ends_the_game_at_openspiel_as_it_does_here():
    """The adapter above would hide it if OpenSpiel did not count held points as won."""
    t = pyspiel.load_game("pig", {"winscore": 6}).new_initial_state()
    for action in (THEIR_ROLL, 5, THEIR_HOLD):
        t.apply_action(action)
    assert t.is_terminal()
    assert t.returns() == [1, -1]
    assert Pig(6).start("roll 6").returns == (1, -1)


def best_play(goal):
    """Winning chances [mine, theirs, turn] of the player to move, by value iteration over whole turns."""
    chances = np.ones((goal, goal, goal + 6))
    mine, turn = np.arange(goal)[:, None], np.arange(goal)
    chances[:, :, :goal] = np.where(mine + turn >= goal, 1.0, 0.5)[:, None, :]
    while True:
        before = chances[:, :, 0].copy()
        lost = 1 - before.T
        for k in reversed(range(goal)):
            rows = goal - k  # a player with this many or more has won
            roll = (lost[:rows] + sum(chances[:rows, :, k + face] for face in range(2, 7))) / 6
            chances[:rows, :, k] = np.maximum(roll, lost[k:] if k else 0)
        if np.abs(before - chances[:, :, 0]).max() < 1e-9:
            return chances


def value(game, chances, s):
    """The winning chance, by the table, of the player to move or whose die is being rolled."""
    if game.is_terminal(s):
        return 1.0
    if s.rolling:
        following = [(game.probability(s, event), game.result(s, event)) for event in legal(game, s)]
        return sum(
            p * (value(game, chances, t) if t.player == s.player else 1 - value(game, chances, t)) for p, t in following
        )
    return chances[s.scores[s.player], s.scores[1 - s.player], s.turn]


def best_action_value(game, chances, s):
    after = [game.result(s, action) for action in legal(game, s)]
    return max(value(game, chances, t) if t.player == s.player else 1 - value(game, chances, t) for t in after)


@pytest.fixture(scope="module")
def solved():
    return best_play(100)


def test_the_first_player_wins_0_5306_of_the_games(solved):
    assert solved[0, 0, 0] == pytest.approx(0.5306, abs=5e-5)


def test_the_solution_solves_our_game(solved):
    """The values are the unique fixed point of our rules: the table satisfies Bellman's equation wherever it is
    checked.
    """
    game, rng = Pig(100), random.Random(1)
    for _ in range(3000):
        mine = rng.choice([0, *range(2, 100)])
        s = State(
            (mine, rng.choice([0, *range(2, 100)]), 0, 0), rng.choice([0, *range(2, max(3, 100 - mine))]), 0, False
        )
        if rng.random() < 0.5:
            s = State((s.scores[1], s.scores[0], 0, 0), s.turn, 1, False)
        if not game.is_terminal(s):
            assert best_action_value(game, solved, s) == pytest.approx(value(game, solved, s), abs=1e-7)


def test_the_solution_of_a_short_game_solves_every_state_of_it():
    game, chances = Pig(12), best_play(12)
    seen, waiting = set(), [game.initial()]
    while waiting:
        s = waiting.pop()
        if s in seen or game.is_terminal(s):
            continue
        seen.add(s)
        waiting += [game.result(s, action) for action in legal(game, s)]
        if not s.rolling:
            assert best_action_value(game, chances, s) == pytest.approx(value(game, chances, s), abs=1e-7)
    assert len(seen) > 1000


def test_who_cannot_afford_to_wait_rolls(solved):
    """Neller and Presser: behind at 0 to 99, hold only if that wins; at 0 to 0, hold at 21 or more."""
    game = Pig(100)
    for turn in range(2, 100):
        s = State((0, 99, 0, 0), turn, 0, False)
        assert value(game, solved, game.result(s, ROLL)) > 1 - value(game, solved, game.result(s, HOLD))
    holds = [
        turn
        for turn in range(2, 99)
        if 1 - value(game, solved, game.result(State((0, 0, 0, 0), turn, 0, False), HOLD))
        > value(game, solved, game.result(State((0, 0, 0, 0), turn, 0, False), ROLL))
    ]
    assert holds[0] == 21


@given(st.integers(2, 120), st.integers(2, 4), st.randoms(use_true_random=True))
def test_position_text_round_trips(goal, players, random):
    p = load(f"pig:{goal},{players}").start()
    for _ in range(60):
        assert p.game.parse_position(p.position) == p.state
        if p.is_over:
            break
        p.play(random.choice(p.legal()))


@given(st.integers(2, 60), st.integers(2, 4), st.randoms(use_true_random=True))
def test_evaluation_keeps_its_bounds_and_adds_up_to_0(goal, players, random):
    game = Pig(goal, players)
    p = game.start()
    while not p.is_over:
        values = [game.evaluate(p.state, player) for player in range(players)]
        assert sum(values) == pytest.approx(0)
        assert all(-1 <= v <= 1 for v in values)
        p.play(random.choice(p.options()))
    assert sum(p.returns) == pytest.approx(0)


@kernel
def judged(game, s, player):
    return game.evaluate(s, player)


@pytest.mark.parametrize("players", [2, 3])
def test_compiled_evaluation_agrees_with_plain(players):
    p = Pig(40, players).start()
    choose = random.Random(1)
    while not p.is_over:
        for player in range(players):
            assert judged(p.game, p.state, player) == pytest.approx(p.game.evaluate(p.state, player), abs=1e-12)
        p.play(choose.choice(p.options()))


def test_a_turn_is_played_as_it_is_written():
    p = load("pig").start("roll 4 roll 6 hold roll 1 roll 3")
    assert p.position == "10 0 turn 3 player 1"
    assert p.legal() == ["roll", "hold"]
    assert p.play("ROLL").to_move == CHANCE
    assert p.legal() == list("123456")
    assert "+ 3 at risk" in str(p)
    assert p._repr_svg_().startswith("<svg")


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "write a position as"),
        ("rolling", "write a position as"),
        ("12 30", "write a position as"),
        ("12 30 turn x player 1", "write a position as"),
        ("12 30 turn ² player 1", "write a position as"),
        ("12 -3 turn 5 player 1", "write a position as"),
        ("12 30 turn 5 player 3", "no player 3 among 2"),
        ("12 30 turn 5 player 0", "no player 0 among 2"),
        ("100 30 turn 5 player 2", "nobody has a score of 100"),
        ("12 1 turn 5 player 1", "nobody has a score of 1;"),
        ("12 30 turn 1 player 1", "add up to 1 points"),
        ("12 30 turn 94 player 1", "add up to 94 points"),
        ("12 30 turn 90 player 1 rolling", "has already won"),
    ],
)
def test_malformed_positions_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why):
        load("pig").parse_position(text)


@pytest.mark.parametrize("spec", ["pig:goal=1", "pig:players=1", "pig:players=5", "pig:goal=x"])
def test_bad_parameters_are_refused(spec):
    with pytest.raises(CounterplayError, match="pig"):
        load(spec)


def test_holding_nothing_is_refused():
    with pytest.raises(CounterplayError, match="hold"):
        load("pig").start("hold")
