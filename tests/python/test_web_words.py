"""The words of the page are there in both languages. No Node is needed to tell."""

import re
from collections.abc import Iterator

import pytest
from common import ROOT

import darkqi

SRC = ROOT / "selfplay" / "page" / "web" / "src"

# `counted` is looked up by its text for many, the third argument.
CALL = re.compile(r"(?<![\w.])(t|filled|counted)\(")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
QUOTED = re.compile(rf"{LITERAL.pattern}|`(?:[^`\\]|\\.)*`")
ENTRY = re.compile(r'^  (?:"((?:[^"\\]|\\.)*)"|(\w+)):\s+"((?:[^"\\]|\\.)*)",$', re.MULTILINE)
PLACE = re.compile(r"\{\w+\}")

# Text between tags, and attributes that people read or hear.
BETWEEN_TAGS = re.compile(
    r"(?<![=\s])>([^<>{}=;()|]*?[A-Za-z]{2}[^<>{}=;()|]*?)</"
    r'|\b(?:aria-label|title|placeholder|label|alt)="([^"]*[A-Za-z]{2}[^"]*)"'
)
SAME_IN_ALL_LANGUAGES = re.compile(r"darkqi.*|FEN")


def sources() -> dict[str, str]:
    paths = sorted(SRC.rglob("*.ts*"))
    assert len(paths) > 50
    return {
        path.relative_to(SRC).as_posix(): path.read_text(encoding="utf-8")
        for path in paths
        if not path.name.startswith("words")
    }


def arguments(text: str, start: int) -> list[str]:
    """Returns the arguments of a call as they are written, from the place after its parenthesis."""
    found, depth, begin, place = [], 0, start, start
    while True:
        quoted = QUOTED.match(text, place)
        if quoted:
            place = quoted.end()
            continue
        sign = text[place]
        if sign in "([{":
            depth += 1
        elif sign in ")]}" and depth > 0:
            depth -= 1
        elif sign in "),":
            if depth == 0:
                found.append(text[begin:place])
                begin = place + 1
            if depth == 0 and sign == ")":
                return found
        place += 1


def used() -> Iterator[str]:
    """Yields the English texts that the sources look up."""
    for name, text in sources().items():
        for call in CALL.finditer(text):
            given = arguments(text, call.end())
            texts = LITERAL.findall(given[2 if call[1] == "counted" else 0])
            assert texts, f"{name}: `{call[0]}{given[0]}` looks up no text that is written there"
            yield from texts


def table(name: str) -> dict[str, str]:
    """Returns a table of the Chinese by the English text."""
    file = {"ZH": "words_zh.ts", "ZH_OF_SERVER": "words_zh_server.ts"}[name]
    body = (SRC / file).read_text(encoding="utf-8").split(f"export const {name}: ")[1]
    entries = [(quoted or bare, chinese) for quoted, bare, chinese in ENTRY.findall(body)]
    lines = [line for line in body.splitlines() if line.endswith('",')]
    assert len(entries) == len(lines), "an entry is a text, a colon and a text"
    twice = {key for key, _ in entries if [other for other, _ in entries].count(key) > 1}
    assert not twice
    return dict(entries)


def test_each_text_has_its_chinese() -> None:
    known, wanted = set(table("ZH")), set(used())
    assert wanted - known == set(), "texts without Chinese in words_zh.ts"
    assert known - wanted == set(), "entries of words_zh.ts that nothing looks up"


def test_values_have_their_places_in_both_languages() -> None:
    for english, chinese in table("ZH").items():
        assert sorted(PLACE.findall(english)) == sorted(PLACE.findall(chinese)), english


def test_chinese_is_chinese() -> None:
    """Some texts are values alone, and some words are those of files and programs."""
    for english, chinese in {**table("ZH"), **table("ZH_OF_SERVER")}.items():
        words = re.sub(r"\{\w+\}|`[^`]*`|darkqi serve|FEN|\w+=\w*", "", chinese)
        assert re.search(r"[\u4e00-\u9fff]", chinese) or not re.search(r"[A-Za-z]", words), english


@pytest.mark.parametrize("name", [name for name in sources() if name.endswith(".tsx")])
def test_no_text_stands_outside_the_tables(name: str) -> None:
    found = ["".join(parts).strip() for parts in BETWEEN_TAGS.findall(sources()[name])]
    assert [text for text in found if not SAME_IN_ALL_LANGUAGES.fullmatch(text)] == []


def of_the_rules() -> set[str]:
    """Returns what games and agents say of themselves in English."""
    texts = {"red", "black", "emperor"}
    for game in set(darkqi.games()) - {"four_camps"}:
        spec = darkqi.spec(game)
        texts |= {game, spec.about, *(army.name for army in spec.armies)}
        for option in spec.options:
            # The page shows options of a kind of piece in a table.
            texts |= {option.name.split(".")[0], option.about}
            is_whole = option.type == "int" or "such as" in option.range
            texts |= {option.range} if is_whole else set(option.range.split(", "))
    for agent in darkqi.agents():
        if all(option.default != "required" for option in agent.options):
            # The page offers no options that name files.
            files = re.compile(r"(file|folder) of")
            shown = (option.about for option in agent.options)
            texts |= {agent.about, *(about for about in shown if not files.search(about))}
    return texts


def test_what_the_server_says_has_its_chinese() -> None:
    known = set(table("ZH_OF_SERVER"))
    assert of_the_rules() - known == set()
    assert of_results() - known == set()


def of_results() -> set[str]:
    """Returns the parts of the sentences that say how a game has ended, from the sources."""
    root = SRC.parents[3]

    def written(path: str, pattern: str) -> list[str]:
        found: list[str] = []
        for file in sorted(root.glob(path)):
            source = file.read_text(encoding="utf-8").split("#[cfg(test)]")[0]
            found += re.findall(pattern, source, re.MULTILINE)
        return found

    counted = r'(?:things(?:: | = )|_limit", [^"]*, )"([^"]+)"'
    parts = (
        set(written("env/src/**/*.rs", counted)),
        written("env/src/game/outcome.rs", r'^    [A-Z]\w+ "(\w+)":'),
        written("selfplay/play/src/play/game.rs", r'=> "(\w+)",$'),
        written("env/src/session/standing.rs", r'"(?=[^"]*\{\w)((?:[^"{}]|\{\w+\})*)"'),
    )
    # What is found where each was when this was written.
    assert all(len(part) >= least for part, least in zip(parts, (5, 18, 3, 8), strict=True))
    return set().union(*parts)
