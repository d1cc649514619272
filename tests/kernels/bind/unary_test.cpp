#include <nnrt/kernels/bind/gelu.hpp>
#include <nnrt/kernels/bind/hswish.hpp>
#include <nnrt/kernels/bind/sigmoid.hpp>
#include <nnrt/kernels/bind/tanh.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

constexpr tolerance allowed{2e-7, 5e-7};

/// From -range to range in equal steps, zero in the middle.
std::vector<float> ramp(std::int64_t n, float range) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i)
    values.push_back(range * (static_cast<float>(2 * i) / static_cast<float>(n - 1) - 1.0F));
  return values;
}

/// The largest numbers, the smallest, subnormal ones, and where exponentials begin to overflow and vanish.
const std::vector<float> edges = {3.4e38F, -3.4e38F, 1e-38F, -1e-38F, 1e-45F, -1e-45F, 88.0F,  -88.0F,  88.8F, -88.8F,
                                  87.3F,   -87.3F,   87.4F,  -87.4F,  44.4F,  -44.4F,  104.0F, -104.0F, 13.2F, -13.2F,
                                  0.65F,   -0.65F,   9.1F,   -9.1F,   1e-5F,  -1e-5F,  1e19F,  -1e19F};

template <class Op> void check_function(const typename Op::attrs& attrs) {
  for (std::int64_t n = 1; n <= 3 * kernels::lanes + 1; ++n) {
    CAPTURE(n);
    check_kernel<Op>(attrs, {floats({n}, random_floats(n, 7, 9.0F))}, allowed);
    check_kernel<Op>(attrs, {floats({n}, with_special_values(random_floats(n, 8)))}, allowed);
  }
  for (const float range : {0.01F, 1.0F, 12.0F, 120.0F}) {
    CAPTURE(range);
    check_kernel<Op>(attrs, {floats({2001}, ramp(2001, range))}, allowed);
  }
  check_kernel<Op>(attrs, {floats({static_cast<std::int64_t>(edges.size())}, edges)}, allowed);
}

}  // namespace

TEST_CASE_TEMPLATE("functions of one operand: the kernel is the reference within some ulp", Op, ops::sigmoid, ops::tanh,
                   ops::hswish, ops::gelu) {
  check_function<Op>({});
}

TEST_CASE("gelu: the tanh form is a kernel of its own") {
  ops::gelu::attrs attrs;
  attrs.approximate = true;
  check_function<ops::gelu>(attrs);
}

TEST_CASE("tanh: small numbers keep their relative accuracy") {
  check_kernel<ops::tanh>({}, {floats({1001}, ramp(1001, 1e-4F))}, {0, 3e-7});
  check_kernel<ops::tanh>({}, {floats({1001}, ramp(1001, 1.0F))}, {0, 5e-7});
}
