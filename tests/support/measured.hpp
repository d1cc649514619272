// measured: what an operator computes against exact results, in the unit of the bound that it states.
// Flow: kernels/bounds_test.cpp gives operands and what a formula in long double makes of them; check() holds the
// largest error against the bound.
#pragma once

#include <support/kernels.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace nnrt_test {

/// A number as a tensor of this dtype stores it.
inline double as_quantised(dtype type, double number) {
  if (type == f16) return math::convert<double>(math::convert<float16>(number));
  return type == f32 ? double{math::convert<float>(number)} : number;
}
inline double largest_in(dtype type) {
  return type == f16   ? 65504.0
         : type == f32 ? double{std::numeric_limits<float>::max()}
                       : std::numeric_limits<double>::max();
}
/// The smallest normal number, and the digits, the hidden one counted.
inline int least_exponent(dtype type) { return type == f16 ? -14 : type == f32 ? -126 : -1022; }
inline int digits_of(dtype type) { return type == f16 ? 11 : type == f32 ? 24 : 53; }

/// The unit in the last place of a number.
inline long double unit_of(dtype type, long double number) {
  int exponent = 0;
  std::frexp(number, &exponent);
  if (number == 0 || exponent - 1 < least_exponent(type)) exponent = least_exponent(type) + 1;
  return std::ldexp(1.0L, exponent - digits_of(type));
}

/// One without axes and numbers is missing.
struct real_operand {
  shape_t shape;
  std::vector<double> numbers;
  bool is_integer = false;
  bool is_constant = false;
};
inline real_operand integer_operand(std::vector<std::int64_t> numbers) {
  return {{static_cast<std::int64_t>(numbers.size())}, std::vector<double>(numbers.begin(), numbers.end()), true};
}

/// Results in real numbers, and the magnitudes that errors are counted in where that is not the result.
struct exact_results {
  std::vector<long double> y, unit;
  double numbers = 1;
  std::vector<double> numbers_of_each;  // of each result; empty: `numbers` are those of all
  void add(long double result) { add(result, result); }
  void add(long double result, long double magnitude) { y.push_back(result), unit.push_back(magnitude); }
};

template <class Op> std::vector<word> words_of(const typename Op::attrs& attrs) {
  std::vector<word> words;
  pack(attrs, words);
  return words;
}

/// The largest error of many runs of an operator for one dtype.
class measured {
 public:
  measured(const char* what, const operator_info& op, dtype type)
      : what_(what), op_(op), type_(type), bound_(bound_for(op.label->errors, type)) {}

  void add(const std::vector<word>& words, const std::vector<real_operand>& in, const exact_results& exact) {
    add(words, in, std::vector<exact_results>{exact});
  }
  /// The first outputs of a node with several; those without exact results are none of real numbers.
  void add(const std::vector<word>& words, const std::vector<real_operand>& in,
           const std::vector<exact_results>& exact) {
    REQUIRE(bound_ != nullptr);
    std::vector<given_operand> given;
    for (const real_operand& x : in) given.push_back(as_given(x));
    tested_node node(op_, words, std::move(given), {});
    const kernel_choice choice = node.choose();
    if (choice) hold(node.kernel(choice, 1), exact, choice.name);
    hold(node.reference(), exact, "reference");
  }

  void check() const {
    CAPTURE(what_);
    CAPTURE(name_of(type_));
    REQUIRE(bound_ != nullptr);
    CAPTURE(worst_error_);
    CAPTURE(worst_);
    CHECK(ratio_ <= 1);
    if (std::getenv("NNRT_PRINT_BOUNDS") != nullptr)
      std::printf("%-18s %s: %5.1f %% of the bound %g + %g n: %.3f, %s\n", what_, std::string(name_of(type_)).c_str(),
                  100 * ratio_, bound_->ulp, bound_->per_number, worst_error_, worst_.c_str());
  }

 private:
  given_operand as_given(const real_operand& x) const {
    if (x.is_integer) {
      given_operand list = integers_of(std::vector<std::int64_t>(x.numbers.begin(), x.numbers.end()));
      list.desc.shape = x.shape;
      return list;
    }
    if (x.numbers.empty() && x.shape.rank == 0) return {};
    given_operand made = bytes_of({type_, x.shape}, nullptr_or_zeros(x.shape));
    with_element<types::floating>(type_, [&]<class T>(T) {
      for (std::size_t i = 0; i < x.numbers.size(); ++i) {
        const T element = math::convert<T>(x.numbers[i]);
        std::memcpy(made.bytes.data() + i * sizeof(T), &element, sizeof(T));
      }
    });
    made.is_constant = x.is_constant;
    return made;
  }
  const void* nullptr_or_zeros(const shape_t& shape) const {
    static std::vector<std::byte> zeros;
    zeros.resize(std::max<std::size_t>(zeros.size(), static_cast<std::size_t>(shape.elements()) * 8));
    return zeros.data();
  }

  void hold(const blocks& outputs, const std::vector<exact_results>& exact, std::string_view by) {
    for (std::size_t i = 0; i < exact.size(); ++i)
      if (!exact[i].y.empty()) hold(outputs[i], exact[i], by);
  }
  void hold(const std::vector<std::byte>& bytes, const exact_results& exact, std::string_view by) {
    with_element<types::floating>(type_, [&]<class T>(T) {
      REQUIRE(bytes.size() == exact.y.size() * sizeof(T));
      for (std::size_t i = 0; i < exact.y.size(); ++i) {
        T element;
        std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
        hold(math::convert<double>(element), exact.y[i],
             bound_->of != error_unit::result || std::isinf(exact.unit[i]) ? exact.unit[i] : exact.y[i],
             exact.numbers_of_each.empty() ? exact.numbers : exact.numbers_of_each[i], by);
      }
    });
  }
  void hold(double got, long double exact, long double magnitude, double numbers, std::string_view by) {
    // Nearly beyond the largest number either side of it is right.
    if (!(std::fabs(magnitude) < static_cast<long double>(largest_in(type_)) * 0.999L)) return;
    const long double least = std::ldexp(1.0L, least_exponent(type_));
    long double error = std::fabs(static_cast<long double>(got) - exact);
    if (bound_->vanishes && std::fabs(exact) < least && std::fabs(got) < static_cast<double>(least)) error = 0;
    const double units = std::isfinite(got) ? static_cast<double>(error / unit_of(type_, magnitude)) : 1e30;
    const double ratio = units / (bound_->ulp + bound_->per_number * numbers);
    if (ratio <= ratio_) return;
    ratio_ = ratio, worst_error_ = units;
    char text[160];
    std::snprintf(text, sizeof text, "%s: got %.9g, exact %.17Lg, n %g", std::string(by).c_str(), got, exact, numbers);
    worst_ = text;
  }

  const char* what_;
  const operator_info& op_;
  dtype type_;
  const error_bound* bound_;
  double ratio_ = 0, worst_error_ = 0;
  std::string worst_ = "exact";
};

/// Arguments of functions: of each magnitude, and denser where functions bend, of both signs unless positive.
inline std::vector<std::vector<double>> arguments_for(dtype type, bool positive) {
  std::vector<double> sizes;
  const int lowest = least_exponent(type) - digits_of(type) + 1, highest = -least_exponent(type);
  const int step = type == f64 ? 5 : 1;
  for (int exponent = lowest; exponent <= highest; exponent += step)
    for (const double fraction : {1.0, 1.0 + 0x1p-10, 1.25, 1.4142, 1.7, 2.0 - 0x1p-10})
      sizes.push_back(std::ldexp(fraction, exponent));
  const double ends = type == f64 ? 750 : type == f32 ? 110 : 20;
  for (int i = 1; i <= 3000; ++i) sizes.push_back(ends * i / 3001.0), sizes.push_back(4.0 * i / 2999.0);
  for (int i = 1; i <= 400; ++i) sizes.push_back(i * 1.5707963267948966 * (i % 5 == 0 ? 13 : 1));
  std::vector<double> numbers;
  for (const double size : sizes) {
    const double stored = as_quantised(type, size);
    if (stored > largest_in(type)) continue;
    numbers.push_back(stored);
    if (!positive) numbers.push_back(-stored);
  }
  return {numbers};
}

/// Rows of numbers: lengths from 1 to several vectors and far more; magnitudes from subnormal numbers to nearly the
/// largest; alternating, alike, far from 0 and nearly alike, falling off, one far above the others. Of the last four
/// kinds each number is lost when it, its square or its exponential is added to that of the first or second: no order
/// is worse.
inline std::vector<std::vector<double>> rows_for(dtype type) {
  std::vector<std::vector<double>> rows;
  const std::int64_t lengths[] = {1, 2, 3, 7, 17, 33, 65, 257, 5000};
  // f64 has no wider type to add squares in.
  const double largest = type == f64 ? 1e150 : largest_in(type),
               least = type == f64 ? 1e-150 : std::ldexp(1.0, least_exponent(type));
  std::uint32_t seed = 1;
  for (const std::int64_t n : lengths) {
    const auto row = [&](auto f) {
      std::vector<double> numbers;
      const std::vector<float> random = random_floats(n, ++seed, 1.0F);
      for (std::int64_t i = 0; i < n; ++i)
        numbers.push_back(as_quantised(type, f(double{random[static_cast<std::size_t>(i)]}, i)));
      rows.push_back(numbers);
    };
    for (const double range : {1.0, 8.0, 60.0, 1e3, largest * 0.9, least * 0.1, least * 8})
      row([range](double x, std::int64_t) { return x * range; });
    row([](double x, std::int64_t i) { return (i % 2 == 0 ? 1 : -1) * (1 + std::fabs(x)); });
    row([](double, std::int64_t) { return 0.1; });
    row([](double, std::int64_t) { return -2.3; });
    row([](double x, std::int64_t) { return 700 + x; });
    row([](double x, std::int64_t) { return -3000 + x * 2; });
    row([](double x, std::int64_t) { return 2000 + x * 0.01; });
    row([](double x, std::int64_t i) { return i == 0 ? 12 : x; });
    row([n](double x, std::int64_t i) { return i == n / 2 ? 40 : x - 5; });
    row([](double x, std::int64_t i) { return x * std::ldexp(1.0, -static_cast<int>(i % 20)); });
    row([n](double x, std::int64_t i) { return -16.5 + x * 30 * static_cast<double>(i) / static_cast<double>(n); });
    row([](double x, std::int64_t) { return std::log(std::fabs(x) + 1e-3); });
    const double lost = std::ldexp(1.0, -digits_of(type));
    row([lost](double, std::int64_t i) { return i == 0 ? 1 : lost; });
    row([lost](double, std::int64_t i) { return i == 0 ? 1.4143 : std::sqrt(2 * lost) * 0.99; });
    row([lost](double, std::int64_t i) { return i == 0 ? 0 : std::log(lost) - 0.01; });
    row([lost](double, std::int64_t i) { return i == 0 ? 27.03 : i == 1 ? 0 : std::log(lost) - 0.01; });
  }
  return rows;
}

}  // namespace nnrt_test
