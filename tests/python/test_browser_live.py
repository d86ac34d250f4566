"""Work under way and lists of many datasets on the page in the browser."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from browser import Site, Tab
from common import COMMAND, run, until
from playwright.sync_api import Page, Request, expect

import darkqi


# Where one file has all games, nothing but parts tells how far it is.
@pytest.mark.parametrize("shard_games", ["200", "90000"])
def test_progress_counts_games_and_a_killed_run_looks_so(
    page: Page, tab: Tab, site: Site, shard_games: str
) -> None:
    out = site.data / f"killed-{shard_games}"
    line = ["selfplay", "jieqi", "--games", "90000", "--agents", "greedy", "--seed", "1"]
    with subprocess.Popen(
        [*COMMAND, *line, "--shard-games", shard_games, "--out", out], stderr=subprocess.DEVNULL
    ) as process:
        try:
            until((out / "dataset.json").exists)
            tab.goto("#/data")
            row = page.locator(".dataset").filter(has_text=out.name)
            expect(row.get_by_role("progressbar")).to_be_visible(timeout=20_000)
            expect(row.locator(".progress")).to_contain_text("of 90,000 games")
            expect(row.locator(".progress")).not_to_contain_text("at 0 of")
            expect(row.locator("code")).to_have_count(0)
        finally:
            process.kill()
    expect(row.locator(".stopped")).to_contain_text("stopped at ")
    expect(row.locator("code")).to_have_text(f"darkqi selfplay --resume --out {out}")


def test_datasets_of_a_study_stand_under_its_report(page: Page, tab: Tab, site: Site) -> None:
    line = ["sweep", "gaiqi", "--vary", "quiet_limit=6,20", "--agents", "random", "--games", "40"]
    run(*line, "--out", site.data / "study", "--quiet", check=True)
    tab.goto("#/data")
    study = page.locator(".study")
    expect(study.locator(".dataset")).to_have_count(2)
    study.get_by_role("link", name="report of the study").click()
    report = page.frame_locator("iframe")
    expect(report.locator("h1")).to_be_visible()
    expect(report.locator("body")).to_contain_text("quiet_limit=6")
    refused = page.request.get(f"{tab.home}api/study", params={"study": "0/jieqi"})
    assert refused.status == 404
    outside = page.request.get(f"{tab.home}api/study", params={"study": "0/study/../.."})
    assert outside.status == 404


def test_many_datasets_have_pages(page: Page, tab: Tab, site: Site) -> None:
    many = site.data / "many"
    darkqi.selfplay("flipping", many / "000", 1, agents="random", seed=1)
    for number in range(1, 120):
        shutil.copytree(many / "000", many / f"{number:03}")
    tab.goto("#/data")
    page.get_by_label("Search in paths, games and agents").fill("MANY flipping")
    pages = page.get_by_role("navigation", name="Pages of datasets")
    expect(pages).to_contain_text("1 to 50 of 120")
    expect(page.locator(".dataset")).to_have_count(50)
    pages.get_by_role("button", name="last").click()
    expect(pages).to_contain_text("101 to 120 of 120")
    expect(page.locator(".dataset")).to_have_count(20)
    expect(page.locator(".dataset").last).to_contain_text("119")
    page.get_by_label("Game", exact=True).select_option("jieqi")
    expect(page.get_by_text("None matches.")).to_be_visible()
    shutil.rmtree(many)


def test_a_training_has_curves(page: Page, tab: Tab, site: Site) -> None:
    training = site.data / "training"
    training.mkdir()
    (training / "settings.json").write_text(json.dumps({"game": "jieqi", "generations": 4}))
    add_generation(training, 1, 0.30, 40.0)
    add_generation(training, 2, 0.25, 55.0)
    tab.goto("#/data")
    curves = page.locator(".trainings .strengths")
    expect(curves).to_have_count(2)
    expect(curves.nth(1)).to_contain_text("from 0.3 to 0.25")
    expect(curves.nth(1).locator("circle")).to_have_count(2)
    # While the match of a generation is played, its error is known.
    add_generation(training, 3, 0.2, None)
    expect(curves.nth(1).locator("circle")).to_have_count(3)
    expect(curves.nth(0).locator("circle")).to_have_count(2)


def add_generation(training: Path, number: int, error: float, elo: float | None) -> None:
    """Writes what a generation leaves, without a result if it has no strength yet."""
    folder = training / f"generation-{number}"
    folder.mkdir()
    (folder / "fit.json").write_text(json.dumps({"digest": "", "fit": {"net": error}}))
    if elo is not None:
        result = {"net": "", "is_accepted": True, "elo": elo, "match_games": 2, "fit": {}}
        (folder / "result.json").write_text(json.dumps(result))


def test_a_page_that_nobody_sees_leaves_connections_to_others(page: Page, tab: Tab) -> None:
    key = tab.open_game("flipping", [None, None])

    def turn(is_hidden: bool) -> None:
        page.evaluate(
            """(isHidden) => {
                const hidden = { get: () => isHidden, configurable: true }
                Object.defineProperty(document, "hidden", hidden)
                document.dispatchEvent(new Event("visibilitychange"))
            }""",
            is_hidden,
        )

    def waits(request: Request) -> bool:
        return f"/api/play/{key}/wait" in request.url

    turn(is_hidden=True)
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))
    with page.expect_request(re.compile(rf"/api/play/{key}\?"), timeout=20_000):
        pass
    assert not any(map(waits, asked))
    with page.expect_request(waits, timeout=20_000):
        turn(is_hidden=False)
