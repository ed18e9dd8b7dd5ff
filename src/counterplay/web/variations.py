"""A tree of moves: a main line, variations that branch off it, and the current position. As text, it fits into an
address.

The main line is written in the game's notation. Every other line is the number of the position that it branches off and
the numbers of its actions, such as `2:17.33`; positions are numbered in this order, the first one 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE
from counterplay.core.playthrough import Playthrough
from counterplay.web.admission import MOST_ACTIONS
from counterplay.web.judging import Told


class MoveNode:
    """A position of the tree, and the move that led to it."""

    def __init__(self, parent: MoveNode | None, action: int, text: str, mover: int) -> None:
        self.parent, self.action, self.text, self.mover = parent, action, text, mover
        self.children: list[MoveNode] = []  # the first one continues the line, the others are variations
        self.ply: int = 0 if parent is None else parent.ply + 1
        self.studied: Told | None = None  # the live search's result
        self.done = False  # the live search has nothing to add
        self.judged: Told | None = None  # the review's result

    def path(self) -> list[MoveNode]:
        """The positions from the first one after the root to this one."""
        found: list[MoveNode] = []
        node: MoveNode | None = self
        while node is not None and node.parent is not None:
            found.append(node)
            node = node.parent
        return found[::-1]

    def line(self) -> Iterator[MoveNode]:
        """This position and those that follow, without variations."""
        node: MoveNode | None = self
        while node is not None:
            yield node
            node = node.children[0] if node.children else None


class MoveTree:
    """All explored lines from one start."""

    def __init__(self, p: Playthrough) -> None:
        """From the start of a playthrough, with its moves as the main line and its end as the current position."""
        self.p = p
        self.root = self.here = MoveNode(None, -1, "", CHANCE)
        self.size = 1
        actions = list(p.actions)
        p.undo(len(p))
        for action in actions:
            self.add(action)

    def add(self, action: int | str) -> MoveNode:
        """Play an action in the current position: a new variation, unless it exists already."""
        p = self.p
        p.play(action)
        number = p.actions[-1]
        for child in self.here.children:
            if child.action == number:
                self.here = child
                return child
        if self.size >= MOST_ACTIONS:
            p.undo()
            raise CounterplayError(f"a tree may have at most {MOST_ACTIONS} moves here")
        before = p.states[-2]
        child = MoveNode(self.here, number, p.game.action_text(before, number), p.game.to_move(before))
        self.here.children.append(child)
        self.here, self.size = child, self.size + 1
        return child

    def go(self, node: MoveNode) -> None:
        """Go to a position of the tree."""
        path, stood = node.path(), self.here.path()
        shared = 0
        while shared < min(len(path), len(stood)) and path[shared] is stood[shared]:
            shared += 1
        self.p.undo(len(stood) - shared)
        for each in path[shared:]:
            self.p.play(each.action)
        self.here = node

    def end(self) -> MoveNode:
        """The end of the current line."""
        return list(self.here.line())[-1]

    def promote(self) -> None:
        """Make the current variation the main one where it branches off."""
        for node in reversed(self.here.path()):
            siblings = node.parent.children if node.parent else []
            if siblings and siblings[0] is not node:
                siblings.remove(node)
                siblings.insert(0, node)
                return

    def delete(self) -> None:
        """Delete the move that led here, with everything after it."""
        node = self.here
        if node.parent is None:
            return
        parent = node.parent
        self.go(parent)
        parent.children.remove(node)
        self.size = len(self.order())

    @property
    def is_variation(self) -> bool:
        """Whether the current position is outside the main line."""
        return any(node.parent is not None and node.parent.children[0] is not node for node in self.here.path())

    # As text.

    def lines(self) -> list[list[MoveNode]]:
        """The main line from the root on, then every variation from where it branches off."""
        found, starts = [], [self.root]
        while starts:
            line = list(starts.pop(0).line())
            found.append(line)
            starts += [other for node in line for other in node.children[1:]]
        return found

    def order(self) -> list[MoveNode]:
        """All positions in the order of their numbers."""
        return [node for line in self.lines() for node in line]

    def query(self) -> dict[str, str]:
        """The tree and the current position, as fields of an address."""
        lines = self.lines()
        number = {node: i for i, node in enumerate(node for line in lines for node in line)}
        told = {}
        if moves := " ".join(node.text for node in lines[0][1:]):
            told["moves"] = moves
        variations = [
            f"{number[line[0].parent]}:{'.'.join(str(node.action) for node in line)}"
            for line in lines[1:]
            if line[0].parent is not None
        ]
        if variations:
            told["lines"] = ";".join(variations)
        if self.here is not lines[0][-1]:
            told["at"] = str(number[self.here])
        return told

    def read(self, lines: str, at: str) -> None:
        """Add variations from an address, and go to its current position."""
        order = self.order()
        for written in lines.split(";") if lines else []:
            start, _, actions = written.partition(":")
            numbers = actions.split(".")
            if not start.isdecimal() or int(start) >= len(order) or not all(map(is_number, numbers)):
                raise CounterplayError(f"{written[:40]!r} is not a variation; write it as 2:17.33")
            self.go(order[int(start)])
            order += [self.add(int(number)) for number in numbers]
        if at and not (at.isdecimal() and int(at) < len(order)):
            raise CounterplayError(f"there is no position {at[:20]!r} in this tree; it has {len(order)}")
        self.go(order[int(at)] if at else list(self.root.line())[-1])


def is_number(text: str) -> bool:
    """Whether a text is the number of an action, at most 64 bits of it."""
    return text.isdecimal() and len(text) < 20
