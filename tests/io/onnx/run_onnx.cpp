// run_onnx: the one unit of these tests that compiles every operator.
#include "run_onnx.hpp"

#include <nnrt/onnx.hpp>

#include <cstring>
#include <fstream>
#include <iterator>

namespace onnx_test {

namespace {

using namespace nnrt;

tensor described(std::string_view name, const tensor_desc& desc) {
  return {std::string(name), std::string(name_of(desc.type)), {desc.shape.begin(), desc.shape.end()}, {}};
}
outcome failed(const error& reason) {
  outcome made;
  made.error = reason.message();
  return made;
}
outcome describe(const ir::graph& g) {
  outcome made;
  for (const ir::node& n : g.nodes) made.nodes.emplace_back(n.op->name);
  for (const ir::value& v : g.values) made.weights += v.is == ir::kind::weight ? 1 : 0;
  for (const std::int32_t id : g.inputs) made.inputs.push_back(described(g.name_of(g.at(id).name), g.at(id).desc));
  for (const ir::output& out : g.outputs) made.outputs.push_back(described(g.name_of(out.name), g.at(out.value).desc));
  return made;
}
dtype dtype_named(const std::string& name) {
  for (int i = 0; i < dtype_count; ++i)
    if (name_of(static_cast<dtype>(i)) == name) return static_cast<dtype>(i);
  return dtype::none;
}
shape_t shape_of_tensor(const tensor& t) {
  shape_t made;
  for (const std::int64_t extent : t.shape) made.push_back(extent);
  return made;
}

onnx::load_options options_of(const options& given) {
  onnx::load_options made;
  made.exact = given.exact;
  for (const tensor& t : given.shapes) made.shapes.push_back({t.name, shape_of_tensor(t)});
  for (const tensor& t : given.constants) {
    const shape_t shape = shape_of_tensor(t);
    made.constants.push_back({t.name, {dtype_named(t.type), default_format(shape.rank), shape}, t.bytes});
  }
  return made;
}

outcome run(result<model> loaded, const std::vector<tensor>& inputs) {
  if (!loaded) return failed(loaded.error());
  const auto compiled = compile(*loaded);
  if (!compiled) return failed(compiled.error());
  outcome made = describe(loaded->graph);
  if (made.inputs.size() != inputs.size()) {
    made.error = "the test has another number of inputs: " + std::to_string(inputs.size());
    return made;
  }
  *loaded = {};
  session s(*compiled);
  const auto note_steps = [&](const program& planned) {
    for (const node_info& node : planned.table())
      if (!node.kernel.empty()) made.steps.emplace_back(node.op);
  };
  std::vector<shape_t> shapes;
  for (const tensor& t : inputs) shapes.push_back(shape_of_tensor(t));
  if (!compiled->has_plan())
    if (const auto done = s.resize(shapes); !done) return failed(done.error());
  if (compiled->has_plan()) note_steps(*compiled);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const tensor_desc& desc = s.input_desc(i);
    if (std::string(name_of(desc.type)) != inputs[i].type ||
        static_cast<std::size_t>(desc.bytes()) != inputs[i].bytes.size()) {
      made.error = "input " + std::to_string(i) + " of the test is " + inputs[i].type + ", of another size or type";
      return made;
    }
    with_element<types::any>(desc.type, [&]<class T>(T) {
      const auto to = s.input<T>(i);
      if (!to.empty()) std::memcpy(to.data(), inputs[i].bytes.data(), inputs[i].bytes.size());
    });
  }
  if (const auto done = s.run(); !done) return failed(done.error());
  for (std::size_t i = 0; i < made.outputs.size(); ++i) {
    made.outputs[i] = described(made.outputs[i].name, s.output_desc(i));
    with_element<types::any>(s.output_desc(i).type, [&]<class T>(T) {
      const auto bytes = std::as_bytes(s.output<T>(i));
      made.outputs[i].bytes.assign(bytes.begin(), bytes.end());
    });
  }
  return made;
}

}  // namespace

std::vector<double> tensor::numbers() const {
  std::vector<double> made;
  with_element<types::any>(dtype_named(type), [&]<class T>(T) {
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      T one;
      std::memcpy(&one, bytes.data() + at, sizeof(T));
      made.push_back(math::convert<double>(one));
    }
  });
  return made;
}

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> letters{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto bytes = std::as_bytes(std::span(letters));
  return {bytes.begin(), bytes.end()};
}

tensor read_proto(const std::string& path) {
  const std::vector<std::byte> file = read_file(path);
  const file_view view(letters_of(file));
  const auto t = onnx::read_tensor(view, {0, file.size()});
  if (!t) return {};
  tensor made = described(view.bytes(t->name.at, t->name.size), t->desc);
  pool<std::byte> elements;
  if (!onnx::append_elements(view, *t, elements)) return {};
  made.bytes.assign(elements.begin(), elements.end());
  return made;
}

tensor read_npy(const std::string& path) {
  const std::vector<std::byte> file = read_file(path);
  tensor made;
  if (file.size() < 10) return made;
  const std::size_t size = static_cast<std::size_t>(file[8]) + 256 * static_cast<std::size_t>(file[9]);
  const std::string header(reinterpret_cast<const char*>(file.data()) + 10, size);
  const std::size_t type = header.find("'descr': '") + 10;
  const std::string code = header.substr(type, header.find('\'', type) - type);
  const char* const codes[][2] = {{"<f4", "f32"}, {"<f8", "f64"}, {"<i8", "i64"},  {"<i4", "i32"},
                                  {"|u1", "u8"},  {"|i1", "i8"},  {"|b1", "bool"}, {"<f2", "f16"}};
  for (const auto& [theirs, ours] : codes)
    if (code == theirs) made.type = ours;
  const std::size_t open = header.find('(') + 1, close = header.find(')');
  for (std::size_t at = open; at < close;) {
    const std::size_t end = std::min(header.find(',', at), close);
    const std::string number = header.substr(at, end - at);
    if (number.find_first_of("0123456789") != std::string::npos) made.shape.push_back(std::stoll(number));
    at = end + 1;
  }
  made.bytes.assign(file.begin() + 10 + static_cast<std::ptrdiff_t>(size), file.end());
  return made;
}

std::vector<std::string> input_names(const std::string& path) {
  const std::vector<std::byte> file = read_file(path);
  const auto model = onnx::parse_document(letters_of(file));
  const auto graph =
      model ? onnx::parse_graph(model->file, model->graph) : result<onnx::parsed_graph>(fail(model.error()));
  std::vector<std::string> made;
  if (graph)
    for (const onnx::named_entry& input : graph->inputs)
      if (input.name != onnx::no_name)
        made.emplace_back(model->text(graph->names[static_cast<std::size_t>(input.name)]));
  return made;
}

std::vector<std::string> microsoft_operators() {
  std::vector<std::string> made;
  for (const onnx::operator_row& row : onnx::microsoft_table) made.emplace_back(row.name);
  return made;
}

outcome load_path(const std::string& path, const options& given) {
  const auto loaded = onnx::load(path, options_of(given));
  return loaded ? describe(loaded->graph) : failed(loaded.error());
}
outcome load_bytes(std::span<const std::byte> file, const options& given) {
  const auto loaded = onnx::parse(file, options_of(given));
  return loaded ? describe(loaded->graph) : failed(loaded.error());
}
outcome run_path(const std::string& path, const std::vector<tensor>& inputs, const options& given) {
  return run(onnx::load(path, options_of(given)), inputs);
}
outcome run_bytes(std::span<const std::byte> file, const std::vector<tensor>& inputs, const options& given) {
  return run(onnx::parse(file, options_of(given)), inputs);
}

}  // namespace onnx_test
