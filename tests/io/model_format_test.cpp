// model_format_test: the format of a file by its first bytes.
#include <nnrt/io/model_format.hpp>

#include <doctest/doctest.h>

#include <string>

#include "../support/written_models.hpp"
#include "../support/written_onnx.hpp"

namespace {

using namespace nnrt;

model_format format(std::string_view bytes) { return format_of_bytes(bytes); }

TEST_CASE("model_format: .tflite and Circle files by their identifier, ONNX models by their first field") {
  const std::vector<std::byte> tflite = tflite_test::shapes_model().bytes();
  CHECK(format_of_bytes(letters_of(std::span(tflite))) == model_format::tflite);
  CHECK(format("....CIR0") == model_format::tflite);
  CHECK(format(onnx_test::layers_file()) == model_format::onnx);
  static_assert(format_of_bytes(std::string_view("\x08\x07", 2)) == model_format::onnx);
  CHECK(format("\x3a\x01x") == model_format::onnx);  // the graph first
}

TEST_CASE("model_format: other bytes are no model") {
  using namespace std::string_literals;
  for (const std::string& other : {""s, "\x08"s, "no model at all"s, "{\"a\": 1}"s, "\x0a"s, "\x80\x01\x01"s,
                                   "\x10\x01"s, "\x0a\x01x"s, "\x7f"s + "ELF", "PK\x03\x04"s, std::string(64, '\0')}) {
    CAPTURE(other);
    CHECK(format(other) == model_format::unknown);
  }
}

}  // namespace
