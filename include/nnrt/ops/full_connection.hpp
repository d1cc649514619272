// full_connection: a dense layer, y = act(x * transpose(w) + b).
// Flow: front ends call infer(); kernels/select.hpp binds it to the packed GEMM; layers::full_connection names weights.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/quantised.hpp>

#include <limits>

namespace nnrt { inline namespace NNRT_ISA {

/// `axis` of full_connection() without an axis where rows begin: `axis<no_axis>`.
inline constexpr std::int64_t no_axis = std::numeric_limits<std::int64_t>::min();

namespace ops {

/// Dense layer: the axes from `axis` on form a row of I values, which is multiplied by every row of the weight.
///
///   x: [d0 … d(axis-1), rest …], product of rest = I      weight: [O, I]      bias: [O], optional
///   y: [d0 … d(axis-1), O] = fused(x * transpose(weight) + bias)
///
/// `axis` counts from the end when negative; -1, the last axis alone, is the default. With no_axis the whole input is
/// rows of I values, whatever its axes, and y is [rows, O]: the meaning in NNRt without an axis, and in TFLite.
///
/// dtypes: all operands f16 (sums in f32), f32 or f64; or i32 or i64 without a scale, with products and sums that wrap
/// around in their width.
///
/// Quantised: x and weight i8, or both u8, bias i32 with the scale of x times that of the weight; y has x's dtype and
/// the scale given by `into<quant{…}>`. The weight has one scale, or one for each output. Sums are exact integers of (x
/// - zero point) * (weight - zero point), scaled by requantise(); a fused activation clamps the quantised values.
///
/// i16: x i16, weight i8, bias i64; sums have 64 bits and are scaled by requantise_wide(). With a bias of i32, or none,
/// they are scaled by requantise().
///
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_FULL_CONNECTION; quantised: the reference kernels of TFLite's
/// FULLY_CONNECTED.
struct full_connection {
  static constexpr op_code code{15};
  static constexpr std::string_view name = "full_connection";
  static constexpr operand_spec inputs[] = {{"x", types::floating | detail::layered | detail::plain_layered},
                                            {"weight", types::floating | detail::bytes | detail::plain_layered},
                                            {"bias", types::floating | types_of(i32, i64), presence::optional}};
  static constexpr operand_spec outputs[] = {{"y", types::floating | detail::layered | detail::plain_layered}};
  static constexpr operator_traits traits{.weights = weights_role::full_connection,
                                          .quantised = quantised_values::computed,
                                          .rounds_to_even = true,
                                          .in_files = file_order::layer};
  static constexpr auto without_bias = detail::biasless_sums::narrow;
  static constexpr error_bound errors[] = {{types_of(f32), 1, error_unit::terms, 0.5},
                                           {types_of(f16), 0.51, error_unit::terms, 0.0001},
                                           {types_of(f64), 1, error_unit::terms, 0.5}};
  static constexpr foreign_numbers foreign{.nnrt = 15, .hdi = 67};
  static constexpr hdi_field hdi_fields[] = {hdi_field::is_given("hasBias", 2).upstream_writes(0),
                                             hdi_field::is_used("useAxis", "axis", no_axis)};
  static constexpr nnrt_parameter parameters[] = {
      nnrt_parameter{"axis", 31, i64}.otherwise(no_axis), {"fused", 32, i8}, {"", 111, boolean}, {"", 112, boolean}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, axis), (activation, fused));
    constexpr attrs() : axis(-1), fused(activation::none) {}
  };

  enum class rule {
    input_rank_must_be_at_least_1,
    axis_must_be_an_axis_of_the_input,
    weight_rank_must_be_2,
    weight_type_must_equal_input_type,
    weight_type_of_an_i16_input_must_be_i8,
    inner_extents_must_be_equal,
    elements_must_make_whole_rows,
    quantised_type_must_be_i8_u8_or_i16,
    quantised_input_must_have_one_scale,
    quantised_output_must_have_one_scale,
    quantised_weight_must_have_a_scale,
    weight_scales_must_run_along_the_output_channels,
    bias_type_must_equal_input_type,
    bias_type_of_a_quantised_input_must_be_i32,
    bias_type_of_an_i16_input_must_be_i64_or_i32,
    bias_must_have_one_element_for_each_output,
  };

  /// NNRt does not count the inputs when the operation is added.
  static constexpr bool nnrt_counts_inputs = false;
  /// An axis that must not be used is contradictory.
  static constexpr nnrt_fault nnrt_refuses(const attrs&, array_ref<const operand>, array_ref<const nnrt_given> given) {
    bool has_axis = false, uses_axis = true;
    for (const nnrt_given& one : given) {
      if (one.tensor_type == 31) has_axis = true;
      if (one.tensor_type == 112) uses_axis = one.first != 0;
    }
    if (has_axis && !uses_axis) return {"use of the axis that is given", 0, 1};
    return {};
  }

  /// Using an axis without giving it means the first one.
  static constexpr void nnrt_derive(attrs& a, array_ref<const nnrt_given> given, int) {
    bool has_axis = false, uses_axis = false;
    for (const nnrt_given& one : given) {
      if (one.tensor_type == 31) has_axis = true;
      if (one.tensor_type == 112) uses_axis = one.first != 0;
    }
    if (uses_axis && !has_axis) a.axis = 0;
  }

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc &x = in[0].desc, &w = in[1].desc;
    if (auto v = require_at_least(Rule::input_rank_must_be_at_least_1, x.rank(), 1); !v) return v;
    const int axis = a.axis == no_axis ? 0 : normalise_axis(a.axis, x.rank());
    if (axis < 0) return refuse(Rule::axis_must_be_an_axis_of_the_input, a.axis, x.rank() - 1);
    if (auto v = require(Rule::weight_rank_must_be_2, w.rank(), 2); !v) return v;
    if (auto v = detail::check_weight_type<Rule>(x, w); !v) return v;
    if (auto v = check_rows(a, x.shape.elements(axis), w.shape[1]); !v) return v;
    for (const tensor_desc& plain : {x, w})
      if (auto v = detail::refuse_scales_of_plain(Rule::quantised_type_must_be_i8_u8_or_i16, plain); !v) return v;
    if (auto v = detail::check_quantised_layer<Rule>(x, w, wanted); !v) return v;
    if (in.size() > 2 && in[2]) {
      if (auto v = detail::check_bias_type<Rule>(x, in[2].desc); !v) return v;
      constexpr rule one_for_each = Rule::bias_must_have_one_element_for_each_output;
      if (auto v = require_same_extent(one_for_each, in[2].desc.elements(), w.shape[0]); !v) return v;
    }
    shape_t y;
    for (int i = 0; i < axis; ++i) y.push_back(x.shape[i]);
    if (a.axis == no_axis) y.push_back(x.shape.is_known() && w.shape[1] > 0 ? x.elements() / w.shape[1] : -1);
    y.push_back(w.shape[0]);
    tensor_desc result{x.type, y};
    if (x.layout == format::nchw && y.rank == x.rank()) result.layout = x.layout;
    return ok(detail::layer_result(result, wanted));
  }

  static constexpr std::int64_t macs(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc> out) {
    const std::int64_t elements = out[0].elements(), inner = in[1].desc.shape[1];
    // 0 while an extent of the result is unknown; while one of x is, the weight's extents are not bounded.
    return elements < 0 || inner < 0 ? 0 : nnrt::detail::saturated_product(elements, inner);
  }

  template <class T, class Rounding = rounding::double_rounding>
  static constexpr void reference(const attrs& a, arguments in, results out) {
    connect<T, detail::epilogue<T, Rounding>>(a.fused, in, out);
  }

  /// Computes y with Finish, an epilogue that makes elements of sums.
  template <class T, class Finish> static constexpr void connect(activation fused, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto w = in[1].as<const detail::weight_t<T>>();
    const auto y = out[0].as<typename Finish::element>();
    using sum_t = detail::layer_sum_t<T>;
    const auto zero_x = static_cast<sum_t>(detail::zero_of<T>(in[0])),
               zero_w = static_cast<sum_t>(detail::zero_of<T>(in[1]));
    const std::int64_t columns = w.extent(0), inner = w.extent(1), rows = columns == 0 ? 0 : y.elements() / columns;
    for (std::int64_t o = 0; o < columns; ++o) {
      const Finish finish(out[0], fused, sum_scale<T>(in[0], in[1], o), detail::has_wide_sums<T>(in, without_bias));
      for (std::int64_t r = 0; r < rows; ++r) {
        NNRT_UNFUSED
        auto sum = static_cast<sum_t>(detail::bias_of<T>(in, o));
        for (std::int64_t i = 0; i < inner; ++i)
          sum += NNRT_PRODUCT(static_cast<sum_t>(x[r * inner + i]) - zero_x, static_cast<sum_t>(w(o, i)) - zero_w);
        y[r * columns + o] = finish(static_cast<math::compute_t<T>>(sum));
      }
    }
  }

  /// Scale of the sums of output o; unused for floating point.
  template <class T> static constexpr double sum_scale(const view& x, const view& weight, std::int64_t o) {
    if constexpr (!detail::is_layered<T>) return 0;
    const float a = x.desc->quantised.scale, b = detail::channel_scale(weight, o);
    const bool has_one_scale = weight.desc->quantised.mode == quantisation::kind::per_tensor;
    return has_one_scale ? detail::product_of_tensor_scales(a, b) : detail::product_of_channel_scales(a, b);
  }

 private:
  /// Whether the elements that form rows (-1: unknown) match the weight.
  static constexpr verdict check_rows(const attrs& a, std::int64_t elements, std::int64_t inner) {
    if (a.axis != no_axis) return require_same_extent(rule::inner_extents_must_be_equal, elements, inner);
    if (elements < 0 || inner < 0 || (inner > 0 && elements % inner == 0)) return {};
    return refuse(rule::elements_must_make_whole_rows, elements, inner);
  }
};

}  // namespace ops

/// full_connection(x, weight) or (x, weight, bias), with `axis<…>` or `axis<no_axis>` and a fused activation; for a
/// quantised result `into<quant{…}>`.
template <tensor_desc X, tensor_desc W, dsl::keyword_argument... Keywords>
constexpr auto full_connection(tensor<X> x, tensor<W> weight, Keywords... keywords) {
  return dsl::apply<ops::full_connection>(x, weight, keywords...);
}
template <tensor_desc X, tensor_desc W, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto full_connection(tensor<X> x, tensor<W> weight, tensor<B> bias, Keywords... keywords) {
  return dsl::apply<ops::full_connection>(x, weight, bias, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
