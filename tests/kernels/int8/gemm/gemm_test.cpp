#include <nnrt/kernels/int8/gemm/gemm.hpp>
#include <support/byte_products.hpp>
#include <support/kernels.hpp>

#include <doctest/doctest.h>
#include <cstdint>
#include <set>
#include <vector>

using namespace nnrt;
using namespace nnrt::kernels;
using namespace nnrt_test::byte_products;

namespace {

/// A product in tiles, even where the machine has matrix registers.
int8_packing in_tiles(std::int64_t m, std::int64_t k, std::int64_t n) {
  int8_packing of = int8_packing::of(m, k, n);
  of.in_blocks = false;
  return of;
}

struct extents {
  std::int64_t m, k, n;
};
constexpr std::int64_t all_rows[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 14, 15, 27, 33, 57},
                       all_depths[] = {1, 4, 8, 9, 15, 16, 18, 20, 24, 36, 40, 64, 100, 264};
std::vector<std::int64_t> all_columns() {
  constexpr std::int64_t line = int_lanes, panel = int8_packing::panel_width;
  return {1, line - 1, line, line + 1, panel - 1, panel, panel + 1, panel + line, 2 * panel, 4 * panel + 3};
}

TEST_CASE("byte gemm: products of any extents are what the definition says") {
  std::set<panel_packing> seen;
  for (const std::int64_t n : all_columns())
    for (const std::int64_t k : all_depths)
      for (const std::int64_t m : all_rows) {
        CAPTURE(m);
        CAPTURE(k);
        CAPTURE(n);
        const quantisation_case& how =
            quantisation_cases[static_cast<std::size_t>(m + k + n) % std::size(quantisation_cases)];
        product p(in_tiles(m, k, n), m, how);
        for (std::int64_t panel = 0; panel < p.packing.panels(); ++panel)
          seen.insert(p.packing.panel_packing_of(panel));
        CHECK(p.run() == p.expected());
      }
  CHECK(seen.size() == static_cast<std::size_t>(3 + max_paired_vectors));
}

TEST_CASE("byte gemm: any division into parts gives the same bits, whatever zero points are") {
  for (const quantisation_case& how : quantisation_cases)
    for (const auto [m, k, n] :
         {extents{5, 64, 16}, extents{17, 128, 32}, extents{31, 36, 33}, extents{50, 257, 70}, extents{100, 512, 48}}) {
      CAPTURE(how.a_zero);
      CAPTURE(m);
      CAPTURE(k);
      CAPTURE(n);
      product p(in_tiles(m, k, n), m, how);
      const std::vector<std::byte> expected = p.expected();
      CHECK(p.run() == expected);
      for (const int parts : {2, 3, 7}) {
        CHECK(p.run(parts) == expected);
        CHECK(p.run(parts, true) == expected);
      }
    }
}

}  // namespace
