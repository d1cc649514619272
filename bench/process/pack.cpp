// pack: MobileNetV2's weights as its kernels read them, for process/nnrt.cpp to hold.
// Flow: bench/CMakeLists.txt runs it before it builds that program. usage: bench_pack WEIGHTS.safetensors PACKED
#include "networks/mobilenet_v2.hpp"

#include <nnrt/exec/stored_weights.hpp>
#include <nnrt/io/write_file.hpp>

#include <cstdio>

namespace {

nnrt::result<void> pack(const char* from, const char* to) {
  auto weights = nnrt::weights::open(from);
  if (!weights) return nnrt::fail(std::move(weights.error()));
  auto run = nnrt::executor<nnrt::graph<networks::mobilenet_v2>>::create(*weights);
  if (!run) return nnrt::fail(std::move(run.error()));
  auto bytes = nnrt::store_weights(*run);
  if (!bytes) return nnrt::fail(std::move(bytes.error()));
  return nnrt::write_file(to, *bytes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto done = pack(argv[1], argv[2]);
  if (!done) std::fprintf(stderr, "%s\n", std::string(done.error().message()).c_str());
  return done ? 0 : 1;
}
