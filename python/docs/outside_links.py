"""Replaces links to files outside docs by their text; only GitHub can follow them."""

import posixpath
import re
from typing import Any

_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<path>(?:\.\./)+[^)#\s]*)(?:#[^)\s]*)?\)")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Removes the links of a page to files above the documentation folder."""
    folder = posixpath.dirname(page.file.src_uri)

    def rewritten(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, link["path"]))
        return link["text"] if path.startswith("../") else link[0]

    return _LINK.sub(rewritten, markdown)
