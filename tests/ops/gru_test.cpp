// gru_test: rules, shapes, elements and the DSL function of gru.
#include <nnrt/ops/gru.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::gru;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs going(bool bidirectional, bool linear_before_reset = false) {
  attrs a;
  a.bidirectional = bidirectional;
  a.linear_before_reset = linear_before_reset;
  return a;
}

// A script in Python that follows the formulas of the operator's comment, with lists of numbers and math.tanh and
// math.exp; element k of operand n is ((37 * k + 11 * n) % 17 - 8) / 16, where x is operand 1. S = 3, B = I = H = 2.
constexpr double plain_y[] = {0.11485293013436014,  -0.0869964297463166,   -0.10593104003508444, 0.141126996872995,
                              0.05136483859506108,  -0.025474289290387732, 0.09725474222217376,  -0.026056372578589018,
                              -0.06400004039342752, 0.11090110995354277,   0.06460753503260007,  -0.011383776798598439};
constexpr double plain_hy[] = {-0.06400004039342752, 0.11090110995354277, 0.06460753503260007, -0.011383776798598439};
constexpr double both_y[] = {-0.1571889581257343,  -0.12748253716922942,  -0.11054398765077308, 0.16249648592498195,
                             -0.11893223857851468, 0.39448299174870616,   -0.10980223283440378, 0.2923063866791828,
                             -0.23024901691452526, -0.020381703208189998, -0.04064218447995385, 0.26168010094918726,
                             -0.07320650243556132, 0.09340129260983124,   -0.16229040358829727, 0.11137716279069597,
                             -0.337341551030071,   0.162780837643127,     0.07816206204076401,  0.2638568943893326,
                             -0.16515415584402343, 0.0817663439115583,    -0.15920012899478136, 0.154240596595296};
constexpr double both_hy[] = {-0.337341551030071,   0.162780837643127,   -0.16515415584402343, 0.0817663439115583,
                              -0.11054398765077308, 0.16249648592498195, -0.10980223283440378, 0.2923063866791828};
constexpr double linear_y[] = {-0.12444005660398302, -0.14493616473394455, -0.11965544467694512, 0.12964110449085253,
                               -0.10429408193486159, 0.38111542000201565,  -0.11408166345246909, 0.24969033320253434,
                               -0.19063313688118402, -0.04147956645046622, -0.04571281632088614, 0.2291539438185592,
                               -0.0374391988101525,  0.0715716043592132,   -0.16751242830681815, 0.07725063608557703,
                               -0.2979539782154196,  0.14055671068001072,  0.07988813455665797,  0.23909681650254855,
                               -0.12377548504492034, 0.059281475628214994, -0.15920012899478136, 0.12355648697530303};
constexpr double linear_hy[] = {-0.2979539782154196,  0.14055671068001072, -0.12377548504492034, 0.059281475628214994,
                                -0.11965544467694512, 0.12964110449085253, -0.11408166345246909, 0.24969033320253434};

/// The largest distance of the reference's answer, for element type T, from golden numbers; without the operands from
/// `given` on.
template <class T, std::size_t Y, std::size_t State>
constexpr double largest_distance(const attrs& a, std::size_t given, const double (&y)[Y], const double (&hy)[State]) {
  const std::int64_t directions = a.bidirectional ? 2 : 1;
  const shape_t shapes[] = {{3, 2, 2}, {directions, 6, 2}, {directions, 6, 2}, {directions, 12}, {directions, 2, 2}};
  std::vector<filled<T>> operands;
  for (int n = 0; n < 5; ++n) {
    operands.push_back(filled<T>(shapes[n]));
    for (std::size_t k = 0; k < operands.back().elements.size(); ++k)
      operands.back().elements[k] =
          math::convert<T>((static_cast<double>((37 * k + 11 * (static_cast<std::size_t>(n) + 1)) % 17) - 8) / 16);
  }
  filled<T> made[] = {filled<T>({3, 2, 2 * directions}), filled<T>({directions, 2, 2})};
  std::vector<view> in;
  for (std::size_t n = 0; n < given; ++n) in.push_back(operands[n].as_view());
  const view out[] = {made[0].as_view(), made[1].as_view()};
  op::reference<T>(a, array_ref<const view>(in.data(), in.size()), out);
  double largest = 0;
  const auto compare = [&](const filled<T>& got, const double* golden) {
    for (std::size_t i = 0; i < got.elements.size(); ++i) {
      const double distance = math::abs(math::convert<double>(got.elements[i]) - golden[i]);
      largest = distance <= largest ? largest : distance;
    }
  };
  compare(made[0], y), compare(made[1], hy);
  return largest;
}
static_assert(largest_distance<double>(going(false), 3, plain_y, plain_hy) < 1e-14);

TEST_CASE("gru: every dtype gives the golden numbers, of each sequence and direction for itself") {
  CHECK(largest_distance<double>(going(false), 3, plain_y, plain_hy) < 1e-14);
  CHECK(largest_distance<double>(going(true), 5, both_y, both_hy) < 1e-14);
  CHECK(largest_distance<double>(going(true, true), 5, linear_y, linear_hy) < 1e-14);
  CHECK(largest_distance<float>(going(true), 5, both_y, both_hy) < 1e-6);
  CHECK(largest_distance<float>(going(true, true), 5, linear_y, linear_hy) < 1e-6);
  CHECK(largest_distance<float16>(going(true, true), 5, linear_y, linear_hy) < 2e-3);
}

TEST_CASE("gru: without steps the state does not change") {
  filled<float> x({0, 1, 2}), w_ih({1, 3, 2}), w_hh({1, 3, 1}), bias({1, 6}), hx({1, 1, 1}, {2}), y({0, 1, 1}),
      hy({1, 1, 1});
  const view in[] = {x.as_view(), w_ih.as_view(), w_hh.as_view(), bias.as_view(), hx.as_view()};
  const view out[] = {y.as_view(), hy.as_view()};
  op::reference<float>({}, in, out);
  CHECK(hy.elements == hx.elements);
}

constexpr operand x = computed(f32_of({5, 3, 7})), w_ih = weight(f32_of({1, 12, 7})), w_hh = weight(f32_of({1, 12, 4})),
                  bias = weight(f32_of({1, 24})), state = computed(f32_of({1, 3, 4}));

TEST_CASE("gru: the states of all steps, and the last state") {
  const verdict v = infer<op>({}, {x, w_ih, w_hh, bias, state});
  REQUIRE(bool(v));
  CHECK(v.output(0) == f32_of({5, 3, 4}));
  CHECK(v.output(1) == f32_of({1, 3, 4}));
  const verdict both = infer<op>(going(true), {x, weight(f32_of({2, 12, 7})), weight(f32_of({2, 12, 4}))});
  CHECK(shape_of(both) == shape_t{5, 3, 8});
  CHECK(shape_of(both, 1) == shape_t{2, 3, 4});
  const verdict unknown = infer<op>({}, {computed(f32_of({-1, -1, -1})), weight(f32_of({1, -1, 7})),
                                         weight(f32_of({1, 12, -1})), missing(), computed(f32_of({1, 3, -1}))});
  CHECK(shape_of(unknown) == shape_t{-1, 3, 4});
  CHECK(shape_of(
            infer<op>({}, {computed(f32_of({-1, -1, -1})), weight(f32_of({1, -1, -1})), weight(f32_of({1, -1, -1}))}),
            1) == shape_t{1, -1, -1});
  const operand in[] = {x, w_ih, w_hh};
  const tensor_desc out[] = {f32_of({5, 3, 4})};
  CHECK(op::macs({}, in, out) == 5 * 3 * 12 * (7 + 4));
}

TEST_CASE("gru: each broken rule is named with both values, and so are those of the signature") {
  constexpr rule fit = rule::extents_must_be_those_of_the_other_operands;
  NNRT_CHECK_REFUSED(op, {"dtype",
                          {},
                          {x, w_ih, weight({f16, {1, 12, 4}})},
                          {},
                          rule::operand_types_must_equal_input_type,
                          int(f16),
                          int(f32)});
  NNRT_CHECK_REFUSED(
      op,
      {"one sequence", {}, {computed(f32_of({5, 7})), w_ih, w_hh}, {}, rule::input_and_weights_rank_must_be_3, 2, 3});
  NNRT_CHECK_REFUSED(
      op, {"one direction", {}, {x, w_ih, weight(f32_of({12, 4}))}, {}, rule::input_and_weights_rank_must_be_3, 2, 3});
  NNRT_CHECK_REFUSED(op, {"bias", {}, {x, w_ih, w_hh, weight(f32_of({24}))}, {}, rule::bias_rank_must_be_2, 1, 2});
  NNRT_CHECK_REFUSED(
      op, {"state", {}, {x, w_ih, w_hh, missing(), computed(f32_of({3, 4}))}, {}, rule::state_rank_must_be_3, 2, 3});
  NNRT_CHECK_REFUSED(op, {"gates", {}, {x, weight(f32_of({1, 11, 7})), w_hh}, {}, fit, 11, 12});
  NNRT_CHECK_REFUSED(op, {"columns", {}, {x, weight(f32_of({1, 12, 6})), w_hh}, {}, fit, 6, 7});
  NNRT_CHECK_REFUSED(op, {"one way", going(true), {x, w_ih, w_hh}, {}, fit, 1, 2});
  NNRT_CHECK_REFUSED(op, {"one bias", {}, {x, w_ih, w_hh, weight(f32_of({1, 12}))}, {}, fit, 12, 24});
  NNRT_CHECK_REFUSED(op, {"batch", {}, {x, w_ih, w_hh, bias, computed(f32_of({1, 2, 4}))}, {}, fit, 2, 3});
  CHECK(breaks(infer<op>({}, {x, w_ih}), signature_rule::required_operand_must_be_given, 2, 3));
  CHECK(breaks(infer<op>({}, {computed({i8, {1, 1, 1}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(i8), int(f16)));
}

constexpr auto network = [](builder& b) {
  auto [y, hy] = gru(b.input<f32, shape<5, 3, 7>>("x"), b.weight<f32, shape<2, 12, 7>>("w_ih"),
                     b.weight<f32, shape<2, 12, 4>>("w_hh"), bidirectional, linear_before_reset);
  static_assert(decltype(y)::desc == f32_of({5, 3, 8}) && decltype(hy)::desc == f32_of({2, 3, 4}));
  b.output("y", y);
  b.output("hy", hy);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  const attrs a = unpack<attrs>(g.attrs_of(g.nodes[0]));
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{1010} && a.bidirectional && a.linear_before_reset;
}());

}  // namespace
