// of_onnx: prints what the network of an .onnx file computes for an image.
#include <nnrt/model.hpp>

#include <cstdio>

NNRT_MODEL(image, "image.onnx", {.shapes = {{"x", {1, 1, 4, 4}}}});

int main() {
  std::array<float, 16> x{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 29 % 64) / 32 - 1;
  nnrt::executor<nnrt::graph<image>> run;
  for (const float y : run(x)) std::printf("%g ", static_cast<double>(y));
}
