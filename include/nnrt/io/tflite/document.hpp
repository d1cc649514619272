// document: a .tflite file whose bytes have been verified - its root, its subgraphs, its signatures, its buffers.
// Flow: load() opens one; readers ask it for records and believe what these say, but no index.
#pragma once

#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/tflite/schema.hpp>

#include <string>

namespace nnrt::inline NNRT_ISA::tflite {

/// A verified file. Borrows the bytes.
class document {
 public:
  /// The bytes begin at a multiple of 16. Errors: invalid_file (what is no FlatBuffer of this kind, or points outside
  /// of itself, or has no subgraph), not_supported (another version than 3).
  [[gnu::cold]] static result<document> verify(std::span<const std::byte> file);

  /// Subgraph `index`; a record without fields when there are fewer.
  record<schema::subgraph> graph(std::uint32_t index) const { return at(root_[schema::model::subgraphs], index); }
  std::size_t graph_count() const { return root_[schema::model::subgraphs].size(); }
  records<schema::signature_def> signatures() const { return root_[schema::model::signature_defs]; }
  /// Operator `index` of the file's list; a record without fields when the list is shorter.
  record<schema::operator_code> code(std::uint32_t index) const {
    return at(root_[schema::model::operator_codes], index);
  }
  std::size_t code_count() const { return root_[schema::model::operator_codes].size(); }
  /// Whether the bytes of a buffer, which may stand behind the FlatBuffer, lie in the file.
  [[gnu::cold]] bool holds_buffer(std::uint32_t index) const {
    const record<schema::buffer> b = buffer_record(index);
    const std::uint64_t offset = b[schema::buffer::offset], size = b[schema::buffer::size];
    return !is_behind(b) || (offset <= file_.size() && size <= file_.size() - offset);
  }
  /// Those bytes; none when they do not.
  [[gnu::cold]] std::span<const std::byte> buffer(std::uint32_t index) const;
  /// The record of a buffer, for what its table says beside its bytes.
  record<schema::buffer> buffer_record(std::uint32_t index) const { return at(root_[schema::model::buffers], index); }
  std::size_t buffer_count() const { return root_[schema::model::buffers].size(); }
  std::size_t size() const { return file_.size(); }

  /// Whether a table whose kind was not known before is in order.
  template <class T> bool fits(const flatbuffers::Table* at) { return checks_.fits<T>(at); }

 private:
  // Behind the FlatBuffer there may be more than it can hold.
  explicit document(std::span<const std::byte> file)
      : file_(file), checks_(file.first(file.size() < longest_flatbuffer ? file.size() : longest_flatbuffer)) {}
  [[gnu::cold]] result<void> check();

  template <class T> static record<T> at(records<T> list, std::uint32_t index) {
    return index < list.size() ? list[index] : record<T>();
  }

  static bool is_behind(record<schema::buffer> b) { return b[schema::buffer::offset] > 1; }

  std::span<const std::byte> file_;
  verifier checks_;
  record<schema::model> root_;
};

// --- details ---------------------------------------------------------------
namespace detail {

/// Says that a table has a field which the schema read here does not have; empty when it has none.
template <class T> [[gnu::cold]] std::string fault_of_fields(record<T> table) {
  const int slot = table.newer_field();
  if (slot < 0) return {};
  return joined({T::kind, ": field ", slot, " is newer than the schema that nnrt reads, which ends with field ", T::fields - 1});
}

/// What is wrong with a file before anything in it is looked at; empty when nothing is.
[[gnu::cold]] inline std::string fault_of_head(std::span<const std::byte> file) {
  constexpr std::string_view identifier = "TFL3";
  if (file.size() < 8) return joined({"got ", file.size(), " bytes, expected a FlatBuffer of at least 8"});
  const std::string_view found(reinterpret_cast<const char*>(file.data()) + 4, identifier.size());
  if (found != identifier)
    return joined({"file identifier: got ", piece::in_quotes(found), ", expected ", piece::in_quotes(identifier)});
  return {};
}

}  // namespace detail

[[gnu::cold]] inline result<document> document::verify(std::span<const std::byte> file) {
  if (auto fault = detail::fault_of_head(file); !fault.empty()) return fail(error_code::invalid_file, std::move(fault));
  document made(file);
  if (auto ok = made.check(); !ok) return fail(std::move(ok.error()));
  return made;
}

[[gnu::cold]] inline result<void> document::check() {
  const flatbuffers::Table* const root = checks_.root<schema::model>();
  if (root == nullptr)
    return fail(error_code::invalid_file,
                {"a table, list or string of the FlatBuffer lies outside of the file, which has ", file_.size(), " bytes, or there are too many"});
  root_ = record<schema::model>(root);
  if (const auto version = root_[schema::model::version]; version != 3)
    return fail(error_code::not_supported, {"schema version: got ", version, ", expected 3"});
  if (auto fault = detail::fault_of_fields(root_); !fault.empty()) return fail(error_code::not_supported, std::move(fault));
  if (graph_count() == 0) return fail(error_code::invalid_file, "subgraphs: got none, expected at least 1");
  return {};
}

[[gnu::cold]] inline std::span<const std::byte> document::buffer(std::uint32_t index) const {
  const record<schema::buffer> b = buffer_record(index);
  if (!is_behind(b)) return b[schema::buffer::data].bytes();
  if (!holds_buffer(index)) return {};
  return file_.subspan(static_cast<std::size_t>(b[schema::buffer::offset]),
                       static_cast<std::size_t>(b[schema::buffer::size]));
}

}  // namespace nnrt::inline NNRT_ISA::tflite
