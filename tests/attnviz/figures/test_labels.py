"""Bars carry their names whole and their values in words."""

import numpy as np
import pytest

from attnviz.figures import data_path, labels_bar, labels_change, theme


def test_labels_are_listed_from_the_top_with_their_values():
    figure = labels_bar(["cat", "dog"], [0.5625, 0.25])
    (bars,) = figure.data
    np.testing.assert_allclose(bars.x, [0.5625, 0.25])
    assert bars.text == ("56.2 %", "25.0 %")
    assert figure.layout.yaxis.ticktext == ("cat", "dog")
    assert figure.layout.yaxis.range == (1.5, -0.5)  # the first on top
    assert figure.layout.xaxis.range[1] > 1  # room for the number beside a full bar


def test_small_probabilities_are_not_called_zero():
    (bars,) = labels_bar(["a", "b", "c"], [0.0004, 0.0, 1.0]).data
    assert bars.text == ("&lt; 0.1 %", "0.0 %", "100.0 %")


def test_long_names_wrap_whole_and_make_room():
    name = "black-footed ferret, ferret, Mustela nigripes"
    figure = labels_bar([name, "cat"], [0.9, 0.1])
    shown = figure.layout.yaxis.ticktext[0]
    assert shown.replace("<br>", " ") == name
    assert max(len(line) for line in shown.split("<br>")) <= 22
    assert figure.layout.height > labels_bar(["ferret", "cat"], [0.9, 0.1]).layout.height


def test_names_are_shown_literally():
    assert labels_bar(["<i>$"], [1.0]).layout.yaxis.ticktext == ("&lt;i&gt;&#36;",)


def test_the_marked_label_stands_out():
    (bars,) = labels_bar(["a", "b"], [0.6, 0.4], marked=1).data
    assert bars.marker.color == (theme.NEUTRAL, theme.ACCENT)


def test_names_and_values_must_match():
    with pytest.raises(ValueError, match="1 names for 2 values"):
        labels_bar(["a"], [0.5, 0.5])
    with pytest.raises(ValueError, match="zip"):
        labels_change(["a"], [0.5], [0.5, 0.5])


def test_changes_are_written_in_points():
    figure = labels_change(["a", "b", "c"], [0.5, 0.3, 0.2], [0.62, 0.18, 0.2])
    before, after = figure.data
    assert (before.name, after.name) == ("before", "after")
    np.testing.assert_allclose(after.x, [0.62, 0.18, 0.2], rtol=1e-6)
    assert before.text == ("50.0 %", "30.0 %", "20.0 %")
    assert after.text == ("62.0 % (+12.0)", "18.0 % (−12.0)", "20.0 % (±0.0)")
    assert figure.layout.showlegend


def test_the_path_of_the_data_takes_arrays_and_shapes():
    figure = data_path({"pixels": np.zeros((3, 8, 8)), "embedded": (5, 16), "logits": (10,)})
    (bars,) = figure.data
    np.testing.assert_array_equal(bars.x, [192, 80, 10])
    assert bars.text == ("3 × 8 × 8", "5 × 16", "10")
    assert figure.layout.yaxis.ticktext == ("pixels", "embedded", "logits")
    assert figure.layout.xaxis.range[0] == 0  # lengths compare


@pytest.mark.parametrize("figure", [labels_bar([], []), data_path({})])
def test_nothing_to_show_is_an_empty_figure(figure):
    assert len(figure.data[0].x) == 0
    figure.to_json()
