// split_test: the rules, shapes and elements of split.
#include <nnrt/ops/split.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/operators.hpp>

#include <algorithm>

using namespace nnrt_test;
using rule = ops::split::rule;

namespace {

constexpr ops::split::attrs equal(std::int64_t parts, std::int64_t axis) {
  ops::split::attrs a;
  a.axis = axis;
  a.output_num = parts;
  return a;
}
constexpr ops::split::attrs sized(int_list<64> sizes, std::int64_t axis, std::int64_t parts = 0) {
  ops::split::attrs a = equal(parts, axis);
  a.sizes = sizes;
  return a;
}

struct refusal {
  const char* what;
  ops::split::attrs a;
  shape_t x;
  rule broken;
  std::int64_t got, expected;
};
constexpr refusal refusals[] = {
    {"an axis after the last", equal(2, 2), {4, 6}, rule::axis_must_be_an_axis_of_the_input, 2, 1},
    {"an axis before the first", equal(2, -3), {4, 6}, rule::axis_must_be_an_axis_of_the_input, -3, 1},
    {"nothing says how many", equal(0, 0), {4}, rule::parts_must_be_at_least_1_and_at_most_1024, 0, 1},
    {"a negative number", equal(-5, 0), {4}, rule::parts_must_be_at_least_1_and_at_most_1024, -5, 1},
    {"a huge number", equal(INT64_MAX, 0), {4}, rule::parts_must_be_at_least_1_and_at_most_1024, INT64_MAX, 1024},
    {"a number that is not that of the sizes",
     sized({1, 3}, 0, 3),
     {4},
     rule::output_num_must_equal_the_number_of_sizes,
     3,
     2},
    {"parts that are not equal", equal(4, -1), {4, 6}, rule::extent_must_be_divisible_by_the_number_of_parts, 6, 4},
    {"a negative size", sized({6, -2}, 0), {4}, rule::size_must_not_be_less_than_minus_1, -2, -1},
    {"a size far below", sized({INT64_MIN}, 0), {-1}, rule::size_must_not_be_less_than_minus_1, INT64_MIN, -1},
    {"two sizes to infer", sized({-1, 2, -1}, 0), {4}, rule::only_one_size_may_be_inferred, 2, 1},
    {"less than nothing left to infer", sized({6, -1}, 0), {4}, rule::inferred_size_must_not_be_negative, -2, 0},
    {"sizes that are too small", sized({1, 2}, 0), {4}, rule::sizes_must_add_up_to_the_extent, 3, 4},
    {"a sum beyond 64 bits",
     sized({INT64_MAX, INT64_MAX, 6}, 0),
     {4},
     rule::sizes_must_add_up_to_the_extent,
     max_elements + 1,
     4},
};
constexpr bool is_refused(const refusal& r) {
  return breaks(infer<ops::split>(r.a, {computed(f32_of(r.x))}), r.broken, r.got, r.expected);
}
static_assert(std::ranges::all_of(refusals, is_refused));

}  // namespace

TEST_CASE("split: each broken rule is named with both values") {
  for (const refusal& r : refusals) {
    CAPTURE(r.what);
    CHECK(is_refused(r));
  }
}

TEST_CASE("split: the signature refuses a missing and a second tensor") {
  CHECK(breaks(infer<ops::split>(equal(1, 0), {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<ops::split>(equal(1, 0), {computed(f32_of({1})), computed(f32_of({1}))}),
               signature_rule::operands_must_not_exceed_the_signature, 2, 1));
}

static_assert(ops::split::outputs_asked_for(equal(1024, 0)) == 1024 &&
              ops::split::outputs_asked_for(equal(1025, 0)) == 1);
static_assert(ops::split::outputs_asked_for(equal(0, 0)) == 1);

TEST_CASE("split: the parts have the sizes that are given, inferred or equal") {
  struct row {
    const char* what;
    ops::split::attrs a;
    shape_t x;
    std::array<std::int64_t, 3> along_axis;
  };
  static constexpr row table[] = {
      {"equal parts", equal(3, 1), {2, 6}, {2, 2, 2}},
      {"sizes", sized({1, 2, 3}, 1), {2, 6}, {1, 2, 3}},
      {"sizes and their number", sized({3, 2, 1}, 1, 3), {2, 6}, {3, 2, 1}},
      {"the middle is inferred", sized({1, -1, 2}, 1), {2, 6}, {1, 3, 2}},
      {"equal parts of an unknown extent", equal(3, 1), {2, -1}, {-1, -1, -1}},
      {"sizes of an unknown extent", sized({1, -1, 2}, 1), {2, -1}, {1, -1, 2}},
      {"an unknown batch", equal(3, -1), {-1, 9}, {3, 3, 3}},
      {"no elements", equal(3, 1), {2, 0}, {0, 0, 0}},
      {"parts without elements", sized({0, 6, 0}, 1), {2, 6}, {0, 6, 0}},
      {"nothing left to infer", sized({4, -1, 2}, 1), {2, 6}, {4, 0, 2}},
      {"sizes of nothing", sized({0, 0, 0}, 1), {2, 0}, {0, 0, 0}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::split>(r.a, {computed(f32_of(r.x))});
    REQUIRE(got);
    REQUIRE(got.outputs.size() == 3);
    for (int i = 0; i < 3; ++i)
      CHECK(got.output(i).shape == shape_t{r.x[0], r.along_axis[static_cast<std::size_t>(i)]});
  }
}

TEST_CASE("split: without sizes and number there are as many parts as outputs are declared") {
  const tensor_desc half{f32, {2, 3}};
  const verdict got = infer<ops::split>(equal(0, 1), {computed(f32_of({2, 6}))}, {half, half});
  REQUIRE(got);
  CHECK(got.outputs.size() == 2);
  CHECK(got.output(1) == half);
}

TEST_CASE("split: format and quantisation are those of the input") {
  const verdict got = infer<ops::split>(equal(2, 1), {computed({i8, nchw, {1, 4, 3, 3}, quant{0.5F, 7}})});
  REQUIRE(got);
  CHECK(got.output(1) == tensor_desc{i8, nchw, {1, 2, 3, 3}, quant{0.5F, 7}});
}

namespace {
/// The two parts of x.
template <class T>
constexpr std::array<std::vector<T>, 2> halves(const ops::split::attrs& a, shape_t first, shape_t second, filled<T> x) {
  filled<T> left(first), right(second);
  const view in[] = {x.as_view()}, out[] = {left.as_view(), right.as_view()};
  ops::split::reference<T>(a, in, out);
  return {left.elements, right.elements};
}
constexpr bool columns_are_cut() {
  const auto [left, right] = halves(sized({1, 2}, -1), {2, 1}, {2, 2}, filled<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  return left == std::vector<float>{1, 4} && right == std::vector<float>{2, 3, 5, 6};
}
}  // namespace
static_assert(columns_are_cut());

TEST_CASE("split: elements keep their order") {
  CHECK(columns_are_cut());
  const auto rows = halves(equal(2, 0), {1, 2}, {1, 2}, filled<std::int32_t>({2, 2}, {1, 2, 3, 4}));
  CHECK(rows[0] == std::vector<std::int32_t>{1, 2});
  CHECK(rows[1] == std::vector<std::int32_t>{3, 4});
}

TEST_CASE("split: parts bind to names, and attributes arrive") {
  builder g;
  auto x = g.input<f32, shape<2, 6>>("x");
  auto [a, b, c] = split<3>(x, axis<-1>);
  auto [d, e] = nnrt::split(x, sizes<4, -1>, axis<1>);
  static_assert(decltype(a)::desc.shape == shape_t{2, 2} && decltype(c)::desc.shape == shape_t{2, 2});
  static_assert(decltype(d)::desc.shape == shape_t{2, 4} && decltype(e)::desc.shape == shape_t{2, 2});
  CHECK(b.id == a.id + 1);
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 2);
  CHECK(made.outputs_of(made.nodes[0]).size() == 3);
  const auto equal_ones = unpack<ops::split::attrs>(made.attrs_of(made.nodes[0])),
             given = unpack<ops::split::attrs>(made.attrs_of(made.nodes[1]));
  CHECK(equal_ones.axis == -1);
  CHECK(equal_ones.output_num == 3);
  CHECK(equal_ones.sizes.empty());
  CHECK(given.axis == 1);
  CHECK(given.sizes == int_list<64>{4, -1});
}
