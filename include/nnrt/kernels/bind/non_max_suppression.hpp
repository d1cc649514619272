// non_max_suppression: kernel of the operator; keeps candidates in a heap.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/common/candidate_heap.hpp>
#include <nnrt/ops/non_max_suppression.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// The algorithm of the reference with a class's candidates in a heap, ordered by their last known scores. Scores only
/// decrease. A candidate is the best one if it is first and its score is unchanged by the boxes selected since.
template <class Isa> struct binding<ops::non_max_suppression, family::f32, Isa> {
  /// A box, and the number of selected boxes that its score accounts for.
  struct candidate : ops::detail::candidate {
    std::int64_t seen = 0;
  };
  static constexpr kernel_choice select(const kernel_request& node) {
    constexpr std::int64_t most = std::int64_t{1} << 22;
    const std::int64_t boxes = node.in[0].desc.shape[-2];
    if (!has_work(node) || boxes < 1 || boxes > most) return {};
    return {.run = function_for<types::floating>(node.in[0].desc.type,
                                                 []<class T>(T) -> kernel_function { return &run<T>; }),
            .scratch_bytes = boxes * static_cast<std::int64_t>(sizeof(candidate)),
            .name = "nms heap"};
  }

 private:
  template <class T> static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::non_max_suppression::attrs>(call.attrs);
    auto* const room = reinterpret_cast<candidate*>(call.scratch);
    ops::non_max_suppression::detections<T> found(attrs, call.in, call.out);
    do {
      std::int64_t count = 0;
      for (std::int64_t i = 0; found.has_room() && i < found.boxes(); ++i)
        if (candidate c; found.candidate_at(i, c)) room[count++] = c;
      for (candidate_heap<candidate> heap(room, count); !heap.is_empty() && found.has_room();) {
        candidate c = heap.take();
        const double score = c.score;
        if (!found.survives(c, c.seen)) continue;
        c.seen = found.chosen();
        if (c.score == score) found.take(c);
        else heap.put(c);
      }
    } while (found.next_class());
    found.finish();
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
