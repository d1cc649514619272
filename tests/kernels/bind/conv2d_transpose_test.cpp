#include <nnrt/kernels/bind/conv2d_transpose.hpp>
#include <support/bytes.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

using attributes = ops::conv2d_transpose::attrs;
constexpr tolerance allowed{1e-4, 2e-5};

struct form {
  extent2 stride{1, 1}, dilation{1, 1};
  pads pad{};
  extent2 added{0, 0};
  std::int64_t group = 1;
  activation fused = activation::none;

  operator attributes() const {
    attributes a;
    a.stride = stride, a.dilation = dilation, a.pad = pad, a.output_paddings = added, a.group = group, a.fused = fused;
    return a;
  }
};
constexpr pads same_pads{pad_mode::same}, valid_pads{pad_mode::valid};

std::vector<given_operand> operands(shape_t x, shape_t w, bool has_bias = true) {
  std::vector<given_operand> in{floats(x, 3), constant(floats(w, 4))};
  if (has_bias) in.push_back(constant(floats({w[0]}, 5)));
  return in;
}

}  // namespace

TEST_CASE("conv2d_transpose: padding in each mode, with and without bias, with fused activations") {
  for (const pads& pad : {pads{}, same_pads, valid_pads, pads{pad_mode::explicit_pads, 1, 0, 2, 1}})
    for (const extent2 stride : {extent2{1, 1}, extent2{2, 3}})
      for (const extent2 dilation : {extent2{1, 1}, extent2{2, 1}})
        for (const activation fused : {activation::none, activation::relu, activation::relu6}) {
          CAPTURE(static_cast<int>(pad.mode));
          const form f{.stride = stride, .dilation = dilation, .pad = pad, .fused = fused};
          check_kernel<ops::conv2d_transpose>(f, operands({2, 5, 6, 3}, {4, 3, 3, 3}), allowed);
          check_kernel<ops::conv2d_transpose>(f, operands({1, 4, 3, 2}, {5, 2, 4, 2}, false), allowed);
        }
}

TEST_CASE("conv2d_transpose: groups, one for each channel too") {
  check_kernel<ops::conv2d_transpose>(form{.stride{2, 2}, .group = 2}, operands({2, 5, 6, 6}, {8, 3, 3, 3}), allowed);
  for (const std::int64_t channels : {2, 16, 35}) {
    CAPTURE(channels);
    const form f{.stride{2, 2}, .pad = same_pads, .group = channels};
    check_kernel<ops::conv2d_transpose>(f, operands({2, 5, 6, channels}, {channels, 4, 4, 1}), allowed);
    check_kernel<ops::conv2d_transpose>(f, operands({2, 5, 6, channels}, {2 * channels, 3, 3, 1}), allowed);
  }
}

TEST_CASE("conv2d_transpose: output paddings and declared sizes") {
  check_kernel<ops::conv2d_transpose>(form{.stride{2, 3}, .added{1, 2}}, operands({2, 5, 6, 3}, {4, 3, 3, 3}), allowed);
  for (const std::int64_t rows : {13, 14, 15})
    check_kernel<ops::conv2d_transpose>(form{.stride{3, 1}, .pad = same_pads}, operands({1, 5, 6, 3}, {4, 4, 3, 3}),
                                        allowed, {{f32, {1, rows, 6, 4}}});
  for (const std::int64_t rows : {16, 17, 18})
    check_kernel<ops::conv2d_transpose>(form{.stride{3, 1}, .pad = valid_pads}, operands({1, 5, 6, 3}, {4, 4, 3, 3}),
                                        allowed, {{f32, {1, rows, 8, 4}}});
}

TEST_CASE("conv2d_transpose: every number of filters around whole panels, and of pixels around whole tiles") {
  for (std::int64_t n = 1; n <= 3 * kernels::f32_lanes + 1; n += n < 4 ? 1 : 3) {
    CAPTURE(n);
    check_kernel<ops::conv2d_transpose>(form{.stride{2, 2}}, operands({1, 3, 5, 3}, {n, 3, 3, 3}), allowed);
  }
  for (std::int64_t n = 1; n <= 2 * kernels::mr + 1; n += 3) {
    CAPTURE(n);
    check_kernel<ops::conv2d_transpose>(form{.stride{2, 2}}, operands({1, 3, n, 3}, {5, 3, 3, 3}), allowed);
    check_kernel<ops::conv2d_transpose>(form{.stride{2, 2}}, operands({1, n, 1, 3}, {5, 2, 2, 3}), allowed);
  }
}

TEST_CASE("conv2d_transpose: weights that are computed are packed at each run, other dtypes run the reference") {
  std::vector<given_operand> computed_weight{floats({1, 3, 4, 3}, 3), floats({4, 3, 3, 3}, 4)};
  check_kernel<ops::conv2d_transpose>(form{.stride{2, 2}}, computed_weight, allowed);
  CHECK(has_no_kernel<ops::conv2d_transpose>({}, {pattern(f64, {1, 3, 4, 3}), pattern(f64, {4, 3, 3, 3})}));
  CHECK(has_no_kernel<ops::conv2d_transpose>({}, {floats({0, 3, 4, 3}), floats({4, 3, 3, 3})}));
  // 32 x 32 phases are computed, 33 x 32 are not.
  check_kernel<ops::conv2d_transpose>(form{.stride{32, 40}}, operands({1, 2, 2, 2}, {1, 33, 32, 2}), allowed);
  CHECK(has_no_kernel<ops::conv2d_transpose>(form{.stride{33, 32}}, operands({1, 2, 2, 2}, {1, 33, 32, 2})));
}

TEST_CASE("conv2d_transpose of bytes: padding, strides, dilation, groups, gaps, fused activations, zero points") {
  for (const dtype type : {i8, u8})
    for (const pads& pad : {pads{}, same_pads, valid_pads, pads{pad_mode::explicit_pads, 1, 0, 2, 1}})
      for (const extent2 stride : {extent2{1, 1}, extent2{2, 3}, extent2{4, 4}})
        for (const extent2 dilation : {extent2{1, 1}, extent2{2, 1}, extent2{1, 2}})
          for (const std::int64_t group : {1, 2})
            for (const activation fused : {activation::none, activation::relu}) {
              CAPTURE(static_cast<int>(pad.mode));
              CAPTURE(group);
              const form f{.stride = stride, .dilation = dilation, .pad = pad, .group = group, .fused = fused};
              const int first = type == u8 ? 0 : -128;
              const shape_t filters{34, 3, 2, 6 / group};
              const given_operand x = stored_bytes(type, {2, 5, 6, 6}, quant{0.02F, first + 50}, 3),
                                  w = type == u8 ? constant(stored_bytes(u8, filters, quant{0.03F, 99}, 4))
                                                 : quantised_filters(i8, filters, 0.02F, 4);
              check_kernel<ops::conv2d_transpose>(f, {x, w, quantised_bias(34, 5)}, {}, into_bytes(0.03F, first + 120));
              const given_operand shifted = constant(stored_bytes(type, filters, quant{0.02F, first + 31}, 4));
              check_kernel<ops::conv2d_transpose>(f, {x, shifted}, {}, into_bytes(0.03F, first + 120));
            }
}

TEST_CASE("conv2d_transpose of bytes: phases by Winograd's method where tiles may be wide") {
  for (const extent2 stride : {extent2{1, 1}, extent2{2, 2}}) {
    const shape_t filters{36, 3 * stride.h, 3 * stride.w, 40};
    check_kernel<ops::conv2d_transpose>(form{.stride = stride, .pad = same_pads},
                                        {stored_bytes(i8, {2, 8, 9, 40}, quant{0.02F, 5}, 3),
                                         quantised_filters(i8, filters, 0.02F, 4), quantised_bias(36, 5)},
                                        {}, into_bytes(0.03F, 7));
    check_kernel<ops::conv2d_transpose>(
        form{.stride = stride},
        {stored_bytes(u8, {1, 7, 8, 33}, quant{0.02F, 99}, 3),
         constant(stored_bytes(u8, {17, 3 * stride.h, 3 * stride.w, 33}, quant{0.03F, 9}, 4))},
        {}, into_bytes(0.03F, 120));
  }
}
