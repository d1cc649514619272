// cast_test: rules, conversions between all dtypes and the DSL function of cast.
#include <nnrt/ops/cast.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/operators.hpp"

#include <limits>

namespace {

using namespace nnrt_test;
using rule = ops::cast::rule;
using list = std::array<std::int64_t, 1>;

constexpr list zero{0}, to_f16{10}, thirteen{13}, hdi_i32{34}, hdi_none{31},
    hostile{std::numeric_limits<std::int64_t>::min()};
constexpr std::array<std::int64_t, 2> two_numbers{10, 11};
constexpr std::array<std::int64_t, 0> no_numbers{};
constexpr operand x = computed(f32_of({2, 3}));

struct refused_row {
  const char* what;
  operand type;
  rule broken;
  std::int64_t got, expected;
};
constexpr refused_row refused[] = {
    {"two numbers", integers(two_numbers), rule::type_must_be_one_number, 2, 1},
    {"no number", integers(no_numbers), rule::type_must_be_one_number, 0, 1},
    {"a weight, known only later", weight({i32, {1}}), rule::type_must_be_known_to_the_rules, 0, 1},
    {"the unknown dtype", integer(zero), rule::type_must_be_the_number_of_a_dtype, 0, 1},
    {"after the last dtype", integer(thirteen), rule::type_must_be_the_number_of_a_dtype, 13, 12},
    {"one of HDI's that is no dtype", integer(hdi_none), rule::type_must_be_the_number_of_a_dtype, 31, 12},
    {"hostile number", integer(hostile), rule::type_must_be_the_number_of_a_dtype, hostile[0], 1},
};
constexpr bool refused_as_stated(const refused_row& r) {
  return breaks(infer<ops::cast>({}, {x, r.type}), r.broken, r.got, r.expected);
}
static_assert([] {
  for (const refused_row& row : refused)
    if (!refused_as_stated(row)) return false;
  return true;
}());
static_assert(infer<ops::cast>({}, {x, integer(hdi_i32)}).output(0) == tensor_desc{i32, {2, 3}});
constexpr auto missing_rule = signature_rule::required_operand_must_be_given;
constexpr auto constant_rule = signature_rule::operand_must_be_a_constant;
constexpr auto type_rule = signature_rule::operand_type_must_be_accepted_by_the_operator;
static_assert(breaks(infer<ops::cast>({}, {x}), missing_rule, 1, 2));
static_assert(breaks(infer<ops::cast>({}, {x, computed({i64, {}})}), constant_rule, 0, 1));
static_assert(breaks(infer<ops::cast>({}, {x, weight(f32_of({}))}), type_rule, 11, 2));

TEST_CASE("cast: a type that is no dtype, or not known, is refused with the rule and both values") {
  for (const refused_row& row : refused) {
    CAPTURE(row.what);
    CHECK(refused_as_stated(row));
  }
  CHECK(breaks(infer<ops::cast>({}, {x}), missing_rule, 1, 2));
  CHECK(breaks(infer<ops::cast>({}, {x, computed({i64, {}})}), constant_rule, 0, 1));
  CHECK(breaks(infer<ops::cast>({}, {x, weight(f32_of({}))}), type_rule, 11, 2));
}

TEST_CASE("cast: the output has the input's shape and format, and the dtype of the number") {
  static constexpr tensor_desc descs[] = {{f32, nchw, {2, 3, 5, 7}}, {boolean, {}}, {i8, {-1, 4}}, {f64, {0, 2}}};
  for (const tensor_desc& from : descs)
    for (int number = 1; number < dtype_count; ++number) {
      const list type{number};
      const verdict v = infer<ops::cast>({}, {computed(from), integer(type)});
      REQUIRE(v);
      CHECK(v.output(0) == tensor_desc{static_cast<dtype>(number), from.layout, from.shape});
    }
  CHECK(infer<ops::cast>({}, {x, integers(to_f16)}).output(0).type == f16);
  const tensor_desc scaled{i8, nd, {3}, quant{.scale = 0.5F, .zero_point = 3}};
  CHECK(breaks(infer<ops::cast>({}, {computed(scaled), integer(to_f16)}),
               signature_rule::quantised_operands_must_be_accepted_by_the_operator, 1, 0));
}

/// Whether the reference makes these of those.
template <class To, class From, std::size_t N> constexpr bool makes(const From (&from)[N], const To (&expected)[N]) {
  const tensor_desc in{dtype_for<From>(), {N}}, out{dtype_for<To>(), {N}}, number{i64, {}};
  From x[N] = {};
  To y[N] = {};
  for (std::size_t i = 0; i < N; ++i) x[i] = from[i];
  std::int64_t type = static_cast<int>(out.type);
  const view operands[] = {{&in, x}, {&number, &type}}, results[] = {{&out, y}};
  ops::cast::reference<From>({}, operands, results);
  for (std::size_t i = 0; i < N; ++i)
    if (y[i] != expected[i]) return false;
  return true;
}

static_assert(makes<std::int32_t, float>({1.9F, -1.9F, 0.5F, 3e9F, -3e9F}, {1, -1, 0, 2147483647, -2147483647 - 1}));
static_assert(makes<bool, float>({0.0F, -0.0F, 0.25F, -3.0F}, {false, false, true, true}));

TEST_CASE("cast: floats are truncated toward zero and saturate, NaN becomes 0") {
  constexpr float infinity = math::infinity<float>, nan = math::nan<float>;
  CHECK(makes<std::int8_t, float>({127.9F, 128.0F, -128.9F, -200.0F, nan}, {127, 127, -128, -128, 0}));
  CHECK(makes<std::uint8_t, double>({-0.9, -1.0, 255.5, 256.0, 1e300}, {0, 0, 255, 255, 255}));
  CHECK(makes<std::int64_t, float>({infinity, -infinity, nan}, {std::numeric_limits<std::int64_t>::max(),
                                                                std::numeric_limits<std::int64_t>::min(), 0}));
  CHECK(makes<std::int16_t, float16>({float16(-2.75F), float16(100.5F)}, {-2, 100}));
  CHECK(makes<bool, float>({nan}, {true}));
}

TEST_CASE("cast: integers keep their low bits, and become the nearest float") {
  CHECK(makes<std::int8_t, std::int32_t>({300, -129, 5}, {44, 127, 5}));
  CHECK(makes<std::uint64_t, std::int8_t>({-1}, {~std::uint64_t{0}}));
  CHECK(makes<std::int64_t, std::uint32_t>({4294967295U}, {4294967295}));
  CHECK(makes<float, std::int32_t>({16777217, -5}, {16777216.0F, -5.0F}));
  CHECK(makes<float16, std::uint16_t>({3, 65535}, {float16(3.0F), math::infinity<float16>}));
  CHECK(makes<bool, std::int64_t>({0, std::int64_t{1} << 40}, {false, true}));
}

TEST_CASE("cast: booleans become 0 and 1, floats are rounded once") {
  CHECK(makes<std::int32_t, bool>({false, true}, {0, 1}));
  CHECK(makes<float, bool>({false, true}, {0.0F, 1.0F}));
  CHECK(makes<float16, float>({0.1F, 1e6F}, {float16(0.1F), math::infinity<float16>}));
  CHECK(makes<float, double>({0.1}, {0.1F}));
  CHECK(makes<double, float>({0.1F}, {0.10000000149011612}));
  CHECK(makes<float, float>({0.1F}, {0.1F}));
}

constexpr auto network = [](builder& b) {
  auto image = b.input<u8, shape<1, 4, 4, 3>>("image");
  b.output("y", cast<nnrt::f16>(cast<nnrt::f32>(image)));
};

TEST_CASE("cast: the DSL's type becomes a constant in the slot of its name") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 2);
  const std::int32_t type = g.inputs_of(g.nodes[0])[1];
  CHECK(g.at(type).is == ir::kind::constant);
  CHECK(g.element<std::int64_t>(g.at(type), 0) == static_cast<int>(f32));
  CHECK(g.at(g.outputs_of(g.nodes[0])[0]).desc == f32_of({1, 4, 4, 3}));
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f16, {1, 4, 4, 3}});
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 2);

}  // namespace
