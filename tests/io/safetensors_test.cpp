// safetensors: round trips, and hostile files, each with the reason that its message must give.
#include "../support/safetensors_bytes.hpp"

#include <nnrt/io/safetensors.hpp>
#include <nnrt/io/safetensors_writer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace {

using nnrt::tensor_entry;
using bytes = std::vector<std::byte>;

/// Whether what was parsed keeps every promise of contents: bytes inside the file, of the size that dtype and shape
/// say, names in order.
bool is_well_formed(const nnrt::safetensors::contents& found, const bytes& file) {
  std::size_t covered = 0;
  for (std::size_t i = 0; i < found.tensors.size(); ++i) {
    const tensor_entry& tensor = found.tensors[i];
    const bool inside =
        tensor.bytes.data() >= file.data() && tensor.bytes.data() + tensor.bytes.size() <= file.data() + file.size();
    const bool sized =
        static_cast<std::int64_t>(tensor.bytes.size()) == tensor.shape.elements() * nnrt::size_of(tensor.type);
    if (!inside || !sized || (i > 0 && !(found.tensors[i - 1].name < tensor.name))) return false;
    covered += tensor.bytes.size();
  }
  return covered <= file.size();
}

std::string message_of(const bytes& file) {
  const auto found = nnrt::safetensors::parse(file);
  return found ? (is_well_formed(*found, file) ? "well-formed" : "broken promises") : found.error().message();
}

/// A header of one U8 tensor "x" of 4 elements, one field replaced.
std::string header_with(std::string_view field, std::string_view value) {
  std::string header = "{\"x\":{";
  header += "\"dtype\":" + std::string(field == "dtype" ? value : "\"U8\"");
  header += ",\"shape\":" + std::string(field == "shape" ? value : "[4]");
  header += ",\"data_offsets\":" + std::string(field == "data_offsets" ? value : "[0,4]");
  return header + "}}";
}

bytes small_file() {
  const bytes weight = counted(24), bias = counted(2);
  const tensor_entry tensors[] = {
      {"conv.weight", nnrt::f32, {2, 3}, weight}, {"conv.bias", nnrt::i8, {2}, bias}, {"scalar", nnrt::f16, {}, bias}};
  const nnrt::metadata_entry metadata[] = {{"format", "pt"}};
  return *nnrt::safetensors::serialize(tensors, metadata);
}

}  // namespace

TEST_CASE("safetensors: every dtype and shape reads back as it was written") {
  using nnrt::dtype;
  const bytes elements = counted(24 * 8), booleans(24, std::byte{1});
  std::vector<std::string> names;
  std::vector<tensor_entry> tensors;
  for (int type = 1; type < nnrt::dtype_count; ++type)
    names.push_back("tensor \"" + std::string(nnrt::name_of(static_cast<dtype>(type))) + "\" \xC3\xA9\n");
  for (int type = 1; type < nnrt::dtype_count; ++type) {
    const auto t = static_cast<dtype>(type);
    const auto size = static_cast<std::size_t>(24 * nnrt::size_of(t));
    tensors.push_back({names[tensors.size()],
                       t,
                       {1, 2, 3, 1, 4, 1, 1, 1},
                       std::span(t == nnrt::boolean ? booleans : elements).first(size)});
  }
  tensors.push_back({"empty", nnrt::f32, {3, 0}, {}});
  tensors.push_back({"scalar", nnrt::f64, {}, std::span(elements).first(8)});
  const nnrt::metadata_entry metadata[] = {{"b", "two\n\"2\""}, {"a", ""}};
  const auto file = nnrt::safetensors::serialize(tensors, metadata);
  REQUIRE(file);
  const auto found = nnrt::safetensors::parse(*file);
  REQUIRE_MESSAGE(found, found.error().message());
  REQUIRE(is_well_formed(*found, *file));
  REQUIRE(found->tensors.size() == tensors.size());
  for (const tensor_entry& tensor : tensors) {
    CAPTURE(tensor.name);
    const auto same = std::find_if(found->tensors.begin(), found->tensors.end(),
                                   [&](const tensor_entry& t) { return t.name == tensor.name; });
    REQUIRE(same != found->tensors.end());
    CHECK(same->type == tensor.type);
    CHECK(same->shape == tensor.shape);
    CHECK(std::equal(same->bytes.begin(), same->bytes.end(), tensor.bytes.begin(), tensor.bytes.end()));
    CHECK(static_cast<std::size_t>(same->bytes.data() - file->data()) %
              static_cast<std::size_t>(nnrt::size_of(tensor.type)) ==
          0);
  }
  REQUIRE(found->metadata.size() == 2);
  CHECK(found->metadata[0].key == "a");
  CHECK(found->metadata[1].value == "two\n\"2\"");
}

TEST_CASE("safetensors: a file without tensors is a file") {
  const auto file = nnrt::safetensors::serialize({});
  CHECK(text_of(std::span(*file).subspan(8)) == "{}      ");
  CHECK(message_of(*file) == "well-formed");
  CHECK(message_of(file_of("{}", 0)) == "well-formed");
  CHECK(message_of(file_of(R"({"__metadata__":{}})", 0)) == "well-formed");
}

TEST_CASE("safetensors: a hostile header is refused with the tensor, what was got and what was expected") {
  struct row {
    std::string header;
    std::size_t data_bytes;
    const char* message;
  };
  const row table[] = {
      {"", 0, "header: expected '{' at its begin, got \"\""},
      {" {}", 0, "header: expected '{' at its begin, got \" \""},
      {"[]", 0, "header: expected '{' at its begin, got \"[\""},
      {"{", 0, "header: byte 1: expected a key or '}', got the end of the text"},
      {"{}{}", 0, "header: byte 2: expected nothing after the value, got \"{\""},
      {"{\"x\":1}", 0, "tensor \"x\": description: expected an object, got an integer"},
      {"{\"x\":{}}", 0, "tensor \"x\": field \"dtype\" is missing"},
      {R"({"x":{"dtype":"U8"}})", 0, "tensor \"x\": field \"shape\" is missing"},
      {R"({"x":{"dtype":"U8","shape":[]}})", 0, "tensor \"x\": field \"data_offsets\" is missing"},
      {R"({"x":{"dtype":"U8","dtype":"U8"}})", 0, "tensor \"x\": field \"dtype\" occurs twice"},
      {R"({"x":{"stride":[1]}})", 0, "tensor \"x\": unknown field \"stride\""},
      {header_with("dtype", "\"F4\""), 4,
       "tensor \"x\": dtype \"F4\" is not supported, expected one of BOOL, U8, I8, U16, I16, U32, I32, U64, I64, "
       "F16, F32, F64, BF16, F8_E4M3, F8_E5M2"},
      {header_with("dtype", "\"F8_E8M0\""), 4, "tensor \"x\": dtype \"F8_E8M0\" is not supported"},
      {header_with("dtype", "\"BF16\""), 4, "data_offsets [0, 4] hold 4 bytes, expected 8 for BF16 [4]"},
      {header_with("dtype", "\"F8_E5M2\""), 5, "the data have 5 bytes, expected 4"},
      {header_with("dtype", "\"u8\""), 4, "tensor \"x\": dtype \"u8\" is not supported"},
      {header_with("dtype", "8"), 4, "tensor \"x\": dtype: expected a string, got an integer"},
      {header_with("shape", "4"), 4, "tensor \"x\": shape: expected an array, got an integer"},
      {header_with("shape", "[4.0]"), 4, "tensor \"x\": shape: expected an integer, got a real number"},
      {header_with("shape", "[-4]"), 4, "tensor \"x\": shape: expected extents of at least 0, got -4"},
      {header_with("shape", "[-1]"), 4, "tensor \"x\": shape: expected extents of at least 0, got -1"},
      {header_with("shape", "[\"4\"]"), 4, "tensor \"x\": shape: expected an integer, got a string"},
      {header_with("shape", "[[4]]"), 4, "tensor \"x\": shape: expected an integer, got an array"},
      {header_with("shape", "[1,1,1,1,1,1,1,1,4]"), 4, "tensor \"x\": shape: expected at most 8 extents, got more"},
      {header_with("shape", "[9223372036854775808]"), 4, "an integer does not fit into 64 bits"},
      {header_with("shape", "[9223372036854775807]"), 4,
       "tensor \"x\": shape [9223372036854775807] has more than 2^40 elements"},
      {header_with("shape", "[4294967296,4294967296]"), 4,
       "tensor \"x\": shape [4294967296, 4294967296] has more than 2^40 elements"},
      {header_with("shape", "[4294967296,4294967296,0]"), 4,
       "tensor \"x\": shape [4294967296, 4294967296, 0] has more than 2^40 elements"},
      {header_with("shape", "[0,4294967296,4294967296]"), 4,
       "tensor \"x\": shape [0, 4294967296, 4294967296] has more than 2^40 elements"},
      {header_with("shape", "[1048576,1048577]"), 4,
       "tensor \"x\": shape [1048576, 1048577] has more than 2^40 elements"},
      {header_with("shape", "[1048576,1048576]"), 4,
       "tensor \"x\": data_offsets [0, 4] hold 4 bytes, expected 1099511627776 for U8 [1048576, 1048576]"},
      {header_with("shape", "[5]"), 4, "tensor \"x\": data_offsets [0, 4] hold 4 bytes, expected 5 for U8 [5]"},
      {header_with("shape", "[]"), 4, "tensor \"x\": data_offsets [0, 4] hold 4 bytes, expected 1 for U8 []"},
      {header_with("dtype", "\"F64\""), 4, "tensor \"x\": data_offsets [0, 4] hold 4 bytes, expected 32 for F64 [4]"},
      {header_with("data_offsets", "[0]"), 4,
       "tensor \"x\": data_offsets: expected an integer, got the end of the array"},
      {header_with("data_offsets", "[0,4,8]"), 4,
       "tensor \"x\": data_offsets: expected the end of the array, got an integer"},
      {header_with("data_offsets", "[-4,0]"), 4, "tensor \"x\": data_offsets: expected at least 0, got -4"},
      {header_with("data_offsets", "[4,0]"), 4, "tensor \"x\": data_offsets [4, 0] end before they begin"},
      {header_with("data_offsets", "[4,8]"), 4,
       "tensor \"x\": data_offsets [4, 8] reach beyond the file's 4 bytes of data"},
      {header_with("data_offsets", "[9223372036854775803,9223372036854775807]"), 4,
       "reach beyond the file's 4 bytes of data"},
      {header_with("data_offsets", "[1,5]"), 5,
       "tensor \"x\": data_offsets [1, 5] leave a hole, expected them to begin at 0"},
      {header_with("", ""), 5, "the data have 5 bytes, expected 4, where the last tensor, \"x\", ends"},
      {header_with("", ""), 3, "tensor \"x\": data_offsets [0, 4] reach beyond the file's 3 bytes of data"},
      {"{}", 1, "the data have 1 bytes, expected 0"},
      {header_with("dtype", "\"BOOL\""), 4, "well-formed"},
      {R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
       6, "tensor \"b\": data_offsets [2, 6] overlap tensor \"a\", data_offsets [0, 4]"},
      {R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
       4, "overlap tensor"},
      {R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[1],"data_offsets":[5,6]}})",
       6, "tensor \"b\": data_offsets [5, 6] leave a hole, expected them to begin at 4"},
      {R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[2,2]},"b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
       4, "tensor \"a\": data_offsets [2, 2] overlap tensor \"b\", data_offsets [0, 4]"},
      {R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
       R"("\u0061":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
       8, "tensor \"a\": its name occurs twice, expected it once"},
      {R"({"__metadata__":{},"__metadata__":{}})", 0, "\"__metadata__\" occurs twice"},
      {R"({"__metadata__":{"k":"1","k":"2"}})", 0, "metadata \"k\": its key occurs twice"},
      {R"({"__metadata__":{"k":1}})", 0, "metadata \"k\": expected a string"},
      {R"({"__metadata__":[]})", 0, "expected an object, got an array"},
      {"{\"\xFF\":{}}", 0, "header: byte 2: a string is not UTF-8"},
      {R"({"\ud800":{}})", 0, "half a surrogate pair in a string"},
      {"{\"x\":" + std::string(100'000, '['), 0, "tensor \"x\": description: expected an object, got an array"},
      {"{\"x\":{\"shape\":" + std::string(100'000, '['), 0, "tensor \"x\": shape: expected an integer, got an array"},
      {"{\"\\u001b[2J\":1}", 0, "tensor \"\\u001b[2J\": description"},
  };
  for (const row& r : table) {
    CAPTURE(r.header.substr(0, 200));
    CHECK_MESSAGE(message_of(file_of(r.header, r.data_bytes)).find(r.message) != std::string::npos,
                  message_of(file_of(r.header, r.data_bytes)), " instead of ", r.message);
  }
}

TEST_CASE("safetensors: a dtype that nnrt lacks is not supported; everything else is an invalid file") {
  CHECK(nnrt::safetensors::parse(file_of(header_with("dtype", "\"F4\""), 4)).error().code() ==
        nnrt::error_code::not_supported);
  CHECK(nnrt::safetensors::parse(file_of(header_with("shape", "[5]"), 4)).error().code() ==
        nnrt::error_code::invalid_file);
}

TEST_CASE("safetensors: a header's length beyond the file or the limit is refused") {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  CHECK(message_of({}) == "the file has 0 bytes, expected at least the 8 of the header's length");
  CHECK(message_of(bytes(7)) == "the file has 7 bytes, expected at least the 8 of the header's length");
  CHECK(message_of(file_of("{}", 0, 3)) == "the header claims 3 bytes, but only 2 follow its length");
  CHECK(message_of(file_of("{}", 0, 100'000'000)) == "the header claims 100000000 bytes, but only 2 follow its length");
  CHECK(message_of(file_of("{}", 0, 100'000'001)) == "the header claims 100000001 bytes, expected at most 100000000");
  CHECK(message_of(file_of("{}", 0, huge)) ==
        "the header claims 9223372036854775807 bytes, expected at most 100000000");
  CHECK(message_of(bytes(16, std::byte{0xFF})) ==
        "the header claims 18446744073709551615 bytes, expected at most 100000000");
}

TEST_CASE("safetensors: a boolean that is neither 0 nor 1 is refused") {
  bytes file = file_of(header_with("dtype", "\"BOOL\""), 4);
  file.back() = std::byte{2};
  CHECK(message_of(file) == "tensor \"x\": BOOL element 3 is 2, expected 0 or 1");
}

TEST_CASE("safetensors: every beginning of a file is refused") {
  const bytes file = small_file();
  REQUIRE(message_of(file) == "well-formed");
  for (std::size_t size = 0; size < file.size(); ++size) {
    CAPTURE(size);
    const bytes beginning(
        file.begin(),
        file.begin() + static_cast<std::ptrdiff_t>(size));  // a separate allocation: sanitizers see a read after it
    const std::string message = message_of(beginning);
    CHECK(message != "well-formed");
    CHECK(message != "broken promises");
  }
}

TEST_CASE("safetensors: a file with any one bit flipped is refused or well-formed") {
  const bytes file = small_file();
  int refused = 0;
  for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
    CAPTURE(bit);
    bytes flipped = file;
    flipped[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    const std::string message = message_of(flipped);
    CHECK(message != "broken promises");
    refused += message == "well-formed" ? 0 : 1;
  }
  CHECK(refused > static_cast<int>(file.size()));
}
