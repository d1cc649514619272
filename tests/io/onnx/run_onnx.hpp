// run_onnx: loads an .onnx file, runs it on tensors, and returns what comes out, without the headers of the library.
// Flow: tests call it; run_onnx.cpp is the one unit that compiles every operator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace onnx_test {

/// A tensor of a file: TensorProto or .npy. `bytes` are its elements, little-endian.
struct tensor {
  std::string name, type;  // type as nnrt calls it: f32, i64, …
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
  /// The elements as numbers.
  std::vector<double> numbers() const;
};

/// What loading or running gave. `error` is empty when all went well.
struct outcome {
  std::string error;
  std::vector<std::string> nodes;  // names of operators, as read
  std::vector<std::string> steps;  // operators that run, after the passes; empty while extents are unknown
  std::vector<tensor> inputs, outputs;
  std::size_t weights = 0;  // of the graph, as read
};

struct options {
  std::vector<tensor> shapes;     // name and shape
  std::vector<tensor> constants;  // inputs that become constants
  bool exact = false;
};

std::vector<std::byte> read_file(const std::string& path);
/// Reads a TensorProto; `type` is empty when it is none that nnrt has.
tensor read_proto(const std::string& path);
tensor read_npy(const std::string& path);

/// The names of the inputs of a file's graph, initializers included.
std::vector<std::string> input_names(const std::string& path);

/// The names of the operators of com.microsoft that are read.
std::vector<std::string> microsoft_operators();

outcome load_path(const std::string& path, const options& given = {});
outcome load_bytes(std::span<const std::byte> file, const options& given = {});
/// Loads, compiles and runs. `inputs` are those of the network, in order; their shapes are set where the file leaves
/// extents open.
outcome run_path(const std::string& path, const std::vector<tensor>& inputs, const options& given = {});
outcome run_bytes(std::span<const std::byte> file, const std::vector<tensor>& inputs, const options& given = {});

}  // namespace onnx_test
