// shape_of_test: the rule, shapes and elements of shape_of, and that passes evaluate it.
#include <nnrt/ops/shape_of.hpp>

#include <support/constants.hpp>
#include <support/graphs.hpp>
#include <support/refused.hpp>

#include <nnrt/ops/relu.hpp>
#include <nnrt/passes/optimise.hpp>

using namespace nnrt_test;
using rule = ops::shape_of::rule;

namespace {

constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;

}  // namespace

TEST_CASE("shape_of: each broken rule is named with both values") {
  NNRT_CHECK_REFUSED(ops::shape_of, {"more than an i32 can say",
                                     {},
                                     {computed({i8, {2, most + 1}})},
                                     {},
                                     rule::extent_must_fit_into_32_bits,
                                     most + 1,
                                     most});
  NNRT_CHECK_REFUSED(ops::shape_of, {"far more, with nothing",
                                     {},
                                     {computed({f32, {max_elements, 0}})},
                                     {},
                                     rule::extent_must_fit_into_32_bits,
                                     max_elements,
                                     most});
}

TEST_CASE("shape_of: the signature asks for one tensor, and gives i32 without a scale") {
  const operand x = computed(f32_of({4}));
  CHECK(breaks(infer<ops::shape_of>({}, {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<ops::shape_of>({}, {x, x}), signature_rule::operands_must_not_exceed_the_signature, 2, 1));
  CHECK(breaks(infer<ops::shape_of>({}, {x}, {tensor_desc{i64, {1}}}), signature_rule::declared_output_type_must_match,
               static_cast<int>(i32), static_cast<int>(i64)));
}

TEST_CASE("shape_of: the output has one number for each axis, whatever the input is") {
  struct row {
    const char* what;
    tensor_desc x;
    shape_t y;
  };
  static constexpr row table[] = {
      {"a scalar", {f32, {}}, {0}},
      {"a batch of 3", {f16, {3, 5, 7, 1}}, {4}},
      {"rank 8", {boolean, {1, 2, 1, 2, 1, 2, 1, 2}}, {8}},
      {"no elements", {u64, {0, 3}}, {2}},
      {"as many as an i32 can say", {i8, {most}}, {1}},
      {"unknown extents", {f64, {-1, 3, -1}}, {3}},
      {"a scale", {i32, nd, {2, 3}, quant{0.5F, 1}}, {2}},
      {"a scale for each channel", {i8, nd, {2, 3}, per_channel<1>}, {2}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict got = infer<ops::shape_of>({}, {computed(r.x)});
    REQUIRE(got);
    CHECK(got.output(0) == tensor_desc{i32, r.y});
  }
}

static_assert(run<ops::shape_of, float, std::int32_t>({}, {3}, filled<float>({2, 1, 3})).elements ==
              std::vector<std::int32_t>{2, 1, 3});
static_assert(run<ops::shape_of, std::uint16_t, std::int32_t>({}, {2}, filled<std::uint16_t>({5, 0})).elements ==
              std::vector<std::int32_t>{5, 0});

TEST_CASE("shape_of: the numbers are the extents, for every dtype") {
  CHECK(run<ops::shape_of, std::int8_t, std::int32_t>({}, {4}, filled<std::int8_t>({2, 1, 3, 7})).elements ==
        std::vector<std::int32_t>{2, 1, 3, 7});
  CHECK(run<ops::shape_of, double, std::int32_t>({}, {0}, filled<double>({})).elements.empty());
}

TEST_CASE("shape_of: passes evaluate it, and drop what only it has read") {
  ir::graph g = written([](builder& b) {
    auto x = b.input<f32, shape<3, 5>>("x");
    b.output("shape", shape_of(relu(x)));
    b.output("y", x);
  });
  REQUIRE(g.nodes.size() == 2);
  passes::optimise(g);
  CHECK(g.nodes.empty());
  const std::int32_t shape = g.outputs[0].value;
  REQUIRE(g.at(shape).is == ir::kind::constant);
  CHECK(g.element<std::int32_t>(g.at(shape), 0) == 3);
  CHECK(g.element<std::int32_t>(g.at(shape), 1) == 5);
}
