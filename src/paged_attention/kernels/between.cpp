// What a decoder does with a few tokens between its products, a call each: PyTorch's single
// operations take microseconds to begin, and a step of one token has hundreds.
//
// between.py builds this file once for each NUMBER, the type of the tokens. Everything is computed
// in float32 and rounded once.

#include "numbers.h"

#include <cmath>

// y [rows, size]: each row of x to a root mean square of one, times weight [size].
extern "C" int rms_norm(const NUMBER* x, const NUMBER* weight, NUMBER* y, int64_t rows,
                        int64_t size, float eps) {
  for (int64_t row = 0; row < rows; row++, x += size, y += size) {
    float squares = 0;
    for (int64_t i = 0; i < size; i++) squares += float(x[i]) * float(x[i]);
    const float scale = 1 / std::sqrt(squares / float(size) + eps);
    for (int64_t i = 0; i < size; i++) round_to(y[i], float(x[i]) * scale * float(weight[i]));
  }
  return 0;
}

// y [batch, tokens, heads, 2 * half]: each pair (i, i + half) of x turned by its token's angle.
// cos, sin: [tokens, 2 * half] for every sequence, `table` apart or, if that is 0, for all; the
// first half of the sines is negative. Strides of x in numbers.
extern "C" int rotate(const NUMBER* x, const NUMBER* cos, const NUMBER* sin, NUMBER* y,
                      int64_t batch, int64_t heads, int64_t tokens, int64_t half, int64_t x_batch,
                      int64_t x_head, int64_t x_token, int64_t table) {
  for (int64_t b = 0; b < batch; b++)
    for (int64_t t = 0; t < tokens; t++) {
      const NUMBER *c = cos + b * table + t * 2 * half, *s = sin + b * table + t * 2 * half;
      for (int64_t h = 0; h < heads; h++, y += 2 * half) {
        const NUMBER *a = x + b * x_batch + h * x_head + t * x_token, *o = a + half;
        for (int64_t i = 0; i < half; i++) {
          round_to(y[i], float(a[i]) * float(c[i]) + float(o[i]) * float(s[i]));
          round_to(y[i + half],
                   float(o[i]) * float(c[i + half]) + float(a[i]) * float(s[i + half]));
        }
      }
    }
  return 0;
}
