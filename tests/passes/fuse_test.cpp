// fuse_test: an activation becomes part of the node before it where nobody else reads what it reads.
#include <nnrt/passes/fuse.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/relu6.hpp>
#include <nnrt/ops/sigmoid.hpp>
#include <nnrt/ops/softmax.hpp>

#include "support/graphs.hpp"

#include <algorithm>

namespace {

using namespace nnrt_test;

constexpr auto dense(builder& g) {
  return full_connection(g.input<f32, shape<2, 4>>("x"), g.weight<f32, shape<3, 4>>("w"));
}

struct row {
  const char* what;
  ir::graph (*network)();
  std::size_t left, events;
};
constexpr row table[] = {
    {"relu after a layer", [] { return written([](builder& g) { g.output("y", relu(dense(g))); }); }, 1, 1},
    {"relu6 after a layer", [] { return written([](builder& g) { g.output("y", relu6(dense(g))); }); }, 1, 1},
    {"relu after arithmetic",
     [] {
       return written([](builder& g) {
         auto x = g.input<f32, shape<2, 4>>("x");
         g.output("y", relu(x + x));
       });
     },
     1, 1},
    {"the first of two", [] { return written([](builder& g) { g.output("y", relu6(relu(dense(g)))); }); }, 2, 1},
    {"each into its own layer",
     [] {
       return written([](builder& g) {
         auto h = relu(dense(g));
         g.output("y", relu6(full_connection(h, g.weight<f32, shape<2, 3>>("v"))));
       });
     },
     2, 2},
    {"the activation's result is read twice",
     [] {
       return written([](builder& g) {
         auto h = relu(dense(g));
         g.output("y", softmax(h) + h);
       });
     },
     3, 1},
    {"not when the layer's result is read elsewhere",
     [] {
       return written([](builder& g) {
         auto h = dense(g);
         g.output("y", relu(h) + h);
       });
     },
     3, 0},
    {"not when the layer's result is an output",
     [] {
       return written([](builder& g) {
         auto h = dense(g);
         g.output("h", h);
         g.output("y", relu(h));
       });
     },
     2, 0},
    {"not into a node that has an activation",
     [] {
       return written([](builder& g) {
         auto x = g.input<f32, shape<2, 4>>("x");
         g.output("y", relu6(full_connection(x, g.weight<f32, shape<3, 4>>("w"), relu)));
       });
     },
     2, 0},
    {"not into a node that can have none",
     [] { return written([](builder& g) { g.output("y", relu(softmax(g.input<f32, shape<2, 4>>("x")))); }); }, 2, 0},
    {"not into an input", [] { return written([](builder& g) { g.output("y", relu(g.input<f32, shape<4>>("x"))); }); },
     1, 0},
    {"other activations are separate nodes",
     [] { return written([](builder& g) { g.output("y", sigmoid(dense(g))); }); }, 2, 0},
};

constexpr bool fuses_as_stated(const row& r) {
  ir::graph g = r.network();
  const outputs_of_graph before = computed_by_references(g);
  passes::fuse_activations(g);
  bool all_fused = true;
  for (const ir::event& e : g.log) all_fused = all_fused && e.what == ir::change::fused && e.into != nullptr;
  return g.nodes.size() == r.left && g.log.size() == r.events && all_fused &&
         close(computed_by_references(g), before, 0);
}
static_assert(std::all_of(std::begin(table), std::end(table), fuses_as_stated));

TEST_CASE("fuse: relu and relu6 become part of the node before them, and of no other") {
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(fuses_as_stated(r));
    ir::graph g = r.network();
    const outputs_of_graph before = computed_by_references(g);
    passes::fuse_activations(g);
    CHECK(close(computed_by_plan(g, {}, 1, 2), before, 1e-6));
  }
}

TEST_CASE("fuse: the node has the activation among its attributes, and the log names it") {
  ir::graph g = table[1].network();
  passes::fuse_activations(g);
  REQUIRE(g.nodes.size() == 1);
  CHECK(unpack<ops::full_connection::attrs>(g.attrs_of(g.nodes[0])).fused == activation::relu6);
  REQUIRE(g.log.size() == 1);
  CHECK(g.log[0].op->name == "relu6");
  CHECK(g.name_of(g.log[0].name) == "w");
}

/// relu of x + x in i8, with another zero point after the relu when they are to differ.
ir::graph quantised_sum(std::int32_t zero_point) {
  ir::graph g;
  const quantisation q = quant{.scale = 0.5F, .zero_point = 3};
  g.inputs.push_back(g.add_value({{i8, nd, {4}, q}, ir::kind::input, g.add_text("x"), 0, ir::none}));
  g.add_value({{i8, nd, {4}, q}, ir::kind::result, {}, 0, ir::none});
  g.add_value({{i8, nd, {4}, quant{.scale = 0.5F, .zero_point = zero_point}}, ir::kind::result, {}, 0, ir::none});
  pool<word> words;
  pack(ops::add::attrs{}, words);
  const std::int32_t operands[] = {0, 0, 1, 1, 2};
  const ir::range attributes = g.add_words(words);
  g.add_operands(operands);
  g.nodes.push_back(node_of(dynamic_operator<ops::add, false>, attributes, {0, 2}, {2, 1}));
  g.nodes.push_back(node_of(dynamic_operator<ops::relu, false>, {}, {3, 1}, {4, 1}));
  g.outputs.push_back({2, {}});
  return g;
}

TEST_CASE("fuse: an activation that also requantises stays a node") {
  for (const std::int32_t zero_point : {3, -7}) {
    CAPTURE(zero_point);
    ir::graph g = quantised_sum(zero_point);
    passes::fuse_activations(g);
    CHECK(g.nodes.size() == (zero_point == 3 ? 1 : 2));
  }
}

}  // namespace
