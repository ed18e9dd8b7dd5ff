"""PettingZoo, Gymnasium and the vector environment: their own tests on every game, and our rules step by step."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

import counterplay as cp
from counterplay.adapters.batch import action_count
from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE
from counterplay.core.registry import load
from counterplay.games import GAMES

pytest.importorskip("pettingzoo")
pytest.importorskip("gymnasium")


def plain(spec):
    """A game whose kernels run uncompiled: nothing to compile for a few steps."""
    game = load(spec)
    game.compiled = False
    return game


@pytest.mark.parametrize("name", GAMES)
def test_every_game_passes_the_tests_of_pettingzoo_and_gymnasium(name, capsys):
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import api_test, seed_test

    game = plain(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(cp.pettingzoo_env(game, render_mode="ansi"), num_cycles=6)
        seed_test(lambda: cp.pettingzoo_env(game), num_cycles=4)
        check_env(cp.gymnasium_env(game, seat=-1), skip_render_check=True)


def draw(mask, rng):
    """A legal action in every row."""
    return (mask * rng.random(mask.shape)).argmax(axis=1)


@pytest.mark.parametrize("spec", ["tic-tac-toe", "leduc-poker"])
def test_compiled_and_plain_show_the_same(spec):
    rng = np.random.default_rng(7)
    compiled, uncompiled = cp.vector_env(spec, 3, seed=5), cp.vector_env(plain(spec), 3, seed=5)
    one, other, ended = compiled.reset(), uncompiled.reset(), 0
    for _ in range(40):
        for ours, theirs in zip(one, other, strict=True):
            assert (ours == theirs).all()
        assert [compiled.state(g) for g in range(3)] == [uncompiled.state(g) for g in range(3)]
        chosen = draw(one.mask, rng)
        one, other = compiled.step(chosen), uncompiled.step(chosen)
        ended += int(one.terminated.sum())
    assert ended > 5


@pytest.mark.parametrize("spec", ["checkers", "chess", "goofspiel", "whist", "go:size=4", "pig"])
def test_steps_agree_with_a_playthrough(spec):
    game = plain(spec)
    rng = np.random.default_rng(3)
    env = cp.vector_env(game, 1, limit=60)
    seen, before = env.reset(), game.initial()
    for _ in range(60):
        s = env.state(0)
        p = game.start()
        p._states = [s]
        p._path = {0: env._games.batch.path[0, 0]} if game.has_repetition else p._path
        assert seen.player[0] == game.to_move(s) != CHANCE
        listed = {game.policy_index(s, action): action for action in p.options()}
        if not game.forbids_repetition:
            assert set(np.flatnonzero(seen.mask[0])) == set(listed)
        if game.plane_shape:
            planes = np.zeros(game.plane_shape, np.float32)
            game.planes(s, planes)
            assert (seen.observation[0] == planes).all()
        index = int(draw(seen.mask, rng)[0])
        after = game.result(s, listed[index])
        seen = env.step([index])
        if seen.terminated[0] and game.is_terminal(after):
            assert seen.rewards[0].tolist() == [game.utility(after, player) for player in range(game.players)]
        elif not seen.terminated[0] and not seen.truncated[0] and not game.has_chance:
            assert env.state(0) == after
            assert not seen.rewards.any()
    assert env.illegal == 0
    assert before == game.initial()


def test_whoever_plays_what_is_not_legal_loses():
    env = cp.vector_env("tic-tac-toe", 2)
    env.reset()
    env.step([4, 4])
    seen = env.step([4, 0])
    assert seen.terminated.tolist() == [True, False]
    assert seen.rewards.tolist() == [[1.0, -1.0], [0.0, 0.0]]
    assert env.illegal == 1
    assert seen.mask.sum(axis=1).tolist() == [9, 7]  # the first has begun again
    assert env.step([99, 1]).terminated.tolist() == [True, False]


def test_a_long_game_is_cut_off():
    env = cp.vector_env("tic-tac-toe", 1, limit=4)
    env.reset()
    seen = [env.step([cell]).truncated[0] for cell in (0, 1, 2, 3)]
    assert seen == [False, False, False, True]
    assert env.step([8]).truncated[0] == 0


def test_pettingzoo_forfeits_and_pays_at_the_end():
    env = cp.pettingzoo_env("tic-tac-toe", render_mode="ansi")
    env.reset(seed=1)
    for cell in (0, 3, 1, 4, 2):
        env.step(cell)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert env.terminations == {"player_0": True, "player_1": True}
    assert "x" in env.render().lower()
    env.reset(seed=1)
    env.step(0)
    env.step(0)
    assert env.rewards == {"player_0": 0.0, "player_1": -1.0}
    assert env.infos["player_1"] == {"illegal": True}
    env.reset()
    with pytest.raises(CounterplayError, match="numbers from 0 to 8"):
        env.step(9)


def test_gymnasium_plays_against_any_of_our_players():
    env = cp.gymnasium_env(plain("tic-tac-toe"), opponent="alphabeta", seat=1)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=1)
    assert info["action_mask"].sum() == 8  # the opponent has begun
    done = False
    while not done:
        _, reward, done, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
    assert reward <= 0  # nobody beats it
    env.close()


def test_an_opponent_sees_dice_and_all():
    env = cp.gymnasium_env(plain("pig:goal=20"), opponent="expectiminimax:depth=1")
    _, info = env.reset(seed=3)
    done = False
    while not done:
        _, reward, done, _, info = env.step(np.flatnonzero(info["action_mask"])[-1])
        p = env._playthrough
        assert p.state in (env._games.state(0), *p.states)
    assert reward in (-1.0, 1.0)
    assert len(p) > 4


@pytest.mark.parametrize(
    "make, said",
    [
        (
            lambda: cp.pettingzoo_env("tic-tac-toe", observation="pictures"),
            "no observation 'pictures'; there are planes",
        ),
        (lambda: cp.pettingzoo_env("kuhn-poker", observation="state"), "has no state to observe; it has information"),
        (lambda: cp.pettingzoo_env("tic-tac-toe", render_mode="rgb_array"), "no render_mode 'rgb_array'"),
        (lambda: cp.gymnasium_env("tic-tac-toe", seat=2), "no seat 2; tic-tac-toe has the seats 0 to 1"),
        (lambda: cp.gymnasium_env("kuhn-poker", opponent="alphabeta"), "hides information"),
        (lambda: cp.vector_env("tic-tac-toe", 0), "count=0 must be at least 1"),
        (lambda: cp.vector_env("tic-tac-toe", 2).step([0, 0]), "reset the environment"),
        (lambda: reset_and_step([0, 0, 0]), "takes 2 whole numbers"),
        (lambda: reset_and_step("ab"), "takes 2 whole numbers"),
    ],
)
def test_wrong_wishes_are_one_sentence(make, said):
    with pytest.raises(CounterplayError, match=said) as wrong:
        make()
    assert "\n" not in str(wrong.value)


def reset_and_step(actions):
    env = cp.vector_env("tic-tac-toe", 2)
    env.reset()
    env.step(actions)


@pytest.mark.parametrize(
    "module, use",
    [
        ("pettingzoo", lambda: cp.pettingzoo_env("tic-tac-toe")),
        ("gymnasium", lambda: cp.gymnasium_env("tic-tac-toe")),
        ("pyspiel", lambda: cp.to_openspiel("tic-tac-toe")),
    ],
)
def test_a_missing_extra_names_the_command(module, use, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, f"counterplay.adapters.{module}", raising=False)
    with pytest.raises(CounterplayError, match=r"pip install 'counterplay\[adapters\]'"):
        use()


def test_a_game_without_a_policy_numbers_its_legal_actions():
    assert action_count(plain("backgammon")) == 2048
    env = cp.vector_env(plain("backgammon"), 1, seed=2)
    legal = int(env.reset().mask[0].sum())
    assert env.reset().mask[0, :legal].all()
