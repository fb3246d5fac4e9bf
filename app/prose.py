"""The prose of the pages: one Markdown file a page in ``content/``, sections by heading."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

CONTENT = Path(__file__).parent / "content"
LANGUAGE = "en"


def text(page: str, heading: str) -> str:
    """The Markdown under a ``## heading`` of a page's file.

    Raises:
        LookupError: the file has no such heading; its headings are listed.
    """
    found = sections(page)
    if heading not in found:
        raise LookupError(f"{page}.md has no section {heading!r}; it has: {', '.join(found)}")
    return found[heading]


@cache
def sections(page: str, language: str = LANGUAGE) -> dict[str, str]:
    """All sections of a page, in order: heading → Markdown."""
    source = (CONTENT / language / f"{page}.md").read_text(encoding="utf-8")
    parts = re.split(r"^## +(.+?) *$", source, flags=re.MULTILINE)[1:]
    return {heading: body.strip() for heading, body in zip(parts[::2], parts[1::2], strict=True)}
