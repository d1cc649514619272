// small_network: networks that fuzzers may run, since they are over in a moment, and running them.
// Flow: fuzzers of formats that hold networks.
#pragma once

#include "require.hpp"

#include <nnrt/dynamic.hpp>

#include <cstdint>

namespace nnrt_fuzz {

/// Bytes of all values; more than `most` counts as most + 1.
inline std::int64_t bytes_of(const nnrt::ir::graph& g, std::int64_t most) {
  std::int64_t sum = 0;
  for (const nnrt::ir::value& v : g.values) {
    const std::int64_t bytes = v.desc.bytes();
    if (bytes < 0 || bytes > most - sum) return most + 1;
    sum += bytes;
  }
  return sum;
}

/// Whether it is over in a moment: references step through windows pixel by pixel, however large these are.
inline bool is_small(const nnrt::ir::graph& g) {
  constexpr std::int64_t most = 1 << 16;
  if (g.values.size() > 200 || bytes_of(g, most) > most) return false;
  for (const nnrt::word w : g.words)
    if (w > most || w < -most) return false;
  for (const nnrt::ir::node& n : g.nodes) {
    const nnrt::ir::operand_list in(g, g.inputs_of(n));
    nnrt::pool<nnrt::tensor_desc> out;
    for (const std::int32_t id : g.outputs_of(n)) out.push_back(g.at(id).desc);
    if (n.op->macs(g.attrs_of(n), in.operands, out) > most * 16) return false;
  }
  return true;
}

inline void run(const nnrt::model& network) {
  const auto compiled = nnrt::compile(network);
  if (!compiled) return require(!compiled.error().message().empty());
  nnrt::session session(*compiled);
  const auto done = session.run();
  require(done || !done.error().message().empty());
}

}  // namespace nnrt_fuzz
