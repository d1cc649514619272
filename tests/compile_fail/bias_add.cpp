// expect: graph_rejected<.*bias_add::rule::parameters_must_have_one_element_for_each_channel.*actual<8L?>.*expected<4L?>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/bias_add.hpp>

#ifdef NNRT_FIXED
constexpr std::int64_t biases = 4;
#else
constexpr std::int64_t biases = 8;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 4>>("x");
  g.output("y", bias_add(x, g.weight<nnrt::f32, nnrt::shape<biases>>("bias")));
};

int main() {
  nnrt::builder b;
  network(b);
}
