"""Learned evaluations: the same value compiled and plain, from weights that are data; files that are refused."""

import io
import json
import zipfile

import numpy as np
import pytest

from counterplay import CounterplayError, load
from counterplay.core.language.features import blank
from counterplay.core.language.kernel import kernel
from counterplay.core.registry import catalogue, registered
from counterplay.evaluation.encoding import FromFeatures, FromPatterns, FromPlanes
from counterplay.evaluation.judged import Linear, LinearPatterns, OutcomeNetwork, encoded, judged, network_shapes
from counterplay.evaluation.model import Model, find_model, read_model
from counterplay.players.specs import player
from counterplay.search.textbook.minimax import negamax
from counterplay.search.tracing.tracer import RecordingTracer


@kernel
def evaluate(game, s, player):
    return game.evaluate(s, player)


def random_model(game, kind, encoding, hidden=5, seed=1, deeper=0):
    base, rng = encoded(game, encoding), np.random.default_rng(seed)
    shapes = {"weights": (game.stages, base.learned_inputs)}
    if kind == "network":
        outcomes = len(game.outcomes or game.utility_bounds)
        shapes = network_shapes(game.stages, base.learned_inputs, hidden, deeper, outcomes)
    arrays = {name: rng.normal(0, 0.2, shape).astype(np.float32) for name, shape in shapes.items()}
    return Model(game.spec, kind, encoding, arrays, "logistic" if seed % 2 else "identity")


@pytest.mark.parametrize(
    "spec, kind, encoding",
    [
        ("othello:size=4", "linear", "patterns"),
        ("tic-tac-toe", "linear", "planes"),
        ("tic-tac-toe", "network", "planes"),
    ],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_compiled_and_plain_values_agree_and_are_opposite(spec, kind, encoding, seed):
    game = load(spec)
    seen = judged(game, random_model(game, kind, encoding, seed=seed, deeper=3 * (seed - 1)))
    p = game.start(seed=3)
    while not p.is_over:
        plain = seen.evaluate(p.state, 0)
        assert evaluate(seen, p.state, 0) == pytest.approx(plain, abs=1e-5)
        assert seen.evaluate(p.state, 1) == pytest.approx(-plain)
        assert abs(plain) <= 1
        p.play(p.options()[seed % len(p.options())])


@pytest.mark.parametrize("deeper", [0, 4])
def test_a_network_says_what_its_layers_add_up_to(deeper):
    game = load("tic-tac-toe")
    model = random_model(game, "network", "planes", deeper=deeper)
    parts = {name: part[0].astype(float) for name, part in model.arrays.items()}
    p = game.start("b2 a1 c3")
    planes = np.zeros(game.plane_shape, np.float32)
    game.planes(p.state, planes)
    units = np.tanh(np.append(planes.ravel(), 1) @ parts["first"])
    if deeper:
        units = np.tanh(parts["deep"] @ np.append(units, 1))
    shares = np.exp(parts["second"] @ np.append(units, 1))
    value = shares @ np.array([-1.0, 1.0]) / shares.sum()
    assert judged(game, model).evaluate(p.state, p.to_move) == pytest.approx(value, abs=0.01)


def test_arrays_that_nobody_asked_for_change_nothing():
    game = load("tic-tac-toe")
    model = random_model(game, "network", "planes")
    model.arrays["encode"] = np.zeros(3, np.float32)
    assert callable(judged(game, model).learned_encode)


def test_another_model_of_the_same_shape_is_another_game_of_the_same_type():
    game = load("tic-tac-toe")
    one, two = (judged(game, random_model(game, "linear", "planes", seed=seed)) for seed in (1, 3))
    assert one != two
    assert one.frozen.key == two.frozen.key
    s = game.initial()
    assert evaluate(one, game.result(s, 4), 0) != evaluate(two, game.result(s, 4), 0)


def test_pattern_entries_are_the_cells_in_base_three():
    game = load("othello:size=4")
    seen = encoded(game, "patterns")
    s = game.start("b1").state
    mine, theirs = (sum(1 << i for i in range(16) if int(board) >> i & 1) for board in game.stones(s))
    group = game.patterns[0]
    digits = [1 if mine >> c & 1 else 2 if theirs >> c & 1 else 0 for c in group]
    assert seen.learned_entry(0, *game.stones(s)) == sum(d * 3**i for i, d in enumerate(digits))


def test_symmetric_states_have_the_same_pattern_value():
    game = load("othello:size=4")
    seen = judged(game, random_model(game, "linear", "patterns"))
    p = game.start(seed=1)
    for _ in range(6):
        p.play(p.options()[0])
        values = {round(seen.evaluate(game.symmetric(p.state, k), 0), 6) for k in range(game.symmetries)}
        assert len(values) == 1


def test_a_search_uses_the_weights():
    game = load("tic-tac-toe")
    weights = np.zeros((1, 19), np.float32)
    weights[0, 9 + 7] = -0.5  # the other side, who has just moved, stands on the 8th cell
    seen = judged(game, Model("tic-tac-toe", "linear", "planes", {"weights": weights}))
    assert negamax(seen, game.initial(), 1).action == 7


def test_a_model_file_round_trips_and_plays_by_name(tmp_path):
    game = load("tic-tac-toe")
    model = random_model(game, "network", "planes")
    model.save(tmp_path / "m.npz")
    again = find_model(str(tmp_path / "m.npz"), game)
    assert again.arrays.keys() == model.arrays.keys()
    for name, part in model.arrays.items():
        assert np.array_equal(part, again.arrays[name])
    found = player(f"alphabeta:depth=2,evaluation={tmp_path / 'm.npz'}").choose(game.start())
    assert found.depth == 2


SEARCHES = ["alphabeta", "minimax", "negamax", "plain-alphabeta", "expectiminimax", "paranoid", "maxn", "bestreply"]


@pytest.mark.parametrize("spec", ["greedy:", *(f"{name}:depth=1," for name in SEARCHES)])
def test_every_search_judges_by_a_model(spec, tmp_path):
    weights = np.zeros((1, 19), np.float32)
    weights[0, 9 + 7] = -0.5  # the other side, who has just moved, stands on the 8th cell
    Model("tic-tac-toe", "linear", "planes", {"weights": weights}).save(tmp_path / "m.npz")
    found = player(f"{spec}evaluation={tmp_path / 'm.npz'}").choose(load("tic-tac-toe").start())
    assert (found.action, found.value) == (7, pytest.approx(0.5))


def test_a_trace_judges_by_a_model(tmp_path):
    weights = np.zeros((1, 19), np.float32)
    weights[0, 9 + 7] = -0.5
    Model("tic-tac-toe", "linear", "planes", {"weights": weights}).save(tmp_path / "m.npz")
    one = player(f"expectiminimax:depth=1,evaluation={tmp_path / 'm.npz'}")
    assert one.trace(load("tic-tac-toe").start(), RecordingTracer()).action == 7


def test_a_file_or_a_run_here_comes_before_a_model_of_the_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    game = load("othello")
    theirs = find_model("othello", game)
    mine = Model("othello", theirs.kind, theirs.encoding, theirs.arrays, theirs.link, {"mine": 1})
    (tmp_path / "othello").mkdir()
    assert find_model("othello", game).about == theirs.about  # an empty folder is no run
    mine.save(tmp_path / "othello" / "model.npz")
    assert find_model("othello", game).about == {"mine": 1}


@pytest.mark.parametrize("spec", ["alphabeta:depth=1", "expectiminimax:depth=1", "mcts:simulations=5,mix=1"])
def test_every_search_refuses_a_foreign_or_missing_model(spec, tmp_path):
    game = load("tic-tac-toe")
    random_model(game, "linear", "planes").save(tmp_path / "m.npz")
    with pytest.raises(CounterplayError, match="is a model for tic-tac-toe, not for connect-four"):
        player(f"{spec},evaluation={tmp_path / 'm.npz'}").require(load("connect-four"))
    with pytest.raises(CounterplayError, match="no model 'nowhere"):
        player(f"{spec},evaluation=nowhere.npz").require(game)


def test_models_of_another_version_are_refused(tmp_path, monkeypatch):
    game = load("tic-tac-toe")
    random_model(game, "linear", "planes").save(tmp_path / "m.npz")
    monkeypatch.setattr(type(game), "version", 2)
    with pytest.raises(CounterplayError, match="is a model for version 1 of tic-tac-toe, and this is version 2"):
        find_model(str(tmp_path / "m.npz"), game)


def test_damaged_files_are_refused_in_one_sentence(tmp_path):
    file = tmp_path / "m.npz"
    game = load("tic-tac-toe")
    random_model(game, "linear", "planes").save(file)
    whole = file.read_bytes()
    for damaged in (b"", b"junk", whole[:100], whole[: len(whole) // 2], whole[:60] + b"\0\0\0\0" + whole[64:]):
        file.write_bytes(damaged)
        with pytest.raises(CounterplayError, match="is not a model, or is damaged"):
            read_model(file)
    random_model(game, "linear", "planes").save(file)
    wrong = Model("tic-tac-toe", "linear", "planes", {"weights": np.zeros((1, 5), np.float32)})
    with pytest.raises(CounterplayError, match="should be 1 x 19, and is 1 x 5"):
        judged(game, wrong)
    bad = Model("tic-tac-toe", "linear", "planes", {"weights": np.full((1, 19), np.nan, np.float32)})
    with pytest.raises(CounterplayError, match="not numbers"):
        judged(game, bad)


def archive(file, head=None, **arrays):
    """A model's file, with parts that are wrong."""
    usual = {"format": "counterplay model 1", "game": "tic-tac-toe", "kind": "linear", "encoding": "planes"}
    text = json.dumps(usual | {"link": "identity"} | (head or {}))
    np.savez(file, head=np.frombuffer(text.encode(), np.uint8), **arrays)


def test_parts_that_are_no_arrays_are_refused_in_one_sentence(tmp_path):
    file, weights = tmp_path / "m.npz", np.zeros((1, 19), np.float32)
    archive(file, weights=weights)
    assert read_model(file).kind == "linear"
    with zipfile.ZipFile(file, "a") as parts:
        parts.writestr("readme.txt", "hello")
    with pytest.raises(CounterplayError, match="is not a model, or is damaged"):
        read_model(file)
    for kind, name in (("linear", "weights"), ("network", "first"), ("residual", "stem_b")):
        archive(file, {"kind": kind}, **{name: np.float32(1)})
        with pytest.raises(CounterplayError, match="is damaged: its parts are inconsistent"):
            read_model(file)
    for wrong in ({"link": "magic"}, {"version": "new"}):
        archive(file, wrong, weights=weights)
        with pytest.raises(CounterplayError, match="is damaged: its parts are inconsistent"):
            read_model(file)


def test_an_array_that_says_it_is_huge_is_refused_in_one_sentence(tmp_path):
    file = tmp_path / "m.npz"
    archive(file)
    content = io.BytesIO()
    np.lib.format.write_array_header_1_0(content, {"descr": "<f4", "fortran_order": False, "shape": (1, 1 << 48)})
    with zipfile.ZipFile(file, "a") as parts:
        parts.writestr("weights.npy", content.getvalue())
    with pytest.raises(CounterplayError, match=r"is refused: its .* bytes would unpack to"):
        read_model(file)


def test_a_file_with_objects_in_it_is_not_run(tmp_path):
    file = tmp_path / "m.npz"
    head = np.frombuffer(json.dumps({"format": "counterplay model 1"}).encode(), np.uint8)
    np.savez(file, head=head, weights=np.array([{"a": 1}], object))
    with pytest.raises(CounterplayError, match="is not a model"):
        read_model(file)


@pytest.mark.parametrize("spec, why", [("kuhn-poker", "secrets"), ("mnk:players=3", "one number"), ("nim", "features")])
def test_games_that_offer_nothing_are_refused(spec, why):
    with pytest.raises(CounterplayError, match=why):
        encoded(load(spec), "features")


def test_backgammon_features_are_in_order_and_each_once():
    game = load("backgammon")
    seen = encoded(game, "features")
    p = game.start(seed=5)
    for _ in range(60):
        out = blank(seen.learned_room)
        seen.learned_encode(p.state, out)
        used = out.index[: out.used[0]].tolist()
        assert len(used) == len(set(used))
        assert max(used) == seen.learned_inputs - 1
        assert np.isfinite(out.value[: out.used[0]]).all()
        if p.is_over:
            break
        p.play(p.options()[0])


def test_a_model_overwrites_nothing_of_any_game():
    parts = (Linear, LinearPatterns, OutcomeNetwork, FromFeatures, FromPlanes, FromPatterns)
    names = {name for part in parts for name in vars(part) if not name.startswith("__")} - {"evaluate"}
    assert "learned_worth" in names
    for game in catalogue():
        assert not names & set(dir(registered(game))), game


def test_backgammon_with_a_network_keeps_its_rules():
    game = load("backgammon")
    seen = judged(game, random_model(game, "network", "features"))
    p = game.start(seed=2)
    while not p.is_over:
        assert seen.is_terminal(p.state) == game.is_terminal(p.state)
        if p.to_move < 0:
            p.roll()
        else:
            assert -3 < seen.evaluate(p.state, 0) < 3
            p.play(p.options()[0])
    assert seen.utility(p.state, 0) == game.utility(p.state, 0) == -seen.utility(p.state, 1)


def test_an_odd_number_of_plies_has_a_weight():
    game = load("othello:size=4")
    inputs = encoded(game, "patterns").learned_inputs
    weights = np.zeros((game.stages, inputs), np.float32)
    weights[:, -2] = 0.25
    seen = judged(game, Model(game.spec, "linear", "patterns", {"weights": weights}))
    assert [seen.evaluate(game.start(moves).state, 0) for moves in ("", "b1")] == [0.0, -0.25]
