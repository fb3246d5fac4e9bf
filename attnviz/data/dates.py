"""Dates and times in Korean and English, as the Unicode locale data (CLDR) writes them.

Both sides are put together field by field from the locale's own patterns ("y년 MMMM d일 EEEE" and
"EEEE, MMMM d, y"), so what is written is what `babel` writes, and which Korean characters an
English word comes from is known: the field of the same name.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from itertools import takewhile
from typing import Any

from attnviz.data.pairs import Corpus, Link, Pair, Span, split

FIRST, LAST = date(1900, 1, 1), date(2099, 12, 31)

_FIELDS = {"y": "year", "M": "month", "L": "month", "d": "day", "E": "weekday"} | {
    "a": "half of the day",
    "h": "hour",
    "m": "minute",
    "s": "second",
}


@dataclass(frozen=True)
class Form:
    """One way to write a moment, the same in both languages, so that the source decides the target.

    Attributes:
        date: a CLDR style ("full" … "short"), a skeleton ("yMMMEd"), a pattern, or "" for none.
        time: likewise.
        count: pairs to draw at most.
        group: `strftime` of what the text says: what is held out as a whole.
    """

    date: str
    time: str
    count: int
    group: str = "%Y-%m-%d"


ISO, SPOKEN = "yyyy-MM-dd", "a h시 m분"

FORMS = (
    Form("full", "", 16_000),
    Form("long", "", 12_000),
    Form("medium", "", 8_000),
    Form("short", "", 6_000, "%y-%m-%d"),
    Form("yMMMEd", "", 6_000),
    Form(ISO, "", 4_000),
    Form("full", SPOKEN, 5_000),
    Form("long", "short", 4_000),
    Form("MMMMd", "", 366, "%m-%d"),
    Form("yMMMM", "", 2_400, "%Y-%m"),
    Form("", "short", 1_440, "%H:%M"),
    Form("", SPOKEN, 1_440, "%H:%M"),
)
"""`ISO` and `SPOKEN` are patterns of the Korean side; English writes them as "long" and "short"."""


def build(name: str = "dates_ko_en", seed: int = 0) -> Corpus:
    """The corpus of dates: whole dates are held out, in whatever form they are written."""
    import babel

    rng = random.Random(f"dates {seed}")
    pairs = {pair.source: pair for form in FORMS for pair in _drawn(form, rng)}
    shuffled = sorted(pairs.values(), key=lambda pair: pair.source)
    rng.shuffle(shuffled)
    train, valid, test = split(shuffled, test=0.03, valid=0.015)
    return Corpus(
        name=name,
        title="Dates and times, Korean to English",
        source_language="ko",
        target_language="en",
        train=train,
        valid=valid,
        test=test,
        tokeniser="dates",
        licence="Unicode-3.0 (the locale data); written by babel, BSD-3-Clause",
        data=({"name": "babel", "version": babel.__version__, "licence": "BSD-3-Clause"},),
    )


def pair(moment: datetime, form: Form) -> Pair:
    """A moment in Korean and in English, with what comes from what."""
    source, sources = _written(moment, *_pattern(form, "ko"))
    target, targets = _written(moment, *_pattern(form, "en"))
    links: list[Link] = [(span, sources[field]) for field, span in targets.items()]
    return Pair(source, target, tuple(links), moment.strftime(form.group))


def _drawn(form: Form, rng: random.Random) -> Iterator[Pair]:
    """Pairs of a form: days drawn without repeating, times drawn or, without a day, every one."""
    if not form.date:
        minutes = range(min(form.count, 24 * 60))
        yield from (pair(datetime(2000, 1, 1) + timedelta(minutes=m), form) for m in minutes)
        return
    for moment in _days(form, rng):
        yield pair(moment + timedelta(minutes=rng.randrange(24 * 60)), form)


def _days(form: Form, rng: random.Random) -> list[datetime]:
    """Days that differ in what the form says of them."""
    days = [FIRST + timedelta(days=number) for number in range((LAST - FIRST).days + 1)]
    rng.shuffle(days)
    distinct = {day.strftime(form.group): day for day in days}
    chosen = list(distinct.values())[: form.count]
    return [datetime(day.year, day.month, day.day) for day in chosen]


@cache
def _pattern(form: Form, language: str) -> tuple[list[tuple[str, Any]], Any]:
    """The CLDR pattern of a form in a language, as fields and the text between, and the locale."""
    from babel import Locale
    from babel.dates import tokenize_pattern

    locale = Locale(language)
    korean = language == "ko"
    styles = {ISO: ISO if korean else "long", SPOKEN: SPOKEN if korean else "short"}
    day, time = styles.get(form.date, form.date), styles.get(form.time, form.time)
    for known in (locale.date_formats, locale.datetime_skeletons):
        day = known[day].pattern if day in known else day
    time = locale.time_formats[time].pattern if time in locale.time_formats else time
    pattern = day or time
    if day and time:
        pattern = locale.datetime_formats["long"].replace("{1}", day).replace("{0}", time)
    return tokenize_pattern(pattern.replace("\N{NARROW NO-BREAK SPACE}", " ")), locale


def _written(
    moment: datetime, pattern: list[tuple[str, Any]], locale: Any
) -> tuple[str, dict[str, Span]]:
    """The text of a pattern, and where its fields stand; 년 and 일 belong to the field before."""
    from babel.dates import DateTimeFormat

    values = DateTimeFormat(moment, locale)
    text, spans, field = "", {}, ""
    for kind, value in pattern:
        if kind == "field":
            letter, width = value
            field, start = _FIELDS[letter], len(text)
            text += values[letter * width]
            spans[field] = (start, len(text))
        else:
            suffix = "".join(takewhile(str.isalpha, value))
            if field:
                spans[field] = (spans[field][0], len(text) + len(suffix))
            text += value
    return text, spans
