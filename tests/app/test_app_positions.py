"""The page "Positions", with the bundled weights that it shows."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app.views import positions_beyond, positions_common, positions_learned
from attnviz import zoo
from attnviz.analysis import frequencies
from attnviz.data.held_out import held_out
from attnviz.position_study import score_terms, shuffle, table, table_2d
from attnviz.text import Tokeniser
from tests.app.apptest import MAIN, html, message, report, take_away

Open = Callable[..., AppTest]
VIEWS = (
    "Table",
    "Rotation",
    "Distance",
    "Added or concatenated",
    "Terms of a score",
    "Beyond the length",
    "Learned tables",
    "Permutation",
)


@pytest.fixture(scope="module", autouse=True)
def _tiny_zoo() -> None:
    """The real zoo: these views are about bundled weights, and small."""


@pytest.fixture
def positions() -> Open:
    def opened(view: str, **query: str) -> AppTest:
        app = AppTest.from_file(str(MAIN), default_timeout=120).run()
        app.switch_page("../pages/positions.py")
        for name, value in ({"pos_view": view} | query).items():
            app.query_params[name] = value
        app.run()
        assert not app.exception and not app.error
        return app

    return opened


def figures(app: AppTest) -> list[dict[str, Any]]:
    return [json.loads(element.proto.spec) for element in app.get("plotly_chart")]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_has_facts_formula_downloads_and_a_snippet_that_runs(
    positions: Open, view: str, capsys: pytest.CaptureFixture[str]
) -> None:
    app = take_away(positions(view))
    assert not app.exception and not app.error
    assert "What is true here" in html(app) and figures(app)
    assert len(app.get("download_button")) == 2
    exec(compile(app.code[0].value.replace(".show()", ""), "snippet", "exec"), {})
    assert capsys.readouterr().out


def test_the_table_has_the_sizes_and_the_pair_that_are_chosen(positions: Open) -> None:
    app = positions("Table", pos_n="32", pos_d="16", pos_pair="3")
    sent = message(app)
    assert (sent["length"], sent["width"], sent["chosen"]) == (32, 16, 3)
    values = np.frombuffer(sent["values"], "<f4").reshape(32, 16)
    np.testing.assert_array_equal(values, table(32, 16))
    assert "3, kept" in html(app)
    report(app, 0, 6)
    assert "6, kept" in html(app)
    report(app, 0, "6); alert(1")
    assert not app.exception and not app.error
    app.select_slider(key="pos_d").set_value(8).run()
    assert message(app)["width"] == 8 and "3, kept" in html(app)  # the last of four


def test_the_rotation_is_measured_over_all_positions(positions: Open) -> None:
    app = positions("Rotation", pos_pair="2", pos_p="5", pos_k="7", pos_d="32")
    assert app.slider(key="pos_pair_slider").value == 2
    found = re.search(r"the largest deviation is (\S+),", html(app))
    assert found and float(found[1]) < 1e-6
    angle = np.degrees(7 * frequencies(32)[2])
    assert f"{angle:,.1f}°" in html(app)
    assert f"{np.cos(np.radians(angle)):.3f}" in app.latex[0].value
    app.slider(key="pos_pair_slider").set_value(9).run()
    assert "of pair 9" in html(app)


def test_products_depend_on_the_distance_alone(positions: Open) -> None:
    page = html(positions("Distance", pos_d="128", pos_n="32"))
    assert "from d/2 = 64.0" in page
    found = re.search(r"agree, to within ([^<\s]+)<", page)
    assert found and float(found[1]) < 1e-4


def _curve(drawn: Any) -> np.ndarray:
    packed = drawn["data"][-1]["y"]
    return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])


def test_the_cosine_stands_beside_the_dot_product(positions: Open) -> None:
    app = positions("Distance", pos_d="128", pos_n="32")
    dot, cosine, _ = figures(app)
    assert cosine["layout"]["yaxis"]["title"]["text"] == "cosine"
    numbers = [_curve(drawn) for drawn in (dot, cosine)]
    np.testing.assert_allclose(numbers[1], numbers[0] / 64, atol=1e-6)
    assert numbers[1].max() == pytest.approx(1)


def test_concatenating_with_the_words_matrix_is_what_the_model_does(positions: Open) -> None:
    app = positions("Added or concatenated")
    same = re.search(r"([^>\s]+) between W \[x; p\] and the model", html(app))
    assert same and float(same[1]) < 1e-4
    app.segmented_control(key="pos_matrix").set_value("one of their own").run()
    other = re.search(r"([^>\s]+) between W \[x; p\] and the model", html(app))
    summed = re.search(r"([^>\s]+) between W \[x; p\] and W_x", html(app))
    assert other and summed and float(summed[1]) < 1e-4 < 0.1 < float(other[1])


def test_the_terms_of_a_score_are_the_models(positions: Open) -> None:
    text = held_out("everyday_ko_en").examples[1].source
    app = positions("Terms of a score", pos_sentence=text, pos_head="4")
    card = zoo.card("everyday_ko_en_transformer")
    ids = Tokeniser.load(card.tokeniser or "").encode(text).ids
    found = score_terms(zoo.load(card.name, "cpu"), ids)
    for term in range(4):
        assert f"±{found.spread[term, 4]:.2f} along a row" in html(app)
    panels = [trace for trace in figures(app)[0]["data"] if trace["type"] == "heatmap"]
    assert len(panels) == 6


def test_beyond_the_grid_a_learned_table_has_nothing(positions: Open) -> None:
    app = positions("Beyond the length", pos_side="20")
    assert f"{20 * 20 - 14 * 14} of 400 places have no row" in html(app)
    assert "sinusoid table differ by 0" in html(app)


def test_learned_places_are_more_like_a_plane_than_like_a_line(positions: Open) -> None:
    def alike(app: AppTest) -> float:
        found = re.search(r"correlate by (\S+),", html(app))
        assert found
        return float(found[1])

    app = positions("Learned tables")
    plane = alike(app)
    app.segmented_control(key="pos_fixed").set_value(positions_learned.FIXED[1]).run()
    assert alike(app) < plane


def test_agreement_and_similarity_by_hand() -> None:
    tiles = np.random.default_rng(0).normal(size=(2, 2, 2, 2))
    assert positions_learned.agreement(tiles, 3 * tiles + 1) == pytest.approx(1)
    assert positions_learned.agreement(tiles, -tiles) == pytest.approx(-1)
    fixed = table_2d(2, 3, 16)
    near = positions_beyond.similarity(np.vstack([np.ones(16), fixed]), (2, 3), (1, 2))
    assert near.shape == (2, 3) and near[1, 2] == pytest.approx(1) and near[0, 0] < near[1, 1]


def test_the_permutation_is_measured_with_and_without_positions(positions: Open) -> None:
    text = held_out("everyday_ko_en").examples[2].source
    page = html(positions("Permutation", pos_sentence=text, pos_shuffle="3"))
    card = zoo.card("everyday_ko_en_transformer")
    ids = Tokeniser.load(card.tokeniser or "").encode(text).ids
    order = np.random.default_rng(3).permutation(len(ids)).tolist()
    model = zoo.load(card.name, "cpu")
    off = [shuffle(model, ids, order, positions=added).deviation for added in (False, True)]
    assert off[0] < 1e-6 < 0.01 < off[1]
    assert f"Positions added</dt><dd>{off[1]:.2g} in outputs" in page
    small = re.search(r"No positions</dt><dd>(\S+) in outputs", page)
    assert small and float(small[1]) < 1e-6


def test_what_a_link_asks_for_and_is_not_there_is_passed_over(positions: Open) -> None:
    app = positions("Table", pos_pair="99999", pos_n="7", pos_d="no")
    assert message(app)["length"] == 64 and "31, kept" in html(app)
    app = positions("Permutation", pos_sentence="nobody said this", pos_shuffle="-4")
    assert "What is true here" in html(app)


@pytest.mark.parametrize(
    ("count", "shown"), [(1, [0]), (5, [0, 1, 2, 3, 4]), (14, [0, 3, 6, 9, 12])]
)
def test_few_places_are_named_under_a_panel(count: int, shown: list[int]) -> None:
    names = positions_common.spaced(count)
    assert len(names) == count
    assert [name for name in names if name] == [str(place) for place in shown]
