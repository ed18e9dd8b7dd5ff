"""Games as information sets: published counts, and refusals with the histories that show why."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from counterplay import CHANCE, Game, load, state
from counterplay.core.errors import BrokenGame, Unsuitable
from counterplay.core.language.kernel import kernel
from counterplay.core.language.state import words
from counterplay.core.language.wide import Wide, u64
from counterplay.equilibrium.information_tree import history_of, information_tree
from counterplay.games.leduc_poker import LeducPoker
from counterplay.games.tree import Tree


@pytest.mark.parametrize(
    "spec, sets, leaves, histories",
    [
        ("kuhn-poker", 12, 30, 58),
        ("leduc-poker", 936, 5520, 9457),
    ],
)
def test_counts(spec, sets, leaves, histories):
    tree = information_tree(load(spec))
    assert (tree.sets, tree.leaves, tree.histories) == (sets, leaves, histories)
    assert sorted(tree.owner) == tree.owner.tolist()
    for k in range(tree.sets):
        came = tree.arrival[k]
        assert came < tree.start[k]  # parents before children
        assert came == tree.owner[k] or tree.start[tree.first[tree.owner[k]]] <= came
    assert tree.payoffs.reshape(2, -1).sum(axis=0) == pytest.approx(0)


class ShortMemory(LeducPoker):
    """Forgets the betting, and sees only what was paid."""

    compiled = False

    def information(self, s, player):
        return ((s.paid[0] << 6 | s.paid[1]) << 6 | s.cards[2]) << 6 | s.cards[player]


def test_a_player_who_forgets_is_refused_with_two_histories():
    with pytest.raises(Unsuitable, match="perfect recall: after 'Js Jh call call Qs raise raise' and after ") as wrong:
        information_tree(ShortMemory())
    told = str(wrong.value).split("'")
    first, second = load("leduc-poker").start(told[1]), load("leduc-poker").start(told[3])
    assert first.to_move == second.to_move == 0
    assert first.moves != second.moves
    assert ShortMemory().information(first.state, 0) == ShortMemory().information(second.state, 0)


class Strange(Game):
    """Two turns with a fault that a parameter chooses; a state is (ply, last action)."""

    compiled = False

    def __init__(self, fault: str) -> None:
        self.fault = fault

    def initial(self):
        return (0, 0)

    def to_move(self, s):
        return min(s[0], 1)

    def actions(self, s, out):
        if self.fault != "stuck" or s[0] == 0:
            out.append(0)
        if s[0] == 0 or (s[1] == 1 and self.fault == "differs"):
            out.append(1)

    def result(self, s, action):
        return (s[0] + 1, action)

    def is_terminal(self, s):
        return s[0] == 2 and self.fault != "endless"

    def utility(self, s, player):
        return 0.0

    def information(self, s, player):
        return s[0]


@pytest.mark.parametrize(
    "fault, why",
    [
        ("differs", "after '0' and after '1' the player to move knows the same, but has different actions"),
        ("stuck", "no actions after '0', and is not over"),
        ("endless", "does not end within 300 plies"),
    ],
)
def test_faults_of_rules_are_told(fault, why, monkeypatch):
    monkeypatch.setattr("counterplay.equilibrium.information_tree.MOST_PLIES", 300)
    with pytest.raises((BrokenGame, Unsuitable), match=why):
        information_tree(Strange(fault))
    assert information_tree(Strange("none")).sets == 2


def test_a_tree_that_is_too_large_is_refused():
    with pytest.raises(Unsuitable, match="more than 1,000 histories; `mccfr`"):
        information_tree(load("leduc-poker"), most=1000)


@pytest.mark.parametrize("spec", ["tic-tac-toe", "tree", "pig"])
def test_open_games_are_for_search(spec):
    with pytest.raises(Unsuitable, match="hides nothing: `counterplay search`"):
        information_tree(load(spec))


def test_histories_are_found_again():
    game, tree = load("leduc-poker"), information_tree(load("leduc-poker"))
    for k in (0, 17, tree.sets - 1):
        s = game.initial()
        for action in history_of(game, int(tree.nodes[k])):
            s = game.result(s, action)
        assert game.to_move(s) == tree.owner[k]
        assert words(game.information(s, game.to_move(s))) == tuple(tree.key_words()[k])


def test_a_lecture_tree_with_an_information_set():
    leaf = {"chance": {"x": ["1/4", 8], "y": ["3/4", 0]}}
    last = {"player": 1, "actions": [leaf, 5]}
    tree = information_tree(Tree({"information": "u", "player": 0, "actions": [[1, 2], last]}))
    assert tree.sets == 3
    assert sorted(tree.payoffs[: tree.leaves].tolist()) == [0, 1, 2, 2, 5]


# Words.


@state
class Known(NamedTuple):
    """One field of each kind."""

    number: int
    flag: bool
    board: u64
    large: Wide(100)
    pair: tuple[int, int]
    share: float


@kernel
def compiled_words(game, s):
    return words(s)


@pytest.mark.plain
def test_words_are_the_same_compiled():
    values = [
        Known(-5, True, u64(2**64 - 1), Wide(100)(2**99 + 7), (3, -4), -0.0),
        Known(2**62, False, u64(1), Wide(100)(1), (0, 0), 1.5),
    ]
    game = load("kuhn-poker")
    for value in values:
        assert tuple(compiled_words(game, value)) == words(value)
        assert len(words(value)) == 8
        assert all(-(2**63) <= word < 2**63 for word in words(value))
    assert words(7) == (7,)
    assert CHANCE == -1
    assert np.array(words(u64(2**63)), np.int64).tolist() == [-(2**63)]
