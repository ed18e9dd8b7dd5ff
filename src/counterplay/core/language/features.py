"""What a learned evaluation sees of a state: a short list of numbered features, each with a value.

`Game.features(s, out)` calls `note(out, feature, value)` for each feature that is not 0. Most are 0 in most states
(which piece stands where), so a learned evaluation adds up only a few entries, however many features there are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Features(NamedTuple):
    """The features of one state that are not 0."""

    index: Any  # int32 [room] which
    value: Any  # float32 [room]
    used: Any  # int64 [1] how many


def blank(room: int) -> Features:
    """An empty list with room for `room` features."""
    return Features(np.empty(room, np.int32), np.empty(room, np.float32), np.zeros(1, np.int64))


def note(out: Features, feature: int, value: float) -> None:
    """Record a feature; any that does not fit is left out."""
    n = out.used[0]
    if n < out.index.size:
        out.index[n] = feature
        out.value[n] = value
        out.used[0] = n + 1
