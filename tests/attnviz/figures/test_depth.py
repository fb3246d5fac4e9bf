"""One dot a head."""

import numpy as np
import pytest

from attnviz.figures import entropy, head_distance, theme

VALUES = np.array([[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]])


def test_every_head_is_one_dot_at_its_depth():
    figure = head_distance(VALUES)
    (dots,) = figure.data
    np.testing.assert_array_equal(dots.x, [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(dots.y, VALUES.ravel())
    np.testing.assert_array_equal(dots.customdata, [0, 1, 2, 0, 1, 2])
    assert "head %{customdata}" in dots.hovertemplate
    assert "px" in dots.hovertemplate
    assert figure.layout.xaxis.title.text == "layer"
    assert "pixels" in figure.layout.yaxis.title.text
    assert figure.layout.yaxis.range[0] == 0
    assert figure.layout.yaxis.range[1] > 60


def test_the_marked_head_is_the_only_one_in_the_accent_colour():
    others, marked = head_distance(VALUES, marked=(1, 2)).data
    assert (marked.x.tolist(), marked.y.tolist()) == ([1], [60])
    assert marked.marker.color == theme.ACCENT
    assert len(others.x) == 5
    assert others.marker.color == theme.NEUTRAL


@pytest.mark.parametrize(
    ("figure", "level"),
    [(head_distance(VALUES, uniform=116.0), 116.0), (entropy(VALUES / 10, keys=256), 8.0)],
)
def test_what_attending_to_everything_alike_gives_is_a_dotted_line(figure, level):
    (line,) = figure.layout.shapes
    assert line.y0 == line.y1 == level
    assert line.line.dash == "dot"
    assert figure.layout.annotations[0].text == "all patches alike"
    assert figure.layout.yaxis.range[1] > level


def test_entropy_is_in_bits():
    figure = entropy(VALUES / 10)
    assert figure.layout.yaxis.title.text == "entropy, bits"
    assert not figure.layout.shapes


def test_heads_without_a_value_do_not_break_the_scale():
    figure = head_distance(np.array([[np.nan, 5.0]]))
    assert figure.layout.yaxis.range == pytest.approx((0, 5.5))
    assert head_distance(np.full((1, 2), np.nan)).layout.yaxis.range[1] > 0


def test_deep_models_label_every_few_layers():
    assert head_distance(np.ones((24, 2))).layout.xaxis.dtick == 2
