"""Writes docs/command-line.md from the help of the program: ``scripts/reference.sh``."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import darkqi

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"

_INTRO = """\
# Command line

<!-- Generated from the help of the program by scripts/reference.sh. -->

`darkqi COMMAND --help` prints the same as this page. The Python package has the command as well, as
`darkqi` and `python -m darkqi`.

The exit code is 0 after success, 1 after a failure, 2 for a faulty command line, 130 after Ctrl-C
and 143 after SIGTERM. A folder of a dataset may be a URL in object storage where its text says so.
"""
_SHARED = """\
## Options of several commands

Each command names those that it takes.
"""
_AGENTS = """\
## Agents

An agent is given as `NAME` or `NAME:OPTION=VALUE,...`, such as `expectimax:depth=2`. A value with a
comma stands in quotes, as in `'greedy:values="a,b.toml"'`. [Agents](agents.md) compares their
strength. Each line has the option's default in parentheses.
"""
# Options with the same text in at least this number of commands are described once.
_SEVERAL = 3


class Entry(NamedTuple):
    """An argument or option."""

    name: str
    about: str


class Command(NamedTuple):
    """A command without commands of its own."""

    name: str
    about: list[str]
    """Paragraphs."""
    usage: str
    arguments: list[Entry]
    options: list[Entry]


def help_of(*words: str) -> str:
    """Returns the help of a command."""
    command = [sys.executable, "-m", "darkqi", *words, "--help"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def commands(*words: str) -> Iterator[Command]:
    """Yields the commands below some words, in the order of the help."""
    about, *sections = re.split(r"^(?=Usage: |[A-Z][\w -]+:$)", help_of(*words), flags=re.M)
    titled = dict(section.split(":", 1) for section in sections)
    if "Commands" in titled:
        for name in re.findall(r"^  (\S+)", titled["Commands"], re.M):
            if name != "help":
                yield from commands(*words, name)
        return
    paragraphs = [" ".join(paragraph.split()) for paragraph in about.strip().split("\n\n")]
    arguments = entries(titled.get("Arguments", ""))
    headings = [title for title in titled if title.startswith("Options")]
    options = [entry for title in headings for entry in entries(titled[title])]
    usage = " ".join(titled["Usage"].split())
    yield Command(" ".join(words), paragraphs, usage, arguments, options)


def entries(section: str) -> list[Entry]:
    """Returns the arguments or options of a section of a help."""
    found = []
    for entry in re.split(r"\n(?= {2,6}[-<\[]\S)", section)[1:]:
        name, _, about = re.sub(r"\n\s*", "  ", entry.strip()).partition("  ")
        about = re.sub(r"\[default: (\S+)\]", r"Default: `\1`.", " ".join(about.split()))
        about = re.sub(r"\[default: ([^\]]*)\]", r"Default: \1.", about)
        about = re.sub(r"\[possible values: ([^\]]*)\]", r"Values: \1.", about)
        about = re.sub(r"(?<![.:]) (Default|Values):", r". \1:", about)
        if name != "-h, --help":
            found.append(Entry(name, about.removesuffix(".") + "."))
    return found


def linked(text: str) -> str:
    """Links pages, and keeps names of arguments from being read as HTML."""
    quoted = re.split(r"(`[^`]*`)", text)
    text = "".join(part if part[:1] == "`" else part.replace("<", r"\<") for part in quoted)
    return re.sub(r"docs/([\w./-]+\.md)", r"[\1](\1)", text)


def listed(of: list[Entry]) -> str:
    """Returns entries as a list."""
    return "".join(f"- `{entry.name}`: {linked(entry.about)}\n" for entry in of)


def described(command: Command, shared: list[Entry]) -> Iterator[str]:
    """Yields the parts of the description of a command."""
    yield f"## darkqi {command.name}\n"
    first, *more = command.about
    yield f"{linked(first.removesuffix('.'))}.\n"
    yield from (f"{linked(paragraph)}\n" for paragraph in more)
    yield f"Usage: `{command.usage}`\n"
    yield listed(command.arguments + [entry for entry in command.options if entry not in shared])
    names = [f"`{entry.name}`" for entry in command.options if entry in shared]
    if names:
        yield f"With the [shared](#options-of-several-commands) {', '.join(names)}.\n"


def agents() -> Iterator[str]:
    """Yields the parts of the description of the agents."""
    known = darkqi.agents()
    counted = Counter(option for agent in known for option in agent.options)
    common = [option for option, count in counted.items() if count == len(known)]
    yield _AGENTS
    for title, about, options in [
        *((agent.name, agent.about, agent.options) for agent in known),
        ("All agents", "", common),
    ]:
        own = [option for option in options if option not in common or not about]
        yield f"### {title}\n"
        yield f"{linked(about)}\n" if about else ""
        yield "".join(
            f"- `{one.name}` ({linked(one.default)}): {linked(one.about)}\n" for one in own
        )


def page() -> str:
    """Returns the page."""
    known = list(commands())
    counted = Counter(entry for command in known for entry in command.options)
    # The most frequent text of a name.
    several = {entry.name: entry for entry, count in reversed(counted.most_common()) if count > 1}
    shared = [entry for _, entry in sorted(several.items()) if counted[entry] >= _SEVERAL]
    parts = [_INTRO, _SHARED, listed(shared)]
    for command in known:
        parts += described(command, shared)
    parts += agents()
    return "\n".join(filter(None, parts))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
