// lrn_test: rules, elements and the DSL function of lrn.
#include <nnrt/ops/lrn.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::lrn;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs with(std::int64_t radius, float bias, float alpha, float beta) {
  attrs a;
  a.depth_radius = radius;
  a.bias = bias, a.alpha = alpha, a.beta = beta;
  return a;
}

/// The largest distance of the reference's answer, for element type T, from golden numbers.
// Python: row[c] / (bias + alpha * sum(v * v for v in row[max(0, c - r):c + r + 1])) ** beta for each c of each row
template <class T> constexpr double largest_distance(const attrs& a, const double (&golden)[10]) {
  constexpr double elements[] = {1, 2, -3, 4, 0.5, 0.25, -1, 2, 0, 8};
  filled<T> x({2, 1, 5});
  for (std::size_t i = 0; i < 10; ++i) x.elements[i] = math::convert<T>(elements[i]);
  const filled<T> y = run<op, T>(a, {2, 1, 5}, x);
  double largest = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    const double distance = math::abs(math::convert<double>(y.elements[i]) - golden[i]);
    largest = distance <= largest ? largest : distance;
  }
  return largest;
}
constexpr attrs of_neighbours = with(1, 1, 0.5F, 0.75F), of_all = with(100, 2, 0.125F, 0.5F);
constexpr double golden_of_neighbours[] = {0.3907949713906801,   0.4204482076268573,  -0.3840364806262995,
                                           0.5640370183350837,   0.09523472882160468, 0.181616554540982,
                                           -0.38819831960725293, 0.7815899427813602,  0.0,
                                           0.5810379944068922};
constexpr double golden_of_all[] = {0.4159001959280291,   0.8318003918560583,  -1.2477005877840872,
                                    1.6636007837121165,   0.20795009796401456, 0.07666831718292774,
                                    -0.30667326873171097, 0.6133465374634219,  0.0,
                                    2.4533861498536877};
static_assert(largest_distance<double>(of_neighbours, golden_of_neighbours) < 1e-14);

TEST_CASE("lrn: every dtype gives the golden numbers, of each row for itself") {
  CHECK(largest_distance<double>(of_neighbours, golden_of_neighbours) < 1e-14);
  CHECK(largest_distance<float>(of_neighbours, golden_of_neighbours) < 1e-7);
  CHECK(largest_distance<float16>(of_neighbours, golden_of_neighbours) < 5e-4);
  CHECK(largest_distance<double>(of_all, golden_of_all) < 1e-14);
}

TEST_CASE("lrn: a radius of any size, and the numbers that are there unless others are given") {
  const filled<float> x({2}, {3, -4});
  CHECK(run<op, float>(with(std::numeric_limits<std::int64_t>::max(), 0, 1, 0.5F), {2}, x).elements ==
        std::vector<float>{0.6F, -0.8F});
  CHECK(run<op, float>(with(0, 0, 1, 1), {2}, x).elements[0] == doctest::Approx(1.0 / 3));
  // 3 / sqrt(1 + 3^2), -4 / sqrt(1 + 4^2): bias and alpha are 1, beta is 0.5, and the radius is 0
  CHECK(run<op, float>({}, {2}, x).elements == std::vector<float>{0.9486833F, -0.9701425F});
  CHECK(run<op, float>({}, {0, 2}, filled<float>({0, 2})).elements.empty());
}

TEST_CASE("lrn: each broken rule is named with both values, and so are those of the signature") {
  NNRT_CHECK_REFUSED(op, {"a number", {}, {computed(f32_of({}))}, {}, rule::input_rank_must_be_at_least_1, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"order", {}, {computed({f32, nchw, {1, 2, 3, 4}})}, {}, rule::input_must_be_nhwc, int(nchw), int(nhwc)});
  NNRT_CHECK_REFUSED(
      op, {"radius", with(-1, 1, 1, 1), {computed(f32_of({4}))}, {}, rule::radius_must_not_be_negative, -1, 0});
  CHECK(infer<op>({}, {computed(f32_of({-1, 3}))}).output(0) == f32_of({-1, 3}));
  CHECK(breaks(infer<op>({}, {computed({i32, {2}})}), signature_rule::operand_type_must_be_accepted_by_the_operator,
               int(i32), int(f16)));
  CHECK(breaks(infer<op>({}, {missing()}), signature_rule::required_operand_must_be_given, 0, 1));
}

constexpr auto network = [](builder& b) {
  auto y = lrn(b.input<f32, shape<1, 2, 2, 8>>("x"), depth_radius<2>, with_bias<1>, with_alpha<1e-4>, beta<0.75>);
  static_assert(y.desc == f32_of({1, 2, 2, 8}));
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  const attrs a = unpack<attrs>(g.attrs_of(g.nodes[0]));
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{96} && a.depth_radius == 2 && a.bias == 1 &&
         a.alpha == 1e-4F && a.beta == 0.75F;
}());

}  // namespace
