"""Lets links that leave docs, which GitHub follows, lead to the repository from the site."""

import posixpath
import re
from typing import Any

_LINK = re.compile(r"\]\((?P<path>(?:\.\./)+[^)#\s]*)(?P<anchor>#[^)\s]*)?\)")


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Rewrites the links of a page whose files are above the folder of the documentation."""
    folder = posixpath.dirname(page.file.src_uri)

    def rewritten(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, link["path"]))
        if not path.startswith("../"):
            return link[0]
        file = path.removeprefix("../")
        return f"]({config.repo_url}/blob/main/{file}{link['anchor'] or ''})"

    return _LINK.sub(rewritten, markdown)
