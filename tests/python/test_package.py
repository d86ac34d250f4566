"""The package as installed: names, docstrings, examples, requirements."""

import ast
import doctest
import importlib.metadata
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import darkqi
import darkqi._darkqi as native

PUBLIC = [name for name in darkqi.__all__ if name != "__version__"]


def test_everything_exported_exists_in_order() -> None:
    assert darkqi.__all__ == sorted(darkqi.__all__)
    for name in darkqi.__all__:
        assert hasattr(darkqi, name)


@pytest.mark.parametrize("name", PUBLIC)
def test_everything_public_is_documented(name: str) -> None:
    thing = getattr(darkqi, name)
    assert inspect.getdoc(thing)
    if not inspect.isclass(thing) or issubclass(thing, Exception):
        return
    for member, value in vars(thing).items():
        if not member.startswith("_"):
            assert inspect.getdoc(value), f"{name}.{member}"


def test_editors_show_the_first_sentences_of_the_documentation() -> None:
    stub = ast.parse(Path(darkqi.__file__).with_name("_darkqi.pyi").read_text())
    owners = [(stub.body, native), *((c.body, getattr(native, c.name)) for c in classes(stub))]
    shown = {}
    for body, owner in owners:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[:2] != "__":
                told = " ".join(
                    (inspect.getdoc(getattr(owner, node.name)) or "").split("\n\n")[0].split()
                )
                expected = told.partition(". ")[0].rstrip(".") + "."
                assert " ".join((ast.get_docstring(node) or "").split()) == expected, node.name
                shown[node.name] = expected
    assert len(shown) > 100


def classes(stub: ast.Module) -> list[ast.ClassDef]:
    return [node for node in stub.body if isinstance(node, ast.ClassDef)]


def test_examples_in_docstrings_run() -> None:
    outcome = doctest.testmod(darkqi)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_only_numpy_is_required() -> None:
    required = importlib.metadata.requires("darkqi") or []
    always = [requirement for requirement in required if "extra ==" not in requirement]
    assert [requirement.split(">")[0] for requirement in always] == ["numpy"]


def test_adapters_are_imported_only_when_used() -> None:
    code = "import sys, darkqi; darkqi.make('banqi', 1).reset(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = {name.partition(".")[0] for name in done.stdout.split()}
    assert "numpy" in modules
    assert not modules & {"gymnasium", "pettingzoo", "pyspiel", "ray", "torch", "polars", "pyarrow"}


@pytest.mark.parametrize(
    ("module", "library", "extra"),
    [
        ("gymnasium", "gymnasium", "gymnasium"),
        ("pettingzoo", "pettingzoo", "pettingzoo"),
        ("openspiel", "pyspiel", "openspiel"),
        ("torchrl", "torchrl.data", "torchrl"),
        ("rllib", "ray.tune", "rllib"),
        ("sb3", "stable_baselines3.common", "sb3"),
        ("minari", "minari", "minari"),
        ("widget", "anywidget", "notebook"),
        ("torch", "torch", "torch"),
    ],
)
def test_missing_libraries_are_named_by_their_extra(module: str, library: str, extra: str) -> None:
    code = f"import sys; sys.modules[{library!r}] = None; import darkqi.{module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: darkqi" in done.stderr
    assert f"pip install 'darkqi[{extra}]'" in done.stderr
