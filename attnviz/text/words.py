"""A vocabulary of whole words, for captions: all that they can say is known beforehand."""

from __future__ import annotations

from collections.abc import Sequence

from attnviz.text.special import END, SPECIAL, UNKNOWN


class Words:
    """Words and their ids; the first word follows the special ones.

    Raises:
        ValueError: a word is there twice, or is none.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._ids = {word: len(SPECIAL) + number for number, word in enumerate(self.words)}
        if len(self._ids) != len(self.words) or not all(map(str.split, self.words)):
            raise ValueError("a vocabulary needs words, each of them once")

    def __contains__(self, word: str) -> bool:
        return word in self._ids

    @property
    def size(self) -> int:
        """How many ids there are, special ones included."""
        return len(SPECIAL) + len(self.words)

    def id(self, word: str) -> int:
        """The id of a word, or that of the unknown."""
        return self._ids.get(word, UNKNOWN)

    def encode(self, words: Sequence[str]) -> tuple[int, ...]:
        """Ids of a caption, without END."""
        return tuple(map(self.id, words))

    def word(self, id: int) -> str:
        """What an id is shown as."""
        return (*SPECIAL, *self.words)[id]

    def decode(self, ids: Sequence[int]) -> str:
        """The caption, up to END."""
        kept = ids[: ids.index(END)] if END in ids else ids
        return " ".join(self.word(id) for id in kept)
