// embed: nnrt embed - a model file as C++ text, for NNRT_MODEL in builds without CMake.
// Flow: reads MODEL, checks that it is in order, and writes the text.
#include "command.hpp"

#include <nnrt/io/file.hpp>
#include <nnrt/io/model_literal.hpp>
#include <nnrt/io/write_file.hpp>

#include <filesystem>

namespace nnrt_command {
namespace {

struct embed_wishes {
  std::string model, out, name, path;
  bool is_quiet = false;
};

nnrt::result<std::string> text_of(const embed_wishes& wanted) {
  auto file = nnrt::mapped_file::open(wanted.model);
  if (!file) return nnrt::fail(std::move(file.error()));
  const std::string name = wanted.name.empty() ? std::filesystem::path(wanted.model).filename().string() : wanted.name;
  const std::string path = wanted.path.empty() ? std::filesystem::path(wanted.model).filename().string() : wanted.path;
  auto text = nnrt::model_literal(nnrt::letters_of(file->bytes()), name, path);
  if (!text) return nnrt::fail(std::move(text.error()).in(wanted.model));
  return text;
}

int embed(const embed_wishes& wanted) {
  auto text = text_of(wanted);
  if (!text) return complain(text.error().message());
  const std::string out = wanted.out.empty() ? wanted.model + ".inc" : wanted.out;
  if (auto ok = nnrt::write_file(out, std::as_bytes(std::span(*text))); !ok) return complain(ok.error().message());
  if (!wanted.is_quiet) std::printf("%s: %zu bytes of C++; include it before NNRT_MODEL\n", out.c_str(), text->size());
  return done;
}

}  // namespace

void add_embed(CLI::App& program, int& exit_code) {
  static embed_wishes wanted;
  CLI::App* const command = program.add_subcommand("embed", "Writes a model file as C++ text that NNRT_MODEL reads.");
  command->footer(
      "The text defines the file's bytes. A source includes it before NNRT_MODEL(name, \"MODEL\"), and the compiler "
      "reads the network\n"
      "of it. Of a file above 1 MiB the text leaves out the elements of weights, and programs get the file itself, "
      "which the assembler looks for along -I. With CMake, nnrt_model(<target> <file> NAME <name>) does this by "
      "itself.");
  command->add_option("MODEL", wanted.model, "A .tflite or .onnx file")->required();
  command->add_option("-o,--out", wanted.out, "The file to write; MODEL.inc where this is not given");
  command->add_option("--name", wanted.name,
                      "What the bytes are called: the first argument of NNRT_MODEL, or the last part of its path, "
                      "which it is where this is not given");
  command->add_option("--path", wanted.path,
                      "Of a MODEL above 1 MiB: where the assembler finds it, absolute or along -I; its file name where "
                      "this is not given");
  command->add_flag("-q,--quiet", wanted.is_quiet, "Print nothing but errors");
  command->callback([&exit_code] { exit_code = embed(wanted); });
}

}  // namespace nnrt_command
