"""Which player answers before anything is compiled, and that the answer is the same."""

from __future__ import annotations

import asyncio

import pytest

from counterplay import load
from counterplay.core.errors import CounterplayError
from counterplay.web import preparing
from counterplay.web.preparing import Preparations, is_light, stand_in
from counterplay.web.seating import Seating
from counterplay.web.thinking import choose, choose_uncompiled, hurried, prepare, rules_of, uncompiled_rules_of

ASKED = {"game": "connect-four", "position": None, "moves": "4 4 3", "seed": 1}


class Talk:
    def __init__(self):
        self.seating = Seating()

    def say(self, data):
        pass

    news = say


@pytest.mark.parametrize("spec", ["alphabeta:depth=2", "mcts:simulations=30"])
def test_the_uncompiled_player_makes_the_same_choice(spec):
    assert rules_of("connect-four").compiles
    assert not uncompiled_rules_of("connect-four").compiles
    asked = {**ASKED, "player": spec}
    quick, plain = choose(Talk(), **asked), choose_uncompiled(Talk(), **asked)
    assert (plain["action"], plain["value"], plain["nodes"]) == (quick["action"], quick["value"], quick["nodes"])


def test_plain_python_has_little_time():
    assert hurried("alphabeta:depth=2") == "alphabeta:depth=2,time=3"
    assert [hurried(spec) for spec in ("random", "mcts:time=1")] == ["random", "mcts:time=1"]
    asked = {"game": "kriegspiel", "position": None, "moves": "", "player": "ismcts:simulations=100000"}
    assert 0 < choose_uncompiled(Talk(), **asked)["nodes"] < 100_000


def test_who_is_light():
    light = ("alphabeta:depth=2", "mcts:simulations=30", "expectiminimax:depth=1", "ismcts:simulations=50")
    heavy = ("alphabeta:time=1", "alphabeta:depth=4,time=1", "mcts", "mcts:simulations=1000,time=1", "random")
    assert [is_light(spec) for spec in (*light, *heavy)] == [True] * len(light) + [False] * len(heavy)


class Crew:
    """Answers when told to."""

    def __init__(self, compiling: float, uncompiled: float, wrong: bool = False) -> None:
        self.asked: list[str] = []
        self.compiling, self.uncompiled, self.wrong = compiling, uncompiled, wrong

    async def ask(self, task, **question):
        self.asked.append(task)
        if task == "prepare":
            await asyncio.sleep(self.compiling)
            return {}
        if task == "choose_uncompiled":
            await asyncio.sleep(self.uncompiled)
            if self.wrong:
                raise CounterplayError("no")
        return {"by": task, "player": question["player"]}


@pytest.mark.parametrize(
    "crew, spec, by, other",
    [
        (Crew(0.3, 0.0), "alphabeta:depth=2", "choose_uncompiled", ""),  # long to compile
        (Crew(0.0, 0.0), "alphabeta:depth=2", "choose", ""),  # compiled before
        (Crew(0.1, 0.5), "alphabeta:depth=2", "choose", ""),  # compiled sooner than it answers
        (Crew(0.1, 0.0, wrong=True), "alphabeta:depth=2", "choose", ""),
        (Crew(0.1, 0.0), "alphabeta:time=1", "choose", "alphabeta:depth=2"),  # worth waiting for
        (Crew(0.6, 0.0), "alphabeta:time=1", "choose", ""),  # nobody stands in
        (Crew(0.6, 0.0), "alphabeta:time=1", "choose_uncompiled", "alphabeta:depth=2"),  # too long to wait
        (Crew(0.4, 0.5), "alphabeta:time=1", "choose", "alphabeta:depth=2"),  # the compiler is done before the other
    ],
)
def test_nobody_waits_long_for_the_compiler(monkeypatch, crew, spec, by, other):
    monkeypatch.setattr(preparing, "SOON", 0.02)
    monkeypatch.setattr(preparing, "PATIENCE", 0.2)

    async def ask():
        preparations = Preparations(crew)
        monkeypatch.setattr(preparations, "choose_uncompiled", lambda asked: crew.ask("choose_uncompiled", **asked))
        return await preparations.choose(**ASKED, player=spec, other=other, table="t", seat=1)

    answer = asyncio.run(ask())
    assert answer == {"by": by, "player": spec if by == "choose" or not other else other} | (
        {"stands_in": True} if other and by == "choose_uncompiled" else {}
    )
    assert ("choose_uncompiled" in crew.asked) == (
        crew.compiling > (0.2 if other else 9 if spec == "alphabeta:time=1" else 0.0)
    )


def test_who_stands_in():
    assert stand_in(load("connect-four"), "alphabeta:time=1") == "alphabeta:depth=2"
    assert stand_in(load("kuhn-poker"), "ismcts:time=5") == "ismcts:simulations=50"
    assert stand_in(load("chess"), "turing") == ""  # a visitor who plays against a famous machine wants no other


@pytest.mark.parametrize("game, spec", [("kuhn-poker", "ismcts:simulations=50"), ("pig", "expectiminimax:depth=1")])
def test_a_player_is_prepared_for_where_it_has_a_choice(monkeypatch, game, spec):
    """At the start of these games only chance acts: a player prepared for that alone would still have to be compiled
    while its opponent waits."""
    from counterplay.core.game import CHANCE
    from counterplay.players.specs import player_class

    prepared = []
    monkeypatch.setattr(player_class(spec.partition(":")[0]), "prepare", lambda self, p: prepared.append(p.to_move))
    monkeypatch.setattr("counterplay.web.thinking._prepared", set())
    assert prepare(Talk(), game=game, player=spec) == {}
    assert prepared
    assert CHANCE not in prepared
