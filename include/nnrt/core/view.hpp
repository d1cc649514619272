// view: tensors as references and kernels see them - desc, strides and typed data, also in constant evaluation.
// Flow: executors make views of operands for each step; Op::reference gets typed access from them.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/desc.hpp>

#include <cstddef>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA {

/// Typed access to a tensor: extents, strides in elements, and data.
template <class T> struct tensor_view {
  T* data = nullptr;
  shape_t shape;
  shape_t strides;
  bool is_dense = true;  // row-major without gaps

  constexpr std::int64_t extent(int axis) const { return shape[axis]; }
  constexpr std::int64_t elements() const { return shape.elements(); }
  constexpr int rank() const { return shape.rank; }

  /// The element at these indices, one for each axis.
  template <class... Index> constexpr T& operator()(Index... index) const {
    const std::int64_t at[] = {static_cast<std::int64_t>(index)..., 0};
    std::int64_t offset = 0;
    for (int i = 0; i < static_cast<int>(sizeof...(Index)); ++i) offset += at[i] * strides.extents[i];
    return data[offset];
  }
  /// The i-th element in row-major order.
  constexpr T& operator[](std::int64_t i) const { return data[offset_of(i)]; }
  /// The element at an index vector of the tensor's rank.
  constexpr T& at(const shape_t& index) const {
    std::int64_t offset = 0;
    for (int i = 0; i < shape.rank; ++i) offset += index.extents[i] * strides.extents[i];
    return data[offset];
  }

  constexpr std::int64_t offset_of(std::int64_t flat) const {
    if (is_dense) return flat;
    std::int64_t offset = 0;
    for (int i = shape.rank; i-- > 0; flat /= shape.extents[i]) offset += flat % shape.extents[i] * strides.extents[i];
    return offset;
  }
};

/// A pointer to elements of any dtype. Constant evaluation allows no cast from void*, so there it has a member for each
/// dtype.
class any_pointer {
 public:
  constexpr any_pointer() = default;
  template <class T> constexpr any_pointer(T* elements) {
    if (std::is_constant_evaluated()) set(elements);
    else raw_ = static_cast<void*>(elements);
  }
  /// For bytes whose dtype is in a desc; only at run time.
  static any_pointer bytes(void* first) {
    any_pointer p;
    p.raw_ = first;
    return p;
  }

  template <class T> constexpr T* get() const {
    if (std::is_constant_evaluated()) return member<T>();
    return static_cast<T*>(raw_);
  }
  void* raw() const { return raw_; }

 private:
  template <class T> constexpr void set(T* p) {
    if constexpr (std::is_same_v<T, bool>) typed_.b = p;
    else if constexpr (std::is_same_v<T, std::int8_t>) typed_.i8 = p;
    else if constexpr (std::is_same_v<T, std::int16_t>) typed_.i16 = p;
    else if constexpr (std::is_same_v<T, std::int32_t>) typed_.i32 = p;
    else if constexpr (std::is_same_v<T, std::int64_t>) typed_.i64 = p;
    else if constexpr (std::is_same_v<T, std::uint8_t>) typed_.u8 = p;
    else if constexpr (std::is_same_v<T, std::uint16_t>) typed_.u16 = p;
    else if constexpr (std::is_same_v<T, std::uint32_t>) typed_.u32 = p;
    else if constexpr (std::is_same_v<T, std::uint64_t>) typed_.u64 = p;
    else if constexpr (std::is_same_v<T, float16>) typed_.f16 = p;
    else if constexpr (std::is_same_v<T, float>) typed_.f32 = p;
    else typed_.f64 = p;
  }
  template <class T> constexpr T* member() const {
    if constexpr (std::is_same_v<T, bool>) return typed_.b;
    else if constexpr (std::is_same_v<T, std::int8_t>) return typed_.i8;
    else if constexpr (std::is_same_v<T, std::int16_t>) return typed_.i16;
    else if constexpr (std::is_same_v<T, std::int32_t>) return typed_.i32;
    else if constexpr (std::is_same_v<T, std::int64_t>) return typed_.i64;
    else if constexpr (std::is_same_v<T, std::uint8_t>) return typed_.u8;
    else if constexpr (std::is_same_v<T, std::uint16_t>) return typed_.u16;
    else if constexpr (std::is_same_v<T, std::uint32_t>) return typed_.u32;
    else if constexpr (std::is_same_v<T, std::uint64_t>) return typed_.u64;
    else if constexpr (std::is_same_v<T, float16>) return typed_.f16;
    else if constexpr (std::is_same_v<T, float>) return typed_.f32;
    else return typed_.f64;
  }

  void* raw_ = nullptr;
  union {
    bool* b = nullptr;
    std::int8_t* i8;
    std::int16_t* i16;
    std::int32_t* i32;
    std::int64_t* i64;
    std::uint8_t* u8;
    std::uint16_t* u16;
    std::uint32_t* u32;
    std::uint64_t* u64;
    float16* f16;
    float* f32;
    double* f64;
  } typed_;
};

/// A non-owning operand of a step: desc, optional strides, data, and scales of a per-channel quantised tensor.
struct view {
  const tensor_desc* desc = nullptr;  // nullptr: a missing optional operand
  any_pointer data;
  const shape_t* strides = nullptr;    // in elements; nullptr: row-major without gaps
  array_ref<const float> scales = {};  // one for each index of the quantised axis
  array_ref<const std::int32_t> zero_points = {};

  constexpr explicit operator bool() const { return desc != nullptr; }
  constexpr dtype type() const { return desc->type; }
  constexpr const shape_t& shape() const { return desc->shape; }
  constexpr int rank() const { return desc->shape.rank; }
  constexpr std::int64_t elements() const { return desc->shape.elements(); }

  /// Typed access; T is the element type of the desc's dtype, possibly const.
  template <class T> constexpr tensor_view<T> as() const {
    using element = std::remove_const_t<T>;
    return {data.get<element>(), desc->shape, strides != nullptr ? *strides : row_major_strides(desc->shape),
            strides == nullptr};
  }
  /// The i-th element (row-major) of an integer or boolean operand.
  constexpr std::int64_t integer(std::int64_t i) const {
    std::int64_t value = 0;
    with_element<types::integer | types::logical>(
        desc->type, [&]<class T>(T) { value = static_cast<std::int64_t>(as<const T>()[i]); });
    return value;
  }
};

using arguments = array_ref<const view>;
using results = array_ref<const view>;

}}  // namespace nnrt::NNRT_ISA
