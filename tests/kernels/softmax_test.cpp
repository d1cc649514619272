#include <nnrt/kernels/softmax.hpp>

#include <doctest/doctest.h>
#include <cmath>
#include <vector>

using namespace nnrt;
using kernels::axis_block;
using kernels::block_of;

namespace {

constexpr bool is_block(const axis_block& block, std::int64_t outer, std::int64_t extent, std::int64_t inner) {
  return block.found && block.outer == outer && block.extent == extent && block.inner == inner;
}

constexpr bool first_two[max_rank] = {true, true}, last_two[max_rank] = {false, false, true, true},
               ends[max_rank] = {true, false, false, true};
static_assert(is_block(block_of({2, 3, 4, 5}, 1), 2, 3, 20));
static_assert(is_block(block_of({2, 3, 4, 5}, 3), 24, 5, 1));
static_assert(is_block(block_of({2, 3, 4, 5}, first_two), 1, 6, 20));
static_assert(is_block(block_of({2, 3, 4, 5}, last_two), 6, 20, 1));
static_assert(!block_of({2, 3, 4, 5}, ends).found);
static_assert(is_block(block_of({1, 3, 4, 5}, ends), 12, 5, 1));  // an axis of extent 1 is nowhere
static_assert(is_block(block_of({2, 1, 1, 5}, ends), 1, 10, 1));

}  // namespace

TEST_CASE("softmax: e^(x - max) over its sum, in place, rows and columns alike") {
  const float x[] = {1.0F, 2.0F, 4.0F, 1000.0F, 999.0F, 0.0F};
  const double sum = std::exp(-3.0) + std::exp(-2.0) + 1.0, second = 1.0 + std::exp(-1.0);
  const double expected[] = {std::exp(-3.0) / sum, std::exp(-2.0) / sum,    1.0 / sum,
                             1.0 / second,         std::exp(-1.0) / second, 0.0};
  std::vector<float> rows(x, x + 6), columns;
  kernels::softmax_rows({2, 3, 1}, rows.data(), rows.data());
  for (int i = 0; i < 3; ++i) columns.push_back(x[i]), columns.push_back(x[3 + i]);
  kernels::softmax_columns({1, 3, 2}, columns.data(), columns.data());
  for (std::size_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    CHECK(std::fabs(double{rows[i]} - expected[i]) < 1e-7);
    CHECK(std::fabs(double{columns[i % 3 * 2 + i / 3]} - expected[i]) < 1e-7);
  }
}

TEST_CASE("softmax: more columns than are worked on at once") {
  const std::int64_t n = 2 * kernels::detail::columns_at_once + 3;
  std::vector<float> x(static_cast<std::size_t>(3 * n)), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 13) - 5.0F;
  kernels::softmax_columns({1, 3, n}, x.data(), y.data());
  for (std::size_t c = 0; c < static_cast<std::size_t>(n); ++c) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += std::exp(double{x[i * static_cast<std::size_t>(n) + c]});
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t at = i * static_cast<std::size_t>(n) + c;
      if (std::fabs(double{y[at]} - std::exp(double{x[at]}) / sum) > 2e-7) FAIL_CHECK("column ", c);
    }
  }
}
