"""Many tiles in one trace: every tile where its labels say, with gaps between."""

import base64
import io
import json

import numpy as np
import pytest
from PIL import Image

from attnviz.figures import cosine_tiles, filters, head_shares, head_wall


def test_every_head_is_where_its_ticks_say():
    maps = np.random.default_rng(0).random((3, 4, 2, 5)).astype(np.float32)
    figure = head_wall(maps)
    (wall,) = figure.data
    z = np.asarray(wall.z)
    assert z.shape == (3 * 3 - 1, 4 * 6 - 1)  # gaps of one cell
    np.testing.assert_array_equal(z[3:5, 12:17], maps[1, 2])
    assert np.isnan(z[2]).all()
    assert np.isnan(z[:, 5]).all()
    assert figure.layout.yaxis.title.text == "layer"
    assert figure.layout.xaxis.title.text == "head"
    assert figure.layout.yaxis.ticktext == ("0", "1", "2")
    assert figure.layout.yaxis.tickvals == (0.5, 3.5, 6.5)
    assert figure.layout.xaxis.tickvals == (2, 8, 14, 20)


def test_hovering_names_layer_head_row_and_column():
    (wall,) = head_wall(np.ones((2, 3, 2, 2))).data
    assert wall.y[4] == "layer 1, row 1"
    assert wall.x[6] == "head 2, column 0"
    assert wall.y[2].strip() == ""  # a gap
    assert len(set(wall.x)) == len(wall.x)
    assert len(set(wall.y)) == len(wall.y)


def test_one_scale_for_all_heads_and_it_says_so():
    maps = np.zeros((2, 2, 2, 2))
    maps[1, 1, 0, 0] = 0.8
    (wall,) = head_wall(maps).data
    assert (wall.zmin, wall.zmax) == (0, 0.8)
    assert wall.colorbar.title.text == "attention weight, same scale for all"
    (clipped,) = head_wall(maps, scale_max=0.4).data
    assert clipped.zmax == 0.4
    assert clipped.colorbar.ticktext[-1] == "≥ 0.4"


def test_walls_point_down_and_keep_square_cells():
    layout = head_wall(np.ones((2, 3, 4, 4))).layout
    assert layout.yaxis.range[0] > layout.yaxis.range[1]
    assert layout.yaxis.scaleanchor == "x"


def test_twelve_by_twelve_heads_are_one_small_trace():
    text = head_wall(np.random.default_rng(0).random((12, 12, 14, 14))).to_json()
    data = json.loads(text)["data"]
    assert len(data) == 1
    assert data[0]["z"]["dtype"] == "f4"
    assert len(text) < 230_000


def test_position_tiles_sit_on_the_grid():
    tiles = np.random.default_rng(0).uniform(-1, 1, (3, 4, 3, 4))
    figure = cosine_tiles(tiles)
    (wall,) = figure.data
    np.testing.assert_array_equal(np.asarray(wall.z)[8:11, 5:9], tiles[2, 1].astype(np.float32))
    assert (wall.zmin, wall.zmax) == (-1, 1)
    assert wall.y[9] == "row 2 with row 1"
    assert wall.x[5] == "column 1 with column 0"
    assert "every" not in figure.layout.title.text


@pytest.mark.parametrize(("size", "step", "word"), [(24, 2, "second"), (40, 3, "third")])
def test_large_position_grids_are_thinned_and_the_title_says_so(size, step, word):
    place = np.cos(np.arange(size) / size)
    tiles = np.einsum("a,b,c,d->abcd", place, place, place, place)
    figure = cosine_tiles(tiles)
    (wall,) = figure.data
    shown = -(-size // step)
    assert len(figure.layout.xaxis.ticktext) == shown
    assert figure.layout.xaxis.ticktext[1] == str(step)
    assert f"every {word} row" in figure.layout.title.text.replace("<br>", " ")
    gap = 1
    cell = np.asarray(wall.z)[(shown + gap) + 2, 2 * (shown + gap) + 1]
    assert cell == np.float32(tiles[step, 2 * step, 2 * step, step])
    assert wall.y[shown + gap + 2] == f"row {step} with row {2 * step}"
    assert len(figure.to_json()) < 500_000


def pixels(figure) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(figure.data[0].source.split(",")[1]))))


def test_filters_form_one_picture_row_by_row():
    pictures = np.zeros((5, 2, 2, 3))
    pictures[3, 0, 1] = [0.2, -0.2, 0.1]  # contrast is its own: 0.2 becomes white
    figure = filters(pictures, columns=3)
    plane = pixels(figure)
    assert plane.shape == (5, 8, 4)  # two lines of three tiles of 2 × 2, gaps of one
    assert plane[3, 1].tolist() == [255, 0, 191, 255]
    assert plane[0, 0].tolist() == [128, 128, 128, 255]
    assert plane[2, 0, 3] == 0  # a gap
    assert plane[4, 7, 3] == 0  # no sixth filter
    assert figure.layout.yaxis.ticktext == ("0–2", "3–4")
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]


def test_filters_of_one_channel_are_grey():
    plane = pixels(filters(np.array([[[[1.0]]], [[[-1.0]]]]), columns=2))
    assert plane[0, 0].tolist() == [255, 255, 255, 255]
    assert plane[0, 2].tolist() == [0, 0, 0, 255]


def test_filters_over_many_channels_are_no_pictures():
    with pytest.raises(ValueError, match="320 channels"):
        filters(np.ones((4, 1, 1, 320)))


def test_shares_of_heads_lie_in_a_tile_a_kind() -> None:
    shares = np.arange(2 * 4 * 5).reshape(2, 4, 5) / 40  # (layers, heads, kinds)
    names = ["before", "itself", "<b>after</b>", "first", "last"]
    figure = head_shares(shares, names, marked=(1, 2))
    wall, hover = np.asarray(figure.data[0].z), np.asarray(figure.data[0].customdata)
    assert wall.shape == (2 * 2 + 3, 3 * 4 + 2 * 3)
    for kind, (top, left) in enumerate([(0, 0), (0, 7), (0, 14), (5, 0), (5, 7)]):
        assert np.allclose(wall[top : top + 2, left : left + 4], shares[..., kind])
        assert hover[top + 1, left + 2].startswith("layer 1, head 2<br>")
        label, rectangle = figure.layout.annotations[kind], figure.layout.shapes[kind]
        assert (label.x, label.y) == (left - 0.5, top - 0.5)
        assert (rectangle.x0, rectangle.y0) == (left + 1.5, top + 0.5)
    assert np.isnan(wall[5:, 14:]).all(), "no sixth kind"
    assert figure.layout.annotations[2].text == "&lt;b&gt;after&lt;/b&gt;"
    with pytest.raises(ValueError, match="5 kinds of shares, but 1 names"):
        head_shares(shares, ["one"])
