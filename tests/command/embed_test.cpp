// embed_test: nnrt embed, run as a program - what it writes, what it prints, how it ends.
#include <nnrt/io/model_literal.hpp>

#include <doctest/doctest.h>
#include <nnrt/io/file.hpp>
#include <nnrt/io/numbers_at.hpp>
#include <nnrt/io/write_file.hpp>

#include "../support/written_models.hpp"
#include "../support/written_onnx.hpp"
#include "support/run_command.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace nnrt;

std::string content(const std::string& path) {
  auto file = mapped_file::open(path);
  return file ? std::string(letters_of(file->bytes())) : file.error().message();
}

struct written {
  temporary_folder folder;
  std::string model = folder.file("hybrid.tflite");
  std::vector<std::byte> bytes = tflite_test::hybrid_model().bytes();
  written() { REQUIRE(write_file(model, bytes)); }
  std::string literal(std::string_view name) const {
    return model_literal(letters_of(std::span(bytes)), name, "").value();
  }
};

TEST_CASE("nnrt embed: the text is the model's literal, under the name of the file or the name that is given") {
  const written w;
  const outcome beside = run_command("embed " + w.model);
  CHECK(beside.exit_code == 0);
  CHECK(beside.says(w.model + ".inc: "));
  CHECK(content(w.model + ".inc") == w.literal("hybrid.tflite"));
  const outcome named = run_command("embed " + w.model + " -o " + w.folder.file("x.inc") + " --name network --quiet");
  CHECK(named.exit_code == 0);
  CHECK(named.text == "");
  CHECK(content(w.folder.file("x.inc")) == w.literal("network"));
}

TEST_CASE("nnrt embed: the text of an .onnx file includes its reader") {
  const written w;
  const std::string file = onnx_test::layers_file(), path = w.folder.file("image.onnx");
  REQUIRE(write_file(path, std::as_bytes(std::span(file))));
  CHECK(run_command("embed " + path).exit_code == 0);
  CHECK(content(path + ".inc") == model_literal(file, "image.onnx", "").value());
  CHECK(content(path + ".inc").find("#include <nnrt/exec/onnx_format.hpp>") != std::string::npos);
}

TEST_CASE(
    "nnrt embed: what is no model, no file or no place to write is refused with its path, and nothing is written") {
  const written w;
  REQUIRE(write_file(w.folder.file("none.tflite"), std::as_bytes(std::span("no model at all"))));
  const outcome none = run_command("embed " + w.folder.file("none.tflite"));
  CHECK(none.exit_code == 1);
  CHECK(none.says("none.tflite: neither a .tflite file nor an .onnx file: got 16 bytes that begin as neither"));
  CHECK_FALSE(std::filesystem::exists(w.folder.file("none.tflite.inc")));
  CHECK(run_command("embed /no/such.tflite").says("/no/such.tflite: cannot open: No such file or directory"));
  CHECK(run_command("embed " + w.model + " -o /no/such/folder/x.inc").exit_code == 1);
  CHECK(run_command("embed").exit_code == 2);
  CHECK(run_command("embed --help").says("NNRT_MODEL"));
}

}  // namespace
