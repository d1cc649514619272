// nonzero: indices of the elements that are not 0.
// Flow: front ends call infer(); it runs by its reference.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Indices of the elements that are not 0, in row-major order.
///
///   x: any shape [d0, …], of rank r      indices (i64): [n, r], n = d0 * …
///   count (i32): [], the number of elements that are not 0
///
/// The number is known only at run time; n is its bound from the shape, and indices after the first `count` are 0.
/// Booleans count as 0 and 1; NaN is not 0, -0 is.
///
/// Broken rules: see `rule`; values: numbers of elements. Source: TFLite's WHERE of one operand; ONNX NonZero, with
/// indices in columns.
struct nonzero {
  static constexpr op_code code{1022};
  static constexpr std::string_view name = "nonzero";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"indices", types_of(i64)}, {"count", types_of(i32)}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule { elements_must_be_countable_in_32_bits };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
    if (auto v = require_at_most(Rule::elements_must_be_countable_in_32_bits, x.elements(), most); !v) return v;
    return ok(tensor_desc{i64, shape_t{x.elements(), x.rank()}}, tensor_desc{i32, shape_t{}});
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto indices = out[0].as<std::int64_t>();
    std::int64_t next = 0, count = 0;
    shape_t at;
    at.rank = x.rank();
    for (std::int64_t left = x.elements(); left > 0; --left, next_index(at, x.shape)) {
      if (x.at(at) == T{}) continue;
      for (const std::int64_t index : at) indices[next++] = index;
      ++count;
    }
    while (next < indices.elements()) indices[next++] = 0;
    out[1].as<std::int32_t>()[0] = static_cast<std::int32_t>(count);
  }
};

}  // namespace ops

/// auto [indices, count] = nonzero(x): indices of the elements of x that are not 0.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto nonzero(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::nonzero>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
