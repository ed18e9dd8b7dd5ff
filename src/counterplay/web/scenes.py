"""A recorded search as a story for the browser: the nodes once, and for each step its sentence, its line of the
pseudocode, and what changes in the picture. It is made from the traces of the real kernels; nothing is known before its
step.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Any

from counterplay.core.game import CHANCE, Game
from counterplay.games.explicit import Explicit
from counterplay.hidden.trace import history_of
from counterplay.montecarlo.history import SimulationHistory, total, two
from counterplay.montecarlo.trace import SimulationTrace
from counterplay.search.tracing.history import History, Step
from counterplay.search.tracing.pseudocode import STAR, pseudocode_of
from counterplay.search.tracing.sentences import Narrator, number
from counterplay.search.tracing.trace import Trace
from counterplay.web.phrases import side

MARKS = {"table": "table", "null move": "null move", "too late": "too late", "probed": "probe"}
MOST_PICTURES = 600_000
"""The maximum number of characters of pictures sent to the browser; beyond it, positions are shown as text."""

Story = dict[str, Any]
Look = list[str]
"""The look of a node at some moment: its window or sum, its value, a mark, `pruned` or ``."""


def story_of(answer: dict[str, Any], game: Game) -> Story:
    """The story of a worker's recording."""
    fields = {name: value for name, value in answer.items() if name != "kind"}
    drawn = game.diagram(game.initial())
    fields["players"] = [side(game, i, drawn) for i in range(game.players)]
    if answer["kind"] == "simulations":
        return told_simulations(history_of(SimulationTrace(**fields), game))
    return told_search(History(Trace(**fields), game))


class Changes:
    """The changes from step to step: nothing else is stored."""

    def __init__(self) -> None:
        self.shown: dict[int, Look] = {}

    def of(self, looks: dict[int, Look]) -> list[list[Any]]:
        """The changes that lead to these looks, each a node with its look."""
        changed = {k: look for k, look in looks.items() if self.shown.get(k) != look}
        self.shown |= changed
        return [[k, *look] for k, look in changed.items()]


def told_search(history: History) -> Story:
    """A search of nodes and windows."""
    narrator, changes, steps = Narrator(history), Changes(), []
    code = pseudocode_of(history.trace.player)
    born = [len(history.steps)] * len(history.visits)
    leaves = pruned = 0
    shown = " shown" if any(visit.hidden for visit in history.visits) else ""
    for i, step in enumerate(history.steps):
        leaves += step.kind == "leaf"
        pruned += (step.last - step.first + 1) * (step.kind == "prune")
        visit = history.visits[step.visit]
        concerned = [step.visit]
        if step.kind == "prune":
            concerned += [c for c in visit.children if step.first <= history.visits[c].entered <= step.last]
        elif visit.parent is not None and step.kind != "enter":
            concerned.append(visit.parent)
        for k in concerned:
            born[k] = min(born[k], i)
        looks = {k: look_of(narrator, k, step.last) for k in concerned}
        if step.kind == "leave" and visit.parent is None:
            for k in visit.children:
                if history.visits[k].action == history.trace.decision["action"]:
                    looks[k] = [*look_of(narrator, k, step.last)[:2], "chosen", ""]
        steps.append(
            {
                "words": narrator.sentence(step),
                "lines": [line_of(code, narrator, step)],
                "at": step.visit,
                "set": changes.of(looks),
                "event": visit.number,
                "facts": [
                    *facts_of(narrator, step),
                    [f"leaves{shown}", f"{leaves:,}"],
                    [f"pruned{shown}", f"{pruned:,}"],
                ],
            }
        )
    nodes = []
    for k, about in enumerate(history.visits):
        shape = "end" if about.is_end else shape_of(history.game, about.player, history.root)
        label = history.label(k) if about.odds is None else f"{history.label(k)} ({about.odds:.2g})"
        more = [about.number, about.hidden] if about.hidden else None
        nodes.append([about.parent, label, shape, about.player, born[k], more])
    states = [about.state for about in history.visits]
    return {
        "kind": "tree",
        "title": code.title,
        "code": code.text,
        "nodes": nodes,
        "steps": steps,
        "boards": boards_of(history.game, states),
        "players": history.trace.players,
        "legend": legend_of(narrator),
        "windows": narrator.windows,
    }


def look_of(narrator: Narrator, k: int, moment: int) -> Look:
    """The look of a node after an event."""
    history = narrator.history
    about = history.visits[k]
    if about.pruned:
        value = ""
        if about.is_end and isinstance(history.game, Explicit):  # an explicit tree, which everyone sees
            value = narrator.number(float(history.game.utility(about.state, history.root)))
        return ["", value, "", "pruned"]
    done = about.left <= moment
    above = ""
    if narrator.windows and not about.is_leaf and not about.is_end and about.player != CHANCE:
        low, high = history.window(k, moment)
        above = f"{narrator.number(low)} … {narrator.number(high)}"
    if not done:
        return [above, "", "", ""]
    sign = {"exact": "", "lower": "≥ ", "upper": "≤ "}[about.bound]
    value = f"{sign}{narrator.number(about.value)}"
    if about.values is not None:
        value = " ".join(narrator.number(each) for each in about.values)
    cut = any(history.visits[c].pruned for c in about.children) and about.bound != "exact"
    return [above, value, "cut" if cut else MARKS.get(about.why, ""), ""]


def facts_of(narrator: Narrator, step: Step) -> list[list[str]]:
    """The numbers of a step beside its sentence."""
    history = narrator.history
    about = history.visits[step.visit]
    facts = [["node", history.path_text(step.visit)]]
    facts.append(["player", "leaf" if about.is_end else narrator.name(about.player)])
    if narrator.windows:
        low, high = history.window(step.visit, step.last)
        facts += [["alpha", narrator.number(low)], ["beta", narrator.number(high)]]
    return facts


def line_of(code: Any, narrator: Narrator, step: Step) -> int:
    """The line of the pseudocode at which a step is."""
    history = narrator.history
    visit = history.visits[step.visit]
    above = visit if visit.parent is None or step.kind in ("prune", "leave") else history.visits[visit.parent]
    mover = "chance" if above.player == CHANCE else "max" if above.player == history.root else "min"
    if step.kind in ("enter", "leaf") and visit.parent is None:
        mover = "root"
    if "null move" in (visit.by, visit.why):
        mover = "pass"
    if step.kind == "leave" and visit.why == "probed" and code is STAR:
        return int(code.line("probe"))
    if step.kind == "leaf" and visit.why in ("table", "horizon"):
        return int(code.line(visit.why) or code.line("leaf"))
    return int(code.line(step.kind, mover))


def shape_of(game: Game, player: int, root: int) -> str:
    """The shape of a node: by its player, seen from the root."""
    if player == CHANCE:
        return "chance"
    if game.players == 2 and game.zero_sum:
        return "max" if player == root else "min"
    return "player"


def legend_of(narrator: Narrator) -> list[list[Any]]:
    """The picture's legend: a shape or a sign, the player's number, words."""
    history = narrator.history
    game, root = history.game, history.root
    legend: list[list[Any]] = []
    for player in range(game.players):
        role = ""
        if shape_of(game, player, root) != "player":
            role = ", maximizes" if player == root else ", minimizes"
        legend.append([shape_of(game, player, root), player, f"{narrator.name(player)} to move{role}"])
    if game.has_chance:
        legend.append(["chance", 0, "chance: the average counts"])
    legend.append(["end", 0, "the game is over"])
    if narrator.windows:
        legend.append(["text", 0, "alpha … beta, beside its node"])
    whose = "each player" if history.has_vectors else narrator.hero
    units = f", in {narrator.unit}" if narrator.unit else ""
    legend.append(["text", 0, f"values are from {whose}'s point of view{units}"])
    if any(visit.pruned for visit in history.visits):
        legend.append(["pruned", 0, "pruned: never visited"])
    return legend


def told_simulations(history: SimulationHistory) -> Story:
    """Monte Carlo tree search."""
    changes, steps, sums = Changes(), [], set[int]()
    born = [len(history.steps)] * len(history.nodes)
    born[0] = 0
    looks: dict[int, Look] = {0: ["", "", "", ""]}
    for i, step in enumerate(history.steps):
        told = history.trace.steps[step.simulation] if history.trace.steps else {"new": [], "choices": []}
        new: dict[int, Look] = {k: ["", *looks[k][1:]] for k in sums}
        sums = set()
        if step.kind == "select" or (step.kind == "expand" and "deal" in told):
            above = history.nodes[step.node].parent
            for choice in told.get("choices", ()):
                if choice["node"] == above:
                    for each in choice["sums"]:
                        k = each["node"]
                        if k is None:
                            continue  # from other deals, not drawn here
                        text = two(total(each)) if "mean" in each else {"untried": "new"}.get(each["state"], "–")
                        new[k] = [text, *looks.get(k, ["", "", "", ""])[1:]]
                        sums.add(k)
        if step.kind == "expand":
            for each in told["new"]:
                born[each["node"]] = i
                new[each["node"]] = ["", "", "", ""]
        elif step.kind == "backup":
            for k, known in history.changes[step.simulation].items():
                value = f"{number(round(known.mean, 2))}" if known.visits or known.proven else ""
                text = f"{known.visits}: {value}" if known.visits else value
                new[k] = ["", f"{text} ✓" if known.proven else text, "", ""]
        elif step.kind == "end":
            for k in history.nodes[0].children:
                if history.nodes[k].action == history.trace.decision["action"]:
                    new[k] = [*looks[k][:2], "chosen", ""]
        looks |= new
        kind = "chance" if step.kind == "select" and history.nodes[step.node].chooser == CHANCE else step.kind
        lines = [n for n, (_, words) in enumerate(history.pseudocode.lines) if kind in words.split()]
        if kind == "end":
            lines = [history.pseudocode.line("choice")]
        steps.append(
            {
                "words": step.words,
                "lines": lines,
                "at": step.node,
                "set": changes.of(new),
                "facts": [["simulation", f"{step.simulation + 1} of {len(history.trace.steps)}"], ["phase", step.kind]],
            }
        )
    nodes = []
    for k, about in enumerate(history.nodes):
        label = about.action if about.odds is None else f"{about.action} ({about.odds:.2g})"
        shape = "end" if about.is_end else "chance" if about.player == CHANCE else "player"
        nodes.append([about.parent, label, shape, about.player, born[k]])
    game = history.game
    legend: list[list[Any]] = [["player", i, f"{history.name(i)} to move"] for i in range(game.players)]
    legend += [["chance", 0, "chance"]] * game.has_chance
    legend += [
        ["end", 0, "the game is over"],
        ["text", 0, "visits: mean, for the player who chooses the move"],
        ["text", 0, "✓ proven"],
        ["text", 0, "beside, at selection: mean + bonus, on the scale from -1 to 1"],
    ]
    return {
        "kind": "tree",
        "title": history.pseudocode.title,
        "code": history.pseudocode.text,
        "nodes": nodes,
        "steps": steps,
        "boards": boards_of(game, [about.state for about in history.nodes]),
        "players": history.trace.players,
        "legend": legend,
        "sums": True,
    }


def boards_of(game: Game, states: list[Any]) -> dict[str, Any]:
    """The positions of all nodes, each picture once: as SVG, or as text if that would be too much; none for a tree,
    which is its own picture. Pictures are cut between their shapes, most of which occur in many: each is a list of
    indices into `parts`."""
    if isinstance(game, Explicit) or not states:
        return {"kind": "none", "of": [], "all": []}
    texts: dict[str, int] = {}
    of = [texts.setdefault(game.board(s), len(texts)) for s in states]
    first = dict(zip(reversed(of), reversed(states), strict=True))
    cut = [re.split(r"(?<=>)(?=<)", game.svg(first[k])) for k in range(len(texts))]
    shared = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(min(cut), max(cut), strict=False))))
    parts: dict[str, int] = {}
    pictures = [[parts.setdefault(p, len(parts)) for p in ("".join(each[:shared]), *each[shared:])] for each in cut]
    if sum(map(len, parts)) + sum(len(str(picture)) for picture in pictures) <= MOST_PICTURES:
        return {"kind": "svg", "of": of, "all": pictures, "parts": list(parts)}
    return {"kind": "text", "of": of, "all": list(texts)}
