"""Which child a simulation goes to, and which action is played: PUCT with noise (Silver et al. 2017), or Gumbel AlphaZero
(Danihelka et al. 2022), which needs few simulations.

Gumbel's root tries some actions, drawn by their priors without replacement, and halves them by what search finds of them
(sequential halving); elsewhere visits follow the improved policy. What the network is to learn is the softmax of its logits
plus the values found, completed by an estimate where an action was not tried: no worse a policy than the network's own, if
values are right.
"""

from __future__ import annotations

from math import cos, log, pi, sqrt
from typing import Any

import numpy as np

from counterplay.evaluation.heads import soften

C, VISITS, SCALE, NOISE, SHARPNESS = range(5)
"""Places in `numbers`."""
SIMULATIONS, CONSIDERED, OPENING, WARM, GUMBEL, LEARNING, SLOTS, SIZE, CELLS, NODES, LONGEST, ROOM, MEMORY = range(13)
"""Places in `settings`: simulations of an action; how many actions of the root are tried; how many actions at random begin
a game, at most; after how many the choice is no longer drawn (PUCT); whether the search is Gumbel's, and games are learned
from; and sizes. All are read at run time: another number of games compiles nothing anew."""
TINY = 1e-6


def schedule(actions: int, simulations: int) -> np.ndarray:
    """How many visits the action must have that is simulated next, for each number of actions considered and of simulations
    done: sequential halving (Karnin, Koren & Somekh 2013)."""
    plan = np.zeros((actions + 1, simulations + 1), np.int32)
    plan[1] = np.arange(simulations + 1)
    for considered in range(2, actions + 1):
        phases = int(np.ceil(np.log2(considered)))
        order: list[int] = []
        visits, left = [0] * considered, considered
        while len(order) < simulations:
            for _ in range(max(1, simulations // (phases * left))):
                order += visits[:left]
                visits[:left] = [n + 1 for n in visits[:left]]
            left = max(2, left // 2)
        plan[considered, :simulations] = order[:simulations]
    return plan


def shares_of(forest: Any, first: int, number: int) -> None:
    """Priors from logits, the softmax; and the logits so that the best is 0."""
    most = forest.logit[first]
    for k in range(first + 1, first + number):
        most = max(most, forest.logit[k])
    total = np.float32(0)
    for k in range(first, first + number):
        forest.logit[k] -= most
        forest.prior[k] = np.exp(forest.logit[k])
        total += forest.prior[k]
    for k in range(first, first + number):
        forest.prior[k] /= total


def draw_noise(forest: Any, slot: int, number: int, rng: Any) -> None:
    """Gumbel numbers for the root's actions; or, for PUCT, a draw from a Dirichlet distribution."""
    at, total = slot * forest.settings[SIZE], 0.0
    for i in range(number):
        if forest.settings[GUMBEL]:
            forest.noise[at + i] = -log(-log(rng.uniform() * (1.0 - 2e-9) + 1e-9))
        else:
            drawn = draw_gamma(forest.numbers[SHARPNESS], rng)
            forest.noise[at + i] = drawn
            total += drawn
    if not forest.settings[GUMBEL]:
        for i in range(number):
            forest.noise[at + i] /= np.float32(total)


def draw_gamma(shape: float, rng: Any) -> float:
    """A draw from a gamma distribution (Marsaglia & Tsang 2000)."""
    boost = 1.0
    if shape < 1.0:
        boost = max(rng.uniform(), 1e-12) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / sqrt(9.0 * d)
    while True:
        x = sqrt(-2.0 * log(1.0 - rng.uniform())) * cos(2.0 * pi * rng.uniform())
        v = (1.0 + c * x) ** 3
        if v > 0.0 and log(1.0 - rng.uniform()) < 0.5 * x * x + d - d * v + d * log(v):
            return boost * d * v + 1e-9


def improved(forest: Any, slot: int, node: int) -> int:
    """Write to `target` the logit of each child plus what its completed value is worth; the visits of all of them."""
    k = forest.place(slot, node)
    first, number = forest.place(slot, forest.first[k]), forest.count[k]
    sign = np.float32(1) if forest.mover[k] == 0 else np.float32(-1)
    visits, most = 0, 0
    weight, value = np.float32(0), np.float32(0)
    for child in range(first, first + number):
        n = forest.visits[child]
        if n > 0:
            visits += n
            most = max(most, n)
            prior = max(forest.prior[child], np.float32(TINY))
            weight += prior
            value += prior * sign * forest.total[child] / np.float32(n)
    guess = forest.worth[k]
    if visits > 0:
        guess = (guess + np.float32(visits) * value / weight) / np.float32(1 + visits)
    scale = np.float32((forest.numbers[VISITS] + most) * forest.numbers[SCALE] * 0.5)
    for i in range(number):
        n = forest.visits[first + i]
        q = sign * forest.total[first + i] / np.float32(n) if n > 0 else guess
        forest.target[i] = forest.logit[first + i] + scale * q
    return visits


def pick_gumbel(forest: Any, slot: int, node: int) -> int:
    """At the root, of the actions whose turn it is the most promising; elsewhere what is behind its improved share."""
    k = forest.place(slot, node)
    first, number = forest.first[k], forest.count[k]
    visits = improved(forest, slot, node)
    best, chosen = np.float32(-1e30), first
    if node == 0:
        considered = min(number, forest.settings[CONSIDERED])
        wanted = forest.plan[considered * (forest.settings[SIMULATIONS] + 1) + forest.done[slot]]
        for i in range(number):
            if forest.visits[forest.place(slot, first + i)] == wanted:
                hope = forest.target[i] + forest.noise[slot * forest.settings[SIZE] + i]
                if hope > best:
                    best, chosen = hope, first + i
        return chosen
    soften(forest.target, number)
    for i in range(number):
        gap = forest.target[i] - np.float32(forest.visits[forest.place(slot, first + i)]) / np.float32(1 + visits)
        if gap > best:
            best, chosen = gap, first + i
    return chosen


def pick_puct(forest: Any, slot: int, node: int) -> int:
    """What is worth most, its prior and how seldom it was tried counted in."""
    k = forest.place(slot, node)
    first, number = forest.first[k], forest.count[k]
    sign = np.float32(1) if forest.mover[k] == 0 else np.float32(-1)
    noisy = node == 0 and forest.settings[LEARNING]
    visits, seen, total = 0, np.float32(0), np.float32(0)
    for i in range(number):
        child = forest.place(slot, first + i)
        visits += forest.visits[child]
        total += forest.total[child]
        if forest.visits[child] > 0:
            seen += forest.prior[child]
    hope = (forest.worth[k] + sign * total) / np.float32(1 + visits)
    if not noisy:
        hope -= np.float32(0.25) * np.sqrt(seen)
    eager = np.float32(forest.numbers[C]) * np.sqrt(np.float32(visits + 1))
    best, chosen = np.float32(-1e30), first
    for i in range(number):
        child = forest.place(slot, first + i)
        n, prior = forest.visits[child], forest.prior[child]
        if noisy:
            share = np.float32(forest.numbers[NOISE])
            prior = prior * (np.float32(1) - share) + share * forest.noise[slot * forest.settings[SIZE] + i]
        q = sign * forest.total[child] / np.float32(n) if n > 0 else hope
        urge = q + eager * prior / np.float32(1 + n)
        if urge > best:
            best, chosen = urge, first + i
    return chosen


def choose(forest: Any, slot: int, rng: Any) -> tuple[int, float]:
    """The child of the root to play, and what the position is worth to its mover; `target` is what there is to learn."""
    k = forest.place(slot, 0)
    first, number = forest.first[k], forest.count[k]
    sign = np.float32(1) if forest.mover[k] == 0 else np.float32(-1)
    visits, most, total = 0, 0, np.float32(0)
    for i in range(number):
        child = forest.place(slot, first + i)
        visits += forest.visits[child]
        most = max(most, forest.visits[child])
        total += forest.total[child]
    worth = (forest.worth[k] + sign * total) / np.float32(1 + visits)
    best, chosen = np.float32(-1e30), 0
    if forest.settings[GUMBEL]:
        improved(forest, slot, 0)
        for i in range(number):
            hope = forest.target[i] + (
                forest.noise[slot * forest.settings[SIZE] + i] if forest.settings[LEARNING] else np.float32(0)
            )
            if forest.visits[forest.place(slot, first + i)] == most and hope > best:
                best, chosen = hope, i
        soften(forest.target, number)
        if most > 0:
            worth = sign * forest.total[forest.place(slot, first + chosen)] / np.float32(most)
        return first + chosen, worth
    for i in range(number):
        child = forest.place(slot, first + i)
        forest.target[i] = np.float32(forest.visits[child]) / np.float32(max(visits, 1))
        hope = forest.target[i] + np.float32(1e-3) * forest.prior[child]
        if hope > best:
            best, chosen = hope, i
    if forest.settings[LEARNING] and forest.length[slot] < forest.settings[WARM]:
        u = rng.uniform()
        for i in range(number):
            u -= forest.target[i]
            if u < 0.0:
                chosen = i
                break
    return first + chosen, worth
