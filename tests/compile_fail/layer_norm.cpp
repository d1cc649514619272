// expect: graph_rejected<.*layer_norm::rule::parameter_extents_must_equal_input_extents.*actual<16L?>.*expected<32L?>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/layer_norm.hpp>

#ifdef NNRT_FIXED
constexpr std::int64_t width = 32;
#else
constexpr std::int64_t width = 16;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 10, 32>>("x");
  auto gamma = g.weight<nnrt::f32, nnrt::shape<width>>("gamma"), beta = g.weight<nnrt::f32, nnrt::shape<width>>("beta");
  g.output("y", layer_norm(x, gamma, beta, nnrt::begin_norm_axis<-1>));
};

int main() {
  nnrt::builder b;
  network(b);
}
