// npy: a tensor out of a file that NumPy saved.
// Flow: samples.cpp maps the file.
#include "samples.hpp"

#include <charconv>

namespace nnrt_command {
namespace {

using nnrt::dtype;

constexpr std::string_view spaces = " \t\n\r,";

/// What follows a key of the header's dictionary: `'descr': '<f4'` gives `'<f4'…`; empty without such a key.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == header.npos) return {};
  std::string_view rest = header.substr(at + key.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" :"), rest.size()));
  return rest;
}

dtype type_of(std::string_view descr) {
  struct row {
    std::string_view letters;
    dtype type;
  };
  constexpr row rows[] = {{"'|b1'", dtype::boolean}, {"'|i1'", dtype::i8},  {"'<i2'", dtype::i16},
                          {"'<i4'", dtype::i32},     {"'<i8'", dtype::i64}, {"'|u1'", dtype::u8},
                          {"'<u2'", dtype::u16},     {"'<u4'", dtype::u32}, {"'<u8'", dtype::u64},
                          {"'<f2'", dtype::f16},     {"'<f4'", dtype::f32}, {"'<f8'", dtype::f64}};
  for (const row& r : rows)
    if (descr.starts_with(r.letters)) return r.type;
  return dtype::none;
}

bool read_shape(std::string_view tuple, nnrt::shape_t& shape) {
  const std::size_t end = tuple.find(')');
  if (!tuple.starts_with('(') || end == tuple.npos) return false;
  tuple = tuple.substr(1, end - 1);
  for (;;) {
    tuple.remove_prefix(std::min(tuple.find_first_not_of(spaces), tuple.size()));
    if (tuple.empty()) return true;
    std::int64_t extent = -1;
    const auto read = std::from_chars(tuple.data(), tuple.data() + tuple.size(), extent);
    if (read.ec != std::errc{} || extent < 0 || shape.rank == nnrt::max_rank) return false;
    shape.push_back(extent);
    tuple.remove_prefix(static_cast<std::size_t>(read.ptr - tuple.data()));
  }
}

nnrt::failure broken(nnrt::pieces why) { return nnrt::fail(nnrt::error_code::invalid_file, why); }

}  // namespace

nnrt::result<nnrt::tensor_entry> parse_npy(std::span<const std::byte> file) {
  if (file.size() < 12 || std::memcmp(file.data(), "\x93NUMPY", 6) != 0)
    return broken({"is no .npy file: its first bytes are not those of one"});
  const int version = std::to_integer<int>(file[6]);
  if (version < 1 || version > 3) return broken({"has version ", version, " of the .npy format, expected 1 to 3"});
  const std::size_t prefix = version == 1 ? 10 : 12;
  std::size_t length = 0;
  for (std::size_t i = prefix; i-- > 8;) length = length << 8U | std::to_integer<std::size_t>(file[i]);
  if (length > file.size() - prefix)
    return broken({"has a header of ", length, " bytes, but only ", file.size() - prefix, " follow"});
  const std::string_view header(reinterpret_cast<const char*>(file.data() + prefix), length);
  nnrt::tensor_entry tensor;
  tensor.bytes = file.subspan(prefix + length);
  for (const std::string_view key : {"'descr'", "'fortran_order'", "'shape'"})
    if (value_of(header, key).empty()) return broken({"has no ", key, " in its header"});
  const std::string_view descr = value_of(header, "'descr'");
  tensor.type = type_of(descr);
  if (tensor.type == dtype::none)
    return nnrt::fail(
        nnrt::error_code::not_supported,
        {"has elements of type ", descr.substr(0, descr.find(',')).substr(0, 40), ", which nnrt does not read"});
  const std::string_view is_turned = value_of(header, "'fortran_order'");
  if (is_turned.starts_with("True"))
    return nnrt::fail(nnrt::error_code::not_supported, "is in Fortran's order of elements, expected C's");
  if (!is_turned.starts_with("False"))
    return broken(
        {"has 'fortran_order' ", is_turned.substr(0, is_turned.find(',')).substr(0, 40), ", expected True or False"});
  if (!read_shape(value_of(header, "'shape'"), tensor.shape))
    return broken({"has no shape of at most 8 extents in its header"});
  const std::int64_t bytes = tensor.shape.elements() < 0 ? -1 : tensor.shape.elements() * nnrt::size_of(tensor.type);
  if (bytes != static_cast<std::int64_t>(tensor.bytes.size()))
    return broken({"has ", tensor.bytes.size(), " bytes of elements, expected ", bytes});
  return tensor;
}

}  // namespace nnrt_command
