"""What a learned evaluation or a network sees of a position: features, patterns, planes, policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from counterplay.core.aspects.chance import CHANCE
from counterplay.core.language.wide import u64
from counterplay.core.types import State

if TYPE_CHECKING:
    from counterplay.core.language.actions import Actions
    from counterplay.core.language.features import Features

MOST_EVENTS = 1000
"""The number of successive events after which `viewer` stops looking for the next player to act."""


class Learning:
    """What a learned evaluation or a network sees of a position: features, patterns, planes, policy."""

    plane_shape: tuple[int, ...] = ()
    """Shape of the planes that a network sees (planes, rows, columns); empty: none."""
    policy_size: int = 0
    """The number of indices in a network's policy, each for an action (`policy_index`); 0: the game has no policy."""
    outcomes: tuple[float, ...] = ()
    """What a player can get at the end, in ascending order, if that is a short list; empty: only bounds are known."""
    feature_names: tuple[str, ...] = ()
    """The features of a state, by name; `features` writes them."""
    raw_names: tuple[str, ...] = ()
    """The same without an expert's counts, for a game that offers both; `raw_features` writes them."""
    patterns: tuple[tuple[int, ...], ...] = ()
    """Groups of cells that are evaluated together; `stones` says who owns each cell. Symmetric groups are added
    automatically."""
    stages: int = 1
    """The number of stages of the game, each with its own weights; `stage` says which."""
    sparse_size: int = 0
    """The number of sparse features (a piece on a square, say) that a player sees, numbered from 0; 0: the game has
    none."""
    sparse_most: int = 64
    """The maximum number of them that are on at once."""
    version: ClassVar[int] = 1
    """The version of features, planes, patterns and stages: raise it when their meaning changes, and older models are
    rejected."""

    def planes(self, s: State, out: Any) -> None:
        """Write what the side to move sees into `out`, zeros of shape `plane_shape`."""

    def policy_index(self, s: State, action: int) -> int:
        """The index of `action` in a network's policy, below `policy_size`. If planes are rotated to the side to move, its
        actions are rotated with them; actions that share an index share their probability."""
        return action

    def viewer(self: Any, s: State) -> int:
        """The player from whose point of view `features`, `stones` and `planes` show `s`: the side to move; if chance
        moves, the player who acts next. If that depends on the event, the game must define this."""
        mover = self.to_move(s)
        if self.has_chance and self.players > 1:
            events: Any = [u64(0)]  # compiled, it takes every type of event
            for step in range(MOST_EVENTS):
                if mover != CHANCE or self.is_terminal(s):
                    break
                events.clear()
                self.chance(s, events)
                if len(events) == 0:
                    break
                before = s
                for i in range(len(events)):  # not always the first, which may be to roll again
                    s = self.result(before, int(events[(step + i) % len(events)]))
                    if not self.is_terminal(s):
                        break
                mover = self.to_move(s)
        return max(mover, 0)

    def features(self, s: State, out: Features) -> None:
        """Record the features of `s` that are not 0: `note(out, feature, value)`, numbered as in `feature_names`."""

    def raw_features(self, s: State, out: Features) -> None:
        """Record the raw features of `s` that are not 0, numbered as in `raw_names`."""

    def stage(self: Any, s: State) -> int:
        """The stage of the game in `s`, from 0."""
        return 0

    def stones(self, s: State) -> tuple[u64, u64]:
        """Which cells of a board of at most 64 are mine, and which are the opponent's, for `patterns`."""
        return u64(0), u64(0)

    def sparse_features(self, s: State, player: int, out: Actions) -> None:
        """Append the sparse features of `s` that are on, as `player` sees them, each once."""

    def sparse_changes(self, s: State, action: int, player: int, out: Actions) -> bool:
        """Append what `action` changes in `sparse_features(s, player, ...)`: `feature` if it turns one on, `~feature` if it
        turns one off. Returns whether it did; if not, the features are listed again."""
        return False

    @property
    def has_sparse(self) -> bool:
        """Whether the game has sparse features."""
        return self.sparse_size > 0

    @property
    def has_accumulators(self) -> bool:
        """Whether the game is evaluated by a network whose first layer a search updates action by action."""
        return False

    def symmetric_cell(self: Any, cell: int, k: int) -> int:
        """The index of a cell in the k-th symmetric form."""
        return self.symmetric_action(cell, k)
