#include <nnrt/kernels/bind/conv2d.hpp>
#include <support/bytes.hpp>

using namespace nnrt_test;

namespace {

using attributes = ops::conv2d::attrs;

struct form {
  extent2 stride{1, 1}, dilation{1, 1};
  pads pad{};
  std::int64_t group = 1;
  activation fused = activation::none;

  operator attributes() const {
    attributes a;
    a.stride = stride, a.dilation = dilation, a.pad = pad, a.group = group, a.fused = fused;
    return a;
  }
};
constexpr pads same_pads{pad_mode::same};

/// i8 with a scale for each filter, factors around 1/100.
void check(const form& f, shape_t x, shape_t w, bool has_bias = true) {
  CAPTURE(w[0]);
  std::vector<given_operand> in{stored_bytes(i8, x, quant{0.02F, -3}, 3), quantised_filters(i8, w, 0.01F, 4)};
  if (has_bias) in.push_back(quantised_bias(w[0], 5));
  check_kernel<ops::conv2d>(f, in, {}, into_bytes(0.02F, 7));
}

}  // namespace

TEST_CASE("conv2d of bytes: padding in each mode, strides, dilation, with and without bias, fused activations") {
  for (const pads& pad : {pads{}, same_pads, pads{pad_mode::valid}, pads{pad_mode::explicit_pads, 1, 0, 2, 1}})
    for (const extent2 stride : {extent2{1, 1}, extent2{2, 3}})
      for (const extent2 dilation : {extent2{1, 1}, extent2{2, 1}, extent2{1, 2}})
        for (const activation fused : {activation::none, activation::relu, activation::relu6}) {
          CAPTURE(static_cast<int>(pad.mode));
          const form f{.stride = stride, .dilation = dilation, .pad = pad, .fused = fused};
          check(f, {2, 7, 8, 3}, {4, 3, 3, 3});
          check(f, {1, 7, 9, 4}, {5, 2, 4, 4}, false);
        }
}

TEST_CASE("conv2d of bytes: kernels of one pixel and of the whole image, few and many channels") {
  for (const std::int64_t channels : {1, 3, 4, 7, 8, 33}) {
    CAPTURE(channels);
    check({}, {2, 5, 6, channels}, {9, 1, 1, channels});
    check({.stride{2, 2}}, {2, 5, 6, channels}, {9, 1, 1, channels});
    check({}, {2, 5, 6, channels}, {9, 5, 6, channels});
  }
}

TEST_CASE("conv2d of bytes: pixels with 4K aliasing are gathered") {
  check({}, {1, 4, 5, 4096}, {33, 1, 1, 4096});
  check({.stride{1, 2}}, {1, 2, 27, 2048}, {33, 1, 1, 2048});
  check({}, {1, 2, 56, 1024}, {16, 2, 1, 1024});
}

TEST_CASE("conv2d of bytes: lines whose last tile has few rows are gathered where tiles have 6 and read wide numbers") {
  const kernels::conv_shape s{
      .height = 9, .width = 9, .in = 20, .out = 70, .kernel_h = 3, .kernel_w = 3, .out_height = 7, .out_width = 7};
  const bool is_gathered = kernels::tiles_read_wide && kernels::mr <= 6;
  CHECK(kernels::detail::int8_method_of(s) ==
        (is_gathered ? kernels::conv_method::gather : kernels::conv_method::direct));
  check({.pad = same_pads}, {2, 7, 7, 20}, {70, 3, 3, 20});
  check({.stride{2, 2}, .pad = same_pads, .fused = activation::relu}, {1, 14, 13, 24}, {64, 3, 3, 24});
  check({.pad = same_pads, .group = 2}, {1, 7, 7, 12}, {96, 3, 3, 6});
}

TEST_CASE("conv2d of bytes: pixels that have 4K aliasing only together are not made together") {
  if (kernels::int_lanes != 16) return;
  kernels::conv_shape s{
      .height = 1, .width = 79, .in = 1040, .out = 12, .kernel_w = 24, .out_height = 1, .out_width = 56};
  CHECK(kernels::detail::pixels_at_once(s) == 4);
  s.in = 1024;
  CHECK(kernels::detail::pixels_alias_4k(kernels::detail::joined(s, 4), 1));
  // two pay where one has no steps in pairs
  CHECK(kernels::detail::pixels_at_once(s) == (kernels::has_pairs_of_lanes ? 1 : 2));
}

TEST_CASE("conv2d of bytes: groups, one for each channel too") {
  check({.pad = same_pads, .group = 2}, {2, 5, 6, 6}, {8, 3, 3, 3});
  for (const std::int64_t channels : {2, 16, 35}) {
    CAPTURE(channels);
    check({.pad = same_pads, .group = channels}, {1, 5, 6, channels}, {channels, 3, 3, 1});
    check({.pad = same_pads, .group = channels}, {1, 5, 6, channels}, {2 * channels, 3, 3, 1});
  }
}

TEST_CASE("conv2d of bytes: every number of filters around whole panels, and of pixels around whole tiles") {
  // Narrow rows without gaps, several tiles of them; depths of whole eights and others.
  for (const std::int64_t n : {1, 3, 8, 12, 24})
    for (const std::int64_t channels : {3, 8, 16}) {
      check({.pad = same_pads}, {2, 3, 2 * kernels::mr + 5, channels}, {n, 3, 3, channels});
      check({}, {1, 7, kernels::mr, channels}, {n, 1, 1, channels});
    }
  for (std::int64_t n = 1; n <= 4 * kernels::int_lanes + 1; n += n < 4 ? 1 : 3) check({}, {1, 3, 5, 4}, {n, 3, 3, 4});
  for (std::int64_t n = 1; n <= 2 * kernels::mr + 1; ++n) {
    CAPTURE(n);
    check({}, {1, 1, n, 4}, {5, 1, 1, 4});
    check({.pad = same_pads}, {1, 2, n, 3}, {5, 3, 3, 3});
    check({.pad = same_pads}, {1, n, 1, 3}, {5, 3, 1, 3});
  }
}

TEST_CASE("conv2d of bytes: pixels that share dot products, of few filters, for any stride") {
  for (const std::int64_t n : {1, 4, 6, 8, 16})
    for (const std::int64_t stride : {1, 2, 3})
      for (const std::int64_t width : {6, 8, 14}) {
        CAPTURE(n);
        CAPTURE(stride);
        CAPTURE(width);
        check({.stride{1, stride}, .pad = same_pads}, {2, 4, width * stride, 3}, {n, 3, 3, 3});
        check({.stride{2, stride}, .fused = activation::relu}, {1, 9, (width - 1) * stride + 5, 1}, {n, 5, 5, 1});
      }
}

TEST_CASE("conv2d of bytes: kernels that reach far beyond the image") {
  check({.dilation{90, 1}, .pad = pads{pad_mode::explicit_pads, 90, 90, 0, 0}}, {1, 3, 4, 5}, {6, 3, 1, 5});
}

TEST_CASE("conv2d of bytes: u8 with zero points of both factors, at the ends of the range too") {
  for (const int x_zero : {0, 101, 255})
    for (const int w_zero : {0, 128, 255})
      for (const int y_zero : {0, 55, 255})
        for (const activation fused : {activation::none, activation::relu6}) {
          CAPTURE(x_zero);
          CAPTURE(w_zero);
          CAPTURE(y_zero);
          check_kernel<ops::conv2d>(
              form{.pad = same_pads, .fused = fused},
              {stored_bytes(u8, {1, 5, 6, 5}, quant{0.05F, x_zero}, 3),
               constant(stored_bytes(u8, {7, 3, 3, 5}, quant{0.02F, w_zero}, 4)), quantised_bias(7, 5)},
              {}, into_bytes(0.5F, y_zero));
        }
}

TEST_CASE("conv2d of bytes: i8 weights with a zero point") {
  for (const int w_zero : {-128, -3, 127})
    for (const shape_t& filters : {shape_t{7, 3, 3, 5}, shape_t{33, 1, 1, 5}}) {
      CAPTURE(w_zero);
      check_kernel<ops::conv2d>(
          form{.pad = same_pads},
          {stored_bytes(i8, {2, 5, 6, 5}, quant{0.05F, -7}, 3),
           constant(stored_bytes(i8, filters, quant{0.02F, w_zero}, 4)), quantised_bias(filters[0], 5)},
          {}, into_bytes(0.5F, 9));
    }
}

TEST_CASE("conv2d of bytes: factors that shift to the right and to the left, and none at all") {
  for (const float scale : {1e-9F, 1e-6F, 1e-3F, 0.4F, 0.5F, 0.99F, 1.0F, 3.7F, 900.0F, 4e9F})
    for (const int y_zero : {-128, 0, 127}) {
      CAPTURE(scale);
      check_kernel<ops::conv2d>(form{.pad = same_pads},
                                {stored_bytes(i8, {1, 4, 5, 6}, quant{1.0F, -128}, 3),
                                 quantised_filters(i8, {19, 3, 3, 6}, scale, 4), quantised_bias(19, 5, 50000)},
                                {}, into_bytes(1.0F, y_zero));
    }
}

TEST_CASE("conv2d of bytes: the largest products, and sums beyond 32 bits") {
  for (const bytes_are x : {bytes_are::all_lowest, bytes_are::all_highest, bytes_are::random})
    for (const bytes_are w : {bytes_are::all_lowest, bytes_are::all_highest, bytes_are::random})
      for (const int x_zero : {-128, 127})
        for (const float scale : {1e-10F, 3e-8F, 1e-5F, 2.0F}) {
          CAPTURE(static_cast<int>(x));
          CAPTURE(static_cast<int>(w));
          CAPTURE(scale);
          check_kernel<ops::conv2d>(
              form{},
              {stored_bytes(i8, {1, 1, 3, 200}, quant{1.0F, x_zero}, 3, x),
               quantised_filters(i8, {21, 1, 1, 200}, scale, 4, w), quantised_bias(21, 5, 2147483647.0)},
              {}, into_bytes(1.0F, 3));
        }
}

TEST_CASE("conv2d of bytes: weights that are computed are packed at each run") {
  check_kernel<ops::conv2d>(
      form{.pad = same_pads},
      {stored_bytes(i8, {1, 5, 6, 3}, quant{0.02F, 4}, 3), stored_bytes(i8, {6, 3, 3, 3}, quant{0.02F, 0}, 4)}, {},
      into_bytes(0.03F, 1));
}

TEST_CASE("conv2d of bytes: sums that may leave 32 bits without their bias are left to the reference") {
  const auto has_kernel = [](std::int64_t channels) {
    node_under_test<ops::conv2d> node(form{},
                                      {stored_bytes(i8, {1, 1, 1, channels}, quant{0.02F, 4}, 3),
                                       constant(stored_bytes(i8, {1, 1, 1, channels}, quant{0.02F, 0}, 4))},
                                      into_bytes(0.03F, 1));
    return bool(node.choose());
  };
  CHECK(has_kernel(kernels::max_byte_products));
  CHECK_FALSE(has_kernel(kernels::max_byte_products + 1));
}

TEST_CASE("conv2d of bytes: layers large enough for matrix registers, where the machine has them") {
  for (const activation fused : {activation::none, activation::relu}) {
    check({.pad = same_pads, .fused = fused}, {1, 5, 33, 16}, {40, 3, 3, 16});
    check({.stride{2, 2}, .pad = same_pads, .fused = fused}, {2, 9, 14, 64}, {48, 3, 3, 64});
    check({.fused = fused}, {2, 5, 7, 100}, {70, 1, 1, 100});
    check({.pad = same_pads, .group = 2, .fused = fused}, {1, 6, 20, 64}, {64, 3, 3, 32});
  }
}

TEST_CASE("conv2d of bytes: few filters, of up to sixteen pixels at once") {
  for (const std::int64_t filters : {1, 2, 3, 4, 8, 16})
    for (const std::int64_t width : {32, 34, 36, 40})
      for (const std::int64_t channels : {3, 16}) {
        check({.fused = activation::relu}, {2, 3, width, channels}, {filters, 1, 1, channels});
        check({.pad = same_pads}, {1, 4, width, channels}, {filters, 3, 3, channels});
      }
}

TEST_CASE(
    "conv2d of bytes: by Winograd's method where tiles may be wide - fused activations, factors of zero points, sums "
    "beyond lines") {
  const auto name = [](shape_t x, shape_t w) {
    return node_under_test<ops::conv2d>(form{.pad = same_pads},
                                        {stored_bytes(i8, x, quant{0.02F, -3}, 3), quantised_filters(i8, w, 0.01F, 4)},
                                        into_bytes(0.02F, 7))
        .choose()
        .name;
  };
  CHECK(name({2, 8, 9, 40}, {36, 3, 3, 40}) == (kernels::has_wide_tiles ? "dot winograd" : "dot windows"));
  for (const activation fused : {activation::none, activation::relu, activation::relu6})
    for (const pads& pad : {pads{}, same_pads, pads{pad_mode::explicit_pads, 1, 0, 2, 1}})
      for (const bool has_bias : {false, true})
        check({.pad = pad, .fused = fused}, {2, 8, 9, 40}, {36, 3, 3, 40}, has_bias);
  for (const std::int64_t filters : {16, 17, 24, 33, 64})
    check({.pad = same_pads}, {1, 11, 6, 67}, {filters, 3, 3, 67});
  for (const std::int32_t zero : {0, 128, 255})
    for (const double bias : {0.0, 2147483520.0})
      check_kernel<ops::conv2d>(
          form{.pad = same_pads},
          {stored_bytes(u8, {1, 9, 10, 48}, quant{0.02F, 120}, 3),
           constant(stored_bytes(u8, {40, 3, 3, 48}, quant{0.01F, zero}, 4)), quantised_bias(40, 5, bias)},
          {}, into_bytes(0.05F, 100));
}
