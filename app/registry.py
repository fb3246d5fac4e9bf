"""What pages there are, and the history they tell. Data only: nothing heavy is imported here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

THUMBNAILS = Path(__file__).parent / "content" / "thumbnails"
"""A picture for each page, ``URL.jpg``, drawn by ``python -m app.thumbnails``."""


@dataclass(frozen=True)
class Page:
    """One page of the app.

    Args:
        path: the script, relative to ``app/main.py``.
        url: last part of the address; empty for the page that opens first.
        section: heading in the navigation.
        runs_models: whether the page needs torch, and so a choice of device.
    """

    path: str
    title: str
    icon: str
    url: str
    section: str = ""
    runs_models: bool = True


@dataclass(frozen=True)
class Milestone:
    """One step of the lineage on Home.

    Args:
        line: what was new, in one sentence.
        arxiv: number of the paper at arxiv.org.
        page: url of the page that shows it, "" where there is none yet.
    """

    year: int
    title: str
    line: str
    paper: str
    arxiv: str
    page: str = ""


PAGES = (
    Page("../pages/home.py", "Home", ":material/home:", "", runs_models=False),
    Page("../pages/rnn.py", "RNN to Seq2Seq", ":material/repeat:", "rnn", "Sentences"),
    Page(
        "../pages/seq2seq.py",
        "Seq2Seq with attention",
        ":material/translate:",
        "seq2seq",
        "Sentences",
    ),
    Page("../pages/attention.py", "Attention layer", ":material/hub:", "attention", "Attention"),
    Page("../pages/transformer.py", "Transformer", ":material/stacks:", "transformer", "Attention"),
    Page("../pages/positions.py", "Positions", ":material/waves:", "positions", "Attention"),
    Page("../pages/why.py", "Why self-attention", ":material/speed:", "why", "Attention"),
    Page(
        "../pages/tell.py", "Show, Attend and Tell", ":material/image_search:", "tell", "Pictures"
    ),
    Page("../pages/vit.py", "Vision Transformer", ":material/grid_view:", "vit", "Pictures"),
)

LINEAGE = (
    Milestone(
        2014,
        "Sequence to sequence",
        "One network reads a sentence into one vector, another writes the translation from it.",
        "Sutskever, Vinyals & Le, “Sequence to Sequence Learning with Neural Networks”",
        "1409.3215",
        "rnn",
    ),
    Milestone(
        2015,
        "Attention",
        "The writer may look back at every word read, and decides for each new word where to look.",
        "Bahdanau, Cho & Bengio, “Neural Machine Translation by Jointly Learning to Align and "
        "Translate”",
        "1409.0473",
        "seq2seq",
    ),
    Milestone(
        2015,
        "Show, Attend and Tell",
        "The same idea over a picture: a caption, and the place each of its words came from.",
        "Xu et al., “Show, Attend and Tell: Neural Image Caption Generation with Visual Attention”",
        "1502.03044",
        "tell",
    ),
    Milestone(
        2017,
        "Transformer",
        "No recurrence left: every word looks at every other, in many heads at once.",
        "Vaswani et al., “Attention Is All You Need”",
        "1706.03762",
        "transformer",
    ),
    Milestone(
        2017,
        "pix2pix",
        "A convolutional neighbour: one picture painted into another, judged patch by patch.",
        "Isola, Zhu, Zhou & Efros, “Image-to-Image Translation with Conditional Adversarial "
        "Networks”",
        "1611.07004",
    ),
    Milestone(
        2020,
        "Vision Transformer",
        "A picture cut into patches and read as a sentence of them.",
        "Dosovitskiy et al., “An Image is Worth 16x16 Words”",
        "2010.11929",
        "vit",
    ),
    Milestone(
        2021,
        "Swin Transformer",
        "Attention inside small windows that shift from layer to layer, so that cost stays linear.",
        "Liu et al., “Swin Transformer: Hierarchical Vision Transformer using Shifted Windows”",
        "2103.14030",
    ),
    Milestone(
        2021,
        "MLP-Mixer",
        "Patches again, but mixed by fixed weights: how much of it was attention at all?",
        "Tolstikhin et al., “MLP-Mixer: An all-MLP Architecture for Vision”",
        "2105.01601",
    ),
)


def page_at(url: str) -> Page:
    """The page with this address; LookupError if there is none."""
    for page in PAGES:
        if page.url == url:
            return page
    raise LookupError(f"no page at {url!r}; there are: {', '.join(page.url for page in PAGES)}")
