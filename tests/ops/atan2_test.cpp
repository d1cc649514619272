// atan2_test: rules, broadcasting, angles and the DSL function of atan2.
#include <nnrt/ops/atan2.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#include "support/booleans.hpp"

namespace {

using namespace nnrt_test;
using op = ops::atan2;
using rule = op::rule;

static_assert(all_refused_as_stated<op>(signature_of_pairs));
static_assert(breaks(infer<op>({}, {computed(f32_of({2})), computed(f32_of({3}))}), rule::extents_must_be_equal_or_1, 3,
                     2));

TEST_CASE("atan2: what does not fit together is refused with the rule and both values") {
  for (const auto& row : signature_of_pairs) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
  CHECK(
      breaks(infer<op>({}, {computed(f32_of({2, 3})), computed(f32_of({2}))}), rule::extents_must_be_equal_or_1, 2, 3));
  constexpr auto refused_type = signature_rule::operand_type_must_be_accepted_by_the_operator;
  CHECK(breaks(infer<op>({}, {computed({i32, {2}}), computed(f32_of({2}))}), refused_type, int(i32), int(f16)));
}

TEST_CASE("atan2: shapes broadcast as NumPy's do, in either order, and the dtype is the one of higher precision") {
  for (const pair_of_shapes& row : broadcasting_shapes) CHECK(broadcasts_as_stated<op>(row));
  for (const pair_of_shapes& row : unknown_extents) CHECK(broadcasts_as_stated<op>(row));
  CHECK(infer<op>({}, {computed({f16, {2}}), computed(f32_of({2}))}).output(0).type == f32);
  CHECK(infer<op>({}, {computed({f64, {2}}), computed({f16, {2}})}).output(0).type == f64);
}

// mpmath 1.3, rounded once: atan2 of each pair.
static_assert(gives<op, double>({1, 1, -1, -1, 3, 0.5}, {2, -2, -2, 2, 0, -8},
                                {0.4636476090008061, 2.677945044588987, -2.677945044588987, -0.4636476090008061,
                                 1.5707963267948966, 3.079173843593836}));

TEST_CASE("atan2: every dtype gives the angle rounded once, with the sign of y") {
  CHECK(gives<op, float>({1, -1, 3}, {2, -2, 0}, {0.46364760F, -2.6779451F, 1.5707964F}));
  CHECK(gives<op, float16>({float16(1.0F), float16(-1.0F)}, {float16(2.0F), float16(-2.0F)},
                           {float16(0.46364760F), float16(-2.6779451F)}));
  const filled<float> y =
      run<op, float>({}, {2, 3}, filled<float>({2, 1}, {0, -0.0F}), filled<float>({3}, {1, -1, -0.0F}));
  CHECK(y.elements == std::vector<float>{0, 3.1415927F, 3.1415927F, -0.0F, -3.1415927F, -3.1415927F});
  CHECK(std::bit_cast<std::uint32_t>(y.elements[3]) == 0x80000000U);
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  b.output("of two tensors", atan2(x, b.weight<f32, shape<3>>("w")));
  b.output("scalar right", atan2(x, 2));
  b.output("scalar left", atan2(0.5, x));
};

TEST_CASE("atan2: the DSL records a node, and scalars as constants of the tensor's dtype") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 3);
  CHECK(g.nodes[0].op->code == op_code{1020});
  CHECK(g.at(g.outputs_of(g.nodes[0])[0]).desc == f32_of({2, 3}));
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[1])[1]), 0) == 2.0F);
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[2])[0]), 0) == 0.5F);
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 3);

}  // namespace
