"""Taps: names, edits, steps, gradients, errors, and one shared model under many threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import Tensor, nn

from attnviz.geometry import Geometry
from attnviz.models.vit import ViT, ViTConfig
from attnviz.trace import Tap, TapError, note_geometry, record, taps


class Doubler(nn.Module):
    """Two taps around a multiplication by two."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.after = Tap("b d"), Tap("b d")

    def forward(self, x: Tensor) -> Tensor:
        note_geometry(lambda: Geometry(1, x.shape[-1], 1, x.shape[-1]))
        return self.after(2 * self.before(x))


def test_an_unwatched_tap_is_the_identity() -> None:
    x = torch.randn(2, 3)
    assert Tap("b d")(x) is x
    assert not Tap("b d").watched


def test_records_by_module_path_and_pattern() -> None:
    model, x = nn.Sequential(Doubler(), Doubler()), torch.ones(1, 2)
    with record(model, "*.after") as trace:
        model(x)
    assert trace.names() == ["0.after", "1.after"]
    assert trace["1.after"].equal(4 * x)
    assert trace.axes("1.after") == "b d"
    assert [t.item() for t in trace.match("*")[0].flatten()] == [2, 2]
    assert trace.geometry() == trace.geometry("0.after") == Geometry(1, 2, 1, 2)


def test_steps_keep_every_pass() -> None:
    model = Doubler()
    with record(model, "after") as trace:
        for k in range(3):
            model(torch.full((1, 1), float(k)))
    assert [t.item() for t in trace.steps("after")] == [0, 2, 4]
    with pytest.raises(TapError, match="passed 3 times"):
        trace["after"]


def test_edit_replaces_on_the_way() -> None:
    model, x = Doubler(), torch.ones(1, 2)
    with record(model, "after", edit={"before": lambda t: t + 1}) as trace:
        assert model(x).equal(torch.full((1, 2), 4.0))
    assert trace.names() == ["after"]
    assert model(x).equal(torch.full((1, 2), 2.0)), "the edit must end with its block"


def test_edit_alone_needs_no_pattern() -> None:
    model = Doubler()
    with record(model, edit={"after": torch.zeros_like}):
        assert not model(torch.ones(1, 2)).any()


def test_grad_reaches_recorded_tensors() -> None:
    model = Doubler()
    with record(model, "before", "after", grad=True) as trace:
        model(torch.ones(1, 2, requires_grad=True) * 3).sum().backward()
    assert trace.grad("before").equal(torch.full((1, 2), 2.0))
    assert trace.grad("after").equal(torch.ones(1, 2))


def test_without_grad_everything_is_detached() -> None:
    model = Doubler()
    with record(model, "after") as trace:
        model(torch.ones(1, 2, requires_grad=True))
    assert not trace["after"].requires_grad
    with pytest.raises(TapError, match="grad=True"):
        trace.grad("after")


def test_grad_inside_inference_mode_is_refused() -> None:
    with (
        torch.inference_mode(),
        pytest.raises(TapError, match="inference_mode"),
        record(Doubler(), "after", grad=True),
    ):
        pass


def test_errors_name_near_misses() -> None:
    model = Doubler()
    with (
        pytest.raises(TapError, match=r"no tap matches 'befor'\. Near: 'before'"),
        record(model, "befor"),
    ):
        pass
    with (
        pytest.raises(TapError, match="no tap matches 'qqqq'.*There are: 'before', 'after'"),
        record(model, edit={"qqqq": lambda t: t}),
    ):
        pass
    with record(model, "after") as trace:
        model(torch.ones(1, 1))
    with pytest.raises(TapError, match=r"nothing was recorded as 'aftr'\. Near: 'after'"):
        trace["aftr"]


def test_catching_nothing_is_an_error() -> None:
    watched, called = Doubler(), Doubler()
    with pytest.raises(TapError, match="never reached 'after'"), record(watched, "after"):
        called(torch.ones(1, 1))
    with (
        pytest.raises(TapError, match="never reached 'before'"),
        record(watched, edit={"before": lambda t: t}),
    ):
        pass
    with pytest.raises(TapError, match="at least one tap"), record(watched):
        pass


def test_an_exception_inside_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError), record(Doubler(), "after"):
        raise ZeroDivisionError
    assert not Doubler().after.watched


def test_wrong_shapes_are_refused() -> None:
    model = Doubler()
    with (
        pytest.raises(TapError, match=r"'before' is declared 'b d' but got \(2,\)"),
        record(model, "before"),
    ):
        model(torch.ones(2))
    with (
        pytest.raises(TapError, match=r"must return \(1, 2\), not \(1, 1\)"),
        record(model, edit={"after": lambda t: t[:, :1]}),
    ):
        model(torch.ones(1, 2))


def test_two_recordings_nest() -> None:
    model = Doubler()
    with record(model, "before") as outer, record(model, "after") as inner:
        model(torch.ones(1, 1))
    assert outer.names() == ["before"] and inner.names() == ["after"]


def test_no_geometry_is_said() -> None:
    tap = nn.Sequential(Tap("b d"))
    with record(tap, "0") as trace:
        tap(torch.ones(1, 1))
    with pytest.raises(TapError, match="no geometry"):
        trace.geometry()


def test_threads_share_one_model_without_seeing_each_other() -> None:
    """Half the threads record, a quarter edit, a quarter only run; every answer is their own."""
    cfg = ViTConfig(image_size=(32, 32), patch_size=8, width=32, depth=2, heads=2, classes=5)
    model = ViT(cfg).eval().requires_grad_(False)
    pictures = torch.randn(24, 1, 3, 32, 32)
    name = "blocks.1.attn.weights"
    with torch.inference_mode():
        plain = [model(p) for p in pictures]
        silent = []
        expected = []
        for p in pictures:
            with record(model, name) as trace:
                model(p)
            expected.append(trace[name])
            with record(model, edit={"blocks.0.attn.context": torch.zeros_like}):
                silent.append(model(p))
    barrier = threading.Barrier(8)

    def visit(i: int) -> bool:
        kind = i % 4
        with torch.inference_mode():
            if kind < 2:
                with record(model, name) as trace:
                    logits = model(pictures[i])
                return trace[name].equal(expected[i]) and torch.allclose(
                    logits, plain[i], atol=1e-5
                )
            if kind == 2:
                with record(model, edit={"blocks.0.attn.context": torch.zeros_like}):
                    return torch.allclose(model(pictures[i]), silent[i], atol=1e-5)
            return model(pictures[i]).equal(plain[i])

    def worker(start: int) -> list[bool]:
        barrier.wait()
        return [visit(i) for _ in range(5) for i in range(start, 24, 8)]

    with ThreadPoolExecutor(8) as pool:
        answers = [right for result in pool.map(worker, range(8)) for right in result]
    assert len(answers) == 120 and all(answers)
    assert not any(m._forward_hooks or m._forward_pre_hooks for m in model.modules())


def test_taps_lists_names_with_axes() -> None:
    assert taps(Doubler()) == {"before": "b d", "after": "b d"}
