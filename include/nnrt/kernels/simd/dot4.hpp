// dot4: dot products of 8-bit quantised values, and the packing of values and weights for them.
// Flow: int8/gemm/values.hpp copies rows for them, int8/gemm/pack.hpp and int8/depthwise/pack.hpp pack weights;
// register tiles and depthwise blocks accumulate with these.
//
// dot4() is one instruction where the machine sums four products of bytes (VNNI, NEON dotprod). AVX2 has one for two
// products of unsigned and signed bytes (vpmaddubsw), whose 16-bit sums saturate: weights are packed as magnitudes and
// signs, so that they do not. Other machines widen bytes to 16 bits: here or, for values that are used by many columns,
// when rows are copied (int8/gemm/values.hpp).
#pragma once

#include <nnrt/kernels/simd/dot4_packings.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

// --- values and weights ---------------------------------------------------------

/// What dot products take as the first factor, as offset from a stored i8: x86 multiplies unsigned by signed bytes.
inline constexpr bool dots_are_signed = machine::dots_are_signed;

/// How the factors are packed.
using dot4_packed = dot4_of_packing<machine>;
using dot_values = dot4_packed::values;
/// The weights that values are multiplied with.
using dot_weights = dot4_packed::weights;

/// Four bytes in each lane as first factor.
[[gnu::always_inline]] inline dot_values values_of(int_vector bytes) { return dot4_packed::values_of(bytes); }

/// Bytes that the weights of one dot product take in memory, for all lanes.
inline constexpr std::int64_t dot_bytes = sizeof(dot_weights);

/// Whether weights also hold how the values are sign-flipped: values then need not be flipped.
inline constexpr bool weights_flip = machine::dots == dot4_packing::sign_flipped;
/// What a dot product with this weight lacks, whatever the value; it is added to the bias.
constexpr std::int64_t left_out(std::int32_t weight) { return weights_flip && weight < 0 ? -weight : 0; }

/// The place (0 to 3) of the weight that byte i of a lane is multiplied with in values_of(): separating bytes in their
/// order takes longer. Value i of a broadcast is multiplied with the weight at place i.
constexpr std::int64_t place_of_byte(std::int64_t i) { return dot4_packed::place_of_byte(i); }
/// Writes the weight of a lane at a place. `flip` is that of the bytes which it is multiplied with, where weights_flip.
inline void put_weight(std::byte* weights, std::int64_t lane, std::int64_t place, std::int8_t value,
                       std::int32_t flip = 0) {
  dot4_packed::put_weight(weights, lane, place, value, flip);
}
/// Writes the four weights of a lane, of 16 bits, as tiles of wide values read them.
template <class Form = dot4_packed>
[[gnu::always_inline]] inline void put_wide_weights(std::byte* weights, std::int64_t lane, const std::int16_t* four) {
  if constexpr (requires { Form::put_wide_weights(weights, lane, four); }) Form::put_wide_weights(weights, lane, four);
  else dot4_of_packing<machine, dot4_packing::widened>::put_wide_weights(weights, lane, four);
}
[[gnu::always_inline]] inline dot_weights load_weights(const std::byte* p) { return dot4_packed::load_weights(p); }

/// Bytes in the order in which values_of() takes them apart: byte i of a lane where place_of_byte(i) was.
[[gnu::always_inline]] inline int_vector in_order(int_vector bytes) { return dot4_packed::in_order(bytes); }

/// Four signed bytes in each lane, byte i as the weight at place i; `flip` as for put_weight().
[[gnu::always_inline]] inline dot_weights weights_of(int_vector bytes, int_vector flip = int_vector{}) {
  return dot4_packed::weights_of(bytes, flip);
}
[[gnu::always_inline]] inline void store_weights(std::byte* p, dot_weights w) { store_vector(p, w); }

// Narrow weights are one register of bytes: half the memory where weights take two registers, for weights that are read
// once. They do not flip values.

/// Bytes of the narrow weights of one dot product, for all lanes.
inline constexpr std::int64_t narrow_dot_bytes = register_bytes;

inline void put_narrow_weight(std::byte* weights, std::int64_t lane, std::int64_t place, std::int8_t value) {
  dot4_packed::put_narrow_weight(weights, lane, place, value);
}
[[gnu::always_inline]] inline dot_weights load_narrow_weights(const std::byte* p) {
  return dot4_packed::load_narrow_weights(p);
}
/// Four signed bytes in each lane, byte i as the weight at place i.
[[gnu::always_inline]] inline void store_narrow_weights(std::byte* p, int_vector bytes) {
  dot4_packed::store_narrow_weights(p, bytes);
}

/// Keeps weights in registers, see vector_barrier().
[[gnu::always_inline]] inline void keep_weights(dot_weights& w) { dot4_packed::keep_weights(w); }

// --- dot products -----------------------------------------------------------------

/// sum + the products of x and w, two of them in each lane.
[[gnu::always_inline]] inline int_vector dot2(int_vector sum, int16_vector x, int16_vector w) {
  return machine::dot2(sum, x, w);
}

/// sum + two of the four products of each lane, of factors widened to 16 bits.
[[gnu::always_inline]] inline int_vector half_of_dot4(int_vector sum, int_vector x, int_vector w) {
  return machine::dot2_rows(sum, x, w);
}

/// sum + the four products of each lane.
[[gnu::always_inline]] inline int_vector dot4(int_vector sum, dot_values x, dot_weights w) {
  return dot4_packed::dot4(sum, x, w);
}

/// What a tile keeps in registers of weights that several rows are multiplied with.
using kept_weights = dot4_packed::kept;
[[gnu::always_inline]] inline kept_weights keep_weights_at(const std::byte* p) {
  return dot4_packed::keep_weights_at(p);
}
/// sum + the four products of each lane with the weights at p.
[[gnu::always_inline]] inline int_vector dot4_at(int_vector sum, dot_values x, kept_weights w, const std::byte* p) {
  return dot4_packed::dot4_at(sum, x, w, p);
}

/// Weights of 1.
[[gnu::always_inline]] inline dot_weights unit_weights() { return dot4_packed::unit_weights(); }
/// sum + the four signed bytes of each lane.
[[gnu::always_inline]] inline int_vector sum4(int_vector sum, int_vector bytes) {
  if constexpr (dots_are_signed) return dot4(sum, values_of(bytes), unit_weights());
  else return dot4(sum, values_of(int_lanes_of(0x01010101)), weights_of(bytes));
}

/// Whether products may take their first factor from one place of a register: one load of A then serves several steps,
/// and none is broadcast first.
inline constexpr bool has_lane_dots = machine::has_lane_dots;
/// sum + the four products of each lane of w with step I of x: four values as tiles of several rows read them.
template <int I, class Form = dot4_packed>
[[gnu::always_inline]] inline int_vector dot4_lane(int_vector sum, int_vector x, typename Form::weights w) {
  return Form::template dot4_lane<I>(sum, x, w);
}

/// The 32 bits at p in every lane.
[[gnu::always_inline]] inline int_vector broadcast_word(const void* p) { return machine::broadcast_word(p); }
/// The two i16 values at p in every lane, as half_of_dot4() takes them.
[[gnu::always_inline]] inline int_vector broadcast_i16(const void* p) { return machine::broadcast_i16(p); }
/// The four bytes at p in every lane, `flip` (in every lane) exclusive-ored: 0x80 in each byte makes signed ones
/// unsigned.
[[gnu::always_inline]] inline dot_values broadcast4(const void* p, int_vector flip) {
  return values_of(in_order(broadcast_word(p) ^ flip));
}

/// Whether broadcast8() and paired_sums() pay. Where bytes are widened, a broadcast is cheap compared with its
/// products.
inline constexpr bool has_pairs_of_lanes = machine::has_pairs_of_lanes;

/// The eight bytes at p in every pair of lanes, flipped.
[[gnu::always_inline]] inline dot_values broadcast8(const void* p, int_vector flip) {
  return values_of(in_order(machine::broadcast_words(p) ^ flip));
}
/// The sums of pairs of lanes: every four lanes are two sums of x and two of y, see pair_of_lane().
[[gnu::always_inline]] inline int_vector paired_sums(int_vector x, int_vector y) { return machine::paired_sums(x, y); }
/// The pair whose sum a lane holds: the number of its register, and its first lane.
struct lane_pair {
  std::int64_t source, lane;
};
constexpr lane_pair pair_of_lane(std::int64_t lane) { return {lane % 4 / 2, lane / 4 * 4 + lane % 2 * 2}; }

// --- squares of two rows and two columns ----------------------------------------

/// Whether one instruction adds eight products to each of four accumulators, for two rows and two columns (NEON i8mm).
inline constexpr bool has_squares = machine::has_squares;

/// Eight bytes of one row and eight of another.
template <class Machine = machine>
[[gnu::always_inline]] inline int_vector eight_of_two(const std::byte* first, const std::byte* second) {
  return Machine::eight_of_two(first, second);
}
/// sum + the products of two rows with two columns: lanes 0 and 1 belong to the first row, 2 and 3 to the second.
template <class Values>
[[gnu::always_inline]] inline int_vector add_square(int_vector sum, Values rows, int_vector columns) {
  return machine::add_square(sum, rows.bytes, columns);
}
/// One row of two squares side by side.
template <int Row> [[gnu::always_inline]] inline int_vector row_of_squares(int_vector left, int_vector right) {
  typedef std::int64_t halves __attribute__((vector_size(register_bytes)));
  return (int_vector)zip_half<Row>((halves)left, (halves)right);
}

/// The widest panels, in vectors, whose steps may be in pairs of lanes.
inline constexpr std::int64_t max_paired_vectors = has_squares ? 2 : has_pairs_of_lanes ? 1 : 0;

}}}  // namespace nnrt::NNRT_ISA::kernels
