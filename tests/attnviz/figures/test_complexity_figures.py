"""Operations and measurements on logarithmic axes, and the lit path."""

import numpy as np
import pytest

from attnviz.complexity import SELF, Sizes
from attnviz.connections import web
from attnviz.figures import cost_by_length, information_path, measured_by_length

COLOURS = {"a": "#c44b16", "b": "#2f7fc1"}


def test_costs_are_lines_with_their_crossings_marked():
    n = np.array([4.0, 16.0, 64.0])
    figure = cost_by_length(
        {"a": n**2, "b": 16 * n},
        n,
        colours=COLOURS,
        crossings=[(16, 256, "n = 16")],
        marked=20,
        dashed=["b"],
    )
    first, second, meet = figure.data
    np.testing.assert_allclose(first.y, n**2)
    assert first.line.color == COLOURS["a"] and second.line.dash == "dash"
    assert (meet.x[0], meet.y[0], meet.text[0]) == (16, 256, "n = 16")
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert figure.layout.shapes[0].x0 == 20
    with pytest.raises(ValueError, match="a: 2 values for 3 lengths"):
        cost_by_length({"a": n[:2]}, n, colours=COLOURS)


def test_measurements_have_their_spread_and_may_be_none_yet():
    figure = measured_by_length(
        {"a": ([16, 32], [0.001, 0.004])},
        spread={"a": ([0.0005, 0.003], [0.002, 0.006])},
        colours=COLOURS,
        axis="time",
        unit="s",
    )
    (line,) = figure.data
    np.testing.assert_allclose(line.error_y.array, [0.001, 0.002])
    np.testing.assert_allclose(line.error_y.arrayminus, [0.0005, 0.001])
    assert figure.layout.yaxis.ticksuffix == "s"
    assert not measured_by_length({}, colours=COLOURS, axis="time", unit="s").data


def test_the_path_is_lit_and_what_knows_the_first_token_filled():
    found = web(SELF, 3, Sizes(8))
    figure = information_path(
        found.edges, found.path, found.reached, names=["input", "layer 1"], colour="#123456"
    )
    edges, path, dots = figure.data
    assert list(edges.x).count(None) == 9
    assert list(path.x) == [1, 3, None] and list(path.y) == [0, 1, None]
    assert path.line.color == "#123456"
    assert [s == "circle" for s in dots.marker.symbol] == [True, False, False, True, True, True]
