"""Two languages: the same picture captioned in English and in Korean, with both sets of maps."""

from __future__ import annotations

import streamlit as st

from app import captions, prose, show
from app.captions import LANGUAGES
from app.state import Tell
from app.views import tell_common, tell_subject

KEYS = {"en": Tell.ENGLISH, "ko": Tell.KOREAN}


@show.panel
def draw(language: str, kind: str, of: str) -> None:
    """Both captions side by side on one colour scale; the chosen kind where there is one."""
    look = tell_subject.look(language, kind, of)
    looks = [
        look.by(kind if kind in captions.kinds(code) else captions.kinds(code)[0], code)
        for code in LANGUAGES
    ]
    found = [captions.caption(one) for one in looks]
    top = tell_common.top(*found)
    show.note(prose.text("tell", "Two languages"))
    for place, one, run in zip(st.columns(2, gap="large"), looks, found, strict=True):
        with place:
            show.small(f"{LANGUAGES[one.language]}, {captions.KINDS[one.kind]} attention")
            tell_common.player(one, run, key=KEYS[one.language], top=top, name="caption")
            show.facts(tell_common.facts(one, run))
    show.take_away(
        key="tell_languages",
        name="captions-en-ko",
        arrays=lambda: {
            f"{one.language}_{name}": array
            for one, run in zip(looks, found, strict=True)
            for name, array in tell_common.arrays(run).items()
        },
        table=lambda: tell_common.table(found[0]),
        code=tell_common.code(looks[0]) + "\n" + tell_common.code(looks[1]),
    )
