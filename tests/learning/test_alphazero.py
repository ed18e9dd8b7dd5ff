"""AlphaZero: search that improves a policy, networks that answer as they were trained, runs that resume."""

import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from typing import NamedTuple

import numpy as np
import pytest

from counterplay import CHANCE, CounterplayError, Game, load, state
from counterplay.core.language.actions import action_stack
from counterplay.core.language.rng import Rng
from counterplay.core.playout import most_events
from counterplay.core.repetition import repetition_word
from counterplay.core.rules import legal
from counterplay.evaluation.residual import Residual
from counterplay.learning import alphazero
from counterplay.learning.alphazero import AlphaZero, Settings
from counterplay.learning.gating import BatchSearcher, GatingGame
from counterplay.learning.methods import training_for
from counterplay.learning.network import Trainee
from counterplay.learning.noise import draw_gamma
from counterplay.learning.runs import Run
from counterplay.learning.self_play import SelfPlay, advance, begin
from counterplay.players.specs import player

TINY = Settings(
    simulations=8, slots=8, width=4, blocks=1, positions=60, window=150, batch=16, opening=2, gate=4, gate_every=2
)


def tiny(seed=0, **changes):
    return AlphaZero(load("tic-tac-toe"), replace(TINY, seed=seed, **changes), games=10_000)


@pytest.mark.parametrize("shape", [0.3, 1.0, 4.0])
def test_gamma_draws_have_their_mean_and_variance(shape):
    from counterplay.core.language.rng import Rng

    rng = Rng(3)
    drawn = np.array([draw_gamma(shape, rng) for _ in range(4000)])
    assert drawn.mean() == pytest.approx(shape, rel=0.1)
    assert drawn.var() == pytest.approx(shape, rel=0.2)


def test_onnx_answers_as_pytorch_does():
    game = load("tic-tac-toe")
    trainee = Trainee(game, 4, 2, 0.01, 0.0, seed=1, threads=1)
    rng = np.random.default_rng(0)
    planes = rng.integers(0, 2, (16, *game.plane_shape)).astype(np.float32)
    policy = np.full((16, 9), 1 / 9, np.float32)
    for _ in range(3):  # so that the normalisation differs from its initial state
        trainee.step(planes, policy, np.zeros(16, np.float32), 0.01)
    trainee.layers.eval()
    with trainee.torch.no_grad():
        logits, values = trainee.answer(trainee.torch.from_numpy(planes))
    found = Residual(game, trainee.model()).answer(planes)
    assert np.allclose(found[0], logits.numpy(), atol=1e-4)
    assert np.allclose(found[1], values.numpy(), atol=1e-4)


def test_one_compilation_is_for_any_number_of_games():
    """A lane of another size, or a longer generation, starts without compiling again."""
    game = load("tic-tac-toe")
    small, large = SelfPlay(game, 2, 8, room=9), SelfPlay(game, 8, 16, room=572)
    assert small.layout.key == large.layout.key


@pytest.mark.slow
def test_the_first_generations_are_the_same_for_the_same_seed_and_others_for_another():
    one, two, other = tiny(5), tiny(5), tiny(6)
    for each in (one, two, other):
        assert "loss" not in each.advance()  # one learns from earlier generations while the other plays
        assert "loss" in each.advance()
    for name, part in one.trainee.arrays().items():
        assert np.array_equal(part, two.trainee.arrays()[name]), name
    assert not np.array_equal(one.trainee.arrays()["policy_w"], other.trainee.arrays()["policy_w"])


@pytest.mark.parametrize("search", ["gumbel", pytest.param("puct", marks=pytest.mark.slow)])
def test_what_is_written_down_is_a_policy_over_legal_actions_and_a_result(search):
    training = tiny(search=search)
    training.advance()
    planes, policy, thought, result = training.replay.parts[0]
    assert len(result) >= 60
    assert np.allclose(policy.sum(1), 1, atol=1e-4)
    taken = planes.astype(float).reshape(-1, 2, 9).sum(1)
    assert (policy[taken > 0] == 0).all()
    assert set(np.unique(result)) <= {-1.0, 0.0, 1.0}
    assert (np.abs(thought) <= 1.0001).all()


def test_what_is_drawn_are_the_latest_positions():
    replay = alphazero.Replay(window=10)
    for first in (0, 4, 9):
        numbers = np.arange(first, first + 5, dtype=np.float32)
        replay.add((numbers[:, None], numbers[:, None] + 100, numbers, -numbers))
    assert replay.latest(total=13) == 6  # half of all positions so far
    x, policy, thought, result = replay.draw(np.random.default_rng(0), 6, 400)
    assert set(thought.tolist()) == {8.0, 9.0, 10.0, 11.0, 12.0, 13.0}
    assert np.array_equal(x[:, 0], thought)
    assert np.array_equal(policy[:, 0], thought + 100)
    assert np.array_equal(result, -thought)


def test_only_a_network_that_does_not_lose_is_given_out(monkeypatch):
    scores, met = [1.0, 0.75, 0.25, 0.5, 0.25], []

    def play_match(game, one, two, **options):
        met.append((one, two))
        return scores[len(met) - 1]

    monkeypatch.setattr(alphazero, "play_match", play_match)
    training = tiny()
    assert "score" not in training.advance()
    untrained = training.given
    assert training.model().arrays is training.plays.arrays  # before the first match
    assert training.advance()["passed"]
    second = training.plays
    assert met == [(second, untrained)] * 2  # one match to be published, one to be rated
    assert training.rating == pytest.approx(190.85, abs=0.01)
    for _ in range(2):
        row = training.advance()
    assert (row["score"], row["passed"]) == (0.25, False)
    assert training.model().arrays is second.arrays
    assert training.plays is not second  # the newest one plays anyway
    for _ in range(2):
        row = training.advance()
    assert row["rating"] == pytest.approx(0, abs=0.1)  # it was as good in the first match, and worse in the second
    assert training.given is training.plays


@state
class Bet(NamedTuple):
    die: int
    turn: int
    right: int


class HighOrLow(Game):
    """A die is rolled, and the player to move says whether it is high; then another is rolled for the other side."""

    plane_shape, policy_size, utility_bounds = (1, 1, 6), 2, (-1.0, 1.0)

    def initial(self):
        return Bet(0, 0, 0)

    def to_move(self, s):
        return CHANCE if s.die == 0 else s.turn

    def actions(self, s, out):
        out.append(0)
        out.append(1)

    def chance(self, s, out):
        for event in range(1, 7):
            out.append(event)

    def probability(self, s, event):
        return 1 / 6

    def result(self, s, action):
        if s.die == 0:
            return Bet(action, s.turn, s.right)
        sign = 1 if s.turn == 0 else -1
        return Bet(0, s.turn + 1, s.right + sign * int((action == 1) == (s.die > 3)))

    def is_terminal(self, s):
        return s.turn == 2

    def utility(self, s, player):
        return float(s.right if player == 0 else -s.right)

    def planes(self, s, out):
        out[0, 0, s.die - 1] = 1


@pytest.mark.slow
def test_chance_may_move_first_and_is_never_taken_for_a_player():
    game = HighOrLow()
    assert most_events(game) == 6
    changes = {"opening": 2, "simulations": 16, "gate": 0, "slots": 16, "positions": 400, "window": 2000, "rate": 0.01}
    training = AlphaZero(game, replace(TINY, **changes), games=10_000)
    for _ in range(5):
        training.advance()
    planes, policy, _, _ = (np.concatenate(parts) for parts in zip(*training.replay.parts, strict=True))
    assert (planes.sum(1) == 1).all()  # a die has fallen wherever somebody chose
    right = (planes.astype(float).argmax(1) > 2).astype(int)
    assert policy[np.arange(len(policy)), right].mean() > 0.8


def test_openings_are_random_up_to_a_limit_and_mostly_short():
    game = load("connect-four")
    games = SelfPlay(game, 2000, 2, longest=64, opening=12)
    begin(game, games, Rng(1), action_stack(game))
    share = np.bincount(games.length, minlength=13) / 2000
    assert len(share) == 13
    assert np.allclose(share, (25 - 2 * np.arange(13)) / 169, atol=0.05)  # the smaller of two numbers from 0 to 12


@pytest.mark.slow
def test_games_that_end_early_have_short_openings():
    for seed in range(20):
        assert GatingGame(load("hex:size=2"), seed, 8).options()
    row = tiny(opening=1000, gate=2, gate_every=1).advance()
    assert row["games"] > 0


def test_boards_know_what_has_been_before():
    game, met = load("go:2,komi=0.5"), 0
    for seed in range(10):
        board, before = GatingGame(game, seed, 0), []
        while options := board.options():
            assert options == legal(game, board.state, before)
            met += len(options) < len(legal(game, board.state))  # superko forbids something
            before.append(repetition_word(game, board.state))
            board.play(options[board.rng.below(len(options))])
    assert met


class Endless(HighOrLow):
    """No guess is ever right."""

    def to_move(self, s):
        return s.turn

    def result(self, s, action):
        return Bet(1, 1 - s.turn, 0)


@pytest.mark.slow
def test_a_game_that_takes_too_long_counts_as_even():
    training = AlphaZero(Endless(), replace(TINY, gate=0, slots=2, simulations=2, positions=200), games=4)
    training.advance()
    _, _, _, result = training.replay.parts[0]
    assert len(result) >= 500
    assert not result.any()


@state
class Pull(NamedTuple):
    arm: int


class Bandit(Game):
    """One action, and its payoff."""

    plane_shape, policy_size = (1, 1, 1), 7

    def __init__(self, seed: int = 0):
        self.pays = np.random.default_rng(seed).uniform(-1, 1, 7)

    def initial(self):
        return Pull(-1)

    def to_move(self, s):
        return 0

    def actions(self, s, out):
        for arm in range(7):
            out.append(arm)

    def result(self, s, action):
        return Pull(action)

    def is_terminal(self, s):
        return s.arm >= 0

    def utility(self, s, player):
        return self.pays[s.arm] if player == 0 else -self.pays[s.arm]

    def planes(self, s, out):
        out[0, 0, 0] = 1


@pytest.mark.slow
@pytest.mark.parametrize("simulations", [2, 4, 16])
def test_what_is_played_is_better_than_the_policy_on_random_bandits(simulations):
    for seed in range(6):
        game, rng = Bandit(seed), np.random.default_rng(100 + seed)
        games = SelfPlay(game, 64, simulations, room=4096)
        logits = np.tile(rng.normal(0, 2, 7).astype(np.float32), (64, 1))
        values, planes = rng.uniform(-1, 1, 1).repeat(64).astype(np.float32), np.zeros((64, 1, 1, 1), np.float32)
        draw, out = Rng(seed), action_stack(game)
        begin(game, games, draw, out)
        while games.games < 2000:
            advance(game, games, logits, values, planes, draw, out)
        _, policy, _, result = games.drain()
        prior = np.exp(logits[0]) / np.exp(logits[0]).sum()
        before, error = (prior * game.pays).sum(), result.std() / np.sqrt(len(result))
        assert result.mean() >= before - 3 * error
        assert (policy.mean(0) * game.pays).sum() >= before  # and so is what is learned


def test_a_run_goes_on_and_keeps_within_its_window(tmp_path):
    run = Run(tmp_path / "run")
    training = tiny()
    run.begin(training.config)
    for _ in range(5):
        training.save(run, training.advance())
    run.close()
    assert len(list((tmp_path / "run" / "replay").glob("*.npz"))) == len(training.replay.parts) <= 4
    again = tiny()
    run.begin(again.config)
    again.resume(run)
    assert (again.step, again.played, again.positions) == (training.step, training.played, training.positions)
    for name, part in training.trainee.memory().items():
        assert np.array_equal(part, again.trainee.memory()[name]), name
    again.save(run, again.advance())
    assert [row["step"] for row in run.metrics()] == [1, 2, 3, 4, 5, 6]
    run.close()
    chunk = sorted((tmp_path / "run" / "replay").glob("*.npz"))[-1]
    chunk.write_bytes(chunk.read_bytes()[:100])
    with pytest.raises(CounterplayError, match="is damaged: these positions"):
        tiny().resume(run)


@pytest.mark.parametrize("exact", [0, pytest.param(50, marks=pytest.mark.trust)])
def test_a_run_that_was_left_comes_to_the_same_weights(tmp_path, exact):
    whole = tiny(7, exact=exact)
    for _ in range(4):
        whole.advance()
    folder = Run(tmp_path / "run")
    for generations in (1, 2, 1):  # each in what would be a process of its own
        part = tiny(7, exact=exact)
        folder.begin(part.config)
        part.resume(folder)
        part.prepare()
        for _ in range(generations):
            part.save(folder, part.advance())
        folder.close()
    assert (part.step, part.played, part.positions) == (4, whole.played, whole.positions)
    for name, array in whole.trainee.memory().items():
        assert np.array_equal(array, part.trainee.memory()[name]), name
    head, saved = folder.checkpoint()
    saved["game_history"][:, 0] = 99
    again = tiny(7, exact=exact)
    again.restore(folder, head, saved)
    with pytest.raises(CounterplayError, match="is damaged: its games in progress"):
        again.advance()
    saved["game_length"][:] = 600
    with pytest.raises(ValueError, match="impossible length"):
        tiny(7).restore(folder, head, saved)


def test_a_run_begins_from_another_one(tmp_path):
    first, run = tiny(), Run(tmp_path / "first")
    run.begin(first.config)
    for _ in range(3):
        first.save(run, first.advance())
    run.close()
    second, into = tiny(start=str(run.folder), opening=0), Run(tmp_path / "second")
    into.begin(second.config)
    second.resume(into)
    second.prepare()
    assert (second.step, second.played, second.spent) == (3, 0, 0.0)
    for name, part in first.trainee.memory().items():
        assert np.array_equal(part, second.trainee.memory()[name]), name
    second.save(into, second.advance())
    into.close()
    run.folder.rename(tmp_path / "gone")
    third = tiny(start=str(run.folder), opening=0)
    third.resume(into)
    third.prepare()
    assert third.step == 4
    assert all(np.array_equal(a, b) for one, two in zip(third.replay.parts, second.replay.parts, strict=True)
               for a, b in zip(one, two, strict=True))  # fmt: skip
    with pytest.raises(CounterplayError, match="holds no run"):
        tiny(start=str(run.folder)).prepare()
    with pytest.raises(CounterplayError, match="that run has width=4, and here it is 8"):
        tiny(start=str(into.folder), width=8).prepare()


@pytest.mark.slow
def test_a_training_that_is_killed_twice_loses_only_the_unfinished_generation(tmp_path):
    folder, fields = tmp_path / "run", asdict(TINY)
    begin = [
        "--method",
        "alphazero",
        "--games",
        "10000",
        *(w for k, v in fields.items() for w in ("--set", f"{k}={v}")),
    ]
    reached = 0
    for words in (begin, ["--resume"]):
        command = [sys.executable, "-m", "counterplay", "train", "tic-tac-toe", *words, "-o", str(folder)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + 300
        while len(Run(folder).metrics()) < reached + 3 and process.poll() is None and time.monotonic() < until:
            time.sleep(0.003)  # the next look comes in the midst of something
        process.kill()
        assert process.wait() == -signal.SIGKILL, process.stderr.read()
        process.stderr.close()
        again, run = tiny(), Run(folder)
        run.begin(again.config)
        again.resume(run)
        assert again.step >= reached + 2  # the last line may be that of a step whose checkpoint was not written
        assert len(again.replay.parts) > 1
        reached = again.step
        run.close()
    row = again.advance()
    assert row["step"] == reached + 1


@pytest.mark.slow
def test_a_network_plays_by_its_file_and_is_refused_elsewhere(tmp_path):
    training = tiny()
    training.advance()
    file = tmp_path / "net.npz"
    training.model().save(file)
    p = load("tic-tac-toe").start("b2")
    for spec in (f"net:{file}", f"mcts:net={file},simulations=20"):
        assert player(spec).choose(p).action in p.options()
    seeds = [player(f"mcts:net={file},simulations=60,mix=0.1,seed={seed}").choose(p).options for seed in (1, 1, 2)]
    assert seeds[0] == seeds[1] != seeds[2]
    eager, calm = (player(f"mcts:net={file},simulations=60,select=puct,c={c}").choose(p) for c in (50, 0.1))
    assert max(o.visits for o in eager.options) < max(o.visits for o in calm.options)
    heard = []
    player(f"mcts:net={file},time=1,solver=off").choose(p, heard.append)
    assert heard
    for wrong in (f"mcts:net={file},rave=10", f"mcts:net={file},threads=2", f"mcts:net={file},c=2", "mcts:net="):
        with pytest.raises(CounterplayError, match="net"):
            player(wrong)
    with pytest.raises(CounterplayError, match="leave `net` out"):
        player(f"mcts:net={file},simulations=20").record(p, 100, game="tic-tac-toe")
    with pytest.raises(CounterplayError, match="is a model for tic-tac-toe, not for connect-four"):
        player(f"net:{file}").require(load("connect-four"))
    with pytest.raises(CounterplayError, match="network with a policy"):
        player(f"alphabeta:evaluation={file}").require(load("tic-tac-toe"))


@pytest.mark.parametrize(
    "spec, options, why",
    [
        ("kuhn-poker", {}, "open games of two opponents"),
        ("tree", {}, "policy_size"),
        ("tic-tac-toe", {"search": "magic"}, "must be gumbel or puct"),
        ("tic-tac-toe", {"simulations": "1"}, "simulations=1 must be from 2"),
        ("tic-tac-toe", {"seed": "-1"}, "seed=-1 must be from 0"),
    ],
)
def test_wrong_wishes_are_one_sentence(spec, options, why):
    with pytest.raises(CounterplayError, match=why):
        training_for(load(spec), method="alphazero", games=10, options=options)


@pytest.mark.slow
def test_tic_tac_toe_is_never_lost_after_a_minute():
    game = load("tic-tac-toe")
    settings = Settings(simulations=16, slots=64, positions=2000, width=16, blocks=2, opening=4, gate=20, gate_every=5)
    training = AlphaZero(
        game, settings, games=20_000
    )  # less than a minute of one core; by games, it is always the same
    training.run(None)
    thinker = BatchSearcher(Residual(game, training.model()), 16)
    for seat in (0, 1):
        open_lines = [[]]
        while open_lines:  # every game that an opponent can play
            mine = [line for line in open_lines if len(line) % 2 == seat]
            after = [[*line, a] for line, a in zip(mine, thinker.choose(mine), strict=True)] if mine else []
            for line in open_lines:
                if len(line) % 2 != seat:
                    s = state_after(game, line)
                    after += [[*line, a] for a in legal(game, s)]
            open_lines = []
            for line in after:
                s = state_after(game, line)
                if game.is_terminal(s):
                    assert game.utility(s, seat) >= 0, line
                else:
                    open_lines.append(line)


def state_after(game, line):
    s = game.initial()
    for action in line:
        s = game.result(s, action)
    return s
