// report: the network's table, its memory, the program's size and the time of an inference.
// Flow: main.cpp prints these after the digits; every number is taken from graph<f> or measured here.
#pragma once

#include "digits.hpp"
#include "held_out.hpp"

#include <sys/stat.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace example {

/// 15338 as "15,338".
inline std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

/// One line for each node: its result, attributes, cost and device, and the place of its result.
inline void print_table() {
  constexpr const char* line = "  %-22s %-20s %10s %10s  %-16s %12s\n";
  std::printf(line, "node", "output", "parameters", "MACs", "kernel", "arena offset");
  for (const nnrt::node_info& node : net::table()) {
    std::string title(node.op);
    if (!node.name.empty()) (title += ' ').append(node.name);
    const std::string kernel(node.kernel.empty() ? "none" : node.kernel);  // a reshape: the bytes are there already
    std::printf(line, title.c_str(), nnrt::ir::to_string(node.output).c_str(), grouped(node.parameters).c_str(),
                grouped(node.macs).c_str(), kernel.c_str(),
                node.arena_offset < 0 ? "-" : grouped(node.arena_offset).c_str());
  }
  std::printf(line, "all", "", grouped(net::parameters).c_str(), grouped(net::macs).c_str(), "", "");
}

inline void print_sizes(std::size_t embedded_bytes) {
  std::printf("arena      %s bytes; the lower bound of any layout is %s\n", grouped(net::arena_bytes).c_str(),
              grouped(net::arena_lower_bound).c_str());
  struct stat self {};
  if (stat("/proc/self/exe", &self) == 0)
    std::printf("program    %s bytes on disk, of which weights and held-out digits are %s\n",
                grouped(self.st_size).c_str(), grouped(static_cast<std::int64_t>(embedded_bytes)).c_str());
}

/// Times single inferences until there are enough of them, or half a second has passed.
template <class Executor> void print_time(Executor& run, const held_out& digits, int threads) {
  using clock = std::chrono::steady_clock;
  using microseconds = std::chrono::duration<double, std::micro>;
  constexpr std::size_t enough = 5000;
  std::vector<double> times;
  times.reserve(enough);
  const auto until = clock::now() + std::chrono::milliseconds(500);
  while (times.size() < enough && clock::now() < until) {
    const std::array<float, pixels> image = digits.image(times.size() % digits.size());
    const auto start = clock::now();
    run(image);
    times.push_back(microseconds(clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](std::size_t percent) { return times[(times.size() - 1) * percent / 100]; };
  std::printf("inference  %.1f microseconds: the median of %s runs (5 %% to 95 %%: %.1f to %.1f), %d thread%s, %s\n",
              at(50), grouped(static_cast<std::int64_t>(times.size())).c_str(), at(5), at(95), threads,
              threads == 1 ? "" : "s", nnrt::isa);
}

}  // namespace example
