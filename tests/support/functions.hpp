// functions: how tests hold the kernels of functions of one number against the reference, at every length and
// magnitude.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <support/kernels.hpp>
#include <support/wish.hpp>
#include <vector>

namespace nnrt_test {

/// From -range to range in equal steps, zero in the middle.
inline std::vector<float> ramp(std::int64_t n, float range) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i)
    values.push_back(range * (static_cast<float>(2 * i) / static_cast<float>(n - 1) - 1.0F));
  return values;
}

/// At each length up to three vectors and one, with special values and without; over each of the ranges; at the edges.
template <class Op>
void check_function(const typename Op::attrs& attrs, tolerance allowed, std::initializer_list<float> ranges,
                    const std::vector<float>& edges) {
  for (std::int64_t n = 1; n <= 3 * kernels::f32_lanes + 1; ++n) {
    CAPTURE(n);
    check_kernel<Op>(attrs, {floats({n}, random_floats(n, 7, 9.0F))}, allowed);
    check_kernel<Op>(attrs, {floats({n}, with_special_values(random_floats(n, 8)))}, allowed);
  }
  for (const float range : ranges) {
    CAPTURE(range);
    check_kernel<Op>(attrs, {floats({2001}, ramp(2001, range))}, allowed);
  }
  check_kernel<Op>(attrs, {floats({static_cast<std::int64_t>(edges.size())}, edges)}, allowed);
}

inline given_operand quantised_pattern(dtype type, shape_t shape, std::int32_t zero_point) {
  given_operand x = pattern(type, shape);
  x.desc.quantised = quant{0.05F, zero_point};
  return x;
}

}  // namespace nnrt_test
