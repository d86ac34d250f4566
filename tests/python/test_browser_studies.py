"""Studies of rules in the page: asked, stopped, gone on with, and their verdicts."""

import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import PHONE, Site, Tab, visit
from common import COMMAND
from playwright.sync_api import Browser, Page, expect
from servers import Server, serving

# Games of a few plies.
SHORT = {"max_plies": 12}


def question(**more: object) -> dict[str, Any]:
    return {
        "game": "banqi",
        "options": SHORT,
        "compare": [{"option": "rules", "values": ["usual", "chain"]}],
        "players": ["random"],
        "until": None,
        "minutes": 0.02,
        "margin": 0.05,
        **more,
    }


@pytest.fixture
def studies(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path) as server:
        yield server


def ended(server: Server, study: str) -> Any:
    while True:
        told = server.get(f"/api/studies/one?study={study}")
        if told["progress"] is None:
            return told
        time.sleep(0.1)


def contents(folder: Path) -> dict[str, bytes]:
    paths = folder.glob("*/*/**/*")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths if path.is_file()}


def run(command: str, out: Path) -> None:
    words = command.split()
    assert words[:2] == ["darkqi", "sweep"]
    assert words[-1] == "DIR"
    subprocess.run([*COMMAND, *words[1:-1], out, "--quiet"], check=True, stdout=subprocess.DEVNULL)


def test_a_designer_asks_which_rules_are_fair(page: Page, tab: Tab, tmp_path: Path) -> None:
    tab.goto("#/studies")
    form = page.get_by_role("form", name="New study")
    tab.choose("banqi")
    tab.press("one rule")
    expect(form.get_by_label("Values")).to_have_value("60, 30")
    alone = form.get_by_text("With one alone nothing is compared")
    expect(alone).to_have_count(0)
    form.get_by_label("Values").fill("60")
    expect(alone).to_be_visible()
    tab.press("whole rules")
    form.get_by_role("button", name="Make rules of your own").click()
    draft = page.get_by_role("group", name="Rules of your own")
    draft.get_by_role("textbox", name="Name").fill("tiny")
    draft.get_by_label("army A").fill("0")
    draft.get_by_label("army P").fill("99")
    expect(draft.get_by_role("alert")).to_contain_text("army.P")
    expect(draft.get_by_role("button", name="Take these rules")).to_be_disabled()
    draft.get_by_label("army P").fill("3/4")
    draft.get_by_role("button", name="Take these rules").click()
    expect(form.get_by_role("switch", name="tiny")).to_be_checked()
    # Rules that get another name take the place of the old one, and no name is taken twice.
    form.get_by_role("button", name="Change").click()
    draft.get_by_role("textbox", name="Name").fill("small")
    draft.get_by_role("button", name="Take these rules").click()
    expect(form.get_by_role("switch", name="small")).to_be_checked()
    expect(form.get_by_role("switch", name="tiny")).to_have_count(0)
    form.get_by_role("button", name="Make rules of your own").click()
    draft.get_by_label("army P").fill("2")
    take = draft.get_by_role("button", name="Take these rules")
    expect(take).to_be_enabled()
    draft.get_by_role("textbox", name="Name").fill("small")
    expect(take).to_be_disabled()
    draft.get_by_role("button", name="Cancel").click()
    form.get_by_role("button", name="Change").click()
    draft.get_by_role("textbox", name="Name").fill("tiny")
    draft.get_by_role("button", name="Take these rules").click()
    form.get_by_role("switch", name="chain").uncheck()
    form.get_by_role("switch", name="Beginner").check()
    form.get_by_role("switch", name="Medium").uncheck()
    form.get_by_label("Minutes").fill("0.1")
    form.get_by_text("More", exact=True).click()
    form.get_by_label("Fair within").fill("0.2")
    form.get_by_role("button", name="Begin the study").click()

    page.wait_for_url("**/#/studies/*")
    expect(page.get_by_role("status")).to_have_text("finished")
    verdict = page.get_by_role("region", name="Easy", exact=True)
    expect(verdict.get_by_role("heading")).to_contain_text("the strongest player here")
    expect(verdict.locator(".verdicts li")).to_have_count(2)
    expect(verdict.locator(".finding").first).to_have_text(re.compile("Fair|Not fair|Not decided"))
    expect(verdict.locator(".verdicts")).to_contain_text("the score is 0.")
    # Whose score it is, and what the plots show, is said once.
    expect(page.locator(".meaning")).to_contain_text("the player who turns over the first piece")
    expect(page.locator(".meaning")).to_contain_text("within 0.2 of even")
    expect(verdict.locator(".score-plot text").filter(has_text=re.compile("^0.5$"))).to_have_count(
        2
    )
    expect(page.get_by_role("heading", name="Do the players agree?")).to_be_visible()
    expect(page.get_by_role("heading", name="What is each piece worth?")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_count(0)

    # The games behind the figures, and the list of datasets.
    verdict.get_by_role("link", name="tiny").click()
    page.wait_for_url("**/#/data/*")
    expect(page.locator(".games-table tbody tr").first).to_be_visible()
    tab.goto("#/data")
    tab.link("the study", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("finished")

    # Its commands play the same games. They name its file of rules as the server does.
    told = page.request.get(f"{tab.home}api/studies").json()
    [name] = [one["id"] for one in told if "tiny" in one["question"]["own_rules"]]
    study = page.request.get(f"{tab.home}api/studies/one", params={"study": name}).json()
    for command in study["findings"]["commands"]:
        run(command, tmp_path)
    assert contents(tmp_path) == contents(Path(study["path"]))


def test_a_study_is_stopped_and_goes_on(page: Page, tab: Tab, site: Site) -> None:
    asked = question(compare=[{"option": "quiet_limit", "values": ["4", "60"]}], minutes=60)
    asked["options"] = {}
    begun = page.request.post(f"{tab.home}api/studies", data={"name": "long", "question": asked})
    assert begun.status == 201, begun.text()
    tab.goto("#/studies")
    expect(page.get_by_role("listitem").filter(has_text="long")).to_contain_text("running")
    tab.link("long").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.locator("main")).to_contain_text(re.compile(r"[1-9]\d* games"))

    # Another one waits until it has ended.
    other = page.request.post(f"{tab.home}api/studies", data={"name": "next", "question": asked})
    assert other.status == 409
    assert "under way" in other.text()
    assert not (site.data / "next").exists()

    tab.button("Stop").click()
    expect(page.get_by_role("status")).to_have_text("stopped")
    expect(page.locator("main")).to_contain_text("All games that have ended are kept")
    tab.button("Go on").click()
    expect(page.get_by_role("status")).to_have_text("running")
    tab.button("Stop").click()
    expect(page.get_by_role("status")).to_have_text("stopped")


def test_a_study_that_is_killed_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    served = tmp_path / "served"
    served.mkdir()
    # Long enough for the kill to come before its end.
    asked = question(players=["greedy"], until=0.015, minutes=None)
    with serving(served) as server:
        server.post("/api/studies", name="s", question=asked)
        while not any(served.rglob("*.parquet")):
            time.sleep(0.02)
        server.stop(signal.SIGKILL)
    with serving(served) as server:
        assert server.get("/api/studies/one?study=0/s")["standing"] == "stopped"
        server.post("/api/studies/resume", study="0/s")
        told = ended(server, "0/s")
        assert told["standing"] == "finished", told
        [command] = told["findings"]["commands"]
    run(command, tmp_path / "whole")
    assert contents(served / "s") == contents(tmp_path / "whole")
    report = (tmp_path / "whole" / "report.html").read_bytes()
    assert (served / "s" / "report.html").read_bytes() == report


def test_a_finished_study_plays_on(studies: Server) -> None:
    studies.post("/api/studies", name="s", question=question())
    first = ended(studies, "0/s")
    assert first["standing"] == "finished", first
    before = first["findings"]["agents"][0]
    assert before["games"] >= 20
    assert before["seconds"] > 0
    answer = studies.ask("/api/studies/resume", {"study": "0/s", "minutes": -5})
    assert answer.status == 400
    assert "minutes: expected a number above 0, got -5" in answer.text
    studies.post("/api/studies/resume", study="0/s", minutes=0.05)
    after = ended(studies, "0/s")["findings"]["agents"][0]
    assert after["games"] > before["games"]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"minutes": None}, "expected one of `until` and `minutes`"),
        ({"until": 0.1}, "expected one of `until` and `minutes`"),
        ({"minutes": 0}, "minutes: expected a number above 0"),
        ({"margin": 2}, "margin: expected"),
        ({"players": []}, "agents: expected at least 1"),
        ({"players": ["uci:cmd=/bin/true,nodes=5"]}, "reads a file or starts a program"),
        ({"players": ["random"] * 7}, "players: expected at most 6"),
        ({"compare": [{"option": "rules", "values": ["/etc/passwd"]}]}, "there are none named"),
        ({"compare": [{"option": "openings", "values": ["x"]}]}, "has no option `openings`"),
        ({"compare": [{"option": "rules", "values": ["usual", "hongkong", "hongkong"]}]}, "values"),
        ({"own_rules": {"../x": {"options": {"chain": True}}}}, "letters, digits"),
        ({"own_rules": {"chain": {"options": {"chain": True}}}}, "comes with the program"),
        ({"own_rules": {"x": {"options": {"army.P": 99}}}}, "`army.P`"),
        ({"own_rules": {"x": {"options": {"army": 1, "army.P": 2}}}}, "no option `army`"),
        ({"own_rules": {"x": {"options": {"game.x": 1}}}}, "no option `game.x`"),
        ({"compare": [{"option": "max_plies", "values": [str(n) for n in range(2, 30)]}]}, "sets"),
        ({"openings": "/etc/passwd"}, "unknown field `openings`"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    studies: Server, tmp_path: Path, more: dict[str, Any], reason: str
) -> None:
    asked = question(**more)
    if "max_plies" in str(more):
        asked["options"] = {}
    answer = studies.ask("/api/studies", {"name": "s", "question": asked})
    assert answer.status in (400, 422), answer
    assert reason in answer.text, answer
    assert list(tmp_path.iterdir()) == [], "nothing is left"


def test_names_are_those_of_new_folders(studies: Server, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("")
    for name in ["..", "a/b", "", "full"]:
        answer = studies.ask("/api/studies", {"name": name, "question": question()})
        assert (answer.status, "name: " in answer.text) == (400, True), answer
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "file"]
    for path in ["stop", "resume"]:
        answer = studies.ask(f"/api/studies/{path}", {"study": "0/full"})
        assert answer.status == 404, answer


def test_files_of_others_break_nothing(running: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "evil"
    folder.mkdir()
    asked = question(players=["uci:cmd=/bin/true,nodes=5"])
    (folder / "study.json").write_text(json.dumps(asked))
    (folder / "findings.json").write_text('{"agents": "<img src=x onerror=alert(1)>"}')
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "study.json").write_text("[]")
    with serving(tmp_path) as server:
        answer = server.ask("/api/studies/resume", {"study": "0/evil"})
        assert (answer.status, "starts a program" in answer.text) == (400, True), answer
        assert [study["id"] for study in server.get("/api/studies")] == ["0/evil"]
        with visit(running, server.url) as tab:
            tab.goto("#/studies")
            expect(tab.link("evil")).to_be_visible()
            tab.goto("#/studies/0%2Fevil")
            expect(tab.page.get_by_role("alert").first).to_be_visible()
            # The page has said that it cannot show it. Another visit begins anew.
            tab.goto_anew("#/studies/0%2Fodd")
            expect(tab.page.get_by_role("alert").first).to_contain_text("study.json")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_studies_are_read_by_everybody(running: Browser, tmp_path: Path, language: str) -> None:
    settings = json.dumps({"language": language})
    with serving(tmp_path) as server:
        server.post("/api/studies", name="s", question=question(players=["random", "greedy"]))
        assert ended(server, "0/s")["standing"] == "finished"
        with visit(running, server.url, PHONE) as tab:
            tab.goto()
            tab.page.evaluate("kept => localStorage.setItem('darkqi.settings', kept)", settings)
            for place in ["studies", "studies/0%2Fs"]:
                tab.goto_anew(f"#/{place}")
                expect(tab.locator(".card").first).to_be_visible()
                for width in [320, 390, 1280]:
                    tab.resize(width, 800)
                    assert tab.overflow() <= 0, (place, width)
                assert tab.violations() == []
            expect(tab.locator("html")).to_have_attribute("lang", re.compile(language))
            end, interval = ("。", "至 0.") if language == "zh" else (".", "to 0.")
            verdict = tab.locator(".verdicts li").first.locator("p").first
            expect(verdict).to_contain_text(interval)
            expect(verdict).to_have_text(re.compile(f"{re.escape(end)}$"))
