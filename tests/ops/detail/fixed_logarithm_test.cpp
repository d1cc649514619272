// fixed_logarithm_test: logarithms in fixed-point numbers lie next to the exact ones, of sums beyond 32 bits, too.
#include <nnrt/ops/detail/fixed_logarithm.hpp>

#include <doctest/doctest.h>

using namespace nnrt;
namespace fixed = ops::detail::fixed;

namespace {

constexpr double one = 0x1p19;

constexpr double distance(std::int64_t sum) {
  return math::abs(static_cast<double>(fixed::logarithm_of(sum)) * 0x1p-26 - math::log(static_cast<double>(sum) / one));
}

}  // namespace

static_assert(math::round_half_away(math::log(2.0) * 0x1p31) == 1488522236);
static_assert(math::round_half_away(math::log(2.0) * 0x1p26) == 46516320);
static_assert(fixed::logarithm(1 << 19) <= 8 && fixed::logarithm(1 << 19) >= -8);

TEST_CASE("fixed logarithm: numbers from 1 to 4096, around each power of two and of its root, are right to 3e-7") {
  for (std::int64_t sum = 1 << 19; sum < std::int64_t{1} << 31; sum += sum / 97 + 1) {
    CAPTURE(sum);
    CHECK(distance(sum) < 3e-7);
  }
}

TEST_CASE("fixed logarithm: sums beyond 32 bits go on where those end") {
  for (std::int64_t sum = (std::int64_t{1} << 31) - 1; sum < std::int64_t{1} << 50; sum = sum * 3 / 2) {
    CAPTURE(sum);
    CHECK(distance(sum) < 1e-6);
  }
}
