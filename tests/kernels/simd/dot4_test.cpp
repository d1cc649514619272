#include <nnrt/kernels/simd/dot4.hpp>

#include <doctest/doctest.h>
#include <algorithm>
#include <cstdint>
#include <random>

using namespace nnrt;
using namespace nnrt::kernels;

namespace {

/// Four bytes of a lane.
struct quad {
  std::int8_t of[4];

  std::int32_t word() const {
    std::int32_t bits;
    __builtin_memcpy(&bits, of, sizeof bits);
    return bits;
  }
};

/// Numbers at which products, their sums of two and sizes are the largest that there are.
constexpr std::int8_t extremes[] = {-128, -127, -1, 0, 1, 126, 127};
constexpr std::size_t kinds = std::size(extremes);
quad extreme_quad(std::size_t i) {
  return {{extremes[i % kinds], extremes[i / kinds % kinds], extremes[i / kinds / kinds % kinds],
           extremes[i / kinds / kinds / kinds]}};
}
constexpr std::size_t extreme_quads = kinds * kinds * kinds * kinds;

quad random_quad(std::mt19937& any) {
  quad x{};
  for (std::int8_t& byte : x.of) byte = static_cast<std::int8_t>(any() >> 24);
  return x;
}

/// Weights and what they meet, as it is stored, in each lane.
struct lanes_of_quads {
  quad w[int_lanes], x[int_lanes];
  std::int32_t flip;  // of quantised bytes to what dot products see

  std::int32_t seen(std::int64_t lane, int i) const {
    const auto byte = static_cast<std::uint8_t>(static_cast<std::uint8_t>(x[lane].of[i]) ^ (flip & 0xff));
    return dots_are_signed ? static_cast<std::int8_t>(byte) : byte;
  }
  std::int32_t expected(std::int64_t lane) const {
    std::int64_t sum = 1000;
    for (int i = 0; i < 4; ++i) sum += w[lane].of[i] * seen(lane, i) - left_out(w[lane].of[i]);
    return static_cast<std::int32_t>(sum);
  }
  int_vector stored() const {
    int_vector words{};
    for (std::int64_t lane = 0; lane < int_lanes; ++lane) words[lane] = x[lane].word();
    return words;
  }
};

void check(const lanes_of_quads& at) {
  alignas(64) std::byte weights[dot_bytes], narrow[narrow_dot_bytes], placed[dot_bytes];
  int_vector words{};
  for (std::int64_t lane = 0; lane < int_lanes; ++lane) {
    for (int i = 0; i < 4; ++i)
      put_weight(weights, lane, i, at.w[lane].of[i], at.flip), put_narrow_weight(narrow, lane, i, at.w[lane].of[i]);
    words[lane] = at.w[lane].word();
  }
  const int_vector start = int_lanes_of(1000), flip = int_lanes_of(at.flip);
  const int_vector by_tiles =
      dot4(start, values_of(in_order(weights_flip ? at.stored() : at.stored() ^ flip)), load_weights(weights));
  const int_vector by_rows = dot4(start, values_of(in_order(at.stored() ^ flip)), load_narrow_weights(narrow));
  const int_vector sums = sum4(start, words);
  store_narrow_weights(placed, words);
  CHECK(std::equal(narrow, narrow + narrow_dot_bytes, placed));
  store_weights(placed, weights_of(words, flip));
  CHECK(std::equal(weights, weights + dot_bytes, placed));
  for (std::int64_t lane = 0; lane < int_lanes; ++lane) {
    CHECK(by_tiles[lane] == at.expected(lane));
    CHECK(by_rows[lane] == at.expected(lane));
    const auto& of = at.w[lane].of;
    CHECK(sums[lane] == 1000 + of[0] + of[1] + of[2] + of[3]);
  }
}

/// Calls check() with every quad of extremes as weights, and as many quads of each kind as what they meet.
void check_all(bool is_unsigned) {
  std::mt19937 any(5);
  lanes_of_quads at{};
  at.flip = is_unsigned == dots_are_signed ? static_cast<std::int32_t>(0x80808080U) : 0;
  for (std::size_t i = 0; i < extreme_quads; i += int_lanes)
    for (int round = 0; round < 8; ++round) {
      for (std::int64_t lane = 0; lane < int_lanes; ++lane) {
        const std::size_t place = (i + static_cast<std::size_t>(lane)) % extreme_quads;
        at.w[lane] = round < 6 ? extreme_quad(place) : random_quad(any);
        at.x[lane] = round % 2 == 0 ? extreme_quad(any() % extreme_quads) : random_quad(any);
      }
      check(at);
    }
  // All of one sign: the sums of two products that saturate first.
  for (const std::int8_t w : {std::int8_t{-128}, std::int8_t{-127}, std::int8_t{127}})
    for (const std::int8_t x : extremes) {
      std::fill(at.w, at.w + int_lanes, quad{{w, w, w, w}}), std::fill(at.x, at.x + int_lanes, quad{{x, x, x, x}});
      check(at);
    }
}

TEST_CASE("byte_dots: four products of signed bytes are exact, the largest ones too") { check_all(false); }

TEST_CASE("byte_dots: four products of bytes without a sign are exact, the largest ones too") { check_all(true); }

TEST_CASE("byte_dots: two products of 16 bits are exact") {
  std::mt19937 any(6);
  for (int round = 0; round < 200; ++round) {
    int16_vector x{}, w{};
    for (std::int64_t i = 0; i < int16_lanes; ++i) {
      x[i] = static_cast<std::int16_t>(any() % 4095 - 2047), w[i] = static_cast<std::int16_t>(any() % 4095 - 2047);
      if (round % 4 == 0) x[i] = 2047, w[i] = -2048;
    }
    const int_vector sums = dot2(int_lanes_of(-7), x, w);
    std::int64_t expected = -7 * int_lanes, all = 0;
    for (std::int64_t i = 0; i < int16_lanes; ++i) expected += x[i] * w[i];
    for (std::int64_t lane = 0; lane < int_lanes; ++lane) all += sums[lane];
    CHECK(all == expected);  // of NEON's halves each lane has another two
  }
}

}  // namespace
