// log_softmax_test: rules, shapes, elements and the DSL function of log_softmax.
#include <nnrt/ops/log_softmax.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/quantised.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::log_softmax;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs on(std::int64_t axis) {
  attrs a;
  a.axis = axis;
  return a;
}
static_assert(infer<op>(on(-2), {computed({f16, nchw, {-1, 3, 0, 4}})}).output(0) ==
              tensor_desc{f16, nchw, {-1, 3, 0, 4}});

/// The largest distance of the reference's answer, for element type T, from golden numbers.
template <class T> constexpr double largest_distance(const attrs& a, const std::vector<double>& expected) {
  constexpr double elements[] = {0.5, -2.0, 3.0, 1.25, 0.0, -1.0, 7.0, -0.75, 2.0, 2.0, -4.5, 0.25};
  filled<T> x({2, 3, 2});
  for (std::size_t i = 0; i < 12; ++i) x.elements[i] = math::convert<T>(elements[i]);
  const filled<T> y = run<op, T>(a, {2, 3, 2}, x);
  double largest = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    const double distance = math::abs(math::convert<double>(y.elements[i]) - expected[i]);
    largest = distance <= largest ? largest : distance;
  }
  return largest;
}

// Python: x - math.log(sum(math.exp(v) for v in group))
TEST_CASE("log_softmax: every dtype gives the golden numbers, rounded once, along exactly the axes that are named") {
  CHECK(largest_distance<double>(
            {}, {-0.07888973429254975, -2.5788897342925496, -0.16022415043808724, -1.9102241504380872,
                 -0.31326168751822286, -1.3132616875182228, -0.00043064979763851596, -7.7504306497976385,
                 -0.6931471805599454, -0.6931471805599454, -4.758614483762176, -0.00861448376217544}) < 1e-14);
  CHECK(largest_distance<float>(
            {}, {-0.07888973429254975, -2.5788897342925496, -0.16022415043808724, -1.9102241504380872,
                 -0.31326168751822286, -1.3132616875182228, -0.00043064979763851596, -7.7504306497976385,
                 -0.6931471805599454, -0.6931471805599454, -4.758614483762176, -0.00861448376217544}) < 5e-7);
  CHECK(largest_distance<float16>(
            {}, {-0.07888973429254975, -2.5788897342925496, -0.16022415043808724, -1.9102241504380872,
                 -0.31326168751822286, -1.3132616875182228, -0.00043064979763851596, -7.7504306497976385,
                 -0.6931471805599454, -0.6931471805599454, -4.758614483762176, -0.00861448376217544}) < 4e-3);
  CHECK(largest_distance<double>(
            on(1), {-2.6238729583693674, -3.3846824832098688, -0.1238729583693674, -0.13468248320986875,
                    -3.1238729583693674, -2.3846824832098688, -0.006725410732886239, -2.963256276635939,
                    -5.006725410732886, -0.21325627663593894, -11.506725410732887, -1.963256276635939}) < 1e-14);
  CHECK(largest_distance<float>(
            on(1), {-2.6238729583693674, -3.3846824832098688, -0.1238729583693674, -0.13468248320986875,
                    -3.1238729583693674, -2.3846824832098688, -0.006725410732886239, -2.963256276635939,
                    -5.006725410732886, -0.21325627663593894, -11.506725410732887, -1.963256276635939}) < 5e-7);
  CHECK(largest_distance<float16>(
            on(1), {-2.6238729583693674, -3.3846824832098688, -0.1238729583693674, -0.13468248320986875,
                    -3.1238729583693674, -2.3846824832098688, -0.006725410732886239, -2.963256276635939,
                    -5.006725410732886, -0.21325627663593894, -11.506725410732887, -1.963256276635939}) < 4e-3);
  CHECK(largest_distance<double>(
            on(-3), {-6.501502310159754, -1.501929081345373, -0.31326168751822303, -1.1368710061148999,
                     -0.011047744848593777, -1.5019290813453727, -0.0015023101597542166, -0.2519290813453729,
                     -1.313261687518223, -0.3868710061148999, -4.511047744848594, -0.25192908134537284}) < 1e-14);
  CHECK(largest_distance<float>(
            on(-3), {-6.501502310159754, -1.501929081345373, -0.31326168751822303, -1.1368710061148999,
                     -0.011047744848593777, -1.5019290813453727, -0.0015023101597542166, -0.2519290813453729,
                     -1.313261687518223, -0.3868710061148999, -4.511047744848594, -0.25192908134537284}) < 5e-7);
  CHECK(largest_distance<float16>(
            on(-3), {-6.501502310159754, -1.501929081345373, -0.31326168751822303, -1.1368710061148999,
                     -0.011047744848593777, -1.5019290813453727, -0.0015023101597542166, -0.2519290813453729,
                     -1.313261687518223, -0.3868710061148999, -4.511047744848594, -0.25192908134537284}) < 4e-3);
}

static_assert(run<op, float>({}, {1, 2}, filled<float>({1, 2}, {1000, 0})).elements == std::vector<float>{0, -1000});

TEST_CASE(
    "log_softmax: large numbers do not overflow, one number is certain, and a NaN spreads through its group alone") {
  CHECK(run<op, float>({}, {2, 1}, filled<float>({2, 1}, {88, -1e30F})).elements == std::vector<float>{0, 0});
  CHECK(run<op, float>({}, {1, 2}, filled<float>({1, 2}, {-math::infinity<float>, 3})).elements ==
        std::vector<float>{-math::infinity<float>, 0});
  const auto y = run<op, float>(on(0), {2, 2}, filled<float>({2, 2}, {math::nan<float>, 1, 2, 1})).elements;
  CHECK((math::is_nan(y[0]) && math::is_nan(y[2]) && math::abs(y[1] + 0.6931472F) < 1e-6F));
  CHECK(run<op, float>({}, {0, 3}, filled<float>({0, 3})).elements.empty());
}

// Python, mpmath with 50 digits: -log1p(exp(-d))
TEST_CASE("log_softmax: the largest number's logarithm keeps its digits, however far below it the others are") {
  constexpr struct {
    double difference, y;
  } table[] = {{12, -6.144193477732806e-06}, {30, -9.357622968839737e-14}, {60, -8.75651076269652e-27}};
  for (const auto& row : table) {
    CAPTURE(row.difference);
    const double wide = run<op, double>({}, {1, 2}, filled<double>({1, 2}, {0, row.difference})).elements[1];
    CHECK(math::abs(wide - row.y) <= 1e-15 * math::abs(row.y));
    const auto x = static_cast<float>(row.difference);
    CHECK(run<op, float>({}, {1, 2}, filled<float>({1, 2}, {0, x})).elements[1] == static_cast<float>(row.y));
    CHECK(run<op, float>({}, {1, 2}, filled<float>({1, 2}, {x, 0})).elements[0] == static_cast<float>(row.y));
  }
  CHECK(run<op, float>({}, {1, 2}, filled<float>({1, 2}, {7, 7})).elements[1] == -0.6931472F);
}

/// Whether a row has no number in it.
constexpr bool has_no_number(float a, float b) {
  for (const float y : run<op, float>({}, {1, 2}, filled<float>({1, 2}, {a, b})).elements)
    if (!math::is_nan(y)) return false;
  return true;
}
static_assert(has_no_number(-math::infinity<float>, -math::infinity<float>) && has_no_number(math::infinity<float>, 1));

TEST_CASE("log_softmax: where all is minus infinity, or anything plus infinity, there are no numbers") {
  CHECK(has_no_number(-math::infinity<float>, -math::infinity<float>));
  CHECK(has_no_number(math::infinity<float>, 1));
  CHECK_FALSE(has_no_number(-math::infinity<float>, 1));
}

TEST_CASE("log_softmax: each broken rule is named with both values, and so are those of the signature") {
  NNRT_CHECK_REFUSED(
      op, {"after the last", on(2), {computed(f32_of({2, 3}))}, {}, rule::axis_must_be_an_axis_of_the_input, 2, 1});
  NNRT_CHECK_REFUSED(
      op, {"before the first", on(-3), {computed(f32_of({2, 3}))}, {}, rule::axis_must_be_an_axis_of_the_input, -3, 1});
  NNRT_CHECK_REFUSED(
      op, {"no axis at all", {}, {computed(f32_of({}))}, {}, rule::axis_must_be_an_axis_of_the_input, -1, -1});
  CHECK(breaks(infer<op>({}, {computed({i16, nd, {2, 2}, quant{0.5F, 3}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(i16), int(i8)));
  CHECK(breaks(infer<op>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
}

constexpr auto& quantised_rules =
    rules_of_quantised<rule::quantised_input_must_have_one_scale, rule::quantised_output_must_have_one_scale>;
static_assert(all_refused_as_stated<op>(quantised_rules));
static_assert(survives_every_scale<op, std::int8_t, 1>() && survives_every_scale<op, std::uint8_t, 1>());

TEST_CASE("log_softmax: a quantised operand without the scales that it needs is refused") {
  for (const auto& row : quantised_rules) {
    CAPTURE(row.what);
    CHECK(refused_as_stated<op>(row));
  }
  CHECK(infer<op>({}, {computed({u8, nchw, {1, -1, 3, 2}, some_scale})}, {wish(quant{0.25F, 9})}).output(0) ==
        tensor_desc{u8, nchw, {1, -1, 3, 2}, quant{0.25F, 9}});
}

/// Of two rows of steps of 0.1 from 3: far apart, and all equal. As i8; of u8 all numbers are 128 more.
template <class T> constexpr std::vector<T> quantised_result(quant y) {
  constexpr int shift = std::is_signed_v<T> ? 0 : 128;
  filled<T> x({2, 4});
  x.desc.quantised = quant{0.1F, 3 + shift};
  constexpr int elements[] = {-128, 5, 127, 90, 3, 3, 3, 3};
  for (std::size_t i = 0; i < 8; ++i) x.elements[i] = static_cast<T>(elements[i] + shift);
  return run_quantised<op, T>({}, {2, 4}, y, x);
}

// The first two by TensorFlow Lite 2.14.1's LOG_SOFTMAX; the others by Python: round((x - 127) * 0.1 / scale) + zero
// point, clamped, where the other powers are too small to count, but for exp(-3.7); and -ln(4) / scale.
TEST_CASE("log_softmax: stored bytes are those of TFLite's LOG_SOFTMAX, in any other scale the nearest ones") {
  CHECK(quantised_result<std::int8_t>({1 / 16.0F, 127}) ==
        std::vector<std::int8_t>{-128, -69, 127, 67, 105, 105, 105, 105});
  CHECK(quantised_result<std::uint8_t>({1 / 16.0F, 255}) ==
        std::vector<std::uint8_t>{0, 59, 255, 195, 233, 233, 233, 233});
  CHECK(quantised_result<std::int8_t>({1 / 16.0F, 100}) ==
        std::vector<std::int8_t>{-128, -96, 100, 40, 78, 78, 78, 78});
  CHECK(quantised_result<std::int8_t>({0.1F, 127}) == std::vector<std::int8_t>{-128, 5, 127, 90, 113, 113, 113, 113});
  CHECK(quantised_result<std::int8_t>({0.1F, 100}) == std::vector<std::int8_t>{-128, -22, 100, 63, 86, 86, 86, 86});
}
static_assert(quantised_result<std::int8_t>({1 / 16.0F, 127})[1] == -69);

TEST_CASE("log_softmax: many equal bytes add up, where TFLite's sums overflow") {
  const auto y = run_quantised<op, std::uint8_t>(
      {}, {20000}, quant{1 / 16.0F, 255}, stored<std::uint8_t>({20000}, std::vector<std::uint8_t>(20000), quant{1, 0}));
  CHECK(y[0] == 255 - 158);  // -ln(20000) in 16ths
}

constexpr auto network = [](builder& b) {
  auto y = log_softmax(b.input<f32, shape<2, 3>>("x"), axis<0>);
  static_assert(y.desc == f32_of({2, 3}));
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{95};
}());

}  // namespace
