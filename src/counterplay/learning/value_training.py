"""Training of counterfactual value networks as a run (Moravčík and others, DeepStack, 2017).

`values`: public situations are solved by regret minimization, street by street from the last one; the street's network
learns the value of each hand. Earlier streets look ahead only to the next one, unless the rest is small. Boards and
pots come from random play, ranges are split at random over the hands in order of strength. Some situations instead are
ones that look-aheads from the street before have asked the current network about (Schmid and others, Student of Games,
2023).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.core.language.rng import Rng
from counterplay.equilibrium.information_tree import TooLarge
from counterplay.equilibrium.look_ahead import LookAhead, Valued, ahead
from counterplay.equilibrium.public_tree import after_event, dealt
from counterplay.equilibrium.public_unrolling import TO_THE_END
from counterplay.equilibrium.value_network import (
    ENCODING,
    KIND,
    ValueNetwork,
    alike,
    by_strength,
    has_cards,
    possible,
    random_range,
    random_state,
    require_values,
    seen,
    street,
)
from counterplay.evaluation.model import Model
from counterplay.learning.rounds import falling
from counterplay.learning.runs import Run
from counterplay.learning.training import MOST_SEED, Training, require_ranges
from counterplay.learning.value_trainee import ValueTrainee

ASKED_AT_ONCE = 64
"""The maximum number of situations taken from one look-ahead."""
PARTS = ("features", "ranges", "targets", "free", "street")


@dataclass(frozen=True)
class ValueSettings:
    """The options of the training."""

    hidden: int = 128
    """Units of each hidden layer."""
    depth: int = 2
    """Hidden layers."""
    iterations: int = 200
    """Iterations of CFR+ for each situation."""
    batch: int = 256
    """Situations of a step."""
    updates: int = 200
    """Optimiser steps after them."""
    size: int = 256
    """Situations in one optimiser step."""
    keep: int = 100_000
    """The number of latest situations to learn from."""
    rate: float = 0.001
    last_rate: float = 0.00003
    exact: int = 5_000
    """The rest of a hand is solved to its end if it has at most this many public nodes (values)."""
    last: int = 0
    """The last street to learn, by its public cards; 0: the game's last one. Later ones are solved to their end
    (values)."""
    asked: float = 0.5
    """The share of situations that look-aheads asked for (values)."""
    gamble: float = 0.25
    """How often play continues at random (rebel)."""
    seed: int = 0

    def __post_init__(self) -> None:
        require_ranges(
            self,
            hidden=(1, 4096), depth=(1, 8), iterations=(1, 100_000), batch=(1, 1_000_000), updates=(1, 1_000_000),
            size=(1, 1_000_000), keep=(1, 10_000_000), rate=(0, 10), last_rate=(0, 10), gamble=(0, 1),
            exact=(0, 10_000_000), last=(0, 52), asked=(0, 1), seed=(0, MOST_SEED),
        )  # fmt: skip


class Situation(NamedTuple):
    """A public state, both ranges, and the value of each hand."""

    state: Any
    ranges: np.ndarray  # [2, hands] each adds up to 1
    worth: np.ndarray  # [2, hands]


class Queries:
    """A network, and the questions that it was asked."""

    def __init__(self, network: ValueNetwork) -> None:
        self.network = network
        self.states: list[Any] = []
        self.reaches: list[np.ndarray] = []  # [2, states, hands] of each call

    def reach(self, s: Any) -> int:
        return self.network.reach(s)

    def at(self, states: list[Any], weights: np.ndarray | None) -> Valued:
        self.states, valued = states, self.network.at(states, weights)

        def noted(player: int, own: np.ndarray, other: np.ndarray) -> np.ndarray:
            self.reaches.append(np.stack([own, other] if player == 0 else [other, own]))
            return valued(player, own, other)

        return noted

    def some(self, number: int, rng: np.random.Generator) -> list[tuple[Any, np.ndarray]]:
        """Some of the questions at random, among those that both players could reach."""
        found: list[tuple[Any, np.ndarray]] = []
        for _ in range(4 * number):
            k, reaches = int(rng.integers(len(self.states))), self.reaches[int(rng.integers(len(self.reaches)))]
            totals = reaches[:, k].sum(axis=1, keepdims=True)
            if (totals > 0).all() and len(found) < number:
                found.append((self.states[k], reaches[:, k] / totals))
        return found


class ValueTraining(Training):
    """Networks of all streets in training, the last one first."""

    method = "values"
    saves_each = True
    settings: ValueSettings

    def __init__(
        self, game: Game, settings: ValueSettings, games: int | None = None, seconds: float | None = None
    ) -> None:
        require_values(game)
        super().__init__(game, settings, games, seconds)
        self.cards = has_cards(game)
        self.start, weights = dealt(game, self.cards)
        self.weights = None if self.cards else weights
        self.streets = streets_of(game, self.start, self.weights, settings.last)  # in the order of learning
        if not self.streets:
            raise Unsuitable(
                f"{game.spec} turns over no public card, so no look-ahead needs values; `resolve` solves it to the end"
            )
        self.rngs = [Rng(settings.seed)]
        hands, size = game.private_hands, len(seen(game, self.start).features)
        self.trainees = {
            number: ValueTrainee(
                size + 2 * hands, hands, settings.hidden, settings.depth, settings.rate, settings.seed + number
            )
            for number in self.streets
        }
        shapes = {"features": (0, size), "ranges": (0, 2, hands), "targets": (0, 2, hands), "free": (0, hands)}
        self.memory = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
        self.memory["street"] = np.zeros(0, np.float32)
        self.count = 0

    @property
    def played(self) -> int:
        return self.count

    def prepare(self) -> None:
        self.situations(1, self.streets[-1], np.random.default_rng(0))

    # Situations.

    def situations(self, number: int, on: int, rng: np.random.Generator) -> list[Situation]:
        """Some solved situations of a street."""
        later = self.network() if self.learned() else None
        drawn = self.asked(round(number * self.settings.asked), on, rng)
        found: list[Situation] = []
        while len(found) < number and not self.stop.is_set():
            s, ranges = drawn.pop() if drawn else self.drawn(on, rng)
            leaves = None if later is None or self.is_small(s) else later
            solved = LookAhead(self.game, s, self.weights, leaves, folded=True).solve(ranges, self.settings.iterations)
            found.append(Situation(s, ranges, solved))
        return found

    def is_small(self, s: Any) -> bool:
        """Whether the rest of a hand is solved to its end."""
        try:
            return int(ahead(self.game, s, self.weights, TO_THE_END, folded=True).tree.nodes) <= self.settings.exact
        except TooLarge:
            return False

    def drawn(self, on: int, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
        """A public state of a street, and ranges there."""
        before, s = random_state(self.game, self.start, self.weights, on, rng)
        order = by_strength(self.game, s, rng)
        drawn = [random_range(order, self.game.private_hands, rng) for _ in range(2)]
        return s, np.stack([alike(self.game, before, s, each) for each in drawn])

    def asked(self, number: int, on: int, rng: np.random.Generator) -> list[tuple[Any, np.ndarray]]:
        """The same, but as look-aheads from the street before ask for them, from the deal or from random situations."""
        if not self.cards or on == 0:
            return []
        asked: list[tuple[Any, np.ndarray]] = []
        network = self.network()
        while len(asked) < number and not self.stop.is_set():
            s, ranges = self.drawn(on - 1, rng)
            if on == 1:
                free = possible(self.game, s)
                ranges = np.stack([free / free.sum()] * 2)
            queries = Queries(network)
            LookAhead(self.game, s, self.weights, queries, folded=True).solve(ranges, self.settings.iterations)
            asked += queries.some(min(ASKED_AT_ONCE, number - len(asked)), rng)
        return asked

    def learned(self) -> list[int]:
        """Streets learned before the current one."""
        return self.streets[: self.streets.index(self.now())]

    def now(self) -> int:
        """The current street: each has an equal part of the budget."""
        return self.streets[min(int(self.share * len(self.streets)), len(self.streets) - 1)]

    def network(self) -> ValueNetwork:
        """The current networks, for look-aheads."""
        return ValueNetwork(self.game, self.model())

    # Learning.

    def advance(self) -> dict[str, Any]:
        started, settings, number = time.perf_counter(), self.settings, self.now()
        rng = np.random.default_rng(int(self.rngs[0].below(1 << 31)))
        asked = settings.batch if self.games is None else min(settings.batch, self.games - self.count)
        found = self.situations(asked, number, rng)
        if found:  # else it was stopped before the first
            self.remember(found)
        rate = falling(settings.rate, settings.last_rate, self.progress())
        losses = []
        for street_number in self.taught():
            own = np.flatnonzero(self.memory["street"] == street_number)
            for _ in range(settings.updates if len(own) else 0):
                chosen = own[rng.integers(len(own), size=min(settings.size, len(own)))]
                parts = [self.memory[name][chosen] for name in PARTS[:4]]
                losses.append(self.trainees[street_number].step(parts[0], parts[1], parts[2], parts[3], rate))
        passed = time.perf_counter() - started
        self.spent, self.step, self.count = self.spent + passed, self.step + 1, self.count + len(found)
        return {
            "step": self.step,
            "games": self.count,
            "seconds": round(self.spent, 3),
            "games_per_second": round(len(found) / passed, 1),
            "street": number,
            "loss": round(float(np.mean(losses)), 6) if losses else 0.0,
            "rate": round(rate, 6),
        }

    def taught(self) -> list[int]:
        """Streets whose networks learn in this step."""
        return [self.now()]

    def progress(self) -> float:
        """The spent share of their budget, 0 to 1."""
        within = self.share * len(self.streets) - self.streets.index(self.now())
        return min(max(within, 0.0), 1.0)

    def remember(self, found: list[Situation]) -> None:
        """Keep situations to learn from; the oldest are dropped."""
        scale = 1.0 if self.weights is None else float(self.weights.max())
        rows: dict[str, list[Any]] = {name: [] for name in PARTS}
        for each in found:
            known = seen(self.game, each.state)
            rows["features"].append(known.features)
            rows["ranges"].append(each.ranges[:, known.own])
            rows["targets"].append(each.worth[:, known.own] / (known.stake * scale))
            rows["free"].append(known.free[known.own])
            rows["street"].append(self.street_of(each.state))
        for name in PARTS:
            both = np.concatenate([self.memory[name], np.array(rows[name], np.float32)])
            self.memory[name] = both[-self.settings.keep :]

    def street_of(self, s: Any) -> int:
        """The street whose network a state belongs to."""
        return street(self.game, s)

    def model(self) -> Model:
        arrays = {name: part for number in self.streets for name, part in self.trainees[number].arrays(number).items()}
        about = {"method": self.method, "situations": self.count, "seconds": round(self.spent, 1)}
        return Model.of(self.game, KIND, ENCODING, arrays, "identity", about)

    # The run.

    def parts(self) -> dict[str, np.ndarray]:
        parts = {f"memory_{name}": part for name, part in self.memory.items()}
        for number, trainee in self.trainees.items():
            parts |= {f"net{number}_{name}": part for name, part in trainee.memory().items()}
        return parts

    def numbers(self) -> dict[str, Any]:
        return {"count": self.count}

    def restore(self, run: Run, head: Mapping[str, Any], saved: Mapping[str, Any]) -> None:
        self.count = int(head["count"])
        self.memory = {name: saved[f"memory_{name}"] for name in PARTS}
        for number, trainee in self.trainees.items():
            own = f"net{number}_"
            trainee.restore({name.removeprefix(own): part for name, part in saved.items() if name.startswith(own)})


def streets_of(game: Game, start: Any, weights: np.ndarray | None, last: int) -> list[int]:
    """The streets to learn, the last first: by public cards, without the one before any card; 0 if hands are not of
    cards."""
    if not has_cards(game):
        return [0]
    rng, most = np.random.default_rng(0), 0
    for _ in range(200):
        most = max(most, last_street(game, start, weights, rng))
    return list(range(min(last or most, most), 0, -1))


def last_street(game: Game, s: Any, weights: np.ndarray | None, rng: np.random.Generator) -> int:
    """The number of public cards at the end of a random hand."""
    from counterplay.core.game import CHANCE
    from counterplay.core.rules import legal

    while not game.is_terminal(s):
        options = legal(game, s)
        choice = int(options[rng.integers(len(options))])
        turn = game.to_move(s) == CHANCE
        s = after_event(game, s, choice, weights) if turn else game.result(s, choice)
    return street(game, s)
