"""WordPiece: the pieces that BERT and its relatives read.

Devlin et al. 2018, https://arxiv.org/abs/1810.04805, after Wu et al. 2016,
https://arxiv.org/abs/1609.08144, as the package `tokenizers` has it. A word is cut into the longest
pieces that the vocabulary has, from its beginning on; all but the first are written "##…".
Capitals and accents are lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import tokenizers

from attnviz.text.pieces import Pieces
from attnviz.text.tokeniser import LIMIT_PIECES

CLS, SEP, UNK = "[CLS]", "[SEP]", "[UNK]"


class WordPiece:
    """A vocabulary of pieces. Shared freely between threads.

    Attributes:
        start, end: ids of [CLS] and [SEP], which stand around a sentence.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        """From the pieces in the order of their ids.

        Raises:
            ValueError: [CLS], [SEP] or [UNK] is not among them.
        """
        ids = {piece: id for id, piece in enumerate(vocabulary)}
        if missing := {CLS, SEP, UNK} - ids.keys():
            raise ValueError(f"the vocabulary lacks {', '.join(sorted(missing))}")
        self._pieces = tuple(vocabulary)
        self.start, self.end, self._unknown = ids[CLS], ids[SEP], ids[UNK]
        # No added tokens: a typed "[SEP]" is the three signs and letters that it is.
        self._tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(ids, unk_token=UNK))
        self._tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
        self._tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()

    @classmethod
    def read(cls, path: Path) -> WordPiece:
        """The vocabulary in a file: a piece a line."""
        return cls(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))

    @property
    def size(self) -> int:
        """Number of pieces, special ones included."""
        return len(self._pieces)

    def encode(self, text: str, limit: int = LIMIT_PIECES) -> Pieces:
        """The pieces of a text as `read_sentence` gives it, at most `limit`, no [CLS] and [SEP].

        A word that no pieces make up is one unknown piece.
        """
        found = self._tokenizer.encode(text, add_special_tokens=False)
        ids, spans = tuple(found.ids[:limit]), tuple(found.offsets[:limit])
        known = tuple(id != self._unknown for id in ids)
        texts = tuple(
            self._pieces[id] if has else text[slice(*span)]
            for id, span, has in zip(ids, spans, known, strict=True)
        )
        return Pieces(ids, texts, spans, known, left_out=max(0, len(found.ids) - limit))
