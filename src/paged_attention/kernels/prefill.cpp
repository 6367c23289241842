// Paged prefill on a CPU: a tile of queries over the history of their sequence, read in place.
//
// decode.cpp reads each key for the queries of one token. Here neighbouring tokens share it: a tile
// of keys is fetched through the table once, turned so that one instruction meets many keys, and
// multiplied with all queries of the tile while it lies in the nearest cache. The new tokens' own
// keys are in the pool already, so history and new tokens are one loop.
//
// Tiles of keys begin at position 0 wherever a tile of queries begins, and no query looks behind
// its own key. So an answer is the same, to the last digit, in whatever chunks a prompt is computed.

#include "product.h"

#include <memory>
#include <vector>

constexpr int KEYS = 64;  // of a tile
constexpr int MOST_TOKENS = std::max(2, 96 / G);
constexpr int QUERIES = (MOST_TOKENS * G + ROWS - 1) / ROWS * ROWS;  // of a tile, padded
constexpr int PADDED = (D + LANES - 1) / LANES * LANES;

struct Tile {  // neighbouring new tokens of one sequence
  int64_t row, token, count, past;  // the first one's row in q, how many, tokens before them
  int64_t work() const { return count * (past + count); }
};

struct Pools {
  const KV *k, *v;  // one KV head's
  int64_t block_size, block_stride, slot_stride;
};

struct Scratch {  // a thread's tile, as floats. Sums over keys that aren't there find zeros.
  alignas(64) float q[QUERIES][D];
  alignas(64) float keys[D][KEYS];
  alignas(64) float values[KEYS][PADDED];
  alignas(64) float p[ROWS][KEYS];
  alignas(64) float acc[QUERIES][PADDED];
  float m[QUERIES], l[QUERIES];
};

// A tile of keys, turned, and of values. The values are asked for while the keys are turned.
static inline void read(const Pools& pools, const int64_t place[KEYS], int n, Scratch& s) {
  int t = 0;
  for (; t + 4 <= n; t += 4) {
    for (int i = 0; i < 4; i++) fetch(pools.v + place[t + i]);
    const KV* k[4];
    int d = 0;
    for (; d + 4 <= D; d += 4) {
      for (int i = 0; i < 4; i++) k[i] = pools.k + place[t + i] + d;
      turn(k, &s.keys[d][t], KEYS);
    }
    for (; d < D; d++)
      for (int i = 0; i < 4; i++) s.keys[d][t + i] = float(pools.k[place[t + i] + d]);
  }
  for (; t < n; t++)
    for (int d = 0; d < D; d++) s.keys[d][t] = float(pools.k[place[t] + d]);
  for (t = 0; t < n; t++)
    for (int d = 0; d < D; d++) s.values[t][d] = float(pools.v[place[t] + d]);
}

// Scores p of query i become weights, those of the first `seen` keys: it sees none behind its own.
static inline void weigh(float p[KEYS], int i, int seen, Scratch& s) {
  for (int t = seen; t < KEYS; t++) p[t] = -INF;
  Lanes best = load(p);
  for (int t = LANES; t < KEYS; t += LANES) {
    const Lanes other = load(p + t);
    best = best > other ? best : other;
  }
  float higher = s.m[i];
  for (int t = 0; t < LANES; t++) higher = std::max(higher, best[t]);
  const float top = higher == -INF ? 0 : higher;  // -inf - -inf would be NaN
  const float shrink = power_of_two(s.m[i] - top);
  float sum = 0;
  for (int t = 0; t < KEYS; t++) {
    p[t] = power_of_two(p[t] - top);
    sum += p[t];
  }
  s.l[i] = s.l[i] * shrink + sum;
  s.m[i] = higher;
  if (shrink != 1)
    for (int d = 0; d < PADDED; d++) s.acc[i][d] *= shrink;
}

// Queries i to i + ROWS - 1, which lie `past` tokens behind the start of their tile's history, over
// the n keys and values from position start on.
static inline void attend(int i, int64_t past, int64_t start, int n, Scratch& s) {
  int seen[ROWS];
  for (int r = 0; r < ROWS; r++)
    seen[r] = int(std::clamp<int64_t>(past + (i + r) / G + 1 - start, 0, n));
  const int most = seen[ROWS - 1];
  if (most == 0) return;
  std::memset(s.p, 0, sizeof s.p);
  multiply_all(s.q[i], D, s.keys[0], KEYS, D, s.p[0], KEYS, (most + LANES - 1) / LANES * LANES);
  for (int r = 0; r < ROWS; r++) weigh(s.p[r], i + r, seen[r], s);
  multiply_all(s.p[0], KEYS, s.values[0], PADDED, seen[0], s.acc[i], PADDED, PADDED);
  for (int r = 0; r < ROWS; r++)  // values that only some see: 0 times what is behind may be NaN
    for (int t = seen[0]; t < seen[r]; t++)
      for (int d = 0; d < PADDED; d++) s.acc[i + r][d] += s.p[r][t] * s.values[t][d];
}

// The answers of one tile for one KV head: out[token][G][D], out_stride from token to token.
static void walk(const Tile& tile, const Pools& pools, const int64_t* table, const float* q,
                 int64_t q_token_stride, int64_t q_head_stride, float scale, float v_scale,
                 float* out, int64_t out_stride, Scratch& s) {
  const int real = int(tile.count) * G, queries = (real + ROWS - 1) / ROWS * ROWS;
  for (int i = 0; i < queries; i++) {
    s.m[i] = -INF;
    s.l[i] = 0;
    std::fill(s.acc[i], s.acc[i] + PADDED, 0.0f);
    const float* query = q + i / G * q_token_stride + i % G * q_head_stride;
    for (int d = 0; d < D; d++) s.q[i][d] = i < real ? query[d] * scale : 0;
  }
  std::memset(s.keys, 0, sizeof s.keys);
  std::memset(s.values, 0, sizeof s.values);
  const int64_t last = tile.past + tile.count;
  int64_t place[KEYS];
  const auto find_from = [&](int64_t start) {
    return find<KEYS>(table, start, last, pools.block_size, pools.block_stride, pools.slot_stride,
                      place);
  };
  int n = find_from(0);
  for (int64_t start = 0; start < last; start += KEYS) {
    read(pools, place, n, s);
    const int more = find_from(start + KEYS);  // the next keys, asked for between these
    for (int i = 0, asked = 0; i < queries; i += ROWS) {
      for (; asked < more * (i + ROWS) / queries; asked++) fetch(pools.k + place[asked]);
      attend(i, tile.past, start, n, s);
    }
    n = more;
  }
  for (int i = 0; i < real; i++)  // a query without a finite score weighs nothing: zeros
    for (int d = 0; d < D; d++)
      out[i / G * out_stride + i % G * D + d] = s.acc[i][d] / (s.l[i] == 0 ? 1 : s.l[i]) * v_scale;
}

// Every new token in one tile, the most work first, so that no thread begins a long one when the
// others are done. Where there would be too few for all threads, tiles get smaller.
static std::vector<Tile> cut(const int64_t* lengths, const int64_t* starts, int64_t rows,
                             int64_t kv_heads, int64_t threads) {
  std::vector<Tile> tiles;
  for (int64_t most = MOST_TOKENS;; most = (most + 1) / 2) {
    tiles.clear();
    for (int64_t row = 0; row < rows; row++)
      for (int64_t token = starts[row]; token < starts[row + 1]; token += most)
        tiles.push_back({row, token, std::min(most, starts[row + 1] - token),
                         lengths[row] - starts[row + 1] + token});
    if (most * G <= 4 * ROWS || int64_t(tiles.size()) * kv_heads >= 4 * threads) break;
  }
  std::sort(tiles.begin(), tiles.end(),
            [](const Tile& a, const Tile& b) { return a.work() > b.work(); });
  return tiles;
}

// Whether every sequence's new tokens lie in q, one sequence after another, and are its last ones.
static bool starts_fit(const int64_t* starts, const int64_t* lengths, int64_t rows,
                       int64_t new_tokens) {
  if (starts[0] != 0 || starts[rows] != new_tokens) return false;
  for (int64_t row = 0; row < rows; row++)
    if (starts[row + 1] < starts[row] || starts[row + 1] - starts[row] > lengths[row]) return false;
  return true;
}

// q: float, its new tokens one sequence after another; out: [new_tokens, kv_heads * G, D]. starts:
// [rows + 1], where each sequence begins in q. lengths count the new tokens. tables: [rows, width].
// scale: times log2(e), for the weights are powers of two. Returns 0, or 1 when a start, a length
// or a table entry is out of range; then nothing was read and nothing written.
extern "C" int paged_prefill(const float* q, const KV* k_pool, const KV* v_pool,
                             const int64_t* tables, const int64_t* lengths, const int64_t* starts,
                             float* out, int64_t new_tokens, int64_t rows, int64_t kv_heads,
                             int64_t width, int64_t table_stride, int64_t num_blocks,
                             int64_t block_size, int64_t block_stride, int64_t head_stride,
                             int64_t slot_stride, int64_t q_token_stride, int64_t q_head_stride,
                             float scale, float v_scale, int64_t threads) {
  if (!in_range(tables, lengths, rows, width, table_stride, block_size, num_blocks) ||
      !starts_fit(starts, lengths, rows, new_tokens))
    return 1;
  const std::vector<Tile> tiles = cut(lengths, starts, rows, kv_heads, threads);
  int64_t pairs = 0;
  for (const Tile& tile : tiles) pairs += tile.work() * kv_heads;
  threads = std::min(threads, 1 + pairs / 512);  // a thread is worth waking for so many
  const int64_t out_stride = kv_heads * G * D;
#pragma omp parallel num_threads(threads)
  {
    const std::unique_ptr<Scratch> scratch(new Scratch);
#pragma omp for schedule(dynamic)
    for (int64_t i = 0; i < int64_t(tiles.size()) * kv_heads; i++) {
      const Tile& tile = tiles[i / kv_heads];
      const int64_t kv_head = i % kv_heads;
      const Pools pools{k_pool + kv_head * head_stride, v_pool + kv_head * head_stride, block_size,
                        block_stride, slot_stride};
      walk(tile, pools, tables + tile.row * table_stride,
           q + tile.token * q_token_stride + kv_head * G * q_head_stride, q_token_stride,
           q_head_stride, scale, v_scale, out + tile.token * out_stride + kv_head * G * D,
           out_stride, *scratch);
    }
  }
  return 0;
}
