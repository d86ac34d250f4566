"""The TorchRL environments pass its own checks and agree with the batch."""

from typing import Any

import gymnasium
import pytest

pytest.importorskip("torchrl", reason="it brings PyTorch, which is large")

import torch
from tensordict.nn import TensorDictModule
from torchrl.envs import (
    ActionMask,
    Compose,
    GymEnv,
    GymWrapper,
    RewardSum,
    SerialEnv,
    TransformedEnv,
)
from torchrl.envs.utils import check_env_specs
from torchrl.modules import MaskedCategorical, ProbabilisticActor

import darkqi
from darkqi.gymnasium import Env, VectorEnv
from darkqi.torchrl import DarkqiEnv


@pytest.mark.parametrize(
    "settings",
    [{}, {"opponent": "random"}, {"observation": "tokens", "illegal": "forfeit", "num_envs": 1}],
    ids=str,
)
def test_check_env_specs(game: str, settings: dict[str, Any]) -> None:
    # Short games, so that the checks meet their ends.
    env = DarkqiEnv(game, **{"num_envs": 3, "max_plies": 14} | settings)
    check_env_specs(env, seed=1)
    check_env_specs(env, break_when_any_done="both")


@pytest.mark.parametrize("opponent", [None, "greedy"])
@pytest.mark.parametrize("name", ["gaiqi", "seven_kingdoms"])
def test_rollouts_agree_with_the_batch(name: str, opponent: str | None) -> None:
    options: dict[str, Any] = {"opponent": opponent, "max_plies": 30}
    env = DarkqiEnv(name, 5, **options)
    env.set_seed(7)
    played = env.rollout(70, break_when_any_done=False)
    assert played.shape == (5, 70)
    batch = darkqi.make(name, 5, seed=7, autoreset="disabled", **options)
    ts, ends, decided = batch.reset(), 0, 0
    for step in played.unbind(1):
        assert step["observation"].numpy().tobytes() == ts.observation.tobytes()
        assert step["action_mask"].numpy().tobytes() == ts.action_mask.tobytes()
        assert step["current_player"].tolist() == ts.current_player.tolist()
        assert step["action_mask"].gather(1, step["action"][:, None]).all()
        mover = ts.current_player.copy()
        ts, told = batch.step(step["action"].numpy()), step["next"]
        assert told["observation"].numpy().tobytes() == ts.observation.tobytes()
        assert told["rewards"].tolist() == ts.reward.tolist()
        assert told["reward"].squeeze(1).tolist() == ts.reward[range(5), mover].tolist()
        assert told["terminated"].squeeze(1).tolist() == ts.terminated.tolist()
        assert told["truncated"].squeeze(1).tolist() == ts.truncated.tolist()
        ended = ts.terminated | ts.truncated
        assert told["done"].squeeze(1).tolist() == ended.tolist()
        ends += int(ended.sum())
        decided += int(told["reward"].any())
        if ended.any():
            ts = batch.reset(lanes=ended)
    assert ends > 5
    assert decided > 0 or name == "seven_kingdoms"


@pytest.mark.parametrize("shape", [(3,), (3, 1)])
def test_partial_resets_leave_the_other_games(shape: tuple[int, ...]) -> None:
    env = DarkqiEnv("jieqi", 3, max_plies=20)
    env.set_seed(4)
    rows = env.reset()
    for _ in range(3):
        rows = env.step_mdp(env.rand_step(rows))
    before, fens = rows.clone(), [env.state(lane).fen() for lane in range(3)]
    rows["_reset"] = torch.tensor([False, True, False]).reshape(shape)
    after = env.reset(rows)
    assert [env.state(lane).ply for lane in range(3)] == [3, 0, 3]
    assert env.state(0).fen() == fens[0]
    for lane in (0, 2):
        assert torch.equal(after["observation"][lane], before["observation"][lane])
        assert torch.equal(after["action_mask"][lane], before["action_mask"][lane])
    assert not torch.equal(after["observation"][1], before["observation"][1])
    assert after["current_player"].tolist() == [1, 0, 1]
    assert torch.equal(env.action_spec.mask, after["action_mask"])


def actor(env: DarkqiEnv) -> ProbabilisticActor:
    """Returns a linear policy that chooses legal actions only."""
    torch.manual_seed(1)
    net = torch.nn.Sequential(
        torch.nn.Flatten(-3), torch.nn.LazyLinear(env.action_spec.space.n, dtype=torch.float32)
    )
    logits = TensorDictModule(
        lambda observation: net(observation.float()), in_keys=["observation"], out_keys=["logits"]
    )
    return ProbabilisticActor(
        logits,
        in_keys={"logits": "logits", "mask": "action_mask"},
        out_keys=["action"],
        spec=env.action_spec,
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )


# TorchRL defines subclasses of a class that it deprecates.
@pytest.mark.filterwarnings("ignore:Creating .* which inherits from WeightUpdaterBase")
def test_collectors_and_transforms_accept_it() -> None:
    from torchrl.collectors import Collector

    games = DarkqiEnv("gaiqi", 4, opponent="random", max_plies=30)
    env = TransformedEnv(games, Compose(ActionMask(), RewardSum()))
    env.set_seed(2)
    check_env_specs(env)
    # TorchRL's `RandomPolicy` has a copy of the spec, whose mask stays as it was.
    for policy in (lambda rows: env.rand_action(rows), actor(games)):
        collector = Collector(
            env,
            policy,
            frames_per_batch=120,
            total_frames=240,
            trust_policy=True,
            auto_register_policy_transforms=False,
        )
        batches = list(collector)
        collector.shutdown(close_env=False)
        assert [batch.shape for batch in batches] == [(4, 30), (4, 30)]
        ends = batches[1]["next", "done"]
        assert ends.any()
        assert not batches[1]["done"].any()
        returns = batches[1]["next", "episode_reward"][ends]
        assert set(returns.tolist()) <= {-1, 0, 1}


def test_batches_of_batches() -> None:
    several = SerialEnv(2, lambda: DarkqiEnv("flipping", 3, max_plies=12))
    envs = TransformedEnv(several, ActionMask())
    check_env_specs(envs, seed=3)
    assert envs.rollout(30, break_when_any_done=False).shape == (2, 3, 30)


def test_what_a_caller_writes_into_rows_changes_no_reward() -> None:
    env = DarkqiEnv("gaiqi", 1, illegal="forfeit")
    rows = env.reset()
    rows["current_player"].fill_(1)
    rows["action"] = torch.tensor([int((~rows["action_mask"][0]).nonzero()[0])])
    assert env.step(rows)["next", "reward"].item() == -1


def test_bad_input_is_named() -> None:
    # `mask` is a keyword of `darkqi.make`, but not of this.
    with pytest.raises(TypeError, match="unexpected keyword argument 'mask'"):
        DarkqiEnv("jieqi", 2, mask="bits")
    env = DarkqiEnv("jieqi", 2)
    rows = env.rand_action(env.reset())
    rows["_step"] = torch.tensor([True, False])
    with pytest.raises(NotImplementedError, match="_step: expected none"):
        env.step(rows)
    with pytest.raises(RuntimeError, match="expected reset to be called before"):
        DarkqiEnv("jieqi", 2).step(env.fake_tensordict())


@pytest.mark.parametrize(
    "settings", [{}, {"action_mask": "info"}, {"opponent": None, "max_plies": 9}], ids=str
)
def test_torchrls_own_wrapper_of_one_game(settings: dict[str, Any]) -> None:
    settings = {"opponent": "random", "max_plies": 20, **settings}
    made = GymEnv("darkqi.gymnasium:darkqi/Gaiqi-v0", **settings)
    wrapped = GymWrapper(Env("gaiqi", **settings), categorical_action_encoding=True)
    for env in (made, wrapped):
        check_env_specs(env, break_when_any_done="both")
        assert env.rollout(40, break_when_any_done=False)["next", "done"].any()


@pytest.mark.parametrize(
    ("mode", "mask"), [("Disabled", "observation"), ("Disabled", "info"), ("SameStep", "info")]
)
def test_torchrls_own_wrapper_of_the_native_batch(mode: str, mask: Any) -> None:
    # Unmasked random actions forfeit most games at once, all lanes at different times.
    games = VectorEnv(
        "gaiqi", 4, opponent="random", autoreset_mode=mode, action_mask=mask, max_plies=20
    )
    env = GymWrapper(games, categorical_action_encoding=True)
    check_env_specs(env, break_when_any_done="both")
    played = env.rollout(30, break_when_any_done=False)
    assert played.shape == (4, 30)
    assert played["next", "done"].any()
    assert not played["done"].any()


def test_torchrl_refuses_next_step_resets() -> None:
    with pytest.raises(RuntimeError, match="must be one of SAME_STEP or DISABLED"):
        GymWrapper(VectorEnv("gaiqi", 2))
    assert VectorEnv("gaiqi", 2).autoreset_mode is gymnasium.vector.AutoresetMode.NEXT_STEP


def test_rows_stay_as_they_are() -> None:
    env = DarkqiEnv("jieqi", 2)
    rows = env.reset()
    kept, copied = rows["observation"], rows["observation"].clone()
    for _ in range(4):
        rows = env.step_mdp(env.rand_step(rows))
    assert torch.equal(kept, copied)
