// choice: common part of operators that choose between two elements by a boolean.
// Flow: used by ops/select.hpp and ops/where.hpp, one operator with two numbers.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/binary.hpp>
#include <nnrt/ops/detail/quantised.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// All but number, name and rules.
struct choice {
  static constexpr operand_spec inputs[] = {{"condition", types::logical}, {"a", types::any}, {"b", types::any}};
  static constexpr operand_spec outputs[] = {{"y", types::any}};
  static constexpr operator_traits traits{.typed_by = 1,
                                          .quantised = quantised_values::computed,
                                          .rounds_to_even = true,
                                          .in_files = file_order::broadcast,
                                          .axes = axis_role::elementwise};
  static constexpr std::array<nnrt_parameter, 0> parameters{};
  using attrs = no_attributes;
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs&, arguments in, results out) {
    if constexpr (types::quantised.contains(dtype_for<T>()))
      if (out[0].desc->quantised) {
        const quantisation& y = out[0].desc->quantised;
        return choose<T>(in, out, rescaling<T>(in[1].desc->quantised, y), rescaling<T>(in[2].desc->quantised, y));
      }
    const auto as_it_is = [](T x) { return x; };
    choose<T>(in, out, as_it_is, as_it_is);
  }

 private:
  /// Rescales a quantised value of an operand to y; unchanged for equal scales.
  template <class T> struct rescaling {
    fixed_point factor;
    std::int32_t zero;
    bool is_same;
    const quantisation& to;
    constexpr rescaling(const quantisation& from, const quantisation& y)
        : factor(fixed_point_of(double{from.scale} / double{y.scale})),
          zero(from.zero_point),
          is_same(from.scale == y.scale && from.zero_point == y.zero_point),
          to(y) {}
    constexpr T operator()(T x) const {
      using limits = std::numeric_limits<T>;
      if (is_same) return x;
      return requantise_exactly<T>(std::int64_t{x} - zero, factor, to, {limits::min(), limits::max()});
    }
  };
  template <class T, class A, class B>
  static constexpr void choose(arguments in, results out, const A& from_a, const B& from_b) {
    const auto y = out[0].as<T>();
    const repeated<bool> condition(in[0], y.shape);
    const repeated<T> a(in[1], y.shape), b(in[2], y.shape);
    shape_t index;
    index.rank = y.rank();
    for (std::int64_t left = y.elements(); left > 0; --left) {
      y.at(index) = condition.at(index) ? from_a(a.at(index)) : from_b(b.at(index));
      next_index(index, y.shape);
    }
  }
};

/// The quantisation of y: the declared one, or that of both alternatives.
template <class Rule>
constexpr verdict choose_scale(quantisation& y, const tensor_desc& a, const tensor_desc& b, const tensor_desc& wish) {
  if (!a.quantised && !b.quantised) return {};
  if (auto v = require(Rule::operands_must_both_be_quantised_or_both_plain, b.quantised ? 1 : 0, a.quantised ? 1 : 0);
      !v)
    return v;
  for (const tensor_desc* const x : {&a, &b})
    if (auto v = require_one_scale(Rule::quantised_operands_must_have_one_scale, *x); !v) return v;
  if (!wish.quantised && a.quantised == b.quantised) return y = a.quantised, verdict{};
  if (auto v = require_one_scale(Rule::quantised_output_must_have_one_scale, wish); !v) return v;
  return y = wish.quantised, verdict{};
}

/// The dtype of both alternatives and the broadcast shape of all operands, or the broken rule of `Rule`.
template <class Rule> constexpr verdict infer_choice(array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
  const tensor_desc &condition = in[0].desc, &a = in[1].desc, &b = in[2].desc;
  if (auto v = require(Rule::types_must_be_equal, b.type, a.type); !v) return v;
  const broadcast_result either = broadcast(a.shape, b.shape);
  if (!either.fits) return refuse(Rule::extents_must_be_equal_or_1, either.right, either.left);
  const tensor_desc chosen{a.type, broadcast_layout(a, b), either.shape};
  const broadcast_result all = broadcast(either.shape, condition.shape);
  if (!all.fits) return refuse(Rule::extents_must_be_equal_or_1, all.right, all.left);
  tensor_desc y{a.type, broadcast_layout(chosen, condition), all.shape};
  if (auto v = choose_scale<Rule>(y.quantised, a, b, wish_of(wanted)); !v) return v;
  return ok(y);
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
