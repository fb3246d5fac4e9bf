"""The studies of the page "Attention layer", with the bundled weights that they show."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attnviz import zoo
from attnviz.attention_studies import additive, heads
from attnviz.attention_studies.permutation import embedded, fresh_layer, shuffled
from attnviz.attention_studies.scaling import scaling
from attnviz.text import Tokeniser
from tests.app.apptest import MAIN, html, take_away

Open = Callable[..., AppTest]
VIEWS = ("Scaling", "Permutation", "Heads", "Correspondence", "Additive or dot")


@pytest.fixture(scope="module", autouse=True)
def _tiny_zoo() -> None:
    """The real zoo: these views are about bundled weights, and small."""


@pytest.fixture(scope="module", autouse=True)
def _short() -> Any:
    """Trainings and measurements of a few steps; what they come to is the library's to test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(heads, "learn_two_places", partial(heads.learn_two_places, steps=20))
        patch.setattr(additive, "LENGTHS", (16, 32))
        yield


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


def figures(app: AppTest) -> list[dict[str, Any]]:
    return [json.loads(element.proto.spec) for element in app.get("plotly_chart")]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_has_facts_formula_downloads_and_a_snippet_that_runs(
    attention: Open, view: str, capsys: pytest.CaptureFixture[str]
) -> None:
    app = take_away(attention(view))
    assert not app.exception and not app.error
    assert "What is true here" in html(app) and figures(app)
    assert len(app.get("download_button")) == 2
    code = app.code[0].value.replace(".show()", "")
    exec(compile(code, "snippet", "exec"), {})
    if view != "Scaling":
        assert capsys.readouterr().out


def test_the_sliders_of_scaling_choose_size_and_keys(attention: Open) -> None:
    app = attention("Scaling", attn_size="256", attn_keys="8")
    found, page = scaling(8), html(app)
    place = found.sizes.index(256)
    entropy = np.median(found.softmax.entropy[:, place], -1)
    assert "At d = 256" in page and f"entropy {entropy[0]:.2f} of 3.00 bits" in page
    assert f"entropy {entropy[1]:.2f} of 3.00 bits" in page
    app.select_slider(key="attn_size").set_value(4).run()
    assert "At d = 4," in html(app)


def test_the_permutation_is_measured_with_and_without_positions(attention: Open) -> None:
    app = attention("Permutation", attn_order="reversed")
    text = app.selectbox(key="attn_example").value
    card = zoo.card("everyday_ko_en_mlp")
    ids = Tokeniser.load(card.tokeniser or "").encode(text).ids
    inputs = embedded(zoo.load(card.name, "cpu"), ids)
    order = list(range(len(ids)))[::-1]
    layer = fresh_layer(inputs.shape[1])
    off = [
        abs(shuffled(layer, inputs, order, positions=positions).difference).max()
        for positions in (False, True)
    ]
    assert off[0] < 1e-4 < 0.1 < off[1]
    page = html(app)
    assert f"{off[1]:.1g} in outputs" in page
    small = re.search(r"No positions</dt><dd>(\S+) in outputs", page)
    assert small and float(small[1]) < 1e-4


def test_each_order_and_each_matrix_can_be_chosen(attention: Open) -> None:
    app = attention("Permutation")
    for what in ("attention weights", "inputs"):
        app.segmented_control(key="attn_matrices").set_value(what).run()
        (figure,) = figures(app)
        assert len([trace for trace in figure["data"] if trace["type"] == "heatmap"]) == 6
    app.segmented_control(key="attn_order").set_value("first two swapped").run()
    assert not app.exception and not app.error


def test_heads_are_trained_and_priced(attention: Open) -> None:
    app = attention("Heads", attn_heads="4")
    losses, weights = figures(app)
    assert [trace["name"] for trace in losses["data"]] == [
        "1 head",
        "2 heads",
        "4 heads",
        "8 heads",
    ]
    assert len(weights["data"]) == 1 + 4
    page = html(app)
    assert page.count("262,144") == 4 and page.count("41.94 M") == 4
    assert "are the same in all rows" in page


def test_the_correspondence_has_real_tensors_on_all_sides(attention: Open) -> None:
    page = html(attention("Correspondence"))
    assert page.count("weights sum to 1.000000") == 3
    for said in ("196 × 336", "guided attention", "fresh weights, seed 0"):
        assert said in page
    assert page.count("<td data-model=") == 18
    other = html(attention("Correspondence", attn_picture="Two kinds"))
    assert other != page and "weights sum to 1.000000" in other


def test_what_a_link_asks_for_and_is_not_there_is_passed_over(attention: Open) -> None:
    app = attention("Correspondence", attn_token="99 nobody", attn_step="no", attn_picture="none")
    assert "What is true here" in html(app)


def test_prices_are_measured_on_demand(attention: Open) -> None:
    app = attention("Additive or dot", attn_width="16")
    assert "Nothing was measured yet" in html(app)
    app.button(key="attn_measure").click().run()  # each run measures one, and asks for the next
    assert not app.exception and not app.error
    _, time, memory = figures(app)
    for figure in (time, memory):
        assert [trace["name"] for trace in figure["data"]] == list(additive.PRICED)
        assert all(len(trace["x"]) for trace in figure["data"])
    assert "32 keys of 16" in html(app)
    app.segmented_control(key="attn_width").set_value("64").run()
    assert "Nothing was measured yet" in html(app)
