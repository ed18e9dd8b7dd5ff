"""A policy of the whole game over its public tree, used to value the frontier of a look-ahead, or examined by itself.

A blueprint values a state by what each hand earns when both players follow it to the end, given the ranges with which
they reach the state.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.game import Game
from counterplay.equilibrium.cfr import VARIANTS
from counterplay.equilibrium.look_ahead import METHOD, Valued
from counterplay.equilibrium.policy import load_policy
from counterplay.equilibrium.public_leaves import Scratch
from counterplay.equilibrium.public_tree import PublicTree, after_event, dealt, public_tree, require_deals
from counterplay.equilibrium.public_unrolling import TO_THE_CARD, TURN
from counterplay.equilibrium.vector_cfr import EVALUATE, VectorRegrets, walk


class Blueprint:
    """The strategy of every hand at every public node. In a `folded` one, names of suits do not matter: this suits
    strategies that treat all suits alike, and is for examination only."""

    def __init__(self, game: Game, actions: int, folded: bool = False) -> None:
        require_deals(game)
        self.game, self.actions = game, actions
        self.tree: PublicTree = public_tree(game, folded)
        self.learned = VectorRegrets(self.tree, VARIANTS[METHOD])
        self.scratch = Scratch(self.tree)
        cards = self.tree.deck > 0
        start, weights = dealt(game, cards)
        self.weights = None if cards else weights
        self.nodes: dict[Any, int] = {}  # by public information
        self.states: dict[int, Any] = {}  # of decisions, with some hands
        waiting = [(0, start)]
        while waiting:
            node, s = waiting.pop()
            self.nodes[game.public(s)] = node
            if self.tree.kind[node] < TURN:
                self.states[node] = s
            for link in range(int(self.tree.start[node]), int(self.tree.start[node]) + int(self.tree.width[node])):
                action = int(self.tree.action[link])
                turn = self.tree.kind[node] == TURN
                t = after_event(game, s, action, self.weights) if turn else game.result(s, action)
                waiting.append((int(self.tree.child[link]), t))

    def reach(self, s: Any) -> int:
        """To the next public card; a number of actions if there are none."""
        return TO_THE_CARD if self.tree.deck else self.actions

    def set(self, node: int, shares: np.ndarray) -> None:
        """The strategy at a node [actions, hands of the game]."""
        row = int(self.tree.row[node])
        self.learned.sums[row : row + len(shares)] = shares[:, self.tree.hand]

    def worth(self, node: int, player: int, own: np.ndarray, other: np.ndarray) -> np.ndarray:
        """[hands] what each hand of a player earns from a node on when both follow it."""
        self.scratch.own[0], self.scratch.other[0] = own, other
        walk(self.tree, self.learned, self.scratch, node, player, EVALUATE)
        found: np.ndarray = self.scratch.worth[0].copy()
        return found

    def at(self, states: list[Any], weights: np.ndarray | None) -> Valued:
        """The values of a frontier."""
        nodes, hands = [self.nodes[self.game.public(s)] for s in states], self.tree.hand

        def valued(player: int, own: np.ndarray, other: np.ndarray) -> np.ndarray:
            found = np.zeros_like(own)
            for k, node in enumerate(nodes):
                found[k, hands] = self.worth(node, player, own[k, hands], other[k, hands])
            return found

        return valued


def read_blueprint(game: Game, file: Path, actions: int = 2) -> Blueprint:
    """The policy in a file, asked for every hand at every public state."""
    policy, found = load_policy(game, file), Blueprint(game, actions)
    for node, s in found.states.items():
        start = int(found.tree.start[node])
        taken = found.tree.action[start : start + int(found.tree.width[node])].tolist()
        shares = np.zeros((len(taken), game.private_hands))
        for hand in range(game.private_hands):
            chances = policy.at(game.with_hands(s, hand, hand))
            shares[:, hand] = [chances.get(action, 0.0) for action in taken]
        found.set(node, shares)
    return found
