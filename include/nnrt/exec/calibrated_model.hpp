// calibrated_model: the result of calibrate() - a quantised network, layer reports, and the places of its nodes.
// Flow: calibrate.hpp and calibrate_model.hpp fill it; executors of accelerators and saved models take it.
#pragma once

#include <nnrt/exec/calibration.hpp>
#include <nnrt/io/model.hpp>
#include <nnrt/ir/dump.hpp>
#include <nnrt/ops/quant_dtype_cast.hpp>
#include <nnrt/passes/uses.hpp>
#include <nnrt/policy/bpu.hpp>
#include <nnrt/policy/refusal.hpp>
#include <nnrt/policy/saved_input.hpp>
#include <nnrt/policy/saved_place.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA {

/// A quantised network, and facts about its tensors. Copies share the weights.
struct calibrated_model {
  model network;
  std::vector<layer_report> layers;
  std::vector<saved_input> inputs = {};  // description of each input as callers supply it, if given
  std::vector<saved_place> places = {};  // of each node

  /// One line for each node: where it runs, and why it runs on the processor.
  [[gnu::cold]] std::string partition_text() const {
    std::string out;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const ir::node& n = network.graph.nodes[i];
      out += places[i].on_accelerator ? "accelerator  " : "processor    ";
      out += ir::node_title(network.graph, *n.label, n.name);
      append(out, {places[i].why.empty() ? "" : "  - ", places[i].why, "\n"});
    }
    return out;
  }
  /// One line for each computed quantised tensor: range, scale, cosine, signal to noise, saturation.
  [[gnu::cold]] std::string text() const {
    std::string out;
    // Converters join the names of fused nodes; the first letters distinguish layers.
    const auto add = [&](std::string_view name, std::size_t width) {
      const bool is_long = name.size() > 48;
      append(out, {is_long ? name.substr(0, 45) : name, is_long ? "..." : ""});
      out.append(name.size() < width ? width - name.size() : 0, ' ') += ' ';
    };
    for (const layer_report& r : layers) {
      char numbers[160];
      std::snprintf(numbers, sizeof numbers,
                    "%11.4g … %-11.4g %2d bits, scale %-11.5g %-10s cosine %.6f  %6.1f dB  %.3f %% saturated\n",
                    double{r.low}, double{r.high}, r.bits, double{r.scale}, name_of(r.method).data(), r.cosine,
                    r.signal_to_noise, 100 * r.saturated);
      add(r.op, 20);
      add(r.name, 18);
      out += numbers;
    }
    return out;
  }
};

/// The calibrated model of a `graph<f>` under a policy.
template <class G, class Policy> struct calibrated : calibrated_model {};

namespace detail {

/// Places of the nodes of a quantised graph. A node that makes a value of the optimised graph with the same operator
/// was kept as float. Any other node works on quantised values, or converts.
[[gnu::cold]] inline std::vector<saved_place> places_of(const ir::graph& optimised, const graph_placement& placed,
                                                        const ir::graph& quantised) {
  std::vector<saved_place> places;
  const passes::use_table use(optimised);
  for (const ir::node& n : quantised.nodes) {
    const std::int32_t id = quantised.outputs_of(n)[0];
    const std::int32_t kept = static_cast<std::size_t>(id) < optimised.values.size() ? use.producer_of(id) : ir::none;
    const bool is_same = kept != ir::none && optimised.nodes[static_cast<std::size_t>(kept)].op->code == n.op->code;
    if (n.op->code == ops::quant_dtype_cast::code && !is_same)
      places.push_back({false, "converts between floats and quantised values"});
    else if (!is_same) places.push_back({true, {}});
    else {
      const accelerator_verdict& reason = placed.nodes[static_cast<std::size_t>(kept)].reason;
      places.push_back({false, reason ? "its numbers are not stored" : to_string(reason)});
    }
  }
  return places;
}

}  // namespace detail

}}  // namespace nnrt::NNRT_ISA
