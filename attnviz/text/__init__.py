"""Sentences that strangers type, and the pieces that models read and write.

A source sequence is its pieces and `END`; a target sequence begins with `START` as well.
"""

from attnviz.text.pieces import Pieces
from attnviz.text.sentence import (
    LANGUAGES,
    Sentence,
    SentenceError,
    foreign,
    read_sentence,
    script,
)
from attnviz.text.special import END, PAD, SPECIAL, START, UNKNOWN
from attnviz.text.tokeniser import Tokeniser, train_tokeniser
from attnviz.text.wordpiece import WordPiece
from attnviz.text.words import Words

__all__ = [
    "END",
    "LANGUAGES",
    "PAD",
    "SPECIAL",
    "START",
    "UNKNOWN",
    "Pieces",
    "Sentence",
    "SentenceError",
    "Tokeniser",
    "WordPiece",
    "Words",
    "foreign",
    "read_sentence",
    "script",
    "train_tokeniser",
]
