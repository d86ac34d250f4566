"""Small nets as ONNX files, and policies that play as they do."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from numpy.typing import NDArray
from onnx import TensorProto as Type
from onnx import helper, numpy_helper

import darkqi


def linear_net(
    path: Path,
    game: str,
    *,
    observation: str = "tokens",
    shape: Sequence[int] | None = None,
    actions: int | None = None,
    values: int | None = 1,
    takes_mask: bool = False,
    rows: int | str = "N",
    weight_of: Callable[[NDArray[np.float32]], NDArray[np.float32]] = lambda weights: weights,
    input_name: str = "observation",
) -> Path:
    """Writes a net with a random layer for the policy, and one with tanh for the values."""
    spec = darkqi.spec(game)
    if shape is None:
        shape = spec.token_shape if observation == "tokens" else spec.observation_shape
    actions = spec.num_actions if actions is None else actions
    size = int(np.prod(shape))
    rng = np.random.default_rng(5)
    weights = weight_of((rng.normal(size=(size, actions)) / size).astype(np.float32))
    nodes = [
        helper.make_node("Cast", [input_name], ["floats"], to=Type.FLOAT),
        helper.make_node("Flatten", ["floats"], ["flat"]),
        helper.make_node("MatMul", ["flat", "weights"], ["logits" if takes_mask else "policy"]),
    ]
    constants = [numpy_helper.from_array(weights, "weights")]
    inputs = [helper.make_tensor_value_info(input_name, Type.UINT8, [rows, *shape])]
    outputs = [helper.make_tensor_value_info("policy", Type.FLOAT, [rows, actions])]
    if takes_mask:
        nodes.append(helper.make_node("Where", ["action_mask", "logits", "low"], ["policy"]))
        constants.append(numpy_helper.from_array(np.array(-1e9, np.float32), "low"))
        inputs.append(helper.make_tensor_value_info("action_mask", Type.BOOL, [rows, actions]))
    if values is not None:
        heads = (rng.normal(size=(size, values)) / size).astype(np.float32)
        constants.append(numpy_helper.from_array(heads, "heads"))
        nodes.append(helper.make_node("MatMul", ["flat", "heads"], ["scores"]))
        nodes.append(helper.make_node("Tanh", ["scores"], ["value"]))
        outputs.append(helper.make_tensor_value_info("value", Type.FLOAT, [rows, values]))
    graph = helper.make_graph(nodes, "net", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)
    return path


def greatest_logit(path: Path) -> Callable[..., darkqi.Decisions]:
    """Returns a policy that plays as the agent ``onnx:path`` does."""
    session = ort.InferenceSession(str(path))

    def policy(
        observation: NDArray[np.uint8],
        action_mask: NDArray[np.bool_],
        player: NDArray[np.int8],
    ) -> darkqi.Decisions:
        logits, mine = session.run(None, {"observation": observation})
        logits = np.where(action_mask, logits, -np.inf)
        weights = np.exp((logits - logits.max(axis=1, keepdims=True)).astype(np.float64))
        probabilities = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
        value = np.where((player == 0)[:, None], [1, -1], [-1, 1]).astype(np.float32) * mine
        return darkqi.Decisions(logits.argmax(axis=1), value, probabilities)

    return policy
