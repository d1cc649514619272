// expect: graph_rejected<.*clip::rule::max_must_not_be_below_min
// A range whose ends are the wrong way round.
#include <nnrt/ops/clip.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int low = -1;
#else
inline constexpr int low = 7;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
  b.output("y", clip(x, nnrt::at_least<low>, nnrt::at_most<6>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
