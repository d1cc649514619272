#include <nnrt/passes/node_order.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace nnrt;

namespace {

using list = std::vector<std::size_t>;

/// The order of nodes that wait for these.
list order_of(const std::vector<list>& awaited) {
  return passes::node_order(awaited.size(), [&](std::size_t n, auto give) {
    for (const std::size_t maker : awaited[n]) give(maker);
  });
}

}  // namespace

TEST_CASE("node order: one that is an order stays, and of ready nodes the first is next") {
  CHECK(order_of({}) == list{});
  CHECK(order_of({{}, {0}, {0, 1}, {}}) == list{0, 1, 2, 3});
  CHECK(order_of({{3}, {}, {0}, {}}) == list{1, 3, 0, 2});
  CHECK(order_of({{1, 1}, {2}, {}}) == list{2, 1, 0});  // reads two of one's results
}

TEST_CASE("node order: what waits for nobody, for itself or in a cycle is left out, and so are its readers") {
  CHECK(order_of({{passes::never_made}, {}, {0}}) == list{1});
  CHECK(order_of({{0}, {}}) == list{1});
  CHECK(order_of({{1}, {0}, {1}, {}}) == list{3});
}

TEST_CASE("node order: a chain that came backwards") {
  constexpr std::size_t nodes = 200'000;  // looking at all that wait again and again would take minutes
  const list order = passes::node_order(nodes, [](std::size_t n, auto give) {
    if (n + 1 < nodes) give(n + 1);
  });
  REQUIRE(order.size() == nodes);
  CHECK(order.front() == nodes - 1);
  CHECK(order.back() == 0);
}
