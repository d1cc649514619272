// instance_norm_test: rules, shapes, elements and the DSL function of instance_norm.
#include <nnrt/ops/instance_norm.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::instance_norm;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs with(float epsilon) {
  attrs a;
  a.epsilon = epsilon;
  return a;
}
constexpr std::int64_t word_of(float x) { return std::bit_cast<std::int32_t>(x); }
constexpr operand x = computed(f32_of({2, 2, 3})), two = computed(f32_of({2}));
static_assert(infer<op>({}, {computed({f32, nchw, {-1, 2, 3, -1}}), two, two}).output(0) ==
              tensor_desc{f32, nchw, {-1, 2, 3, -1}});

/// The largest distance of the reference's answer, for element type T, from golden numbers.
// Python: (x - mean) / math.sqrt(variance + 0.125) * scale + bias for each three numbers
template <class T> constexpr double largest_distance() {
  constexpr double elements[] = {1.0, 2.0, 4.0, -3.0, 0.5, 0.25, 7.0, 7.0, 8.0, -1.0, 0.0, 1.5};
  constexpr double golden[] = {-1.8070379089063202, -0.2642594772265803, 2.8212973861329,     1.6889189901577688,
                               0.6172672276901284,  0.6938137821521028,  -0.8813708498984749, -0.8813708498984749,
                               2.512741699796953,   1.5368754921931593,  1.076696498884737,   0.3864280089221037};
  filled<T> x({2, 2, 3}), scale({2}, {math::convert<T>(2.0), math::convert<T>(-0.5)}),
      bias({2}, {math::convert<T>(0.25), math::convert<T>(1.0)});
  for (std::size_t i = 0; i < 12; ++i) x.elements[i] = math::convert<T>(elements[i]);
  const filled<T> y = run<op, T>(with(0.125F), {2, 2, 3}, x, scale, bias);
  double largest = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    const double distance = math::abs(math::convert<double>(y.elements[i]) - golden[i]);
    largest = distance <= largest ? largest : distance;
  }
  return largest;
}
static_assert(largest_distance<double>() < 1e-14);

TEST_CASE("instance_norm: every dtype gives the golden numbers, each channel of each image for itself") {
  CHECK(largest_distance<double>() < 1e-14);
  CHECK(largest_distance<float>() < 3e-7);
  CHECK(largest_distance<float16>() < 2e-3);
}

TEST_CASE("instance_norm: without a variance there is a number only with epsilon") {
  const filled<float> seven({1, 2, 2}, {7, 7, 7, 7}), scale({2}, {2, 3}), bias({2}, {5, 6});
  CHECK(run<op, float>(with(0.5F), {1, 2, 2}, seven, scale, bias).elements == std::vector<float>{5, 5, 6, 6});
  CHECK(math::is_nan(run<op, float>({}, {1, 2, 2}, seven, scale, bias).elements[3]));
  CHECK(run<op, float>(with(1), {1, 2}, filled<float>({1, 2}, {7, -7}), scale, bias).elements ==
        std::vector<float>{5, 6});
  CHECK(run<op, float>({}, {1, 2, 0}, filled<float>({1, 2, 0}), scale, bias).elements.empty());
}

TEST_CASE("instance_norm: each broken rule is named with both values, and so are those of the signature") {
  NNRT_CHECK_REFUSED(op,
                     {"a list", {}, {computed(f32_of({3})), two, two}, {}, rule::input_rank_must_be_at_least_2, 1, 2});
  NNRT_CHECK_REFUSED(op, {"another dtype",
                          {},
                          {x, two, computed({f16, {2}})},
                          {},
                          rule::parameter_types_must_equal_input_type,
                          int(f16),
                          int(f32)});
  NNRT_CHECK_REFUSED(op,
                     {"a matrix", {}, {x, computed(f32_of({2, 1})), two}, {}, rule::parameters_must_be_lists, 2, 1});
  NNRT_CHECK_REFUSED(op, {"three of two",
                          {},
                          {x, two, computed(f32_of({3}))},
                          {},
                          rule::parameters_must_have_a_number_for_each_channel,
                          3,
                          2});
  NNRT_CHECK_REFUSED(
      op, {"below zero", with(-1), {x, two, two}, {}, rule::epsilon_must_not_be_negative_or_infinite, word_of(-1), 0});
  NNRT_CHECK_REFUSED(op, {"endless",
                          with(math::infinity<float>),
                          {x, two, two},
                          {},
                          rule::epsilon_must_not_be_negative_or_infinite,
                          word_of(math::infinity<float>),
                          word_of(std::numeric_limits<float>::max())});
  CHECK(breaks(infer<op>({}, {computed({i8, nd, {2, 2}, quant{0.5F, 3}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(i8), int(f16)));
  CHECK(breaks(infer<op>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
}

constexpr auto network = [](builder& b) {
  auto y = instance_norm(b.input<f32, shape<1, 2, 3>>("x"), b.weight<f32, shape<2>>("scale"),
                         b.weight<f32, shape<2>>("bias"), epsilon<1e-5>);
  static_assert(y.desc == f32_of({1, 2, 3}));
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{67};
}());

}  // namespace
