// document: a verified .tflite or .circle file, with access to its root, subgraphs, signatures and buffers.
// Flow: load() verifies a file; readers get tables from it and check every index themselves.
#pragma once

#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/tflite/schema.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// A verified file. Borrows the bytes.
class document {
  // Declared first: in constant evaluation clang 16 finds no member template that is declared after its use.
  template <class T> static constexpr table_of<T> at(tables_of<T> list, std::uint32_t index) {
    return index < list.size() ? list[index] : table_of<T>();
  }

 public:
  /// Verifies a file. Errors: invalid_file (not a FlatBuffer of this kind, an offset outside the file, no subgraph),
  /// not_supported (a schema version other than 3, or other than 0 for a Circle file).
  [[gnu::cold]] static constexpr result<document> verify(const file_view& file);

  /// Opens a file that was verified before. Constant evaluation verifies once and reads in several steps.
  [[gnu::cold]] static constexpr document trusted(const file_view& file) {
    document made(file);
    made.root_ = table_of<schema::model>(table_place{file, detail::followed(file, 0)});
    return made;
  }

  /// Subgraph `index`. Out of range: a table without fields.
  constexpr table_of<schema::subgraph> graph(std::uint32_t index) const {
    return at(root_[schema::model::subgraphs], index);
  }
  constexpr std::size_t graph_count() const { return root_[schema::model::subgraphs].size(); }
  constexpr tables_of<schema::signature_def> signatures() const { return root_[schema::model::signature_defs]; }
  /// Entry `index` of the file's operator list. Out of range: a table without fields.
  constexpr table_of<schema::operator_code> code(std::uint32_t index) const {
    return at(root_[schema::model::operator_codes], index);
  }
  constexpr std::size_t code_count() const { return root_[schema::model::operator_codes].size(); }
  /// True when the bytes of a buffer are inside the file. They may follow the FlatBuffer.
  [[gnu::cold]] constexpr bool holds_buffer(std::uint32_t index) const {
    const table_of<schema::buffer> b = buffer_table(index);
    const std::uint64_t offset = b[schema::buffer::offset], size = b[schema::buffer::size];
    return !is_behind(b) || (offset <= file_.size() && size <= file_.size() - offset);
  }
  /// The byte range of a buffer. Empty when it is outside the file.
  [[gnu::cold]] constexpr byte_range buffer(std::uint32_t index) const;
  /// The table of a buffer.
  constexpr table_of<schema::buffer> buffer_table(std::uint32_t index) const {
    return at(root_[schema::model::buffers], index);
  }
  constexpr std::size_t buffer_count() const { return root_[schema::model::buffers].size(); }
  constexpr std::size_t size() const { return file_.size(); }
  /// True for a Circle file, of Samsung's ONE: it has the same tables, and more operators.
  constexpr bool is_circle() const { return file_.bytes(4, 4) == "CIR0"; }
  /// The file's bytes.
  constexpr const file_view& bytes() const { return file_; }

  /// Verifies a table whose kind was unknown during verification of the file.
  template <class T> constexpr bool fits(const table_place& from) { return checks_.fits<T>(from); }
  /// The numbers of a table of this kind. Empty when the table is not valid.
  template <class T> constexpr list<T> numbers(const table_place& from) const {
    verifier checks(file_.first(max_flatbuffer));
    using kind = schema::number_list<T>;
    return checks.fits<kind>(from) ? table_of<kind>(from)[kind::values] : list<T>();
  }

 private:
  // Buffers after the FlatBuffer may exceed the size that a FlatBuffer can have.
  constexpr explicit document(const file_view& file) : file_(file), checks_(file.first(max_flatbuffer)) {}
  [[gnu::cold]] constexpr result<void> check();

  static constexpr bool is_behind(table_of<schema::buffer> b) { return b[schema::buffer::offset] > 1; }

  file_view file_;
  verifier checks_;
  table_of<schema::model> root_;
};

// --- details ---------------------------------------------------------------
namespace detail {

/// Checks that a table has no field newer than the schema read here. Returns an error message; empty: no error.
template <class T> [[gnu::cold]] constexpr pool<char> fault_of_fields(table_of<T> table) {
  const int slot = table.newer_field();
  if (slot < 0) return {};
  return letters(
      {T::kind, ": field ", slot, " is newer than the schema that nnrt reads, which ends with field ", T::fields - 1});
}

/// Checks size and file identifier. Returns an error message; empty: no error.
[[gnu::cold]] constexpr pool<char> fault_of_head(const file_view& file) {
  constexpr std::string_view identifier = "TFL3", circle = "CIR0";
  if (file.size() < 8) return letters({"got ", file.size(), " bytes, expected a FlatBuffer of at least 8"});
  const std::string_view found = file.bytes(4, identifier.size());
  if (found != identifier && found != circle)
    return letters({"file identifier: got ", piece::in_quotes(found), ", expected ", piece::in_quotes(identifier),
                    " or ", piece::in_quotes(circle)});
  return {};
}

}  // namespace detail

[[gnu::cold]] constexpr result<document> document::verify(const file_view& file) {
  if (auto fault = detail::fault_of_head(file); !fault.empty()) return fail(error_code::invalid_file, fault);
  document made(file);
  if (auto ok = made.check(); !ok) return fail(std::move(ok.error()));
  return made;
}

[[gnu::cold]] constexpr result<void> document::check() {
  const table_place root = checks_.root<schema::model>();
  if (!root)
    return fail(error_code::invalid_file,
                {"a table, list or string of the FlatBuffer lies outside of the file, which has ", file_.size(),
                 " bytes, or there are too many"});
  root_ = table_of<schema::model>(root);
  const std::uint32_t expected = is_circle() ? 0 : 3;
  if (const auto version = root_[schema::model::version]; version != expected)
    return fail(error_code::not_supported, {"schema version: got ", version, ", expected ", expected});
  if (auto fault = detail::fault_of_fields(root_); !fault.empty()) return fail(error_code::not_supported, fault);
  if (graph_count() == 0) return fail(error_code::invalid_file, "subgraphs: got none, expected at least 1");
  return {};
}

[[gnu::cold]] constexpr byte_range document::buffer(std::uint32_t index) const {
  const table_of<schema::buffer> b = buffer_table(index);
  if (!is_behind(b)) return {b[schema::buffer::data].at(), b[schema::buffer::data].size()};
  if (!holds_buffer(index)) return {};
  return {static_cast<std::size_t>(b[schema::buffer::offset]), static_cast<std::size_t>(b[schema::buffer::size])};
}

}}}  // namespace nnrt::NNRT_ISA::tflite
