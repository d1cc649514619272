#include <nnrt/kernels/bind/conv2d_add.hpp>
#include <support/bytes.hpp>

using namespace nnrt_test;

namespace {

using op = ops::conv2d_add;
constexpr pads same_pads{pad_mode::same};

struct form {
  extent2 stride{1, 1}, dilation{1, 1};
  pads pad{};
  std::int64_t group = 1;
  activation fused = activation::none;

  operator op::attrs() const {
    op::attrs a;
    a.stride = stride, a.dilation = dilation, a.pad = pad, a.group = group, a.fused = fused;
    return a;
  }
};

/// An addend of this scale, for results of either rounding.
void check(const form& f, shape_t x, shape_t w, shape_t y, float scale,
           std::vector<tensor_desc> into = into_even_bytes(0.03F)) {
  CAPTURE(w[0]);
  CAPTURE(scale);
  const std::int32_t zero = into[0].quantised.zero_point;
  const given_operand image = stored_bytes(i8, x, quant{0.02F, zero}, 3),
                      addend = stored_bytes(i8, y, quant{scale, zero}, 9);
  check_kernel<op>(f, {image, quantised_filters(i8, w, 0.01F, 4), quantised_bias(w[0], 5), addend}, {}, into);
}

}  // namespace

TEST_CASE("conv2d_add of bytes: windows, strides, activations, addends of any scale") {
  for (const float scale : {1e-9F, 0.0001F, 0.02F, 0.3F, 40.0F, 1e7F})
    for (const activation fused : {activation::none, activation::relu, activation::relu6}) {
      check({.pad = same_pads, .fused = fused}, {2, 7, 8, 3}, {5, 3, 3, 3}, {2, 7, 8, 5}, scale);
      check({.stride{2, 2}, .pad = same_pads, .fused = fused}, {1, 7, 8, 4}, {9, 2, 3, 4}, {1, 4, 4, 9}, scale,
            into_bytes(0.03F, 7));
      check({.fused = fused}, {2, 5, 6, 8}, {33, 1, 1, 8}, {2, 5, 6, 33}, scale, into_even_bytes(0.05F, -9));
      check({.dilation{1, 2}, .fused = fused}, {1, 5, 9, 3}, {4, 1, 3, 3}, {1, 5, 5, 4}, scale);
    }
}

TEST_CASE("conv2d_add of bytes: every number of filters around whole panels, and of pixels around whole tiles") {
  for (std::int64_t filters = 1; filters < 70; filters += filters < 36 ? 1 : 7)
    for (const std::int64_t width : {1, 5, 13})
      check({.fused = activation::relu}, {1, 1, width, 4}, {filters, 1, 1, 4}, {1, 1, width, filters}, 0.05F);
  for (const std::int64_t filters : {1, 4, 6, 8, 16})  // several pixels at once
    for (const float scale : {0.05F, 40.0F, 1e7F})
      check({.pad = same_pads}, {1, 4, 12, 3}, {filters, 3, 3, 3}, {1, 4, 12, filters}, scale),
          check({}, {1, 2, 32, 8}, {filters, 1, 1, 8}, {1, 2, 32, filters}, scale);
  for (std::int64_t height = 1; height < 20; ++height)
    check({.pad = same_pads}, {1, height, 3, 5}, {20, 3, 3, 5}, {1, height, 3, 20}, 0.05F);
}

TEST_CASE("conv2d_add of bytes: groups, one for each channel too; u8 with zero points of both factors") {
  check({.pad = same_pads, .group = 2}, {2, 5, 6, 6}, {8, 3, 3, 3}, {2, 5, 6, 8}, 0.04F);
  check({.pad = same_pads, .group = 17}, {1, 5, 6, 17}, {34, 3, 3, 1}, {1, 5, 6, 34}, 0.04F);
  for (const std::int32_t zero : {0, 128, 255}) {
    const given_operand w = constant(stored_bytes(u8, {6, 2, 2, 3}, quant{0.01F, zero}, 4));
    check_kernel<op>(form{.fused = activation::relu},
                     {stored_bytes(u8, {1, 5, 5, 3}, quant{0.02F, 120}, 3), w, quantised_bias(6, 5),
                      stored_bytes(u8, {1, 4, 4, 6}, quant{0.1F, zero}, 8)},
                     {}, into_bytes(0.05F, 100));
  }
}

TEST_CASE(
    "conv2d_add of bytes: a group for each channel - every number of channels around registers, of columns, rows in "
    "pairs and alone") {
  const std::vector<given_operand> small = {stored_bytes(i8, {1, 4, 4, 3}, quant{0.02F}, 3),
                                            quantised_filters(i8, {6, 3, 3, 1}, 0.01F, 4), quantised_bias(6, 5),
                                            stored_bytes(i8, {1, 2, 2, 6}, quant{0.1F}, 9)};
  CHECK(node_under_test<op>(form{.group = 3}, small, into_even_bytes(0.02F)).choose().name == "dot taps with addend");
  for (const std::int64_t channels : {2, 3, 4, 6, 15, 16, 17, 31, 33, 48, 63, 64, 65, 100, 128, 130})
    for (const float scale : {0.04F, 1e7F}) {
      check({.pad = same_pads, .group = channels, .fused = activation::relu}, {2, 5, 7, channels}, {channels, 3, 3, 1},
            {2, 5, 7, channels}, scale);
      check({.stride{2, 2}, .pad = same_pads, .group = channels}, {1, 9, 7, channels}, {channels, 3, 3, 1},
            {1, 5, 4, channels}, scale, into_bytes(0.03F, 7));
    }
  for (const std::int64_t height : {1, 2, 3, 8})
    check({.pad = same_pads, .group = 20}, {1, height, 5, 20}, {20, 5, 2, 1}, {1, height, 5, 20}, 0.05F);
  for (const std::int64_t times : {2, 3, 9})
    check({.dilation{2, 1}, .group = 5}, {1, 7, 6, 5}, {5 * times, 3, 3, 1}, {1, 3, 4, 5 * times}, 0.05F,
          into_even_bytes(0.05F, -9));
  // a kernel that is too wide for the depthwise one
  check({.pad = same_pads, .group = 4}, {1, 3, 40, 4}, {4, 1, 33, 1}, {1, 3, 40, 4}, 0.05F);
  for (const std::int32_t zero : {0, 128, 255}) {
    const given_operand w = constant(stored_bytes(u8, {24, 3, 3, 1}, quant{0.01F, zero}, 4)),
                        x = stored_bytes(u8, {1, 6, 5, 24}, quant{0.02F, 120}, 3);
    for (const float scale : {0.1F, 1e7F})
      check_kernel<op>(form{.group = 24, .fused = activation::relu},
                       {x, w, quantised_bias(24, 5), stored_bytes(u8, {1, 4, 3, 24}, quant{scale, zero}, 8)}, {},
                       into_bytes(0.05F, 100));
    check_kernel<op>(form{.group = 24}, {x, w, given_operand{}, stored_bytes(u8, {1, 4, 3, 24}, quant{0.1F, zero}, 8)},
                     {}, into_even_bytes(0.05F, 100));
  }
  for (const double range : {0.0, 2e9, 2147483520.0}) {
    const given_operand image = stored_bytes(i8, {1, 3, 4, 70}, quant{0.02F}, 3, bytes_are::all_highest),
                        addend = stored_bytes(i8, {1, 3, 4, 70}, quant{1e5F}, 9);
    check_kernel<op>(form{.group = 70},
                     {image, quantised_filters(i8, {70, 1, 1, 1}, 0.01F, 4), quantised_bias(70, 5, range), addend}, {},
                     into_even_bytes(2e3F));
    const std::vector<std::int8_t> zeros(70);
    check_kernel<op>(form{.group = 70},
                     {image, constant(bytes_of({i8, nhwc, {70, 1, 1, 1}, quant{0.01F}}, zeros.data())),
                      quantised_bias(70, 5, range), addend},
                     {}, into_even_bytes(2e3F));
  }
}

TEST_CASE("conv2d_add of bytes: sums of biases and addends beyond 32 bits saturate, those that come back do not") {
  for (const float scale : {0.02F, 100.0F, 1e5F, 3e5F, 1e9F})
    for (const double range : {0.0, 2e9, 2147483520.0}) {
      CAPTURE(range);
      const given_operand image = stored_bytes(i8, {1, 4, 4, 8}, quant{0.02F}, 3, bytes_are::all_highest),
                          addend = stored_bytes(i8, {1, 4, 4, 19}, quant{scale}, 9);
      check_kernel<op>(form{},
                       {image, quantised_filters(i8, {19, 1, 1, 8}, 0.01F, 4), quantised_bias(19, 5, range), addend},
                       {}, into_even_bytes(0.02F * scale));
      check_kernel<op>(form{},
                       {image, quantised_filters(i8, {19, 1, 1, 8}, 0.01F, 4), quantised_bias(19, 5, range), addend},
                       {}, into_bytes(1e4F, 3));
    }
}

TEST_CASE("conv2d_add of bytes: without a bias") {
  check_kernel<op>(form{},
                   {stored_bytes(i8, {1, 4, 4, 8}, quant{0.02F}, 3), quantised_filters(i8, {7, 1, 1, 8}, 0.01F, 4),
                    given_operand{}, stored_bytes(i8, {1, 4, 4, 7}, quant{0.1F}, 9)},
                   {}, into_even_bytes(0.02F));
}

TEST_CASE("conv2d_add of bytes: layers large enough for matrix registers, where the machine has them") {
  for (const float scale : {0.02F, 40.0F, 1e7F}) {
    check({.pad = same_pads, .fused = activation::relu}, {1, 5, 33, 16}, {40, 3, 3, 16}, {1, 5, 33, 40}, scale);
    check({}, {2, 5, 7, 64}, {33, 1, 1, 64}, {2, 5, 7, 33}, scale, into_bytes(0.03F, 7));
  }
}

TEST_CASE("conv2d_add of bytes: by Winograd's method where tiles may be wide") {
  const std::vector<given_operand> image = {stored_bytes(i8, {1, 8, 9, 40}, quant{0.02F}, 3),
                                            quantised_filters(i8, {36, 3, 3, 40}, 0.01F, 4), quantised_bias(36, 5),
                                            stored_bytes(i8, {1, 8, 9, 36}, quant{0.1F}, 9)};
  CHECK(node_under_test<op>(form{.pad = same_pads}, image, into_even_bytes(0.02F)).choose().name ==
        (kernels::has_wide_tiles ? "dot winograd with addend" : "dot windows with addend"));
  for (const float scale : {0.02F, 40.0F, 1e7F}) {
    check({.pad = same_pads, .fused = activation::relu}, {2, 8, 9, 40}, {36, 3, 3, 40}, {2, 8, 9, 36}, scale);
    check({}, {1, 9, 7, 64}, {21, 3, 3, 64}, {1, 7, 5, 21}, scale, into_bytes(0.03F, 7));
  }
}
