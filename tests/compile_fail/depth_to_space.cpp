// expect: graph_rejected<.*depth_to_space::rule::channels_must_be_divisible_by_the_squared_block_size.*actual<4>.*expected<9>
// Four channels are no block of three times three pixels.
#include <nnrt/ops/depth_to_space.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int number = 2;
#else
inline constexpr int number = 3;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto x = b.input<nnrt::f32, nnrt::shape<1, 2, 2, 4>>("x");
  b.output("y", depth_to_space(x, nnrt::block_size<number>));  // here
};

int main() {
  nnrt::builder b;
  network(b);
}
