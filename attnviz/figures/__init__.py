"""Figures: arrays in, ``plotly.graph_objects.Figure`` out.

Backgrounds are transparent and text takes the colour of the page that shows the figure, so each
works on light and on dark. Layers, heads, tokens, rows and columns count from 0.
"""

from attnviz.figures.complexity import (
    cost_by_length,
    information_path,
    measured_by_length,
)
from attnviz.figures.depth import entropy, head_distance
from attnviz.figures.labels import data_path, labels_bar, labels_change
from attnviz.figures.layers import by_position, next_pieces, right_by_layer
from attnviz.figures.matrix import token_matrix
from attnviz.figures.picture import attention_map
from attnviz.figures.positions import (
    Grid,
    by_offset,
    place_map,
    position_matrix,
    rotation_circle,
    rotation_clocks,
    wavelengths,
)
from attnviz.figures.recurrence import (
    Score,
    gradient_reach,
    lag_by_place,
    piece_chances,
    score_by_length,
    unit_over_time,
)
from attnviz.figures.sequence import by_step, word_losses
from attnviz.figures.walls import cosine_tiles, filters, head_shares, head_wall

__all__ = [
    "Grid",
    "Score",
    "attention_map",
    "by_offset",
    "by_position",
    "by_step",
    "cosine_tiles",
    "cost_by_length",
    "data_path",
    "entropy",
    "filters",
    "gradient_reach",
    "head_distance",
    "head_shares",
    "head_wall",
    "information_path",
    "labels_bar",
    "labels_change",
    "lag_by_place",
    "measured_by_length",
    "next_pieces",
    "piece_chances",
    "place_map",
    "position_matrix",
    "right_by_layer",
    "rotation_circle",
    "rotation_clocks",
    "score_by_length",
    "token_matrix",
    "unit_over_time",
    "wavelengths",
    "word_losses",
]
