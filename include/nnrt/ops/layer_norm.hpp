// layer_norm: normalisation of the inner axes with their own mean and variance.
// Flow: front ends call infer(); kernels/bind/ has the fast form.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Layer normalisation: each block of the axes from begin_norm_axis on gets mean 0 and variance 1, then gamma and beta.
///
///   x: [d0, d1, …]      gamma, beta: the extents of x from begin_norm_axis on, or from begin_param_axis on
///   y: as x = (x - mean) / sqrt(variance + epsilon) * gamma + beta; variance is that of the whole block (divided by n)
///
/// begin_norm_axis and begin_param_axis are 1 unless given, epsilon is 1e-7; axes count from the end when negative, and
/// the normalised ones begin behind axis 0. gamma and beta are repeated along the axes that they do not have.
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_LAYER_NORM.
struct layer_norm {
  static constexpr op_code code{49};
  static constexpr std::string_view name = "layer_norm";
  static constexpr operand_spec inputs[] = {
      {"x", types::floating}, {"gamma", types::floating}, {"beta", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 49, .hdi = 75};
  static constexpr nnrt_parameter parameters[] = {
      {"begin_norm_axis", 66, i64}, {"epsilon", 67, f32}, {"begin_param_axis", 68, i64}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, begin_norm_axis), (float, epsilon), (std::int64_t, begin_param_axis));
    constexpr attrs() : begin_norm_axis(1), epsilon(1e-7F), begin_param_axis(1) {}
  };

  enum class rule {
    begin_norm_axis_must_be_an_axis_behind_the_first,
    begin_param_axis_must_be_an_axis_of_the_input,
    parameter_types_must_equal_input_type,
    parameter_rank_must_fit_the_begin_axes,
    parameter_extents_must_equal_input_extents,
  };

  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    const int norm = normalise_axis(a.begin_norm_axis, x.rank()), param = normalise_axis(a.begin_param_axis, x.rank());
    if (norm < 1) {
      const bool below = a.begin_norm_axis < 1;
      return refuse(rule::begin_norm_axis_must_be_an_axis_behind_the_first, a.begin_norm_axis,
                    below ? 1 : x.rank() - 1);
    }
    if (param < 0) return refuse(rule::begin_param_axis_must_be_an_axis_of_the_input, a.begin_param_axis, x.rank() - 1);
    for (const operand& given : in.subspan(1))
      if (auto v = check_parameter(given.desc, x, norm, param); !v) return v;
    return yields(x);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using real = math::compute_t<T>;
    const auto x = in[0].as<const T>(), gamma = in[1].as<const T>(), beta = in[2].as<const T>();
    const auto y = out[0].as<T>();
    const std::int64_t n = x.shape.elements(normalise_axis(a.begin_norm_axis, x.rank()));
    for (std::int64_t first = 0; first < x.elements(); first += n) {
      real mean = 0, variance = 0;
      for (std::int64_t i = first; i < first + n; ++i) mean += real(x[i]);
      mean /= static_cast<real>(n);
      for (std::int64_t i = first; i < first + n; ++i) variance += (real(x[i]) - mean) * (real(x[i]) - mean);
      const real deviation = math::sqrt(variance / static_cast<real>(n) + real(a.epsilon));
      for (std::int64_t i = first; i < first + n; ++i) {
        const real factor = real(gamma[i % gamma.elements()]), shift = real(beta[i % beta.elements()]);
        y[i] = static_cast<T>((real(x[i]) - mean) / deviation * factor + shift);
      }
    }
  }

 private:
  static constexpr verdict check_parameter(const tensor_desc& given, const tensor_desc& x, int norm, int param) {
    if (auto v = require(rule::parameter_types_must_equal_input_type, given.type, x.type); !v) return v;
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

/// layer_norm(x, gamma, beta), with begin_norm_axis<…>, begin_param_axis<…> and epsilon<…>.
template <tensor_desc X, tensor_desc G, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto layer_norm(tensor<X> x, tensor<G> gamma, tensor<B> beta, Keywords... keywords) {
  return dsl::apply<ops::layer_norm>(x, gamma, beta, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
