// quant_dtype_cast_test: rules, rounding, scales of channels and the DSL forms of quant_dtype_cast.
#include <nnrt/ops/quant_dtype_cast.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/quantised.hpp"

namespace {

using namespace nnrt_test;
using op = ops::quant_dtype_cast;
using rule = op::rule;

constexpr op::attrs between(std::int64_t src, std::int64_t dst, std::int64_t axis = 0) {
  op::attrs a;
  a.src_t = src, a.dst_t = dst, a.axis = axis;
  return a;
}
constexpr op::attrs between(dtype src, dtype dst, std::int64_t axis = 0) { return between(int(src), int(dst), axis); }

struct refusal {
  const char* what;
  op::attrs a;
  tensor_desc x, wanted;
  rule broken;
  std::int64_t got, expected;
};
constexpr tensor_desc each = i8_of({2, 7}, per_channel<1>), scaled = wish(some_scale);
constexpr refusal refusals[] = {
    {"no src_t", between(0, 2), f32_of({2}), scaled, rule::src_t_must_be_the_number_of_the_input_type, 0, int(f32)},
    {"another src_t", between(f16, i8), f32_of({2}), scaled, rule::src_t_must_be_the_number_of_the_input_type, int(f16),
     int(f32)},
    {"HDI's number of another dtype", between(42, 2), f32_of({2}), scaled,
     rule::src_t_must_be_the_number_of_the_input_type, 42, int(f32)},
    {"a src_t far away", between(INT64_MIN, 2), f32_of({2}), scaled, rule::src_t_must_be_the_number_of_the_input_type,
     INT64_MIN, int(f32)},
    {"no dst_t", between(11, 0), f32_of({2}), scaled, rule::dst_t_must_be_the_number_of_a_type_that_is_accepted, 0,
     int(i8)},
    {"dst_t boolean", between(f32, boolean), f32_of({2}), scaled,
     rule::dst_t_must_be_the_number_of_a_type_that_is_accepted, int(boolean), int(i8)},
    {"dst_t i64", between(f32, i64), f32_of({2}), scaled, rule::dst_t_must_be_the_number_of_a_type_that_is_accepted,
     int(i64), int(i8)},
    {"a dst_t that is no number of any", between(11, 41), f32_of({2}), scaled,
     rule::dst_t_must_be_the_number_of_a_type_that_is_accepted, 41, int(i8)},
    {"float to float",
     between(f32, f16),
     f32_of({2}),
     {},
     rule::one_of_the_types_must_be_an_integer,
     int(f16),
     int(i8)},
    {"a plain integer", between(i8, f32), {i8, {2}}, {}, rule::quantised_input_must_have_a_scale, 0, 1},
    {"the axis of other scales", between(i8, f32), each, {}, rule::axis_must_be_the_quantised_axis, 0, 1},
    {"counted from the end", between(i8, f32, -2), each, {}, rule::axis_must_be_the_quantised_axis, 0, 1},
    {"an axis far away", between(i8, f32, INT64_MAX), each, {}, rule::axis_must_be_the_quantised_axis, INT64_MAX, 1},
    {"nothing wanted", between(f32, i8), f32_of({2}), {}, rule::quantised_output_must_have_one_scale, 0, 1},
    {"nothing wanted of quantised values",
     between(i8, u8),
     i8_of({2}),
     {},
     rule::quantised_output_must_have_one_scale,
     0,
     1},
    {"a scale for each channel wanted", between(f32, i8), f32_of({2, 7}), each,
     rule::quantised_output_must_have_one_scale, 7, 1},
};
constexpr bool is_refused(const refusal& r) {
  return breaks(infer<op>(r.a, {computed(r.x)}, {r.wanted}), r.broken, r.got, r.expected);
}
static_assert([] {
  for (const refusal& r : refusals)
    if (!is_refused(r)) return false;
  return true;
}());

TEST_CASE("quant_dtype_cast: each broken rule is named with both values") {
  for (const refusal& r : refusals) {
    CAPTURE(r.what);
    CHECK(is_refused(r));
  }
}

TEST_CASE("quant_dtype_cast: the signature refuses what is neither real nor stored, and a wish for another dtype") {
  CHECK(breaks(infer<op>(between(i64, i8), {computed({i64, {2}})}, {scaled}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(i64), int(i8)));
  CHECK(breaks(infer<op>(between(f32, i8), {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<op>(between(f32, i8), {computed(f32_of({2}))}, {{u8, nd, {2}, some_scale}}),
               signature_rule::declared_output_type_must_match, int(i8), int(u8)));
  CHECK(breaks(infer<op>(between(i8, f32), {computed(i8_of({2}))}, {scaled}),
               signature_rule::quantised_type_must_be_an_integer, int(f32), int(i8)));
}

TEST_CASE("quant_dtype_cast: the output has the shape and format of x, and integers have the wanted scale") {
  struct row {
    op::attrs a;
    tensor_desc x, wanted, y;
  };
  static constexpr row table[] = {
      {between(f32, i8), {f32, nchw, {2, 3, 5, 7}}, scaled, {i8, nchw, {2, 3, 5, 7}, some_scale}},
      {between(43, 37), f32_of({-1, 4}), scaled, {u8, nd, {-1, 4}, some_scale}},
      {between(f64, i16), {f64, {}}, scaled, {i16, nd, {}, some_scale}},
      {between(f16, i32), {f16, {0, 2}}, scaled, {i32, nd, {0, 2}, some_scale}},
      {between(i8, f32), i8_of({3}), {}, f32_of({3})},
      {between(32, 42), i8_of({3}), {f16, {3}}, {f16, {3}}},
      {between(i32, f64), {i32, nd, {3}, other_scale}, {}, {f64, {3}}},
      {between(i8, u8), i8_of({3}), wish(quant{0.5F, 131}), {u8, nd, {3}, quant{0.5F, 131}}},
      {between(i8, f32, 1), each, {}, f32_of({2, 7})},
      {between(i8, i8, -1), each, scaled, i8_of({2, 7})},
  };
  for (const row& r : table) {
    const verdict v = infer<op>(r.a, {computed(r.x)}, {r.wanted});
    REQUIRE(v);
    CHECK(v.output(0) == r.y);
  }
}

/// The reference's answer, y quantised as said.
template <class To, class From> constexpr std::vector<To> made(filled<From> x, quantisation y = {}) {
  filled<To> out(x.desc.shape);
  out.desc.quantised = y;
  const view operands[] = {x.as_view()}, results[] = {out.as_view()};
  op::reference<From>({}, operands, results);
  return out.elements;
}

// Expected numbers: python, round(x / scale) + zero point, x and the quotient rounded to float, halves away from zero.
TEST_CASE("quant_dtype_cast: reals become the nearest quantised value, with the bits of TFLite's QUANTIZE") {
  const filled<float> x({10}, {-3, -1.15F, -0.05F, 0, 0.049F, 0.05F, 1.15F, 2.675F, 12.35F, 1000});
  CHECK(made<std::int8_t>(x, quant{0.1F, -7}) == std::vector<std::int8_t>{-37, -19, -8, -7, -7, -6, 5, 20, 117, 127});
  CHECK(made<std::uint8_t>(x, quant{0.1F, 121}) ==
        std::vector<std::uint8_t>{91, 109, 120, 121, 121, 122, 133, 148, 245, 255});
  CHECK(made<std::int16_t>(x, quant{0.001F, 0}) ==
        std::vector<std::int16_t>{-3000, -1150, -50, 0, 49, 50, 1150, 2675, 12350, 32767});
  CHECK(made<std::int32_t>(x, quant{0.001F, 5})[9] == 1000005);
  CHECK(made<std::int8_t>(filled<float16>({2}, {float16(0.75F), float16(-2.0F)}), some_scale) ==
        std::vector<std::int8_t>{5, -1});
  CHECK(made<std::int8_t>(filled<double>({2}, {0.25, 0.2499999999}), some_scale) == std::vector<std::int8_t>{4, 3});
  CHECK(made<std::int8_t>(filled<float>({3}, {math::nan<float>, math::infinity<float>, -math::infinity<float>}),
                          some_scale) == std::vector<std::int8_t>{3, 127, -128});
}
static_assert(made<std::int8_t>(filled<float>({2}, {1, -0.75F}), some_scale) == std::vector<std::int8_t>{5, 1});

TEST_CASE("quant_dtype_cast: quantised values become what they stand for, rounded once") {
  CHECK(made<float>(stored<std::int8_t>({4}, {-128, -7, 0, 127}, quant{0.1F, -7})) ==
        std::vector<float>{-12.1F, 0, 0.7F, 13.400001F});
  CHECK(made<float>(stored<std::uint8_t>({2}, {0, 255}, quant{0.5F, 255})) == std::vector<float>{-127.5F, 0});
  CHECK(made<double>(stored<std::int16_t>({1}, {3}, quant{0.1F, 0})) == std::vector<double>{3 * double{0.1F}});
  CHECK(made<float16>(stored<std::int8_t>({1}, {5}, some_scale)) == std::vector<float16>{float16(1.0F)});
  // A bias: 2^31 - 1 - -2^31 steps do not fit into 32 bits.
  CHECK(made<float>(stored<std::int32_t>({1}, {2147483647}, quant{0.5F, -2147483647 - 1})) ==
        std::vector<float>{2147483648.0F});
}

// Expected numbers: python integers through TFLite's definition: (x - zero) times scale / scale of y, rounded by SRDHM
// and RDP.
TEST_CASE("quant_dtype_cast: quantised values take another scale with the bits of TFLite's QUANTIZE") {
  CHECK(made<std::int8_t>(spread<std::int8_t>({16}, 37, quant{0.1F, -7}), quant{0.037F, 11}) ==
        std::vector<std::int8_t>{-128, -128, -116, -16, 84, 127, 127, -128, -128, -108, -8, 92, 127, 127, -128, -128});
  CHECK(made<std::uint8_t>(spread<std::int8_t>({16}, 37, quant{0.1F, -7}), quant{0.1F, 121}) ==
        std::vector<std::uint8_t>{0, 37, 74, 111, 148, 185, 222, 3, 40, 77, 114, 151, 188, 225, 6, 43});
  CHECK(made<std::int8_t>(spread<std::uint8_t>({16}, 37, quant{0.3F, 100}), quant{0.5F, -3}) ==
        std::vector<std::int8_t>{-63, -41, -19, 4, 26, 48, 70, -61, -39, -17, 5, 28, 50, 72, -59, -37});
  CHECK(made<std::int8_t>(spread<std::int16_t>({16}, 9973, quant{0.001F, 0}), quant{0.2F, 5}) ==
        std::vector<std::int8_t>{-128, -109, -59, -9, 41, 90, 127, -128, -88, -38, 12, 62, 112, 127, -116, -66});
  CHECK(made<std::int16_t>(spread<std::int8_t>({4}, 37, quant{0.1F, -7}), quant{0.001F, 0}) ==
        std::vector<std::int16_t>{-12100, -8400, -4700, -1000});
}

// Expected numbers: python fractions, (x - zero) * scale / scale of y, to nearest, halves up.
TEST_CASE("quant_dtype_cast: from and to 32 bits nothing is cut before the result is") {
  constexpr quant one{1.0F, 0};
  CHECK(made<std::int32_t>(stored<std::int16_t>({3}, {29000, -29000, 32767}, quant{72090.0F, 0}), one) ==
        std::vector<std::int32_t>{2090610000, -2090610000, 2147483647});
  CHECK(made<std::int32_t>(stored<std::int32_t>({3}, {1395864371, -1395864371, 1500000000}, quant{1.5F, 0}), one) ==
        std::vector<std::int32_t>{2093796557, -2093796556, 2147483647});
  CHECK(made<std::int32_t>(stored<std::int32_t>({2}, {1395864371, -1395864371}, quant{1.5F, 0}),
                           quant{1.0F, 1, quantised_rounding::half_to_even}) ==
        std::vector<std::int32_t>{2093796558, -2093796556});
  CHECK(made<std::int32_t>(stored<std::int32_t>({2}, {2000000000, -2000000000}, quant{1.0F, -2000000000}),
                           quant{1.0F, -2000000000}) == std::vector<std::int32_t>{2000000000, -2000000000});
  CHECK(made<std::int16_t>(stored<std::int32_t>({2}, {2000000000, -2000000000}, quant{1.0F, -2000000000}),
                           quant{0x1p18F, 0}) == std::vector<std::int16_t>{15259, 0});
  CHECK(made<std::int8_t>(stored<std::int32_t>({1}, {-2000000000}, quant{1.0F, 2000000000}), quant{0x1p26F, 3}) ==
        std::vector<std::int8_t>{-57});
}

TEST_CASE("quant_dtype_cast: each index along the axis has its own scale") {
  filled<std::int8_t> x({2, 3, 2}, {1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6});
  x.desc.quantised = per_channel<1>;
  const float scales[] = {1.0F, 0.5F, 0.25F};
  const std::int32_t zeros[] = {0, 1, -2};
  view in = x.as_view();
  in.scales = scales;
  filled<float> y({2, 3, 2});
  filled<std::int8_t> z({2, 3, 2});
  z.desc.quantised = other_scale;
  const view operands[] = {in}, reals[] = {y.as_view()}, others[] = {z.as_view()};
  op::reference<std::int8_t>({}, operands, reals);
  CHECK(y.elements == std::vector<float>{1, 2, 1.5F, 2, 1.25F, 1.5F, -1, -2, -1.5F, -2, -1.25F, -1.5F});
  op::reference<std::int8_t>({}, operands, others);
  CHECK(z.elements == std::vector<std::int8_t>{0, 4, 2, 4, 1, 2, -8, -12, -10, -12, -9, -10});
  in.zero_points = zeros;
  const view shifted[] = {in};
  op::reference<std::int8_t>({}, shifted, reals);
  CHECK(y.elements == std::vector<float>{1, 2, 1, 1.5F, 1.75F, 2, -1, -2, -2, -2.5F, -0.75F, -1});
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  auto w = b.weight<i8, shape<4, 3>, nd, per_channel<1>>("w");
  auto q = quantise(x, into<quant{.scale = 0.5F, .zero_point = 3}>);
  auto u = quantise<u8>(q, into<quant{.scale = 0.25F, .zero_point = 128}>);
  static_assert(decltype(q)::desc == i8_of({2, 3}) && decltype(u)::desc.type == u8);
  b.output("y", dequantise(u));
  b.output("w", dequantise<f16>(w));
  b.output("z", quant_dtype_cast<i16>(x, into<i16, quant{.scale = 0.125F}>));
};

TEST_CASE("quant_dtype_cast: the DSL knows both dtypes and the axis of the scales") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 5);
  const auto attrs = [&](std::size_t i) { return unpack<op::attrs>(g.attrs_of(g.nodes[i])); };
  CHECK(attrs(0).src_t == int(f32));
  CHECK(attrs(0).dst_t == int(i8));
  CHECK(attrs(1).src_t == int(i8));
  CHECK(attrs(2).dst_t == int(f32));
  CHECK(attrs(3).axis == 1);
  CHECK(g.at(g.outputs[0].value).desc == f32_of({2, 3}));
  CHECK(g.at(g.outputs[1].value).desc == tensor_desc{f16, {4, 3}});
  CHECK(g.at(g.outputs[2].value).desc == tensor_desc{i16, nd, {2, 3}, quant{0.125F, 0}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 5);

}  // namespace
