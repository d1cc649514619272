// expect: graph_rejected<.*non_max_suppression::rule::extents_must_be_those_of_the_boxes.*actual<10L?>.*expected<12L?>
// Each box has a score.
#include <nnrt/ops/non_max_suppression.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int scores = 12;
#else
inline constexpr int scores = 10;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto boxes = b.input<nnrt::f32, nnrt::shape<12, 4>>("boxes");
  auto score = b.input<nnrt::f32, nnrt::shape<scores>>("scores");
  auto found = non_max_suppression(boxes, score, 0.5, nnrt::max_detections<5>);  // here
  b.output("count", get<2>(found));
};

int main() {
  nnrt::builder b;
  network(b);
}
