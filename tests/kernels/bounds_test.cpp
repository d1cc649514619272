#include <nnrt/kernels/bind/batch_norm.hpp>
#include <nnrt/kernels/bind/binary.hpp>
#include <nnrt/kernels/bind/instance_norm.hpp>
#include <nnrt/kernels/bind/l2_normalize.hpp>
#include <nnrt/kernels/bind/layer_norm.hpp>
#include <nnrt/kernels/bind/log_softmax.hpp>
#include <nnrt/kernels/bind/lrn.hpp>
#include <nnrt/kernels/bind/reduce_l2.hpp>
#include <nnrt/kernels/bind/reduce_mean.hpp>
#include <nnrt/kernels/bind/reductions.hpp>
#include <nnrt/kernels/bind/softmax.hpp>
#include <nnrt/kernels/bind/unary.hpp>
#include <support/measured.hpp>

using namespace nnrt_test;

// Each case is an operator's formula in long double, of operands that reach from subnormal numbers to nearly the
// largest. NNRT_PRINT_BOUNDS=1 prints what is measured, to tighten bounds that are much looser.

namespace {

using real = long double;
using reals = std::vector<real>;

constexpr real root_of_half = 0.707106781186547524400844362104849039L, pi = 3.141592653589793238462643383279502884L;

real logistic(real x) { return x < -11000 ? 0 : 1 / (1 + std::exp(-x)); }
real up_to_6(real x) { return x < 0 ? 0 : x > 6 ? 6 : x; }

template <class Op, class F>
void measure_function(const char* what, F f, const typename Op::attrs& attrs = {}, bool positive = false) {
  for (const dtype type : {f32, f16, f64}) {
    measured so_far(what, ops::of<Op>(), type);
    for (const std::vector<double>& x : arguments_for(type, positive)) {
      exact_results exact;
      for (const double number : x) exact.add(f(static_cast<real>(number)));
      so_far.add(words_of<Op>(attrs), {{{static_cast<std::int64_t>(x.size())}, x}}, exact);
    }
    so_far.check();
  }
}

}  // namespace

TEST_CASE("bounds: functions of one number are as exact as they say, on all of their domain") {
  measure_function<ops::exp>("exp", [](real x) { return std::exp(x); });
  measure_function<ops::log>(
      "log", [](real x) { return std::log(x); }, {}, true);
  measure_function<ops::sigmoid>("sigmoid", logistic);
  measure_function<ops::tanh>("tanh", [](real x) { return std::tanh(x); });
  measure_function<ops::erf>("erf", [](real x) { return std::erf(x); });
  measure_function<ops::swish>("swish", [](real x) { return x * logistic(x); });
  measure_function<ops::hswish>("hswish", [](real x) { return x * (up_to_6(x + 3) / 6); });
  measure_function<ops::hard_sigmoid>("hard_sigmoid", [](real x) { return up_to_6(x + 3) / 6; });
  measure_function<ops::sin>("sin", [](real x) { return std::sin(x); });
  measure_function<ops::cos>("cos", [](real x) { return std::cos(x); });
  measure_function<ops::sqrt>(
      "sqrt", [](real x) { return std::sqrt(x); }, {}, true);
  measure_function<ops::rsqrt>(
      "rsqrt", [](real x) { return 1 / std::sqrt(x); }, {}, true);
  measure_function<ops::reciprocal>(
      "reciprocal", [](real x) { return 1 / x; }, {}, true);
  measure_function<ops::gelu>("gelu", [](real x) { return x * std::erfc(-x * root_of_half) / 2; });
  ops::gelu::attrs approximate;
  approximate.approximate = true;
  measure_function<ops::gelu>(
      "gelu, approximate", [](real x) { return x * logistic(2 * std::sqrt(2 / pi) * (x + 0.044715L * x * x * x)); },
      approximate);
}

TEST_CASE("bounds: functions of two numbers, at magnitudes of all kinds") {
  for (const dtype type : {f32, f16, f64}) {
    measured power("pow", ops::of<ops::pow>(), type),
        square("squared_difference", ops::of<ops::squared_difference>(), type);
    for (const double exponent : {0.75, -0.5, 3.0, 0.3, 7.0}) {
      const std::vector<double> x = arguments_for(type, true)[0], y{as_quantised(type, exponent)};
      const auto n = static_cast<std::int64_t>(x.size());
      exact_results powers, squares;
      for (const double number : x) {
        powers.add(std::pow(static_cast<real>(number), static_cast<real>(y[0])));
        const real difference = static_cast<real>(number) - static_cast<real>(y[0]);
        squares.add(difference * difference);
      }
      power.add(words_of<ops::pow>({}), {{{n}, x}, {{1}, y}}, powers);
      square.add(words_of<ops::squared_difference>({}), {{{n}, x}, {{1}, y}}, squares);
    }
    power.check();
    square.check();
  }
}

namespace {

/// No bound is stated where n is above.
constexpr double largest_count = 0x1p45;

/// Numbers of all sizes, and such that scale * x + shift is nearly 0.
std::vector<double> arguments_around(dtype type, double scale, double shift) {
  std::vector<double> x = arguments_for(type, false)[0];
  for (int i = 0; i < 100; ++i)
    x.push_back(as_quantised(type, -shift / scale * (1 + (i % 2 == 0 ? 1 : -1) * std::ldexp(1.0 + i / 100.0, -i / 2))));
  for (double& number : x)
    if (std::fabs(number) > largest_in(type)) number = 0;
  return x;
}

struct affine {
  float scale, shift;
};
constexpr affine affines[] = {{1, 0},       {0.7F, 0},    {1, 3.5F},     {-2.3F, 100.3F},
                              {1, -700.7F}, {0.1F, 1e4F}, {1e-3F, 1e-3F}};

}  // namespace

TEST_CASE("bounds: exponentials with a base, a scale or a shift") {
  for (const dtype type : {f32, f16, f64}) {
    measured so_far("exp, scaled", ops::of<ops::exp>(), type);
    for (const float base : {-1.0F, 2.0F, 10.0F, 0.3F, 1.0001F, 1e30F})
      for (const affine& by : affines) {
        ops::exp::attrs attrs;
        attrs.base = base, attrs.scale = by.scale, attrs.shift = by.shift;
        const std::vector<double> x = arguments_around(type, by.scale, by.shift);
        const real logarithm = base == -1 ? 1 : std::log(real{base});
        exact_results exact;
        for (const double number : x) {
          const real product = real{number} * real{by.scale}, exponent = product + real{by.shift};
          const double n = static_cast<double>(std::fabs(logarithm) * ((by.scale != 1 ? std::fabs(product) : 0) +
                                                                       (by.shift != 0 ? std::fabs(exponent) : 0)));
          const real y = base == -1 ? std::exp(exponent) : std::pow(real{base}, exponent);
          exact.numbers_of_each.push_back(n);
          exact.add(y, n > largest_count ? std::numeric_limits<real>::infinity() : y);
        }
        so_far.add(words_of<ops::exp>(attrs), {{{static_cast<std::int64_t>(x.size())}, x}}, exact);
      }
    so_far.check();
  }
}

TEST_CASE("bounds: powers of bases that are scaled or shifted") {
  for (const dtype type : {f32, f16, f64}) {
    measured so_far("pow, scaled", ops::of<ops::pow>(), type);
    for (const double power : {0.75, -0.5, 3.0, 100.0, -7.0, 30000.0, 4e8}) {
      if (power > largest_in(type)) continue;
      for (const affine& by : affines) {
        ops::pow::attrs attrs;
        attrs.scale = by.scale, attrs.shift = by.shift;
        std::vector<double> x = arguments_around(type, by.scale, by.shift);
        for (int i = -50; i <= 50; ++i)  // bases near 1, of which high powers are finite
          x.push_back(as_quantised(type, (1 + std::ldexp(i, -28) - by.shift) / by.scale));
        const std::vector<double> y{as_quantised(type, power)};
        exact_results exact;
        for (const double number : x) {
          const real product = real{number} * real{by.scale}, of = product + real{by.shift},
                     ratio = std::fabs(product / of);
          const double n =
              static_cast<double>(std::fabs(real{y[0]}) * ((by.scale != 1 ? ratio : 0) + (by.shift != 0 ? 1 : 0)));
          const bool is_normal = by.scale == 1 || (std::fabs(product) >= 0x1p-1022L && std::fabs(product) < 0x1p1024L);
          const bool is_bound = n <= largest_count && ratio <= largest_count && is_normal;
          const real z = std::pow(of, real{y[0]});
          exact.numbers_of_each.push_back(n);
          exact.add(z, is_bound ? z : std::numeric_limits<real>::infinity());
        }
        so_far.add(words_of<ops::pow>(attrs), {{{static_cast<std::int64_t>(x.size())}, x}, {{1}, y}}, exact);
      }
    }
    so_far.check();
  }
}

namespace {

/// What becomes of one group, and the magnitudes that errors are counted in where that is not the result.
struct group_results {
  reals y, unit;
};

/// Groups as rows and, with the axis in front of another, as columns; `more` of a dtype are rows in addition to
/// rows_for().
template <class Op, class Attributes, class F, class More = std::vector<std::vector<double>> (*)(dtype)>
void measure_groups(
    const char* what, Attributes attributes, F f,
    More more = [](dtype) { return std::vector<std::vector<double>>{}; }) {
  for (const dtype type : {f32, f16, f64}) {
    measured so_far(what, ops::of<Op>(), type);
    std::vector<std::vector<double>> all = rows_for(type);
    for (const std::vector<double>& row : more(type)) all.push_back(row);
    for (const std::vector<double>& x : all) {
      const auto n = static_cast<std::int64_t>(x.size());
      const group_results made = f(reals(x.begin(), x.end()));
      exact_results rows, columns;
      rows.numbers = columns.numbers = static_cast<double>(n);
      for (std::size_t i = 0; i < made.y.size(); ++i) {
        rows.add(made.y[i], made.unit[i]);
        for (int column = 0; column < 3; ++column) columns.add(made.y[i], made.unit[i]);
      }
      std::vector<double> three;
      for (const double number : x) three.insert(three.end(), 3, number);
      const auto [row_attrs, row_more] = attributes(1);
      std::vector<real_operand> in{{{1, n}, x}};
      if (!row_more.empty()) in.push_back(row_more[0]);
      so_far.add(words_of<Op>(row_attrs), in, rows);
      if (n > 300) continue;
      const auto [column_attrs, column_more] = attributes(0);
      in = {{{n, 3}, three}};
      if (!column_more.empty()) in.push_back(column_more[0]);
      so_far.add(words_of<Op>(column_attrs), in, columns);
    }
    so_far.check();
  }
}

template <class Op> auto along_axis() {
  return [](std::int64_t axis) {
    typename Op::attrs attrs;
    if constexpr (requires { attrs.axis = axis; }) attrs.axis = axis;
    else attrs.axis = {axis};
    return std::pair(attrs, std::vector<real_operand>{});
  };
}
template <class Op> auto reduced_along() {
  return [](std::int64_t axis) {
    return std::pair(typename Op::attrs{}, std::vector<real_operand>{integer_operand({axis})});
  };
}

real largest_of(const reals& x) { return *std::max_element(x.begin(), x.end()); }
real largest_size(const reals& x) {
  real most = 0;
  for (const real number : x) most = std::max(most, std::fabs(number));
  return most;
}

group_results softmax_of(const reals& x) {
  const real most = largest_of(x);
  real sum = 0;
  for (const real number : x) sum += std::exp(number - most);
  reals y;
  for (const real number : x) y.push_back(std::exp(number - most) / sum);
  return {y, reals(x.size(), largest_of(y))};
}
group_results log_softmax_of(const reals& x) {
  const auto first = std::max_element(x.begin(), x.end());
  real rest = 0;
  for (auto at = x.begin(); at != x.end(); ++at)
    if (at != first) rest += std::exp(*at - *first);
  reals y;
  for (const real number : x) y.push_back((number - *first) - std::log1p(rest));
  return {y, y};
}
group_results l2_of(const reals& x, real epsilon) {
  real sum = 0;
  for (const real number : x) sum += number * number;
  reals y;
  for (const real number : x) y.push_back(number / std::sqrt(std::max(sum, epsilon)));
  return {y, y};
}

}  // namespace

TEST_CASE("bounds: softmax, log_softmax and l2_normalize of rows and columns, long and short, near and far from 0") {
  measure_groups<ops::softmax>("softmax", along_axis<ops::softmax>(), softmax_of);
  measure_groups<ops::log_softmax>("log_softmax", along_axis<ops::log_softmax>(), log_softmax_of);
  measure_groups<ops::l2_normalize>("l2_normalize", along_axis<ops::l2_normalize>(),
                                    [](const reals& x) { return l2_of(x, real{1e-6F}); });
}

namespace {

/// Factors whose product is rounded up each time, by about as much as can be: of some near 1 always the one for which
/// that is most; and a last one that makes units of what was lost.
std::vector<std::vector<double>> rounded_up(dtype type) {
  if (type == f16) return {};  // products of f16 are made in f64
  double product = as_quantised(type, 1.0003);
  std::vector<double> factors{product};
  for (std::uint32_t i = 1; i < 64; ++i) {
    double best = 1;
    real most = 0;
    for (const float random : random_floats(100, i + 1, 1.0F)) {
      const double factor = as_quantised(type, (1 + std::fabs(double{random}) * 1e-3) / (product > 1.001 ? 1.001 : 1));
      const real exact = real{product} * factor, up = real{as_quantised(type, product * factor)} / exact - 1;
      if (up > most) best = factor, most = up;
    }
    factors.push_back(best);
    product = as_quantised(type, product * best);
  }
  factors.push_back(as_quantised(type, 1.99));
  return {factors};
}

}  // namespace

TEST_CASE("bounds: reductions add, multiply and take lengths of rows and columns") {
  measure_groups<ops::reduce_sum>("reduce_sum", reduced_along<ops::reduce_sum>(), [](const reals& x) {
    real sum = 0, sizes = 0;
    for (const real number : x) sum += number, sizes += std::fabs(number);
    return group_results{{sum}, {sizes}};
  });
  measure_groups<ops::reduce_mean>("reduce_mean", reduced_along<ops::reduce_mean>(), [](const reals& x) {
    real sum = 0, sizes = 0;
    for (const real number : x) sum += number, sizes += std::fabs(number);
    const auto n = static_cast<real>(x.size());
    // No bound where the sum is beyond the largest float.
    return group_results{{sum / n}, {sizes < 3e38L ? sizes / n : std::numeric_limits<real>::infinity()}};
  });
  measure_groups<ops::reduce_l2>("reduce_l2", reduced_along<ops::reduce_l2>(), [](const reals& x) {
    real sum = 0;
    for (const real number : x) sum += number * number;
    return group_results{{std::sqrt(sum)}, {std::sqrt(sum)}};
  });
  measure_groups<ops::reduce_prod>(
      "reduce_prod", reduced_along<ops::reduce_prod>(),
      [](const reals& x) {
        // Where a product on the way, in any order, is no normal number of the dtype there is no bound.
        real product = 1, larger = 1, smaller = 1;
        for (const real number : x) {
          product *= number;
          if (std::fabs(number) > 1) larger *= std::fabs(number);
          else smaller *= std::fabs(number);
        }
        const bool is_normal = larger < 6e4L && smaller > 1e-4L;
        return group_results{{product}, {is_normal ? product : std::numeric_limits<real>::infinity()}};
      },
      rounded_up);
}

namespace {

/// Rows with mean 0 and variance 1, times a factor, plus an offset; see error_unit::largest.
group_results normalised(const reals& x, real epsilon, const reals& factor, const reals& offset) {
  // Numbers of f64 less the first are exact; the others leave digits to add up in.
  real mean = 0, variance = 0;
  for (const real number : x) mean += number - x[0];
  mean /= static_cast<real>(x.size());
  reals off;
  for (const real number : x) off.push_back((number - x[0]) - mean), variance += off.back() * off.back();
  const real deviation = std::sqrt(variance / static_cast<real>(x.size()) + epsilon);
  reals y;
  for (std::size_t i = 0; i < x.size(); ++i)
    y.push_back(off[i] / deviation * factor[i % factor.size()] + offset[i % offset.size()]);
  return {y, reals(x.size(), largest_size(off) / deviation * largest_size(factor) + largest_size(offset))};
}

/// Numbers of the dtype, as the kernel reads them.
std::vector<double> some_numbers(dtype type, std::int64_t n, std::uint32_t seed) {
  std::vector<double> numbers;
  for (const float number : random_floats(n, seed, 2.0F)) numbers.push_back(as_quantised(type, number));
  return numbers;
}

}  // namespace

TEST_CASE("bounds: normalisations of rows, however far their mean is from 0 compared with their differences") {
  for (const dtype type : {f32, f16, f64}) {
    measured layer("layer_norm", ops::of<ops::layer_norm>(), type),
        instance("instance_norm", ops::of<ops::instance_norm>(), type);
    for (const std::vector<double>& x : rows_for(type)) {
      const auto n = static_cast<std::int64_t>(x.size());
      for (const float epsilon : {1e-5F, 1e-12F, 0.0F}) {
        const real largest = largest_size(reals(x.begin(), x.end()));
        real mean = 0;
        for (const double number : x) mean += static_cast<real>(number) / static_cast<real>(n);
        bool differs = false;
        for (const double number : x) differs = differs || std::fabs(number - mean) > largest * 1e-15L;
        if (epsilon == 0 && !differs) continue;  // no number
        std::vector<double> gamma = some_numbers(type, n, 5);
        if (epsilon == 0)
          for (std::size_t i = 0; i < gamma.size(); ++i) gamma[i] = std::ldexp(gamma[i], -static_cast<int>(i % 8));
        const std::vector<double> beta = some_numbers(type, n, 6), one = some_numbers(type, 1, 7),
                                  other = some_numbers(type, 1, 8);
        const auto exact_of = [&](const std::vector<double>& factor, const std::vector<double>& offset) {
          const group_results made =
              normalised(reals(x.begin(), x.end()), real{epsilon}, reals(factor.begin(), factor.end()),
                         reals(offset.begin(), offset.end()));
          exact_results exact;
          for (std::size_t i = 0; i < made.y.size(); ++i) exact.add(made.y[i], made.unit[i]);
          exact.numbers = static_cast<double>(n);
          return exact;
        };
        ops::layer_norm::attrs of_layer;
        of_layer.epsilon = epsilon;
        layer.add(words_of<ops::layer_norm>(of_layer), {{{1, n}, x}, {{n}, gamma}, {{n}, beta}}, exact_of(gamma, beta));
        ops::instance_norm::attrs of_instance;
        of_instance.epsilon = epsilon;
        instance.add(words_of<ops::instance_norm>(of_instance), {{{1, 1, n}, x}, {{1}, one}, {{1}, other}},
                     exact_of(one, other));
      }
    }
    layer.check();
    instance.check();
  }
}

TEST_CASE("bounds: batch_norm, and sums of squares of neighbours to any power") {
  for (const dtype type : {f32, f16, f64}) {
    measured norm("batch_norm", ops::of<ops::batch_norm>(), type), response("lrn", ops::of<ops::lrn>(), type);
    for (const std::vector<double>& x : rows_for(type)) {
      const auto n = static_cast<std::int64_t>(x.size());
      if (n > 300) continue;
      const std::vector<double> scale = some_numbers(type, n, 5), offset = some_numbers(type, n, 6),
                                near = some_numbers(type, n, 7);
      // Means that are nearly the numbers, and such that are not.
      std::vector<double> mean = near;
      for (std::size_t i = 0; i < mean.size(); i += 2) mean[i] = as_quantised(type, x[i] * (1 + near[i] * 1e-3));
      std::vector<double> variance = some_numbers(type, n, 8);
      for (double& number : variance) number = std::fabs(number);
      ops::batch_norm::attrs attrs;
      attrs.epsilon = 1e-4F;
      exact_results exact;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const real product =
            (real{x[i]} - real{mean[i]}) * (real{scale[i]} / std::sqrt(real{variance[i]} + real{attrs.epsilon}));
        exact.add(product + real{offset[i]}, std::fabs(product) + std::fabs(real{offset[i]}));
      }
      norm.add(words_of<ops::batch_norm>(attrs),
               {{{1, n}, x}, {{n}, scale}, {{n}, offset}, {{n}, mean}, {{n}, variance}}, exact);
      for (const std::int64_t radius : {2, 40})
        for (const float beta : {0.75F, 0.5F, 1.0F, -0.5F, 0.3F, 2.5F, -3.7F, 17.3F, 59.5F, 61.0F, 1000.5F}) {
          ops::lrn::attrs by;
          by.depth_radius = radius, by.bias = beta < 0.6F ? 1.0F : 2.0F, by.alpha = radius == 2 ? 1e-4F : 1e4F,
          by.beta = beta;
          if (std::fabs(beta) > 10)
            by.bias = beta > 100 ? 0.9F : 1.0F, by.alpha = 1e-4F;  // of some the power is finite
          if (beta == 2.5F || beta == 0.3F) by.bias = 0;
          exact_results responses;
          responses.numbers = std::fabs(double{beta}) * static_cast<double>(2 * radius + 3);
          for (std::int64_t c = 0; c < n; ++c) {
            real sum = 0;
            for (std::int64_t k = std::max<std::int64_t>(0, c - radius); k < std::min(n, c + radius + 1); ++k)
              sum += real{x[static_cast<std::size_t>(k)]} * real{x[static_cast<std::size_t>(k)]};
            responses.add(real{x[static_cast<std::size_t>(c)]} *
                          std::pow(real{by.bias} + real{by.alpha} * sum, -real{beta}));
          }
          response.add(words_of<ops::lrn>(by), {{{1, n}, x}}, responses);
        }
    }
    norm.check();
    response.check();
  }
}
