"""The site builds without a warning, and its reference has every public name."""

import ast
import inspect
import re
import subprocess
import sys
import zlib
from html import unescape
from pathlib import Path

import pytest

import darkqi

pytest.importorskip("mkdocstrings", reason="the site needs the dependency group docs")

ROOT = Path(__file__).parents[2]

# Parsed and not imported, because their dependencies may be missing.
ADAPTERS = {
    "datasets": "datasets.py",
    "gymnasium": "gymnasium.py",
    "minari": "minari.py",
    "openspiel": "openspiel/__init__.py",
    "pettingzoo": "pettingzoo.py",
    "rllib": "rllib.py",
    "sb3": "sb3.py",
    "torch": "torch.py",
    "torchrl": "torchrl.py",
    "widget": "widget.py",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def documented(site: Path) -> set[str]:
    """Returns the names that the reference documents, from its inventory."""
    # Four lines of text, then a line per name, compressed.
    inventory = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    return {line.split()[0] for line in zlib.decompress(inventory).decode().splitlines()}


def exported(module: Path) -> list[str]:
    """Returns ``__all__`` of a module."""
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            return names
    raise AssertionError(f"{module} has no __all__")


def test_everything_public_is_in_the_reference(site: Path) -> None:
    names = documented(site)
    for name in darkqi.__all__:
        if name == "__version__":
            continue
        thing = getattr(darkqi, name)
        place = f"darkqi.results.{name}" if name in vars(darkqi.results) else f"darkqi.{name}"
        assert place in names
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            members = getattr(thing, "_fields", getattr(thing, "__match_args__", vars(thing)))
            public = {f"{place}.{member}" for member in members if member[0] != "_"}
            assert public <= names, public - names


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_adapters_are_in_the_reference(site: Path, adapter: str) -> None:
    public = exported(ROOT / "python" / "darkqi" / ADAPTERS[adapter])
    assert public
    assert {f"darkqi.{adapter}.{name}" for name in public} <= documented(site)


def test_the_native_docstrings_are_shown(site: Path) -> None:
    page = (site / "reference" / "darkqi" / "index.html").read_text(encoding="utf-8")
    shown = " ".join(unescape(re.sub(r"<[^>]+>", "", page)).split())
    natives = [darkqi.make, darkqi.State, darkqi.Env, darkqi.FenError]
    members = [value for name, value in vars(darkqi.State).items() if not name.startswith("_")]
    for thing in [*natives, *members]:
        summary = (inspect.getdoc(thing) or "").partition("\n\n")[0]
        assert summary
        assert " ".join(summary.replace("`", "").split()) in shown
    # Sections such as Args are parsed and not shown as text.
    assert "Args:" not in shown
