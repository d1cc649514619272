// unrolled_test: dense layers whose extents the compiler knows, against sums in double, at the edges of vectors, chains
// and blocks.
#include <nnrt/kernels/f32/gemm/unrolled.hpp>

#include "../../../support/fenced.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace {

using namespace nnrt::kernels;
using nnrt::activation;
using nnrt_test::fenced;

constexpr float untouched = -123.0F;

/// A layer's operands, and its weights as they lie for it.
struct layer {
  std::int64_t rows, in, out;
  fenced x, w, bias, packed;

  layer(std::int64_t m, std::int64_t k, std::int64_t n, bool has_bias)
      : rows(m), in(k), out(n), x(m * k), w(n * k), bias(n), packed(dense_packed_floats(k, n), untouched) {
    std::minstd_rand random(static_cast<unsigned>(m * k + n));
    randomize(x, random), randomize(w, random);
    if (has_bias) randomize(bias, random);
    dense_pack(w.data(), has_bias ? bias.data() : nullptr, k, n, packed.data());
  }
  void check(const fenced& y, clamp_range range) const {
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t o = 0; o < out; ++o) {
        double sum = double{bias[o]}, size = 1;
        for (std::int64_t i = 0; i < in; ++i) {
          const double product = double{x[r * in + i]} * double{w[o * in + i]};
          sum += product, size += std::abs(product);
        }
        CAPTURE(r);
        CAPTURE(o);
        REQUIRE(std::abs(double{y[r * out + o]} - std::clamp(sum, double{range.lo}, double{range.hi})) <=
                size * 0x1p-22);
      }
  }
};

template <int In, int Out, activation Fused> void check(std::int64_t rows, bool has_bias) {
  CAPTURE(In);
  CAPTURE(Out);
  CAPTURE(rows);
  const layer of(rows, In, Out, has_bias);
  fenced y(rows * Out, untouched), any(rows * Out, untouched);
  dense<In, Out, Fused>(of.x.data(), of.packed.data(), y.data(), rows);
  of.check(y, range_of(Fused));
  dense_of_any_size(of.x.data(), of.packed.data(), any.data(), {.m = rows, .k = In, .n = Out}, range_of(Fused));
  of.check(any, range_of(Fused));
}

template <int In, int... Outs> void check_widths() {
  (check<In, Outs, activation::none>(1, true), ...);
  (check<In, Outs, activation::relu>(3, In % 2 == 0), ...);
}

}  // namespace

TEST_CASE("unrolled layers: depths and widths around vectors, chains and blocks, with and without a bias") {
  check_widths<1, 1, 2, 3, 16>();
  check_widths<3, 1, 2, 7>();
  check_widths<8, 1, 2, 8, 17>();
  check_widths<16, 1, 2, 16>();
  check_widths<31, 1, 2, 33>();
  check_widths<32, 1, 5, 40>();
  check_widths<65, 1, 2, 20>();
  check_widths<130, 1, 2, 12>();
}

TEST_CASE("unrolled layers: relu6 limits from both sides") {
  check<130, 1, activation::relu6>(5, true);
  check<130, 9, activation::relu6>(5, true);
}

TEST_CASE("unrolled layers: a NaN and an infinity reach the results of their row, and no others") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (const float odd : {inf, std::numeric_limits<float>::quiet_NaN()}) {
    layer of(3, 21, 2, true);
    of.x[21 + 20] = odd;
    fenced y(6, untouched);
    dense<21, 2, activation::none>(of.x.data(), of.packed.data(), y.data(), 3);
    for (std::int64_t i = 0; i < 6; ++i) CHECK(std::isfinite(y[i]) == (i / 2 != 1));
  }
}
