// A model file that the compiler reads by itself, with #embed: no literal, no second build step.
#include <nnrt/model.hpp>

#include <cstdio>

NNRT_MODEL_BYTES("hybrid.tflite") = {
#embed "hybrid.tflite"
};
NNRT_MODEL(hybrid, "hybrid.tflite");
using net = nnrt::graph<hybrid>;

// y = relu(w x + b); the rows of w are -5 … -2, -1 … 2 and 3 … 6, times 1/2, 1/4 and 1/8; b is 1, 0, -1.
static_assert(net::inputs[0].desc.shape == nnrt::shape_t{1, 4} && net::outputs[0].desc.shape == nnrt::shape_t{1, 3});
static_assert(nnrt::evaluate<net>(std::array<float, 4>{0, 0, 0, 1}) == std::array<float, 3>{0, 0.5F, 0});

int main() {
  auto run = nnrt::executor<net>::create();
  if (!run) return std::puts(run.error().message().c_str()), 1;
  const auto y = (*run)(std::array<float, 4>{0, 0, 0, 1});
  std::printf("%g %g %g\n", y[0], y[1], y[2]);
}
