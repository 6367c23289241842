// Paged decode attention on a CPU: the walk of twin.py, compiled.
//
// cpu.py builds this file once for each HEAD_DIM, GROUP and KV (the type of a stored number): they
// are constants here, as a Triton kernel's are, so that the compiler knows every inner loop.
//
// A query group walks its sequence's block table and keeps three running values for each of its
// queries: m, the highest score so far; l, the sum of all weights; acc, the sum of all weighted
// values. Nothing of the history is copied.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

// Numbers that C++ has no type for. Each converts itself to float when it is read.
struct bfloat16 {  // the upper half of a float
  uint16_t bits;
  operator float() const {
    const uint32_t wide = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
  }
};
#ifdef HALF  // the rest needs the compiler to know 16-bit floats, which old ones don't
using float16 = _Float16;
static inline float16 half_of(uint16_t bits) {
  float16 value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
struct float8_e5m2 {  // the upper half of a 16-bit float
  uint8_t bits;
  operator float() const { return float(half_of(uint16_t(bits) << 8)); }
};
struct float8_e4m3fn {  // a 16-bit float's digits one place lower, with an exponent 8 too small
  uint8_t bits;
  operator float() const {
    return 256.0f * float(half_of(uint16_t((bits & 0x80) << 8 | (bits & 0x7f) << 7)));
  }
};
#endif

constexpr int D = HEAD_DIM;
constexpr int G = GROUP;
constexpr int TILE = 32;  // tokens whose scores are worked on at a time, whatever the block size
constexpr float INF = std::numeric_limits<float>::infinity();

struct Part {  // what is known of some positions of one sequence
  float m[G], l[G], acc[G][D];
};

// 2 ** x for x <= 0, to about 7 digits; 0 below 2 ** -126. std::exp2 takes one number at a time;
// this takes as many as the processor's registers hold: 2 ** x = 2 ** whole * 2 ** rest, a
// polynomial for the rest.
static inline float power_of_two(float x) {
  x = x < -127.0f ? -127.0f : x;  // whose exponent, 0, makes a scale of 0
  const float whole = std::floor(x + 0.5f);
  const float rest = x - whole;  // -1/2 to 1/2
  float y = 1.535336188319500e-4f;
  y = y * rest + 1.339887440266574e-3f;
  y = y * rest + 9.618437357674640e-3f;
  y = y * rest + 5.550332471162809e-2f;
  y = y * rest + 2.402264791363012e-1f;
  y = y * rest + 6.931472028550421e-1f;
  y = y * rest + 1.0f;
  const int32_t exponent = (int32_t(whole) + 127) << 23;  // the bits of 2 ** whole
  float scale;
  std::memcpy(&scale, &exponent, sizeof scale);
  return y * scale;
}

// Ask for one key or value before it is needed. Blocks lie anywhere, so the processor can't guess
// what comes next; we know. In memory out of its caches this halves the time. One at a time between
// other work, that is: many at once wait for each other, and the work behind them waits too.
static inline void fetch(const KV* x) {
  for (size_t byte = 0; byte < D * sizeof(KV); byte += 64)
    __builtin_prefetch(reinterpret_cast<const char*>(x) + byte);
}

// The places of positions start, start + 1, … in a pool, TILE at most; returns how many there are.
static int find(const int64_t* table, int64_t start, int64_t last, int64_t block_size,
                int64_t block_stride, int64_t slot_stride, int64_t place[TILE]) {
  const int n = int(std::max<int64_t>(0, std::min<int64_t>(TILE, last - start)));
  int64_t index = start / block_size, slot = start % block_size;
  for (int t = 0; t < n; t++) {
    place[t] = table[index] * block_stride + slot * slot_stride;
    if (++slot == block_size) slot = 0, index++;
  }
  return n;
}

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
  int n = find(table, first, last, block_size, block_stride, slot_stride, place);
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
    const int more = find(table, start + TILE, last, block_size, block_stride, slot_stride, ahead);
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

// The parts of one sequence to one scale, added, divided last. Zeros where there is nothing to weigh:
// no tokens at all, or scores that are all -inf.
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

// Whether every length and every table entry that will be used can be right.
static bool in_range(const int64_t* tables, const int64_t* lengths, int64_t rows, int64_t width,
                     int64_t table_stride, int64_t block_size, int64_t num_blocks) {
  for (int64_t row = 0; row < rows; row++) {
    if (lengths[row] < 0 || lengths[row] > width * block_size) return false;
    for (int64_t i = 0; i * block_size < lengths[row]; i++) {
      const int64_t block = tables[row * table_stride + i];
      if (block < 0 || block >= num_blocks) return false;
    }
  }
  return true;
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
