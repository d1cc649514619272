// signature: an operator's tables of operands, and the checks of arity, dtypes, quantisation and declared outputs that
// follow from them.
// Flow: core/operator.hpp runs these before and after an operator's own infer(), so that no operator repeats them.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/verdict.hpp>

#include <limits>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// Whether an operand must be given, may be missing, or stands for any number (at least one) of operands.
enum class presence { required, optional, variadic };

/// One row of an operator's signature.
struct operand_spec {
  std::string_view role;
  dtype_set accepts;
  presence given = presence::required;
  bool constant = false;  // must be known before the network runs
};

/// What an operator does with quantised integers (those whose desc has a scale).
enum class quantised_values {
  refused,  // it takes plain numbers alone
  // it moves quantised values: outputs that take what input `typed_by` takes have that input's quantisation, and no
  // other may be wanted
  kept,
  computed,  // it computes with what they stand for: its own rules say which outputs have a scale
};

namespace detail {

/// The row of the signature for operand i: a variadic last row stands for all that follow. specs.size() when there is
/// none. (An index: g++ 12 with -fsanitize=undefined takes no comparison of such pointers with nullptr for constant.)
constexpr std::size_t row_of(array_ref<const operand_spec> specs, std::size_t i) {
  if (i < specs.size()) return i;
  return !specs.empty() && specs.back().given == presence::variadic ? specs.size() - 1 : specs.size();
}

/// The least number of operands: the last one that is not optional, and all before it.
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
    // Each alone, too: beside an extent of 0 any product is small, and rules add extents up.
    if (auto v = require_at_most(signature_rule::tensor_must_not_exceed_the_size_limit, extent, max_elements); !v)
      return v;
  }
  if (desc.shape.is_known() && desc.elements() < 0)
    return refuse(signature_rule::tensor_must_not_exceed_the_size_limit, max_elements + 1, max_elements);
  return {};
}

/// Arity, dtypes and constants as the table of inputs demands.
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

/// The number of operands alone: whether those that must be there are, and no others.
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

/// A scale that divides and multiplies, and a zero point that the dtype can hold; dtype::none: not known yet.
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

/// The scales of a tensor: 1, or the extent of its quantised axis; 0 when it has none.
constexpr std::int64_t scales_of(const tensor_desc& desc) {
  if (desc.quantised.mode == quantisation::kind::per_channel) return desc.shape[desc.quantised.axis];
  return desc.quantised ? 1 : 0;
}

/// Equal, or the values that differ: scales, kinds, zero points, axes.
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

/// What movers ask of their quantised operands: one scale, the same for all that are moved. Indices, axes and the like
/// are not: their rows accept other dtypes than that of input `typed_by`.
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

constexpr verdict check_quantised_operands(array_ref<const operand_spec> specs, quantised_values form,
                                           array_ref<const operand> in, int typed_by) {
  std::int64_t quantised = 0;
  for (const operand& x : in) {
    if (auto v = check_quantisation(x.desc.type, x.desc.rank(), x.desc.quantised); !v) return v;
    if (x.desc.quantised) ++quantised;
  }
  if (quantised == 0 || form == quantised_values::computed) return {};
  if (form == quantised_values::kept) return check_moved_operands(specs, in, typed_by);
  return refuse(signature_rule::quantised_operands_must_be_accepted_by_the_operator, quantised, 0);
}

/// The quantisations that the caller declares, before rules compute with them. That of booleans means nothing: NNRt
/// asks for one of the output of LESS_EQUAL in a quantised network.
constexpr verdict check_wishes(array_ref<const tensor_desc> wanted) {
  for (const tensor_desc& wish : wanted) {
    if (wish.type == boolean) continue;
    if (auto v = check_quantisation(wish.type, wish.rank(), wish.quantised); !v) return v;
  }
  return {};
}

/// Compares dtype and shape of an output with the declared ones, and takes the extents that it does not know from
/// there.
constexpr verdict settle_shape(tensor_desc& out, const tensor_desc& wish) {
  if (wish.type != dtype::none)
    if (auto v = require(signature_rule::declared_output_type_must_match, out.type, wish.type); !v) return v;
  if (wish.shape.rank == 0) return {};  // a wish about dtype or quantisation alone
  // What others declare for a scalar, as for full reductions: one element, or an extent that they leave open.
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

/// Of an operator that keeps quantised values: gives the outputs that hold them the quantisation that they came with.
constexpr void keep_quantisation(verdict& v, array_ref<const operand_spec> outputs, dtype_set moves,
                                 const tensor_desc& moved) {
  for (std::size_t i = 0; i < v.outputs.size(); ++i)
    if (v.outputs[i].type == moved.type && outputs[row_of(outputs, i)].accepts == moves)
      v.outputs[i].quantised = moved.quantised;
}

/// Compares every output with what the caller declares.
constexpr verdict settle(verdict v, array_ref<const tensor_desc> wanted) {
  for (std::size_t i = 0; i < v.outputs.size(); ++i) {
    tensor_desc& out = v.outputs[i];
    if (i < wanted.size())
      if (auto ok = settle_shape(out, wanted[i]); !ok) return ok;
    if (auto ok = check_extents(out); !ok) return ok;  // those of the wish, too
    if (i >= wanted.size() || !wanted[i].quantised || out.type == boolean) continue;
    if (auto ok = check_quantisation(out.type, out.rank(), wanted[i].quantised); !ok) return ok;
    if (auto ok = require_same_quantisation(signature_rule::declared_output_quantisation_must_match, out.quantised,
                                            wanted[i].quantised);
        !ok)
      return ok;
  }
  return v;
}

/// Results of an operator that computes with quantised values are rounded as TFLite does, unless it says that it can do
/// otherwise.
constexpr verdict check_rounding(array_ref<const tensor_desc> outputs) {
  for (const tensor_desc& y : outputs)
    if (is_half_to_even(y.quantised.rounding))
      return refuse(signature_rule::rounding_must_be_one_of_the_operator, static_cast<int>(y.quantised.rounding), 0);
  return {};
}

}  // namespace detail

}}  // namespace nnrt::NNRT_ISA
