"""Regret minimization to watch: regrets, the strategy that they make and the average, iteration by iteration."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.options import convert
from counterplay.equilibrium.cfr import FOREVER, NEVER, VARIANTS

METHODS = tuple(VARIANTS)
MOST_ITERATIONS = 1_000
"""The maximum number of iterations kept."""
MOST_SETS = 24
"""The maximum number of information sets drawn: more are slow, and nobody reads them."""
LEAST = 5e-4
"""The least change of a probability that is reported."""


def read_training(spec: str) -> tuple[str, int | None]:
    """A method and its iterations, such as cfr+:iterations=20; None if they are not given."""
    method, _, text = spec.partition(":")
    if not text:
        return method, None
    count = convert(method, "iterations", text.removeprefix("iterations="), int)
    if not 1 <= count <= MOST_ITERATIONS:
        raise CounterplayError(f"{method}: iterations={count} must be from 1 to {MOST_ITERATIONS} here")
    return method, count


def pseudocode(method: str) -> list[str]:
    """A variant as lines; the last one is the strategy without regrets."""
    above, below, averaging, predictive = VARIANTS[method]
    faded = {
        (FOREVER, FOREVER): [],
        (FOREVER, NEVER): ["    regrets below 0 become 0"],
        (1.0, 1.0): ["    all regrets × t / (t + 1)"],
        (1.5, 0.0): ["    regrets above 0 × t^1.5/(t^1.5 + 1),", "      those below × 1/2"],
    }[above, below]
    weight = {0.0: "", 1.0: " × t", 2.0: " × t²"}[averaging]
    matched = ["    strategy = positive regrets,", "      normalized"]
    if predictive:
        matched = ["    strategy = positive regrets (the", "      latest counted twice), normalized"]
    return [
        "for t = 1, 2, ...; each player in turn:",
        "  in every information set of theirs:",
        "    regret of an action += what it wins",
        "      there, less what the strategy wins",
        *faded,
        "    average += strategy × how likely",
        f"      the player comes there{weight}",
        *matched,
        "      (uniform if there are none)",
    ]


def readable(answer: dict[str, Any]) -> dict[str, Any]:
    """A training reduced to the information sets in which the strategy moves most."""
    sets = answer["sets"]
    if len(sets) <= MOST_SETS:
        return answer
    moves = np.abs(np.diff([step["strategy"] for step in answer["steps"]], axis=0)).sum(axis=0)
    most = sorted(sets, key=lambda each: -moves[each["start"] : each["end"]].sum())[:MOST_SETS]
    kept = sorted(most, key=lambda each: int(each["start"]))
    places = [i for each in kept for i in range(each["start"], each["end"])]
    new = {old: i for i, old in enumerate(places)}
    return answer | {
        "sets": [each | {"start": new[each["start"]], "end": new[each["end"] - 1] + 1} for each in kept],
        "steps": [
            step | {name: [step[name][i] for i in places] for name in ("regrets", "strategy", "average")}
            for step in answer["steps"]
        ],
    }


def training_story(answer: dict[str, Any]) -> dict[str, Any]:
    """A worker's recording as a story for the browser: bars for every information set, and the curve."""
    count = len(answer["sets"])
    answer = readable(answer)
    players, code = answer["players"], pseudocode(answer["method"])
    sets = [
        {
            "text": f"{players[each['player']]} knows {each['knows']}",
            "player": each["player"],
            "actions": each["actions"],
            "start": each["start"],
        }
        for each in answer["sets"]
    ]
    steps = [
        {name: step[name] for name in ("regrets", "strategy", "average")}
        | {
            "words": sentence(answer, i),
            "moved": moved_most(answer, i)[0] if i else None,
            "lines": list(range(2, len(code) - 1)) if i else [len(code) - 1],
            "at": 0,
            "facts": [["iteration", str(i)], ["exploitability", f"{step['exploitability']:.4g}"]],
        }
        for i, step in enumerate(answer["steps"])
    ]
    return {
        "kind": "training",
        "title": answer["method"],
        "code": code,
        "steps": steps,
        "sets": sets,
        "curve": [step["exploitability"] for step in answer["steps"]],
        "note": f"{len(sets)} of {count:,} information sets: those in which the strategy moves most"
        if count > len(sets)
        else "",
        "legend": [
            ["bar", 2, "regret: how much more an action would have won"],
            ["bar", 1, "probability: now, and on average"],
        ],
    }


def moved_most(answer: dict[str, Any], i: int) -> tuple[int, list[float]]:
    """The information set in which the strategy moved most in an iteration, and how far each probability moved."""
    now, before = answer["steps"][i]["strategy"], answer["steps"][i - 1]["strategy"]
    shifts = [abs(new - old) for new, old in zip(now, before, strict=True)]
    most = max(range(len(shifts)), key=shifts.__getitem__)
    return next(k for k, each in enumerate(answer["sets"]) if each["start"] <= most < each["end"]), shifts


def sentence(answer: dict[str, Any], i: int) -> str:
    """An iteration in a sentence: the quality of the average, and where the strategy changed most."""
    now = answer["steps"][i]
    values = " and ".join(f"{name} {value:+.4f}" for name, value in zip(answer["players"], now["values"], strict=True))
    rest = f"the average strategy is exploitable by {now['exploitability']:.4g} and gives {values}"
    if i == 0:
        return f"Start: no regrets yet, so every action is equally likely; {rest}."
    before, (k, shifts) = answer["steps"][i - 1], moved_most(answer, i)
    where = answer["sets"][k]
    # Of the actions there, the one whose regret moved is the reason; the others only make room for it, or fill it.
    gained = [abs(max(new, 0.0) - max(old, 0.0)) for new, old in zip(now["regrets"], before["regrets"], strict=True)]
    places = range(where["start"], where["end"])
    changed = [k for k in places if shifts[k] > LEAST] or list(places)
    k = max(changed, key=gained.__getitem__)
    action, who = where["actions"][k - where["start"]], answer["players"][where["player"]]
    moved = "no strategy changed"
    if shifts[k] > LEAST:
        moved = (
            f"{who} with {where['knows']} now plays {action} with {now['strategy'][k]:.2f} instead of "
            f"{before['strategy'][k]:.2f}, as its regret went from {before['regrets'][k]:.3f} to {now['regrets'][k]:.3f}"
        )
    return f"Iteration {i}: {moved}; {rest}."
