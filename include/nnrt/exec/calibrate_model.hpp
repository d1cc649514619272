// calibrate_model: the same for a network and an architecture that are known when the program runs.
// Flow: the nnrt command reads a model, calibrates it, and saves what comes out with its places; hbDNN's functions run
// that.
#pragma once

#include <nnrt/exec/calibrate.hpp>
#include <nnrt/exec/pixel_inputs.hpp>
#include <nnrt/ops/dynamic_range.hpp>
#include <nnrt/ops/registry.hpp>
#include <nnrt/passes/quantised_ends.hpp>
#include <nnrt/policy/accelerators.hpp>

#include <string>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

/// The first node that a strict policy refuses.
[[gnu::cold]] inline result<void> require_accelerator(const ir::graph& optimised, const graph_placement& placed) {
  for (std::size_t i = 0; i < placed.nodes.size(); ++i)
    if (const ir::node& n = optimised.nodes[i]; placed.nodes[i].place == node_place::processor)
      return fail(error_code::not_supported, to_string(placed.nodes[i].reason, n.op->name, optimised.name_of(n.name)));
  return {};
}

/// Whether the accelerator has anything to do with floats: of a network that is stored already it has not.
[[gnu::cold]] inline bool makes_floats(const ir::graph& g, const pool<char>& on_accelerator) {
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (on_accelerator[i] != 0 && g.at(g.outputs_of(g.nodes[i])[0]).desc.type == f32) return true;
  return false;
}

/// Layers that the accelerator takes have their input in 8 bits anyhow: what rounds it in front of them (of .tflite
/// files whose weights alone are stored) means nothing there. Whether there was one.
[[gnu::cold]] inline bool drop_dynamic_ranges(ir::graph& g, const graph_placement& placed) {
  const passes::use_table use(g);
  bool found = false;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    if (placed.nodes[i].place != node_place::accelerator) continue;
    for (std::int32_t& id : g.inputs_of(g.nodes[i])) {
      const std::int32_t by = id == ir::none ? ir::none : use.producer_of(id);
      if (by == ir::none || g.nodes[static_cast<std::size_t>(by)].op->code != ops::dynamic_range::code) continue;
      id = g.inputs_of(g.nodes[static_cast<std::size_t>(by)])[0];
      found = true;
    }
  }
  if (found) passes::remove_dead_nodes(g);
  return found;
}

}  // namespace detail

/// Finds a scale for each tensor of a network from samples and stores its weights, as calibrate<graph<f>, Policy>()
/// does. `ends` says whether inputs and outputs are floats, as the network's own, or what the accelerator has there.
/// `given` says of each input what callers give for it: inputs of images become pixels - 128 as i8, and the
/// accelerator's first layer has mean and scale in it; samples are what the network of floats sees. Errors: those of
/// compile(); invalid_argument (inputs of unknown extents, no samples, a sample of the wrong size, of other inputs or
/// with a nan or, where the accelerator reads them, an infinity, weights that are not finite, options out of their
/// range, an input that is not what is given for it, a node for the processor that there is not);
/// not_supported (a strict policy that does not take a node, a network of which no node can be stored); out_of_memory.
[[gnu::cold]] inline result<calibrated_model> calibrate(const model& network, const dynamic_bpu& policy,
                                                        const sample_source& samples,
                                                        const calibration_options& wanted = {},
                                                        const quantised_ends& ends = {},
                                                        std::span<const saved_input> given = {}) {
  const float_scope usual{float_environment()};
  if (auto ok = check_graph(network.graph); !ok) return fail(std::move(ok.error()));
  ir::graph optimised = network.graph;
  if (auto ok = infer_graph(optimised); !ok) return fail(std::move(ok.error()));
  if (auto ok = require_known_extents(optimised); !ok) return fail(std::move(ok.error()));
  detail::pixel_inputs pixels(samples, given, ops::find(ops::depthwise_conv2d::code));
  if (auto ok = pixels.add_layers(optimised, policy.table->scales); !ok) return fail(std::move(ok.error()));
  auto bound = bind_weights(network.weights, weight_specs_of(optimised));
  if (!bound) return fail(std::move(bound.error()));
  passes::optimise(optimised);
  if (auto ok = detail::check_names(optimised, policy.on_processor, ", which shall run on the processor"); !ok)
    return fail(std::move(ok.error()));
  if (auto ok = detail::check_names(optimised, wanted.in_16_bits, ", which shall have 16 bits"); !ok)
    return fail(std::move(ok.error()));
  graph_placement placed = policy.place(optimised);
  if (detail::drop_dynamic_ranges(optimised, placed)) placed = policy.place(optimised);
  if (policy.is_strict)
    if (auto ok = detail::require_accelerator(optimised, placed); !ok) return fail(std::move(ok.error()));
  calibrated_model made;
  const auto find = [](op_code code) { return ops::find(code); };
  auto floats = detail::settle(optimised, *bound);
  if (!floats) return fail(std::move(floats.error()));
  pool<char> on_accelerator = detail::nodes_on_accelerator(placed);
  pixels.fold_layers(*floats, on_accelerator);
  const auto nothing_to_store = [&] {
    return fail(error_code::not_supported,
                {"quantise: no node works on floats that ", policy.table->name, " takes in 8 bits"});
  };
  // before the work of calibrating
  if (!detail::makes_floats(floats->graph, on_accelerator)) return nothing_to_store();
  const detail::calibration_target target{*policy.table, find, pixels.scales()};
  if (auto ok = detail::calibrator(std::move(*floats), wanted, target, std::move(on_accelerator))
                    .run(pixels.source(), made.network, made.layers);
      !ok)
    return fail(std::move(ok.error()));
  if (made.layers.empty()) return nothing_to_store();
  made.inputs = pixels.end_with_pixels(made.network.graph);
  passes::take_off_conversions(made.network.graph, ends);
  made.places = detail::places_of(optimised, placed, made.network.graph);
  return made;
}

}}  // namespace nnrt::NNRT_ISA
