// matmul_test: rules, batches, transposes, arithmetic and the DSL function of matmul.
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/matmul.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu6.hpp>

#include "support/operators.hpp"
#include "support/quantised.hpp"

namespace {

using namespace nnrt_test;
using rule = ops::matmul::rule;

constexpr ops::matmul::attrs how(bool transpose_a, bool transpose_b, activation fused = activation::none) {
  ops::matmul::attrs a;
  a.transpose_a = transpose_a;
  a.transpose_b = transpose_b;
  a.fused = fused;
  return a;
}
constexpr ops::matmul::attrs plain = how(false, false);

struct refused_row {
  const char* what;
  ops::matmul::attrs attrs;
  tensor_desc a, b;
  rule broken;
  std::int64_t got, expected;
};
constexpr refused_row refused[] = {
    {"dtypes differ", plain, f32_of({2, 3}), {f64, {3, 4}}, rule::types_must_be_equal, 12, 11},
    {"a is a vector", plain, f32_of({3}), f32_of({3, 4}), rule::rank_of_a_must_be_at_least_2, 1, 2},
    {"b is a vector", plain, f32_of({2, 3}), f32_of({3}), rule::rank_of_b_must_be_at_least_2, 1, 2},
    {"b is a scalar", plain, f32_of({2, 3}), f32_of({}), rule::rank_of_b_must_be_at_least_2, 0, 2},
    {"inner extents", plain, f32_of({2, 3}), f32_of({4, 5}), rule::inner_extents_must_be_equal, 4, 3},
    {"1 is not repeated inside", plain, f32_of({2, 3}), f32_of({1, 5}), rule::inner_extents_must_be_equal, 1, 3},
    {"inner extents, a transposed", how(true, false), f32_of({2, 3}), f32_of({3, 5}), rule::inner_extents_must_be_equal,
     3, 2},
    {"inner extents, b transposed", how(false, true), f32_of({2, 3}), f32_of({3, 5}), rule::inner_extents_must_be_equal,
     5, 3},
    {"batches differ", plain, f32_of({2, 2, 3}), f32_of({4, 3, 5}), rule::leading_extents_must_be_equal_or_1, 4, 2},
    {"outer batches differ", plain, f32_of({2, 7, 2, 3}), f32_of({4, 1, 3, 5}),
     rule::leading_extents_must_be_equal_or_1, 4, 2},
};
constexpr bool refused_as_stated(const refused_row& r) {
  return breaks(infer<ops::matmul>(r.attrs, {computed(r.a), computed(r.b)}), r.broken, r.got, r.expected);
}
static_assert([] {
  for (const refused_row& row : refused)
    if (!refused_as_stated(row)) return false;
  return true;
}());
static_assert(breaks(infer<ops::matmul>({}, {computed(f32_of({2, 3}))}), signature_rule::required_operand_must_be_given,
                     1, 2));
static_assert(breaks(infer<ops::matmul>({}, {computed({u32, {2, 2}}), computed({u32, {2, 2}})}),
                     signature_rule::operand_type_must_be_accepted_by_the_operator, 8, 2));

TEST_CASE("matmul: matrices that do not fit are refused with the rule and both values") {
  for (const refused_row& row : refused) {
    CAPTURE(row.what);
    CHECK(refused_as_stated(row));
  }
  CHECK(
      breaks(infer<ops::matmul>({}, {computed(f32_of({2, 3}))}), signature_rule::required_operand_must_be_given, 1, 2));
  CHECK(breaks(infer<ops::matmul>({}, {computed({u32, {2, 2}}), computed({u32, {2, 2}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, 8, 2));
}

template <class T>
constexpr bool multiplies(activation fused, std::array<T, 4> a, std::array<T, 4> b, const std::array<T, 4>& expected) {
  const tensor_desc desc{dtype_for<T>(), {2, 2}};
  T y[4] = {};
  const view in[] = {{&desc, a.data()}, {&desc, b.data()}}, out[] = {{&desc, y}};
  ops::matmul::attrs attrs;
  attrs.fused = fused;
  ops::matmul::reference<T>(attrs, in, out);
  for (std::size_t i = 0; i < 4; ++i)
    if (y[i] != expected[i]) return false;
  return true;
}
static_assert(multiplies<std::int32_t>(activation::none, {1, -2, 3, 4}, {5, 6, 7, -8}, {-9, 22, 43, -14}));

TEST_CASE("matmul: integers without a scale wrap around in their own width") {
  CHECK(multiplies<std::int32_t>(activation::none, {1, -2, 3, 4}, {5, 6, 7, -8}, {-9, 22, 43, -14}));
  CHECK(multiplies<std::int32_t>(activation::relu6, {1, -2, 3, 4}, {5, 6, 7, -8}, {0, 6, 6, 0}));
  // Python: ((a @ b + 2^31) mod 2^32) - 2^31 of [[2^31 - 1, 2^31 - 1], [2, 0]] and [[2, 1], [2, 1]]
  CHECK(multiplies<std::int32_t>(activation::none, {INT32_MAX, INT32_MAX, 2, 0}, {2, 1, 2, 1}, {-4, -2, 4, 2}));
  CHECK(multiplies<std::int64_t>(activation::none, {INT64_MAX, INT64_MAX, 2, 0}, {2, 1, 2, 1}, {-4, -2, 4, 2}));
  const quant scale{0.5F, 0};
  CHECK(breaks(infer<ops::matmul>({}, {computed({i32, nd, {2, 2}, scale}), computed({i32, {2, 2}})}),
               rule::quantised_type_must_be_i8_u8_or_i16, int(i32), int(i8)));
}

struct quantised_row {
  const char* what;
  tensor_desc a, b, y;
  rule broken;
  std::int64_t got, expected;
};
constexpr quant half{.scale = 0.5F, .zero_point = 3}, tenth{.scale = 0.1F, .zero_point = -9};
constexpr tensor_desc of(dtype type, shape_t shape, quantisation q = {}) {
  return {type, default_format(shape.rank), shape, q};
}
constexpr tensor_desc a_i8 = of(i8, {2, 3}, half), b_i8 = of(i8, {3, 4}, tenth), y_i8 = of(i8, {2, 4}, half);
constexpr quantised_row quantised[] = {
    {"a plain", of(i8, {2, 3}), b_i8, y_i8, rule::quantised_a_must_have_one_scale, 0, 1},
    {"both plain", of(i8, {2, 3}), of(i8, {3, 4}), {}, rule::quantised_a_must_have_one_scale, 0, 1},
    {"a per channel", of(i8, {2, 3}, per_channel<0>), b_i8, y_i8, rule::quantised_a_must_have_one_scale, 2, 1},
    {"b plain", a_i8, of(i8, {3, 4}), y_i8, rule::quantised_b_must_have_a_scale, 0, 1},
    {"scales of rows", a_i8, of(i8, {3, 4}, per_channel<0>), y_i8, rule::scales_of_b_must_run_along_its_columns, 0, 1},
    {"nothing wanted", a_i8, b_i8, {}, rule::quantised_output_must_have_one_scale, 0, 1},
    {"y plain", a_i8, b_i8, of(i8, {2, 4}), rule::quantised_output_must_have_one_scale, 0, 1},
    {"u8 with i8", a_i8, of(u8, {3, 4}, half), y_i8, rule::types_must_be_equal, 6, 2},
};
constexpr bool refused_as_stated(const quantised_row& r) {
  return breaks(infer<ops::matmul>({}, {computed(r.a), computed(r.b)}, {r.y}), r.broken, r.got, r.expected);
}
static_assert([] {
  for (const quantised_row& row : quantised)
    if (!refused_as_stated(row)) return false;
  return true;
}());

TEST_CASE("matmul: bytes need one scale each, and say which result they want") {
  for (const quantised_row& row : quantised) {
    CAPTURE(row.what);
    CHECK(refused_as_stated(row));
  }
  const tensor_desc a = of(u8, {-1, 2, 3}, half), b = of(u8, {3, 4}, half), y = of(u8, {5, 2, 4}, half);
  CHECK(infer<ops::matmul>({}, {computed(a), computed(b)}, {y}).output(0) == y);
}

struct shape_row {
  const char* what;
  ops::matmul::attrs attrs;
  shape_t a, b, y;
  std::int64_t macs;
};
constexpr shape_row shapes[] = {
    {"one product", plain, {2, 3}, {3, 5}, {2, 5}, 30},
    {"a transposed", how(true, false), {3, 2}, {3, 5}, {2, 5}, 30},
    {"b transposed", how(false, true), {2, 3}, {5, 3}, {2, 5}, 30},
    {"both transposed", how(true, true), {3, 2}, {5, 3}, {2, 5}, 30},
    {"row times column", plain, {1, 7}, {7, 1}, {1, 1}, 7},
    {"column times row", plain, {7, 1}, {1, 3}, {7, 3}, 21},
    {"batch of 4", plain, {4, 2, 3}, {4, 3, 5}, {4, 2, 5}, 120},
    {"one b for the batch", plain, {4, 2, 3}, {3, 5}, {4, 2, 5}, 120},
    {"one a for the batch, transposed", how(true, false), {3, 2}, {4, 3, 5}, {4, 2, 5}, 120},
    {"batches repeat each other", how(false, true), {3, 1, 2, 3}, {2, 5, 3}, {3, 2, 2, 5}, 180},
    {"rank 8", plain, {1, 2, 1, 2, 1, 2, 2, 3}, {2, 1, 2, 1, 2, 1, 3, 2}, {2, 2, 2, 2, 2, 2, 2, 2}, 768},
    {"inner extent 0", plain, {2, 0}, {0, 3}, {2, 3}, 0},
    {"no rows", plain, {0, 2}, {2, 3}, {0, 3}, 0},
};

TEST_CASE("matmul: the output has the rows of a, the columns of b, and the broadcast batch") {
  for (const shape_row& row : shapes) {
    CAPTURE(row.what);
    const operand in[] = {computed(f32_of(row.a)), computed(f32_of(row.b))};
    const verdict v = infer_node<ops::matmul>(row.attrs, in, {});
    REQUIRE(v);
    CHECK(v.output(0) == f32_of(row.y));
    CHECK(ops::matmul::macs(row.attrs, in, v.outputs) == row.macs);
  }
}

TEST_CASE("matmul: unknown extents stay unknown where nothing else tells them") {
  const auto y = [](shape_t a, shape_t b) {
    return shape_of(infer<ops::matmul>({}, {computed(f32_of(a)), computed(f32_of(b))}));
  };
  CHECK(y({-1, 3}, {3, 5}) == shape_t{-1, 5});
  CHECK(y({2, -1}, {3, 5}) == shape_t{2, 5});
  CHECK(y({-1, 2, 3}, {4, 3, 5}) == shape_t{4, 2, 5});
  CHECK(y({-1, 2, 3}, {3, -1}) == shape_t{-1, 2, -1});
}

TEST_CASE("matmul: nothing is counted while an extent is unknown") {
  for (const auto& [a, b] : {std::pair(shape_t{2, -1}, shape_t{-1, 3}), std::pair(shape_t{-1, 2}, shape_t{2, 3})}) {
    const operand in[] = {computed(f32_of(a)), computed(f32_of(b))};
    const verdict v = infer_node<ops::matmul>({}, in, {});
    REQUIRE(v);
    CHECK(ops::matmul::macs({}, in, v.outputs) == 0);
  }
}

/// The element at `flat` of the product, from coordinates counted anew from the innermost extent.
double element_of_product(const shape_row& row, const filled<float>& a, const filled<float>& b, std::int64_t flat) {
  const std::int64_t n = row.y[-1], m = row.y[-2], column = flat % n, line = flat / n % m;
  const auto matrix = [&](const shape_t& s) {  // which matrix of the operand belongs to this one of the result
    std::int64_t rest = flat / n / m, at = 0, stride = 1;
    for (int i = 3; i <= row.y.rank; ++i) {
      const std::int64_t coordinate = rest % row.y[-i];
      rest /= row.y[-i];
      if (i > s.rank) continue;
      at += (s[-i] == 1 ? 0 : coordinate) * stride;
      stride *= s[-i];
    }
    return at * s[-1] * s[-2];
  };
  const std::int64_t inner = row.attrs.transpose_a ? row.a[-2] : row.a[-1], from_a = matrix(row.a),
                     from_b = matrix(row.b);
  double sum = 0;
  for (std::int64_t k = 0; k < inner; ++k) {
    const std::int64_t i = row.attrs.transpose_a ? k * m + line : line * inner + k,
                       j = row.attrs.transpose_b ? column * inner + k : k * n + column;
    sum += double{a.elements[static_cast<std::size_t>(from_a + i)]} *
           double{b.elements[static_cast<std::size_t>(from_b + j)]};
  }
  return sum;
}

TEST_CASE("matmul: each element is a row of a times a column of b of its batch") {
  for (const shape_row& row : shapes) {
    CAPTURE(row.what);
    filled<float> a(row.a), b(row.b);
    for (std::size_t i = 0; i < a.elements.size(); ++i) a.elements[i] = static_cast<float>(i % 13) - 6.0F;
    for (std::size_t i = 0; i < b.elements.size(); ++i) b.elements[i] = static_cast<float>(i % 7) - 2.5F;
    const filled<float> y = run<ops::matmul, float>(row.attrs, row.y, a, b);
    for (std::int64_t i = 0; i < row.y.elements(); ++i) {
      CAPTURE(i);
      REQUIRE(double{y.elements[static_cast<std::size_t>(i)]} ==
              element_of_product(row, a, b, i));  // small halves: exact in float
    }
  }
}

// [1 2; 3 4] * [5 6; 7 8] = [19 22; 43 50], worked by hand, and its three transposed forms.
template <class T> constexpr bool gives(ops::matmul::attrs attrs, std::initializer_list<T> y) {
  const filled<T> a({2, 2}, {T(1), T(2), T(3), T(4)}), b({2, 2}, {T(5), T(6), T(7), T(8)});
  return run<ops::matmul, T>(attrs, {2, 2}, a, b).elements == std::vector<T>(y);
}
static_assert(gives<float>(plain, {19, 22, 43, 50}));
static_assert(gives<double>(how(true, false), {26, 30, 38, 44}));
static_assert(gives<float>(how(false, true), {17, 23, 39, 53}));
static_assert(gives<float>(how(true, true), {23, 31, 34, 46}));
static_assert(gives<float>(how(false, false, activation::relu6), {6, 6, 6, 6}));

TEST_CASE("matmul: float16 sums in float") {
  CHECK(gives<float16>(plain, {float16(19.0F), float16(22.0F), float16(43.0F), float16(50.0F)}));
  // 2048 + 1 + 1: in float16 each 1 would be lost.
  const filled<float16> a({1, 3}, {float16(2048.0F), float16(1.0F), float16(1.0F)}),
      ones({3, 1}, {float16(1.0F), float16(1.0F), float16(1.0F)});
  CHECK(static_cast<float>(run<ops::matmul, float16>({}, {1, 1}, a, ones).elements[0]) == 2050.0F);
}

/// a: i * 37 % 256 (- 128 for i8), [2, 2, 3], transposed [2, 3, 2]; b: i * 53 % 256 (- 128), [3, 4] or [2, 3, 4],
/// transposed [4, 3]; scales 0.02 and 0.03 to 0.3; zero points 11, -20 and 5 (u8: 139, 108 and 133).
template <class T, class Rounding = rounding::double_rounding>
constexpr std::vector<T> product_of_bytes(shape_t shape_a, shape_t shape_b, const ops::matmul::attrs& attrs) {
  constexpr int first = std::is_same_v<T, std::int8_t> ? 128 : 0;
  filled<T> a(shape_a), b(shape_b), y(shape_t{2, 2, 4});
  for (std::size_t i = 0; i < a.elements.size(); ++i) a.elements[i] = static_cast<T>(int(i) * 37 % 256 - first);
  for (std::size_t i = 0; i < b.elements.size(); ++i) b.elements[i] = static_cast<T>(int(i) * 53 % 256 - first);
  a.desc.quantised = quant{0.02F, 139 - first}, b.desc.quantised = quant{0.03F, 108 - first};
  y.desc.quantised = quant{0.3F, 133 - first};
  const view in[] = {a.as_view(), b.as_view()}, out[] = {y.as_view()};
  ops::matmul::reference<T, Rounding>(attrs, in, out);
  return y.elements;
}
using signed_numbers = std::vector<std::int8_t>;
using unsigned_numbers = std::vector<std::uint8_t>;

// Computed in Python integers: acc = sum of (a - zero point) * (b - zero point), times float32(sa * sb) / sy by SRDHM
// and RDP with its frexp form, + zero point, clamped. (u8 has the same real numbers as i8: so the same, + 128.)
static_assert(product_of_bytes<std::int8_t>({2, 2, 3}, {3, 4}, plain) ==
              signed_numbers{6, 26, 27, -6, 18, 17, -4, -1, -53, 0, 35, 19, 15, 19, 5, -3});

TEST_CASE("matmul: products of bytes are scaled, rounded and clamped as TFLite's reference does") {
  CHECK(product_of_bytes<std::int8_t>({2, 2, 3}, {3, 4}, plain) ==
        signed_numbers{6, 26, 27, -6, 18, 17, -4, -1, -53, 0, 35, 19, 15, 19, 5, -3});
  CHECK(product_of_bytes<std::uint8_t>({2, 2, 3}, {3, 4}, plain) ==
        unsigned_numbers{134, 154, 155, 122, 146, 145, 124, 127, 75, 128, 163, 147, 143, 147, 133, 125});
  CHECK(product_of_bytes<std::int8_t>({2, 2, 3}, {2, 3, 4}, plain) ==
        signed_numbers{6, 26, 27, -6, 18, 17, -4, -1, 30, 13, -3, -61, 3, -5, -13, 11});
  CHECK(product_of_bytes<std::int8_t>({2, 3, 2}, {4, 3}, how(true, true)) ==
        signed_numbers{42, -24, 18, -15, 30, -20, 20, -16, -2, -2, -7, 43, 41, -24, 18, -15});
  CHECK(product_of_bytes<std::int8_t>({2, 3, 2}, {4, 3}, how(true, true, activation::relu)) ==
        signed_numbers{42, 5, 18, 5, 30, 5, 20, 5, 5, 5, 5, 43, 41, 5, 18, 5});
  CHECK(product_of_bytes<std::int8_t>({2, 3, 2}, {4, 3}, how(true, true, activation::relu6)) ==
        signed_numbers{25, 5, 18, 5, 25, 5, 20, 5, 5, 5, 5, 25, 25, 5, 18, 5});
}

/// number * 4 / 8 steps of y: 5 and -5 lie in the middle between two.
template <class Rounding> int in_the_middle(std::int8_t number) {
  filled<std::int8_t> a({1, 1}, {number}), b({1, 1}, {4}), y(shape_t{1, 1});
  a.desc.quantised = quant{0.1F, 0}, b.desc.quantised = quant{0.1F, 0}, y.desc.quantised = quant{0.1F * 0.1F * 8, 0};
  const view in[] = {a.as_view(), b.as_view()}, out[] = {y.as_view()};
  ops::matmul::reference<std::int8_t, Rounding>(plain, in, out);
  return y.elements[0];
}

TEST_CASE("matmul: Rounding decides in the middle") {
  CHECK(in_the_middle<rounding::double_rounding>(5) == 3);
  CHECK(in_the_middle<rounding::double_rounding>(-5) == -3);
  CHECK(in_the_middle<rounding::single_rounding>(-5) == -2);
  CHECK(in_the_middle<rounding::half_to_even>(5) == 2);
}

constexpr auto attention = [](builder& b) {
  auto q = b.input<f32, shape<2, 4, 5, 8>>("q");
  auto k = b.input<f32, shape<2, 4, 7, 8>>("k");
  auto v = b.weight<f32, shape<7, 3>>("v");
  b.output("y", matmul(matmul(q, k, transpose_b), v, relu6));
};

TEST_CASE("matmul: keywords arrive as attributes") {
  builder b;
  attention(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 2);
  const auto first = unpack<ops::matmul::attrs>(g.attrs_of(g.nodes[0])),
             second = unpack<ops::matmul::attrs>(g.attrs_of(g.nodes[1]));
  CHECK((!first.transpose_a && first.transpose_b && first.fused == activation::none));
  CHECK((!second.transpose_a && !second.transpose_b && second.fused == activation::relu6));
  CHECK(g.at(g.outputs_of(g.nodes[0])[0]).desc == f32_of({2, 4, 5, 7}));
  CHECK(g.at(g.outputs_of(g.nodes[1])[0]).desc == f32_of({2, 4, 5, 3}));
}

constexpr auto attention_of_i8 = [](builder& b) {
  auto q = b.input<i8, shape<2, 5, 8>, nd, quant{.scale = 0.02F, .zero_point = -7}>("q");
  auto k = b.input<i8, shape<2, 7, 8>, nd, quant{.scale = 0.03F, .zero_point = 7}>("k");
  auto y = matmul(q, k, transpose_b, into<quant{.scale = 0.2F, .zero_point = 11}>);
  static_assert(y.desc == of(i8, {2, 5, 7}, quant{0.2F, 11}));
  b.output("y", y);
};

TEST_CASE("matmul: a quantised output takes the scale that it is asked into") {
  builder b;
  attention_of_i8(b);
  CHECK(b.graph().nodes.size() == 1);
}

TEST_CASE("matmul: sums of 16-bit numbers are kept in 64 bits and scaled by 15 bits of the factor") {
  // a: i * 9973 % 2^16 - 2^15, b: i * 7919 % 2^16 - 2^15; [2, 3] times [3, 2]. Computed in Python integers: (acc * ((q
  // + 2^15) >> 16) + 2^(14 - e)) >> (15 - e) with factor q * 2^(e - 31) from frexp of 0.0005F * 0.0003F / 0.008F.
  const auto a = ramp<std::int16_t>({2, 3}, 9973, 65536, -32768, quant{0.0005F, 0});
  const auto b = ramp<std::int16_t>({3, 2}, 7919, 65536, -32768, quant{0.0003F, 0});
  CHECK(run_quantised<ops::matmul, std::int16_t>(plain, {2, 2}, quant{0.008F, 0}, a, b) ==
        std::vector<std::int16_t>{27632, 17478, -861, 2312});
  const operand left = computed(a.desc), right = computed(b.desc);
  CHECK(infer<ops::matmul>(plain, {left, right}, {of(i16, {2, 2}, quant{0.5F, 0})}).output(0) ==
        of(i16, {2, 2}, quant{0.5F, 0}));
}

TEST_CASE("matmul: a scale for each column of b is that of a dense layer's output") {
  auto a = spread<std::int8_t>({3, 6}, 37, quant{0.02F, -7}), b = spread<std::int8_t>({4, 6}, 53, per_channel<0>);
  const float scales[] = {0.01F, 0.05F, 0.002F, 0.03F};
  filled<std::int8_t> y({3, 4}), turned({3, 4}), expected({3, 4}), b_in_rows({6, 4});
  y.desc.quantised = turned.desc.quantised = expected.desc.quantised = quant{0.3F, 5};
  b_in_rows.desc.quantised = per_channel<1>;
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t n = 0; n < 4; ++n) b_in_rows.elements[k * 4 + n] = b.elements[n * 6 + k];
  view right = b.as_view(), rows = b_in_rows.as_view();
  right.scales = rows.scales = scales;
  const view in[] = {a.as_view(), right}, in_rows[] = {a.as_view(), rows};
  const view out[] = {y.as_view()}, out_rows[] = {turned.as_view()}, out_layer[] = {expected.as_view()};
  ops::matmul::reference<std::int8_t>(how(false, true), in, out);
  ops::matmul::reference<std::int8_t>(plain, in_rows, out_rows);
  ops::full_connection::reference<std::int8_t>({}, in, out_layer);
  CHECK(y.elements == expected.elements);
  CHECK(turned.elements == expected.elements);
  const tensor_desc wanted = of(i8, {3, 4}, quant{0.3F, 5});
  CHECK(infer<ops::matmul>(how(false, true), {computed(a.desc), weight(b.desc)}, {wanted}).output(0) == wanted);
  CHECK(
      breaks(infer<ops::matmul>(plain, {computed(of(i8, {3, 4}, quant{1, 0})), weight(of(i8, {4, 6}, per_channel<0>))},
                                {of(i8, {3, 6}, quant{1, 0})}),
             rule::scales_of_b_must_run_along_its_columns, 0, 1));
}

}  // namespace
