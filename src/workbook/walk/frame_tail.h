
#ifdef ALONE
// Leaves NaN, and -1, on the stack where the next function's variables will lie: one that is never
// given its first value isn't 0 by chance.
__attribute__((no_sanitize_address)) static void forget_nothing() {
  volatile unsigned char used[1 << 16];
  for (size_t i = 0; i < sizeof used; i++) used[i] = 0xFF;
}
#else
static inline void forget_nothing() {}
#endif

// The loop over sequences and KV heads. q: [rows, kv_heads * G, D]; tables: [rows, width].
extern "C" void run_walk(const float* q, const float* k_pool, const float* v_pool,
                         const int64_t* tables, const int64_t* lengths, float* out, int64_t rows,
                         int64_t kv_heads, int64_t width, int64_t block_size, float scale,
                         int64_t threads) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (int64_t i = 0; i < rows * kv_heads; i++) {
    const int64_t row = i / kv_heads, head = i % kv_heads;
    float query[G][D], answer[G][D];
    for (int g = 0; g < G; g++)
      for (int d = 0; d < D; d++) {
        query[g][d] = q[(i * G + g) * D + d] * scale;
        answer[g][d] = NAN;  // what a walk doesn't fill is seen
      }
    forget_nothing();
    walk(query, k_pool + head * block_size * D, v_pool + head * block_size * D,
         tables + row * width, lengths[row], block_size, kv_heads * block_size * D, answer);
    std::memcpy(out + i * G * D, answer, sizeof answer);
  }
}

#ifdef ALONE  // the checked build, a program: each array on a heap of its own, between red zones
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class T>
static T* heap(const char*& at, size_t n) {  // exactly as large as its n numbers
  T* x = static_cast<T*>(std::malloc(n ? n * sizeof(T) : 1));
  std::memcpy(x, at, n * sizeof(T));
  at += n * sizeof(T);
  return x;
}

int main(int, char** argv) {
  std::vector<char> bytes;
  FILE* file = std::fopen(argv[1], "rb");
  char part[65536];
  for (size_t n; (n = std::fread(part, 1, sizeof part, file)) > 0;)
    bytes.insert(bytes.end(), part, part + n);
  std::fclose(file);
  file = std::fopen(argv[2], "wb");
  const char* at = bytes.data();
  const int64_t cases = *heap<int64_t>(at, 1);
  for (int64_t c = 0; c < cases; c++) {
    const int64_t* sizes = heap<int64_t>(at, 5);
    const int64_t rows = sizes[0], kv_heads = sizes[1], width = sizes[2], block_size = sizes[3];
    const int64_t numbers = kv_heads * G * D, pool = sizes[4] * kv_heads * block_size * D;
    const float scale = *heap<float>(at, 1);
    float* q = heap<float>(at, rows * numbers);  // array: q
    float* k = heap<float>(at, pool);  // array: k_pool
    float* v = heap<float>(at, pool);  // array: v_pool
    int64_t* lengths = heap<int64_t>(at, rows);
    std::vector<float> out(rows * numbers);
    for (int64_t row = 0; row < rows; row++) {
      const int64_t used = (lengths[row] + block_size - 1) / block_size;
      const char* here = at + row * width * sizeof(int64_t);
      int64_t* table = heap<int64_t>(here, used);  // array: table
      run_walk(q + row * numbers, k, v, table, lengths + row, out.data() + row * numbers, 1,
               kv_heads, used, block_size, scale, 1);
    }
    at += rows * width * sizeof(int64_t);
    std::fwrite(out.data(), sizeof(float), out.size(), file);
    std::fflush(file);  // what a later case breaks doesn't take this one's answer along
  }
  std::fclose(file);
}
#endif
