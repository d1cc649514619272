// batch_norm: its rules one by one, and its meaning by hand.
#include <nnrt/ir/apply.hpp>
#include <nnrt/kernels/fast.hpp>
#include <nnrt/ops/batch_norm.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt_test;
using op = ops::batch_norm;
using rule = op::rule;

constexpr operand x = computed(f32_of({1, 8, 8, 4})), c4 = weight(f32_of({4})), c3 = weight(f32_of({3})),
                  half4 = weight({f16, {4}}), row4 = weight(f32_of({1, 4}));
constexpr op::attrs with(float epsilon) {
  op::attrs a;
  a.epsilon = epsilon;
  return a;
}

TEST_CASE("batch_norm: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(
      op, {"scalar", {}, {computed(f32_of({})), c4, c4, c4, c4}, {}, rule::input_must_have_a_channel_axis, 0, 1});
  NNRT_CHECK_REFUSED(op, {"nchw",
                          {},
                          {computed({f32, nchw, {1, 4, 8, 8}}), c4, c4, c4, c4},
                          {},
                          rule::input_must_be_nhwc,
                          int(nchw),
                          int(nhwc)});
  NNRT_CHECK_REFUSED(op, {"dtype of scale",
                          {},
                          {x, half4, c4, c4, c4},
                          {},
                          rule::parameter_types_must_equal_input_type,
                          int(f16),
                          int(f32)});
  NNRT_CHECK_REFUSED(op, {"rank of mean", {}, {x, c4, c4, row4, c4}, {}, rule::parameter_rank_must_be_1, 2, 1});
  NNRT_CHECK_REFUSED(
      op, {"scale", {}, {x, c3, c4, c4, c4}, {}, rule::parameters_must_have_one_element_for_each_channel, 3, 4});
  NNRT_CHECK_REFUSED(
      op, {"variance", {}, {x, c4, c4, c4, c3}, {}, rule::parameters_must_have_one_element_for_each_channel, 3, 4});
  CHECK(breaks(infer<op>({}, {x, c4, c4, c4}), signature_rule::required_operand_must_be_given, 4, 5));
  CHECK(breaks(infer<op>({}, {computed({i32, {4}}), c4, c4, c4, c4}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(i32), int(f16)));
}

TEST_CASE("batch_norm: the output is like the input, whatever its rank") {
  static constexpr shape_t table[] = {{4}, {3, 4}, {2, 5, 7, 4}, {2, 1, 3, 5, 4}, {0, 4}, {-1, -1, 4}, {2, -1}};
  for (const shape_t& shape : table) {
    const verdict v = infer<op>({}, {computed(f32_of(shape)), c4, c4, c4, c4});
    REQUIRE(v);
    CHECK(v.output(0) == f32_of(shape));
  }
  CHECK(op::attrs{}.epsilon == 1e-4F);
  CHECK(op::traits.computes == meaning::batch_norm);
}

/// Two channels: scale 6 and 1, offset 1 and 2, mean 3 and 4, variance 8.75 and 3.75; with epsilon 0.25 the factors are
/// 2 and 0.5.
template <class T> constexpr filled<T> two_channels() {
  return run<op, T>(with(0.25F), {2, 1, 2}, filled<T>({2, 1, 2}, {T(3), T(4), T(4), T(-4)}),
                    filled<T>({2}, {T(6), T(1)}), filled<T>({2}, {T(1), T(2)}), filled<T>({2}, {T(3), T(4)}),
                    filled<T>({2}, {T(8.75), T(3.75)}));
}
static_assert(two_channels<float>().elements == std::vector<float>{1, 2, 3, -2});

TEST_CASE_TEMPLATE("batch_norm: (x - mean) / sqrt(variance + epsilon) * scale + offset, per last axis", T, float16,
                   float, double) {
  CHECK(two_channels<T>().elements == std::vector<T>{T(1), T(2), T(3), T(-2)});
}

TEST_CASE("batch_norm: epsilon keeps a variance of 0 finite, in place too") {
  filled<float> y({1, 1}, {2}), one({1}, {1}), zero({1}, {0});
  const view in[] = {y.as_view(), one.as_view(), zero.as_view(), one.as_view(), zero.as_view()}, out[] = {y.as_view()};
  op::reference<float>({}, in, out);
  CHECK(y.elements[0] == doctest::Approx(100.0));  // 1 / sqrt(1e-4)
}

constexpr auto network = [](builder& g) {
  auto input = g.input<f32, nnrt::shape<2, 3, 3, 4>>("x");
  const auto row = [&](const char* name) { return g.weight<f32, nnrt::shape<4>>(name); };
  auto y = batch_norm(input, row("s"), row("o"), row("m"), row("v"), epsilon<0.5F>);
  static_assert(y.desc == f32_of({2, 3, 3, 4}));
  g.output("y", y);
};

TEST_CASE("batch_norm: five operands and epsilon arrive") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.inputs_of(g.nodes[0]).size() == 5);
  CHECK(unpack<op::attrs>(g.attrs_of(g.nodes[0])).epsilon == 0.5F);
  CHECK(std::bit_cast<float>(static_cast<std::int32_t>(g.attrs_of(g.nodes[0])[0])) ==
        0.5F);  // where passes look for it
}

}  // namespace
