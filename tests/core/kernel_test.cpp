#include <nnrt/core/kernel.hpp>

#include <doctest/doctest.h>

using namespace nnrt;

namespace {

struct limits {
  float low, high;
};
struct layer {
  std::int64_t rows = 0, columns = 0;
  limits range;
};

constexpr kernel_plan made = kernel_plan::of(layer{3, -5, {0.5F, 6.0F}});
static_assert(made.count == 3 && made.words[0] == 3 && made.words[1] == -5);
static_assert(kernel_plan{}.count == 0);

struct longest {
  std::array<std::int64_t, kernel_plan::max_words> of{};
};
static_assert(kernel_plan::of(longest{}).count == kernel_plan::max_words);

}  // namespace

TEST_CASE("kernel_plan: a call reads what the choice has kept, whole or its first member") {
  kernel_call call;
  call.plan = made.words.data();
  const auto read = call.planned<layer>();
  CHECK(read.rows == 3);
  CHECK(read.columns == -5);
  CHECK(read.range.low == 0.5F);
  CHECK(read.range.high == 6.0F);
  CHECK(call.planned<std::int64_t>() == 3);
}

TEST_CASE("row windows: what rows of an image are read for some of a result") {
  constexpr row_window three_by_two{.images = 1, .stride = 2, .taps = 3, .pad = 1};
  const row_range first = three_by_two.under({0, 2}, 9), last = three_by_two.under({4, 5}, 9);
  CHECK(first.begin == 0);
  CHECK(first.end == 4);
  CHECK(last.begin == 7);
  CHECK(last.end == 9);
}
