"""The Python side of the unrolled network and of the choices: checks, messages, places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.components.choices import Decoding, choices
from app.components.unrolled import Course, unrolled
from tests.app.apptest import message, report

COURSE = Course(("a", "</s>"), (1, 0), ("<s>",), ("b",), np.ones(1))
GOOD: dict[str, Any] = {
    "values": np.zeros((3, 4)), "course": COURSE, "key": "k", "vmax": 1.0, "units": [3, 1, 0, 2]
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"values": np.zeros((2, 4))}, r"values \(2, 4\) for 3 steps"),
        ({"units": [0, 1, 2]}, "each of 0–3 once"),
        ({"units": [0, 1, 2, 2]}, "each of 0–3 once"),
        ({"vmax": 0}, "not 0"),
        ({"asked": (4, None)}, "no unit 4: units are 0–3"),
        ({"asked": (None, 3)}, "no step 3: steps are 0–2"),
        ({"course": Course(("a",), (1,), ("<s>",) * 2, ("b",) * 2, np.ones(2))}, "order of 1"),
        ({"course": Course(("a",), (0,), (), ("b",) * 2, np.ones(2))}, "0 given, 2 said"),
    ],
)
def test_an_unrolled_network_that_does_not_fit_says_why(change: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, IndexError), match=words):
        unrolled(**GOOD | change)


DECODING = Decoding([["a", "b"]], np.array([[0.6, 0.4]]), ["a"], np.array([0.6]), [0], 0, ["a"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"said": ["a", "b"]}, "1 rows of chances"),
        ({"texts": []}, "1 rows of chances"),
        ({"candidates": [["a"]]}, "2 candidates"),
        ({"picked": [2]}, "−1 or 0–1"),
    ],
)
def test_choices_that_do_not_fit_say_why(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        choices(Decoding(**vars(DECODING) | change), key="k")


def unrolled_script() -> None:
    import numpy as np
    import streamlit as st

    from app.components.unrolled import Course, unrolled

    course = Course(("a", "</s>"), (1, 0), ("<s>",), ("<b>",), np.ones(1))
    values = np.arange(12.0).reshape(3, 4)
    st.text(str(unrolled(values, course, key="k", vmax=11, units=range(4), signed=False)))


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ([2, 1], (2, 1)), ([None, 2], (None, 2)), ([3, None], (3, None)),
        ([4, 0], (None, None)), ([0, -1], (None, None)), ([True, 0], (None, None)),
        ("x", (None, None)), ([1], (None, None)), (None, (None, None)),
    ],
)  # fmt: skip
def test_only_places_that_exist_are_kept(value: Any, place: Any) -> None:
    app = AppTest.from_function(unrolled_script).run()
    assert not app.exception
    sent = message(app)
    np.testing.assert_array_equal(np.frombuffer(sent["values"], "<f4"), np.arange(12))
    assert sent["reads"] == [1, 0] and sent["said"] == ["<b>"]
    assert report(app, 0, value).text[0].value == str(place)


def choices_script() -> None:
    import numpy as np
    import streamlit as st

    from app.components.choices import Decoding, choices

    one = Decoding([["a", "b"]], np.array([[0.6, 0.4]]), ["a"], np.array([0.6]), [0], 0, ["a"])
    st.text(str(choices(one, key="k")))


@pytest.mark.parametrize(("value", "pick"), [([0, 1], (0, 1)), ([0, 2], None), ([1, 0], None)])
def test_only_candidates_that_exist_are_picked(value: Any, pick: Any) -> None:
    app = report(AppTest.from_function(choices_script).run(), 0, value)
    assert not app.exception and app.text[0].value == str(pick)
