// softmax: numbers along one or several axes become probabilities.
// Flow: front ends call infer(); kernels/select.hpp binds it to the softmax kernel.
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/axes.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// exp(x) over its sum along the listed axes, shifted by the maximum so that nothing overflows.
///
///   x: any shape of rank >= 1      y: the same shape; the sum over the listed axes is 1
///
/// `axis` lists the axes that one sum runs over, the last axis when it is empty; negative ones count from the end.
/// Broken rules: see `rule`. Source: NNRt OH_NN_OPS_SOFTMAX (one axis), HDI Softmax (a list).
struct softmax {
  static constexpr op_code code{30};
  static constexpr std::string_view name = "softmax";
  static constexpr operand_spec inputs[] = {{"x", types::floating}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 30, .hdi = 138};
  static constexpr nnrt_parameter parameters[] = {{"axis", 46, i64}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (axis_list, axis));
    constexpr attrs() = default;
  };

  enum class rule { input_rank_must_be_at_least_1, axis_must_be_an_axis_of_the_input, axes_must_differ };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    if (auto v = require_at_least(rule::input_rank_must_be_at_least_1, x.rank(), 1); !v) return v;
    chosen_axes axes;
    constexpr rule must_exist = rule::axis_must_be_an_axis_of_the_input, must_differ = rule::axes_must_differ;
    if (auto v = choose_axes(axes, a.axis, x.rank(), must_exist, must_differ); !v) return v;
    return yields(x);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (x.elements() == 0) return;
    const shape_t group = extents_of_one_sum(a.axis, x.shape);
    shape_t groups = x.shape;
    for (int i = 0; i < x.rank(); ++i) groups[i] = x.extent(i) == group[i] ? 1 : x.extent(i);
    shape_t start;
    start.rank = x.rank();
    do normalise(x, y, start, group);
    while (next_index(start, groups));
  }

 private:
  /// The shape with every axis that is not listed cut to extent 1.
  static constexpr shape_t extents_of_one_sum(const axis_list& list, const shape_t& shape) {
    shape_t out = shape;
    for (std::int64_t& extent : out.extents) extent = 1;
    for (const std::int64_t axis : list)
      out[normalise_axis(axis, shape.rank)] = shape[normalise_axis(axis, shape.rank)];
    if (list.empty()) out[-1] = shape[-1];
    return out;
  }

  /// One group of elements, from `start` on, whose results have the sum 1.
  template <class T>
  static constexpr void normalise(const tensor_view<const T>& x, const tensor_view<T>& y, const shape_t& start,
                                  const shape_t& group) {
    using wide = math::compute_t<T>;
    const auto value = [&](const shape_t& at) { return static_cast<wide>(x.at(at)); };
    const auto each = [&](auto f) {
      shape_t index;
      index.rank = group.rank;
      do {
        shape_t at = start;
        for (int i = 0; i < at.rank; ++i) at[i] += index[i];
        f(at);
      } while (next_index(index, group));
    };
    wide largest = value(start), sum = 0;
    each([&](const shape_t& at) { largest = value(at) > largest ? value(at) : largest; });
    each([&](const shape_t& at) { sum += math::exp(value(at) - largest); });
    each([&](const shape_t& at) { y.at(at) = static_cast<T>(math::exp(value(at) - largest) / sum); });
  }
};

}  // namespace ops

/// softmax(x), with axis<…> or, for one sum over several axes, axes<…>.
template <tensor_desc X, dsl::keyword_argument... Keywords> constexpr auto softmax(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::softmax>(x, keyword::as_axis(keywords)...);
}

}  // namespace nnrt::inline NNRT_ISA
