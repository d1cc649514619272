// weight_pages_test: a literal of a large file can leave out elements of weights, and nothing that is read by value.
#include <nnrt/io/tflite/weight_pages.hpp>

#include <doctest/doctest.h>

#include <algorithm>

#include "../../support/tflite_file.hpp"

namespace {

using namespace nnrt;
using tflite_test::file;

/// How many pages are found in a file with one constant of this type and extent, all of whose bytes are 1.
std::ptrdiff_t pages_of(int type, std::size_t bytes, std::int32_t extent) {
  file f;
  f.add({tflite_test::float32, {1}, "x"});
  f.add({type, {extent}, "c", std::vector<std::byte>(bytes, std::byte{1})});
  f.inputs = {0}, f.outputs = {0};
  const std::vector<std::byte> made = f.bytes();
  const auto verified = tflite::document::verify(letters_of(std::span(made)));
  REQUIRE(verified);
  const std::vector<char> pages = tflite::find_weight_pages(*verified);
  REQUIRE(pages.size() == (made.size() + file_view::page_bytes - 1) / file_view::page_bytes);
  for (std::size_t p = 0; p < pages.size(); ++p)
    for (std::size_t i = p * file_view::page_bytes; pages[p] != 0 && i < (p + 1) * file_view::page_bytes; ++i)
      CHECK(made[i] == std::byte{1});
  return std::count(pages.begin(), pages.end(), 1);
}

TEST_CASE("weight_pages: whole pages of floats and of 8-bit numbers, of constants above 2 KiB") {
  for (const int type : {tflite_test::float32, tflite_test::int8, tflite_test::uint8}) {
    CAPTURE(type);
    const std::int32_t size = type == tflite_test::float32 ? 4 : 1;
    CHECK(pages_of(type, 2048, 2048 / size) == 0);
    CHECK(pages_of(type, 2052, 2052 / size) >= 3);
    CHECK(pages_of(type, 100 * file_view::page_bytes, 100 * static_cast<std::int32_t>(file_view::page_bytes) / size) >=
          99);
  }
}

TEST_CASE("weight_pages: constants of 256 elements, which readers copy into the graph, stay whole for every dtype") {
  CHECK(pages_of(tflite_test::float64, 256 * 8, 256) == 0);
  CHECK(pages_of(tflite_test::float32, 256 * 4, 256) == 0);
  CHECK(pages_of(tflite_test::int8, 256, 256) == 0);
}

TEST_CASE("weight_pages: integers that may be indices, and booleans, are read") {
  CHECK(pages_of(tflite_test::int32, 40'000, 10'000) == 0);
  CHECK(pages_of(tflite_test::int64, 40'000, 5'000) == 0);
  CHECK(pages_of(tflite_test::boolean, 40'000, 40'000) == 0);
}

TEST_CASE("weight_pages: sparse elements are read, and a buffer that has indices for another tensor") {
  for (const bool is_sparse : {true, false}) {
    CAPTURE(is_sparse);
    file f;
    f.add({tflite_test::float32, {1}, "x"});
    f.add({tflite_test::float32, {1000}, "c", std::vector<std::byte>(4000, std::byte{1})});
    f.tensors[1].is_sparse = is_sparse;
    f.add({tflite_test::int32, {1000}, "indices"});
    f.tensors[2].buffer = is_sparse ? 0 : 2;
    f.inputs = {0}, f.outputs = {0};
    const std::vector<std::byte> made = f.bytes();
    const auto verified = tflite::document::verify(letters_of(std::span(made)));
    REQUIRE(verified);
    REQUIRE(verified->buffer(2).size == 4000);
    const std::vector<char> pages = tflite::find_weight_pages(*verified);
    CHECK(std::count(pages.begin(), pages.end(), 1) == 0);
  }
}

}  // namespace
