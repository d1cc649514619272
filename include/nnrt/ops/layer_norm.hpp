// layer_norm: normalises the inner axes by their mean and variance.
// Flow: front ends call infer(); kernels/bind/ has the kernel.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/over_zero.hpp>
#include <nnrt/ops/detail/quantised_reals.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>
#include <nnrt/ops/detail/sums.hpp>

#include <limits>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Layer normalisation: each block of the axes from begin_norm_axis on gets mean 0 and variance 1, then gamma and beta
/// are applied.
///
///   x: [d0, d1, …]      gamma, beta: the extents of x from begin_norm_axis on, or from begin_param_axis on
///   y: like x = (x - mean) / sqrt(variance + epsilon) * gamma + beta; variance is over the block (divided by n)
///
/// begin_norm_axis and begin_param_axis are 1 by default, epsilon is 1e-7; axes count from the end when negative. gamma
/// and beta are repeated along the axes that they lack. With epsilon and variance 0 the result is NaN.
///
/// Quantised: x i8, u8 or i16 with one scale, gamma and beta f32, or of the dtype of x with one scale each, y with the
/// scale given by `into<quant{…}>`. Each quantised value is nearest to the real result, computed in f64 and rounded to
/// float.
///
/// Broken rules: see `rule`; values: axes, extents, numbers of scales. Source: NNRt OH_NN_OPS_LAYER_NORM, for axes
/// after 0; from axis 0 on as in MindSpore; quantised: this library.
struct layer_norm {
  static constexpr op_code code{49};
  static constexpr std::string_view name = "layer_norm";
  static constexpr operand_spec inputs[] = {
      {"x", detail::real_or_quantised}, {"gamma", detail::real_or_quantised}, {"beta", detail::real_or_quantised}};
  static constexpr operand_spec outputs[] = {{"y", detail::real_or_quantised}};
  static constexpr unlike_default to_be_said[] = {{"epsilon", "1e-5"}};
  static constexpr operator_traits traits{
      .quantised = quantised_values::computed, .in_files = file_order::broadcast, .to_be_said = to_be_said};
  static constexpr error_bound errors[] = {{types_of(f32), 40, error_unit::largest, 0.008},
                                           {types_of(f16), 0.51, error_unit::largest},
                                           {types_of(f64), 6, error_unit::largest, 0.5}};
  static constexpr foreign_numbers foreign{.nnrt = 49, .hdi = 75};
  static constexpr hdi_field hdi_fields[] = {hdi_field::always("elementwiseAffine", 1),
                                             hdi_field::named("beginParamsAxis", "begin_param_axis")};
  static constexpr nnrt_parameter parameters[] = {
      nnrt_parameter{"begin_norm_axis", 66, i64}.of_rank(0), nnrt_parameter{"epsilon", 67, f32}.of_rank(0),
      nnrt_parameter{"begin_param_axis", 68, i64}.of_rank(0),
      // As in the documents and the first release.
      nnrt_parameter{"begin_norm_axis", 66, i32}.of_rank(0), nnrt_parameter{"begin_param_axis", 68, i32}.of_rank(0)};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, begin_norm_axis), (float, epsilon), (std::int64_t, begin_param_axis));
    constexpr attrs() : begin_norm_axis(1), epsilon(1e-7F), begin_param_axis(1) {}
  };

  enum class rule {
    begin_norm_axis_must_be_an_axis_of_the_input,
    begin_param_axis_must_be_an_axis_of_the_input,
    parameter_types_must_equal_input_type,
    parameter_rank_must_fit_the_begin_axes,
    parameter_extents_must_equal_input_extents,
    quantised_input_must_have_one_scale,
    parameter_types_of_a_quantised_input_must_be_its_type_or_f32,
    quantised_parameters_must_have_one_scale,
    quantised_output_must_have_one_scale,
    epsilon_must_not_be_negative_or_infinite,
  };

  /// NNRt compares gamma and beta with the input when the operation is added, and requires an axis after the first.
  static constexpr nnrt_fault nnrt_refuses(const attrs& a, array_ref<const operand> in, array_ref<const nnrt_given>) {
    const shape_t& x = in[0].desc.shape;
    if (a.begin_norm_axis < 1) return {"begin_norm_axis", a.begin_norm_axis, 1};
    if (a.begin_norm_axis >= x.rank) return {"begin_norm_axis", a.begin_norm_axis, x.rank - 1};
    const int from = static_cast<int>(a.begin_norm_axis);
    for (const bool is_gamma : {true, false}) {
      const shape_t& of = in[is_gamma ? 1 : 2].desc.shape;
      if (of.rank != x.rank - from) return {is_gamma ? "rank of gamma" : "rank of beta", of.rank, x.rank - from};
      for (int i = 0; i < of.rank; ++i)
        if (of[i] != x[from + i]) return {is_gamma ? "extent of gamma" : "extent of beta", of[i], x[from + i]};
    }
    return {};
  }

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc& x = in[0].desc;
    const int norm = normalise_axis(a.begin_norm_axis, x.rank()), param = normalise_axis(a.begin_param_axis, x.rank());
    if (norm < 0) return refuse(Rule::begin_norm_axis_must_be_an_axis_of_the_input, a.begin_norm_axis, x.rank() - 1);
    if (param < 0) return refuse(Rule::begin_param_axis_must_be_an_axis_of_the_input, a.begin_param_axis, x.rank() - 1);
    for (const operand& given : in.subspan(1))
      if (auto v = check_parameter(given.desc, x, norm, param); !v) return v;
    if (auto v = detail::check_parameter_types<Rule>(in, wanted); !v) return v;
    constexpr rule in_bounds = Rule::epsilon_must_not_be_negative_or_infinite;
    if (auto v = require_real_between(in_bounds, a.epsilon, 0, std::numeric_limits<float>::max()); !v) return v;
    return ok(detail::like_input(x, wanted));
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    if constexpr (can_be_quantised<T>) {
      const detail::reals_of<T> x(in[0]), gamma(in[1]), beta(in[2]);
      normalise<T>(a, x, gamma, beta, out[0].as<T>(), detail::storing<T>(out[0]));
    } else {
      const auto x = in[0].as<const T>(), gamma = in[1].as<const T>(), beta = in[2].as<const T>();
      normalise<T>(a, x, gamma, beta, out[0].as<T>(), [](double element) { return math::convert<T>(element); });
    }
  }

 private:
  /// y = store(element), block by block, computed in f64.
  template <class T, class X, class Y, class Store>
  static constexpr void normalise(const attrs& a, const X& x, const X& gamma, const X& beta, const Y& y, Store store) {
    const auto real = [](const auto& numbers, std::int64_t i) { return math::convert<double>(numbers[i]); };
    const std::int64_t n = y.shape.elements(normalise_axis(a.begin_norm_axis, y.rank()));
    for (std::int64_t first = 0; first < y.elements(); first += n) {
      const detail::moments m =
          detail::moments_of<T>(n, double{a.epsilon}, [&](std::int64_t i) { return real(x, first + i); });
      for (std::int64_t i = first; i < first + n; ++i) {
        const double factor = real(gamma, i % gamma.elements()), shift = real(beta, i % beta.elements()),
                     off = m.off(real(x, i));
        y[i] = store(m.deviation == 0 ? detail::scaled_over_zero(off, factor, shift)
                                      : math::product(off / m.deviation, factor) + shift);
      }
    }
  }

  static constexpr verdict check_parameter(const tensor_desc& given, const tensor_desc& x, int norm, int param) {
    if (given.rank() != x.rank() - param)
      if (auto v = require(rule::parameter_rank_must_fit_the_begin_axes, given.rank(), x.rank() - norm); !v) return v;
    for (int i = 1; i <= given.rank(); ++i) {
      constexpr auto fits = rule::parameter_extents_must_equal_input_extents;
      if (auto v = require_same_extent(fits, given.shape[-i], x.shape[-i]); !v) return v;
    }
    return {};
  }
};

}  // namespace ops

/// layer_norm(x, gamma, beta), with `begin_norm_axis<…>`, `begin_param_axis<…>` and `epsilon<…>`.
template <tensor_desc X, tensor_desc G, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto layer_norm(tensor<X> x, tensor<G> gamma, tensor<B> beta, Keywords... keywords) {
  return dsl::apply<ops::layer_norm>(x, gamma, beta, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
