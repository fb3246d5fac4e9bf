"""Studies of attention: every number drawn is one that was given, in the panel it belongs to."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.figures.studies import (
    by_size,
    losses_by_step,
    matrix_panels,
    place_weights,
    score_histograms,
    variance_by_size,
)

SIZES = (1, 2, 4, 8)


def test_panels_share_names_and_colours_and_have_axes_of_their_own() -> None:
    curve = np.array([[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]])
    panels = {"one": {"a": curve, "b": curve + 1}, "two": {"a": 2 * curve, "b": curve}}
    figure = by_size(SIZES, panels, marked=4, ceilings={"two": 9})
    lines = [trace for trace in figure.data if trace.name]
    assert [(t.name, t.yaxis) for t in lines] == [
        ("a", "y"), ("b", "y"), ("a", "y2"), ("b", "y2"),
    ]  # fmt: skip
    assert lines[0].line.color == lines[2].line.color != lines[1].line.color
    assert [t.showlegend for t in lines] == [True, True, False, False]
    np.testing.assert_array_equal(lines[2].y, 2 * curve[1])
    assert [(s.yref, s.y0) for s in figure.layout.shapes if s.y0 == s.y1] == [("y2", 9)]
    assert [s.x0 for s in figure.layout.shapes if s.x0 == s.x1] == [4, 4]
    assert {a.text for a in figure.layout.annotations} == {"one", "two"}
    with pytest.raises(ValueError, match="a:"):
        by_size(SIZES[:3], panels)


@pytest.mark.parametrize("columns", [1, 3, 5])
def test_panels_lie_within_the_sheet_and_apart(columns: int) -> None:
    panels = {f"head {i}": np.full((2, 3), i / 10) for i in range(7)}
    figure = matrix_panels(panels, [["x", "y"]] * 7, columns=columns, name="w", height=900)
    spans = [
        tuple(tuple(figure.layout[f"{axis}axis{number}"].domain) for axis in "xy")
        for number in ("", *range(2, 8))
    ]
    assert all(0 <= low < high <= 1 for span in spans for low, high in span)
    assert len(set(spans)) == 7


def test_matrices_share_one_scale_and_name_their_rows() -> None:
    panels = {"before": np.array([[1.0, -2.0]]), "after": np.array([[0.5, 4.0]])}
    figure = matrix_panels(panels, [["<unk>"], ["b"]], columns=2, name="outputs")
    assert {(t.zmin, t.zmax) for t in figure.data} == {(-4, 4)}
    assert [t.showscale for t in figure.data] == [True, False]
    assert figure.layout.yaxis.ticktext == ("&lt;unk&gt;",)
    np.testing.assert_array_equal(figure.data[1].z, panels["after"])
    with pytest.raises(ValueError, match="before"):
        matrix_panels(panels, [["a", "b"], ["b"]], columns=2, name="outputs")


def test_losses_stand_over_what_cannot_be_passed() -> None:
    figure = losses_by_step({"1 head": np.array([1, 0.5])}, floor=0.5, floor_name="n", axis="e")
    assert figure.layout.shapes[0].y0 == 0.5 and figure.layout.yaxis.type == "log"
    assert 10 ** figure.layout.annotations[0].y == pytest.approx(0.5)


def test_histograms_are_shares_on_shared_bins() -> None:
    scores = np.random.default_rng(0).normal(size=(4, 50))
    wide, narrow = score_histograms({"wide": 8 * scores, "narrow": scores}).data
    np.testing.assert_array_equal(wide.x, narrow.x)
    assert sum(wide.y) == pytest.approx(1) and sum(narrow.y) == pytest.approx(1)
    assert max(narrow.y) > max(wide.y)
    assert score_histograms({"none": np.zeros(0)}).data[0].y.sum() == 0


def test_variances_lie_by_their_line() -> None:
    line, points = variance_by_size(SIZES, np.array([1.1, 2, 4, 8]), marked=4).data
    assert line.y == SIZES and points.marker.size[2] > points.marker.size[0]


def test_the_place_that_asks_is_pointed_out() -> None:
    (bars,) = place_weights(["a", "$b$"], np.array([0.25, 0.75]), marked=1).data
    assert bars.marker.color[0] != bars.marker.color[1] and "$" not in bars.customdata[1]
