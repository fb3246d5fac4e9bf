"""Bars for words, curves for steps."""

import numpy as np
import pytest

from attnviz.figures import by_step, theme, word_losses

WORDS = ["May", "<i>$", "5", "May"]


def test_every_run_has_a_bar_for_every_word():
    forced, free = [0.1, 0.2, 0.3, 0.4], [0.1, 5.0, 6.0, np.nan]
    figure = word_losses(WORDS, {"forced": forced, "free": free}, parted=1)
    first, second = figure.data
    np.testing.assert_allclose(first.y, forced, rtol=1e-6)
    np.testing.assert_allclose(second.y, free, rtol=1e-6)
    assert (first.name, second.name) == ("forced", "free")
    assert first.marker.color != second.marker.color == theme.ACCENT
    np.testing.assert_array_equal(first.x, range(4))
    assert figure.layout.yaxis.title.text == "loss, nats"
    assert figure.layout.yaxis.rangemode == "tozero"


def test_words_are_numbered_and_literal():
    figure = word_losses(WORDS, {"forced": [1, 2, 3, 4]})
    assert figure.layout.xaxis.ticktext == ("0 May", "1 &lt;i&gt;&#36;", "2 5", "3 May")
    assert figure.data[0].customdata[1] == "&lt;i&gt;&#36;"
    assert not figure.layout.shapes


def test_where_the_runs_part_is_a_line_before_the_word():
    (line,) = word_losses(WORDS, {"forced": [1, 2, 3, 4]}, parted=2).layout.shapes
    assert line.x0 == line.x1 == 1.5


def test_long_sentences_label_every_few_words():
    words = ["incomprehensibilities"] * 60
    axis = word_losses(words, {"forced": np.ones(60)}).layout.xaxis
    assert len(axis.ticktext) == 20 and axis.tickangle == -90
    assert axis.ticktext[1] == "3 incomprehensi…"
    assert axis.range == (-0.6, 59.6)


def test_a_run_needs_a_loss_for_every_word():
    with pytest.raises(ValueError, match="free: 2 losses for 4 words"):
        word_losses(WORDS, {"free": [1.0, 2.0]})


def test_curves_lie_over_the_logarithm_of_the_step():
    curves = {"exact": [0.0, None, 0.99], "alignment": [0.2, 0.5, 0.9]}
    figure = by_step([10, 100, 3000], curves, share=True, marked=100, axis="held out")
    exact, alignment = figure.data
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.xaxis.ticktext == ("10", "100", "3,000")
    assert exact.x == (10, 100, 3000)
    np.testing.assert_allclose(exact.y, [0, np.nan, 0.99], rtol=1e-6)
    assert exact.marker.size == (5, 10, 5)
    assert figure.layout.shapes[0].x0 == 100
    assert figure.layout.yaxis.tickformat == ".0%" and figure.layout.yaxis.range[1] > 1
    assert figure.layout.showlegend and alignment.line.color != exact.line.color


def test_one_curve_needs_no_legend_and_has_its_own_scale():
    figure = by_step([1, 2], {"loss": [6.5, 0.1]}, axis="nats")
    assert not figure.layout.showlegend
    assert figure.layout.yaxis.rangemode == "tozero" and figure.layout.yaxis.range is None
    with pytest.raises(ValueError, match="loss: 1 values for 2 steps"):
        by_step([1, 2], {"loss": [1.0]})


@pytest.mark.parametrize("figure", [word_losses([], {"free": []}), by_step([], {})])
def test_nothing_to_show_is_an_empty_figure(figure):
    figure.to_json()
