// plan_cache_test: plans are found under exactly their shapes, and the one least lately used makes room.
#include <nnrt/exec/plan_cache.hpp>

#include <doctest/doctest.h>

#include <array>
#include <thread>
#include <vector>

namespace {

using namespace nnrt;

/// A plan that can be told apart by its arena.
shared<const compiled_plan> plan_of(std::int64_t arena) {
  compiled_plan made;
  made.made.arena_bytes = arena;
  return shared<compiled_plan>::make(std::move(made));
}
using shapes = std::vector<shape_t>;

TEST_CASE("plan_cache: a plan is found under its shapes alone") {
  plan_cache cache(4);
  CHECK(!cache.find(shapes{{1, 2}}));
  cache.add(shapes{{1, 2}, {3}}, plan_of(10));
  REQUIRE(cache.find(shapes{{1, 2}, {3}}));
  CHECK(cache.find(shapes{{1, 2}, {3}})->made.arena_bytes == 10);
  for (const shapes& other :
       {shapes{{1, 2}}, shapes{{1, 2}, {4}}, shapes{{3}, {1, 2}}, shapes{{1, 2}, {3}, {}}, shapes{}})
    CHECK(!cache.find(other));
  CHECK(cache.size() == 1);
}

TEST_CASE("plan_cache: of two plans for the same shapes the first stays") {
  plan_cache cache(4);
  cache.add(shapes{{1}}, plan_of(1));
  CHECK(cache.add(shapes{{1}}, plan_of(2))->made.arena_bytes == 1);
  CHECK(cache.size() == 1);
}

TEST_CASE("plan_cache: the plan that was not asked for the longest goes, and lives on for those who hold it") {
  plan_cache cache(2);
  const auto first = cache.add(shapes{{1}}, plan_of(1));
  cache.add(shapes{{2}}, plan_of(2));
  CHECK(cache.find(shapes{{1}}));
  cache.add(shapes{{3}}, plan_of(3));
  CHECK(cache.find(shapes{{1}}));
  CHECK(!cache.find(shapes{{2}}));
  cache.add(shapes{{4}}, plan_of(4));
  cache.add(shapes{{5}}, plan_of(5));
  CHECK(!cache.find(shapes{{1}}));
  CHECK(first->made.arena_bytes == 1);
  CHECK(cache.size() == 2);
}

TEST_CASE("plan_cache: threads that look and add at the same time get the plan of their shapes") {
  plan_cache cache(3);
  std::array<int, 4> wrong{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (std::int64_t i = 0; i < 500; ++i) {
        const std::int64_t extent = (i * 7 + static_cast<std::int64_t>(t)) % 5;
        auto plan = cache.find(shapes{{extent}});
        if (!plan) plan = cache.add(shapes{{extent}}, plan_of(extent));
        if (plan->made.arena_bytes != extent) ++wrong[t];
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == std::array<int, 4>{});
  CHECK(cache.size() == 3);
}

}  // namespace
