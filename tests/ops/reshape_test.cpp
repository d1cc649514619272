// reshape_test: the rules, shapes and elements of reshape, and what flatten makes of a tensor.
#include <nnrt/ops/reshape.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/constants.hpp>
#include <support/operators.hpp>

#include <algorithm>

using namespace nnrt_test;
using rule = ops::reshape::rule;

namespace {

struct refusal {
  const char* what;
  tensor_desc x;
  operand shape;
  rule broken;
  std::int64_t got, expected;
};
constexpr refusal refusals[] = {
    {"a scalar for a shape", f32_of({4}), integer(numbers<4>), rule::shape_must_be_a_list, 0, 1},
    {"nine extents", f32_of({1}), integers(numbers<1, 1, 1, 1, 1, 1, 1, 1, 1>), rule::output_rank_must_be_at_most_8, 9,
     8},
    {"a weight whose numbers nobody knows", f32_of({4}), weight({i64, {2}}), rule::shape_must_be_known, 0, 1},
    {"an extent of no elements", f32_of({4}), integers(numbers<0, 4>), rule::extent_must_be_positive_or_minus_1, 0, 1},
    {"a negative extent", f32_of({4}), integers(numbers<-2, -2>), rule::extent_must_be_positive_or_minus_1, -2, 1},
    {"two extents to infer", f32_of({4}), integers(numbers<-1, 2, -1>), rule::only_one_extent_may_be_inferred, 2, 1},
    {"too few elements", f32_of({2, 3}), integers(numbers<5>), rule::number_of_elements_must_be_kept, 5, 6},
    {"a rank of 0 for two elements", f32_of({2}), integers(numbers<>), rule::number_of_elements_must_be_kept, 1, 2},
    {"a product beyond 64 bits", f32_of({2}), integers(numbers<std::int64_t{1} << 40, std::int64_t{1} << 40>),
     rule::number_of_elements_must_be_kept, max_elements + 1, 2},
    {"nothing whole to infer", f32_of({2, 5}), integers(numbers<4, -1>),
     rule::elements_must_be_divisible_by_the_given_extents, 10, 4},
};
constexpr bool is_refused(const refusal& r) {
  return breaks(infer<ops::reshape>({}, {computed(r.x), r.shape}), r.broken, r.got, r.expected);
}
static_assert(std::ranges::all_of(refusals, is_refused));

constexpr verdict reshaped(const tensor_desc& x, const operand& shape) {
  return infer<ops::reshape>({}, {computed(x), shape});
}

}  // namespace

TEST_CASE("reshape: each broken rule is named with both values") {
  for (const refusal& r : refusals) {
    CAPTURE(r.what);
    CHECK(is_refused(r));
  }
}

TEST_CASE("reshape: the signature refuses a missing, a computed and a floating shape") {
  const tensor_desc x = f32_of({4});
  CHECK(breaks(infer<ops::reshape>({}, {computed(x)}), signature_rule::required_operand_must_be_given, 1, 2));
  CHECK(breaks(reshaped(x, computed({i64, {1}})), signature_rule::operand_must_be_a_constant, 0, 1));
  CHECK(breaks(reshaped(x, weight({f32, {1}})), signature_rule::operand_type_must_be_accepted_by_the_operator, int(f32),
               int(i32)));
}

TEST_CASE("reshape: the output has the listed extents, one of them inferred") {
  struct row {
    const char* what;
    shape_t x;
    operand shape;
    shape_t y;
  };
  static constexpr row table[] = {
      {"the same", {2, 3}, integers(numbers<2, 3>), {2, 3}},
      {"other extents", {2, 6}, integers(numbers<3, 4>), {3, 4}},
      {"inferred in front", {3, 5, 7}, integers(numbers<-1, 21>), {5, 21}},
      {"inferred as 1", {3, 5}, integers(numbers<15, -1>), {15, 1}},
      {"one element to a scalar", {1, 1}, integers(numbers<>), {}},
      {"a scalar to one element", {}, integers(numbers<1, 1>), {1, 1}},
      {"inferred with an unknown batch", {-1, 8, 8, 3}, integers(numbers<-1, 192>), {-1, 192}},
      {"all given with an unknown batch", {-1, 8}, integers(numbers<4, 4>), {4, 4}},
      {"no elements", {0, 3}, integers(numbers<-1, 5>), {0, 5}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = reshaped(f32_of(r.x), r.shape);
    REQUIRE(got);
    CHECK(got.output(0).shape == r.y);
  }
}

TEST_CASE("reshape: dtype and quantisation stay, the format is that of the new rank") {
  const verdict got = reshaped({i8, nchw, {1, 2, 3, 4}, quant{0.5F, 3}}, integers(numbers<4, 3, 2, 1>));
  REQUIRE(got);
  CHECK(got.output(0) == tensor_desc{i8, nhwc, {4, 3, 2, 1}, quant{0.5F, 3}});
  CHECK(reshaped({i8, nhwc, {1, 2, 3, 4}}, integers(numbers<24>)).output(0).layout == nd);
}

static_assert(run<ops::reshape, float>({}, {3, 2}, filled<float>({2, 3}, {1, 2, 3, 4, 5, 6})).elements ==
              std::vector<float>{1, 2, 3, 4, 5, 6});

TEST_CASE("reshape: elements stay in row-major order, whatever their dtype") {
  CHECK(run<ops::reshape, std::uint8_t>({}, {4}, filled<std::uint8_t>({2, 2}, {1, 0, 255, 7})).elements ==
        std::vector<std::uint8_t>{1, 0, 255, 7});
  CHECK(
      run<ops::reshape, std::int64_t>({}, {1, 3}, filled<std::int64_t>({3}, {-1, 0, std::int64_t{1} << 62})).elements ==
      std::vector<std::int64_t>{-1, 0, std::int64_t{1} << 62});
}

TEST_CASE("reshape: the keyword becomes a constant operand, and flatten keeps the batch") {
  builder g;
  auto x = g.input<f32, shape<2, 4, 4, 3>>("x");
  auto y = reshape(x, shape<1, -1, 2, 2>);
  auto z = nnrt::flatten(y);
  auto rows = flatten(g.input<f32, shape<5>>("row"));
  static_assert(decltype(y)::desc == tensor_desc{f32, {1, 24, 2, 2}});
  static_assert(decltype(z)::desc == tensor_desc{f32, {1, 96}});
  static_assert(decltype(rows)::desc == tensor_desc{f32, {5, 1}});
  REQUIRE(g.graph().nodes.size() == 3);
  const auto in = g.graph().inputs_of(g.graph().nodes[0]);
  REQUIRE(in.size() == 2);
  CHECK(in[0] == x.id);
  CHECK(integers_of(g.graph(), in[1]) == std::vector<std::int64_t>{1, -1, 2, 2});
  CHECK(integers_of(g.graph(), g.graph().inputs_of(g.graph().nodes[1])[1]) == std::vector<std::int64_t>{1, 96});
}

TEST_CASE("reshape: a shape that shapes will tell leaves the extents open") {
  operand target = weight({i32, {4}});
  target.awaited = true;
  const verdict got = infer<ops::reshape>({}, {computed({f32, nchw, {2, 3, 4, 5}}), target});
  REQUIRE(got);
  CHECK(got.output(0) == tensor_desc{f32, nhwc, {-1, -1, -1, -1}});
}
