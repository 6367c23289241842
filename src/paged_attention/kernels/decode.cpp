// Paged decode attention on a CPU: the walk of twin.py, compiled.
//
// cpu.py builds this file once for each HEAD_DIM, GROUP and KV (the type of a stored number): they
// are constants here, as a Triton kernel's are, so that the compiler knows every inner loop.
//
// A query group walks its sequence's block table and keeps three running values for each of its
// queries: m, the highest score so far; l, the sum of all weights; acc, the sum of all weighted
// values. Nothing of the history is copied.

#include "paged.h"

#include <numeric>
#include <vector>

constexpr int TILE = 32;  // tokens whose scores are worked on at a time, whatever the block size

struct Part {  // what is known of some positions of one sequence
  float m[G], l[G], acc[G][D];
};

// Positions first to last - 1 of one sequence, read through its table.
static void walk(const float query[G][D], const KV* k_pool, const KV* v_pool, const int64_t* table,
                 int64_t first, int64_t last, int64_t block_size, int64_t block_stride,
                 int64_t slot_stride, Part& part) {
  float m[G], l[G], acc[G][D], p[G][TILE];
  int64_t place[TILE], ahead[TILE];
  for (int g = 0; g < G; g++) {
    m[g] = -INF;
    l[g] = 0;
    for (int d = 0; d < D; d++) acc[g][d] = 0;
  }
  int n = find<TILE>(table, first, last, block_size, block_stride, slot_stride, place);
  for (int64_t start = first; start < last; start += TILE) {
    for (int t = 0; t < n; t++) {  // scores: each key is read once for the whole group
      fetch(v_pool + place[t]);
      const KV* k = k_pool + place[t];
      for (int g = 0; g < G; g++) {
        float score = 0;
        for (int d = 0; d < D; d++) score += query[g][d] * float(k[d]);
        p[g][t] = score;
      }
    }
    for (int g = 0; g < G; g++) {  // scores become weights, and what came before shrinks to scale
      std::fill(p[g] + n, p[g] + TILE, -INF);  // loops of one known length are the fastest
      float higher = m[g];
      for (int t = 0; t < TILE; t++) higher = std::max(higher, p[g][t]);
      // A key may hold -inf, and a whole tile of scores with it: -inf - -inf would be NaN.
      const float top = higher == -INF ? 0 : higher;
      const float shrink = power_of_two(m[g] - top);
      float sum = 0;
      for (int t = 0; t < TILE; t++) {
        p[g][t] = power_of_two(p[g][t] - top);
        sum += p[g][t];
      }
      l[g] = l[g] * shrink + sum;
      for (int d = 0; d < D; d++) acc[g][d] *= shrink;
      m[g] = higher;
    }
    const int more =
        find<TILE>(table, start + TILE, last, block_size, block_stride, slot_stride, ahead);
    for (int t = 0; t < n; t++) {  // values, and the next tile's keys are asked for
      if (t < more) fetch(k_pool + ahead[t]);
      const KV* v = v_pool + place[t];
      for (int g = 0; g < G; g++)
        for (int d = 0; d < D; d++) acc[g][d] += p[g][t] * float(v[d]);
    }
    std::copy(ahead, ahead + more, place);
    n = more;
  }
  std::memcpy(part.m, m, sizeof m);
  std::memcpy(part.l, l, sizeof l);
  std::memcpy(part.acc, acc, sizeof acc);
}

// The parts of one sequence to one scale, added, divided last. Zeros where there is nothing to
// weigh: no tokens at all, or scores that are all -inf.
static void merge(const Part* parts, int64_t splits, float v_scale, float* out) {
  for (int g = 0; g < G; g++) {
    float m = -INF, l = 0, acc[D] = {};
    for (int64_t s = 0; s < splits; s++) m = std::max(m, parts[s].m[g]);
    for (int64_t s = 0; s < splits; s++) {
      const float weight = parts[s].m[g] == -INF ? 0 : std::exp2(parts[s].m[g] - m);
      l += weight * parts[s].l[g];
      for (int d = 0; d < D; d++) acc[d] += weight * parts[s].acc[g][d];
    }
    for (int d = 0; d < D; d++) out[g * D + d] = acc[d] / (l == 0 ? 1 : l) * v_scale;
  }
}

// q, out: float [rows, kv_heads * G, D]. tables: [rows, width]. scale: times log2(e), for the
// weights are powers of two. Returns 0, or 1 when a length or a table entry is out of range; then
// nothing was read and nothing written.
extern "C" int paged_decode(const float* q, const KV* k_pool, const KV* v_pool,
                            const int64_t* tables, const int64_t* lengths, float* out,
                            int64_t rows, int64_t kv_heads, int64_t width, int64_t table_stride,
                            int64_t num_blocks, int64_t block_size, int64_t block_stride,
                            int64_t head_stride, int64_t slot_stride, float scale, float v_scale,
                            int64_t threads) {
  if (!in_range(tables, lengths, rows, width, table_stride, block_size, num_blocks)) return 1;
  // Few sequences can't keep every processor busy whole: they are read in parts of 256 tokens or
  // more, which are merged when all are there.
  const int64_t groups = rows * kv_heads;
  // A thread is worth waking for a few hundred keys, not for fewer.
  const int64_t keys = std::accumulate(lengths, lengths + rows, int64_t(0)) * kv_heads;
  threads = std::min(threads, 1 + keys / 256);
  const int64_t longest = *std::max_element(lengths, lengths + rows);
  const int64_t splits = std::max<int64_t>(1, std::min(4 * threads / groups, longest / 256));
  std::vector<Part> parts(groups * splits);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (int64_t i = 0; i < groups * splits; i++) {
    const int64_t row = i / splits / kv_heads, kv_head = i / splits % kv_heads;
    const int64_t span = (lengths[row] + splits - 1) / splits;
    const int64_t first = std::min(i % splits * span, lengths[row]);
    float query[G][D];
    for (int g = 0; g < G; g++)
      for (int d = 0; d < D; d++) query[g][d] = q[(i / splits * G + g) * D + d] * scale;
    walk(query, k_pool + kv_head * head_stride, v_pool + kv_head * head_stride,
         tables + row * table_stride, first, std::min(first + span, lengths[row]), block_size,
         block_stride, slot_stride, parts[i]);
    if (splits == 1) merge(&parts[i], 1, v_scale, out + i * G * D);
  }
  for (int64_t i = 0; splits > 1 && i < groups; i++)
    merge(&parts[i * splits], splits, v_scale, out + i * G * D);
  return 0;
}
