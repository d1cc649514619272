// program: a compiled model - its plans and prepared weights on the heap, shared by all its sessions.
// Flow: compile(model) checks, optimises, plans and prepares; session runs it.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/float_environment.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/exec/dump_plan.hpp>
#include <nnrt/exec/f16_emulation.hpp>
#include <nnrt/exec/f16_weights.hpp>
#include <nnrt/exec/idiom_operators.hpp>
#include <nnrt/exec/make_plan.hpp>
#include <nnrt/exec/node_table.hpp>
#include <nnrt/exec/options.hpp>
#include <nnrt/exec/plan_cache.hpp>
#include <nnrt/exec/weight_specs.hpp>
#include <nnrt/io/model.hpp>
#include <nnrt/ir/dump.hpp>
#include <nnrt/ops/of.hpp>
#include <nnrt/passes/check_graph.hpp>
#include <nnrt/passes/optimise.hpp>

namespace nnrt { inline namespace NNRT_ISA {

class session;

namespace detail {

struct program_parts;  // for exec/stored_program.hpp

/// What all plans of one model share.
struct program_family {
  // checked, not optimised, with unknown extents; empty if all extents are known: then there is one plan only
  ir::graph checked;
  shared<const bound_weights> weights;
  options wanted;
  mutable plan_cache plans;

  program_family(bound_weights bound, const options& chosen)
      : weights(shared<bound_weights>::make(std::move(bound))), wanted(chosen), plans(chosen.cached_plans) {
    wanted.is_unwanted = nullptr;  // it applies to the first compilation only
  }
};

/// The members of a program.
struct compiled_parts {
  shared<const program_family> family;
  shared<const compiled_plan> plan;  // null while extents are unknown
};

/// The plan of an optimised graph; incomplete if the deadline passes. It is computed in a fixed floating-point
/// environment, not in the calling thread's. So a program has the plan and weights that the compiler would make, and a
/// stored program gives the same in every process.
template <class = void>
[[gnu::cold]] plan plan_at_run_time(const ir::graph& g, const plan_options& chosen, const deadline_watch& watch) {
  return computed_in(float_environment(), [&] { return make_plan(g, chosen, watch); });
}
NNRT_COMPILED_ONCE(plan plan_at_run_time<>(const ir::graph&, const plan_options&, const deadline_watch&))

/// Optimises and plans a checked graph whose inputs have known extents, and prepares its weights.
[[gnu::cold]] inline result<shared<const compiled_plan>> compile_checked(ir::graph&& g, const program_family& family,
                                                                         time_limit limit = {}) {
  const deadline_watch watch(limit);
  if (auto ok = require_known_extents(g); !ok) return fail(std::move(ok.error()));
  compiled_plan made;
  made.optimised = std::move(g);
  const passes::idiom_operators idioms{operators_of_list<idiom_results>::at_run_time()};
  if (!passes::optimise(made.optimised, watch, idioms)) return compiled_too_late();
  if (!f16_emulation(made.optimised, &ops::of<ops::half_cast>(), watch)) return compiled_too_late();
  made.made =
      plan_at_run_time(made.optimised, plan_options_for(family.wanted.winograd, family.wanted.float16_weights), watch);
  if (limit.is_over()) return compiled_too_late();
  made.optimised.bytes = {};  // the plan has the constants
  if (auto ok = made.accounted.take(family.wanted.account, made.made.prepared_bytes, "prepared weights"); !ok)
    return fail(std::move(ok.error()));
  if (auto ok = prepare(plan_view::of(made.made), family.weights, made.weights, limit); !ok)
    return fail(std::move(ok.error()));
  return shared<const compiled_plan>(shared<compiled_plan>::make(std::move(made)));
}

/// As above, for a graph with unknown extents and these input shapes, which fit its inputs.
[[gnu::cold]] inline result<shared<const compiled_plan>> compile_shapes(const program_family& family,
                                                                        array_ref<const shape_t> shapes) {
  ir::graph g = family.checked;
  for (std::size_t i = 0; i < shapes.size(); ++i) g.at(g.inputs[i]).desc.shape = shapes[i];
  if (auto ok = infer_graph(g); !ok) return fail(std::move(ok.error()));
  return compile_checked(std::move(g), family);
}
template <class = void>
[[gnu::cold]] result<shared<const compiled_plan>> compile_for(const program_family& family,
                                                              array_ref<const shape_t> shapes) {
  return computed_in(float_environment(), [&] { return compile_shapes(family, shapes); });
}
NNRT_COMPILED_ONCE(result<shared<const compiled_plan>> compile_for<>(const program_family&, array_ref<const shape_t>))

/// Implements compile().
[[gnu::cold]] inline result<compiled_parts> compile_model(const model& network, const options& wanted) {
  const time_limit limit = limit_of(wanted);
  const deadline_watch watch(limit);
  if (auto ok = check_options(wanted); !ok) return fail(std::move(ok.error()));
  if (auto ok = check_graph(network.graph, watch); !ok) return fail(std::move(ok.error()));
  if (limit.is_over()) return compiled_too_late();
  ir::graph checked;
  if (auto ok = infer_declared(network.graph, checked, watch); !ok) return fail(std::move(ok.error()));
  if (limit.is_over()) return compiled_too_late();
  auto bound = bind_weights(network.weights, weight_specs_of(checked));
  if (!bound) return fail(std::move(bound.error()));
  const auto family = shared<program_family>::make(std::move(*bound), wanted);
  for (const std::int32_t id : checked.inputs)
    if (!checked.at(id).desc.shape.is_known()) {
      family->checked = std::move(checked);
      return compiled_parts{family, {}};
    }
  auto made = compile_checked(std::move(checked), *family, limit);
  if (!made) return fail(std::move(made.error()));
  return compiled_parts{family, std::move(*made)};
}
template <class = void>
[[gnu::cold]] result<compiled_parts> compile_parts(const model& network, const options& wanted) {
  return computed_in(float_environment(), [&] { return compile_model(network, wanted); });
}
NNRT_COMPILED_ONCE(result<compiled_parts> compile_parts<>(const model&, const options&))

/// Whether an input may have this shape: unknown extents of the declared shape fit any extent.
[[gnu::cold]] inline bool fits(const shape_t& shape, const shape_t& declared) {
  if (shape.rank != declared.rank || !shape.is_known() || shape.elements() < 0) return false;
  for (int axis = 0; axis < shape.rank; ++axis)
    if (declared[axis] >= 0 && shape[axis] != declared[axis]) return false;
  return true;
}

}  // namespace detail

/// A model that is ready to run. Copies are cheap and share everything; any number of sessions may use one program at
/// once.
///
/// A model whose inputs have unknown extents (-1) is checked when it is compiled. It is planned for each set of shapes
/// that session::resize() or with_shapes() gives. The most recent plans are kept (options::cached_plans).
class program {
 public:
  /// Names and descs of inputs and outputs, in order. The names are valid while a copy of the program exists. Unknown
  /// extents are -1.
  std::size_t input_count() const { return graph().inputs.size(); }
  std::size_t output_count() const { return graph().outputs.size(); }
  /// States in order of declaration; sessions keep them between runs.
  std::size_t state_count() const { return graph().states.size(); }
  std::string_view state_name(std::size_t i) const {
    return i < state_count() ? graph().name_of(graph().at(graph().states[i].value).name) : std::string_view();
  }
  const tensor_desc& state_desc(std::size_t i) const {
    return i < state_count() ? graph().at(graph().states[i].value).desc : no_desc;
  }
  /// If i is out of range, the name is empty and the dtype is none.
  std::string_view input_name(std::size_t i) const {
    return i < input_count() ? graph().name_of(graph().at(graph().inputs[i]).name) : std::string_view();
  }
  std::string_view output_name(std::size_t i) const {
    return i < output_count() ? graph().name_of(graph().outputs[i].name) : std::string_view();
  }
  const tensor_desc& input_desc(std::size_t i) const {
    return i < input_count() ? graph().at(graph().inputs[i]).desc : no_desc;
  }
  const tensor_desc& output_desc(std::size_t i) const {
    return i < output_count() ? graph().at(graph().outputs[i].value).desc : no_desc;
  }

  /// Whether all extents are known, so that there is a plan. Without a plan, the numbers and texts below are 0 and
  /// empty.
  bool has_plan() const { return static_cast<bool>(plan_); }
  /// This model for inputs of these shapes, one for each input. Errors: invalid_argument (wrong number of shapes, a
  /// shape that does not fit its input), rule_broken, out_of_memory.
  result<program> with_shapes(array_ref<const shape_t> shapes) const {
    if (!family_) return fail(error_code::invalid_argument, "the program was moved away");
    if (auto ok = check_shapes(shapes); !ok) return fail(std::move(ok.error()));
    if (family_->checked.outputs.empty()) return *this;  // all extents were known when it was compiled
    if (auto kept = family_->plans.find(shapes)) return program(family_, std::move(kept));
    auto made = detail::compile_for(*family_, shapes);
    if (!made) return fail(std::move(made.error()));
    return program(family_, family_->plans.add(shapes, std::move(*made)));
  }
  result<program> with_shapes(std::initializer_list<shape_t> shapes) const {
    return with_shapes(std::span(shapes.begin(), shapes.size()));
  }
  /// Number of sets of shapes whose plans are kept at present.
  std::size_t cached_plans() const { return family_ ? family_->plans.size() : 0; }

  /// Bytes for intermediate results of one session, and a lower bound for every layout of them.
  std::int64_t arena_bytes() const { return has_plan() ? plan_->made.arena_bytes : 0; }
  std::int64_t arena_lower_bound() const { return has_plan() ? plan_->made.arena_lower_bound : 0; }
  /// Kernel calls of one run.
  std::size_t steps() const { return has_plan() ? plan_->made.steps.size() : 0; }
  /// The network node by node, after the passes; as `graph<f>::table()`. The names are valid while a copy of the
  /// program exists.
  pool<node_info> table() const {
    if (!has_plan()) return {};
    ir::graph g = plan_->optimised;
    // the plan has the constants, at the graph's offsets; counting reads those that are shapes and axes
    g.bytes = plan_->made.constants;
    return node_table(g, plan(), plan_->optimised.text);
  }
  /// The changes by the passes, every step, and where its result is in memory; as `graph<f>::text()`.
  std::string text() const {
    return has_plan() ? dump_plan(plan_->optimised, plan(), plan_->made.arena_lower_bound) : std::string();
  }

 private:
  friend class session;
  friend struct detail::program_parts;
  friend result<program> compile(const model& network, const options& wanted);

  program(shared<const detail::program_family> family, shared<const compiled_plan> plan)
      : family_(std::move(family)), plan_(std::move(plan)) {}

  static constexpr tensor_desc no_desc{};
  /// Empty if the program was moved away.
  const ir::graph& graph() const {
    static const ir::graph nothing;
    return has_plan() ? plan_->optimised : family_ ? family_->checked : nothing;
  }
  plan_view plan() const { return plan_view::of(plan_->made); }

  result<void> check_shapes(array_ref<const shape_t> shapes) const {
    const ir::graph& g = family_->checked.outputs.empty() ? plan_->optimised : family_->checked;
    if (shapes.size() != g.inputs.size())
      return fail(error_code::invalid_argument,
                  {"got shapes for ", shapes.size(), " inputs, expected ", g.inputs.size()});
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const ir::value& input = g.at(g.inputs[i]);
      if (!detail::fits(shapes[i], input.desc.shape))
        return fail(error_code::invalid_argument,
                    {"input ", piece::in_quotes(g.name_of(input.name)), ": got shape ", ir::to_string(shapes[i]),
                     ", expected ", ir::to_string(input.desc.shape),
                     !shapes[i].is_known()      ? " with known extents"
                     : shapes[i].elements() < 0 ? " with fewer elements"
                                                : ""});
    }
    return {};
  }

  shared<const detail::program_family> family_;
  shared<const compiled_plan> plan_;  // null while extents are unknown
};

/// Checks the model, runs the passes over its graph, binds and prepares its weights. With unknown extents it checks
/// what does not depend on them; with_shapes() runs the passes later.
/// Errors: invalid_argument (a graph out of order; missing, superfluous, misshapen weights, all at once), rule_broken
/// (`conv2d "stem": …`), out_of_memory, deadline_missed.
inline result<program> compile(const model& network, const options& wanted = {}) {
  auto made = detail::compile_parts(network, wanted);
  if (!made) return fail(std::move(made.error()));
  return program(std::move(made->family), std::move(made->plan));
}

}}  // namespace nnrt::NNRT_ISA
