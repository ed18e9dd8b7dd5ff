"""Policies over a public tree: the average strategy of every hand at every public node, and their files.

Where a card represents others (suits), the policy has only what was walked: a playthrough is followed down the tree,
and its hands are renamed on the way.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.archive import read_archive, write_archive
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.equilibrium.identity import identity
from counterplay.equilibrium.public_tree import PublicTree, public_tree, require_deals
from counterplay.equilibrium.public_unrolling import TURN

FORMAT = "counterplay public policy 1"


class PublicPolicy:
    """The average strategy at every public node, as rows over hands."""

    def __init__(
        self,
        game: Game,
        tree: PublicTree,
        sums: np.ndarray,
        about: dict[str, Any] | None = None,
        memory: dict[str, np.ndarray] | None = None,
    ) -> None:
        self.game, self.tree = game, tree
        self.sums = sums  # [rows, hands] of the players' reaches, over iterations
        self.about = about or {}  # how it was made: plain JSON
        self.memory = memory or {}  # what training needs to continue

    def __len__(self) -> int:
        """The number of information sets."""
        return int((self.tree.kind < TURN).sum() * self.tree.hands)

    def of(self, p: Playthrough) -> dict[int, float]:
        """The probability of each legal action in a playthrough's position, for the player to move."""
        tree = self.tree
        node, hand = self.locate(p)
        count, row, start = int(tree.width[node]), int(tree.row[node]), int(tree.start[node])
        parts = self.sums[row : row + count, hand].astype(np.float64)
        total = parts.sum()
        shares = parts / total if total > 0 else np.full(count, 1 / count)
        return dict(zip(tree.action[start : start + count].tolist(), shares.tolist(), strict=True))

    def locate(self, p: Playthrough) -> tuple[int, int]:
        """The node of a playthrough's position, and the mover's hand by its name there."""
        game, tree, node = p.game, self.tree, 0
        if any(int(game.hand_of(p.states[0], player)) >= 0 for player in range(2)):
            raise CounterplayError(f"{game.spec}: the policy follows a hand from its deal on; it cannot start later")
        hands, events = game.suit_symmetries()
        hand_names, event_names = np.arange(hands.shape[1]), np.arange(events.shape[1])  # the name of each here
        for s, action in zip(p.states, p.actions, strict=False):
            if min(int(game.hand_of(s, player)) for player in range(2)) < 0:
                continue  # part of the deal
            is_card = bool(tree.kind[node] == TURN) and events.shape[1] > 0
            wanted = int(event_names[action]) if is_card else int(action)
            link, g = self.link(node, wanted, events if is_card else None)
            node = int(tree.child[link])
            hand_names, event_names = hands[g][hand_names], events[g][event_names] if is_card else event_names
        return node, int(hand_names[game.hand_of(p.state, int(game.to_move(p.state)))])

    def link(self, node: int, action: int, events: np.ndarray | None) -> tuple[int, int]:
        """The link of a node that an action or event takes, and the symmetry by which it represents the event."""
        tree = self.tree
        for link in range(int(tree.start[node]), int(tree.start[node]) + int(tree.width[node])):
            if events is None and tree.action[link] == action:
                return link, 0
            for g in tree.renaming[tree.names[link] : tree.names[link + 1]].tolist() if events is not None else ():
                if events[g, action] == tree.action[link]:  # type: ignore[index]
                    return link, g
        raise CounterplayError(f"{self.game.spec}: the policy's public tree has no such action here")

    def save(self, file: Path) -> None:
        """Write the policy, atomically."""
        head = {"format": FORMAT, "game": self.game.spec, "identity": identity(self.game), "about": self.about}
        arrays: dict[str, Any] = {"sums": self.sums}
        write_archive(file, head, arrays | {f"memory_{name}": part for name, part in self.memory.items()})


def load_public_policy(game: Game, file: Path) -> PublicPolicy | None:
    """The policy in a file, which must be for this game; None if the file is not a policy of this kind."""
    try:
        known = file.stat()
    except OSError:
        return None  # the reader of the other format reports the error
    return _read(game, file.resolve(), known.st_mtime_ns, known.st_size)


@functools.lru_cache(maxsize=1)
def _read(game: Game, file: Path, modified: int, size: int) -> PublicPolicy | None:
    """The same, cached: an unchanged file is not read twice, since it is large and a match has many games."""
    found = read_archive(file, FORMAT)
    if found is None:
        return None
    head, arrays = found
    if head.get("identity") != identity(game):
        raise CounterplayError(
            f"{str(file)!r} is a policy for another game: it was made for {head.get('game')}, whose rules differ "
            f"from those of {game.spec} now"
        )
    require_deals(game)
    tree = public_tree(game)
    shape = (tree.rows, tree.hands)
    memory = {name.removeprefix("memory_"): part for name, part in arrays.items() if name.startswith("memory_")}
    parts = [arrays.get("sums"), *memory.values()]
    about = head.get("about")
    if any(part is None or part.dtype != np.float32 or part.ndim != 2 for part in parts) or not isinstance(about, dict):
        raise CounterplayError(f"{str(file)!r} is damaged: its parts are inconsistent")
    if arrays["sums"].shape != shape or not np.isfinite(arrays["sums"]).all() or (arrays["sums"] < 0).any():
        raise CounterplayError(f"{str(file)!r} is damaged: its strategy does not fit the game's public tree")
    return PublicPolicy(game, tree, arrays["sums"], about, memory)
