"""Networks that a search updates action by action: what an action changes is what differs, and the sums kept equal those
recomputed, bit for bit."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterplay import Game, load
from counterplay.core.derived import derive
from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.language.actions import action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.evaluation.accumulator import ONE, AccumulatorNetwork, accumulator_shapes, known_values
from counterplay.evaluation.judged import judged
from counterplay.evaluation.model import Model, find_model
from counterplay.search.engine.accumulators import Accumulators
from counterplay.search.engine.decide import decide
from counterplay.search.engine.techniques import SOUND, Technique, default_for

GAMES = ["chess", "shogi", "minishogi", "othello", "hex:size=4,swap=on"]
CHESS = [
    "r3k2r/pP1p1ppp/8/4pP2/8/8/P1PP1PpP/R3K2R w KQkq e6 0 1",  # castling, promotion with and without capture, en passant
    "r3k2r/pP1p1ppp/8/8/4Pp2/8/P1PP1PpP/R3K2R b KQkq e3 0 1",
    "8/8/3k4/8/8/4K3/8/8 w - - 0 1",  # kings that walk from wing to wing
]


def network(game, width=8, seed=0, link="identity"):
    """A network of random weights."""
    rng = np.random.default_rng(seed)
    shapes = accumulator_shapes(game, width)
    arrays = {
        "first": rng.integers(-60, 90, shapes["first"]).astype(np.int16),
        "second": rng.integers(-127, 128, shapes["second"]).astype(np.int16),
        "bias": rng.integers(-9999, 9999, shapes["bias"]).astype(np.int32),
        "scale": np.array([0.003], np.float32),
    }
    return Model.of(game, "nnue", "sparse", arrays, link)


def features(game, s, player):
    out = []
    game.sparse_features(s, player, out)
    assert len(set(out)) == len(out) <= game.sparse_most
    assert all(0 <= feature < game.sparse_size for feature in out)
    return set(out)


def check_changes(game, s, action):
    """What an action turns on and off is the difference."""
    after = game.result(s, action)
    for player in range(2):
        changes, before = [], features(game, s, player)
        if game.sparse_changes(s, action, player, changes):
            on, off = {c for c in changes if c >= 0}, {~c for c in changes if c < 0}
            still = on & off  # (a rook that castles to where it stood)
            assert off <= before
            assert not (on - still) & before
            assert before - off | on == features(game, after, player)
    return after


@pytest.mark.parametrize("spec", GAMES)
def test_changes_are_the_difference(spec):
    game, rng = load(spec), random.Random(1)
    for _ in range(2):
        s = game.initial()
        for _ in range(100):
            options = []
            if not game.is_terminal(s):
                game.actions(s, options)
            if not options:
                break
            s = check_changes(game, s, rng.choice(options))


@pytest.mark.parametrize("fen", CHESS)
def test_every_kind_of_chess_move(fen):
    game = load("chess")
    s, options = game.parse_position(fen), []
    game.actions(s, options)
    for action in options:
        check_changes(game, s, action)


def walk(game, accumulators, s, plies, rng, out):
    """Go a random way from `s`, now and then with a pass and without a look, and count estimates that differ."""
    differ = 0
    accumulators.begin()
    for ply in range(plies):
        if ply == 0 or rng.below(3) > 0:
            unaided = accumulators.unaided(game, s, 0)
            if accumulators.estimate(game, s, 0, unaided, ply, out) != game.evaluate(s, 0):
                differ += 1
        if game.is_terminal(s):
            break
        if game.has_null and rng.below(5) == 0 and game.allows_null(s):
            accumulators.follow_null(ply)
            s = game.null(s)
        else:
            start = len(out)
            game.actions(s, out.fresh())
            action = out[start + rng.below(len(out) - start)]
            out.truncate(start)
            accumulators.follow(game, s, action, ply, out)
            s = game.result(s, action)
    return differ


compiled_walk = kernel(walk)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["", *CHESS]), st.sampled_from(["identity", "added"]))
def test_sums_kept_are_those_made_anew(seed, fen, link):
    game = load("chess")
    seen = judged(game, network(game, seed=seed, link=link))
    s = game.parse_position(fen) if fen else game.initial()
    assert compiled_walk(seen, Accumulators(seen), s, 200, Rng(seed), action_stack(seen)) == 0


@pytest.mark.parametrize(
    ("spec", "link"),
    [
        ("chess", "identity"),
        ("chess", "added"),
        ("minishogi", "added"),
        ("othello", "identity"),
        ("hex:size=4,swap=on", "identity"),
    ],
)
def test_sums_kept_are_those_made_anew_in_plain_python(spec, link):
    game = load(spec)
    seen = judged(game, network(game, link=link))
    seen.compiled = False
    assert walk(seen, Accumulators(seen), seen.initial(), 40, Rng(3), action_stack(seen)) == 0


def test_a_wrong_change_is_noticed():
    """The test above can fail."""
    game = load("chess")
    seen = judged(game, network(game))
    seen.compiled = False
    kept, out = Accumulators(seen), action_stack(seen)
    kept.begin()
    kept.estimate(seen, seen.initial(), 0, 0.0, 0, out)
    kept.sums[0] = 0
    assert kept.estimate(seen, seen.initial(), 0, 0.0, 0, out) != seen.evaluate(seen.initial(), 0)


class Own(Game):
    """A person's own game: take one to three of the matches; whoever takes the last one wins. It lists features alone."""

    name = "own"
    sparse_size, sparse_most = 16, 16

    def initial(self):
        return (15, 0)

    def to_move(self, s):
        return s[1]

    def actions(self, s, out):
        for n in range(1, min(3, s[0]) + 1):
            out.append(n)

    def result(self, s, action):
        return (s[0] - action, 1 - s[1])

    def is_terminal(self, s):
        return s[0] == 0

    def utility(self, s, player):
        return -1.0 if player == s[1] else 1.0

    def sparse_features(self, s, player, out):
        for n in range(s[0]):
            out.append(n)


class Anew:
    """Estimates without accumulators, and without the cached structure."""

    has_accumulators = False
    evaluate = AccumulatorNetwork.evaluate


class OwnEvaluated(Own):
    """The same with an evaluation of its own, part of which a search keeps."""

    def structure_key(self, s):
        return s[0] % 4

    def structure(self, s):
        return s[0] % 4, 0

    def evaluate(self, s, player):
        return self.evaluate_with(s, player, self.structure(s))

    def evaluate_with(self, s, player, structure):
        return 0.1 * structure[0] if player == s[1] else -0.1 * structure[0]


ALIKE = {
    "hex": (load("hex:5"), "identity"),
    "own": (Own(), "identity"),
    "own, corrected": (OwnEvaluated(), "added"),
}


@pytest.mark.parametrize(("game", "link"), ALIKE.values(), ids=ALIKE)
def test_a_search_sees_the_same_with_accumulators_and_without(game, link):
    from counterplay.core.derived import derive

    seen = judged(game, network(game, link=link))
    kept, anew = (decide(each, seen.initial(), depth=3, table=0.1) for each in (seen, derive(seen, Anew)))
    assert (kept.value, kept.nodes, kept.action) == (anew.value, anew.nodes, anew.action)


def test_a_network_of_another_game_is_refused(tmp_path):
    game = load("hex:5")
    network(game).save(tmp_path / "five.npz")
    with pytest.raises(CounterplayError, match="is a model for hex:size=5, not for hex"):
        find_model(str(tmp_path / "five.npz"), load("hex:6"))
    model = find_model(str(tmp_path / "five.npz"), game)
    assert judged(game, model).evaluate(game.initial(), 0) == judged(game, network(game)).evaluate(game.initial(), 0)


def test_bad_networks_are_refused():
    game = load("hex:5")
    for name, change in (("first", 40), ("second", 2)):
        model = network(game)
        model.arrays[name][:] *= change
        with pytest.raises(CounterplayError, match="too large for its arithmetic"):
            judged(game, model)
    model = network(game)
    model.arrays["second"] = model.arrays["second"][:, :1]
    with pytest.raises(CounterplayError, match="its second should be 1 x 2 x 8, and is 1 x 1 x 8"):
        judged(game, model)
    with pytest.raises(Unsuitable, match="has no sparse features"):
        judged(load("nim"), network(game))


def test_what_a_network_says_is_its_formula():
    game = load("hex:5")
    model, s = network(game), game.start("c3 b2 d4").state
    first, second = (model.arrays[name].astype(float) for name in ("first", "second"))
    total = model.arrays["bias"][0] / (ONE * 64)
    for side, player in enumerate((1, 0)):  # the second player is to move
        sums = (first[sorted(features(game, s, player))].sum(0) + first[-1]) / ONE
        total += (np.clip(sums, 0, 1) ** 2 * second[0, side] / 64).sum()
    assert judged(game, model).evaluate(s, 1) == pytest.approx(np.clip(total * 0.003, -1, 1))


@pytest.mark.parametrize(("spec", "line"), [("chess", "e4 d5 exd5"), ("minishogi", "2e4c 3a3b 4c3b")])
def test_a_correction_is_added(spec, line):
    game = load(spec)
    s = game.start(line).state
    alone, added = (network(game, link=link) for link in ("identity", "added"))
    for model in (alone, added):
        model.arrays["scale"][:] = 1e-5  # far from the bounds
    own, correction, both = (each.evaluate(s, 1) for each in (game, judged(game, alone), judged(game, added)))
    assert own
    assert correction
    assert both == own + correction


def test_a_correction_of_nothing_changes_nothing():
    game = OwnEvaluated()
    model = network(game, link="added")
    for name in ("second", "bias"):
        model.arrays[name][:] = 0
    same, s = judged(game, model), game.initial()
    assert same.evaluate(s, 0) == game.evaluate(s, 0)
    one, other = (decide(each, s, depth=4, table=0.1) for each in (game, same))
    assert (one.value, one.nodes, one.action) == (other.value, other.nodes, other.action)


def test_a_correction_keeps_what_makes_an_evaluation_quick():
    game = load("chess")
    alone, added = (judged(game, network(game, link=link)) for link in ("identity", "added"))
    assert (alone.has_structure, alone.has_sketch) == (False, False)
    assert (added.has_structure, added.has_sketch) == (True, True)


class Careful:
    """Never leaves the network out."""

    learned_most = 0.0


def test_a_network_left_out_of_hopeless_estimates_changes_no_value():
    """The network is left out where even its largest correction would not matter."""
    game = load("chess")
    model = network(game, link="added")
    model.arrays["scale"][:] = 0.000_5  # no correction is larger than the game's swing
    quick = judged(game, model)
    careful = derive(quick, Careful)
    techniques, rng = default_for(game) & (SOUND | Technique.QUIESCENCE) & ~Technique.TABLE, random.Random(3)
    for _ in range(6):
        p = game.start()
        while len(p) < 16 and not p.is_over:
            p.play(rng.choice(p.options()))
        assert abs(quick.evaluate(p.state, 0) - game.evaluate(p.state, 0)) < game.swing
        one, other = (decide(each, p.state, depth=3, techniques=techniques) for each in (quick, careful))
        assert one.value == other.value
    assert (quick.learned_most, careful.learned_most) == (game.swing, 0.0)


def test_the_header_says_that_it_is_a_correction(tmp_path):
    game = load("chess")
    network(game, link="added").save(tmp_path / "chess.npz")
    assert find_model(str(tmp_path / "chess.npz"), game).link == "added"


def test_a_correction_of_another_evaluation_is_refused():
    class Retuned(OwnEvaluated):
        def evaluate_with(self, s, player, structure):
            return 0.9 * super().evaluate_with(s, player, structure)

    game = OwnEvaluated()
    model = network(game, link="added")
    model.about["corrects"] = known_values(game)
    assert any(model.about["corrects"])
    judged(game, model)
    with pytest.raises(CounterplayError, match="the model corrects another evaluation than Retuned has now"):
        judged(Retuned(), model)
    for damaged in ([], [0.0], [float("nan")] * len(model.about["corrects"])):
        model.about["corrects"] = damaged
        with pytest.raises(CounterplayError, match="another evaluation"):
            judged(game, model)


def test_the_shipped_network_corrects_the_evaluation_that_chess_has():
    game = load("chess")
    assert find_model("chess", game).about["corrects"] == known_values(game)


def test_a_correction_needs_something_to_correct():
    game = Own()
    with pytest.raises(Unsuitable, match="own has no `evaluate`, so there is nothing that a network could correct"):
        judged(game, network(game, link="added"))
