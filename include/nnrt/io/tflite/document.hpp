// document: a .tflite file whose bytes have been verified - its root, its one subgraph, its buffers.
// Flow: load() opens one; readers ask it for records and believe what these say, but no index.
#pragma once

#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/tflite/schema.hpp>

#include <string>

namespace nnrt::inline NNRT_ISA::tflite {

/// A verified file of one subgraph. Borrows the bytes.
class document {
 public:
  /// The bytes begin at a multiple of 16. Errors: invalid_file (what is no FlatBuffer of this kind, or points outside
  /// of itself), not_supported (another version than 3; several subgraphs, which control flow needs).
  [[gnu::cold]] static result<document> verify(std::span<const std::byte> file);

  record<schema::subgraph> graph() const { return root_[schema::model::subgraphs][0]; }
  /// Operator `index` of the file's list; a record without fields when the list is shorter.
  record<schema::operator_code> code(std::uint32_t index) const {
    return at(root_[schema::model::operator_codes], index);
  }
  std::size_t code_count() const { return root_[schema::model::operator_codes].size(); }
  record<schema::buffer> buffer(std::uint32_t index) const { return at(root_[schema::model::buffers], index); }
  std::size_t buffer_count() const { return root_[schema::model::buffers].size(); }
  std::size_t size() const { return file_.size(); }

  /// Whether a table whose kind was not known before is in order.
  template <class T> bool fits(const flatbuffers::Table* at) { return checks_.fits<T>(at); }

 private:
  explicit document(std::span<const std::byte> file) : file_(file), checks_(file) {}
  [[gnu::cold]] result<void> check();

  template <class T> static record<T> at(records<T> list, std::uint32_t index) {
    return index < list.size() ? list[index] : record<T>();
  }

  std::span<const std::byte> file_;
  verifier checks_;
  record<schema::model> root_;
};

// --- details ---------------------------------------------------------------
namespace detail {

/// What is wrong with a file before anything in it is looked at; empty when nothing is.
[[gnu::cold]] inline std::string fault_of_head(std::span<const std::byte> file) {
  constexpr std::string_view identifier = "TFL3";
  const auto size = file.size();
  if (file.size() < 8) return joined({"got ", size, " bytes, expected a FlatBuffer of at least 8"});
  if (file.size() > longest_flatbuffer)
    return joined({"got ", size, " bytes, expected a FlatBuffer of at most ", longest_flatbuffer});
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
                "a table, list or string of the FlatBuffer lies outside of the file, or there are too many");
  root_ = record<schema::model>(root);
  if (const auto version = root_[schema::model::version]; version != 3)
    return fail(error_code::not_supported, joined({"schema version: got ", version, ", expected 3"}));
  const std::size_t graphs = root_[schema::model::subgraphs].size();
  if (graphs == 0) return fail(error_code::invalid_file, "subgraphs: got none, expected 1");
  if (graphs > 1)
    return fail(error_code::not_supported,
                joined({"subgraphs: got ", graphs, ", expected 1 (control flow between subgraphs is not supported)"}));
  return {};
}

}  // namespace nnrt::inline NNRT_ISA::tflite
