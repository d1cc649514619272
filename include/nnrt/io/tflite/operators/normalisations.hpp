// normalisations: readers of operators that only Circle files have.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/broadcast_to.hpp>
#include <nnrt/ops/instance_norm.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/relu6.hpp>
#include <nnrt/ops/transpose.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

namespace detail {

/// A parameter of INSTANCE_NORM: one number for all channels, or one for each.
[[gnu::cold]] constexpr std::int32_t channel_parameter(node_reader& node, std::size_t i, std::int64_t channels) {
  const std::int32_t p = node.weight(i, node.input(0));
  if (node.desc(p).elements() != 1 || channels <= 1) return p;
  ops::broadcast_to::attrs attrs;
  attrs.shape.push_back(channels);
  return node.add<ops::broadcast_to>(attrs, {p});
}

}  // namespace detail

/// INSTANCE_NORM: normalises each channel of each image by its mean and variance. Channels are the last axis of images
/// and the second of [N, C, L]. Source: the definition in Samsung's ONE (luci-interpreter).
[[gnu::cold]] constexpr void read_instance_norm(node_reader& node) {
  using kind = schema::instance_norm_options;
  const auto options = node.options<kind>();
  const std::int32_t x = node.input(0);
  const int rank = node.desc(x).rank();
  if (node.is_fine() && ((rank != 3 && rank != 4) || node.desc(x).type != f32))
    return node.not_supported_beside(0, x, "f32 of rank 3 or 4");
  const bool is_image = rank == 4;
  const std::int64_t channels = node.is_fine() ? node.desc(x).shape[is_image ? 3 : 1] : 0;
  ops::instance_norm::attrs attrs;
  attrs.epsilon = options[kind::epsilon];
  const std::int32_t channels_second =
      is_image ? node.add<ops::transpose>({}, {x, node.integer_list({0, 3, 1, 2})}) : x;
  std::int32_t y = node.add<ops::instance_norm>(attrs, {channels_second, detail::channel_parameter(node, 1, channels),
                                                        detail::channel_parameter(node, 2, channels)});
  if (is_image) y = node.add<ops::transpose>({}, {y, node.integer_list({0, 2, 3, 1})});
  switch (node.fused(options[kind::fused])) {
    case activation::none: break;
    case activation::relu: y = node.add<ops::relu>({}, {y}); break;
    case activation::relu6: y = node.add<ops::relu6>({}, {y}); break;
  }
  node.conclude(0, y);
}

}}}  // namespace nnrt::NNRT_ISA::tflite
