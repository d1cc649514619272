// attributes: types of operators' attributes, and their encoding as a list of 64-bit words.
// Flow: each operator's reflected attrs struct is packed for the IR, and unpacked by infer, reference and kernels.
#pragma once

#include <nnrt/core/activation.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/enumerators.hpp>
#include <nnrt/core/fixed_string.hpp>
#include <nnrt/core/pool.hpp>

#include <array>
#include <bit>
#include <boost/hana/fwd/pair.hpp>
#include <boost/hana/fwd/string.hpp>
#include <boost/hana/fwd/tuple.hpp>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA {

/// A word of packed attributes.
using word = std::int64_t;

/// Lengths along height and width, in pixels.
struct extent2 {
  std::int64_t h = 1, w = 1;
  friend constexpr bool operator==(const extent2&, const extent2&) = default;
};

/// Padding mode of a window operator. Numbers: HDI PadMode.
enum class pad_mode { explicit_pads, same, valid };

/// Padding of an image: a mode, or four lengths in pixels.
struct pads {
  pad_mode mode = pad_mode::explicit_pads;
  std::int64_t top = 0, bottom = 0, left = 0, right = 0;
  friend constexpr bool operator==(const pads&, const pads&) = default;
};

/// Contents of pad()'s padding. Numbers: the values of OH_NN_PAD_PADDING_MODE, HDI PaddingMode.
enum class border { constant, reflect, symmetric };

/// How coordinates of a resized image map to the input. Numbers: the values of
/// OH_NN_RESIZE_BILINEAR_COORDINATE_TRANSFORM_MODE, HDI CoordinateTransformMode.
enum class coordinates { asymmetric, align_corners, half_pixel };

/// Operation of eltwise(). Numbers: the values of OH_NN_ELTWISE_MODE, HDI EltwiseMode.
enum class eltwise_mode { product, sum, maximum };

/// Activation inside a recurrent layer. Numbers: ActivationFunctionType of TFLite.
enum class recurrent_activation { none, relu, relu_n1_to_1, relu6, tanh };

/// A list of up to Capacity integers (axes, block sizes).
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
  constexpr const std::int64_t* data() const { return items; }
  constexpr std::size_t size() const { return static_cast<std::size_t>(count); }
  constexpr bool empty() const { return count == 0; }
  friend constexpr bool operator==(const int_list& a, const int_list& b) {
    if (a.count != b.count) return false;
    for (int i = 0; i < a.count; ++i)
      if (a.items[i] != b.items[i]) return false;
    return true;
  }
};
using axis_list = int_list<8>;

/// A list of up to Capacity real numbers (scales of boxes).
template <int Capacity> struct real_list {
  float items[Capacity] = {};
  int count = 0;

  constexpr real_list() = default;
  constexpr real_list(std::initializer_list<float> list) {
    for (const float item : list) push_back(item);
  }
  constexpr void push_back(float item) {
    if (count < Capacity) items[count++] = item;
  }
  constexpr float operator[](int i) const { return items[i]; }
  constexpr const float* begin() const { return items; }
  constexpr const float* end() const { return items + count; }
  constexpr std::size_t size() const { return static_cast<std::size_t>(count); }
};

/// Appends attributes to a list of words: a pool or a vector.
template <class Words> struct word_writer {
  Words& words;
  constexpr void put(std::int64_t v) { words.push_back(v); }
  constexpr void put(bool v) { words.push_back(v ? 1 : 0); }
  constexpr void put(float v) { words.push_back(std::bit_cast<std::int32_t>(v)); }
  template <class Enum>
    requires(__is_enum(Enum))
  constexpr void put(Enum v) {
    put(static_cast<std::int64_t>(v));
  }
  constexpr void put(extent2 v) { put(v.h), put(v.w); }
  constexpr void put(const pads& v) {
    put(static_cast<std::int64_t>(v.mode)), put(v.top), put(v.bottom), put(v.left), put(v.right);
  }
  template <int N> constexpr void put(const int_list<N>& v) {
    put(std::int64_t{v.count});
    for (const std::int64_t item : v) put(item);
  }
  template <int N> constexpr void put(const real_list<N>& v) {
    put(std::int64_t{v.count});
    for (const float item : v) put(item);
  }
  /// Visitor for for_each_attribute(). A lambda would be a separate type, with separate functions, for each operator.
  template <class T> constexpr void operator()(const char*, const T& member) { put(member); }
};

/// Reads packed attributes. Missing words read as zeros; `ok` is false if words are missing or invalid.
struct word_reader {
  array_ref<const word> words;
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
  // Declared before get(pads&): clang 16 does not find a later member template in constant evaluation.
  template <class Enum>
    requires(__is_enum(Enum))
  constexpr void get(Enum& v) {
    const word number = take();
    if constexpr (std::is_same_v<Enum, activation> || std::is_same_v<Enum, pad_mode>)
      ok = ok && number >= 0 && number <= 2;
    v = static_cast<Enum>(number);
    ok = ok && static_cast<word>(v) == number;
  }
  constexpr void get(extent2& v) { get(v.h), get(v.w); }
  constexpr void get(pads& v) { get(v.mode), get(v.top), get(v.bottom), get(v.left), get(v.right); }
  template <int N> constexpr void get(int_list<N>& v) {
    const word count = take();
    if (count < 0 || count > N) {
      ok = false;
      return;
    }
    v.count = 0;  // the list may have a default
    for (word i = 0; i < count; ++i) v.push_back(take());
  }
  template <int N> constexpr void get(real_list<N>& v) {
    int_list<N> bits;
    get(bits);
    v.count = 0;
    for (const word item : bits) v.push_back(std::bit_cast<float>(static_cast<std::int32_t>(item)));
  }
  /// Visitor for for_each_attribute().
  template <class T> constexpr void operator()(const char*, T& member) { get(member); }
};

namespace detail {

/// T, as a dependent type.
template <class T, class...> struct later {
  using type = T;
};

/// An attribute for Hana: its name, and an accessor.
template <fixed_string Name, auto Member> struct hana_member {
  template <class Record> constexpr decltype(auto) operator()(Record&& record) const {
    return (static_cast<Record&&>(record).*Member);
  }

  static constexpr auto pair() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return boost::hana::make_pair(boost::hana::string<Name.letters[I]...>{}, hana_member{});
    }(std::make_index_sequence<Name.view().size()>{});
  }
};
template <class... Members> struct hana_members {
  template <class Member> constexpr hana_members<Members..., Member> operator+(Member) const { return {}; }
  static constexpr auto tuple() { return boost::hana::make_tuple(Members::pair()...); }
};

}  // namespace detail

// NNRT_FOR_EACH(MACRO, (a, b), (c, d), …) expands to MACRO(a, b) MACRO(c, d) …, for up to 81 pairs.
#define NNRT_FOR_EACH(MACRO, ...) __VA_OPT__(NNRT_EXPAND(NNRT_FOR_EACH_STEP(MACRO, __VA_ARGS__)))
#define NNRT_FOR_EACH_STEP(MACRO, PAIR, ...) \
  MACRO PAIR __VA_OPT__(NNRT_FOR_EACH_AGAIN NNRT_NO_ARGUMENTS(MACRO, __VA_ARGS__))
#define NNRT_FOR_EACH_AGAIN() NNRT_FOR_EACH_STEP
#define NNRT_NO_ARGUMENTS ()
#define NNRT_EXPAND(...) NNRT_EXPAND_27(NNRT_EXPAND_27(NNRT_EXPAND_27(__VA_ARGS__)))
#define NNRT_EXPAND_27(...) NNRT_EXPAND_9(NNRT_EXPAND_9(NNRT_EXPAND_9(__VA_ARGS__)))
#define NNRT_EXPAND_9(...) NNRT_EXPAND_3(NNRT_EXPAND_3(NNRT_EXPAND_3(__VA_ARGS__)))
#define NNRT_EXPAND_3(...) __VA_ARGS__

#define NNRT_ATTRIBUTE(TYPE, NAME) TYPE NAME;
#define NNRT_VISIT_ATTRIBUTE(TYPE, NAME) visit(#NAME, record.NAME);
#define NNRT_HANA_ATTRIBUTE(TYPE, NAME)              \
  +::nnrt::detail::hana_member<#NAME, &late::NAME> { \
  }

/// Defines and reflects the members of a record, like BOOST_HANA_DEFINE_STRUCT: NNRT_ATTRIBUTES(attrs, (extent2,
/// stride), (pads, pad)).
///
/// The record is a Hana Struct for units that include Hana; for others, reflection costs no compile time. Hana's macro
/// makes compilers build a tuple of pairs of strings for every record, 4 ms each. The library itself visits members
/// without Hana.
#define NNRT_ATTRIBUTES(RECORD, ...)                                                                          \
  NNRT_FOR_EACH(NNRT_ATTRIBUTE, __VA_ARGS__)                                                                  \
  template <class Record, class Visitor>                                                                      \
  static constexpr void visit_attributes([[maybe_unused]] Record& record, [[maybe_unused]] Visitor&& visit) { \
    NNRT_FOR_EACH(NNRT_VISIT_ATTRIBUTE, __VA_ARGS__)                                                          \
  }                                                                                                           \
  struct hana_accessors_impl {                                                                                \
    template <class... Late> static constexpr auto apply() {                                                  \
      using late [[maybe_unused]] = typename ::nnrt::detail::later<RECORD, Late...>::type;                    \
      using none = typename ::nnrt::detail::later<::nnrt::detail::hana_members<>, Late...>::type;             \
      return (none {} NNRT_FOR_EACH(NNRT_HANA_ATTRIBUTE, __VA_ARGS__)).tuple();                               \
    }                                                                                                         \
  }

/// Calls f(name, member) for each attribute of a record, in the order of definition.
template <class Attrs, class F> constexpr void for_each_attribute(Attrs& attrs, F&& f) {
  std::remove_const_t<Attrs>::visit_attributes(attrs, f);
}

/// Appends the attributes to `words`.
template <class Attrs, class Words> constexpr void pack(const Attrs& attrs, Words& words) {
  word_writer<Words> writer{words};
  for_each_attribute(attrs, writer);
}

/// Unpacks attributes from words.
template <class Attrs> constexpr Attrs unpack(array_ref<const word> words) {
  Attrs attrs;
  word_reader reader{words};
  for_each_attribute(attrs, reader);
  return attrs;
}

/// Whether words are valid for this record; for words from outside.
template <class Attrs> constexpr bool well_formed(array_ref<const word> words) {
  Attrs attrs;
  word_reader reader{words};
  for_each_attribute(attrs, reader);
  return reader.ok && reader.next == words.size();
}

/// Kind of an attribute, for printers, codecs and documentation that read packed records.
enum class attribute_kind { integer, flag, real, extent, padding, list, reals, fused, choice };

/// Name and kind of an attribute; its words follow those of the preceding one.
struct attribute_field {
  std::string_view name;
  attribute_kind kind = attribute_kind::integer;
  bool is_set = false;  // default of a flag
};

/// Number of words of an attribute of this kind; `left`: the remaining words of the record. A list starts with its
/// length. At most left.size().
constexpr std::size_t words_of(attribute_kind kind, array_ref<const word> left) {
  std::size_t count = 1;
  switch (kind) {
    case attribute_kind::extent: count = 2; break;
    case attribute_kind::padding: count = 5; break;
    case attribute_kind::list:
    case attribute_kind::reals:
      if (!left.empty()) count += static_cast<std::size_t>(left[0]);
      break;
    case attribute_kind::integer:
    case attribute_kind::flag:
    case attribute_kind::real:
    case attribute_kind::fused:
    case attribute_kind::choice: break;
  }
  return count < left.size() ? count : left.size();
}

namespace detail {
template <class T> inline constexpr bool is_real_list = false;
template <int N> inline constexpr bool is_real_list<real_list<N>> = true;

template <class T> constexpr attribute_kind kind_of() {
  if constexpr (std::is_same_v<T, bool>) return attribute_kind::flag;
  else if constexpr (std::is_same_v<T, float>) return attribute_kind::real;
  else if constexpr (std::is_same_v<T, extent2>) return attribute_kind::extent;
  else if constexpr (std::is_same_v<T, pads>) return attribute_kind::padding;
  else if constexpr (std::is_same_v<T, activation>) return attribute_kind::fused;
  else if constexpr (__is_enum(T)) return attribute_kind::choice;
  else if constexpr (std::is_same_v<T, std::int64_t>) return attribute_kind::integer;
  else if constexpr (is_real_list<T>) return attribute_kind::reals;
  else return attribute_kind::list;
}
/// Copies the first Count fields.
template <int Count>
constexpr std::array<attribute_field, static_cast<std::size_t>(Count)> first_fields(const attribute_field* from) {
  std::array<attribute_field, static_cast<std::size_t>(Count)> list{};
  for (int i = 0; i < Count; ++i) list[static_cast<std::size_t>(i)] = from[i];
  return list;
}
/// Visitor that collects the fields of a record. More fields than the array holds fail in constant evaluation.
struct field_lister {
  attribute_field fields[16];
  int count = 0;
  template <class T> constexpr void operator()(const char* name, const T& made) {
    bool is_set = false;
    if constexpr (std::is_same_v<T, bool>) is_set = made;
    fields[count++] = {name, kind_of<T>(), is_set};
  }
};
template <class Attrs> struct field_table {
  static constexpr field_lister listed = [] {
    field_lister lister;
    const Attrs attrs;
    for_each_attribute(attrs, lister);
    return lister;
  }();
  static constexpr auto fields = first_fields<listed.count>(listed.fields);
};
}  // namespace detail

/// Fields of a record, in order.
template <class Attrs> constexpr array_ref<const attribute_field> attribute_fields() {
  return detail::field_table<Attrs>::fields;
}

/// Whether an attribute has its default.
template <class Attrs> constexpr bool is_default(const Attrs& attrs, std::string_view name) {
  pool<word> given, made;
  pack(attrs, given);
  pack(Attrs{}, made);
  array_ref<const word> a = given, b = made;
  for (const attribute_field& field : attribute_fields<Attrs>()) {
    const std::size_t count = words_of(field.kind, a), other = words_of(field.kind, b);
    if (field.name == name) {
      bool is_equal = count == other;
      for (std::size_t i = 0; is_equal && i < count; ++i) is_equal = a[i] == b[i];
      return is_equal;
    }
    a = a.subspan(count), b = b.subspan(other);
  }
  return false;
}

/// Attributes of an operator without attributes.
struct no_attributes {
  NNRT_ATTRIBUTES(no_attributes);
};

/// Index of the word with the fused activation in the packed record; -1: the operator has none.
template <class Attrs> constexpr int fused_word() {
  if constexpr (requires { requires std::is_same_v<decltype(Attrs::fused), activation>; }) {
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

}}  // namespace nnrt::NNRT_ISA
