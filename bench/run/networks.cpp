// networks: whole networks through executor, each beside the machine's own peak.
// Flow: bench/run.sh runs it with repetitions and reads its JSON; profile.cpp says which of their steps lose what.
#include "networks/lenet.hpp"
#include "networks/micro_mlp.hpp"
#include "networks/mobilenet_v2.hpp"
#include "support/measured.hpp"

int main(int argc, char** argv) {
  bench::add_network<networks::mobilenet_v2>("network", "MobileNetV2 1.0, 224x224");
  bench::add_network<networks::lenet>("network", "LeNet-5, 28x28");
  bench::add_network<networks::micro_mlp>("network", "MLP 8-16-16-1");
  return bench::run_benchmarks(argc, argv);
}
