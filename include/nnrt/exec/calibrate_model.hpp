// calibrate_model: calibrates a network and an architecture that are known at run time.
// Flow: the nnrt command reads a model, calibrates it, and saves the result with its places; hbDNN's functions run it.
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

/// Returns an error for the first node that is on the processor, for strict policies.
[[gnu::cold]] inline result<void> require_accelerator(const ir::graph& optimised, const graph_placement& placed) {
  for (std::size_t i = 0; i < placed.nodes.size(); ++i)
    if (const ir::node& n = optimised.nodes[i]; placed.nodes[i].place == node_place::processor)
      return fail(error_code::not_supported, to_string(placed.nodes[i].reason, n.op->name, optimised.name_of(n.name)));
  return {};
}

/// Whether any node on the accelerator has float results. A network that is quantised already has none.
[[gnu::cold]] inline bool makes_floats(const ir::graph& g, const pool<char>& on_accelerator) {
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (on_accelerator[i] != 0 && g.at(g.outputs_of(g.nodes[i])[0]).desc.type == f32) return true;
  return false;
}

/// Removes dynamic_range nodes before layers on the accelerator, and returns whether there were any. They come from
/// .tflite files with quantised weights only. Layers on the accelerator have quantised inputs anyway.
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

/// Where each node of an optimised graph shall run, without dynamic ranges before the accelerator's nodes.
[[gnu::cold]] inline result<graph_placement> place_to_calibrate(ir::graph& optimised, const dynamic_bpu& policy,
                                                                const calibration_options& wanted) {
  if (auto ok = check_names(optimised, policy.on_processor, ", which shall run on the processor"); !ok)
    return fail(std::move(ok.error()));
  if (auto ok = check_names(optimised, wanted.in_16_bits, ", which shall have 16 bits"); !ok)
    return fail(std::move(ok.error()));
  graph_placement placed = policy.place(optimised);
  if (drop_dynamic_ranges(optimised, placed)) placed = policy.place(optimised);
  if (policy.is_strict)
    if (auto ok = require_accelerator(optimised, placed); !ok) return fail(std::move(ok.error()));
  return placed;
}

}  // namespace detail

/// Finds a scale for each tensor of a network from samples and quantises its weights. It is
/// `calibrate<graph<f>, Policy>()` at run time.
///
/// `ends` says whether inputs and outputs remain float or become the quantised values. `given` describes each input as
/// callers supply it: inputs for images become i8 with pixels - 128, and the accelerator's first layer includes mean
/// and scale. Samples are inputs of the float network.
///
/// Errors: those of compile(), out_of_memory, and:
///
/// * invalid_argument: inputs of unknown extents; no samples; a sample of the wrong size or with other inputs; a sample
///   with a NaN, or with an infinity that the accelerator reads; weights that are not finite; options out of their
///   range; an input that does not fit its description; a name in the policy or options that no node has.
/// * not_supported: a strict policy that refuses a node; a network without any node that can be quantised.
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
  const passes::idiom_operators idioms{detail::operators_of_list<detail::idiom_results>::at_run_time()};
  passes::optimise(optimised, {}, idioms);
  const auto placed = detail::place_to_calibrate(optimised, policy, wanted);
  if (!placed) return fail(placed.error());
  calibrated_model made;
  const auto find = [](op_code code) { return ops::find(code); };
  auto floats = detail::fold_constants(optimised, *bound);
  if (!floats) return fail(std::move(floats.error()));
  pool<char> on_accelerator = detail::nodes_on_accelerator(*placed);
  pixels.fold_layers(*floats, on_accelerator);
  const auto nothing_to_store = [&] {
    return fail(error_code::not_supported,
                {"quantise: no node works on floats that ", policy.table->name, " takes in 8 bits"});
  };
  // before the work of calibration
  if (!detail::makes_floats(floats->graph, on_accelerator)) return nothing_to_store();
  const detail::calibration_target target{*policy.table, find, pixels.scales()};
  if (auto ok = detail::calibrator(std::move(*floats), wanted, target, std::move(on_accelerator))
                    .run(pixels.source(), made.network, made.layers);
      !ok)
    return fail(std::move(ok.error()));
  if (made.layers.empty()) return nothing_to_store();
  made.inputs = pixels.end_with_pixels(made.network.graph);
  passes::take_off_conversions(made.network.graph, ends);
  made.places = detail::places_of(optimised, *placed, made.network.graph);
  return made;
}

}}  // namespace nnrt::NNRT_ISA
