// call_rules: compile-time checks of an executor's arguments - their number, ranges, dtypes, sizes, names.
// Flow: executor.hpp and accelerated.hpp accept calls that keep these rules; for others the compiler prints the rule.
#pragma once

#include <nnrt/core/fixed_string.hpp>
#include <nnrt/exec/static_graph.hpp>

#include <array>
#include <span>
#include <tuple>

namespace nnrt { inline namespace NNRT_ISA {

/// Rules about the types of an executor's arguments.
enum class range_rule {
  range_must_have_the_dtype_of_its_tensor,
  range_must_have_as_many_elements_as_its_tensor,
  argument_must_be_a_contiguous_range,  // for a pointer p, pass std::span<const float, 4>(p, 4) for example
  range_of_an_output_must_not_be_const,
  arguments_must_be_as_many_as_inputs_or_inputs_and_outputs,
  tensor_of_an_image_must_be_of_floats,
};

namespace detail {

/// Input or output I.
template <class G, bool IsInput, std::size_t I>
inline constexpr tensor_info end_of = IsInput ? G::inputs[IsInput ? I : 0] : G::outputs[IsInput ? 0 : I];
/// Its name, letter by letter, for the compiler to print.
template <class G, bool IsInput, std::size_t I, class Letters> struct tensor_name;
template <class G, bool IsInput, std::size_t I, std::size_t... Letter>
struct tensor_name<G, IsInput, I, std::index_sequence<Letter...>> {
  using type = named<end_of<G, IsInput, I>.name[Letter]...>;
};
template <class G, bool IsInput, std::size_t I>
using name_of_tensor =
    typename tensor_name<G, IsInput, I, std::make_index_sequence<end_of<G, IsInput, I>.name.size()>>::type;

template <class Range> inline constexpr bool is_contiguous = requires(const Range& x) { std::data(x), std::size(x); };
template <class Range> using element_of_range = std::remove_cvref_t<decltype(*std::data(std::declval<Range&>()))>;

/// Number of elements of a range if its type says so, else -1.
template <class Range> inline constexpr std::int64_t static_size = -1;
template <class T, std::size_t N>
inline constexpr std::int64_t static_size<std::array<T, N>> = static_cast<std::int64_t>(N);
template <class T, std::size_t N> inline constexpr std::int64_t static_size<T[N]> = static_cast<std::int64_t>(N);
template <class T, std::size_t N>
inline constexpr std::int64_t static_size<std::span<T, N>> =
    N == std::dynamic_extent ? -1 : static_cast<std::int64_t>(N);

template <class G, std::size_t I> using span_of_output = std::span<const output_element<G, I>, output_size<G, I>>;
template <class G, class Sequence> struct spans_of_outputs;
template <class G, std::size_t I> struct spans_of_outputs<G, std::index_sequence<I>> {
  using type = span_of_output<G, I>;
};
template <class G, std::size_t... I> struct spans_of_outputs<G, std::index_sequence<I...>> {
  using type = std::tuple<span_of_output<G, I>...>;
};

/// Appends an error about the size of a range. Returns false, which ends a chain of checks at the first error.
[[gnu::cold]] inline bool append_misfit(pool<char>& wrong, std::string_view what, std::string_view name,
                                        std::size_t got, std::int64_t expected) {
  append(wrong, {what, " \"", name, "\": got ", got, " elements, expected ", expected});
  return false;
}

/// The index of the output with this name; the number of outputs if there is none.
template <class G> constexpr std::size_t output_of_name(std::string_view name) {
  std::size_t i = 0;
  while (i < G::outputs.size() && G::outputs[i].name != name) ++i;
  return i;
}

/// Copies a result into a range of the same size and element type; call_rules rejects others. `Name` is the output's.
template <class Name, class Span, class Range> void copy_output(const Span& from, Range& to) {
  if constexpr (!is_contiguous<Range>) return;
  else if constexpr (std::is_const_v<std::remove_pointer_t<decltype(std::data(to))>>)
    static_cast<void>(graph_rejected<range_rule::range_of_an_output_must_not_be_const, Name>::report());
  else std::copy(from.begin(), from.end(), std::data(to));
}

/// The calls that G's executor accepts. `Image`: a type that may stand for a float input. With `Image`, such an input
/// also accepts int8 values.
template <class G, class Image = void> struct call_rules {
  static constexpr std::size_t input_count = G::inputs.size(), output_count = G::outputs.size();
  template <bool IsInput, std::size_t I> using name = name_of_tensor<G, IsInput, I>;
  template <class Argument> static constexpr bool is_image = std::is_same_v<std::remove_cvref_t<Argument>, Image>;

  /// Whether there are `Count` arguments, each of a kind that a run accepts.
  template <std::size_t Count, class... Arguments>
  static constexpr bool takes =
      sizeof...(Arguments) == Count && ((is_contiguous<Arguments> || is_image<Arguments>)&&...);

  /// Rejects an argument list, with the rule that it breaks.
  template <class... Arguments, std::size_t... I> static constexpr void refuse(std::index_sequence<I...>) {
    constexpr std::size_t count = sizeof...(Arguments);
    if constexpr (count != input_count && count != input_count + output_count)
      static_cast<void>(
          graph_rejected<range_rule::arguments_must_be_as_many_as_inputs_or_inputs_and_outputs, actual<count>,
                         expected<input_count>, expected<input_count + output_count>>::report());
    else
      (static_cast<void>(require_range < (I < input_count), I < input_count ? I : I - input_count, Arguments > ()),
       ...);
  }

  /// Number of elements of the tensor for a given range. The compiler checks the range's dtype, and its size if the
  /// type says so.
  template <std::size_t I, bool IsInput, class Range> static constexpr std::int64_t expected_size() {
    constexpr tensor_info info = end_of<G, IsInput, I>;
    if constexpr (!require_range<IsInput, I, Range>()) return -1;
    else if constexpr (!is_dtype_of<info.desc.type, IsInput, dtype_for<element_of_range<const Range>>()>)
      return decltype(graph_rejected<range_rule::range_must_have_the_dtype_of_its_tensor, name<IsInput, I>,
                                     actual<dtype_for<element_of_range<const Range>>()>,
                                     expected<info.desc.type>>::report())();
    else if constexpr (static_size<Range> >= 0 && static_size<Range> != info.desc.elements())
      return decltype(graph_rejected<range_rule::range_must_have_as_many_elements_as_its_tensor, name<IsInput, I>,
                                     actual<static_size<Range>>, expected<info.desc.elements()>>::report())();
    else return info.desc.elements();
  }

  /// Rejects an image for an input that is not f32.
  template <std::size_t I> static constexpr void require_floats() {
    if constexpr (G::inputs[I].desc.type != f32)
      static_cast<void>(graph_rejected<range_rule::tensor_of_an_image_must_be_of_floats, name<true, I>,
                                       actual<G::inputs[I].desc.type>>::report());
  }

 private:
  template <bool IsInput, std::size_t I, class Argument> static constexpr bool require_range() {
    constexpr bool is_one = is_contiguous<Argument> || (IsInput && is_image<Argument>);
    if constexpr (!is_one)
      static_cast<void>(graph_rejected<range_rule::argument_must_be_a_contiguous_range, name<IsInput, I>>::report());
    return is_one;
  }
  template <dtype Declared, bool IsInput, dtype Given>
  static constexpr bool is_dtype_of =
      Given == Declared || (!std::is_void_v<Image> && IsInput && Declared == f32 && Given == i8);
};

/// The calls that break the rules; for each the compiler prints the rule. Executors derive from this and accept the
/// other calls.
template <class G, class Image = void> class refused_calls {
  using rules = call_rules<G, Image>;
  using outputs_type = typename spans_of_outputs<G, std::make_index_sequence<G::outputs.size()>>::type;
  template <class... Arguments>
  static constexpr bool breaks = !rules::template takes<rules::input_count, Arguments...> &&
                                 !rules::template takes<rules::input_count + rules::output_count, Arguments...>;

 public:
  template <class... Arguments>
    requires breaks<Arguments...>
  outputs_type operator()(const Arguments&...) {
    rules::template refuse<Arguments...>(std::index_sequence_for<Arguments...>{});
    __builtin_unreachable();  // not reached: the rejected call does not compile
  }
  template <class... Arguments>
    requires breaks<Arguments...>
  result<outputs_type> try_run(const Arguments&...) {
    rules::template refuse<Arguments...>(std::index_sequence_for<Arguments...>{});
    __builtin_unreachable();
  }
};

}  // namespace detail

}}  // namespace nnrt::NNRT_ISA
