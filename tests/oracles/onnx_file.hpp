// onnx_file: models and tensors of ONNX files as plain data.
// Flow: onnx_file.cpp, the only unit that knows protobuf, reads them; onnx_import turns them into networks.
#pragma once

#include <nnrt/core/desc.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt_test::onnx_file {

using namespace nnrt;

/// A tensor with its elements; dtype::none: of a type that nnrt has not (strings, bfloat16, complex numbers).
struct stored_tensor {
  std::string name;
  tensor_desc desc;
  std::vector<std::byte> bytes;
};

/// An attribute of a node; of its members the one of its type is set.
struct attribute {
  std::int64_t integer = 0;
  float real = 0;
  std::string text;
  std::vector<std::int64_t> integers;
  std::vector<float> reals;
  stored_tensor value;
};

struct node {
  std::string type;
  std::vector<std::string> inputs, outputs;  // an empty name: not given
  std::map<std::string, attribute, std::less<>> attributes;
};

struct model {
  std::int64_t opset = 0;
  std::vector<node> nodes;
  std::vector<stored_tensor> initializers;
  std::vector<std::string> inputs, outputs;  // inputs without those that have an initializer
  std::map<std::string, dtype> declared;     // of inputs and outputs; files of some tests hold stand-ins for bfloat16
};

/// One run of a model: what goes in and what must come out, in the model's order.
struct data_set {
  std::vector<stored_tensor> inputs, outputs;
};

/// Both throw std::runtime_error when a file is missing or is not what its name says.
model read_model(const std::filesystem::path& file);
/// Every test_data_set_* of a folder.
std::vector<data_set> read_data_sets(const std::filesystem::path& folder);

}  // namespace nnrt_test::onnx_file
