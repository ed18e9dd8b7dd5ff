"""Kriegspiel endings over tuples and sets, written independently of the package: moves, and beliefs as sets of
squares.
"""

from __future__ import annotations

from collections import defaultdict

Square = tuple[int, int]  # rank and file
Node = tuple[Square, Square, frozenset[Square], frozenset[Square]]  # king, piece, where the other king may be, refused

STRAIGHT, DIAGONAL = [(0, 1), (1, 0), (0, -1), (-1, 0)], [(1, 1), (1, -1), (-1, 1), (-1, -1)]


class Ending:
    def __init__(self, size: int, queen: bool) -> None:
        self.size, self.ways = size, STRAIGHT + DIAGONAL if queen else STRAIGHT
        self.board = {(r, f) for r in range(size) for f in range(size)}

    def near(self, at: Square) -> set[Square]:
        return {(at[0] + a, at[1] + b) for a, b in STRAIGHT + DIAGONAL} & self.board

    def sees(self, piece: Square, king: Square) -> set[Square]:
        seen = set()
        for a, b in self.ways:
            at = (piece[0] + a, piece[1] + b)
            while at in self.board:
                seen.add(at)
                if at == king:
                    break
                at = (at[0] + a, at[1] + b)
        return seen

    def replies(self, king: Square, piece: Square, lone: Square) -> set[Square]:
        return self.near(lone) - self.near(king) - self.sees(piece, king) - {king}

    def heard(self, king: Square, piece: Square, lone: Square) -> str:
        if lone not in self.sees(piece, king):
            return "quiet"
        a, b = lone[0] - piece[0], lone[1] - piece[1]
        if a == 0 or b == 0:
            return "rank" if a == 0 else "file"

        def length(step: int) -> int:
            return sum((lone[0] + k, lone[1] + step * k) in self.board for k in range(-self.size, self.size + 1))

        step = 1 if a == b else -1
        return "long" if length(step) >= length(-step) else "short"

    def start(self) -> Node:
        king, piece = (0, 0), (0, 1)
        free = self.board - self.near(king) - self.sees(piece, king) - {king, piece}
        return king, piece, frozenset(free), frozenset()

    def tries(self, node: Node) -> list[tuple[Square, Square]]:
        """Where White's two pieces would stand after each try."""
        king, piece, _, refused = node
        mine = [(to, piece) for to in self.near(king) - {piece} - refused]
        return mine + [(king, to) for to in self.sees(piece, king) - {king}]

    def after(self, node: Node, attempt: tuple[Square, Square]) -> list[Node] | None:
        """The beliefs that a try may lead to, without mates; None if it may lead to a draw."""
        king, piece = attempt
        refused = frozenset(lone for lone in node[2] if king in self.near(lone))
        found = [(node[0], node[1], refused, node[3] | {king})] if refused else []
        groups = defaultdict(set)
        for lone in node[2] - refused:
            groups[self.heard(king, piece, lone)].add(lone)
        for word, squares in groups.items():
            reached = set()
            for lone in squares:
                replies = self.replies(king, piece, lone)
                if piece in replies or (not replies and word == "quiet"):
                    return None
                reached |= replies
            if reached:
                found.append((king, piece, frozenset(reached), frozenset()))
        return found

    def guaranteed(self) -> tuple[int | None, int]:
        """The number of tries within which White is certain to mate from the start, and the number of beliefs White
        may have.
        """
        graph: dict[Node, list[list[Node]]] = {}
        waiting = [self.start()]
        while waiting:
            node = waiting.pop()
            if node not in graph:
                outcomes = [self.after(node, attempt) for attempt in self.tries(node)]
                graph[node] = [outcome for outcome in outcomes if outcome is not None]
                waiting += [each for outcome in graph[node] for each in outcome]
        won: dict[Node, int] = {}
        for rounds in range(1, len(graph) + 1):
            new = [n for n in graph if n not in won and any(all(m in won for m in o) for o in graph[n])]
            won |= dict.fromkeys(new, rounds)
            if not new:
                break
        return won.get(self.start()), len(graph)

    def leaves(self, depth: int) -> int:
        """The number of sequences of this many actions, including the placement of Black's king."""
        start = self.start()
        return sum(self.count((*start[:2], lone), frozenset(), True, depth - 1) for lone in start[2])

    def count(self, pieces: tuple[Square, Square, Square], refused: frozenset[Square], white: bool, depth: int) -> int:
        if depth == 0:
            return 1
        king, piece, lone = pieces
        if not white:
            moves = self.replies(king, piece, lone)
            return sum(
                self.count((king, piece, to), frozenset(), True, depth - 1) if to != piece else depth == 1
                for to in moves
            )
        total = 0
        for attempt in self.tries((king, piece, frozenset(), refused)):
            if attempt[0] in self.near(lone):
                total += self.count(pieces, refused | {attempt[0]}, True, depth - 1)
            else:
                total += self.count((*attempt, lone), frozenset(), False, depth - 1)
        return total
