// expect: graph_rejected<.*space_to_depth::rule::image_must_be_divisible_by_the_block_size.*actual<4>.*expected<3>
// Three pixels at a time do not make four.
#include <nnrt/ops/space_to_depth.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int number = 2;
#else
inline constexpr int number = 3;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<1, 4, 4, 1>>("x");
  b.output("y", space_to_depth(x, nnrt::block_size<number>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
