#include <nnrt/kernels/int8/gemm/weights.hpp>
#include <support/kernels.hpp>

#include <doctest/doctest.h>
#include <cstdint>
#include <random>
#include <vector>

using namespace nnrt;
using namespace nnrt::kernels;

namespace {

/// Weights [columns][runs * length] or [runs * length][columns], whose last byte is the last that may be read.
struct quantised_matrix {
  int8_packing packing;
  bool has_rows;
  nnrt_test::fenced_bytes bytes;

  quantised_matrix(const int8_packing& of, bool rows, unsigned seed)
      : packing(of), has_rows(rows), bytes(random_bytes(of.n * of.depth.products(), seed)) {}
  int8_matrix matrix() {
    const std::int64_t k = packing.depth.products(), n = packing.n;
    if (has_rows) return {.first = bytes.data(), .column = 1, .run = packing.depth.length * n, .element = n};
    return {.first = bytes.data(), .column = k, .run = packing.depth.length, .element = 1};
  }
  std::int64_t place(std::int64_t j, std::int64_t run, std::int64_t i) const {
    const std::int64_t at = run * packing.depth.length + i;
    return has_rows ? at * packing.n + j : j * packing.depth.products() + at;
  }

 private:
  static std::vector<std::byte> random_bytes(std::int64_t count, unsigned seed) {
    std::mt19937 any(seed);
    std::vector<std::byte> made;
    for (std::int64_t i = 0; i < count; ++i) made.push_back(static_cast<std::byte>(any() >> 24));
    return made;
  }
};

struct placed {
  std::vector<std::byte> packed;
  std::vector<kernels::detail::int8_column> columns;
};

/// One weight after the other; zeros where lanes have no column, and after runs.
placed one_by_one(quantised_matrix& b, const int8_factors& f) {
  const int8_packing& packing = b.packing;
  placed to{std::vector<std::byte>(static_cast<std::size_t>(packing.bytes())), {}};
  for (std::int64_t j = 0; j < packing.vectors() * int_lanes; ++j) {
    kernels::detail::int8_column column;
    const std::int64_t vector = j / int_lanes, panel = packing.undivided(vector / 2), steps = packing.depth.steps();
    for (std::int64_t run = 0; run < packing.depth.runs; ++run)
      for (std::int64_t i = 0; i < 4 * steps; ++i) {
        std::int32_t weight = 0;
        if (j < packing.n && i < packing.depth.length) {
          const std::int32_t stored = f.at(b.bytes.data(), b.place(j, run, i));
          column.add(stored, f), weight = stored + f.b_offset();
        }
        const int8_packing::place at = packing.place_of(panel, vector - 2 * panel, j % int_lanes, run * steps + i / 4);
        packing.put_weight(to.packed.data(), panel, at, i % 4, static_cast<std::int8_t>(weight), f.a_flip());
      }
    if (j < packing.n) to.columns.push_back(column);
  }
  return to;
}

template <class Source> placed by_blocks(const int8_packing& packing, const int8_factors& f, const Source& source) {
  placed to{std::vector<std::byte>(static_cast<std::size_t>(packing.bytes())), {}};
  for (std::int64_t v = 0; v < packing.vectors(); v += kernels::detail::vectors_together) {
    kernels::detail::columns_together columns;
    kernels::detail::place_weights(packing, f, {v, std::min(v + kernels::detail::vectors_together, packing.vectors())},
                                   source, to.packed.data(), columns);
    for (std::int64_t j = v * int_lanes; j < std::min(packing.n, (v + kernels::detail::vectors_together) * int_lanes);
         ++j)
      to.columns.push_back(columns[j / int_lanes - v][j % int_lanes]);
  }
  return to;
}

void check_alike(const placed& got, const placed& expected) {
  CHECK(got.packed == expected.packed);
  REQUIRE(got.columns.size() == expected.columns.size());
  for (std::size_t j = 0; j < got.columns.size(); ++j) {
    CAPTURE(j);
    CHECK(got.columns[j].sum == expected.columns[j].sum);
    CHECK(got.columns[j].reach == expected.columns[j].reach);
    CHECK(got.columns[j].left_out == expected.columns[j].left_out);
  }
}

void check(const int8_packing& packing, const int8_factors& f, unsigned seed) {
  CAPTURE(packing.n);
  CAPTURE(packing.depth.runs);
  CAPTURE(packing.depth.length);
  CAPTURE(f.b_zero);
  for (const bool has_rows : {false, true}) {
    CAPTURE(has_rows);
    quantised_matrix b(packing, has_rows, seed);
    const placed expected = one_by_one(b, f);
    check_alike(by_blocks(packing, f, b.matrix()), expected);
    const auto weight_of = [&](std::int64_t j, std::int64_t run, std::int64_t i) {
      return f.at(b.bytes.data(), b.place(j, run, i));
    };
    check_alike(by_blocks(packing, f, weight_of), expected);
  }
}

}  // namespace

TEST_CASE("byte_weights: blocks of weights lie and sum up as one weight after the other does") {
  unsigned seed = 0;
  for (const bool is_unsigned : {false, true})
    for (const std::int32_t zero : {-128, -3, 0, 127}) {
      const std::int32_t lowest = is_unsigned ? 0 : -128;
      const int8_factors f{lowest + 100, zero + 128 + lowest, is_unsigned};
      for (const std::int64_t runs : {1, 3})
        for (const std::int64_t length : {1, 4, 7, 8, 16, 35, 64, 133, 136, 300})
          for (const std::int64_t n : {1, 3, 4, 8, 15, 16, 17, 31, 32, 40, 70, 128, 131}) {
            check({{runs, length}, n, 0}, f, ++seed);
            if (runs == 1) check(int8_packing::of(1, length, n), f, ++seed);
          }
    }
}
