"""A best response by policy gradient: proximal policy optimisation (Schulman and others 2017), kept near a reference.

An agent plays many games against a mixture of opponents, and its actions become likelier if they earned more than
expected. The loss adds `magnet` times the divergence from a reference policy; if the reference follows the agent from
round to round, this keeps self-play from going in circles and lets it approach an equilibrium in games of two opponents
(Perolat and others 2021; Sokota and others 2022). With magnet=0 it is the plain method. A small bonus for `entropy` keeps
actions that seem bad now from being forgotten: an action that is never drawn is never learned again.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from counterplay.core.game import Game
from counterplay.learning.agents import Ground, Record, Shape, input_bits
from counterplay.learning.network import torch_module

CLIP = 0.2
"""About how far an update may change the probability of an action."""
EPOCHS = 4
MINI_BATCHES = 4


class Responder:
    """An agent during training, with an estimate of its payoff."""

    def __init__(
        self, game: Game, shape: Shape, weights: np.ndarray, rate: float, magnet: float, entropy: float, seed: int
    ) -> None:
        torch = torch_module()
        torch.set_num_threads(1)  # of the thread that calls this: batches are small
        torch.manual_seed(seed)
        self.torch, self.shape, self.magnet, self.entropy = torch, shape, magnet, entropy
        self.weights = torch.from_numpy(weights.copy()).requires_grad_()
        self.reference = self.weights.detach().clone()
        self.critic = torch.nn.Sequential(
            torch.nn.Linear(shape.inputs, shape.hidden), torch.nn.ReLU(), torch.nn.Linear(shape.hidden, 1)
        )
        self.optimiser = torch.optim.Adam([self.weights, *self.critic.parameters()], lr=rate)
        low, high = game.utility_bounds
        self.scale = max(abs(low), abs(high)) or 1.0

    @property
    def agent(self) -> np.ndarray:
        """The current weights."""
        found: np.ndarray = self.weights.detach().numpy().copy()
        return found

    def logits(self, weights: Any, inputs: Any) -> Any:
        """The same network as the kernel's."""
        shape, at, x = self.shape, 0, inputs
        for rows, columns in (
            (shape.inputs, shape.hidden),
            (shape.hidden, shape.hidden),
            (shape.hidden, shape.actions),
        ):
            matrix = weights[at : at + rows * columns].view(rows, columns)
            x = x @ matrix + weights[at + rows * columns : at + rows * columns + columns]
            at += (rows + 1) * columns
            if at < shape.numbers:
                x = self.torch.relu(x)
        return x

    def log_policy(self, weights: Any, inputs: Any, allowed: Any) -> Any:
        """Logarithms of the probabilities of all actions."""
        return self.torch.log_softmax(self.logits(weights, inputs).masked_fill(~allowed, -1e9), dim=1)

    def update(self, record: Record, seat: int) -> float:
        """Learn from games; returns the agent's mean payoff in them."""
        torch = self.torch
        returns = record.returns if seat == 0 else -record.returns
        if not len(record.chosen):
            return float(returns.mean())
        inputs, allowed = torch.from_numpy(input_bits(record.keys)), torch.from_numpy(record.allowed.copy())
        chosen = torch.from_numpy(record.chosen.copy())[:, None]
        got = torch.from_numpy((returns[record.games] / self.scale).astype(np.float32))
        with torch.no_grad():
            before = self.log_policy(self.weights, inputs, allowed).gather(1, chosen)[:, 0]
            calm = self.log_policy(self.reference, inputs, allowed)
            gain = got - self.critic(inputs)[:, 0]
            gain = (gain - gain.mean()) / (gain.std(unbiased=False) + 1e-6)
        for _ in range(EPOCHS):
            for part in torch.chunk(torch.randperm(len(chosen)), MINI_BATCHES):
                logs = self.log_policy(self.weights, inputs[part], allowed[part])
                ratio = torch.exp(logs.gather(1, chosen[part])[:, 0] - before[part])
                clipped = torch.clamp(ratio, 1 - CLIP, 1 + CLIP)
                loss = -torch.minimum(ratio * gain[part], clipped * gain[part]).mean()
                if self.magnet:
                    apart = (logs.exp() * (logs - calm[part]) * allowed[part]).sum(1).mean()
                    loss = loss + self.magnet * apart
                loss = loss + self.entropy * (logs.exp() * logs * allowed[part]).sum(1).mean()
                loss = loss + 0.5 * ((self.critic(inputs[part])[:, 0] - got[part]) ** 2).mean()
                self.optimiser.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_([self.weights], 1.0)
                self.optimiser.step()
        return float(returns.mean())


def respond_by_gradient(
    ground: Ground,
    responder: Responder,
    seat: int,
    opponents: np.ndarray,
    chances: np.ndarray,
    updates: int,
    batch: int,
    rng: np.random.Generator,
    stop: threading.Event,
) -> float:
    """Train a seat's agent against the mixture `chances` of `opponents`, float32[agents, numbers]; returns its last
    mean payoff. It ends soon after `stop` is set."""
    got = 0.0
    for _ in range(updates):
        if stop.is_set():
            break
        drawn = rng.choice(len(opponents), size=batch, p=chances / chances.sum())
        mine = responder.agent[None]
        zeros = np.zeros(batch, np.int64)
        draws = np.column_stack([zeros, drawn] if seat == 0 else [drawn, zeros]).astype(np.int64)
        seats = (mine, opponents) if seat == 0 else (opponents, mine)
        got = responder.update(ground.play(seats, draws, seat), seat)
    return got
