// flatbuffer: reading and verifying tables of a FlatBuffer by the numbers of their fields.
// Flow: schema.hpp names the fields of .tflite files, document.hpp verifies a file, readers ask records for fields.
#pragma once

#include <nnrt/io/file_view.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

// Not the FlatBuffers library: its reader and its verifier cannot run in constant evaluation. Source: the format's
// description, facts of which the tests compare with that library.

/// A number in a table: the slot of its field, and what it is where the file leaves it out.
template <class T> struct scalar {
  int slot;
  T value{};
};
/// A list of numbers in a table.
template <class T> struct vector {
  int slot;
};
/// A table in a table.
template <class T> struct table {
  int slot;
};
/// A list of tables in a table.
template <class T> struct tables {
  int slot;
};
/// A string in a table.
struct text {
  int slot;
};
/// A table whose kind a number in the field before it tells. It is verified when its kind is known.
struct one_of {
  int slot;
};

/// Where a table begins: an offset in the file; without a file there is no table.
struct table_place {
  file_bytes file;
  std::size_t at = 0;
  constexpr explicit operator bool() const { return static_cast<bool>(file); }
};

namespace detail {

/// An offset counts from where it stands.
constexpr std::size_t followed(const file_bytes& file, std::size_t at) { return at + file.number<std::uint32_t>(at); }
/// A table begins with the distance back to its list of fields: two sizes, then an offset for each slot.
constexpr std::size_t fields_of(const table_place& from) {
  return static_cast<std::size_t>(static_cast<std::int64_t>(from.at) - from.file.number<std::int32_t>(from.at));
}
constexpr std::size_t entry_of(int slot) { return 4 + 2 * static_cast<std::size_t>(slot); }
/// Where field `slot` of a table stands whose list of fields is known; 0 when the file leaves it out.
constexpr std::size_t field_of(const table_place& from, std::size_t fields, int slot) {
  const std::size_t entry = entry_of(slot);
  if (entry >= from.file.number<std::uint16_t>(fields)) return 0;
  const std::size_t offset = from.file.number<std::uint16_t>(fields + entry);
  return offset == 0 ? 0 : from.at + offset;
}
constexpr std::size_t field_of(const table_place& from, int slot) { return field_of(from, fields_of(from), slot); }

}  // namespace detail

/// The numbers of a verified list, at any address.
template <class T> class list {
 public:
  constexpr list() = default;
  /// Of the list at this offset, which begins with the count of its numbers.
  constexpr list(const file_bytes& file, std::size_t at)
      : file_(file), at_(at + 4), count_(file.number<std::uint32_t>(at)) {}

  constexpr std::size_t size() const { return count_; }
  constexpr bool empty() const { return count_ == 0; }
  constexpr T operator[](std::size_t i) const { return file_.number<T>(at_ + i * sizeof(T)); }
  /// Where its first number lies in the file, and all of them as bytes.
  constexpr std::size_t at() const { return at_; }
  constexpr std::string_view bytes() const { return file_.bytes(at_, count_ * sizeof(T)); }

 private:
  file_bytes file_;
  std::size_t at_ = 0;
  std::size_t count_ = 0;
};

template <class T> class records;

/// The first field that a verified table has after the `known` ones of its schema; -1 when it has none. Writers end a
/// table's list of fields with one that is there, so that few are looked at: a list that goes on for longer counts as
/// one with such a field.
[[gnu::cold]] constexpr int first_newer_field(const table_place& from, int known) {
  constexpr int max_looked_at = 64;
  if (!from) return -1;
  const int entries = (from.file.number<std::uint16_t>(detail::fields_of(from)) - 4) / 2;
  for (int slot = known; slot < entries; ++slot)
    if (slot - known == max_looked_at || detail::field_of(from, slot) != 0) return slot;
  return -1;
}

/// A verified table of kind T, or one that the file leaves out: then every field has the value of a missing one.
template <class T> class record {
 public:
  constexpr record() = default;
  constexpr explicit record(const table_place& place) : place_(place), fields_(place ? detail::fields_of(place) : 0) {}
  constexpr explicit operator bool() const { return static_cast<bool>(place_); }

  template <class S> constexpr S operator[](const scalar<S>& field) const {
    const std::size_t at = found(field.slot);
    return at == 0 ? field.value : place_.file.number<S>(at);
  }
  template <class S> constexpr list<S> operator[](const vector<S>& field) const {
    const std::size_t at = found(field.slot);
    return at == 0 ? list<S>() : list<S>(place_.file, detail::followed(place_.file, at));
  }
  template <class S> constexpr record<S> operator[](const table<S>& field) const {
    return record<S>((*this)[one_of{field.slot}]);
  }
  template <class S> constexpr records<S> operator[](const tables<S>& field) const {
    const std::size_t at = found(field.slot);
    return at == 0 ? records<S>() : records<S>(place_.file, detail::followed(place_.file, at));
  }
  constexpr std::string_view operator[](text field) const { return (*this)[vector<std::uint8_t>{field.slot}].bytes(); }
  constexpr table_place operator[](one_of field) const {
    const std::size_t at = found(field.slot);
    return at == 0 ? table_place() : table_place{place_.file, detail::followed(place_.file, at)};
  }
  /// Where the table begins in the file; 0 for one that is left out.
  constexpr std::size_t at() const { return place_.at; }
  /// The first field that T does not know; -1 when there is none.
  constexpr int newer_field() const { return first_newer_field(place_, T::fields); }

 private:
  constexpr std::size_t found(int slot) const { return place_ ? detail::field_of(place_, fields_, slot) : 0; }

  table_place place_;
  std::size_t fields_ = 0;  // where its list of fields is
};

/// The tables of a verified list.
template <class T> class records {
 public:
  constexpr records() = default;
  constexpr records(const file_bytes& file, std::size_t at) : file_(file), at_(at) {}

  constexpr std::size_t size() const { return file_ ? file_.number<std::uint32_t>(at_) : 0; }
  constexpr record<T> operator[](std::size_t i) const {
    return record<T>(table_place{file_, detail::followed(file_, at_ + 4 + 4 * i)});
  }

 private:
  file_bytes file_;
  std::size_t at_ = 0;
};

/// Follows the fields of tables and says whether everything lies in the file. A kind of table T has T::each(f), which
/// calls f(field) for its fields, up to the first that is refused. The file is shorter than max_flatbuffer; offsets
/// and numbers must lie at multiples of their size, counted from the file's begin.
class verifier {
  /// A table whose list of fields lies in the file.
  struct opened {
    std::size_t at = 0, fields = 0, size = 0;  // of the table; of its list, and its bytes
  };

  // These stand first: clang 16 finds no member template after its use, in constant evaluation.
  template <class S> constexpr bool has_number(std::size_t at) const {
    return (at & (sizeof(S) - 1)) == 0 && has(at, sizeof(S));
  }

 public:
  constexpr explicit verifier(const file_view& file) : file_(file) {}

  /// The table that the file begins with; none when it, or anything it points to, is not in order.
  template <class T> constexpr table_place root() {
    const std::size_t to = target(0);
    const table_place found{file_, to};
    return to != 0 && fits<T>(found) ? found : table_place();
  }
  /// Whether a table and all that it points to is in order; one that is left out is.
  template <class T> constexpr bool fits(const table_place& from) { return !from || fits_at<T>(from.at); }

 private:
  // Many tables may point to one: without a limit a small file could keep the verifier busy forever.
  static constexpr int max_nested = 16, max_tables = 1'000'000;

  template <class T> constexpr bool fits_at(std::size_t at) {
    const opened table = open(at);
    if (table.at == 0) return false;
    const bool is_in_order = T::each([&](const auto& field) { return holds(table, field); });
    --depth_;
    return is_in_order;
  }
  /// At 0, where no table is, when its fields lie outside.
  constexpr opened open(std::size_t from) {
    if (!has_number<std::int32_t>(from)) return {};
    const std::int64_t fields = static_cast<std::int64_t>(from) - file_.number<std::int32_t>(from);
    if (++depth_ > max_nested || ++tables_ > max_tables || fields < 0) return {};
    const auto at = static_cast<std::size_t>(fields);
    if (!has_number<std::uint16_t>(at)) return {};
    const std::size_t size = file_.number<std::uint16_t>(at);
    if (size % 2 != 0 || !has(at, size)) return {};
    return {from, at, size};
  }

  /// Whether `size` bytes at this offset lie in the file, and not all of it.
  constexpr bool has(std::size_t at, std::size_t size) const {
    return size < file_.size() && at <= file_.size() - size;
  }
  /// Where the offset at this place leads; 0 when that is no place in the file.
  constexpr std::size_t target(std::size_t at) const {
    if (!has_number<std::uint32_t>(at)) return 0;
    const auto offset = file_.number<std::int32_t>(at);
    return offset > 0 && has(at + static_cast<std::size_t>(offset), 1) ? at + static_cast<std::size_t>(offset) : 0;
  }
  /// Where a field stands; 0 when the file leaves it out.
  constexpr std::size_t field_of(const opened& table, int slot) const {
    const std::size_t entry = detail::entry_of(slot);
    if (entry >= table.size) return 0;
    const std::size_t offset = file_.number<std::uint16_t>(table.fields + entry);
    return offset == 0 ? 0 : table.at + offset;
  }
  /// Whether the list at this offset lies in the file; each element has `size` bytes.
  constexpr bool has_list(std::size_t at, std::size_t size) const {
    if (!has_number<std::uint32_t>(at)) return false;
    const std::size_t count = file_.number<std::uint32_t>(at);
    return count < (std::size_t{1} << 31) / size && has(at, 4 + count * size);
  }

  template <class S> constexpr bool holds(const opened& table, const scalar<S>& field) const {
    const std::size_t at = field_of(table, field.slot);
    return at == 0 || has_number<S>(at);
  }
  template <class S> constexpr bool holds(const opened& table, const vector<S>& field) const {
    const std::size_t field_at = field_of(table, field.slot);
    if (field_at == 0) return true;
    const std::size_t at = target(field_at);
    return at != 0 && has_list(at, sizeof(S));
  }
  constexpr bool holds(const opened& table, text field) const { return holds(table, vector<std::uint8_t>{field.slot}); }
  constexpr bool holds(const opened& table, one_of field) const {
    const std::size_t at = field_of(table, field.slot);
    return at == 0 || target(at) != 0;
  }
  template <class S> constexpr bool holds(const opened& from, const table<S>& field) {
    const std::size_t field_at = field_of(from, field.slot);
    if (field_at == 0) return true;
    const std::size_t at = target(field_at);
    return at != 0 && fits_at<S>(at);
  }
  template <class S> constexpr bool holds(const opened& table, const tables<S>& field) {
    const std::size_t field_at = field_of(table, field.slot);
    if (field_at == 0) return true;
    const std::size_t at = target(field_at);
    if (at == 0 || !has_list(at, 4)) return false;
    const std::size_t count = file_.number<std::uint32_t>(at);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t to = target(at + 4 + 4 * i);
      if (to == 0 || !fits_at<S>(to)) return false;
    }
    return true;
  }

  file_view file_;
  int depth_ = 0, tables_ = 0;
};

/// FlatBuffers count in 32 bits with a sign.
inline constexpr std::size_t max_flatbuffer = (std::size_t{1} << 31) - 2;

}}}  // namespace nnrt::NNRT_ISA::tflite
