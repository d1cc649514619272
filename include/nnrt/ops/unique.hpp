// unique: the distinct elements of a list, and the position of each element among them.
// Flow: front ends call infer(); kernels/select.hpp binds it to a sort.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/order.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The distinct elements of a list: in the order of first occurrence, or sorted in ascending order.
///
///   x: [n]
///   y: [n]      positions (i32): [n], index in y of each element of x
///   count (i32): [], the number of distinct elements
///   first (i32): [n], index in x of the first occurrence of each element of y      repeats (i32): [n], occurrences
///
/// The number is known only at run time; n is its bound from the shape. After the first `count` elements, y repeats its
/// first element, so that each element of y is one of x; `first` and `repeats` are 0 there. NaN is larger than every
/// number and equal to every NaN; zeros are equal regardless of their sign. A quantised x is compared by its quantised
/// values.
///
/// Broken rules: see `rule`; values: numbers of elements. Source: TFLite's UNIQUE, ONNX Unique (without an axis).
struct unique {
  static constexpr op_code code{1023};
  static constexpr std::string_view name = "unique";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any},
                                             {"positions", types_of(i32)},
                                             {"count", types_of(i32)},
                                             {"first", types_of(i32)},
                                             {"repeats", types_of(i32)}};
  static constexpr operator_traits traits{.quantised = quantised_values::kept};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (bool, sorted));
    constexpr attrs() : sorted(true) {}
  };
  enum class rule { input_rank_must_be_1, elements_must_be_countable_in_32_bits };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = require(Rule::input_rank_must_be_1, x.rank(), 1); !v) return v;
    constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
    if (auto v = require_at_most(Rule::elements_must_be_countable_in_32_bits, x.shape[0], most); !v) return v;
    const tensor_desc list{i32, x.shape};
    return ok(x, list, tensor_desc{i32, shape_t{}}, list, list);
  }
  static constexpr auto macs = no_macs;

  /// Whether a precedes b in a sorted list.
  template <class T> static constexpr bool is_smaller(T a, T b) { return detail::is_larger(b, a); }

  /// Fills the lists after the first `count` elements.
  template <class T>
  static constexpr void finish(const tensor_view<T>& y, const tensor_view<std::int32_t>& first,
                               const tensor_view<std::int32_t>& repeats, std::int64_t count) {
    for (std::int64_t i = count; i < y.elements(); ++i) y[i] = y[0], first[i] = 0, repeats[i] = 0;
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    const auto positions = out[1].as<std::int32_t>(), first = out[3].as<std::int32_t>(),
               repeats = out[4].as<std::int32_t>();
    const auto differ = [](T p, T q) { return is_smaller(p, q) || is_smaller(q, p); };
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      std::int64_t place = 0;  // in y: of an equal element, or of the first larger one
      while (place < count && (a.sorted ? is_smaller<T>(y[place], x[i]) : differ(y[place], x[i]))) ++place;
      if (place == count || differ(y[place], x[i])) {
        for (std::int64_t k = count++; k > place; --k)
          y[k] = y[k - 1], first[k] = first[k - 1], repeats[k] = repeats[k - 1];
        y[place] = x[i], first[place] = static_cast<std::int32_t>(i), repeats[place] = 0;
      }
      ++repeats[place];
    }
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      std::int64_t place = 0;
      while (differ(y[place], x[i])) ++place;
      positions[i] = static_cast<std::int32_t>(place);
    }
    finish(y, first, repeats, count);
    out[2].as<std::int32_t>()[0] = static_cast<std::int32_t>(count);
  }
};

}  // namespace ops

/// auto [y, positions, count, first, repeats] = unique(x), with unsorted for the order in which elements come first.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto unique(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::unique>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
