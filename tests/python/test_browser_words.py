"""Languages, signs, notation and sounds of the page in the browser."""

import re
from pathlib import Path

import pytest
from browser import Tab, against, visit
from playwright.sync_api import Browser, Page, expect
from servers import serving

import darkqi

# What people see, and what programs read to them.
WORDS = """() => {
    const texts = [document.title, document.body.innerText];
    for (const part of document.querySelectorAll("svg title")) texts.push(part.textContent);
    for (const part of document.querySelectorAll("[aria-label], [title], [placeholder]"))
        for (const name of ["aria-label", "title", "placeholder"])
            if (!part.closest("[lang=en]")) texts.push(part.getAttribute(name) ?? "");
    for (const part of document.querySelectorAll("[lang=en]"))
        texts[1] = texts[1].replace(part.innerText, "");
    return texts.join("\\n");
}"""

# Agents, what is typed, squares, Betza's notation, and the program itself.
SAME = re.compile(
    r"\b(?:expectimax|greedy|ismcts|random|baseline|onnx|level|uci)\b(?::[\w.,=:/-]+)?"
    r"|`[^`]*`|\w+=\w*|darkqi(?: [\w./-]+)*|FEN|PUCT|Gumbel(?:-Top-k)?|ONNX Runtime|Alpha-beta|MiB"
    r"|TOML|Betza|nN|fW|mRcpR|KAE|AEHRCP?|usual"
    r"|\b[a-s]\d+\b|\b(?:[a-s]\d+){2}\b|/tmp\S*|\b[A-G]\b|ABCDEFG|w r o b g p d"
    # A game of tests, and a program that makes datasets.
    r"|four camps|selfplay|GIF|PNG|SVG"
)


def latin(page: Page) -> list[str]:
    text: str = page.evaluate(WORDS)
    for field in ("temperature", "sims", "root", "considered", "scale", "batch", "provider"):
        text = re.sub(rf"\b{field}\b", "", text)
    return re.findall(r"[A-Za-z]{2,}", SAME.sub("", text))


def speak_chinese(page: Page, tab: Tab) -> None:
    tab.goto()
    tab.button("中文", exact=True).click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")


@pytest.mark.parametrize("game", ["jieqi", "gaiqi", "flipping", "seven_kingdoms"])
def test_a_game_is_begun_and_played_in_chinese(game: str, page: Page, tab: Tab) -> None:
    speak_chinese(page, tab)
    tab.choose(game)
    expect(page.get_by_label("座位 1")).to_be_visible()
    for seat in range(1, darkqi.spec(game).num_players):
        page.get_by_label(re.compile(f"^座位 {seat}")).select_option("random")
    for details in page.locator(".new-game > details").all():
        details.locator("summary").first.click()
    assert latin(page) == []
    tab.press_play("对局")
    for _ in range(2):
        tab.click(next(move["name"] for move in tab.told()["legal"] if move["from"]))
    assert latin(page) == []
    tab.press("提示")
    expect(page.locator(".card.hint")).to_be_visible(timeout=60_000)
    assert latin(page) == []
    page.reload()
    tab.settle()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    assert latin(page) == []
    tab.button("认输", exact=True).first.click()
    page.get_by_role("dialog").get_by_role("button", name="认输").click()
    expect(page.locator(".status h1")).to_contain_text(re.compile("认输.*您输了"))
    assert latin(page) == []
    tab.button("English", exact=True).click()
    expect(page.locator(".status h1")).to_contain_text("resignation. You lose.")


def test_datasets_are_shown_in_chinese(page: Page, tab: Tab) -> None:
    speak_chinese(page, tab)
    for name in ("jieqi", "gaiqi"):
        for place in (f"0%2F{name}", f"0%2F{name}/0/3"):
            tab.goto(f"#/data/{place}")
            expect(page.locator("tbody tr, svg.board").first).to_be_visible()
            # The dataset's path is its name.
            assert [word for word in latin(page) if word != name] == []


def test_refusals_are_said_in_chinese(page: Page, tab: Tab) -> None:
    speak_chinese(page, tab)
    page.get_by_text("布子与提示").click()
    page.get_by_label("种子").fill("x")
    tab.button("对局", exact=True).click()
    expect(page.locator(".new-game .notice")).to_contain_text("种子应为")
    page.get_by_label("FEN").fill("9/9 w")
    expect(page.locator(".new-game .wrong")).to_contain_text("FEN 有误")
    for place, told in (("data/0%2Fgaiqi/999/0", "没有第 999 局"), ("play/none", "没有这一局")):
        tab.goto_anew(f"#/{place}")
        expect(page.get_by_role("alert")).to_contain_text(told)


def test_the_language_of_the_browser_comes_first(running: Browser, tab: Tab) -> None:
    for locale, title in (("zh-CN", "新对局"), ("vi-VN", "New game")):
        context = running.new_context(locale=locale)
        page = context.new_page()
        page.goto(tab.home)
        expect(page.locator("h1")).to_have_text(title)
        context.close()


def test_moves_are_listed_in_chinese_notation(page: Page, tab: Tab) -> None:
    """In English where it is wanted, in Chinese unless it is not, and never where there is none."""
    tab.open_game("jieqi", [None, None], shared=False)
    assert tab.told()["seats"] == [0]
    tab.pick("h3e3")
    expect(page.locator(".moves .name")).to_have_text(["h3e3"])
    switch = page.get_by_role("switch", name="Chinese notation")
    switch.check(force=True)
    expect(page.locator(".moves .name")).to_have_text(["暗炮二平五"])
    page.reload()
    expect(page.locator(".moves .name")).to_have_text(["暗炮二平五"])
    switch.uncheck(force=True)
    expect(page.locator(".moves .name")).to_have_text(["h3e3"])
    tab.open_game("seven_kingdoms", against("random", "seven_kingdoms"))
    expect(switch).to_have_count(0)


def test_pieces_in_the_list_have_the_signs_that_were_chosen(page: Page, tab: Tab) -> None:
    tab.open_game("gaiqi", [None, "random"])
    page.locator("[data-square=c2]").click()
    sign = page.locator(".moves li").first.locator(".piece-sign")
    state = darkqi.State("gaiqi", seed=7)
    state.apply("c2")
    letter = re.sub(r"~.|\d|/", "", state.fen().split()[0])
    army = "red" if letter.isupper() else "black"
    label = sign.get_by_role("img")
    expect(label).to_have_attribute("aria-label", re.compile(f"^{army} [A-Z][a-z]+$"))
    character = sign.locator("text.sign").text_content() or ""
    assert len(character) == 1
    assert not character.isascii()
    for signs, shown in (("Chinese", character), ("letters", letter)):
        tab.button(f"pieces show {signs}").click()
        expect(sign.locator("text.sign")).to_have_text(shown)
    tab.button("pieces show figures").click()
    expect(sign.locator("path.figure")).to_have_count(1)


SPY = """
    window.struck = [];
    const start = AudioBufferSourceNode.prototype.start;
    AudioBufferSourceNode.prototype.start = function (...given) {
        window.struck.push(given.length);
        return start.apply(this, given);
    };
"""


def test_plies_sound_if_that_is_wanted(page: Page, tab: Tab) -> None:
    page.add_init_script(SPY)
    tab.open_game("flipping", [None, "random"])
    switch = page.get_by_role("switch", name="Sounds")
    expect(switch).not_to_be_checked()
    play_first(page, tab)
    assert page.evaluate("window.struck.length") == 0
    switch.check(force=True)
    play_first(page, tab)
    # The ply of the person, and that of the agent.
    assert page.evaluate("window.struck.length") >= 2
    struck = page.evaluate("window.struck.length")
    switch.uncheck(force=True)
    play_first(page, tab)
    assert page.evaluate("window.struck.length") == struck


def play_first(page: Page, tab: Tab) -> None:
    count = len(tab.plies())
    tab.pick(tab.told()["legal"][0]["name"])
    expect(page.locator(".moves li").nth(count + 1)).to_be_attached()
    tab.settle()


def test_agents_are_offered_for_games_that_they_play(page: Page, tab: Tab) -> None:
    tab.goto()
    option = page.locator(".seats option", has_text="baseline")
    for game, count in (("jieqi", 2), ("seven_kingdoms", 0), ("banqi", 2)):
        tab.choose(game)
        expect(option).to_have_count(count)
    # Its net was made for the usual ranking.
    page.locator(".rules summary").click()
    page.locator(".options label").filter(has_text="ranking").locator("select").select_option(
        "hongkong"
    )
    expect(option).to_have_count(0)


def test_nobody_is_to_move_after_the_end(running: Browser, tmp_path: Path) -> None:
    darkqi.selfplay(
        "seven_kingdoms", tmp_path / "kingdoms", 1, agents="random", seed=1, max_plies=4
    )
    with serving(tmp_path) as server, visit(running, server.url) as tab:
        for ply, count in ((3, 1), (4, 0)):
            tab.goto(f"#/data/0%2Fkingdoms/0/{ply}")
            expect(tab.locator(".transport output")).to_have_text(f"{ply} / 4")
            expect(tab.locator(".kingdoms tr")).to_have_count(8)
            expect(tab.locator(".kingdoms .to-move")).to_have_count(count)


def test_teams_are_letters_everywhere(page: Page, tab: Tab) -> None:
    options = {"teams": "AABBCCA"}
    tab.open_game("seven_kingdoms", against("random", "seven_kingdoms"), options=options)
    expect(page.locator(".kingdoms")).to_contain_text("team A")
    tab.goto()
    tab.choose("seven_kingdoms")
    page.locator(".rules summary").click()
    page.locator(".options label").filter(has_text="teams").locator("input").fill("AABBCCA")
    expect(page.get_by_label("Seat 2, team B")).to_be_visible()
