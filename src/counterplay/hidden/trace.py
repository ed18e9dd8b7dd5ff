"""Recorded simulations over information sets: the deal that each drew, how every player chose by what they know, and
the result. The file has the format of other simulations (montecarlo/trace.py); a node stands for a line of play.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from typing import Any, cast

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import words
from counterplay.core.playthrough import Playthrough
from counterplay.core.rules import legal
from counterplay.core.types import State
from counterplay.equilibrium.mccfr import SetTable
from counterplay.hidden.ismcts import (
    ROOM,
    Walker,
    chosen_action,
    look_up,
    require_searchable,
    simulate,
)
from counterplay.montecarlo.history import (
    MOST_SUMS,
    HistoryNode,
    SimulationHistory,
    SimulationStep,
    sum_text,
    total,
    two,
)
from counterplay.montecarlo.trace import SimulationTrace
from counterplay.search.tracing.pseudocode import Pseudocode

ISMCTS = Pseudocode(
    "Monte Carlo tree search over information sets",
    (
        ("repeat until the budget is spent:", "end"),
        ("  draw a deal that the player thinks possible", "deal"),
        ("  while all moves here have been tried:", ""),
        ("    whoever moves takes, by what they know,", "select"),
        ("      the highest mean + c · sqrt(ln N / n)", "select"),
        ("      (N: how often the move was possible)", ""),
        ("  try a move that was never tried", "expand"),
        ("  play on at random to the end", "simulate"),
        ("  each player counts their own result", "backup"),
        ("choose the move tried most", "choice"),
    ),
)


class InformationSetRecorder:
    """Runs the search one simulation at a time, and records what each did."""

    def __init__(self, p: Playthrough, many: bool, c: float, seed: int, possible: Sequence[Any]) -> None:
        game = p.game
        require_searchable(game)
        self.p, self.game, self.many, self.possible = p, game, many, possible
        self.hero = int(game.to_move(p.state))
        width = 2 + len(words(game.information(game.initial(), 0)))
        self.table, self.walker, self.rng = SetTable(width, ROOM, ROOM), Walker(game, c), Rng(seed)
        self.out = cast(ActionStack, action_stack(game))
        self.steps: list[dict[str, Any]] = []
        self.nodes: dict[tuple[int, int], int] = {}  # parent and index in the table -> number
        self.sums: list[list[float]] = [[0.0] * game.players]  # [nodes, players]
        self.visits = [0]

    def step(self) -> None:
        """Run and record one more simulation."""
        game, table, walker = self.game, self.table, self.walker
        root = self.possible[self.rng.below(len(self.possible))] if self.possible else self.p.state
        copy = Rng()
        copy.word = ctypes.c_uint64(self.rng.word.value)
        deal = game.resample(root, self.hero, copy)
        before = {name: getattr(table, name).copy() for name in ("sums", "regrets", "values")}
        simulate(game, root, self.hero, self.many, table, walker, self.out, self.rng, 1)
        depth = round(float((table.sums - before["sums"]).sum()))
        line = [int(action) for action in walker.played[: int(walker.length)]]
        told: dict[str, Any] = {"deal": game.position_text(deal), "line": [], "way": [0], "leaf": "open"}
        told |= {"choices": [], "new": [], "changes": []}
        s, turns = deal, 0
        for action in line:
            text = game.action_text(s, action)
            told["line"].append(text)
            mover = int(game.to_move(s))
            if mover != CHANCE and turns < depth:
                self._turn(told, s, mover, action, text, int(walker.edges[turns]), before)
                turns += 1
            s = game.result(s, action)
        payoffs = [float(game.utility(s, player)) for player in range(game.players)]
        told["leaf"] = "end" if turns == len(line) else "open"
        told["backed_up"] = payoffs
        for k in told["way"]:
            self.visits[k] += 1
            self.sums[k] = [so_far + gain for so_far, gain in zip(self.sums[k], payoffs, strict=True)]
            means = [round(each / self.visits[k], 12) + 0.0 for each in self.sums[k]]
            told["changes"].append({"node": k, "visits": self.visits[k], "value": means})
        self.steps.append(told)

    def _turn(
        self, told: dict[str, Any], s: State, mover: int, action: int, text: str, edge: int, before: dict[str, Any]
    ) -> None:
        """Record a player's choice by what they know."""
        above, observer = told["way"][-1], mover if self.many else self.hero
        known = words(self.game.information(s, observer))
        sums = []
        for each in legal(self.game, s):
            at = int(look_up(self.table, mover, (*known, each)))
            option: dict[str, Any] = {"node": self.nodes.get((above, at)), "action": self.game.action_text(s, each)}
            tried = float(before["sums"][at]) if at >= 0 else 0.0
            if tried:
                bonus = float(self.walker.c) * math.sqrt(math.log(before["values"][at] + 1.0) / tried)
                mean = float(before["regrets"][at]) / tried
                option |= {"state": "open", "mean": round(mean, 12), "bonus": round(bonus, 12), "tried": int(tried)}
            else:
                option |= {"state": "untried"}
            sums.append(option)
        knows = " ".join(self.game.board(s, observer).split())
        told["choices"].append({"node": above, "player": mover, "knows": knows, "took": text, "sums": sums})
        if (above, edge) not in self.nodes:
            self.nodes[above, edge] = len(self.visits)
            self.visits.append(0)
            self.sums.append([0.0] * self.game.players)
            told["new"].append({"node": self.nodes[above, edge], "parent": above, "action": text, "player": mover})
        told["way"].append(self.nodes[above, edge])


def record_information(
    p: Playthrough,
    simulations: int,
    limit: int,
    *,
    many: bool,
    c: float,
    seed: int,
    possible: Sequence[Any],
    game: str,
    player: str,
    start: str | None,
    report: Callable[[int], None] | None = None,
) -> SimulationTrace:
    """The trace of `simulations` over information sets, with at most `limit` nodes and changes. `report` receives the
    number of simulations so far."""
    recorder = InformationSetRecorder(p, many, c, seed, possible)
    size = 0
    for done in range(1, simulations + 1):
        recorder.step()
        if report is not None:
            report(done)
    kept: list[dict[str, Any]] = []
    for each in recorder.steps:
        size += 1 + len(each["new"]) + len(each["changes"])
        if size > limit:
            break
        kept.append(each)
    root = p.game.essence(p.state) if possible else p.state
    best = chosen_action(p.game, root, recorder.hero, recorder.table, recorder.walker)[0]
    name = p.game.action_text(p.state, best.action)
    decision = {"action": name, "value": best.value, "line": [name], "simulations": simulations, "proven": False}
    decision |= {"asked": simulations, "ended": "budget"}
    names = [p.game.player_name(i) for i in range(p.game.players)]
    complete = len(kept) == len(recorder.steps)
    return SimulationTrace(game, start, p.moves, p.position, names, player, decision, complete, kept)


class InformationHistory(SimulationHistory):
    """Such a recording as steps, each in one sentence."""

    pseudocode = ISMCTS

    def _grow(self, k: int, step: dict[str, Any]) -> None:
        """Follow the deal: a new node has the position of the first deal that reached it."""
        s, turn, new = self.game.start(position=step["deal"]).state, 1, {each["node"]: each for each in step["new"]}
        for text in step["line"]:
            mover = int(self.game.to_move(s))
            s = self.game.result(s, self.game.parse_action(s, text))
            if mover == CHANCE or turn >= len(step["way"]):
                continue
            node = step["way"][turn]
            turn += 1
            if node in new:
                is_end = bool(self.game.is_terminal(s))
                to_move = mover if is_end else int(self.game.to_move(s))
                parent = new[node]["parent"]
                self.nodes[parent].children.append(node)
                self.nodes.append(HistoryNode(parent, text, mover, s, to_move, is_end, None, k))

    def _tell(self, k: int, step: dict[str, Any]) -> None:
        way, fresh = step["way"], {each["node"] for each in step["new"]}
        board = " ".join(self.game.board(self.game.start(position=step["deal"]).state).split())
        who = self.name(self.root)
        self.steps.append(
            SimulationStep("deal", k, 0, f"Deal: {who} considers many deals possible; this simulation plays {board}.")
        )
        for choice, below in zip(step["choices"], way[1:], strict=True):
            self.steps.append(SimulationStep("expand" if below in fresh else "select", k, below, self._chosen(choice)))
        self.steps.append(SimulationStep("simulate", k, way[-1], self._played(step)))
        self.steps.append(SimulationStep("backup", k, way[-1], ""))

    def _chosen(self, choice: dict[str, Any]) -> str:
        who, took = self.name(choice["player"]), choice["took"]
        mine = next(each for each in choice["sums"] if each["action"] == took)
        knows = f"{who}, who knows {choice['knows']},"
        if mine["state"] == "untried":
            many = sum(each["state"] == "untried" for each in choice["sums"])
            drawn = ", drawn from those never tried" if many > 1 else ""
            return f"Expand: {knows} tries {took} for the first time{drawn}."
        others = sorted(
            (each for each in choice["sums"] if each is not mine and "mean" in each), key=lambda e: -total(e)
        )
        told = [f"{each['action']} {two(total(each))}" for each in others[:MOST_SUMS]]
        rest = f" (then {', '.join(told)})" if told else ""
        return f"Select: {knows} takes {took}: {sum_text(mine)}, {'highest' if told else 'the only move'}{rest}."

    def _played(self, step: dict[str, Any]) -> str:
        gains = ", ".join(f"{value:g} for {self.name(i)}" for i, value in enumerate(step["backed_up"]))
        if step["leaf"] == "end":
            return f"Simulate: the game is over: {gains}."
        rest = " ".join(step["line"][-8:])
        return f"Simulate: played on at random, the game ends with {rest}: {gains}."


def history_of(trace: SimulationTrace, game: Game | None = None) -> SimulationHistory:
    """The history of recorded simulations of either kind."""
    kind = InformationHistory if trace.player.partition(":")[0] == "ismcts" else SimulationHistory
    return kind(trace, game)
