// shape_of: the extents of a tensor as a tensor.
// Flow: front ends call infer(); passes evaluate it for known shapes, so that reshape, fill and tile can use it.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

#include <limits>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The extents of x, outermost first.
///
///   x: any shape and dtype, quantised or not      y (i32): [rank of x]
///
/// No element of x is read.
///
/// Broken rules: see `rule`; values: numbers of elements. Source: NNRt OH_NN_OPS_SHAPE.
struct shape_of {
  static constexpr op_code code{27};
  static constexpr std::string_view name = "shape_of";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types_of(i32)}};
  static constexpr operator_traits traits{.quantised = quantised_values::computed, .reads_descs_alone = true};
  static constexpr foreign_numbers foreign{.nnrt = 27, .hdi = 130, .tells_quantisation = 0, .nnrt_name = "Shape"};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule { extent_must_fit_into_32_bits };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    for (const std::int64_t extent : in[0].desc.shape)
      if (auto v =
              require_at_most(Rule::extent_must_fit_into_32_bits, extent, std::numeric_limits<std::int32_t>::max());
          !v)
        return v;
    return ok(tensor_desc{i32, {in[0].desc.rank()}});
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    const auto y = out[0].as<std::int32_t>();
    for (int i = 0; i < in[0].rank(); ++i) y[i] = static_cast<std::int32_t>(in[0].shape()[i]);
  }
};

}  // namespace ops

/// shape_of(x): the extents of x, in i32.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto shape_of(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::shape_of>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
