// workload: what the benches time - a network in floats and in quantised values, with the executors that the compiler
// planned.
// Flow: each header of bench/workloads becomes a source that registers one (static_runner.hpp); prepared.hpp fills it
// with numbers.
#pragma once

#include "support/runner.hpp"

#include <nnrt/io/weights.hpp>
#include <nnrt/ir/graph.hpp>

#include <memory>
#include <string>
#include <vector>

namespace bench {

/// A network as the compiler planned it.
struct static_network {
  nnrt::ir::graph (*written)() = nullptr;
  std::unique_ptr<runner> (*make)(const nnrt::weights& file, int threads) = nullptr;
  bool is_micro = false;  // unrolled: never uses more than one thread
};

struct workload {
  std::string key;    // the name of its header: "mobilenet_v2"
  std::string group;  // "network" or "layer"
  std::string name;   // "MobileNetV2 1.0, 224x224"
  static_network floats;
  static_network bytes;  // without one the network of floats is quantised and run by a session
};

inline std::vector<workload>& workloads() {
  static std::vector<workload> all;
  return all;
}

}  // namespace bench
