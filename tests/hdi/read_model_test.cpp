// read_model_test: models that somebody else made, or wants to harm with - what is wrong is named, and nothing is read
// that is not there.
#include <nnrt/hdi.hpp>

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <unistd.h>
#include <cstring>
#include <functional>
#include <string>

using namespace nnrt;

namespace {

/// y = relu(x + c), z = y - y; tensors 0 x, 1 c, 2 sum, 3 y, 4 z.
struct small_model {
  hal::shared_memory memory = *hal::shared_memory::allocate(128);
  hdi::Model m;

  small_model() {
    const float c[] = {1, -2, 3, -4};
    std::memcpy(memory.data() + 64, c, sizeof c);
    m.name = "small";
    for (const char* name : {"x", "c", "sum", "y", "z"}) {
      hdi::Tensor t{};
      t.name = name, t.dataType = hdi::DATA_TYPE_FLOAT32, t.dims = {2, 2}, t.data.fd = -1;
      m.allTensors.push_back(t);
    }
    m.allTensors[1].data = {memory.fd(), 128, 64, 16};
    m.nodes.push_back(node("add", hdi::NODE_TYPE_ADD_FUSION, hdi::marshalled(hdi::AddFusion{}), {0, 1}, {2}));
    m.nodes.push_back(node("relu", hdi::NODE_TYPE_ACTIVATION,
                           hdi::marshalled(hdi::Activation{hdi::ACTIVATION_TYPE_RELU, 0, 0, 0, false}), {2}, {3}));
    m.nodes.push_back(node("sub", hdi::NODE_TYPE_SUB_FUSION, hdi::marshalled(hdi::SubFusion{}), {3, 3}, {4}));
    m.inputIndex = {0}, m.outputIndex = {4, 3};
    m.subGraph = {{"main", {0}, {4, 3}, {0, 1, 2}}};
  }

 private:
  static hdi::Node node(const char* name, hdi::NodeType type, std::vector<std::int8_t> attributes,
                        std::vector<std::uint32_t> in, std::vector<std::uint32_t> out) {
    return {name, type, std::move(attributes), std::move(in), std::move(out), hdi::QUANT_TYPE_NONE};
  }
};

/// The message of a model that was changed, or that it is fine.
std::string message_of(const std::function<void(hdi::Model&)>& change) {
  small_model small;
  change(small.m);
  const auto read = hdi::read_model(small.m);
  return read ? "it is fine" : read.error().message();
}

/// Reads any bytes as a model; what is accepted must be in order. Whether it was.
bool read_bytes(array_ref<const std::int8_t> bytes, array_ref<const int> descriptors) {
  hdi::Model m;
  hdi::reader in(bytes, descriptors);
  if (auto ok = hdi::unmarshal(in, m); !ok) {
    CHECK(!ok.error().message().empty());
    return false;
  }
  for (const hdi::version v : {hdi::version::v1_0, hdi::version::v2_1}) {
    const auto read = hdi::read_model(m, v);
    if (!read) CHECK(!read.error().message().empty());
    else CHECK(check_graph(read->graph).has_value());
    if (!read) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("read_model: a model of somebody else's becomes a graph that runs") {
  const small_model small;
  auto read = hdi::read_model(small.m, hdi::version::v1_0);
  REQUIRE_MESSAGE(read.has_value(), read.error().message());
  CHECK(read->graph.nodes.size() == 3);
  CHECK(read->graph.name_of(read->graph.outputs[1].name) == "y");
  auto compiled = compile(*read);
  REQUIRE(compiled.has_value());
  session run(*compiled);
  const float x[] = {1, 1, 1, 1};
  std::memcpy(run.input<float>(0).data(), x, sizeof x);
  REQUIRE(run.run().has_value());
  float y[4];
  std::memcpy(y, run.output_bytes(1).data(), sizeof y);
  CHECK(std::vector<float>(y, y + 4) == std::vector<float>{2, 0, 4, 0});
}

TEST_CASE("read_model: nodes may come in any order in which they can run") {
  small_model small;
  std::swap(small.m.nodes[0], small.m.nodes[2]);
  const auto read = hdi::read_model(small.m);
  REQUIRE(read.has_value());
  CHECK(read->graph.name_of(read->graph.nodes[0].name) == "add");
  CHECK(read->graph.name_of(read->graph.nodes[2].name) == "sub");
}

TEST_CASE("read_model: tensors that nobody uses are left out, and scalars and unknown extents stay") {
  small_model small;
  small.m.allTensors.push_back(small.m.allTensors[1]);
  small.m.allTensors.back().data.offset = 0;
  for (hdi::Tensor& t : small.m.allTensors) t.dims = {-1, 2};
  small.m.allTensors[1].dims = {4, 1};
  small.m.allTensors.back().dims = {2, 2};
  const auto read = hdi::read_model(small.m);
  REQUIRE(read.has_value());
  CHECK(read->graph.values.size() == 5);
  CHECK(read->graph.at(read->graph.inputs[0]).desc.shape == shape_t{-1, 2});
}

TEST_CASE("read_model: scales of channels whose axis nobody tells run along the one that their reader needs") {
  model_builder b;
  const auto x = b.input("x", {i8, nd, {1, 2}, quant{1, 0}});
  tensor_desc columns{i8, nd, {2, 2}};
  columns.quantised.mode = quantisation::kind::per_channel;
  columns.quantised.axis = 1;
  const auto w = b.constant<std::int8_t>(columns, std::vector<std::int8_t>{1, 2, 3, 4});
  b.set_scales(*w, *b.constant<float>({f32, {2}}, std::vector<float>{1, 0.5F}));
  const auto y = b.apply<ops::matmul>({}, {*x, *w}, {{i8, nd, {1, 2}, quant{1, 0}}});
  REQUIRE(b.output("y", (*y)[0]).has_value());
  auto written = hdi::write_model(b.finish());
  REQUIRE(written.has_value());
  for (hdi::Tensor& t : written->model.allTensors)
    for (hdi::QuantParam& q : t.quantParams) q.numBits = 8;  // as upstream has it
  const auto read = hdi::read_model(written->model);
  REQUIRE(read.has_value());
  const ir::graph& g = read->graph;
  CHECK(g.at(g.inputs_of(g.nodes[0])[1]).desc.quantised.axis == 1);
}

TEST_CASE("read_model: what is wrong is named with its node or tensor and its member") {
  struct row {
    const char* message;
    std::function<void(hdi::Model&)> change;
  };
  using M = hdi::Model&;
  const row table[] = {
      {"model: inputIndex[0]: got 9 of 5", [](M m) { m.inputIndex[0] = 9; }},
      {"model: outputIndex[1]: got 5 of 5", [](M m) { m.outputIndex[1] = 5; }},
      {"node 1 \"relu\": inputIndex[0]: got 5 of 5", [](M m) { m.nodes[1].inputIndex[0] = 5; }},
      {"node 1 \"relu\": outputIndex[0]: got 4294967295 of 5", [](M m) { m.nodes[1].outputIndex[0] = 0xffffffff; }},
      {"node 2 \"sub\": outputIndex: is empty", [](M m) { m.nodes[2].outputIndex.clear(); }},
      {"node 2 \"sub\": quantType: got 2, expected 0 or 1",
       [](M m) { m.nodes[2].quantType = static_cast<hdi::QuantType>(2); }},
      {"subgraph 0 \"main\": nodeIndices[2]: got 3 of 3", [](M m) { m.subGraph[0].nodeIndices[2] = 3; }},
      {"subgraph 1 \"body\": nodeIndices: has nodes; control flow is not supported",
       [](M m) {
         m.subGraph.push_back({"body", {}, {}, {0}});
       }},
      {"model: inputIndex[1]: tensor 0 \"x\" is an input already",
       [](M m) {
         m.inputIndex = {0, 0};
       }},
      {"model: inputIndex[0]: tensor 1 \"c\" has data", [](M m) { m.inputIndex = {1}; }},
      {"node 1 \"relu\": outputIndex[0]: tensor 0 \"x\" is an input", [](M m) { m.nodes[1].outputIndex[0] = 0; }},
      {"node 1 \"relu\": outputIndex[0]: tensor 1 \"c\" has data", [](M m) { m.nodes[1].outputIndex[0] = 1; }},
      {"node 1 \"relu\": outputIndex[0]: tensor 2 \"sum\" is another node's, too",
       [](M m) { m.nodes[1].outputIndex[0] = 2; }},
      {"tensor 0 \"x\": has no data, is no input, and no node makes it", [](M m) { m.inputIndex.clear(); }},
      {"node 0 \"add\": inputIndex[1]: tensor 3 \"y\" is made by nodes that wait for each other in a cycle",
       [](M m) { m.nodes[0].inputIndex[1] = 3; }},
      {"node 2 \"sub\": inputIndex[0]: tensor 4 \"z\" is made by nodes that wait for each other in a cycle",
       [](M m) { m.nodes[2].inputIndex[0] = 4; }},
      {"node 0 \"add\": nodeType: got 4, which is no operator's in this version",
       [](M m) { m.nodes[0].nodeType = static_cast<hdi::NodeType>(4); }},
      {"node 0 \"add\": nodeAttr: needs 8 bytes from 0 on, but there are 0", [](M m) { m.nodes[0].nodeAttr.clear(); }},
      {"tensor 2 \"sum\": dataType: got 1, which is no data type",
       [](M m) { m.allTensors[2].dataType = static_cast<hdi::DataType>(1); }},
      {"tensor 2 \"sum\": format: got 2, expected -1 to 1",
       [](M m) { m.allTensors[2].format = static_cast<hdi::Format>(2); }},
      {"tensor 2 \"sum\": dims[1]: got -2, expected -1 (unknown) or more", [](M m) { m.allTensors[2].dims[1] = -2; }},
      {"tensor 2 \"sum\": dims: has 9 axes, expected at most 8", [](M m) { m.allTensors[2].dims.assign(9, 1); }},
      {"tensor 2 \"sum\": dims: more elements than memory can hold",
       [](M m) { m.allTensors[2].dims.assign(8, 2147483647); }},
      {"tensor 2 \"sum\": quantParams: has 3 scales, and no axis of that extent",
       [](M m) { m.allTensors[2].quantParams.resize(3); }},
      {"tensor 2 \"sum\": quantParams[1].zeroPoint: got 1, expected 0 as of the others",
       [](M m) {
         m.allTensors[2].quantParams = {{8, 0, 1}, {8, 1, 1}};
       }},
      {"tensor 1 \"c\": dims: has data, and an unknown extent", [](M m) { m.allTensors[1].dims[0] = -1; }},
      {"tensor 1 \"c\": data: dataSize is 16, expected 24 for f32 [2, 3]", [](M m) { m.allTensors[1].dims[1] = 3; }},
      {"tensor 1 \"c\": data: dataSize is 16 from offset 120 on, of 128 bytes",
       [](M m) { m.allTensors[1].data.offset = 120; }},
      {"tensor 1 \"c\": data: dataSize is 16 from offset 4294967295 on, of 128 bytes",
       [](M m) { m.allTensors[1].data.offset = 0xffffffff; }},
      {"tensor 1 \"c\": data: bufferSize is 129, but the memory has 128 bytes",
       [](M m) { m.allTensors[1].data.bufferSize = 129; }},
      {"tensor 5 \"d\": data: offset 72 lies in the data of tensor 1 \"c\"",
       [](M m) {
         m.allTensors.push_back(m.allTensors[1]), m.allTensors[5].name = "d", m.allTensors[5].data.offset = 72;
       }},
      {"tensor 1 \"c\": data: bufferSize is 128, but that of tensor 5 \"d\" in the same memory is 127",
       [](M m) {
         m.allTensors.push_back(m.allTensors[1]), m.allTensors[5].name = "d", m.allTensors[5].data.offset = 0,
                                                  m.allTensors[5].data.bufferSize = 127;
       }},
      {"tensor 1 \"c\": data: element 2: got 128, expected 0 or 1 for a boolean",
       [](M m) {
         m.allTensors[1].dataType = hdi::DATA_TYPE_BOOL, m.allTensors[1].dims = {4, 4};
       }},
      {"graph: has no output", [](M m) { m.outputIndex.clear(); }},
  };
  for (const row& r : table) {
    CAPTURE(r.message);
    CHECK(message_of(r.change) == r.message);
  }
  CHECK(message_of([](hdi::Model&) {}) == "it is fine");
  CHECK(message_of([](M m) {
          m.allTensors[1].data.fd = 1'000'000;
        }).starts_with("tensor 1 \"c\": data: cannot ask for the size of its memory"));
}

TEST_CASE("read_model: every truncation of a model's bytes, and every byte of them flipped, is read or refused") {
  const small_model small;
  hdi::writer out;
  hdi::marshal(out, small.m);
  REQUIRE(read_bytes(out.bytes, out.descriptors));
  for (std::size_t size = 0; size < out.bytes.size(); ++size) {
    CAPTURE(size);
    CHECK(!read_bytes(array_ref<const std::int8_t>(out.bytes.data(), size), out.descriptors));
  }
  int refused = 0;
  for (std::size_t at = 0; at < out.bytes.size(); ++at)
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::vector<std::int8_t> bytes = out.bytes;
      bytes[at] = static_cast<std::int8_t>(bytes[at] ^ flip);
      CAPTURE(at);
      CAPTURE(flip);
      refused += read_bytes(bytes, out.descriptors) ? 0 : 1;
    }
  CHECK(refused > static_cast<int>(out.bytes.size()));  // of three flips of a byte more than one
}

TEST_CASE("read_model: memory that becomes shorter while it is read gives an error, and no signal") {
  small_model small;
  const int theirs = ::memfd_create("theirs", MFD_CLOEXEC);  // ours could not become shorter
  REQUIRE(::ftruncate(theirs, 128) == 0);
  small.m.allTensors[1].data = {theirs, 80, 64, 16};
  CHECK(hdi::read_model(small.m).has_value());
  REQUIRE(::ftruncate(theirs, 70) == 0);
  const auto read = hdi::read_model(small.m);
  ::close(theirs);
  REQUIRE(!read);
  CHECK(read.error().message() == "tensor 1 \"c\": data: bufferSize is 80, but the memory has 70 bytes");
}
