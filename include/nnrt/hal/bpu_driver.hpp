// bpu_driver: an int8 accelerator, simulated as a device - it takes the nodes that its table allows, and rounds as it
// does.
// Flow: add_accelerators() registers one for each table of this library; the C API lists and selects them by id.
#pragma once

#include <nnrt/hal/registry.hpp>
#include <nnrt/policy/accelerators.hpp>
#include <nnrt/policy/check_node.hpp>
#include <nnrt/policy/refusal.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace hal {

namespace detail {

/// A copy of the network in which every per-tensor quantised value has the accelerator's rounding.
inline model rounded_as(quantised_rounding rounding, const model& network) {
  model made = network;
  for (ir::value& v : made.graph.values)
    if (v.desc.quantised.mode == quantisation::kind::per_tensor) v.desc.quantised.rounding = rounding;
  return made;
}

}  // namespace detail

/// An accelerator, simulated by the processor. It takes quantised networks whose nodes its table allows.
/// Results equal those of `executor<graph<f>, bpu<…>>` with the same numbers: 32-bit sums, scaled and rounded once,
/// half to even.
///
/// It refuses tensors of floats and conversions between floats and quantised values; those run on the processor.
class bpu_driver final : public cpu_driver {
 public:
  /// The table must outlive the driver.
  explicit bpu_driver(const accelerator& table) : table_(table) {}

  std::string_view name() const override { return table_.name; }
  result<device_type> type() override { return device_type::accelerator; }
  result<features> supported_features() override {
    features some;
    some.performance = some.priority = some.caching = some.asynchronous = true;
    return some;
  }

  /// For each node the rule of its operator or the limit of the table that it breaks; see
  /// to_string(accelerator_verdict).
  result<std::vector<std::string>> refusals(const model& network) override {
    model rounded = detail::rounded_as(table_.rounding, network);
    passes::adapt_declared(rounded.graph);
    auto reasons = cpu_driver::refusals(rounded);
    if (!reasons) return reasons;
    const ir::graph& g = rounded.graph;
    const nnrt::detail::graph_facts about(g);
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      const ir::node& n = g.nodes[i];
      if (!(*reasons)[i].empty() || about.is_prepared(g, n)) continue;
      if (const accelerator_verdict v = check_limits(g, n, about); !v)
        (*reasons)[i] = to_string(v, n.label->name, g.name_of(n.name));
    }
    return reasons;
  }

  /// Errors: as cpu_driver::prepare(); not_supported (names the first refused node).
  result<std::shared_ptr<prepared_model>> prepare(const model& network, const preferences& wanted) override {
    auto refused = refusals(network);
    if (!refused) return fail(std::move(refused.error()));
    for (const std::string& reason : *refused)
      if (!reason.empty()) return fail(error_code::not_supported, {table_.name, ": ", reason});
    return cpu_driver::prepare(detail::rounded_as(table_.rounding, network), wanted);
  }

 private:
  accelerator_verdict check_limits(const ir::graph& g, const ir::node& n,
                                   const nnrt::detail::graph_facts& about) const {
    // Tables accept floats because graphs of floats are quantised first. No pass quantises here, so floats are refused.
    for (const std::int32_t id : g.inputs_of(n))
      if (id != ir::none && types::floating.contains(g.at(id).desc.type) && !about.is_known(id))
        return nnrt::detail::broken_limit(accelerator_rule::operand_type_must_be_accepted_by_the_accelerator,
                                          static_cast<int>(g.at(id).desc.type), static_cast<int>(i8), unit::type);
    return check_node(table_, g, n, about);
  }

  const accelerator& table_;
};

/// Registers every architecture that nnrt has a table of, unless it is registered already. Error: as
/// device_registry::add().
inline result<void> add_accelerators() {
  for (const accelerator* const table : all_accelerators()) {
    auto device = std::make_shared<bpu_driver>(*table);
    if (registry().find(std::hash<std::string>()(full_name(*device))) != nullptr) continue;
    if (auto added = registry().add(std::move(device)); !added) return fail(std::move(added.error()));
  }
  return {};
}

}}}  // namespace nnrt::NNRT_ISA::hal
