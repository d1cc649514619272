// safetensors: the file format of weights and saved models - a checked reader over bytes in memory.
// Flow: weights.hpp puts a handle around what parse() finds; safetensors_writer.hpp writes.
#pragma once

#include <nnrt/core/desc.hpp>
#include <nnrt/core/pool.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/json.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

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

namespace safetensors {

/// What a file holds: tensors and metadata in the order of their names, each name once. The tensors' bytes are the
/// file's; names and metadata point into `text`, so contents move but do not copy.
struct contents {
  pool<tensor_entry> tensors;
  pool<metadata_entry> metadata;
  pool<char> text;

  contents() = default;
  contents(contents&&) noexcept = default;
  contents& operator=(contents&&) noexcept = default;

  /// Appends a copy of `letters` to `text`; whoever calls it reserves enough before, for views must stay valid.
  std::string_view keep(std::string_view letters) {
    const std::size_t at = text.size();
    text.insert(letters.begin(), letters.end());
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
/// The same into `found`, which is empty before.
[[gnu::cold]] inline result<void> read(std::span<const std::byte> file, contents& found);

}  // namespace safetensors

// --- details ---------------------------------------------------------------
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

/// Heapsort over plain structs: names come from strangers, so the worst case counts; and std::sort costs compilers 0.01 s
/// for each type.
[[gnu::cold]] inline void sort(std::byte* items, std::size_t count, std::size_t item_bytes, bool (*less)(const void*, const void*)) {
  const auto item = [&](std::size_t i) { return items + i * item_bytes; };
  std::size_t in_order = 1;
  while (in_order < count && !less(item(in_order), item(in_order - 1))) ++in_order;
  if (in_order >= count) return;  // as most writers leave their tensors
  // In pieces, not byte by byte: for a network of a hundred tensors that took longer than reading their JSON.
  const auto swap = [&](std::size_t i, std::size_t k) {
    std::byte kept[256];
    for (std::size_t at = 0, bytes; at < item_bytes; at += bytes) {
      bytes = item_bytes - at < sizeof kept ? item_bytes - at : sizeof kept;
      std::memcpy(kept, item(i) + at, bytes);
      std::memcpy(item(i) + at, item(k) + at, bytes);
      std::memcpy(item(k) + at, kept, bytes);
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
  static_assert(std::is_trivially_copyable_v<T>);
  sort(reinterpret_cast<std::byte*>(items.data()), items.size(), sizeof(T),
       [](const void* a, const void* b) { return Less{}(*static_cast<const T*>(a), *static_cast<const T*>(b)); });
}

/// A tensor as its header states it. Until the offsets are checked, `entry.bytes` are empty.
struct statement {
  tensor_entry entry;
  std::uint64_t begin = 0, end = 0;
};

/// Says what is wrong with a tensor; false, for functions that answer whether all is well.
[[gnu::cold]] inline bool complain(pool<char>& wrong, std::string_view name, pieces reason) {
  append(wrong, {"tensor ", piece::in_quotes(name), ": "});
  append(wrong, reason);
  return false;
}
[[gnu::cold]] inline bool complain(pool<char>& wrong, pieces reason) { return append(wrong, reason), false; }

/// Reads the JSON header into statements and metadata, kept in the order of the header.
class header_reader {
 public:
  header_reader(std::string_view header, contents& found) : json_(header), found_(found) { found_.text.reserve(header.size()); }

  bool read();
  error reason() const {
    return {supported_ ? error_code::invalid_file : error_code::not_supported, {"header: ", json_.reason().message()}};
  }
  pool<statement>& statements() { return statements_; }

 private:
  [[gnu::cold]] bool refuse(std::string_view name, pieces reason) {
    pool<char> wrong;
    complain(wrong, name, reason);
    return json_.refuse({letters_of(wrong)}), false;
  }
  bool read_metadata();
  bool read_tensor(std::string_view name);
  bool read_field(statement& tensor, unsigned& seen);
  bool read_dtype(statement& tensor);
  bool read_shape(statement& tensor);
  bool read_offsets(statement& tensor);
  bool expect(const statement& tensor, std::string_view field, json_event wanted);

  json_reader json_;
  contents& found_;
  pool<statement> statements_;
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
      return json_.refuse({"metadata ", piece::in_quotes(key), ": expected a string, got ", name_of(value)}), false;
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
    if ((seen & 1U) == 0) return refuse(name, {"field ", piece::in_quotes(field), " is missing"});
    seen >>= 1U;
  }
  statements_.push_back(tensor);
  return true;
}

[[gnu::cold]] inline bool header_reader::read_field(statement& tensor, unsigned& seen) {
  const std::string_view field = json_.string();
  const unsigned bit = field == "dtype" ? 1 : field == "shape" ? 2 : field == "data_offsets" ? 4 : 0;
  if (bit == 0) return refuse(tensor.entry.name, {"unknown field ", piece::in_quotes(field)});
  if ((seen & bit) != 0) return refuse(tensor.entry.name, {"field ", piece::in_quotes(field), " occurs twice"});
  seen |= bit;
  return bit == 1 ? read_dtype(tensor) : bit == 2 ? read_shape(tensor) : read_offsets(tensor);
}

[[gnu::cold]] inline bool header_reader::read_dtype(statement& tensor) {
  if (!expect(tensor, "dtype", json_event::string)) return false;
  pool<char> known;
  for (const dtype_row& row : dtypes) {
    if (row.name == json_.string()) return tensor.entry.type = row.type, true;
    append(known, {known.empty() ? "" : ", ", row.name});
  }
  supported_ = false;
  return refuse(tensor.entry.name, {"dtype ", piece::in_quotes(json_.string()), " is not supported, expected one of ", letters_of(known)});
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
      return refuse(tensor.entry.name, {"shape: expected extents of at least 0, got ", extent});
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
    if (got < 0) return refuse(tensor.entry.name, {"data_offsets: expected at least 0, got ", got});
    *offset = static_cast<std::uint64_t>(got);
  }
  return expect(tensor, "data_offsets", json_event::end_array);
}

/// The same for a tensor whose offsets are wrong, which are named first.
[[gnu::cold]] inline bool complain_of_offsets(pool<char>& wrong, const statement& t, pieces reason) {
  complain(wrong, t.entry.name, {"data_offsets [", t.begin, ", ", t.end, "]"});
  return complain(wrong, reason);
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

[[gnu::cold]] inline bool check_size(const statement& t, std::uint64_t data_bytes, pool<char>& wrong) {
  const tensor_entry& tensor = t.entry;
  if (has_too_many_elements(tensor.shape))
    return complain(wrong, tensor.name, {"shape ", tensor.shape, " has more than 2^40 elements"});
  if (t.begin > t.end) return complain_of_offsets(wrong, t, {" end before they begin"});
  if (t.end > data_bytes) return complain_of_offsets(wrong, t, {" reach beyond the file's ", data_bytes, " bytes of data"});
  const std::uint64_t got = t.end - t.begin,
                      expected = static_cast<std::uint64_t>(tensor.shape.elements() * size_of(tensor.type));
  if (got == expected) return true;
  return complain_of_offsets(wrong, t, {" hold ", got, " bytes, expected ", expected, " for ", file_name_of(tensor.type), " ", tensor.shape});
}

/// In the order of their data, every tensor starts where the one before ended, and the last one ends with the file.
[[gnu::cold]] inline bool check_cover(pool<statement>& tensors, std::uint64_t data_bytes, pool<char>& wrong) {
  sort(tensors,
       [](const statement& a, const statement& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
  const statement* last = nullptr;
  std::uint64_t covered = 0;
  for (const statement& t : tensors) {
    if (t.begin < covered) {
      const piece other = piece::in_quotes(last->entry.name);
      return complain_of_offsets(wrong, t, {" overlap tensor ", other, ", data_offsets [", last->begin, ", ", last->end, "]"});
    }
    if (t.begin > covered) return complain_of_offsets(wrong, t, {" leave a hole, expected them to begin at ", covered});
    covered = t.end;
    last = &t;
  }
  if (covered == data_bytes) return true;
  complain(wrong, {"the data have ", data_bytes, " bytes, expected ", covered, ", "});
  if (last == nullptr) return complain(wrong, {"for a header that names no tensor"});
  return complain(wrong, {"where the last tensor, ", piece::in_quotes(last->entry.name), ", ends"});
}

// Other bytes than 0 and 1 are no value of a C++ bool: reading one would be undefined behaviour in every kernel.
[[gnu::cold]] inline bool check_booleans(const tensor_entry& tensor, pool<char>& wrong) {
  if (tensor.type != boolean) return true;
  for (std::size_t i = 0; i < tensor.bytes.size(); ++i) {
    const int value = std::to_integer<int>(tensor.bytes[i]);
    if (value > 1) return complain(wrong, tensor.name, {"BOOL element ", i, " is ", value, ", expected 0 or 1"});
  }
  return true;
}

/// Puts the tensors in the order of their names; null, or one whose name occurs twice.
[[gnu::cold]] inline const tensor_entry* sort_by_name(pool<tensor_entry>& tensors) {
  sort(tensors, [](const tensor_entry& a, const tensor_entry& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < tensors.size(); ++i)
    if (tensors[i].name == tensors[i - 1].name) return &tensors[i];
  return nullptr;
}
[[gnu::cold]] inline const metadata_entry* sort_by_key(pool<metadata_entry>& metadata) {
  sort(metadata, [](const metadata_entry& a, const metadata_entry& b) { return a.key < b.key; });
  for (std::size_t i = 1; i < metadata.size(); ++i)
    if (metadata[i].key == metadata[i - 1].key) return &metadata[i];
  return nullptr;
}
/// Both, and each name once.
[[gnu::cold]] inline bool sort_contents(pool<tensor_entry>& tensors, pool<metadata_entry>& metadata, pool<char>& wrong) {
  if (const tensor_entry* twice = sort_by_name(tensors)) return complain(wrong, twice->name, {"its name occurs twice, expected it once"});
  if (const metadata_entry* twice = sort_by_key(metadata))
    return complain(wrong, {"metadata ", piece::in_quotes(twice->key), ": its key occurs twice"});
  return true;
}

/// Finds the header of a file.
[[gnu::cold]] inline bool find_header(std::span<const std::byte> file, std::string_view& header, pool<char>& wrong) {
  if (file.size() < 8)
    return complain(wrong, {"the file has ", file.size(), " bytes, expected at least the 8 of the header's length"});
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  if (length > longest_header)
    return complain(wrong, {"the header claims ", length, " bytes, expected at most ", longest_header});
  if (length > file.size() - 8)
    return complain(wrong, {"the header claims ", length, " bytes, but only ", file.size() - 8, " follow its length"});
  header = {reinterpret_cast<const char*>(file.data() + 8), static_cast<std::size_t>(length)};
  if (!header.starts_with('{'))
    return complain(wrong, {"header: expected '{' at its begin, got ", piece::in_quotes(header.substr(0, 1))});
  return true;
}

/// Gives the tensors their bytes, once everything about them is checked.
[[gnu::cold]] inline bool fill(contents& found, pool<statement>& statements, std::span<const std::byte> data, pool<char>& wrong) {
  for (const statement& t : statements)
    if (!check_size(t, data.size(), wrong)) return false;
  for (const statement& t : statements) {
    found.tensors.push_back(t.entry);
    found.tensors.back().bytes = {data.data() + t.begin, static_cast<std::size_t>(t.end - t.begin)};
    if (!check_booleans(found.tensors.back(), wrong)) return false;
  }
  // Two tensors of one name would also overlap or leave a hole; the name is the better reason.
  return sort_contents(found.tensors, found.metadata, wrong) && check_cover(statements, data.size(), wrong);
}
}  // namespace detail

[[gnu::cold]] inline result<contents> parse(std::span<const std::byte> file) {
  contents found;
  if (auto ok = read(file, found); !ok) return fail(std::move(ok.error()));
  return found;
}

[[gnu::cold]] inline result<void> read(std::span<const std::byte> file, contents& found) {
  std::string_view header;
  pool<char> wrong;
  if (!detail::find_header(file, header, wrong)) return fail(error_code::invalid_file, letters_of(wrong));
  detail::header_reader reader(header, found);
  if (!reader.read()) return fail(reader.reason());
  const std::span<const std::byte> data(file.data() + 8 + header.size(), file.size() - 8 - header.size());
  if (!detail::fill(found, reader.statements(), data, wrong)) return fail(error_code::invalid_file, letters_of(wrong));
  return {};
}

}  // namespace safetensors
}  // namespace nnrt::inline NNRT_ISA
