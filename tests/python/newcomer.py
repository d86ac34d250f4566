"""Goes through the pages as a newcomer does: with an installed wheel, and neither sources nor Rust.

    python tests/python/newcomer.py dist/darkqi-*.whl [PAGE ...]

Each page gets an empty folder, in which its Python blocks and commands run in order. What its
prose tells to install (`pip install 'darkqi[gymnasium]'`) is installed there, into a virtual
environment that only this page uses; a block that needs a library which its page does not install
fails. Outputs that stand below blocks are compared.

A block is left out, and listed with the reason, if the page marks it by `omit`, if it needs
PyTorch or another library of a gigabyte (`--heavy` runs it), or if its language is neither Python
nor a shell's. A mark `games: N` lowers the number of games of the commands of its block; from there
on the outputs of the page's commands are not compared. `tests/python/pages.py` describes the marks.

Without PAGE: the README, and every page of docs that has something to run. The exit code is 1 if a
page fails. This needs the standard library alone, and Linux or macOS.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from pages import Block, blocks

ROOT = Path(__file__).resolve().parents[2]
PAGES_PY = Path(__file__).resolve().with_name("pages.py")

# What brings PyTorch or Ray: gigabytes.
HEAVY_EXTRAS = {"all", "rllib", "sb3", "torch", "torchrl", "train"}
HEAVY_PROJECTS = {"ray", "sb3-contrib", "stable-baselines3", "tianshou", "torch", "torchrl"}
HEAVY_MODULES = {"ray", "sb3_contrib", "stable_baselines3", "tianshou", "torch", "torchrl"}

_INSTALL = re.compile(r"`pip\s+install\s+([^`]+)`")


class PageError(Exception):
    """A page does not work: its line, and what was shown."""

    def __init__(self, line: int, shown: str) -> None:
        """Keeps both."""
        super().__init__(line, shown)
        self.line = line
        self.shown = shown


class Session:
    """A page, with a folder, the packages it has installed, and a Python that keeps its names."""

    def __init__(self, page: Path, folder: Path, venv: Path, options: argparse.Namespace) -> None:
        """Makes the folders of work and home within ``folder``."""
        self.page = page
        self.folder = folder / "work"
        self.folder.mkdir()
        self.scripts = folder / "script.sh"
        self.venv = venv
        self.options = options
        self.ran = {"python": 0, "sh": 0}
        self.left_out: list[tuple[int, str]] = []
        self.full_games = True
        self.python: subprocess.Popen[str] | None = None
        bin_folder = venv / "bin"
        home = folder / "home"
        home.mkdir()
        self.environment = {
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "PATH": os.pathsep.join([str(bin_folder), *tools()]),
            "VIRTUAL_ENV": str(venv),
        }

    def go_through(self) -> None:
        """Runs everything in order.

        Raises:
            PageError: Something did not work.
        """
        try:
            for line, part in parts(self.page):
                if isinstance(part, Block):
                    self.block(part)
                else:
                    self.install(line, part)
        finally:
            if self.python is not None:
                self.python.kill()
                self.python.communicate()

    def install(self, line: int, requirements: list[str]) -> None:
        """Installs what the prose tells to."""
        if reason := why_not_installed(requirements, self.options.heavy):
            self.left_out.append((line, f"pip install {' '.join(requirements)}: {reason}"))
            return
        try:
            pip_install(self.venv, requirements)
        except subprocess.CalledProcessError as error:
            raise PageError(line, error.stdout) from None

    def block(self, block: Block) -> None:
        """Runs a block, or notes why not."""
        reason = block.omit
        if block.language not in self.ran:
            if block.language == "text":
                return
            reason = f"written in {block.language}"
        heavy = HEAVY_MODULES.intersection(block.needs)
        if heavy and not self.options.heavy:
            reason = f"needs {', '.join(sorted(heavy))}: gigabytes"
        if reason is not None:
            self.left_out.append((block.line, reason))
            return
        if block.language == "python":
            printed = self.run_python(block)
            good = block.printed in (None, printed)
        else:
            printed = self.run_commands(block)
            good = not self.full_games or block.printed is None or block.printed in printed
            if block.printed is not None and not self.full_games:
                self.left_out.append((block.line, "output not compared: it is of more games"))
        if not good:
            raise PageError(
                block.line, f"the page shows\n{block.printed}\nbut it printed\n{printed}"
            )
        self.ran[block.language] += 1

    def run_python(self, block: Block) -> str:
        """Runs a block of Python after the ones before it, and returns what it printed."""
        if self.python is None:
            # Isolated, so that neither the folder of the tests nor a user's packages are found.
            self.python = subprocess.Popen(
                [str(self.venv / "bin" / "python"), "-I", str(PAGES_PY)],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        python = self.python
        assert python.stdin is not None
        assert python.stdout is not None
        question = {
            "page": str(self.page),
            "code": block.at_its_line,
            "needs": block.needs,
            "types": block.types,
        }
        late = threading.Timer(self.options.seconds, python.kill)
        late.start()
        try:
            python.stdin.write(json.dumps(question) + "\n")
            python.stdin.flush()
            line = python.stdout.readline()
        finally:
            late.cancel()
        if not line:
            raise PageError(block.line, f"Python ended, or ran over {self.options.seconds} s")
        answer = json.loads(line)
        if "missing" in answer:
            absent = ", ".join(answer["missing"])
            raise PageError(block.line, f"needs {absent}, and the page has not installed it")
        if "error" in answer:
            raise PageError(block.line, answer["error"])
        return str(answer["printed"])

    def run_commands(self, block: Block) -> str:
        """Runs commands until one fails, and returns what they printed."""
        if block.needs:
            raise PageError(block.line, "a mark `needs` before commands has no meaning")
        code = block.at_its_line
        if block.games is not None:
            code = re.sub(r"--games \d+", f"--games {block.games}", code)
            self.full_games = False
        # The number that the trap prints is the line of the page.
        trap = """trap 'echo "line $LINENO: $BASH_COMMAND: exit status $?" >&2' ERR; set -e; """
        self.scripts.write_text(f"{trap}{code}")
        try:
            done = subprocess.run(
                ["bash", str(self.scripts)],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=self.options.seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise PageError(
                block.line, f"ran over {self.options.seconds} s:\n{block.code}"
            ) from None
        if done.returncode:
            said = re.search(r"^line (\d+): .*: exit status", done.stderr, re.M)
            raise PageError(int(said[1]) if said else block.line, done.stdout[-2000:] + done.stderr)
        return done.stdout


def parts(page: Path) -> Iterator[tuple[int, Block | list[str]]]:
    """Yields the blocks of a page, and what its prose tells to install, in their order."""
    found: list[tuple[int, Block | list[str]]] = [(block.line, block) for block in blocks(page)]
    text = page.read_text(encoding="utf-8")
    # Blocks keep their lines, so that the lines of the prose stay right.
    fences = re.compile(r"^```.*?^```$", re.M | re.S)
    prose = fences.sub(lambda block: "\n" * block[0].count("\n"), text)
    for match in _INSTALL.finditer(prose):
        found.append((prose.count("\n", 0, match.start()) + 1, shlex.split(match[1])))
    return iter(sorted(found, key=lambda part: part[0]))


def why_not_installed(requirements: list[str], heavy: bool) -> str | None:
    """Returns why these are not installed, or None if they are."""
    if any(requirement.startswith(".") for requirement in requirements):
        return "needs the sources"
    return "gigabytes" if not heavy and any(map(is_heavy, requirements)) else None


def is_heavy(requirement: str) -> bool:
    """Returns whether a requirement brings gigabytes."""
    name, _, extras = requirement.rstrip("]").partition("[")
    return name in HEAVY_PROJECTS or not HEAVY_EXTRAS.isdisjoint(extras.split(","))


def has_something_to_run(page: Path) -> bool:
    """Returns whether a page has Python or commands."""
    return any(block.language in ("python", "sh") for block in blocks(page))


def pip_install(venv: Path, requirements: list[str]) -> None:
    """Installs packages.

    Raises:
        CalledProcessError: pip failed; ``stdout`` has what it said.
    """
    command = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run(
        [*command, "--disable-pip-version-check", *requirements],
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def environment_with(wheel: Path, folder: Path) -> Path:
    """Returns a new virtual environment that has the wheel and what it needs."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    pip_install(folder, [str(wheel)])
    return folder


def tools() -> list[str]:
    """Returns the folders of the system's commands.

    Raises:
        SystemExit: Rust is among them, so that a page could build something unseen.
    """
    folders = [folder for folder in ("/usr/bin", "/bin") if Path(folder).is_dir()]
    for tool in ("cargo", "rustc", "darkqi"):
        if found := shutil.which(tool, path=os.pathsep.join(folders)):
            sys.exit(f"{found} would be found, which a newcomer with a wheel does not have")
    return folders


def go_through(page: Path, place: Path, common: Path, options: argparse.Namespace) -> bool:
    """Goes through a page, reports it, and returns whether it works."""
    name = page.relative_to(ROOT).as_posix()
    place.mkdir()
    start = time.monotonic()
    installs = any(
        not isinstance(part, Block) and why_not_installed(part, options.heavy) is None
        for _, part in parts(page)
    )
    venv = environment_with(options.wheel, place / "venv") if installs else common
    session = Session(page, place, venv, options)
    failure = None
    try:
        session.go_through()
    except PageError as error:
        failure = error
    ran = f"{session.ran['python']} of Python, {session.ran['sh']} of commands"
    seconds = time.monotonic() - start
    print(f"{name}: {'FAILED' if failure else 'works'}; ran blocks: {ran} ({seconds:.0f} s)")
    for line, reason in session.left_out:
        print(f"    {name}:{line} left out: {reason}")
    if failure:
        print(f"    {name}:{failure.line}:")
        print("".join(f"    | {line}\n" for line in failure.shown.splitlines()[-60:]))
    sys.stdout.flush()
    # Packages take hundreds of megabytes.
    shutil.rmtree(place)
    return failure is None


def main() -> int:
    """Returns the exit code."""
    about, _, rest = __doc__.partition("\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=lambda path: Path(path).resolve(strict=True))
    parser.add_argument("pages", nargs="*", type=lambda path: Path(path).resolve(strict=True))
    parser.add_argument("--heavy", action="store_true", help="install PyTorch and Ray, too")
    parser.add_argument("--seconds", type=float, default=300.0, help="limit for a block (300)")
    options = parser.parse_args()
    candidates = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    # The design lists calls, which are no program.
    pages = options.pages or [
        page for page in candidates if page.name != "DESIGN.md" and has_something_to_run(page)
    ]
    with tempfile.TemporaryDirectory(prefix="newcomer-") as folder:
        common = environment_with(options.wheel, Path(folder) / "venv")
        good = [
            go_through(page, Path(folder) / f"{number:02}", common, options)
            for number, page in enumerate(pages)
        ]
    print(f"{sum(good)} of {len(good)} pages work with {options.wheel.name}")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
