"""What weights are attached to: the game's own features, rich or raw, its planes cell by cell, or its patterns.

Each of these is a class that joins a game's own (`judged.py`): `learned_encode(s, out)` writes the entries of a
state. The last entry is always there: the bias.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterplay.core.calling import ask, refuse
from counterplay.core.errors import Unsuitable
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.features import Features, blank, note
from counterplay.core.language.pointer import pointer
from counterplay.core.language.wide import u64
from counterplay.core.survey import survey
from counterplay.core.types import State
from counterplay.evaluation.patterns import BYTES, ROW, tabulate


class FromFeatures:
    """The features that the game names."""

    @staticmethod
    def lay_out(game: Game) -> dict[str, Any]:
        """The attributes that `learned_encode` needs."""
        if not game.feature_names:
            raise Unsuitable(
                f"{game.spec} has no features: a game offers them by writing `feature_names` and `features`"
            )
        inputs = len(game.feature_names) + 1
        return {"learned_inputs": inputs, "learned_room": inputs}

    def learned_encode(self: Any, s: State, out: Features) -> None:
        """Write the entries of `s`."""
        self.features(s, out)
        note(out, self.learned_inputs - 1, 1.0)


class FromRaw:
    """The raw features, with the same weights at every stage: all knowledge has to be learned."""

    @staticmethod
    def lay_out(game: Game) -> dict[str, Any]:
        if not game.raw_names:
            raise Unsuitable(
                f"{game.spec} has no raw features: a game offers them by writing `raw_names` and `raw_features`"
            )
        inputs = len(game.raw_names) + 1
        return {"learned_inputs": inputs, "learned_room": inputs, "stages": 1}

    def stage(self: Any, s: State) -> int:
        """There is only one."""
        return 0

    def learned_encode(self: Any, s: State, out: Features) -> None:
        self.raw_features(s, out)
        note(out, self.learned_inputs - 1, 1.0)


class FromPlanes:
    """Each cell of each plane: with linear weights, piece-square tables."""

    @staticmethod
    def lay_out(game: Game) -> dict[str, Any]:
        if not game.plane_shape:
            raise Unsuitable(f"{game.spec} has no planes: a game offers them by writing `plane_shape` and `planes`")
        inputs = int(np.prod(game.plane_shape)) + 1
        return {"learned_inputs": inputs, "learned_room": inputs}

    def learned_encode(self: Any, s: State, out: Features) -> None:
        seen = np.zeros(self.plane_shape, np.float32)
        self.planes(s, seen)
        flat = seen.ravel()
        for i in range(self.learned_inputs - 1):
            if flat[i] != 0:
                note(out, i, flat[i])
        note(out, self.learned_inputs - 1, 1.0)


class FromPatterns:
    """The entries of the game's patterns, symmetric ones as one, and whether an odd number of plies remains."""

    @staticmethod
    def lay_out(game: Game) -> dict[str, Any]:
        if not game.patterns:
            raise Unsuitable(f"{game.spec} has no patterns: a game offers them by writing `patterns` and `stones`")
        found = tabulate(game)
        return {
            "learned_inputs": found.entries + 2,
            "learned_room": len(found.offset) + 2,
            "learned_images": len(found.offset),
            "learned_offset": found.offset,
            "learned_digits": found.digits.ravel(),
            "learned_canon": found.canon,
        }

    def learned_encode(self: Any, s: State, out: Features) -> None:
        mine, theirs = self.stones(s)
        for image in range(self.learned_images):
            note(out, self.learned_canon[self.learned_entry(image, mine, theirs)], 1.0)
        if self.remaining(s) & 1:
            note(out, self.learned_inputs - 2, 1.0)
        note(out, self.learned_inputs - 1, 1.0)

    def learned_entry(self: Any, image: int, mine: u64, theirs: u64) -> Any:
        """The entry of an image of a pattern. Numbers of 32 bits, so that as many as possible are added at once."""
        digits, images = pointer(self.learned_digits), self.learned_images
        number = np.int32(pointer(self.learned_offset)[image])
        for byte in range(BYTES):
            row = images * ROW * byte + image
            number = np.int32(number + digits[row + images * int(mine >> 8 * byte & 255)])
            number = np.int32(number + 2 * digits[row + images * int(theirs >> 8 * byte & 255)])
        return number


class EncodedGame(Game):
    """A game combined with one of these, as training sees it (`judged.encoded`)."""

    learned_inputs: int  # the number of entries
    learned_room: int  # the most entries of a state

    def learned_encode(self, s: State, out: Features) -> None:
        """Write the entries of a state."""
        raise NotImplementedError


MANY = 12
"""Positions in which features and planes may not all be empty."""
KINDS: dict[str, Any] = {"features": FromFeatures, "raw": FromRaw, "planes": FromPlanes, "patterns": FromPatterns}


def usual_encoding(game: Game) -> str:
    """The default: the game's features if it has any, then its patterns, then its planes."""
    if game.feature_names:
        return "features"
    if game.patterns:
        return "patterns"
    if game.plane_shape:
        return "planes"
    raise Unsuitable(f"{game.spec} offers nothing to learn from: no features, no patterns, no planes")


def try_encoding(game: Game) -> None:
    """Try a user's game in plain Python, on a few random positions, with everything that learning reads from it:
    compiled code would silently write beyond its arrays."""
    if type(game).__module__.partition(".")[0] == "counterplay":
        return
    tried = noted = filled = 0
    for position in survey(game, playthroughs=4, seconds=3.0, limit=200).positions:
        if position.options and position.mover != CHANCE:
            noted += try_features(game, position.state)
            filled += try_planes(game, position.state)
            try_policy(game, position.state, position.options)
            tried += 1
    require_written(game, tried, noted, filled)


def require_written(game: Game, tried: int, noted: int, filled: int) -> None:
    """Refuse features and planes that stay empty in many positions, by how many numbers they wrote. (In a few they may:
    a board is empty at first.)"""
    if tried < MANY:
        return
    if game.feature_names and not noted:
        raise refuse(game, "features", "`features` notes nothing in any position; write note(out, feature, value)")
    if game.plane_shape and not filled:
        why = "`planes` leaves `out` as it is in every position; write into it: out[...] = 1.0"
        raise refuse(game, "planes", why)


def try_features(game: Game, s: State) -> int:
    """Refuse features without a name, or that are not numbers."""
    noted = 0
    for hook, listed in (("features", "feature_names"), ("raw_features", "raw_names")):
        names = getattr(game, listed)
        if not names:
            continue
        out = blank(len(names) + 1)
        ask(game, hook, s, out)
        for feature, value in zip(out.index[: out.used[0]].tolist(), out.value[: out.used[0]].tolist(), strict=True):
            if not 0 <= feature < len(names):
                told = f"`{hook}` notes feature {feature}, but `{listed}` has {len(names)}, numbered from 0"
                raise refuse(game, hook, told)
            if not np.isfinite(value):
                raise refuse(game, hook, f"`{hook}` notes {value} as {names[feature]!r}")
        noted += int(out.used[0]) if hook == "features" else 0
    return noted


def try_planes(game: Game, s: State) -> int:
    """Refuse planes written beyond their shape, or with something that is not a number. Returns how many cells are not
    0."""
    if not game.plane_shape:
        return 0
    out = np.zeros(game.plane_shape, np.float32)
    ask(game, "planes", s, out)
    if not np.isfinite(out).all():
        raise refuse(game, "planes", "`planes` writes a value that is not a finite number")
    return int(np.count_nonzero(out))


def try_policy(game: Game, s: State, options: Sequence[int]) -> None:
    """Refuse an index of an action beyond the policy."""
    for action in options if game.policy_size else ():
        index = ask(game, "policy_index", s, action)
        if not 0 <= index < game.policy_size:
            told = f"`policy_index` is {index} for the action {action}, but `policy_size` is {game.policy_size}"
            raise refuse(game, "policy_index", told)
