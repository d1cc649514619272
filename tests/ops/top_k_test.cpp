// top_k_test: the rules, shapes and elements of top_k.
#include <nnrt/ops/top_k.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/operators.hpp>

#include <algorithm>

using namespace nnrt_test;
using rule = ops::top_k::rule;

namespace {

constexpr ops::top_k::attrs along(std::int64_t axis, bool sorted = true) {
  ops::top_k::attrs a;
  a.axis = axis;
  a.sorted = sorted;
  return a;
}

constexpr std::int64_t many = std::int64_t{1} << 31;

struct refusal {
  const char* what;
  std::int64_t axis;
  tensor_desc x;
  operand k;
  rule broken;
  std::int64_t got, expected;
};
constexpr refusal refusals[] = {
    {"an axis after the last", 2, {f32, {4, 6}}, integer(numbers<1>), rule::axis_must_be_an_axis_of_the_input, 2, 1},
    {"an axis before the first",
     -3,
     {f32, {4, 6}},
     integer(numbers<1>),
     rule::axis_must_be_an_axis_of_the_input,
     -3,
     1},
    {"no axis far away",
     INT64_MIN,
     {f32, {4}},
     integer(numbers<1>),
     rule::axis_must_be_an_axis_of_the_input,
     INT64_MIN,
     0},
    {"a scalar has no axis", -1, {f32, {}}, integer(numbers<1>), rule::axis_must_be_an_axis_of_the_input, -1, -1},
    {"two numbers", -1, {f32, {4}}, integers(numbers<1, 2>), rule::k_must_be_one_number, 2, 1},
    {"no number", -1, {f32, {4}}, operand{{i64, {0}}, {}, true}, rule::k_must_be_one_number, 0, 1},
    {"a weight", -1, {f32, {4}}, weight({i64, {}}), rule::k_must_be_known, 0, 1},
    {"nothing is asked for", -1, {f32, {4}}, integer(numbers<0>), rule::k_must_be_at_least_1, 0, 1},
    {"less than nothing", -1, {f32, {-1}}, integer(numbers<INT64_MIN>), rule::k_must_be_at_least_1, INT64_MIN, 1},
    {"one too many", 0, {f32, {4, 6}}, integer(numbers<5>), rule::k_must_not_exceed_the_extent, 5, 4},
    {"one of none", 0, {f32, {0}}, integer(numbers<1>), rule::k_must_not_exceed_the_extent, 1, 0},
    {"a huge number", 0, {f32, {4, 6}}, integer(numbers<INT64_MAX>), rule::k_must_not_exceed_the_extent, INT64_MAX, 4},
    {"indices beyond 32 bits",
     0,
     {i8, {many + 1}},
     integer(numbers<1>),
     rule::extent_must_be_countable_in_32_bits,
     many + 1,
     many},
    {"a huge number of an unknown extent",
     0,
     {i8, {-1}},
     integer(numbers<INT64_MAX>),
     rule::extent_must_be_countable_in_32_bits,
     INT64_MAX,
     many},
};
constexpr bool is_refused(const refusal& r) {
  return breaks(infer<ops::top_k>(along(r.axis), {computed(r.x), r.k}), r.broken, r.got, r.expected);
}
static_assert(std::ranges::all_of(refusals, is_refused));

}  // namespace

TEST_CASE("top_k: each broken rule is named with both values") {
  for (const refusal& r : refusals) {
    CAPTURE(r.what);
    CHECK(is_refused(r));
  }
}

TEST_CASE("top_k: the signature asks for a tensor of numbers and a constant integer") {
  const operand x = computed(f32_of({4})), two = integer(numbers<2>);
  CHECK(breaks(infer<ops::top_k>({}, {x}), signature_rule::required_operand_must_be_given, 1, 2));
  CHECK(breaks(infer<ops::top_k>({}, {x, two, two}), signature_rule::operands_must_not_exceed_the_signature, 3, 2));
  CHECK(breaks(infer<ops::top_k>({}, {x, computed({i64, {}})}), signature_rule::operand_must_be_a_constant, 0, 1));
  CHECK(breaks(infer<ops::top_k>({}, {computed({boolean, {4}}), two}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, static_cast<int>(boolean),
               static_cast<int>(i8)));
  CHECK(breaks(infer<ops::top_k>({}, {x, weight(f32_of({}))}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, static_cast<int>(f32),
               static_cast<int>(i8)));
}

TEST_CASE("top_k: k may be an integer of any dtype") {
  constexpr std::int64_t two[] = {2};
  for (const dtype type : {i8, i16, i32, i64, u8, u16, u32, u64}) {
    CAPTURE(name_of(type));
    CHECK(shape_of(infer<ops::top_k>({}, {computed(f32_of({4})), operand{{type, {1}}, two, true}})) == shape_t{2});
  }
}

TEST_CASE("top_k: values are like x, indices are i32, both k long along the axis") {
  struct row {
    const char* what;
    std::int64_t axis;
    tensor_desc x;
    operand k;
    tensor_desc values, indices;
  };
  static constexpr row table[] = {
      {"a vector", -1, {f32, {9}}, integer(numbers<5>), {f32, {5}}, {i32, {5}}},
      {"all of it", 0, {f64, {9}}, integer(numbers<9>), {f64, {9}}, {i32, {9}}},
      {"k as a list of one", 0, {i64, {9}}, integers(numbers<3>), {i64, {3}}, {i32, {3}}},
      {"the first axis", 0, {u8, {3, 5, 7}}, integer(numbers<2>), {u8, {2, 5, 7}}, {i32, {2, 5, 7}}},
      {"one in the middle", -2, {f16, {3, 5, 7}}, integer(numbers<2>), {f16, {3, 2, 7}}, {i32, {3, 2, 7}}},
      {"the format stays",
       1,
       {f32, nchw, {2, 8, 3, 3}},
       integer(numbers<4>),
       {f32, nchw, {2, 4, 3, 3}},
       {i32, nchw, {2, 4, 3, 3}}},
      {"the quantisation of the values stays",
       -1,
       {i8, nd, {4, 6}, quant{0.5F, 7}},
       integer(numbers<1>),
       {i8, nd, {4, 1}, quant{0.5F, 7}},
       {i32, {4, 1}}},
      {"quantised values of 32 bits, whose indices are plain",
       -1,
       {i32, nd, {4, 6}, quant{0.5F, 7}},
       integer(numbers<1>),
       {i32, nd, {4, 1}, quant{0.5F, 7}},
       {i32, {4, 1}}},
      {"an unknown batch", -1, {f32, {-1, 6}}, integer(numbers<2>), {f32, {-1, 2}}, {i32, {-1, 2}}},
      {"an unknown extent", -1, {f32, {3, -1}}, integer(numbers<2>), {f32, {3, 2}}, {i32, {3, 2}}},
      {"no lines", -1, {f32, {0, 6}}, integer(numbers<2>), {f32, {0, 2}}, {i32, {0, 2}}},
      {"as many as i32 counts", -1, {i8, {many}}, integer(numbers<1>), {i8, {1}}, {i32, {1}}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::top_k>(along(r.axis), {computed(r.x), r.k});
    REQUIRE(got);
    REQUIRE(got.outputs.size() == 2);
    CHECK(got.output(0) == r.values);
    CHECK(got.output(1) == r.indices);
  }
}

TEST_CASE("top_k: indices of another dtype are not what was declared") {
  const verdict got = infer<ops::top_k>({}, {computed(f32_of({9})), integer(numbers<5>)},
                                        {tensor_desc{f32, {5}}, tensor_desc{i64, {5}}});
  CHECK(breaks(got, signature_rule::declared_output_type_must_match, static_cast<int>(i32), static_cast<int>(i64)));
}

namespace {

template <class T> struct top {
  std::vector<T> values;
  std::vector<std::int32_t> indices;
  friend constexpr bool operator==(const top&, const top&) = default;
};
template <class T> constexpr top<T> top_of(const ops::top_k::attrs& a, std::int64_t count, filled<T> x) {
  const shape_t y = x.desc.shape.with(normalise_axis(a.axis, x.desc.rank()), count);
  filled<T> values(y);
  filled<std::int32_t> indices(y);
  filled<std::int64_t> taken({}, {count});
  const view in[] = {x.as_view(), taken.as_view()}, out[] = {values.as_view(), indices.as_view()};
  ops::top_k::reference<T>(a, in, out);
  return {values.elements, indices.elements};
}
template <class T> constexpr top<T> top_of_vector(std::int64_t count, std::vector<T> x, bool sorted = true) {
  const shape_t shape{static_cast<std::int64_t>(x.size())};
  return top_of(along(-1, sorted), count, filled<T>(shape, static_cast<std::vector<T>&&>(x)));
}
constexpr bool largest_come_first() {
  return top_of_vector<float>(3, {2, 7, -1, 9, 4}) == top<float>{{9, 7, 4}, {3, 1, 4}};
}

}  // namespace
static_assert(largest_come_first());
static_assert(top_of_vector<std::int32_t>(2, {1, 3, 3, 2}, false) == top<std::int32_t>{{3, 3}, {2, 1}});

TEST_CASE("top_k: the largest come first, with their places") {
  CHECK(largest_come_first());
  CHECK(top_of_vector<float>(1, {2, 7, -1, 9, 4}) == top<float>{{9}, {3}});
  CHECK(top_of_vector<float>(5, {2, 7, -1, 9, 4}) == top<float>{{9, 7, 4, 2, -1}, {3, 1, 4, 0, 2}});
  CHECK(top_of_vector<float>(4, {1, 2, 3, 4}) == top<float>{{4, 3, 2, 1}, {3, 2, 1, 0}});
  CHECK(top_of_vector<float>(4, {4, 3, 2, 1}) == top<float>{{4, 3, 2, 1}, {0, 1, 2, 3}});
}

TEST_CASE("top_k: of equal elements the first ones are taken, in their order") {
  CHECK(top_of_vector<float>(2, {5, 5, 5, 5}) == top<float>{{5, 5}, {0, 1}});
  CHECK(top_of_vector<float>(3, {1, 5, 2, 5, 2, 2}) == top<float>{{5, 5, 2}, {1, 3, 2}});
  CHECK(top_of_vector<float>(2, {-0.0F, 0.0F, -0.0F}).indices == std::vector<std::int32_t>{0, 1});
}

TEST_CASE("top_k: unsorted gives the same elements the other way round") {
  CHECK(top_of_vector<float>(3, {2, 7, -1, 9, 4}, false) == top<float>{{4, 7, 9}, {4, 1, 3}});
  CHECK(top_of_vector<float>(3, {2, 5, 1, 5, 2, 2}, false) == top<float>{{2, 5, 5}, {0, 3, 1}});
  CHECK(top_of_vector<float>(1, {2, 5, 1}, false) == top<float>{{5}, {1}});
  CHECK(top_of_vector<float>(4, {4, 3, 2, 1}, false) == top<float>{{1, 2, 3, 4}, {3, 2, 1, 0}});
  CHECK(top_of_vector<float>(4, {1, 2, 3, 4}, false) == top<float>{{1, 2, 3, 4}, {0, 1, 2, 3}});
}

TEST_CASE_TEMPLATE("top_k: a NaN is larger than infinity, and as large as another NaN", T, float16, float, double) {
  const T none = math::nan<T>, endless = math::infinity<T>, one = static_cast<T>(1);
  const std::vector<T> x{one, none, endless, -none, -endless, none};
  const auto sorted = top_of_vector<T>(5, x), first_two = top_of_vector<T>(2, x);
  CHECK(sorted.indices == std::vector<std::int32_t>{1, 3, 5, 2, 0});
  CHECK(math::is_nan(math::compute_t<T>(sorted.values[2])));
  CHECK(sorted.values[3] == endless);
  CHECK(sorted.values[4] == one);
  CHECK(first_two.indices == std::vector<std::int32_t>{1, 3});
  CHECK(top_of_vector<T>(4, x, false).indices == std::vector<std::int32_t>{2, 5, 3, 1});
}

TEST_CASE_TEMPLATE("top_k: integers are compared exactly, up to their limits", T, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
  constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  CHECK(top_of_vector<T>(4, {least, most - 1, most, 1}) == top<T>{{most, most - 1, 1, least}, {2, 1, 3, 0}});
}

TEST_CASE("top_k: any axis of any rank, line by line") {
  // x[n][c][w], 2 x 3 x 2
  const filled<std::int32_t> x({2, 3, 2}, {1, 9, 5, 8, 3, 7, 40, 40, 60, 20, 50, 30});
  using of = top<std::int32_t>;
  CHECK(top_of(along(1), 2, x) == of{{5, 9, 3, 8, 60, 40, 50, 30}, {1, 0, 2, 1, 1, 0, 2, 2}});
  CHECK(top_of(along(1, false), 2, x) == of{{3, 8, 5, 9, 50, 30, 60, 40}, {2, 1, 1, 0, 2, 2, 1, 0}});
  CHECK(top_of(along(0), 1, x) == of{{40, 40, 60, 20, 50, 30}, {1, 1, 1, 1, 1, 1}});
  CHECK(top_of(along(-1), 1, x) == of{{9, 8, 7, 40, 60, 50}, {1, 1, 1, 0, 0, 0}});
  CHECK(top_of(along(-3), 2, x).indices == std::vector<std::int32_t>{1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0});
  CHECK(top_of(along(-1), 1, filled<float>({0, 2})).values.empty());
}

TEST_CASE("top_k: an input that is not dense") {
  filled<float> x({3, 4}, {1, 8, 2, 0, 5, 5, 9, 0, 7, 6, 3, 0});
  const tensor_desc columns{f32, {3, 3}}, found{f32, {3, 1}}, places{i32, {3, 1}};
  const shape_t of_x{4, 1};
  std::vector<float> best(3);
  std::vector<std::int32_t> where(3);
  const view in[] = {{&columns, x.elements.data(), &of_x}, {}},
             out[] = {{&found, best.data()}, {&places, where.data()}};
  ops::top_k::reference<float>(along(1), in, out);
  CHECK(best == std::vector<float>{8, 9, 7});
  CHECK(where == std::vector<std::int32_t>{1, 2, 0});
}

TEST_CASE("top_k: both results bind to names, and attributes arrive") {
  builder g;
  auto x = g.input<f32, shape<4, 6>>("x");
  auto [top, index] = top_k(x, k<5>);
  auto [rows, places] = nnrt::top_k(x, unsorted, axis<0>, k<2>);
  static_assert(decltype(top)::desc == tensor_desc{f32, {4, 5}} && decltype(index)::desc == tensor_desc{i32, {4, 5}});
  static_assert(decltype(rows)::desc.shape == shape_t{2, 6} && decltype(places)::desc.shape == shape_t{2, 6});
  CHECK(index.id == top.id + 1);
  const ir::graph& made = g.graph();
  REQUIRE(made.nodes.size() == 2);
  REQUIRE(made.inputs_of(made.nodes[0]).size() == 2);
  CHECK(made.at(made.inputs_of(made.nodes[0])[1]).desc == tensor_desc{i64, {}});
  const auto by_default = unpack<ops::top_k::attrs>(made.attrs_of(made.nodes[0])),
             given = unpack<ops::top_k::attrs>(made.attrs_of(made.nodes[1]));
  CHECK(by_default.axis == -1);
  CHECK(by_default.sorted);
  CHECK(given.axis == 0);
  CHECK_FALSE(given.sorted);
}

TEST_CASE("top_k: a number that shapes will tell leaves the extent open") {
  operand k = weight({i32, {}});
  k.awaited = true;
  const verdict got = infer<ops::top_k>({}, {computed(f32_of({4, 6})), k});
  REQUIRE(got);
  CHECK(got.output(0).shape == shape_t{4, -1});
  CHECK(got.output(1) == tensor_desc{i32, {4, -1}});
}
