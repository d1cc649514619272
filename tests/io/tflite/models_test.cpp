// models: networks that others trained and converted give the bytes that TensorFlow Lite's reference kernels gave.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "../../../examples/digits/held_out.hpp"
#include "run_file.hpp"

namespace {

using namespace tflite_test;

/// The folder with the models: the environment's, else the build's.
std::string folder() {
  const char* const chosen = std::getenv("NNRT_MODELS_DIR");
#ifdef NNRT_MODELS_DIR
  return chosen != nullptr ? chosen : NNRT_MODELS_DIR;
#else
  return chosen != nullptr ? chosen : "";
#endif
}

std::vector<char> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A raw tensor of f32 or of i8.
std::vector<double> numbers(const std::string& path, bool is_float);
/// One of 16 bits.
std::vector<double> shorts(const std::string& path) {
  const std::vector<char> bytes = read(path);
  std::vector<double> list;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    std::int16_t number = 0;
    std::memcpy(&number, bytes.data() + at, 2);
    list.push_back(static_cast<double>(number));
  }
  return list;
}
std::vector<double> numbers(const std::string& path, bool is_float) {
  const std::vector<char> bytes = read(path);
  std::vector<double> list;
  for (std::size_t at = 0; at < bytes.size(); at += is_float ? 4 : 1) {
    float real = static_cast<float>(static_cast<signed char>(bytes[at]));
    if (is_float) std::memcpy(&real, bytes.data() + at, 4);
    list.push_back(static_cast<double>(real));
  }
  return list;
}

struct model {
  const char* folder;
  const char* name;
  bool is_float;
  std::vector<const char*> cases;  // pairs of files: <case>.input.i8, <case>.output.i8
};

const model models[] = {
    {"image_classification", "resnet8_float", true, {"0", "1", "2"}},
    {"image_classification", "resnet8_int8", false, {"0", "1", "2"}},
    {"keyword_spotting", "dscnn_float", true, {"0", "1", "2"}},  // weights of 8 bits
    {"keyword_spotting", "dscnn_int8", false, {"0", "1", "2"}},
    {"visual_wake_words", "mobilenet_float", true, {"0", "1", "2"}},
    {"visual_wake_words", "mobilenet_int8", false, {"0", "1", "2"}},
    {"person_detect", "person_detect", false, {"person", "no_person"}},  // an axis of another tensor on its biases
    {"speech", "speech_commands_int8", false, {"0", "1"}},
};

/// Floats may differ in their last bits, bytes may not differ.
void check(const std::vector<double>& got, const std::vector<double>& expected, bool is_float) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::abs(got[i] - expected[i]) <= (is_float ? 1e-5 : 0));
}

bool are_there() {
  if (!folder().empty() && std::filesystem::is_directory(folder())) return true;
  std::printf("skipped: no models in \"%s\" (NNRT_MODELS_DIR)\n", folder().c_str());
  return false;
}

TEST_CASE("tflite: real networks give what TensorFlow Lite gave, floats within 1e-5, bytes exactly") {
  if (!are_there()) return;
  for (const model& m : models) {
    const std::string place = folder() + "/" + m.folder + "/", suffix = m.is_float ? ".f32" : ".i8";
    for (const char* name : m.cases) {
      CAPTURE(m.name);
      CAPTURE(name);
      const auto x = numbers(place + name + ".input" + suffix, m.is_float);
      const outcome got = run_path(place + m.name + ".tflite", {x});
      REQUIRE(got.error == "");
      check(got.outputs[0].numbers, numbers(place + name + ".output" + suffix, m.is_float), m.is_float);
    }
  }
}

TEST_CASE("tflite: networks whose files leave the batch open give the same for several inputs at once") {
  if (!are_there()) return;
  for (const model& m : models) {
    const std::string place = folder() + "/" + m.folder + "/", suffix = m.is_float ? ".f32" : ".i8";
    const std::vector<char> letters = read(place + m.name + ".tflite");
    const auto file = std::as_bytes(std::span(letters));
    std::vector<std::int64_t> shape = load_file(file, true).inputs[0].shape;
    if (shape[0] != -1) continue;
    CAPTURE(m.name);
    std::vector<double> x, y;
    for (const char* name : m.cases) {
      const auto in = numbers(place + name + ".input" + suffix, m.is_float);
      const auto out = numbers(place + name + ".output" + suffix, m.is_float);
      x.insert(x.end(), in.begin(), in.end()), y.insert(y.end(), out.begin(), out.end());
    }
    shape[0] = static_cast<std::int64_t>(m.cases.size());
    const outcome got = run_resized(file, {shape}, {x});
    REQUIRE(got.error == "");
    check(got.outputs[0].numbers, y, m.is_float);
  }
}

TEST_CASE("tflite: the sine network gives what TensorFlow Lite gave, for each of ten numbers") {
  if (!are_there()) return;
  for (const bool is_float : {true, false}) {
    const std::string place = folder() + "/sine/", suffix = is_float ? ".f32" : ".i8";
    const auto x = numbers(place + "inputs" + suffix, is_float), y = numbers(place + "outputs" + suffix, is_float);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const outcome got = run_path(place + (is_float ? "sine_float" : "sine_int8") + ".tflite", {{x[i]}});
      REQUIRE(got.error == "");
      check(got.outputs[0].numbers, {y[i]}, is_float);
    }
  }
}

TEST_CASE("tflite: the network of examples/model gives each byte that tools/make_digits_model.py --golden computed") {
  const std::string examples = NNRT_TEST_DATA "/../../examples/";
  const auto file = nnrt::weights::open(examples + "digits/held_out.safetensors");
  const auto computed = nnrt::weights::open(NNRT_TEST_DATA "/digits_int8_golden.safetensors");
  REQUIRE(file);
  REQUIRE(computed);
  const auto digits = example::held_out::of(*file);
  const auto* const golden = computed->find("probability");
  REQUIRE(digits);
  REQUIRE(golden != nullptr);
  REQUIRE(golden->type == nnrt::i8);
  REQUIRE(golden->shape == nnrt::shape_t{360, 10});

  std::vector<std::vector<double>> images(digits->size());
  for (std::size_t i = 0; i < images.size(); ++i)
    for (std::size_t at = 0; at < example::pixels; ++at)
      images[i].push_back((255 * digits->pixel(i, at / example::side, at % example::side) + 8) / 16 - 128);
  const outcome got = run_each(examples + "model/digits_int8.tflite", images);
  REQUIRE(got.error == "");
  CHECK(got.nodes.size() == 8);
  CHECK(got.inputs[0].name == "image");
  CHECK(got.outputs[0].name == "probability");
  REQUIRE(got.outputs[0].numbers.size() == 3600);
  int differing = 0;
  for (std::size_t i = 0; i < 3600; ++i)
    differing += got.outputs[0].numbers[i] != static_cast<double>(static_cast<signed char>(golden->bytes[i])) ? 1 : 0;
  CHECK(differing == 0);
}

TEST_CASE("tflite: a file that is not there is said to be missing, with its name") {
  CHECK(run_path("/no/such/model.tflite", {}).error == "/no/such/model.tflite: cannot open: No such file or directory");
}

/// A file with one recurrent operator: the element type of its inputs and outputs, and how many there are.
struct recurrent_file {
  const char* name;
  const char* type;
  int inputs = 1, outputs = 1;
};

TEST_CASE("tflite: recurrent operators give what TensorFlow Lite gave, floats within 1e-6, quantised values exactly") {
  const recurrent_file table[] = {{"lstm_f32_plain", "f32"},
                                  {"lstm_f32_time_major", "f32"},
                                  {"lstm_f32_cifg", "f32"},
                                  {"lstm_f32_peephole", "f32"},
                                  {"lstm_f32_projection", "f32"},
                                  {"lstm_f32_layer_norm", "f32"},
                                  {"lstm_f32_all", "f32"},
                                  {"lstm_hybrid", "f32"},
                                  {"lstm_i8", "i8"},
                                  {"lstm_i8_cifg", "i8"},
                                  {"lstm_i8_peephole", "i8"},
                                  {"lstm_i8_clip", "i8"},
                                  {"lstm_i8_projection", "i8"},
                                  {"lstm_i8_layer_norm", "i8"},
                                  {"lstm_16x8", "i16"},
                                  {"lstm_16x8_clip", "i16"},
                                  {"lstm_basic_f32", "f32", 3, 2},
                                  {"bilstm_f32", "f32"},
                                  {"birnn_f32", "f32", 1, 2},
                                  {"rnn_f32", "f32"},
                                  {"svdf_f32", "f32"},
                                  {"svdf_hybrid0", "f32"},
                                  {"svdf_hybrid1", "f32"},
                                  {"svdf_i16", "i8"}};
  const std::string place = folder() + "/audio/tflite/";
  if (!are_there() || !std::filesystem::is_directory(place)) return;
  for (const recurrent_file& f : table) {
    const std::string type = f.type;
    CAPTURE(f.name);
    const auto tensor = [&](const char* what, int i) {
      const std::string path = place + f.name + "." + what + std::to_string(i) + "." + type;
      return type == "i16" ? shorts(path) : numbers(path, type == "f32");
    };
    std::vector<std::vector<double>> inputs;
    for (int i = 0; i < f.inputs; ++i) inputs.push_back(tensor("input", i));
    const outcome got = run_path(place + f.name + ".tflite", inputs);
    REQUIRE(got.error == "");
    REQUIRE(got.outputs.size() == static_cast<std::size_t>(f.outputs));
    for (int i = 0; i < f.outputs; ++i) {
      const std::vector<double>&is = got.outputs[static_cast<std::size_t>(i)].numbers, should_be = tensor("output", i);
      REQUIRE(is.size() == should_be.size());
      for (std::size_t k = 0; k < is.size(); ++k) CHECK(std::abs(is[k] - should_be[k]) <= (type == "f32" ? 1e-6 : 0));
    }
  }
}

}  // namespace
