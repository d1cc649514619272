#include <nnrt/kernels/int8/gemm/gemm.hpp>

#include <doctest/doctest.h>
#include <algorithm>
#include <random>
#include <set>
#include <vector>

using namespace nnrt;
using namespace nnrt::kernels;

namespace {

/// What the channels of a panel are like, so that they are scaled by a line, exactly, or one by one.
enum class panel_kind { lines, steep_lines, exact, alone };

constexpr std::int64_t columns_of_four = 2 * int8_packing::panel_width;

/// A layer of one row whose panels are of these kinds, in turns.
struct one_row {
  std::int64_t k, n;
  int8_packing packing;
  int8_factors factors;
  scaled_range range;
  std::vector<std::int8_t> weights;
  std::vector<int8_channel> channels;
  std::vector<std::byte> x, room;
  std::byte* packed;

  one_row(std::int64_t depth, std::int64_t columns, std::vector<panel_kind> kinds, bool rises)
      : k(depth), n(columns), packing(int8_packing::of(1, k, n)) {
    std::mt19937 any(static_cast<unsigned>(n + k));
    const auto number = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(any); };
    factors = {number(-128, 127), 0, false};
    range = {rises ? 0 : -128 + 10, rises ? 255 : 127 + 10, rises ? -128 : -10};
    for (std::int64_t i = 0; i < k * n; ++i) weights.push_back(static_cast<std::int8_t>(number(-127, 127)));
    for (std::int64_t i = 0; i < k; ++i) x.push_back(static_cast<std::byte>(number(0, 255)));
    for (std::int64_t o = 0; o < n; ++o) {
      const panel_kind kind = kinds[static_cast<std::size_t>(o / columns_of_four) % kinds.size()];
      const double few = 2e-5 * (1 + number(0, 1000) * 1e-3);
      int8_channel channel{fixed_point_of(kind == panel_kind::lines         ? 0.0123
                                          : kind == panel_kind::steep_lines ? 0.0517
                                                                            : few),
                           number(-3000, 3000)};
      if (kind == panel_kind::alone) channel.rounding = quantised_rounding::half_to_even;
      channels.push_back(channel);
    }
    room.resize(static_cast<std::size_t>(packing.bytes()) + 64);
    packed = room.data() + (64 - reinterpret_cast<std::uintptr_t>(room.data()) % 64);
    int8_pack(
        packing, factors, range,
        [&](std::int64_t o, std::int64_t, std::int64_t i) { return weights[static_cast<std::size_t>(o * k + i)]; },
        [&](std::int64_t o) { return channels[static_cast<std::size_t>(o)]; }, packed);
  }
  int8_product product() const {
    return {packing, packed, factors,
            narrowing(range.low + zero_point(), range.high + zero_point(), zero_point(), false)};
  }
  std::int32_t zero_point() const { return range.zero; }
  std::vector<std::byte> expected() const {
    std::vector<std::byte> y;
    for (std::int64_t o = 0; o < n; ++o) {
      std::int64_t sum = channels[static_cast<std::size_t>(o)].bias;
      for (std::int64_t i = 0; i < k; ++i)
        sum += (static_cast<std::int8_t>(x[static_cast<std::size_t>(i)]) - factors.a_zero) *
               weights[static_cast<std::size_t>(o * k + i)];
      const std::int32_t scaled = kernels::detail::scaled(sum, channels[static_cast<std::size_t>(o)]);
      y.push_back(static_cast<std::byte>(std::clamp(scaled, range.low, range.high) + zero_point()));
    }
    return y;
  }
  /// How the panels that lie in fours are scaled.
  std::set<int> methods() const {
    std::set<int> found;
    for (std::int64_t panel = 0; panel < 2 * packing.fours; panel += 2)
      found.insert(static_cast<int>(reinterpret_cast<const channel_scales*>(packed)[2 * panel].in_tile));
    return found;
  }
};

void check(const one_row& layer) {
  CAPTURE(layer.k);
  CAPTURE(layer.n);
  const std::vector<std::byte> expected = layer.expected();
  std::vector<std::byte> y(expected.size());
  int8_gemm<>(layer.product(), 1, {layer.x.data(), layer.k}, {y.data(), layer.n});
  CHECK(y == expected);
  for (const std::int64_t parts : {2, 3, 7}) {
    std::fill(y.begin(), y.end(), std::byte{});
    for (std::int64_t i = 0; i < parts; ++i)
      int8_gemm<>(layer.product(), 1, {layer.x.data(), layer.k}, {y.data(), layer.n}, {{i, parts}});
    CHECK(y == expected);
  }
  std::fill(y.begin(), y.end(), std::byte{});
  for (std::int64_t panel = 0; panel < layer.packing.panels(); panel = layer.packing.undivided(panel + 2))
    int8_gemm_panels<>(layer.product(), layer.x.data(), y.data(),
                       {panel, std::min(layer.packing.panels(), layer.packing.undivided(panel + 2))});
  CHECK(y == expected);
}

}  // namespace

TEST_CASE(
    "rows of bytes: panels in fours are scaled by each method, where sums are made unless they are scaled one by one") {
  using enum panel_kind;
  for (const bool rises : {false, true})
    for (const std::int64_t k : {4, 64, 640})
      for (const panel_kind kind : {lines, exact, alone}) {
        const one_row layer(k, 3 * columns_of_four, {kind}, rises);
        check(layer);
        const scale_method line = rises ? scale_method::by_rising_line : scale_method::by_line,
                           exactly = rises ? scale_method::rising_exactly : scale_method::exactly;
        const scale_method wanted = kind == lines ? line : kind == exact ? exactly : scale_method::one_by_one;
        // a narrow panel may have a line by chance
        if (k == 640 && has_exact_scale) CHECK(layer.methods().contains(static_cast<int>(wanted)));
      }
}

TEST_CASE("rows of bytes: panels of many methods after each other, and columns that are no whole four") {
  using enum panel_kind;
  for (const bool rises : {false, true})
    for (const std::int64_t further :
         {std::int64_t{0}, std::int64_t{1}, int_lanes, int8_packing::panel_width, int8_packing::panel_width + 3})
      for (const std::vector<panel_kind>& kinds : {std::vector{lines, lines, exact},
                                                   {exact, alone, lines},
                                                   {alone, alone, exact, exact},
                                                   {lines, steep_lines}})
        check(one_row(132, 7 * columns_of_four + further, kinds, rises));
}
