"""One step of looking, in three papers: who is query, key and value, and how alike is measured.

=========  ==========================  ===========================  ==============================
           attention layer             translator with attention    Show, Attend and Tell
=========  ==========================  ===========================  ==============================
query      q = W_Q x_t                 decoder state s_t            decoder state h_{t−1}
keys       k_i = W_K x_i               U h_i (MLP score)            U a_i
values     v_i = W_V x_i               encoder states h_i           annotations a_i, grid cells
alike      q·k_i / √d                  vᵀ tanh(W s_t + U h_i)       vᵀ tanh(W h_{t−1} + U a_i)
weights    softmax over the tokens     softmax over the pieces      softmax over the cells
output     Σ α_i v_i                   context c_t = Σ α_i h_i      context ẑ_t = Σ α_i a_i
=========  ==========================  ===========================  ==============================

Vaswani et al. 2017 (arXiv:1706.03762) §3.2; Bahdanau et al. 2015 (arXiv:1409.0473) §3.1; Xu et al.
2015, "Show, Attend and Tell" (arXiv:1502.03044) §3.1.2, §4.2.

    n places · d size of query and keys · v size of a value
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attnviz.captioning import Captioning
from attnviz.layers.transformer import MultiHeadAttention
from attnviz.models.seq2seq_attention import AttentionSeq2Seq
from attnviz.trace import record
from attnviz.translation import Translation


@dataclass(frozen=True)
class Look:
    """One query over n places.

    Args:
        query: (d,); keys: (n, d); values: (n, v).
        scores, weights: (n,), before and after the softmax.
        output: (v,).
    """

    query: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    scores: np.ndarray
    weights: np.ndarray
    output: np.ndarray

    @property
    def row_sum(self) -> float:
        """The sum of the weights, which should be 1."""
        return float(self.weights.sum(dtype=np.float64))

    @property
    def deviation(self) -> float:
        """The largest difference between the output and Σ α_i v_i, computed again in float64."""
        again = self.weights.astype(np.float64) @ self.values.astype(np.float64)
        return float(np.abs(again - self.output).max())


@torch.inference_mode()
def layer_look(layer: MultiHeadAttention, inputs: np.ndarray, token: int, head: int = 0) -> Look:
    """What one head of an attention layer does for one token of a sentence.

    Args:
        inputs: (n, width), positions added if wanted.

    Raises:
        IndexError: there is no such token or head.
    """
    x = torch.from_numpy(inputs)[None]  # (1, n, width)
    with record(layer, "*") as trace:
        layer(x, *layer.keys_values(x))
    names = ("query", "key", "value", "scores", "weights", "context")
    query, key, value, scores, weights, context = (_array(trace[name][0, head]) for name in names)
    return Look(query[token], key, value, scores[token], weights[token], context[token])


@torch.inference_mode()
def translator_look(model: AttentionSeq2Seq, found: Translation, step: int) -> Look:
    """What a translator with attention did at one step of a translation.

    Raises:
        ValueError: the model has no attention.
        IndexError: the translation has no such step.
    """
    if found.weights is None:
        raise ValueError("This translator has no attention to compare.")
    device = next(model.parameters()).device
    states = torch.from_numpy(found.encoder_states).to(device)
    return Look(
        found.stages["decoder_states"][step],
        _array(model.attention.score.keys(states)),
        found.encoder_states,
        found.stages["attention.scores"][step],
        found.weights[step],
        found.stages["attention.context"][step],
    )


def captioner_look(found: Captioning, step: int) -> Look:
    """What a captioner did before one word of its caption; the output is what was seen, ungated.

    Raises:
        IndexError: the caption has no such word.
    """
    before = found.stages["initial_state"][None], found.stages["states"]
    return Look(
        np.concatenate(before)[:-1][step],
        found.stages["keys"],
        found.stages["annotations"],
        found.stages["attention.scores"][step],
        found.stages["attention.weights"][step],
        found.stages["attention.average"][step],
    )


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.float().cpu().numpy()
