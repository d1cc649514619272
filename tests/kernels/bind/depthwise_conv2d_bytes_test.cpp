#include <nnrt/kernels/bind/depthwise_conv2d.hpp>
#include <support/bytes.hpp>

using namespace nnrt_test;

namespace {

using attributes = ops::depthwise_conv2d::attrs;

struct form {
  extent2 stride{1, 1}, dilation{1, 1};
  pads pad{};
  activation fused = activation::none;

  operator attributes() const {
    attributes a;
    a.stride = stride, a.dilation = dilation, a.pad = pad, a.fused = fused;
    return a;
  }
};
constexpr pads same_pads{pad_mode::same};

/// i8 with a scale for each filter, factors around 1/30.
void check(const form& f, shape_t x, shape_t w, bool has_bias = true) {
  CAPTURE(w[0]);
  std::vector<given_operand> in{stored_bytes(i8, x, quant{0.02F, -3}, 3), quantised_filters(i8, w, 0.03F, 4)};
  if (has_bias) in.push_back(quantised_bias(w[0], 5));
  check_kernel<ops::depthwise_conv2d>(f, in, {}, into_bytes(0.02F, 7));
}

}  // namespace

TEST_CASE("depthwise_conv2d of bytes: padding in each mode, strides, dilation, kernels, fused activations") {
  for (const pads& pad : {same_pads, pads{pad_mode::valid}, pads{pad_mode::explicit_pads, 1, 0, 2, 1}})
    for (const extent2 stride : {extent2{1, 1}, extent2{2, 2}, extent2{1, 3}, extent2{3, 1}})
      for (const extent2 dilation : {extent2{1, 1}, extent2{2, 1}, extent2{1, 2}, extent2{2, 3}})
        for (const activation fused : {activation::none, activation::relu, activation::relu6}) {
          CAPTURE(static_cast<int>(pad.mode));
          const form f{.stride = stride, .dilation = dilation, .pad = pad, .fused = fused};
          check(f, {2, 9, 11, 5}, {5, 3, 3, 1});
          check(f, {1, 10, 13, 8}, {8, 2, 4, 1}, false);
        }
}

TEST_CASE("depthwise_conv2d of bytes: images with a register of channels, which are read where they lie") {
  for (const std::int64_t channels :
       {kernels::register_bytes, kernels::register_bytes + 7, 2 * kernels::register_bytes})
    for (const pads& pad : {same_pads, pads{pad_mode::valid}, pads{pad_mode::explicit_pads, 3, 1, 0, 2}})
      for (const extent2 stride : {extent2{1, 1}, extent2{2, 2}, extent2{1, 2}, extent2{2, 1}, extent2{3, 3}})
        for (const extent2 dilation : {extent2{1, 1}, extent2{2, 1}, extent2{2, 3}}) {
          CAPTURE(static_cast<int>(pad.mode));
          CAPTURE(channels);
          const form f{.stride = stride, .dilation = dilation, .pad = pad};
          check(f, {2, 7, 9, channels}, {channels, 3, 3, 1});
          check(f, {1, 12, 13, channels}, {channels, 5, 4, 1}, false);
        }
  check({.pad = same_pads}, {1, 1, 1, 2 * kernels::register_bytes}, {2 * kernels::register_bytes, 9, 3, 1});
}

TEST_CASE(
    "depthwise_conv2d of bytes: registers of several pixels that are read where they lie, or would be but for one "
    "thing") {
  for (const std::int64_t channels : {4, 8, 16, 32}) {
    const std::int64_t in_register = std::max<std::int64_t>(1, kernels::register_bytes / channels);
    for (std::int64_t registers = 1; registers <= 5; ++registers)
      for (const std::int64_t more : {0, 1})
        for (const std::int64_t kernel_h : {1, 2, 3, 4})
          for (std::int64_t h = 1; h <= 4; ++h) {
            CAPTURE(registers);
            CAPTURE(more);
            CAPTURE(h);
            const shape_t x{2, h, registers * in_register + more, channels}, w{channels, kernel_h, 3, 1};
            check({.pad = same_pads}, x, w);
            check({.pad = same_pads, .fused = activation::relu6}, x, w, false);
          }
  }
  for (const std::int64_t channels : {8, 16, 32})
    for (const std::int64_t left : {0, 1, 2})
      for (const std::int64_t top : {0, 1, 2})
        for (const std::int64_t multiplier : {1, 2}) {
          CAPTURE(left);
          CAPTURE(top);
          const pads pad{pad_mode::explicit_pads, top, 1, left, 1};
          check({.pad = pad}, {1, 5, 16, channels}, {channels * multiplier, 3, 3, 1});
          check({.dilation{1, 2}, .pad = pad}, {1, 5, 16, channels}, {channels * multiplier, 3, 3, 1});
          check({.dilation{2, 1}, .pad = pad}, {1, 5, 16, channels}, {channels * multiplier, 3, 3, 1});
        }
  for (const int zero : {0, 101, 255})
    check_kernel<ops::depthwise_conv2d>(
        form{.pad = same_pads},
        {stored_bytes(u8, {1, 5, 16, 16}, quant{0.05F, zero}, 3),
         constant(stored_bytes(u8, {16, 3, 3, 1}, quant{0.02F, 128}, 4)), quantised_bias(16, 5)},
        {}, into_bytes(0.05F, 55));
}

TEST_CASE("depthwise_conv2d of bytes: results beyond 16 bits before they are clamped") {
  for (const std::int64_t channels : {8, 16, 32, 64, 70})
    for (const bytes_are w : {bytes_are::all_lowest, bytes_are::all_highest, bytes_are::random})
      for (const float scale : {0.02F, 0.002F}) {
        CAPTURE(channels);
        CAPTURE(scale);
        check_kernel<ops::depthwise_conv2d>(
            form{.pad = same_pads, .fused = activation::relu},
            {stored_bytes(i8, {1, 5, 16, channels}, quant{0.02F, -3}, 3, bytes_are::all_highest),
             quantised_filters(i8, {channels, 3, 3, 1}, 0.03F, 4, w), quantised_bias(channels, 5)},
            {}, into_bytes(scale, -100));
      }
}

TEST_CASE("depthwise_conv2d of bytes: pixels of 8, 16 and 32 channels, whose columns a stride tears apart") {
  for (const std::int64_t channels : {8, 16, 24, 32})
    for (std::int64_t width = 1; width <= 21; ++width)
      for (const std::int64_t stride : {2, 3})
        for (const std::int64_t left : {0, 1, 2}) {
          CAPTURE(left);
          const pads pad{pad_mode::explicit_pads, 1, 1, left, 2};
          check({.stride{stride, stride}, .pad = pad}, {1, 5, width, channels}, {channels, 3, 3, 1});
        }
}

TEST_CASE("depthwise_conv2d of bytes: kernels of every height and width") {
  for (std::int64_t h = 1; h <= 9; ++h)
    for (std::int64_t w = 1; w <= 7; w += 2)
      for (const std::int64_t stride : {1, 2}) {
        CAPTURE(h);
        CAPTURE(w);
        check({.stride{stride, stride}, .pad = same_pads}, {1, 11, 9, 6}, {6, h, w, 1});
      }
}

TEST_CASE("depthwise_conv2d of bytes: scratch is no larger than what is read, however far a kernel reaches") {
  constexpr std::int64_t far = 2147483647;
  check({.dilation{far, 1}}, {1, 8, 8, 4}, {4, 1, 1, 1});
  check({.dilation{1, far}}, {1, 8, 8, 4}, {4, 3, 1, 1});
  check({.dilation{far, far}}, {1, 8, 8, 2 * kernels::register_bytes}, {2 * kernels::register_bytes, 1, 1, 1});
  for (const std::int64_t step : {std::int64_t{100'000}, far}) {
    const pads around{pad_mode::explicit_pads, step, step, step, step};
    const auto is_left = [&](const form& f, shape_t x, shape_t w) {
      return has_no_kernel<ops::depthwise_conv2d>(
          f, {stored_bytes(i8, x, quant{0.02F, -3}, 3), quantised_filters(i8, w, 0.03F, 4)}, into_bytes(0.02F, 7));
    };
    CHECK(is_left({.stride{step, step}, .pad = around}, {1, 8, 8, 4}, {4, 1, 1, 1}));
    CHECK(is_left({.dilation{step, step}, .pad = around}, {1, 2, 2, 4}, {4, 3, 3, 1}));
  }
}

TEST_CASE("depthwise_conv2d of bytes: every number of channels around whole registers, and multipliers") {
  for (std::int64_t c = 1; c <= 2 * kernels::register_bytes + 5; c += c % 8 == 0 || c % 8 == 7 ? 1 : 3)
    for (const std::int64_t stride : {1, 2})
      check({.stride{stride, stride}, .pad = same_pads}, {1, 5, 7, c}, {c, 3, 3, 1});
  for (const std::int64_t c : {1, 3, 40})
    for (const std::int64_t multiplier : {2, 3, 8})
      for (const std::int64_t stride : {1, 2})
        check({.stride{stride, stride}, .pad = same_pads}, {1, 5, 7, c}, {c * multiplier, 3, 3, 1});
}

TEST_CASE("depthwise_conv2d of bytes: images of every height, and stripes of large ones") {
  for (std::int64_t h = 1; h <= 8; ++h)
    for (const std::int64_t stride : {1, 2})
      check({.stride{stride, stride}, .pad = same_pads}, {2, h, 3, 4}, {4, 3, 3, 1});
  check({.pad = same_pads}, {1, 40, 100, 24}, {24, 5, 5, 1});
  check({.stride{2, 2}, .pad = same_pads}, {1, 40, 100, 24}, {24, 3, 3, 1});
  // Several sets of channels, and stripes of rows that are read where they lie.
  for (const std::int64_t stride : {1, 2})
    check({.stride{stride, stride}, .pad = same_pads}, {1, 33, 75, 130}, {130, 3, 3, 1});
}

TEST_CASE("depthwise_conv2d of bytes: u8 images with a register of channels") {
  for (const int x_zero : {0, 101, 255})
    check_kernel<ops::depthwise_conv2d>(
        form{.pad = same_pads},
        {stored_bytes(u8, {2, 5, 6, 70}, quant{0.05F, x_zero}, 3),
         constant(stored_bytes(u8, {70, 3, 3, 1}, quant{0.02F, 128}, 4)), quantised_bias(70, 5)},
        {}, into_bytes(0.05F, 55));
}

TEST_CASE("depthwise_conv2d of bytes: u8 with zero points of both factors, at the ends of the range too") {
  for (const int x_zero : {0, 101, 255})
    for (const int w_zero : {0, 128, 200, 255})
      for (const int y_zero : {0, 55, 255}) {
        CAPTURE(x_zero);
        CAPTURE(w_zero);
        CAPTURE(y_zero);
        check_kernel<ops::depthwise_conv2d>(
            form{.pad = same_pads},
            {stored_bytes(u8, {1, 5, 6, 5}, quant{0.05F, x_zero}, 3),
             constant(stored_bytes(u8, {5, 3, 3, 1}, quant{0.02F, w_zero}, 4)), quantised_bias(5, 5)},
            {}, into_bytes(0.05F, y_zero));
      }
}

TEST_CASE("depthwise_conv2d of bytes: i8 weights with a zero point") {
  for (const int w_zero : {-128, -3, 127})
    for (const std::int64_t channels : {5, 70}) {
      CAPTURE(w_zero);
      check_kernel<ops::depthwise_conv2d>(
          form{.pad = same_pads},
          {stored_bytes(i8, {2, 5, 6, channels}, quant{0.05F, -7}, 3),
           constant(stored_bytes(i8, {channels, 3, 3, 1}, quant{0.02F, w_zero}, 4)), quantised_bias(channels, 5)},
          {}, into_bytes(0.05F, 9));
    }
}

TEST_CASE("depthwise_conv2d of bytes: factors of every size, the largest products, sums beyond 32 bits") {
  for (const bytes_are w : {bytes_are::all_lowest, bytes_are::all_highest, bytes_are::random})
    for (const float scale : {1e-10F, 3e-8F, 1e-5F, 0.003F, 0.5F, 2.0F, 900.0F})
      for (const double bias : {1000.0, 2147483647.0}) {
        CAPTURE(static_cast<int>(w));
        CAPTURE(scale);
        check_kernel<ops::depthwise_conv2d>(
            form{.pad = same_pads},
            {stored_bytes(i8, {1, 4, 5, 70}, quant{1.0F, -128}, 3, bytes_are::all_highest),
             quantised_filters(i8, {70, 3, 3, 1}, scale, 4, w), quantised_bias(70, 5, bias)},
            {}, into_bytes(1.0F, 3));
      }
}
