"""Learning from others' games: their choices, and how the games ended.

A fast policy is linear: the chance of an action is proportional to the exponential of a weighted sum of the features of
the state after it (a conditional logit: McFadden 1974; AlphaGo's rollout policy: Silver et al. 2016). Its model is an
evaluation that gives these odds: `mcts:evaluation=MODEL,rollout=odds` plays by it in playouts. A network with a policy
learns the choice and the result at once, as AlphaGo's did from the games of experts, and plays as `mcts:net=MODEL`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.features import blank
from counterplay.core.language.kernel import kernel
from counterplay.core.types import State
from counterplay.evaluation.encoding import EncodedGame, usual_encoding
from counterplay.evaluation.heads import weighted_sum
from counterplay.evaluation.judged import encoded, require_learnable
from counterplay.evaluation.model import Model
from counterplay.evaluation.residual import Residual, look_turned
from counterplay.learning.samples import BLOCK, Hear, Spool, is_held_out

if TYPE_CHECKING:
    from counterplay.learning.network import Trainee

BATCH = 128
DECAY = 1e-4


class Choice(NamedTuple):
    """A player's choice."""

    state: State
    options: list[int]
    chosen: int
    got: float | None  # their final payoff; None: unknown


Source = Callable[[], Iterable[Iterable[Choice]]]
"""Returns the choices of each game, from the beginning at each call."""


class Imitated(NamedTuple):
    """The result of imitation."""

    model: Model
    samples: int  # choices learned from
    held: int  # held-out choices ...
    foretold: float  # ... and the share of them that the model would have made


def choices(source: Source, hold_out: float, held: bool) -> Iterator[Choice]:
    """The choices of all games that are held out, or of all others."""
    for number, game in enumerate(source()):
        if is_held_out(number, hold_out) == held:
            yield from game


def fit_policy(
    game: Game, source: Source, *, encoding: str = "", epochs: int = 4, rate: float = 0.02, hold_out: float = 0.1
) -> Imitated:
    """The linear policy under which the choices are most likely, by stochastic gradient steps; the rate falls to a
    tenth."""
    require_learnable(game)
    encoding = encoding or usual_encoding(game)
    seen = encoded(game, encoding)
    weights, out, samples = (
        np.zeros(seen.stages * seen.learned_inputs, np.float32),
        cast(ActionStack, action_stack(seen)),
        0,
    )
    for epoch in range(epochs):
        step, samples = rate * 0.1 ** (epoch / max(epochs - 1, 1)), 0
        for each in choices(source, hold_out, held=False):
            imitate(seen, each.state, each.chosen, weights, float(step), out)
            samples += 1
    require_some(samples)
    held, right = 0, 0
    for each in choices(source, hold_out, held=True):
        held, right = held + 1, right + int(imitate(seen, each.state, each.chosen, weights, 0.0, out))
    foretold = right / max(held, 1)
    about = {"method": "fit moves", "samples": samples, "held_out": held, "foretold": foretold}
    arrays = {"weights": weights.reshape(seen.stages, seen.learned_inputs)}
    return Imitated(Model.of(game, "linear", encoding, arrays, "logistic", about), samples, held, foretold)


@kernel
def imitate(game: EncodedGame, s: State, chosen: int, weights: np.ndarray, rate: float, out: ActionStack) -> bool:
    """A step up the gradient of the log-probability of `chosen` in `s`; returns whether it was already the likeliest."""
    mover, start = game.to_move(s), len(out)
    game.actions(s, out.fresh())
    number = len(out) - start
    leaning, seen = np.empty(number), blank(game.learned_room)
    liked, most, total = -1, -np.inf, 0.0
    for i in range(number):
        after = game.result(s, out[start + i])
        seen.used[0] = 0
        game.learned_encode(after, seen)
        leaning[i] = weighted_sum(weights, game.stage(after) * game.learned_inputs, seen)
        if game.players == 2 and game.viewer(after) != mover:
            leaning[i] = -leaning[i]
        if leaning[i] > most:
            liked, most = out[start + i], leaning[i]
    for i in range(number):
        leaning[i] = np.exp(leaning[i] - most)
        total += leaning[i]
    if rate > 0.0:
        for i in range(number):
            after = game.result(s, out[start + i])
            change = rate * ((1.0 if out[start + i] == chosen else 0.0) - leaning[i] / total)
            if game.players == 2 and game.viewer(after) != mover:
                change = -change
            seen.used[0] = 0
            game.learned_encode(after, seen)
            base = game.stage(after) * game.learned_inputs
            for k in range(seen.used[0]):
                weights[base + seen.index[k]] += np.float32(change * seen.value[k])
    out.truncate(start)
    return liked == chosen


def fit_network(
    game: Game,
    source: Source,
    *,
    width: int = 32,
    blocks: int = 3,
    epochs: int = 4,
    rate: float = 0.002,
    hold_out: float = 0.1,
    seed: int = 0,
    report: Hear = lambda line: None,
) -> Imitated:
    """A network with a policy that predicts the choices and a value that predicts the results; the rate falls to a tenth.

    Positions of a game with an unknown result count as even. `report` receives each epoch.
    """
    from counterplay.learning.network import Trainee

    trainee = Trainee(game, width, blocks, rate, DECAY, seed, threads=1)
    with Spool(tabulated(game, choices(source, hold_out, held=False))) as spool:
        samples = spool.rows
        require_some(samples)
        learn(trainee, spool, epochs, rate, seed, report)
    held, foretold = foresight(Residual(game, trainee.model()), choices(source, hold_out, held=True))
    about = {"method": "fit network", "samples": samples, "held_out": held, "foretold": foretold}
    return Imitated(trainee.model(**about), samples, held, foretold)


def foresight(network: Residual, found: Iterable[Choice]) -> tuple[int, float]:
    """The number of choices, and the share of them that the network predicts."""
    held, right = 0, 0
    for part in parts(found, BATCH):
        priors, _ = network.policy([each.state for each in part], [each.options for each in part])
        right += sum(each.options[int(np.argmax(p))] == each.chosen for each, p in zip(part, priors, strict=True))
        held += len(part)
    return held, right / max(held, 1)


class ChoiceBlock(NamedTuple):
    """Choices as a network sees them."""

    planes: np.ndarray  # float16 [choices, planes, rows, columns]
    chosen: np.ndarray  # int64 [choices] indices in the policy
    value: np.ndarray  # float32 [choices] the result, from -1 to 1


def learn(trainee: Trainee, spool: Spool[ChoiceBlock], epochs: int, rate: float, seed: int, report: Hear) -> None:
    """Steps on batches of all choices, in a new order each time: blocks are shuffled, and so are the choices within
    each."""
    for epoch in range(epochs):
        report(f"epoch {epoch + 1} of {epochs}")
        learn_once(trainee, spool, rate_of(rate, epoch, epochs), np.random.default_rng([seed, epoch]))


def rate_of(rate: float, epoch: int, epochs: int) -> float:
    """The rate of an epoch: it falls to a tenth."""
    found: float = rate * 0.1 ** (epoch / max(epochs - 1, 1))
    return found


def learn_once(
    trainee: Trainee,
    spool: Spool[ChoiceBlock],
    rate: float,
    draw: np.random.Generator,
    stopped: Callable[[], bool] = lambda: False,
) -> float:
    """One pass over all choices: the mean cross entropy of the policy. It ends early if `stopped` says so."""
    losses = []
    for table in (spool[k] for k in draw.permutation(len(spool))):
        order = draw.permutation(len(table.chosen))
        for rows in (order[at : at + BATCH] for at in range(0, len(order), BATCH)):
            if len(rows) < 2 and spool.rows > 1:
                continue  # a single position has no variance to normalise by
            if stopped():
                break
            policy = np.zeros((len(rows), trainee.game.policy_size), np.float32)
            policy[np.arange(len(rows)), table.chosen[rows]] = 1
            losses.append(trainee.step(table.planes[rows].astype(np.float32), policy, table.value[rows], rate)[0])
    return float(np.mean(losses)) if losses else 0.0


def tabulated(game: Game, found: Iterable[Choice], draw: np.random.Generator | None = None) -> Iterator[ChoiceBlock]:
    """Choices in blocks; each in a symmetric form at random, if there is a generator to draw it."""
    low, high = game.utility_bounds
    for part in parts(found, BLOCK):
        planes = np.zeros((len(part), *game.plane_shape), np.float16)
        chosen = np.array([each.chosen for each in part], np.int64)
        for i, each in enumerate(part):
            seen = np.zeros(game.plane_shape, np.float32)
            form = int(draw.integers(game.symmetries)) if draw else 0
            look_turned(game, each.state, form, seen, chosen[i : i + 1])
            planes[i] = seen
        value = [0.0 if each.got is None else 2 * (each.got - low) / (high - low) - 1 for each in part]
        yield ChoiceBlock(planes, chosen, np.array(value, np.float32))


def parts(found: Iterable[Choice], size: int) -> Iterator[list[Choice]]:
    """Choices in lists of `size`, the last perhaps shorter."""
    left = iter(found)
    while part := list(islice(left, size)):
        yield part


def require_some(samples: int) -> None:
    """Refuse empty data."""
    if not samples:
        raise CounterplayError("there is nothing to learn from: no game has a position with a choice")
