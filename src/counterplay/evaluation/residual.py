"""Residual networks with a policy and a value (Silver et al. 2017), run by ONNX Runtime.

A model has the arrays of its layers, with the normalisation folded in; the graph is built from them when it is loaded,
so nothing in a file is ever executed. Convolutions keep the board's shape; policy and value each see a few planes of
the last.

    stem_w [width, planes, 3, 3]    block{i}a_w, block{i}b_w [width, width, 3, 3]    heads_w [2 * seen, width, 1, 1]
    policy_w [actions, seen * cells]   value_w [units, seen * cells]   result_w [1, units]   and a bias for each, *_b
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import Game
from counterplay.core.language.kernel import kernel
from counterplay.core.types import State
from counterplay.evaluation.model import Model

SEEN, UNITS = 8, 64
"""Planes that each head sees, and units of the value's hidden layer."""


def require_network(game: Game) -> None:
    """Refuse games that no such network can play."""
    if game.has_secrets or game.players != 2 or not game.zero_sum:
        raise Unsuitable(f"a network with a policy plays open games of two opponents, not {game.spec}")
    if len(game.plane_shape) != 3 or not game.policy_size:
        raise Unsuitable(f"{game.spec} has no planes with a `policy_size`, which a network with a policy needs")


def layer_shapes(game: Game, width: int, blocks: int) -> dict[str, tuple[int, ...]]:
    """The arrays of a network."""
    planes, rows, columns = game.plane_shape
    cells = rows * columns
    shapes: dict[str, tuple[int, ...]] = {"stem_w": (width, planes, 3, 3), "stem_b": (width,)}
    for i in range(blocks):
        for half in "ab":
            shapes |= {f"block{i}{half}_w": (width, width, 3, 3), f"block{i}{half}_b": (width,)}
    shapes |= {"heads_w": (2 * SEEN, width, 1, 1), "heads_b": (2 * SEEN,)}
    shapes |= {"policy_w": (game.policy_size, SEEN * cells), "policy_b": (game.policy_size,)}
    shapes |= {"value_w": (UNITS, SEEN * cells), "value_b": (UNITS,), "result_w": (1, UNITS), "result_b": (1,)}
    return shapes


class Residual:
    """A network, ready to evaluate positions."""

    def __init__(self, game: Game, model: Model, threads: int = 1, judge: Residual | None = None) -> None:
        """`judge` is another network whose values are used instead, as in AlphaGo."""
        from counterplay.evaluation.model import require_shapes

        require_network(game)
        if model.kind != "residual":
            raise CounterplayError(
                f"the model is {model.kind}, without a policy: it plays as `alphabeta:evaluation=...`"
            )
        width = len(model.arrays.get("stem_b", ()))
        blocks = sum(name.endswith("a_b") for name in model.arrays)
        require_shapes(model, layer_shapes(game, width, blocks), game)
        self.game, self.model, self.judge = game, model, judge
        self.session = session(graph(game.plane_shape, model.arrays, blocks), threads)

    def answer(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each position, the logits of all actions [n, actions] and the value to the side to move [n], -1 to 1."""
        logits, values = self.session.run(None, {"planes": planes})
        return logits, values[:, 0]

    def policy(self, states: list[Any], actions: list[list[int]]) -> tuple[list[np.ndarray], list[float]]:
        """The same for `counterplay.montecarlo.policy_search`: priors of the legal actions, values in the game's units."""
        planes = np.zeros((len(states), *self.game.plane_shape), np.float32)
        legal_indices = [np.array(legal, np.int64) for legal in actions]
        for s, seen, indices in zip(states, planes, legal_indices, strict=True):
            look(self.game, s, seen, indices)
        logits, values = self.answer(planes)
        if self.judge is not None:
            values = self.judge.answer(planes)[1]
        low, high = self.game.utility_bounds
        priors = [shares(row[each]) for row, each in zip(logits, legal_indices, strict=True)]
        return priors, [low + (high - low) * (float(value) + 1) / 2 for value in values]


@kernel
def look(game: Game, s: State, seen: np.ndarray, indices: np.ndarray) -> None:
    """Write what a network sees of `s` to `seen`; `indices`, actions to begin with, become their indices in the policy."""
    game.planes(s, seen)
    for i in range(indices.size):
        indices[i] = game.policy_index(s, indices[i])


@kernel
def look_turned(game: Game, s: State, form: int, seen: np.ndarray, indices: np.ndarray) -> None:
    """`look` at a symmetric form of `s`, by its number; `indices` begin as actions in `s` itself."""
    image = game.symmetric(s, form)
    for i in range(indices.size):
        indices[i] = game.symmetric_action(int(indices[i]), form)
    look(game, image, seen, indices)


def shares(logits: np.ndarray) -> np.ndarray:
    """The softmax of some logits."""
    weights: np.ndarray = np.exp(logits.astype(np.float64) - logits.max())
    return weights / weights.sum()


def graph(shape: tuple[int, ...], arrays: dict[str, np.ndarray], blocks: int) -> bytes:
    """The network as ONNX."""
    try:
        from onnx import TensorProto, helper, numpy_helper
    except ImportError:
        raise CounterplayError("a network needs onnx and onnxruntime: pip install 'counterplay[nets]'") from None
    constants = [numpy_helper.from_array(np.ascontiguousarray(a, np.float32), name) for name, a in arrays.items()]
    constants.append(numpy_helper.from_array(np.array([SEEN, SEEN], np.int64), "halves"))
    nodes: list[Any] = []

    def add(kind: str, inputs: list[str], *outputs: str, **options: Any) -> str:
        nodes.append(helper.make_node(kind, inputs, list(outputs), **options))
        return outputs[0]

    def convolve(x: str, name: str) -> str:
        size = int(arrays[f"{name}_w"].shape[-1])
        weights = [f"{name}_w", f"{name}_b"]
        return add("Conv", [x, *weights], name, kernel_shape=[size, size], pads=[size // 2] * 4)

    def connect(x: str, name: str, output: str) -> str:
        return add("Gemm", [x, f"{name}_w", f"{name}_b"], output, transB=1)

    def rectify(x: str) -> str:
        return add("Relu", [x], f"{x}_relu")

    x = rectify(convolve("planes", "stem"))
    for i in range(blocks):
        inner = convolve(rectify(convolve(x, f"block{i}a")), f"block{i}b")
        x = rectify(add("Add", [x, inner], f"sum{i}"))
    add("Split", [rectify(convolve(x, "heads")), "halves"], "policy_seen", "value_seen", axis=1)
    connect(add("Flatten", ["policy_seen"], "policy_flat"), "policy", "logits")
    hidden = rectify(connect(add("Flatten", ["value_seen"], "value_flat"), "value", "value_hidden"))
    add("Tanh", [connect(hidden, "result", "value_sum")], "values")
    number = arrays["policy_b"].shape[0]
    made = helper.make_graph(
        nodes,
        "residual",
        [helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["n", *shape])],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", number]),
            helper.make_tensor_value_info("values", TensorProto.FLOAT, ["n", 1]),
        ],
        constants,
    )
    whole = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return bytes(whole.SerializeToString())


def session(content: bytes, threads: int) -> Any:
    """ONNX Runtime over a network."""
    try:
        import onnxruntime
    except ImportError:
        raise CounterplayError("a network needs onnx and onnxruntime: pip install 'counterplay[nets]'") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
