"""Go over dictionaries and sets, from stone to stone: the oracle for the bitboards, written independently."""

from __future__ import annotations

from typing import NamedTuple

Point = tuple[int, int]


class Position(NamedTuple):
    size: int
    stones: tuple[tuple[Point, int], ...] = ()  # sorted
    player: int = 0
    passes: int = 0
    ko: Point | None = None
    seen: frozenset[tuple[tuple[Point, int], ...]] = frozenset([()])


def around(size: int, point: Point) -> list[Point]:
    row, column = point
    places = ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1))
    return [(r, c) for r, c in places if 0 <= r < size and 0 <= c < size]


def chain(board: dict[Point, int], size: int, start: Point) -> tuple[set[Point], set[Point]]:
    """The chain of a stone and its liberties."""
    members, liberties, waiting = {start}, set(), [start]
    while waiting:
        for point in around(size, waiting.pop()):
            if point not in board:
                liberties.add(point)
            elif board[point] == board[start] and point not in members:
                members.add(point)
                waiting.append(point)
    return members, liberties


def play(p: Position, point: Point | None, superko: bool, suicide: bool) -> Position | None:
    """The position after a move (None: a pass), or None if it is illegal."""
    if point is None:
        return p._replace(player=1 - p.player, passes=p.passes + 1, ko=None)
    board = dict(p.stones)
    if point in board or point == p.ko:
        return None
    board[point] = p.player
    taken: set[Point] = set()
    for beside in around(p.size, point):
        if board.get(beside) == 1 - p.player:
            members, liberties = chain(board, p.size, beside)
            if not liberties:
                taken |= members
    for dead in taken:
        del board[dead]
    members, liberties = chain(board, p.size, point)
    if not liberties:
        if not suicide or len(members) == 1:
            return None
        for dead in members:
            del board[dead]
    stones = tuple(sorted(board.items()))
    if superko and stones in p.seen:
        return None
    ko = next(iter(taken)) if len(taken) == 1 and len(members) == 1 and liberties == taken else None
    return Position(p.size, stones, 1 - p.player, 0, ko, p.seen | {stones})


def moves(p: Position, superko: bool, suicide: bool) -> dict[Point | None, Position]:
    """Every legal move with its position."""
    if p.passes == 2:
        return {}
    points: list[Point | None] = [(r, c) for r in range(p.size) for c in range(p.size)]
    tried = {point: play(p, point, superko, suicide) for point in [*points, None]}
    return {point: after for point, after in tried.items() if after is not None}


def lead(p: Position) -> int:
    """Black's lead in points of area."""
    board, total, done = dict(p.stones), 0, set()
    for point in ((r, c) for r in range(p.size) for c in range(p.size)):
        if point in board:
            total += 1 - 2 * board[point]
        elif point not in done:
            region, colours, waiting = {point}, set(), [point]
            while waiting:
                for beside in around(p.size, waiting.pop()):
                    if beside in board:
                        colours.add(board[beside])
                    elif beside not in region:
                        region.add(beside)
                        waiting.append(beside)
            done |= region
            if len(colours) == 1:
                total += len(region) * (1 - 2 * colours.pop())
    return total


def leaves(p: Position, depth: int, superko: bool, suicide: bool) -> int:
    """The number of sequences of exactly `depth` moves."""
    after = moves(p, superko, suicide)
    return len(after) if depth == 1 else sum(leaves(q, depth - 1, superko, suicide) for q in after.values())
