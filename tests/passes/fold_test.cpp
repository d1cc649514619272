// fold_test: affine maps of channels become part of a layer's weights wherever that changes nothing else.
#include <nnrt/passes/fold.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/batch_norm.hpp>
#include <nnrt/ops/bias_add.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/conv2d_transpose.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/relu6.hpp>
#include <nnrt/ops/scale.hpp>
#include <nnrt/ops/sub.hpp>

#include "support/graphs.hpp"

namespace {

using namespace nnrt_test;

constexpr auto image(builder& g) { return g.input<f32, shape<1, 4, 4, 2>>("image"); }
constexpr auto kernel_of(builder& g) { return g.weight<f32, shape<3, 3, 3, 2>>("conv.weight"); }
constexpr auto row_of_three(builder& g, std::string_view name) { return g.weight<f32, shape<3>>(name); }

/// batch_norm over three channels with other parameters.
template <tensor_desc X> constexpr auto normalised(builder& g, tensor<X> x) {
  return batch_norm(x, row_of_three(g, "bn.scale"), row_of_three(g, "bn.offset"), row_of_three(g, "bn.mean"),
                    row_of_three(g, "bn.variance"), epsilon<1e-3F>);
}

/// scale with a factor and an offset for each of three channels.
template <tensor_desc X, class... Keywords> constexpr auto scaled(builder& g, tensor<X> x, Keywords... keywords) {
  return scale(x, row_of_three(g, "scale"), row_of_three(g, "offset"), keywords...);
}

struct row {
  const char* what;
  ir::graph (*network)();
  std::size_t folds, left, prepare;
};
constexpr row folded[] = {
    {"batch_norm after a convolution without bias",
     [] { return written([](builder& g) { g.output("y", normalised(g, conv2d(image(g), kernel_of(g), same))); }); }, 1,
     2, 1},
    {"batch_norm after a convolution with bias",
     [] {
       return written([](builder& g) {
         g.output("y", normalised(g, conv2d(image(g), kernel_of(g), row_of_three(g, "conv.bias"), same)));
       });
     },
     1, 2, 1},
    {"batch_norm after a depthwise convolution",
     [] {
       return written([](builder& g) {
         auto x = g.input<f32, shape<1, 4, 4, 3>>("image");
         g.output("y", normalised(g, depthwise_conv2d(x, g.weight<f32, shape<3, 3, 3, 1>>("weight"), same)));
       });
     },
     1, 2, 1},
    {"batch_norm after a transposed convolution",
     [] {
       return written([](builder& g) {
         g.output("y", normalised(g, conv2d_transpose(image(g), kernel_of(g), same, stride<2, 2>)));
       });
     },
     1, 2, 1},
    {"bias_add and batch_norm after a transposed convolution with groups",
     [] {
       return written([](builder& g) {
         auto x = g.input<f32, shape<1, 4, 4, 3>>("image");
         auto w = g.weight<f32, shape<3, 2, 3, 1>>("up.weight");
         auto h = conv2d_transpose(x, w, row_of_three(g, "up.bias"), group<3>, stride<3, 2>, output_paddings<1, 0>);
         g.output("y", normalised(g, bias_add(h, row_of_three(g, "bias"))));
       });
     },
     2, 3, 2},
    {"batch_norm after a dense layer",
     [] {
       return written([](builder& g) {
         auto x = g.input<f32, shape<2, 5>>("x");
         auto w = g.weight<f32, shape<3, 5>>("fc.weight");
         g.output("y", normalised(g, full_connection(x, w, row_of_three(g, "fc.bias"))));
       });
     },
     1, 2, 1},
    {"bias_add becomes the bias that the layer has not",
     [] {
       return written(
           [](builder& g) { g.output("y", bias_add(conv2d(image(g), kernel_of(g), same), row_of_three(g, "bias"))); });
     },
     1, 1, 0},
    {"bias_add is added to the bias that the layer has",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), row_of_three(g, "conv.bias"), same);
         g.output("y", bias_add(h, row_of_three(g, "bias")));
       });
     },
     1, 2, 1},
    {"a constant bias is as good as a weight",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), row_of_three(g, "conv.bias"), same);
         g.output("y", bias_add(h, g.constant<f32, shape<3>>({1, 2, 3})));
       });
     },
     1, 2, 1},
    {"one after the other",
     [] {
       return written([](builder& g) {
         auto h = bias_add(conv2d(image(g), kernel_of(g), same), row_of_three(g, "bias"));
         g.output("y", relu(normalised(g, h)));
       });
     },
     2, 3, 1},
    {"in the other order",
     [] {
       return written([](builder& g) {
         auto h = normalised(g, conv2d(image(g), kernel_of(g), same));
         g.output("y", bias_add(h, row_of_three(g, "bias")));
       });
     },
     2, 3, 2},
    {"two layers, each its own",
     [] {
       return written([](builder& g) {
         auto h = normalised(g, conv2d(image(g), kernel_of(g), same));
         auto w = g.weight<f32, shape<3, 1, 1, 3>>("second.weight");
         g.output("y", bias_add(conv2d(h, w), row_of_three(g, "second.bias")));
       });
     },
     2, 3, 1},
    {"a kernel that two layers share",
     [] {
       return written([](builder& g) {
         auto w = kernel_of(g);
         auto a = normalised(g, conv2d(image(g), w, same));
         auto b = conv2d(g.input<f32, shape<1, 4, 4, 2>>("other"), w, same);
         g.output("a", a);
         g.output("b", b);
       });
     },
     1, 3, 1},
    {"parameters that are computed from weights",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), same);
         g.output("y", bias_add(h, mul(row_of_three(g, "bias"), row_of_three(g, "factor"))));
       });
     },
     1, 2, 1},
    {"a kernel that is computed from weights after the image is read",
     [] {
       return written([](builder& g) {
         auto x = relu(image(g));
         auto w = mul(kernel_of(g), g.weight<f32, shape<3, 1, 1, 1>>("factor"));
         g.output("y", normalised(g, conv2d(x, w, same)));
       });
     },
     1, 4, 2},
    {"scale after a convolution without bias",
     [] { return written([](builder& g) { g.output("y", scaled(g, conv2d(image(g), kernel_of(g), same))); }); }, 1, 2,
     1},
    {"scale after a convolution with bias, its axis counted from the front",
     [] {
       return written([](builder& g) {
         g.output("y", scaled(g, conv2d(image(g), kernel_of(g), row_of_three(g, "conv.bias"), same), axis<3>));
       });
     },
     1, 2, 1},
    {"scale after a depthwise convolution, with an activation",
     [] {
       return written([](builder& g) {
         auto x = g.input<f32, shape<1, 4, 4, 3>>("image");
         auto h = depthwise_conv2d(x, g.weight<f32, shape<3, 3, 3, 1>>("weight"), same);
         g.output("y", scaled(g, h, relu));
       });
     },
     1, 2, 1},
    {"scale after a dense layer, by constants",
     [] {
       return written([](builder& g) {
         auto h = full_connection(g.input<f32, shape<2, 5>>("x"), g.weight<f32, shape<3, 5>>("fc.weight"));
         g.output("y", scale(h, g.constant<f32, shape<3>>({2, -3, 0}), g.constant<f32, shape<3>>({5, 0, 9}), relu6));
       });
     },
     1, 2, 1},
    {"scale with parameters of three axes, of which the channels alone have extent",
     [] {
       return written([](builder& g) {
         auto h = conv2d(g.input<f32, shape<2, 1, 1, 2>>("image"), kernel_of(g), same);
         const auto parameter = [&](const char* name) { return g.weight<f32, shape<1, 1, 3>>(name); };
         g.output("y", scale(h, parameter("scale"), parameter("offset"), axis<1>));
       });
     },
     1, 2, 1},
    {"normalised, scaled, and once more something added",
     [] {
       return written([](builder& g) {
         auto h = scaled(g, normalised(g, conv2d(image(g), kernel_of(g), same)));
         g.output("y", bias_add(h, row_of_three(g, "bias")));
       });
     },
     3, 4, 3},
    {"one factor for all, and an offset for each channel",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), same);
         g.output("y", scale(h, g.weight<f32, shape<>>("scale"), row_of_three(g, "offset")));
       });
     },
     1, 2, 1},
    {"a sum becomes the bias that the layer has not",
     [] {
       return written(
           [](builder& g) { g.output("y", conv2d(image(g), kernel_of(g), same) + row_of_three(g, "offset")); });
     },
     1, 1, 0},
    {"a sum with the layer as second operand, and an activation",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), row_of_three(g, "conv.bias"), same);
         g.output("y", add(row_of_three(g, "offset"), h, relu));
       });
     },
     1, 2, 1},
    {"one number that is added to all",
     [] { return written([](builder& g) { g.output("y", conv2d(image(g), kernel_of(g), same) + 0.25F); }); }, 1, 2, 1},
    {"a difference",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), row_of_three(g, "conv.bias"), same);
         g.output("y", h - row_of_three(g, "mean"));
       });
     },
     1, 2, 1},
    {"a product, in either order, and a sum: a batch_norm as exporters spell it",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), row_of_three(g, "conv.bias"), same);
         auto gain = g.weight<f32, shape<1, 1, 1, 3>>("gain");
         g.output("y", relu6(gain * h + g.weight<f32, shape<1, 1, 3>>("offset")));
       });
     },
     2, 4, 2},
    {"a quotient after a depthwise convolution",
     [] {
       return written([](builder& g) {
         auto x = g.input<f32, shape<1, 4, 4, 3>>("image");
         auto h = depthwise_conv2d(x, g.weight<f32, shape<3, 3, 3, 1>>("weight"), row_of_three(g, "bias"), same);
         g.output("y", h / row_of_three(g, "standard.variance"));
       });
     },
     1, 2, 1},
    {"a quotient by one number after a transposed convolution",
     [] {
       return written(
           [](builder& g) { g.output("y", conv2d_transpose(image(g), kernel_of(g), same, stride<2, 2>) / 8.0F); });
     },
     1, 2, 1},
    {"a product after a dense layer, with an activation",
     [] {
       return written([](builder& g) {
         auto h = full_connection(g.input<f32, shape<2, 5>>("x"), g.weight<f32, shape<3, 5>>("fc.weight"));
         g.output("y", mul(h, g.constant<f32, shape<3>>({2, -3, 0}), relu));
       });
     },
     1, 2, 1},
    {"a factor for each input channel of a padded convolution, which has an activation",
     [] {
       return written([](builder& g) {
         auto x = image(g) * g.weight<f32, shape<2>>("gain");
         g.output("y", conv2d(x, kernel_of(g), row_of_three(g, "conv.bias"), same, relu));
       });
     },
     1, 2, 1},
    {"a factor of all pixels before a convolution whose bias is an input",
     [] {
       return written([](builder& g) {
         g.output("y", conv2d(image(g) / 127.0F, kernel_of(g), g.input<f32, shape<3>>("bias"), same));
       });
     },
     1, 2, 1},
    {"a factor before and after a depthwise convolution",
     [] {
       return written([](builder& g) {
         auto x = g.input<f32, shape<1, 4, 4, 3>>("image") * row_of_three(g, "gain");
         auto h = depthwise_conv2d(x, g.weight<f32, shape<3, 3, 3, 1>>("weight"), same);
         g.output("y", h * row_of_three(g, "scale"));
       });
     },
     2, 3, 2},
    {"a factor before a transposed convolution",
     [] {
       return written([](builder& g) {
         auto x = g.weight<f32, shape<2>>("gain") * image(g);
         g.output("y", conv2d_transpose(x, kernel_of(g), same, stride<2, 2>));
       });
     },
     1, 2, 1},
    {"a factor before a dense layer",
     [] {
       return written([](builder& g) {
         auto x = g.input<f32, shape<2, 5>>("x") * g.weight<f32, shape<5>>("gain");
         g.output("y", full_connection(x, g.weight<f32, shape<3, 5>>("fc.weight"), row_of_three(g, "fc.bias")));
       });
     },
     1, 2, 1},
    {"a factor between two layers goes into the first",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), same) * row_of_three(g, "gain");
         g.output("y", conv2d(h, g.weight<f32, shape<3, 1, 1, 3>>("second.weight")));
       });
     },
     1, 3, 1},
    {"a factor after an activation goes into the layer after it",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), same, relu) * row_of_three(g, "gain");
         g.output("y", conv2d(h, g.weight<f32, shape<3, 1, 1, 3>>("second.weight")));
       });
     },
     1, 3, 1},
};
constexpr row kept[] = {
    {"the layer's result is used twice",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), same);
         g.output("y", normalised(g, h) + h);
       });
     },
     0, 3, 0},
    {"the layer's result is an output",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), same);
         g.output("h", h);
         g.output("y", normalised(g, h));
       });
     },
     0, 2, 0},
    {"the layer has an activation",
     [] {
       return written([](builder& g) { g.output("y", normalised(g, conv2d(image(g), kernel_of(g), same, relu))); });
     },
     0, 2, 0},
    {"an activation stands between",
     [] {
       return written([](builder& g) { g.output("y", normalised(g, relu(conv2d(image(g), kernel_of(g), same)))); });
     },
     0, 3, 0},
    {"a parameter is an input",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), same);
         g.output("y", bias_add(h, g.input<f32, shape<3>>("bias")));
       });
     },
     0, 2, 0},
    {"a parameter is computed from an input",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), same);
         g.output("y", bias_add(h, relu(g.input<f32, shape<3>>("bias"))));
       });
     },
     0, 3, 0},
    {"the kernel is an input",
     [] {
       return written([](builder& g) {
         auto w = g.input<f32, shape<3, 3, 3, 2>>("kernel");
         g.output("y", normalised(g, conv2d(image(g), w, same)));
       });
     },
     0, 2, 0},
    {"the bias is an input",
     [] {
       return written([](builder& g) {
         auto b = g.input<f32, shape<3>>("bias");
         g.output("y", normalised(g, conv2d(image(g), kernel_of(g), b, same)));
       });
     },
     0, 2, 0},
    {"a scale along the rows of the map",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), same);
         g.output("y", scale(h, g.weight<f32, shape<4>>("scale"), g.weight<f32, shape<4>>("offset"), axis<1>));
       });
     },
     0, 2, 0},
    {"a scale of columns and channels",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), same);
         g.output("y", scale(h, g.weight<f32, shape<4, 3>>("scale"), g.weight<f32, shape<4, 3>>("offset"), axis<2>));
       });
     },
     0, 2, 0},
    {"a scale along axes of which none is the channels'",
     [] {
       return written([](builder& g) {
         auto h = conv2d(g.input<f32, shape<1, 3, 4, 2>>("image"), kernel_of(g), same);
         g.output("y", scaled(g, h, axis<1>));
       });
     },
     0, 2, 0},
    {"a scale along the channels and others",
     [] {
       return written([](builder& g) {
         auto h = conv2d(g.input<f32, shape<1, 3, 4, 2>>("image"), kernel_of(g), same);
         g.output("y", scale(h, row_of_three(g, "scale"), g.weight<f32, shape<3, 4, 3>>("offset"), axis<1>));
       });
     },
     0, 2, 0},
    {"a factor for each column, of which there are as many as channels",
     [] {
       return written([](builder& g) {
         auto h = conv2d(g.input<f32, shape<1, 4, 3, 2>>("image"), kernel_of(g), same);
         g.output("y", h * g.weight<f32, shape<3, 1>>("gain"));
       });
     },
     0, 2, 0},
    {"a sum that broadcasts the layer's result",
     [] {
       return written([](builder& g) {
         auto h = full_connection(g.input<f32, shape<1, 5>>("x"), g.weight<f32, shape<3, 5>>("fc.weight"));
         g.output("y", h + g.weight<f32, shape<4, 1>>("offset"));
       });
     },
     0, 2, 0},
    {"a result that is subtracted",
     [] {
       return written(
           [](builder& g) { g.output("y", row_of_three(g, "offset") - conv2d(image(g), kernel_of(g), same)); });
     },
     0, 2, 0},
    {"a result that is the divisor",
     [] { return written([](builder& g) { g.output("y", 2.0F / conv2d(image(g), kernel_of(g), same)); }); }, 0, 2, 0},
    {"a sum of two layers",
     [] {
       return written([](builder& g) {
         g.output("y", conv2d(image(g), kernel_of(g), same) + relu(g.input<f32, shape<1, 4, 4, 3>>("other")));
       });
     },
     0, 3, 0},
    {"a sum before a layer, whose padding is 0",
     [] {
       return written(
           [](builder& g) { g.output("y", conv2d(image(g) + g.weight<f32, shape<2>>("offset"), kernel_of(g), same)); });
     },
     0, 2, 0},
    {"a factor before a layer that has an activation",
     [] {
       return written([](builder& g) {
         g.output("y", conv2d(mul(image(g), g.weight<f32, shape<2>>("gain"), relu), kernel_of(g), same));
       });
     },
     0, 2, 0},
    {"a factor before a layer that somebody else reads",
     [] {
       return written([](builder& g) {
         auto x = image(g) * g.weight<f32, shape<2>>("gain");
         g.output("x", x);
         g.output("y", conv2d(x, kernel_of(g), same));
       });
     },
     0, 2, 0},
    {"a factor for each input channel of a convolution with groups",
     [] {
       return written([](builder& g) {
         auto x = g.input<f32, shape<1, 4, 4, 4>>("image") * g.weight<f32, shape<4>>("gain");
         g.output("y", conv2d(x, g.weight<f32, shape<4, 3, 3, 2>>("weight"), group<2>));
       });
     },
     0, 2, 0},
    {"a factor for each input channel of a depthwise convolution with more filters",
     [] {
       return written([](builder& g) {
         auto x = image(g) * g.weight<f32, shape<2>>("gain");
         g.output("y", depthwise_conv2d(x, g.weight<f32, shape<4, 3, 3, 1>>("weight")));
       });
     },
     0, 2, 0},
    {"a factor for each column before a layer",
     [] {
       return written([](builder& g) {
         auto x = g.input<f32, shape<1, 4, 2, 2>>("image") * g.weight<f32, shape<2, 1>>("gain");
         g.output("y", conv2d(x, g.weight<f32, shape<3, 1, 1, 2>>("weight")));
       });
     },
     0, 2, 0},
    {"a factor that is an input, before a layer",
     [] {
       return written(
           [](builder& g) { g.output("y", conv2d(image(g) * g.input<f32, shape<2>>("gain"), kernel_of(g), same)); });
     },
     0, 2, 0},
    {"a factor that is an input",
     [] {
       return written([](builder& g) {
         auto h = conv2d(image(g), kernel_of(g), same);
         g.output("y", scale(h, g.input<f32, shape<3>>("scale"), row_of_three(g, "offset")));
       });
     },
     0, 2, 0},
    {"what is before is no layer",
     [] { return written([](builder& g) { g.output("y", normalised(g, g.input<f32, shape<2, 3>>("x"))); }); }, 0, 1, 0},
    {"the layer runs once, on weights",
     [] {
       return written([](builder& g) {
         auto x = g.weight<f32, shape<1, 4, 4, 2>>("table");
         auto h = normalised(g, conv2d(x, kernel_of(g), same));
         g.output("y", mul(h, g.input<f32, shape<3>>("x")));
       });
     },
     0, 3, 2},
};

/// Nodes that run once, before the network does.
constexpr std::size_t prepared_nodes(const ir::graph& g) {
  const auto known = passes::known_values(g);
  std::size_t count = 0;
  for (const ir::node& n : g.nodes) count += known[static_cast<std::size_t>(g.outputs_of(n)[0])] != 0 ? 1U : 0U;
  return count;
}
/// Every value is made before it is read.
constexpr bool is_in_order(const ir::graph& g) {
  pool<char> made;
  for (const ir::value& v : g.values) made.push_back(v.is == ir::kind::result ? 0 : 1);
  for (const ir::node& n : g.nodes) {
    for (const std::int32_t id : g.inputs_of(n))
      if (id != ir::none && made[static_cast<std::size_t>(id)] == 0) return false;
    for (const std::int32_t id : g.outputs_of(n)) made[static_cast<std::size_t>(id)] = 1;
  }
  return true;
}
constexpr bool folds_as_stated(const row& r) {
  ir::graph g = r.network();
  const outputs_of_graph before = computed_by_references(g);
  passes::fold_into_weights(g);
  bool all_folded = true;
  for (const ir::event& e : g.log) all_folded = all_folded && e.what == ir::change::folded && e.into != nullptr;
  return g.log.size() == r.folds && all_folded && g.nodes.size() == r.left && prepared_nodes(g) == r.prepare &&
         is_in_order(g) && close(computed_by_references(g), before, r.folds == 0 ? 0 : 1e-5);
}
static_assert(folds_as_stated(folded[0]) && folds_as_stated(folded[3]));
static_assert(folds_as_stated(folded[4]) && folds_as_stated(folded[7]) && folds_as_stated(folded[13]));
static_assert(folds_as_stated(kept[0]) && folds_as_stated(kept[2]) && folds_as_stated(kept[5]));

TEST_CASE("fold: a channelwise map after a layer with known weights becomes part of them, and the result stays") {
  for (const row& r : folded) {
    CAPTURE(r.what);
    CHECK(folds_as_stated(r));
  }
}

/// What a layer after a scale with an activation does not take over.
constexpr auto with_an_activation_between = [](builder& g) {
  auto h = scaled(g, conv2d(image(g), kernel_of(g), same), relu6);
  g.output("y", bias_add(h, row_of_three(g, "bias")));
};
constexpr bool layer_has_taken_the_activation() {
  ir::graph g = written(with_an_activation_between);
  const outputs_of_graph before = computed_by_references(g);
  passes::fold_into_weights(g);
  const ir::node* const layer = node_of<ops::conv2d>(g);
  return unpack<ops::conv2d::attrs>(g.attrs_of(*layer)).fused == activation::relu6 && count_of<ops::scale>(g) == 0 &&
         count_of<ops::bias_add>(g) == 1 && close(computed_by_references(g), before, 1e-5);
}
static_assert(layer_has_taken_the_activation());

TEST_CASE("fold: the layer takes over the activation of a scale, and nothing that follows that") {
  CHECK(layer_has_taken_the_activation());
}

TEST_CASE("fold: nothing is folded where somebody would see another result") {
  for (const row& r : kept) {
    CAPTURE(r.what);
    CHECK(folds_as_stated(r));
  }
}

TEST_CASE("fold: plans of folded networks compute what was written") {
  for (const std::span<const row> table : {std::span<const row>(folded), std::span<const row>(kept)}) {
    for (const row& r : table) {
      CAPTURE(r.what);
      ir::graph g = r.network();
      const outputs_of_graph before = computed_by_references(g);
      passes::fold_into_weights(g);
      CHECK(close(computed_by_plan(g, {.fast_kernels = false}, 1, 2), before, 1e-5));
      CHECK(close(computed_by_plan(g, {.fast_kernels = true}, 1, 2), before, 1e-5));
    }
  }
}

TEST_CASE("fold: the log names the layer that took the node over") {
  ir::graph g = folded[0].network();
  passes::fold_into_weights(g);
  REQUIRE(g.log.size() == 1);
  CHECK(g.log[0].op->name == "batch_norm");
  CHECK(g.log[0].into->name == "conv2d");
  CHECK(g.name_of(g.log[0].name) == "conv");
}

}  // namespace
