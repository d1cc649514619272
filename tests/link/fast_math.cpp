// A program that is compiled with -ffast-math: what kernels round by adding a large number must still be rounded.
#include <nnrt/kernels/elementwise/functions.hpp>
#include <nnrt/kernels/int8/requantise/addend.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>

using namespace nnrt::kernels;

namespace {

constexpr int count = 64;
static_assert(count % (2 * f32_lanes) == 0);

/// Whether f of vectors is within 4e-7 of what the standard's function says in double.
template <class Function, class Expected> bool agrees(const char* name, Function f, Expected expected) {
  alignas(64) float x[count], y[count];
  for (int i = 0; i < count; ++i) x[i] = (static_cast<float>(i) - 31.3F) * 0.21F;
  for (int i = 0; i < count; i += 2 * static_cast<int>(f32_lanes)) {
    f32_vec v[2] = {load(x + i), load(x + i + f32_lanes)};
    f(v);
    store(y + i, v[0]), store(y + i + f32_lanes, v[1]);
  }
  double worst = 0;
  for (int i = 0; i < count; ++i) {
    const double right = expected(static_cast<double>(x[i]));
    worst = std::fmax(worst, std::fabs(right - static_cast<double>(y[i])) / (std::fabs(right) + 1e-3));
  }
  std::printf("%s: %.2g\n", name, worst);
  return worst < 4e-7;
}
/// Whether a function of one vector agrees.
template <class Function, class Expected> bool agree(const char* name, Function f, Expected expected) {
  return agrees(
      name, [&](f32_vec(&v)[2]) { v[0] = f(v[0]), v[1] = f(v[1]); }, expected);
}

/// Whether products of whole numbers and factors, as of addends in 8 bits, go to the nearest integer.
bool products_are_rounded() {
  bool ok = true;
  for (int begin = -128; begin < 128; begin += static_cast<int>(int_lanes)) {
    std::int32_t numbers[int_lanes], products[int_lanes];
    double factors[int_lanes];
    // of 31 bits, so that products are exact
    for (int i = 0; i < int_lanes; ++i) numbers[i] = begin + i, factors[i] = (0x2F5C28F5 + 20000000.0 * i) * 0x1p-31;
    store_vector(products, detail::rounded_products(load_vector<int_vector>(numbers), factors));
    for (int i = 0; i < int_lanes; ++i)
      ok &= products[i] == static_cast<std::int32_t>(std::nearbyint(numbers[i] * factors[i]));
  }
  std::printf("rounded_products: %s\n", ok ? "right" : "wrong");
  return ok;
}

}  // namespace

int main() {
  bool ok = agrees(
      "exponentials_of", [](f32_vec(&v)[2]) { exponentials_of(v); }, [](double x) { return std::exp(x); });
  ok &= agree(
      "exp_of", [](f32_vec v) { return exp(v); }, [](double x) { return std::exp(x); });
  ok &= agree(
      "sigmoid_of", [](f32_vec v) { return sigmoid_of(v); }, [](double x) { return 1 / (1 + std::exp(-x)); });
  ok &= agree(
      "erf_of", [](f32_vec v) { return erf_of(v); }, [](double x) { return std::erf(x); });
  ok &= agree(
      "log_of", [](f32_vec v) { return log_of(abs(v)); }, [](double x) { return std::log(std::fabs(x)); });
  ok &= agree("sine", sine_lanes<0>(), [](double x) { return std::sin(x); });
  ok &= agree("cosine", sine_lanes<1>(), [](double x) { return std::cos(x); });
  ok &= agree(
      "rounded", [](f32_vec v) { return rounded(v); }, [](double x) { return std::nearbyint(x); });
  ok &= products_are_rounded();
  return ok ? 0 : 1;
}
