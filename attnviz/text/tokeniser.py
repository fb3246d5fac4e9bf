"""Byte-pair encoding of a corpus, shared by its two languages.

Neural Machine Translation of Rare Words with Subword Units (Sennrich et al., 2016,
https://arxiv.org/abs/1508.07909), as the package `tokenizers` has it. A word's first piece carries
a mark (SentencePiece's "▁") for the space before it, and decoding gives back what was encoded.
Punctuation, symbols and digits stand alone, so that no piece crosses them.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import tokenizers

from attnviz.text.pieces import Pieces
from attnviz.text.special import END, PAD, SPECIAL, START, UNKNOWN

TOKENISERS = Path(__file__).parents[1] / "assets" / "tokenisers"

LIMIT_PIECES = 64
"""Longest source sequence, in pieces, that a model is given."""

_MARK = "▁"
_SIGNS = rf"[\p{{P}}\p{{S}}&&[^{_MARK}]]"
_UNITS = rf"{_MARK}?(?:{_SIGNS}|\p{{N}}|[^\p{{P}}\p{{S}}\p{{N}}{_MARK}]+)"
_NOWHERE = "\ufffe"  # a non-character: in no text, so in no vocabulary

_Row = tuple[int, str, tuple[int, int], bool]  # a piece's id, text, span, and whether it is known


class Tokeniser:
    """The vocabulary of one corpus: from text to ids and back. Shared freely between threads."""

    def __init__(self, tokenizer: tokenizers.Tokenizer) -> None:
        self._tokenizer = tokenizer
        vocabulary = tokenizer.get_vocab()
        self._pieces = tuple(sorted(vocabulary, key=vocabulary.__getitem__))
        if self._pieces[: len(SPECIAL)] != SPECIAL:
            raise ValueError(f"a vocabulary begins with {SPECIAL}, not {self._pieces[:4]}")

    @classmethod
    def load(cls, name: str) -> Tokeniser:
        """The bundled vocabulary of that name, read once.

        Raises:
            LookupError: there is none; the message names near ones.
        """
        return _load(name)

    def save(self, path: Path) -> None:
        """Writes the vocabulary and its merges as the JSON of the package `tokenizers`."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._tokenizer.to_str(pretty=False) + "\n", encoding="utf-8")

    @property
    def size(self) -> int:
        """Number of pieces, special ones included."""
        return len(self._pieces)

    def encode(self, text: str, limit: int = LIMIT_PIECES) -> Pieces:
        """The pieces of a text as `read_sentence` gives it, at most `limit` of them, no specials.

        Each character that the vocabulary lacks is one unknown piece.
        """
        found = self._tokenizer.encode(text.replace(_MARK, _NOWHERE), add_special_tokens=False)
        rows: list[_Row] = []
        for id, (start, end) in zip(found.ids, found.offsets, strict=True):
            start += text[start:end].startswith(" ")
            end = start if self._pieces[id] == _MARK else end
            if id == UNKNOWN and rows and self._pieces[rows[-1][0]] == _MARK:
                rows.pop()  # the space before an unknown character says nothing
            shown = text[start:end] if id == UNKNOWN else self.piece(id)
            rows.append((id, shown, (start, end), id != UNKNOWN))
        return _pieces(rows[:limit], left_out=max(0, len(rows) - limit))

    def decode(self, ids: Sequence[int]) -> str:
        """The text that ids stand for, up to the first `END`; an unknown piece reads "⁇"."""
        return "".join(self._written(ids)).replace(_MARK, " ").strip(" ")

    def pieces(self, ids: Sequence[int]) -> Pieces:
        """The ids of a translation as pieces of the text `decode(ids)`, without special ones."""
        rows: list[_Row] = []
        end = 0
        kept = _text_ids(ids)
        for id, written in zip(kept, self._written(kept), strict=True):
            marked = written.startswith(_MARK)
            start = end + (marked and end > 0)
            end = start + len(written) - marked
            rows.append((id, self.piece(id), (start, end), id != UNKNOWN))
        return _pieces(rows)

    def piece(self, id: int) -> str:
        """A piece for display, without the mark of a word; a mark alone reads "␣"."""
        piece = self._pieces[id]
        return "␣" if piece == _MARK else piece.removeprefix(_MARK)

    def starts_word(self, id: int) -> bool:
        """Whether a space, or the beginning of the text, comes before the piece."""
        return self._pieces[id].startswith(_MARK)

    def _written(self, ids: Sequence[int]) -> list[str]:
        """Each text piece with its mark."""
        return ["⁇" if id == UNKNOWN else self._pieces[id] for id in _text_ids(ids)]


def train_tokeniser(texts: Iterable[str], size: int) -> Tokeniser:
    """Learns a vocabulary of at most `size` pieces from the sentences of both languages."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token=SPECIAL[UNKNOWN]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Metaspace(_MARK, prepend_scheme="always", split=False),
            tokenizers.pre_tokenizers.Split(tokenizers.Regex(_UNITS), behavior="isolated"),
        ]
    )
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(SPECIAL), show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    # Without its added tokens the tokenizer reads a typed "<unk>" as the characters that it is.
    described = json.loads(tokenizer.to_str()) | {"added_tokens": []}
    return Tokeniser(tokenizers.Tokenizer.from_str(json.dumps(described)))


@cache
def _load(name: str) -> Tokeniser:
    names = sorted(path.stem for path in TOKENISERS.glob("*.json"))
    if name not in names:
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.4) or names
        raise LookupError(f"there is no tokeniser {name!r}; there is {', '.join(near)}")
    text = (TOKENISERS / f"{name}.json").read_text(encoding="utf-8")
    return Tokeniser(tokenizers.Tokenizer.from_str(text))


def _text_ids(ids: Sequence[int]) -> list[int]:
    """Ids up to the first `END`, without `PAD` and `START`."""
    kept = []
    for id in ids:
        if id == END:
            break
        if id not in (PAD, START):
            kept.append(int(id))
    return kept


def _pieces(rows: Sequence[_Row], left_out: int = 0) -> Pieces:
    ids, texts, spans, known = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Pieces(ids, texts, spans, known, left_out)
