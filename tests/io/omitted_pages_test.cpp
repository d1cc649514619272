// omitted_pages_test: pages that a literal omits lie inside elements of one weight and inside no bytes that are kept.
#include <nnrt/io/omitted_pages.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt;

TEST_CASE("omitted_pages: whole pages inside a weight, but those with bytes that are kept") {
  omitted_pages all(20 * 512 + 1);
  CHECK(all.pages() == std::vector<char>(21, 0));
  all.omit({100, 10 * 512});  // from the end of page 0 to the beginning of page 10
  std::vector<char> expected(21, 0);
  for (std::size_t i = 1; i < 10; ++i) expected[i] = 1;
  CHECK(all.pages() == expected);
  all.keep({3 * 512 + 511, 2});  // the last byte of page 3, the first of page 4
  all.keep({5 * 512, 0});
  expected[3] = expected[4] = 0;
  CHECK(all.pages() == expected);
  all.omit({3 * 512, 4096});  // kept bytes stay
  expected[10] = 1;
  CHECK(all.pages() == expected);
}

TEST_CASE("omitted_pages: weights of up to 2 KiB are kept") {
  omitted_pages all(4 * 4096);
  all.omit({0, 2048});
  CHECK(all.pages() == std::vector<char>(32, 0));
  all.omit({0, 2049});
  CHECK(all.pages()[0] == 0);  // the first range holds it
  omitted_pages others(4 * 4096);
  others.omit({0, 2049});
  CHECK(others.pages()[0] == 1);
  CHECK(others.pages()[4] == 0);
}

}  // namespace
