// softmax_test: rules, probabilities along one and several axes, and the DSL form of softmax.
#include <nnrt/ops/softmax.hpp>

#include <doctest/doctest.h>
#include <nnrt/ir/apply.hpp>
#include <nnrt/kernels/fast.hpp>

#include "support/operators.hpp"

namespace {

using namespace nnrt_test;
using rule = ops::softmax::rule;

constexpr ops::softmax::attrs along(axis_list axes) {
  ops::softmax::attrs a;
  a.axis = axes;
  return a;
}

struct refused_row {
  const char* what;
  axis_list axes;
  tensor_desc x;
  rule broken;
  std::int64_t got, expected;
};
constexpr refused_row refused[] = {
    {"a scalar has no axis", {}, f32_of({}), rule::input_rank_must_be_at_least_1, 0, 1},
    {"a scalar has no axis 0", {0}, f32_of({}), rule::input_rank_must_be_at_least_1, 0, 1},
    {"axis behind the last", {2}, f32_of({2, 3}), rule::axis_must_be_an_axis_of_the_input, 2, 1},
    {"axis before the first", {-3}, f32_of({2, 3}), rule::axis_must_be_an_axis_of_the_input, -3, 1},
    {"hostile axis",
     {std::int64_t{1} << 40},
     f32_of({2, 3}),
     rule::axis_must_be_an_axis_of_the_input,
     std::int64_t{1} << 40,
     1},
    {"second axis wrong", {0, 5}, f32_of({2, 3}), rule::axis_must_be_an_axis_of_the_input, 5, 1},
    {"one axis twice", {1, 1}, f32_of({2, 3}), rule::axes_must_differ, 2, 1},
    {"one axis by two names", {1, -1}, f32_of({2, 3}), rule::axes_must_differ, 2, 1},
};
constexpr bool refused_as_stated(const refused_row& r) {
  return breaks(infer<ops::softmax>(along(r.axes), {computed(r.x)}), r.broken, r.got, r.expected);
}
static_assert([] {
  for (const refused_row& row : refused)
    if (!refused_as_stated(row)) return false;
  return true;
}());
static_assert(breaks(infer<ops::softmax>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
static_assert(breaks(infer<ops::softmax>({}, {computed({i32, {3}})}),
                     signature_rule::operand_type_must_be_accepted_by_the_operator, 4, 10));

TEST_CASE("softmax: axes that the input does not have, or has once only, are refused with both values") {
  for (const refused_row& row : refused) {
    CAPTURE(row.what);
    CHECK(refused_as_stated(row));
  }
  CHECK(breaks(infer<ops::softmax>({}, {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<ops::softmax>({}, {computed({i32, {3}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, 4, 10));
}

TEST_CASE("softmax: the output is like the input, unknown extents too") {
  static constexpr tensor_desc table[] = {
      {f32, {10}}, {f16, nchw, {3, 5, 7, 2}}, {f64, {-1, 4}}, {f32, {0, 2}}, {f32, {-1, -1, -1}}};
  for (const tensor_desc& x : table) {
    const verdict v = infer<ops::softmax>(along({0, -1}), {computed(x)});
    CHECK((x.rank() == 1 ? !v : v && v.output(0) == x));
    CHECK(infer<ops::softmax>({}, {computed(x)}).output(0) == x);
  }
}

template <class T> bool near(const filled<T>& y, std::initializer_list<double> expected, double tolerance) {
  std::size_t i = 0;
  for (const double e : expected) {
    const double got = static_cast<double>(y.elements[i++]);
    if (!(math::abs(got - e) <= tolerance)) return false;
  }
  return i == y.elements.size();
}

// Golden numbers by Python, for each group v: [math.exp(x - max(v)) / sum(math.exp(x - max(v)) for x in v) for x in v]
TEST_CASE("softmax: along the listed axes the elements become shares of 1") {
  const filled<float> x({2, 3}, {1, 2, 3, 0, -1, 4});
  struct row {
    const char* what;
    axis_list axes;
    std::initializer_list<double> y;
  };
  const row table[] = {
      {"last axis by default",
       {},
       {0.09003057317038046, 0.24472847105479764, 0.6652409557748218, 0.0178679818703045, 0.006573263185309083,
        0.9755587549443865}},
      {"last axis by number",
       {1},
       {0.09003057317038046, 0.24472847105479764, 0.6652409557748218, 0.0178679818703045, 0.006573263185309083,
        0.9755587549443865}},
      {"first axis",
       {0},
       {0.7310585786300049, 0.9525741268224334, 0.2689414213699951, 0.2689414213699951, 0.04742587317756679,
        0.7310585786300049}},
      {"both axes",
       {1, -2},
       {0.03154963320110002, 0.08576079462509835, 0.233122009623613, 0.011606461431184656, 0.00426977854528211,
        0.6336913225737218}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(near(run<ops::softmax, float>(along(r.axes), {2, 3}, x), r.y, 1e-7));
  }
  const filled<double> wide({1, 3, 1}, {1, 2, 3});
  CHECK(near(run<ops::softmax, double>(along({1}), {1, 3, 1}, wide),
             {0.09003057317038046, 0.24472847105479764, 0.6652409557748218}, 1e-16));
  const filled<float16> narrow({3}, {float16(1.0F), float16(2.0F), float16(3.0F)});
  CHECK(near(run<ops::softmax, float16>({}, {3}, narrow),
             {0.09003057317038046, 0.24472847105479764, 0.6652409557748218}, 2.5e-4));
}

TEST_CASE("softmax: two axes that are not neighbours form one group") {
  const filled<float> x({2, 2, 2}, {0, 5, 0, 7, 0, 5, 0, 7});     // axes 0 and 2 hold {0, 5, 0, 5} and {0, 7, 0, 7}
  const double e5 = 0.0033464254621424, e7 = 0.0004555255972003;  // 1 / (2 + 2 exp(5)), 1 / (2 + 2 exp(7))
  const filled<float> y = run<ops::softmax, float>(along({0, 2}), {2, 2, 2}, x);
  CHECK(near(y, {e5, 0.5 - e5, e7, 0.5 - e7, e5, 0.5 - e5, e7, 0.5 - e7}, 1e-7));
}

TEST_CASE("softmax: large numbers do not overflow, no elements are none") {
  CHECK(near(run<ops::softmax, float>({}, {2}, filled<float>({2}, {1e30F, 1e30F})), {0.5, 0.5}, 0));
  CHECK(
      near(run<ops::softmax, float>({}, {3}, filled<float>({3}, {-1000, 1000, -math::infinity<float>})), {0, 1, 0}, 0));
  CHECK(run<ops::softmax, float>({}, {2, 0}, filled<float>({2, 0})).elements.empty());
}

static_assert(run<ops::softmax, float>({}, {2, 2}, filled<float>({2, 2}, {1, 1, -3, -3})).elements ==
              std::vector<float>{0.5F, 0.5F, 0.5F, 0.5F});
static_assert(run<ops::softmax, float>(along({0}), {2, 1}, filled<float>({2, 1}, {0, 0})).elements ==
              std::vector<float>{0.5F, 0.5F});

constexpr auto three = [](builder& b) {
  auto x = b.input<f16, shape<2, 3, 4>>("x");
  b.output("y", softmax(softmax(softmax(x), axis<-2>), axes<1, 2>));
};

TEST_CASE("softmax: axis and axes both fill the list of axes") {
  builder b;
  three(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 3);
  const auto axes_of = [&](std::size_t node) { return unpack<ops::softmax::attrs>(g.attrs_of(g.nodes[node])).axis; };
  CHECK(axes_of(0) == axis_list{});
  CHECK(axes_of(1) == axis_list{-2});
  CHECK(axes_of(2) == axis_list{1, 2});
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {2, 3, 4}});
}

}  // namespace
