// reduce_all_test: the rules, shapes and elements of reduce_all.
#include <nnrt/ops/reduce_all.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/refused.hpp>

using namespace nnrt_test;

namespace {

using op = ops::reduce_all;
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

constexpr tensor_desc truth(shape_t shape) { return {boolean, shape}; }
constexpr operand x23 = computed(truth({2, 3}));
constexpr operand matrix_of_axes{tensor_desc{i64, {2, 1}}, numbers<0, 1>, true};
constexpr operand axis_2 = integers(numbers<0, 2>), axis_before = integer(numbers<-3>),
                  axis_twice = integers(numbers<-2, 0>), axis_far = integer(numbers<INT64_MAX>);

/// Booleans in a row: a 1 is true. (std::vector<bool> has no elements to point to.)
struct row_of_booleans {
  tensor_desc desc;
  bool elements[16] = {};
  constexpr row_of_booleans(shape_t shape, std::string_view digits) : desc(truth(shape)) {
    for (std::size_t i = 0; i < digits.size(); ++i) elements[i] = digits[i] == '1';
  }
};

/// Whether reduce_all of x, along these axes, gives y.
constexpr bool gives(const attrs& a, row_of_booleans x, std::vector<std::int64_t> axes, const row_of_booleans& y) {
  row_of_booleans got(y.desc.shape, "1010101010101010");
  const tensor_desc list{i64, {static_cast<std::int64_t>(axes.size())}};
  const view in[] = {{&x.desc, x.elements}, {&list, axes.data()}}, out[] = {{&got.desc, got.elements}};
  op::reference<bool>(a, in, out);
  for (std::int64_t i = 0; i < y.desc.elements(); ++i)
    if (got.elements[i] != y.elements[i]) return false;
  return true;
}

}  // namespace

TEST_CASE("reduce_all: each broken rule is named with both values") {
  NNRT_CHECK_REFUSED(
      op, {"a matrix of axes", {}, {x23, matrix_of_axes}, {}, rule::axes_must_be_a_list_or_one_number, 2, 1});
  NNRT_CHECK_REFUSED(op, {"unknown axes", {}, {x23, weight({i64, {}})}, {}, rule::axes_must_be_known, 0, 1});
  NNRT_CHECK_REFUSED(op, {"after the last", {}, {x23, axis_2}, {}, rule::axis_must_be_an_axis_of_the_input, 2, 1});
  NNRT_CHECK_REFUSED(op,
                     {"before the first", {}, {x23, axis_before}, {}, rule::axis_must_be_an_axis_of_the_input, -3, 1});
  NNRT_CHECK_REFUSED(
      op, {"far after the last", {}, {x23, axis_far}, {}, rule::axis_must_be_an_axis_of_the_input, INT64_MAX, 1});
}

TEST_CASE("reduce_all: the signature takes booleans alone") {
  for (const dtype type : {i8, u8, i32, f32})
    CHECK(breaks(infer<op>({}, {computed({type, {4}})}), signature_rule::operand_type_must_be_accepted_by_the_operator,
                 int(type), int(boolean)));
  CHECK(breaks(infer<op>({}, {x23, computed({i32, {1}})}), signature_rule::operand_must_be_a_constant, 0, 1));
}

TEST_CASE("reduce_all: the folded axes go, or stay with extent 1") {
  struct row {
    const char* what;
    attrs a;
    shape_t x;
    operand axes;
    shape_t y;
  };
  static constexpr row table[] = {
      {"several axes", {}, {2, 5, 7, 3}, integers(numbers<3, 1>), {2, 7}},
      {"one axis by two names", {}, {2, 5}, axis_twice, {5}},
      {"kept, from the end", keeping(true), {2, 5, 7, 3}, integers(numbers<-2, 1>), {2, 1, 1, 3}},
      {"one axis, as a scalar", {}, {2, 5}, integer(numbers<0>), {5}},
      {"no axis means all", {}, {2, 5}, integers(numbers<>), {}},
      {"no operand means all, kept", keeping(true), {2, 5}, missing(), {1, 1}},
      {"to the end", to_end(0), {2, 5, 7, 3}, integers(numbers<-2>), {2, 5}},
      {"with an unknown batch", {}, {-1, 5}, integers(numbers<1>), {-1}},
      {"along no elements", {}, {3, 0}, integers(numbers<1>), {3}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<op>(r.a, {computed(truth(r.x)), r.axes});
    REQUIRE(got);
    CHECK(got.output(0) == truth(r.y));
  }
}

TEST_CASE("reduce_all: one false element along the axes makes a result false") {
  const row_of_booleans x({2, 2, 3},
                          "111101"
                          "111111");
  CHECK(gives({}, x, {0}, {{2, 3}, "111101"}));
  CHECK(gives({}, x, {1}, {{2, 3}, "101111"}));
  CHECK(gives({}, x, {-1}, {{2, 2}, "1011"}));
  CHECK(gives(keeping(true), x, {2, 1}, {{2, 1, 1}, "01"}));
  CHECK(gives({}, x, {0, 1}, {{3}, "101"}));
  CHECK(gives({}, x, {1, 0, -2}, {{3}, "101"}));
  CHECK(gives({}, x, {}, {{}, "0"}));
  CHECK(gives({}, {{3}, "111"}, {}, {{}, "1"}));
  CHECK(gives({}, {{2, 0}, ""}, {1}, {{2}, "11"}));
}
static_assert(gives({}, {{2, 3}, "110111"}, {1}, {{2}, "01"}));

TEST_CASE("reduce_all: reduce_to_end folds all axes from the first on, and its coefficient changes nothing") {
  const row_of_booleans x({2, 2, 2},
                          "1111"
                          "1101");
  CHECK(gives(to_end(0), x, {1}, {{2}, "10"}));
  CHECK(gives(to_end(-2.5F), x, {1}, {{2}, "10"}));
}

TEST_CASE("reduce_all: axis and axes become a constant operand, the rest attributes") {
  builder g;
  auto x = g.input<boolean, shape<1, 4, 4, 8>>("x");
  auto image = reduce_all(x, axes<1, 2>, keep_dims);
  auto end = reduce_all(image, axis<-2>, reduce_to_end);
  static_assert(decltype(image)::desc == tensor_desc{boolean, nhwc, {1, 1, 1, 8}} &&
                decltype(end)::desc.shape == shape_t{1, 1});
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 2);
  CHECK(integers_of(made, made.inputs_of(made.nodes[1])[1]) == std::vector<std::int64_t>{-2});
  CHECK(unpack<attrs>(made.attrs_of(made.nodes[0])).keep_dims);
  CHECK(unpack<attrs>(made.attrs_of(made.nodes[1])).reduce_to_end);
}
