"""Explicit trees: the lecture's values, the rules against OpenSpiel's reading of Gambit's format, bad descriptions."""

import json
import pickle
import random

import numpy as np
import pytest
from games.openspiel import lockstep, pyspiel
from games.secrets import assert_compiled_secrets_agree
from games.sequence_form import solve
from hypothesis import given
from hypothesis import strategies as st

from counterplay import CounterplayError, Rng, load
from counterplay.core.game import CHANCE
from counterplay.core.language.kernel import kernel
from counterplay.core.perft import perft
from counterplay.core.rules import legal
from counterplay.games.matrix import RockPaperScissors
from counterplay.games.tree import MOST_DRAWN, Tree

LECTURE = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]


def value(game, s):
    """To Max, under best play of both."""
    if game.is_terminal(s):
        return game.utility(s, 0)
    values = [value(game, game.result(s, action)) for action in legal(game, s)]
    if game.to_move(s) == CHANCE:
        return sum(game.probability(s, event) * v for event, v in zip(legal(game, s), values, strict=True))
    return max(values) if game.to_move(s) == 0 else min(values)


@pytest.mark.parametrize(
    "tree, expected",
    [
        (LECTURE, 3),
        ([[3, 12, 8], [2, 4, 6], [2, 5, 14]], 3),
        ([[[5, 6], [7, 4, 5]], [[3]], [[6], [6, 9]], [[7]]], 7),
        ({"chance": [[0.5, [1, 4]], [0.25, {"player": 1, "actions": [8, -4]}], [0.25, 12]]}, 4),
        (7, 7),
    ],
)
def test_values(tree, expected):
    game = Tree(tree)
    assert value(game, game.initial()) == expected


def test_the_lecture_tree_is_the_default():
    assert load("tree") == Tree() == Tree(LECTURE) == load("tree:[[3,12,8],[2,4,6],[14,5,2]]")
    assert Tree().traits == (2, False, False, True, (-14, 14))
    assert [perft(Tree(), Tree().initial(), depth) for depth in (1, 2, 3)] == [3, 9, 0]
    p = Tree().start("1 2")
    assert (p.position, p.returns, p.is_over) == ("/1/2", (12, -12), True)


# Random trees, as descriptions.


def random_tree(rng, players=2, depth=4, chance=0.2, leaf=0.25):
    """A description with every feature except information."""
    if depth == 0 or rng.random() < leaf:
        payoffs = [rng.randint(-9, 9) for _ in range(players)]
        return payoffs[0] if players == 2 and rng.random() < 0.5 else {"payoffs": payoffs}
    children = [random_tree(rng, players, depth - 1, chance, leaf) for _ in range(rng.randint(1, 4))]
    if rng.random() < chance:
        weights = [rng.randint(1, 9) for _ in children]
        pairs = [[f"{w}/{sum(weights)}", child] for w, child in zip(weights, children, strict=True)]
        return {"chance": pairs if rng.random() < 0.5 else {f"e{i}": pair for i, pair in enumerate(pairs)}}
    if rng.random() < 0.5:
        return children
    node = {"actions": children if rng.random() < 0.5 else {f"a{i}": child for i, child in enumerate(children)}}
    return {"player": rng.randrange(players), **node} if rng.random() < 0.7 else node


random_trees = st.builds(
    lambda seed, players, chance: random_tree(random.Random(seed), players, chance=chance, leaf=0.2),
    st.integers(0, 2**32 - 1),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.3]),
)


def gambit(description, players):
    """The same tree in Gambit's format, made from the description alone."""
    lines = ["EFG 2 R " + '"a tree" { ' + " ".join(f'"P{p}"' for p in range(players)) + " }"]
    sets: list[dict[object, int]] = [{} for _ in range(players)]

    def walk(part, turn):
        number = len(lines)
        if isinstance(part, (int, float)):
            part = {"payoffs": [part, -part]}
        if isinstance(part, list):
            part = {"actions": part}
        if "payoffs" in part:
            lines.append(f't "" {number} "" {{ {" ".join(map(str, part["payoffs"]))} }}')
            return
        children = part.get("chance") or part["actions"]
        named = children if isinstance(children, dict) else {f"{i:03}": child for i, child in enumerate(children)}
        if "chance" in part:
            events = " ".join(f'"{name}" {pair[0]}' for name, pair in named.items())
            lines.append(f'c "" {number} "" {{ {events} }} 0')
            for pair in named.values():
                walk(pair[1], turn)
            return
        mover = part.get("player", turn)
        label = sets[mover].setdefault(part.get("information", ("its own", number)), len(sets[mover]) + 1)
        lines.append(f'p "" {mover + 1} {label} "" {{ {" ".join(map(json.dumps, named))} }} 0')
        for child in named.values():
            walk(child, (mover + 1) % players)

    walk(description, 0)
    return "\n".join(lines) + "\n"


class InOrder:
    """An OpenSpiel game whose actions are numbered in the order of the file."""

    def __init__(self, game):
        self.game = game

    def new_initial_state(self):
        self.state = self.game.new_initial_state()
        return self

    def __getattr__(self, name):
        return getattr(self.state, name)

    def names(self):
        player = self.state.current_player()
        return sorted(self.state.legal_actions(), key=lambda action: self.state.action_to_string(player, action))

    def legal_actions(self):
        return list(range(len(self.names())))

    def chance_outcomes(self):
        odds = dict(self.state.chance_outcomes())
        return [(i, odds[action]) for i, action in enumerate(self.names())]

    def apply_action(self, i):
        self.state.apply_action(self.names()[i])


@pytest.mark.peer
@given(random_trees)
def test_rules_agree_with_openspiel(description):
    game = Tree(description)
    if not game.is_terminal(game.initial()) and game.players > 1:
        theirs = pyspiel.load_efg_game(gambit(description, game.players))
        lockstep(game, InOrder(theirs), lambda s, action: action, playthroughs=8)


# Secrets.

PENNIES = {
    "actions": {
        "heads": {"information": "u", "actions": {"heads": 1, "tails": -1}},
        "tails": {"information": "u", "actions": {"heads": -1, "tails": 1}},
    }
}


def test_nodes_with_one_information_cannot_be_told_apart():
    game = Tree(PENNIES)
    assert game.traits == (2, False, True, True, (-1, 1))
    assert solve(game).value == pytest.approx(0, abs=1e-9)
    assert solve(game).sets == (1, 1)
    heads, tails = game.start("heads").state, game.start("tails").state
    assert game.information(heads, 1) == game.information(tails, 1)
    assert game.information(heads, 0) != game.information(tails, 0)
    assert game.information(heads, 1) != game.information(game.initial(), 1)
    rng = Rng(1)
    assert {game.resample(heads, 1, rng) for _ in range(50)} == {heads, tails}
    assert {game.resample(heads, 0, rng) for _ in range(50)} == {heads}
    assert game.board(heads, 1) == game.board(tails, 1) != game.board(heads)
    assert game.svg(heads, 1) == game.svg(tails, 1) != game.svg(heads)


def test_compiled_secrets_agree_with_plain_ones():
    assert_compiled_secrets_agree(Tree(PENNIES))


def unfolded(game, s):
    """A matrix game as a description of a tree."""
    if game.is_terminal(s):
        return {"payoffs": [game.utility(s, player) for player in range(game.players)]}
    children = {game.action_text(s, action): unfolded(game, game.result(s, action)) for action in legal(game, s)}
    return {"player": game.to_move(s), "information": f"of {game.to_move(s)}", "actions": children}


def test_rock_paper_scissors_as_a_tree():
    game = Tree(unfolded(RockPaperScissors(), RockPaperScissors().initial()))
    assert solve(game).value == pytest.approx(0, abs=1e-9)
    assert solve(game).sets == (1, 1)
    assert game.start("rock paper").returns == (-1, 1)


@given(random_trees, st.integers(0, 2**32 - 1))
def test_resampling_keeps_what_a_player_knows(description, seed):
    rng = random.Random(seed)

    def hide(part):
        if isinstance(part, dict) and "actions" in part:
            children = part["actions"]
            children = (
                {n: hide(c) for n, c in children.items()} if isinstance(children, dict) else list(map(hide, children))
            )
            if isinstance(children, list) and len(children) == 2 and rng.random() < 0.7:
                return {**part, "player": 0, "actions": children, "information": rng.choice("uv")}
            return {**part, "actions": children}
        return list(map(hide, part)) if isinstance(part, list) else part

    game, draw = Tree(hide(description)), Rng(seed)
    s = game.initial()
    while True:
        for player in range(game.players):
            other = game.resample(s, player, draw)
            assert game.information(other, player) == game.information(s, player)
            assert 0 <= other.node < len(game._nodes)
            if game.has_secrets:
                assert game.to_move(other) == game.to_move(s)
                assert legal(game, other) == legal(game, s) or game.to_move(s) != player
            else:
                assert other == s
        if game.is_terminal(s):
            break
        s = game.result(s, rng.choice(legal(game, s)))


# The tables and the compiled code.


def size(part):
    """The number of nodes in a description."""
    if not isinstance(part, (list, dict)) or "payoffs" in part:
        return 1
    children = part if isinstance(part, list) else part.get("actions") or part["chance"]
    children = children if isinstance(children, list) else children.values()
    return 1 + sum(size(child[1] if "chance" in part else child) for child in children)


@given(random_trees)
def test_every_node_is_reached_once_and_counted(description):
    game = Tree(description)
    seen, waiting = [], [game.initial()]
    while waiting:
        s = waiting.pop()
        seen.append(s.node)
        options = legal(game, s)
        waiting += [game.result(s, action) for action in options]
        assert 0 <= game.to_move(s) < game.players or (game.to_move(s) == CHANCE and options)
        if game.to_move(s) == CHANCE:
            assert sum(game.probability(s, event) for event in options) == pytest.approx(1)
        assert game.parse_position(game.position_text(s)) == s
    assert sorted(seen) == list(range(size(description)))


def test_a_leaf_names_the_player_whose_turn_it_would_be():
    """Negamax asks for the utility of the player to move, even after the game is over."""
    assert [Tree().to_move(Tree().start(moves).state) for moves in ("", "1", "1 1")] == [0, 1, 0]
    game = Tree([{"chance": [[1, 5]]}])
    assert [game.to_move(game.start(moves).state) for moves in ("", "1", "1 1")] == [0, CHANCE, 1]


def test_trees_of_a_size_share_their_compiled_code():
    rng = random.Random(3)
    trees = [
        Tree([[rng.random() for _ in range(rng.randint(1, 6))] for _ in range(rng.randint(1, 8))]) for _ in range(20)
    ]
    assert len({tree.frozen.key for tree in trees}) == 1
    assert len({tree.utility_bounds for tree in trees}) == 20
    assert [perft(tree, tree.initial(), 2) for tree in trees] == [
        len(tree._nodes) - 1 - tree.count[0] for tree in trees
    ]
    others = [Tree(np.zeros((9, 9))), Tree([{"payoffs": [1, 2]}]), Tree({"chance": [[1, 0]]}), Tree(PENNIES)]
    assert len({tree.frozen.key for tree in [*trees, *others]}) == 5


@kernel
def most(game, s):
    return game.utility_bounds[1]


def test_what_trees_share_is_not_their_bounds():
    first, second = Tree([[1, 2], [3, 4]]), Tree([[10, 20], [30, 40]])
    assert first.frozen.key == second.frozen.key
    assert [most(game, game.initial()) for game in (first, second, first)] == [4, 40, 4]
    assert second.utility_bounds == second.traits.utility_bounds == (-40, 40)


def test_deep_and_wide_trees_are_read():
    deep = 5
    for _ in range(400):
        deep = [deep]
    game = Tree(deep)
    p = game.start("1 " * 400)
    assert p.returns == (5, -5)
    assert game.parse_position(p.position) == p.state
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(CounterplayError, match="nested too deep"):
        Tree(deep)
    wide = Tree([list(range(200)) for _ in range(200)])
    assert perft(wide, wide.initial(), 2) == 40_000


# Notation, files, pictures.


@given(random_trees)
def test_a_game_round_trips_through_its_repr_and_its_spec(description):
    game = Tree(description)
    assert eval(repr(game)) == game
    assert load(game.spec) == game
    assert pickle.loads(pickle.dumps(game)) == game
    assert load(game.spec).payoffs.tolist() == game.payoffs.tolist()


def test_lists_given_in_python_may_change_afterwards():
    mine = [[1, 2], [3, 4]]
    game = Tree(mine)
    mine[0] = 7
    assert repr(game) == "Tree(source='[[1,2],[3,4]]')"


def test_a_file_is_read(tmp_path):
    file = tmp_path / "tree.json"
    file.write_text(json.dumps(PENNIES))
    game = load(f"tree:{file}")
    assert game.start().legal() == ["heads", "tails"]
    assert game.start("Heads tails").position == "/heads/tails"
    assert load(game.spec) == game
    file.write_text("[[3, 12")
    with pytest.raises(CounterplayError, match=r"tree\.json is not JSON: line 1"):
        load(game.spec)


def test_boards_show_the_tree():
    assert str(Tree([[3, 4], {"chance": {"up": [0.25, 1], "down": [0.75, -2]}}]).start("2")).splitlines() == [
        "Max",
        "|- 1: Min",
        "|  |- 1: 3",
        "|  `- 2: 4",
        "`- 2: chance <",
        "   |- up (0.25): 1",
        "   `- down (0.75): -2",
    ]
    large = Tree([list(range(20)) for _ in range(4)])
    assert str(large.start("3")) == "85 nodes\n/3: Min"


def test_pictures_show_every_node():
    for description in (LECTURE, PENNIES, [[{"payoffs": [1, 2, 3]}], {"payoffs": [3, 2, 1]}]):
        game = Tree(description)
        svg = game.svg(game.initial())
        assert svg.count("<line") == len(game._nodes) - 1
        assert svg.count("<rect") + svg.count("<polygon") + svg.count("<circle") >= 1 + len(game._nodes)
        assert svg.count('stroke-width="4"') >= 1
    assert "<polygon" in Tree().svg(Tree().initial())
    assert "<circle" in Tree({"chance": [[1, 0]]}).svg(Tree().initial())
    too_large = Tree([list(range(MOST_DRAWN))])
    assert f"{MOST_DRAWN + 2} nodes, too many to draw" in too_large.svg(too_large.initial())


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "write a position as the path"),
        ("1/2", "write a position as the path"),
        ("/4", "at /: no action '4'"),
        ("/1/1/1", "at /1/1: no action '1'"),
        ("//", "at /: no action ''"),
    ],
)
def test_malformed_positions_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why):
        Tree().parse_position(text)


@pytest.mark.parametrize(
    "text, why",
    [
        ("[[3, 12", "is not JSON: line 1"),
        ("no-such-file.json", "cannot read the file"),
        ("[]", "tree, at /: an empty list is not a node"),
        ("[1, [2, []]]", "tree, at /2/2: an empty list is not a node"),
        ('[1, "two"]', 'tree, at /2: a leaf must be a number, not "two"'),
        ("[1, null]", "at /2: a leaf must be a number, not null"),
        ("[1, true]", "at /2: a leaf must be a number, not true"),
        ("[1, NaN]", "at /2: a leaf must be a number, not NaN"),
        ("[1, {}]", 'an object must have "payoffs", "chance" or "actions"'),
        ('{"payoffs": [1, 2], "player": 1}', "'player' does not belong to an object with \"payoffs\""),
        ('{"payoffs": 3}', '"payoffs" must be a list'),
        ('{"payoffs": []}', '"payoffs" must be a list'),
        ('{"payoffs": [1, "x"]}', "a payoff must be a number"),
        ('[1, {"payoffs": [1, 2, 3]}]', "a number is for 2.*/1 is for 2 and /2 for 3"),
        ('{"actions": 3}', '"actions" must be a list or an object'),
        ('{"actions": {}}', '"actions" must be a list or an object'),
        ('{"actions": {"go left": 1}}', "'go left' cannot name an action"),
        ('{"actions": {"a/b": 1}}', "'a/b' cannot name an action"),
        ('{"actions": {"a": 1, "A": 2}}', "two actions have the same name"),
        ('{"actions": {"a": 1, "a": 2}}', "'a' appears twice"),
        ('{"actions": [1, 2], "player": 2}', "there is no player 2 among 2"),
        ('{"actions": [1, 2], "player": -1}', '"player" must be 0 for the first'),
        ('{"actions": [1, 2], "player": "Max"}', '"player" must be 0 for the first'),
        ('{"actions": [1, 2], "information": []}', '"information" must be a word'),
        (
            '[{"actions": [1, 2], "information": "u"}, {"actions": [1], "information": "u"}]',
            "/1 and /2 share information",
        ),
        ('{"actions": [{"actions": [1], "information": 1}], "information": 1}', "/ and /1 share information"),
        ('{"chance": []}', '"chance" must be a list or an object'),
        ('{"chance": [0.5, 0.5]}', "a pair of its probability and what follows"),
        ('{"chance": [[0.5, 1], [0.4, 2]]}', "add up to 0.9 instead of 1"),
        ('{"chance": [[1.5, 1], [-0.5, 2]]}', "above 0 and at most 1, not 1.5"),
        ('{"chance": [[1, 1], [0, 2]]}', "above 0 and at most 1, not 0"),
        ('{"chance": [["1/0", 1]]}', "a number or a fraction"),
        ('{"chance": [["half", 1]]}', "a number or a fraction"),
        ('{"chance": [[null, 1]]}', "a probability must be a number"),
        ('{"payoffs": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}', "at most 16 can play"),
        ("[" * 100_000, "nested too deep|not JSON"),
    ],
)
def test_malformed_trees_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why) as refusal:
        Tree(text)
    assert len(str(refusal.value)) < 300
    assert "\n" not in str(refusal.value)
