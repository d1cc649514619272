#include <nnrt/kernels/bind/conv2d_transpose_sums.hpp>
#include <support/bytes.hpp>

using namespace nnrt_test;

namespace {

using op = ops::conv2d_transpose_sums;
constexpr pads same_pads{pad_mode::same};

op::attrs layer(extent2 stride, extent2 dilation = {1, 1}, pads pad = {}, std::int64_t group = 1,
                extent2 added = {0, 0}) {
  op::attrs a;
  a.stride = stride, a.dilation = dilation, a.pad = pad, a.group = group, a.output_paddings = added;
  return a;
}
std::vector<given_operand> operands(shape_t x, shape_t w, double bias = 3000) {
  return {stored_bytes(i8, x, quant{0.02F, 9}, 3), quantised_filters(i8, w, 0.01F, 4), quantised_bias(w[0], 5, bias)};
}
void check(const op::attrs& a, shape_t x, shape_t w, double bias = 3000) {
  CAPTURE(w[0]);
  check_kernel<op>(a, operands(x, w, bias));
}

}  // namespace

TEST_CASE("conv2d_transpose_sums of bytes: strides, dilation, pads, groups, biases that saturate") {
  CHECK(node_under_test<op>(layer({2, 2}), operands({1, 4, 3, 3}, {5, 2, 2, 3})).choose().name == "dot phases to i32");
  check(layer({2, 2}, {1, 1}, same_pads), {2, 4, 3, 3}, {5, 3, 3, 3});
  check(layer({2, 3}), {1, 3, 3, 4}, {9, 2, 3, 4}, 2147483520.0);
  check(layer({1, 1}, {1, 1}, same_pads), {2, 5, 6, 8}, {33, 1, 1, 8});
  check(layer({1, 2}, {2, 1}, {pad_mode::explicit_pads, 1, 0, 2, 1}), {1, 5, 4, 3}, {4, 3, 4, 3});
  check(layer({2, 2}, {1, 1}, same_pads, 2), {2, 3, 4, 6}, {8, 4, 4, 3});
  check(layer({2, 2}, {1, 1}, {}, 1, {1, 1}), {1, 3, 4, 6}, {8, 3, 3, 6});
  for (std::int64_t filters = 1; filters < 70; filters += filters < 36 ? 1 : 7)
    check(layer({2, 2}), {1, 2, 7, 4}, {filters, 2, 2, 4});
}

TEST_CASE(
    "conv2d_transpose_sums of bytes: pixels without taps and a group for each channel are left to the reference") {
  CHECK(has_no_kernel<op>(layer({3, 3}), operands({1, 2, 2, 3}, {4, 2, 2, 3})));
  CHECK(has_no_kernel<op>(layer({2, 2}, {1, 1}, {}, 3), operands({1, 2, 2, 3}, {3, 2, 2, 1})));
}

TEST_CASE("conv2d_transpose_sums of bytes: u8 with zero points of both factors, with and without a bias") {
  for (const std::int32_t zero : {0, 128, 255}) {
    const given_operand w = constant(stored_bytes(u8, {6, 2, 2, 3}, quant{0.01F, zero}, 4)),
                        x = stored_bytes(u8, {1, 3, 3, 3}, quant{0.02F, 120}, 3);
    check_kernel<op>(layer({2, 2}), {x, w, quantised_bias(6, 5)});
    check_kernel<op>(layer({2, 2}), {x, w, given_operand{}});
  }
}

TEST_CASE("conv2d_transpose_sums of bytes: layers large enough for matrix registers, where the machine has them") {
  check(layer({2, 2}), {1, 5, 20, 64}, {40, 2, 2, 64});
}

TEST_CASE("conv2d_transpose_sums of bytes: phases by Winograd's method where tiles may be wide") {
  check(layer({1, 1}, {1, 1}, same_pads), {2, 8, 9, 40}, {36, 3, 3, 40});
  check(layer({2, 2}, {1, 1}, same_pads), {1, 8, 9, 40}, {36, 6, 5, 40}, 2147483520.0);
}
