// control_test: If, Loop and Scan of .onnx files whose branches or inputs do not fit together are refused.
#include <doctest/doctest.h>

#include <string>

#include "outcomes.hpp"
#include "support/onnx_writer.hpp"

namespace {

using namespace onnx_test;

/// y = is ? x : relu(z), with a condition that only a run knows.
std::string chosen(const std::vector<std::int64_t>& of_x, const std::vector<std::int64_t>& of_z, int type_of_z,
                   const std::vector<std::int64_t>& of_condition = {}) {
  const message yes = graph({{node("Identity", {"x"}, {"a"})}, {}, {}, {declaration("a", of_float, of_x)}}),
                no = graph({{node("Neg", {"z"}, {"b"})}, {}, {}, {declaration("b", type_of_z, of_z)}});
  return model({{node("If", {"is"}, {"y"}, {graph_attribute("then_branch", yes), graph_attribute("else_branch", no)})},
                {},
                {declaration("is", of_boolean, of_condition), declaration("x", of_float, of_x),
                 declaration("z", type_of_z, of_z)},
                {declaration("y", of_float, of_x)}});
}
tensor truth(bool is) { return tensor_like<char>("boolean", {}, {is ? '\1' : '\0'}); }
tensor ones(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return numbers_of(shape, std::vector<float>(count, 1));
}

}  // namespace

TEST_CASE("onnx: branches of an If that a run chooses have one type and shape") {
  const std::string known = chosen({2, 2}, {2, 2}, of_float);
  CHECK(result(run_bytes(bytes_of(known), {truth(true), ones({2, 2}), ones({2, 2})})) ==
        std::vector<double>{1, 1, 1, 1});
  CHECK(result(run_bytes(bytes_of(known), {truth(false), ones({2, 2}), ones({2, 2})})) ==
        std::vector<double>{-1, -1, -1, -1});
  CHECK(says(
      load_bytes(bytes_of(chosen({2, 2}, {2, 1}, of_float))),
      "output 0: got f32 [2, 2] and f32 [2, 1] by a condition that only a run knows; expected one type and shape"));
  CHECK(says(load_bytes(bytes_of(chosen({2, 2}, {2, 2}, of_int32))), "output 0: got f32 [2, 2] and i32 [2, 2] by"));
  CHECK(says(load_bytes(bytes_of(chosen({2, -1}, {3, -1}, of_float))), "output 0: got f32 [2, ?] and f32 [3, ?] by"));
}

TEST_CASE("onnx: the condition of an If is one element, whatever its rank") {
  const std::string file = chosen({}, {}, of_float, {1, 1});
  tensor is = truth(false);
  is.shape = {1, 1};
  const outcome made = run_bytes(bytes_of(file), {is, ones({}), ones({})});
  CHECK(result(made) == std::vector<double>{-1});
  CHECK(made.outputs[0].shape.empty());
  CHECK(says(load_bytes(bytes_of(chosen({2}, {2}, of_float, {2}))), "condition: got [2], expected one element"));
}

TEST_CASE("onnx: extents of branches that are unknown in the file are compared when they are known") {
  for (const std::string& file : {chosen({-1, -1}, {-1, -1}, of_float), chosen({-1, 2}, {-1, -1}, of_float)}) {
    CHECK(result(run_bytes(bytes_of(file), {truth(false), ones({1, 2}), ones({1, 2})})) == std::vector<double>{-1, -1});
    // neither repeated along an axis nor laid out anew
    for (const std::vector<std::int64_t>& other : {std::vector<std::int64_t>{3, 2}, {1, 1}, {2, 1}}) {
      const outcome made = run_bytes(bytes_of(file), {truth(false), ones({1, 2}), ones(other)});
      CAPTURE(other[0]);
      says(made, R"(gather "y": indices must lie in the axis)");
    }
  }
}

TEST_CASE("onnx: scan inputs have equally many steps") {
  const message body = graph({{node("Add", {"a", "b"}, {"sum"})},
                              {},
                              {declaration("a", of_float, {2}), declaration("b", of_float, {2})},
                              {declaration("sum", of_float, {2})}});
  const auto scan = [&](const std::vector<std::int64_t>& of_x, const std::vector<std::int64_t>& of_z,
                        const std::vector<std::int64_t>& axes) {
    return model({{node("Scan", {"x", "z"}, {"y"},
                        {graph_attribute("body", body), attribute("num_scan_inputs", std::int64_t{2}),
                         attribute("scan_input_axes", axes)})},
                  {},
                  {declaration("x", of_float, of_x), declaration("z", of_float, of_z)},
                  {declaration("y", of_float, {3, 2})}});
  };
  CHECK(result(run_bytes(bytes_of(scan({3, 2}, {2, 3}, {0, 1})), {ones({3, 2}), ones({2, 3})})) ==
        std::vector<double>(6, 2.0));
  CHECK(says(load_bytes(bytes_of(scan({4, 2}, {3, 2}, {0, 0}))),
             "input 1: got 3 steps in [3, 2] along axis 0, expected 4 as in the first scan input"));
  CHECK(says(load_bytes(bytes_of(scan({3, 2}, {2, 4}, {0, -1}))), "input 1: got 4 steps in [2, 4] along axis 1"));
}

TEST_CASE("onnx: results of the rounds of a Loop that are stacked have one shape") {
  const message body = graph({{node("Identity", {"goes_on"}, {"still"}),
                               node("Concat", {"carried", "x"}, {"next"}, {attribute("axis", std::int64_t{0})}),
                               node("Identity", {"next"}, {"scanned"})},
                              {},
                              {declaration("round", of_int64, {}), declaration("goes_on", of_boolean, {}),
                               declaration("carried", of_float, {-1})},
                              {declaration("still", of_boolean, {}), declaration("next", of_float, {-1}),
                               declaration("scanned", of_float, {-1})}});
  parts p{{node("Loop", {"count", "", "x"}, {"y"}, {graph_attribute("body", body)})},
          {longs("count", {}, {2})},
          {declaration("x", of_float, {1})},
          {declaration("y", of_float, {3})}};
  CHECK(result(run_bytes(bytes_of(model(p)), {ones({1})})) == std::vector<double>{1, 1, 1});
  p.nodes = {node("Loop", {"count", "", "x"}, {"y", "all"}, {graph_attribute("body", body)})};
  p.outputs.push_back(declaration("all", of_float, {2, -1}));
  CHECK(says(load_bytes(bytes_of(model(p))), "stack"));
}
