// document: a .tflite or .circle file whose bytes have been verified - its root, its subgraphs, signatures, buffers.
// Flow: load() opens one; readers ask it for records and believe what these say, but no index.
#pragma once

#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/tflite/schema.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// Bytes of a file.
struct byte_range {
  std::size_t at = 0, size = 0;
  constexpr bool empty() const { return size == 0; }
};

/// A verified file. Borrows the bytes.
class document {
  // Stands first: clang 16 finds no member template after its use, in constant evaluation.
  template <class T> static constexpr record<T> at(records<T> list, std::uint32_t index) {
    return index < list.size() ? list[index] : record<T>();
  }

 public:
  /// Errors: invalid_file (what is no FlatBuffer of this kind, or points outside
  /// of itself, or has no subgraph), not_supported (another version than 3, or 0 of a Circle file).
  [[gnu::cold]] static constexpr result<document> verify(const file_view& file);

  /// A file that has been verified before: constant evaluation does that once, and reads in several steps.
  [[gnu::cold]] static constexpr document trusted(const file_view& file) {
    document made(file);
    made.root_ = record<schema::model>(table_place{file, detail::followed(file, 0)});
    return made;
  }

  /// Subgraph `index`; a record without fields when there are fewer.
  constexpr record<schema::subgraph> graph(std::uint32_t index) const {
    return at(root_[schema::model::subgraphs], index);
  }
  constexpr std::size_t graph_count() const { return root_[schema::model::subgraphs].size(); }
  constexpr records<schema::signature_def> signatures() const { return root_[schema::model::signature_defs]; }
  /// Operator `index` of the file's list; a record without fields when the list is shorter.
  constexpr record<schema::operator_code> code(std::uint32_t index) const {
    return at(root_[schema::model::operator_codes], index);
  }
  constexpr std::size_t code_count() const { return root_[schema::model::operator_codes].size(); }
  /// Whether the bytes of a buffer, which may stand behind the FlatBuffer, lie in the file.
  [[gnu::cold]] constexpr bool holds_buffer(std::uint32_t index) const {
    const record<schema::buffer> b = buffer_record(index);
    const std::uint64_t offset = b[schema::buffer::offset], size = b[schema::buffer::size];
    return !is_behind(b) || (offset <= file_.size() && size <= file_.size() - offset);
  }
  /// Where those bytes are; none when they do not.
  [[gnu::cold]] constexpr byte_range buffer(std::uint32_t index) const;
  /// The record of a buffer, for what its table says beside its bytes.
  constexpr record<schema::buffer> buffer_record(std::uint32_t index) const {
    return at(root_[schema::model::buffers], index);
  }
  constexpr std::size_t buffer_count() const { return root_[schema::model::buffers].size(); }
  constexpr std::size_t size() const { return file_.size(); }
  /// Whether it is a Circle file, of Samsung's ONE: the same tables, and some operators more.
  constexpr bool is_circle() const { return file_.bytes(4, 4) == "CIR0"; }
  /// The file's bytes.
  constexpr const file_view& bytes() const { return file_; }

  /// Whether a table whose kind was not known before is in order.
  template <class T> constexpr bool fits(const table_place& from) { return checks_.fits<T>(from); }
  /// The numbers of a table of this kind; none when it is not in order.
  template <class T> constexpr list<T> numbers(const table_place& from) const {
    verifier checks(file_.first(max_flatbuffer));
    using kind = schema::number_list<T>;
    return checks.fits<kind>(from) ? record<kind>(from)[kind::values] : list<T>();
  }

 private:
  // Behind the FlatBuffer there may be more than it can hold.
  constexpr explicit document(const file_view& file) : file_(file), checks_(file.first(max_flatbuffer)) {}
  [[gnu::cold]] constexpr result<void> check();

  static constexpr bool is_behind(record<schema::buffer> b) { return b[schema::buffer::offset] > 1; }

  file_view file_;
  verifier checks_;
  record<schema::model> root_;
};

// --- details ---------------------------------------------------------------
namespace detail {

/// Says that a table has a field which the schema read here does not have; empty when it has none.
template <class T> [[gnu::cold]] constexpr pool<char> fault_of_fields(record<T> table) {
  const int slot = table.newer_field();
  if (slot < 0) return {};
  return letters(
      {T::kind, ": field ", slot, " is newer than the schema that nnrt reads, which ends with field ", T::fields - 1});
}

/// What is wrong with a file before anything in it is looked at; empty when nothing is.
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
  root_ = record<schema::model>(root);
  const std::uint32_t expected = is_circle() ? 0 : 3;
  if (const auto version = root_[schema::model::version]; version != expected)
    return fail(error_code::not_supported, {"schema version: got ", version, ", expected ", expected});
  if (auto fault = detail::fault_of_fields(root_); !fault.empty()) return fail(error_code::not_supported, fault);
  if (graph_count() == 0) return fail(error_code::invalid_file, "subgraphs: got none, expected at least 1");
  return {};
}

[[gnu::cold]] constexpr byte_range document::buffer(std::uint32_t index) const {
  const record<schema::buffer> b = buffer_record(index);
  if (!is_behind(b)) return {b[schema::buffer::data].at(), b[schema::buffer::data].size()};
  if (!holds_buffer(index)) return {};
  return {static_cast<std::size_t>(b[schema::buffer::offset]), static_cast<std::size_t>(b[schema::buffer::size])};
}

}}}  // namespace nnrt::NNRT_ISA::tflite
