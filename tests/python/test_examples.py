"""The examples train, write checkpoints that play legally, and compute correctly."""

import importlib
import math
import re
import shlex
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from test_pages import ROOT

import darkqi
import darkqi.datasets

torch = pytest.importorskip("torch", reason="PyTorch is large")
accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")

TINY = shlex.split(
    "--game gaiqi --set max_plies=12 --lanes 8 --steps 16 --minibatch 32 --width 4"
    " --evaluations 2 --games 16"
)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that imports an example by its name."""
    monkeypatch.syspath_prepend(ROOT / "python" / "examples")
    return importlib.import_module


@pytest.fixture
def ppo(example: Any) -> ModuleType:
    """Return the example of PPO in one file."""
    module: ModuleType = example("ppo")
    return module


def scalars(folder: Path) -> dict[str, list[float]]:
    """Read the TensorBoard scalars of a run."""
    found = {}
    for file in folder.rglob("events.out.tfevents.*"):
        events = accumulator.EventAccumulator(str(file))
        events.Reload()
        for tag in events.Tags()["scalars"]:
            found[tag] = [event.value for event in events.Scalars(tag)]
    return found


def test_advantages_change_sign_with_the_mover(ppo: ModuleType) -> None:
    # The movers of the first lane alternate, and it is won. The second has one mover and is
    # truncated after two plies, with a bootstrap value of 0.4. Computed by hand, last ply first.
    value = torch.tensor([[0.2, 0.2], [-0.8, 0.4], [0.6, 0.1], [9.0, 0.3]])
    mover = torch.tensor([[0, 1], [1, 1], [0, 1], [1, 1]], dtype=torch.int8)
    reward = torch.tensor([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    ended = torch.tensor([[False, False], [False, True], [True, False]])
    bootstrap_value = torch.tensor([[0.0, 0.0], [0.0, 0.4], [0.0, 0.0]])
    found = ppo.advantages(reward, value, mover, ended, bootstrap_value, gamma=0.5, lam=0.5)
    # 1 - 0.6 | 0.5 * -0.6 + 0.8 - 0.25 * 0.4 | 0.5 * 0.8 - 0.2 - 0.25 * 0.4
    # 0.5 * 0.3 - 0.1 | 0.5 * 0.4 - 0.4 | 0.5 * 0.4 - 0.2 - 0.25 * 0.2
    expected = torch.tensor([[0.1, -0.05], [0.4, -0.2], [0.4, 0.05]])
    assert torch.allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("game", ["flipping", "jieqi", "gaiqi", "banqi", "mystery"])
def test_legal_actions_have_the_probabilities_of_a_masked_softmax(
    ppo: ModuleType, game: str
) -> None:
    spec, env = darkqi.spec(game), darkqi.make(game, 6, seed=1, observation="tokens")
    ts = env.reset()
    for _ in range(20):
        ts = env.step(env.sample_actions())
    torch.manual_seed(1)
    policy = ppo.Policy(spec, 8)
    for weights in policy.parameters():
        torch.nn.init.normal_(weights, std=0.3)
    tokens, mask = torch.from_numpy(ts.observation), torch.from_numpy(ts.action_mask)
    # No square has a token without a row of its own.
    assert int(tokens[:, : policy.squares].max()) < policy.pieces
    with torch.no_grad():
        logits, values = policy(tokens)
        legal, again = policy.legal(tokens, mask)
    assert torch.equal(values, again)
    expected = logits.masked_fill(~mask, -torch.inf).log_softmax(1)
    assert torch.equal(torch.stack([legal.position, legal.action], 1), mask.nonzero())
    assert torch.allclose(legal.log_prob, expected[mask], atol=1e-4)


def test_actions_are_drawn_by_their_probabilities(ppo: ModuleType) -> None:
    mask = torch.tensor([True, False, True, True]).expand(20_000, 4)
    log_probs = torch.tensor([0.5, 0.2, 0.3]).log()
    legal = ppo.Legal(*mask.nonzero(as_tuple=True), log_probs.repeat(20_000))
    torch.manual_seed(1)
    action, log_prob = ppo.sample(legal, mask)
    shares = torch.bincount(action, minlength=4) / len(action)
    # Four standard errors of a share of one half.
    assert torch.allclose(shares, torch.tensor([0.5, 0.0, 0.2, 0.3]), atol=0.015)
    assert torch.allclose(log_prob.exp(), torch.tensor([0.5, 0.0, 0.2, 0.3])[action])


@pytest.mark.parametrize("game", ["flipping", "jieqi", "gaiqi"])
def test_reflected_positions_have_the_reflected_actions(ppo: ModuleType, game: str) -> None:
    spec, state = darkqi.spec(game), darkqi.State(game, seed=3)
    rng = np.random.default_rng(3)
    first, *reflections = ppo.reflections(spec)
    assert reflections
    while not state.is_terminal and state.ply < 30:
        tokens, mask = torch.from_numpy(state.observation(format="tokens")), state.action_mask()
        assert torch.equal(tokens[first.tokens], tokens)
        for reflection in reflections:
            actions = torch.from_numpy(np.flatnonzero(mask))
            assert mask[reflection.actions][reflection.actions[actions]].all()
            # What leaves a square leaves its image.
            image = tokens[reflection.tokens]
            source = torch.from_numpy(spec.action_squares.astype(np.int64))[:, 0]
            assert torch.equal(image[source[reflection.actions[actions]]], tokens[source[actions]])
        state.apply(rng.choice(state.legal_actions()))


@pytest.mark.parametrize(
    ("game", "own", "covered"), [("flipping", 7, None), ("jieqi", 7, 14), ("gaiqi", 7, None)]
)
def test_logits_belong_to_the_squares_of_their_actions(
    example: Any, game: str, own: int, covered: int | None
) -> None:
    pytest.importorskip("sb3_contrib")
    # The only feature is own pieces. The logit of a step is then 1 if it goes from an own piece to
    # a square without one, else 0. The logit of a flip is 1 on a square without an own piece.
    spec, state = darkqi.spec(game), darkqi.State(game, seed=3)
    head = example("maskable_ppo").ActionHead(spec, 1)
    for layer, weight, bias in ((head.source, 1, 0), (head.target, -1, 1), (head.flip, -1, 1)):
        torch.nn.init.constant_(layer.weight, weight)
        torch.nn.init.constant_(layer.bias, bias)
    rng = np.random.default_rng(3)
    while not state.is_terminal and state.ply < 30:
        planes = state.observation()
        mine = planes[:own].sum(axis=0) + (0 if covered is None else planes[covered])
        with torch.no_grad():
            logits = head(torch.from_numpy(mine.astype(np.float32))[None, None])[0].numpy()
        legal = state.legal_actions()
        assert (logits[legal] == 1).all()
        assert (logits == 0).any()
        state.apply(rng.choice(legal))


@pytest.mark.parametrize(
    ("opponents", "steps", "sign"), [("", 4, -1), ("--opponents random --opponent-share 1", 2, 1)]
)
def test_a_truncated_game_has_the_expected_value_of_its_end(
    ppo: ModuleType, opponents: str, steps: int, sign: int
) -> None:
    # The game ends after two plies of each side, before a ply of seat 0 (red).
    setting = f"--game flipping --set max_plies=4 --lanes 6 --past-share 0 {opponents}"
    args = ppo.parse(shlex.split(setting))
    spec = darkqi.spec("flipping")
    # With few units all of them may be 0 for all positions.
    torch.manual_seed(1)
    policy, table, rollout = (
        ppo.Policy(spec, 32),
        ppo.Collector(args, seed=1),
        ppo.Rollout(steps, 6, spec),
    )
    table.play(policy, policy, rollout)
    assert rollout.ended.tolist() == [*[[False] * 6] * (steps - 1), [True] * 6]
    assert not rollout.reward.any()
    assert not rollout.bootstrap_value[:-1].any()
    with torch.inference_mode():
        _, values = policy(table.rows["final_observation"])
        expected = sign * values
    assert rollout.bootstrap_value[-1].tolist() == pytest.approx(expected.tolist())
    assert len(set(expected.tolist())) > 1


def test_past_policies_play_their_seats_and_are_not_trained_on(ppo: ModuleType) -> None:
    args = ppo.parse(shlex.split("--game gaiqi --lanes 8 --past-share 0.5"))
    spec = darkqi.spec("gaiqi")
    policy, table, rollout = (
        ppo.Policy(spec, 4),
        ppo.Collector(args, seed=1),
        ppo.Rollout(40, 8, spec),
    )
    asked = 0

    class Past:
        """It plays the first legal action."""

        def legal(self, tokens: Any, mask: Any) -> tuple[Any, None]:
            nonlocal asked
            asked += len(tokens)
            position, action = mask.nonzero(as_tuple=True)
            return ppo.Legal(position, action, -1e4 * action), None

    table.play(policy, Past(), rollout)
    learns = rollout.learns
    assert learns[:, 4:].all()
    assert torch.equal(learns[:, :4], rollout.mover[:-1, :4] == torch.tensor([0, 1, 0, 1]))
    assert asked == (~learns).sum() > 0
    first = rollout.mask.to(torch.uint8).argmax(-1)
    assert torch.equal(rollout.action[~learns], first[~learns])
    assert not torch.equal(rollout.action[learns], first[learns])


def test_the_truth_changes_what_the_critic_says_and_not_what_the_policy_does(
    ppo: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    args, spec = ppo.parse([*TINY, "--critic", "truth"]), darkqi.spec("gaiqi", max_plies=12)
    rollouts = []
    for shuffled in (False, True):
        torch.manual_seed(1)
        policy, critic = ppo.Policy(spec, 8), ppo.Critic(spec, 8)
        torch.nn.init.normal_(critic.head.weight)
        table, rollout = ppo.Collector(args, seed=1), ppo.Rollout(16, 8, spec)
        if shuffled:
            # Other pieces lie covered.
            truth = table.games.covered_pieces
            monkeypatch.setattr(table.games, "covered_pieces", lambda truth=truth: truth().flip(1))
        table.play(policy, policy, rollout, critic)
        rollouts.append(rollout)
    told, lied_to = rollouts
    assert torch.equal(told.action, lied_to.action)
    assert torch.equal(told.log_prob, lied_to.log_prob)
    assert not torch.allclose(told.value, lied_to.value)
    # Nor can the policy learn it from layers that both have.
    both = [*policy.parameters(), *critic.parameters()]
    assert len(set(map(id, both))) == len(both)


def test_a_critic_that_sees_the_truth_learns_what_observations_do_not_tell(
    ppo: ModuleType,
) -> None:
    # Who owns the piece under the first square decides the result.
    env = darkqi.make("banqi", 4096, seed=1, observation="tokens")
    env.reset()
    tokens = torch.from_numpy(env.step(env.sample_actions()).observation)
    covered = torch.from_numpy(env.covered_pieces())
    tokens, covered = tokens[covered[:, 0] > 0], covered[covered[:, 0] > 0]
    own = [name.startswith("own") for name in ["", *env.spec.plane_names]]
    result = torch.where(torch.tensor(own)[covered[:, 0].long()], 1.0, -1.0)
    torch.manual_seed(1)
    policy, critic = ppo.Policy(env.spec, 16), ppo.Critic(env.spec, 16)
    optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=0.01)

    def errors(rows: slice) -> list[Any]:
        found = (policy.value(tokens[rows]), critic(tokens[rows], covered[rows]))
        return [(value - result[rows]).square().mean() for value in found]

    for start in 3 * list(range(0, 3072, 128)):
        optimizer.zero_grad()
        sum(errors(slice(start, start + 128))).backward()
        optimizer.step()
    with torch.no_grad():
        blind, seeing = errors(slice(3072, None))
    assert seeing < 0.5 < 0.9 < blind


def test_an_update_makes_winning_actions_more_probable(ppo: ModuleType) -> None:
    args = ppo.parse([*TINY, "--learning-rate", "0.01"])
    torch.manual_seed(0)
    spec = darkqi.spec(args.game, **args.options)
    policy, rollout = ppo.Policy(spec, 4), ppo.Rollout(16, 8, spec)
    ppo.Collector(args, seed=1).play(policy, policy, rollout)
    # An action of the lower half wins at once, every other loses.
    low = rollout.action < rollout.action.median()
    rollout.reward = torch.where(low, 1.0, -1.0)
    rollout.ended[:] = True
    rollout.bootstrap_value[:] = 0

    def log_prob() -> Any:
        with torch.no_grad():
            logits, _ = policy(rollout.tokens.flatten(0, 1))
        mask = rollout.mask.flatten(0, 1)
        log_probs = logits.masked_fill(~mask, -torch.inf).log_softmax(-1)
        return log_probs.gather(-1, rollout.action.flatten()[:, None]).reshape(low.shape)

    before = log_prob()
    assert torch.allclose(before, rollout.log_prob, atol=1e-5)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
    ppo.update(policy, optimizer, rollout, args, args.entropy)
    change = log_prob() - before
    assert change[low & rollout.learns].mean() > 0 > change[~low & rollout.learns].mean()


def test_intervals_agree_with_wilson(ppo: ModuleType) -> None:
    # 60 of 100: (0.6 + 0.019208 -+ 1.96 sqrt(0.0024 + 0.00009604)) / 1.038416
    assert ppo.score(60, 100) == pytest.approx((0.6, 0.502003, 0.690599), abs=1e-5)
    assert ppo.score(100, 100).high == pytest.approx(1)


def test_evaluation_counts_both_seats_and_draws_as_halves(ppo: ModuleType) -> None:
    # No game is decided in two plies.
    def first(_: Any, mask: Any) -> Any:
        return mask.argmax(axis=1)

    assert ppo.evaluate(first, "jieqi", "random", 32, 1, max_plies=2).mean == 0.5
    # The first two actions are random.
    asked = []
    plies = darkqi.spec("flipping").plane_names.index("plies played")

    def noting(planes: Any, mask: Any) -> Any:
        asked.append(planes[:, plies, 0, 0].min())
        return first(planes, mask)

    ppo.evaluate(noting, "flipping", "random", 16, 1, "planes", max_plies=8)
    assert min(asked) == 4
    # Random play against random play.
    rng = np.random.default_rng(1)

    def any_legal(_: Any, mask: Any) -> Any:
        return np.array([rng.choice(np.flatnonzero(row)) for row in mask])

    found = ppo.evaluate(any_legal, "gaiqi", "random", 320, 1)
    assert found.low < 0.5 < found.high


@pytest.mark.parametrize("setting", ["", "--critic truth", "--opponents greedy random"])
def test_ppo_trains(ppo: ModuleType, tmp_path: Path, setting: str) -> None:
    more = [*shlex.split(setting), "--total-plies", "512", "--out", str(tmp_path)]
    ppo.train(ppo.parse([*TINY, *more]))
    logged = scalars(tmp_path)
    assert (np.array(logged["loss/critic"]) > 0).all() == ("truth" in setting)
    for name in ("policy", "value", "critic", "entropy"):
        assert len(logged[f"loss/{name}"]) == 4
        assert all(map(math.isfinite, logged[f"loss/{name}"]))
    assert len(logged["greedy/mean"]) == 2
    policy, game, options = ppo.load(tmp_path / "policy.pt")
    assert (game, options) == ("gaiqi", {"max_plies": "12"})
    table = (tmp_path / "scores.csv").read_text().splitlines()
    assert len(table) == 1 + 2 * len(ppo.BASELINES)
    # An illegal action would raise.
    played = ppo.evaluate(ppo.chooser(policy), game, "random", 16, 3, **options)
    assert played.low <= played.mean <= played.high


def test_the_exported_policy_plays_natively(ppo: ModuleType, tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime")
    ppo.train(ppo.parse([*TINY, "--total-plies", "256", "--out", str(tmp_path)]))
    file = tmp_path / "policy.onnx"
    policy, game, options = ppo.load(tmp_path / "policy.pt")
    env = darkqi.make(game, 5, seed=1, observation="tokens", **options)
    tokens = env.reset().observation
    session = runtime.InferenceSession(file)
    # What lies covered is no input.
    assert [given.name for given in session.get_inputs()] == ["observation"]
    logits, values = session.run(None, {"observation": tokens})
    with torch.no_grad():
        expected = policy(torch.from_numpy(tokens))
    assert torch.allclose(torch.from_numpy(logits), expected[0], atol=1e-5)
    assert torch.allclose(torch.from_numpy(values), expected[1], atol=1e-5)
    results = darkqi.arena(game, [f"onnx:{file},temperature=1", "random"], 8, seed=1, **options)
    assert results.pairs[0].games == 8


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
    # Nothing is left to do, and other settings are refused.
    ppo.train(args(512))
    again = torch.load(tmp_path / "policy.pt", weights_only=True)
    assert again["cpu_seconds"] == second["cpu_seconds"]
    with pytest.raises(SystemExit, match="is of a run with width 4, not 8"):
        ppo.train(args(512, "--width", "8"))


def test_the_same_seed_gives_the_same_policy(ppo: ModuleType, tmp_path: Path) -> None:
    weights = []
    for name in ("first", "second"):
        ppo.train(ppo.parse([*TINY, "--total-plies", "256", "--out", str(tmp_path / name)]))
        weights.append(torch.load(tmp_path / name / "policy.pt", weights_only=True)["policy"])
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


@pytest.mark.parametrize("fen", ["8/8/~p~P6/K7 1 r - 0 0", "8/8/p~P6/~c7 2 r - 0 0"])
def test_best_responses_agree_with_plain_expectiminimax(example: Any, fen: str) -> None:
    exploitability, limit = example("exploitability"), 2
    ending = exploitability.Ending(fen, limit)
    uniform = ending.chances(exploitability.uniform)

    def value(state: darkqi.State, at_random: set[int]) -> float:
        """Return the expected result of seat 0; who is not at random plays the best action."""
        if state.is_terminal:
            return float(state.rewards()[0])
        worth = []
        for action in state.legal_actions():
            worth.append(0.0)
            for reveal in state.reveals(action):
                after = state.arrange(action, reveal)
                after.apply(action)
                worth[-1] += reveal.probability * value(after, at_random)
        seat = state.current_player
        if seat in at_random:
            return sum(worth) / len(worth)
        return max(worth) if seat == 0 else min(worth)

    first = darkqi.State.from_fen("banqi", fen, repetition="off", quiet_limit=limit)
    expected = [value(first, seats) for seats in (set(), {0}, {1}, {0, 1})]
    found = [
        ending.value(),
        ending.value(first=uniform),
        ending.value(second=uniform),
        ending.value(uniform, uniform),
    ]
    assert found == pytest.approx(expected)
    assert exploitability.exploitability(ending, exploitability.uniform) == pytest.approx(
        (expected[2] - expected[1]) / 2
    )
    assert len(set(expected)) > 2


def test_a_policy_of_another_game_has_no_exploitability(
    example: Any, ppo: ModuleType, tmp_path: Path
) -> None:
    ppo.train(ppo.parse([*TINY, "--total-plies", "256", "--out", str(tmp_path)]))
    with pytest.raises(SystemExit, match="is a policy of gaiqi, expected one of banqi"):
        example("exploitability").trained(tmp_path / "policy.pt")


def test_an_ending_with_too_many_positions_is_refused(
    example: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    exploitability = example("exploitability")
    monkeypatch.setattr(exploitability, "MOST_POSITIONS", 100)
    with pytest.raises(SystemExit, match=r"--fen '8/2~p5/.*': more than 100 positions"):
        exploitability.Ending(exploitability.ENDINGS[0], 4)


def test_games_with_more_players_are_refused(
    ppo: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        ppo.parse(["--game", "seven_kingdoms"])
    assert "invalid choice: 'seven_kingdoms'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("--opponent-share 1.5", "--opponent-share 1.5: expected 0 to 1"),
        ("--opponents greedy random --lanes 4", "0.3 of 4 lanes: expected a lane for each of 2"),
    ],
)
def test_every_opponent_has_a_lane(
    ppo: ModuleType, capsys: pytest.CaptureFixture[str], setting: str, message: str
) -> None:
    with pytest.raises(SystemExit):
        ppo.parse(shlex.split(setting))
    assert message in capsys.readouterr().err
    args = ppo.parse(shlex.split("--opponents greedy random --lanes 8"))
    assert [env.num_envs for env in ppo.Games(args, 1).envs] == [6, 1, 1]


def test_maskable_ppo_trains(example: Any, tmp_path: Path) -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib")
    maskable_ppo, ppo = example("maskable_ppo"), example("ppo")
    maskable_ppo.train(maskable_ppo.parse([*TINY, "--total-steps", "256", "--out", str(tmp_path)]))
    logged = scalars(tmp_path)
    assert all(map(math.isfinite, logged["train/loss"]))
    assert len(logged["greedy/mean"]) == 2
    model = sb3_contrib.MaskablePPO.load(tmp_path / "model.zip", device="cpu")
    ppo.evaluate(maskable_ppo.chooser(model), "gaiqi", "random", 16, 3, "planes", max_plies=12)


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
    assert found["games"] + found["forward"] + found["learning"] == pytest.approx(1)


@pytest.mark.parametrize("game", ["banqi", "flipping", "gaiqi", "jieqi", "mystery"])
def test_a_baseline_computes_on_planes_what_the_policy_does_on_tokens(
    example: Any, tmp_path: Path, game: str
) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    baseline, ppo = example("baseline"), example("ppo")
    torch.manual_seed(1)
    policy = ppo.Policy(darkqi.spec(game), 16)
    for weights in policy.parameters():
        torch.nn.init.normal_(weights, std=0.2)
    checkpoint = tmp_path / "policy.pt"
    settings = {"game": game, "options": {}, "width": 16}
    torch.save({"settings": settings, "policy": policy.state_dict()}, checkpoint)
    baseline.main([str(checkpoint), "--out", str(tmp_path)])
    session = onnxruntime.InferenceSession((tmp_path / f"{game}.onnx").read_bytes())
    module = baseline.OnPlanes(policy, darkqi.spec(game))
    envs = [darkqi.make(game, 16, 1, observation=rows) for rows in ("planes", "tokens")]
    planes, tokens = (env.reset() for env in envs)
    for _ in range(60):
        with torch.inference_mode():
            logits, value = policy(torch.from_numpy(tokens.observation))
            found = module(torch.from_numpy(planes.observation))
        assert torch.equal(found[0], logits)
        assert torch.equal(found[1].squeeze(1), value)
        # Weights of half precision.
        stored = session.run(None, {"observation": planes.observation})
        np.testing.assert_allclose(stored[0], logits, atol=0.05)
        np.testing.assert_allclose(stored[1][:, 0], value, atol=0.05)
        actions = envs[0].sample_actions()
        planes, tokens = (env.step(actions) for env in envs)
    assert logits.std() > 0.5


def test_gumbel_learns_and_goes_on_where_it_was_interrupted(
    example: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    gumbel, ppo = example("gumbel"), example("ppo")
    tiny = shlex.split(
        "--game gaiqi --set max_plies=12 --generations 2 --games 8 --search sims=2,root=gumbel"
        " --batch 16 --width 4 --match-games 2 --every 2"
    )

    def args(folder: str, *more: str) -> Any:
        return gumbel.parse([*tiny, "--out", str(tmp_path / folder), *more])

    def saved(folder: str) -> dict[str, Any]:
        found: dict[str, Any] = torch.load(tmp_path / folder / "policy.pt", weights_only=True)
        return found

    gumbel.train(args("whole"))
    whole, first = saved("whole"), ppo.load(tmp_path / "whole" / "policy.pt")
    assert (whole["generation"], first[1], first[2]) == (2, "gaiqi", {"max_plies": "12"})
    assert whole["plies"] == sum(
        darkqi.datasets.load(tmp_path / f"whole/games/00{generation}").num_plies
        for generation in (1, 2)
    )
    logged = scalars(tmp_path / "whole")
    assert all(map(math.isfinite, [*logged["loss/policy"], *logged["loss/value"]]))
    # The net plays after each generation, the first net has nobody to be compared with; with search
    # the last one plays.
    assert len(logged["greedy/mean"]) == 3
    assert len(logged["first net/mean"]) == 2
    assert len(logged["greedy, with search/mean"]) == 2
    table = (tmp_path / "whole" / "scores.csv").read_text().splitlines()
    assert len(table) == 1 + 6 + 4 + 8

    # The games of the second generation are played, and its fit is lost.
    fit = gumbel.fit

    def interrupted(run: Any, args: Any) -> tuple[float, float]:
        found: tuple[float, float] = fit(run, args)
        if run.generation == 1:
            raise KeyboardInterrupt
        return found

    with monkeypatch.context() as patch:
        patch.setattr(gumbel, "fit", interrupted)
        with pytest.raises(KeyboardInterrupt):
            gumbel.train(args("parts"))
    assert saved("parts")["generation"] == 1
    gumbel.train(args("parts"))
    parts = saved("parts")
    assert parts["plies"] == whole["plies"]
    assert all(
        torch.equal(parts["policy"][name], whole["policy"][name]) for name in parts["policy"]
    )
    results = [(tmp_path / folder / "scores.csv").read_text() for folder in ("parts", "whole")]
    assert len({re.sub(r"(?m)^(\d+,\d+),[^,]+,[^,]+", r"\1", text) for text in results}) == 1
    nets = [(tmp_path / folder / "policy.onnx").read_bytes() for folder in ("parts", "whole")]
    assert nets[0] == nets[1]
    # Nothing is left to do, and other settings are refused.
    gumbel.train(args("parts"))
    assert saved("parts")["seconds"] == parts["seconds"]
    with pytest.raises(SystemExit, match="is of a run with search sims=2,root=gumbel, not sims=4"):
        gumbel.train(args("parts", "--search", "sims=4"))


def test_gumbel_starts_from_a_checkpoint_of_ppo(example: Any, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    gumbel, ppo = example("gumbel"), example("ppo")
    ppo.train(ppo.parse([*TINY, "--total-plies", "128", "--out", str(tmp_path / "ppo")]))
    checkpoint = tmp_path / "ppo" / "policy.pt"
    settings = shlex.split(f"--start {checkpoint} --generations 0 --match-games 2 --search sims=2")
    here = shlex.split("--game gaiqi --set max_plies=12")
    gumbel.train(gumbel.parse([*settings, *here, "--out", str(tmp_path / "gumbel")]))
    one, other = (ppo.load(tmp_path / name / "policy.pt")[0] for name in ("ppo", "gumbel"))
    weights = zip(one.parameters(), other.parameters(), strict=True)
    assert all(torch.equal(mine, its) for mine, its in weights)
    with pytest.raises(SystemExit, match=r"is a net of gaiqi with options .*, expected banqi"):
        gumbel.train(gumbel.parse([*settings, "--game", "banqi", "--out", str(tmp_path / "other")]))


def test_gumbel_begins_with_the_games_of_a_teacher(
    example: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    gumbel = example("gumbel")
    settings = shlex.split(
        "--game gaiqi --set max_plies=12 --games 8 --search sims=2,root=gumbel --batch 16 --width 4"
        " --match-games 2 --teacher expectimax:depth=1,net=none,epsilon=0.5 --teacher-games 20"
    )

    def args(*more: str) -> Any:
        return gumbel.parse([*settings, "--out", str(tmp_path / "run"), *more])

    fitted, batches = [], gumbel.batches

    def recorded(folders: list[Path], *rest: Any) -> Any:
        fitted.append([folder.name for folder in folders])
        return batches(folders, *rest)

    monkeypatch.setattr(gumbel, "batches", recorded)
    gumbel.train(args("--generations", "3"))
    # As many passes as the games of other generations get in the window of four.
    assert fitted == [*4 * [["001"]], ["002"], ["002", "003"]]
    taught, own = (darkqi.datasets.load(tmp_path / f"run/games/00{number}") for number in (1, 2))
    assert (taught.num_games, own.num_games) == (20, 8)
    values = taught.plies.select("action", "value").collect()["value"]
    rows = list(batches([tmp_path / "run/games/001"], args(), 0))
    assert sum(len(part.value) for part in rows) == values.is_not_null().sum() < len(values)
    for part in rows:
        assert torch.equal(part.policy.max(1).values, torch.ones(len(part.value)))
        assert torch.equal(part.policy.sum(1), torch.ones(len(part.value)))
        assert part.mask[part.policy > 0].all()

    with pytest.raises(SystemExit, match="games/001 has no values of positions to fit to"):
        gumbel.train(args("--teacher", "greedy", "--out", str(tmp_path / "greedy")))


def test_gumbel_fits_to_the_improved_policies_and_values(example: Any, tmp_path: Path) -> None:
    gumbel, ppo = example("gumbel"), example("ppo")
    spec = darkqi.spec("gaiqi")
    with darkqi.make("gaiqi", 16, 1, observation="tokens", log=tmp_path / "games") as env:
        ts = env.reset()
        for _ in range(60):
            # The last legal action is the best one, and wins for seat 0.
            best = ts.action_mask.shape[1] - 1 - ts.action_mask[:, ::-1].argmax(axis=1)
            policy = np.zeros(ts.action_mask.shape, np.float32)
            policy[np.arange(16), best] = 1
            value = np.tile(np.array([1, -1], np.float32), (16, 1))
            ts = env.step(env.sample_actions(), value, policy)
    args = gumbel.parse(shlex.split("--game gaiqi --result-weight 0 --batch 64"))
    torch.manual_seed(1)
    net, seen = ppo.Policy(spec, 16), 0
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    totals = []
    for epoch in range(4):
        total, seen = 0.0, 0
        for rows in gumbel.batches([tmp_path / "games"], args, epoch):
            assert torch.equal(
                rows.policy.argmax(1), (rows.mask * torch.arange(spec.num_actions)).argmax(1)
            )
            assert set(rows.value.tolist()) <= {1.0, -1.0}
            loss = sum(gumbel.losses(net, rows))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total, seen = total + loss.item() * len(rows.value), seen + len(rows.value)
        totals.append(total / seen)
    assert seen == darkqi.datasets.load(tmp_path / "games").num_plies
    assert totals[-1] < 0.7 * totals[0]


def test_the_curve_is_drawn_from_the_log(example: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from torch.utils.tensorboard import SummaryWriter

    curve = example("curve")
    run = tmp_path / "banqi"
    with SummaryWriter(run) as writer:
        for step, mean in ((1000, 0.25), (2000, 0.75)):
            for name, value in (("mean", mean), ("low", mean - 0.1), ("high", mean + 0.1)):
                writer.add_scalar(f"expectimax:depth=1/{name}", value, step)
    found = curve.curves(run)["expectimax:depth=1"]
    assert found["mean"] == [(1000, 0.25), (2000, 0.75)]
    assert found["low"] == [(1000, pytest.approx(0.15)), (2000, pytest.approx(0.65))]
    curve.plot([run], tmp_path / "curve.svg")
    picture = (tmp_path / "curve.svg").read_text(encoding="utf-8")
    assert "against expectimax:depth=1" in picture
    curve.plot([run], tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text(encoding="utf-8") == picture
    with pytest.raises(SystemExit, match="expected a folder with evaluations"):
        curve.curves(tmp_path / "nothing")
