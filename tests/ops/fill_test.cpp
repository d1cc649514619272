// fill_test: the rules, shapes and elements of fill.
#include <nnrt/ops/fill.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/refused.hpp>

using namespace nnrt_test;
using rule = ops::fill::rule;

namespace {

constexpr operand value = computed(f32_of({}));
constexpr operand late(std::int64_t count) { return computed({i32, {count}}); }

}  // namespace

TEST_CASE("fill: each broken rule is named with both values") {
  NNRT_CHECK_REFUSED(
      ops::fill,
      {"two values", {}, {computed(f32_of({2})), integers(numbers<4>)}, {}, rule::value_must_be_one_number, 2, 1});
  NNRT_CHECK_REFUSED(
      ops::fill,
      {"no value", {}, {computed(f32_of({0})), integers(numbers<4>)}, {}, rule::value_must_be_one_number, 0, 1});
  NNRT_CHECK_REFUSED(
      ops::fill, {"a shape that is a number", {}, {value, integer(numbers<4>)}, {}, rule::shape_must_be_a_list, 0, 1});
  NNRT_CHECK_REFUSED(ops::fill,
                     {"who knows how many axes", {}, {value, late(-1)}, {}, rule::output_rank_must_be_known, 0, 1});
  NNRT_CHECK_REFUSED(ops::fill, {"9 axes",
                                 {},
                                 {value, integers(numbers<1, 1, 1, 1, 1, 1, 1, 1, 1>)},
                                 {},
                                 rule::output_rank_must_be_at_most_8,
                                 9,
                                 8});
  NNRT_CHECK_REFUSED(
      ops::fill,
      {"axes without end", {}, {value, late(max_elements)}, {}, rule::output_rank_must_be_at_most_8, max_elements, 8});
  NNRT_CHECK_REFUSED(ops::fill, {"an extent to be inferred",
                                 {},
                                 {value, integers(numbers<2, -1>)},
                                 {},
                                 rule::extent_must_not_be_negative,
                                 -1,
                                 0});
  NNRT_CHECK_REFUSED(
      ops::fill,
      {"far below", {}, {value, integers(numbers<INT64_MIN>)}, {}, rule::extent_must_not_be_negative, INT64_MIN, 0});
}

TEST_CASE("fill: the signature refuses a missing and a floating shape, and what becomes too large") {
  CHECK(breaks(infer<ops::fill>({}, {value}), signature_rule::required_operand_must_be_given, 1, 2));
  CHECK(breaks(infer<ops::fill>({}, {value, weight(f32_of({1}))}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, static_cast<int>(f32),
               static_cast<int>(i32)));
  CHECK(breaks(infer<ops::fill>({}, {value, integers(numbers<INT64_MAX>)}),
               signature_rule::tensor_must_not_exceed_the_size_limit, INT64_MAX, max_elements));
  CHECK(breaks(infer<ops::fill>({}, {value, integers(numbers<max_elements, 2>)}),
               signature_rule::tensor_must_not_exceed_the_size_limit, max_elements + 1, max_elements));
}

TEST_CASE("fill: the output has the shape that is listed, and dtype and scale of the value") {
  struct row {
    const char* what;
    tensor_desc value;
    operand shape;
    tensor_desc y;
  };
  static constexpr row table[] = {
      {"a list", {f32, {}}, integers(numbers<3>), {f32, {3}}},
      {"a value in a list", {f64, {1, 1}}, integers(numbers<3, 5>), {f64, {3, 5}}},
      {"an image", {f16, {}}, integers(numbers<2, 3, 5, 7>), {f16, nhwc, {2, 3, 5, 7}}},
      {"a scalar", {boolean, {}}, integers(numbers<>), {boolean, {}}},
      {"no elements", {i64, {}}, integers(numbers<3, 0>), {i64, {3, 0}}},
      {"a scale", {i8, nd, {}, quant{0.5F, 3}}, integers(numbers<2>), {i8, nd, {2}, quant{0.5F, 3}}},
      {"an unknown value", {f32, {-1}}, integers(numbers<3>), {f32, {3}}},
      {"a shape that nobody knows yet", {f32, {}}, late(2), {f32, {-1, -1}}},
      {"a weight for a shape", {f32, {}}, weight({i64, {1}}), {f32, {-1}}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::fill>({}, {computed(r.value), r.shape});
    REQUIRE(got);
    CHECK(got.output(0) == r.y);
  }
  const verdict declared = infer<ops::fill>({}, {value, late(2)}, {f32_of({6, 5})});
  REQUIRE(declared);
  CHECK(declared.output(0).shape == shape_t{6, 5});
}

static_assert(run<ops::fill, float>({}, {2, 2}, filled<float>({}, {1.5F}), filled<std::int64_t>({2}, {2, 2}))
                  .elements == std::vector<float>{1.5F, 1.5F, 1.5F, 1.5F});

TEST_CASE("fill: every element is the value") {
  CHECK(run<ops::fill, std::int8_t>({}, {3}, filled<std::int8_t>({1}, {-7}), filled<std::int32_t>({1}, {3})).elements ==
        std::vector<std::int8_t>{-7, -7, -7});
  CHECK(run<ops::fill, double>({}, {}, filled<double>({}, {0.1}), filled<std::int32_t>({0})).elements ==
        std::vector<double>{0.1});
  CHECK(run<ops::fill, float>({}, {0, 2}, filled<float>({}, {1}), filled<std::int32_t>({2}, {0, 2})).elements.empty());
}

TEST_CASE("fill: a shape that is not the planned one is a fault of the run") {
  filled<float> one({}, {1}), y({2, 3});
  filled<std::int64_t> as_planned({2}, {2, 3}), other({2}, {2, 4});
  const view out[] = {y.as_view()};
  const view good[] = {one.as_view(), as_planned.as_view()}, bad[] = {one.as_view(), other.as_view()};
  CHECK_FALSE(ops::fill::reference<float>({}, good, out));
  const run_fault fault = ops::fill::reference<float>({}, bad, out);
  CHECK(fault.rule == static_cast<int>(rule::extent_must_be_that_of_the_output));
  CHECK(fault.position == 1);
  CHECK(fault.actual == 4);
  CHECK(fault.expected == 3);
}

TEST_CASE("fill: the shape becomes a constant operand") {
  builder g;
  auto x = g.input<f32, shape<>>("x");
  auto y = fill(x, shape<2, 3>);
  static_assert(decltype(y)::desc == tensor_desc{f32, {2, 3}});
  REQUIRE(g.graph().nodes.size() == 1);
  CHECK(integers_of(g.graph(), g.graph().inputs_of(g.graph().nodes[0])[1]) == std::vector<std::int64_t>{2, 3});
}
