// runner: interface of what runs one network in the benches - nnrt or a peer, and the list of peers.
// Flow: each file of bench/peers registers itself; measured.hpp times a runner, cold.cpp starts a process with one.
#pragma once

#include "support/description.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace bench {

/// A network made ready by one library for a number of threads.
class runner {
 public:
  virtual ~runner() = default;
  /// Elements in the description's order. Not timed.
  virtual void set_input(std::size_t i, const std::byte* elements) = 0;
  virtual void run() = 0;
  /// `times` runs, for the clock: networks of some nanoseconds have no call between them.
  virtual void run_many(std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) run();
  }
  /// Elements of output i after a run, in the description's order. Not timed.
  virtual void get_output(std::size_t i, std::byte* elements) = 0;
};

/// A library that nnrt is compared with.
struct peer {
  std::string name;   // "xnnpack": also that of its source file
  std::string title;  // "XNNPACK 20241108"
  /// Throws cannot_run.
  std::unique_ptr<runner> (*make)(const description& network, int threads);
};

/// Those that this program is linked with, in order of their names.
inline std::vector<peer>& peers() {
  static std::vector<peer> all;
  return all;
}

struct registered_peer {
  registered_peer(std::string name, std::string title, std::unique_ptr<runner> (*make)(const description&, int)) {
    peers().push_back({std::move(name), std::move(title), make});
    std::sort(peers().begin(), peers().end(), [](const peer& a, const peer& b) { return a.name < b.name; });
  }
};

}  // namespace bench
