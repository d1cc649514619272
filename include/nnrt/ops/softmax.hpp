// softmax: converts numbers along one or several axes to probabilities.
// Flow: front ends call infer(); kernels/select.hpp binds it to the softmax kernel.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/axes.hpp>
#include <nnrt/ops/detail/quantised.hpp>
#include <nnrt/ops/detail/quantised_softmax.hpp>
#include <nnrt/ops/detail/sums.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// exp(beta * x) divided by its sum along the listed axes, shifted by the maximum to avoid overflow.
///
///   x: any shape of rank >= 1      y: the same shape; the sum over the listed axes is 1
///
/// `axis` lists the axes of one sum; an empty list means the last axis; negative ones count from the end. beta is 1 by
/// default. dtypes: f16, f32, f64; or quantised i8, u8 or i16, computed in fixed point.
///
/// Quantised: y has the scale given by `into<quant{…}>`, usually 1/256 with the dtype's lowest value as zero point for
/// 8 bits, and 1/32768 with zero point 0 for i16. For other scales requantise() rescales the share, which has 31 bits.
///
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_SOFTMAX (one axis), HDI Softmax (a list); quantised with the usual
/// scales, and beta: the reference kernels of TFLite's SOFTMAX, along the last axis.
struct softmax {
  static constexpr op_code code{30};
  static constexpr std::string_view name = "softmax";
  static constexpr operand_spec inputs[] = {{"x", types::floating | detail::layered}};
  static constexpr operand_spec outputs[] = {{"y", types::floating | detail::layered}};
  static constexpr operator_traits traits{.quantised = quantised_values::computed, .axes = axis_role::listed};
  static constexpr error_bound errors[] = {{types_of(f32), 70, error_unit::largest, 0.016, true},
                                           {types_of(f16), 0.51, error_unit::largest},
                                           {types_of(f64), 4, error_unit::largest, 1}};
  static constexpr foreign_numbers foreign{.nnrt = 30, .hdi = 138};
  static constexpr hdi_field hdi_fields[] = {hdi_field::unknown("beta")};
  static constexpr nnrt_parameter parameters[] = {{"axis", 46, i64}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (float, beta), (axis_list, axis));
    constexpr attrs() : beta(1) {}
  };

  enum class rule {
    input_rank_must_be_at_least_1,
    axis_must_be_an_axis_of_the_input,
    axes_must_differ,
    beta_must_be_positive_and_finite,
    quantised_input_must_have_one_scale,
    quantised_output_must_have_one_scale,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc& x = in[0].desc;
    if (auto v = require_at_least(Rule::input_rank_must_be_at_least_1, x.rank(), 1); !v) return v;
    chosen_axes axes;
    constexpr rule must_exist = Rule::axis_must_be_an_axis_of_the_input, must_differ = Rule::axes_must_differ;
    if (auto v = choose_axes(axes, a.axis, x.rank(), must_exist, must_differ); !v) return v;
    constexpr float least = std::numeric_limits<float>::min(), most = std::numeric_limits<float>::max();
    if (auto v = require_real_between(Rule::beta_must_be_positive_and_finite, a.beta, least, most); !v) return v;
    if (auto v = check_quantisation(x, detail::wish_of(wanted)); !v) return v;
    tensor_desc y = x;
    y.quantised = {};
    return ok(detail::layer_result(y, wanted));
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const shape_t& shape = in[0].shape();
    if (shape.elements() == 0) return;
    const shape_t group = extents_of_one_sum(a.axis, shape);
    shape_t groups = shape;
    for (int i = 0; i < shape.rank; ++i) groups[i] = shape[i] == group[i] ? 1 : shape[i];
    shape_t start;
    start.rank = shape.rank;
    do normalise<T>(in[0], out[0], start, group, a.beta);
    while (next_index(start, groups));
  }

 private:
  static constexpr verdict check_quantisation(const tensor_desc& x, const tensor_desc& wish) {
    if (!detail::layered.contains(x.type)) return {};
    if (auto v = detail::require_one_scale(rule::quantised_input_must_have_one_scale, x); !v) return v;
    return detail::require_one_scale(rule::quantised_output_must_have_one_scale, wish);
  }

  /// The shape with extent 1 for every axis that is not listed.
  static constexpr shape_t extents_of_one_sum(const axis_list& list, const shape_t& shape) {
    shape_t out = shape;
    for (std::int64_t& extent : out.extents) extent = 1;
    for (const std::int64_t axis : list)
      out[normalise_axis(axis, shape.rank)] = shape[normalise_axis(axis, shape.rank)];
    if (list.empty()) out[-1] = shape[-1];
    return out;
  }

  /// Computes one group of elements, from `start` on, whose results have the sum 1.
  template <class T>
  static constexpr void normalise(const view& operand, const view& result, const shape_t& start, const shape_t& group,
                                  float beta) {
    const auto x = operand.as<const T>();
    const auto y = result.as<T>();
    const auto value = [&](const shape_t& at) {
      return math::convert<std::conditional_t<std::is_integral_v<T>, std::int64_t, double>>(x.at(at));
    };
    const auto each = [&](auto f) {
      shape_t index;
      index.rank = group.rank;
      do {
        shape_t at = start;
        for (int i = 0; i < at.rank; ++i) at[i] += index[i];
        f(at);
      } while (next_index(index, group));
    };
    auto largest = value(start);
    each([&](const shape_t& at) { largest = value(at) > largest ? value(at) : largest; });
    if constexpr (detail::is_layered<T>) {
      const auto share_out = [&](const auto& by) {
        const auto power = [&](const shape_t& at) { return by.power(value(at) - largest); };
        std::int64_t sum = 0;
        each([&](const shape_t& at) { sum += by.addend(power(at)); });
        const auto share = by.share_of(sum);
        each([&](const shape_t& at) { y.at(at) = static_cast<T>(share(power(at))); });
      };
      const quantisation &from = operand.desc->quantised, &to = result.desc->quantised;
      if (sizeof(T) == 2 && detail::are_usual_shares<T>(to)) share_out(detail::interpolated_softmax(from, beta));
      else share_out(detail::fixed_softmax<T>(from, to, beta));
    } else {
      // With an infinite maximum all results are NaN; constant evaluation rejects infinity - infinity.
      if (math::is_inf(largest)) return each([&](const shape_t& at) { y.at(at) = math::nan<T>; });
      const auto power = [&](const shape_t& at) {
        return math::exp(math::product(detail::below<T>(value(at), largest), double{beta}));
      };
      double sum = 0;
      each([&](const shape_t& at) { sum += power(at); });
      each([&](const shape_t& at) { y.at(at) = math::convert<T>(power(at) / sum); });
    }
  }
};

}  // namespace ops

/// softmax(x), with `beta<…>`, and `axis<…>` or, for one sum over several axes, `axes<…>`; for a quantised result
/// `into<quant{.scale = 1.0F / 256, .zero_point = -128}>`.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto softmax(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::softmax>(x, keyword::as_axis(keywords)...);
}

}}  // namespace nnrt::NNRT_ISA
