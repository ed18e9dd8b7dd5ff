"""AlphaZero (Silver et al. 2018): a network learns from games against itself, in which it searches before it acts.

A generation plays until there are this many new positions, and writes them down. Meanwhile, in a thread of its own, the
network learns from a window of the latest before them: play and learning have a core each. With what came of that the next
generation plays. Now and then, and at the end, the new network meets the last one that was given out, and is given out
itself if it does not lose; a second match then tells by how much it is better, because the first one, which chose it,
flatters it. The number of positions, not time, ends a generation, and each begins with no search under way: so the same
seed gives the same generations, and a run that was killed, whose checkpoint has the games in progress, the same as one
that was not.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.archive import read_archive, write_archive
from counterplay.core.game import Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.rng import Rng
from counterplay.evaluation.model import Model
from counterplay.evaluation.residual import Residual, require_network
from counterplay.learning.exact_labels import ExactSearch
from counterplay.learning.games_in_progress import in_progress, search_anew, take_up
from counterplay.learning.gating import play_match
from counterplay.learning.network import Trainee
from counterplay.learning.runs import Run
from counterplay.learning.self_play import SelfPlay, advance, begin
from counterplay.learning.training import MOST_SEED, Training, require_ranges

REPLAY = "counterplay replay 1"
PARTS = ("planes", "policy", "thought", "result")
FIRST_WINDOW = 0.5
"""Of all positions so far, the share that is learned from, until the window is full."""
LEAST_RATE = 0.1
"""Of the first rate, what is left at the end; it falls as a cosine."""
REMEMBERED, MEGABYTES = 1 << 18, 256
"""Answers of the network that are kept, at most this many and in so much memory."""


@dataclass(frozen=True)
class Settings:
    """How to go about it."""

    search: str = "gumbel"
    """gumbel, or puct with noise at the root."""
    simulations: int = 32
    slots: int = 256
    """Games at once."""
    width: int = 32
    blocks: int = 3
    positions: int = 8192
    """New positions of a generation."""
    window: int = 300_000
    """Positions that are learned from, at most."""
    epochs: float = 4.0
    """How often a position is learned from, on the average."""
    batch: int = 256
    rate: float = 0.002
    decay: float = 0.0001
    mix: float = 0.5
    """What is learned of a position's value: 0, the result of the game; 1, what search thought of it."""
    exact: int = 0
    """Nodes that an exact search may take for a position, to find what it is truly worth once its game is over; 0: none."""
    opening: int = 8
    """Up to this many actions at random begin a game, few more often than many."""
    gate: int = 40
    """Games of the match that a network must not lose to be given out; 0: it need not play."""
    gate_every: int = 10
    """Generations between two such matches."""
    threads: int = 1
    seed: int = 0
    start: str = ""
    """The run to begin from: its network and its latest positions. Empty: from nothing."""

    def __post_init__(self) -> None:
        if self.search not in ("gumbel", "puct"):
            raise CounterplayError(f"search={self.search!r} must be gumbel or puct")
        require_ranges(
            self,
            simulations=(2, 100_000), slots=(1, 65_536), width=(1, 1024), blocks=(0, 100), positions=(1, 10_000_000),
            window=(1, 100_000_000), epochs=(0, 1000), batch=(2, 65_536), rate=(0, 10), decay=(0, 10), mix=(0, 1),
            exact=(0, 10**9), opening=(0, 1000), gate=(0, 100_000), gate_every=(1, 100_000), threads=(1, 256),
            seed=(0, MOST_SEED),
        )  # fmt: skip


class Replay:
    """The latest positions: a file for each generation, and in memory what the window holds."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.parts: list[tuple[np.ndarray, ...]] = []  # planes (as small floats), policy, search's value, result

    def add(self, part: tuple[np.ndarray, ...]) -> None:
        """One more generation; what the window no longer holds is forgotten."""
        self.parts.append(part)
        while len(self.parts) > 1 and sum(len(each[3]) for each in self.parts[1:]) >= self.window:
            self.parts.pop(0)

    def latest(self, total: int) -> int:
        """How many positions to learn from, of `total` that there ever were."""
        held = sum(len(part[3]) for part in self.parts)
        return min(held, self.window, max(int(FIRST_WINDOW * total), len(self.parts[-1][3])))

    def draw(self, draw: np.random.Generator, latest: int, number: int) -> list[np.ndarray]:
        """So many of the `latest` positions, at random."""
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
        self.self_play = SelfPlay(
            game, settings.slots, settings.simulations, gumbel=settings.search == "gumbel", opening=settings.opening,
            room=4 * settings.positions, memory=min(REMEMBERED, (MEGABYTES << 20) // (4 * game.policy_size)),
        )  # fmt: skip
        self.truth = ExactSearch(game, settings.exact) if settings.exact else None
        self.rng, self.out = Rng(settings.seed), cast(ActionStack, action_stack(game))
        self.rngs = [self.rng]
        self.planes = np.zeros((settings.slots, *game.plane_shape), np.float32)  # what the games ask about
        self.is_fresh = True  # no game has begun
        self.games_before: dict[str, np.ndarray] = {}  # in progress when the run was left
        self.replay = Replay(settings.window)
        self.positions, self.rating = 0, 0.0
        self.plays = self.trainee.model()
        self.given = self.plays  # the last network that passed the gate

    def prepare(self) -> None:
        """Compile, and take up what it begins with, before the clock runs."""
        if self.settings.start and self.step == 0:
            self.begin_from(Run(Path(self.settings.start)))
        begin(self.game, self.self_play, Rng(0), self.out)
        search_anew(self.game, self.self_play, self.out)
        advance(self.game, self.self_play, *self.no_answers(), self.planes, Rng(0), self.out, self.truth)
        self.is_fresh = True

    def no_answers(self) -> tuple[np.ndarray, np.ndarray]:
        """What stands for the network's answers where no game waits for one."""
        slots = self.settings.slots
        return np.zeros((slots, self.game.policy_size), np.float32), np.zeros(slots, np.float32)

    # One generation.

    def advance(self) -> dict[str, Any]:
        """Play, learn from what came before, and perhaps be put to the test: what it came to."""
        started = time.perf_counter()
        network = Residual(self.game, self.plays, self.settings.threads)
        with ThreadPoolExecutor(1) as beside:
            learning = beside.submit(self.learn, self.share)  # as it is now: play changes it
            try:
                part, row = self.play(network)
            except BaseException:
                self.stop.set()  # learning need not continue
                raise
            row |= learning.result()
        self.replay.add(part)
        self.positions += len(part[3])
        self.step += 1
        self.plays = self.trainee.model()
        before, self.spent = self.spent, self.spent + time.perf_counter() - started
        if not self.settings.gate:
            self.given = self.plays
        elif self.step % self.settings.gate_every == 0 or self.share >= 1.0:
            row |= self.challenge()
            self.spent = before + time.perf_counter() - started
        head = {"step": self.step, "games": self.played, "seconds": round(self.spent, 3), "positions": self.positions}
        return head | row | {"rating": round(self.rating, 1)}

    def play(self, network: Residual) -> tuple[tuple[np.ndarray, ...], dict[str, Any]]:
        """New positions."""
        games, game, settings = self.self_play, self.game, self.settings
        games.forget()
        games.count_anew()
        self.go_on()
        planes, started, asking = self.planes, time.perf_counter(), 0.0
        logits, values = self.no_answers()
        while games.written < settings.positions:
            advance(game, games, logits, values, planes, self.rng, self.out, self.truth)
            before = time.perf_counter()
            logits, values = network.answer(planes)
            asking += time.perf_counter() - before
            if self.stop.is_set():
                break
        seconds = time.perf_counter() - started
        written = games.written
        self.played += games.games
        x, policy, thought, result = games.drain()
        row = {
            "positions_per_second": round(games.positions / seconds, 1),
            "network_share": round(asking / seconds, 3),
            "asked_per_second": round(games.questions / seconds),
            "remembered": round(games.hits / max(games.hits + games.questions, 1), 3),
            "length": round(games.positions / max(games.games, 1), 2),
            "draws": round(games.drawn / max(games.games, 1), 3),
        }
        if self.truth is not None:
            row["settled"] = round(games.settled / max(written, 1), 3)
        return (x.astype(np.float16), policy, thought, result), row

    def go_on(self) -> None:
        """Begin games, or take up those in progress, each at the start of a search: nothing else of the last generation
        counts in this one, so that a checkpoint needs nothing else."""
        games, was_left = self.self_play, self.is_fresh and bool(self.games_before)
        if self.truth is not None:
            self.truth.words[:] = 0
        if was_left:
            take_up(games, self.games_before)
        if self.is_fresh and not was_left:
            begin(self.game, games, self.rng, self.out)
        elif not search_anew(self.game, games, self.out):
            raise CounterplayError("the checkpoint is damaged: its games in progress are none of this game")
        self.is_fresh, self.games_before = False, {}

    def learn(self, share: float) -> dict[str, Any]:
        """Steps of the optimiser, by how much the last generation brought; the rate falls with the `share` of the run that
        is over."""
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
        }

    def challenge(self) -> dict[str, Any]:
        """A match against the last network that was given out, and another to rate this one if it takes its place."""
        score = self.meet(2 * self.step)
        row = {"score": round(score, 3), "passed": score >= 0.5}
        if score >= 0.5:
            again = min(max(self.meet(2 * self.step + 1), 0.01), 0.99)
            self.rating += 400 * float(np.log10(again / (1 - again)))
            self.given = self.plays
        return row

    def meet(self, seed: int) -> float:
        """What the new network scores against the last one that was given out."""
        settings = self.settings
        return play_match(
            self.game, self.plays, self.given, games=settings.gate, simulations=settings.simulations,
            opening=settings.opening, seed=settings.seed + seed, threads=settings.threads,
        )  # fmt: skip

    def model(self) -> Model:
        """What is given out: before the first match, the newest network."""
        given = self.plays if self.step < self.settings.gate_every else self.given
        about = {"method": "alphazero", "games": self.played, "seconds": round(self.spent, 1), "rating": self.rating}
        return replace(given, about=about)

    # The run.

    def chunk(self, run: Run, step: int) -> Path:
        """Where the positions of a generation are kept."""
        return run.folder / "replay" / f"{step:06d}.npz"

    def save(self, run: Run, row: dict[str, Any]) -> None:
        """Write down where it is: the new positions first, then all else."""
        (run.folder / "replay").mkdir(exist_ok=True)
        for back, part in enumerate(reversed(self.replay.parts)):
            file = self.chunk(run, self.step - back)
            if back == 0 or not file.exists():  # those of the run that it began from
                write_archive(file, {"format": REPLAY}, dict(zip(PARTS, part, strict=True)))
        super().save(run, row)
        for old in (run.folder / "replay").glob("*.npz"):
            if old.stem.isdigit() and not self.step - len(self.replay.parts) < int(old.stem) <= self.step:
                old.unlink()

    def parts(self) -> dict[str, np.ndarray]:
        arrays = self.trainee.memory() | {f"game_{name}": part for name, part in in_progress(self.self_play).items()}
        arrays |= {f"given_{name}": part for name, part in self.given.arrays.items()}
        return arrays | {f"plays_{name}": part for name, part in self.plays.arrays.items()}

    def numbers(self) -> dict[str, Any]:
        kept = len(self.replay.parts)
        return {"games": self.played, "rating": self.rating, "positions": self.positions, "kept": kept}

    def restore(self, run: Run, head: Mapping[str, Any], saved: Mapping[str, Any]) -> None:
        """Take up a checkpoint, with the games in progress; where it has none, games begin anew."""
        self.take_up(run, head, saved)
        self.games_before = {k.removeprefix("game_"): v for k, v in saved.items() if k.startswith("game_")}
        if self.games_before:
            take_up(self.self_play, self.games_before)
        self.played, self.rating = int(head["games"]), float(head["rating"])
        self.is_fresh = True

    def begin_from(self, run: Run) -> None:
        """Begin with what another run came to."""
        config, found = run.config, run.checkpoint()
        for name, mine in (("method", "alphazero"), ("game", self.game.spec), ("width", self.settings.width),
                           ("blocks", self.settings.blocks)):  # fmt: skip
            if config.get(name) != mine:
                raise CounterplayError(
                    f"start={self.settings.start}: that run has {name}={config.get(name)}, and here it is {mine}"
                )
        if found is None:
            raise CounterplayError(f"start={self.settings.start}: that run has not come to anything yet")
        self.take_up(run, *found)

    def take_up(self, run: Run, head: Mapping[str, Any], saved: Mapping[str, Any]) -> None:
        """The networks and the positions of a checkpoint."""
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
        """Whether the arrays of a generation are what they should be."""
        if set(part) != set(PARTS) or part["result"].ndim != 1:
            return False
        cells, number = int(np.prod(self.game.plane_shape)), len(part["result"])
        shapes = {"planes": (number, cells), "policy": (number, self.game.policy_size), "thought": (number,)}
        return all(part[name].shape == shape for name, shape in shapes.items())
