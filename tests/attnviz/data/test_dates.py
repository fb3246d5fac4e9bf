"""Dates: babel is the truth of every text, and each link joins one field's two sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

import pytest
from babel.dates import format_date, format_skeleton, format_time
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.data import dates
from attnviz.data.dates import FORMS, ISO, SPOKEN, Form, pair
from attnviz.data.pairs import Corpus, Pair

moments = st.datetimes(datetime(1900, 1, 1), datetime(2099, 12, 31))
MOMENT = datetime(2026, 3, 9, 15, 5)


@pytest.fixture(scope="module")
def corpus() -> Iterator[Corpus]:
    """A tenth of the dates, all forms."""
    few = tuple(replace(form, count=form.count // 10) for form in FORMS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dates, "FORMS", few)
        yield dates.build()


def linked(pair: Pair) -> list[tuple[str, str]]:
    return [
        (pair.target[start:end], pair.source[first:last])
        for (start, end), (first, last) in pair.links
    ]


def plain(text: str) -> str:
    return text.replace("\u202f", " ")


@given(moments, st.sampled_from(["full", "long", "medium", "short"]))
def test_styles_are_those_of_babel(moment: datetime, style: str) -> None:
    made = pair(moment, Form(style, "", 1))
    assert made.source == format_date(moment, style, "ko")
    assert made.target == format_date(moment, style, "en")


@given(moments, st.sampled_from(["yMMMEd", "MMMMd", "yMMMM"]))
def test_skeletons_are_those_of_babel(moment: datetime, skeleton: str) -> None:
    made = pair(moment, Form(skeleton, "", 1))
    assert made.source == format_skeleton(skeleton, moment, locale="ko")
    assert made.target == plain(format_skeleton(skeleton, moment, locale="en"))


@given(moments)
def test_times_are_those_of_babel(moment: datetime) -> None:
    made = pair(moment, Form("long", "short", 1))
    clock = [format_time(moment, "short", locale=language) for language in ("ko", "en")]
    assert made.source == f"{format_date(moment, 'long', 'ko')} {clock[0]}"
    assert made.target == f"{format_date(moment, 'long', 'en')}, {plain(clock[1])}"


def test_what_korean_alone_writes() -> None:
    assert pair(MOMENT, Form(ISO, "", 1)).source == "2026-03-09"
    assert pair(MOMENT, Form(ISO, "", 1)).target == "March 9, 2026"
    assert pair(MOMENT, Form("", SPOKEN, 1)).source == "오후 3시 5분"
    assert pair(MOMENT, Form("", SPOKEN, 1)).target == "3:05 PM"


def test_links_join_the_words_of_a_field_with_their_suffixes() -> None:
    assert linked(pair(MOMENT, Form("full", SPOKEN, 1))) == [
        ("Monday", "월요일"),
        ("March", "3월"),
        ("9", "9일"),
        ("2026", "2026년"),
        ("3", "3시"),
        ("05", "5분"),
        ("PM", "오후"),
    ]
    assert linked(pair(MOMENT, Form("short", "", 1))) == [("3", "3"), ("9", "9"), ("26", "26")]
    assert linked(pair(MOMENT, Form("yMMMEd", "", 1)))[0] == ("Mon", "월")


@settings(max_examples=50)
@given(moments, st.sampled_from(FORMS))
def test_every_letter_and_digit_of_the_target_is_linked(moment: datetime, form: Form) -> None:
    made = pair(moment, form)
    covered = {at for (start, end), _ in made.links for at in range(start, end)}
    assert {made.target[at] for at in {*range(len(made.target))} - covered} <= {*" ,/:"}


def test_whole_dates_are_held_out_in_every_form(corpus: Corpus) -> None:
    sides = [{pair.group for pair in side} for side in (corpus.train, corpus.valid, corpus.test)]
    assert sides[2] and not sides[0] & sides[1] and not sides[2] & (sides[0] | sides[1])
    texts = [pair.source for side in (corpus.train, corpus.valid, corpus.test) for pair in side]
    assert len(texts) == len({*texts})
    full = {pair.group for pair in corpus.test if pair.source.endswith("요일")}
    assert len(full) > 30


def test_forms_and_years_are_all_there(corpus: Corpus) -> None:
    assert 6000 < len(corpus.train) < 6700 and len(corpus.test) > len(corpus.valid) > 50
    assert {"AM", "PM"} < {word for pair in corpus.test for word in pair.target.split()}
    years = {pair.group[:4] for pair in corpus.train if pair.group.count("-") == 2}
    assert len(years) > 190
    assert (corpus.source_language, corpus.target_language) == ("ko", "en")


def test_a_seed_gives_the_same_dates_and_another_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dates, "FORMS", (Form("short", "", 100, "%y-%m-%d"),))
    first, again, other = (dates.build(seed=seed).train for seed in (0, 0, 1))
    assert first == again != other
