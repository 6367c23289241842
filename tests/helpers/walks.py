"""Walks as a reader might write them."""

import numpy as np

NAIVE = """{
  for (int g = 0; g < G; g++) {
    float m = -INF, l = 0, acc[D] = {};
    for (int64_t p = 0; p < length; p++) {
      int64_t at = table[p / block_size] * block_stride + p % block_size * D;
      float score = 0;
      for (int d = 0; d < D; d++) score += q[g][d] * k_pool[at + d];
      float higher = std::max(m, score), shrink = std::exp2(m - higher);
      float w = std::exp2(score - higher);
      l = l * shrink + w;
      for (int d = 0; d < D; d++) acc[d] = acc[d] * shrink + w * v_pool[at + d];
      m = higher;
    }
    for (int d = 0; d < D; d++) out[g][d] = l > 0 ? acc[d] / l : 0;
  }
}"""


def by_block(q, k_pool, v_pool, table, length, block_size):
    m, total, acc = np.full(len(q), -np.inf), np.zeros(len(q)), np.zeros_like(q)
    for index, block in enumerate(table):
        n = min(block_size, length - index * block_size)
        scores = q @ k_pool[block, :n].T
        higher = np.maximum(m, scores.max(1))
        shrink, weights = np.exp2(m - higher), np.exp2(scores - higher[:, None])
        total = total * shrink + weights.sum(1)
        acc = acc * shrink[:, None] + weights @ v_pool[block, :n]
        m = higher
    return acc / np.where(total > 0, total, 1)[:, None]
