"""`gumbel.py` learns from its search or a teacher, and goes on."""

import math
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learners import TINY, scalars

import darkqi
import darkqi.datasets

torch = pytest.importorskip("torch", reason="PyTorch is large")

from darkqi import learning  # noqa: E402
from darkqi.learning import RunError, batches, load  # noqa: E402
from darkqi.nets import PolicyNet  # noqa: E402

SETTINGS = shlex.split(
    "--game gaiqi --set max_plies=12 --games 8 --search sims=2,root=gumbel --batch 16 --width 4"
    " --match-games 2"
)


def test_gumbel_learns_and_goes_on_where_it_was_interrupted(
    example: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    gumbel = example("gumbel")
    tiny = [*SETTINGS, "--generations", "2", "--every", "2"]

    def args(folder: str, *more: str) -> Any:
        return gumbel.parse([*tiny, "--out", str(tmp_path / folder), *more])

    def saved(folder: str) -> dict[str, Any]:
        found: dict[str, Any] = torch.load(tmp_path / folder / "policy.pt", weights_only=True)
        return found

    gumbel.train(args("whole"))
    whole, first = saved("whole"), load(tmp_path / "whole" / "policy.pt")
    assert (whole["generation"], first[1], first[2]) == (2, "gaiqi", {"max_plies": 12})
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

    def interrupted(run: Any, *rest: Any) -> tuple[float, float]:
        found: tuple[float, float] = fit(run, *rest)
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
    with pytest.raises(RunError, match="is of a run with search sims=2,root=gumbel, not sims=4"):
        gumbel.train(args("parts", "--search", "sims=4"))


def test_gumbel_starts_from_a_checkpoint_of_ppo(example: Any, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    gumbel, ppo = example("gumbel"), example("ppo")
    more = shlex.split(f"--attacks --total-plies 128 --out {tmp_path / 'ppo'}")
    ppo.train(ppo.parse([*TINY, *more]))
    checkpoint = tmp_path / "ppo" / "policy.pt"
    settings = shlex.split(f"--start {checkpoint} --generations 0 --match-games 2 --search sims=2")
    here = shlex.split("--game gaiqi --set max_plies=12")
    gumbel.train(gumbel.parse([*settings, *here, "--out", str(tmp_path / "gumbel")]))
    one, other = (load(tmp_path / name / "policy.pt")[0] for name in ("ppo", "gumbel"))
    weights = zip(one.parameters(), other.parameters(), strict=True)
    assert all(torch.equal(mine, its) for mine, its in weights)
    with pytest.raises(RunError, match=r"is a net of gaiqi with options .*, expected banqi"):
        gumbel.train(gumbel.parse([*settings, "--game", "banqi", "--out", str(tmp_path / "other")]))


def test_gumbel_begins_with_the_games_of_a_teacher(
    example: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    gumbel = example("gumbel")
    teacher = "--teacher expectimax:depth=1,net=none,epsilon=0.5 --teacher-games 20"
    settings = [*SETTINGS, *shlex.split(teacher)]

    def args(*more: str) -> Any:
        return gumbel.parse([*settings, "--out", str(tmp_path / "run"), *more])

    fitted: list[list[str]] = []

    def recorded(folders: list[Path], *rest: Any, **settings: Any) -> Any:
        fitted.append([folder.name for folder in folders])
        return batches(folders, *rest, **settings)

    monkeypatch.setattr(learning, "batches", recorded)
    gumbel.train(args("--generations", "3"))
    # As many passes as the games of other generations get in the window of four.
    assert fitted == [*4 * [["001"]], ["002"], ["002", "003"]]
    taught, own = (darkqi.datasets.load(tmp_path / f"run/games/00{number}") for number in (1, 2))
    assert (taught.num_games, own.num_games) == (20, 8)
    values = taught.plies.select("action", "value").collect()["value"]
    rows = list(batches([tmp_path / "run/games/001"], 16))
    assert sum(len(part.value) for part in rows) == values.is_not_null().sum() < len(values)
    for part in rows:
        assert torch.equal(part.policy.max(1).values, torch.ones(len(part.value)))
        assert torch.equal(part.policy.sum(1), torch.ones(len(part.value)))
        assert part.mask[part.policy > 0].all()

    with pytest.raises(RunError, match="games/001 has no values of positions to fit to"):
        gumbel.train(args("--teacher", "greedy", "--out", str(tmp_path / "greedy")))


def test_a_net_is_fitted_to_policies_and_values(tmp_path: Path) -> None:
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
    torch.manual_seed(1)
    net, seen = PolicyNet(spec, 16), 0
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    totals = []
    for epoch in range(4):
        total, seen = 0.0, 0
        for rows in batches([tmp_path / "games"], 64, result_weight=0.0, epoch=epoch):
            assert torch.equal(
                rows.policy.argmax(1), (rows.mask * torch.arange(spec.num_actions)).argmax(1)
            )
            assert set(rows.value.flatten().tolist()) <= {1.0, -1.0}
            loss = sum(learning.losses(net, rows))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total, seen = total + loss.item() * len(rows.value), seen + len(rows.value)
        totals.append(total / seen)
    assert seen == darkqi.datasets.load(tmp_path / "games").num_plies
    assert totals[-1] < 0.7 * totals[0]
