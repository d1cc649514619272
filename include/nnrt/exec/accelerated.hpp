// accelerated: executor<graph<f>, bpu<…>> - runs a quantised network with the calls of a static executor.
// Flow: create() compiles the result of calibrate(); runs use a session, because scales are known only at run time.
#pragma once

#include <nnrt/exec/calibrate_images.hpp>
#include <nnrt/exec/executor.hpp>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

/// Checks that a stored network has the inputs and outputs of G, which callers read and write. `made` has
/// input_count(), input_desc(i), output_count() and output_desc(i).
template <class G, class Made> [[gnu::cold]] result<void> check_ends(const Made& made) {
  if (made.input_count() != G::inputs.size() || made.output_count() != G::outputs.size())
    return fail(error_code::invalid_argument,
                {"the stored network has ", made.input_count(), " inputs and ", made.output_count(),
                 " outputs, expected ", G::inputs.size(), " and ", G::outputs.size()});
  const auto differs = [](const char* what, const tensor_info& wanted, const tensor_desc& got) {
    return fail(error_code::invalid_argument,
                {what, " ", piece::in_quotes(wanted.name), ": the stored network has ", piece(got.type, got.shape),
                 ", expected ", piece(wanted.desc.type, wanted.desc.shape)});
  };
  for (std::size_t i = 0; i < G::inputs.size(); ++i) {
    const tensor_desc &got = made.input_desc(i), &expected = G::inputs[i].desc;
    if (!(got.shape == expected.shape) || (got.type != expected.type && !(got.type == i8 && expected.type == f32)))
      return differs("input", G::inputs[i], got);
  }
  for (std::size_t i = 0; i < G::outputs.size(); ++i) {
    const tensor_desc &got = made.output_desc(i), &expected = G::outputs[i].desc;
    if (!(got.shape == expected.shape) || got.type != expected.type) return differs("output", G::outputs[i], got);
  }
  return {};
}

[[gnu::cold]] inline result<void> check_size(std::string_view what, const tensor_info& of, std::size_t got) {
  if (static_cast<std::int64_t>(got) == of.desc.elements()) return {};
  pool<char> wrong;
  append_misfit(wrong, what, of.name, got, of.desc.elements());
  return fail(error_code::invalid_argument, letters_of(wrong));
}

}  // namespace detail

/// Runs network G as an accelerator would: the nodes that its policy selects on quantised values, the rest on floats.
/// Movable; one thread at a time.
///
///   run(x…)       inputs in order of declaration; returns a span of known size, or a tuple of spans, valid until the
///                 next run. For an image (calibrate_images.hpp) x is an image_view, or std::int8_t: pixels - 128
///   run(x…, y…)   as above, and copies the outputs into the caller's ranges; one range may be both input and output of
///                 a state: run(x, state, y, state)
///   try_run(…)    either of the two; returns a result instead of breaking a contract when a run-time size is wrong
///
/// Scales are known after calibration, not at compile time, so create() makes the plan.
template <class G, class Architecture, class... Options>
class executor<G, bpu<Architecture, Options...>> : public detail::refused_calls<G, image_view> {
  using rules = detail::call_rules<G, image_view>;
  using refused = detail::refused_calls<G, image_view>;

 public:
  using refused::operator(), refused::try_run;
  using policy = bpu<Architecture, Options...>;
  using outputs_type = typename detail::spans_of_outputs<G, std::make_index_sequence<G::outputs.size()>>::type;
  static constexpr std::size_t input_count = G::inputs.size(), output_count = G::outputs.size();

  /// Errors: those of compile(); invalid_argument (the stored network does not have the inputs and outputs of G).
  static result<executor> create(const calibrated<G, policy>& network, const options& wanted = {}) {
    auto made = compile(network.network, wanted);
    if (!made) return fail(std::move(made.error()));
    if (auto ok = detail::check_ends<G>(*made); !ok) return fail(std::move(ok.error()));
    executor run(std::move(*made), network.inputs);
    if (auto ready = run.session_.ready(); !ready) return fail(std::move(ready.error()));
    return run;
  }

  template <class... Ranges>
    requires(rules::template takes<input_count, Ranges...>)
  outputs_type operator()(const Ranges&... inputs) {
    if (auto done = put_and_run(std::index_sequence_for<Ranges...>{}, inputs...); !done)
      broken_contract(done.error().message());
    return outputs();
  }
  template <class... Ranges>
    requires(rules::template takes<input_count + output_count, Ranges...>)
  void operator()(Ranges&&... ranges) {
    if (auto done = try_run(ranges...); !done) broken_contract(done.error().message());
  }
  /// Error: invalid_argument, which names the input and both sizes, or the error in an image.
  template <class... Ranges>
    requires(rules::template takes<input_count, Ranges...>)
  result<outputs_type> try_run(const Ranges&... inputs) {
    if (auto done = put_and_run(std::index_sequence_for<Ranges...>{}, inputs...); !done)
      return fail(std::move(done.error()));
    return outputs();
  }
  /// As above, and copies the outputs into the caller's ranges. Errors: the same, and wrong sizes of outputs. After an
  /// error the ranges are unchanged.
  template <class... Ranges>
    requires(rules::template takes<input_count + output_count, Ranges...>)
  result<void> try_run(Ranges&&... ranges) {
    auto all = std::forward_as_tuple(ranges...);
    return [&]<std::size_t... In, std::size_t... Out>(std::index_sequence<In...> in, std::index_sequence<Out...>) {
      result<void> ok;
      ((ok = ok ? check_output<Out>(std::get<input_count + Out>(all)) : ok), ...);
      if (ok) ok = put_and_run(in, std::as_const(std::get<In>(all))...);
      if (ok)
        (detail::copy_output<detail::name_of_tensor<G, false, Out>>(output_at<Out>(), std::get<input_count + Out>(all)),
         ...);
      return ok;
    }(std::make_index_sequence<input_count>{}, std::make_index_sequence<output_count>{});
  }

  /// The outputs of the last run: one span, or a tuple of them.
  outputs_type outputs() {
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
  /// As in other executors. States are floats between runs; they are quantised where the accelerator reads them.
  void reset() { session_.reset(); }
  saved_state save_state() const { return session_.save_state(); }
  result<void> load_state(const saved_state& from) { return session_.load_state(from); }
  /// Another executor of the same compiled network, with a separate arena and states. If memory is exhausted, each of
  /// its runs is a broken contract that reports so.
  executor share() const { return executor(session_.compiled(), given_); }
  /// The compiled network: its table, its text, its steps.
  const program& compiled() const { return session_.compiled(); }

 private:
  executor(const program& made, const std::vector<saved_input>& given) : session_(made), given_(given) {}

  template <std::size_t I, class Range> result<void> put(const Range& range) {
    using element = detail::element_of_range<const Range>;
    constexpr dtype type = dtype_for<element>();
    static_cast<void>(rules::template expected_size<I, true, Range>());
    if (const dtype expected = session_.input_desc(I).type; type != expected)
      return fail(error_code::invalid_argument,
                  {"input ", piece::in_quotes(G::inputs[I].name), ": got ", name_of(type), ", expected ",
                   expected == i8 ? "an image, or its pixels - 128 as " : "", name_of(expected)});
    if (auto ok = detail::check_size("input", G::inputs[I], std::size(range)); !ok) return ok;
    std::copy(std::begin(range), std::end(range), session_.template input<element>(I).begin());
    return {};
  }
  template <std::size_t I> result<void> put(const image_view& image) {
    rules::template require_floats<I>();
    return put_image(I, image);
  }
  [[gnu::cold]] result<void> put_image(std::size_t i, const image_view& image) {
    const auto refuse = [&](pieces why) {
      return fail(error_code::invalid_argument, {"input ", piece::in_quotes(G::inputs[i].name), ": ", joined(why)});
    };
    if (i >= given_.size() || !given_[i].is_image)
      return refuse(
          {"got an image, expected ", name_of(G::inputs[i].desc.type), ": the network was calibrated for tensors"});
    const tensor_desc& desc = session_.input_desc(i);
    if (desc.shape[0] != 1 || image.height != desc.shape[1] || image.width != desc.shape[2])
      return refuse({"got an image of ", image.height, " x ", image.width, ", expected ",
                     desc.shape[0] != 1 ? "pixels - 128 of several images" : "one of ", desc.shape});
    if (const verdict v = check_image(image, given_[i].seen); !v) return refuse({detail::words_of_image_rule(v)});
    const bool is_put = desc.type == i8
                            ? store_image(image, given_[i].seen, session_.template input<std::int8_t>(i))
                            : image_to_floats(image, given_[i].seen, given_[i].by, session_.template input<float>(i));
    return is_put ? result<void>() : refuse({"the image does not fit"});
  }
  template <std::size_t... I, class... Ranges>
  result<void> put_and_run(std::index_sequence<I...>, const Ranges&... inputs) {
    result<void> ok = session_.ready();  // a session that was moved away has no inputs
    ((ok = ok ? put<I>(inputs) : ok), ...);
    return ok ? session_.run() : ok;
  }
  template <std::size_t I> detail::span_of_output<G, I> output_at() {
    const auto elements = session_.template output<detail::output_element<G, I>>(I);
    return detail::span_of_output<G, I>(elements.data(), detail::output_size<G, I>);
  }
  template <std::size_t I, class Range> static result<void> check_output(const Range& range) {
    static_cast<void>(rules::template expected_size<I, false, Range>());
    if constexpr (detail::is_contiguous<Range>)
      return detail::check_size("output", detail::end_of<G, false, I>, std::size(range));
    else return {};
  }

  session session_;
  std::vector<saved_input> given_;  // for each input, if given to calibrate()
};

}}  // namespace nnrt::NNRT_ISA
