"""`ppo.py` computes correctly, trains, and goes on."""

import logging
import math
import shlex
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from learners import TINY, scalars

import darkqi
import darkqi.onnx

torch = pytest.importorskip("torch", reason="PyTorch is large")


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


def played(game: str, lanes: int, plies: int, seed: int) -> tuple[Any, Any]:
    """Returns the tokens and masks of lanes after random plies."""
    env = darkqi.make(game, lanes, seed, observation="tokens")
    ts = env.reset()
    for _ in range(plies):
        ts = env.step(env.sample_actions())
    return torch.from_numpy(ts.observation), torch.from_numpy(ts.action_mask)


def random_policy(ppo: ModuleType, game: str, attacks: bool, seed: int) -> Any:
    """Returns a small policy in which every weight counts."""
    torch.manual_seed(seed)
    policy = ppo.Policy(darkqi.spec(game), 8, attacks)
    for weights in policy.parameters():
        torch.nn.init.normal_(weights, std=0.3)
    return policy


@pytest.mark.parametrize("attacks", [False, True])
@pytest.mark.parametrize("game", ["flipping", "jieqi", "gaiqi", "banqi", "mystery"])
def test_legal_actions_have_the_probabilities_of_a_masked_softmax(
    ppo: ModuleType, game: str, attacks: bool
) -> None:
    policy = random_policy(ppo, game, attacks, seed=1)
    tokens, mask = played(game, lanes=6, plies=20, seed=1)
    # No square has a token without a row of its own.
    assert int(tokens[:, : policy.squares].max()) < policy.pieces
    with torch.no_grad():
        logits, values = policy(tokens, mask)
        legal, again = policy.legal(tokens, mask)
    assert torch.equal(values, again)
    assert (logits[~mask] == 0).all()
    for row in range(6):
        with torch.no_grad():
            alone, value = policy(tokens[row : row + 1], mask[row : row + 1])
        assert torch.allclose(alone[0], logits[row], rtol=1e-4, atol=1e-4)
        assert value == pytest.approx(values[row].item(), abs=1e-5)
    expected = logits.masked_fill(~mask, -torch.inf).log_softmax(1)
    assert torch.equal(torch.stack([legal.position, legal.action], 1), mask.nonzero())
    assert torch.allclose(legal.log_prob, expected[mask], atol=1e-4)


@pytest.mark.parametrize("game", ["flipping", "jieqi", "gaiqi"])
def test_prospects_are_sums_of_what_the_rules_say(ppo: ModuleType, game: str) -> None:
    spec, policy = darkqi.spec(game), random_policy(ppo, game, attacks=True, seed=2)
    tokens, mask = played(game, lanes=6, plies=25, seed=5)
    with torch.no_grad():
        whole, _ = policy(tokens, mask)
        units, _, _ = policy.trunk(tokens)
        head, policy.prospects = policy.prospects, None
        rest, _ = policy(tokens, mask)
    many, boards = policy.pieces, tokens[:, : policy.squares].numpy().astype(int)
    actions = {tuple(ends): action for action, ends in enumerate(spec.action_squares.tolist())}
    names, in_danger = spec.plane_names, 0

    def attacked(board: Any, piece: int, source: int, target: int) -> bool:
        action = actions.get((source, target))
        if piece == 0 or action is None or source == target:
            return False
        path = spec.action_paths[action]
        between = (board[path[path >= 0]] > 0).sum()
        return bool(spec.attacks[piece - 1, action] == 1 + between)

    for row, action in mask.nonzero().tolist():
        board, (source, target) = boards[row], spec.action_squares[action].tolist()
        mover, taken = board[source], board[target]
        moved = 1 + spec.moved_pieces[mover - 1]
        squares = range(policy.squares)
        on_source, on_target = (
            {board[square] for square in squares if attacked(board, board[square], square, end)}
            for end in (source, target)
        )
        seen = [board[square] for square in squares if attacked(board, moved, target, square)]
        after = board.copy()
        after[source] = 0
        after[target] = moved or mover
        general = np.flatnonzero(after == 1)
        threats = {
            after[square]
            for square in squares
            if after[square] > 0
            and names[after[square] - 1].startswith("enemy")
            and any(attacked(after, after[square], square, int(end)) for end in general)
        }
        in_danger += bool(threats)
        with torch.no_grad():
            sums = head.of_position(units[row]) + head.of_pieces.weight[many * mover + taken]
            sums += head.of_source.weight[source] + head.of_target.weight[many * target + mover]
            sums += sum(head.on_source.weight[:, piece] for piece in on_source)
            sums += sum(head.on_target.weight[:, piece] for piece in on_target)
            if head.danger is not None:
                sums += sum(head.danger.units.weight[:, piece] for piece in threats)
            sums += sum(head.from_target.weight[many * moved + piece] for piece in seen if piece)
            expected = head.middle(sums.relu()).relu() @ head.weights(units[row])
            expected -= head.danger.cost if threats else 0
        found = whole[row, action] - rest[row, action]
        assert found.item() == pytest.approx(expected.item(), rel=1e-3, abs=1e-3)
    # The other games forbid it.
    assert (in_danger > 0) == (head.danger is not None) == (game == "gaiqi")


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
        expected = sign * policy.value(table.groups[0].rows["final_observation"])
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


def test_groups_fill_their_lanes(ppo: ModuleType) -> None:
    setting = (
        "--game gaiqi --set max_plies=12 --lanes 12 --groups 3 --past-share 0 --opponents random"
    )
    args = ppo.parse(shlex.split(setting))
    policy = random_policy(ppo, "gaiqi", attacks=False, seed=1)
    table, rollout = ppo.Collector(args, seed=1), ppo.Rollout(30, 12, darkqi.spec("gaiqi"))
    table.play(policy, policy, rollout)
    with torch.no_grad():
        legal, value = policy.legal(rollout.tokens.flatten(0, 1), rollout.mask.flatten(0, 1))
    chosen = legal.action == rollout.action.flatten()[legal.position]
    assert torch.allclose(legal.log_prob[chosen], rollout.log_prob.flatten(), atol=1e-4)
    assert torch.allclose(value, rollout.value[:-1].flatten(), atol=1e-5)
    # The fourth lane of each group meets the agent, which has its plies within the step.
    takes_turns = (rollout.mover[1:] != rollout.mover[:-1]).float().mean(0) > 0.5
    assert takes_turns.tolist() == 3 * [True, True, True, False]
    assert rollout.ended.any(0).all()
    # No two lanes play the same games, and a lane is rewarded for its own.
    games = {tuple(rollout.action[:, lane].tolist()) for lane in range(12)}
    assert len(games) == 12
    assert (rollout.ended | (rollout.reward == 0)).all()
    assert (rollout.reward[:, 3::4] != 0).any()


def test_copies_share_what_has_no_weights(ppo: ModuleType) -> None:
    policy = random_policy(ppo, "gaiqi", attacks=True, seed=1)
    kept = ppo.copy_of(policy)
    assert kept.trunk.attacks is policy.trunk.attacks is kept.prospects.attacks
    with torch.no_grad():
        policy.critic.bias += 1
    assert not torch.equal(kept.critic.bias, policy.critic.bias)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="another device needs a GPU")
@pytest.mark.parametrize("game", ["flipping", "gaiqi", "jieqi"])
def test_a_gpu_computes_the_same(ppo: ModuleType, game: str) -> None:
    policy = random_policy(ppo, game, attacks=True, seed=3)
    tokens, mask = played(game, lanes=6, plies=20, seed=3)
    with torch.no_grad():
        logits, value = policy(tokens, mask)
        policy = policy.to("cuda")
        again, same = policy(tokens.to("cuda"), mask.to("cuda"))
    assert torch.allclose(again.cpu(), logits, rtol=1e-3, atol=1e-3)
    assert torch.allclose(same.cpu(), value, atol=1e-4)


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
        policy, critic = ppo.Policy(spec, 8), ppo.Critic(spec, 8)
        torch.nn.init.normal_(critic.head.weight)
        table, rollout = ppo.Collector(args, seed=1), ppo.Rollout(16, 8, spec)
        if shuffled:
            # Other pieces lie covered.
            games = table.groups[0]
            truth = games.covered_pieces
            monkeypatch.setattr(games, "covered_pieces", lambda truth=truth: truth().flip(1))
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
    # With one seat's rewards for both it would be even.
    assert ppo.evaluate(any_legal, "gaiqi", "greedy", 64, 1).high < 0.5


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
    policy, game, options = ppo.load(tmp_path / "policy.pt")
    assert (policy.prospects is not None) == ("--attacks" in setting)
    assert (game, options) == ("gaiqi", {"max_plies": "12"})
    table = (tmp_path / "scores.csv").read_text().splitlines()
    assert len(table) == 1 + 2 * len(ppo.LADDER)
    # An illegal action would raise.
    ppo.evaluate(ppo.chooser(policy), game, "random", 16, 3, **options)


def test_a_run_starts_from_a_checkpoint(ppo: ModuleType, tmp_path: Path) -> None:
    def made(name: str, *more: str) -> Any:
        """Returns a run in a folder of this name, with its checkpoint."""
        (tmp_path / name).mkdir(exist_ok=True)
        run = ppo.Run(ppo.parse([*TINY, *more, "--out", str(tmp_path / name)]))
        run.save()
        return run

    first = made("first", "--attacks")
    start = ["--start", str(first.path)]
    # Past policies, critic and optimizer are as large as the net.
    more = [*start, "--width", "99", "--critic", "truth", "--opponents", "greedy"]
    second = made("second", *more)
    assert all(map(torch.equal, second.policy.parameters(), first.policy.parameters()))
    assert second.critic.trunk.attacks is not None
    assert second.critic.trunk.middle.out_features == 4
    ppo.train(ppo.parse([*TINY, *more, "--total-plies", "128", "--out", str(tmp_path / "second")]))
    # The same command goes on, without the file.
    first.path.rename(tmp_path / "first" / "moved.pt")
    assert made("second", *more).plies == 128
    (tmp_path / "first" / "moved.pt").rename(first.path)
    # What it began with is a setting of the run.
    with pytest.raises(SystemExit, match=r"with start .*first.policy\.pt, not None"):
        made("second")
    with pytest.raises(SystemExit, match=r"is a net of gaiqi .*, expected banqi"):
        ppo.Run(ppo.parse(["--game", "banqi", *start, "--out", str(tmp_path / "none")]))
    plain = made("plain")
    with pytest.raises(SystemExit, match="expected --attacks"):
        made("none", "--compile")
    with pytest.raises(SystemExit, match="is a net without --attacks"):
        made("none", "--attacks", "--start", str(plain.path))


@pytest.mark.parametrize("setting", [[], ["--attacks"]])
def test_the_exported_policy_plays_natively(
    ppo: ModuleType, tmp_path: Path, setting: list[str]
) -> None:
    runtime = pytest.importorskip("onnxruntime")
    ppo.train(ppo.parse([*TINY, *setting, "--total-plies", "256", "--out", str(tmp_path)]))
    file = tmp_path / "policy.onnx"
    policy, game, options = ppo.load(tmp_path / "policy.pt")
    env = darkqi.make(game, 5, seed=1, observation="tokens", **options)
    ts = env.reset()
    tokens, mask = ts.observation, ts.action_mask
    session = runtime.InferenceSession(file)
    # What lies covered is no input.
    assert [given.name for given in session.get_inputs()] == ["observation", "action_mask"]
    logits, values = session.run(None, {"observation": tokens, "action_mask": mask})
    with torch.no_grad():
        expected = policy(torch.from_numpy(tokens), torch.from_numpy(mask))
    assert torch.allclose(torch.from_numpy(logits), expected[0], atol=1e-5)
    assert torch.allclose(torch.from_numpy(values), expected[1], atol=1e-5)
    results = darkqi.arena(game, [f"onnx:{file},temperature=1", "random"], 8, seed=1, **options)
    assert results.pairs[0].games == 8


def test_an_export_leaves_the_module_as_it_was(
    ppo: ModuleType, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("onnxscript", reason="PyTorch exports by it")
    policy = ppo.Policy(darkqi.spec("flipping"), 4)
    policy.trunk.eval()

    def modes_and_places() -> list[Any]:
        parts = [part.training for part in policy.modules()]
        return [*parts, *(tensor.data_ptr() for tensor in policy.state_dict().values())]

    before = modes_and_places()
    assert {True, False} <= set(before)
    darkqi.onnx.export(policy, "flipping", tmp_path / "net.onnx", observation="tokens")
    assert modes_and_places() == before
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


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
    table.write_text("".join(whole.splitlines(keepends=True)[: -len(ppo.LADDER)]))
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
    with pytest.raises(SystemExit, match="is of a run with width 4, not 8"):
        ppo.train(args(512, "--width", "8"))


def test_the_same_seed_gives_the_same_policy(ppo: ModuleType, tmp_path: Path) -> None:
    weights = []
    for name in ("first", "second"):
        ppo.train(ppo.parse([*TINY, "--total-plies", "256", "--out", str(tmp_path / name)]))
        weights.append(torch.load(tmp_path / name / "policy.pt", weights_only=True)["policy"])
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def test_games_with_more_players_are_refused(
    ppo: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        ppo.parse(["--game", "seven_kingdoms"])
    assert "invalid choice: 'seven_kingdoms'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("--opponent-share 1.5", "argument --opponent-share: expected 0 to 1, got 1.5"),
        ("--past-share -1", "argument --past-share: expected 0 to 1, got -1.0"),
        ("--final-entropy 0", "argument --final-entropy: expected more than 0, got 0.0"),
        ("--seed 0", "argument --seed: expected at least 1, got 0"),
        (
            "--opponents greedy random --lanes 8 --groups 2",
            "0.3 of the 4 lanes of a group: expected a lane for each of 2",
        ),
        ("--lanes 8 --groups 3", "argument --groups: expected a divisor of 8 lanes, got 3"),
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


def test_every_opponent_has_a_lane(ppo: ModuleType) -> None:
    args = ppo.parse(shlex.split("--opponents greedy random --lanes 16 --groups 2"))
    groups = ppo.Collector(args, 1).groups
    assert [[env.num_envs for env in games.envs] for games in groups] == 2 * [[6, 1, 1]]
    # No deal is played against two of them, nor is it one of those of a measurement.
    seeds = [seed for games in groups for env in games.envs for seed in env.seeds.tolist()]
    assert len({*seeds, *darkqi.make(args.game, 6, args.seed + 1).seeds.tolist()}) == 16 + 6
