// What surrounds a reader's `walk`: constants, two helpers, and the signature that it fills.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

constexpr int D = HEAD_DIM;
constexpr int G = GROUP;
constexpr float INF = std::numeric_limits<float>::infinity();

// 2 ** x for x <= 0, to about 7 digits: 2 ** whole * 2 ** rest, a polynomial for the rest. Unlike
// std::exp2 it works on as many numbers at a time as the processor's registers hold.
static inline float power_of_two(float x) {
  x = x < -126.0f ? -126.0f : x;
  const float whole = std::floor(x + 0.5f), rest = x - whole;
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

// Ask for one key or value before it is needed.
static inline void fetch(const float* x) {
  for (int d = 0; d < D; d += 16) __builtin_prefetch(x + d);
}

// q [G][D] has the scale and log2(e) in it. Number d of a block's slot, for this KV head, is
// k_pool[block * block_stride + slot * D + d]; values likewise. Fills out [G][D].
static void walk(const float q[G][D], const float* k_pool, const float* v_pool,
                 const int64_t* table, int64_t length, int64_t block_size,
                 int64_t block_stride, float out[G][D]);

