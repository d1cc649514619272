// plain_integers: what a convolution of one row makes of integers without a scale.
// Flow: tests of conv2d and depthwise_conv2d, which are the same for one channel.
#pragma once

#include <support/refused.hpp>

#include <doctest/doctest.h>

#include <climits>
#include <cstdint>

namespace nnrt_test {

/// Sums wrap around in 32 bits; a weight of another dtype is refused, and a scale, with this rule.
template <class Op> void check_plain_integers(const typename Op::attrs& attrs, typename Op::rule refuses_scales) {
  using rule = typename Op::rule;
  const tensor_desc x{i32, nhwc, {1, 1, 2, 1}}, w{i32, {1, 1, 2, 1}}, b{i32, {1}}, y{i32, nhwc, {1, 1, 1, 1}};
  CHECK(infer<Op>(attrs, {computed(x), weight(w), weight(b)}).output(0) == y);
  std::int32_t of_x[] = {INT_MAX, 3}, of_w[] = {2, 5}, of_b[] = {7}, of_y[1] = {};
  const view in[] = {{&x, of_x}, {&w, of_w}, {&b, of_b}}, out[] = {{&y, of_y}};
  Op::template reference<std::int32_t>(attrs, in, out);
  CHECK(of_y[0] == 20);  // 2 * (2^31 - 1) is -2
  const tensor_desc scaled{i32, nhwc, {1, 1, 2, 1}, quant{0.5F, 0}}, wide{i64, nhwc, {1, 1, 2, 1}};
  CHECK(breaks(infer<Op>(attrs, {computed(scaled), weight(w)}), refuses_scales, int(i32), int(i8)));
  CHECK(breaks(infer<Op>(attrs, {computed(wide), weight(w)}), rule::weight_type_must_equal_input_type, int(i32),
               int(i64)));
}

}  // namespace nnrt_test
