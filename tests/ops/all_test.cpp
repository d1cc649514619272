// all_test: the rules, shapes, elements and DSL function of all.
#include <nnrt/ops/all.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/reductions.hpp>

namespace {

using namespace nnrt_test;
using op = ops::all;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs kept(std::int64_t keep_dims) {
  attrs a;
  a.keep_dims = keep_dims;
  return a;
}
constexpr tensor_desc truth(shape_t shape) { return {boolean, shape}; }
constexpr operand t23 = computed(truth({2, 3}));

TEST_CASE("all: each broken rule is named with both values") {
  NNRT_CHECK_REFUSED(
      op, {"a matrix of axes", {}, {t23, matrix_of_axes}, {}, rule::axes_must_be_a_list_or_one_number, 2, 1});
  NNRT_CHECK_REFUSED(op, {"unknown axes", {}, {t23, weight({i64, {}})}, {}, rule::axes_must_be_known, 0, 1});
  NNRT_CHECK_REFUSED(op, {"after the last", {}, {t23, axis_2}, {}, rule::axis_must_be_an_axis_of_the_input, 2, 1});
  NNRT_CHECK_REFUSED(op,
                     {"before the first", {}, {t23, axis_before}, {}, rule::axis_must_be_an_axis_of_the_input, -3, 1});
}

TEST_CASE("all: numbers are true unless they are 0, and have no scale") {
  const tensor_desc x{f32, {2, 2}}, y{boolean, {2}}, list{i64, {1}};
  for (const dtype type : {i8, u8, i32, i64, f16, f32, f64})
    CHECK(infer<op>({}, {computed({type, {2, 2}}), integers(numbers<1>)}).output(0) == y);
  float elements[] = {0.25F, -3, 0, 7};
  std::int64_t axis = 1;
  bool got[] = {false, true};
  const view in[] = {{&x, elements}, {&list, &axis}}, out[] = {{&y, got}};
  op::reference<float>({}, in, out);
  CHECK((got[0] && !got[1]));
  CHECK(breaks(infer<op>({}, {computed({i8, nd, {2}, quant{0.5F, 0}})}),
               signature_rule::quantised_operands_must_be_accepted_by_the_operator, 1, 0));
}

TEST_CASE("all: the signature asks for constant axes") {
  CHECK(breaks(infer<op>({}, {t23, computed({i32, {1}})}), signature_rule::operand_must_be_a_constant, 0, 1));
}

TEST_CASE("all: the folded axes go, or stay with extent 1") {
  for (const reduced_shape& row : reduced_shapes) {
    if (row.a.reduce_to_end) continue;
    CAPTURE(row.what);
    const verdict v = infer<op>(kept(row.a.keep_dims ? 1 : 0), {computed(truth(row.x)), row.axes});
    REQUIRE(v);
    CHECK(v.output(0) == truth(row.y));
  }
  CHECK(shape_of(infer<op>(kept(-1), {t23, integers(numbers<1>)})) == shape_t{2, 1});
}

/// Booleans in a row: a 1 is true. (std::vector<bool> has no elements to point to.)
struct row_of_booleans {
  tensor_desc desc;
  bool elements[16] = {};
  constexpr row_of_booleans(shape_t shape, std::string_view digits) : desc(truth(shape)) {
    for (std::size_t i = 0; i < digits.size(); ++i) elements[i] = digits[i] == '1';
  }
};

/// Whether all of x, along these axes, gives y.
constexpr bool gives(const attrs& a, row_of_booleans x, std::vector<std::int64_t> axes, const row_of_booleans& y) {
  row_of_booleans got(y.desc.shape, "1010101010101010");
  const tensor_desc list{i64, {static_cast<std::int64_t>(axes.size())}};
  const view in[] = {{&x.desc, x.elements}, {&list, axes.data()}}, out[] = {{&got.desc, got.elements}};
  op::reference<bool>(a, in, out);
  for (std::int64_t i = 0; i < y.desc.elements(); ++i)
    if (got.elements[i] != y.elements[i]) return false;
  return true;
}
static_assert(gives({}, {{2, 3}, "110111"}, {1}, {{2}, "01"}));

TEST_CASE("all: one false element along the axes makes a result false") {
  const row_of_booleans x({2, 2, 3},
                          "111101"
                          "111111");
  CHECK(gives({}, x, {0}, {{2, 3}, "111101"}));
  CHECK(gives({}, x, {1}, {{2, 3}, "101111"}));
  CHECK(gives({}, x, {-1}, {{2, 2}, "1011"}));
  CHECK(gives(kept(1), x, {2, 1}, {{2, 1, 1}, "01"}));
  CHECK(gives({}, x, {1, 0, -2}, {{3}, "101"}));
  CHECK(gives({}, x, {}, {{}, "0"}));
  CHECK(gives({}, {{3}, "111"}, {}, {{}, "1"}));
  CHECK(gives({}, {{2, 0}, ""}, {1}, {{2}, "11"}));
}

constexpr auto network = [](builder& g) {
  auto x = g.input<boolean, shape<2, 4, 3>>("x");
  auto y = all(x, axes<1, 2>, keep_dims);
  static_assert(y.desc == truth({2, 1, 1}));
  g.output("y", all(y, axis<0>));
};
static_assert([] {
  builder g;
  network(g);
  return g.graph().nodes.size();
}() == 2);

TEST_CASE("all: axis and axes become a constant operand, keep_dims the number 1") {
  builder g;
  network(g);
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 2);
  CHECK(made.nodes[0].op->code == op_code{77});
  CHECK(integers_of(made, made.inputs_of(made.nodes[0])[1]) == std::vector<std::int64_t>{1, 2});
  CHECK(unpack<attrs>(made.attrs_of(made.nodes[0])).keep_dims == 1);
  CHECK(unpack<attrs>(made.attrs_of(made.nodes[1])).keep_dims == 0);
  CHECK(made.at(made.outputs[0].value).desc == truth({1, 1}));
}

}  // namespace
