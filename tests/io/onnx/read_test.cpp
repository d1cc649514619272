// read_test: .onnx files of every shape that exporters write are read, and others refused with all reasons.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "outcomes.hpp"
#include "support/onnx_writer.hpp"

namespace {

using namespace onnx_test;

const std::vector<message> x_and_y{declaration("x", of_float, {2, 2})}, y_alone{declaration("y", of_float, {2, 2})};
const tensor x = numbers_of({2, 2}, {1, -2, 3, -4});

/// y = relu(x + bias), with the bias as an initializer of some kind.
std::string with_bias(const message& bias, const std::vector<message>& more_inputs = {}) {
  parts p{{node("Add", {"x", "bias"}, {"sum"}), node("Relu", {"sum"}, {"y"})}, {bias}, x_and_y, y_alone};
  p.inputs.insert(p.inputs.end(), more_inputs.begin(), more_inputs.end());
  return model(p);
}

}  // namespace

TEST_CASE("onnx: elements of initializers are raw bytes at any address, or typed fields, packed or not") {
  const std::vector<double> expected{2, 0, 4, 0};
  for (std::size_t padding = 0; padding < 4; ++padding) {
    message bias = floats("bias", {2}, {1, 1});
    bias.text(12, std::string(padding, 'x'));  // a doc_string moves what follows
    CHECK(result(run_bytes(bytes_of(with_bias(bias)), {x})) == expected);
  }
  message packed, single;
  packed.integers(1, {2}).integer(2, of_float).text(8, "bias").text(4, raw<float>({1, 1}));
  single.integer(1, 2).integer(2, of_float).real(4, 1).real(4, 1).text(8, "bias");
  CHECK(result(run_bytes(bytes_of(with_bias(packed)), {x})) == expected);
  CHECK(result(run_bytes(bytes_of(with_bias(single)), {x})) == expected);
  // bfloat16 is widened: 0x3f80 is 1
  CHECK(result(run_bytes(bytes_of(with_bias(tensor_of("bias", of_bfloat16, {2}, raw<std::uint16_t>({0x3f80, 0x3f80})))),
                         {x})) == expected);
}

TEST_CASE("onnx: weights of 4 bits, 8 bits and more than rules read, at odd addresses") {
  // 300 numbers are a weight, which stays in the file; their address is odd
  std::vector<float> many(300);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<float>(i);
  parts p{{node("Mul", {"x", "w"}, {"y"})},
          {floats("w", {300}, many)},
          {declaration("x", of_float, {1})},
          {declaration("y", of_float, {300})}};
  const std::vector<double> made = result(run_bytes(bytes_of(model(p)), {numbers_of({1}, {2})}));
  REQUIRE(made.size() == 300);
  CHECK(made[299] == 598);
  // two numbers in each byte, the first in the lower half; an odd count
  const message four = tensor_of("w", of_int4, {3}, std::string("\xe1\x07", 2));
  parts q{{node("Cast", {"w"}, {"real"}, {attribute("to", std::int64_t{1})}), node("Mul", {"x", "real"}, {"y"})},
          {four},
          {declaration("x", of_float, {3})},
          {declaration("y", of_float, {3})}};
  CHECK(result(run_bytes(bytes_of(model(q)), {numbers_of({3}, {1, 1, 1})})) == std::vector<double>{1, -2, 7});
}

TEST_CASE("onnx: an initializer among the inputs is a constant, a missing input is reported") {
  const std::string file = with_bias(floats("bias", {2}, {1, 1}), {declaration("bias", of_float, {2})});
  const outcome made = run_bytes(bytes_of(file), {x});
  CHECK(result(made) == std::vector<double>{2, 0, 4, 0});
  CHECK(made.inputs.size() == 1);
  parts p{{node("Add", {"x", "bias"}, {"y"})}, {}, x_and_y, y_alone};
  CHECK(says(load_bytes(bytes_of(model(p))),
             R"(value "bias" is read, but is neither an input nor an initializer nor made by a node)"));
}

TEST_CASE("onnx: a short list that is a weight can also be a shape, axes or a bound, and is one weight") {
  // s = [2, 1] is the right side of a product, and a shape
  parts p{{node("MatMul", {"x", "s"}, {"product"}), node("Reshape", {"product", "s"}, {"column"}),
           node("MatMul", {"column", "line"}, {"square"}), node("ReduceSum", {"square", "axes"}, {"y"})},
          {longs("s", {2}, {2, 1}), longs("axes", {1}, {1}), longs("line", {1, 2}, {1, 10})},
          {declaration("x", of_int64, {2, 2})},
          {declaration("y", of_int64, {2, 1})}};
  const tensor whole = tensor_like<std::int64_t>("i64", {2, 2}, {1, 2, 3, 4});
  CHECK(result(run_bytes(bytes_of(model(p)), {whole})) == std::vector<double>{44, 110});
  parts q{{node("PRelu", {"x", "half"}, {"a"}), node("Clip", {"a", "", "half"}, {"b"}),
           node("PRelu", {"b", "half"}, {"y"})},
          {floats("half", {}, {0.5F})},
          x_and_y,
          y_alone};
  CHECK(result(run_bytes(bytes_of(model(q)), {x})) == std::vector<double>{0.5, -0.5, 0.5, -1});
  // a large one is read as another operand first, then as a weight
  parts r{{node("Add", {"x", "w"}, {"sum"}), node("MatMul", {"sum", "w"}, {"y"})},
          {floats("w", {20, 20}, std::vector<float>(400, 1))},
          {declaration("x", of_float, {20, 20})},
          {declaration("y", of_float, {20, 20})}};
  const outcome made = load_bytes(bytes_of(model(r)));
  CHECK(made.weights == 1);
  CHECK(result(run_bytes(bytes_of(model(r)), {numbers_of({20, 20}, std::vector<float>(400, 1))}))[0] == 40);
}

TEST_CASE("onnx: nodes in any order; cycles and repeated names are refused") {
  parts p{{node("Relu", {"sum"}, {"y"}), node("Add", {"x", "x"}, {"sum"})}, {}, x_and_y, y_alone};
  CHECK(result(run_bytes(bytes_of(model(p)), {x})) == std::vector<double>{2, 0, 6, 0});
  p.nodes = {node("Add", {"x", "b"}, {"a"}), node("Relu", {"a"}, {"b"}), node("Relu", {"b"}, {"y"})};
  CHECK(says(load_bytes(bytes_of(model(p))), "read each other's results"));
  p.nodes = {node("Relu", {"x"}, {"y"}), node("Abs", {"x"}, {"y"})};
  CHECK(says(load_bytes(bytes_of(model(p))), R"(value "y" is made by two nodes, 0 and 1)"));
}

TEST_CASE("onnx: a refused file lists every node that is not read, with operator, version and reason") {
  parts p{{node("Foo", {"x"}, {"a"}), node("Relu", {"a"}, {"b"}), node("Bar", {"x"}, {"c"}),
           node("Softmax", {"x"}, {"d"}, {attribute("axis", std::int64_t{7})}), node("Add", {"b", "c"}, {"y"})},
          {},
          x_and_y,
          y_alone};
  const outcome made = load_bytes(bytes_of(model(p, 12)));
  CHECK(says(made, R"(node 0 "a" Foo (opset 12): nnrt has no such operator; node 2 "c" Bar (opset 12): )"
                   R"(nnrt has no such operator; node 3 "d" Softmax (opset 12): axis: got 7, expected one of 2)"));
  // nodes that read results of refused ones are not named
  CHECK(made.error.find("Relu") == std::string::npos);
  p.nodes = {node("Relu", {"x"}, {"y"}, {}, "com.example")};
  CHECK(says(load_bytes(bytes_of(model(p))), R"(domain "com.example": nnrt has no such operator)"));
}

TEST_CASE("onnx: unknown extents are those of load_options, of a parameter of the same name, or of resize()") {
  parts p{{node("Add", {"x", "z"}, {"sum"}), node("Shape", {"sum"}, {"s"}), node("Reshape", {"sum", "s"}, {"y"})},
          {},
          {declaration("x", of_float, {-2, 3}), declaration("z", of_float, {-2, 3})},
          {declaration("y", of_float, {-2, 3})}};
  const std::string file = model(p);
  const tensor two = numbers_of({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(result(run_bytes(bytes_of(file), {two, two})) == std::vector<double>{2, 4, 6, 8, 10, 12});
  options given;
  given.shapes.push_back({"x", "f32", {2, 3}, {}});
  const outcome made = run_bytes(bytes_of(file), {two, two}, given);
  CHECK(result(made) == std::vector<double>{2, 4, 6, 8, 10, 12});
  CHECK(made.inputs[1].shape == std::vector<std::int64_t>{2, 3});
  CHECK(made.nodes == std::vector<std::string>{"add", "reshape"});
  given.shapes[0].shape = {2, 4};
  CHECK(says(load_bytes(bytes_of(file), given), R"(input "x": got the shape [2, 4], expected [-1, 3])"));
  given.shapes[0].shape = {2, 3};
  given.shapes.push_back({"z", "f32", {4, 3}, {}});
  CHECK(says(load_bytes(bytes_of(file), given), R"(input "z": got the extent 4 for "n", which is 2 elsewhere)"));
  given.shapes.pop_back();
  options constant;
  constant.constants.push_back(numbers_of({3, 2}, {1, 2, 3, 4, 5, 6}));
  constant.constants[0].name = "x";
  CHECK(says(load_bytes(bytes_of(file), constant), R"(input "x": got the shape [3, 2], expected [-1, 3])"));
  given.shapes[0].name = "w";
  CHECK(says(load_bytes(bytes_of(file), given), R"(got a shape or constant for "w", expected one of "x", "z")"));
}

TEST_CASE("onnx: ai.onnx and the empty name are one domain") {
  const auto swish = [](std::string_view of_node, std::string_view imported) {
    const parts p{{node("Swish", {"x"}, {"y"}, {}, of_node)}, {}, x_and_y, y_alone};
    return result(run_bytes(bytes_of(model(p, {opset(imported, 24)})), {x}));
  };
  const std::vector<double> expected = swish("", "");
  CHECK(expected[0] == doctest::Approx(1 / (1 + std::exp(-1))));
  CHECK(swish("ai.onnx", "") == expected);
  CHECK(swish("", "ai.onnx") == expected);
  CHECK(swish("ai.onnx", "ai.onnx") == expected);
  // a function replaces an operator by either name
  message doubled;
  doubled.text(1, "Swish").text(4, "x").text(5, "y").text(10, "ai.onnx");
  doubled.part(7, node("Add", {"x", "x"}, {"y"}, {}, "ai.onnx")).part(9, opset("ai.onnx", 13));
  const parts p{{node("Swish", {"x"}, {"y"})}, {}, x_and_y, y_alone};
  CHECK(result(run_bytes(bytes_of(model(p, 24, {doubled})), {x})) == std::vector<double>{2, -4, 6, -8});
}

TEST_CASE("onnx: imported operator sets are known, once for each domain, also those of functions") {
  const parts p{{node("Relu", {"x"}, {"y"})}, {}, x_and_y, y_alone};
  CHECK(says(load_bytes(bytes_of(model(p, {opset("", 13), opset("ai.onnx", 14)}))),
             R"(opset: got versions 13 and 14 of domain "")"));
  CHECK(says(load_bytes(bytes_of(model(p, {opset("com.microsoft", 1)}))),
             "opset: the file imports no version of ONNX's own operators"));
  CHECK(says(load_bytes(bytes_of(model(p, std::vector<message>(300, opset("", 13))))),
             "opset: got 300 domains, expected at most 256"));
  message newer;
  newer.text(1, "Relu").text(4, "x").text(5, "y").part(7, node("Abs", {"x"}, {"y"})).part(9, opset("", 99));
  CHECK(says(load_bytes(bytes_of(model(p, 13, {newer}))), "opset: got 99, expected 1 to 26"));
}

TEST_CASE("onnx: functions of the model are inlined, with attributes of the call, defaults and missing inputs") {
  message scaled;  // y = leaky_relu(x, alpha) + offset, offset optional
  scaled.text(1, "Scaled").text(4, "x").text(4, "offset").text(5, "y").text(6, "alpha");
  scaled.part(7, node("LeakyRelu", {"x"}, {"r"}, {reference("alpha", "alpha", 1)}));
  scaled.part(7, node("Clip", {"r", "offset"}, {"y"}));
  scaled.part(9, opset("", 13)).text(10, "local").part(11, attribute("alpha", 0.5F));
  parts p{
      {node("Scaled", {"x"}, {"a"}, {}, "local"), node("Scaled", {"a"}, {"y"}, {attribute("alpha", 0.25F)}, "local")},
      {},
      x_and_y,
      y_alone};
  CHECK(result(run_bytes(bytes_of(model(p, 13, {scaled})), {x})) == std::vector<double>{1, -0.25, 3, -0.5});
}

TEST_CASE("onnx: If with a known condition is one branch, which sees names of the outer graph") {
  const message yes =
      graph({{node("Add", {"x", "one"}, {"z"})}, {floats("one", {}, {1})}, {}, {declaration("z", of_float, {2, 2})}});
  const message no = graph({{node("Foo", {"x"}, {"z"})}, {}, {}, {declaration("z", of_float, {2, 2})}});
  parts p{{node("If", {"is"}, {"y"}, {graph_attribute("then_branch", yes), graph_attribute("else_branch", no)})},
          {tensor_of("is", of_boolean, {}, "\1")},
          x_and_y,
          y_alone};
  CHECK(result(run_bytes(bytes_of(model(p)), {x})) == std::vector<double>{2, -1, 4, -3});
  p.initializers[0] = tensor_of("is", of_boolean, {}, std::string(1, '\0'));
  CHECK(says(load_bytes(bytes_of(model(p))),
             R"(node 0 "y" If (opset 13): node 0 "z" Foo (opset 13): nnrt has no such operator)"));
}

TEST_CASE("onnx: Loop with a known count is unrolled; scan results are stacked") {
  const message body = graph({{node("Add", {"carried", "x"}, {"next"}), node("Identity", {"goes_on"}, {"still"}),
                               node("Identity", {"next"}, {"scanned"})},
                              {},
                              {declaration("round", of_int64, {}), declaration("goes_on", of_boolean, {}),
                               declaration("carried", of_float, {2, 2})},
                              {declaration("still", of_boolean, {}), declaration("next", of_float, {2, 2}),
                               declaration("scanned", of_float, {2, 2})}});
  parts p{{node("Loop", {"count", "", "x"}, {"y", "all"}, {graph_attribute("body", body)})},
          {longs("count", {}, {3})},
          x_and_y,
          {declaration("y", of_float, {2, 2}), declaration("all", of_float, {3, 2, 2})}};
  const outcome made = run_bytes(bytes_of(model(p)), {x});
  CHECK(result(made) == std::vector<double>{4, -8, 12, -16});
  CHECK(result(made, 1) == std::vector<double>{2, -4, 6, -8, 3, -6, 9, -12, 4, -8, 12, -16});
  p.initializers[0] = longs("count", {}, {1 << 30});
  CHECK(says(load_bytes(bytes_of(model(p))), "nnrt unrolls no longer loops"));
}

TEST_CASE("onnx: external data is read from the model's folder alone") {
  const auto folder = std::filesystem::temp_directory_path() / ("nnrt_onnx_" + std::to_string(std::random_device()()));
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  };
  const auto external = [](const std::string& location, const std::string& offset) {
    message key, value, made;
    made.integers(1, {2}).integer(2, of_float).text(8, "bias").integer(14, 1);
    made.part(13, message().text(1, "location").text(2, location))
        .part(13, message().text(1, "offset").text(2, offset));
    return made;
  };
  write("weights.bin", "1234" + raw<float>({1, 1}));
  write("good.onnx", with_bias(external("weights.bin", "4")));
  CHECK(result(run_path(folder / "good.onnx", {x})) == std::vector<double>{2, 0, 4, 0});
  write("short.onnx", with_bias(external("weights.bin", "8")));
  CHECK(says(load_path(folder / "short.onnx"), "got 12 bytes, expected 8 from 8 on"));
  write("missing.onnx", with_bias(external("nothing.bin", "0")));
  CHECK(says(load_path(folder / "missing.onnx"), "nothing.bin"));
  for (const char* const outside : {"../weights.bin", "/etc/passwd", "a/../../weights.bin", ""}) {
    write("outside.onnx", with_bias(external(outside, "0")));
    const outcome made = load_path(folder / "outside.onnx");
    CAPTURE(outside);
    CHECK(made.error != "");
    CHECK((made.error.find("leaves the model's folder") != std::string::npos ||
           made.error.find("no location") != std::string::npos));
  }
  CHECK(says(load_bytes(bytes_of(with_bias(external("weights.bin", "4")))), "external data"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("onnx: wrong files are refused in words") {
  CHECK(says(load_bytes({}), "got no graph, expected an ONNX model with one"));
  CHECK(says(load_bytes(bytes_of("TFL3 is no protobuf")), "no valid field of an ONNX model"));
  CHECK(says(load_path("/nowhere/x.onnx"), "/nowhere/x.onnx"));
  CHECK(says(load_bytes(bytes_of(model({{node("Relu", {"x"}, {"y"})}, {}, x_and_y, y_alone}, 99))),
             "opset: got 99, expected 1 to 26"));
  CHECK(
      says(load_bytes(bytes_of(with_bias(floats("bias", {3}, {1, 1})))), R"(tensor "bias": got 8 bytes, expected 12)"));
  CHECK(says(load_bytes(bytes_of(with_bias(floats("bias", {-1}, {1, 1})))), "extents: got -1"));
  CHECK(says(load_bytes(bytes_of(with_bias(tensor_of("bias", 8, {1}, "")))), "elements of type string"));
  CHECK(says(load_bytes(bytes_of(with_bias(tensor_of("bias", of_float, {1LL << 40, 1LL << 40}, "")))),
             "tensor \"bias\""));
}

TEST_CASE("onnx: initializers have one name each, and none is sparse, in inner graphs, too") {
  const std::vector<message> twice{floats("bias", {2}, {1, 1}), floats("bias", {2}, {2, 2})};
  const message add = node("Add", {"x", "bias"}, {"y"});
  CHECK(says(load_bytes(bytes_of(model({{add}, twice, x_and_y, y_alone}))), R"(two initializers are called "bias")"));
  message sparse = graph({{node("Identity", {"x"}, {"z"})}, {}, {}, {declaration("z", of_float, {2, 2})}});
  sparse.part(15, message());
  const message doubled = graph({{node("Add", {"x", "bias"}, {"z"})}, twice, {}, {declaration("z", of_float, {2, 2})}});
  const auto with_branch = [&](const message& branch) {
    const message n =
        node("If", {"is"}, {"y"}, {graph_attribute("then_branch", branch), graph_attribute("else_branch", branch)});
    return model({{n}, {tensor_of("is", of_boolean, {}, "\1")}, x_and_y, y_alone});
  };
  CHECK(says(load_bytes(bytes_of(with_branch(sparse))), "sparse initializers"));
  CHECK(says(load_bytes(bytes_of(with_branch(doubled))), R"(two initializers are called "bias")"));
}

TEST_CASE("onnx: axes of scalars and extents beyond memory are refused") {
  parts p{{node("Slice", {"x", "start", "end"}, {"y"})},
          {longs("start", {1}, {0}), longs("end", {1}, {1})},
          {declaration("x", of_float, {})},
          y_alone};
  CHECK(says(load_bytes(bytes_of(model(p))), "axis: got 0, expected one of 0"));
  p = {{node("Reshape", {"x", "to"}, {"y"})}, {longs("to", {2}, {INT64_MAX, 15})}, x_and_y, y_alone};
  CHECK(says(load_bytes(bytes_of(model(p))), "Reshape (opset 13)"));
  p.initializers[0] = longs("to", {9}, {0, 0, 1, 1, 1, 1, 1, 1, 1});
  CHECK(says(load_bytes(bytes_of(model(p))), "Reshape (opset 13)"));
}

TEST_CASE("onnx: attributes that contradict operands or have no such value are refused") {
  const auto refused = [](const message& n, const std::string& words) {
    const parts p{{n},
                  {floats("w", {1, 1, 2, 2}, {1, 1, 1, 1}), longs("two", {2}, {1, 3}), longs("one", {1}, {3})},
                  {declaration("x", of_float, {1, 1, 4, 4})},
                  {declaration("y", of_float, {-1})}};
    says(load_bytes(bytes_of(model(p, 13))), words);
  };
  using list = std::vector<std::int64_t>;
  refused(node("Split", {"x", "two"}, {"y"}, {attribute("axis", std::int64_t{2})}), "split: got 2 sizes, expected 1");
  refused(node("Split", {"x", "one"}, {"y"}, {attribute("axis", std::int64_t{2})}), "split");
  refused(node("Conv", {"x", "w"}, {"y"}, {text_attribute("auto_pad", "SAME")}), R"(auto_pad: got "SAME")");
  refused(node("ConvTranspose", {"x", "w"}, {"y"},
               {text_attribute("auto_pad", "SAME"), attribute("output_shape", list{8, 8})}),
          R"(auto_pad: got "SAME")");
  for (const std::int64_t type : {of_bfloat16, of_int4}) {
    refused(node("Cast", {"x"}, {"y"}, {attribute("to", type)}), "to: got ");
    refused(node("EyeLike", {"x"}, {"y"}, {attribute("dtype", type)}), "dtype: got ");
    refused(node("HannWindow", {"one"}, {"y"}, {attribute("output_datatype", type)}), "output_datatype: got ");
  }
}

TEST_CASE("onnx: an axis that is listed twice is refused, also of tensors without elements") {
  const auto refused = [](const message& n, const std::vector<std::int64_t>& shape, const std::string& words) {
    // an extent of 0 of an input would be unknown
    const std::vector<float> elements(static_cast<std::size_t>(shape[0]), 1);
    const parts p{{n},
                  {floats("x", shape, elements), longs("twice", {2}, {1, -1}), longs("new", {2}, {0, 0}),
                   longs("zero", {2}, {0, 0}), longs("one", {2}, {1, 1}), longs("none", {1}, {0}),
                   longs("four", {4}, {1, 1, 1, 1})},
                  {declaration("input", of_float, {1})},
                  {declaration("y", of_float, {-1})}};
    says(load_bytes(bytes_of(model(p, 18))), words);
  };
  const std::vector<std::int64_t> whole{2, 1}, empty{0, 1};
  for (const std::vector<std::int64_t>& shape : {whole, empty}) {
    refused(node("Slice", {"x", "zero", "one", "twice"}, {"y"}), shape, "axes: got 1 twice");
    refused(node("Pad", {"x", "four", "", "twice"}, {"y"}), shape, "axes: got 1 twice");
    refused(node("Squeeze", {"x", "twice"}, {"y"}), shape, "axes: got 1 twice");
    refused(node("Unsqueeze", {"x", "new"}, {"y"}), shape, "axes: got 0 twice");
    refused(node("ReduceSum", {"x", "twice"}, {"y"}), shape, "axes: got 1 twice");
    refused(node("Squeeze", {"x", "none"}, {"y"}), shape, "expected an extent of 1");
  }
}

TEST_CASE("onnx: integers that are read as reals and are no float64 are refused, the largest and the least are not") {
  const auto clipped = [](std::int64_t most) {
    return model({{node("Clip", {"x", "", "most"}, {"y"})},
                  {longs("most", {}, {most})},
                  {declaration("x", of_int64, {2})},
                  {declaration("y", of_int64, {2})}});
  };
  CHECK(says(load_bytes(bytes_of(clipped((std::int64_t{1} << 53) + 1))), "integers above 2^53 that no float64 holds"));
  const tensor numbers = tensor_like<std::int64_t>("i64", {2}, {INT64_MAX, 5});
  for (const std::int64_t most : {INT64_MAX, INT64_MIN, std::int64_t{1} << 53}) {
    const outcome made = run_bytes(bytes_of(clipped(most)), {numbers});
    CHECK(result(made)[0] == static_cast<double>(most));
  }
}

TEST_CASE("onnx: every prefix and every changed byte of a file is read or refused with a reason") {
  const message yes =
      graph({{node("Add", {"x", "one"}, {"z"})}, {floats("one", {}, {1})}, {}, {declaration("z", of_float, {2, 2})}});
  const std::string files[] = {
      with_bias(floats("bias", {2}, {1, 1})),
      model({{node("Conv", {"x", "w"}, {"c"}, {attribute("pads", {1, 1, 1, 1}), attribute("group", std::int64_t{1})}),
              node("Relu", {"c"}, {"y"})},
             {floats("w", {1, 1, 3, 3}, std::vector<float>(9, 1))},
             {declaration("x", of_float, {1, 1, 4, 4})},
             {declaration("y", of_float, {1, 1, 4, 4})}}),
      model({{node("If", {"is"}, {"y"}, {graph_attribute("then_branch", yes), graph_attribute("else_branch", yes)})},
             {tensor_of("is", of_boolean, {}, "\1")},
             x_and_y,
             y_alone}),
  };
  for (const std::string& file : files) {
    for (std::size_t size = 0; size < file.size(); ++size) (void)load_bytes(bytes_of(file.substr(0, size)));
    for (std::size_t i = 0; i < file.size(); ++i)
      for (const int change : {1, 0x80, 0xff}) {
        std::string changed = file;
        changed[i] = static_cast<char>(changed[i] ^ change);
        (void)load_bytes(bytes_of(changed));
      }
  }
}
