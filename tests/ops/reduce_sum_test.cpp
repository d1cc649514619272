// reduce_sum_test: the rules, shapes, elements and DSL function of reduce_sum.
#include <nnrt/ops/reduce_sum.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/reductions.hpp>

#include <bit>

namespace {

using namespace nnrt_test;
using op = ops::reduce_sum;
using rule = op::rule;
using attrs = op::attrs;

TEST_CASE("reduce_sum: each broken rule is named with both values") {
  NNRT_CHECK_REFUSED(
      op, {"a matrix of axes", {}, {x23, matrix_of_axes}, {}, rule::axes_must_be_a_list_or_one_number, 2, 1});
  NNRT_CHECK_REFUSED(op, {"unknown axes", {}, {x23, weight({i32, {1}})}, {}, rule::axes_must_be_known, 0, 1});
  NNRT_CHECK_REFUSED(op, {"after the last", {}, {x23, axis_2}, {}, rule::axis_must_be_an_axis_of_the_input, 2, 1});
  NNRT_CHECK_REFUSED(op,
                     {"before the first", {}, {x23, axis_before}, {}, rule::axis_must_be_an_axis_of_the_input, -3, 1});
}

TEST_CASE("reduce_sum: the signature refuses booleans and computed axes") {
  CHECK(breaks(infer<op>({}, {computed({boolean, {4}})}), signature_rule::operand_type_must_be_accepted_by_the_operator,
               int(boolean), int(i8)));
  CHECK(breaks(infer<op>({}, {x23, computed({i32, {1}})}), signature_rule::operand_must_be_a_constant, 0, 1));
}

/// The sums of all rows of [2, 4] quantised values, 1/4 from -3, as quantised values.
std::vector<std::int8_t> quantised_sums(const attrs& a, quant to) {
  filled<std::int8_t> x({2, 4}, {-128, 5, 127, -3, 1, 2, 3, -4}), y({2});
  filled<std::int32_t> axes({1}, {1});
  x.desc.quantised = quant{0.25F, -3}, y.desc.quantised = to;
  const view in[] = {x.as_view(), axes.as_view()}, out[] = {y.as_view()};
  op::reference<std::int8_t>(a, in, out);
  return y.elements;
}

// (-125 + 8 + 130 + 0) / 4 = 3.25 and (4 + 5 + 6 - 1) / 4 = 3.5
TEST_CASE("reduce_sum: quantised values are added up, and the sum is brought to the scale of the result") {
  CHECK(quantised_sums({}, quant{0.25F, 0}) == std::vector<std::int8_t>{13, 14});
  CHECK(quantised_sums({}, quant{0.5F, 10}) == std::vector<std::int8_t>{17, 17});  // 6.5 steps, away from zero
  CHECK(quantised_sums(to_end(-2), quant{0.25F, 1}) == std::vector<std::int8_t>{-25, -27});
  CHECK(quantised_sums({}, quant{0.01F, 0}) == std::vector<std::int8_t>{127, 127});
}

// 70000 * 32767 / 2^18 = 8749.7…, 70000 * -32768 / 2^18 = -8750
TEST_CASE("reduce_sum: sums of 16-bit numbers that leave 32 bits are not cut") {
  for (const bool is_negative : {false, true}) {
    filled<std::int16_t> x({280, 250}), y(shape_t{});
    for (std::int16_t& element : x.elements) element = is_negative ? -32768 : 32767;
    x.desc.quantised = quant{0.5F, 0}, y.desc.quantised = quant{0x1p17F, 0};
    const view in[] = {x.as_view()}, out[] = {y.as_view()};
    op::reference<std::int16_t>({}, in, out);
    CHECK(y.elements[0] == (is_negative ? -8750 : 8750));
  }
}

TEST_CASE("reduce_sum: quantised values have 8 or 16 bits and a scale, and so has the sum") {
  const quant half{0.5F, 3};
  const tensor_desc wish{dtype::none, nd, {}, half};
  const operand one = computed({i8, nd, {4}, half});
  CHECK(infer<op>({}, {one}, {wish}).output(0) == tensor_desc{i8, nd, {}, half});
  CHECK(breaks(infer<op>({}, {computed({i32, nd, {4}, half})}, {wish}), rule::quantised_type_must_be_i8_u8_or_i16,
               int(i32), int(i8)));
  CHECK(breaks(infer<op>({}, {computed({i8, nd, {4}, per_channel<0>})}, {wish}),
               rule::quantised_input_must_have_one_scale, 4, 1));
  CHECK(breaks(infer<op>({}, {one}), rule::quantised_output_must_have_one_scale, 0, 1));
  constexpr auto finite = rule::coefficient_of_a_quantised_sum_must_be_finite;
  CHECK(breaks(infer<op>(to_end(math::infinity<float>), {one}, {wish}), finite,
               std::bit_cast<std::int32_t>(math::infinity<float>),
               std::bit_cast<std::int32_t>(std::numeric_limits<float>::max())));
}

TEST_CASE("reduce_sum: the folded axes go, or stay with extent 1") {
  for (const reduced_shape& row : reduced_shapes) {
    CAPTURE(row.what);
    CHECK(shape_of(infer<op>(row.a, {computed(f32_of(row.x)), row.axes})) == row.y);
  }
}

static_assert(reduced<op>({}, {2}, filled<float>({2, 3}, {1, 5, 3, -4, -9, 0.5F}), {-1}) ==
              std::vector<float>{9, -12.5F});

// Python: sum(elements)
TEST_CASE("reduce_sum: the elements along exactly the named axes are folded") {
  const std::vector<std::int64_t> elements{3, -7, 12, 5, -1, 0, 9, -11, 4, 2, -6, 8};
  const auto of = [&](const attrs& a, shape_t y, std::vector<std::int32_t> axes) {
    return reduced<op>(a, y, filled<std::int64_t>({2, 3, 2}, elements), axes);
  };
  CHECK(of({}, {3, 2}, {0}) == std::vector<std::int64_t>{12, -18, 16, 7, -7, 8});
  CHECK(of({}, {2, 2}, {1}) == std::vector<std::int64_t>{14, -2, 7, -1});
  CHECK(of(keeping(true), {2, 3, 1}, {-1}) == std::vector<std::int64_t>{-4, 17, -1, -2, 6, 2});
  CHECK(of({}, {3}, {0, -1}) == std::vector<std::int64_t>{-6, 23, 1});
  CHECK(of({}, {3}, {2, 0, -1, 0, 2}) == std::vector<std::int64_t>{-6, 23, 1});
  CHECK(of(to_end(0), {2}, {-2}) == std::vector<std::int64_t>{12, 6});
  CHECK(of({}, {}, {}) == std::vector<std::int64_t>{18});
}

TEST_CASE("reduce_sum: integers wrap around in their width; times a coefficient they saturate") {
  // 300 - 256
  CHECK(reduced<op>({}, {}, filled<std::int8_t>({3}, {100, 100, 100}), {0}) == std::vector<std::int8_t>{44});
  CHECK(reduced<op>({}, {}, filled<std::uint8_t>({2}, {200, 100}), {0}) == std::vector<std::uint8_t>{44});
  CHECK(reduced<op>({}, {}, filled<std::int64_t>({2}, {INT64_MAX, 2}), {0}) ==
        std::vector<std::int64_t>{INT64_MIN + 1});
  CHECK(reduced<op>(to_end(1), {}, filled<std::int64_t>({2}, {(std::int64_t{1} << 62) + 1, 0}), {0}) ==
        std::vector<std::int64_t>{(std::int64_t{1} << 62) + 1});
  CHECK(reduced<op>(to_end(2.5F), {}, filled<std::int32_t>({2}, {-3, -4}), {0}) == std::vector<std::int32_t>{-17});
  CHECK(reduced<op>(to_end(1e9F), {}, filled<std::int32_t>({2}, {3, 5}), {0}) == std::vector<std::int32_t>{2147483647});
}

TEST_CASE("reduce_sum: float16 adds in float, the sum of nothing is 0, and NaN and infinity come out") {
  const auto half = [](float v) { return static_cast<float16>(v); };
  const filled<float16> x({4}, {half(60000), half(60000), half(-60000), half(-59999)});  // beyond float16 on the way
  CHECK(static_cast<float>(reduced<op>({}, {}, x, {0})[0]) == 0.0F);                     // -59999 is -60000 there
  CHECK(static_cast<float>(reduced<op>({}, {}, filled<float16>({3}, {half(2048), half(1), half(1)}), {0})[0]) ==
        2050.0F);
  CHECK(reduced<op>({}, {2}, filled<float>(shape_t{2, 0}), {1}) == std::vector<float>{0, 0});
  CHECK(reduced<op>({}, shape_t{0}, filled<float>(shape_t{0, 3}), {1}).empty());
  constexpr float inf = math::infinity<float>;
  CHECK(reduced<op>({}, {}, filled<float>({3}, {-2, inf, 3}), {0})[0] == inf);
  CHECK(math::is_nan(reduced<op>({}, {}, filled<float>({3}, {-inf, inf, 3}), {0})[0]));
}

TEST_CASE("reduce_sum: the coefficient counts with reduce_to_end alone, and 0 means none") {
  attrs unused;
  unused.coefficient = 10;
  const filled<float> x({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(reduced<op>(to_end(0.5F), {2}, x, {1}) == std::vector<float>{5, 13});
  CHECK(reduced<op>(to_end(0), {2}, x, {-2}) == std::vector<float>{10, 26});
  CHECK(reduced<op>(unused, {2}, x, {1, 2}) == std::vector<float>{10, 26});
}

constexpr auto network = [](builder& g) {
  auto x = g.input<f32, shape<1, 4, 4, 8>>("x");
  auto image = reduce_sum(x, axes<1, 2>, keep_dims);
  auto end = reduce_sum(image, axis<-2>, reduce_to_end, coefficient<0.5F>);
  static_assert(image.desc == tensor_desc{f32, nhwc, {1, 1, 1, 8}} && end.desc.shape == shape_t{1, 1});
  g.output("y", reduce_sum(end));
};
static_assert([] {
  builder g;
  network(g);
  return g.graph().nodes.size();
}() == 3);

TEST_CASE("reduce_sum: axis and axes become a constant operand, the rest attributes") {
  builder g;
  network(g);
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 3);
  CHECK(made.nodes[0].op->code == op_code{101});
  CHECK(integers_of(made, made.inputs_of(made.nodes[0])[1]) == std::vector<std::int64_t>{1, 2});
  CHECK(unpack<attrs>(made.attrs_of(made.nodes[0])).keep_dims);
  const auto a = unpack<attrs>(made.attrs_of(made.nodes[1]));
  CHECK((a.reduce_to_end && !a.keep_dims && a.coefficient == 0.5F));
  CHECK(made.at(made.outputs[0].value).desc == f32_of({}));
}

}  // namespace
