// flatten: a tensor as a matrix.
// Flow: front ends call infer(); passes turn the node into an alias of its input, as they do with reshape.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/reshape.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The elements of x in row-major order as a matrix.
///
///   x: [d0 … dn]      y: [product of the extents before axis, product of those from it on]
///
/// `axis` is 1 by default, counts from the end when negative, and may be the rank of x: then there is one column. An
/// empty product is 1.
///
/// Broken rules: see `rule`; values: axes. Source: NNRt OH_NN_OPS_FLATTEN.
struct flatten {
  static constexpr op_code code{64};
  static constexpr std::string_view name = "flatten";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.result = storage::alias_of_input, .quantised = quantised_values::kept};
  static constexpr foreign_numbers foreign{.nnrt = 64, .hdi = 61};
  static constexpr nnrt_parameter parameters[] = {{"axis", 79, i64}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, axis));
    constexpr attrs() : axis(1) {}
  };
  enum class rule { axis_must_be_between_minus_rank_and_rank };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    constexpr rule must_exist = Rule::axis_must_be_between_minus_rank_and_rank;
    if (auto v = require_between(must_exist, a.axis, -x.rank(), x.rank()); !v) return v;
    const std::int64_t axis = a.axis < 0 ? a.axis + x.rank() : a.axis;
    std::int64_t rows = 1, columns = 1;
    for (int i = 0; i < x.rank(); ++i) {
      std::int64_t& product = i < axis ? rows : columns;
      product = x.shape[i] < 0 && product != 0 ? -1 : extent_product(product, x.shape[i]);
    }
    return ok(tensor_desc{x.type, default_format(2), {rows, columns}, x.quantised});
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < y.elements(); ++i) y[i] = x[i];
  }
};

}  // namespace ops

/// `flatten(x, axis<2>)`. Without an axis it is the function of reshape that flattens each image of the batch.
template <tensor_desc X, dsl::keyword_argument... Keywords>
  requires(sizeof...(Keywords) > 0)
constexpr auto flatten(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::flatten>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
