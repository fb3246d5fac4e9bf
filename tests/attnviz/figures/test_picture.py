"""The overlay lies where the cells look, keeps exact values and stays small."""

import base64
import io
import json

import numpy as np
import pytest
from PIL import Image

from attnviz.figures import attention_map
from attnviz.geometry import Geometry

VIT = Geometry(14, 14, 224, 224, prefix=("class",))
WIDE = Geometry(2, 3, 32, 48, prefix=("class",))
NOISE = np.random.default_rng(0).integers(0, 256, (224, 224, 3), dtype=np.uint8)
GREY = np.full((32, 48, 3), 128, np.uint8)


def shown_picture(figure) -> np.ndarray:
    head, data = figure.layout.images[0].source.split(",")
    assert head == "data:image/jpeg;base64"
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))


def test_cells_keep_their_exact_values_and_place():
    values = np.arange(6, dtype=np.float32).reshape(2, 3) / 7
    (heatmap,) = attention_map(GREY, values, WIDE).data
    np.testing.assert_array_equal(heatmap.z, values)
    np.testing.assert_array_equal(heatmap.x, [0, 16, 32, 48])
    np.testing.assert_array_equal(heatmap.y, [0, 16, 32])
    assert heatmap.customdata[1, 2].tolist() == [1, 2]
    assert "row %{customdata[0]}, column %{customdata[1]}" in heatmap.hovertemplate


def test_cells_of_a_shifted_grid_are_drawn_where_they_look():
    shifted = Geometry(2, 3, 32, 48, stride=(16.0, 16.0), centre=(15.5, 12.0))
    (heatmap,) = attention_map(GREY, np.ones((2, 3)), shifted).data
    np.testing.assert_array_equal(heatmap.y, [0, 23.5, 32])  # border cells reach to the edge
    np.testing.assert_array_equal(heatmap.x, [0, 20, 36, 48])


def test_the_picture_is_upright_and_keeps_its_proportions():
    layout = attention_map(GREY, np.ones((2, 3)), WIDE).layout
    assert layout.xaxis.range == (0, 48)
    assert layout.yaxis.range == (32, 0)  # down
    assert layout.yaxis.scaleanchor == "x"
    assert layout.xaxis.constrain == layout.yaxis.constrain == "domain"
    (picture,) = layout.images
    assert (picture.x, picture.y, picture.sizex, picture.sizey) == (0, 0, 48, 32)
    assert (picture.layer, picture.sizing) == ("below", "stretch")


def test_arrays_and_pil_pictures_are_drawn_alike_and_not_flipped():
    image = GREY.copy()
    image[:8] = (255, 0, 0)  # a red sky
    image[:, :8] = (0, 0, 255)  # a blue left edge
    figures = [attention_map(i, np.ones((2, 3)), WIDE) for i in (image, Image.fromarray(image))]
    assert figures[0] == figures[1]
    seen = shown_picture(figures[0]).astype(int)
    assert seen[3, 40, 0] > 200 > 50 > seen[3, 40, 2]
    assert seen[28, 3, 2] > 200 > 50 > seen[28, 3, 0]


def test_smooth_overlays_are_painted_into_the_picture_under_exact_cells():
    values = np.zeros((2, 3), np.float32)
    values[1, 2] = 0.5
    figure = attention_map(GREY, values, WIDE, mode="smooth", opacity=1)
    (heatmap,) = figure.data
    assert heatmap.opacity == 0  # hover only
    np.testing.assert_array_equal(heatmap.z, values)
    seen = shown_picture(figure).astype(int)
    assert np.abs(seen[28, 44] - [253, 231, 37]).max() < 25  # viridis' yellow: the highest value
    assert np.abs(seen[4, 4] - [68, 1, 84]).max() < 25  # and its purple: the lowest
    assert len(figure.layout.images) == 1  # Plotly drops a second one over the same place


def test_signed_values_are_centred_on_zero():
    (heatmap,) = attention_map(
        GREY, np.array([[0.1, -0.3, 0], [0, 0, 0]]), WIDE, colours="diverging"
    ).data
    assert (heatmap.zmin, heatmap.zmax) == pytest.approx((-0.3, 0.3))


def test_a_shared_scale_is_kept():
    (heatmap,) = attention_map(GREY, np.full((2, 3), 0.1), WIDE, scale_max=0.5).data
    assert (heatmap.zmin, heatmap.zmax) == (0, 0.5)


def test_the_marked_cell_is_outlined():
    figure = attention_map(GREY, np.ones((2, 3)), WIDE, marked=(1, 2))
    (outline,) = figure.layout.shapes
    assert (outline.x0, outline.y0, outline.x1, outline.y1) == (32, 16, 48, 32)
    assert not attention_map(GREY, np.ones((2, 3)), WIDE).layout.shapes


@pytest.mark.parametrize("mode", ["cells", "smooth"])
def test_even_a_noisy_picture_stays_under_120_kb(mode):
    values = np.random.default_rng(1).random((14, 14))
    text = attention_map(NOISE, values, VIT, mode=mode).to_json()
    assert len(text) <= 120_000
    assert set(json.loads(text)["data"][0]["z"]) == {"bdata", "dtype", "shape"}


def test_names_in_the_hover_text_are_literal():
    (heatmap,) = attention_map(GREY, np.ones((2, 3)), WIDE, name="<b>%{x}$").data
    assert "&lt;b&gt;%&#123;x}&#36; %{z:.3~g}" in heatmap.hovertemplate


def test_what_does_not_fit_the_geometry_is_refused():
    with pytest.raises(ValueError, match=r"2×3 cells, got \(3, 2\)"):
        attention_map(GREY, np.ones((3, 2)), WIDE)
    with pytest.raises(ValueError, match="picture 48×32, got 32×48"):
        attention_map(GREY.transpose(1, 0, 2), np.ones((2, 3)), WIDE)
    with pytest.raises(ValueError, match="uint8, not float64"):
        attention_map(GREY / 255, np.ones((2, 3)), WIDE)
