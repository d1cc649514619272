// safetensors_writer: writes safetensors files.
// Flow: make_weights.hpp, the calibrator and saved models save their tensors with it.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/json.hpp>
#include <nnrt/io/safetensors.hpp>
#include <nnrt/io/write_file.hpp>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace safetensors {

/// A file to be written: the header with its length, and views of the tensors' bytes in file order. No tensor is
/// copied. The header is padded so that the data start at a multiple of 8. Tensors are sorted by element size, largest
/// first, then by name, which aligns each to its element size. The order of the arguments does not change the file.
struct outline {
  std::vector<std::byte> header;
  std::vector<std::span<const std::byte>> data;
};

/// Makes the outline of a file with these tensors. Errors: invalid_argument (a name that is repeated or not UTF-8,
/// bytes that do not fit the shape, an unknown extent, …). The message names the tensor and the expected and actual
/// values.
inline result<outline> outline_of(array_ref<const tensor_entry> tensors, array_ref<const metadata_entry> metadata = {});

/// Returns the bytes of a file with these tensors. Errors as outline_of().
inline result<std::vector<std::byte>> serialize(array_ref<const tensor_entry> tensors,
                                                array_ref<const metadata_entry> metadata = {});

/// Writes a file with these tensors by write_file(). Errors as outline_of() and write_file(); each names the file.
inline result<void> save(std::string_view path, array_ref<const tensor_entry> tensors,
                         array_ref<const metadata_entry> metadata = {});

// --- details ---------------------------------------------------------------
namespace detail {
inline bool check_writable(const tensor_entry& tensor, pool<char>& wrong) {
  if (!is_utf8(tensor.name)) return complain(wrong, tensor.name, {"its name is not UTF-8"});
  if (tensor.name == "__metadata__") return complain(wrong, tensor.name, {"this name is the format's own"});
  if (tensor.type == dtype::none) return complain(wrong, tensor.name, {"it has no dtype"});
  if (!tensor.shape.is_known() || has_too_many_elements(tensor.shape))
    return complain(wrong, tensor.name, {"shape ", tensor.shape, " has unknown extents or more than 2^40 elements"});
  if (tensor.stored != narrow_float::none && tensor.type != f32)
    return complain(wrong, tensor.name, {"its elements are stored in fewer bits, as those of f32 alone can be"});
  const auto expected = static_cast<std::uint64_t>(stored_bytes_of(tensor));
  const std::size_t got = tensor.bytes.size();
  if (got != expected)
    return complain(wrong, tensor.name,
                    {"got ",
                     got,
                     " bytes, expected ",
                     expected,
                     " for ",
                     tensor.stored == narrow_float::none ? "" : file_name_of(tensor),
                     tensor.stored == narrow_float::none ? "" : " as ",
                     {tensor.type, tensor.shape}});
  return check_booleans(tensor, wrong);
}

/// Checks all tensors and metadata, and sorts them by name.
inline bool check_writable(pool<tensor_entry>& tensors, pool<metadata_entry>& metadata, pool<char>& wrong) {
  for (const tensor_entry& tensor : tensors)
    if (!check_writable(tensor, wrong)) return false;
  if (!sort_contents(tensors, metadata, wrong)) return false;
  for (const metadata_entry& entry : metadata)
    if (!is_utf8(entry.key) || !is_utf8(entry.value))
      return complain(wrong, {"metadata ", piece::in_quotes(entry.key), ": it is not UTF-8"});
  return true;
}

inline void write_metadata(json_writer& json, array_ref<const metadata_entry> metadata) {
  json.key("__metadata__").begin_object();
  for (const metadata_entry& entry : metadata) json.key(entry.key).string(entry.value);
  json.end_object();
}

inline void write_tensor(json_writer& json, const tensor_entry& tensor, std::size_t begin) {
  json.key(tensor.name).begin_object().key("dtype").string(file_name_of(tensor)).key("shape").begin_array();
  for (const std::int64_t extent : tensor.shape) json.integer(extent);
  json.end_array().key("data_offsets").begin_array();
  json.integer(static_cast<std::int64_t>(begin)).integer(static_cast<std::int64_t>(begin + tensor.bytes.size()));
  json.end_array().end_object();
}

inline std::vector<std::byte> framed(std::string header) {
  header.append((8 - header.size() % 8) % 8, ' ');
  const std::uint64_t length = header.size();
  std::vector<std::byte> bytes(8 + header.size());
  std::memcpy(bytes.data(), &length, 8);
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  return bytes;
}
}  // namespace detail

inline result<outline> outline_of(array_ref<const tensor_entry> tensors, array_ref<const metadata_entry> metadata) {
  pool<tensor_entry> ordered;
  ordered.insert(tensors.begin(), tensors.end());
  pool<metadata_entry> texts;
  texts.insert(metadata.begin(), metadata.end());
  pool<char> wrong;
  if (!detail::check_writable(ordered, texts, wrong)) return fail(error_code::invalid_argument, {letters_of(wrong)});
  detail::sort(ordered, [](const tensor_entry& a, const tensor_entry& b) {
    const auto bytes = [](const tensor_entry& t) {
      return t.stored == narrow_float::none ? size_of(t.type) : static_cast<std::int64_t>(bytes_of(t.stored));
    };
    return bytes(a) != bytes(b) ? bytes(a) > bytes(b) : a.name < b.name;
  });
  json_writer json;
  json.begin_object();
  if (!texts.empty()) detail::write_metadata(json, texts);
  outline file;
  std::size_t at = 0;
  for (const tensor_entry& tensor : ordered) {
    detail::write_tensor(json, tensor, at);
    file.data.push_back(tensor.bytes);
    at += tensor.bytes.size();
  }
  json.end_object();
  if (json.text().size() + 8 > max_header) {
    return fail(error_code::invalid_argument, {"the header would take more than ", max_header, " bytes"});
  }
  file.header = detail::framed(std::move(json).take());
  return file;
}

inline result<std::vector<std::byte>> serialize(array_ref<const tensor_entry> tensors,
                                                array_ref<const metadata_entry> metadata) {
  auto file = outline_of(tensors, metadata);
  if (!file) return fail(std::move(file.error()));
  std::vector<std::byte> bytes = std::move(file->header);
  for (const auto piece : file->data) bytes.insert(bytes.end(), piece.begin(), piece.end());
  return bytes;
}

inline result<void> save(std::string_view path, array_ref<const tensor_entry> tensors,
                         array_ref<const metadata_entry> metadata) {
  auto file = outline_of(tensors, metadata);
  if (!file) return fail(std::move(file.error()).in(path));
  file->data.insert(file->data.begin(), file->header);
  return write_file(path, file->data);
}

}}}  // namespace nnrt::NNRT_ISA::safetensors
