// half_bytes: 4-bit integers, packed two to a byte, as in files and accelerators' memory.
// Flow: readers of files unpack them to the bytes of graphs; writers of such memory pack bytes again.
//
// They are not dtypes: no operator computes with them, views have whole bytes, and tables of dtypes would need rows
// that only readers use. Graphs hold them as i8 or u8 with the same values.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dtype.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Encoding of 4-bit integers. Source: S4 and U4 of hbDNN's tensor types, INT4 of TFLite.
enum class half_byte {
  s4,  // -8 … 7, two's complement
  u4,  // 0 … 15
};

constexpr std::string_view name_of(half_byte type) { return type == half_byte::s4 ? "s4" : "u4"; }

/// The dtype that holds such integers in a graph.
constexpr dtype unpacked_type(half_byte type) { return type == half_byte::s4 ? i8 : u8; }

/// Bytes of packed integers: two per byte, one for an odd last one.
constexpr std::int64_t packed_bytes(std::int64_t elements) { return elements / 2 + elements % 2; }

/// One of the two integers in a byte; the lower half is the first.
constexpr int number_of_half(half_byte type, unsigned char byte, bool is_upper) {
  const int half = byte >> (is_upper ? 4 : 0) & 15;
  return type == half_byte::s4 ? (half ^ 8) - 8 : half;  // the sign bit is the highest of four
}

/// Unpacks to.size() integers to elements of unpacked_type(), lower halves first.
constexpr void unpack_half_bytes(half_byte type, array_ref<const std::byte> from, array_ref<std::byte> to) {
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<std::byte>(number_of_half(type, static_cast<unsigned char>(from[i / 2]), i % 2 != 0));
}

/// Packs elements of unpacked_type(), clamped to four bits. After an odd number of elements the upper half is 0. `to`
/// has packed_bytes() bytes.
constexpr void pack_half_bytes(half_byte type, array_ref<const std::byte> from, array_ref<std::byte> to) {
  for (std::byte& each : to) each = std::byte{};
  for (std::size_t i = 0; i < from.size(); ++i) {
    const int byte = static_cast<int>(from[i]), number = type == half_byte::s4 && byte > 127 ? byte - 256 : byte;
    const int low = type == half_byte::s4 ? -8 : 0, nearest = number < low        ? low
                                                              : number > low + 15 ? low + 15
                                                                                  : number;
    to[i / 2] |= static_cast<std::byte>((static_cast<unsigned>(nearest) & 15U) << (i % 2 * 4));
  }
}

}}  // namespace nnrt::NNRT_ISA
