"""Hidden information: what each player knows, and which states they consider possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from counterplay.core.types import State

if TYPE_CHECKING:
    from counterplay.core.language.rng import Rng


class Secrets:
    """Hidden information: what each player knows, and which states they consider possible."""

    def information(self, s: State, player: int) -> Any:
        """What `player` knows in `s`: an int or a NamedTuple of ints, equal for two states exactly if the player cannot
        tell them apart."""
        return 0

    def resample(self, s: State, player: int, rng: Rng) -> State:
        """A random state that `player` considers possible in `s`."""
        return s

    def essence(self, s: State) -> Any:
        """`s` without what only records the past or counts towards a draw: a state from which the game continues in the
        same way. Beliefs are sets of these."""
        return s

    def bucket(self, s: State, player: int) -> Any:
        """A coarser form of what `player` knows: like `information`, and equal whenever that is. An abstraction of the game
        uses this instead."""
        return self.information(s, player)

    @property
    def has_secrets(self) -> bool:
        """Whether some player does not see everything."""
        return type(self).information is not Secrets.information

    @property
    def has_buckets(self) -> bool:
        """Whether the game has an abstraction."""
        return type(self).bucket is not Secrets.bucket
