// y = x W^T + b for a few tokens: every weight is read from memory once, and by all threads.
//
// linear.py builds this file once for each NUMBER, the type of weights and tokens. A step of one
// token reads every weight of the model and uses each once, so it can be no faster than memory.
// Here each thread has its share of the rows of W and reads one after the other as they lie there:
// the processor sees what comes next and fetches it in time.
//
// A sum is always taken in one order: into two registers in turn, these together, then halves onto
// halves. So a token's result is the same to the last digit, whatever other tokens are in the step
// and however many threads there are.

#include "numbers.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <type_traits>
#include <vector>

constexpr int TURNS = 2;                // registers that a sum alternates between
constexpr int TOKENS = 4, OUTPUTS = 4;  // of a tile: its 16 sums stay in registers

// The n numbers from x as floats in `width` registers, zeros behind them.
static void widen(const NUMBER* x, int64_t n, Lanes* wide, int64_t width) {
  const int64_t whole = n / LANES;
  for (int64_t i = 0; i < whole; i++) wide[i] = load(x + i * LANES);
  for (int64_t i = whole; i < width; i++) {
    NUMBER last[LANES] = {};
    std::copy_n(x + i * LANES, std::max<int64_t>(n - i * LANES, 0), last);
    wide[i] = load(last);
  }
}

// The sum of all lanes.
static inline float total(Lanes sums) {
  typedef float Four __attribute__((vector_size(4 * sizeof(float))));
  Four parts[LANES / 4];
  std::memcpy(parts, &sums, sizeof parts);
  for (int half = LANES / 8; half > 0; half /= 2)
    for (int i = 0; i < half; i++) parts[i] += parts[i + half];
  return (parts[0][0] + parts[0][2]) + (parts[0][1] + parts[0][3]);
}

// T tokens, `width` registers each, times one row of W as it lies in memory.
template <int T>
static inline void row(const Lanes* x, int64_t width, const NUMBER* w, int64_t in, float y[T]) {
  Lanes sums[TURNS][T] = {};
  const int64_t whole = in / (TURNS * LANES) * TURNS;
  for (int64_t i = 0; i < whole; i += TURNS)
    for (int turn = 0; turn < TURNS; turn++) {
      const Lanes weights = load(w + (i + turn) * LANES);
      for (int t = 0; t < T; t++) sums[turn][t] += x[t * width + i + turn] * weights;
    }
  if (whole < width) {  // the last few, beside zeros
    Lanes weights[TURNS];
    widen(w + whole * LANES, in - whole * LANES, weights, TURNS);
    for (int turn = 0; turn < TURNS; turn++)
      for (int t = 0; t < T; t++) sums[turn][t] += x[t * width + whole + turn] * weights[turn];
  }
  for (int t = 0; t < T; t++) y[t] = total(sums[0][t] + sums[1][t]);
}

// T tokens times OUTPUTS rows of W that are floats and near. Meanwhile `ahead` of the `next` rows
// are asked for: while a processor computes, memory should not rest.
template <int T>
static inline void tile(const Lanes* x, int64_t width, const Lanes* w, const NUMBER* next,
                        int ahead, int64_t in, float y[T][OUTPUTS]) {
  Lanes sums[TURNS][T][OUTPUTS];
  for (int turn = 0; turn < TURNS; turn++) {
    Lanes sum[T][OUTPUTS] = {};
    for (int64_t i = turn; i < width; i += TURNS) {
      for (int n = 0; n < ahead; n++) __builtin_prefetch(next + n * in + i * LANES, 0, 2);
#pragma GCC unroll 4
      for (int t = 0; t < T; t++) {
#pragma GCC unroll 4
        for (int o = 0; o < OUTPUTS; o++) sum[t][o] += x[t * width + i] * w[o * width + i];
      }
    }
    std::memcpy(sums[turn], sum, sizeof sum);
  }
  for (int t = 0; t < T; t++)
    for (int o = 0; o < OUTPUTS; o++) y[t][o] = total(sums[0][t][o] + sums[1][t][o]);
}

// Calls work(t, T) for every T tokens from token t on; T is a constant, which the compiler knows.
template <class Work>
static inline void by_tokens(int64_t rows, Work work) {
  int64_t t = 0;
  for (; t + TOKENS <= rows; t += TOKENS) work(t, std::integral_constant<int, TOKENS>());
  if (rows - t == 3) work(t, std::integral_constant<int, 3>());
  if (rows - t == 2) work(t, std::integral_constant<int, 2>());
  if (rows - t == 1) work(t, std::integral_constant<int, 1>());
}

// On a busy machine a thread may be kept from running for milliseconds, many times a product's own
// time, and the others would wait for it at every product of a step. So whoever has waited long
// multiplies alone for a while, which takes twice as long at most.
using Clock = std::chrono::steady_clock;
constexpr int WHILE = 500;  // products: two or three steps of a small model
static std::atomic<int> alone(0);

static void remember(Clock::time_point begin, Clock::time_point done) {
  const auto waited = Clock::now() - done;
  if (waited > std::chrono::milliseconds(1) && waited > 2 * (done - begin)) alone = WHILE;
}

// x: [rows, in]. w: [out, in]. bias: [out] or null. y: [rows, out]. All without gaps. Returns 0.
extern "C" int linear(const NUMBER* x, const NUMBER* w, const NUMBER* bias, NUMBER* y, int64_t rows,
                      int64_t out, int64_t in, int64_t threads) {
  const int64_t width = (in + TURNS * LANES - 1) / (TURNS * LANES) * TURNS;
  std::vector<Lanes> tokens(rows * width);
  for (int64_t r = 0; r < rows; r++) widen(x + r * in, in, &tokens[r * width], width);
  const int64_t tiles = (rows + TOKENS - 1) / TOKENS;
  const auto write = [&](int64_t r, int64_t o, float sum) {
    round_to(y[r * out + o], bias == nullptr ? sum : sum + float(bias[o]));
  };
  threads = std::min(threads, 1 + rows * out * in / 50'000);  // one is worth waking for so many
  if (alone > 0) alone--, threads = 1;
  const Clock::time_point begin = Clock::now();
  Clock::time_point done = begin;
#pragma omp parallel num_threads(threads)
  {
    std::vector<Lanes> near(rows > TOKENS ? OUTPUTS * width : 0);
#pragma omp for schedule(static) nowait
    for (int64_t first = 0; first < out; first += OUTPUTS) {
      const int64_t last = std::min(first + OUTPUTS, out);
      if (rows <= TOKENS || last - first < OUTPUTS) {
        for (int64_t o = first; o < last; o++)
          by_tokens(rows, [&](int64_t r, auto count) {
            float sums[count];
            row<count>(&tokens[r * width], width, w + o * in, in, sums);
            for (int t = 0; t < count; t++) write(r + t, o, sums[t]);
          });
        continue;
      }
      for (int o = 0; o < OUTPUTS; o++) widen(w + (first + o) * in, in, &near[o * width], width);
      by_tokens(rows, [&](int64_t r, auto count) {
        float sums[count][OUTPUTS];
        // Each tile asks for its share of the next rows: all at once would wait for each other.
        const int64_t from = r / TOKENS * OUTPUTS / tiles, to = (r / TOKENS + 1) * OUTPUTS / tiles;
        const int ahead = last + OUTPUTS <= out ? int(to - from) : 0;
        const NUMBER* next = w + (last + from) * in;
        tile<count>(&tokens[r * width], width, near.data(), next, ahead, in, sums);
        for (int t = 0; t < count; t++)
          for (int o = 0; o < OUTPUTS; o++) write(r + t, first + o, sums[t][o]);
      });
    }
#pragma omp master
    done = Clock::now();
  }
  remember(begin, done);
  return 0;
}
