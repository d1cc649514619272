// space_to_depth: moves blocks of pixels into channels.
// Flow: front ends call infer(); kernels/select.hpp binds it to copies of rows.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Moves blocks of pixels into channels.
///
///   x: [N, H, W, C], NHWC      y: [N, H / block_size, W / block_size, C * block_size^2]
///
/// y[n, h, w, (i * b + j) * C + c] = x[n, h * b + i, w * b + j, c], where b is block_size, which is required.
///
/// Broken rules: see `rule`; values: channels, pixels. Source: NNRt OH_NN_OPS_SPACE_TO_DEPTH.
struct space_to_depth {
  static constexpr op_code code{104};
  static constexpr std::string_view name = "space_to_depth";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.quantised = quantised_values::kept, .in_files = file_order::image};
  static constexpr foreign_numbers foreign{.nnrt = 104, .hdi = 142};
  static constexpr hdi_field hdi_fields[] = {hdi_field::always("format", 1).upstream_writes(0)};
  static constexpr nnrt_parameter parameters[] = {{"block_size", 150, i64}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, block_size));
    constexpr attrs() : block_size(0) {}
  };
  enum class rule {
    input_rank_must_be_4,
    input_must_be_nhwc,
    block_size_must_be_at_least_2,
    image_must_be_divisible_by_the_block_size,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = require(Rule::input_rank_must_be_4, x.rank(), 4); !v) return v;
    const std::int64_t b = a.block_size, n = x.shape[0], h = x.shape[1], w = x.shape[2], c = x.shape[3];
    if (x.layout == format::nchw) return require(Rule::input_must_be_nhwc, x.layout, format::nhwc);
    if (auto v = require_at_least(Rule::block_size_must_be_at_least_2, b, 2); !v) return v;
    const std::int64_t pixels = extent_product(b, b);
    for (const std::int64_t length : {h, w})
      if (length >= 0 && length % b != 0) return refuse(Rule::image_must_be_divisible_by_the_block_size, length, b);
    return ok(x.with_shape({n, h < 0 ? -1 : h / b, w < 0 ? -1 : w / b, extent_product(c, pixels)}));
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return;
    const std::int64_t b = a.block_size;
    shape_t at;  // in the image with more pixels
    at.rank = 4;
    do {
      const std::int64_t place = at[1] % b * b + at[2] % b;
      y(at[0], at[1] / b, at[2] / b, place * x.extent(3) + at[3]) = x.at(at);
    } while (next_index(at, x.shape));
  }
};

}  // namespace ops

/// `space_to_depth(x, block_size<2>)`.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto space_to_depth(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::space_to_depth>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
