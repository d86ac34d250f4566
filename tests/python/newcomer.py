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
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from pages import Block, blocks, missing, run_python

ROOT = Path(__file__).resolve().parents[2]

# What brings PyTorch or Ray: gigabytes.
HEAVY_EXTRAS = {"all", "learn", "ray", "rllib", "sb3", "torch", "torchrl", "train"}
HEAVY_PROJECTS = {"ray", "sb3-contrib", "stable-baselines3", "tianshou", "torch", "torchrl"}
HEAVY_MODULES = {name.replace("-", "_") for name in HEAVY_PROJECTS}

_INSTALL = re.compile(r"`pip\s+install\s+([^`]+)`")


class PageError(Exception):
    """A page does not work: its line, and what was shown."""

    def __init__(self, line: int, shown: str) -> None:
        """Keeps both."""
        super().__init__(line, shown)
        self.line, self.shown = line, shown


class Session:
    """A page that this Python goes through in the working directory."""

    def __init__(self, page: Path, heavy: bool) -> None:
        """Has run nothing yet."""
        self.page, self.heavy = page, heavy
        self.ran = {"python": 0, "sh": 0}
        self.left_out: list[tuple[int, str]] = []
        self.full_games = True
        self.names: dict[str, object] = {}

    def go_through(self) -> None:
        """Runs everything in order.

        Raises:
            PageError: Something did not work.
        """
        for line, part in parts(self.page):
            if isinstance(part, Block):
                self.block(part)
            elif reason := why_not_installed(part, self.heavy):
                self.left_out.append((line, f"pip install {' '.join(part)}: {reason}"))
            else:
                done = pip_install(Path(sys.executable), part)
                if done.returncode:
                    raise PageError(line, done.stdout)
                importlib.invalidate_caches()

    def block(self, block: Block) -> None:
        """Runs a block, or notes why not."""
        reason = block.omit
        if block.language not in self.ran:
            if block.language == "text":
                return
            reason = f"written in {block.language}"
        heavy = HEAVY_MODULES.intersection(block.needs)
        if heavy and not self.heavy:
            reason = f"needs {', '.join(sorted(heavy))}: gigabytes"
        if reason is not None:
            self.left_out.append((block.line, reason))
            return
        if block.language == "python":
            printed = self.python(block)
            good = block.printed in (None, printed)
        else:
            printed = self.commands(block)
            good = not self.full_games or block.printed is None or block.printed in printed
            if block.printed is not None and not self.full_games:
                self.left_out.append((block.line, "output not compared: it is of more games"))
        if not good:
            raise PageError(
                block.line, f"the page shows\n{block.printed}\nbut it printed\n{printed}"
            )
        self.ran[block.language] += 1

    def python(self, block: Block) -> str:
        """Runs a block of Python after the ones before it, and returns what it printed."""
        if absent := ", ".join(missing(block.needs)):
            raise PageError(block.line, f"needs {absent}, and the page has not installed it")
        try:
            return run_python(str(self.page), block.at_its_line, block.types, self.names)
        except (Exception, SystemExit):
            raise PageError(block.line, traceback.format_exc()) from None

    def commands(self, block: Block) -> str:
        """Runs commands until one fails, and returns what they printed."""
        if block.needs:
            raise PageError(block.line, "a mark `needs` before commands has no meaning")
        code = block.at_its_line
        if block.games is not None:
            code = re.sub(r"--games \d+", f"--games {block.games}", code)
            self.full_games = False
        # The number that the trap prints is the line of the page.
        trap = """trap 'echo "line $LINENO: $BASH_COMMAND: exit status $?" >&2' ERR; set -e; """
        done = subprocess.run(
            ["bash", "-c", f"{trap}{code}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
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
    if any(requirement.startswith(".") for requirement in requirements):
        return "needs the sources"
    return "gigabytes" if not heavy and any(map(is_heavy, requirements)) else None


def is_heavy(requirement: str) -> bool:
    name, _, extras = requirement.rstrip("]").partition("[")
    return name in HEAVY_PROJECTS or not HEAVY_EXTRAS.isdisjoint(extras.split(","))


def pip_install(python: Path, requirements: list[str]) -> subprocess.CompletedProcess[str]:
    """Installs packages; ``stdout`` has what pip said."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return subprocess.run([*command, *requirements], check=False, text=True, stdout=-1, stderr=-2)


def environment(python: Path, home: Path) -> dict[str, str]:
    """Returns the variables of a newcomer.

    Raises:
        SystemExit: Rust is among the system's commands, so that a page could build unseen.
    """
    folders = [folder for folder in ("/usr/bin", "/bin") if Path(folder).is_dir()]
    for tool in ("cargo", "rustc", "darkqi"):
        if found := shutil.which(tool, path=os.pathsep.join(folders)):
            sys.exit(f"{found} would be found, which a newcomer with a wheel does not have")
    path = os.pathsep.join([str(python.parent), *folders])
    return {"HOME": str(home), "LANG": "C.UTF-8", "PATH": path}


def in_process(page: Path, place: Path, options: argparse.Namespace) -> bool:
    """Goes through a page by a Python that has the wheel, and returns whether it works."""
    for name in ("work", "home"):
        (place / name).mkdir(parents=True)
    subprocess.run([sys.executable, "-m", "venv", str(place / "venv")], check=True)
    python = place / "venv" / "bin" / "python"
    pip_install(python, [str(options.wheel)]).check_returncode()
    heavy = ["--heavy"] * options.heavy
    try:
        # Isolated, so that neither the folder of the tests nor a user's packages are found.
        done = subprocess.run(
            [str(python), "-I", __file__, "--here", *heavy, str(options.wheel), str(page)],
            cwd=place / "work",
            env=environment(python, place / "home"),
            timeout=options.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        print(f"{page}: FAILED; ran over {options.seconds} s", flush=True)
        return False
    finally:
        # Packages take hundreds of megabytes.
        shutil.rmtree(place)
    return done.returncode == 0


def here(page: Path, heavy: bool) -> int:
    """Goes through a page by this Python, reports it, and returns the exit code."""
    name, failure = page.relative_to(ROOT).as_posix(), None
    session = Session(page, heavy)
    try:
        session.go_through()
    except PageError as error:
        failure = error
    ran = f"{session.ran['python']} of Python, {session.ran['sh']} of commands"
    print(f"{name}: {'FAILED' if failure else 'works'}; ran blocks: {ran}")
    for line, reason in session.left_out:
        print(f"    {name}:{line} left out: {reason}")
    if failure:
        print(f"    {name}:{failure.line}:")
        print("".join(f"    | {line}\n" for line in failure.shown.splitlines()[-60:]))
    return 1 if failure else 0


def main() -> int:
    about, _, rest = __doc__.partition("\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=lambda path: Path(path).resolve(strict=True))
    parser.add_argument("pages", nargs="*", type=lambda path: Path(path).resolve(strict=True))
    parser.add_argument("--heavy", action="store_true", help="install PyTorch and Ray, too")
    parser.add_argument("--seconds", type=float, default=1800.0, help="limit for a page (1800)")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        return here(options.pages[0], options.heavy)
    # The design lists calls, which are no program.
    pages = options.pages or [
        page
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
        if page.name != "DESIGN.md" and any(it.language in ("python", "sh") for it in blocks(page))
    ]
    with tempfile.TemporaryDirectory(prefix="newcomer-") as folder:
        places = (Path(folder) / f"{number:02}" for number in range(len(pages)))
        good = [in_process(*pair, options) for pair in zip(pages, places, strict=True)]
    print(f"{sum(good)} of {len(good)} pages work with {options.wheel.name}")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
