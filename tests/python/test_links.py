"""Links of all pages lead somewhere, and options and extras that they name exist."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import reference
from common import ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
COMMAND_LINE = ROOT / "docs" / "command-line.md"

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_CODE = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
_HEADING = re.compile(r"^#+ (.+)$", re.M)
_OPTION = re.compile(r"(?<!\S)--?[a-z][a-z-]*")
# A command, up to what a shell gives to another program.
_COMMAND = re.compile(r"(?<![\w/.-])darkqi ((?:values )?[a-z-]+)([^|;&<>\n`]*)")
_AGENT = re.compile(
    r"\b(baseline|expectimax|greedy|ismcts|onnx|random|uci):((?:\w+=[^,\s`\"']+,?)+)"
)


@cache
def prose(page: Path) -> str:
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> set[str]:
    """Returns the anchors that GitHub gives to the headings of a page, as the site does."""
    found: set[str] = set()
    for heading in _HEADING.findall(prose(page)):
        text = re.sub(r"\]\([^)]*\)|\\", "", heading).lower()
        name = anchor = re.sub(r"[^\w -]", "", text).replace(" ", "-")
        number = 0
        while anchor in found:
            number += 1
            anchor = f"{name}-{number}"
        found.add(anchor)
    return found


def links(page: Path) -> list[str]:
    found = [one or other for one, other in _LINK.findall(_CODE.sub("", prose(page)))]
    return [link for link in found if not re.match(r"[a-z]+:", link)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), link
        assert not anchor or target.suffix != ".md" or anchor in anchors(target), link


def test_every_page_is_linked() -> None:
    linked = {
        (page.parent / link.partition("#")[0]).resolve() for page in PAGES for link in links(page)
    }
    start = ROOT / "docs" / "index.md"
    assert not [page for page in PAGES if page.parent != ROOT and page not in linked | {start}]


@cache
def known() -> dict[str, set[str]]:
    """Returns the options of each command and each agent, by the page of the command line."""
    sections = re.split(r"^##+ (.+)$", COMMAND_LINE.read_text(encoding="utf-8"), flags=re.M)
    found = {
        title: {*_OPTION.findall(" ".join(re.findall(r"`(-[^`]*)`", text))), "--help", "-h"}
        | set(re.findall(r"^- `(\w+)` \(", text, re.M))
        for title, text in zip(sections[1::2], sections[2::2], strict=True)
    }
    everywhere = found["All agents"]
    return {title: options | everywhere for title, options in found.items()}


def named(page: Path) -> Iterator[tuple[str, str]]:
    """Yields the options that a page gives to commands and agents."""
    text = page.read_text(encoding="utf-8")
    code = [
        block for language, block in _FENCE.findall(text) if language in ("sh", "python", "text")
    ]
    code += _CODE.findall(prose(page))
    for part in code:
        for command, arguments in _COMMAND.findall(part.replace("\\\n", " ")):
            for option in _OPTION.findall(re.sub(r"'[^']*'|\"[^\"]*\"", "", arguments)):
                yield f"darkqi {command}", option
        for agent, options in _AGENT.findall(part):
            for option in re.findall(r"(\w+)=", options):
                yield agent, option


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_options_exist(page: Path) -> None:
    for owner, option in named(page):
        assert option in known()[owner], f"{owner} {option}"


def test_extras_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(project["optional-dependencies"])
    found = {
        extra
        for page in PAGES
        for names in re.findall(r"'(?:darkqi|\.)\[([\w,]+)\]'", page.read_text(encoding="utf-8"))
        for extra in names.split(",")
    }
    assert found
    assert {reference.EXTRAS.get(name, name) for name in reference.GUIDES} | found <= extras


def test_tests_and_files_that_hold_promises_exist() -> None:
    folders = [ROOT / name for name in ("env", "datasets", "selfplay", "tests")]
    files = [file for folder in folders for file in (*folder.rglob("*.rs"), *folder.rglob("*.py"))]
    tests = {
        name
        for file in files
        for name in re.findall(r"\b(?:fn|def) (\w+)", file.read_text(encoding="utf-8"))
    }
    code = [
        text.strip("`")
        for page in ("testing.md", "statistics.md")
        for text in _CODE.findall(prose(ROOT / "docs" / page))
    ]
    named = {text for text in code if re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+){2,}", text)}
    assert len(named) > 20
    assert named - tests == set()
    paths = {
        text for text in code if re.fullmatch(r"(tests|scripts|fuzz|selfplay|env)/[\w./]+", text)
    }
    assert paths
    assert not [path for path in paths if not (ROOT / path).exists()]


def test_options_and_links_are_found() -> None:
    names = {"darkqi arena", "darkqi values fit", "darkqi uci", "darkqi completions", "uci"}
    assert names < known().keys()
    assert {"--games", "-n", "--set", "--until", "--help"} < known()["darkqi selfplay"]
    assert {"depth", "epsilon"} < known()["expectimax"]
    assert sum(len(links(page)) for page in PAGES) > 400
    assert sum(1 for page in PAGES for _ in named(page)) > 300
