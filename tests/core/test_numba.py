"""What we change in Numba: it is ours alone, it is safe for threads, and where an internal is missing games still play."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from core import toys

from counterplay.core.errors import BrokenGame
from counterplay.core.language.kernel import kernel
from counterplay.core.language.marks import abreast
from counterplay.core.language.wide import u64
from counterplay.core.language.workspace import Workspace
from counterplay.core.perft import perft
from counterplay.games.mnk import TicTacToe
from counterplay.players.specs import player


class Steps(toys.Subtraction):
    """Shifts a board in eight ways, one by one."""

    def __init__(self):
        super().__init__(19)
        self.left_steps = np.array([1, 7, 8, 9, 10, 11, 12, 13], np.int64)

    def spread(self, board):
        found = u64(0)
        for way in range(8):
            found |= board << int(self.left_steps[way])
        return found


class StepsAbreast(Steps):
    """The same, all eight at once."""

    @abreast
    def spread(self, board):
        found = u64(0)
        for way in range(8):
            found |= board << int(self.left_steps[way])
        return found


@kernel
def _spread(game, board):
    return game.spread(board)


def test_two_threads_compile_with_and_without_a_mark(monkeypatch, tmp_path):
    from numba.core import config
    from numba.core.codegen import JITCodeLibrary, JITCPUCodegen

    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path))
    optimize, build = JITCodeLibrary._optimize_final_module, JITCPUCodegen._pass_builder
    settings, vectors = [], {}

    def watch(library):
        settings.append(config.SLP_VECTORIZE)
        optimize(library)

    def watch_builder(codegen, **options):
        vectors.setdefault(threading.current_thread().name, []).append(options.get("slp_vectorize"))
        return build(codegen, **options)

    monkeypatch.setattr(JITCodeLibrary, "_optimize_final_module", watch)
    monkeypatch.setattr(JITCPUCodegen, "_pass_builder", watch_builder)
    start, found = threading.Barrier(2), {}

    def work(game):
        start.wait()
        found[type(game)] = _spread(game, u64(5))

    threads = [
        threading.Thread(target=work, args=[game], name=type(game).__name__) for game in (Steps(), StepsAbreast())
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {Steps: Steps().spread(u64(5)), StepsAbreast: Steps().spread(u64(5))}
    assert True in vectors["StepsAbreast"]
    assert True not in vectors["Steps"]
    assert set(settings) == {config.SLP_VECTORIZE}  # what all of Numba shares stays as it is


class Value(toys.Subtraction):
    """Its `evaluate` forgets a value."""

    def evaluate(self, s, player):
        if s.left > 2:
            return 0.5
        return None


class GeneratedValue(toys.Subtraction):
    """So does this one, which is compiled from another source."""

    def evaluate(self, s, player):
        if any(s.left == k for k in range(3)):
            return 0.5
        return None


@kernel
def _evaluate(game, s):
    return game.evaluate(s, 0)


@pytest.mark.parametrize("game", [Value(), GeneratedValue()], ids=repr)
def test_a_rule_of_any_aspect_returns_a_value(game):
    with pytest.raises(BrokenGame, match="`evaluate` ends without a value here"):
        _evaluate(game, game.initial())


def evaluate(game, s):
    if s.left == 100:
        return 1
    return None


class Helper:
    @staticmethod
    def sample(game, s):
        if s.left == 100:
            return 1
        return None


sample = Helper.sample


@kernel
def _of_others(game, s):
    return evaluate(game, s) is None and sample(game, s) is None


def test_a_function_of_a_rules_name_is_no_rule():
    game = toys.Subtraction(19)
    assert _of_others(game, game.initial())
    assert perft(game, game.initial(), 2) == 9


PLAYS = """
import json, sys
{before}
sys.path.insert(0, {tests!r})
from core import toys
from counterplay.core.language.kernel import kernel
from counterplay.core.language.marks import inlined
from counterplay.core.perft import perft
from counterplay.core.playout import playouts

@kernel
def is_even(game, n):
    return n == 0 or is_odd(game, n - 1)

@inlined
def is_odd(game, n):
    return n != 0 and is_even(game, n - 1)

game = toys.Helped(12)
played = playouts(game, game.initial(), 20, seed=5)
values = [perft(game, game.initial(), depth) for depth in range(5)] + [played.plies, is_even(game, 9)]
ours = []
if game.compiles:
    from counterplay.core.native.methods import InnerPipeline, Pipeline
    ours = sorted(each.__name__ for cls in (Pipeline, InnerPipeline) for each in cls.ours.values())
print(json.dumps([values, game.compiles, ours]))
"""


def plays(tmp_path, before="", jit="0"):
    """What a game gives in a fresh process in which something was taken from Numba before; and what was said."""
    source = PLAYS.format(before=before, tests=str(Path(__file__).parent.parent))
    environment = {**os.environ, "COUNTERPLAY_CACHE": str(tmp_path), "NUMBA_DISABLE_JIT": jit}
    done = subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    notes = [line for line in done.stderr.splitlines() if not line.startswith("compiling ")]
    return *json.loads(done.stdout), notes


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    values, compiles, _, notes = plays(tmp_path_factory.mktemp("plain"), jit="1")
    assert (compiles, notes) == (False, [])
    return values


LOSSES = {
    "nothing": ("", ["InnerLowering", "KernelLowering", "QuickTypeInference", "QuickTypeInference"]),
    "inference": (
        "import numba.core.compiler, numba.core.typed_passes as p; del p.NopythonTypeInference",
        ["InnerLowering", "KernelLowering"],
    ),
    "lowering": (
        "import numba.core.compiler, numba.core.environment as e; del e.lookup_environment",
        ["QuickTypeInference", "QuickTypeInference"],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("lost", LOSSES)
def test_a_missing_internal_leaves_the_pass_to_numba(lost, right, tmp_path):
    before, kept = LOSSES[lost]
    assert plays(tmp_path, before) == (right, True, kept, [])


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ("sys.modules['numba'] = None", "No module named 'numba"),
        ("import numba.core.extending as e; del e.register_model", "cannot import name 'register_model'"),
    ],
    ids=["no Numba", "another Numba"],
)
def test_without_a_numba_that_works_games_run_plain(before, why, right, tmp_path):
    values, compiles, _, notes = plays(tmp_path, before)
    assert (values, compiles) == (right, False)
    (note,) = notes
    assert note.startswith(f"Numba cannot be used here ({why}")
    assert "games run as plain Python" in note


class Rounds(toys.Subtraction):
    """Subtraction that ends after `rounds` plies; what that is worth is `prize`."""

    runtime_parameters = ("rounds", "prize", "most")

    def __init__(self, stones: int = 12, most: int = 3, rounds: int = 4, prize: float = 0.5) -> None:
        super().__init__(stones, most)
        self.rounds, self.prize = rounds, prize

    def is_terminal(self, s):
        return s.left == 0 or s.ply >= self.rounds

    def utility(self, s, player):
        return self.prize if player == s.ply % 2 else -self.prize


class PlainRounds(Rounds):
    compiled = False


@kernel
def _utility(game, s):
    return game.utility(s, 0)


def test_games_that_differ_in_run_time_parameters_share_code():
    games = [Rounds(12, 3, 4), Rounds(12, 2, 6, 0.25), Rounds(12, 4, 3, 0.75)]
    assert len({game.frozen.key for game in games}) == 1
    assert Rounds(13).frozen.key != games[0].frozen.key
    counted = []
    for game in games:
        bare = PlainRounds(**game.parameters)
        assert game.compiles
        assert not bare.compiles
        for depth in range(8):
            assert perft(game, game.initial(), depth) == perft(bare, bare.initial(), depth)
        assert _utility(game, game.initial()) == game.prize
        counted.append(perft(game, game.initial(), 3))
    assert len(set(counted)) == 3
    signatures = [sig for sig in _utility.dispatcher.signatures if games[0].frozen.key in str(sig[0])]
    assert len(signatures) == 1


@pytest.mark.parametrize(
    ("named", "given", "said"),
    [
        ("rounds", True, "sets it to True"),
        ("rounds", 2**63, "sets it to 9223372036854775808"),
        ("rounds", "4", "sets it to '4'"),
        ("turns", 4, "does not set it"),
    ],
)
def test_a_run_time_parameter_is_a_number(named, given, said):
    cls = type("Odd", (Rounds,), {"runtime_parameters": (named,)})
    with pytest.raises(BrokenGame, match=f"runtime_parameters names '{named}', .* but __init__ {said}"):
        assert cls(rounds=given).frozen


class PlainTicTacToe(TicTacToe):
    compiled = False


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("alphabeta:depth=2", "alphabeta:nodes=90,table=16,null_move=off,killers=off,beam=3"),
        ("minimax:depth=1", "minimax:depth=2"),
        ("mcts:simulations=20", "mcts:simulations=30,c=1.2,rollout=eps"),
        ("flat:playouts=5", "flat:playouts=7"),
    ],
)
def test_players_that_differ_in_options_share_code(one, other, monkeypatch):
    made, new = [], Workspace.__new__

    def note(cls, *args, **options):
        made.append(new(cls))
        return made[-1]

    monkeypatch.setattr(Workspace, "__new__", note)

    def types_of(spec):
        made.clear()
        with player(spec) as chosen:
            chosen.choose(PlainTicTacToe().start())
        return {workspace.layout.key for workspace in made if workspace.layout.arrays or workspace._fields}

    assert types_of(one) == types_of(other) != set()


@kernel
def _broken_at_run_time(game, n):
    if n > 0:
        raise ValueError
    return n


def test_an_error_in_one_thread_leaves_what_another_compiles(monkeypatch, tmp_path):
    from counterplay.core.native import cache

    monkeypatch.setenv("COUNTERPLAY_CACHE", str(tmp_path))
    game = toys.Subtraction(23)
    assert _broken_at_run_time(game, 0) == 0
    load, errors = cache.KernelCache.load_overload, []

    def fail():
        try:
            _broken_at_run_time(game, 1)
        except ValueError as wrong:
            errors.append(wrong)

    def load_while_another_fails(self, sig, context):
        found = load(self, sig, context)
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        return found

    monkeypatch.setattr(cache.KernelCache, "load_overload", load_while_another_fails)
    other = toys.Subtraction(24)
    assert _spread_nothing(other, 5) == 5
    assert len(errors) == 1
    assert list(tmp_path.glob("spread_nothing-*"))


@kernel
def _spread_nothing(game, n):
    return n
