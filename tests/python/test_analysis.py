"""The analyses of datasets in Python."""

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from common import dataset_of, run

import darkqi
import darkqi.results

banqi = dataset_of("banqi", 600, agents="greedy", seed=3, shard_games=200)


def test_options_of_the_analyses(banqi: Path, tmp_path: Path) -> None:
    plain, all_of_them = (darkqi.piece_values(banqi, positions=count) for count in (4, 1000))
    assert plain.positions <= 4 * 600 < all_of_them.positions
    before = darkqi.piece_values(banqi, positions=1000, quiet="before")
    assert before.positions > all_of_them.positions
    other = darkqi.piece_values(banqi, unit="A=2")
    assert (other.unit, other.unit_value) == (["A"], 2)
    for unit in ("A", "Q=1", "A=-1"):
        with pytest.raises(ValueError, match="unit: expected"):
            darkqi.piece_values(banqi, unit=unit)
    with pytest.raises(ValueError, match="unit: expected None"):
        darkqi.piece_values(banqi, unit="A=2", output="values.toml")
    phased = darkqi.piece_values_by_phase(banqi, "pieces", positions=4)
    assert (phased.by, phased.positions) == ("pieces", plain.positions)
    with pytest.raises(ValueError, match="by: expected"):
        darkqi.piece_values_by_phase(banqi, "moves")  # type: ignore[arg-type]
    assert darkqi.piece_values_by_region(banqi, positions=4).positions == plain.positions
    darkqi.selfplay("seven_kingdoms", tmp_path / "kingdoms", 4, agents="random")
    with pytest.raises(ValueError, match="regions: the board of seven_kingdoms has none"):
        darkqi.piece_values_by_region(tmp_path / "kingdoms")


def test_until_of_the_luck_adjusted_score(tmp_path: Path) -> None:
    path = tmp_path / "gaiqi"
    summary = darkqi.selfplay(
        "gaiqi", path, 100_000, until=0.05, luck_adjusted=True, shard_games=100
    )
    settled = summary.settled
    assert settled is not None
    assert settled.is_reached
    assert settled.is_luck_adjusted
    found = darkqi.first_reveal(path, until=0.05)
    assert found.settled_adjusted == settled
    # The score itself is not known so well yet.
    assert found.settled is not None
    assert not found.settled.is_reached
    with pytest.raises(ValueError, match="luck_adjusted: nothing is covered in flipping"):
        darkqi.selfplay("flipping", tmp_path / "x", 10, until=0.1, luck_adjusted=True)


def test_compare(banqi: Path, tmp_path: Path) -> None:
    other = tmp_path / "random"
    darkqi.selfplay("banqi", other, 300, agents="random", seed=3)
    found = darkqi.compare([banqi, other])
    assert found.lead_changes == []
    (plies,) = found.plies
    means = [darkqi.first_reveal(path).plies.mean.value for path in (banqi, other)]
    assert plies.difference.value == pytest.approx(means[1] - means[0])
    assert (plies.first, plies.second, plies.paired) == (0, 1, True)
    assert plies.p_value <= plies.p_holm < 0.001
    flipping = tmp_path / "flipping"
    darkqi.selfplay("flipping", flipping, 4, agents="random")
    with pytest.raises(ValueError, match="paths: expected datasets of one game, got banqi and fl"):
        darkqi.compare([banqi, flipping])


def test_the_score_is_adjusted_by_a_search(tmp_path: Path) -> None:
    # Few and short games, because a search takes its time.
    short: dict[str, Any] = {"agents": "greedy:epsilon=0.2", "seed": 1, "max_plies": 20}
    darkqi.selfplay("gaiqi", tmp_path / "gaiqi", 140, **short)
    plain: Any = darkqi.first_reveal(tmp_path / "gaiqi").revealer
    judged: Any = darkqi.first_reveal(tmp_path / "gaiqi", aivat=True).revealer
    assert judged.adjusted.raw == plain.adjusted.raw
    assert judged.adjusted.covariates == plain.adjusted.covariates + 1


def test_values_are_written_for_agents(tmp_path: Path, banqi: Path) -> None:
    values, weights = tmp_path / "values.toml", tmp_path / "weights.toml"
    found = darkqi.piece_values(banqi, output=values, weights=weights)
    assert found == darkqi.piece_values(banqi)
    (table,) = tomllib.loads(values.read_text()).values()
    fitted = {term.kind for term in found.terms if term.kind and term.value}
    assert set(table) == fitted
    assert tomllib.loads(weights.read_text())["banqi"]["scale"] > 0
    state = darkqi.State("banqi", seed=1)
    agent = f"expectimax:depth=1,values={values},weights={weights}"
    assert state.choose(agent) in state.legal_actions()
    with pytest.raises(OSError, match="cannot write"):
        darkqi.piece_values(banqi, output=tmp_path / "no" / "values.toml")


def test_bad_input_is_named(tmp_path: Path, banqi: Path) -> None:
    with pytest.raises(OSError, match="nothing"):
        darkqi.first_reveal(tmp_path / "nothing")
    with pytest.raises(OSError, match=r"dataset\.json"):
        darkqi.piece_values(tmp_path)
    for margin in (5.0, 0.0, float("nan")):
        with pytest.raises(ValueError, match="margin: expected a number above 0 and at most 1"):
            darkqi.balance_values("banqi", tmp_path / "y", 10, margin=margin)
        with pytest.raises(ValueError, match=r"margin: expected a number above 0 and at most 0\.5"):
            darkqi.sweep("banqi", tmp_path / "y", {"quiet_limit": [20]}, ["random"], margin=margin)
    with pytest.raises(ValueError, match="until: expected a half-width above 0"):
        darkqi.sweep("banqi", tmp_path / "y", {"quiet_limit": [20]}, ["random"], until=-1)
    same = tmp_path / "same.toml"
    for weights in (same, tmp_path / "." / ".." / tmp_path.name / "same.toml"):
        with pytest.raises(ValueError, match="weights: expected another file than `output`"):
            darkqi.piece_values(banqi, output=same, weights=weights)
    for positions in (0, -1, 2**64, True):
        error = TypeError if positions is True else ValueError
        with pytest.raises(error, match="positions: expected an integer from 1"):
            darkqi.piece_values(banqi, positions=positions)
        with pytest.raises(error, match="positions: expected an integer from 1"):
            darkqi.piece_values_by_phase(banqi, positions=positions)
    wrong: Any
    for wrong, found in ((str(banqi), "str"), (5, "int"), ([banqi, 5], "int in place 1")):
        with pytest.raises(TypeError, match=f"paths: expected a sequence of paths, got {found}"):
            darkqi.compare(wrong)
    with pytest.raises(ValueError, match="paths: expected at least two datasets, got 1"):
        darkqi.compare([banqi])
    for wrong in (5, [5], range(10**12)):
        with pytest.raises(TypeError, match="paths: expected a path or a sequence of paths, got i"):
            darkqi.report(wrong, tmp_path / "report.html")
    with pytest.raises(ValueError, match=r"half-width: expected .*, found 0\.7"):
        darkqi.first_reveal(banqi, until=0.7)
    mixed = tmp_path / "mixed"
    darkqi.selfplay("banqi", mixed, 10, agents=["greedy", "random"])
    for analyse in (darkqi.first_reveal, darkqi.piece_values):
        with pytest.raises(ValueError, match="an agent against itself, found greedy against rand"):
            analyse(mixed)
    assert not (tmp_path / "y").exists()


def test_results_are_what_commands_print(banqi: Path, tmp_path: Path) -> None:
    def told(*line: Any) -> Any:
        return json.loads(run(*map(str, line), "--json", check=True).stdout)

    # A match that goes on counts the decisions of its own games.
    times = {"seconds", "decisions", "decisions_per_second"}

    def same(found: Any, printed: Any) -> None:
        found = found.to_dict() if isinstance(found, darkqi.results.Result) else found
        if isinstance(found, dict):
            assert found.keys() == printed.keys()
            for name in found.keys() - times:
                same(found[name], printed[name])
        elif isinstance(found, list):
            assert len(found) == len(printed)
            for one, other in zip(found, printed, strict=True):
                same(one, other)
        else:
            assert found == printed

    same(darkqi.verify(banqi), told("verify", banqi))
    same(darkqi.finish(banqi), told("finish", banqi))
    same(darkqi.replay(banqi, 7), told("replay", banqi, 7))
    same(darkqi.first_reveal(banqi, until=0.1), told("first-reveal", banqi, "--until", 0.1)[0])
    values = ("values", "fit", banqi)
    same(darkqi.piece_values(banqi), told(*values))
    same(darkqi.piece_values_by_phase(banqi), told(*values, "--by-phase", "covered"))
    same(darkqi.piece_values_by_region(banqi), told(*values, "--by-region"))
    page = tmp_path / "report.html"
    same(darkqi.report(banqi, page), told("report", banqi, "-o", page))

    agents = ["random", "greedy"]
    names, quietly = ("--agents", ",".join(agents)), ("--seed", "2", "--quiet")
    played = darkqi.selfplay("banqi", tmp_path / "played", 20, agents=agents, seed=2)
    shutil.rmtree(tmp_path / "played")
    line = ("banqi", "-n", 20, *names, *quietly)
    same(played, told("selfplay", *line, "--out", tmp_path / "played"))
    match = darkqi.arena("banqi", agents, 40, seed=2, sprt=(0, 50))
    line = ("banqi", "-n", 40, *names, *quietly)
    same(match, told("arena", *line, "--sprt", "0,50"))
    # The matches of studies are resumed, which is no part of them.
    study = ("--games", 60, "--match-games", 20, *quietly)
    found = darkqi.strength("gaiqi", tmp_path / "study", agents, 60, match_games=20, seed=2)
    assert [rung.agent for rung in found.rungs] == agents
    printed = told("strength", "gaiqi", *names, *study, "--out", tmp_path / "study")
    printed["ladder"]["resumed_games"] = 0
    same(found, printed)
    vary: dict[str, list[int | str]] = {"quiet_limit": [20, 40], "remove": ["none", "R"]}
    swept = darkqi.sweep("gaiqi", tmp_path / "sweep", vary, agents, 60, match_games=20, seed=2)
    assert [one.label for one in swept.agents[0].sets] == [
        "quiet_limit=20, remove=none",
        "quiet_limit=20, remove=R",
        "quiet_limit=40, remove=none",
        "quiet_limit=40, remove=R",
    ]
    varied = ("--vary", "quiet_limit=20,40", "--vary", "remove=none,R")
    same(swept, told("sweep", "gaiqi", *varied, *names, *study, "--out", tmp_path / "sweep"))


def test_results_show_what_they_hold(banqi: Path) -> None:
    shown = repr(darkqi.first_reveal(banqi))
    assert shown.startswith("FirstReveal(game='banqi', options={")
    assert "revealer=Revealer(...)" in shown
    assert "decisive=Estimate(value=" in shown
    assert len(shown) < 2000
    assert "terms=[" in (values := repr(darkqi.piece_values(banqi)))
    assert " of Term]" in values


def test_bad_studies_are_refused_by_name(tmp_path: Path) -> None:
    out = tmp_path / "study"
    with pytest.raises(ValueError, match="greddy"):
        darkqi.strength("gaiqi", out, ["greddy", "random"])
    with pytest.raises(ValueError, match="agents"):
        darkqi.strength("gaiqi", out, ["greedy"])
    with pytest.raises(ValueError, match="quiet_limt"):
        darkqi.sweep("gaiqi", out, {"quiet_limt": [1]}, ["greedy"])
    with pytest.raises(ValueError, match="vary"):
        darkqi.sweep("gaiqi", out, {}, ["greedy"])
    wrong: Any
    for wrong in ("40", 40, {40, 60}):
        with pytest.raises(TypeError, match="vary: quiet_limit: expected a sequence of values"):
            darkqi.sweep("gaiqi", out, {"quiet_limit": wrong}, ["greedy"])
    # A place in a set says nothing of strength.
    wrong = {"greedy", "random"}
    with pytest.raises(TypeError, match="agents: expected a sequence of names of agents or dicts"):
        darkqi.strength("gaiqi", out, wrong)
    with pytest.raises(ValueError, match="expected a folder or a URL"):
        darkqi.strength("gaiqi", "", ["greedy", "random"])
    with pytest.raises(TypeError, match="seed: expected a value, got None"):
        darkqi.strength("gaiqi", out, ["greedy", "random"], seed=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="jiqei"):
        darkqi.strength("jiqei", out, ["greedy", "random"])
    # Such sequences tell a length that no memory holds.
    wrong = range(10**12)
    with pytest.raises(TypeError, match="agents: expected a sequence of names of agents or dicts"):
        darkqi.strength("gaiqi", out, wrong)
    with pytest.raises(ValueError, match="vary: quiet_limit: expected at most 100000 items"):
        darkqi.sweep("gaiqi", out, {"quiet_limit": range(1, 10**12)}, ["greedy"])
    assert not out.exists()
