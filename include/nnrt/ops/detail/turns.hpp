// turns: points of the unit circle at fractions of a turn, the factors of Fourier transforms.
// Flow: used by dft's reference and kernel to make a table.
#pragma once

#include <nnrt/core/math.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// cos and sin of an angle.
struct turn {
  double cosine = 1, sine = 0;
};

/// k / n of a turn, 0 <= k < n. Angles are reduced to the first eighth of a turn, so that quarters are exact and both
/// coordinates have an error of about 1 ULP of f64.
constexpr turn turn_of(std::int64_t k, std::int64_t n) {
  constexpr double quarter_turn = 1.5707963267948966;
  const std::int64_t quarters = 4 * k / n, rest = 4 * k % n;
  const bool is_second_half = 2 * rest > n;
  const double angle = quarter_turn * (static_cast<double>(is_second_half ? n - rest : rest) / static_cast<double>(n));
  const double along = math::cos(angle), across = math::sin(angle);
  const turn first = is_second_half ? turn{across, along} : turn{along, across};
  switch (quarters) {
    case 0: return first;
    case 1: return {-first.sine, first.cosine};
    case 2: return {-first.cosine, -first.sine};
    default: return {first.sine, -first.cosine};
  }
}

/// Computes all n turns by put(k, turn), in order: an eighth of a turn, if n is divisible by 8, and mirror images of
/// it. `at(k)` returns what put(k) stored.
template <class At, class Put> constexpr void make_turns(std::int64_t n, At at, Put put) {
  const std::int64_t quarter = n % 4 == 0 ? n / 4 : n;
  for (std::int64_t k = 0; k < n; ++k) {
    if (2 * k > n) put(k, turn{at(n - k).cosine, -at(n - k).sine});
    else if (k >= quarter) put(k, turn{-at(k - quarter).sine, at(k - quarter).cosine});
    else if (quarter < n && 2 * k > quarter) put(k, turn{at(quarter - k).sine, at(quarter - k).cosine});
    else put(k, turn_of(k, n));
  }
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
