"""Figures of positions: what is drawn lies where the numbers say."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.analysis import by_offset as diagonals
from attnviz.analysis import frequencies
from attnviz.figures import (
    Grid,
    by_offset,
    place_map,
    position_matrix,
    rotation_circle,
    rotation_clocks,
    theme,
    wavelengths,
)

OMEGA = frequencies(8)
ANGLE = np.arange(20)[:, None] * OMEGA
TABLE = np.stack([np.sin(ANGLE), np.cos(ANGLE)], -1).reshape(20, 8)


def test_each_pair_has_its_wavelength() -> None:
    (points,) = wavelengths(OMEGA, length=20, marked=2).data
    np.testing.assert_allclose(points.y, 2 * np.pi / OMEGA, rtol=1e-6)
    assert [colour == theme.ACCENT for colour in points.marker.color] == [0, 0, 1, 0]


@pytest.mark.parametrize(("position", "shift", "pair"), [(3, 4, 0), (9, -5, 0), (2, 9, 3)])
def test_the_hands_point_at_their_positions_and_the_arc_joins_them(
    position: int, shift: int, pair: int
) -> None:
    figure = rotation_circle(TABLE[:, 2 * pair : 2 * pair + 2], position, shift, name="pair")
    _, arc, dots, before, after = figure.data
    np.testing.assert_allclose(dots.x, TABLE[:, 2 * pair + 1])
    for hand, at in ((before, position), (after, position + shift)):
        np.testing.assert_allclose([hand.y[1], hand.x[1]], TABLE[at, 2 * pair : 2 * pair + 2])
    for end, hand in ((0, before), (-1, after)):
        np.testing.assert_allclose([arc.x[end], arc.y[end]], [0.28 * hand.x[1], 0.28 * hand.y[1]])
    assert [note.text for note in figure.layout.annotations] == [
        f"PE({position})", f"PE({position + shift})",
    ]  # fmt: skip


def test_positions_outside_the_table_are_refused() -> None:
    with pytest.raises(ValueError, match="19 and 20 are not both below 20"):
        rotation_circle(TABLE[:, :2], 19, 1, name="pair")


def test_clocks_show_both_rows() -> None:
    figure = rotation_clocks(TABLE[1], TABLE[5], [0, 2, 3], chosen=2, names=("a", "<b>"), columns=2)
    _, before, after = figure.data
    assert after.name == "&lt;b&gt;"
    for hands, row in ((before, TABLE[1]), (after, TABLE[5])):
        tips = np.array(hands.customdata[1::3])
        np.testing.assert_allclose(tips[:, 1:], row.reshape(4, 2)[[0, 2, 3]])
        np.testing.assert_allclose(hands.x[4] - hands.x[3], row[5])  # the second clock's cosine
        np.testing.assert_allclose(hands.y[4] - hands.y[3], row[4])
    assert [note.text for note in figure.layout.annotations] == ["0", "<b>2</b>", "3"]


def test_diagonals_are_drawn_with_their_bands() -> None:
    curve = diagonals(np.arange(9.0).reshape(3, 3))
    figure = by_offset({"a": curve, "b": curve}, axis="value", offsets="k")
    low, high, mean = figure.data[:3]
    for trace, values in zip((low, high, mean), (curve.low, curve.high, curve.mean), strict=True):
        np.testing.assert_array_equal(trace.y, values)
        np.testing.assert_array_equal(trace.x, curve.offsets)
    assert figure.layout.showlegend and [t.name for t in figure.data if t.name] == ["a", "b"]


def test_matrix_of_positions_keeps_its_values() -> None:
    (heatmap,) = position_matrix(np.array([[1.0, -2.0], [3.0, 4.0]]), name="product").data
    np.testing.assert_array_equal(heatmap.z, [[1, -2], [3, 4]])
    assert (heatmap.zmin, heatmap.zmax) == (-4, 4)


def test_a_map_has_its_frame_and_its_place_and_blanks() -> None:
    whole = np.linspace(-1, 1, 12).reshape(3, 4)
    ended = np.where(np.arange(12).reshape(3, 4) % 4 < 2, whole, np.nan)
    figure = place_map(Grid(ended, (3, 2), (2, 1)), name="cosine", bar=False)
    heatmap, place = figure.data
    np.testing.assert_array_equal(heatmap.z, ended.astype(np.float32))
    assert (heatmap.zmin, heatmap.zmax, heatmap.showscale) == (-1, 1, False)
    assert (*place.x, *place.y) == (1, 2)
    (frame,) = figure.layout.shapes
    assert (frame.x1, frame.y1) == (1.5, 2.5)
