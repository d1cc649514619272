// arg_max_test: the rules, shapes and elements of arg_max.
#include <nnrt/ops/arg_max.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

#include <limits>

using namespace nnrt_test;
using rule = ops::arg_max::rule;

namespace {

struct choice {
  std::int64_t axis = -1, k = 1;
  bool keep_dims = false, out_max_value = false;
};
constexpr ops::arg_max::attrs of(choice c) {
  ops::arg_max::attrs a;
  a.axis = c.axis;
  a.k = c.k;
  a.keep_dims = c.keep_dims;
  a.out_max_value = c.out_max_value;
  return a;
}
constexpr std::int64_t many = std::int64_t{1} << 31;

}  // namespace

TEST_CASE("arg_max: each broken rule is named with both values") {
  using op = ops::arg_max;
  NNRT_CHECK_REFUSED(op, {"an axis after the last",
                          of({.axis = 2}),
                          {computed(f32_of({4, 6}))},
                          {},
                          rule::axis_must_be_an_axis_of_the_input,
                          2,
                          1});
  NNRT_CHECK_REFUSED(op, {"no axis far away",
                          of({.axis = INT64_MIN}),
                          {computed(f32_of({4}))},
                          {},
                          rule::axis_must_be_an_axis_of_the_input,
                          INT64_MIN,
                          0});
  NNRT_CHECK_REFUSED(
      op, {"a scalar has no axis", {}, {computed(f32_of({}))}, {}, rule::axis_must_be_an_axis_of_the_input, -1, -1});
  NNRT_CHECK_REFUSED(op, {"quantised values of several scales",
                          {},
                          {computed({i8, nd, {4, 6}, per_channel<1>})},
                          {},
                          rule::quantised_input_must_have_one_scale,
                          6,
                          1});
  NNRT_CHECK_REFUSED(
      op, {"nothing is asked for", of({.k = 0}), {computed(f32_of({4}))}, {}, rule::k_must_be_at_least_1, 0, 1});
  NNRT_CHECK_REFUSED(op, {"far less than nothing",
                          of({.k = INT64_MIN}),
                          {computed(f32_of({-1}))},
                          {},
                          rule::k_must_be_at_least_1,
                          INT64_MIN,
                          1});
  NNRT_CHECK_REFUSED(op, {"one too many",
                          of({.axis = 0, .k = 5}),
                          {computed(f32_of({4, 6}))},
                          {},
                          rule::k_must_not_exceed_the_extent,
                          5,
                          4});
  NNRT_CHECK_REFUSED(op, {"the largest of none",
                          of({.axis = 0}),
                          {computed(f32_of({0, 6}))},
                          {},
                          rule::k_must_not_exceed_the_extent,
                          1,
                          0});
  NNRT_CHECK_REFUSED(op, {"indices beyond 32 bits",
                          {},
                          {computed({i8, {many + 1}})},
                          {},
                          rule::extent_must_be_countable_in_32_bits,
                          many + 1,
                          many});
  NNRT_CHECK_REFUSED(op, {"a huge number of an unknown extent",
                          of({.k = INT64_MAX}),
                          {computed({i8, {-1}})},
                          {},
                          rule::extent_must_be_countable_in_32_bits,
                          INT64_MAX,
                          many});
}

TEST_CASE("arg_max: the signature asks for one tensor of numbers, and for a declared dtype that there is") {
  CHECK(breaks(infer<ops::arg_max>({}, {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<ops::arg_max>({}, {computed({boolean, {4}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, static_cast<int>(boolean),
               static_cast<int>(i8)));
  CHECK(breaks(infer<ops::arg_max>({}, {computed(f32_of({4}))}, {tensor_desc{f32, {}}}),
               signature_rule::declared_output_type_must_match, static_cast<int>(i32), static_cast<int>(f32)));
}

TEST_CASE("arg_max: the axis goes, stays with extent 1, or counts the k largest") {
  struct row {
    const char* what;
    choice c;
    tensor_desc x, wanted, y;
  };
  static constexpr row table[] = {
      {"a vector", {}, {f32, {9}}, {}, {i32, {}}},
      {"the last axis", {}, {f16, {3, 5, 7}}, {}, {i32, {3, 5}}},
      {"the first axis, kept", {.axis = 0, .keep_dims = true}, {u8, {3, 5, 7}}, {}, {i32, {1, 5, 7}}},
      {"an image", {.axis = 3}, {f32, {2, 4, 4, 21}}, {}, {i32, {2, 4, 4}}},
      {"an image, kept", {.axis = 1, .keep_dims = true}, {f32, nchw, {2, 21, 4, 4}}, {}, {i32, nchw, {2, 1, 4, 4}}},
      {"the three largest", {.axis = -2, .k = 3}, {f64, {3, 5, 7}}, {}, {i32, {3, 3, 7}}},
      {"wide indices", {}, {f32, {3, 5}}, {i64, {}}, {i64, {3}}},
      {"wide indices of a long axis", {}, {i8, {many + 1}}, {i64, {}}, {i64, {}}},
      {"wide values stay values", {.out_max_value = true}, {i64, {3, 5}}, {i64, {}}, {i64, {3}}},
      {"values",
       {.k = 2, .out_max_value = true},
       {i8, nd, {3, 5}, quant{0.5F, 3}},
       {},
       {i8, nd, {3, 2}, quant{0.5F, 3}}},
      {"indices have no scale", {}, {i32, nd, {3, 5}, quant{0.5F, 3}}, {}, {i32, {3}}},
      {"another extent is 0", {}, {f32, {0, 5}}, {}, {i32, {0}}},
      {"unknown extents", {}, {f32, {-1, -1}}, {}, {i32, {-1}}},
      {"unknown extents, kept", {.k = 2}, {f32, {-1, -1}}, {}, {i32, {-1, 2}}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::arg_max>(of(r.c), {computed(r.x)}, {r.wanted});
    REQUIRE(got);
    CHECK(got.output(0) == r.y);
  }
}

static_assert(run<ops::arg_max, float, std::int32_t>({}, {2}, filled<float>({2, 3}, {1, 3, 2, 9, 8, 9})).elements ==
              std::vector<std::int32_t>{1, 0});

TEST_CASE("arg_max: indices and values of the largest, the first one of equals") {
  using indices = std::vector<std::int32_t>;
  const filled<std::int16_t> x({2, 4}, {3, 7, 7, -1, 5, 5, 5, 6});
  const auto found = [&](choice c, shape_t y) {
    return run<ops::arg_max, std::int16_t, std::int32_t>(of(c), y, x).elements;
  };
  CHECK(found({}, {2}) == indices{1, 3});
  CHECK(found({.axis = 0}, {4}) == indices{1, 0, 0, 1});
  CHECK(found({.k = 4}, {2, 4}) == indices{1, 2, 0, 3, 3, 0, 1, 2});
  CHECK(found({.axis = -2, .k = 2, .keep_dims = true}, {2, 4}) == indices{1, 0, 0, 1, 0, 1, 1, 0});
  CHECK(run<ops::arg_max, std::int16_t>(of({.k = 2, .out_max_value = true}), {2, 2}, x).elements ==
        std::vector<std::int16_t>{7, 7, 6, 5});
  CHECK(run<ops::arg_max, std::int16_t, std::int64_t>({}, {2}, x).elements == std::vector<std::int64_t>{1, 3});
  CHECK(run<ops::arg_max, std::int32_t>(of({.out_max_value = true}), {},
                                        filled<std::int32_t>({3}, {INT32_MIN, 4, INT32_MAX}))
            .elements == std::vector<std::int32_t>{INT32_MAX});
  CHECK(run<ops::arg_max, float, std::int32_t>({}, {0}, filled<float>({0, 3})).elements.empty());
}

TEST_CASE("arg_max: along an axis in between") {
  // x[a][b][c] = (7 a + 5 b + 3 c) mod 11
  filled<float> x({2, 3, 2});
  for (int i = 0; i < 12; ++i)
    x.elements[static_cast<std::size_t>(i)] = static_cast<float>((7 * (i / 6) + 5 * (i / 2 % 3) + 3 * (i % 2)) % 11);
  // lines along b: 0 5 10 | 3 8 2 | 7 1 6 | 10 4 9
  CHECK(run<ops::arg_max, float, std::int32_t>(of({.axis = 1}), {2, 2}, x).elements ==
        std::vector<std::int32_t>{2, 1, 0, 0});
  CHECK(run<ops::arg_max, float>(of({.axis = 1, .k = 2, .out_max_value = true}), {2, 2, 2}, x).elements ==
        std::vector<float>{10, 8, 5, 3, 7, 10, 6, 9});
}

TEST_CASE("arg_max: a NaN is larger than every number, the first one of several") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  CHECK(
      run<ops::arg_max, float, std::int32_t>(of({.k = 4}), {4}, filled<float>({4}, {infinity, nan, 1, nan})).elements ==
      std::vector<std::int32_t>{1, 3, 0, 2});
  CHECK(run<ops::arg_max, float, std::int32_t>(of({.k = 2}), {2}, filled<float>({3}, {-infinity, -0.0F, 0.0F}))
            .elements == std::vector<std::int32_t>{1, 2});
}

TEST_CASE("arg_max: keywords arrive, a declared dtype, too") {
  builder g;
  auto x = g.input<f32, shape<3, 10>>("x");
  auto best = arg_max(x);
  auto wide = arg_max(x, axis<0>, keep_dims, into<i64>);
  auto values = arg_max(x, k<3>, out_max_value);
  static_assert(decltype(best)::desc == tensor_desc{i32, {3}});
  static_assert(decltype(wide)::desc == tensor_desc{i64, {1, 10}});
  static_assert(decltype(values)::desc == tensor_desc{f32, {3, 3}});
  REQUIRE(g.graph().nodes.size() == 3);
  const auto a = unpack<ops::arg_max::attrs>(g.graph().attrs_of(g.graph().nodes[2]));
  CHECK(a.k == 3);
  CHECK(a.out_max_value);
  CHECK_FALSE(a.keep_dims);
  CHECK(unpack<ops::arg_max::attrs>(g.graph().attrs_of(g.graph().nodes[1])).axis == 0);
}
