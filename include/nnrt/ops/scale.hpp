// scale: a factor and an offset for each index along consecutive axes, and a fused activation.
// Flow: front ends call infer(); passes/fold.hpp folds it into the preceding layer, or else kernels compute it.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/binary.hpp>
#include <nnrt/ops/detail/quantised_reals.hpp>
#include <nnrt/ops/fold_affine.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Product with one tensor and sum with another; both extend along the axes from `axis` on.
///
///   x: [d0 … dn]      scale: [d(axis) … d(axis + k)], any k; a scalar applies to all elements      bias: likewise
///   y: like x, = fused(x * scale + bias)
///
/// `axis` counts from the end when negative. It is required in NNRt; here the default is the last axis, the channels.
/// Integers wrap around.
///
/// Quantised: x i8, u8 or i16 with one scale, scale and bias f32, or of the dtype of x with one scale each; y with the
/// scale given by `into<quant{…}>`. Each quantised value is nearest to the real result, rounded to float; a fused
/// activation clamps it.
///
/// Broken rules: see `rule`; values: axes, extents, numbers of scales. Source: NNRt OH_NN_OPS_SCALE; quantised: this
/// library.
struct scale {
  static constexpr op_code code{26};
  static constexpr std::string_view name = "scale";
  static constexpr operand_spec inputs[] = {{"x", types::number}, {"scale", types::number}, {"bias", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .computes = meaning::scale,
                                          .quantised = quantised_values::computed,
                                          .in_files = file_order::unchanged};
  using folded_as = fold_affine;
  static constexpr error_bound errors[] = {{types_of(f32), 1, error_unit::terms},
                                           {types_of(f16), 0.51, error_unit::terms},
                                           {types_of(f64), 1, error_unit::terms}};
  static constexpr foreign_numbers foreign{.nnrt = 26, .hdi = 127};
  static constexpr nnrt_parameter parameters[] = {nnrt_parameter{"axis", 45, i64}.required(), {"fused", 44, i8}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, axis), (activation, fused));  // axis first: passes read it as word 0
    constexpr attrs() : axis(-1), fused(activation::none) {}
  };

  enum class rule {
    axis_must_be_an_axis_of_the_input,
    parameter_types_must_equal_input_type,
    parameters_must_not_have_more_axes_than_the_input_from_axis_on,
    parameter_extents_must_equal_input_extents,
    parameters_of_a_plain_input_must_be_plain,
    quantised_type_must_be_i8_u8_or_i16,
    quantised_input_must_have_one_scale,
    parameter_types_of_a_quantised_input_must_be_its_type_or_f32,
    quantised_parameters_must_have_one_scale,
    quantised_output_must_have_one_scale,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc& x = in[0].desc;
    const int axis = normalise_axis(a.axis, x.rank());
    if (axis < 0) return refuse(Rule::axis_must_be_an_axis_of_the_input, a.axis, x.rank() - 1);
    for (const operand& given : in.subspan(1)) {
      const tensor_desc& p = given.desc;
      constexpr auto too_many = Rule::parameters_must_not_have_more_axes_than_the_input_from_axis_on;
      if (auto v = require_at_most(too_many, p.rank(), x.rank() - axis); !v) return v;
      constexpr auto fits = Rule::parameter_extents_must_equal_input_extents;
      for (int i = 0; i < p.rank(); ++i)
        if (auto v = require_same_extent(fits, p.shape[i], x.shape[axis + i]); !v) return v;
    }
    if (auto v = check_types<Rule>(in, wanted); !v) return v;
    return ok(detail::like_input(x, wanted));
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using wide = detail::wrapping_t<T>;
    const auto y = out[0].as<T>();
    const int axis = normalise_axis(a.axis, y.rank());
    // Elements of x for each element of a parameter.
    const std::int64_t of_scale = y.shape.elements(axis + in[1].rank()),
                       of_bias = y.shape.elements(axis + in[2].rank());
    const auto each = [&](const auto& x, const auto& scale, const auto& bias, auto element) {
      for (std::int64_t i = 0; i < y.elements(); ++i)
        y[i] = element(x[i], scale[i / of_scale % scale.elements()], bias[i / of_bias % bias.elements()]);
    };
    if constexpr (can_be_quantised<T>)
      if (in[0].desc->quantised) {
        using reals = detail::reals_of<T>;
        const detail::storing<T> store(out[0], a.fused);
        return each(reals(in[0]), reals(in[1]), reals(in[2]),
                    [&](double x, double factor, double offset) { return store(math::product(x, factor) + offset); });
      }
    each(in[0].as<const T>(), in[1].as<const T>(), in[2].as<const T>(), [&](T x, T factor, T offset) {
      return detail::finished<T>(product(static_cast<wide>(x), static_cast<wide>(factor)) + static_cast<wide>(offset),
                                 a.fused);
    });
  }

 private:
  template <class Rule>
  static constexpr verdict check_types(array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc& x = in[0].desc;
    if (x.quantised) {
      constexpr auto can_be = rule::quantised_type_must_be_i8_u8_or_i16;
      if (!types::stored.contains(x.type)) return require(can_be, x.type, i8);
      return detail::check_quantised_parameters<Rule>(in, wanted);
    }
    for (const operand& given : in.subspan(1)) {
      if (auto v = require(rule::parameter_types_must_equal_input_type, given.desc.type, x.type); !v) return v;
      if (given.desc.quantised) return refuse(rule::parameters_of_a_plain_input_must_be_plain, 1, 0);
    }
    return {};
  }

  template <class Wide> static constexpr Wide product(Wide x, Wide factor) {
    if constexpr (std::is_integral_v<Wide>) return x * factor;
    else return math::product(x, factor);
  }
};

}  // namespace ops

/// scale(x, factor, offset), with `axis<…>` and a fused activation.
template <tensor_desc X, tensor_desc S, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto scale(tensor<X> x, tensor<S> factor, tensor<B> offset, Keywords... keywords) {
  return dsl::apply<ops::scale>(x, factor, offset, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
