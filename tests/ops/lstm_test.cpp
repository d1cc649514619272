// lstm_test: rules, shapes, elements and the DSL function of lstm.
#include <nnrt/ops/lstm.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::lstm;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs going(bool bidirectional, float zoneout_cell = 0, float zoneout_hidden = 0) {
  attrs a;
  a.bidirectional = bidirectional;
  a.zoneout_cell = zoneout_cell;
  a.zoneout_hidden = zoneout_hidden;
  return a;
}

// A script in Python that follows the formulas of the operator's comment, with lists of numbers and math.tanh and
// math.exp; element k of operand n is ((37 * k + 11 * n) % 17 - 8) / 16, where x is operand 1. S = 3, B = I = H = 2.
constexpr double plain_y[] = {0.007723317138019065,  0.06522416352799058,  -0.0023964224963979822, -0.06876010640849564,
                              0.0034108244567032137, 0.03377160238962173,  0.01113927177376214,    0.04820266555710547,
                              -0.002437611887970281, -0.03870684440300541, 0.007328586069354691,   0.03629822385891443};
constexpr double plain_hy[] = {-0.002437611887970281, -0.03870684440300541, 0.007328586069354691, 0.03629822385891443};
constexpr double plain_cy[] = {-0.004225176265775211, -0.07653910390286359, 0.014568235933774936, 0.0729075904603309};
constexpr double both_y[] = {0.11224181332132548,   -0.016745470417988118, 0.20743890826601222, -0.07444214610341071,
                             -0.18400354682583733,  -0.04432480232543457,  0.24531271932976179, -0.1616015200491782,
                             -0.003215448758080524, 0.012659511991670183,  0.22707060767845297, -0.07534677267522945,
                             -0.10233564439113298,  0.07344940879349439,   0.1864521279167272,  -0.10363860052030764,
                             -0.0719505903512032,   -0.017609087202733943, 0.22016097430395998, -0.011320248428230182,
                             -0.10861318059203731,  0.08299274709774651,   0.18906669844283697, -0.14541563465967158};
constexpr double both_hy[] = {-0.0719505903512032, -0.017609087202733943, -0.10861318059203731, 0.08299274709774651,
                              0.20743890826601222, -0.07444214610341071,  0.24531271932976179,  -0.1616015200491782};
constexpr double both_cy[] = {-0.10897672927857222, -0.0408328954250612, -0.1853138877617501, 0.19396099790052512,
                              0.47718592770224255,  -0.1253779612159042, 0.5538215371542135,  -0.24741891272912622};
constexpr double zoned_y[] = {
    -0.06887909333933726, -0.03962273520899406,  0.2519969077485516,    -0.09140592857335812, -0.029501773412918667,
    0.13408759883728272,  0.16046396562532214,   -0.12493448831662086,  -0.01585052376262028, -0.025271805751460777,
    0.2934090312408812,   -0.12550816030510334,  -0.07819504616803852,  0.10247238805703798,  0.08681471851052804,
    -0.08544643705426161, -0.023714203212563734, -0.03395170463419731,  0.36008048715198,     -0.1931601242141151,
    -0.10239929404058308, 0.08476358011539609,   0.0007833492214184834, -0.07270781732983579};
constexpr double zoned_hy[] = {-0.023714203212563734, -0.03395170463419731, -0.10239929404058308, 0.08476358011539609,
                               0.2519969077485516,    -0.09140592857335812, 0.16046396562532214,  -0.12493448831662086};
constexpr double zoned_cy[] = {-0.007207699597078163, -0.08679563433645689, -0.22304470923326472, 0.14452854983676566,
                               0.4902391173810898,    -0.08328622369498027, 0.4923392833195478,   -0.24267915185180444};

/// The largest distance of the reference's answer, for element type T, from golden numbers; without the operands from
/// `given` on.
template <class T, std::size_t Y, std::size_t State>
constexpr double largest_distance(const attrs& a, std::size_t given, const double (&y)[Y], const double (&hy)[State],
                                  const double (&cy)[State]) {
  const std::int64_t directions = a.bidirectional ? 2 : 1;
  const shape_t shapes[] = {{3, 2, 2},        {directions, 8, 2}, {directions, 8, 2},
                            {directions, 16}, {directions, 2, 2}, {directions, 2, 2}};
  std::vector<filled<T>> operands;
  for (int n = 0; n < 6; ++n) {
    operands.push_back(filled<T>(shapes[n]));
    for (std::size_t k = 0; k < operands.back().elements.size(); ++k)
      operands.back().elements[k] =
          math::convert<T>((static_cast<double>((37 * k + 11 * (static_cast<std::size_t>(n) + 1)) % 17) - 8) / 16);
  }
  filled<T> made[] = {filled<T>({3, 2, 2 * directions}), filled<T>({directions, 2, 2}), filled<T>({directions, 2, 2})};
  std::vector<view> in;
  for (std::size_t n = 0; n < given; ++n) in.push_back(operands[n].as_view());
  const view out[] = {made[0].as_view(), made[1].as_view(), made[2].as_view()};
  op::reference<T>(a, array_ref<const view>(in.data(), in.size()), out);
  double largest = 0;
  const auto compare = [&](const filled<T>& got, const double* golden) {
    for (std::size_t i = 0; i < got.elements.size(); ++i) {
      const double distance = math::abs(math::convert<double>(got.elements[i]) - golden[i]);
      largest = distance <= largest ? largest : distance;
    }
  };
  compare(made[0], y), compare(made[1], hy), compare(made[2], cy);
  return largest;
}
static_assert(largest_distance<double>(going(false), 3, plain_y, plain_hy, plain_cy) < 1e-14);

TEST_CASE("lstm: every dtype gives the golden numbers, of each sequence and direction for itself") {
  CHECK(largest_distance<double>(going(false), 3, plain_y, plain_hy, plain_cy) < 1e-14);
  CHECK(largest_distance<double>(going(true), 6, both_y, both_hy, both_cy) < 1e-14);
  CHECK(largest_distance<double>(going(true, 0.25F, 0.5F), 6, zoned_y, zoned_hy, zoned_cy) < 1e-14);
  CHECK(largest_distance<float>(going(true, 0.25F, 0.5F), 6, zoned_y, zoned_hy, zoned_cy) < 1e-6);
  CHECK(largest_distance<float16>(going(true), 6, both_y, both_hy, both_cy) < 2e-3);
}

TEST_CASE("lstm: without steps the states do not change") {
  filled<float> x({0, 1, 2}), w_ih({1, 4, 2}), w_hh({1, 4, 1}), bias({1, 8}), hx({1, 1, 1}, {2}), cx({1, 1, 1}, {3}),
      y({0, 1, 1}), hy({1, 1, 1}), cy({1, 1, 1});
  const view in[] = {x.as_view(), w_ih.as_view(), w_hh.as_view(), bias.as_view(), hx.as_view(), cx.as_view()};
  const view out[] = {y.as_view(), hy.as_view(), cy.as_view()};
  op::reference<float>({}, in, out);
  CHECK(hy.elements == hx.elements);
  CHECK(cy.elements == cx.elements);
}

constexpr operand x = computed(f32_of({5, 3, 7})), w_ih = weight(f32_of({1, 16, 7})), w_hh = weight(f32_of({1, 16, 4})),
                  bias = weight(f32_of({1, 32})), state = computed(f32_of({1, 3, 4}));

TEST_CASE("lstm: all hidden states, and both last states") {
  const verdict v = infer<op>({}, {x, w_ih, w_hh, bias, state, state});
  REQUIRE(bool(v));
  CHECK(v.output(0) == f32_of({5, 3, 4}));
  CHECK(v.output(1) == f32_of({1, 3, 4}));
  CHECK(v.output(2) == f32_of({1, 3, 4}));
  const verdict both = infer<op>(going(true), {x, weight(f32_of({2, 16, 7})), weight(f32_of({2, 16, 4}))});
  CHECK(shape_of(both) == shape_t{5, 3, 8});
  CHECK(shape_of(both, 2) == shape_t{2, 3, 4});
  const verdict unknown = infer<op>({}, {computed(f32_of({-1, -1, -1})), weight(f32_of({1, -1, 7})),
                                         weight(f32_of({1, 16, -1})), missing(), computed(f32_of({1, 3, -1}))});
  CHECK(shape_of(unknown) == shape_t{-1, 3, 4});
  CHECK(shape_of(
            infer<op>({}, {computed(f32_of({-1, -1, -1})), weight(f32_of({1, -1, -1})), weight(f32_of({1, -1, -1}))}),
            1) == shape_t{1, -1, -1});
  const operand in[] = {x, w_ih, w_hh};
  const tensor_desc out[] = {f32_of({5, 3, 4})};
  CHECK(op::macs({}, in, out) == 5 * 3 * 16 * (7 + 4));
}

TEST_CASE("lstm: sizes that are told, too, may only be those of the operands") {
  attrs told;
  told.has_bias = true;
  told.input_size = 7, told.hidden_size = 4, told.num_layers = 1, told.num_directions = 1, told.dropout = 0.5F;
  CHECK(bool(infer<op>(told, {x, w_ih, w_hh, bias, state, state})));
}

constexpr attrs saying(std::int64_t attrs::*member, std::int64_t number) {
  attrs a;
  a.*member = number;
  return a;
}
constexpr std::int64_t word_of(float x) { return std::bit_cast<std::int32_t>(x); }

TEST_CASE("lstm: each broken rule is named with both values, and so are those of the signature") {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  constexpr rule fit = rule::extents_must_be_those_of_the_other_operands;
  NNRT_CHECK_REFUSED(op, {"dtype",
                          {},
                          {x, w_ih, weight({f16, {1, 16, 4}})},
                          {},
                          rule::operand_types_must_equal_input_type,
                          int(f16),
                          int(f32)});
  NNRT_CHECK_REFUSED(
      op,
      {"one sequence", {}, {computed(f32_of({5, 7})), w_ih, w_hh}, {}, rule::input_and_weights_rank_must_be_3, 2, 3});
  NNRT_CHECK_REFUSED(
      op, {"one direction", {}, {x, w_ih, weight(f32_of({16, 4}))}, {}, rule::input_and_weights_rank_must_be_3, 2, 3});
  NNRT_CHECK_REFUSED(op, {"bias", {}, {x, w_ih, w_hh, weight(f32_of({32}))}, {}, rule::bias_rank_must_be_2, 1, 2});
  NNRT_CHECK_REFUSED(
      op, {"state", {}, {x, w_ih, w_hh, missing(), computed(f32_of({3, 4}))}, {}, rule::state_rank_must_be_3, 2, 3});
  NNRT_CHECK_REFUSED(op,
                     {"layers", saying(&attrs::num_layers, 2), {x, w_ih, w_hh}, {}, rule::layers_must_be_one, 2, 1});
  NNRT_CHECK_REFUSED(op,
                     {"layers", saying(&attrs::num_layers, -1), {x, w_ih, w_hh}, {}, rule::layers_must_be_one, -1, 0});
  NNRT_CHECK_REFUSED(
      op, {"projection", saying(&attrs::proj_size, 3), {x, w_ih, w_hh}, {}, rule::projection_must_be_zero, 3, 0});
  NNRT_CHECK_REFUSED(op, {"directions",
                          saying(&attrs::num_directions, 2),
                          {x, w_ih, w_hh},
                          {},
                          rule::directions_must_be_two_when_bidirectional_else_one,
                          2,
                          1});
  NNRT_CHECK_REFUSED(op, {"cell",
                          going(false, 1.5F),
                          {x, w_ih, w_hh},
                          {},
                          rule::zoneout_must_lie_between_0_and_1,
                          word_of(1.5F),
                          word_of(1)});
  NNRT_CHECK_REFUSED(op, {"hidden",
                          going(false, 0, -0.5F),
                          {x, w_ih, w_hh},
                          {},
                          rule::zoneout_must_lie_between_0_and_1,
                          word_of(-0.5F),
                          word_of(0)});
  NNRT_CHECK_REFUSED(op, {"input size",
                          saying(&attrs::input_size, 8),
                          {x, w_ih, w_hh},
                          {},
                          rule::input_size_must_be_that_of_the_operands,
                          8,
                          7});
  NNRT_CHECK_REFUSED(op, {"hidden size",
                          saying(&attrs::hidden_size, huge),
                          {x, w_ih, w_hh},
                          {},
                          rule::hidden_size_must_be_that_of_the_operands,
                          huge,
                          4});
  NNRT_CHECK_REFUSED(op, {"gates", {}, {x, weight(f32_of({1, 15, 7})), w_hh}, {}, fit, 15, 16});
  NNRT_CHECK_REFUSED(op, {"columns", {}, {x, weight(f32_of({1, 16, 6})), w_hh}, {}, fit, 6, 7});
  NNRT_CHECK_REFUSED(op, {"one way", going(true), {x, w_ih, w_hh}, {}, fit, 1, 2});
  NNRT_CHECK_REFUSED(op, {"one bias", {}, {x, w_ih, w_hh, weight(f32_of({1, 16}))}, {}, fit, 16, 32});
  NNRT_CHECK_REFUSED(op, {"batch", {}, {x, w_ih, w_hh, bias, computed(f32_of({1, 2, 4}))}, {}, fit, 2, 3});
  NNRT_CHECK_REFUSED(op, {"cell state", {}, {x, w_ih, w_hh, bias, state, computed(f32_of({1, 3, 5}))}, {}, fit, 5, 4});
  CHECK(breaks(infer<op>({}, {x, w_ih}), signature_rule::required_operand_must_be_given, 2, 3));
  CHECK(breaks(infer<op>({}, {computed({i8, {1, 1, 1}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(i8), int(f16)));
}

constexpr auto network = [](builder& b) {
  auto [y, hy, cy] =
      lstm(b.input<f32, shape<5, 3, 7>>("x"), b.weight<f32, shape<2, 16, 7>>("w_ih"),
           b.weight<f32, shape<2, 16, 4>>("w_hh"), bidirectional, zoneout_cell<0.25>, zoneout_hidden<0.5>);
  static_assert(decltype(y)::desc == f32_of({5, 3, 8}) && decltype(hy)::desc == f32_of({2, 3, 4}) &&
                decltype(cy)::desc == f32_of({2, 3, 4}));
  b.output("y", y);
  b.output("hy", hy);
  b.output("cy", cy);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  const attrs a = unpack<attrs>(g.attrs_of(g.nodes[0]));
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{75} && a.bidirectional && a.zoneout_cell == 0.25F &&
         a.zoneout_hidden == 0.5F;
}());

}  // namespace
