// reduce_l2_test: the rules, shapes, elements and DSL function of reduce_l2.
#include <nnrt/ops/reduce_l2.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/reductions.hpp>

#include <bit>

namespace {

using namespace nnrt_test;
using op = ops::reduce_l2;
using rule = op::rule;
using attrs = op::attrs;

TEST_CASE("reduce_l2: each broken rule is named with both values") {
  NNRT_CHECK_REFUSED(
      op, {"a matrix of axes", {}, {x23, matrix_of_axes}, {}, rule::axes_must_be_a_list_or_one_number, 2, 1});
  NNRT_CHECK_REFUSED(op, {"unknown axes", {}, {x23, weight({i32, {1}})}, {}, rule::axes_must_be_known, 0, 1});
  NNRT_CHECK_REFUSED(op, {"after the last", {}, {x23, axis_2}, {}, rule::axis_must_be_an_axis_of_the_input, 2, 1});
  NNRT_CHECK_REFUSED(op,
                     {"before the first", {}, {x23, axis_before}, {}, rule::axis_must_be_an_axis_of_the_input, -3, 1});
}

TEST_CASE("reduce_l2: the signature refuses booleans, computed axes and quantised values") {
  CHECK(breaks(infer<op>({}, {computed({boolean, {4}})}), signature_rule::operand_type_must_be_accepted_by_the_operator,
               int(boolean), int(f16)));
  CHECK(breaks(infer<op>({}, {x23, computed({i32, {1}})}), signature_rule::operand_must_be_a_constant, 0, 1));
  CHECK(breaks(infer<op>({}, {computed({i8, nd, {4}, quant{0.5F, 3}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(i8), int(f16)));
}

TEST_CASE("reduce_l2: the folded axes go, or stay with extent 1") {
  for (const reduced_shape& row : reduced_shapes) {
    CAPTURE(row.what);
    CHECK(shape_of(infer<op>(row.a, {computed(f32_of(row.x)), row.axes})) == row.y);
  }
}

static_assert(reduced<op>({}, {2}, filled<float>({2, 3}, {3, 4, 0, -2, -6, 9}), {-1}) == std::vector<float>{5, 11});

// Python: math.sqrt(sum(x * x for x in elements))
TEST_CASE("reduce_l2: the elements along exactly the named axes are folded") {
  const std::vector<double> elements{3.0, -7.0, 12.0, 5.0, -1.0, 0.0, 9.0, -11.0, 4.0, 2.0, -6.0, 8.0};
  const auto of = [&](const attrs& a, shape_t y, std::vector<std::int32_t> axes) {
    return reduced<op>(a, y, filled<double>({2, 3, 2}, elements), axes);
  };
  CHECK(of({}, {3, 2}, {0}) == std::vector<double>{9.486832980505138, 13.038404810405298, 12.649110640673518,
                                                   5.385164807134504, 6.082762530298219, 8.0});
  CHECK(of({}, {2, 2}, {1}) ==
        std::vector<double>{12.409673645990857, 8.602325267042627, 11.532562594670797, 13.74772708486752});
  CHECK(of(keeping(true), {2, 3, 1}, {-1}) ==
        std::vector<double>{7.615773105863909, 13.0, 1.0, 14.212670403551895, 4.47213595499958, 10.0});
  CHECK(of({}, {3}, {0, -1}) == std::vector<double>{16.1245154965971, 13.74772708486752, 10.04987562112089});
  CHECK(of({}, {3}, {2, 0, -1, 0, 2}) == std::vector<double>{16.1245154965971, 13.74772708486752, 10.04987562112089});
  CHECK(of(to_end(0), {2}, {-2}) == std::vector<double>{15.0996688705415, 17.944358444926362});
  CHECK(of({}, {}, {}) == std::vector<double>{23.45207879911715});
}

TEST_CASE("reduce_l2: squares beyond the dtype do no harm, and NaN and infinity come out") {
  const auto half = [](float v) { return static_cast<float16>(v); };
  CHECK(static_cast<float>(reduced<op>({}, {}, filled<float16>({2}, {half(3000), half(-4000)}), {0})[0]) == 5000.0F);
  CHECK(reduced<op>({}, {}, filled<float>({2}, {-3e30F, 4e30F}), {0}) == std::vector<float>{5e30F});
  CHECK(reduced<op>({}, {2}, filled<float>(shape_t{2, 0}), {1}) == std::vector<float>{0, 0});
  constexpr float inf = math::infinity<float>;
  CHECK(reduced<op>({}, {}, filled<float>({2}, {-inf, 3}), {0})[0] == inf);
  CHECK(math::is_nan(reduced<op>({}, {}, filled<float>({2}, {math::nan<float>, inf}), {0})[0]));
}

TEST_CASE("reduce_l2: the coefficient counts with reduce_to_end alone, and 0 means none") {
  attrs unused;
  unused.coefficient = 10;
  const filled<float> x({2, 2}, {3, 4, 6, 8});
  CHECK(reduced<op>(to_end(-0.5F), {2}, x, {1}) == std::vector<float>{-2.5F, -5});
  CHECK(reduced<op>(to_end(0), {2}, x, {1}) == std::vector<float>{5, 10});
  CHECK(reduced<op>(unused, {2}, x, {1}) == std::vector<float>{5, 10});
}

constexpr auto network = [](builder& g) {
  auto x = g.input<f32, shape<1, 4, 4, 8>>("x");
  auto image = reduce_l2(x, axes<1, 2>, keep_dims);
  auto end = reduce_l2(image, axis<-2>, reduce_to_end, coefficient<0.5F>);
  static_assert(image.desc == tensor_desc{f32, nhwc, {1, 1, 1, 8}} && end.desc.shape == shape_t{1, 1});
  g.output("y", reduce_l2(end));
};
static_assert([] {
  builder g;
  network(g);
  return g.graph().nodes.size();
}() == 3);

TEST_CASE("reduce_l2: axis and axes become a constant operand, the rest attributes") {
  builder g;
  network(g);
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 3);
  CHECK(made.nodes[0].op->code == op_code{106});
  CHECK(integers_of(made, made.inputs_of(made.nodes[0])[1]) == std::vector<std::int64_t>{1, 2});
  CHECK(unpack<attrs>(made.attrs_of(made.nodes[0])).keep_dims);
  const auto a = unpack<attrs>(made.attrs_of(made.nodes[1]));
  CHECK((a.reduce_to_end && !a.keep_dims && a.coefficient == 0.5F));
  CHECK(made.at(made.outputs[0].value).desc == f32_of({}));
}

}  // namespace
