"""Answers to chapter 08's open task: a right one, and some that don't count."""

from workbook.checks.ch08.open import faster

TILES = r"""
{
  float m[G], l[G] = {}, acc[G][D] = {}, p[G][32];
  for (int g = 0; g < G; g++) m[g] = -INF;
  for (int64_t start = 0; start < length; start += 32) {
    const int n = int(std::min<int64_t>(32, length - start));
    int64_t at[32];
    for (int t = 0; t < n; t++) {
      const int64_t position = start + t;
      at[t] = table[position / block_size] * block_stride + position % block_size * D;
      fetch(v_pool + at[t]);
      for (int g = 0; g < G; g++) {
        p[g][t] = 0;
        for (int d = 0; d < D; d++) p[g][t] += q[g][d] * k_pool[at[t] + d];
      }
    }
    for (int g = 0; g < G; g++) {
      float higher = m[g], sum = 0;
      for (int t = 0; t < n; t++) higher = std::max(higher, p[g][t]);
      const float shrink = std::exp2(m[g] - higher);
      for (int t = 0; t < n; t++) sum += p[g][t] = power_of_two(p[g][t] - higher);
      l[g] = l[g] * shrink + sum, m[g] = higher;
      for (int d = 0; d < D; d++) acc[g][d] *= shrink;
    }
    for (int t = 0; t < n; t++)
      for (int g = 0; g < G; g++)
        for (int d = 0; d < D; d++) acc[g][d] += p[g][t] * v_pool[at[t] + d];
  }
  for (int g = 0; g < G; g++)
    for (int d = 0; d < D; d++) out[g][d] = l[g] > 0 ? acc[g][d] / l[g] : 0;
}
"""
faster.solved = TILES
for says, wrong in (
    (
        "Its check fails at 'one block of four tokens'",
        "{ for (int d = 0; d < D; d++) out[0][d] = 0; }",
    ),
    ("it doesn't compile", "{ return 0 }"),
    ("is not right", TILES.replace("{\n", "{\n  if (length > 200) length = 200;\n", 1)),
    ("not implemented", "{ NOT_IMPLEMENTED; }"),
):
    faster.rejects(says)(wrong)
