// byte_stream: serialises numbers and texts as a byte sequence, with a digest that detects damage.
// Flow: stored programs and caches are written and read with it; readers check the digest before they use the contents.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/desc.hpp>
#include <nnrt/io/xxh3.hpp>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA {

using byte_list = std::vector<std::byte>;

/// XXH3 of the bytes. All digests are computed at run time: where a program text contains one (model_literal.hpp), the
/// tool that wrote the text computed it.
inline std::uint64_t digest_of(array_ref<const std::byte> bytes) {
  return detail::xxh3::of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// Appends numbers and texts to a byte sequence, in this machine's byte order.
struct byte_writer {
  byte_list bytes;

  void put(const void* first, std::size_t count) {
    if (count == 0) return;
    const std::size_t before = bytes.size();
    bytes.resize(before + count);
    std::memcpy(bytes.data() + before, first, count);
  }
  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void put(T number) {
    put(&number, sizeof number);
  }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    put(text.data(), text.size());
  }
  /// Appends the count of a list of numbers, then the numbers.
  template <class T>
    requires std::is_arithmetic_v<T>
  void put_list(array_ref<const T> list) {
    put(std::uint64_t{list.size()});
    put(list.data(), list.size() * sizeof(T));
  }
};

/// Writes all fields of a desc. A new field stops this function from compiling.
inline void put(byte_writer& to, const tensor_desc& desc) {
  const auto& [type, layout, shape, quantised] = desc;
  const auto& [mode, scale, zero_point, axis, rounding] = quantised;
  to.put(static_cast<std::int32_t>(type)), to.put(static_cast<std::int32_t>(layout)), to.put(std::int32_t{shape.rank});
  for (const std::int64_t extent : shape) to.put(extent);
  to.put(static_cast<std::int32_t>(mode)), to.put(scale), to.put(zero_point), to.put(std::int32_t{axis}),
      to.put(static_cast<std::int32_t>(rounding));
}

/// Reads what byte_writer wrote. After the end every result is 0 or empty, and `ok` is false.
struct byte_reader {
  array_ref<const std::byte> bytes;
  bool ok = true;

  template <class T> T number() {
    T made{};
    if (const auto from = take(sizeof made); ok) std::memcpy(&made, from.data(), sizeof made);
    return made;
  }
  std::string_view text() {
    const auto from = take_of(number<std::uint64_t>(), 1);
    return {reinterpret_cast<const char*>(from.data()), from.size()};
  }
  /// Reads a list of numbers and appends it to a pool or a vector.
  template <class T, class List> void list(List& to) {
    auto from = take_of(number<std::uint64_t>(), sizeof(T));
    to.reserve(to.size() + from.size() / sizeof(T));
    for (; !from.empty(); from = from.subspan(sizeof(T))) {
      T made;
      std::memcpy(&made, from.data(), sizeof made);
      to.push_back(made);
    }
  }
  /// Reads a count of items that take at least `bytes_each` bytes each. Fails when the remaining bytes
  /// cannot hold them, so that callers may allocate memory by this count.
  std::size_t count_of(std::size_t bytes_each) {
    const auto count = number<std::uint64_t>();
    if (count > bytes.size() / bytes_each) ok = false;
    return ok ? static_cast<std::size_t>(count) : 0;
  }
  array_ref<const std::byte> take(std::size_t count) { return take_of(count, 1); }

 private:
  array_ref<const std::byte> take_of(std::uint64_t count, std::size_t bytes_each) {
    if (count > bytes.size() / bytes_each) ok = false;
    if (!ok) return {};
    const auto taken = bytes.first(static_cast<std::size_t>(count) * bytes_each);
    bytes = bytes.subspan(taken.size());
    return taken;
  }
};

/// Reads a desc without checking it. Its rank and enumerators may be invalid; check_graph() reports those.
inline tensor_desc read_desc(byte_reader& from) {
  tensor_desc desc;
  desc.type = static_cast<dtype>(from.number<std::int32_t>()),
  desc.layout = static_cast<format>(from.number<std::int32_t>());
  const auto rank = from.number<std::int32_t>();
  for (std::int32_t i = 0; i < rank && i < max_rank; ++i) desc.shape.push_back(from.number<std::int64_t>());
  desc.shape.rank = rank;
  quantisation& q = desc.quantised;
  q.mode = static_cast<quantisation::kind>(from.number<std::int32_t>());
  q.scale = from.number<float>(), q.zero_point = from.number<std::int32_t>(), q.axis = from.number<std::int32_t>();
  q.rounding = static_cast<quantised_rounding>(from.number<std::int32_t>());
  return desc;
}

}}  // namespace nnrt::NNRT_ISA
