// range_test: rules, shapes, elements and the DSL function of range.
#include <nnrt/ops/range.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::range;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs steps(std::int64_t start, std::int64_t limit, std::int64_t delta) {
  attrs a;
  a.start = start;
  a.limit = limit;
  a.delta = delta;
  return a;
}
constexpr operand of_i64 = computed({i64, {}});

/// The numbers, as many as the rules say.
template <class T> constexpr std::vector<T> listed(const attrs& a) {
  return run<op, T>(a, infer<op>(a, {computed({dtype_for<T>(), {2, 3}})}).output(0).shape, filled<T>({2, 3})).elements;
}
static_assert(listed<std::int32_t>(steps(1, 10, 3)) == std::vector<std::int32_t>{1, 4, 7});

// Python: list(range(start, limit, delta))
TEST_CASE("range: the numbers are Python's, in the dtype of the input") {
  CHECK(listed<std::int64_t>(steps(1, 11, 3)) == std::vector<std::int64_t>{1, 4, 7, 10});
  CHECK(listed<float>(steps(5, -3, -2)) == std::vector<float>{5, 3, 1, -1});
  CHECK(listed<float16>(steps(0, 2, 1)) == std::vector<float16>{float16(0.0F), float16(1.0F)});
  CHECK(listed<double>(steps(0, -1, 1)).empty());
  CHECK(listed<double>(steps(0, 1, -1)).empty());
  CHECK(listed<double>({}).empty());
  CHECK(listed<std::uint8_t>(steps(254, 257, 1)) == std::vector<std::uint8_t>{254, 255, 0});
}

TEST_CASE("range: the ends of what integers can say do no harm") {
  constexpr std::int64_t least = INT64_MIN, most = INT64_MAX;
  CHECK(listed<std::int64_t>(steps(least, most, most)) == std::vector<std::int64_t>{least, -1, most - 1});
  CHECK(listed<std::int64_t>(steps(most, least, least)) == std::vector<std::int64_t>{most, -1});
  CHECK(listed<std::int64_t>(steps(most - 1, most, most)) == std::vector<std::int64_t>{most - 1});
}

TEST_CASE("range: keywords become attributes") {
  builder b;
  nnrt::range(b.input<f32, shape<1>>("x"), start<-1>, limit<7>, delta<2>);
  const auto a = unpack<attrs>(b.graph().attrs_of(b.graph().nodes[0]));
  CHECK((a.start == -1 && a.limit == 7 && a.delta == 2));
}

TEST_CASE("range: each broken rule is named with both values, and so are those of the signature") {
  NNRT_CHECK_REFUSED(op, {"no step", steps(0, 10, 0), {of_i64}, {}, rule::delta_must_not_be_zero, 0, 1});
  CHECK(breaks(infer<op>(steps(INT64_MIN, INT64_MAX, 1), {of_i64}),
               signature_rule::tensor_must_not_exceed_the_size_limit, max_elements + 1, max_elements));
  CHECK(breaks(infer<op>({}, {computed({boolean, {}})}), signature_rule::operand_type_must_be_accepted_by_the_operator,
               int(boolean), int(i8)));
  CHECK(breaks(infer<op>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
}

constexpr auto network = [](builder& b) {
  auto y = range(b.input<f32, shape<1>>("x"), start<1>, limit<10>, delta<3>);
  static_assert(y.desc == f32_of({3}));
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{66};
}());

}  // namespace
