// detection_post_process: kernel of the operator; keeps candidates in a heap.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/common/candidate_heap.hpp>
#include <nnrt/ops/detection_post_process.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// The algorithm of the reference with candidates in a heap: each candidate is visited once, instead of once per
/// selected box.
template <class Isa> struct binding<ops::detection_post_process, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    constexpr std::int64_t most = std::int64_t{1} << 22;
    const auto attrs = unpack<ops::detection_post_process::attrs>(node.attrs);
    const std::int64_t boxes = node.in[0].desc.shape[1], images = node.in[0].desc.shape[0];
    const std::int64_t candidates =
        attrs.use_regular_nms ? node.in[1].desc.elements() / (images < 1 ? 1 : images) : boxes;
    if (!has_work(node) || candidates < 1 || candidates > most) return {};
    return {
        .run = function_for<types::floating>(node.out[0].type, []<class T>(T) -> kernel_function { return &run<T>; }),
        .scratch_bytes = candidates * static_cast<std::int64_t>(sizeof(ops::detail::candidate)),
        .parts = parts_of(images),
        .name = "nms heap"};
  }

 private:
  template <class R> static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::detection_post_process::attrs>(call.attrs);
    auto* const room = reinterpret_cast<ops::detail::candidate*>(call.scratch);
    const interval images = share(call.out[3].elements(), part_of(call));
    for (std::int64_t image = images.begin; image < images.end; ++image) {
      ops::detection_post_process::detections<R> found(attrs, call.in, call.out, image);
      std::int64_t count = 0;
      for (std::int64_t i = 0; i < found.candidates(); ++i)
        if (ops::detail::candidate c; found.candidate_at(i, c)) room[count++] = c;
      for (candidate_heap heap(room, count); !heap.is_empty() && !found.is_full();) found.consider(heap.take());
      found.finish();
    }
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
