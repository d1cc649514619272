// byte_products: products of quantised values with random factors, and what the definition makes of them.
// Flow: tests/kernels holds tiles and blocks against them.
#pragma once

#include <nnrt/kernels/int8/gemm/gemm.hpp>
#include <support/kernels.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace nnrt_test::byte_products {

using namespace nnrt;
using namespace nnrt::kernels;

inline std::vector<std::byte> random_bytes(std::int64_t count, unsigned seed) {
  std::mt19937 any(seed);
  std::vector<std::byte> made;
  for (std::int64_t i = 0; i < count; ++i) made.push_back(static_cast<std::byte>(any() >> 24));
  return made;
}
/// Bytes that begin at a line of the cache.
class lines {
 public:
  explicit lines(std::int64_t count) : lines_(static_cast<std::size_t>(count / 64 + 1)) {}
  std::byte* data() { return lines_[0].of; }

 private:
  struct alignas(64) line {
    std::byte of[64];
  };
  std::vector<line> lines_;
};

struct quantisation_case {
  bool is_unsigned;
  std::int32_t a_zero, b_zero, c_zero;
  int8_factors factors() const { return {a_zero, b_zero, is_unsigned}; }
  std::int32_t low() const { return is_unsigned ? 0 : -128; }
  std::int32_t high() const { return is_unsigned ? 255 : 127; }
  narrowing narrowed() const { return {low(), high(), c_zero, is_unsigned}; }
  scaled_range range() const { return scaled_range::of({low(), high()}, c_zero, is_unsigned); }
};
inline constexpr quantisation_case quantisation_cases[] = {
    {false, 3, 0, -128}, {false, -20, 0, 5}, {true, 120, 128, 100}, {true, 7, 90, 0}, {false, 100, -9, -5}};

inline int8_channel channel_of(std::int64_t j, std::int64_t products) {
  return {fixed_point_of(0.02 / static_cast<double>(products) * (1 + 0.1 * static_cast<double>(j % 7))),
          static_cast<std::int32_t>(j * 97 - 1000),
          {},
          {},
          {}};
}

/// A product [m, k] x [k, n].
struct product {
  int8_packing packing;
  std::int64_t m, k = packing.depth.products(), n = packing.n;
  quantisation_case stored;
  nnrt_test::fenced_bytes a{random_bytes(m * k, 1)};
  std::vector<std::byte> b = random_bytes(k * n, 2);  // columns lie in one piece
  lines packed{packing.bytes()}, scratch{std::max<std::int64_t>(1, int8_matrix_scratch_bytes(packing, m))};

  product(const int8_packing& of, std::int64_t rows, const quantisation_case& how) : packing(of), m(rows), stored(how) {
    int8_pack(
        packing, stored.factors(), stored.range(), int8_matrix{b.data(), k, 0, 1},
        [&](std::int64_t j) { return channel_of(j, k); }, packed.data());
  }

  std::vector<std::byte> run(int parts = 1, bool by_columns = false) {
    nnrt_test::fenced_bytes c(std::vector<std::byte>(static_cast<std::size_t>(m * n), std::byte{0x55}));
    const int8_product p{packing, packed.data(), stored.factors(), stored.narrowed()};
    for (int i = 0; i < parts; ++i)
      int8_matrix_product(p, m, a.data(), scratch.data(), c.data(), {{i, parts}, by_columns});
    return {c.data(), c.data() + m * n};
  }
  /// What the definition says.
  std::vector<std::byte> expected() {
    std::vector<std::byte> c;
    const int8_factors f = stored.factors();
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        const int8_channel channel = channel_of(j, k);
        std::int64_t sum = channel.bias;
        for (std::int64_t l = 0; l < k; ++l)
          sum += std::int64_t{f.at(a.data(), i * k + l) - f.a_zero} * (f.at(b.data(), j * k + l) - f.b_zero);
        const std::int64_t y = stored.c_zero + kernels::detail::scaled(sum, channel);
        c.push_back(
            static_cast<std::byte>(std::min<std::int64_t>(std::max<std::int64_t>(y, stored.low()), stored.high())));
      }
    return c;
  }
};

}  // namespace nnrt_test::byte_products
