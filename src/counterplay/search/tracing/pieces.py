"""A long trace piece by piece: the upper levels of the tree first, and the subtree of a node on request.

The search is the same each time, so an event's number identifies it. Only whole subtrees are left out: each node that
is kept is entered and left, and says how many events below it are missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Event = dict[str, Any]


def pieces(events: list[Event], limit: int, opened: Iterable[int] = ()) -> list[Event]:
    """At most about `limit` events: as many levels from the root as fit, and as many below each of the `opened` nodes,
    given by the number of the event that enters them. Events get their number (`at`); nodes whose subtree is left out
    get the number of events in it (`hidden`)."""
    depths, ends = nested(events)
    kept: set[int] = set()
    for start in (0, *sorted(opened)):
        if not 0 <= start < len(events) or (start and start not in kept):
            continue  # not a node, or one that is not shown
        end = ends.get(start, len(events)) if start else len(events)
        kept |= levels(range(start, end), depths, depths[start], limit)
    shown: list[Event] = []
    for i in sorted(kept):
        event = events[i] | {"at": i}
        if event["event"] == "enter":
            inside = ends.get(i, len(events)) - i - 2
            if inside > 0 and i + 1 not in kept:
                event["hidden"] = inside
        shown.append(event)
    return shown


def nested(events: list[Event]) -> tuple[list[int], dict[int, int]]:
    """The depth of each event, and where the visit that an event enters ends (one after its last event)."""
    depths, ends, path = list[int](), dict[int, int](), list[int]()
    for i, event in enumerate(events):
        if event["event"] == "leave":
            start = path.pop()
            ends[start] = i + 1
            depths.append(depths[start])
            continue
        depths.append(len(path))
        if event["event"] == "enter":
            path.append(i)
    return depths, ends


def levels(place: range, depths: list[int], top: int, limit: int) -> set[int]:
    """The events of a subtree down to the deepest level at which there are no more than `limit`; always two levels."""
    counts: dict[int, int] = {}
    for i in place:
        counts[depths[i]] = counts.get(depths[i], 0) + 1
    deepest, total = top + 1, counts.get(top, 0) + counts.get(top + 1, 0)
    while deepest + 1 in counts and total + counts[deepest + 1] <= limit:
        deepest += 1
        total += counts[deepest]
    return {i for i in place if depths[i] <= deepest}
