// diagnose_test: verdicts in words - the operator, the node, the rule, and both values in their unit.
#include <nnrt/ir/diagnose.hpp>

#include <doctest/doctest.h>
#include <nnrt/kernels/select.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/of.hpp>
#include <nnrt/ops/relu.hpp>

#include "support/operators.hpp"

namespace {

using namespace nnrt_test;
using rule = ops::conv2d::rule;

struct row {
  const char* what;
  verdict v;
  const char* name;
  const char* text;
};
const row table[] = {
    {"numbers", refuse(rule::input_channels_must_equal_weight_channels_times_group, 3, 4), "stem",
     "conv2d \"stem\": input channels must equal weight channels times group (got 3, expected 4)"},
    {"a node without a name", refuse(rule::input_channels_must_equal_weight_channels_times_group, 3, 4), "",
     "conv2d: input channels must equal weight channels times group (got 3, expected 4)"},
    {"a node whose name would play with a terminal",
     refuse(rule::input_channels_must_equal_weight_channels_times_group, 3, 4), "a\x1b\"b",
     "conv2d \"a\\u001b\\\"b\": input channels must equal weight channels times group (got 3, expected 4)"},
    {"dtypes", require(signature_rule::operand_type_must_be_accepted_by_the_operator, boolean, f16), "stem",
     "conv2d \"stem\": operand type must be accepted by the operator (got boolean, expected one of i8, i16, i32, i64, "
     "u8, f16, f32, f64)"},
    {"formats", require(rule::input_must_be_nhwc, nchw, nhwc), "stem",
     "conv2d \"stem\": input must be nhwc (got nchw, expected nhwc)"},
    {"a rule of every operator", require_at_least(signature_rule::required_operand_must_be_given, 1, 2), "stem",
     "conv2d \"stem\": required operand must be given (got 1, expected 2)"},
    {"negative and large numbers", refuse(rule::group_must_be_positive, -5, std::int64_t{1} << 40), "stem",
     "conv2d \"stem\": group must be positive (got -5, expected 1099511627776)"},
    {"a number that is no dtype", refuse(static_cast<rule>(9999), 1, 2), "stem",
     "conv2d \"stem\": rule 9999 is broken (got 1, expected 2)"},
};

TEST_CASE("diagnose: one line says what is broken, where, and both values") {
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(to_string(r.v, ops::of<ops::conv2d>(), r.name) == r.text);
  }
}

TEST_CASE("diagnose: values that their unit does not know are numbers") {
  CHECK(nnrt::detail::value_text(unit::type, 11) == "f32");
  CHECK(nnrt::detail::value_text(unit::type, 13) == "13");
  CHECK(nnrt::detail::value_text(unit::type, -1) == "-1");
  CHECK(nnrt::detail::value_text(unit::layout, 3) == "nd");
  CHECK(nnrt::detail::value_text(unit::layout, 4) == "4");
}

}  // namespace
