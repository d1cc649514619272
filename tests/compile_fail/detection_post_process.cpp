// expect: graph_rejected<.*detection_post_process::rule::extents_must_be_those_of_the_boxes.*actual<10L?>.*expected<12L?>
// Each box has its anchor.
#include <nnrt/ops/detection_post_process.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int anchors = 12;
#else
inline constexpr int anchors = 10;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto boxes = b.input<nnrt::f32, nnrt::shape<1, 12, 4>>("boxes");
  auto scores = b.input<nnrt::f32, nnrt::shape<1, 12, 3>>("scores");
  auto anchor = b.weight<nnrt::f32, nnrt::shape<anchors, 4>>("anchors");
  auto found = detection_post_process(boxes, scores, anchor, nnrt::num_classes<3>, nnrt::max_detections<5>);  // here
  b.output("count", get<3>(found));
};

int main() {
  nnrt::builder b;
  network(b);
}
