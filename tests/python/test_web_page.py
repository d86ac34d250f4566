"""The built page that the binary embeds belongs to its sources. No Node is needed to tell."""

import gzip
import hashlib
import re

from common import ROOT

WEB = ROOT / "selfplay" / "page" / "web"
DIST = WEB / "dist"
# What the build reads beside `src`, as in `vite.config.ts`.
INPUTS = (
    "index.html",
    "package-lock.json",
    "package.json",
    "tsconfig.json",
    "vite.config.ts",
    "vite.widget.config.ts",
)
STALE = "selfplay/page/web/dist is stale: run `scripts/page.sh`"


def test_the_page_is_built_from_its_sources() -> None:
    files = [WEB / name for name in INPUTS]
    files += [path for path in (WEB / "src").rglob("*") if path.is_file()]
    names = {path.relative_to(WEB).as_posix(): path for path in files}
    found = [
        f"{hashlib.sha256(names[name].read_bytes()).hexdigest()}  {name}" for name in sorted(names)
    ]
    built = (DIST / "sources.txt").read_text(encoding="utf-8").splitlines()
    assert found == built, STALE


def test_the_page_is_small() -> None:
    names = ("app.css", "app.js", "index.html")
    size = sum(len(gzip.compress((DIST / name).read_bytes())) for name in names)
    assert size < 100_000, f"the page takes {size} bytes compressed"


def test_the_page_names_no_other_host() -> None:
    """Namespaces of XML look like addresses; they are not asked for."""
    for path in DIST.glob("*.[chj]*"):
        hosts = set(re.findall(r"(?:https?:)?//([\w.-]+\.\w+)", path.read_text(encoding="utf-8")))
        assert hosts <= {"www.w3.org"}, path.name


def test_the_page_fits_its_policy() -> None:
    """Neither inline scripts nor inline styles, which the server's policy refuses."""
    html = (DIST / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script[^>]*>", html) == [
        '<script type="module" crossorigin src="./app.js">'
    ]
    assert "<style" not in html
    assert "style=" not in html
    assert re.search(r"\beval\(|new Function\(", (DIST / "app.js").read_text("utf-8")) is None
