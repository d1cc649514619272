// weights_builder: tensors from files, from memory and from computations, under one handle.
#include <nnrt/io/weights_builder.hpp>
#include <nnrt/io/write_file.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "../support/temporary_folder.hpp"

namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string text_at(const nnrt::weights& w, const char* name) {
  const nnrt::tensor_entry* const found = w.find(name);
  REQUIRE(found != nullptr);
  return {reinterpret_cast<const char*>(found->bytes.data()), found->bytes.size()};
}

TEST_CASE("weights_builder: what was added is found by name, and bytes that are borrowed stay where they are") {
  const std::string mine = "mine";
  nnrt::weights_builder builder;
  const std::span<std::byte> made = builder.allocate(4);
  std::memcpy(made.data(), "made", 4);
  builder.add("b.made", nnrt::u8, {4}, made);
  builder.add("a.borrowed", nnrt::i8, {2, 2}, bytes_of(mine));
  const auto finished = std::move(builder).finish();
  REQUIRE(finished);
  REQUIRE(finished->entries().size() == 2);
  CHECK(finished->entries()[0].name == "a.borrowed");
  CHECK(text_at(*finished, "b.made") == "made");
  CHECK(text_at(*finished, "a.borrowed") == "mine");
  CHECK(finished->find("a.borrowed")->bytes.data() == bytes_of(mine).data());
  CHECK(finished->find("a.borrowed")->type == nnrt::i8);
  CHECK(finished->find("a.borrowed")->shape == nnrt::shape_t{2, 2});
}

TEST_CASE("weights_builder: a file stays mapped as long as a copy of the weights lives") {
  const temporary_folder folder;
  const std::string path = folder.file("numbers"), content = "0123456789";
  REQUIRE(nnrt::write_file(path, bytes_of(content)));
  nnrt::weights kept;
  {
    auto file = nnrt::mapped_file::open(path);
    REQUIRE(file);
    const auto bytes = file->bytes();
    nnrt::weights_builder builder;
    builder.keep(std::move(*file));
    builder.add("middle", nnrt::u8, {3}, bytes.subspan(3, 3));
    kept = *std::move(builder).finish();
  }
  CHECK(text_at(kept, "middle") == "345");
}

TEST_CASE("weights_builder: allocated memory is zeroed, aligned, and not moved by later allocations") {
  nnrt::weights_builder builder;
  const std::span<std::byte> first = builder.allocate(3);
  builder.add("first", nnrt::u8, {3}, first);
  for (int i = 0; i < 100; ++i) {
    const std::span<std::byte> more = builder.allocate(64);
    CHECK(reinterpret_cast<std::uintptr_t>(more.data()) % 64 == 0);
    CHECK(std::all_of(more.begin(), more.end(), [](std::byte b) { return b == std::byte{}; }));
  }
  first[2] = std::byte{'x'};
  const auto finished = std::move(builder).finish();
  REQUIRE(finished);
  CHECK(text_at(*finished, "first")[2] == 'x');
}

TEST_CASE("weights_builder: a name that occurs twice is refused") {
  nnrt::weights_builder builder;
  builder.add("w", nnrt::u8, {0}, {});
  builder.add("w", nnrt::f32, {0}, {});
  const auto finished = std::move(builder).finish();
  REQUIRE(!finished);
  CHECK(finished.error().code() == nnrt::error_code::invalid_argument);
  CHECK(finished.error().message() == "two weights are called \"w\"");
}

}  // namespace
