// The matrix product of prefill.cpp, in this processor's registers, and how keys are turned for it.

#pragma once

#include "paged.h"

// The sums kept in registers together: ROWS queries times WIDE registers of keys, or of the values'
// numbers. So each number that is loaded serves several sums.
constexpr int ROWS = 6, WIDE = LANES == 16 ? 4 : 2;
typedef float Four __attribute__((vector_size(4 * sizeof(float))));

// sums[r][c] += a[r][i] * b[i][c], for ROWS rows, i below n, and N registers of columns.
template <int N>
static inline void multiply(const float* a, int a_stride, const float* b, int b_stride, int n,
                            float* sums, int sum_stride) {
  Lanes sum[ROWS][N];
  for (int r = 0; r < ROWS; r++)
    for (int w = 0; w < N; w++) sum[r][w] = load(sums + r * sum_stride + w * LANES);
  for (int i = 0; i < n; i++) {
    Lanes x[N];
    for (int w = 0; w < N; w++) x[w] = load(b + i * b_stride + w * LANES);
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++) {
      const float y = a[r * a_stride + i];
#pragma GCC unroll 8
      for (int w = 0; w < N; w++) sum[r][w] += y * x[w];
    }
  }
  for (int r = 0; r < ROWS; r++)
    for (int w = 0; w < N; w++) store(sums + r * sum_stride + w * LANES, sum[r][w]);
}

// The same for any multiple of LANES columns. Both products of attention are this one: queries
// times turned keys, and weights times values.
static inline void multiply_all(const float* a, int a_stride, const float* b, int b_stride, int n,
                                float* sums, int sum_stride, int columns) {
  int c = 0;
  for (; c + WIDE * LANES <= columns; c += WIDE * LANES)
    multiply<WIDE>(a, a_stride, b + c, b_stride, n, sums + c, sum_stride);
  for (; c < columns; c += LANES)
    multiply<1>(a, a_stride, b + c, b_stride, n, sums + c, sum_stride);
}

// Four numbers of four keys, turned: to[d * stride + t] = k[t][d].
static inline void turn(const KV* const k[4], float* to, int stride) {
  Four x[4], y[4];
  for (int t = 0; t < 4; t++)
    x[t] = Four{float(k[t][0]), float(k[t][1]), float(k[t][2]), float(k[t][3])};
#if defined(__has_builtin) && __has_builtin(__builtin_shufflevector)
  const Four a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5);
  const Four b = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
  const Four c = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5);
  const Four d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
  y[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  y[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  y[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  y[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
#else
  for (int d = 0; d < 4; d++) y[d] = Four{x[0][d], x[1][d], x[2][d], x[3][d]};
#endif
  for (int d = 0; d < 4; d++) std::memcpy(to + d * stride, &y[d], sizeof y[d]);
}
