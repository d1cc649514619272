// write_model_test: graphs as models of HDI and back - every operator, random networks, and what the shipped
// implementation would write.
#include <nnrt/hdi.hpp>

#include <nnrt/io/make_weights.hpp>

#include "battery/random_node.hpp"
#include "hdi/same_network.hpp"
#include "support/random_graph.hpp"
#include "support/random_network.hpp"
#include "support/weighed.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <string>

using namespace nnrt;
using namespace nnrt_test;

namespace {

constexpr hdi::version versions[] = {hdi::version::v1_0, hdi::version::v2_0, hdi::version::v2_1};

/// The model, written, sent as bytes, and read again. What is wrong with it; empty: nothing.
std::string lost_on_the_way(const model& network, hdi::version v) {
  const auto written = hdi::write_model(network, {v, hdi::encoder::lossless});
  if (!written) return written.error().message();
  hdi::writer sent;
  hdi::marshal(sent, written->model);
  hdi::Model received;
  hdi::reader in(sent.bytes, sent.descriptors);
  if (auto ok = hdi::unmarshal(in, received); !ok) return ok.error().message();
  if (!(received == written->model) || in.left() != 0) return "the bytes are another model's";
  const auto back = hdi::read_model(received, v);
  if (!back) return back.error().message();
  return network_comparison(network, *back).run();
}

/// A network of one node: constants stay constants, everything else is an input.
model network_of(random_node& node) {
  model made;
  ir::graph& g = made.graph;
  pool<std::int32_t> in, out;
  for (random_operand& x : node.in) {
    if (x.desc.type == dtype::none) {
      in.push_back(ir::none);
      continue;
    }
    ir::value v{x.desc, x.is_constant ? ir::kind::constant : ir::kind::input,
                g.add_text("x" + std::to_string(in.size())), 0, ir::none};
    if (!x.scales.empty())
      v.scales = g.add_constant<float>({f32, {static_cast<std::int64_t>(x.scales.size())}}, x.scales);
    if (x.is_constant) {
      while (g.bytes.size() % 64 != 0) g.bytes.push_back(std::byte{});
      v.first_byte = static_cast<std::int64_t>(g.bytes.size());
      const auto bytes = static_cast<std::size_t>(x.desc.bytes());
      g.bytes.insert(x.bytes.data(), x.bytes.data() + bytes);
    }
    in.push_back(g.add_value(v));
    if (!x.is_constant) g.inputs.push_back(in.back());
  }
  for (const tensor_desc& y : node.out) {
    ir::value v{y, ir::kind::result, {}, 0, ir::none};
    if (y.quantised.mode == quantisation::kind::per_channel) {
      const std::vector<float> scales(static_cast<std::size_t>(y.shape[y.quantised.axis]), 0.5F);
      v.scales = g.add_constant<float>({f32, {static_cast<std::int64_t>(scales.size())}}, scales);
    }
    out.push_back(g.add_value(v));
    g.outputs.push_back({out.back(), g.add_text("y" + std::to_string(g.outputs.size()))});
  }
  const ir::range words = g.add_words(node.words), inputs = g.add_operands(in);
  g.nodes.push_back(nnrt_test::node_of(*node.op, words, inputs, g.add_operands(out)));
  return made;
}

constexpr auto small_network = [](builder& g) {
  auto x = g.input<f32, shape<1, 8, 8, 3>>("x");
  auto y = conv2d(x, g.weight<f32, shape<4, 3, 3, 3>>("w"), padding<1, 1, 1, 1>, relu6);
  auto b = g.weight<f32, shape<4>>("b");
  g.output("y", reshape(add(y, b, relu), shape<1, 256>));
};
model small_model() { return weighed(graph<small_network>::ir()); }

}  // namespace

TEST_CASE("write_model: each operator's node comes back through bytes as it was, in every version") {
  const std::uint64_t seed = seed_of_run();
  CAPTURE(seed);
  for (const operator_info* op : ops::registered())
    for (int number = 1; number < dtype_count; ++number) {
      const auto computed = static_cast<dtype>(number);
      if (!op->computes_on.contains(computed)) continue;
      dice random(seed + static_cast<std::uint64_t>(op->code) * 100 + static_cast<std::uint64_t>(number));
      for (random_node& node : random_nodes(*op, computed, 2, random)) {
        const std::string text = node.text();
        CAPTURE(text);
        const model network = network_of(node);
        for (const hdi::version v : versions) CHECK(lost_on_the_way(network, v) == "");
      }
    }
}

TEST_CASE("write_model: random networks come back whole, and compute the same") {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    const model network = weighed(random_graph(seed).made());
    for (const hdi::version v : versions) CHECK(lost_on_the_way(network, v) == "");
    const auto written = hdi::write_model(network);
    REQUIRE(written.has_value());
    const auto back = hdi::read_model(written->model);
    REQUIRE(back.has_value());
    CHECK(computed_by_references(back->graph) == computed_by_references(network.graph));
  }
}

TEST_CASE("write_model: random networks over images come back whole, of floats and of stored bytes") {
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const bool is_quantised : {false, true}) {
      CAPTURE(seed);
      CAPTURE(is_quantised);
      const model network = weighed(random_network(seed, is_quantised).made());
      for (const hdi::version v : versions) CHECK(lost_on_the_way(network, v) == "");
    }
}

TEST_CASE("write_model: a network with states is refused, for HDI has none") {
  model_builder made;
  const auto x = *made.input("x", {f32, {2}});
  REQUIRE(made.next(*made.state("h", {f32, {2}}), x));
  REQUIRE(made.output("y", x));
  const auto refused = hdi::write_model(made.finish());
  REQUIRE(!refused.has_value());
  CHECK(refused.error().message() == "HDI has no states: passes::open_states() makes inputs and outputs of them");
}

TEST_CASE("write_model: a lossless model has its constants at multiples of 64 bytes of one memory") {
  const auto written = hdi::write_model(small_model());
  REQUIRE(written.has_value());
  const hdi::Model& m = written->model;
  std::size_t constants = 0;
  for (const hdi::Tensor& t : m.allTensors) {
    if (t.data.fd < 0) {
      CHECK(t.data == hdi::SharedBuffer{-1, 0, 0, 0});
      continue;
    }
    ++constants;
    CHECK(t.data.fd == written->constants.fd());
    CHECK(t.data.offset % 64 == 0);
    CHECK(t.data.bufferSize == written->constants.size());
  }
  CHECK(constants == 3);
  CHECK(m.allTensors[0].name == "x");
  CHECK(m.allTensors.back().name == "y");
  CHECK(m.subGraph.size() == 1);
}

TEST_CASE(
    "write_model: an operand that HDI's operator has not is kept by this library, and refused for the shipped "
    "implementation") {
  model_builder b;
  const auto x = b.input("x", {f32, nhwc, {1, 2, 2, 1}}),
             size = b.constant<std::int64_t>({i64, {2}}, std::vector<std::int64_t>{4, 6});
  const auto y = b.apply<ops::resize_bilinear>({}, {*x, *size});
  REQUIRE(y);
  REQUIRE(b.output("y", (*y)[0]));
  const model network = b.finish();
  const auto written = hdi::write_model(network);
  REQUIRE(written);
  CHECK(written->model.nodes[0].inputIndex.size() == 2);
  CHECK(hdi::write_model(network, {hdi::version::v2_1, hdi::encoder::upstream}).error().message() ==
        "node 0 \"ResizeBilinear:0\": inputIndex: got 2 operands, expected 1, as HDI has them");
}

TEST_CASE(
    "write_model: an upstream model has the names, the order, the offsets and the numbers of the shipped "
    "implementation") {
  const auto written = hdi::write_model(small_model(), {hdi::version::v2_0, hdi::encoder::upstream});
  REQUIRE(written.has_value());
  const hdi::Model& m = written->model;
  CHECK(m.name == "NNR_Model");
  REQUIRE(m.nodes.size() == 3);
  CHECK(m.nodes[0].name == "Conv2D:0");
  CHECK(m.nodes[1].name == "Add:1");
  CHECK(m.nodes[2].name == "Reshape:2");
  CHECK(m.nodes[0].nodeType == hdi::NODE_TYPE_CONV2D_FUSION);
  CHECK(m.nodes[0].nodeAttr.size() == 136);
  CHECK(m.nodes[1].nodeAttr == std::vector<std::int8_t>(8, 0));
  CHECK(m.nodes[0].inputIndex == std::vector<std::uint32_t>{0, 1});
  REQUIRE(m.subGraph.size() == 1);
  CHECK(m.subGraph[0] == hdi::SubGraph{"NNRt_SubGraph", m.inputIndex, m.outputIndex, {0, 1, 2}});
  std::uint32_t end = 0;
  for (std::size_t i = 0; i < m.allTensors.size(); ++i) {
    const hdi::Tensor& t = m.allTensors[i];
    CHECK(t.name == "Tensor: " + std::to_string(i));
    CHECK(t.format == hdi::FORMAT_NHWC);
    CHECK(t.data.offset == end);
    CHECK(t.data.bufferSize == 432 + 16 + 16);
    end += t.data.dataSize;
  }
  CHECK(end == 432 + 16 + 16);
}

TEST_CASE("write_model: names and numbers that the C functions gave are those of the shipped implementation") {
  model_builder b;
  const auto x = b.input("Tensor: 7", {i8, nhwc, {1, 4}, quant{0.5F, 3}});
  ops::reshape::attrs none;
  const auto shape = b.constant<std::int64_t>({i64, {2}}, std::vector<std::int64_t>{4, 1});
  const auto y = b.apply<ops::reshape>(none, {*x, *shape}, {}, "12");
  REQUIRE(y.has_value());
  const auto z = b.apply<ops::maximum>({}, {(*y)[0], (*y)[0]}, {tensor_desc(i8, nd, {4, 1}, quant{0.5F, 3})}, "");
  REQUIRE(z.has_value());
  REQUIRE(b.output("z", (*z)[0]).has_value());
  const model network = b.finish();
  const auto written = hdi::write_model(network, {hdi::version::v1_0, hdi::encoder::upstream});
  REQUIRE(written.has_value());
  CHECK(written->model.allTensors[0].name == "Tensor: 7");
  CHECK(written->model.allTensors[0].quantParams == std::vector<hdi::QuantParam>{{8, 3, 0.5}});
  CHECK(written->model.nodes[0].name == "Reshape:12");
  CHECK(written->model.nodes[0].quantType == hdi::QUANT_TYPE_ALL);
  CHECK(written->model.nodes[1].quantType == hdi::QUANT_TYPE_NONE);  // MAXIMUM never says so
  CHECK(hdi::write_model(network)->model.nodes[1].quantType == hdi::QUANT_TYPE_ALL);
  CHECK(lost_on_the_way(network, hdi::version::v2_1) == "");
}

TEST_CASE("write_model: outputs keep their names, also two of one tensor and those that are inputs") {
  model_builder b;
  const auto x = b.input("x", {f32, {4}});
  const auto y = b.apply<ops::relu>({}, {*x});
  REQUIRE(b.output("first", (*y)[0]).has_value());
  REQUIRE(b.output("again", (*y)[0]).has_value());
  REQUIRE(b.output("as it came", *x).has_value());
  const model network = b.finish();
  for (const hdi::version v : versions) CHECK(lost_on_the_way(network, v) == "");
}

TEST_CASE("write_model: operators that HDI has not, or not yet, go over as this library's own node types") {
  model_builder b;
  const auto x = b.input("x", {f32, {4}});
  const auto y = b.apply<ops::erf>({}, {*x});
  REQUIRE(b.output("y", (*y)[0]).has_value());
  const model network = b.finish();
  for (const hdi::version v : versions) CHECK(lost_on_the_way(network, v) == "");
  CHECK(hdi::write_model(network, {hdi::version::v2_0})->model.nodes[0].nodeType == hdi::own_node_type(ops::erf::code));
  CHECK(hdi::write_model(network, {hdi::version::v2_1})->model.nodes[0].nodeType == hdi::NODE_TYPE_ERF);
  const auto shipped = hdi::write_model(network, {hdi::version::v2_0, hdi::encoder::upstream});
  REQUIRE(shipped.has_value());
  CHECK(shipped->model.nodes[0].nodeType == 178);
  CHECK(shipped->model.nodes[0].nodeAttr.empty());
}

TEST_CASE("write_model: what HDI cannot say is refused by name") {
  model_builder b;
  const auto x = b.input("x", {f32, {1, std::int64_t{1} << 32}});
  const auto y = b.apply<ops::relu>({}, {*x});
  REQUIRE(b.output("y", (*y)[0]).has_value());
  CHECK(hdi::write_model(b.finish()).error().message() ==
        "tensor 0 \"x\": dims: 4294967296 does not fit into HDI's 32 bits");

  const auto data = b.input("x", {f32, {2, 3}});
  const auto range = b.apply<ops::dynamic_range>({}, {*data});
  REQUIRE(range.has_value());
  REQUIRE(b.output("y", (*range)[0]).has_value());
  const model network = b.finish();
  CHECK(hdi::write_model(network, {hdi::version::v2_1, hdi::encoder::upstream}).error().message() ==
        "node 0 \"DynamicRange:0\": dynamic_range is no operator of HDI");
  CHECK(lost_on_the_way(network, hdi::version::v2_1) == "");

  model missing = small_model();
  missing.weights = {};
  CHECK(hdi::write_model(missing).error().code() == error_code::invalid_argument);
  CHECK(hdi::write_model(model{}).error().message() == "graph: has no output");
}

TEST_CASE("write_model: scales of channels keep their axis, also where it is not the first of its length") {
  for (const int axis : {0, 1, 2}) {
    CAPTURE(axis);
    model_builder b;
    tensor_desc desc{i8, nd, {3, 3, 3}};
    desc.quantised.mode = quantisation::kind::per_channel;
    desc.quantised.axis = axis;
    const auto x = b.input("x", desc);
    const auto scales = b.constant<float>({f32, {3}}, std::vector<float>{0.5F, 0.25F, 2.0F});
    b.set_scales(*x, *scales);
    REQUIRE(b.output("x", *x).has_value());
    const model network = b.finish();
    CHECK(lost_on_the_way(network, hdi::version::v2_1) == "");
    CHECK(hdi::write_model(network)->model.allTensors[0].quantParams[1] ==
          hdi::QuantParam{axis == 0 ? 8 : 8 + 256 * (axis + 1), 0, 0.25});
    CHECK(hdi::write_model(network, {.how = hdi::encoder::upstream})->model.allTensors[0].quantParams[1] ==
          hdi::QuantParam{8, 0, 0.25});
  }
}

TEST_CASE("write_model: a lossless model tells how its tensors' numbers are rounded, one for others does not") {
  for (const bool is_per_channel : {false, true}) {
    CAPTURE(is_per_channel);
    model_builder b;
    tensor_desc desc{i8, nd, {3, 3}};
    desc.quantised = quant{.scale = 0.5F, .zero_point = 2, .rounding = quantised_rounding::half_to_even};
    if (is_per_channel)
      desc.quantised.mode = quantisation::kind::per_channel, desc.quantised.scale = 0, desc.quantised.zero_point = 0;
    const auto x = b.input("x", desc);
    if (is_per_channel) b.set_scales(*x, *b.constant<float>({f32, {3}}, std::vector<float>{0.5F, 0.25F, 2.0F}));
    REQUIRE(b.output("x", *x).has_value());
    const model network = b.finish();
    CHECK(lost_on_the_way(network, hdi::version::v2_1) == "");
    CHECK(hdi::write_model(network)->model.allTensors[0].quantParams[0].numBits == (1 << 16 | 8));
    CHECK(hdi::write_model(network, {.how = hdi::encoder::upstream})->model.allTensors[0].quantParams[0].numBits == 8);
  }
}
