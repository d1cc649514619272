// calibration_samples: the samples of a calibration, and how they are copied into the inputs of a session.
// Flow: calibrate() makes a sample_source of any range of samples.
#pragma once

#include <nnrt/exec/session.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

/// Copies a range into input i of a session; checks its size and element type.
template <class Range> result<void> put_input(session& into, std::size_t i, const Range& range) {
  using element = std::remove_cvref_t<decltype(*std::data(range))>;
  const std::int64_t expected = into.input_desc(i).elements();
  if (static_cast<std::int64_t>(std::size(range)) != expected)
    return fail(error_code::invalid_argument, joined({"calibrate: input ", i, " of a sample has ", std::size(range),
                                                      " elements, expected ", expected}));
  if (into.input_desc(i).type != dtype_for<element>())
    return fail(error_code::invalid_argument,
                joined({"calibrate: input ", i, " of a sample has another element type than the network's"}));
  std::copy(std::begin(range), std::end(range), into.input<element>(i).begin());
  return {};
}
/// Whether T is a sample: a range for the only input, or a tuple of ranges.
template <class T>
concept sample = requires(const T& x) { std::data(x); } || requires { std::tuple_size<T>::value; };

template <sample Sample> result<void> put_sample(session& into, const Sample& sample) {
  const std::size_t inputs = into.compiled().input_count();
  if constexpr (requires { std::data(sample); }) {
    if (inputs != 1)
      return fail(error_code::invalid_argument, {"calibrate: a sample is one range, expected a tuple of ", inputs});
    return put_input(into, 0, sample);
  } else if (std::tuple_size_v<Sample> != inputs) {
    return fail(error_code::invalid_argument,
                {"calibrate: a sample has ", std::tuple_size_v<Sample>, " inputs, expected ", inputs});
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      result<void> ok;
      ((ok = ok ? put_input(into, I, std::get<I>(sample)) : ok), ...);
      return ok;
    }(std::make_index_sequence<std::tuple_size_v<Sample>>{});
  }
}

}  // namespace detail

/// Samples with their type erased: their number, and a function that copies one into the inputs of a session.
struct sample_source {
  const void* samples = nullptr;
  std::size_t count = 0;
  result<void> (*put)(const void* samples, std::size_t i, session& into) = nullptr;

  /// The source of a range of samples, which must live as long as the source.
  template <class Samples> static sample_source of(const Samples& samples) {
    constexpr bool are_samples = detail::sample<std::remove_cvref_t<decltype(*std::begin(samples))>>;
    static_assert(
        are_samples,
        "nnrt: samples are a list of ranges, or of tuples of ranges for several inputs: not one range of numbers");
    if constexpr (!are_samples) return {};
    else
      return {&samples, std::size(samples), [](const void* all, std::size_t i, session& into) {
                const auto& list = *static_cast<const Samples*>(all);
                return detail::put_sample(into, *std::next(std::begin(list), static_cast<std::ptrdiff_t>(i)));
              }};
  }
};

}}  // namespace nnrt::NNRT_ISA
