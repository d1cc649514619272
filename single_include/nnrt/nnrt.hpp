// nnrt in one file: made by tools/single_include.py from include/nnrt/nnrt.hpp; change the headers there, not this file.
// Flow: copy it anywhere; Boost.Hana, xsimd and tl-expected must be on the include path.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// ===== nnrt/nnrt.hpp
// nnrt: the one header for static networks - operators, layers, graph<f>, executors and weights.
// Flow: users include this; networks that arrive at run time need <nnrt/dynamic.hpp> as well.

// ===== nnrt/kernels/select.hpp
// select: every fast kernel that an operator can be bound to.
// Flow: nnrt.hpp and dynamic.hpp include this before anything asks kernels::fast<Op>; operators without a line here run
// their reference.

// ===== nnrt/kernels/bind/add.hpp
// add: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/kernels/bind/detail/binary.hpp
// binary: what the bindings of operators y = f(a, b) with broadcasting have in common.
// Flow: bind/add.hpp and its like derive from binary_binding and say which f.

// ===== nnrt/kernels/call.hpp
// call: from a kernel_call to pointers and shares of work, and from a kernel_request to a number of parts.
// Flow: bind/<operator>.hpp unpack their calls with these before they enter a kernel.

// ===== nnrt/core/kernel.hpp
// kernel: what a plan's step calls, and what choosing one answers.
// Flow: kernels/select.hpp fills kernel_choice for a node; the planner makes steps of it; executors call run().

// ===== nnrt/core/attributes.hpp
// attributes: the types that operators' attributes are made of, and their flat form, a row of 64-bit words.
// Flow: each operator's Hana-reflected attrs struct is packed into words for the IR and unpacked by infer, reference and kernels.

// ===== nnrt/core/pool.hpp
// pool: a growing array of plain structs that constant evaluation handles at a fraction of std::vector's cost.
// Flow: graphs, passes and plans keep their lists in pools. libstdc++'s vector takes clang 16 about 12 constexpr steps per element where this
// takes 3, and -fconstexpr-steps allows a million in all.

// ===== nnrt/core/config.hpp
// config: the few macros of the library and the name of the instruction set that this translation unit is compiled for.
// Flow: every header stands in namespace nnrt::inline NNRT_ISA, so that units with different -m flags can be linked together.

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define NNRT_ISA avx512
#define NNRT_ISA_NAME "avx512"
#elif defined(__AVX2__) && defined(__FMA__)
#define NNRT_ISA avx2
#define NNRT_ISA_NAME "avx2"
#elif defined(__SSE4_1__)
#define NNRT_ISA sse4
#define NNRT_ISA_NAME "sse4"
#elif defined(__SSE2__)
#define NNRT_ISA sse2
#define NNRT_ISA_NAME "sse2"
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define NNRT_ISA neon
#define NNRT_ISA_NAME "neon"
#else
#define NNRT_ISA generic
#define NNRT_ISA_NAME "generic"
#endif

namespace nnrt::inline NNRT_ISA {

/// The instruction set that the kernels of this translation unit use.
inline constexpr const char* isa = NNRT_ISA_NAME;

}  // namespace nnrt::inline NNRT_ISA

#include <cstddef>
#include <initializer_list>
#include <vector>  // std::allocator and std::construct_at, at a third of the cost of <memory>
#include <type_traits>

namespace nnrt::inline NNRT_ISA {

/// A sequence of T in one piece of memory, with the names of std::vector for what it shares with it; converts to std::span as that does. T is trivially copyable: growing
/// copies, nothing is destroyed.
template <class T> class pool {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  using value_type = T;

  constexpr pool() = default;
  constexpr pool(std::initializer_list<T> list) { insert(list.begin(), list.end()); }
  constexpr pool(const pool& other) { insert(other.begin(), other.end()); }
  constexpr pool(pool&& other) noexcept : first_(other.first_), size_(other.size_), capacity_(other.capacity_) { other.forget(); }
  constexpr pool& operator=(const pool& other) {
    if (this != &other) {
      size_ = 0;
      insert(other.begin(), other.end());
    }
    return *this;
  }
  constexpr pool& operator=(pool&& other) noexcept {
    if (this != &other) {
      release();
      first_ = other.first_;
      size_ = other.size_;
      capacity_ = other.capacity_;
      other.forget();
    }
    return *this;
  }
  constexpr ~pool() { release(); }

  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* data() { return first_; }
  constexpr const T* data() const { return first_; }
  constexpr T* begin() { return first_; }
  constexpr T* end() { return first_ + size_; }
  constexpr const T* begin() const { return first_; }
  constexpr const T* end() const { return first_ + size_; }
  constexpr T& operator[](std::size_t i) { return first_[i]; }
  constexpr const T& operator[](std::size_t i) const { return first_[i]; }
  constexpr T& back() { return first_[size_ - 1]; }
  constexpr const T& back() const { return first_[size_ - 1]; }

  constexpr void reserve(std::size_t capacity) {
    if (capacity > capacity_) grow(capacity);
  }
  constexpr void push_back(const T& element) {
    const T copy = element;  // it may be one of ours
    if (size_ == capacity_) grow(capacity_ < 8 ? 16 : 2 * capacity_);
    if constexpr (is_plain) first_[size_++] = copy;
    else std::construct_at(first_ + size_++, copy);
  }
  constexpr void pop_back() { --size_; }
  constexpr void clear() { size_ = 0; }
  /// Appends [first, last), which must not be part of this pool.
  template <class Iterator> constexpr void insert(Iterator first, Iterator last) {
    const auto count = static_cast<std::size_t>(last - first);
    if (size_ + count > capacity_) grow(size_ + count > 2 * capacity_ ? size_ + count : 2 * capacity_);
    construct(first_ + size_, first, last);
    size_ += count;
  }
  constexpr void assign(std::size_t count, const T& element) {
    size_ = 0;
    reserve(count);
    for (T* to = first_; size_ < count; ++size_, ++to) {
      if constexpr (is_plain) *to = element;
      else std::construct_at(to, element);
    }
  }
  /// Removes the elements for which the predicate holds, and keeps the order of the others.
  template <class Predicate> constexpr void erase_if(Predicate gone) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i)
      if (!gone(first_[i])) first_[kept++] = first_[i];
    size_ = kept;
  }

 private:
  /// Letters, ids and words begin to live all at once and are assigned then: a call of construct_at for each would double the constexpr steps.
  static constexpr bool is_plain = std::is_trivially_default_constructible_v<T>;

  template <class Iterator> static constexpr void construct(T* to, Iterator first, Iterator last) {
    if constexpr (is_plain) {
      while (first != last) *to++ = *first++;
    } else {
      for (; first != last; ++first, ++to) std::construct_at(to, *first);
    }
  }
  static constexpr T* allocate(std::size_t capacity) {
    if constexpr (is_plain) return new T[capacity];
    else return std::allocator<T>().allocate(capacity);
  }
  constexpr void forget() { first_ = nullptr, size_ = 0, capacity_ = 0; }
  constexpr void release() {
    if constexpr (is_plain) delete[] first_;
    else if (first_ != nullptr) std::allocator<T>().deallocate(first_, capacity_);
  }
  constexpr void grow(std::size_t capacity) {
    T* const larger = allocate(capacity);
    construct(larger, begin(), end());
    release();
    first_ = larger;
    capacity_ = capacity;
  }

  T* first_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace nnrt::inline NNRT_ISA

#include <array>
#include <bit>
#include <boost/hana/accessors.hpp>
#include <boost/hana/define_struct.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/string.hpp>
#include <boost/hana/unpack.hpp>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace nnrt::inline NNRT_ISA {

/// One word of a packed attribute record.
using word = std::int64_t;

/// Two lengths along height and width, in pixels.
struct extent2 {
  std::int64_t h = 1, w = 1;
  friend constexpr bool operator==(const extent2&, const extent2&) = default;
};

/// How a window operator treats the border. Numbers: HDI PadMode.
enum class pad_mode { explicit_pads, same, valid };

/// Padding of an image: a mode, or four explicit lengths in pixels.
struct pads {
  pad_mode mode = pad_mode::explicit_pads;
  std::int64_t top = 0, bottom = 0, left = 0, right = 0;
  friend constexpr bool operator==(const pads&, const pads&) = default;
};

/// What pad() puts around a tensor. Numbers: the values of OH_NN_PAD_PADDING_MODE, HDI PaddingMode.
enum class border { constant, reflect, symmetric };

/// Activation that an operator applies to its result. Numbers: OH_NN_FuseType.
enum class activation { none, relu, relu6 };

/// A short list of integers (axes, block sizes); at most Capacity of them.
template <int Capacity> struct int_list {
  std::int64_t items[Capacity] = {};
  int count = 0;

  constexpr int_list() = default;
  constexpr int_list(std::initializer_list<std::int64_t> list) {
    for (const std::int64_t item : list) push_back(item);
  }
  constexpr void push_back(std::int64_t item) {
    if (count < Capacity) items[count++] = item;
  }
  constexpr std::int64_t operator[](int i) const { return items[i]; }
  constexpr const std::int64_t* begin() const { return items; }
  constexpr const std::int64_t* end() const { return items + count; }
  constexpr bool empty() const { return count == 0; }
  friend constexpr bool operator==(const int_list& a, const int_list& b) {
    if (a.count != b.count) return false;
    for (int i = 0; i < a.count; ++i)
      if (a.items[i] != b.items[i]) return false;
    return true;
  }
};
using axis_list = int_list<8>;

/// Writes attributes one after the other into a row of words: a pool or a vector.
template <class Words> struct word_writer {
  Words& words;
  constexpr void put(std::int64_t v) { words.push_back(v); }
  constexpr void put(bool v) { words.push_back(v ? 1 : 0); }
  constexpr void put(float v) { words.push_back(std::bit_cast<std::int32_t>(v)); }
  template <class Enum>
    requires std::is_enum_v<Enum>
  constexpr void put(Enum v) {
    put(static_cast<std::int64_t>(v));
  }
  constexpr void put(extent2 v) { put(v.h), put(v.w); }
  constexpr void put(const pads& v) { put(static_cast<std::int64_t>(v.mode)), put(v.top), put(v.bottom), put(v.left), put(v.right); }
  template <int N> constexpr void put(const int_list<N>& v) {
    put(std::int64_t{v.count});
    for (const std::int64_t item : v) put(item);
  }
};

/// Reads them back. A record that is too short reads as zeros; `ok` tells whether every word was there and meant something.
struct word_reader {
  std::span<const word> words;
  std::size_t next = 0;
  bool ok = true;

  constexpr word take() {
    if (next < words.size()) return words[next++];
    ok = false;
    return 0;
  }
  constexpr void get(std::int64_t& v) { v = take(); }
  constexpr void get(bool& v) { v = take() != 0; }
  constexpr void get(float& v) { v = std::bit_cast<float>(static_cast<std::int32_t>(take())); }
  // Before get(pads&): clang 16 does not find a later member template in constant evaluation.
  template <class Enum>
    requires std::is_enum_v<Enum>
  constexpr void get(Enum& v) {
    const word number = take();
    if constexpr (std::is_same_v<Enum, activation> || std::is_same_v<Enum, pad_mode>) ok = ok && number >= 0 && number <= 2;
    v = static_cast<Enum>(number);
  }
  constexpr void get(extent2& v) { get(v.h), get(v.w); }
  constexpr void get(pads& v) { get(v.mode), get(v.top), get(v.bottom), get(v.left), get(v.right); }
  template <int N> constexpr void get(int_list<N>& v) {
    const word count = take();
    if (count < 0 || count > N) {
      ok = false;
      return;
    }
    for (word i = 0; i < count; ++i) v.push_back(take());
  }
};

/// Calls f(name, accessor) for each attribute, in order of definition; names are Hana strings.
template <class Attrs, class F> constexpr void for_each_attribute(F&& f) {
  boost::hana::unpack(boost::hana::accessors<Attrs>(), [&](const auto&... member) { (f(boost::hana::first(member), boost::hana::second(member)), ...); });
}

/// Appends the attributes to `words`.
template <class Attrs, class Words> constexpr void pack(const Attrs& attrs, Words& words) {
  word_writer<Words> writer{words};
  for_each_attribute<Attrs>([&](const auto&, const auto& get) { writer.put(get(attrs)); });
}

/// The attributes that a row of words stands for.
template <class Attrs> constexpr Attrs unpack(std::span<const word> words) {
  Attrs attrs;
  word_reader reader{words};
  for_each_attribute<Attrs>([&](const auto&, const auto& get) { reader.get(get(attrs)); });
  return attrs;
}

/// Whether a row of words has the form of this attribute record: for words that come from outside.
template <class Attrs> constexpr bool well_formed(std::span<const word> words) {
  Attrs attrs;
  word_reader reader{words};
  for_each_attribute<Attrs>([&](const auto&, const auto& get) { reader.get(get(attrs)); });
  return reader.ok && reader.next == words.size();
}

/// What an attribute is, for printers, codecs and documentation that walk packed records.
enum class attribute_kind { integer, flag, real, extent, padding, list, fused, choice };

/// Name and kind of one attribute; its words follow those of the one before.
struct attribute_field {
  std::string_view name;
  attribute_kind kind = attribute_kind::integer;
};

namespace detail {
template <class T> constexpr attribute_kind kind_of() {
  if constexpr (std::is_same_v<T, bool>) return attribute_kind::flag;
  else if constexpr (std::is_same_v<T, float>) return attribute_kind::real;
  else if constexpr (std::is_same_v<T, extent2>) return attribute_kind::extent;
  else if constexpr (std::is_same_v<T, pads>) return attribute_kind::padding;
  else if constexpr (std::is_same_v<T, activation>) return attribute_kind::fused;
  else if constexpr (std::is_enum_v<T>) return attribute_kind::choice;
  else if constexpr (std::is_same_v<T, std::int64_t>) return attribute_kind::integer;
  else return attribute_kind::list;
}
// The letters of a Hana string in storage of our own: with g++ and -fsanitize=address two units that both point to
// Hana's do not link.
template <class Name> struct letters_of;
template <char... Letters> struct letters_of<boost::hana::string<Letters...>> {
  static constexpr char text[] = {Letters..., '\0'};
};
template <class Attrs> struct field_table {
  static constexpr auto fields = boost::hana::unpack(boost::hana::accessors<Attrs>(), [](const auto&... member) {
    return std::array<attribute_field, sizeof...(member)>{
        attribute_field{letters_of<std::remove_cvref_t<decltype(boost::hana::first(member))>>::text,
                        kind_of<std::remove_cvref_t<decltype(boost::hana::second(member)(std::declval<Attrs&>()))>>()}...};
  });
};
}  // namespace detail

/// The attributes of a record, in order.
template <class Attrs> constexpr std::span<const attribute_field> attribute_fields() { return detail::field_table<Attrs>::fields; }

/// The record of an operator without attributes.
struct no_attributes {
  BOOST_HANA_DEFINE_STRUCT(no_attributes);
};

/// Which word of the packed record holds the fused activation; -1: the operator fuses none.
template <class Attrs> constexpr int fused_word() {
  if constexpr (requires(Attrs a) { a.fused = activation::relu; }) {
    Attrs with;
    with.fused = activation::relu6;
    Attrs without;
    without.fused = activation::none;
    pool<word> a, b;
    pack(with, a);
    pack(without, b);
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/core/verdict.hpp
// verdict: what an operator's rules say of one node - its output descs, or the one broken rule with the two values involved.
// Flow: infer() returns it; the DSL turns it into a compile error, dynamic front ends into an error with the same words.

// ===== nnrt/core/desc.hpp
// desc: what is known of a tensor without its elements - dtype, format, shape, quantisation.
// Flow: the type of a DSL handle, the declaration of an IR value, the argument and the answer of every operator's infer.

// ===== nnrt/core/dtype.hpp
// dtype: the element types of tensors, their C++ types, sizes and names, and sets of them.
// Flow: the vocabulary of everything else; the enumerators carry the numbers of NNRt's OH_NN_DataType.

namespace nnrt::inline NNRT_ISA {

/// Element type of a tensor; `none` stands for "not known yet". Source: OH_NN_DataType.
enum class dtype { none, boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 };

inline constexpr dtype boolean = dtype::boolean;
inline constexpr dtype i8 = dtype::i8;
inline constexpr dtype i16 = dtype::i16;
inline constexpr dtype i32 = dtype::i32;
inline constexpr dtype i64 = dtype::i64;
inline constexpr dtype u8 = dtype::u8;
inline constexpr dtype u16 = dtype::u16;
inline constexpr dtype u32 = dtype::u32;
inline constexpr dtype u64 = dtype::u64;
inline constexpr dtype f16 = dtype::f16;
inline constexpr dtype f32 = dtype::f32;
inline constexpr dtype f64 = dtype::f64;
inline constexpr int dtype_count = 13;

#if defined(__FLT16_MAX__)
/// IEEE binary16: storage and conversion; every operator computes in float.
using float16 = _Float16;
#else
/// IEEE binary16 where the compiler has no such type: storage and conversion, rounding to nearest even.
struct float16 {
  std::uint16_t bits = 0;
  constexpr float16() = default;
  constexpr explicit float16(float value) : bits(from_float(value)) {}
  constexpr operator float() const { return to_float(bits); }

 private:
  static constexpr float to_float(std::uint16_t half) {
    const std::uint32_t sign = std::uint32_t{half & 0x8000U} << 16U, exponent = (half >> 10U) & 31U, mantissa = half & 1023U;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | mantissa << 13U);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112U) << 23U | mantissa << 13U);
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  static constexpr std::uint16_t from_float(float value) {
    const std::uint32_t word = std::bit_cast<std::uint32_t>(value), sign = (word >> 16U) & 0x8000U, rest = word & 0x7fffffffU;
    if (rest > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);
    if (rest >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);
    if (rest >= 0x38800000U) return static_cast<std::uint16_t>(sign | ((rest - 0x38000000U + 0xfffU + ((rest >> 13U) & 1U)) >> 13U));
    const float scaled = std::bit_cast<float>(rest) * 0x1p24F;  // subnormal: whole units of 2^-24, halves to even
    auto units = static_cast<std::uint32_t>(scaled);
    const float left = scaled - static_cast<float>(units);
    if (left > 0.5F || (left == 0.5F && (units & 1U) != 0)) ++units;
    return static_cast<std::uint16_t>(sign | units);
  }
};
#endif

// The C++ type of a dtype and back.
template <dtype T> struct element_of;
template <> struct element_of<dtype::boolean> { using type = bool; };
template <> struct element_of<dtype::i8> { using type = std::int8_t; };
template <> struct element_of<dtype::i16> { using type = std::int16_t; };
template <> struct element_of<dtype::i32> { using type = std::int32_t; };
template <> struct element_of<dtype::i64> { using type = std::int64_t; };
template <> struct element_of<dtype::u8> { using type = std::uint8_t; };
template <> struct element_of<dtype::u16> { using type = std::uint16_t; };
template <> struct element_of<dtype::u32> { using type = std::uint32_t; };
template <> struct element_of<dtype::u64> { using type = std::uint64_t; };
template <> struct element_of<dtype::f16> { using type = float16; };
template <> struct element_of<dtype::f32> { using type = float; };
template <> struct element_of<dtype::f64> { using type = double; };

/// C++ type of the elements of a tensor of dtype T: float for f32, bool for boolean, ….
template <dtype T> using element_t = typename element_of<T>::type;

/// dtype of a C++ element type; `none` for any other type.
template <class T> constexpr dtype dtype_for() {
  if constexpr (std::is_same_v<T, bool>) return dtype::boolean;
  else if constexpr (std::is_same_v<T, std::int8_t>) return dtype::i8;
  else if constexpr (std::is_same_v<T, std::int16_t>) return dtype::i16;
  else if constexpr (std::is_same_v<T, std::int32_t>) return dtype::i32;
  else if constexpr (std::is_same_v<T, std::int64_t> || (std::is_same_v<T, long long> && sizeof(T) == 8)) return dtype::i64;
  else if constexpr (std::is_same_v<T, std::uint8_t>) return dtype::u8;
  else if constexpr (std::is_same_v<T, std::uint16_t>) return dtype::u16;
  else if constexpr (std::is_same_v<T, std::uint32_t>) return dtype::u32;
  else if constexpr (std::is_same_v<T, std::uint64_t> || (std::is_same_v<T, unsigned long long> && sizeof(T) == 8)) return dtype::u64;
  else if constexpr (std::is_same_v<T, float16>) return dtype::f16;
  else if constexpr (std::is_same_v<T, float>) return dtype::f32;
  else if constexpr (std::is_same_v<T, double>) return dtype::f64;
  else return dtype::none;
}

/// Bytes of one element; 0 for `none`.
constexpr std::int64_t size_of(dtype type) {
  constexpr std::int8_t bytes[dtype_count] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
  return bytes[static_cast<int>(type)];
}

/// Short name as in the DSL: "f32", "i8", "boolean", …; "none".
constexpr std::string_view name_of(dtype type) {
  constexpr std::string_view names[dtype_count] = {"none", "boolean", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"};
  return names[static_cast<int>(type)];
}

/// A set of dtypes, as operators state which ones an operand may have.
struct dtype_set {
  std::uint32_t bits = 0;
  constexpr bool contains(dtype type) const { return (bits >> static_cast<int>(type) & 1U) != 0; }
  constexpr dtype_set operator|(dtype_set other) const { return {bits | other.bits}; }
  friend constexpr bool operator==(const dtype_set&, const dtype_set&) = default;
};

/// The set of exactly these dtypes.
template <class... T> constexpr dtype_set types_of(T... type) { return {((1U << static_cast<int>(type)) | ... | 0U)}; }

namespace types {
inline constexpr dtype_set floating = types_of(f16, f32, f64);
inline constexpr dtype_set real = types_of(f16, f32);
inline constexpr dtype_set integer = types_of(i8, i16, i32, i64, u8, u16, u32, u64);
inline constexpr dtype_set index = types_of(i32, i64);
inline constexpr dtype_set number = floating | integer;
inline constexpr dtype_set logical = types_of(boolean);
inline constexpr dtype_set any = number | logical;
inline constexpr dtype_set quantised = types_of(i8, u8, i16, i32);
}  // namespace types

namespace detail {
template <dtype_set Set, dtype Type, class F> constexpr bool call_if_member(F& f) {
  if constexpr (Set.contains(Type)) f(element_t<Type>{});
  return Set.contains(Type);
}
}  // namespace detail

/// Calls f with a value of the element type of `type`, when `Set` has it; false when it does not. f is instantiated for the members of
/// the set alone.
template <dtype_set Set, class F> constexpr bool with_element(dtype type, F&& f) {
  switch (type) {
    case boolean: return detail::call_if_member<Set, boolean>(f);
    case i8: return detail::call_if_member<Set, i8>(f);
    case i16: return detail::call_if_member<Set, i16>(f);
    case i32: return detail::call_if_member<Set, i32>(f);
    case i64: return detail::call_if_member<Set, i64>(f);
    case u8: return detail::call_if_member<Set, u8>(f);
    case u16: return detail::call_if_member<Set, u16>(f);
    case u32: return detail::call_if_member<Set, u32>(f);
    case u64: return detail::call_if_member<Set, u64>(f);
    case f16: return detail::call_if_member<Set, f16>(f);
    case f32: return detail::call_if_member<Set, f32>(f);
    case f64: return detail::call_if_member<Set, f64>(f);
    case dtype::none: break;
  }
  return false;
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/core/shape.hpp
// shape: extents of a tensor up to rank 8, with sizes computed in 64 bits and checked.
// Flow: part of every tensor_desc; operators' infer functions compute with it.

namespace nnrt::inline NNRT_ISA {

inline constexpr int max_rank = 8;

/// The largest number of elements a tensor may have: sizes in bytes then fit comfortably into 64 bits.
inline constexpr std::int64_t max_elements = std::int64_t{1} << 40;

/// Extents of a tensor, outermost first. -1: not known yet (dynamic graphs only).
struct shape_t {
  std::int64_t extents[max_rank] = {};
  int rank = 0;

  constexpr shape_t() = default;
  /// More extents than max_rank are left out; fronts that read untrusted ranks check first.
  constexpr shape_t(std::initializer_list<std::int64_t> list) {
    for (const std::int64_t extent : list) push_back(extent);
  }

  /// Negative indices count from the end: shape[-1] is the innermost extent.
  constexpr std::int64_t operator[](int i) const { return extents[i < 0 ? rank + i : i]; }
  constexpr std::int64_t& operator[](int i) { return extents[i < 0 ? rank + i : i]; }
  constexpr const std::int64_t* begin() const { return extents; }
  constexpr const std::int64_t* end() const { return extents + rank; }

  constexpr void push_back(std::int64_t extent) {
    if (rank < max_rank) extents[rank++] = extent;
  }
  /// The shape with `extent` put in front of axis `at` (0 … rank).
  constexpr shape_t with_axis(int at, std::int64_t extent) const {
    shape_t out;
    for (int i = 0; i < at; ++i) out.push_back(extents[i]);
    out.push_back(extent);
    for (int i = at; i < rank; ++i) out.push_back(extents[i]);
    return out;
  }
  /// The shape with one extent replaced.
  constexpr shape_t with(int axis, std::int64_t extent) const {
    shape_t out = *this;
    out[axis] = extent;
    return out;
  }

  constexpr bool is_known() const {
    for (int i = 0; i < rank; ++i)
      if (extents[i] < 0) return false;
    return true;
  }
  /// Product of the extents from axis `from` up to `to` (rank when left out); -1 when one is unknown or the product exceeds max_elements.
  constexpr std::int64_t elements(int from = 0, int to = max_rank) const {
    std::int64_t n = 1;
    for (int i = from; i < (to < rank ? to : rank); ++i) {
      if (extents[i] < 0) return -1;
      if (extents[i] != 0 && n > max_elements / extents[i]) return -1;
      n *= extents[i];
    }
    return n;
  }

  friend constexpr bool operator==(const shape_t& a, const shape_t& b) {
    if (a.rank != b.rank) return false;
    for (int i = 0; i < a.rank; ++i)
      if (a.extents[i] != b.extents[i]) return false;
    return true;
  }
};

/// A shape known to the compiler: a template argument of builder::input and an operator's keyword (`reshape(x, nnrt::shape<1, 64>)`) alike.
template <std::int64_t... Extents> struct shape_constant {
  static_assert(sizeof...(Extents) <= max_rank, "nnrt: a shape has at most 8 extents");
  constexpr operator shape_t() const { return {Extents...}; }
};
template <std::int64_t... Extents> inline constexpr shape_constant<Extents...> shape{};

/// Row-major strides in elements; extents that are not known, or 0, count as 1.
constexpr shape_t row_major_strides(const shape_t& s) {
  shape_t strides = s;
  std::uint64_t next = 1;  // beside an extent of 0 the others may have any product, which nobody then reads: let it wrap
  for (int i = s.rank; i-- > 0;) {
    strides.extents[i] = static_cast<std::int64_t>(next);
    next *= s.extents[i] > 0 ? static_cast<std::uint64_t>(s.extents[i]) : 1;
  }
  return strides;
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA {

/// Order of the axes of an image tensor; `nd` for everything else. Source: OH_NN_Format, with ND added.
enum class format { none, nchw, nhwc, nd };

inline constexpr format nchw = format::nchw;
inline constexpr format nhwc = format::nhwc;
inline constexpr format nd = format::nd;

constexpr std::string_view name_of(format layout) {
  constexpr std::string_view names[] = {"none", "nchw", "nhwc", "nd"};
  return names[static_cast<int>(layout)];
}

/// The format that a tensor of this rank has unless it says otherwise: images are NHWC.
constexpr format default_format(int rank) { return rank == 4 ? format::nhwc : format::nd; }

/// Quantisation of a whole tensor: real = scale * (stored - zero_point).
struct quant {
  float scale = 0;
  std::int32_t zero_point = 0;
  friend constexpr bool operator==(const quant&, const quant&) = default;
};

/// Quantisation with one scale (and zero point) for each index along an axis; the scales come by name: "w.scale".
template <int Axis> struct per_channel_constant {};
template <int Axis> inline constexpr per_channel_constant<Axis> per_channel{};

/// How the stored numbers of a tensor stand for real ones.
struct quantisation {
  enum class kind { none, per_tensor, per_channel };
  kind mode = kind::none;
  float scale = 0;
  std::int32_t zero_point = 0;
  int axis = 0;

  constexpr quantisation() = default;
  constexpr quantisation(quant q) : mode(kind::per_tensor), scale(q.scale), zero_point(q.zero_point) {}
  template <int Axis> constexpr quantisation(per_channel_constant<Axis>) : mode(kind::per_channel), axis(Axis) {}

  constexpr explicit operator bool() const { return mode != kind::none; }
  friend constexpr bool operator==(const quantisation&, const quantisation&) = default;
};

/// dtype, format, shape and quantisation of a tensor; a structural type, so that it can be a template argument.
struct tensor_desc {
  dtype type = dtype::none;
  format layout = format::nd;
  shape_t shape;
  quantisation quantised;

  constexpr tensor_desc() = default;
  constexpr tensor_desc(dtype element, shape_t extents) : type(element), layout(default_format(extents.rank)), shape(extents) {}
  constexpr tensor_desc(dtype element, format order, shape_t extents, quantisation q = {}) : type(element), layout(order), shape(extents), quantised(q) {}

  constexpr int rank() const { return shape.rank; }
  /// Elements, or -1 when an extent is unknown.
  constexpr std::int64_t elements() const { return shape.elements(); }
  /// Bytes of a dense tensor, or -1 when an extent is unknown.
  constexpr std::int64_t bytes() const {
    const std::int64_t n = elements();
    return n < 0 ? -1 : n * size_of(type);
  }
  /// The same kind of tensor in another shape; the format follows the rank when that changes.
  constexpr tensor_desc with_shape(shape_t extents) const {
    return {type, extents.rank == shape.rank ? layout : default_format(extents.rank), extents, quantised};
  }
  constexpr tensor_desc with_type(dtype element) const { return {element, layout, shape, quantised}; }

  friend constexpr bool operator==(const tensor_desc&, const tensor_desc&) = default;
};

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA {

/// The number of an operator: NNRt's OH_NN_OperationType where it has one, else 1000 and up.
enum class op_code : std::int32_t {};

/// Rules that follow from an operator's table of operands; they are checked before its own.
enum class signature_rule {
  required_operand_must_be_given,
  operands_must_not_exceed_the_signature,
  operand_type_must_be_accepted_by_the_operator,
  operand_must_be_a_constant,
  extents_must_not_be_negative,
  tensor_must_not_exceed_the_size_limit,
  attributes_must_be_well_formed,
  output_count_must_match,
  declared_output_type_must_match,
  declared_output_rank_must_match,
  declared_output_extent_must_match,
};

/// What the two values of a verdict count.
enum class unit { number, type, layout };

/// One broken rule of one operator, or the output descs when nothing is broken.
struct verdict {
  op_code op{};
  int rule = -1;               // index into Op::rule, or into signature_rule; -1: nothing is broken
  bool by_signature = false;
  unit counted = unit::number;
  std::int64_t actual = 0;     // in the rule's own unit: a rank, a channel count, pixels, a dtype
  std::int64_t expected = 0;
  pool<tensor_desc> outputs;

  constexpr explicit operator bool() const { return rule < 0; }
  constexpr const tensor_desc& output(int i) const { return outputs[static_cast<std::size_t>(i)]; }
};

namespace detail {
template <class Rule> constexpr verdict broken_rule(Rule rule, unit counted, std::int64_t got, std::int64_t expected) {
  verdict v;
  v.rule = static_cast<int>(rule);
  v.by_signature = std::is_same_v<Rule, signature_rule>;
  v.counted = counted;
  v.actual = got;
  v.expected = expected;
  return v;
}
}  // namespace detail

/// A true verdict when both values are equal, else the broken rule with both.
template <class Rule> constexpr verdict require(Rule rule, std::int64_t got, std::int64_t expected) {
  return got == expected ? verdict{} : detail::broken_rule(rule, unit::number, got, expected);
}
template <class Rule> constexpr verdict require(Rule rule, dtype got, dtype expected) {
  return got == expected ? verdict{} : detail::broken_rule(rule, unit::type, static_cast<int>(got), static_cast<int>(expected));
}
template <class Rule> constexpr verdict require(Rule rule, format got, format expected) {
  return got == expected ? verdict{} : detail::broken_rule(rule, unit::layout, static_cast<int>(got), static_cast<int>(expected));
}
template <class Rule> constexpr verdict require_at_least(Rule rule, std::int64_t got, std::int64_t least) {
  return got >= least ? verdict{} : detail::broken_rule(rule, unit::number, got, least);
}
template <class Rule> constexpr verdict require_at_most(Rule rule, std::int64_t got, std::int64_t most) {
  return got <= most ? verdict{} : detail::broken_rule(rule, unit::number, got, most);
}
/// least <= got <= most; the bound that is broken is the expected value.
template <class Rule> constexpr verdict require_between(Rule rule, std::int64_t got, std::int64_t least, std::int64_t most) {
  return got < least ? detail::broken_rule(rule, unit::number, got, least) : require_at_most(rule, got, most);
}
/// Equal extents, or one of them not known yet (-1).
template <class Rule> constexpr verdict require_same_extent(Rule rule, std::int64_t got, std::int64_t expected) {
  return got < 0 || expected < 0 ? verdict{} : require(rule, got, expected);
}
/// For rules about an operand that must, or must not, be there.
template <class Rule> constexpr verdict refuse(Rule rule, std::int64_t got, std::int64_t expected) {
  return detail::broken_rule(rule, unit::number, got, expected);
}

/// Nothing is broken, and these are the outputs.
template <class... Desc> constexpr verdict yields(const Desc&... desc) {
  verdict v;
  v.outputs.reserve(sizeof...(Desc));
  (v.outputs.push_back(desc), ...);
  return v;
}

/// One operand as rules see it: its desc and, of a constant integer operand, its values.
struct operand {
  tensor_desc desc;
  std::span<const std::int64_t> values;  // integers of a constant; empty when unknown
  bool constant = false;                 // a constant or a weight: known before the network runs

  /// Whether there is such an operand at all: optional ones may be missing.
  constexpr explicit operator bool() const { return desc.type != dtype::none; }
  /// Whether the integer values are known (an empty list of a constant is known, too).
  constexpr bool has_values() const { return constant && std::int64_t(values.size()) == desc.elements(); }
};

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/core/view.hpp
// view: tensors as references and kernels see them - a desc, strides and typed data that also works in constant evaluation.
// Flow: executors make views of their operands for each step; Op::reference asks them for typed access.

namespace nnrt::inline NNRT_ISA {

/// Typed access to a tensor: extents, strides in elements, and data.
template <class T> struct tensor_view {
  T* data = nullptr;
  shape_t shape;
  shape_t strides;
  bool is_dense = true;  // whether the strides are those of a dense row-major tensor

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

/// A pointer to elements of any dtype. Constant evaluation allows no cast from void*, so there the member of the dtype is read.
class any_pointer {
 public:
  constexpr any_pointer() = default;
  template <class T> constexpr any_pointer(T* elements) {
    if (std::is_constant_evaluated()) set(elements);
    else raw_ = static_cast<void*>(elements);
  }
  /// For bytes whose dtype the desc tells; run time only.
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

/// One operand of a step: desc, optional strides, data, and the scales of a per-channel quantised tensor. Does not own anything.
struct view {
  const tensor_desc* desc = nullptr;     // nullptr: an optional operand that is not there
  any_pointer data;
  const shape_t* strides = nullptr;      // in elements; nullptr: dense, row-major
  std::span<const float> scales = {};    // one for each index of the quantised axis
  std::span<const std::int32_t> zero_points = {};

  constexpr explicit operator bool() const { return desc != nullptr; }
  constexpr dtype type() const { return desc->type; }
  constexpr const shape_t& shape() const { return desc->shape; }
  constexpr int rank() const { return desc->shape.rank; }
  constexpr std::int64_t elements() const { return desc->shape.elements(); }

  /// Typed access; T is the element type of the desc's dtype, const or not.
  template <class T> constexpr tensor_view<T> as() const {
    using element = std::remove_const_t<T>;
    return {data.get<element>(), desc->shape, strides != nullptr ? *strides : row_major_strides(desc->shape), strides == nullptr};
  }
  /// The i-th element (row-major) of an integer or boolean operand.
  constexpr std::int64_t integer(std::int64_t i) const {
    std::int64_t value = 0;
    with_element<types::integer | types::logical>(desc->type, [&]<class T>(T) { value = static_cast<std::int64_t>(as<const T>()[i]); });
    return value;
  }
};

using arguments = std::span<const view>;
using results = std::span<const view>;

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA {

/// One call of a kernel: part `tile` of `tiles` of the work of one step.
struct kernel_call {
  std::span<const word> attrs;
  arguments in;                   // the node's operands; packed ones have a desc but no data; the packed form comes last
  results out;
  std::byte* scratch = nullptr;   // scratch_bytes of the choice, aligned to 64, for this part alone
  int tile = 0;
  int tiles = 1;
};
using kernel_function = void (*)(const kernel_call& call);

/// What the planner knows when it asks for a kernel.
struct kernel_request {
  std::span<const word> attrs;
  std::span<const operand> in;
  std::span<const tensor_desc> out;
  bool unrolled = false;          // for a micro network, whose executor inlines what has an unrolled form
};

/// Kernels that exist with compile-time extents as well: unrolled executors call those instead of run().
enum class unrolled_form { none, dense };

/// A kernel for one node. One without a name is none: the reference runs. (With -fsanitize=undefined g++ 12 compares no pointers to
/// functions in constant evaluation.)
struct kernel_choice {
  kernel_function run = nullptr;
  /// Brings constant operands into the order that run() reads: in = the node's operands, out[0] = packed_bytes bytes, aligned to 64.
  /// It runs once when an executor is made, or before every run() when an operand in `packs` is no constant.
  kernel_function pack = nullptr;
  std::uint32_t packs = 0;            // bit i: operand i is read by pack() only
  std::int64_t packed_bytes = 0;
  std::int64_t scratch_bytes = 0;     // for each part that runs at the same time
  unrolled_form form = unrolled_form::none;
  bool packs_in_compiler = false;     // pack() is constexpr, takes f32 operands and makes an f32 result: constants are packed while planning
  int parts = 1;                      // into how many parts the work may be cut at most
  std::string_view name;

  constexpr explicit operator bool() const { return !name.empty(); }
  constexpr bool has_pack() const { return packs != 0; }
};

namespace kernels {

/// Fast kernels of an operator: kernels/bind/<operator>.hpp specialises it partially over Op, with a select() of this signature. Isa stays
/// a parameter so that the kernels of operators that a program does not name are never instantiated.
template <class Op, class Isa = void> struct fast {
  static constexpr kernel_choice select(const kernel_request&) { return {}; }
};

/// Complete where kernels/select.hpp has been included, and with it every specialisation of fast.
template <class Op> struct bindings;

/// What stands for fast<Op>::select where it has not.
constexpr kernel_choice select_none(const kernel_request&) { return {}; }

}  // namespace kernels

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/kernels/part.hpp
// part: how the work of one kernel call is divided among tasks.
// Flow: a thread pool calls a kernel once per part, in any order or at once; together they do what part {0, 1} does.

namespace nnrt::inline NNRT_ISA::kernels {

/// Part `index` of `count` (0 <= index < count). Every kernel gives the same bits for any count.
struct part {
  std::int64_t index = 0;
  std::int64_t count = 1;
};

/// begin <= i < end.
struct interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  constexpr std::int64_t size() const { return end - begin; }
};

/// Units along two axes.
struct rectangle {
  interval rows, columns;
};

/// What a part does of n units; the parts differ by one unit at most.
constexpr interval share(std::int64_t n, part p) { return {n * p.index / p.count, n * (p.index + 1) / p.count}; }

/// What a part does of rows x columns units: a share of the axis that has more of them, so that parts are as equal as
/// can be.
constexpr rectangle share(std::int64_t rows, std::int64_t columns, part p) {
  if (rows >= columns) return {share(rows, p), {0, columns}};
  return {{0, rows}, share(columns, p)};
}

}  // namespace nnrt::inline NNRT_ISA::kernels

namespace nnrt::inline NNRT_ISA::kernels {

/// The elements of operand i.
constexpr const float* floats_in(const kernel_call& call, std::size_t i) { return call.in[i].data.get<float>(); }
constexpr float* floats_out(const kernel_call& call, std::size_t i = 0) { return call.out[i].data.get<float>(); }

/// The same as bytes, for kernels that only move elements.
inline const std::byte* bytes_in(const kernel_call& call, std::size_t i) {
  return static_cast<const std::byte*>(call.in[i].data.raw());
}
inline std::byte* bytes_out(const kernel_call& call, std::size_t i = 0) {
  return static_cast<std::byte*>(call.out[i].data.raw());
}

constexpr part part_of(const kernel_call& call) { return {call.tile, call.tiles}; }

/// Into how many parts work of so many elements is worth being cut: none below 64 Ki, since starting a part costs some
/// microseconds.
constexpr int parts_for(std::int64_t elements) {
  constexpr std::int64_t least = 32 * 1024, most = 64;
  const std::int64_t parts = elements / least;
  return static_cast<int>(parts < 2 ? 1 : parts < most ? parts : most);
}

/// What a part does of n floats, in whole cache lines, so that no two parts write into one (where the memory is
/// aligned).
constexpr interval share_of_floats(std::int64_t n, part p) {
  if (p.count == 1) return {0, n};  // divisions cost as much as the work on a handful of elements
  constexpr std::int64_t line = 16;
  const interval lines = share((n + line - 1) / line, p);
  return {lines.begin * line, lines.end * line < n ? lines.end * line : n};
}

/// Whether the operands that are there and the outputs are all of this dtype.
constexpr bool all_of_type(const kernel_request& node, dtype type) {
  for (const operand& x : node.in)
    if (x && x.desc.type != type) return false;
  for (const tensor_desc& y : node.out)
    if (y.type != type) return false;
  return true;
}

/// Whether there is something to compute and all extents are known: the kernels' condition; the reference takes the
/// rest.
constexpr bool has_work(const kernel_request& node) {
  if (node.in[0].desc.elements() <= 0) return false;
  for (const tensor_desc& y : node.out)
    if (y.elements() <= 0) return false;
  return true;
}

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/elementwise.hpp
// elementwise: functions of one or two operands, element by element, with NumPy's broadcasting.
// Flow: bind/relu.hpp, bind/add.hpp and their like call map(), zip(), zip_broadcast() and normalise_channels().

// ===== nnrt/core/broadcast.hpp
// broadcast: NumPy's rule for operands of different shapes - extents of 1 are repeated, missing leading axes count as 1.
// Flow: binary operators' infer, reference and kernels.

namespace nnrt::inline NNRT_ISA {

/// What broadcasting two shapes gives, or the first pair of extents (from the innermost) that does not fit.
struct broadcast_result {
  shape_t shape;
  bool fits = true;
  std::int64_t left = 0, right = 0;
};

constexpr broadcast_result broadcast(const shape_t& a, const shape_t& b) {
  broadcast_result out;
  out.shape.rank = a.rank > b.rank ? a.rank : b.rank;
  for (int i = 1; i <= out.shape.rank; ++i) {
    const std::int64_t x = i <= a.rank ? a[-i] : 1, y = i <= b.rank ? b[-i] : 1;
    if (x != y && x != 1 && y != 1 && x >= 0 && y >= 0 && out.fits) out.fits = false, out.left = x, out.right = y;
    // An unknown extent beside a known one other than 1 can only be 1 or that one.
    out.shape[-i] = x == 1 ? y : y == 1 ? x : x < 0 ? y : x;
  }
  return out;
}

/// Strides of an operand under a broadcast shape: 0 along repeated axes.
constexpr shape_t broadcast_strides(const shape_t& shape, const shape_t& strides, const shape_t& to) {
  shape_t out;
  out.rank = to.rank;
  for (int i = 1; i <= to.rank; ++i) out[-i] = i <= shape.rank && shape[-i] != 1 ? strides[-i] : 0;
  return out;
}

/// Steps an index vector through a shape in row-major order; false after the last one.
constexpr bool next_index(shape_t& index, const shape_t& shape) {
  for (int axis = shape.rank; axis-- > 0;) {
    if (++index.extents[axis] < shape.extents[axis]) return true;
    index.extents[axis] = 0;
  }
  return false;
}

/// The axis that a possibly negative number means, or -1 when there is none such among `rank` axes.
constexpr int normalise_axis(std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) return -1;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/kernels/lane_math.hpp
// lane_math: selections and elementary functions on vectors of floats.
// Flow: elementwise.hpp and softmax.hpp compute with these; the operators' references (core/math.hpp) are what they are
// held against.

// ===== nnrt/kernels/lanes.hpp
// lanes: the vector type of every float kernel and the few operations that xsimd 8.1 lacks.
// Flow: the kernels include this; no other header mentions intrinsics of float vectors.

#include <cstring>
#include <limits>

#if defined(__SSE2__) || (defined(__ARM_NEON) && defined(__aarch64__))
#define NNRT_HAS_XSIMD 1
// g++ 12 warns about _mm512_undefined_ps inside its own header once that is inlined into ours.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <xsimd/xsimd.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif

namespace nnrt::inline NNRT_ISA::kernels {

/// Template argument of every kernel's entry point. A template is compiled only where it is called, so a program that
/// merely includes a kernel does not pay for it.
struct native {
  /// Whether the GEMM tile asks for the weights of the next step (weights_ahead) while it computes. Costs layers that
  /// need no such help 1 to 5 %, hence off.
  static constexpr bool fetches_ahead = false;
};
/// As native, with the fetching ahead.
struct native_fetching_ahead {
  static constexpr bool fetches_ahead = true;
};

// --- the vector type -------------------------------------------------------
// The architecture is spelled out, not xsimd's default: with -mavx alone the default would be 8 lanes inside namespace
// sse4, and two units compiled with different flags would give one name two meanings.
#if !defined(NNRT_HAS_XSIMD)
/// One float that looks like an xsimd batch, for machines without a batch.
struct single_lane {
  static constexpr std::size_t size = 1;
  float data = 0;

  single_lane() = default;
  explicit single_lane(float x) : data(x) {}
  static single_lane load_unaligned(const float* p) { return single_lane(*p); }
  void store_unaligned(float* p) const { *p = data; }
  friend single_lane operator+(single_lane x, single_lane y) { return single_lane(x.data + y.data); }
};
using vf = single_lane;
#elif defined(__aarch64__)
using vf = xsimd::batch<float, xsimd::neon64>;
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define NNRT_LANES_AVX512 1
using vf = xsimd::batch<float, xsimd::avx512bw>;
#elif defined(__AVX2__) && defined(__FMA__)
#define NNRT_LANES_AVX2 1
using vf = xsimd::batch<float, xsimd::fma3<xsimd::avx2>>;
#elif defined(__SSE4_1__)
using vf = xsimd::batch<float, xsimd::sse4_1>;
#else
using vf = xsimd::batch<float, xsimd::sse2>;
#endif

/// Floats per vector.
inline constexpr std::int64_t lanes = static_cast<std::int64_t>(vf::size);

/// Vector registers of the machine; the kernels choose the size of their tiles by it.
#if defined(NNRT_LANES_AVX512) || defined(__aarch64__)
inline constexpr int vector_registers = 32;
#else
inline constexpr int vector_registers = 16;
#endif

/// Whether load_first() and store_first() cost no more than load() and store().
#if defined(NNRT_LANES_AVX512)
inline constexpr bool masks_are_free = true;
#else
inline constexpr bool masks_are_free = false;
#endif

/// n rounded up to whole vectors.
constexpr std::int64_t whole_vectors(std::int64_t n) { return (n + lanes - 1) / lanes * lanes; }

// --- operations ------------------------------------------------------------

/// The float at p in every lane.
[[gnu::always_inline]] inline vf broadcast(const float* p) {
#if defined(NNRT_LANES_AVX512)
  return vf(_mm512_set1_ps(*p));
#else
  return vf(*p);
#endif
}

[[gnu::always_inline]] inline vf load(const float* p) {
#if defined(NNRT_LANES_AVX512)
  return vf(_mm512_loadu_ps(p));  // what load_unaligned() does, through three calls fewer to inline
#else
  return vf::load_unaligned(p);
#endif
}

[[gnu::always_inline]] inline void store(float* p, vf x) {
#if defined(NNRT_LANES_AVX512)
  _mm512_storeu_ps(p, x.data);
#else
  x.store_unaligned(p);
#endif
}

/// x * y + z; one rounding where the machine has fma, two on SSE.
[[gnu::always_inline]] inline vf fma(vf x, vf y, vf z) {
#if defined(NNRT_LANES_AVX512)
  return vf(
      _mm512_fmadd_ps(x.data, y.data, z.data));  // xsimd 8.1 has mul + add here; g++ contracts that, clang does not
#elif defined(NNRT_HAS_XSIMD)
  return xsimd::fma(x, y, z);
#else
  return vf(x.data * y.data + z.data);
#endif
}

/// What an epilogue limits sums to: nothing by default, [0, inf] for relu, [0, 6] for relu6.
struct clamp_range {
  float lo = -std::numeric_limits<float>::infinity();
  float hi = std::numeric_limits<float>::infinity();
};

/// x limited to [lo, hi]; a NaN in x stays NaN. x86 answers with the second operand when one of two is NaN, so x stands
/// second; NEON's max and min give NaN anyway.
[[gnu::always_inline]] inline vf clamp(vf x, vf lo, vf hi) {
#if defined(NNRT_LANES_AVX512)
  return vf(_mm512_min_ps(hi.data, _mm512_max_ps(lo.data, x.data)));
#elif defined(NNRT_HAS_XSIMD)
  return xsimd::min(hi, xsimd::max(lo, x));
#else
  const float above = x.data < lo.data ? lo.data : x.data;
  return vf(hi.data < above ? hi.data : above);
#endif
}

#if defined(NNRT_LANES_AVX2)
/// All bits set in the first n lanes.
[[gnu::always_inline]] inline __m256i first_lanes(std::int64_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
#endif

/// Stores the first n lanes (0 < n <= lanes); memory past them is not touched.
[[gnu::always_inline]] inline void store_first(float* p, vf v, std::int64_t n) {
#if defined(NNRT_LANES_AVX512)
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1U << n) - 1U), v.data);
#else
  if (n == lanes) return store(p, v);
#if defined(NNRT_LANES_AVX2)
  _mm256_maskstore_ps(p, first_lanes(n), v.data);
#else
  float all[lanes];
  store(all, v);
  std::memcpy(p, all, static_cast<std::size_t>(n) * sizeof(float));
#endif
#endif
}

/// The first n floats at p (0 < n <= lanes), the other lanes zero; memory past them is not touched.
[[gnu::always_inline]] inline vf load_first(const float* p, std::int64_t n) {
#if defined(NNRT_LANES_AVX512)
  return vf(_mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << n) - 1U), p));
#elif defined(NNRT_LANES_AVX2)
  return vf(_mm256_maskload_ps(p, first_lanes(n)));
#else
  float all[lanes] = {};
  std::memcpy(all, p, static_cast<std::size_t>(n) * sizeof(float));
  return vf::load_unaligned(all);
#endif
}

// --- half vectors ----------------------------------------------------------

/// Whether the operations on halves are single instructions here. Where they are not, nothing calls them.
#if defined(NNRT_LANES_AVX512)
inline constexpr bool has_halves = true;
/// Lower half of `low`, upper half of `high`.
[[gnu::always_inline]] inline vf blend_halves(vf low, vf high) {
  return vf(_mm512_mask_blend_ps(0xff00, low.data, high.data));
}
/// The first half vector at p, twice.
[[gnu::always_inline]] inline vf load_half_twice(const float* p) {
  return vf(_mm512_broadcast_f32x8(_mm256_loadu_ps(p)));
}
/// The first n lanes (0 < n <= lanes / 2) of the lower half to p, of the upper half to q.
[[gnu::always_inline]] inline void store_halves(float* p, float* q, vf v, std::int64_t n) {
  const __mmask8 mask = static_cast<__mmask8>((1U << n) - 1U);
  _mm256_mask_storeu_ps(p, mask, _mm512_castps512_ps256(v.data));
  // Opaque, or the compiler merges both steps into a vextractf32x8 to memory, which faults on lanes that the mask
  // leaves out.
  __m256 upper = _mm512_extractf32x8_ps(v.data, 1);
  asm("" : "+v"(upper));
  _mm256_mask_storeu_ps(q, mask, upper);
}
#else
inline constexpr bool has_halves = false;
inline vf blend_halves(vf low, vf) { return low; }
inline vf load_half_twice(const float* p) { return load(p); }
inline void store_halves(float*, float*, vf, std::int64_t) {}
#endif

// --- what keeps g++ 12 from spoiling a tile ---------------------------------

/// A place in memory as a number. Kernels step through rows with it: a pointer past the end of its array, as the last
/// step of a loop makes, would be undefined behaviour, a number is not.
using address = std::uintptr_t;

inline address address_of(const float* p) { return reinterpret_cast<address>(p); }

/// `floats` floats further on (or back).
[[gnu::always_inline]] inline address advanced(address from, std::int64_t floats) {
  return from + static_cast<address>(floats * static_cast<std::int64_t>(sizeof(float)));
}
[[gnu::always_inline]] inline const float* floats_at(address from) { return reinterpret_cast<const float*>(from); }

/// Makes the value opaque, so that the optimiser keeps it in a register instead of recomputing it from others.
template <class T> [[gnu::always_inline]] inline void keep(T& value) { asm("" : "+r"(value)); }

/// Multiples of a distance in memory. With x86's scaled index they reach offsets 0 to 6 from one base without a further
/// instruction. Kept opaque: g++ 12 else computes every address ahead of the loop and parks them in stack slots.
struct strides {
  address x1, x3, x5, x7;
  explicit strides(std::int64_t floats) : x1(advanced(0, floats)), x3(x1 * 3), x5(x1 * 5), x7(x1 * 7) {
    keep(x3), keep(x5), keep(x7);
  }
  /// base + I distances, I in 0 … 7.
  template <int I> [[gnu::always_inline]] address from(address base) const {
    static_assert(I >= 0 && I <= 7);
    if constexpr (I == 3) return base + x3;
    else if constexpr (I == 5) return base + x5;
    else if constexpr (I == 6) return base + 2 * x3;
    else if constexpr (I == 7) return base + x7;
    else return base + I * x1;
  }
};

/// f(0) … f(N - 1) with constant arguments. A plain loop over an array of vectors leaves the array on the stack: g++ 12
/// unrolls after it has decided what lives in memory. The lambdas given must be always_inline, too.
template <int N, class F> [[gnu::always_inline]] inline void each(F&& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, N>{});
}

/// Copies n floats that do not overlap; faster than memcpy for the handfuls that kernels copy.
inline void copy_floats(const float* from, std::int64_t n, float* to) {
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) store(to + i, load(from + i));
  if (i < n) store_first(to + i, load_first(from + i, n - i), n - i);
}

/// Sets n floats to zero.
inline void zero_floats(std::int64_t n, float* to) {
  const vf zero(0.0F);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) store(to + i, zero);
  if (i < n) store_first(to + i, zero, n - i);
}

}  // namespace nnrt::inline NNRT_ISA::kernels

namespace nnrt::inline NNRT_ISA::kernels {

// Everything is a template over the vector type, which is always vf: nothing is instantiated by including this.

// --- what a machine without vectors needs ----------------------------------
#if !defined(NNRT_HAS_XSIMD)
inline single_lane operator-(single_lane x) { return single_lane(-x.data); }
inline single_lane operator-(single_lane x, single_lane y) { return single_lane(x.data - y.data); }
inline single_lane operator*(single_lane x, single_lane y) { return single_lane(x.data * y.data); }
inline single_lane operator/(single_lane x, single_lane y) { return single_lane(x.data / y.data); }
#endif

// --- selections ------------------------------------------------------------

/// Lane by lane x < y ? yes : no; a NaN in x or y gives no.
template <class V> [[gnu::always_inline]] inline V where_less(V x, V y, V yes, V no) {
#if defined(NNRT_HAS_XSIMD)
  return xsimd::select(x < y, yes, no);
#else
  return x.data < y.data ? yes : no;
#endif
}

/// Lane by lane x <= y ? yes : no; a NaN in x or y gives no.
template <class V> [[gnu::always_inline]] inline V where_at_most(V x, V y, V yes, V no) {
#if defined(NNRT_HAS_XSIMD)
  return xsimd::select(x <= y, yes, no);
#else
  return x.data <= y.data ? yes : no;
#endif
}

/// Lane by lane: yes where x is a NaN, else no.
template <class V> [[gnu::always_inline]] inline V where_nan(V x, V yes, V no) {
#if defined(NNRT_HAS_XSIMD)
  return xsimd::select(x == x, no, yes);  // xsimd 8.1 on AVX-512 answers x != x with false for a NaN
#else
  return x.data != x.data ? yes : no;
#endif
}

/// The larger of both; y where one of them is a NaN on x86, a NaN on NEON. Where that matters, see maximum_of.
template <class V> [[gnu::always_inline]] inline V larger_of(V x, V y) {
#if defined(NNRT_LANES_AVX512)
  return V(_mm512_max_ps(x.data, y.data));
#elif defined(NNRT_HAS_XSIMD)
  return xsimd::max(x, y);
#else
  return x.data > y.data ? x : y;
#endif
}

/// The larger of both, a NaN where one of them is a NaN.
template <class V> [[gnu::always_inline]] inline V maximum_of(V x, V y) {
#if defined(__aarch64__) && defined(NNRT_HAS_XSIMD)
  return larger_of(x, y);
#else
  return where_nan(x, x, larger_of(x, y));
#endif
}

template <class V> [[gnu::always_inline]] inline V magnitude_of(V x) {
#if defined(NNRT_HAS_XSIMD)
  return xsimd::abs(x);
#else
  return V(x.data < 0 ? -x.data : x.data == 0 ? 0.0F : x.data);
#endif
}

// --- across the lanes ------------------------------------------------------

namespace detail {

/// The lanes of both halves, quarters, ... exchanged: lane i of the result is lane i ^ Distance.
template <int Distance, class V> [[gnu::always_inline]] inline V exchanged(V x) {
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return V(__builtin_shufflevector(x.data, x.data, (I ^ Distance)...));
  }
  (std::make_integer_sequence<int, static_cast<int>(lanes)>{});
}

/// f over all lanes, halves first: the order of a sum depends on the number of lanes alone.
template <class V, class F> [[gnu::always_inline]] inline float fold_lanes(V x, F f) {
  constexpr auto count = static_cast<unsigned>(lanes);
  each<std::countr_zero(count)>([&](auto k) __attribute__((always_inline)) {
    x = f(x, exchanged<static_cast<int>(count >> (k + 1))>(x));
  });
  if constexpr (lanes == 1) return x.data;
  else return x.data[0];
}

}  // namespace detail

/// The sum of the lanes.
template <class V> [[gnu::always_inline]] inline float sum_of_lanes(V x) {
  return detail::fold_lanes(
      x, [](V a, V b) __attribute__((always_inline)) { return a + b; });
}

/// The largest lane; any number when there is a NaN.
template <class V> [[gnu::always_inline]] inline float largest_lane(V x) {
  return detail::fold_lanes(
      x, [](V a, V b) __attribute__((always_inline)) { return larger_of(a, b); });
}

/// v with `rest` in the lanes from n on.
template <class V> [[gnu::always_inline]] inline V first_or(V v, std::int64_t n, float rest) {
#if defined(NNRT_LANES_AVX512)
  return V(_mm512_mask_blend_ps(static_cast<__mmask16>((1U << n) - 1U), _mm512_set1_ps(rest), v.data));
#elif defined(NNRT_LANES_AVX2)
  return V(_mm256_blendv_ps(_mm256_set1_ps(rest), v.data, _mm256_castsi256_ps(first_lanes(n))));
#else
  alignas(64) float all[lanes];
  v.store_unaligned(all);
  for (std::int64_t i = n; i < lanes; ++i) all[i] = rest;
  return V::load_unaligned(all);
#endif
}

// --- functions -------------------------------------------------------------

/// Horner's scheme, highest power first.
template <class V, class... Rest> [[gnu::always_inline]] inline V polynomial(V x, float highest, Rest... rest) {
  V sum(highest);
  ((sum = fma(sum, x, V(rest))), ...);
  return sum;
}

namespace detail {

/// e^x / 2^n, n the integer nearest to x / ln 2: a number from 0.7 to 1.42.
template <class V> [[gnu::always_inline]] inline V exp_fraction(V x, V n) {
  // ln 2 in two parts, the first of 15 bits: its products with n are exact even without fma.
  const V r = fma(n, V(-0x1.7f7d1cp-20F), fma(n, V(-0x1.62e4p-1F), x));
  // 1 + r + minimax of e^r - 1 - r for |r| < 0.35, relative error of the sum below 3.3e-9.
  return polynomial(r, 0x1.6a1a72p-10F, 0x1.123fc6p-7F, 0x1.555916p-5F, 0x1.55548ap-3F, 0x1.fffffcp-2F, 1.0F, 1.0F);
}

}  // namespace detail

/// e^x within 1.5 ulp where the result is a normal number, 0 or a subnormal number below, infinity above, a NaN for a
/// NaN.
template <class V> [[gnu::always_inline]] inline V exp_of(V x) {
  constexpr float log2_e = 0x1.715476p+0F;
#if defined(NNRT_LANES_AVX512)
  const V at = clamp(x, V(-104.0F), V(89.0F));  // the results are 0 and infinity there already
  const V n(_mm512_roundscale_ps((at * V(log2_e)).data, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  return V(_mm512_scalef_ps(detail::exp_fraction(at, n).data, n.data));
#else
  constexpr float lowest = -0x1.5d589ep+6F, highest = 0x1.62e42ep+6F;  // from ln 2^-126 to ln of the largest float
  constexpr float shift =
      0x1.8p23F;  // a number beside it loses its fraction; n then stands in the lowest bits of the sum
  const V shifted = fma(x, V(log2_e), V(shift)), fraction = detail::exp_fraction(x, shifted - V(shift));
#if defined(NNRT_HAS_XSIMD)
  using integers = xsimd::batch<std::int32_t, typename V::arch_type>;
  const integers exponent = xsimd::bitwise_cast<integers>(shifted) << 23;
  const V e = xsimd::bitwise_cast<V>(xsimd::bitwise_cast<integers>(fraction) + exponent);
#else
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted.data) << 23U;
  const V e(std::bit_cast<float>(std::bit_cast<std::uint32_t>(fraction.data) + exponent));
#endif
  const V beyond = x + V(std::numeric_limits<float>::infinity());
  return where_less(x, V(lowest), V(0.0F), where_at_most(x, V(highest), e, beyond));  // a NaN is beyond
#endif
}

/// 1 / (1 + e^-x).
template <class V> [[gnu::always_inline]] inline V sigmoid_of(V x) { return V(1.0F) / (V(1.0F) + exp_of(-x)); }

/// tanh x within 4 ulp: x + x^3 P(x^2) near zero, else 1 - 2 / (e^2x + 1), which loses nothing there.
template <class V> [[gnu::always_inline]] inline V tanh_of(V x) {
  constexpr float near = 0.65F;
  const V square = x * x;
  // Minimax on |x| <= 0.65, relative error 6.8e-9.
  const V series = polynomial(square, -0.005515167381F, 0.02046942363F, -0.0536880245F, 0.1333083037F, -0.3333325985F);
  const V far = V(1.0F) - V(2.0F) / (exp_of(x + x) + V(1.0F));
  return where_less(square, V(near * near), fma(x * square, series, x), far);
}

/// 0.5 x (1 + erf(x / sqrt 2)) = x Phi(x), Phi the normal distribution; without the cancellation of the former for
/// negative x.
template <class V> [[gnu::always_inline]] inline V gelu_of(V x) {
  // Phi(-t) = e^(-t^2/2) P(u), u = 1 / (1 + 0.3 t): minimax on 0 <= t <= 13.5, relative error 1.3e-7.
  const V t = magnitude_of(x), u = V(1.0F) / fma(t, V(0.3F), V(1.0F));
  const V series = polynomial(u, 0.03593153073F, -0.1582751931F, 0.2082052969F, -0.05539272204F, 0.1294686498F,
                              0.0996376462F, 0.1207983361F, 0.119626391F);
  const V below = exp_of(t * t * V(-0.5F)) * (series * u);
  return x * where_less(x, V(0.0F), below, V(1.0F) - below);
}

/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) = x sigmoid(2 sqrt(2/pi) (x + 0.044715 x^3)).
template <class V> [[gnu::always_inline]] inline V gelu_tanh_of(V x) {
  const V twice = x * fma(x * x, V(0.0713548162726F), V(1.59576912161F));
  return x * sigmoid_of(twice);
}

}  // namespace nnrt::inline NNRT_ISA::kernels

namespace nnrt::inline NNRT_ISA::kernels {

// Tails go through the vector function too: the result of an element must not depend on its place, or on how the work
// is divided.

// --- one operand -----------------------------------------------------------

/// y[i] = f(x[i]) for n elements; y may be x.
template <class F> void map(const float* x, std::int64_t n, float* y, F f) {
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f(load(x + i)).store_unaligned(y + i);
  if (i < n) store_first(y + i, f(load_first(x + i, n - i)), n - i);
}

/// What a fused activation limits results to.
constexpr clamp_range range_of(activation fused) {
  if (fused == activation::none) return {};
  return {0.0F, fused == activation::relu6 ? 6.0F : std::numeric_limits<float>::infinity()};
}

// Functions for map().

/// x limited to a range.
struct clamp_lanes {
  clamp_range range;
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return clamp(x, V(range.lo), V(range.hi)); }
};
/// 1 / (1 + e^-x).
struct sigmoid_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return sigmoid_of(x); }
};
/// tanh x.
struct tanh_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return tanh_of(x); }
};
/// x * relu6(x + 3) / 6.
struct hswish_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const {
    return x * (clamp(x + V(3.0F), V(0.0F), V(6.0F)) * V(1.0F / 6.0F));
  }
};
/// x Phi(x), Phi the normal distribution.
struct gelu_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return gelu_of(x); }
};
/// The approximation of the same by tanh.
struct gelu_tanh_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V x) const { return gelu_tanh_of(x); }
};

// --- two operands ----------------------------------------------------------

// Functions for zip() and zip_broadcast().

/// a + b.
struct add_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return a + b; }
};
/// a - b.
struct subtract_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return a - b; }
};
/// a b.
struct multiply_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return a * b; }
};
/// a / b.
struct divide_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return a / b; }
};
/// The larger of both, a NaN where one of them is.
struct maximum_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return maximum_of(a, b); }
};
/// a where it is positive (or a NaN), else a times its slope b.
struct prelu_lanes {
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const { return where_less(V(0.0F), a, a, a * b); }
};
/// F, then an activation.
template <class F> struct clamped {
  F f;
  clamp_range range;
  template <class V> [[gnu::always_inline]] V operator()(V a, V b) const {
    return clamp(f(a, b), V(range.lo), V(range.hi));
  }
};

/// An operand along a row: one element after the other, or one for all.
struct row_operand {
  const float* first;
  bool is_scalar;
};

/// y[i] = f(a[i], b[i]) for n elements; y may be an operand that is no scalar.
template <class F> void zip(row_operand a, row_operand b, std::int64_t n, float* y, F f) {
  const auto row = [&](auto at_a, auto at_b) __attribute__((always_inline)) {
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) f(at_a(i, lanes), at_b(i, lanes)).store_unaligned(y + i);
    if (i < n) store_first(y + i, f(at_a(i, n - i), at_b(i, n - i)), n - i);
  };
  const auto many = [](const float* p) {
    return [p](std::int64_t i, std::int64_t left) __attribute__((always_inline)) {
      return left == lanes ? load(p + i) : load_first(p + i, left);
    };
  };
  const auto one = [](const float* p) {
    return [v = broadcast(p)](std::int64_t, std::int64_t) __attribute__((always_inline)) { return v; };
  };
  if (a.is_scalar) row(one(a.first), many(b.first));
  else if (b.is_scalar) row(many(a.first), one(b.first));
  else row(many(a.first), many(b.first));
}

/// The loops of a broadcast, outermost first: extents of 1 left out, neighbouring axes that both operands walk alike
/// made one.
struct broadcast_loops {
  int count = 0;
  std::int64_t extents[max_rank] = {};
  std::int64_t a_steps[max_rank] = {};  // in elements; 0: repeated
  std::int64_t b_steps[max_rank] = {};
};

constexpr broadcast_loops loops_of(const shape_t& a, const shape_t& b, const shape_t& y) {
  const shape_t a_steps = broadcast_strides(a, row_major_strides(a), y),
                b_steps = broadcast_strides(b, row_major_strides(b), y);
  broadcast_loops loops;
  for (int axis = 0; axis < y.rank; ++axis) {
    const std::int64_t extent = y.extents[axis], step_a = a_steps.extents[axis], step_b = b_steps.extents[axis];
    if (extent == 1) continue;
    const int last = loops.count - 1;
    if (last >= 0 && loops.a_steps[last] == step_a * extent && loops.b_steps[last] == step_b * extent)
      loops.extents[last] *= extent;
    else loops.extents[loops.count++] = extent;
    loops.a_steps[loops.count - 1] = step_a;
    loops.b_steps[loops.count - 1] = step_b;
  }
  if (loops.count == 0) loops.extents[loops.count++] = 1;  // a single element: both steps may be 0
  return loops;
}

/// Where the rows of a broadcast lie; the row is the innermost loop.
struct broadcast_position {
  std::int64_t index[max_rank] = {};
  std::int64_t a = 0, b = 0;

  /// The place of row `row`, counted in row-major order.
  constexpr broadcast_position(const broadcast_loops& loops, std::int64_t row) {
    for (int i = loops.count - 1; i-- > 0; row /= loops.extents[i]) {
      index[i] = row % loops.extents[i];
      a += index[i] * loops.a_steps[i];
      b += index[i] * loops.b_steps[i];
    }
  }
  constexpr void next_row(const broadcast_loops& loops) {
    for (int i = loops.count - 1; i-- > 0;) {
      a += loops.a_steps[i];
      b += loops.b_steps[i];
      if (++index[i] < loops.extents[i]) return;
      a -= index[i] * loops.a_steps[i];
      b -= index[i] * loops.b_steps[i];
      index[i] = 0;
    }
  }
};

namespace detail {

/// The longest rows that are worth being laid end to end, see short_rows.
inline constexpr std::int64_t longest_short_row = 64;

/// Which operand is one short row for all rows of the innermost two loops, while the other goes on from row to row:
/// channels of a colour image, say. Such rows are taken many at a time.
struct short_rows {
  bool a_repeats = false, b_repeats = false;
  constexpr explicit operator bool() const { return a_repeats || b_repeats; }
};

constexpr short_rows short_rows_of(const broadcast_loops& loops) {
  const int inner = loops.count - 1, outer = inner - 1;
  if (outer < 0 || loops.extents[inner] > longest_short_row || loops.a_steps[inner] != 1 || loops.b_steps[inner] != 1)
    return {};
  const bool a_goes_on = loops.a_steps[outer] == loops.extents[inner],
             b_goes_on = loops.b_steps[outer] == loops.extents[inner];
  return {b_goes_on && loops.a_steps[outer] == 0, a_goes_on && loops.b_steps[outer] == 0};
}

/// zip() of n elements of `many` with a row of `period` elements that is repeated, from element `phase` of it on.
template <bool RowIsFirst, class F>
void zip_repeated(const float* many, const float* row, std::int64_t period, std::int64_t phase, std::int64_t n,
                  float* y, F f) {
  // So many rows end to end as there are lanes: whole vectors, whatever the period.
  alignas(64) float rows[longest_short_row * lanes];
  const std::int64_t length = period * lanes;
  for (std::int64_t i = 0, at = phase; i < length && i < n; ++i, at = at + 1 < period ? at + 1 : 0) rows[i] = row[at];
  for (std::int64_t i = 0; i < n; i += length) {
    const std::int64_t left = n - i < length ? n - i : length;
    const row_operand first{many + i, false}, second{rows, false};
    zip(RowIsFirst ? second : first, RowIsFirst ? first : second, left, y + i, f);
  }
}

/// The loops with the innermost two made one.
constexpr broadcast_loops without_short_rows(broadcast_loops loops) {
  const int inner = --loops.count;
  loops.extents[inner - 1] *= loops.extents[inner];
  return loops;
}

}  // namespace detail

/// y = f(a, b) for the elements of y in `range`, under broadcasting; y may be an operand of its own size.
template <class F>
void zip_broadcast(const broadcast_loops& loops, const float* a, const float* b, float* y, interval range, F f) {
  const detail::short_rows repeats = detail::short_rows_of(loops);
  const broadcast_loops around = repeats ? detail::without_short_rows(loops) : loops;
  const int inner = loops.count - 1;
  const std::int64_t extent = around.extents[around.count - 1], period = loops.extents[inner];
  const std::int64_t a_step = loops.a_steps[inner], b_step = loops.b_steps[inner];
  std::int64_t begin = range.begin, skipped = begin % extent;
  for (broadcast_position at(around, begin / extent); begin < range.end; at.next_row(around)) {
    const std::int64_t left = range.end - begin, row = extent - skipped, n = row < left ? row : left;
    const float *from_a = a + at.a, *from_b = b + at.b;
    if (repeats.a_repeats)
      detail::zip_repeated<true>(from_b + skipped, from_a, period, skipped % period, n, y + begin, f);
    else if (repeats.b_repeats)
      detail::zip_repeated<false>(from_a + skipped, from_b, period, skipped % period, n, y + begin, f);
    else zip({from_a + skipped * a_step, a_step == 0}, {from_b + skipped * b_step, b_step == 0}, n, y + begin, f);
    begin += n;
    skipped = 0;
  }
}

// --- per channel -----------------------------------------------------------

/// One parameter for each of `channels` innermost elements.
struct channel_parameters {
  const float *mean, *factor, *offset;
};

/// y = (x - mean) * factor + offset; y may be x.
template <class Isa = native>
void normalise_channels(const float* x, interval rows, std::int64_t channels, const channel_parameters& by, float* y) {
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const float* const from = x + row * channels;
    float* const to = y + row * channels;
    std::int64_t c = 0;
    for (; c + lanes <= channels; c += lanes)
      fma(load(from + c) - load(by.mean + c), load(by.factor + c), load(by.offset + c)).store_unaligned(to + c);
    if (const std::int64_t left = channels - c; left > 0) {
      const vf centred = load_first(from + c, left) - load_first(by.mean + c, left);
      store_first(to + c, fma(centred, load_first(by.factor + c, left), load_first(by.offset + c, left)), left);
    }
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/fast.hpp
// fast: the header that kernels/bind/*.hpp include for the template that they specialise.
// Flow: core/kernel.hpp declares kernels::fast<Op>; kernels/select.hpp includes all specialisations.

namespace nnrt::inline NNRT_ISA::kernels {

/// Kernel choice of an operator on two f32 tensors. Binding has `function(attrs words)`, which gives the function for
/// zip().
template <class Binding> struct binary_binding {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const int parts = parts_for(node.out[0].elements());
    if (is_flat(node.in[0].desc, node.in[1].desc, node.out[0]))
      return {.run = &run_flat, .parts = parts, .name = "zip"};
    return {.run = &run_broadcast, .parts = parts, .name = "zip broadcast"};
  }

  /// For operands that have as many elements as the result, or a single one.
  static void run_flat(const kernel_call& call) {
    const interval range = share_of_floats(call.out[0].elements(), part_of(call));
    zip(operand_of(call, 0, range.begin), operand_of(call, 1, range.begin), range.size(),
        floats_out(call) + range.begin, Binding::function(call.attrs));
  }
  static void run_broadcast(const kernel_call& call) {
    const broadcast_loops loops = loops_of(call.in[0].shape(), call.in[1].shape(), call.out[0].shape());
    zip_broadcast(loops, floats_in(call, 0), floats_in(call, 1), floats_out(call),
                  share_of_floats(call.out[0].elements(), part_of(call)), Binding::function(call.attrs));
  }

 private:
  static constexpr bool is_flat(const tensor_desc& a, const tensor_desc& b, const tensor_desc& y) {
    const auto fills = [&](const tensor_desc& x) { return x.elements() == y.elements() || x.elements() == 1; };
    return fills(a) && fills(b);
  }
  static row_operand operand_of(const kernel_call& call, std::size_t i, std::int64_t begin) {
    const bool is_scalar = call.in[i].elements() != call.out[0].elements();
    return {floats_in(call, i) + (is_scalar ? 0 : begin), is_scalar};
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/ops/add.hpp
// add: a + b with broadcasting and a fused activation.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels; it is the DSL's operator +.

// ===== nnrt/ops/detail/binary.hpp
// binary: what operators on two tensors have in common - broadcasting rules, attributes, scalars and the naive loop.
// Flow: ops/add.hpp and its like are made of these; each keeps its own enum of rules, so that errors name the operator.

// ===== nnrt/core/arithmetic.hpp
// arithmetic: what references share when they compute - the type they compute in, fused activations, rounding back.
// Flow: ops/*.hpp's reference functions; kernels are held against them.

// ===== nnrt/core/math.hpp
// math: elementary functions, the same ones in constant evaluation and at run time, and numeric conversion.
// Flow: every operator's reference() computes with these; fast kernels are compared with them.

/// Elementary functions on double and float, without <cmath>.
///
/// Accuracy on double, against the exact value: sqrt, fmod and all rounding functions are exact or correctly rounded;
/// exp, log, pow, tanh, sin and cos are within 1 ulp, expm1 and erf within 1.5, over the full range (0.5 ulp more where
/// a result is subnormal). A float overload computes in double and rounds once: within 0.51 ulp. Special values (zeros,
/// infinities, NaN) follow IEEE 754 and C's annex F. No argument is an error, in constant evaluation either.
///
/// Results have the same bits at compile time and at run time, for every -m and -O flag: products that are added to
/// something are kept from being contracted to fused ones. A double argument that is itself a product must come from
/// product() for that: with FMA, g++ would hand it in unrounded (float arguments are rounded by their conversion).
/// Flags that give up IEEE arithmetic (-ffast-math, clang's -ffp-contract=fast, x87) give up this too.
namespace nnrt::inline NNRT_ISA::math {

/// Infinity and quiet NaN of float, double or float16 (for which the standard library may have no numeric_limits).
template <class T> inline constexpr T infinity = static_cast<T>(std::numeric_limits<float>::infinity());
template <class T> inline constexpr T nan = static_cast<T>(std::numeric_limits<float>::quiet_NaN());

/// a * b, rounded: the compiler may not fuse it with an addition, as it does by default where there is FMA. For
/// reference functions whose results shall have the same bits everywhere, and for double arguments of the functions
/// below. Products that are exact (by a power of two, of factors with few bits) need no such protection.
template <class Real> constexpr Real product(Real a, std::type_identity_t<Real> b) {
#if defined(__clang__)
#pragma clang fp contract(off)
  return a * b;
#else
  return __builtin_assoc_barrier(a * b);
#endif
}

namespace detail {

inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63U;
inline constexpr std::uint64_t infinity_bits = std::uint64_t{2047} << 52U;
inline constexpr std::uint64_t mantissa_mask = (std::uint64_t{1} << 52U) - 1;

// The built-in, because std::bit_cast is a call, and calls are what clang counts in constant evaluation.
constexpr std::uint64_t bits(double x) { return __builtin_bit_cast(std::uint64_t, x); }
constexpr double from_bits(std::uint64_t word) { return __builtin_bit_cast(double, word); }

/// Polynomial in x by Horner's scheme, highest power first.
template <class... Rest> constexpr double polynomial(double x, double highest, Rest... rest) {
#if defined(__clang__)
#pragma clang fp contract(off)
  double sum = highest;
  ((sum = sum * x + rest), ...);  // product() spelt out: its calls would be half the cost of exp in constant evaluation
#else
  double sum = highest;
  ((sum = product(sum, x) + rest), ...);
#endif
  return sum;
}

/// 2^exponent for -1022 <= exponent <= 1023.
constexpr double power_of_two(int exponent) { return from_bits(static_cast<std::uint64_t>(exponent + 1023) << 52U); }

/// x * 2^exponent, rounded once, for 0.5 <= |x| < 2 or an exact result; infinity instead of an overflow.
constexpr double scaled(double x, int exponent) {
  if (exponent > 1023 && (exponent > 1024 || x >= 1.0)) return infinity<double>;
  if (exponent < -1200) return 0.0;
  const int half = exponent / 2;
  return x * power_of_two(half) * power_of_two(exponent - half);
}

/// A finite x >= 0 as mantissa * 2^exponent with an integer mantissa below 2^53.
struct integral {
  std::uint64_t mantissa = 0;
  int exponent = 0;
};

constexpr integral as_integral(double x) {
  const std::uint64_t word = bits(x);
  return word <= mantissa_mask
             ? integral{word, -1074}
             : integral{(word & mantissa_mask) | (mantissa_mask + 1), static_cast<int>(word >> 52U) - 1075};
}

/// The unevaluated sum of two doubles: about 106 bits.
struct wide {
  double high = 0.0, low = 0.0;
};

constexpr wide sum_of(double a, double b) {
  const double high = a + b, part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}

/// Product of two doubles; `low` is off by less than 2^-105 of the product. Halves are cut by mask, so that nothing
/// overflows that a * b does not.
constexpr wide product_of(double a, double b) {
  constexpr std::uint64_t upper_half = ~((std::uint64_t{1} << 27U) - 1);
  const double a_high = from_bits(bits(a) & upper_half), a_low = a - a_high;
  const double b_high = from_bits(bits(b) & upper_half), b_low = b - b_high;
  const double high = product(a, b);
  return {high, (a_high * b_high - high + a_high * b_low + a_low * b_high) + product(a_low, b_low)};
}

constexpr wide product_of(wide a, wide b) {
  const wide p = product_of(a.high, b.high);
  return sum_of(p.high, p.low + (product(a.high, b.low) + product(a.low, b.high)));
}

// ln 2 = ln2_high + ln2_low; the first has 42 bits, so that its product with an exponent is exact.
inline constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45, log2_e = 0x1.71547652b82fep+0;

constexpr std::int64_t nearest(double x) { return static_cast<std::int64_t>(x < 0.0 ? x - 0.5 : x + 0.5); }

/// (high + low) * 2^exponent.
struct exponential {
  double high = 0.0, low = 0.0;
  int exponent = 0;
};

/// e^x = (1 + high + low) * 2^exponent with |high| < 0.35.
constexpr exponential reduced_exponential(wide x) {
  const int k = static_cast<int>(nearest(product(x.high, log2_e)));
  const double high = x.high - k * ln2_high, low = x.low - product(ln2_low, k), r = high + low;
  // Taylor's series of (e^r - 1 - r) / r^2; with |r| < 0.35 the first term left out is below 2^-58.
  const double series = polynomial(r, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                                   1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5);
  return {high, low + product(product(r, r), series), k};
}

/// e^(high + low), where 0, infinity and everything between may come out; |high| < 2^30.
constexpr double exp_of(wide x) {
  const exponential e = reduced_exponential(x);
  const wide whole = sum_of(1.0, e.high);
  return scaled(whole.high + (whole.low + e.low), e.exponent);
}

/// e^x - 1 for -40 <= x <= 710.
constexpr exponential wide_expm1(double x) {
  const exponential e = reduced_exponential({x, 0.0});
  const wide one = sum_of(1.0, e.exponent > 200 ? 0.0 : -power_of_two(-e.exponent)), whole = sum_of(one.high, e.high);
  const wide sum = sum_of(whole.high, whole.low + (one.low + e.low));
  return {sum.high, sum.low, e.exponent};
}

/// x = 2^exponent * mantissa with sqrt(1/2) <= mantissa < sqrt(2); x is positive and finite.
struct binary {
  double mantissa = 1.0;
  int exponent = 0;
};

constexpr binary split(double x) {
  constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcdU;
  const bool subnormal = bits(x) <= mantissa_mask;
  const std::uint64_t offset = bits(subnormal ? x * 0x1p54 : x) - sqrt_half;
  const int exponent = static_cast<int>(static_cast<std::int64_t>(offset) >> 52);
  return {from_bits((offset & mantissa_mask) + sqrt_half), subnormal ? exponent - 54 : exponent};
}

/// log x to about 65 bits, as pow needs it: with s = (m - 1) / (m + 1), log m = 2 atanh(s) = 2s (1 + s^2 (1/3 + ...)).
constexpr wide wide_log(double x) {
  const binary b = split(x);
  const double f = b.mantissa - 1.0, divisor = 2.0 + f, divisor_low = f - (divisor - 2.0), quotient = f / divisor;
  const wide back = product_of(quotient, divisor);
  const wide s{quotient, ((f - back.high) - back.low - product(quotient, divisor_low)) / divisor};
  const wide z = product_of(s, s);
  const double series = polynomial(z.high, 1.0 / 25, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                   1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5);
  const wide factor = sum_of(0x1.5555555555555p-2, product(z.high, series));
  const wide rest =
      product_of(product_of(z, {factor.high, factor.low + 0x1.5555555555555p-56}), {2.0 * s.high, 2.0 * s.low});
  const wide mantissa = sum_of(2.0 * s.high, rest.high);
  const wide whole = sum_of(b.exponent * ln2_high, mantissa.high);
  return sum_of(whole.high, whole.low + (mantissa.low + rest.low + 2.0 * s.low + product(ln2_low, b.exponent)));
}

/// x = (4 j + quadrant) * pi/2 + (high + low) for an integer j, |high| <= pi/4.
struct angle {
  double high = 0.0, low = 0.0;
  int quadrant = 0;
};

inline constexpr wide half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/// 2/pi in binary after the point, behind 64 zeros.
inline constexpr std::uint32_t two_over_pi[41] = {
    0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b,
    0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea,
    0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20};

/// 32 bits of 2/pi; `first` counts from the start of the table.
constexpr std::uint32_t two_over_pi_bits(int first) {
  const std::uint64_t pair = std::uint64_t{two_over_pi[first / 32]} << 32U | two_over_pi[first / 32 + 1];
  return static_cast<std::uint32_t>(pair >> static_cast<unsigned>(32 - first % 32));
}

/// Reduction of any |x| >= 2^20 (Payne and Hanek, 1983): with x = M * 2^e, bits of 2/pi that contribute multiples of 4
/// to M * 2^e * 2/pi are skipped, the next 224 are multiplied with M modulo 2^224. What remains is the quadrant (2
/// bits) and its fraction (222 bits).
constexpr angle large_angle(double x) {
  const auto [mantissa, exponent] = as_integral(x);
  const int first = exponent - 2 + 64;
  std::uint32_t words[7] = {};
  std::uint64_t low = 0, high = 0;  // sums of products with the low and the high half of M, carries included
  for (int i = 6; i >= 0; --i) {
    const std::uint64_t word = two_over_pi_bits(first + 32 * i);
    low = word * (mantissa & 0xffffffffU) + (low >> 32U);
    const std::uint64_t column = (low & 0xffffffffU) + (high & 0xffffffffU);
    words[i] = static_cast<std::uint32_t>(column);
    high = word * (mantissa >> 32U) + (high >> 32U) + (column >> 32U);
  }
  const auto pair = [&](int i) { return std::uint64_t{words[i]} << 32U | words[i + 1]; };
  std::uint64_t fraction = pair(0) << 2U | pair(2) >> 62U, rest = pair(2) << 2U | pair(4) >> 62U;
  const bool beyond_half = fraction >> 63U != 0;
  if (beyond_half) {  // to the nearest multiple: minus the distance to the next one
    rest = ~rest + 1;
    fraction = ~fraction + (rest == 0 ? 1U : 0U);
  }
  const double upper = static_cast<double>(fraction >> 11U) * 0x1p-53,
               lower = static_cast<double>(fraction << 53U | rest >> 11U) * 0x1p-117;
  const wide r = product_of(sum_of(upper, lower), half_pi);
  return {beyond_half ? -r.high : r.high, beyond_half ? -r.low : r.low,
          static_cast<int>((pair(0) >> 62U) + (beyond_half ? 1U : 0U)) & 3};
}

/// Reduction of a finite x >= 0; up to 2^20 by pi/2 in three parts, of which two have 33 bits and so exact products
/// (Cody and Waite, 1980).
constexpr angle reduced_angle(double x) {
  if (x < 0x1.921fb54442d18p-1) return {x, 0.0, 0};
  if (x >= 0x1p20) return large_angle(x);
  const auto n = nearest(product(x, 0x1.45f306dc9c883p-1));
  const auto count = static_cast<double>(n);
  const wide second = sum_of(x - count * 0x1.921fb544p+0, -(count * 0x1.0b4611a6p-34));
  const wide third = sum_of(second.high, -product(count, 0x1.3198a2e037073p-69));
  const wide r = sum_of(third.high, third.low + second.low);
  return {r.high, r.low, static_cast<int>(n & 3)};
}

constexpr double sin_of(const angle& r) {
  const double z = product(r.high, r.high);
  const double series = polynomial(z, 1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
                                   1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6);
  return r.high + (product(r.low, 1.0 - 0.5 * z) + product(product(r.high, z), series));
}

constexpr double cos_of(const angle& r) {
  const double z = product(r.high, r.high), half = 0.5 * z, leading = 1.0 - half;
  const double series = polynomial(z, -1.0 / 6402373705728000, 1.0 / 20922789888000, -1.0 / 87178291200,
                                   1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24);
  return leading + (((1.0 - leading) - half) + (product(product(z, z), series) - product(r.high, r.low)));
}

/// 1 - erf(x) for 1 <= x < 6, to 2^-56: Chebyshev interpolants (mpmath.chebyfit, 400 bits), one per interval.
constexpr double erfc_of(double x) {
  if (x < 1.5) {
    return polynomial(x - 1.25, 0x1.6b00eb2cb6fdap-19, -0x1.c7dbbabc9602cp-15, 0x1.baa412d8caf14p-15,
                      0x1.538c382602086p-12, -0x1.a0077eba0fde4p-11, -0x1.cc2172222da51p-11, 0x1.75672d12391f6p-8,
                      -0x1.db43cae5db126p-9, -0x1.5d0003af90ad9p-6, 0x1.8281ce0b82f08p-5, 0x1.93a9a7bb7f98dp-8,
                      -0x1.571d01c5c588cp-3, 0x1.2ebf3dcc9f22fp-2, -0x1.e4652fadcb6b1p-3, 0x1.3bcd133aa0ffcp-4);
  }
  if (x < 2.25) {
    return polynomial(x - 1.875, 0x1.40a1ada2a00b7p-21, -0x1.34b5c106e53c5p-19, -0x1.aebb77566e7d3p-21,
                      0x1.5cbb72588ddfdp-16, -0x1.2ea05ee5a4a37p-15, -0x1.353c6ba6bb364p-14, 0x1.991c294fa710bp-12,
                      -0x1.7bda854cfb4bap-12, -0x1.76ff57f2b0888p-10, 0x1.42fcbab069747p-8, -0x1.0d099c7b085d1p-8,
                      -0x1.779b1e571b48p-7, 0x1.5a316520b810dp-5, -0x1.143d1c6f4f01dp-4, 0x1.01a1c847fa207p-4,
                      -0x1.12ceb37ff9bc4p-5, 0x1.0678442cc256fp-7);
  }
  if (x < 3.25) {
    return polynomial(x - 2.75, 0x1.06744613ff9bp-25, -0x1.c12075f398940p-24, -0x1.9d53b771897abp-31,
                      0x1.eaa54f58beec4p-21, -0x1.68c7aecc51234p-19, 0x1.1f9458e21181fp-20, 0x1.09d0ead76075bp-16,
                      -0x1.cd5933b90de98p-15, 0x1.2abb3b12b3372p-14, 0x1.75577311c4375p-14, -0x1.52b6263c8426fp-11,
                      0x1.b2755bfce9ebep-10, -0x1.6935960668c89p-9, 0x1.ab0c273ac413cp-9, -0x1.69cf466ccdecap-9,
                      0x1.a6a519a114ceep-10, -0x1.3360ccd23db3bp-11, 0x1.a609f7584d32fp-14);
  }
  return polynomial(x - 4.625, 0x1.ebb2314f7b8dbp-44, -0x1.2fd70f6e50249p-42, -0x1.4118413377709p-40,
                    0x1.a231557323ce7p-38, -0x1.8e62e7003a377p-37, 0x1.e36681da47a23p-38, 0x1.046c778304de9p-34,
                    -0x1.a3b36df137221p-32, 0x1.8399c04f4256bp-30, -0x1.0bed6b5c0cb58p-28, 0x1.2ecd3314e8391p-27,
                    -0x1.219d6b943d6ap-26, 0x1.da89a28d5f3e7p-26, -0x1.4e25a0b681c4dp-25, 0x1.93e25efbd201ep-25,
                    -0x1.a06e89ce887f2p-25, 0x1.6a3a9ebfb3d45p-25, -0x1.055664af12524p-25, 0x1.30fd0c32b6fd7p-26,
                    -0x1.1508e8dd46516p-27, 0x1.6fffa808bb993p-29, -0x1.3e44e95146deap-31, 0x1.0d3b35021d695p-34);
}

}  // namespace detail

// --- signs, classes --------------------------------------------------------

/// Magnitude of x; of the most negative integer, that integer (two's complement).
constexpr double abs(double x) { return detail::from_bits(detail::bits(x) & ~detail::sign_bit); }
constexpr float abs(float x) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0x7fffffffU); }
constexpr std::int64_t abs(std::int64_t x) {
  return x < 0 ? static_cast<std::int64_t>(~static_cast<std::uint64_t>(x) + 1) : x;
}

constexpr double copysign(double magnitude, double sign) {
  return detail::from_bits((detail::bits(magnitude) & ~detail::sign_bit) | (detail::bits(sign) & detail::sign_bit));
}
constexpr float copysign(float magnitude, float sign) {
  return static_cast<float>(copysign(double{magnitude}, double{sign}));
}

// Read from the bits: -ffast-math takes x != x for false.
constexpr bool is_nan(double x) { return (detail::bits(x) & ~detail::sign_bit) > detail::infinity_bits; }
constexpr bool is_nan(float x) { return is_nan(double{x}); }
constexpr bool is_inf(double x) { return (detail::bits(x) & ~detail::sign_bit) == detail::infinity_bits; }
constexpr bool is_inf(float x) { return is_inf(double{x}); }

// --- rounding --------------------------------------------------------------
// From 2^52 on every double is an integer; a zero keeps the sign of x.

constexpr double trunc(double x) {
  return abs(x) < 0x1p52 ? copysign(static_cast<double>(static_cast<std::int64_t>(x)), x) : x;
}

constexpr double floor(double x) {
  const double whole = trunc(x);
  return whole > x ? whole - 1.0 : whole;
}

constexpr double ceil(double x) {
  const double whole = trunc(x);
  return whole < x ? copysign(whole + 1.0, x) : whole;
}

/// To the nearest integer, halves away from zero.
constexpr double round_half_away(double x) {
  const double whole = trunc(x);
  return abs(x) < 0x1p52 && abs(x - whole) >= 0.5 ? whole + copysign(1.0, x) : whole;
}

/// To the nearest integer, halves to the even one.
constexpr double round_half_even(double x) {
  if (!(abs(x) < 0x1p52)) return x;
  const double whole = trunc(x), rest = abs(x - whole);
  const bool is_odd = (static_cast<std::int64_t>(whole) & 1) != 0;
  return rest > 0.5 || (rest == 0.5 && is_odd) ? whole + copysign(1.0, x) : whole;
}

constexpr float trunc(float x) { return static_cast<float>(trunc(double{x})); }
constexpr float floor(float x) { return static_cast<float>(floor(double{x})); }
constexpr float ceil(float x) { return static_cast<float>(ceil(double{x})); }
constexpr float round_half_away(float x) { return static_cast<float>(round_half_away(double{x})); }
constexpr float round_half_even(float x) { return static_cast<float>(round_half_even(double{x})); }

// --- remainders ------------------------------------------------------------

/// Remainder of x / y with the sign of x, exact; NaN for y = 0 or an infinite x.
constexpr double fmod(double x, double y) {
  if (is_nan(x) || is_nan(y) || is_inf(x) || y == 0.0) return nan<double>;
  if (abs(x) < abs(y)) return x;
  const detail::integral dividend = detail::as_integral(abs(x)), divisor = detail::as_integral(abs(y));
  std::uint64_t rest = dividend.mantissa % divisor.mantissa;
  for (int left = dividend.exponent - divisor.exponent; left > 0; left -= 11) {  // 53 bits and 11 make a word
    rest = (rest << static_cast<unsigned>(left < 11 ? left : 11)) % divisor.mantissa;
  }
  return copysign(detail::scaled(static_cast<double>(rest), divisor.exponent), x);
}
constexpr float fmod(float x, float y) { return static_cast<float>(fmod(double{x}, double{y})); }

/// Remainder with the sign of the divisor, a zero too: x - floor(x / y) * y. NaN where fmod is NaN.
constexpr double floor_mod(double x, double y) {
  const double rest = fmod(x, y);
  if (is_nan(rest)) return rest;
  if (rest == 0.0) return copysign(0.0, y);
  return (rest < 0.0) != (y < 0.0) ? rest + y : rest;
}
constexpr float floor_mod(float x, float y) { return static_cast<float>(floor_mod(double{x}, double{y})); }

/// Of integers; 0 for y = 0.
constexpr std::int64_t floor_mod(std::int64_t x, std::int64_t y) {
  if (y == 0 || y == -1) return 0;
  const std::int64_t rest = x % y;
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

// --- powers ----------------------------------------------------------------

/// Square root, correctly rounded; NaN below zero.
constexpr double sqrt(double x) {
  if (is_nan(x) || x == 0.0 || x == infinity<double>) return x;
  if (x < 0.0) return nan<double>;
  const bool subnormal = x < 0x1p-1022;
  const detail::integral n = detail::as_integral(subnormal ? x * 0x1p54 : x);
  const std::uint64_t square = n.mantissa << (static_cast<unsigned>(n.exponent) & 1U);  // times an even power of two
  const double m = static_cast<double>(square) * 0x1p-52;                               // 1 <= m < 4
  double y = 0.34 * m + 0.68;
  y = 0.5 * (y + m / y);
  y = 0.5 * (y + m / y);
  y = 0.5 * (y + m / y);
  y = 0.5 * (y + m / y);
  auto root = static_cast<std::int64_t>(y * 0x1p52 + 0.5);
  // The root is the nearest integer to sqrt(square * 2^52): -root < rest <= root. The rest is small, so that computing
  // modulo 2^64 is enough.
  const auto rest = [&] {
    return static_cast<std::int64_t>((square << 52U) -
                                     static_cast<std::uint64_t>(root) * static_cast<std::uint64_t>(root));
  };
  while (rest() > root) ++root;
  while (rest() <= -root) --root;
  return static_cast<double>(root) * detail::power_of_two((n.exponent >> 1) - 26 - (subnormal ? 27 : 0));
}
constexpr float sqrt(float x) { return static_cast<float>(sqrt(double{x})); }

constexpr double exp(double x) {
  if (is_nan(x)) return x;
  if (x > 710.0) return infinity<double>;
  return x < -746.0 ? 0.0 : detail::exp_of({x, 0.0});
}
constexpr float exp(float x) { return static_cast<float>(exp(double{x})); }

/// e^x - 1, accurate near zero.
constexpr double expm1(double x) {
  if (is_nan(x) || abs(x) < 0x1p-54) return x;
  if (x > 710.0) return infinity<double>;
  if (x < -40.0) return -1.0;
  const detail::exponential e = detail::wide_expm1(x);
  return detail::scaled(e.high, e.exponent);
}
constexpr float expm1(float x) { return static_cast<float>(expm1(double{x})); }

/// Natural logarithm; minus infinity at zero, NaN below.
constexpr double log(double x) {
  if (is_nan(x) || x == infinity<double>) return x;
  if (x == 0.0) return -infinity<double>;
  if (x < 0.0) return nan<double>;
  const detail::binary b = detail::split(x);
  const double f = b.mantissa - 1.0, s = f / (2.0 + f), z = product(s, s), half = product(0.5 * f, f);
  // log(1 + f) = 2 atanh(s) = f - (f^2/2 - s (f^2/2 + 2 s^2/3 + 2 s^4/5 + ...)): large terms are exact.
  const double series = detail::polynomial(z, 2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11,
                                           2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3);
  const double tail = product(s, half + product(z, series)) + product(detail::ln2_low, b.exponent);
  return b.exponent * detail::ln2_high + (f - (half - tail));
}
constexpr float log(float x) { return static_cast<float>(log(double{x})); }

/// x to the power of y. Special values as in C's annex F.10.4.4: pow(x, 0) = pow(1, y) = 1 even for NaN, a negative x
/// needs an integer y.
constexpr double pow(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (is_nan(x)) return x;
  if (is_nan(y)) return y;
  const double base = abs(x);
  const bool whole = trunc(y) == y, odd = whole && abs(y) < 0x1p53 && (static_cast<std::int64_t>(y) & 1) != 0;
  const double sign = odd ? copysign(1.0, x) : 1.0;
  if (base == 1.0 && is_inf(y)) return 1.0;
  if (base == 0.0 || is_inf(base)) return (base == 0.0) == (y < 0.0) ? sign * infinity<double> : sign * 0.0;
  if (x < 0.0 && !whole) return nan<double>;
  if (base == 1.0) return sign;
  if (abs(y) > 0x1p64) return (base > 1.0) == (y > 0.0) ? infinity<double> : 0.0;
  const detail::wide logarithm = detail::wide_log(base), power = detail::product_of(y, logarithm.high);
  if (power.high > 710.0) return sign * infinity<double>;
  if (power.high < -746.0) return sign * 0.0;
  return sign * detail::exp_of({power.high, power.low + product(y, logarithm.low)});
}
constexpr float pow(float x, float y) { return static_cast<float>(pow(double{x}, double{y})); }

// --- activations -----------------------------------------------------------

constexpr double tanh(double x) {
  const double size = abs(x);
  if (is_nan(x) || size < 0x1p-28) return x;
  if (size > 20.0) return copysign(1.0, x);
  // g / (g + 2) with g = e^2x - 1 to about 60 bits: the quotient of the leading parts, and once its remainder over the
  // divisor.
  const detail::exponential g = detail::wide_expm1(2.0 * size);
  const double unit = detail::power_of_two(g.exponent), high = g.high * unit, low = g.low * unit;
  const detail::wide divisor = detail::sum_of(2.0, high);
  const double quotient = high / divisor.high;
  const detail::wide back = detail::product_of(quotient, divisor.high);
  const double rest = ((high - back.high) - back.low) + (low - product(quotient, divisor.low + low));
  return copysign(quotient + rest / divisor.high, x);
}
constexpr float tanh(float x) { return static_cast<float>(tanh(double{x})); }

/// Gauss' error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x.
constexpr double erf(double x) {
  const double size = abs(x);
  if (is_nan(x)) return x;
  if (size >= 6.0) return copysign(1.0, x);
  if (size >= 1.0) return copysign(1.0 - detail::erfc_of(size), x);
  // Chebyshev interpolant of erf(x)/x - 1 in x^2, made like those of erfc_of.
  const double series = detail::polynomial(
      product(x, x), 0x1.05ffd737fb32ep-34, -0x1.389d4f2641625p-30, 0x1.f7b4bf3b13964p-27, -0x1.5f1ecb6f0764cp-23,
      0x1.b9df224ca4b97p-20, -0x1.f4d1e3183f7aep-17, 0x1.f9a321d5b8e1ep-14, -0x1.c02db3dac435fp-11,
      0x1.565bcd0dbaa38p-8, -0x1.b82ce31284ep-6, 0x1.ce2f21a042b3p-4, -0x1.812746b0379e6p-2, 0x1.06eba8214db69p-3);
  return x + product(x, series);
}
constexpr float erf(float x) { return static_cast<float>(erf(double{x})); }

// --- angles, in radians ----------------------------------------------------

/// Sine of any finite angle; NaN of an infinite one.
constexpr double sin(double x) {
  if (is_nan(x) || abs(x) < 0x1p-27) return x;
  if (is_inf(x)) return nan<double>;
  const detail::angle r = detail::reduced_angle(abs(x));
  const double value = r.quadrant % 2 == 0 ? detail::sin_of(r) : detail::cos_of(r);
  return (r.quadrant < 2) == (x > 0.0) ? value : -value;
}
constexpr float sin(float x) { return static_cast<float>(sin(double{x})); }

/// Cosine of any finite angle; NaN of an infinite one.
constexpr double cos(double x) {
  if (is_nan(x)) return x;
  if (is_inf(x)) return nan<double>;
  const detail::angle r = detail::reduced_angle(abs(x));
  const double value = r.quadrant % 2 == 0 ? detail::cos_of(r) : detail::sin_of(r);
  return r.quadrant == 0 || r.quadrant == 3 ? value : -value;
}
constexpr float cos(float x) { return static_cast<float>(cos(double{x})); }

// --- conversion ------------------------------------------------------------

namespace detail {

template <class T> struct compute { using type = std::int64_t; };
template <> struct compute<float16> { using type = float; };
template <> struct compute<float> { using type = float; };
template <> struct compute<double> { using type = double; };

template <class To, class From> constexpr To saturated(From x) {
  using limits = std::numeric_limits<To>;
  constexpr From end = static_cast<From>(limits::max() / 2 + 1) * From{2};  // max() + 1, which every From has
  if (is_nan(x)) return 0;
  if (x >= end) return limits::max();
  if (x <= (std::is_signed_v<To> ? -end : From{0})) return limits::min();
  return static_cast<To>(x);
}

}  // namespace detail

/// The type in which operators compute on elements of type T: float for float16, std::int64_t for integers and bool,
/// else T.
template <class T> using compute_t = typename detail::compute<T>::type;

/// An element as another type, by the rule of CAST: floating point to integer truncates toward zero, saturates, and
/// gives 0 for NaN; integer to narrower integer keeps the low bits; to bool is "not zero" (NaN is true); float16 is
/// reached from float, with its rounding and infinities. Source: the contract of NNRt's OH_NN_OPS_CAST, made definite
/// in this library.
template <class To, class From> constexpr To convert(From value) {
  if constexpr (std::is_same_v<To, From>) return value;
  else if constexpr (std::is_same_v<From, float16>) return convert<To>(static_cast<float>(value));
  else if constexpr (std::is_same_v<To, float16>) return static_cast<float16>(static_cast<float>(value));
  else if constexpr (std::is_same_v<To, bool>) return value != From{};
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) return detail::saturated<To>(value);
  else return static_cast<To>(value);
}

}  // namespace nnrt::inline NNRT_ISA::math

namespace nnrt::inline NNRT_ISA {

/// x after the activation, in the type of computation. A NaN stays one.
template <class T> constexpr T activate(T x, activation fused) {
  if (fused == activation::none) return x;
  if (x < T(0)) return T(0);
  return fused == activation::relu6 && x > T(6) ? T(6) : x;
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/core/dsl.hpp
// dsl: typed handles of a graph under construction, and the errors that the compiler prints for a broken rule.
// Flow: operators' functions (ops/*.hpp) take tensor<desc> and keywords and call dsl::apply<Op>, which ir/apply.hpp defines.

// ===== nnrt/core/keywords.hpp
// keywords: what a user writes beside the tensors of an operator - stride<2, 2>, same, axis<-1>, relu, ….
// Flow: dsl::apply puts each keyword into the attribute of its name, or into the operand slot of its name as a constant.

namespace nnrt::inline NNRT_ISA {

/// A slot is a name that keywords fill: an attribute of that name, or an operand of that role.
/// NNRT_SLOT(stride) defines keyword::stride_slot. One line for each name that any operator has.
#define NNRT_SLOT(NAME)                                                                       \
  struct NAME##_slot {                                                                        \
    static constexpr std::string_view name = #NAME;                                           \
    template <class Attrs>                                                                    \
      requires requires(Attrs& a) { a.NAME; }                                                 \
    static constexpr auto& of(Attrs& a) {                                                     \
      return a.NAME;                                                                          \
    }                                                                                         \
  }

namespace keyword {

NNRT_SLOT(approximate);
NNRT_SLOT(axes);
NNRT_SLOT(axis);
NNRT_SLOT(begin);
NNRT_SLOT(begin_norm_axis);
NNRT_SLOT(begin_param_axis);
NNRT_SLOT(ceil_mode);
NNRT_SLOT(coefficient);
NNRT_SLOT(dilation);
NNRT_SLOT(epsilon);
NNRT_SLOT(fused);
NNRT_SLOT(global);
NNRT_SLOT(group);
NNRT_SLOT(k);
NNRT_SLOT(keep_dims);
NNRT_SLOT(kernel);
NNRT_SLOT(mode);
NNRT_SLOT(output_num);
NNRT_SLOT(pad);
NNRT_SLOT(pad_value);
NNRT_SLOT(paddings);
NNRT_SLOT(perm);
NNRT_SLOT(reduce_to_end);
NNRT_SLOT(shape);
NNRT_SLOT(size);
NNRT_SLOT(sizes);
NNRT_SLOT(sorted);
NNRT_SLOT(stride);
NNRT_SLOT(transpose_a);
NNRT_SLOT(transpose_b);
NNRT_SLOT(type);

/// Everything that dsl::apply takes for a keyword.
struct base {};

/// A real number as a template argument, in whatever type it is written: clang 16 takes float only inside of a class.
struct real {
  float number;
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr real(T value) : number(static_cast<float>(value)) {}
  constexpr operator float() const { return number; }
};

/// One value for an attribute: a number, a flag, a mode.
template <class Slot, auto Value> struct value : base {
  using slot = Slot;
  template <class Attrs>
    requires requires(Attrs& a) { Slot::of(a); }
  static constexpr void set(Attrs& a) {
    Slot::of(a) = Value;
  }
};

/// Integers: for an attribute that is a length pair, four pads, a list or one number, or for an operand, where they become a constant.
template <class Slot, std::int64_t... Values> struct integers : base {
  using slot = Slot;
  static constexpr std::array<std::int64_t, sizeof...(Values)> values{Values...};

  template <class Attrs>
    requires requires(Attrs& a) { Slot::of(a); }
  static constexpr void set(Attrs& a) {
    assign(Slot::of(a));
  }
  /// Rank 1 for a list; see one_integer for a single number.
  static constexpr tensor_desc desc() { return {i64, {std::int64_t{sizeof...(Values)}}}; }

 private:
  static constexpr void assign(std::int64_t& to) {
    static_assert(sizeof...(Values) == 1, "nnrt: this keyword takes one number");
    to = values[0];
  }
  static constexpr void assign(extent2& to) {
    static_assert(sizeof...(Values) == 2, "nnrt: this keyword takes two numbers: height, width");
    to = {values[0], values[1]};
  }
  static constexpr void assign(pads& to) {
    static_assert(sizeof...(Values) == 4, "nnrt: padding takes four numbers: top, bottom, left, right");
    to = {pad_mode::explicit_pads, values[0], values[1], values[2], values[3]};
  }
  template <int N> static constexpr void assign(int_list<N>& to) {
    static_assert(sizeof...(Values) <= N, "nnrt: too many numbers for this keyword");
    to = {Values...};
  }
};

/// One integer: a scalar when it becomes an operand.
template <class Slot, std::int64_t Value> struct one_integer : integers<Slot, Value> {
  static constexpr tensor_desc desc() { return {i64, {}}; }
};

/// axis<1> for operators that take a list of axes: the list with this one axis; any other keyword as it is.
template <class Keyword> constexpr Keyword as_axes(Keyword given) { return given; }
template <std::int64_t Axis> constexpr integers<axes_slot, Axis> as_axes(one_integer<axis_slot, Axis>) { return {}; }

/// axes<…> as axis<…>, for operators whose list of axes NNRt calls `axis`; other keywords as they are.
template <class Keyword> constexpr Keyword as_axis(Keyword other) { return other; }
template <std::int64_t... Axes> constexpr integers<axis_slot, Axes...> as_axis(integers<axes_slot, Axes...>) { return {}; }

/// same and valid: the mode of the padding.
template <pad_mode Mode> struct padding_mode : base {
  using slot = pad_slot;
  template <class Attrs>
    requires requires(Attrs& a) { pad_slot::of(a).mode; }
  static constexpr void set(Attrs& a) {
    pad_slot::of(a).mode = Mode;
  }
};

/// into<…>: dtype and quantisation that the output shall have.
template <auto... Wish> struct into : base {
  static constexpr tensor_desc wanted() {
    tensor_desc d;
    (wish(d, Wish), ...);
    return d;
  }

 private:
  static constexpr void wish(tensor_desc& d, dtype type) { d.type = type; }
  static constexpr void wish(tensor_desc& d, quantisation q) { d.quantised = q; }
};

}  // namespace keyword

// --- geometry of windows, in pixels ---
template <std::int64_t H, std::int64_t W> inline constexpr keyword::integers<keyword::kernel_slot, H, W> kernel{};
template <std::int64_t H, std::int64_t W> inline constexpr keyword::integers<keyword::stride_slot, H, W> stride{};
template <std::int64_t H, std::int64_t W> inline constexpr keyword::integers<keyword::dilation_slot, H, W> dilation{};
/// Explicit padding: top, bottom, left, right.
template <std::int64_t Top, std::int64_t Bottom, std::int64_t Left, std::int64_t Right>
inline constexpr keyword::integers<keyword::pad_slot, Top, Bottom, Left, Right> padding{};
/// As many outputs as ceil(input / stride); the border is padded as needed, the odd pixel at bottom and right.
inline constexpr keyword::padding_mode<pad_mode::same> same{};
/// No padding.
inline constexpr keyword::padding_mode<pad_mode::valid> valid{};
template <std::int64_t Groups> inline constexpr keyword::integers<keyword::group_slot, Groups> group{};
/// A pooling window as large as the image.
inline constexpr keyword::value<keyword::global_slot, true> global{};
/// Output extents of pooling are rounded up, not down.
inline constexpr keyword::value<keyword::ceil_mode_slot, true> ceil_mode{};

// --- axes and orders ---
template <std::int64_t Axis> inline constexpr keyword::one_integer<keyword::axis_slot, Axis> axis{};
template <std::int64_t... Axes> inline constexpr keyword::integers<keyword::axes_slot, Axes...> axes{};
template <std::int64_t... Order> inline constexpr keyword::integers<keyword::perm_slot, Order...> perm{};
inline constexpr keyword::value<keyword::keep_dims_slot, true> keep_dims{};
inline constexpr keyword::value<keyword::reduce_to_end_slot, true> reduce_to_end{};
template <keyword::real Factor> inline constexpr keyword::value<keyword::coefficient_slot, Factor> coefficient{};
template <std::int64_t Axis> inline constexpr keyword::one_integer<keyword::begin_norm_axis_slot, Axis> begin_norm_axis{};
template <std::int64_t Axis> inline constexpr keyword::one_integer<keyword::begin_param_axis_slot, Axis> begin_param_axis{};

// --- parts of tensors ---
template <std::int64_t... Index> inline constexpr keyword::integers<keyword::begin_slot, Index...> begin{};
template <std::int64_t... Extent> inline constexpr keyword::integers<keyword::size_slot, Extent...> size{};
/// Into how many equal parts a tensor is split.
template <std::int64_t Parts> inline constexpr keyword::integers<keyword::output_num_slot, Parts> output_num{};
/// Extents of the parts of a split, in order.
template <std::int64_t... Extent> inline constexpr keyword::integers<keyword::sizes_slot, Extent...> sizes{};
/// How many of the largest elements top_k() takes.
template <std::int64_t Count> inline constexpr keyword::one_integer<keyword::k_slot, Count> k{};
/// top_k() gives the elements in the order of their indices, not from the largest down.
inline constexpr keyword::value<keyword::sorted_slot, false> unsorted{};
/// Elements before and after, for each axis in turn.
template <std::int64_t... BeforeAfter> inline constexpr keyword::integers<keyword::paddings_slot, BeforeAfter...> paddings{};
template <keyword::real Value> inline constexpr keyword::value<keyword::pad_value_slot, Value> pad_value{};
/// pad() repeats the tensor mirrored at its outermost elements, without them.
inline constexpr keyword::value<keyword::mode_slot, border::reflect> reflect{};
/// pad() repeats the tensor mirrored at its outermost elements, with them.
inline constexpr keyword::value<keyword::mode_slot, border::symmetric> symmetric{};

// --- arithmetic ---
template <keyword::real Value> inline constexpr keyword::value<keyword::epsilon_slot, Value> epsilon{};
inline constexpr keyword::value<keyword::transpose_a_slot, true> transpose_a{};
inline constexpr keyword::value<keyword::transpose_b_slot, true> transpose_b{};
inline constexpr keyword::value<keyword::approximate_slot, true> approximate{};
/// What the output shall be: into<nnrt::f16>, into<nnrt::quant{.scale = 0.02F, .zero_point = -3}>, or both.
template <auto... Wish> inline constexpr keyword::into<Wish...> into{};

}  // namespace nnrt::inline NNRT_ISA

#include <concepts>

namespace nnrt::inline NNRT_ISA {

class builder;

/// A tensor of a graph under construction; everything the compiler checks is in its type. A handle: copying it copies no tensor.
template <tensor_desc Desc> struct tensor {
  builder* owner = nullptr;
  std::int32_t id = -1;
  static constexpr tensor_desc desc = Desc;
};

/// The two values of a broken rule, as the compiler prints them: numbers, dtypes, formats.
template <auto Value> struct actual;
template <auto Value> struct expected;
/// The operator whose signature is broken; the keyword that does not fit it.
template <class Op> struct in_operator;
template <class Keyword> struct keyword_named;
/// Where a complaint about a whole graph points: a node's number, and a name letter by letter (clang prints no strings).
template <int Node> struct at_node;
template <char... Letters> struct named;

namespace detail {
template <class...> inline constexpr bool accepted = false;  // dependent, so that it fails only where it is named
}

/// Its arguments are what the compiler prints: the rule, then the values. decltype(graph_rejected<…>::report()) prints them.
template <auto Rule, class... Facts> struct graph_rejected {
#ifdef __clang__
  // Where clang meets a class whose assertion fails it gives up the function around it, and every constant that depends on that adds an error;
  // where a function's assertion fails it goes on.
  static constexpr auto report() {
    static_assert(detail::accepted<Facts...>, "nnrt rejected this graph: see the rule and the values named above");
    return true;
  }
#else
  static_assert(detail::accepted<Facts...>, "nnrt rejected this graph: see the rule and the values named above");
  static constexpr bool report() { return true; }
#endif
};

/// What can be wrong with the keywords of a call.
enum class keyword_rule { keyword_must_be_known_to_the_operator, keyword_must_not_be_given_twice };

namespace dsl {

template <class T> inline constexpr bool is_tensor = false;
template <tensor_desc Desc> inline constexpr bool is_tensor<tensor<Desc>> = true;

/// A keyword as apply() sees it: a shape is one, too.
template <class T> struct as_keyword { using type = T; };
template <std::int64_t... Extents> struct as_keyword<shape_constant<Extents...>> {
  using type = keyword::integers<keyword::shape_slot, Extents...>;
};
template <class T> inline constexpr bool is_keyword = std::derived_from<typename as_keyword<T>::type, keyword::base>;

/// A node of operator Op over these tensors and scalars, with these keywords; returns its output, or a tuple-like of them.
template <class Op, class... Args> constexpr auto apply(Args... args);

/// What an operator's function takes: handles, scalars where a handle is there, and keywords.
template <class T> concept tensor_handle = is_tensor<T>;
template <class T> concept operand_argument = is_tensor<T> || std::is_arithmetic_v<T>;
template <class T> concept keyword_argument = is_keyword<T>;

}  // namespace dsl

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/core/operator.hpp
// operator: what every operator states of itself, the checks that follow from it, and its erased form for graphs.
// Flow: ops/<name>.hpp define operators; builder and front ends call infer_node; IR nodes point to an operator_info.

namespace nnrt::inline NNRT_ISA {

/// Whether an operand must be given, may be missing, or stands for any number (at least one) of operands.
enum class presence { required, optional, variadic };

/// One row of an operator's signature.
struct operand_spec {
  std::string_view role;
  dtype_set accepts;
  presence given = presence::required;
  bool constant = false;   // must be known before the network runs
};

/// An attribute as NNRt passes it: a parameter tensor (OH_NN_<OP>_*) of this type number, dtype and element count (-1: any).
struct nnrt_parameter {
  std::string_view attribute;
  int tensor_type = 0;
  dtype type = dtype::none;
  int count = 1;
};

/// Numbers of an operator in other worlds; -1: it has none there.
struct foreign_numbers {
  int nnrt = -1;   // OH_NN_OperationType
  int hdi = -1;    // OHOS::HDI::Nnrt NodeType
};

/// Where the result of a node may live.
enum class storage {
  own,             // in memory of its own
  in_place,        // may overwrite an input of the same size: element i depends on no other element than i
  alias_of_input,  // the very bytes of input 0 under another desc
};

/// What a node computes, as far as passes ask. Affine ones can be folded into the weights of the layer before them.
enum class meaning {
  other,
  relu,
  relu6,
  batch_norm,  // x, scale, offset, mean, variance; attribute epsilon is the first
  bias_add,    // x, bias
};

/// A layer with weights: which operand they are, and which of their axes counts output channels.
enum class weights_role { none, conv2d, depthwise_conv2d, conv2d_transpose, full_connection };

/// What passes need to know of an operator; the defaults are those of an operator without any special property.
struct operator_traits {
  storage result = storage::own;
  meaning computes = meaning::other;
  weights_role weights = weights_role::none;
  int typed_by = 0;                   // the input whose dtype `reference` is instantiated for
  bool outputs_are_parts = false;     // split and slice: outputs are parts of input 0, found by Op::part_offset
  bool joins_inputs = false;          // concat: inputs may be written straight into the output when they lie there in one piece
};

/// What dumps say of an operator. Apart from operator_info, so that a program that prints its network does not keep every function of
/// every operator in it.
struct operator_label {
  std::string_view name;
  std::span<const attribute_field> attributes;
};

/// An operator without its type: tables and function pointers, what IR nodes refer to. One object per operator and dtype in static
/// graphs (so that only what a program names is instantiated), one per operator in dynamic ones.
struct operator_info {
  op_code code{};
  std::string_view name;
  std::span<const operand_spec> inputs;
  std::span<const operand_spec> outputs;
  operator_traits traits;
  int fused_word = -1;
  verdict (*infer)(std::span<const word> attrs, std::span<const operand> in, std::span<const tensor_desc> wanted) = nullptr;
  /// Of operators whose outputs are parts of input 0: where output i begins in it, in elements.
  std::int64_t (*part_offset)(std::span<const word> attrs, std::span<const operand> in, std::span<const tensor_desc> out, int i) = nullptr;
  std::int64_t (*macs)(std::span<const word> attrs, std::span<const operand> in, std::span<const tensor_desc> out) = nullptr;
  void (*reference)(std::span<const word> attrs, arguments in, results out) = nullptr;
  kernel_choice (*select)(const kernel_request& node) = nullptr;
  /// Runs the reference as a plan's step does.
  kernel_function run_reference = nullptr;
  const operator_label* label = nullptr;
  /// The enumerators of Op::rule, for messages.
  std::span<const std::string_view> rules;
  /// The dtypes of input `traits.typed_by` that `reference` is instantiated for.
  dtype_set computes_on;
};

/// Operators that do not multiply and accumulate.
inline constexpr auto no_macs = [](const auto&, std::span<const operand>, std::span<const tensor_desc>) -> std::int64_t { return 0; };

namespace detail {

/// The row of the signature for operand i: a variadic last row stands for all that follow. specs.size() when there is none.
/// (An index: g++ 12 with -fsanitize=undefined takes no comparison of such pointers with nullptr for constant.)
constexpr std::size_t row_of(std::span<const operand_spec> specs, std::size_t i) {
  if (i < specs.size()) return i;
  return !specs.empty() && specs.back().given == presence::variadic ? specs.size() - 1 : specs.size();
}

constexpr dtype first_of(dtype_set set) {
  for (int i = 1; i < dtype_count; ++i)
    if (set.contains(static_cast<dtype>(i))) return static_cast<dtype>(i);
  return dtype::none;
}

constexpr verdict check_extents(const tensor_desc& desc) {
  for (const std::int64_t extent : desc.shape) {
    if (auto v = require_at_least(signature_rule::extents_must_not_be_negative, extent, -1); !v) return v;
    // Each alone, too: beside an extent of 0 any product is small, and rules add extents up.
    if (auto v = require_at_most(signature_rule::tensor_must_not_exceed_the_size_limit, extent, max_elements); !v) return v;
  }
  if (desc.shape.is_known() && desc.elements() < 0) return refuse(signature_rule::tensor_must_not_exceed_the_size_limit, max_elements + 1, max_elements);
  return {};
}

/// Arity, dtypes and constants as the table of inputs demands.
constexpr verdict check_inputs(std::span<const operand_spec> specs, std::span<const operand> in) {
  const auto given = static_cast<std::int64_t>(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t row = row_of(specs, i);
    if (row == specs.size()) return refuse(signature_rule::operands_must_not_exceed_the_signature, given, static_cast<std::int64_t>(specs.size()));
    const operand_spec& spec = specs[row];
    if (!in[i]) {
      if (spec.given == presence::optional) continue;
      return refuse(signature_rule::required_operand_must_be_given, static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1);
    }
    if (!spec.accepts.contains(in[i].desc.type)) return require(signature_rule::operand_type_must_be_accepted_by_the_operator, in[i].desc.type, first_of(spec.accepts));
    if (spec.constant && !in[i].constant) return refuse(signature_rule::operand_must_be_a_constant, 0, 1);
    if (auto v = check_extents(in[i].desc); !v) return v;
  }
  std::int64_t needed = 0;
  for (const operand_spec& spec : specs)
    if (spec.given != presence::optional) ++needed;
  return require_at_least(signature_rule::required_operand_must_be_given, given, needed);
}

/// Fills in what the operator leaves to the caller's wish (a quantised output's parameters) and compares the rest with it.
constexpr verdict settle(verdict v, std::span<const tensor_desc> wanted) {
  for (std::size_t i = 0; i < v.outputs.size(); ++i) {
    tensor_desc& out = v.outputs[i];
    if (auto ok = check_extents(out); !ok) return ok;
    if (i >= wanted.size()) continue;
    const tensor_desc& wish = wanted[i];
    if (wish.quantised) out.quantised = wish.quantised;
    if (wish.type == dtype::none) continue;  // a wish about quantisation alone
    if (auto ok = require(signature_rule::declared_output_type_must_match, out.type, wish.type); !ok) return ok;
    if (wish.shape.rank == 0) continue;
    if (auto ok = require(signature_rule::declared_output_rank_must_match, out.rank(), wish.rank()); !ok) return ok;
    for (int axis = 0; axis < out.rank(); ++axis) {
      if (auto ok = require_same_extent(signature_rule::declared_output_extent_must_match, out.shape[axis], wish.shape[axis]); !ok) return ok;
      if (out.shape[axis] < 0) out.shape[axis] = wish.shape[axis];
    }
  }
  return v;
}

}  // namespace detail

/// Output descs of one node, or the rule that it breaks: the signature's rules first, then the operator's own.
template <class Op>
constexpr verdict infer_node(const typename Op::attrs& attrs, std::span<const operand> in, std::span<const tensor_desc> wanted) {
  verdict v = detail::check_inputs(Op::inputs, in);
  if (v) v = Op::infer(attrs, in, wanted);
  if (v) v = detail::settle(static_cast<verdict&&>(v), wanted);
  v.op = Op::code;
  return v;
}

/// Runs Op::reference for the dtype that its traits name. Only dtypes in `Types` are instantiated.
template <class Op, dtype_set Types> constexpr void run_reference(std::span<const word> words, arguments in, results out) {
  const auto attrs = unpack<typename Op::attrs>(words);
  const dtype type = in[static_cast<std::size_t>(Op::traits.typed_by)].type();
  with_element<Types>(type, [&]<class T>(T) { Op::template reference<T>(attrs, in, out); });
}

namespace detail {

template <class Op> constexpr verdict infer_words(std::span<const word> words, std::span<const operand> in, std::span<const tensor_desc> wanted) {
  if (!well_formed<typename Op::attrs>(words)) {
    verdict v = refuse(signature_rule::attributes_must_be_well_formed, 0, 1);
    v.op = Op::code;
    return v;
  }
  return infer_node<Op>(unpack<typename Op::attrs>(words), in, wanted);
}
template <class Op>
constexpr std::int64_t part_offset_of_words(std::span<const word> words, std::span<const operand> in, std::span<const tensor_desc> out, int i) {
  return Op::part_offset(unpack<typename Op::attrs>(words), in, out, i);
}
template <class Op> constexpr std::int64_t macs_of_words(std::span<const word> words, std::span<const operand> in, std::span<const tensor_desc> out) {
  return Op::macs(unpack<typename Op::attrs>(words), in, out);
}
template <class Op, dtype_set Types> void run_reference_step(const kernel_call& call) { run_reference<Op, Types>(call.attrs, call.in, call.out); }

/// "… [with auto ...Enumerators = {nnrt::…::rule::name, nnrt::…::rule::other, (nnrt::…::rule)2, …}; …]", clang: "… [Enumerators = <…>]".
template <auto... Enumerators> constexpr std::string_view text_of_enumerators() { return __PRETTY_FUNCTION__; }

/// The names of an enum's enumerators, cut out of one such text: an instantiation for each of them would cost every program more.
template <class Rule> struct rule_name_table {
  static constexpr int more_than_any_has = 64;
  static constexpr std::string_view text = []<int... I>(std::integer_sequence<int, I...>) {
    return text_of_enumerators<static_cast<Rule>(I)...>();
  }(std::make_integer_sequence<int, more_than_any_has>());

  /// Calls found(name) for each enumerator in turn, up to the first number that has none: a cast, "(…::rule)2".
  template <class F> static constexpr void for_each_name(F found) {
    const char* first = text.data() + text.find(" = ") + 3;
    bool is_cast = false;
    for (const char *at = first, *end = text.data() + text.size(); at != end; ++at) {
      if (*at == ':') first = at + 1, is_cast = false;
      if (*at == '(' || *at == ')') is_cast = true;
      if (*at != ',') continue;
      if (is_cast) return;
      found(std::string_view(first, static_cast<std::size_t>(at - first)));
      first = at + 2;
    }
  }
  static constexpr std::size_t count = [] {
    std::size_t n = 0;
    for_each_name([&](std::string_view) { ++n; });
    return n;
  }();
  static constexpr std::array<std::string_view, count> names = [] {
    std::array<std::string_view, count> list{};
    std::size_t n = 0;
    for_each_name([&](std::string_view name) { list[n++] = name; });
    return list;
  }();
};

}  // namespace detail

/// The names of an enum of rules, in order.
template <class Rule> constexpr std::span<const std::string_view> rule_names() { return detail::rule_name_table<Rule>::names; }

/// The dtypes for which Op::reference is meant.
template <class Op> constexpr dtype_set reference_types() {
  return Op::inputs[Op::traits.typed_by].accepts;
}

/// Whether T is defined, not only declared, where this is asked first.
template <class T> concept is_complete = requires { sizeof(T); };

template <class Op> inline constexpr operator_label label_of{Op::name, attribute_fields<typename Op::attrs>()};

/// The erased form of an operator whose reference is instantiated for the dtypes in Types.
/// HasKernels keeps what translation units with and without the kernels' bindings make of an operator apart: the linker would merge them.
template <class Op, dtype_set Types, bool HasKernels> constexpr operator_info make_operator_info() {
  operator_info info;
  info.code = Op::code;
  info.name = Op::name;
  info.inputs = Op::inputs;
  info.outputs = Op::outputs;
  info.traits = Op::traits;
  info.fused_word = fused_word<typename Op::attrs>();
  info.infer = &detail::infer_words<Op>;
  info.macs = &detail::macs_of_words<Op>;
  info.reference = &run_reference<Op, Types>;
  info.rules = rule_names<typename Op::rule>();
  info.computes_on = Types;
  if constexpr (Op::traits.outputs_are_parts) info.part_offset = &detail::part_offset_of_words<Op>;
  if constexpr (HasKernels) info.select = &kernels::fast<Op>::select;
  else info.select = &kernels::select_none;
  info.run_reference = &detail::run_reference_step<Op, Types>;
  info.label = &label_of<Op>;
  return info;
}

/// The operator as a static graph names it: its reference for one dtype.
template <class Op, dtype Type, bool HasKernels = is_complete<kernels::bindings<Op>>>
inline constexpr operator_info static_operator = make_operator_info<Op, types_of(Type), HasKernels>();

/// The operator as dynamic graphs find it: its reference for every dtype it takes.
template <class Op, bool HasKernels = is_complete<kernels::bindings<Op>>>
inline constexpr operator_info dynamic_operator = make_operator_info<Op, reference_types<Op>(), HasKernels>();

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA {
namespace dsl {

template <class T> inline constexpr dtype type_of_argument = dtype::none;
template <tensor_desc Desc> inline constexpr dtype type_of_argument<tensor<Desc>> = Desc.type;

/// Whether a scalar can stand beside this tensor: 0.5 beside integers would silently become 0.
template <class Scalar, class Tensor>
inline constexpr bool scalar_keeps_its_value =
    !std::is_floating_point_v<Scalar> || !(types::integer | types::logical).contains(type_of_argument<Tensor>);

template <class... T> inline constexpr bool any_is_tensor = (is_tensor<T> || ...);

/// Two operands, of which at least one is a tensor; the other may be a number, which takes the tensor's dtype.
template <class A, class B>
concept operand_pair = operand_argument<A> && operand_argument<B> && any_is_tensor<A, B>;

/// The complaint about a scalar that its tensor's dtype cannot hold.
template <class A, class B> consteval void check_scalar() {
  static_assert(scalar_keeps_its_value<A, B> && scalar_keeps_its_value<B, A>,
                "nnrt: beside an integer tensor a scalar must be an integer, too; cast the tensor for fractions");
}

}  // namespace dsl

namespace ops::detail {

/// Attributes of a binary operator that fuses an activation.
struct fused_attribute {
  BOOST_HANA_DEFINE_STRUCT(fused_attribute, (activation, fused));
  constexpr fused_attribute() : fused(activation::none) {}
};

/// The output of a binary operator, of the operands' dtype, or the broken rule of `Rule`.
/// The format is that of the first operand that has the rank of the result.
template <class Rule> constexpr verdict infer_binary(std::span<const operand> in) {
  const tensor_desc &a = in[0].desc, &b = in[1].desc;
  if (auto v = require(Rule::types_must_be_equal, b.type, a.type); !v) return v;
  const broadcast_result both = broadcast(a.shape, b.shape);
  if (!both.fits) return refuse(Rule::extents_must_be_equal_or_1, both.right, both.left);
  const format layout = a.rank() == both.shape.rank ? a.layout : b.layout;
  return yields(tensor_desc{a.type, layout, both.shape});
}

/// The type in which two elements meet: integers wrap around in their own width, floats are floats.
template <class T> using wrapping_t = std::conditional_t<std::is_integral_v<T>, std::uint64_t, math::compute_t<T>>;

/// A result after its fused activation, as an element.
template <class T, class Wide> constexpr T finished(Wide value, activation fused) {
  if constexpr (std::is_integral_v<T>) return activate(static_cast<T>(value), fused);
  else return static_cast<T>(activate(value, fused));
}

/// An operand seen in the shape that it is repeated to.
template <class T> constexpr tensor_view<T> repeated(tensor_view<T> x, const shape_t& to) {
  x.strides = broadcast_strides(x.shape, x.strides, to);
  x.shape = to;
  x.is_dense = false;
  return x;
}

/// y = f(a, b), element by element under broadcasting; f takes two T and returns an R.
template <class T, class R = T, class F> constexpr void for_each_pair(arguments in, results out, F f) {
  const auto y = out[0].as<R>();
  const auto a = repeated(in[0].as<const T>(), y.shape), b = repeated(in[1].as<const T>(), y.shape);
  shape_t index;
  index.rank = y.rank();
  for (std::int64_t left = y.elements(); left > 0; --left) {
    y.at(index) = f(a.at(index), b.at(index));
    next_index(index, y.shape);
  }
}

}  // namespace ops::detail
}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Sum of two tensors, element by element.
///
///   a, b: shapes that broadcast as NumPy's do, of one dtype      y: the common shape, fused(a + b)
///
/// Integers wrap around. Rules: the dtypes must be equal (cast one operand where they are not); extents, counted from
/// the innermost, must be equal or 1. Source: NNRt OH_NN_OPS_ADD.
struct add {
  static constexpr op_code code{1};
  static constexpr std::string_view name = "add";
  static constexpr operand_spec inputs[] = {{"a", types::number}, {"b", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 1, .hdi = 5};
  static constexpr nnrt_parameter parameters[] = {{"fused", 1, i8, -1}};
  using attrs = detail::fused_attribute;
  enum class rule { types_must_be_equal, extents_must_be_equal_or_1 };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return detail::infer_binary<rule>(in);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    using wide = detail::wrapping_t<T>;
    detail::for_each_pair<T>(in, out, [&](T a, T b) {
      return detail::finished<T>(static_cast<wide>(a) + static_cast<wide>(b), attributes.fused);
    });
  }
};

}  // namespace ops

/// add(a, b), where one of the two may be a number, with a fused activation; a + b is the same without one.
template <class A, class B, dsl::keyword_argument... Keywords>
requires dsl::operand_pair<A, B>
constexpr auto add(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::add>(a, b, keywords...);
}
template <class A, class B>
requires dsl::operand_pair<A, B>
constexpr auto operator+(A a, B b) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::add>(a, b);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::add, Isa> : binary_binding<fast<ops::add, Isa>> {
  static clamped<add_lanes> function(std::span<const word> attrs) {
    return {{}, range_of(unpack<ops::add::attrs>(attrs).fused)};
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/avg_pool.hpp
// avg_pool: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/kernels/bind/detail/pooling.hpp
// pooling: what the bindings of max_pool and avg_pool have in common.
// Flow: bind/max_pool.hpp and bind/avg_pool.hpp derive from pooling_binding and say how a window is folded.

// ===== nnrt/kernels/pooling.hpp
// pooling: maximum and mean over windows of an NHWC image, vectorised over channels.
// Flow: bind/max_pool.hpp and bind/avg_pool.hpp call pool_windows() for a part of the outputs.

// ===== nnrt/core/window.hpp
// window: where the windows of convolutions and pools lie - output extents and the padding in front.
// Flow: infer functions of window operators, their references and kernels ask here, so that no two can disagree.

namespace nnrt::inline NNRT_ISA {

/// The largest kernel, stride, dilation or pad; with it no computation on windows leaves 64 bits.
inline constexpr std::int64_t max_window_length = (std::int64_t{1} << 31) - 1;

/// A window operator along one axis; lengths in pixels, each at most max_window_length but the input's. -1: input or
/// kernel not known.
struct window {
  std::int64_t input = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  pad_mode mode = pad_mode::explicit_pads;
  std::int64_t before = 0;  // explicit pads only
  std::int64_t after = 0;
  bool ceil_mode = false;

  /// Pixels from a window's first tap to its last, both included.
  constexpr std::int64_t span() const { return (kernel - 1) * dilation + 1; }
  /// Number of windows, at least 0; -1 when it is unknown. SAME: ceil(input / stride); else those that the padded input
  /// covers. ceil_mode, which is about explicit pads only, adds a last window that the padded input covers in part,
  /// unless it would start behind the input, in the padding after it (the rule of ONNX and PyTorch).
  constexpr std::int64_t outputs() const {
    if (input < 0) return -1;
    if (mode == pad_mode::same) return (input + stride - 1) / stride;
    if (kernel < 0) return -1;
    const std::int64_t free = padded() - span();
    if (free < 0) return 0;
    const std::int64_t whole = free / stride + 1;
    const bool one_more =
        ceil_mode && mode == pad_mode::explicit_pads && free % stride != 0 && whole * stride < input + before;
    return one_more ? whole + 1 : whole;
  }
  /// Input with its explicit padding.
  constexpr std::int64_t padded() const { return mode == pad_mode::explicit_pads ? input + before + after : input; }
  /// Padded pixels in front of the input. SAME: half of what is needed, rounded down.
  constexpr std::int64_t pad_before() const {
    if (mode == pad_mode::explicit_pads) return before;
    if (mode == pad_mode::valid) return 0;
    const std::int64_t needed = (outputs() - 1) * stride + span() - input;
    return needed > 0 ? needed / 2 : 0;
  }
};

constexpr window window_of_height(std::int64_t input, std::int64_t kernel, extent2 stride, extent2 dilation,
                                  const pads& pad, bool ceil_mode = false) {
  return {input, kernel, stride.h, dilation.h, pad.mode, pad.top, pad.bottom, ceil_mode};
}
constexpr window window_of_width(std::int64_t input, std::int64_t kernel, extent2 stride, extent2 dilation,
                                 const pads& pad, bool ceil_mode = false) {
  return {input, kernel, stride.w, dilation.w, pad.mode, pad.left, pad.right, ceil_mode};
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

/// An NHWC image and the windows over it, in pixels; what lies in the padding takes no part.
struct pooling_shape {
  std::int64_t n = 1, c = 1;
  window h, w;
};

// What pool_windows() folds a window with: the value before the first pixel, one pixel more, the result of `count`
// pixels.

/// The largest pixel; a NaN where one of them is.
struct maximum_fold {
  static constexpr float start = -std::numeric_limits<float>::infinity();
  template <class V> [[gnu::always_inline]] static V step(V folded, V x) { return maximum_of(folded, x); }
  template <class V> [[gnu::always_inline]] static V result(V folded, V) { return folded; }
};
/// The mean of the pixels, summed row by row.
struct mean_fold {
  static constexpr float start = 0.0F;
  template <class V> [[gnu::always_inline]] static V step(V folded, V x) { return folded + x; }
  template <class V> [[gnu::always_inline]] static V result(V folded, V count) { return folded / count; }
};

namespace detail {

/// The window of one output pixel.
struct pooling_window {
  const float* first;  // its first pixel inside the image
  std::int64_t rows, columns;
  std::int64_t row_step, column_step;  // in floats
};

/// Vectors vectors of channels of one output; `last` channels of the last vector.
template <class V, class Fold, int Vectors>
[[gnu::always_inline]] inline void pool_channels(const pooling_window& at, std::int64_t channel, std::int64_t last,
                                                 clamp_range range, float* y) {
  V folded[Vectors];
  each<Vectors>([&](auto k) __attribute__((always_inline)) { folded[k] = V(Fold::start); });
  for (std::int64_t i = 0; i < at.rows; ++i)
    for (std::int64_t j = 0; j < at.columns; ++j) {
      const float* const x = at.first + i * at.row_step + j * at.column_step + channel;
      each<Vectors>([&](auto k) __attribute__((always_inline)) {
        folded[k] = Fold::step(folded[k], k + 1 < Vectors ? load(x + k * lanes) : load_first(x + k * lanes, last));
      });
    }
  const V count(static_cast<float>(at.rows * at.columns));
  each<Vectors>([&](auto k) __attribute__((always_inline)) {
    const V result = clamp(Fold::result(folded[k], count), V(range.lo), V(range.hi));
    store_first(y + channel + k * lanes, result, k + 1 < Vectors ? lanes : last);
  });
}

/// Channels `channels` of one output pixel.
template <class V, class Fold>
[[gnu::always_inline]] inline void pool_pixel(const pooling_window& at, interval channels, clamp_range range,
                                              float* y) {
  constexpr int vectors = 4;
  std::int64_t c = channels.begin;
  for (; c + vectors * lanes <= channels.end; c += vectors * lanes)
    pool_channels<V, Fold, vectors>(at, c, lanes, range, y);
  for (; c < channels.end; c += lanes)
    pool_channels<V, Fold, 1>(at, c, channels.end - c < lanes ? channels.end - c : lanes, range, y);
}

}  // namespace detail

/// The pixels of window i that lie in the image.
constexpr interval pixels_of(const window& at, std::int64_t pad_before, std::int64_t i) {
  const std::int64_t first = i * at.stride - pad_before, end = first + at.kernel;
  return {first > 0 ? first : 0, end < at.input ? end : at.input};
}

/// y[n, oh, ow, c] = clamp(fold of the window). Every window covers at least one pixel of the image.
template <class Fold, class Isa = native>
void pool_windows(const pooling_shape& s, const float* x, clamp_range range, float* y, part p = {}) {
  const std::int64_t rows = s.h.outputs(), columns = s.w.outputs(), pad_top = s.h.pad_before(),
                     pad_left = s.w.pad_before();
  const std::int64_t row_step = s.w.input * s.c, image_step = s.h.input * row_step;
  const rectangle work = share(s.n * rows * columns, (s.c + lanes - 1) / lanes, p);
  const interval channels{work.columns.begin * lanes, work.columns.end * lanes < s.c ? work.columns.end * lanes : s.c};
  std::int64_t ow = work.rows.begin % columns, oh = work.rows.begin / columns % rows;
  const float* image = x + work.rows.begin / columns / rows * image_step;
  for (std::int64_t pixel = work.rows.begin; pixel < work.rows.end; ++pixel) {
    const interval ih = pixels_of(s.h, pad_top, oh), iw = pixels_of(s.w, pad_left, ow);
    const float* const first = image + ih.begin * row_step + iw.begin * s.c;
    detail::pool_pixel<vf, Fold>({first, ih.size(), iw.size(), row_step, s.c}, channels, range, y + pixel * s.c);
    if (++ow < columns) continue;
    ow = 0;
    if (++oh < rows) continue;
    oh = 0;
    image += image_step;
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/ops/detail/pooling.hpp
// pooling: what max_pool and avg_pool share - attributes, rules, where windows lie, and the walk over their pixels.
// Flow: both operators' infer and reference; kernels ask windows_of() for the same places.

// ===== nnrt/ops/detail/window_rules.hpp
// window_rules: rules that all operators with windows over an image share - convolutions and pools.
// Flow: their infer functions call these with their own enum of rules, which names what is broken.

namespace nnrt::inline NNRT_ISA::ops::detail {

/// The windows of an operator along both axes of an image.
struct window_pair {
  window h, w;
};

constexpr window_pair windows_over(const shape_t& x, extent2 kernel, extent2 stride, extent2 dilation, const pads& pad,
                                   bool ceil_mode = false) {
  return {window_of_height(x[1], kernel.h, stride, dilation, pad, ceil_mode),
          window_of_width(x[2], kernel.w, stride, dilation, pad, ceil_mode)};
}

/// An image: rank 4 in NHWC order. A format that names no order counts as NHWC, as NNRt has it; only NCHW is refused.
template <class Rule> constexpr verdict check_image(const tensor_desc& x) {
  if (auto v = require(Rule::input_rank_must_be_4, x.rank(), 4); !v) return v;
  if (x.layout == format::nchw) return require(Rule::input_must_be_nhwc, x.layout, format::nhwc);
  return {};
}

/// Lengths along one axis: positive or not negative, as each must be, and none so large that arithmetic could overflow.
template <class Rule> constexpr verdict check_lengths(const window& at) {
  if (auto v = require_at_least(Rule::stride_must_be_positive, at.stride, 1); !v) return v;
  if constexpr (requires { Rule::dilation_must_be_positive; })
    if (auto v = require_at_least(Rule::dilation_must_be_positive, at.dilation, 1); !v) return v;
  if (at.kernel != -1)
    if (auto v = require_at_least(Rule::kernel_must_be_positive, at.kernel, 1); !v) return v;
  for (const std::int64_t pad : {at.before, at.after})
    if (auto v = require_at_least(Rule::pads_must_not_be_negative, pad, 0); !v) return v;
  for (const std::int64_t length : {at.stride, at.dilation, at.kernel, at.before, at.after})
    if (auto v = require_at_most(Rule::window_lengths_must_not_exceed_the_size_limit, length, max_window_length); !v)
      return v;
  return {};
}

/// At least one window fits, unless SAME padding adds what is missing.
template <class Rule> constexpr verdict check_cover(const window& at) {
  if (at.mode == pad_mode::same || at.input < 0 || at.kernel < 0) return {};
  return require_at_least(Rule::padded_input_must_cover_kernel, at.padded(), at.span());
}

template <class Rule> constexpr verdict check_windows(const window_pair& at) {
  for (const window& axis : {at.h, at.w})
    if (auto v = check_lengths<Rule>(axis); !v) return v;
  for (const window& axis : {at.h, at.w})
    if (auto v = check_cover<Rule>(axis); !v) return v;
  return {};
}

}  // namespace nnrt::inline NNRT_ISA::ops::detail

namespace nnrt::inline NNRT_ISA::ops::detail {

/// Attributes of a pool. The kernel has to be given, unless `global` makes it as large as the image.
struct pooling_attributes {
  BOOST_HANA_DEFINE_STRUCT(pooling_attributes, (extent2, kernel), (extent2, stride), (pads, pad), (bool, ceil_mode),
                           (bool, global), (activation, fused));
  constexpr pooling_attributes()
      : kernel{0, 0}, stride{1, 1}, ceil_mode(false), global(false), fused(activation::none) {}
};

/// The windows over an image [N, H, W, C]; a global pool has one, without padding.
constexpr window_pair windows_of(const pooling_attributes& a, const shape_t& x) {
  if (a.global) return windows_over(x, {x[1], x[2]}, {1, 1}, {1, 1}, {});
  return windows_over(x, a.kernel, a.stride, {1, 1}, a.pad, a.ceil_mode);
}

/// Then each window sees a pixel of the image: none lies in the padding alone.
template <class Rule> constexpr verdict check_pads_of(const window& at) {
  if (at.mode != pad_mode::explicit_pads) return {};
  const std::int64_t widest = at.before > at.after ? at.before : at.after;
  return require_at_most(Rule::pads_must_be_smaller_than_kernel, widest, at.kernel - 1);
}

/// The output of a pool over x, of its dtype; or the broken rule.
template <class Rule> constexpr verdict infer_pool(const pooling_attributes& a, const tensor_desc& x) {
  if (auto v = check_image<Rule>(x); !v) return v;
  const window_pair at = windows_of(a, x.shape);
  for (const window& axis : {at.h, at.w}) {
    if (a.global && axis.kernel == -1) continue;
    if (auto v = require_at_least(Rule::kernel_must_be_positive, axis.kernel, 1); !v) return v;
  }
  if (a.global) return yields(tensor_desc{x.type, format::nhwc, {x.shape[0], 1, 1, x.shape[3]}});
  if (auto v = check_windows<Rule>(at); !v) return v;
  for (const window& axis : {at.h, at.w})
    if (auto v = check_pads_of<Rule>(axis); !v) return v;
  return yields(tensor_desc{x.type, format::nhwc, {x.shape[0], at.h.outputs(), at.w.outputs(), x.shape[3]}});
}

/// The pixels of window i that lie in the image: [first, last).
struct pixels {
  std::int64_t first, last;
};
constexpr pixels pixels_of(const window& at, std::int64_t i) {
  const std::int64_t first = i * at.stride - at.pad_before(), last = first + at.kernel;
  return {first < 0 ? 0 : first, last < at.input ? last : at.input};
}

/// y[n, h', w', c] = fold(f, g): f(state, x) for each pixel of the window, then g(state) for the result.
template <class T, class State, class Step, class Finish>
constexpr void pool(const pooling_attributes& a, arguments in, results out, State start, Step step, Finish finish) {
  const auto x = in[0].as<const T>();
  const auto y = out[0].as<T>();
  const window_pair at = windows_of(a, x.shape);
  for (std::int64_t n = 0; n < y.extent(0); ++n)
    for (std::int64_t oh = 0; oh < y.extent(1); ++oh)
      for (std::int64_t ow = 0; ow < y.extent(2); ++ow)
        for (std::int64_t c = 0; c < y.extent(3); ++c) {
          const pixels rows = pixels_of(at.h, oh), columns = pixels_of(at.w, ow);
          State state = start;
          for (std::int64_t h = rows.first; h < rows.last; ++h)
            for (std::int64_t w = columns.first; w < columns.last; ++w) step(state, x(n, h, w, c));
          y(n, oh, ow, c) = finish(state);
        }
}

}  // namespace nnrt::inline NNRT_ISA::ops::detail

namespace nnrt::inline NNRT_ISA::kernels {

/// Kernel choice of a pool over an f32 image.
template <class Fold> struct pooling_binding {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const pooling_shape shape = shape_for(unpack<ops::detail::pooling_attributes>(node.attrs), node.in[0].desc.shape);
    const std::int64_t taps = saturated(shape.h) * saturated(shape.w);
    return {.run = &run, .parts = parts_for(node.out[0].elements() * (taps < 64 ? taps : 64)), .name = "pool channels"};
  }
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::detail::pooling_attributes>(call.attrs);
    pool_windows<Fold>(shape_for(attrs, call.in[0].shape()), floats_in(call, 0), range_of(attrs.fused),
                       floats_out(call), part_of(call));
  }

 private:
  static constexpr pooling_shape shape_for(const ops::detail::pooling_attributes& attrs, const shape_t& x) {
    const ops::detail::window_pair at = ops::detail::windows_of(attrs, x);
    return {x.extents[0], x.extents[3], at.h, at.w};
  }
  /// A window may be longer than the image, far longer.
  static constexpr std::int64_t saturated(const window& at) { return at.kernel < at.input ? at.kernel : at.input; }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/ops/avg_pool.hpp
// avg_pool: the mean over windows of an image.
// Flow: front ends call infer(); kernels/bind/ has the fast form.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Mean over a sliding window, per channel; the padding is left out of sum and count.
///
///   x: [N, H, W, C]      y: [N, H', W', C] = fused(sum of the window's pixels in the image / their number)
///   H' = ceil(H / stride) for `same`, else floor((H + pads - kernel) / stride) + 1, and likewise W'
///   ceil_mode, with explicit pads: ceil instead of floor, less the last window if it would start behind the image
///   (in the padding after it), as in ONNX and PyTorch
///   global: one window as large as the image; kernel, stride and pads play no part
///
/// Lengths are in pixels; the odd pixel of `same` is at bottom and right. f16 is summed in f32.
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_AVG_POOL; of its padding, what all known implementations do.
struct avg_pool {
  static constexpr op_code code{2};
  static constexpr std::string_view name = "avg_pool";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 2, .hdi = 17};
  // Padding comes as a list of four or as a mode, told apart by the count; either may stand under either number.
  static constexpr nnrt_parameter parameters[] = {
      {"kernel", 2, i64, -1}, {"stride", 3, i64, -1},  {"pad", 4, i8},          {"pad", 5, i64, 4},
      {"fused", 6, i8},       {"ceil_mode", 109, i32}, {"global", 110, boolean}};
  using attrs = detail::pooling_attributes;

  enum class rule {
    input_rank_must_be_4,
    input_must_be_nhwc,
    kernel_must_be_positive,
    stride_must_be_positive,
    pads_must_not_be_negative,
    window_lengths_must_not_exceed_the_size_limit,
    padded_input_must_cover_kernel,
    pads_must_be_smaller_than_kernel,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    return detail::infer_pool<rule>(a, in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using real = math::compute_t<T>;
    struct state {
      real sum = 0;
      std::int64_t count = 0;
    };
    const auto mean = [](const state& s) { return s.count == 0 ? real{0} : s.sum / static_cast<real>(s.count); };
    detail::pool<T>(
        a, in, out, state{}, [](state& s, T x) { s.sum += real(x), ++s.count; },
        [&](const state& s) { return static_cast<T>(activate(mean(s), a.fused)); });
  }
};

}  // namespace ops

/// avg_pool(x) with kernel<…> or global, stride<…>, padding<…> or same or valid, ceil_mode and a fused activation.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto avg_pool(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::avg_pool>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::avg_pool, Isa> : pooling_binding<mean_fold> {};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/batch_norm.hpp
// batch_norm: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/batch_norm.hpp
// batch_norm: normalisation of each channel with statistics from training.
// Flow: front ends call infer(); passes/fold.hpp moves it into the layer before it, or else kernels compute it.

// ===== nnrt/ops/detail/channels.hpp
// channels: what operators with one parameter for each channel share; channels are the last axis.
// Flow: infer of batch_norm, bias_add and prelu, each with its own enum of rules.

namespace nnrt::inline NNRT_ISA::ops::detail {

/// The input has a last axis, which holds channels: a tensor that says it is NCHW is refused, like at image operators.
template <class Rule> constexpr verdict check_channels_last(const tensor_desc& x) {
  if (auto v = require_at_least(Rule::input_must_have_a_channel_axis, x.rank(), 1); !v) return v;
  if (x.layout == format::nchw) return require(Rule::input_must_be_nhwc, x.layout, format::nhwc);
  return {};
}

/// A parameter is a row of the input's dtype with one element for each of `channels`.
template <class Rule> constexpr verdict check_parameter(const tensor_desc& given, dtype type, std::int64_t channels) {
  if (auto v = require(Rule::parameter_types_must_equal_input_type, given.type, type); !v) return v;
  if (auto v = require(Rule::parameter_rank_must_be_1, given.rank(), 1); !v) return v;
  return require_same_extent(Rule::parameters_must_have_one_element_for_each_channel, given.shape[0], channels);
}

}  // namespace nnrt::inline NNRT_ISA::ops::detail

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Batch normalisation with fixed statistics; channels are the last axis.
///
///   x: [..., C]      scale, offset, mean, variance: [C]
///   y: [..., C] = (x - mean) / sqrt(variance + epsilon) * scale + offset
///
/// epsilon is 1e-4 unless given. Broken rules: see `rule`. Source: NNRt OH_NN_OPS_BATCH_NORM.
struct batch_norm {
  static constexpr op_code code{3};
  static constexpr std::string_view name = "batch_norm";
  static constexpr operand_spec inputs[] = {{"x", types::floating},
                                            {"scale", types::floating},
                                            {"offset", types::floating},
                                            {"mean", types::floating},
                                            {"variance", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.result = storage::in_place, .computes = meaning::batch_norm};
  static constexpr foreign_numbers foreign{.nnrt = 3, .hdi = 68};
  static constexpr nnrt_parameter parameters[] = {{"epsilon", 7, f32}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (float, epsilon));  // first: passes read it as word 0
    constexpr attrs() : epsilon(1e-4F) {}
  };

  enum class rule {
    input_must_have_a_channel_axis,
    input_must_be_nhwc,
    parameter_types_must_equal_input_type,
    parameter_rank_must_be_1,
    parameters_must_have_one_element_for_each_channel,
  };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = detail::check_channels_last<rule>(x); !v) return v;
    for (const operand& parameter : in.subspan(1))
      if (auto v = detail::check_parameter<rule>(parameter.desc, x.type, x.shape[-1]); !v) return v;
    return yields(x);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using real = math::compute_t<T>;
    const auto x = in[0].as<const T>(), scale = in[1].as<const T>(), offset = in[2].as<const T>();
    const auto mean = in[3].as<const T>(), variance = in[4].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      const std::int64_t c = i % x.shape[-1];
      const real factor = real(scale[c]) / math::sqrt(real(variance[c]) + real(a.epsilon));
      y[i] = static_cast<T>((real(x[i]) - real(mean[c])) * factor + real(offset[c]));
    }
  }
};

}  // namespace ops

/// batch_norm(x, scale, offset, mean, variance), with epsilon<…>.
template <tensor_desc X, tensor_desc S, tensor_desc O, tensor_desc M, tensor_desc V, dsl::keyword_argument... Keywords>
constexpr auto batch_norm(tensor<X> x, tensor<S> scale, tensor<O> offset, tensor<M> mean, tensor<V> variance,
                          Keywords... keywords) {
  return dsl::apply<ops::batch_norm>(x, scale, offset, mean, variance, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::batch_norm, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const tensor_desc& x = node.in[0].desc;
    return {.run = &run,
            .pack = &pack,
            .packs = 0b11110,
            .packed_bytes = 3 * x.shape[-1] * size_of(f32),
            .parts = parts_for(x.elements()),
            .name = "normalise channels"};
  }

  /// Packed: the means, the factors scale / sqrt(variance + epsilon), the offsets.
  static void pack(const kernel_call& call) {
    const std::int64_t channels = call.in[0].shape()[-1];
    const float epsilon = unpack<ops::batch_norm::attrs>(call.attrs).epsilon;
    const float *scale = floats_in(call, 1), *offset = floats_in(call, 2), *mean = floats_in(call, 3),
                *variance = floats_in(call, 4);
    float* const packed = floats_out(call);
    for (std::int64_t c = 0; c < channels; ++c) {
      packed[c] = mean[c];
      packed[channels + c] = scale[c] / math::sqrt(variance[c] + epsilon);
      packed[2 * channels + c] = offset[c];
    }
  }
  static void run(const kernel_call& call) {
    const shape_t& x = call.in[0].shape();
    const std::int64_t channels = x[-1];
    const float* const packed = floats_in(call, call.in.size() - 1);
    normalise_channels(floats_in(call, 0), share(x.elements() / channels, part_of(call)), channels,
                       {packed, packed + channels, packed + 2 * channels}, floats_out(call));
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/bias_add.hpp
// bias_add: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/bias_add.hpp
// bias_add: adds one number to each channel.
// Flow: front ends call infer(); passes/fold.hpp moves it into the layer before it; kernels/bind/ has the fast form.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Sum of a tensor and one number for each channel; channels are the last axis.
///
///   x: [..., C]      bias: [C]      y: [..., C] = x + bias
///
/// dtypes: f16 (sum in f32), f32, f64; i32 and i64, which wrap around. Broken rules: see `rule`.
/// Source: NNRt OH_NN_OPS_BIAS_ADD, for any rank from 1 on.
struct bias_add {
  static constexpr dtype_set added = types::floating | types::index;

  static constexpr op_code code{5};
  static constexpr std::string_view name = "bias_add";
  static constexpr operand_spec inputs[] = {{"x", added}, {"bias", added}};
  static constexpr operand_spec outputs[] = {{"y", added}};
  static constexpr operator_traits traits{.result = storage::in_place, .computes = meaning::bias_add};
  static constexpr foreign_numbers foreign{.nnrt = 5, .hdi = 23};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule {
    input_must_have_a_channel_axis,
    input_must_be_nhwc,
    parameter_types_must_equal_input_type,
    parameter_rank_must_be_1,
    parameters_must_have_one_element_for_each_channel,
  };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = detail::check_channels_last<rule>(x); !v) return v;
    if (auto v = detail::check_parameter<rule>(in[1].desc, x.type, x.shape[-1]); !v) return v;
    return yields(x);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    // Unsigned arithmetic wraps where signed arithmetic is undefined.
    using sum_t = std::conditional_t<std::is_integral_v<T>, std::uint64_t, math::compute_t<T>>;
    const auto x = in[0].as<const T>(), bias = in[1].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < x.elements(); ++i)
      y[i] = static_cast<T>(static_cast<sum_t>(x[i]) + static_cast<sum_t>(bias[i % x.shape[-1]]));
  }
};

}  // namespace ops

/// bias_add(x, bias).
template <tensor_desc X, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto bias_add(tensor<X> x, tensor<B> bias, Keywords... keywords) {
  return dsl::apply<ops::bias_add>(x, bias, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::bias_add, Isa> : binary_binding<fast<ops::bias_add, Isa>> {
  static add_lanes function(std::span<const word>) { return {}; }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/concat.hpp
// concat: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/kernels/axis_block.hpp
// axis_block: a tensor as [outer, extent, inner], where the middle stands for the axes that an operator works along.
// Flow: the bindings of softmax, reduce_mean, layer_norm, concat and split reduce any shape to this one.

namespace nnrt::inline NNRT_ISA::kernels {

/// Extents in elements. Found is false where the axes do not lie side by side.
struct axis_block {
  std::int64_t outer = 1, extent = 1, inner = 1;
  bool found = true;

  constexpr std::int64_t elements() const { return outer * extent * inner; }
};

/// One axis, counted from the front.
constexpr axis_block block_of(const shape_t& shape, int axis) {
  return {shape.elements(0, axis), shape.extents[axis], shape.elements(axis + 1)};
}

/// The axes for which `listed` is true; those of extent 1 do not matter.
constexpr axis_block block_of(const shape_t& shape, const bool (&listed)[max_rank]) {
  axis_block block;
  for (int i = 0; i < shape.rank; ++i) {
    const std::int64_t extent = shape.extents[i];
    if (extent == 1) continue;
    if (listed[i]) {
      block.found = block.found && block.inner == 1;  // else others stand between this one and those before
      block.extent *= extent;
    } else {
      (block.extent == 1 ? block.outer : block.inner) *= extent;
    }
  }
  return block;
}

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/copy.hpp
// copy: boxes of elements of any size from one tensor into another.
// Flow: the bindings of concat, split, slice, pad and transpose describe their boxes and call copy_box().

namespace nnrt::inline NNRT_ISA::kernels {

/// Loops over rows of bytes, outermost first; extents of 1 left out, axes that lie alike in both tensors made one.
struct box_loops {
  int count = 0;  // of loops around the rows
  std::int64_t extents[max_rank] = {};
  std::int64_t from_steps[max_rank] = {};  // in bytes
  std::int64_t to_steps[max_rank] = {};
  std::int64_t row_bytes = 0;

  constexpr std::int64_t rows() const {
    std::int64_t n = 1;
    for (int i = 0; i < count; ++i) n *= extents[i];
    return n;
  }
  constexpr std::int64_t bytes() const { return rows() * row_bytes; }
};

/// A box of these extents, whose neighbours along each axis are so many elements apart in either tensor.
constexpr box_loops loops_of(const shape_t& extents, const shape_t& from_steps, const shape_t& to_steps,
                             std::int64_t element_bytes) {
  box_loops loops;
  for (int axis = 0; axis < extents.rank; ++axis) {
    const std::int64_t extent = extents.extents[axis];
    const std::int64_t from = from_steps.extents[axis] * element_bytes, to = to_steps.extents[axis] * element_bytes;
    if (extent == 1) continue;
    const int last = loops.count - 1;
    if (last >= 0 && loops.from_steps[last] == from * extent && loops.to_steps[last] == to * extent)
      loops.extents[last] *= extent;
    else loops.extents[loops.count++] = extent;
    loops.from_steps[loops.count - 1] = from;
    loops.to_steps[loops.count - 1] = to;
  }
  loops.row_bytes = element_bytes;
  const int last = loops.count - 1;
  if (last >= 0 && loops.from_steps[last] == element_bytes && loops.to_steps[last] == element_bytes) {
    loops.row_bytes *= loops.extents[last];
    --loops.count;
  }
  return loops;
}

namespace detail {

/// Where the rows of a box lie.
struct box_position {
  std::int64_t index[max_rank] = {};
  std::int64_t from = 0, to = 0;

  /// The place of row `row`, counted in row-major order.
  constexpr box_position(const box_loops& loops, std::int64_t row) {
    for (int i = loops.count; i-- > 0; row /= loops.extents[i]) {
      index[i] = row % loops.extents[i];
      from += index[i] * loops.from_steps[i];
      to += index[i] * loops.to_steps[i];
    }
  }
  constexpr void next_row(const box_loops& loops) {
    for (int i = loops.count; i-- > 0;) {
      from += loops.from_steps[i];
      to += loops.to_steps[i];
      if (++index[i] < loops.extents[i]) return;
      from -= index[i] * loops.from_steps[i];
      to -= index[i] * loops.to_steps[i];
      index[i] = 0;
    }
  }
};

/// Rows of a length that the compiler knows are a load and a store each.
template <std::size_t Bytes>
void copy_rows(const box_loops& loops, const std::byte* from, std::byte* to, interval rows) {
  box_position at(loops, rows.begin);
  for (std::int64_t row = rows.begin; row < rows.end; ++row, at.next_row(loops))
    std::memcpy(to + at.to, from + at.from, Bytes);
}

}  // namespace detail

/// Copies a part of a box between tensors that do not overlap. A part is a share of the bytes, so that a box of one row
/// can be cut, too.
template <class Isa = void> void copy_box(const box_loops& loops, const std::byte* from, std::byte* to, part p = {}) {
  const std::int64_t length = loops.row_bytes;
  switch (length) {
    case 1:
      return detail::copy_rows<1>(loops, from, to, share(loops.rows(), p));
    case 2:
      return detail::copy_rows<2>(loops, from, to, share(loops.rows(), p));
    case 4:
      return detail::copy_rows<4>(loops, from, to, share(loops.rows(), p));
    case 8:
      return detail::copy_rows<8>(loops, from, to, share(loops.rows(), p));
    case 16:
      return detail::copy_rows<16>(loops, from, to, share(loops.rows(), p));
    default:
      break;
  }
  const interval bytes = share(loops.bytes(), p);
  std::int64_t begin = bytes.begin, skipped = begin % length;
  for (detail::box_position at(loops, begin / length); begin < bytes.end; at.next_row(loops)) {
    const std::int64_t left = bytes.end - begin, row = length - skipped, n = row < left ? row : left;
    std::memcpy(to + at.to + skipped, from + at.from + skipped, static_cast<std::size_t>(n));
    begin += n;
    skipped = 0;
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/ops/concat.hpp
// concat: tensors one after the other along an axis.
// Flow: front ends call infer(); the planner lets inputs be computed in place where it can; kernels/select.hpp binds
// the copy.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// The inputs one after the other along `axis`.
///
///   x: any number of tensors of one dtype, format, quantisation and rank, whose other extents are equal
///   y: their shape, with the sum of the extents along `axis`
///
/// `axis` counts from the end when negative; 0 is the default.
///
/// Broken rules: see `rule`; ranks, axes and extents are counted. Source: NNRt OH_NN_OPS_CONCAT.
struct concat {
  static constexpr op_code code{7};
  static constexpr std::string_view name = "concat";
  static constexpr operand_spec inputs[] = {{"x", types::any, presence::variadic}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.joins_inputs = true};
  static constexpr foreign_numbers foreign{.nnrt = 7, .hdi = 31};
  static constexpr nnrt_parameter parameters[] = {{"axis", 10, i64}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (std::int64_t, axis));
    constexpr attrs() : axis(0) {}
  };

  enum class rule {
    axis_must_be_an_axis_of_the_inputs,
    types_must_be_equal,
    ranks_must_be_equal,
    formats_must_be_equal,
    quantisation_must_be_that_of_the_first_input,  // the number of the input, 0
    extents_beside_the_axis_must_be_equal,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    tensor_desc y = in[0].desc;
    const int axis = normalise_axis(a.axis, y.rank());
    if (axis < 0) return refuse(rule::axis_must_be_an_axis_of_the_inputs, a.axis, y.rank() - 1);
    for (std::size_t i = 1; i < in.size(); ++i) {
      const tensor_desc& x = in[i].desc;
      if (auto v = require(rule::types_must_be_equal, x.type, y.type); !v) return v;
      if (auto v = require(rule::ranks_must_be_equal, x.rank(), y.rank()); !v) return v;
      if (auto v = require(rule::formats_must_be_equal, x.layout, y.layout); !v) return v;
      if (x.quantised != y.quantised)
        return refuse(rule::quantisation_must_be_that_of_the_first_input, static_cast<std::int64_t>(i), 0);
      if (auto v = join(y.shape, x.shape, axis); !v) return v;
    }
    return yields(y);
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto y = out[0].as<T>();
    const int axis = normalise_axis(a.axis, y.rank());
    std::int64_t first = 0;  // along the axis
    for (const view& input : in) {
      const auto x = input.as<const T>();
      copy_to(y, x, axis, first);
      first += x.extent(axis);
    }
  }

 private:
  /// Puts x behind y; an extent beside the axis that only one of them knows is known.
  static constexpr verdict join(shape_t& y, const shape_t& x, int axis) {
    for (int i = 0; i < y.rank; ++i) {
      if (i == axis) {
        y[i] = y[i] < 0 || x[i] < 0 ? -1 : y[i] > max_elements ? y[i] : y[i] + x[i];  // too large stays too large
      } else {
        if (auto v = require_same_extent(rule::extents_beside_the_axis_must_be_equal, x[i], y[i]); !v) return v;
        if (y[i] < 0) y[i] = x[i];
      }
    }
    return {};
  }
  template <class T>
  static constexpr void copy_to(const tensor_view<T>& y, const tensor_view<const T>& x, int axis, std::int64_t first) {
    if (x.elements() == 0) return;
    shape_t from;
    from.rank = x.rank();
    do y.at(from.with(axis, from[axis] + first)) = x.at(from);
    while (next_index(from, x.shape));
  }
};

}  // namespace ops

/// concat(a, b, …, axis<-1>): any number of tensors, then keywords.
template <tensor_desc X, class... Rest>
requires((dsl::tensor_handle<Rest> || dsl::keyword_argument<Rest>)&&...) constexpr auto concat(tensor<X> first,
                                                                                               Rest... rest) {
  return dsl::apply<ops::concat>(first, rest...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::concat, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (node.out[0].elements() <= 0) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "copy rows"};
  }
  /// Each input is a box of `outer` rows that go into one row of the output each.
  static void run(const kernel_call& call) {
    const view& y = call.out[0];
    const int axis = normalise_axis(unpack<ops::concat::attrs>(call.attrs).axis, y.rank());
    const std::int64_t to_step = y.shape().elements(axis), bytes = size_of(y.type());
    std::byte* to = bytes_out(call);
    for (std::size_t i = 0; i < call.in.size(); ++i) {
      const axis_block block = block_of(call.in[i].shape(), axis);
      const std::int64_t row = block.extent * block.inner;
      if (row == 0) continue;
      copy_box(loops_of({block.outer, row}, {row, 1}, {to_step, 1}, bytes), bytes_in(call, i), to, part_of(call));
      to += row * bytes;
    }
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/conv2d.hpp
// conv2d: the fast kernels of the operator - the matrix product of pixels and filters, and the depthwise kernel where every channel is a group.
// Flow: included by kernels/select.hpp; plans call the chosen functions.

// ===== nnrt/kernels/bind/detail/convolution.hpp
// convolution: what the bindings of conv2d and depthwise_conv2d share - the depthwise kernel, and operands that may be missing.
// Flow: bind/conv2d.hpp and bind/depthwise_conv2d.hpp.

// ===== nnrt/kernels/depthwise.hpp
// depthwise: float depthwise convolution over NHWC images, vectorised over channels; any kernel, stride, multiplier.
// Flow: a prepare step packs weights and bias once with depthwise_pack(); a plan's step calls depthwise().
//
// 3x3 and 5x5 kernels of stride 1 and 2 compute tiles of output pixels for one vector of channels, so that an input
// loaded once serves up to kernel_h * kernel_w sums. Everything else goes pixel by pixel. Taps outside the image are
// left out, not multiplied by zero.

#include <algorithm>

namespace nnrt::inline NNRT_ISA::kernels {

/// x: [batch, height, width, channels], w: [channels * multiplier, kernel_h, kernel_w], y: [batch, out_height,
/// out_width, channels * multiplier]; output channel o reads input channel o / multiplier.
///
/// Extents may be 0, kernels larger than the padded image; stride, dilation and multiplier are at least 1. Padding
/// below and to the right is what the output extents imply.
struct depthwise_shape {
  std::int64_t batch = 1, height = 0, width = 0, channels = 0, multiplier = 1;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t pad_top = 0, pad_left = 0;
  std::int64_t out_height = 0, out_width = 0;

  constexpr std::int64_t out() const { return channels * multiplier; }
  constexpr std::int64_t taps() const { return kernel_h * kernel_w; }
};

namespace detail {

/// First output channel of a vector. The last vector ends with the last channel and overlaps the one before, so all
/// vectors are whole as soon as there are `lanes` channels; what overlaps is computed and stored twice.
constexpr std::int64_t first_channel(std::int64_t vector, std::int64_t out) {
  return std::max<std::int64_t>(0, std::min(vector * lanes, out - lanes));
}
constexpr std::int64_t channel_vectors(std::int64_t out) { return (out + lanes - 1) / lanes; }

// --- tiles of pixels ----------------------------------------------------------

/// Output columns of a tile, which has two rows: 14 accumulators of 32 registers, 8 of 16.
inline constexpr int depthwise_columns = vector_registers == 32 ? 7 : 4;

/// One tile of outputs in one image.
struct depthwise_tile_args {
  const float* w;
  float* y;   // first output pixel
  address x;  // input pixel under the first tap, which may lie outside the image
  std::int64_t channels;
  std::int64_t line, out_line;       // floats from one row to the next
  std::int64_t first_row, last_row;  // rows of the tile's input that lie in the image
  std::uint32_t columns_inside;      // bit j: input column j lies in the image
  std::int64_t rows, columns;        // output rows and columns wanted of the tile
  clamp_range range;
};

/// The sums of neighbouring outputs of one row.
template <int K, int Stride> struct depthwise_sums {
  static constexpr int in_columns = (depthwise_columns - 1) * Stride + K;
  vf of[depthwise_columns];

  [[gnu::always_inline]] void start(vf bias) {
    each<depthwise_columns>([&](auto c) __attribute__((always_inline)) { of[c] = bias; });
  }
  /// Adds what input column J, holding x, contributes through one row of the kernel.
  template <int J> [[gnu::always_inline]] void add(vf x, const vf (&w)[K]) {
    constexpr int first = J < K ? 0 : (J - K) / Stride + 1, last = std::min(depthwise_columns - 1, J / Stride);
    add_to<J, first>(x, w, std::make_integer_sequence<int, last - first + 1>{});
  }

 private:
  template <int J, int First, int... I>
  [[gnu::always_inline]] void add_to(vf x, const vf (&w)[K], std::integer_sequence<int, I...>) {
    ((of[First + I] = fma(x, w[J - (First + I) * Stride], of[First + I])), ...);
  }
};

/// Which of a tile's two output rows see a row of the input.
enum class seen_by { upper, both, lower };

/// One vector of channels of a tile. A Checked tile leaves out input columns outside the image and output columns not
/// wanted, and may have fewer channels than lanes if masks are free.
template <int K, int Stride, bool Checked> struct depthwise_vector {
  using sums = depthwise_sums<K, Stride>;
  static constexpr std::int64_t kernel_row = K * lanes;
  const depthwise_tile_args& t;
  const strides& step;
  const float* w;     // taps of these channels
  std::int64_t used;  // channels, at most lanes
  sums upper, lower;

  /// Adds rows i … end - 1 of the input, of which the next one lies at `row`.
  template <seen_by Rows> [[gnu::always_inline]] void add_rows(std::int64_t& i, std::int64_t end, address& row) {
    for (; i < end; ++i, row = advanced(row, t.line)) {
      vf upper_w[K], lower_w[K];
      each<K>([&](auto k) __attribute__((always_inline)) {
        if constexpr (Rows != seen_by::lower) upper_w[k] = load(w + i * kernel_row + k * lanes);
        if constexpr (Rows != seen_by::upper) lower_w[k] = load(w + (i - Stride) * kernel_row + k * lanes);
      });
      const address bases[] = {row, row + step.x7, row + 2 * step.x7};
      std::uint32_t inside = t.columns_inside;
      keep(inside);  // or g++ 12 tests all bits ahead of the loop and parks the answers in vector registers
      each<sums::in_columns>([&](auto j) __attribute__((always_inline)) {
        if (Checked && (inside >> j & 1U) == 0) return;
        const float* const p = floats_at(step.from<j % 7>(bases[j / 7]));
        const vf x = Checked && masks_are_free ? load_first(p, used) : load(p);
        if constexpr (Rows != seen_by::lower) upper.template add<j>(x, upper_w);
        if constexpr (Rows != seen_by::upper) lower.template add<j>(x, lower_w);
      });
    }
  }
  [[gnu::always_inline]] void store_row(const sums& row, float* y) const {
    const vf lo = broadcast(&t.range.lo), hi = broadcast(&t.range.hi);
    each<depthwise_columns>([&](auto c) __attribute__((always_inline)) {
      if (Checked && c >= t.columns) return;
      const vf value = clamp(row.of[c], lo, hi);
      if constexpr (Checked && masks_are_free) store_first(y + c * t.channels, value, used);
      else store(y + c * t.channels, value);
    });
  }
  [[gnu::always_inline]] void run(std::int64_t channel) {
    const vf bias = load(w);
    w += lanes;
    upper.start(bias), lower.start(bias);
    std::int64_t i = t.first_row;
    address row = advanced(t.x, i * t.line + channel);
    add_rows<seen_by::upper>(i, std::min<std::int64_t>(t.last_row, t.rows == 1 ? K : Stride), row);
    add_rows<seen_by::both>(i, std::min<std::int64_t>(t.last_row, K), row);
    add_rows<seen_by::lower>(i, t.rows == 1 ? 0 : t.last_row, row);
    store_row(upper, t.y + channel);
    if (t.rows == 2) store_row(lower, t.y + t.out_line + channel);
  }
};

/// All channels of one tile.
template <class Isa, int K, int Stride, bool Checked>
[[gnu::noinline]] void depthwise_tile(const depthwise_tile_args& t) {
  const strides step(t.channels);
  const float* w = t.w;
  for (std::int64_t v = 0; v < channel_vectors(t.channels); ++v, w += (K * K + 1) * lanes)
    depthwise_vector<K, Stride, Checked>{t, step, w, std::min(lanes, t.channels), {}, {}}.run(
        first_channel(v, t.channels));
}

/// One or two output rows, from row oy of an image on.
template <class Isa, int K, int Stride>
void depthwise_row_tiles(const depthwise_shape& s, const float* x, const float* packed, float* y, clamp_range range,
                         std::int64_t oy, std::int64_t rows) {
  constexpr std::int64_t in_rows = Stride + K, in_columns = (depthwise_columns - 1) * Stride + K;
  const std::int64_t iy = oy * Stride - s.pad_top;
  depthwise_tile_args t{};
  t.w = packed, t.channels = s.channels, t.range = range, t.rows = rows;
  t.line = s.width * s.channels, t.out_line = s.out_width * s.channels;
  t.first_row = std::clamp<std::int64_t>(-iy, 0, in_rows),
  t.last_row = std::clamp<std::int64_t>(s.height - iy, t.first_row, in_rows);
  for (std::int64_t ox = 0; ox < s.out_width; ox += depthwise_columns) {
    const std::int64_t ix = ox * Stride - s.pad_left;
    t.x = advanced(address_of(x), iy * t.line + ix * s.channels);
    t.y = y + (oy * s.out_width + ox) * s.channels;
    t.columns = std::min<std::int64_t>(depthwise_columns, s.out_width - ox);
    const std::int64_t left = std::clamp<std::int64_t>(-ix, 0, in_columns),
                       right = std::clamp<std::int64_t>(s.width - ix, left, in_columns);
    t.columns_inside = (1U << right) - (1U << left);
    if (left == 0 && right == in_columns && t.columns == depthwise_columns && s.channels >= lanes)
      depthwise_tile<Isa, K, Stride, false>(t);
    else depthwise_tile<Isa, K, Stride, true>(t);
  }
}

// --- pixel by pixel -----------------------------------------------------------

/// The inputs of `count` output channels from o on; input channels lie at x.
inline vf load_inputs(const float* x, std::int64_t o, std::int64_t count, std::int64_t multiplier) {
  if (multiplier == 1) return load_first(x + o, count);
  float inputs[lanes] = {};
  std::int64_t c = o / multiplier, left = multiplier - o % multiplier;
  for (std::int64_t l = 0; l < count; ++l) {
    inputs[l] = x[c];
    if (--left == 0) ++c, left = multiplier;
  }
  return load(inputs);
}

/// The taps of one axis that lie in the image when the first lies at `start`.
constexpr interval taps_inside(std::int64_t start, std::int64_t extent, std::int64_t kernel, std::int64_t dilation) {
  const auto taps_before = [&](std::int64_t i) {
    return std::clamp<std::int64_t>((i + dilation - 1) / dilation, 0, kernel);
  };
  const std::int64_t first = start < 0 ? taps_before(-start) : 0;
  return {first, std::max(first, start < extent ? taps_before(extent - start) : 0)};
}

/// One output pixel, from the image's first float.
inline void depthwise_pixel(const depthwise_shape& s, const float* x, const float* packed, float* y, clamp_range range,
                            std::int64_t oy, std::int64_t ox) {
  const std::int64_t iy = oy * s.stride_h - s.pad_top, ix = ox * s.stride_w - s.pad_left, out = s.out(),
                     count = std::min(lanes, out);
  const interval ky = taps_inside(iy, s.height, s.kernel_h, s.dilation_h),
                 kx = taps_inside(ix, s.width, s.kernel_w, s.dilation_w);
  const vf lo = broadcast(&range.lo), hi = broadcast(&range.hi);
  const address corner =
      advanced(address_of(x), ((iy + ky.begin * s.dilation_h) * s.width + ix + kx.begin * s.dilation_w) * s.channels);
  const std::int64_t tap = s.dilation_w * s.channels, line = s.dilation_h * s.width * s.channels;
  for (std::int64_t v = 0; v < channel_vectors(out); ++v, packed += (s.taps() + 1) * lanes) {
    const std::int64_t o = first_channel(v, out);
    vf sum = load(packed);
    address row = corner;
    for (std::int64_t i = ky.begin; i < ky.end; ++i, row = advanced(row, line)) {
      const float* w = packed + (i * s.kernel_w + kx.begin + 1) * lanes;
      address pixel = row;
      for (std::int64_t j = kx.begin; j < kx.end; ++j, pixel = advanced(pixel, tap), w += lanes)
        sum = fma(load_inputs(floats_at(pixel), o, count, s.multiplier), load(w), sum);
    }
    store_first(y + o, clamp(sum, lo, hi), count);
  }
}

template <class Isa>
void depthwise_row_pixels(const depthwise_shape& s, const float* x, const float* packed, float* y, clamp_range range,
                          std::int64_t oy, std::int64_t rows) {
  for (; rows > 0; --rows, ++oy)
    for (std::int64_t ox = 0; ox < s.out_width; ++ox)
      depthwise_pixel(s, x, packed, y + (oy * s.out_width + ox) * s.out(), range, oy, ox);
}

}  // namespace detail

/// Floats that depthwise_pack() writes.
constexpr std::int64_t depthwise_packed_floats(const depthwise_shape& s) {
  return detail::channel_vectors(s.out()) * lanes * (s.taps() + 1);
}

/// Packs weights [out, kernel_h, kernel_w] and bias [out] (null: zeros) to [vector of channels][bias, taps][lane].
inline void depthwise_pack(const depthwise_shape& s, const float* w, const float* bias, float* out) {
  const std::int64_t channels = s.out(), taps = s.taps();
  for (std::int64_t v = 0; v < detail::channel_vectors(channels); ++v) {
    const std::int64_t first = detail::first_channel(v, channels), count = std::min(lanes, channels);
    for (std::int64_t l = 0; l < lanes; ++l) *out++ = l < count && bias != nullptr ? bias[first + l] : 0.0F;
    for (std::int64_t tap = 0; tap < taps; ++tap)
      for (std::int64_t l = 0; l < lanes; ++l) *out++ = l < count ? w[(first + l) * taps + tap] : 0.0F;
  }
}

/// How the output is computed: tiles of pixels for square kernels of 3 or 5 and strides of 1 or 2, else pixel by pixel (kernel 0).
struct depthwise_method {
  int kernel = 0;
  int stride = 0;
};

/// The fastest method for a shape; asked at plan time, so that a program has the methods that its layers use and no others.
constexpr depthwise_method depthwise_method_of(const depthwise_shape& s) {
  const bool is_square = s.kernel_h == s.kernel_w && s.stride_h == s.stride_w;
  const bool has_tiles = is_square && s.dilation_h == 1 && s.dilation_w == 1 && s.multiplier == 1 && (s.channels >= lanes || masks_are_free);
  if (!has_tiles || (s.kernel_h != 3 && s.kernel_h != 5) || s.stride_h > 2) return {};
  return {static_cast<int>(s.kernel_h), static_cast<int>(s.stride_h)};
}

/// y = clamp(depthwise_conv2d(x, w) + bias) by the method of this kernel and stride, which must fit the shape.
///
/// Parts are pairs of output rows; every division into parts gives the same bits. Taps outside the image are left out.
/// y must not overlap x.
///
/// \param packed what depthwise_pack() made of weights and bias
template <class Isa, int Kernel, int Stride>
void depthwise_by(const depthwise_shape& s, const float* x, const float* packed, float* y, clamp_range range = {}, part p = {}) {
  if (s.out_width <= 0 || s.out() <= 0) return;
  const std::int64_t pairs = (s.out_height + 1) / 2;
  const interval work = share(s.batch * pairs, p);
  for (std::int64_t i = work.begin; i < work.end; ++i) {
    const std::int64_t image = i / pairs, oy = i % pairs * 2, rows = std::min<std::int64_t>(2, s.out_height - oy);
    const float* const from = x + image * s.height * s.width * s.channels;
    float* const to = y + image * s.out_height * s.out_width * s.out();
    if constexpr (Kernel == 0) detail::depthwise_row_pixels<Isa>(s, from, packed, to, range, oy, rows);
    else detail::depthwise_row_tiles<Isa, Kernel, Stride>(s, from, packed, to, range, oy, rows);
  }
}

/// The same by the fastest method, chosen at run time.
template <class Isa = native>
void depthwise(const depthwise_shape& s, const float* x, const float* packed, float* y, clamp_range range = {}, part p = {}) {
  const depthwise_method method = depthwise_method_of(s);
  if (method.kernel == 3 && method.stride == 1) return depthwise_by<Isa, 3, 1>(s, x, packed, y, range, p);
  if (method.kernel == 3 && method.stride == 2) return depthwise_by<Isa, 3, 2>(s, x, packed, y, range, p);
  if (method.kernel == 5 && method.stride == 1) return depthwise_by<Isa, 5, 1>(s, x, packed, y, range, p);
  if (method.kernel == 5 && method.stride == 2) return depthwise_by<Isa, 5, 2>(s, x, packed, y, range, p);
  depthwise_by<Isa, 0, 0>(s, x, packed, y, range, p);
}

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/gemm.hpp
// gemm: C = clamp(A * B + bias) over packed B; serves matrix products, dense layers and 1x1 convolution.
// Flow: a prepare step packs B and bias once with pack(); a plan's step calls gemm(); convolution.hpp uses its tiles.

namespace nnrt::inline NNRT_ISA::kernels {

/// Extents of a product: A is m x k, B is k x n, C is m x n. Any may be 0; k = 0 gives the bias, clamped.
struct gemm_shape {
  std::int64_t m = 0, k = 0, n = 0;
};

/// Rows and vectors of C that stay in registers during the loop over k: 28 accumulators of 32 registers, 12 of 16. The
/// rows must be even, see tile_args.
inline constexpr int tile_rows = vector_registers == 32 ? 14 : 6;
inline constexpr int tile_vectors = 2;
/// B is packed in panels of this many columns.
inline constexpr std::int64_t panel_columns = tile_vectors * lanes;

constexpr std::int64_t panels_of(std::int64_t n) { return (n + panel_columns - 1) / panel_columns; }

/// Floats that pack() writes: the bias and k rows, all in whole vectors.
constexpr std::int64_t packed_floats(std::int64_t k, std::int64_t n) { return (k + 1) * whole_vectors(n); }

/// Whether the last panel, `width` columns wide, is one vector and at most half another (24 columns of 16 lanes): then
/// two rows of A can share one vector of products for the half, and 24 columns cost 1.5 fma per row instead of 2.
constexpr bool ends_in_half(std::int64_t width) { return has_halves && width > lanes && width <= lanes + lanes / 2; }

/// Packs B and bias. Layout: [bias][panel][k][columns of the panel], missing columns zero; a panel that ends_in_half
/// has its half vector twice.
///
/// \param b element (i, j) is b[i * row_stride + j * column_stride]: (n, 1) for a k x n matrix, (1, k) for n x k
///
/// \param bias n floats; null: zeros
///
/// \param out packed_floats(k, n) floats; 64-byte alignment is faster
inline void pack(const float* b, std::int64_t row_stride, std::int64_t column_stride, std::int64_t k, std::int64_t n,
                 const float* bias, float* out) {
  const std::int64_t padded = whole_vectors(n);
  for (std::int64_t j = 0; j < padded; ++j) *out++ = bias != nullptr && j < n ? bias[j] : 0.0F;
  for (std::int64_t j0 = 0; j0 < padded; j0 += panel_columns) {
    const std::int64_t width = std::min(panel_columns, padded - j0), used = std::min(width, n - j0);
    const bool twice = ends_in_half(n - j0);
    for (std::int64_t i = 0; i < k; ++i, out += width) {
      const std::int64_t row = i * row_stride + j0 * column_stride;
      if (column_stride == 1) copy_floats(b + row, used, out);
      else
        for (std::int64_t j = 0; j < used; ++j) out[j] = b[row + j * column_stride];
      for (std::int64_t j = used; j < width; ++j) out[j] = 0.0F;
      if (twice) copy_floats(out + lanes, lanes / 2, out + lanes + lanes / 2);
    }
  }
}

/// Weights that a later step reads, fetched into L2 while this one computes; ignored unless the tag fetches_ahead.
struct weights_ahead {
  const float* weights = nullptr;
  std::int64_t floats = 0;
};

// --- division of rows among tiles ------------------------------------------

/// The tiles along m rows (or pixels of a line): whole ones, but the last two share what is left when the last would be
/// a sliver. They follow from m alone, so the order in which a sum is made does not depend on how the work is divided.
struct row_tiles {
  std::int64_t m;

  constexpr std::int64_t count() const { return (m + tile_rows - 1) / tile_rows; }
  constexpr std::int64_t begin(std::int64_t tile) const {
    if (tile >= count()) return m;
    const std::int64_t whole = tile * tile_rows, rest = m - whole;
    const bool sliver = tile > 0 && tile == count() - 1 && rest < tile_rows / 2;
    // The first of the two gets an even number of rows, so that its function computes none twice.
    return sliver ? whole - tile_rows + (tile_rows + rest + 3) / 4 * 2 : whole;
  }
};

namespace detail {

// --- one tile ---------------------------------------------------------------

/// What one tile computes: `runs` runs of k products, whose values of A start run_stride floats apart; B goes on
/// without a gap. A plain product is one run; a convolution's runs are the rows of its kernel.
///
/// Rows come in two halves with bases of their own. So a tile may span two image rows, and a tile function of 14 rows
/// also serves 13: the halves overlap by one row, which is computed and stored twice. Half as many functions have to be
/// compiled.
struct tile_args {
  address a = 0, a_second = 0;
  std::int64_t lda = 0;
  const float* b = nullptr;
  std::int64_t k = 0;
  float *c = nullptr, *c_second = nullptr;
  std::int64_t ldc = 0;
  const float* bias = nullptr;
  clamp_range range = {};
  std::int64_t last = lanes;  // lanes in use in the last vector
  std::int64_t runs = 1, run_stride = 0;
  address ahead = 0;
  std::int64_t ahead_step = 0;  // bytes per k, 0 when there is nothing left to fetch
};

/// Reads A down its rows, at one k after the other.
template <int Rows> struct row_cursor {
  static constexpr int half = (Rows + 1) / 2;
  address first, second;
  strides step;

  explicit row_cursor(const tile_args& t) : first(t.a), second(t.a_second), step(t.lda) {}
  [[gnu::always_inline]] void advance(std::int64_t floats) {
    first = advanced(first, floats), second = advanced(second, floats);
  }
  /// The value of row Row, `Ahead` floats on, in every lane.
  template <int Row, int Ahead = 0> [[gnu::always_inline]] vf value() const {
    return broadcast(floats_at(step.template from<Row % half>(Row < half ? first : second)) + Ahead);
  }
};

template <int Rows, int Row> [[gnu::always_inline]] inline float* output_row(const tile_args& t) {
  constexpr int half = (Rows + 1) / 2;
  return Row < half ? t.c + Row * t.ldc : t.c_second + (Row - half) * t.ldc;
}

/// The sums of a tile of 1 or 2 whole vectors per row.
template <int Vectors, class Rows> struct sums;
template <int Vectors, int... Row> struct sums<Vectors, std::integer_sequence<int, Row...>> {
  static_assert(Vectors == 1 || Vectors == 2);
  static constexpr int rows = sizeof...(Row);
  static constexpr int accumulators = rows * Vectors;
  static constexpr std::int64_t columns = Vectors * lanes;  // of a panel
  vf of[Vectors][rows];

  [[gnu::always_inline]] void start(const float* bias) {
    each<Vectors>([&](auto v) __attribute__((always_inline)) { fill<v>(load(bias + v * lanes)); });
  }
  [[gnu::always_inline]] void start() {
    each<Vectors>([&](auto v) __attribute__((always_inline)) { fill<v>(vf(0.0F)); });
  }
  template <int Ahead> [[gnu::always_inline]] void add_products(const row_cursor<rows>& a, const float* b) {
    const vf b0 = load(b), b1 = load(b + (Vectors - 1) * lanes);
    (add_row<Row>(a.template value<Row, Ahead>(), b0, b1), ...);
  }
  [[gnu::always_inline]] void add(const sums& other) {
    each<Vectors>([&](auto v) __attribute__((always_inline)) { ((of[v][Row] = of[v][Row] + other.of[v][Row]), ...); });
  }
  [[gnu::always_inline]] void store(const tile_args& t) const {
    const vf lo = broadcast(&t.range.lo), hi = broadcast(&t.range.hi);
    if (t.last == lanes) (store_row<Row, false>(output_row<rows, Row>(t), lo, hi, lanes), ...);
    else (store_row<Row, true>(output_row<rows, Row>(t), lo, hi, t.last), ...);
  }

 private:
  template <int V> [[gnu::always_inline]] void fill(vf x) { ((of[V][Row] = x), ...); }
  template <int R> [[gnu::always_inline]] void add_row(vf x, vf b0, vf b1) {
    of[0][R] = fma(x, b0, of[0][R]);
    if constexpr (Vectors == 2) of[1][R] = fma(x, b1, of[1][R]);
  }
  template <int R, bool Masked> [[gnu::always_inline]] void store_row(float* c, vf lo, vf hi, std::int64_t last) const {
    if constexpr (Vectors == 2) kernels::store(c, clamp(of[0][R], lo, hi));
    float* const end = c + (Vectors - 1) * lanes;
    const vf x = clamp(of[Vectors - 1][R], lo, hi);
    if constexpr (Masked) store_first(end, x, last);
    else kernels::store(end, x);
  }
};

/// The sums of a tile of one vector and a half per row: two rows share one vector for their halves (see ends_in_half).
template <class Pairs> struct sums_and_half;
template <int... Pair> struct sums_and_half<std::integer_sequence<int, Pair...>> {
  static constexpr int pairs = sizeof...(Pair), rows = 2 * pairs;
  static constexpr int accumulators = rows + pairs;
  static constexpr std::int64_t columns = 2 * lanes;
  vf of[rows], halves[pairs];

  [[gnu::always_inline]] void start(const float* bias) {
    const vf whole = load(bias), half = load_half_twice(bias + lanes);
    ((of[2 * Pair] = whole, of[2 * Pair + 1] = whole, halves[Pair] = half), ...);
  }
  template <int Ahead> [[gnu::always_inline]] void add_products(const row_cursor<rows>& a, const float* b) {
    const vf b0 = load(b), b1 = load(b + lanes);
    (add_pair<Pair>(a.template value<2 * Pair, Ahead>(), a.template value<2 * Pair + 1, Ahead>(), b0, b1), ...);
  }
  [[gnu::always_inline]] void store(const tile_args& t) const {
    const vf lo = broadcast(&t.range.lo), hi = broadcast(&t.range.hi);
    (store_pair<Pair>(output_row<rows, 2 * Pair>(t), output_row<rows, 2 * Pair + 1>(t), lo, hi, t.last), ...);
  }

 private:
  template <int P> [[gnu::always_inline]] void add_pair(vf x0, vf x1, vf b0, vf b1) {
    of[2 * P] = fma(x0, b0, of[2 * P]);
    of[2 * P + 1] = fma(x1, b0, of[2 * P + 1]);
    halves[P] = fma(blend_halves(x0, x1), b1, halves[P]);
  }
  template <int P> [[gnu::always_inline]] void store_pair(float* c0, float* c1, vf lo, vf hi, std::int64_t last) const {
    kernels::store(c0, clamp(of[2 * P], lo, hi));
    kernels::store(c1, clamp(of[2 * P + 1], lo, hi));
    store_halves(c0 + lanes, c1 + lanes, clamp(halves[P], lo, hi), last);
  }
};

/// Sets of sums that a tile keeps: with fewer than eight accumulators, too few to hide the latency of two fma per
/// cycle, several k at once go to a set each.
constexpr int sets_for(int accumulators) { return accumulators >= 8 ? 1 : (8 + accumulators - 1) / accumulators; }

template <class Isa> [[gnu::always_inline]] inline void fetch_ahead(address& ahead, std::int64_t step) {
  if constexpr (Isa::fetches_ahead) {
    __builtin_prefetch(reinterpret_cast<const char*>(ahead), 0, 2);
    __builtin_prefetch(reinterpret_cast<const char*>(ahead + 64), 0, 2);
    ahead += static_cast<address>(step);
  }
}

template <class Isa, class Sums> [[gnu::noinline]] void tile(const tile_args& t) {
  constexpr int sets = sets_for(Sums::accumulators);
  Sums sum[sets];
  sum[0].start(t.bias);
  if constexpr (sets > 1) each<sets - 1>([&](auto s) __attribute__((always_inline)) { sum[s + 1].start(); });
  row_cursor<Sums::rows> a(t);
  const float* b = t.b;
  address ahead = t.ahead;
  for (std::int64_t run = t.runs; run > 0; --run) {
    const float* const end = b + t.k * Sums::columns;
    if constexpr (sets > 1) {
      for (const float* const whole = b + t.k / sets * (sets * Sums::columns); b != whole;
           b += sets * Sums::columns, a.advance(sets))
        each<sets>([&](auto s)
                       __attribute__((always_inline)) { sum[s].template add_products<s>(a, b + s * Sums::columns); });
    }
    for (; b != end; b += Sums::columns, a.advance(1)) {
      if constexpr (Sums::accumulators >= 12)
        fetch_ahead<Isa>(ahead, t.ahead_step);  // smaller tiles have no load slots to spare
      sum[0].template add_products<0>(a, b);
    }
    a.advance(t.run_stride - t.k);
  }
  if constexpr (sets > 1) each<sets - 1>([&](auto s) __attribute__((always_inline)) { sum[0].add(sum[s + 1]); });
  sum[0].store(t);
}

// --- choice of the tile's function ------------------------------------------

using tile_function = void (*)(const tile_args&);

/// Tile functions exist for 1, 2, 4, 6, … rows; this is the row count of the one that serves `rows`.
constexpr std::int64_t function_rows(std::int64_t rows) { return rows == 1 ? 1 : (rows + 1) / 2 * 2; }

template <int N> using first_integers = std::make_integer_sequence<int, N>;

/// What the columns of a panel in use need.
enum class tile_columns { one_vector, two_vectors, one_and_half };
constexpr tile_columns columns_for(std::int64_t width) {
  if (ends_in_half(width)) return tile_columns::one_and_half;
  return width <= lanes ? tile_columns::one_vector : tile_columns::two_vectors;
}

inline constexpr int row_counts = tile_rows / 2 + 1;

/// The function for 2 I rows, or for one if I is 0. For fewer than 8 rows a half is not worth a function of its own: a
/// whole second vector computes the same.
template <class Isa, tile_columns Columns, int I> constexpr tile_function function_for() {
  constexpr int rows = I == 0 ? 1 : 2 * I;
  if constexpr (Columns == tile_columns::one_vector) return &tile<Isa, sums<1, first_integers<rows>>>;
  else if constexpr (Columns == tile_columns::one_and_half && has_halves && rows >= 8)
    return &tile<Isa, sums_and_half<first_integers<I>>>;
  else return &tile<Isa, sums<2, first_integers<rows>>>;
}

}  // namespace detail

/// Which tiles a product is made of. The functions of all take a compiler 0.8 s, so plans name the smallest set that
/// will do, and a program has only the functions of the sets that its layers need.
enum class tile_set {
  one_row,       // m = 1
  most_rows,     // every tile is served by the function of tile_rows rows
  whole_panels,  // any rows, but n is a multiple of panel_columns
  any
};

/// The set for the product of an m x k and a k x n matrix.
constexpr tile_set tile_set_for(std::int64_t m, std::int64_t n) {
  if (m == 1) return tile_set::one_row;
  const row_tiles tiles{m};
  const auto has_most_rows = [&](std::int64_t tile) {
    return detail::function_rows(tiles.begin(tile + 1) - tiles.begin(tile)) == tile_rows;
  };
  const std::int64_t last = tiles.count() - 1;  // all but the last two are whole
  if (last >= 0 && has_most_rows(last) && (last == 0 || has_most_rows(last - 1))) return tile_set::most_rows;
  return n % panel_columns == 0 ? tile_set::whole_panels : tile_set::any;
}

/// The functions of a set; null where the set has none.
struct tile_table {
  detail::tile_function of[3][detail::row_counts] = {};  // [tile_columns][function_rows / 2]

  detail::tile_function for_tile(std::int64_t rows, std::int64_t width) const {
    return of[static_cast<std::size_t>(detail::columns_for(width))][detail::function_rows(rows) / 2];
  }
};

namespace detail {

template <class Isa, tile_columns Columns, int First, int... I>
constexpr void add_functions(tile_table& table, std::integer_sequence<int, I...>) {
  ((table.of[static_cast<std::size_t>(Columns)][First + I] = function_for<Isa, Columns, First + I>()), ...);
}

template <class Isa, tile_set Set> constexpr tile_table make_table() {
  constexpr int first = Set == tile_set::most_rows ? row_counts - 1 : 0;
  constexpr int last = Set == tile_set::one_row ? 0 : row_counts - 1;
  using counts = first_integers<last - first + 1>;
  tile_table table;
  add_functions<Isa, tile_columns::two_vectors, first>(table, counts{});
  if constexpr (Set != tile_set::whole_panels) {
    add_functions<Isa, tile_columns::one_vector, first>(table, counts{});
    add_functions<Isa, tile_columns::one_and_half, first>(table, counts{});
  }
  return table;
}

}  // namespace detail

template <class Isa, tile_set Set = tile_set::any> inline constexpr tile_table tiles_of = detail::make_table<Isa, Set>();

namespace detail {

// --- rows of tiles ----------------------------------------------------------

/// Packed B as tiles see it.
struct packed_b {
  const float* packed;
  std::int64_t k, n;

  const float* bias(std::int64_t panel) const { return packed + panel * panel_columns; }
  const float* panel(std::int64_t panel) const { return packed + whole_vectors(n) + panel * panel_columns * k; }
  /// Columns in use from this panel on, at most a panel's.
  std::int64_t width(std::int64_t panel) const { return std::min(panel_columns, n - panel * panel_columns); }
};

/// Panels whose k rows stay in L2 (384 KiB of them) while A passes by.
constexpr std::int64_t panels_in_cache(std::int64_t k) {
  return std::max<std::int64_t>(1, 384 * 1024 / 4 / (std::max<std::int64_t>(1, k) * panel_columns));
}

/// Where rows of A begin and end for a tile of `rows` consecutive rows.
inline void set_rows(tile_args& t, std::int64_t rows, address a, float* c) {
  const std::int64_t second = rows == 1 ? 0 : rows - function_rows(rows) / 2;
  t.a = a, t.a_second = advanced(a, second * t.lda);
  t.c = c, t.c_second = c + second * t.ldc;
}

/// Computes `rows` rows of C in the given panels. `skipped_k` rows of B have no counterpart in A (rows of a
/// convolution's kernel that hang over the edge of the image). `t` is the caller's, to be changed: a copy of what was
/// written a moment ago in smaller pieces stalls until the stores are done, 15 ns per row of tiles.
template <class Isa>
void tile_row(const tile_table& tiles, tile_args& t, std::int64_t rows, const packed_b& b, std::int64_t skipped_k,
              interval panels) {
  float *const c = t.c, *const c_second = t.c_second;
  for (std::int64_t p = panels.begin; p < panels.end; ++p) {
    const std::int64_t width = b.width(p), vectors = whole_vectors(width);
    t.b = b.panel(p) + skipped_k * vectors;
    t.bias = b.bias(p);
    t.c = c + p * panel_columns, t.c_second = c_second + p * panel_columns;
    t.last = width - (vectors - lanes);
    tiles.for_tile(rows, width)(t);
    if constexpr (Isa::fetches_ahead) t.ahead += static_cast<address>(t.ahead_step * t.k * t.runs);
  }
}

/// The part of C made of the given tiles of rows and panels of columns.
template <class Isa>
void gemm_tiles(const gemm_shape& s, const float* a, std::int64_t lda, const float* packed, float* c, std::int64_t ldc,
                clamp_range range, const rectangle& work, const weights_ahead& after, const tile_table& tiles) {
  const packed_b b{packed, s.k, s.n};
  const std::int64_t block = panels_in_cache(s.k);
  address ahead = address_of(after.weights);
  const address ahead_end = advanced(ahead, after.floats);
  for (std::int64_t p = work.columns.begin; p < work.columns.end; p += block) {
    const interval panels{p, std::min(work.columns.end, p + block)};
    for (std::int64_t tile = work.rows.begin; tile < work.rows.end; ++tile) {
      const std::int64_t row = row_tiles{s.m}.begin(tile), rows = row_tiles{s.m}.begin(tile + 1) - row;
      tile_args t{.lda = lda, .k = s.k, .ldc = ldc, .range = range};
      set_rows(t, rows, advanced(address_of(a), row * lda), c + row * ldc);
      t.ahead = ahead < ahead_end ? ahead : t.a;
      t.ahead_step = ahead < ahead_end ? 128 : 0;
      tile_row<Isa>(tiles, t, rows, b, 0, panels);
      if constexpr (Isa::fetches_ahead)
        ahead = std::min(ahead_end, ahead + static_cast<address>(128 * s.k * panels.size()));
    }
  }
}

}  // namespace detail

/// C[m][n] = clamp(A[m][k] * B + bias).
///
/// Any lda >= k and ldc >= n, in floats; columns n … ldc of C are not touched. C must not overlap A. The products of
/// one element are summed in an order that follows from the shape alone, so every division into parts gives the same
/// bits.
///
/// \param packed what pack() made of B and bias
///
/// \param p the part to compute; any count is correct, more than max(row tiles, panels) leaves parts without work
///
/// \param after see weights_ahead; needs the tag native_fetching_ahead
///
/// \param tiles tiles_of<Isa, S>, where S is tile_set_for(s.m, s.n) or any
template <class Isa = native>
void gemm(const gemm_shape& s, const float* a, std::int64_t lda, const float* packed, float* c, std::int64_t ldc,
          clamp_range range = {}, part p = {}, const weights_ahead& after = {},
          const tile_table& tiles = tiles_of<Isa>) {
  if (s.m <= 0 || s.n <= 0) return;
  detail::gemm_tiles<Isa>(s, a, lda, packed, c, ldc, range, share(row_tiles{s.m}.count(), panels_of(s.n), p), after,
                          tiles);
}

}  // namespace nnrt::inline NNRT_ISA::kernels

namespace nnrt::inline NNRT_ISA::kernels {

/// The elements of an operand, or null when it is not there.
constexpr const float* optional_floats_in(const kernel_call& call, std::size_t i) { return i < call.in.size() && call.in[i] ? floats_in(call, i) : nullptr; }

/// A call's scratch memory as floats.
inline float* scratch_floats(const kernel_call& call) { return reinterpret_cast<float*>(call.scratch); }

/// Into how many parts so many multiply-accumulates are worth being cut: one vector of them takes as long as one element of a map.
constexpr int parts_of_macs(std::int64_t macs) { return parts_for(macs / 16); }

/// Binding::run<Set>: the function that has only the tiles of this set.
template <class Binding> constexpr kernel_function run_with_tiles(tile_set set) {
  switch (set) {
    case tile_set::one_row: return &Binding::template run<tile_set::one_row>;
    case tile_set::most_rows: return &Binding::template run<tile_set::most_rows>;
    case tile_set::whole_panels: return &Binding::template run<tile_set::whole_panels>;
    case tile_set::any: break;
  }
  return &Binding::template run<tile_set::any>;
}

/// The depthwise kernel for an operator whose weight is [outC, kh, kw, 1] and whose output channel o reads channel o / multiplier.
///
/// Isa only makes the name depend on the parameter of fast: clang compiles constexpr functions, and what they take the addresses of, where a
/// template names them without, and every program that includes this header would pay for these kernels.
template <class Op, class Isa> struct depthwise_binding {
  static constexpr kernel_choice choose(const kernel_request& node) {
    const auto attrs = unpack<typename Op::attrs>(node.attrs);
    const depthwise_shape shape = shape_for(attrs, node.in[0].desc.shape, node.in[1].desc.shape);
    return {.run = run_of(depthwise_method_of(shape)),
            .pack = &pack,
            .packs = 0b110,
            .packed_bytes = depthwise_packed_floats(shape) * size_of(f32),
            .parts = parts_of_macs(Op::macs(attrs, node.in, node.out)),
            .name = "depthwise"};
  }
  static void pack(const kernel_call& call) { depthwise_pack(shape_of(call), floats_in(call, 1), optional_floats_in(call, 2), floats_out(call)); }
  template <int Kernel, int Stride> static void run(const kernel_call& call) {
    depthwise_by<native, Kernel, Stride>(shape_of(call), floats_in(call, 0), floats_in(call, call.in.size() - 1), floats_out(call),
                                         range_of(unpack<typename Op::attrs>(call.attrs).fused), part_of(call));
  }

 private:
  static constexpr kernel_function run_of(depthwise_method method) {
    if (method.kernel == 3) return method.stride == 1 ? &run<3, 1> : &run<3, 2>;
    if (method.kernel == 5) return method.stride == 1 ? &run<5, 1> : &run<5, 2>;
    return &run<0, 0>;
  }
  static constexpr depthwise_shape shape_for(const typename Op::attrs& a, const shape_t& x, const shape_t& w) {
    const ops::detail::window_pair at = Op::windows(a, x, w);
    return {.batch = x[0], .height = x[1], .width = x[2], .channels = x[3], .multiplier = w[0] / x[3], .kernel_h = w[1], .kernel_w = w[2],
            .stride_h = a.stride.h, .stride_w = a.stride.w, .dilation_h = a.dilation.h, .dilation_w = a.dilation.w,
            .pad_top = at.h.pad_before(), .pad_left = at.w.pad_before(), .out_height = at.h.outputs(), .out_width = at.w.outputs()};
  }
  static depthwise_shape shape_of(const kernel_call& call) { return shape_for(unpack<typename Op::attrs>(call.attrs), call.in[0].shape(), call.in[1].shape()); }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/convolution.hpp
// convolution: float conv2d over NHWC images on the tiles of gemm.hpp; any kernel, stride, dilation, padding, group.
// Flow: a prepare step packs weights and bias once with conv_pack(); a plan's step calls conv() with arena scratch.
//
// In NHWC the values under one row of the kernel are contiguous, and neighbouring output pixels start stride_w *
// channels floats apart. So a block of output pixels is a tile whose rows of A lie in the image, with one run per
// kernel row: neither im2col nor indirection. Only blocks at the border read a zero-padded copy; groups read a copy of
// their channels. Dilation across tears the runs apart: such pixels are gathered, a few tiles at a time.

namespace nnrt::inline NNRT_ISA::kernels {

/// x: [batch, height, width, in], w: [out, kernel_h, kernel_w, in / group], y: [batch, out_height, out_width, out].
///
/// Extents may be 0, kernels larger than the padded image; stride and dilation are at least 1; group divides in and
/// out. Padding below and to the right is what the output extents imply.
struct conv_shape {
  std::int64_t batch = 1, height = 0, width = 0, in = 0, out = 0;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t pad_top = 0, pad_left = 0;
  std::int64_t out_height = 0, out_width = 0;
  std::int64_t group = 1;

  constexpr std::int64_t group_in() const { return in / group; }
  constexpr std::int64_t group_out() const { return out / group; }
  /// Products per output value.
  constexpr std::int64_t depth() const { return kernel_h * kernel_w * group_in(); }
  constexpr std::int64_t out_pixels() const { return out_height * out_width; }
  /// Input rows or columns between the first and the last tap of so many outputs in a column or row.
  constexpr std::int64_t rows_under(std::int64_t outputs) const {
    return (outputs - 1) * stride_h + (kernel_h - 1) * dilation_h + 1;
  }
  constexpr std::int64_t columns_under(std::int64_t outputs) const {
    return (outputs - 1) * stride_w + (kernel_w - 1) * dilation_w + 1;
  }
  constexpr bool is_padded() const {
    return pad_top > 0 || pad_left > 0 || rows_under(out_height) - pad_top > height ||
           columns_under(out_width) - pad_left > width;
  }
};

namespace detail {

/// How a convolution is computed; follows from the shape alone.
enum class conv_method {
  product,  // A is the image as it lies there: 1x1 kernels, and kernels as large as the image
  direct,   // tiles read the image, or a copy with padding or of one group's channels
  gather    // tiles read pixels' inputs copied side by side
};

constexpr conv_method method_of(const conv_shape& s) {
  const bool is_pointwise = s.kernel_h == 1 && s.kernel_w == 1 && s.stride_h == 1 && s.stride_w == 1;
  const bool is_whole_image =
      s.kernel_h == s.height && s.kernel_w == s.width && s.out_pixels() == 1 && s.dilation_h == 1 && s.dilation_w == 1;
  const bool is_same_size = s.out_height == s.height && s.out_width == s.width;
  if (s.group == 1 && s.pad_top == 0 && s.pad_left == 0 && ((is_pointwise && is_same_size) || is_whole_image))
    return conv_method::product;
  return s.dilation_w == 1 || s.kernel_w == 1 ? conv_method::direct : conv_method::gather;
}

// --- blocks of pixels of the direct method ------------------------------------

/// Output rows per block: rows that are narrow share a tile in pairs, and a single column runs down the image.
constexpr std::int64_t block_rows(const conv_shape& s) {
  if (s.out_width == 1) return tile_rows;
  return 2 * s.out_width <= tile_rows ? 2 : 1;
}
constexpr std::int64_t rows_of_blocks(const conv_shape& s) {
  return (s.out_height + block_rows(s) - 1) / block_rows(s);
}

/// Whether bands of the image are copied first: channels of a group, and padding where nearly every block would touch
/// it.
constexpr bool copies_bands(const conv_shape& s) {
  return s.group > 1 || (s.is_padded() && s.out_width <= 3 * tile_rows);
}
/// Rows of blocks per band, so that a copy takes at most 1 MiB.
constexpr std::int64_t band_rows(const conv_shape& s) {
  const std::int64_t line = std::max<std::int64_t>(1, s.columns_under(s.out_width) * s.group_in());
  const std::int64_t fitting = (1024 * 1024 / 4 / line - s.rows_under(1)) / (block_rows(s) * s.stride_h);
  return std::clamp<std::int64_t>(fitting, 1, std::max<std::int64_t>(1, rows_of_blocks(s)));
}

constexpr std::int64_t direct_scratch(const conv_shape& s) {
  if (copies_bands(s)) {
    const std::int64_t outputs = std::min(s.out_height, band_rows(s) * block_rows(s));
    return s.rows_under(outputs) * s.columns_under(s.out_width) * s.group_in();
  }
  return s.is_padded() ? s.rows_under(1) * s.columns_under(std::min<std::int64_t>(s.out_width, tile_rows)) * s.in : 0;
}

/// One image's buffers, from the first channel of the group in work on.
struct conv_buffers {
  const float* x;
  const float* packed;
  float* y;
  float* scratch;
  clamp_range range;
  std::int64_t in_pixel, out_pixel;  // floats from one pixel to the next
  const tile_table& tiles;
};

/// Copies the channels of rows x columns pixels from (y, x) of an image, zeros outside it, without gaps.
inline void copy_padded(const conv_shape& s, const conv_buffers& from, std::int64_t y, std::int64_t x,
                        std::int64_t rows, std::int64_t columns, float* out) {
  const std::int64_t left = std::clamp<std::int64_t>(-x, 0, columns),
                     right = std::clamp<std::int64_t>(s.width - x, left, columns);
  for (std::int64_t i = y; i < y + rows; ++i, out += columns * s.in) {
    if (i < 0 || i >= s.height || left == right) {
      zero_floats(columns * s.in, out);
      continue;
    }
    const float* const line = from.x + (i * s.width + x + left) * from.in_pixel;
    zero_floats(left * s.in, out);
    if (from.in_pixel == s.in) copy_floats(line, (right - left) * s.in, out + left * s.in);
    else
      for (std::int64_t j = left; j < right; ++j) copy_floats(line + (j - left) * from.in_pixel, s.in, out + j * s.in);
    zero_floats((columns - right) * s.in, out + right * s.in);
  }
}

/// A row of blocks: its output rows, and the rows of the kernel that lie in the image. Leaving out the others is
/// possible with one output row only; blocks of more come only with images that need no padding (any more), where none
/// is left out.
struct block_row {
  std::int64_t y, height, first_tap, last_tap;

  block_row(const conv_shape& s, std::int64_t index)
      : y(index * block_rows(s)), height(std::min(block_rows(s), s.out_height - y)) {
    const std::int64_t iy = y * s.stride_h - s.pad_top;
    const auto taps_in = [&](std::int64_t rows) {
      return std::clamp<std::int64_t>((rows + s.dilation_h - 1) / s.dilation_h, 0, s.kernel_h);
    };
    first_tap = iy < 0 ? taps_in(-iy) : 0;
    last_tap = std::max(first_tap, taps_in(std::max<std::int64_t>(0, s.height - iy)));
  }
  std::int64_t taps() const { return last_tap - first_tap; }
};

/// Computes a block: `width` output columns from x on of its row, in the given panels.
template <class Isa>
void direct_block(const conv_shape& s, const conv_buffers& buffers, const block_row& row, std::int64_t x,
                  std::int64_t width, interval panels) {
  const std::int64_t iy = row.y * s.stride_h - s.pad_top + row.first_tap * s.dilation_h,
                     ix = x * s.stride_w - s.pad_left;
  const std::int64_t columns = s.columns_under(width);
  std::int64_t line = s.width * s.in;
  address a = advanced(address_of(buffers.x), iy * line + ix * s.in);
  if (row.taps() > 0 && (ix < 0 || ix + columns > s.width)) {
    copy_padded(s, buffers, iy, ix, (row.taps() - 1) * s.dilation_h + 1, columns, buffers.scratch);
    a = address_of(buffers.scratch), line = columns * s.in;
  }
  const bool is_column = s.out_width == 1, is_pair = row.height == 2 && !is_column;
  tile_args t{.lda = is_column ? s.stride_h * line : s.stride_w * s.in,
              .k = s.kernel_w * s.in,
              .ldc = buffers.out_pixel,
              .range = buffers.range};
  t.runs = row.taps(), t.run_stride = s.dilation_h * line;
  set_rows(t, row.height * width, a, buffers.y + (row.y * s.out_width + x) * buffers.out_pixel);
  if (is_pair) t.a_second = advanced(a, s.stride_h * line);
  tile_row<Isa>(buffers.tiles, t, row.height * width, {buffers.packed, s.depth(), s.out}, row.first_tap * t.k, panels);
}

/// Computes the given rows of blocks; weights stay in L2 while the blocks pass.
template <class Isa>
void direct_blocks(const conv_shape& s, const conv_buffers& buffers, interval rows, interval panels) {
  const std::int64_t block = panels_in_cache(s.depth()), across = row_tiles{s.out_width}.count();
  for (std::int64_t p = panels.begin; p < panels.end; p += block) {
    const interval some_panels{p, std::min(panels.end, p + block)};
    for (std::int64_t index = rows.begin; index < rows.end; ++index) {
      const block_row row(s, index);
      for (std::int64_t i = 0, x = 0; i < across; ++i) {
        const std::int64_t end = row_tiles{s.out_width}.begin(i + 1);
        direct_block<Isa>(s, buffers, row, x, end - x, some_panels);
        x = end;
      }
    }
  }
}

/// The same on copies of the input, band by band.
template <class Isa>
void direct_bands(const conv_shape& s, const conv_buffers& buffers, interval rows, interval panels) {
  for (std::int64_t row = rows.begin; row < rows.end; row += band_rows(s)) {
    const interval band{row, std::min(rows.end, row + band_rows(s))};
    const std::int64_t y = band.begin * block_rows(s), outputs = std::min(s.out_height, band.end * block_rows(s)) - y;
    conv_shape padded = s;
    padded.height = s.rows_under(outputs), padded.width = s.columns_under(s.out_width);
    padded.pad_top = y * s.stride_h, padded.pad_left = 0;  // the band begins with the first input row of output row y
    copy_padded(s, buffers, y * s.stride_h - s.pad_top, -s.pad_left, padded.height, padded.width, buffers.scratch);
    conv_buffers of_band = buffers;
    of_band.x = buffers.scratch, of_band.in_pixel = s.in;
    direct_blocks<Isa>(padded, of_band, band, panels);
  }
}

/// Computes the given rows of blocks of one image, group by group.
template <class Isa> void direct_image(const conv_shape& s, const conv_buffers& image, interval rows, interval panels) {
  conv_shape of_group = s;
  of_group.in = s.group_in(), of_group.out = s.group_out(), of_group.group = 1;
  for (std::int64_t g = 0; g < s.group; ++g) {
    conv_buffers buffers = image;
    buffers.x += g * of_group.in, buffers.y += g * of_group.out;
    buffers.packed += g * packed_floats(s.depth(), of_group.out);
    if (copies_bands(s)) direct_bands<Isa>(of_group, buffers, rows, panels);
    else direct_blocks<Isa>(of_group, buffers, rows, panels);
  }
}

template <class Isa> void conv_direct(const conv_shape& s, const conv_buffers& buffers, part p) {
  const std::int64_t rows = rows_of_blocks(s);
  const rectangle work = share(s.batch * rows, panels_of(s.group_out()), p);
  for (std::int64_t done = work.rows.begin; done < work.rows.end;) {
    const std::int64_t image = done / rows, first = done - image * rows;
    const interval of_image{first, std::min(rows, first + work.rows.end - done)};
    conv_buffers one = buffers;
    one.x += image * s.height * s.width * s.in, one.y += image * s.out_pixels() * s.out;
    direct_image<Isa>(s, one, of_image, work.columns);
    done += of_image.size();
  }
}

// --- gathered pixels ----------------------------------------------------------

/// Pixels gathered at once: some tiles, so that every panel of weights is read once for all of them, in at most 256
/// KiB.
constexpr std::int64_t gathered_pixels(const conv_shape& s) {
  return tile_rows * std::clamp<std::int64_t>(64 * 1024 / (tile_rows * std::max<std::int64_t>(1, s.depth())), 1, 8);
}

/// The inputs of output pixel `pixel` (counted through all images), channels of one group, in the order of the weights.
inline void gather_pixel(const conv_shape& s, const float* x, std::int64_t pixel, float* out) {
  const std::int64_t image = pixel / s.out_pixels(), oy = pixel % s.out_pixels() / s.out_width,
                     ox = pixel % s.out_width;
  const std::int64_t channels = s.group_in();
  for (std::int64_t ky = 0; ky < s.kernel_h; ++ky)
    for (std::int64_t kx = 0; kx < s.kernel_w; ++kx, out += channels) {
      const std::int64_t iy = oy * s.stride_h - s.pad_top + ky * s.dilation_h,
                         ix = ox * s.stride_w - s.pad_left + kx * s.dilation_w;
      const bool is_inside = iy >= 0 && iy < s.height && ix >= 0 && ix < s.width;
      if (is_inside) copy_floats(x + ((image * s.height + iy) * s.width + ix) * s.in, channels, out);
      else zero_floats(channels, out);
    }
}

template <class Isa> void conv_gather(const conv_shape& s, const conv_buffers& buffers, part p) {
  const std::int64_t pixels = s.batch * s.out_pixels(), at_once = gathered_pixels(s), k = s.depth(), n = s.group_out();
  const rectangle work = share((pixels + at_once - 1) / at_once, panels_of(n), p);
  for (std::int64_t i = work.rows.begin; i < work.rows.end; ++i) {
    const std::int64_t first = i * at_once, count = std::min(at_once, pixels - first);
    for (std::int64_t g = 0; g < s.group; ++g) {
      for (std::int64_t j = 0; j < count; ++j)
        gather_pixel(s, buffers.x + g * s.group_in(), first + j, buffers.scratch + j * k);
      gemm_tiles<Isa>({count, k, n}, buffers.scratch, k, buffers.packed + g * packed_floats(k, n),
                      buffers.y + first * s.out + g * n, s.out, buffers.range,
                      {{0, row_tiles{count}.count()}, work.columns}, {}, buffers.tiles);
    }
  }
}

constexpr std::int64_t scratch_per_part(const conv_shape& s) {
  const conv_method method = method_of(s);
  if (method == conv_method::product || s.batch * s.out_pixels() * s.out == 0) return 0;
  const std::int64_t floats = method == conv_method::direct
                                  ? direct_scratch(s)
                                  : std::min(gathered_pixels(s), s.batch * s.out_pixels()) * s.depth();
  return (floats + 15) / 16 * 16;  // whole cache lines, so that parts never share one
}

}  // namespace detail

/// Floats that conv_pack() writes.
constexpr std::int64_t conv_packed_floats(const conv_shape& s) {
  return s.group * packed_floats(s.depth(), s.group_out());
}

/// Packs weights [out, kernel_h, kernel_w, in / group] and bias [out] (null: zeros), group by group.
inline void conv_pack(const conv_shape& s, const float* w, const float* bias, float* out) {
  const std::int64_t k = s.depth(), n = s.group_out();
  for (std::int64_t g = 0; g < s.group; ++g)
    pack(w + g * n * k, 1, k, k, n, bias == nullptr ? nullptr : bias + g * n, out + g * packed_floats(k, n));
}

/// Floats of scratch that each part of conv() needs.
constexpr std::int64_t conv_scratch_floats(const conv_shape& s) { return detail::scratch_per_part(s); }

/// The set of tiles that conv() makes do with.
constexpr tile_set conv_tile_set(const conv_shape& s) {
  const detail::conv_method method = detail::method_of(s);
  if (method == detail::conv_method::product) return tile_set_for(s.batch * s.out_pixels(), s.out);
  // Blocks are one output row high: the tiles are those along a row.
  if (method == detail::conv_method::direct && detail::block_rows(s) == 1)
    return tile_set_for(s.out_width, s.group_out());
  return s.group_out() % panel_columns == 0 ? tile_set::whole_panels : tile_set::any;
}

/// y = clamp(conv2d(x, w) + bias).
///
/// Every division into parts gives the same bits. Padding counts as zeros that may be multiplied with weights: infinite
/// weights can give NaN at the border. y must not overlap x.
///
/// \param packed what conv_pack() made of weights and bias
///
/// \param scratch conv_scratch_floats(s) floats for this part alone; need not be initialised, may be null when there are none
///
/// \param tiles tiles_of<Isa, S>, where S is conv_tile_set(s) or any
template <class Isa = native>
void conv(const conv_shape& s, const float* x, const float* packed, float* y, float* scratch, clamp_range range = {},
          part p = {}, const tile_table& tiles = tiles_of<Isa>) {
  if (s.batch * s.out_pixels() * s.out == 0) return;
  if (detail::method_of(s) == detail::conv_method::product) {
    const std::int64_t pixels = s.batch * s.out_pixels();
    return gemm<Isa>({pixels, s.depth(), s.out}, x, s.depth(), packed, y, s.out, range, p, {}, tiles);
  }
  const detail::conv_buffers buffers{x, packed, y, scratch, range, s.in, s.out, tiles};
  if (detail::method_of(s) == detail::conv_method::direct) detail::conv_direct<Isa>(s, buffers, p);
  else detail::conv_gather<Isa>(s, buffers, p);
}

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/ops/conv2d.hpp
// conv2d: two-dimensional convolution with groups, dilation and any padding; floating point or 8-bit integers.
// Flow: front ends call infer(); passes fold batch_norm and bias_add into its weight; kernels/bind/ has the fast forms.

// ===== nnrt/ops/detail/convolution.hpp
// convolution: what conv2d and depthwise_conv2d share - rules about weights, bias, quantisation; the sum over a window.
// Flow: both operators' infer and reference; a depthwise convolution is one whose groups have a single input channel.

// ===== nnrt/core/requantise.hpp
// requantise: how a wide integer sum becomes a stored number again - fixed-point factors, named roundings, saturation.
// Flow: references of quantised operators and their kernels use these very functions, so that both give the same bits.

namespace nnrt::inline NNRT_ISA {

/// A positive factor mantissa * 2^(exponent - 31), mantissa in [2^30, 2^31); 0 stands for the factor 0.
struct fixed_point {
  std::int32_t mantissa = 0;
  int exponent = 0;
  friend constexpr bool operator==(const fixed_point&, const fixed_point&) = default;
};

/// The fixed-point form of a factor, mantissa rounded half away from zero; 0 for factors below 2^-32 and for what is no
/// positive number. Source: quantised TFLite models (frexp of input scale * weight scale / output scale).
constexpr fixed_point fixed_point_of(double factor) {
  if (!(factor >= 0x1p-64) || math::is_nan(factor) || math::is_inf(factor)) return {};
  const auto word = std::bit_cast<std::uint64_t>(factor);
  int exponent = static_cast<int>(word >> 52U) - 1022;
  const auto fraction =
      std::bit_cast<double>((word & ((std::uint64_t{1} << 52U) - 1)) | std::uint64_t{1022} << 52U);  // in [1/2, 1)
  auto mantissa = static_cast<std::int64_t>(math::round_half_away(fraction * 0x1p31));
  if (mantissa == std::int64_t{1} << 31U) mantissa /= 2, ++exponent;
  if (exponent < -31) return {};
  return {static_cast<std::int32_t>(mantissa), exponent};
}

namespace detail {
constexpr std::int64_t clamped(std::int64_t x, std::int64_t low, std::int64_t high) {
  return x < low ? low : x > high ? high : x;
}
constexpr std::int32_t saturated_i32(std::int64_t x) {
  return static_cast<std::int32_t>(
      clamped(x, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}
}  // namespace detail

/// Ways to round the product of an accumulator and a factor; a target's policy names the one that its hardware has.
namespace rounding {

/// Two roundings to nearest: of the 64-bit product to 32 bits (ties toward plus infinity), then of the right shift
/// (ties away from zero). An accumulator that leaves 32 bits when it is shifted left saturates there: the result is
/// then at least 2^30 in magnitude, beyond every number of 8 or 16 bits. Source: SRDHM and RDP of the reference kernels
/// of quantised TFLite models.
struct twice {
  static constexpr std::int32_t scale(std::int32_t accumulator, fixed_point factor) {
    // 2^31 times anything but 0 leaves 32 bits, so that a longer shift says no more.
    const auto left = static_cast<int>(detail::clamped(factor.exponent, 0, 31));
    const int right = factor.exponent < 0 ? -factor.exponent : 0;
    const std::int64_t product =
        std::int64_t{detail::saturated_i32(accumulator * (std::int64_t{1} << left))} * factor.mantissa;
    constexpr std::int64_t half = std::int64_t{1} << 30U;
    const std::int64_t high = (product + (product >= 0 ? half : 1 - half)) / (std::int64_t{1} << 31U);
    const std::int64_t mask = (std::int64_t{1} << right) - 1, threshold = (mask >> 1) + (high < 0 ? 1 : 0);
    return static_cast<std::int32_t>((high >> right) + ((high & mask) > threshold ? 1 : 0));
  }
};

}  // namespace rounding

/// The stored numbers that a result may take: those of the dtype, narrowed by a fused activation.
struct stored_range {
  std::int32_t low = 0;
  std::int32_t high = 0;
  friend constexpr bool operator==(const stored_range&, const stored_range&) = default;
};

namespace detail {
/// The stored number of a real one, before it is clamped: rounds half away from zero, in float as TFLite does.
constexpr std::int64_t stored(float real, const quantisation& q) {
  const double steps = math::round_half_away(static_cast<double>(real / q.scale));
  return q.zero_point + (steps < 0x1p31 ? static_cast<std::int64_t>(steps) : std::int64_t{1} << 31U);
}
}  // namespace detail

/// Bounds of a quantised result of element type T: relu cuts at the zero point, relu6 at the stored 6 as well.
template <class T> constexpr stored_range stored_range_of(const quantisation& q, activation fused) {
  constexpr std::int64_t lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
  std::int64_t low = lowest, high = highest;
  if (fused != activation::none) low = detail::clamped(q.zero_point, lowest, highest);
  if (fused == activation::relu6) high = detail::clamped(detail::stored(6.0F, q), low, highest);
  return {static_cast<std::int32_t>(low), static_cast<std::int32_t>(high)};
}

/// clamp(zero_point + factor * sum): a sum beyond 32 bits is saturated first (it takes more than 65,000 products of
/// 8-bit numbers to get there).
template <class T, class Rounding = rounding::twice>
constexpr T requantise(std::int64_t sum, fixed_point factor, std::int32_t zero_point, stored_range range) {
  const std::int64_t value = std::int64_t{zero_point} + Rounding::scale(detail::saturated_i32(sum), factor);
  return static_cast<T>(detail::clamped(value, range.low, range.high));
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::ops::detail {

inline constexpr dtype_set convolved = types::floating | types_of(i8);
inline constexpr dtype_set convolution_bias = types::floating | types_of(i32);

/// a * b, or the largest 64-bit number where the product is beyond it; both at least 0.
constexpr std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return b != 0 && a > most / b ? most : a * b;
}

/// Products of a convolution: each output meets one filter. 0 while an extent is unknown.
constexpr std::int64_t convolution_macs(std::span<const operand> in, std::span<const tensor_desc> out) {
  const std::int64_t outputs = out[0].elements(), filter = in[1].desc.shape.elements(1);
  return outputs < 0 || filter < 0 ? 0 : saturated_product(outputs, filter);
}

template <class Rule> constexpr verdict check_filters(const tensor_desc& x, const tensor_desc& w) {
  if (auto v = require(Rule::weight_rank_must_be_4, w.rank(), 4); !v) return v;
  if (w.layout == format::nchw) return require(Rule::weight_must_be_nhwc, w.layout, format::nhwc);
  return require(Rule::weight_type_must_equal_input_type, w.type, x.type);
}

/// The bias of an integer convolution holds sums: 32 bits, scale of the input times scale of the weight, whatever its
/// desc says.
template <class Rule> constexpr verdict check_bias(std::span<const operand> in) {
  if (in.size() < 3 || !in[2]) return {};
  const tensor_desc &x = in[0].desc, &w = in[1].desc, &bias = in[2].desc;
  if (x.type == i8) {
    if (auto v = require(Rule::bias_type_of_an_i8_input_must_be_i32, bias.type, i32); !v) return v;
  } else if (auto v = require(Rule::bias_type_must_equal_input_type, bias.type, x.type); !v) return v;
  return require_same_extent(Rule::bias_must_have_one_element_for_each_output_channel, bias.elements(), w.shape[0]);
}

constexpr bool is_scale(float scale) { return scale > 0 && !math::is_inf(scale); }

/// One scale for the whole tensor: the rule counts the scales, which are as many as the channels of a per-channel one.
template <class Rule> constexpr verdict check_one_scale(Rule rule, const tensor_desc& desc, const quantisation& q) {
  if (q.mode == quantisation::kind::per_tensor && is_scale(q.scale)) return {};
  const bool has_axis =
      q.mode == quantisation::kind::per_channel && q.axis >= 0 && q.axis < desc.rank() && desc.shape[q.axis] != 1;
  return refuse(rule, has_axis ? desc.shape[q.axis] : 0, 1);
}

/// What the arithmetic of 8-bit convolutions rests on; nothing to check for floating point.
template <class Rule>
constexpr verdict check_quantisation(const tensor_desc& x, const tensor_desc& w, std::span<const tensor_desc> wanted) {
  if (x.type != i8) return {};
  const quantisation output = wanted.empty() ? quantisation{} : wanted[0].quantised;
  if (auto v = check_one_scale(Rule::quantised_input_must_have_one_scale, x, x.quantised); !v) return v;
  if (auto v = check_one_scale(Rule::quantised_output_must_have_one_scale, x, output); !v) return v;
  if (w.quantised.mode == quantisation::kind::per_channel) {
    if (auto v = require(Rule::weight_scales_must_run_along_the_output_channels, w.quantised.axis, 0); !v) return v;
  } else if (auto v = check_one_scale(Rule::quantised_weight_must_have_a_scale, w, w.quantised); !v) return v;
  if (auto v = require(Rule::weight_zero_point_must_be_0, w.quantised.zero_point, 0); !v) return v;
  for (const std::int32_t zero_point : {x.quantised.zero_point, output.zero_point})
    if (auto v = require_between(Rule::zero_point_must_be_a_number_of_the_type, zero_point, -128, 127); !v) return v;
  return {};
}

/// Rules of both convolutions, up to those about groups, which each has its own of.
template <class Rule>
constexpr verdict check_convolution(const window_pair& at, std::span<const operand> in,
                                    std::span<const tensor_desc> wanted) {
  if (auto v = check_windows<Rule>(at); !v) return v;
  if (auto v = check_bias<Rule>(in); !v) return v;
  return check_quantisation<Rule>(in[0].desc, in[1].desc, wanted);
}

/// The desc of the result: an image of the input's dtype, quantised as wanted.
constexpr tensor_desc convolution_result(const window_pair& at, const tensor_desc& x, const tensor_desc& w,
                                         std::span<const tensor_desc> wanted) {
  tensor_desc y{x.type, format::nhwc, {x.shape[0], at.h.outputs(), at.w.outputs(), w.shape[0]}};
  if (x.type == i8) y.quantised = wanted[0].quantised;
  return y;
}

/// The scale of output channel o of a weight.
constexpr float channel_scale(const view& weight, std::int64_t o) {
  return o < std::int64_t(weight.scales.size()) ? weight.scales[static_cast<std::size_t>(o)]
                                                : weight.desc->quantised.scale;
}

/// The factor from sums of output channel o to stored numbers of y.
constexpr fixed_point channel_factor(const view& x, const view& weight, const view& y, std::int64_t o) {
  return fixed_point_of(double{x.desc->quantised.scale} * double{channel_scale(weight, o)} /
                        double{y.desc->quantised.scale});
}

/// Where one window lies: image, first pixel (in the padding when negative), first input channel, filter.
struct window_place {
  std::int64_t n, h, w, channel, filter;
};

/// start + the sum of (x - zero) * weight over the pixels of one window that lie in the image; those in the padding
/// are zero.
template <class Sum, class T>
constexpr Sum window_sum(const window_pair& windows, const window_place& at, const tensor_view<const T>& x,
                         const tensor_view<const T>& weight, Sum start, Sum zero) {
  const std::int64_t channels = weight.extent(3), step = x.strides[3], weight_step = weight.strides[3];
  if (channels == 0) return start;
  Sum sum = start;
  for (std::int64_t kh = 0; kh < windows.h.kernel; ++kh)
    for (std::int64_t kw = 0; kw < windows.w.kernel; ++kw) {
      const std::int64_t h = at.h + kh * windows.h.dilation, w = at.w + kw * windows.w.dilation;
      if (h < 0 || h >= windows.h.input || w < 0 || w >= windows.w.input) continue;
      // Pointers instead of indices: this loop decides how large a network constant evaluation can run.
      const T *pixel = &x(at.n, h, w, at.channel), *tap = &weight(at.filter, kh, kw, 0);
      for (std::int64_t c = 0; c < channels; ++c)
        sum += (static_cast<Sum>(pixel[c * step]) - zero) * static_cast<Sum>(tap[c * weight_step]);
    }
  return sum;
}

/// The meaning of a convolution with `group` groups: output channel o belongs to group o / (outputs / group) and sees
/// the input channels of that group only.
template <class T>
constexpr void convolve(const window_pair& windows, std::int64_t group, activation fused, arguments in, results out) {
  using sum_t = math::compute_t<T>;
  using bias_t = std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t, T>;
  const auto x = in[0].as<const T>(), weight = in[1].as<const T>();
  const auto y = out[0].as<T>();
  const bool has_bias = in.size() > 2 && in[2];
  const std::int64_t filters = weight.extent(0), filters_of_group = group > 0 ? filters / group : 0;
  if (y.elements() <= 0) return;
  for (std::int64_t o = 0; o < filters; ++o) {
    const sum_t start = has_bias ? static_cast<sum_t>(in[2].as<const bias_t>()[o]) : sum_t{0};
    const auto finish = [&](sum_t sum) {
      if constexpr (std::is_same_v<T, std::int8_t>) {
        const quantisation& q = out[0].desc->quantised;
        return requantise<T>(sum, channel_factor(in[0], in[1], out[0], o), q.zero_point, stored_range_of<T>(q, fused));
      } else return static_cast<T>(activate(sum, fused));
    };
    const auto zero = static_cast<sum_t>(std::is_same_v<T, std::int8_t> ? in[0].desc->quantised.zero_point : 0);
    const std::int64_t channel = o / filters_of_group * weight.extent(3);
    for (std::int64_t n = 0; n < y.extent(0); ++n)
      for (std::int64_t oh = 0; oh < y.extent(1); ++oh)
        for (std::int64_t ow = 0; ow < y.extent(2); ++ow) {
          const window_place at{n, oh * windows.h.stride - windows.h.pad_before(),
                                ow * windows.w.stride - windows.w.pad_before(), channel, o};
          y(n, oh, ow, o) = finish(window_sum<sum_t, T>(windows, at, x, weight, start, zero));
        }
  }
}

}  // namespace nnrt::inline NNRT_ISA::ops::detail

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Convolution (cross-correlation, as everywhere in neural networks) of an image with O filters.
///
///   x: [N, H, W, C]      weight: [O, kh, kw, C / group]      bias: [O], may be missing
///   y: [N, H', W', O] = fused(bias[o] + sum over i, j, c of x[n, h(i), w(j), g * C / group + c] * weight[o, i, j, c])
///   h(i) = h' * stride - pad_top + i * dilation, likewise w(j); g = o / (O / group), the group of output channel o
///   H' = ceil(H / stride) for `same`, else floor((H + pads - ((kh - 1) * dilation + 1)) / stride) + 1, likewise W'
///
/// Lengths are in pixels; pads hold zeros; the odd pixel of `same` is at bottom and right. dtypes: all operands one of
/// f16 (sums in f32), f32, f64; or quantised: x and weight i8, bias i32 (its scale is that of x times that of the
/// weight), y i8 with the scale that `into<quant{…}>` gives; sums are exact integers of (x - zero point) * weight,
/// scaled per output channel by requantise(), and a fused activation is a clamp of the stored numbers.
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_CONV2D; quantised: the reference kernels of TFLite's CONV_2D.
struct conv2d {
  static constexpr op_code code{8};
  static constexpr std::string_view name = "conv2d";
  static constexpr operand_spec inputs[] = {
      {"x", detail::convolved}, {"weight", detail::convolved}, {"bias", detail::convolution_bias, presence::optional}};
  static constexpr operand_spec outputs[] = {{"y", detail::convolved}};
  static constexpr operator_traits traits{.weights = weights_role::conv2d};
  static constexpr foreign_numbers foreign{.nnrt = 8, .hdi = 35};
  // Padding comes as a list of four or as a mode, told apart by the count; either may stand under either number.
  static constexpr nnrt_parameter parameters[] = {{"stride", 11, i64, -1},   {"pad", 12, i64, 4},
                                                  {"dilation", 13, i64, -1}, {"pad", 14, i8},
                                                  {"fused", 15, i8},         {"group", 16, i64}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (extent2, stride), (extent2, dilation), (pads, pad), (std::int64_t, group),
                             (activation, fused));
    constexpr attrs() : stride{1, 1}, dilation{1, 1}, group(1), fused(activation::none) {}
  };

  enum class rule {
    input_rank_must_be_4,
    input_must_be_nhwc,
    weight_rank_must_be_4,
    weight_must_be_nhwc,
    weight_type_must_equal_input_type,
    group_must_be_positive,
    input_channels_must_equal_weight_channels_times_group,
    output_channels_must_be_divisible_by_group,
    stride_must_be_positive,
    dilation_must_be_positive,
    kernel_must_be_positive,
    pads_must_not_be_negative,
    window_lengths_must_not_exceed_the_size_limit,
    padded_input_must_cover_kernel,
    bias_type_must_equal_input_type,
    bias_type_of_an_i8_input_must_be_i32,
    bias_must_have_one_element_for_each_output_channel,
    quantised_input_must_have_one_scale,
    quantised_output_must_have_one_scale,
    quantised_weight_must_have_a_scale,
    weight_scales_must_run_along_the_output_channels,
    weight_zero_point_must_be_0,
    zero_point_must_be_a_number_of_the_type,
  };

  /// Where the windows lie: x NHWC, weight [O, kh, kw, …].
  static constexpr detail::window_pair windows(const attrs& a, const shape_t& x, const shape_t& weight) {
    return detail::windows_over(x, {weight[1], weight[2]}, a.stride, a.dilation, a.pad);
  }

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc> wanted) {
    const tensor_desc &x = in[0].desc, &w = in[1].desc;
    if (auto v = detail::check_image<rule>(x); !v) return v;
    if (auto v = detail::check_filters<rule>(x, w); !v) return v;
    if (auto v = check_groups(a.group, x.shape[3], w.shape); !v) return v;
    const auto at = windows(a, x.shape, w.shape);
    if (auto v = detail::check_convolution<rule>(at, in, wanted); !v) return v;
    return yields(detail::convolution_result(at, x, w, wanted));
  }

  static constexpr std::int64_t macs(const attrs&, std::span<const operand> in, std::span<const tensor_desc> out) {
    return detail::convolution_macs(in, out);
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    detail::convolve<T>(windows(a, in[0].shape(), in[1].shape()), a.group, a.fused, in, out);
  }

 private:
  static constexpr verdict check_groups(std::int64_t group, std::int64_t channels, const shape_t& weight) {
    if (auto v = require_at_least(rule::group_must_be_positive, group, 1); !v) return v;
    if (weight[3] >= 0) {
      const std::int64_t product = detail::saturated_product(weight[3], group);
      if (auto v = require_same_extent(rule::input_channels_must_equal_weight_channels_times_group, channels, product);
          !v)
        return v;
    }
    if (weight[0] >= 0 && weight[0] % group != 0)
      return refuse(rule::output_channels_must_be_divisible_by_group, weight[0], group);
    return {};
  }
};

}  // namespace ops

/// conv2d(x, weight) or (x, weight, bias), with stride<…>, dilation<…>, padding<…> or same or valid, group<…> and a
/// fused activation; for a quantised result into<quant{…}>.
template <tensor_desc X, tensor_desc W, dsl::keyword_argument... Keywords>
constexpr auto conv2d(tensor<X> x, tensor<W> weight, Keywords... keywords) {
  return dsl::apply<ops::conv2d>(x, weight, keywords...);
}
template <tensor_desc X, tensor_desc W, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto conv2d(tensor<X> x, tensor<W> weight, tensor<B> bias, Keywords... keywords) {
  return dsl::apply<ops::conv2d>(x, weight, bias, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::conv2d, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const auto attrs = unpack<ops::conv2d::attrs>(node.attrs);
    const shape_t &x = node.in[0].desc.shape, &w = node.in[1].desc.shape;
    if (attrs.group > 1 && attrs.group == x[3]) return depthwise_binding<ops::conv2d, Isa>::choose(node);
    const conv_shape shape = shape_for(attrs, x, w);
    const bool is_pointwise = w[1] * w[2] == 1;
    return {.run = run_with_tiles<fast>(conv_tile_set(shape)),
            .pack = &pack,
            .packs = 0b110,
            .packed_bytes = conv_packed_floats(shape) * size_of(f32),
            .scratch_bytes = conv_scratch_floats(shape) * size_of(f32),
            .parts = parts_of_macs(ops::conv2d::macs(attrs, node.in, node.out)),
            .name = is_pointwise ? "gemm pixels" : attrs.group > 1 ? "gemm groups" : "gemm windows"};
  }

  static void pack(const kernel_call& call) { conv_pack(shape_of(call), floats_in(call, 1), optional_floats_in(call, 2), floats_out(call)); }
  template <tile_set Set> static void run(const kernel_call& call) { run_on(call, tiles_of<native, Set>); }

 private:
  static void run_on(const kernel_call& call, const tile_table& tiles) {
    conv<native>(shape_of(call), floats_in(call, 0), floats_in(call, call.in.size() - 1), floats_out(call), scratch_floats(call),
                 range_of(unpack<ops::conv2d::attrs>(call.attrs).fused), part_of(call), tiles);
  }
  static constexpr conv_shape shape_for(const ops::conv2d::attrs& a, const shape_t& x, const shape_t& w) {
    const ops::detail::window_pair at = ops::conv2d::windows(a, x, w);
    return {.batch = x[0], .height = x[1], .width = x[2], .in = x[3], .out = w[0], .kernel_h = w[1], .kernel_w = w[2],
            .stride_h = a.stride.h, .stride_w = a.stride.w, .dilation_h = a.dilation.h, .dilation_w = a.dilation.w,
            .pad_top = at.h.pad_before(), .pad_left = at.w.pad_before(), .out_height = at.h.outputs(), .out_width = at.w.outputs(), .group = a.group};
  }
  static conv_shape shape_of(const kernel_call& call) { return shape_for(unpack<ops::conv2d::attrs>(call.attrs), call.in[0].shape(), call.in[1].shape()); }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/depthwise_conv2d.hpp
// depthwise_conv2d: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/depthwise_conv2d.hpp
// depthwise_conv2d: a convolution whose output channels read one input channel each; floating point or 8-bit integers.
// Flow: front ends call infer(); passes fold batch_norm and bias_add into its weight; kernels/bind/ has the fast forms.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Convolution of each channel of an image with filters of its own, O / C of them.
///
///   x: [N, H, W, C]      weight: [O, kh, kw, 1], O a multiple of C      bias: [O], may be missing
///   y: [N, H', W', O] = fused(bias[o] + sum over i, j of x[n, h(i), w(j), o / (O / C)] * weight[o, i, j, 0])
///   h(i) = h' * stride - pad_top + i * dilation, likewise w(j)
///   H' = ceil(H / stride) for `same`, else floor((H + pads - ((kh - 1) * dilation + 1)) / stride) + 1, likewise W'
///
/// Units, dtypes and the quantised form are those of conv2d, which gives the same result with group<C>.
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE; quantised: TFLite's DEPTHWISE_CONV_2D.
struct depthwise_conv2d {
  static constexpr op_code code{10};
  static constexpr std::string_view name = "depthwise_conv2d";
  static constexpr operand_spec inputs[] = {
      {"x", detail::convolved}, {"weight", detail::convolved}, {"bias", detail::convolution_bias, presence::optional}};
  static constexpr operand_spec outputs[] = {{"y", detail::convolved}};
  static constexpr operator_traits traits{.weights = weights_role::depthwise_conv2d};
  static constexpr foreign_numbers foreign{.nnrt = 10, .hdi = 35};
  // Padding comes as a list of four or as a mode, told apart by the count; either may stand under either number.
  static constexpr nnrt_parameter parameters[] = {
      {"stride", 24, i64, -1}, {"pad", 25, i64, 4}, {"dilation", 26, i64, -1}, {"pad", 27, i8}, {"fused", 28, i8}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (extent2, stride), (extent2, dilation), (pads, pad), (activation, fused));
    constexpr attrs() : stride{1, 1}, dilation{1, 1}, fused(activation::none) {}
  };

  enum class rule {
    input_rank_must_be_4,
    input_must_be_nhwc,
    weight_rank_must_be_4,
    weight_must_be_nhwc,
    weight_type_must_equal_input_type,
    weight_must_have_one_input_channel,
    output_channels_must_be_a_multiple_of_input_channels,
    stride_must_be_positive,
    dilation_must_be_positive,
    kernel_must_be_positive,
    pads_must_not_be_negative,
    window_lengths_must_not_exceed_the_size_limit,
    padded_input_must_cover_kernel,
    bias_type_must_equal_input_type,
    bias_type_of_an_i8_input_must_be_i32,
    bias_must_have_one_element_for_each_output_channel,
    quantised_input_must_have_one_scale,
    quantised_output_must_have_one_scale,
    quantised_weight_must_have_a_scale,
    weight_scales_must_run_along_the_output_channels,
    weight_zero_point_must_be_0,
    zero_point_must_be_a_number_of_the_type,
  };

  /// Where the windows lie: x NHWC, weight [O, kh, kw, 1].
  static constexpr detail::window_pair windows(const attrs& a, const shape_t& x, const shape_t& weight) {
    return detail::windows_over(x, {weight[1], weight[2]}, a.stride, a.dilation, a.pad);
  }

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc> wanted) {
    const tensor_desc &x = in[0].desc, &w = in[1].desc;
    if (auto v = detail::check_image<rule>(x); !v) return v;
    if (auto v = detail::check_filters<rule>(x, w); !v) return v;
    if (auto v = check_channels(x.shape[3], w.shape); !v) return v;
    const auto at = windows(a, x.shape, w.shape);
    if (auto v = detail::check_convolution<rule>(at, in, wanted); !v) return v;
    return yields(detail::convolution_result(at, x, w, wanted));
  }

  static constexpr std::int64_t macs(const attrs&, std::span<const operand> in, std::span<const tensor_desc> out) {
    return detail::convolution_macs(in, out);
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    detail::convolve<T>(windows(a, in[0].shape(), in[1].shape()), in[0].shape()[3], a.fused, in, out);
  }

 private:
  static constexpr verdict check_channels(std::int64_t channels, const shape_t& weight) {
    if (auto v = require_same_extent(rule::weight_must_have_one_input_channel, weight[3], 1); !v) return v;
    const std::int64_t filters = weight[0];
    if (channels < 0 || filters < 0) return {};
    // No channels have no filters; and filters need a channel each.
    const bool fits = channels == 0 ? filters == 0 : filters % channels == 0;
    return fits ? verdict{} : refuse(rule::output_channels_must_be_a_multiple_of_input_channels, filters, channels);
  }
};

}  // namespace ops

/// depthwise_conv2d(x, weight) or (x, weight, bias), with stride<…>, dilation<…>, padding<…> or same or valid and a
/// fused activation; for a quantised result into<quant{…}>.
template <tensor_desc X, tensor_desc W, dsl::keyword_argument... Keywords>
constexpr auto depthwise_conv2d(tensor<X> x, tensor<W> weight, Keywords... keywords) {
  return dsl::apply<ops::depthwise_conv2d>(x, weight, keywords...);
}
template <tensor_desc X, tensor_desc W, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto depthwise_conv2d(tensor<X> x, tensor<W> weight, tensor<B> bias, Keywords... keywords) {
  return dsl::apply<ops::depthwise_conv2d>(x, weight, bias, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::depthwise_conv2d, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    return depthwise_binding<ops::depthwise_conv2d, Isa>::choose(node);
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/div.hpp
// div: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/div.hpp
// div: a / b with broadcasting and a fused activation.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels; it is the DSL's operator /.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Quotient of two tensors, element by element.
///
///   a, b: shapes that broadcast as NumPy's do, of one dtype      y: the common shape, fused(a / b)
///
/// Integers are truncated toward zero; an integer over zero is 0, the most negative one over -1 wraps around to itself.
/// Floats follow IEEE 754, in constant evaluation too. Rules: the dtypes must be equal (cast one operand where they are
/// not); extents, counted from the innermost, must be equal or 1. Source: NNRt OH_NN_OPS_DIV, made definite in this
/// library.
struct div {
  static constexpr op_code code{11};
  static constexpr std::string_view name = "div";
  static constexpr operand_spec inputs[] = {{"a", types::number}, {"b", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 11, .hdi = 47};
  static constexpr nnrt_parameter parameters[] = {{"fused", 29, i8}};
  using attrs = detail::fused_attribute;
  enum class rule { types_must_be_equal, extents_must_be_equal_or_1 };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return detail::infer_binary<rule>(in);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    detail::for_each_pair<T>(in, out, [&](T a, T b) { return detail::finished<T>(quotient(a, b), attributes.fused); });
  }

 private:
  template <class T> static constexpr auto quotient(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return T{0};
      if constexpr (std::is_signed_v<T>) {
        if (b == -1)
          return static_cast<T>(0 - static_cast<std::uint64_t>(a));  // a / b would trap for the most negative a
      }
      return static_cast<T>(a / b);
    } else {
      const auto x = static_cast<math::compute_t<T>>(a), y = static_cast<math::compute_t<T>>(b);
      return y == 0 ? over_zero(x, y) : x / y;
    }
  }
  // Constant evaluation refuses to divide by zero.
  template <class T> static constexpr T over_zero(T x, T zero) {
    if (x == 0 || math::is_nan(x)) return math::nan<T>;
    return math::copysign(math::infinity<T>, x) * math::copysign(T{1}, zero);
  }
};

}  // namespace ops

/// div(a, b), where one of the two may be a number, with a fused activation; a / b is the same without one.
template <class A, class B, dsl::keyword_argument... Keywords>
requires dsl::operand_pair<A, B>
constexpr auto div(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::div>(a, b, keywords...);
}
template <class A, class B>
requires dsl::operand_pair<A, B>
constexpr auto operator/(A a, B b) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::div>(a, b);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::div, Isa> : binary_binding<fast<ops::div, Isa>> {
  static clamped<divide_lanes> function(std::span<const word> attrs) {
    return {{}, range_of(unpack<ops::div::attrs>(attrs).fused)};
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/full_connection.hpp
// full_connection: the fast kernel of the operator, the matrix product with packed weights.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/kernels/unrolled.hpp
// unrolled: dense layers of micro networks with compile-time extents; everything stays inline in the caller.
// Flow: bind/full_connection.hpp chooses it for unrolled plans and packs the weights; exec/unrolled.hpp calls dense() with the step's extents.

namespace nnrt::inline NNRT_ISA::kernels {

/// Weights of a dense layer of few outputs lie in rows, each ready for one dot product; of more outputs in columns, one for each input.
constexpr bool dense_in_rows(std::int64_t outputs) { return outputs <= 2; }

/// Floats of packed weights and bias.
constexpr std::int64_t dense_packed_floats(std::int64_t inputs, std::int64_t outputs) {
  return dense_in_rows(outputs) ? outputs * (whole_vectors(inputs) + 1) : (inputs + 1) * whole_vectors(outputs);
}

/// w [outputs, inputs] and bias [outputs] (null: zeros) to bias and rows, or to bias and columns padded with zeros. Constexpr, so that the
/// weights of a network that names none can be packed by the compiler.
constexpr void dense_pack(const float* w, const float* bias, std::int64_t inputs, std::int64_t outputs, float* packed) {
  const bool rows = dense_in_rows(outputs);
  const std::int64_t first = rows ? outputs : whole_vectors(outputs), outer = rows ? outputs : inputs, inner = whole_vectors(rows ? inputs : outputs);
  for (std::int64_t o = 0; o < first; ++o) packed[o] = bias != nullptr && o < outputs ? bias[o] : 0.0F;
  for (std::int64_t i = 0; i < outer; ++i)
    for (std::int64_t j = 0; j < inner; ++j)
      packed[first + i * inner + j] = j >= (rows ? inputs : outputs) ? 0.0F : rows ? w[i * inputs + j] : w[j * inputs + i];
}

namespace detail {

/// Sum of N vectors as a tree: the latency is that of log2 N additions, not of a chain.
template <std::size_t N> [[gnu::always_inline]] inline vf tree_sum(const std::array<vf, N>& terms) {
  if constexpr (N == 1) {
    return terms[0];
  } else {
    constexpr std::size_t half = (N + 1) / 2;
    std::array<vf, half> sums;
    each<static_cast<int>(half)>([&](auto i) __attribute__((always_inline)) {
      if constexpr (i + half < N) sums[i] = terms[i] + terms[i + half];
      else sums[i] = terms[i];
    });
    return tree_sum<half>(sums);
  }
}

/// Accumulators of one output vector: two fma a cycle take four cycles each.
template <int Terms> inline constexpr int chains_of = Terms < 4 ? Terms : 4;

/// start + sum over i of x[i] * column i, unrolled.
template <int In> [[gnu::always_inline]] inline vf dense_column_sum(const float* x, const float* columns, std::int64_t stride, vf start) {
  std::array<vf, chains_of<In>> sums;
  each<In>([&](auto i) __attribute__((always_inline)) {
    constexpr auto chain = static_cast<std::size_t>(i % chains_of<In>);
    const vf xi = broadcast(x + i), w = load(columns + i * stride);
    if constexpr (i == 0) sums[chain] = fma(xi, w, start);
    else if constexpr (i < chains_of<In>) sums[chain] = xi * w;
    else sums[chain] = fma(xi, w, sums[chain]);
  });
  return tree_sum(sums);
}

/// More inputs than this are a loop over blocks of it: unrolling them all would only fill the instruction cache.
inline constexpr int dense_block = 32;

template <int In, int Out> [[gnu::always_inline]] inline void dense_columns(const float* x, const float* packed, float* y, vf lo, vf hi) {
  constexpr int stride = static_cast<int>(whole_vectors(Out)), vectors = stride / static_cast<int>(lanes), rest = In % dense_block;
  each<vectors>([&](auto v) __attribute__((always_inline)) {
    const float* columns = packed + stride + v * lanes;
    vf sum = load(packed + v * lanes);
    if constexpr (rest > 0) sum = dense_column_sum<rest>(x, columns, stride, sum);
    if constexpr (In >= dense_block)
      for (int i = rest; i < In; i += dense_block) sum = dense_column_sum<dense_block>(x + i, columns + std::int64_t{i} * stride, stride, sum);
    if constexpr ((v + 1) * lanes <= Out) store(y + v * lanes, clamp(sum, lo, hi));
    else store_first(y + v * lanes, clamp(sum, lo, hi), Out - v * lanes);
  });
}

/// One output: a dot product over whole vectors, the last one padded.
template <int In> [[gnu::always_inline]] inline float dense_row(const float* x, const float* row, float bias) {
  constexpr int whole = In / static_cast<int>(lanes), tail = In % static_cast<int>(lanes);
  constexpr std::size_t terms = static_cast<std::size_t>(whole < 4 ? whole + (tail > 0 ? 1 : 0) : 4);
  std::array<vf, terms> sums;
  each<static_cast<int>(terms)>([&](auto i) __attribute__((always_inline)) {
    if constexpr (i < whole) sums[i] = load(x + i * lanes) * load(row + i * lanes);
    else sums[i] = load_first(x + i * lanes, tail) * load(row + i * lanes);
  });
  if constexpr (whole >= 4) {
    for (int i = 4; i < whole; ++i) sums[static_cast<std::size_t>(i % 4)] = fma(load(x + i * lanes), load(row + i * lanes), sums[static_cast<std::size_t>(i % 4)]);
    if constexpr (tail > 0) sums[0] = fma(load_first(x + whole * lanes, tail), load(row + whole * lanes), sums[0]);
  }
  return bias + sum_of_lanes(tree_sum(sums));
}

template <int In, int Out> [[gnu::always_inline]] inline void dense_rows(const float* x, const float* packed, float* y, clamp_range range) {
  each<Out>([&](auto o) __attribute__((always_inline)) {
    const float sum = dense_row<In>(x, packed + Out + o * whole_vectors(In), packed[o]);
    y[o] = sum < range.lo ? range.lo : sum > range.hi ? range.hi : sum;
  });
}

}  // namespace detail

/// y [rows, Out] = clamp(x [rows, In] * transpose(w) + bias), from what dense_pack() made. x and y must not overlap.
template <int In, int Out> [[gnu::always_inline]] inline void dense(const float* x, const float* packed, float* y, std::int64_t rows, clamp_range range) {
  const vf lo = broadcast(&range.lo), hi = broadcast(&range.hi);
  for (std::int64_t r = 0; r < rows; ++r, x += In, y += Out) {
    if constexpr (dense_in_rows(Out)) detail::dense_rows<In, Out>(x, packed, y, range);
    else detail::dense_columns<In, Out>(x, packed, y, lo, hi);
  }
}

/// The same for extents that only run time knows: shape.m rows, k inputs, n outputs.
inline void dense_of_any_size(const float* x, const float* packed, float* y, const gemm_shape& shape, clamp_range range) {
  const bool rows = dense_in_rows(shape.n);
  const std::int64_t inner = whole_vectors(rows ? shape.k : shape.n);
  const float* const weights = packed + (rows ? shape.n : inner);
  for (std::int64_t r = 0; r < shape.m; ++r)
    for (std::int64_t o = 0; o < shape.n; ++o) {
      float sum = packed[o];
      for (std::int64_t i = 0; i < shape.k; ++i) sum += x[r * shape.k + i] * weights[rows ? o * inner + i : i * inner + o];
      y[r * shape.n + o] = sum < range.lo ? range.lo : sum > range.hi ? range.hi : sum;
    }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/ops/full_connection.hpp
// full_connection: a dense layer, y = act(x * transpose(w) + b).
// Flow: front ends call infer(); kernels/select.hpp binds it to the packed GEMM; layers::full_connection names weights.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Dense layer: the axes from `axis` on are one row of I numbers, which meets every row of the weight.
///
///   x: [d0 … d(axis-1), rest …], product of rest = I      weight: [O, I]      bias: [O], may be missing
///   y: [d0 … d(axis-1), O] = fused(x * transpose(weight) + bias)
///
/// `axis` counts from the end when negative; -1, the last axis alone, is the default.
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_FULL_CONNECTION.
struct full_connection {
  static constexpr op_code code{15};
  static constexpr std::string_view name = "full_connection";
  static constexpr operand_spec inputs[] = {
      {"x", types::floating}, {"weight", types::floating}, {"bias", types::floating, presence::optional}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.weights = weights_role::full_connection};
  static constexpr foreign_numbers foreign{.nnrt = 15, .hdi = 67};
  static constexpr nnrt_parameter parameters[] = {{"axis", 31, i64}, {"fused", 32, i8}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (std::int64_t, axis), (activation, fused));
    constexpr attrs() : axis(-1), fused(activation::none) {}
  };

  enum class rule {
    input_rank_must_be_at_least_1,
    axis_must_be_an_axis_of_the_input,
    weight_rank_must_be_2,
    weight_type_must_equal_input_type,
    inner_extents_must_be_equal,
    bias_type_must_equal_input_type,
    bias_must_have_one_element_for_each_output,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc &x = in[0].desc, &w = in[1].desc;
    if (auto v = require_at_least(rule::input_rank_must_be_at_least_1, x.rank(), 1); !v) return v;
    const int axis = normalise_axis(a.axis, x.rank());
    if (axis < 0) return refuse(rule::axis_must_be_an_axis_of_the_input, a.axis, x.rank() - 1);
    if (auto v = require(rule::weight_rank_must_be_2, w.rank(), 2); !v) return v;
    if (auto v = require(rule::weight_type_must_equal_input_type, w.type, x.type); !v) return v;
    if (auto v = require_same_extent(rule::inner_extents_must_be_equal, x.shape.elements(axis), w.shape[1]); !v)
      return v;
    if (in.size() > 2 && in[2]) {
      if (auto v = require(rule::bias_type_must_equal_input_type, in[2].desc.type, x.type); !v) return v;
      constexpr rule one_for_each = rule::bias_must_have_one_element_for_each_output;
      if (auto v = require_same_extent(one_for_each, in[2].desc.elements(), w.shape[0]); !v) return v;
    }
    shape_t y;
    for (int i = 0; i < axis; ++i) y.push_back(x.shape[i]);
    y.push_back(w.shape[0]);
    return yields(tensor_desc{x.type, y});
  }

  static constexpr std::int64_t macs(const attrs&, std::span<const operand> in, std::span<const tensor_desc> out) {
    return out[0].elements() * in[1].desc.shape[1];
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>(), w = in[1].as<const T>();
    const auto y = out[0].as<T>();
    const bool has_bias = in.size() > 2 && in[2];
    const std::int64_t outputs = w.extent(0), inner = w.extent(1), rows = outputs == 0 ? 0 : y.elements() / outputs;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t o = 0; o < outputs; ++o) {
        math::compute_t<T> sum = has_bias ? math::compute_t<T>(in[2].as<const T>()[o]) : 0;
        for (std::int64_t i = 0; i < inner; ++i)
          sum += math::compute_t<T>(x[r * inner + i]) * math::compute_t<T>(w(o, i));
        y[r * outputs + o] = static_cast<T>(activate(sum, a.fused));
      }
  }
};

}  // namespace ops

/// full_connection(x, weight) or (x, weight, bias), with axis<…> and a fused activation.
template <tensor_desc X, tensor_desc W, dsl::keyword_argument... Keywords>
constexpr auto full_connection(tensor<X> x, tensor<W> weight, Keywords... keywords) {
  return dsl::apply<ops::full_connection>(x, weight, keywords...);
}
template <tensor_desc X, tensor_desc W, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto full_connection(tensor<X> x, tensor<W> weight, tensor<B> bias, Keywords... keywords) {
  return dsl::apply<ops::full_connection>(x, weight, bias, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::full_connection, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const shape_t& w = node.in[1].desc.shape;
    if (node.unrolled && w.elements() <= most_unrolled_products && w[0] <= most_unrolled_vectors * lanes) return unrolled(w);
    return {.run = run_with_tiles<fast>(tile_set_for(node.out[0].elements() / w[0], w[0])),
            .pack = &pack,
            .packs = 0b110,
            .packed_bytes = packed_floats(w[1], w[0]) * size_of(f32),
            .parts = parts_of_macs(node.out[0].elements() * w[1]),
            .name = "gemm rows"};
  }

 private:
  static constexpr std::int64_t most_unrolled_products = 4096;
  static constexpr std::int64_t most_unrolled_vectors = 8;

  static constexpr kernel_choice unrolled(const shape_t& w) {
    return {.run = &run_dense,
            .pack = &pack_dense,
            .packs = 0b110,
            .packed_bytes = dense_packed_floats(w[1], w[0]) * size_of(f32),
            .form = unrolled_form::dense,
            .packs_in_compiler = true,
            .name = "dense unrolled"};
  }
  static constexpr void pack_dense(const kernel_call& call) {
    const shape_t& w = call.in[1].shape();
    dense_pack(floats_in(call, 1), optional_floats_in(call, 2), w[1], w[0], floats_out(call));
  }
  /// What the unrolled form computes, with extents known at run time: for whoever walks an unrolled plan step by step.
  static void run_dense(const kernel_call& call) {
    const shape_t& w = call.in[1].shape();
    const clamp_range range = range_of(unpack<ops::full_connection::attrs>(call.attrs).fused);
    dense_of_any_size(floats_in(call, 0), floats_in(call, call.in.size() - 1), floats_out(call), {.m = call.out[0].elements() / w[0], .k = w[1], .n = w[0]}, range);
  }

 public:
  static void pack(const kernel_call& call) {
    const shape_t& w = call.in[1].shape();
    kernels::pack(floats_in(call, 1), 1, w[1], w[1], w[0], optional_floats_in(call, 2), floats_out(call));
  }
  template <tile_set Set> static void run(const kernel_call& call) { run_on(call, tiles_of<native, Set>); }

 private:
  static void run_on(const kernel_call& call, const tile_table& tiles) {
    const shape_t& w = call.in[1].shape();
    gemm<native>({.m = call.out[0].elements() / w[0], .k = w[1], .n = w[0]}, floats_in(call, 0), w[1], floats_in(call, call.in.size() - 1), floats_out(call), w[0],
                 range_of(unpack<ops::full_connection::attrs>(call.attrs).fused), part_of(call), {}, tiles);
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/gelu.hpp
// gelu: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/kernels/bind/detail/unary.hpp
// unary: what the bindings of operators y = f(x) have in common.
// Flow: bind/relu.hpp and its like derive from unary_binding and say which f.

namespace nnrt::inline NNRT_ISA::kernels {

/// Kernel choice of an operator on one f32 tensor. Binding has `function(attrs words)`, which gives the function for
/// map(), and `cost`, about how many additions one element is worth.
template <class Binding> struct unary_binding {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements() * Binding::cost), .name = "map"};
  }
  static void run(const kernel_call& call) {
    const interval range = share_of_floats(call.out[0].elements(), part_of(call));
    map(floats_in(call, 0) + range.begin, range.size(), floats_out(call) + range.begin, Binding::function(call.attrs));
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/ops/gelu.hpp
// gelu: Gaussian error linear unit.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernel.

// ===== nnrt/ops/detail/unary.hpp
// unary: the naive loop of operators that compute one element from one.
// Flow: ops/relu.hpp, ops/sigmoid.hpp and their like call it from reference().

namespace nnrt::inline NNRT_ISA::ops::detail {

/// y = f(x), element by element; f takes a T and returns an R.
template <class T, class R = T, class F> constexpr void for_each_element(arguments in, results out, F f) {
  const auto x = in[0].as<const T>();
  const auto y = out[0].as<R>();
  for (std::int64_t i = 0; i < x.elements(); ++i) y[i] = f(x[i]);
}

/// The same for a function that is computed in double and rounded once: float and float16 lose nothing on the way.
template <class T, class F> constexpr void for_each_real(arguments in, results out, F f) {
  for_each_element<T>(in, out, [&](T x) { return math::convert<T>(f(math::convert<double>(x))); });
}

}  // namespace nnrt::inline NNRT_ISA::ops::detail

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Gaussian error linear unit, element by element.
///
///   x: any shape      y: the same shape, x times the probability that a standard normal number is below x
///
///   exact:        0.5 * x * (1 + erf(x / sqrt(2)))
///   approximate:  0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
///
/// No rules beyond the signature's. Source: NNRt OH_NN_OPS_GELU; the approximation as Hendrycks and Gimpel (2016) give
/// it, for NNRt's text of it is garbled.
struct gelu {
  static constexpr op_code code{56};
  static constexpr std::string_view name = "gelu";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 56, .hdi = 2};
  static constexpr nnrt_parameter parameters[] = {{"approximate", 113, boolean}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (bool, approximate));
    constexpr attrs() : approximate(false) {}
  };

  enum class rule {};

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return yields(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto phi = [&](double x) { return 0.5 * (1.0 + (a.approximate ? by_tanh(x) : by_erf(x))); };
    detail::for_each_real<T>(in, out, [&](double x) { return x * phi(x); });
  }

 private:
  static constexpr double by_erf(double x) { return math::erf(x * 0.70710678118654752440); }  // 1 / sqrt(2)
  static constexpr double by_tanh(double x) {
    return math::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x));  // sqrt(2 / pi)
  }
};

}  // namespace ops

/// gelu(x), or gelu(x, approximate).
struct gelu_t {
  template <tensor_desc X, dsl::keyword_argument... Keywords>
  constexpr auto operator()(tensor<X> x, Keywords... keywords) const {
    return dsl::apply<ops::gelu>(x, keywords...);
  }
};
inline constexpr gelu_t gelu{};

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::gelu, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (unpack<ops::gelu::attrs>(node.attrs).approximate) return unary_binding<by_tanh>::select(node);
    return unary_binding<exact>::select(node);
  }

 private:
  struct exact {
    static constexpr std::int64_t cost = 6;
    static gelu_lanes function(std::span<const word>) { return {}; }
  };
  struct by_tanh {
    static constexpr std::int64_t cost = 5;
    static gelu_tanh_lanes function(std::span<const word>) { return {}; }
  };
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/hswish.hpp
// hswish: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/hswish.hpp
// hswish: x * relu6(x + 3) / 6, a cheap relative of swish.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernel.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Hard swish, element by element.
///
///   x: any shape      y: the same shape, x * relu6(x + 3) / 6
///
/// No rules beyond the signature's. Source: NNRt OH_NN_OPS_HSWISH.
struct hswish {
  static constexpr op_code code{17};
  static constexpr std::string_view name = "hswish";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 17, .hdi = 2};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return yields(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_real<T>(in, out, [](double x) { return x * (activate(x + 3, activation::relu6) / 6); });
  }
};

}  // namespace ops

/// hswish(x).
struct hswish_t {
  template <tensor_desc X, dsl::keyword_argument... Keywords>
  constexpr auto operator()(tensor<X> x, Keywords... keywords) const {
    return dsl::apply<ops::hswish>(x, keywords...);
  }
};
inline constexpr hswish_t hswish{};

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::hswish, Isa> : unary_binding<fast<ops::hswish, Isa>> {
  static constexpr std::int64_t cost = 1;
  static hswish_lanes function(std::span<const word>) { return {}; }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/layer_norm.hpp
// layer_norm: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/kernels/layer_norm.hpp
// layer_norm: rows with mean 0 and variance 1, then gamma and beta.
// Flow: bind/layer_norm.hpp calls layer_norm() for a part of the rows.

// ===== nnrt/kernels/reduce.hpp
// reduce: the mean along the middle of [outer, extent, inner].
// Flow: bind/reduce_mean.hpp calls mean() for a part of the results.

namespace nnrt::inline NNRT_ISA::kernels {

/// The sum of n floats, in an order that depends on n and the number of lanes alone.
template <class V> inline float row_sum(const float* x, std::int64_t n) {
  V sums[4] = {V(0.0F), V(0.0F), V(0.0F), V(0.0F)};
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes)
    each<4>([&](auto k) __attribute__((always_inline)) { sums[k] = sums[k] + load(x + i + k * lanes); });
  for (; i + lanes <= n; i += lanes) sums[0] = sums[0] + load(x + i);
  if (i < n) sums[1] = sums[1] + load_first(x + i, n - i);
  return sum_of_lanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

namespace detail {

/// Means of Vectors vectors of columns over `extent` rows, each row summed after the one before; `last` columns of the
/// last vector.
template <class V, int Vectors>
[[gnu::always_inline]] inline void column_means(const float* x, std::int64_t extent, std::int64_t step,
                                                std::int64_t last, float factor, float* y) {
  V sums[Vectors];
  each<Vectors>([&](auto k) __attribute__((always_inline)) { sums[k] = V(0.0F); });
  for (std::int64_t i = 0; i < extent; ++i)
    each<Vectors>([&, row = x + i * step ](auto k) __attribute__((always_inline)) {
      sums[k] = sums[k] + (k + 1 < Vectors ? load(row + k * lanes) : load_first(row + k * lanes, last));
    });
  const V count(static_cast<float>(extent)), by(factor);
  each<Vectors>([&](auto k) __attribute__((always_inline)) {
    store_first(y + k * lanes, sums[k] / count * by, k + 1 < Vectors ? lanes : last);
  });
}

}  // namespace detail

/// y[outer, inner] = factor * mean of x along the middle. A part never adds to another's sum: the parts share the
/// results.
template <class Isa = native> void mean(const axis_block& block, const float* x, float factor, float* y, part p = {}) {
  if (block.inner == 1) {
    const interval rows = share(block.outer, p);
    for (std::int64_t row = rows.begin; row < rows.end; ++row)
      y[row] = row_sum<vf>(x + row * block.extent, block.extent) / static_cast<float>(block.extent) * factor;
    return;
  }
  constexpr int vectors = 4;
  const rectangle work = share(block.outer, (block.inner + lanes - 1) / lanes, p);
  const std::int64_t end = work.columns.end * lanes < block.inner ? work.columns.end * lanes : block.inner;
  for (std::int64_t row = work.rows.begin; row < work.rows.end; ++row) {
    const float* const from = x + row * block.extent * block.inner;
    float* const to = y + row * block.inner;
    std::int64_t c = work.columns.begin * lanes;
    for (; c + vectors * lanes <= end; c += vectors * lanes)
      detail::column_means<vf, vectors>(from + c, block.extent, block.inner, lanes, factor, to + c);
    for (; c < end; c += lanes)
      detail::column_means<vf, 1>(from + c, block.extent, block.inner, end - c < lanes ? end - c : lanes, factor,
                                  to + c);
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels

namespace nnrt::inline NNRT_ISA::kernels {

/// Parameters that repeat over the elements of x in row-major order.
struct repeated_parameters {
  const float* first;
  std::int64_t count;
};

namespace detail {

/// The sum of (x - mean)^2, in an order that depends on n and the number of lanes alone.
template <class V> inline float row_sum_of_squares(const float* x, std::int64_t n, float mean) {
  const V centre(mean);
  V sums[2] = {V(0.0F), V(0.0F)};
  std::int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes)
    each<2>([&](auto k) __attribute__((always_inline)) {
      const V off = load(x + i + k * lanes) - centre;
      sums[k] = fma(off, off, sums[k]);
    });
  for (; i < n; i += lanes) {
    const std::int64_t left = n - i < lanes ? n - i : lanes;
    const V off = first_or(load_first(x + i, left) - centre, left, 0.0F);
    sums[0] = fma(off, off, sums[0]);
  }
  return sum_of_lanes(sums[0] + sums[1]);
}

/// y = (x - mean) * factor * gamma + beta for n elements.
template <class V>
inline void finish_row(const float* x, std::int64_t n, float mean, float factor, const float* gamma, const float* beta,
                       float* y) {
  const V centre(mean), by(factor);
  for (std::int64_t i = 0; i < n; i += lanes) {
    const std::int64_t left = n - i < lanes ? n - i : lanes;
    store_first(y + i,
                fma((load_first(x + i, left) - centre) * by, load_first(gamma + i, left), load_first(beta + i, left)),
                left);
  }
}

}  // namespace detail

/// Rows of n elements; y may be x.
template <class Isa = native>
void layer_norm(const float* x, std::int64_t rows, std::int64_t n, float epsilon, repeated_parameters gamma,
                repeated_parameters beta, float* y, part p = {}) {
  const interval range = share(rows, p);
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    const float* const from = x + row * n;
    const float mean = row_sum<vf>(from, n) / static_cast<float>(n);
    const float factor =
        1.0F / math::sqrt(detail::row_sum_of_squares<vf>(from, n, mean) / static_cast<float>(n) + epsilon);
    // A stretch ends with the row, or where gamma or beta begins anew.
    for (std::int64_t at = row * n, end = at + n; at < end;) {
      const std::int64_t g = at % gamma.count, b = at % beta.count;
      std::int64_t stretch = end - at;
      if (gamma.count - g < stretch) stretch = gamma.count - g;
      if (beta.count - b < stretch) stretch = beta.count - b;
      detail::finish_row<vf>(x + at, stretch, mean, factor, gamma.first + g, beta.first + b, y + at);
      at += stretch;
    }
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/ops/layer_norm.hpp
// layer_norm: normalisation of the inner axes with their own mean and variance.
// Flow: front ends call infer(); kernels/bind/ has the fast form.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Layer normalisation: each block of the axes from begin_norm_axis on gets mean 0 and variance 1, then gamma and beta.
///
///   x: [d0, d1, …]      gamma, beta: the extents of x from begin_norm_axis on, or from begin_param_axis on
///   y: as x = (x - mean) / sqrt(variance + epsilon) * gamma + beta; variance is that of the whole block (divided by n)
///
/// begin_norm_axis and begin_param_axis are 1 unless given, epsilon is 1e-7; axes count from the end when negative, and
/// the normalised ones begin behind axis 0. gamma and beta are repeated along the axes that they do not have.
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_LAYER_NORM.
struct layer_norm {
  static constexpr op_code code{49};
  static constexpr std::string_view name = "layer_norm";
  static constexpr operand_spec inputs[] = {
      {"x", types::floating}, {"gamma", types::floating}, {"beta", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 49, .hdi = 75};
  static constexpr nnrt_parameter parameters[] = {
      {"begin_norm_axis", 66, i64}, {"epsilon", 67, f32}, {"begin_param_axis", 68, i64}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (std::int64_t, begin_norm_axis), (float, epsilon),
                             (std::int64_t, begin_param_axis));
    constexpr attrs() : begin_norm_axis(1), epsilon(1e-7F), begin_param_axis(1) {}
  };

  enum class rule {
    begin_norm_axis_must_be_an_axis_behind_the_first,
    begin_param_axis_must_be_an_axis_of_the_input,
    parameter_types_must_equal_input_type,
    parameter_rank_must_fit_the_begin_axes,
    parameter_extents_must_equal_input_extents,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    const int norm = normalise_axis(a.begin_norm_axis, x.rank()), param = normalise_axis(a.begin_param_axis, x.rank());
    if (norm < 1) {
      const bool below = a.begin_norm_axis < 1;
      return refuse(rule::begin_norm_axis_must_be_an_axis_behind_the_first, a.begin_norm_axis,
                    below ? 1 : x.rank() - 1);
    }
    if (param < 0) return refuse(rule::begin_param_axis_must_be_an_axis_of_the_input, a.begin_param_axis, x.rank() - 1);
    for (const operand& given : in.subspan(1))
      if (auto v = check_parameter(given.desc, x, norm, param); !v) return v;
    return yields(x);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using real = math::compute_t<T>;
    const auto x = in[0].as<const T>(), gamma = in[1].as<const T>(), beta = in[2].as<const T>();
    const auto y = out[0].as<T>();
    const std::int64_t n = x.shape.elements(normalise_axis(a.begin_norm_axis, x.rank()));
    for (std::int64_t first = 0; first < x.elements(); first += n) {
      real mean = 0, variance = 0;
      for (std::int64_t i = first; i < first + n; ++i) mean += real(x[i]);
      mean /= static_cast<real>(n);
      for (std::int64_t i = first; i < first + n; ++i) variance += (real(x[i]) - mean) * (real(x[i]) - mean);
      const real deviation = math::sqrt(variance / static_cast<real>(n) + real(a.epsilon));
      for (std::int64_t i = first; i < first + n; ++i) {
        const real factor = real(gamma[i % gamma.elements()]), shift = real(beta[i % beta.elements()]);
        y[i] = static_cast<T>((real(x[i]) - mean) / deviation * factor + shift);
      }
    }
  }

 private:
  static constexpr verdict check_parameter(const tensor_desc& given, const tensor_desc& x, int norm, int param) {
    if (auto v = require(rule::parameter_types_must_equal_input_type, given.type, x.type); !v) return v;
    if (given.rank() != x.rank() - param)
      if (auto v = require(rule::parameter_rank_must_fit_the_begin_axes, given.rank(), x.rank() - norm); !v) return v;
    for (int i = 1; i <= given.rank(); ++i) {
      constexpr auto fits = rule::parameter_extents_must_equal_input_extents;
      if (auto v = require_same_extent(fits, given.shape[-i], x.shape[-i]); !v) return v;
    }
    return {};
  }
};

}  // namespace ops

/// layer_norm(x, gamma, beta), with begin_norm_axis<…>, begin_param_axis<…> and epsilon<…>.
template <tensor_desc X, tensor_desc G, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto layer_norm(tensor<X> x, tensor<G> gamma, tensor<B> beta, Keywords... keywords) {
  return dsl::apply<ops::layer_norm>(x, gamma, beta, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::layer_norm, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    constexpr std::int64_t cost = 3;  // passes over the elements
    return {.run = &run, .parts = parts_for(node.out[0].elements() * cost), .name = "layer norm rows"};
  }
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::layer_norm::attrs>(call.attrs);
    const shape_t& x = call.in[0].shape();
    const int axis = normalise_axis(attrs.begin_norm_axis, x.rank);
    layer_norm(floats_in(call, 0), x.elements(0, axis), x.elements(axis), attrs.epsilon, parameters(call, 1),
               parameters(call, 2), floats_out(call), part_of(call));
  }

 private:
  static repeated_parameters parameters(const kernel_call& call, std::size_t i) {
    return {floats_in(call, i), call.in[i].elements()};
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/matmul.hpp
// matmul: the fast kernel of the operator, one packed matrix product for each matrix of the batch.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/matmul.hpp
// matmul: products of matrices, batched over the leading axes.
// Flow: front ends call infer(); kernels/select.hpp binds it to the packed GEMM.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Product of matrices that stand in the last two axes; the axes before them broadcast as NumPy's do.
///
///   a: […, M, K], or […, K, M] with transpose_a      b: […, K, N], or […, N, K] with transpose_b
///   y: […, M, N] = fused(a * b)
///
/// A vector needs an axis of extent 1 to be a matrix (unsqueeze).
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_MATMUL.
struct matmul {
  static constexpr op_code code{19};
  static constexpr std::string_view name = "matmul";
  static constexpr operand_spec inputs[] = {{"a", types::floating}, {"b", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 19, .hdi = 89};
  static constexpr nnrt_parameter parameters[] = {
      {"transpose_a", 33, boolean}, {"transpose_b", 34, boolean}, {"fused", 35, i8}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (bool, transpose_a), (bool, transpose_b), (activation, fused));
    constexpr attrs() : transpose_a(false), transpose_b(false), fused(activation::none) {}
  };

  enum class rule {
    types_must_be_equal,
    rank_of_a_must_be_at_least_2,
    rank_of_b_must_be_at_least_2,
    inner_extents_must_be_equal,
    leading_extents_must_be_equal_or_1,
  };

  static constexpr verdict infer(const attrs& attributes, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc &a = in[0].desc, &b = in[1].desc;
    if (auto v = require(rule::types_must_be_equal, b.type, a.type); !v) return v;
    if (auto v = require_at_least(rule::rank_of_a_must_be_at_least_2, a.rank(), 2); !v) return v;
    if (auto v = require_at_least(rule::rank_of_b_must_be_at_least_2, b.rank(), 2); !v) return v;
    const matrix left(a.shape, attributes.transpose_a), right(b.shape, attributes.transpose_b);
    if (auto v = require_same_extent(rule::inner_extents_must_be_equal, right.rows, left.columns); !v) return v;
    const broadcast_result batch = broadcast(leading(a.shape), leading(b.shape));
    if (!batch.fits) return refuse(rule::leading_extents_must_be_equal_or_1, batch.right, batch.left);
    shape_t y = batch.shape;
    y.push_back(left.rows);
    y.push_back(right.columns);
    return yields(tensor_desc{a.type, y});
  }

  static constexpr std::int64_t macs(const attrs& attributes, std::span<const operand> in,
                                     std::span<const tensor_desc> out) {
    return out[0].elements() * matrix(in[0].desc.shape, attributes.transpose_a).columns;
  }

  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    const auto y = out[0].as<T>();
    const shape_t batch = leading(y.shape);
    const auto a = oriented(in[0].as<const T>(), attributes.transpose_a, batch);
    const auto b = oriented(in[1].as<const T>(), attributes.transpose_b, batch);
    if (y.elements() == 0) return;
    shape_t index;
    index.rank = y.rank();
    do y.at(index) = static_cast<T>(activate(dot(a, b, index), attributes.fused));
    while (next_index(index, y.shape));
  }

 private:
  /// Extents of the matrices of an operand, as they are multiplied.
  struct matrix {
    std::int64_t rows, columns;
    constexpr matrix(const shape_t& s, bool is_transposed)
        : rows(s[is_transposed ? -1 : -2]), columns(s[is_transposed ? -2 : -1]) {}
  };

  static constexpr shape_t leading(const shape_t& s) {
    shape_t out = s;
    out.rank = s.rank - 2;
    return out;
  }

  /// The operand with its matrices transposed as asked for, and repeated over the batch.
  template <class T>
  static constexpr tensor_view<T> oriented(tensor_view<T> x, bool is_transposed, const shape_t& batch) {
    const matrix shape(x.shape, is_transposed), strides(x.strides, is_transposed);
    x.strides = broadcast_strides(leading(x.shape), leading(x.strides), batch);
    x.shape = batch;
    x.shape.push_back(shape.rows), x.shape.push_back(shape.columns);
    x.strides.push_back(strides.rows), x.strides.push_back(strides.columns);
    x.is_dense = false;
    return x;
  }

  /// The element of the product at `index`: a row of a times a column of b.
  template <class T>
  static constexpr auto dot(const tensor_view<const T>& a, const tensor_view<const T>& b, const shape_t& index) {
    using wide = math::compute_t<T>;
    wide sum = 0;
    for (std::int64_t k = 0; k < a.extent(-1); ++k)
      sum += static_cast<wide>(a.at(index.with(-1, k))) * static_cast<wide>(b.at(index.with(-2, k)));
    return sum;
  }
};

}  // namespace ops

/// matmul(a, b), with transpose_a, transpose_b and a fused activation.
template <tensor_desc A, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto matmul(tensor<A> a, tensor<B> b, Keywords... keywords) {
  return dsl::apply<ops::matmul>(a, b, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

/// Extents of a batched product y[i] = a[i] * b[i], and which matrix of an operand belongs to matrix i of y.
struct product_batch {
  gemm_shape matrix;
  std::int64_t count = 1;      // matrices of y
  std::int64_t b_count = 1;    // matrices of b
  shape_t leading;             // the batch axes of y
  shape_t a_strides, b_strides;  // in matrices, 0 along repeated axes

  constexpr product_batch(const ops::matmul::attrs& attrs, const shape_t& a, const shape_t& b, const shape_t& y)
      : matrix{.m = y[-2], .k = a[attrs.transpose_a ? -2 : -1], .n = y[-1]},
        count(y.elements(0, y.rank - 2)),
        b_count(b.elements(0, b.rank - 2)),
        leading(without_matrix(y)),
        a_strides(batch_strides(a, leading)),
        b_strides(batch_strides(b, leading)) {}

  /// Index of the operand's matrix for matrix i of y.
  static constexpr std::int64_t matrix_of(std::int64_t i, const shape_t& batch, const shape_t& strides) {
    std::int64_t at = 0;
    for (int axis = batch.rank; axis-- > 0; i /= batch[axis]) at += i % batch[axis] * strides[axis];
    return at;
  }
  std::int64_t a_of(std::int64_t i) const { return matrix_of(i, leading, a_strides); }
  std::int64_t b_of(std::int64_t i) const { return matrix_of(i, leading, b_strides); }

 private:
  static constexpr shape_t without_matrix(shape_t s) {
    s.rank -= 2;
    return s;
  }
  static constexpr shape_t batch_strides(const shape_t& operand, const shape_t& batch) {
    const shape_t own = without_matrix(operand);
    return broadcast_strides(own, row_major_strides(own), batch);
  }
};

template <class Isa> struct fast<ops::matmul, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const auto attrs = unpack<ops::matmul::attrs>(node.attrs);
    const product_batch batch(attrs, node.in[0].desc.shape, node.in[1].desc.shape, node.out[0].shape);
    // A transposed a is brought into rows first, matrix by matrix: then parts share out matrices, not rows.
    const int parts = parts_of_macs(ops::matmul::macs(attrs, node.in, node.out));
    return {.run = run_with_tiles<fast>(tile_set_for(batch.matrix.m, batch.matrix.n)),
            .pack = &pack,
            .packs = 0b10,
            .packed_bytes = batch.b_count * packed_floats(batch.matrix.k, batch.matrix.n) * size_of(f32),
            .scratch_bytes = attrs.transpose_a ? batch.matrix.m * batch.matrix.k * size_of(f32) : 0,
            .parts = !attrs.transpose_a || parts < batch.count ? parts : static_cast<int>(batch.count < 64 ? batch.count : 64),
            .name = "gemm batch"};
  }

  static void pack(const kernel_call& call) {
    // out[0] is the packed form: the extents follow from b alone.
    const bool is_transposed = unpack<ops::matmul::attrs>(call.attrs).transpose_b;
    const shape_t& shape = call.in[1].shape();
    const std::int64_t k = shape[is_transposed ? -1 : -2], n = shape[is_transposed ? -2 : -1], count = shape.elements(0, shape.rank - 2);
    const float* b = floats_in(call, 1);
    float* packed = floats_out(call);
    for (std::int64_t i = 0; i < count; ++i, b += k * n, packed += packed_floats(k, n))
      kernels::pack(b, is_transposed ? 1 : n, is_transposed ? k : 1, k, n, nullptr, packed);
  }
  template <tile_set Set> static void run(const kernel_call& call) { run_on(call, tiles_of<native, Set>); }

 private:
  static void run_on(const kernel_call& call, const tile_table& tiles) {
    const auto attrs = unpack<ops::matmul::attrs>(call.attrs);
    const product_batch batch = batch_of(call, attrs);
    const auto [m, k, n] = batch.matrix;
    const float* const packed = floats_in(call, call.in.size() - 1);
    const bool shares_matrices = attrs.transpose_a || batch.count >= call.tiles;
    const interval mine = shares_matrices ? share(batch.count, part_of(call)) : interval{0, batch.count};
    for (std::int64_t i = mine.begin; i < mine.end; ++i) {
      const float* a = floats_in(call, 0) + batch.a_of(i) * m * k;
      if (attrs.transpose_a) a = in_rows(a, m, k, scratch_floats(call));
      gemm<native>(batch.matrix, a, k, packed + batch.b_of(i) * packed_floats(k, n), floats_out(call) + i * m * n, n, range_of(attrs.fused),
                   shares_matrices ? part{} : part_of(call), {}, tiles);
    }
  }
  static product_batch batch_of(const kernel_call& call, const ops::matmul::attrs& attrs) {
    return {attrs, call.in[0].shape(), call.in[1].shape(), call.out[0].shape()};
  }
  /// a[k][m] as rows [m][k].
  static const float* in_rows(const float* a, std::int64_t m, std::int64_t k, float* rows) {
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < k; ++j) rows[i * k + j] = a[j * m + i];
    return rows;
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/max_pool.hpp
// max_pool: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/max_pool.hpp
// max_pool: the maximum over windows of an image.
// Flow: front ends call infer(); kernels/bind/ has the fast form.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Maximum over a sliding window, per channel; the padding never wins. A NaN in the window makes the result a NaN.
///
///   x: [N, H, W, C]      y: [N, H', W', C] = fused(largest of the window's pixels in the image)
///   H' = ceil(H / stride) for `same`, else floor((H + pads - kernel) / stride) + 1, and likewise W'
///   ceil_mode, with explicit pads: ceil instead of floor, less the last window if it would start behind the image
///   (in the padding after it), as in ONNX and PyTorch
///   global: one window as large as the image; kernel, stride and pads play no part
///
/// Lengths are in pixels; the odd pixel of `same` is at bottom and right. dtypes: floating point and integers. A
/// quantised image keeps scale and zero point, and a fused activation is a clamp of its stored numbers.
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_MAX_POOL.
struct max_pool {
  static constexpr op_code code{21};
  static constexpr std::string_view name = "max_pool";
  static constexpr operand_spec inputs[] = {{"x", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 21, .hdi = 92};
  // Padding comes as a list of four or as a mode, told apart by the count; either may stand under either number.
  static constexpr nnrt_parameter parameters[] = {
      {"kernel", 36, i64, -1}, {"stride", 37, i64, -1}, {"pad", 38, i8},         {"pad", 39, i64, 4},
      {"fused", 40, i8},       {"ceil_mode", 114, i32}, {"global", 115, boolean}};
  using attrs = detail::pooling_attributes;

  enum class rule {
    input_rank_must_be_4,
    input_must_be_nhwc,
    kernel_must_be_positive,
    stride_must_be_positive,
    pads_must_not_be_negative,
    window_lengths_must_not_exceed_the_size_limit,
    padded_input_must_cover_kernel,
    pads_must_be_smaller_than_kernel,
    output_zero_point_must_equal_input_zero_point,
    output_scale_in_billionths_must_equal_input_scale,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc> wanted) {
    const tensor_desc& x = in[0].desc;
    verdict v = detail::infer_pool<rule>(a, x);
    if (!v) return v;
    v.outputs[0].quantised = x.quantised;
    if (wanted.empty() || !wanted[0].quantised || !types::integer.contains(x.type)) return v;
    if (auto kept = check_quantisation(x.quantised, wanted[0].quantised); !kept) return kept;
    return v;
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto keep_larger = [](T& largest, T x) {
      if (x > largest || is_nan(x)) largest = x;  // a NaN that is there stays: nothing is larger
    };
    detail::pool<T>(a, in, out, least<T>(), keep_larger,
                    [&](T largest) { return finish(largest, *out[0].desc, a.fused); });
  }

 private:
  static constexpr verdict check_quantisation(const quantisation& x, const quantisation& y) {
    if (auto v = require(rule::output_zero_point_must_equal_input_zero_point, y.zero_point, x.zero_point); !v) return v;
    const auto billionths = [](float scale) { return math::convert<std::int64_t>(math::round_half_away(scale * 1e9)); };
    if (x.scale == y.scale) return {};
    return refuse(rule::output_scale_in_billionths_must_equal_input_scale, billionths(y.scale), billionths(x.scale));
  }
  template <class T> static constexpr T least() {
    if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::min();
    else return static_cast<T>(-math::infinity<math::compute_t<T>>);
  }
  template <class T> static constexpr bool is_nan(T x) {
    if constexpr (std::is_integral_v<T>) return false;
    else return math::is_nan(math::compute_t<T>(x));
  }
  /// The largest after the fused activation, in stored numbers where y is quantised.
  template <class T> static constexpr T finish(T largest, const tensor_desc& y, activation fused) {
    if constexpr (types::quantised.contains(dtype_for<T>()))
      if (y.quantised) {
        const stored_range range = stored_range_of<T>(y.quantised, fused);
        return largest < range.low    ? static_cast<T>(range.low)
               : largest > range.high ? static_cast<T>(range.high)
                                      : largest;
      }
    if constexpr (std::is_integral_v<T>) return activate(largest, fused);
    else return static_cast<T>(activate(math::compute_t<T>(largest), fused));
  }
};

}  // namespace ops

/// max_pool(x) with kernel<…> or global, stride<…>, padding<…> or same or valid, ceil_mode and a fused activation.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto max_pool(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::max_pool>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::max_pool, Isa> : pooling_binding<maximum_fold> {};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/maximum.hpp
// maximum: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/maximum.hpp
// maximum: the larger of a and b, with broadcasting.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// The larger of two tensors, element by element.
///
///   a, b: shapes that broadcast as NumPy's do, of one dtype      y: the common shape, a where a > b, else b; NaN where
///   one is
///
/// Rules: the dtypes must be equal (cast one operand where they are not); extents, counted from the innermost, must be
/// equal or 1. No activation is fused. Source: NNRt OH_NN_OPS_MAXIMUM; NaN as in NumPy and ONNX.
struct maximum {
  static constexpr op_code code{20};
  static constexpr std::string_view name = "maximum";
  static constexpr operand_spec inputs[] = {{"a", types::number}, {"b", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 20, .hdi = 90};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule { types_must_be_equal, extents_must_be_equal_or_1 };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return detail::infer_binary<rule>(in);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_pair<T>(in, out, [](T a, T b) {
      if constexpr (!std::is_integral_v<T>)
        if (math::is_nan(static_cast<math::compute_t<T>>(a))) return a;
      return a > b ? a : b;
    });
  }
};

}  // namespace ops

/// maximum(a, b), where one of the two may be a number.
template <class A, class B, dsl::keyword_argument... Keywords>
requires dsl::operand_pair<A, B>
constexpr auto maximum(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::maximum>(a, b, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::maximum, Isa> : binary_binding<fast<ops::maximum, Isa>> {
  static maximum_lanes function(std::span<const word>) { return {}; }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/mul.hpp
// mul: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/mul.hpp
// mul: a * b, element by element, with broadcasting and a fused activation.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels; it is the DSL's operator *.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Product of two tensors, element by element; for the product of matrices see matmul.
///
///   a, b: shapes that broadcast as NumPy's do, of one dtype      y: the common shape, fused(a * b)
///
/// Integers wrap around. Rules: the dtypes must be equal (cast one operand where they are not); extents, counted from
/// the innermost, must be equal or 1. Source: NNRt OH_NN_OPS_MUL.
struct mul {
  static constexpr op_code code{22};
  static constexpr std::string_view name = "mul";
  static constexpr operand_spec inputs[] = {{"a", types::number}, {"b", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 22, .hdi = 99};
  static constexpr nnrt_parameter parameters[] = {{"fused", 41, i8}};
  using attrs = detail::fused_attribute;
  enum class rule { types_must_be_equal, extents_must_be_equal_or_1 };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return detail::infer_binary<rule>(in);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    using wide = detail::wrapping_t<T>;
    detail::for_each_pair<T>(in, out, [&](T a, T b) {
      return detail::finished<T>(static_cast<wide>(a) * static_cast<wide>(b), attributes.fused);
    });
  }
};

}  // namespace ops

/// mul(a, b), where one of the two may be a number, with a fused activation; a * b is the same without one.
template <class A, class B, dsl::keyword_argument... Keywords>
requires dsl::operand_pair<A, B>
constexpr auto mul(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::mul>(a, b, keywords...);
}
template <class A, class B>
requires dsl::operand_pair<A, B>
constexpr auto operator*(A a, B b) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::mul>(a, b);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::mul, Isa> : binary_binding<fast<ops::mul, Isa>> {
  static clamped<multiply_lanes> function(std::span<const word> attrs) {
    return {{}, range_of(unpack<ops::mul::attrs>(attrs).fused)};
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/pad.hpp
// pad: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/kernels/pad.hpp
// pad: a border around a tensor of elements of any size.
// Flow: bind/pad.hpp describes the border of each axis and calls pad() for a part of the rows.

namespace nnrt::inline NNRT_ISA::kernels {

/// A padded tensor as rows: the innermost axis with a border, and what lies inside of it as one element.
struct padded_rows {
  shape_t outer_x, outer_y;  // extents of the axes around
  std::int64_t outer_before[max_rank] = {};
  std::int64_t x = 1, y = 1, before = 0;  // extents and border of the row's own axis
  std::int64_t element_bytes = 0;

  constexpr std::int64_t rows() const { return outer_y.elements(); }
};

/// \param before  the border in front of each axis, in elements
constexpr padded_rows padded_rows_of(const shape_t& x, const shape_t& y, const std::int64_t* before,
                                     std::int64_t element_bytes) {
  int axis = x.rank - 1;
  while (axis > 0 && x.extents[axis] == y.extents[axis]) --axis;
  padded_rows rows;
  rows.element_bytes = element_bytes * (axis < 0 ? 1 : x.elements(axis + 1));
  if (axis < 0) return rows;
  rows.x = x.extents[axis];
  rows.y = y.extents[axis];
  rows.before = before[axis];
  for (int i = 0; i < axis; ++i) {
    rows.outer_x.push_back(x.extents[i]);
    rows.outer_y.push_back(y.extents[i]);
    rows.outer_before[i] = before[i];
  }
  return rows;
}

namespace detail {

/// `count` copies of an element, `size` bytes of which are one number.
inline void fill_numbers(const std::byte* number, std::int64_t size, std::int64_t bytes, std::byte* to) {
  bool is_one_byte = true;
  for (std::int64_t i = 1; i < size; ++i) is_one_byte = is_one_byte && number[i] == number[0];
  if (is_one_byte) std::memset(to, static_cast<int>(number[0]), static_cast<std::size_t>(bytes));
  else
    for (std::int64_t i = 0; i < bytes; i += size) std::memcpy(to + i, number, static_cast<std::size_t>(size));
}

}  // namespace detail

/// One number, as bytes.
struct number_bytes {
  const std::byte* first;
  std::int64_t size;
};

/// Writes a share of the rows of y. source(i, extent) is the place along an axis of x from which place i (counted from
/// the first element of x, so negative in front of it) comes; -1: it is `outside`.
template <class Source>
void pad(const padded_rows& rows, const std::byte* x, number_bytes outside, std::byte* y, Source source, part p = {}) {
  const std::int64_t bytes = rows.element_bytes, length = rows.y * bytes;
  const shape_t x_steps = row_major_strides(rows.outer_x);
  const interval range = share(rows.rows(), p);
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    std::byte* const to = y + row * length;
    std::int64_t from = 0, rest = row;
    bool is_inside = true;
    for (int i = rows.outer_y.rank; i-- > 0; rest /= rows.outer_y.extents[i]) {
      const std::int64_t at = source(rest % rows.outer_y.extents[i] - rows.outer_before[i], rows.outer_x.extents[i]);
      is_inside = is_inside && at >= 0;
      from += at * x_steps.extents[i];
    }
    if (!is_inside) {
      detail::fill_numbers(outside.first, outside.size, length, to);
      continue;
    }
    const std::byte* const first = x + from * rows.x * bytes;
    const auto border = [&](std::int64_t begin, std::int64_t end) {  // places of y
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t at = source(i - rows.before, rows.x);
        if (at < 0) return detail::fill_numbers(outside.first, outside.size, (end - i) * bytes, to + i * bytes);
        std::memcpy(to + i * bytes, first + at * bytes, static_cast<std::size_t>(bytes));
      }
    };
    border(0, rows.before);
    std::memcpy(to + rows.before * bytes, first, static_cast<std::size_t>(rows.x * bytes));
    border(rows.before + rows.x, rows.y);
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/ops/pad.hpp
// pad: a border around a tensor - a constant, or the tensor mirrored.
// Flow: front ends call infer(); kernels/select.hpp binds the copy; window operators pad by themselves (keyword
// padding).

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// x with elements put before and after it along each axis.
///
///   x: [d0 … dn]
///   paddings: 2 (n + 1) integers, constant: before and after, for each axis in turn; [n + 1, 2] or flat
///   y: [before0 + d0 + after0 …]
///
/// In mode constant the new elements are pad_value (of a quantised x: what stands for that real number). In the other
/// modes they are the tensor mirrored, with its outermost element (symmetric: … 1 0 | 0 1 2 …) or without it (reflect:
/// … 2 1 | 0 1 2 …).
///
/// Broken rules: see `rule`; elements are counted. Source: NNRt OH_NN_OPS_PAD.
struct pad {
  static constexpr op_code code{24};
  static constexpr std::string_view name = "pad";
  static constexpr operand_spec inputs[] = {{"x", types::any}, {"paddings", types::index, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 24, .hdi = 107};
  static constexpr nnrt_parameter parameters[] = {{"pad_value", 43, f32}, {"mode", 116, i32}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (border, mode), (float, pad_value));
    constexpr attrs() : mode(border::constant), pad_value(0) {}
  };

  enum class rule {
    mode_must_be_constant_reflect_or_symmetric,
    paddings_must_have_two_numbers_for_each_axis,
    paddings_must_be_known,
    padding_must_not_be_negative,
    padding_must_not_exceed_the_size_limit,
    reflected_padding_must_be_less_than_the_extent,
    symmetric_padding_must_not_exceed_the_extent,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v =
            require_between(rule::mode_must_be_constant_reflect_or_symmetric, static_cast<std::int64_t>(a.mode), 0, 2);
        !v)
      return v;
    if (auto v = require_same_extent(rule::paddings_must_have_two_numbers_for_each_axis, in[1].desc.elements(),
                                     2 * x.rank());
        !v)
      return v;
    if (!in[1].has_values()) return refuse(rule::paddings_must_be_known, 0, 1);
    shape_t y = x.shape;
    for (int i = 0; i < 2 * x.rank(); ++i) {
      const std::int64_t padding = in[1].values[static_cast<std::size_t>(i)], extent = x.shape[i / 2];
      if (auto v = require_at_least(rule::padding_must_not_be_negative, padding, 0); !v) return v;
      if (auto v = require_at_most(rule::padding_must_not_exceed_the_size_limit, padding, max_elements); !v) return v;
      if (auto v = fits(a.mode, padding, extent); !v) return v;
      if (extent >= 0) y[i / 2] += padding;
    }
    return yields(x.with_shape(y));
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return;
    const T outside = element_for<T>(a.pad_value, in[0].desc->quantised);
    shape_t to;
    to.rank = y.rank();
    do {
      shape_t from = to;
      bool inside = true;
      for (int i = 0; i < to.rank; ++i) {
        from[i] = source(to[i] - in[1].integer(2 * i), x.extent(i), a.mode);
        inside = inside && from[i] >= 0;
      }
      y.at(to) = inside ? x.at(from) : outside;
    } while (next_index(to, y.shape));
  }

  /// Where along an axis the element at `i` of the padded tensor, counted from the tensor's begin, comes from; -1: from
  /// nowhere.
  static constexpr std::int64_t source(std::int64_t i, std::int64_t extent, border mode) {
    if (i >= 0 && i < extent) return i;
    if (mode == border::constant) return -1;
    const std::int64_t outermost = mode == border::symmetric ? 1 : 0;  // whether it is repeated
    return i < 0 ? -i - outermost : 2 * (extent - 1) - i + outermost;
  }
  /// What stands for a real number in a tensor of T.
  template <class T> static constexpr T element_for(float value, const quantisation& q) {
    if (q.mode == quantisation::kind::per_tensor)
      return math::convert<T>(math::round_half_away(static_cast<double>(value) / static_cast<double>(q.scale)) +
                              q.zero_point);
    return math::convert<T>(value);
  }

 private:
  static constexpr verdict fits(border mode, std::int64_t padding, std::int64_t extent) {
    if (extent < 0 || padding == 0) return {};
    if (mode == border::reflect)
      return require_at_most(rule::reflected_padding_must_be_less_than_the_extent, padding, extent - 1);
    if (mode == border::symmetric)
      return require_at_most(rule::symmetric_padding_must_not_exceed_the_extent, padding, extent);
    return {};
  }
};

}  // namespace ops

/// pad(x, paddings<…>), with reflect, symmetric or pad_value<…>.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto pad(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::pad>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::pad, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "pad rows"};
  }
  static void run(const kernel_call& call) {
    const view &x = call.in[0], &y = call.out[0];
    const auto attrs = unpack<ops::pad::attrs>(call.attrs);
    std::int64_t before[max_rank] = {};
    for (int i = 0; i < x.rank(); ++i) before[i] = call.in[1].integer(2 * i);
    std::byte outside[8] = {};
    with_element<types::any>(x.type(), [&]<class T>(T) {
      const T value = ops::pad::element_for<T>(attrs.pad_value, x.desc->quantised);
      std::memcpy(outside, &value, sizeof(T));
    });
    const std::int64_t size = size_of(x.type());
    const auto source = [&](std::int64_t i, std::int64_t extent) { return ops::pad::source(i, extent, attrs.mode); };
    pad(padded_rows_of(x.shape(), y.shape(), before, size), bytes_in(call, 0), {outside, size}, bytes_out(call), source,
        part_of(call));
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/prelu.hpp
// prelu: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/prelu.hpp
// prelu: a rectifier whose slope below zero is learned, one for all or one for each channel.
// Flow: front ends call infer(); kernels/bind/ has the fast form.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Parametric rectified linear unit; channels are the last axis.
///
///   x: [..., C]      weight: [C] or [1]      y: [..., C] = x where x > 0, else weight * x; a NaN stays one
///
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_PRELU.
struct prelu {
  static constexpr op_code code{46};
  static constexpr std::string_view name = "prelu";
  static constexpr operand_spec inputs[] = {{"x", types::floating}, {"weight", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 46, .hdi = 112};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule {
    input_must_have_a_channel_axis,
    input_must_be_nhwc,
    parameter_types_must_equal_input_type,
    parameter_rank_must_be_1,
    parameters_must_have_one_element_for_each_channel,
  };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc &x = in[0].desc, &weight = in[1].desc;
    if (auto v = detail::check_channels_last<rule>(x); !v) return v;
    const std::int64_t channels = weight.elements() == 1 ? 1 : x.shape[-1];
    if (auto v = detail::check_parameter<rule>(weight, x.type, channels); !v) return v;
    return yields(x);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    using real = math::compute_t<T>;
    const auto x = in[0].as<const T>(), weight = in[1].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      const real slope = real(weight[weight.elements() == 1 ? 0 : i % x.shape[-1]]);
      y[i] = real(x[i]) > 0 ? x[i] : static_cast<T>(slope * real(x[i]));
    }
  }
};

}  // namespace ops

/// prelu(x, weight).
template <tensor_desc X, tensor_desc W, dsl::keyword_argument... Keywords>
constexpr auto prelu(tensor<X> x, tensor<W> weight, Keywords... keywords) {
  return dsl::apply<ops::prelu>(x, weight, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::prelu, Isa> : binary_binding<fast<ops::prelu, Isa>> {
  static prelu_lanes function(std::span<const word>) { return {}; }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/reduce_mean.hpp
// reduce_mean: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/reduce_mean.hpp
// reduce_mean: the mean along some axes of a tensor.
// Flow: front ends call infer(); kernels/select.hpp binds it to the pooling kernel or to reference().

// ===== nnrt/ops/detail/axes.hpp
// axes: what operators with a list of axes share - each axis must exist and stand in the list once.
// Flow: infer of squeeze, unsqueeze, transpose, slice and reductions.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Axes of a tensor as the operator was given them, counted from the front.
struct chosen_axes {
  int items[max_rank] = {};
  int count = 0;

  constexpr bool contains(int axis) const {
    for (int i = 0; i < count; ++i)
      if (items[i] == axis) return true;
    return false;
  }
};

/// Reads `list`, whose numbers count from the end when negative, as axes of a tensor of this rank. A number beyond the
/// last axis breaks `exist` (the number, the last axis); an axis that comes again breaks `differ` (2, 1).
template <class Rule>
constexpr verdict choose_axes(chosen_axes& chosen, std::span<const std::int64_t> list, int rank, Rule exist,
                              Rule differ) {
  for (const std::int64_t number : list) {
    const int axis = normalise_axis(number, rank);
    if (axis < 0) return refuse(exist, number, rank - 1);
    if (chosen.contains(axis)) return refuse(differ, 2, 1);
    chosen.items[chosen.count++] = axis;  // at most rank <= max_rank differ
  }
  return {};
}

}  // namespace ops
}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Mean of the elements along `axes`.
///
///   x: any shape      axes: a list of axes, constant; missing or empty: all
///   y: the extents of the other axes; with keep_dims the axes of the mean stay, with extent 1
///
/// reduce_to_end: all axes from the first of the list on, and the mean is multiplied by `coefficient`, unless that is 0
/// (which is NNRt's default and means none). A full reduction without keep_dims has rank 0. Axes count from the end
/// when negative. A mean of no elements is NaN. Sums run in row-major order in the type of computation (float for
/// float16).
///
/// Broken rules: see `rule`; axes are counted. Source: NNRt OH_NN_OPS_REDUCE_MEAN.
struct reduce_mean {
  static constexpr op_code code{42};
  static constexpr std::string_view name = "reduce_mean";
  static constexpr operand_spec inputs[] = {{"x", types::floating}, {"axes", types::index, presence::optional, true}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 42, .hdi = 118};
  static constexpr nnrt_parameter parameters[] = {
      {"keep_dims", 60, boolean}, {"reduce_to_end", 117, boolean}, {"coefficient", 118, f32}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (bool, keep_dims), (bool, reduce_to_end), (float, coefficient));
    constexpr attrs() : keep_dims(false), reduce_to_end(false), coefficient(0) {}
  };

  enum class rule {
    axes_must_be_a_list_or_one_number,
    axes_must_be_known,
    axis_must_be_an_axis_of_the_input,
    axes_must_differ,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    std::span<const std::int64_t> list;
    if (in.size() > 1 && in[1]) {
      if (auto v = require_at_most(rule::axes_must_be_a_list_or_one_number, in[1].desc.rank(), 1); !v) return v;
      if (!in[1].has_values()) return refuse(rule::axes_must_be_known, 0, 1);
      list = in[1].values;
    }
    chosen_axes chosen;
    if (auto v = choose_axes(chosen, list, x.rank(), rule::axis_must_be_an_axis_of_the_input, rule::axes_must_differ);
        !v)
      return v;
    chosen = reduced(a, chosen, x.rank());
    shape_t y;
    for (int i = 0; i < x.rank(); ++i) {
      if (!chosen.contains(i)) y.push_back(x.shape[i]);
      else if (a.keep_dims) y.push_back(1);
    }
    return yields(x.with_shape(y));
  }

  static constexpr auto macs = no_macs;

  /// The axes along which the mean runs, given those that were listed.
  static constexpr chosen_axes reduced(const attrs& a, const chosen_axes& listed, int rank) {
    if (listed.count > 0 && !a.reduce_to_end) return listed;
    chosen_axes all;
    for (int i = listed.count > 0 ? listed.items[0] : 0; i < rank; ++i) all.items[all.count++] = i;
    return all;
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using real = math::compute_t<T>;
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    chosen_axes listed;
    if (in.size() > 1 && in[1])
      for (int i = 0; i < in[1].elements(); ++i)
        listed.items[listed.count++] = normalise_axis(in[1].integer(i), x.rank());
    const chosen_axes chosen = reduced(a, listed, x.rank());
    shape_t kept = x.shape,
            run = x.shape;  // both of the rank of x: one steps through the results, one through the elements of each
    for (int i = 0; i < x.rank(); ++i) (chosen.contains(i) ? kept : run)[i] = 1;
    const real factor = a.reduce_to_end && a.coefficient != 0 ? static_cast<real>(a.coefficient) : real{1};
    shape_t first;
    first.rank = x.rank();
    for (std::int64_t i = 0; i < y.elements(); ++i, next_index(first, kept))
      y[i] = static_cast<T>(mean_of<real>(x, first, run) * factor);
  }

 private:
  template <class Real, class T>
  static constexpr Real mean_of(const tensor_view<const T>& x, const shape_t& first, const shape_t& run) {
    const std::int64_t count = run.elements();
    if (count == 0) return math::nan<Real>;
    Real sum = 0;
    shape_t step;
    step.rank = run.rank;
    do {
      shape_t at = first;
      for (int i = 0; i < at.rank; ++i) at[i] += step[i];
      sum += static_cast<Real>(x.at(at));
    } while (next_index(step, run));
    return sum / static_cast<Real>(count);
  }
};

}  // namespace ops

/// reduce_mean(x, axes<1, 2>, keep_dims) or reduce_mean(x, axis<-1>); without axes the mean of all elements.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto reduce_mean(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::reduce_mean>(x, keyword::as_axes(keywords)...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::reduce_mean, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    const tensor_desc& x = node.in[0].desc;
    if (x.type != f32 || !has_work(node)) return {};
    const bool has_list = node.in.size() > 1 && node.in[1];
    const axis_block block = block_for(unpack<ops::reduce_mean::attrs>(node.attrs), x.shape,
                                       has_list ? node.in[1].values : std::span<const std::int64_t>{});
    if (!block.found) return {};
    return {.run = &run,
            .parts = parts_for(block.elements()),
            .name = block.inner == 1 ? "mean of rows" : "mean of columns"};
  }
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::reduce_mean::attrs>(call.attrs);
    std::int64_t list[max_rank];
    const bool has_list = call.in.size() > 1 && call.in[1];
    const std::int64_t count = has_list ? call.in[1].elements() : 0;
    for (std::int64_t i = 0; i < count; ++i) list[i] = call.in[1].integer(i);
    const axis_block block = block_for(attrs, call.in[0].shape(), {list, static_cast<std::size_t>(count)});
    mean(block, floats_in(call, 0), attrs.reduce_to_end && attrs.coefficient != 0 ? attrs.coefficient : 1.0F,
         floats_out(call), part_of(call));
  }

 private:
  static constexpr axis_block block_for(const ops::reduce_mean::attrs& attrs, const shape_t& shape,
                                        std::span<const std::int64_t> list) {
    ops::chosen_axes axes;
    for (const std::int64_t axis : list) axes.items[axes.count++] = normalise_axis(axis, shape.rank);
    axes = ops::reduce_mean::reduced(attrs, axes, shape.rank);
    bool listed[max_rank] = {};
    for (int i = 0; i < axes.count; ++i) listed[axes.items[i]] = true;
    return block_of(shape, listed);
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/relu.hpp
// relu: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/relu.hpp
// relu: max(x, 0), as an operator and as the keyword that other operators fuse.
// Flow: front ends call infer(); passes fuse it into the layer before; what is left runs in the elementwise kernel.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Rectified linear unit, element by element.
///
///   x: any shape      y: the same shape, max(x, 0); a NaN stays one
///
/// No rules beyond the signature's. Source: NNRt OH_NN_OPS_RELU.
struct relu {
  static constexpr op_code code{47};
  static constexpr std::string_view name = "relu";
  static constexpr operand_spec inputs[] = {{"x", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place, .computes = meaning::relu};
  static constexpr foreign_numbers foreign{.nnrt = 47, .hdi = 2};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return yields(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_element<T>(in, out, [](T x) { return activate(x, activation::relu); });
  }
};

}  // namespace ops

/// relu(x), or relu beside the operands of an operator that fuses an activation.
struct relu_t : keyword::value<keyword::fused_slot, activation::relu> {
  template <tensor_desc X, dsl::keyword_argument... Keywords>
  constexpr auto operator()(tensor<X> x, Keywords... keywords) const {
    return dsl::apply<ops::relu>(x, keywords...);
  }
};
inline constexpr relu_t relu{};

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::relu, Isa> : unary_binding<fast<ops::relu, Isa>> {
  static constexpr std::int64_t cost = 1;
  static clamp_lanes function(std::span<const word>) { return {range_of(activation::relu)}; }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/relu6.hpp
// relu6: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/relu6.hpp
// relu6: min(max(x, 0), 6), as an operator and as the keyword that other operators fuse.
// Flow: front ends call infer(); passes fuse it into the layer before; what is left runs in the elementwise kernel.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Rectified linear unit with a ceiling of 6, element by element.
///
///   x: any shape      y: the same shape, min(max(x, 0), 6); a NaN stays one
///
/// No rules beyond the signature's. Source: NNRt OH_NN_OPS_RELU6.
struct relu6 {
  static constexpr op_code code{48};
  static constexpr std::string_view name = "relu6";
  static constexpr operand_spec inputs[] = {{"x", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place, .computes = meaning::relu6};
  static constexpr foreign_numbers foreign{.nnrt = 48, .hdi = 2};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return yields(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_element<T>(in, out, [](T x) { return activate(x, activation::relu6); });
  }
};

}  // namespace ops

/// relu6(x), or relu6 beside the operands of an operator that fuses an activation.
struct relu6_t : keyword::value<keyword::fused_slot, activation::relu6> {
  template <tensor_desc X, dsl::keyword_argument... Keywords>
  constexpr auto operator()(tensor<X> x, Keywords... keywords) const {
    return dsl::apply<ops::relu6>(x, keywords...);
  }
};
inline constexpr relu6_t relu6{};

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::relu6, Isa> : unary_binding<fast<ops::relu6, Isa>> {
  static constexpr std::int64_t cost = 1;
  static clamp_lanes function(std::span<const word>) { return {range_of(activation::relu6)}; }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/sigmoid.hpp
// sigmoid: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/sigmoid.hpp
// sigmoid: 1 / (1 + exp(-x)).
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernel.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Logistic function, element by element.
///
///   x: any shape      y: the same shape, 1 / (1 + exp(-x))
///
/// No rules beyond the signature's. Source: NNRt OH_NN_OPS_SIGMOID.
struct sigmoid {
  static constexpr op_code code{28};
  static constexpr std::string_view name = "sigmoid";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 28, .hdi = 2};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return yields(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_real<T>(in, out, [](double x) {
      const double e = math::exp(-math::abs(x));  // at most 1: the sum keeps its digits on both sides
      return (x < 0 ? e : 1.0) / (1.0 + e);
    });
  }
};

}  // namespace ops

/// sigmoid(x).
struct sigmoid_t {
  template <tensor_desc X, dsl::keyword_argument... Keywords>
  constexpr auto operator()(tensor<X> x, Keywords... keywords) const {
    return dsl::apply<ops::sigmoid>(x, keywords...);
  }
};
inline constexpr sigmoid_t sigmoid{};

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::sigmoid, Isa> : unary_binding<fast<ops::sigmoid, Isa>> {
  static constexpr std::int64_t cost = 4;
  static sigmoid_lanes function(std::span<const word>) { return {}; }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/slice.hpp
// slice: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/slice.hpp
// slice: a box cut out of a tensor.
// Flow: front ends call infer(); the planner makes it a view of the input where it can; kernels/select.hpp binds the
// copy.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// The elements of x from `begin` on, `size` of them, along each axis that `axes` names; all elements along the others.
///
///   x: any shape      begin, size: [A] integers, constant      axes: A axes; empty: all, in order
///   y: the extents of x, and those of `size` along the axes
///
/// begin >= 0; a size is at least 1, or -1: up to the end. Axes count from the end when negative.
///
/// Broken rules: see `rule`; axes and extents are counted. Source: NNRt OH_NN_OPS_SLICE.
struct slice {
  static constexpr op_code code{29};
  static constexpr std::string_view name = "slice";
  static constexpr operand_spec inputs[] = {{"x", types::any},
                                            {"begin", types::index, presence::required, true},
                                            {"size", types::index, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.outputs_are_parts = true};
  static constexpr foreign_numbers foreign{.nnrt = 29, .hdi = 135};
  static constexpr nnrt_parameter parameters[] = {{"axes", 127, i64, -1}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (axis_list, axes));
    constexpr attrs() = default;
  };

  enum class rule {
    axis_must_be_an_axis_of_the_input,
    axes_must_differ,
    begin_must_have_one_number_for_each_axis,
    size_must_have_one_number_for_each_axis,
    begin_must_be_known,
    size_must_be_known,
    begin_must_not_be_negative,
    begin_must_lie_in_the_input,
    size_must_be_positive_or_minus_1,
    size_must_not_exceed_what_is_left,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    chosen_axes cut;
    if (auto v = choose_axes(cut, a.axes, x.rank(), rule::axis_must_be_an_axis_of_the_input, rule::axes_must_differ);
        !v)
      return v;
    const int count = a.axes.empty() ? x.rank() : cut.count;
    if (auto v = require_same_extent(rule::begin_must_have_one_number_for_each_axis, in[1].desc.elements(), count); !v)
      return v;
    if (auto v = require_same_extent(rule::size_must_have_one_number_for_each_axis, in[2].desc.elements(), count); !v)
      return v;
    if (!in[1].has_values()) return refuse(rule::begin_must_be_known, 0, 1);
    if (!in[2].has_values()) return refuse(rule::size_must_be_known, 0, 1);
    shape_t y = x.shape;
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (auto v = cut_extent(y[a.axes.empty() ? i : cut.items[i]], in[1].values[at], in[2].values[at]); !v) return v;
    }
    return yields(x.with_shape(y));
  }

  static constexpr auto macs = no_macs;
  static constexpr std::int64_t part_offset(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>, int) {
    const shape_t strides = row_major_strides(in[0].desc.shape);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < in[1].values.size(); ++i) {
      const int k = static_cast<int>(i);
      offset += in[1].values[i] * strides[a.axes.empty() ? k : normalise_axis(a.axes[k], strides.rank)];
    }
    return offset;
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return;
    shape_t first, to;
    first.rank = to.rank = x.rank();
    for (int i = 0; i < in[1].elements(); ++i)
      first[a.axes.empty() ? i : normalise_axis(a.axes[i], x.rank())] = in[1].integer(i);
    do {
      shape_t from = to;
      for (int i = 0; i < from.rank; ++i) from[i] += first[i];
      y.at(to) = x.at(from);
    } while (next_index(to, y.shape));
  }

 private:
  /// One axis: turns the extent of the input into that of the output.
  static constexpr verdict cut_extent(std::int64_t& extent, std::int64_t begin, std::int64_t size) {
    if (auto v = require_at_least(rule::begin_must_not_be_negative, begin, 0); !v) return v;
    if (size != -1)
      if (auto v = require_at_least(rule::size_must_be_positive_or_minus_1, size, 1); !v) return v;
    if (extent < 0) {
      extent = size;  // unknown where it is -1
      return {};
    }
    if (auto v = require_at_most(rule::begin_must_lie_in_the_input, begin, extent - 1); !v) return v;
    if (auto v = require_at_most(rule::size_must_not_exceed_what_is_left, size, extent - begin); !v) return v;
    extent = size == -1 ? extent - begin : size;
    return {};
  }
};

}  // namespace ops

/// slice(x, begin<…>, size<…>), with axes<…> where only some axes are cut.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto slice(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::slice>(x, keyword::as_axes(keywords)...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::slice, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_for(node.out[0].elements()), .name = "copy rows"};
  }
  static void run(const kernel_call& call) {
    const view &x = call.in[0], &y = call.out[0];
    const axis_list axes = unpack<ops::slice::attrs>(call.attrs).axes;
    const shape_t steps = row_major_strides(x.shape());
    const std::int64_t bytes = size_of(x.type());
    std::int64_t first = 0;  // element of x
    for (int i = 0; i < static_cast<int>(call.in[1].elements()); ++i)
      first += call.in[1].integer(i) * steps[axes.empty() ? i : normalise_axis(axes[i], x.rank())];
    copy_box(loops_of(y.shape(), steps, row_major_strides(y.shape()), bytes), bytes_in(call, 0) + first * bytes,
             bytes_out(call), part_of(call));
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/softmax.hpp
// softmax: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/kernels/softmax.hpp
// softmax: e^(x - max) over its sum, along the last axis or across the rows before it.
// Flow: bind/softmax.hpp calls softmax() for a part of the groups.

namespace nnrt::inline NNRT_ISA::kernels {

namespace detail {

/// How many vectors a loop along a row keeps under way: enough to hide the latency of an addition.
inline constexpr int row_accumulators = 4;

template <class V> [[gnu::always_inline]] inline float row_maximum(const float* x, std::int64_t n) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  V most[row_accumulators] = {V(lowest), V(lowest), V(lowest), V(lowest)};
  std::int64_t i = 0;
  for (; i + row_accumulators * lanes <= n; i += row_accumulators * lanes)
    each<row_accumulators>([&](auto k) __attribute__((always_inline)) {
      most[k] = larger_of(load(x + i + k * lanes), most[k]);
    });
  for (; i + lanes <= n; i += lanes) most[0] = larger_of(load(x + i), most[0]);
  if (i < n) most[1] = larger_of(first_or(load_first(x + i, n - i), n - i, lowest), most[1]);
  return largest_lane(larger_of(larger_of(most[0], most[1]), larger_of(most[2], most[3])));
}

/// y = e^(x - shift); the sum of y.
template <class V>
[[gnu::always_inline]] inline float row_exponentials(const float* x, std::int64_t n, float shift, float* y) {
  V sums[row_accumulators] = {V(0.0F), V(0.0F), V(0.0F), V(0.0F)};
  const V from(shift);
  std::int64_t i = 0;
  for (; i + row_accumulators * lanes <= n; i += row_accumulators * lanes) {
    each<row_accumulators>([&](auto k) __attribute__((always_inline)) {
      const V e = exp_of(load(x + i + k * lanes) - from);
      e.store_unaligned(y + i + k * lanes);
      sums[k] = sums[k] + e;
    });
  }
  for (; i + lanes <= n; i += lanes) {
    const V e = exp_of(load(x + i) - from);
    e.store_unaligned(y + i);
    sums[0] = sums[0] + e;
  }
  if (i < n) {
    const V e = exp_of(load_first(x + i, n - i) - from);
    store_first(y + i, e, n - i);
    sums[1] = sums[1] + first_or(e, n - i, 0.0F);
  }
  return sum_of_lanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

template <class V> [[gnu::always_inline]] inline void scale_row(float* y, std::int64_t n, float factor) {
  const V by(factor);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) (load(y + i) * by).store_unaligned(y + i);
  if (i < n) store_first(y + i, load_first(y + i, n - i) * by, n - i);
}

/// How many columns are worked on at once: long enough stretches of each row for the prefetchers, few enough for the
/// stack.
inline constexpr std::int64_t columns_at_once = 16 * lanes;

/// `width` columns (1 to columns_at_once) over `extent` rows that are `step` floats apart.
template <class V>
inline void softmax_columns(const float* x, std::int64_t extent, std::int64_t step, std::int64_t width, float* y) {
  alignas(64) float most[columns_at_once], sums[columns_at_once];
  const auto each_vector = [width](auto f) __attribute__((always_inline)) {
    for (std::int64_t c = 0; c < width; c += lanes) f(c, width - c < lanes ? width - c : lanes);
  };
  each_vector([&](std::int64_t c, std::int64_t n) __attribute__((always_inline)) {
    load_first(x + c, n).store_unaligned(most + c);
    V(0.0F).store_unaligned(sums + c);
  });
  for (std::int64_t i = 1; i < extent; ++i)
    each_vector([&, row = x + i * step ](std::int64_t c, std::int64_t n) __attribute__((always_inline)) {
      larger_of(load_first(row + c, n), load(most + c)).store_unaligned(most + c);
    });
  for (std::int64_t i = 0; i < extent; ++i)
    each_vector([&, at = i * step ](std::int64_t c, std::int64_t n) __attribute__((always_inline)) {
      const V e = exp_of(load_first(x + at + c, n) - load(most + c));
      store_first(y + at + c, e, n);
      (load(sums + c) + e).store_unaligned(sums + c);
    });
  each_vector([&](std::int64_t c, std::int64_t)
                  __attribute__((always_inline)) { (V(1.0F) / load(sums + c)).store_unaligned(sums + c); });
  for (std::int64_t i = 0; i < extent; ++i)
    each_vector([&, at = i * step ](std::int64_t c, std::int64_t n) __attribute__((always_inline)) {
      store_first(y + at + c, load_first(y + at + c, n) * load(sums + c), n);
    });
}

}  // namespace detail

/// Softmax along the middle of the block; y may be x. A NaN anywhere in a group makes the whole group NaN.
/// The parts share the groups, in vectors where these lie side by side.
template <class Isa = native> void softmax(const axis_block& block, const float* x, float* y, part p = {}) {
  if (block.inner == 1) {
    const interval rows = share(block.outer, p);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const float* const from = x + row * block.extent;
      float* const to = y + row * block.extent;
      const float most = detail::row_maximum<vf>(from, block.extent);
      detail::scale_row<vf>(to, block.extent, 1.0F / detail::row_exponentials<vf>(from, block.extent, most, to));
    }
    return;
  }
  const rectangle work = share(block.outer, (block.inner + lanes - 1) / lanes, p);
  const std::int64_t end = work.columns.end * lanes < block.inner ? work.columns.end * lanes : block.inner;
  for (std::int64_t row = work.rows.begin; row < work.rows.end; ++row)
    for (std::int64_t c = work.columns.begin * lanes; c < end; c += detail::columns_at_once) {
      const std::int64_t first = row * block.extent * block.inner + c, left = end - c;
      detail::softmax_columns<vf>(x + first, block.extent, block.inner,
                                  left < detail::columns_at_once ? left : detail::columns_at_once, y + first);
    }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/ops/softmax.hpp
// softmax: numbers along one or several axes become probabilities.
// Flow: front ends call infer(); kernels/select.hpp binds it to the softmax kernel.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// exp(x) over its sum along the listed axes, shifted by the maximum so that nothing overflows.
///
///   x: any shape of rank >= 1      y: the same shape; the sum over the listed axes is 1
///
/// `axis` lists the axes that one sum runs over, the last axis when it is empty; negative ones count from the end.
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_SOFTMAX (one axis), HDI Softmax (a list).
struct softmax {
  static constexpr op_code code{30};
  static constexpr std::string_view name = "softmax";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 30, .hdi = 138};
  static constexpr nnrt_parameter parameters[] = {{"axis", 46, i64}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (axis_list, axis));
    constexpr attrs() = default;
  };

  enum class rule { input_rank_must_be_at_least_1, axis_must_be_an_axis_of_the_input, axes_must_differ };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = require_at_least(rule::input_rank_must_be_at_least_1, x.rank(), 1); !v) return v;
    chosen_axes axes;
    constexpr rule must_exist = rule::axis_must_be_an_axis_of_the_input, must_differ = rule::axes_must_differ;
    if (auto v = choose_axes(axes, a.axis, x.rank(), must_exist, must_differ); !v) return v;
    return yields(x);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (x.elements() == 0) return;
    const shape_t group = extents_of_one_sum(a.axis, x.shape);
    shape_t groups = x.shape;
    for (int i = 0; i < x.rank(); ++i) groups[i] = x.extent(i) == group[i] ? 1 : x.extent(i);
    shape_t start;
    start.rank = x.rank();
    do normalise(x, y, start, group);
    while (next_index(start, groups));
  }

 private:
  /// The shape with every axis that is not listed cut to extent 1.
  static constexpr shape_t extents_of_one_sum(const axis_list& list, const shape_t& shape) {
    shape_t out = shape;
    for (std::int64_t& extent : out.extents) extent = 1;
    for (const std::int64_t axis : list)
      out[normalise_axis(axis, shape.rank)] = shape[normalise_axis(axis, shape.rank)];
    if (list.empty()) out[-1] = shape[-1];
    return out;
  }

  /// One group of elements, from `start` on, whose results have the sum 1.
  template <class T>
  static constexpr void normalise(const tensor_view<const T>& x, const tensor_view<T>& y, const shape_t& start,
                                  const shape_t& group) {
    using wide = math::compute_t<T>;
    const auto value = [&](const shape_t& at) { return static_cast<wide>(x.at(at)); };
    const auto each = [&](auto f) {
      shape_t index;
      index.rank = group.rank;
      do {
        shape_t at = start;
        for (int i = 0; i < at.rank; ++i) at[i] += index[i];
        f(at);
      } while (next_index(index, group));
    };
    wide largest = value(start), sum = 0;
    each([&](const shape_t& at) { largest = value(at) > largest ? value(at) : largest; });
    each([&](const shape_t& at) { sum += math::exp(value(at) - largest); });
    each([&](const shape_t& at) { y.at(at) = static_cast<T>(math::exp(value(at) - largest) / sum); });
  }
};

}  // namespace ops

/// softmax(x), with axis<…> or, for one sum over several axes, axes<…>.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto softmax(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::softmax>(x, keyword::as_axis(keywords)...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::softmax, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const axis_block block = block_for(node.attrs, node.in[0].desc.shape);
    if (!block.found) return {};
    constexpr std::int64_t cost = 8;  // additions that one element is worth
    return {.run = &run,
            .parts = parts_for(block.elements() * cost),
            .name = block.inner == 1 ? "softmax rows" : "softmax columns"};
  }
  static void run(const kernel_call& call) {
    softmax(block_for(call.attrs, call.in[0].shape()), floats_in(call, 0), floats_out(call), part_of(call));
  }

 private:
  static constexpr axis_block block_for(std::span<const word> attrs, const shape_t& shape) {
    const axis_list axes = unpack<ops::softmax::attrs>(attrs).axis;
    bool listed[max_rank] = {};
    for (const std::int64_t axis : axes) listed[normalise_axis(axis, shape.rank)] = true;
    if (axes.empty()) listed[shape.rank - 1] = true;
    return block_of(shape, listed);
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/split.hpp
// split: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/split.hpp
// split: a tensor cut along an axis, into equal parts or into parts of given sizes.
// Flow: front ends call infer(); the planner makes the parts views of the input where it can; kernels/select.hpp binds
// the copy.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// The parts of x along `axis`, in order.
///
///   x: any shape
///   y: parts, with the extents of x but along `axis`: the extents that `sizes` lists, or `output_num` equal ones
///
/// `axis` counts from the end when negative; 0 is the default. One of the sizes may be -1: it is what the others leave.
/// Where neither sizes nor output_num is given, there are as many equal parts as the front end declares outputs.
///
/// Broken rules: see `rule`; axes, parts and extents are counted. Source: NNRt OH_NN_OPS_SPLIT.
struct split {
  static constexpr op_code code{32};
  static constexpr std::string_view name = "split";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any, presence::variadic}};
  static constexpr operator_traits traits{.outputs_are_parts = true};
  static constexpr foreign_numbers foreign{.nnrt = 32, .hdi = 145};
  static constexpr nnrt_parameter parameters[] = {{"axis", 49, i64}, {"output_num", 50, i64}, {"sizes", 51, i64, -1}};

  static constexpr std::int64_t max_parts = 1024;

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (std::int64_t, axis), (std::int64_t, output_num), (int_list<64>, sizes));
    constexpr attrs() : axis(0), output_num(0) {}
  };

  enum class rule {
    axis_must_be_an_axis_of_the_input,
    parts_must_be_at_least_1_and_at_most_1024,
    output_num_must_equal_the_number_of_sizes,
    extent_must_be_divisible_by_the_number_of_parts,
    size_must_be_positive_or_minus_1,
    only_one_size_may_be_inferred,
    inferred_size_must_be_at_least_1,
    sizes_must_add_up_to_the_extent,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc> wanted) {
    const tensor_desc& x = in[0].desc;
    const int axis = normalise_axis(a.axis, x.rank());
    if (axis < 0) return refuse(rule::axis_must_be_an_axis_of_the_input, a.axis, x.rank() - 1);
    const bool declared =
        !wanted.empty() && wanted[0].type != dtype::none;  // the DSL's wish is about quantisation alone
    std::int64_t parts = parts_of(a);
    if (parts == 0 && declared) parts = static_cast<std::int64_t>(wanted.size());
    if (auto v = require_between(rule::parts_must_be_at_least_1_and_at_most_1024, parts, 1, max_parts); !v) return v;
    if (a.sizes.empty())
      return equal_parts(x, axis, parts);  // not by ?: - g++ 12 then frees the outputs too early in constant evaluation
    return given_parts(a, x, axis);
  }

  static constexpr auto macs = no_macs;
  /// Parts follow each other.
  static constexpr std::int64_t part_offset(const attrs&, std::span<const operand>, std::span<const tensor_desc> out, int i) {
    std::int64_t offset = 0;
    for (const tensor_desc& before : out.first(static_cast<std::size_t>(i))) offset += before.elements();
    return offset;
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const int axis = normalise_axis(a.axis, x.rank());
    std::int64_t first = 0;  // along the axis
    for (const view& part : out) {
      copy_from(part.as<T>(), x, axis, first);
      first += part.shape()[axis];
    }
  }

  /// So many handles a refused call gives, so that structured bindings do not fail, too.
  static constexpr std::int64_t outputs_asked_for(const attrs& a) {
    const std::int64_t parts = parts_of(a);
    return parts >= 1 && parts <= max_parts ? parts : 1;
  }

 private:
  /// The number of outputs as far as the attributes tell; 0 when they do not.
  static constexpr std::int64_t parts_of(const attrs& a) { return a.sizes.empty() ? a.output_num : a.sizes.count; }
  static constexpr verdict equal_parts(const tensor_desc& x, int axis, std::int64_t parts) {
    const std::int64_t extent = x.shape[axis];
    if (extent >= 0 && extent % parts != 0)
      return refuse(rule::extent_must_be_divisible_by_the_number_of_parts, extent, parts);
    verdict v;
    v.outputs.assign(static_cast<std::size_t>(parts),
                     x.with_shape(x.shape.with(axis, extent < 0 ? -1 : extent / parts)));
    return v;
  }
  static constexpr verdict given_parts(const attrs& a, const tensor_desc& x, int axis) {
    if (a.output_num != 0)
      if (auto v = require(rule::output_num_must_equal_the_number_of_sizes, a.output_num, a.sizes.count); !v) return v;
    const std::int64_t extent = x.shape[axis];
    std::int64_t sum = 0;  // more than max_elements stays that
    int inferred = 0;
    for (const std::int64_t size : a.sizes) {
      if (size == -1) {
        if (++inferred > 1) return refuse(rule::only_one_size_may_be_inferred, inferred, 1);
        continue;
      }
      if (auto v = require_at_least(rule::size_must_be_positive_or_minus_1, size, 1); !v) return v;
      sum = size > max_elements - sum ? max_elements + 1 : sum + size;
    }
    if (inferred == 0) {
      if (auto v = require_same_extent(rule::sizes_must_add_up_to_the_extent, sum, extent); !v) return v;
    } else if (extent >= 0) {
      if (auto v = require_at_least(rule::inferred_size_must_be_at_least_1, extent - sum, 1); !v) return v;
    }
    verdict v;
    for (const std::int64_t size : a.sizes)
      v.outputs.push_back(x.with_shape(x.shape.with(axis, size == -1 && extent >= 0 ? extent - sum : size)));
    return v;
  }
  template <class T>
  static constexpr void copy_from(const tensor_view<T>& y, const tensor_view<const T>& x, int axis,
                                  std::int64_t first) {
    if (y.elements() == 0) return;
    shape_t to;
    to.rank = y.rank();
    do y.at(to) = x.at(to.with(axis, to[axis] + first));
    while (next_index(to, y.shape));
  }
};

}  // namespace ops

/// split(x, sizes<1, 2, 3>, axis<1>): parts of these extents, for structured bindings.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto split(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::split>(x, keywords...);
}

/// split<3>(x, axis<-1>): so many equal parts, for structured bindings.
template <int Parts, tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto split(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::split>(x, output_num<Parts>, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::split, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (node.in[0].desc.elements() <= 0) return {};
    return {.run = &run, .parts = parts_for(node.in[0].desc.elements()), .name = "copy rows"};
  }
  /// Each output is a box of `outer` rows, one from each row of the input.
  static void run(const kernel_call& call) {
    const view& x = call.in[0];
    const int axis = normalise_axis(unpack<ops::split::attrs>(call.attrs).axis, x.rank());
    const std::int64_t from_step = x.shape().elements(axis), bytes = size_of(x.type());
    const std::byte* from = bytes_in(call, 0);
    for (std::size_t i = 0; i < call.out.size(); ++i) {
      const axis_block block = block_of(call.out[i].shape(), axis);
      const std::int64_t row = block.extent * block.inner;
      copy_box(loops_of({block.outer, row}, {from_step, 1}, {row, 1}, bytes), from, bytes_out(call, i), part_of(call));
      from += row * bytes;
    }
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/sub.hpp
// sub: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/sub.hpp
// sub: a - b with broadcasting and a fused activation.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernels; it is the DSL's operator -.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Difference of two tensors, element by element.
///
///   a, b: shapes that broadcast as NumPy's do, of one dtype      y: the common shape, fused(a - b)
///
/// Integers wrap around. Rules: the dtypes must be equal (cast one operand where they are not); extents, counted from
/// the innermost, must be equal or 1. Source: NNRt OH_NN_OPS_SUB.
struct sub {
  static constexpr op_code code{38};
  static constexpr std::string_view name = "sub";
  static constexpr operand_spec inputs[] = {{"a", types::number}, {"b", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 38, .hdi = 152};
  static constexpr nnrt_parameter parameters[] = {{"fused", 59, i8}};
  using attrs = detail::fused_attribute;
  enum class rule { types_must_be_equal, extents_must_be_equal_or_1 };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return detail::infer_binary<rule>(in);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& attributes, arguments in, results out) {
    using wide = detail::wrapping_t<T>;
    detail::for_each_pair<T>(in, out, [&](T a, T b) {
      return detail::finished<T>(static_cast<wide>(a) - static_cast<wide>(b), attributes.fused);
    });
  }
};

}  // namespace ops

/// sub(a, b), where one of the two may be a number, with a fused activation; a - b is the same without one.
template <class A, class B, dsl::keyword_argument... Keywords>
requires dsl::operand_pair<A, B>
constexpr auto sub(A a, B b, Keywords... keywords) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::sub>(a, b, keywords...);
}
template <class A, class B>
requires dsl::operand_pair<A, B>
constexpr auto operator-(A a, B b) {
  dsl::check_scalar<A, B>();
  return dsl::apply<ops::sub>(a, b);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::sub, Isa> : binary_binding<fast<ops::sub, Isa>> {
  static clamped<subtract_lanes> function(std::span<const word> attrs) {
    return {{}, range_of(unpack<ops::sub::attrs>(attrs).fused)};
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/tanh.hpp
// tanh: the fast kernel of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/ops/tanh.hpp
// tanh: hyperbolic tangent.
// Flow: front ends call infer(); kernels/select.hpp binds it to the elementwise kernel.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Hyperbolic tangent, element by element.
///
///   x: any shape      y: the same shape, (exp(x) - exp(-x)) / (exp(x) + exp(-x))
///
/// No rules beyond the signature's.
/// Source: NNRt OH_NN_OPS_TANH.
struct tanh {
  static constexpr op_code code{39};
  static constexpr std::string_view name = "tanh";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.result = storage::in_place};
  static constexpr foreign_numbers foreign{.nnrt = 39, .hdi = 2};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    return yields(in[0].desc);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    detail::for_each_real<T>(in, out, [](double x) { return math::tanh(x); });
  }
};

}  // namespace ops

/// tanh(x). A function, unlike the other activations: an object of this name would hide, or clash with, that of <cmath>.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto tanh(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::tanh>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::tanh, Isa> : unary_binding<fast<ops::tanh, Isa>> {
  static constexpr std::int64_t cost = 4;
  static tanh_lanes function(std::span<const word>) { return {}; }
};

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/kernels/bind/transpose.hpp
// transpose: the fast kernels of the operator.
// Flow: included by kernels/select.hpp; plans call the chosen function.

// ===== nnrt/kernels/transpose.hpp
// transpose: the axes of a tensor in another order, for elements of 1, 2, 4 or 8 bytes.
// Flow: bind/transpose.hpp asks transposition_of() for the loops, then calls transpose() for a part of them.

namespace nnrt::inline NNRT_ISA::kernels {

/// A permutation as planes that are transposed, and loops around them. Rows and columns are those of the input.
struct transposition {
  box_loops around;  // without the two axes of the plane; row_bytes is the size of one element
  std::int64_t rows = 1,
               columns = 1;    // neighbours along a row lie side by side in the input, along a column in the output
  std::int64_t from_step = 0;  // from row to row of the input, in elements
  std::int64_t to_step = 0;    // from row to row of the output, which is a column of the input
  bool moves_rows = false;     // the innermost axis stays: around is all there is, its rows are copied
};

/// Axis i of the output is axis perm[i] of x, which counts from the front.
constexpr transposition transposition_of(const shape_t& x, const shape_t& perm, std::int64_t element_bytes) {
  const shape_t x_steps = row_major_strides(x);
  shape_t extents, from_steps;
  for (const std::int64_t axis : perm) {
    extents.push_back(x.extents[axis]);
    from_steps.push_back(x_steps.extents[axis]);
  }
  transposition t;
  box_loops all = loops_of(extents, from_steps, row_major_strides(extents), element_bytes);
  t.moves_rows = all.count == 0 || all.row_bytes > element_bytes;
  t.around = all;
  if (t.moves_rows) return t;
  int inner = 0;  // the loop that is innermost in the input
  while (all.from_steps[inner] != element_bytes) ++inner;
  const int last = all.count - 1;
  t.rows = all.extents[last];
  t.columns = all.extents[inner];
  t.from_step = all.from_steps[last] / element_bytes;
  t.to_step = all.to_steps[inner] / element_bytes;
  t.around.count = 0;
  for (int i = 0; i < last; ++i) {
    if (i == inner) continue;
    const int to = t.around.count++;
    t.around.extents[to] = all.extents[i];
    t.around.from_steps[to] = all.from_steps[i];
    t.around.to_steps[to] = all.to_steps[i];
  }
  return t;
}

namespace detail {

/// An element of so many bytes, whatever its type: may_alias lets it be read as a number all the same.
template <int Bytes> struct cell;
template <> struct [[gnu::may_alias]] cell<1> {
  using number = std::uint8_t;
  number bits;
};
template <> struct [[gnu::may_alias]] cell<2> {
  using number = std::uint16_t;
  number bits;
};
template <> struct [[gnu::may_alias]] cell<4> {
  using number = std::uint32_t;
  number bits;
};
template <> struct [[gnu::may_alias]] cell<8> {
  using number = std::uint64_t;
  number bits;
};

/// Vectors of 16 bytes by the compilers' own means: interleaving two of them is one instruction on every machine there
/// is.
template <class T> struct quad {
  typedef typename T::number type __attribute__((vector_size(16)));
  static constexpr int size = 16 / sizeof(T);
};

/// The lower (Half = 0) or upper half of a and b, one element of each in turn.
template <class T, int Half>
[[gnu::always_inline]] inline typename quad<T>::type interleave(typename quad<T>::type a, typename quad<T>::type b) {
  constexpr int n = quad<T>::size;
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(a, b, (Half * n / 2 + I / 2 + I % 2 * n)...);
  }
  (std::make_integer_sequence<int, n>{});
}

/// A square of quad<T>::size rows. Interleaving row i with row i + half, log2(size) times, is a transposition.
template <class T>
[[gnu::always_inline]] inline void transpose_square(const T* from, std::int64_t from_step, T* to,
                                                    std::int64_t to_step) {
  constexpr int n = quad<T>::size;
  using vector = typename quad<T>::type;
  vector rows[n], mixed[n];
  each<n>([&](auto i) __attribute__((always_inline)) { std::memcpy(&rows[i], from + i * from_step, sizeof(vector)); });
  each<std::countr_zero(static_cast<unsigned>(n))>([&](auto) __attribute__((always_inline)) {
    each<n / 2>([&](auto i) __attribute__((always_inline)) {
      mixed[2 * i] = interleave<T, 0>(rows[i], rows[i + n / 2]);
      mixed[2 * i + 1] = interleave<T, 1>(rows[i], rows[i + n / 2]);
    });
    each<n>([&](auto i) __attribute__((always_inline)) { rows[i] = mixed[i]; });
  });
  each<n>([&](auto i) __attribute__((always_inline)) { std::memcpy(to + i * to_step, &rows[i], sizeof(vector)); });
}

/// So few rows that the compiler can be told how many: channels of a colour image, halves of a shuffle.
template <class T, int Rows>
inline void transpose_few_rows(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
                               std::int64_t columns) {
  for (std::int64_t j = 0; j < columns; ++j)
    each<Rows>([&](auto i) __attribute__((always_inline)) { to[j * to_step + i] = from[i * from_step + j]; });
}
/// The same the other way.
template <class T, int Columns>
inline void transpose_few_columns(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
                                  std::int64_t rows) {
  for (std::int64_t i = 0; i < rows; ++i)
    each<Columns>([&](auto j) __attribute__((always_inline)) { to[j * to_step + i] = from[i * from_step + j]; });
}

template <class T>
inline void transpose_elements(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t rows,
                               std::int64_t columns) {
  if (rows == 2) return transpose_few_rows<T, 2>(from, from_step, to, to_step, columns);
  if (rows == 3) return transpose_few_rows<T, 3>(from, from_step, to, to_step, columns);
  if (columns == 2) return transpose_few_columns<T, 2>(from, from_step, to, to_step, rows);
  if (columns == 3) return transpose_few_columns<T, 3>(from, from_step, to, to_step, rows);
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i) to[j * to_step + i] = from[i * from_step + j];
}

/// A tile of any size: whole squares, then what is left at its right and lower edge.
template <class T>
inline void transpose_tile(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t rows,
                           std::int64_t columns) {
  constexpr std::int64_t n = quad<T>::size;
  const std::int64_t square_rows = rows / n * n, square_columns = columns / n * n;
  for (std::int64_t j = 0; j < square_columns; j += n)
    for (std::int64_t i = 0; i < square_rows; i += n)
      transpose_square(from + i * from_step + j, from_step, to + j * to_step + i, to_step);
  transpose_elements(from + square_columns, from_step, to + square_columns * to_step, to_step, rows,
                     columns - square_columns);
  transpose_elements(from + square_rows * from_step, from_step, to + square_rows, to_step, rows - square_rows,
                     square_columns);
}

/// Tiles as wide and high as a cache line has elements, so that each line is read and written whole while it is in L1.
template <class T> inline constexpr std::int64_t tile_extent = 64 / std::int64_t{sizeof(T)};

/// A piece of one plane.
template <class T> inline void transpose_plane(const transposition& t, const T* from, T* to, const rectangle& piece) {
  constexpr std::int64_t tile = tile_extent<T>;
  const interval rows = piece.rows, columns = piece.columns;
  if (rows.size() < quad<T>::size || columns.size() < quad<T>::size)
    return transpose_elements(from + rows.begin * t.from_step + columns.begin, t.from_step,
                              to + columns.begin * t.to_step + rows.begin, t.to_step, rows.size(), columns.size());
  for (std::int64_t j = columns.begin; j < columns.end; j += tile)
    for (std::int64_t i = rows.begin; i < rows.end; i += tile) {
      const std::int64_t height = rows.end - i < tile ? rows.end - i : tile;
      const std::int64_t width = columns.end - j < tile ? columns.end - j : tile;
      transpose_tile(from + i * t.from_step + j, t.from_step, to + j * t.to_step + i, t.to_step, height, width);
    }
}

template <class T> void transpose_planes(const transposition& t, const std::byte* from, std::byte* to, part p) {
  constexpr std::int64_t tile = tile_extent<T>;
  // Either whole planes are shared, or the longer side of each, tile by tile.
  const bool cuts_rows = t.rows > t.columns;
  const std::int64_t side = cuts_rows ? t.rows : t.columns;
  const rectangle work = share(t.around.rows(), (side + tile - 1) / tile, p);
  const interval cut{work.columns.begin * tile, work.columns.end * tile < side ? work.columns.end * tile : side};
  const rectangle piece{cuts_rows ? cut : interval{0, t.rows}, cuts_rows ? interval{0, t.columns} : cut};
  box_position at(t.around, work.rows.begin);
  for (std::int64_t plane = work.rows.begin; plane < work.rows.end; ++plane, at.next_row(t.around))
    transpose_plane(t, reinterpret_cast<const T*>(from + at.from), reinterpret_cast<T*>(to + at.to), piece);
}

}  // namespace detail

/// Does part p of the transposition; input and output do not overlap and are aligned to their elements.
template <class Isa = void> void transpose(const transposition& t, const std::byte* from, std::byte* to, part p = {}) {
  if (t.moves_rows) return copy_box<Isa>(t.around, from, to, p);
  switch (t.around.row_bytes) {
    case 1:
      return detail::transpose_planes<detail::cell<1>>(t, from, to, p);
    case 2:
      return detail::transpose_planes<detail::cell<2>>(t, from, to, p);
    case 4:
      return detail::transpose_planes<detail::cell<4>>(t, from, to, p);
    default:
      return detail::transpose_planes<detail::cell<8>>(t, from, to, p);
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
// ===== nnrt/ops/transpose.hpp
// transpose: the axes of a tensor in another order, and to_nhwc / to_nchw, which bring images into an order.
// Flow: front ends call infer(); the layout pass moves and cancels these; kernels/select.hpp binds what is left.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Axis i of the result is axis perm[i] of x.
///
///   x: [d0 … dn]      perm: [n + 1] integers, constant, each axis once; negative ones count from the end
///   y: [d(perm[0]) … d(perm[n])]
///
/// Format of the result: that of its rank (NHWC for rank 4), but NCHW when the batch stays in front and the channel
/// axis (the last one of x, or axis 1 where x is NCHW) comes to axis 1.
///
/// Broken rules: see `rule`; axes are counted. Source: NNRt OH_NN_OPS_TRANSPOSE.
struct transpose {
  static constexpr op_code code{41};
  static constexpr std::string_view name = "transpose";
  static constexpr operand_spec inputs[] = {{"x", types::any}, {"perm", types::index, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 41, .hdi = 162};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule {
    perm_must_be_a_list,
    perm_must_name_every_axis,
    perm_must_be_known,
    perm_must_hold_axes_of_the_input,
    perm_must_name_an_axis_once,
  };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = require(rule::perm_must_be_a_list, in[1].desc.rank(), 1); !v) return v;
    if (auto v = require_same_extent(rule::perm_must_name_every_axis, in[1].desc.elements(), x.rank()); !v) return v;
    if (!in[1].has_values()) return refuse(rule::perm_must_be_known, 0, 1);
    chosen_axes order;
    if (auto v = choose_axes(order, in[1].values, x.rank(), rule::perm_must_hold_axes_of_the_input,
                             rule::perm_must_name_an_axis_once);
        !v)
      return v;
    shape_t y;
    for (int i = 0; i < order.count; ++i) y.push_back(x.shape[order.items[i]]);
    return yields(tensor_desc{x.type, layout_of(x, order), y, x.quantised});
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return;
    shape_t to, from;
    to.rank = from.rank = x.rank();
    do {
      for (int i = 0; i < to.rank; ++i) from[normalise_axis(in[1].integer(i), x.rank())] = to[i];
      y.at(to) = x.at(from);
    } while (next_index(to, y.shape));
  }

 private:
  static constexpr format layout_of(const tensor_desc& x, const chosen_axes& order) {
    const bool is_nchw = x.rank() == 4 && order.items[0] == 0 && order.items[1] == (x.layout == nchw ? 1 : 3);
    return is_nchw ? nchw : default_format(x.rank());
  }
};

}  // namespace ops

/// transpose(x, nnrt::perm<0, 2, 3, 1>).
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto transpose(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::transpose>(x, keywords...);
}

/// An image [N, C, H, W] as [N, H, W, C], in which image operators take it; one that is NHWC already stays as it is.
template <tensor_desc X> constexpr auto to_nhwc(tensor<X> x) {
  if constexpr (X.rank() == 4 && X.layout == nhwc) return x;
  else return dsl::apply<ops::transpose>(x, perm<0, 2, 3, 1>);
}

/// An image [N, H, W, C] as [N, C, H, W]; one that is NCHW already stays as it is.
template <tensor_desc X> constexpr auto to_nchw(tensor<X> x) {
  if constexpr (X.rank() == 4 && X.layout == nchw) return x;
  else return dsl::apply<ops::transpose>(x, perm<0, 3, 1, 2>);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::kernels {

template <class Isa> struct fast<ops::transpose, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    const tensor_desc& x = node.in[0].desc;
    shape_t perm;
    for (const std::int64_t axis : node.in[1].values) perm.push_back(normalise_axis(axis, x.rank()));
    const bool moves_rows = transposition_of(x.shape, perm, size_of(x.type)).moves_rows;
    return {.run = &run, .parts = parts_for(x.elements()), .name = moves_rows ? "copy rows" : "transpose planes"};
  }
  static void run(const kernel_call& call) {
    const view& x = call.in[0];
    shape_t perm;
    for (int i = 0; i < x.rank(); ++i) perm.push_back(normalise_axis(call.in[1].integer(i), x.rank()));
    transpose(transposition_of(x.shape(), perm, size_of(x.type())), bytes_in(call, 0), bytes_out(call), part_of(call));
  }
};

}  // namespace nnrt::inline NNRT_ISA::kernels

namespace nnrt::inline NNRT_ISA::kernels {

/// Every specialisation of fast is known from here on.
template <class Op> struct bindings {};

}  // namespace nnrt::inline NNRT_ISA::kernels

// ===== nnrt/exec/evaluate.hpp
// evaluate: a network computed by the compiler, by its operators' references.
// Flow: static_assert(nnrt::evaluate<net>(input)[0] == …); tests hold executors against it.

// ===== nnrt/core/typed_buffer.hpp
// typed_buffer: owned elements of any dtype that references can compute on in constant evaluation.
// Flow: evaluate<graph<f>> and the pass that evaluates constant nodes keep their tensors in such buffers.

namespace nnrt::inline NNRT_ISA {

/// The elements of one tensor, zero at first. Move only.
class typed_buffer {
 public:
  constexpr typed_buffer() = default;
  constexpr typed_buffer(dtype type, std::int64_t elements) : type_(type), elements_(elements) {
    with_element<types::any>(type, [&]<class T>(T) { data_ = new T[static_cast<std::size_t>(elements)](); });
  }
  constexpr typed_buffer(typed_buffer&& other) noexcept
      : type_(std::exchange(other.type_, dtype::none)), elements_(other.elements_), data_(other.data_) {}
  constexpr typed_buffer& operator=(typed_buffer&& other) noexcept {
    if (this != &other) {
      release();
      type_ = std::exchange(other.type_, dtype::none);
      elements_ = other.elements_;
      data_ = other.data_;
    }
    return *this;
  }
  constexpr ~typed_buffer() { release(); }

  constexpr dtype type() const { return type_; }
  constexpr std::int64_t elements() const { return elements_; }
  constexpr any_pointer data() const { return data_; }
  /// The elements as T, which must be the element type of type().
  template <class T> constexpr std::span<T> as() const { return {data_.get<T>(), static_cast<std::size_t>(elements_)}; }

 private:
  constexpr void release() {
    if (type_ != dtype::none) with_element<types::any>(type_, [&]<class T>(T) { delete[] data_.get<T>(); });
  }

  dtype type_ = dtype::none;
  std::int64_t elements_ = 0;
  any_pointer data_;
};

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/exec/static_graph.hpp
// static_graph: graph<f> - a network's function evaluated, optimised and planned by the compiler, and what is known of it.
// Flow: executor<graph<f>> runs its plan; evaluate<graph<f>> computes it in the compiler; dumps print it.

// ===== nnrt/exec/frozen.hpp
// frozen: graphs and plans as arrays of exactly their size, so that constant evaluation can keep them.
// Flow: static_graph.hpp evaluates each stage once for the sizes and once for the contents.

// ===== nnrt/exec/plan.hpp
// plan: a network as a list of kernel calls over one arena - what both kinds of executor walk.
// Flow: make_plan() turns an optimised graph into it, in constant evaluation (then it is frozen into .rodata) or at run time.

// ===== nnrt/passes/evaluate.hpp
// evaluate: computes nodes whose operands are all constants while the graph is planned.
// Flow: before folding, so that arithmetic on constants costs nothing at run time; nodes on weights become prepare steps instead.

// ===== nnrt/passes/uses.hpp
// uses: who makes each value of a graph and how often it is used; every pass starts from this.
// Flow: computed anew by each pass that rewrites nodes; compact() drops the nodes that a pass took out.

// ===== nnrt/ir/graph.hpp
// graph: the one form of a network between front ends and plans - values and nodes over shared pools.
// Flow: builder and readers make it, passes rewrite it (in constant evaluation or at run time), the planner turns it into steps.

namespace nnrt::inline NNRT_ISA::ir {

/// What a value is to the network.
enum class kind { input, weight, constant, result };

/// A stretch of one of the graph's pools.
struct range {
  std::int32_t first = 0;
  std::int32_t count = 0;
  friend constexpr bool operator==(const range&, const range&) = default;
};

inline constexpr std::int32_t none = -1;

/// A tensor of the network.
struct value {
  tensor_desc desc;
  kind is = kind::result;
  range name;                        // in text; inputs and weights have one
  std::int64_t first_byte = 0;       // of a constant, in bytes
  std::int32_t scales = none;        // the value that holds the scales of a per-channel quantised tensor
};

/// One operator applied to values.
struct node {
  const operator_info* op = nullptr;
  const operator_label* label = nullptr;  // of op; all that is left of it in graphs that are kept to be printed
  range attrs;                       // in words
  range inputs;                      // in operands; `none` for an optional operand that is missing
  range outputs;                     // in operands
  range name;                        // in text; empty: the operator's name is all it has
  bool removed = false;              // set by a pass that takes the node out; compact() drops it
};

/// A result that the user asked for, by name.
struct output {
  std::int32_t value = none;
  range name;
};

namespace detail {
template <class Pool> constexpr auto slice(Pool& pool, range at) { return std::span(pool.data() + at.first, static_cast<std::size_t>(at.count)); }
}  // namespace detail

/// What a pass can do to a node.
enum class change { evaluated, merged, folded, fused, removed };

/// One thing that a pass did, for graph::text().
struct event {
  change what{};
  const operator_label* op = nullptr;    // the node that is gone
  const operator_label* into = nullptr;  // the node that took its work over; nullptr: none needs to
  range name;                            // of that node
};

/// The pools are public: passes are plain functions over them. Every id is an index into `values`. Nodes are in an order in which
/// every value is made before it is used.
struct graph {
  pool<value> values;
  pool<node> nodes;
  pool<std::int32_t> inputs;      // in order of declaration
  pool<output> outputs;
  pool<std::int32_t> operands;
  pool<word> words;
  pool<char> text;
  pool<std::byte> bytes;          // elements of constants, each tensor at a multiple of 64
  pool<event> log;                // what the passes did, in order

  constexpr value& at(std::int32_t id) { return values[static_cast<std::size_t>(id)]; }
  constexpr const value& at(std::int32_t id) const { return values[static_cast<std::size_t>(id)]; }
  constexpr std::span<const std::int32_t> inputs_of(const node& n) const { return detail::slice(operands, n.inputs); }
  constexpr std::span<std::int32_t> inputs_of(const node& n) { return detail::slice(operands, n.inputs); }
  constexpr std::span<const std::int32_t> outputs_of(const node& n) const { return detail::slice(operands, n.outputs); }
  constexpr std::span<const word> attrs_of(const node& n) const { return detail::slice(words, n.attrs); }
  constexpr std::span<word> attrs_of(const node& n) { return detail::slice(words, n.attrs); }
  constexpr std::string_view name_of(range name) const { return {text.data() + name.first, static_cast<std::size_t>(name.count)}; }

  constexpr range add_text(std::string_view name) {
    const range at{static_cast<std::int32_t>(text.size()), static_cast<std::int32_t>(name.size())};
    text.insert(name.begin(), name.end());
    return at;
  }
  constexpr range add_operands(std::span<const std::int32_t> ids) {
    const range at{static_cast<std::int32_t>(operands.size()), static_cast<std::int32_t>(ids.size())};
    operands.insert(ids.begin(), ids.end());
    return at;
  }
  constexpr range add_words(std::span<const word> list) {
    const range at{static_cast<std::int32_t>(words.size()), static_cast<std::int32_t>(list.size())};
    words.insert(list.begin(), list.end());
    return at;
  }
  constexpr std::int32_t add_value(const value& v) {
    values.push_back(v);
    return static_cast<std::int32_t>(values.size()) - 1;
  }
  /// A constant with these elements; T is the element type of desc.type.
  template <class T> constexpr std::int32_t add_constant(const tensor_desc& desc, std::span<const T> elements) {
    const std::size_t first = (bytes.size() + 63) / 64 * 64;
    while (bytes.size() < first) bytes.push_back(std::byte{});
    for (const T& element : elements) {
      const auto raw = std::bit_cast<std::array<std::byte, sizeof(T)>>(element);
      bytes.insert(raw.begin(), raw.end());
    }
    return add_value({desc, kind::constant, {}, static_cast<std::int64_t>(first), none});
  }
  /// The i-th element of a constant.
  template <class T> constexpr T element(const value& constant, std::int64_t i) const {
    std::array<std::byte, sizeof(T)> raw{};
    std::copy_n(bytes.begin() + constant.first_byte + i * std::int64_t{sizeof(T)}, sizeof(T), raw.begin());
    if constexpr (std::is_same_v<T, bool>) return raw[0] != std::byte{};  // bytes of a file may be neither 0 nor 1
    else return std::bit_cast<T>(raw);
  }

};

/// The integers of a constant of integer or boolean dtype are appended to `list`; of other values nothing is.
constexpr void append_integers(const graph& g, const value& v, pool<std::int64_t>& list) {
  if (v.is != kind::constant) return;
  with_element<types::integer | types::logical>(v.desc.type, [&]<class T>(T) {
    for (std::int64_t i = 0; i < v.desc.elements(); ++i) list.push_back(static_cast<std::int64_t>(g.element<T>(v, i)));
  });
}

/// Longer integer constants are weights or tables, whose values no rule reads.
inline constexpr std::int64_t longest_read_list = 256;

/// The operands of a node as rules see them. Owns the integers that the operands point to.
struct operand_list {
  pool<operand> operands;
  pool<std::int64_t> integers;

  /// `known`, when given, says for each value whether it is ready before the network runs; else constants and weights are.
  constexpr operand_list(const graph& g, std::span<const std::int32_t> ids, std::span<const char> known = {}) {
    operands.reserve(ids.size());
    for (const std::int32_t id : ids) {
      operand made;
      if (id != none) {
        made.desc = g.at(id).desc;
        made.constant = known.empty() ? g.at(id).is == kind::constant || g.at(id).is == kind::weight : known[static_cast<std::size_t>(id)] != 0;
        if (has_read_list(g.at(id))) append_integers(g, g.at(id), integers);
      }
      operands.push_back(made);
    }
    if (!integers.empty()) point_to_integers(g, ids);
  }

 private:
  static constexpr bool has_read_list(const value& v) {
    return v.is == kind::constant && (types::integer | types::logical).contains(v.desc.type) && v.desc.elements() <= longest_read_list;
  }
  constexpr void point_to_integers(const graph& g, std::span<const std::int32_t> ids) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == none || !has_read_list(g.at(ids[i]))) continue;
      const auto count = static_cast<std::size_t>(g.at(ids[i]).desc.elements());
      operands[i].values = std::span<const std::int64_t>(integers.data() + next, count);
      next += count;
    }
  }
};

}  // namespace nnrt::inline NNRT_ISA::ir

namespace nnrt::inline NNRT_ISA::passes {

/// Producers and uses of all values of a graph.
struct use_table {
  pool<std::int32_t> producer;  // index of the node that makes a value; none for inputs, weights, constants
  pool<std::int32_t> uses;      // reads by nodes, and one for each time it is an output of the graph

  constexpr explicit use_table(const ir::graph& g) {
    producer.assign(g.values.size(), ir::none);
    uses.assign(g.values.size(), 0);
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      for (const std::int32_t id : g.outputs_of(g.nodes[i])) producer[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(i);
      for (const std::int32_t id : g.inputs_of(g.nodes[i]))
        if (id != ir::none) ++uses[static_cast<std::size_t>(id)];
    }
    for (const ir::output& out : g.outputs) ++uses[static_cast<std::size_t>(out.value)];
  }
  constexpr std::int32_t producer_of(std::int32_t id) const { return producer[static_cast<std::size_t>(id)]; }
  constexpr std::int32_t uses_of(std::int32_t id) const { return uses[static_cast<std::size_t>(id)]; }
};

/// Drops the nodes that a pass has marked. (A mark, not a null operator: with -fsanitize=undefined g++ 12 compares no pointers to
/// variable templates in constant evaluation.)
constexpr void compact(ir::graph& g) {
  g.nodes.erase_if([](const ir::node& n) { return n.removed; });
}

/// Lets every reader of `from`, outputs of the graph included, read `to`.
constexpr void redirect(ir::graph& g, std::span<const std::int32_t> to_of) {
  for (const ir::node& n : g.nodes)
    for (std::int32_t& id : g.inputs_of(n))
      if (id != ir::none) id = to_of[static_cast<std::size_t>(id)];
  for (ir::output& out : g.outputs) out.value = to_of[static_cast<std::size_t>(out.value)];
}

/// 0, 1, 2, …: the table of redirect() that changes nothing.
constexpr pool<std::int32_t> identity_of(const ir::graph& g) {
  pool<std::int32_t> to;
  to.reserve(g.values.size());
  for (std::size_t i = 0; i < g.values.size(); ++i) to.push_back(static_cast<std::int32_t>(i));
  return to;
}

}  // namespace nnrt::inline NNRT_ISA::passes

namespace nnrt::inline NNRT_ISA::passes {

/// Larger results stay nodes: they become prepare steps, which run at machine speed when an executor is made.
inline constexpr std::int64_t most_evaluated_elements = 1024;

namespace detail {

/// The elements of a constant in a buffer that references can read.
constexpr typed_buffer load(const ir::graph& g, const ir::value& constant) {
  typed_buffer buffer(constant.desc.type, constant.desc.elements());
  with_element<types::any>(constant.desc.type, [&]<class T>(T) {
    const std::span<T> elements = buffer.as<T>();
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = g.element<T>(constant, static_cast<std::int64_t>(i));
  });
  return buffer;
}

/// Makes the value a constant with these elements.
constexpr void store(ir::graph& g, std::int32_t id, const typed_buffer& buffer) {
  with_element<types::any>(buffer.type(), [&]<class T>(T) {
    const std::int32_t made = g.add_constant<T>(g.at(id).desc, buffer.as<T>());
    g.at(id).is = ir::kind::constant;
    g.at(id).first_byte = g.at(made).first_byte;
    g.values.pop_back();
  });
}

constexpr bool can_evaluate(const ir::graph& g, const ir::node& n) {
  for (const std::int32_t id : g.inputs_of(n)) {
    if (id == ir::none) continue;
    const ir::value& v = g.at(id);
    if (v.is != ir::kind::constant || v.desc.elements() > most_evaluated_elements || v.scales != ir::none) return false;
  }
  for (const std::int32_t id : g.outputs_of(n)) {
    const std::int64_t elements = g.at(id).desc.elements();
    if (elements < 0 || elements > most_evaluated_elements) return false;
  }
  const std::span<const tensor_desc> out(&g.at(g.outputs_of(n)[0]).desc, 1);
  return n.op->macs(g.attrs_of(n), ir::operand_list(g, g.inputs_of(n)).operands, out) <= most_evaluated_elements;
}

constexpr void evaluate(ir::graph& g, const ir::node& n) {
  std::vector<typed_buffer> buffers;
  pool<tensor_desc> descs;
  buffers.reserve(static_cast<std::size_t>(n.inputs.count + n.outputs.count));
  descs.reserve(static_cast<std::size_t>(n.inputs.count + n.outputs.count));  // views point into it
  pool<view> in, out;
  for (const std::int32_t id : g.inputs_of(n)) {
    if (id == ir::none) {
      in.push_back({});
      continue;
    }
    descs.push_back(g.at(id).desc);
    buffers.push_back(load(g, g.at(id)));
    in.push_back({&descs.back(), buffers.back().data()});
  }
  for (const std::int32_t id : g.outputs_of(n)) {
    descs.push_back(g.at(id).desc);
    buffers.push_back(typed_buffer(g.at(id).desc.type, g.at(id).desc.elements()));
    out.push_back({&descs.back(), buffers.back().data()});
  }
  n.op->reference(g.attrs_of(n), in, out);
  const std::size_t first_output = buffers.size() - static_cast<std::size_t>(n.outputs.count);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n.outputs.count); ++i) store(g, g.outputs_of(n)[i], buffers[first_output + i]);
}

}  // namespace detail

/// Evaluates every node whose operands are small constants; its outputs become constants.
constexpr void evaluate_constants(ir::graph& g) {
  bool changed = false;
  for (ir::node& n : g.nodes) {
    if (!detail::can_evaluate(g, n)) continue;
    detail::evaluate(g, n);
    g.log.push_back({ir::change::evaluated, n.label, nullptr, n.name});
    n.removed = true;
    changed = true;
  }
  if (changed) compact(g);
}

}  // namespace nnrt::inline NNRT_ISA::passes
// ===== nnrt/passes/fold.hpp
// fold: moves batch_norm and bias_add into the weights of the layer before them, as prepare nodes.
// Flow: after constants are evaluated, before activations are fused; the planner runs nodes on weights once, when an executor is made.

// ===== nnrt/ops/fold_affine.hpp
// fold_affine: the weights of a layer with the batch_norm or bias_add behind it in them; internal.
// Flow: passes/fold.hpp makes nodes of it; as all their operands are known, the planner runs them once, in prepare.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Weight and bias of a layer (conv2d, depthwise_conv2d, conv2d_transpose, full_connection) that computes what the
/// layer and the channel-wise affine map behind it compute together. It works on weights, runs once when an executor is
/// made, and has no function for users.
///
///   weight: any shape with O output channels along `axis`; bias, addend: [O]; scale, offset, mean, variance: [O]
///   out: folded_weight, like weight, = weight * s[o]; s = scale / sqrt(variance + epsilon)
///        folded_bias [O] = (bias[o] - mean[o]) * s[o] + offset[o] + addend[o]
///
/// bias and addend count as 0 and s as 1 where they are missing; of the four of a batch_norm there are all or none.
/// Computed in double, rounded to the dtype at the end. Broken rules: see `rule`. Source: this library.
struct fold_affine {
  static constexpr op_code code{1000};
  static constexpr std::string_view name = "fold_affine";
  static constexpr operand_spec inputs[] = {
      {"weight", types::floating},
      {"bias", types::floating, presence::optional},
      {"scale", types::floating, presence::optional},
      {"offset", types::floating, presence::optional},
      {"mean", types::floating, presence::optional},
      {"variance", types::floating, presence::optional},
      {"addend", types::floating, presence::optional},
  };
  static constexpr operand_spec outputs[] = {{"folded_weight", types::floating}, {"folded_bias", types::floating}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (float, epsilon), (std::int64_t, axis));
    constexpr attrs() : epsilon(1e-4F), axis(0) {}
  };

  enum class rule {
    axis_must_be_an_axis_of_the_weight,
    batch_norm_must_have_all_its_parameters,
    parameter_types_must_equal_weight_type,
    parameters_must_have_one_element_for_each_channel,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& w = in[0].desc;
    const int axis = normalise_axis(a.axis, w.rank());
    if (axis < 0) return refuse(rule::axis_must_be_an_axis_of_the_weight, a.axis, w.rank() - 1);
    const std::int64_t channels = w.shape[axis];
    std::int64_t of_batch_norm = 0;
    for (std::size_t i = 1; i < in.size(); ++i) {
      if (!in[i]) continue;
      if (i >= 2 && i < 6) ++of_batch_norm;
      const tensor_desc& given = in[i].desc;
      if (auto v = require(rule::parameter_types_must_equal_weight_type, given.type, w.type); !v) return v;
      constexpr auto count = rule::parameters_must_have_one_element_for_each_channel;
      if (auto v = require_same_extent(count, given.elements(), channels); !v) return v;
    }
    if (of_batch_norm != 0 && of_batch_norm != 4)
      return refuse(rule::batch_norm_must_have_all_its_parameters, of_batch_norm, 4);
    return yields(w, tensor_desc{w.type, {channels}});
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto weight = in[0].as<const T>();
    const auto folded_weight = out[0].as<T>(), folded_bias = out[1].as<T>();
    const int axis = normalise_axis(a.axis, weight.rank());
    const std::int64_t channels = weight.extent(axis), inner = weight.shape.elements(axis + 1);
    const std::int64_t blocks = weight.shape.elements(0, axis) * channels;  // of numbers with one factor
    for (std::int64_t block = 0; block < blocks; ++block) {
      const double factor = factor_of<T>(a, in, block % channels);
      for (std::int64_t i = block * inner; i < (block + 1) * inner; ++i)
        folded_weight[i] = math::convert<T>(math::convert<double>(weight[i]) * factor);
    }
    for (std::int64_t c = 0; c < channels; ++c) {
      const double normalised = (at<T>(in, 1, c) - at<T>(in, 4, c)) * factor_of<T>(a, in, c);
      folded_bias[c] = math::convert<T>(normalised + at<T>(in, 3, c) + at<T>(in, 6, c));
    }
  }

 private:
  /// Element c of operand i, 0 where there is none.
  template <class T> static constexpr double at(arguments in, std::size_t i, std::int64_t c) {
    return i < in.size() && in[i] ? math::convert<double>(in[i].as<const T>()[c]) : 0.0;
  }
  template <class T> static constexpr double factor_of(const attrs& a, arguments in, std::int64_t c) {
    if (in.size() < 6 || !in[2]) return 1.0;
    return at<T>(in, 2, c) / math::sqrt(at<T>(in, 5, c) + double{a.epsilon});
  }
};

}  // namespace ops
}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::passes {

/// For each value whether it is known before the network runs: constants, weights, and what is computed from them alone.
constexpr pool<char> known_values(const ir::graph& g) {
  pool<char> known;
  known.reserve(g.values.size());
  for (const ir::value& v : g.values) known.push_back(v.is == ir::kind::constant || v.is == ir::kind::weight ? 1 : 0);
  for (const ir::node& n : g.nodes) {
    char all = 1;
    for (const std::int32_t id : g.inputs_of(n))
      if (id != ir::none && known[static_cast<std::size_t>(id)] == 0) all = 0;
    for (const std::int32_t id : g.outputs_of(n)) known[static_cast<std::size_t>(id)] = all;
  }
  return known;
}

namespace detail {

/// The state of one run of fold_into_weights.
struct folding {
  ir::graph& g;
  use_table table;
  pool<char> known;
  pool<ir::node> prepared;  // the new nodes, in an order in which they can run

  constexpr explicit folding(ir::graph& graph) : g(graph), table(graph), known(known_values(graph)) {}

  constexpr bool is_known(std::int32_t id) const { return id == ir::none || known[static_cast<std::size_t>(id)] != 0; }

  /// The layer whose result alone `n` reads, if n can be folded into it.
  constexpr ir::node* layer_before(const ir::node& n) {
    const std::int32_t x = g.inputs_of(n)[0];
    if (table.producer_of(x) == ir::none || table.uses_of(x) != 1) return nullptr;
    ir::node& layer = g.nodes[static_cast<std::size_t>(table.producer_of(x))];
    if (layer.removed || layer.op->traits.weights == weights_role::none || layer.op->fused_word < 0) return nullptr;
    if (is_known(x)) return nullptr;  // the layer runs once as it is, and prepare nodes do not wait for each other
    if (g.attrs_of(layer)[static_cast<std::size_t>(layer.op->fused_word)] != static_cast<word>(activation::none)) return nullptr;
    if (!types::floating.contains(g.at(x).desc.type)) return nullptr;
    if (!is_known(g.inputs_of(layer)[1]) || !is_known(bias_of(layer))) return nullptr;
    for (std::size_t i = 1; i < g.inputs_of(n).size(); ++i)
      if (!is_known(g.inputs_of(n)[i])) return nullptr;
    return &layer;
  }
  constexpr std::int32_t bias_of(const ir::node& layer) const { return layer.inputs.count > 2 ? g.inputs_of(layer)[2] : ir::none; }

  constexpr std::int32_t add_known(const tensor_desc& desc) {
    known.push_back(1);
    table.uses.push_back(1);
    table.producer.push_back(ir::none);
    return g.add_value({desc, ir::kind::result, {}, 0, ir::none});
  }

  /// Gives the layer new weights, and the node's result as its own.
  constexpr void replace(ir::node& layer, ir::node& n, std::int32_t weight, std::int32_t bias) {
    const std::int32_t operands[] = {g.inputs_of(layer)[0], weight, bias};
    layer.inputs = g.add_operands(operands);
    const std::int32_t y = g.outputs_of(n)[0];
    g.operands[static_cast<std::size_t>(layer.outputs.first)] = y;
    table.producer[static_cast<std::size_t>(y)] = static_cast<std::int32_t>(&layer - g.nodes.data());
    g.log.push_back({ir::change::folded, n.label, layer.label, layer.name});
    n.removed = true;
  }

  /// A prepare node that computes the weights of `layer` with `n` in them.
  constexpr void fold(ir::node& layer, ir::node& n) {
    const std::int32_t weight = g.inputs_of(layer)[1], bias = bias_of(layer);
    const bool normalises = n.op->traits.computes == meaning::batch_norm;
    if (!normalises && bias == ir::none) return replace(layer, n, weight, g.inputs_of(n)[1]);
    ops::fold_affine::attrs attrs;
    if (normalises) attrs.epsilon = std::bit_cast<float>(static_cast<std::int32_t>(g.attrs_of(n)[0]));
    std::int32_t operands[7] = {weight, bias, ir::none, ir::none, ir::none, ir::none, ir::none};
    if (normalises) std::copy_n(g.inputs_of(n).begin() + 1, 4, operands + 2);
    else operands[6] = g.inputs_of(n)[1];
    const tensor_desc kernel = g.at(weight).desc;
    const std::int32_t results[] = {add_known(kernel), add_known(tensor_desc{kernel.type, {kernel.shape[0]}})};
    pool<word> words;
    pack(attrs, words);
    prepared.push_back({&dynamic_operator<ops::fold_affine>, &label_of<ops::fold_affine>, g.add_words(words), g.add_operands(operands), g.add_operands(results), layer.name});
    replace(layer, n, results[0], results[1]);
  }
};

/// Nodes on known values first, then the new ones, then the rest: an order in which everything is made before it is used.
constexpr void insert_prepared(ir::graph& g, const folding& state) {
  pool<ir::node> ordered;
  ordered.reserve(g.nodes.size() + state.prepared.size());
  const auto is_prepared = [&](const ir::node& n) { return state.known[static_cast<std::size_t>(g.outputs_of(n)[0])] != 0; };
  for (const ir::node& n : g.nodes)
    if (!n.removed && is_prepared(n)) ordered.push_back(n);
  ordered.insert(state.prepared.begin(), state.prepared.end());
  for (const ir::node& n : g.nodes)
    if (!n.removed && !is_prepared(n)) ordered.push_back(n);
  g.nodes = static_cast<pool<ir::node>&&>(ordered);
}

}  // namespace detail

/// batch_norm and bias_add after a convolution or dense layer with known weights become part of those weights.
constexpr void fold_into_weights(ir::graph& g) {
  detail::folding state(g);
  const std::size_t events = g.log.size();
  for (ir::node& n : g.nodes) {
    if (n.op->traits.computes != meaning::batch_norm && n.op->traits.computes != meaning::bias_add) continue;
    if (ir::node* const layer = state.layer_before(n)) state.fold(*layer, n);
  }
  if (g.log.size() != events) detail::insert_prepared(g, state);
}

}  // namespace nnrt::inline NNRT_ISA::passes
// ===== nnrt/passes/plan_memory.hpp
// plan_memory: decides where every computed value lives - shared, in place, joined - and lays the pieces out in one arena.
// Flow: last pass over the graph; the plan turns its answer into operand addresses.

namespace nnrt::inline NNRT_ISA::passes {

inline constexpr std::int64_t arena_alignment = 64;

constexpr std::int64_t aligned(std::int64_t bytes) { return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment; }

/// A piece of the arena and the steps (first to last, both included) between which it is in use.
struct block {
  std::int64_t bytes = 0;
  std::int32_t first = 0;
  std::int32_t last = 0;
  std::int64_t offset = 0;             // in the arena, once placed
  std::int32_t parent = ir::none;      // a block that this one has become part of
  std::int64_t offset_in_parent = 0;
};

/// Where a value lives: a block and an offset in it. No block: it is not computed while the network runs, or aliases such a value.
struct location {
  std::int32_t block = ir::none;
  std::int64_t offset = 0;
  std::int32_t same_as = ir::none;     // the input, weight or constant whose very bytes the value has
};

/// Blocks and locations of a graph; index of a node = its step.
struct memory_plan {
  pool<block> blocks;
  pool<location> of;                   // for each value
  pool<char> elided;                   // for each node: whether its results are where they belong without any work
  std::int64_t arena_bytes = 0;
  std::int64_t lower_bound = 0;        // largest sum, over the steps, of the bytes in use

  constexpr location& at(std::int32_t id) { return of[static_cast<std::size_t>(id)]; }
  constexpr const location& at(std::int32_t id) const { return of[static_cast<std::size_t>(id)]; }
  constexpr block& block_at(std::int32_t id) { return blocks[static_cast<std::size_t>(id)]; }

  constexpr std::int32_t add_block(std::int64_t bytes, std::int32_t first, std::int32_t last) {
    blocks.push_back({bytes, first, last});
    return static_cast<std::int32_t>(blocks.size()) - 1;
  }
  /// The location in the outermost block.
  constexpr location resolve(location l) const {
    while (l.block != ir::none && blocks[static_cast<std::size_t>(l.block)].parent != ir::none) {
      const block& inner = blocks[static_cast<std::size_t>(l.block)];
      l.offset += inner.offset_in_parent;
      l.block = inner.parent;
    }
    return l;
  }
  /// Offset in the arena; only after place().
  constexpr std::int64_t address(std::int32_t id) const {
    const location l = resolve(at(id));
    return blocks[static_cast<std::size_t>(l.block)].offset + l.offset;
  }
};

namespace detail {

/// Assigns blocks to the values of one graph, node by node.
struct block_assigner {
  const ir::graph& g;
  std::span<const char> known;          // values that are ready before the network runs
  memory_plan plan;
  pool<std::int32_t> last_use;   // last step that reads a value; the step after the last one for outputs

  constexpr block_assigner(const ir::graph& graph, std::span<const char> known_before) : g(graph), known(known_before) {
    plan.of.assign(g.values.size(), {});
    plan.elided.assign(g.nodes.size(), 0);
    last_use.assign(g.values.size(), -1);
    const auto steps = static_cast<std::int32_t>(g.nodes.size());
    for (std::int32_t i = 0; i < steps; ++i)
      for (const std::int32_t id : g.inputs_of(g.nodes[static_cast<std::size_t>(i)]))
        if (id != ir::none) last_use[static_cast<std::size_t>(id)] = i;
    for (const ir::output& out : g.outputs) last_use[static_cast<std::size_t>(out.value)] = steps;
  }

  constexpr bool is_known(std::int32_t id) const { return known[static_cast<std::size_t>(id)] != 0; }
  constexpr std::int32_t last_of(std::int32_t id) const { return last_use[static_cast<std::size_t>(id)]; }

  /// The outermost block of a computed value; nullptr for others.
  constexpr block* block_of(std::int32_t id) {
    if (id == ir::none || plan.at(id).block == ir::none) return nullptr;
    return &plan.block_at(plan.resolve(plan.at(id)).block);
  }

  /// Lets `to` live where `from` does, `offset` bytes further.
  constexpr void share(std::int32_t from, std::int32_t to, std::int64_t offset) {
    plan.at(to) = plan.at(from);
    if (block* const shared = block_of(from)) {
      plan.at(to).offset += offset;
      shared->last = std::max(shared->last, last_of(to));
    } else {
      plan.at(to).same_as = plan.at(from).same_as == ir::none ? from : plan.at(from).same_as;
      plan.at(to).offset += offset;
    }
  }

  /// Whether writing over `id` would spoil another operand that overlaps it without being the very same bytes (a part of it, say).
  constexpr bool spoils_another(const ir::node& n, std::int32_t id) const {
    const location mine = plan.resolve(plan.at(id));
    const std::int64_t my_bytes = g.at(id).desc.bytes();
    for (const std::int32_t other : g.inputs_of(n)) {
      if (other == ir::none || other == id || plan.at(other).block == ir::none) continue;
      const location its = plan.resolve(plan.at(other));
      const std::int64_t its_bytes = g.at(other).desc.bytes();
      if (its.block != mine.block || its.offset >= mine.offset + my_bytes || mine.offset >= its.offset + its_bytes) continue;
      if (its.offset != mine.offset || its_bytes != my_bytes) return true;
    }
    return false;
  }

  /// An operand of the node's own size that nobody reads after step i; none when there is no such.
  constexpr std::int32_t operand_to_overwrite(const ir::node& n, std::int32_t i) {
    const tensor_desc& y = g.at(g.outputs_of(n)[0]).desc;
    for (const std::int32_t id : g.inputs_of(n)) {
      block* const b = block_of(id);
      if (b != nullptr && b->last == i && g.at(id).desc.bytes() == y.bytes() && g.at(id).desc.type == y.type && !spoils_another(n, id)) return id;
    }
    return ir::none;
  }

  /// Whether the part lies in the whole in one piece: it does when it has one index along every axis outside the last one that is cut.
  static constexpr bool is_one_piece(const tensor_desc& whole, const tensor_desc& part) {
    int cut = whole.rank() - 1;
    while (cut >= 0 && whole.shape[cut] == part.shape[cut]) --cut;
    for (int axis = 0; axis < cut; ++axis)
      if (part.shape[axis] != 1) return false;
    return true;
  }

  /// Whether concat's operands can be written straight into its result: each fills a block of its own that is no part of another.
  constexpr bool can_join(const ir::node& n) {
    const tensor_desc& whole = g.at(g.outputs_of(n)[0]).desc;
    for (std::size_t i = 0; i < g.inputs_of(n).size(); ++i) {
      const std::int32_t id = g.inputs_of(n)[i];
      const location at = plan.at(id);
      if (at.block == ir::none || at.offset != 0) return false;
      const block& b = plan.block_at(at.block);
      if (b.parent != ir::none || b.bytes != g.at(id).desc.bytes() || b.bytes == 0 || !is_one_piece(whole, g.at(id).desc)) return false;
      for (std::size_t k = 0; k < i; ++k)
        if (plan.at(g.inputs_of(n)[k]).block == at.block) return false;
    }
    return true;
  }
  constexpr void join(const ir::node& n, std::int32_t i) {
    const std::int32_t y = g.outputs_of(n)[0];
    const std::int32_t whole = plan.add_block(g.at(y).desc.bytes(), i, std::max(i, last_of(y)));
    plan.at(y) = {whole, 0, ir::none};
    std::int64_t offset = 0;
    for (const std::int32_t id : g.inputs_of(n)) {
      block& part = plan.block_at(plan.at(id).block);
      part.parent = whole;
      part.offset_in_parent = offset;
      offset += part.bytes;
      plan.block_at(whole).first = std::min(plan.block_at(whole).first, part.first);
      plan.block_at(whole).last = std::max(plan.block_at(whole).last, part.last);
    }
  }

  constexpr bool can_view(const ir::node& n) const {
    if (!n.op->traits.outputs_are_parts) return false;
    for (const std::int32_t id : g.outputs_of(n))
      if (!is_one_piece(g.at(g.inputs_of(n)[0]).desc, g.at(id).desc)) return false;
    return true;
  }
  constexpr void view(const ir::node& n) {
    const ir::operand_list operands(g, g.inputs_of(n), known);
    pool<tensor_desc> descs;
    for (const std::int32_t id : g.outputs_of(n)) descs.push_back(g.at(id).desc);
    for (std::size_t i = 0; i < descs.size(); ++i) {
      const std::int64_t offset = n.op->part_offset(g.attrs_of(n), operands.operands, descs, static_cast<int>(i));
      share(g.inputs_of(n)[0], g.outputs_of(n)[i], offset * size_of(descs[i].type));
    }
  }

  /// Lets the results of node i live where they are anyway, if that can be; true when nothing is left to do.
  constexpr bool elide(const ir::node& n, std::int32_t i) {
    if (n.op->traits.result == storage::alias_of_input) return share(g.inputs_of(n)[0], g.outputs_of(n)[0], 0), true;
    if (can_view(n)) return view(n), true;
    if (n.op->traits.joins_inputs && !is_known(g.outputs_of(n)[0]) && can_join(n)) return join(n, i), true;
    return false;
  }

  constexpr void assign(const ir::node& n, std::int32_t i) {
    if (n.op->traits.result == storage::in_place) {
      const std::int32_t overwritten = operand_to_overwrite(n, i);
      if (overwritten != ir::none) return share(overwritten, g.outputs_of(n)[0], 0);
    }
    for (const std::int32_t id : g.outputs_of(n)) plan.at(id) = {plan.add_block(g.at(id).desc.bytes(), i, std::max(i, last_of(id))), 0, ir::none};
  }
};

/// Heap sort: std::sort takes three times as many constexpr steps.
template <class Less> constexpr void sort(pool<std::int32_t>& list, Less less) {
  const auto sift = [&](std::size_t at, std::size_t count) {
    for (std::size_t child = 2 * at + 1; child < count; at = child, child = 2 * at + 1) {
      if (child + 1 < count && less(list[child], list[child + 1])) ++child;
      if (!less(list[at], list[child])) return;
      std::swap(list[at], list[child]);
    }
  };
  for (std::size_t i = list.size() / 2; i-- > 0;) sift(i, list.size());
  for (std::size_t count = list.size(); count-- > 1;) {
    std::swap(list[0], list[count]);
    sift(0, count);
  }
}

/// A list of blocks for each step, linked through one pool.
class step_lists {
 public:
  constexpr explicit step_lists(std::int32_t steps) { first_.assign(static_cast<std::size_t>(steps) + 1, ir::none); }
  constexpr void add(std::int32_t step, std::int32_t block) {
    links_.push_back({block, first_[static_cast<std::size_t>(step)]});
    first_[static_cast<std::size_t>(step)] = static_cast<std::int32_t>(links_.size()) - 1;
  }
  template <class F> constexpr void for_each(std::int32_t step, F f) const {
    for (std::int32_t i = first_[static_cast<std::size_t>(step)]; i != ir::none; i = links_[static_cast<std::size_t>(i)].next) f(links_[static_cast<std::size_t>(i)].block);
  }

 private:
  struct link {
    std::int32_t block = ir::none;
    std::int32_t next = ir::none;
  };
  pool<std::int32_t> first_;
  pool<link> links_;
};

/// Offsets for all outermost blocks: the largest first, each into the smallest gap that fits among the blocks of its lifetime.
constexpr void place(memory_plan& plan, std::int32_t steps) {
  pool<std::int32_t> order;
  for (std::size_t i = 0; i < plan.blocks.size(); ++i)
    if (plan.blocks[i].parent == ir::none && plan.blocks[i].bytes > 0) order.push_back(static_cast<std::int32_t>(i));
  sort(order, [&](std::int32_t a, std::int32_t b) {
    const std::int64_t x = plan.block_at(a).bytes, y = plan.block_at(b).bytes;
    return x != y ? x > y : a < b;
  });
  step_lists in_use(steps);
  pool<std::int32_t> neighbours;
  for (const std::int32_t id : order) {
    block& b = plan.block_at(id);
    neighbours.clear();
    for (std::int32_t t = b.first; t <= b.last; ++t)
      in_use.for_each(t, [&](std::int32_t other) {
        if (t == b.first || plan.block_at(other).first == t) neighbours.push_back(other);
      });
    sort(neighbours, [&](std::int32_t x, std::int32_t y) { return plan.block_at(x).offset < plan.block_at(y).offset; });
    std::int64_t end = 0, best = -1, best_gap = 0;
    for (const std::int32_t other : neighbours) {
      const std::int64_t gap = plan.block_at(other).offset - end;
      if (gap >= aligned(b.bytes) && (best < 0 || gap < best_gap)) best = end, best_gap = gap;
      end = std::max(end, plan.block_at(other).offset + aligned(plan.block_at(other).bytes));
    }
    b.offset = best < 0 ? end : best;
    plan.arena_bytes = std::max(plan.arena_bytes, b.offset + aligned(b.bytes));
    for (std::int32_t t = b.first; t <= b.last; ++t) in_use.add(t, id);
  }
  for (std::int32_t t = 0; t <= steps; ++t) {
    std::int64_t sum = 0;
    in_use.for_each(t, [&](std::int32_t id) { sum += aligned(plan.block_at(id).bytes); });
    plan.lower_bound = std::max(plan.lower_bound, sum);
  }
}

}  // namespace detail

/// Blocks for the values that are computed while the network runs; offsets come with place_blocks(), once scratch memory is added.
constexpr memory_plan assign_blocks(const ir::graph& g, std::span<const char> known) {
  detail::block_assigner assigner(g, known);
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const ir::node& n = g.nodes[i];
    if (assigner.elide(n, static_cast<std::int32_t>(i))) assigner.plan.elided[i] = 1;
    else if (!assigner.is_known(g.outputs_of(n)[0])) assigner.assign(n, static_cast<std::int32_t>(i));  // known values get memory elsewhere
  }
  return static_cast<memory_plan&&>(assigner.plan);
}

/// Lays the blocks out; `steps` is the number of nodes of the graph.
constexpr void place_blocks(memory_plan& plan, std::size_t steps) { detail::place(plan, static_cast<std::int32_t>(steps)); }

}  // namespace nnrt::inline NNRT_ISA::passes

namespace nnrt::inline NNRT_ISA {

/// Which memory an operand lies in; inputs and weights follow, one base each.
enum base : std::int32_t { no_memory = -1, in_arena, in_prepared, in_prepare_scratch, in_constants, first_input };

/// Address and desc of an operand of a step.
struct operand_slot {
  std::int32_t base = no_memory;
  std::int32_t desc = -1;              // index in the plan's descs; -1: an optional operand that is missing
  std::int64_t offset = 0;             // in bytes
  std::int32_t scales = -1;            // slot of the scales of a per-channel quantised tensor
};

/// One kernel call.
struct step {
  kernel_function run = nullptr;
  ir::range attrs;                     // in words
  ir::range inputs;                    // in slots
  ir::range outputs;                   // in slots
  std::int32_t parts = 1;              // into how many parts the work may be cut
  std::int32_t node = 0;               // index of the node in the optimised graph
  std::int64_t scratch = 0;            // offset in the arena
  std::int64_t scratch_bytes = 0;      // 0: none
  std::string_view kernel;             // name, for dumps and profiles
  unrolled_form form = unrolled_form::none;
  std::int32_t fused_word = -1;        // which of the attribute words is the fused activation
};

/// An input, output or weight of the network as the executor sees it.
struct port {
  ir::range name;                      // in text
  std::int32_t slot = -1;
};

/// Everything that running needs; the lists are vectors while it is made and arrays when it is frozen.
struct plan {
  pool<step> steps;
  pool<step> prepare;           // run once, when an executor is made
  pool<operand_slot> slots;
  pool<tensor_desc> descs;             // each once: the layers of a network share most of theirs
  pool<word> words;
  pool<port> inputs;
  pool<port> outputs;
  pool<port> weights;
  pool<char> text;
  pool<std::byte> constants;
  std::int64_t arena_bytes = 0;
  std::int64_t arena_lower_bound = 0;
  std::int64_t prepared_bytes = 0;     // results of prepare steps that the steps read
  std::int64_t prepare_scratch_bytes = 0;  // results that only other prepare steps read
  std::int64_t part_scratch_bytes = 0; // for each further part that runs at the same time: the largest scratch of a step
  std::int64_t most_operands = 0;      // of any one step, inputs and outputs together
};

/// Choices of the planner.
struct plan_options {
  bool fast_kernels = true;            // false: every step is its operator's reference
  bool unrolled = false;               // choose kernels with an unrolled form where there are such
};

namespace detail {

/// Copies an output whose bytes are those of an input, a weight or a constant: outputs always lie in the arena.
inline void copy_bytes(const kernel_call& call) {
  const auto* const from = static_cast<const std::byte*>(call.in[0].data.raw());
  auto* const to = static_cast<std::byte*>(call.out[0].data.raw());
  std::copy_n(from, call.in[0].desc->bytes(), to);
}

/// One node on its way into the plan.
struct planned_node {
  kernel_choice choice;
  std::int32_t packed_block = ir::none;
  std::int32_t scratch_block = ir::none;
  bool known = false;                  // runs before the network does
  bool packs_before = false;           // pack() runs before the network does
  bool needs_step = true;
};

struct planner {
  const ir::graph& g;
  plan_options options;
  pool<char> known;
  passes::memory_plan memory;
  pool<planned_node> nodes;
  pool<char> read_by_steps;     // values that steps read, beyond what pack() reads for them
  pool<std::int32_t> slot_of;   // of values
  pool<std::int32_t> weight_base;
  plan made;

  constexpr planner(const ir::graph& graph, plan_options opts)
      : g(graph), options(opts), known(passes::known_values(graph)), memory(passes::assign_blocks(graph, known)) {}

  constexpr bool is_known(std::int32_t id) const { return known[static_cast<std::size_t>(id)] != 0; }

  constexpr pool<tensor_desc> output_descs(const ir::node& n) const {
    pool<tensor_desc> descs;
    descs.reserve(g.outputs_of(n).size());
    for (const std::int32_t id : g.outputs_of(n)) descs.push_back(g.at(id).desc);
    return descs;
  }

  constexpr void choose(std::int32_t i) {
    const ir::node& n = g.nodes[static_cast<std::size_t>(i)];
    nodes.push_back({});
    planned_node& p = nodes.back();
    p.known = is_known(g.outputs_of(n)[0]);
    p.needs_step = memory.elided[static_cast<std::size_t>(i)] == 0;
    if (!p.needs_step) return;
    if (options.fast_kernels && !p.known) {
      const ir::operand_list operands(g, g.inputs_of(n), known);
      const pool<tensor_desc> descs = output_descs(n);
      p.choice = n.op->select({g.attrs_of(n), operands.operands, descs, options.unrolled});
    }
    if (!p.choice) p.choice.run = n.op->run_reference, p.choice.name = "reference";
    if (p.choice.has_pack()) {
      p.packs_before = true;
      for (std::size_t k = 0; k < g.inputs_of(n).size(); ++k)
        if (is_packed(p, k) && g.inputs_of(n)[k] != ir::none && !is_known(g.inputs_of(n)[k])) p.packs_before = false;
      if (!p.packs_before) p.packed_block = memory.add_block(p.choice.packed_bytes, i, i);
    }
    if (p.choice.scratch_bytes > 0) p.scratch_block = memory.add_block(p.choice.scratch_bytes, i, i);
    made.part_scratch_bytes = std::max(made.part_scratch_bytes, passes::aligned(p.choice.scratch_bytes));
  }
  static constexpr bool is_packed(const planned_node& p, std::size_t operand) { return (p.choice.packs >> operand & 1U) != 0; }

  constexpr void find_reads() {
    read_by_steps.assign(g.values.size(), 0);
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      for (std::size_t k = 0; k < g.inputs_of(g.nodes[i]).size(); ++k) {
        const std::int32_t id = g.inputs_of(g.nodes[i])[k];
        if (id != ir::none && !nodes[i].known && !(nodes[i].packs_before && is_packed(nodes[i], k))) mark_read(id);
      }
    for (const ir::output& out : g.outputs) mark_read(out.value);
  }
  constexpr void mark_read(std::int32_t id) {
    read_by_steps[static_cast<std::size_t>(id)] = 1;
    if (const std::int32_t same = memory.at(id).same_as; same != ir::none) read_by_steps[static_cast<std::size_t>(same)] = 1;
    if (const std::int32_t scales = g.at(id).scales; scales != ir::none) read_by_steps[static_cast<std::size_t>(scales)] = 1;
  }

  /// The index of a desc, which is added when it is new. The search begins at the newest: neighbours are alike.
  constexpr std::int32_t desc_index(const tensor_desc& desc) {
    for (std::size_t i = made.descs.size(); i-- > 0;)
      if (made.descs[i] == desc) return static_cast<std::int32_t>(i);
    made.descs.push_back(desc);
    return static_cast<std::int32_t>(made.descs.size()) - 1;
  }
  constexpr std::int32_t add_slot(const operand_slot& slot) {
    made.slots.push_back(slot);
    return static_cast<std::int32_t>(made.slots.size()) - 1;
  }
  constexpr std::int64_t take(std::int64_t& region, std::int64_t bytes) {
    const std::int64_t at = region;
    region += passes::aligned(bytes);
    return at;
  }

  /// Address of a value; of known results it is decided here.
  constexpr operand_slot address(std::int32_t id) {
    const ir::value& v = g.at(id);
    operand_slot slot;
    slot.desc = desc_index(v.desc);
    const passes::location at = memory.at(id);
    if (at.same_as != ir::none) {
      const operand_slot& origin = made.slots[static_cast<std::size_t>(slot_for(at.same_as))];
      slot.base = origin.base;
      slot.offset = origin.offset + at.offset;
    } else if (at.block != ir::none) {
      slot.base = in_arena;
      slot.offset = memory.address(id);
    } else if (v.is == ir::kind::constant) {
      slot.base = in_constants;
      slot.offset = v.first_byte;
    } else if (v.is == ir::kind::input || v.is == ir::kind::weight) {
      slot.base = weight_base[static_cast<std::size_t>(id)];
    } else if (read_by_steps[static_cast<std::size_t>(id)] != 0) {
      slot.base = in_prepared;
      slot.offset = take(made.prepared_bytes, v.desc.bytes());
    } else {
      slot.base = in_prepare_scratch;
      slot.offset = take(made.prepare_scratch_bytes, v.desc.bytes());
    }
    if (v.scales != ir::none) slot.scales = slot_for(v.scales);
    return slot;
  }
  constexpr std::int32_t slot_for(std::int32_t id) {
    std::int32_t& slot = slot_of[static_cast<std::size_t>(id)];
    if (slot < 0) {
      const operand_slot found = address(id);
      slot = add_slot(found);
    }
    return slot;
  }

  /// The slots of a node's operands, side by side. Those that pack() reads have memory for pack() alone, the others for run() alone; all
  /// keep their descs. The packed form comes last, for run().
  constexpr ir::range operand_row(const ir::node& n, const planned_node& p, const operand_slot* packed, bool for_pack) {
    pool<operand_slot> row;
    for (std::size_t k = 0; k < g.inputs_of(n).size(); ++k) {
      const std::int32_t id = g.inputs_of(n)[k];
      operand_slot slot;
      if (id != ir::none) slot = made.slots[static_cast<std::size_t>(slot_for(id))];
      if (is_packed(p, k) != for_pack) slot.base = no_memory;
      row.push_back(slot);
    }
    if (packed != nullptr) row.push_back(*packed);
    return add_row(row);
  }
  constexpr ir::range add_row(const pool<operand_slot>& row) {
    const ir::range at{static_cast<std::int32_t>(made.slots.size()), static_cast<std::int32_t>(row.size())};
    made.slots.insert(row.begin(), row.end());
    return at;
  }

  /// Brings the packed operands of a node about - by a step before it, before every run or once, or here and now - and says where they are.
  constexpr operand_slot add_pack(const ir::node& n, const planned_node& p, const step& of_node) {
    operand_slot packed;
    packed.desc = desc_index({u8, {p.choice.packed_bytes}});
    if (p.choice.packs_in_compiler && packs_constants_only(n, p)) {
      packed.base = in_constants;
      packed.offset = pack_now(n, p);
      return packed;
    }
    packed.base = p.packs_before ? in_prepared : in_arena;
    packed.offset = p.packs_before ? take(made.prepared_bytes, p.choice.packed_bytes) : memory.block_at(p.packed_block).offset;
    step pack = of_node;
    pack.run = p.choice.pack;
    pack.inputs = operand_row(n, p, nullptr, true);
    pack.outputs = add_row(pool<operand_slot>{packed});
    pack.kernel = "pack";
    (p.packs_before ? made.prepare : made.steps).push_back(pack);
    return packed;
  }
  constexpr bool packs_constants_only(const ir::node& n, const planned_node& p) const {
    for (std::size_t k = 0; k < g.inputs_of(n).size(); ++k) {
      const std::int32_t id = g.inputs_of(n)[k];
      if (is_packed(p, k) && id != ir::none && g.at(id).is != ir::kind::constant) return false;
    }
    return true;
  }
  /// Runs pack() on constants and puts the result among them; its offset there.
  constexpr std::int64_t pack_now(const ir::node& n, const planned_node& p) {
    std::vector<typed_buffer> buffers;
    buffers.reserve(g.inputs_of(n).size());
    pool<view> in;
    for (std::size_t k = 0; k < g.inputs_of(n).size(); ++k) {
      const std::int32_t id = g.inputs_of(n)[k];
      view operand;
      if (id != ir::none) operand.desc = &g.at(id).desc;
      if (id != ir::none && is_packed(p, k)) {
        buffers.push_back(passes::detail::load(g, g.at(id)));
        operand.data = buffers.back().data();
      }
      in.push_back(operand);
    }
    const tensor_desc desc{f32, {p.choice.packed_bytes / size_of(f32)}};
    const typed_buffer result(f32, desc.elements());
    const view out[] = {{&desc, result.data()}};
    kernel_call call;
    call.attrs = g.attrs_of(n);
    call.in = in;
    call.out = out;
    p.choice.pack(call);
    while (made.constants.size() % passes::arena_alignment != 0) made.constants.push_back(std::byte{});
    const auto offset = static_cast<std::int64_t>(made.constants.size());
    for (const float element : result.as<float>()) {
      const auto raw = std::bit_cast<std::array<std::byte, sizeof(float)>>(element);
      made.constants.insert(raw.begin(), raw.end());
    }
    return offset;
  }

  constexpr void emit(std::int32_t i) {
    const ir::node& n = g.nodes[static_cast<std::size_t>(i)];
    const planned_node& p = nodes[static_cast<std::size_t>(i)];
    if (!p.needs_step) return;
    step s;
    s.node = i;
    s.attrs = {static_cast<std::int32_t>(made.words.size()), n.attrs.count};
    made.words.insert(g.attrs_of(n).begin(), g.attrs_of(n).end());
    operand_slot packed;
    if (p.choice.has_pack()) packed = add_pack(n, p, s);
    s.run = p.choice.run;
    s.kernel = p.choice.name;
    s.form = p.choice.form;
    s.fused_word = n.op->fused_word;
    s.parts = p.choice.parts;
    s.inputs = operand_row(n, p, p.choice.has_pack() ? &packed : nullptr, false);
    pool<operand_slot> results;
    for (const std::int32_t id : g.outputs_of(n)) results.push_back(made.slots[static_cast<std::size_t>(slot_for(id))]);
    s.outputs = add_row(results);
    s.scratch_bytes = passes::aligned(p.choice.scratch_bytes);
    if (p.scratch_block != ir::none) s.scratch = memory.block_at(p.scratch_block).offset;
    (p.known ? made.prepare : made.steps).push_back(s);
  }

  constexpr port port_for(ir::range name, std::int32_t slot) {
    const std::string_view text = g.name_of(name);
    const port made_port{{static_cast<std::int32_t>(made.text.size()), name.count}, slot};
    made.text.insert(text.begin(), text.end());
    return made_port;
  }

  /// Inputs in order of declaration, then weights in order of declaration: the bases of a run.
  constexpr void number_bases() {
    weight_base.assign(g.values.size(), no_memory);
    std::int32_t next = first_input;
    for (const std::int32_t id : g.inputs) weight_base[static_cast<std::size_t>(id)] = next++;
    for (std::size_t id = 0; id < g.values.size(); ++id)
      if (g.values[id].is == ir::kind::weight) weight_base[id] = next++;
  }
  constexpr void add_ports() {
    for (const std::int32_t id : g.inputs) made.inputs.push_back(port_for(g.at(id).name, slot_for(id)));
    for (std::size_t id = 0; id < g.values.size(); ++id)
      if (g.values[id].is == ir::kind::weight) made.weights.push_back(port_for(g.values[id].name, slot_for(static_cast<std::int32_t>(id))));
  }

  /// Outputs that are no result of a step are copied into the arena by one of their own.
  constexpr void add_output(const ir::output& out, std::int32_t copy_block) {
    std::int32_t slot = slot_for(out.value);
    if (copy_block != ir::none) {
      operand_slot target = made.slots[static_cast<std::size_t>(slot)];
      const operand_slot source = target;
      target.base = in_arena;
      target.offset = memory.block_at(copy_block).offset;
      step copy;
      copy.run = &copy_bytes;
      copy.kernel = "copy";
      copy.node = -1;
      copy.inputs = add_row(pool<operand_slot>{source});
      copy.outputs = add_row(pool<operand_slot>{target});
      made.steps.push_back(copy);
      slot = copy.outputs.first;
    }
    made.outputs.push_back(port_for(out.name, slot));
  }

  constexpr plan run() {
    const auto count = static_cast<std::int32_t>(g.nodes.size());
    nodes.reserve(g.nodes.size());
    made.constants = g.bytes;
    for (std::int32_t i = 0; i < count; ++i) choose(i);
    pool<std::int32_t> copies;
    for (const ir::output& out : g.outputs)
      copies.push_back(memory.at(out.value).block != ir::none ? ir::none : memory.add_block(g.at(out.value).desc.bytes(), count, count));
    passes::place_blocks(memory, g.nodes.size());
    find_reads();
    slot_of.assign(g.values.size(), -1);
    number_bases();
    add_ports();
    for (std::int32_t i = 0; i < count; ++i) emit(i);
    for (std::size_t i = 0; i < g.outputs.size(); ++i) add_output(g.outputs[i], copies[i]);
    for (const pool<step>* list : {&made.steps, &made.prepare})
      for (const step& s : *list) made.most_operands = std::max(made.most_operands, std::int64_t{s.inputs.count} + s.outputs.count);
    made.arena_bytes = memory.arena_bytes;
    made.arena_lower_bound = memory.lower_bound;
    return static_cast<plan&&>(made);
  }
};

}  // namespace detail

/// The plan of a graph whose shapes are all known. Its kernels are those that the instruction set of this translation unit allows.
constexpr plan make_plan(const ir::graph& g, plan_options options = {}) { return detail::planner(g, options).run(); }

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::detail {

/// Copies a pool into an array of its size; std::copy and the operators [] take more constexpr steps.
template <class T, std::size_t N> constexpr void copy(const pool<T>& from, std::array<T, N>& to) {
  const T* element = from.begin();
  for (T& copied : to) copied = *element++;
}

/// Sizes of all pools of a graph.
struct graph_sizes {
  std::size_t values, nodes, inputs, outputs, operands, words, text, bytes, log;
};

constexpr graph_sizes sizes_of(const ir::graph& g) {
  return {g.values.size(), g.nodes.size(), g.inputs.size(), g.outputs.size(), g.operands.size(), g.words.size(), g.text.size(), g.bytes.size(), g.log.size()};
}

/// An ir::graph as arrays.
template <graph_sizes N> struct frozen_graph {
  std::array<ir::value, N.values> values{};
  std::array<ir::node, N.nodes> nodes{};
  std::array<std::int32_t, N.inputs> inputs{};
  std::array<ir::output, N.outputs> outputs{};
  std::array<std::int32_t, N.operands> operands{};
  std::array<word, N.words> words{};
  std::array<char, N.text> text{};
  std::array<std::byte, N.bytes> bytes{};
  std::array<ir::event, N.log> log{};

  constexpr explicit frozen_graph(const ir::graph& g) {
    copy(g.values, values);
    copy(g.nodes, nodes);
    copy(g.inputs, inputs);
    copy(g.outputs, outputs);
    copy(g.operands, operands);
    copy(g.words, words);
    copy(g.text, text);
    copy(g.bytes, bytes);
    copy(g.log, log);
  }

  /// The graph with its pools as vectors again, for the next pass.
  constexpr ir::graph thaw() const {
    ir::graph g;
    g.values.insert(values.begin(), values.end());
    g.nodes.insert(nodes.begin(), nodes.end());
    g.inputs.insert(inputs.begin(), inputs.end());
    g.outputs.insert(outputs.begin(), outputs.end());
    g.operands.insert(operands.begin(), operands.end());
    g.words.insert(words.begin(), words.end());
    g.text.insert(text.begin(), text.end());
    g.bytes.insert(bytes.begin(), bytes.end());
    g.log.insert(log.begin(), log.end());
    return g;
  }
};

/// Sizes of all lists of a plan.
struct plan_sizes {
  std::size_t steps, prepare, slots, descs, words, inputs, outputs, weights, text, constants;
};

constexpr plan_sizes sizes_of(const plan& p) {
  return {p.steps.size(), p.prepare.size(), p.slots.size(), p.descs.size(), p.words.size(), p.inputs.size(), p.outputs.size(), p.weights.size(), p.text.size(), p.constants.size()};
}

/// A plan as arrays: what stays in .rodata.
template <plan_sizes N> struct frozen_plan {
  std::array<step, N.steps> steps{};
  std::array<step, N.prepare> prepare{};
  std::array<operand_slot, N.slots> slots{};
  std::array<tensor_desc, N.descs> descs{};
  std::array<word, N.words> words{};
  std::array<port, N.inputs> inputs{};
  std::array<port, N.outputs> outputs{};
  std::array<port, N.weights> weights{};
  std::array<char, N.text> text{};
  alignas(passes::arena_alignment) std::array<std::byte, N.constants> constants{};
  std::int64_t arena_bytes, arena_lower_bound, prepared_bytes, prepare_scratch_bytes, part_scratch_bytes, most_operands;

  constexpr explicit frozen_plan(const plan& p)
      : arena_bytes(p.arena_bytes),
        arena_lower_bound(p.arena_lower_bound),
        prepared_bytes(p.prepared_bytes),
        prepare_scratch_bytes(p.prepare_scratch_bytes),
        part_scratch_bytes(p.part_scratch_bytes),
        most_operands(p.most_operands) {
    copy(p.steps, steps);
    copy(p.prepare, prepare);
    copy(p.slots, slots);
    copy(p.descs, descs);
    copy(p.words, words);
    copy(p.inputs, inputs);
    copy(p.outputs, outputs);
    copy(p.weights, weights);
    copy(p.text, text);
    copy(p.constants, constants);
  }
};

}  // namespace nnrt::inline NNRT_ISA::detail
// ===== nnrt/exec/weight_specs.hpp
// weight_specs: how a network uses each of its weights, read off the graph as it was written.
// Flow: executors and compile() hand the list to bind_weights(), which brings files of other frameworks into this order.

// ===== nnrt/io/bind_weights.hpp
// bind_weights: fits a file's tensors to the weights that a network names, and says all that does not fit at once.
// Flow: executors and compile() bind first; kernels then read what bound_weights points to, mostly the file itself.

// ===== nnrt/core/result.hpp
// result: what every fallible call returns - a value or an error that names what, where, got and expected.
// Flow: readers, create(), compile() and sessions return it; passes, which run in constant evaluation, return verdicts instead.

#include <string>
#include <tl/expected.hpp>

namespace nnrt::inline NNRT_ISA {

/// What kind of thing went wrong, so that callers and the C API can map it; the message says the rest.
enum class error_code {
  invalid_argument,   // a value, size or name that the caller gave does not fit
  invalid_file,       // bytes that are not what they claim to be
  not_found,          // a file or name that does not exist
  not_supported,      // well-formed, but nothing here can run it
  rule_broken,        // an operator's rule refuses a node
  out_of_memory,
  io_failed,          // the operating system refused to read, write or map
  device_failed,
};

/// An error as a value: `message()` is one line (or several, when several things are wrong) fit for a user.
class error {
 public:
  error(error_code code, std::string message) : code_(code), message_(std::move(message)) {}
  error_code code() const { return code_; }
  const std::string& message() const { return message_; }
  /// The same error with a place put in front: "file.safetensors: " + message.
  error in(std::string_view place) && { return {code_, std::string(place) + ": " + std::move(message_)}; }

 private:
  error_code code_;
  std::string message_;
};

/// A value, or the reason why there is none.
template <class T> using result = tl::expected<T, error>;

/// For `return fail(error_code::not_found, "…");` in a function that returns a result.
inline tl::unexpected<error> fail(error_code code, std::string message) { return tl::unexpected<error>(error(code, std::move(message))); }
inline tl::unexpected<error> fail(error reason) { return tl::unexpected<error>(std::move(reason)); }

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/core/text.hpp
// text: messages put together from pieces.
// Flow: readers and binders word their errors with it; chains of + on strings cost compilers several times as much.

namespace nnrt::inline NNRT_ISA {

/// The pieces, one after the other: joined({"got ", std::to_string(3), ", expected ", std::to_string(4)}).
[[gnu::cold]] inline std::string joined(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/io/weights.hpp
// weights: a handle on named tensors - of a mapped file, of the caller's bytes, or a copy - that executors share.
// Flow: safetensors::parse() finds the tensors; bind_weights.hpp fits them to the weights that a network names.

// ===== nnrt/core/shared.hpp
// shared: a reference-counted handle on one object, for what several executors keep alive together.
// Flow: weights files, bound and prepared weights, programs; <memory> would cost 0.23 s per translation unit.

namespace nnrt::inline NNRT_ISA {
namespace detail {
/// The object and the number of handles on it, in one allocation (intrusive for any T).
/// The count is atomic through the compilers' own functions: <atomic> would cost 0.04 s per translation unit for these
/// three.
template <class T> struct shared_block {
  std::size_t handles = 1;
  T object;
  template <class... Arguments>
  explicit shared_block(Arguments&&... arguments) : object(std::forward<Arguments>(arguments)...) {}
};
}  // namespace detail

/// A handle on an object that lives as long as one handle on it; copying costs one atomic increment.
/// Handles may be copied and dropped from several threads at once (each thread its own handle); access to the object is
/// not synchronised. A `shared<T>` converts to a `shared<const T>`. There are no weak handles and no conversions to
/// bases.
template <class T> class shared {
  using block = detail::shared_block<std::remove_const_t<T>>;

 public:
  /// Empty: false, and owns nothing.
  constexpr shared() noexcept = default;
  shared(const shared& other) noexcept : block_(retained(other.block_)) {}
  constexpr shared(shared&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  template <class U>
  requires(std::is_same_v<const U, T> && !std::is_const_v<U>) shared(shared<U> other)
  noexcept : block_(std::exchange(other.block_, nullptr)) {}
  shared& operator=(shared other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~shared() { release(); }

  /// A new object, made from the arguments, with one handle.
  template <class... Arguments> static shared make(Arguments&&... arguments) {
    shared handle;
    handle.block_ = new block(std::forward<Arguments>(arguments)...);
    return handle;
  }

  /// The object, or null when the handle is empty.
  T* get() const noexcept { return block_ != nullptr ? &block_->object : nullptr; }
  T* operator->() const noexcept { return &block_->object; }
  T& operator*() const noexcept { return block_->object; }
  explicit operator bool() const noexcept { return block_ != nullptr; }
  /// Handles on this object at this moment, 0 for an empty one; other threads may change it at once.
  std::size_t handles() const noexcept {
    return block_ != nullptr ? __atomic_load_n(&block_->handles, __ATOMIC_RELAXED) : 0;
  }

  /// Whether both are handles on the same object (or both empty).
  friend bool operator==(const shared& a, const shared& b) noexcept { return a.block_ == b.block_; }

 private:
  template <class U> friend class shared;

  static block* retained(block* counted) noexcept {
    if (counted != nullptr) __atomic_fetch_add(&counted->handles, 1, __ATOMIC_RELAXED);
    return counted;
  }
  // Release on every decrement, acquire on the last: what the other threads did with the object happens before its
  // destructor.
  void release() noexcept {
    if (block_ != nullptr && __atomic_fetch_sub(&block_->handles, 1, __ATOMIC_ACQ_REL) == 1) delete block_;
  }

  block* block_ = nullptr;
};

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/io/file.hpp
// file: a file mapped read-only into memory, and writing a whole file so that readers see the old one or the new one.
// Flow: weights, saved models and compilation caches come and go through it.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

namespace nnrt::inline NNRT_ISA {

/// A regular file's bytes, mapped read-only; unmapped on destruction. Page-aligned. Empty (no bytes) when default-made
/// or moved from. Whoever truncates the file while it is mapped ends the process with SIGBUS on the next access:
/// replace files (write_file does), do not rewrite them.
class mapped_file {
 public:
  mapped_file() = default;
  mapped_file(mapped_file&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  mapped_file& operator=(mapped_file other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~mapped_file() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }

  /// Errors: not_found, io_failed, out_of_memory; each names the file and says what the system said.
  static result<mapped_file> open(std::string_view path);

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

/// Replaces the file at `path` (or makes it) by the pieces, one after the other. A temporary file beside it is written,
/// flushed to the device and renamed, so that a reader or a power cut meets the old content or the new one, and a
/// mapping of the old one stays valid. An existing file's permissions are kept; a symbolic link is replaced, not
/// followed. Errors: not_found, io_failed; each names the file.
[[gnu::cold]] inline result<void> write_file(std::string_view path, std::span<const std::span<const std::byte>> pieces);
[[gnu::cold]] inline result<void> write_file(std::string_view path, std::span<const std::byte> content) {
  return write_file(path, std::span<const std::span<const std::byte>>(&content, 1));
}

// --- details ---------------------------------------------------------------
namespace detail {
// strerror_r comes in two kinds, depending on the C library and its feature macros.
[[gnu::cold]] inline std::string_view system_text(const char* text, const char*) { return text; }
[[gnu::cold]] inline std::string_view system_text(int failed, const char* buffer) { return failed == 0 ? buffer : "unknown error"; }

[[gnu::cold]] inline tl::unexpected<error> system_failure(std::string_view path, std::string_view what, int number) {
  char buffer[128] = {};
  const std::string_view reason = system_text(::strerror_r(number, buffer, sizeof buffer), buffer);
  const error_code code = number == ENOENT   ? error_code::not_found
                          : number == ENOMEM ? error_code::out_of_memory
                                             : error_code::io_failed;
  return fail(code, joined({path, ": ", what, ": ", reason}));
}

[[gnu::cold]] inline tl::unexpected<error> zero_byte_in(std::string_view path) {
  return fail(error_code::invalid_argument,
              joined({path.substr(0, path.find('\0')), ": a zero byte follows in the path"}));
}

/// A file descriptor that closes itself.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() { close(); }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// A new file named path.new-<process>-<n>; left-overs of a killed process with the same number are stepped over.
[[gnu::cold]] inline int create_beside(const std::string& path, std::string& temporary) {
  for (int n = 0;; ++n) {
    temporary = joined({path, ".new-", std::to_string(::getpid()), "-", std::to_string(n)});
    const int number = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number >= 0 || errno != EEXIST || n == 1000) return number;
  }
}

[[gnu::cold]] inline bool write_all(int file, std::span<const std::byte> bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ::ssize_t written = ::write(file, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

[[gnu::cold]] inline bool write_and_flush(descriptor& file, std::span<const std::span<const std::byte>> pieces, const char* path) {
  for (const auto piece : pieces)
    if (!write_all(file.number(), piece)) return false;
  struct ::stat old {};
  if (::stat(path, &old) == 0 && ::fchmod(file.number(), old.st_mode & 07777U) != 0) return false;
  return ::fsync(file.number()) == 0 && file.close();
}

// After a rename only the directory's own flush makes the new name durable; a file system that cannot do it is no
// reason to report a failed write.
[[gnu::cold]] inline void flush_directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.is_open()) ::fsync(directory.number());
}
}  // namespace detail

[[gnu::cold]] inline result<mapped_file> mapped_file::open(std::string_view path) {
  if (path.find('\0') != path.npos) return detail::zero_byte_in(path);
  const std::string name(path);
  // O_NONBLOCK: a pipe must be refused below, not waited for.
  const detail::descriptor file(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return detail::system_failure(path, "cannot open", errno);
  struct ::stat status {};
  if (::fstat(file.number(), &status) != 0) return detail::system_failure(path, "cannot ask for its size", errno);
  if (!S_ISREG(status.st_mode)) return fail(error_code::io_failed, joined({path, ": cannot map: not a regular file"}));
  mapped_file mapped;
  if (status.st_size == 0) return mapped;
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* const address = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (address == MAP_FAILED) return detail::system_failure(path, "cannot map", errno);
  mapped.bytes_ = {static_cast<const std::byte*>(address), bytes};
  return mapped;
}

[[gnu::cold]] inline result<void> write_file(std::string_view path, std::span<const std::span<const std::byte>> pieces) {
  if (path.find('\0') != path.npos) return detail::zero_byte_in(path);
  const std::string name(path);
  std::string temporary;
  detail::descriptor file(detail::create_beside(name, temporary));
  if (!file.is_open()) return detail::system_failure(path, "cannot write beside it", errno);
  if (!detail::write_and_flush(file, pieces, name.c_str()) || ::rename(temporary.c_str(), name.c_str()) != 0) {
    const int number = errno;
    ::unlink(temporary.c_str());
    return detail::system_failure(path, "cannot write", number);
  }
  detail::flush_directory_of(name);
  return {};
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/io/safetensors.hpp
// safetensors: the file format of weights and saved models - a checked reader over bytes in memory.
// Flow: weights.hpp puts a handle around what parse() finds; safetensors_writer.hpp writes.

// ===== nnrt/io/json.hpp
// json: a bounded pull reader for JSON text that nobody vouches for, and a small writer.
// Flow: the headers of safetensors files and the graphs of saved models are read and written with it.

#include <charconv>

namespace nnrt::inline NNRT_ISA {

/// Bytes of the UTF-8 sequence that starts at text[at], 1 to 4; 0 when there is no well-formed one (Unicode 15, table
/// 3-7).
constexpr int utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U; };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = at < text.size() ? byte(0) : 0xFFU, second = byte(1);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool overlong = lead == 0xE0 && second < 0xA0, surrogate = lead == 0xED && second > 0x9F;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool overlong = lead == 0xF0 && second < 0x90, beyond = lead == 0xF4 && second > 0x8F;
    return tail(1) && tail(2) && tail(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

/// Whether the whole text is well-formed UTF-8.
constexpr bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const int length = utf8_length(text, at);
    if (length == 0) return false;
    at += static_cast<std::size_t>(length);
  }
  return true;
}

/// Appends `text` as a JSON string with its quotes. Control characters are escaped; bytes that are not UTF-8 become
/// U+FFFD, so the output is always JSON.
[[gnu::cold]] inline void append_json_string(std::string& out, std::string_view text);

/// `text` in quotes for a message: escaped as in JSON, so that a hostile name cannot play with a terminal, and cut
/// after about 120 bytes.
[[gnu::cold]] inline std::string quoted(std::string_view text);

/// What json_reader::next() met.
enum class json_event {
  begin_object,
  end_object,
  begin_array,
  end_array,
  key,
  string,
  integer,
  real,
  boolean,
  null,
  end,
  broken
};

/// What an event is called in messages: "an object", "a string", ….
constexpr std::string_view name_of(json_event event) {
  constexpr std::string_view names[] = {"an object",
                                        "the end of the object",
                                        "an array",
                                        "the end of the array",
                                        "a key",
                                        "a string",
                                        "an integer",
                                        "a real number",
                                        "a boolean",
                                        "null",
                                        "the end of the text",
                                        "broken text"};
  return names[static_cast<int>(event)];
}

/// Pull reader for one JSON value (RFC 8259): call next() until it answers `end` or `broken`; it enforces the whole
/// grammar, in constant stack.
///
/// Bounds: containers nest at most `max_depth` deep; strings must be UTF-8 (escapes with paired surrogates only); an
/// integer must fit into 64 bits, signed, and a real into a double; nothing may follow the value. After the first error
/// every call answers `broken`, and reason() says the byte and why. The text must outlive the reader. Duplicate keys
/// are the caller's business.
class json_reader {
 public:
  static constexpr int max_depth = 64;

  explicit json_reader(std::string_view text) : text_(text) {}

  /// The next event. A key's or string's characters are then in string(), a number in integer() or real(), a boolean in
  /// boolean().
  json_event next();

  /// Characters of the last key or string, unescaped; valid until the next call of next().
  std::string_view string() const { return string_; }
  std::int64_t integer() const { return integer_; }
  /// The last number, integers included.
  double real() const { return real_; }
  bool boolean() const { return integer_ != 0; }
  /// How many containers are open.
  int depth() const { return depth_; }
  /// Where the last event starts, in bytes.
  std::size_t position() const { return start_; }

  /// next(), which must be `wanted`; otherwise false, with the reason "expected …, got …".
  bool expect(json_event wanted);
  /// Steps over the value that comes next, whatever it is; false when it is broken.
  bool skip();
  /// Steps over the rest of the value whose first event was `event`.
  bool skip_from(json_event event);

  /// Makes the reader broken for a reason of the caller's, at the last event. The first reason stays.
  json_event refuse(std::string reason);
  bool is_broken() const { return state_ == state::broken; }
  /// "byte 17: expected ':' after a key, got '}'"; only when broken.
  error reason() const { return {error_code::invalid_file, joined({"byte ", std::to_string(start_), ": ", reason_})}; }

 private:
  // What the grammar allows next; `first_…` right after the opening bracket, where a closing one may follow.
  enum class state { value, first_value, first_key, key, colon, comma, done, broken };

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space();
  json_event broken_at(std::size_t at, std::string reason);
  json_event unexpected(std::string_view wanted);
  bool in_object() const { return depth_ > 0 && (objects_ >> (depth_ - 1) & 1U) != 0; }
  json_event open(bool object);
  json_event close(bool object);
  json_event after_value(json_event event);
  json_event read_value();
  json_event read_word(std::string_view word, json_event event, std::int64_t value);
  json_event read_number();
  std::size_t digits();
  bool read_string();
  bool read_escape();
  bool read_code_unit(std::uint32_t& unit);
  void append_code_point(std::uint32_t point);

  std::string_view text_, string_;
  std::string unescaped_, reason_;
  std::size_t at_ = 0, start_ = 0;
  state state_ = state::value;
  std::uint64_t objects_ = 0;  // one bit per open container: whether it is an object
  int depth_ = 0;
  std::int64_t integer_ = 0;
  double real_ = 0;
};

/// Writes JSON without spaces; commas come by themselves. Callers open and close in pairs and write a key before each
/// member's value.
class json_writer {
 public:
  json_writer& begin_object() { return open('{'); }
  json_writer& end_object() { return close('}'); }
  json_writer& begin_array() { return open('['); }
  json_writer& end_array() { return close(']'); }
  json_writer& key(std::string_view name) {
    string(name);
    text_ += ':';
    return fresh_ = true, *this;
  }
  json_writer& string(std::string_view value) {
    separate();
    append_json_string(text_, value);
    return *this;
  }
  json_writer& integer(std::int64_t value) { return word(std::to_string(value)); }
  /// The shortest digits that read back as the same double, and as a real number; what JSON cannot say (NaN, infinities) becomes null.
  json_writer& real(double value);
  json_writer& boolean(bool value) { return word(value ? "true" : "false"); }
  json_writer& null() { return word("null"); }

  const std::string& text() const { return text_; }
  std::string take() && { return std::move(text_); }

 private:
  void separate() {
    if (!fresh_) text_ += ',';
    fresh_ = false;
  }
  json_writer& word(std::string_view letters) {
    separate();
    text_ += letters;
    return *this;
  }
  json_writer& open(char bracket) {
    separate();
    text_ += bracket;
    return fresh_ = true, *this;
  }
  json_writer& close(char bracket) {
    text_ += bracket;
    return fresh_ = false, *this;
  }

  std::string text_;
  bool fresh_ = true;  // nothing stands before the next item that a comma must part from it
};

// --- details ---------------------------------------------------------------
namespace detail {
[[gnu::cold]] inline void append_escaped(std::string& out, char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(c);
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  if (code >= 0x20 && code != 0x7F) return void(out += c);
  out += "\\u00";
  out += hex[code >> 4U];
  out += hex[code & 15U];
}
}  // namespace detail

[[gnu::cold]] inline void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const int length = utf8_length(text, at);
    if (length == 0) out += "\xEF\xBF\xBD";
    if (length == 1) detail::append_escaped(out, text[at]);
    if (length > 1) out += text.substr(at, static_cast<std::size_t>(length));
    at += static_cast<std::size_t>(length == 0 ? 1 : length);
  }
  out += '"';
}

[[gnu::cold]] inline std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 120;
  std::size_t cut = text.size() <= longest ? text.size() : longest;
  while (cut < text.size() && cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U)
    --cut;  // not inside a sequence
  std::string out;
  append_json_string(out, text.substr(0, cut));
  if (cut < text.size()) out.insert(out.size() - 1, "…");
  return out;
}

[[gnu::cold]] inline json_writer& json_writer::real(double value) {
  if (!(value - value == 0)) return null();
  char digits[32];
  const auto written = std::to_chars(digits, digits + sizeof digits, value);
  const std::string_view shortest(digits, static_cast<std::size_t>(written.ptr - digits));
  // Without a point or an exponent it would read as an integer, and 1e20 as one that does not fit.
  return word(joined({shortest, shortest.find_first_of(".e") == shortest.npos ? ".0" : ""}));
}

[[gnu::cold]] inline json_event json_reader::broken_at(std::size_t at, std::string reason) {
  if (state_ == state::broken) return json_event::broken;
  state_ = state::broken;
  start_ = at;
  reason_ = std::move(reason);
  return json_event::broken;
}

[[gnu::cold]] inline json_event json_reader::refuse(std::string reason) { return broken_at(start_, std::move(reason)); }

[[gnu::cold]] inline json_event json_reader::unexpected(std::string_view wanted) {
  std::string reason = joined({"expected ", wanted, ", got "});
  const int length = utf8_length(text_, at_);
  reason += at_ < text_.size() ? quoted(text_.substr(at_, static_cast<std::size_t>(length == 0 ? 1 : length)))
                               : "the end of the text";
  return broken_at(at_, std::move(reason));
}

[[gnu::cold]] inline void json_reader::skip_space() {
  while (at_ < text_.size() && (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t')) ++at_;
}

[[gnu::cold]] inline json_event json_reader::next() {
  if (state_ == state::broken) return json_event::broken;
  skip_space();
  start_ = at_;
  if (state_ == state::done) return at_ < text_.size() ? unexpected("nothing after the value") : json_event::end;
  if (state_ == state::comma) {
    if (peek() == (in_object() ? '}' : ']')) return close(in_object());
    if (peek() != ',') return unexpected(in_object() ? "',' or '}'" : "',' or ']'");
    ++at_;
    skip_space();
    start_ = at_;
    state_ = in_object() ? state::key : state::value;
  }
  if (state_ == state::first_value && peek() == ']') return close(false);
  if (state_ == state::first_key && peek() == '}') return close(true);
  if (state_ == state::value || state_ == state::first_value) return read_value();
  if (peek() != '"') return unexpected(state_ == state::key ? "a key" : "a key or '}'");
  if (!read_string()) return json_event::broken;
  skip_space();
  if (peek() != ':') return unexpected("':' after a key");
  ++at_;
  state_ = state::value;
  return json_event::key;
}

[[gnu::cold]] inline json_event json_reader::open(bool object) {
  if (depth_ == max_depth) return broken_at(at_, joined({"containers nest deeper than ", std::to_string(max_depth)}));
  const std::uint64_t bit = std::uint64_t{1} << depth_++;
  objects_ = object ? objects_ | bit : objects_ & ~bit;
  ++at_;
  state_ = object ? state::first_key : state::first_value;
  return object ? json_event::begin_object : json_event::begin_array;
}

[[gnu::cold]] inline json_event json_reader::close(bool object) {
  ++at_;
  --depth_;
  return after_value(object ? json_event::end_object : json_event::end_array);
}

[[gnu::cold]] inline json_event json_reader::after_value(json_event event) {
  state_ = depth_ == 0 ? state::done : state::comma;
  return event;
}

[[gnu::cold]] inline json_event json_reader::read_value() {
  switch (peek()) {
    case '{': return open(true);
    case '[': return open(false);
    case '"': return read_string() ? after_value(json_event::string) : json_event::broken;
    case 't': return read_word("true", json_event::boolean, 1);
    case 'f': return read_word("false", json_event::boolean, 0);
    case 'n': return read_word("null", json_event::null, 0);
    default: break;
  }
  const bool number = peek() == '-' || (peek() >= '0' && peek() <= '9');
  return number ? read_number() : unexpected("a value");
}

[[gnu::cold]] inline json_event json_reader::read_word(std::string_view word, json_event event, std::int64_t value) {
  if (text_.substr(at_, word.size()) != word) return unexpected("a value");
  at_ += word.size();
  integer_ = value;
  return after_value(event);
}

[[gnu::cold]] inline std::size_t json_reader::digits() {
  const std::size_t from = at_;
  while (peek() >= '0' && peek() <= '9') ++at_;
  return at_ - from;
}

[[gnu::cold]] inline json_event json_reader::read_number() {
  if (peek() == '-') ++at_;
  const bool leading_zero = peek() == '0';
  const std::size_t whole = digits();
  if (whole == 0) return unexpected("a digit");
  if (leading_zero && whole > 1) return broken_at(start_, "a number starts with a superfluous zero");
  bool is_integer = true;
  if (peek() == '.') {
    ++at_, is_integer = false;
    if (digits() == 0) return unexpected("a digit after '.'");
  }
  if (peek() == 'e' || peek() == 'E') {
    ++at_, is_integer = false;
    if (peek() == '+' || peek() == '-') ++at_;
    if (digits() == 0) return unexpected("a digit of the exponent");
  }
  const char *first = text_.data() + start_, *last = text_.data() + at_;
  if (is_integer) {
    if (std::from_chars(first, last, integer_).ec != std::errc{})
      return broken_at(start_, "an integer does not fit into 64 bits");
    real_ = static_cast<double>(integer_);
    return after_value(json_event::integer);
  }
  if (std::from_chars(first, last, real_).ec != std::errc{})
    return broken_at(start_, "a number does not fit into a double");
  return after_value(json_event::real);
}

// The characters stay where they are unless an escape makes them differ from the text.
[[gnu::cold]] inline bool json_reader::read_string() {
  const std::size_t from = ++at_;
  bool escaped = false;
  unescaped_.clear();
  for (;;) {
    if (at_ >= text_.size()) return broken_at(start_, "a string has no end"), false;
    const char c = text_[at_];
    if (c == '"') break;
    if (c == '\\') {
      if (!escaped) unescaped_.assign(text_.substr(from, at_ - from));
      escaped = true;
      if (!read_escape()) return false;
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20)
      return broken_at(at_, "a control character stands unescaped in a string"), false;
    const auto length = static_cast<std::size_t>(utf8_length(text_, at_));
    if (length == 0) return broken_at(at_, "a string is not UTF-8"), false;
    if (escaped) unescaped_ += text_.substr(at_, length);
    at_ += length;
  }
  string_ = escaped ? std::string_view(unescaped_) : text_.substr(from, at_ - from);
  ++at_;
  return true;
}

[[gnu::cold]] inline bool json_reader::read_escape() {
  constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
  const std::size_t from = at_++;
  if (const std::size_t simple = letters.find(peek()); at_ < text_.size() && simple != letters.npos) {
    unescaped_ += meanings[simple];
    ++at_;
    return true;
  }
  if (peek() != 'u') return broken_at(from, "an unknown escape in a string"), false;
  std::uint32_t point = 0, low = 0;
  if (!read_code_unit(point)) return false;
  if (point >= 0xD800 && point <= 0xDBFF) {
    if (text_.substr(at_, 2) != "\\u") return broken_at(from, "half a surrogate pair in a string"), false;
    ++at_;
    if (!read_code_unit(low)) return false;
    if (low < 0xDC00 || low > 0xDFFF) return broken_at(from, "half a surrogate pair in a string"), false;
    point = 0x10000 + ((point - 0xD800) << 10U) + (low - 0xDC00);
  } else if (point >= 0xDC00 && point <= 0xDFFF) {
    return broken_at(from, "half a surrogate pair in a string"), false;
  }
  append_code_point(point);
  return true;
}

// Stands at the 'u' of \uXXXX; leaves behind the last digit.
[[gnu::cold]] inline bool json_reader::read_code_unit(std::uint32_t& unit) {
  const std::string_view digits = text_.substr(at_ + 1, 4);
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  if (digits.size() != 4 || failed != std::errc{} || end != digits.data() + 4)
    return broken_at(at_ - 1, "\\u wants four hexadecimal digits"), false;
  at_ += 5;
  return true;
}

[[gnu::cold]] inline void json_reader::append_code_point(std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) { unescaped_ += static_cast<char>(static_cast<unsigned char>(byte)); };
  const auto tail = [&](unsigned shift) { put(0x80U | (point >> shift & 0x3FU)); };
  if (point < 0x80) return put(point);
  if (point < 0x800) return put(0xC0U | point >> 6U), tail(0);
  if (point < 0x10000) return put(0xE0U | point >> 12U), tail(6), tail(0);
  put(0xF0U | point >> 18U), tail(12), tail(6), tail(0);
}

[[gnu::cold]] inline bool json_reader::expect(json_event wanted) {
  const json_event got = next();
  if (got != wanted) refuse(joined({"expected ", name_of(wanted), ", got ", name_of(got)}));
  return got == wanted;
}

[[gnu::cold]] inline bool json_reader::skip() { return skip_from(next()); }

[[gnu::cold]] inline bool json_reader::skip_from(json_event event) {
  const int outside = depth_ - (event == json_event::begin_object || event == json_event::begin_array ? 1 : 0);
  while (depth_ > outside && !is_broken()) next();
  return !is_broken();
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA {

/// A named tensor whose name and bytes (dense, row-major, little-endian) live elsewhere.
struct tensor_entry {
  std::string_view name;
  dtype type = dtype::none;
  shape_t shape;
  std::span<const std::byte> bytes;
};

/// A named text of a file's metadata.
struct metadata_entry {
  std::string_view key, value;
};

/// "[16, 3, 3, 1]", for messages.
[[gnu::cold]] inline std::string text_of(const shape_t& shape);
/// "f32 [16, 3, 3, 1]"
[[gnu::cold]] inline std::string text_of(dtype type, const shape_t& shape);

namespace safetensors {

/// What a file holds: tensors and metadata in the order of their names, each name once. The tensors' bytes are the
/// file's; names and metadata point into `text`, so contents move but do not copy.
struct contents {
  std::vector<tensor_entry> tensors;
  std::vector<metadata_entry> metadata;
  std::vector<char> text;

  contents() = default;
  contents(contents&&) noexcept = default;
  contents& operator=(contents&&) noexcept = default;

  /// Appends a copy of `letters` to `text`; whoever calls it reserves enough before, for views must stay valid.
  std::string_view keep(std::string_view letters) {
    const std::size_t at = text.size();
    for (const char letter : letters) text.push_back(letter);
    return {text.data() + at, letters.size()};
  }
};

/// The longest header that is read or written, in bytes, as in the format's reference implementation.
inline constexpr std::uint64_t longest_header = 100'000'000;

/// Reads a file whose bytes are in memory and outlive the answer. Everything is verified before it is believed: the
/// header's length and JSON, names and fields that occur twice, dtypes, ranks (at most 8), sizes against offsets in
/// 64 bits, and that the tensors cover the data exactly, without overlap or hole; BOOL elements are 0 or 1.
/// Errors: invalid_file, not_supported (a dtype that nnrt lacks, such as BF16); the message names the tensor, what was
/// got and what was expected. Source: README and reference implementation of huggingface/safetensors 0.4.
[[gnu::cold]] inline result<contents> parse(std::span<const std::byte> file);

}  // namespace safetensors

// --- details ---------------------------------------------------------------
[[gnu::cold]] inline std::string text_of(const shape_t& shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(extent);
  }
  text += ']';
  return text;
}
[[gnu::cold]] inline std::string text_of(dtype type, const shape_t& shape) { return joined({name_of(type), " ", text_of(shape)}); }

namespace safetensors {
namespace detail {
static_assert(std::endian::native == std::endian::little,
              "nnrt: a safetensors file is little-endian, and so is its user");

struct dtype_row {
  std::string_view name;
  dtype type;
};
inline constexpr dtype_row dtypes[] = {{"BOOL", boolean}, {"U8", u8},   {"I8", i8},   {"U16", u16},
                                       {"I16", i16},      {"U32", u32}, {"I32", i32}, {"U64", u64},
                                       {"I64", i64},      {"F16", f16}, {"F32", f32}, {"F64", f64}};

constexpr std::string_view file_name_of(dtype type) {
  for (const dtype_row& row : dtypes)
    if (row.type == type) return row.name;
  return "none";
}

/// Heapsort: names come from strangers, so the worst case counts; and std::sort costs compilers 0.01 s for each type.
template <class T, class Less> void sort(std::vector<T>& items, Less less) {
  const auto sink = [&](std::size_t at, std::size_t end) {
    for (std::size_t child = 2 * at + 1; child < end; child = 2 * at + 1) {
      if (child + 1 < end && less(items[child], items[child + 1])) ++child;
      if (!less(items[at], items[child])) return;
      std::swap(items[at], items[child]);
      at = child;
    }
  };
  for (std::size_t at = items.size() / 2; at-- > 0;) sink(at, items.size());
  for (std::size_t end = items.size(); end-- > 1;) {
    std::swap(items[0], items[end]);
    sink(0, end);
  }
}

/// Puts the tensors in the order of their names; null, or one whose name occurs twice.
[[gnu::cold]] inline const tensor_entry* sort_by_name(std::vector<tensor_entry>& tensors) {
  sort(tensors, [](const tensor_entry& a, const tensor_entry& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < tensors.size(); ++i)
    if (tensors[i].name == tensors[i - 1].name) return &tensors[i];
  return nullptr;
}
[[gnu::cold]] inline const metadata_entry* sort_by_key(std::vector<metadata_entry>& metadata) {
  sort(metadata, [](const metadata_entry& a, const metadata_entry& b) { return a.key < b.key; });
  for (std::size_t i = 1; i < metadata.size(); ++i)
    if (metadata[i].key == metadata[i - 1].key) return &metadata[i];
  return nullptr;
}

/// A tensor as its header states it. Until the offsets are checked, `entry.bytes` are empty.
struct statement {
  tensor_entry entry;
  std::uint64_t begin = 0, end = 0;
};

/// What is wrong; empty when nothing is.
using complaint = std::string;

[[gnu::cold]] inline complaint complain(std::string_view name, std::initializer_list<std::string_view> reason) {
  return joined({"tensor ", quoted(name), ": ", joined(reason)});
}

/// Reads the JSON header into statements and metadata, kept in the order of the header.
class header_reader {
 public:
  explicit header_reader(std::string_view header) : json_(header) { found_.text.reserve(header.size()); }

  bool read();
  error reason() const {
    return {supported_ ? error_code::invalid_file : error_code::not_supported,
            joined({"header: ", json_.reason().message()})};
  }
  std::vector<statement>& statements() { return statements_; }
  contents& found() { return found_; }

 private:
  bool refuse(std::string_view name, std::initializer_list<std::string_view> reason) {
    return json_.refuse(complain(name, reason)), false;
  }
  bool read_metadata();
  bool read_tensor(std::string_view name);
  bool read_field(statement& tensor, unsigned& seen);
  bool read_dtype(statement& tensor);
  bool read_shape(statement& tensor);
  bool read_offsets(statement& tensor);
  bool expect(const statement& tensor, std::string_view field, json_event wanted);

  json_reader json_;
  contents found_;
  std::vector<statement> statements_;
  bool supported_ = true, has_metadata_ = false;
};

[[gnu::cold]] inline bool header_reader::read() {
  if (!json_.expect(json_event::begin_object)) return false;
  for (json_event event = json_.next(); event != json_event::end_object; event = json_.next()) {
    if (event == json_event::broken) return false;
    const bool is_metadata = json_.string() == "__metadata__";
    if (!(is_metadata ? read_metadata() : read_tensor(found_.keep(json_.string())))) return false;
  }
  return json_.next() == json_event::end;
}

[[gnu::cold]] inline bool header_reader::read_metadata() {
  if (has_metadata_) return json_.refuse("\"__metadata__\" occurs twice"), false;
  has_metadata_ = true;
  if (!json_.expect(json_event::begin_object)) return false;
  for (json_event event = json_.next(); event != json_event::end_object; event = json_.next()) {
    if (event == json_event::broken) return false;
    const std::string_view key = found_.keep(json_.string());
    const json_event value = json_.next();
    if (value == json_event::broken) return false;
    if (value != json_event::string)
      return json_.refuse(joined({"metadata ", quoted(key), ": expected a string, got ", name_of(value)})), false;
    found_.metadata.push_back({key, found_.keep(json_.string())});
  }
  return true;
}

// What is JSON of another kind gets the tensor's name in front; what is not JSON keeps the JSON reader's words.
[[gnu::cold]] inline bool header_reader::expect(const statement& tensor, std::string_view field, json_event wanted) {
  const json_event got = json_.next();
  if (got == json_event::broken || got == wanted) return got == wanted;
  return refuse(tensor.entry.name, {field, ": expected ", name_of(wanted), ", got ", name_of(got)});
}

[[gnu::cold]] inline bool header_reader::read_tensor(std::string_view name) {
  statement tensor;
  tensor.entry.name = name;
  unsigned seen = 0;  // a bit for each field
  if (!expect(tensor, "description", json_event::begin_object)) return false;
  for (json_event event = json_.next(); event != json_event::end_object; event = json_.next())
    if (event == json_event::broken || !read_field(tensor, seen)) return false;
  for (const std::string_view field : {"dtype", "shape", "data_offsets"}) {
    if ((seen & 1U) == 0) return refuse(name, {"field ", quoted(field), " is missing"});
    seen >>= 1U;
  }
  statements_.push_back(tensor);
  return true;
}

[[gnu::cold]] inline bool header_reader::read_field(statement& tensor, unsigned& seen) {
  const std::string_view field = json_.string();
  const unsigned bit = field == "dtype" ? 1 : field == "shape" ? 2 : field == "data_offsets" ? 4 : 0;
  if (bit == 0) return refuse(tensor.entry.name, {"unknown field ", quoted(field)});
  if ((seen & bit) != 0) return refuse(tensor.entry.name, {"field ", quoted(field), " occurs twice"});
  seen |= bit;
  return bit == 1 ? read_dtype(tensor) : bit == 2 ? read_shape(tensor) : read_offsets(tensor);
}

[[gnu::cold]] inline bool header_reader::read_dtype(statement& tensor) {
  if (!expect(tensor, "dtype", json_event::string)) return false;
  std::string known;
  for (const dtype_row& row : dtypes) {
    if (row.name == json_.string()) return tensor.entry.type = row.type, true;
    known += joined({known.empty() ? "" : ", ", row.name});
  }
  supported_ = false;
  return refuse(tensor.entry.name, {"dtype ", quoted(json_.string()), " is not supported, expected one of ", known});
}

[[gnu::cold]] inline bool header_reader::read_shape(statement& tensor) {
  if (!expect(tensor, "shape", json_event::begin_array)) return false;
  shape_t& shape = tensor.entry.shape;
  for (json_event event = json_.next(); event != json_event::end_array; event = json_.next()) {
    if (event == json_event::broken) return false;
    if (event != json_event::integer)
      return refuse(tensor.entry.name, {"shape: expected an integer, got ", name_of(event)});
    const std::int64_t extent = json_.integer();
    if (extent < 0)
      return refuse(tensor.entry.name, {"shape: expected extents of at least 0, got ", std::to_string(extent)});
    if (shape.rank == max_rank) return refuse(tensor.entry.name, {"shape: expected at most 8 extents, got more"});
    shape.push_back(extent);
  }
  return true;
}

[[gnu::cold]] inline bool header_reader::read_offsets(statement& tensor) {
  if (!expect(tensor, "data_offsets", json_event::begin_array)) return false;
  for (std::uint64_t* offset : {&tensor.begin, &tensor.end}) {
    if (!expect(tensor, "data_offsets", json_event::integer)) return false;
    const std::int64_t got = json_.integer();
    if (got < 0) return refuse(tensor.entry.name, {"data_offsets: expected at least 0, got ", std::to_string(got)});
    *offset = static_cast<std::uint64_t>(got);
  }
  return expect(tensor, "data_offsets", json_event::end_array);
}

[[gnu::cold]] inline std::string text_of_offsets(const statement& t) {
  return joined({"data_offsets [", std::to_string(t.begin), ", ", std::to_string(t.end), "]"});
}

/// Extents of 0 are left out: neither the order of the extents nor a 0 among them hides a size that overflows.
[[gnu::cold]] inline bool has_too_many_elements(const shape_t& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent == 0) continue;
    if (extent > max_elements / elements) return true;
    elements *= extent;
  }
  return false;
}

[[gnu::cold]] inline complaint check_size(const statement& t, std::uint64_t data_bytes) {
  const tensor_entry& tensor = t.entry;
  if (has_too_many_elements(tensor.shape))
    return complain(tensor.name, {"shape ", text_of(tensor.shape), " has more than 2^40 elements"});
  if (t.begin > t.end) return complain(tensor.name, {text_of_offsets(t), " end before they begin"});
  if (t.end > data_bytes) {
    return complain(tensor.name,
                    {text_of_offsets(t), " reach beyond the file's ", std::to_string(data_bytes), " bytes of data"});
  }
  const std::uint64_t got = t.end - t.begin,
                      expected = static_cast<std::uint64_t>(tensor.shape.elements() * size_of(tensor.type));
  if (got == expected) return {};
  return complain(tensor.name,
                  {text_of_offsets(t), " hold ", std::to_string(got), " bytes, expected ", std::to_string(expected),
                   " for ", file_name_of(tensor.type), " ", text_of(tensor.shape)});
}

/// In the order of their data, every tensor starts where the one before ended, and the last one ends with the file.
[[gnu::cold]] inline complaint check_cover(std::vector<statement>& tensors, std::uint64_t data_bytes) {
  sort(tensors,
       [](const statement& a, const statement& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
  const statement* last = nullptr;
  std::uint64_t covered = 0;
  for (const statement& t : tensors) {
    if (t.begin < covered)
      return complain(t.entry.name,
                      {text_of_offsets(t), " overlap tensor ", quoted(last->entry.name), ", ", text_of_offsets(*last)});
    if (t.begin > covered)
      return complain(t.entry.name,
                      {text_of_offsets(t), " leave a hole, expected them to begin at ", std::to_string(covered)});
    covered = t.end;
    last = &t;
  }
  if (covered == data_bytes) return {};
  const std::string end = last == nullptr ? "for a header that names no tensor"
                                          : joined({"where the last tensor, ", quoted(last->entry.name), ", ends"});
  return joined(
      {"the data have ", std::to_string(data_bytes), " bytes, expected ", std::to_string(covered), ", ", end});
}

// Other bytes than 0 and 1 are no value of a C++ bool: reading one would be undefined behaviour in every kernel.
[[gnu::cold]] inline complaint check_booleans(const tensor_entry& tensor) {
  if (tensor.type != boolean) return {};
  for (std::size_t i = 0; i < tensor.bytes.size(); ++i) {
    const int value = std::to_integer<int>(tensor.bytes[i]);
    if (value > 1)
      return complain(tensor.name,
                      {"BOOL element ", std::to_string(i), " is ", std::to_string(value), ", expected 0 or 1"});
  }
  return {};
}

/// Finds the header of a file.
[[gnu::cold]] inline complaint find_header(std::span<const std::byte> file, std::string_view& header) {
  if (file.size() < 8)
    return joined(
        {"the file has ", std::to_string(file.size()), " bytes, expected at least the 8 of the header's length"});
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  const std::string claim = joined({"the header claims ", std::to_string(length), " bytes, "});
  if (length > longest_header) return joined({claim, "expected at most ", std::to_string(longest_header)});
  if (length > file.size() - 8)
    return joined({claim, "but only ", std::to_string(file.size() - 8), " follow its length"});
  header = {reinterpret_cast<const char*>(file.data() + 8), static_cast<std::size_t>(length)};
  if (!header.starts_with('{')) return joined({"header: expected '{' at its begin, got ", quoted(header.substr(0, 1))});
  return {};
}

/// Gives the tensors their bytes, once everything about them is checked.
[[gnu::cold]] inline complaint fill(contents& found, std::vector<statement>& statements, std::span<const std::byte> data) {
  for (const statement& t : statements)
    if (complaint wrong = check_size(t, data.size()); !wrong.empty()) return wrong;
  for (const statement& t : statements) {
    found.tensors.push_back(t.entry);
    found.tensors.back().bytes = {data.data() + t.begin, static_cast<std::size_t>(t.end - t.begin)};
    if (complaint wrong = check_booleans(found.tensors.back()); !wrong.empty()) return wrong;
  }
  // Two tensors of one name would also overlap or leave a hole; the name is the better reason.
  if (const tensor_entry* twice = sort_by_name(found.tensors))
    return complain(twice->name, {"its name occurs twice, expected it once"});
  if (const metadata_entry* twice = sort_by_key(found.metadata))
    return joined({"metadata ", quoted(twice->key), ": its key occurs twice"});
  return check_cover(statements, data.size());
}
}  // namespace detail

[[gnu::cold]] inline result<contents> parse(std::span<const std::byte> file) {
  std::string_view header;
  if (detail::complaint wrong = detail::find_header(file, header); !wrong.empty())
    return fail(error_code::invalid_file, std::move(wrong));
  detail::header_reader reader(header);
  if (!reader.read()) return fail(reader.reason());
  const std::span<const std::byte> data(file.data() + 8 + header.size(), file.size() - 8 - header.size());
  if (detail::complaint wrong = detail::fill(reader.found(), reader.statements(), data); !wrong.empty())
    return fail(error_code::invalid_file, std::move(wrong));
  return std::move(reader.found());
}

}  // namespace safetensors
}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA {

/// The order in which a file's writer keeps the axes of weights.
enum class layout {
  native,   // as the operators take them: convolutions [outC, kH, kW, inC/group], linear columns in H,W,C order
  pytorch,  // as a PyTorch state dict has them: OIHW, transposed IOHW, linear columns in C,H,W order
};

namespace detail {
/// One cache line: a vector of them is zeroed memory, aligned for every vector instruction.
struct alignas(64) cache_line {
  std::byte bytes[64] = {};
};

/// Zeroed memory whose begin is aligned to 64 bytes; its address survives moves.
class aligned_bytes {
 public:
  aligned_bytes() = default;
  explicit aligned_bytes(std::size_t size) : lines_(rounded(size) / sizeof(cache_line)) {}
  std::byte* data() { return lines_.empty() ? nullptr : lines_.front().bytes; }

  /// `size` rounded up to whole lines.
  static constexpr std::size_t rounded(std::size_t size) { return (size + 63) / 64 * 64; }

 private:
  std::vector<cache_line> lines_;
};
}  // namespace detail

/// Named tensors and texts, immutable, behind a handle: a copy is a pointer, and the bytes stay mapped (or allocated)
/// until the last copy is gone. `weights{}` holds nothing, for networks that name no weights.
/// Weights that a program computed come from make_weights (make_weights.hpp).
class weights {
 public:
  using entry = tensor_entry;

  weights() = default;

  /// Maps a safetensors file; its bytes are read from the disk when they are used.
  /// Errors: not_found, io_failed; invalid_file, not_supported as safetensors::parse. Each begins with the path.
  static result<weights> open(std::string_view path, layout order = layout::native);
  /// Borrows a safetensors file in memory, such as an embedded one: its bytes must outlive every copy of the handle.
  /// Errors as safetensors::parse.
  static result<weights> parse(std::span<const std::byte> file, layout order = layout::native);
  /// Like parse, but keeps a copy of the bytes.
  static result<weights> parse_copy(std::span<const std::byte> file, layout order = layout::native);

  /// The tensor of this name, or null; O(log n). Valid as long as a copy of the handle lives.
  const entry* find(std::string_view name) const;
  /// All tensors, in the order of their names.
  std::span<const entry> entries() const {
    if (!state_) return {};
    return {state_->found.tensors.data(),
            state_->found.tensors.size()};  // from the vector itself it costs compilers 0.01 s
  }
  /// All texts of the file's metadata, in the order of their keys.
  std::span<const metadata_entry> metadata() const {
    if (!state_) return {};
    return {state_->found.metadata.data(), state_->found.metadata.size()};
  }
  /// The text under this key of the metadata, or null.
  const std::string_view* metadata(std::string_view key) const;
  /// The order of axes that these weights were said to have.
  layout order() const { return state_ ? state_->order : layout::native; }

 private:
  struct state {
    mapped_file file;
    detail::aligned_bytes copy;
    safetensors::contents found;
    layout order = layout::native;
  };

  friend result<weights> make_weights(std::span<const entry> tensors, std::span<const metadata_entry> metadata,
                                      layout order);
  explicit weights(state&& made) : state_(shared<const state>::make(std::move(made))) {}
  static result<weights> with(state made, std::span<const std::byte> file);

  shared<const state> state_;
};

// --- details ---------------------------------------------------------------
[[gnu::cold]] inline result<weights> weights::with(state made, std::span<const std::byte> file) {
  auto found = safetensors::parse(file);
  if (!found) return fail(std::move(found.error()));
  made.found = std::move(*found);
  return weights(std::move(made));
}

[[gnu::cold]] inline result<weights> weights::open(std::string_view path, layout order) {
  auto file = mapped_file::open(path);
  if (!file) return fail(std::move(file.error()));
  const std::span<const std::byte> bytes = file->bytes();
  auto opened = with({.file = std::move(*file), .copy = {}, .found = {}, .order = order}, bytes);
  if (!opened) return fail(std::move(opened.error()).in(path));
  return opened;
}

[[gnu::cold]] inline result<weights> weights::parse(std::span<const std::byte> file, layout order) {
  return with({.file = {}, .copy = {}, .found = {}, .order = order}, file);
}

[[gnu::cold]] inline result<weights> weights::parse_copy(std::span<const std::byte> file, layout order) {
  detail::aligned_bytes copy(file.size());
  std::byte* const bytes = copy.data();
  if (!file.empty()) std::memcpy(bytes, file.data(), file.size());
  return with({.file = {}, .copy = std::move(copy), .found = {}, .order = order}, {bytes, file.size()});
}

[[gnu::cold]] inline const weights::entry* weights::find(std::string_view name) const {
  const std::span<const entry> all = entries();
  std::size_t first = 0, last = all.size();  // the name is in [first, last), if anywhere
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (all[middle].name == name) return &all[middle];
    (all[middle].name < name ? first : last) = all[middle].name < name ? middle + 1 : middle;
  }
  return nullptr;
}

[[gnu::cold]] inline const std::string_view* weights::metadata(std::string_view key) const {
  for (const metadata_entry& text : metadata())
    if (text.key == key) return &text.value;
  return nullptr;
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA {

/// How a network uses a weight, as far as another framework orders its axes otherwise.
enum class weight_use { plain, conv2d, depthwise_conv2d, conv2d_transpose, full_connection };

/// A weight that a network names. `desc` is what the operator takes (nnrt's order of axes); the strings must outlive
/// the call of bind_weights only.
struct weight_spec {
  std::string_view name;
  tensor_desc desc;
  weight_use use = weight_use::plain;
  std::int64_t group = 1;  // of conv2d and conv2d_transpose
  /// [N, H, W, C] of the feature map whose flattening is the full_connection's input; rank 0: there is none.
  shape_t flattened = {};
};

/// The bytes of a network's weights, in the order of its specs, as its operators take them: dense, row-major, aligned
/// to the element size. Keeps the weights alive that it borrows from.
class bound_weights {
 public:
  bound_weights() = default;
  bound_weights(bound_weights&&) noexcept = default;
  bound_weights& operator=(bound_weights&&) noexcept = default;

  /// One pointer for each spec; what it points to has desc.bytes() bytes. Null only for a tensor without elements.
  std::span<const std::byte* const> pointers() const { return {pointers_.data(), pointers_.size()}; }
  /// Whether the weight at this index was copied, because its axes had to be put in order or its bytes were not
  /// aligned.
  bool is_copy(std::size_t index) const { return copied_[index] != 0; }
  const weights& source() const { return source_; }

 private:
  friend result<bound_weights> bind_weights(const weights& file, std::span<const weight_spec> specs);

  weights source_;
  detail::aligned_bytes copies_;
  std::vector<const std::byte*> pointers_;
  std::vector<unsigned char> copied_;
};

/// Finds every spec's tensor, checks its dtype and shape, and puts its elements into nnrt's order if the file has
/// another (weights::order()).
///
/// From layout::pytorch, with the file's shape on the left:
///   conv2d            [outC, inC/group, kH, kW]   becomes [outC, kH, kW, inC/group]
///   depthwise_conv2d  [outC, 1, kH, kW]           becomes [outC, kH, kW, 1]
///   conv2d_transpose  [inC, outC/group, kH, kW]   becomes [outC, kH, kW, inC/group]
///   full_connection   [out, in] stays; when the input is a flattened [N, H, W, C], its columns go from C,H,W to H,W,C
///   order
///   plain             stays
///
/// Errors: invalid_argument; one message of several lines that names every missing, superfluous, mistyped and misshapen
/// tensor with what was got and what was expected. Dtypes are not converted. Superfluous are the tensors that no spec
/// names, except PyTorch's counters "….num_batches_tracked". Two specs may have one name.
[[gnu::cold]] inline result<bound_weights> bind_weights(const weights& file, std::span<const weight_spec> specs);

// --- details ---------------------------------------------------------------
namespace detail {

/// How the elements of a weight are gathered from the file: element (i0, …) of the extents comes from offset sum(i *
/// stride), in elements. The extents factor the wanted shape: splitting an axis (of groups, or of flattened columns)
/// leaves the row-major order of the target as it is.
struct gathering {
  shape_t extents, strides;

  void axis(std::int64_t extent, std::int64_t stride) { extents.push_back(extent), strides.push_back(stride); }
  bool keeps_order() const {
    const shape_t dense = row_major_strides(extents);
    for (int i = 0; i < extents.rank; ++i)
      if (extents[i] > 1 && strides[i] != dense[i]) return false;
    return true;
  }
};

/// What a spec wants to find in the file, and how to read it.
struct expectation {
  shape_t shape;
  gathering from;        // rank 0: as it is
  const char* why = "";  // set when the spec itself makes no sense
};

/// [out, kH, kW, in] from a file with these strides; `out` is split into groups when its members lie apart in the file.
[[gnu::cold]] inline expectation expected_convolution(const weight_spec& spec) {
  const shape_t& s = spec.desc.shape;
  if (s.rank != 4 || s.elements() < 1)
    return {s, {}, "is used by a convolution, which takes known extents [outC, kH, kW, inC/group]"};
  if (spec.group < 1 || s[0] % spec.group != 0)
    return {s, {}, "is used by a convolution whose group does not divide its output channels"};
  const std::int64_t window = s[1] * s[2], in = s[3];
  expectation e;
  if (spec.use == weight_use::conv2d_transpose) {
    const std::int64_t out = s[0] / spec.group;
    e.shape = {in * spec.group, out, s[1], s[2]};
    e.from.axis(spec.group, in * out * window);
    e.from.axis(out, window);
    e.from.axis(s[1], s[2]);
    e.from.axis(s[2], 1);
    e.from.axis(in, out * window);
  } else {
    e.shape = {s[0], in, s[1], s[2]};
    e.from.axis(s[0], in * window);
    e.from.axis(s[1], s[2]);
    e.from.axis(s[2], 1);
    e.from.axis(in, window);
  }
  return e;
}

[[gnu::cold]] inline expectation expected_linear(const weight_spec& spec) {
  const shape_t &s = spec.desc.shape, &map = spec.flattened;
  if (map.rank != 4) return {s, {}, ""};
  if (s.rank != 2 || s.elements() < 0 || map.elements(1) != s[1])
    return {s, {}, "has other columns than the feature map that is flattened into them has elements"};
  const std::int64_t h = map[1], w = map[2], c = map[3];
  expectation e{s, {}, ""};
  e.from.axis(s[0], h * w * c);
  e.from.axis(h, w);
  e.from.axis(w, 1);
  e.from.axis(c, h * w);
  return e;
}

/// What the file must hold for this spec when its writer ordered axes like `order`.
[[gnu::cold]] inline expectation expected_in_file(const weight_spec& spec, layout order) {
  if (order == layout::native) return {spec.desc.shape, {}, ""};
  switch (spec.use) {
    case weight_use::conv2d:
    case weight_use::depthwise_conv2d:
    case weight_use::conv2d_transpose: return expected_convolution(spec);
    case weight_use::full_connection: return expected_linear(spec);
    case weight_use::plain: break;
  }
  return {spec.desc.shape, {}, ""};
}

template <std::size_t ElementBytes>
void gather_elements(const gathering& from, const std::byte* source, std::byte* target) {
  std::int64_t at[max_rank] = {};
  std::int64_t offset = 0;
  for (std::int64_t left = from.extents.elements(); left > 0; --left) {
    std::memcpy(target, source + static_cast<std::size_t>(offset) * ElementBytes, ElementBytes);
    target += ElementBytes;
    for (int axis = from.extents.rank; axis-- > 0;) {
      offset += from.strides[axis];
      if (++at[axis] < from.extents[axis]) break;
      offset -= from.strides[axis] * at[axis];
      at[axis] = 0;
    }
  }
}

[[gnu::cold]] inline void gather(const gathering& from, std::int64_t element_bytes, const std::byte* source, std::byte* target) {
  switch (element_bytes) {
    case 1: return gather_elements<1>(from, source, target);
    case 2: return gather_elements<2>(from, source, target);
    case 4: return gather_elements<4>(from, source, target);
    default: return gather_elements<8>(from, source, target);
  }
}

/// Edits (insert, drop or replace a character) from a to b, or `limit` when there are as many or more.
[[gnu::cold]] inline std::size_t edits_between(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() >= b.size() + limit || b.size() >= a.size() + limit) return limit;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min(replaced, std::min(row[j], diagonal) + 1);
    }
  }
  return std::min(row[b.size()], limit);
}

/// Whether one is the other behind a prefix of modules: "module.conv1.weight" and "conv1.weight".
constexpr bool differ_by_prefix(std::string_view a, std::string_view b) {
  const std::string_view longer = a.size() < b.size() ? b : a, shorter = a.size() < b.size() ? a : b;
  return longer.size() > shorter.size() + 1 && longer.ends_with(shorter) &&
         longer[longer.size() - shorter.size() - 1] == '.';
}

/// Collects everything that does not fit into the lines of one message.
class weight_complaints {
 public:
  weight_complaints(const weights& file, std::span<const weight_spec> specs)
      : file_(file), specs_(specs), used_(file.entries().size(), 0) {}

  /// The spec's tensor when it fits.
  const tensor_entry* check(const weight_spec& spec, const expectation& expected);
  /// Remarks on names: what is missing, with a guess which superfluous one was meant, and what is superfluous.
  void check_names();
  bool any() const { return count_ > 0; }
  error reason() const;

 private:
  void complain(std::string_view name, std::string_view text) {
    lines_ += joined({"\n  ", quoted(name), ": ", text});
    ++count_;
  }
  std::string hint_of_order(const weight_spec& spec, const shape_t& got) const;
  std::string_view nearest_superfluous(std::string_view name);
  bool is_ignored(const tensor_entry& tensor) const {
    constexpr std::string_view counter = "num_batches_tracked";
    return file_.order() == layout::pytorch &&
           (tensor.name == counter || tensor.name.ends_with(".num_batches_tracked"));
  }

  const weights& file_;
  std::span<const weight_spec> specs_;
  std::vector<unsigned char> used_;
  std::vector<const weight_spec*> missing_;
  std::size_t guesses_left_ = 10'000;  // a hostile file must not make the guessing quadratic
  std::size_t count_ = 0;
  std::string lines_;
};

[[gnu::cold]] inline std::string weight_complaints::hint_of_order(const weight_spec& spec, const shape_t& got) const {
  const bool is_native = file_.order() == layout::native;
  const expectation other = expected_in_file(spec, is_native ? layout::pytorch : layout::native);
  if (other.why[0] != '\0' || !(got == other.shape)) return {};
  return is_native ? " (this is PyTorch's order: open the file with nnrt::layout::pytorch)"
                   : " (this is nnrt's order: open the file with nnrt::layout::native)";
}

[[gnu::cold]] inline const tensor_entry* weight_complaints::check(const weight_spec& spec, const expectation& expected) {
  if (expected.why[0] != '\0') {
    return complain(spec.name, joined({"expected ", text_of(spec.desc.type, spec.desc.shape), " ", expected.why})),
           nullptr;
  }
  const tensor_entry* found = file_.find(spec.name);
  if (found == nullptr) return missing_.push_back(&spec), nullptr;
  used_[static_cast<std::size_t>(found - file_.entries().data())] = 1;
  const bool same_type = found->type == spec.desc.type, same_shape = found->shape == expected.shape;
  if (same_type && same_shape) return found;
  std::string text =
      joined({"got ", text_of(found->type, found->shape), ", expected ", text_of(spec.desc.type, expected.shape)});
  if (!same_type) text += " (dtypes are not converted)";
  if (!same_shape) text += hint_of_order(spec, found->shape);
  return complain(spec.name, text), nullptr;
}

[[gnu::cold]] inline std::string_view weight_complaints::nearest_superfluous(std::string_view name) {
  std::string_view nearest;
  std::size_t fewest = std::min<std::size_t>(name.size() / 4 + 2, name.size());
  for (std::size_t i = 0; i < used_.size() && guesses_left_ > 0; ++i) {
    const std::string_view candidate = file_.entries()[i].name;
    if (used_[i] != 0 || candidate.size() > 200 || name.size() > 200) continue;
    --guesses_left_;
    if (differ_by_prefix(name, candidate)) return candidate;
    const std::size_t edits = edits_between(name, candidate, fewest);
    if (edits < fewest) fewest = edits, nearest = candidate;
  }
  return nearest;
}

[[gnu::cold]] inline void weight_complaints::check_names() {
  for (const weight_spec* spec : missing_) {
    const std::string_view nearest = nearest_superfluous(spec->name);
    const std::string expected = text_of(spec->desc.type, expected_in_file(*spec, file_.order()).shape);
    std::string text = joined({"missing: got no such tensor, expected ", expected});
    if (!nearest.empty()) text += joined({"; did you mean ", quoted(nearest), "?"});
    complain(spec->name, text);
  }
  for (std::size_t i = 0; i < used_.size(); ++i) {
    const tensor_entry& tensor = file_.entries()[i];
    if (used_[i] == 0 && !is_ignored(tensor)) {
      complain(tensor.name,
               joined({"superfluous: got ", text_of(tensor.type, tensor.shape), ", expected no such tensor"}));
    }
  }
}

[[gnu::cold]] inline error weight_complaints::reason() const {
  return {error_code::invalid_argument,
          joined({"weights do not fit (", std::to_string(used_.size()), " tensors there, ",
                  std::to_string(specs_.size()), " weights named by the network):", lines_})};
}

/// A spec's tensor with the way to read it.
struct located_weight {
  const tensor_entry* tensor;
  gathering from;
  std::size_t element_bytes;

  bool must_be_gathered() const { return from.extents.rank > 0 && !from.keeps_order(); }
  bool must_be_copied() const {
    return must_be_gathered() || reinterpret_cast<std::uintptr_t>(tensor->bytes.data()) % element_bytes != 0;
  }
  void copy_to(std::byte* target) const {
    if (must_be_gathered()) gather(from, static_cast<std::int64_t>(element_bytes), tensor->bytes.data(), target);
    else std::memcpy(target, tensor->bytes.data(), tensor->bytes.size());
  }
};
}  // namespace detail

[[gnu::cold]] inline result<bound_weights> bind_weights(const weights& file, std::span<const weight_spec> specs) {
  detail::weight_complaints complaints(file, specs);
  std::vector<detail::located_weight> located;
  std::size_t copied_bytes = 0;
  for (const weight_spec& spec : specs) {
    const detail::expectation expected = detail::expected_in_file(spec, file.order());
    const tensor_entry* tensor = complaints.check(spec, expected);
    if (tensor == nullptr) continue;
    located.push_back({tensor, expected.from, static_cast<std::size_t>(size_of(tensor->type))});
    if (located.back().must_be_copied()) copied_bytes += detail::aligned_bytes::rounded(tensor->bytes.size());
  }
  complaints.check_names();
  if (complaints.any()) return fail(complaints.reason());
  bound_weights bound;
  bound.source_ = file;
  bound.copies_ = detail::aligned_bytes(copied_bytes);
  std::byte* to = bound.copies_.data();
  for (const detail::located_weight& weight : located) {
    const bool copied = weight.must_be_copied();
    bound.copied_.push_back(copied);
    bound.pointers_.push_back(copied ? to : weight.tensor->bytes.data());
    if (!copied) continue;
    weight.copy_to(to);
    to += detail::aligned_bytes::rounded(weight.tensor->bytes.size());
  }
  return bound;
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA {

namespace detail {

constexpr weight_use use_of(weights_role role) {
  switch (role) {
    case weights_role::conv2d: return weight_use::conv2d;
    case weights_role::depthwise_conv2d: return weight_use::depthwise_conv2d;
    case weights_role::conv2d_transpose: return weight_use::conv2d_transpose;
    case weights_role::full_connection: return weight_use::full_connection;
    case weights_role::none: break;
  }
  return weight_use::plain;
}

/// Whether a node's elements are those of its only input, in their order: reshapes, and activations between them and the layer.
constexpr bool keeps_order(const ir::node& n) {
  return n.op->traits.result == storage::alias_of_input || (n.op->traits.result == storage::in_place && n.inputs.count == 1);
}

/// Shape of the feature map [N, H, W, C] whose flattening a dense layer with this many columns reads; rank 0 when it reads something else,
/// or when the map has one pixel.
constexpr shape_t flattened_map(const ir::graph& g, const passes::use_table& table, std::int32_t id, std::int64_t columns) {
  for (;;) {
    const tensor_desc& desc = g.at(id).desc;
    if (desc.rank() == 4 && desc.layout == format::nhwc)
      return desc.shape[1] * desc.shape[2] > 1 && desc.shape.elements(1) == columns ? desc.shape : shape_t{};
    if (table.producer_of(id) == ir::none) return {};
    const ir::node& n = g.nodes[static_cast<std::size_t>(table.producer_of(id))];
    if (!keeps_order(n)) return {};
    id = g.inputs_of(n)[0];
  }
}

/// Groups of a convolution: input channels over the weight's.
constexpr std::int64_t group_of(const ir::graph& g, const ir::node& n) {
  const tensor_desc &x = g.at(g.inputs_of(n)[0]).desc, &w = g.at(g.inputs_of(n)[1]).desc;
  return x.rank() == 4 && w.rank() == 4 && w.shape[3] > 0 ? x.shape[3] / w.shape[3] : 1;
}

}  // namespace detail

/// One spec for each weight, in order of declaration. The names lie in the graph.
constexpr pool<weight_spec> weight_specs_of(const ir::graph& g) {
  pool<weight_spec> specs;
  pool<std::int32_t> spec_of;
  spec_of.assign(g.values.size(), ir::none);
  for (std::size_t id = 0; id < g.values.size(); ++id) {
    const ir::value& v = g.values[id];
    if (v.is != ir::kind::weight) continue;
    spec_of[id] = static_cast<std::int32_t>(specs.size());
    specs.push_back({g.name_of(v.name), v.desc, weight_use::plain, 1, {}});
  }
  const passes::use_table table(g);
  for (const ir::node& n : g.nodes) {
    if (n.op->traits.weights == weights_role::none) continue;
    const std::int32_t id = g.inputs_of(n)[1];
    if (spec_of[static_cast<std::size_t>(id)] == ir::none) continue;
    weight_spec& spec = specs[static_cast<std::size_t>(spec_of[static_cast<std::size_t>(id)])];
    spec.use = detail::use_of(n.op->traits.weights);
    if (spec.use == weight_use::full_connection) spec.flattened = detail::flattened_map(g, table, g.inputs_of(n)[0], spec.desc.shape[1]);
    else if (spec.use != weight_use::depthwise_conv2d) spec.group = detail::group_of(g, n);
  }
  return specs;
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/ir/builder.hpp
// builder: what a network's function gets - it declares inputs, weights, constants and outputs, and records nodes.
// Flow: graph<f> calls f(builder) in constant evaluation; operators add nodes through ir/apply.hpp.

namespace nnrt::inline NNRT_ISA {

/// Rules about a whole graph; graph<f> reports them, since no single line of it is to blame.
enum class graph_rule {
  graph_must_have_an_output,
  every_input_must_be_used,
  input_names_must_differ,
  output_names_must_differ,
  weights_of_one_name_must_be_alike,
  tensors_must_belong_to_this_graph,
};

namespace ir {

/// A rule of the whole graph that is broken, and the name that it is about.
struct complaint {
  bool made = false;
  graph_rule rule{};
  range name;
};

}  // namespace ir

/// Declares the tensors of a network. Names of inputs, of outputs and of weights are three spaces of their own.
class builder {
 public:
  /// An input of the network; inputs are the executor's arguments in order of declaration.
  template <dtype Type, shape_t Shape, format Layout = default_format(Shape.rank), quantisation Quantised = quantisation{}>
  constexpr auto input(std::string_view name) {
    constexpr tensor_desc desc{Type, Layout, Shape, Quantised};
    static_assert(valid_extents(desc), "nnrt: extents of an input must be at least 1 and fit into memory");
    return tensor<desc>{this, declare_input(desc, name)};
  }

  /// A tensor whose elements come by name when an executor is made. Asking twice for one name gives the same tensor. One that is quantised
  /// per channel has its scales in a weight of its own: f32, one for each index of the axis, called "<name>.scale".
  template <dtype Type, shape_t Shape, format Layout = default_format(Shape.rank), quantisation Quantised = quantisation{}>
  constexpr auto weight(std::string_view name) {
    constexpr tensor_desc desc{Type, Layout, Shape, Quantised};
    static_assert(valid_extents(desc), "nnrt: extents of a weight must be at least 1 and fit into memory, and its quantised axis must exist");
    return tensor<desc>{this, declare_weight(desc, name, "")};
  }
  /// The same for the weight "<layer>.<part>".
  template <dtype Type, shape_t Shape, format Layout = default_format(Shape.rank), quantisation Quantised = quantisation{}>
  constexpr auto weight(std::string_view layer, std::string_view part) {
    constexpr tensor_desc desc{Type, Layout, Shape, Quantised};
    static_assert(valid_extents(desc), "nnrt: extents of a weight must be at least 1 and fit into memory, and its quantised axis must exist");
    return tensor<desc>{this, declare_weight(desc, layer, part)};
  }

  /// A tensor whose elements stand in the program, row-major.
  template <dtype Type, shape_t Shape, format Layout = default_format(Shape.rank), quantisation Quantised = quantisation{}>
  constexpr auto constant(const element_t<Type> (&elements)[static_cast<std::size_t>(Shape.elements())]) {
    constexpr tensor_desc desc{Type, Layout, Shape, Quantised};
    return tensor<desc>{this, ir_.add_constant(desc, std::span<const element_t<Type>>(elements))};
  }
  template <dtype Type, shape_t Shape, format Layout = default_format(Shape.rank), quantisation Quantised = quantisation{}>
  constexpr auto constant(const std::array<element_t<Type>, static_cast<std::size_t>(Shape.elements())>& elements) {
    constexpr tensor_desc desc{Type, Layout, Shape, Quantised};
    return tensor<desc>{this, ir_.add_constant(desc, std::span<const element_t<Type>>(elements))};
  }

  /// Makes a tensor a result of the network, under this name.
  template <tensor_desc Desc> constexpr void output(std::string_view name, tensor<Desc> result) {
    if constexpr (Desc.type != dtype::none) declare_output(name, result.owner, result.id);
  }

  /// The graph so far.
  constexpr const ir::graph& graph() const { return ir_; }
  constexpr ir::graph& graph() { return ir_; }
  /// The first rule of the whole graph that is broken.
  constexpr const ir::complaint& complaint() const { return complaint_; }

  /// Called by dsl::apply: a node over these values; returns the id of its first output, the others follow it.
  constexpr std::int32_t add_node(const operator_info& op, std::span<const word> attrs, std::span<const std::int32_t> inputs, std::span<const tensor_desc> outputs);
  /// A scalar constant, or the integers of a keyword.
  template <class T> constexpr std::int32_t add_constant(const tensor_desc& desc, std::span<const T> elements) { return ir_.add_constant(desc, elements); }
  constexpr void complain(graph_rule rule, std::string_view name) {
    if (!complaint_.made) complaint_ = {true, rule, ir_.add_text(name)};
  }
  /// The same with a name that is in the graph's text already.
  constexpr void complain(graph_rule rule, ir::range name) {
    if (!complaint_.made) complaint_ = {true, rule, name};
  }
  /// Called by dsl::apply: a node was refused where it was written, so the graph lacks what was built on it.
  constexpr void refuse() { refused_ = true; }
  /// Complaints that only the finished graph shows; none about a graph that lacks a refused node.
  constexpr void finish();

 private:
  static consteval bool valid_extents(const tensor_desc& desc) {
    for (const std::int64_t extent : desc.shape)
      if (extent < 1) return false;
    if (desc.quantised.mode == quantisation::kind::per_channel && (desc.quantised.axis < 0 || desc.quantised.axis >= desc.rank())) return false;
    return desc.elements() >= 0;
  }
  constexpr std::int32_t declare_input(const tensor_desc& desc, std::string_view name);
  constexpr std::int32_t declare_weight(const tensor_desc& desc, std::string_view layer, std::string_view part);
  constexpr std::int32_t declare_scales(const tensor_desc& desc, ir::range name);
  constexpr void declare_output(std::string_view name, const builder* owner, std::int32_t id);

  ir::graph ir_;
  ir::complaint complaint_;
  bool refused_ = false;
  struct named_weight {
    std::uint64_t hash = 0;
    std::int32_t id = ir::none;
  };
  pool<named_weight> weights_;  // a hash table of twice as many places as weights, or more: networks have hundreds
  std::size_t weight_count_ = 0;

  /// The place of a name: the weight's own, or a free one.
  constexpr std::size_t place_of(std::string_view name, std::uint64_t hash) const;
  constexpr void make_room();
};

// --- details ---------------------------------------------------------------

constexpr std::int32_t builder::declare_input(const tensor_desc& desc, std::string_view name) {
  for (const std::int32_t other : ir_.inputs)
    if (ir_.name_of(ir_.at(other).name) == name) complain(graph_rule::input_names_must_differ, name);
  const std::int32_t id = ir_.add_value({desc, ir::kind::input, ir_.add_text(name), 0, ir::none});
  ir_.inputs.push_back(id);
  return id;
}

constexpr std::size_t builder::place_of(std::string_view name, std::uint64_t hash) const {
  std::size_t place = hash & (weights_.size() - 1);
  while (weights_[place].id != ir::none && (weights_[place].hash != hash || ir_.name_of(ir_.at(weights_[place].id).name) != name)) place = (place + 1) & (weights_.size() - 1);
  return place;
}

constexpr void builder::make_room() {
  if (2 * weight_count_ < weights_.size()) return;
  const pool<named_weight> old = weights_;
  weights_.assign(old.empty() ? 64 : 4 * old.size(), {});
  for (const named_weight& w : old)
    if (w.id != ir::none) weights_[place_of(ir_.name_of(ir_.at(w.id).name), w.hash)] = w;
}

constexpr std::int32_t builder::declare_weight(const tensor_desc& desc, std::string_view layer, std::string_view part) {
  // Put together where it stays: a network has thousands of letters, and each costs constexpr steps.
  const auto first = static_cast<std::int32_t>(ir_.text.size());
  ir_.add_text(layer);
  if (!part.empty()) ir_.add_text("."), ir_.add_text(part);
  const ir::range text{first, static_cast<std::int32_t>(ir_.text.size()) - first};
  const std::string_view name = ir_.name_of(text);
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  make_room();
  named_weight& place = weights_[place_of(name, hash)];
  if (place.id != ir::none) {
    for (std::int32_t i = 0; i < text.count; ++i) ir_.text.pop_back();
    if (ir_.at(place.id).desc != desc) complain(graph_rule::weights_of_one_name_must_be_alike, ir_.name_of(ir_.at(place.id).name));
    return place.id;
  }
  const std::int32_t id = ir_.add_value({desc, ir::kind::weight, text, 0, ir::none});
  place = {hash, id};
  ++weight_count_;
  if (desc.quantised.mode == quantisation::kind::per_channel) ir_.at(id).scales = declare_scales(desc, text);
  return id;
}

constexpr std::int32_t builder::declare_scales(const tensor_desc& desc, ir::range name) {
  const std::string_view letters = ir_.name_of(name);
  pool<char> of;  // the graph's text may move while it grows
  of.insert(letters.begin(), letters.end());
  return declare_weight(tensor_desc{f32, {desc.shape[desc.quantised.axis]}}, {of.data(), of.size()}, "scale");
}

constexpr void builder::declare_output(std::string_view name, const builder* owner, std::int32_t id) {
  if (owner != this) return complain(graph_rule::tensors_must_belong_to_this_graph, name);
  for (const ir::output& other : ir_.outputs)
    if (ir_.name_of(other.name) == name) complain(graph_rule::output_names_must_differ, name);
  ir_.outputs.push_back({id, ir_.add_text(name)});
}

constexpr std::int32_t builder::add_node(const operator_info& op, std::span<const word> attrs, std::span<const std::int32_t> inputs,
                                         std::span<const tensor_desc> outputs) {
  ir::node made;
  made.op = &op;
  made.label = op.label;
  made.attrs = ir_.add_words(attrs);
  made.inputs = ir_.add_operands(inputs);
  const auto first = static_cast<std::int32_t>(ir_.values.size());
  made.outputs = {static_cast<std::int32_t>(ir_.operands.size()), static_cast<std::int32_t>(outputs.size())};
  for (const tensor_desc& desc : outputs) ir_.operands.push_back(ir_.add_value({desc, ir::kind::result, {}, 0, ir::none}));
  // A layer is called what its weights are called: "conv1.weight" names the node "conv1".
  for (const std::int32_t id : inputs)
    if (id != ir::none && ir_.at(id).is == ir::kind::weight && made.name.count == 0) {
      const std::string_view name = ir_.name_of(ir_.at(id).name);
      const std::size_t dot = name.rfind('.');
      made.name = {ir_.at(id).name.first, static_cast<std::int32_t>(dot == std::string_view::npos ? name.size() : dot)};
    }
  ir_.nodes.push_back(made);
  return first;
}

constexpr void builder::finish() {
  if (refused_) return;
  if (ir_.outputs.empty()) complain(graph_rule::graph_must_have_an_output, "");
  pool<char> used;
  used.assign(ir_.values.size(), 0);
  for (const std::int32_t id : ir_.operands)
    if (id != ir::none) used[static_cast<std::size_t>(id)] = 1;
  for (const ir::output& out : ir_.outputs) used[static_cast<std::size_t>(out.value)] = 1;
  for (const std::int32_t id : ir_.inputs)
    if (!used[static_cast<std::size_t>(id)]) return complain(graph_rule::every_input_must_be_used, ir_.at(id).name);
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/exec/dump_plan.hpp
// dump_plan: a plan as a table for people - what the passes did, each step, and where its result lies.
// Flow: graph<f>::text() and tools; run time only.

// ===== nnrt/exec/plan_view.hpp
// plan_view: a plan as its users see it, whether it is frozen in .rodata or on the heap; and the loop that runs one.
// Flow: executors and sessions fill the table of bases and call run_steps() for prepare and for each inference.

namespace nnrt::inline NNRT_ISA {

/// Spans over a plan.
struct plan_view {
  std::span<const step> steps;
  std::span<const step> prepare;
  std::span<const operand_slot> slots;
  std::span<const tensor_desc> descs;
  std::span<const word> words;
  std::span<const port> inputs;
  std::span<const port> outputs;
  std::span<const port> weights;
  std::span<const char> text;
  std::span<const std::byte> constants;
  std::int64_t arena_bytes = 0;
  std::int64_t prepared_bytes = 0;
  std::int64_t prepare_scratch_bytes = 0;
  std::int64_t part_scratch_bytes = 0;
  std::int64_t most_operands = 0;

  template <class Plan>
  static constexpr plan_view of(const Plan& p) {
    return {p.steps, p.prepare, p.slots, p.descs, p.words, p.inputs, p.outputs, p.weights, p.text, p.constants, p.arena_bytes, p.prepared_bytes, p.prepare_scratch_bytes, p.part_scratch_bytes, p.most_operands};
  }

  constexpr const operand_slot& slot_of(const port& p) const { return slots[static_cast<std::size_t>(p.slot)]; }
  constexpr const tensor_desc& desc_of(const operand_slot& slot) const { return descs[static_cast<std::size_t>(slot.desc)]; }
  constexpr const tensor_desc& desc_of(const port& p) const { return desc_of(slot_of(p)); }
  constexpr std::string_view name_of(const port& p) const { return {text.data() + p.name.first, static_cast<std::size_t>(p.name.count)}; }
  constexpr std::size_t base_count() const { return first_input + inputs.size() + weights.size(); }
};

/// Where each base of a plan begins: arena, prepared, prepare scratch, constants, inputs, weights.
using base_table = std::span<std::byte* const>;

/// Zeroes the elements of these inputs or outputs: users may look at them before the first run.
inline void clear_ports(const plan_view& plan, std::span<const port> ports, base_table bases) {
  for (const port& p : ports) {
    const operand_slot& slot = plan.slot_of(p);
    std::fill_n(bases[static_cast<std::size_t>(slot.base)] + slot.offset, plan.desc_of(slot).bytes(), std::byte{});
  }
}

/// Whoever can run the parts of a step at the same time.
class part_runner {
 public:
  /// Calls job(context, part) for part = 0 … parts - 1 and returns when all are done.
  virtual void run(void (*job)(void* context, int part), void* context, int parts) = 0;
  virtual int threads() const = 0;

 protected:
  ~part_runner() = default;
};

namespace detail {

inline view view_of(const operand_slot& slot, std::span<const operand_slot> slots, std::span<const tensor_desc> descs, base_table bases) {
  view v;
  if (slot.desc < 0) return v;
  v.desc = &descs[static_cast<std::size_t>(slot.desc)];
  if (slot.base != no_memory) v.data = any_pointer::bytes(bases[static_cast<std::size_t>(slot.base)] + slot.offset);
  if (slot.scales >= 0) {
    const operand_slot& scales = slots[static_cast<std::size_t>(slot.scales)];
    v.scales = {reinterpret_cast<const float*>(bases[static_cast<std::size_t>(scales.base)] + scales.offset),
                static_cast<std::size_t>(descs[static_cast<std::size_t>(scales.desc)].elements())};
  }
  return v;
}

/// One step cut into parts.
struct step_job {
  kernel_call call;
  kernel_function run;
  std::byte* further_scratch;     // for parts 1, 2, …
  std::int64_t scratch_stride;

  static void run_part(void* context, int part) {
    const auto& job = *static_cast<const step_job*>(context);
    kernel_call call = job.call;
    call.tile = part;
    if (part > 0) call.scratch = job.further_scratch + (part - 1) * job.scratch_stride;
    job.run(call);
  }
};

}  // namespace detail

/// Memory and helpers of one run.
struct run_context {
  base_table bases;
  part_runner* threads = nullptr;         // nullptr: this thread alone
  std::byte* further_scratch = nullptr;   // part_scratch_bytes for each further thread
  std::span<view> views;                  // room for the operands of any step: plan.most_operands
};

/// Runs one step.
inline void run_step(const plan_view& plan, const step& s, const run_context& context) {
  view* const views = context.views.data();
  for (std::int32_t i = 0; i < s.inputs.count; ++i)
    views[i] = detail::view_of(plan.slots[static_cast<std::size_t>(s.inputs.first + i)], plan.slots, plan.descs, context.bases);
  for (std::int32_t i = 0; i < s.outputs.count; ++i)
    views[s.inputs.count + i] = detail::view_of(plan.slots[static_cast<std::size_t>(s.outputs.first + i)], plan.slots, plan.descs, context.bases);
  kernel_call call;
  call.attrs = plan.words.subspan(static_cast<std::size_t>(s.attrs.first), static_cast<std::size_t>(s.attrs.count));
  call.in = {views, static_cast<std::size_t>(s.inputs.count)};
  call.out = {views + s.inputs.count, static_cast<std::size_t>(s.outputs.count)};
  if (s.scratch_bytes > 0) call.scratch = context.bases[in_arena] + s.scratch;
  if (context.threads == nullptr || s.parts < 2) return s.run(call);
  call.tiles = std::min(s.parts, context.threads->threads());
  detail::step_job job{call, s.run, context.further_scratch, plan.part_scratch_bytes};
  context.threads->run(&detail::step_job::run_part, &job, call.tiles);
}

/// Runs steps one after the other.
inline void run_steps(const plan_view& plan, std::span<const step> steps, const run_context& context) {
  for (const step& s : steps) run_step(plan, s, context);
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/ir/dump.hpp
// dump: graphs as text for people - shapes, attributes, one line a node - and as Graphviz pictures.
// Flow: graph<f>::text() and ::dot(), tools and error messages; run time only.

namespace nnrt::inline NNRT_ISA::ir {

namespace detail {

inline void append(std::string& out, std::int64_t number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}
inline void append_real(std::string& out, float number) {
  char digits[48];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

}  // namespace detail

/// "[1, 8, 8, 16]"; an unknown extent is "?".
inline std::string to_string(const shape_t& shape) {
  std::string out = "[";
  for (int i = 0; i < shape.rank; ++i) {
    if (i > 0) out += ", ";
    if (shape[i] < 0) out += '?';
    else detail::append(out, shape[i]);
  }
  return out + "]";
}

/// "f32 [1, 8, 8, 16]", with quantisation where there is one.
inline std::string to_string(const tensor_desc& desc) {
  std::string out(name_of(desc.type));
  out += ' ';
  out += to_string(desc.shape);
  if (desc.layout == format::nchw) out += " nchw";
  if (desc.quantised.mode == quantisation::kind::per_tensor) {
    out += " scale ";
    detail::append_real(out, desc.quantised.scale);
    out += " zero point ";
    detail::append(out, desc.quantised.zero_point);
  } else if (desc.quantised.mode == quantisation::kind::per_channel) {
    out += " per channel of axis ";
    detail::append(out, desc.quantised.axis);
  }
  return out;
}

namespace detail {

inline std::string_view name_of(activation fused) {
  constexpr std::string_view names[] = {"none", "relu", "relu6"};
  return names[static_cast<int>(fused)];
}

/// One attribute's words as text; advances `at` past them.
inline std::string attribute_text(attribute_kind kind, std::span<const word> words, std::size_t& at) {
  std::string out;
  word_reader reader{words, at};
  switch (kind) {
    case attribute_kind::flag: out = reader.take() != 0 ? "true" : "false"; break;
    case attribute_kind::real: {
      float v = 0;
      reader.get(v);
      append_real(out, v);
      break;
    }
    case attribute_kind::fused: out = name_of(static_cast<activation>(reader.take())); break;
    case attribute_kind::extent:
      append(out, reader.take());
      out += 'x';
      append(out, reader.take());
      break;
    case attribute_kind::padding: {
      pads p;
      reader.get(p);
      if (p.mode == pad_mode::same) out = "same";
      else if (p.mode == pad_mode::valid) out = "valid";
      else {
        for (const std::int64_t side : {p.top, p.bottom, p.left, p.right}) {
          if (!out.empty()) out += ',';
          append(out, side);
        }
      }
      break;
    }
    case attribute_kind::list: {
      const word count = reader.take();
      for (word i = 0; i < count; ++i) {
        if (i > 0) out += ',';
        append(out, reader.take());
      }
      break;
    }
    case attribute_kind::integer:
    case attribute_kind::choice: append(out, reader.take()); break;
  }
  at = reader.next;
  return out;
}

}  // namespace detail

/// "stride=2x2 pad=same fused=relu": every attribute of a node by name.
inline std::string attributes_text(const graph& g, const node& n) {
  std::string out;
  std::size_t at = 0;
  for (const attribute_field& field : n.label->attributes) {
    const std::string text = detail::attribute_text(field.kind, g.attrs_of(n), at);
    if (text.empty()) continue;
    if (!out.empty()) out += ' ';
    out += field.name;
    out += '=';
    out += text;
  }
  return out;
}

/// `conv2d "stem"`, or the operator's name alone.
inline std::string node_title(const graph& g, const operator_label& op, range name) {
  std::string out(op.name);
  if (name.count > 0) {
    out += " \"";
    out += g.name_of(name);
    out += '"';
  }
  return out;
}

/// What the passes did, a line each.
inline std::string log_text(const graph& g) {
  constexpr std::string_view verbs[] = {"evaluated", "merged", "folded", "fused", "removed"};
  std::string out;
  for (const event& e : g.log) {
    out += verbs[static_cast<int>(e.what)];
    out += ' ';
    out += e.op->name;
    if (e.into != nullptr) {
      out += " into ";
      out += node_title(g, *e.into, e.name);
    } else if (e.name.count > 0) {
      out += " \"";
      out += g.name_of(e.name);
      out += '"';
    }
    out += '\n';
  }
  return out;
}

namespace detail {

inline void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
}

inline std::string value_label(const graph& g, std::int32_t id) {
  std::string out;
  append_escaped(out, g.name_of(g.at(id).name));
  if (!out.empty()) out += "\\n";
  return out + to_string(g.at(id).desc);
}

}  // namespace detail

/// The graph as a Graphviz digraph: ovals for inputs and outputs, boxes for nodes, shapes on the arrows; weights are named in their node.
inline std::string dot(const graph& g) {
  std::string out = "digraph network {\n  rankdir=TB;\n  node [fontname=\"Helvetica\", fontsize=11];\n  edge [fontname=\"Helvetica\", fontsize=9];\n";
  const auto line = [&](std::initializer_list<std::string_view> parts) {
    out += "  ";
    for (const std::string_view part : parts) out += part;
    out += ";\n";
  };
  for (const std::int32_t id : g.inputs) line({"v", std::to_string(id), " [shape=oval, style=filled, fillcolor=\"#e8f0fe\", label=\"", detail::value_label(g, id), "\"]"});
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const node& n = g.nodes[i];
    std::string label;
    detail::append_escaped(label, node_title(g, *n.label, n.name));
    const std::string attributes = attributes_text(g, n);
    if (!attributes.empty()) label += "\\n" + attributes;
    const std::string me = "n" + std::to_string(i);
    line({me, " [shape=box, style=\"rounded,filled\", fillcolor=\"#f6f6f6\", label=\"", label, "\"]"});
    for (const std::int32_t id : g.inputs_of(n)) {
      if (id == none || g.at(id).is != kind::input) continue;
      line({"v", std::to_string(id), " -> ", me});
    }
  }
  std::vector<std::string> maker(g.values.size());
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    for (const std::int32_t id : g.outputs_of(g.nodes[i])) maker[static_cast<std::size_t>(id)] = "n" + std::to_string(i);
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    for (const std::int32_t id : g.inputs_of(g.nodes[i]))
      if (id != none && !maker[static_cast<std::size_t>(id)].empty())
        line({maker[static_cast<std::size_t>(id)], " -> n", std::to_string(i), " [label=\"", to_string(g.at(id).desc.shape), "\"]"});
  for (std::size_t i = 0; i < g.outputs.size(); ++i) {
    const std::string me = "out" + std::to_string(i);
    std::string label;
    detail::append_escaped(label, g.name_of(g.outputs[i].name));
    line({me, " [shape=oval, style=filled, fillcolor=\"#e6f4ea\", label=\"", label, "\\n", to_string(g.at(g.outputs[i].value).desc), "\"]"});
    const std::string& from = maker[static_cast<std::size_t>(g.outputs[i].value)];
    line({from.empty() ? "v" + std::to_string(g.outputs[i].value) : from, " -> ", me});
  }
  return out + "}\n";
}

}  // namespace nnrt::inline NNRT_ISA::ir

namespace nnrt::inline NNRT_ISA {

namespace detail {

inline void pad_to(std::string& line, std::size_t column) {
  if (line.size() < column) line.append(column - line.size(), ' ');
  else line += "  ";
}

[[gnu::cold]] inline std::string place_text(const operand_slot& slot) {
  switch (slot.base) {
    case in_arena: return "arena+" + std::to_string(slot.offset);
    case in_prepared: return "prepared+" + std::to_string(slot.offset);
    case in_prepare_scratch: return "scratch+" + std::to_string(slot.offset);
    default: return "-";
  }
}

[[gnu::cold]] inline std::string step_line(const ir::graph& g, const plan_view& plan, const step& s) {
  std::string line = "  ";
  if (s.node >= 0) {
    const ir::node& n = g.nodes[static_cast<std::size_t>(s.node)];
    line += ir::node_title(g, *n.label, n.name);
    pad_to(line, 36);
    const operand_slot& out = plan.slots[static_cast<std::size_t>(s.outputs.first)];
    line += ir::to_string(plan.desc_of(out));
    pad_to(line, 64);
    line += s.kernel;
    pad_to(line, 92);
    line += place_text(out);
    pad_to(line, 112);
    line += ir::attributes_text(g, n);
  } else {
    line += s.kernel;
  }
  while (line.back() == ' ') line.pop_back();
  return line + "\n";
}

}  // namespace detail

/// Passes, prepare steps, steps and memory of a planned graph.
[[gnu::cold]] inline std::string dump_plan(const ir::graph& optimised, const plan_view& plan, std::int64_t lower_bound) {
  std::string out = "passes\n";
  const std::string log = ir::log_text(optimised);
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = log.find('\n', at) + 1;
    out += "  " + log.substr(at, end - at);
    at = end;
  }
  if (!plan.prepare.empty()) out += "prepare, once\n";
  for (const step& s : plan.prepare) out += detail::step_line(optimised, plan, s);
  out += "steps\n";
  for (const step& s : plan.steps) out += detail::step_line(optimised, plan, s);
  out += "memory\n  arena " + std::to_string(plan.arena_bytes) + " bytes (lower bound " + std::to_string(lower_bound) + "), prepared weights " +
         std::to_string(plan.prepared_bytes) + " bytes\n";
  return out;
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/exec/node_table.hpp
// node_table: a planned network node by node, as data - what each makes, costs, runs on, and where its result lies.
// Flow: graph<f>::table() and program::table() answer with it; dump_plan.hpp writes the same for people.

namespace nnrt::inline NNRT_ISA {

/// One node of an optimised network that has a part in every inference.
struct node_info {
  std::string_view op;             // "conv2d"
  std::string_view name;           // what its weights are called: "conv1" for "conv1.weight"; empty without weights
  std::string_view kernel;         // "reference" when no fast one fits; empty: nothing runs, the result is bytes that are there already
  tensor_desc output;              // of its first output
  std::int64_t parameters = 0;     // elements of the weights and floating constants that it reads
  std::int64_t macs = 0;           // multiply-accumulates of one inference
  std::int64_t arena_offset = -1;  // of its first output, in bytes; -1: not in the arena
};

namespace detail {

/// Elements of the operands that are known before the network runs.
constexpr std::int64_t parameters_of(const ir::graph& g, const ir::node& n, std::span<const char> known) {
  std::int64_t elements = 0;
  for (const std::int32_t id : g.inputs_of(n)) {
    if (id == ir::none || known[static_cast<std::size_t>(id)] == 0) continue;
    if (g.at(id).is != ir::kind::constant || types::floating.contains(g.at(id).desc.type)) elements += g.at(id).desc.elements();
  }
  return elements;
}

/// Multiply-accumulates of one node.
constexpr std::int64_t macs_of(const ir::graph& g, const ir::node& n) {
  pool<tensor_desc> out;
  for (const std::int32_t id : g.outputs_of(n)) out.push_back(g.at(id).desc);
  return n.op->macs(g.attrs_of(n), ir::operand_list(g, g.inputs_of(n)).operands, out);
}

/// Index of the step that runs node i; the number of steps when none does. The last one: packing may stand before it.
constexpr std::size_t step_of(const plan_view& plan, std::size_t i) {
  for (std::size_t k = plan.steps.size(); k-- > 0;)
    if (plan.steps[k].node == static_cast<std::int32_t>(i)) return k;
  return plan.steps.size();
}

/// Bytes between the first operand of a node without a step and its output k: reshapes and joins begin where it does, parts further on.
constexpr std::int64_t offset_in_operand(const ir::graph& g, const ir::node& n, std::span<const char> known, std::size_t k) {
  if (!n.op->traits.outputs_are_parts) return 0;
  pool<tensor_desc> out;
  for (const std::int32_t id : g.outputs_of(n)) out.push_back(g.at(id).desc);
  const ir::operand_list operands(g, g.inputs_of(n), known);
  return n.op->part_offset(g.attrs_of(n), operands.operands, out, static_cast<int>(k)) * size_of(out[k].type);
}

}  // namespace detail

/// A row for each node, in the order in which they run; nodes on weights alone, which run once, have none. The names lie in `text`, which has
/// the same content as the graph's own and may live longer.
constexpr pool<node_info> node_table(const ir::graph& optimised, const plan_view& plan, std::span<const char> text) {
  const ir::graph& g = optimised;
  const pool<char> known = passes::known_values(g);
  pool<std::int64_t> offset_of;  // of values in the arena
  offset_of.assign(g.values.size(), -1);
  pool<node_info> rows;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const ir::node& n = g.nodes[i];
    const std::int32_t y = g.outputs_of(n)[0];
    if (known[static_cast<std::size_t>(y)] != 0) continue;
    node_info row;
    row.op = n.op->name;
    row.name = {text.data() + n.name.first, static_cast<std::size_t>(n.name.count)};
    row.output = g.at(y).desc;
    row.parameters = detail::parameters_of(g, n, known);
    row.macs = detail::macs_of(g, n);
    if (const std::size_t at = detail::step_of(plan, i); at < plan.steps.size()) {
      const step& s = plan.steps[at];
      row.kernel = s.kernel;
      for (std::size_t k = 0; k < g.outputs_of(n).size(); ++k) {
        const operand_slot& slot = plan.slots[static_cast<std::size_t>(s.outputs.first) + k];
        if (slot.base == in_arena) offset_of[static_cast<std::size_t>(g.outputs_of(n)[k])] = slot.offset;
      }
    } else if (const std::int64_t first = offset_of[static_cast<std::size_t>(g.inputs_of(n)[0])]; first >= 0) {
      for (std::size_t k = 0; k < g.outputs_of(n).size(); ++k) offset_of[static_cast<std::size_t>(g.outputs_of(n)[k])] = first + detail::offset_in_operand(g, n, known, k);
    }
    row.arena_offset = offset_of[static_cast<std::size_t>(y)];
    rows.push_back(row);
  }
  return rows;
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/passes/optimise.hpp
// optimise: the passes in their order.
// Flow: static graphs run it in constant evaluation, compile() at run time; make_plan() follows.

// ===== nnrt/passes/eliminate.hpp
// eliminate: removes nodes that nobody needs and nodes that compute the same as an earlier one.
// Flow: first and last of the passes that optimise() runs.

namespace nnrt::inline NNRT_ISA::passes {

/// Removes every node none of whose outputs is read, last nodes first, so that chains go in one sweep.
constexpr void remove_dead_nodes(ir::graph& g) {
  use_table table(g);
  for (std::size_t i = g.nodes.size(); i-- > 0;) {
    ir::node& n = g.nodes[i];
    bool needed = false;
    for (const std::int32_t id : g.outputs_of(n)) needed = needed || table.uses_of(id) > 0;
    if (needed) continue;
    for (const std::int32_t id : g.inputs_of(n))
      if (id != ir::none) --table.uses[static_cast<std::size_t>(id)];
    g.log.push_back({ir::change::removed, n.label, nullptr, n.name});
    n.removed = true;
  }
  compact(g);
}

namespace detail {

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) { return (hash ^ word) * 0x100000001b3U; }

/// Of the operator, its operands and its attributes.
constexpr std::uint64_t hash_of(const ir::graph& g, const ir::node& n) {
  std::uint64_t hash = mix(0xcbf29ce484222325U, static_cast<std::uint64_t>(n.op->code));
  for (const std::int32_t id : g.inputs_of(n)) hash = mix(hash, static_cast<std::uint64_t>(id));
  for (const word w : g.attrs_of(n)) hash = mix(hash, static_cast<std::uint64_t>(w));
  return hash;
}

template <class T> constexpr bool equal(std::span<const T> a, std::span<const T> b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

/// Results may differ even so: a front end wishes for another quantisation.
constexpr bool same_results(const ir::graph& g, const ir::node& a, const ir::node& b) {
  if (a.outputs.count != b.outputs.count) return false;
  for (std::size_t i = 0; i < g.outputs_of(a).size(); ++i)
    if (g.at(g.outputs_of(a)[i]).desc != g.at(g.outputs_of(b)[i]).desc) return false;
  return true;
}

constexpr bool same_work(const ir::graph& g, const ir::node& a, const ir::node& b) {
  return a.op->code == b.op->code && equal(g.inputs_of(a), g.inputs_of(b)) && equal(g.attrs_of(a), g.attrs_of(b)) && same_results(g, a, b);
}

}  // namespace detail

/// Of nodes with equal operator, operands and attributes only the first stays.
constexpr void merge_common_nodes(ir::graph& g) {
  std::size_t slots = 16;
  while (slots < 2 * g.nodes.size()) slots *= 2;
  pool<std::int32_t> first_with;  // open addressing: node index or none
  first_with.assign(slots, ir::none);
  pool<std::int32_t> to = identity_of(g);
  bool changed = false;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    ir::node& n = g.nodes[i];
    for (std::int32_t& id : g.inputs_of(n))
      if (id != ir::none) id = to[static_cast<std::size_t>(id)];
    std::size_t slot = detail::hash_of(g, n) & (slots - 1);
    while (first_with[slot] != ir::none && !detail::same_work(g, g.nodes[static_cast<std::size_t>(first_with[slot])], n)) slot = (slot + 1) & (slots - 1);
    if (first_with[slot] == ir::none) {
      first_with[slot] = static_cast<std::int32_t>(i);
      continue;
    }
    const ir::node& kept = g.nodes[static_cast<std::size_t>(first_with[slot])];
    for (std::int32_t k = 0; k < n.outputs.count; ++k)
      to[static_cast<std::size_t>(g.outputs_of(n)[static_cast<std::size_t>(k)])] = g.outputs_of(kept)[static_cast<std::size_t>(k)];
    g.log.push_back({ir::change::merged, n.label, kept.label, kept.name});
    n.removed = true;
    changed = true;
  }
  if (!changed) return;
  compact(g);
  redirect(g, to);
}

}  // namespace nnrt::inline NNRT_ISA::passes
// ===== nnrt/passes/fuse.hpp
// fuse: lets a node apply the activation that follows it.
// Flow: after folding, when nothing stands between a layer and its activation any more.

namespace nnrt::inline NNRT_ISA::passes {

namespace detail {

constexpr activation activation_of(const ir::node& n) {
  if (n.op->traits.computes == meaning::relu) return activation::relu;
  return n.op->traits.computes == meaning::relu6 ? activation::relu6 : activation::none;
}

/// The word that holds the fused activation of a node that has none yet; nullptr when it can take none.
constexpr word* free_activation(ir::graph& g, const ir::node& n) {
  if (n.removed || n.op->fused_word < 0) return nullptr;
  word& fused = g.attrs_of(n)[static_cast<std::size_t>(n.op->fused_word)];
  return fused == static_cast<word>(activation::none) ? &fused : nullptr;
}

}  // namespace detail

/// relu and relu6 whose operand is the only use of a node that can apply them become part of that node.
constexpr void fuse_activations(ir::graph& g) {
  const use_table table(g);
  bool changed = false;
  for (ir::node& n : g.nodes) {
    const activation wanted = detail::activation_of(n);
    if (wanted == activation::none) continue;
    const std::int32_t x = g.inputs_of(n)[0], y = g.outputs_of(n)[0];
    if (table.producer_of(x) == ir::none || table.uses_of(x) != 1 || g.at(x).desc != g.at(y).desc) continue;
    ir::node& layer = g.nodes[static_cast<std::size_t>(table.producer_of(x))];
    word* const fused = detail::free_activation(g, layer);
    if (fused == nullptr || layer.outputs.count != 1) continue;
    *fused = static_cast<word>(wanted);
    g.operands[static_cast<std::size_t>(layer.outputs.first)] = y;
    g.log.push_back({ir::change::fused, n.label, layer.label, layer.name});
    n.removed = true;
    changed = true;
  }
  if (changed) compact(g);
}

}  // namespace nnrt::inline NNRT_ISA::passes

namespace nnrt::inline NNRT_ISA::passes {

/// Every pass, each where it finds most to do.
constexpr void optimise(ir::graph& g) {
  remove_dead_nodes(g);
  evaluate_constants(g);
  merge_common_nodes(g);
  fold_into_weights(g);
  fuse_activations(g);
  remove_dead_nodes(g);
}

}  // namespace nnrt::inline NNRT_ISA::passes

namespace nnrt::inline NNRT_ISA {

/// Name and desc of an input, output or weight of a network.
struct tensor_info {
  std::string_view name;
  tensor_desc desc;
};

namespace detail {

template <auto Function> constexpr builder build() {
  builder b;
  Function(b);
  b.finish();
  // Nodes over another graph's tensors, or over one weight in two shapes, cannot be planned: the complaint shall be the only error.
  const graph_rule rule = b.complaint().rule;
  if (b.complaint().made && (rule == graph_rule::tensors_must_belong_to_this_graph || rule == graph_rule::weights_of_one_name_must_be_alike))
    b.graph().nodes.clear();
  return b;
}

/// The name of a complaint, letter by letter, as a type.
template <auto Function, class Sequence> struct complaint_name;
template <auto Function, std::size_t... I> struct complaint_name<Function, std::index_sequence<I...>> {
  static constexpr std::array<char, sizeof...(I)> letters = [] {
    const builder b = build<Function>();
    const std::string_view name = b.graph().name_of(b.complaint().name);
    return std::array<char, sizeof...(I)>{name[I]...};
  }();
  using type = named<letters[I]...>;
};

/// Sizes of the written graph, and the complaint about it if there is one.
struct built_sizes {
  graph_sizes sizes;
  bool complained;
  graph_rule rule;
  std::size_t letters;
};
template <auto Function>
inline constexpr built_sizes sizes_as_written = [] {
  const builder b = build<Function>();
  return built_sizes{sizes_of(b.graph()), b.complaint().made, b.complaint().rule, static_cast<std::size_t>(b.complaint().name.count)};
}();

/// What a graph derives from: nothing, or the complaint about it, which does not compile.
template <auto Function, bool IsComplained> struct accepted_graph {};
template <auto Function> struct accepted_graph<Function, true> {
  using name = typename complaint_name<Function, std::make_index_sequence<sizes_as_written<Function>.letters>>::type;
  using reported = decltype(graph_rejected<sizes_as_written<Function>.rule, name>::report());
};

template <auto Function> inline constexpr frozen_graph<sizes_as_written<Function>.sizes> graph_as_written{build<Function>().graph()};

/// The names alone: what refers to them does not keep the graph, and with it every operator's functions, in the program.
template <auto Function> inline constexpr auto text_as_written = graph_as_written<Function>.text;

template <auto Function> constexpr ir::graph optimised() {
  ir::graph g = graph_as_written<Function>.thaw();
  passes::optimise(g);
  return g;
}
template <auto Function> inline constexpr graph_sizes sizes_optimised = sizes_of(optimised<Function>());
template <auto Function> inline constexpr frozen_graph<sizes_optimised<Function>> graph_optimised{optimised<Function>()};

/// A graph for dumps: without its operators, whose functions it would keep in the program.
template <graph_sizes Sizes> constexpr frozen_graph<Sizes> without_operators(frozen_graph<Sizes> g) {
  for (ir::node& n : g.nodes) n.op = nullptr;
  return g;
}
template <auto Function> inline constexpr auto printable_as_written = without_operators(graph_as_written<Function>);
template <auto Function> inline constexpr auto printable_optimised = without_operators(graph_optimised<Function>);
template <auto Function> inline constexpr auto text_optimised = graph_optimised<Function>.text;

/// Up to this much work a network takes the unrolled form, unless the user says otherwise: multiply-accumulates and computed elements.
inline constexpr std::int64_t micro_work = 4096;
inline constexpr std::size_t micro_nodes = 16;

/// Elements that the nodes compute.
constexpr std::int64_t count_results(const ir::graph& g) {
  std::int64_t elements = 0;
  for (const ir::value& v : g.values)
    if (v.is == ir::kind::result) elements += v.desc.elements();
  return elements;
}

template <auto Function> constexpr nnrt::plan make_plan_of(bool unrolled) { return make_plan(graph_optimised<Function>.thaw(), {.unrolled = unrolled}); }
template <auto Function, bool Unrolled> inline constexpr plan_sizes sizes_planned = sizes_of(make_plan_of<Function>(Unrolled));
template <auto Function, bool Unrolled> inline constexpr frozen_plan<sizes_planned<Function, Unrolled>> planned{make_plan_of<Function>(Unrolled)};

/// Multiply-accumulates of one inference, as the operators count them.
constexpr std::int64_t count_macs(const ir::graph& g) {
  std::int64_t macs = 0;
  for (const ir::node& n : g.nodes) macs += macs_of(g, n);
  return macs;
}

/// Elements of all weights and of the constants of floating type: what training would call parameters.
constexpr std::int64_t count_parameters(const ir::graph& g) {
  std::int64_t parameters = 0;
  for (const ir::value& v : g.values)
    if (v.is == ir::kind::weight || (v.is == ir::kind::constant && types::floating.contains(v.desc.type))) parameters += v.desc.elements();
  return parameters;
}

template <class G, std::size_t I> using input_element = element_t<G::inputs[I].desc.type>;
template <class G, std::size_t I> using output_element = element_t<G::outputs[I].desc.type>;
template <class G, std::size_t I> inline constexpr std::size_t output_size = static_cast<std::size_t>(G::outputs[I].desc.elements());

}  // namespace detail

/// A network: a constexpr function of a builder&, checked, optimised and planned by the compiler. Everything here is known at compile time.
/// Errors of single nodes are compile errors at the line that wrote them; those of the whole graph (no output, an unused input, two inputs of
/// one name) are compile errors here.
template <auto Function> struct graph : private detail::accepted_graph<Function, detail::sizes_as_written<Function>.complained> {
 private:
  static constexpr const auto& written = detail::graph_as_written<Function>;
  static constexpr const auto& optimised = detail::graph_optimised<Function>;

  template <std::size_t N> static constexpr std::string_view text_at(const std::array<char, N>& text, ir::range at) {
    return {text.data() + at.first, static_cast<std::size_t>(at.count)};
  }
  static constexpr tensor_info info_of(std::int32_t id, ir::range name) { return {text_at(detail::text_as_written<Function>, name), written.values[static_cast<std::size_t>(id)].desc}; }

 public:
  /// Operators as written.
  static constexpr std::size_t nodes = written.nodes.size();
  /// Multiply-accumulates of one inference.
  static constexpr std::int64_t macs = detail::count_macs(written.thaw());
  /// Elements of weights and floating constants.
  static constexpr std::int64_t parameters = detail::count_parameters(written.thaw());

  /// Whether the network takes the unrolled form: little work, few nodes.
  static constexpr bool is_micro = macs + detail::count_results(written.thaw()) <= detail::micro_work && nodes <= detail::micro_nodes;

  /// The plan in .rodata, for the loop over steps or for the unrolled form.
  template <bool Unrolled> static constexpr const auto& plan_as() { return detail::planned<Function, Unrolled>; }
  static constexpr const auto& plan = detail::planned<Function, is_micro>;

  /// Kernel calls of one inference.
  static constexpr std::size_t steps = plan.steps.size();
  /// Bytes of memory for intermediate results, and the least that any layout could do with: the largest sum of what is in use at once.
  static constexpr std::int64_t arena_bytes = plan.arena_bytes;
  static constexpr std::int64_t arena_lower_bound = plan.arena_lower_bound;

  /// Inputs and outputs in order of declaration; weights in order of first mention.
  static constexpr std::array<tensor_info, written.inputs.size()> inputs = [] {
    std::array<tensor_info, written.inputs.size()> list{};
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = info_of(written.inputs[i], written.values[static_cast<std::size_t>(written.inputs[i])].name);
    return list;
  }();
  static constexpr std::array<tensor_info, written.outputs.size()> outputs = [] {
    std::array<tensor_info, written.outputs.size()> list{};
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = info_of(written.outputs[i].value, written.outputs[i].name);
    return list;
  }();
  static constexpr std::size_t weight_count = [] {
    std::size_t n = 0;
    for (const ir::value& v : written.values) n += v.is == ir::kind::weight ? 1 : 0;
    return n;
  }();
  static constexpr std::array<tensor_info, weight_count> weights = [] {
    std::array<tensor_info, weight_count> list{};
    std::size_t n = 0;
    for (std::size_t i = 0; i < written.values.size(); ++i)
      if (written.values[i].is == ir::kind::weight) list[n++] = info_of(static_cast<std::int32_t>(i), written.values[i].name);
    return list;
  }();

  /// The weights as bind_weights() wants them: with the way the network uses each, for files that order axes otherwise.
  static constexpr std::array<weight_spec, weight_count> weight_specs = [] {
    std::array<weight_spec, weight_count> list{};
    const pool<weight_spec> found = weight_specs_of(written.thaw());
    for (std::size_t i = 0; i < weight_count; ++i) {
      list[i] = found[i];
      list[i].name = weights[i].name;  // the names in `found` died with its graph
    }
    return list;
  }();

  /// The graph as written, with vectors for pools.
  static constexpr ir::graph ir() { return written.thaw(); }

  /// The network node by node, after the passes, with its place in the arena: net::table()[0].macs.
  static constexpr std::span<const node_info> table() { return table_rows; }

  /// A table of the network: what each pass did, then each step with its operands, kernel and place in the arena.
  static std::string text() { return dump_plan(detail::printable_optimised<Function>.thaw(), plan_view::of(plan), arena_lower_bound); }
  /// The written network as a Graphviz digraph.
  static std::string dot() { return ir::dot(detail::printable_as_written<Function>.thaw()); }

 private:
  static constexpr pool<node_info> make_table() { return node_table(optimised.thaw(), plan_view::of(plan), detail::text_optimised<Function>); }
  static constexpr std::size_t table_size = make_table().size();
  static constexpr std::array<node_info, table_size> table_rows = [] {
    std::array<node_info, table_size> rows{};
    detail::copy(make_table(), rows);
    return rows;
  }();
};

}  // namespace nnrt::inline NNRT_ISA

#include <tuple>

namespace nnrt::inline NNRT_ISA {

namespace detail {

/// The tensors of one evaluation.
struct evaluation {
  ir::graph g;
  std::vector<typed_buffer> buffers;  // by value id; of weights none

  constexpr explicit evaluation(ir::graph graph) : g(static_cast<ir::graph&&>(graph)) {
    buffers.reserve(g.values.size());
    for (const ir::value& v : g.values) {
      if (v.is == ir::kind::constant) buffers.push_back(passes::detail::load(g, v));
      else buffers.emplace_back(v.desc.type, v.desc.elements());
    }
  }
  constexpr view view_of(std::int32_t id) const {
    if (id == ir::none) return {};
    view v{&g.at(id).desc, buffers[static_cast<std::size_t>(id)].data()};
    if (g.at(id).scales != ir::none) v.scales = buffers[static_cast<std::size_t>(g.at(id).scales)].as<float>();
    return v;
  }
  constexpr void run() {
    for (const ir::node& n : g.nodes) {
      pool<view> in, out;
      for (const std::int32_t id : g.inputs_of(n)) in.push_back(view_of(id));
      for (const std::int32_t id : g.outputs_of(n)) out.push_back(view_of(id));
      n.op->reference(g.attrs_of(n), in, out);
    }
  }
};

}  // namespace detail

/// The outputs of network G for these inputs, an array each (a tuple of arrays when there are several), computed by the references, in
/// constant evaluation or at run time. G names no weights; inputs are ranges of the element type, in order of declaration, and of the size
/// that the network declares (anything else is a compile error or, in constant evaluation, none).
template <class G, class... Inputs> constexpr auto evaluate(const Inputs&... inputs) {
  static_assert(G::weights.empty(), "nnrt::evaluate takes networks without weights: use constants, or an executor");
  static_assert(sizeof...(Inputs) == G::inputs.size(), "nnrt::evaluate takes one argument for each input of the network");
  detail::evaluation e(G::ir());
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (std::copy(std::begin(inputs), std::end(inputs), e.buffers[static_cast<std::size_t>(e.g.inputs[I])].template as<detail::input_element<G, I>>().begin()), ...);
  }(std::make_index_sequence<sizeof...(Inputs)>{});
  e.run();
  const auto output = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    std::array<detail::output_element<G, I>, detail::output_size<G, I>> result{};
    const auto elements = e.buffers[static_cast<std::size_t>(e.g.outputs[I].value)].template as<detail::output_element<G, I>>();
    std::copy(elements.begin(), elements.end(), result.begin());
    return result;
  };
  if constexpr (G::outputs.size() == 1) return output(std::integral_constant<std::size_t, 0>{});
  else
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return std::make_tuple(output(std::integral_constant<std::size_t, I>{})...); }(
        std::make_index_sequence<G::outputs.size()>{});
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/exec/executor.hpp
// executor: runs a network that the compiler has planned - no interpreter, no heap at inference.
// Flow: create() binds and prepares weights once; operator() resolves addresses and walks the frozen plan, or the unrolled steps.

// ===== nnrt/core/contract.hpp
// contract: what happens when a call breaks a documented precondition that only run time can see.
// Flow: executors report wrong sizes here; try_run() returns them as errors instead.

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace nnrt::inline NNRT_ISA {

/// Called with one line that says what was wrong. If it returns, the broken call has no effect.
using contract_handler = void (*)(const std::string& message);

/// Prints the line to stderr and aborts.
inline void abort_on_broken_contract(const std::string& message) {
  std::fprintf(stderr, "nnrt: %s\n", message.c_str());
  std::abort();
}

namespace detail {
inline std::atomic<contract_handler> current_contract_handler{&abort_on_broken_contract};
}  // namespace detail

/// Sets the handler of the whole program and returns the one before; nullptr restores abort_on_broken_contract. Any thread.
inline contract_handler set_contract_handler(contract_handler handler) {
  return detail::current_contract_handler.exchange(handler != nullptr ? handler : &abort_on_broken_contract);
}

/// Reports a broken contract.
inline void broken_contract(const std::string& message) { detail::current_contract_handler.load()(message); }

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/core/fixed_string.hpp
// fixed_string: a string as a template argument.
// Flow: executor::output<"name">().

namespace nnrt::inline NNRT_ISA {

/// N - 1 letters and the final zero of a literal.
template <std::size_t N> struct fixed_string {
  char letters[N] = {};
  constexpr fixed_string(const char (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i) letters[i] = literal[i];
  }
  constexpr std::string_view view() const { return {letters, N - 1}; }
};

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/exec/memory.hpp
// memory: where executors keep intermediate results and prepared weights.
// Flow: executor holds an arena_memory; prepared_weights is shared by the executors of one network.

#include <new>

namespace nnrt::inline NNRT_ISA {

/// Memory from the heap, aligned to 64 bytes, not initialised. Move only.
class heap_block {
 public:
  heap_block() = default;
  heap_block(heap_block&& other) noexcept : first_(std::exchange(other.first_, nullptr)) {}
  heap_block& operator=(heap_block&& other) noexcept {
    std::swap(first_, other.first_);
    return *this;
  }
  ~heap_block() { std::free(first_); }

  /// At least one byte, so that a pointer can stand for "there". Error: out_of_memory, naming what it was for.
  static result<heap_block> allocate(std::int64_t bytes, const char* what) {
    heap_block made;
    made.first_ = static_cast<std::byte*>(std::aligned_alloc(64, static_cast<std::size_t>(passes::aligned(bytes > 0 ? bytes : 1))));
    if (made.first_ == nullptr) return fail(error_code::out_of_memory, std::string(what) + ": no memory for " + std::to_string(bytes) + " bytes");
    return made;
  }
  std::byte* data() const { return first_; }

 private:
  std::byte* first_ = nullptr;
};

/// Arenas up to this size are members of their executor; larger ones would overflow stacks.
inline constexpr std::int64_t largest_member_arena = 64 * 1024;

/// The arena of one executor.
template <std::int64_t Bytes, bool IsMember = (Bytes <= largest_member_arena)> class arena_memory {
 public:
  static result<arena_memory> make() { return arena_memory(); }
  std::byte* data() { return bytes_; }

 private:
  alignas(64) std::byte bytes_[Bytes > 0 ? static_cast<std::size_t>(Bytes) : 1];
};
template <std::int64_t Bytes> class arena_memory<Bytes, false> {
 public:
  static result<arena_memory> make() {
    auto block = heap_block::allocate(Bytes, "arena");
    if (!block) return fail(std::move(block.error()));
    arena_memory made;
    made.block_ = std::move(*block);
    return made;
  }
  std::byte* data() { return block_.data(); }

 private:
  heap_block block_;
};

/// Weights as the steps read them: bound to the caller's file, and packed or folded copies. Immutable once made, shared by executors.
struct prepared_weights {
  bound_weights bound;
  heap_block memory;  // plan.prepared_bytes

  /// Fills the bases of prepared memory, constants and weights; arena and inputs are the executor's.
  void set_bases(const plan_view& plan, std::span<std::byte*> bases) const {
    bases[in_prepared] = memory.data();
    // Kernels take one kind of pointer for what they read and write; no step has a constant or a weight for its result.
    bases[in_constants] = const_cast<std::byte*>(plan.constants.data());
    for (std::size_t i = 0; i < plan.weights.size(); ++i)
      bases[first_input + plan.inputs.size() + i] = const_cast<std::byte*>(bound.pointers()[i]);
  }
};

/// Runs a plan's prepare steps on bound weights. Errors: out_of_memory.
[[gnu::cold]] inline result<prepared_weights> prepare(const plan_view& plan, bound_weights bound) {
  prepared_weights made;
  made.bound = std::move(bound);
  if (plan.prepare.empty()) return made;
  auto memory = heap_block::allocate(plan.prepared_bytes, "prepared weights");
  if (!memory) return fail(std::move(memory.error()));
  auto scratch = heap_block::allocate(plan.prepare_scratch_bytes, "folded weights");
  if (!scratch) return fail(std::move(scratch.error()));
  made.memory = std::move(*memory);
  std::vector<std::byte*> bases(plan.base_count());
  std::vector<view> views(static_cast<std::size_t>(plan.most_operands));
  made.set_bases(plan, bases);
  bases[in_prepare_scratch] = scratch->data();
  run_context context;
  context.bases = bases;
  context.views = views;
  run_steps(plan, plan.prepare, context);
  return made;
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/exec/options.hpp
// options: the choices at run time that static executors and compiled programs share.
// Flow: executor::create and compile() take them.

namespace nnrt::inline NNRT_ISA {

/// Choices at run time.
struct options {
  int threads = 1;  // including the caller's; results have the same bits for any number
};

/// Errors: invalid_argument (fewer than 1 or more than 1024 threads).
inline result<void> check_options(const options& wanted) {
  if (wanted.threads >= 1 && wanted.threads <= 1024) return {};
  return fail(error_code::invalid_argument, "threads: got " + std::to_string(wanted.threads) + ", expected 1 to 1024");
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/exec/threads.hpp
// threads: a small fork-join pool; the parts of one step run at the same time, then all wait for each other.
// Flow: executors and sessions make one when the options ask for threads; run_step() hands it parts.

#include <pthread.h>

namespace nnrt::inline NNRT_ISA {

/// A pool of threads - 1 workers beside the caller. One run() at a time; no allocation in run(). POSIX threads, because <thread> costs every
/// user 0.26 s of parsing.
class thread_pool final : public part_runner {
 public:
  thread_pool() = default;
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;
  ~thread_pool() { stop(); }

  /// Starts the workers. Errors: invalid_argument (fewer than 1 or more than 1024), out_of_memory (the system starts no more threads).
  [[gnu::cold]] result<void> start(int threads) {
    if (auto ok = check_options({.threads = threads}); !ok) return ok;
    workers_.reserve(static_cast<std::size_t>(threads));  // workers hold pointers into it
    threads_ = threads;
    for (int i = 1; i < threads; ++i) {
      workers_.push_back({this, i, {}});
      const int failed = pthread_create(&workers_.back().id, nullptr, &thread_pool::work, &workers_.back());
      if (failed == 0) continue;
      workers_.pop_back();
      stop();
      return fail(error_code::out_of_memory, "thread " + std::to_string(i) + " of " + std::to_string(threads) + " did not start: " + std::strerror(failed));
    }
    return {};
  }

  int threads() const override { return threads_; }

  void run(void (*job)(void*, int), void* context, int parts) override {
    job_ = job;
    context_ = context;
    parts_ = parts;
    pending_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    for (int part = 0; part < parts; part += threads_) job(context, part);
    wait_until_zero();
  }

 private:
  struct worker {
    thread_pool* pool;
    int number;
    pthread_t id;
  };

  /// Steps follow each other within microseconds: looking a few thousand times costs less than sleeping and waking once.
  static constexpr int looks_before_sleep = 4000;

  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  static void* work(void* argument) {
    const worker& me = *static_cast<worker*>(argument);
    thread_pool& pool = *me.pool;
    for (unsigned seen = 0;;) {
      seen = pool.next_round(seen);
      if (pool.stopping_.load(std::memory_order_relaxed)) return nullptr;
      for (int part = me.number; part < pool.parts_; part += pool.threads_) pool.job_(pool.context_, part);
      if (pool.pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) pool.pending_.notify_one();
    }
  }
  unsigned next_round(unsigned seen) const {
    for (int look = 0; look < looks_before_sleep; ++look) {
      const unsigned now = round_.load(std::memory_order_acquire);
      if (now != seen) return now;
      pause();
    }
    round_.wait(seen, std::memory_order_acquire);
    return round_.load(std::memory_order_acquire);
  }
  void wait_until_zero() const {
    for (int look = 0;; ++look) {
      const int left = pending_.load(std::memory_order_acquire);
      if (left == 0) return;
      if (look < looks_before_sleep) pause();
      else pending_.wait(left, std::memory_order_acquire);
    }
  }
  void stop() {
    stopping_.store(true, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    for (const worker& w : workers_) pthread_join(w.id, nullptr);
    workers_.clear();
  }

  std::vector<worker> workers_;
  int threads_ = 1;
  void (*job_)(void*, int) = nullptr;
  void* context_ = nullptr;
  int parts_ = 0;
  std::atomic<unsigned> round_{0};
  std::atomic<int> pending_{0};
  std::atomic<bool> stopping_{false};
};

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/exec/unrolled.hpp
// unrolled: the steps of a micro network as straight-line code with compile-time extents.
// Flow: executor calls run_unrolled() instead of walking the table of steps.

namespace nnrt::inline NNRT_ISA::detail {

template <const auto& Plan, std::int32_t Slot> [[gnu::always_inline]] inline std::byte* address_of_slot(base_table bases) {
  constexpr operand_slot slot = Plan.slots[static_cast<std::size_t>(Slot)];
  return bases[static_cast<std::size_t>(slot.base)] + slot.offset;
}

/// A dense layer whose extents are template arguments: operands are x, the desc of the weight, maybe that of the bias, and the packed form.
template <const auto& Plan, std::size_t I> [[gnu::always_inline]] inline void unrolled_dense(base_table bases) {
  constexpr step s = Plan.steps[I];
  constexpr operand_slot weight = Plan.slots[static_cast<std::size_t>(s.inputs.first + 1)], y = Plan.slots[static_cast<std::size_t>(s.outputs.first)];
  constexpr shape_t w = Plan.descs[static_cast<std::size_t>(weight.desc)].shape;
  constexpr std::int64_t rows = Plan.descs[static_cast<std::size_t>(y.desc)].elements() / w[0];
  constexpr auto fused = static_cast<activation>(Plan.words[static_cast<std::size_t>(s.attrs.first + s.fused_word)]);
  kernels::dense<static_cast<int>(w[1]), static_cast<int>(w[0])>(
      reinterpret_cast<const float*>(address_of_slot<Plan, s.inputs.first>(bases)),
      reinterpret_cast<const float*>(address_of_slot<Plan, s.inputs.first + s.inputs.count - 1>(bases)),
      reinterpret_cast<float*>(address_of_slot<Plan, s.outputs.first>(bases)), rows, kernels::range_of(fused));
}

/// A direct call of the step's kernel; everything but the addresses is known to the compiler.
template <const auto& Plan, std::size_t I, std::int32_t... In, std::int32_t... Out>
[[gnu::always_inline]] inline void unrolled_call(base_table bases, std::integer_sequence<std::int32_t, In...>, std::integer_sequence<std::int32_t, Out...>) {
  constexpr step s = Plan.steps[I];
  const std::array<view, sizeof...(In)> in{view_of(Plan.slots[static_cast<std::size_t>(s.inputs.first + In)], Plan.slots, Plan.descs, bases)...};
  const std::array<view, sizeof...(Out)> out{view_of(Plan.slots[static_cast<std::size_t>(s.outputs.first + Out)], Plan.slots, Plan.descs, bases)...};
  kernel_call call;
  call.attrs = {Plan.words.data() + s.attrs.first, static_cast<std::size_t>(s.attrs.count)};
  call.in = in;
  call.out = out;
  if constexpr (s.scratch_bytes > 0) call.scratch = bases[in_arena] + s.scratch;
  s.run(call);
}

template <const auto& Plan, std::size_t I> [[gnu::always_inline]] inline void unrolled_step(base_table bases) {
  if constexpr (Plan.steps[I].form == unrolled_form::dense) unrolled_dense<Plan, I>(bases);
  else
    unrolled_call<Plan, I>(bases, std::make_integer_sequence<std::int32_t, Plan.steps[I].inputs.count>{},
                           std::make_integer_sequence<std::int32_t, Plan.steps[I].outputs.count>{});
}

template <const auto& Plan, std::size_t... I> [[gnu::always_inline]] inline void run_unrolled(base_table bases, std::index_sequence<I...>) {
  (unrolled_step<Plan, I>(bases), ...);
}

}  // namespace nnrt::inline NNRT_ISA::detail
// ===== nnrt/policy/cpu.hpp
// cpu: the policies that run a network on this machine's processor, and how they execute its plan.
// Flow: executor<graph<f>, Policy> asks Policy::form; cpu is the default.

namespace nnrt::inline NNRT_ISA {

/// How a static plan is executed.
enum class execution_form {
  automatic,  // unrolled for micro networks, else planned
  planned,    // a loop over the table of steps: kernels are shared by all layers of a kind
  unrolled,   // every step inlined with constant extents; for networks of a few thousand multiply-accumulates
};

/// A policy that runs everything on the CPU.
template <execution_form Form> struct basic_cpu {
  static constexpr execution_form form = Form;
};

using cpu = basic_cpu<execution_form::automatic>;
using cpu_planned = basic_cpu<execution_form::planned>;
using cpu_unrolled = basic_cpu<execution_form::unrolled>;

}  // namespace nnrt::inline NNRT_ISA

#include <iterator>

namespace nnrt::inline NNRT_ISA {

namespace detail {

template <class Range> using element_of_range = std::remove_cvref_t<decltype(*std::data(std::declval<Range&>()))>;

/// Elements of a range when its type tells them, else -1.
template <class Range> inline constexpr std::int64_t static_size = -1;
template <class T, std::size_t N> inline constexpr std::int64_t static_size<std::array<T, N>> = static_cast<std::int64_t>(N);
template <class T, std::size_t N> inline constexpr std::int64_t static_size<T[N]> = static_cast<std::int64_t>(N);
template <class T, std::size_t N> inline constexpr std::int64_t static_size<std::span<T, N>> = N == std::dynamic_extent ? -1 : static_cast<std::int64_t>(N);

template <class G, std::size_t I> using span_of_output = std::span<const output_element<G, I>, output_size<G, I>>;
template <class G, class Sequence> struct spans_of_outputs;
template <class G, std::size_t I> struct spans_of_outputs<G, std::index_sequence<I>> { using type = span_of_output<G, I>; };
template <class G, std::size_t... I> struct spans_of_outputs<G, std::index_sequence<I...>> { using type = std::tuple<span_of_output<G, I>...>; };

[[gnu::cold]] inline std::string size_message(std::string_view what, std::string_view name, std::size_t got, std::int64_t expected) {
  return std::string(what) + " \"" + std::string(name) + "\": got " + std::to_string(got) + " elements, expected " + std::to_string(expected);
}

/// Whether a network under a policy takes the unrolled form.
template <class G, class Policy>
inline constexpr bool unrolls = Policy::form == execution_form::unrolled || (Policy::form == execution_form::automatic && G::is_micro);

}  // namespace detail

/// Runs network G (a graph<f>). Movable; one thread at a time uses one executor, several executors may share() weights.
///
///   run(x…)       inputs in order of declaration, each a contiguous range of the element type; returns views into the executor, valid until
///                 the next run: a span of known size, or a tuple of them
///   run(x…, y…)   the same, and copies the outputs into the caller's ranges
///   try_run(x…)   a result instead of a broken contract when a size that only run time knows is wrong
template <class G, class Policy = cpu> class executor {
  static constexpr const auto& plan = G::template plan_as<detail::unrolls<G, Policy>>();
  static constexpr plan_view view_of_plan = plan_view::of(plan);
  static constexpr std::size_t input_count = G::inputs.size();
  static constexpr std::size_t output_count = G::outputs.size();
  static constexpr bool is_unrolled = detail::unrolls<G, Policy>;

 public:
  /// Span over output I.
  template <std::size_t I> using output_span = detail::span_of_output<G, I>;
  /// What a run returns: the span over the only output, or a tuple of spans.
  using outputs_type = typename detail::spans_of_outputs<G, std::make_index_sequence<output_count>>::type;

  /// For networks that name no weights and need nothing prepared beyond what cannot fail but for memory.
  executor()
    requires(G::weights.empty())
  {
    auto made = create();
    if (made) *this = std::move(*made);
    else report(std::move(made.error()));
  }
  executor(executor&&) noexcept = default;
  executor& operator=(executor&&) noexcept = default;

  /// Errors: invalid_argument, with every missing, superfluous, mistyped or misshapen weight in one message; out_of_memory.
  static result<executor> create(const weights& file, const options& wanted = {}) {
    if (auto ok = check_options(wanted); !ok) return fail(std::move(ok.error()));
    auto bound = bind_weights(file, G::weight_specs);
    if (!bound) return fail(std::move(bound.error()));
    auto made = prepare(view_of_plan, std::move(*bound));
    if (!made) return fail(std::move(made.error()));
    return with(shared<const prepared_weights>(shared<prepared_weights>::make(std::move(*made))), wanted);
  }
  static result<executor> create(const options& wanted = {})
    requires(G::weights.empty())
  {
    return create(weights{}, wanted);
  }

  /// Another executor with the same prepared weights, and an arena and threads of its own. When there is no memory for them, that is a
  /// broken contract, and the executor says so again at every run.
  executor share() const {
    auto made = with(weights_, {threads_ ? threads_->threads() : 1});
    if (made) return std::move(*made);
    executor broken{without_preparing{}};
    broken.report(std::move(made.error()));
    return broken;
  }

  template <class... Ranges>
    requires(sizeof...(Ranges) == input_count)
  outputs_type operator()(const Ranges&... inputs) {
    if (fits(std::index_sequence_for<Ranges...>{}, inputs...)) run_on(inputs...);
    else broken_contract(misfit(std::index_sequence_for<Ranges...>{}, inputs...));
    return outputs();
  }
  template <class... Ranges>
    requires(sizeof...(Ranges) == input_count + output_count && output_count > 0)
  void operator()(Ranges&&... ranges) {
    auto all = std::forward_as_tuple(ranges...);
    [&]<std::size_t... In, std::size_t... Out>(std::index_sequence<In...>, std::index_sequence<Out...>) {
      if (!fits(std::index_sequence<In...>{}, std::get<In>(all)...)) return broken_contract(misfit(std::index_sequence<In...>{}, std::get<In>(all)...));
      std::string wrong;
      ((wrong = wrong.empty() ? misfit_of<Out, false>(std::get<input_count + Out>(all)) : wrong), ...);
      if (!wrong.empty()) return broken_contract(wrong);
      run_on(std::get<In>(all)...);
      (std::copy(output_at<Out>().begin(), output_at<Out>().end(), std::data(std::get<input_count + Out>(all))), ...);
    }(std::make_index_sequence<input_count>{}, std::make_index_sequence<output_count>{});
  }

  /// Errors: invalid_argument, naming the input and both sizes; then nothing was run.
  template <class... Ranges>
    requires(sizeof...(Ranges) == input_count)
  result<outputs_type> try_run(const Ranges&... inputs) {
    if (!fits(std::index_sequence_for<Ranges...>{}, inputs...)) return fail(error_code::invalid_argument, misfit(std::index_sequence_for<Ranges...>{}, inputs...));
    if (!weights_) return fail(error_code::out_of_memory, broken_);
    run_on(inputs...);
    return outputs();
  }

  /// The outputs of the last run: one span, or a tuple of them.
  outputs_type outputs() {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return outputs_type(output_at<I>()...); }(std::make_index_sequence<output_count>{});
  }
  /// The output of this name of the last run: run.output<"probability">().
  template <fixed_string Name> auto output() {
    constexpr std::size_t index = index_of(Name.view());
    static_assert(index < output_count, "nnrt: the network has no output of this name");
    return output_at<index>();
  }

 private:
  using arena_type = arena_memory<plan.arena_bytes>;

  struct without_preparing {};
  explicit executor(without_preparing) {}
  void report(error reason) {
    broken_ = reason.message();
    broken_contract(broken_);
  }

  static result<executor> with(shared<const prepared_weights> prepared, const options& wanted) {
    executor made{without_preparing{}};
    made.weights_ = std::move(prepared);
    made.weights_->set_bases(view_of_plan, made.bases_);
    auto arena = arena_type::make();
    if (!arena) return fail(std::move(arena.error()));
    made.arena_ = std::move(*arena);
    made.bases_[in_arena] = made.arena_.data();
    clear_ports(view_of_plan, view_of_plan.outputs, made.bases_);
    if (wanted.threads == 1 || is_unrolled) return made;
    made.threads_ = shared<thread_pool>::make();
    if (auto started = made.threads_->start(wanted.threads); !started) return fail(std::move(started.error()));
    auto scratch = heap_block::allocate(plan.part_scratch_bytes * (wanted.threads - 1), "scratch memory of the threads");
    if (!scratch) return fail(std::move(scratch.error()));
    made.further_scratch_ = std::move(*scratch);
    return made;
  }

  static constexpr std::size_t index_of(std::string_view name) {
    for (std::size_t i = 0; i < output_count; ++i)
      if (G::outputs[i].name == name) return i;
    return output_count;
  }

  /// Elements that the tensor has; sizes and element types that the range's type tells are checked by the compiler.
  template <std::size_t I, bool IsInput, class Range> static constexpr std::int64_t expected_size() {
    constexpr tensor_info info = IsInput ? G::inputs[IsInput ? I : 0] : G::outputs[IsInput ? 0 : I];
    static_assert(dtype_for<detail::element_of_range<const Range>>() == info.desc.type, "nnrt: this range has another element type than the tensor");
    static_assert(detail::static_size<Range> < 0 || detail::static_size<Range> == info.desc.elements(), "nnrt: this range has another number of elements than the tensor");
    return info.desc.elements();
  }
  template <std::size_t I, bool IsInput, class Range> static bool fits_one(const Range& range) {
    constexpr std::int64_t expected = expected_size<I, IsInput, Range>();
    return detail::static_size<Range> >= 0 || static_cast<std::int64_t>(std::size(range)) == expected;
  }
  template <std::size_t... I, class... Ranges> static bool fits(std::index_sequence<I...>, const Ranges&... inputs) { return (fits_one<I, true>(inputs) && ...); }

  /// What is wrong with a range, or nothing.
  template <std::size_t I, bool IsInput, class Range> static std::string misfit_of(const Range& range) {
    if (fits_one<I, IsInput>(range)) return {};
    return detail::size_message(IsInput ? "input" : "output", IsInput ? G::inputs[IsInput ? I : 0].name : G::outputs[IsInput ? 0 : I].name, std::size(range),
                                expected_size<I, IsInput, Range>());
  }
  template <std::size_t... I, class... Ranges> static std::string misfit(std::index_sequence<I...>, const Ranges&... inputs) {
    std::string wrong;
    ((wrong = wrong.empty() ? misfit_of<I, true>(inputs) : wrong), ...);
    return wrong;
  }

  template <class... Ranges> void run_on(const Ranges&... inputs) {
    if (!weights_) return broken_contract(broken_);
    bases_[in_arena] = arena_.data();
    // Steps never write to inputs: the planner gives every result memory of its own in the arena.
    [[maybe_unused]] std::size_t next = first_input;
    ((bases_[next++] = reinterpret_cast<std::byte*>(const_cast<detail::element_of_range<const Ranges>*>(std::data(inputs)))), ...);
    if constexpr (is_unrolled) {
      detail::run_unrolled<plan>(bases_, std::make_index_sequence<plan.steps.size()>{});
    } else {
      std::array<view, static_cast<std::size_t>(plan.most_operands)> views;
      run_context context;
      context.bases = bases_;
      context.views = views;
      context.threads = threads_.get();
      context.further_scratch = further_scratch_.data();
      run_steps(view_of_plan, plan.steps, context);
    }
  }

  template <std::size_t I> output_span<I> output_at() {
    constexpr std::int64_t offset = plan.slots[static_cast<std::size_t>(plan.outputs[I].slot)].offset;
    return output_span<I>(reinterpret_cast<const detail::output_element<G, I>*>(arena_.data() + offset), detail::output_size<G, I>);
  }

  arena_type arena_;
  std::array<std::byte*, view_of_plan.base_count()> bases_{};
  shared<const prepared_weights> weights_;  // none: the executor could not be made
  shared<thread_pool> threads_;
  heap_block further_scratch_;
  std::string broken_;
};

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/io/embed.hpp
// embed: a file's bytes inside the program, put there by the assembler at no cost to the compiler.
// Flow: weights::parse() reads what NNRT_EMBED put there; CMake's nnrt_embed() knows the path and the dependency.

namespace nnrt::inline NNRT_ISA {

/// The bytes of a file that NNRT_EMBED put into the program; a contiguous range, so it converts to std::span<const
/// std::byte>. Aligned to 64 bytes, never unloaded.
class embedded_file {
 public:
  constexpr embedded_file(const std::byte* first, const std::uint64_t* bytes) : first_(first), bytes_(bytes) {}
  const std::byte* data() const { return first_; }
  std::size_t size() const { return static_cast<std::size_t>(*bytes_); }
  const std::byte* begin() const { return first_; }
  const std::byte* end() const { return first_ + size(); }

 private:
  const std::byte* first_;
  const std::uint64_t* bytes_;  // written by the assembler: the difference of two symbols is no constant of C++
};

}  // namespace nnrt::inline NNRT_ISA

/// Defines `name`, a constexpr nnrt::embedded_file, at namespace scope, in a source file or in a header that several of
/// them include (the linker keeps one copy):
///
///   NNRT_EMBED(digits_file, "digits.safetensors");
///   auto weights = nnrt::weights::parse(digits_file);
///
/// `file` is a string literal: an absolute path, or one that the assembler finds in the working directory or along -I
/// (g++ -Imodels net.cpp), not beside the source file. With -flto the assembler runs at link time, without -I: give an
/// absolute path. With CMake, which has the function wherever it has nnrt::nnrt,
///
///   nnrt_embed(app models/digits.safetensors NAME digits_file)
///
/// passes the absolute path, which then replaces what the source says, and rebuilds the target's sources when the file
/// changes; without NAME it puts the file's folder on the include path instead. Give different files different names.
/// Needs an ELF target; 32 or 64 bits, any position (-fPIC, PIE or fixed). A missing file is an error of the assembler
/// that names it.
#define NNRT_EMBED(name, file) NNRT_EMBED_SELECT(name, NNRT_EMBED_PATH_##name, file, )

// CMake defines NNRT_EMBED_PATH_<name> as two arguments, the second being the path; undefined it is one argument and
// `file` comes second.
#define NNRT_EMBED_SELECT(name, ...) NNRT_EMBED_SECOND(name, __LINE__, __VA_ARGS__)
#define NNRT_EMBED_SECOND(name, line, first, path, ...) NNRT_EMBED_FILE(name, line, path)

#if defined(__ELF__)
// clang's link-time optimisation refuses two modules that define one strong symbol, whatever group it is in.
#if defined(__clang__)
#define NNRT_EMBED_BINDING ".weak "
#else
#define NNRT_EMBED_BINDING ".globl "
#endif
#define NNRT_EMBED_DECLARE(symbol) NNRT_EMBED_BINDING symbol "\n.hidden " symbol "\n.type " symbol ",%object\n"

// One copy is linked of what has name, line and path in common: they name the section's group. The line is part of the
// symbols too, so that a name may serve again in another namespace; where name and line meet by chance for two files,
// g++'s symbols are strong and do not link. The condition is for link-time optimisation: it may hand the same text to
// the assembler twice.
// clang-format off
#define NNRT_EMBED_FILE(name, line, path) \
  __asm__(".ifndef \"nnrt_embedded:" #name ":" #line ":" path "\"\n" \
          ".set \"nnrt_embedded:" #name ":" #line ":" path "\", 1\n" \
          ".pushsection .rodata.nnrt_embed_" #name \
          ",\"aG\",%progbits,\"nnrt_embed:" #name ":" #line ":" path "\",comdat\n" \
          NNRT_EMBED_DECLARE("nnrt_embed_" #name "_" #line) \
          NNRT_EMBED_DECLARE("nnrt_embed_size_" #name "_" #line) \
          ".balign 64\n" \
          "nnrt_embed_" #name "_" #line ":\n" \
          "1: .incbin \"" path "\"\n2:\n" \
          ".balign 8\n" \
          "nnrt_embed_size_" #name "_" #line ":\n" \
          ".8byte 2b - 1b\n" \
          ".popsection\n" \
          ".endif\n"); \
  extern "C" { \
  [[gnu::visibility("hidden")]] extern const ::std::byte nnrt_embed_##name##_##line[]; \
  [[gnu::visibility("hidden")]] extern const ::std::uint64_t nnrt_embed_size_##name##_##line; \
  } \
  inline constexpr ::nnrt::embedded_file name { nnrt_embed_##name##_##line, &nnrt_embed_size_##name##_##line }
// clang-format on
#else
#define NNRT_EMBED_FILE(name, line, path) \
  static_assert(false, "nnrt: NNRT_EMBED needs an ELF target; read the file at run time or write it as an array")
#endif
// ===== nnrt/ir/apply.hpp
// apply: how a call of an operator's function becomes a checked node.
// Flow: ops/*.hpp call dsl::apply<Op>(tensors, scalars, keywords); the rules run in the compiler, the node goes to the builder.

namespace nnrt::inline NNRT_ISA {

/// Several outputs of one node: works with structured bindings and get<I>.
template <class... Tensors> struct outputs_of_node : std::tuple<Tensors...> {
  using std::tuple<Tensors...>::tuple;
};

}  // namespace nnrt::inline NNRT_ISA

template <class... Tensors> struct std::tuple_size<nnrt::outputs_of_node<Tensors...>> : std::integral_constant<std::size_t, sizeof...(Tensors)> {};
template <std::size_t I, class... Tensors> struct std::tuple_element<I, nnrt::outputs_of_node<Tensors...>> : std::tuple_element<I, std::tuple<Tensors...>> {};

namespace nnrt::inline NNRT_ISA::dsl {

/// The verdict without its vector, so that it can be a constant.
template <int Outputs> struct settled {
  int rule = -1;
  bool by_signature = false;
  unit counted = unit::number;
  std::int64_t actual = 0, expected = 0;
  int count = 0;
  tensor_desc outputs[Outputs > 0 ? Outputs : 1];
};

/// A handle that stands for the output of a refused node: everything built on it is left unchecked, so that one mistake is one error.
inline constexpr tensor_desc unknown_desc{};

/// What the arguments of one call say; computed once for each combination of operator, descs and keywords.
template <class Op, class... Args> struct call {
  static constexpr int arguments = static_cast<int>(sizeof...(Args));
  static constexpr std::span<const operand_spec> signature = Op::inputs;

  /// Desc of an argument that is, or becomes, an operand; dtype none for a keyword that fills an attribute.
  template <class T> static constexpr tensor_desc desc_of() {
    using argument = typename as_keyword<T>::type;
    if constexpr (is_tensor<T>) return T::desc;
    else if constexpr (std::is_arithmetic_v<T>) return {scalar_type(), {}};
    else if constexpr (fills_operand<argument>()) return argument::desc();
    else return {};
  }
  /// A scalar takes the dtype of the first tensor.
  static constexpr dtype scalar_type() {
    dtype type = dtype::none;
    const auto look = [&]<class T>() {
      if constexpr (is_tensor<T>)
        if (type == dtype::none) type = T::desc.type;
    };
    (look.template operator()<Args>(), ...);
    return type;
  }

  template <class Keyword> static constexpr bool fills_attribute() {
    return requires(typename Op::attrs a) { Keyword::set(a); };
  }
  template <class Keyword> static constexpr int slot() {
    if constexpr (requires { Keyword::slot::name; }) {
      for (std::size_t i = 0; i < signature.size(); ++i)
        if (signature[i].role == Keyword::slot::name) return static_cast<int>(i);
    }
    return -1;
  }
  template <class Keyword> static constexpr bool fills_operand() {
    if constexpr (requires { Keyword::desc(); }) return !fills_attribute<Keyword>() && slot<Keyword>() >= 0;
    else return false;
  }
  template <class Keyword> static constexpr bool is_wish = requires { Keyword::wanted(); };

  template <class T> static constexpr bool is_unknown_keyword() {
    if constexpr (is_keyword<T>) {
      using kw = typename as_keyword<T>::type;
      return !fills_attribute<kw>() && !fills_operand<kw>() && !is_wish<kw>;
    }
    return false;
  }
  /// What a keyword fills; empty for what is no keyword.
  template <class T> static constexpr std::string_view filled_by() {
    if constexpr (is_keyword<T>) {
      if constexpr (requires { as_keyword<T>::type::slot::name; }) return as_keyword<T>::type::slot::name;
      else return "into";
    }
    return {};
  }
  /// The first keyword that does not fit, of two for one slot the second; argument -1: all fit.
  struct misfit {
    int argument = -1;
    keyword_rule rule{};
  };
  static constexpr misfit find_misfit() {
    constexpr bool is_unknown[] = {is_unknown_keyword<Args>()...};
    constexpr std::string_view filled[] = {filled_by<Args>()...};
    for (int i = 0; i < arguments; ++i) {
      if (is_unknown[i]) return {i, keyword_rule::keyword_must_be_known_to_the_operator};
      for (int k = 0; k < i; ++k)
        if (!filled[i].empty() && filled[i] == filled[k]) return {i, keyword_rule::keyword_must_not_be_given_twice};
    }
    return {};
  }
  static constexpr misfit misfitting = find_misfit();
  static constexpr bool keywords_fit = misfitting.argument < 0;
  template <int I> using keyword_at = typename as_keyword<std::tuple_element_t<static_cast<std::size_t>(I), std::tuple<Args...>>>::type;
  static constexpr bool unknown_operand = ((is_tensor<Args> && desc_of<Args>().type == dtype::none) || ...);

  static constexpr typename Op::attrs attributes() {
    typename Op::attrs attrs;
    const auto put = [&]<class T>() {
      if constexpr (is_keyword<T>) {
        using kw = typename as_keyword<T>::type;
        if constexpr (fills_attribute<kw>()) kw::set(attrs);
      }
    };
    (put.template operator()<Args>(), ...);
    return attrs;
  }

  /// For each operand the argument that gives it; -1: missing. Keywords go to the slot of their name, tensors to the free slots in order.
  struct placement {
    int argument_of[static_cast<std::size_t>(arguments) + 16] = {};
    int count = 0;
  };
  static constexpr placement place() {
    placement p;
    for (int& a : p.argument_of) a = -1;
    int i = 0;
    const auto put_keyword = [&]<class T>() {
      if constexpr (is_keyword<T>)
        if constexpr (fills_operand<typename as_keyword<T>::type>()) {
          const int at = slot<typename as_keyword<T>::type>();
          p.argument_of[at] = i;
          if (at >= p.count) p.count = at + 1;
        }
      ++i;
    };
    (put_keyword.template operator()<Args>(), ...);
    i = 0;
    int next = 0;
    const auto put_tensor = [&]<class T>() {
      if constexpr (!is_keyword<T>) {
        while (p.argument_of[next] >= 0) ++next;
        p.argument_of[next++] = i;
        if (next > p.count) p.count = next;
      }
      ++i;
    };
    (put_tensor.template operator()<Args>(), ...);
    return p;
  }
  static constexpr placement placed = place();

  /// The attributes as the words that the graph keeps: packed once here, not at every evaluation of the user's function.
  static constexpr std::size_t word_count = [] {
    pool<word> words;
    pack(attributes(), words);
    return words.size();
  }();
  static constexpr std::array<word, word_count> words = [] {
    pool<word> list;
    pack(attributes(), list);
    std::array<word, word_count> packed{};
    for (std::size_t i = 0; i < word_count; ++i) packed[i] = list[i];
    return packed;
  }();

  static constexpr std::array<tensor_desc, sizeof...(Args)> descs{desc_of<Args>()...};
  template <class T> static constexpr std::span<const std::int64_t> values_of() {
    if constexpr (is_keyword<T>)
      if constexpr (fills_operand<typename as_keyword<T>::type>()) return as_keyword<T>::type::values;
    return {};
  }

  static constexpr auto operands() {
    constexpr std::array<std::span<const std::int64_t>, sizeof...(Args)> values{values_of<Args>()...};
    std::array<operand, static_cast<std::size_t>(placed.count)> list{};
    for (std::size_t i = 0; i < list.size(); ++i) {
      const int from = placed.argument_of[i];
      if (from < 0) continue;
      const auto at = static_cast<std::size_t>(from);
      list[i] = {descs[at], values[at], is_constant[at]};
    }
    return list;
  }
  // A handle's type does not tell whether it is a weight: operands that must be constant are checked when the graph is complete.
  static constexpr std::array<bool, sizeof...(Args)> is_constant{!is_tensor<Args>...};

  static constexpr tensor_desc wish() {
    tensor_desc d;
    const auto look = [&]<class T>() {
      if constexpr (is_keyword<T>)
        if constexpr (is_wish<typename as_keyword<T>::type>) d = as_keyword<T>::type::wanted();
    };
    (look.template operator()<Args>(), ...);
    return d;
  }

  template <int Outputs> static constexpr settled<Outputs> settle() {
    const auto in = operands();
    const tensor_desc wanted[] = {wish()};
    const verdict v = infer_node<Op>(attributes(), in, wanted);
    settled<Outputs> s;
    s.rule = v.rule;
    s.by_signature = v.by_signature;
    s.counted = v.counted;
    s.actual = v.actual;
    s.expected = v.expected;
    s.count = static_cast<int>(v.outputs.size());
    for (int i = 0; i < Outputs && i < s.count; ++i) s.outputs[i] = v.output(i);
    return s;
  }
  // Members, because clang evaluates the constants inside of a constexpr function again at each of its calls.
  /// What the rules say of this call.
  template <int Outputs> static constexpr settled<Outputs> outcome = settle<Outputs>();
  /// The dtype that the reference is instantiated for.
  static constexpr dtype reference_type = operands()[static_cast<std::size_t>(Op::traits.typed_by)].desc.type;
  /// Outputs that the caller looks for when the node is refused: an operator with any number of them may tell from its attributes.
  static constexpr std::size_t outputs_asked_for() {
    if constexpr (requires { Op::outputs_asked_for(attributes()); }) return static_cast<std::size_t>(Op::outputs_asked_for(attributes()));
    else return std::size(Op::outputs);
  }
  static constexpr int output_count() {
    if constexpr (std::span(Op::outputs).back().given == presence::variadic) return settle<0>().count;
    else return static_cast<int>(std::size(Op::outputs));
  }
};

/// A number as the int that it usually fits into: clang prints int64_t arguments as 3L.
template <std::int64_t Value> constexpr auto shortest() {
  if constexpr (Value == static_cast<int>(Value)) return static_cast<int>(Value);
  else return Value;
}

/// The error for a broken rule, its two values in the unit that they are counted in.
template <auto Rule, unit Counted, std::int64_t Actual, std::int64_t Expected, class... Where> struct rejection {
  using type = graph_rejected<Rule, actual<shortest<Actual>()>, expected<shortest<Expected>()>, Where...>;
};
template <auto Rule, std::int64_t Actual, std::int64_t Expected, class... Where> struct rejection<Rule, unit::type, Actual, Expected, Where...> {
  using type = graph_rejected<Rule, actual<static_cast<dtype>(Actual)>, expected<static_cast<dtype>(Expected)>, Where...>;
};
template <auto Rule, std::int64_t Actual, std::int64_t Expected, class... Where> struct rejection<Rule, unit::layout, Actual, Expected, Where...> {
  using type = graph_rejected<Rule, actual<static_cast<format>(Actual)>, expected<static_cast<format>(Expected)>, Where...>;
};

/// The id of an argument's value; scalars and keywords that are operands become constants here.
template <class Call, class T> constexpr std::int32_t id_of(builder& owner, const T& argument) {
  if constexpr (is_tensor<T>) {
    if (argument.owner == &owner) return argument.id;
    owner.complain(graph_rule::tensors_must_belong_to_this_graph, "");
    return ir::none;  // its id means nothing here
  } else if constexpr (std::is_arithmetic_v<T>) {
    using element = element_t<Call::scalar_type()>;
    const element one[] = {static_cast<element>(argument)};
    return owner.add_constant<element>({Call::scalar_type(), {}}, one);
  } else if constexpr (Call::template fills_operand<typename as_keyword<T>::type>()) {
    using kw = typename as_keyword<T>::type;
    return owner.add_constant<std::int64_t>(kw::desc(), kw::values);
  } else {
    return ir::none;
  }
}

template <class T> constexpr builder* owner_of(const T& argument) {
  if constexpr (is_tensor<T>) return argument.owner;
  else return nullptr;
}

/// The part that runs in constant evaluation of the user's function: thin over builder::add_node.
template <class Op, class Call, class... Args>
constexpr std::int32_t record(std::span<const tensor_desc> outputs, const operator_info& info, const Args&... args) {
  builder* owner = nullptr;
  ((owner = owner != nullptr ? owner : owner_of(args)), ...);
  const std::int32_t given[] = {id_of<Call>(*owner, args)...};
  std::int32_t inputs[static_cast<std::size_t>(Call::placed.count)];
  for (int i = 0; i < Call::placed.count; ++i) inputs[i] = Call::placed.argument_of[i] < 0 ? ir::none : given[Call::placed.argument_of[i]];
  return owner->add_node(info, Call::words, inputs, outputs);
}

/// Handles for the outputs of a refused node. Its graph is told, so that it does not complain of what the node would have used, too.
template <std::size_t Outputs, class... Args> constexpr auto refused(const Args&... args) {
  for (builder* const owner : {owner_of(args)...})
    if (owner != nullptr) owner->refuse();
  if constexpr (Outputs == 1) return tensor<unknown_desc>{};
  else
    return []<std::size_t... I>(std::index_sequence<I...>) { return outputs_of_node<tensor<(static_cast<void>(I), unknown_desc)>...>(); }(std::make_index_sequence<Outputs>{});
}

template <class Op, class... Args> constexpr auto apply(Args... args) {
  using this_call = call<Op, Args...>;
  constexpr int count = this_call::output_count();
  if constexpr (!this_call::keywords_fit) {
    constexpr auto misfit = this_call::misfitting;
    using reason = graph_rejected<misfit.rule, keyword_named<typename this_call::template keyword_at<misfit.argument>>, in_operator<Op>>;
    (void)sizeof(decltype(reason::report()));
    return refused<this_call::outputs_asked_for()>(args...);
  } else if constexpr (this_call::unknown_operand) {
    return refused<this_call::outputs_asked_for()>(args...);
  } else {
    constexpr const auto& outcome = this_call::template outcome<count>;
    if constexpr (outcome.rule >= 0) {
      if constexpr (outcome.by_signature) {
        using reason = rejection<static_cast<signature_rule>(outcome.rule), outcome.counted, outcome.actual, outcome.expected, in_operator<Op>>;
        (void)sizeof(decltype(reason::type::report()));
      } else {
        using reason = rejection<static_cast<typename Op::rule>(outcome.rule), outcome.counted, outcome.actual, outcome.expected>;
        (void)sizeof(decltype(reason::type::report()));
      }
      return refused<this_call::outputs_asked_for()>(args...);
    } else {
      constexpr dtype type = this_call::reference_type;
      const std::int32_t first = record<Op, this_call>({outcome.outputs, static_cast<std::size_t>(count)}, static_operator<Op, type>, args...);
      builder* owner = nullptr;
      ((owner = owner != nullptr ? owner : owner_of(args)), ...);
      return [&]<int... I>(std::integer_sequence<int, I...>) {
        if constexpr (count == 1) return tensor<outcome.outputs[0]>{owner, first};
        else return outputs_of_node<tensor<outcome.outputs[I]>...>(tensor<outcome.outputs[I]>{owner, first + I}...);
      }(std::make_integer_sequence<int, count>{});
    }
  }
}

}  // namespace nnrt::inline NNRT_ISA::dsl
// ===== nnrt/ir/layers.hpp
// layers: operators together with the weights that they are known for, under the names that PyTorch's state dicts have.
// Flow: a network's function calls layers::conv2d<16, 3, 3>(x, "conv1", …); the weights' names bind when an executor is
// made.

namespace nnrt::inline NNRT_ISA {

/// Leaves out the bias of a layer: layers::conv2d<16, 3, 3>(x, "conv1", nnrt::no_bias).
struct no_bias_t : keyword::base {};
inline constexpr no_bias_t no_bias{};

/// Functions that declare the weights of an operator by the layer's name and apply it. Extents of the weights follow
/// from the input; weights have its dtype. Keywords are those of the operator; a rule that is broken is reported as the
/// operator's.
namespace layers {

namespace detail {

/// The weight "<layer>.<part>".
template <dtype Type, shape_t Shape>
constexpr auto part_of(builder& owner, std::string_view layer, std::string_view part) {
  return owner.weight<Type, Shape>(layer, part);
}

/// An extent that a weight can have, whatever is wrong with the input: the operator's rule is to complain, not the
/// builder.
constexpr std::int64_t at_least_1(std::int64_t extent) { return extent > 1 ? extent : 1; }
constexpr std::int64_t channels_of(const tensor_desc& x) { return x.rank() > 0 ? at_least_1(x.shape[-1]) : 1; }

/// The attributes that the keywords among these arguments say.
template <class Op, class... Args>
inline constexpr typename Op::attrs attributes = dsl::call<Op, Args...>::attributes();

template <class Keyword> inline constexpr bool leaves_out_bias = std::is_same_v<Keyword, no_bias_t>;
template <class Keyword> constexpr auto for_operator(Keyword given) {
  if constexpr (leaves_out_bias<Keyword>) return std::tuple<>{};
  else return std::tuple{given};
}

/// Op over x, a weight of this shape and, unless the keywords leave it out, a bias with an element for each output.
template <class Op, shape_t Weight, std::int64_t Outputs, tensor_desc X, class... Keywords>
constexpr auto with_weight_and_bias(tensor<X> x, std::string_view name, Keywords... keywords) {
  const auto weight = part_of<X.type, Weight>(*x.owner, name, "weight");
  if constexpr ((leaves_out_bias<Keywords> || ...)) {
    return std::apply([&](auto... kept) { return dsl::apply<Op>(x, weight, kept...); },
                      std::tuple_cat(for_operator(keywords)...));
  } else {
    return dsl::apply<Op>(x, weight, part_of<X.type, shape_t{Outputs}>(*x.owner, name, "bias"), keywords...);
  }
}

}  // namespace detail

/// conv2d with "name.weight" [Out, KernelH, KernelW, C / group] and "name.bias" [Out].
template <std::int64_t Out, std::int64_t KernelH, std::int64_t KernelW, tensor_desc X,
          dsl::keyword_argument... Keywords>
constexpr auto conv2d(tensor<X> x, std::string_view name, Keywords... keywords) {
  if constexpr (X.type == dtype::none) {
    return x;
  } else {
    constexpr std::int64_t groups = detail::at_least_1(detail::attributes<ops::conv2d, tensor<X>, Keywords...>.group);
    constexpr shape_t weight{Out, KernelH, KernelW, detail::at_least_1(detail::channels_of(X) / groups)};
    return detail::with_weight_and_bias<ops::conv2d, weight, Out>(x, name, keywords...);
  }
}

/// depthwise_conv2d with "name.weight" [C * Multiplier, KernelH, KernelW, 1] and "name.bias" [C * Multiplier].
template <std::int64_t KernelH, std::int64_t KernelW, std::int64_t Multiplier = 1, tensor_desc X,
          dsl::keyword_argument... Keywords>
constexpr auto depthwise_conv2d(tensor<X> x, std::string_view name, Keywords... keywords) {
  if constexpr (X.type == dtype::none) {
    return x;
  } else {
    constexpr std::int64_t out = detail::channels_of(X) * Multiplier;
    return detail::with_weight_and_bias<ops::depthwise_conv2d, shape_t{out, KernelH, KernelW, 1}, out>(x, name,
                                                                                                       keywords...);
  }
}

/// full_connection with "name.weight" [Out, I] and "name.bias" [Out]; I is the product of the extents from axis<…> on,
/// else the last one.
template <std::int64_t Out, tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto full_connection(tensor<X> x, std::string_view name, Keywords... keywords) {
  if constexpr (X.type == dtype::none) {
    return x;
  } else {
    constexpr int axis =
        normalise_axis(detail::attributes<ops::full_connection, tensor<X>, Keywords...>.axis, X.rank());
    constexpr std::int64_t inner = axis < 0 ? 1 : detail::at_least_1(X.shape.elements(axis));
    return detail::with_weight_and_bias<ops::full_connection, shape_t{Out, inner}, Out>(x, name, keywords...);
  }
}

/// batch_norm with "name.weight" (the scale), "name.bias" (the offset), "name.running_mean" and "name.running_var",
/// each [C].
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto batch_norm(tensor<X> x, std::string_view name, Keywords... keywords) {
  if constexpr (X.type == dtype::none) {
    return x;
  } else {
    constexpr shape_t channels{detail::channels_of(X)};
    const auto part = [&](std::string_view of) { return detail::part_of<X.type, channels>(*x.owner, name, of); };
    const auto scale = part("weight"), offset = part("bias"), mean = part("running_mean"),
               variance = part("running_var");
    return dsl::apply<ops::batch_norm>(x, scale, offset, mean, variance, keywords...);
  }
}

/// bias_add with "name.bias" [C].
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto bias_add(tensor<X> x, std::string_view name, Keywords... keywords) {
  if constexpr (X.type == dtype::none) return x;
  else
    return dsl::apply<ops::bias_add>(
        x, detail::part_of<X.type, shape_t{detail::channels_of(X)}>(*x.owner, name, "bias"), keywords...);
}

/// prelu with "name.weight" [C], or [Slopes]: prelu<1>(x, "act") has one slope for all channels.
template <std::int64_t Slopes = 0, tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto prelu(tensor<X> x, std::string_view name, Keywords... keywords) {
  if constexpr (X.type == dtype::none) {
    return x;
  } else {
    constexpr shape_t slopes{Slopes > 0 ? Slopes : detail::channels_of(X)};
    return dsl::apply<ops::prelu>(x, detail::part_of<X.type, slopes>(*x.owner, name, "weight"), keywords...);
  }
}

/// layer_norm with "name.weight" (gamma) and "name.bias" (beta), each with the extents from begin_norm_axis<…> on.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto layer_norm(tensor<X> x, std::string_view name, Keywords... keywords) {
  if constexpr (X.type == dtype::none) {
    return x;
  } else {
    constexpr shape_t normalised = [] {
      shape_t extents;
      const int first =
          normalise_axis(detail::attributes<ops::layer_norm, tensor<X>, Keywords...>.begin_norm_axis, X.rank());
      for (int i = first < 0 ? 0 : first; i < X.rank(); ++i) extents.push_back(X.shape[i]);
      return extents;
    }();
    const auto gamma = detail::part_of<X.type, normalised>(*x.owner, name, "weight"),
               beta = detail::part_of<X.type, normalised>(*x.owner, name, "bias");
    return dsl::apply<ops::layer_norm>(x, gamma, beta, keywords...);
  }
}

}  // namespace layers
}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/ops/list.hpp
// list: every operator, once, in the order of the NNRt numbers.
// Flow: nnrt.hpp includes it for the DSL functions; ops/registry.hpp makes the table for dynamic graphs of it.

// ===== nnrt/ops/cast.hpp
// cast: the elements as another dtype.
// Flow: front ends call infer(), the DSL's cast<f16>(x) makes the type a constant; kernels/select.hpp binds common
// pairs.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Conversion of each element to the dtype whose number `type` holds.
///
///   x: any shape, any dtype      type: one integer, a constant: the number of a dtype (OH_NN_DataType)
///   y: the same shape, of that dtype
///
/// Floats become integers by truncation toward zero and saturate, NaN becomes 0; integers keep their low bits in a
/// narrower integer; anything but 0 is true. A quantised tensor's stored integers are converted as they are: the result
/// carries no scale. Broken rules: see `rule`. Source: NNRt OH_NN_OPS_CAST, made definite in this library.
struct cast {
  static constexpr op_code code{6};
  static constexpr std::string_view name = "cast";
  static constexpr operand_spec inputs[] = {{"x", types::any}, {"type", types::integer, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 6, .hdi = 28};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule { type_must_be_one_number, type_must_be_known_to_the_rules, type_must_be_the_number_of_a_dtype };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    const operand& type = in[1];
    if (auto v = require(rule::type_must_be_one_number, type.desc.elements(), 1); !v) return v;
    if (!type.has_values()) return refuse(rule::type_must_be_known_to_the_rules, 0, 1);
    const std::int64_t number = type.values[0];
    if (auto v = require_between(rule::type_must_be_the_number_of_a_dtype, number, 1, dtype_count - 1); !v) return v;
    return yields(tensor_desc{static_cast<dtype>(number), in[0].desc.layout, in[0].desc.shape});
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    with_element<types::any>(out[0].type(), [&]<class To>(To) {
      detail::for_each_element<T, To>(in, out, [](T x) { return math::convert<To>(x); });
    });
  }
};

}  // namespace ops

/// cast<f16>(x): x as another dtype.
template <dtype To, tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto cast(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::cast>(x, keyword::one_integer<keyword::type_slot, static_cast<int>(To)>{}, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/ops/expand_dims.hpp
// expand_dims: puts one axis of extent 1 into a shape; the place is an operand, as NNRt passes it.
// Flow: front ends call infer(); passes turn the node into an alias of its input, so that no step is left of it.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// The elements of x under a shape with one new axis of extent 1.
///
///   x: any shape of rank n < 8      axis: one integer, constant, in [-(n + 1), n]      y: rank n + 1
///
/// Broken rules: see `rule`; axes are counted. Source: NNRt OH_NN_OPS_EXPAND_DIMS.
struct expand_dims {
  static constexpr op_code code{13};
  static constexpr std::string_view name = "expand_dims";
  static constexpr operand_spec inputs[] = {{"x", types::any}, {"axis", types::index, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.result = storage::alias_of_input};
  static constexpr foreign_numbers foreign{.nnrt = 13, .hdi = 56};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule {
    output_rank_must_be_at_most_8,
    axis_must_be_one_number,
    axis_must_be_known,
    axis_must_be_an_axis_of_the_output,
  };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = require_at_most(rule::output_rank_must_be_at_most_8, x.rank() + 1, max_rank); !v) return v;
    if (auto v = require_same_extent(rule::axis_must_be_one_number, in[1].desc.elements(), 1); !v) return v;
    if (!in[1].has_values()) return refuse(rule::axis_must_be_known, 0, 1);
    const int axis = normalise_axis(in[1].values[0], x.rank() + 1);
    if (axis < 0) return refuse(rule::axis_must_be_an_axis_of_the_output, in[1].values[0], x.rank());
    return yields(x.with_shape(x.shape.with_axis(axis, 1)));
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < y.elements(); ++i) y[i] = x[i];
  }
};

}  // namespace ops

/// expand_dims(x, axis<…>): the place of the new axis in the result.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto expand_dims(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::expand_dims>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/ops/reshape.hpp
// reshape: the same elements in another shape, and flatten, which keeps the batch and lines up the rest.
// Flow: front ends call infer(); passes turn the node into an alias of its input, so that no step is left of it.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// The elements of x, in row-major order, under another shape.
///
///   x: any shape      shape: [R] integers, constant, R <= 8      y: the extents that `shape` lists
///
/// One extent may be -1: it is what the others leave of the number of elements. 0 is an extent of no elements and
/// refused. The result has the format of its rank (images are NHWC), since nothing says what its axes mean.
///
/// Broken rules: see `rule`; extents and elements are counted. Source: NNRt OH_NN_OPS_RESHAPE.
struct reshape {
  static constexpr op_code code{45};
  static constexpr std::string_view name = "reshape";
  static constexpr operand_spec inputs[] = {{"x", types::any}, {"shape", types::index, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.result = storage::alias_of_input};
  static constexpr foreign_numbers foreign{.nnrt = 45, .hdi = 119};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule {
    shape_must_be_a_list,
    output_rank_must_be_at_most_8,
    shape_must_be_known,
    extent_must_be_positive_or_minus_1,
    only_one_extent_may_be_inferred,
    number_of_elements_must_be_kept,
    elements_must_be_divisible_by_the_given_extents,
  };

  static constexpr verdict infer(const attrs&, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = require(rule::shape_must_be_a_list, in[1].desc.rank(), 1); !v) return v;
    if (auto v = require_at_most(rule::output_rank_must_be_at_most_8, in[1].desc.elements(), max_rank); !v) return v;
    if (!in[1].has_values()) return refuse(rule::shape_must_be_known, 0, 1);
    shape_t y;
    std::int64_t given = 1;  // product of the extents that are given; more than max_elements stays that
    int inferred = -1;
    for (const std::int64_t extent : in[1].values) {
      y.push_back(extent);
      if (extent == -1) {
        if (inferred >= 0) return refuse(rule::only_one_extent_may_be_inferred, 2, 1);
        inferred = y.rank - 1;
      } else {
        if (auto v = require_at_least(rule::extent_must_be_positive_or_minus_1, extent, 1); !v) return v;
        given = extent > max_elements / given ? max_elements + 1 : given * extent;
      }
    }
    const std::int64_t elements = x.elements();
    if (inferred < 0) {
      if (auto v = require_same_extent(rule::number_of_elements_must_be_kept, given, elements); !v) return v;
    } else if (elements >= 0) {
      if (elements % given != 0) return refuse(rule::elements_must_be_divisible_by_the_given_extents, elements, given);
      y[inferred] = elements / given;
    }
    return yields(tensor_desc{x.type, default_format(y.rank), y, x.quantised});
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < y.elements(); ++i) y[i] = x[i];
  }
};

}  // namespace ops

/// reshape(x, nnrt::shape<1, 64, 2, 2>); one extent may be -1.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto reshape(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::reshape>(x, keywords...);
}

/// [N, …] becomes [N, product of the rest]; a rank of 0 or 1 is filled up with extents of 1.
template <tensor_desc X> constexpr auto flatten(tensor<X> x) {
  return dsl::apply<ops::reshape>(x, shape<(X.rank() > 0 ? X.shape[0] : 1), X.shape.elements(1)>);
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/ops/squeeze.hpp
// squeeze: takes axes of extent 1 out of a shape.
// Flow: front ends call infer(); passes turn the node into an alias of its input, so that no step is left of it.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// The elements of x without the axes that `axes` names, each of extent 1; an empty list means every axis of extent 1.
///
///   x: any shape      y: the extents that are left, in order
///
/// Axes count from the end when negative. With an empty list every extent must be known, since a rank cannot be
/// unknown.
///
/// Broken rules: see `rule`; axes and extents are counted. Source: NNRt OH_NN_OPS_SQUEEZE.
struct squeeze {
  static constexpr op_code code{35};
  static constexpr std::string_view name = "squeeze";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.result = storage::alias_of_input};
  static constexpr foreign_numbers foreign{.nnrt = 35, .hdi = 147};
  static constexpr nnrt_parameter parameters[] = {{"axes", 52, i64, -1}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (axis_list, axes));
    constexpr attrs() = default;
  };

  enum class rule {
    axis_must_be_an_axis_of_the_input,
    axes_must_differ,
    squeezed_extent_must_be_1,
    axes_must_be_given_when_an_extent_is_unknown,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    chosen_axes chosen;
    if (auto v = choose_axes(chosen, a.axes, x.rank(), rule::axis_must_be_an_axis_of_the_input, rule::axes_must_differ);
        !v)
      return v;
    if (a.axes.empty() && !x.shape.is_known()) return refuse(rule::axes_must_be_given_when_an_extent_is_unknown, 0, 1);
    shape_t y;
    for (int i = 0; i < x.rank(); ++i) {
      if (chosen.contains(i)) {
        if (auto v = require_same_extent(rule::squeezed_extent_must_be_1, x.shape[i], 1); !v) return v;
      } else if (!a.axes.empty() || x.shape[i] != 1) {
        y.push_back(x.shape[i]);
      }
    }
    return yields(x.with_shape(y));
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < y.elements(); ++i) y[i] = x[i];
  }
};

}  // namespace ops

/// squeeze(x) without any axis of extent 1, or without axis<…> or axes<…> alone.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto squeeze(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::squeeze>(x, keyword::as_axes(keywords)...);
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/ops/top_k.hpp
// top_k: the largest elements along an axis, and where they were.
// Flow: front ends call infer(); kernels/select.hpp binds it to reference().

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// The k largest elements of each line along `axis`, and their indices along it.
///
///   x: any shape of rank >= 1      k: one integer, constant; 0 < k <= the extent of the axis
///   values, indices (i32): the extents of x, but k along the axis
///
/// sorted: descending; of equal elements the one with the smaller index comes first. Otherwise the same elements in
/// the order of their indices. A NaN counts as larger than every number, and as equal to every other NaN, so that NaNs
/// are found, not hidden; zeros are equal whatever their signs. A quantised x is compared, and taken over, by its stored
/// integers. `axis` counts from the end when negative; -1 is the default.
///
/// At most extent * k steps for each line: an element that is not among the k largest so far costs one comparison.
///
/// Broken rules: see `rule`; axes, elements and scales are counted. Source: NNRt OH_NN_OPS_TOP_K; ties as in ONNX TopK.
struct top_k {
  static constexpr op_code code{53};
  static constexpr std::string_view name = "top_k";
  static constexpr operand_spec inputs[] = {{"x", types::number}, {"k", types::index, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"values", types::number}, {"indices", types_of(i32)}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 53, .hdi = 161};
  static constexpr nnrt_parameter parameters[] = {{"sorted", 74, boolean, -1}, {"axis", 123, i64}};

  /// Larger indices would not fit into i32.
  static constexpr std::int64_t max_extent = std::int64_t{1} << 31;

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (bool, sorted), (std::int64_t, axis));
    constexpr attrs() : sorted(true), axis(-1) {}
  };

  enum class rule {
    axis_must_be_an_axis_of_the_input,
    elements_along_the_axis_must_share_one_scale,
    k_must_be_one_number,
    k_must_be_known,
    k_must_be_at_least_1,
    k_must_not_exceed_the_extent,
    extent_must_be_countable_in_32_bits,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    const int axis = normalise_axis(a.axis, x.rank());
    if (axis < 0) return refuse(rule::axis_must_be_an_axis_of_the_input, a.axis, x.rank() - 1);
    const std::int64_t extent = x.shape[axis];
    if (x.quantised.mode == quantisation::kind::per_channel && normalise_axis(x.quantised.axis, x.rank()) == axis)
      return refuse(rule::elements_along_the_axis_must_share_one_scale, extent, 1);
    if (auto v = require_same_extent(rule::k_must_be_one_number, in[1].desc.elements(), 1); !v) return v;
    if (!in[1].has_values()) return refuse(rule::k_must_be_known, 0, 1);
    const std::int64_t k = in[1].values[0];
    if (auto v = require_at_least(rule::k_must_be_at_least_1, k, 1); !v) return v;
    if (extent >= 0)
      if (auto v = require_at_most(rule::k_must_not_exceed_the_extent, k, extent); !v) return v;
    // An extent that is not known yet is at least k.
    if (auto v = require_at_most(rule::extent_must_be_countable_in_32_bits, extent < 0 ? k : extent, max_extent); !v)
      return v;
    const shape_t y = x.shape.with(axis, k);
    return yields(x.with_shape(y), tensor_desc{i32, x.layout, y});
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto values = out[0].as<T>();
    const auto indices = out[1].as<std::int32_t>();
    if (values.elements() == 0) return;  // k is not 0, but another extent is
    const int axis = normalise_axis(a.axis, x.rank());
    const shape_t starts = x.shape.with(axis, 1);
    shape_t first;
    first.rank = x.rank();
    do {
      const line<const T> from(x, first, axis);
      const ranking<T> best{{values, first, axis}, {indices, first, axis}};
      choose_sorted(from, best);
      if (!a.sorted) order_by_index(from, best);
    } while (next_index(first, starts));
  }

 private:
  /// The elements along one axis.
  template <class T> struct line {
    T* first;
    std::int64_t step, extent;
    constexpr line(const tensor_view<T>& all, const shape_t& at, int axis)
        : first(&all.at(at)), step(all.strides[axis]), extent(all.extent(axis)) {}
    constexpr T& operator[](std::int64_t i) const { return first[i * step]; }
  };
  /// One line of both outputs.
  template <class T> struct ranking {
    line<T> values;
    line<std::int32_t> indices;
    constexpr void set(std::int64_t place, T value, std::int32_t index) const {
      values[place] = value;
      indices[place] = index;
    }
  };

  template <class T> static constexpr bool is_larger(T a, T b) {
    if constexpr (std::is_integral_v<T>) return a > b;
    else {
      using real = math::compute_t<T>;
      const real left = static_cast<real>(a), right = static_cast<real>(b);
      if (math::is_nan(right)) return false;  // first: -ffast-math may take a comparison with a NaN for true
      return math::is_nan(left) || left > right;
    }
  }
  /// The elements pass by in order; each goes behind those that are not smaller, and the last of more than k drops out.
  template <class T> static constexpr void choose_sorted(const line<const T>& x, const ranking<T>& best) {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < x.extent; ++i) {
      const T candidate = x[i];
      const bool is_full = count == best.values.extent;
      if (is_full && !is_larger(candidate, best.values[count - 1])) continue;
      std::int64_t place = is_full ? count - 1 : count++;
      for (; place > 0 && is_larger(candidate, best.values[place - 1]); --place)
        best.set(place, best.values[place - 1], best.indices[place - 1]);
      best.set(place, candidate, static_cast<std::int32_t>(i));
    }
  }
  /// The chosen ones again, in the order of the line: those that are larger than the last chosen, or equal to it and no
  /// later.
  template <class T> static constexpr void order_by_index(const line<const T>& x, const ranking<T>& best) {
    const std::int64_t last = best.indices[best.indices.extent - 1];
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < x.extent; ++i) {
      if (is_larger(x[last], x[i]) || (i > last && !is_larger(x[i], x[last]))) continue;
      best.set(count++, x[i], static_cast<std::int32_t>(i));
    }
  }
};

}  // namespace ops

/// auto [values, indices] = top_k(x, k<5>), with axis<…> for another than the last and unsorted for the order of x.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto top_k(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::top_k>(x, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
// ===== nnrt/ops/unsqueeze.hpp
// unsqueeze: puts axes of extent 1 into a shape.
// Flow: front ends call infer(); passes turn the node into an alias of its input, so that no step is left of it.

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// The elements of x under a shape with new axes of extent 1.
///
///   x: any shape of rank n      axes: k places in the result, each in [-(n + k), n + k - 1]      y: rank n + k <= 8
///
/// Broken rules: see `rule`; axes are counted. Source: NNRt OH_NN_OPS_UNSQUEEZE, whose list holds one axis.
struct unsqueeze {
  static constexpr op_code code{55};
  static constexpr std::string_view name = "unsqueeze";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.result = storage::alias_of_input};
  static constexpr foreign_numbers foreign{.nnrt = 55, .hdi = 165};
  static constexpr nnrt_parameter parameters[] = {{"axes", 77, i64}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (axis_list, axes));
    constexpr attrs() = default;
  };

  enum class rule {
    axes_must_name_an_axis,
    output_rank_must_be_at_most_8,
    axis_must_be_an_axis_of_the_output,
    axes_must_differ,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    const int rank = x.rank() + a.axes.count;
    if (auto v = require_at_least(rule::axes_must_name_an_axis, a.axes.count, 1); !v) return v;
    if (auto v = require_at_most(rule::output_rank_must_be_at_most_8, rank, max_rank); !v) return v;
    chosen_axes chosen;
    if (auto v = choose_axes(chosen, a.axes, rank, rule::axis_must_be_an_axis_of_the_output, rule::axes_must_differ);
        !v)
      return v;
    shape_t y;
    for (int i = 0, from = 0; i < rank; ++i) y.push_back(chosen.contains(i) ? 1 : x.shape[from++]);
    return yields(x.with_shape(y));
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < y.elements(); ++i) y[i] = x[i];
  }
};

}  // namespace ops

/// unsqueeze(x, axis<…>) or unsqueeze(x, axes<…>): the places of the new axes in the result.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto unsqueeze(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::unsqueeze>(x, keyword::as_axes(keywords)...);
}

}  // namespace nnrt::inline NNRT_ISA

namespace nnrt::inline NNRT_ISA::ops {

/// Types in a row; naming it instantiates none of them.
template <class... Ops> struct type_list { static constexpr int count = static_cast<int>(sizeof...(Ops)); };

/// The operators, ascending by number: NNRt's first, those of this library (from 1000) last.
using list = type_list<  //
    add,                 //   1
    avg_pool,            //   2
    batch_norm,          //   3
    bias_add,            //   5
    cast,                //   6
    concat,              //   7
    conv2d,              //   8
    depthwise_conv2d,    //  10
    div,                 //  11
    expand_dims,         //  13
    full_connection,     //  15
    hswish,              //  17
    matmul,              //  19
    maximum,             //  20
    max_pool,            //  21
    mul,                 //  22
    pad,                 //  24
    sigmoid,             //  28
    slice,               //  29
    softmax,             //  30
    split,               //  32
    squeeze,             //  35
    sub,                 //  38
    tanh,                //  39
    transpose,           //  41
    reduce_mean,         //  42
    reshape,             //  45
    prelu,               //  46
    relu,                //  47
    relu6,               //  48
    layer_norm,          //  49
    top_k,               //  53
    unsqueeze,           //  55
    gelu,                //  56
    fold_affine>;        // 1000

}  // namespace nnrt::inline NNRT_ISA::ops
