// flatbuffer: verifies the tables of a FlatBuffer and reads their fields by slot number.
// Flow: schema.hpp names the fields of .tflite files, document.hpp verifies a file, readers get fields from tables.
#pragma once

#include <nnrt/io/file_view.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

// The FlatBuffers library is not used: its reader and verifier cannot run in constant evaluation. Source: the format's
// description; tests compare the results with that library.

/// A number in a table: its slot, and its default value where the file omits it.
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
/// A table whose kind is the number in the preceding field. It is verified when its kind is known.
struct one_of {
  int slot;
};

/// The file offset of a table. Without a file there is no table.
struct table_place {
  file_bytes file;
  std::size_t at = 0;
  constexpr explicit operator bool() const { return static_cast<bool>(file); }
};

namespace detail {

/// Follows the offset at `at`; it is relative to its own position.
constexpr std::size_t followed(const file_bytes& file, std::size_t at) { return at + file.number<std::uint32_t>(at); }
/// Offset of a table's list of fields (vtable). The table begins with the distance back to it. The list has two sizes,
/// then an offset for each slot.
constexpr std::size_t fields_of(const table_place& from) {
  return static_cast<std::size_t>(static_cast<std::int64_t>(from.at) - from.file.number<std::int32_t>(from.at));
}
constexpr std::size_t entry_of(int slot) { return 4 + 2 * static_cast<std::size_t>(slot); }
/// File offset of field `slot` of a table, given its list of fields; 0 when the file omits the field.
constexpr std::size_t field_of(const table_place& from, std::size_t fields, int slot) {
  const std::size_t entry = entry_of(slot);
  if (entry >= from.file.number<std::uint16_t>(fields)) return 0;
  const std::size_t offset = from.file.number<std::uint16_t>(fields + entry);
  return offset == 0 ? 0 : from.at + offset;
}
constexpr std::size_t field_of(const table_place& from, int slot) { return field_of(from, fields_of(from), slot); }

}  // namespace detail

/// A verified list of numbers, at any address.
template <class T> class list {
 public:
  constexpr list() = default;
  /// The list at this offset, which begins with its length.
  constexpr list(const file_bytes& file, std::size_t at)
      : file_(file), at_(at + 4), count_(file.number<std::uint32_t>(at)) {}

  constexpr std::size_t size() const { return count_; }
  constexpr bool empty() const { return count_ == 0; }
  constexpr T operator[](std::size_t i) const { return file_.number<T>(at_ + i * sizeof(T)); }
  /// File offset of its first number; its numbers as bytes.
  constexpr std::size_t at() const { return at_; }
  constexpr std::string_view bytes() const { return file_.bytes(at_, count_ * sizeof(T)); }

 private:
  file_bytes file_;
  std::size_t at_ = 0;
  std::size_t count_ = 0;
};

template <class T> class tables_of;

/// The first field of a verified table after the `known` fields of its schema; -1 when there is none. Writers end the
/// list of fields with a field that is present. So at most 64 slots are examined, and a longer list counts as one with
/// a newer field.
[[gnu::cold]] constexpr int first_newer_field(const table_place& from, int known) {
  constexpr int max_looked_at = 64;
  if (!from) return -1;
  const int entries = (from.file.number<std::uint16_t>(detail::fields_of(from)) - 4) / 2;
  for (int slot = known; slot < entries; ++slot)
    if (slot - known == max_looked_at || detail::field_of(from, slot) != 0) return slot;
  return -1;
}

/// A verified table of kind T. An omitted table is empty: each field has its default value.
template <class T> class table_of {
 public:
  constexpr table_of() = default;
  constexpr explicit table_of(const table_place& place)
      : place_(place), fields_(place ? detail::fields_of(place) : 0) {}
  constexpr explicit operator bool() const { return static_cast<bool>(place_); }

  template <class S> constexpr S operator[](const scalar<S>& field) const {
    const std::size_t at = found(field.slot);
    return at == 0 ? field.value : place_.file.number<S>(at);
  }
  template <class S> constexpr list<S> operator[](const vector<S>& field) const {
    const std::size_t at = found(field.slot);
    return at == 0 ? list<S>() : list<S>(place_.file, detail::followed(place_.file, at));
  }
  template <class S> constexpr table_of<S> operator[](const table<S>& field) const {
    return table_of<S>((*this)[one_of{field.slot}]);
  }
  template <class S> constexpr tables_of<S> operator[](const tables<S>& field) const {
    const std::size_t at = found(field.slot);
    return at == 0 ? tables_of<S>() : tables_of<S>(place_.file, detail::followed(place_.file, at));
  }
  constexpr std::string_view operator[](text field) const { return (*this)[vector<std::uint8_t>{field.slot}].bytes(); }
  constexpr table_place operator[](one_of field) const {
    const std::size_t at = found(field.slot);
    return at == 0 ? table_place() : table_place{place_.file, detail::followed(place_.file, at)};
  }
  /// File offset of the table; 0 for an omitted one.
  constexpr std::size_t at() const { return place_.at; }
  /// The first field that T does not know; -1 when there is none.
  constexpr int newer_field() const { return first_newer_field(place_, T::fields); }

 private:
  constexpr std::size_t found(int slot) const { return place_ ? detail::field_of(place_, fields_, slot) : 0; }

  table_place place_;
  std::size_t fields_ = 0;  // offset of its list of fields
};

/// A verified list of tables.
template <class T> class tables_of {
 public:
  constexpr tables_of() = default;
  constexpr tables_of(const file_bytes& file, std::size_t at) : file_(file), at_(at) {}

  constexpr std::size_t size() const { return file_ ? file_.number<std::uint32_t>(at_) : 0; }
  constexpr table_of<T> operator[](std::size_t i) const {
    return table_of<T>(table_place{file_, detail::followed(file_, at_ + 4 + 4 * i)});
  }

 private:
  file_bytes file_;
  std::size_t at_ = 0;
};

/// Verifies that all that a table refers to is inside the file. A kind of table T has T::each(f), which calls f(field)
/// for its fields and stops at the first invalid one. The file is shorter than max_flatbuffer. Offsets and numbers must
/// be aligned to their size, relative to the file's begin.
class verifier {
  /// A table whose list of fields is inside the file.
  struct opened {
    std::size_t at = 0, fields = 0, size = 0;  // offset of the table; offset of its list, and the list's size in bytes
  };

  // Declared first: in constant evaluation clang 16 finds no member template that is declared after its use.
  template <class S> constexpr bool has_number(std::size_t at) const {
    return (at & (sizeof(S) - 1)) == 0 && has(at, sizeof(S));
  }

 public:
  constexpr explicit verifier(const file_view& file) : file_(file) {}

  /// Verifies the root table. Returns its place; none when it or anything it refers to is invalid.
  template <class T> constexpr table_place root() {
    const std::size_t to = target(0);
    const table_place found{file_, to};
    return to != 0 && fits<T>(found) ? found : table_place();
  }
  /// Verifies a table and all that it refers to. An omitted table is valid.
  template <class T> constexpr bool fits(const table_place& from) { return !from || fits_at<T>(from.at); }

 private:
  // Many tables may refer to one: without limits a small file could keep the verifier busy forever.
  static constexpr int max_nested = 16, max_tables = 1'000'000;

  template <class T> constexpr bool fits_at(std::size_t at) {
    const opened table = open(at);
    if (table.at == 0) return false;
    const bool is_in_order = T::each([&](const auto& field) { return holds(table, field); });
    --depth_;
    return is_in_order;
  }
  /// Checks a table's list of fields. On an error the result has `at` 0, where no table is.
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

  /// True when `size` bytes at this offset are inside the file, and are not the whole file.
  constexpr bool has(std::size_t at, std::size_t size) const {
    return size < file_.size() && at <= file_.size() - size;
  }
  /// The target of the offset at this place; 0 when it is outside the file.
  constexpr std::size_t target(std::size_t at) const {
    if (!has_number<std::uint32_t>(at)) return 0;
    const auto offset = file_.number<std::int32_t>(at);
    return offset > 0 && has(at + static_cast<std::size_t>(offset), 1) ? at + static_cast<std::size_t>(offset) : 0;
  }
  /// File offset of a field; 0 when the file omits it.
  constexpr std::size_t field_of(const opened& table, int slot) const {
    const std::size_t entry = detail::entry_of(slot);
    if (entry >= table.size) return 0;
    const std::size_t offset = file_.number<std::uint16_t>(table.fields + entry);
    return offset == 0 ? 0 : table.at + offset;
  }
  /// True when the list at this offset is inside the file; each element has `size` bytes.
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

/// Largest size of a FlatBuffer: its offsets have 32 bits, signed.
inline constexpr std::size_t max_flatbuffer = (std::size_t{1} << 31) - 2;

}}}  // namespace nnrt::NNRT_ISA::tflite
