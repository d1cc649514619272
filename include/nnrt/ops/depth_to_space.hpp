// depth_to_space: moves channels into blocks of pixels.
// Flow: front ends call infer(); kernels/select.hpp binds it to copies of rows.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Moves channels into blocks of pixels.
///
///   x: [N, H, W, C], NHWC      y: [N, H * block_size, W * block_size, C / block_size^2]
///
/// y[n, h * b + i, w * b + j, c] = x[n, h, w, (i * b + j) * C / b^2 + c], where b is block_size; with crd the channel
/// is c * b^2 + i * b + j. The block size is required.
///
/// Broken rules: see `rule`; values: channels, pixels. Source: NNRt OH_NN_OPS_DEPTH_TO_SPACE.
struct depth_to_space {
  static constexpr op_code code{65};
  static constexpr std::string_view name = "depth_to_space";
  static constexpr operand_spec inputs[] = {{"x", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr unlike_default to_be_said[] = {{"crd", "true"}};
  static constexpr operator_traits traits{
      .quantised = quantised_values::kept, .in_files = file_order::image, .to_be_said = to_be_said};
  static constexpr foreign_numbers foreign{.nnrt = 65, .hdi = 45};
  static constexpr hdi_field hdi_fields[] = {hdi_field::named("mode", "crd"),
                                             hdi_field::always("format", 1).upstream_writes(0)};
  static constexpr nnrt_parameter parameters[] = {{"block_size", 80, i64}, nnrt_parameter{"crd", 81, i32, -1}.up_to(1)};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, block_size), (bool, crd));
    constexpr attrs() : block_size(0), crd(false) {}
  };
  /// With blocks of one channel both orders are the same.
  static constexpr bool plays_a_part(const attrs& a, const tensor_desc& x) {
    return a.block_size != 1 && x.shape[3] != a.block_size * a.block_size;
  }
  enum class rule {
    input_rank_must_be_4,
    input_must_be_nhwc,
    block_size_must_be_positive,
    channels_must_be_divisible_by_the_squared_block_size,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = require(Rule::input_rank_must_be_4, x.rank(), 4); !v) return v;
    const std::int64_t b = a.block_size, n = x.shape[0], h = x.shape[1], w = x.shape[2], c = x.shape[3];
    if (x.layout == format::nchw) return require(Rule::input_must_be_nhwc, x.layout, format::nhwc);
    if (auto v = require_at_least(Rule::block_size_must_be_positive, b, 1); !v) return v;
    const std::int64_t pixels = extent_product(b, b);
    if (c >= 0 && c % pixels != 0) return refuse(Rule::channels_must_be_divisible_by_the_squared_block_size, c, pixels);
    const std::int64_t channels = c < 0 ? -1 : c / pixels;
    return ok(x.with_shape({n, extent_product(h, b), extent_product(w, b), channels}));
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
      const std::int64_t channel = a.crd ? at[3] * b * b + place : place * y.extent(3) + at[3];
      y.at(at) = x(at[0], at[1] / b, at[2] / b, channel);
    } while (next_index(at, y.shape));
  }
};

}  // namespace ops

/// `depth_to_space(x, block_size<2>)`, with crd or dcr.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto depth_to_space(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::depth_to_space>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
