"""The reference: it has every public name, says what is promised, and is as generated."""

import ast
from collections.abc import Iterator

import command_line
import pytest
import reference

import darkqi._darkqi as native

STALE = "scripts/reference.sh writes it anew"


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yields every documented function and method, with its full name."""
    for module, names in reference.pages().items():
        for name in names:
            node = reference.definition(module, name).node
            if isinstance(node, ast.FunctionDef):
                yield f"{module}.{name}", node
            elif isinstance(node, ast.ClassDef):
                for method in reference.methods(node):
                    yield f"{module}.{name}.{method.name}", method


def test_editors_show_the_documentation_of_compiled_names() -> None:
    stub = reference.STUB.read_text(encoding="utf-8")
    assert reference.with_docstrings(stub, native) == stub, STALE


@pytest.mark.parametrize("module", reference.pages())
def test_pages_are_as_generated(module: str) -> None:
    page = reference.FOLDER / reference.page_of(module)
    text = page.read_text(encoding="utf-8")
    assert text == reference.page(module), STALE
    # GitHub and the site number equal ones differently.
    anchors = [reference.anchor(line) for line in text.splitlines() if line.startswith("#")]
    assert len({*anchors}) == len(anchors)


def test_the_index_lists_all_pages() -> None:
    index = (reference.FOLDER / "index.md").read_text(encoding="utf-8")
    pages = {"index.md", *map(reference.page_of, reference.pages())}
    assert {page.name for page in reference.FOLDER.iterdir()} == pages
    assert all(f"({page})" in index for page in pages - {"index.md"})


def test_the_page_of_the_command_line_is_as_generated() -> None:
    assert command_line.PAGE.read_text(encoding="utf-8") == command_line.page(), STALE


def test_every_field_and_type_is_documented() -> None:
    found = 0
    for module, names in reference.pages().items():
        for name in names:
            home = reference.definition(module, name)
            assert home.below or isinstance(home.node, ast.ClassDef | ast.FunctionDef), name
            if isinstance(home.node, ast.ClassDef):
                for field in reference.fields(home):
                    assert field.doc, f"{module}.{name}.{field.name}"
                    found += 1
    assert found > 400


def test_intervals_have_one_form() -> None:
    """A field with the end of an interval is one of an estimate, or of a bin."""
    for name in reference.exported("darkqi.results"):
        home = reference.definition("darkqi.results", name)
        names = [field.name for field in reference.fields(home)]
        if {"low", "high"} & {*names}:
            assert names[:3] == ["value", "low", "high"] or name == "PredictionBin"


def test_functions_say_what_they_return_and_refuse() -> None:
    found = 0
    for name, function in functions():
        doc = reference.doc(function)
        sections = [line.removesuffix(":") for line in doc.splitlines() if line.endswith(":")]
        returns = ast.unparse(function.returns) if function.returns else "None"
        if "Args" in sections and returns != "None":
            begins = doc.split()[0] in ("Returns", "Yields", "Lists", "Iterates")
            assert begins or "Returns" in sections, name
        arguments = [one.arg for one in (*function.args.args, *function.args.kwonlyargs)]
        if "viewer" in arguments and "Args" in sections:
            assert "ValueError: " in doc, name
            found += 1
        for argument in arguments:
            if argument not in ("self", "cls") and "Args" in sections:
                assert f"    {argument}: " in doc, f"{name}: {argument}"
    assert found >= 7


def test_signatures_have_no_private_names() -> None:
    for module in reference.pages():
        for line in reference.page(module).splitlines():
            if line.startswith("    ") and ": " in line:
                assert not line.split(": ")[1].startswith("_"), f"{module}: {line}"


def test_links_and_sections_of_a_docstring() -> None:
    told = """Does it as `Env` and ``darkqi.results.Estimate`` do.

- `State`: no link to itself.

>>> run(2)  # doctest: +SKIP

Args:
    one: Text of
        two lines.

Returns:
    A `Reveal`, by docs/RULES.md.

After all.
"""
    expected = """Does it as [`Env`](#env) and [`darkqi.results.Estimate`](results.md#estimate) do.

- `State`: no link to itself.

```pycon
>>> run(2)
```

**Arguments:**

- `one`: Text of two lines.

**Returns:** A [`Reveal`](#reveal), by [RULES.md](../RULES.md).

After all.
"""
    assert reference.prose(told, reference.Place("darkqi", "State.fen")) == expected
