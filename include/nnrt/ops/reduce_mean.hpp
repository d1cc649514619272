// reduce_mean: the mean along some axes of a tensor.
// Flow: front ends call infer(); kernels/select.hpp binds it to the pooling kernel or to reference().
#pragma once

#include <nnrt/core/dsl.hpp>
#include <nnrt/core/math.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/axes.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Mean of the elements along `axes`.
///
///   x: any shape      axes: a list of axes, constant; missing or empty: all
///   y: the extents of the other axes; with keep_dims the axes of the mean stay, with extent 1
///
/// reduce_to_end: all axes from the first of the list on, and the mean is multiplied by `coefficient`, unless that is 0
/// (which is NNRt's default and means none). A full reduction without keep_dims has rank 0. Axes count from the end
/// when negative. A mean of no elements is NaN. Sums run in row-major order in the type of computation (float for
/// float16).
///
/// Broken rules: see `rule`; axes are counted. Source: NNRt OH_NN_OPS_REDUCE_MEAN.
struct reduce_mean {
  static constexpr op_code code{42};
  static constexpr std::string_view name = "reduce_mean";
  static constexpr operand_spec inputs[] = {{"x", types::floating}, {"axes", types::index, presence::optional, true}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 42, .hdi = 118};
  static constexpr nnrt_parameter parameters[] = {
      {"keep_dims", 60, boolean}, {"reduce_to_end", 117, boolean}, {"coefficient", 118, f32}};

  struct attrs {
    BOOST_HANA_DEFINE_STRUCT(attrs, (bool, keep_dims), (bool, reduce_to_end), (float, coefficient));
    constexpr attrs() : keep_dims(false), reduce_to_end(false), coefficient(0) {}
  };

  enum class rule {
    axes_must_be_a_list_or_one_number,
    axes_must_be_known,
    axis_must_be_an_axis_of_the_input,
    axes_must_differ,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    const tensor_desc& x = in[0].desc;
    std::span<const std::int64_t> list;
    if (in.size() > 1 && in[1]) {
      if (auto v = require_at_most(rule::axes_must_be_a_list_or_one_number, in[1].desc.rank(), 1); !v) return v;
      if (!in[1].has_values()) return refuse(rule::axes_must_be_known, 0, 1);
      list = in[1].values;
    }
    chosen_axes chosen;
    if (auto v = choose_axes(chosen, list, x.rank(), rule::axis_must_be_an_axis_of_the_input, rule::axes_must_differ);
        !v)
      return v;
    chosen = reduced(a, chosen, x.rank());
    shape_t y;
    for (int i = 0; i < x.rank(); ++i) {
      if (!chosen.contains(i)) y.push_back(x.shape[i]);
      else if (a.keep_dims) y.push_back(1);
    }
    return yields(x.with_shape(y));
  }

  static constexpr auto macs = no_macs;

  /// The axes along which the mean runs, given those that were listed.
  static constexpr chosen_axes reduced(const attrs& a, const chosen_axes& listed, int rank) {
    if (listed.count > 0 && !a.reduce_to_end) return listed;
    chosen_axes all;
    for (int i = listed.count > 0 ? listed.items[0] : 0; i < rank; ++i) all.items[all.count++] = i;
    return all;
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using real = math::compute_t<T>;
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    chosen_axes listed;
    if (in.size() > 1 && in[1])
      for (int i = 0; i < in[1].elements(); ++i)
        listed.items[listed.count++] = normalise_axis(in[1].integer(i), x.rank());
    const chosen_axes chosen = reduced(a, listed, x.rank());
    shape_t kept = x.shape,
            run = x.shape;  // both of the rank of x: one steps through the results, one through the elements of each
    for (int i = 0; i < x.rank(); ++i) (chosen.contains(i) ? kept : run)[i] = 1;
    const real factor = a.reduce_to_end && a.coefficient != 0 ? static_cast<real>(a.coefficient) : real{1};
    shape_t first;
    first.rank = x.rank();
    for (std::int64_t i = 0; i < y.elements(); ++i, next_index(first, kept))
      y[i] = static_cast<T>(mean_of<real>(x, first, run) * factor);
  }

 private:
  template <class Real, class T>
  static constexpr Real mean_of(const tensor_view<const T>& x, const shape_t& first, const shape_t& run) {
    const std::int64_t count = run.elements();
    if (count == 0) return math::nan<Real>;
    Real sum = 0;
    shape_t step;
    step.rank = run.rank;
    do {
      shape_t at = first;
      for (int i = 0; i < at.rank; ++i) at[i] += step[i];
      sum += static_cast<Real>(x.at(at));
    } while (next_index(step, run));
    return sum / static_cast<Real>(count);
  }
};

}  // namespace ops

/// reduce_mean(x, axes<1, 2>, keep_dims) or reduce_mean(x, axis<-1>); without axes the mean of all elements.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto reduce_mean(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::reduce_mean>(x, keyword::as_axes(keywords)...);
}

}  // namespace nnrt::inline NNRT_ISA
