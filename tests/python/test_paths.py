"""Paths that change their meaning, and names that are no Unicode."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from common import first_legal, run

import darkqi
from darkqi.datasets import load


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Changes to a new folder, and returns another one to change to later."""
    for name in ("here", "elsewhere"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "elsewhere"


def test_a_dataset_is_read_after_a_change_of_the_working_directory(elsewhere: Path) -> None:
    darkqi.selfplay("flipping", "data", 12, shard_games=4)
    dataset = load("data")
    batches = dataset.batches(8)
    os.chdir(elsewhere)
    assert sum(len(batch.action) for batch in batches) == dataset.num_plies
    assert dataset.games.collect().height == len(list(dataset.replays())) == 12
    assert Path(dataset.path).is_absolute()


def test_a_log_is_written_after_a_change_of_the_working_directory(elsewhere: Path) -> None:
    log = Path("log").absolute()
    with darkqi.make("flipping", 4, 1, log="log", max_plies=20) as env:
        env.reset()
        os.chdir(elsewhere)
        for _ in range(45):
            env.step(env.sample_actions())
    assert darkqi.verify(log).games >= 8
    assert list(elsewhere.iterdir()) == []


def test_self_play_goes_on_while_its_policy_changes_the_working_directory(elsewhere: Path) -> None:
    data = Path("data").absolute()

    def policy(*rows: Any) -> Any:
        os.chdir(elsewhere)
        return first_legal(*rows)

    summary = darkqi.selfplay("flipping", "data", 30, agents=policy, shard_games=10, max_plies=50)
    assert summary.games == darkqi.verify(data).games == 30
    assert list(elsewhere.iterdir()) == []


# An engine that flips one square.
ENGINE = """
while read -r line; do
    case "$line" in uci) echo uciok;; isready) echo readyok;; go*) echo bestmove b2;; esac
done
"""


@pytest.mark.skipif(os.name != "posix", reason="the engine is a script of a shell")
def test_an_engine_is_started_where_its_command_was_given(elsewhere: Path) -> None:
    Path("engine.sh").write_text(ENGINE)
    env = darkqi.make("gaiqi", 1, 1, opponent="uci:cmd=sh engine.sh", seat=0)
    env.reset()
    os.chdir(elsewhere)
    env.step([env.state(0).action_index("a1")])
    assert env.state(0).ply == 2


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are Unicode")
def test_names_of_files_may_be_any_bytes(tmp_path: Path) -> None:
    data, page = tmp_path / os.fsdecode(b"d\xff"), tmp_path / os.fsdecode(b"p\xfe.html")

    def told(*args: str | Path) -> str:
        done = run(*args, errors="surrogateescape")
        assert (done.returncode, done.stderr) == (0, ""), (args, done.stderr)
        return str(done.stdout)

    play: list[str | Path] = ["selfplay", "flipping", "--quiet", "--out", data]
    told(*play, "--games", "3")
    told(*play, "--games", "5", "--resume")
    assert "5 of 5 games" in told("verify", data)
    assert json.loads(told("verify", data, "--json"))["games"] == 5
    assert json.loads(told("first-reveal", data, "--json"))
    assert "game 4" in told("replay", data, "4")
    told("report", data, "--out", page)
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert darkqi.verify(data).games == load(data).num_games == 5


def test_a_file_url_is_a_folder(tmp_path: Path) -> None:
    url = (tmp_path / "gaiqi").as_uri()
    darkqi.selfplay("gaiqi", url, 10)
    assert darkqi.verify(url) == darkqi.verify(tmp_path / "gaiqi")
    dataset = darkqi.datasets.load(url)
    assert dataset.path == tmp_path / "gaiqi"
    assert dataset.files("games") == [tmp_path / "gaiqi/games/00000.parquet"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            Path("s3://bucket/gaiqi"),
            "expected s3://bucket/gaiqi, found s3:/bucket/gaiqi, as pathlib",
        ),
        ("ftp://host/gaiqi", "expected a folder, or a URL that begins with s3://, .* found ftp://"),
        ("s3://bucket", "expected s3://BUCKET/PATH, found s3://bucket"),
        ("s3://key:word@bucket/gaiqi", "with `@`: credentials are taken from the environment"),
    ],
)
def test_other_urls_are_refused(path: Any, expected: str) -> None:
    for call in (
        darkqi.verify,
        darkqi.first_reveal,
        darkqi.piece_values,
        darkqi.datasets.load,
        darkqi.finish,
        lambda path: darkqi.replay(path, 0),
        lambda path: darkqi.report(path, "report.html"),
        lambda path: darkqi.selfplay("gaiqi", path, 10),
    ):
        with pytest.raises(ValueError, match=expected) as error:
            call(path)
        assert "word" not in str(error.value)


def test_writers_that_need_a_folder_say_so() -> None:
    with pytest.raises(OSError, match=r"gs://bucket/log is not a folder: only self-play writes"):
        darkqi.make("banqi", 2, log="gs://bucket/log")
