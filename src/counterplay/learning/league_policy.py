"""The policy of a league of networks: a mixture of agents for each seat, and its file.

At the start, one agent is drawn, and it plays the whole game. Seen from outside, this is a policy: at each turn, the
agents are mixed by how likely each is given the play so far (Kuhn 1953), so nothing but the game needs to be
remembered.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.aspects.learning import Learning
from counterplay.core.errors import CounterplayError
from counterplay.core.formats.archive import read_archive, write_archive
from counterplay.core.game import Game
from counterplay.core.language.state import words
from counterplay.core.playthrough import Playthrough
from counterplay.core.rules import legal
from counterplay.equilibrium.identity import identity
from counterplay.equilibrium.information_tree import InformationTree
from counterplay.equilibrium.plans import plan_of, strategy_of
from counterplay.learning.agents import Shape, answer, shape_of

FORMAT = "counterplay league 1"


class LeaguePolicy:
    """The agents of both seats with their probabilities."""

    def __init__(
        self,
        game: Game,
        shape: Shape,
        agents: tuple[np.ndarray, np.ndarray],
        mixtures: tuple[np.ndarray, np.ndarray],
        about: dict[str, Any] | None = None,
    ) -> None:
        self.game, self.shape, self.about = game, shape, about or {}
        kept = tuple(np.flatnonzero(mixture > 1e-6) for mixture in mixtures)
        self.agents = tuple(seat[use] for seat, use in zip(agents, kept, strict=True))  # float32[agents, numbers]
        self.mixtures = tuple(m[use] / m[use].sum() for m, use in zip(mixtures, kept, strict=True))

    def chances(self, s: Any) -> np.ndarray:
        """[agents, options] the probabilities that the agents of the player to move give their options in `s`."""
        seat, options = int(self.game.to_move(s)), legal(self.game, s)
        keys = np.array([words(self.game.information(s, seat))], np.int64)
        indices = [int(self.game.policy_index(s, action)) for action in options]
        rows = np.array([answer(self.shape, agent, keys)[0][indices] for agent in self.agents[seat]], np.float64)
        rows = np.exp(rows - rows.max(axis=1, keepdims=True))
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))

    def of(self, p: Playthrough) -> dict[int, float]:
        """The probability of each legal action in a playthrough's position."""
        seat = int(self.game.to_move(p.state))
        weights = self.mixtures[seat].copy()
        for s, action in zip(p.states, p.actions, strict=False):
            if not self.game.is_terminal(s) and int(self.game.to_move(s)) == seat:
                weights = weights * self.chances(s)[:, legal(self.game, s).index(action)]
        if not weights.sum() > 0:
            weights = self.mixtures[seat]
        mixed = weights @ self.chances(p.state) / weights.sum()
        return dict(zip(legal(self.game, p.state), mixed.tolist(), strict=True))

    def strategy(self, tree: InformationTree) -> np.ndarray | None:
        """The policy over the tree of its game; None if an index of the policy depends on the state."""
        if type(self.game).policy_index is not Learning.policy_index:
            return None
        plan = np.ones(tree.sequences)
        for seat in range(2):
            sets = slice(int(tree.first[seat]), int(tree.first[seat + 1]))
            own = slice(int(tree.start[sets.start]), int(tree.start[sets.stop]))
            counts = np.diff(tree.start[sets.start : sets.stop + 1])
            rows, actions = np.repeat(np.arange(len(counts)), counts), tree.actions[own.start - 2 : own.stop - 2]
            plan[own] = 0.0
            for agent, weight in zip(self.agents[seat], self.mixtures[seat], strict=True):
                logits = answer(self.shape, agent, tree.key_words()[sets])
                shares = np.exp(logits - logits.max(axis=1, keepdims=True)).astype(np.float64)[rows, actions]
                starts = tree.start[sets.start : sets.stop] - own.start
                whole = np.ones(tree.sequences)
                whole[own] = shares / np.repeat(np.add.reduceat(shares, starts), counts)
                plan[own] += weight * plan_of(tree, whole)[own]
        return strategy_of(tree, plan)

    def save(self, file: Path) -> None:
        """Write it atomically."""
        head = {"format": FORMAT, "game": self.game.spec, "identity": identity(self.game), "about": self.about,
                "hidden": self.shape.hidden}  # fmt: skip
        arrays = {"first": self.agents[0], "second": self.agents[1]}
        arrays |= {"first_mixture": self.mixtures[0], "second_mixture": self.mixtures[1]}
        write_archive(file, head, arrays)


def load_league(game: Game, file: Path) -> LeaguePolicy | None:
    """The league in a file, which must be for this game; None if it holds something else."""
    found = read_archive(file, FORMAT)
    if found is None:
        return None
    head, arrays = found
    if head.get("identity") != identity(game):
        raise CounterplayError(f"{str(file)!r} is a league of another game: {head.get('game')}, not {game.spec}")
    try:
        shape = shape_of(game, int(head["hidden"]))
        seats = (arrays["first"], arrays["second"])
        mixtures = (arrays["first_mixture"], arrays["second_mixture"])
        fits = all(
            len(seat) == len(mixture) > 0 and seat.shape[1] == shape.numbers and np.isfinite(seat).all()
            for seat, mixture in zip(seats, mixtures, strict=True)
        )
    except (KeyError, TypeError, ValueError, IndexError):
        fits = False
    if not fits or any((m < 0).any() or not np.isclose(m.sum(), 1) for m in mixtures):
        raise CounterplayError(f"{str(file)!r} is damaged: its parts are inconsistent")
    return LeaguePolicy(game, shape, seats, mixtures, head.get("about") or {})
