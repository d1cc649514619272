// expect: graph_rejected<.*softmax::rule::axis_must_be_an_axis_of_the_input.*actual<2.*expected<1
// A tensor of rank 2 has the axes 0 and 1.
#include <nnrt/ops/softmax.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int last = 1;
#else
inline constexpr int last = 2;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3>>("x");
  b.output("y", softmax(x, nnrt::axis<last>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
