#include <nnrt/kernels/bind/layer_sums.hpp>
#include <support/bytes.hpp>

using namespace nnrt_test;

namespace {

using op = ops::layer_sums;
constexpr pads same_pads{pad_mode::same};

op::attrs layer(extent2 stride, extent2 dilation = {1, 1}, pads pad = {}, std::int64_t group = 1) {
  op::attrs a;
  a.stride = stride, a.dilation = dilation, a.pad = pad, a.group = group;
  return a;
}
void check(const op::attrs& a, shape_t x, shape_t w, double bias = 3000) {
  CAPTURE(w[0]);
  check_kernel<op>(
      a, {stored_bytes(i8, x, quant{0.02F, 9}, 3), quantised_filters(i8, w, 0.01F, 4), quantised_bias(w[0], 5, bias)});
}

}  // namespace

TEST_CASE("layer_sums of bytes: windows, strides, dilation, groups") {
  check(layer({1, 1}, {1, 1}, same_pads), {2, 7, 8, 3}, {5, 3, 3, 3});
  check(layer({2, 2}, {1, 1}, same_pads), {1, 7, 7, 4}, {9, 2, 3, 4});
  check(layer({1, 1}), {2, 5, 6, 8}, {33, 1, 1, 8});
  check(layer({1, 1}, {1, 2}), {1, 5, 9, 3}, {4, 1, 3, 3});
  check(layer({1, 1}, {1, 1}, same_pads, 2), {2, 5, 6, 6}, {8, 3, 3, 3});
  check(layer({1, 1}, {1, 1}, same_pads, 17), {1, 5, 6, 17}, {34, 3, 3, 1});
}

TEST_CASE(
    "layer_sums of bytes: a group for each channel - channels around registers, rows in pairs and alone, biases that "
    "saturate") {
  CHECK(node_under_test<op>(
            layer({1, 1}, {1, 1}, {}, 3),
            {stored_bytes(i8, {1, 4, 4, 3}, quant{0.02F}, 3), quantised_filters(i8, {6, 3, 3, 1}, 0.01F, 4)}, {})
            .choose()
            .name == "dot taps to i32");
  for (const std::int64_t channels : {2, 3, 16, 17, 33, 63, 64, 65, 100, 128}) {
    check(layer({1, 1}, {1, 1}, same_pads, channels), {2, 5, 7, channels}, {channels, 3, 3, 1});
    check(layer({2, 2}, {1, 1}, same_pads, channels), {1, 9, 7, channels}, {2 * channels, 3, 3, 1}, 2147483520.0);
  }
  check(layer({1, 1}, {2, 1}, {}, 5), {1, 8, 6, 5}, {15, 3, 2, 1});
  for (const std::int32_t zero : {0, 128, 255})
    check_kernel<op>(layer({1, 1}, {1, 1}, {}, 24),
                     {stored_bytes(u8, {1, 6, 5, 24}, quant{0.02F, 120}, 3),
                      constant(stored_bytes(u8, {24, 3, 3, 1}, quant{0.01F, zero}, 4)), given_operand{}});
}

TEST_CASE("layer_sums of bytes: rows of dense layers, every number of outputs around whole panels") {
  for (std::int64_t outputs = 1; outputs < 70; outputs += outputs < 36 ? 1 : 7)
    for (const std::int64_t rows : {1, 5, 13}) check({}, {rows, 31}, {outputs, 31});
  check({}, {1, 1280}, {1000, 1280});
}

TEST_CASE("layer_sums of bytes: sums of biases beyond 32 bits saturate, and weights of 0 leave the bias") {
  for (const double range : {0.0, 2e9, 2147483520.0}) {
    const given_operand x = stored_bytes(i8, {3, 16}, quant{0.02F}, 3, bytes_are::all_highest),
                        bias = quantised_bias(19, 5, range);
    check_kernel<op>({}, {x, quantised_filters(i8, {19, 16}, 0.01F, 4), bias});
    check_kernel<op>({}, {x, quantised_filters(i8, {19, 16}, 0.01F, 4, bytes_are::all_highest), bias});
    const std::vector<std::int8_t> zeros(19 * 16);
    check_kernel<op>({}, {x, constant(bytes_of({i8, nd, {19, 16}, quant{0.01F}}, zeros.data())), bias});
  }
}

TEST_CASE(
    "layer_sums of bytes: u8 with zero points of both factors, no bias, and the layer's own bits left to the reference "
    "for 16") {
  for (const std::int32_t zero : {0, 128, 255}) {
    const given_operand w = constant(stored_bytes(u8, {6, 2, 2, 3}, quant{0.01F, zero}, 4));
    check_kernel<op>({}, {stored_bytes(u8, {1, 5, 5, 3}, quant{0.02F, 120}, 3), w, quantised_bias(6, 5)});
    check_kernel<op>({}, {stored_bytes(u8, {1, 5, 5, 3}, quant{0.02F, 120}, 3), w, given_operand{}});
  }
  const std::vector<std::int16_t> wide(12, 300);
  CHECK(has_no_kernel<op>(
      {}, {bytes_of({i16, nd, {1, 12}, quant{0.02F}}, wide.data()), quantised_filters(i8, {4, 12}, 0.01F, 4)}));
}

TEST_CASE("layer_sums of bytes: layers large enough for matrix registers, where the machine has them") {
  check(layer({1, 1}, {1, 1}, same_pads), {1, 5, 33, 16}, {40, 3, 3, 16});
  check({}, {20, 100}, {70, 100}, 2147483520.0);
}

TEST_CASE("layer_sums of bytes: by Winograd's method where tiles may be wide") {
  CHECK(node_under_test<op>(
            layer({1, 1}, {1, 1}, same_pads),
            {stored_bytes(i8, {1, 8, 9, 40}, quant{0.02F}, 3), quantised_filters(i8, {36, 3, 3, 40}, 0.01F, 4)}, {})
            .choose()
            .name == (kernels::has_wide_tiles ? "dot winograd to i32" : "dot windows to i32"));
  check(layer({1, 1}, {1, 1}, same_pads), {2, 8, 9, 40}, {36, 3, 3, 40});
  check(layer({1, 1}), {1, 9, 7, 64}, {21, 3, 3, 64}, 2147483520.0);
}
