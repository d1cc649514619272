// evaluate_test: the compiler computes networks as executors do at run time.
#include <nnrt/nnrt.hpp>

#include <doctest/doctest.h>
#include <nnrt/exec/evaluate.hpp>

#include "support/networks.hpp"

namespace {

using namespace nnrt_test;

constexpr std::array<float, 4> x{1, -2, 0.5F, 3};
static_assert(evaluate<graph<affine>>(x) == std::array{11.0F, 20.0F});

constexpr std::array<float, 6> a{1, 2, 3, 4, 5, 6};
constexpr std::array<float, 3> b{10, 20, 30};
constexpr auto all = evaluate<graph<several>>(a, b);
static_assert(std::tuple_size_v<decltype(all)> == 4);
static_assert(std::get<0>(all) == std::array<float, 6>{11, 22, 33, 14, 25, 36});
static_assert(std::get<1>(all) == std::get<0>(all));
static_assert(std::get<2>(all) == a);
static_assert(std::get<3>(all) == std::array<float, 6>{11, 44, 99, 56, 125, 216});

/// Other dtypes than f32, and every way to change shapes.
constexpr auto shapes = [](builder& g) {
  auto numbers = g.input<i32, shape<2, 3>>("numbers");
  auto [first, second] = split<2>(numbers, axis<0>);
  auto turned = transpose(concat(second, first, axis<0>), perm<1, 0>);
  g.output("turned", reshape(turned, shape<6>));
  g.output("cut", slice(numbers, begin<0, 1>, size<2, 2>));
};
constexpr std::array<std::int32_t, 6> counted{1, 2, 3, 4, 5, 6};
constexpr auto moved = evaluate<graph<shapes>>(counted);
static_assert(std::get<0>(moved) == std::array<std::int32_t, 6>{4, 1, 5, 2, 6, 3});
static_assert(std::get<1>(moved) == std::array<std::int32_t, 4>{2, 3, 5, 6});

TEST_CASE("evaluate: at run time it takes any range, and gives what the executor gives") {
  const std::vector<float> input(x.begin(), x.end());
  const auto computed = evaluate<graph<affine>>(input);
  executor<graph<affine>> run;
  CHECK(copied(run(input)) == copied(computed));
  executor<graph<shapes>> moves;
  auto [turned, cut] = moves(counted);
  CHECK(std::equal(turned.begin(), turned.end(), std::get<0>(moved).begin()));
  CHECK(std::equal(cut.begin(), cut.end(), std::get<1>(moved).begin()));
}

TEST_CASE("evaluate: a range of another size is a broken contract, and nothing beyond the input is written") {
  static std::string told;
  const contract_handler before = set_contract_handler([](const std::string& message) { told = message; });
  for (const std::size_t elements : {0U, 2U, 64U}) {
    told.clear();
    (void)evaluate<graph<affine>>(std::vector<float>(elements));
    CHECK(told == "evaluate: an input has another number of elements than the network declares");
  }
  set_contract_handler(before);
}

}  // namespace
