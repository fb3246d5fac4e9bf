"""Force attention: make a step look elsewhere, and read what the model says then."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import maps, prose, show, state, translations
from app.components.alignment import Cell, alignment
from app.components.sketch import FULL, Weights, sketch
from app.state import Rows, Seq2seq
from app.translations import Talk
from app.views import seq2seq_common
from attnviz.data.held_out import held_out

if TYPE_CHECKING:
    from attnviz.translation import Translation


@show.panel
def draw(talk: Talk) -> None:
    """Before at the left, after at the right; clicks in the right matrix and drawn rows force."""
    state.about(talk.sentence.text, Seq2seq.FORCED, Seq2seq.DRAWN)
    before = translations.translation(talk)
    _weights(before)  # or one sentence that says why not
    forced = chosen_rows(len(before.source))
    after = translations.translation(talk, rows=vectors(forced, len(before.source)))
    show.note(prose.text("seq2seq", "Force attention"))
    old, new = st.columns(2, gap="large")
    with old:
        _said(talk, before, "Before")
        _matrix(talk, before, Seq2seq.BEFORE)
    with new:
        _said(talk, after, "After: click a cell, and its step looks there; click again to let go")
        _matrix(talk, after, Seq2seq.AFTER, forced)
    drawing, words = st.columns(2, gap="large")
    with drawing:
        _draw_row(after, forced)
    with words:
        gone, come = changed(before.ids, after.ids)
        show.small("Piece by piece")
        show.tokens([("before", before.target, gone), ("after", after.target, come)])
        _undo(after, forced)
    more, truth = st.columns(2, gap="large")
    with more:
        show.explain("seq2seq", "Force attention")
        _take_away(talk, before, after, forced)
    with truth:
        show.facts([*_facts(after, forced), *seq2seq_common.facts(talk, after)])


def chosen_rows(columns: int) -> Rows:
    """The rows that the link or earlier clicks force, as far as they fit the source."""
    from attnviz.decoding import limit_for

    found = state.rows(state.linked(Seq2seq.FORCED))
    state.publish(Seq2seq.FORCED)
    fitting = {
        row: {column: weight for column, weight in cells.items() if column < columns}
        for row, cells in found.items()
        if row < limit_for(columns)
    }
    return {row: cells for row, cells in fitting.items() if cells}


def vectors(forced: Rows, columns: int) -> translations.Rows:
    """Each row as its weights over all the source pieces, in the order of the steps."""
    return tuple(
        (row, tuple(float(cells.get(column, 0)) for column in range(columns)))
        for row, cells in sorted(forced.items())
    )


def changed(before: Sequence[int], after: Sequence[int]) -> tuple[list[int], list[int]]:
    """Which pieces are in only one of two translations: places in the one, in the other."""
    codes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    apart = [code for code in codes if code[0] != "equal"]
    return (
        [i for _, start, end, _, _ in apart for i in range(start, end)],
        [i for _, _, _, start, end in apart for i in range(start, end)],
    )


def toggled(forced: Rows, cell: Cell) -> Rows:
    """A cell more in its row, or less; a row that was drawn begins anew."""
    row, column = cell
    cells = forced.get(row, {})
    cells = cells if set(cells.values()) == {FULL} else {}
    cells = (
        {c: w for c, w in cells.items() if c != column}
        if column in cells
        else cells | {column: FULL}
    )
    rest = {other: weights for other, weights in forced.items() if other != row}
    return rest | ({row: cells} if cells else {})


def _said(talk: Talk, run: Translation, title: str) -> None:
    show.small(title)
    language = held_out(talk.card.corpus or "").target_language
    show.translation(run.text, language, run.notes)


def _matrix(talk: Talk, run: Translation, key: str, forced: Rows | None = None) -> None:
    shown = seq2seq_common.matrix(talk, run)
    alignment(
        shown.weights,
        shown.source,
        shown.target,
        key=key,
        probabilities=shown.probabilities,
        unknown=shown.unknown,
        rows_forced=[row for row in forced or () if row < len(shown.target)],
        name=f"{talk.model}-{key}",
        on_change=None if forced is None else partial(_clicked, forced),
    )


def _clicked(forced: Rows, cell: Cell | None) -> None:
    """A click toggles a cell; unpinning is a second click on the same."""
    cell = cell or st.session_state.get(Seq2seq.CLICKED)
    st.session_state[Seq2seq.CLICKED] = cell
    if cell is not None:
        _force(toggled(forced, cell))
        state.link(Seq2seq.DRAWN, str(cell[0]))


def _force(forced: Rows) -> None:
    state.link(Seq2seq.FORCED, state.rows_text(forced))


def _draw_row(run: Translation, forced: Rows) -> None:
    """One row to draw; the model's own is in outline."""
    linked = state.linked(Seq2seq.DRAWN)
    row = int(linked) if linked.isdecimal() and int(linked) < len(run.target) else 0
    state.publish(Seq2seq.DRAWN)
    picker = f"{Seq2seq.DRAWN}_picker"
    st.session_state[picker] = row
    st.selectbox(
        "Draw the row of step", range(len(run.target)), key=picker,
        format_func=lambda step: f"{step} {run.target[step]}",
        on_change=lambda: state.link(Seq2seq.DRAWN, str(st.session_state[picker])),
    )  # fmt: skip
    cells = forced.get(row)
    sketch(
        maps.as_bytes(own_row(run, row), 1.0),
        run.source,
        key=Seq2seq.SKETCH,
        subject=str(row),
        drawn=tuple(cells.get(c, 0) for c in range(len(run.source))) if cells else None,
        on_change=partial(_drew, forced, row),
    )
    show.note("Drag the bars. In outline: where the model itself would look at this step.")


def own_row(run: Translation, row: int) -> np.ndarray:
    """Where the model would look at a step if that were not forced: softmax of its scores, (S,)."""
    scores = run.stages["attention.scores"][row]
    raised = np.exp(scores - scores.max())
    return raised / raised.sum()


def _drew(forced: Rows, row: int, weights: Weights | None) -> None:
    rest = {other: cells for other, cells in forced.items() if other != row}
    cells = {column: weight for column, weight in enumerate(weights or ()) if weight}
    _force(rest | ({row: cells} if cells else {}))


def _undo(run: Translation, forced: Rows) -> None:
    """Let rows go, one by one or all."""
    with st.container(key="experiments", horizontal=True, gap="small"):
        for row in sorted(forced):
            name = f"{row} {run.target[row]}" if row < len(run.target) else str(row)
            rest = {other: cells for other, cells in forced.items() if other != row}
            st.button(
                show.literal(f"Let go of {name}"), key=f"{Seq2seq.FORCED}_{row}", type="tertiary",
                on_click=_force, args=(rest,),
            )  # fmt: skip
        if forced:
            st.button(
                "Let go of all", key=f"{Seq2seq.FORCED}_all", type="tertiary",
                on_click=_force, args=({},),
            )  # fmt: skip


def _facts(run: Translation, forced: Rows) -> Iterable[tuple[str, str]]:
    """That the forced rows are those that were used, measured on the recorded weights."""
    weights = _weights(run)
    for row, asked in vectors(forced, len(run.source)):
        if row >= len(weights):
            yield f"Row {row}", "not reached: the translation ends before it"
            continue
        gap = np.abs(weights[row] - np.array(asked) / sum(asked)).max()
        own = own_row(run, row)
        best = int(own.argmax())
        yield (
            f"Row {row}",
            f"forced: the weights that the step used differ from those asked for by {gap:.1e} at "
            f"most; by itself it would have put {own[best]:.1%} on {best} “{run.source[best]}”",
        )
    if not forced:
        yield "Forced", "no row: before and after are the same run"


def _weights(run: Translation) -> np.ndarray:
    """(T, S), of a model that has attention."""
    if run.weights is None:
        raise show.Problem("This model has no attention that could be forced.")
    return run.weights


def _take_away(talk: Talk, before: Translation, after: Translation, forced: Rows) -> None:
    rows = ", ".join(
        f"{row}: {[int(weight) for weight in weights]}"
        for row, weights in vectors(forced, len(before.source))
    )
    code = seq2seq_common.code(talk) + (
        f"rows = {{{rows}}}  # step: weights over the source pieces\n"
        "after = translate(model, tokeniser, found.sentence, rows=rows)\n"
        'print("→", after.text)\n'
        "figures.token_matrix(after.weights, after.target, after.source, scale_max=1.0).show()\n"
    )
    show.take_away(
        key="seq2seq_force",
        name=f"{talk.model}-forced",
        arrays=lambda: {
            "before": _weights(before),
            "after": _weights(after),
            "forced": np.array(sorted(forced), dtype=np.int64),
        },
        table=lambda: (
            (
                "step",
                "after",
                "probability",
                "forced",
                *(f"{i} {n}" for i, n in enumerate(after.source)),
            ),
            (
                (row, name, after.probabilities[row], row in forced, *_weights(after)[row])
                for row, name in enumerate(after.target)
            ),
        ),
        code=code,
    )
