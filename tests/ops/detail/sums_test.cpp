// sums: what is finite in real numbers is finite here, in references of all operators that add up, for numbers near
// both ends of their range. The compiler computes them: constant evaluation refuses to overflow.
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/avg_pool.hpp>
#include <nnrt/ops/batch_norm.hpp>
#include <nnrt/ops/instance_norm.hpp>
#include <nnrt/ops/l2_normalize.hpp>
#include <nnrt/ops/layer_norm.hpp>
#include <nnrt/ops/log_softmax.hpp>
#include <nnrt/ops/lrn.hpp>
#include <nnrt/ops/reduce_l2.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/reduce_prod.hpp>
#include <nnrt/ops/reduce_sum.hpp>
#include <nnrt/ops/softmax.hpp>
#include <support/operators.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt_test;

template <class T> using list = std::vector<T>;

/// Whether each number is this far from the other at most, as a part of it.
template <class T> constexpr bool near(const list<T>& y, const list<T>& expected, double distance = 0) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!(math::abs(double{y[i]} - double{expected[i]}) <= distance * math::abs(double{expected[i]}))) return false;
  return y.size() == expected.size();
}
template <class T> constexpr filled<T> row_of(const list<T>& x) {
  return filled<T>({1, static_cast<std::int64_t>(x.size())}, x);
}
template <class T> constexpr filled<T> each(std::int64_t count, T x) {
  filled<T> all({count});
  for (T& element : all.elements) element = x;
  return all;
}

// --- normalisations --------------------------------------------------------

template <class T> constexpr list<T> layer(const list<T>& x, float epsilon = 1e-7F) {
  ops::layer_norm::attrs a;
  a.epsilon = epsilon;
  const auto n = static_cast<std::int64_t>(x.size());
  return run<ops::layer_norm, T>(a, {1, n}, row_of(x), each<T>(n, 1), each<T>(n, 0)).elements;
}
static_assert(layer<float>({1e19F, -1e19F, 1e19F, -1e19F}) == list<float>{1, -1, 1, -1});
static_assert(layer<float>({3.4e38F, 3.4e38F, 3.4e38F, 3.4e38F}) == list<float>{0, 0, 0, 0});
static_assert(layer<float>({3.4e38F, -3.4e38F}) == list<float>{1, -1});
static_assert(layer<float>({1e-30F, -1e-30F}, 0) == list<float>{1, -1});
static_assert(layer<double>({1e200, -1e200, 1e200, -1e200}) == list<double>{1, -1, 1, -1});
static_assert(layer<double>({1.7e308, -1.7e308}) == list<double>{1, -1});
static_assert(layer<double>({1.7e308, 1.7e308, 1.7e308}) == list<double>{0, 0, 0});
static_assert(layer<double>({1e-200, -1e-200}, 0) == list<double>{1, -1});
static_assert(layer<double>({0x1p-1074, -0x1p-1074}, 0) == list<double>{1, -1});

template <class T> constexpr list<T> instance(const list<T>& x) {
  ops::instance_norm::attrs a;
  a.epsilon = 1e-5F;
  const auto n = static_cast<std::int64_t>(x.size());
  return run<ops::instance_norm, T>(a, {1, 1, n}, filled<T>({1, 1, n}, x), each<T>(1, 1), each<T>(1, 0)).elements;
}
static_assert(instance<float>({3.4e38F, -3.4e38F, 3.4e38F, -3.4e38F}) == list<float>{1, -1, 1, -1});
static_assert(instance<double>({1e300, -1e300}) == list<double>{1, -1});
static_assert(instance<double>({1.7e308, 1.7e308}) == list<double>{0, 0});

static_assert(near(run<ops::batch_norm, float>({}, {1}, each(1, 3e38F), each(1, 1e-30F), each(1, 0.0F), each(1, -3e38F),
                                               each(1, 1.0F))
                       .elements,
                   {6e8F}, 1e-4));

template <class T> constexpr list<T> of_length_1(const list<T>& x) {
  return run<ops::l2_normalize, T>({}, {1, static_cast<std::int64_t>(x.size())}, row_of(x)).elements;
}
static_assert(near(of_length_1<float>({3e38F, -3e38F, 3e38F, -3e38F}), {0.5F, -0.5F, 0.5F, -0.5F}));
static_assert(near(of_length_1<double>({3e200, 4e200}), {0.6, 0.8}, 1e-15));
static_assert(near(of_length_1<double>({1.7e308, 1.7e308, -1.7e308, 1.7e308}), {0.5, 0.5, -0.5, 0.5}));
static_assert(near(of_length_1<double>({1e-200, 0}), {1e-197, 0}, 1e-7));  // epsilon is the larger one

constexpr double response(double x, float bias, float alpha) {
  ops::lrn::attrs a;
  a.bias = bias, a.alpha = alpha, a.beta = 0.5F;
  return run<ops::lrn, double>(a, {1, 1}, filled<double>({1, 1}, {x})).elements[0];
}
static_assert(math::abs(response(1e200, 1, 1) - 1) < 1e-13 && math::abs(response(-1e300, 1, 0.25F) + 2) < 1e-13);
static_assert(math::abs(response(1e-200, 0, 1) - 1) < 1e-13 && response(1e-200, 1, 1) == 1e-200 &&
              response(1e200, 4, 0) == 0.5e200);

template <class T> constexpr list<T> shares(const list<T>& x) {
  return run<ops::softmax, T>({}, {1, static_cast<std::int64_t>(x.size())}, row_of(x)).elements;
}
static_assert(shares<float>({3.4e38F, -3.4e38F}) == list<float>{1, 0});
static_assert(shares<double>({1.7e308, -1.7e308, 1.7e308}) == list<double>{0.5, 0, 0.5});

template <class T> constexpr list<T> log_shares(const list<T>& x) {
  return run<ops::log_softmax, T>({}, {1, static_cast<std::int64_t>(x.size())}, row_of(x)).elements;
}
static_assert(near(log_shares<float>({0, 40}), {-40, -4.248354255e-18F}, 1e-7));
static_assert(near(log_shares<double>({12, 0}), {-6.144193477732806e-06, -12.000006144193478}, 1e-14));
static_assert(log_shares<double>({1.7e308, -1.7e308})[0] == 0 &&
              math::is_inf(log_shares<double>({1.7e308, -1.7e308})[1]));

// --- reductions ------------------------------------------------------------

template <class Op, class T> constexpr T all_of(const list<T>& x) {
  return run<Op, T>({}, {}, filled<T>({static_cast<std::int64_t>(x.size())}, x)).elements[0];
}
static_assert(all_of<ops::reduce_mean, float>({3.4e38F, 3.4e38F, 3.4e38F, 3.4e38F}) == 3.4e38F);
static_assert(all_of<ops::reduce_mean, double>({1.7e308, 1.7e308, 1.7e308, 1.7e308}) == 1.7e308);
static_assert(all_of<ops::reduce_mean, double>({-1.7e308, -1.7e308, 1.7e308, 1.7e308}) == 0);
static_assert(all_of<ops::reduce_sum, float>({3e38F, 3e38F, -3e38F}) == 3e38F);
static_assert(all_of<ops::reduce_sum, double>({1.7e308, 1.7e308, -1.7e308}) == 1.7e308);
static_assert(near(list<float>{all_of<ops::reduce_prod, float>({1e30F, 1e30F, -1e-30F, 1e-30F})}, {-1.0F}, 1e-6));
static_assert(near(list<double>{all_of<ops::reduce_prod, double>({1e200, 1e200, 1e-200, 1e-200, 1e-200, 1e200})}, {1.0},
                   1e-14));
static_assert(all_of<ops::reduce_prod, double>({1e300, 1e300}) == math::infinity<double> &&
              all_of<ops::reduce_prod, double>({1e-300, -1e-300}) == 0);
static_assert(all_of<ops::reduce_prod, double>({0, 1e300, 1e300}) == 0 &&
              all_of<ops::reduce_prod, double>({1e300, 0, 1e300}) == 0);
static_assert(near(list<float>{all_of<ops::reduce_l2, float>({1.5e38F, 2e38F})}, {2.5e38F}, 1e-7));
static_assert(near(list<double>{all_of<ops::reduce_l2, double>({3e200, 4e200})}, {5e200}, 1e-15));
static_assert(near(list<double>{all_of<ops::reduce_l2, double>({1e-200, 3e-200, 4e-200})}, {5.0990195135927845e-200},
                   1e-15));
static_assert(all_of<ops::reduce_l2, double>({3e-200, 4, 1e-170, 3}) == 5);

template <class T> constexpr T mean_of_window(const list<T>& x) {
  ops::avg_pool::attrs a;
  a.kernel = {1, static_cast<std::int64_t>(x.size())};
  return run<ops::avg_pool, T>(a, {1, 1, 1, 1}, filled<T>({1, 1, static_cast<std::int64_t>(x.size()), 1}, x))
      .elements[0];
}
static_assert(mean_of_window<float>({3.4e38F, 3.4e38F, 3.4e38F}) == 3.4e38F);
static_assert(mean_of_window<double>({1.7e308, 1.7e308}) == 1.7e308);

TEST_CASE("sums: infinities and NaN come out of them") {
  const double far = math::infinity<double>;
  CHECK(all_of<ops::reduce_mean, double>({1, far}) == far);
  CHECK(math::is_nan(all_of<ops::reduce_sum, double>({far, 1, -far})));
  CHECK(math::is_nan(all_of<ops::reduce_sum, double>({1.7e308, math::nan<double>, 1.7e308})));
  CHECK(all_of<ops::reduce_l2, double>({1e-300, -far}) == far);
  CHECK(math::is_nan(all_of<ops::reduce_l2, double>({1e-300, math::nan<double>})));
  CHECK(all_of<ops::reduce_prod, double>({-2, far}) == -far);
  CHECK(math::is_nan(all_of<ops::reduce_prod, double>({0, far})));
  CHECK(math::is_nan(layer<double>({1, far})[0]));
  CHECK(all_of<ops::reduce_prod, double>({far, 1e-300}) == far);
  CHECK(math::is_nan(layer<double>({1e200, 1e200}, 0)[0]));
  CHECK(math::is_nan(layer<double>({1, 1}, 0)[0]));
  CHECK(math::is_nan(shares<double>({1, far})[0]));
}

}  // namespace
