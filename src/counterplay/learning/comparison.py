"""Learning which plays an expert prefers, `train --method comparison`: comparison training (Tesauro 1989).

An expert plays games against itself, which labels its plays: of all legal ones, one was chosen. Then a network learns
in several passes to value the state after that play higher than the states after all others. The chance that play i was
chosen is proportional to exp(sharpness * worth i), where the worth is the network's expectation in points, and gradient
steps make the choices likelier (as in `imitation.py`, which has a weighted sum instead of the network). It learns an
order, not a calibrated value: no game's result is used.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from counterplay.core.compiled_rules import with_compiled_rules
from counterplay.core.game import Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.features import blank
from counterplay.core.language.kernel import kernel
from counterplay.core.types import State
from counterplay.evaluation.encoding import EncodedGame, usual_encoding
from counterplay.evaluation.judged import encoded, require_learnable
from counterplay.evaluation.model import Model
from counterplay.learning.expert_games import Expert, play_expert_game
from counterplay.learning.game_log import GameLog
from counterplay.learning.heads import Head, new_head
from counterplay.learning.imitation import Choice, choices, require_some
from counterplay.learning.recorded_games import choices_of
from counterplay.learning.runs import Run, restore
from counterplay.learning.td_lambda import worth_behind
from counterplay.learning.training import MOST_SEED, Training, require_ranges

EXPERTS, LEARNING, DONE = range(3)
GAMES_SHARE = 0.6
"""The share of the time for games; passes over them take as long as they need."""
AT_ONCE = 10
"""Games in a step."""
HOLD_OUT = 0.1
FEWEST = 10
"""The minimum number of games: some are held out."""
SMALL = 1e-3
"""A play whose chance is off by less than this teaches nothing."""


@dataclass(frozen=True)
class ComparisonSettings:
    """The options of the training."""

    expert: str = "greedy"
    """The player whose plays are learned."""
    opening: int = 0
    """A game begins with up to this many random actions."""
    encoding: str = ""
    """As for td."""
    hidden: int = 40
    """Units of the hidden layer; 0: a weighted sum."""
    deeper: int = 0
    """Units of a second hidden layer; 0: none."""
    epochs: int = 20
    """Passes over all games."""
    rate: float = 0.005
    last_rate: float = 0.0005
    sharpness: float = 4.0
    """How much likelier a play becomes for each point that it is worth more: e to this power."""
    seed: int = 0

    def __post_init__(self) -> None:
        require_ranges(
            self,
            opening=(0, 1000), hidden=(0, 4096), deeper=(0, 4096), epochs=(1, 10_000), rate=(0, 10), last_rate=(0, 10),
            sharpness=(0, 1000), seed=(0, MOST_SEED),
        )  # fmt: skip


PRESETS: dict[str, tuple[str, ComparisonSettings]] = {
    "neurogammon": (
        "backgammon",
        ComparisonSettings(expert="expectiminimax:depth=1,evaluation=backgammon", encoding="raw", hidden=40),
    ),
}
"""Trainings with a history, by name: the game, and the settings."""


class Comparison(Training):
    """The expert's games, and the passes over them."""

    method = "comparison"
    saves_each = True
    settings: ComparisonSettings

    def __init__(self, game: Game, settings: ComparisonSettings, games: int | None, seconds: float | None) -> None:
        require_learnable(game)
        super().__init__(game, settings, games, seconds)
        self.encoding = settings.encoding or usual_encoding(game)
        self.seen = encoded(game, self.encoding)
        self.head = new_head(self.seen, settings.hidden, settings.deeper, settings.seed)
        self.out = cast(ActionStack, action_stack(self.seen))
        self.rules = with_compiled_rules(game)
        self.experts, self.lessons = GameLog(), list[Choice]()
        self.stage, self.count = EXPERTS, 0  # the passes over all games so far
        self.rngs = []
        self.expert_for: Callable[[str, int], Expert] | None = None
        """Makes the player that a spec describes, with a seed."""

    @property
    def expert_specs(self) -> set[str]:
        """The players whose plays it learns."""
        return {self.settings.expert}

    @property
    def played(self) -> int:
        return len(self.experts.games)

    @property
    def share(self) -> float:
        if self.stage == DONE:
            return 1.0
        if self.stage == LEARNING:
            return min(GAMES_SHARE + (1 - GAMES_SHARE) * self.count / self.settings.epochs, 0.999)
        return min(GAMES_SHARE * super().share, 0.999)

    def prepare(self) -> None:
        s = self.rules.start().roll().state
        self.compare(Choice(s, [], -1, None), 0.0)

    def advance(self) -> dict[str, Any]:
        started, stage = time.perf_counter(), self.stage
        found = self.play() if stage == EXPERTS else self.learn()
        if self.stop.is_set():
            return {}
        self.spent, self.step = self.spent + time.perf_counter() - started, self.step + 1
        if stage == EXPERTS:
            by_games = self.games is not None and self.played >= self.games
            by_time = self.seconds is not None and self.spent >= GAMES_SHARE * self.seconds
            if self.played >= FEWEST and (by_games or by_time):
                self.stage = LEARNING
        else:
            self.count += 1
            if self.count == self.settings.epochs:
                self.stage = DONE
        return {"step": self.step, "games": self.played, "seconds": round(self.spent, 3)} | found

    def play(self) -> dict[str, Any]:
        """A few games of the expert."""
        how, make, first, fresh = self.settings, self.expert_for, self.played, []
        assert make is not None
        last = first + AT_ONCE if self.games is None else min(first + AT_ONCE, max(self.games, FEWEST))
        for number in range(first, last):
            if self.stop.is_set():
                return {}
            draw = np.random.default_rng([how.seed, number])
            seats = [make(how.expert, int(draw.integers(1 << 31))) for _ in range(self.game.players)]
            fresh.append(play_expert_game(self.game, seats, how.opening, [how.seed, EXPERTS, number], self.stop))
        self.experts.extend(fresh)
        return {"length": round(float(np.mean([len(each.actions) for each in fresh])), 1)}

    def expert_choices(self) -> Iterator[Iterator[Choice]]:
        """The expert's choices, game by game."""
        return (choices_of(each.replay(self.rules), 0) for each in self.experts.games)

    def learn(self) -> dict[str, Any]:
        """One pass, in a new order each time; measures how many of the held-out choices the network would have made."""
        how = self.settings
        if not self.lessons:
            self.lessons = list(choices(self.expert_choices, HOLD_OUT, held=False))
            require_some(len(self.lessons))
        rate = how.rate * (how.last_rate / how.rate) ** (self.count / max(how.epochs - 1, 1)) if how.rate else 0.0
        losses, right, held = 0.0, 0, 0
        for k in np.random.default_rng([how.seed, LEARNING, self.count]).permutation(len(self.lessons)):
            if self.stop.is_set():
                return {}
            losses += self.compare(self.lessons[k], rate)[0]
        for choice in choices(self.expert_choices, HOLD_OUT, held=True):
            right, held = right + int(self.compare(choice, 0.0)[1]), held + 1
        return {"loss": round(losses / len(self.lessons), 5), "foretold": round(right / max(held, 1), 4)}

    def compare(self, choice: Choice, rate: float) -> tuple[float, bool]:
        """One step, see `compare` below."""
        return compare(
            self.seen, choice.state, choice.chosen, self.head, float(self.settings.sharpness), float(rate), self.out
        )

    def model(self) -> Model:
        return self.head.model(
            self.game, self.encoding, method=self.method, games=self.played, seconds=round(self.spent, 1)
        )

    # Checkpoints.

    def parts(self) -> Mapping[str, np.ndarray]:
        return self.head.memory()

    def numbers(self) -> dict[str, Any]:
        return {"stage": self.stage, "count": self.count, "experts": self.played}

    def save(self, run: Run, row: dict[str, Any]) -> None:
        self.experts.save(run.folder / "experts.jsonl")
        super().save(run, row)

    def restore(self, run: Run, head: Mapping[str, Any], saved: Mapping[str, Any]) -> None:
        self.stage, self.count = int(head["stage"]), int(head["count"])
        self.experts.load(run.folder / "experts.jsonl", int(head["experts"]))
        restore(self.parts(), saved, run.folder / "checkpoint.npz")


@kernel
def compare(
    game: EncodedGame, s: State, chosen: int, head: Head, sharpness: float, rate: float, out: ActionStack
) -> tuple[float, bool]:
    """A step up the gradient of the log-probability of `chosen` in `s`; returns that logarithm, negated, and whether
    the choice was the likeliest."""
    mover, start = game.to_move(s), len(out)
    game.actions(s, out.fresh())
    number = len(out) - start
    leaning, seen = np.empty(number), blank(game.learned_room)
    hidden, chances = np.empty(head.hidden_size, np.float32), np.empty(head.outcomes, np.float32)
    target = np.empty(head.outcomes, np.float32)
    liked, most, total, loss = -1, -np.inf, 0.0, 0.0
    for i in range(number):
        leaning[i] = sharpness * worth_behind(game, game.result(s, out[start + i]), mover, head, seen, hidden, chances)
        if leaning[i] > most:
            liked, most = out[start + i], leaning[i]
    for i in range(number):
        if out[start + i] == chosen:
            loss = most - leaning[i]
        leaning[i] = np.exp(leaning[i] - most)
        total += leaning[i]
    if rate > 0.0:
        for i in range(number):
            change = (1.0 if out[start + i] == chosen else 0.0) - leaning[i] / total
            after = game.result(s, out[start + i])
            if abs(change) > SMALL and not game.is_terminal(after):
                worth = worth_behind(game, after, mover, head, seen, hidden, chances)
                side = -1.0 if game.players == 2 and game.viewer(after) != mover else 1.0
                for o in range(head.outcomes):  # the slope of the worth along each outcome's logit
                    slope = chances[o] * (head.payoffs[o] - side * worth)
                    target[o] = chances[o] + change * sharpness * side * slope
                head.backward(game.stage(after), seen, hidden, chances, target, rate)
    out.truncate(start)
    return loss + np.log(total), liked == chosen
