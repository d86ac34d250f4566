"""Nets from files as agents, in blocks of fixed shape."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import polars as pl
import pytest
from common import contents, run
from numpy.typing import NDArray
from onnx import TensorProto as Type
from onnx import helper, numpy_helper

import darkqi
import darkqi.onnx


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


def played(out: Path, game: str, agents: Any, games: int = 40, **keywords: Any) -> pl.DataFrame:
    darkqi.selfplay(game, out, games, agents=agents, seed=9, **keywords)
    assert darkqi.verify(out).faults == []
    return pl.read_parquet(out / "plies/*.parquet")


@pytest.mark.parametrize(("game", "observation"), [("banqi", "planes"), ("jieqi", "tokens")])
def test_a_python_policy_plays_the_same_games(tmp_path: Path, game: str, observation: str) -> None:
    net = linear_net(tmp_path / "net.onnx", game, observation=observation)
    ours = played(tmp_path / "onnx", game, [f"onnx:{net}", "greedy"])
    theirs = played(
        tmp_path / "python", game, [greatest_logit(net), "greedy"], observation=observation
    )
    assert ours["action"].equals(theirs["action"])
    value, other = (np.array(frame["value"].drop_nulls().to_list()) for frame in (ours, theirs))
    np.testing.assert_allclose(value, other, atol=1e-6)
    mine = ours.filter(pl.col("player") == 0)
    assert mine["value"].null_count() == mine["policy"].null_count() == 0
    assert ours.filter(pl.col("player") == 1)["policy"].null_count() == len(ours) - len(mine)
    both = zip(mine["policy"], theirs.filter(pl.col("player") == 0)["policy"], strict=True)
    for row, its in both:
        entries = row.struct.unnest()
        assert entries["probability"].sum() == pytest.approx(1, abs=1e-5)
        assert entries["action"].to_list() == its.struct.field("action").to_list()


@pytest.mark.parametrize("root", ["", ",root=gumbel"])
def test_bytes_do_not_depend_on_threads_or_interruptions(tmp_path: Path, root: str) -> None:
    net = linear_net(tmp_path / "net.onnx", "flipping")
    agents = [f"onnx:{net},temperature=1", f"onnx:{net},sims=4,temperature=1,epsilon=0.1{root}"]
    keywords: dict[str, Any] = {"shard_games": 8}
    played(tmp_path / "one", "flipping", agents, 20, threads=1, **keywords)
    played(tmp_path / "two", "flipping", agents, 20, threads=2, **keywords)
    played(tmp_path / "resumed", "flipping", agents, 8, threads=2, **keywords)
    played(tmp_path / "resumed", "flipping", agents, 20, resume=True, **keywords)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "resumed")


def test_a_gumbel_root_logs_an_improved_policy(tmp_path: Path) -> None:
    net = linear_net(tmp_path / "net.onnx", "flipping")
    state = darkqi.State("flipping")
    search = f"onnx:{net},sims=16,root=gumbel"
    # Nothing is hidden and there is no noise, so that all seeds choose the same action.
    assert len({state.choose(search, seed) for seed in range(5)}) == 1
    noisy = {state.choose(f"{search},temperature=1", seed) for seed in range(20)}
    assert 1 < len(noisy) < 20
    plies = played(tmp_path / "data", "flipping", f"{search},temperature=1", 4)
    assert plies["value"].null_count() == plies["policy"].null_count() == 0
    # All legal actions have a probability, not only the few that were visited.
    whole = plies.filter(pl.col("policy").list.len() == pl.col("legal_count"))
    assert len(whole) > 0.99 * len(plies)
    sums = plies["policy"].list.eval(pl.element().struct.field("probability")).list.sum()
    np.testing.assert_allclose(sums, 1, atol=1e-5)


def test_an_opponent_sees_all_lanes_at_once(tmp_path: Path) -> None:
    net = linear_net(tmp_path / "net.onnx", "banqi", observation="planes")
    for lanes, threads in ((5, 1), (100, 2)):
        env = darkqi.make("banqi", lanes, 3, opponent=f"onnx:{net}", threads=threads)
        other = darkqi.make("banqi", lanes, 3, opponent=greatest_logit(net), threads=threads)
        ts, same = env.reset(), other.reset()
        for _ in range(60):
            actions = env.sample_actions()
            ts, same = env.step(actions), other.step(actions)
            np.testing.assert_array_equal(ts.observation, same.observation)
            np.testing.assert_array_equal(ts.reward, same.reward)
    lane = darkqi.make("banqi", 1, 3, opponent=f"onnx:{net}")
    ts = lane.reset()
    first = darkqi.make("banqi", 100, 3, opponent=f"onnx:{net}").reset().observation[0]
    np.testing.assert_array_equal(ts.observation[0], first)


@pytest.mark.parametrize(
    ("keywords", "fault"),
    [
        ({"shape": (9,)}, r"input `observation`: expected uint8 or float32 of shape"),
        ({"actions": 7}, r"output `policy`: expected float32 of shape \(N, 352\), found float32"),
        (
            {"values": 3},
            r"output `value`: .* float32 of shape \(N, 2\) or \(N, 1\) or \(N,\)",
        ),
        ({"rows": 0}, "from 1 to 65536 rows"),
        ({"rows": 100_000}, "from 1 to 65536 rows"),
        ({"input_name": "obs"}, r"inputs: expected `observation` and `action_mask`, found `obs`"),
    ],
)
def test_other_shapes_are_refused(tmp_path: Path, keywords: dict[str, Any], fault: str) -> None:
    net = linear_net(tmp_path / "net.onnx", "banqi", **keywords)
    fault = fault.replace("352", str(darkqi.spec("banqi").num_actions))
    with pytest.raises(ValueError, match=fault):
        darkqi.make("banqi", 2, opponent=f"onnx:{net}")


def test_other_files_and_options_are_refused(tmp_path: Path) -> None:
    state = darkqi.State("banqi")
    with pytest.raises(FileNotFoundError, match=r"net nowhere\.onnx: cannot be read"):
        state.choose("onnx:nowhere.onnx")
    (tmp_path / "text.onnx").write_text("no net")
    with pytest.raises(ValueError, match=r"net .*text\.onnx: "):
        state.choose(f"onnx:{tmp_path}/text.onnx")
    net = linear_net(tmp_path / "net.onnx", "banqi", values=None, rows=8)
    for option, fault in [
        ("sims=5", "expected 0, since the net has no output `value`"),
        ("batch=9", r"expected 9 rows, the option `batch`, found uint8 of shape \[8, "),
        ("temperature=-1", "expected a number from 0 to 100"),
        ("provider=abacus", "expected cpu or cuda"),
        ("sims=5,root=uct", "option `root` is `uct`; expected puct or gumbel"),
    ]:
        with pytest.raises(ValueError, match=fault):
            state.choose(f"onnx:{net},{option}")


def test_an_output_without_rows_is_refused(tmp_path: Path) -> None:
    model = onnx.load(linear_net(tmp_path / "net.onnx", "banqi", values=None))
    model.graph.node[-1].output[0] = "alone"
    model.graph.node.append(helper.make_node("ReduceSum", ["alone"], ["policy"], keepdims=0))
    model.graph.output[0].type.tensor_type.ClearField("shape")
    onnx.save(model, tmp_path / "net.onnx")
    with pytest.raises(ValueError, match=r"output `policy`: expected \d+ rows of 352"):
        darkqi.State("banqi").choose(f"onnx:{tmp_path}/net.onnx")


def test_nan_is_an_error_that_names_the_game(tmp_path: Path) -> None:
    net = linear_net(tmp_path / "net.onnx", "banqi", weight_of=lambda w: np.full_like(w, np.nan))
    with pytest.raises(RuntimeError, match=r"^game \d+, ply 0: agent onnx:.*`policy`.*found NaN"):
        played(tmp_path / "data", "banqi", f"onnx:{net}")
    with pytest.raises(RuntimeError, match=r"^lane 0: the opponent: output `policy`.*NaN"):
        darkqi.make("banqi", 2, opponent=f"onnx:{net}", seat=1)


def test_rows_that_depend_on_others_are_refused(tmp_path: Path) -> None:
    net = linear_net(tmp_path / "net.onnx", "banqi", values=None)
    model = onnx.load(net)
    model.graph.node[-1].output[0] = "alone"
    # Subtracts the mean over all rows of the block, as batch normalisation does in training mode.
    model.graph.node.append(helper.make_node("ReduceMean", ["alone"], ["mean"], axes=[0]))
    model.graph.node.append(helper.make_node("Sub", ["alone", "mean"], ["policy"]))
    onnx.save(model, net)
    state = darkqi.State("banqi")
    with pytest.raises(ValueError, match=r"row \d+ of 64 has other outputs in place"):
        state.choose(f"onnx:{net}")
    state.choose(f"onnx:{net},batch=1")


def in_two_files(net: Path, location: str, **keywords: Any) -> Path:
    onnx.save(
        onnx.load(net),
        net,
        save_as_external_data=True,
        location=location,
        size_threshold=0,
        **keywords,
    )
    return net


def first_policy(agent: str) -> list[int]:
    """Returns what identifies the weights of a net: its play in some positions."""
    states = [darkqi.State("banqi", seed) for seed in range(12)]
    return [state.choose(agent) for state in states]


def test_weights_lie_beside_the_net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = linear_net(tmp_path / "whole.onnx", "banqi")
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    net = in_two_files(linear_net(tmp_path / "a/net.onnx", "banqi"), "net.data")
    # A file of the same name with other weights, in the working directory.
    in_two_files(linear_net(tmp_path / "b/net.onnx", "banqi", weight_of=np.negative), "net.data")
    expected = first_policy(f"onnx:{whole}")
    assert first_policy(f"onnx:{tmp_path}/b/net.onnx") != expected
    for folder in "a", "b":
        monkeypatch.chdir(tmp_path / folder)
        assert first_policy(f"onnx:{net}") == expected
    monkeypatch.chdir(tmp_path / "a")
    assert first_policy("onnx:net.onnx") == expected
    assert first_policy("onnx:./net.onnx") == expected
    monkeypatch.chdir(tmp_path)
    # A file for each tensor, in a folder of its own.
    split = linear_net(tmp_path / "split.onnx", "banqi")
    in_two_files(split, "unused", all_tensors_to_one_file=False)
    assert first_policy("onnx:split.onnx") == expected


def test_a_dataset_keeps_all_files_of_a_net(tmp_path: Path) -> None:
    net = in_two_files(linear_net(tmp_path / "net.onnx", "banqi"), "net.data")
    data = tmp_path / "net.data"
    keywords: dict[str, Any] = {"shard_games": 2}
    agents = [f"onnx:{net}", "greedy"]
    whole = played(tmp_path / "whole", "banqi", agents, 4, **keywords)
    played(tmp_path / "run", "banqi", agents, 2, **keywords)
    darkqi.arena("banqi", agents, 2, out=tmp_path / "match")
    weights = bytearray(data.read_bytes())
    weights[-1] ^= 1
    data.write_bytes(weights)
    # Other weights are another net.
    with pytest.raises(ValueError, match="holds a run with other settings: agent_files"):
        darkqi.selfplay(
            "banqi", tmp_path / "run", 4, agents=agents, seed=9, resume=True, **keywords
        )
    with pytest.raises(ValueError, match="holds a run with other settings: agent_files"):
        darkqi.arena("banqi", agents, 4, out=tmp_path / "match")
    for gone in data, net:
        gone.unlink()
        # What the run has kept is whole.
        done = run("selfplay", "--resume", "-n4", "-q", "-o", tmp_path / "run")
        assert done.returncode == 0, done.stderr
        assert darkqi.verify(tmp_path / "run").faults == []
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")
    assert len(whole) > 0


def test_missing_weights_are_named(tmp_path: Path) -> None:
    net = in_two_files(linear_net(tmp_path / "net.onnx", "banqi"), "net.data")
    (tmp_path / "net.data").unlink()
    fault = r": has weights in `net\.data`, which cannot be read: .* one file with all"
    with pytest.raises(ValueError, match=rf"net .*net\.onnx{fault}"):
        darkqi.State("banqi").choose(f"onnx:{net}")
