"""Each reading of attention weights against a case worked out by hand, and its properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attnviz import analysis
from attnviz.geometry import Geometry

CLASS = Geometry(2, 2, 32, 32, prefix=("class",))
REGISTERS = Geometry(2, 2, 32, 32, prefix=("class", "register 1", "register 2"))
CLASS_FREE = Geometry(2, 2, 32, 32, pool="avg")
AVERAGED = Geometry(2, 2, 32, 32, prefix=("class", "register 1"), pool="avg")
GEOMETRIES = pytest.mark.parametrize("geometry", [CLASS, REGISTERS, CLASS_FREE, AVERAGED])


def softmax_weights(*shape: int, seed: int = 0) -> np.ndarray:
    scores = np.random.default_rng(seed).normal(size=shape) * 2
    weights = np.exp(scores)
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float32)


def one_hot_rows(keys: list[int], size: int) -> np.ndarray:
    return np.eye(size, dtype=np.float32)[keys]


# --- heads and maps ---------------------------------------------------------------------------


def test_fuse_heads_takes_mean_max_and_min_over_heads():
    weights = np.array([[[0.2, 0.8]], [[0.6, 0.4]]], dtype=np.float32)  # two heads, one query
    np.testing.assert_allclose(analysis.fuse_heads(weights), [[0.4, 0.6]], rtol=1e-6)
    np.testing.assert_array_equal(analysis.fuse_heads(weights, "max"), weights.max(0))  # sum 1.4
    np.testing.assert_array_equal(analysis.fuse_heads(weights, "min"), weights.min(0))  # sum 0.6


def test_fuse_heads_names_what_it_knows():
    with pytest.raises(ValueError, match="mean, max, min"):
        analysis.fuse_heads(np.ones((1, 1, 1)), "median")


@GEOMETRIES
def test_query_map_is_the_patches_of_one_row(geometry):
    weights = softmax_weights(3, 5, geometry.tokens, geometry.tokens)
    token = geometry.cell(1, 0)
    grid = analysis.query_map(weights, geometry, token)
    assert grid.shape == (3, 5, 2, 2)
    assert grid[2, 4, 0, 1] == weights[2, 4, token, geometry.num_prefix + 1]


def test_query_map_refuses_a_token_that_is_not_there():
    weights = softmax_weights(5, 5)
    with pytest.raises(IndexError, match="no token 5"):
        analysis.query_map(weights, CLASS, 5)
    with pytest.raises(IndexError, match="no token -1"):
        analysis.query_map(weights, CLASS, -1)


def test_class_map_reads_the_class_token_past_the_registers():
    weights = softmax_weights(2, 7, 7)
    np.testing.assert_array_equal(
        analysis.class_map(weights, REGISTERS), weights[:, 0, 3:].reshape(2, 2, 2)
    )


@pytest.mark.parametrize("geometry", [CLASS_FREE, AVERAGED])
def test_class_map_of_averaging_models_is_the_mean_over_patch_rows(geometry):
    weights = softmax_weights(geometry.tokens, geometry.tokens)
    first = geometry.num_prefix
    expected = weights[first:, first:].mean(0).reshape(2, 2)
    np.testing.assert_allclose(analysis.class_map(weights, geometry), expected, rtol=1e-6)


def test_class_map_without_a_class_token_says_so():
    with pytest.raises(ValueError, match="no class token"):
        analysis.class_map(softmax_weights(4, 4), Geometry(2, 2, 32, 32))


def test_weights_of_another_geometry_are_refused():
    with pytest.raises(ValueError, match=r"\(5, 5\).*\(4, 4\)"):
        analysis.class_map(softmax_weights(4, 4), CLASS)


# --- rollout ----------------------------------------------------------------------------------


def test_rollout_of_one_layer_is_half_attention_half_identity():
    weights = np.array([[[[0.2, 0.8], [0.6, 0.4]]]], dtype=np.float32)
    np.testing.assert_allclose(analysis.rollout(weights), [[0.6, 0.4], [0.3, 0.7]], rtol=1e-6)


def test_rollout_multiplies_later_layers_from_the_left():
    first = one_hot_rows([1, 1, 2], 3)  # token 0 reads token 1
    second = one_hot_rows([0, 1, 0], 3)  # then token 2 reads token 0
    a1 = np.array([[0.5, 0.5, 0], [0, 1, 0], [0, 0, 1]])
    a2 = np.array([[1, 0, 0], [0, 1, 0], [0.5, 0, 0.5]])
    rolled = analysis.rollout(np.stack([first, second])[:, None])
    np.testing.assert_allclose(rolled, a2 @ a1)
    assert rolled[2, 1] == 0.25  # token 1 reached token 2 through token 0
    assert (a1 @ a2)[2, 1] == 0  # the other order loses it


def test_rollout_starts_where_asked():
    weights = softmax_weights(4, 2, 5, 5)
    np.testing.assert_allclose(
        analysis.rollout(weights, start=2), analysis.rollout(weights[2:]), rtol=1e-6
    )
    with pytest.raises(ValueError, match="leaves no layer of 4"):
        analysis.rollout(weights, start=4)


def test_discard_removes_the_smallest_cells_but_not_the_class_column_or_the_diagonal():
    weights = np.array(
        [
            [0.10, 0.20, 0.30, 0.40],
            [0.01, 0.09, 0.50, 0.40],  # class column and diagonal are the smallest
            [0.25, 0.35, 0.10, 0.30],
            [0.40, 0.20, 0.30, 0.10],
        ]
    )
    kept = weights.copy()
    kept[0, 1] = kept[1, 3] = kept[2, 3] = kept[3, 1] = 0  # half of 3 or 2 candidates: one each
    expected = (kept + np.eye(4)) / (kept + np.eye(4)).sum(-1, keepdims=True)
    np.testing.assert_allclose(analysis.rollout(weights[None, None], discard=0.5), expected)


def test_class_free_models_may_discard_the_first_column():
    weights = np.array([[0.5, 0.3, 0.2], [0.1, 0.5, 0.4], [0.2, 0.3, 0.5]])[None, None]
    assert analysis.rollout(weights, discard=0.5)[1, 0] > 0
    assert analysis.rollout(weights, discard=0.5, keep=0)[1, 0] == 0


def test_discard_takes_ties_one_at_a_time():
    uniform = np.full((1, 1, 5, 5), 0.2)
    rolled = analysis.rollout(uniform, discard=0.5, keep=0)
    assert (np.count_nonzero(rolled, axis=-1) == 3).all()  # 2 of 4 candidates go, diagonal stays


@given(
    scores=hnp.arrays(np.float32, (3, 2, 6, 6), elements=st.floats(-60, 60, width=32)),
    discard=st.sampled_from([0.0, 0.3, 0.9, 0.99, 0.999]),
    fuse=st.sampled_from(["mean", "max", "min"]),
    keep=st.integers(0, 2),
)
def test_rollout_rows_sum_to_one_whatever_is_discarded(scores, discard, fuse, keep):
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    rolled = analysis.rollout(weights, discard=discard, fuse=fuse, keep=keep)
    np.testing.assert_allclose(rolled.sum(-1), 1, atol=1e-5)
    assert (rolled >= 0).all()


def test_rollout_survives_rows_without_any_weight():
    rolled = analysis.rollout(np.zeros((2, 1, 3, 3), np.float32), discard=0.99)
    np.testing.assert_array_equal(rolled, np.eye(3))


@pytest.mark.parametrize("discard", [-0.1, 1.0])
def test_discard_is_a_share_below_one(discard):
    with pytest.raises(ValueError, match="share in"):
        analysis.rollout(softmax_weights(1, 1, 3, 3), discard=discard)


# --- relevance --------------------------------------------------------------------------------


def test_relevance_of_two_layers_worked_by_hand():
    weights = np.array(
        [
            [[[0.5, 0.5], [0.2, 0.8]], [[1.0, 0.0], [0.4, 0.6]]],
            [[[0.9, 0.1], [0.3, 0.7]], [[0.6, 0.4], [0.5, 0.5]]],
        ]
    )
    gradients = np.array(
        [
            [[[2.0, -1.0], [1.0, 0.5]], [[-3.0, 4.0], [1.0, -2.0]]],
            [[[0.0, 2.0], [-1.0, 1.0]], [[1.0, 1.0], [2.0, -4.0]]],
        ]
    )
    first = np.array([[0.5, 0.0], [0.3, 0.2]])  # mean over heads of the positive products
    second = np.array([[0.3, 0.3], [0.5, 0.35]])
    after_first = np.array([[1.5, 0.0], [0.3, 1.2]])  # I + Ā₁ I
    expected = np.array([[2.04, 0.36], [1.155, 1.62]])  # R₁ + Ā₂ R₁
    np.testing.assert_allclose(after_first + second @ after_first, expected)
    np.testing.assert_allclose(np.eye(2) + first, after_first)
    np.testing.assert_allclose(analysis.relevance(weights, gradients), expected)
    np.testing.assert_allclose(analysis.attention_gradient(weights, gradients), second)


def test_relevance_without_gradient_is_the_identity():
    weights = softmax_weights(3, 2, 4, 4)
    np.testing.assert_array_equal(analysis.relevance(weights, np.zeros_like(weights)), np.eye(4))


@pytest.mark.parametrize("method", [analysis.relevance, analysis.attention_gradient])
def test_gradients_of_another_shape_are_refused(method):
    with pytest.raises(ValueError, match="differ in shape"):
        method(softmax_weights(2, 1, 3, 3), softmax_weights(2, 2, 3, 3))


# --- distance and entropy ---------------------------------------------------------------------


@pytest.mark.parametrize("prefix", [(), ("class",), ("class", "register 1")])
def test_distance_of_one_hot_attention_is_the_distance_in_pixels(prefix):
    geometry = Geometry(3, 4, 96, 64, prefix=prefix, pool="avg")  # cells of 32 × 16 pixels
    target = geometry.cell(2, 3)
    weights = one_hot_rows([target] * geometry.tokens, geometry.tokens)[None, None]
    expected = [np.hypot((2 - r) * 32, (3 - c) * 16) for r in range(3) for c in range(4)]
    distance = analysis.head_distance(weights, geometry)
    assert distance.shape == (1, 1)
    np.testing.assert_allclose(distance, [[np.mean(expected)]], rtol=1e-6)


def test_distance_of_attention_to_oneself_is_zero():
    assert analysis.head_distance(np.eye(5, dtype=np.float32)[None], CLASS) == 0


def test_weights_to_prefix_tokens_do_not_shorten_the_distance():
    patches = softmax_weights(2, 3, 4, 4)
    with_class = np.zeros((2, 3, 5, 5), np.float32)
    with_class[..., 0, 0] = 1  # the class token's own row has no say
    with_class[..., 1:, 0] = 0.9
    with_class[..., 1:, 1:] = patches * 0.1
    np.testing.assert_allclose(
        analysis.head_distance(with_class, CLASS),
        analysis.head_distance(patches, CLASS_FREE),
        rtol=1e-5,
    )


def test_queries_without_weight_on_patches_are_skipped():
    weights = one_hot_rows([0, 0, 0, 0, 1], 5)[None]  # only patch (1, 1) looks at a patch: (0, 0)
    np.testing.assert_allclose(analysis.head_distance(weights, CLASS), [np.hypot(16, 16)])
    nowhere = one_hot_rows([0] * 5, 5)[None]
    assert np.isnan(analysis.head_distance(nowhere, CLASS)).all()


def test_entropy_of_uniform_attention_is_log2_of_the_number_of_keys():
    np.testing.assert_allclose(analysis.entropy(np.full((2, 3, 8), 1 / 8)), np.full((2, 3), 3.0))


def test_entropy_by_hand():
    rows = np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(analysis.entropy(rows), [1.5, 0.0])
    assert analysis.entropy(rows, average=True) == 0.75


def test_entropy_among_patches_leaves_prefix_tokens_out():
    weights = np.full((1, 7, 7), 0.05, np.float32)
    weights[..., 0] = 0.7  # most weight on the class token; patches share the rest evenly
    bits = analysis.entropy(weights, REGISTERS)
    assert bits.shape == (1, 4)
    np.testing.assert_allclose(bits, 2.0, rtol=1e-6)


def test_entropy_of_a_row_without_weight_is_nan_and_skipped_in_the_mean():
    rows = np.array([[0.0, 0.0], [0.5, 0.5]])
    np.testing.assert_array_equal(analysis.entropy(rows), [np.nan, 1.0])
    assert analysis.entropy(rows, average=True) == 1.0


@given(hnp.arrays(np.float32, (4, 6), elements=st.floats(0, 1, width=32)))
def test_entropy_lies_between_zero_and_log2_of_the_keys(weights):
    bits = analysis.entropy(weights)
    bits = bits[~np.isnan(bits)]
    assert (bits >= 0).all()
    assert (bits <= np.log2(6) + 1e-6).all()


# --- mass and shares --------------------------------------------------------------------------


def test_mass_set_takes_the_largest_cells():
    values = np.array([[0.1, 0.4], [0.2, 0.3]])
    np.testing.assert_array_equal(analysis.mass_set(values, 0.7), [[False, True], [False, True]])
    np.testing.assert_array_equal(analysis.mass_set(values, 0.71), [[False, True], [True, True]])


def test_mass_set_takes_no_more_equal_cells_than_needed():
    uniform = np.full((5, 5), 0.04, np.float32)
    mask = analysis.mass_set(uniform, 0.6)
    assert mask.sum() == 15
    assert mask.ravel()[:15].all()


def test_mass_set_at_the_ends():
    values = np.array([0.0, 0.5, 0.5])
    assert not analysis.mass_set(values, 0).any()
    np.testing.assert_array_equal(analysis.mass_set(values, 1), [False, True, True])
    assert not analysis.mass_set(np.zeros(3), 0.5).any()


@given(
    hnp.arrays(np.float32, (3, 5), elements=st.floats(0, 1, width=32)),
    st.floats(0, 1),
)
def test_mass_set_holds_its_share_and_not_one_cell_more(values, share):
    total = values.sum(dtype=np.float64)
    mask = analysis.mass_set(values, share)
    held = values[mask].sum(dtype=np.float64)
    assert held >= share * total * (1 - 1e-5)
    if mask.any():
        assert held - values[mask].min() < share * total


@pytest.mark.parametrize("values", [[0.5, -0.1], [np.nan, 1.0], [np.inf, 1.0]])
def test_mass_must_be_finite_and_not_negative(values):
    with pytest.raises(ValueError, match="mass"):
        analysis.mass_set(np.array(values), 0.5)


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_mass_share_outside_zero_to_one_is_refused(share):
    with pytest.raises(ValueError, match="share"):
        analysis.mass_set(np.ones(3), share)


def test_shares_tell_row_sums_and_what_prefix_tokens_get():
    weights = np.full((5, 5), 0.2)
    weights[0] *= 0.5
    weights[1] *= 1.25
    facts = analysis.shares(weights, CLASS)
    np.testing.assert_allclose(facts, (0.5, 1.25, 0.5, 0.2))


@GEOMETRIES
def test_shares_of_a_softmax_are_clean(geometry):
    facts = analysis.shares(softmax_weights(2, 3, geometry.tokens, geometry.tokens), geometry)
    assert facts.deviation < 1e-5
    assert (facts.prefix == 0) == (geometry.num_prefix == 0)
