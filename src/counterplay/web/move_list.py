"""A tree of moves as HTML: the main line, with variations indented below the move that they replace."""

from __future__ import annotations

from html import escape

from counterplay.core.game import CHANCE, Game
from counterplay.web.judging import BAD, ODD
from counterplay.web.variations import MoveNode, MoveTree

DEEPEST = 40
"""The maximum depth of indented variations; deeper ones are reached by the arrow keys."""


def sign_of(node: MoveNode) -> str:
    """The mark of a move: ? or ??; empty if it is not a known mistake."""
    judged = (node.parent.judged if node.parent else None) or {}
    lost = judged.get("cost") if judged.get("played") == node.text else None
    if lost is None:
        return ""
    return "??" if lost > BAD else "?" if lost > ODD else ""


def is_paired(game: Game) -> bool:
    """Whether moves are numbered in pairs, as in chess."""
    return game.players == 2 and not game.has_chance


class MoveList:
    """The HTML of a tree; every move carries its number as data-node."""

    def __init__(self, tree: MoveTree) -> None:
        self.tree, self.paired = tree, is_paired(tree.p.game)
        self.number = {node: i for i, node in enumerate(tree.order())}

    def html(self) -> str:
        """The whole tree."""
        start = self.button(self.tree.root, "start")
        return start + self.continued(self.tree.root, 0)

    def continued(self, node: MoveNode, depth: int) -> str:
        """The moves after a position."""
        parts, number = [], True
        while node.children:
            first, *others = node.children
            parts.append(self.move(first, number))
            number = bool(others) and depth < DEEPEST
            for other in others if depth < DEEPEST else ():
                inside = self.move(other, True) + self.continued(other, depth + 1)
                parts.append(f'<div class="cp-variation">{inside}</div>')
            node = first
        return "".join(parts)

    def move(self, node: MoveNode, number: bool) -> str:
        """A move, with its number if that is not clear."""
        return (self.label(node) if number or not self.paired or node.mover == 0 else "") + self.button(node, node.text)

    def label(self, node: MoveNode) -> str:
        """The number of a move."""
        return f'<span class="cp-number">{move_number(self.tree, node)}</span>'

    def button(self, node: MoveNode, text: str) -> str:
        """A move to click on."""
        sign = sign_of(node)
        kinds = ["cp-now"] * (node is self.tree.here) + (["cp-bad"] if sign == "??" else ["cp-odd"] if sign else [])
        current = ' aria-current="true"' if node is self.tree.here else ""
        title = f"{node.parent.judged['best']} was better" if sign and node.parent and node.parent.judged else ""
        named = f' title="{escape(title)}"' if title else ""
        kind = f' class="{" ".join(kinds)}"' if kinds else ""
        return f'<button data-node="{self.number[node]}"{kind}{current}{named}>{escape(text)}{sign}</button>'


def move_number(tree: MoveTree, node: MoveNode) -> str:
    """The number of a move, as text: "12." or "12...", or, if moves are not paired, that of the action."""
    if not is_paired(tree.p.game):
        return f"{node.ply}."
    late = (
        tree.root.children and tree.root.children[0].mover == 1
    )  # from a position in which the second side is to move
    return f"{(node.ply + 1 + bool(late)) // 2}{'...' if node.mover == 1 else '.'}"


def named(tree: MoveTree, node: MoveNode) -> str:
    """A move with its number and its mark."""
    return f"{move_number(tree, node)} {node.text}{sign_of(node)}" if node.mover != CHANCE else node.text
