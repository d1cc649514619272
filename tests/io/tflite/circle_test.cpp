// circle_test: Circle files, of Samsung's ONE, have the tables of .tflite files and further operators.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "../../support/tflite_file.hpp"
#include "run_file.hpp"

namespace {

using namespace tflite_test;

constexpr int relu = 19, instance_norm = -2;

file circle(file f) {
  f.identifier = "CIR0", f.version = 0;
  return f;
}
file relu_of(int builtin = relu) {
  file f;
  f.tensors = {{float32, {2}, "x"}, {float32, {2}, "y"}};
  f.calls = {{builtin, {0}, {1}}};
  f.inputs = {0}, f.outputs = {1};
  return circle(f);
}

TEST_CASE("circle: a file of operators that .tflite files have, too, is read like one") {
  const outcome got = run_file(relu_of().bytes(), {{-1, 2}});
  REQUIRE(got.error == "");
  CHECK(got.outputs[0].numbers == std::vector<double>{0, 2});
}

/// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta of x of this shape.
file normalised(std::vector<std::int32_t> shape, std::vector<double> gamma, std::vector<double> beta, float epsilon,
                int fused = 0) {
  const auto list = [](const std::vector<double>& numbers, const char* name) {
    return tensor{float32, {static_cast<std::int32_t>(numbers.size())}, name, bytes_of<float>(numbers)};
  };
  file f;
  f.tensors = {{float32, shape, "x"}, list(gamma, "gamma"), list(beta, "beta"), {float32, shape, "y"}};
  f.calls = {{instance_norm, {0, 1, 2}, {3}, {254, {{0, epsilon}, {1, static_cast<std::int8_t>(fused)}}}}};
  f.inputs = {0}, f.outputs = {3};
  return circle(f);
}
/// The formula, of one channel whose numbers are these.
std::vector<double> formula(const std::vector<double>& x, double gamma, double beta, double epsilon) {
  double mean = 0, variance = 0;
  for (const double one : x) mean += one / static_cast<double>(x.size());
  for (const double one : x) variance += (one - mean) * (one - mean) / static_cast<double>(x.size());
  std::vector<double> y;
  for (const double one : x) y.push_back((one - mean) / std::sqrt(variance + epsilon) * gamma + beta);
  return y;
}

TEST_CASE("circle: INSTANCE_NORM of an image, whose channels come last") {
  const outcome got = run_file(normalised({1, 3, 1, 2}, {2, -0.5}, {1, 3}, 0.25F).bytes(), {{1, 10, 3, 30, 8, -20}});
  REQUIRE(got.error == "");
  const std::vector<double> first = formula({1, 3, 8}, 2, 1, 0.25), second = formula({10, 30, -20}, -0.5, 3, 0.25);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(got.outputs[0].numbers[2 * i] == doctest::Approx(first[i]));
    CHECK(got.outputs[0].numbers[2 * i + 1] == doctest::Approx(second[i]));
  }
}

TEST_CASE("circle: INSTANCE_NORM of [N, C, L], with one gamma for all channels and a fused activation") {
  const outcome got = run_file(normalised({1, 2, 3}, {2}, {0.5, 0.25}, 0.125F, 1).bytes(), {{1, 3, 8, 10, 30, -20}});
  REQUIRE(got.error == "");
  const std::vector<double> first = formula({1, 3, 8}, 2, 0.5, 0.125), second = formula({10, 30, -20}, 2, 0.25, 0.125);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(got.outputs[0].numbers[i] == doctest::Approx(std::max(first[i], 0.0)));
    CHECK(got.outputs[0].numbers[3 + i] == doctest::Approx(std::max(second[i], 0.0)));
  }
}

TEST_CASE("circle: what nnrt does not read is said by name") {
  struct row {
    const char* what;
    file made;
    const char* message;
  };
  file of_one = normalised({1, 3, 1, 2}, {2, 1}, {1, 3}, 0.25F), version = relu_of(), format = relu_of(),
       foreign = relu_of(), newer = of_one;
  of_one.tensors[0].shape = of_one.tensors[3].shape = {3, 2};
  version.version = 3;
  format.further = {{"SubGraph", 5}};
  foreign.identifier = "TFL3", foreign.version = 3, foreign.calls[0].builtin = instance_norm;
  newer.calls[0].version = 2;
  const row table[] = {
      {"weights in codebooks", relu_of(-3), "subgraph 0: operator 0 BCQ_FULLY_CONNECTED: nnrt has no such operator"},
      {"rows in codebooks", relu_of(-4), "subgraph 0: operator 0 BCQ_GATHER: nnrt has no such operator"},
      {"a recurrent layer", relu_of(-5), "subgraph 0: operator 0 GRU: nnrt has no such operator"},
      {"the last of these", relu_of(-6), "subgraph 0: operator 0 RMS_NORM: nnrt has no such operator"},
      {"a number that none has", relu_of(-7), "subgraph 0: operator 0 builtin operator -7: nnrt has no such operator"},
      {"in a .tflite file", foreign, "subgraph 0: operator 0 builtin operator -2: nnrt has no such operator"},
      {"another rank", of_one,
       "subgraph 0: operator 0 INSTANCE_NORM: input 0: got f32 [3, 2] that a run computes or is given, expected f32 of "
       "rank 3 or 4"},
      {"a newer version", newer, "subgraph 0: operator 0 INSTANCE_NORM: version 2; nnrt knows up to 1"},
      {"another version of the schema", version, "schema version: got 3, expected 0"},
      {"channels that come first", format, "subgraph 0: data format: got 1, expected 0 (channels last)"},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(load_file(r.made.bytes()).error == r.message);
  }
}

}  // namespace
