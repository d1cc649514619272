// conv2d: its rules one by one, its shapes, and its meaning against numbers that other code computed.
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/relu.hpp>
#include <support/plain_integers.hpp>
#include <support/quantised.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace {

using namespace nnrt_test;
using op = ops::conv2d;
using rule = op::rule;

struct form {
  extent2 stride{1, 1}, dilation{1, 1};
  pads pad{};
  std::int64_t group = 1;
  activation fused = activation::none;

  constexpr operator op::attrs() const {
    op::attrs a;
    a.stride = stride, a.dilation = dilation, a.pad = pad, a.group = group, a.fused = fused;
    return a;
  }
};
constexpr pads same_pads{pad_mode::same, 0, 0, 0, 0}, valid_pads{pad_mode::valid, 0, 0, 0, 0};
constexpr pads around(std::int64_t top, std::int64_t bottom, std::int64_t left, std::int64_t right) {
  return {pad_mode::explicit_pads, top, bottom, left, right};
}
constexpr quantisation q(float scale, int zero_point) { return quant{scale, zero_point}; }
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max(), limit = max_window_length;

constexpr operand x8 = computed(f32_of({1, 8, 8, 4})), w3 = weight(f32_of({6, 3, 3, 4}));
constexpr tensor_desc x_i8{i8, nhwc, {1, 8, 8, 4}, q(0.5F, 5)}, w_i8{i8, nhwc, {6, 3, 3, 4}, q(0.1F, 0)},
    y_i8{i8, nhwc, {1, 6, 6, 6}, q(1.5F, -7)};
constexpr tensor_desc x_u8{u8, nhwc, {1, 8, 8, 4}, q(0.5F, 128)}, w_u8{u8, nhwc, {6, 3, 3, 4}, q(0.1F, 120)},
    y_u8{u8, nhwc, {1, 6, 6, 6}, q(1.5F, 255)};

TEST_CASE("conv2d: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(op, {"rank 3", form{}, {computed(f32_of({8, 8, 4})), w3}, {}, rule::input_rank_must_be_4, 3, 4});
  NNRT_CHECK_REFUSED(
      op,
      {"nchw", form{}, {computed({f32, nchw, {1, 4, 8, 8}}), w3}, {}, rule::input_must_be_nhwc, int(nchw), int(nhwc)});
  NNRT_CHECK_REFUSED(op, {"flat weight", form{}, {x8, weight(f32_of({6, 36}))}, {}, rule::weight_rank_must_be_4, 2, 4});
  NNRT_CHECK_REFUSED(
      op,
      {"OIHW", form{}, {x8, weight({f32, nchw, {6, 4, 3, 3}})}, {}, rule::weight_must_be_nhwc, int(nchw), int(nhwc)});
  NNRT_CHECK_REFUSED(op, {"mixed dtypes",
                          form{},
                          {x8, weight({f16, {6, 3, 3, 4}})},
                          {},
                          rule::weight_type_must_equal_input_type,
                          int(f16),
                          int(f32)});
  NNRT_CHECK_REFUSED(op, {"group 0", form{.group = 0}, {x8, w3}, {}, rule::group_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(op, {"3 channels",
                          form{},
                          {computed(f32_of({1, 8, 8, 3})), w3},
                          {},
                          rule::input_channels_must_equal_weight_channels_times_group,
                          3,
                          4});
  NNRT_CHECK_REFUSED(op, {"too many groups",
                          form{.group = 2},
                          {x8, w3},
                          {},
                          rule::input_channels_must_equal_weight_channels_times_group,
                          4,
                          8});
  NNRT_CHECK_REFUSED(op, {"hostile group",
                          form{.group = huge},
                          {x8, w3},
                          {},
                          rule::input_channels_must_equal_weight_channels_times_group,
                          4,
                          huge});
  NNRT_CHECK_REFUSED(op, {"5 filters, 2 groups",
                          form{.group = 2},
                          {x8, weight(f32_of({5, 3, 3, 2}))},
                          {},
                          rule::output_channels_must_be_divisible_by_group,
                          5,
                          2});
  NNRT_CHECK_REFUSED(op, {"stride 0", form{.stride{0, 1}}, {x8, w3}, {}, rule::stride_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"negative stride", form{.stride{1, -huge}}, {x8, w3}, {}, rule::stride_must_be_positive, -huge, 1});
  NNRT_CHECK_REFUSED(op, {"dilation 0", form{.dilation{1, 0}}, {x8, w3}, {}, rule::dilation_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"empty kernel", form{}, {x8, weight(f32_of({6, 3, 0, 4}))}, {}, rule::kernel_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"negative pad", form{.pad = around(0, 0, 0, -1)}, {x8, w3}, {}, rule::pads_must_not_be_negative, -1, 0});
  NNRT_CHECK_REFUSED(op, {"hostile stride",
                          form{.stride{huge, 1}},
                          {x8, w3},
                          {},
                          rule::window_lengths_must_not_exceed_the_size_limit,
                          huge,
                          limit});
  NNRT_CHECK_REFUSED(op, {"hostile dilation",
                          form{.dilation{1, huge}, .pad = same_pads},
                          {x8, w3},
                          {},
                          rule::window_lengths_must_not_exceed_the_size_limit,
                          huge,
                          limit});
  NNRT_CHECK_REFUSED(op, {"hostile pad",
                          form{.pad = around(huge, huge, 0, 0)},
                          {x8, w3},
                          {},
                          rule::window_lengths_must_not_exceed_the_size_limit,
                          huge,
                          limit});
  NNRT_CHECK_REFUSED(
      op,
      {"9 rows of kernel", form{}, {x8, weight(f32_of({6, 9, 3, 4}))}, {}, rule::padded_input_must_cover_kernel, 8, 9});
  NNRT_CHECK_REFUSED(op, {"dilated width",
                          form{.dilation{1, 5}, .pad = around(0, 0, 1, 1)},
                          {x8, w3},
                          {},
                          rule::padded_input_must_cover_kernel,
                          10,
                          11});
  NNRT_CHECK_REFUSED(op, {"valid has no pads",
                          form{.dilation{4, 1}, .pad = valid_pads},
                          {x8, w3},
                          {},
                          rule::padded_input_must_cover_kernel,
                          8,
                          9});
  NNRT_CHECK_REFUSED(op, {"bias dtype",
                          form{},
                          {x8, w3, weight({f64, {6}})},
                          {},
                          rule::bias_type_must_equal_input_type,
                          int(f64),
                          int(f32)});
  NNRT_CHECK_REFUSED(op, {"bias count",
                          form{},
                          {x8, w3, weight(f32_of({7}))},
                          {},
                          rule::bias_must_have_one_element_for_each_output_channel,
                          7,
                          6});
}

TEST_CASE("conv2d: a quantised one needs scales, zero points and a bias that its arithmetic can use") {
  constexpr tensor_desc plain{i8, {1, 8, 8, 4}}, per_axis{i8, nhwc, {1, 8, 8, 4}, per_channel<3>},
      per_input{i8, nhwc, {6, 3, 3, 4}, per_channel<3>};
  constexpr tensor_desc far{i8, nhwc, {1, 8, 8, 4}, q(0.5F, 200)}, shifted{i8, nhwc, {6, 3, 3, 4}, q(0.1F, 3)};
  constexpr tensor_desc y_far{i8, nhwc, {1, 6, 6, 6}, q(1.5F, -129)}, y_plain{i8, {1, 6, 6, 6}};
  NNRT_CHECK_REFUSED(op, {"float bias",
                          form{},
                          {computed(x_i8), weight(w_i8), weight(f32_of({6}))},
                          {y_i8},
                          rule::bias_type_of_a_quantised_input_must_be_i32,
                          int(f32),
                          int(i32)});
  NNRT_CHECK_REFUSED(op, {"x without a scale",
                          form{},
                          {computed(plain), weight(w_i8)},
                          {y_i8},
                          rule::quantised_input_must_have_one_scale,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"x per channel",
                          form{},
                          {computed(per_axis), weight(w_i8)},
                          {y_i8},
                          rule::quantised_input_must_have_one_scale,
                          4,
                          1});
  NNRT_CHECK_REFUSED(
      op,
      {"nothing wanted", form{}, {computed(x_i8), weight(w_i8)}, {}, rule::quantised_output_must_have_one_scale, 0, 1});
  NNRT_CHECK_REFUSED(op, {"y without a scale",
                          form{},
                          {computed(x_i8), weight(w_i8)},
                          {y_plain},
                          rule::quantised_output_must_have_one_scale,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"w without a scale",
                          form{},
                          {computed(x_i8), weight({i8, {6, 3, 3, 4}})},
                          {y_i8},
                          rule::quantised_weight_must_have_a_scale,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"scales of input channels",
                          form{},
                          {computed(x_i8), weight(per_input)},
                          {y_i8},
                          rule::weight_scales_must_run_along_the_output_channels,
                          3,
                          0});
  NNRT_CHECK_REFUSED(op, {"all plain",
                          form{},
                          {computed(plain), weight({i8, {6, 3, 3, 4}}), weight({i32, {6}})},
                          {},
                          rule::quantised_input_must_have_one_scale,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"u8 with i8",
                          form{},
                          {computed(x_u8), weight(w_i8)},
                          {y_u8},
                          rule::weight_type_must_equal_input_type,
                          int(i8),
                          int(u8)});
  NNRT_CHECK_REFUSED(op, {"float bias with u8",
                          form{},
                          {computed(x_u8), weight(w_u8), weight({f64, {6}})},
                          {y_u8},
                          rule::bias_type_of_a_quantised_input_must_be_i32,
                          int(f64),
                          int(i32)});
  CHECK(infer<op>(form{}, {computed(x_i8), weight(shifted)}, {y_i8}).output(0) == y_i8);
  CHECK(breaks(infer<op>(form{}, {computed(far), weight(w_i8)}, {y_i8}),
               signature_rule::zero_point_must_be_a_number_of_the_type, 200, 127));
  CHECK(breaks(infer<op>(form{}, {computed(x_i8), weight(w_i8)}, {y_far}),
               signature_rule::zero_point_must_be_a_number_of_the_type, -129, -128));

  const verdict v =
      infer<op>(form{}, {computed(x_i8), weight({i8, nhwc, {6, 3, 3, 4}, per_channel<0>}), weight({i32, {6}})}, {y_i8});
  REQUIRE(v);
  CHECK(v.output(0) == y_i8);
  CHECK(infer<op>(form{}, {computed(x_u8), weight(w_u8), weight({i32, {6}})}, {y_u8}).output(0) == y_u8);
}

TEST_CASE("conv2d: the signature's rules come first") {
  CHECK(breaks(infer<op>(form{}, {x8}), signature_rule::required_operand_must_be_given, 1, 2));
  CHECK(breaks(infer<op>(form{}, {x8, w3, weight(f32_of({6})), x8}),
               signature_rule::operands_must_not_exceed_the_signature, 4, 3));
  CHECK(breaks(infer<op>(form{}, {computed({u16, {1, 8, 8, 4}}), w3}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(u16), int(i8)));
  CHECK(breaks(infer<op>(form{}, {x8, w3}, {f32_of({1, 6, 7, 6})}), signature_rule::declared_output_extent_must_match,
               6, 7));
  CHECK(breaks(infer<op>(form{.pad = around(limit, limit, limit, limit)}, {x8, w3}),
               signature_rule::tensor_must_not_exceed_the_size_limit, max_elements + 1, max_elements));
}

TEST_CASE("conv2d: the output has the extents of the window formula") {
  struct row {
    const char* what;
    op::attrs a;
    shape_t x, w, y;
  };
  static constexpr row table[] = {
      {"no pads", form{}, {2, 8, 9, 4}, {6, 3, 3, 4}, {2, 6, 7, 6}},
      {"same, odd extents, stride 2", form{.stride{2, 2}, .pad = same_pads}, {3, 7, 9, 4}, {6, 3, 3, 4}, {3, 4, 5, 6}},
      {"same with a kernel above the input", form{.pad = same_pads}, {1, 2, 2, 4}, {6, 5, 5, 4}, {1, 2, 2, 6}},
      {"valid, stride 2, dilation 2",
       form{.stride{2, 1}, .dilation{2, 1}, .pad = valid_pads},
       {1, 8, 8, 4},
       {6, 3, 3, 4},
       {1, 2, 6, 6}},
      {"four pads", form{.stride{2, 2}, .pad = around(1, 0, 2, 3)}, {1, 8, 8, 4}, {6, 3, 3, 4}, {1, 4, 6, 6}},
      {"groups", form{.group = 2}, {1, 8, 8, 8}, {6, 1, 5, 4}, {1, 8, 4, 6}},
      {"unknown batch and height", form{}, {-1, -1, 9, 4}, {6, 3, 3, 4}, {-1, -1, 7, 6}},
      {"unknown channels", form{}, {1, 8, 8, -1}, {-1, 3, 3, 4}, {1, 6, 6, -1}},
      {"unknown kernel", form{}, {1, 8, 8, 4}, {6, -1, -1, -1}, {1, -1, -1, 6}},
      {"unknown kernel under same", form{.stride{2, 2}, .pad = same_pads}, {1, 8, 8, 4}, {6, -1, -1, 4}, {1, 4, 4, 6}},
      {"no images", form{}, {0, 8, 8, 4}, {6, 3, 3, 4}, {0, 6, 6, 6}},
      {"no rows under same", form{.pad = same_pads}, {1, 0, 8, 4}, {6, 3, 3, 4}, {1, 0, 8, 6}},
      {"no filters", form{}, {1, 8, 8, 4}, {0, 3, 3, 4}, {1, 6, 6, 0}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict v = infer<op>(r.a, {computed(f32_of(r.x)), weight(f32_of(r.w))});
    REQUIRE(v);
    CHECK(shape_of(v) == r.y);
  }
  CHECK(infer<op>(form{}, {computed({f32, nd, {1, 8, 8, 4}}), w3}).output(0).layout == nhwc);
}

TEST_CASE("conv2d: macs count each output times its filter, and never overflow") {
  const operand in[] = {computed(f32_of({2, 8, 8, 8})), weight(f32_of({6, 3, 3, 4}))};
  CHECK(op::macs(form{.group = 2}, in, std::array{f32_of({2, 6, 6, 6})}) == 2 * 6 * 6 * 6 * 36);
  CHECK(op::macs(form{}, in, std::array{f32_of({-1, 6, 6, 6})}) == 0);
  const std::int64_t large = std::int64_t{1} << 39;
  const operand hostile[] = {in[0], weight(f32_of({1, large, 1, 1}))};
  CHECK(op::macs(form{}, hostile, std::array{f32_of({large, 1, 1, 1})}) == huge);
}

// 3x3 ramp, 2x2 kernel [[1, 2], [3, 4]], bias 10: 1*1 + 2*2 + 4*3 + 5*4 + 10 = 47, …
static_assert(run<op, float>(form{}, {1, 2, 2, 1}, filled<float>({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
                             filled<float>({1, 2, 2, 1}, {1, 2, 3, 4}), filled<float>({1}, {10}))
                  .elements == std::vector<float>{47, 57, 77, 87});

/// A test pattern: element i is i * 7 % modulus + first.
template <class T> filled<T> pattern(shape_t shape, int modulus, int first) {
  filled<T> t(shape);
  for (std::size_t i = 0; i < t.elements.size(); ++i)
    t.elements[i] = static_cast<T>(static_cast<float>(static_cast<int>(i) * 7 % modulus + first));
  return t;
}

// x: i * 7 % 11 - 5, [2, 5, 4, 4]; weight: i * 7 % 5 - 2, [6, 3, 2, 2]; two groups, stride (2, 1), dilation (1, 2),
// pads 1, 2, 0, 1. Computed by a Python script over integers that puts x into a dictionary keyed by padded position: y
// = bias[o] + sum of padded[n, h*2+a, q+e*2, o//3*2+i] * w[o, a, e, i].
constexpr int two_groups[] = {9,   6,   -4,  5,   -7,  -34, -8,  -10, 6,   -6,  27,  15,  -2, 8,   1,  5,   2,   -1,
                              -9,  -34, 9,   -7,  6,   -11, 23,  16,  -8,  5,   -16, -12, 9,  -23, -7, -13, 10,  -7,
                              10,  3,   -6,  -9,  -31, -8,  -23, -18, 10,  -14, 12,  3,   1,  4,   5,  6,   -10, -26,
                              21,  5,   -13, -6,  -31, -11, -7,  -11, 8,   5,   25,  5,   -1, 8,   0,  8,   -12, -22,
                              -29, -13, 21,  -9,  6,   -9,  25,  4,   -29, -19, -5,  -21, 12, -24, -7, -12, 7,   -4,
                              10,  1,   -5,  -32, -7,  3,   -1,  -9,  11,  7,   25,  3,   4,  1,   6,  6,   -11, -23};

template <class T> void check_two_groups(activation fused) {
  const op::attrs a = form{.stride{2, 1}, .dilation{1, 2}, .pad = around(1, 2, 0, 1), .group = 2, .fused = fused};
  const auto y = run<op, T>(a, {2, 3, 3, 6}, pattern<T>({2, 5, 4, 4}, 11, -5), pattern<T>({6, 3, 2, 2}, 5, -2),
                            filled<T>({6}, {T(1), T(-2), T(3), T(-4), T(5), T(-6)}));
  for (std::size_t i = 0; i < y.elements.size(); ++i) {
    CAPTURE(i);
    const int bare = two_groups[i], low = bare < 0 ? 0 : bare;
    CHECK(static_cast<float>(y.elements[i]) == static_cast<float>(fused == activation::none   ? bare
                                                                  : fused == activation::relu ? low
                                                                  : low < 6                   ? low
                                                                                              : 6));
  }
}

TEST_CASE_TEMPLATE("conv2d: groups, dilation, strides and uneven pads give the numbers of another implementation", T,
                   float16, float, double) {
  for (const activation fused : {activation::none, activation::relu, activation::relu6}) check_two_groups<T>(fused);
}

TEST_CASE("conv2d: the odd pixel of same padding is at bottom and right") {
  // 1x1x4 image [1 2 3 4], kernel [1 10], stride 1: one pad, at the right.
  const auto y = run<op, float>(form{.pad = same_pads}, {1, 1, 4, 1}, filled<float>({1, 1, 4, 1}, {1, 2, 3, 4}),
                                filled<float>({1, 1, 2, 1}, {1, 10}));
  CHECK(y.elements == std::vector<float>{21, 32, 43, 4});
}

TEST_CASE("conv2d: without input channels the bias is all there is, and a strided view reads its own elements") {
  const auto bias_only = run<op, float>(form{}, {1, 1, 1, 2}, filled<float>(shape_t{1, 2, 2, 0}),
                                        filled<float>(shape_t{2, 2, 2, 0}), filled<float>({2}, {7, 8}));
  CHECK(bias_only.elements == std::vector<float>{7, 8});

  filled<float> wide({1, 2, 2, 3}, {1, 9, 9, 2, 9, 9, 3, 9, 9, 4, 9, 9}), w({1, 2, 2, 1}, {1, 10, 100, 1000}),
      y(shape_t{1, 1, 1, 1});
  const tensor_desc first_channel = f32_of({1, 2, 2, 1});
  const shape_t strides{12, 6, 3, 1};
  const view in[] = {{&first_channel, wide.elements.data(), &strides}, w.as_view()}, out[] = {y.as_view()};
  op::reference<float>(form{}, in, out);
  CHECK(y.elements[0] == 4321);
}

/// 3x3x2 numbers i * 37 % 256 - 128, filters i * 53 % 255 - 127, pads 1, 0, 0, 1; scales 0.5 (zero point 5) to 13 (zero
/// point -7).
std::vector<std::int8_t> quantised_run(std::span<const float> scales, const quantisation& of_weight, activation fused) {
  filled<std::int8_t> x(shape_t{1, 3, 3, 2}), w(shape_t{3, 2, 2, 2}), y(shape_t{1, 3, 3, 3});
  for (int i = 0; i < 18; ++i) x.elements[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i * 37 % 256 - 128);
  for (int i = 0; i < 24; ++i) w.elements[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i * 53 % 255 - 127);
  filled<std::int32_t> b({3}, {100, -200, 3000});
  x.desc.quantised = q(0.5F, 5), w.desc.quantised = of_weight, y.desc.quantised = q(13.0F, -7);
  view weight = w.as_view();
  weight.scales = scales;
  const view in[] = {x.as_view(), weight, b.as_view()}, out[] = {y.as_view()};
  op::reference<std::int8_t>(form{.pad = around(1, 0, 0, 1), .fused = fused}, in, out);
  return y.elements;
}

TEST_CASE("conv2d: quantised sums are scaled, rounded and clamped as TFLite's reference does") {
  // Computed in Python integers: acc = sum of (x - 5) * w + bias with zeros in the padding, then SRDHM and RDP with the
  // factor's frexp form.
  const std::vector<std::int8_t> per_channel_result{32, -42, 10, -44, -25, 8, -52, 3,   -7,  127, -78, -15, 91, -68,
                                                    20, -97, 17, -3,  8,   9, -43, 127, -72, 15,  -21, -7,  4};
  const std::vector<std::int8_t> per_tensor_result{9,  -42, 51, -22, -25, 43, -25,  3,  -7,  127, -78, -35, 32, -68,
                                                   82, -43, 17, 8,   -1,  9,  -127, 71, -72, 68,  -13, -7,  28};
  const float scales[] = {0.25F, 0.1F, 0.03F};
  CHECK(quantised_run(scales, per_channel<0>, activation::none) == per_channel_result);
  CHECK(quantised_run({}, q(0.1F, 0), activation::none) == per_tensor_result);
  // The same with sums of (x - 5) * (w + 30).
  CHECK(quantised_run({}, q(0.1F, -30), activation::none) ==
        std::vector<std::int8_t>{-27, -78, 15, -24, -27, 41,  -17,  10, 0,    127, -128, -93, 13, -86,
                                 63,  -35, 25, 15,  -31, -21, -128, 21, -122, 17,  -21,  -15, 20});

  auto cut = per_channel_result;  // relu: nothing below the zero point; 6 is less than half a step of 13, so relu6
                                  // leaves only the zero point
  for (std::int8_t& v : cut) v = v < -7 ? std::int8_t{-7} : v;
  CHECK(quantised_run(scales, per_channel<0>, activation::relu) == cut);
  CHECK(quantised_run(scales, per_channel<0>, activation::relu6) == std::vector<std::int8_t>(27, std::int8_t{-7}));
}

/// Two images 3x3x2 of i * 37 % 256 (zero point 100), filters i * 53 % 256 (zero point 120), pads 1, 0, 0, 1; scales
/// 0.02 and 0.03 to 0.3 (zero point 77).
std::vector<std::uint8_t> unsigned_run(activation fused) {
  filled<std::uint8_t> x(shape_t{2, 3, 3, 2}), w(shape_t{3, 2, 2, 2}), y(shape_t{2, 3, 3, 3});
  for (int i = 0; i < 36; ++i) x.elements[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i * 37 % 256);
  for (int i = 0; i < 24; ++i) w.elements[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i * 53 % 256);
  filled<std::int32_t> b({3}, {100, -2000, 30000});
  x.desc.quantised = q(0.02F, 100), w.desc.quantised = q(0.03F, 120), y.desc.quantised = q(0.3F, 77);
  const view in[] = {x.as_view(), w.as_view(), b.as_view()}, out[] = {y.as_view()};
  op::reference<std::uint8_t>(form{.pad = around(1, 0, 0, 1), .fused = fused}, in, out);
  return y.elements;
}

TEST_CASE("conv2d: u8 weights have a zero point, which is subtracted inside of the image only") {
  // Computed in Python integers: acc = sum of (x - 100) * (w - 120) + bias over the pixels of the image, then as above.
  std::vector<std::uint8_t> expected{76,  57,  158, 64,  69,  156, 67, 83,  124, 162, 36,  122, 79,  45,
                                     186, 46,  101, 130, 61,  84,  76, 96,  40,  176, 60,  86,  140, 53,
                                     129, 114, 127, 55,  116, 71,  71, 147, 20,  82,  147, 58,  85,  78,
                                     88,  58,  159, 57,  52,  199, 10, 188, 86,  149, 46,  125};
  CHECK(unsigned_run(activation::none) == expected);
  for (std::uint8_t& v : expected) v = v < 77 ? std::uint8_t{77} : v;
  CHECK(unsigned_run(activation::relu) == expected);
  for (std::uint8_t& v : expected) v = v > 97 ? std::uint8_t{97} : v;  // 6 / 0.3 = 20 steps
  CHECK(unsigned_run(activation::relu6) == expected);
}

/// A pixel of 0, so that the sum is the bias, 100.5 * 2^20; y has 2^20 times the scale of sums in float.
template <class T, class Rounding = rounding::double_rounding> constexpr int in_the_middle() {
  filled<T> x({1, 1, 1, 1}, {9}), w({1, 1, 1, 1}, {0}), y({1, 1, 1, 1}, {0});
  filled<std::int32_t> b({1}, {105381888});
  x.desc.quantised = q(0.1F, 9), w.desc.quantised = q(0.1F, 0), y.desc.quantised = q(0.1F * 0.1F * 0x1p20F, 0);
  const view in[] = {x.as_view(), w.as_view(), b.as_view()}, out[] = {y.as_view()};
  op::template reference<T, Rounding>(form{}, in, out);
  return y.elements[0];
}

TEST_CASE("conv2d: scales of u8 are multiplied in float, those of i8 in double, and Rounding decides in the middle") {
  // 0.1F * 0.1F is 1 + 4.1e-8 times the exact product: in double the sum lies below the middle.
  static_assert(in_the_middle<std::uint8_t>() == 101);
  CHECK(in_the_middle<std::uint8_t>() == 101);
  CHECK(in_the_middle<std::int8_t>() == 100);
  CHECK(in_the_middle<std::uint8_t, rounding::single_rounding>() == 101);
  CHECK(in_the_middle<std::uint8_t, rounding::half_to_even>() == 100);
}

TEST_CASE("conv2d: without input channels the quantised bias is all there is") {
  filled<std::int8_t> x(shape_t{2, 2, 2, 0}), w(shape_t{3, 2, 2, 0}), y(shape_t{2, 1, 1, 3});
  filled<std::int32_t> b({3}, {100, -200, 3000});
  x.desc.quantised = q(0.5F, 5), w.desc.quantised = q(0.1F, 0), y.desc.quantised = q(2.0F, -7);
  const view in[] = {x.as_view(), w.as_view(), b.as_view()}, out[] = {y.as_view()};
  op::reference<std::int8_t>(form{}, in, out);
  CHECK(y.elements == std::vector<std::int8_t>{-4, -12, 68, -4, -12, 68});  // 2.5 and -5 steps, + -7
}

TEST_CASE("conv2d: hostile scales saturate, and trap nothing") {
  const auto run_with = [](float of_x, float of_w, float of_y) {
    filled<std::uint8_t> x({1, 1, 1, 1}, {10}), w({1, 1, 1, 1}, {3}), y({1, 1, 1, 1}, {0});
    x.desc.quantised = q(of_x, 9), w.desc.quantised = q(of_w, 0), y.desc.quantised = q(of_y, 5);
    const view in[] = {x.as_view(), w.as_view()}, out[] = {y.as_view()};
    op::reference<std::uint8_t>(form{.fused = activation::relu6}, in, out);
    return y.elements[0];
  };
  constexpr float least = std::numeric_limits<float>::min(), most = std::numeric_limits<float>::max();
  CHECK(run_with(most, most, least) == 255);  // 6 is far beyond the numbers of the dtype
  CHECK(run_with(least, least, most) == 5);
  CHECK(run_with(most, most, most) == 5);  // and here less than half a step
}

constexpr auto network = [](builder& g) {
  auto x = g.input<f32, nnrt::shape<2, 8, 9, 4>>("x");
  auto w = g.weight<f32, nnrt::shape<6, 3, 3, 2>>("stem.weight");
  auto b = g.weight<f32, nnrt::shape<6>>("stem.bias");
  auto y = conv2d(x, w, b, relu, group<2>, dilation<1, 2>, stride<2, 1>, padding<1, 2, 3, 4>);
  static_assert(y.desc == tensor_desc(f32, {2, 5, 12, 6}));
  g.output("y", y);
  g.output("z", conv2d(x, g.weight<f32, nnrt::shape<1, 1, 1, 4>>("point"), same));
};

TEST_CASE("conv2d: keywords arrive as attributes, and bias may be left out") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 2);
  const auto a = unpack<op::attrs>(g.attrs_of(g.nodes[0]));
  CHECK(a.stride == extent2{2, 1});
  CHECK(a.dilation == extent2{1, 2});
  CHECK(a.pad == around(1, 2, 3, 4));
  CHECK(a.group == 2);
  CHECK(a.fused == activation::relu);
  CHECK(g.inputs_of(g.nodes[0]).size() == 3);
  CHECK(g.name_of(g.nodes[0].name) == "stem");
  CHECK(unpack<op::attrs>(g.attrs_of(g.nodes[1])).pad.mode == pad_mode::same);
  CHECK(g.inputs_of(g.nodes[1]).size() == 2);
}

static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size() == 2;
}());

constexpr auto quantised_network = [](builder& g) {
  auto x = g.input<i8, nnrt::shape<1, 8, 8, 4>, nhwc, quant{.scale = 0.5F, .zero_point = 5}>("x");
  auto w = g.weight<i8, nnrt::shape<6, 3, 3, 4>, nhwc, per_channel<0>>("w");
  auto b = g.weight<i32, nnrt::shape<6>>("b");
  auto y = conv2d(x, w, b, same, into<quant{.scale = 0.02F, .zero_point = -3}>);
  static_assert(y.desc == tensor_desc(i8, nhwc, {1, 8, 8, 6}, quant{0.02F, -3}));
  g.output("y", y);
};

TEST_CASE("conv2d: a quantised output takes the scale that it is asked into") {
  builder b;
  quantised_network(b);
  CHECK(b.graph().nodes.size() == 1);
}

// Computed in Python integers: acc = sum of x * w + bias over the pixels of the image, 64 bits wide where the bias is
// or where there is none. Wide ones: (acc * ((q + 2^15) >> 16) + 2^(14 - e)) >> (15 - e), with factor q * 2^(e - 31)
// from frexp of 0.0005F * scale[o] / 0.03F; those of 32 bits as above. No activation has a zero point but in the last
// one.
TEST_CASE("conv2d: sums of 16-bit activations are scaled as TFLite's 16x8 layers do, in 64 bits or 32") {
  const std::vector<std::int16_t> wide{5779,  -12113, 10002, -1335, -6229,  10001, -1316, 3410,  9999,
                                       32767, -24202, 9999,  8153,  -20383, 10003, -7941, 11574, 10000,
                                       -1194, 5604,   9996,  13794, -21381, 10003, -3516, 6218,  10000};
  const std::vector<std::int16_t> narrow{5779,  -12113, 1002, -1335, -6229,  1001, -1316, 3410,  999,
                                         32767, -24201, 999,  8153,  -20383, 1003, -7941, 11574, 1000,
                                         -1194, 5604,   996,  13794, -21380, 1003, -3516, 6218,  1000};
  const std::vector<std::int16_t> no_bias{2446,  -11113, 2,  -4668, -5229,  1, -4649,  4410,  -1,
                                          32767, -23202, -1, 4820,  -19383, 3, -11275, 12574, 0,
                                          -4527, 6604,   -4, 10461, -20381, 3, -6849,  7218,  0};
  const std::vector<std::int16_t> shifted{6059,  -12485, 9925, -1055, -6601,  9924, -1286, 3078,  9923,
                                          32767, -24454, 9922, 9066,  -20635, 9926, -7242, 10557, 9923,
                                          -281,  5352,   9919, 14707, -21633, 9926, -2816, 5201,  9923};
  const op::attrs a = form{.pad = around(1, 0, 0, 1)};
  const shape_t x{1, 3, 3, 2}, w{3, 2, 2, 2}, y{1, 3, 3, 3};
  const std::initializer_list<float> scales = {0.2F, 0.3F, 0.00003F};
  CHECK(layer_of_i16<op, std::int64_t>{a, x, w, y, scales, 0.03F, {1000000, -200000, 20000000000}}.elements() == wide);
  CHECK(layer_of_i16<op, std::int32_t>{a, x, w, y, scales, 0.03F, {1000000, -200000, 2000000000}}.elements() == narrow);
  CHECK(layer_of_i16<op, void>{a, x, w, y, scales, 0.03F}.elements() == no_bias);
  CHECK(layer_of_i16<op, std::int64_t>{a, x, w, y, scales, 0.03F, {1000000, -200000, 20000000000}, 1000, 0, -77}
            .elements() == shifted);
  auto cut = no_bias;
  for (std::int16_t& v : cut) v = std::clamp<std::int16_t>(v, 0, 200);  // 6 / 0.03
  CHECK(layer_of_i16<op, void>{form{.pad = a.pad, .fused = activation::relu6}, x, w, y, scales, 0.03F}.elements() ==
        cut);
}

// A bias as large as 64 bits hold, and scales that no number is left under: nothing overflows.
static_assert([] {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for (const float to : {std::numeric_limits<float>::min(), std::numeric_limits<float>::max()})
    for (const float scale : {std::numeric_limits<float>::min(), std::numeric_limits<float>::max()})
      layer_of_i16<op, std::int64_t>{form{}, {1, 2, 2, 1}, {2, 2, 2, 1}, {1, 1, 1, 2}, {scale}, to, {most, -most - 1}}
          .elements();
  return layer_of_i16<op, std::int64_t>{form{}, {1, 1, 1, 1}, {2, 1, 1, 1}, {1, 1, 1, 2}, {1.0F}, 1, {most, -most - 1}}
             .elements() == std::vector<std::int16_t>{32767, -32768};
}());

TEST_CASE("conv2d: 16-bit activations go with 8-bit weights, and with biases of 64 or 32 bits") {
  constexpr tensor_desc x_i16{i16, nhwc, {1, 8, 8, 4}, q(0.5F, 0)}, y_i16{i16, nhwc, {1, 6, 6, 6}, q(1.5F, 0)};
  constexpr tensor_desc w_i16{i16, nhwc, {6, 3, 3, 4}, q(0.1F, 0)};
  NNRT_CHECK_REFUSED(op, {"u8 weight",
                          form{},
                          {computed(x_i16), weight(w_u8)},
                          {y_i16},
                          rule::weight_type_of_an_i16_input_must_be_i8,
                          int(u8),
                          int(i8)});
  NNRT_CHECK_REFUSED(op, {"float bias",
                          form{},
                          {computed(x_i16), weight(w_i8), weight(f32_of({6}))},
                          {y_i16},
                          rule::bias_type_of_an_i16_input_must_be_i64_or_i32,
                          int(f32),
                          int(i64)});
  NNRT_CHECK_REFUSED(op, {"nothing wanted",
                          form{},
                          {computed(x_i16), weight(w_i8)},
                          {},
                          rule::quantised_output_must_have_one_scale,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"bias of 64 bits with i8",
                          form{},
                          {computed(x_i8), weight(w_i8), weight({i64, {6}})},
                          {y_i8},
                          rule::bias_type_of_a_quantised_input_must_be_i32,
                          int(i64),
                          int(i32)});
  CHECK(breaks(infer<op>(form{}, {computed(x_i16), weight(w_i16)}, {y_i16}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(i16), int(i8)));
  for (const dtype bias : {i64, i32})
    CHECK(infer<op>(form{}, {computed(x_i16), weight(w_i8), weight({bias, {6}})}, {y_i16}).output(0) == y_i16);
}

TEST_CASE("conv2d: integers without a scale wrap around in their own width") {
  check_plain_integers<op>(form{}, rule::quantised_type_must_be_i8_u8_or_i16);
}

}  // namespace
