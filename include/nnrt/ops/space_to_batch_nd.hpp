// space_to_batch_nd: distributes the pixels of each block of an image over images of a batch.
// Flow: front ends call infer(); kernels/select.hpp binds the copy; dilated convolutions are often written with it.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/blocks.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// block.h * block.w images of each padded image: each has every block.h-th row and every block.w-th column.
///
///   x: [N, H, W, C], NHWC
///   y: [N * block.h * block.w, (H + top + bottom) / block.h, (W + left + right) / block.w, C]
///
/// y[n + N * (h % block.h * block.w + w % block.w), h / block.h, w / block.w, c] = padded x[n, h, w, c]. `paddings`
/// (top, bottom, left, right) are pixels of zeros (the zero point of a quantised x); the default is none. `block` is
/// required.
///
/// Broken rules: see `rule`; values: pixels. Source: NNRt OH_NN_OPS_SPACE_TO_BATCH_ND.
struct space_to_batch_nd {
  static constexpr op_code code{31};
  static constexpr std::string_view name = "space_to_batch_nd";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.quantised = quantised_values::kept, .in_files = file_order::image};
  static constexpr foreign_numbers foreign{.nnrt = 31, .hdi = 141, .nnrt_name = "SpaceToBatchND"};
  static constexpr hdi_field hdi_fields[] = {hdi_field::named("blockShape", "block").upstream_omitting(),
                                             hdi_field::named("paddings", "paddings").upstream_repeating()};
  static constexpr nnrt_parameter parameters[] = {nnrt_parameter{"block", 47, i64, 2}.of_rank(1).appending(),
                                                  nnrt_parameter{"paddings", 48, i64, 4}.of_rank(2)};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (extent2, block), (int_list<4>, paddings));
    constexpr attrs() : block{0, 0} {}
  };

  enum class rule {
    input_rank_must_be_4,
    input_must_be_nhwc,
    block_must_be_positive,
    block_must_not_exceed_the_size_limit,
    paddings_must_be_four_numbers,
    padding_must_not_be_negative,
    padding_must_not_exceed_the_size_limit,
    padded_image_must_be_divisible_by_the_block,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = detail::check_blocks<Rule>(x, a.block); !v) return v;
    if (auto v = detail::check_border(a.paddings, Rule::paddings_must_be_four_numbers,
                                      Rule::padding_must_not_be_negative, Rule::padding_must_not_exceed_the_size_limit);
        !v)
      return v;
    const std::int64_t pixels = extent_product(a.block.h, a.block.w);
    shape_t y{extent_product(x.shape[0], pixels), x.shape[1], x.shape[2], x.shape[3]};
    for (int axis = 1; axis <= 2; ++axis) {
      if (y[axis] < 0) continue;
      const std::int64_t block = axis == 1 ? a.block.h : a.block.w;
      y[axis] += a.paddings.items[2 * axis - 2] + a.paddings.items[2 * axis - 1];
      if (y[axis] % block != 0) return refuse(Rule::padded_image_must_be_divisible_by_the_block, y[axis], block);
      y[axis] /= block;
    }
    return ok(x.with_shape(y));
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return;  // with an extent of 0 the others may be huge
    const T outside = zero<T>(in[0].desc->quantised);
    const std::int64_t top = a.paddings[0], left = a.paddings[2];
    for (std::int64_t n = 0; n < x.extent(0); ++n)
      for (std::int64_t h = 0; h < y.extent(1) * a.block.h; ++h)
        for (std::int64_t w = 0; w < y.extent(2) * a.block.w; ++w) {
          const auto to = detail::place_in_blocks(a.block, x.extent(0), n, h, w);
          const bool is_inside = h >= top && h - top < x.extent(1) && w >= left && w - left < x.extent(2);
          for (std::int64_t c = 0; c < y.extent(3); ++c)
            y(to.n, to.h, to.w, c) = is_inside ? x(n, h - top, w - left, c) : outside;
        }
  }

  /// The value of 0 in a tensor of T.
  template <class T> static constexpr T zero(const quantisation& q) {
    return static_cast<T>(q.mode == quantisation::kind::per_tensor ? q.zero_point : 0);
  }
};

}  // namespace ops

/// `space_to_batch_nd(x, block<2, 2>)`, with `paddings<top, bottom, left, right>`.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto space_to_batch_nd(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::space_to_batch_nd>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
