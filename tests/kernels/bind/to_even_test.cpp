// Kernels of quantised bytes whose results are rounded half to even: the references' bits, as an accelerator's policy
// asks for.
#include <nnrt/kernels/bind/binary.hpp>
#include <nnrt/kernels/bind/concat.hpp>
#include <nnrt/kernels/bind/conv2d.hpp>
#include <nnrt/kernels/bind/conv2d_transpose.hpp>
#include <nnrt/kernels/bind/depthwise_conv2d.hpp>
#include <nnrt/kernels/bind/full_connection.hpp>
#include <nnrt/kernels/bind/pools.hpp>
#include <nnrt/kernels/bind/quant_dtype_cast.hpp>
#include <nnrt/kernels/bind/reduce_mean.hpp>
#include <nnrt/kernels/bind/unary.hpp>
#include <support/bytes.hpp>

using namespace nnrt_test;

namespace {

constexpr pads same_pads{pad_mode::same};

/// Scales of filters that are one power of two make halves usual; those that grow do not.
given_operand filters(shape_t shape, float scale, bool is_shift) {
  given_operand w = quantised_filters(i8, shape, scale, 4);
  if (is_shift)
    for (float& s : w.scales) s = scale;
  return w;
}

void check_layer(shape_t x, shape_t w, std::int64_t group, extent2 stride, activation fused, std::int32_t y_zero) {
  for (const bool is_shift : {true, false}) {
    CAPTURE(is_shift);
    const std::vector<given_operand> in{stored_bytes(i8, x, quant{0x1p-5F, 0}, 3), filters(w, 0x1p-7F, is_shift),
                                        quantised_bias(w[0], 5)};
    const auto set = [&](auto& a) { a.stride = stride, a.pad = same_pads, a.fused = fused; };
    if (group == 0) {
      ops::depthwise_conv2d::attrs a;
      set(a);
      check_kernel<ops::depthwise_conv2d>(a, in, {}, into_even_bytes(0x1p-4F, y_zero));
    } else {
      ops::conv2d::attrs a;
      set(a);
      a.group = group;
      check_kernel<ops::conv2d>(a, in, {}, into_even_bytes(0x1p-4F, y_zero));
    }
  }
}

}  // namespace

TEST_CASE("to even: conv2d, for channels and pixels around tiles, strides, groups, activations, zero points") {
  for (const activation fused : {activation::none, activation::relu, activation::relu6})
    for (const std::int32_t y_zero : {0, 7}) {
      CAPTURE(y_zero);
      check_layer({2, 7, 9, 3}, {5, 3, 3, 3}, 1, {1, 1}, fused, y_zero);
      check_layer({1, 6, 7, 8}, {33, 1, 1, 8}, 1, {2, 2}, fused, y_zero);
      check_layer({1, 5, 6, 6}, {8, 3, 3, 3}, 2, {1, 1}, fused, y_zero);
      check_layer({1, 5, 6, 4}, {4, 3, 3, 1}, 4, {1, 2}, fused, y_zero);
    }
  for (const std::int64_t n : {1, 2, 15, 16, 17, 31, 32, 33})
    check_layer({1, 3, n, 4}, {n, 3, 3, 4}, 1, {1, 1}, activation::relu, 0);
}

TEST_CASE("to even: depthwise_conv2d") {
  for (const std::int64_t channels : {1, 3, 16, 35})
    for (const activation fused : {activation::none, activation::relu6}) {
      CAPTURE(channels);
      check_layer({2, 7, 9, channels}, {channels, 3, 3, 1}, 0, {1, 1}, fused, 0);
      check_layer({1, 7, 9, channels}, {2 * channels, 5, 5, 1}, 0, {2, 2}, fused, -3);
    }
}

TEST_CASE("to even: full_connection and conv2d_transpose") {
  for (const std::int64_t rows : {1, 2, 7})
    for (const std::int64_t n : {1, 10, 33}) {
      CAPTURE(n);
      check_kernel<ops::full_connection>(
          {},
          {stored_bytes(i8, {rows, 19}, quant{0x1p-5F, 0}, 3), filters({n, 19}, 0x1p-7F, true), quantised_bias(n, 5)},
          {}, into_even_bytes(0x1p-4F));
      check_kernel<ops::full_connection>(
          {}, {stored_bytes(i8, {rows, 64}, quant{0.02F, 0}, 3), filters({n, 64}, 0.01F, false)}, {},
          into_even_bytes(0.05F));
    }
  ops::conv2d_transpose::attrs a;
  a.stride = {2, 2};
  a.pad = same_pads;
  check_kernel<ops::conv2d_transpose>(a,
                                      {stored_bytes(i8, {1, 5, 6, 4}, quant{0x1p-5F, 0}, 3),
                                       filters({7, 3, 3, 4}, 0x1p-7F, true), quantised_bias(7, 5)},
                                      {}, into_even_bytes(0x1p-4F));
}

TEST_CASE("to even: sums and differences of tensors, of one shape and broadcast") {
  for (const float to : {0x1p-4F, 0.03F, 0.7F})
    for (const shape_t& b : {shape_t{2, 5, 6, 17}, shape_t{17}, shape_t{1}}) {
      CAPTURE(to);
      const std::vector<given_operand> in{stored_bytes(i8, {2, 5, 6, 17}, quant{0x1p-5F, 0}, 3),
                                          stored_bytes(i8, b, quant{0x1p-6F, 0}, 9)};
      check_kernel<ops::add>({}, in, {}, into_even_bytes(to));
      check_kernel<ops::sub>({}, in, {}, into_even_bytes(to, 1));
      check_kernel<ops::mul>({}, in, {}, into_even_bytes(to / 4));
      check_kernel<ops::maximum>({}, in, {}, into_even_bytes(to));
      check_kernel<ops::minimum>({}, in, {}, into_even_bytes(to));
    }
}

TEST_CASE("to even: relu by a table, floats that are stored") {
  check_kernel<ops::relu>({}, {stored_bytes(i8, {3, 11, 33}, quant{0x1p-5F, 0}, 3)}, {}, into_even_bytes(0x1p-4F));
  for (const dtype type : {i8, u8, i16}) {
    ops::quant_dtype_cast::attrs a;
    a.src_t = static_cast<int>(f32), a.dst_t = static_cast<int>(type);
    std::vector<float> halves;
    for (int i = -600; i < 600; ++i) halves.push_back(static_cast<float>(i) * 0.25F);
    halves.insert(halves.end(),
                  {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -1e30F});
    for (const std::int32_t zero : {0, 3})
      check_kernel<ops::quant_dtype_cast>(a,
                                          {bytes_of({f32, {static_cast<std::int64_t>(halves.size())}}, halves.data())},
                                          {}, into_even_bytes(0.5F, zero));
  }
}

TEST_CASE("to even: tables of functions") {
  const std::vector<given_operand> in{stored_bytes(i8, {3, 11, 33}, quant{0x1p-5F, 0}, 3)};
  check_kernel<ops::sigmoid>({}, in, {}, into_even_bytes(0x1p-7F));
  check_kernel<ops::tanh>({}, in, {}, into_even_bytes(0x1p-7F));
  check_kernel<ops::gelu>({}, in, {}, into_even_bytes(0x1p-5F));
  check_kernel<ops::hswish>({}, in, {}, into_even_bytes(0x1p-4F));
  check_kernel<ops::exp>({}, in, {}, into_even_bytes(0.4F));
  check_kernel<ops::neg>({}, in, {}, into_even_bytes(0x1p-4F));
  ops::clip::attrs bounds;
  bounds.min = -1, bounds.max = 2;
  check_kernel<ops::clip>(bounds, in, {}, into_even_bytes(0x1p-4F));
  ops::leaky_relu::attrs slope;
  slope.negative_slope = 0.25F;
  check_kernel<ops::leaky_relu>(slope, in, {}, into_even_bytes(0x1p-4F));
}

TEST_CASE("to even: joined tensors of several scales, and means along axes, are left to the reference") {
  ops::concat::attrs along;
  CHECK(has_no_kernel<ops::concat>(
      along, {stored_bytes(i8, {4, 64}, quant{0x1p-5F, 0}, 3), stored_bytes(i8, {4, 64}, quant{0x1p-6F, 0}, 3)},
      into_even_bytes(0x1p-4F)));
  ops::reduce_mean::attrs kept;
  const std::vector<given_operand> in{stored_bytes(i8, {8, 64}, quant{0x1p-5F, 0}, 3), integers_of({0})};
  CHECK(has_no_kernel<ops::reduce_mean>(kept, in, into_even_bytes(0x1p-4F)));
  CHECK_FALSE(has_no_kernel<ops::reduce_mean>(kept, in, into_bytes(0x1p-4F, 0)));
}

TEST_CASE("to even: means of windows, whole ones and those at the border") {
  for (const dtype type : {i8, u8})
    for (const extent2 kernel : {extent2{2, 2}, extent2{3, 3}, extent2{1, 2}, extent2{8, 7}}) {
      ops::avg_pool::attrs a;
      a.kernel = kernel, a.pad = same_pads;
      for (const std::int64_t channels : {1, 16, 33, 65}) {
        CAPTURE(channels);
        check_kernel<ops::avg_pool>(
            a, {stored_bytes(type, {2, 8, 7, channels},
                             quant{0x1p-5F, type == i8 ? 0 : 128, quantised_rounding::half_to_even}, 3)});
      }
      for (const bytes_are fill : {bytes_are::all_lowest, bytes_are::all_highest})
        check_kernel<ops::avg_pool>(
            a, {stored_bytes(type, {1, 8, 7, 20}, quant{0x1p-5F, 3, quantised_rounding::half_to_even}, 3, fill)});
    }
}
