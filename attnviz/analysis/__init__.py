"""What attention weights say: rollout, relevance, distances, entropies, maps.

Arrays in, arrays out: it works on weights from any model. Letters in shapes:
``L`` layers, ``h`` heads, ``q`` query tokens, ``k`` key tokens, ``…`` any leading axes.
"""

from attnviz.analysis.alignment import argmax_accuracy, length_bins, merge_pieces
from attnviz.analysis.attention import (
    Shares,
    attention_gradient,
    class_map,
    entropy,
    fuse_heads,
    head_distance,
    mass_set,
    query_map,
    relevance,
    rollout,
    shares,
)
from attnviz.analysis.counting import bleu, wilson
from attnviz.analysis.filters import principal_filters
from attnviz.analysis.habits import HABITS, habits
from attnviz.analysis.maps import upsample
from attnviz.analysis.order import linked_places, writing_lags
from attnviz.analysis.positions import (
    ByOffset,
    by_offset,
    cosine_tiles,
    frequencies,
    rotate,
    rotations,
)
from attnviz.analysis.sublayers import SUBLAYERS, Sublayer, standardised, sublayers

__all__ = [
    "HABITS",
    "SUBLAYERS",
    "ByOffset",
    "Shares",
    "Sublayer",
    "argmax_accuracy",
    "attention_gradient",
    "bleu",
    "by_offset",
    "class_map",
    "cosine_tiles",
    "entropy",
    "frequencies",
    "fuse_heads",
    "habits",
    "head_distance",
    "length_bins",
    "linked_places",
    "mass_set",
    "merge_pieces",
    "principal_filters",
    "query_map",
    "relevance",
    "rollout",
    "rotate",
    "rotations",
    "shares",
    "standardised",
    "sublayers",
    "upsample",
    "wilson",
    "writing_lags",
]
