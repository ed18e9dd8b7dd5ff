"""What the counts of a search show: how good its move ordering was, and how close it came to the minimum work.

Nodes are of three kinds (Knuth & Moore 1975; Marsland & Popowich 1985): LEFT, with a value inside the window, on the way
of best play; CUT, where one action was enough to refute; ALL, where every action had to be tried. With the best action
first everywhere, alpha-beta visits the minimal tree's leaves and no others.
"""

from __future__ import annotations

from collections.abc import Mapping

from counterplay.search.decision import Decision


def minimal_leaves(branching: float, depth: int) -> float:
    """The leaves of the minimal tree with `branching` actions everywhere: b^ceil(d/2) + b^floor(d/2) - 1."""
    return branching ** ((depth + 1) // 2) + branching ** (depth // 2) - 1


def figures(found: Decision, first: int = 1) -> dict[str, float]:
    """Figures derived from a decision's counts; shares are from 0 to 1.

    `branching` is the average number of actions of the nodes whose actions were listed, `effective_branching` the
    number that, raised to the depth, gives the number of nodes. `minimal_leaves` takes the average branching for
    uniform and adds up the depths searched, from `first` on.
    """
    counts, told = found.counts, {}
    if "simulations" in counts:
        return {}
    inner = sum(counts.get(kind, 0) for kind in ("left", "cuts", "all"))
    if inner and counts.get("actions"):
        told["branching"] = counts["actions"] / inner
    if found.depth and found.nodes:
        told["effective_branching"] = found.nodes ** (1 / found.depth)
    if counts.get("cuts"):
        told["first_cut_share"] = counts["first_cuts"] / counts["cuts"]
    if counts.get("table_hits"):
        told["table_hit_share"] = counts["table_hits"] / found.nodes
    if "branching" in told and found.depth and not found.options:  # (a search that values every action prunes less)
        least = sum(
            minimal_leaves(told["branching"], depth) for depth in range(min(first, found.depth), found.depth + 1)
        )
        told["minimal_leaves"] = least
        told["leaves_to_minimal"] = counts["leaves"] / least
    return told


KINDS = {"left": "LEFT", "cuts": "CUT", "all": "ALL", "leaves": "leaves"}


def in_words(counts: Mapping[str, float], told: Mapping[str, float]) -> list[str]:
    """The same in words, one line per idea."""
    lines = []
    if "simulations" in counts:
        lines.append(
            f"{counts['simulations']:,} simulations; the tree has {counts['tree']:,} nodes and is {counts['deepest']} deep"
        )
    elif counts:
        kinds = [f"{counts[name]:,} {kind}" for name, kind in KINDS.items() if name in counts]
        lines.append(f"{counts['nodes']:,} nodes: {', '.join(kinds)}")
    if "branching" in told:
        lines.append(f"{told['branching']:.3g} actions in a position on average")
    if "effective_branching" in told:
        lines.append(f"{told['effective_branching']:.3g} is the effective branching factor (nodes^(1/depth))")
    if "first_cut_share" in told:
        lines.append(f"{told['first_cut_share']:.1%} of the cutoffs by the first action")
    if "table_hit_share" in told:
        lines.append(f"{counts['table_hits']:,} table hits, {counts['table_cuts']:,} of them cutoffs")
    if counts.get("quiescence"):
        lines.append(f"{counts['quiescence']:,} nodes beyond the horizon")
    if "leaves_to_minimal" in told:
        ratio = told["leaves_to_minimal"]
        lines.append(f"{ratio:.3g} times the leaves of the minimal trees (if the branching were uniform)")
    return lines
