"""Curves over time, gradients on a logarithmic axis, scores by length."""

import numpy as np
import pytest

from attnviz.figures import (
    Score,
    gradient_reach,
    lag_by_place,
    piece_chances,
    score_by_length,
    theme,
    unit_over_time,
)

LABELS = ["May", "<i>$", "</s>", "<s>", "May"]


def test_each_part_of_a_unit_is_a_curve_over_numbered_steps():
    curves = {"state h": np.linspace(-1, 1, 5), "forget gate f": np.linspace(0, 1, 5)}
    figure = unit_over_time(curves, LABELS, split=3)
    first, second = figure.data
    np.testing.assert_allclose(first.y, curves["state h"], rtol=1e-6)
    assert (first.name, second.name) == tuple(curves) and first.line.color != second.line.color
    assert figure.layout.xaxis.ticktext[1] == "1 &lt;i&gt;&#36;"
    assert figure.layout.shapes[0].x0 == 2.5  # before the decoder's first step
    with pytest.raises(ValueError, match="state h: 4 values for 5 places"):
        unit_over_time({"state h": np.zeros(4)}, LABELS, split=3)


def test_gradients_are_bands_on_a_logarithmic_axis():
    steps = np.arange(4)
    curve = np.stack([0.1 * 0.5**steps, 0.5**steps, 2 * 0.5**steps])
    figure = gradient_reach({"RNN": curve, "trained": curve[:, :2]}, dashed=["trained"])
    low, high, middle, *_ = figure.data
    np.testing.assert_allclose(middle.y, curve[1])
    np.testing.assert_allclose((low.y, high.y), curve[[0, 2]])
    assert high.fill == "tonexty" and middle.name == "RNN"
    assert middle.line.dash == "solid" and figure.data[-1].line.dash == "dash"
    assert len(figure.data[-1].x) == 2
    axis = figure.layout.yaxis
    assert axis.type == "log"
    assert axis.range[0] < np.log10(curve.min()) and axis.range[1] > np.log10(2)
    shown = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert shown == ["RNN", "trained"]


BINS = [(1, 8), (9, 12)]
SCORES = {"LSTM": [Score(0.9, 30, 0.8, 0.95), Score(0.2, 1500, 0.1, 0.3)]}


def test_scores_have_their_intervals_and_counts():
    figure = score_by_length(BINS, SCORES, axis="exact match")
    (line,) = figure.data
    np.testing.assert_allclose(line.y, [0.9, 0.2], rtol=1e-6)
    np.testing.assert_allclose(line.error_y.array, [0.05, 0.1], atol=1e-6)
    np.testing.assert_allclose(line.error_y.arrayminus, [0.1, 0.1], atol=1e-6)
    assert figure.layout.xaxis.ticktext == ("1–8<br>30", "9–12<br>1,500")
    assert figure.layout.yaxis.tickformat == ".0%"
    assert [list(row) for row in line.customdata] == [["1–8", 30], ["9–12", 1500]]


def test_a_second_measurement_is_rings_over_the_line():
    again = {"LSTM": [Score(0.7, 10, 0.5, 0.8), Score(None, 0)]}
    line, rings = score_by_length(BINS, SCORES, again=again, axis="exact match").data
    assert line.mode == "lines+markers" and rings.mode == "markers"
    assert rings.marker.symbol == "circle-open" and rings.marker.color == line.marker.color
    np.testing.assert_array_equal(rings.x, line.x)
    assert np.isnan(rings.y[1]) and rings.name == "LSTM, measured now"


def test_bleu_runs_to_a_hundred_and_has_no_interval():
    figure = score_by_length(BINS, {"a": [Score(30.0, 5), Score(2.0, 5)]}, axis="BLEU", share=False)
    assert figure.layout.yaxis.range[1] > 100 and not figure.data[0].error_y.visible
    with pytest.raises(ValueError, match="a: 1 values for 2 places"):
        score_by_length(BINS, {"a": [Score(1.0, 1)]}, axis="BLEU")


def test_lags_are_steps_by_place():
    forward, back = lag_by_place({"forward": np.array([3.0, np.nan]), "back": np.arange(2.0)}).data
    assert np.isnan(forward.y[1]) and forward.connectgaps
    np.testing.assert_array_equal(back.y, [0, 1])


def test_each_piece_has_the_bar_of_its_chance():
    figure = piece_chances(["a", "$"], np.array([0.25, 1.0]))
    (bars,) = figure.data
    np.testing.assert_array_equal(bars.y, [0.25, 1])
    assert bars.customdata[1] == "&#36;" and bars.marker.color == theme.ACCENT
    with pytest.raises(ValueError, match="1 values for 2"):
        piece_chances(["a", "b"], np.ones(1))
