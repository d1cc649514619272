// expect: graph_rejected<.*instance_norm::rule::parameters_must_have_a_number_for_each_channel.*actual<5>.*expected<3>
// Channels are the second axis, not the last.
#include <nnrt/ops/instance_norm.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int number = 3;
#else
inline constexpr int number = 5;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<2, 3, 5>>("x");
  // here
  b.output("y", instance_norm(x, b.weight<nnrt::f32, nnrt::shape<number>>("scale"),
                              b.weight<nnrt::f32, nnrt::shape<number>>("bias")));
};

int main() {
  nnrt::builder b;
  network(b);
}
