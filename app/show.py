"""What appears on a page beside its widgets: prose, labels, facts, figures and what to take away.

The only place that draws plotly figures and offers downloads. Text from outside (file names, class
names) goes through ``html.escape`` or ``literal``, so that it is shown as it is.
"""

from __future__ import annotations

import base64
import csv
import io
import logging
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from html import escape
from typing import TYPE_CHECKING, Any, ParamSpec

import numpy as np
import streamlit as st

from app import prose
from app.registry import LINEAGE, page_at
from app.state import Shared

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from app.pictures import Shown

P = ParamSpec("P")
_log = logging.getLogger("attnviz.app")

TROUBLE = "Something went wrong here. Choose something else, or reload the page; nothing is lost."


class Problem(Exception):
    """What keeps a page from being shown, in one sentence for the visitor."""


@contextmanager
def guard() -> Iterator[None]:
    """No traceback reaches a visitor: the unforeseen becomes one sentence, and is logged."""
    try:
        yield
    except Problem as error:
        problem(str(error))
    except Exception:
        _log.exception("unforeseen error")
        problem(TROUBLE)


def panel(draw: Callable[P, None]) -> Callable[P, None]:
    """A part of a page that reruns alone when a control inside it changes, guarded."""

    @st.fragment
    @wraps(draw)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        with guard():
            draw(*args, **kwargs)

    return guarded


def literal(text: str) -> str:
    """Text as Markdown that shows exactly this text."""
    return re.sub(r"([\\`*_{}\[\]<>()#+\-.!|$~:^=])", r"\\\1", " ".join(text.split()))


def problem(sentence: str) -> None:
    """One sentence that says what was wrong and what to do."""
    st.error(literal(sentence))


def heading(url: str, question: str, answer: str) -> None:
    """Top of a page: its place in history, its name, the question it answers, and the answer."""
    step = next((step for step in LINEAGE if step.page == url), None)
    with st.container(gap="xxsmall"):
        if step:
            st.html(f'<p class="kicker">{step.year} · {_paper(step.paper, step.arxiv)}</p>')
        st.title(page_at(url).title, anchor=False)
        st.markdown(f"**{question}** {answer}")


def year(text: str) -> None:
    """A date on the timeline."""
    st.html(f'<p class="year">{escape(text)}</p>')


def milestone(title: str, line: str, paper: str, arxiv: str) -> None:
    """One step of the lineage: its name (if no link), what was new, where it is written."""
    name = f'<p class="step">{escape(title)}</p>' if title else ""
    st.html(f'{name}<p class="line">{escape(line)}</p><p class="paper">{_paper(paper, arxiv)}</p>')


def faces(thumbnails: Mapping[str, bytes]) -> None:
    """Pictures for the filmstrip's buttons, as one style sheet; their titles stay for readers."""
    rules = "".join(
        f".st-key-frame_{name} button {{ background-image: url({_address(data)}); }}"
        for name, data in thumbnails.items()
    )
    st.html(f"<style>{rules}</style>")


def credit(picture: Shown) -> None:
    """What the picture is, whose, and what was done to it."""
    st.html(
        f'<p class="note">{escape(" · ".join((picture.title, picture.credit, *picture.notes)))}</p>'
    )


def explain(page: str, heading: str) -> None:
    """The formula, third after picture and touch: one click away."""
    if opened := _opened("How it is computed", ":material/function:", key=f"{page}_how"):
        opened.markdown(prose.text(page, f"How: {heading}"))


def _opened(label: str, icon: str, *, key: str) -> st.delta_generator.DeltaGenerator | None:
    """An expander that costs nothing while it is closed: None then."""
    expander = st.expander(label, icon=icon, key=key, on_change="rerun")
    return expander if expander.open else None


def _paper(text: str, arxiv: str) -> str:
    return f'<a href="https://arxiv.org/abs/{escape(arxiv)}" target="_blank">{escape(text)}</a>'


def labels(title: str, rows: Sequence[tuple[str, float]]) -> None:
    """Class names with their probabilities as bars, best first."""
    items = "".join(
        f'<li><span>{escape(name)}</span><i style="--share:{share:.4f}"></i>'
        f"<b>{escape(_percent(share))}</b></li>"
        for name, share in rows
    )
    st.html(f'{_small(title)}<ol class="labels">{items}</ol>')


def changes(title: str, rows: Sequence[tuple[str, float, float]]) -> None:
    """Class names with their probabilities before and after."""
    items = "".join(
        f'<li><span>{escape(name)}</span><i style="--share:{after:.4f};--before:{before:.4f}"></i>'
        f"<b>{escape(_percent(after))} <em>{_points(after - before)}</em></b></li>"
        for name, before, after in rows
    )
    st.html(f'{_small(title)}<ol class="labels changed">{items}</ol>')


def facts(rows: Iterable[tuple[str, str]], *, title: str = "What is true here") -> None:
    """The truth panel: what a reader can check."""
    items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in rows)
    st.html(f'{_small(title)}<dl class="facts">{items}</dl>')


def values(title: str, rows: Sequence[tuple[str, float]], *, unit: str) -> None:
    """Exact values in a small table."""
    body = "".join(f"<tr><td>{escape(name)}</td><td>{value:.6f}</td></tr>" for name, value in rows)
    st.html(
        f'{_small(title)}<table class="values"><thead><tr><th>token</th>'
        f"<th>{escape(unit)}</th></tr></thead><tbody>{body}</tbody></table>"
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A small table; the first column names the rows."""
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    st.html(
        f'<div class="wide"><table class="values"><thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


Cell = tuple[bytes, str, str]  # a picture of the values, what they are, their shape and range


def correspondence(head: Sequence[str], rows: Sequence[tuple[str, Sequence[Cell]]]) -> None:
    """What plays the same part in several models: a row a part, a column a model."""
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(
            f'<td data-model="{escape(model)}"><b>{escape(symbol)}</b>{_picture(data)}'
            f"<code>{escape(shape)}</code></td>"
            for model, (data, symbol, shape) in zip(head, cells, strict=True)
        )
        + "</tr>"
        for name, cells in rows
    )
    st.html(
        f'<table class="correspondence"><thead><tr><th></th>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def translation(text: str, language: str, notes: Iterable[str] = (), *, large: bool = True) -> None:
    """What a translator said, and what a reader should know about it."""
    words = escape(text) or "(nothing)"
    size = "said large" if large else "said"
    remarks = "".join(f'<p class="note">{escape(note)}</p>' for note in notes)
    st.html(f'<p class="{size}" lang="{escape(language)}">{words}</p>{remarks}')


def tokens(
    rows: Sequence[tuple[str, Sequence[str], Collection[int]]], *, parted: int | None = None
) -> None:
    """Sentences piece under piece: of each its name, its pieces, and which of them are marked.

    Args:
        parted: the column before which a line is drawn.
    """
    longest = max((len(pieces) for _, pieces, _ in rows), default=0)
    cut = [' class="cut"' if column == parted else "" for column in range(longest)]
    head = "".join(f"<td{cut[column]}>{column}</td>" for column in range(longest))
    lines = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(
            f"<td{cut[i]}>{f'<mark>{escape(piece)}</mark>' if i in marked else escape(piece)}</td>"
            for i, piece in enumerate(pieces)
        )
        + "</tr>"
        for name, pieces, marked in rows
    )
    st.html(f'<div class="tokens"><table><tr><th></th>{head}</tr>{lines}</table></div>')


def small(title: str) -> None:
    """A small heading inside a panel."""
    st.html(_small(title))


def note(text: str) -> None:
    """Quiet text under a figure; plain."""
    st.html(f'<p class="note">{escape(text)}</p>')


Step = tuple[Sequence[bytes], str, str, str]  # pictures, name, shape, what happens


def steps(rows: Sequence[Step]) -> None:
    """Stages of a computation one under another: pictures, name, shape and what happens."""
    items = "".join(
        f'<li><div class="pictures">{"".join(map(_picture, pictures))}</div>'
        f"<div><h4>{escape(name)}</h4><code>{escape(shape)}</code><p>{escape(words)}</p></div></li>"
        for pictures, name, shape, words in rows
    )
    st.html(f'<ol class="steps">{items}</ol>')


def pair(rows: Sequence[tuple[bytes, str]]) -> None:
    """Small pictures beside each other, with captions."""
    items = "".join(
        f"<figure>{_picture(data)}<figcaption>{escape(caption)}</figcaption></figure>"
        for data, caption in rows
    )
    st.html(f'<div class="pair">{items}</div>')


def plot(figure: go.Figure, *, key: str, name: str, alt: str) -> None:
    """A plotly figure whose toolbar saves it in the format that the visitor chose."""
    kind = st.session_state.get(Shared.FORMAT, "PNG").lower()
    save = {"format": kind, "filename": name, "scale": 2 if kind == "png" else 1}
    config = {"displaylogo": False, "modeBarButtons": [["toImage"]], "toImageButtonOptions": save}
    st.plotly_chart(figure, key=key, config=config, alt=alt)


def take_away(
    *,
    key: str,
    name: str,
    arrays: Callable[[], Mapping[str, np.ndarray]],
    table: Callable[[], tuple[Sequence[str], Iterable[Sequence[Any]]]],
    code: str,
    figures: bool = False,
) -> None:
    """The numbers as CSV and NPZ, made when asked for, and Python that computes them again.

    Args:
        table: column names and rows of the CSV.
        figures: whether there are plotly figures, whose saved format can be chosen.
    """
    name = re.sub(r"[^\w.-]+", "-", name)
    opened = _opened("Take away", ":material/download:", key=f"{key}_take_away")
    if opened is None:
        return
    with opened:
        with st.container(horizontal=True):
            st.download_button(
                "CSV", lambda: as_csv(*table()), f"{name}.csv", "text/csv",
                key=f"{key}_csv", on_click="ignore", help="The numbers shown, as a table.",
            )  # fmt: skip
            st.download_button(
                "NPZ", lambda: as_npz(arrays()), f"{name}.npz", "application/octet-stream",
                key=f"{key}_npz", on_click="ignore", help="Arrays for numpy.load.",
            )  # fmt: skip
            if figures:
                st.segmented_control(
                    "Figures are saved as", ["PNG", "SVG"], default="PNG", required=True,
                    key=Shared.FORMAT, persist_state="session",
                )  # fmt: skip
        st.code(code, language="python", wrap_lines=True)


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """A table as UTF-8 CSV."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return buffer.getvalue().encode()


def as_npz(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Arrays as a compressed NPZ file."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def _small(title: str) -> str:
    return f'<h4 class="small">{escape(title)}</h4>'


def _picture(data: bytes) -> str:
    return f'<img alt="" src="{_address(data)}">'


def _address(data: bytes) -> str:
    kind = "png" if data.startswith(b"\x89PNG") else "webp"
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def _percent(share: float) -> str:
    return "< 0.1 %" if 0 < share < 0.001 else f"{share:.1%}".replace("%", " %")


def _points(change: float) -> str:
    points = round(100 * change, 1)
    return f"{points:+.1f}".replace("-", "−") if points else "±0.0"
