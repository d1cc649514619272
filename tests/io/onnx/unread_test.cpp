// unread_test: attributes and inputs that a reader of an .onnx operator does not ask for are refused, unless they have
// no meaning.
#include <doctest/doctest.h>

#include <string>

#include "outcomes.hpp"
#include "support/onnx_writer.hpp"

namespace {

using namespace onnx_test;
using attributes = std::vector<message>;

struct row {
  std::string what;
  std::int64_t version;
  message node;
  std::string refusal = {};  // empty: the file is read
};

/// A file with this node, over an image x, vectors s, indices i, a scale and numbers of u8.
std::string file_of(const row& r) {
  return model({{r.node},
                {floats("s", {2}, {1, 2}), floats("t", {2}, {0, 0}), floats("scale", {}, {0.5F}),
                 tensor_of("zero", of_uint8, {}, std::string(1, '\0')), longs("axes", {1}, {1}), longs("k", {1}, {1}),
                 longs("list", {4}, {1, 2, 2, 2}), floats("filter", {2, 2, 1, 1}, {1, 2, 3, 4}),
                 floats("region", {8}, std::vector<float>(8, 0)), floats("scales", {4}, {1, 1, 2, 2})},
                {declaration("x", of_float, {1, 2, 2, 2})},
                {declaration("y", of_float, {-1})}},
               r.version);
}
attributes with(std::string_view name, std::int64_t value) { return {attribute(name, value)}; }

}  // namespace

TEST_CASE("onnx: attributes and inputs that are not read are refused, unless they have no meaning") {
  const std::vector<std::string> statistics{"x", "s", "t", "t", "s"};
  const std::string none = "this version of the operator has none, or nnrt does not read ",
                    no_input = ": this version of the operator has no such input";
  const row table[] = {
      {"training", 14, node("BatchNormalization", statistics, {"y"}, {attribute("momentum", 0.9F)})},
      {"one statistic for each channel", 14, node("BatchNormalization", statistics, {"y"}, with("spatial", 1))},
      {"one statistic for each element", 14, node("BatchNormalization", statistics, {"y"}, with("spatial", 0)),
       "attribute spatial: " + none + "its value 0"},
      {"sums in f32", 17, node("LayerNormalization", {"x", "s"}, {"y"}, with("stash_type", 1))},
      {"sums in other types", 17, node("LayerNormalization", {"x", "s"}, {"y"}, with("stash_type", 16)),
       "attribute stash_type: " + none + "its value 16"},
      {"a hint of old files", 6,
       node("Relu", {"x"}, {"y"}, {attribute("consumed_inputs", std::vector<std::int64_t>{0})})},
      {"an attribute of another operator", 13, node("Relu", {"x"}, {"y"}, {attribute("alpha", 0.5F)}),
       "attribute alpha: " + none + "it"},
      {"bounds as attributes", 6, node("Clip", {"x"}, {"y"}, {attribute("max", 1.0F)})},
      {"bounds as attributes, which are inputs since 11", 13, node("Clip", {"x"}, {"y"}, {attribute("max", 1.0F)}),
       "attribute max: " + none},
      {"axes as an attribute, an input since 18", 18,
       node("ReduceMean", {"x"}, {"y"}, {attribute("axes", std::vector<std::int64_t>{1})}), "attribute axes: " + none},
      {"axes as an input, an attribute before 18", 13, node("ReduceMean", {"x", "axes"}, {"y"}), "input 1" + no_input},
      {"k as an input, an attribute before 10", 9, node("TopK", {"x", "k"}, {"y", ""}, with("k", 1)),
       "input 1" + no_input},
      {"results in no order may be sorted", 11, node("TopK", {"x", "k"}, {"y", ""}, with("sorted", 0))},
      {"the order of indices that are not wanted", 12,
       node("MaxPool", {"x"}, {"y"},
            {attribute("kernel_shape", std::vector<std::int64_t>{1, 1}), attribute("storage_order", std::int64_t{1})})},
      {"pads where auto_pad decides", 11,
       node("Conv", {"x", "filter"}, {"y"},
            {text_attribute("auto_pad", "VALID"), attribute("pads", std::vector<std::int64_t>{0, 0, 0, 0})})},
      {"pads where output_shape decides", 11,
       node("ConvTranspose", {"x", "filter"}, {"y"},
            {attribute("output_shape", std::vector<std::int64_t>{2, 2}),
             attribute("pads", std::vector<std::int64_t>{0, 0, 0, 0})})},
      {"the ratio of training", 12, node("Dropout", {"x", "scale"}, {"y"}, with("seed", 3))},
      {"a region of another mode", 13, node("Resize", {"x", "region", "scales"}, {"y"})},
      {"an axis of one scale", 13, node("QuantizeLinear", {"x", "scale", "zero"}, {"y"}, with("axis", 1))},
      {"quotients in f32", 23, node("QuantizeLinear", {"x", "scale", "zero"}, {"y"}, with("precision", 0))},
      {"quotients in another type", 23, node("QuantizeLinear", {"x", "scale", "zero"}, {"y"}, with("precision", 10)),
       "attribute precision: " + none + "its value 10"},
      {"two types of a result", 21, node("QuantizeLinear", {"x", "scale", "zero"}, {"y"}, with("output_dtype", 3)),
       "output_dtype: got i8 with a zero point of u8"},
      {"saturation of 8-bit floats", 19,
       node("Cast", {"x"}, {"y"}, {attribute("to", std::int64_t{11}), attribute("saturate", std::int64_t{0})})},
      {"an attribute twice", 13,
       node("Softmax", {"x"}, {"y"}, {attribute("axis", std::int64_t{1}), attribute("axis", std::int64_t{2})}),
       "attribute axis: " + none + "its value 2"},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const outcome made = load_bytes(bytes_of(file_of(r)));
    if (r.refusal.empty()) CHECK(made.error == "");
    else says(made, r.refusal);
  }
}

TEST_CASE("onnx: activations of a recurrent layer of another kind than texts are refused") {
  const parts p{{node("RNN", {"x", "w", "r"}, {"y"}, {text_attribute("activations", "Relu")})},
                {floats("w", {1, 1, 1}, {1}), floats("r", {1, 1, 1}, {1})},
                {declaration("x", of_float, {2, 1, 1})},
                {declaration("y", of_float, {2, 1, 1, 1})}};
  CHECK(says(load_bytes(bytes_of(model(p))), "attribute activations: got kind 3, expected 8"));
}

TEST_CASE("onnx: a function of the model is called with at most its inputs") {
  message one;
  one.text(1, "One")
      .text(4, "x")
      .text(5, "y")
      .part(7, node("Relu", {"x"}, {"y"}))
      .part(9, opset("", 13))
      .text(10, "local");
  const parts p{{node("One", {"x", "x"}, {"y"}, {}, "local")},
                {},
                {declaration("x", of_float, {2})},
                {declaration("y", of_float, {2})}};
  CHECK(says(load_bytes(bytes_of(model(p, 13, {one}))), "inputs: got 2, expected at most 1"));
}
