// rank_test: the signature, the number and the DSL function of rank, and that passes evaluate it.
#include <nnrt/ops/rank.hpp>

#include <support/graphs.hpp>
#include <support/operators.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/relu.hpp>
#include <nnrt/passes/optimise.hpp>

using namespace nnrt_test;

namespace {
using op = ops::rank;
constexpr operand x = computed(f32_of({4}));
}  // namespace

TEST_CASE("rank: the signature asks for one tensor, and gives an i32 without a scale") {
  CHECK(breaks(infer<op>({}, {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<op>({}, {x, x}), signature_rule::operands_must_not_exceed_the_signature, 2, 1));
  CHECK(breaks(infer<op>({}, {x}, {tensor_desc{i64, {1}}}), signature_rule::declared_output_type_must_match, int(i32),
               int(i64)));
}

TEST_CASE("rank: the output is a scalar, whatever the input is") {
  for (const tensor_desc& of :
       {tensor_desc{f32, {}}, tensor_desc{boolean, {1, 2, 1, 2, 1, 2, 1, 2}}, tensor_desc{u64, {0, 3}},
        tensor_desc{f64, {-1, 3, -1}}, tensor_desc{i8, nd, {2, 3}, per_channel<1>}})
    CHECK(infer<op>({}, {computed(of)}).output(0) == tensor_desc{i32, {}});
}

static_assert(run<op, float, std::int32_t>({}, {}, filled<float>({2, 1, 3})).elements == std::vector<std::int32_t>{3});

TEST_CASE("rank: it counts axes, for every dtype") {
  CHECK(run<op, double, std::int32_t>({}, {}, filled<double>(shape_t{})).elements[0] == 0);
  CHECK(run<op, std::int8_t, std::int32_t>({}, {}, filled<std::int8_t>(shape_t{0})).elements[0] == 1);
  CHECK(run<op, std::uint16_t, std::int32_t>({}, {}, filled<std::uint16_t>({1, 1, 1, 1, 1, 1, 1, 2})).elements[0] == 8);
}

TEST_CASE("rank: passes evaluate it, and drop what only it has read") {
  ir::graph g = written([](builder& b) {
    auto x = b.input<f32, shape<3, 5>>("x");
    b.output("rank", rank(relu(x)));
    b.output("y", x);
  });
  REQUIRE(g.nodes.size() == 2);
  CHECK(g.nodes[1].op->code == op_code{98});
  passes::optimise(g);
  CHECK(g.nodes.empty());
  const std::int32_t number = g.outputs[0].value;
  REQUIRE(g.at(number).is == ir::kind::constant);
  CHECK(g.element<std::int32_t>(g.at(number), 0) == 2);
}
