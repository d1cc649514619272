// make_weights: what is copied, and what is refused. Its round trips are in weights_test.cpp.
#include <nnrt/io/make_weights.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

const float kernel[] = {1, 2, 3, 4, 5, 6};

}  // namespace

TEST_CASE("make_weights: tensors that do not fit together are not made") {
  const nnrt::weights::entry twice[] = {nnrt::tensor_of<float>("x", {6}, kernel),
                                        nnrt::tensor_of<float>("x", {6}, kernel)};
  CHECK(nnrt::make_weights(twice).error().message() == "tensor \"x\": its name occurs twice, expected it once");
  const nnrt::weights::entry larger[] = {nnrt::tensor_of<float>("x", {7}, kernel)};
  CHECK(nnrt::make_weights(larger).error().message() == "tensor \"x\": got 24 bytes, expected 28 for f32 [7]");
}

TEST_CASE("make_weights: tensors and texts come in the order of their names, whatever order they are given in") {
  const nnrt::tensor_entry tensors[] = {nnrt::tensor_of<float>("b", {6}, kernel),
                                        nnrt::tensor_of<float>("", {2, 3}, kernel),
                                        nnrt::tensor_of<float>("a", {0, 7}, {})};
  const nnrt::metadata_entry texts[] = {{"z", "1"}, {"y", ""}};
  const auto made = nnrt::make_weights(tensors, texts, nnrt::layout::pytorch);
  REQUIRE(made);
  REQUIRE(made->entries().size() == 3);
  CHECK(made->entries()[0].name.empty());
  CHECK(made->entries()[1].name == "a");
  CHECK(made->entries()[1].bytes.empty());
  CHECK(made->entries()[2].name == "b");
  CHECK(made->metadata()[0].key == "y");
  CHECK(made->order() == nnrt::layout::pytorch);
}

TEST_CASE("make_weights: the element type of tensor_of gives the dtype") {
  const std::int64_t wide[] = {1};
  const bool truth[] = {true};
  CHECK(nnrt::tensor_of<std::int64_t>("x", {1}, wide).type == nnrt::i64);
  CHECK(nnrt::tensor_of<bool>("x", {1}, truth).type == nnrt::boolean);
  CHECK(nnrt::tensor_of<float>("x", {6}, kernel).bytes.size() == 24);
}
