// transpose: permutes the axes of a tensor; to_nhwc and to_nchw convert images between formats.
// Flow: front ends call infer(); kernels/select.hpp binds it to copies of rows, or of transposed planes.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/axes.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Axis i of the result is axis perm[i] of x.
///
///   x: [d0 … dn]      perm: [n + 1] integers, constant, each axis once; negative ones count from the end
///   y: [d(perm[0]) … d(perm[n])]
///
/// Format of the result: its rank's default (NHWC for rank 4); NCHW if the batch remains first and the channel axis
/// (x's last one, or axis 1 if x is NCHW) becomes axis 1.
///
/// Broken rules: see `rule`; values: axes. Source: NNRt OH_NN_OPS_TRANSPOSE.
struct transpose {
  static constexpr op_code code{41};
  static constexpr std::string_view name = "transpose";
  static constexpr operand_spec inputs[] = {{"x", types::any}, {"perm", types::index, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.quantised = quantised_values::kept};
  static constexpr foreign_numbers foreign{.nnrt = 41, .hdi = 162, .tells_quantisation = 0};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;

  enum class rule {
    perm_must_be_a_list,
    perm_must_name_every_axis,
    perm_must_be_known,
    perm_must_hold_axes_of_the_input,
    perm_must_name_an_axis_once,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = require(Rule::perm_must_be_a_list, in[1].desc.rank(), 1); !v) return v;
    if (auto v = require_same_extent(Rule::perm_must_name_every_axis, in[1].desc.elements(), x.rank()); !v) return v;
    if (!in[1].has_values()) return refuse(Rule::perm_must_be_known, 0, 1);
    chosen_axes order;
    if (auto v = choose_axes(order, in[1].values, x.rank(), Rule::perm_must_hold_axes_of_the_input,
                             Rule::perm_must_name_an_axis_once);
        !v)
      return v;
    shape_t y;
    for (int i = 0; i < order.count; ++i) y.push_back(x.shape[order.items[i]]);
    return ok(tensor_desc{x.type, layout_of(x, order), y, x.quantised});
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return;
    shape_t to, from;
    to.rank = from.rank = x.rank();
    do {
      for (int i = 0; i < to.rank; ++i) from[normalise_axis(in[1].integer(i), x.rank())] = to[i];
      y.at(to) = x.at(from);
    } while (next_index(to, y.shape));
  }

 private:
  static constexpr format layout_of(const tensor_desc& x, const chosen_axes& order) {
    const bool is_nchw = x.rank() == 4 && order.items[0] == 0 && order.items[1] == (x.layout == nchw ? 1 : 3);
    return is_nchw ? nchw : default_format(x.rank());
  }
};

}  // namespace ops

/// `transpose(x, nnrt::perm<0, 2, 3, 1>)`.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto transpose(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::transpose>(x, keywords...);
}

/// Converts an image [N, C, H, W] to [N, H, W, C], as image operators need it; an NHWC image is returned unchanged.
template <tensor_desc X> constexpr auto to_nhwc(tensor<X> x) {
  if constexpr (X.rank() == 4 && X.layout == nhwc) return x;
  else return dsl::apply<ops::transpose>(x, perm<0, 2, 3, 1>);
}

/// Converts an image [N, H, W, C] to [N, C, H, W]; an NCHW image is returned unchanged.
template <tensor_desc X> constexpr auto to_nchw(tensor<X> x) {
  if constexpr (X.rank() == 4 && X.layout == nchw) return x;
  else return dsl::apply<ops::transpose>(x, perm<0, 3, 1, 2>);
}

}}  // namespace nnrt::NNRT_ISA
