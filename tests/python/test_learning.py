"""What trainings share computes correctly, alone."""

import math
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common import first_legal
from servers import serving

import darkqi
import darkqi.datasets

torch = pytest.importorskip("torch", reason="PyTorch is large")

from darkqi import learn  # noqa: E402
from darkqi._files import write_json  # noqa: E402
from darkqi.learning import (  # noqa: E402
    Lanes,
    Log,
    Pool,
    Run,
    RunError,
    batches,
    evaluate,
    fit,
    gae,
    load,
)
from darkqi.nets import PolicyNet  # noqa: E402
from darkqi.results import Estimate  # noqa: E402


def test_advantages_change_sign_with_the_mover() -> None:
    # The movers of the first lane alternate, and it is won. The second has one mover and is
    # truncated after two plies, with a bootstrap value of 0.4. Computed by hand, last ply first.
    value = torch.tensor([[0.2, 0.2], [-0.8, 0.4], [0.6, 0.1], [9.0, 0.3]])
    mover = torch.tensor([[0, 1], [1, 1], [0, 1], [1, 1]])
    reward = torch.tensor([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    ended = torch.tensor([[False, False], [False, True], [True, False]])
    final_value = torch.tensor([[0.0, 0.0], [0.0, 0.4], [0.0, 0.0]])

    def by_seat(of_mover: Any) -> Any:
        sign = torch.where(mover[: len(of_mover)] == 0, 1.0, -1.0)
        return torch.stack([sign * of_mover, -sign * of_mover], 2)

    found = gae(by_seat(reward), by_seat(value), ended, by_seat(final_value), gamma=0.5, lam=0.5)
    # 1 - 0.6 | 0.5 * -0.6 + 0.8 - 0.25 * 0.4 | 0.5 * 0.8 - 0.2 - 0.25 * 0.4
    # 0.5 * 0.3 - 0.1 | 0.5 * 0.4 - 0.4 | 0.5 * 0.4 - 0.2 - 0.25 * 0.2
    expected = torch.tensor([[0.1, -0.05], [0.4, -0.2], [0.4, 0.05]])
    assert torch.allclose(found.gather(2, mover[:3, :, None]).squeeze(2), expected, atol=1e-6)
    assert torch.allclose(found.sum(2), torch.zeros(3, 2), atol=1e-6)


def test_advantages_of_several_seats_are_sums_of_what_follows() -> None:
    torch.manual_seed(1)
    steps, lanes, seats, gamma, lam = 9, 5, 4, 0.9, 0.8
    reward, final = torch.randn(steps, lanes, seats), torch.randn(steps, lanes, seats)
    value = torch.randn(steps + 1, lanes, seats)
    ended = torch.rand(steps, lanes) < 0.3
    found = gae(reward, value, ended, final, gamma, lam)
    for lane in range(lanes):
        for seat in range(seats):
            for t in range(steps):
                # Every later error of this game, each weighted by its distance.
                total, weight = 0.0, 1.0
                for k in range(t, steps):
                    over = bool(ended[k, lane])
                    after = (final[k] if over else value[k + 1])[lane, seat]
                    error = reward[k, lane, seat] + gamma * after - value[k, lane, seat]
                    total, weight = total + weight * error.item(), weight * gamma * lam
                    if over:
                        break
                assert found[t, lane, seat].item() == pytest.approx(total, abs=1e-5)


def test_evaluation_counts_both_seats_and_draws_as_halves() -> None:
    # No game is decided in six plies.
    assert evaluate(first_legal, "jieqi", "random", 32, max_plies=6).value == 0.5
    # Random play against random play.
    rng = np.random.default_rng(1)

    def any_legal(_: Any, mask: Any, _player: Any) -> Any:
        return np.array([rng.choice(np.flatnonzero(row)) for row in mask])

    found = evaluate(any_legal, "gaiqi", "random", 320, seed=1)
    assert found.low < 0.5 < found.high
    # With one seat's rewards for both it would be even.
    assert evaluate(any_legal, "gaiqi", "greedy", 64, seed=1).high < 0.5


def test_seats_of_a_larger_game_are_shared(many_seats: str) -> None:
    found = evaluate("greedy", many_seats, "random", 28, seed=1, max_plies=300)
    assert found.value > 0.5
    assert evaluate("random", many_seats, "greedy", 28, seed=1, max_plies=300).value < 0.5


def test_games_of_an_evaluation_begin_at_random_for_both_sides(tmp_path: Path) -> None:
    evaluate(
        first_legal, "flipping", "expectimax:depth=1", 40, seed=1, max_plies=8, out=tmp_path / "m"
    )
    plies = darkqi.datasets.load(tmp_path / "m").plies.collect()
    for seat in (0, 1):
        # Neither is asked before the fourth ply, and both of its first plies differ between games.
        for ply in (seat, seat + 2):
            chosen = plies.filter(plies["ply"] == ply)["action"]
            assert chosen.n_unique() > 5
    asked = []

    def noting(tokens: Any, mask: Any, player: Any) -> Any:
        asked.append(tokens[:, played].min())
        return first_legal(tokens, mask, player)

    played = darkqi.spec("flipping").token_names.index("plies played")
    evaluate(noting, "flipping", "random", 8, max_plies=8)
    assert min(asked) == 4


def test_every_opponent_has_a_lane() -> None:
    lanes = Lanes("gaiqi", 8, 1, opponents=["greedy", "random"])
    assert [env.num_envs for env in lanes.envs] == [6, 1, 1]
    assert lanes.is_self_play.tolist() == [True] * 6 + [False] * 2
    # No deal is played against two of them.
    assert len({seed for env in lanes.envs for seed in env.seeds.tolist()}) == 8
    with pytest.raises(RunError, match=r"share: 0.1 of 8 lanes, expected a lane for each of 2"):
        Lanes("gaiqi", 8, 1, opponents=["greedy", "random"], share=0.1)
    for given, message in (
        ({"number": 0}, "number: expected an integer from 1"),
        ({"share": math.nan}, "share: expected 0 to 1, got nan"),
        ({"seed": True}, "seed: expected an integer"),
    ):
        settings: Any = {"number": 8, "seed": 1, "opponents": ["greedy"], **given}
        with pytest.raises((TypeError, ValueError), match=message):
            Lanes("gaiqi", **settings)


@pytest.mark.parametrize("overlap", [False, True])
def test_lanes_with_an_illegal_action_change_nothing(overlap: bool) -> None:
    lanes = Lanes("gaiqi", 8, 1, opponents=["greedy"], share=0.5, overlap=overlap)
    assert len(lanes.envs) == 2
    before = [env.state(lane).fen() for env in lanes.envs for lane in range(4)]
    legal = lanes.rows["action_mask"].int().argmax(1)
    illegal = lanes.rows["action_mask"].int().argmin(1)
    # An index beyond those of a lane is none of its neighbour's.
    number = darkqi.spec("gaiqi").num_actions
    beyond = [(lane, action) for lane in range(8) for action in (-1, number, 10**6)]
    for lane, action in (*beyond, (7, illegal[7]), (0, illegal[0])):
        actions = legal.clone()
        actions[lane] = action
        with pytest.raises(darkqi.IllegalActionError):
            lanes.send(actions)
        assert [env.state(lane).fen() for env in lanes.envs for lane in range(4)] == before
    with pytest.raises(ValueError, match=r"actions: expected shape \(8,\), got \(7,\)"):
        lanes.send(legal[:7])
    with pytest.raises(TypeError, match="actions: expected integers, got float32"):
        lanes.send(legal.float())
    lanes.send(legal)
    lanes.recv()
    assert [env.state(lane).fen() for env in lanes.envs for lane in range(4)] != before


@pytest.mark.parametrize("overlap", [False, True])
def test_the_truth_of_a_last_position_is_that_position_s(overlap: bool) -> None:
    settings: dict[str, Any] = {"observation": "tokens", "autoreset": "disabled", "max_plies": 5}
    lanes = Lanes("jieqi", 4, 7, truth=True, overlap=overlap, max_plies=5)
    env = darkqi.make("jieqi", 4, 7, **settings)
    ts = env.reset()
    for ply in range(12):
        assert torch.equal(lanes.rows["observation"], torch.from_numpy(ts.observation))
        assert lanes.covered is not None
        assert torch.equal(lanes.covered, torch.from_numpy(env.covered_pieces()))
        actions = env.sample_actions()
        ts = env.step(actions)
        lanes.send(torch.from_numpy(actions))
        lanes.recv()
        assert lanes.rows["truncated"].all() == ts.truncated.all() == (ply % 5 == 4)
        if ply % 5 < 4:
            continue
        tokens, player, covered = lanes.final(lanes.rows["truncated"])
        assert covered is not None
        assert torch.equal(tokens, torch.from_numpy(ts.observation))
        assert torch.equal(player, torch.from_numpy(ts.current_player))
        assert torch.equal(covered, torch.from_numpy(env.covered_pieces()))
        assert covered.any()
        ts = env.reset(lanes=np.ones(4, np.bool_))
        assert not torch.equal(covered, lanes.covered)


def test_a_pool_keeps_the_last_policies() -> None:
    torch.manual_seed(1)
    policy, rng = PolicyNet(darkqi.spec("gaiqi"), 4), np.random.default_rng(1)
    pool = Pool(policy, size=3)
    for number in range(5):
        torch.nn.init.constant_(policy.critic.bias, number)
        pool.add(policy)
    drawn = {pool.draw(rng).critic.bias.item() for _ in range(50)}
    assert drawn == {2.0, 3.0, 4.0}
    with pytest.raises(ValueError, match="size: expected an integer from 1"):
        Pool(policy, 0)
    again = Pool(PolicyNet(darkqi.spec("gaiqi"), 4))
    again.load_state_dict(pool.state_dict())
    assert [its.critic.bias.item() for its in again.policies] == [2.0, 3.0, 4.0]


def test_a_run_goes_on_and_its_log_is_a_table(tmp_path: Path) -> None:
    policy = PolicyNet(darkqi.spec("gaiqi"), 4)
    run = Run(tmp_path / "run" / "policy.pt", {"width": 4}, policy=policy, critic=None)
    with run.timed():
        run.plies = 7
    run.save()
    other = PolicyNet(darkqi.spec("gaiqi"), 4)
    again = Run(run.path, {"width": 4}, policy=other, critic=None)
    assert (again.plies, again.seconds) == (7, run.seconds)
    assert all(map(torch.equal, policy.parameters(), other.parameters()))
    with pytest.raises(RunError, match="is of a run with width 4, not 8"):
        Run(run.path, {"width": 8}, policy=other)
    (tmp_path / "none").write_text("none")
    for path in (tmp_path / "none", tmp_path / "nothing", run.path):
        with pytest.raises(RunError, match=f"{path}: expected a checkpoint of a policy"):
            load(path)
    log = Log(tmp_path)
    for plies in (7, 9):
        log.scores(plies, [("greedy", {"plies": plies, "who": "a,b"}, Estimate(0.5, 0.25, 0.75))])
    log.scores(10, [])
    assert log.has("plies", 9)
    assert not log.has("plies", 8)
    assert log.table.read_text().splitlines() == [
        "plies,who,value,low,high",
        '7,"a,b",0.5000,0.2500,0.7500',
        '9,"a,b",0.5000,0.2500,0.7500',
    ]
    log.close()
    with pytest.raises(RunError, match=r"has the scores of another run, and not its policy\.pt"):
        Run(tmp_path / "policy.pt", {}, policy=policy)


def test_folders_take_turns_by_what_they_have_left(tmp_path: Path) -> None:
    for name, games in (("large", 90), ("small", 9)):
        agents = "expectimax:depth=1,net=none"
        darkqi.selfplay("banqi", tmp_path / name, games, agents=agents, max_plies=20)
    small = darkqi.datasets.load(tmp_path / "small").num_plies
    found = [rows.read for rows in batches([tmp_path / "large", tmp_path / "small"], 8)]
    assert sum(found) == darkqi.datasets.load(tmp_path / "large").num_plies + small
    for weight in (-0.1, 1.5, math.nan):
        with pytest.raises(ValueError, match="result_weight: expected 0 to 1"):
            next(batches([tmp_path / "small"], 8, result_weight=weight))


def test_a_newcomer_learns_and_plays(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript", reason="PyTorch exports by it")
    # A comma ends an option of an agent.
    out = tmp_path / "gaiqi, first"
    given = shlex.split("gaiqi --minutes 0.05 --width 8 --games 20 --set max_plies=40 --no-open")
    given += ["--out", str(out)]
    done = subprocess.run(
        [sys.executable, "-m", "darkqi.learn", *given],
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    # Ten points of a curve, a match, and how to play.
    points = re.findall(r"(?m)plies  \|[#.]{40}\|  0\.\d+ \(.*\) against greedy$", done.stdout)
    assert len(points) == 10
    assert re.search(r"(?m)^against greedy: \d+ won, \d+ drawn, \d+ lost, score 0\.\d", done.stdout)
    assert len((out / "scores.csv").read_text().splitlines()) == 12
    (command,) = re.findall(
        r"play against it: darkqi serve (.*), http://\S+game=gaiqi&max_plies=40$", done.stdout, re.M
    )
    folder, option, agent = shlex.split(command)
    assert (folder, option) == (str(out), "--agent")
    assert agent.startswith(f'onnx:"{out}/policy.onnx",')
    with serving(folder, option, agent) as server:
        key, *_ = server.begin("gaiqi", [None, agent])
        assert server.get(f"/api/play/{key}")["turn"] == 0
        (training,) = server.get("/api/datasets")["trainings"]
    assert (training["game"], training["wanted"]) == ("gaiqi", 10)
    assert [its["error"] > 0 for its in training["generations"]] == [True] * 10


def test_the_learning_rate_falls_to_0_though_plies_have_no_value(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"agents": "expectimax:depth=1", "random_plies": 8, "seed": 1}
    darkqi.selfplay("flipping", tmp_path / "games", 20, **settings)
    data = darkqi.datasets.load(tmp_path / "games")
    net = PolicyNet(data.spec, 8)
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    found = list(batches([tmp_path / "games"], 64))
    assert sum(rows.read for rows in found) == data.num_plies > sum(len(r.value) for r in found)
    fit(net, optimizer, data.spec, [tmp_path / "games"], 64, falls=True)
    last = 1 - (data.num_plies - 64) / data.num_plies
    assert 0 <= optimizer.param_groups[0]["lr"] <= 1e-3 * last
    for folders, epochs in (([], range(1)), ([tmp_path / "games"], range(0))):
        with pytest.raises(RunError, match="expected datasets and passes, got"):
            fit(net, optimizer, data.spec, folders, epochs=epochs)


def test_a_file_stays_as_it_was_after_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    write_json(path, {"one": 1})
    with pytest.raises(TypeError):
        write_json(path, {"one": object()})
    assert path.read_text() == '{\n  "one": 1\n}\n'
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("chess", "argument game: invalid choice: 'chess'"),
        ("flipping --minutes 0", "argument --minutes: expected a number above 0, got 0.0"),
        ("flipping --minutes nan", "argument --minutes: expected a number above 0, got nan"),
        ("flipping --width 0", "argument --width: expected at least 1, got 0"),
        ("flipping --set quiet", "argument --set: expected NAME=VALUE, got 'quiet'"),
        ("flipping --set quiet=1", "option `quiet`"),
        ("flipping --teacher nobody", "nobody"),
        ("flipping --against nobody", "nobody"),
        ("flipping --against onnx:none.onnx", "none.onnx: cannot be read"),
        ("flipping --set rules=none.toml", "none.toml"),
        ("flipping --out .", "argument --out: expected a new or empty folder, got ."),
    ],
)
def test_bad_wishes_of_a_learner_are_named(
    given: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        learn.main(shlex.split(given))
    assert message in capsys.readouterr().err
