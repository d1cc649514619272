// losses: readers of the loss functions of .onnx files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/onnx/operators/parts.hpp>
#include <nnrt/ops/equal.hpp>
#include <nnrt/ops/fill.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/log_softmax.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/reduce_sum.hpp>
#include <nnrt/ops/select.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

namespace detail {

/// Refuses classes (input 1) or weights (input 2) that do not fit scores [N, C, d…].
[[gnu::cold]] constexpr void check_classes(node_reader& node, const shape_t& is) {
  const shape_t of_classes = node.desc(node.input(1)).shape;
  if (!node.is_fine()) return;
  if (is.rank < 2 || of_classes.rank != is.rank - 1)
    return node.refuse(error_code::invalid_file,
                       {"input 1: got ", of_classes, " for ", is, ", expected one axis less"});
  if (is[1] < 1) return node.not_supported({"input 0: got ", is, ", expected a known number of classes"});
  // the rules of the operators would broadcast an extent of 1
  for (int i = 0; i < of_classes.rank; ++i) {
    const std::int64_t extent = is[i == 0 ? 0 : i + 1];
    if (extent >= 0 && of_classes[i] >= 0 && extent != of_classes[i])
      return node.refuse(error_code::invalid_file, {"input 1: got ", of_classes, " for ", is});
  }
  if (!node.has(2)) return;
  const shape_t of_weights = node.desc(node.input(2)).shape;
  if (of_weights.rank != 1 || (of_weights[0] >= 0 && of_weights[0] != is[1]))
    node.refuse(error_code::invalid_file, {"input 2: got ", of_weights, ", expected [", is[1], "]"});
}
/// The score of the chosen class of each element, from scores [N, C, d…] and classes [N, d…].
[[gnu::cold]] constexpr std::int32_t chosen_scores(node_maker& node, std::int32_t scores, std::int32_t chosen) {
  const shape_t is = node.desc(scores).shape;
  node.count_copy(8 * is[1]);
  pool<std::int64_t> places, column{is[1]};
  for (std::int64_t i = 0; node.is_fine() && i < is[1]; ++i) places.push_back(i);
  for (int i = 2; i < is.rank; ++i) column.push_back(1);
  const std::int32_t counted = reshaped(node, node.integer_list(places), column);  // [C, 1…]
  const std::int32_t is_chosen = node.add<ops::equal>({}, {with_axis(node, chosen, 1), counted});
  const std::int32_t others = number_like(node, scores, 0);
  return node.add<ops::reduce_sum>({},
                                   {node.add<ops::select>({}, {is_chosen, scores, others}), node.integer_list({1})});
}

/// Negative log-likelihood of classes, reduced as the attribute `reduction` says.
///
///   scores: [N, C, d…], f32 or f64: logarithms of probabilities
///   input 1: classes [N, d…], from 0 to C - 1; others than ignore_index fail at run time
///   input 2: weights of classes [C], optional
///   result: [N, d…] for reduction none, else a scalar; the mean is weighted, and ignored elements weigh 0
[[gnu::cold]] constexpr std::int32_t log_likelihood_loss(node_reader& node, std::int32_t scores) {
  const std::string_view reduction = node.text_attribute("reduction", "mean");
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    node.refuse(error_code::invalid_file,
                {"reduction: got ", piece::in_quotes(reduction), ", expected none, sum or mean"});
  const dtype type = node.type(scores);
  const shape_t is = node.desc(scores).shape;
  check_classes(node, is);
  if (!node.is_fine()) return ir::none;
  std::int32_t chosen = cast_to(node, node.input(1), i64), is_ignored = ir::none;
  const std::int32_t zero = node.scalar(type, 0);
  if (node.has_attribute("ignore_index")) {
    const std::int64_t ignored = node.integer_attribute("ignore_index", 0);
    is_ignored = node.add<ops::equal>({}, {chosen, node.scalar(i64, static_cast<double>(ignored))});
    chosen = node.add<ops::select>({}, {is_ignored, node.scalar(i64, 0), chosen});
  }
  const std::int32_t found = chosen_scores(node, scores, chosen);
  // gathered also without weights: an index outside of the classes then fails
  const std::int32_t weights = node.has(2) ? cast_to(node, node.input(2), type) : filled(node, type, {is[1]}, 1);
  std::int32_t weight =
      node.add<ops::gather>(ops::gather::attrs::from_start(), {weights, chosen, node.integer_list({0})});
  std::int32_t loss = times(node, negated(node, found), weight);
  if (is_ignored != ir::none) {
    weight = node.add<ops::select>({}, {is_ignored, zero, weight});
    loss = node.add<ops::select>({}, {is_ignored, zero, loss});
  }
  if (reduction == "none") return loss;
  const std::int32_t sum = node.add<ops::reduce_sum>({}, {loss, ir::none});
  if (reduction == "sum") return sum;
  return over(node, sum, node.add<ops::reduce_sum>({}, {weight, ir::none}));
}
/// Scores in the type that losses are computed in.
[[gnu::cold]] constexpr std::int32_t as_scores(node_reader& node, std::int32_t x) {
  return cast_to(node, x, node.type(x) == f64 ? f64 : f32);
}

}  // namespace detail

/// NegativeLogLikelihoodLoss of scores that are logarithms of probabilities.
[[gnu::cold]] constexpr void read_log_likelihood_loss(node_reader& node) {
  const std::int32_t x = node.input(0);
  const std::int32_t loss = detail::log_likelihood_loss(node, detail::as_scores(node, x));
  node.define(0, detail::cast_to(node, loss, node.type(x)));
}
/// SoftmaxCrossEntropyLoss: the loss of log_softmax(x) along axis 1, which is the second result.
[[gnu::cold]] constexpr void read_cross_entropy_loss(node_reader& node) {
  const std::int32_t x = node.input(0);
  ops::log_softmax::attrs attrs;
  attrs.axis = 1;
  const std::int32_t scores = node.add<ops::log_softmax>(attrs, {detail::as_scores(node, x)});
  const std::int32_t loss = detail::log_likelihood_loss(node, scores);
  node.define(0, detail::cast_to(node, loss, node.type(x)));
  if (node.has_output(1)) node.define(1, detail::cast_to(node, scores, node.type(x)));
}

}}}  // namespace nnrt::NNRT_ISA::onnx
