// expect: graph_rejected<.*conv2d::rule::input_channels_must_equal_weight_channels_times_group.*actual<3L?>.*expected<4L?>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/conv2d.hpp>

#ifdef NNRT_FIXED
constexpr std::int64_t channels = 3;
#else
constexpr std::int64_t channels = 4;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 3>>("x");
  auto w = g.weight<nnrt::f32, nnrt::shape<16, 3, 3, channels>>("w");
  g.output("y", conv2d(x, w, nnrt::same));
};

int main() {
  nnrt::builder b;
  network(b);
}
