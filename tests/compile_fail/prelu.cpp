// expect: graph_rejected<.*prelu::rule::weight_extents_must_be_1_or_those_of_the_input.*actual<2L?>.*expected<4L?>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/prelu.hpp>

#ifdef NNRT_FIXED
constexpr std::int64_t slopes = 4;
#else
constexpr std::int64_t slopes = 2;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 4>>("x");
  g.output("y", prelu(x, g.weight<nnrt::f32, nnrt::shape<slopes>>("slope")));
};

int main() {
  nnrt::builder b;
  network(b);
}
