"""The lab of the page "Attention layer": torch's numbers, the leak test, links."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.components.linked import read, write
from app.views.attention_mask import sentences
from attnviz.attention_lab import run
from attnviz.attention_setup import Setup, mask
from tests.app.apptest import MAIN, html, message, report, take_away

Open = Callable[..., AppTest]


@pytest.fixture(scope="module", autouse=True)
def _tiny_zoo() -> None:
    """The real zoo: the lab needs one bundled table of embeddings, which is small."""


@pytest.fixture
def attention() -> Open:
    def opened(view: str, **query: str) -> AppTest:
        app = AppTest.from_file(str(MAIN), default_timeout=120).run()
        app.switch_page("../pages/attention.py")
        for name, value in ({"attn_view": view} | query).items():
            app.query_params[name] = value
        app.run()
        assert not app.exception and not app.error
        return app

    return opened


def start(app: AppTest) -> Setup:
    found = read(message(app)["start"])
    assert found is not None
    return found


@pytest.mark.parametrize("view", ["Layer", "Mask"])
def test_every_view_has_facts_formula_downloads_and_a_snippet_that_runs(
    attention: Open, view: str, capsys: pytest.CaptureFixture[str]
) -> None:
    app = take_away(attention(view))
    assert not app.exception and not app.error
    assert "What is true here" in html(app) and len(app.get("download_button")) == 2
    exec(compile(app.code[0].value, "snippet", "exec"), {})
    assert capsys.readouterr().out


def test_torch_computes_what_was_left_in_the_browser(attention: Open) -> None:
    app = attention("Layer")
    setup = start(app)
    moved = Setup(((2.5, -1.0), *setup.vectors[1:]), mask=setup.mask)
    page = html(report(app, 0, write(moved)))
    for x, y in run(moved).output:
        assert f"{x:+.6f}, {y:+.6f}" in page
    assert app.session_state["attn_setup"] == write(moved)


def test_a_link_brings_its_setup_back(attention: Open) -> None:
    setup = Setup(((1.0, 1.0), (0.5, -2.0), (-1.0, 0.0)), mask=mask("causal", 3).tolist())
    app = attention("Layer", attn_count="3", attn_setup=write(setup))
    assert message(app)["chosen"] == write(setup)
    assert f"{run(setup).output[2, 0]:+.6f}" in html(app)


@pytest.mark.parametrize("text", ["nonsense", "1_1.2_2~1_0_0_1~1_0_0_1~1_0_0_1~11.11~s"])
def test_a_setup_that_does_not_fit_is_passed_over(attention: Open, text: str) -> None:
    app = attention("Mask", attn_setup=text)
    assert message(app)["chosen"] is None and "What is true here" in html(app)


def test_a_sentence_gives_its_embeddings(attention: Open) -> None:
    app = attention("Layer", attn_from="a sentence")
    sent = message(app)
    assert 3 <= len(sent["labels"]) <= 8 and "trained embeddings of" in html(app)
    lengths = np.linalg.norm(np.array(start(app).vectors), axis=1)
    assert lengths.max() == pytest.approx(2, abs=0.02)


def test_the_mask_opens_with_a_leak_and_closing_it_heals_it(attention: Open) -> None:
    app = attention("Mask")
    assert "Position 2’s output depends on the later token 3: the mask leaks." in html(app)
    healed = Setup(start(app).vectors, mask=mask("causal", 4).tolist())
    page = html(report(app, 0, write(healed)))
    assert (
        "No output depends on a later token: nothing leaks." in page
        and "the mask leaks" not in page
    )


def test_a_row_that_may_see_nothing_is_said_and_is_zero(attention: Open) -> None:
    app = attention("Mask")
    shown = mask("causal", 4)
    shown[0] = False
    app = report(app, 0, write(Setup(start(app).vectors, mask=shown.tolist())))
    page = html(app)
    assert "Position 1 may look at nothing: its output is zero." in page and "nan" not in page
    app.segmented_control(key="attn_view").set_value("Layer").run()
    page = html(app)
    assert "token 1 may look at nothing" in page and "+0.000000, +0.000000" in page


def test_leaks_in_words() -> None:
    changed: Any = np.eye(4)
    assert list(sentences(changed, [])) == ["No output depends on a later token: nothing leaks."]
    changed[0, [1, 3]] = 0.1
    said = list(sentences(changed, [2]))
    assert said[0].startswith("Position 1’s output depends on the later tokens 2 and 4")
    assert said[1:] == ["Position 2 may look at nothing: its output is zero."]
