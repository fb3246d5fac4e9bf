"""The app's own pieces, without a page: the shelf, pictures, maps, downloads."""

from __future__ import annotations

import io
import threading

import numpy as np
import pytest
from PIL import Image

from app import controls, maps, pictures, show
from app.loaders import Shelf, percentile
from attnviz import analysis, zoo
from attnviz.geometry import Geometry
from attnviz.images import Preprocess, open_image


def test_a_shelf_computes_a_key_once_for_all_who_ask() -> None:
    shelf, calls, results = Shelf(100), [], []
    gate = threading.Event()

    def make() -> str:
        calls.append(1)
        gate.wait(5)
        return "done"

    def ask() -> None:
        results.append(shelf.get("key", make, len))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    gate.set()
    for thread in threads:
        thread.join()
    assert results == ["done"] * 8 and len(calls) == 1


def test_a_shelf_stays_within_its_budget_and_drops_the_oldest() -> None:
    shelf = Shelf(10)
    for key in "abc":
        shelf.get(key, lambda: "xxxx", len)
    assert shelf.held == 8
    assert shelf.get("c", lambda: "new", len) == "xxxx"
    assert shelf.get("a", lambda: "new", len) == "new"
    assert shelf.get("huge", lambda: "y" * 50, len) == "y" * 50 and shelf.held == 50


def test_a_failure_is_not_kept() -> None:
    shelf = Shelf(10)
    with pytest.raises(ZeroDivisionError):
        shelf.get("key", lambda: 1 / 0, len)
    assert shelf.get("key", lambda: "ok", len) == "ok"


def test_percentile() -> None:
    values = np.random.default_rng(0).random((7, 11, 13)).astype(np.float32)
    assert percentile(values, 0.9) == pytest.approx(np.quantile(values, 0.9), abs=1e-3)


def photo(width: int, height: int) -> bytes:
    pixels = np.random.default_rng(0).integers(0, 255, (height, width, 3), np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def test_a_small_upload_is_kept_exactly() -> None:
    data = photo(70, 50)
    shown = pictures.from_upload(data, "a.png")
    assert (np.asarray(shown.image) == np.asarray(open_image(data).image)).all()
    assert shown.key == open_image(data).sha256 and not shown.notes


def test_a_large_upload_is_reduced_as_its_code_says() -> None:
    data = photo(1300, 700)
    shown = pictures.from_upload(data, "a.png")
    assert max(shown.image.size) == pictures.KEPT_SIDE and "Reduced" in shown.notes[0]
    names: dict[str, object] = {"open_image": open_image, "PATH": data}
    exec(f"image = {shown.code}", names)
    assert (np.asarray(shown.image) == np.asarray(names["image"])).all()


@pytest.mark.parametrize("fit", ["crop", "whole"])
def test_the_drawn_picture_has_the_shape_of_the_models_view(fit: str) -> None:
    image = Image.open(io.BytesIO(photo(301, 200)))
    preprocess = Preprocess(fit=fit)
    seen, drawn = preprocess.view(image), pictures.drawn(image, preprocess)
    assert drawn.size == (2 * seen.width, 2 * seen.height)


def test_painted_keeps_colours() -> None:
    table = np.arange(768, dtype=np.uint8).reshape(256, 3)
    places = np.array([[0, 255], [7, 9]], np.uint8)
    back = np.asarray(Image.open(io.BytesIO(pictures.painted(places, table))).convert("RGB"))
    assert (back == table[places]).all()


def test_head_row() -> None:
    matrix = np.random.default_rng(0).random((2, 7, 7)).astype(np.float32)
    token = Geometry(2, 3, 32, 48, prefix=("class",))
    assert (maps.head_row(matrix, token) == matrix[:, 0]).all()
    mean = Geometry(2, 3, 32, 48, prefix=("register 1",), pool="avg")
    row = maps.head_row(matrix, mean)
    assert np.allclose(mean.grid(row), analysis.class_map(matrix, mean))


def test_as_bytes_cuts_off_and_rounds() -> None:
    assert maps.as_bytes(np.array([0, 0.5, 1, 2]), 1.0).tolist() == [0, 128, 255, 255]


def test_query_step_bounds_what_is_sent() -> None:
    for side in (7, 14, 18, 24, 37):
        grid = Geometry(side, side, side, side, prefix=("class",))
        step = maps.query_step(grid)
        rows = len(range(0, side, step)) ** 2 + 1
        assert rows * grid.tokens <= maps.MAX_BYTES
        assert step == 1 or (len(range(0, side, step - 1)) ** 2 + 1) * grid.tokens > maps.MAX_BYTES


def test_strongest_and_titles() -> None:
    grid = Geometry(2, 2, 32, 32, prefix=("class", "register 1"))
    row = np.array([0.1, 0.0, 0.2, 0.5, 0.1, 0.1])
    assert maps.strongest(row, grid, 2) == [("0,1", 0.5), ("0,0", 0.2)]
    assert maps.token_title(grid, 1) == "register 1 token"
    assert maps.token_title(grid, 5) == "patch in row 1, column 1"
    assert maps.patches_holding(row, grid, 0.5) == 1


def test_principal_colours_follow_the_vectors() -> None:
    vectors = np.array([[0.0, 0], [0, 1], [0, 2]])
    colours = maps.principal_colours(vectors)
    assert colours.shape == (3, 3) and sorted(colours[:, 0].tolist()) == [0, 128, 255]
    assert (maps.principal_colours(np.ones((4, 2))) == 128).all()


def test_downloads() -> None:
    assert show.as_csv(("a", "b"), [("x,y", 1)]).decode() == 'a,b\n"x,y",1\n'
    back = np.load(io.BytesIO(show.as_npz({"m": np.eye(2)})))
    assert (back["m"] == np.eye(2)).all()


def test_sizes_on_offer_fit_the_grid() -> None:
    for card in (card for card in zoo.cards() if card.preprocess):
        step = card.preprocess.multiple
        *sides, whole = controls.sizes(card)
        assert whole == "whole" and all(int(side) % step == 0 for side in sides)
        for size in controls.sizes(card):
            controls.preprocess(card, size)
