// pad: adds a border to a tensor - a constant, or the tensor mirrored.
// Flow: front ends call infer(); kernels/select.hpp binds the copy; window operators do their own padding (keyword
// padding).
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/convert.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/core/quantised_value.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// x with elements added at the start and end of each axis.
///
///   x: [d0 … dn]
///   paddings: 2 (n + 1) integers, constant: before and after, for each axis in turn; [n + 1, 2] or flat
///   y: [before0 + d0 + after0 …]
///
/// In mode constant the new elements are pad_value (for a quantised x: the quantised value of that number). In the
/// other modes they mirror the tensor, with its outermost element (symmetric: … 1 0 | 0 1 2 …) or without it (reflect:
/// … 2 1 | 0 1 2 …).
///
/// Broken rules: see `rule`; values: numbers of elements. Source: NNRt OH_NN_OPS_PAD.
struct pad {
  static constexpr op_code code{24};
  static constexpr std::string_view name = "pad";
  static constexpr operand_spec inputs[] = {{"x", types::any}, {"paddings", types::index, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{
      .quantised = quantised_values::kept, .in_files = file_order::unchanged, .axes = axis_role::padded};
  static constexpr foreign_numbers foreign{.nnrt = 24, .hdi = 107};
  static constexpr hdi_field hdi_fields[] = {hdi_field::always("paddings", 0), hdi_field::named("paddingMode", "mode"),
                                             hdi_field::named("constantValue", "pad_value")};
  // 3 is reserved and not used
  static constexpr nnrt_parameter parameters[] = {{"pad_value", 43, f32}, nnrt_parameter{"mode", 116, i32}.up_to(3)};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (border, mode), (float, pad_value));
    constexpr attrs() : mode(border::constant), pad_value(0) {}
  };

  enum class rule {
    mode_must_be_constant_reflect_or_symmetric,
    paddings_must_have_two_numbers_for_each_axis,
    paddings_must_be_known,
    padding_must_not_be_negative,
    padding_must_not_exceed_the_size_limit,
    reflected_padding_must_be_less_than_the_extent,
    symmetric_padding_must_not_exceed_the_extent,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v =
            require_between(Rule::mode_must_be_constant_reflect_or_symmetric, static_cast<std::int64_t>(a.mode), 0, 2);
        !v)
      return v;
    if (auto v = require_same_extent(Rule::paddings_must_have_two_numbers_for_each_axis, in[1].desc.elements(),
                                     2 * x.rank());
        !v)
      return v;
    if (in[1].desc.rank() > 1)
      if (auto v = require_same_extent(Rule::paddings_must_have_two_numbers_for_each_axis, in[1].desc.shape[-1], 2); !v)
        return v;
    if (in[1].awaited) return ok(x.with_shape(shape_t::unknown(x.rank())));
    if (!in[1].has_values()) return refuse(Rule::paddings_must_be_known, 0, 1);
    shape_t y = x.shape;
    for (int i = 0; i < 2 * x.rank(); ++i) {
      const std::int64_t padding = in[1].values[static_cast<std::size_t>(i)], extent = x.shape[i / 2];
      if (auto v = require_at_least(Rule::padding_must_not_be_negative, padding, 0); !v) return v;
      if (auto v = require_at_most(Rule::padding_must_not_exceed_the_size_limit, padding, max_elements); !v) return v;
      if (auto v = fits(a.mode, padding, extent); !v) return v;
      if (extent >= 0) y[i / 2] += padding;
    }
    return ok(x.with_shape(y));
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return;
    const T outside = element_for<T>(a.pad_value, in[0].desc->quantised);
    shape_t to;
    to.rank = y.rank();
    do {
      shape_t from = to;
      bool inside = true;
      for (int i = 0; i < to.rank; ++i) {
        from[i] = source(to[i] - in[1].integer(2 * i), x.extent(i), a.mode);
        inside = inside && from[i] >= 0;
      }
      y.at(to) = inside ? x.at(from) : outside;
    } while (next_index(to, y.shape));
  }

  /// Source along an axis of the element at `i` of the padded tensor, counted from the tensor's start; -1: none.
  static constexpr std::int64_t source(std::int64_t i, std::int64_t extent, border mode) {
    if (i >= 0 && i < extent) return i;
    if (mode == border::constant) return -1;
    const std::int64_t outermost = mode == border::symmetric ? 1 : 0;  // whether it is repeated
    return i < 0 ? -i - outermost : 2 * (extent - 1) - i + outermost;
  }
  /// A real number as an element of T.
  template <class T> static constexpr T element_for(float value, const quantisation& q) {
    if (q) return quantised_as<T>(value, q);
    return math::convert<T>(value);
  }

 private:
  static constexpr verdict fits(border mode, std::int64_t padding, std::int64_t extent) {
    if (extent < 0 || padding == 0) return {};
    if (mode == border::reflect)
      return require_at_most(rule::reflected_padding_must_be_less_than_the_extent, padding, extent - 1);
    if (mode == border::symmetric)
      return require_at_most(rule::symmetric_padding_must_not_exceed_the_extent, padding, extent);
    return {};
  }
};

}  // namespace ops

/// `pad(x, paddings<…>)`, with reflect, symmetric or `pad_value<…>`.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto pad(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::pad>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
