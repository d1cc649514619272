// run_file: the one unit of these tests that compiles every operator.
#include "run_file.hpp"

#include <nnrt/tflite.hpp>

namespace tflite_test {

namespace {

using namespace nnrt;

result_tensor described(std::string_view name, const tensor_desc& desc) {
  return {std::string(name), std::string(name_of(desc.type)), {desc.shape.begin(), desc.shape.end()}, {}};
}

outcome describe(const ir::graph& g) {
  outcome made;
  for (const ir::node& n : g.nodes) made.nodes.emplace_back(n.op->name);
  for (const std::int32_t id : g.inputs) made.inputs.push_back(described(g.name_of(g.at(id).name), g.at(id).desc));
  for (const ir::output& out : g.outputs) made.outputs.push_back(described(g.name_of(out.name), g.at(out.value).desc));
  for (const ir::state& one : g.states)
    made.states.push_back(described(g.name_of(g.at(one.value).name), g.at(one.value).desc));
  return made;
}

outcome failed(const error& reason) {
  outcome made;
  made.error = reason.message();
  return made;
}

void fill(session& s, std::size_t i, dtype type, const std::vector<double>& numbers) {
  with_element<types::any>(type, [&]<class T>(T) {
    const std::span<T> to = s.input<T>(i);
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = static_cast<T>(numbers[k]);
  });
}

void append(std::vector<double>& numbers, session& s, std::size_t i) {
  with_element<types::any>(s.output_desc(i).type, [&]<class T>(T) {
    for (const T number : s.output<T>(i)) numbers.push_back(static_cast<double>(number));
  });
}

/// One run of a session, and what comes out.
outcome run_once(session& s, const program& compiled, outcome made, const std::vector<std::vector<double>>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) fill(s, i, compiled.input_desc(i).type, inputs[i]);
  if (const auto done = s.run(); !done) return failed(done.error());
  for (std::size_t i = 0; i < made.outputs.size(); ++i) {
    made.outputs[i] = described(made.outputs[i].name, s.output_desc(i));
    append(made.outputs[i].numbers, s, i);
  }
  return made;
}

outcome run(result<model> loaded, const std::vector<std::vector<double>>& inputs,
            const std::vector<std::vector<std::int64_t>>& shapes = {}) {
  if (!loaded) return failed(loaded.error());
  const auto compiled = compile(*loaded);
  if (!compiled) return failed(compiled.error());
  outcome made = describe(loaded->graph);
  *loaded = {};
  session s(*compiled);
  std::vector<shape_t> resized(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (const std::int64_t extent : shapes[i]) resized[i].push_back(extent);
  if (!shapes.empty())
    if (const auto done = s.resize(resized); !done) return failed(done.error());
  return run_once(s, *compiled, std::move(made), inputs);
}

}  // namespace

outcome load_file(std::span<const std::byte> file, bool unknown_extents, std::string_view signature) {
  const auto loaded = tflite::parse(file, {.unknown_extents = unknown_extents, .signature = signature});
  return loaded ? describe(loaded->graph) : failed(loaded.error());
}

outcome run_file(std::span<const std::byte> file, const std::vector<std::vector<double>>& inputs) {
  return run(tflite::parse(file), inputs);
}

std::vector<outcome> run_in_turn(std::span<const std::byte> file,
                                 const std::vector<std::vector<std::vector<double>>>& inputs,
                                 std::size_t reset_before) {
  const auto loaded = tflite::parse(file);
  if (!loaded) return {failed(loaded.error())};
  const auto compiled = compile(*loaded);
  if (!compiled) return {failed(compiled.error())};
  session s(*compiled);
  std::vector<outcome> made;
  for (const auto& one : inputs) {
    if (made.size() == reset_before) s.reset();
    made.push_back(run_once(s, *compiled, describe(loaded->graph), one));
  }
  return made;
}

outcome run_resized(std::span<const std::byte> file, const std::vector<std::vector<std::int64_t>>& shapes,
                    const std::vector<std::vector<double>>& inputs) {
  return run(tflite::parse(file, {.unknown_extents = true}), inputs, shapes);
}

outcome run_path(const std::string& path, const std::vector<std::vector<double>>& inputs) {
  return run(tflite::load(path), inputs);
}

outcome run_each(const std::string& path, const std::vector<std::vector<double>>& inputs) {
  const auto loaded = tflite::load(path);
  if (!loaded) return failed(loaded.error());
  const auto compiled = compile(*loaded);
  if (!compiled) return failed(compiled.error());
  outcome made = describe(loaded->graph);
  session s(*compiled);
  for (const std::vector<double>& x : inputs) {
    fill(s, 0, compiled->input_desc(0).type, x);
    if (const auto done = s.run(); !done) return failed(done.error());
    append(made.outputs[0].numbers, s, 0);
  }
  return made;
}

std::vector<known_operator> known_operators() {
  std::vector<known_operator> known;
  for (const tflite::operator_row& row : tflite::operator_table)
    known.push_back({std::string(row.name), row.newest, row.options.tag, row.options.fields});
  return known;
}

}  // namespace tflite_test
