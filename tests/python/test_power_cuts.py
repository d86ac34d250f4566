"""Power cuts: whatever a disk loses that was not synced, datasets stay sound and runs resume.

Each scenario records the system calls of a program. After every call, and for every state of the
disk that a power cut may leave then (`Disk`):

- every game that the program had listed and synced is still listed;
- the folder is no dataset yet and says so, or a sound one;
- the same work done again ends with the files of an undisturbed run.

`DARKQI_TESTS=long` checks all states, and the tests otherwise some. Skipped without ``strace``.
"""

import itertools
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pytest
from common import LONG

import darkqi

# By path: the bytes of a file, None for a folder.
Tree = dict[str, bytes | None]

CALLS = [
    *["open", "openat", "creat", "close", "dup", "fcntl", "lseek"],
    *["write", "pwrite64", "writev", "pwritev", "pwritev2"],
    *["ftruncate", "truncate", "fallocate", "copy_file_range", "sendfile", "splice"],
    *["fsync", "fdatasync", "rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir"],
    *["mkdir", "mkdirat", "link", "linkat", "symlink", "symlinkat"],
]

# Up to this many unsynced changes of folders are combined in all ways.
ALL_SUBSETS = 4
# Random combinations of more of them, besides the regular ones.
RANDOM_SUBSETS = 6

# What is left of bytes that were not synced.
LOSSES = ("all lost", "half lost", "zeros", "none lost")


@dataclass
class File:
    """A file's bytes, and those when it was last synced."""

    data: bytes = b""
    synced: bytes = b""

    def after_a_cut(self, loss: str) -> bytes:
        """Returns what is left."""
        added = len(self.data) - len(self.synced)
        if loss == "none lost":
            return self.data
        if loss == "half lost" and added > 0:
            return self.data[: len(self.synced) + added // 2]
        if loss == "zeros" and added > 0:
            return self.synced + bytes(added)
        return self.synced


# None for an entry that is removed.
Change = dict[str, "File | Folder | None"]


@dataclass
class Folder:
    """The entries when the folder was last synced, and the changes since."""

    synced: "dict[str, File | Folder]" = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)

    def entries(self, changes: Sequence[Change]) -> "dict[str, File | Folder]":
        """Returns the entries after these changes."""
        entries: Change = dict(self.synced)
        for change in changes:
            entries.update(change)
        return {name: node for name, node in entries.items() if node is not None}


@dataclass(frozen=True)
class Step:
    """Something that a program did: to which path, with which bytes at which offset."""

    call: str
    path: str
    to: str = ""
    data: bytes = b""
    offset: int = 0


class Disk:
    """What a program has done so far, and what a power cut may leave of it.

    POSIX promises no more than this:

    - A file keeps what it held when it was last synced. Of what was added since, it has nothing,
      the first half, zeros in its place, or all.
    - A folder keeps the entries that it had when it was last synced. Of the changes since (a new
      entry, a rename, a removal) any may have happened without the others. A rename is atomic.
    - A new folder is itself an entry of the folder above it.
    """

    def __init__(self, tree: Tree) -> None:
        """Begins with these files and folders, all of them synced."""
        self.root = Folder()
        for path, data in sorted(tree.items()):
            node = Folder() if data is None else File(data, data)
            self._folder(Path(path).parent).synced[Path(path).name] = node

    def _find(self, path: Path) -> File | Folder:
        node: File | Folder = self.root
        for name in path.parts:
            assert isinstance(node, Folder), path
            node = node.entries(node.changes)[name]
        return node

    def _folder(self, path: Path) -> Folder:
        node = self._find(path)
        assert isinstance(node, Folder), path
        return node

    def _file(self, path: Path) -> File:
        node = self._find(path)
        assert isinstance(node, File), path
        return node

    def do(self, step: Step) -> None:
        """Does what the program did."""
        path, to = Path(step.path), Path(step.to)
        changes = self._folder(path.parent).changes
        match step.call:
            case "mkdir":
                changes.append({path.name: Folder()})
            case "create":
                folder = self._folder(path.parent)
                if path.name not in folder.entries(folder.changes):
                    changes.append({path.name: File()})
            case "remove":
                changes.append({path.name: None})
            case "rename":
                assert path.parent == to.parent, f"{path} moves to another folder, as {to}"
                changes.append({path.name: None, to.name: self._find(path)})
            case "write":
                file = self._file(path)
                before = file.data[: step.offset].ljust(step.offset, b"\0")
                file.data = before + step.data + file.data[step.offset + len(step.data) :]
            case "truncate":
                file = self._file(path)
                file.data = file.data[: step.offset].ljust(step.offset, b"\0")
            case "sync":
                node = self._find(path)
                if isinstance(node, Folder):
                    node.synced, node.changes = node.entries(node.changes), []
                else:
                    node.synced = node.data
            case call:
                raise AssertionError(f"{call} is not simulated")

    def _folders(self) -> list[Folder]:
        """Returns the root and every folder below, also those that were removed or renamed."""
        found = [self.root]
        for folder in found:
            every: list[Mapping[str, File | Folder | None]] = [folder.synced, *folder.changes]
            for entries in every:
                below = [node for node in entries.values() if isinstance(node, Folder)]
                found += [node for node in below if all(node is not old for old in found)]
        return found

    def tree(self) -> Tree:
        """Returns what the program sees."""
        return dict(_below(self.root, lambda folder: folder.changes, "none lost"))

    def cuts(self) -> Iterator[Tree]:
        """Yields what a power cut may leave now. Equal trees may come more than once."""
        pending = [change for folder in self._folders() for change in folder.changes]
        for places in _subsets(len(pending)):
            # By identity: two folders may have equal changes.
            happened = {id(pending[place]) for place in places}

            def changes(folder: Folder, happened: set[int] = happened) -> list[Change]:
                return [change for change in folder.changes if id(change) in happened]

            for loss in LOSSES:
                yield dict(_below(self.root, changes, loss))


def _below(
    folder: Folder, changes: Callable[[Folder], list[Change]], loss: str, prefix: str = ""
) -> Iterator[tuple[str, bytes | None]]:
    for name, node in folder.entries(changes(folder)).items():
        if isinstance(node, Folder):
            yield prefix + name, None
            yield from _below(node, changes, loss, f"{prefix}{name}/")
        else:
            yield prefix + name, node.after_a_cut(loss)


def _subsets(count: int) -> Iterator[Sequence[int]]:
    """Yields sets of the numbers below `count`: all of them, or some of each kind."""
    places = range(count)
    if count <= ALL_SUBSETS:
        for size in range(count + 1):
            yield from itertools.combinations(places, size)
        return
    for place in places:
        yield places[:place]
        yield [place]
        yield [other for other in places if other != place]
    yield places
    source = random.Random(count)
    for _ in range(RANDOM_SUBSETS):
        yield [place for place in places if source.random() < 0.5]


def record(command: Sequence[str], root: Path, log: Path) -> list[Step]:
    """Runs a command under ``strace`` until it ends; returns what it did below `root`.

    Paths below `root` must be absolute in the command. `log` is a file for ``strace``.
    """
    strace = ["strace", "-f", "-xx", "-s", str(1 << 24), "-o", str(log)]
    command = [*strace, "-e", f"trace={','.join(CALLS)}", *command]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return _steps(log.read_text(), root)


@dataclass
class _Opened:
    """An open file: its path, and where the next byte is written."""

    path: str
    offset: int = 0


def _steps(log: str, root: Path) -> list[Step]:
    found: list[Step] = []
    opened: dict[int, _Opened] = {}

    def below(text: str) -> str | None:
        path = Path(bytes.fromhex(text.replace("\\x", "")).decode())
        return str(path.relative_to(root)) if path.is_relative_to(root) else None

    for call, arguments, result in _calls(log):
        texts = re.findall(r'"((?:\\x[0-9a-f]{2})*)"', arguments)
        numbers = [int(number) for number in re.findall(r"(?:^|, )(\d+)(?=,|$)", arguments)]
        descriptor = numbers[0] if numbers else -1
        # The texts of the others are bytes that are written.
        paths = [] if call.startswith(("write", "pwrite")) else [below(text) for text in texts]
        if call in ("open", "openat", "creat"):
            opened.pop(result, None)
            if paths[0] is None:
                continue
            opened[result] = _Opened(paths[0])
            assert "O_APPEND" not in arguments, paths[0]
            # Whether there was such a file is known to the disk alone.
            if "O_CREAT" in arguments or call == "creat":
                found.append(Step("create", paths[0]))
            if "O_TRUNC" in arguments or call == "creat":
                found.append(Step("truncate", paths[0]))
        elif call in ("mkdir", "mkdirat", "unlink", "unlinkat", "rmdir"):
            if paths[0] is not None:
                found.append(Step("mkdir" if call.startswith("mkdir") else "remove", paths[0]))
        elif call.startswith("rename"):
            one, other = paths
            if one is not None or other is not None:
                assert one is not None, f"{other} comes from elsewhere"
                assert other is not None, f"{one} goes elsewhere"
                found.append(Step("rename", one, other))
                for file in opened.values():
                    file.path = other if file.path == one else file.path
        elif descriptor in opened:
            file = opened[descriptor]
            if call == "close":
                del opened[descriptor]
            elif call == "write":
                data = bytes.fromhex(texts[0].replace("\\x", ""))[:result]
                found.append(Step("write", file.path, data=data, offset=file.offset))
                file.offset += result
            elif call == "lseek":
                file.offset = result
            elif call == "ftruncate":
                found.append(Step("truncate", file.path, offset=numbers[1]))
            elif call in ("fsync", "fdatasync"):
                found.append(Step("sync", file.path))
            elif call == "dup" or "F_DUPFD" in arguments:
                # A copy shares the offset.
                opened[result] = file
            else:
                assert call == "fcntl", f"{call} of {file.path} is not simulated"
        else:
            assert not any(paths), f"{call} of {paths} is not simulated"
            assert call != "copy_file_range" or not opened.keys() & set(numbers), arguments
    return found


def _calls(log: str) -> Iterator[tuple[str, str, int]]:
    """Yields name, arguments and result of calls that succeeded, in the order of their ends."""
    begun: dict[str, str] = {}
    for line in log.splitlines():
        process, text = line.split(maxsplit=1)
        if text.endswith("<unfinished ...>"):
            begun[process] = text.removesuffix("<unfinished ...>").rstrip()
            continue
        if resumed := re.match(r"<\.\.\. \w+ resumed>", text):
            text = begun.pop(process) + text[resumed.end() :]
        if ended := re.match(r"(\w+)\((.*?)\)\s+= (\d+)", text):
            yield ended[1], ended[2].strip(), int(ended[3])


def read(folder: Path) -> Tree:
    paths = [(str(path.relative_to(folder)), path) for path in sorted(folder.rglob("*"))]
    return {name: None if path.is_dir() else path.read_bytes() for name, path in paths}


def write(tree: Tree, folder: Path) -> None:
    folder.mkdir()
    for path, data in sorted(tree.items()):
        if data is None:
            (folder / path).mkdir()
        else:
            (folder / path).write_bytes(data)


# More games than are played before an interruption.
SHARD_GAMES = 100_000
# States of a scenario that a quick test checks.
QUICK_STATES = 30


def can_trace() -> bool:
    if shutil.which("strace") is None:
        return False
    traced = subprocess.run(["strace", "-f", "-e", "trace=close", "true"], capture_output=True)
    return traced.returncode == 0


pytestmark = pytest.mark.skipif(not can_trace(), reason="there is no strace, or it may not trace")


def listed(tree: Tree) -> int | None:
    """Returns the number of games that ``dataset.json`` lists; None without that file."""
    manifest = tree.get("data/dataset.json")
    return None if manifest is None else sum(it["games"] for it in json.loads(manifest)["shards"])


@dataclass
class Scenario:
    """What is recorded, and how it is repeated after a power cut, both as code."""

    # It works in the folder `path`.
    code: str
    # What does the rest in a folder; the same code by default.
    again: str = ""
    # Whether the files at the end are always the same.
    is_unique: bool = True

    def finish(self, data: Path) -> None:
        """Does what is left to do in a folder."""
        exec(self.again or self.code, {"darkqi": darkqi, "pl": pl, "path": data})


def faults(data: Path) -> list[str]:
    return [f"{fault.file}: {fault.fault}" for fault in darkqi.verify(data).faults]


def states(start: Tree, root: Path, scenario: Scenario, log: Path) -> dict[str, tuple[Tree, int]]:
    """Returns every state that a power cut may leave, with how much it must have at least."""
    header = f"import pathlib, darkqi; path = pathlib.Path({str(root / 'data')!r})\n"
    steps = record([sys.executable, "-c", header + scenario.code], root, log)
    disk = Disk(start)
    # By contents, so that equal states are checked once, with the most games.
    found: dict[str, tuple[Tree, int]] = {}
    promised = listed(start) or 0
    for step in [None, *steps]:
        if step is not None:
            disk.do(step)
            if (step.call, step.path) == ("sync", "data"):
                promised = listed(disk.tree()) or 0
        # A shard that is replaced is first removed from the list.
        least = min(promised, listed(disk.tree()) or 0)
        for tree in disk.cuts():
            key = str(hash(tuple(sorted(tree.items()))))
            found[key] = (tree, max(least, found.get(key, (tree, 0))[1]))
    assert disk.tree() == read(root), "the disk is simulated wrongly"
    return found


def sampled(cuts: list[tuple[Tree, int]]) -> list[tuple[Tree, int]]:
    """Returns the states that are checked."""
    return cuts if LONG else random.Random(1).sample(cuts, QUICK_STATES)


def check(start: Tree, scenario: Scenario, folder: Path) -> None:
    """Checks the states of a scenario that begins with these files."""
    root = folder / "disk"
    write(start, root)
    cuts = list(states(start, root, scenario, folder / "log").values())
    expected = read(root)
    assert len(cuts) > QUICK_STATES
    for tree, least in sampled(cuts):
        lists = listed(tree)
        names = ", ".join(sorted(tree))
        assert (lists or 0) >= least, f"{lists} games are listed, not {least}: {names}"
        state = folder / "state"
        write(tree, state)
        data = state / "data"
        if lists is None:
            with pytest.raises(OSError, match=r"is not a dataset|no dataset at"):
                darkqi.verify(data)
        else:
            assert not faults(data), names
        scenario.finish(data)
        if scenario.is_unique:
            after = read(state)
            differing = [it for it in after | expected if after.get(it, 0) != expected.get(it, 0)]
            assert not differing, f"{differing} differ after a cut that left {names}"
        assert not faults(data), names
        shutil.rmtree(state)


def run(games: int | str, shard_games: int, agents: str = "random", more: str = "") -> str:
    """Returns the call that plays what is missing of a run."""
    return (
        f"darkqi.selfplay('gaiqi', path, {games}, agents='{agents}', seed=2, threads=1, "
        f"resume=True, shard_games={shard_games}{more})"
    )


def test_a_run(tmp_path: Path) -> None:
    """The folder of the dataset is new."""
    check({}, Scenario(run(25, 10)), tmp_path)


def test_a_run_whose_last_shard_is_replaced(tmp_path: Path) -> None:
    Scenario(run(15, 10, more=", observations=True")).finish(tmp_path / "short/data")
    start = read(tmp_path / "short")
    check(start, Scenario(run(25, 10, more=", observations=True")), tmp_path)


# The games of an interrupted shard go to a part. An interruption may come before any has ended. How
# many there are is known by the refusal of fewer, and is noted beside the disk.
NOTED = "(path.parent.parent / 'games')"
INTERRUPTED = f"""
import re, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
seconds = 0.1
while not list(path.glob("parts/*.part")):
    threading.Timer(seconds, signal.raise_signal, [signal.SIGINT]).start()
    try:
        {run(SHARD_GAMES, SHARD_GAMES, "greedy")}
    except KeyboardInterrupt:
        seconds *= 2
games = 1
try:
    {run("games", SHARD_GAMES, "greedy")}
except ValueError as error:
    games = int(re.search(r"at least (\\d+)", str(error))[1])
games += 5
{NOTED}.write_text(str(games))
{run("games", SHARD_GAMES, "greedy")}
"""


def test_a_part(tmp_path: Path) -> None:
    again = f"games = int({NOTED}.read_text())\n{run('games', SHARD_GAMES, 'greedy')}"
    check({}, Scenario(INTERRUPTED, again), tmp_path)


LOGGED = """
env = darkqi.make("banqi", 8, 7, log=path, threads=1, max_plies=20)
env.reset()
for _ in range(100):
    env.step(env.sample_actions())
env.close()
"""
LOGGED_AGAIN = """
darkqi.make("banqi", 8, 7, log=path, threads=1, max_plies=20).close()
if list(path.glob("games/*.parquet")):
    seeds = pl.read_parquet(path / "games/*.parquet")["seed"]
    assert seeds.is_unique().all(), f"{len(seeds)} games, {seeds.n_unique()} seeds"
"""


def test_a_log(tmp_path: Path) -> None:
    """No game that was listed is lost, and none is logged twice."""
    check({}, Scenario(LOGGED, LOGGED_AGAIN, is_unique=False), tmp_path)


# It stops once and goes on.
MATCH = "darkqi.arena('jieqi', 'random,greedy', games, seed=1, out=path, shard_games=4)"


def test_a_match(tmp_path: Path) -> None:
    code = f"for games in (12, 30): {MATCH}"
    check({}, Scenario(code, MATCH.replace("games", "30", 1)), tmp_path)
