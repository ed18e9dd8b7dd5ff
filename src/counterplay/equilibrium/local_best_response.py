"""Local best response (Lisý & Bowling 2017): a lower bound on what a poker strategy loses, cheap where the exact best
response is not.

The responder knows the strategy, and so the range with which its owner reaches a decision. They take the action that
would be best if both players only called from then on: an own raise wins the pot as often as it makes the other fold,
and otherwise meets the hands that do not fold at the showdown. What these responses really earn is computed over the
public tree; a best response earns at least as much.
"""

from __future__ import annotations

import numpy as np

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.equilibrium.blueprint import Blueprint
from counterplay.equilibrium.cfr import VARIANTS
from counterplay.equilibrium.look_ahead import METHOD
from counterplay.equilibrium.public_unrolling import TURN
from counterplay.equilibrium.vector_cfr import EVALUATE, VectorRegrets, walk
from counterplay.games.betting import CALL, FOLD, Betting


def require_betting(game: Game) -> None:
    """Refuse games without folds and calls."""
    if not isinstance(game, Betting):
        raise Unsuitable(f"{game.spec}: local best response is for poker, where a player folds, calls or raises")


class LocalResponder:
    """One player's local best response to the other's strategy."""

    def __init__(self, followed: Blueprint, player: int) -> None:
        require_betting(followed.game)
        self.followed, self.tree, self.player = followed, followed.tree, player
        self.calling = VectorRegrets(self.tree, VARIANTS[METHOD])
        for node in followed.states:
            row, start = int(self.tree.row[node]), int(self.tree.start[node])
            actions = self.tree.action[start : start + int(self.tree.width[node])].tolist()
            self.calling.sums[row + actions.index(CALL)] = 1.0

    def value(self) -> float:
        """What the responses earn on average."""
        own, other = self.tree.ranges[self.player], self.tree.ranges[1 - self.player]
        return float(own @ self.respond(0, other) / self.tree.total)

    def called_down(self, node: int, other: np.ndarray) -> np.ndarray:
        """[hands] what each hand earns from a node on when both only call; at an end, its payoff."""
        scratch = self.followed.scratch
        scratch.own[0], scratch.other[0] = 1.0, other
        walk(self.tree, self.calling, scratch, node, self.player, EVALUATE)
        found: np.ndarray = scratch.worth[0].copy()
        return found

    def shares(self, node: int) -> np.ndarray:
        """[actions, hands] the examined strategy."""
        row, count = int(self.tree.row[node]), int(self.tree.width[node])
        sums = self.followed.learned.sums[row : row + count].astype(np.float64)
        totals = sums.sum(axis=0)
        found: np.ndarray = np.where(totals > 0, sums / np.where(totals > 0, totals, 1.0), 1.0 / count)
        return found

    def respond(self, node: int, other: np.ndarray) -> np.ndarray:
        """[hands] what each hand earns from a node on by local best responses against the other's reach."""
        tree, kind = self.tree, int(self.tree.kind[node])
        if kind > TURN:
            return self.called_down(node, other)
        links = range(int(tree.start[node]), int(tree.start[node]) + int(tree.width[node]))
        children = [int(tree.child[link]) for link in links]
        if kind == TURN:
            found = np.zeros(tree.hands)
            for link, child in zip(links, children, strict=True):
                holders = tree.holders[tree.card[link]]
                free = np.ones(tree.hands)
                free[holders[holders >= 0]] = 0.0
                earned = free * self.respond(child, other * free * tree.chance[link])
                for names in tree.renaming[int(tree.names[link]) : int(tree.names[link + 1])]:
                    found += earned[tree.renamed[names]]  # the card and those that it represents
            return found
        if kind != self.player:
            parts = [self.respond(child, other * part) for child, part in zip(children, self.shares(node), strict=True)]
            total: np.ndarray = np.sum(parts, axis=0)
            return total
        guessed = np.stack([self.guess(child, other) for child in children])
        earned = np.stack([self.respond(child, other) for child in children])
        best: np.ndarray = np.take_along_axis(earned, guessed.argmax(axis=0)[None], axis=0)[0]
        return best

    def guess(self, child: int, other: np.ndarray) -> np.ndarray:
        """[hands] what an action that leads to `child` would be worth if both only called from then on."""
        tree = self.tree
        if int(tree.kind[child]) != 1 - self.player:
            return self.called_down(child, other)
        start = int(tree.start[child])
        actions = tree.action[start : start + int(tree.width[child])].tolist()
        if FOLD not in actions:
            return self.called_down(child, other)
        at = actions.index(FOLD)
        folds = self.shares(child)[at]
        left = self.called_down(int(tree.child[start + at]), other * folds)
        return left + self.called_down(child, other * (1.0 - folds))
