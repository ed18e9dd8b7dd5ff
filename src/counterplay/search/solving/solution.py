"""What exact solving proved, said the same way by every method."""

from __future__ import annotations

from typing import NamedTuple


class Answer(NamedTuple):
    """What is proven of one action of the root."""

    action: int
    bounds: tuple[float, float]  # what it gives the side to move, at least and at most
    plies: int | None = None  # from the root to the end under best play, where that is known

    @property
    def value(self) -> float | None:
        """What the action gives, where that is known."""
        return self.bounds[0] if self.bounds[0] == self.bounds[1] else None


class Solution(NamedTuple):
    """What is proven of a position. All values are from the point of view of the side to move."""

    bounds: tuple[float, float]  # what the side to move gets from best play, at least and at most
    plies: int | None  # to the end under best play, where the best result is sought early and the worst late
    action: int | None  # one that gives as much as the lower bound says; None where nothing is proven of any
    actions: tuple[Answer, ...]  # the best ones, or all where all were asked for, best first
    proven: bool  # the value and its distance are exact (of pns: it is certain who wins)
    complete: bool  # nothing is open of what was asked for, about other actions as well
    method: str  # search, deepening, retrograde, pns or grundy; book or tables where it was solved before
    nodes: int = 0
    seconds: float = 0.0
    plies_bounds: tuple[int, int] | None = None  # where the result is known but not when it comes
    ran_out: str = ""  # what there was too little of: "time", "nodes", "memory" or "depth"
    grundy: int | None = None  # the size of the Nim heap that an impartial game is worth

    @property
    def value(self) -> float | None:
        """What the side to move gets from best play, where that is known."""
        return self.bounds[0] if self.bounds[0] == self.bounds[1] else None


def best_first(answers: list[Answer]) -> tuple[Answer, ...]:
    """Answers by what they give at least, then at most; of equal ones the sooner win and the later loss."""

    def worth(answer: Answer) -> tuple[float, float, float]:
        plies = answer.plies or 0
        return -answer.bounds[0], -answer.bounds[1], plies if answer.bounds[0] > 0 else -plies

    return tuple(sorted(answers, key=worth))
