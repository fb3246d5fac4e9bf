"""The page "Show, Attend and Tell", run on tiny random captioners."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app import captions, scenes
from app.views import tell_subject
from attnviz import zoo
from attnviz.captioning import Captioning, describe
from attnviz.text import Words
from tests.app.apptest import html, message, report, take_away

Open = Callable[..., AppTest]
VIEWS = (
    "Caption",
    "Step by step",
    "Force",
    "Two languages",
    "Ways to look",
    "Beam",
    "Training",
)
OTHER = scenes.EXAMPLES["How many"]


def own(
    written: str = tell_subject.DEFAULT_SCENE, model: str = "captions_en_guided", **how: Any
) -> Captioning:
    """The same by the library alone."""
    card = zoo.card(model)
    assert card.preprocess is not None and card.labels is not None
    pixels = card.preprocess.pixels(card.preprocess.view(scenes.shown(written).image))
    return describe(zoo.load(card.name, "cpu"), Words(card.labels), pixels, **how)


def players(app: AppTest) -> list[dict[str, Any]]:
    """The messages of all captioners on the page."""
    count = len(app.get("bidi_component"))
    return [found for place in range(count) if "gates" in (found := message(app, place))]


def query(app: AppTest, name: str) -> str:
    value = app.query_params.get(name, "")
    return value[0] if isinstance(value, list) else value


def maps(sent: dict[str, Any]) -> np.ndarray:
    """(t, 14, 14) as the browser is told."""
    found = np.frombuffer(sent["weights"], np.uint8).reshape(len(sent["words"]), 14, 14)
    return found / 255 * sent["vmax"]


@pytest.mark.parametrize("source", ["A scene", "A picture"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens(tell: Open, view: str, source: str) -> None:
    app = tell(tell_view=view, tell_of=source)
    assert not app.error and "Held out" in html(app)


def test_a_scene_is_captioned_as_the_library_does(tell: Open) -> None:
    app, found = tell(), own()
    (sent,) = players(app)
    assert tuple(sent["words"]) == found.words
    np.testing.assert_allclose(maps(sent), found.weights, atol=sent["vmax"] / 254)
    assert sent["centre"] == [9, 9] and sent["stride"] == [16, 16]
    assert "each sums to 1" in html(app) and "a penguin on a car" in html(app)


def test_what_is_dropped_is_captioned_and_linked(tell: Open) -> None:
    app = tell()
    before = players(app)[0]["picture"]
    scene = scenes.read(OTHER)
    objects = [
        {"name": o.name, "x": o.x, "y": o.y, "size": o.size, "flip": o.flip} for o in scene.objects
    ]
    app = report(app, 0, {"backdrop": scene.backdrop, "objects": objects})
    assert not app.exception and query(app, "tell_scene") == scenes.text(scene)
    (sent,) = players(app)
    assert sent["picture"] != before and tuple(sent["words"]) == own(OTHER).words
    assert "three ladybugs" in html(app)
    assert [label for label, _ in sent["boxes"]] == ["ladybug"] * 3


def test_a_picked_word_is_linked_and_explained(tell: Open) -> None:
    app = report(tell(), 1, {"step": 1, "cells": []})
    assert query(app, "tell_step") == "1"
    assert f"1 “{own().words[1]}”, β" in html(app)


def test_a_link_picks_a_word_if_there_is_one(tell: Open) -> None:
    assert "least sure word" in html(tell(tell_step="99"))


def test_painted_cells_are_where_it_looks(tell: Open) -> None:
    app = tell(tell_view="Force")
    free, _ = players(app)
    app = report(app, 0, {"step": 1, "cells": [0, 13, 195]})
    assert query(app, "tell_cells") == "1.0_13_195"
    before, after = players(app)
    same = before["vmax"] / 250
    np.testing.assert_allclose(maps(before), maps(free), atol=same)
    asked = np.isin(np.arange(196), [0, 13, 195]) / 3
    np.testing.assert_allclose(maps(after)[1].ravel(), asked, atol=after["vmax"] / 254)
    assert after["guided"] == [1]
    assert "looked evenly at 3 painted cells" in html(app)
    again = players(tell(tell_view="Force", tell_cells="1.0_13_195"))[1]
    assert again["weights"] == after["weights"]
    app.button(key="tell_free_1").click().run()
    np.testing.assert_allclose(maps(players(app)[1]), maps(free), atol=same)


def test_a_word_can_be_put_in_its_mouth(tell: Open) -> None:
    app = tell(tell_view="Force", tell_words="5")
    (_, after), found = players(app), own(prefix=[5])
    assert tuple(after["words"]) == found.words and after["forced"] == [0]
    app.selectbox(key="tell_next_word").set_value(6).run()
    assert query(app, "tell_words") == "5-6"


@pytest.mark.parametrize("said", ["3", "999", "x", "5-999", "<b>"])
def test_a_link_cannot_force_what_is_no_word(tell: Open, said: str) -> None:
    assert players(tell(tell_view="Force", tell_words=said))[1]["forced"] == []


def test_korean_and_english_stand_side_by_side(tell: Open) -> None:
    english, korean = players(tell(tell_view="Two languages"))
    assert tuple(english["words"]) == own().words
    assert tuple(korean["words"]) == own(model="captions_ko_guided").words
    assert english["vmax"] == korean["vmax"], "one colour scale"


def test_ways_to_look_come_with_their_held_out_scores(tell: Open) -> None:
    page = html(tell(tell_view="Ways to look"))
    for kind in captions.KINDS.values():
        assert f"{kind}: " in page
    assert page.count("87.5 %") >= len(captions.KINDS) and "always the middle" in page


def test_training_can_be_scrubbed(tell: Open) -> None:
    app = tell(tell_view="Training", tell_snapshot="10")
    early = players(app)[0]
    app.select_slider(key="tell_snapshot_slider").set_value(1000).run()
    late = players(app)[0]
    np.testing.assert_allclose(maps(late), own().weights, atol=late["vmax"] / 254)
    assert early["weights"] != late["weights"] and query(app, "tell_snapshot") == "1000"


def test_a_captioner_without_snapshots_says_which_has_some(tell: Open) -> None:
    page = html(tell(tell_view="Training", tell_attention="learned"))
    assert "Snapshots were kept of: guided" in page


def test_the_beam_of_one_is_greedy(tell: Open) -> None:
    (sent,) = players(tell(tell_view="Beam", tell_width="1"))
    assert tuple(sent["words"]) == own().words


@pytest.mark.parametrize("view", [view for view in VIEWS if view != "Ways to look"])
def test_the_snippet_says_the_same(
    tell: Open, view: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import plotly.graph_objects as go

    monkeypatch.setattr(go.Figure, "show", lambda self: None)
    app = take_away(tell(tell_view=view))
    exec(app.code[0].value, {})
    assert own().text in capsys.readouterr().out


@pytest.mark.parametrize("written", ["china", "sky" + ";1f427.500.500.300" * 40, "nonsense;;;"])
def test_forty_objects_and_an_empty_scene(tell: Open, written: str) -> None:
    app = tell(tell_scene=written)
    assert not app.error and tuple(players(app)[0]["words"]) == own(written).words
