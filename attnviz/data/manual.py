"""Sentences of the LibreOffice help, translated by people: English–French and Korean–English.

Every language has the same pages, and a paragraph carries the same id in all of them, so the
translation of a paragraph is known without guessing. Paragraphs of several sentences are split only
where both languages have equally many. The pages are Debian packages (MPL-2.0) and stay outside
the repository; a missing one raises `SourceError` with the command that installs it.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path

from attnviz.data.pairs import Corpus, Pair
from attnviz.data.sources import need

HELP = Path("/usr/share/libreoffice/help")
LICENCE = "MPL-2.0"
WORDS = (4, 20)  # of the English sentence

# How many characters the other language takes for one of English.
RATIO = {"fr": (0.6, 2.2), "ko": (0.25, 1.0)}
LEAST_HANGUL = 0.25  # of the characters of a Korean sentence
LEAST_LETTERS = 0.75  # of the characters of any sentence
MOST_SHARED = 0.6  # of the words: more of them in both languages means untranslated
HELD_OUT = {"test": 0.06, "valid": 0.04}  # shares of the sentences

_BLOCKS = {"p", "h1", "h2", "h3", "h4", "h5", "h6"}
_CODE_BLOCKS = {"code", "codeintable", "bascode", "pycode", "smathcode"}
# Prose is letters of these two scripts, digits and the punctuation of sentences; it does not start
# with a number or inside a sentence. An address, a file's name or a call is no prose.
_PROSE = re.compile(r"[A-Za-zÀ-ÿŒœ가-힣\"'«(][A-Za-zÀ-ÿŒœ가-힣0-9 .,;:!?…()\"'«»/&+*%°–—-]+")
_CODE = re.compile(r"://|www\.|--|\w[.:;]\w|[A-Za-z0-9]\((?!s\))|[;/]$")
_ENDS = (".", "!", "?", ":")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[\"'«(]?[^\W_])")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|ex|cf|p|No|n|approx|resp)|\s\w)\.$")


def build(name: str = "manual_en_fr", seed: int = 0, root: Path = HELP) -> Corpus:
    """``manual_en_fr`` or ``manual_ko_en``; `seed` chooses the pages that are held out.

    Raises:
        SourceError: a help package is not installed.
    """
    _, source, target = name.split("_")
    other = target if source == "en" else source
    package = {"en": "libreoffice-help-en-us", other: f"libreoffice-help-{other}"}
    folder = {
        language: need(
            root / ("en-US" if language == "en" else language) / "text",
            f"apt-get install --no-install-recommends {package[language]}",
        )
        for language in ("en", other)
    }
    found = distinct(
        Pair(*((english, foreign) if source == "en" else (foreign, english)), group=page)
        for page, english, foreign in sentences(folder["en"], folder[other])
        if translated(english, foreign, other)
    )
    train, valid, test = split(found, seed)
    languages = {"en": "English", "fr": "French", "ko": "Korean"}
    return Corpus(
        name=name,
        title=f"Software manual, {languages[source]} to {languages[target]}",
        source_language=source,
        target_language=target,
        train=train,
        valid=valid,
        test=test,
        tokeniser=name,
        licence=LICENCE,
        data=tuple(
            {"name": package[language], "version": version(folder[language]), "licence": LICENCE}
            for language in (source, target)
        ),
    )


class _Paragraphs(HTMLParser):
    """Collects ``(id, text)`` of the paragraphs and headings that have an id.

    Where a page words something differently for each system or program, the variants stand side by
    side as hidden spans: the one called default is read, and a paragraph without it is left out.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, str]] = []
        self._id = ""
        self._text: list[str] = []
        self._spans: list[str] = []
        self._complete = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        name, classes = values.get("id") or "", (values.get("class") or "").split()
        if tag in _BLOCKS:
            self._close()
            if name.startswith(("par_", "hd_")) and not _CODE_BLOCKS & set(classes):
                self._id = name
        elif tag == "span":
            if "switchinline" in classes:
                self._complete = False
                self._spans.append("switch")
            elif "hidden" in values:
                self._complete |= name.startswith("default")
                self._spans.append("shown" if name.startswith("default") else "skipped")
            else:
                self._spans.append("shown")
        elif tag in ("br", "img"):
            self._text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._close()
        elif tag == "span" and self._spans and self._spans.pop() == "switch" and not self._complete:
            self._id = ""

    def handle_data(self, data: str) -> None:
        if self._id and "skipped" not in self._spans:
            self._text.append(data)

    def _close(self) -> None:
        text = clean("".join(self._text))
        if self._id and text:
            self.found.append((self._id, text))
        self._id, self._text, self._spans, self._complete = "", [], [], True


def paragraphs(html: str) -> list[tuple[str, str]]:
    """``(id, text)`` of a page's paragraphs and headings, in order; an id may come again."""
    parser = _Paragraphs()
    parser.feed(html)
    parser.close()
    return parser.found


def clean(text: str) -> str:
    """Composed characters, plain quotation marks, single spaces, nothing invisible."""
    text = _INVISIBLE.sub("", unicodedata.normalize("NFC", text))
    return " ".join(text.translate(str.maketrans("’‘“”", "''\"\"")).split())


def split_sentences(text: str) -> list[str]:
    """Cut after ``.``, ``!`` or ``?`` before a space, but not after an abbreviation."""
    sentences: list[str] = []
    for piece in _SENTENCE_END.split(text):
        if sentences and _ABBREVIATION.search(sentences[-1]):
            sentences[-1] += " " + piece
        else:
            sentences.append(piece)
    return sentences


def sentences(english: Path, other: Path) -> Iterator[tuple[str, str, str]]:
    """``(page, English sentence, its translation)`` of all pages that both folders have.

    The paragraphs of one id are matched in order, if both pages have equally many of them.
    """
    for path in sorted(english.rglob("*.html")):
        page = path.relative_to(english)
        if not (other / page).exists():
            continue
        translation = _by_id(other / page)
        for name, texts in _by_id(path).items():
            if len(texts) != len(translation[name]):
                continue
            for here, there in zip(texts, translation[name], strict=True):
                ours, theirs = split_sentences(here), split_sentences(there)
                if len(ours) == len(theirs):
                    for pair in zip(ours, theirs, strict=True):
                        yield page.with_suffix("").as_posix(), *pair


def _by_id(path: Path) -> dict[str, list[str]]:
    found = defaultdict(list)
    for name, text in paragraphs(path.read_text(encoding="utf-8", errors="replace")):
        found[name].append(text)
    return found


def words(text: str) -> list[str]:
    """What stands between spaces and holds a letter or digit."""
    return [word for word in text.split() if any(map(str.isalnum, word))]


def translated(english: str, foreign: str, language: str) -> bool:
    """Whether these are a sentence to learn from: prose of 4 to 20 words with a translation."""
    low, high = RATIO[language]
    shared = set(words(english.casefold())) & set(words(foreign.casefold()))
    return (
        WORDS[0] <= len(words(english)) <= WORDS[1]
        and 2 <= len(words(foreign)) <= 1.5 * WORDS[1]
        and low <= len(foreign) / len(english) <= high
        and len(shared) <= MOST_SHARED * min(len(words(english)), len(words(foreign)))
        and english.endswith(_ENDS) == foreign.endswith(_ENDS)
        and _prose(english)
        and _prose(foreign)
        and (language != "ko" or _share(foreign, lambda c: "가" <= c <= "힣") >= LEAST_HANGUL)
    )


def _prose(text: str) -> bool:
    if _CODE.search(text) or not _PROSE.fullmatch(text):
        return False
    return _share(text, str.isalpha) >= LEAST_LETTERS


def _share(text: str, kind: Callable[[str], bool]) -> float:
    """The share of the characters, spaces apart, that are of a kind."""
    characters = "".join(text.split())
    return sum(map(kind, characters)) / len(characters)


def key(text: str) -> str:
    """What two sentences share that differ in case, spaces and punctuation only."""
    return "".join(filter(str.isalnum, text.casefold()))


def distinct(pairs: Iterable[Pair]) -> list[Pair]:
    """One pair a source sentence, with its most frequent translation (the first of equals)."""
    by_source: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_source[key(pair.source)].append(pair)
    chosen = []
    for same in by_source.values():
        (target, _), *_ = Counter(pair.target for pair in same).most_common(1)
        chosen.append(next(pair for pair in same if pair.target == target))
    return chosen


def split(pairs: list[Pair], seed: int) -> tuple[tuple[Pair, ...], ...]:
    """Whole pages for train, valid and test, without a translation that is on two sides.

    Pages are drawn until the shares of `HELD_OUT` are reached. Sources are distinct already; a
    training pair whose translation is held out, or a validation pair whose is in the test, goes.
    """
    by_page: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_page[pair.group].append(pair)
    pages = sorted(by_page)
    random.Random(seed).shuffle(pages)
    sides: dict[str, list[Pair]] = {"test": [], "valid": [], "train": []}
    for page in pages:
        wanting = (s for s, share in HELD_OUT.items() if len(sides[s]) < share * len(pairs))
        side = next(wanting, "train")
        sides[side] += by_page[page]
    taken: set[str] = set()
    for side, rows in sides.items():
        sides[side] = [pair for pair in rows if key(pair.target) not in taken]
        taken |= {key(pair.target) for pair in rows}
    return tuple(tuple(sides[side]) for side in ("train", "valid", "test"))


def version(text_folder: Path) -> str:
    """Of LibreOffice, as its help pages say in their head; empty if they do not."""
    for path in sorted(text_folder.rglob("*.html")):
        if match := re.search(r"LibreOffice (\d+(?:\.\d+)+)", path.read_text(encoding="utf-8")):
            return match[1]
    return ""
