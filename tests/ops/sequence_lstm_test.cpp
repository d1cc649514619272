// sequence_lstm_test: rules, shapes and elements of sequence_lstm. tests/io/tflite/sequence_rows.cpp has quantised
// values, too.
#include <nnrt/ops/sequence_lstm.hpp>

#include <doctest/doctest.h>
#include <support/operators.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace nnrt_test;
using op = ops::sequence_lstm;
using rule = op::rule;
using attrs = op::attrs;

// --- rules ------------------------------------------------------------------

/// A node with all operands: B = 2, T = 5, I = 3, C = 4, O = 6.
struct node {
  attrs a;
  operand in[24];
  tensor_desc y;
  constexpr verdict infer() const { return infer_node<op>(a, in, {&y, 1}); }
};
constexpr operand of(dtype type, shape_t shape, float scale = 0) {
  operand made{{type, shape}, {}, false};
  if (scale != 0) made.desc.quantised = quant{scale};
  return made;
}
constexpr node node_of(dtype x) {
  node n;
  const bool is_real = x == f32;
  const float scale = is_real ? 0 : 0.01F;
  const dtype weight = is_real ? f32 : i8, vector = is_real ? f32 : i16, bias = is_real ? f32 : x == i16 ? i64 : i32;
  n.in[0] = of(x, {2, 5, 3}, scale);
  for (std::size_t gate = 0; gate < 4; ++gate) {
    n.in[op::w + gate] = of(weight, {4, 3}, scale), n.in[op::u + gate] = of(weight, {4, x == i16 ? 4 : 6}, scale);
    n.in[op::b + gate] = of(bias, {4});
    if (x != i16) n.in[op::n + gate] = of(vector, {4}, scale);
    if (x != i16 && gate < 3) n.in[op::p + gate] = of(vector, {4}, scale);
  }
  if (x != i16)
    n.in[op::projection] = of(weight, {6, 4}, scale), n.in[op::projection_bias] = of(is_real ? f32 : i32, {6});
  n.in[op::state_h] = of(x, {2, x == i16 ? 4 : 6}, scale),
  n.in[op::state_c] = of(vector, {2, 4}, is_real ? 0 : 0x1p-11F);
  if (!is_real) n.y.quantised = quant{0.02F};
  return n;
}
constexpr std::int64_t bits_of(float x) { return std::bit_cast<std::int32_t>(x); }

#define NNRT_CHECK_BROKEN(TYPE, RULE, ACTUAL, EXPECTED, ...) \
  do {                                                       \
    constexpr auto change = [](node& n) { __VA_ARGS__; };    \
    constexpr auto changed = [=] {                           \
      node n = node_of(TYPE);                                \
      change(n);                                             \
      return breaks(n.infer(), RULE, ACTUAL, EXPECTED);      \
    };                                                       \
    static_assert(changed());                                \
    CHECK(changed());                                        \
  } while (false)

TEST_CASE("sequence_lstm: hidden states of all steps, both last states, and the gates of the last step") {
  for (const bool is_time_major : {false, true}) {
    node n = node_of(f32);
    n.a.time_major = is_time_major;
    if (is_time_major) n.in[0].desc.shape = {5, 2, 3};
    const verdict v = n.infer();
    REQUIRE(bool(v));
    CHECK(v.output(0) == f32_of(is_time_major ? shape_t{5, 2, 6} : shape_t{2, 5, 6}));
    CHECK(v.output(1) == f32_of({2, 6}));
    CHECK(v.output(2) == f32_of({2, 4}));
    CHECK(v.output(3) == f32_of({4, 2, 4}));
    CHECK(op::macs(n.a, n.in, v.outputs) == 10 * (16 * (3 + 6) + 24));
  }
  const node stored = node_of(i8);
  const verdict v = stored.infer();
  REQUIRE(bool(v));
  CHECK(v.output(0).quantised == quantisation(quant{0.02F}));
  CHECK(v.output(1).quantised == stored.in[op::state_h].desc.quantised);
  CHECK(v.output(2).quantised == stored.in[op::state_c].desc.quantised);
  CHECK(v.output(3).type == i16);
  CHECK(!v.output(3).quantised);
  CHECK(bool(node_of(i16).infer()));
}

TEST_CASE("sequence_lstm: what shapes leave open follows from others, or stays open") {
  node n = node_of(f32);
  n.in[0].desc.shape = {-1, -1, 3}, n.in[op::state_c].desc.shape = {-1, -1};
  const verdict v = n.infer();
  REQUIRE(bool(v));
  CHECK(v.output(0).shape == shape_t{2, -1, 6});
  CHECK(v.output(2).shape == shape_t{2, 4});
  CHECK(op::macs(n.a, n.in, v.outputs) == 0);
}

TEST_CASE(
    "sequence_lstm: without a projection hidden states are as many as cells, with coupled gates those of i are "
    "missing") {
  node n = node_of(f32);
  n.in[op::projection] = n.in[op::projection_bias] = {};
  for (std::size_t gate = 0; gate < 4; ++gate) n.in[op::u + gate].desc.shape = {4, 4};
  n.in[op::state_h].desc.shape = {2, 4};
  for (const std::size_t i : {op::w, op::u, op::b, op::p, op::n}) n.in[i] = {};
  const verdict v = n.infer();
  REQUIRE(bool(v));
  CHECK(v.output(0).shape == shape_t{2, 5, 4});
  CHECK(op::macs(n.a, n.in, v.outputs) == 10 * 12 * (3 + 4));
}

TEST_CASE("sequence_lstm: each broken rule is named with both values") {
  constexpr rule extents = rule::extents_must_be_those_of_the_other_operands,
                 power = rule::scale_of_the_cell_state_must_be_a_power_of_2;
  constexpr rule positive = rule::scales_of_sums_and_hidden_values_must_be_positive_and_finite;
  constexpr float infinity = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max(),
                  least = std::numeric_limits<float>::min();
  NNRT_CHECK_BROKEN(f32, rule::input_rank_must_be_3, 2, 3, n.in[0].desc.shape = {5, 3});
  NNRT_CHECK_BROKEN(f32, rule::weights_and_states_rank_must_be_2, 1, 2, n.in[op::w].desc.shape = {4});
  NNRT_CHECK_BROKEN(f32, rule::weights_and_states_rank_must_be_2, 3, 2, n.in[op::projection].desc.shape = {6, 4, 1});
  NNRT_CHECK_BROKEN(f32, rule::weights_and_states_rank_must_be_2, 3, 2, n.in[op::state_h].desc.shape = {1, 2, 6});
  NNRT_CHECK_BROKEN(f32, rule::peepholes_biases_and_factors_rank_must_be_1, 2, 1, n.in[op::p].desc.shape = {4, 4});
  NNRT_CHECK_BROKEN(f32, rule::operand_types_must_be_those_beside_the_input, int(i8), int(f32),
                    n.in[op::w].desc.type = i8);
  NNRT_CHECK_BROKEN(i8, rule::operand_types_must_be_those_beside_the_input, int(i64), int(i32),
                    n.in[op::b].desc.type = i64);
  NNRT_CHECK_BROKEN(i16, rule::operand_types_must_be_those_beside_the_input, int(i32), int(i64),
                    n.in[op::b].desc.type = i32);
  NNRT_CHECK_BROKEN(f32, extents, 5, 4, n.in[op::w + 1].desc.shape = {5, 3});
  NNRT_CHECK_BROKEN(f32, extents, 2, 3, n.in[op::w + 1].desc.shape = {4, 2});
  NNRT_CHECK_BROKEN(f32, extents, 7, 6, n.in[op::u + 1].desc.shape = {4, 7});
  NNRT_CHECK_BROKEN(f32, extents, 3, 2, n.in[op::state_c].desc.shape = {3, 4});
  NNRT_CHECK_BROKEN(f32, extents, 2, 5, n.a.time_major = true; n.in[0].desc.shape = {2, 5, 3});
  NNRT_CHECK_BROKEN(f32, extents, 5, 4, n.in[op::n + 3].desc.shape = {5});
  NNRT_CHECK_BROKEN(f32, rule::input_gate_must_have_all_of_its_operands_or_none, 5, 1, n.in[op::u] = {});
  NNRT_CHECK_BROKEN(f32, rule::input_gate_must_have_all_of_its_operands_or_none, 12, -1,
                    n.in[op::w] = n.in[op::u] = {});
  NNRT_CHECK_BROKEN(f32, rule::peepholes_must_be_those_of_all_gates_or_none, 9, 1, n.in[op::p] = {});
  NNRT_CHECK_BROKEN(f32, rule::peepholes_must_be_those_of_all_gates_or_none, 11, 1, n.in[op::p + 2] = {});
  NNRT_CHECK_BROKEN(f32, rule::peepholes_must_be_those_of_all_gates_or_none, 9, -1,
                    n.in[op::w] = n.in[op::u] = n.in[op::b] = {});
  NNRT_CHECK_BROKEN(f32, rule::factors_must_be_those_of_all_gates_or_none, 20, 1, n.in[op::n] = {});
  NNRT_CHECK_BROKEN(f32, rule::factors_must_be_those_of_all_gates_or_none, 23, 1, n.in[op::n + 3] = {});
  NNRT_CHECK_BROKEN(f32, rule::projection_bias_must_stand_beside_a_projection, 17, 1, n.in[op::projection] = {});
  NNRT_CHECK_BROKEN(i16, rule::gates_of_16_bits_must_be_plain, 16, -1, n.in[op::projection] = of(i8, {4, 4}, 0.01F));
  NNRT_CHECK_BROKEN(i16, rule::gates_of_16_bits_must_be_plain, 1, 1, n.in[op::w] = n.in[op::u] = n.in[op::b] = {});
  NNRT_CHECK_BROKEN(f32, rule::activation_must_be_one_of_the_operator, 5, 4,
                    n.a.activation = static_cast<recurrent_activation>(5));
  NNRT_CHECK_BROKEN(f32, rule::activation_must_be_one_of_the_operator, -1, 0,
                    n.a.activation = static_cast<recurrent_activation>(-1));
  NNRT_CHECK_BROKEN(i8, rule::activation_of_quantised_values_must_be_tanh, 0, 4,
                    n.a.activation = recurrent_activation::none);
  NNRT_CHECK_BROKEN(f32, rule::clips_must_be_finite_and_not_negative, bits_of(-1), bits_of(0), n.a.cell_clip = -1);
  NNRT_CHECK_BROKEN(f32, rule::clips_must_be_finite_and_not_negative, bits_of(infinity), bits_of(most),
                    n.a.projection_clip = infinity);
  NNRT_CHECK_BROKEN(f32, rule::operand_types_must_be_those_beside_the_input, int(i8), int(f32),
                    n.in[op::w] = of(i8, {4, 3}, 1));
  NNRT_CHECK_BROKEN(i8, rule::quantised_operands_must_have_one_scale, 0, 1, n.in[op::w].desc.quantised = {});
  NNRT_CHECK_BROKEN(i8, rule::quantised_operands_must_have_one_scale, 4, 1,
                    n.in[op::w].desc.quantised = per_channel<0>);
  NNRT_CHECK_BROKEN(i8, rule::quantised_output_must_have_one_scale, 0, 1, n.y.quantised = {});
  NNRT_CHECK_BROKEN(i8, rule::zero_points_must_be_0, 3, 0, n.in[op::w].desc.quantised.zero_point = 3);
  NNRT_CHECK_BROKEN(i16, rule::zero_points_must_be_0, 3, 0, n.in[0].desc.quantised.zero_point = 3);
  NNRT_CHECK_BROKEN(i8, power, bits_of(0.0007F), bits_of(0x1p-10F), n.in[op::state_c].desc.quantised.scale = 0.0007F);
  NNRT_CHECK_BROKEN(i8, power, bits_of(0x1p-8F), bits_of(0x1p-9F), n.in[op::state_c].desc.quantised.scale = 0x1p-8F);
  NNRT_CHECK_BROKEN(i8, power, bits_of(0x1p-16F), bits_of(0x1p-15F), n.in[op::state_c].desc.quantised.scale = 0x1p-16F);
  NNRT_CHECK_BROKEN(i8, rule::scales_of_sums_must_be_one_for_each_gate, 3, 4, n.a.gate_scales = {1, 1, 1});
  NNRT_CHECK_BROKEN(i8, positive, bits_of(0), bits_of(least), n.a.gate_scales = {1, 1, 0, 1});
  NNRT_CHECK_BROKEN(i8, positive, bits_of(infinity), bits_of(most), n.a.hidden_scale = infinity);
  NNRT_CHECK_BROKEN(i8, rule::hidden_zero_point_must_be_a_number_of_8_bits, 128, 127, n.a.hidden_zero_point = 128);
}

// --- elements ----------------------------------------------------------------

/// Two steps of one sequence: I = C = 2, O = 1; all operands, or those that are no peepholes, factors and bias of the
/// projection, and coupled gates.
template <class Change> std::vector<float> hidden_states(bool has_all, Change change) {
  std::vector<filled<float>> given;
  const auto add = [&](shape_t shape, std::vector<float> numbers) { given.emplace_back(shape, std::move(numbers)); };
  add({1, 2, 2}, {1, -.5F, .25F, .75F});
  add({2, 2}, {.5F, -.25F, .125F, 1}), add({2, 2}, {-.5F, .75F, .25F, .5F}), add({2, 2}, {1, -1, .5F, .25F}),
      add({2, 2}, {.75F, .5F, -.25F, -.125F});
  add({2, 1}, {.5F, -1}), add({2, 1}, {.25F, .125F}), add({2, 1}, {-.5F, .75F}), add({2, 1}, {1, .5F});
  add({2}, {.5F, -.5F}), add({2}, {.25F, 1}), add({2}, {-1, .125F});
  add({2}, {.1F, .2F}), add({2}, {.3F, -.1F}), add({2}, {-.2F, .4F}), add({2}, {.05F, -.3F});
  add({1, 2}, {.75F, -.5F}), add({1}, {.125F}), add({1, 1}, {.5F}), add({1, 2}, {.25F, -.75F});
  add({2}, {1, .5F}), add({2}, {.75F, 1.25F}), add({2}, {.5F, 1}), add({2}, {1.5F, 1});
  std::vector<view> in;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool is_left_out =
        i == op::w || i == op::u || i == op::b || (i >= op::p && i < op::b) || i == op::projection_bias || i >= op::n;
    in.push_back(!has_all && is_left_out ? view{} : given[i].as_view());
  }
  filled<float> y({1, 2, 1}), hy({1, 1}), cy({1, 2}), gates({4, 1, 2});
  const view out[] = {y.as_view(), hy.as_view(), cy.as_view(), gates.as_view()};
  attrs a;
  change(a);
  op::reference<float>(a, array_ref<const view>(in.data(), in.size()), out);
  CHECK(hy.elements[0] == y.elements[a.backwards ? 0 : 1]);
  return y.elements;
}

// A script in Python that follows the formulas of the operator's comment, with lists of numbers, math.exp and
// math.tanh.
TEST_CASE("sequence_lstm: floats are those of the formulas, in both directions") {
  const auto check = [](const std::vector<float>& got, double first, double second) {
    CHECK(std::fabs(double{got[0]} - first) < 3e-7);
    CHECK(std::fabs(double{got[1]} - second) < 3e-7);
  };
  check(hidden_states(true, [](attrs& a) { a.cell_clip = 0.6F; }), 0.39610279153397, 0.13571085513299572);
  check(hidden_states(true, [](attrs& a) { a.cell_clip = 0.6F, a.backwards = true; }), 0.24947438483391626,
        0.08745317008930666);
  check(hidden_states(false, [](attrs& a) { a.rounds_rows = true, a.activation = recurrent_activation::relu; }),
        0.3641916064302419, 0.16751795064235014);
  CHECK(hidden_states(true, [](attrs& a) { a.cell_clip = 0.6F, a.projection_clip = 0.125F; })[0] == 0.125F);
}

TEST_CASE("sequence_lstm: without steps states do not change, and there are no gates") {
  filled<float> x({1, 0, 1}), w({1, 1}), b({1}), h({1, 1}, {2}), c({1, 1}, {3}), y({1, 0, 1}), hy({1, 1}), cy({1, 1}),
      gates({4, 1, 1}, {1, 1, 1, 1});
  std::vector<view> in(20);
  in[0] = x.as_view(), in[op::state_h] = h.as_view(), in[op::state_c] = c.as_view();
  for (const std::size_t i : {op::w + 1, op::w + 2, op::w + 3, op::u + 1, op::u + 2, op::u + 3}) in[i] = w.as_view();
  for (const std::size_t i : {op::b + 1, op::b + 2, op::b + 3}) in[i] = b.as_view();
  const view out[] = {y.as_view(), hy.as_view(), cy.as_view(), gates.as_view()};
  op::reference<float>({}, array_ref<const view>(in.data(), in.size()), out);
  CHECK(hy.elements == h.elements);
  CHECK(cy.elements == c.elements);
  CHECK(gates.elements == std::vector<float>(4));
}

// One step with weights and biases of 0: all gates are 1/2, and c becomes 1.
static_assert([] {
  float x[] = {1}, zero[] = {0}, before[] = {2}, y[1] = {}, hy[1] = {}, cy[1] = {}, gates[4] = {};
  const tensor_desc row{f32, {1, 1, 1}}, matrix{f32, {1, 1}}, vector{f32, {1}}, all{f32, {4, 1, 1}};
  view in[20] = {};
  in[0] = {&row, x}, in[op::state_h] = {&matrix, zero}, in[op::state_c] = {&matrix, before};
  for (std::size_t gate = 1; gate < 4; ++gate)
    in[op::w + gate] = in[op::u + gate] = {&matrix, zero}, in[op::b + gate] = {&vector, zero};
  const view out[] = {{&row, y}, {&matrix, hy}, {&matrix, cy}, {&all, gates}};
  attrs a;
  a.activation = recurrent_activation::none;
  op::reference<float>(a, in, out);
  return y[0] == 0.5F && hy[0] == 0.5F && cy[0] == 1 && gates[0] == 0.5F && gates[2] == 0;
}());

/// Of all numbers of 16 bits, one after the other.
template <class F> constexpr std::uint32_t digest_of(F f, int first = -32768, int last = 32767) {
  std::uint32_t made = 0;
  for (int x = first; x <= last; ++x) made = made * 31 + static_cast<std::uint16_t>(f(x));
  return made;
}

// A script in Python that follows gemmlowp's steps with integers of any size.
TEST_CASE(
    "sequence_lstm: sigmoid and tanh of fixed-point numbers have the bits of gemmlowp's, of every number of 16 bits") {
  namespace fixed = ops::detail::fixed16;
  CHECK(digest_of([](std::int32_t x) { return fixed::sigmoid(x); }) == 1344260980U);
  constexpr std::uint32_t expected[] = {722422788U, 2257069804U, 2186188520U, 3198075935U,
                                        721545311U, 3557146783U, 1782630047U};
  for (int bits = 0; bits < 7; ++bits) {
    CAPTURE(bits);
    CHECK(digest_of([=](std::int32_t x) { return fixed::tanh(x, bits); }) == expected[bits]);
  }
}
static_assert(ops::detail::fixed16::sigmoid(4096) == 23952 && ops::detail::fixed16::sigmoid(-32768) == 11);
static_assert(ops::detail::fixed16::tanh(-4096, 3) == -24964 && ops::detail::fixed16::tanh(32767, 3) == 32767);

}  // namespace
