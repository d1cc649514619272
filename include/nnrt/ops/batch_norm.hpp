// batch_norm: normalisation of each channel with statistics from training.
// Flow: front ends call infer(); passes/fold.hpp folds it into the preceding layer, or else kernels compute it.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/channels.hpp>
#include <nnrt/ops/detail/over_zero.hpp>
#include <nnrt/ops/detail/quantised_reals.hpp>
#include <nnrt/ops/detail/quantised_unary.hpp>
#include <nnrt/ops/fold_affine.hpp>

#include <limits>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Batch normalisation with fixed statistics; channels are the last axis.
///
///   x: [..., C]      scale, offset, mean, variance: [C]
///   y: [..., C] = (x - mean) / sqrt(variance + epsilon) * scale + offset
///
/// epsilon is 1e-4 by default. With epsilon and variance 0, results are infinite, or NaN for x = mean.
///
/// Quantised: x i8, u8 or i16 with one scale, the parameters f32, or of the dtype of x with one scale each, y with the
/// scale given by `into<quant{…}>`. Each quantised value is nearest to the real result, rounded to float.
///
/// Broken rules: see `rule`; values: numbers of scales. Source: NNRt OH_NN_OPS_BATCH_NORM; quantised: this library.
struct batch_norm {
  static constexpr op_code code{3};
  static constexpr std::string_view name = "batch_norm";
  static constexpr operand_spec inputs[] = {{"x", detail::real_or_quantised},
                                            {"scale", detail::real_or_quantised},
                                            {"offset", detail::real_or_quantised},
                                            {"mean", detail::real_or_quantised},
                                            {"variance", detail::real_or_quantised}};
  static constexpr operand_spec outputs[] = {{"y", detail::real_or_quantised}};
  static constexpr unlike_default to_be_said[] = {{"epsilon", "1e-5"}};
  static constexpr operator_traits traits{.result = storage::in_place,
                                          .computes = meaning::batch_norm,
                                          .quantised = quantised_values::computed,
                                          .in_files = file_order::unchanged,
                                          .to_be_said = to_be_said};
  using folded_as = fold_affine;
  static constexpr error_bound errors[] = {{types_of(f32), 3, error_unit::terms},
                                           {types_of(f16), 0.51, error_unit::terms},
                                           {types_of(f64), 3, error_unit::terms}};
  static constexpr foreign_numbers foreign{.nnrt = 3, .hdi = 68};
  static constexpr nnrt_parameter parameters[] = {{"epsilon", 7, f32}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (float, epsilon));  // first: passes read it as word 0
    constexpr attrs() : epsilon(1e-4F) {}
  };
  /// The default of the first release.
  static constexpr void nnrt_derive(attrs& a, array_ref<const nnrt_given> given, int api_level) {
    if (given.empty() && api_level < 11) a.epsilon = 1e-7F;
  }

  enum class rule {
    input_must_have_a_channel_axis,
    input_must_be_nhwc,
    parameter_types_must_equal_input_type,
    parameter_rank_must_be_1,
    parameters_must_have_one_element_for_each_channel,
    quantised_input_must_have_one_scale,
    parameter_types_of_a_quantised_input_must_be_its_type_or_f32,
    quantised_parameters_must_have_one_scale,
    quantised_output_must_have_one_scale,
    epsilon_must_not_be_negative_or_infinite,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc& x = in[0].desc;
    if (auto v = detail::check_channels_last<Rule>(x); !v) return v;
    for (const operand& parameter : in.subspan(1))
      if (auto v = detail::check_parameter_row<Rule>(parameter.desc, x.shape[-1]); !v) return v;
    if (auto v = detail::check_parameter_types<Rule>(in, wanted); !v) return v;
    constexpr rule in_bounds = Rule::epsilon_must_not_be_negative_or_infinite;
    if (auto v = require_real_between(in_bounds, a.epsilon, 0, std::numeric_limits<float>::max()); !v) return v;
    return ok(detail::like_input(x, wanted));
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    if constexpr (can_be_quantised<T>) normalise<T>(a, in, out);
    else normalise_floats<T>(a, in, out);
  }

 private:
  template <class T> static constexpr void normalise_floats(const attrs& a, arguments in, results out) {
    const auto real = [](T element) { return math::convert<double>(element); };
    const auto x = in[0].as<const T>(), scale = in[1].as<const T>(), offset = in[2].as<const T>();
    const auto mean = in[3].as<const T>(), variance = in[4].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      const std::int64_t c = i % x.shape[-1];
      const double off = real(x[i]) - real(mean[c]), deviation = math::sqrt(real(variance[c]) + double{a.epsilon});
      if (deviation == 0) y[i] = math::convert<T>(detail::scaled_over_zero(off, real(scale[c]), real(offset[c])));
      else y[i] = math::convert<T>(math::product(off, real(scale[c]) / deviation) + real(offset[c]));
    }
  }
  template <class T> static constexpr void normalise(const attrs& a, arguments in, results out) {
    const detail::reals_of<T> x(in[0]), scale(in[1]), offset(in[2]), mean(in[3]), variance(in[4]);
    const detail::storing<T> store(out[0]);
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < y.elements(); ++i) {
      const std::int64_t c = i % y.shape[-1];
      const double off = x[i] - mean[c], deviation = math::sqrt(variance[c] + double{a.epsilon});
      if (deviation == 0) y[i] = store(detail::scaled_over_zero(off, scale[c], offset[c]));
      else y[i] = store(math::product(off, scale[c] / deviation) + offset[c]);
    }
  }
};

}  // namespace ops

/// batch_norm(x, scale, offset, mean, variance), with `epsilon<…>`.
template <tensor_desc X, tensor_desc S, tensor_desc O, tensor_desc M, tensor_desc V, dsl::keyword_argument... Keywords>
constexpr auto batch_norm(tensor<X> x, tensor<S> scale, tensor<O> offset, tensor<M> mean, tensor<V> variance,
                          Keywords... keywords) {
  return dsl::apply<ops::batch_norm>(x, scale, offset, mean, variance, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
