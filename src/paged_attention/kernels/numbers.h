// Stored numbers: those that C++ has no type for, and this processor's registers of floats.

#pragma once

#include <cstdint>
#include <cstring>

// Numbers that C++ has no type for. Each converts itself to float when it is read.
struct bfloat16 {  // the upper half of a float
  uint16_t bits;
  operator float() const {
    const uint32_t wide = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
  }
  static bfloat16 nearest(float value) {  // ties to even; NaN stays NaN
    uint32_t wide;
    std::memcpy(&wide, &value, sizeof wide);
    if (value != value) return {uint16_t(wide >> 16 | 0x40)};
    return {uint16_t((wide + 0x7fff + (wide >> 16 & 1)) >> 16)};
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

// As many floats as a register of this processor holds.
#if defined(__AVX512F__)
constexpr int LANES = 16;
#elif defined(__AVX__)
constexpr int LANES = 8;
#else
constexpr int LANES = 4;
#endif
typedef float Lanes __attribute__((vector_size(LANES * sizeof(float))));

static inline Lanes load(const float* x) {
  Lanes lanes;
  std::memcpy(&lanes, x, sizeof lanes);
  return lanes;
}

static inline Lanes load(const bfloat16* x) {
  typedef uint16_t Halves __attribute__((vector_size(LANES * sizeof(uint16_t))));
  typedef uint32_t Words __attribute__((vector_size(LANES * sizeof(uint32_t))));
  Halves halves;
  std::memcpy(&halves, x, sizeof halves);
  const Words words = __builtin_convertvector(halves, Words) << 16;
  Lanes lanes;
  std::memcpy(&lanes, &words, sizeof lanes);
  return lanes;
}

static inline void store(float* x, Lanes lanes) { std::memcpy(x, &lanes, sizeof lanes); }

static inline void round_to(float& y, float x) { y = x; }
static inline void round_to(bfloat16& y, float x) { y = bfloat16::nearest(x); }
