// model_literal_test: text that defines a model file's bytes - its escapes, its errors, and the literals that tests keep.
#include <nnrt/io/model_literal.hpp>

#include <doctest/doctest.h>
#include <nnrt/io/file.hpp>
#include <nnrt/io/numbers_at.hpp>

#include "../support/written_models.hpp"

namespace {

using namespace nnrt;

TEST_CASE("model_literal: the literals beside the tests are those of the files that are written now") {
  for (const tflite_test::named_model& model : tflite_test::written_models) {
    CAPTURE(model.name);
    const std::vector<std::byte> bytes = model.make().bytes();
    const auto text = model_literal(letters_of(std::span(bytes)), model.name);
    REQUIRE(text);
    auto kept = mapped_file::open(std::string(NNRT_TEST_DATA "/../support/literals/") + model.name + ".inc");
    REQUIRE(kept);
    CHECK(*text == letters_of(kept->bytes()));
  }
}

TEST_CASE("model_literal: so are the files that programs of tests/consumers/model read") {
  const std::vector<std::byte> bytes = tflite_test::hybrid_model().bytes(), others = tflite_test::hybrid_model({2, 3, 4}).bytes();
  for (const auto& [name, expected] : {std::pair("hybrid", &bytes), std::pair("hybrid_others", &others)}) {
    auto kept = mapped_file::open(std::string(NNRT_TEST_DATA "/models/") + name + ".tflite");
    REQUIRE(kept);
    CHECK(letters_of(kept->bytes()) == letters_of(std::span(*expected)));
  }
}

TEST_CASE("model_literal: digits after an escape, quotes, backslashes and question marks stay what they are") {
  std::string text;
  detail::append_literal(text, std::string_view("\0001a\"\\?\xff 9", 9));
  CHECK(text == "\"\\000\\061a\\042\\134\\077\\377 \\071\"");
}

TEST_CASE("model_literal: a file that is none, and a name that is empty, are refused") {
  const auto none = model_literal("no model at all", "x");
  REQUIRE_FALSE(none);
  CHECK(none.error().message() == "file identifier: got \"odel\", expected \"TFL3\" or \"CIR0\"");
  const std::vector<std::byte> bytes = tflite_test::hybrid_model().bytes();
  const auto unnamed = model_literal(letters_of(std::span(bytes)), "");
  REQUIRE_FALSE(unnamed);
  CHECK(unnamed.error().message() == "name of the model: got none");
  const auto cut = model_literal(letters_of(std::span(bytes)).substr(0, 200), "x");
  REQUIRE_FALSE(cut);
  CHECK(cut.error().code() == error_code::invalid_file);
}

}  // namespace
