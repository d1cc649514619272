// reduce_prod_test: the rules, shapes and elements of reduce_prod.
#include <nnrt/ops/reduce_prod.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/quantised.hpp>
#include <support/refused.hpp>

#include <bit>
#include <limits>

using namespace nnrt_test;

namespace {

using op = ops::reduce_prod;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs keeping(bool keep_dims) {
  attrs a;
  a.keep_dims = keep_dims;
  return a;
}
constexpr attrs to_end(float coefficient, bool keep_dims = false) {
  attrs a = keeping(keep_dims);
  a.reduce_to_end = true;
  a.coefficient = coefficient;
  return a;
}

constexpr operand x23 = computed(f32_of({2, 3}));
constexpr operand matrix_of_axes{tensor_desc{i64, {1, 2}}, numbers<0, 1>, true};
constexpr operand axis_2 = integers(numbers<0, 2>), axis_before = integer(numbers<-3>),
                  axis_twice = integers(numbers<1, -1>), axis_far = integer(numbers<INT64_MIN>);

template <class T>
constexpr std::vector<T> product(const attrs& a, shape_t y, filled<T> x, std::vector<std::int32_t> axes) {
  const auto count = static_cast<std::int64_t>(axes.size());
  return run<op, T>(a, y, x, filled<std::int32_t>({count}, axes)).elements;
}

}  // namespace

TEST_CASE("reduce_prod: each broken rule is named with both values") {
  NNRT_CHECK_REFUSED(
      op, {"a matrix of axes", {}, {x23, matrix_of_axes}, {}, rule::axes_must_be_a_list_or_one_number, 2, 1});
  NNRT_CHECK_REFUSED(op, {"unknown axes", {}, {x23, weight({i32, {1}})}, {}, rule::axes_must_be_known, 0, 1});
  NNRT_CHECK_REFUSED(op, {"after the last", {}, {x23, axis_2}, {}, rule::axis_must_be_an_axis_of_the_input, 2, 1});
  NNRT_CHECK_REFUSED(op,
                     {"before the first", {}, {x23, axis_before}, {}, rule::axis_must_be_an_axis_of_the_input, -3, 1});
  NNRT_CHECK_REFUSED(
      op,
      {"far before the first", to_end(2), {x23, axis_far}, {}, rule::axis_must_be_an_axis_of_the_input, INT64_MIN, 1});
}

TEST_CASE("reduce_prod: the signature refuses booleans and computed axes") {
  CHECK(breaks(infer<op>({}, {computed({boolean, {4}})}), signature_rule::operand_type_must_be_accepted_by_the_operator,
               int(boolean), int(i8)));
  CHECK(breaks(infer<op>({}, {x23, computed({i32, {1}})}), signature_rule::operand_must_be_a_constant, 0, 1));
}

TEST_CASE("reduce_prod: the axes of the product go, or stay with extent 1") {
  struct row {
    const char* what;
    attrs a;
    shape_t x;
    operand axes;
    shape_t y;
  };
  static constexpr row table[] = {
      {"height and width", {}, {2, 5, 7, 3}, integers(numbers<1, 2>), {2, 3}},
      {"kept, from the end", keeping(true), {2, 5, 7, 3}, integers(numbers<-2, 1>), {2, 1, 1, 3}},
      {"one axis, as a scalar", {}, {2, 5}, integer(numbers<-1>), {2}},
      {"everything", {}, {2, 5}, integers(numbers<0, 1>), {}},
      {"one axis by two names", keeping(true), {2, 5}, axis_twice, {2, 1}},
      {"no axis means all", {}, {2, 5}, integers(numbers<>), {}},
      {"no operand means all, kept", keeping(true), {2, 5}, missing(), {1, 1}},
      {"a scalar", {}, {}, missing(), {}},
      {"to the end", to_end(0), {2, 5, 7, 3}, integers(numbers<-2>), {2, 5}},
      {"to the end, kept", to_end(3, true), {2, 5, 7, 3}, integers(numbers<1>), {2, 1, 1, 1}},
      {"with an unknown batch", {}, {-1, 5, 7, 3}, integers(numbers<1, 2>), {-1, 3}},
      {"along an unknown extent", keeping(true), {-1, 5}, integers(numbers<0>), {1, 5}},
      {"along no elements", {}, {3, 0}, integers(numbers<1>), {3}},
      {"rank 8", {}, {1, 2, 1, 2, 1, 2, 1, 2}, integers(numbers<0, 2, 4, 6>), {2, 2, 2, 2}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<op>(r.a, {computed({i32, r.x}), r.axes});
    REQUIRE(got);
    CHECK(got.output(0) == tensor_desc{i32, r.y});
  }
}

static_assert(product<float>({}, {2}, filled<float>({2, 3}, {1, 2, 3, 4, 5, 9}), {-1}) == std::vector<float>{6, 180});

TEST_CASE("reduce_prod: the product runs along exactly the axes that are named") {
  // x[a][b][c] = 2^a * 3^b * 5^c over extents 2, 3, 2: along an axis of n elements the other factors are raised to the
  // n-th power, and the axis gives 2^(0 + 1), 3^(0 + 1 + 2) or 5^(0 + 1).
  const filled<std::int64_t> x({2, 3, 2}, {1, 5, 3, 15, 9, 45, 2, 10, 6, 30, 18, 90});
  CHECK(product({}, {3, 2}, x, {0}) == std::vector<std::int64_t>{2, 50, 18, 450, 162, 4050});
  CHECK(product({}, {2, 2}, x, {1}) == std::vector<std::int64_t>{27, 27 * 125, 27 * 8, 27 * 8 * 125});
  CHECK(product(keeping(true), {2, 3, 1}, x, {2}) == std::vector<std::int64_t>{5, 45, 405, 20, 180, 1620});
  CHECK(product({}, {3}, x, {0, -1}) == std::vector<std::int64_t>{100, 8100, 656100});
  CHECK(product({}, {3}, x, {2, 0, -1, 0, 2, 0, 2, 0, 2, 0}) == std::vector<std::int64_t>{100, 8100, 656100});
  CHECK(product({}, {}, filled<double>({4}, {0.5, -3, 2, 0.125}), {}) == std::vector<double>{-0.375});
  CHECK(run<op, std::int64_t>({}, {}, filled<std::int64_t>({3}, {-2, 3, 7})).elements ==
        std::vector<std::int64_t>{-42});
}

TEST_CASE("reduce_prod: the coefficient counts with reduce_to_end alone, and 0 means none") {
  const filled<float> x({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  attrs unused;
  unused.coefficient = 10;
  CHECK(product(to_end(0.5F), {2}, x, {1}) == std::vector<float>{12, 840});
  CHECK(product(to_end(0), {2}, x, {-2}) == std::vector<float>{24, 1680});
  CHECK(product(unused, {2}, x, {1, 2}) == std::vector<float>{24, 1680});
}

TEST_CASE("reduce_prod: integers wrap around in their width; times a coefficient they saturate") {
  CHECK(product({}, {}, filled<std::int8_t>({3}, {100, 3, -1}), {0}) == std::vector<std::int8_t>{-44});  // -300 + 256
  CHECK(product({}, {}, filled<std::uint8_t>({2}, {16, 17}), {0}) == std::vector<std::uint8_t>{16});     // 272 - 256
  const std::int64_t large = (std::int64_t{1} << 62) + 1;  // a double would lose the 1
  CHECK(product(to_end(1), {}, filled<std::int64_t>({2}, {large, 1}), {0}) == std::vector<std::int64_t>{large});
  CHECK(product({}, {}, filled<std::int64_t>({2}, {large, 4}), {0}) == std::vector<std::int64_t>{4});
  CHECK(product(to_end(2.5F), {}, filled<std::int32_t>({2}, {-3, 5}), {0}) == std::vector<std::int32_t>{-37});
  CHECK(product(to_end(1e9F), {}, filled<std::int32_t>({2}, {3, 5}), {0}) == std::vector<std::int32_t>{2147483647});
}

TEST_CASE("reduce_prod: float16 multiplies in float, the product of nothing is 1, and NaN and infinity come out") {
  const auto half = [](float v) { return static_cast<float16>(v); };
  const filled<float16> x({4}, {half(256), half(256), half(256), half(0x1p-20F)});  // beyond float16 on the way
  CHECK(static_cast<float>(product({}, {}, x, {0})[0]) == 16.0F);
  CHECK(product({}, {2}, filled<float>(shape_t{2, 0}), {1}) == std::vector<float>{1, 1});
  CHECK(product({}, shape_t{0}, filled<float>(shape_t{0, 3}), {1}).empty());
  constexpr float inf = std::numeric_limits<float>::infinity();
  CHECK(product({}, {}, filled<float>({3}, {-2, inf, 3}), {0})[0] == -inf);
  const float no_number = product({}, {}, filled<float>({3}, {0, inf, 3}), {0})[0];
  CHECK(no_number != no_number);
}

TEST_CASE("reduce_prod: axis and axes become a constant operand, the rest attributes") {
  builder g;
  auto x = g.input<f32, shape<1, 4, 4, 8>>("x");
  auto image = reduce_prod(x, axes<1, 2>, keep_dims);
  auto end = reduce_prod(image, axis<-2>, reduce_to_end, coefficient<0.5F>);
  static_assert(decltype(image)::desc == tensor_desc{f32, nhwc, {1, 1, 1, 8}} &&
                decltype(end)::desc.shape == shape_t{1, 1});
  static_assert(decltype(reduce_prod(x))::desc == tensor_desc{f32, {}});
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 2);
  CHECK(integers_of(made, made.inputs_of(made.nodes[0])[1]) == std::vector<std::int64_t>{1, 2});
  CHECK(unpack<attrs>(made.attrs_of(made.nodes[0])).keep_dims);
  const auto a = unpack<attrs>(made.attrs_of(made.nodes[1]));
  CHECK(a.reduce_to_end);
  CHECK_FALSE(a.keep_dims);
  CHECK(a.coefficient == 0.5F);
}

TEST_CASE("reduce_prod: a quantised one needs scales, and a finite coefficient") {
  constexpr tensor_desc y = wish(other_scale);
  constexpr float infinite = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();
  NNRT_CHECK_REFUSED(op, {"sums of 32 bits",
                          {},
                          {computed({i32, nd, {2}, some_scale})},
                          {y},
                          rule::quantised_type_must_be_i8_u8_or_i16,
                          int(i32),
                          int(i8)});
  NNRT_CHECK_REFUSED(op, {"per channel",
                          {},
                          {computed(i8_of({2, 7}, per_channel<1>))},
                          {y},
                          rule::quantised_input_must_have_one_scale,
                          7,
                          1});
  NNRT_CHECK_REFUSED(
      op, {"nothing wanted", {}, {computed(i8_of({2}))}, {}, rule::quantised_output_must_have_one_scale, 0, 1});
  NNRT_CHECK_REFUSED(op, {"infinite coefficient",
                          to_end(infinite),
                          {computed(i8_of({2}))},
                          {y},
                          rule::coefficient_of_a_quantised_product_must_be_finite,
                          std::bit_cast<std::int32_t>(infinite),
                          std::bit_cast<std::int32_t>(most)});
  CHECK(infer<op>({}, {computed(i8_of({2}))}, {y}).output(0) == i8_of({}, other_scale));
}

// Python integers: after the first element (acc * (x - zero point) * ((q + 2^15) >> 16) + 2^(14 - e)) >> (15 - e), and
// once more at the end; q * 2^(e - 31) by frexp of scale of x / (scale of y)^(1/4), the last one times the coefficient.
TEST_CASE("reduce_prod: quantised values are those of TFLite's REDUCE_PROD") {
  const filled<std::int32_t> first({1}, {0});
  const auto x = spread<std::int8_t>({4, 2}, 37, quant{0.03F, -3});
  CHECK(run_quantised<op, std::int8_t>({}, {2}, quant{0.2F, 5}, x, first) == std::vector<std::int8_t>{63, -31});
  const auto wide = spread<std::int16_t>({4, 2}, 9973, quant{0.0001F, 0});
  CHECK(run_quantised<op, std::int16_t>({}, {2}, quant{0.001F, 0}, wide, first) ==
        std::vector<std::int16_t>{8102, -3164});
  // Both columns as rows: the coefficient counts with reduce_to_end alone.
  filled<std::int8_t> rows({2, 4});
  rows.desc.quantised = x.desc.quantised;
  for (std::size_t i = 0; i < 8; ++i) rows.elements[i % 2 * 4 + i / 2] = x.elements[i];
  CHECK(run_quantised<op, std::int8_t>(to_end(-1.5F), {2}, quant{0.2F, 5}, rows, filled<std::int32_t>({1}, {1})) ==
        std::vector<std::int8_t>{-81, 60});
}

TEST_CASE("reduce_prod: the quantised product of nothing is 1") {
  CHECK(run_quantised<op, std::int8_t>({}, {2}, quant{0.25F, 5}, stored<std::int8_t>({0, 2}, {}, some_scale),
                                       filled<std::int32_t>({1}, {0})) == std::vector<std::int8_t>{9, 9});
}
static_assert(run_quantised<op, std::int8_t>({}, {1}, quant{1, 0}, stored<std::int8_t>({3}, {3, -4, 5}, quant{1, 0}),
                                             filled<std::int32_t>({1}, {0})) == std::vector<std::int8_t>{-60});
