"""AlphaGo's pipeline (Silver et al. 2016), `train --method alphago`: five stages, one run, resumable in each.

    experts        strong players play games, each after a few random actions             experts.jsonl
    policy         a network learns which action they chose, and so does a linear policy
                   for playouts                                                           model.npz, playouts.npz
    reinforcement  the network plays earlier versions of itself, and winning actions
                   become likelier (REINFORCE, policy_games.py)                           reinforced.npz
    positions      games of the reinforced policy give one position each: the experts'
                   policy plays to a ply drawn at random, one action is random, then
                   the reinforced policy plays to the end                                 positions.jsonl
    values         a second network learns how these games ended                          value.npz

Both networks see each position in another symmetric form, drawn at random, in each pass.

The search combines them: priors from the experts' policy, which explores more than the reinforced one; a leaf's value is
the mean of the value network's answer and a playout's result:
`mcts:net=RUN,select=puct,values=RUN/value.npz,evaluation=RUN/playouts.npz,rollout=odds,mix=0.5`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterplay.core.compiled_rules import with_compiled_rules
from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.rng import Rng
from counterplay.core.rules import listed
from counterplay.evaluation.judged import require_learnable
from counterplay.evaluation.model import Model
from counterplay.evaluation.residual import Residual, layer_shapes, look_turned, require_network
from counterplay.learning.expert_games import Expert, play_expert_game
from counterplay.learning.game_log import GameLog, LoggedGame
from counterplay.learning.gating import GatingGame
from counterplay.learning.imitation import (
    DECAY,
    Choice,
    ChoiceBlock,
    choices,
    fit_policy,
    foresight,
    learn_once,
    rate_of,
    require_some,
    tabulated,
)
from counterplay.learning.network import Trainee
from counterplay.learning.policy_games import Drawn, gains, play_by_policy, result_for
from counterplay.learning.runs import Run, restore
from counterplay.learning.samples import Spool, is_held_out
from counterplay.learning.training import MOST_SEED, Training, require_ranges

EXPERTS, POLICY, REINFORCEMENT, POSITIONS, VALUES, DONE = range(6)
STAGES = ("experts", "policy", "reinforcement", "positions", "values")
TIME_SHARE = {EXPERTS: 0.45, REINFORCEMENT: 0.2, POSITIONS: 0.25}
"""The share of the time for games of each kind; the rest is for learning."""
GAMES_SHARE = {EXPERTS: 0.05, REINFORCEMENT: 0.35, POSITIONS: 0.6}
USUAL_EXPERT = "mcts:simulations=1000"
AT_ONCE = 4
"""Games of experts in a step."""
FEWEST = 10
"""The minimum number of expert games: some are held out."""
GENERATION = 10
"""Updates between two additions to the pool of earlier selves."""
HOLD_OUT = 0.1
MINI_BATCH = 128


@dataclass(frozen=True)
class AlphaGoSettings:
    """The options of the pipeline."""

    expert: str = USUAL_EXPERT
    """The player whose games are the lesson."""
    rival: str = ""
    """The player of the other side in these games; empty: the same."""
    opening: int = 6
    """A game of experts begins with up to this many random actions."""
    width: int = 32
    blocks: int = 3
    epochs: int = 8
    """The number of passes over each position."""
    rate: float = 0.002
    reinforcement_rate: float = 0.0002
    batch: int = 64
    """Games played at once; the policy is updated after them."""
    pool: int = 8
    """The maximum number of earlier selves to play against."""
    seed: int = 0

    def __post_init__(self) -> None:
        require_ranges(
            self,
            opening=(0, 1000), width=(1, 1024), blocks=(0, 64), epochs=(1, 1000), rate=(0, 10),
            reinforcement_rate=(0, 10), batch=(2, 100_000), pool=(1, 1000), seed=(0, MOST_SEED),
        )  # fmt: skip


class AlphaGo(Training):
    """The pipeline in progress."""

    method = "alphago"
    saves_each = True
    settings: AlphaGoSettings

    def __init__(self, game: Game, settings: AlphaGoSettings, games: int | None, seconds: float | None) -> None:
        require_network(game)
        require_learnable(game)
        super().__init__(game, settings, games, seconds)
        if games is not None and games * GAMES_SHARE[EXPERTS] < FEWEST:
            raise CounterplayError(
                f"alphago needs {FEWEST / GAMES_SHARE[EXPERTS]:.0f} games or more, not {games}: {FEWEST} of experts"
            )
        self.stage, self.count, self.stage_spent = EXPERTS, 0, 0.0  # steps of the stage, and its seconds
        self.reinforced = 0  # games of that stage
        self.rules = with_compiled_rules(game)
        self.experts, self.positions = GameLog(), GameLog()
        self.trainee, self.judge = self.new_trainee(0), self.new_trainee(1)
        self.pool: list[Model] = []
        self.imitated: Model | None = None  # the experts' policy, once learned
        self.playouts: Model | None = None
        self.rngs = list[Rng]()
        self.expert_for: Callable[[str, int], Expert] | None = None
        """Makes the player that a spec describes, with a seed."""

    def new_trainee(self, which: int) -> Trainee:
        """An untrained network."""
        how = self.settings
        return Trainee(self.game, how.width, how.blocks, how.rate, DECAY, (how.seed + which) % 2**63, threads=1)

    @property
    def expert_specs(self) -> set[str]:
        """The players whose games it learns from."""
        return {self.settings.expert, self.settings.rival or self.settings.expert}

    # The budget.

    @property
    def played(self) -> int:
        return len(self.experts.games) + self.reinforced + len(self.positions.games)

    @property
    def share(self) -> float:
        return 1.0 if self.stage == DONE else min(super().share, 0.999)

    def is_enough(self, stage: int, games: int) -> bool:
        """Whether a stage that plays has used its part of the budget."""
        if stage == EXPERTS and games < FEWEST:
            return False
        by_games = self.games is not None and games >= self.games * GAMES_SHARE[stage]
        return by_games or (self.seconds is not None and self.stage_spent >= self.seconds * TIME_SHARE[stage])

    # The steps.

    def prepare(self) -> None:
        board = GatingGame(self.game, 0, 0)
        network = Residual(self.game, self.trainee.model())
        play_by_policy([board], lambda i, each: network if not each.history else None, np.random.default_rng(0))

    def advance(self) -> dict[str, Any]:
        started, stage = time.perf_counter(), self.stage
        steps = (self.play_experts, self.imitate, self.reinforce, self.play_positions, self.value)
        found, is_over = steps[stage]()
        if self.stop.is_set():
            return {}
        passed = time.perf_counter() - started
        self.spent, self.step = self.spent + passed, self.step + 1
        self.stage_spent, self.count = self.stage_spent + passed, self.count + 1
        if is_over or (stage in TIME_SHARE and self.is_enough(stage, self.games_of(stage))):
            self.stage, self.count, self.stage_spent = stage + 1, 0, 0.0
        fixed = {"step": self.step, "games": self.played, "seconds": round(self.spent, 3), "stage": stage + 1}
        return fixed | found

    def games_of(self, stage: int) -> int:
        """Games that a stage has played."""
        return {EXPERTS: len(self.experts.games), POSITIONS: len(self.positions.games)}.get(stage, self.reinforced)

    def play_experts(self) -> tuple[dict[str, Any], bool]:
        """A few games of experts."""
        how, make, first = self.settings, self.expert_for, len(self.experts.games)
        assert make is not None

        def seats(number: int) -> list[Expert]:
            """Sides alternate from game to game."""
            specs, draw = (how.expert, how.rival or how.expert), np.random.default_rng([how.seed, number])
            return [make(specs[(number + seat) % 2], int(draw.integers(1 << 31))) for seat in range(2)]

        fresh = []
        for number in range(first, first + AT_ONCE):
            if self.stop.is_set():
                return {}, False
            fresh.append(
                play_expert_game(self.game, seats(number), how.opening, [how.seed, EXPERTS, number], self.stop)
            )
        self.experts.extend(fresh)
        return {"length": round(float(np.mean([len(each.actions) for each in fresh])), 1)}, False

    def expert_choices(self) -> Iterator[Iterator[Choice]]:
        """The experts' choices, game by game."""
        return (choices_in(each, self.rules) for each in self.experts.games)

    def imitate(self) -> tuple[dict[str, Any], bool]:
        """One pass over the experts' choices; after the last one, the policy for playouts."""
        how = self.settings
        draw = np.random.default_rng([how.seed, POLICY, self.count])
        with Spool(tabulated(self.game, choices(self.expert_choices, HOLD_OUT, held=False), draw)) as spool:
            require_some(spool.rows)
            loss = learn_once(self.trainee, spool, rate_of(how.rate, self.count, how.epochs), draw, self.stop.is_set)
        found: dict[str, Any] = {"loss": round(loss, 5)}
        if self.count + 1 < how.epochs or self.stop.is_set():
            return found, False
        held, foretold = foresight(
            Residual(self.game, self.trainee.model()), choices(self.expert_choices, HOLD_OUT, held=True)
        )
        self.imitated = self.trainee.model(method="alphago policy", held_out=held, foretold=foretold)
        self.pool = [self.imitated]
        linear = fit_policy(self.game, self.expert_choices, epochs=how.epochs, hold_out=HOLD_OUT)
        self.playouts = linear.model
        return found | {"foretold": round(foretold, 4), "foretold_in_playouts": round(linear.foretold, 4)}, True

    def reinforce(self) -> tuple[dict[str, Any], bool]:
        """A batch of games against an earlier self, and a step along the gradient of their results."""
        how, game = self.settings, self.game
        draw = np.random.default_rng([how.seed, REINFORCEMENT, self.count])
        mine = Residual(game, self.trainee.model())
        theirs = Residual(game, self.pool[draw.integers(len(self.pool))])
        boards = [GatingGame(game, int(draw.integers(1 << 31)), 0) for _ in range(how.batch)]

        def who(i: int, board: GatingGame) -> Residual:
            return mine if game.to_move(board.state) == i % 2 else theirs

        drawn = [each for each in play_by_policy(boards, who, draw) if each.mover == each.game % 2]
        results = np.array([result_for(game, board, i % 2) for i, board in enumerate(boards)])
        earned = gains(results)[[each.game for each in drawn]].astype(np.float32)
        self.trainee.encourage(*batched(game, drawn), earned, how.reinforcement_rate)
        self.reinforced += how.batch
        if (self.count + 1) % GENERATION == 0:
            self.pool = [*self.pool, self.trainee.model()][-how.pool :]
        return {"against_earlier": round(float(results.mean() + 1) / 2, 4), "pool": len(self.pool)}, False

    def play_positions(self) -> tuple[dict[str, Any], bool]:
        """A batch of games, each for one position."""
        how, game = self.settings, self.game
        assert self.imitated is not None
        draw = np.random.default_rng([how.seed, POSITIONS, self.count])
        first, later = Residual(game, self.imitated), Residual(game, self.trainee.model())
        longest = max(int(np.mean([len(each.actions) for each in self.experts.games])), 1)
        boards = [GatingGame(game, int(draw.integers(1 << 31)), 0) for _ in range(how.batch)]
        turning = draw.integers(longest, size=how.batch)  # the ply of the random action

        has_turned = np.zeros(how.batch, np.bool_)
        length = np.zeros(how.batch, np.int64)  # of each game, up to the position; 0: it ended before

        def who(i: int, board: GatingGame) -> Residual | None:
            if len(board.history) < turning[i]:
                return first
            if not has_turned[i]:
                has_turned[i] = True
                return None
            length[i] = length[i] or len(board.history)
            return later

        play_by_policy(boards, who, draw)
        self.positions.extend(
            LoggedGame([int(action) for action in board.history[: length[i]]],
                       [result_for(game, board, player) for player in range(2)])
            for i, board in enumerate(boards)
            if length[i]
        )  # fmt: skip
        if not self.positions.games:
            raise CounterplayError("no game lasted long enough to give a position: raise --games or --time")
        return {"positions": len(self.positions.games)}, False

    def value(self) -> tuple[dict[str, Any], bool]:
        """One pass over the positions; the error on held-out games."""
        how = self.settings
        draw = np.random.default_rng([how.seed, VALUES, self.count])
        table = values_table(self.rules, self.game, self.positions.games, draw)
        held = np.array([is_held_out(k, HOLD_OUT) for k in range(len(table.value))])
        order = draw.permutation(np.flatnonzero(~held))
        rate, loss = rate_of(how.rate, self.count, how.epochs), []
        for rows in (order[at : at + MINI_BATCH] for at in range(0, len(order), MINI_BATCH)):
            if self.stop.is_set():
                break
            if len(rows) > 1:
                nothing = np.zeros((len(rows), self.game.policy_size), np.float32)
                planes = table.planes[rows].astype(np.float32)
                loss.append(self.judge.step(planes, nothing, table.value[rows], rate)[1])
        found = {"loss": round(float(np.mean(loss)), 5) if loss else 0.0}
        if held.any():
            said = Residual(self.game, self.judge.model()).answer(table.planes[held].astype(np.float32))[1]
            found["held_loss"] = round(float(np.mean((said - table.value[held]) ** 2)), 5)
        return found, self.count + 1 == how.epochs

    # The models that play.

    def model(self) -> Model:
        return self.imitated or self.trainee.model(method="alphago")

    # Checkpoints.

    def parts(self) -> Mapping[str, np.ndarray]:
        found = {f"trainee_{name}": part for name, part in self.trainee.memory().items()}
        if self.stage >= VALUES:
            found |= {f"judge_{name}": part for name, part in self.judge.memory().items()}
        for k, model in enumerate(self.pool):
            found |= {f"pool_{k}_{name}": part for name, part in model.arrays.items()}
        if self.imitated is not None:
            found |= {f"imitated_{name}": part for name, part in self.imitated.arrays.items()}
        return found

    def numbers(self) -> dict[str, Any]:
        return {
            "stage": self.stage, "count": self.count, "stage_spent": self.stage_spent, "reinforced": self.reinforced,
            "experts": len(self.experts.games), "positions": len(self.positions.games), "pool": len(self.pool),
        }  # fmt: skip

    def save(self, run: Run, row: dict[str, Any]) -> None:
        self.experts.save(run.folder / "experts.jsonl")
        self.positions.save(run.folder / "positions.jsonl")
        if self.playouts is not None:
            self.playouts.save(run.folder / "playouts.npz")
        if self.stage >= REINFORCEMENT and self.reinforced:
            self.trainee.model(method="alphago reinforced", games=self.reinforced).save(run.folder / "reinforced.npz")
        if self.stage >= VALUES and (self.count or self.stage == DONE):
            self.judge.model(method="alphago value", games=len(self.positions.games)).save(run.folder / "value.npz")
        super().save(run, row)

    def restore(self, run: Run, head: Mapping[str, Any], saved: Mapping[str, Any]) -> None:
        self.stage, self.count = int(head["stage"]), int(head["count"])
        self.stage_spent, self.reinforced = float(head["stage_spent"]), int(head["reinforced"])
        self.experts.load(run.folder / "experts.jsonl", int(head["experts"]))
        self.positions.load(run.folder / "positions.jsonl", int(head["positions"]))
        self.trainee.restore(named(saved, "trainee_"))
        if self.stage >= VALUES:
            self.judge.restore(named(saved, "judge_"))
        self.pool = [self.saved_model(run, saved, f"pool_{k}_") for k in range(int(head["pool"]))]
        if self.stage > POLICY:
            self.imitated = self.saved_model(run, saved, "imitated_")

    def saved_model(self, run: Run, saved: Mapping[str, Any], prefix: str) -> Model:
        """A network of the checkpoint."""
        shapes = layer_shapes(self.game, self.settings.width, self.settings.blocks)
        arrays = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
        restore({prefix + name: part for name, part in arrays.items()}, saved, run.folder / "checkpoint.npz")
        return Model.of(self.game, "residual", "planes", arrays, "identity", {"method": "alphago"})


def choices_in(game: LoggedGame, rules: Any) -> Iterator[Choice]:
    """The choices of a game between more than one action; actions that would repeat a position count as options."""
    s = rules.initial()
    for action in game.actions:
        mover, options = rules.to_move(s), listed(rules, s)
        if mover != CHANCE and len(options) > 1:
            yield Choice(s, options, action, game.returns[mover])
        s = rules.result(s, action)


def named(saved: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The arrays of a checkpoint whose names have this prefix, without it."""
    return {name.removeprefix(prefix): part for name, part in saved.items() if name.startswith(prefix)}


def batched(game: Game, drawn: list[Drawn]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Planes, legal actions and chosen actions, as arrays for a policy gradient."""
    planes = np.stack([each.planes for each in drawn])
    legal = np.zeros((len(drawn), game.policy_size), np.bool_)
    for row, each in zip(legal, drawn, strict=True):
        row[each.legal] = True
    return planes, legal, np.array([each.chosen for each in drawn], np.int64)


def values_table(rules: Any, game: Game, games: list[LoggedGame], draw: np.random.Generator) -> ChoiceBlock:
    """The last position of each game as a network sees it, in a symmetric form at random, and the result for the side to
    move."""
    planes = np.zeros((len(games), *game.plane_shape), np.float16)
    value = np.zeros(len(games), np.float32)
    nothing = np.zeros(0, np.int64)
    for i, each in enumerate(games):
        s = rules.initial()
        for action in each.actions:
            s = rules.result(s, action)
        seen = np.zeros(game.plane_shape, np.float32)
        look_turned(game, s, int(draw.integers(game.symmetries)), seen, nothing)
        planes[i], value[i] = seen, each.returns[game.to_move(s)]
    return ChoiceBlock(planes, nothing, value)
