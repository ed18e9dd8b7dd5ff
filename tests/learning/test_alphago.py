"""AlphaGo's pipeline: its gradient against finite differences, runs stopped and resumed, its parts in a search."""

import json

import numpy as np
import pytest

from counterplay import CounterplayError, load
from counterplay.api.train import train
from counterplay.cli import main
from counterplay.core.rules import legal
from counterplay.evaluation.model import find_model
from counterplay.evaluation.residual import look, look_turned
from counterplay.learning.alphago import STAGES, AlphaGo, values_table
from counterplay.learning.game_log import LoggedGame
from counterplay.learning.network import Trainee
from counterplay.learning.policy_games import draw_index, gains
from counterplay.players.specs import player

QUICK = {"expert": "random", "batch": 16, "epochs": 2, "width": 4, "blocks": 1}


# The gradient.


def playthroughs(game, trainee):
    """Every possible game if seat 0 follows the network and seat 1 plays anything: what seat 0 saw, its options, its
    choice, the probability of the whole game, and the result."""
    torch = trainee.torch
    found = []

    def go(s, seen, chance):
        if game.is_terminal(s):
            found.append((seen, chance, game.utility(s, 0)))
            return
        actions = list(legal(game, s))
        planes, indices = np.zeros(game.plane_shape, np.float32), np.array(actions, np.int64)
        look(game, s, planes, indices)
        if game.to_move(s) == 1:
            shares = np.full(len(actions), 1 / len(actions))
        else:
            with torch.no_grad():
                logits = trainee.answer(torch.from_numpy(planes[None].astype(np.float64)))[0][0, indices]
                shares = torch.softmax(logits, 0).numpy()
        for k, action in enumerate(actions):
            more = [(planes, indices, indices[k])] if game.to_move(s) == 0 else []
            go(game.result(s, action), seen + more, chance * shares[k])

    go(game.initial(), [], 1.0)
    return found


def expected(game, trainee):
    return sum(chance * result for _, chance, result in playthroughs(game, trainee))


def test_the_policy_gradient_is_that_of_the_expected_result():
    game = load("mnk:3,2,3")
    trainee = Trainee(game, width=3, blocks=1, rate=0.1, decay=0.0, seed=1, threads=1)
    trainee.layers.double().eval()
    rows = [(*each, chance * result) for seen, chance, result in playthroughs(game, trainee) for each in seen if result]
    legal_rows = np.zeros((len(rows), game.policy_size), np.bool_)
    for row, (_, indices, _, _) in zip(legal_rows, rows, strict=True):
        row[indices] = True
    planes = np.stack([row[0] for row in rows]).astype(np.float64)
    weights = np.array([row[3] for row in rows]) * len(rows)  # the mean becomes the sum over all playthroughs
    trainee.policy_gradient(planes, legal_rows, np.array([row[2] for row in rows]), weights)
    checked = 0
    for name in ("stem", "block0b", "heads", "policy"):
        weight, step = trainee.layers[name].weight, 1e-4
        numbers, slopes = weight.detach().numpy(), -weight.grad.numpy()
        for at in np.argsort(np.abs(slopes), axis=None)[-2:]:
            place = np.unravel_index(at, slopes.shape)
            middle, ends = numbers[place], []
            for end in (middle - step, middle + step):
                numbers[place] = end
                ends.append(expected(game, trainee))
            numbers[place] = middle
            assert (ends[1] - ends[0]) / (2 * step) == pytest.approx(slopes[place], rel=1e-3, abs=1e-7)
            checked += abs(slopes[place]) > 1e-4
    assert checked >= 4  # slopes that are not nearly 0


def test_encouraged_actions_become_likelier():
    game = load("tic-tac-toe")
    trainee = Trainee(game, width=4, blocks=1, rate=0.1, decay=0.0, seed=0, threads=1)
    planes, legal_row = np.zeros((2, *game.plane_shape), np.float32), np.ones((2, 9), np.bool_)

    def chances():
        from counterplay.evaluation.residual import Residual, shares

        return shares(Residual(game, trainee.model()).answer(planes)[0][0])

    before = chances()
    trainee.encourage(planes, legal_row, np.array([4, 0]), np.array([1, -1], np.float32), rate=0.01)
    after = chances()
    assert after[4] > before[4]
    assert after[0] < before[0]


def test_the_baseline_of_a_game_is_the_mean_of_the_others():
    results = np.array([1.0, -1.0, -1.0, 0.0])
    others = [(results.sum() - each) / 3 for each in results]
    assert gains(results) == pytest.approx(results - others)
    assert gains(np.array([1.0])) == pytest.approx([1.0])


def test_actions_are_drawn_by_their_chances():
    chances = np.array([0.2, 0.0, 0.5, 0.3])
    found = np.bincount([draw_index(chances, u) for u in (np.arange(1000) + 0.5) / 1000], minlength=4)
    assert found.tolist() == [200, 0, 500, 300]
    assert draw_index(np.array([0.5, 0.4999999]), 0.99999999) == 1


# The run.


def test_a_run_goes_through_all_stages(tmp_path):
    found = train("tic-tac-toe", method="alphago", games=240, set=QUICK, output=tmp_path / "run")
    rows = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert sorted({row["stage"] for row in rows}) == list(range(1, len(STAGES) + 1))
    assert [row["stage"] for row in rows] == sorted(row["stage"] for row in rows)
    experts = [json.loads(line) for line in (tmp_path / "run" / "experts.jsonl").read_text().splitlines()]
    assert len(experts) == 12
    game = load("tic-tac-toe")
    for actions, returns in experts:
        p = game.start()
        for action in actions:
            p.play(action)
        assert p.is_over
        assert list(p.returns) == returns
    for name in ("model", "reinforced", "value"):
        assert find_model(str(tmp_path / "run" / f"{name}.npz"), game).kind == "residual"
    assert find_model(str(tmp_path / "run" / "playouts.npz"), game).kind == "linear"
    assert not found.stopped


def test_a_run_that_was_stopped_at_each_step_ends_as_one_that_was_not(tmp_path, monkeypatch):
    train("tic-tac-toe", method="alphago", games=240, set=QUICK, output=tmp_path / "whole")
    advance = AlphaGo.advance

    def once(self):
        if self.step > self.began:
            self.stop.set()
            return {}
        return advance(self)

    resume = AlphaGo.resume

    def resumed(self, run):
        resume(self, run)
        self.began = self.step

    monkeypatch.setattr(AlphaGo, "advance", once)
    monkeypatch.setattr(AlphaGo, "resume", resumed)
    lines = len((tmp_path / "whole" / "metrics.jsonl").read_text().splitlines())
    for _ in range(lines):
        train("tic-tac-toe", method="alphago", games=240, set=QUICK, output=tmp_path / "parts")
    for name in ("model", "reinforced", "value", "playouts"):
        one, two = (np.load(tmp_path / run / f"{name}.npz") for run in ("whole", "parts"))
        assert set(one.files) == set(two.files)
        for part in one.files:
            if one[part].dtype.kind == "f":
                assert (one[part] == two[part]).all(), (name, part)
    assert (tmp_path / "whole" / "positions.jsonl").read_text() == (tmp_path / "parts" / "positions.jsonl").read_text()


@pytest.mark.parametrize(
    ("game", "options", "sentence"),
    [
        ("tic-tac-toe", {"games": 100}, "alphago needs 200 games or more, not 100"),
        ("tic-tac-toe", {"games": 200, "set": {"expert": "nobody"}}, "no player 'nobody'"),
        ("tic-tac-toe", {"games": 200, "set": {"expert": "turing"}}, "turing plays chess, not tic-tac-toe"),
        ("tic-tac-toe", {"games": 200, "set": {"batch": 1}}, "batch=1 must be from 2 to 100000"),
        ("kuhn-poker", {"games": 200}, "a network with a policy plays open games"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(tmp_path, game, options, sentence):
    with pytest.raises(CounterplayError, match=sentence):
        train(game, method="alphago", output=tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()


def test_a_symmetric_form_is_what_the_mirrored_game_looks_like():
    game = load("go:5")
    moves = [game.parse_action(game.initial(), move) for move in ("C3", "B2", "D2", "B3")]
    s, planes = game.initial(), set()
    for move in moves[:-1]:
        s = game.result(s, move)
    for form in range(game.symmetries):
        mirrored = game.initial()
        for move in moves[:-1]:
            mirrored = game.result(mirrored, game.symmetric_action(move, form))
        seen, expected = (np.zeros(game.plane_shape, np.float32) for _ in range(2))
        index, expected_index = np.array([moves[-1]]), np.array([game.symmetric_action(moves[-1], form)])
        look_turned(game, s, form, seen, index)
        look(game, mirrored, expected, expected_index)
        assert (seen == expected).all()
        assert index == expected_index
        planes.add(seen.tobytes())
    assert len(planes) == 8
    many = [LoggedGame(moves[:-1], [1.0, -1.0])] * 100
    table = values_table(game, game, many, np.random.default_rng(0))
    assert {each.astype(np.float32).tobytes() for each in table.planes} == planes
    assert (table.value == -1.0).all()  # White is to move


# The search.


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A run's folder."""
    folder = tmp_path_factory.mktemp("alphago") / "run"
    train("tic-tac-toe", method="alphago", games=240, set=QUICK, output=folder)
    return folder


def test_values_come_from_the_other_network(trained):
    game = load("tic-tac-toe")
    both = player(f"mcts:net={trained},values={trained}/value.npz,select=puct,simulations=1")
    own, other = (player(f"net:{trained}{name}") for name in ("", "/value.npz"))
    p = game.start()
    priors, values = both.adviser.of(game).policy([p.state], [p.options()])
    assert priors[0] == pytest.approx(own.adviser.of(game).policy([p.state], [p.options()])[0][0])
    assert values == pytest.approx(other.adviser.of(game).policy([p.state], [p.options()])[1])
    assert both.think(p).action in p.options()


def test_a_shortlist_is_all_that_is_searched(trained):
    p = load("tic-tac-toe").start()
    chosen = player(f"mcts:net={trained},select=shortlist,candidates=3,mix=0,simulations=200")
    found = chosen.think(p)
    priors = chosen.adviser.of(p.game).policy([p.state], [p.options()])[0][0]
    liked = {p.options()[k] for k in np.argsort(priors)[-3:]}
    assert {each.action for each in found.options if each.visits} == liked


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("mcts:values=x.npz", "values needs a network"),
        ("mcts:candidates=3", "candidates needs a network"),
        ("mcts:net=x.npz,candidates=3", "candidates belongs to select=shortlist"),
        ("mcts:net=x.npz,select=shortlist,candidates=0", "candidates=0 must be 1 or more"),
    ],
)
def test_options_that_go_with_a_network_say_so(spec, sentence):
    with pytest.raises(CounterplayError, match=sentence):
        player(spec)


def test_a_model_of_another_stage_is_refused(trained, capsys):
    spec = f"mcts:net={trained},values={trained}/playouts.npz,simulations=2"
    assert main(["search", "tic-tac-toe", "--player", spec]) == 2
    assert "linear" in capsys.readouterr().err


@pytest.mark.slow
def test_the_pipeline_on_go_5x5(tmp_path):
    from counterplay.api.match import play_match

    how = {"expert": "mcts:simulations=200,memory=16", "epochs": 16, "width": 16, "blocks": 2}
    train("go:size=5", method="alphago", games=6000, set=how, output=tmp_path / "run")
    run = tmp_path / "run"
    whole = f"mcts:net={run},select=puct,values={run}/value.npz,evaluation={run}/playouts.npz,rollout=odds,mix=0.5"
    found = play_match("go:size=5", f"{whole},simulations=50", "random", games=20)
    assert found.duel.score > 0.9
    found = play_match("go:size=5", f"net:{run}", "random", games=20)
    assert found.duel.score > 0.7
