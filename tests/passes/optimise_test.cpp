// optimise_test: the passes together leave what a network needs and compute what was written.
#include <nnrt/passes/optimise.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/batch_norm.hpp>
#include <nnrt/ops/bias_add.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/relu6.hpp>

#include "support/random_graph.hpp"

namespace {

using namespace nnrt_test;
using ir::change;

/// A convolution written as exporters do, a branch that nobody reads, and the same sum twice.
constexpr ir::graph exported() {
  return written([](builder& g) {
    const auto row = [&](std::string_view name) { return g.weight<f32, shape<3>>(name); };
    auto x = g.input<f32, shape<1, 4, 4, 2>>("image");
    auto shift = g.constant<f32, shape<1>>({1}) + g.constant<f32, shape<1>>({-1});
    auto h = bias_add(conv2d(x, g.weight<f32, shape<3, 3, 3, 2>>("stem.weight"), same), row("bias"));
    auto n = relu6(batch_norm(h, row("bn.scale"), row("bn.offset"), row("bn.mean"), row("bn.variance")));
    softmax(n);
    g.output("y", (n + shift) + (n + shift));
  });
}

constexpr bool shrinks_as_stated() {
  ir::graph g = exported();
  const outputs_of_graph before = computed_by_references(g);
  passes::optimise(g);
  return g.nodes.size() == 4 && count_of<ops::fold_affine>(g) == 1 && count_of<ops::conv2d>(g) == 1 &&
         count_of<ops::add>(g) == 2 && close(computed_by_references(g), before, 1e-5);
}
static_assert(shrinks_as_stated());

TEST_CASE("optimise: each pass finds its work, in the order in which they run") {
  CHECK(shrinks_as_stated());
  ir::graph g = exported();
  passes::optimise(g);
  CHECK(logged(g, {change::removed, change::evaluated, change::merged, change::folded, change::folded, change::fused}));
  const ir::node* const layer = node_of<ops::conv2d>(g);
  REQUIRE(layer != nullptr);
  CHECK(unpack<ops::conv2d::attrs>(g.attrs_of(*layer)).fused == activation::relu6);
  CHECK(g.name_of(layer->name) == "stem");
}

TEST_CASE("optimise: a deadline that is over ends it in any round of any pass, and one that is not lets it go on") {
  ir::graph whole = exported();
  CHECK(passes::optimise(whole, deadline_watch(steady_now() + 3'600'000'000'000)));
  int rounds = 1;
  for (ir::graph g = exported(); !passes::optimise(g, deadline_watch(steady_now() - 1, rounds)); g = exported())
    ++rounds;
  CHECK(rounds > 6 * static_cast<int>(whole.nodes.size()));  // each of six passes asks for each node
}

TEST_CASE("optimise: a second time there is nothing left to do") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    ir::graph g = random_graph(seed).made();
    passes::optimise(g);
    const std::size_t nodes = g.nodes.size(), events = g.log.size();
    passes::optimise(g);
    CHECK(g.nodes.size() == nodes);
    CHECK(g.log.size() == events);
  }
}

/// Whether weights have other numbers than before.
bool has_folded(const ir::graph& g) {
  for (const ir::event& e : g.log)
    if (e.what == change::folded) return true;
  return false;
}

TEST_CASE("optimise: random graphs compute what they computed before, bit by bit unless weights were folded") {
  for (std::uint32_t seed = 3000; seed < 5000; ++seed) {
    CAPTURE(seed);
    ir::graph g = random_graph(seed).made();
    const outputs_of_graph before = computed_by_references(g, seed);
    passes::optimise(g);
    CHECK(close(computed_by_references(g, seed), before, has_folded(g) ? 1e-5 : 0));
  }
}

}  // namespace
