// nnrt: one MobileNetV2 result from a fresh process, weights embedded.
// Flow: bench/process/measure.py starts it many times beside the peers' programs.
#include "networks/mobilenet_v2.hpp"
#include "process/said.hpp"

#include <nnrt/io/embed.hpp>

NNRT_EMBED(weights_file, "mobilenet_v2.safetensors");
NNRT_EMBED(input_file, "mobilenet_v2.input");

int main() {
  using net = nnrt::graph<networks::mobilenet_v2>;
  auto weights = nnrt::weights::parse(weights_file);
  if (!weights) return 1;
  auto run = nnrt::executor<net>::create(*weights);
  if (!run) return 1;
  const auto scores = (*run)(
      std::span<const float>(reinterpret_cast<const float*>(input_file.data()), input_file.size() / sizeof(float)));
  bench::say_result(scores.data(), scores.size());
}
