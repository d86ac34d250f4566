"""Nets compute what they say, see what their viewer sees, and survive compilers and exports."""

import logging
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common import stepped

import darkqi
import darkqi.onnx

torch = pytest.importorskip("torch", reason="PyTorch is large")

from darkqi.nets import (  # noqa: E402
    Agent,
    Legal,
    OnPlanes,
    PlaneEncoder,
    PolicyNet,
    SquareHead,
    TruthCritic,
    reflections,
    sample,
    values_by_seat,
)


def played(game: str, lanes: int, plies: int, seed: int) -> tuple[Any, Any]:
    ts = stepped(darkqi.make(game, lanes, seed, observation="tokens"), plies)
    return torch.from_numpy(ts.observation), torch.from_numpy(ts.action_mask)


def random_policy(game: str, attacks: bool, seed: int) -> Any:
    """Returns a small policy in which every weight counts."""
    torch.manual_seed(seed)
    policy = PolicyNet(darkqi.spec(game), 8, attacks)
    for weights in policy.parameters():
        torch.nn.init.normal_(weights, std=0.3)
    return policy


@pytest.mark.parametrize("attacks", [False, True])
@pytest.mark.parametrize("game", ["flipping", "jieqi", "gaiqi", "banqi", "mystery"])
def test_legal_actions_have_the_probabilities_of_a_masked_softmax(game: str, attacks: bool) -> None:
    policy = random_policy(game, attacks, seed=1)
    tokens, mask = played(game, lanes=6, plies=20, seed=1)
    # No square has a token without a row of its own.
    assert int(tokens[:, : policy.squares].max()) < policy.pieces
    with torch.no_grad():
        logits, values = policy(tokens, mask)
        legal, again = policy.legal(tokens, mask)
    assert torch.equal(values, again[:, 0])
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
def test_prospects_are_sums_of_what_the_rules_say(game: str) -> None:
    spec, policy = darkqi.spec(game), random_policy(game, attacks=True, seed=2)
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
        return bool(spec.attacks[piece - 1, action] >> between & 1)

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


def test_actions_are_drawn_by_their_probabilities() -> None:
    mask = torch.tensor([True, False, True, True]).expand(20_000, 4)
    log_probs = torch.tensor([0.5, 0.2, 0.3]).log()
    position, action = mask.nonzero(as_tuple=True)
    legal = Legal(position, action, log_probs.repeat(20_000))
    torch.manual_seed(1)
    action, log_prob = sample(legal, mask)
    shares = torch.bincount(action, minlength=4) / len(action)
    # Four standard errors of a share of one half.
    assert torch.allclose(shares, torch.tensor([0.5, 0.0, 0.2, 0.3]), atol=0.015)
    assert torch.allclose(log_prob.exp(), torch.tensor([0.5, 0.0, 0.2, 0.3])[action])


@pytest.mark.parametrize("game", ["flipping", "jieqi", "gaiqi"])
def test_reflected_positions_have_the_reflected_actions(game: str) -> None:
    spec, state = darkqi.spec(game), darkqi.State(game, seed=3)
    rng = np.random.default_rng(3)
    first, *others = reflections(spec)
    assert others
    while not state.is_terminal and state.ply < 30:
        tokens, mask = torch.from_numpy(state.observation(format="tokens")), state.action_mask()
        assert torch.equal(tokens[first.tokens], tokens)
        for reflection in others:
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
    game: str, own: int, covered: int | None
) -> None:
    # The only feature is own pieces. The logit of a step is then 1 if it goes from an own piece to
    # a square without one, else 0. The logit of a flip is 1 on a square without an own piece.
    spec, state = darkqi.spec(game), darkqi.State(game, seed=3)
    head = SquareHead(spec, 1)
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


def test_copies_share_what_has_no_weights() -> None:
    policy = random_policy("gaiqi", attacks=True, seed=1)
    kept = policy.copy()
    assert kept.trunk.attacks is policy.trunk.attacks is kept.prospects.attacks
    with torch.no_grad():
        policy.critic.bias += 1
    assert not torch.equal(kept.critic.bias, policy.critic.bias)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="another device needs a GPU")
@pytest.mark.parametrize("game", ["flipping", "gaiqi", "jieqi"])
def test_a_gpu_computes_the_same(game: str) -> None:
    policy = random_policy(game, attacks=True, seed=3)
    tokens, mask = played(game, lanes=6, plies=20, seed=3)
    with torch.no_grad():
        logits, value = policy(tokens, mask)
        policy = policy.to("cuda")
        again, same = policy(tokens.to("cuda"), mask.to("cuda"))
    assert torch.allclose(again.cpu(), logits, rtol=1e-3, atol=1e-3)
    assert torch.allclose(same.cpu(), value, atol=1e-4)


def test_a_critic_that_sees_the_truth_learns_what_observations_do_not_tell() -> None:
    # Who owns the piece under the first square decides the result.
    env = darkqi.make("banqi", 4096, seed=1, observation="tokens")
    env.reset()
    tokens = torch.from_numpy(env.step(env.sample_actions()).observation)
    covered = torch.from_numpy(env.covered_pieces())
    tokens, covered = tokens[covered[:, 0] > 0], covered[covered[:, 0] > 0]
    own = [name.startswith("own") for name in ["", *env.spec.plane_names]]
    result = torch.where(torch.tensor(own)[covered[:, 0].long()], 1.0, -1.0)
    torch.manual_seed(1)
    policy, critic = PolicyNet(env.spec, 16), TruthCritic(env.spec, 16)
    optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=0.01)

    def errors(rows: slice) -> list[Any]:
        found = (policy.value(tokens[rows])[:, 0], critic(tokens[rows], covered[rows])[:, 0])
        return [(value - result[rows]).square().mean() for value in found]

    for start in 3 * list(range(0, 3072, 128)):
        optimizer.zero_grad()
        sum(errors(slice(start, start + 128))).backward()
        optimizer.step()
    with torch.no_grad():
        blind, seeing = errors(slice(3072, None))
    assert seeing < 0.5 < 0.9 < blind


def test_rows_of_another_shape_are_refused() -> None:
    agent = Agent(PolicyNet(darkqi.spec("flipping"), 4))
    planes = darkqi.make("flipping", 2, 1).reset()
    tokens = darkqi.make("flipping", 2, 1, observation="tokens").reset()
    assert agent(tokens.observation, tokens.action_mask, tokens.current_player).actions.shape == (
        2,
    )
    wrong: Any
    for wrong, message in (
        ({"observation": planes.observation}, "observation: expected shape .* for a net on tokens"),
        ({"action_mask": tokens.action_mask / 1.0}, "action_mask: expected the dtype"),
        ({"action_mask": tokens.action_mask[:, 1:]}, "action_mask: expected shape"),
        ({"player": np.array([5, 0], np.int8)}, "player: expected seats from 0 to 1"),
        ({"player": tokens.current_player[:1]}, "player: expected shape"),
    ):
        rows = {
            "observation": tokens.observation,
            "action_mask": tokens.action_mask,
            "player": tokens.current_player,
        }
        with pytest.raises((TypeError, ValueError), match=message):
            agent(**(rows | wrong))
    for temperature in (-1, math.nan):
        with pytest.raises(ValueError, match="temperature: expected a number from 0 up"):
            Agent(agent.net, temperature)


def test_modules_that_no_agent_plays_are_not_exported(tmp_path: Path) -> None:
    class Wrong(torch.nn.Module):  # type: ignore[name-defined]
        def forward(self, observation: Any) -> Any:
            return torch.zeros(len(observation), 352, dtype=torch.float64)

    wrong: Any
    for wrong in (Wrong(), lambda observation: observation):
        with pytest.raises(TypeError, match="module: expected"):
            darkqi.onnx.export(wrong, "banqi", tmp_path / "net.onnx")


def test_an_export_leaves_the_module_as_it_was(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("onnxscript", reason="PyTorch exports by it")
    policy = PolicyNet(darkqi.spec("flipping"), 4)
    policy.trunk.eval()

    def modes_and_places() -> list[Any]:
        parts = [part.training for part in policy.modules()]
        return [*parts, *(tensor.data_ptr() for tensor in policy.state_dict().values())]

    before = modes_and_places()
    assert {True, False} <= set(before)
    darkqi.onnx.export(policy, "flipping", tmp_path / "net.onnx", observation="tokens")
    assert modes_and_places() == before
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_net_sees_what_its_viewer_sees(game: str) -> None:
    # Another world that the seat cannot tell from this one.
    net, state = random_policy(game, attacks=game == "gaiqi", seed=4), darkqi.State(game, seed=4)
    rng, differing = np.random.default_rng(4), 0
    while not state.is_terminal and state.ply < 40:
        seat = state.current_player
        other = state.resample(seat, seed=state.ply)
        differing += other.fen() != state.fen()
        said = []
        for world in (state, other):
            rows = world.observation(format="tokens"), world.action_mask(), np.int8(seat)
            with torch.no_grad():
                said.append(net(*(torch.from_numpy(np.array(row)[None]) for row in rows[:2])))
        assert all(map(torch.equal, *said))
        state.apply(rng.choice(state.legal_actions()))
    hides = game not in ("flipping", "seven_kingdoms")
    assert (differing > 0) == hides


def test_values_are_ordered_by_seat(game: str) -> None:
    seats = darkqi.spec(game).num_players
    player = torch.arange(seats, dtype=torch.int8)
    if seats == 2:
        found = values_by_seat(torch.tensor([[0.5], [0.25]]), player, 2)
        assert found.tolist() == [[0.5, -0.5], [-0.25, 0.25]]
    # The mover's comes first, then that of the next seat.
    found = values_by_seat(torch.arange(seats).repeat(seats, 1), player, seats)
    for mover in range(seats):
        for seat in range(seats):
            assert found[mover, seat] == (seat - mover) % seats
    net = random_policy(game, attacks=False, seed=1)
    tokens, mask = played(game, lanes=3, plies=5, seed=1)
    said = Agent(net)(tokens.numpy(), mask.numpy(), np.zeros(3, np.int8))
    assert said.value.shape == (3, seats)
    assert np.allclose(said.policy.sum(1), 1, atol=1e-5)
    assert mask.numpy()[np.arange(3), said.actions].all()
    most = Agent(net, 0)(tokens.numpy(), mask.numpy(), np.zeros(3, np.int8))
    assert (most.actions == np.where(mask.numpy(), said.policy, -1).argmax(1)).all()


# PyTorch asks for gradients of what it has traced.
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning")
@pytest.mark.parametrize("attacks", [False, True])
def test_a_compiled_net_computes_the_same(attacks: bool) -> None:
    net = random_policy("gaiqi", attacks, seed=5)
    torch.compiler.reset()
    # What is traced is the same for every backend; this one needs no compiler of C++.
    compiled = torch.compile(net, backend="aot_eager", dynamic=True)
    for lanes in (5, 7):
        tokens, mask = played("gaiqi", lanes, plies=12, seed=lanes)
        logits, value = net(tokens, mask)
        again, same = compiled(tokens, mask)
        assert torch.allclose(again, logits, rtol=1e-4, atol=1e-5)
        assert torch.allclose(same, value, atol=1e-5)
        grads = []
        for module in (net, compiled):
            net.zero_grad()
            found, value = module(tokens, mask)
            (found.square().mean() + value.mean()).backward()
            grads.append([weights.grad.clone() for weights in net.parameters()])
        # Sums of differently ordered terms.
        assert all(
            torch.allclose(mine, its, rtol=1e-3, atol=1e-4)
            for mine, its in zip(*grads, strict=True)
        )


@pytest.mark.parametrize("game", ["flipping", "jieqi", "gaiqi"])
def test_a_net_on_planes_and_its_file_compute_what_it_does_on_tokens(
    game: str, tmp_path: Path
) -> None:
    runtime = pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript", reason="PyTorch exports by it")
    net = random_policy(game, attacks=game != "jieqi", seed=6)
    modules = {"tokens": net, "planes": OnPlanes(net, darkqi.spec(game))}
    env, tokens_env = (darkqi.make(game, 5, 6, observation=rows) for rows in ("planes", "tokens"))
    env.reset()
    tokens_env.reset()
    for _ in range(15):
        actions = env.sample_actions()
        seen = {"planes": env.step(actions), "tokens": tokens_env.step(actions)}
    mask = seen["tokens"].action_mask
    with torch.no_grad():
        logits, value = net(torch.from_numpy(seen["tokens"].observation), torch.from_numpy(mask))
    for rows, module in modules.items():
        file = tmp_path / f"{rows}.onnx"
        darkqi.onnx.export(module, game, file, observation="tokens" if module is net else "planes")
        assert {path.name for path in tmp_path.iterdir()} <= {"planes.onnx", "tokens.onnx"}
        session = runtime.InferenceSession(file)
        # What lies covered is no input.
        assert [given.name for given in session.get_inputs()] == ["observation", "action_mask"]
        given = {"observation": seen[rows].observation, "action_mask": mask}
        found, its = session.run(None, given)
        np.testing.assert_allclose(found, logits, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(its.reshape(-1), value, atol=1e-4)
        agents = [f"onnx:{file},temperature=1", "random"]
        assert darkqi.arena(game, agents, 2, max_plies=20).pairs[0].games == 2


def test_the_lowest_temperatures_play_the_likeliest_action() -> None:
    net = random_policy("gaiqi", attacks=False, seed=3)
    rows = darkqi.make("gaiqi", 16, 6, observation="tokens").reset()
    given = (rows.observation, rows.action_mask, rows.current_player)
    found = [Agent(net, temperature)(*given) for temperature in (0, 1e-39)]
    assert (found[0].policy == found[1].policy).all()
    assert found[1].policy.sum(1) == pytest.approx(1)


def test_planes_have_features_and_logits_of_all_actions(game: str) -> None:
    spec = darkqi.spec(game)
    if game == "seven_kingdoms":
        # Its 27,977 actions of pairs of 361 squares are for tokens.
        pytest.skip("few nets are as large")
    torch.manual_seed(1)
    encoder, head = PlaneEncoder(spec, 4), SquareHead(spec, 4)
    ts = darkqi.make(game, 3, 1).reset()
    with torch.no_grad():
        features = encoder(torch.from_numpy(ts.observation))
        assert features.shape == (3, 4, *spec.board_shape)
        assert head(features).shape == (3, spec.num_actions)
