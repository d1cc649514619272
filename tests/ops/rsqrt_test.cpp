// rsqrt_test: the signature, the arithmetic and the DSL form of rsqrt.
#include <nnrt/ops/rsqrt.hpp>

#include <doctest/doctest.h>
#include <nnrt/ir/apply.hpp>
#include <nnrt/kernels/fast.hpp>

#include "support/unary.hpp"

namespace {

using namespace nnrt_test;

static_assert(rule_names<ops::rsqrt::rule>().empty());
static_assert(refuses_other_operands<ops::rsqrt>());

TEST_CASE("rsqrt: only the signature refuses, and the output is like the input") {
  CHECK(refuses_other_operands<ops::rsqrt>());
  for (const tensor_desc& x : descs_of_floats) CHECK(gives_back<ops::rsqrt>(x));
}

// Golden numbers by Python: float(1 / Decimal(x).sqrt()) with 40 digits
constexpr golden table[] = {
    {0.0625, 4.0},
    {0.25, 2.0},
    {0.5, 1.4142135623730951},
    {1.0, 1.0},
    {2.0, 0.7071067811865476},
    {3.0, 0.5773502691896257},
    {6.5, 0.3922322702763681},
    {10.0, 0.31622776601683794},
    {1024.0, 0.03125},
};

TEST_CASE("rsqrt: every dtype gives the golden numbers") {
  CHECK(largest_error<ops::rsqrt, double>(table) <= 1.01);
  CHECK(largest_error<ops::rsqrt, float>(table) <= 0.51);
  CHECK(largest_error<ops::rsqrt, float16>(table) <= 0.51);
  const filled<float> none = run<ops::rsqrt, float>({}, {0, 3}, filled<float>({0, 3}));
  CHECK(none.elements.empty());
}

static_assert(at<ops::rsqrt>(0.25F) == 2.0F);
static_assert(at<ops::rsqrt>(0) == math::infinity<float>);

TEST_CASE("rsqrt: an infinity of its sign at zero, NaN below, zero at infinity") {
  CHECK(at<ops::rsqrt>(-0.0F) == -math::infinity<float>);
  CHECK(math::is_nan(at<ops::rsqrt>(-1e-30F)));
  CHECK(math::is_nan(at<ops::rsqrt>(-math::infinity<float>)));
  CHECK(math::is_nan(at<ops::rsqrt>(math::nan<float>)));
  CHECK(at<ops::rsqrt>(math::infinity<float>) == 0);
  CHECK(at<ops::rsqrt>(0x1p-148F) == 0x1p74F);  // of a subnormal number
  CHECK(at<ops::rsqrt>(0x1p126F) == 0x1p-63F);
  const filled<float16> tiny = run<ops::rsqrt, float16>({}, {1}, filled<float16>({1}, {float16(0x1p-24F)}));
  CHECK(tiny.elements[0] == float16(4096.0F));
}

constexpr auto network = [](builder& b) {
  auto x = b.input<f32, shape<2, 3>>("x");
  b.output("y", rsqrt(x));
};

TEST_CASE("rsqrt: called it is a node") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{44});
  CHECK(g.at(g.outputs[0].value).desc == f32_of({2, 3}));
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
