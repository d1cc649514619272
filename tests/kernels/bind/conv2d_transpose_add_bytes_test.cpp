#include <nnrt/kernels/bind/conv2d_transpose_add.hpp>
#include <support/bytes.hpp>

using namespace nnrt_test;

namespace {

using op = ops::conv2d_transpose_add;
constexpr pads same_pads{pad_mode::same};

struct form {
  extent2 stride{1, 1}, dilation{1, 1};
  pads pad{};
  extent2 added{0, 0};
  std::int64_t group = 1;
  activation fused = activation::none;

  operator op::attrs() const {
    op::attrs a;
    a.stride = stride, a.dilation = dilation, a.pad = pad, a.output_paddings = added, a.group = group, a.fused = fused;
    return a;
  }
};

std::vector<given_operand> operands(shape_t x, shape_t w, shape_t y, float scale, std::int32_t zero = 0) {
  return {stored_bytes(i8, x, quant{0.02F, zero}, 3), quantised_filters(i8, w, 0.01F, 4), quantised_bias(w[0], 5),
          stored_bytes(i8, y, quant{scale, zero}, 9)};
}

/// An addend of this scale, for results of either rounding.
void check(const form& f, shape_t x, shape_t w, shape_t y, float scale,
           std::vector<tensor_desc> into = into_even_bytes(0.03F)) {
  CAPTURE(w[0]);
  CAPTURE(scale);
  check_kernel<op>(f, operands(x, w, y, scale, into[0].quantised.zero_point), {}, into);
}

}  // namespace

TEST_CASE("conv2d_transpose_add of bytes: strides, dilation, pads, activations, addends of any scale") {
  CHECK(node_under_test<op>(form{.stride{2, 2}, .pad = same_pads},
                            operands({1, 4, 3, 3}, {5, 3, 3, 3}, {1, 8, 6, 5}, 0.1F), into_even_bytes(0.02F))
            .choose()
            .name == "dot phases with addend");
  for (const float scale : {1e-9F, 0.0001F, 0.02F, 0.3F, 40.0F, 1e7F})
    for (const activation fused : {activation::none, activation::relu, activation::relu6}) {
      check({.stride{2, 2}, .pad = same_pads, .fused = fused}, {2, 4, 3, 3}, {5, 3, 3, 3}, {2, 8, 6, 5}, scale);
      check({.stride{2, 3}, .fused = fused}, {1, 3, 3, 4}, {9, 2, 3, 4}, {1, 6, 9, 9}, scale, into_bytes(0.03F, 7));
      check({.pad = same_pads, .fused = fused}, {2, 5, 6, 8}, {33, 1, 1, 8}, {2, 5, 6, 33}, scale,
            into_even_bytes(0.05F, -9));
      check({.stride{1, 2}, .dilation{2, 1}, .pad{pad_mode::explicit_pads, 1, 0, 2, 1}, .fused = fused}, {1, 5, 4, 3},
            {4, 3, 4, 3}, {1, 8, 7, 4}, scale);
    }
}

TEST_CASE("conv2d_transpose_add of bytes: every number of filters around whole panels, groups, output paddings") {
  for (std::int64_t filters = 1; filters < 70; filters += filters < 36 ? 1 : 7)
    check({.stride{2, 2}, .fused = activation::relu}, {1, 2, 7, 4}, {filters, 2, 2, 4}, {1, 4, 14, filters}, 0.05F);
  check({.stride{2, 2}, .pad = same_pads, .group = 2}, {2, 3, 4, 6}, {8, 4, 4, 3}, {2, 6, 8, 8}, 0.04F);
  check({.stride{2, 2}, .added{1, 1}}, {1, 3, 4, 6}, {8, 3, 3, 6}, {1, 8, 10, 8}, 0.04F);
}

TEST_CASE("conv2d_transpose_add of bytes: pixels without taps and a group for each channel are left to the reference") {
  CHECK(has_no_kernel<op>(form{.stride{3, 3}}, operands({1, 2, 2, 3}, {4, 2, 2, 3}, {1, 5, 5, 4}, 0.1F),
                          into_even_bytes(0.02F)));
  CHECK(has_no_kernel<op>(form{.stride{2, 2}, .group = 3}, operands({1, 2, 2, 3}, {3, 2, 2, 1}, {1, 4, 4, 3}, 0.1F),
                          into_even_bytes(0.02F)));
}

TEST_CASE("conv2d_transpose_add of bytes: u8 with zero points of both factors, with and without a bias") {
  for (const std::int32_t zero : {0, 128, 255}) {
    const given_operand w = constant(stored_bytes(u8, {6, 2, 2, 3}, quant{0.01F, zero}, 4)),
                        x = stored_bytes(u8, {1, 3, 3, 3}, quant{0.02F, 120}, 3),
                        addend = stored_bytes(u8, {1, 6, 6, 6}, quant{0.1F, zero}, 8);
    check_kernel<op>(form{.stride{2, 2}, .fused = activation::relu}, {x, w, quantised_bias(6, 5), addend}, {},
                     into_bytes(0.05F, 100));
    check_kernel<op>(form{.stride{2, 2}}, {x, w, given_operand{}, addend}, {}, into_even_bytes(0.05F, 100));
  }
}

TEST_CASE(
    "conv2d_transpose_add of bytes: sums of biases and addends beyond 32 bits saturate, of all taps or of those of a "
    "few pixels") {
  for (const float scale : {0.02F, 1e5F, 3376.0F, 1e9F})
    for (const double range : {0.0, 2e9, 2147483520.0}) {
      CAPTURE(range);
      const given_operand image = stored_bytes(i8, {1, 3, 3, 8}, quant{0.02F}, 3, bytes_are::all_highest),
                          addend = stored_bytes(i8, {1, 6, 6, 19}, quant{scale}, 9);
      const form f{.stride{2, 2}, .pad = same_pads};
      check_kernel<op>(f, {image, quantised_filters(i8, {19, 3, 3, 8}, 0.01F, 4), quantised_bias(19, 5, range), addend},
                       {}, into_even_bytes(0.02F * scale));
      check_kernel<op>(f, {image, quantised_filters(i8, {19, 3, 3, 8}, 0.01F, 4), quantised_bias(19, 5, range), addend},
                       {}, into_bytes(1e4F, 3));
    }
}

TEST_CASE("conv2d_transpose_add of bytes: layers large enough for matrix registers, where the machine has them") {
  for (const float scale : {0.02F, 40.0F})
    check({.stride{2, 2}, .pad = same_pads, .fused = activation::relu}, {1, 5, 20, 64}, {40, 2, 2, 64}, {1, 10, 40, 40},
          scale);
}

TEST_CASE("conv2d_transpose_add of bytes: phases by Winograd's method where tiles may be wide") {
  for (const float scale : {0.02F, 40.0F, 1e7F}) {
    check({.pad = same_pads, .fused = activation::relu}, {2, 8, 9, 40}, {36, 3, 3, 40}, {2, 8, 9, 36}, scale);
    check({.stride{2, 2}, .pad = same_pads}, {1, 8, 9, 40}, {36, 6, 5, 40}, {1, 16, 18, 36}, scale);
  }
}
