// flatbuffer: reading and verifying tables of a FlatBuffer by the numbers of their fields.
// Flow: schema.hpp names the fields of .tflite files, document.hpp verifies a file, readers ask records for fields.
#pragma once

#include <nnrt/core/config.hpp>

#include <flatbuffers/table.h>
#include <flatbuffers/verifier.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace nnrt::inline NNRT_ISA::tflite {

// Not code that flatc generates: it asserts one version of flatbuffers, and users have others.

/// A number in a table: the slot of its field, and what it is where the file leaves it out.
template <class T> struct scalar {
  int slot;
  T value{};
};
/// A list of numbers in a table.
template <class T> struct vector { int slot; };
/// A table in a table.
template <class T> struct table { int slot; };
/// A list of tables in a table.
template <class T> struct tables { int slot; };
/// A string in a table.
struct text {
  int slot;
};
/// A table whose kind a number in the field before it tells. Nobody verifies it before somebody knows its kind.
struct one_of {
  int slot;
};

/// The numbers of a verified list. The format aligns none to more than four bytes, so they are copied out.
template <class T> class list {
 public:
  list() = default;
  explicit list(const flatbuffers::Vector<T>* at)
      : first_(at != nullptr ? at->Data() : nullptr), count_(at != nullptr ? at->size() : 0) {}

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  T operator[](std::size_t i) const {
    T number;
    std::memcpy(&number, first_ + i * sizeof(T), sizeof(T));
    return number;
  }
  std::span<const std::byte> bytes() const { return {reinterpret_cast<const std::byte*>(first_), count_ * sizeof(T)}; }

 private:
  const std::uint8_t* first_ = nullptr;
  std::size_t count_ = 0;
};

template <class T> class records;

namespace detail {
using table_list = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>>;

/// Where the offset of a field stands in the table of offsets, which begins with two sizes.
constexpr flatbuffers::voffset_t entry_of(int slot) { return static_cast<flatbuffers::voffset_t>(4 + 2 * slot); }
}  // namespace detail

/// The first field that a verified table has after the `known` ones of its schema; -1 when it has none. Writers end a table's list of fields
/// with one that is there, so that few are looked at: a list that goes on for longer counts as one with such a field.
[[gnu::cold]] inline int first_newer_field(const flatbuffers::Table* at, int known) {
  constexpr int most_looked_at = 64;
  if (at == nullptr) return -1;
  const int entries = (flatbuffers::ReadScalar<flatbuffers::voffset_t>(at->GetVTable()) - detail::entry_of(0)) / 2;
  for (int slot = known; slot < entries; ++slot)
    if (slot - known == most_looked_at || at->GetOptionalFieldOffset(detail::entry_of(slot)) != 0) return slot;
  return -1;
}

/// A verified table of kind T, or one that the file leaves out: then every field has the value of a missing one.
template <class T> class record {
 public:
  record() = default;
  explicit record(const flatbuffers::Table* at) : at_(at) {}
  explicit operator bool() const { return at_ != nullptr; }

  template <class S> S operator[](const scalar<S>& field) const {
    using stored = std::conditional_t<std::is_same_v<S, bool>, std::uint8_t, S>;
    if (at_ == nullptr) return field.value;
    return static_cast<S>(at_->GetField<stored>(detail::entry_of(field.slot), static_cast<stored>(field.value)));
  }
  template <class S> list<S> operator[](const vector<S>& field) const {
    return list<S>(pointer<flatbuffers::Vector<S>>(field.slot));
  }
  template <class S> record<S> operator[](const table<S>& field) const {
    return record<S>(pointer<flatbuffers::Table>(field.slot));
  }
  template <class S> records<S> operator[](const tables<S>& field) const {
    return records<S>(pointer<detail::table_list>(field.slot));
  }
  std::string_view operator[](text field) const {
    const auto letters = (*this)[vector<std::uint8_t>{field.slot}].bytes();
    return {reinterpret_cast<const char*>(letters.data()), letters.size()};
  }
  const flatbuffers::Table* operator[](one_of field) const { return pointer<flatbuffers::Table>(field.slot); }
  /// The first field that T does not know; -1 when there is none.
  int newer_field() const { return first_newer_field(at_, T::fields); }

 private:
  template <class S> const S* pointer(int slot) const {
    return at_ == nullptr ? nullptr : at_->GetPointer<const S*>(detail::entry_of(slot));
  }

  const flatbuffers::Table* at_ = nullptr;
};

/// The tables of a verified list.
template <class T> class records {
 public:
  explicit records(const detail::table_list* at) : at_(at) {}

  std::size_t size() const { return at_ != nullptr ? at_->size() : 0; }
  record<T> operator[](std::size_t i) const { return record<T>(at_->Get(static_cast<flatbuffers::uoffset_t>(i))); }

 private:
  const detail::table_list* at_;
};

/// Follows the fields of tables and says whether everything lies in the file. A kind of table T has T::each(f), which
/// calls f(field) for its fields, up to the first that is refused. The file begins at a multiple of eight bytes and is
/// shorter than longest_flatbuffer.
class verifier {
 public:
  explicit verifier(std::span<const std::byte> file)
      : start_(reinterpret_cast<const std::uint8_t*>(file.data())),
        checks_(start_, file.size(), most_nested, most_tables) {}

  /// The table that the file begins with; nullptr when it, or anything it points to, is not in order.
  template <class T> const flatbuffers::Table* root() {
    const flatbuffers::uoffset_t to = checks_.VerifyOffset(0);
    const auto* found = reinterpret_cast<const flatbuffers::Table*>(start_ + to);
    return to != 0 && fits<T>(found) ? found : nullptr;
  }
  /// Whether a table and all that it points to is in order; one that is left out is.
  template <class T> bool fits(const flatbuffers::Table* at) {
    if (at == nullptr) return true;
    return at->VerifyTableStart(checks_) && T::each([&](const auto& field) { return holds(at, field); }) &&
           checks_.EndTable();
  }

 private:
  // Many tables may point to one: without a limit a small file could keep the verifier busy forever.
  static constexpr flatbuffers::uoffset_t most_nested = 16, most_tables = 1'000'000;

  std::size_t place_of(const void* at) const {
    return static_cast<std::size_t>(static_cast<const std::uint8_t*>(at) - start_);
  }
  template <class S> static const S* pointer(const flatbuffers::Table* at, int slot) {
    return at->GetPointer<const S*>(detail::entry_of(slot));
  }

  template <class S> bool holds(const flatbuffers::Table* at, const scalar<S>& field) const {
    const flatbuffers::voffset_t found = at->GetOptionalFieldOffset(detail::entry_of(field.slot));
    return found == 0 || checks_.template Verify<S>(place_of(at) + found);
  }
  template <class S> bool holds(const flatbuffers::Table* at, const vector<S>& field) const {
    return at->VerifyOffset(checks_, detail::entry_of(field.slot)) &&
           checks_.VerifyVector(pointer<flatbuffers::Vector<S>>(at, field.slot));
  }
  bool holds(const flatbuffers::Table* at, text field) const { return holds(at, vector<std::uint8_t>{field.slot}); }
  bool holds(const flatbuffers::Table* at, one_of field) const {
    return at->VerifyOffset(checks_, detail::entry_of(field.slot));
  }
  template <class S> bool holds(const flatbuffers::Table* at, const table<S>& field) {
    return holds(at, one_of{field.slot}) && fits<S>(pointer<flatbuffers::Table>(at, field.slot));
  }
  template <class S> bool holds(const flatbuffers::Table* at, const tables<S>& field) {
    if (!holds(at, vector<flatbuffers::uoffset_t>{field.slot})) return false;
    const auto* list = pointer<flatbuffers::Vector<flatbuffers::uoffset_t>>(at, field.slot);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const std::size_t place = place_of(list->Data()) + i * sizeof(flatbuffers::uoffset_t);
      const flatbuffers::uoffset_t to = checks_.VerifyOffset(place);
      if (to == 0 || !fits<S>(reinterpret_cast<const flatbuffers::Table*>(start_ + place + to))) return false;
    }
    return true;
  }

  const std::uint8_t* start_;
  flatbuffers::Verifier checks_;
};

/// FlatBuffers count in 32 bits with a sign.
inline constexpr std::size_t longest_flatbuffer = (std::size_t{1} << 31) - 2;

}  // namespace nnrt::inline NNRT_ISA::tflite
