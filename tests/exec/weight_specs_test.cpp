// weight_specs_test: from a graph follows how each weight is used, so that files in another order can be brought into
// ours.
#include <nnrt/exec/weight_specs.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/cast.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/matmul.hpp>
#include <nnrt/ops/max_pool.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/prelu.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/softmax.hpp>
#include <nnrt/ops/split.hpp>

#include "support/graphs.hpp"

#include <algorithm>
#include <array>

namespace {

using namespace nnrt_test;

struct row {
  const char* what;
  ir::graph (*network)();
  weight_use use;
  std::int64_t group;
  shape_t flattened;
};

constexpr auto map(builder& g) { return relu(g.input<f32, shape<1, 2, 3, 4>>("map")); }
template <int Columns> constexpr auto dense(builder& g) { return g.weight<f32, shape<5, Columns>>("w"); }

/// Each network has one weight.
constexpr row table[] = {
    {"an operand of arithmetic",
     [] {
       return written([](builder& g) { g.output("y", g.input<f32, shape<4>>("x") * g.weight<f32, shape<4>>("w")); });
     },
     weight_use::plain,
     1,
     {}},
    {"a kernel",
     [] { return written([](builder& g) { g.output("y", conv2d(map(g), g.weight<f32, shape<6, 1, 1, 4>>("w"))); }); },
     weight_use::conv2d,
     1,
     {}},
    {"a kernel of two groups",
     [] {
       return written(
           [](builder& g) { g.output("y", conv2d(map(g), g.weight<f32, shape<6, 1, 1, 2>>("w"), group<2>)); });
     },
     weight_use::conv2d,
     2,
     {}},
    {"a depthwise kernel",
     [] {
       return written(
           [](builder& g) { g.output("y", depthwise_conv2d(map(g), g.weight<f32, shape<4, 1, 1, 1>>("w"))); });
     },
     weight_use::depthwise_conv2d,
     1,
     {}},
    {"a dense layer over a row",
     [] {
       return written(
           [](builder& g) { g.output("y", full_connection(g.input<f32, shape<1, 24>>("x"), dense<24>(g))); });
     },
     weight_use::full_connection,
     1,
     {}},
    {"after a flattened map",
     [] { return written([](builder& g) { g.output("y", full_connection(flatten(map(g)), dense<24>(g))); }); },
     weight_use::full_connection,
     1,
     {1, 2, 3, 4}},
    {"after several reshapes",
     [] {
       return written([](builder& g) {
         auto x = reshape(reshape(map(g), shape<24>), shape<1, 24>);
         g.output("y", full_connection(x, dense<24>(g)));
       });
     },
     weight_use::full_connection,
     1,
     {1, 2, 3, 4}},
    {"after a flattened map and an activation",
     [] { return written([](builder& g) { g.output("y", full_connection(relu(flatten(map(g))), dense<24>(g))); }); },
     weight_use::full_connection,
     1,
     {1, 2, 3, 4}},
    {"after a flattened map and a product with a number",
     [] { return written([](builder& g) { g.output("y", full_connection(flatten(map(g)) * 0.5F, dense<24>(g))); }); },
     weight_use::full_connection,
     1,
     {1, 2, 3, 4}},
    {"after a flattened map and a slope for all",
     [] {
       return written([](builder& g) {
         g.output("y", full_connection(prelu(flatten(map(g)), g.constant<f32, shape<1>>({0.5F})), dense<24>(g)));
       });
     },
     weight_use::full_connection,
     1,
     {1, 2, 3, 4}},
    {"after the sum of a flattened map with itself",
     [] {
       return written([](builder& g) {
         auto x = flatten(map(g));
         g.output("y", full_connection(x + x, dense<24>(g)));
       });
     },
     weight_use::full_connection,
     1,
     {1, 2, 3, 4}},
    {"after a map that became one pixel",
     [] {
       return written([](builder& g) {
         g.output("y", full_connection(flatten(reshape(map(g), shape<1, 1, 1, 24>)), dense<24>(g)));
       });
     },
     weight_use::full_connection,
     1,
     {1, 2, 3, 4}},
    {"after a flattened map and constants for each column",
     [] {
       return written([](builder& g) {
         g.output("y",
                  full_connection(flatten(map(g)) * g.constant<f32, shape<24>>(std::array<float, 24>{}), dense<24>(g)));
       });
     },
     weight_use::full_connection,
     1,
     {1, 2, 3, 4}},
    {"after a flattened map that is converted, itself converted",
     [] {
       return written([](builder& g) {
         g.output("y",
                  full_connection(cast<f32>(cast<f16>(flatten(map(g)))), cast<f32>(g.weight<f16, shape<5, 24>>("w"))));
       });
     },
     weight_use::full_connection,
     1,
     {1, 2, 3, 4}},
    {"a kernel of halves",
     [] {
       return written(
           [](builder& g) { g.output("y", conv2d(map(g), cast<f32>(g.weight<f16, shape<6, 1, 1, 4>>("w")))); });
     },
     weight_use::conv2d,
     1,
     {}},
    {"numbers for each column of a flattened map",
     [] { return written([](builder& g) { g.output("y", flatten(map(g)) * g.weight<f32, shape<24>>("w")); }); },
     weight_use::columns,
     1,
     {1, 2, 3, 4}},
    {"numbers for each channel of a map",
     [] { return written([](builder& g) { g.output("y", map(g) * g.weight<f32, shape<4>>("w")); }); },
     weight_use::plain,
     1,
     {}},
    {"numbers for each row of a flattened map",
     [] {
       return written([](builder& g) {
         g.output("y", flatten(relu(g.input<f32, shape<4, 2, 1, 2>>("map"))) * g.weight<f32, shape<4, 1>>("w"));
       });
     },
     weight_use::plain,
     1,
     {}},
    {"after rows that were heads for a while",
     [] {
       return written([](builder& g) {
         auto heads = relu(reshape(g.input<f32, shape<1, 24>>("x"), shape<1, 1, 6, 4>));
         g.output("y", full_connection(reshape(heads, shape<1, 24>), dense<24>(g)));
       });
     },
     weight_use::full_connection,
     1,
     {}},
    {"after a product of a flattened map, whose factor is plain",
     [] {
       return written([](builder& g) {
         auto product = matmul(flatten(map(g)), g.constant<f32, shape<24, 24>>(std::array<float, 576>{}));
         g.output("y", full_connection(product, dense<24>(g)));
       });
     },
     weight_use::full_connection,
     1,
     {}},
    {"a map of one channel has one order",
     [] {
       return written([](builder& g) {
         g.output("y", full_connection(flatten(g.input<f32, shape<1, 6, 4, 1>>("x")), dense<24>(g)));
       });
     },
     weight_use::full_connection,
     1,
     {}},
    {"over a map that it flattens itself",
     [] { return written([](builder& g) { g.output("y", full_connection(map(g), dense<24>(g), axis<1>)); }); },
     weight_use::full_connection,
     1,
     {1, 2, 3, 4}},
    {"an input that is a map",
     [] {
       return written([](builder& g) {
         g.output("y", full_connection(flatten(g.input<f32, shape<1, 2, 3, 4>>("x")), dense<24>(g)));
       });
     },
     weight_use::full_connection,
     1,
     {1, 2, 3, 4}},
    {"over the pixels of a map",
     [] {
       return written([](builder& g) { g.output("y", full_connection(reshape(map(g), shape<6, 4>), dense<4>(g))); });
     },
     weight_use::full_connection,
     1,
     {}},
    {"over the last axis of a map",
     [] { return written([](builder& g) { g.output("y", full_connection(map(g), dense<4>(g))); }); },
     weight_use::full_connection,
     1,
     {}},
    {"a map of one pixel has one order",
     [] {
       return written([](builder& g) {
         auto x = reduce_mean(map(g), axes<1, 2>, keep_dims);
         g.output("y", full_connection(flatten(x), dense<4>(g)));
       });
     },
     weight_use::full_connection,
     1,
     {}},
};

constexpr bool specified_as_stated(const row& r) {
  const ir::graph g = r.network();
  const auto specs = weight_specs_of(g);
  return specs.size() == 1 && specs[0].name == "w" && specs[0].use == r.use && specs[0].group == r.group &&
         specs[0].flattened == r.flattened && !specs[0].contradicts;
}
static_assert(std::all_of(std::begin(table), std::end(table), specified_as_stated));

TEST_CASE("weight_specs: a weight's use follows from the node that reads it") {
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(specified_as_stated(r));
  }
}

/// Each network has a weight "w" whose order in other files cannot be followed.
constexpr ir::graph (*contradictions[])() = {
    [] { return written([](builder& g) { g.output("y", full_connection(softmax(flatten(map(g))), dense<24>(g))); }); },
    [] {
      return written([](builder& g) {
        auto other = g.input<f32, shape<1, 2, 3, 2>>("other");
        g.output("y", full_connection(concat(flatten(map(g)), flatten(other), axis<1>), dense<36>(g)));
      });
    },
    [] {
      return written([](builder& g) {
        auto [first, second] = split<2>(flatten(map(g)), axis<1>);
        g.output("y", full_connection(first, dense<12>(g)) +
                          full_connection(second, g.constant<f32, shape<5, 12>>(std::array<float, 60>{})));
      });
    },
    [] {
      return written([](builder& g) {
        auto w = dense<24>(g);
        g.output("y", full_connection(flatten(map(g)), w) + full_connection(g.input<f32, shape<1, 24>>("row"), w));
      });
    },
    [] {
      return written([](builder& g) {
        auto w = dense<24>(g);
        g.output("y", full_connection(g.input<f32, shape<1, 24>>("row"), w) + full_connection(flatten(map(g)), w));
      });
    },
};

TEST_CASE("weight_specs: what is read in two orders, or in one that does not follow from a map, is said to be so") {
  for (const auto network : contradictions) {
    const auto specs = weight_specs_of(network());
    REQUIRE(specs.size() == 1);
    CHECK(specs[0].use == weight_use::full_connection);
    CHECK(specs[0].contradicts);
  }
  const ir::graph twice = written([](builder& g) {
    auto w = g.weight<f32, shape<24, 24>>("w");
    g.output("y", full_connection(relu(full_connection(g.input<f32, shape<1, 24>>("x"), w)), w));
  });
  CHECK_FALSE(weight_specs_of(twice)[0].contradicts);
}

TEST_CASE("weight_specs: weights stand in order of declaration, with their descs") {
  const ir::graph g = written([](builder& b) {
    auto bias = b.weight<f32, shape<5>>("fc.bias");
    auto x = b.input<f32, shape<1, 4>>("x");
    b.output("y", full_connection(x, dense<4>(b), bias));
  });
  const auto specs = weight_specs_of(g);
  REQUIRE(specs.size() == 2);
  CHECK(specs[0].name == "fc.bias");
  CHECK(specs[0].use == weight_use::plain);
  CHECK(specs[1].name == "w");
  CHECK(specs[1].desc == tensor_desc{f32, {5, 4}});
}

TEST_CASE("weight_specs: nodes that lack operands say nothing of weights") {
  ir::graph dense_layer = written([](builder& g) { g.output("y", full_connection(flatten(map(g)), dense<24>(g))); });
  const auto spec_of = [&] { return weight_specs_of(dense_layer)[0]; };
  REQUIRE(spec_of().flattened == shape_t{1, 2, 3, 4});
  ir::node& layer = dense_layer.nodes.back();

  SUBCASE("the layer has one operand") { layer.inputs.count = 1; }
  SUBCASE("the layer has none") { layer.inputs.count = 0; }
  SUBCASE("the layer's weight is missing") {
    dense_layer.operands[static_cast<std::size_t>(layer.inputs.first) + 1] = ir::none;
  }
  SUBCASE("the layer's input is missing") {
    dense_layer.operands[static_cast<std::size_t>(layer.inputs.first)] = ir::none;
  }
  CHECK(spec_of().use == weight_use::plain);
}

TEST_CASE("weight_specs: a dense layer after a node without operands reads no feature map") {
  ir::graph g = written([](builder& b) { b.output("y", full_connection(flatten(map(b)), dense<24>(b))); });
  for (ir::node& n : g.nodes)
    if (n.op->name == "reshape") n.inputs.count = 0;
  CHECK(weight_specs_of(g)[0].use == weight_use::full_connection);
  CHECK(weight_specs_of(g)[0].flattened == shape_t{});
}

}  // namespace
