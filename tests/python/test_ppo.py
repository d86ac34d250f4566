"""`ppo.py` is a page that trains, and goes on."""

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
import darkqi.onnx

torch = pytest.importorskip("torch", reason="PyTorch is large")

from test_nets import random_policy  # noqa: E402

from darkqi.learning import Buffer, RunError, evaluate, load  # noqa: E402
from darkqi.nets import Agent, Legal, PolicyNet, TruthCritic, values_by_seat  # noqa: E402


def test_the_learners_are_pages() -> None:
    for name in ("ppo", "gumbel"):
        source = (ROOT / "python" / "examples" / f"{name}.py").read_text(encoding="utf-8")
        assert len(source.splitlines()) <= 300


@pytest.mark.parametrize("critic", ["policy", "truth"])
@pytest.mark.parametrize(
    ("opponents", "steps"), [("", 4), ("--opponents random --opponent-share 1", 2)]
)
def test_a_truncated_game_has_the_expected_value_of_its_end(
    ppo: ModuleType, opponents: str, steps: int, critic: str
) -> None:
    # The game ends after two plies of each side.
    setting = f"--game jieqi --set max_plies=4 --lanes 6 --critic {critic} {opponents}"
    args, spec = ppo.parse(shlex.split(setting)), darkqi.spec("jieqi")
    # With few units all of them may be 0 for all positions.
    torch.manual_seed(1)
    policy, seeing = PolicyNet(spec, 32), TruthCritic(spec, 32)
    torch.nn.init.normal_(seeing.head.weight, std=0.1)
    judge, buffer = seeing if critic == "truth" else None, Buffer(steps, 6, spec)
    groups = ppo.groups_of(args, 1)
    ppo.collect(groups, policy, policy, buffer, 0.0, judge)
    assert buffer.ended.tolist() == [*[[False] * 6] * (steps - 1), [True] * 6]
    assert not buffer.reward.any()
    assert not buffer.final_value[:-1].any()
    # The same judge as of all other positions, from the seat that would move next.
    tokens, player, covered = groups[0].final(buffer.ended[-1])
    with torch.no_grad():
        value = policy.value(tokens) if judge is None else judge(tokens, covered)
    expected = values_by_seat(value, player, 2)
    assert torch.allclose(buffer.final_value[-1], expected, atol=1e-6)
    assert len(set(expected[:, 0].tolist())) > 1
    if critic == "truth":
        assert not torch.allclose(expected[:, 0].abs(), policy.value(tokens)[:, 0].abs(), atol=1e-3)


def test_past_policies_play_their_seats_and_are_not_trained_on(ppo: ModuleType) -> None:
    args = ppo.parse(shlex.split("--game gaiqi --lanes 8 --past-share 0.5"))
    spec = darkqi.spec("gaiqi")
    policy, rollout = PolicyNet(spec, 4), Buffer(40, 8, spec)
    asked = 0

    class Past:
        """It plays the first legal action."""

        def legal(self, tokens: Any, mask: Any) -> tuple[Any, None]:
            nonlocal asked
            asked += len(tokens)
            position, action = mask.nonzero(as_tuple=True)
            return Legal(position, action, -1e4 * action), None

    ppo.collect(ppo.groups_of(args, 1), policy, Past(), rollout, 0.5)
    learns = rollout.learns
    assert learns[:, 4:].all()
    assert torch.equal(learns[:, :4], rollout.mover[:, :4] == torch.tensor([0, 1, 0, 1]))
    assert asked == (~learns).sum() > 0
    first = rollout.mask.to(torch.uint8).argmax(-1)
    assert torch.equal(rollout.action[~learns], first[~learns])
    assert not torch.equal(rollout.action[learns], first[learns])


def test_who_leaves_the_anchor_pays(ppo: ModuleType) -> None:
    args, spec = ppo.parse([*TINY, "--regularization", "0.5"]), darkqi.spec("gaiqi")
    torch.manual_seed(1)
    policy, anchor = PolicyNet(spec, 32), PolicyNet(spec, 32)
    rollouts = []
    for of in (policy, anchor, None):
        torch.manual_seed(2)
        rollouts.append(Buffer(4, 8, spec))
        ppo.collect(ppo.groups_of(args, 1), policy, policy, rollouts[-1], 0.0, None, of, 0.5)
    itself, other, without = rollouts
    # Nobody pays for what the anchor would have done as well.
    assert torch.allclose(itself.reward, without.reward, atol=1e-5)
    for t in range(4):
        with torch.no_grad():
            legal, _ = anchor.legal(other.tokens[t], other.mask[t])
        its = legal.log_prob[legal.action == other.action[t][legal.position]]
        cost = 0.5 * (other.log_prob[t] - its)
        paid = (without.reward[t] - other.reward[t]).gather(1, other.mover[t].long()[:, None])
        assert torch.allclose(paid.squeeze(1), cost, atol=1e-5)
    assert torch.allclose(other.reward.sum(2), torch.zeros(4, 8), atol=1e-6)


def test_groups_fill_their_lanes(ppo: ModuleType) -> None:
    setting = (
        "--game gaiqi --set max_plies=12 --lanes 12 --groups 3 --past-share 0 --opponents random"
    )
    args = ppo.parse(shlex.split(setting))
    policy, rollout = (
        random_policy("gaiqi", attacks=False, seed=1),
        Buffer(30, 12, darkqi.spec("gaiqi")),
    )
    ppo.collect(ppo.groups_of(args, 1), policy, policy, rollout)
    with torch.no_grad():
        legal, value = policy.legal(rollout.tokens.flatten(0, 1), rollout.mask.flatten(0, 1))
    chosen = legal.action == rollout.action.flatten()[legal.position]
    assert torch.allclose(legal.log_prob[chosen], rollout.log_prob.flatten(), atol=1e-4)
    value = values_by_seat(value, rollout.mover.flatten(), 2)
    assert torch.allclose(value, rollout.value[:-1].flatten(0, 1), atol=1e-5)
    # The fourth lane of each group meets the agent, which has its plies within the step.
    takes_turns = (rollout.mover[1:] != rollout.mover[:-1]).float().mean(0) > 0.5
    assert takes_turns.tolist() == 3 * [True, True, True, False]
    assert rollout.ended.any(0).all()
    # No two lanes play the same games, and a lane is rewarded for its own.
    games = {tuple(rollout.action[:, lane].tolist()) for lane in range(12)}
    assert len(games) == 12
    assert (rollout.ended[..., None] | (rollout.reward == 0)).all()
    assert (rollout.reward[:, 3::4] != 0).any()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="another device needs a GPU")
def test_training_on_a_gpu_goes_on_without_one(ppo: ModuleType, tmp_path: Path) -> None:
    setting = [*TINY, "--attacks", "--critic", "truth", "--groups", "2", "--out", str(tmp_path)]
    ppo.train(ppo.parse([*setting, "--total-plies", "256", "--device", "cuda"]))
    ppo.train(ppo.parse([*setting, "--total-plies", "512"]))
    assert len(scalars(tmp_path)["loss/policy"]) == 4
    pytest.importorskip("onnxruntime")
    agents = [f"onnx:{tmp_path / 'policy.onnx'}", "random"]
    assert darkqi.arena("gaiqi", agents, 4, max_plies=12).pairs[0].games == 4


def test_the_truth_changes_what_the_critic_says_and_not_what_the_policy_does(
    ppo: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    args, spec = ppo.parse([*TINY, "--critic", "truth"]), darkqi.spec("gaiqi", max_plies=12)
    rollouts = []
    for shuffled in (False, True):
        torch.manual_seed(1)
        policy, critic = PolicyNet(spec, 8), TruthCritic(spec, 8)
        torch.nn.init.normal_(critic.head.weight)
        groups, rollout = ppo.groups_of(args, 1), Buffer(16, 8, spec)
        if shuffled:
            # Other pieces lie covered.
            truth = groups[0]._covered_pieces
            shown = groups[0].covered.flip(1)
            monkeypatch.setattr(groups[0], "_covered_pieces", lambda truth=truth: truth().flip(1))
            groups[0].covered = shown
        ppo.collect(groups, policy, policy, rollout, 0.25, critic)
        rollouts.append(rollout)
    told, lied_to = rollouts
    assert torch.equal(told.action, lied_to.action)
    assert torch.equal(told.log_prob, lied_to.log_prob)
    assert not torch.allclose(told.value, lied_to.value)
    # Nor can the policy learn it from layers that both have.
    both = [*policy.parameters(), *critic.parameters()]
    assert len(set(map(id, both))) == len(both)


def test_an_update_makes_winning_actions_more_probable(ppo: ModuleType) -> None:
    args = ppo.parse([*TINY, "--learning-rate", "0.01"])
    torch.manual_seed(0)
    spec = darkqi.spec(args.game, **args.options)
    policy, rollout = PolicyNet(spec, 4), Buffer(16, 8, spec)
    ppo.collect(ppo.groups_of(args, 1), policy, policy, rollout)
    # An action of the lower half wins at once, every other loses.
    low = rollout.action < rollout.action.median()
    gain = torch.where(low, 1.0, -1.0)[..., None]
    rollout.reward = values_by_seat(gain.flatten(0, 1), rollout.mover.flatten(), 2).view(16, 8, 2)
    rollout.ended[:] = True
    rollout.final_value[:] = 0

    mask = rollout.mask.flatten(0, 1)

    def log_prob() -> Any:
        with torch.no_grad():
            logits, _ = policy(rollout.tokens.flatten(0, 1), mask)
        log_probs = logits.masked_fill(~mask, -torch.inf).log_softmax(-1)
        return log_probs.gather(-1, rollout.action.flatten()[:, None]).reshape(low.shape)

    before = log_prob()
    assert torch.allclose(before, rollout.log_prob, atol=1e-5)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
    ppo.update(policy, optimizer, rollout, args, args.entropy)
    change = log_prob() - before
    assert change[low & rollout.learns].mean() > 0 > change[~low & rollout.learns].mean()


@pytest.mark.parametrize(
    "setting", ["", "--critic truth", "--opponents greedy random", "--attacks --critic truth"]
)
def test_ppo_trains(ppo: ModuleType, tmp_path: Path, setting: str) -> None:
    more = [*shlex.split(setting), "--total-plies", "512", "--out", str(tmp_path)]
    ppo.train(ppo.parse([*TINY, *more]))
    logged = scalars(tmp_path)
    assert (np.array(logged["loss/critic"]) > 0).all() == ("truth" in setting)
    for name in ("policy", "value", "critic", "entropy"):
        assert len(logged[f"loss/{name}"]) == 4
        assert all(map(math.isfinite, logged[f"loss/{name}"]))
    assert len(logged["greedy/mean"]) == 2
    policy, game, options = load(tmp_path / "policy.pt")
    assert (policy.prospects is not None) == ("--attacks" in setting)
    assert (game, options) == ("gaiqi", {"max_plies": 12})
    table = (tmp_path / "scores.csv").read_text().splitlines()
    assert len(table) == 1 + 2 * 4
    # An illegal action would raise.
    evaluate(Agent(policy), game, "random", 16, **options)


def test_a_run_starts_from_a_checkpoint(
    ppo: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It takes longer than all else.
    monkeypatch.setattr(darkqi.onnx, "export", lambda *_, **__: None)

    def made(name: str, *more: str) -> Path:
        """Returns the checkpoint of a short run in a folder of this name."""
        folder = tmp_path / name
        ppo.train(ppo.parse([*TINY, "--total-plies", "128", *more, "--out", str(folder)]))
        return folder / "policy.pt"

    nothing = ["--learning-rate", "0", "--against", "random"]
    first = made("first", "--attacks", *nothing)
    # Past policies, critic and optimizer are as large as the net.
    more = ["--start", str(first), "--width", "99", "--critic", "truth", "--opponents", "greedy"]
    second = made("second", *more, *nothing)
    one, other = (load(path)[0] for path in (first, second))
    assert all(map(torch.equal, one.parameters(), other.parameters()))
    saved = torch.load(second, weights_only=True)
    assert saved["critic"]["trunk.middle.weight"].shape == (4, 4)
    # The same command goes on, without the file.
    first.rename(tmp_path / "moved.pt")
    made("second", *more, *nothing, "--total-plies", "256")
    assert torch.load(second, weights_only=True)["plies"] == 256
    (tmp_path / "moved.pt").rename(first)
    # What it began with is a setting of the run.
    with pytest.raises(RunError, match=r"with start .*first.policy\.pt, not None"):
        made("second")
    with pytest.raises(RunError, match=r"is a net of gaiqi .*, expected banqi"):
        made("none", "--start", str(first), "--game", "banqi")
    plain = made("plain", *nothing)
    with pytest.raises(RunError, match="expected --attacks"):
        made("none", "--compile")
    with pytest.raises(RunError, match="is a net without --attacks"):
        made("none", "--attacks", "--start", str(plain))


def test_a_game_of_several_seats_is_learned(
    ppo: ModuleType, tmp_path: Path, many_seats: str
) -> None:
    given = "--lanes 8 --steps 16 --minibatch 32 --width 4 --evaluations 1 --games 6"
    more = f"--game {many_seats} --total-plies 256 --against random --out {tmp_path}"
    ppo.train(ppo.parse(shlex.split(f"{given} {more} --opponents greedy --set max_plies=40")))
    saved = torch.load(tmp_path / "policy.pt", weights_only=True)
    assert saved["policy"]["critic.weight"].shape == (darkqi.spec(many_seats).num_players, 4)
    pytest.importorskip("onnxruntime")
    agents = [f"onnx:{tmp_path / 'policy.onnx'}", "random"]
    assert darkqi.arena(many_seats, agents, 4, max_plies=40).pairs[0].games >= 4


def test_a_run_goes_on_from_its_checkpoint(ppo: ModuleType, tmp_path: Path) -> None:
    def args(plies: int, *more: str) -> Any:
        return ppo.parse([*TINY, "--total-plies", str(plies), "--out", str(tmp_path), *more])

    ppo.train(args(256))
    first = torch.load(tmp_path / "policy.pt", weights_only=True)
    ppo.train(args(512))
    second = torch.load(tmp_path / "policy.pt", weights_only=True)
    assert (first["plies"], second["plies"]) == (256, 512)
    assert second["cpu_seconds"] > first["cpu_seconds"]
    steps = [one["optimizer"]["state"][0]["step"].item() for one in (first, second)]
    assert steps[1] > steps[0] > 0
    # Killed before its scores were written, it plays for them.
    table = tmp_path / "scores.csv"
    whole = table.read_text()
    table.write_text("".join(whole.splitlines(keepends=True)[:-4]))
    assert table.read_text() != whole
    ppo.train(args(512))
    opponents = [line.split(",", 3)[3].rsplit(",", 3)[0] for line in whole.splitlines()]
    found = [line.split(",", 3)[3].rsplit(",", 3)[0] for line in table.read_text().splitlines()]
    assert found == opponents
    # Nothing is left to do, and other settings are refused.
    ppo.train(args(512))
    assert len(table.read_text().splitlines()) == len(whole.splitlines())
    again = torch.load(tmp_path / "policy.pt", weights_only=True)
    assert again["cpu_seconds"] == second["cpu_seconds"]
    with pytest.raises(RunError, match="is of a run with width 4, not 8"):
        ppo.train(args(512, "--width", "8"))


def test_the_same_seed_gives_the_same_policy(ppo: ModuleType, tmp_path: Path) -> None:
    weights = []
    for name in ("first", "second"):
        ppo.train(ppo.parse([*TINY, "--total-plies", "256", "--out", str(tmp_path / name)]))
        weights.append(torch.load(tmp_path / name / "policy.pt", weights_only=True)["policy"])
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            "--opponent-share 1.5",
            "argument --opponent-share: expected a number from 0 to 1, got 1.5",
        ),
        ("--gamma 5", "argument --gamma: expected a number from 0 to 1, got 5"),
        ("--learning-rate nan", "argument --learning-rate: expected a number from 0 up, got nan"),
        ("--past-share -1", "argument --past-share: expected a number from 0 to 1, got -1"),
        ("--final-entropy 0", "argument --final-entropy: expected more than 0, got 0.0"),
        ("--seed 0", "argument --seed: expected at least 1, got 0"),
        ("--lanes 8 --groups 3", "argument --groups: expected a divisor of 8, got 3"),
        ("--device abacus", "argument --device: PyTorch cannot compute on 'abacus'"),
        ("--device meta", "argument --device: PyTorch cannot compute on 'meta'"),
        ("--steps 0", "argument --steps: expected at least 1, got 0"),
        ("--set max_plies", "argument --set: expected NAME=VALUE, got 'max_plies'"),
        ("--set max_ply=3", "option `max_ply`"),
    ],
)
def test_bad_settings_are_named(
    ppo: ModuleType, capsys: pytest.CaptureFixture[str], setting: str, message: str
) -> None:
    with pytest.raises(SystemExit):
        ppo.parse(shlex.split(setting))
    assert message in capsys.readouterr().err
