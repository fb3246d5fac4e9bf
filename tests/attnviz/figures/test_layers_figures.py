"""Next pieces by layer, the right piece's way up, and numbers by position."""

import numpy as np
import pytest

from attnviz.figures import by_position, next_pieces, right_by_layer, theme

LABELS = [["b", "<i>$"], ["a", "c"], ["a", "<i>$"]]
CHANCES = np.array([[0.1, 0.2], [0.5, 0.4], [0.9, 0.8]])
INPUTS, TARGET = ("<s>", "a"), ("a", "<i>$")


def test_a_cell_holds_its_piece_and_its_probability():
    (heatmap,) = next_pieces(LABELS, CHANCES, INPUTS, TARGET).data
    np.testing.assert_allclose(heatmap.z, CHANCES, rtol=1e-6)
    assert heatmap.text[1][0] == "a" and heatmap.text[2][1] == "&lt;i&gt;&#36;"
    assert list(heatmap.customdata[2][1]) == [
        "layer 1", "1 a → &lt;i&gt;&#36;", "&lt;i&gt;&#36;",
    ]  # fmt: skip
    assert (heatmap.zmin, heatmap.zmax) == (0, 1)


def test_right_cells_are_outlined_and_the_embedding_is_lowest():
    figure = next_pieces(LABELS, CHANCES, INPUTS, TARGET)
    cells = {(round((s.y0 + s.y1) / 2), round((s.x0 + s.x1) / 2)) for s in figure.layout.shapes}
    assert cells == {(1, 0), (2, 0), (0, 1), (2, 1)}
    assert figure.layout.yaxis.ticktext == ("embedding", "layer 0", "layer 1")
    assert figure.layout.yaxis.range == (-0.5, 2.5)


def test_sizes_have_to_fit():
    with pytest.raises(ValueError, match=r"\(3, 2\) do not fit 3 rows of labels, 1 inputs"):
        next_pieces(LABELS, CHANCES, INPUTS[:1], TARGET)
    with pytest.raises(ValueError, match=r"\(3, 2\) for 1 pieces"):
        right_by_layer(CHANCES, TARGET[:1], axis="", share=True)
    with pytest.raises(ValueError, match="mean: 2 values for 3 positions"):
        by_position("abc", {"mean": np.zeros(2)}, axis="")


def test_the_mean_of_shares_is_thick():
    *thin, mean = right_by_layer(CHANCES, TARGET, axis="p", share=True).data
    assert len(thin) == 2 and mean.line.color == theme.ACCENT
    np.testing.assert_allclose(mean.y, CHANCES.mean(1), rtol=1e-6)


def test_ranks_begin_at_the_top_and_their_mean_is_geometric():
    ranks = np.array([[100, 4], [10, 9], [1, 1]])
    figure = right_by_layer(ranks, TARGET, axis="rank", share=False)
    np.testing.assert_allclose(figure.data[-1].y, [20, 90**0.5, 1], rtol=1e-5)
    low, high = figure.layout.yaxis.range
    assert figure.layout.yaxis.type == "log" and low > 2 > 0 > high
    assert figure.layout.yaxis.tickvals == (1, 10, 100)
    first = right_by_layer(np.ones((3, 2)), TARGET, axis="rank", share=False)
    assert np.isfinite(first.layout.yaxis.range).all()


def test_curves_over_numbered_literal_tokens():
    figure = by_position(("a", "<i>$"), {"before": [1, 2], "after": [0, 1]}, axis="deviation")
    assert [trace.name for trace in figure.data] == ["before", "after"]
    assert figure.layout.xaxis.ticktext == ("0 a", "1 &lt;i&gt;&#36;")
    assert figure.layout.yaxis.title.text == "deviation"
