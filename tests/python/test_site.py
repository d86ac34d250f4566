"""The site builds without a warning."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from common import ROOT

pytest.importorskip("mkdocs", reason="the site needs the dependency group docs")


def test_the_site_builds(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {
        page.relative_to(tmp_path): page.read_text("utf-8") for page in tmp_path.rglob("*.html")
    }
    assert Path("reference/darkqi/index.html") in pages
    # Files outside the folder of pages are not on the site.
    outside = re.compile(
        r'href="(?:\.\./)+(?:python|env|selfplay|datasets|tests|scripts)/[^"]*\.\w+"'
    )
    assert not [page for page, text in pages.items() if outside.search(text)]
