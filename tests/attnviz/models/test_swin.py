"""Swin: exact sizes, windows that come back where they were, seams that let nothing through."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz import models
from attnviz.analysis.windows import Step, assembled, place_of, placed, reach, unmerge
from attnviz.models.swin import Swin, SwinConfig, Windows, offsets
from attnviz.trace import record, taps

# NUMBERS of the paper and of timm, 1000 classes.
PARAMETERS = {
    "swin_tiny_patch4_window7_224": 28_288_354,
    "swin_small_patch4_window7_224": 49_606_258,
    "swin_base_patch4_window7_224": 87_768_224,
    "swin_large_patch4_window7_224": 196_532_476,
}
TINY = {"width": 8, "depths": (2, 2), "heads": (2, 4), "window": 3, "classes": 7}
sizes = st.tuples(st.integers(1, 11), st.integers(1, 11))


def tiny(**options: object) -> Swin:
    torch.manual_seed(0)
    model = Swin(SwinConfig(**{**TINY, **options})).eval()  # type: ignore[arg-type]
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return model


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameter_count(name: str) -> None:
    with torch.device("meta"):
        model = models.build(name)
    assert sum(p.numel() for p in model.parameters()) == PARAMETERS[name]


def test_taps_are_frozen() -> None:
    block = {
        "attn.query": "w h n e",
        "attn.key": "w h n e",
        "attn.value": "w h n e",
        "attn.scores": "w h q k",
        "attn.weights": "w h q k",
        "attn.context": "w h q e",
        "mlp.hidden": "b r c m",
        "residual": "b r c d",
    }
    assert taps(tiny()) == {
        **{
            f"layers.{s}.{name}": axes
            for s in range(2)
            for name, axes in (
                ("merged", "b r c d"),
                *((f"blocks.{b}.{n}", a) for b in range(2) for n, a in block.items()),
            )
        },
        "normed": "b r c d",
        "logits": "b c",
    }


@given(sizes, st.integers(1, 5), st.booleans())
def test_windows_come_back_where_they_were(size: tuple[int, int], side: int, moves: bool) -> None:
    windows = SwinConfig(**{**TINY, "window": side}).windows(size, int(moves))  # type: ignore[arg-type]
    cells = torch.randn(2, *size, 3)
    assert windows.join(windows.cut(cells)).equal(cells)
    order = windows.order()
    assert sorted(order[order >= 0].tolist()) == list(range(size[0] * size[1]))
    flat = cells.reshape(2, -1, 3)
    cut = windows.cut(cells).reshape(2, *order.shape, 3)
    assert cut[0][order >= 0].equal(flat[0][order[order >= 0]])


def test_the_mask_forbids_exactly_the_wrapped_pairs() -> None:
    blocked = Windows((4, 4), (2, 2), (1, 1)).blocked()
    assert blocked.sum((1, 2)).tolist() == [0, 8, 8, 12]
    assert not Windows((4, 4), (2, 2)).blocked().any()


@given(st.integers(2, 4), st.integers(2, 12), st.integers(2, 12))
def test_cells_that_only_the_roll_brought_together_never_meet(
    side: int, rows: int, cols: int
) -> None:
    """Told by how far apart they lie on the map: a window's side or more."""
    windows = SwinConfig(**{**TINY, "window": side}).windows((rows, cols), 1)  # type: ignore[arg-type]
    whole = Windows(windows.padded, windows.side, windows.shift)
    order, blocked = whole.order(), whole.blocked()
    row, col = order // windows.padded[1], order % windows.padded[1]  # (windows, cells)
    apart = torch.maximum(
        (row[:, :, None] - row[:, None]).abs() // windows.side[0],
        (col[:, :, None] - col[:, None]).abs() // windows.side[1],
    )
    assert blocked[apart > 0].all()


@torch.inference_mode()
def test_a_seam_lets_nothing_through() -> None:
    model = tiny()
    with record(model, "layers.0.blocks.1.attn.weights") as trace:
        model(torch.randn(1, 3, 24, 24))  # 6×6 cells, windows of 3, shift 1
    weights = trace["layers.0.blocks.1.attn.weights"]
    blocked = model.windows(24, 24)[0][1].blocked()
    assert blocked.any()
    assert weights.masked_select(blocked[:, None]).max() < 1e-20
    torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))


def test_offsets_are_query_minus_key() -> None:
    table = offsets((3, 3), 3)
    assert table[0, 0] == 12 and len(set(table.flatten().tolist())) == 25
    assert table[8, 0] == 24 and table[0, 8] == 0  # two down and two right; the reverse
    assert table[1, 0] == 13 and table[3, 0] == 17  # one right; one down
    assert offsets((2, 3), 4).shape == (6, 6) and offsets((2, 3), 4)[0, 0] == 24


def test_a_window_no_smaller_than_the_map_neither_moves_nor_masks() -> None:
    cfg = SwinConfig()
    windows = cfg.windows((7, 7), 1)
    assert windows.shift == (0, 0) and windows.side == (7, 7) and windows.counts == (1, 1)
    assert cfg.windows((5, 20), 1) == Windows((5, 20), (5, 7), (0, 3))


@pytest.mark.parametrize("size", [(1, 1), (1, 2000), (37, 53), (224, 112)])
@torch.inference_mode()
def test_any_size_runs(size: tuple[int, int]) -> None:
    model = tiny()
    with record(model, "*.weights", "*.residual") as trace:
        assert model(torch.randn(1, 3, *size)).isfinite().all()
    for stage, (rows, cols) in enumerate(model.cfg.maps(*size)):
        name = f"layers.{stage}.blocks.1.residual"
        assert trace[name].shape[1:3] == (rows, cols)
        where = trace.geometry(name)
        assert (where.rows, where.cols) == (rows, cols)
        assert where.stride == (4 * 2**stage, 4 * 2**stage)


@torch.inference_mode()
def test_one_cached_model_at_two_sizes_equals_fresh_ones() -> None:
    shared = tiny(window=7, depths=(2, 2))
    small, large = torch.randn(1, 3, 112, 112), torch.randn(1, 3, 224, 224)
    found = [shared(small), shared(large), shared(small)]
    fresh = [tiny(window=7, depths=(2, 2))(pixels) for pixels in (small, large, small)]
    assert all(a.equal(b) for a, b in zip(found, fresh, strict=True))


@torch.inference_mode()
def test_a_one_hot_forced_in_a_shifted_window_lands_on_the_right_pixels() -> None:
    """Cell (5, 5) of a 6×6 map, where the roll fills a window from four corners, looks
    at cell (4, 5) alone."""
    model, pixels = tiny(depths=(2,), heads=(2,)), torch.randn(1, 3, 24, 24)
    windows = model.windows(24, 24)[0][1]
    order = windows.order().numpy()
    query, key = 5 * 6 + 5, 4 * 6 + 5
    (window, at), (same, to) = place_of(order, query), place_of(order, key)
    assert window == same and windows.shift == (1, 1)

    def forced(weights: torch.Tensor) -> torch.Tensor:
        weights = weights.clone()
        weights[window, :, at] = 0
        weights[window, :, at, to] = 1
        return weights

    edit = {"layers.0.blocks.1.attn.weights": forced}
    with record(model, "layers.0.blocks.1.attn.weights", edit=edit) as trace:
        model(pixels)
    row = placed(trace["layers.0.blocks.1.attn.weights"].numpy(), order, query)
    assert row.shape == (2, 36) and (row.argmax(-1) == key).all() and (row.max(-1) == 1).all()
    where = model.geometry(24, 24, stage=0)
    assert where.box(*where.position(key)) == (16, 20, 20, 24)  # rows 16–19, columns 20–23

    # The context at the query is then the value at the key, wherever that window was cut from.
    with record(model, "*.blocks.1.attn.value", "*.blocks.1.attn.context", edit=edit) as trace:
        model(pixels)
    value = trace["layers.0.blocks.1.attn.value"][window, :, to]
    torch.testing.assert_close(trace["layers.0.blocks.1.attn.context"][window, :, at], value)


@torch.inference_mode()
def test_assembled_weights_are_those_of_each_window() -> None:
    model = tiny()
    with record(model, "*.attn.weights") as trace:
        model(torch.randn(1, 3, 28, 20))  # 7×5 cells: padded to 9×6
    windows = model.windows(28, 20)[0][1]
    weights, order = trace["layers.0.blocks.1.attn.weights"].numpy(), windows.order().numpy()
    whole = assembled(weights, order)
    assert whole.shape == (2, 35, 35)
    for cell in range(35):
        assert (placed(weights, order, cell) == whole[:, cell]).all()
    with pytest.raises(IndexError, match="no cell 35 on a map of 35 cells"):
        placed(weights, order, 35)


@torch.inference_mode()
def test_reach_is_the_product_of_dense_steps() -> None:
    model = tiny()
    with record(model, "*.attn.weights") as trace:
        model(torch.randn(1, 3, 24, 24))
    maps, cut = model.cfg.maps(24, 24), model.windows(24, 24)
    stages = [
        [
            Step(trace[f"layers.{s}.blocks.{b}.attn.weights"].double().numpy(),
                 cut[s][b].order().numpy())
            for b in range(2)
        ]
        for s in range(2)
    ]  # fmt: skip
    found = reach(4, stages, maps)
    flow = torch.zeros(9).double()
    flow[4] = 1
    for s in (1, 0):
        for b in (1, 0):
            dense = torch.from_numpy(assembled(*stages[s][b])).mean(0)
            flow = flow @ (torch.eye(len(dense)).double() + dense) / 2
            torch.testing.assert_close(torch.from_numpy(found[s][b]), flow)
        if s:
            fine = torch.zeros(6, 6).double()
            for cell, share in enumerate(flow):
                r, c = divmod(cell, 3)
                fine[2 * r : 2 * r + 2, 2 * c : 2 * c + 2] = share / 4
            flow = fine.flatten()
    assert abs(found[0][0].sum() - 1) < 1e-9


def test_unmerging_gives_nothing_to_padding() -> None:
    import numpy as np

    found = unmerge(np.array([1.0, 2.0, 3.0, 4.0]), (2, 2), (3, 3))
    expected = [[0.25, 0.25, 1], [0.25, 0.25, 1], [1.5, 1.5, 4]]
    assert found.reshape(3, 3).tolist() == expected


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"depths": (2, 2)}, "as many stages, not 2 and 4"),
        ({"window": 0}, "window should be at least 1, not 0"),
        ({"width": 95}, "width 95 of stage 1 does not divide into 3 heads"),
    ],
)
def test_configs_that_make_no_sense(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        SwinConfig(**options)  # type: ignore[arg-type]
