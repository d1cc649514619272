// operator_test: what follows from an operator's table of operands, and its erased form.
#include <nnrt/core/operator.hpp>

#include <doctest/doctest.h>

#include "support/operators.hpp"

namespace {

using namespace nnrt_test;

/// Two required operands, the second a constant, and an optional one; the output is like the first.
struct example {
  static constexpr op_code code{4711};
  static constexpr std::string_view name = "example";
  static constexpr operand_spec inputs[] = {
      {"x", types::real}, {"table", types::index, presence::required, true}, {"bias", types::real, presence::optional}};
  static constexpr operand_spec outputs[] = {{"y", types::real}};
  static constexpr operator_traits traits{};
  static constexpr auto macs = no_macs;
  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, limit), (activation, fused));
    constexpr attrs() : limit(3), fused(activation::none) {}
  };
  enum class rule { rank_must_be_at_most_the_limit, second_rule };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    if (auto v = require_at_most(rule::rank_must_be_at_most_the_limit, in[0].desc.rank(), a.limit); !v) return v;
    return ok(in[0].desc);
  }
  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    for (std::int64_t i = 0; i < in[0].elements(); ++i)
      out[0].as<T>()[i] = static_cast<T>(in[0].as<const T>()[i] + static_cast<T>(a.limit));
  }
};
/// Any number of operands.
struct joined_up : example {
  static constexpr operand_spec inputs[] = {{"x", types::any, presence::variadic}};
};

constexpr tensor_desc x{f32, {2, 3}};
constexpr operand table = weight({i64, {4}});

struct row {
  const char* what;
  std::vector<operand> in;
  std::vector<tensor_desc> wanted;
  signature_rule broken;
  std::int64_t actual, expected;
};
const row refused[] = {
    {"nothing at all", {}, {}, signature_rule::required_operand_must_be_given, 0, 2},
    {"the second is not given", {computed(x)}, {}, signature_rule::required_operand_must_be_given, 1, 2},
    {"the first is missing", {missing(), table}, {}, signature_rule::required_operand_must_be_given, 0, 1},
    {"one too many",
     {computed(x), table, computed(x), computed(x)},
     {},
     signature_rule::operands_must_not_exceed_the_signature,
     4,
     3},
    {"a dtype that is not taken",
     {computed({i8, {2}}), table},
     {},
     signature_rule::operand_type_must_be_accepted_by_the_operator,
     2,
     10},
    {"the table is computed",
     {computed(x), computed({i64, {4}})},
     {},
     signature_rule::operand_must_be_a_constant,
     0,
     1},
    {"an extent below -1", {computed({f32, {2, -2}}), table}, {}, signature_rule::extents_must_not_be_negative, -2, -1},
    {"an extent beyond the limit",
     {computed({f32, {0, max_elements + 1}}), table},
     {},
     signature_rule::tensor_must_not_exceed_the_size_limit,
     max_elements + 1,
     max_elements},
    {"a product beyond the limit",
     {computed({f32, {max_elements, 2}}), table},
     {},
     signature_rule::tensor_must_not_exceed_the_size_limit,
     max_elements + 1,
     max_elements},
    {"another declared dtype",
     {computed(x), table},
     {{f16, {2, 3}}},
     signature_rule::declared_output_type_must_match,
     11,
     10},
    {"another declared rank",
     {computed(x), table},
     {{f32, {6}}},
     signature_rule::declared_output_rank_must_match,
     2,
     1},
    {"another declared extent",
     {computed(x), table},
     {{f32, {2, 4}}},
     signature_rule::declared_output_extent_must_match,
     3,
     4},
    {"a declared extent, of one that is unknown, below -1",
     {computed({f32, {-1, 3}}), table},
     {{f32, {-7, 3}}},
     signature_rule::extents_must_not_be_negative,
     -7,
     -1},
    {"declared extents beyond the limit",
     {computed({f32, {-1, 3}}), table},
     {{f32, {max_elements, 3}}},
     signature_rule::tensor_must_not_exceed_the_size_limit,
     max_elements + 1,
     max_elements},
    {"a declared shape without a dtype",
     {computed(x), table},
     {{dtype::none, {2, 4}}},
     signature_rule::declared_output_extent_must_match,
     3,
     4},
};

verdict infer_of(const std::vector<operand>& in, const std::vector<tensor_desc>& wanted) {
  return infer_node<example>({}, in, wanted);
}

TEST_CASE("operator: the signature's rules are checked before the operator's own") {
  for (const row& r : refused) {
    CAPTURE(r.what);
    const verdict v = infer_of(r.in, r.wanted);
    CHECK(breaks(v, r.broken, r.actual, r.expected));
    CHECK(v.op == example::code);
  }
  const verdict own = infer_of({computed({f32, {1, 1, 1, 1}}), table}, {});
  CHECK(breaks(own, example::rule::rank_must_be_at_most_the_limit, 4, 3));
}

TEST_CASE("operator: what is in order is accepted, optional operands given or not") {
  CHECK(infer_of({computed(x), table}, {}));
  CHECK(infer_of({computed(x), table, missing()}, {}));
  CHECK(infer_of({computed(x), table, computed(x)}, {}));
  CHECK(infer_of({computed(x), table}, {x}));
  CHECK(infer_of({computed(x), table}, {{f32, {-1, 3}}}));
  CHECK(infer_of({computed(x), table}, {{dtype::none, {2, 3}}}));
}

TEST_CASE("operator: declared extents complete unknown ones") {
  const verdict v = infer_of({computed({f32, {-1, 3}}), table}, {{f32, {7, -1}}});
  REQUIRE(v);
  CHECK(v.output(0).shape == shape_t{7, 3});
}

TEST_CASE("operator: a scalar may be declared as one element of rank 1, and stays a scalar") {
  const auto declared_as = [](shape_t shape) { return infer_of({computed({f32, {}}), table}, {{f32, shape}}); };
  const verdict v = declared_as({1});
  REQUIRE(v);
  CHECK(v.output(0).rank() == 0);
  CHECK(breaks(declared_as({2}), signature_rule::declared_output_rank_must_match, 0, 1));
  CHECK(breaks(declared_as({1, 1}), signature_rule::declared_output_rank_must_match, 0, 2));
}

TEST_CASE("operator: a variadic operand stands for any number of them, at least one") {
  const auto infers = [](std::vector<operand> in) { return infer_node<joined_up>({}, in, {}); };
  CHECK(infers({computed(x)}));
  CHECK(infers({computed(x), computed(x), computed(x)}));
  CHECK(breaks(infers({}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infers({computed(x), missing()}), signature_rule::required_operand_must_be_given, 1, 2));
}

TEST_CASE("operator: erased, it infers from words, and computes for the dtype of its first operand") {
  constexpr const operator_info& info = dynamic_operator<example>;
  CHECK(info.code == op_code{4711});
  CHECK(info.name == "example");
  CHECK(info.inputs.size() == 3);
  CHECK(info.fused_word == 1);
  CHECK(info.rules.size() == 2);
  CHECK(static_operator<example, f32>.rules.size() == 2);
  constexpr std::array<word, 2> words{1, 0};
  constexpr std::array<word, 1> cut{1};
  const std::array<operand, 2> in{computed(x), table};
  CHECK(breaks(info.infer(words, in, {}), example::rule::rank_must_be_at_most_the_limit, 2, 1));
  CHECK(breaks(info.infer(cut, in, {}), signature_rule::attributes_must_be_well_formed, 0, 1));
  filled<float> y({2});
  filled<float> values({2}, {0.5F, 1});
  const std::array<view, 1> given{values.as_view()}, outputs{y.as_view()};
  info.reference(words, given, outputs);
  CHECK(y.elements == std::vector<float>{1.5F, 2});
  CHECK(!info.select({words, in, {&x, 1}}));
}

}  // namespace
