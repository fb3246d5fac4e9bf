"""A text in the pieces of a vocabulary, and the words that they make up."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True)
class Pieces:
    """A text as pieces of a vocabulary, without start and end.

    Attributes:
        ids: of the pieces.
        texts: what each stands for; of an unknown one the characters as they were typed.
        spans: start and end of each in the text, spaces left out.
        known: whether the vocabulary has it.
        left_out: number of pieces beyond the limit, which are not here.
    """

    ids: tuple[int, ...]
    texts: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    known: tuple[bool, ...]
    left_out: int = 0

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about pieces left out or unknown, one sentence each."""
        notes = []
        if self.left_out:
            notes.append(f"The sentence is long: only its first {len(self)} pieces are read.")
        unknown = [text for text, known in zip(self.texts, self.known, strict=True) if not known]
        if unknown:
            shown = " ".join(dict.fromkeys(unknown))
            notes.append(f"This model was never shown: {_shortened(shown)}")
        return tuple(notes)

    def words(self) -> list[list[int]]:
        """Indices of the pieces of each word; a word ends at a space or beside punctuation."""
        words: list[list[int]] = []
        end, closed = 0, True
        for index, ((start, stop), text) in enumerate(zip(self.spans, self.texts, strict=True)):
            mark = start == stop  # the mark of a word, alone: whatever follows belongs to it
            sign = not mark and _is_sign(text)
            after_mark = index > 0 and self.spans[index - 1] == (start, start)
            if after_mark or not (closed or sign or start > end):
                words[-1].append(index)
            else:
                words.append([index])
            end, closed = stop, sign
        return words


def _is_sign(text: str) -> bool:
    """Whether a text is punctuation or symbols throughout."""
    return bool(text) and all(unicodedata.category(character)[0] in "PS" for character in text)


def _shortened(text: str, limit: int = 40) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
