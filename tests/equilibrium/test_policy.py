"""Policies and their files: what is written is read back, for the same game only, and anything else is refused."""

from __future__ import annotations

import json
import pickle
import re

import numpy as np
import pytest

from counterplay import CounterplayError, Game, load
from counterplay.core.game import CHANCE
from counterplay.core.language.state import words
from counterplay.core.playthrough import Playthrough
from counterplay.core.rules import legal
from counterplay.equilibrium import knowledge
from counterplay.equilibrium.identity import identity
from counterplay.equilibrium.information_tree import information_tree
from counterplay.equilibrium.knowledge import all_knowledge
from counterplay.equilibrium.methods import matrix_policy, require_method, usual_method
from counterplay.equilibrium.plans import evaluate_policy, uniform
from counterplay.equilibrium.policy import Policy, load_policy
from counterplay.equilibrium.sequence_form import require_zero_sum, solve_sequence_form
from counterplay.games.kuhn_poker import KuhnPoker
from counterplay.players.specs import player

KUHN = load("kuhn-poker")
TREE = information_tree(KUHN)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "kuhn.policy"
    Policy.on_tree(KUHN, TREE, solve_sequence_form(TREE), method="lp").save(path)
    return path


def test_a_file_holds_the_policy(file):
    again = load_policy(KUHN, file)
    strategy, missing = again.strategy(TREE)
    assert missing == 0
    assert evaluate_policy(TREE, strategy).exploitability < 1e-12
    assert again.about == {"method": "lp"}
    s = KUHN.parse_position("KJ")
    assert sum(again.at(s).values()) == pytest.approx(1)
    assert set(again.at(s)) == {0, 1}


def test_only_the_game_itself_may_read_it(file):
    with pytest.raises(CounterplayError, match="for another game: it was made for kuhn-poker"):
        load_policy(load("leduc-poker"), file)

    class Generous(KuhnPoker):
        compiled = False

        def utility(self, s, player):
            return super().utility(s, player) + (1 if player == 0 else -1)

    with pytest.raises(CounterplayError, match="whose rules differ"):
        load_policy(Generous(), file)


def test_identity_is_what_the_rules_do():
    class Renamed(KuhnPoker):
        compiled = False

    assert identity(Renamed()) == identity(KUHN)
    specs = ["kuhn-poker", "kuhn-poker:players=3", "leduc-poker", "leduc-poker:raises=1", "chicken", "stag-hunt"]
    assert len({identity(load(spec)) for spec in specs}) == len(specs)


def test_a_file_that_is_not_a_policy_is_refused(file, tmp_path):
    with pytest.raises(CounterplayError, match="no such file"):
        load_policy(KUHN, tmp_path / "nothing")
    for content in (b"", b"text", file.read_bytes()[:200], pickle.dumps({"head": 1}), json.dumps({}).encode()):
        bad = tmp_path / "bad"
        bad.write_bytes(content)
        with pytest.raises(CounterplayError, match="is not a policy"):
            load_policy(KUHN, bad)


@pytest.mark.parametrize(
    "change",
    [
        {"probabilities": lambda x: x * 2},
        {"probabilities": lambda x: -x},
        {"probabilities": lambda x: x[:-1]},
        {"probabilities": lambda x: x * np.nan},
        {"start": lambda x: x + 1},
        {"start": lambda x: x[:0]},
        {"keys": lambda x: x.ravel()},
        {"actions": lambda x: x.astype(np.float64)},
        {"owner": lambda x: x[:3]},
    ],
)
def test_damaged_files_are_refused(file, tmp_path, change):
    with np.load(file) as archive:
        arrays = {name: archive[name] for name in archive.files}
    arrays |= {name: how(arrays[name]) for name, how in change.items()}
    bad = tmp_path / "bad.npz"
    np.savez(bad, **arrays)
    with pytest.raises(CounterplayError, match="damaged"):
        load_policy(KUHN, bad)


def test_a_file_that_would_run_something_is_refused(file, tmp_path):
    with np.load(file) as archive:
        arrays = {name: archive[name] for name in archive.files}
    bad = tmp_path / "bad.npz"
    np.savez(bad, **(arrays | {"keys": np.array([print], dtype=object)}))
    with pytest.raises(CounterplayError, match="is not a policy"):
        load_policy(KUHN, bad)


def test_information_that_a_policy_lacks_is_even():
    part = Policy(
        KUHN, TREE.owner[:3], TREE.key_words()[:3], TREE.start[:4] - 2, TREE.actions[:6], np.tile([1.0, 0], 3)
    )
    strategy, missing = part.strategy(TREE)
    assert missing == TREE.sets - 3
    assert np.array_equal(strategy[2 + 6 :], uniform(TREE)[2 + 6 :])
    assert strategy[2:8].tolist() == [1, 0] * 3
    assert part.at(KUHN.parse_position("KJ bet")) == {0: 0.5, 1: 0.5}


# What players know, in words.


def test_knowledge_of_kuhn_poker():
    found = list(all_knowledge(KUHN))
    assert len(found) == 12
    assert {each.text for each in found if each.player == 0} == {
        f"{card} ?{rest}" for card in "JQK" for rest in ("", " pass bet")
    }
    assert {each.text for each in found if each.player == 1} == {
        f"? {card} {said}" for card in "JQK" for said in ("pass", "bet")
    }
    assert {each.actions for each in found} == {("pass", "bet")}


@pytest.mark.parametrize("spec", ["leduc-poker", "chicken", "kuhn-poker:players=3"])
def test_knowledge_names_every_information_set_once(spec):
    game = load(spec)
    tree, found = information_tree(game), list(all_knowledge(game))
    assert {(each.player, *each.key) for each in found} == {
        (owner, *key) for owner, key in zip(tree.owner.tolist(), tree.key_words().tolist(), strict=True)
    }
    assert len({(each.player, each.text) for each in found}) == len(found) == tree.sets


def pattern(text):
    """What a text says about a history, as a regular expression: ? is a step or none, - none, ... any number."""
    parts = []
    for token in text.partition(" (")[0].split():
        if token == "...":
            parts.append(r"(?:\S+ )*")
            continue
        names = token.split("|")
        anything = names == ["?"] or "..." in names
        step = r"\S+ " if anything else f"(?:{'|'.join(re.escape(name) for name in names if name != '-')}) "
        parts.append(f"(?:{step})?" if names == ["?"] or "-" in names else step)
    return re.compile("".join(parts))


def histories(game, s, told="", plies=100):
    """Every history from `s`, as information set and text, by recursion."""
    options = legal(game, s)
    if not options or plies == 0:
        return
    mover = int(game.to_move(s))
    if mover != CHANCE:
        yield (mover, words(game.information(s, mover))), told
    for action in options:
        yield from histories(game, game.result(s, action), f"{told}{game.action_text(s, action)} ", plies - 1)


class Coins(Game):
    """Two coins are tossed in secret; the only player hears whether they show the same, and guesses the first."""

    players, zero_sum, compiled = 1, False, False

    def initial(self):
        return ()

    def to_move(self, s):
        return CHANCE if len(s) < 2 else 0

    def chance(self, s, out):
        out.extend([0, 1])

    def probability(self, s, event):
        return 0.5

    def actions(self, s, out):
        out.extend([0, 1])

    def result(self, s, action):
        return (*s, action)

    def is_terminal(self, s):
        return len(s) == 3

    def utility(self, s, player):
        return float(s[0] == s[2])

    def information(self, s, player):
        return 2 if len(s) < 2 else int(s[0] == s[1])


def test_what_several_hidden_steps_leave_open_together_is_not_known():
    assert [each.text for each in all_knowledge(Coins())] == ["? ?", "? ? (2)"]


@pytest.mark.parametrize("spec", ["kuhn-poker", "leduc-poker", "liars-dice:sides=3", "dark-hex:size=2"])
def test_every_history_of_an_information_set_agrees_with_what_is_said_to_be_known(spec):
    game = load(spec)
    patterns = {(each.player, each.key): pattern(each.text) for each in all_knowledge(game)}
    met = set()
    for place, told in histories(game, game.initial()):
        assert patterns[place].fullmatch(told), (told, patterns[place])
        met.add(place)
    assert met == set(patterns)


@pytest.mark.parametrize("most", [200, 12])
def test_of_a_large_game_nothing_is_said_to_be_known_that_is_not(monkeypatch, most):
    monkeypatch.setattr(knowledge, "MOST_STATES", 2_000)
    monkeypatch.setattr(knowledge, "MOST_OF_A_SET", most)
    game = load("phantom-tic-tac-toe")
    found = list(all_knowledge(game))
    patterns = {(each.player, each.key): pattern(each.text) for each in found}
    matched = [
        bool(patterns[place].fullmatch(told))
        for place, told in histories(game, game.initial(), plies=5)
        if place in patterns
    ]
    assert len(matched) > 30
    assert all(matched)
    assert {each.text for each in found} >= {"-", "?"}
    assert ("a1 ? ?" in {each.text for each in found}) == (most == 200)


# The player.


def test_the_player_draws_by_the_policy(file):
    policy = load_policy(KUHN, file)
    p = Playthrough(KUHN, "K Q")
    expected = policy.at(p.state)[1]
    chosen = player(f"policy:{file},seed=4")
    assert chosen.spec == f"policy:{file},seed=4"
    chosen.require(KUHN)
    drawn = [chosen.choose(p).action for _ in range(2000)]
    assert np.mean(drawn) == pytest.approx(expected, abs=0.05)
    with pytest.raises(CounterplayError, match="another game"):
        chosen.require(load("leduc-poker"))
    with pytest.raises(CounterplayError, match="policy needs the option 'file'"):
        player("policy")


# Methods by name.


def test_usual_methods():
    specs = {"rock-paper-scissors": "lp", "chicken": "vertices", "leduc-poker": "cfr+"}
    assert {spec: usual_method(load(spec)) for spec in specs} == specs
    with pytest.raises(CounterplayError, match="supports is for matrix games"):
        require_method(KUHN, "supports")
    with pytest.raises(CounterplayError, match="no method 'magic'"):
        require_method(load("chicken"), "magic")


def test_mixed_strategies_as_a_policy():
    game = load("chicken")
    policy = matrix_policy(game, (np.array([1.0, 0.0]), np.array([0.0, 1.0])))
    assert policy.at(game.initial()) == {0: 1, 1: 0}
    assert policy.at(game.parse_position("dare")) == {0: 0, 1: 1}
    tree = information_tree(game)
    assert evaluate_policy(tree, policy.strategy(tree)[0]).exploitability < 1e-12
    with pytest.raises(CounterplayError, match="zero-sum"):
        require_zero_sum(tree)
    with pytest.raises(CounterplayError, match="two players, not for 3"):
        require_zero_sum(information_tree(load("kuhn-poker:players=3")))
