// What the C++ kernels of attention share: powers of two, and the way through a block table.

#pragma once

#include "numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

constexpr int D = HEAD_DIM;
constexpr int G = GROUP;
constexpr float INF = std::numeric_limits<float>::infinity();

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

// The places of positions start, start + 1, … in a pool, up to position last - 1 and MOST at most;
// returns how many there are.
template <int MOST>
static inline int find(const int64_t* table, int64_t start, int64_t last, int64_t block_size,
                       int64_t block_stride, int64_t slot_stride, int64_t place[MOST]) {
  const int n = int(std::max<int64_t>(0, std::min<int64_t>(MOST, last - start)));
  int64_t index = start / block_size, slot = start % block_size;
  for (int t = 0; t < n; t++) {
    place[t] = table[index] * block_stride + slot * slot_stride;
    if (++slot == block_size) slot = 0, index++;
  }
  return n;
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
