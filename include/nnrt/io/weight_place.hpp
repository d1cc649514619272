// weight_place: the position of a weight in a model file, and its conversion to what the graph uses.
// Flow: readers note places while they build a graph; weights_at() makes weights of them at run time, when the graph is
// used.
#pragma once

#include <nnrt/core/convert.hpp>
#include <nnrt/core/half_bytes.hpp>
#include <nnrt/io/file_view.hpp>
#include <nnrt/ir/graph.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// A tensor in a file, and its desc in the graph. Plain data that constant evaluation can store.
struct weight_place {
  std::int32_t value = ir::none;    // the graph's weight
  std::size_t first = 0, size = 0;  // byte range in the file
  tensor_desc stored;               // desc of the stored elements; i8 for 4-bit values
  bool is_packed = false;           // two 4-bit values in each byte
  bool as_f32 = false;              // quantised values and f16 are converted to real values in f32
  // if not 0: the elements are matrices with this number of rows and of columns, each of which is transposed
  std::size_t rows = 0, columns = 0;
  std::int32_t file = 0;        // 0: the model; else the number of a file of external data
  std::size_t first_scale = 0;  // file offset of the f32 scales of `stored`, one per index of its quantised axis

  constexpr bool needs_no_conversion() const { return !is_packed && !as_f32 && rows == 0; }
};

namespace detail {

/// Element i of a place, as the element type of place.stored.
template <class T> constexpr T stored_element(const file_bytes& file, const weight_place& place, std::size_t i) {
  if constexpr (std::is_same_v<T, std::int8_t>) {
    if (place.is_packed) {
      const auto byte = file.number<std::uint8_t>(place.first + i / 2);
      return static_cast<std::int8_t>(number_of_half(half_byte::s4, byte, i % 2 != 0));
    }
  }
  return file.number<T>(place.first + i * sizeof(T));
}

template <class T> constexpr void put_element(T element, std::byte* to) {
  const auto raw = std::bit_cast<ir::detail::raw_element<sizeof(T)>>(element);
  for (const std::byte byte : raw.bytes) *to++ = byte;
}

/// Element i as a real value: scale * (stored - zero_point), or the float itself.
template <class T>
constexpr float real_element(const file_bytes& file, const weight_place& place, std::size_t inner, std::size_t i) {
  const T stored = stored_element<T>(file, place, i);
  if constexpr (!std::is_integral_v<T>) {
    return static_cast<float>(stored);
  } else {
    const quantisation& q = place.stored.quantised;
    float scale = q.scale;
    if (q.mode == quantisation::kind::per_channel) {
      const std::size_t channel = i / inner % static_cast<std::size_t>(place.stored.shape[q.axis]);
      scale = file.number<float>(place.first_scale + channel * sizeof(float));
    }
    return scale * static_cast<float>(static_cast<std::int64_t>(stored) - q.zero_point);
  }
}

}  // namespace detail

/// Writes the elements of a place as the graph's desc says: place.stored.elements() elements, as f32 or in the file's
/// dtype. The caller has checked that the file has the place's bytes and scales.
constexpr void convert_elements(const file_bytes& file, const weight_place& place, std::byte* to) {
  const shape_t& shape = place.stored.shape;
  const auto count = static_cast<std::size_t>(shape.elements());
  const std::size_t rows = place.rows > 0 ? place.rows : count, columns = place.rows > 0 ? place.columns : 1;
  const bool per_channel = place.stored.quantised.mode == quantisation::kind::per_channel;
  const auto inner = static_cast<std::size_t>(per_channel ? shape.elements(place.stored.quantised.axis + 1) : 1);
  with_element<types::any>(place.stored.type, [&]<class T>(T) {
    const auto put = [&](std::size_t from) {
      if (place.as_f32) detail::put_element(detail::real_element<T>(file, place, inner, from), to), to += sizeof(float);
      else detail::put_element(detail::stored_element<T>(file, place, from), to), to += sizeof(T);
    };
    for (std::size_t first = 0; first < count; first += rows * columns)
      for (std::size_t column = 0; column < columns; ++column)
        for (std::size_t row = 0; row < rows; ++row) put(first + row * columns + column);
  });
}

}}  // namespace nnrt::NNRT_ISA
