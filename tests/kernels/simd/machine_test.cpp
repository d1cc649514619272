// machine_test: the operations of this instruction set against the portable ones of simd/generic.hpp, which they
// override, on random registers.
#include <nnrt/kernels/simd/saturating_pack.hpp>

#include <doctest/doctest.h>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace {

using namespace nnrt;
using kernels::machine;

struct registers_of_machine {
  using f32 = machine::f32;
};
/// The portable operations on registers of this machine's sizes.
struct portable : kernels::generic_machine<portable, registers_of_machine, machine::register_bytes> {};

using f32 = machine::f32;
using i32 = machine::i32;
using i16 = machine::i16;
using i8 = machine::i8;
constexpr int lanes = machine::f32_lanes, bytes = static_cast<int>(machine::register_bytes);

class random_registers {
  std::minstd_rand random_{7};

 public:
  template <class V> V bits() {
    unsigned char raw[sizeof(V)];
    for (unsigned char& byte : raw) byte = static_cast<unsigned char>(random_() >> 8U);
    V x;
    std::memcpy(&x, raw, sizeof x);
    return x;
  }
  /// Floats from -8 to 8.
  f32 floats() {
    float raw[lanes];
    for (float& x : raw) x = std::uniform_real_distribution<float>(-8, 8)(random_);
    f32 x;
    std::memcpy(&x, raw, sizeof x);
    return x;
  }
  /// The bits of floats in a register of integers.
  i32 floats_in_integers(float largest) {
    float raw[bytes / 4];
    for (float& x : raw) x = std::uniform_real_distribution<float>(-largest, largest)(random_);
    i32 x;
    std::memcpy(&x, raw, sizeof x);
    return x;
  }
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
};

template <class V> bool same(V a, V b) { return std::memcmp(&a, &b, sizeof a) == 0; }
float lane(f32 x, int i) {
  float raw[lanes];
  std::memcpy(raw, &x, sizeof x);
  return raw[i];
}
constexpr int trials = 200;

}  // namespace

TEST_CASE("machine: loads and stores of floats") {
  random_registers random;
  for (int t = 0; t < trials; ++t) {
    float memory[lanes + 1];
    for (float& x : memory) x = static_cast<float>(random.below(1000));
    CHECK(same(machine::load(memory), portable::load(memory)));
    CHECK(same(machine::broadcast_load(memory), portable::broadcast_load(memory)));
    CHECK(same(machine::broadcast(memory), portable::broadcast(memory)));
    CHECK(lane(machine::load_one(memory), 0) == memory[0]);
    const int n = 1 + t % lanes;
    const float rest = 0.5F;
    const f32 some = machine::load_n(memory, n);
    CHECK(same(some, portable::load_n(memory, n)));
    CHECK(same(machine::first_or(some, n, rest), portable::first_or(some, n, rest)));
    float stored[lanes], expected[lanes];
    for (int i = 0; i < lanes; ++i) stored[i] = expected[i] = -1;
    machine::store_n(stored, machine::load(memory), n), portable::store_n(expected, portable::load(memory), n);
    CHECK(std::memcmp(stored, expected, sizeof stored) == 0);
    machine::store(stored, some), portable::store(expected, some);
    CHECK(std::memcmp(stored, expected, sizeof stored) == 0);
  }
}

TEST_CASE("machine: arithmetic of floats") {
  random_registers random;
  for (int t = 0; t < trials; ++t) {
    const f32 x = random.floats(), y = random.floats(), z = random.floats();
    CHECK(same(machine::max(x, y), portable::max(x, y)));
    CHECK(same(machine::min(x, y), portable::min(x, y)));
    const f32 square = x * x;
    CHECK(same(machine::sqrt(square), portable::sqrt(square)));
    f32 sum = z;
    machine::add_product(sum, x, y);
    CHECK(same(sum, machine::fma(x, y, z)));
    for (int i = 0; i < lanes; ++i) {
      volatile float product = lane(x, i) * lane(y, i);  // not contracted
      const float expected =
          machine::has_one_rounding_fma ? std::fma(lane(x, i), lane(y, i), lane(z, i)) : product + lane(z, i);
      CHECK(lane(machine::fma(x, y, z), i) == expected);
    }
    CHECK(
        same(machine::scaled_by_low_bits(x, machine::all(3.0F)), portable::scaled_by_low_bits(x, portable::all(3.0F))));
    CHECK(same(machine::to_float(machine::bits(x)), portable::to_float(portable::bits(x))));
  }
}

namespace {

/// A template, since a scalar machine has no halves.
template <class Machine, class Portable> void check_halves() {
  if constexpr (Machine::has_half_vector) {
    random_registers random;
    for (int t = 0; t < trials; ++t) {
      const f32 x = random.floats(), y = random.floats(), z = random.floats();
      float memory[lanes];
      for (float& v : memory) v = static_cast<float>(random.below(1000));
      const auto bits = static_cast<unsigned>(t % 4);
      const typename Machine::some_halves there(bits);
      const typename Portable::some_halves expected(bits);
      CHECK(same(Machine::blend_halves(x, y), Portable::blend_halves(x, y)));
      CHECK(same(Machine::load_halves(memory, there), Portable::load_halves(memory, expected)));
      for (int i = 0; i < lanes; ++i) {
        const bool takes_part = (bits >> (i < lanes / 2 ? 0U : 1U) & 1U) != 0;
        CHECK(lane(Machine::fma_halves(x, y, z, there), i) == lane(takes_part ? Machine::fma(x, y, z) : z, i));
      }
      CHECK(same(Machine::broadcast_pair(memory), Portable::broadcast_pair(memory)));
      CHECK(same(Machine::pair_lanes(x, y), Portable::pair_lanes(x, y)));
      CHECK(same(Machine::sums_of_lane_pairs(x, y), Portable::sums_of_lane_pairs(x, y)));
      CHECK(same(Machine::load_half_twice(memory), Portable::load_half_twice(memory)));
      const int n = 1 + t % (Machine::f32_lanes / 2);
      float low[lanes] = {}, high[lanes] = {}, low_expected[lanes] = {}, high_expected[lanes] = {};
      Machine::store_halves(low, high, x, n), Portable::store_halves(low_expected, high_expected, x, n);
      CHECK(std::memcmp(low, low_expected, sizeof low) == 0);
      CHECK(std::memcmp(high, high_expected, sizeof high) == 0);
    }
  }
}

}  // namespace

TEST_CASE("machine: halves of a register of floats") { check_halves<machine, portable>(); }

TEST_CASE("machine: loads of integers") {
  random_registers random;
  for (int t = 0; t < trials; ++t) {
    const i8 memory = random.bits<i8>();
    const auto* const p = reinterpret_cast<const std::byte*>(&memory);
    CHECK(same(machine::load_bytes(p, 1 + t % bytes), portable::load_bytes(p, 1 + t % bytes)));
    CHECK(same(machine::load_widened<true>(p), portable::load_widened<true>(p)));
    CHECK(same(machine::load_widened<false>(p), portable::load_widened<false>(p)));
    CHECK(same(machine::load_widened_to_i32(p, true), portable::load_widened_to_i32(p, true)));
    CHECK(same(machine::load_widened_to_i32(p, false), portable::load_widened_to_i32(p, false)));
    CHECK(same(machine::broadcast_word(p), portable::broadcast_word(p)));
    CHECK(same(machine::broadcast_words(p), portable::broadcast_words(p)));
    const i32 x[] = {random.bits<i32>(), random.bits<i32>(), random.bits<i32>(), random.bits<i32>()};
    i32 ordered[4] = {}, expected[4] = {};
    machine::put_columns_in_order(x, ordered), portable::put_columns_in_order(x, expected);
    CHECK(std::memcmp(ordered, expected, sizeof ordered) == 0);
  }
}

TEST_CASE("machine: from accumulators to quantised values") {
  random_registers random;
  for (int t = 0; t < trials; ++t) {
    const i32 x = random.bits<i32>(), y = random.bits<i32>(), small = x >> 12;
    CHECK(machine::any_is_larger(x, y) == portable::any_is_larger(x, y));
    CHECK_FALSE(machine::any_is_larger(x, x));
    if constexpr (machine::has_exact_scale) {
      const i32 even = random.bits<i32>(), odd = random.bits<i32>();
      CHECK(same(machine::upper_halves(x, y >> 1, even >> 1, odd >> 1),
                 portable::upper_halves(x, y >> 1, even >> 1, odd >> 1)));
    }
    CHECK(same(machine::add_saturated((i16)x, (i16)y), portable::add_saturated((i16)x, (i16)y)));
    CHECK(same(machine::pack(small, y), portable::pack(small, y)));
    CHECK(same(machine::pack((i16)x, (i16)y >> 7), portable::pack((i16)x, (i16)y >> 7)));
    CHECK(same(machine::rows_apart((i8)x), portable::rows_apart((i8)x)));
    std::byte stored[bytes] = {}, expected[bytes] = {};
    machine::store_half<1>((i8)x, stored), portable::store_half<1>((i8)x, expected);
    CHECK(std::memcmp(stored, expected, sizeof stored) == 0);
    machine::store_quarter<2>((i8)x, stored), portable::store_quarter<2>((i8)x, expected);
    CHECK(std::memcmp(stored, expected, sizeof stored) == 0);
    const i32 values = random.floats_in_integers(1000);
    i32 nearest{}, distance{}, nearest_expected{}, distance_expected{};
    machine::round_floats(values, nearest, distance);
    portable::round_floats(values, nearest_expected, distance_expected);
    CHECK(same(nearest, nearest_expected));
    CHECK(same(distance, distance_expected));
    const i32 slope = random.floats_in_integers(1), offset = random.floats_in_integers(100),
              on_line = machine::on_line(small, slope, offset);
    for (int i = 0; i < bytes / 4; ++i) {
      const auto as_float = [](std::int32_t word) { return std::bit_cast<float>(word); };
      volatile float product = static_cast<float>(small[i]) * as_float(slope[i]);  // not contracted
      const float expected_sum = machine::lines_round_once && machine::has_lines && machine::has_one_rounding_fma
                                     ? std::fma(static_cast<float>(small[i]), as_float(slope[i]), as_float(offset[i]))
                                     : product + as_float(offset[i]);
      CHECK(as_float(on_line[i]) == expected_sum);
    }
  }
}

TEST_CASE("machine: tables of bytes, and sums of bytes") {
  random_registers random;
  std::byte entries[256];
  for (std::byte& entry : entries) entry = static_cast<std::byte>(random.below(256));
  for (int t = 0; t < trials; ++t) {
    const i8 x = random.bits<i8>(), y = random.bits<i8>();
    const machine::byte_table table(entries, entries + 128);
    const portable::byte_table expected_table(entries, entries + 128);
    CHECK(same(table.at(machine::table_places(x)), expected_table.at(portable::table_places(x))));
    const auto sixteen = random.bits<machine::i8x16>();
    CHECK(same(table.at(sixteen), expected_table.at(sixteen)));

    const auto* const p = reinterpret_cast<const std::byte*>(&x);
    const int n = 1 + t % bytes;
    const machine::first_bytes some(n);
    const portable::first_bytes expected_some(n);
    CHECK(same(machine::load_some(p, some), portable::load_some(p, expected_some)));
    CHECK(same(machine::keep_some(x, some), portable::keep_some(x, expected_some)));
    std::byte stored[bytes] = {}, expected[bytes] = {};
    machine::store_some(stored, x, some), portable::store_some(expected, x, expected_some);
    CHECK(std::memcmp(stored, expected, sizeof stored) == 0);

    CHECK(same(machine::broadcast_16_bytes(p), portable::broadcast_16_bytes(p)));
    CHECK(same(machine::shuffle_bytes(x, y), portable::shuffle_bytes(x, y)));
    CHECK(same(machine::subtract_saturated(x, y), portable::subtract_saturated(x, y)));
    const auto sum = random.bits<machine::i64>() >> 8;
    CHECK(same(machine::add_bytes(sum, x), portable::add_bytes(sum, x)));
    CHECK(machine::sum_of_longs(sum) == portable::sum_of_longs(sum));
    CHECK(same(machine::wide_products((i32)x, (i32)y), portable::wide_products((i32)x, (i32)y)));
    const i32 numbers = (i32)x & 255;
    machine::store_as_bytes(stored, numbers), portable::store_as_bytes(expected, numbers);
    CHECK(std::memcmp(stored, expected, sizeof stored) == 0);
  }
}

TEST_CASE("machine: sums of products of 16-bit values, and of lanes") {
  random_registers random;
  for (int t = 0; t < trials; ++t) {
    const i32 sum = random.bits<i32>() >> 8;
    const i16 x = random.bits<i16>() >> 1, y = random.bits<i16>() >> 1;
    CHECK(same(machine::dot2(sum, x, y), portable::dot2(sum, x, y)));
    if constexpr (machine::has_pairs_of_lanes) {
      const i32 a = random.bits<i32>() >> 1, b = random.bits<i32>() >> 1;
      CHECK(same(machine::paired_sums(a, b), portable::paired_sums(a, b)));
    }
  }
}
