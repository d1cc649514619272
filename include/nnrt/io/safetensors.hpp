// safetensors: a checking reader of the safetensors file format, over bytes in memory.
// Flow: weights.hpp and saved_model.hpp read files with it; safetensors_writer.hpp writes them.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/boolean_bytes.hpp>
#include <nnrt/core/desc.hpp>
#include <nnrt/core/pool.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/json.hpp>
#include <nnrt/io/narrow_floats.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// A named tensor. It borrows its name and its bytes (dense, row-major, little-endian).
struct tensor_entry {
  std::string_view name;
  dtype type = dtype::none;
  shape_t shape;
  array_ref<const std::byte> bytes;
  // narrower encoding of an f32 tensor's elements; none after parse(), which widens them
  narrow_float stored = narrow_float::none;
};

/// A text of a file's metadata and its key.
struct metadata_entry {
  std::string_view key, value;
};

namespace safetensors {

/// The contents of a file: tensors and metadata, sorted by name, each name once. Tensors point into the file's bytes.
/// BF16, F8_E4M3 and F8_E5M2 tensors are converted to f32 in `widened`. Names and metadata point into `text`, so
/// contents can be moved but not copied.
struct contents {
  pool<tensor_entry> tensors;
  pool<metadata_entry> metadata;
  pool<char> text;
  pool<float> widened;  // elements of tensors that the file stores in fewer bits

  contents() = default;
  contents(contents&&) noexcept = default;
  contents& operator=(contents&&) noexcept = default;

  /// Appends a copy of `letters` to `text` and returns a view of it. Callers reserve enough room first: growth would
  /// invalidate earlier views.
  std::string_view keep(std::string_view letters) {
    const std::size_t at = text.size();
    text.insert(letters.begin(), letters.end());
    return letters_of(text).substr(at);
  }
};

/// Largest header in bytes that is read or written: the limit of the format's reference implementation.
inline constexpr std::uint64_t max_header = 100'000'000;

/// Reads a file from bytes that must outlive the result. Checks the header's length and JSON, duplicate names and
/// fields, dtypes, ranks (at most 8), and sizes against offsets in 64 bits. Tensors must cover the data exactly,
/// without overlap or gap. BOOL elements must be 0 or 1.
/// Errors: invalid_file, not_supported (a dtype that nnrt lacks, such as F4). The message names the tensor and the
/// expected and actual values. Source: README and reference implementation of huggingface/safetensors 0.4.
[[gnu::cold]] inline result<contents> parse(array_ref<const std::byte> file);
/// Overload that reads into `found`, which must be empty.
[[gnu::cold]] inline result<void> read(array_ref<const std::byte> file, contents& found);

}  // namespace safetensors

// --- details ---------------------------------------------------------------
namespace safetensors {
namespace detail {
static_assert(std::endian::native == std::endian::little,
              "nnrt: a safetensors file is little-endian, and so is its user");

struct dtype_row {
  std::string_view name;
  dtype type;
  narrow_float stored = narrow_float::none;
};
inline constexpr dtype_row dtypes[] = {{"BOOL", boolean},
                                       {"U8", u8},
                                       {"I8", i8},
                                       {"U16", u16},
                                       {"I16", i16},
                                       {"U32", u32},
                                       {"I32", i32},
                                       {"U64", u64},
                                       {"I64", i64},
                                       {"F16", f16},
                                       {"F32", f32},
                                       {"F64", f64},
                                       {"BF16", f32, narrow_float::bf16},
                                       {"F8_E4M3", f32, narrow_float::f8_e4m3},
                                       {"F8_E5M2", f32, narrow_float::f8_e5m2}};

constexpr std::string_view file_name_of(const tensor_entry& tensor) {
  for (const dtype_row& row : dtypes)
    if (row.type == tensor.type && row.stored == tensor.stored) return row.name;
  return "none";
}
/// Size in bytes of a tensor's elements in the file.
constexpr std::int64_t stored_bytes_of(const tensor_entry& tensor) {
  return tensor.shape.elements() * (tensor.stored == narrow_float::none
                                        ? size_of(tensor.type)
                                        : static_cast<std::int64_t>(bytes_of(tensor.stored)));
}

/// Heapsort of trivially copyable items: O(n log n) for hostile names, too. std::sort would add 0.01 s of compile time
/// for each type.
[[gnu::cold]] inline void sort(std::byte* items, std::size_t count, std::size_t item_bytes,
                               bool (*less)(const void*, const void*)) {
  const auto item = [&](std::size_t i) { return items + i * item_bytes; };
  std::size_t in_order = 1;
  while (in_order < count && !less(item(in_order), item(in_order - 1))) ++in_order;
  if (in_order >= count) return;  // the usual case: writers keep tensors in order
  // Swaps 8 bytes at a time; swapping single bytes took longer than parsing the JSON of 100 tensors.
  const auto swap = [&](std::size_t i, std::size_t k) {
    for (std::size_t at = 0; at < item_bytes; at += sizeof(std::uint64_t)) {
      std::uint64_t a, b;
      std::memcpy(&a, item(i) + at, sizeof a), std::memcpy(&b, item(k) + at, sizeof b);
      std::memcpy(item(i) + at, &b, sizeof b), std::memcpy(item(k) + at, &a, sizeof a);
    }
  };
  std::size_t unsifted = count / 2, end = count;
  while (end > 1) {
    if (unsifted > 0) --unsifted;
    else swap(0, --end);
    std::size_t at = unsifted;
    for (std::size_t child = 2 * at + 1; child < end; child = 2 * at + 1) {
      if (child + 1 < end && less(item(child), item(child + 1))) ++child;
      if (!less(item(at), item(child))) break;
      swap(at, child);
      at = child;
    }
  }
}
template <class T, class Less> void sort(pool<T>& items, Less) {
  static_assert(__is_trivially_copyable(T) && sizeof(T) % sizeof(std::uint64_t) == 0);
  sort(reinterpret_cast<std::byte*>(items.data()), items.size(), sizeof(T),
       [](const void* a, const void* b) { return Less{}(*static_cast<const T*>(a), *static_cast<const T*>(b)); });
}

/// Appends `tensor <name>: <reason>` to `wrong`. Returns false, so that checks can return its result.
[[gnu::cold]] inline bool complain(pool<char>& wrong, std::string_view name, pieces reason) {
  append(wrong, {"tensor ", piece::in_quotes(name), ": "});
  append(wrong, reason);
  return false;
}
[[gnu::cold]] inline bool complain(pool<char>& wrong, pieces reason) { return append(wrong, reason), false; }

/// Byte range [begin, end) of a tensor in the file's data.
struct place {
  std::uint64_t begin = 0, end = 0;
};
/// Like complain(), with the tensor's offsets before the reason.
[[gnu::cold]] inline bool complain_of_offsets(pool<char>& wrong, std::string_view name, place at, pieces reason) {
  complain(wrong, name, {"data_offsets [", at.begin, ", ", at.end, "]"});
  return complain(wrong, reason);
}

/// True when the product of the non-zero extents exceeds max_elements. Zeros are skipped so that they hide no overflow.
[[gnu::cold]] inline bool has_too_many_elements(const shape_t& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent == 0) continue;
    if (extent > max_elements / elements) return true;
    elements *= extent;
  }
  return false;
}

[[gnu::cold]] inline bool check_size(const tensor_entry& tensor, place at, std::uint64_t data_bytes,
                                     pool<char>& wrong) {
  if (has_too_many_elements(tensor.shape))
    return complain(wrong, tensor.name, {"shape ", tensor.shape, " has more than 2^40 elements"});
  if (at.begin > at.end) return complain_of_offsets(wrong, tensor.name, at, {" end before they begin"});
  if (at.end > data_bytes)
    return complain_of_offsets(wrong, tensor.name, at, {" reach beyond the file's ", data_bytes, " bytes of data"});
  const std::uint64_t got = at.end - at.begin, expected = static_cast<std::uint64_t>(stored_bytes_of(tensor));
  if (got == expected) return true;
  return complain_of_offsets(
      wrong, tensor.name, at,
      {" hold ", got, " bytes, expected ", expected, " for ", file_name_of(tensor), " ", tensor.shape});
}

[[gnu::cold]] inline bool check_booleans(const tensor_entry& tensor, pool<char>& wrong) {
  if (tensor.type != boolean) return true;
  const std::size_t i = first_no_boolean(tensor.bytes);
  if (i == tensor.bytes.size()) return true;
  return complain(wrong, tensor.name,
                  {"BOOL element ", i, " is ", std::to_integer<int>(tensor.bytes[i]), ", expected 0 or 1"});
}

/// Reads the JSON header into tensors and metadata, in the order of the header. Each tensor gets its bytes after its
/// description was checked.
class header_reader {
 public:
  header_reader(std::string_view header, array_ref<const std::byte> data, contents& found, pool<char>& wrong)
      : json_(header), data_(data), found_(found), wrong_(wrong) {
    found_.text.reserve(header.size());
  }

  /// Returns false on an error, described in `wrong`.
  bool read();
  error_code code() const { return supported_ ? error_code::invalid_file : error_code::not_supported; }

 private:
  /// Report an error at the last JSON event; the second names the tensor.
  bool refuse(pieces reason);
  bool refuse_tensor(pieces reason);
  bool is(const char* field, json_event got, json_event wanted);
  bool expect(const char* field, json_event wanted) { return is(field, json_.next(), wanted); }
  bool read_all();
  bool read_metadata();
  bool read_tensor();
  bool read_field(unsigned& seen);
  bool read_dtype();
  bool read_shape();
  bool read_offsets();

  json_reader json_;
  array_ref<const std::byte> data_;
  contents& found_;
  pool<char>& wrong_;
  tensor_entry tensor_;  // the tensor being read
  place at_;
  bool supported_ = true, has_metadata_ = false;
};

[[gnu::cold]] inline bool header_reader::read() {
  if (read_all()) return true;
  if (json_.is_broken()) complain(wrong_, {"header: "}), json_.append_reason(wrong_);
  return false;
}

[[gnu::cold]] inline bool header_reader::refuse(pieces reason) {
  complain(wrong_, {"header: byte ", json_.position(), ": "});
  return complain(wrong_, reason);
}
[[gnu::cold]] inline bool header_reader::refuse_tensor(pieces reason) {
  refuse({"tensor ", piece::in_quotes(tensor_.name), ": "});
  return complain(wrong_, reason);
}
// A JSON syntax error keeps the JSON reader's message.
[[gnu::cold]] inline bool header_reader::is(const char* field, json_event got, json_event wanted) {
  if (got == json_event::broken || got == wanted) return got == wanted;
  return refuse_tensor({field, ": expected ", name_of(wanted), ", got ", name_of(got)});
}

[[gnu::cold]] inline bool header_reader::read_all() {
  if (!json_.expect(json_event::begin_object)) return false;
  while (json_.next() == json_event::key)
    if (!(json_.string() == std::string_view("__metadata__") ? read_metadata() : read_tensor())) return false;
  return json_.next() == json_event::end;
}

[[gnu::cold]] inline bool header_reader::read_metadata() {
  if (has_metadata_) return refuse({"\"__metadata__\" occurs twice"});
  has_metadata_ = true;
  if (!json_.expect(json_event::begin_object)) return false;
  while (json_.next() == json_event::key) {
    const std::string_view key = found_.keep(json_.string());
    const json_event value = json_.next();
    if (value == json_event::broken) return false;
    if (value != json_event::string)
      return refuse({"metadata ", piece::in_quotes(key), ": expected a string, got ", name_of(value)});
    found_.metadata.push_back({key, found_.keep(json_.string())});
  }
  return !json_.is_broken();
}

inline constexpr std::string_view fields[] = {"dtype", "shape", "data_offsets"};

[[gnu::cold]] inline bool header_reader::read_tensor() {
  tensor_ = {found_.keep(json_.string()), dtype::none, {}, {}};
  unsigned seen = 0;  // one bit for each field
  if (!expect("description", json_event::begin_object)) return false;
  while (json_.next() == json_event::key)
    if (!read_field(seen)) return false;
  if (json_.is_broken()) return false;
  for (const std::string_view field : fields) {
    if ((seen & 1U) == 0) return refuse_tensor({"field ", piece::in_quotes(field), " is missing"});
    seen >>= 1U;
  }
  if (!check_size(tensor_, at_, data_.size(), wrong_)) return false;
  tensor_.bytes = data_.subspan(at_.begin, at_.end - at_.begin);
  found_.tensors.push_back(tensor_);
  return check_booleans(tensor_, wrong_);
}

[[gnu::cold]] inline bool header_reader::read_field(unsigned& seen) {
  const piece field = piece::in_quotes(json_.string());
  unsigned index = 0;
  while (index < std::size(fields) && json_.string() != fields[index]) ++index;
  if (index == std::size(fields)) return refuse_tensor({"unknown field ", field});
  if ((seen >> index & 1U) != 0) return refuse_tensor({"field ", field, " occurs twice"});
  seen |= 1U << index;
  return index == 0 ? read_dtype() : index == 1 ? read_shape() : read_offsets();
}

[[gnu::cold]] inline bool header_reader::read_dtype() {
  if (!expect("dtype", json_event::string)) return false;
  for (const dtype_row& row : dtypes)
    if (row.name == json_.string()) return tensor_.type = row.type, tensor_.stored = row.stored, true;
  pool<char> known;
  for (const dtype_row& row : dtypes) append(known, {known.empty() ? "" : ", ", row.name});
  supported_ = false;
  return refuse_tensor(
      {"dtype ", piece::in_quotes(json_.string()), " is not supported, expected one of ", letters_of(known)});
}

[[gnu::cold]] inline bool header_reader::read_shape() {
  if (!expect("shape", json_event::begin_array)) return false;
  for (json_event event = json_.next(); event != json_event::end_array; event = json_.next()) {
    if (!is("shape", event, json_event::integer)) return false;
    const std::int64_t extent = json_.integer();
    if (extent < 0) return refuse_tensor({"shape: expected extents of at least 0, got ", extent});
    if (tensor_.shape.rank == max_rank) return refuse_tensor({"shape: expected at most 8 extents, got more"});
    tensor_.shape.push_back(extent);
  }
  return true;
}

[[gnu::cold]] inline bool header_reader::read_offsets() {
  if (!expect("data_offsets", json_event::begin_array)) return false;
  for (std::uint64_t* offset : {&at_.begin, &at_.end}) {
    if (!expect("data_offsets", json_event::integer)) return false;
    const std::int64_t got = json_.integer();
    if (got < 0) return refuse_tensor({"data_offsets: expected at least 0, got ", got});
    *offset = static_cast<std::uint64_t>(got);
  }
  return expect("data_offsets", json_event::end_array);
}

/// Checks that the tensors cover the data: in data order, each begins where the preceding one ends, and the last one
/// ends with the data. Leaves the tensors in that order.
[[gnu::cold]] inline bool check_cover(pool<tensor_entry>& tensors, array_ref<const std::byte> data, pool<char>& wrong) {
  sort(tensors, [](const tensor_entry& a, const tensor_entry& b) {
    return a.bytes.data() != b.bytes.data() ? a.bytes.data() < b.bytes.data() : a.bytes.size() < b.bytes.size();
  });
  std::string_view last;
  place before;  // of the preceding tensor
  for (const tensor_entry& t : tensors) {
    const auto begin = static_cast<std::uint64_t>(t.bytes.data() - data.data());
    const place at{begin, begin + t.bytes.size()};
    if (at.begin < before.end)
      return complain_of_offsets(
          wrong, t.name, at,
          {" overlap tensor ", piece::in_quotes(last), ", data_offsets [", before.begin, ", ", before.end, "]"});
    if (at.begin > before.end)
      return complain_of_offsets(wrong, t.name, at, {" leave a hole, expected them to begin at ", before.end});
    before = at;
    last = t.name;
  }
  if (before.end == data.size()) return true;
  complain(wrong, {"the data have ", data.size(), " bytes, expected ", before.end, ", "});
  if (tensors.empty()) return complain(wrong, {"for a header that names no tensor"});
  return complain(wrong, {"where the last tensor, ", piece::in_quotes(last), ", ends"});
}

// Not inlined: saves two comparison functions of the standard library in each sort.
[[gnu::cold, gnu::noinline]] inline bool is_before(std::string_view a, std::string_view b) { return a.compare(b) < 0; }

/// Sorts the tensors by name. Returns null, or a tensor whose name occurs twice.
[[gnu::cold]] inline const tensor_entry* sort_by_name(pool<tensor_entry>& tensors) {
  sort(tensors, [](const tensor_entry& a, const tensor_entry& b) { return is_before(a.name, b.name); });
  for (std::size_t i = 1; i < tensors.size(); ++i)
    if (tensors[i].name == tensors[i - 1].name) return &tensors[i];
  return nullptr;
}
[[gnu::cold]] inline const metadata_entry* sort_by_key(pool<metadata_entry>& metadata) {
  sort(metadata, [](const metadata_entry& a, const metadata_entry& b) { return is_before(a.key, b.key); });
  for (std::size_t i = 1; i < metadata.size(); ++i)
    if (metadata[i].key == metadata[i - 1].key) return &metadata[i];
  return nullptr;
}
/// Sorts tensors and metadata. Returns false when a name or key occurs twice.
[[gnu::cold]] inline bool sort_contents(pool<tensor_entry>& tensors, pool<metadata_entry>& metadata,
                                        pool<char>& wrong) {
  if (const tensor_entry* twice = sort_by_name(tensors))
    return complain(wrong, twice->name, {"its name occurs twice, expected it once"});
  if (const metadata_entry* twice = sort_by_key(metadata))
    return complain(wrong, {"metadata ", piece::in_quotes(twice->key), ": its key occurs twice"});
  return true;
}

/// Checks the header's length and finds its JSON text.
[[gnu::cold]] inline bool find_header(array_ref<const std::byte> file, std::string_view& header, pool<char>& wrong) {
  if (file.size() < 8)
    return complain(wrong, {"the file has ", file.size(), " bytes, expected at least the 8 of the header's length"});
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  if (length > max_header)
    return complain(wrong, {"the header claims ", length, " bytes, expected at most ", max_header});
  if (length > file.size() - 8)
    return complain(wrong, {"the header claims ", length, " bytes, but only ", file.size() - 8, " follow its length"});
  header = {reinterpret_cast<const char*>(file.data() + 8), static_cast<std::size_t>(length)};
  if (!header.starts_with('{'))
    return complain(wrong, {"header: expected '{' at its begin, got ", piece::in_quotes(header.substr(0, 1))});
  return true;
}

/// Checks coverage and duplicate names, and sorts by name.
[[gnu::cold]] inline bool check_contents(contents& found, array_ref<const std::byte> data, pool<char>& wrong) {
  const bool is_covered = check_cover(found.tensors, data, wrong);
  // Tensors with the same name usually also overlap or leave a gap; the duplicate name is the better message.
  pool<char> of_names;
  if (sort_contents(found.tensors, found.metadata, of_names)) return is_covered;
  wrong = static_cast<pool<char>&&>(of_names);
  return false;
}

/// Converts narrow elements to f32 and points their tensors to the result.
[[gnu::cold]] inline void widen_all(contents& found) {
  std::size_t count = 0;
  for (const tensor_entry& tensor : found.tensors)
    if (tensor.stored != narrow_float::none) count += static_cast<std::size_t>(tensor.shape.elements());
  if (count == 0) return;
  found.widened.assign(count, 0);
  float* to = found.widened.data();
  for (tensor_entry& tensor : found.tensors) {
    if (tensor.stored == narrow_float::none) continue;
    const auto elements = static_cast<std::size_t>(tensor.shape.elements());
    widen(tensor.stored, tensor.bytes.data(), elements, to);
    tensor.bytes = {reinterpret_cast<const std::byte*>(to), elements * sizeof(float)};
    tensor.stored = narrow_float::none;
    to += elements;
  }
}
}  // namespace detail

[[gnu::cold]] inline result<contents> parse(array_ref<const std::byte> file) {
  contents found;
  if (auto ok = read(file, found); !ok) return fail(std::move(ok.error()));
  return found;
}

[[gnu::cold]] inline result<void> read(array_ref<const std::byte> file, contents& found) {
  std::string_view header;
  pool<char> wrong;
  if (!detail::find_header(file, header, wrong)) return fail(error_code::invalid_file, letters_of(wrong));
  const array_ref<const std::byte> data = file.subspan(8 + header.size());
  detail::header_reader reader(header, data, found, wrong);
  if (reader.read() && detail::check_contents(found, data, wrong)) return detail::widen_all(found), result<void>();
  return fail(reader.code(), letters_of(wrong));
}

}  // namespace safetensors
}}  // namespace nnrt::NNRT_ISA
