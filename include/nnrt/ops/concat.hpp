// concat: joins tensors along an axis.
// Flow: front ends call infer(); the planner lets inputs be computed in place if possible; kernels/select.hpp binds the
// copy.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/core/quantised_value.hpp>
#include <nnrt/ops/detail/quantised.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The inputs, joined along `axis` in order.
///
///   x: any number of tensors of one dtype, order of axes and rank, whose other extents are equal
///   y: their shape, with the sum of the extents along `axis`
///
/// `axis` counts from the end when negative; 0 is the default.
///
/// Quantised inputs with y's scale are copied. Those with another scale than y's, which `into<quant{…}>` gives, are
/// rescaled: each real number, in float, to the nearest quantised value of y, half away from zero.
///
/// Broken rules: see `rule`; values: ranks, axes, extents, numbers of scales. Source: NNRt OH_NN_OPS_CONCAT; scales
/// that differ: the reference kernel of TFLite's CONCATENATION, for u8.
struct concat {
  static constexpr op_code code{7};
  static constexpr std::string_view name = "concat";
  static constexpr operand_spec inputs[] = {{"x", types::any, presence::variadic}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.joins_inputs = true,
                                          .quantised = quantised_values::computed,
                                          .rounds_to_even = true,
                                          .in_files = file_order::joined,
                                          .axes = axis_role::first_attribute};
  static constexpr foreign_numbers foreign{.nnrt = 7, .hdi = 31};
  static constexpr nnrt_parameter parameters[] = {{"axis", 10, i64}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, axis));
    constexpr attrs() : axis(0) {}
  };

  enum class rule {
    axis_must_be_an_axis_of_the_inputs,
    types_must_be_equal,
    ranks_must_be_equal,
    inputs_must_all_be_nchw_or_none,
    extents_beside_the_axis_must_be_equal,
    inputs_must_all_be_quantised_or_all_plain,
    quantised_inputs_must_have_one_scale,
    quantised_output_must_have_one_scale,  // must be given if the inputs' scales differ
    inputs_of_several_scales_must_be_i8_u8_or_i16,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    tensor_desc y = in[0].desc;
    const int axis = normalise_axis(a.axis, y.rank());
    if (axis < 0) return refuse(Rule::axis_must_be_an_axis_of_the_inputs, a.axis, y.rank() - 1);
    for (std::size_t i = 1; i < in.size(); ++i) {
      const tensor_desc& x = in[i].desc;
      if (auto v = require(Rule::types_must_be_equal, x.type, y.type); !v) return v;
      if (auto v = require(Rule::ranks_must_be_equal, x.rank(), y.rank()); !v) return v;
      if (auto v = require_same_order(Rule::inputs_must_all_be_nchw_or_none, x.layout, y.layout); !v) return v;
      if (x.layout == format::nhwc) y.layout = x.layout;
      if (auto v = join(y.shape, x.shape, axis); !v) return v;
    }
    if (auto v = choose_scale(y.quantised, in, detail::wish_of(wanted)); !v) return v;
    return ok(y);
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto y = out[0].as<T>();
    const int axis = normalise_axis(a.axis, y.rank());
    std::int64_t first = 0;  // along the axis
    for (const view& input : in) {
      const auto x = input.as<const T>();
      if (!move_rescaled(y, x, axis, first, input.desc->quantised, out[0].desc->quantised))
        copy_to(y, x, axis, first, [](T element) { return element; });
      first += x.extent(axis);
    }
  }

 private:
  /// The quantisation of y: the declared one, or that of all inputs.
  static constexpr verdict choose_scale(quantisation& y, array_ref<const operand> in, const tensor_desc& wish) {
    const bool is_quantised{y};
    bool differs = false;
    for (const operand& x : in) {
      const quantisation& q = x.desc.quantised;
      if (auto v = require(rule::inputs_must_all_be_quantised_or_all_plain, q ? 1 : 0, is_quantised ? 1 : 0); !v)
        return v;
      if (!is_quantised) continue;
      if (auto v = detail::require_one_scale(rule::quantised_inputs_must_have_one_scale, x.desc); !v) return v;
      differs = differs || q != (wish.quantised ? wish.quantised : in[0].desc.quantised);
    }
    if (!is_quantised || (!differs && !wish.quantised)) return {};
    if (auto v = detail::require_one_scale(rule::quantised_output_must_have_one_scale, wish); !v) return v;
    y = wish.quantised;
    const dtype type = in[0].desc.type;
    if (!differs || types::stored.contains(type)) return {};
    return require(rule::inputs_of_several_scales_must_be_i8_u8_or_i16, type, i8);
  }
  /// Rescales a quantised value of an input to y; every step in float.
  template <class T> struct rescaling {
    float factor, offset;
    const quantisation& to;
    constexpr rescaling(const quantisation& from, const quantisation& y)
        : factor(bounded(float_product(from.scale, float_quotient(1.0F, y.scale)))),
          offset(float_product(static_cast<float>(-from.zero_point), factor)),
          to(y) {}
    constexpr T operator()(T x) const {
      const double sum = double{float_product(static_cast<float>(x), factor)} + double{offset};
      return quantised_at<T>(double{static_cast<float>(sum)}, to);
    }

   private:
    /// Such a factor moves every number but the zero point out of range already, and keeps products finite: infinity -
    /// infinity would be NaN.
    static constexpr float bounded(float factor) { return std::min(factor, 0x1p100F); }
  };
  /// Copies x to y if that needs rescaling; false if not.
  template <class T>
  static constexpr bool move_rescaled(const tensor_view<T>& y, const tensor_view<const T>& x, int axis,
                                      std::int64_t first, const quantisation& from, const quantisation& to) {
    if constexpr (can_be_quantised<T>) {
      if (from != to) copy_to(y, x, axis, first, rescaling<T>(from, to));
      return from != to;
    }
    return false;
  }
  /// Appends x's shape to y's. Other extents are known if one of the two knows them.
  static constexpr verdict join(shape_t& y, const shape_t& x, int axis) {
    for (int i = 0; i < y.rank; ++i) {
      if (i == axis) {
        y[i] = y[i] < 0 || x[i] < 0 ? -1 : y[i] > max_elements ? y[i] : y[i] + x[i];  // saturated
      } else {
        if (auto v = require_same_extent(rule::extents_beside_the_axis_must_be_equal, x[i], y[i]); !v) return v;
        if (y[i] < 0) y[i] = x[i];
      }
    }
    return {};
  }
  template <class T, class F>
  static constexpr void copy_to(const tensor_view<T>& y, const tensor_view<const T>& x, int axis, std::int64_t first,
                                F f) {
    if (x.elements() == 0) return;
    shape_t from;
    from.rank = x.rank();
    do y.at(from.with(axis, from[axis] + first)) = f(x.at(from));
    while (next_index(from, x.shape));
  }
};

}  // namespace ops

/// `concat(a, b, …, axis<-1>)`: any number of tensors, then keywords.
template <tensor_desc X, class... Rest>
  requires((dsl::tensor_handle<Rest> || dsl::keyword_argument<Rest>) && ...)
constexpr auto concat(tensor<X> first, Rest... rest) {
  return dsl::apply<ops::concat>(first, rest...);
}

}}  // namespace nnrt::NNRT_ISA
