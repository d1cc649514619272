// executor: runs a network that the compiler has planned - no interpreter, no heap at inference.
// Flow: create() binds and prepares weights once; operator() runs the constant plan or the unrolled steps.
#pragma once

#include <nnrt/core/contract.hpp>
#include <nnrt/exec/call_rules.hpp>
#include <nnrt/exec/memory.hpp>
#include <nnrt/exec/options.hpp>
#include <nnrt/exec/run_stripes.hpp>
#include <nnrt/exec/saved_state.hpp>
#include <nnrt/exec/thread_autotuner.hpp>
#include <nnrt/exec/threads.hpp>
#include <nnrt/exec/unrolled.hpp>
#include <nnrt/policy/cpu.hpp>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

struct executor_parts;  // exec/stored_weights.hpp

/// Reports an input in memory that the run writes.
[[gnu::cold]] inline bool append_overwritten(pool<char>& wrong, std::string_view name) {
  append(wrong, {"input \"", name,
                 "\" lies in the executor's own results, which the run overwrites; give it a range of your own"});
  return false;
}

/// Measures an executor's steps: does nothing unless the policy names another type (exec/profile.hpp).
struct no_times {};
template <class Policy> struct times_of {
  using type = no_times;
};
template <class Policy>
  requires requires { typename Policy::times_type; }
struct times_of<Policy> {
  using type = typename Policy::times_type;
};
template <class Policy> inline constexpr bool takes_times = !std::is_same_v<typename times_of<Policy>::type, no_times>;

/// Whether a network under a policy runs unrolled.
template <class G, class Policy>
inline constexpr bool unrolls =
    Policy::form == execution_form::unrolled || (Policy::form == execution_form::automatic && G::is_micro);

}  // namespace detail

/// Runs network G (a `graph<f>`). Movable. One thread at a time uses an executor; several executors may share()
/// weights.
///
///   run(x…)       inputs in order of declaration, each a contiguous range of the element type; returns a span of known
///                 size, or a tuple of spans. They point into the executor and are valid until the next run, reset() or
///                 load_state()
///   try_run(…)    either of the two; returns a result instead of breaking a contract when a run-time size is wrong
///
/// A run overwrites the last results before it has read all inputs, so no input may be in their memory. There are two
/// ways to keep data between runs. A state (builder::state) is stored in the executor. An input and an output may use
/// one range of the caller: run(x, state, y, state).
template <class G, class Policy = cpu> class executor : public detail::refused_calls<G> {
  static constexpr const auto& plan = G::template plan_as<detail::unrolls<G, Policy>, Policy::winograd>();
  static constexpr plan_view view_of_plan = plan_view::of(plan);
  static constexpr std::size_t input_count = G::inputs.size();
  static constexpr std::size_t output_count = G::outputs.size();
  static constexpr bool is_unrolled = detail::unrolls<G, Policy>;
  static constexpr bool may_fail = !plan.fallible.empty();
  using rules = detail::call_rules<G>;
  using refused = detail::refused_calls<G>;

 public:
  using refused::operator(), refused::try_run;
  /// Span over output I.
  template <std::size_t I> using output_span = detail::span_of_output<G, I>;
  /// What a run returns: the span over the only output, or a tuple of spans.
  using outputs_type = typename detail::spans_of_outputs<G, std::make_index_sequence<output_count>>::type;

  /// For networks without named weights and for those of a model file. It can fail only for lack of memory, or if the
  /// file has invalid scales.
  executor()
    requires(G::has_own_weights)
  {
    auto made = create();
    if (made) *this = std::move(*made);
    else report(std::move(made.error()));
  }
  /// A network with weights is made by create(weights).
  executor()
    requires(!G::has_own_weights)
  = delete;
  executor(executor&&) noexcept = default;
  executor& operator=(executor&&) noexcept = default;

  /// Binds and prepares the weights. Errors: invalid_argument, with every missing, superfluous, mistyped or misshapen
  /// weight in one message; out_of_memory.
  [[gnu::cold]] static result<executor> create(const weights& file, const options& wanted = {}) {
    if (auto ok = check_options(wanted); !ok) return fail(std::move(ok.error()));
    const auto bound = shared<bound_weights>::make();
    if (auto ok = bind_weights(file, G::weight_specs, *bound); !ok) return fail(std::move(ok.error()));
    const auto prepared = shared<prepared_weights>::make();
    if (auto ok = prepare(view_of_plan, bound, *prepared, {}, words(), arena_type::room); !ok)
      return fail(std::move(ok.error()));
    return with(prepared, wanted, prepared->room(view_of_plan));
  }
  /// With the network's included weights: none, or those of its model file.
  static result<executor> create(const options& wanted = {})
    requires(G::has_own_weights)
  {
    auto own = G::own_weights();
    if (!own) return fail(std::move(own.error()));
    return create(*own, wanted);
  }
  static result<executor> create(const options& = {})
    requires(!G::has_own_weights)
  = delete;

  /// Another executor that shares the prepared weights. It has a separate arena, threads, and states in their initial
  /// values. Lack of memory is a broken contract, which the returned executor reports again at every run.
  executor share() const {
    if (!weights_) return broken(reason());  // this executor has no weights
    auto made = with(weights_,
                     {.threads = threads_ ? threads_->threads() : 1, .pin_threads = threads_ && threads_->is_pinned()});
    if (made) return std::move(*made);
    return broken(std::move(made.error()));
  }

  template <class... Ranges>
    requires(rules::template takes<input_count, Ranges...>)
  outputs_type operator()(const Ranges&... inputs) {
    if (may_run(std::index_sequence_for<Ranges...>{}, inputs...)) run_or_report(inputs...);
    else broken_contract(misfit<true>(std::index_sequence_for<Ranges...>{}, inputs...).message());
    return outputs();
  }
  template <class... Ranges>
    requires(rules::template takes<input_count + output_count, Ranges...>)
  void operator()(Ranges&&... ranges) {
    auto all = std::forward_as_tuple(ranges...);
    [&]<std::size_t... In, std::size_t... Out>(std::index_sequence<In...>, std::index_sequence<Out...>) {
      if (!may_run(std::index_sequence<In...>{}, std::get<In>(all)...))
        return broken_contract(misfit<true>(std::index_sequence<In...>{}, std::get<In>(all)...).message());
      if (!(fits_one<Out, false>(std::get<input_count + Out>(all)) && ...))
        return broken_contract(
            misfit<false>(std::index_sequence<Out...>{}, std::get<input_count + Out>(all)...).message());
      if (run_or_report(std::get<In>(all)...)) (copy_output<Out>(std::get<input_count + Out>(all)), ...);
    }(std::make_index_sequence<input_count>{}, std::make_index_sequence<output_count>{});
  }

  /// Errors: invalid_argument in these cases.
  ///
  /// * An input has the wrong size or is in the executor's results; the message names it and both sizes. Nothing was
  ///   run.
  /// * Values of an input break an operator's rule, for example an index outside of the tensor. The message names the
  ///   node, the rule and both values. Outputs have no meaning then.
  ///
  /// States keep their values from before a failed run.
  template <class... Ranges>
    requires(rules::template takes<input_count, Ranges...>)
  result<outputs_type> try_run(const Ranges&... inputs) {
    if (!may_run(std::index_sequence_for<Ranges...>{}, inputs...))
      return fail(misfit<true>(std::index_sequence_for<Ranges...>{}, inputs...));
    if (!weights_) return fail(reason());
    run_fault fault;
    [[maybe_unused]] const step* const failed = run_on(fault, inputs...);
    if constexpr (may_fail)
      if (failed != nullptr) return fail(error_of(view_of_plan, *failed, fault));
    return outputs();
  }

  /// As above, and copies the outputs into the caller's ranges. Errors: the same, and wrong sizes of outputs. After an
  /// error the ranges are unchanged.
  template <class... Ranges>
    requires(rules::template takes<input_count + output_count, Ranges...>)
  result<void> try_run(Ranges&&... ranges) {
    auto all = std::forward_as_tuple(ranges...);
    return [&]<std::size_t... In, std::size_t... Out>(std::index_sequence<In...>,
                                                      std::index_sequence<Out...>) -> result<void> {
      if (!(fits_one<Out, false>(std::get<input_count + Out>(all)) && ...))
        return fail(misfit<false>(std::index_sequence<Out...>{}, std::get<input_count + Out>(all)...));
      auto ran = try_run(std::as_const(std::get<In>(all))...);
      if (!ran) return fail(std::move(ran.error()));
      (copy_output<Out>(std::get<input_count + Out>(all)), ...);
      return {};
    }(std::make_index_sequence<input_count>{}, std::make_index_sequence<output_count>{});
  }

  /// Times of the steps so far; profile() names the steps.
  const auto& times() const
    requires(detail::takes_times<Policy>)
  {
    return times_;
  }
  auto& times()
    requires(detail::takes_times<Policy>)
  {
    return times_;
  }
  /// The network, and the plan that is run: for profiles.
  using network = G;
  static constexpr const plan_view& plan_of_steps() { return view_of_plan; }

  /// Resets all states to their values in a first run.
  void reset() {
    if (weights_) detail::reset_states(view_of_plan, arena_.data(), bases_);
  }
  /// A copy of all states after the last run; empty if the executor could not be made. Allocates memory, unlike runs.
  saved_state save_state() { return weights_ ? detail::save_states(view_of_plan, arena_.data()) : saved_state(); }
  /// Replaces all states. Error: invalid_argument (states of another network); then no state changes.
  result<void> load_state(const saved_state& from) {
    if (!weights_) return fail(reason());
    return detail::load_states(view_of_plan, arena_.data(), from);
  }

  /// The outputs of the last run: one span, or a tuple of them.
  outputs_type outputs() {
    if constexpr (output_count == 1) return output_at<0>();
    else
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return outputs_type(output_at<I>()...);
      }(std::make_index_sequence<output_count>{});
  }
  /// The output of this name of the last run: `run.output<"probability">()`.
  template <fixed_string Name> auto output() {
    constexpr std::size_t index = detail::output_of_name<G>(Name.view());
    static_assert(index < output_count, "nnrt: the network has no output of this name");
    if constexpr (index < output_count) return output_at<index>();
  }

 private:
  friend struct detail::executor_parts;
  using arena_type = arena_memory<plan.arena_bytes>;

  static constexpr fault_wording words() {
    if constexpr (may_fail) return &error_of;
    else return nullptr;
  }

  struct without_preparing {};
  explicit executor(without_preparing) {}
  /// An executor that could not be made. Its arena has never been written, so it must not be moved.
  static executor broken(error reason) {
    executor made{without_preparing{}};
    made.report(std::move(reason));
    return made;
  }
  /// Why it has no weights.
  error reason() const {
    return made_ ? error{error_code::invalid_argument, "the executor was moved away"} : error(made_.error());
  }
  void report(error reason) {
    made_ = fail(std::move(reason));
    broken_contract(made_.error().message());
  }

  [[gnu::cold]] static result<executor> with(shared<const prepared_weights> prepared, const options& wanted,
                                             std::byte* room = nullptr) {
    executor made{without_preparing{}};
    if (auto ok = made.start(std::move(prepared), wanted, room); !ok) return fail(std::move(ok.error()));
    return made;
  }

  [[gnu::cold]] result<void> start(shared<const prepared_weights> prepared, const options& wanted, std::byte* room) {
    weights_ = std::move(prepared);
    weights_->set_bases(view_of_plan, bases_);
    if (auto ok = arena_.allocate(room); !ok) return ok;
    bases_[in_arena] = arena_.data();
    clear_ports(view_of_plan, view_of_plan.outputs, bases_);
    detail::reset_states(view_of_plan, arena_.data(), bases_);  // last: an output may share memory with a state
    if constexpr (is_unrolled) return {};
    if (auto ok = views_.allocate(static_cast<std::int64_t>(plan.slots.size() * sizeof(view)), "views of operands");
        !ok)
      return ok;
    make_views(view_of_plan, bases_, views());
    if (wanted.threads == 1) return {};
    threads_ = shared<thread_pool>::make();
    if (auto ok = threads_->start(wanted.threads, wanted.pin_threads); !ok) return ok;
    return further_scratch_.allocate(plan.part_scratch_bytes * (wanted.threads - 1), "scratch memory of the threads");
  }

  template <std::size_t I, bool IsInput, class Range> static bool fits_one(const Range& range) {
    constexpr std::int64_t expected = rules::template expected_size<I, IsInput, Range>();
    return detail::static_size<Range> >= 0 || static_cast<std::int64_t>(std::size(range)) == expected;
  }
  /// Whether steps write to this range.
  template <class Range> bool is_overwritten(const Range& range) {
    return reinterpret_cast<std::uintptr_t>(std::data(range)) - reinterpret_cast<std::uintptr_t>(arena_.data()) <
           static_cast<std::uintptr_t>(plan.arena_bytes);
  }
  template <std::size_t... I, class... Ranges> bool may_run(std::index_sequence<I...>, const Ranges&... inputs) {
    return ((fits_one<I, true>(inputs) && !is_overwritten(inputs)) && ...);
  }

  /// The error for the first range that does not fit.
  template <bool IsInput, std::size_t... I, class... Ranges>
  error misfit(std::index_sequence<I...>, const Ranges&... ranges) {
    pool<char> wrong;
    static_cast<void>((check_one<I, IsInput>(ranges, wrong) && ...));
    return {error_code::invalid_argument, letters_of(wrong)};
  }
  template <std::size_t I, bool IsInput, class Range> bool check_one(const Range& range, pool<char>& wrong) {
    constexpr std::string_view name = IsInput ? G::inputs[IsInput ? I : 0].name : G::outputs[IsInput ? 0 : I].name;
    if (!fits_one<I, IsInput>(range))
      return detail::append_misfit(wrong, IsInput ? "input" : "output", name, std::size(range),
                                   rules::template expected_size<I, IsInput, Range>());
    return !IsInput || !is_overwritten(range) || detail::append_overwritten(wrong, name);
  }

  /// Whether the run produced outputs; if not, the error has been reported.
  template <class... Ranges> bool run_or_report(const Ranges&... inputs) {
    if (!weights_) return broken_contract(reason().message()), false;
    run_fault fault;
    const step* const failed = run_on(fault, inputs...);
    if constexpr (may_fail)
      if (failed != nullptr) broken_contract(error_of(view_of_plan, *failed, fault).message());
    return !may_fail || failed == nullptr;
  }
  /// Runs all steps. Returns the step that rejected its values; nullptr: none.
  template <class... Ranges> const step* run_on([[maybe_unused]] run_fault& fault, const Ranges&... inputs) {
    std::size_t next = first_input;
    // The arena of a moved executor has another address. Steps never write to inputs: the planner places every result
    // in the arena.
    bool is_elsewhere = lies_at(in_arena, arena_.data());
    ((is_elsewhere |= lies_at(next++, reinterpret_cast<std::byte*>(
                                          const_cast<detail::element_of_range<const Ranges>*>(std::data(inputs))))),
     ...);
    if constexpr (is_unrolled) {
      return detail::run_unrolled<plan>(bases_, &fault, std::make_index_sequence<plan.steps.size()>{});
    } else {
      if (is_elsewhere) make_views(view_of_plan, bases_, views());
      run_context context;
      context.bases = bases_;
      context.views = views();
      context.threads = threads_.get();
      context.further_scratch = further_scratch_.data();
      if constexpr (may_fail) context.fault = &fault;
      if constexpr (detail::takes_times<Policy>) return times_.run(view_of_plan, context);
      const step* const failed = trials_.run(context, [&] { return walk(context); });
      return may_fail ? failed : nullptr;
    }
  }

  /// Sets a base. Returns whether it changed.
  bool lies_at(std::size_t base, std::byte* first) {
    const bool is_elsewhere = bases_[base] != first;
    bases_[base] = first;
    return is_elsewhere;
  }
  array_ref<view> views() const { return {reinterpret_cast<view*>(views_.data()), plan.slots.size()}; }

  static const step* walk(const run_context& context) {
    if constexpr (plan.stripes.empty())
      if (context.threads == nullptr) return run_steps(view_of_plan, plan.steps, context);
    return run_plan(view_of_plan, context);
  }

  template <std::size_t I, class Range> void copy_output(Range& to) {
    detail::copy_output<detail::name_of_tensor<G, false, I>>(output_at<I>(), to);
  }
  template <std::size_t I> output_span<I> output_at() {
    constexpr std::int64_t offset = plan.slots[static_cast<std::size_t>(plan.outputs[I].slot)].offset;
    return output_span<I>(reinterpret_cast<const detail::output_element<G, I>*>(arena_.data() + offset),
                          detail::output_size<G, I>);
  }

  arena_type arena_;
  std::array<std::byte*, view_of_plan.base_count()> bases_{};
  heap_block views_;                        // views of the operands, for bases_
  shared<const prepared_weights> weights_;  // null: the executor could not be made
  shared<thread_pool> threads_;
  thread_autotuner trials_;
  heap_block further_scratch_;
  result<void> made_;  // or the error that made creation fail
  [[no_unique_address]] typename detail::times_of<Policy>::type times_;
};

}}  // namespace nnrt::NNRT_ISA
