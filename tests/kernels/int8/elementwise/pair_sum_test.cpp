#include <nnrt/kernels/int8/elementwise/pair_sum.hpp>
#include <nnrt/ops/detail/quantised_binary.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace nnrt;
using kernels::int8_pair_sum, kernels::int8_pair_line_lanes, kernels::line_of, kernels::register_bytes;

namespace {

quantisation quantised(float scale, std::int32_t zero_point, quantised_rounding rounding = quantised_rounding::tflite) {
  quantisation q;
  q.mode = quantisation::kind::per_tensor, q.scale = scale, q.zero_point = zero_point, q.rounding = rounding;
  return q;
}

template <class T>
ops::detail::quantised_sum<T> sum_of(const quantisation& a, const quantisation& b, const quantisation& y,
                                     activation fused = activation::none, int sign = 1) {
  ops::detail::quantised_pair pair(a, b, y);
  pair.fused = fused;
  return {pair, sign};
}

/// a + b on the line, for one b after the other from `first_b` on, in all lanes.
template <class T> std::vector<T> sums_on(const int8_pair_sum& line, T a, int first_b) {
  std::vector<T> of_a(register_bytes, a), of_b(register_bytes), y(register_bytes);
  for (int i = 0; i < register_bytes; ++i) of_b[static_cast<std::size_t>(i)] = static_cast<T>(first_b + i);
  const auto register_of = [](const std::vector<T>& bytes) {
    return kernels::load_vector<kernels::int8_vector>(bytes.data());
  };
  kernels::store_vector(y.data(), int8_pair_line_lanes<T>(line)(register_of(of_a), register_of(of_b)));
  return y;
}

/// Pairs of all bytes that the line gets wrong.
template <class T> int errors_of(const int8_pair_sum& line, const ops::detail::quantised_sum<T>& f) {
  const int first = std::is_unsigned_v<T> ? 0 : -128;
  int errors = 0;
  for (int a = first; a < first + 256; ++a)
    for (int b = first; b < first + 256; b += register_bytes) {
      const std::vector<T> y = sums_on(line, static_cast<T>(a), b);
      for (int i = 0; i < register_bytes; ++i)
        errors += y[static_cast<std::size_t>(i)] != f(static_cast<T>(a), static_cast<T>(b + i));
    }
  return errors;
}

}  // namespace

TEST_CASE_TEMPLATE("byte_pair_line: one line gives the sums of all pairs of bytes", T, std::int8_t, std::uint8_t) {
  const std::int32_t first = std::is_unsigned_v<T> ? 0 : -128;
  for (const float scale_b : {0.05F, 0.0123F, 0.1F, 0.31F})
    for (const float scale_y : {0.05F, 0.0771F, 0.2F})
      for (const std::int32_t at : {0, 101, 255})
        for (const activation fused : {activation::none, activation::relu, activation::relu6})
          for (const quantised_rounding rounding : {quantised_rounding::tflite, quantised_rounding::half_to_even})
            for (const int sign : {1, -1}) {
              // these take long
              if (rounding != quantised_rounding::tflite && (fused != activation::none || at == 0)) continue;
              CAPTURE(scale_b);
              CAPTURE(scale_y);
              CAPTURE(at);
              const auto f = sum_of<T>(quantised(0.05F, first + at), quantised(scale_b, first + 255 - at),
                                       quantised(scale_y, first + at / 2, rounding), fused, sign);
              const int8_pair_sum line = line_of(f);
              // else many pairs are halves, or nearly, which go where no line sends them all
              if (scale_y == 0.0771F) CHECK(line.is_found());
              if (line.is_found()) CHECK(errors_of(line, f) == 0);
            }
}

TEST_CASE("byte_pair_line: halves go away from zero, on both sides of it") {
  const auto f = sum_of<std::int8_t>(quantised(1, 3), quantised(1, -7), quantised(2, 5));
  const int8_pair_sum line = line_of(f);
  REQUIRE(line.is_found());
  CHECK(sums_on<std::int8_t>(line, 3 + 1, -7)[0] == 5 + 1);
  CHECK(sums_on<std::int8_t>(line, 3 - 1, -7)[0] == 5 - 1);
  CHECK(errors_of(line, f) == 0);
}

TEST_CASE("byte_pair_line: scales that leave a line no room have none") {
  CHECK_FALSE(line_of(sum_of<std::int8_t>(quantised(1e30F, 0), quantised(1, 0), quantised(1e-30F, 0))).is_found());
  // Halves of both signs and of even numbers alike go to even ones.
  CHECK_FALSE(
      line_of(sum_of<std::int8_t>(quantised(1, 0), quantised(1, 0), quantised(2, 0, quantised_rounding::half_to_even)))
          .is_found());
  // Nothing is far from nothing: the line is flat.
  const auto f = sum_of<std::int8_t>(quantised(1e-12F, 1), quantised(1e-12F, 2), quantised(1, 9));
  const int8_pair_sum flat = line_of(f);
  REQUIRE(flat.is_found());
  CHECK(errors_of(flat, f) == 0);
}
