// expect: graph_rejected<.*accelerator_rule::kernel_must_lie_within_the_limits.*actual<9>.*expected<7>.*named<'s', 't', 'e', 'm'>.*of_operator<'c', 'o', 'n', 'v', '2', 'd'>
#include <nnrt/exec/partition.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ir/layers.hpp>
#include <nnrt/policy/bernoulli2.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 32, 32, 8>>("x");
#ifdef NNRT_FIXED
  g.output("y", nnrt::layers::conv2d<8, 7, 7>(x, "stem", nnrt::same));
#else
  g.output("y", nnrt::layers::conv2d<8, 9, 9>(x, "stem", nnrt::same));
#endif
};

static_assert(nnrt::supports<nnrt::bpu<nnrt::bernoulli2>, nnrt::graph<network>>);  // here

int main() {}
