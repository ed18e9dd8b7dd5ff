"""Making room in a tree: keep the subtree of one node, or the most visited nodes.

Children are made after their parents, in blocks. So one sweep from left to right can close the gaps in place: a node
that moves updates the parent index of its block of children, which is further to the right.
"""

from __future__ import annotations

from counterplay.core.language.kernel import kernel
from counterplay.montecarlo.tree import ROOT, UNEXPANDED, SimulationTree


def prune(tree: SimulationTree) -> None:
    """Remove the children of the least visited nodes until half of the tree is free."""
    _sweep(tree, ROOT, _threshold(tree))
    tree.full = False


def reroot(tree: SimulationTree, node: int) -> None:
    """Make `node` the root, and drop everything that is not below it."""
    _sweep(tree, node, 0)
    tree.full = False


@kernel
def _threshold(tree: SimulationTree) -> int:
    """The least power of two such that the children of nodes with at least that many visits fill at most half of the
    tree (or only the root has any)."""
    visits = 2
    while visits <= tree.visits[ROOT]:
        kept = 1
        for node in range(tree.used[0]):
            if tree.first[node] >= 0 and tree.visits[node] >= visits:
                kept += tree.count[node]
        if 2 * kept <= tree.room:
            break
        visits *= 2
    return visits


@kernel
def _sweep(tree: SimulationTree, root: int, visits: int) -> None:
    """Keep `root` and what is below it, but no children of other nodes with fewer visits.

    During the sweep, `parent` of a block is where its parent is now or, if the parent is gone, minus the block's
    length."""
    if root != ROOT:
        tree.parent[tree.first[ROOT]] = -tree.count[ROOT]
        move(tree, root, ROOT)
    top = tree.first[root]
    if top >= 0:
        tree.parent[top] = ROOT
    free, block = 1, 1
    while block < tree.used[0]:
        parent = tree.parent[block]
        is_kept = parent >= 0
        number = tree.count[parent] if is_kept else -parent
        if is_kept:
            tree.first[parent] = free
        for k in range(block, block + number):
            below = tree.first[k]
            stays = is_kept and tree.visits[k] >= visits
            if below >= 0 and (k != root or root == ROOT):
                tree.parent[below] = free if stays else -tree.count[k]
            if is_kept:
                move(tree, k, free)
                if below >= 0 and not stays:
                    tree.first[free] = UNEXPANDED
                    tree.count[free] = 0
                free += 1
        block += number
    tree.used[0] = free


def move(tree: SimulationTree, source: int, target: int) -> None:
    """Copy a node to another index."""
    if source == target:
        return
    tree.first[target] = tree.first[source]
    tree.count[target] = tree.count[source]
    tree.action[target] = tree.action[source]
    tree.mover[target] = tree.mover[source]
    tree.visits[target] = tree.visits[source]
    for i in range(tree.width):
        tree.total[target, i] = tree.total[source, i]
    if tree.scalar:
        tree.lower[target] = tree.lower[source]
        tree.upper[target] = tree.upper[source]
        tree.plies[target] = tree.plies[source]
        tree.bounded[target] = tree.bounded[source]
    if tree.has_priors:
        tree.prior[target] = tree.prior[source]
    if tree.has_logits:
        tree.logit[target] = tree.logit[source]
        tree.opinion[target] = tree.opinion[source]
    if tree.has_chance:
        tree.chance[target] = tree.chance[source]
    if tree.has_amaf:
        tree.amaf_visits[target] = tree.amaf_visits[source]
        tree.amaf_total[target] = tree.amaf_total[source]
    if tree.has_estimates:
        for i in range(tree.width):
            tree.estimate[target, i] = tree.estimate[source, i]
