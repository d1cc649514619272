// verdict_test: a verdict is one broken rule with two values in their unit, or the outputs.
#include <nnrt/core/verdict.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt;

enum class rule { first, second };

struct row {
  const char* what;
  verdict v;
  bool holds;
  int broken;
  unit counted;
  std::int64_t actual, expected;
};
const row table[] = {
    {"equal numbers", require(rule::second, 3, 3), true, -1, unit::number, 0, 0},
    {"other numbers", require(rule::second, 3, 4), false, 1, unit::number, 3, 4},
    {"equal dtypes", require(rule::first, f32, f32), true, -1, unit::number, 0, 0},
    {"other dtypes", require(rule::first, f32, i8), false, 0, unit::type, 11, 2},
    {"other formats", require(rule::second, nchw, nhwc), false, 1, unit::layout, 1, 2},
    {"at least, exactly", require_at_least(rule::first, 2, 2), true, -1, unit::number, 0, 0},
    {"below the least", require_at_least(rule::first, 1, 2), false, 0, unit::number, 1, 2},
    {"at most, exactly", require_at_most(rule::first, 2, 2), true, -1, unit::number, 0, 0},
    {"above the most", require_at_most(rule::first, 3, 2), false, 0, unit::number, 3, 2},
    {"between", require_between(rule::first, 5, 5, 5), true, -1, unit::number, 0, 0},
    {"below the bounds", require_between(rule::second, 4, 5, 9), false, 1, unit::number, 4, 5},
    {"above the bounds", require_between(rule::second, 10, 5, 9), false, 1, unit::number, 10, 9},
    {"equal extents", require_same_extent(rule::first, 7, 7), true, -1, unit::number, 0, 0},
    {"an unknown extent", require_same_extent(rule::first, -1, 7), true, -1, unit::number, 0, 0},
    {"an unknown expectation", require_same_extent(rule::first, 7, -1), true, -1, unit::number, 0, 0},
    {"other extents", require_same_extent(rule::first, 7, 8), false, 0, unit::number, 7, 8},
    {"refused", refuse(rule::second, 0, 0), false, 1, unit::number, 0, 0},
};

TEST_CASE("verdict: it is true exactly when nothing is broken, else it has the rule and both values") {
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(bool(r.v) == r.holds);
    CHECK(r.v.rule == r.broken);
    CHECK(r.v.counted == r.counted);
    CHECK(r.v.actual == r.actual);
    CHECK(r.v.expected == r.expected);
    CHECK(!r.v.by_signature);
  }
  CHECK(refuse(signature_rule::output_count_must_match, 1, 2).by_signature);
}

constexpr bool yields_descs() {
  const verdict v = ok(tensor_desc{f32, {2}}, tensor_desc{i8, {3, 4}});
  return v && v.outputs.size() == 2 && v.output(1) == tensor_desc{i8, {3, 4}};
}
static_assert(yields_descs() && ok());

TEST_CASE("verdict: outputs stand in order") { CHECK(yields_descs()); }

TEST_CASE("verdict: an operand's values are known when there is one for each element of a constant") {
  const std::int64_t two[] = {1, 2};
  CHECK(operand{{i64, {2}}, two, true}.has_values());
  CHECK(!operand{{i64, {2}}, two, false}.has_values());
  CHECK(!operand{{i64, {3}}, two, true}.has_values());
  CHECK(operand{{i64, {0}}, {}, true}.has_values());
  CHECK(!operand{});
  CHECK(bool(operand{{i64, {2}}, {}, false}));
}

}  // namespace
