"""The door for text that strangers type.

`read_sentence` is the only place that takes it in; what comes out is a `Sentence` (NFC, one line,
single spaces, nothing invisible) or a `SentenceError`, one plain sentence.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

LANGUAGES = {"ko": "Korean", "en": "English", "fr": "French"}

LIMIT_CHARACTERS = 400
"""Longest sentence that is read; the rest is cut off and the cut said aloud."""

_RAW_CHARACTERS = 100_000
"""Nobody types more; what is longer is cut before any work is done on it."""

_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn"}  # controls, bidi and zero-width marks, non-characters
_VARIATIONS = range(0xFE00, 0xFE10)  # how an emoji is drawn, not which one it is


class SentenceError(ValueError):
    """Text that is not taken as a sentence; the message is one plain sentence for the visitor."""


@dataclass(frozen=True)
class Sentence:
    """A sentence that was let in.

    Attributes:
        text: NFC, no longer than the limit, words parted by single spaces.
        notes: what was cut or changed, one sentence each.
    """

    text: str
    notes: tuple[str, ...] = ()


def read_sentence(raw: str, *, limit_characters: int = LIMIT_CHARACTERS) -> Sentence:
    """Takes in what anybody may have typed or pasted.

    Decomposed letters (Hangul from a Mac's file names, say) are composed, line breaks and runs of
    spaces become one space, invisible characters are left out, and what is longer than
    `limit_characters` is cut at a word.

    Raises:
        SentenceError: nothing is left to read.
    """
    notes: list[str] = []
    text = unicodedata.normalize("NFC", raw[:_RAW_CHARACTERS])
    visible = "".join(character for character in text if not _is_invisible(character))
    if visible != text:
        notes.append("Invisible characters were left out.")
    text = " ".join(visible.split())
    if not text:
        raise SentenceError("There is no sentence here yet: type a few words.")
    if len(text) > limit_characters or len(raw) > _RAW_CHARACTERS:
        text = _cut(text, limit_characters)
        notes.append(f"The text is long: only its first {len(text)} characters are read.")
    return Sentence(text, tuple(notes))


def script(text: str) -> str:
    """The script that most letters of a text belong to: "ko" (Hangul), "latin" or "other"."""
    counts = {"ko": 0, "latin": 0, "other": 0}
    for letter in filter(str.isalpha, text):
        name = unicodedata.name(letter, "")
        kind = "ko" if name.startswith("HANGUL") else "latin" if "LATIN" in name else "other"
        counts[kind] += 1
    return max(counts, key=counts.__getitem__) if any(counts.values()) else "other"


def foreign(text: str, language: str) -> tuple[str, ...]:
    """A word of warning, if a text is not in the script of the language ("ko", "en", "fr")."""
    wanted = "ko" if language == "ko" else "latin"
    if script(text) == wanted or not any(map(str.isalpha, text)):
        return ()
    name = LANGUAGES[language]
    return (f"These models read {name} alone: what they make of this means little.",)


def _is_invisible(character: str) -> bool:
    if character.isspace():
        return False
    return unicodedata.category(character) in _INVISIBLE or ord(character) in _VARIATIONS


def _cut(text: str, limit: int) -> str:
    """At most `limit` characters, ending with a whole word unless the first is longer."""
    if len(text) <= limit:
        return text
    head = text[: limit + 1].rpartition(" ")[0]
    return head or text[:limit]
