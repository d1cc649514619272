// expect: graph_rejected<.*pad::rule::reflected_padding_must_be_less_than_the_extent.*actual<4L?>.*expected<3L?>
// A mirror image that is larger than the tensor.
#include <nnrt/ops/pad.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<4, 8>>("x");
#ifdef NNRT_FIXED
  g.output("y", pad(x, nnrt::paddings<3, 0, 0, 0>, nnrt::reflect));
#else
  g.output("y", pad(x, nnrt::paddings<4, 0, 0, 0>, nnrt::reflect));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
