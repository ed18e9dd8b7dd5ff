"""Exercises about numbers: UCT's choice, an iteration of CFR, a mixed equilibrium, Nim. Answers come from the simulations,
the regrets, the linear program and the Grundy values of the package itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from math import log, sqrt
from random import Random
from typing import Any

from counterplay.core.rules import legal
from counterplay.games.matrix import Matrix
from counterplay.games.nim import Nim, heap_name
from counterplay.players.montecarlo import MonteCarloTreeSearch
from counterplay.search.tracing.sentences import listed
from counterplay.teaching.exercise import Blank, Exercise
from counterplay.teaching.lettered_tree import PaperTree
from counterplay.teaching.numbers import factor, fraction

SIMULATIONS = 26
APART = 0.05
"""The minimum margin of the sum of the child that UCT visits next over the second."""
SLACK = 0.02
"""The tolerance of a sum: people round intermediate results."""
MOST_DENOMINATOR = 12
ROWS, COLUMNS = ("up", "middle", "down"), ("left", "right")


class PaperMatrix(Matrix):
    """A table small enough to be solved without compiling its rules."""

    compiled = False


class PaperNim(Nim):
    """Heaps small enough to be solved without compiling."""

    compiled = False


# UCT.


def uct(rng: Random, seed: int, number: int) -> Exercise | None:
    """Which child UCT visits next, by the sums of all."""
    from counterplay.montecarlo.trace import replay

    names, c = "ABCD"[: rng.choice((3, 3, 4))], rng.choice((0.7, 1.0, 1.4))
    game = PaperTree({"actions": {name: wins_and_losses(rng) for name in names}})
    searcher = MonteCarloTreeSearch(simulations=SIMULATIONS, c=c, solver=False, seed=rng.randrange(1 << 30), memory=1)
    trace = searcher.record(game.start(), 10_000, game=game.spec)
    found = []
    for before, (i, step) in zip(replay(trace), list(enumerate(trace.steps))[1:], strict=False):
        sums: list[dict[str, Any]] = next((each["sums"] for each in step["choices"] if each["node"] == 0), [])
        if not sums or any(each["state"] != "open" for each in sums) or i < 8:
            continue
        totals = sorted(each["mean"] + each["bonus"] for each in sums)
        means = sorted(each["mean"] for each in sums)
        if totals[-1] - totals[-2] >= APART and means[-1] > means[-2] and means[0] > -1:
            found.append((before, step, sums))
    seldom = [each for each in found if not takes_best_mean(*each)]
    if not found or (rng.random() < 0.6 and not seldom):
        return None
    before, step, sums = rng.choice(seldom if seldom and rng.random() < 0.8 else found)
    return uct_exercise((seed, number), c, names, before, step, sums)


def wins_and_losses(rng: Random, depth: int = 3) -> Any:
    """A tree of wins and losses below a move."""
    if not depth:
        return rng.choice((1, -1))
    return [wins_and_losses(rng, depth - 1) for _ in range(rng.choice((2, 3)))]


def takes_best_mean(before: Any, step: dict[str, Any], sums: list[dict[str, Any]]) -> bool:
    """Whether the child that is visited also has the best mean."""
    return bool(max(sums, key=lambda each: each["mean"])["node"] == step["way"][1])


def uct_exercise(
    about: tuple[int, int], c: float, names: str, before: Any, step: dict[str, Any], sums: list[dict[str, Any]]
) -> Exercise:
    """The exercise of a moment of the simulations."""
    seed, number = about
    everything, chosen = before[0].visits, step["way"][1]
    rows, blanks, because = [], [], {}
    for name, each in zip(names, sums, strict=True):
        node = before[each["node"]]
        total = each["mean"] + each["bonus"]
        results = round(node.visits * each["mean"])
        rows.append([name, str(node.visits), f"{results:+d}" if results else "0"])
        told = (
            f"{results}/{node.visits} + {c:g} × sqrt(ln {everything} / {node.visits}) = {each['mean']:.2f} + "
            f"{each['bonus']:.2f} = {total:.2f}"
        )
        assert abs(c * sqrt(log(everything) / node.visits) - each["bonus"]) < 1e-9
        because[name] = f"{name}: {told}."
        blanks.append(
            Blank(f"sum-{name}", f"sum of {name}", "number", (f"{total:.2f}",), f"{name}: {told}.", tolerance=SLACK)
        )
    best = names[[each["node"] for each in sums].index(chosen)]
    richest = max(zip(names, sums, strict=True), key=lambda pair: pair[1]["mean"])[0]
    reason = f"{best} has the largest sum."
    if richest != best:
        reason += f" {richest} has the better mean, but {best} has fewer visits, so its bonus is larger: explore."
    blanks.append(Blank("next", "visited next", "choice", (best,), reason, tuple(names), because))
    question = (
        f"Monte Carlo tree search has run {everything} simulations from the root, where Max moves; results are +1 (a win "
        f"for Max) or -1. With c = {c:g}, which child does UCT visit next? Write every child's sum to two decimals."
    )
    hint = "UCT visits the child with the largest mean + c · sqrt(ln N / n): N visits of the root, n of the child."
    figure = {"kind": "table", "head": ["move", "visits n", "sum of results"], "rows": rows}
    return Exercise("uct", seed, number, question, figure, tuple(blanks), hint)


# Regret minimization.


def cfr(rng: Random, seed: int, number: int) -> Exercise | None:
    """One iteration for the row player of a table: values, regrets, the next strategy."""
    from counterplay.equilibrium.cfr import VARIANTS, Regrets, iterate
    from counterplay.equilibrium.information_tree import information_tree

    payoffs = [[rng.randrange(-4, 7) for _ in COLUMNS] for _ in ROWS]
    if any(all(a >= b for a, b in zip(*pair, strict=True)) for pair in permutations(payoffs, 2)):
        return None  # a row that another one dominates
    tree = information_tree(PaperMatrix({"actions": [list(ROWS), list(COLUMNS)], "payoffs": payoffs}))
    memory = Regrets(tree, VARIANTS["cfr"])
    own = slice(int(tree.start[0]), int(tree.start[1]))
    theirs = slice(int(tree.start[1]), int(tree.start[2]))
    iterate(tree, memory, rng.choice((0, 1)))
    before = [memory.regrets[own].copy(), memory.strategy[own].copy(), memory.strategy[theirs].copy()]
    iterate(tree, memory, 1)
    after = [memory.gains[own], memory.regrets[own], memory.strategy[own]]
    try:
        regrets, now, column = ([fraction(float(x)) for x in each] for each in before)
        values, sums, mixed = ([fraction(float(x)) for x in each] for each in after)
    except ValueError:
        return None
    if max(x.denominator for x in (*regrets, *now, *column, *values, *sums, *mixed)) > MOST_DENOMINATOR:
        return None
    if (
        len(set(values)) < len(values)
        or sum(x > 0 for x in sums) < 2
        or not any(x < 0 for x in sums)
        or min(column) == 0
    ):
        return None  # nothing to mix, nothing to forget, or nothing to average
    return cfr_exercise((seed, number), payoffs, regrets, now, column, values, sums, mixed)


def cfr_exercise(
    about: tuple[int, int],
    payoffs: list[list[int]],
    regrets: list[Fraction],
    now: list[Fraction],
    column: list[Fraction],
    values: list[Fraction],
    sums: list[Fraction],
    mixed: list[Fraction],
) -> Exercise:
    """The exercise of an iteration."""
    seed, number = about
    mean = sum((p * value for p, value in zip(now, values, strict=True)), Fraction(0))
    total = sum((x for x in sums if x > 0), Fraction(0))
    rows = [
        [name, *map(str, row), str(old), str(p)] for name, row, old, p in zip(ROWS, payoffs, regrets, now, strict=True)
    ]
    blanks = []
    for i, name in enumerate(ROWS):
        parts = " + ".join(f"{q} × {factor(pay)}" for q, pay in zip(column, payoffs[i], strict=True))
        reason = f"Against the column player's mixture, {name} wins {parts} = {values[i]}."
        blanks.append(Blank(f"value-{name}", f"{name} wins", "number", (str(values[i]),), reason))
    for i, name in enumerate(ROWS):
        reason = (
            f"The current strategy wins {mean}, so {name}'s regret changes by {values[i]} - {factor(mean)} = "
            f"{values[i] - mean}, from {regrets[i]} to {sums[i]}."
        )
        blanks.append(Blank(f"regret-{name}", f"regret of {name}", "number", (str(sums[i]),), reason))
    for i, name in enumerate(ROWS):
        reason = f"The regret of {name} is not above 0, so it is not played."
        if sums[i] > 0:
            reason = f"The positive regrets add up to {total}; {name} gets {sums[i]} of it: {mixed[i]}."
        blanks.append(Blank(f"next-{name}", f"next probability of {name}", "number", (str(mixed[i]),), reason))
    shares = listed([f"{name} with {q}" for name, q in zip(COLUMNS, column, strict=True)])
    question = (
        f"The column player currently plays {shares}. Run one iteration of CFR for the row player: what does each row win, "
        "what are the total regrets after it, and with what probability is each row played next?"
    )
    hint = (
        "Regret of a row += what it wins minus what the current strategy wins. The next strategy plays rows in proportion "
        "to their positive regrets."
    )
    head = ["row", *COLUMNS, "regret so far", "played with"]
    figure = {"kind": "table", "head": head, "rows": rows, "caption": "what the row player wins"}
    return Exercise("cfr", seed, number, question, figure, tuple(blanks), hint)


# Mixed equilibrium.


def equilibrium(rng: Random, seed: int, number: int) -> Exercise | None:
    """The mixed equilibrium and the value of a 2x2 zero-sum game."""
    from counterplay.equilibrium.normal_form import tables_of
    from counterplay.equilibrium.zero_sum import solve_zero_sum

    rows = ("up", "down")
    payoffs = [[rng.randrange(-5, 10) for _ in range(2)] for _ in range(2)]
    (a, b), (c, d) = payoffs
    if len({a, b, c, d}) < 4:
        return None
    found = solve_zero_sum(tables_of(PaperMatrix({"actions": [list(rows), list(COLUMNS)], "payoffs": payoffs})))
    try:
        shares = [[fraction(float(x), 60) for x in each] for each in found.strategies]
        value = fraction(found.payoffs[0], 60)
    except ValueError:
        return None
    (p, rest), (q, other) = shares
    if min(p, rest, q, other) <= 0 or p == q == Fraction(1, 2) or value.denominator > MOST_DENOMINATOR:
        return None  # a saddle point, or nothing to compute
    blanks = [
        Blank(
            "up",
            "probability of up",
            "number",
            (str(p),),
            f"With up at p, left pays {mix(a, c, 'p')} and right {mix(b, d, 'p')} to the row player; they are equal at "
            f"p = {p}, and then the column player is indifferent.",
        ),
        Blank(
            "left",
            "probability of left",
            "number",
            (str(q),),
            f"With left at q, up wins {mix(a, b, 'q')} and down {mix(c, d, 'q')}; they are equal at q = {q}.",
        ),
        Blank(
            "value",
            "value of the game",
            "number",
            (str(value),),
            f"Against q = {q}, up wins {q} × {factor(a)} + {other} × {factor(b)} = {value}, and so does down.",
        ),
    ]
    question = (
        "The table shows what the column player pays the row player. There is no saddle point. With what probability does "
        "each player take the first action in the equilibrium, and what is the game worth to the row player?"
    )
    hint = "Mix so that the opponent is indifferent between both actions."
    table = [[name, *map(str, row)] for name, row in zip(rows, payoffs, strict=True)]
    figure = {"kind": "table", "head": ["", *COLUMNS], "rows": table, "caption": "what the row player wins"}
    return Exercise("equilibrium", seed, number, question, figure, tuple(blanks), hint)


def mix(first: int, second: int, share: str) -> str:
    """The value of a mixture of two payoffs as text, such as 3p - 2(1 - p)."""
    return f"{first}{share} {'-' if second < 0 else '+'} {abs(second)}(1 - {share})"


# Nim.


def nim(rng: Random, seed: int, number: int) -> Exercise | None:
    """The winning move of a position of Nim."""
    from counterplay.search.solving.grundy import PLIES, GrundyContext, grundy

    sizes = rng.sample(range(2, 12), rng.choice((3, 3, 4)))
    game = PaperNim("-".join(map(str, sizes)))
    s, context = game.initial(), GrundyContext(game, 0.01)

    def worth(state: Any) -> int:
        return int(grundy(game, state, 0, True, context)) >> PLIES

    total = worth(s)
    actions = legal(game, s)
    behind = {game.action_text(s, action): worth(game.result(s, action)) for action in actions}
    wins = [name for name, value in behind.items() if value == 0]
    if not wins or any(int(name[1:]) == sizes[ord(name[0]) - ord("a")] for name in wins):
        return None  # lost, or won by taking a whole heap
    digits = max(sizes).bit_length()
    binary = listed([f"{size} = {size:0{digits}b}" for size in sizes])
    because = {
        name: f"After {name} the nim-sum is {value}, and the opponent wins by making it 0."
        for name, value in behind.items()
        if value
    }
    because |= {name: f"After {name} the heaps are {left(sizes, name)}, with nim-sum 0: whatever the opponent does, you "
                f"can make it 0 again, to the end." for name in wins}  # fmt: skip
    blanks = (
        Blank(
            "sum",
            "nim-sum",
            "number",
            (str(total),),
            f"In binary, {binary}; add without carrying: {total:0{digits}b} = {total}.",
        ),
        Blank(
            "move", "winning move", "choice", tuple(wins), f"Nim-sum 0 after {listed(wins)}.", tuple(behind), because
        ),
    )
    question = (
        f"Nim with heaps of {listed(list(map(str, sizes)))}: take any number from one heap; whoever takes the last object "
        "wins. What is the nim-sum, and which move wins? (Write b3 for taking 3 from heap b.)"
    )
    hint = "The nim-sum is the exclusive or of the sizes. A move that makes it 0 wins."
    heaps = {heap_name(i): size for i, size in enumerate(sizes)}
    figure = {"kind": "picture", "svg": game.svg(s), "alt": listed([f"heap {k}: {size}" for k, size in heaps.items()])}
    watch = f"game=nim:{'-'.join(map(str, sizes))}"
    return Exercise("nim", seed, number, question, figure, blanks, hint, watch)


def left(sizes: Sequence[int], move: str) -> str:
    """The heaps after a move."""
    after = list(sizes)
    after[ord(move[0]) - ord("a")] -= int(move[1:])
    return listed(list(map(str, after)))
