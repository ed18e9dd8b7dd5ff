"""AlphaZero (Silver et al. 2018): a network learns from games against itself in which search finds every action.

A generation plays until it has a given number of new positions, and records them. Meanwhile, in a thread of its own,
the network learns from a window of the latest positions before them: play and learning have a core each. The next
generation plays with the result. At intervals, and at the end, the new network plays a match against the last published
one, and is published itself if it does not lose; a second match then measures how much better it is, because the first
one, which selected it, is biased in its favour. The number of positions, not time, ends a generation, and each begins
with no search under way: so the same seed gives the same generations, and a killed run, whose checkpoint has the games
in progress, continues with the same generations as one that was not killed.

The games are divided into lanes, each a unit of work for one core, here or on a cluster (self_play_lanes.py). A
generation is bounded and the next begins once the network has learned from it, so actors cannot outrun the learner: the
playing network is one generation behind the learning one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.archive import read_archive, write_archive
from counterplay.core.game import Game
from counterplay.core.language.rng import Rng
from counterplay.evaluation.model import Model
from counterplay.evaluation.residual import require_network
from counterplay.learning.games_in_progress import divided, joined, require_sound
from counterplay.learning.gating import play_match
from counterplay.learning.network import Trainee
from counterplay.learning.runs import Run
from counterplay.learning.self_play_lanes import Harvest, Lane, LaneOptions, LaneUnit, lanes_job
from counterplay.learning.training import MOST_SEED, Training, require_ranges
from counterplay.scale.crew import Fleet, WorkCrew, crew_for

REPLAY = "counterplay replay 1"
PARTS = ("planes", "policy", "thought", "result")
FIRST_WINDOW = 0.5
"""The share of all positions so far that is learned from, until the window is full."""
LEAST_RATE = 0.1
"""The fraction of the initial rate that is left at the end; it falls as a cosine."""
LEAST_SLOTS, LONGEST = 32, 512
"""A lane has this many games at once, unless all lanes together have fewer; the longest game, in plies."""


@dataclass(frozen=True)
class Settings:
    """The options of the training."""

    search: str = "gumbel"
    """gumbel, or puct with noise at the root."""
    simulations: int = 32
    slots: int = 256
    """Games at once, of all lanes together."""
    lanes: int = 0
    """The number of parts that the games are divided into, each for one core; 0: as many as there are cores for them."""
    width: int = 32
    blocks: int = 3
    positions: int = 8192
    """New positions of a generation."""
    window: int = 300_000
    """The maximum number of positions to learn from."""
    epochs: float = 4.0
    """How often a position is learned from, on average."""
    batch: int = 256
    rate: float = 0.002
    decay: float = 0.0001
    mix: float = 0.5
    """The training target of a position's value: 0, the result of the game; 1, the search's value."""
    exact: int = 0
    """The maximum number of nodes of an exact search for a position's true value once its game is over; 0: no search."""
    opening: int = 8
    """A game begins with up to this many random actions, few more often than many."""
    gate: int = 40
    """Games of the match that a network must not lose to be published; 0: no match."""
    gate_every: int = 10
    """Generations between two such matches."""
    threads: int = 1
    seed: int = 0
    start: str = ""
    """The run to start from: its network and its latest positions. Empty: from scratch."""

    def __post_init__(self) -> None:
        if self.search not in ("gumbel", "puct"):
            raise CounterplayError(f"search={self.search!r} must be gumbel or puct")
        require_ranges(
            self,
            simulations=(2, 100_000), slots=(1, 65_536), lanes=(0, 65_536), width=(1, 1024), blocks=(0, 100),
            positions=(1, 10_000_000), window=(1, 100_000_000), epochs=(0, 1000), batch=(2, 65_536), rate=(0, 10),
            decay=(0, 10), mix=(0, 1), exact=(0, 10**9), opening=(0, 1000), gate=(0, 100_000),
            gate_every=(1, 100_000), threads=(1, 256), seed=(0, MOST_SEED),
        )  # fmt: skip


class Replay:
    """The latest positions: a file for each generation; the window is held in memory."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.parts: list[tuple[np.ndarray, ...]] = []  # planes (as small floats), policy, search's value, result

    def add(self, part: tuple[np.ndarray, ...]) -> None:
        """Add a generation; positions beyond the window are dropped."""
        self.parts.append(part)
        while len(self.parts) > 1 and sum(len(each[3]) for each in self.parts[1:]) >= self.window:
            self.parts.pop(0)

    def latest(self, total: int) -> int:
        """The number of positions to learn from, of `total` so far."""
        held = sum(len(part[3]) for part in self.parts)
        return min(held, self.window, max(int(FIRST_WINDOW * total), len(self.parts[-1][3])))

    def draw(self, draw: np.random.Generator, latest: int, number: int) -> list[np.ndarray]:
        """A random sample of the `latest` positions."""
        ends = np.cumsum([len(part[3]) for part in self.parts])
        chosen = np.sort(draw.integers(ends[-1] - latest, ends[-1], number))
        which = np.searchsorted(ends, chosen, side="right")
        starts = np.concatenate([[0], ends])[which]
        found = [(self.parts[k], chosen[which == k] - starts[which == k]) for k in np.unique(which)]
        return [np.concatenate([part[i][rows] for part, rows in found]) for i in range(4)]


class AlphaZero(Training):
    """The training, as a run."""

    method = "alphazero"
    saves_each = True
    played = 0
    settings: Settings

    def __init__(self, game: Game, settings: Settings, games: int | None = None, seconds: float | None = None) -> None:
        require_network(game)
        super().__init__(game, settings, games, seconds)
        self.trainee = Trainee(
            game, settings.width, settings.blocks, settings.rate, settings.decay, settings.seed, settings.threads
        )
        self.options = LaneOptions(
            settings.search == "gumbel", settings.simulations, settings.opening, settings.exact, settings.threads
        )
        self.lane = Lane(game, self.options)
        self.crew = WorkCrew(work=self.lane)
        self.rng = Rng(settings.seed)  # gives the lanes their seeds
        self.rngs = [self.rng]
        self.games_in_progress: dict[str, np.ndarray] = {}
        self.replay = Replay(settings.window)
        self.positions, self.rating = 0, 0.0
        self.plays = self.trainee.model()
        self.given = self.plays  # the last network that passed the gate

    def prepare(self) -> None:
        """Compile, and load the starting point, before the clock runs."""
        if self.settings.start and self.step == 0:
            self.begin_from(Run(Path(self.settings.start)))
        if self.crew.size == 1 and not self.crew.describe():
            self.lane.compile()
        else:
            word = self.rng.word.value
            self.play(0)  # all workers set up their workshops
            self.rng.word.value = word

    def employ(self, fleet: Fleet) -> None:
        """Let a crew play."""
        self.crew = crew_for(lanes_job(self.game, fleet.spec, self.options), fleet.workers, fleet.cluster)

    def close(self) -> None:
        """End all processes that play."""
        self.crew.stop()

    # One generation.

    def advance(self) -> dict[str, Any]:
        """Play, learn from earlier generations, and now and then play a gating match; returns the metrics."""
        started = time.perf_counter()
        with ThreadPoolExecutor(1) as beside:
            learning = beside.submit(self.learn, self.share)  # its current value: play changes it
            try:
                harvests = self.play(self.settings.positions)
            except BaseException:
                self.stop.set()  # learning need not continue
                raise
            passed = time.perf_counter() - started
            learned = learning.result()
        if self.stop.is_set():
            return {}  # the generation was cut short
        row = self.told(harvests, passed) | learned
        part = tuple(np.concatenate(parts) for parts in zip(*(each.positions for each in harvests), strict=True))
        self.games_in_progress = joined([each.games for each in harvests])
        self.played += int(sum(each.counts["games"] for each in harvests))
        self.replay.add(part)
        self.positions += len(part[3])
        self.step += 1
        self.plays = self.trainee.model()
        before, self.spent = self.spent, self.spent + time.perf_counter() - started
        if self.crew.size > 1:
            row |= self.waits(harvests, learned, time.perf_counter() - started) | self.crew.figures()
        if not self.settings.gate:
            self.given = self.plays
        elif self.step % self.settings.gate_every == 0 or self.share >= 1.0:
            row |= self.challenge()
            self.spent = before + time.perf_counter() - started
        head = {"step": self.step, "games": self.played, "seconds": round(self.spent, 3), "positions": self.positions}
        return head | row | {"rating": round(self.rating, 1)}

    def play(self, positions: int) -> list[Harvest]:
        """A number of new positions from all lanes; fewer if the run is stopped."""
        settings = self.settings
        lanes = settings.lanes or max(1, min(self.crew.size, settings.slots, settings.positions))
        least = max(min(LEAST_SLOTS, settings.slots) if not settings.lanes else 1, settings.slots // lanes)
        slots = [max(least, (settings.slots + k) // lanes) for k in range(lanes)]
        seeds = [int(self.rng.bits()) for _ in range(lanes)]
        games = divided(self.games_in_progress, slots)
        network = self.crew.share(self.plays)
        units = [
            LaneUnit(network, self.step, slots[k], (positions + k) // lanes, seeds[k], games[k]) for k in range(lanes)
        ]
        found = list(self.crew.map(units, self.stop))
        network.release()
        return found

    def told(self, harvests: list[Harvest], seconds: float) -> dict[str, Any]:
        """The metrics of a generation whose play took this long."""
        n = {name: sum(each.counts[name] for each in harvests) for name in harvests[0].counts}
        row = {
            "positions_per_second": round(n["positions"] / seconds, 1),
            "network_share": round(n["asking"] / max(n["seconds"], 1e-9), 3),
            "asked_per_second": round(n["questions"] / seconds),
            "remembered": round(n["hits"] / max(n["hits"] + n["questions"], 1), 3),
            "length": round(n["positions"] / max(n["games"], 1), 2),
            "draws": round(n["drawn"] / max(n["games"], 1), 3),
        }
        if self.settings.exact:
            row["settled"] = round(n["settled"] / max(n["written"], 1), 3)
        return row

    def waits(self, harvests: list[Harvest], learned: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The shares of a generation that actors and the learner wait for each other, and how many optimiser steps the
        playing network is behind at its end."""
        busy = sum(each.counts["seconds"] for each in harvests) / (self.crew.size * seconds)
        return {
            "actors_wait": round(max(0.0, 1 - busy), 3),
            "learner_waits": round(max(0.0, 1 - learned.get("learning_seconds", 0.0) / seconds), 3),
            "stale_steps": learned.get("steps", 0),
        }

    def learn(self, share: float) -> dict[str, Any]:
        """Optimiser steps in proportion to the last generation; the rate falls with the `share` of the run that is done."""
        settings, started = self.settings, time.perf_counter()
        if not self.replay.parts:
            return {}
        new = len(self.replay.parts[-1][3])
        latest = self.replay.latest(self.positions)
        rate = settings.rate * (LEAST_RATE + (1 - LEAST_RATE) * 0.5 * (1 + np.cos(np.pi * share)))
        draw = np.random.default_rng([settings.seed, self.step])
        losses = []
        for _ in range(int(new * settings.epochs / settings.batch) if latest > 1 else 0):
            if self.stop.is_set():
                break
            x, policy, thought, result = self.replay.draw(draw, latest, settings.batch)
            planes = x.astype(np.float32).reshape(-1, *self.game.plane_shape)
            value = (settings.mix * thought + (1 - settings.mix) * result).astype(np.float32)
            losses.append(self.trainee.step(planes, policy, value, float(rate)))
        if not losses:
            return {}
        policy_loss, value_loss = np.mean(losses, axis=0)
        return {
            "loss": round(float(policy_loss + value_loss), 5),
            "policy_loss": round(float(policy_loss), 5),
            "value_loss": round(float(value_loss), 5),
            "rate": round(float(rate), 6),
            "learning_seconds": round(time.perf_counter() - started, 3),
            "steps": len(losses),
        }

    def challenge(self) -> dict[str, Any]:
        """A match against the last published network, and another to rate this one if it replaces it."""
        score = self.meet(2 * self.step)
        row = {"score": round(score, 3), "passed": score >= 0.5}
        if score >= 0.5:
            again = min(max(self.meet(2 * self.step + 1), 0.01), 0.99)
            self.rating += 400 * float(np.log10(again / (1 - again)))
            self.given = self.plays
        return row

    def meet(self, seed: int) -> float:
        """The new network's score against the last published one."""
        settings = self.settings
        return play_match(
            self.game, self.plays, self.given, games=settings.gate, simulations=settings.simulations,
            opening=settings.opening, seed=settings.seed + seed, threads=settings.threads,
        )  # fmt: skip

    def model(self) -> Model:
        """The published model; before the first match, the newest network."""
        given = self.plays if self.step < self.settings.gate_every else self.given
        about = {"method": "alphazero", "games": self.played, "seconds": round(self.spent, 1), "rating": self.rating}
        return replace(given, about=about)

    # The run.

    def chunk(self, run: Run, step: int) -> Path:
        """The file of a generation's positions."""
        return run.folder / "replay" / f"{step:06d}.npz"

    def save(self, run: Run, row: dict[str, Any]) -> None:
        """Save the state of the training: the new positions first, then the rest."""
        (run.folder / "replay").mkdir(exist_ok=True)
        for back, part in enumerate(reversed(self.replay.parts)):
            file = self.chunk(run, self.step - back)
            if back == 0 or not file.exists():  # those of the run that it started from
                write_archive(file, {"format": REPLAY}, dict(zip(PARTS, part, strict=True)))
        super().save(run, row)
        for old in (run.folder / "replay").glob("*.npz"):
            if old.stem.isdigit() and not self.step - len(self.replay.parts) < int(old.stem) <= self.step:
                old.unlink()

    def parts(self) -> dict[str, np.ndarray]:
        arrays = self.trainee.memory() | {f"game_{name}": part for name, part in self.games_in_progress.items()}
        arrays |= {f"given_{name}": part for name, part in self.given.arrays.items()}
        return arrays | {f"plays_{name}": part for name, part in self.plays.arrays.items()}

    def numbers(self) -> dict[str, Any]:
        kept = len(self.replay.parts)
        return {"games": self.played, "rating": self.rating, "positions": self.positions, "kept": kept}

    def restore(self, run: Run, head: Mapping[str, Any], saved: Mapping[str, Any]) -> None:
        """Load a checkpoint, with the games in progress; if there are none, new games begin."""
        self.take_up(run, head, saved)
        self.games_in_progress = {k.removeprefix("game_"): v for k, v in saved.items() if k.startswith("game_")}
        if self.games_in_progress:
            require_sound(self.games_in_progress, LONGEST)
        self.played, self.rating = int(head["games"]), float(head["rating"])

    def begin_from(self, run: Run) -> None:
        """Start from another run's network and positions."""
        config, found = run.config, run.checkpoint()
        for name, mine in (("method", "alphazero"), ("game", self.game.spec), ("width", self.settings.width),
                           ("blocks", self.settings.blocks)):  # fmt: skip
            if config.get(name) != mine:
                raise CounterplayError(
                    f"start={self.settings.start}: that run has {name}={config.get(name)}, and here it is {mine}"
                )
        if found is None:
            raise CounterplayError(f"start={self.settings.start}: that run has no network yet")
        self.take_up(run, *found)

    def take_up(self, run: Run, head: Mapping[str, Any], saved: Mapping[str, Any]) -> None:
        """Load the networks and positions of a checkpoint."""
        self.trainee.restore(saved)
        for name in ("given", "plays"):
            arrays = {k.removeprefix(f"{name}_"): v for k, v in saved.items() if k.startswith(f"{name}_")}
            setattr(self, name, Model.of(self.game, "residual", "planes", arrays))
        self.step, self.positions = int(head["step"]), int(head["positions"])
        for step in range(self.step - int(head["kept"]) + 1, self.step + 1):
            part = read_archive(self.chunk(run, step), REPLAY)
            if part is None or not self.is_sound(part[1]):
                raise CounterplayError(
                    f"{str(self.chunk(run, step))!r} is damaged: these positions cannot be learned from"
                )
            self.replay.add(tuple(part[1][name] for name in PARTS))

    def is_sound(self, part: dict[str, np.ndarray]) -> bool:
        """Whether the arrays of a generation are valid."""
        if set(part) != set(PARTS) or part["result"].ndim != 1:
            return False
        cells, number = int(np.prod(self.game.plane_shape)), len(part["result"])
        shapes = {"planes": (number, cells), "policy": (number, self.game.policy_size), "thought": (number,)}
        return all(part[name].shape == shape for name, shape in shapes.items())
