"""Writes the pages of docs/reference and the docstrings of the stub: ``scripts/reference.sh``.

Pages are read from the sources, so that an adapter needs no library to be documented. Docstrings of
compiled functions and classes come from the built module and are kept in the stub, where editors
find them, and from which the pages are made like the others.
"""

import ast
import contextlib
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "darkqi"
STUB = PACKAGE / "_darkqi.pyi"
FOLDER = ROOT / "docs" / "reference"

# The sections of the page of `darkqi`. Results have a page of their own.
SECTIONS = {
    "Games": "games spec Spec Army OptionInfo Symmetry",
    "Batches": "make Env TimeStep",
    "Single games": "State Outcome Reveal",
    "Agents": (
        "agents AgentInfo AgentOption levels Level AgentDict Policy Decisions baseline Baseline"
    ),
    "Self-play and matches": "selfplay finish arena",
    "Logged games": "verify replay",
    "Analysis": (
        "first_reveal compare piece_values piece_values_by_phase piece_values_by_region strength "
        "sweep balance_values report exploitability"
    ),
    "Errors": "IllegalActionError FenError DatasetError InternalError",
}

# Each adapter with the page that has examples.
GUIDES = {
    "gymnasium": "gymnasium.md",
    "pettingzoo": "libraries.md",
    "rllib": "libraries.md",
    "ray": "cluster.md",
    "torchrl": "libraries.md",
    "openspiel": "libraries.md",
    "widget": "play.md",
    "datasets": "datasets.md",
    "onnx": "nets.md",
    "torch": "datasets.md",
    "nets": "nets.md",
    "learning": "nets.md",
    "learn": "tutorials/train-an-agent.md",
    "train": "nets.md",
    "minari": "datasets.md",
    "sb3": "libraries.md",
}
EXTRAS = {"learning": "torch", "nets": "torch", "widget": "notebook"}

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_WIDTH = 88
_SECTION = re.compile(r"(Args|Attributes|Returns|Raises|Yields):")
_QUOTED = re.compile(r"(?P<ticks>``?)(?P<text>[^`\n]+)(?P=ticks)")
_NAME = re.compile(r"(?P<name>[A-Za-z_][\w.]*)(?:\(\))?")


class Found(NamedTuple):
    """A definition, where it is, and the docstring below an assignment."""

    module: str
    node: ast.stmt
    below: str


class Place(NamedTuple):
    """What is being documented: its module, and its class and name in it."""

    module: str
    name: str


@cache
def tree(module: str) -> ast.Module:
    """Reads a module of the package, or its stub."""
    base = PACKAGE.parent.joinpath(*module.split("."))
    files = (base.with_suffix(".pyi"), base.with_suffix(".py"), base / "__init__.py")
    return ast.parse(next(file for file in files if file.is_file()).read_text(encoding="utf-8"))


def code(node: ast.expr) -> str:
    """Returns an expression in one line, quoted as the sources are. No text in it has quotes."""
    return ast.unparse(node).replace("'", '"')


def exported(module: str) -> list[str]:
    """Returns the names that a module exports; without ``__all__``, its public classes."""
    body = tree(module).body
    for node in body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            return names
    return [node.name for node in body if isinstance(node, ast.ClassDef)]


def definition(module: str, name: str) -> Found:
    """Finds a definition, through imports between modules of the package.

    Raises:
        LookupError: There is none.
    """
    body = tree(module).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("darkqi"):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return definition(node.module or "", alias.name)
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return Found(module, node, "")
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name:
            return Found(module, node, text_of(after))
    raise LookupError(f"{module} defines no {name}")


def text_of(node: ast.stmt | None) -> str:
    """Returns the docstring that a statement is; empty for another one."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return inspect.cleandoc(node.value.value) if isinstance(node.value.value, str) else ""
    return ""


def doc(node: _Function | ast.ClassDef) -> str:
    """Returns the docstring of a function or class."""
    return ast.get_docstring(node) or ""


def is_public(name: str) -> bool:
    """Tells whether a name is for users."""
    return not name.startswith("_")


class Field(NamedTuple):
    """A field or property of a class."""

    name: str
    annotation: ast.expr | None
    doc: str
    default: ast.expr | None


def bases(of: ast.ClassDef) -> list[str]:
    """Returns the names of what a class builds on."""
    return [ast.unparse(base).partition("[")[0] for base in of.bases]


def ancestry(found: Found) -> Iterator[ast.ClassDef]:
    """Yields the classes of the package that a class builds on, and then itself."""
    assert isinstance(found.node, ast.ClassDef)
    for base in bases(found.node):
        with contextlib.suppress(LookupError):
            yield from ancestry(definition(found.module, base))
    yield found.node


def is_record(found: Found) -> bool:
    """Tells whether a class is a tuple with names, or a result."""
    return any({"NamedTuple", "Result"} & {*bases(one)} for one in ancestry(found))


def fields(found: Found) -> Iterator[Field]:
    """Yields the fields and properties of a class, inherited ones first."""
    for of in ancestry(found):
        for node, after in zip(of.body, [*of.body[1:], None], strict=True):
            if isinstance(node, ast.AnnAssign) and is_public(name := ast.unparse(node.target)):
                if is_record(found) or text_of(after):
                    yield Field(name, node.annotation, text_of(after), node.value)
            elif isinstance(node, ast.FunctionDef) and is_property(node) and is_public(node.name):
                yield Field(node.name, node.returns, doc(node), None)


def is_property(node: _Function) -> bool:
    """Tells whether a method is read like a field."""
    return any(ast.unparse(one).endswith("property") for one in node.decorator_list)


def methods(of: ast.ClassDef) -> list[ast.FunctionDef]:
    """Returns the public methods of a class that have a docstring, and ``__call__``."""
    return [
        node
        for node in of.body
        if isinstance(node, ast.FunctionDef)
        and (is_public(node.name) or node.name == "__call__")
        and not is_property(node)
        and doc(node)
    ]


def constructor(of: ast.ClassDef) -> ast.FunctionDef | None:
    """Returns what makes objects of a class, if it takes arguments."""
    for node in of.body:
        if isinstance(node, ast.FunctionDef) and node.name in ("__init__", "__new__"):
            return node
    return None


def pages() -> dict[str, list[str]]:
    """Returns the modules that have a page, each with the names on it, in their order."""
    of_darkqi = [name for names in SECTIONS.values() for name in names.split()]
    results = exported("darkqi.results")
    lacking = set(exported("darkqi")) - {*of_darkqi, *results, "__version__"}
    if lacking:
        raise LookupError(f"SECTIONS of {__file__} lacks {', '.join(sorted(lacking))}")
    adapters = {f"darkqi.{name}": exported(f"darkqi.{name}") for name in GUIDES}
    return {"darkqi": of_darkqi, "darkqi.results": results, **adapters}


@cache
def places() -> dict[str, str]:
    """Returns where everything is documented: a page with an anchor, by full name."""
    found: dict[str, str] = {}
    for module, names in pages().items():
        for name in names:
            home = definition(module, name)
            node = home.node
            address = f"{page_of(module)}#{anchor(heading_of(module, name, node))}"
            found[f"{module}.{name}"] = address
            if isinstance(node, ast.ClassDef):
                for field in fields(home):
                    found[f"{module}.{name}.{field.name}"] = address
                for method in methods(node):
                    heading = f"{name}.{method.name}"
                    found[f"{module}.{heading}"] = f"{page_of(module)}#{anchor(heading)}"
    return found


def heading_of(module: str, name: str, node: ast.stmt) -> str:
    """Returns the heading of a name. That of a function differs from a class in more than case."""
    return f"{module}.{name}" if isinstance(node, ast.FunctionDef) else name


def page_of(module: str) -> str:
    """Returns the file of a module's page."""
    return module.rpartition(".")[2] + ".md"


def anchor(heading: str) -> str:
    """Returns the anchor that GitHub gives a heading, as the site does."""
    return re.sub(r"[^\w-]", "", heading.lower())


def linked(text: str, place: Place) -> str:
    """Links what is quoted in a text to where it is documented, and pages that it names."""

    def quoted(match: re.Match[str]) -> str:
        text = match["text"]
        name = _NAME.fullmatch(text)
        target = name and address(name["name"], place)
        return f"[`{text}`]({target})" if target else f"`{text}`"

    text = _QUOTED.sub(quoted, text)
    return re.sub(r"(?<![\w/])docs/([\w./-]+?\.md)(#[\w-]+)?", r"[\1](../\1\2)", text)


def address(name: str, place: Place) -> str | None:
    """Returns where a name of a text is documented, from the page of a place.

    Words that may be arguments are not looked up: only names of classes and dotted ones are.
    """
    if not ("." in name or name[0].isupper()):
        return None
    owner = place.name.partition(".")[0]
    scopes = (f"{place.module}.{owner}.", f"{place.module}.", "darkqi.", "darkqi.results.", "")
    for full in (scope + name for scope in scopes):
        if full in places():
            page, _, part = places()[full].partition("#")
            # Nothing links to itself.
            if full in (f"{place.module}.{place.name}", f"{place.module}.{owner}"):
                return None
            return f"#{part}" if page == page_of(place.module) else places()[full]
    return None


def typed(annotation: ast.expr | None, module: str, place: Place) -> str:
    """Returns a type as Markdown, with links."""
    if annotation is None:
        return ""
    code = code_of(annotation, module)
    parts = re.split(r"([A-Za-z_][\w.]*|\"[^\"]*\")", code)
    shown = []
    for part in parts:
        target = address(part, place) if part[:1].isalpha() else None
        shown.append(f"[{part}]({target})" if target else re.sub(r"([\[\]|*_<])", r"\\\1", part))
    return "".join(shown)


def code_of(annotation: ast.expr, module: str) -> str:
    """Returns a type as code, without the private names of the package's modules."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value
    text = code(annotation)
    for name, meaning in aliases(module):
        # No meaning has a backslash, which would be read as a group of the pattern.
        text = re.sub(rf"\b{name}\b", meaning, text)
    # Numpy's integers are among them, as the index of the reference says.
    return re.sub(r"\bSupportsIndex\b", "int", text)


@cache
def aliases(module: str) -> list[tuple[str, str]]:
    """Returns the names of types in a module that have no documentation, with their meanings."""
    found: list[tuple[str, str]] = []
    for node in tree(module).body:
        if isinstance(node, ast.ImportFrom) and node.module == "darkqi.datasets":
            found += aliases(node.module)
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            name, value = ast.unparse(node.target), node.value
            if value is not None and f"darkqi.{name}" not in places():
                # The last ones first, because they are made of those before.
                found.insert(0, (name, code(value)))
    return found


def signature(name: str, of: _Function, module: str) -> str:
    """Returns a call as a block of code: in one line, or a line per argument."""
    args = of.args

    def one(arg: ast.arg, default: ast.expr | None, star: str = "") -> str:
        told = f": {code_of(arg.annotation, module)}" if arg.annotation else ""
        equals = " = " if told else "="
        return f"{star}{arg.arg}{told}" + (f"{equals}{code(default)}" if default else "")

    plain = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(plain) - len(args.defaults)) + args.defaults
    given = [one(arg, default) for arg, default in zip(plain, defaults, strict=True)]
    if plain and plain[0].arg in ("self", "cls"):
        given = given[1:]
    if args.vararg:
        given.append(one(args.vararg, None, "*"))
    elif args.kwonlyargs:
        given.append("*")
    given += map(one, args.kwonlyargs, args.kw_defaults)
    if args.kwarg:
        given.append(one(args.kwarg, None, "**"))
    makes = of.name in ("__init__", "__new__")
    returns = "" if makes or of.returns is None else f" -> {code_of(of.returns, module)}"
    line = f"{name}({', '.join(given)}){returns}"
    if len(line) > _WIDTH:
        lines = "".join(f"    {argument},\n" for argument in given)
        line = f"{name}(\n{lines}){returns}"
    # Only blocks of `python` are run by the tests of pages.
    return f"```py\n{line}\n```\n"


def prose(text: str, place: Place) -> str:
    """Returns a docstring as Markdown."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines():
        if title := _SECTION.fullmatch(line):
            parts.append((title[1], []))
        else:
            if parts[-1][0] and line and not line.startswith(" "):
                parts.append(("", []))
            parts[-1][1].append(line)
    return "\n".join(section(title, lines, place) for title, lines in parts if any(lines))


def section(title: str, lines: list[str], place: Place) -> str:
    """Returns a section of a docstring as Markdown."""
    text = inspect.cleandoc("\n" + "\n".join(lines))
    if not title:
        return paragraphs(text, place)
    if title in ("Returns", "Yields"):
        return f"**{title}:** {paragraphs(text, place)}"
    entries = re.split(r"\n(?=\S)", text)
    listed = []
    for entry in entries:
        name, _, about = entry.partition(": ")
        shown = linked(f"`{name}`", place) if title == "Raises" else f"`{name}`"
        listed.append(f"- {shown}: {linked(' '.join(about.split()), place)}\n")
    heading = {"Args": "Arguments"}.get(title, title)
    return f"**{heading}:**\n\n{''.join(listed)}"


def paragraphs(text: str, place: Place) -> str:
    """Returns text, its lists and its code as Markdown."""
    shown = []
    for paragraph in text.split("\n\n"):
        if paragraph.startswith(">>> "):
            code = re.sub(r" *# doctest: .*", "", paragraph)
            shown.append(f"```pycon\n{code}\n```")
        elif paragraph.startswith("    "):
            shown.append(f"```text\n{inspect.cleandoc(paragraph)}\n```")
        else:
            shown.append(linked(re.sub(r"\n(?![-|] )\s*", " ", paragraph), place))
    return "\n\n".join(shown) + "\n"


def documented(module: str, name: str, level: int) -> Iterator[str]:
    """Yields the parts of the documentation of a name that a module exports."""
    found = definition(module, name)
    node, home, place = found.node, found.module, Place(module, name)
    yield f"{'#' * level} {heading_of(module, name, node)}\n"
    if isinstance(node, ast.FunctionDef):
        yield signature(f"{module}.{name}", node, home)
        yield prose(doc(node), place)
    elif isinstance(node, ast.ClassDef):
        yield from documented_class(module, name, found, level)
    elif isinstance(node, ast.AnnAssign) and node.value:
        yield f"```py\n{name} = {code_of(node.value, home)}\n```\n"
        yield prose(found.below, place)


def documented_class(module: str, name: str, found: Found, level: int) -> Iterator[str]:
    """Yields the parts of the documentation of a class."""
    node, home, place = found.node, found.module, Place(module, name)
    assert isinstance(node, ast.ClassDef)
    new = constructor(node)
    if new:
        yield signature(f"{module}.{name}", new, home)
    yield prose(doc(node), place)
    if new and doc(new):
        # Its first line says that it makes what the class is.
        yield prose(doc(new).partition("\n\n")[2], place)
    if makers := [f"`{maker}`" for maker in returning(name)]:
        yield linked(f"Returned by {' and '.join(makers)}.\n", place)
    if not is_record(found) and (shown := [f"`{base}`" for base in bases(node) if is_public(base)]):
        yield f"Bases: {', '.join(shown)}\n"
    listed = [described(field, found, place) for field in fields(found)]
    if listed:
        if not is_record(found):
            yield "**Attributes:**\n"
        yield "".join(listed)
    for method in methods(node):
        heading = f"{name}.{method.name}"
        yield f"{'#' * (level + 1)} {heading}\n".replace("__", r"\_\_")
        called = "" if method.name == "__call__" else f".{method.name}"
        yield signature(f"{name}{called}", method, home)
        yield prose(doc(method), Place(module, heading))


@cache
def returning(name: str) -> list[str]:
    """Returns the functions of darkqi that return a result of this name."""
    found = []
    for function in pages()["darkqi"]:
        node = definition("darkqi", function).node
        if isinstance(node, ast.FunctionDef) and node.returns and code(node.returns) == name:
            found.append(f"darkqi.{function}")
    return found if name in exported("darkqi.results") else []


def described(field: Field, found: Found, place: Place) -> str:
    """Returns a field or property as an entry of a list."""
    told = prose(field.doc, place).rstrip()
    if field.default is not None:
        told += f" Default: `{code(field.default)}`."
    # What follows the first paragraph belongs to the entry by its indent.
    told = re.sub(r"\n(?=.)", "\n    ", told)
    return f"- `{field.name}` ({typed(field.annotation, found.module, place)}): {told}\n"


def page(module: str) -> str:
    """Returns the page of a module."""
    names = pages()[module]
    start = [f"# {module}\n", "<!-- Generated from the docstrings by scripts/reference.sh. -->\n"]
    start.append(prose(ast.get_docstring(tree(module)) or "", Place(module, "")))
    if module != "darkqi.results":
        start.append("The [index](index.md#letters-of-shapes) explains the letters of shapes.\n")
    if module == "darkqi":
        parts = [*start, "`import darkqi` provides everything on this page and needs only numpy.\n"]
        for title, members in SECTIONS.items():
            parts.append(f"## {title}\n")
            for name in members.split():
                parts += documented(module, name, 3)
        parts.append("## Version\n")
        parts.append('`darkqi.__version__` is the version of the package, such as `"0.1.0"`.\n')
    else:
        adapter = module.rpartition(".")[2]
        if adapter in GUIDES:
            extra = EXTRAS.get(adapter, adapter)
            start.append(
                f"It needs the extra `{extra}` of the [installation](../quickstart.md). "
                f"[{GUIDES[adapter]}](../{GUIDES[adapter]}) has examples.\n"
            )
        parts = start
        for name in names:
            parts += documented(module, name, 2)
    return "\n".join(part for part in parts if part.strip())


def with_docstrings(stub: str, native: Any) -> str:
    """Returns the text of the stub with the docstrings of the compiled module."""
    lines = stub.split("\n")
    of_module = list(ast.parse(stub).body)
    owned = [(node, native) for node in of_module]
    for node in of_module:
        if isinstance(node, ast.ClassDef):
            owned += [(member, getattr(native, node.name)) for member in node.body]
    # From the end, so that the numbers of lines stay.
    for node, owner in sorted(owned, key=lambda pair: -pair[0].lineno):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("__"):
            first = node.body[0]
            if not text_of(first):
                raise LookupError(f"{node.name} of the stub has no docstring to replace")
            told = inspect.getdoc(getattr(owner, node.name)) or ""
            quoted = f'"""{told}' + ('\n"""' if "\n\n" in told else '"""')
            indent = " " * first.col_offset
            new = [f"{indent}{line}".rstrip() for line in quoted.split("\n")]
            lines[first.lineno - 1 : first.end_lineno] = new
    return "\n".join(lines)


def main() -> None:
    """Writes the stub and all pages."""
    native = importlib.import_module("darkqi._darkqi")
    STUB.write_text(with_docstrings(STUB.read_text("utf-8"), native), "utf-8")
    for module in pages():
        (FOLDER / page_of(module)).write_text(page(module), "utf-8")


if __name__ == "__main__":
    main()
