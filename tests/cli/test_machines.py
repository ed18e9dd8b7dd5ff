"""The hall of machines: its table, and what each machine is famous for."""

import functools
import json
import math
from pathlib import Path

import pytest

import counterplay as cp
from counterplay.cli import main
from counterplay.core.errors import CounterplayError
from counterplay.core.language.bits import ones
from counterplay.players.machines import turing
from counterplay.players.machines.ajedrecista import rule
from counterplay.players.machines.hall import MACHINES, expanded
from counterplay.players.specs import PLAYERS, player

ROOT = Path(__file__).parents[2]
GLENNIE = (
    "e4 e5 Nc3 Nf6 d4 Bb4 Nf3 d6 Bd2 Nc6 d5 Nd4 h4 Bg4 a4 Nxf3+ gxf3 Bh5 Bb5+ c6 dxc6 O-O cxb7 Rb8 Ba6 Qa5 Qe2 Nd7 Rg1 Nc5 "
    "Rg5 Bg6 Bb5 Nxb7 O-O-O Nc5 Bc6 Rfc8 Bd5 Bxc3 Bxc3 Qxa4 Kd2 Ne6 Rg4 Nd4 Qd3 Nb5 Bb3 Qa6 Bc4 Bh5 Rg3 Qa4 Bxb5 Qxb5 "
    "Qxd6 Rd8"
)
"""Turing's machine, worked out by hand, against Glennie (Manchester 1952)."""
DEVIATIONS = {
    1: "e3",
    4: "dxe5",
    5: "Bb5+",
    15: "Rh3",
    17: "h5",
    19: "Nd5",
    20: "Bb5",
    22: "Qe3",
    23: "b3",
    25: "b3",
    26: "Rdg1",
}
"""Where ours plays another move, as docs/machines/turing.md lists them."""


def test_the_table_is_in_order_and_each_has_its_page(answer):
    years = [machine.year for machine in MACHINES.values()]
    assert years == sorted(years)
    for machine in MACHINES.values():
        assert (ROOT / "docs" / machine.page).is_file()
        assert expanded(machine.spec).partition(":")[0] in PLAYERS
        cp.load(machine.game)
    assert json.loads(json.dumps([entry.to_json() for entry in cp.machines()])) == answer("machines")


def test_options_replace_those_of_the_machine():
    assert expanded("td-gammon:depth=2") == "expectiminimax:depth=2,evaluation=td-gammon"
    assert player("mogo", budget={"simulations": 10}).inner.spec.startswith("mcts:")
    assert player("logistello:depth=3").spec == "logistello:depth=3"
    with pytest.raises(CounterplayError, match="mogo plays go:size=9, not go:size=5"):
        player("mogo").require(cp.load("go:5"))
    with pytest.raises(CounterplayError, match="turing plays chess, not checkers"):
        player("turing").require(cp.load("checkers"))
    with pytest.raises(CounterplayError, match="did you mean td-gammon"):
        player("tdgammon")


def test_nimatron_never_leaves_a_won_position():
    game, nimatron = cp.load("nim:3-4-5"), player("nimatron")
    for sizes in [(a, b, c) for a in range(4) for b in range(5) for c in range(6)]:
        if sizes[0] ^ sizes[1] ^ sizes[2] == 0:
            continue
        p = game.start(position=f"{'-'.join(map(str, sizes))} 1")
        after = game.result(p.state, nimatron.choose(p).action)
        assert functools.reduce(int.__xor__, [int(after.heaps) >> 8 * i & 255 for i in range(3)]) == 0


# El Ajedrecista.


def reach(king, rook, square):
    """Whether the rook attacks a square past its own king."""
    step = 8 if rook % 8 == square % 8 else 1 if rook // 8 == square // 8 else 0
    if not step or rook == square:
        return False
    return king not in range(min(rook, square) + step, max(rook, square), step)


def near(a, b):
    return max(abs(a % 8 - b % 8), abs(a // 8 - b // 8)) <= 1


@functools.cache
def longest(king, rook, lone):
    """Moves to mate against the longest defence; any mistake on the way fails the test."""
    origin, target = rule(king, rook, lone)
    king, rook = (target, rook) if origin == king else (king, target)
    assert len({king, rook, lone}) == 3
    assert not near(king, lone)
    flights = [
        square for square in range(64) if near(square, lone) and square != lone
        and not near(square, king) and not reach(king, rook, square)
    ]  # fmt: skip
    assert rook not in flights
    if not flights:
        assert reach(king, rook, lone)  # mate, not stalemate
        return 1
    return 1 + max(longest(king, rook, flight) for flight in flights)


def test_the_automaton_mates_from_every_start():
    starts = [
        (king, rook, lone) for king in range(64) for rook in range(64) for lone in range(64)
        if king // 8 > rook // 8 > lone // 8 and not near(king, lone) and not reach(king, rook, lone)
    ]  # fmt: skip
    assert len(starts) == 25_088
    assert max(longest(*start) for start in starts) == 67


def test_the_automaton_plays_legal_chess_and_refuses_what_it_cannot_play():
    machine = player("ajedrecista")
    p = cp.load("chess").start(position=MACHINES["ajedrecista"].position)
    while not p.is_over and len(p) < 140:
        p.play(machine.choose(p).action if p.to_move == 0 else p.options()[len(p) % len(p.options())])
    assert p.returns == (1.0, -1.0)
    with pytest.raises(CounterplayError, match="king and rook against a king"):
        machine.choose(cp.load("chess").start())


# Turing.


def test_positional_values_worked_out_by_hand():
    game = cp.load("chess")
    s = game.initial()
    # Two knights with two moves each; four pieces defended once; eight pawns defended by a piece; castling later.
    assert turing.positional(game, game.null(s), 0) == pytest.approx(2 * math.sqrt(2) + 4 + 8 * 0.3 + 1)
    after = game.result(s, game.parse_action(s, "e4"))
    gained = turing.positional(game, after, 0) - turing.positional(game, game.null(s), 0)
    # A knight with a move more, bishop, queen and king with moves, a queen in the king's place with two; a pawn two
    # ranks on, which no piece defends.
    by_hand = math.sqrt(3) - math.sqrt(2) + math.sqrt(5) + 2 + 1 - math.sqrt(2) + 0.4 - 0.3
    assert gained == pytest.approx(by_hand)
    assert len(list(ones(s.own))) == 16


@pytest.mark.slow
def test_the_recorded_game_against_glennie():
    game, machine = cp.load("chess"), player("turing")
    p, found = game.start(), {}
    for i, move in enumerate(GLENNIE.split()):
        if i % 2 == 0:
            chosen = game.action_text(p.state, machine.choose(p).action)
            if chosen != move:
                found[i // 2 + 1] = chosen
        p.play(move)
    assert found == DEVIATIONS


BRIEF = {
    "alphago": ("--games", "200", "--set", "expert=random", "--set", "epochs=1", "--set", "batch=8"),
    "alphastar": ("--games", "200", "--set", "updates=1", "--set", "batch=4", "--set", "trials=4", "--set", "rounds=1"),
}
"""Trainings of machines without a model, hardly begun."""


@pytest.mark.parametrize("name", BRIEF)
def test_an_untrained_machine_names_the_command(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["search", MACHINES[name].game, "--player", name]) == 2
    wrong = capsys.readouterr().err
    command = f"{MACHINES[name].training} -o {name}"
    assert wrong == f"error: {name} has not been trained yet: `{command}` does that here, in {MACHINES[name].takes}\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_every_machine_plays_a_legal_action_of_its_game(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if MACHINES[name].model:
        command = MACHINES[name].training.split()[1:]
        assert main([*command, *BRIEF[name], "-o", MACHINES[name].model]) == 0
    p = cp.load(MACHINES[name].game).start(position=MACHINES[name].position or None, seed=1)
    while p.to_move < 0:
        p.roll()
    assert player(name).choose(p).action in p.options()


# Shannon.


@pytest.mark.slow
def test_shannons_evaluation_worked_out_by_hand():
    from counterplay.games.chess.evaluation import PAWNS
    from counterplay.players.machines.shannon import by_shannon

    game = by_shannon(cp.load("chess"))
    assert game.evaluate(game.initial(), 0) == 0
    # White: Ke1, Ra1, pawns a2, a3 (doubled, isolated both). Black: Ke8, pawn h7 (isolated).
    s = game.parse_position("4k3/7p/8/8/8/P7/P7/R3K3 w - - 0 1")
    material, faults = 5 + 2 - 1, (1 + 2) - 1
    mobility = (5 + 3 + 1) - (5 + 1)  # king, rook, the pawn on a3; king, pawn
    assert game.evaluate(s, 0) == pytest.approx((material - 0.5 * faults + 0.1 * mobility) / PAWNS)
    assert game.evaluate(s, 1) == -game.evaluate(s, 0)
