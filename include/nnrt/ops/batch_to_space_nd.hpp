// batch_to_space_nd: images from pixels that are spread over a batch; the inverse of space_to_batch_nd.
// Flow: front ends call infer(); kernels/select.hpp binds the copy.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/blocks.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// One image of each block.h * block.w images, whose pixels interleave.
///
///   x: [N * block.h * block.w, H, W, C], NHWC
///   y: [N, H * block.h - top - bottom, W * block.w - left - right, C]
///
/// Without crops y[n, h, w, c] = x[n + N * (h % block.h * block.w + w % block.w), h / block.h, w / block.w, c]. `crops`
/// (top, bottom, left, right) are pixels removed from the result; the default is none. `block` is required.
///
/// Broken rules: see `rule`; values: images, pixels. Source: NNRt OH_NN_OPS_BATCH_TO_SPACE_ND.
struct batch_to_space_nd {
  static constexpr op_code code{4};
  static constexpr std::string_view name = "batch_to_space_nd";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.quantised = quantised_values::kept, .in_files = file_order::image};
  static constexpr foreign_numbers foreign{.nnrt = 4, .hdi = 22, .nnrt_name = "BatchToSpaceND"};
  static constexpr hdi_field hdi_fields[] = {hdi_field::named("blockShape", "block").upstream_omitting()};
  static constexpr nnrt_parameter parameters[] = {nnrt_parameter{"block", 8, i64, -1}.appending(),
                                                  {"crops", 9, i64, 4}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (extent2, block), (int_list<4>, crops));
    constexpr attrs() : block{0, 0} {}
  };

  enum class rule {
    input_rank_must_be_4,
    input_must_be_nhwc,
    block_must_be_positive,
    block_must_not_exceed_the_size_limit,
    crops_must_be_four_numbers,
    crop_must_not_be_negative,
    crop_must_not_exceed_the_size_limit,
    batch_must_be_divisible_by_the_block,
    image_must_not_exceed_the_size_limit,
    crops_must_not_exceed_the_image,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = detail::check_blocks<Rule>(x, a.block); !v) return v;
    if (auto v = detail::check_border(a.crops, Rule::crops_must_be_four_numbers, Rule::crop_must_not_be_negative,
                                      Rule::crop_must_not_exceed_the_size_limit);
        !v)
      return v;
    const std::int64_t pixels = extent_product(a.block.h, a.block.w);
    if (x.shape[0] >= 0 && x.shape[0] % pixels != 0)
      return refuse(Rule::batch_must_be_divisible_by_the_block, x.shape[0], pixels);
    shape_t y{x.shape[0] < 0 ? -1 : x.shape[0] / pixels, extent_product(x.shape[1], a.block.h),
              extent_product(x.shape[2], a.block.w), x.shape[3]};
    for (int axis = 1; axis <= 2; ++axis) {
      if (auto v = require_at_most(Rule::image_must_not_exceed_the_size_limit, y[axis], max_elements); !v) return v;
      const std::int64_t cut = a.crops.items[2 * axis - 2] + a.crops.items[2 * axis - 1];
      if (y[axis] < 0) continue;
      if (auto v = require_at_most(Rule::crops_must_not_exceed_the_image, cut, y[axis]); !v) return v;
      y[axis] -= cut;
    }
    return ok(x.with_shape(y));
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return;  // with an extent of 0 the others may be huge
    for (std::int64_t n = 0; n < y.extent(0); ++n)
      for (std::int64_t h = 0; h < y.extent(1); ++h)
        for (std::int64_t w = 0; w < y.extent(2); ++w) {
          const auto from = detail::place_in_blocks(a.block, y.extent(0), n, h + a.crops[0], w + a.crops[2]);
          for (std::int64_t c = 0; c < y.extent(3); ++c) y(n, h, w, c) = x(from.n, from.h, from.w, c);
        }
  }
};

}  // namespace ops

/// `batch_to_space_nd(x, block<2, 2>)`, with `crops<top, bottom, left, right>`.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto batch_to_space_nd(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::batch_to_space_nd>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
