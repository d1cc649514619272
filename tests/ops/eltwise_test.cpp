// eltwise_test: rules, modes, broadcasting and the DSL function of eltwise.
#include <nnrt/ops/eltwise.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/mul.hpp>
#include <support/refused.hpp>

#include "support/binary.hpp"
#include "support/quantised.hpp"

namespace {

using namespace nnrt_test;
using op = ops::eltwise;
using rule = op::rule;

constexpr op::attrs in_mode(eltwise_mode mode) {
  op::attrs a;
  a.mode = mode;
  return a;
}
constexpr auto product = in_mode(eltwise_mode::product), sum = in_mode(eltwise_mode::sum),
               larger = in_mode(eltwise_mode::maximum);
constexpr operand x = computed(f32_of({2, 3}));

static_assert(all_refused_as_stated<op>(signature_of_pairs));

TEST_CASE("eltwise: each rule is broken with its two values") {
  constexpr auto unknown = static_cast<eltwise_mode>(3), negative = static_cast<eltwise_mode>(-1);
  NNRT_CHECK_REFUSED(op,
                     {"mode unknown", in_mode(unknown), {x, x}, {}, rule::mode_must_be_product_sum_or_maximum, 3, 2});
  NNRT_CHECK_REFUSED(
      op, {"negative mode", in_mode(negative), {x, x}, {}, rule::mode_must_be_product_sum_or_maximum, -1, 0});
  NNRT_CHECK_REFUSED(op,
                     {"two dtypes", sum, {x, computed({f16, {3}})}, {}, rule::types_must_be_equal, int(f16), int(f32)});
  NNRT_CHECK_REFUSED(op,
                     {"extents", larger, {x, computed(f32_of({2, 4}))}, {}, rule::extents_must_be_equal_or_1, 4, 3});
  CHECK(breaks(infer<op>({}, {computed({boolean, {2}}), x}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(boolean), int(i8)));
  for (const auto& row : signature_of_pairs) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
}

TEST_CASE("eltwise: the mode is the product unless given, and words that are no mode are refused") {
  CHECK(op::attrs{}.mode == eltwise_mode::product);
  const word three[] = {3}, truncated[] = {word{1} << 32U};
  CHECK(well_formed<op::attrs>(three));  // of it the rule speaks
  CHECK_FALSE(well_formed<op::attrs>(truncated));
}

TEST_CASE("eltwise: shapes broadcast as NumPy's do, in either order and in every mode") {
  const auto check = [](const pair_of_shapes& row) {
    CAPTURE(row.what);
    for (const op::attrs& mode : {product, sum, larger}) {
      CHECK(shape_of(infer<op>(mode, {computed(f32_of(row.a)), computed(f32_of(row.b))})) == row.y);
      CHECK(shape_of(infer<op>(mode, {computed(f32_of(row.b)), computed(f32_of(row.a))})) == row.y);
    }
  };
  for (const pair_of_shapes& row : broadcasting_shapes) check(row);
  for (const pair_of_shapes& row : unknown_extents) check(row);
  CHECK(infer<op>({}, {computed({i16, nchw, {1, 3, 4, 4}}), computed({i16, {}})}).output(0) ==
        tensor_desc{i16, nchw, {1, 3, 4, 4}});
}

static_assert(gives<op, float>({1, -2, 0.5F}, {2, 3, 4}, {2, -6, 2}, product));
static_assert(gives<op, float>({1, -2, 0.5F}, {2, 3, 4}, {3, 1, 4.5F}, sum));
static_assert(gives<op, float>({1, -2, 5}, {2, -3, 4}, {2, -2, 5}, larger));

TEST_CASE("eltwise: every mode in every kind of number") {
  CHECK(gives<op, float16>({float16(1.5F)}, {float16(-2.0F)}, {float16(-3.0F)}, product));
  CHECK(gives<op, double>({0.1}, {0.2}, {0.30000000000000004}, sum));
  CHECK(gives<op, std::int8_t>({64, 127}, {2, 1}, {-128, 127}, product));
  CHECK(gives<op, std::int8_t>({64, 127}, {2, 1}, {66, -128}, sum));
  CHECK(gives<op, std::uint8_t>({200, 3}, {100, 4}, {200, 4}, larger));
  CHECK(gives<op, std::int64_t>({-1}, {-2}, {-1}, larger));
}

TEST_CASE("eltwise: the maximum is NaN where either one is") {
  const filled<float> a({2}, {math::nan<float>, 1}), b({2}, {1, math::nan<float>});
  for (const float y : run<op, float>(larger, {2}, a, b).elements) CHECK(math::is_nan(y));
}

TEST_CASE("eltwise: each element joins those that broadcasting pairs") {
  for (const pair_of_shapes& row : broadcasting_shapes) {
    CAPTURE(row.what);
    CHECK(first_difference<op, float>(row, [](float a, float b) { return a * b; }) == -1);
    CHECK(first_difference<op, std::int32_t>(row, [](std::int32_t a, std::int32_t b) { return a * b; }) == -1);
  }
}

constexpr auto network = [](builder& b) {
  auto left = b.input<f32, shape<2, 3>>("x");
  auto right = b.weight<f32, shape<3>>("w");
  b.output("product", eltwise(left, right));
  b.output("sum", eltwise(left, right, mode<eltwise_mode::sum>));
  b.output("larger", eltwise(left, 0, mode<eltwise_mode::maximum>));
};

TEST_CASE("eltwise: the DSL's mode arrives") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 3);
  constexpr eltwise_mode modes[] = {eltwise_mode::product, eltwise_mode::sum, eltwise_mode::maximum};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(g.nodes[i].op->code == op_code{12});
    CHECK(unpack<op::attrs>(g.attrs_of(g.nodes[i])).mode == modes[i]);
  }
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[2])[1]), 0) == 0.0F);
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 3);

constexpr auto& quantised_rules =
    rules_of_quantised_pairs<rule::operands_must_both_be_quantised_or_both_plain,
                             rule::quantised_types_must_be_i8_u8_or_i16, rule::quantised_types_must_be_equal,
                             rule::quantised_operands_must_have_one_scale, rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<op>(quantised_rules));
static_assert(takes_the_wanted_scale<op>());

TEST_CASE("eltwise: quantised operands without the scales that they need are refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
  CHECK(takes_the_wanted_scale<op>());
}

TEST_CASE("eltwise: quantised values are those of mul, add and maximum") {
  const auto check = [](auto element) {
    using T = decltype(element);
    const auto a = spread<T>({12}, 37, quant{0.05F, 3}), b = spread<T>({12}, 91, quant{0.08F, 10});
    const quant y{0.3F, 5};
    CHECK(run_quantised<op, T>(product, {12}, y, a, b) == run_quantised<ops::mul, T>({}, {12}, y, a, b));
    CHECK(run_quantised<op, T>(sum, {12}, y, a, b) == run_quantised<ops::add, T>({}, {12}, y, a, b));
    CHECK(run_quantised<op, T>(larger, {12}, y, a, b) == run_quantised<ops::maximum, T>({}, {12}, y, a, b));
    CHECK(run_quantised<op, T>(product, {12}, y, a, b) != run_quantised<op, T>(sum, {12}, y, a, b));
  };
  check(std::int8_t{});
  check(std::uint8_t{});
  check(std::int16_t{});
}
static_assert(run_quantised<op, std::int8_t>(sum, {2}, quant{1, 0}, stored<std::int8_t>({2}, {4, -3}, quant{1, 0}),
                                             stored<std::int8_t>({1}, {2}, quant{2, 0})) ==
              std::vector<std::int8_t>{8, 1});

}  // namespace
