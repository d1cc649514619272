// model_literal_test: text that defines a model file's bytes - its escapes, its errors, and the literals that tests
// keep.
#include <nnrt/io/model_literal.hpp>

#include <doctest/doctest.h>
#include <nnrt/io/file.hpp>
#include <nnrt/io/large_model.hpp>
#include <nnrt/io/numbers_at.hpp>

#include "../support/written_models.hpp"
#include "../support/written_onnx.hpp"

namespace {
NNRT_EMBED_FUNCTION(quantised_hybrid, NNRT_TEST_DATA "/models/hybrid.tflite")

using namespace nnrt;

TEST_CASE("model_literal: the literals of the tests are those of the files that are written now") {
  for (const tflite_test::named_model& model : tflite_test::written_models) {
    CAPTURE(model.name);
    const std::vector<std::byte> bytes = model.make().bytes();
    const auto text = model_literal(letters_of(std::span(bytes)), model.name, "");
    REQUIRE(text);
    auto kept = mapped_file::open(std::string(NNRT_TEST_DATA "/../support/literals/") + model.name + ".inc");
    REQUIRE(kept);
    CHECK(*text == letters_of(kept->bytes()));
  }
}

TEST_CASE("model_literal: so are those of .onnx files, whose text includes their reader") {
  for (const onnx_test::named_file& model : onnx_test::written_files) {
    CAPTURE(model.name);
    const auto text = model_literal(model.make(), model.name, "");
    REQUIRE(text);
    CHECK(text->find("#include <nnrt/exec/onnx_format.hpp>\n") != std::string::npos);
    auto kept = mapped_file::open(std::string(NNRT_TEST_DATA "/../support/literals/") + model.name + ".inc");
    REQUIRE(kept);
    CHECK(*text == letters_of(kept->bytes()));
  }
}

TEST_CASE("model_literal: so are the files that programs of tests/consumers/model read") {
  const std::vector<std::byte> bytes = tflite_test::hybrid_model().bytes(),
                               others = tflite_test::hybrid_model({2, 3, 4}).bytes();
  for (const auto& [name, expected] : {std::pair("hybrid", &bytes), std::pair("hybrid_others", &others)}) {
    auto kept = mapped_file::open(std::string(NNRT_TEST_DATA "/models/") + name + ".tflite");
    REQUIRE(kept);
    CHECK(letters_of(kept->bytes()) == letters_of(std::span(*expected)));
  }
  auto kept = mapped_file::open(NNRT_TEST_DATA "/models/image.onnx");
  REQUIRE(kept);
  CHECK(letters_of(kept->bytes()) == onnx_test::layers_file());
}

TEST_CASE("model_literal: of a file above 1 MiB programs get the file itself, if it is the one that was read") {
  std::vector<std::byte> bytes = tflite_test::hybrid_model().bytes();
  bytes.resize(largest_literal);
  CHECK(model_literal(letters_of(std::span(bytes)), "x", "/p").value().find("NNRT_MODEL_BYTES(\"x\") =") !=
        std::string::npos);
  bytes.resize(largest_literal + 1);
  const std::string text = model_literal(letters_of(std::span(bytes)), "9 lives.tflite", "/a/b.tflite").value();
  CHECK(text.find("NNRT_EMBED_FUNCTION(model_of_9_lives_tflite, \"/a/b.tflite\")") != std::string::npos);
  CHECK(text.find("struct nnrt::large_model<\"9 lives.tflite\">") != std::string::npos);
  CHECK(text.find("model_of_9_lives_tflite(), size, " + std::to_string(digest_of(array_ref<const std::byte>(bytes))) +
                  "U)") != std::string::npos);

  const auto kept = mapped_file::open(NNRT_TEST_DATA "/models/hybrid.tflite");
  REQUIRE(kept);
  const std::uint64_t digest = digest_of(array_ref<const std::byte>(kept->bytes()));
  const auto same = bytes_of_model_file(quantised_hybrid(), kept->bytes().size(), digest);
  REQUIRE(same);
  CHECK(*same == letters_of(kept->bytes()));
  constexpr const char* wrong =
      "the model file in the program is not the one that the compiler has read: got 880 bytes, expected 880, and these "
      "are others; write the literal again";
  CHECK(bytes_of_model_file(quantised_hybrid(), 880, digest + 1).error().message() == wrong);
  CHECK(bytes_of_model_file(quantised_hybrid(), 881, digest)
            .error()
            .message()
            .find("got 880 bytes, expected 881; write") != std::string::npos);
}

TEST_CASE("model_literal: digits after an escape, quotes, backslashes and question marks stay what they are") {
  std::string text;
  detail::append_literal(text, std::string_view("\0001a\"\\?\xff 9", 9));
  CHECK(text == "\"\\0001a\\042\\134\\077\\377 9\"");
}

TEST_CASE("model_literal: a file that is none, and a name that is empty, are refused") {
  const auto none = model_literal("no model at all", "x", "");
  REQUIRE_FALSE(none);
  CHECK(none.error().message() == "neither a .tflite file nor an .onnx file: got 15 bytes that begin as neither");
  const std::vector<std::byte> bytes = tflite_test::hybrid_model().bytes();
  const auto unnamed = model_literal(letters_of(std::span(bytes)), "", "");
  REQUIRE_FALSE(unnamed);
  CHECK(unnamed.error().message() == "name of the model: got none");
  const auto cut = model_literal(letters_of(std::span(bytes)).substr(0, 200), "x", "");
  REQUIRE_FALSE(cut);
  CHECK(cut.error().code() == error_code::invalid_file);
  const std::string layers = onnx_test::layers_file();
  const auto cut_onnx = model_literal(std::string_view(layers).substr(0, 200), "x", "");
  REQUIRE_FALSE(cut_onnx);
  CHECK(cut_onnx.error().message().find("no valid field of an ONNX model") != std::string::npos);
}

}  // namespace
