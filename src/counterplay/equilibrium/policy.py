"""Policies: what to do in each information set, and their files.

A file is a NumPy archive of plain arrays, read without executing anything in it. It carries the game's identity, the
probabilities, and what training needs to continue where it stopped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.archive import read_archive, write_archive
from counterplay.core.game import Game
from counterplay.core.language.state import words
from counterplay.core.playthrough import Playthrough
from counterplay.core.rules import legal
from counterplay.equilibrium.abstraction import Abstraction, abstraction
from counterplay.equilibrium.identity import identity
from counterplay.equilibrium.information_tree import InformationTree

FORMAT = "counterplay policy 1"


class Policy:
    """Probabilities of actions by what a player knows; if its game is an abstraction, by their bucket."""

    def __init__(
        self,
        game: Game,
        owner: np.ndarray,
        keys: np.ndarray,
        start: np.ndarray,
        actions: np.ndarray,
        probabilities: np.ndarray,
        about: dict[str, Any] | None = None,
        memory: dict[str, np.ndarray] | None = None,
    ) -> None:
        self.game = game
        self.owner = owner  # [sets] whose set it is
        self.keys = keys  # [sets, words] what they know
        self.start = start  # [sets + 1] where its actions begin
        self.actions = actions  # [actions]
        self.probabilities = probabilities  # [actions]
        self.about = about or {}  # how it was made: plain JSON
        self.memory = memory or {}  # what training needs to continue
        self._places: dict[tuple[int, ...], int] | None = None

    @classmethod
    def on_tree(cls, game: Game, tree: InformationTree, strategy: np.ndarray, **about: Any) -> Policy:
        """The policy of a strategy over a tree."""
        players = tree.players
        return cls(
            game, tree.owner, tree.key_words(), tree.start - players, tree.actions, strategy[players:].copy(), about
        )

    @property
    def is_abstract(self) -> bool:
        """Whether it distinguishes only buckets."""
        return isinstance(self.game, Abstraction)

    def __len__(self) -> int:
        return len(self.owner)

    def index(self, player: int, known: tuple[int, ...]) -> int | None:
        """The index of an information set; None if the policy lacks it."""
        if self._places is None:
            rows = np.column_stack([self.owner[:, None], self.keys]).tolist()
            self._places = {tuple(row): i for i, row in enumerate(rows)}
        return self._places.get((player, *known))

    def at(self, s: Any) -> dict[int, float]:
        """The probability of each legal action in `s`: uniform if the policy lacks its information set."""
        player = int(self.game.to_move(s))
        found = self.index(player, words(self.game.information(s, player)))
        if found is None:
            options = legal(self.game, s)
            return dict.fromkeys(options, 1 / len(options))
        part = slice(self.start[found], self.start[found + 1])
        return dict(zip(self.actions[part].tolist(), self.probabilities[part].tolist(), strict=True))

    def of(self, p: Playthrough) -> dict[int, float]:
        """The same for the position of a playthrough."""
        return self.at(p.state)

    def strategy(self, tree: InformationTree) -> tuple[np.ndarray, int]:
        """The policy over a tree of its game, and the number of information sets that it lacks (it is uniform there)."""
        players, known = tree.players, tree.key_words()
        if self.is_abstract and tree.buckets.size:
            known = tree.bucket_words()
        if np.array_equal(self.keys, known) and np.array_equal(self.owner, tree.owner):
            return np.append(np.ones(players), self.probabilities), 0
        counts = np.diff(tree.start)
        strategy = np.append(np.ones(players), np.repeat(1.0 / counts, counts))
        missing = 0
        for k, (player, row) in enumerate(zip(tree.owner.tolist(), known.tolist(), strict=True)):
            found = self.index(player, tuple(row))
            if found is None:
                missing += 1
            else:
                strategy[tree.start[k] : tree.start[k + 1]] = self.probabilities[
                    self.start[found] : self.start[found + 1]
                ]
        return strategy, missing

    def save(self, file: Path) -> None:
        """Write the policy, atomically."""
        head = {
            "format": FORMAT,
            "game": self.game.spec,
            "identity": identity(self.game),
            "about": self.about,
        }
        arrays: dict[str, Any] = {
            "owner": self.owner.astype(np.int8),
            "keys": self.keys,
            "start": self.start,
            "actions": self.actions,
            "probabilities": self.probabilities,
        }
        arrays |= {f"memory_{name}": part for name, part in self.memory.items()}
        write_archive(file, head, arrays)


def load_policy(game: Game, file: Path) -> Policy:
    """The policy in a file, which must be for this game, or for its abstraction."""
    head, arrays = _read(file)
    if game.has_buckets and head["identity"] == identity(abstraction(game)):
        game = abstraction(game)
    elif head["identity"] != identity(game):
        raise CounterplayError(
            f"{str(file)!r} is a policy for another game: it was made for {head['game']}, whose rules differ from those of "
            f"{game.spec} now"
        )
    wrong = CounterplayError(f"{str(file)!r} is damaged: its parts are inconsistent")
    try:
        owner, keys, start = arrays["owner"], arrays["keys"], arrays["start"]
        actions, probabilities = arrays["actions"], arrays["probabilities"]
    except KeyError:
        raise wrong from None
    whole = all(part.dtype == np.int64 for part in (keys, start, actions)) and probabilities.dtype == np.float64
    whole = whole and owner.dtype == np.int8
    shapes = [part.ndim for part in (owner, keys, start, actions, probabilities)] == [1, 2, 1, 1, 1]
    fits = whole and shapes and len(owner) == len(keys) == len(start) - 1 and len(actions) == len(probabilities)
    if not fits or len(start) < 2 or start[0] != 0 or start[-1] != len(actions) or (np.diff(start) < 1).any():
        raise wrong
    sums = np.add.reduceat(probabilities, start[:-1])
    if not (probabilities >= 0).all() or not np.allclose(sums, 1, atol=1e-6):
        raise wrong
    memory = {name.removeprefix("memory_"): part for name, part in arrays.items() if name.startswith("memory_")}
    return Policy(game, owner.astype(np.int64), keys, start, actions, probabilities, head["about"], memory)


def _read(file: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The contents of a file: its header and its arrays."""
    found = read_archive(file, FORMAT)
    if found is None or not isinstance(found[0].get("identity"), str) or not isinstance(found[0].get("about"), dict):
        raise CounterplayError(f"{str(file)!r} is not a policy: `counterplay equilibrium GAME -o FILE` writes one")
    return found
