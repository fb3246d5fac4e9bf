"""The matrix of tokens keeps repeated and odd names apart."""

import json

import numpy as np
import pytest

from attnviz.figures import token_matrix


def test_repeated_words_stay_apart():
    figure = token_matrix(np.eye(3), ["the", "cat", "the"])
    assert figure.layout.xaxis.ticktext == ("0 the", "1 cat", "2 the")
    assert figure.layout.xaxis.tickvals == (0, 1, 2)
    assert len(set(figure.data[0].x)) == 3
    assert np.asarray(figure.data[0].z).shape == (3, 3)


def test_queries_go_down_and_keys_across():
    weights = np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
    figure = token_matrix(weights, ["a", "b"], ["x", "y", "z"])
    np.testing.assert_array_equal(figure.data[0].z, weights.astype(np.float32))
    assert figure.layout.yaxis.title.text == "query"
    assert figure.layout.xaxis.title.text == "key"
    assert figure.layout.yaxis.range == (1.5, -0.5)
    assert figure.layout.xaxis.range == (-0.5, 2.5)
    assert figure.data[0].y == ("0 a", "1 b")


def test_markup_in_words_is_shown_literally():
    figure = token_matrix(np.eye(3), ["<unk>", "$", "<b>x</b>"])
    assert figure.layout.yaxis.ticktext == ("0 &lt;unk&gt;", "1 &#36;", "2 &lt;b&gt;x&lt;/b&gt;")
    assert figure.data[0].y == figure.layout.yaxis.ticktext


def test_long_words_are_cut_on_the_axis_and_whole_when_hovered():
    figure = token_matrix(np.eye(2), ["donaudampfschifffahrt", "&" * 20])
    assert figure.layout.xaxis.ticktext == ("0 donaudampfsch…", "1 " + "&amp;" * 13 + "…")
    assert figure.data[0].x == ("0 donaudampfschifffahrt", "1 " + "&amp;" * 20)


def test_many_tokens_are_thinned_on_the_axis_only():
    figure = token_matrix(np.eye(197), [f"t{i}" for i in range(197)])
    assert len(figure.layout.xaxis.ticktext) <= 24
    assert figure.layout.xaxis.ticktext[1] == "9 t9"
    assert figure.layout.xaxis.tickvals[1] == 9
    assert len(figure.data[0].x) == 197
    text = figure.to_json()
    assert len(text) < 250_000
    assert json.loads(text)["data"][0]["z"]["dtype"] == "f4"


def test_names_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match=r"\(2, 2\) do not match 3 queries and 3 keys"):
        token_matrix(np.eye(2), ["a", "b", "c"])
