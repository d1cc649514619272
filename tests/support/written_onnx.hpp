// written_onnx: small .onnx files that the compiler reads in tests, written by onnx_writer.hpp.
// Flow: literals/<name>.inc is what model_literal() makes of each; io/model_literal_test.cpp fails when one is old.
#pragma once

#include "onnx_writer.hpp"

namespace onnx_test {

/// An image network for a batch that the file calls "n": conv 1 -> 2 channels of 3 x 3 pixels and relu, the shape of a
/// Flatten computed by Shape, Gather and Concat, then y = x w + b. Node names are missing.
inline std::string layers_file() {
  std::vector<float> w(32 * 3);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 5) - 2;
  std::vector<float> filters(18);
  for (std::size_t i = 0; i < filters.size(); ++i) filters[i] = static_cast<float>(i % 4) - 1;
  parts p;
  p.nodes = {node("Conv", {"x", "filters", "conv_bias"}, {"c"},
                  {attribute("kernel_shape", std::vector<std::int64_t>{3, 3}),
                   attribute("pads", std::vector<std::int64_t>{1, 1, 1, 1})}),
             node("Relu", {"c"}, {"r"}),
             node("Shape", {"r"}, {"extents"}),
             node("Gather", {"extents", "zero"}, {"batch"}),
             node("Concat", {"batch", "rest"}, {"flat"}, {attribute("axis", std::int64_t{0})}),
             node("Reshape", {"r", "flat"}, {"rows"}),
             node("Gemm", {"rows", "w", "b"}, {"y"})};
  p.initializers = {floats("filters", {2, 1, 3, 3}, filters),
                    floats("conv_bias", {2}, {1, -1}),
                    floats("w", {32, 3}, w),
                    floats("b", {3}, {1, 2, 3}),
                    longs("zero", {1}, {0}),
                    longs("rest", {1}, {-1})};
  p.inputs = {declaration("x", of_float, {-2, 1, 4, 4})};
  p.outputs = {declaration("y", of_float, {-2, 3})};
  return model(p);
}

/// y = ((x + 1) + 1) + 1 by a Loop of a function, with nodes out of order and a bias in bfloat16 (0x3f80 is 1).
inline std::string control_file() {
  message function;
  function.text(1, "plus_bias").text(4, "v").text(4, "bias").text(5, "sum");
  function.part(7, node("Add", {"v", "bias"}, {"sum"})).part(9, opset("", 13)).text(10, "own");
  const message body =
      graph({{node("plus_bias", {"v", "bias"}, {"next"}, {}, "own"), node("Identity", {"go"}, {"go_on"})},
             {},
             {declaration("i", of_int64, {}), declaration("go", of_boolean, {}), declaration("v", of_float, {2})},
             {declaration("go_on", of_boolean, {}), declaration("next", of_float, {2})}});
  parts p;
  p.nodes = {node("Loop", {"three", "", "same"}, {"y"}, {graph_attribute("body", body)}),
             node("Identity", {"x"}, {"same"})};
  p.initializers = {longs("three", {}, {3}), tensor_of("bias", of_bfloat16, {2}, std::string("\x80\x3f\x80\x3f", 4))};
  p.inputs = {declaration("x", of_float, {2})};
  p.outputs = {declaration("y", of_float, {2})};
  message whole;
  whole.integer(1, 8).part(8, opset("", 13)).part(8, opset("own", 1)).part(7, graph(p)).part(25, function);
  return whole.bytes;
}

/// y = x + 1 + 10, where both numbers are cast, from two dtypes.
inline std::string casts_file() {
  parts p;
  p.nodes = {node("Cast", {"one"}, {"a"}, {attribute("to", std::int64_t{of_float})}),
             node("Cast", {"ten"}, {"b"}, {attribute("to", std::int64_t{of_float})}), node("Add", {"a", "b"}, {"sum"}),
             node("Add", {"x", "sum"}, {"y"})};
  p.initializers = {longs("one", {1}, {1}), tensor_of("ten", of_int32, {1}, raw<std::int32_t>({10}))};
  p.inputs = {declaration("x", of_float, {2})};
  p.outputs = {declaration("y", of_float, {2})};
  return model(p);
}

/// Two nodes that nnrt does not read.
inline std::string unread_file() {
  return model(
      {{node("StringNormalizer", {"x"}, {"s"}), node("Relu", {"x"}, {"r"}), node("SequenceConstruct", {"r"}, {"y"})},
       {},
       {declaration("x", of_float, {2})},
       {declaration("y", of_float, {2})}});
}

/// y = relu(x + bias), with the bias in another file.
inline std::string external_file() {
  message bias;
  bias.integers(1, {2}).integer(2, of_float).text(8, "bias").integer(14, 1);
  bias.part(13, message().text(1, "location").text(2, "weights.bin"));
  return model({{node("Add", {"x", "bias"}, {"y"})},
                {bias},
                {declaration("x", of_float, {2})},
                {declaration("y", of_float, {2})}});
}

/// y = x w + b with 512 numbers x and 520 y: above 1 MiB, so the literal omits elements of w. w[i] is i % 13 - 6, and
/// b[i] is i.
inline std::string large_file() {
  std::vector<float> w(520 * 512), b(520);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 13) - 6;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i);
  return model({{node("Gemm", {"x", "w", "b"}, {"y"}, {attribute("transB", std::int64_t{1})})},
                {floats("w", {520, 512}, w), floats("b", {520}, b)},
                {declaration("x", of_float, {1, 512})},
                {declaration("y", of_float, {1, 520})}});
}

/// The files by the names of their literals.
struct named_file {
  const char* name;
  std::string (*make)();
};
inline constexpr named_file written_files[] = {{"image.onnx", layers_file},      {"onnx_control", control_file},
                                               {"onnx_casts", casts_file},       {"onnx_unread", unread_file},
                                               {"onnx_external", external_file}, {"onnx_large", large_file}};

}  // namespace onnx_test
