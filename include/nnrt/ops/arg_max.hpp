// arg_max: indices or values of the largest elements along an axis.
// Flow: front ends call infer(); kernels/select.hpp binds lines of f32, i32 and bytes to the searches of largest.hpp.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/order.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The index of the largest element of each line along `axis`, or of the k largest ones, from the largest down.
///
///   x: any shape of rank >= 1
///   y: the extents of x, but k along the axis; without the axis when k is 1 and keep_dims is not set
///
/// y has indices (i32, or i64 if the output is declared so), or with out_max_value the elements in the dtype of x. Of
/// equal elements the one with the smaller index is first; NaN counts as larger than every number. A quantised x is
/// compared by its quantised values. `axis` counts from the end when negative; -1 is the default.
///
/// Broken rules: see `rule`; values: axes, numbers of elements, numbers of scales. Source: NNRt OH_NN_OPS_ARG_MAX,
/// shapes as in MindSpore.
struct arg_max {
  static constexpr op_code code{54};
  static constexpr std::string_view name = "arg_max";
  static constexpr operand_spec inputs[] = {{"x", types::number}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{.quantised = quantised_values::computed};
  static constexpr foreign_numbers foreign{.nnrt = 54, .hdi = 11};
  static constexpr hdi_field hdi_fields[] = {hdi_field::named("topK", "k")};
  static constexpr nnrt_parameter parameters[] = {
      {"axis", 75, i64, -1}, {"keep_dims", 76, boolean, -1}, {"k", 124, i64, -1}, {"out_max_value", 125, boolean, -1}};

  /// Larger indices do not fit into i32.
  static constexpr std::int64_t max_extent = std::int64_t{1} << 31;

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, axis), (std::int64_t, k), (bool, keep_dims), (bool, out_max_value));
    constexpr attrs() : axis(-1), k(1), keep_dims(false), out_max_value(false) {}
  };

  enum class rule {
    axis_must_be_an_axis_of_the_input,
    quantised_input_must_have_one_scale,
    k_must_be_at_least_1,
    k_must_not_exceed_the_extent,
    extent_must_be_countable_in_32_bits,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    const tensor_desc& x = in[0].desc;
    const int axis = normalise_axis(a.axis, x.rank());
    if (axis < 0) return refuse(Rule::axis_must_be_an_axis_of_the_input, a.axis, x.rank() - 1);
    if (x.quantised.mode == quantisation::kind::per_channel)
      return refuse(Rule::quantised_input_must_have_one_scale, x.shape[x.quantised.axis], 1);
    if (auto v = require_at_least(Rule::k_must_be_at_least_1, a.k, 1); !v) return v;
    const std::int64_t extent = x.shape[axis];
    if (extent >= 0)
      if (auto v = require_at_most(Rule::k_must_not_exceed_the_extent, a.k, extent); !v) return v;
    const bool is_wide = !wanted.empty() && wanted[0].type == i64;
    if (!a.out_max_value && !is_wide)  // an unknown extent is at least k
      if (auto v = require_at_most(Rule::extent_must_be_countable_in_32_bits, extent < 0 ? a.k : extent, max_extent);
          !v)
        return v;
    tensor_desc y = x.with_shape(result_shape(a, x.shape, axis));
    if (!a.out_max_value) y = tensor_desc{is_wide ? i64 : i32, y.layout, y.shape};
    return ok(y);
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    if (out[0].elements() == 0) return;  // k is not 0, but another extent is
    const int axis = normalise_axis(a.axis, x.rank());
    const std::int64_t outer = x.shape.elements(0, axis), inner = x.shape.elements(axis + 1), extent = x.extent(axis);
    const auto find = [&](auto set) {
      for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t i = 0; i < inner; ++i) {
          const auto at = [&](std::int64_t e) { return x[(o * extent + e) * inner + i]; };
          std::int64_t found = -1;
          for (std::int64_t place = 0; place < a.k; ++place) {
            found = largest_behind(at, found, extent);
            set((o * a.k + place) * inner + i, found, at(found));
          }
        }
    };
    if (a.out_max_value) {
      const auto y = out[0].as<T>();
      find([&](std::int64_t flat, std::int64_t, T value) { y[flat] = value; });
    } else {
      with_element<types::index>(out[0].type(), [&]<class Index>(Index) {
        const auto y = out[0].as<Index>();
        find([&](std::int64_t flat, std::int64_t index, T) { y[flat] = static_cast<Index>(index); });
      });
    }
  }

 private:
  static constexpr shape_t result_shape(const attrs& a, const shape_t& x, int axis) {
    if (a.k != 1 || a.keep_dims) return x.with(axis, a.k);
    shape_t y;
    for (int i = 0; i < x.rank; ++i)
      if (i != axis) y.push_back(x[i]);
    return y;
  }
  /// Of the elements after element `last` in the result's order, the first of the largest ones of a line. -1 as `last`:
  /// all elements.
  template <class Line> static constexpr std::int64_t largest_behind(Line at, std::int64_t last, std::int64_t extent) {
    std::int64_t best = -1;
    for (std::int64_t e = 0; e < extent; ++e) {
      const bool comes_behind =
          last < 0 || detail::is_larger(at(last), at(e)) || (e > last && !detail::is_larger(at(e), at(last)));
      if (comes_behind && (best < 0 || detail::is_larger(at(e), at(best)))) best = e;
    }
    return best;
  }
};

}  // namespace ops

/// `arg_max(x, axis<1>)`: indices of the largest elements, with keep_dims, `k<…>`, out_max_value or `into<nnrt::i64>`.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto arg_max(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::arg_max>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
