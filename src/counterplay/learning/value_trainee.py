"""A counterfactual value network during training: PyTorch behind an interface of named arrays."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from counterplay.equilibrium.value_network import in_balance, inputs
from counterplay.learning.network import TorchMemory, torch_module


class ValueTrainee(TorchMemory):
    """The layers of one street, and their optimiser."""

    def __init__(self, inputs: int, hands: int, hidden: int, depth: int, rate: float, seed: int) -> None:
        self.torch, self.hands = torch_module(), hands
        self.torch.manual_seed(seed)
        nn = self.torch.nn
        sizes = [inputs, *[hidden] * depth, 2 * hands]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.optimiser = self.torch.optim.Adam(self.layers.parameters(), lr=rate)

    def answer(self, x: Any, ranges: Any) -> Any:
        """[n, 2, hands] values that are in balance: they sum to 0 by the ranges."""
        for layer in self.layers[:-1]:
            x = self.torch.relu(layer(x))
        return in_balance(self.layers[-1](x).view(ranges.shape), ranges)

    def step(
        self, features: np.ndarray, ranges: np.ndarray, targets: np.ndarray, free: np.ndarray, rate: float
    ) -> float:
        """One step of the optimiser on a batch: the mean Huber loss over hands that are possible."""
        torch = self.torch
        torch.set_num_threads(1)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        x, both = torch.from_numpy(inputs(features, ranges)), torch.from_numpy(ranges.astype(np.float32))
        mask = torch.from_numpy(free[:, None, :].astype(np.float32))
        missed = (self.answer(x, both) - torch.from_numpy(targets.astype(np.float32))) * mask
        size = missed.abs()
        loss = torch.where(size < 1, missed**2 / 2, size - 0.5).sum() / (2 * mask.sum())
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        return float(loss.item())

    def arrays(self, street: int) -> dict[str, np.ndarray]:
        """The weights, as a model names them."""
        found = {}
        for k, layer in enumerate(self.layers):
            found[f"street{street}_w{k}"] = layer.weight.detach().numpy().copy()
            found[f"street{street}_b{k}"] = layer.bias.detach().numpy().copy()
        return found
