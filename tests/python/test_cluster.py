"""The recipes of docs/cluster.md give the files of one run.

Schedulers are not there: what they start is started here, with the variables that they set.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from common import ROOT, contents, environment
from pages import Block, blocks

import darkqi

yaml = pytest.importorskip("yaml", reason="MkDocs, of the dependency group docs, brings it")

PAGE = ROOT / "docs" / "cluster.md"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("whole") / "data"
    darkqi.selfplay("gaiqi", out, 2000, shard_games=250, seed=1)
    return contents(out)


def block(language: str, part: str) -> Block:
    (found,) = (
        block for block in blocks(PAGE) if block.language == language and part in block.code
    )
    return found


def run(code: str, folder: Path, **variables: str) -> str:
    """Runs a script where `darkqi` is the command of this package, and returns what it printed."""
    command = folder / "bin" / "darkqi"
    if not command.exists():
        command.parent.mkdir()
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m darkqi "$@"\n')
        command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", code],
        cwd=folder,
        env=environment(PATH=path, **variables),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def finish(name: str, folder: Path, whole: dict[str, bytes]) -> None:
    """Lists the shards of a dataset, and compares its files."""
    assert darkqi.finish(folder / "data" / name).complete
    assert contents(folder / "data" / name) == whole


@pytest.mark.parametrize("name", ["two", "shell", "parallel"])
def test_commands(name: str, tmp_path: Path, whole: dict[str, bytes]) -> None:
    if name == "parallel" and shutil.which("parallel") is None:
        pytest.skip("needs GNU parallel")
    printed = run(block("sh", f"darkqi finish data/{name}").code, tmp_path)
    assert f"data/{name}: complete; 2,000 games with " in printed
    assert contents(tmp_path / "data" / name) == whole


def test_the_script_of_slurm(tmp_path: Path, whole: dict[str, bytes]) -> None:
    script = block("bash", "#SBATCH").code
    settings = dict(
        line.removeprefix("#SBATCH --").split("=")
        for line in script.splitlines()
        if line.startswith("#SBATCH")
    )
    first, last = map(int, settings["array"].split("-"))
    for task in range(first, last + 1):
        cores = settings["cpus-per-task"]
        run(script, tmp_path, SLURM_ARRAY_TASK_ID=str(task), SLURM_CPUS_PER_TASK=cores)
    finish("slurm", tmp_path, whole)


def test_the_job_of_kubernetes(tmp_path: Path, whole: dict[str, bytes]) -> None:
    job = yaml.safe_load(block("yaml", "kind: Job").code)["spec"]
    assert job["completionMode"] == "Indexed"
    (container,) = job["template"]["spec"]["containers"]
    assert container["command"] == ["sh", "-c"]
    (script,) = container["args"]
    for index in range(job["completions"]):
        run(script, tmp_path, JOB_COMPLETION_INDEX=str(index))
    finish("kubernetes", tmp_path, whole)


def test_folders_of_several_machines_can_be_put_together(
    tmp_path: Path, whole: dict[str, bytes]
) -> None:
    for machine, shards in ("one", (0, 3)), ("two", (3, 8)):
        out = tmp_path / "data" / machine
        darkqi.selfplay("gaiqi", out, 2000, shard_games=250, seed=1, shards=shards)
    for table in "games", "plies":
        one, two = (tmp_path / "data" / machine / table for machine in ("one", "two"))
        shutil.copytree(two, one, dirs_exist_ok=True)
    finish("one", tmp_path, whole)
