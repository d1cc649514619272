// at_run_time: runs .tflite files that are read at run time, and prints their outputs. usage: PROGRAM FILE
// Flow: tests/support/model_files.py compares that with what in_the_compiler.cpp prints.
#include <nnrt/tflite.hpp>

#include "inputs.hpp"

namespace {

int complain(const nnrt::error& reason) {
  std::printf("%s\n", reason.message().c_str());
  return 3;
}

int run_file(const char* path) {
  auto file = nnrt::mapped_file::open(path);
  if (!file) return complain(file.error());
  auto model = nnrt::tflite::parse(file->bytes());
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

int main(int count, char** arguments) { return count == 2 ? run_file(arguments[1]) : 2; }
