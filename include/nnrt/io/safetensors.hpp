// safetensors: the file format of weights and saved models - a checked reader over bytes in memory.
// Flow: weights.hpp puts a handle around what parse() finds; safetensors_writer.hpp writes.
#pragma once

#include <nnrt/core/desc.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/json.hpp>

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

/// "[16, 3, 3, 1]", for messages.
[[gnu::cold]] inline std::string text_of(const shape_t& shape);
/// "f32 [16, 3, 3, 1]"
[[gnu::cold]] inline std::string text_of(dtype type, const shape_t& shape);

namespace safetensors {

/// What a file holds: tensors and metadata in the order of their names, each name once. The tensors' bytes are the
/// file's; names and metadata point into `text`, so contents move but do not copy.
struct contents {
  std::vector<tensor_entry> tensors;
  std::vector<metadata_entry> metadata;
  std::vector<char> text;

  contents() = default;
  contents(contents&&) noexcept = default;
  contents& operator=(contents&&) noexcept = default;

  /// Appends a copy of `letters` to `text`; whoever calls it reserves enough before, for views must stay valid.
  std::string_view keep(std::string_view letters) {
    const std::size_t at = text.size();
    for (const char letter : letters) text.push_back(letter);
    return {text.data() + at, letters.size()};
  }
};

/// The longest header that is read or written, in bytes, as in the format's reference implementation.
inline constexpr std::uint64_t longest_header = 100'000'000;

/// Reads a file whose bytes are in memory and outlive the answer. Everything is verified before it is believed: the
/// header's length and JSON, names and fields that occur twice, dtypes, ranks (at most 8), sizes against offsets in
/// 64 bits, and that the tensors cover the data exactly, without overlap or hole; BOOL elements are 0 or 1.
/// Errors: invalid_file, not_supported (a dtype that nnrt lacks, such as BF16); the message names the tensor, what was
/// got and what was expected. Source: README and reference implementation of huggingface/safetensors 0.4.
[[gnu::cold]] inline result<contents> parse(std::span<const std::byte> file);

}  // namespace safetensors

// --- details ---------------------------------------------------------------
[[gnu::cold]] inline std::string text_of(const shape_t& shape) {
  std::string text = "[";
  for (const std::int64_t extent : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(extent);
  }
  text += ']';
  return text;
}
[[gnu::cold]] inline std::string text_of(dtype type, const shape_t& shape) { return joined({name_of(type), " ", text_of(shape)}); }

namespace safetensors {
namespace detail {
static_assert(std::endian::native == std::endian::little,
              "nnrt: a safetensors file is little-endian, and so is its user");

struct dtype_row {
  std::string_view name;
  dtype type;
};
inline constexpr dtype_row dtypes[] = {{"BOOL", boolean}, {"U8", u8},   {"I8", i8},   {"U16", u16},
                                       {"I16", i16},      {"U32", u32}, {"I32", i32}, {"U64", u64},
                                       {"I64", i64},      {"F16", f16}, {"F32", f32}, {"F64", f64}};

constexpr std::string_view file_name_of(dtype type) {
  for (const dtype_row& row : dtypes)
    if (row.type == type) return row.name;
  return "none";
}

/// Heapsort: names come from strangers, so the worst case counts; and std::sort costs compilers 0.01 s for each type.
template <class T, class Less> void sort(std::vector<T>& items, Less less) {
  const auto sink = [&](std::size_t at, std::size_t end) {
    for (std::size_t child = 2 * at + 1; child < end; child = 2 * at + 1) {
      if (child + 1 < end && less(items[child], items[child + 1])) ++child;
      if (!less(items[at], items[child])) return;
      std::swap(items[at], items[child]);
      at = child;
    }
  };
  for (std::size_t at = items.size() / 2; at-- > 0;) sink(at, items.size());
  for (std::size_t end = items.size(); end-- > 1;) {
    std::swap(items[0], items[end]);
    sink(0, end);
  }
}

/// Puts the tensors in the order of their names; null, or one whose name occurs twice.
[[gnu::cold]] inline const tensor_entry* sort_by_name(std::vector<tensor_entry>& tensors) {
  sort(tensors, [](const tensor_entry& a, const tensor_entry& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < tensors.size(); ++i)
    if (tensors[i].name == tensors[i - 1].name) return &tensors[i];
  return nullptr;
}
[[gnu::cold]] inline const metadata_entry* sort_by_key(std::vector<metadata_entry>& metadata) {
  sort(metadata, [](const metadata_entry& a, const metadata_entry& b) { return a.key < b.key; });
  for (std::size_t i = 1; i < metadata.size(); ++i)
    if (metadata[i].key == metadata[i - 1].key) return &metadata[i];
  return nullptr;
}

/// A tensor as its header states it. Until the offsets are checked, `entry.bytes` are empty.
struct statement {
  tensor_entry entry;
  std::uint64_t begin = 0, end = 0;
};

/// What is wrong; empty when nothing is.
using complaint = std::string;

[[gnu::cold]] inline complaint complain(std::string_view name, std::initializer_list<std::string_view> reason) {
  return joined({"tensor ", quoted(name), ": ", joined(reason)});
}

/// Reads the JSON header into statements and metadata, kept in the order of the header.
class header_reader {
 public:
  explicit header_reader(std::string_view header) : json_(header) { found_.text.reserve(header.size()); }

  bool read();
  error reason() const {
    return {supported_ ? error_code::invalid_file : error_code::not_supported,
            joined({"header: ", json_.reason().message()})};
  }
  std::vector<statement>& statements() { return statements_; }
  contents& found() { return found_; }

 private:
  bool refuse(std::string_view name, std::initializer_list<std::string_view> reason) {
    return json_.refuse(complain(name, reason)), false;
  }
  bool read_metadata();
  bool read_tensor(std::string_view name);
  bool read_field(statement& tensor, unsigned& seen);
  bool read_dtype(statement& tensor);
  bool read_shape(statement& tensor);
  bool read_offsets(statement& tensor);
  bool expect(const statement& tensor, std::string_view field, json_event wanted);

  json_reader json_;
  contents found_;
  std::vector<statement> statements_;
  bool supported_ = true, has_metadata_ = false;
};

[[gnu::cold]] inline bool header_reader::read() {
  if (!json_.expect(json_event::begin_object)) return false;
  for (json_event event = json_.next(); event != json_event::end_object; event = json_.next()) {
    if (event == json_event::broken) return false;
    const bool is_metadata = json_.string() == "__metadata__";
    if (!(is_metadata ? read_metadata() : read_tensor(found_.keep(json_.string())))) return false;
  }
  return json_.next() == json_event::end;
}

[[gnu::cold]] inline bool header_reader::read_metadata() {
  if (has_metadata_) return json_.refuse("\"__metadata__\" occurs twice"), false;
  has_metadata_ = true;
  if (!json_.expect(json_event::begin_object)) return false;
  for (json_event event = json_.next(); event != json_event::end_object; event = json_.next()) {
    if (event == json_event::broken) return false;
    const std::string_view key = found_.keep(json_.string());
    const json_event value = json_.next();
    if (value == json_event::broken) return false;
    if (value != json_event::string)
      return json_.refuse(joined({"metadata ", quoted(key), ": expected a string, got ", name_of(value)})), false;
    found_.metadata.push_back({key, found_.keep(json_.string())});
  }
  return true;
}

// What is JSON of another kind gets the tensor's name in front; what is not JSON keeps the JSON reader's words.
[[gnu::cold]] inline bool header_reader::expect(const statement& tensor, std::string_view field, json_event wanted) {
  const json_event got = json_.next();
  if (got == json_event::broken || got == wanted) return got == wanted;
  return refuse(tensor.entry.name, {field, ": expected ", name_of(wanted), ", got ", name_of(got)});
}

[[gnu::cold]] inline bool header_reader::read_tensor(std::string_view name) {
  statement tensor;
  tensor.entry.name = name;
  unsigned seen = 0;  // a bit for each field
  if (!expect(tensor, "description", json_event::begin_object)) return false;
  for (json_event event = json_.next(); event != json_event::end_object; event = json_.next())
    if (event == json_event::broken || !read_field(tensor, seen)) return false;
  for (const std::string_view field : {"dtype", "shape", "data_offsets"}) {
    if ((seen & 1U) == 0) return refuse(name, {"field ", quoted(field), " is missing"});
    seen >>= 1U;
  }
  statements_.push_back(tensor);
  return true;
}

[[gnu::cold]] inline bool header_reader::read_field(statement& tensor, unsigned& seen) {
  const std::string_view field = json_.string();
  const unsigned bit = field == "dtype" ? 1 : field == "shape" ? 2 : field == "data_offsets" ? 4 : 0;
  if (bit == 0) return refuse(tensor.entry.name, {"unknown field ", quoted(field)});
  if ((seen & bit) != 0) return refuse(tensor.entry.name, {"field ", quoted(field), " occurs twice"});
  seen |= bit;
  return bit == 1 ? read_dtype(tensor) : bit == 2 ? read_shape(tensor) : read_offsets(tensor);
}

[[gnu::cold]] inline bool header_reader::read_dtype(statement& tensor) {
  if (!expect(tensor, "dtype", json_event::string)) return false;
  std::string known;
  for (const dtype_row& row : dtypes) {
    if (row.name == json_.string()) return tensor.entry.type = row.type, true;
    known += joined({known.empty() ? "" : ", ", row.name});
  }
  supported_ = false;
  return refuse(tensor.entry.name, {"dtype ", quoted(json_.string()), " is not supported, expected one of ", known});
}

[[gnu::cold]] inline bool header_reader::read_shape(statement& tensor) {
  if (!expect(tensor, "shape", json_event::begin_array)) return false;
  shape_t& shape = tensor.entry.shape;
  for (json_event event = json_.next(); event != json_event::end_array; event = json_.next()) {
    if (event == json_event::broken) return false;
    if (event != json_event::integer)
      return refuse(tensor.entry.name, {"shape: expected an integer, got ", name_of(event)});
    const std::int64_t extent = json_.integer();
    if (extent < 0)
      return refuse(tensor.entry.name, {"shape: expected extents of at least 0, got ", std::to_string(extent)});
    if (shape.rank == max_rank) return refuse(tensor.entry.name, {"shape: expected at most 8 extents, got more"});
    shape.push_back(extent);
  }
  return true;
}

[[gnu::cold]] inline bool header_reader::read_offsets(statement& tensor) {
  if (!expect(tensor, "data_offsets", json_event::begin_array)) return false;
  for (std::uint64_t* offset : {&tensor.begin, &tensor.end}) {
    if (!expect(tensor, "data_offsets", json_event::integer)) return false;
    const std::int64_t got = json_.integer();
    if (got < 0) return refuse(tensor.entry.name, {"data_offsets: expected at least 0, got ", std::to_string(got)});
    *offset = static_cast<std::uint64_t>(got);
  }
  return expect(tensor, "data_offsets", json_event::end_array);
}

[[gnu::cold]] inline std::string text_of_offsets(const statement& t) {
  return joined({"data_offsets [", std::to_string(t.begin), ", ", std::to_string(t.end), "]"});
}

/// Extents of 0 are left out: neither the order of the extents nor a 0 among them hides a size that overflows.
[[gnu::cold]] inline bool has_too_many_elements(const shape_t& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent == 0) continue;
    if (extent > max_elements / elements) return true;
    elements *= extent;
  }
  return false;
}

[[gnu::cold]] inline complaint check_size(const statement& t, std::uint64_t data_bytes) {
  const tensor_entry& tensor = t.entry;
  if (has_too_many_elements(tensor.shape))
    return complain(tensor.name, {"shape ", text_of(tensor.shape), " has more than 2^40 elements"});
  if (t.begin > t.end) return complain(tensor.name, {text_of_offsets(t), " end before they begin"});
  if (t.end > data_bytes) {
    return complain(tensor.name,
                    {text_of_offsets(t), " reach beyond the file's ", std::to_string(data_bytes), " bytes of data"});
  }
  const std::uint64_t got = t.end - t.begin,
                      expected = static_cast<std::uint64_t>(tensor.shape.elements() * size_of(tensor.type));
  if (got == expected) return {};
  return complain(tensor.name,
                  {text_of_offsets(t), " hold ", std::to_string(got), " bytes, expected ", std::to_string(expected),
                   " for ", file_name_of(tensor.type), " ", text_of(tensor.shape)});
}

/// In the order of their data, every tensor starts where the one before ended, and the last one ends with the file.
[[gnu::cold]] inline complaint check_cover(std::vector<statement>& tensors, std::uint64_t data_bytes) {
  sort(tensors,
       [](const statement& a, const statement& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
  const statement* last = nullptr;
  std::uint64_t covered = 0;
  for (const statement& t : tensors) {
    if (t.begin < covered)
      return complain(t.entry.name,
                      {text_of_offsets(t), " overlap tensor ", quoted(last->entry.name), ", ", text_of_offsets(*last)});
    if (t.begin > covered)
      return complain(t.entry.name,
                      {text_of_offsets(t), " leave a hole, expected them to begin at ", std::to_string(covered)});
    covered = t.end;
    last = &t;
  }
  if (covered == data_bytes) return {};
  const std::string end = last == nullptr ? "for a header that names no tensor"
                                          : joined({"where the last tensor, ", quoted(last->entry.name), ", ends"});
  return joined(
      {"the data have ", std::to_string(data_bytes), " bytes, expected ", std::to_string(covered), ", ", end});
}

// Other bytes than 0 and 1 are no value of a C++ bool: reading one would be undefined behaviour in every kernel.
[[gnu::cold]] inline complaint check_booleans(const tensor_entry& tensor) {
  if (tensor.type != boolean) return {};
  for (std::size_t i = 0; i < tensor.bytes.size(); ++i) {
    const int value = std::to_integer<int>(tensor.bytes[i]);
    if (value > 1)
      return complain(tensor.name,
                      {"BOOL element ", std::to_string(i), " is ", std::to_string(value), ", expected 0 or 1"});
  }
  return {};
}

/// Finds the header of a file.
[[gnu::cold]] inline complaint find_header(std::span<const std::byte> file, std::string_view& header) {
  if (file.size() < 8)
    return joined(
        {"the file has ", std::to_string(file.size()), " bytes, expected at least the 8 of the header's length"});
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  const std::string claim = joined({"the header claims ", std::to_string(length), " bytes, "});
  if (length > longest_header) return joined({claim, "expected at most ", std::to_string(longest_header)});
  if (length > file.size() - 8)
    return joined({claim, "but only ", std::to_string(file.size() - 8), " follow its length"});
  header = {reinterpret_cast<const char*>(file.data() + 8), static_cast<std::size_t>(length)};
  if (!header.starts_with('{')) return joined({"header: expected '{' at its begin, got ", quoted(header.substr(0, 1))});
  return {};
}

/// Gives the tensors their bytes, once everything about them is checked.
[[gnu::cold]] inline complaint fill(contents& found, std::vector<statement>& statements, std::span<const std::byte> data) {
  for (const statement& t : statements)
    if (complaint wrong = check_size(t, data.size()); !wrong.empty()) return wrong;
  for (const statement& t : statements) {
    found.tensors.push_back(t.entry);
    found.tensors.back().bytes = {data.data() + t.begin, static_cast<std::size_t>(t.end - t.begin)};
    if (complaint wrong = check_booleans(found.tensors.back()); !wrong.empty()) return wrong;
  }
  // Two tensors of one name would also overlap or leave a hole; the name is the better reason.
  if (const tensor_entry* twice = sort_by_name(found.tensors))
    return complain(twice->name, {"its name occurs twice, expected it once"});
  if (const metadata_entry* twice = sort_by_key(found.metadata))
    return joined({"metadata ", quoted(twice->key), ": its key occurs twice"});
  return check_cover(statements, data.size());
}
}  // namespace detail

[[gnu::cold]] inline result<contents> parse(std::span<const std::byte> file) {
  std::string_view header;
  if (detail::complaint wrong = detail::find_header(file, header); !wrong.empty())
    return fail(error_code::invalid_file, std::move(wrong));
  detail::header_reader reader(header);
  if (!reader.read()) return fail(reader.reason());
  const std::span<const std::byte> data(file.data() + 8 + header.size(), file.size() - 8 - header.size());
  if (detail::complaint wrong = detail::fill(reader.found(), reader.statements(), data); !wrong.empty())
    return fail(error_code::invalid_file, std::move(wrong));
  return std::move(reader.found());
}

}  // namespace safetensors
}  // namespace nnrt::inline NNRT_ISA
