// lstm_cell_test: rules, shapes and elements of lstm_cell.
#include <nnrt/ops/lstm_cell.hpp>

#include <doctest/doctest.h>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::lstm_cell;
using rule = op::rule;

constexpr op::attrs in_steps_of(float scale) {
  op::attrs a;
  a.accumulator_scale = scale;
  return a;
}
constexpr operand stored(dtype type, shape_t shape, float scale, std::int32_t zero_point) {
  return computed({type, format::nd, shape, quant{scale, zero_point}});
}
constexpr operand x = stored(u8, {2, 5}, 0x1p-7F, 128), w = stored(u8, {8, 5}, 0.01F, 121), b = weight({i32, {8}}),
                  c = stored(i16, {2, 2}, 0x1p-11F, 0);

TEST_CASE("lstm_cell: both states after a step, and the sums of all gates") {
  const tensor_desc wanted{u8, format::nd, {}, quant{0.01F, 127}};
  const verdict v = infer<op>({}, {x, w, b, c}, {wanted});
  REQUIRE(bool(v));
  CHECK(v.output(0) == tensor_desc{u8, format::nd, {2, 2}, wanted.quantised});
  CHECK(v.output(1) == c.desc);
  CHECK(v.output(2) == tensor_desc{i16, format::nd, {2, 8}, quant{0x1p-12F, 0}});
  const operand in[] = {x, w, b, c};
  CHECK(op::macs({}, in, v.outputs) == 2 * 8 * 5);
  CHECK(infer<op>({}, {x, w, b, c}).output(0).quantised == quantisation(quant{0x1p-7F, 128}));
  CHECK(shape_of(infer<op>({}, {stored(u8, {-1, 5}, 1, 128), w, b, c}), 2) == shape_t{2, 8});
}

TEST_CASE("lstm_cell: each broken rule is named with both values") {
  constexpr rule extents = rule::extents_must_be_those_of_the_other_operands,
                 ranks = rule::input_weights_and_state_rank_must_be_2,
                 scales = rule::quantised_operands_must_have_one_scale;
  NNRT_CHECK_REFUSED(op, {"input", {}, {stored(u8, {2, 5, 1}, 1, 128), w, b, c}, {}, ranks, 3, 2});
  NNRT_CHECK_REFUSED(op, {"bias", {}, {x, w, weight({i32, {8, 1}}), c}, {}, rule::bias_rank_must_be_1, 2, 1});
  NNRT_CHECK_REFUSED(op, {"columns", {}, {x, stored(u8, {8, 4}, 1, 0), b, c}, {}, extents, 4, 5});
  NNRT_CHECK_REFUSED(op, {"batch", {}, {x, w, b, stored(i16, {3, 2}, 0x1p-11F, 0)}, {}, extents, 3, 2});
  NNRT_CHECK_REFUSED(op, {"cells",
                          {},
                          {x, w, b, stored(i16, {2, 3}, 0x1p-11F, 0)},
                          {},
                          rule::weights_must_have_4_rows_for_each_cell,
                          8,
                          12});
  NNRT_CHECK_REFUSED(op, {"no scale", {}, {computed({u8, {2, 5}}), w, b, c}, {}, scales, 0, 1});
  NNRT_CHECK_REFUSED(op, {"zero point",
                          {},
                          {stored(u8, {2, 5}, 1, 127), w, b, c},
                          {},
                          rule::zero_point_of_the_input_must_be_128,
                          127,
                          128});
  constexpr float other = 0x1p-10F;
  CHECK(infer<op>({}, {x, w, b, stored(i16, {2, 2}, other, 0)}).rule ==
        static_cast<int>(rule::scale_of_the_cell_state_must_be_2_to_the_minus_11));
  for (const float scale : {0.0F, -1.0F, std::numeric_limits<float>::infinity()})
    CHECK(infer<op>(in_steps_of(scale), {x, w, b, c}).rule ==
          static_cast<int>(rule::accumulator_scale_must_be_positive_and_finite));
}

struct cell_results {
  std::vector<std::uint8_t> h;
  std::vector<std::int16_t> c, sums;
};
/// A step from these quantised values; weights are 7 + 37 row + 53 column, biases 811 row, of which bytes and numbers
/// of 4001 are taken.
constexpr cell_results step_from(std::vector<std::uint8_t> seen, std::vector<std::int16_t> state) {
  std::vector<std::uint8_t> weights;
  std::vector<std::int32_t> biases;
  for (int row = 0; row < 8; ++row) {
    for (int i = 0; i < 5; ++i) weights.push_back(static_cast<std::uint8_t>((row * 37 + i * 53 + 7) % 256));
    biases.push_back(row * 811 % 4001 - 2000);
  }
  filled<std::uint8_t> in_x({2, 5}, std::move(seen)), in_w({8, 5}, std::move(weights)), h({2, 2});
  filled<std::int32_t> in_b({8}, std::move(biases));
  filled<std::int16_t> in_c({2, 2}, std::move(state)), cy({2, 2}), sums({2, 8});
  in_w.desc.quantised = quant{0.01F, 121};
  const view in[] = {in_x.as_view(), in_w.as_view(), in_b.as_view(), in_c.as_view()},
             out[] = {h.as_view(), cy.as_view(), sums.as_view()};
  op::reference<std::uint8_t>(in_steps_of(0.00005F), in, out);
  return {h.elements, cy.elements, sums.elements};
}

static_assert(step_from({19, 80, 141, 140, 223, 116, 177, 238, 169, 252}, {-20000, -10999, -14997, -5996}).h ==
              std::vector<std::uint8_t>{68, 33, 70, 57});

TEST_CASE("lstm_cell: numbers of a script that has gemmlowp's fixed point on 16 bits from its definition") {
  const cell_results first =
      step_from({19, 80, 141, 140, 223, 116, 177, 238, 169, 252}, {-20000, -10999, -14997, -5996});
  CHECK(first.h == std::vector<std::uint8_t>{68, 33, 70, 57});
  CHECK(first.c == std::vector<std::int16_t>{-7767, -3884, -5247, -2599});
  CHECK(first.sums == std::vector<std::int16_t>{4731, -364, -479, -1222, -2018, -2951, -549, 5052,  //
                                                1945, -2026, 504, 885, -2352, -641, -680, 2480});
  const cell_results second = step_from({19, 80, 141, 68, 33, 116, 177, 238, 70, 57}, first.c);
  CHECK(second.h == std::vector<std::uint8_t>{91, 113, 98, 125});
  CHECK(second.c == std::vector<std::int16_t>{-3291, -481, -2178, -150});
}

TEST_CASE("lstm_cell: quantised values stand for what the formula gives, as far as 8 and 16 bits say it") {
  const std::vector<std::int16_t> state{-20000, -10999, -14997, -5996};
  const cell_results got = step_from({19, 80, 141, 140, 223, 116, 177, 238, 169, 252}, state);
  const auto sigmoid = [](double v) { return 1 / (1 + math::exp(-v)); };
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t n = 0; n < 2; ++n) {
      const auto sum = [&](std::size_t gate) { return got.sums[b * 8 + gate * 2 + n] / 4096.0; };
      const double cell = sigmoid(sum(2)) * state[b * 2 + n] / 2048 + sigmoid(sum(0)) * math::tanh(sum(1));
      CHECK(math::abs(got.c[b * 2 + n] / 2048.0 - cell) < 0.005);
      CHECK(math::abs((got.h[b * 2 + n] - 128) / 128.0 - sigmoid(sum(3)) * math::tanh(cell)) < 0.01);
    }
}

}  // namespace
