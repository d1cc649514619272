// batch_norm: normalisation of each channel with statistics from training.
// Flow: front ends call infer(); passes/fold.hpp moves it into the layer before it, or else kernels compute it.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/channels.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Batch normalisation with fixed statistics; channels are the last axis.
///
///   x: [..., C]      scale, offset, mean, variance: [C]
///   y: [..., C] = (x - mean) / sqrt(variance + epsilon) * scale + offset
///
/// epsilon is 1e-4 unless given. Broken rules: see `rule`. Source: NNRt OH_NN_OPS_BATCH_NORM.
struct batch_norm {
  static constexpr op_code code{3};
  static constexpr std::string_view name = "batch_norm";
  static constexpr operand_spec inputs[] = {{"x", types::floating},
                                            {"scale", types::floating},
                                            {"offset", types::floating},
                                            {"mean", types::floating},
                                            {"variance", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{.result = storage::in_place, .computes = meaning::batch_norm};
  static constexpr foreign_numbers foreign{.nnrt = 3, .hdi = 68};
  static constexpr nnrt_parameter parameters[] = {{"epsilon", 7, f32}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (float, epsilon));  // first: passes read it as word 0
    constexpr attrs() : epsilon(1e-4F) {}
  };

  enum class rule {
    input_must_have_a_channel_axis,
    input_must_be_nhwc,
    parameter_types_must_equal_input_type,
    parameter_rank_must_be_1,
    parameters_must_have_one_element_for_each_channel,
  };

  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = detail::check_channels_last<rule>(x); !v) return v;
    for (const operand& parameter : in.subspan(1))
      if (auto v = detail::check_parameter<rule>(parameter.desc, x.type, x.shape[-1]); !v) return v;
    return yields(x);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using real = math::compute_t<T>;
    const auto x = in[0].as<const T>(), scale = in[1].as<const T>(), offset = in[2].as<const T>();
    const auto mean = in[3].as<const T>(), variance = in[4].as<const T>();
    const auto y = out[0].as<T>();
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      const std::int64_t c = i % x.shape[-1];
      const real factor = real(scale[c]) / math::sqrt(real(variance[c]) + real(a.epsilon));
      y[i] = static_cast<T>((real(x[i]) - real(mean[c])) * factor + real(offset[c]));
    }
  }
};

}  // namespace ops

/// batch_norm(x, scale, offset, mean, variance), with epsilon<…>.
template <tensor_desc X, tensor_desc S, tensor_desc O, tensor_desc M, tensor_desc V, dsl::keyword_argument... Keywords>
constexpr auto batch_norm(tensor<X> x, tensor<S> scale, tensor<O> offset, tensor<M> mean, tensor<V> variance,
                          Keywords... keywords) {
  return dsl::apply<ops::batch_norm>(x, scale, offset, mean, variance, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
