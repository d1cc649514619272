// at_run_time: runs .tflite and .onnx files that are read at run time, and prints their outputs.
// Flow: tests/support/model_files.py compares that with what in_the_compiler.cpp prints.
//
// usage: PROGRAM FILE [NAME=EXTENT,EXTENT,...]...   shapes of inputs of .onnx files
//        PROGRAM --inputs FILE                      extents, -1 for unknown ones, and name of each input
#include <nnrt/io/model_format.hpp>
#include <nnrt/onnx.hpp>
#include <nnrt/tflite.hpp>

#include "inputs.hpp"

#include <charconv>
#include <string_view>
#include <vector>

namespace {

int complain(const nnrt::error& reason) {
  std::printf("%s\n", reason.message().c_str());
  return 3;
}

/// NAME=1,2,3; an extent that is no number makes the shape unusable, so the file is refused.
nnrt::onnx::named_shape shape_of(std::string_view text) {
  nnrt::onnx::named_shape made;
  const std::size_t equals = text.rfind('=');
  made.name = text.substr(0, equals);
  for (std::size_t at = equals == std::string_view::npos ? text.size() : equals + 1; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::int64_t extent = -1;
    std::from_chars(text.data() + at, text.data() + end, extent);
    made.shape.push_back(extent);
    at = end + 1;
  }
  return made;
}

nnrt::result<nnrt::model> read(std::span<const std::byte> file, const nnrt::onnx::load_options& wanted) {
  if (nnrt::format_of_bytes(nnrt::letters_of(file)) == nnrt::model_format::onnx) return nnrt::onnx::parse(file, wanted);
  return nnrt::tflite::parse(file);
}

int print_inputs(const char* path) {
  const auto file = nnrt::mapped_file::open(path);
  if (!file) return complain(file.error());
  const auto model = read(file->bytes(), {});
  if (!model) return complain(model.error());
  const nnrt::ir::graph& g = model->graph;
  for (const std::int32_t id : g.inputs) {
    const std::string_view name = g.name_of(g.at(id).name);
    const nnrt::shape_t& shape = g.at(id).desc.shape;
    for (int i = 0; i < shape.rank; ++i) std::printf("%s%lld", i > 0 ? "," : "", static_cast<long long>(shape[i]));
    std::printf(" %.*s\n", static_cast<int>(name.size()), name.data());
  }
  return 0;
}

int run_file(const char* path, const nnrt::onnx::load_options& wanted) {
  auto file = nnrt::mapped_file::open(path);
  if (!file) return complain(file.error());
  auto model = read(file->bytes(), wanted);
  if (!model) return complain(model.error());
  auto program = nnrt::compile(*model);
  if (!program) return complain(program.error());
  nnrt::session session{*program};
  for (int run = 0; run < model_files::runs; ++run) {
    for (std::size_t i = 0; i < program->input_count(); ++i) {
      const std::span<std::byte> to = session.input_bytes(i);
      model_files::fill(session.input_desc(i).type, to.data(), to.size(), run, i);
    }
    if (auto done = session.run(); !done) return complain(done.error());
    for (std::size_t i = 0; i < program->output_count(); ++i) {
      const auto from = session.output_bytes(i);
      model_files::print(from.data(), from.size());
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  if (count == 3 && std::string_view(arguments[1]) == "--inputs") return print_inputs(arguments[2]);
  nnrt::onnx::load_options wanted;
  for (int i = 2; i < count; ++i) wanted.shapes.push_back(shape_of(arguments[i]));
  return run_file(arguments[1], wanted);
}
