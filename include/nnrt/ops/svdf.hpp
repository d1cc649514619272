// svdf: a low-rank dense layer over features and time, one step (singular value decomposition filter).
// Flow: readers of .tflite files make it; it has no public function.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/quantised.hpp>
#include <nnrt/ops/detail/recurrent.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// One step of filters, each the product of a vector over features and one over time; a unit has `rank` filters.
///
///   x: [B, I]      features: [F, I]      times: [F, M]      bias: [U], optional; U = F / rank
///   state: [B, F * M], the last M results of each filter, oldest first      y: [B, U]      next: [B, F * M]
///
///   next[f] = state[f] without its oldest value, then features[f] · x
///   y[u] = fused(sum over the filters f of unit u, from u * rank on, of times[f] · next[f], plus bias[u])
///
/// f32: for all operands. Quantised: x and features i8, times and state i16, bias i32. features, times and state have
/// no zero points; the bias has the scale of the state times that of times.
///
/// Broken rules: see `rule`; values: ranks, extents, dtypes, scales. Source: TFLite's SVDF, to the last bit for
/// quantised values.
struct svdf {
  static constexpr op_code code{1009};
  static constexpr std::string_view name = "svdf";
  static constexpr operand_spec inputs[] = {{"x", types_of(f32, i8)},
                                            {"features", types_of(f32, i8)},
                                            {"times", types_of(f32, i16)},
                                            {"bias", types_of(f32, i32), presence::optional},
                                            {"state", types_of(f32, i16)}};
  static constexpr operand_spec outputs[] = {{"y", types_of(f32, i8)}, {"next", types_of(f32, i16)}};
  static constexpr operator_traits traits{.quantised = quantised_values::computed, .in_files = file_order::unchanged};
  static constexpr error_bound errors[] = {
      {types_of(f32), 2, error_unit::terms, 0.5, false, "products of x and of the memory, of a unit"}};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, rank), (activation, fused));
    constexpr attrs() : rank(1), fused(activation::none) {}
  };

  enum class rule {
    input_weights_and_state_rank_must_be_2,
    bias_rank_must_be_1,
    operand_types_must_be_those_beside_the_input,
    rank_must_be_at_least_1,
    rank_must_divide_the_filters,
    memory_must_be_at_least_1,
    extents_must_be_those_of_the_other_operands,
    quantised_operands_must_have_one_scale,
    quantised_output_must_have_one_scale,
    zero_points_must_be_0,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const dtype type = in[0].desc.type;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const tensor_desc& t = in[i].desc;
      if (!in[i]) continue;
      const rule fit = i == 3 ? Rule::bias_rank_must_be_1 : Rule::input_weights_and_state_rank_must_be_2;
      if (auto v = require(fit, t.rank(), i == 3 ? 1 : 2); !v) return v;
      const dtype expected = type == f32 ? f32 : i < 2 ? i8 : i == 3 ? i32 : i16;
      if (auto v = require(Rule::operand_types_must_be_those_beside_the_input, t.type, expected); !v) return v;
    }
    if (auto v = require_at_least(Rule::rank_must_be_at_least_1, a.rank, 1); !v) return v;
    enum { batch, features, filters, memory, units, stored, names };
    constexpr int named[5][2] = {
        {batch, features}, {filters, features}, {filters, memory}, {units, units}, {batch, stored}};
    detail::named_extents<names> extents;
    constexpr rule fit = Rule::extents_must_be_those_of_the_other_operands;
    for (std::size_t i = 0; i < in.size(); ++i)
      for (int axis = 0; axis < in[i].desc.rank(); ++axis)
        if (auto v = extents.take(fit, named[i][axis], in[i].desc.shape[axis]); !v) return v;
    const std::int64_t *of = extents.of, all = of[filters];
    if (all >= 0) {
      if (auto v = require(Rule::rank_must_divide_the_filters, all % a.rank, 0); !v) return v;
      if (auto v = extents.take(fit, units, all / a.rank); !v) return v;
    }
    if (of[memory] >= 0)
      if (auto v = require_at_least(Rule::memory_must_be_at_least_1, of[memory], 1); !v) return v;
    if (all >= 0 && of[memory] >= 0)
      if (auto v = extents.take(fit, stored, extent_product(all, of[memory])); !v) return v;
    if (auto v = check_scales<Rule>(in, wanted); !v) return v;
    const quantisation to = type == f32 ? quantisation{} : detail::wish_of(wanted).quantised;
    return ok(tensor_desc{type, format::nd, {of[batch], of[units]}, to},
              tensor_desc{in[4].desc.type, format::nd, {of[batch], of[stored]}, in[4].desc.quantised});
  }

  /// Products of features and of times.
  static constexpr std::int64_t macs(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const shape_t &x = in[0].desc.shape, &features = in[1].desc.shape, &times = in[2].desc.shape;
    if (x[0] < 0 || features[0] < 0 || features[1] < 0 || times[1] < 0) return 0;
    return nnrt::detail::saturated_product(x[0], nnrt::detail::saturated_product(features[0], features[1] + times[1]));
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    if constexpr (std::is_same_v<T, float>) filter_reals(a, in, out);
    else filter_quantised(a, in, out, detail::plain_products());
  }

  /// Computes on quantised values, with the sums of `products`.
  template <class Products>
  static constexpr void filter_quantised(const attrs& a, arguments in, results out, const Products& products) {
    const auto x = in[0].as<const std::int8_t>(), features = in[1].as<const std::int8_t>();
    const auto times = in[2].as<const std::int16_t>();
    const auto y = out[0].as<std::int8_t>();
    const auto stored = out[1].as<std::int16_t>();
    const std::int64_t width = x.extent(1), memory = times.extent(1), units = y.extent(1), filters = times.extent(0);
    const quantisation &of_x = in[0].desc->quantised, &of_y = out[0].desc->quantised;
    const double of_state = double{in[4].desc->quantised.scale};
    using detail::float_over, detail::float_times, nnrt::detail::saturated_i32, nnrt::detail::clamped;
    const auto scale = [&](std::size_t i) { return double{in[i].desc->quantised.scale}; };
    const fixed_point to_state = fixed_point_of(float_over(float_times(double{of_x.scale}, scale(1)), of_state));
    const fixed_point to_y = fixed_point_of(float_over(float_times(of_state, scale(2)), double{of_y.scale}));
    const quantised_range range = quantised_range_of<std::int8_t>(of_y, a.fused);
    const auto begin = [&](std::int64_t b) { return products.row_of(x, b * width, width, of_x.zero_point, 0); };
    const auto put = [&](const auto& row, std::int64_t f) {
      return static_cast<std::int16_t>(
          clamped(rounding::double_rounding::scale(saturated_i32(row.times(features, f)), to_state), -32768, 32767));
    };
    go_on<std::int16_t>(in, out, begin, put, [&](std::int64_t b, std::int64_t u) {
      std::int64_t sum = detail::is_there(in, 3) ? in[3].as<const std::int32_t>()[u] : 0;
      for (std::int64_t f = u * a.rank; f < (u + 1) * a.rank; ++f)
        for (std::int64_t m = 0; m < memory; ++m)
          sum += std::int64_t{times[f * memory + m]} * stored[(b * filters + f) * memory + m];
      y[b * units + u] = requantise<std::int8_t>(sum, to_y, of_y.zero_point, range);
    });
  }

 private:
  template <class Rule>
  static constexpr verdict check_scales(array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    if (in[0].desc.type == f32) return {};
    for (std::size_t i = 0; i < in.size(); ++i) {
      const tensor_desc& t = in[i].desc;
      if (!in[i] || i == 3) continue;  // the scale of the bias follows from others
      if (auto v = detail::require_one_scale(Rule::quantised_operands_must_have_one_scale, t); !v) return v;
      if (i != 0)
        if (auto v = require(Rule::zero_points_must_be_0, t.quantised.zero_point, 0); !v) return v;
    }
    return detail::require_one_scale(Rule::quantised_output_must_have_one_scale, detail::wish_of(wanted));
  }

  /// Shifts the memory of all filters and appends the value of put(begin(b), f); then calls finish(b, u).
  template <class State, class Begin, class Put, class Finish>
  static constexpr void go_on(arguments in, results out, Begin begin, Put put, Finish finish) {
    const auto state = in[4].as<const State>();
    const auto next = out[1].as<State>();
    const std::int64_t batch = in[0].shape()[0], filters = in[2].shape()[0], memory = in[2].shape()[1],
                       units = out[0].shape()[1];
    for (std::int64_t b = 0; b < batch; ++b) {
      const auto row = begin(b);
      for (std::int64_t f = 0; f < filters; ++f) {
        const std::int64_t first = (b * filters + f) * memory;
        for (std::int64_t m = 0; m + 1 < memory; ++m) next[first + m] = state[first + m + 1];
        next[first + memory - 1] = put(row, f);
      }
      for (std::int64_t u = 0; u < units; ++u) finish(b, u);
    }
  }

  static constexpr void filter_reals(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const float>(), features = in[1].as<const float>(), times = in[2].as<const float>();
    const auto y = out[0].as<float>(), next = out[1].as<float>();
    const std::int64_t width = x.extent(1), memory = times.extent(1), units = y.extent(1), filters = times.extent(0);
    const auto begin = [](std::int64_t b) { return b; };
    const auto put = [&](std::int64_t b, std::int64_t f) {
      double sum = 0;
      for (std::int64_t i = 0; i < width; ++i)
        sum += math::product(double{features[f * width + i]}, double{x[b * width + i]});
      return math::convert<float>(sum);
    };
    go_on<float>(in, out, begin, put, [&](std::int64_t b, std::int64_t u) {
      double sum = detail::is_there(in, 3) ? double{in[3].as<const float>()[u]} : 0;
      for (std::int64_t f = u * a.rank; f < (u + 1) * a.rank; ++f)
        for (std::int64_t m = 0; m < memory; ++m)
          sum += math::product(double{times[f * memory + m]}, double{next[(b * filters + f) * memory + m]});
      y[b * units + u] = math::convert<float>(activate(sum, a.fused));
    });
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops
