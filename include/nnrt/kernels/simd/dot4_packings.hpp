// dot4_packings: the dot products of 8-bit values on each kind of machine, and how their factors are packed.
// Flow: simd/dot4.hpp uses the one for the machine.
//
// Each packing has
//   values, weights             the first and the second factor: four products in each 32-bit lane
//   kept                        what a tile keeps in registers of weights that several rows use
//   place_of_byte(i)            place (0 to 3) of the weight that byte i of a lane is multiplied with
//   put_weight, put_narrow_weight  write one weight; narrow ones take one register, and are for weights read once
//   load_weights, load_narrow_weights, store_narrow_weights, weights_of, unit_weights, keep_weights_at
//   dot4, dot4_at               sum + the four products of each lane
#pragma once

#include <nnrt/kernels/simd/int8_lanes.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Plain bytes: one instruction for four products, or portable code.
template <class Machine, dot4_packing = Machine::dots> struct dot4_of_packing {
  struct values {
    int_vector bytes;
  };
  struct weights {
    int_vector bytes;
  };
  using kept = weights;

  static constexpr std::int64_t place_of_byte(std::int64_t i) { return i; }
  [[gnu::always_inline]] static values values_of(int_vector bytes) { return {bytes}; }
  [[gnu::always_inline]] static int_vector in_order(int_vector bytes) { return bytes; }

  static void put_weight(std::byte* weights, std::int64_t lane, std::int64_t place, std::int8_t value, std::int32_t) {
    std::memcpy(weights + lane * 4 + place, &value, sizeof value);
  }
  static void put_narrow_weight(std::byte* weights, std::int64_t lane, std::int64_t place, std::int8_t value) {
    put_weight(weights, lane, place, value, 0);
  }
  [[gnu::always_inline]] static weights weights_of(int_vector bytes, int_vector) { return {bytes}; }
  [[gnu::always_inline]] static weights load_weights(const std::byte* p) { return {load_vector<int_vector>(p)}; }
  [[gnu::always_inline]] static weights load_narrow_weights(const std::byte* p) { return load_weights(p); }
  [[gnu::always_inline]] static void store_narrow_weights(std::byte* p, int_vector bytes) { store_vector(p, bytes); }
  [[gnu::always_inline]] static void keep_weights(weights& w) { vector_barrier(w.bytes); }
  [[gnu::always_inline]] static weights unit_weights() { return {int_lanes_of(0x01010101)}; }

  [[gnu::always_inline]] static int_vector dot4(int_vector sum, values x, weights w) {
    return Machine::dot4(sum, x.bytes, w.bytes);
  }
  [[gnu::always_inline]] static kept keep_weights_at(const std::byte* p) { return load_weights(p); }
  [[gnu::always_inline]] static int_vector dot4_at(int_vector sum, values x, kept w, const std::byte*) {
    return dot4(sum, x, w);
  }
  template <int I> [[gnu::always_inline]] static int_vector dot4_lane(int_vector sum, int_vector x, weights w) {
    return Machine::template dot4_lane<I>(sum, x, w.bytes);
  }
};

/// AVX2: weights as magnitudes, up to 128, and what the values are exclusive-ored with, all bits where a weight is
/// negative. For such a weight -n, n times -x - 1 is n too little, see left_out().
template <class Machine> struct dot4_of_packing<Machine, dot4_packing::sign_flipped> {
  struct values {
    int_vector bytes;
  };
  struct weights {
    int_vector magnitudes, flips;
  };
  /// The magnitudes: flips are an operand in memory, which takes no instruction.
  struct kept {
    int_vector magnitudes;
  };

  static constexpr std::int64_t place_of_byte(std::int64_t i) { return i; }
  [[gnu::always_inline]] static values values_of(int_vector bytes) { return {bytes}; }
  [[gnu::always_inline]] static int_vector in_order(int_vector bytes) { return bytes; }

  static void put_weight(std::byte* weights, std::int64_t lane, std::int64_t place, std::int8_t value,
                         std::int32_t flip) {
    weights[lane * 4 + place] = static_cast<std::byte>(value < 0 ? -value : value);
    weights[register_bytes + lane * 4 + place] = static_cast<std::byte>((value < 0 ? 0xff : 0) ^ (flip & 0xff));
  }
  static void put_narrow_weight(std::byte* weights, std::int64_t lane, std::int64_t place, std::int8_t value) {
    std::memcpy(weights + lane * 4 + place, &value, sizeof value);
  }
  [[gnu::always_inline]] static weights weights_of(int_vector bytes, int_vector flip) {
    return {Machine::magnitudes(bytes), Machine::signs(bytes) ^ flip};
  }
  [[gnu::always_inline]] static weights load_weights(const std::byte* p) {
    return {load_vector<int_vector>(p), load_vector<int_vector>(p + register_bytes)};
  }
  [[gnu::always_inline]] static weights load_narrow_weights(const std::byte* p) {
    return weights_of(load_vector<int_vector>(p), int_vector{});
  }
  [[gnu::always_inline]] static void store_narrow_weights(std::byte* p, int_vector bytes) { store_vector(p, bytes); }
  [[gnu::always_inline]] static void keep_weights(weights& w) { vector_barrier(w.magnitudes), vector_barrier(w.flips); }
  [[gnu::always_inline]] static weights unit_weights() { return {int_lanes_of(0x01010101), int_vector{}}; }

  [[gnu::always_inline]] static int_vector dot4(int_vector sum, values x, weights w) {
    return Machine::dot4_flipped(sum, x.bytes, w.magnitudes, w.flips);
  }
  [[gnu::always_inline]] static kept keep_weights_at(const std::byte* p) { return {load_vector<int_vector>(p)}; }
  [[gnu::always_inline]] static int_vector dot4_at(int_vector sum, values x, kept w, const std::byte* p) {
    return Machine::dot4_flipped(sum, x.bytes, w.magnitudes, p + register_bytes);
  }
};

/// Both factors widened to 16 bits, two of the four values of each lane in each of two registers. IsByRows: a register
/// holds one of a lane's values in its lower half and another one in its upper half; else next to each other.
template <class Machine, bool IsByRows> struct widened_dot4 {
  struct values {
    int_vector first, second;
  };
  using weights = values;
  using kept = weights;

  /// Index of the 16-bit weight of a lane in its register.
  static constexpr std::int64_t wide_place(std::int64_t lane, std::int64_t place) {
    return IsByRows ? place % 2 * int_lanes + lane : lane * 2 + place % 2;
  }
  static void put_weight(std::byte* weights, std::int64_t lane, std::int64_t place, std::int8_t value, std::int32_t) {
    const std::int16_t wide = value;
    std::memcpy(weights + place / 2 * register_bytes + 2 * wide_place(lane, place), &wide, sizeof wide);
  }
  static void put_narrow_weight(std::byte* weights, std::int64_t lane, std::int64_t place, std::int8_t value) {
    std::memcpy(weights + place / 2 * (register_bytes / 2) + wide_place(lane, place), &value, sizeof value);
  }
  [[gnu::always_inline]] static weights load_weights(const std::byte* p) {
    return {load_vector<int_vector>(p), load_vector<int_vector>(p + register_bytes)};
  }
  [[gnu::always_inline]] static weights load_narrow_weights(const std::byte* p) {
    return {(int_vector)load_widened<true>(p), (int_vector)load_widened<true>(p + register_bytes / 2)};
  }
  [[gnu::always_inline]] static void keep_weights(weights& w) { vector_barrier(w.first), vector_barrier(w.second); }
  [[gnu::always_inline]] static weights unit_weights() { return {int_lanes_of(0x00010001), int_lanes_of(0x00010001)}; }

  [[gnu::always_inline]] static int_vector dot4(int_vector sum, values x, weights w) {
    return Machine::dot2_rows(Machine::dot2_rows(sum, x.first, w.first), x.second, w.second);
  }
  [[gnu::always_inline]] static kept keep_weights_at(const std::byte* p) { return load_weights(p); }
  [[gnu::always_inline]] static int_vector dot4_at(int_vector sum, values x, kept w, const std::byte*) {
    return dot4(sum, x, w);
  }
};

/// Bytes 0 and 2 of each lane in the first register, bytes 1 and 3 in the second; weights accordingly.
template <class Machine> struct dot4_of_packing<Machine, dot4_packing::widened> : widened_dot4<Machine, false> {
  using base = widened_dot4<Machine, false>;
  using typename base::values;
  using typename base::weights;

  /// Separating bytes in their order takes longer.
  static constexpr std::int64_t place_of_byte(std::int64_t i) { return i % 2 * 2 + i / 2; }
  [[gnu::always_inline]] static values values_of(int_vector bytes) {
    typedef std::uint16_t words __attribute__((vector_size(register_bytes)));
    return {bytes & 0x00ff00ff, (int_vector)((words)bytes >> 8)};
  }
  /// Bytes ordered so that values_of() gives byte i of a lane where place_of_byte(i) was.
  [[gnu::always_inline]] static int_vector in_order(int_vector bytes) {
    return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      const auto x = (int8_vector)bytes;
      return (int_vector)__builtin_shufflevector(x, x, (I / 4 * 4 + static_cast<int>(place_of_byte(I % 4)))...);
    }
    (std::make_integer_sequence<int, static_cast<int>(register_bytes)>{});
  }
  /// Writes the four 16-bit weights of a lane.
  [[gnu::always_inline]] static void put_wide_weights(std::byte* weights, std::int64_t lane, const std::int16_t* four) {
    std::memcpy(weights + 4 * lane, four, 4), std::memcpy(weights + register_bytes + 4 * lane, four + 2, 4);
  }
  [[gnu::always_inline]] static weights weights_of(int_vector bytes, int_vector) {
    const int_vector x = in_order(bytes);
    return {(int_vector)((int16_vector)(x << 8) >> 8), (int_vector)((int16_vector)x >> 8)};
  }
  [[gnu::always_inline]] static void store_narrow_weights(std::byte* p, int_vector bytes) {
    const auto x = (int16_vector)bytes;
    constexpr int lanes = static_cast<int>(int_lanes);
    store_vector(
        p, [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
          return __builtin_shufflevector(x, x, (I % lanes * 2 + I / lanes)...);
        }(std::make_integer_sequence<int, 2 * lanes>{}));
  }
};

/// NEON without dot products, whose instructions multiply halves of registers: bytes 0 and 1 in the first register,
/// bytes 2 and 3 in the second.
template <class Machine> struct dot4_of_packing<Machine, dot4_packing::widened_rows> : widened_dot4<Machine, true> {
  using base = widened_dot4<Machine, true>;
  using typename base::values;
  using typename base::weights;

  static constexpr std::int64_t place_of_byte(std::int64_t i) { return i; }
  [[gnu::always_inline]] static values values_of(int_vector bytes) {
    values x;
    Machine::widen_by_place(bytes, false, x.first, x.second);
    return x;
  }
  [[gnu::always_inline]] static int_vector in_order(int_vector bytes) { return bytes; }
  [[gnu::always_inline]] static void put_wide_weights(std::byte* weights, std::int64_t lane, const std::int16_t* four) {
    for (std::int64_t place = 0; place < 4; ++place)
      std::memcpy(weights + place / 2 * register_bytes + 2 * base::wide_place(lane, place), four + place, 2);
  }
  [[gnu::always_inline]] static weights weights_of(int_vector bytes, int_vector) {
    weights w;
    Machine::widen_by_place(bytes, true, w.first, w.second);
    return w;
  }
  [[gnu::always_inline]] static void store_narrow_weights(std::byte* p, int_vector bytes) {
    store_vector(p, Machine::bytes_by_place(bytes));
  }
  template <int I> [[gnu::always_inline]] static int_vector dot4_lane(int_vector sum, int_vector x, weights w) {
    return Machine::template dot4_lane<I>(sum, x, w.first, w.second);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
