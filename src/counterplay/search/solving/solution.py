"""What exact solving proved, in the same form for every method."""

from __future__ import annotations

from typing import NamedTuple


class Answer(NamedTuple):
    """What is proven of one action of the root."""

    action: int
    bounds: tuple[float, float]  # the least and the most that it gives the side to move
    plies: int | None = None  # from the root to the end under best play, if known

    @property
    def value(self) -> float | None:
        """What the action gives, if known."""
        return self.bounds[0] if self.bounds[0] == self.bounds[1] else None


class Solution(NamedTuple):
    """What is proven of a position. All values are from the point of view of the side to move."""

    bounds: tuple[float, float]  # the least and the most that the side to move gets from best play
    plies: int | None  # to the end under best play, with the best result as early and the worst as late as possible
    action: int | None  # one that gives as much as the lower bound; None if nothing is proven of any
    actions: tuple[Answer, ...]  # the best ones, or all if all were asked for, best first
    proven: bool  # the value and its distance are exact (for pns: it is certain who wins)
    complete: bool  # nothing that was asked for is open, including other actions
    method: str  # search, deepening, retrograde, pns or grundy; book or tables if it was solved before
    nodes: int = 0
    seconds: float = 0.0
    plies_bounds: tuple[int, int] | None = None  # if the result is known but not when it comes
    ran_out: str = ""  # what ran out: "time", "nodes", "memory" or "depth"
    grundy: int | None = None  # the size of the Nim heap that an impartial game is worth

    @property
    def value(self) -> float | None:
        """What the side to move gets from best play, if known."""
        return self.bounds[0] if self.bounds[0] == self.bounds[1] else None


def best_first(answers: list[Answer]) -> tuple[Answer, ...]:
    """Answers sorted by their lower bound, then upper bound; among equals the sooner win and the later loss first."""

    def worth(answer: Answer) -> tuple[float, float, float]:
        plies = answer.plies or 0
        return -answer.bounds[0], -answer.bounds[1], plies if answer.bounds[0] > 0 else -plies

    return tuple(sorted(answers, key=worth))
