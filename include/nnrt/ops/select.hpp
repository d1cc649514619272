// select: one of two tensors, element by element, as a tensor of booleans says.
// Flow: front ends call infer(); it runs by its reference.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/binary.hpp>

namespace nnrt::inline NNRT_ISA {
namespace ops {

/// Choice between two tensors, element by element.
///
///   condition: booleans      a, b: of one dtype; all three shapes broadcast as NumPy's do
///   y: the common shape, condition ? a : b
///
/// Quantised a and b have one quantisation, which y keeps. Broken rules: see `rule`; extents are counted from the
/// innermost. Source: NNRt OH_NN_OPS_SELECT.
struct select {
  static constexpr op_code code{62};
  static constexpr std::string_view name = "select";
  static constexpr operand_spec inputs[] = {{"condition", types::logical}, {"a", types::any}, {"b", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.typed_by = 1, .quantised = stored_numbers::kept};
  static constexpr foreign_numbers foreign{.nnrt = 62, .hdi = 170};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  enum class rule { types_must_be_equal, extents_must_be_equal_or_1 };

  static constexpr verdict infer(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc &condition = in[0].desc, &a = in[1].desc, &b = in[2].desc;
    if (auto v = require(rule::types_must_be_equal, b.type, a.type); !v) return v;
    const broadcast_result either = broadcast(a.shape, b.shape);
    if (!either.fits) return refuse(rule::extents_must_be_equal_or_1, either.right, either.left);
    const broadcast_result all = broadcast(either.shape, condition.shape);
    if (!all.fits) return refuse(rule::extents_must_be_equal_or_1, all.right, all.left);
    const format layout = a.rank() == all.shape.rank ? a.layout : b.rank() == all.shape.rank ? b.layout : condition.layout;
    return yields(tensor_desc{a.type, layout, all.shape});
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    const auto y = out[0].as<T>();
    const detail::repeated<bool> condition(in[0], y.shape);
    const detail::repeated<T> a(in[1], y.shape), b(in[2], y.shape);
    shape_t index;
    index.rank = y.rank();
    for (std::int64_t left = y.elements(); left > 0; --left) {
      y.at(index) = condition.at(index) ? a.at(index) : b.at(index);
      next_index(index, y.shape);
    }
  }
};

}  // namespace ops

/// select(condition, a, b): a where the condition is true, b elsewhere.
template <tensor_desc Condition, tensor_desc A, tensor_desc B, dsl::keyword_argument... Keywords>
constexpr auto select(tensor<Condition> condition, tensor<A> a, tensor<B> b, Keywords... keywords) {
  return dsl::apply<ops::select>(condition, a, b, keywords...);
}

}  // namespace nnrt::inline NNRT_ISA
