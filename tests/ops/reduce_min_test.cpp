// reduce_min_test: the rules, shapes, elements and DSL function of reduce_min.
#include <nnrt/ops/reduce_min.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/reductions.hpp>

#include <bit>

namespace {

using namespace nnrt_test;
using op = ops::reduce_min;
using rule = op::rule;
using attrs = op::attrs;

TEST_CASE("reduce_min: each broken rule is named with both values") {
  NNRT_CHECK_REFUSED(
      op, {"a matrix of axes", {}, {x23, matrix_of_axes}, {}, rule::axes_must_be_a_list_or_one_number, 2, 1});
  NNRT_CHECK_REFUSED(op, {"unknown axes", {}, {x23, weight({i32, {1}})}, {}, rule::axes_must_be_known, 0, 1});
  NNRT_CHECK_REFUSED(op, {"after the last", {}, {x23, axis_2}, {}, rule::axis_must_be_an_axis_of_the_input, 2, 1});
  NNRT_CHECK_REFUSED(op,
                     {"before the first", {}, {x23, axis_before}, {}, rule::axis_must_be_an_axis_of_the_input, -3, 1});
}

TEST_CASE("reduce_min: the signature refuses computed axes") {
  CHECK(breaks(infer<op>({}, {x23, computed({i32, {1}})}), signature_rule::operand_must_be_a_constant, 0, 1));
}

TEST_CASE("reduce_min: booleans count as 0 and 1") {
  const tensor_desc x{boolean, {2, 3}}, y{boolean, {2}}, list{i64, {1}};
  CHECK(infer<op>({}, {computed(x), integers(numbers<1>)}).output(0) == y);
  bool elements[] = {true, true, true, true, false, true};
  std::int64_t axis = 1;
  bool got[] = {false, true};
  const view in[] = {{&x, elements}, {&list, &axis}}, out[] = {{&y, got}};
  op::reference<bool>({}, in, out);
  CHECK((got[0] && !got[1]));
}

TEST_CASE("reduce_min: quantised values are compared without rescaling, without a coefficient, and keep their scale") {
  const quant half{0.5F, 3};
  const operand stored = computed({i8, nd, {2, 4}, half});
  CHECK(infer<op>({}, {stored, integers(numbers<1>)}).output(0) == tensor_desc{i8, nd, {2}, half});
  CHECK(bool(infer<op>(to_end(1), {stored, integers(numbers<1>)})));
  CHECK(breaks(infer<op>(to_end(2), {stored}), rule::coefficient_of_a_quantised_tensor_must_be_1,
               std::bit_cast<std::int32_t>(2.0F), std::bit_cast<std::int32_t>(1.0F)));
  CHECK(breaks(infer<op>({}, {computed({i8, nd, {2}, per_channel<0>})}),
               signature_rule::quantised_operand_must_have_one_scale, 2, 1));
}

TEST_CASE("reduce_min: the folded axes go, or stay with extent 1") {
  for (const reduced_shape& row : reduced_shapes) {
    CAPTURE(row.what);
    CHECK(shape_of(infer<op>(row.a, {computed(f32_of(row.x)), row.axes})) == row.y);
  }
}

static_assert(reduced<op>({}, {2}, filled<float>({2, 3}, {1, 5, 3, -4, -9, -6}), {-1}) == std::vector<float>{1, -9});

// Python: min(elements)
TEST_CASE("reduce_min: the elements along exactly the named axes are folded") {
  const std::vector<std::int64_t> elements{3, -7, 12, 5, -1, 0, 9, -11, 4, 2, -6, 8};
  const auto of = [&](const attrs& a, shape_t y, std::vector<std::int32_t> axes) {
    return reduced<op>(a, y, filled<std::int64_t>({2, 3, 2}, elements), axes);
  };
  CHECK(of({}, {3, 2}, {0}) == std::vector<std::int64_t>{3, -11, 4, 2, -6, 0});
  CHECK(of({}, {2, 2}, {1}) == std::vector<std::int64_t>{-1, -7, -6, -11});
  CHECK(of(keeping(true), {2, 3, 1}, {-1}) == std::vector<std::int64_t>{-7, 5, -1, -11, 2, -6});
  CHECK(of({}, {3}, {0, -1}) == std::vector<std::int64_t>{-11, 2, -6});
  CHECK(of({}, {3}, {2, 0, -1, 0, 2}) == std::vector<std::int64_t>{-11, 2, -6});
  CHECK(of(to_end(0), {2}, {-2}) == std::vector<std::int64_t>{-7, -11});
  CHECK(of({}, {}, {}) == std::vector<std::int64_t>{-11});
}

TEST_CASE("reduce_min: elements of every dtype are ordered as what they are") {
  CHECK(reduced<op>({}, {}, filled<std::uint64_t>({3}, {~std::uint64_t{0}, 1, 5}), {0}) ==
        std::vector<std::uint64_t>{1});
  CHECK(reduced<op>({}, {}, filled<std::int8_t>({3}, {-128, 127, 0}), {0}) == std::vector<std::int8_t>{-128});
  CHECK(reduced<op>({}, {}, filled<double>({2}, {1, 1 + 0x1p-52}), {0}) == std::vector<double>{1});
  const auto half = reduced<op>({}, {}, filled<float16>({3}, {float16(-2.0F), float16(1.5F), float16(0.25F)}), {0});
  CHECK(static_cast<float>(half[0]) == -2.0F);
}

TEST_CASE("reduce_min: a NaN wins, infinities are at the ends, and no elements give the highest number") {
  constexpr float inf = math::infinity<float>, nan = math::nan<float>;
  CHECK(math::is_nan(reduced<op>({}, {}, filled<float>({3}, {1, nan, inf}), {0})[0]));
  CHECK(math::is_nan(reduced<op>({}, {}, filled<float>({3}, {nan, -inf, inf}), {0})[0]));
  CHECK(reduced<op>({}, {}, filled<float>({3}, {1, -inf, inf}), {0})[0] == -inf);
  CHECK(reduced<op>({}, {2}, filled<float>(shape_t{2, 0}), {1}) == std::vector<float>{inf, inf});
  CHECK(reduced<op>({}, {1}, filled<std::int16_t>(shape_t{1, 0}), {1}) == std::vector<std::int16_t>{32767});
}

TEST_CASE("reduce_min: the coefficient counts with reduce_to_end alone, and 0 means none") {
  attrs unused;
  unused.coefficient = 10;
  const filled<float> x({2, 2}, {1, 2, -3, 4});
  CHECK(reduced<op>(to_end(-0.5F), {2}, x, {1}) == std::vector<float>{-0.5F, 1.5F});
  CHECK(reduced<op>(to_end(0), {2}, x, {1}) == std::vector<float>{1, -3});
  CHECK(reduced<op>(unused, {2}, x, {1}) == std::vector<float>{1, -3});
  CHECK(reduced<op>(to_end(1.5F), {}, filled<std::int8_t>({2}, {101, 100}), {0}) == std::vector<std::int8_t>{127});
  CHECK(reduced<op>(to_end(2.5F), {}, filled<std::int32_t>({2}, {-3, -3}), {0}) == std::vector<std::int32_t>{-7});
}

constexpr auto network = [](builder& g) {
  auto x = g.input<f32, shape<1, 4, 4, 8>>("x");
  auto image = reduce_min(x, axes<1, 2>, keep_dims);
  auto end = reduce_min(image, axis<-2>, reduce_to_end, coefficient<0.5F>);
  static_assert(image.desc == tensor_desc{f32, nhwc, {1, 1, 1, 8}} && end.desc.shape == shape_t{1, 1});
  g.output("y", reduce_min(end));
};
static_assert([] {
  builder g;
  network(g);
  return g.graph().nodes.size();
}() == 3);

TEST_CASE("reduce_min: axis and axes become a constant operand, the rest attributes") {
  builder g;
  network(g);
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 3);
  CHECK(made.nodes[0].op->code == op_code{100});
  CHECK(integers_of(made, made.inputs_of(made.nodes[0])[1]) == std::vector<std::int64_t>{1, 2});
  CHECK(unpack<attrs>(made.attrs_of(made.nodes[0])).keep_dims);
  const auto a = unpack<attrs>(made.attrs_of(made.nodes[1]));
  CHECK((a.reduce_to_end && !a.keep_dims && a.coefficient == 0.5F));
  CHECK(made.at(made.outputs[0].value).desc == f32_of({}));
}

}  // namespace
