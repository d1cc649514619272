// main: prints what the network of its file computes.
#include <nnrt/model.hpp>

#include <cstdio>

extern "C" int plain();

NNRT_MODEL(network, "network.tflite");

int main() {
  nnrt::executor<nnrt::graph<network>> run;
  for (const float y : run(std::array<float, 4>{0, 0, 0, 1})) std::printf("%g ", static_cast<double>(y));
  return plain();
}
