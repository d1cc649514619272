// bytes: operands of quantised values for tests of kernels - spread over their range, extreme, with scales for each
// channel.
// Flow: tests of kernels/bind/ that hold int8 bindings against references.
#pragma once

#include <support/kernels.hpp>

namespace nnrt_test {

/// How the bytes of an operand are filled.
enum class bytes_are { random, all_lowest, all_highest };

/// A tensor of quantised bytes.
inline given_operand stored_bytes(dtype type, shape_t shape, quantisation q, std::uint32_t seed,
                                  bytes_are fill = bytes_are::random) {
  const tensor_desc desc{type, default_format(shape.rank), shape, q};
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(desc.bytes()));
  std::uint32_t state = seed * 2654435761U + 12345U;
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    const int lowest = type == u8 ? 0 : -128;
    byte = static_cast<std::uint8_t>(fill == bytes_are::random       ? static_cast<int>(state >> 24U)
                                     : fill == bytes_are::all_lowest ? lowest
                                                                     : lowest + 255);
  }
  return bytes_of(desc, bytes.data());
}

/// Quantised weights with a scale for each index of axis 0: from `scale` on, growing to twice that.
inline given_operand quantised_filters(dtype type, shape_t shape, float scale, std::uint32_t seed,
                                       bytes_are fill = bytes_are::random) {
  given_operand x = constant(stored_bytes(type, shape, per_channel<0>, seed, fill));
  for (std::int64_t i = 0; i < shape[0]; ++i)
    x.scales.push_back(scale * (1.0F + static_cast<float>(i) / static_cast<float>(shape[0])));
  return x;
}

/// A bias of 32 bits, at most `range` away from 0.
inline given_operand quantised_bias(std::int64_t n, std::uint32_t seed, double range = 3000) {
  std::vector<std::int32_t> values;
  for (const float x : random_floats(n, seed, 1.0F)) values.push_back(static_cast<std::int32_t>(range * double{x}));
  return constant(bytes_of({i32, {n}}, values.data()));
}

/// What a result is to be quantised as.
inline std::vector<tensor_desc> into_bytes(float scale, std::int32_t zero_point) {
  tensor_desc d;
  d.quantised = quant{scale, zero_point};
  return {d};
}

/// What a result is to be quantised as, with ties rounded to even numbers.
inline std::vector<tensor_desc> into_even_bytes(float scale, std::int32_t zero_point = 0) {
  tensor_desc d;
  d.quantised = quant{scale, zero_point, quantised_rounding::half_to_even};
  return {d};
}

}  // namespace nnrt_test
