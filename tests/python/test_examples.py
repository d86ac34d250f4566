"""The other examples compute correctly."""

import math
import shlex
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from common import ROOT
from learners import TINY, scalars

import darkqi
import darkqi.datasets

torch = pytest.importorskip("torch", reason="PyTorch is large")

from darkqi import commands  # noqa: E402
from darkqi.learning import Log, evaluate, load  # noqa: E402
from darkqi.nets import OnPlanes, PolicyNet  # noqa: E402
from darkqi.results import Estimate  # noqa: E402


def test_a_policy_of_another_game_has_no_exploitability(
    example: Any, ppo: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    ppo.train(ppo.parse([*TINY, "--total-plies", "256", "--out", str(tmp_path)]))
    exploitability = example("exploitability")

    def run(*given: str) -> str:
        monkeypatch.setattr("sys.argv", ["exploitability.py", *given])
        exploitability.main()
        return str(capsys.readouterr().out)

    with pytest.raises(SystemExit, match=r"is a policy of gaiqi .*, expected one of banqi"):
        run(str(tmp_path / "policy.pt"))
    printed = run("random", "--fen", "8/8/p7/~P7 1 r - 0 0", "--quiet-limit", "4")
    assert "positions, worth" in printed
    assert "random: exploitability 0." in printed


def test_rule_options_add_up() -> None:
    parser = commands.parser_of("A training.", "runs")
    given = ["--set", "quiet_limit=20", "chase=on", "--set", "repetition=off"]
    options = parser.parse_args(given).options
    assert dict(options) == {"quiet_limit": "20", "chase": "on", "repetition": "off"}
    assert parser.parse_args([]).options == []


def test_maskable_ppo_trains(example: Any, tmp_path: Path) -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib")
    maskable_ppo = example("maskable_ppo")
    maskable_ppo.train(maskable_ppo.parse([*TINY, "--total-steps", "256", "--out", str(tmp_path)]))
    logged = scalars(tmp_path)
    assert all(map(math.isfinite, logged["train/loss"]))
    assert len(logged["greedy/mean"]) == 2
    model = sb3_contrib.MaskablePPO.load(tmp_path / "model.zip", device="cpu")
    settings: dict[str, Any] = {"observation": "planes", "max_plies": 12}
    evaluate(maskable_ppo.chooser(model), "gaiqi", "random", 16, **settings)


@pytest.mark.parametrize("learner", ["ppo.py", "gymnasium", "sb3"])
def test_speed_is_measured_of_each_learner(
    example: Any, monkeypatch: pytest.MonkeyPatch, learner: str
) -> None:
    pytest.importorskip("gymnasium")
    if learner == "sb3":
        pytest.importorskip("sb3_contrib")
    monkeypatch.syspath_prepend(ROOT / "python" / "benchmarks")
    ppo, training = example("ppo"), example("training")
    args = ppo.parse(
        shlex.split(
            "--game gaiqi --lanes 8 --steps 16 --width 8 --opponents greedy --opponent-share 1"
        )
    )
    if learner == "sb3":
        found = training.measure_sb3(args, 1)
    else:
        found = training.measure_loop(learner, args, 1)
    assert found["steps/s"] > 0
    assert all(0 < found[name] < 1 for name in ("games", "forward", "learning"))


@pytest.mark.parametrize(
    ("game", "attacks", "most_bytes"),
    [
        *[(game, False, 1_000_000) for game in ("banqi", "flipping", "gaiqi", "jieqi", "mystery")],
        ("flipping", True, 1_000_000),
        ("flipping", True, 270_000),
        ("gaiqi", True, 1_000_000),
        ("jieqi", True, 1_000_000),
    ],
)
def test_a_baseline_computes_on_planes_what_the_policy_does_on_tokens(
    example: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    game: str,
    attacks: bool,
    most_bytes: int,
) -> None:
    onnx, onnxruntime = (pytest.importorskip(name) for name in ("onnx", "onnxruntime"))
    baseline = example("baseline")
    monkeypatch.setattr(baseline, "MAX_BYTES", most_bytes)
    torch.manual_seed(1)
    policy = PolicyNet(darkqi.spec(game), 16, attacks)
    for weights in policy.parameters():
        torch.nn.init.normal_(weights, std=0.2)
    checkpoint = tmp_path / "policy.pt"
    settings = {"game": game, "options": {}, "width": 16, "attacks": attacks}
    torch.save({"settings": settings, "policy": policy.state_dict()}, checkpoint)
    baseline.main([str(checkpoint), "--out", str(tmp_path)])
    whole = (tmp_path / f"{game}.onnx").read_bytes()
    kinds = {tensor.data_type for tensor in onnx.load_from_string(whole).graph.initializer}
    assert len(whole) <= most_bytes
    assert (onnx.TensorProto.INT8 in kinds) == (most_bytes < 1_000_000)
    session = onnxruntime.InferenceSession(whole)
    module = OnPlanes(policy, darkqi.spec(game))
    envs = [darkqi.make(game, 16, 1, observation=rows) for rows in ("planes", "tokens")]
    planes, tokens = (env.reset() for env in envs)
    for _ in range(60):
        with torch.inference_mode():
            mask = torch.from_numpy(tokens.action_mask)
            logits, value = policy(torch.from_numpy(tokens.observation), mask)
            found = module(torch.from_numpy(planes.observation), mask)
        assert torch.equal(found[0], logits)
        assert torch.equal(found[1].squeeze(1), value)
        # Weights of fewer bits.
        feed = {"observation": planes.observation, "action_mask": planes.action_mask}
        stored = session.run(None, feed)
        spread = max(1.0, logits[mask].std().item())
        np.testing.assert_allclose(stored[0], logits, atol=0.05 * spread)
        np.testing.assert_allclose(stored[1][:, 0], value, atol=0.05)
        actions = envs[0].sample_actions()
        planes, tokens = (env.step(actions) for env in envs)
    assert logits[mask].std() > 0.5


def test_the_largest_tables_are_stored_in_8_bits(example: Any) -> None:
    onnx = pytest.importorskip("onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    baseline = example("baseline")
    rng = np.random.default_rng(1)
    # Rows of different sizes, and one without a step.
    table = rng.normal(size=(600, 256)) * np.linspace(0, 3, 600)[:, None]
    tensor = onnx.numpy_helper.from_array(table.astype(np.float32), "table")
    tensors, nodes = baseline.stored(tensor, 8)
    assert sum(part.ByteSize() for part in tensors) < 0.27 * tensor.ByteSize()
    output = onnx.helper.make_tensor_value_info("table", onnx.TensorProto.FLOAT, table.shape)
    graph = onnx.helper.make_graph(nodes, "table", [], [output], tensors)
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=10
    )
    (found,) = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {})
    half_step = np.abs(table).max(1, keepdims=True) / 254
    assert (np.abs(found - table) <= half_step * 1.001).all()


def test_the_curve_is_drawn_from_the_scores(example: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    curve = example("curve")
    run, again = tmp_path / "banqi", tmp_path / "again.svg"
    log = Log(run)
    for plies, mean in [(1000, 0.25), (2000, 0.75)]:
        score = Estimate(mean, mean - 0.125, mean + 0.125)
        for player in ("net", "search"):
            labels = {"plies": plies, "player": player, "opponent": "expectimax:depth=1"}
            log.scores(plies, [(player, labels, score)])
    found = curve.curves(run)
    expected = {1000: [0.25, 0.125, 0.375], 2000: [0.75, 0.625, 0.875]}
    assert found == {f"expectimax:depth=1{how}": expected for how in ("", ", with search")}
    curve.plot([run], tmp_path / "curve.svg")
    picture = (tmp_path / "curve.svg").read_text(encoding="utf-8")
    assert "against expectimax:depth=1, with search" in picture
    curve.plot([run], again)
    assert again.read_text(encoding="utf-8") == picture
    with pytest.raises(SystemExit, match=r"nothing: expected a folder with a scores\.csv"):
        curve.curves(tmp_path / "nothing")


def test_a_net_is_distilled_from_games_with_policies(
    example: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxscript", reason="PyTorch exports by it")
    distill = example("distill")

    def run(out: str | Path, *settings: str | Path) -> Path:
        folder = tmp_path / out
        given = [*map(str, settings), "--passes", "1", "--out", str(folder)]
        monkeypatch.setattr("sys.argv", ["distill.py", *given])
        distill.main()
        return folder

    options: dict[str, Any] = {"seats": "0123---", "max_plies": 20}
    kingdoms, flipping, actions = (tmp_path / name for name in ("kingdoms", "flipping", "actions"))
    agent = "ismcts:sims=4,net=none"
    darkqi.selfplay("seven_kingdoms", kingdoms, 4, agents=agent, seed=1, **options)
    darkqi.selfplay("flipping", flipping, 4, agents="expectimax:depth=1", seed=1, max_plies=30)
    darkqi.selfplay("flipping", actions, 4, agents="greedy", seed=1)
    net = run("first", kingdoms, "--width", "4") / "policy.onnx"
    match = darkqi.arena("seven_kingdoms", [f"onnx:{net}", "random"], 4, **options)
    assert match.pairs[0].games == 4
    first = run("wide", flipping, flipping, "--width", "8")
    checkpoint = first / "policy.pt"
    # A run of training notes the options that differ, a dataset all of them.
    saved = torch.load(checkpoint, weights_only=True)
    saved["settings"]["options"] = {"max_plies": 30}
    torch.save(saved, checkpoint)
    again = run("again", flipping, "--start", checkpoint) / "policy.pt"
    weights = [load(path)[0].critic.bias for path in (checkpoint, again)]
    assert weights[0] != weights[1]
    assert load(again)[0].critic.in_features == 8
    for settings, message in [
        (("again", flipping), "policy.pt is there already"),
        (("none", actions), "actions has no values of positions to fit to"),
        (
            ("none", flipping, kingdoms),
            r"kingdoms has games of Spec\(.seven_kingdoms.*, expected those of",
        ),
        (("none", actions, "--start", checkpoint), "is a net of flipping with options"),
    ]:
        with pytest.raises(SystemExit, match=message):
            run(*settings)
    assert not list((tmp_path / "none").glob("policy.*"))
