// signature: an operator's table of operands, and checks of arity, dtypes, quantisation and declared outputs against
// it.
// Flow: core/operator.hpp runs these checks before and after an operator's infer(), so that operators do not repeat
// them.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/verdict.hpp>

#include <limits>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// Whether an operand is required, optional, or stands for one or more operands.
enum class presence { required, optional, variadic };

/// One row of an operator's signature.
struct operand_spec {
  std::string_view role;
  dtype_set accepts;
  presence given = presence::required;
  bool constant = false;  // must be known before the network runs
};

/// What an operator does with quantised integers (descs with a scale).
enum class quantised_values {
  refused,  // accepts only plain numbers
  // moves quantised values: outputs with the dtypes of input `typed_by` have its quantisation, and no other may be
  // declared
  kept,
  computed,  // computes with their real values: its rules decide which outputs have a scale
};

namespace detail {

/// Row of the signature for operand i; a variadic last row applies to all further operands. specs.size() if there is
/// none. It is an index because g++ 12 with -fsanitize=undefined rejects comparing such a pointer with nullptr in a
/// constant expression.
constexpr std::size_t row_of(array_ref<const operand_spec> specs, std::size_t i) {
  if (i < specs.size()) return i;
  return !specs.empty() && specs.back().given == presence::variadic ? specs.size() - 1 : specs.size();
}

/// Least number of operands: up to the last one that is not optional.
constexpr std::int64_t needed_by(array_ref<const operand_spec> specs) {
  std::size_t needed = specs.size();
  while (needed > 0 && specs[needed - 1].given == presence::optional) --needed;
  return static_cast<std::int64_t>(needed);
}

constexpr dtype first_of(dtype_set set) {
  for (int i = 1; i < dtype_count; ++i)
    if (set.contains(static_cast<dtype>(i))) return static_cast<dtype>(i);
  return dtype::none;
}

constexpr verdict check_extents(const tensor_desc& desc) {
  for (const std::int64_t extent : desc.shape) {
    if (auto v = require_at_least(signature_rule::extents_must_not_be_negative, extent, -1); !v) return v;
    // Each extent also separately: with an extent of 0 any product is small, and rules add extents.
    if (auto v = require_at_most(signature_rule::tensor_must_not_exceed_the_size_limit, extent, max_elements); !v)
      return v;
  }
  if (desc.shape.is_known() && desc.elements() < 0)
    return refuse(signature_rule::tensor_must_not_exceed_the_size_limit, max_elements + 1, max_elements);
  return {};
}

/// Checks arity, dtypes and constants against the table of inputs.
constexpr verdict check_inputs(array_ref<const operand_spec> specs, array_ref<const operand> in) {
  const auto given = static_cast<std::int64_t>(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t row = row_of(specs, i);
    if (row == specs.size())
      return refuse(signature_rule::operands_must_not_exceed_the_signature, given,
                    static_cast<std::int64_t>(specs.size()));
    const operand_spec& spec = specs[row];
    if (!in[i]) {
      if (spec.given == presence::optional) continue;
      return refuse(signature_rule::required_operand_must_be_given, static_cast<std::int64_t>(i),
                    static_cast<std::int64_t>(i) + 1);
    }
    if (!spec.accepts.contains(in[i].desc.type))
      return require(signature_rule::operand_type_must_be_accepted_by_the_operator, in[i].desc.type,
                     first_of(spec.accepts));
    if (spec.constant && !in[i].constant) return refuse(signature_rule::operand_must_be_a_constant, 0, 1);
    if (auto v = check_extents(in[i].desc); !v) return v;
  }
  return require_at_least(signature_rule::required_operand_must_be_given, given, needed_by(specs));
}

/// Checks only the number of operands.
constexpr verdict check_counts(array_ref<const operand_spec> specs, array_ref<const operand> in) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t row = row_of(specs, i);
    if (row == specs.size())
      return refuse(signature_rule::operands_must_not_exceed_the_signature, static_cast<std::int64_t>(in.size()),
                    static_cast<std::int64_t>(specs.size()));
    if (!in[i] && specs[row].given != presence::optional)
      return refuse(signature_rule::required_operand_must_be_given, static_cast<std::int64_t>(i),
                    static_cast<std::int64_t>(i) + 1);
  }
  return require_at_least(signature_rule::required_operand_must_be_given, static_cast<std::int64_t>(in.size()),
                          needed_by(specs));
}

/// Checks that a scale can divide and multiply, and that the dtype can hold the zero point. dtype::none: not known yet.
constexpr verdict check_quantisation(dtype type, int rank, const quantisation& q) {
  if (!q) return {};
  if (type != dtype::none && !types::quantised.contains(type))
    return require(signature_rule::quantised_type_must_be_an_integer, type, i8);
  if (q.mode == quantisation::kind::per_channel)
    return require_between(signature_rule::quantised_axis_must_be_an_axis, q.axis, 0,
                           (type == dtype::none && rank == 0 ? max_rank : rank) - 1);
  if (auto v = require_real_between(signature_rule::scale_must_be_positive_and_finite, q.scale,
                                    std::numeric_limits<float>::min(), std::numeric_limits<float>::max());
      !v)
    return v;
  const std::int64_t bits = type == dtype::none ? 32 : size_of(type) * 8;
  const std::int64_t lowest = type == u8 ? 0 : -(std::int64_t{1} << (bits - 1));
  return require_between(signature_rule::zero_point_must_be_a_number_of_the_type, q.zero_point, lowest,
                         lowest + (std::int64_t{1} << bits) - 1);
}

/// Number of scales of a tensor: 1, or the extent of its quantised axis; 0 if it is not quantised.
constexpr std::int64_t scales_of(const tensor_desc& desc) {
  if (desc.quantised.mode == quantisation::kind::per_channel) return desc.shape[desc.quantised.axis];
  return desc.quantised ? 1 : 0;
}

/// Compares scales, kinds, zero points, axes and roundings.
constexpr verdict require_same_quantisation(signature_rule rule, const quantisation& got,
                                            const quantisation& expected) {
  if (got == expected) return {};
  if (got.scale != expected.scale) return require_real(rule, got.scale, expected.scale);
  if (got.mode != expected.mode) return refuse(rule, static_cast<int>(got.mode), static_cast<int>(expected.mode));
  if (got.zero_point != expected.zero_point) return refuse(rule, got.zero_point, expected.zero_point);
  if (got.rounding != expected.rounding)
    return refuse(rule, static_cast<int>(got.rounding), static_cast<int>(expected.rounding));
  return refuse(rule, got.axis, expected.axis);
}

/// Checks operands of operators that move quantised values: one scale, equal for all that are moved. Indices, axes and
/// the like are not moved: their rows accept other dtypes than input `typed_by`.
constexpr verdict check_moved_operands(array_ref<const operand_spec> specs, array_ref<const operand> in, int typed_by) {
  const tensor_desc& moved = in[static_cast<std::size_t>(typed_by)].desc;
  const dtype_set moves = specs[row_of(specs, static_cast<std::size_t>(typed_by))].accepts;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const tensor_desc& x = in[i].desc;
    if (!in[i]) continue;
    if (x.quantised.mode == quantisation::kind::per_channel)
      return refuse(signature_rule::quantised_operand_must_have_one_scale, scales_of(x), 1);
    if (x.type != moved.type || specs[row_of(specs, i)].accepts != moves) continue;
    if (auto v = require_same_quantisation(signature_rule::quantisation_of_operands_must_be_the_same, x.quantised,
                                           moved.quantised);
        !v)
      return v;
  }
  return {};
}

constexpr verdict check_quantised_operands(array_ref<const operand_spec> specs, quantised_values kind,
                                           array_ref<const operand> in, int typed_by) {
  std::int64_t quantised = 0;
  for (const operand& x : in) {
    if (auto v = check_quantisation(x.desc.type, x.desc.rank(), x.desc.quantised); !v) return v;
    if (x.desc.quantised) ++quantised;
  }
  if (quantised == 0 || kind == quantised_values::computed) return {};
  if (kind == quantised_values::kept) return check_moved_operands(specs, in, typed_by);
  return refuse(signature_rule::quantised_operands_must_be_accepted_by_the_operator, quantised, 0);
}

/// Checks declared quantisations before rules use them. Quantisations of booleans are ignored: NNRt requires one for
/// the output of LESS_EQUAL in a quantised network.
constexpr verdict check_wishes(array_ref<const tensor_desc> wanted) {
  for (const tensor_desc& wish : wanted) {
    if (wish.type == boolean) continue;
    if (auto v = check_quantisation(wish.type, wish.rank(), wish.quantised); !v) return v;
  }
  return {};
}

/// Compares dtype and shape of an output with the declared ones, and takes unknown extents from the declaration.
constexpr verdict match_declared_shape(tensor_desc& out, const tensor_desc& wish) {
  if (wish.type != dtype::none)
    if (auto v = require(signature_rule::declared_output_type_must_match, out.type, wish.type); !v) return v;
  if (wish.shape.rank == 0) return {};  // only dtype or quantisation are declared
  // Other programs declare a scalar, such as a full reduction, as one element or an unknown extent.
  if (out.rank() == 0 && (wish.shape == shape_t{1} || wish.shape == shape_t{-1})) return {};
  if (auto v = require(signature_rule::declared_output_rank_must_match, out.rank(), wish.rank()); !v) return v;
  for (int axis = 0; axis < out.rank(); ++axis) {
    if (auto v =
            require_same_extent(signature_rule::declared_output_extent_must_match, out.shape[axis], wish.shape[axis]);
        !v)
      return v;
    if (out.shape[axis] < 0) out.shape[axis] = wish.shape[axis];
  }
  return {};
}

/// Gives outputs of an operator that moves quantised values the quantisation of its input.
constexpr void keep_quantisation(verdict& v, array_ref<const operand_spec> outputs, dtype_set moves,
                                 const tensor_desc& moved) {
  for (std::size_t i = 0; i < v.outputs.size(); ++i)
    if (v.outputs[i].type == moved.type && outputs[row_of(outputs, i)].accepts == moves)
      v.outputs[i].quantised = moved.quantised;
}

/// Compares every output with the declared one.
constexpr verdict match_declared(verdict v, array_ref<const tensor_desc> wanted) {
  for (std::size_t i = 0; i < v.outputs.size(); ++i) {
    tensor_desc& out = v.outputs[i];
    if (i < wanted.size())
      if (auto ok = match_declared_shape(out, wanted[i]); !ok) return ok;
    if (auto ok = check_extents(out); !ok) return ok;  // also declared extents
    if (i >= wanted.size() || !wanted[i].quantised || out.type == boolean) continue;
    if (auto ok = check_quantisation(out.type, out.rank(), wanted[i].quantised); !ok) return ok;
    if (auto ok = require_same_quantisation(signature_rule::declared_output_quantisation_must_match, out.quantised,
                                            wanted[i].quantised);
        !ok)
      return ok;
  }
  return v;
}

/// Refuses other roundings than TFLite's, for operators that do not declare that they support them.
constexpr verdict check_rounding(array_ref<const tensor_desc> outputs) {
  for (const tensor_desc& y : outputs)
    if (is_half_to_even(y.quantised.rounding))
      return refuse(signature_rule::rounding_must_be_one_of_the_operator, static_cast<int>(y.quantised.rounding), 0);
  return {};
}

}  // namespace detail

}}  // namespace nnrt::NNRT_ISA
