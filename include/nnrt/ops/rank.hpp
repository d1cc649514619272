// rank: the number of axes of a tensor as a tensor.
// Flow: front ends call infer(); passes evaluate it, as ranks are always known.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The number of axes of x.
///
///   x: any shape and dtype, quantised or not      y (i32): a scalar
///
/// No element of x is read. Broken rules: those of the signature. Source: NNRt OH_NN_OPS_RANK.
struct rank {
  static constexpr op_code code{98};
  static constexpr std::string_view name = "rank";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types_of(i32)}};
  static constexpr operator_traits traits{.quantised = quantised_values::computed, .reads_descs_alone = true};
  static constexpr foreign_numbers foreign{.nnrt = 98, .hdi = 114};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule {};

  static constexpr verdict infer(const attrs&, array_ref<const operand>, array_ref<const tensor_desc>) {
    return ok(tensor_desc{i32, {}});
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    out[0].as<std::int32_t>()[0] = in[0].rank();
  }
};

}  // namespace ops

/// rank(x): the number of axes of x, in i32.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto rank(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::rank>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
