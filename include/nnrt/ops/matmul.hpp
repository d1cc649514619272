// matmul: products of matrices, batched over the leading axes.
// Flow: front ends call infer(); kernels/select.hpp binds it to the packed GEMM.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/quantised.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Product of matrices in the last two axes; the axes before them broadcast as in NumPy.
///
///   a: […, M, K], or […, K, M] with transpose_a      b: […, K, N], or […, N, K] with transpose_b
///   y: […, M, N] = fused(a * b)
///
/// A vector needs an axis of extent 1 to be a matrix (unsqueeze). dtypes: both operands f16 (sums in f32), f32 or f64;
/// or i32 or i64 without a scale, with products and sums that wrap around in their width.
///
/// Quantised: both i8 or both u8 with one scale each (b may have one for each column of the product); y has their dtype
/// and the scale given by `into<quant{…}>`. Sums are exact integers of (a - zero point) * (b - zero point), scaled by
/// requantise(); a fused activation clamps the quantised values. With both i16, sums have 64 bits and are scaled by
/// requantise_wide().
///
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_MATMUL; quantised: the reference kernels of TFLite's BATCH_MATMUL.
struct matmul {
  static constexpr op_code code{19};
  static constexpr std::string_view name = "matmul";
  static constexpr operand_spec inputs[] = {{"a", types::floating | detail::layered | detail::plain_layered},
                                            {"b", types::floating | detail::layered | detail::plain_layered}};
  static constexpr operand_spec outputs[] = {{"y", types::floating | detail::layered | detail::plain_layered}};
  static constexpr operator_traits traits{.quantised = quantised_values::computed, .in_files = file_order::product};
  static constexpr error_bound errors[] = {{types_of(f32), 1, error_unit::terms, 0.5},
                                           {types_of(f16), 0.51, error_unit::terms, 0.0001},
                                           {types_of(f64), 1, error_unit::terms, 0.5}};
  static constexpr foreign_numbers foreign{.nnrt = 19, .hdi = 89};
  static constexpr nnrt_parameter parameters[] = {
      {"transpose_a", 33, boolean}, {"transpose_b", 34, boolean}, {"fused", 35, i8}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (bool, transpose_a), (bool, transpose_b), (activation, fused));
    constexpr attrs() : transpose_a(false), transpose_b(false), fused(activation::none) {}
  };

  enum class rule {
    types_must_be_equal,
    rank_of_a_must_be_at_least_2,
    rank_of_b_must_be_at_least_2,
    inner_extents_must_be_equal,
    leading_extents_must_be_equal_or_1,
    quantised_type_must_be_i8_u8_or_i16,
    quantised_a_must_have_one_scale,
    quantised_b_must_have_a_scale,
    scales_of_b_must_run_along_its_columns,
    quantised_output_must_have_one_scale,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& attributes, array_ref<const operand> in,
                                 array_ref<const tensor_desc> wanted) {
    const tensor_desc &a = in[0].desc, &b = in[1].desc;
    if (auto v = require(Rule::types_must_be_equal, b.type, a.type); !v) return v;
    if (auto v = require_at_least(Rule::rank_of_a_must_be_at_least_2, a.rank(), 2); !v) return v;
    if (auto v = require_at_least(Rule::rank_of_b_must_be_at_least_2, b.rank(), 2); !v) return v;
    const matrix left(a.shape, attributes.transpose_a), right(b.shape, attributes.transpose_b);
    if (auto v = require_same_extent(Rule::inner_extents_must_be_equal, right.rows, left.columns); !v) return v;
    const broadcast_result batch = broadcast(leading(a.shape), leading(b.shape));
    if (!batch.fits) return refuse(Rule::leading_extents_must_be_equal_or_1, batch.right, batch.left);
    if (auto v = check_quantisation(attributes, a, b, wanted); !v) return v;
    shape_t y = batch.shape;
    y.push_back(left.rows);
    y.push_back(right.columns);
    return ok(detail::layer_result({a.type, y}, wanted));
  }

  static constexpr std::int64_t macs(const attrs& attributes, array_ref<const operand> in,
                                     array_ref<const tensor_desc> out) {
    const std::int64_t elements = out[0].elements(), inner = matrix(in[0].desc.shape, attributes.transpose_a).columns;
    return elements < 0 || inner < 0 ? 0 : elements * inner;  // 0 while an extent is unknown
  }

  template <class T, class Rounding = rounding::double_rounding>
  static constexpr void reference(const attrs& attributes, arguments in, results out) {
    const auto y = out[0].as<T>();
    const shape_t batch = leading(y.shape);
    const auto a = oriented(in[0].as<const T>(), attributes.transpose_a, batch);
    const auto b = oriented(in[1].as<const T>(), attributes.transpose_b, batch);
    if (y.elements() == 0) return;
    using sum_t = detail::layer_sum_t<T>;
    const auto zero_a = static_cast<sum_t>(detail::zero_of<T>(in[0])),
               zero_b = static_cast<sum_t>(detail::zero_of<T>(in[1]));
    const bool is_wide = std::is_same_v<T, std::int16_t>, has_scales = has_scales_of_columns(in[1]);
    detail::epilogue<T, Rounding> finish(out[0], attributes.fused, sum_scale(in[0], in[1], 0), is_wide);
    shape_t index;
    index.rank = y.rank();
    do {
      NNRT_UNFUSED
      sum_t sum = 0;
      for (std::int64_t k = 0; k < a.extent(-1); ++k)
        sum += NNRT_PRODUCT(static_cast<sum_t>(a.at(index.with(-1, k))) - zero_a,
                            static_cast<sum_t>(b.at(index.with(-2, k))) - zero_b);
      if (has_scales) finish = {out[0], attributes.fused, sum_scale(in[0], in[1], index[-1]), is_wide};
      y.at(index) = finish(static_cast<math::compute_t<T>>(sum));
    } while (next_index(index, y.shape));
  }

  static constexpr bool has_scales_of_columns(const view& b) {
    return b.desc->quantised.mode == quantisation::kind::per_channel;
  }
  /// Scale of a column's sums.
  static constexpr double sum_scale(const view& a, const view& b, std::int64_t column) {
    const float scale_a = a.desc->quantised.scale, scale_b = detail::channel_scale(b, column);
    return has_scales_of_columns(b) ? detail::product_of_channel_scales(scale_a, scale_b)
                                    : detail::product_of_tensor_scales(scale_a, scale_b);
  }

 private:
  /// Extents of an operand's matrices after transposition.
  struct matrix {
    std::int64_t rows, columns;
    constexpr matrix(const shape_t& s, bool is_transposed)
        : rows(s[is_transposed ? -1 : -2]), columns(s[is_transposed ? -2 : -1]) {}
  };

  static constexpr shape_t leading(const shape_t& s) {
    shape_t out = s;
    out.rank = s.rank - 2;
    return out;
  }

  /// The operand with its matrices transposed if asked for, and repeated over the batch.
  template <class T>
  static constexpr tensor_view<T> oriented(tensor_view<T> x, bool is_transposed, const shape_t& batch) {
    const matrix shape(x.shape, is_transposed), strides(x.strides, is_transposed);
    x.strides = broadcast_strides(leading(x.shape), leading(x.strides), batch);
    x.shape = batch;
    x.shape.push_back(shape.rows), x.shape.push_back(shape.columns);
    x.strides.push_back(strides.rows), x.strides.push_back(strides.columns);
    x.is_dense = false;
    return x;
  }

  static constexpr verdict check_quantisation(const attrs& how, const tensor_desc& a, const tensor_desc& b,
                                              array_ref<const tensor_desc> wanted) {
    for (const tensor_desc& x : {a, b})
      if (auto v = detail::refuse_scales_of_plain(rule::quantised_type_must_be_i8_u8_or_i16, x); !v) return v;
    if (!detail::layered.contains(a.type)) return {};
    if (auto v = detail::require_one_scale(rule::quantised_a_must_have_one_scale, a); !v) return v;
    if (b.quantised.mode == quantisation::kind::per_channel) {
      const int columns = b.rank() - (how.transpose_b ? 2 : 1);
      if (auto v = require(rule::scales_of_b_must_run_along_its_columns, b.quantised.axis, columns); !v) return v;
    } else if (auto v = detail::require_one_scale(rule::quantised_b_must_have_a_scale, b); !v) {
      return v;
    }
    return detail::require_one_scale(rule::quantised_output_must_have_one_scale, detail::wish_of(wanted));
  }
};

}  // namespace ops

/// matmul(a, b), with transpose_a, transpose_b and a fused activation; for a quantised result `into<quant{…}>`.
template <tensor_desc A, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto matmul(tensor<A> a, tensor<B> b, Keywords... keywords) {
  return dsl::apply<ops::matmul>(a, b, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
