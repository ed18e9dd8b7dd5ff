"""Skirmish: the rules against sets of coordinates, what each side knows, notation, pictures, scripts."""

import random

import pytest
from games.naive_skirmish import Battle, leaves
from games.secrets import told

from counterplay import CounterplayError, load
from counterplay.core.perft import perft
from counterplay.core.rules import legal
from counterplay.games.skirmish import NO_ORDER, Skirmish
from counterplay.players.specs import player


class Plain(Skirmish):
    """Uncompiled."""

    compiled = False


@pytest.mark.parametrize("shape, depth", [((4, 3, 8), 5), ((3, 1, 4), 8), ((2, 2, 3), 6), ((5, 3, 2), 4)])
def test_trees_agree_with_sets_of_coordinates(shape, depth):
    game = Plain(*shape)
    for d in range(1, depth + 1):
        assert perft(game, game.initial(), d) == leaves(Battle(*shape), d)


@pytest.mark.parametrize("shape", [(4, 3, 12), (3, 2, 12), (5, 1, 12)])
def test_play_agrees_with_sets_of_coordinates(shape):
    """Units, stocks, what is seen and how it ends, in random games, in which both sides remember everything."""
    game, rng, ends, known = Plain(*shape), random.Random(4), set(), {}
    for _ in range(60):
        s, b, orders, seen = game.initial(), Battle(*shape), [None, None], ((), ())
        while not game.is_terminal(s):
            assert not b.is_over
            side = game.to_move(s)
            options = {order_of(game, action): action for action in legal(game, s)}
            assert set(options) == set(b.orders(side))
            orders[side] = rng.choice(sorted(options, key=str))
            s = game.result(s, options[orders[side]])
            assert game.parse_position(game.position_text(s)) == s
            if s.order == NO_ORDER:
                before, b = b, b.after(*orders)
                assert s.stock == tuple(b.stock)
                for side in range(2):
                    assert {place(game, c) for c in range(game.cells) if s.units[side] >> c & 1} == b.units[side]
                    told = game.information(s, side)
                    assert {place(game, c) for c in range(game.cells) if told.seen >> c & 1} == b.sees(side)
                    built = len(before.units[1 - side]) + (orders[1 - side] == "build")
                    felled = len(b.units[1 - side]) < built
                    step = (orders[side], frozenset(b.units[side]), frozenset(b.sees(side)), felled)
                    seen = (*seen[:side], (*seen[side], step), *seen[side + 1 :])
                    assert known.setdefault((side, seen[side]), told) == told
        assert b.is_over
        assert game.utility(s, 0) == b.worth() == -game.utility(s, 1)
        ends.add(game.ending(s)[:8])
    assert len(ends) > 1
    assert len({(side, told) for (side, _), told in known.items()}) == len(known)


def place(game, cell):
    return cell % game.width, cell // game.width


def order_of(game, action):
    if action < 2:
        return (None, "build")[action]
    return place(game, game.origin(action)), place(game, game.target(action))


def test_compiled_knowledge_is_the_same():
    game, rng = load("skirmish"), random.Random(2)
    for _ in range(3):
        s = game.initial()
        while not game.is_terminal(s):
            for side in range(2):
                assert told(game, s, side) == game.information(s, side)
            s = game.result(s, rng.choice(legal(game, s)))


def test_fights():
    game = Plain(4, 1, 8)
    assert game.start("a1b1 d1c1 b1c1 c1b1").state.units == (0, 0)  # they change places
    assert game.start("a1b1 wait b1c1 wait c1d1 wait").returns == (1, -1)
    assert game.start("a1b1 d1c1 wait c1b1").state.units == (0, 2)
    assert Plain(3, 1, 8).start("a1b1 c1b1").state.units == (0, 0)  # into the same cell
    assert Plain(2, 1, 8).start("a1b1 b1a1").state.units == (0, 0)


def test_fog():
    p = Plain().start("wait wait")
    assert p.game.board(p.state, 0).splitlines() == [
        "3  . . ? ?",
        "2  R . ? *",
        "1  . . ? ?",
        "   a b c d",
        "round 2 of 8; Red has 1 in stock",
    ]
    assert "b" not in {piece.look.lower() for piece in p.game.diagram(p.state, 0).pieces}
    assert p.game.board(p.state).splitlines()[1] == "2  R . . B"


@pytest.mark.parametrize("plan", ["rush", "guard", "swarm"])
def test_scripts_play_by_what_they_see(plan):
    script, rng = player(f"skirmish-script:plan={plan}"), random.Random(1)
    for seat in range(2):
        p = Plain().start()
        while not p.is_over:
            action = script.choose(p).action if p.to_move == seat else rng.choice(p.options())
            assert action in p.options()
            p.play(action)
    with pytest.raises(CounterplayError, match="plays skirmish, not nim"):
        script.require(load("nim"))


@pytest.mark.parametrize("spec", ["width=1", "width=6", "width=5,height=4", "height=0", "rounds=0", "rounds=13"])
def test_wrong_parameters(spec):
    with pytest.raises(CounterplayError, match="skirmish"):
        load(f"skirmish:{spec}")


@pytest.mark.parametrize("text", ["", "build", "a2b2 x"])
def test_wrong_positions(text):
    with pytest.raises(CounterplayError, match="skirmish"):
        load("skirmish").parse_position(text)
