// top_k: the largest elements along an axis, and their indices.
// Flow: front ends call infer(); kernels/select.hpp binds lines of f32, i32 and bytes to the searches of largest.hpp.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/exchange.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/order.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// The k largest elements of each line along `axis`, and their indices in the line.
///
///   x: any shape of rank >= 1      k: one integer of any dtype, constant; 0 < k <= the extent of the axis
///   values, indices (i32): the extents of x, but k along the axis
///
/// sorted: in descending order; of equal elements the smaller index is first. Otherwise the reverse, ascending order,
/// as in NNRt. NaN counts as larger than every number and equal to every NaN, so that NaNs are found; zeros are equal
/// regardless of their sign. A quantised x is compared by its quantised values, and `values` has its scale. `axis`
/// counts from the end when negative; -1 is the default.
///
/// At most extent * k steps for each line: an element outside of the k largest so far costs one comparison.
///
/// Broken rules: see `rule`; values: axes, numbers of elements. Source: NNRt OH_NN_OPS_TOP_K; ties as in ONNX TopK.
struct top_k {
  static constexpr op_code code{53};
  static constexpr std::string_view name = "top_k";
  static constexpr operand_spec inputs[] = {{"x", types::number}, {"k", types::integer, presence::required, true}};
  static constexpr operand_spec outputs[] = {{"values", types::number}, {"indices", types_of(i32)}};
  static constexpr operator_traits traits{.quantised = quantised_values::kept};
  static constexpr foreign_numbers foreign{.nnrt = 53, .hdi = 161, .tells_quantisation = 0};
  static constexpr nnrt_parameter parameters[] = {{"sorted", 74, boolean, -1}, {"axis", 123, i64}};

  /// Larger indices do not fit into i32.
  static constexpr std::int64_t max_extent = std::int64_t{1} << 31;

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (bool, sorted), (std::int64_t, axis));
    constexpr attrs() : sorted(true), axis(-1) {}
  };

  enum class rule {
    axis_must_be_an_axis_of_the_input,
    k_must_be_one_number,
    k_must_be_known,
    k_must_be_at_least_1,
    k_must_not_exceed_the_extent,
    extent_must_be_countable_in_32_bits,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    const int axis = normalise_axis(a.axis, x.rank());
    if (axis < 0) return refuse(Rule::axis_must_be_an_axis_of_the_input, a.axis, x.rank() - 1);
    const std::int64_t extent = x.shape[axis];
    if (auto v = require_same_extent(Rule::k_must_be_one_number, in[1].desc.elements(), 1); !v) return v;
    if (in[1].awaited) return lines_of(x, axis, -1);
    if (!in[1].has_values()) return refuse(Rule::k_must_be_known, 0, 1);
    const std::int64_t k = in[1].values[0];
    if (auto v = require_at_least(Rule::k_must_be_at_least_1, k, 1); !v) return v;
    if (extent >= 0)
      if (auto v = require_at_most(Rule::k_must_not_exceed_the_extent, k, extent); !v) return v;
    // An unknown extent is at least k.
    if (auto v = require_at_most(Rule::extent_must_be_countable_in_32_bits, extent < 0 ? k : extent, max_extent); !v)
      return v;
    return lines_of(x, axis, k);
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto values = out[0].as<T>();
    const auto indices = out[1].as<std::int32_t>();
    if (values.elements() == 0) return;  // k is not 0, but another extent is
    const int axis = normalise_axis(a.axis, x.rank());
    const shape_t starts = x.shape.with(axis, 1);
    shape_t first;
    first.rank = x.rank();
    do {
      const line<const T> from(x, first, axis);
      const ranking<T> best{{values, first, axis}, {indices, first, axis}};
      choose_sorted(from, best);
      if (!a.sorted) reverse(best);
    } while (next_index(first, starts));
  }

 private:
  /// Descs of values and indices, with k along the axis.
  static constexpr verdict lines_of(const tensor_desc& x, int axis, std::int64_t k) {
    const shape_t y = x.shape.with(axis, k);
    return ok(x.with_shape(y), tensor_desc{i32, x.layout, y});
  }
  /// The elements along one axis.
  template <class T> struct line {
    T* first;
    std::int64_t step, extent;
    constexpr line(const tensor_view<T>& all, const shape_t& at, int axis)
        : first(&all.at(at)), step(all.strides[axis]), extent(all.extent(axis)) {}
    constexpr T& operator[](std::int64_t i) const { return first[i * step]; }
  };
  /// One line of both outputs.
  template <class T> struct ranking {
    line<T> values;
    line<std::int32_t> indices;
    constexpr void set(std::int64_t place, T value, std::int32_t index) const {
      values[place] = value;
      indices[place] = index;
    }
  };

  /// Inserts each element after the ones that are not smaller; the last of more than k is dropped.
  template <class T> static constexpr void choose_sorted(const line<const T>& x, const ranking<T>& best) {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < x.extent; ++i) {
      const T candidate = x[i];
      const bool is_full = count == best.values.extent;
      if (is_full && !detail::is_larger(candidate, best.values[count - 1])) continue;
      std::int64_t place = is_full ? count - 1 : count++;
      for (; place > 0 && detail::is_larger(candidate, best.values[place - 1]); --place)
        best.set(place, best.values[place - 1], best.indices[place - 1]);
      best.set(place, candidate, static_cast<std::int32_t>(i));
    }
  }
  template <class T> static constexpr void reverse(const ranking<T>& best) {
    for (std::int64_t i = 0, j = best.values.extent - 1; i < j; ++i, --j) {
      nnrt::detail::swap_values(best.values[i], best.values[j]);
      nnrt::detail::swap_values(best.indices[i], best.indices[j]);
    }
  }
};

}  // namespace ops

/// `auto [values, indices] = top_k(x, k<5>)`, with `axis<…>` for another axis than the last, and unsorted for ascending
/// order.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto top_k(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::top_k>(x, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
