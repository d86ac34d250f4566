"""Leads links to files outside docs to the repository: the site has only the pages."""

import posixpath
import re
from typing import Any

REPOSITORY = "https://github.com/darkqi/darkqi/blob/main/"

_LINK = re.compile(r"(?<=\]\()(?P<path>(?:\.\./)+[^)\s]*)(?=\))")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Rewrites the links of a page to files above the folder of pages."""
    folder = posixpath.dirname(page.file.src_uri)

    def rewritten(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, link["path"]))
        return REPOSITORY + path.removeprefix("../") if path.startswith("../") else link["path"]

    return _LINK.sub(rewritten, markdown)
