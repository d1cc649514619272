// outcomes: what tests of .onnx files ask of what run_onnx.hpp returns.
// Flow: tests make tensors with it and check results and the words of errors.
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "run_onnx.hpp"

namespace onnx_test {

template <class T>
tensor tensor_like(std::string type, const std::vector<std::int64_t>& shape, const std::vector<T>& elements) {
  tensor made{"", std::move(type), shape, {}};
  const auto bytes = std::as_bytes(std::span(elements));
  made.bytes.assign(bytes.begin(), bytes.end());
  return made;
}
inline tensor numbers_of(const std::vector<std::int64_t>& shape, const std::vector<float>& elements) {
  return tensor_like("f32", shape, elements);
}

inline std::vector<double> result(const outcome& made, std::size_t i = 0) {
  CHECK(made.error == "");
  CHECK(i < made.outputs.size());
  return i < made.outputs.size() ? made.outputs[i].numbers() : std::vector<double>();
}
inline bool says(const outcome& made, const std::string& words) {
  CAPTURE(made.error);
  const bool found = made.error.find(words) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace onnx_test
