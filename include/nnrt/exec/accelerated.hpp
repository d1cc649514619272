// accelerated: executor<graph<f>, bpu<…>> - a network of stored numbers behind the calls of a static executor.
// Flow: create() compiles what calibrate() made; runs go through a session, the one way to run a graph whose scales came at run time.
#pragma once

#include <nnrt/exec/calibrate.hpp>
#include <nnrt/exec/executor.hpp>

namespace nnrt::inline NNRT_ISA {

/// Runs network G as an accelerator would: what its policy gives it on stored numbers, the rest in floats. Movable; one thread at a time.
///
///   run(x…)       inputs in order of declaration; returns views, valid until the next run: a span of known size, or a tuple of them
///   try_run(x…)   a result instead of a broken contract when a size that only run time knows is wrong
///
/// Scales are known when the network has been calibrated, not when it is compiled: so its plan is made by create().
template <class G, class Architecture, class... Options> class executor<G, bpu<Architecture, Options...>> {
 public:
  using policy = bpu<Architecture, Options...>;
  using outputs_type = typename detail::spans_of_outputs<G, std::make_index_sequence<G::outputs.size()>>::type;

  /// Errors: those of compile().
  static result<executor> create(const calibrated<G, policy>& network, const options& wanted = {}) {
    auto made = compile(network.network, wanted);
    if (!made) return fail(std::move(made.error()));
    executor run(std::move(*made));
    if (auto ready = run.session_.ready(); !ready) return fail(std::move(ready.error()));
    return run;
  }

  template <class... Ranges>
    requires(sizeof...(Ranges) == G::inputs.size())
  outputs_type operator()(const Ranges&... inputs) {
    if (auto done = put_and_run(std::index_sequence_for<Ranges...>{}, inputs...); !done) broken_contract(done.error().message());
    return outputs(std::make_index_sequence<G::outputs.size()>{});
  }
  /// Errors: invalid_argument, naming the input and both sizes.
  template <class... Ranges>
    requires(sizeof...(Ranges) == G::inputs.size())
  result<outputs_type> try_run(const Ranges&... inputs) {
    if (auto done = put_and_run(std::index_sequence_for<Ranges...>{}, inputs...); !done) return fail(std::move(done.error()));
    return outputs(std::make_index_sequence<G::outputs.size()>{});
  }
  /// The compiled network: its table, its text, its steps.
  const program& compiled() const { return session_.compiled(); }

 private:
  explicit executor(program made) : session_(made) {}

  template <std::size_t I, class Range> result<void> put(const Range& range) {
    using element = detail::input_element<G, I>;
    static_assert(dtype_for<detail::element_of_range<const Range>>() == G::inputs[I].desc.type, "nnrt: this range has another element type than the tensor");
    static_assert(detail::static_size<Range> < 0 || detail::static_size<Range> == G::inputs[I].desc.elements(), "nnrt: this range has another number of elements than the tensor");
    if (static_cast<std::int64_t>(std::size(range)) != G::inputs[I].desc.elements()) {
      pool<char> wrong;
      detail::append_misfit(wrong, "input", G::inputs[I].name, std::size(range), G::inputs[I].desc.elements());
      return fail(error_code::invalid_argument, letters_of(wrong));
    }
    std::copy(std::begin(range), std::end(range), session_.template input<element>(I).begin());
    return {};
  }
  template <std::size_t... I, class... Ranges> result<void> put_and_run(std::index_sequence<I...>, const Ranges&... inputs) {
    result<void> ok;
    ((ok = ok ? put<I>(inputs) : ok), ...);
    return ok ? session_.run() : ok;
  }
  template <std::size_t I> detail::span_of_output<G, I> output_at() {
    const auto elements = session_.template output<detail::output_element<G, I>>(I);
    return detail::span_of_output<G, I>(elements.data(), detail::output_size<G, I>);
  }
  template <std::size_t... I> outputs_type outputs(std::index_sequence<I...>) { return outputs_type(output_at<I>()...); }

  session session_;
};

}  // namespace nnrt::inline NNRT_ISA
