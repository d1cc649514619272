// models: .onnx files that others trained and exported give the outputs that ONNX Runtime gave.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "run_onnx.hpp"

namespace {

using namespace onnx_test;

/// The folder with the models: the environment's, else the build's.
std::string folder() {
  const char* const chosen = std::getenv("NNRT_MODELS_DIR");
#ifdef NNRT_MODELS_DIR
  return std::string(chosen != nullptr ? chosen : NNRT_MODELS_DIR) + "/onnx/";
#else
  return chosen != nullptr ? std::string(chosen) + "/onnx/" : std::string();
#endif
}

/// The tensors of one run: set0_input_0.npy, set0_input_1.npy, …
std::vector<tensor> tensors_of(const std::string& model, int set, const std::string& kind) {
  std::vector<tensor> made;
  for (int i = 0;; ++i) {
    const std::string path = model + "/set" + std::to_string(set) + "_" + kind + "_" + std::to_string(i) + ".npy";
    if (!std::filesystem::exists(path)) return made;
    made.push_back(read_npy(path));
  }
}

/// The largest difference of two outputs, divided by the largest number of the expected one.
double difference(const tensor& got, const tensor& expected) {
  const std::vector<double> a = got.numbers(), b = expected.numbers();
  if (got.type != expected.type || got.shape != expected.shape || a.size() != b.size()) return INFINITY;
  double largest = 0, worst = 0;
  for (const double number : b) largest = std::max(largest, std::fabs(number));
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::isfinite(a[i]) ? std::max(worst, std::fabs(a[i] - b[i])) : INFINITY;
  return largest == 0 ? worst : worst / largest;
}

void check(const std::string& model, const outcome& made, const std::vector<tensor>& expected, double tolerance) {
  CAPTURE(model);
  REQUIRE(made.error == "");
  REQUIRE(made.outputs.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(difference(made.outputs[i], expected[i]) <= tolerance);
  }
}

std::size_t count(const std::vector<std::string>& nodes, const std::string& name) {
  return static_cast<std::size_t>(std::count(nodes.begin(), nodes.end(), name));
}

/// A model, how many transposes of activations remain in it, and how many nodes of an operator that the passes find or
/// replace.
struct model {
  const char* name;
  std::size_t transposes;
  double tolerance = 1e-4;
  const char* found = "layer_norm";
  std::size_t count = 0;
};

}  // namespace

TEST_CASE("models of others give the outputs that ONNX Runtime gave, with known and with unknown extents") {
  if (folder().empty() || !std::filesystem::exists(folder())) {
    MESSAGE("skipped: no folder with models (NNRT_MODELS_DIR)");
    return;
  }
  // kws_qdq gives multiples of 1/256: one step of its output's scale. Its two means over windows are rounded as
  // written.
  const model models[] = {{"autoencoder_1d", 6},
                          {"cct", 18, 1e-4, "layer_norm", 5},
                          {"dtln", 4},
                          {"espcn_resize", 2},
                          {"kws_qdq", 1, 1.0 / 250, "round", 2},
                          {"mlp", 0},
                          {"mnist_cntk", 0},
                          {"mnist_torch2", 0},
                          {"super_resolution", 2},
                          {"tiny_transformer", 8, 1e-4, "layer_norm", 4},
                          {"trees", 0},
                          {"yunet", 1}};
  for (const model& m : models) {
    const std::string path = folder() + m.name;
    REQUIRE_MESSAGE(std::filesystem::exists(path), path);
    for (int set = 0; set < 2; ++set) {
      const std::vector<tensor> inputs = tensors_of(path, set, "input"), expected = tensors_of(path, set, "output");
      if (inputs.empty()) continue;  // super_resolution has one set
      check(m.name, run_path(path + "/model.onnx", inputs), expected, m.tolerance);
      options fixed;
      const std::vector<std::string> names = input_names(path + "/model.onnx");
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        fixed.shapes.push_back(inputs[i]);
        fixed.shapes[i].name = names[i];
      }
      const outcome made = run_path(path + "/model.onnx", inputs, fixed);
      check(m.name, made, expected, m.tolerance);
      CAPTURE(m.name);
      CHECK(count(made.steps, "transpose") <= m.transposes);
      CHECK(count(made.steps, m.found) == m.count);
    }
  }
}
