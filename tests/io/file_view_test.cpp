// file_view_test: a file of which some pages are left out - what is here, and where.
#include <nnrt/io/file_view.hpp>

#include <doctest/doctest.h>

#include <array>

namespace {

using namespace nnrt;

constexpr std::size_t page = file_view::page_bytes;

/// The letters of a file of four pages of a, b, c and d and ten bytes of e, of which b and c are left out.
constexpr auto pages = [] {
  std::array<char, 2 * page + 10> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i < page ? 'a' : i < 2 * page ? 'd' : 'e';
  return all;
}();
constexpr std::int32_t left_out[] = {0, file_view::no_page, file_view::no_page, 2 * page, 2 * page, 2 * page};
constexpr file_view some(pages.data(), 4 * page + 10, left_out);

// Places count as in the whole file.
static_assert(some.size() == 4 * page + 10 && some.number<char>(page - 1) == 'a' && some.number<char>(3 * page) == 'd');
static_assert(some.number<std::uint16_t>(4 * page + 8) == 0x6565 && some.bytes(4 * page - 1, 3) == "dee");
static_assert(some.first(page).size() == page && some.first(page).bytes(page - 2, 2) == "aa");
// Bytes are here when all their pages are.
static_assert(some.has(0, page) && some.has(3 * page, page + 10) && some.has(page, 0) && some.bytes(page, 0).empty());
static_assert(!some.has(0, page + 1) && !some.has(page, 1) && !some.has(page - 1, 2 * page + 2) &&
              !some.has(3 * page - 1, 2));

TEST_CASE("file_view: a program that gets a file without some pages gets nothing of it") {
  file_view seen = some;
  CHECK_FALSE(seen.has(0, 1));
  CHECK(seen.has(0, 0));
}

TEST_CASE("file_view: a whole file has everything, and none is empty") {
  const file_view whole = std::string_view("\x01\x02\x03\x04", 4);
  CHECK(whole.has(0, 4));
  CHECK(whole.number<std::uint32_t>(0) == 0x04030201);
  CHECK(whole.first(2).size() == 2);
  CHECK(whole.first(9).size() == 4);
  CHECK_FALSE(file_view());
  CHECK(file_view().empty());
}

}  // namespace
