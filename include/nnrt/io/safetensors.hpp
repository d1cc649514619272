// safetensors: the file format of weights and saved models - a checked reader over bytes in memory, and a writer.
// Flow: weights.hpp puts a handle around what parse() finds; the bytes themselves stay where they are.
#pragma once

#include <nnrt/core/desc.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/io/file.hpp>
#include <nnrt/io/json.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// "f32 [16, 3, 3, 1]", for messages.
inline std::string text_of(dtype type, const shape_t& shape);
/// "[16, 3, 3, 1]"
inline std::string text_of(const shape_t& shape);

namespace safetensors {

/// What a file holds: tensors and metadata in the order of their names, each name once. The tensors' bytes are the file's; names and metadata
/// point into `text`, so contents move but do not copy.
struct contents {
  std::vector<tensor_entry> tensors;
  std::vector<metadata_entry> metadata;
  std::vector<char> text;

  contents() = default;
  contents(contents&&) noexcept = default;
  contents& operator=(contents&&) noexcept = default;
};

/// The longest header that is read or written, in bytes, as in the format's reference implementation.
inline constexpr std::uint64_t longest_header = 100'000'000;

/// Reads a file whose bytes are in memory and outlive the answer. Everything is verified before it is believed: the header's length and JSON, names and fields
/// that occur twice, dtypes, ranks (at most 8), sizes against offsets in 64 bits, and that the tensors cover the data exactly, without overlap or hole; BOOL
/// elements are 0 or 1. Errors: invalid_file, not_supported (a dtype that nnrt lacks, such as BF16); the message names the tensor, what was got and what was expected.
/// Source: the format's README and reference implementation, huggingface/safetensors 0.4.
inline result<contents> parse(std::span<const std::byte> file);

/// The file of these tensors, in two parts: the header with its length, padded so that the data start at a multiple of 8, and the order of the data: larger elements
/// first, then by name, which aligns every tensor to its element size. The same tensors in any order give the same file.
/// Errors: invalid_argument; the message names the tensor.
struct outline {
  std::vector<std::byte> header;
  std::vector<std::span<const std::byte>> data;
};
inline result<outline> outline_of(std::span<const tensor_entry> tensors, std::span<const metadata_entry> metadata = {});

/// The file of these tensors as bytes.
inline result<std::vector<std::byte>> serialize(std::span<const tensor_entry> tensors, std::span<const metadata_entry> metadata = {});

/// Writes the file of these tensors (see write_file).
inline result<void> save(std::string_view path, std::span<const tensor_entry> tensors, std::span<const metadata_entry> metadata = {});

}  // namespace safetensors

// --- details ---------------------------------------------------------------
inline std::string text_of(const shape_t& shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}
inline std::string text_of(dtype type, const shape_t& shape) { return std::string(name_of(type)) + " " + text_of(shape); }

namespace safetensors {
namespace detail {
static_assert(std::endian::native == std::endian::little, "nnrt: a safetensors file is little-endian and its bytes are used as they are");

struct dtype_row {
  std::string_view name;
  dtype type;
};
inline constexpr dtype_row dtypes[] = {{"BOOL", boolean}, {"U8", u8},   {"I8", i8},   {"U16", u16}, {"I16", i16}, {"U32", u32},
                                       {"I32", i32},      {"U64", u64}, {"I64", i64}, {"F16", f16}, {"F32", f32}, {"F64", f64}};

constexpr std::string_view file_name_of(dtype type) {
  for (const dtype_row& row : dtypes)
    if (row.type == type) return row.name;
  return "none";
}

/// One tensor as its header states it; only the format's own limits are checked yet.
struct statement {
  std::string_view name;
  std::string_view type_name;
  dtype type = dtype::none;
  shape_t shape;
  std::uint64_t begin = 0, end = 0;
};

/// Reads the JSON header into statements and metadata; names go into `text`, which has room for the whole header, so that views into it stay valid.
class header_reader {
 public:
  explicit header_reader(std::string_view header) : json_(header) { found_.text.reserve(header.size()); }

  bool read();
  error reason() const { return {supported_ ? error_code::invalid_file : error_code::not_supported, "header: " + json_.reason().message()}; }
  std::vector<statement>& statements() { return statements_; }
  contents& found() { return found_; }

 private:
  bool refuse(std::string_view name, const std::string& reason) { return json_.refuse("tensor " + quoted(name) + ": " + reason), false; }
  std::string_view kept(std::string_view text) {
    const std::size_t at = found_.text.size();
    found_.text.insert(found_.text.end(), text.begin(), text.end());
    return {found_.text.data() + at, text.size()};
  }
  bool read_metadata();
  bool read_tensor(std::string_view name);
  bool read_dtype(statement& tensor);
  bool read_shape(statement& tensor);
  bool read_offsets(statement& tensor);
  bool expect(std::string_view name, std::string_view field, json_event wanted);

  json_reader json_;
  contents found_;
  std::vector<statement> statements_;
  bool supported_ = true, has_metadata_ = false;
};

inline bool header_reader::read() {
  if (!json_.expect(json_event::begin_object)) return false;
  for (json_event event = json_.next(); event != json_event::end_object; event = json_.next()) {
    if (event == json_event::broken) return false;
    if (json_.string() == "__metadata__" ? !read_metadata() : !read_tensor(kept(json_.string()))) return false;
  }
  return json_.next() == json_event::end;
}

inline bool header_reader::read_metadata() {
  if (std::exchange(has_metadata_, true)) return json_.refuse("\"__metadata__\" occurs twice"), false;
  if (!json_.expect(json_event::begin_object)) return false;
  for (json_event event = json_.next(); event != json_event::end_object; event = json_.next()) {
    if (event == json_event::broken) return false;
    const std::string_view key = kept(json_.string());
    if (json_.next() != json_event::string) return json_.refuse("metadata " + quoted(key) + ": expected a string"), false;
    found_.metadata.push_back({key, kept(json_.string())});
  }
  return true;
}

// A reason of the caller's reads "tensor "x": shape: expected …"; what is not JSON at all keeps the JSON reader's words.
inline bool header_reader::expect(std::string_view name, std::string_view field, json_event wanted) {
  const json_event got = json_.next();
  if (got == json_event::broken || got == wanted) return got == wanted;
  return refuse(name, std::string(field) + ": expected " + std::string(name_of(wanted)) + ", got " + std::string(name_of(got)));
}

inline bool header_reader::read_tensor(std::string_view name) {
  statement tensor;
  tensor.name = name;
  unsigned seen = 0;
  if (!expect(name, "description", json_event::begin_object)) return false;
  for (json_event event = json_.next(); event != json_event::end_object; event = json_.next()) {
    if (event == json_event::broken) return false;
    const std::string_view field = json_.string();
    const unsigned bit = field == "dtype" ? 1 : field == "shape" ? 2 : field == "data_offsets" ? 4 : 0;
    if (bit == 0) return refuse(name, "unknown field " + quoted(field));
    if ((seen & bit) != 0) return refuse(name, "field " + quoted(field) + " occurs twice");
    seen |= bit;
    if (!(bit == 1 ? read_dtype(tensor) : bit == 2 ? read_shape(tensor) : read_offsets(tensor))) return false;
  }
  if (seen != 7) return refuse(name, std::string("field ") + ((seen & 1) == 0 ? "\"dtype\"" : (seen & 2) == 0 ? "\"shape\"" : "\"data_offsets\"") + " is missing");
  statements_.push_back(tensor);
  return true;
}

inline bool header_reader::read_dtype(statement& tensor) {
  if (!expect(tensor.name, "dtype", json_event::string)) return false;
  for (const dtype_row& row : dtypes) {
    if (row.name != json_.string()) continue;
    tensor.type = row.type;
    tensor.type_name = row.name;
    return true;
  }
  supported_ = false;
  return refuse(tensor.name, "dtype " + quoted(json_.string()) + " is not supported, expected BOOL, U8, I8, U16, I16, U32, I32, U64, I64, F16, F32 or F64");
}

inline bool header_reader::read_shape(statement& tensor) {
  if (!expect(tensor.name, "shape", json_event::begin_array)) return false;
  for (json_event event = json_.next(); event != json_event::end_array; event = json_.next()) {
    if (event == json_event::broken) return false;
    if (event != json_event::integer) return refuse(tensor.name, "shape: expected an integer, got " + std::string(name_of(event)));
    if (json_.integer() < 0) return refuse(tensor.name, "shape: expected extents of at least 0, got " + std::to_string(json_.integer()));
    if (tensor.shape.rank == max_rank) return refuse(tensor.name, "shape: expected at most " + std::to_string(max_rank) + " extents, got more");
    tensor.shape.push_back(json_.integer());
  }
  return true;
}

inline bool header_reader::read_offsets(statement& tensor) {
  if (!expect(tensor.name, "data_offsets", json_event::begin_array)) return false;
  for (std::uint64_t* offset : {&tensor.begin, &tensor.end}) {
    if (!expect(tensor.name, "data_offsets", json_event::integer)) return false;
    if (json_.integer() < 0) return refuse(tensor.name, "data_offsets: expected at least 0, got " + std::to_string(json_.integer()));
    *offset = static_cast<std::uint64_t>(json_.integer());
  }
  return expect(tensor.name, "data_offsets", json_event::end_array);
}

inline tl::unexpected<error> refuse(std::string_view name, const std::string& reason) {
  return fail(error_code::invalid_file, "tensor " + quoted(name) + ": " + reason);
}

inline std::string text_of_offsets(const statement& t) { return "[" + std::to_string(t.begin) + ", " + std::to_string(t.end) + "]"; }

/// Extents of 0 are left out: neither the order of the extents nor a 0 among them hides one that no computation of sizes would survive.
inline bool has_too_many_elements(const shape_t& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent == 0) continue;
    if (extent > max_elements / elements) return true;
    elements *= extent;
  }
  return false;
}

inline result<void> check_size(const statement& t, std::uint64_t data_bytes) {
  if (has_too_many_elements(t.shape)) return refuse(t.name, "shape " + text_of(t.shape) + " has more than 2^40 elements");
  if (t.begin > t.end) return refuse(t.name, "data_offsets " + text_of_offsets(t) + " end before they begin");
  if (t.end > data_bytes) {
    return refuse(t.name, "data_offsets " + text_of_offsets(t) + " reach beyond the file's " + std::to_string(data_bytes) + " bytes of data");
  }
  const auto expected = static_cast<std::uint64_t>(t.shape.elements() * size_of(t.type));
  if (t.end - t.begin == expected) return {};
  return refuse(t.name, "data_offsets " + text_of_offsets(t) + " hold " + std::to_string(t.end - t.begin) + " bytes, expected " + std::to_string(expected) + " for " +
                            std::string(t.type_name) + " " + text_of(t.shape));
}

/// In the order of their data: every tensor starts where the one before ended, and the last one ends with the file.
inline result<void> check_cover(std::vector<statement>& tensors, std::uint64_t data_bytes) {
  std::sort(tensors.begin(), tensors.end(), [](const statement& a, const statement& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
  const statement* previous = nullptr;
  std::uint64_t covered = 0;
  for (const statement& t : tensors) {
    if (t.begin < covered) return refuse(t.name, "data_offsets " + text_of_offsets(t) + " overlap tensor " + quoted(previous->name) + " at " + text_of_offsets(*previous));
    if (t.begin > covered) return refuse(t.name, "data_offsets " + text_of_offsets(t) + " leave a hole, expected them to begin at " + std::to_string(covered));
    covered = t.end;
    previous = &t;
  }
  if (covered == data_bytes) return {};
  return fail(error_code::invalid_file, "the data have " + std::to_string(data_bytes) + " bytes, expected " + std::to_string(covered) + ", where the " +
                                            (previous != nullptr ? "last tensor, " + quoted(previous->name) + ", ends" : std::string("header, which names no tensor, ends")));
}

// Other bytes than 0 and 1 are no value of a C++ bool: reading one would be undefined behaviour in every kernel.
inline result<void> check_booleans(const tensor_entry& tensor) {
  if (tensor.type != boolean) return {};
  for (std::size_t i = 0; i < tensor.bytes.size(); ++i) {
    const int value = std::to_integer<int>(tensor.bytes[i]);
    if (value > 1) return refuse(tensor.name, "BOOL element " + std::to_string(i) + " is " + std::to_string(value) + ", expected 0 or 1");
  }
  return {};
}

inline result<std::string_view> header_of(std::span<const std::byte> file) {
  if (file.size() < 8) return fail(error_code::invalid_file, "the file has " + std::to_string(file.size()) + " bytes, expected at least the 8 of the header's length");
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  if (length > longest_header) {
    return fail(error_code::invalid_file, "the header claims " + std::to_string(length) + " bytes, expected at most " + std::to_string(longest_header));
  }
  if (length > file.size() - 8) {
    return fail(error_code::invalid_file, "the header claims " + std::to_string(length) + " bytes, but only " + std::to_string(file.size() - 8) + " follow its length");
  }
  const std::string_view header(reinterpret_cast<const char*>(file.data() + 8), static_cast<std::size_t>(length));
  if (header.empty() || header[0] != '{') return fail(error_code::invalid_file, "header: expected '{' at its begin, got " + quoted(header.substr(0, 1)));
  return header;
}

inline result<void> fill(contents& found, std::vector<statement>& statements, std::span<const std::byte> data) {
  for (const statement& t : statements)
    if (auto checked = check_size(t, data.size()); !checked) return checked;
  if (auto checked = check_cover(statements, data.size()); !checked) return checked;
  found.tensors.reserve(statements.size());
  for (const statement& t : statements) {
    found.tensors.push_back({t.name, t.type, t.shape, data.subspan(static_cast<std::size_t>(t.begin), static_cast<std::size_t>(t.end - t.begin))});
    if (auto checked = check_booleans(found.tensors.back()); !checked) return checked;
  }
  return {};
}

/// Puts the entries in the order of their names; null, or the name that occurs twice.
inline const tensor_entry* sort_by_name(std::vector<tensor_entry>& tensors) {
  std::sort(tensors.begin(), tensors.end(), [](const tensor_entry& a, const tensor_entry& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < tensors.size(); ++i)
    if (tensors[i].name == tensors[i - 1].name) return &tensors[i];
  return nullptr;
}
inline const metadata_entry* sort_by_key(std::vector<metadata_entry>& metadata) {
  std::sort(metadata.begin(), metadata.end(), [](const metadata_entry& a, const metadata_entry& b) { return a.key < b.key; });
  for (std::size_t i = 1; i < metadata.size(); ++i)
    if (metadata[i].key == metadata[i - 1].key) return &metadata[i];
  return nullptr;
}
}  // namespace detail

inline result<contents> parse(std::span<const std::byte> file) {
  const auto header = detail::header_of(file);
  if (!header) return fail(header.error());
  detail::header_reader reader(*header);
  if (!reader.read()) return fail(reader.reason());
  contents& found = reader.found();
  // Two tensors of one name would also overlap or leave a hole; the name is the better reason.
  std::vector<detail::statement>& statements = reader.statements();
  std::sort(statements.begin(), statements.end(), [](const detail::statement& a, const detail::statement& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < statements.size(); ++i)
    if (statements[i].name == statements[i - 1].name) return detail::refuse(statements[i].name, "its name occurs twice, expected it once");
  if (const metadata_entry* twice = detail::sort_by_key(found.metadata)) return fail(error_code::invalid_file, "metadata " + quoted(twice->key) + ": its key occurs twice");
  if (auto filled = detail::fill(found, statements, file.subspan(8 + header->size())); !filled) return fail(filled.error());
  detail::sort_by_name(found.tensors);
  return std::move(found);
}

namespace detail {
inline tl::unexpected<error> unwritable(std::string_view what, std::string_view name, const std::string& reason) {
  return fail(error_code::invalid_argument, std::string(what) + " " + quoted(name) + ": " + reason);
}

inline result<void> check_writable(const tensor_entry& tensor) {
  const auto refuse = [&](const std::string& reason) { return unwritable("tensor", tensor.name, reason); };
  if (!is_utf8(tensor.name)) return refuse("its name is not UTF-8");
  if (tensor.name == "__metadata__") return refuse("this name is the format's own");
  if (tensor.type == dtype::none) return refuse("it has no dtype");
  if (!tensor.shape.is_known() || has_too_many_elements(tensor.shape)) return refuse("shape " + text_of(tensor.shape) + " has unknown extents or more than 2^40 elements");
  const auto expected = static_cast<std::uint64_t>(tensor.shape.elements() * size_of(tensor.type));
  if (tensor.bytes.size() != expected) {
    return refuse("got " + std::to_string(tensor.bytes.size()) + " bytes, expected " + std::to_string(expected) + " for " + text_of(tensor.type, tensor.shape));
  }
  if (auto checked = check_booleans(tensor); !checked) return refuse("a boolean element is neither 0 nor 1");
  return {};
}

/// Puts tensors and metadata in the order of their names on the way.
inline result<void> check_writable(std::vector<tensor_entry>& tensors, std::vector<metadata_entry>& metadata) {
  for (const tensor_entry& tensor : tensors)
    if (auto checked = check_writable(tensor); !checked) return checked;
  if (const tensor_entry* twice = sort_by_name(tensors)) return unwritable("tensor", twice->name, "its name occurs twice");
  if (const metadata_entry* twice = sort_by_key(metadata)) return unwritable("metadata", twice->key, "its key occurs twice");
  for (const metadata_entry& entry : metadata)
    if (!is_utf8(entry.key) || !is_utf8(entry.value)) return unwritable("metadata", entry.key, "it is not UTF-8");
  return {};
}

inline void write_metadata(json_writer& json, std::span<const metadata_entry> metadata) {
  json.key("__metadata__").begin_object();
  for (const metadata_entry& entry : metadata) json.key(entry.key).string(entry.value);
  json.end_object();
}

inline void write_tensor(json_writer& json, const tensor_entry& tensor, std::uint64_t begin) {
  json.key(tensor.name).begin_object().key("dtype").string(file_name_of(tensor.type)).key("shape").begin_array();
  for (const std::int64_t extent : tensor.shape) json.integer(extent);
  json.end_array().key("data_offsets").begin_array();
  json.integer(static_cast<std::int64_t>(begin)).integer(static_cast<std::int64_t>(begin + tensor.bytes.size())).end_array().end_object();
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

inline result<outline> outline_of(std::span<const tensor_entry> tensors, std::span<const metadata_entry> metadata) {
  std::vector<tensor_entry> ordered(tensors.begin(), tensors.end());
  std::vector<metadata_entry> texts(metadata.begin(), metadata.end());
  if (auto checked = detail::check_writable(ordered, texts); !checked) return fail(checked.error());
  std::stable_sort(ordered.begin(), ordered.end(), [](const tensor_entry& a, const tensor_entry& b) { return size_of(a.type) > size_of(b.type); });
  json_writer json;
  json.begin_object();
  if (!texts.empty()) detail::write_metadata(json, texts);
  outline file;
  std::uint64_t at = 0;
  for (const tensor_entry& tensor : ordered) {
    detail::write_tensor(json, tensor, at);
    file.data.push_back(tensor.bytes);
    at += tensor.bytes.size();
  }
  json.end_object();
  if (json.text().size() + 8 > longest_header) return fail(error_code::invalid_argument, "the header would take more than " + std::to_string(longest_header) + " bytes");
  file.header = detail::framed(std::move(json).take());
  return file;
}

inline result<std::vector<std::byte>> serialize(std::span<const tensor_entry> tensors, std::span<const metadata_entry> metadata) {
  auto file = outline_of(tensors, metadata);
  if (!file) return fail(file.error());
  std::vector<std::byte> bytes = std::move(file->header);
  for (const auto piece : file->data) bytes.insert(bytes.end(), piece.begin(), piece.end());
  return bytes;
}

inline result<void> save(std::string_view path, std::span<const tensor_entry> tensors, std::span<const metadata_entry> metadata) {
  auto file = outline_of(tensors, metadata);
  if (!file) return fail(std::move(file.error()).in(path));
  file->data.insert(file->data.begin(), file->header);
  return write_file(path, file->data);
}

}  // namespace safetensors
}  // namespace nnrt::inline NNRT_ISA
