// eliminate_test: nodes that nobody needs go, nodes that do the same become one, and nothing else changes.
#include <nnrt/passes/eliminate.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/relu6.hpp>
#include <nnrt/ops/softmax.hpp>
#include <nnrt/ops/split.hpp>
#include <nnrt/ops/sub.hpp>

#include "support/graphs.hpp"

#include <algorithm>

namespace {

using namespace nnrt_test;
using ir::change;

constexpr auto input(builder& g, const char* name = "x") { return g.input<f32, shape<2, 4>>(name); }

struct row {
  const char* what;
  ir::graph (*network)();
  std::size_t left, events;
};

template <bool (*Pass)(ir::graph&, const deadline_watch&)> constexpr bool leaves_as_stated(const row& r) {
  ir::graph g = r.network();
  const outputs_of_graph before = computed_by_references(g);
  (void)Pass(g, {});
  return g.nodes.size() == r.left && g.log.size() == r.events && close(computed_by_references(g), before, 0);
}

constexpr row dead[] = {
    {"nothing is dead", [] { return written([](builder& g) { g.output("y", relu(input(g))); }); }, 1, 0},
    {"a result that nobody reads",
     [] {
       return written([](builder& g) {
         auto x = input(g);
         relu(x);
         g.output("y", softmax(x));
       });
     },
     1, 1},
    {"a chain that nobody reads, in one sweep",
     [] {
       return written([](builder& g) {
         auto x = input(g);
         relu(softmax(relu6(x)) + x);
         g.output("y", softmax(x));
       });
     },
     1, 4},
    {"one of two results is enough to stay",
     [] {
       return written([](builder& g) {
         auto [a, b] = split<2>(input(g), axis<0>);
         g.output("y", a);
       });
     },
     1, 0},
    {"an output is an input",
     [] {
       return written([](builder& g) {
         auto x = input(g);
         relu(x);
         g.output("y", x);
       });
     },
     0, 1},
};
static_assert(std::all_of(std::begin(dead), std::end(dead), leaves_as_stated<passes::remove_dead_nodes>));

TEST_CASE("eliminate: every node goes that no output needs, and only such") {
  for (const row& r : dead) {
    CAPTURE(r.what);
    CHECK(leaves_as_stated<passes::remove_dead_nodes>(r));
  }
}

constexpr row twins[] = {
    {"two alike",
     [] {
       return written([](builder& g) {
         auto x = input(g);
         g.output("y", relu(x) + relu(x));
       });
     },
     2, 1},
    {"chains alike, for the second follows the first",
     [] {
       return written([](builder& g) {
         auto x = input(g);
         g.output("y", softmax(relu(x)) + softmax(relu(x)));
       });
     },
     3, 2},
    {"both are outputs",
     [] {
       return written([](builder& g) {
         auto x = input(g);
         g.output("a", relu(x));
         g.output("b", relu(x));
       });
     },
     1, 1},
    {"all parts of a split are taken over",
     [] {
       return written([](builder& g) {
         auto x = input(g);
         auto [a, b] = split<2>(x, axis<0>);
         auto [c, d] = split<2>(x, axis<0>);
         g.output("y", (a - d) + (b - c));
       });
     },
     4, 1},
    {"other operators differ",
     [] {
       return written([](builder& g) {
         auto x = input(g);
         g.output("y", relu(x) + relu6(x));
       });
     },
     3, 0},
    {"other operands differ",
     [] { return written([](builder& g) { g.output("y", relu(input(g)) + relu(input(g, "z"))); }); }, 3, 0},
    {"operands the other way round differ",
     [] {
       return written([](builder& g) {
         auto x = input(g), z = input(g, "z");
         g.output("y", (x - z) + (z - x));
       });
     },
     3, 0},
    {"other attributes differ",
     [] {
       return written([](builder& g) {
         auto x = input(g);
         g.output("y", softmax(x, axis<0>) + softmax(x, axis<1>));
       });
     },
     3, 0},
    {"a fused activation is an attribute",
     [] {
       return written([](builder& g) {
         auto x = input(g);
         g.output("y", add(x, x, relu) + add(x, x));
       });
     },
     3, 0},
};
static_assert(std::all_of(std::begin(twins), std::end(twins), leaves_as_stated<passes::merge_common_nodes>));

TEST_CASE("eliminate: of nodes that compute the same one stays") {
  for (const row& r : twins) {
    CAPTURE(r.what);
    CHECK(leaves_as_stated<passes::merge_common_nodes>(r));
  }
}

TEST_CASE("eliminate: hundreds of nodes of one operator are told apart") {
  ir::graph g;
  const tensor_desc desc{f32, {4}};
  g.inputs.push_back(g.add_value({desc, ir::kind::input, g.add_text("x"), 0, ir::none}));
  for (std::int32_t i = 0; i < 400; ++i) {
    const std::int32_t in[] = {i};
    const std::int32_t out[] = {g.add_value({desc, ir::kind::result, {}, 0, ir::none})};
    const ir::range from = g.add_operands(in);
    g.nodes.push_back(node_of(dynamic_operator<ops::relu, false>, {}, from, g.add_operands(out)));
  }
  g.outputs.push_back({400, g.add_text("y")});
  passes::merge_common_nodes(g);
  CHECK(g.nodes.size() == 400);
}

/// A split of a quantised tensor whose second part is to have this zero point.
constexpr ir::graph two_splits(std::int32_t zero_point) {
  ir::graph g;
  const quantisation q = quant{.scale = 0.5F, .zero_point = 3};
  g.inputs.push_back(g.add_value({{i8, nd, {4}, q}, ir::kind::input, g.add_text("x"), 0, ir::none}));
  ops::split::attrs attrs;
  attrs.output_num = 2;
  pool<word> words;
  pack(attrs, words);
  for (const std::int32_t wish : {3, zero_point}) {
    const std::int32_t in[] = {0};
    std::int32_t out[2];
    for (std::int32_t& id : out) {
      id = g.add_value({{i8, nd, {2}, q}, ir::kind::result, {}, 0, ir::none});
      g.outputs.push_back({id, {}});
    }
    g.at(out[1]).desc.quantised.zero_point = wish;
    const ir::range attributes = g.add_words(words), from = g.add_operands(in);
    g.nodes.push_back(node_of(dynamic_operator<ops::split, false>, attributes, from, g.add_operands(out)));
  }
  return g;
}

TEST_CASE("eliminate: nodes are alike only when all their results are") {
  for (const std::int32_t zero_point : {3, 4}) {
    CAPTURE(zero_point);
    ir::graph g = two_splits(zero_point);
    passes::merge_common_nodes(g);
    CHECK(g.nodes.size() == (zero_point == 3 ? 1 : 2));
  }
}

TEST_CASE("eliminate: results with different scales are not alike") {
  for (const std::int32_t other : {1, 2}) {
    CAPTURE(other);
    ir::graph g;
    g.inputs.push_back(g.add_value({{f32, {4}}, ir::kind::input, g.add_text("x"), 0, ir::none}));
    for (const std::string_view name : {"first.scale", "second.scale"})
      g.add_value({{f32, {4}}, ir::kind::weight, g.add_text(name), 0, ir::none});
    for (const std::int32_t scales : {1, other}) {
      const std::int32_t in[] = {0},
                         out[] = {g.add_value({{i8, nd, {4}, per_channel<0>}, ir::kind::result, {}, 0, scales})};
      const ir::range from = g.add_operands(in);
      g.nodes.push_back(node_of(dynamic_operator<ops::relu, false>, {}, from, g.add_operands(out)));
      g.outputs.push_back({out[0], {}});
    }
    passes::merge_common_nodes(g);
    CHECK(g.nodes.size() == static_cast<std::size_t>(other));
  }
}

}  // namespace
