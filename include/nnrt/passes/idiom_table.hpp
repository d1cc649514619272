// idiom_table: what exporters write as several nodes, and the operator that computes the same.
// Flow: idioms.hpp searches a graph for the rows of this table.
#pragma once

#include <nnrt/ops/depth_to_space.hpp>
#include <nnrt/ops/detail/axes.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/gelu.hpp>
#include <nnrt/ops/hswish.hpp>
#include <nnrt/ops/l2_normalize.hpp>
#include <nnrt/ops/layer_norm.hpp>
#include <nnrt/ops/space_to_depth.hpp>
#include <nnrt/ops/swish.hpp>
#include <nnrt/passes/idiom_pattern.hpp>
#include <nnrt/passes/uses.hpp>

#include <limits>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace passes { namespace detail {

/// Extents of the axes of a rearrangement, by letter.
struct letter_extents {
  std::int64_t of[26] = {};
  constexpr std::int64_t operator[](char letter) const { return of[letter - 'a']; }
};

/// What a pattern captured.
struct captured_values {
  std::int32_t values[formula::captures] = {ir::none, ir::none, ir::none};
  double number = 0;      // of any_number
  ops::chosen_axes axes;  // of reductions, ascending
  bool has_axes = false;
  letter_extents extents;
};

/// Attributes and operands of the node that replaces a match.
struct idiom_result {
  pool<word> words;
  pool<std::int32_t> operands;
};

/// Sets the result of a match whose last node is `root`; may add constants to the graph. Returns false where the
/// operator computes something else.
using write_result = bool (*)(idiom_result& made, ir::graph& g, const ir::node& root, const captured_values& found);

/// A row of the table: a formula, or a reshape, transpose and reshape.
///
/// A rearrangement has a letter for each axis of the reshaped tensor; axes in parentheses are one axis before (`from`)
/// or after (`to`): "n(ijc)hw" to "nc(hi)(wj)".
struct idiom {
  op_code result{};
  const pattern* written = nullptr;  // nullptr: a rearrangement
  write_result write = nullptr;
  std::string_view from = {}, to = {};
  bool is_channels_second = false;  // the operator needs its channels last: transposes surround it

  // not by comparing pointers, which g++ 12 with -fsanitize=undefined cannot do in constant evaluation
  constexpr bool is_formula() const { return from.empty(); }
};

namespace idioms {

template <class Attrs> constexpr void set(idiom_result& made, const Attrs& attrs, std::int32_t x) {
  pack(attrs, made.words);
  made.operands.push_back(x);
}
/// An operator on x with default attributes.
template <class Op> constexpr bool of_x(idiom_result& made, ir::graph&, const ir::node&, const captured_values& found) {
  set(made, typename Op::attrs(), found.values[0]);
  return true;
}
template <bool Approximate>
constexpr bool write_gelu(idiom_result& made, ir::graph&, const ir::node&, const captured_values& found) {
  ops::gelu::attrs attrs;
  attrs.approximate = Approximate;
  set(made, attrs, found.values[0]);
  return true;
}

/// Largest number of elements of gamma or beta that is added as a constant.
inline constexpr std::int64_t max_filled = 4096;

constexpr std::int32_t filled(ir::graph& g, const tensor_desc& desc, double number) {
  std::int32_t id = ir::none;
  with_element<types::floating>(desc.type, [&]<class T>(T) {
    pool<T> elements;
    elements.assign(static_cast<std::size_t>(desc.elements()), math::convert<T>(number));
    id = g.add_constant<T>(desc, elements);
  });
  return id;
}
/// Over the last axes, which gamma and beta have; those that were not captured are ones and zeros.
constexpr bool write_layer_norm(idiom_result& made, ir::graph& g, const ir::node&, const captured_values& found) {
  const tensor_desc x = g.at(found.values[0]).desc;
  const int first = x.rank() - found.axes.count;
  shape_t block;
  for (int i = 0; i < found.axes.count; ++i) {
    if (found.axes.items[i] != first + i) return false;
    block.push_back(x.shape[first + i]);
  }
  ops::layer_norm::attrs attrs;
  attrs.begin_norm_axis = first, attrs.begin_param_axis = first, attrs.epsilon = static_cast<float>(found.number);
  set(made, attrs, found.values[0]);
  for (int i = 1; i < formula::captures; ++i) {
    const tensor_desc desc{x.type, block};
    std::int32_t id = found.values[i];
    if (id == ir::none && (desc.elements() < 0 || desc.elements() > max_filled)) return false;
    if (id == ir::none) id = filled(g, desc, i == 1 ? 1 : 0);
    else if (g.at(id).desc.shape != block) return false;  // that of another sum or product
    made.operands.push_back(id);
  }
  return true;
}
constexpr bool write_softmax(idiom_result& made, ir::graph&, const ir::node&, const captured_values& found) {
  ops::softmax::attrs attrs;
  for (int i = 0; i < found.axes.count; ++i) attrs.axis.push_back(found.axes.items[i]);
  set(made, attrs, found.values[0]);
  return true;
}
/// The softmax of the root, whose first attribute is beta.
constexpr bool write_scaled_softmax(idiom_result& made, ir::graph& g, const ir::node& root,
                                    const captured_values& found) {
  const array_ref<const word> words = static_cast<const ir::graph&>(g).attrs_of(root);
  const float beta = std::bit_cast<float>(static_cast<std::int32_t>(words[0]));
  const double scaled = double{beta} * found.number;
  if (!(scaled >= double{std::numeric_limits<float>::min()} && scaled <= double{std::numeric_limits<float>::max()}))
    return false;
  made.words.insert(words.begin(), words.end());
  made.words[0] = std::bit_cast<std::int32_t>(static_cast<float>(scaled));
  made.operands.push_back(found.values[0]);
  return true;
}
/// epsilon is the smallest sum of squares, or its root.
template <bool IsRoot>
constexpr bool write_l2_normalize(idiom_result& made, ir::graph&, const ir::node&, const captured_values& found) {
  const double epsilon = IsRoot ? found.number * found.number : found.number;
  if (!(found.number > 0 && epsilon >= double{std::numeric_limits<float>::min()} && epsilon < 1)) return false;
  ops::l2_normalize::attrs attrs;
  attrs.epsilon = static_cast<float>(epsilon);
  for (int i = 0; i < found.axes.count; ++i) attrs.axis.push_back(found.axes.items[i]);
  set(made, attrs, found.values[0]);
  return true;
}
template <bool Crd>
constexpr bool write_depth_to_space(idiom_result& made, ir::graph&, const ir::node&, const captured_values& found) {
  ops::depth_to_space::attrs attrs;
  attrs.block_size = found.extents['i'], attrs.crd = Crd;
  set(made, attrs, found.values[0]);
  return found.extents['i'] == found.extents['j'];
}
constexpr bool write_space_to_depth(idiom_result& made, ir::graph&, const ir::node&, const captured_values& found) {
  ops::space_to_depth::attrs attrs;
  attrs.block_size = found.extents['i'];
  set(made, attrs, found.values[0]);
  return found.extents['i'] == found.extents['j'];
}
/// Channel k * groups + j is channel j * (channels of a group) + k of x.
constexpr bool write_shuffle(idiom_result& made, ir::graph& g, const ir::node&, const captured_values& found) {
  const std::int64_t groups = found.extents['g'], channels = found.extents['c'];
  if (nnrt::detail::saturated_product(groups, channels) > max_filled) return false;
  pool<std::int64_t> from;
  for (std::int64_t k = 0; k < channels; ++k)
    for (std::int64_t j = 0; j < groups; ++j) from.push_back(j * channels + k);
  const std::int64_t axis[] = {1};
  set(made, ops::gather::attrs(), found.values[0]);
  made.operands.push_back(g.add_constant<std::int64_t>({i64, {groups * channels}}, from));
  made.operands.push_back(g.add_constant<std::int64_t>({i64, {1}}, axis));
  return true;
}

}  // namespace idioms

namespace formula {

inline constexpr double root_of_half = 0.70710678118654752440, root_of_2_over_pi = 0.79788456080286535588;

inline constexpr pattern normal = x * (erf(x * root_of_half) + 1) * 0.5;
inline constexpr pattern cubic = (x + x * x * x * 0.044715) * root_of_2_over_pi;
inline constexpr pattern cubic_factored = x * (x * x * 0.044715 + 1) * root_of_2_over_pi;
inline constexpr pattern approximate = x * (tanh(cubic) + 1) * 0.5;
inline constexpr pattern approximate_factored = x * (tanh(cubic_factored) + 1) * 0.5;

inline constexpr pattern logistic = inverse(exp(x * -1.0) + 1);
inline constexpr pattern product_with_sigmoid = x * sigmoid(x);
inline constexpr pattern over_exponential = x / (exp(x * -1.0) + 1);

inline constexpr pattern hard_6 = clamp(x + 3, 0, 6) * (1.0 / 6);
inline constexpr pattern hard_1 = clamp(x * (1.0 / 6) + 0.5, 0, 1);
inline constexpr pattern product_with_hard_6 = x * clamp(x + 3, 0, 6) * (1.0 / 6);
inline constexpr pattern product_with_hard_1 = x * clamp(x * (1.0 / 6) + 0.5, 0, 1);
inline constexpr pattern product_with_hard_sigmoid = x * hard_sigmoid(x);

inline constexpr pattern centred = x - mean(x);
inline constexpr pattern deviation = sqrt(mean(square(centred)) + any_number);
inline constexpr pattern deviation_by_difference = sqrt(mean(squared_difference(x, mean(x))) + any_number);
inline constexpr pattern norm = centred / deviation;
inline constexpr pattern norm_gamma = gamma * centred / deviation;
inline constexpr pattern norm_gamma_beta = gamma * centred / deviation + beta;
inline constexpr pattern norm_by_difference = centred / deviation_by_difference;
inline constexpr pattern norm_gamma_by_difference = gamma * centred / deviation_by_difference;
inline constexpr pattern norm_gamma_beta_by_difference = gamma * centred / deviation_by_difference + beta;
/// x * s + (beta - mean * s) with s = gamma / deviation, as Keras writes it.
inline constexpr pattern norm_as_map =
    x * gamma / deviation_by_difference + (beta - mean(x) * gamma / deviation_by_difference);

inline constexpr pattern shares = exp(x) / total(exp(x));
inline constexpr pattern shares_below_largest = exp(x - largest(x)) / total(exp(x - largest(x)));
inline constexpr pattern scaled_softmax = softmax(x * any_number);

inline constexpr pattern over_l2 = x / at_least(any_number, l2(x));
inline constexpr pattern over_root_of_squares = x / at_least(any_number, sqrt(total(square(x))));
inline constexpr pattern over_limited_squares = x / sqrt(at_least(any_number, total(square(x))));

}  // namespace formula

/// Every idiom; of those with a common root the largest comes first.
inline constexpr idiom idiom_table[] = {
    {ops::gelu::code, &formula::normal, &idioms::write_gelu<false>},
    {ops::gelu::code, &formula::approximate, &idioms::write_gelu<true>},
    {ops::gelu::code, &formula::approximate_factored, &idioms::write_gelu<true>},
    {ops::hswish::code, &formula::product_with_hard_6, &idioms::of_x<ops::hswish>},
    {ops::hswish::code, &formula::product_with_hard_1, &idioms::of_x<ops::hswish>},
    {ops::hswish::code, &formula::product_with_hard_sigmoid, &idioms::of_x<ops::hswish>},
    {ops::hard_sigmoid::code, &formula::hard_6, &idioms::of_x<ops::hard_sigmoid>},
    {ops::hard_sigmoid::code, &formula::hard_1, &idioms::of_x<ops::hard_sigmoid>},
    {ops::swish::code, &formula::product_with_sigmoid, &idioms::of_x<ops::swish>},
    {ops::swish::code, &formula::over_exponential, &idioms::of_x<ops::swish>},
    {ops::sigmoid::code, &formula::logistic, &idioms::of_x<ops::sigmoid>},
    {ops::layer_norm::code, &formula::norm_as_map, &idioms::write_layer_norm},
    {ops::layer_norm::code, &formula::norm_gamma_beta, &idioms::write_layer_norm},
    {ops::layer_norm::code, &formula::norm_gamma_beta_by_difference, &idioms::write_layer_norm},
    {ops::layer_norm::code, &formula::norm_gamma, &idioms::write_layer_norm},
    {ops::layer_norm::code, &formula::norm_gamma_by_difference, &idioms::write_layer_norm},
    {ops::layer_norm::code, &formula::norm, &idioms::write_layer_norm},
    {ops::layer_norm::code, &formula::norm_by_difference, &idioms::write_layer_norm},
    {ops::softmax::code, &formula::shares_below_largest, &idioms::write_softmax},
    {ops::softmax::code, &formula::shares, &idioms::write_softmax},
    {ops::softmax::code, &formula::scaled_softmax, &idioms::write_scaled_softmax},
    {ops::l2_normalize::code, &formula::over_l2, &idioms::write_l2_normalize<true>},
    {ops::l2_normalize::code, &formula::over_root_of_squares, &idioms::write_l2_normalize<true>},
    {ops::l2_normalize::code, &formula::over_limited_squares, &idioms::write_l2_normalize<false>},
    {ops::depth_to_space::code, nullptr, &idioms::write_depth_to_space<true>, "n(cij)hw", "nc(hi)(wj)", true},
    {ops::depth_to_space::code, nullptr, &idioms::write_depth_to_space<false>, "n(ijc)hw", "nc(hi)(wj)", true},
    {ops::depth_to_space::code, nullptr, &idioms::write_depth_to_space<true>, "nhw(cij)", "n(hi)(wj)c"},
    {ops::depth_to_space::code, nullptr, &idioms::write_depth_to_space<false>, "nhw(ijc)", "n(hi)(wj)c"},
    {ops::space_to_depth::code, nullptr, &idioms::write_space_to_depth, "nc(hi)(wj)", "n(ijc)hw", true},
    {ops::space_to_depth::code, nullptr, &idioms::write_space_to_depth, "n(hi)(wj)c", "nhw(ijc)"},
    {ops::gather::code, nullptr, &idioms::write_shuffle, "n(gc)hw", "n(cg)hw"},
};

}}}}  // namespace nnrt::NNRT_ISA::passes::detail
