// choice: what operators have in common that take one of two elements, as a truth value says.
// Flow: ops/select.hpp and ops/where.hpp, which are one operator under two numbers, are made of it.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/binary.hpp>

namespace nnrt::inline NNRT_ISA::ops::detail {

/// Everything but numbers, a name and the rules.
struct choice {
  static constexpr operand_spec inputs[] = {{"condition", types::logical}, {"a", types::any}, {"b", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.typed_by = 1, .quantised = stored_numbers::kept, .in_files = file_order::broadcast};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    const auto y = out[0].as<T>();
    const repeated<bool> condition(in[0], y.shape);
    const repeated<T> a(in[1], y.shape), b(in[2], y.shape);
    shape_t index;
    index.rank = y.rank();
    for (std::int64_t left = y.elements(); left > 0; --left) {
      y.at(index) = condition.at(index) ? a.at(index) : b.at(index);
      next_index(index, y.shape);
    }
  }
};

/// The dtype of both alternatives and the common shape of all three operands, or the broken rule of `Rule`.
template <class Rule> constexpr verdict infer_choice(array_ref<const operand> in) {
  const tensor_desc &condition = in[0].desc, &a = in[1].desc, &b = in[2].desc;
  if (auto v = require(Rule::types_must_be_equal, b.type, a.type); !v) return v;
  const broadcast_result either = broadcast(a.shape, b.shape);
  if (!either.fits) return refuse(Rule::extents_must_be_equal_or_1, either.right, either.left);
  const tensor_desc chosen{a.type, broadcast_layout(a, b), either.shape};
  const broadcast_result all = broadcast(either.shape, condition.shape);
  if (!all.fits) return refuse(Rule::extents_must_be_equal_or_1, all.right, all.left);
  return yields(tensor_desc{a.type, broadcast_layout(chosen, condition), all.shape});
}

}  // namespace nnrt::inline NNRT_ISA::ops::detail
