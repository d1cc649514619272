// safetensors_writer: the order and alignment of what is written, and what is not written at all.
#include "../support/safetensors_bytes.hpp"
#include "../support/temporary_folder.hpp"

#include <nnrt/io/file.hpp>
#include <nnrt/io/safetensors_writer.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using nnrt::tensor_entry;
using bytes = std::vector<std::byte>;

}  // namespace

TEST_CASE("safetensors_writer: the writer's bytes depend on the tensors alone, not on their order") {
  const bytes elements = counted(8);
  const tensor_entry a{"a", nnrt::i8, {8}, elements}, b{"b", nnrt::f32, {2}, elements},
      c{"c", nnrt::f32, {1, 2}, elements};
  const tensor_entry one[] = {a, b, c}, other[] = {c, a, b};
  const auto file = nnrt::safetensors::serialize(one);
  CHECK(*file == *nnrt::safetensors::serialize(other));
  const std::string expected = R"({"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                               R"("c":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]},)"
                               R"("a":{"dtype":"I8","shape":[8],"data_offsets":[16,24]}})";
  const std::string text = text_of(*file);
  CHECK(text.substr(8, expected.size()) == expected);
  CHECK((file->size() - 24) % 8 == 0);
}

TEST_CASE("safetensors_writer: save and serialize write the same file") {
  const temporary_folder folder;
  const bytes elements = counted(8);
  const tensor_entry tensors[] = {{"a", nnrt::i8, {8}, elements}};
  REQUIRE(nnrt::safetensors::save(folder.file("a.safetensors"), tensors));
  const auto file = nnrt::mapped_file::open(folder.file("a.safetensors"));
  CHECK(text_of(file->bytes()) == text_of(*nnrt::safetensors::serialize(tensors)));
}

TEST_CASE("safetensors_writer: a tensor that cannot be written is refused by name") {
  const bytes elements = counted(4), two(1, std::byte{2});
  struct row {
    std::vector<tensor_entry> tensors;
    const char* message;
  };
  const row table[] = {
      {{{"x", nnrt::f32, {2}, elements}}, "tensor \"x\": got 4 bytes, expected 8 for f32 [2]"},
      {{{"x", nnrt::dtype::none, {4}, elements}}, "tensor \"x\": it has no dtype"},
      {{{"x", nnrt::i8, {-1}, elements}}, "tensor \"x\": shape [-1] has unknown extents or more than 2^40 elements"},
      {{{"x", nnrt::i8, {1 << 30, 1 << 30, 0}, {}}},
       "tensor \"x\": shape [1073741824, 1073741824, 0] has unknown extents or more than 2^40 elements"},
      {{{"x", nnrt::i8, {4}, elements}, {"x", nnrt::i8, {4}, elements}},
       "tensor \"x\": its name occurs twice, expected it once"},
      {{{"__metadata__", nnrt::i8, {4}, elements}}, "tensor \"__metadata__\": this name is the format's own"},
      {{{"\xFF", nnrt::i8, {4}, elements}}, "tensor \"\xEF\xBF\xBD\": its name is not UTF-8"},
      {{{"x", nnrt::boolean, {1}, two}}, "tensor \"x\": BOOL element 0 is 2, expected 0 or 1"},
  };
  for (const row& r : table) {
    CAPTURE(r.message);
    const auto file = nnrt::safetensors::serialize(r.tensors);
    REQUIRE_FALSE(file);
    CHECK(file.error().message() == r.message);
    CHECK(file.error().code() == nnrt::error_code::invalid_argument);
  }
  const nnrt::metadata_entry twice[] = {{"k", "1"}, {"k", "2"}};
  CHECK(nnrt::safetensors::serialize({}, twice).error().message() == "metadata \"k\": its key occurs twice");
  const nnrt::metadata_entry broken[] = {{"k", "\xFF"}};
  CHECK(nnrt::safetensors::serialize({}, broken).error().message() == "metadata \"k\": it is not UTF-8");
}
