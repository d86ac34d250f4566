"""Where the system gives no more threads, files, space or rights, it is an error that says so."""

import copy
import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from common import environment
from native_calls import CALLS, played

import darkqi

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits are those of Linux")

# They use native threads only where there is much to do.
QUICK = {
    "make",
    "make with an opponent",
    "make with an opponent that searches",
    "replay",
    "Dataset.batches with threads",
}


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """Returns a folder that every user may read and write."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o777)
        yield Path(name)


@pytest.fixture(scope="module")
def dataset(place: Path) -> Path:
    return played(place / "data")


def run(code: str) -> subprocess.CompletedProcess[str]:
    package = Path(darkqi.__file__).parents[1]
    paths = os.pathsep.join([str(package), str(Path(__file__).parent)])
    return subprocess.run(
        [sys.executable, "-c", f"from pathlib import Path; import limited; {code}"],
        # Libraries of numpy would start threads of their own.
        env=environment(PYTHONPATH=paths, OPENBLAS_NUM_THREADS="1"),
        capture_output=True,
        text=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
    )


def found(code: str) -> Any:
    done = run(code)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def out(place: Path, name: str) -> Path:
    path = place / name
    path.mkdir()
    path.chmod(0o777)
    return path


def test_calls_without_threads_say_so(place: Path, dataset: Path) -> None:
    results = found(f"limited.calls(Path({str(dataset)!r}), Path({str(out(place, 'out'))!r}))")
    assert results.keys() == CALLS.keys()
    for name, result in results.items():
        if "result" in result and name in QUICK:
            continue
        assert "RuntimeError" in result.get("kinds", []), (name, result)
        assert "InternalError" not in result["kinds"], result["trace"]
        assert "threads: cannot start" in result["message"], (name, result)
        assert "unavailable" in result["message"], (name, result)


# Commands that use threads.
COMMANDS = {
    "serve": "serve {place} --no-open --port 0",
    "uci": "uci gaiqi",
    "play": "play gaiqi --seed 1 --agent random",
    "engine": "arena flipping --agents uci:cmd=cat,random --games 2",
    "selfplay": "selfplay gaiqi --games 4 --out {new}",
    "arena": "arena gaiqi --agents random,greedy --games 2",
    "verify": "verify {dataset}",
    "finish": "finish {dataset}",
    "report": "report {dataset} --out {new}.html",
    "tables": "tables banqi --pieces 2 --out {new}",
    "values": "values fit {dataset}",
    "first-reveal": "first-reveal {dataset}",
    "strength": "strength gaiqi --agents random,greedy --games 4 --out {new}",
    "bench": "bench gaiqi --lanes 64 --threads 4",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_without_threads_say_so(place: Path, dataset: Path, name: str) -> None:
    words = COMMANDS[name].format(place=place, dataset=dataset, new=place / "new").split()
    done = run(f"limited.command(*{words!r})")
    assert done.returncode == 1, done
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: "), line
    assert "threads: cannot start" in line


def test_few_files_are_no_faults_of_a_dataset(dataset: Path) -> None:
    results = found(f"limited.few_files(Path({str(dataset)!r}))")
    refused = [it for it in results if "kinds" in it]
    assert 0 < len(refused) < len(results)
    for result in refused:
        assert "OSError" in result["kinds"], result
        assert "Too many open files" in result["message"], result
        assert result["errno"] == 24, result
        assert result["filename"].startswith(str(dataset)), result
    whole = darkqi.verify(dataset)
    assert {it["result"] for it in results if "fault" in it.get("result", "")} == {repr(whole)}


def test_what_may_not_be_read_is_a_permission_error(place: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("needs root, who may make files that another user may not read")
    folder = out(place, "rights")
    path, values = folder / "data", folder / "values.toml"
    darkqi.selfplay("gaiqi", path, 40, agents="random", seed=1, shard_games=20)
    darkqi.arena("gaiqi", "random,greedy", 2, out=folder / "match")
    values.write_text("[gaiqi]\nR = 8\n")
    for file in (path / "plies" / "00001.parquet", values, folder / "match/dataset.json"):
        file.chmod(0)
    folder.chmod(0o755)
    code = f"limited.unreadable(Path({str(path)!r}), Path({str(values)!r}))"
    for name, result in found(code).items():
        assert "PermissionError" in result.get("kinds", []), (name, result)
        assert result["errno"] == 13, (name, result)
        assert result["filename"].startswith(str(folder)), (name, result)
    assert darkqi.verify(path).faults == []
    # Nor is a folder that may not be looked into one that is not there.
    (path / "plies").chmod(0)
    path.chmod(0)
    for result in found(code).values():
        assert "PermissionError" in result.get("kinds", []), result


def test_no_space_is_an_error_of_the_system(place: Path, dataset: Path) -> None:
    folder = out(place, "full")
    (folder / "data").symlink_to(dataset)
    for name, result in found(f"limited.full(Path({str(folder)!r}))").items():
        assert "OSError" in result.get("kinds", []), (name, result)
        assert result["errno"] == 27, (name, result)
        assert "File too large" in result["message"]
        # The rows of a report are in a temporary file.
        if name == "selfplay":
            assert result["filename"].startswith(str(folder)), result


@pytest.mark.parametrize("path", ["nowhere", "nowhere/x"])
def test_what_is_not_there_has_its_name(path: str, tmp_path: Path) -> None:
    for call in (darkqi.verify, darkqi.first_reveal, darkqi.finish):
        with pytest.raises(FileNotFoundError) as error:
            call(tmp_path / path)
        assert error.value.errno == 2
        assert error.value.filename == str(tmp_path / path)


def test_a_panic_is_an_internal_error() -> None:
    """The exception that PyO3 raises for panics, in whatever call, is one."""
    (of_panics,) = darkqi.InternalError.__subclasses__()
    assert of_panics is not darkqi.InternalError
    assert issubclass(of_panics, RuntimeError)
    assert issubclass(of_panics, Exception)
    with pytest.raises(darkqi.InternalError, match="a fault"):
        raise of_panics("a fault")
    assert repr(of_panics("a fault")) == "InternalError('a fault')"
    assert (of_panics.__module__, of_panics.__name__) == ("darkqi", "InternalError")
    for again in (pickle.loads(pickle.dumps(of_panics("a fault"))), copy.copy(of_panics("x"))):
        assert type(again) is darkqi.InternalError
