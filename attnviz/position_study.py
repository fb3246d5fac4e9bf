"""How positions enter attention, with the tensors of real models. Arrays come back.

Vaswani et al. 2017, "Attention Is All You Need" (arXiv:1706.03762), section 3.5: positions are
added to the embeddings. Beside it: concatenation, the four terms of a score (Ke et al. 2021,
"Rethinking Positional Encoding in Language Pre-training", arXiv:2006.15595, equation 6), and what
an encoder makes of shuffled tokens.

    n tokens · d width · h heads · e = d/h
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from attnviz.layers.positions import sinusoid, sinusoid_2d
from attnviz.layers.transformer import EncoderLayer, LayerConfig, MultiHeadAttention
from attnviz.models.transformer import Transformer, TransformerConfig
from attnviz.trace import record

TERMS = ("content–content", "content–position", "position–content", "position–position")
"""Terms of a score: whose query, whose key."""


def table(length: int, width: int, first: int = 0) -> np.ndarray:
    """The sinusoids of positions first … first + length − 1, (length, d) float32."""
    return _array(sinusoid(length, width, first))


def table_2d(rows: int, cols: int, width: int) -> np.ndarray:
    """Fixed 2-D sinusoids, (rows·cols, d) float32."""
    return _array(sinusoid_2d(rows, cols, width))


@dataclass(frozen=True)
class Joined:
    """One linear layer over what a token is and where it is.

    Args:
        content: W_x x; position: W_p p; joined: [W_x W_p] [x; p]: (n, d) each.
        queries: (n, d) of the model itself, which adds.
    """

    content: np.ndarray
    position: np.ndarray
    joined: np.ndarray
    queries: np.ndarray

    @property
    def deviation(self) -> float:
        """Largest difference of W [x; p] from W_x x + W_p p."""
        return float(np.abs(self.joined - (self.content + self.position)).max())

    @property
    def from_model(self) -> float:
        """Largest difference of W [x; p] from the model's own queries."""
        return float(np.abs(self.joined - self.queries).max())


@torch.inference_mode()
def join(model: Transformer, ids: Sequence[int], *, own: bool, seed: int = 0) -> Joined:
    """The queries of the first encoder layer, had positions been concatenated.

    Args:
        own: positions have a matrix of their own, random, as large as W_Q; else W_Q once more,
            which is what adding comes to.

    Raises:
        ValueError: the model has no positions, or normalises before its first layer.
    """
    x, p = _parts(model, ids)
    attention = _first(model)
    w_x, bias = attention.w_q.weight, attention.w_q.bias
    w_p = _like(w_x, seed) if own else w_x
    joined = F.linear(torch.cat([x, p], 1), torch.cat([w_x, w_p], 1), bias)  # (n, d)
    with record(model, "encoder.layers.0.self_attn.query") as trace:
        model.encode(torch.tensor([list(ids)]))
    (query,) = trace["encoder.layers.0.self_attn.query"]  # (h, n, e)
    return Joined(
        _array(F.linear(x, w_x, bias)),
        _array(F.linear(p, w_p)),
        _array(joined),
        _array(query.transpose(0, 1).flatten(1)),
    )


class Cost(NamedTuple):
    """What a way of telling positions costs in an encoder.

    Args:
        width: numbers a token in the layers.
        first: parameters of W_Q, W_K and W_V in the first layer; stack: of all layers.
    """

    width: int
    first: int
    stack: int


def costs(model: Transformer) -> dict[str, Cost]:
    """Parameters of an encoder like the model's, counted on the modules themselves.

    *Once*: the first layer's three matrices read [x; p]. *Kept*: all layers are twice as wide.
    """
    cfg = model.cfg
    first = 3 * cfg.width**2
    stack = cfg.layers * _numbers(cfg.width, cfg.heads, cfg.hidden)
    double = cfg.layers * _numbers(2 * cfg.width, cfg.heads, 2 * cfg.hidden)
    return {
        "added": Cost(cfg.width, first, stack),
        "concatenated once": Cost(cfg.width, 2 * first, stack + first),
        "concatenated, kept": Cost(2 * cfg.width, 4 * first, double),
    }


@dataclass(frozen=True)
class Terms:
    """Scores of the first layer, taken apart.

    Args:
        terms: (4, h, n, n) in the order of ``TERMS``; scores: (h, n, n) the model's own.
    """

    terms: np.ndarray
    scores: np.ndarray

    @property
    def deviation(self) -> float:
        """Largest difference of the terms' sum from the model's scores."""
        return float(np.abs(self.terms.sum(0) - self.scores).max())

    @property
    def spread(self) -> np.ndarray:
        """(4, h): by how much a term varies along a row, root mean square.

        What is the same for all keys of a query does not change its softmax, and does not count.
        """
        return np.sqrt(self.terms.var(-1, dtype=np.float64).mean(-1))


@torch.inference_mode()
def score_terms(model: Transformer, ids: Sequence[int]) -> Terms:
    """(x + p) W_Q W_Kᵀ (x + p)ᵀ / √e of the first encoder layer, multiplied out.

    Raises:
        ValueError: the model has no positions, or normalises before its first layer.
    """
    x, p = _parts(model, ids)
    attention = _first(model)

    def split(y: Tensor) -> Tensor:
        return y.unflatten(1, (attention.heads, -1)).transpose(0, 1)  # (h, n, e)

    queries = [split(attention.w_q(x)), split(F.linear(p, attention.w_q.weight))]
    keys = [split(attention.w_k(x)), split(F.linear(p, attention.w_k.weight))]
    scale = queries[0].shape[-1] ** -0.5
    terms = torch.stack([scale * query @ key.mT for query in queries for key in keys])
    with record(model, "encoder.layers.0.self_attn.scores") as trace:
        model.encode(torch.tensor([list(ids)]))
    return Terms(_array(terms), _array(trace["encoder.layers.0.self_attn.scores"][0]))


@dataclass(frozen=True)
class Moved:
    """An encoder's outputs before and after its tokens changed places.

    Args:
        order: (n,) the token that each place holds after the shuffle.
        before, after: (n, d), a row a place.
    """

    order: np.ndarray
    before: np.ndarray
    after: np.ndarray

    @property
    def distances(self) -> np.ndarray:
        """(n, n): how far each token's output of before (rows) is from each place's of after."""
        return np.linalg.norm(self.before[:, None] - self.after, axis=-1)

    @property
    def deviation(self) -> float:
        """Largest difference once the rows of after are put back."""
        return float(np.abs(self.after - self.before[self.order]).max())


@torch.inference_mode()
def shuffle(
    model: Transformer, ids: Sequence[int], order: Sequence[int], *, positions: bool
) -> Moved:
    """The whole encoder over a sentence and over the same tokens in another order, in float64.

    Args:
        order: the token that each place gets, each once.
        positions: add the model's positions to the places, as it was trained; or nothing.

    Raises:
        ValueError: the order is no permutation of the tokens.
    """
    if sorted(order) != list(range(len(ids))):
        raise ValueError(f"order {list(order)} should name each of the {len(ids)} tokens once")
    double = copy.deepcopy(model).double()
    x = double.embed(torch.tensor(ids)) * double.cfg.width**0.5  # (n, d)
    pair = torch.stack([x, x[list(order)]])  # (2, n, d)
    places = double.position_table(len(ids)) if positions else None
    if places is not None:
        pair = pair + places
    before, after = double.encoder(pair, torch.ones(pair.shape[:2], dtype=torch.bool))
    return Moved(np.array(order), before.numpy(), after.numpy())


def refusal(longest: int) -> str:
    """What a model with learned positions says, asked for one more than it has."""
    sizes = {"width": 2, "heads": 1, "hidden": 1, "vocabulary": 1, "layers": 1}
    model = Transformer(TransformerConfig(**sizes, positions="learned", longest=longest))  # type: ignore[arg-type]
    try:
        model.position_table(longest + 1)
    except ValueError as error:
        return str(error)
    raise AssertionError("a learned table has an end")


def _parts(model: Transformer, ids: Sequence[int]) -> tuple[Tensor, Tensor]:
    """What the first layer adds up: √d · embeddings and positions, (n, d) each."""
    places = model.position_table(len(ids))
    if places is None or model.cfg.pre_norm:
        raise ValueError("a score has terms where positions are added and nothing normalises them")
    x = model.embed(torch.tensor(ids)) * model.cfg.width**0.5
    return x, places.to(x)


def _first(model: Transformer) -> MultiHeadAttention:
    return cast(EncoderLayer, model.encoder.layers[0]).self_attn


def _numbers(width: int, heads: int, hidden: int) -> int:
    with torch.device("meta"):
        layer = EncoderLayer(LayerConfig(width, heads, hidden))
    return sum(weight.numel() for weight in layer.parameters())


def _like(weight: Tensor, seed: int) -> Tensor:
    """A random matrix of a matrix's shape and size."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(weight.shape, generator=generator) * weight.std()


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.float().cpu().numpy()
