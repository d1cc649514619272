// uses_test: who makes a value, how often it is read, and how readers are sent elsewhere.
#include <nnrt/passes/uses.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/split.hpp>

#include "support/graphs.hpp"

#include <algorithm>

namespace {

using namespace nnrt_test;

/// x is value 0, its relu 1, their sum 2, the parts of the sum 3 and 4; part 4 is nobody's.
constexpr ir::graph example() {
  return written([](builder& g) {
    auto x = g.input<f32, shape<2, 3>>("x");
    auto h = relu(x);
    auto [a, b] = split<2>(h + x, axis<0>);
    g.output("h", h);
    g.output("a", a);
    g.output("also a", a);
  });
}

struct row {
  const char* what;
  std::int32_t id, producer, uses;
};
constexpr row table[] = {
    {"an input, read by two nodes", 0, ir::none, 2},
    {"read by a node and an output", 1, 0, 2},
    {"read by one node", 2, 1, 1},
    {"an output under two names", 3, 2, 2},
    {"a second result that nobody reads", 4, 2, 0},
};

constexpr bool counted_as_stated(const row& r) {
  const passes::use_table uses(example());
  return uses.producer_of(r.id) == r.producer && uses.uses_of(r.id) == r.uses;
}
static_assert(std::all_of(std::begin(table), std::end(table), counted_as_stated));

TEST_CASE("uses: a value's maker and its reads are known, outputs of the graph included") {
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(counted_as_stated(r));
  }
}

TEST_CASE("uses: compact drops the nodes that are removed and keeps the order of the others") {
  ir::graph g = example();
  g.nodes[1].removed = true;
  passes::compact(g);
  REQUIRE(g.nodes.size() == 2);
  CHECK(g.nodes[0].op->name == "relu");
  CHECK(g.nodes[1].op->name == "split");
}

TEST_CASE("uses: redirect changes nodes and outputs alike, and the identity changes nothing") {
  ir::graph g = example();
  auto to = passes::identity_of(g);
  passes::redirect(g, to);
  CHECK(g.inputs_of(g.nodes[1])[0] == 1);
  CHECK(g.outputs[0].value == 1);
  to[1] = 0;
  passes::redirect(g, to);
  CHECK(g.inputs_of(g.nodes[1])[0] == 0);
  CHECK(g.outputs[0].value == 0);
  CHECK(g.outputs[1].value == 3);
}

/// An activation in the only word of attributes, in the last of several, and none.
constexpr ir::graph with_activations() {
  return written([](builder& g) {
    auto x = g.input<f32, shape<1, 4, 4, 3>>("x");
    auto h = conv2d(x, g.weight<f32, shape<3, 1, 1, 3>>("w"), relu6);
    g.output("y", relu(add(h, x)));
  });
}

TEST_CASE("uses: a node's activation is found in whichever word it is, and is free until one is fused") {
  ir::graph g = with_activations();
  REQUIRE(g.nodes.size() == 3);
  const ir::node &layer = g.nodes[0], &sum = g.nodes[1], &function = g.nodes[2];
  REQUIRE(sum.op->fused_word == 0);
  REQUIRE(passes::detail::activation_word(g, layer) != nullptr);
  CHECK(*passes::detail::activation_word(g, layer) == static_cast<word>(activation::relu6));
  CHECK(passes::detail::activation_word(g, sum) == &g.attrs_of(sum)[0]);
  CHECK(passes::detail::activation_word(g, function) == nullptr);
  CHECK(passes::detail::free_activation(g, layer) == nullptr);
  CHECK(passes::detail::free_activation(g, sum) == &g.attrs_of(sum)[0]);
  CHECK(passes::detail::free_activation(g, function) == nullptr);
  g.nodes[1].removed = true;
  CHECK(passes::detail::free_activation(g, sum) == nullptr);
}

}  // namespace
