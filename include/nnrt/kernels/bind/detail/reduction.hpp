// reduction: shared binding of operators that fold elements along axes.
// Flow: the bindings in bind/reductions.hpp and bind/reduce_mean.hpp derive from reduction_binding and select the fold.
#pragma once

#include <nnrt/core/broadcast.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/reduce/reduce.hpp>
#include <nnrt/ops/detail/reduction.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// The axis block of a node's reduction. `Attrs` are the operator's attributes; those of `all` are converted to those
/// of the other reductions.
template <class Isa, class Attrs = ops::detail::reduction_attributes> struct reduction_blocks {
  static constexpr axis_block block_for(const kernel_request& node) {
    const tensor_desc& x = node.in[0].desc;
    ops::chosen_axes listed;
    if (node.in.size() > 1 && node.in[1])
      for (const std::int64_t axis : node.in[1].values) listed.add(normalise_axis(axis, x.rank()));
    return block_for(x.shape, ops::detail::reduced_axes(attributes(node.attrs), listed, x.rank()));
  }
  static constexpr axis_block block_for(const kernel_call& call) {
    return block_for(call.in[0].shape(), ops::detail::reduced_axes(attributes(call.attrs), call.in));
  }

 private:
  static constexpr ops::detail::reduction_attributes attributes(array_ref<const word> words) {
    if constexpr (requires(Attrs a) { a.as_reduction(); }) return unpack<Attrs>(words).as_reduction();
    else return unpack<Attrs>(words);
  }
  static constexpr axis_block block_for(const shape_t& shape, const ops::chosen_axes& axes) {
    bool listed[max_rank] = {};
    for (int i = 0; i < axes.count; ++i) listed[axes.items[i]] = true;
    return block_of(shape, listed);
  }
};

/// Kernel choice of a reduction of an f32 tensor along adjacent axes. Isa makes names dependent, see depthwise_binding.
template <class Fold, class Isa> struct reduction_binding {
  using blocks = reduction_blocks<Isa>;

  static constexpr kernel_choice select(const kernel_request& node) {
    if (node.in[0].desc.type != f32 || !has_work(node)) return {};
    const axis_block block = blocks::block_for(node);
    if (!block.is_contiguous()) return {};
    return {
        .run = &run, .parts = parts_for(block.elements()), .name = block.inner == 1 ? "reduce rows" : "reduce columns"};
  }
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::detail::reduction_attributes>(call.attrs);
    fold<Fold>(blocks::block_for(call), floats_in(call, 0), attrs.factor(), floats_out(call), part_of(call));
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
