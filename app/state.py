"""Every key of the session and every query parameter, named once.

A widget with ``bind="query-params"`` uses its key as the parameter's name, so these names are what
links look like (``/vit?layer=3&head=5``). They must differ over all pages: Streamlit carries a
bound value to the next page, where another widget of that name would choke on it.

Choices that are no widget's value (the picture, the pinned token, an edit) go through ``linked``
and ``link``. Nothing heavy lives in the session: no tensors, no arrays of weights.
"""

from __future__ import annotations

import re

import streamlit as st

LAST = 10**6  # a layer that ``within`` pulls to the last one


class Shared:
    """What every page knows."""

    DEVICE = "device"
    HALF = "half_precision"
    PICTURE = "picture"  # name of a sample, or OWN
    OWN = "own_picture"  # the visitor's picture, as a ``pictures.Shown``
    UPLOAD = "upload"  # the uploader; a number follows, so that a new one is empty
    UPLOADS = "uploads"  # how many there were
    CAMERA = "camera"
    PROBLEM = "picture_problem"
    FORMAT = "figure_format"
    CORPUS = "corpus"  # what the translators of both sentence pages were trained on
    TEXT = "text"  # the sentence that is translated; empty for the corpus's example
    # not in links
    SENTENCE = "sentence"  # the sentence as it was let in, with its notes
    TEXT_BOX = "text_box"
    TEXT_SEND = "text_send"
    TEXT_PROBLEM = "text_problem"
    CORPUS_PICKER = "corpus_picker"


class Vit:
    """The page "Vision Transformer"."""

    MODEL = "model"
    SIZE = "size"
    VIEW = "view"
    METHOD = "method"
    LAYER = "layer"
    HEAD = "head"
    FUSION = "fusion"
    DISCARD = "discard"
    TARGET = "class"
    SCALE = "scale"
    OPACITY = "opacity"
    DRAWING = "drawing"
    MASS = "mass"
    TOKEN = "token"
    QUERY = "query"
    GRID = "grid"
    SILENCED = "silenced"
    REMOVED = "removed"
    # not in links
    MODEL_PICKER = "vit_model_picker"
    SIZE_PICKER = "vit_size_picker"
    TARGET_PICKER = "vit_target_picker"
    STOP = "vit_stop"
    SHOWN = "vit_shown"  # (model, size) that was last shown without a problem
    LENS = "vit_lens"
    HEAD_LENS = "vit_head_lens"
    WALL = "vit_wall"
    BEFORE = "vit_before"
    AFTER = "vit_after"
    EDIT_WALL = "vit_edit_wall"
    CLICKED = "vit_clicked"  # the patch and the head that were clicked last in the edit view


class Seq2seq:
    """The page "Seq2Seq with attention"."""

    VIEW = "seq_view"
    SCORE = "score"
    UNITS = "units"  # pieces or words on the axes
    DECODING = "decoding"
    TEMPERATURE = "temperature"
    SEED = "seed"
    CELL = "cell"  # the pinned (target, source) pair
    REFERENCE = "reference"  # the translation that the model is forced to write
    FORCED_AT = "forced_at"  # a step of the training, for the model as it was then
    FORCED = "forced"  # rows of weights that replace the model's own
    DRAWN = "drawn"  # the row that can be drawn
    SNAPSHOT = "snapshot"  # a step of the training to look at
    STAGE = "stage"  # of the decoder: the step and the stage of it, as a pair
    WIDTH = "width"  # of the beam
    NORMALISE = "normalise"  # power of the length that the beam's scores are divided by
    PREFIX = "prefix"  # piece ids that the beam's translations begin with
    HYPOTHESIS = "hypothesis"  # rank of the translation whose alignment is shown
    # not in links
    MATRIX = "seq_matrix"
    STEPPER = "seq_stepper"
    BEAM = "seq_beam"
    BEAM_MATRIX = "seq_beam_matrix"
    HYPOTHESES = "seq_hypotheses"
    REFERENCE_BOX = "seq_reference_box"
    FORCED_MATRIX = "seq_forced_matrix"
    FREE_MATRIX = "seq_free_matrix"
    BEFORE = "seq_before"
    AFTER = "seq_after"
    CLICKED = "seq_clicked"  # the cell that was clicked last to force it
    SKETCH = "seq_sketch"
    FILM = "seq_film"


class Rnn:
    """The page "RNN to Seq2Seq"."""

    VIEW = "rnn_view"
    NETWORK = "network"  # kind of the model without attention
    PART = "part"  # of the cell
    ORDER = "units_by"
    UNIT = "unit"
    STEP = "time_step"
    LENGTH = "length"  # steps that gradients go back
    RADIUS = "radius"  # what recurrent matrices are multiplied by
    BIAS = "forget_bias"
    AT = "gradient_of"
    TRAINED = "trained"  # whether trained encoders are drawn too
    MODELS = "models"  # kinds whose scores are compared
    MEASURE = "measure"
    WAY = "each_piece"
    WARMTH = "rnn_temperature"
    DRAW = "rnn_seed"
    BEGINNING = "beginning"  # piece ids that the decoder has to begin with
    # not in links
    NETWORKS = "rnn_networks"
    BEGUN = "rnn_begun"  # what the beginning belongs to
    CHOICES = "rnn_choices"
    TRANSLATED = "rnn_translated"  # held-out sentences asked to be translated, by corpus
    RUNNING = "rnn_running"  # the corpus that is being translated
    START = "rnn_start"
    STOP = "rnn_stop"


class Tell:
    """The page "Show, Attend and Tell"."""

    VIEW = "tell_view"
    SOURCE = "tell_of"  # a composed scene, or a picture
    SCENE = "tell_scene"  # backdrop and objects, as ``scenes.text`` writes them
    LANGUAGE = "tell_in"
    KIND = "tell_attention"  # how the captioner learned where to look
    DRAWING = "tell_drawing"
    STEP = "tell_step"  # the word that is looked at
    STAGE = "tell_stage"  # word and stage of the step player, as a pair
    WORDS = "tell_words"  # ids that the caption has to begin with
    CELLS = "tell_cells"  # step → cells that it has to look at
    SNAPSHOT = "tell_snapshot"
    WIDTH = "tell_width"
    NORMALISE = "tell_normalise"
    HYPOTHESIS = "tell_hypothesis"
    # not in links
    COMPOSER = "tell_composer"
    PLAYER = "tell_player"
    TELLER = "tell_teller"
    BEFORE = "tell_before"
    AFTER = "tell_after"
    NEXT_WORD = "tell_next_word"
    ENGLISH = "tell_english"
    KOREAN = "tell_korean"
    BEAM = "tell_beam"
    HYPOTHESES = "tell_hypotheses"
    BEAM_PLAYER = "tell_beam_player"
    TRAINED = "tell_trained"
    SNAPSHOT_SLIDER = "tell_snapshot_slider"


class Attention:
    """The page "Attention layer"."""

    VIEW = "attn_view"
    FROM = "attn_from"  # where the vectors are taken from
    COUNT = "attn_count"  # of the vectors
    SETUP = "attn_setup"  # vectors, matrices and mask as the visitor left them
    # not in links
    LINKED = "attn_linked"
    MASKED = "attn_masked"


class Studies:
    """The studies of the page "Attention layer"."""

    SIZE = "attn_size"  # of a key
    KEYS = "attn_keys"
    SENTENCE = "attn_example"
    ORDER = "attn_order"
    SHUFFLE = "attn_shuffle"  # which shuffle: a seed
    SHOWN = "attn_matrices"
    START = "attn_start"  # of the trainings: a seed
    HEADS = "attn_heads"
    TOKEN = "attn_token"
    STEP = "attn_step"
    PICTURE = "attn_picture"
    WORD = "attn_word"
    WIDTH = "attn_width"  # of the keys that are measured
    # not in links
    AGAIN = "attn_again"
    MEASURED = "attn_measured"  # lengths that were measured for this visitor, by size of a key
    RUNNING = "attn_running"  # the size of a key that is being measured
    MEASURE = "attn_measure"
    STOP = "attn_stop"


class Transformer:
    """The page "Transformer"."""

    VIEW = "tf_view"
    KIND = "tf_attention"  # encoder, decoder or cross
    UNITS = "tf_units"
    HEAD = "tf_head"  # the picked one, "LAYER.HEAD"
    LAYER = "tf_layer"  # whose cross-attention stands beside the recurrent model's
    WHICH = "tf_which"  # head of that layer, or their mean
    MEASURE = "tf_measure"
    SILENT_KIND = "tf_silence_in"
    SILENT = "tf_silent"  # heads, "KIND.LAYER.HEAD", the kind by its initial
    OFF = "tf_off"  # layers, "STACK.LAYER"
    UNSEEN = "tf_unseen"  # words of the source that nobody may look at
    MASK = "tf_mask"  # the mask that cells are turned over in
    TURNED = "tf_turned"  # those cells
    MASK_LAYER = "tf_mask_layer"
    MASK_HEAD = "tf_mask_head"
    STEP = "tf_step"  # of the writing, and the layer whose heads are shown, as a pair
    STACK = "tf_stack"
    PART = "tf_part"  # of a layer
    DEPTH = "tf_depth"  # which layer
    SUBLAYER = "tf_sublayer"
    RIGHT = "tf_right"  # whether the right piece's probability or its rank is drawn
    # not in links
    WRITER = "tf_writer"
    HEADS = "tf_heads"
    RECURRENT = "tf_recurrent"
    CROSS = "tf_cross"
    SILENT_HEADS = "tf_silent_heads"
    SILENT_CLICKED = "tf_silent_clicked"
    OFF_PILLS = "tf_off_pills"
    UNSEEN_PILLS = "tf_unseen_pills"
    CELLS = "tf_cells"
    CELL_CLICKED = "tf_cell_clicked"


class Mini:
    """The view "Pretrained encoder" of the page "Transformer"."""

    TEXT = "tf_mini_text"
    OTHER = "tf_mini_other"  # the sentence that it is compared with
    UNITS = "tf_mini_units"
    HEAD = "tf_mini_head"
    # not in links
    BOX = "tf_mini_box"
    SEND = "tf_mini_send"
    OTHER_BOX = "tf_mini_other_box"
    PROBLEM = "tf_mini_problem"
    HEADS = "tf_mini_heads"
    FETCH = "tf_mini_fetch"
    STOP = "tf_mini_stop"


class Positions:
    """The page "Positions"."""

    VIEW = "pos_view"
    LENGTH = "pos_n"
    WIDTH = "pos_d"
    PAIR = "pos_pair"  # of components: sine and cosine of one frequency
    AT = "pos_p"
    SHIFT = "pos_k"
    SENTENCE = "pos_sentence"
    MATRIX = "pos_matrix"  # whether positions have a matrix of their own
    HEAD = "pos_head"
    SIDE = "pos_side"  # rows and columns of the grid beyond the trained one
    ROW = "pos_row"
    COLUMN = "pos_column"
    FIXED = "pos_fixed"  # the table that a learned one stands beside
    SHUFFLE = "pos_shuffle"  # which shuffle: a seed
    # not in links
    WAVES = "pos_waves"
    PAIR_SLIDER = "pos_pair_slider"


class Why:
    """The page "Why self-attention"."""

    VIEW = "why_view"
    LENGTH = "why_n"
    WIDTH = "why_d"
    KERNEL = "why_k"
    WINDOW = "why_r"
    COUNT = "why_count"  # the paper's terms, or every multiply-add
    TOKENS = "why_tokens"  # in the drawings of paths
    TAPS = "why_taps"  # kernel in the drawings
    NEAR = "why_near"  # window in the drawings
    DILATED = "why_dilated"
    MEASURED_WIDTH = "why_width"
    LONGEST = "why_longest"
    PASSES = "why_passes"
    # not in links
    RUNNING = "why_running"  # (setup, longest, since when) that is being measured
    START = "why_start"
    STOP = "why_stop"


def linked(name: str, default: str = "") -> str:
    """A choice that is no widget's: first read from the address, then kept for the session."""
    if name not in st.session_state:
        st.session_state[name] = st.query_params.get(name, default)
    return st.session_state[name]


def link(name: str, value: str, default: str = "") -> None:
    """Make a choice and write it into the address; the default leaves the address."""
    st.session_state[name] = value
    publish(name, default)


def publish(name: str, default: str = "") -> None:
    """Write a choice into the address again: changing pages clears it."""
    value = st.session_state.get(name, default)
    if value == default:
        if name in st.query_params:
            del st.query_params[name]
    elif st.query_params.get(name) != value:
        st.query_params[name] = value


def within(name: str, low: int, high: int) -> None:
    """Pull a number into a range that has shrunk, before its widget meets it."""
    value = st.session_state.get(name)
    if isinstance(value, int) and not low <= value <= high:
        st.session_state[name] = min(max(value, low), high)


def among(name: str, options: list[str]) -> None:
    """Forget a choice that is no longer offered, before its widget meets it."""
    if st.session_state.get(name, options[0]) not in options:
        del st.session_state[name]


def pairs(text: str) -> tuple[tuple[int, int], ...]:
    """``"3.5-0.1"`` → ((3, 5), (0, 1)); what is no such pair is left out."""
    found = (re.fullmatch(r"(\d{1,3})\.(\d{1,3})", part) for part in text.split("-"))
    return tuple((int(match[1]), int(match[2])) for match in found if match)


def numbers(text: str) -> tuple[int, ...]:
    """``"17-203"`` → (17, 203); what is no number is left out."""
    return tuple(int(part) for part in text.split("-") if re.fullmatch(r"\d{1,6}", part))


def about(subject: str, *names: str) -> None:
    """Forget choices that were made about another subject; those of a link are about this one."""
    memory = f"{names[0]}_subject"
    if st.session_state.get(memory, subject) != subject:
        for name in names:
            link(name, "")
    st.session_state[memory] = subject


Rows = dict[int, dict[int, int]]
"""Row → column → weight, 1 to 100; weights of a row are relative to each other."""


def rows(text: str) -> Rows:
    """``"3.5-4.2_70.6_30"`` → {3: {5: 100}, 4: {2: 70, 6: 30}}; what is no row is left out."""
    found: Rows = {}
    for part in text.split("-"):
        if re.fullmatch(r"\d{1,3}(\.\d{1,3}(_\d{1,3})?)+", part):
            row, *cells = part.split(".")
            places = (cell.partition("_") for cell in cells)
            weights = {int(column): int(weight or 100) for column, _, weight in places}
            found[int(row)] = {c: min(weight, 100) for c, weight in weights.items() if weight}
    return {row: weights for row, weights in found.items() if weights}


def rows_text(rows: Rows) -> str:
    """What ``rows`` reads."""
    return "-".join(
        f"{row}." + ".".join(f"{c}_{w}" if w != 100 else str(c) for c, w in sorted(cells.items()))
        for row, cells in sorted(rows.items())
    )
