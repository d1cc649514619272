// inputs: numbers for the inputs of any network, the same in every program.
// Flow: at_run_time.cpp and in_the_compiler.cpp run one file with them, and print what comes out.
#pragma once

#include <nnrt/core/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace model_files {

/// How often each network runs, one time after the other: states have a past then.
inline constexpr int runs = 3;

/// Fills an input: floats in [-1, 1], any 8 bits, integers and booleans that are small.
inline void fill(nnrt::dtype type, void* to, std::size_t bytes, int run, std::size_t input) {
  std::uint64_t state = 0x9e3779b97f4a7c15U * (static_cast<std::uint64_t>(run) + 7 * input + 1);
  nnrt::with_element<nnrt::types::any>(type, [&]<class T>(T) {
    for (std::size_t i = 0; i < bytes / sizeof(T); ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const auto bits = static_cast<std::uint32_t>(state >> 33);
      T number;
      if constexpr (nnrt::types::floating.contains(nnrt::dtype_for<T>()))
        number = static_cast<T>(static_cast<float>(bits % 2001) / 1000.0F - 1);
      else if constexpr (sizeof(T) == 1 && !std::is_same_v<T, bool>) number = static_cast<T>(bits & 255U);
      else number = static_cast<T>(bits % 2);
      std::memcpy(static_cast<std::byte*>(to) + i * sizeof(T), &number, sizeof number);
    }
  });
}

inline void print(const void* first, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) std::printf("%02x", static_cast<const unsigned char*>(first)[i]);
  std::printf("\n");
}

}  // namespace model_files
