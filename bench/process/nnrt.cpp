// nnrt: one MobileNetV2 result from a fresh process, its weights embedded as the kernels read them.
// Flow: nnrt_embed_packed() in bench/CMakeLists.txt has them packed; bench/process/measure.py starts the program many
// times, in turn with the peers'.
#include "networks/mobilenet_v2.hpp"
#include "process/said.hpp"

#include <nnrt/exec/stored_weights.hpp>

NNRT_EMBED(packed_file, "mobilenet_v2.packed");
NNRT_EMBED(input_file, "mobilenet_v2.input");

int main() {
  auto run = nnrt::restore_executor<nnrt::executor<nnrt::graph<networks::mobilenet_v2>>>(packed_file);
  if (!run) return 1;
  const auto scores = (*run)(
      std::span<const float>(reinterpret_cast<const float*>(input_file.data()), input_file.size() / sizeof(float)));
  bench::say_result(scores.data(), scores.size());
}
