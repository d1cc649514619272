#include <nnrt/passes/quantise.hpp>

#include <nnrt/ops/add.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/max_pool.hpp>
#include <nnrt/ops/reduce_max.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/rsqrt.hpp>

#include <doctest/doctest.h>
#include <support/single_node.hpp>

#include <array>

using namespace nnrt_test;

namespace {

template <class... Ops> constexpr const operator_info* find_among(op_code code) {
  const operator_info* found = nullptr;
  ((Ops::code == code ? void(found = &static_operator<Ops, nnrt::detail::first_of(reference_types<Ops>()), false>)
                      : void()),
   ...);
  return found;
}
/// The operators of these tests, and those that the pass makes.
constexpr auto find =
    find_among<ops::add, ops::conv2d, ops::conv2d_add, ops::conv2d_transpose, ops::conv2d_transpose_add,
               ops::conv2d_transpose_sums, ops::depthwise_conv2d, ops::full_connection, ops::layer_sums, ops::max_pool,
               ops::quant_dtype_cast, ops::reduce_max, ops::relu, ops::reshape, ops::rsqrt>;

/// A graph, scales for its tensors (1/2, 1/4, … in the order in which they are added), and what the pass makes of it.
struct drawing {
  ir::graph g;
  pool<float> scales;
  pool<char> on_accelerator;
  float next = 0.5F;

  constexpr std::int32_t input(shape_t s) {
    const std::int32_t id = nnrt_test::add(g, of(s));
    return scaled(id);
  }
  constexpr std::int32_t weight(shape_t s, std::string_view name) {
    return g.add_value({tensor_desc{f32, s}, ir::kind::weight, g.add_text(name), 0, ir::none});
  }
  constexpr std::int32_t scaled(std::int32_t id) {
    while (scales.size() < g.values.size()) scales.push_back(0);
    scales[static_cast<std::size_t>(id)] = next;
    next /= 2;
    return id;
  }
  template <class Op>
  constexpr std::int32_t node(std::initializer_list<std::int32_t> in, typename Op::attrs attrs = {},
                              bool stays = false) {
    const std::int32_t made = append<Op>(g, attrs, in);
    on_accelerator.push_back(stays ? 0 : 1);
    return scaled(made);
  }
  constexpr passes::quantised_graph run(std::int32_t out, bool int32_tail = false) {
    g.outputs.push_back({out, {}});
    while (scales.size() < g.values.size()) scales.push_back(0);
    passes::quantise_options wanted{scales, on_accelerator};
    wanted.int32_tail = int32_tail, wanted.find = find;
    return passes::quantise(g, wanted);
  }
};

/// The nodes' names in order, as far as they agree with a list.
template <std::size_t N> constexpr bool has_nodes(const ir::graph& g, const std::array<std::string_view, N>& names) {
  if (g.nodes.size() != N) return false;
  for (std::size_t i = 0; i < N; ++i)
    if (g.nodes[i].label->name != names[i]) return false;
  return true;
}
constexpr const tensor_desc& result_of(const ir::graph& g, std::size_t node) {
  return g.at(g.outputs_of(g.nodes[node])[0]).desc;
}
using names = std::array<std::string_view, 3>;

// A layer: its input is stored by a conversion, weights by channel, bias in 32 bits; the result is floats again where
// the graph ends.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 4, 4, 3});
  const std::int32_t y = d.node<ops::conv2d>({x, d.weight({8, 3, 3, 3}, "w"), d.weight({8}, "b")});
  const passes::quantised_graph q = d.run(y);
  const ir::graph& g = q.graph;
  if (!has_nodes(g, names{"quant_dtype_cast", "conv2d", "quant_dtype_cast"}) || q.layers.size() != 1) return false;
  const ir::value &w = g.at(q.layers[0].stored_weight), &b = g.at(q.layers[0].quantised_bias);
  const bool is_weight_quantised =
      w.desc.type == i8 && w.desc.quantised == quantisation(per_channel<0>) && w.scales == q.layers[0].weight_scales;
  const bool are_names_right = g.name_of(w.name) == "w.stored" && g.name_of(b.name) == "b.stored.0000" &&
                               g.name_of(g.at(w.scales).name) == "w.stored.scale";
  const quantisation to = quant{0.25F, 0, quantised_rounding::half_to_even};
  return is_weight_quantised && are_names_right && b.desc.type == i32 && result_of(g, 0).quantised.scale == 0.5F &&
         result_of(g, 1).quantised == to && result_of(g, 1).type == i8 && result_of(g, 2) == d.g.at(y).desc &&
         g.outputs[0].value == y;
}());

// What moves numbers stays in floats where its rules refuse stored ones.
constexpr bool is_reduced_in(float coefficient, dtype type) {
  drawing d;
  const std::int32_t x = d.input({4, 8}), axis = nnrt_test::add(d.g, listed({-1}));
  ops::reduce_max::attrs attrs;
  attrs.keep_dims = attrs.reduce_to_end = true, attrs.coefficient = coefficient;
  const passes::quantised_graph q = d.run(d.node<ops::reduce_max>({x, axis}, attrs));
  for (const ir::node& n : q.graph.nodes)
    if (n.op->code == ops::reduce_max::code) return q.graph.at(q.graph.outputs_of(n)[0]).desc.type == type;
  return false;
}
static_assert(is_reduced_in(1, i8) && is_reduced_in(2, f32));

// The new graph asks for stored weights and no others.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 4, 4, 3});
  const passes::quantised_graph q = d.run(d.node<ops::conv2d>({x, d.weight({8, 3, 3, 3}, "w")}));
  int weights = 0;
  for (const ir::value& v : q.graph.values) weights += v.is == ir::kind::weight ? 1 : 0;
  return weights == 2 && q.layers[0].bias == ir::none && q.layers[0].quantised_bias == ir::none;
}());

// Two layers with one weight: it is stored once, the bias for each of them, since its scale is that of their sums.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 4, 4, 4}), w = d.weight({4, 1, 1, 4}, "w"), b = d.weight({4}, "b");
  const std::int32_t y = d.node<ops::conv2d>({x, w, b});
  const passes::quantised_graph q = d.run(d.node<ops::conv2d>({y, w, b}));
  return q.layers.size() == 2 && q.layers[0].stored_weight == q.layers[1].stored_weight &&
         q.layers[0].quantised_bias != q.layers[1].quantised_bias &&
         q.graph.name_of(q.graph.at(q.layers[1].quantised_bias).name) == "b.stored.0001";
}());

// What moves numbers keeps the scale of its input, whatever was measured for its result.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 4, 4, 2});
  ops::max_pool::attrs window;
  window.kernel = {2, 2};
  const std::int32_t pooled = d.node<ops::max_pool>({x}, window);
  const passes::quantised_graph q = d.run(d.node<ops::reshape>({pooled, nnrt_test::add(d.g, listed({1, 18}))}));
  return has_nodes(q.graph,
                   std::array<std::string_view, 4>{"quant_dtype_cast", "max_pool", "reshape", "quant_dtype_cast"}) &&
         result_of(q.graph, 1).quantised.scale == 0.5F &&
         result_of(q.graph, 2).quantised == result_of(q.graph, 1).quantised;
}());

// Nodes of the processor, and those that have no arithmetic on quantised values, are given floats; a tensor is
// converted once in each direction.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({2, 2});
  const std::int32_t a = d.node<ops::relu>({x});
  const std::int32_t b = d.node<ops::rsqrt>({a}), c = d.node<ops::relu>({a}, {}, true);
  const passes::quantised_graph q = d.run(d.node<ops::add>({b, c}));
  return has_nodes(q.graph, std::array<std::string_view, 9>{"quant_dtype_cast", "relu", "quant_dtype_cast", "rsqrt",
                                                            "relu", "quant_dtype_cast", "quant_dtype_cast", "add",
                                                            "quant_dtype_cast"}) &&
         q.quantised_of[static_cast<std::size_t>(c)] != ir::none && result_of(q.graph, 3).type == f32;
}());

// A tensor without a scale stays a float, and so does what is made of it.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({2, 2});
  d.scales[static_cast<std::size_t>(x)] = 0;
  return has_nodes(d.run(d.node<ops::relu>({x})).graph, std::array<std::string_view, 1>{"relu"});
}());

// A convolution, a sum and its activation are one node, with the sum's scale, after the other operand; what the sum
// does not read alone, and what is rectified before, is a node by itself.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 4, 4, 4});
  const std::int32_t a = d.node<ops::conv2d>({x, d.weight({4, 1, 1, 4}, "w"), d.weight({4}, "b")}),
                     side = d.node<ops::relu>({x});
  ops::add::attrs rectified;
  rectified.fused = activation::relu6;
  const std::int32_t sum = d.node<ops::add>({a, side}, rectified);
  const passes::quantised_graph q = d.run(sum);
  if (!has_nodes(q.graph,
                 std::array<std::string_view, 4>{"quant_dtype_cast", "relu", "conv2d_add", "quant_dtype_cast"}) ||
      q.layers.size() != 1)
    return false;
  const ir::node& unit = q.graph.nodes[2];
  const array_ref<const std::int32_t> in = q.graph.inputs_of(unit);
  const bool has_activation =
      q.graph.attrs_of(unit)[static_cast<std::size_t>(unit.op->fused_word)] == static_cast<word>(activation::relu6);
  return has_activation && in.size() == 4 && in[1] == q.layers[0].stored_weight &&
         in[2] == q.layers[0].quantised_bias && in[3] == q.quantised_of[static_cast<std::size_t>(side)] &&
         q.quantised_of[static_cast<std::size_t>(a)] == ir::none && result_of(q.graph, 2).quantised.scale == 0.0625F;
}());
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 4, 4, 4}), w = d.weight({4, 1, 1, 4}, "w");
  ops::conv2d::attrs rectified;
  rectified.fused = activation::relu;
  const std::int32_t a = d.node<ops::conv2d>({x, w}, rectified), b = d.node<ops::conv2d>({x, w}),
                     c = d.node<ops::add>({a, b});
  const std::int32_t e = d.node<ops::conv2d>({c, w}), f = d.node<ops::add>({e, c}), g = d.node<ops::add>({f, e});
  return has_nodes(d.run(g).graph, std::array<std::string_view, 7>{"quant_dtype_cast", "conv2d", "conv2d_add", "conv2d",
                                                                   "add", "add", "quant_dtype_cast"});
}());
// A depthwise convolution begins such a unit, too: it has a group for each channel there.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 4, 4, 4}), side = d.input({1, 2, 4, 8});
  ops::depthwise_conv2d::attrs window;
  window.stride = {2, 1}, window.dilation = {1, 2}, window.pad = pads{pad_mode::same};
  ops::add::attrs rectified;
  rectified.fused = activation::relu;
  const std::int32_t a = d.node<ops::depthwise_conv2d>({x, d.weight({8, 3, 3, 1}, "w"), d.weight({8}, "b")}, window);
  const passes::quantised_graph q = d.run(d.node<ops::add>({side, a}, rectified));
  if (!has_nodes(q.graph, std::array<std::string_view, 4>{"quant_dtype_cast", "quant_dtype_cast", "conv2d_add",
                                                          "quant_dtype_cast"}) ||
      q.layers.size() != 1)
    return false;
  const auto attrs = unpack<ops::conv2d_add::attrs>(q.graph.attrs_of(q.graph.nodes[2]));
  return attrs.group == 4 && attrs.stride == window.stride && attrs.dilation == window.dilation &&
         attrs.pad == window.pad && attrs.fused == activation::relu &&
         q.graph.inputs_of(q.graph.nodes[2])[3] == q.quantised_of[static_cast<std::size_t>(side)];
}());
// And so does a transposed one.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 4, 4, 4}), side = d.input({1, 8, 8, 6});
  ops::conv2d_transpose::attrs window;
  window.stride = {2, 2}, window.pad = pads{pad_mode::same}, window.group = 2;
  ops::add::attrs rectified;
  rectified.fused = activation::relu6;
  const std::int32_t a = d.node<ops::conv2d_transpose>({x, d.weight({6, 3, 3, 2}, "w"), d.weight({6}, "b")}, window);
  const passes::quantised_graph q = d.run(d.node<ops::add>({a, side}, rectified));
  if (!has_nodes(q.graph, std::array<std::string_view, 4>{"quant_dtype_cast", "quant_dtype_cast",
                                                          "conv2d_transpose_add", "quant_dtype_cast"}) ||
      q.layers.size() != 1)
    return false;
  const auto attrs = unpack<ops::conv2d_transpose_add::attrs>(q.graph.attrs_of(q.graph.nodes[2]));
  return attrs.group == 2 && attrs.stride == window.stride && attrs.pad == window.pad &&
         attrs.fused == activation::relu6 && result_of(q.graph, 2).type == i8 &&
         q.graph.inputs_of(q.graph.nodes[2])[3] == q.quantised_of[static_cast<std::size_t>(side)];
}());
// A convolution on the processor gives floats, which are stored for the sum.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 4, 4, 4});
  const std::int32_t a = d.node<ops::conv2d>({x, d.weight({4, 1, 1, 4}, "w")}, {}, true);
  return has_nodes(
      d.run(d.node<ops::add>({a, x})).graph,
      std::array<std::string_view, 5>{"conv2d", "quant_dtype_cast", "quant_dtype_cast", "add", "quant_dtype_cast"});
}());

// A node in 16 bits: conversions around it where its neighbours have 8, steps of 1/256 of theirs, a bias in any case,
// so that sums have 32 bits.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 4, 4, 4});
  const std::int32_t a = d.node<ops::relu>({x}), b = d.node<ops::conv2d>({a, d.weight({8, 1, 1, 4}, "w")}),
                     c = d.node<ops::relu>({b});
  d.g.outputs.push_back({c, {}});
  while (d.scales.size() < d.g.values.size()) d.scales.push_back(0);
  const char wide[] = {0, 1, 0};
  const passes::quantised_graph q =
      passes::quantise(d.g, {.scales = d.scales, .on_accelerator = d.on_accelerator, .in_16_bits = wide, .find = find});
  if (!has_nodes(q.graph, std::array<std::string_view, 7>{"quant_dtype_cast", "relu", "quant_dtype_cast", "conv2d",
                                                          "quant_dtype_cast", "relu", "quant_dtype_cast"}))
    return false;
  const ir::graph& g = q.graph;
  const tensor_desc &widened = result_of(g, 2), &made = result_of(g, 3), &narrowed = result_of(g, 4);
  const std::int32_t bias = g.inputs_of(g.nodes[3])[2];
  return widened.type == i16 && widened.quantised.scale == 0.25F / 256 && made.type == i16 &&
         made.quantised.scale == 0.125F / 256 && narrowed.type == i8 && narrowed.quantised.scale == 0.125F &&
         q.layers[0].x_scale == 0.25F / 256 && g.at(bias).is == ir::kind::constant &&
         g.at(bias).desc == tensor_desc{i32, {8}} && g.at(q.layers[0].stored_weight).desc.type == i8 &&
         g.at(q.quantised_of[static_cast<std::size_t>(b)]).desc.type == i16;
}());
// Two neighbours in 16 bits have no conversion between them, and a sum in 16 bits is no unit.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 4, 4, 4}), w = d.weight({4, 1, 1, 4}, "w"), bias = d.weight({4}, "b");
  const std::int32_t a = d.node<ops::conv2d>({x, w, bias}), sum = d.node<ops::add>({a, x});
  d.g.outputs.push_back({sum, {}});
  while (d.scales.size() < d.g.values.size()) d.scales.push_back(0);
  const char wide[] = {1, 1};
  const passes::quantised_graph q =
      passes::quantise(d.g, {.scales = d.scales, .on_accelerator = d.on_accelerator, .in_16_bits = wide, .find = find});
  return has_nodes(q.graph, std::array<std::string_view, 4>{"quant_dtype_cast", "conv2d", "add", "quant_dtype_cast"}) &&
         result_of(q.graph, 0).type == i16;
}());

// The last layer keeps its sums, with a scale for each channel: only the conversion to floats follows it.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 4, 4, 4}), w = d.weight({4, 3, 3, 4}, "w");
  ops::conv2d::attrs wide_steps;
  wide_steps.stride = {2, 1}, wide_steps.pad = pads{pad_mode::same};
  const std::int32_t a = d.node<ops::conv2d>({x, w}), b = d.node<ops::conv2d>({a, w, d.weight({4}, "b")}, wide_steps);
  const passes::quantised_graph q = d.run(b, true);
  const ir::graph& g = q.graph;
  if (!has_nodes(g, std::array<std::string_view, 4>{"quant_dtype_cast", "conv2d", "layer_sums", "quant_dtype_cast"}) ||
      q.layers.size() != 2)
    return false;
  const ir::value& sums = g.at(q.quantised_of[static_cast<std::size_t>(b)]);
  const auto attrs = unpack<ops::layer_sums::attrs>(g.attrs_of(g.nodes[2]));
  const bool is_scaled = sums.desc == tensor_desc{i32, nhwc, {1, 1, 2, 4}, per_channel<3>} &&
                         sums.scales == q.layers[1].sum_scales &&
                         g.name_of(g.at(sums.scales).name) == "w.sums.scale.0001";
  return is_scaled && attrs.stride == extent2{2, 1} && attrs.pad == wide_steps.pad &&
         g.inputs_of(g.nodes[2])[1] == q.layers[0].stored_weight && q.layers[0].sum_scales == ir::none &&
         q.layers[1].x_scale == 0.25F && unpack<ops::quant_dtype_cast::attrs>(g.attrs_of(g.nodes[3])).axis == 3;
}());
// So does a depthwise convolution, with a group for each channel.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 5, 4, 3});
  ops::depthwise_conv2d::attrs window;
  window.stride = {2, 1}, window.dilation = {1, 2}, window.pad = pads{pad_mode::same};
  const std::int32_t y = d.node<ops::depthwise_conv2d>({x, d.weight({6, 3, 3, 1}, "w"), d.weight({6}, "b")}, window);
  const passes::quantised_graph q = d.run(y, true);
  const ir::graph& g = q.graph;
  if (!has_nodes(g, names{"quant_dtype_cast", "layer_sums", "quant_dtype_cast"})) return false;
  const auto attrs = unpack<ops::layer_sums::attrs>(g.attrs_of(g.nodes[1]));
  return attrs.group == 3 && attrs.stride == window.stride && attrs.dilation == window.dilation &&
         attrs.pad == window.pad && result_of(g, 1) == tensor_desc{i32, nhwc, {1, 3, 4, 6}, per_channel<3>} &&
         g.at(q.layers[0].sum_scales).desc == tensor_desc{f32, {6}};
}());
// And a transposed one.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 5, 4, 4});
  ops::conv2d_transpose::attrs window;
  window.stride = {2, 3}, window.output_paddings = {1, 2}, window.group = 2,
  window.pad = pads{pad_mode::explicit_pads, 1, 0, 0, 0};
  const passes::quantised_graph q =
      d.run(d.node<ops::conv2d_transpose>({x, d.weight({6, 3, 3, 2}, "w"), d.weight({6}, "b")}, window), true);
  const ir::graph& g = q.graph;
  if (!has_nodes(g, names{"quant_dtype_cast", "conv2d_transpose_sums", "quant_dtype_cast"})) return false;
  const auto attrs = unpack<ops::conv2d_transpose_sums::attrs>(g.attrs_of(g.nodes[1]));
  return attrs.group == 2 && attrs.stride == window.stride && attrs.output_paddings == window.output_paddings &&
         attrs.pad == window.pad && attrs.dilation == window.dilation &&
         result_of(g, 1) == tensor_desc{i32, nhwc, {1, 11, 14, 6}, per_channel<3>};
}());
// What the accelerator reads again, and what is rectified, is scaled; another shape is given to floats.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 4}), w = d.weight({4, 4}, "w");
  const std::int32_t a = d.node<ops::full_connection>({x, w}), b = d.node<ops::relu>({a});
  ops::full_connection::attrs rectified;
  rectified.fused = activation::relu;
  const std::int32_t c = d.node<ops::full_connection>({b, w}),
                     e = d.node<ops::reshape>({c, nnrt_test::add(d.g, listed({4}))});
  d.g.outputs.push_back({d.node<ops::full_connection>({b, w}, rectified), {}});
  return has_nodes(d.run(e, true).graph, std::array<std::string_view, 8>{"quant_dtype_cast", "full_connection", "relu",
                                                                         "layer_sums", "quant_dtype_cast", "reshape",
                                                                         "full_connection", "quant_dtype_cast"});
}());
// Another shape of what is no layer's result is given to bytes.
static_assert([] {
  drawing d;
  const std::int32_t a = d.node<ops::relu>({d.input({2, 4})});
  return has_nodes(d.run(d.node<ops::reshape>({a, nnrt_test::add(d.g, listed({8}))}), true).graph,
                   std::array<std::string_view, 4>{"quant_dtype_cast", "relu", "reshape", "quant_dtype_cast"});
}());
// A layer in 16 bits keeps sums of 32; one that is summed with another tensor is one unit with it.
static_assert([] {
  drawing d;
  const std::int32_t x = d.input({1, 4, 4, 4}), w = d.weight({4, 1, 1, 4}, "w");
  const std::int32_t a = d.node<ops::conv2d>({x, w}), sum = d.node<ops::add>({a, x}), b = d.node<ops::conv2d>({x, w});
  d.g.outputs.push_back({b, {}});
  d.g.outputs.push_back({sum, {}});
  while (d.scales.size() < d.g.values.size()) d.scales.push_back(0);
  const char wide[] = {0, 0, 1};
  const passes::quantised_graph q = passes::quantise(
      d.g,
      {.scales = d.scales, .on_accelerator = d.on_accelerator, .in_16_bits = wide, .int32_tail = true, .find = find});
  const array_ref<const std::int32_t> in = q.graph.inputs_of(q.graph.nodes[3]);
  return has_nodes(q.graph, std::array<std::string_view, 6>{"quant_dtype_cast", "conv2d_add", "quant_dtype_cast",
                                                            "layer_sums", "quant_dtype_cast", "quant_dtype_cast"}) &&
         q.graph.at(in[0]).desc.type == i16 && q.graph.at(in[2]).desc == tensor_desc{i32, {4}};
}());

// An operator that nobody has for bytes stays with floats.
static_assert([] {
  drawing d;
  const std::int32_t y = d.node<ops::relu>({d.input({2, 2})});
  d.g.outputs.push_back({y, {}});
  const passes::quantised_graph q = passes::quantise(
      d.g, {.scales = d.scales, .on_accelerator = d.on_accelerator, .find = [](op_code) -> const operator_info* {
              return nullptr;
            }});
  return has_nodes(q.graph, std::array<std::string_view, 1>{"relu"});
}());

}  // namespace

TEST_CASE("quantise: no two of 10,002 layers with one bias get the same name for it") {
  drawing d;
  std::int32_t x = d.input({1, 1, 1, 1});
  const std::int32_t w = d.weight({1, 1, 1, 1}, "w"), b = d.weight({1}, "b");
  for (int i = 0; i < 10002; ++i) {
    x = d.node<ops::conv2d>({x, w, b});
    d.next = 1;
  }
  const passes::quantised_graph q = d.run(x);
  const auto name = [&](std::size_t layer) { return q.graph.name_of(q.graph.at(q.layers[layer].quantised_bias).name); };
  CHECK(name(1) == "b.stored.0001");
  CHECK(name(9999) == "b.stored.9999");
  CHECK(name(10000) == "b.stored.10000");
  CHECK(name(10001) == "b.stored.10001");
}

TEST_CASE("quantise: at run time the graph is the one that the compiler makes") {
  drawing d;
  const std::int32_t x = d.input({1, 4, 4, 3});
  const std::int32_t y = d.node<ops::conv2d>({x, d.weight({8, 3, 3, 3}, "w"), d.weight({8}, "b")});
  const std::int32_t z = d.node<ops::conv2d>({x, d.weight({8, 3, 3, 3}, "v")});
  const passes::quantised_graph q = d.run(d.node<ops::add>({y, z}));
  CHECK(has_nodes(q.graph,
                  std::array<std::string_view, 4>{"quant_dtype_cast", "conv2d", "conv2d_add", "quant_dtype_cast"}));
  CHECK(q.layers.size() == 2);
  CHECK(result_of(q.graph, 2).quantised.rounding == quantised_rounding::half_to_even);
}
