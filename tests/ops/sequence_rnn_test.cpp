// sequence_rnn_test: rules, shapes and elements of sequence_rnn.
#include <nnrt/ops/sequence_rnn.hpp>

#include <doctest/doctest.h>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::sequence_rnn;
using rule = op::rule;

constexpr op::attrs with(recurrent_activation activation, bool is_time_major = false, bool is_backwards = false) {
  op::attrs a;
  a.activation = activation, a.time_major = is_time_major, a.backwards = is_backwards;
  return a;
}

constexpr operand x = computed(f32_of({2, 5, 3})), w = weight(f32_of({4, 3})), u = weight(f32_of({4, 4})),
                  bias = weight(f32_of({4})), h = computed(f32_of({2, 4}));

static_assert(op::errors[0].types.contains(f32));

TEST_CASE("sequence_rnn: the states of all steps, and the last one") {
  const verdict v = infer<op>({}, {x, w, u, bias, h});
  REQUIRE(bool(v));
  CHECK(v.output(0) == f32_of({2, 5, 4}));
  CHECK(v.output(1) == f32_of({2, 4}));
  const operand in[] = {x, w, u, bias, h};
  CHECK(op::macs({}, in, v.outputs) == 40 * (3 + 4));
  CHECK(shape_of(infer<op>(with(recurrent_activation::tanh, true), {computed(f32_of({5, 2, 3})), w, u, bias, h})) ==
        shape_t{5, 2, 4});
  CHECK(shape_of(infer<op>({}, {computed(f32_of({-1, -1, 3})), w, u, bias, h})) == shape_t{2, -1, 4});
}

TEST_CASE("sequence_rnn: each broken rule is named with both values") {
  constexpr rule extents = rule::extents_must_be_those_of_the_other_operands;
  NNRT_CHECK_REFUSED(op,
                     {"input", {}, {computed(f32_of({5, 3})), w, u, bias, h}, {}, rule::input_rank_must_be_3, 2, 3});
  NNRT_CHECK_REFUSED(
      op, {"weights", {}, {x, weight(f32_of({4})), u, bias, h}, {}, rule::weights_and_state_rank_must_be_2, 1, 2});
  NNRT_CHECK_REFUSED(
      op,
      {"state", {}, {x, w, u, bias, computed(f32_of({1, 2, 4}))}, {}, rule::weights_and_state_rank_must_be_2, 3, 2});
  NNRT_CHECK_REFUSED(op, {"bias", {}, {x, w, u, weight(f32_of({1, 4})), h}, {}, rule::bias_rank_must_be_1, 2, 1});
  NNRT_CHECK_REFUSED(op, {"columns", {}, {x, weight(f32_of({4, 2})), u, bias, h}, {}, extents, 2, 3});
  NNRT_CHECK_REFUSED(op, {"no square", {}, {x, w, weight(f32_of({4, 5})), bias, h}, {}, extents, 5, 4});
  NNRT_CHECK_REFUSED(op, {"batch", {}, {x, w, u, bias, computed(f32_of({3, 4}))}, {}, extents, 3, 2});
  NNRT_CHECK_REFUSED(
      op, {"batch, time major", with(recurrent_activation::tanh, true), {x, w, u, bias, h}, {}, extents, 2, 5});
  NNRT_CHECK_REFUSED(op, {"activation",
                          with(static_cast<recurrent_activation>(5)),
                          {x, w, u, bias, h},
                          {},
                          rule::activation_must_be_one_of_the_operator,
                          5,
                          4});
}

/// Two steps of two sequences: h' = act(2 * x - h + 0.5) from h = 1 and 2.
constexpr std::vector<float> states_of(const op::attrs& a, std::vector<float> numbers) {
  filled<float> in_x({2, 2, 1}, std::move(numbers)), in_w({1, 1}, {2}), in_u({1, 1}, {-1}), b({1}, {0.5F}),
      in_h({2, 1}, {1, 2}), y({2, 2, 1}), hy({2, 1});
  const view in[] = {in_x.as_view(), in_w.as_view(), in_u.as_view(), b.as_view(), in_h.as_view()},
             out[] = {y.as_view(), hy.as_view()};
  op::reference<float>(a, in, out);
  y.elements.insert(y.elements.end(), hy.elements.begin(), hy.elements.end());
  return y.elements;
}
using floats = std::vector<float>;
static_assert(states_of(with(recurrent_activation::none), {1, 3, -1, 4}) == floats{1.5F, 5, -3.5F, 12, 5, 12});

TEST_CASE("sequence_rnn: each step sees the state before it, from either end, in either order of axes") {
  using enum recurrent_activation;
  CHECK(states_of(with(none), {1, 3, -1, 4}) == floats{1.5F, 5, -3.5F, 12, 5, 12});
  CHECK(states_of(with(none, true), {1, -1, 3, 4}) == floats{1.5F, -3.5F, 5, 12, 5, 12});
  CHECK(states_of(with(none, false, true), {1, 3, -1, 4}) == floats{-3, 5.5F, -8, 6.5F, -3, -8});
  CHECK(states_of(with(relu), {1, 3, -1, 4}) == floats{1.5F, 5, 0, 8.5F, 5, 8.5F});
  CHECK(states_of(with(relu6), {1, 3, -1, 4}) == floats{1.5F, 5, 0, 6, 5, 6});
  CHECK(states_of(with(relu_n1_to_1), {1, 3, -1, 4}) == floats{1, 1, -1, 1, 1, 1});
  CHECK(states_of(with(tanh), {1, 3, -1, 4})[0] == doctest::Approx(0.9051482536448664));
}

TEST_CASE("sequence_rnn: rows of x and h are what 8 bits say of them") {
  // Of 127 and 0.6, and of 127 and 0.4, steps are 1; of 254 and -1.2 steps are 2.
  op::attrs a = with(recurrent_activation::none);
  a.rounds_rows = true;
  filled<float> in_x({1, 2, 2}, {127, 0.6F, 254, -1.2F}), in_w({2, 2}, {0, 1, 0, 10}), in_u({2, 2}, {0, 1, 0, 0}),
      b({2}), in_h({1, 2}, {127, 0.4F}), y({1, 2, 2}), hy({1, 2});
  const view in[] = {in_x.as_view(), in_w.as_view(), in_u.as_view(), b.as_view(), in_h.as_view()},
             out[] = {y.as_view(), hy.as_view()};
  op::reference<float>(a, in, out);
  CHECK(y.elements == floats{1, 10, -2 + 10, -20});
}

}  // namespace
