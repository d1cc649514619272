// small_network: networks that fuzzers may run, since they are over in a moment, and running them.
// Flow: fuzzers of formats that hold networks.
#pragma once

#include "require.hpp"

#include <nnrt/dynamic.hpp>
#include <nnrt/passes/open_states.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

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

using tensors = std::vector<std::vector<std::byte>>;

/// What a run makes; nothing when it ends with an error, which must say something.
inline std::optional<tensors> results_of_run(const nnrt::program& of, nnrt::session& session) {
  if (const auto done = session.run(); !done) return require(!done.error().message().empty()), std::nullopt;
  tensors made;
  for (std::size_t i = 0; i < of.output_count(); ++i)
    made.emplace_back(session.output_bytes(i).begin(), session.output_bytes(i).end());
  return made;
}

/// The results of a run, or of three where the network has states: those of the second and third come again after its
/// states were saved and loaded, and those of the first after a reset.
inline std::optional<tensors> results_of_runs(const nnrt::program& of, nnrt::session& session) {
  std::optional<tensors> first = results_of_run(of, session);
  const nnrt::saved_state saved = session.save_state();
  if (saved.count() == 0 || !first) return first;
  const std::optional<tensors> second = results_of_run(of, session), third = results_of_run(of, session);
  require(session.load_state(saved).has_value());
  require(results_of_run(of, session) == second);
  require(results_of_run(of, session) == third);
  session.reset();
  require(results_of_run(of, session) == first);
  for (const auto* const later : {&second, &third})
    if (*later) first->insert(first->end(), (*later)->begin(), (*later)->end());
  return first;
}

/// Runs of a network with states, against runs that are given its states as inputs and give what becomes of them as
/// outputs.
inline void check_states(const nnrt::model& network, const nnrt::program& of, nnrt::session& session) {
  nnrt::model opened = network;
  nnrt::passes::open_states(opened.graph);
  const auto compiled = nnrt::compile(opened);
  if (!compiled) return require(!compiled.error().message().empty());
  nnrt::session fed(*compiled);
  const std::size_t states = network.graph.states.size(), outputs = network.graph.outputs.size(),
                    inputs = network.graph.inputs.size();
  require(compiled->output_count() == outputs + states && compiled->input_count() == inputs + states);
  session.reset();
  for (std::size_t i = 0; i < inputs; ++i) std::ranges::copy(session.input_bytes(i), fed.input_bytes(i).begin());
  const nnrt::saved_state begin = session.save_state();
  require(begin.count() == states);
  for (std::size_t i = 0; i < states; ++i) std::ranges::copy(begin.bytes(i), fed.input_bytes(inputs + i).begin());
  for (int run = 0; run < 3; ++run) {
    const std::optional<tensors> got = results_of_run(of, session), expected = results_of_run(*compiled, fed);
    require(got.has_value() == expected.has_value());
    if (!got) return;
    require(std::equal(got->begin(), got->end(), expected->begin()));
    const nnrt::saved_state now = session.save_state();
    for (std::size_t i = 0; i < states; ++i) {
      const std::vector<std::byte>& next = (*expected)[outputs + i];
      require(std::ranges::equal(now.bytes(i), next));
      std::ranges::copy(next, fed.input_bytes(inputs + i).begin());
    }
  }
}

inline void run(const nnrt::model& network) {
  const auto compiled = nnrt::compile(network);
  if (!compiled) return require(!compiled.error().message().empty());
  nnrt::session session(*compiled);
  (void)results_of_runs(*compiled, session);
  if (!network.graph.states.empty()) check_states(network, *compiled, session);
}

}  // namespace nnrt_fuzz
