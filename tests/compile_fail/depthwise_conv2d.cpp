// expect: graph_rejected<.*depthwise_conv2d::rule::output_channels_must_be_a_multiple_of_input_channels.*actual<12L?>.*expected<8L?>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>

#ifdef NNRT_FIXED
constexpr std::int64_t filters = 16;
#else
constexpr std::int64_t filters = 12;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 8>>("x");
  g.output("y", depthwise_conv2d(x, g.weight<nnrt::f32, nnrt::shape<filters, 3, 3, 1>>("w")));
};

int main() {
  nnrt::builder b;
  network(b);
}
