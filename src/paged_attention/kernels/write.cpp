// New keys or values to their slots in a pool, as bytes: whatever a number's type, none is changed.
//
// write.py builds this file once. PyTorch writes through two index tensors in a general way, which
// for one token takes several times as long as the attention that follows.

#include <cstdint>
#include <cstring>

// x: [rows, heads, tokens], each `bytes` long; pool: [num_blocks, heads, block_size] alike. Strides
// are in bytes. blocks, slots: [rows, tokens]. Returns 0, or 1 when a block or a slot is out of
// range; then nothing was written.
extern "C" int paged_write(const char* x, char* pool, const int64_t* blocks, const int64_t* slots,
                           int64_t rows, int64_t heads, int64_t tokens, int64_t bytes,
                           int64_t num_blocks, int64_t block_size, int64_t x_row, int64_t x_head,
                           int64_t x_token, int64_t pool_block, int64_t pool_head,
                           int64_t pool_slot) {
  for (int64_t i = 0; i < rows * tokens; i++)
    if (blocks[i] < 0 || blocks[i] >= num_blocks || slots[i] < 0 || slots[i] >= block_size)
      return 1;
  for (int64_t row = 0; row < rows; row++)
    for (int64_t token = 0; token < tokens; token++) {
      const int64_t i = row * tokens + token;
      char* slot = pool + blocks[i] * pool_block + slots[i] * pool_slot;
      for (int64_t head = 0; head < heads; head++)
        std::memcpy(slot + head * pool_head, x + row * x_row + head * x_head + token * x_token,
                    bytes);
    }
  return 0;
}
