"""A counterfactual value network while it is trained: PyTorch, seen from outside as named arrays."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.equilibrium.value_network import in_balance, inputs
from counterplay.learning.network import torch_module


class ValueTrainee:
    """The layers of one street, and their optimiser."""

    def __init__(self, inputs: int, hands: int, hidden: int, depth: int, rate: float, seed: int) -> None:
        self.torch, self.hands = torch_module(), hands
        self.torch.manual_seed(seed)
        nn = self.torch.nn
        sizes = [inputs, *[hidden] * depth, 2 * hands]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.optimiser = self.torch.optim.Adam(self.layers.parameters(), lr=rate)

    def answer(self, x: Any, ranges: Any) -> Any:
        """[n, 2, hands] values that are in balance."""
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

    def memory(self) -> dict[str, np.ndarray]:
        """All that it takes to continue."""
        found = {f"layer_{name}": part.numpy().copy() for name, part in self.layers.state_dict().items()}
        for k, state in self.optimiser.state_dict()["state"].items():
            for name, part in state.items():
                found[f"optimiser_{k}_{name}"] = np.asarray(part.numpy()).copy()
        return found

    def restore(self, saved: Mapping[str, np.ndarray]) -> None:
        """Go on from there."""
        torch = self.torch
        layers = {
            name.removeprefix("layer_"): torch.from_numpy(a) for name, a in saved.items() if name.startswith("layer_")
        }
        state: dict[int, dict[str, Any]] = {}
        for name, part in saved.items():
            if name.startswith("optimiser_"):
                _, k, what = name.split("_", 2)
                state.setdefault(int(k), {})[what] = torch.from_numpy(np.asarray(part))
        try:
            self.layers.load_state_dict(layers)
            groups = self.optimiser.state_dict()["param_groups"]
            self.optimiser.load_state_dict({"state": state, "param_groups": groups})
        except (RuntimeError, KeyError, ValueError):
            raise CounterplayError("the checkpoint is damaged: its parts are inconsistent") from None
