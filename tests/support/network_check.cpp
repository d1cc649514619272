// network_check: random numbers and comparisons, compiled once for all programs of tests/networks.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt_test {

using reals = std::vector<float>;
using spans = std::vector<std::span<const float>>;

namespace {

/// Numbers that follow from a name, uniform in [low, high].
reals uniform(std::string_view name, std::int64_t count, double low, double high) {
  std::uint64_t state = 0x9e3779b97f4a7c15U;
  for (const char letter : name) state = (state ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  reals numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    numbers.push_back(static_cast<float>(low + (high - low) * static_cast<double>(state >> 40U) * 0x1p-24));
  }
  return numbers;
}

double root_mean_square(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number * number;
  return std::sqrt(sum / static_cast<double>(numbers.empty() ? 1 : numbers.size()));
}

}  // namespace

reals random_input(std::string_view name, std::int64_t elements) { return uniform(name, elements, -1, 1); }

reals random_weight(std::string_view name, int rank, std::int64_t elements, std::int64_t outputs) {
  if (rank >= 2) {
    const double inputs = static_cast<double>(elements) / static_cast<double>(outputs);
    const double most = std::sqrt(3.0 * 2.0 / inputs);  // uniform in [-a, a] has the variance a² / 3
    return uniform(name, elements, -most, most);
  }
  if (name.ends_with("bias") || name.ends_with("running_mean")) return uniform(name, elements, -0.2, 0.2);
  return uniform(name, elements, 0.5, 1.5);
}

bool near(const char* what, const spans& got, const std::vector<std::vector<double>>& expected) {
  bool ok = got.size() == expected.size();
  for (std::size_t i = 0; ok && i < got.size(); ++i) {
    const double size = root_mean_square(expected[i]);
    double worst = 0, worst_relative = 0;
    std::size_t at = 0;
    ok = got[i].size() == expected[i].size();
    for (std::size_t k = 0; ok && k < got[i].size(); ++k) {
      const double y = expected[i][k], difference = std::abs(static_cast<double>(got[i][k]) - y);
      const double error = difference / (std::abs(y) > size ? std::abs(y) : size);
      if (!(error <= worst)) worst = error, at = k;
      worst_relative = std::max(worst_relative, difference / std::abs(y));
    }
    std::printf("%s, output %zu: %zu elements of size %.3g, error %.2g (relative to each element alone %.2g)\n", what,
                i, got[i].size(), size, worst, worst_relative);
    if (ok && worst <= 1e-4 && size > 0) continue;
    if (ok) std::printf("element %zu is %.9g, expected %.9g\n", at, static_cast<double>(got[i][at]), expected[i][at]);
    else std::printf("expected %zu elements\n", expected[i].size());
    ok = false;
  }
  return ok;
}

bool same_bits(const char* what, const spans& got, const std::vector<reals>& expected) {
  bool ok = got.size() == expected.size();
  for (std::size_t i = 0; ok && i < got.size(); ++i)
    ok =
        got[i].size() == expected[i].size() && std::memcmp(got[i].data(), expected[i].data(), got[i].size_bytes()) == 0;
  if (!ok) std::printf("%s: other bits than the executor with one thread\n", what);
  return ok;
}

bool took_nothing(const char* what, long calls) {
  if (calls != 0) std::printf("%s: %ld allocations during a run, expected none\n", what, calls);
  return calls == 0;
}

}  // namespace nnrt_test
