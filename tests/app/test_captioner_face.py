"""The Python side of the captioner: what it takes, sends and accepts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.components.captioner import Pick, Told, captioner
from attnviz.geometry import Geometry
from tests.app.apptest import message, report

GRID = Geometry(2, 3, 32, 48, stride=(16, 16), centre=(1, 1))
PICTURE = b"\x89PNG and so on"
TOLD = Told(
    ("<b>$x$</b>", "a", "a", "(end)"),
    np.arange(24, dtype=np.uint8).reshape(4, 2, 3),
    np.array([0.9, 0.123456789, 1.0, 0.5]),
    np.array([0.0, 0.25, 0.5, 1.0], np.float32),
)
HUNDRED = replace(
    TOLD,
    words=("a",) * 100,
    weights=np.zeros((100, 2, 3), np.uint8),
    probabilities=np.zeros(100),
    gates=np.zeros(100),
)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weights": np.zeros((4, 6), np.uint8)}, r"weights: .*\(4, 2, 3\).* got uint8 \(4, 6\)"),
        ({"weights": np.zeros((4, 2, 3))}, r"weights: expected uint8 .* got float64 \(4, 2, 3\)"),
        ({"probabilities": np.zeros(3)}, r"probabilities: expected shape \(4,\), got \(3,\)"),
        ({"probabilities": np.array([0, 0, np.nan, 0])}, r"probabilities lie in \[0, 1\], not nan"),
        ({"gates": np.zeros((4, 1))}, r"gates: expected shape \(4,\), got \(4, 1\)"),
        ({"gates": np.array([0, 1.5, 0, 0])}, r"gates lie in \[0, 1\], not 1.5"),
        ({"forced": (0, 4)}, "forced: there is no word 4; words are 0–3"),
        ({"guided": (-1,)}, "guided: there is no word -1"),
        ({"words": ()}, "at least one word, not 0"),
    ],
)
def test_a_caption_that_does_not_fit_says_why(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        captioner(PICTURE, replace(TOLD, **change), GRID, key="told", vmax=1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"vmax": 0}, "vmax is more than 0, not 0"),
        ({"vmax": float("nan")}, "not nan"),
        ({"vmax": float("inf")}, "not inf"),
        ({"opacity": 1.1}, r"\[0, 1\], not 1.1"),
        ({"rest": 4}, "rest: there is no word 4"),
        ({"picked": Pick(4)}, "picked: there is no word 4; words are 0–3"),
        ({"picked": Pick(0, (0, 6))}, "no cell 6 to mark: cells are 0–5"),
        (
            {"boxes": [("cat", (0.5, 0.1, 0.5, 0.2))]},
            r"box of 'cat' .*\(0.5, 0.1\) to \(0.5, 0.2\)",
        ),
        ({"boxes": [("cat", (0.1, 0.1, float("nan"), 0.2))]}, "to .nan, 0.2"),
    ],
)
def test_an_option_that_does_not_fit_says_why(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        captioner(PICTURE, TOLD, GRID, **{"key": "told", "vmax": 1.0} | change)


def test_a_picture_or_a_geometry_that_does_not_fit_says_so() -> None:
    with pytest.raises(ValueError, match="PNG, JPEG or WebP"):
        captioner(b"GIF89a", TOLD, GRID, key="told", vmax=1)
    with pytest.raises(ValueError, match="without tokens before them, not 1"):
        captioner(PICTURE, TOLD, replace(GRID, prefix=("class",)), key="told", vmax=1)


def _page() -> None:
    import streamlit as st

    from app.components.captioner import captioner
    from tests.app.test_captioner_face import GRID, PICTURE, TOLD

    def heard(pick: object) -> None:
        st.session_state.setdefault("heard", []).append(pick)

    options = {"told": TOLD, "vmax": 0.5} | st.session_state.get("change", {})
    told = options.pop("told")
    st.session_state["got"] = captioner(PICTURE, told, GRID, key="told", on_change=heard, **options)


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_function(_page).run(timeout=20)


def test_the_message_has_the_words_and_the_bytes_as_they_are(page: AppTest) -> None:
    sent = message(page)
    assert sent["words"] == ["<b>$x$</b>", "a", "a", "(end)"]
    assert sent["weights"] == bytes(range(24)) and sent["picture"] == PICTURE
    assert sent["probabilities"] == [0.9, 0.12346, 1.0, 0.5]
    assert sent["gates"] == [0, 0.25, 0.5, 1]
    assert (sent["centre"], sent["stride"]) == ([1, 1], [16, 16])
    assert sent["chosen"] is None and page.session_state["got"] is None
    assert len(sent["colours"]) == 768


def test_a_pick_is_heard_once_and_costs_no_new_message(page: AppTest) -> None:
    before = message(page)
    report(page, 0, {"step": 2, "cells": [5, 0, 5]})
    assert page.session_state["got"] == Pick(2, (0, 5)) == page.session_state["heard"][0]
    assert message(page) == before
    report(page, 0, None)
    assert page.session_state["got"] is None and page.session_state["heard"] == [
        Pick(2, (0, 5)),
        None,
    ]
    assert message(page) == before


@pytest.mark.parametrize(
    "value",
    [
        "x", 2, [], {}, {"step": 1}, {"step": 1, "cells": [], "more": 0},
        {"step": 4, "cells": []}, {"step": -1, "cells": []}, {"step": 1.0, "cells": []},
        {"step": True, "cells": []}, {"step": None, "cells": []}, {"step": "1", "cells": []},
        {"step": 1, "cells": [6]}, {"step": 1, "cells": [-1]}, {"step": 1, "cells": [0.5]},
        {"step": 1, "cells": [True]}, {"step": 1, "cells": {"0": 1}}, {"step": 1, "cells": None},
        {"step": 1, "cells": [[0]]}, {"step": 1, "cells": [0] * 7},
    ],
    ids=repr,
)  # fmt: skip
def test_what_nobody_can_have_picked_is_none(page: AppTest, value: Any) -> None:
    assert report(page, 0, value).session_state["got"] is None
    assert report(page, 0, {"step": 1, "cells": []}).session_state["got"] == Pick(1)


def test_a_pick_outlives_other_captions_that_have_such_a_word(page: AppTest) -> None:
    from tests.app.test_captioner_face import HUNDRED

    report(page, 0, {"step": 3, "cells": []})
    page.session_state["change"] = {"told": HUNDRED}
    page.run()
    assert page.session_state["got"] == Pick(3)
    short = replace(
        TOLD,
        words=("a",),
        weights=TOLD.weights[:1],
        probabilities=TOLD.gates[:1],
        gates=TOLD.gates[:1],
    )
    page.session_state["change"] = {"told": short}
    page.run()
    assert page.session_state["got"] is None


def test_the_page_orders_a_pick_with_cells(page: AppTest) -> None:
    report(page, 0, {"step": 0, "cells": []})
    page.session_state["change"] = {"picked": Pick(1, (4, 2))}
    page.run()
    assert page.session_state["got"] == Pick(1, (2, 4))
    sent = message(page)
    assert sent["chosen"] == {"step": 1, "cells": [2, 4]} and sent["order"] == 1


def test_an_order_changes_the_stamp_alone_and_another_map_the_content(page: AppTest) -> None:
    first = message(page)
    page.session_state["change"] = {"picked": Pick(1)}
    ordered = message(page.run())
    assert ordered["stamp"] != first["stamp"] and ordered["content"] == first["content"]
    page.session_state["change"] = {"told": replace(TOLD, weights=TOLD.weights + 1)}
    other = message(page.run())
    assert other["content"] != first["content"] and other["seen"] == first["seen"]
