"""The Vision Transformer page, run on a tiny model."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from app import loaders, maps
from attnviz import analysis, zoo
from attnviz.data.samples import samples
from attnviz.inference import look
from tests.app.apptest import html, message, report, take_away

Open = Callable[..., AppTest]
TOKENS = 197


def own_run(model: Any = None, edit: Any = None) -> Any:
    """The first sample through the default model, by the library alone."""
    from attnviz.images import open_image

    preprocess = zoo.card(zoo.DEFAULT).preprocess
    pixels = preprocess.pixels(preprocess.view(open_image(samples()[0].path).image))
    return look(model or zoo.load(zoo.DEFAULT, "cpu"), pixels, edit=edit)


def test_the_first_view_is_alive(vit: Open) -> None:
    app = vit()
    assert "Where does the model look?" in app.markdown[0].value
    sent = message(app)
    assert len(sent["matrix"]) == TOKENS**2 and len(sent["picture"]) > 1000
    run = own_run()
    matrix = run.weights[-1].mean(axis=0)
    expected = maps.as_bytes(matrix, sent["vmax"])
    assert (
        np.abs(np.frombuffer(sent["matrix"], np.uint8) - expected.reshape(-1).astype(int)).max()
        <= 1
    )
    names = zoo.label_names(zoo.card(zoo.DEFAULT))
    page = html(app)
    assert re.findall(r"<li><span>(.*?)</span>", page) == [names[i] for i, _ in run.top()]
    assert re.search(r"sum to 1; the largest deviation measured is \d\.\de-0[5-9]", page)
    assert "cpu, float32" in page
    assert "in 25.0% of 1,200 scenes of things it never saw (among its five: 50.0%)" in page


def test_layer_and_head_choose_the_map(vit: Open) -> None:
    app = vit()
    before = message(app)["matrix"]
    app.slider(key="layer").set_value(0).run()
    app.segmented_control(key="head").set_value("1").run()
    sent = message(app)
    expected = maps.as_bytes(own_run().weights[0, 1], sent["vmax"])
    assert sent["matrix"] != before
    assert (
        np.abs(np.frombuffer(sent["matrix"], np.uint8) - expected.reshape(-1).astype(int)).max()
        <= 1
    )


@pytest.mark.parametrize("scale", ["99th percentile", "shared maximum"])
def test_the_scale_is_that_of_the_whole_run(vit: Open, scale: str) -> None:
    app = vit(scale=scale)
    patches = own_run().weights[..., 1:]
    top = patches.max() if scale == "shared maximum" else np.quantile(patches, 0.99)
    assert message(app)["vmax"] == pytest.approx(top, rel=0.01)
    assert scale in html(app)


def test_rollout(vit: Open) -> None:
    app = vit(method="Rollout", discard="50", fusion="max")
    expected = analysis.rollout(own_run().weights, fuse="max", discard=0.5)
    sent = message(app)
    rest = np.frombuffer(sent["rest"], np.uint8).astype(int)
    assert np.abs(rest - maps.as_bytes(expected[0], sent["vmax"])).max() <= 1


def test_relevance_explains_the_class_asked_for(vit: Open) -> None:
    app = vit(method="Relevance")
    first = message(app)["matrix"]
    app.selectbox(key="vit_target_picker").set_value(7).run()
    assert message(app)["matrix"] != first
    linked = vit(**{"method": "Relevance", "class": "7"})
    assert linked.selectbox(key="vit_target_picker").value == 7


def test_a_link_restores_the_page(vit: Open) -> None:
    app = vit(layer="1", head="1", token="50", picture="coffee", opacity="30", drawing="smooth")
    assert app.slider(key="layer").value == 1
    sent = message(app)
    assert sent["chosen"] == 50 and sent["smooth"] and sent["opacity"] == 0.3
    assert "Patch in row 3, column 7 looks most at" in html(app)
    chelsea, coffee = (
        loaders.view(s.picture, s.preprocess) for s in map(subject, ("chelsea", "coffee"))
    )
    assert sent["picture"] == coffee != chelsea


def subject(sample: str) -> loaders.Subject:
    preprocess = zoo.card(zoo.DEFAULT).preprocess
    return loaders.Subject(zoo.DEFAULT, "cpu", False, loaders.sample_picture(sample), preprocess)


@pytest.mark.parametrize(
    "query",
    [
        {"layer": "99"},
        {"layer": "x", "head": "77", "method": "?"},
        {"token": "100000"},
        {"token": "-1", "picture": "../../etc/passwd"},
        {"picture": "own"},
        {"silenced": "9.9-0.0-x", "removed": "0-1-999999-y", "view": "Edit"},
        {"class": "100000", "method": "Relevance"},
    ],
)
def test_nonsense_in_a_link_is_left_out(vit: Open, query: dict[str, str]) -> None:
    app = vit(**query)
    assert not app.error and app.get("bidi_component")


def test_a_click_pins_and_shows_exact_values(vit: Open) -> None:
    app = report(vit(), 0, 60)
    row = own_run().weights[-1].mean(axis=0)[60]
    page = html(app)
    assert "Patch in row 4, column 3 looks most at" in page
    assert f"<td>{row.max():.6f}</td>" in page
    assert app.query_params["token"] == ["60"] or app.query_params["token"] == "60"


def test_mass(vit: Open) -> None:
    app = vit(mass="50")
    run = own_run()
    row = run.weights[-1].mean(axis=0)[0, 1:]
    count = int(analysis.mass_set(row, 0.5).sum())
    assert message(app)["mass"] == 0.5
    assert f"{count} of 196 patches hold 50% of the weight on patches" in html(app)


@pytest.mark.parametrize(
    ("view", "component"),
    [
        ("All heads", "bidi_component"),
        ("Path of the data", "html"),
        ("Positions", "plotly_chart"),
        ("Filters", "plotly_chart"),
        ("Distance & entropy", "plotly_chart"),
        ("Edit", "bidi_component"),
    ],
)
def test_views(vit: Open, view: str, component: str) -> None:
    app = vit(view=view)
    assert not app.error and app.get(component)
    assert "What is true here" in html(app)
    assert not app.get("download_button") and not app.code
    app = take_away(app)
    assert not app.error and app.get("download_button") and app.code


def test_path_shows_real_shapes(vit: Open) -> None:
    page = html(vit(view="Path of the data"))
    for shape in ("3 × 224 × 224", "14 × 14 = 196 patches", "196 × 32", "197 × 32"):
        assert f"<code>{shape}</code>" in page


def test_the_wall_chooses_layer_and_head(vit: Open) -> None:
    app = report(vit(view="All heads"), wall_of(vit), [1, 0])
    assert app.session_state["layer"] == 1 and app.session_state["head"] == "0"


def wall_of(vit: Open) -> int:
    app = vit(view="All heads")
    return next(i for i in range(2) if "weights" in dict(message(app, i)["blocks"]))


def test_silencing_heads_changes_the_labels(vit: Open) -> None:
    from attnviz.inference import Edit

    app = vit(view="Edit", silenced="0.0-2.1")
    after = own_run(edit=Edit(silenced=((0, 0), (2, 1))))
    names = zoo.label_names(zoo.card(zoo.DEFAULT))
    page = html(app)
    assert "with 2 of 6 heads silenced" in page
    shown = re.findall(r"<li><span>(.*?)</span>", page)
    assert shown[:5] == [names[i] for i, _ in after.top()]


def test_removing_a_patch_and_bringing_it_back(vit: Open) -> None:
    app = vit(view="Edit")
    place = next(i for i in range(3) if "matrix" in message(app, i) and i != first_lens(app))
    app = report(app, place, 40)
    assert "with 1 of 196 patches removed" in html(app)
    assert "get a weight of 0 from every token" in html(app)
    assert message(app, place)["removed"] == [40]
    app = report(app, place, None)
    assert message(app, place)["removed"] == []


def first_lens(app: AppTest) -> int:
    return next(i for i in range(3) if "matrix" in message(app, i))


def png(size: tuple[int, int] = (30, 20), colour: Any = (9, 200, 90)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, colour).save(buffer, "PNG")
    return buffer.getvalue()


def upload(app: AppTest, name: str, data: bytes) -> AppTest:
    return app.file_uploader[0].upload(name, data, "image/png").run()


def test_an_upload_is_shown_and_kept_over_pages(vit: Open, home: AppTest) -> None:
    app = upload(vit(), "my **cat**.png", png())
    assert not app.error
    picture = np.asarray(Image.open(io.BytesIO(message(app)["picture"])))
    assert np.abs(picture.astype(int) - (9, 200, 90)).max() < 8
    home.switch_page("../pages/home.py").run()
    home.switch_page("../pages/vit.py").run()
    again = np.asarray(Image.open(io.BytesIO(message(home)["picture"])))
    assert (again == picture).all()


@pytest.mark.parametrize("size", [(1, 1), (2000, 3)])
def test_extreme_pictures_are_taken(vit: Open, size: tuple[int, int]) -> None:
    app = upload(vit(size="whole"), "a.png", png(size))
    assert not app.error and not app.exception
    sent = message(app)
    assert sent["width"] == (224 if size == (1, 1) else 896) and sent["height"] == 224


def test_what_is_no_picture_leaves_the_view_as_it_was(vit: Open) -> None:
    app = report(vit(), 0, 60)
    before = message(app)["picture"]
    for name, data in (("a.png", b"text"), ("b.png", b""), ("c.png", png()[:60])):
        app = upload(app, name, data)
        assert not app.exception and len(app.error) == 1
        assert len(app.error[0].value.splitlines()) == 1
        assert message(app)["picture"] == before
        assert "Patch in row 4, column 3" in html(app)
    app.slider(key="layer").set_value(0).run()
    assert not app.error


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"model": "vit_giant_typo"}, "There is no model"),
        ({"size": "300"}, "multiples of 16"),
        ({"size": "99999"}, "multiples of 16"),
        ({"size": "<b>"}, "multiples of 16"),
    ],
)
def test_what_cannot_be_shown_is_one_sentence(vit: Open, query: dict[str, str], says: str) -> None:
    app = vit(**query)
    assert says in app.error[0].value.replace("\\", "") and len(app.error) == 1
    assert message(app)["picture"]
    assert app.selectbox(key="vit_model_picker").value == zoo.DEFAULT


def test_an_unreachable_hub_is_said_and_the_view_stays(vit: Open) -> None:
    app = vit(layer="1")
    before = message(app)["matrix"]
    app.selectbox(key="vit_model_picker").set_value("vit_small_patch16_224").run()
    assert len(app.error) == 1 and "cannot be fetched" in app.error[0].value
    assert message(app)["matrix"] == before
    assert app.selectbox(key="vit_model_picker").value == zoo.DEFAULT
    assert app.slider(key="layer").value == 1


@pytest.mark.parametrize("size", ["288", "whole"])
def test_other_inputs(vit: Open, size: str) -> None:
    sent = message(vit(size=size))
    picture = Image.open(io.BytesIO(sent["picture"]))
    assert picture.width / picture.height == pytest.approx(sent["width"] / sent["height"])
    assert sent["height"] == (288 if size == "288" else 224)
    if size == "whole":
        assert sent["width"] == 336 and sent["cols"] == 21


def test_large_grids_send_fewer_queries(vit: Open) -> None:
    sent = message(vit(size="384"))
    assert sent["step"] == 2
    assert len(sent["matrix"]) == (1 + 12 * 12) * (1 + 24 * 24) < 150_000


def test_the_device_switch_is_there(vit: Open) -> None:
    control = vit().segmented_control(key="device")
    assert control.value == "auto" and control.options[0] == "auto" and "cpu" in control.options


@pytest.mark.parametrize(
    "query",
    [
        {"layer": "1", "head": "0", "picture": "coffee"},
        {"head": "max", "size": "288"},
        {"method": "Rollout", "discard": "30", "size": "whole"},
        {"method": "Relevance", "class": "9"},
        {"method": "Attention × gradient", "class": "9"},
    ],
)
def test_the_snippet_computes_what_is_shown(
    vit: Open, query: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = vit(**query)
    sent = message(app)
    monkeypatch.setattr("plotly.graph_objects.Figure.show", lambda figure: None)
    found: dict[str, Any] = {}
    exec(take_away(app).code[0].value, found)
    geometry = found["run"].geometry
    rows = maps.head_row(found["matrix"], geometry)
    shown = np.frombuffer(sent["rest"], np.uint8).astype(int)
    assert np.abs(shown - maps.as_bytes(rows, sent["vmax"])).max() <= 1


@pytest.mark.parametrize("view", ["All heads", "Path of the data", "Positions", "Filters",
                                  "Distance & entropy", "Edit"])  # fmt: skip
def test_other_snippets_run(vit: Open, view: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plotly.graph_objects.Figure.show", lambda figure: None)
    app = take_away(vit(view=view, silenced="0.1", removed="30"))
    exec(app.code[0].value, {})


def test_another_model_starts_at_its_last_layer(vit: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    load, first = zoo.load, zoo.card(zoo.DEFAULT)
    second = replace(first, name="second", title="Second")
    monkeypatch.setattr(zoo, "cards", lambda: [first, second])
    monkeypatch.setattr(zoo, "card", lambda name: second if name == "second" else first)
    monkeypatch.setattr(zoo, "load", lambda name, *rest, **more: load(zoo.DEFAULT, *rest, **more))
    app = vit(layer="1")
    app.selectbox(key="vit_model_picker").set_value("second").run()
    assert not app.error and app.slider(key="layer").value == 2
