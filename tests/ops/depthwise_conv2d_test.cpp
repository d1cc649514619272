// depthwise_conv2d: its rules one by one, its shapes, and its meaning against numbers that other code computed.
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>
#include <nnrt/ops/relu.hpp>
#include <support/plain_integers.hpp>
#include <support/quantised.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt_test;
using op = ops::depthwise_conv2d;
using rule = op::rule;

struct form {
  extent2 stride{1, 1}, dilation{1, 1};
  pads pad{};
  activation fused = activation::none;

  constexpr operator op::attrs() const {
    op::attrs a;
    a.stride = stride, a.dilation = dilation, a.pad = pad, a.fused = fused;
    return a;
  }
};
constexpr pads same_pads{pad_mode::same, 0, 0, 0, 0};
constexpr pads around(std::int64_t top, std::int64_t bottom, std::int64_t left, std::int64_t right) {
  return {pad_mode::explicit_pads, top, bottom, left, right};
}
constexpr quantisation q(float scale, int zero_point) { return quant{scale, zero_point}; }
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

constexpr operand x8 = computed(f32_of({1, 8, 8, 4})), w3 = weight(f32_of({8, 3, 3, 1}));
constexpr tensor_desc x_i8{i8, nhwc, {1, 8, 8, 4}, q(0.5F, 5)}, w_i8{i8, nhwc, {8, 3, 3, 1}, q(0.1F, 0)},
    y_i8{i8, nhwc, {1, 6, 6, 8}, q(1.5F, -7)};

TEST_CASE("depthwise_conv2d: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(op,
                     {"rank 5", form{}, {computed(f32_of({1, 1, 8, 8, 4})), w3}, {}, rule::input_rank_must_be_4, 5, 4});
  NNRT_CHECK_REFUSED(
      op,
      {"nchw", form{}, {computed({f32, nchw, {1, 4, 8, 8}}), w3}, {}, rule::input_must_be_nhwc, int(nchw), int(nhwc)});
  NNRT_CHECK_REFUSED(op, {"rank 3", form{}, {x8, weight(f32_of({8, 3, 3}))}, {}, rule::weight_rank_must_be_4, 3, 4});
  NNRT_CHECK_REFUSED(
      op,
      {"OIHW", form{}, {x8, weight({f32, nchw, {8, 1, 3, 3}})}, {}, rule::weight_must_be_nhwc, int(nchw), int(nhwc)});
  NNRT_CHECK_REFUSED(
      op, {"mixed dtypes", form{}, {x8, weight(w_i8)}, {}, rule::weight_type_must_equal_input_type, int(i8), int(f32)});
  NNRT_CHECK_REFUSED(op, {"TFLite's order",
                          form{},
                          {x8, weight(f32_of({1, 3, 3, 8}))},
                          {},
                          rule::weight_must_have_one_input_channel,
                          8,
                          1});
  NNRT_CHECK_REFUSED(op, {"6 filters, 4 channels",
                          form{},
                          {x8, weight(f32_of({6, 3, 3, 1}))},
                          {},
                          rule::output_channels_must_be_a_multiple_of_input_channels,
                          6,
                          4});
  NNRT_CHECK_REFUSED(op, {"no channels",
                          form{},
                          {computed(f32_of({1, 8, 8, 0})), w3},
                          {},
                          rule::output_channels_must_be_a_multiple_of_input_channels,
                          8,
                          0});
  NNRT_CHECK_REFUSED(op, {"stride", form{.stride{1, 0}}, {x8, w3}, {}, rule::stride_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(op, {"dilation", form{.dilation{-1, 1}}, {x8, w3}, {}, rule::dilation_must_be_positive, -1, 1});
  NNRT_CHECK_REFUSED(
      op, {"empty kernel", form{}, {x8, weight(f32_of({8, 0, 3, 1}))}, {}, rule::kernel_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(op,
                     {"pads", form{.pad = around(-2, 0, 0, 0)}, {x8, w3}, {}, rule::pads_must_not_be_negative, -2, 0});
  NNRT_CHECK_REFUSED(op, {"hostile pad",
                          form{.pad = around(0, huge, 0, 0)},
                          {x8, w3},
                          {},
                          rule::window_lengths_must_not_exceed_the_size_limit,
                          huge,
                          max_window_length});
  NNRT_CHECK_REFUSED(
      op, {"wide kernel", form{}, {x8, weight(f32_of({8, 3, 9, 1}))}, {}, rule::padded_input_must_cover_kernel, 8, 9});
  NNRT_CHECK_REFUSED(op, {"bias dtype",
                          form{},
                          {x8, w3, weight({f16, {8}})},
                          {},
                          rule::bias_type_must_equal_input_type,
                          int(f16),
                          int(f32)});
  NNRT_CHECK_REFUSED(op, {"bias count",
                          form{},
                          {x8, w3, weight(f32_of({4}))},
                          {},
                          rule::bias_must_have_one_element_for_each_output_channel,
                          4,
                          8});
}

TEST_CASE("depthwise_conv2d: a quantised one needs scales, zero points and a bias that its arithmetic can use") {
  constexpr tensor_desc plain{i8, {1, 8, 8, 4}}, tflite_order{i8, nhwc, {8, 3, 3, 1}, per_channel<3>},
      shifted{i8, nhwc, {8, 3, 3, 1}, q(0.1F, -1)};
  constexpr tensor_desc far{i8, nhwc, {1, 8, 8, 4}, q(0.5F, -200)};
  NNRT_CHECK_REFUSED(op, {"float bias",
                          form{},
                          {computed(x_i8), weight(w_i8), weight(f32_of({8}))},
                          {y_i8},
                          rule::bias_type_of_a_quantised_input_must_be_i32,
                          int(f32),
                          int(i32)});
  NNRT_CHECK_REFUSED(
      op, {"x", form{}, {computed(plain), weight(w_i8)}, {y_i8}, rule::quantised_input_must_have_one_scale, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"y", form{}, {computed(x_i8), weight(w_i8)}, {}, rule::quantised_output_must_have_one_scale, 0, 1});
  NNRT_CHECK_REFUSED(op, {"weight",
                          form{},
                          {computed(x_i8), weight({i8, {8, 3, 3, 1}})},
                          {y_i8},
                          rule::quantised_weight_must_have_a_scale,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"axis",
                          form{},
                          {computed(x_i8), weight(tflite_order)},
                          {y_i8},
                          rule::weight_scales_must_run_along_the_output_channels,
                          3,
                          0});
  CHECK(infer<op>(form{}, {computed(x_i8), weight(shifted)}, {y_i8}).output(0) == y_i8);
  CHECK(breaks(infer<op>(form{}, {computed(far), weight(w_i8)}, {y_i8}),
               signature_rule::zero_point_must_be_a_number_of_the_type, -200, -128));

  const verdict v =
      infer<op>(form{}, {computed(x_i8), weight({i8, nhwc, {8, 3, 3, 1}, per_channel<0>}), weight({i32, {8}})}, {y_i8});
  REQUIRE(v);
  CHECK(v.output(0) == y_i8);
}

TEST_CASE("depthwise_conv2d: the signature's rules come first") {
  CHECK(breaks(infer<op>(form{}, {x8}), signature_rule::required_operand_must_be_given, 1, 2));
  CHECK(breaks(infer<op>(form{}, {x8, computed({u16, {8, 3, 3, 1}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(u16), int(i8)));
}

TEST_CASE("depthwise_conv2d: the output has the extents of the window formula") {
  struct row {
    const char* what;
    op::attrs a;
    shape_t x, w, y;
  };
  static constexpr row table[] = {
      {"no pads, two filters a channel", form{}, {2, 8, 9, 4}, {8, 3, 3, 1}, {2, 6, 7, 8}},
      {"same, odd extents, stride 2", form{.stride{2, 2}, .pad = same_pads}, {3, 7, 9, 4}, {4, 3, 3, 1}, {3, 4, 5, 4}},
      {"pads and dilation", form{.dilation{2, 1}, .pad = around(1, 1, 2, 0)}, {1, 8, 8, 1}, {5, 3, 3, 1}, {1, 6, 8, 5}},
      {"unknown height and channels", form{}, {1, -1, 8, -1}, {4, 3, 3, 1}, {1, -1, 6, 4}},
      {"unknown weight", form{.pad = same_pads}, {1, 8, 8, 4}, {-1, -1, -1, -1}, {1, 8, 8, -1}},
      {"no images", form{}, {0, 8, 8, 4}, {4, 3, 3, 1}, {0, 6, 6, 4}},
      {"no channels", form{}, {1, 8, 8, 0}, {0, 3, 3, 1}, {1, 6, 6, 0}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict v = infer<op>(r.a, {computed(f32_of(r.x)), weight(f32_of(r.w))});
    REQUIRE(v);
    CHECK(shape_of(v) == r.y);
  }
  const operand in[] = {x8, w3};
  CHECK(op::macs(form{}, in, std::array{f32_of({1, 6, 6, 8})}) == 6 * 6 * 8 * 9);
}

// Two channels of a 2x2 image, one filter each: [1 2; 3 4] . [1 10; 100 1000] and [5 6; 7 8] . [1 1; 1 1], biases 0 and
// 100.
static_assert(run<op, float>(form{}, {1, 1, 1, 2}, filled<float>({1, 2, 2, 2}, {1, 5, 2, 6, 3, 7, 4, 8}),
                             filled<float>({2, 2, 2, 1}, {1, 10, 100, 1000, 1, 1, 1, 1}), filled<float>({2}, {0, 100}))
                  .elements == std::vector<float>{4321, 126});

/// A test pattern: element i is i * 7 % modulus + first.
template <class T> filled<T> pattern(shape_t shape, int modulus, int first) {
  filled<T> t(shape);
  for (std::size_t i = 0; i < t.elements.size(); ++i)
    t.elements[i] = static_cast<T>(static_cast<float>(static_cast<int>(i) * 7 % modulus + first));
  return t;
}

// x: i * 7 % 11 - 5, [1, 4, 5, 2]; weight: i * 7 % 5 - 2, [4, 3, 2, 1]; stride (1, 2), pads 1, 1, 0, 1. Computed by a
// Python script over integers that puts x into a dictionary keyed by padded position: y = bias[o] + sum of padded[n,
// h+a, q*2+e, o//2] * w[o, a, e, 0].
constexpr int two_filters_a_channel[] = {-12, 3, -9,  -16, 10,  -9,  8,  0,  -7, 2, 6,   -18, 20,  -9, 5,  5,
                                         8,   2, -16, 10,  13,  -10, 5,  1,  12, 2, -20, 12,  -22, -9, 14, -16,
                                         6,   0, -5,  8,   -12, -9,  12, -7, 4,  3, 12,  -8,  -13, 1,  7,  -12};

TEST_CASE_TEMPLATE("depthwise_conv2d: output channel o reads input channel o / (O / C)", T, float16, float, double) {
  for (const activation fused : {activation::none, activation::relu}) {
    const auto y = run<op, T>(form{.stride{1, 2}, .pad = around(1, 1, 0, 1), .fused = fused}, {1, 4, 3, 4},
                              pattern<T>({1, 4, 5, 2}, 11, -5), pattern<T>({4, 3, 2, 1}, 5, -2),
                              filled<T>({4}, {T(1), T(-2), T(3), T(-4)}));
    for (std::size_t i = 0; i < y.elements.size(); ++i) {
      CAPTURE(i);
      const int bare = two_filters_a_channel[i];
      CHECK(static_cast<float>(y.elements[i]) == static_cast<float>(fused == activation::relu && bare < 0 ? 0 : bare));
    }
  }
}

TEST_CASE("depthwise_conv2d: quantised sums are scaled per output channel as TFLite's reference does") {
  filled<std::int8_t> x(shape_t{1, 3, 3, 2}), w(shape_t{4, 2, 2, 1}), y(shape_t{1, 2, 2, 4});
  for (int i = 0; i < 18; ++i) x.elements[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i * 37 % 256 - 128);
  for (int i = 0; i < 16; ++i) w.elements[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i * 53 % 255 - 127);
  filled<std::int32_t> b({4}, {100, -200, 3000, 0});
  x.desc.quantised = q(0.5F, 5), w.desc.quantised = per_channel<0>, y.desc.quantised = q(13.0F, -7);
  const float scales[] = {0.25F, 0.1F, 0.03F, 0.07F};
  view filters = w.as_view();
  filters.scales = scales;
  const view in[] = {x.as_view(), filters, b.as_view()}, out[] = {y.as_view()};
  op::reference<std::int8_t>(form{}, in, out);
  // Computed in Python integers: acc = sum of (x - 5) * w + bias, then SRDHM and RDP with the factor's frexp form, +
  // -7, clamped.
  CHECK(y.elements == std::vector<std::int8_t>{127, -43, 9, -32, 68, -10, 7, -20, -99, 55, -22, 35, 127, 4, 8, -26});
}

TEST_CASE("depthwise_conv2d: u8 weights have a zero point") {
  filled<std::uint8_t> x(shape_t{1, 3, 3, 2}), w(shape_t{4, 2, 2, 1}), y(shape_t{1, 2, 2, 4});
  for (int i = 0; i < 18; ++i) x.elements[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i * 37 % 256);
  for (int i = 0; i < 16; ++i) w.elements[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i * 53 % 256);
  filled<std::int32_t> b({4}, {100, -2000, 3000, 0});
  x.desc.quantised = q(0.02F, 100), w.desc.quantised = q(0.03F, 120), y.desc.quantised = q(0.1F, 77);
  const view in[] = {x.as_view(), w.as_view(), b.as_view()}, out[] = {y.as_view()};
  op::reference<std::uint8_t>(form{}, in, out);
  // As above, with acc = sum of (x - 100) * (w - 120) + bias.
  CHECK(y.elements == std::vector<std::uint8_t>{136, 0, 150, 28, 85, 39, 149, 63, 0, 145, 0, 181, 118, 56, 149, 47});
}

constexpr auto network = [](builder& g) {
  auto x = g.input<f32, nnrt::shape<2, 8, 9, 4>>("x");
  auto y = depthwise_conv2d(x, g.weight<f32, nnrt::shape<8, 3, 3, 1>>("dw.weight"),
                            g.weight<f32, nnrt::shape<8>>("dw.bias"), same, stride<2, 1>, dilation<1, 2>, relu);
  static_assert(y.desc == tensor_desc(f32, {2, 4, 9, 8}));
  g.output("y", depthwise_conv2d(y, g.weight<f32, nnrt::shape<8, 3, 3, 1>>("second.weight"), padding<1, 2, 3, 4>));
};

TEST_CASE("depthwise_conv2d: keywords arrive as attributes, and bias may be left out") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 2);
  const auto a = unpack<op::attrs>(g.attrs_of(g.nodes[0]));
  CHECK(a.stride == extent2{2, 1});
  CHECK(a.dilation == extent2{1, 2});
  CHECK(a.pad == same_pads);
  CHECK(a.fused == activation::relu);
  CHECK(g.inputs_of(g.nodes[0]).size() == 3);
  CHECK(unpack<op::attrs>(g.attrs_of(g.nodes[1])).pad == around(1, 2, 3, 4));
  CHECK(g.inputs_of(g.nodes[1]).size() == 2);
}

static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size() == 2;
}());

// Computed in Python integers: acc = sum of x * w + bias over the pixels of the image. With a bias of 64 bits (acc *
// ((q + 2^15) >> 16) + 2^(14 - e)) >> (15 - e), with factor q * 2^(e - 31) from frexp of 0.0005F * scale[o] / 0.02F;
// with one of 32 bits SRDHM and RDP.
TEST_CASE("depthwise_conv2d: sums of 16-bit activations are scaled as TFLite's 16x8 layers do, in 64 bits or 32") {
  const std::vector<std::int16_t> wide{1394,  16771,  32767, 2354,  2491,   5552,  -10297, 2553,  -743,
                                       -3434, -31489, 7244,  19752, -21119, 32767, 2140,   7684,  -5668,
                                       32087, 3611,   -4669, 3842,  -8253,  6475,  -16451, 25233, -32768,
                                       10322, 13097,  -1096, 32767, 3191,   -452,  2945,   -1772, 5734};
  const std::vector<std::int16_t> narrow{1394,  16771,  32767, 2354,  2491,   5552,  -10297, 2553,  -743,
                                         -3435, -31489, 7244,  19751, -21119, 32767, 2140,   7684,  -5668,
                                         32087, 3611,   -4668, 3842,  -8253,  6475,  -16451, 25233, -32768,
                                         10321, 13097,  -1096, 32767, 3191,   -452,  2945,   -1772, 5734};
  const op::attrs a = form{.pad = around(1, 0, 0, 1)};
  const shape_t x{1, 3, 3, 2}, w{4, 2, 2, 1}, y{1, 3, 3, 4};
  const std::initializer_list<float> scales = {0.2F, 0.3F, 0.7F, 0.05F};
  CHECK(layer_of_i16<op, std::int64_t>{a, x, w, y, scales, 0.02F, {1000, -2000, 30000, 4000000}}.elements() == wide);
  CHECK(layer_of_i16<op, std::int32_t>{a, x, w, y, scales, 0.02F, {1000, -2000, 30000, 4000000}}.elements() == narrow);
}

TEST_CASE("depthwise_conv2d: 16-bit activations go with 8-bit weights, and with biases of 64 or 32 bits") {
  constexpr tensor_desc x_i16{i16, nhwc, {1, 8, 8, 4}, q(0.5F, 0)}, y_i16{i16, nhwc, {1, 6, 6, 8}, q(1.5F, 0)};
  constexpr tensor_desc w_u8{u8, nhwc, {8, 3, 3, 1}, q(0.1F, 0)};
  NNRT_CHECK_REFUSED(op, {"u8 weight",
                          form{},
                          {computed(x_i16), weight(w_u8)},
                          {y_i16},
                          rule::weight_type_of_an_i16_input_must_be_i8,
                          int(u8),
                          int(i8)});
  NNRT_CHECK_REFUSED(op, {"float bias",
                          form{},
                          {computed(x_i16), weight(w_i8), weight(f32_of({8}))},
                          {y_i16},
                          rule::bias_type_of_an_i16_input_must_be_i64_or_i32,
                          int(f32),
                          int(i64)});
  for (const dtype bias : {i64, i32})
    CHECK(infer<op>(form{}, {computed(x_i16), weight(w_i8), weight({bias, {8}})}, {y_i16}).output(0) == y_i16);
}

TEST_CASE("depthwise_conv2d: integers without a scale wrap around in their own width") {
  check_plain_integers<op>(form{}, rule::quantised_type_must_be_i8_u8_or_i16);
}

}  // namespace
