// weight_pages_test: a literal of a large .onnx file omits elements of weights, and nothing that is read by value.
#include <nnrt/io/onnx/weight_pages.hpp>

#include <doctest/doctest.h>

#include <algorithm>

#include "../../support/onnx_writer.hpp"

namespace {

using namespace nnrt;
using namespace onnx_test;

/// How many pages are found in a file with this tensor, all of whose bytes are 'w'.
std::ptrdiff_t pages_of(const message& tensor) {
  const std::string file = onnx_test::model({{node("Identity", {"x"}, {"y"})},
                                             {tensor},
                                             {declaration("x", of_float, {1})},
                                             {declaration("y", of_float, {1})}});
  const auto parsed = onnx::parse_document(std::string_view(file));
  REQUIRE(parsed);
  const auto pages = onnx::find_weight_pages(*parsed);
  REQUIRE(pages);
  REQUIRE(pages->size() == (file.size() + file_view::page_bytes - 1) / file_view::page_bytes);
  for (std::size_t p = 0; p < pages->size(); ++p)
    if ((*pages)[p] != 0) CHECK(file.substr(p * file_view::page_bytes, file_view::page_bytes) == std::string(512, 'w'));
  return std::count(pages->begin(), pages->end(), 1);
}
std::ptrdiff_t pages_of(int type, std::size_t bytes, std::int64_t extent) {
  return pages_of(tensor_of("c", type, {extent}, std::string(bytes, 'w')));
}

TEST_CASE("onnx/weight_pages: whole pages of floats and of 8-bit numbers, of constants above 2 KiB") {
  for (const auto& [type, size] : {std::pair(of_float, 4), std::pair(of_int8, 1)}) {
    CAPTURE(type);
    CHECK(pages_of(type, 2048, 2048 / size) == 0);
    CHECK(pages_of(type, 2052, 2052 / size) >= 3);
    CHECK(pages_of(type, 51'200, 51'200 / size) >= 99);
  }
  message packed;
  packed.integers(1, {1000}).integer(2, of_float).text(8, "c").text(4, std::string(4000, 'w'));
  CHECK(pages_of(packed) >= 6);
}

TEST_CASE("onnx/weight_pages: integers that may be indices, booleans and converted types are read") {
  CHECK(pages_of(of_int32, 40'000, 10'000) == 0);
  CHECK(pages_of(of_int64, 40'000, 5'000) == 0);
  CHECK(pages_of(of_boolean, 40'000, 40'000) == 0);
  CHECK(pages_of(of_bfloat16, 40'000, 20'000) == 0);
  CHECK(pages_of(of_int4, 20'000, 40'000) == 0);
}

TEST_CASE("onnx/weight_pages: a tensor whose size is wrong is left to the reader, a damaged graph is an error") {
  CHECK(pages_of(of_float, 4000, 999) == 0);
  const std::string file = message().integer(1, 8).text(7, "\x0a\x7f").bytes;
  const auto parsed = onnx::parse_document(std::string_view(file));
  REQUIRE(parsed);
  CHECK_FALSE(onnx::find_weight_pages(*parsed));
}

}  // namespace
