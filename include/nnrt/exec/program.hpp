// program: a compiled model - its plan and prepared weights on the heap, shared by all its sessions.
// Flow: compile(model) checks, optimises, plans and prepares; session runs it.
#pragma once

#include <nnrt/exec/check_graph.hpp>
#include <nnrt/exec/dump_plan.hpp>
#include <nnrt/exec/memory.hpp>
#include <nnrt/exec/node_table.hpp>
#include <nnrt/exec/options.hpp>
#include <nnrt/exec/weight_specs.hpp>
#include <nnrt/io/model.hpp>
#include <nnrt/passes/optimise.hpp>

namespace nnrt::inline NNRT_ISA {

class session;

/// A model ready to run. A handle: copies are cheap and share everything; any number of sessions may use one at the same time.
class program {
 public:
  /// Names and descs of inputs and outputs, in order; the names live as long as a copy of the program.
  std::size_t input_count() const { return plan().inputs.size(); }
  std::size_t output_count() const { return plan().outputs.size(); }
  std::string_view input_name(std::size_t i) const { return plan().name_of(plan().inputs[i]); }
  std::string_view output_name(std::size_t i) const { return plan().name_of(plan().outputs[i]); }
  const tensor_desc& input_desc(std::size_t i) const { return plan().desc_of(plan().inputs[i]); }
  const tensor_desc& output_desc(std::size_t i) const { return plan().desc_of(plan().outputs[i]); }

  /// Bytes for intermediate results of one session, and the least that any layout could do with.
  std::int64_t arena_bytes() const { return state_->made.arena_bytes; }
  std::int64_t arena_lower_bound() const { return state_->made.arena_lower_bound; }
  /// Kernel calls of one run.
  std::size_t steps() const { return state_->made.steps.size(); }
  /// The network node by node, after the passes; as graph<f>::table(). The names live as long as a copy of the program.
  pool<node_info> table() const { return node_table(state_->optimised, plan(), state_->optimised.text); }
  /// What the passes did, each step, and where its result lies; as graph<f>::text().
  std::string text() const { return dump_plan(state_->optimised, plan(), state_->made.arena_lower_bound); }

 private:
  friend class session;
  friend result<program> compile(const model& network, const options& wanted);

  struct state {
    ir::graph optimised;
    nnrt::plan made;
    prepared_weights weights;
    options wanted;
  };

  explicit program(shared<const state> made) : state_(std::move(made)) {}
  plan_view plan() const { return plan_view::of(state_->made); }

  shared<const state> state_;
};

/// Checks the model, runs the passes over its graph, binds and prepares its weights.
/// Errors: invalid_argument (a graph out of order; missing, superfluous, misshapen weights, all at once), rule_broken (`conv2d "stem": …`), out_of_memory.
inline result<program> compile(const model& network, const options& wanted = {}) {
  if (auto ok = check_options(wanted); !ok) return fail(std::move(ok.error()));
  if (auto ok = check_graph(network.graph); !ok) return fail(std::move(ok.error()));
  auto bound = bind_weights(network.weights, weight_specs_of(network.graph));
  if (!bound) return fail(std::move(bound.error()));
  program::state made;
  made.optimised = network.graph;
  passes::optimise(made.optimised);
  made.made = make_plan(made.optimised);
  auto prepared = prepare(plan_view::of(made.made), std::move(*bound));
  if (!prepared) return fail(std::move(prepared.error()));
  made.weights = std::move(*prepared);
  made.wanted = wanted;
  return program(shared<const program::state>(shared<program::state>::make(std::move(made))));
}

}  // namespace nnrt::inline NNRT_ISA
