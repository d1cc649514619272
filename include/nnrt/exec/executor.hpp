// executor: runs a network that the compiler has planned - no interpreter, no heap at inference.
// Flow: create() binds and prepares weights once; operator() resolves addresses and walks the frozen plan, or the unrolled steps.
#pragma once

#include <nnrt/core/contract.hpp>
#include <nnrt/core/fixed_string.hpp>
#include <nnrt/exec/memory.hpp>
#include <nnrt/exec/options.hpp>
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/exec/threads.hpp>
#include <nnrt/policy/cpu.hpp>

#include <iterator>
#include <tuple>

namespace nnrt::inline NNRT_ISA {

namespace detail {

template <class Range> using element_of_range = std::remove_cvref_t<decltype(*std::data(std::declval<Range&>()))>;

/// Elements of a range when its type tells them, else -1.
template <class Range> inline constexpr std::int64_t static_size = -1;
template <class T, std::size_t N> inline constexpr std::int64_t static_size<std::array<T, N>> = static_cast<std::int64_t>(N);
template <class T, std::size_t N> inline constexpr std::int64_t static_size<T[N]> = static_cast<std::int64_t>(N);
template <class T, std::size_t N> inline constexpr std::int64_t static_size<std::span<T, N>> = N == std::dynamic_extent ? -1 : static_cast<std::int64_t>(N);

template <class G, std::size_t I> using span_of_output = std::span<const output_element<G, I>, output_size<G, I>>;
template <class G, class Sequence> struct spans_of_outputs;
template <class G, std::size_t I> struct spans_of_outputs<G, std::index_sequence<I>> { using type = span_of_output<G, I>; };
template <class G, std::size_t... I> struct spans_of_outputs<G, std::index_sequence<I...>> { using type = std::tuple<span_of_output<G, I>...>; };

inline std::string size_message(std::string_view what, std::string_view name, std::size_t got, std::int64_t expected) {
  return std::string(what) + " \"" + std::string(name) + "\": got " + std::to_string(got) + " elements, expected " + std::to_string(expected);
}

/// The plan of a network under a policy: the unrolled form takes references, whose loops the compiler sees through.
template <class G, class Policy>
inline constexpr bool unrolls = Policy::form == execution_form::unrolled || (Policy::form == execution_form::automatic && G::is_micro);
template <class G, class Policy> constexpr const auto& plan_of() { return G::template plan_with<!unrolls<G, Policy>>(); }

template <const auto& Plan, std::int32_t Slot> inline view constant_view(base_table bases) {
  constexpr const operand_slot& slot = Plan.slots[static_cast<std::size_t>(Slot)];
  return view_of(slot, Plan.slots, Plan.descs, bases);
}

/// Step I with everything but the addresses known to the compiler.
template <const auto& Plan, std::size_t I, std::int32_t... In, std::int32_t... Out>
[[gnu::always_inline]] inline void unrolled_step(base_table bases, std::integer_sequence<std::int32_t, In...>, std::integer_sequence<std::int32_t, Out...>) {
  constexpr step s = Plan.steps[I];
  const std::array<view, sizeof...(In)> in{constant_view<Plan, s.inputs.first + In>(bases)...};
  const std::array<view, sizeof...(Out)> out{constant_view<Plan, s.outputs.first + Out>(bases)...};
  kernel_call call;
  call.attrs = {Plan.words.data() + s.attrs.first, static_cast<std::size_t>(s.attrs.count)};
  call.in = in;
  call.out = out;
  s.run(call);
}

template <const auto& Plan, std::size_t... I> [[gnu::flatten]] inline void run_unrolled(base_table bases, std::index_sequence<I...>) {
  (unrolled_step<Plan, I>(bases, std::make_integer_sequence<std::int32_t, Plan.steps[I].inputs.count>{},
                          std::make_integer_sequence<std::int32_t, Plan.steps[I].outputs.count>{}),
   ...);
}

}  // namespace detail

/// Runs network G (a graph<f>). Movable; one thread at a time uses one executor, several executors may share() weights.
///
///   run(x…)       inputs in order of declaration, each a contiguous range of the element type; returns views into the executor, valid until
///                 the next run: a span of known size, or a tuple of them
///   run(x…, y…)   the same, and copies the outputs into the caller's ranges
///   try_run(x…)   a result instead of a broken contract when a size that only run time knows is wrong
template <class G, class Policy = cpu> class executor {
  static constexpr const auto& plan = detail::plan_of<G, Policy>();
  static constexpr plan_view view_of_plan = plan_view::of(plan);
  static constexpr std::size_t input_count = G::inputs.size();
  static constexpr std::size_t output_count = G::outputs.size();
  static constexpr bool is_unrolled = detail::unrolls<G, Policy>;

 public:
  /// Span over output I.
  template <std::size_t I> using output_span = detail::span_of_output<G, I>;
  /// What a run returns: the span over the only output, or a tuple of spans.
  using outputs_type = typename detail::spans_of_outputs<G, std::make_index_sequence<output_count>>::type;

  /// For networks that name no weights and need nothing prepared beyond what cannot fail but for memory.
  executor()
    requires(G::weights.empty())
  {
    auto made = prepare(view_of_plan, {});
    if (made) weights_ = shared<const prepared_weights>(shared<prepared_weights>::make(std::move(*made)));
    else broken_contract(made.error().message());
    auto arena = arena_type::make();
    if (arena) arena_ = std::move(*arena);
    else broken_contract(arena.error().message());
  }
  executor(executor&&) noexcept = default;
  executor& operator=(executor&&) noexcept = default;

  /// Errors: invalid_argument, with every missing, superfluous, mistyped or misshapen weight in one message; out_of_memory.
  static result<executor> create(const weights& file, const options& wanted = {}) {
    auto bound = bind_weights(file, G::weight_specs);
    if (!bound) return fail(std::move(bound.error()));
    auto made = prepare(view_of_plan, std::move(*bound));
    if (!made) return fail(std::move(made.error()));
    return with(shared<const prepared_weights>(shared<prepared_weights>::make(std::move(*made))), wanted);
  }
  static result<executor> create(const options& wanted = {})
    requires(G::weights.empty())
  {
    return create(weights{}, wanted);
  }

  /// Another executor with the same prepared weights and an arena and threads of its own. Errors: out_of_memory.
  result<executor> share() const { return with(weights_, {threads_ ? threads_->threads() : 1}); }

  template <class... Ranges>
    requires(sizeof...(Ranges) == input_count)
  outputs_type operator()(const Ranges&... inputs) {
    if (const std::string wrong = check_inputs(std::index_sequence_for<Ranges...>{}, inputs...); !wrong.empty()) broken_contract(wrong);
    else run_on(inputs...);
    return outputs();
  }
  template <class... Ranges>
    requires(sizeof...(Ranges) == input_count + output_count && output_count > 0)
  void operator()(Ranges&&... ranges) {
    auto all = std::forward_as_tuple(ranges...);
    [&]<std::size_t... In, std::size_t... Out>(std::index_sequence<In...>, std::index_sequence<Out...>) {
      std::string wrong = check_inputs(std::index_sequence<In...>{}, std::get<In>(all)...);
      ((wrong = wrong.empty() ? check_size<Out, false>(std::get<input_count + Out>(all)) : wrong), ...);
      if (!wrong.empty()) return broken_contract(wrong);
      run_on(std::get<In>(all)...);
      (std::copy(output_at<Out>().begin(), output_at<Out>().end(), std::data(std::get<input_count + Out>(all))), ...);
    }(std::make_index_sequence<input_count>{}, std::make_index_sequence<output_count>{});
  }

  /// Errors: invalid_argument, naming the input and both sizes; then nothing was run.
  template <class... Ranges>
    requires(sizeof...(Ranges) == input_count)
  result<outputs_type> try_run(const Ranges&... inputs) {
    std::string wrong = check_inputs(std::index_sequence_for<Ranges...>{}, inputs...);
    if (!wrong.empty()) return fail(error_code::invalid_argument, std::move(wrong));
    run_on(inputs...);
    return outputs();
  }

  /// The outputs of the last run: one span, or a tuple of them.
  outputs_type outputs() {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return outputs_type(output_at<I>()...); }(std::make_index_sequence<output_count>{});
  }
  /// The output of this name of the last run: run.output<"probability">().
  template <fixed_string Name> auto output() {
    constexpr std::size_t index = index_of(Name.view());
    static_assert(index < output_count, "nnrt: the network has no output of this name");
    return output_at<index>();
  }

 private:
  using arena_type = arena_memory<plan.arena_bytes>;

  struct without_preparing {};
  explicit executor(without_preparing) {}

  static result<executor> with(shared<const prepared_weights> prepared, const options& wanted) {
    executor made{without_preparing{}};
    made.weights_ = std::move(prepared);
    auto arena = arena_type::make();
    if (!arena) return fail(std::move(arena.error()));
    made.arena_ = std::move(*arena);
    if (wanted.threads == 1 || is_unrolled) return made;
    made.threads_ = shared<thread_pool>::make();
    if (auto started = made.threads_->start(wanted.threads); !started) return fail(std::move(started.error()));
    auto scratch = heap_block::allocate(plan.part_scratch_bytes * (wanted.threads - 1), "scratch memory of the threads");
    if (!scratch) return fail(std::move(scratch.error()));
    made.further_scratch_ = std::move(*scratch);
    return made;
  }

  static constexpr std::size_t index_of(std::string_view name) {
    for (std::size_t i = 0; i < output_count; ++i)
      if (G::outputs[i].name == name) return i;
    return output_count;
  }

  /// Empty when the range fits; sizes and element types that the type tells are checked by the compiler.
  template <std::size_t I, bool IsInput, class Range> static std::string check_size(const Range& range) {
    constexpr tensor_info info = IsInput ? G::inputs[IsInput ? I : 0] : G::outputs[IsInput ? 0 : I];
    constexpr std::int64_t expected = info.desc.elements();
    static_assert(dtype_for<detail::element_of_range<const Range>>() == info.desc.type, "nnrt: this range has another element type than the tensor");
    static_assert(detail::static_size<Range> < 0 || detail::static_size<Range> == expected, "nnrt: this range has another number of elements than the tensor");
    if (detail::static_size<Range> < 0 && static_cast<std::int64_t>(std::size(range)) != expected)
      return detail::size_message(IsInput ? "input" : "output", info.name, std::size(range), expected);
    return {};
  }
  template <std::size_t... I, class... Ranges> static std::string check_inputs(std::index_sequence<I...>, const Ranges&... inputs) {
    std::string wrong;
    ((wrong = wrong.empty() ? check_size<I, true>(inputs) : wrong), ...);
    return wrong;
  }

  template <class... Ranges> void run_on(const Ranges&... inputs) {
    std::array<std::byte*, view_of_plan.base_count()> bases{};
    bases[in_arena] = arena_.data();
    weights_->set_bases(view_of_plan, bases);
    // Steps never write to inputs: the planner gives every result memory of its own in the arena.
    [[maybe_unused]] std::size_t next = first_input;
    ((bases[next++] = reinterpret_cast<std::byte*>(const_cast<detail::element_of_range<const Ranges>*>(std::data(inputs)))), ...);
    if constexpr (is_unrolled) {
      detail::run_unrolled<plan>(bases, std::make_index_sequence<plan.steps.size()>{});
    } else {
      std::array<view, static_cast<std::size_t>(plan.most_operands)> views;
      run_context context;
      context.bases = bases;
      context.views = views;
      context.threads = threads_.get();
      context.further_scratch = further_scratch_.data();
      run_steps(view_of_plan, plan.steps, context);
    }
  }

  template <std::size_t I> output_span<I> output_at() {
    constexpr std::int64_t offset = plan.slots[static_cast<std::size_t>(plan.outputs[I].slot)].offset;
    return output_span<I>(reinterpret_cast<const detail::output_element<G, I>*>(arena_.data() + offset), detail::output_size<G, I>);
  }

  arena_type arena_;
  shared<const prepared_weights> weights_;
  shared<thread_pool> threads_;
  heap_block further_scratch_;
};

}  // namespace nnrt::inline NNRT_ISA
