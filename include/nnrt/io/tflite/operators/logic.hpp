// logic: readers of the maximum and minimum of two tensors, and of selections, of .tflite files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/select.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// MAXIMUM and MINIMUM. TFLite compares stored integers without regard to scales; nnrt compares real values with one
/// quantisation.
template <class Op> [[gnu::cold]] constexpr void read_extreme(node_reader& node) {
  const std::int32_t a = detail::moved_input(node, 0), b = detail::moved_input(node, 1);
  const quantisation expected = node.declared(0).quantised;
  for (const std::int32_t x : {a, b}) {
    const quantisation got = node.desc(x).quantised;
    if (!node.is_fine() || got == expected) continue;
    // moved_input() has applied the output's quantisation, except for unsupported zero points
    node.not_supported({"input ", x == a ? 0 : 1, ": got zero point ", got.zero_point,
                        ", expected that of the output, ", expected.zero_point});
  }
  node.finish<Op>({}, {a, b});
}

/// SELECT. A list of conditions selects rows.
[[gnu::cold]] constexpr void read_select(node_reader& node) {
  std::int32_t condition = node.input(0);
  const int rank = node.desc(node.input(1)).rank();
  if (node.desc(condition).rank() == 1 && rank > 1) {
    pool<std::int64_t> column;
    for (int i = 0; i < rank; ++i) column.push_back(i == 0 ? -1 : 1);
    condition = detail::reshaped(node, condition, column);
  }
  node.finish<ops::select>({}, {condition, detail::moved_input(node, 1), detail::moved_input(node, 2)});
}
[[gnu::cold]] constexpr void read_select_v2(node_reader& node) {
  node.finish<ops::select>({}, {node.input(0), detail::moved_input(node, 1), detail::moved_input(node, 2)});
}

}}}  // namespace nnrt::NNRT_ISA::tflite
