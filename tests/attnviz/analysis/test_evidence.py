"""Grad-CAM against its gradient, and the order in which cells are hidden."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from attnviz.analysis.evidence import area, grad_cam, leading_cells


def test_with_a_mean_and_a_linear_head_it_is_the_class_activation_map() -> None:
    # Selvaraju et al. 2017, §3: Grad-CAM is then CAM (Zhou et al. 2016), divided by the cells.
    torch.manual_seed(0)
    features = torch.rand(1, 5, 3, 4, requires_grad=True)
    head = nn.Linear(5, 7)
    head(features.mean((2, 3)))[0, 2].backward()
    assert features.grad is not None
    found = grad_cam(features.detach()[0].numpy(), features.grad[0].numpy())
    cam = torch.einsum("k,krc->rc", head.weight[2], features[0]).relu() / 12
    np.testing.assert_allclose(found, cam.detach(), atol=1e-7)


def test_nothing_speaks_against() -> None:
    assert (grad_cam(np.ones((2, 3, 3)), -np.ones((2, 3, 3))) == 0).all()


@pytest.mark.parametrize("shapes", [((2, 3, 3), (2, 3, 4)), ((3, 3), (3, 3))])
def test_shapes_that_do_not_fit_say_so(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match="of one shape"):
        grad_cam(np.ones(shapes[0]), np.ones(shapes[1]))


def test_best_cells_come_first() -> None:
    values = np.array([[0.1, 0.9], [0.5, 0.5]])
    first = leading_cells(values, np.array([0, 0.25, 0.5, 0.75, 1]))
    expected = [[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 1, 1, 1], [1, 1, 1, 1]]
    assert first.reshape(5, 4).astype(int).tolist() == expected


def test_an_order_needs_numbers() -> None:
    with pytest.raises(ValueError, match="not finite"):
        leading_cells(np.array([[np.nan]]), np.array([0.5]))
    with pytest.raises(ValueError, match="0, 1"):
        leading_cells(np.ones((2, 2)), np.array([0, 1.5]))


def test_area_of_a_straight_line() -> None:
    shares = np.linspace(0, 1, 11)
    assert area(shares, 1 - shares) == pytest.approx(0.5)
