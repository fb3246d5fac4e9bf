"""The corpora of translations, by name."""

from __future__ import annotations

import difflib
from importlib import import_module

from attnviz.data.pairs import Corpus

_BUILDERS = {
    "dates_ko_en": "dates",
    "numbers_ko_en": "numbers",
    "everyday_ko_en": "everyday",
    "everyday_en_ko": "everyday",
    "manual_en_fr": "manual",
    "manual_ko_en": "manual",
}

NAMES = tuple(_BUILDERS)


def corpus(name: str, seed: int = 0) -> Corpus:
    """Builds a corpus from what it is made from; the same seed gives the same pairs.

    Needs babel and num2words (`pip install attnviz[training]`), and for the manual Debian's
    LibreOffice help.

    Raises:
        LookupError: there is no such corpus; the message names near ones.
    """
    if name not in _BUILDERS:
        near = difflib.get_close_matches(name, NAMES, n=3, cutoff=0.4) or NAMES
        raise LookupError(f"there is no corpus {name!r}; there is {', '.join(near)}")
    builder = import_module(f"attnviz.data.{_BUILDERS[name]}")
    built: Corpus = builder.build(name, seed)
    return built
