// conv2d_transpose: its rules one by one, its shapes, and its meaning - as the gradient of conv2d, and against numbers
// that other code computed.
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/conv2d_transpose.hpp>
#include <nnrt/ops/relu.hpp>
#include <support/quantised.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

namespace {

using namespace nnrt_test;
using op = ops::conv2d_transpose;
using rule = op::rule;

struct form {
  extent2 stride{1, 1}, dilation{1, 1};
  pads pad{};
  extent2 added{0, 0};
  std::int64_t group = 1;
  activation fused = activation::none;

  constexpr operator op::attrs() const {
    op::attrs a;
    a.stride = stride, a.dilation = dilation, a.pad = pad, a.output_paddings = added, a.group = group, a.fused = fused;
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
    y_i8{i8, nhwc, {1, 10, 10, 6}, q(1.5F, -7)};

TEST_CASE("conv2d_transpose: each rule about images, weights and groups is broken with its two values") {
  NNRT_CHECK_REFUSED(op, {"rank 3", form{}, {computed(f32_of({8, 8, 4})), w3}, {}, rule::input_rank_must_be_4, 3, 4});
  NNRT_CHECK_REFUSED(
      op,
      {"nchw", form{}, {computed({f32, nchw, {1, 4, 8, 8}}), w3}, {}, rule::input_must_be_nhwc, int(nchw), int(nhwc)});
  NNRT_CHECK_REFUSED(op, {"flat weight", form{}, {x8, weight(f32_of({6, 36}))}, {}, rule::weight_rank_must_be_4, 2, 4});
  NNRT_CHECK_REFUSED(
      op,
      {"IOHW", form{}, {x8, weight({f32, nchw, {4, 6, 3, 3}})}, {}, rule::weight_must_be_nhwc, int(nchw), int(nhwc)});
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

TEST_CASE("conv2d_transpose: each rule about lengths is broken with its two values") {
  NNRT_CHECK_REFUSED(op, {"stride 0", form{.stride{0, 1}}, {x8, w3}, {}, rule::stride_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"negative stride", form{.stride{1, -huge}}, {x8, w3}, {}, rule::stride_must_be_positive, -huge, 1});
  NNRT_CHECK_REFUSED(op, {"dilation 0", form{.dilation{1, 0}}, {x8, w3}, {}, rule::dilation_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"empty kernel", form{}, {x8, weight(f32_of({6, 3, 0, 4}))}, {}, rule::kernel_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"negative pad", form{.pad = around(0, 0, 0, -1)}, {x8, w3}, {}, rule::pads_must_not_be_negative, -1, 0});
  for (const std::int64_t length : {limit + 1, huge}) {
    constexpr auto too_long = rule::window_lengths_must_not_exceed_the_size_limit;
    CHECK(breaks(infer<op>(form{.stride{length, 1}}, {x8, w3}), too_long, length, limit));
    CHECK(breaks(infer<op>(form{.dilation{1, length}, .pad = same_pads}, {x8, w3}), too_long, length, limit));
    CHECK(breaks(infer<op>(form{.pad = around(length, huge, 0, 0)}, {x8, w3}), too_long, length, limit));
  }
  NNRT_CHECK_REFUSED(op, {"hostile stride",
                          form{.stride{huge, 1}},
                          {x8, w3},
                          {},
                          rule::window_lengths_must_not_exceed_the_size_limit,
                          huge,
                          limit});
  NNRT_CHECK_REFUSED(op, {"fewer pixels than none",
                          form{.stride{2, 2}, .added{0, -1}},
                          {x8, w3},
                          {},
                          rule::output_paddings_must_not_be_negative,
                          -1,
                          0});
  NNRT_CHECK_REFUSED(op, {"a whole stride of pixels",
                          form{.stride{3, 3}, .added{3, 0}},
                          {x8, w3},
                          {},
                          rule::output_paddings_must_be_smaller_than_stride,
                          3,
                          2});
  NNRT_CHECK_REFUSED(op, {"hostile output padding",
                          form{.added{0, huge}},
                          {x8, w3},
                          {},
                          rule::output_paddings_must_be_smaller_than_stride,
                          huge,
                          0});
  NNRT_CHECK_REFUSED(
      op,
      {"pads for all pixels", form{.pad = around(5, 5, 0, 0)}, {x8, w3}, {}, rule::pads_must_leave_an_output, 0, 1});
  NNRT_CHECK_REFUSED(op, {"hostile pads",
                          form{.pad = around(0, 0, limit, limit)},
                          {x8, w3},
                          {},
                          rule::pads_must_leave_an_output,
                          10 - 2 * limit,
                          1});
}

TEST_CASE("conv2d_transpose: a quantised one needs scales, zero points and a bias that its arithmetic can use") {
  constexpr tensor_desc plain{i8, {1, 8, 8, 4}}, per_axis{i8, nhwc, {1, 8, 8, 4}, per_channel<3>},
      per_input{i8, nhwc, {6, 3, 3, 4}, per_channel<3>}, shifted{i8, nhwc, {6, 3, 3, 4}, q(0.1F, 3)};
  constexpr tensor_desc y_plain{i8, {1, 10, 10, 6}};
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
  CHECK(infer<op>(form{}, {computed(x_i8), weight(shifted)}, {y_i8}).output(0) == y_i8);
  const verdict v =
      infer<op>(form{}, {computed(x_i8), weight({i8, nhwc, {6, 3, 3, 4}, per_channel<0>}), weight({i32, {6}})}, {y_i8});
  REQUIRE(v);
  CHECK(v.output(0) == y_i8);
}

TEST_CASE("conv2d_transpose: the signature's rules come first") {
  CHECK(breaks(infer<op>(form{}, {x8}), signature_rule::required_operand_must_be_given, 1, 2));
  CHECK(breaks(infer<op>(form{}, {x8, w3, weight(f32_of({6})), x8}),
               signature_rule::operands_must_not_exceed_the_signature, 4, 3));
  CHECK(breaks(infer<op>(form{}, {computed({u16, {1, 8, 8, 4}}), w3}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(u16), int(i8)));
  // Products beyond 64 bits become sizes beyond the limit.
  CHECK(breaks(
      infer<op>(form{.stride{limit, 1}}, {computed(f32_of({1, max_elements, 1, 1})), weight(f32_of({6, 3, 3, 1}))}),
      signature_rule::tensor_must_not_exceed_the_size_limit, (std::int64_t{1} << 62) + 3, max_elements));
  CHECK(breaks(infer<op>(form{.stride{1, limit}, .pad = same_pads, .added{0, limit - 1}},
                         {computed(f32_of({1, 1, max_elements, 1})), weight(f32_of({6, 3, 3, 1}))}),
               signature_rule::tensor_must_not_exceed_the_size_limit, (std::int64_t{1} << 62) + limit - 1,
               max_elements));
  CHECK_FALSE(infer<op>(form{.stride{limit, limit}, .dilation{limit, limit}},
                        {computed(f32_of({0, max_elements, 1, 1})), weight(f32_of({0, limit, limit, 1}))}));
}

TEST_CASE("conv2d_transpose: the output has the extents of the formula") {
  struct row {
    const char* what;
    op::attrs a;
    shape_t x, w, y;
  };
  static constexpr row table[] = {
      {"no pads", form{}, {2, 8, 9, 4}, {6, 3, 3, 4}, {2, 10, 11, 6}},
      {"a pixel becomes a kernel", form{.stride{5, 5}}, {1, 1, 1, 4}, {6, 3, 2, 4}, {1, 3, 2, 6}},
      {"four pads", form{.stride{2, 3}, .pad = around(1, 0, 2, 3)}, {1, 8, 8, 4}, {6, 3, 3, 4}, {1, 16, 19, 6}},
      {"dilation and output paddings",
       form{.stride{2, 3}, .dilation{2, 1}, .pad = around(1, 1, 1, 1), .added{1, 2}},
       {3, 8, 8, 4},
       {6, 3, 3, 4},
       {3, 18, 24, 6}},
      {"same", form{.stride{2, 3}, .pad = same_pads}, {1, 7, 5, 4}, {6, 3, 3, 4}, {1, 14, 15, 6}},
      {"same, kernel below stride", form{.stride{4, 4}, .pad = same_pads}, {1, 2, 2, 4}, {6, 1, 2, 4}, {1, 8, 8, 6}},
      {"same and output paddings",
       form{.stride{2, 2}, .pad = same_pads, .added{1, 0}},
       {1, 3, 3, 4},
       {6, 3, 3, 4},
       {1, 7, 6, 6}},
      {"valid", form{.stride{2, 2}, .dilation{1, 2}, .pad = valid_pads}, {1, 3, 3, 4}, {6, 3, 3, 4}, {1, 7, 9, 6}},
      {"groups", form{.group = 2}, {1, 4, 4, 8}, {6, 2, 2, 4}, {1, 5, 5, 6}},
      {"unknown batch and height", form{}, {-1, -1, 9, 4}, {6, 3, 3, 4}, {-1, -1, 11, 6}},
      {"unknown channels", form{}, {1, 8, 8, -1}, {-1, 3, 3, 4}, {1, 10, 10, -1}},
      {"unknown kernel", form{}, {1, 8, 8, 4}, {6, -1, 3, -1}, {1, -1, 10, 6}},
      {"unknown kernel under same",
       form{.stride{2, 2}, .pad = same_pads},
       {1, 8, 8, 4},
       {6, -1, -1, 4},
       {1, 16, 16, 6}},
      {"no images", form{}, {0, 8, 8, 4}, {6, 3, 3, 4}, {0, 10, 10, 6}},
      {"no rows", form{}, {1, 0, 8, 4}, {6, 3, 3, 4}, {1, 0, 10, 6}},
      {"no channels", form{}, {1, 8, 8, 0}, {6, 3, 3, 0}, {1, 10, 10, 6}},
      {"no filters", form{}, {1, 8, 8, 4}, {0, 3, 3, 4}, {1, 10, 10, 0}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict v = infer<op>(r.a, {computed(f32_of(r.x)), weight(f32_of(r.w))});
    REQUIRE(v);
    CHECK(shape_of(v) == r.y);
  }
  CHECK(infer<op>(form{}, {computed({f32, nd, {1, 8, 8, 4}}), w3}).output(0).layout == nhwc);
}

TEST_CASE("conv2d_transpose: same and valid take the declared output where a convolution of it has the size of x") {
  struct row {
    const char* what;
    op::attrs a;
    std::int64_t least, most;  // rows of the output of 4 rows
    std::int64_t usual;
  };
  static constexpr row table[] = {
      {"same", form{.stride{3, 1}, .pad = same_pads}, 10, 12, 12},
      {"same without a stride", form{.pad = same_pads}, 4, 4, 4},
      {"valid", form{.stride{3, 1}, .pad = valid_pads}, 12, 14, 12},
      {"valid, dilated", form{.stride{2, 1}, .dilation{3, 1}, .pad = valid_pads}, 13, 14, 13},
      {"pads leave no choice", form{.stride{3, 1}, .pad = around(1, 1, 1, 1)}, 10, 10, 10},
      {"output paddings leave no choice", form{.stride{3, 1}, .pad = same_pads, .added{1, 0}}, 13, 13, 13},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const operand image = computed(f32_of({2, 4, 4, 4}));
    const std::int64_t width = shape_of(infer<op>(r.a, {image, w3}))[2];
    for (std::int64_t rows = 1; rows < 20; ++rows) {
      CAPTURE(rows);
      const verdict v = infer<op>(r.a, {image, w3}, {f32_of({2, rows, width, 6})});
      if (rows >= r.least && rows <= r.most) CHECK(shape_of(v) == shape_t{2, rows, width, 6});
      else CHECK(breaks(v, signature_rule::declared_output_extent_must_match, r.usual, rows));
    }
    CHECK(shape_of(infer<op>(r.a, {image, w3}, {f32_of({-1, -1, -1, -1})})) == shape_t{2, r.usual, width, 6});
    CHECK(shape_of(infer<op>(r.a, {computed(f32_of({2, -1, 4, 4})), w3}, {f32_of({2, r.least, width, 6})})) ==
          shape_t{2, r.least, width, 6});
    CHECK(breaks(infer<op>(r.a, {image, w3}, {f32_of({2, 4, 4})}), signature_rule::declared_output_rank_must_match, 4,
                 3));
  }
}

/// Small whole numbers, whose sums of products are exact.
filled<double> numbers_of(shape_t shape, int factor, int modulus) {
  filled<double> x(shape);
  for (std::size_t i = 0; i < x.elements.size(); ++i)
    x.elements[i] = static_cast<int>(i) * factor % modulus - modulus / 2;
  return x;
}

double inner_product(const filled<double>& a, const filled<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.elements.size(); ++i) sum += a.elements[i] * b.elements[i];
  return sum;
}

/// The weight [C, kh, kw, O / group] of the transposed convolution from the weight [O, kh, kw, C / group] of conv2d.
filled<double> transposed(filled<double> w, std::int64_t group) {
  const shape_t s = w.desc.shape;
  const std::int64_t filters = s[0] / group;
  filled<double> t(shape_t{s[3] * group, s[1], s[2], filters});
  const auto from = w.as_view().as<double>(), to = t.as_view().as<double>();
  for (std::int64_t o = 0; o < s[0]; ++o)
    for (std::int64_t h = 0; h < s[1]; ++h)
      for (std::int64_t v = 0; v < s[2]; ++v)
        for (std::int64_t c = 0; c < s[3]; ++c) to(o / filters * s[3] + c, h, v, o % filters) = from(o, h, v, c);
  return t;
}

/// Whether <conv2d(x), y> = <x, conv2d_transpose(y)>: so each is the gradient of the other.
bool is_adjoint(const form& f, shape_t image, shape_t kernel) {
  ops::conv2d::attrs forward;
  forward.stride = f.stride, forward.dilation = f.dilation, forward.pad = f.pad, forward.group = f.group;
  const auto x = numbers_of(image, 7, 23), w = numbers_of(kernel, 5, 19);
  const verdict v = infer<ops::conv2d>(forward, {computed(x.desc), weight(w.desc)});
  REQUIRE(v);
  const auto y = numbers_of(shape_of(v), 11, 29), wt = transposed(w, f.group);
  form back = f;
  const auto missing = [](std::int64_t input, std::int64_t pads, std::int64_t k, std::int64_t dilation,
                          std::int64_t stride) { return (input + pads - ((k - 1) * dilation + 1)) % stride; };
  if (f.pad.mode == pad_mode::explicit_pads)
    back.added = {missing(image[1], f.pad.top + f.pad.bottom, kernel[1], f.dilation.h, f.stride.h),
                  missing(image[2], f.pad.left + f.pad.right, kernel[2], f.dilation.w, f.stride.w)};
  const verdict b = infer<op>(back, {computed(y.desc), weight(wt.desc)}, {x.desc});
  REQUIRE(b);
  REQUIRE(shape_of(b) == image);
  return inner_product(run<ops::conv2d, double>(forward, shape_of(v), x, w), y) ==
         inner_product(x, run<op, double>(back, image, y, wt));
}

TEST_CASE("conv2d_transpose: it is the gradient of conv2d, whatever the kernel, stride, dilation, padding and groups") {
  const pads paddings[] = {{}, same_pads, valid_pads, around(1, 0, 0, 2), around(2, 2, 1, 1)};
  int checked = 0;
  for (const pads& pad : paddings)
    for (const extent2 stride : {extent2{1, 1}, extent2{2, 3}, extent2{4, 1}})
      for (const extent2 dilation : {extent2{1, 1}, extent2{2, 1}, extent2{3, 2}})
        for (const extent2 kernel : {extent2{1, 1}, extent2{2, 3}, extent2{3, 2}})
          for (const std::int64_t group : {1, 2})
            for (const extent2 image : {extent2{7, 8}, extent2{9, 6}}) {
              CAPTURE(static_cast<int>(pad.mode));
              CAPTURE(stride.h);
              CAPTURE(dilation.h);
              CAPTURE(kernel.h);
              CAPTURE(group);
              const form f{.stride = stride, .dilation = dilation, .pad = pad, .group = group};
              CHECK(is_adjoint(f, {2, image.h, image.w, 2 * group}, {3 * group, kernel.h, kernel.w, 2}));
              ++checked;
            }
  CHECK(checked == 540);
}

/// 2 x 3 x 2 numbers i * 5 % 7 - 3, three filters 3 x 3 x 2 of numbers i * 7 % 11 - 5, bias 10, -20, 30.
template <class T> constexpr std::vector<T> example(const form& f, shape_t y) {
  filled<T> x(shape_t{1, 2, 3, 2}), w(shape_t{3, 3, 3, 2});
  for (int i = 0; i < 12; ++i)
    x.elements[static_cast<std::size_t>(i)] = static_cast<T>(static_cast<float>(i * 5 % 7 - 3));
  for (int i = 0; i < 54; ++i)
    w.elements[static_cast<std::size_t>(i)] = static_cast<T>(static_cast<float>(i * 7 % 11 - 5));
  const filled<T> b({3}, {static_cast<T>(10.0F), static_cast<T>(-20.0F), static_cast<T>(30.0F)});
  return run<op, T>(f, y, x, w, b).elements;
}
constexpr form example_form{.stride{2, 1}, .dilation{1, 2}, .pad = around(1, 0, 2, 1), .added{1, 0}};
// Computed in Python: for all pixels, taps and channels acc[i * 2 - 1 + a][j - 2 + 2 * b] += x * w, plus the bias.
constexpr float example_result[] = {40, -30, 57, 4,  -14, 26, -6, -32, 33, 20, -20, 20, 4,  -48, 2,
                                    4,  -4,  24, 70, -48, 90, 4,  -26, 24, -3, 7,   20, 2,  -18, 20,
                                    43, -35, 33, 8,  -12, 26, -8, 13,  15, 20, -22, 38, -6, -29, 17,
                                    4,  -16, 22, 10, -20, 30, 10, -20, 30, 10, -20, 30, 10, -20, 30};

static_assert([] {
  const auto y = example<float>(example_form, {1, 5, 4, 3});
  for (std::size_t i = 0; i < y.size(); ++i)
    if (y[i] != example_result[i]) return false;
  return true;
}());

TEST_CASE("conv2d_transpose: every dtype gives the golden numbers, and the activation comes last") {
  const auto f16_result = example<float16>(example_form, {1, 5, 4, 3});
  const auto f64_result = example<double>(example_form, {1, 5, 4, 3});
  form cut = example_form;
  cut.fused = activation::relu6;
  const auto cut_result = example<float>(cut, {1, 5, 4, 3});
  for (std::size_t i = 0; i < 60; ++i) {
    CHECK(static_cast<float>(f16_result[i]) == example_result[i]);
    CHECK(f64_result[i] == double{example_result[i]});
    CHECK(cut_result[i] == std::clamp(example_result[i], 0.0F, 6.0F));
  }
}

TEST_CASE("conv2d_transpose: without channels there is the bias; operands may have any strides") {
  const auto bias_only = run<op, float>(form{}, {1, 2, 2, 2}, filled<float>(shape_t{1, 1, 1, 0}),
                                        filled<float>(shape_t{2, 2, 2, 0}), filled<float>({2}, {7, 8}));
  CHECK(bias_only.elements == std::vector<float>{7, 8, 7, 8, 7, 8, 7, 8});
  CHECK(run<op, float>(form{}, {1, 0, 2, 1}, filled<float>(shape_t{1, 0, 1, 1}),
                       filled<float>({1, 2, 2, 1}, {1, 2, 3, 4}))
            .elements.empty());

  filled<float> wide({1, 1, 2, 3}, {1, 9, 9, 2, 9, 9}), w({1, 2, 1, 1}, {10, 100}), y(shape_t{1, 2, 2, 1});
  const tensor_desc first_channel = f32_of({1, 1, 2, 1});
  const shape_t strides{6, 6, 3, 1};
  const view in[] = {{&first_channel, wide.elements.data(), &strides}, w.as_view()}, out[] = {y.as_view()};
  op::reference<float>(form{}, in, out);
  CHECK(y.elements == std::vector<float>{10, 20, 100, 200});
}

/// 2 x 2 x 3 numbers i * 37 % 256, two filters 3 x 3 x 3 of numbers i * 53 % 255 (u8: % 256), less 128 and 127 as i8;
/// `same` with stride 2 into 4 x 3 pixels; bias 100, -3000; from scale 0.5 to scale 21.
template <class T>
std::vector<T> quantised_example(int zero_x, std::span<const float> scales, const quantisation& of_weight, int zero_y,
                                 activation fused = activation::none) {
  constexpr bool is_signed = std::is_same_v<T, std::int8_t>;
  filled<T> x(shape_t{1, 2, 2, 3}), w(shape_t{2, 3, 3, 3}), y(shape_t{1, 4, 3, 2});
  for (int i = 0; i < 12; ++i)
    x.elements[static_cast<std::size_t>(i)] = static_cast<T>(i * 37 % 256 - (is_signed ? 128 : 0));
  for (int i = 0; i < 54; ++i)
    w.elements[static_cast<std::size_t>(i)] = static_cast<T>(is_signed ? i * 53 % 255 - 127 : i * 53 % 256);
  filled<std::int32_t> b({2}, {100, -3000});
  x.desc.quantised = q(0.5F, zero_x), w.desc.quantised = of_weight, y.desc.quantised = q(21.0F, zero_y);
  view weight = w.as_view();
  weight.scales = scales;
  const view in[] = {x.as_view(), weight, b.as_view()}, out[] = {y.as_view()};
  op::reference<T>(form{.stride{2, 2}, .pad = same_pads, .fused = fused}, in, out);
  return y.elements;
}

TEST_CASE("conv2d_transpose: quantised sums are scaled, rounded and clamped as TFLite's reference does") {
  // Computed in Python integers: (x - zero point) * (w - zero point) scattered, plus the bias, then SRDHM and RDP with
  // the factor's frexp form; the product of u8 scales is rounded to float.
  const std::vector<std::int8_t> per_channel_result{-39, -3,  39,  -12, -39, -7,  -72,  3,   54,  -14, 31, -8,
                                                    0,   -20, -78, 8,   -11, -10, -105, -12, -54, -9,  -1, -4};
  const std::vector<std::int8_t> per_tensor_result{-20, 5,   12,  -24, -20, -6,  -33, 27,  17,  -31, 8,  -10,
                                                   -4,  -49, -35, 41,  -9,  -15, -46, -22, -26, -14, -4, 2};
  const std::vector<std::uint8_t> u8_result{107, 133, 130, 102, 103, 114, 99, 154, 138, 105, 136, 107,
                                            128, 84,  89,  144, 116, 105, 84, 100, 94,  121, 125, 122};
  const float scales[] = {0.25F, 0.03F};
  CHECK(quantised_example<std::int8_t>(5, scales, per_channel<0>, -7) == per_channel_result);
  CHECK(quantised_example<std::int8_t>(5, {}, q(0.1F, 0), -7) == per_tensor_result);
  CHECK(quantised_example<std::uint8_t>(120, {}, q(0.1F, 131), 117) == u8_result);

  auto cut = u8_result;  // relu: nothing below the zero point
  for (std::uint8_t& v : cut) v = v < 117 ? std::uint8_t{117} : v;
  CHECK(quantised_example<std::uint8_t>(120, {}, q(0.1F, 131), 117, activation::relu) == cut);
}

TEST_CASE("conv2d_transpose: macs count each input pixel with each filter") {
  const operand in[] = {computed(f32_of({2, 3, 5, 4})), weight(f32_of({6, 3, 2, 2}))};
  const operand unknown[] = {computed(f32_of({-1, 3, 5, 4})), weight(f32_of({6, 3, 2, 2}))};
  CHECK(op::macs(form{.group = 2}, in, {}) == 2 * 3 * 5 * 6 * 3 * 2 * 2);
  CHECK(op::macs(form{.group = 2}, unknown, {}) == 0);
}

constexpr auto network = [](builder& g) {
  auto x = g.input<f32, nnrt::shape<2, 4, 5, 4>>("x");
  auto w = g.weight<f32, nnrt::shape<6, 3, 3, 2>>("up.weight");
  auto b = g.weight<f32, nnrt::shape<6>>("up.bias");
  auto y = conv2d_transpose(x, w, b, relu, group<2>, dilation<1, 2>, stride<2, 3>, padding<1, 0, 2, 1>,
                            output_paddings<1, 2>);
  static_assert(y.desc == tensor_desc(f32, {2, 9, 16, 6}));
  g.output("y", y);
  auto z = conv2d_transpose(x, g.weight<f32, nnrt::shape<1, 2, 2, 4>>("point"), same, stride<2, 2>,
                            into<nnrt::shape<2, 7, 10, 1>>);
  static_assert(z.desc == tensor_desc(f32, {2, 7, 10, 1}));
  g.output("z", z);
};

TEST_CASE("conv2d_transpose: keywords arrive as attributes, and bias may be left out") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 2);
  const auto a = unpack<op::attrs>(g.attrs_of(g.nodes[0]));
  CHECK(a.stride == extent2{2, 3});
  CHECK(a.dilation == extent2{1, 2});
  CHECK(a.pad == around(1, 0, 2, 1));
  CHECK(a.output_paddings == extent2{1, 2});
  CHECK(a.group == 2);
  CHECK(a.fused == activation::relu);
  CHECK(g.inputs_of(g.nodes[0]).size() == 3);
  CHECK(g.name_of(g.nodes[0].name) == "up");
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
  auto y = conv2d_transpose(x, w, b, same, into<quant{.scale = 0.02F, .zero_point = -3}>);
  static_assert(y.desc == tensor_desc(i8, nhwc, {1, 8, 8, 6}, quant{0.02F, -3}));
  g.output("y", y);
};

TEST_CASE("conv2d_transpose: a quantised output takes the scale that it is asked into") {
  builder b;
  quantised_network(b);
  CHECK(b.graph().nodes.size() == 1);
}

// Computed in Python integers: acc = bias + the sum of x[h, w] * weight[h' - h, w' - w], scaled from 0.0005F * scale[o]
// to 0.02F: with a bias of 64 bits by a mantissa of 15 bits, rounded once; with one of 32 bits, or none, by SRDHM and
// RDP.
TEST_CASE("conv2d_transpose: sums of 16-bit activations are scaled as TFLite's 16x8 layers do, in 64 bits or 32") {
  const std::vector<std::int16_t> wide{29247,  -26578, 8995,   29444, 895,  11428, -11436, 5766,  3302,
                                       -32768, -3137,  -18224, -6969, 6599, 24959, -18158, -7090, 32767};
  const std::vector<std::int16_t> narrow{29247,  -26578, 8995,   29444, 895,  11429, -11436, 5766,  3302,
                                         -32768, -3136,  -18224, -6969, 6599, 24958, -18158, -7090, 32767};
  const shape_t x{1, 2, 2, 2}, w{2, 2, 2, 2}, y{1, 3, 3, 2};
  const std::initializer_list<float> scales = {0.2F, 0.3F};
  CHECK(layer_of_i16<op, std::int64_t>{form{}, x, w, y, scales, 0.02F, {1000, -2000}}.elements() == wide);
  CHECK(layer_of_i16<op, std::int32_t>{form{}, x, w, y, scales, 0.02F, {1000, -2000}}.elements() == narrow);
  CHECK(layer_of_i16<op, void>{form{}, x, w, y, scales, 0.02F, {}}.elements() ==
        layer_of_i16<op, std::int32_t>{form{}, x, w, y, scales, 0.02F, {0, 0}}.elements());
}

TEST_CASE("conv2d_transpose: 16-bit activations go with 8-bit weights, and with biases of 64 or 32 bits") {
  constexpr tensor_desc x_i16{i16, nhwc, {1, 8, 8, 4}, q(0.5F, 0)}, y_i16{i16, nhwc, {1, 10, 10, 6}, q(1.5F, 0)};
  constexpr tensor_desc w_u8{u8, nhwc, {6, 3, 3, 4}, q(0.1F, 0)};
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
  for (const dtype bias : {i64, i32})
    CHECK(infer<op>(form{}, {computed(x_i16), weight(w_i8), weight({bias, {6}})}, {y_i16}).output(0) == y_i16);
}

TEST_CASE("conv2d_transpose: NNRt takes weights of rank 4 alone") {
  const auto refusal = [](shape_t w) {
    const operand in[] = {computed(f32_of({1, 3, 3, 2})), weight(f32_of(w))};
    return op::nnrt_refuses(form{}, in, {});
  };
  CHECK(refusal({4, 2, 2, 2}).of.empty());
  CHECK(refusal({4, 2, 2}).of == "rank of weight");
  CHECK(refusal({4, 2, 2}).actual == 3);
  CHECK(refusal({4, 2, 2}).expected == 4);
}

TEST_CASE("conv2d_transpose: integers without a scale wrap around in their own width") {
  const tensor_desc x{i32, nhwc, {1, 1, 1, 1}}, w{i32, {1, 1, 2, 1}}, b{i32, {1}}, y{i32, nhwc, {1, 1, 2, 1}};
  CHECK(infer<op>(form{}, {computed(x), weight(w), weight(b)}).output(0) == y);
  std::int32_t of_x[] = {INT32_MAX}, of_w[] = {2, 5}, of_b[] = {7}, of_y[2] = {};
  const view in[] = {{&x, of_x}, {&w, of_w}, {&b, of_b}}, out[] = {{&y, of_y}};
  op::reference<std::int32_t>(form{}, in, out);
  CHECK(of_y[0] == 5);  // 2 * (2^31 - 1) is -2
  CHECK(of_y[1] == INT32_MIN + 2);
  const tensor_desc scaled{i32, nhwc, {1, 1, 1, 1}, quant{0.5F, 0}};
  CHECK(breaks(infer<op>(form{}, {computed(scaled), weight(w)}), rule::quantised_type_must_be_i8_u8_or_i16, int(i32),
               int(i8)));
}

}  // namespace
