"""The residual network during training: PyTorch behind an interface of named arrays.

Trained with batch normalisation; `arrays` are the weights used in play, with the normalisation folded in (residual.py).
Everything needed to continue, including the optimiser's moments, is also arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.evaluation.model import Model
from counterplay.evaluation.residual import SEEN, UNITS, require_network

MOST_AT_ONCE = 1024
"""Positions of one pass for a policy gradient, to bound memory."""


def torch_module() -> Any:
    """PyTorch, if it is installed."""
    try:
        import torch
    except ImportError:
        raise CounterplayError("training a network needs PyTorch: pip install 'counterplay[learn]'") from None
    return torch


def build(shape: tuple[int, ...], actions: int, width: int, blocks: int) -> Any:
    """The layers, by name; `answer` puts them together."""
    nn = torch_module().nn
    planes, rows, columns = shape
    cells = rows * columns
    layers: dict[str, Any] = {}

    def convolution(name: str, before: int, after: int, size: int) -> None:
        layers[name] = nn.Conv2d(before, after, size, padding=size // 2, bias=False)
        layers[f"{name}_norm"] = nn.BatchNorm2d(after)

    convolution("stem", planes, width, 3)
    for i in range(blocks):
        convolution(f"block{i}a", width, width, 3)
        convolution(f"block{i}b", width, width, 3)
    convolution("heads", width, 2 * SEEN, 1)
    layers["policy"] = nn.Linear(SEEN * cells, actions)
    layers["value"] = nn.Linear(SEEN * cells, UNITS)
    layers["result"] = nn.Linear(UNITS, 1)
    return nn.ModuleDict(layers)


class TorchMemory:
    """Layers and their optimiser, saved to continue later."""

    torch: Any
    layers: Any
    optimiser: Any

    def memory(self) -> dict[str, np.ndarray]:
        """Everything needed to continue."""
        found = {f"layer_{name}": part.numpy().copy() for name, part in self.layers.state_dict().items()}
        for k, state in self.optimiser.state_dict()["state"].items():
            for name, part in state.items():
                found[f"optimiser_{k}_{name}"] = np.asarray(part.numpy()).copy()
        return found

    def restore(self, saved: Mapping[str, np.ndarray]) -> None:
        """Continue from saved memory."""
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
            whole = self.optimiser.state_dict()
            self.optimiser.load_state_dict({"state": state, "param_groups": whole["param_groups"]})
        except (RuntimeError, KeyError, ValueError):
            raise CounterplayError("the checkpoint is damaged: its parts are inconsistent") from None


class Trainee(TorchMemory):
    """A network and its optimiser."""

    def __init__(self, game: Game, width: int, blocks: int, rate: float, decay: float, seed: int, threads: int) -> None:
        require_network(game)
        self.torch = torch_module()
        self.game, self.blocks, self.threads = game, blocks, threads
        self.torch.manual_seed(seed)
        self.layers = build(game.plane_shape, game.policy_size, width, blocks)
        self.layers = self.layers.to(memory_format=self.torch.channels_last)  # the faster layout on a processor
        self.optimiser = self.torch.optim.AdamW(self.layers.parameters(), lr=rate, weight_decay=decay)

    def answer(self, x: Any) -> tuple[Any, Any]:
        """Logits and values of a batch of planes."""
        layers, relu = self.layers, self.torch.relu

        def convolve(x: Any, name: str) -> Any:
            return layers[f"{name}_norm"](layers[name](x))

        x = relu(convolve(x, "stem"))
        for i in range(self.blocks):
            x = relu(x + convolve(relu(convolve(x, f"block{i}a")), f"block{i}b"))
        x = relu(convolve(x, "heads"))
        hidden = relu(layers["value"](x[:, SEEN:].flatten(1)))
        return layers["policy"](x[:, :SEEN].flatten(1)), self.torch.tanh(layers["result"](hidden))[:, 0]

    def step(self, planes: np.ndarray, policy: np.ndarray, value: np.ndarray, rate: float) -> tuple[float, float]:
        """One step of the optimiser on a batch: the cross entropy of the policy, the squared error of the value."""
        torch = self.torch
        torch.set_num_threads(self.threads)  # of the thread that calls this
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.layers.train()
        logits, values = self.answer(torch.from_numpy(planes).contiguous(memory_format=torch.channels_last))
        policy_loss = -(torch.from_numpy(policy) * torch.log_softmax(logits, 1)).sum(1).mean()
        value_loss = ((values - torch.from_numpy(value)) ** 2).mean()
        self.optimiser.zero_grad()
        (policy_loss + value_loss).backward()
        self.optimiser.step()
        return float(policy_loss.item()), float(value_loss.item())

    def encourage(
        self, planes: np.ndarray, legal: np.ndarray, chosen: np.ndarray, gains: np.ndarray, rate: float
    ) -> None:
        """One step that makes actions with a gain likelier and others less likely (policy_games.py)."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.policy_gradient(planes, legal, chosen, gains)
        self.optimiser.step()

    def policy_gradient(self, planes: np.ndarray, legal: np.ndarray, chosen: np.ndarray, gains: np.ndarray) -> None:
        """Store in the weights the gradient of -mean(gain x log p(chosen)), with only the actions in `legal`, bool [n,
        actions], possible. The network is in evaluation mode: the normalisation ignores the batch."""
        torch = self.torch
        torch.set_num_threads(self.threads)
        self.layers.eval()
        self.optimiser.zero_grad()
        for first in range(0, len(chosen), MOST_AT_ONCE):
            rows = slice(first, first + MOST_AT_ONCE)
            seen = torch.from_numpy(planes[rows]).contiguous(memory_format=torch.channels_last)
            logits = self.answer(seen)[0].masked_fill(~torch.from_numpy(legal[rows]), -torch.inf)
            logs = torch.log_softmax(logits, 1).gather(1, torch.from_numpy(chosen[rows])[:, None])[:, 0]
            (-(torch.from_numpy(gains[rows]) * logs).sum() / len(chosen)).backward()

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights used in play."""
        found: dict[str, np.ndarray] = {}
        for name, layer in self.layers.items():
            if name.endswith("_norm"):
                continue
            weight = layer.weight.detach()
            if f"{name}_norm" in self.layers:
                norm = self.layers[f"{name}_norm"]
                gain = (norm.weight / self.torch.sqrt(norm.running_var + norm.eps)).detach()
                bias = norm.bias.detach() - norm.running_mean * gain
                weight = weight * gain[:, None, None, None]
            else:
                bias = layer.bias.detach()
            found[f"{name}_w"], found[f"{name}_b"] = weight.numpy().copy(), bias.numpy().copy()
        return found

    def model(self, **about: Any) -> Model:
        """The model of these weights."""
        return Model.of(self.game, "residual", "planes", self.arrays(), "identity", about)
