"""The views of the page "Transformer" that look inside: step by step, sublayers, every layer."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest
from streamlit.testing.v1 import AppTest

from app.views.transformer_heads import looks
from tests.app.apptest import html, message, report
from tests.app.test_app_transformer import own

Open = Callable[..., AppTest]
PARTS = ("Residual stream", "LayerNorm", "Feed-forward", "1×1 convolution")


def figures(app: AppTest) -> list[go.Figure]:
    return [plotly.io.from_json(element.proto.spec) for element in app.get("plotly_chart")]


def numbers(values: Any) -> np.ndarray:
    """An array as plotly writes it."""
    if not isinstance(values, dict):
        return np.array(values)
    flat = np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    return flat.reshape([int(n) for n in values.get("shape", str(len(flat))).split(",")])


def facts(app: AppTest) -> dict[str, str]:
    return dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html(app)))


def test_the_player_is_sent_the_mean_of_each_layers_heads(transformer: Open) -> None:
    sent, (found, inside) = message(transformer(tf_view="Step by step")), own()
    for name, kind in (("cross", "cross"), ("own", "decoder")):
        expected = inside.weights(kind).mean(1)
        shown = np.frombuffer(sent[name], "<u2").reshape(expected.shape) / 65535
        np.testing.assert_allclose(shown, expected, atol=1e-4)
        if kind == "decoder":
            assert not np.triu(shown, 1).any()
    assert tuple(sent["inputs"]) == inside.inputs and tuple(sent["target"]) == inside.target
    assert sent["texts"][-1] == found.text
    assert [row[0] for row in sent["candidates"]] == list(inside.target)


def test_where_the_player_rests_is_kept_in_the_link(transformer: Open) -> None:
    app = report(transformer(tf_view="Step by step"), 0, [2, 1])
    assert app.query_params["tf_step"] in ("2.1", ["2.1"])
    page = html(app)
    assert "Step 2, layer 1: weights on the source" in page
    weights = own()[1].weights("cross")[1, :, 2].mean(0)
    assert f"<td>{weights.max():.6f}</td>" in page


def test_a_step_that_is_not_there_is_left_out(transformer: Open) -> None:
    app = transformer(tf_view="Step by step", tf_step="99.7")
    assert not app.error and message(app)["chosen"] == [5, 4]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_every_part_of_both_stacks(transformer: Open, part: str, stack: str) -> None:
    app = transformer(tf_view="Inside", tf_part=part, tf_stack=stack, tf_depth="3")
    assert not app.error and figures(app)
    assert len(facts(app)) >= 10


def test_lengths_and_vectors_are_those_of_the_run(transformer: Open) -> None:
    app = transformer(
        tf_view="Inside", tf_stack="decoder", tf_depth="2", tf_sublayer="cross-attention"
    )
    lengths, vectors = figures(app)
    inside = own()[1]
    added = inside.stages["decoder.layers.2.add_norm2.output"]
    row = 2 * 3 + 1
    np.testing.assert_allclose(
        numbers(lengths.data[0].z)[row], np.linalg.norm(added, axis=-1), rtol=1e-4
    )
    normed = inside.stages["decoder.layers.2.add_norm2.normed"]
    np.testing.assert_allclose(numbers(vectors.data[1].z), added, atol=1e-4)
    np.testing.assert_allclose(numbers(vectors.data[3].z), normed, atol=1e-4)
    assert float(facts(app)["Stream"].split()[-1]) < 1e-4


def test_layer_norm_is_measured(transformer: Open) -> None:
    found = facts(transformer(tf_view="Inside", tf_part="LayerNorm", tf_depth="1"))
    for name in ("Mean", "Deviation", "By hand"):
        assert float(found[name].split()[-1]) < 1e-3, name


def test_zeros_after_relu_are_counted(transformer: Open) -> None:
    found = facts(transformer(tf_view="Inside", tf_part="Feed-forward", tf_depth="4"))
    hidden = own()[1].stages["encoder.layers.4.feed_forward.hidden"]
    assert found["Zeros"].startswith(f"{(hidden == 0).mean():.1%} ")


def test_the_convolution_gives_the_same(transformer: Open) -> None:
    app = transformer(tf_view="Inside", tf_part="1×1 convolution", tf_stack="decoder")
    found = facts(app)
    assert float(found["Largest difference"].split()[0]) < 1e-4
    assert float(found["Recorded"].split()[-1]) < 1e-4
    matrices, convolutions, difference = (numbers(trace.z) for trace in figures(app)[0].data)
    assert np.abs(matrices).max() > 0.1
    np.testing.assert_allclose(difference, matrices - convolutions, atol=1e-6)


@pytest.mark.parametrize("query", [{"tf_depth": "99"}, {"tf_sublayer": "x"}, {"tf_part": "<b>"}])
def test_what_is_not_there_is_left_out(transformer: Open, query: dict[str, str]) -> None:
    assert not transformer(tf_view="Inside", **query).error


def test_a_sublayer_of_the_decoder_alone_does_not_fit_the_encoder(transformer: Open) -> None:
    assert not transformer(tf_view="Inside", tf_sublayer="cross-attention").error


def test_the_picture_of_every_layer_is_the_librarys(transformer: Open) -> None:
    app, inside = transformer(tf_view="Every layer"), own()[1]
    shown, curves = figures(app)
    np.testing.assert_allclose(numbers(shown.data[0].z), inside.chances[..., 0], rtol=1e-4)
    np.testing.assert_allclose(numbers(curves.data[-1].y), inside.right.mean(1), rtol=1e-4)
    read = facts(app)["Read right"]
    assert read.endswith(f"{(inside.ranks[-2] == 0).sum()}, {len(inside.target)}")
    assert "only the last layer was trained" in facts(app)["Readable"]


def test_ranks_can_be_drawn(transformer: Open) -> None:
    _, curves = figures(transformer(tf_view="Every layer", tf_right="rank"))
    np.testing.assert_array_equal(numbers(curves.data[0].y), own()[1].ranks[:, 0] + 1)


def test_what_kind_of_head_it_is() -> None:
    before = np.eye(4, k=-1)
    assert looks(before, "encoder") == [
        ("the one before", 1), ("itself", 0), ("the one after", 0), ("the end, </s>", 0),
    ]  # fmt: skip
    assert looks(before, "decoder") == [
        ("the one before", 1),
        ("itself", 0),
        ("the start, <s>", 0.25),
    ]
    end = np.zeros((3, 5))
    end[:, -1] = 1
    assert looks(end, "cross") == [("the end, </s>", 1)]
    assert looks(np.ones((1, 1)), "decoder") == [("itself", 1), ("the start, <s>", 1)]
