// reduce_mean: the mean along some axes of a tensor.
// Flow: front ends call infer(); kernels/select.hpp binds it to the pooling kernel or to reference().
#pragma once

#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/reduction.hpp>

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

  using attrs = detail::reduction_attributes;

  enum class rule {
    axes_must_be_a_list_or_one_number,
    axes_must_be_known,
    axis_must_be_an_axis_of_the_input,
    axes_must_differ,
  };

  static constexpr verdict infer(const attrs& a, std::span<const operand> in, std::span<const tensor_desc>) {
    return detail::infer_reduction<rule>(a, in);
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using real = math::compute_t<T>;
    const auto factor = static_cast<real>(a.factor());
    detail::reduce<T>(
        a, in, out, real{0}, [](real& sum, T element) { sum += static_cast<real>(element); },
        [&](real sum, std::int64_t count) {
          const real mean = count == 0 ? math::nan<real> : sum / static_cast<real>(count);
          return static_cast<T>(mean * factor);
        });
  }
};

}  // namespace ops

/// reduce_mean(x, axes<1, 2>, keep_dims) or reduce_mean(x, axis<-1>); without axes the mean of all elements.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto reduce_mean(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::reduce_mean>(x, keyword::as_axes(keywords)...);
}

}  // namespace nnrt::inline NNRT_ISA
