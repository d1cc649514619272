// reduce_prod: the product along some axes of a tensor.
// Flow: front ends call infer(); kernels/select.hpp binds it to the folding kernel or to reference().
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/arithmetic.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/reduction.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Product of the elements along `axes`.
///
///   x: any shape      axes: a list of axes, constant; missing or empty: all; listed twice: once
///   y: the extents of the other axes; with keep_dims the axes of the product stay, with extent 1
///
/// reduce_to_end: all axes from the first of the list on, and the product is multiplied by `coefficient`, unless that
/// is 0 (which is NNRt's default and means none). A full reduction without keep_dims has rank 0. Axes count from the
/// end when negative. A product of no elements is 1. Floating point is multiplied in row-major order in the type of
/// computation (float for float16). Integers wrap around in their own width; times the coefficient they are truncated
/// toward zero and saturated.
///
/// Broken rules: see `rule`; axes are counted. Source: NNRt OH_NN_OPS_REDUCE_PROD.
struct reduce_prod {
  static constexpr op_code code{50};
  static constexpr std::string_view name = "reduce_prod";
  static constexpr operand_spec inputs[] = {{"x", types::number}, {"axes", types::index, presence::optional, true}};
  static constexpr operand_spec outputs[] = {{"y", types::number}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{.nnrt = 50, .hdi = 118};
  static constexpr nnrt_parameter parameters[] = {
      {"keep_dims", 70, boolean}, {"reduce_to_end", 119, boolean}, {"coefficient", 120, f32}};

  using attrs = detail::reduction_attributes;

  enum class rule {
    axes_must_be_a_list_or_one_number,
    axes_must_be_known,
    axis_must_be_an_axis_of_the_input,
  };

  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    return detail::infer_reduction<rule>(a, in);
  }

  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, math::compute_t<T>>;
    detail::reduce<T>(
        a, in, out, wide{1}, [](wide& product, T element) { product *= static_cast<wide>(element); },
        [factor = a.factor()](wide product, std::int64_t) { return times<T>(product, factor); });
  }

 private:
  template <class T, class Wide> static constexpr T times(Wide product, float factor) {
    if constexpr (!std::is_integral_v<T>) return static_cast<T>(product * static_cast<Wide>(factor));
    else if (factor == 1) return static_cast<T>(product);  // a double would round large ones
    else return math::convert<T>(math::convert<double>(static_cast<T>(product)) * double{factor});
  }
};

}  // namespace ops

/// reduce_prod(x, axes<1, 2>, keep_dims) or reduce_prod(x, axis<-1>); without axes the product of all elements.
template <tensor_desc X, dsl::keyword_argument... Keywords>
constexpr auto reduce_prod(tensor<X> x, Keywords... keywords) {
  return dsl::apply<ops::reduce_prod>(x, keyword::as_axes(keywords)...);
}

}  // namespace nnrt::inline NNRT_ISA
