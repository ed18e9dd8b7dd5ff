"""Learning from others' games: planted preferences are recovered, and games are read in their own formats."""

import gc
import json
import tracemalloc

import numpy as np
import pytest

from counterplay import CounterplayError, load
from counterplay.arena.recorded_games import read_games
from counterplay.cli import main
from counterplay.core.language.actions import action_stack
from counterplay.core.language.rng import Rng
from counterplay.evaluation.judged import encoded, judged
from counterplay.evaluation.model import find_model
from counterplay.evaluation.residual import Residual
from counterplay.learning import imitation
from counterplay.learning.imitation import Choice, fit_network, fit_policy, imitate
from counterplay.learning.recorded_games import choices_of, lesson_of
from counterplay.montecarlo.options import SimulationOptions
from counterplay.montecarlo.search import mcts

GAME = load("tic-tac-toe")
TASTE = (4, 0, 8, 2, 6, 1, 3, 5, 7)
"""The cells as our expert likes them."""


def expert_games(number):
    """Games with a random beginning; from then on both sides take the free cell that they prefer most."""
    games = []
    for seed in range(number):
        p, rng, made = GAME.start(), Rng(seed), []
        while not p.is_over:
            options = p.options()
            chosen = min(options, key=TASTE.index)
            if len(p) < 3:
                chosen = options[rng.below(len(options))]
            elif len(options) > 1:
                made.append(Choice(p.state, options, chosen, None))
            p.play(chosen)
        games.append([each._replace(got=p.returns[GAME.to_move(each.state)]) for each in made])
    return games


def test_the_step_is_the_gradient_of_the_likelihood():
    seen, out, rng = encoded(GAME, "planes"), action_stack(GAME), np.random.default_rng(1)
    s, chosen = GAME.start("b2 a1 c3").state, 5
    start = rng.normal(0, 0.5, seen.learned_inputs).astype(np.float32)

    def likelihood(weights):
        leaning = []
        for action in (each for each in range(9) if each in GAME.start("b2 a1 c3").options()):
            planes = np.zeros(GAME.plane_shape, np.float32)
            GAME.planes(GAME.result(s, action), planes)
            leaning.append((action == chosen, -(weights[:-1] @ planes.ravel() + weights[-1])))
        return next(x for mine, x in leaning if mine) - np.log(sum(np.exp(x) for _, x in leaning))

    weights = start.copy()
    imitate(seen, s, chosen, weights, 0.001, out)
    for at in range(seen.learned_inputs):
        higher, lower = start.astype(float), start.astype(float)
        higher[at] += 1e-4
        lower[at] -= 1e-4
        slope = (likelihood(higher) - likelihood(lower)) / 2e-4
        assert (weights[at] - start[at]) / 0.001 == pytest.approx(slope, abs=2e-3)


@pytest.mark.slow
def test_a_planted_taste_is_found_and_plays_in_playouts():
    games = expert_games(120)
    found = fit_policy(GAME, lambda: games, epochs=6, rate=0.3)
    assert found.held > 20
    assert found.foretold > 0.9
    with_taste = judged(GAME, found.model)
    s = GAME.start("a1 b1 c3 a3 b3").state  # o to move; the middle is liked best, and does not win
    plain, by_odds = (
        mcts(with_taste, s, simulations=400, options=SimulationOptions(rollout=rollout, solver=False), seed=3)
        for rollout in ("uniform", "odds")
    )
    assert plain.value != by_odds.value


def require_torch():
    pytest.importorskip("torch")
    pytest.importorskip("onnxruntime")


def test_a_network_learns_what_was_chosen_and_how_it_ended(monkeypatch):
    require_torch()
    monkeypatch.setattr(imitation, "BLOCK", 200)  # several of them
    games = expert_games(150)
    found = fit_network(GAME, lambda: games, width=8, blocks=1, epochs=20, rate=0.02)
    assert found.model.kind == "residual"
    assert found.samples + found.held == sum(map(len, games))
    assert found.foretold > 0.8
    others = [each for game in expert_games(200)[150:] for each in game]
    _, values = Residual(GAME, found.model).policy([each.state for each in others], [each.options for each in others])
    assert np.corrcoef(values, [each.got for each in others])[0, 1] > 0.7


def test_an_unknown_result_is_an_even_one_and_others_go_from_minus_one_to_one():
    states = GAME.initial(), GAME.start("b2").state
    (found,) = imitation.tabulated(GAME, [Choice(states[0], [4], 4, None), Choice(states[1], [0], 0, -1.0)])
    assert found.value.tolist() == [0, -1]
    assert found.chosen.tolist() == [4, 0]
    for s, planes in zip(states, found.planes, strict=True):
        seen = np.zeros(GAME.plane_shape, np.float32)
        GAME.planes(s, seen)
        assert (planes == seen).all()


@pytest.mark.slow
def test_memory_does_not_grow_with_the_choices(monkeypatch):
    require_torch()
    monkeypatch.setattr(imitation, "BLOCK", 128)
    options = list(range(9))

    def peak(games):
        def source():
            return ((Choice(GAME.initial(), list(options), 4, 1.0) for _ in range(9)) for _ in range(games))

        gc.collect()
        tracemalloc.start()
        try:
            fit_network(GAME, source, width=2, blocks=1, epochs=1, hold_out=0.5)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(100)  # compiles
    assert peak(1000) < 3 * peak(100)  # all of them in memory: six times as much


def test_a_network_by_command(tmp_path, monkeypatch, capsys):
    require_torch()
    monkeypatch.chdir(tmp_path)
    assert main(["match", "tic-tac-toe", "random", "random:seed=2", "--games", "20", "-o", "games.db", "--json"]) == 0
    capsys.readouterr()
    assert main(["fit", "tic-tac-toe", "games.db", "-o", "m.npz", "--method", "network", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["method"] == "fit network"
    assert told["samples"] > 40
    assert told["held_out"] > 0
    network = Residual(GAME, find_model("m.npz", GAME))
    assert len(network.policy([GAME.initial()], [list(range(9))])[0][0]) == 9
    assert main(["fit", "tic-tac-toe", "games.db", "-o", "m.npz", "--method", "network", "--labels", "solve"]) == 2
    assert "not from --labels solve" in capsys.readouterr().err


def test_nothing_to_learn_from():
    with pytest.raises(CounterplayError, match="nothing to learn from"):
        fit_policy(GAME, list)


SGF = "(;GM[1]FF[4]SZ[3]KM[0.5]RE[B+R];B[bb];W[aa];B[];W[])(;GM[1]FF[4]SZ[3]KM[0.5];B[bb];W[aa])"
PGN = '[Event "?"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'
PDN = '[Event "?"]\n[Result "1/2-1/2"]\n\n1. 11-15 23-19 1/2-1/2\n'


@pytest.mark.parametrize(
    "spec, name, text, labels, choices",
    [
        ("go:size=3", "games.sgf", SGF, [[-1, 1, -1], []], [3, 1]),
        ("chess", "games.pgn", PGN, [[1, -1, 1]], [3]),
        ("checkers", "games.pdn", PDN, [[0, 0]], [1]),
    ],
)
def test_games_are_read_in_their_own_format(tmp_path, spec, name, text, labels, choices):
    file = tmp_path / name
    file.write_text(text)
    rules = load(spec)
    lessons = [lesson_of(game, None, 0) for game in read_games(rules, file)]
    assert [lesson[1] for lesson in lessons] == labels
    assert [len(list(choices_of(game, 1))) for game in read_games(rules, file)] == choices


@pytest.mark.parametrize(
    "spec, name, text, wrong",
    [
        ("go:size=3", "games.sgf", SGF, "(;GM[1]SZ[3];B[zz])"),
        ("chess", "games.pgn", PGN, "\n1. e4 e5 2. Ke3 *\n"),
        ("checkers", "games.pdn", PDN, '\n[Event "?"]\n1. 11-15 11-15 *\n'),
    ],
)
def test_games_are_parsed_one_by_one(tmp_path, caplog, spec, name, text, wrong):
    file = tmp_path / name
    file.write_text(text + wrong)
    found = load(spec).read_playthroughs(file)
    assert next(found)[0].moves
    with pytest.raises(CounterplayError) as raised:
        list(found)
    assert "\n" not in str(raised.value)
    assert not caplog.records  # python-chess has a log of its own


@pytest.mark.parametrize("spec, name, text", [("chess", "games.pgn", PGN), ("checkers", "games.pdn", PDN)])
def test_a_long_file_is_not_read_all_at_once(tmp_path, spec, name, text):
    file = tmp_path / name
    file.write_text((text + "\n") * 20000)
    rules = load(spec)
    next(rules.read_playthroughs(file))
    tracemalloc.start()
    try:
        next(rules.read_playthroughs(file))
        assert tracemalloc.get_traced_memory()[1] < file.stat().st_size / 2
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("spec, name", [("go:size=3", "x.sgf"), ("chess", "x.pgn"), ("checkers", "x.pdn")])
def test_a_file_that_is_not_there_is_one_sentence(tmp_path, spec, name):
    with pytest.raises(CounterplayError, match=r"cannot read .*: [Nn]o such file or directory$"):
        list(load(spec).read_playthroughs(tmp_path / name))


def test_a_board_of_another_size_is_refused(tmp_path, capsys):
    file = tmp_path / "games.sgf"
    file.write_text(SGF)
    assert main(["fit", "go:size=5", str(file), "-o", str(tmp_path / "m.npz"), "--labels", "moves"]) == 2
    assert "3x3, not on 5x5" in capsys.readouterr().err
