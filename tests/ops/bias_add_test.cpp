// bias_add: its rules one by one, and its meaning by hand.
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/bias_add.hpp>
#include <support/quantised.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace {

using namespace nnrt_test;
using op = ops::bias_add;
using rule = op::rule;

constexpr operand x = computed(f32_of({1, 8, 8, 4})), c4 = weight(f32_of({4}));

TEST_CASE("bias_add: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(op, {"scalar", {}, {computed(f32_of({})), c4}, {}, rule::input_must_have_a_channel_axis, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"nchw", {}, {computed({f32, nchw, {1, 4, 8, 8}}), c4}, {}, rule::input_must_be_nhwc, int(nchw), int(nhwc)});
  NNRT_CHECK_REFUSED(
      op, {"dtype", {}, {x, weight({f64, {4}})}, {}, rule::parameter_types_must_equal_input_type, int(f64), int(f32)});
  NNRT_CHECK_REFUSED(op, {"rank", {}, {x, weight(f32_of({4, 1}))}, {}, rule::parameter_rank_must_be_1, 2, 1});
  NNRT_CHECK_REFUSED(
      op, {"count", {}, {x, weight(f32_of({8}))}, {}, rule::parameters_must_have_one_element_for_each_channel, 8, 4});
  CHECK(breaks(infer<op>({}, {x}), signature_rule::required_operand_must_be_given, 1, 2));
  CHECK(breaks(infer<op>({}, {computed({boolean, {4}}), c4}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(boolean), int(i8)));
}

TEST_CASE("bias_add: the output is like the input, whatever its rank") {
  static constexpr shape_t table[] = {{4}, {3, 4}, {2, 5, 7, 4}, {2, 1, 3, 5, 4}, {0, 4}, {-1, -1, 4}, {2, -1}};
  for (const shape_t& shape : table) {
    const verdict v = infer<op>({}, {computed(f32_of(shape)), c4});
    REQUIRE(v);
    CHECK(v.output(0) == f32_of(shape));
  }
  CHECK(op::traits.computes == meaning::bias_add);
}

template <class T> constexpr filled<T> sums() {
  return run<op, T>({}, {2, 1, 3}, filled<T>({2, 1, 3}, {T(1), T(2), T(3), T(4), T(5), T(6)}),
                    filled<T>({3}, {T(10), T(20), T(-30)}));
}
static_assert(sums<float>().elements == std::vector<float>{11, 22, -27, 14, 25, -24});
static_assert(sums<std::int32_t>().elements == std::vector<std::int32_t>{11, 22, -27, 14, 25, -24});

TEST_CASE_TEMPLATE("bias_add: each channel gets its own number", T, float16, float, double, std::int32_t,
                   std::int64_t) {
  CHECK(sums<T>().elements == std::vector<T>{T(11), T(22), T(-27), T(14), T(25), T(-24)});
}

TEST_CASE_TEMPLATE("bias_add: integers wrap around", T, std::int32_t, std::int64_t) {
  using limits = std::numeric_limits<T>;
  CHECK(run<op, T>({}, {1, 2}, filled<T>({1, 2}, {limits::max(), limits::min()}), filled<T>({2}, {1, -1})).elements ==
        std::vector<T>{limits::min(), limits::max()});
}

constexpr auto network = [](builder& g) {
  auto y = bias_add(g.input<f32, nnrt::shape<2, 3, 4>>("x"), g.weight<f32, nnrt::shape<4>>("fc.bias"));
  static_assert(y.desc == f32_of({2, 3, 4}));
  g.output("y", y);
};

TEST_CASE("bias_add: one node with two operands, named like its weight") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.inputs_of(g.nodes[0]).size() == 2);
  CHECK(g.name_of(g.nodes[0].name) == "fc");
}

TEST_CASE("bias_add: quantised operands need scales, and are summed as those of add are") {
  constexpr tensor_desc x2 = i8_of({3, 2}), b2 = i8_of({2}, other_scale), y = wish(other_scale);
  NNRT_CHECK_REFUSED(op, {"a plain bias",
                          {},
                          {computed(x2), weight({i8, {2}})},
                          {y},
                          rule::operands_must_both_be_quantised_or_both_plain,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"sums of 32 bits",
                          {},
                          {computed({i32, nd, {3, 2}, some_scale}), weight({i32, nd, {2}, some_scale})},
                          {y},
                          rule::quantised_types_must_be_i8_u8_or_i16,
                          int(i32),
                          int(i8)});
  NNRT_CHECK_REFUSED(op, {"two dtypes",
                          {},
                          {computed(x2), weight({u8, nd, {2}, some_scale})},
                          {y},
                          rule::quantised_types_must_be_equal,
                          int(u8),
                          int(i8)});
  NNRT_CHECK_REFUSED(op, {"a bias per channel",
                          {},
                          {computed(x2), weight(i8_of({2}, per_channel<0>))},
                          {y},
                          rule::quantised_operands_must_have_one_scale,
                          2,
                          1});
  NNRT_CHECK_REFUSED(
      op, {"nothing wanted", {}, {computed(x2), weight(b2)}, {}, rule::quantised_output_must_have_one_scale, 0, 1});
  CHECK(infer<op>({}, {computed(x2), weight(b2)}, {y}).output(0) == i8_of({3, 2}, other_scale));
  const auto of_x = spread<std::int8_t>({3, 2}, 37, quant{0.05F, 3});
  const auto bias = stored<std::int8_t>({2}, {100, -50}, quant{0.03F, 7});
  CHECK(run_quantised<op, std::int8_t>({}, {3, 2}, quant{0.1F, -9}, of_x, bias) ==
        run_quantised<ops::add, std::int8_t>({}, {3, 2}, quant{0.1F, -9}, of_x, bias));
}
// 5 * 0.5 + 3 * 1 = 5.5 and 5 * 0.5 - 1 = 1.5, in halves.
static_assert(run_quantised<op, std::int8_t>({}, {1, 2}, quant{0.5F, 0},
                                             stored<std::int8_t>({1, 2}, {5, 5}, quant{0.5F, 0}),
                                             stored<std::int8_t>({2}, {3, -1}, quant{1, 0})) ==
              std::vector<std::int8_t>{11, 3});

}  // namespace
