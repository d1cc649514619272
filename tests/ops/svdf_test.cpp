// svdf_test: rules, shapes and elements of svdf.
#include <nnrt/ops/svdf.hpp>

#include <doctest/doctest.h>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::svdf;
using rule = op::rule;

constexpr op::attrs of_rank(std::int64_t rank, activation fused = activation::none) {
  op::attrs a;
  a.rank = rank, a.fused = fused;
  return a;
}
constexpr operand stored(dtype type, shape_t shape, float scale, std::int32_t zero_point = 0) {
  return computed({type, format::nd, shape, quant{scale, zero_point}});
}

constexpr operand x = computed(f32_of({2, 3})), features = weight(f32_of({4, 3})), times = weight(f32_of({4, 5})),
                  bias = weight(f32_of({2})), state = computed(f32_of({2, 20}));
constexpr operand qx = stored(i8, {2, 3}, 0.1F, 3), qf = stored(i8, {4, 3}, 0.01F), qt = stored(i16, {4, 5}, 0.001F),
                  qb = weight({i32, {2}}), qs = stored(i16, {2, 20}, 0.002F);
constexpr tensor_desc wanted{i8, format::nd, {2, 2}, quant{0.5F, -1}};

TEST_CASE("svdf: a result for each unit, and the state of the next step") {
  const verdict v = infer<op>(of_rank(2), {x, features, times, bias, state});
  REQUIRE(bool(v));
  CHECK(v.output(0) == f32_of({2, 2}));
  CHECK(v.output(1) == f32_of({2, 20}));
  const operand in[] = {x, features, times, bias, state};
  CHECK(op::macs(of_rank(2), in, v.outputs) == 2 * 4 * (3 + 5));
  CHECK(shape_of(infer<op>(of_rank(1), {x, features, times, missing(), state})) == shape_t{2, 4});
  const verdict q = infer<op>(of_rank(2), {qx, qf, qt, qb, qs}, {wanted});
  REQUIRE(bool(q));
  CHECK(q.output(0) == wanted);
  CHECK(q.output(1) == qs.desc);
  const verdict open = infer<op>(of_rank(2), {computed(f32_of({-1, -1})), weight(f32_of({-1, 3})),
                                              weight(f32_of({-1, -1})), missing(), computed(f32_of({-1, -1}))});
  CHECK(shape_of(open) == shape_t{-1, -1});
  CHECK(shape_of(infer<op>(of_rank(2), {x, features, times, missing(), computed(f32_of({-1, -1}))}), 1) ==
        shape_t{2, 20});
}

TEST_CASE("svdf: each broken rule is named with both values") {
  constexpr rule extents = rule::extents_must_be_those_of_the_other_operands;
  NNRT_CHECK_REFUSED(op, {"input",
                          of_rank(2),
                          {computed(f32_of({2, 1, 3})), features, times, bias, state},
                          {},
                          rule::input_weights_and_state_rank_must_be_2,
                          3,
                          2});
  NNRT_CHECK_REFUSED(
      op,
      {"bias", of_rank(2), {x, features, times, weight(f32_of({2, 1})), state}, {}, rule::bias_rank_must_be_1, 2, 1});
  NNRT_CHECK_REFUSED(op, {"floats",
                          of_rank(2),
                          {x, qf, times, bias, state},
                          {},
                          rule::operand_types_must_be_those_beside_the_input,
                          int(i8),
                          int(f32)});
  NNRT_CHECK_REFUSED(op, {"stored",
                          of_rank(2),
                          {qx, qf, qt, bias, qs},
                          {wanted},
                          rule::operand_types_must_be_those_beside_the_input,
                          int(f32),
                          int(i32)});
  NNRT_CHECK_REFUSED(
      op, {"no filter a unit", of_rank(0), {x, features, times, bias, state}, {}, rule::rank_must_be_at_least_1, 0, 1});
  NNRT_CHECK_REFUSED(
      op,
      {"units in parts", of_rank(3), {x, features, times, bias, state}, {}, rule::rank_must_divide_the_filters, 1, 0});
  NNRT_CHECK_REFUSED(op, {"no memory",
                          of_rank(2),
                          {x, features, weight(f32_of({4, 0})), bias, computed(f32_of({2, 0}))},
                          {},
                          rule::memory_must_be_at_least_1,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"columns", of_rank(2), {x, weight(f32_of({4, 2})), times, bias, state}, {}, extents, 2, 3});
  NNRT_CHECK_REFUSED(op,
                     {"filters", of_rank(2), {x, features, weight(f32_of({5, 5})), bias, state}, {}, extents, 5, 4});
  NNRT_CHECK_REFUSED(op, {"biases", of_rank(2), {x, features, times, weight(f32_of({3})), state}, {}, extents, 2, 3});
  NNRT_CHECK_REFUSED(op,
                     {"state", of_rank(2), {x, features, times, bias, computed(f32_of({2, 19}))}, {}, extents, 20, 19});
  NNRT_CHECK_REFUSED(op,
                     {"batch", of_rank(2), {x, features, times, bias, computed(f32_of({1, 20}))}, {}, extents, 1, 2});
  NNRT_CHECK_REFUSED(op, {"plain integers",
                          of_rank(2),
                          {computed({i8, {2, 3}}), qf, qt, qb, qs},
                          {wanted},
                          rule::quantised_operands_must_have_one_scale,
                          0,
                          1});
  NNRT_CHECK_REFUSED(
      op, {"no scale wanted", of_rank(2), {qx, qf, qt, qb, qs}, {}, rule::quantised_output_must_have_one_scale, 0, 1});
  NNRT_CHECK_REFUSED(op, {"zero point",
                          of_rank(2),
                          {qx, stored(i8, {4, 3}, 0.01F, 1), qt, qb, qs},
                          {wanted},
                          rule::zero_points_must_be_0,
                          1,
                          0});
}

/// y and the next state of two filters over three steps, of one feature.
template <class T, class S> struct step {
  std::vector<T> y;
  std::vector<S> next;
};
step<float, float> step_of(const op::attrs& a, float number, std::vector<float> before) {
  const std::int64_t units = 2 / a.rank;
  filled<float> in_x({1, 1}, {number}), f({2, 1}, {1, -2}), t({2, 3}, {1, 10, 100, 2, 20, 200}), b({units}),
      s({1, 6}, std::move(before)), y({1, units}), next({1, 6});
  for (std::size_t i = 0; i < b.elements.size(); ++i) b.elements[i] = 0.5F + static_cast<float>(i);
  const view in[] = {in_x.as_view(), f.as_view(), t.as_view(), b.as_view(), s.as_view()},
             out[] = {y.as_view(), next.as_view()};
  op::reference<float>(a, in, out);
  return {y.elements, next.elements};
}

TEST_CASE("svdf: the memory of each filter moves on by one, and its sum over time and units is the result") {
  const auto two = step_of(of_rank(1), 3, {1, 2, 4, 5, 6, 7});
  CHECK(two.next == std::vector<float>{2, 4, 3, 6, 7, -6});
  CHECK(two.y == std::vector<float>{2 + 40 + 300 + 0.5F, 12 + 140 - 1200 + 1.5F});
  CHECK(step_of(of_rank(2), 3, {1, 2, 4, 5, 6, 7}).y == std::vector<float>{342 - 1048 + 0.5F});
  CHECK(step_of(of_rank(1, activation::relu), 3, {1, 2, 4, 5, 6, 7}).y == std::vector<float>{342.5F, 0});
}

TEST_CASE("svdf: quantised values are scaled twice, to the state and to the result, which saturate") {
  // F x = 2 * (100 - 3) * 10 = 1940 steps of 0.001 are 970 of 0.002; 970 * 500 - 3 * 7 + 9 = 484988 steps of 2e-6
  // are 1.94 of 0.5, two and the zero point -1. With 100 * 127 in the place of 2 * 10 the state saturates, and with
  // that the result.
  const auto run = [](std::int8_t f, std::int16_t t) {
    filled<std::int8_t> qx_({1, 2}, {100, 3}), qf_({1, 2}, {f, 5}), y({1, 1});
    filled<std::int16_t> qt_({1, 2}, {-3, t}), qs_({1, 2}, {9, 7}), next({1, 2});
    filled<std::int32_t> qb_({1}, {9});
    qx_.desc.quantised = quant{0.1F, 3}, qf_.desc.quantised = quant{0.2F}, qt_.desc.quantised = quant{0.001F},
    qs_.desc.quantised = quant{0.002F};
    y.desc.quantised = quant{0.5F, -1}, next.desc.quantised = quant{0.002F};
    const view in[] = {qx_.as_view(), qf_.as_view(), qt_.as_view(), qb_.as_view(), qs_.as_view()},
               out[] = {y.as_view(), next.as_view()};
    op::reference<std::int8_t>({}, in, out);
    return step<int, int>{{y.elements[0]}, {next.elements[0], next.elements[1]}};
  };
  const auto usual = run(1, 500);
  CHECK(usual.next == std::vector<int>{7, 970});
  CHECK(usual.y == std::vector<int>{1});
  const auto saturated = run(127, 32767);
  CHECK(saturated.next == std::vector<int>{7, 32767});
  CHECK(saturated.y == std::vector<int>{127});
}

static_assert([] {
  const float one[] = {3}, f[] = {2}, t[] = {1, 10}, before[] = {7, 5};
  float y[1] = {}, next[2] = {};
  const tensor_desc d1{f32, {1, 1}}, d2{f32, {1, 2}};
  const view in[] = {{&d1, const_cast<float*>(one)},
                     {&d1, const_cast<float*>(f)},
                     {&d2, const_cast<float*>(t)},
                     {},
                     {&d2, const_cast<float*>(before)}};
  const view out[] = {{&d1, y}, {&d2, next}};
  op::reference<float>({}, in, out);
  return y[0] == 65 && next[0] == 5 && next[1] == 6;
}());

}  // namespace
