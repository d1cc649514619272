// expect: graph_rejected<.*reduce_all::rule::axes_must_differ.*actual<2L?>.*expected<1L?>
// One axis named twice, once from the front and once from the end.
#include <nnrt/ops/reduce_all.hpp>

#include <nnrt/ir/apply.hpp>
#include <nnrt/kernels/fast.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::boolean, nnrt::shape<2, 3, 4>>("x");
#ifdef NNRT_FIXED
  g.output("y", reduce_all(x, nnrt::axes<1, 2>));
#else
  g.output("y", reduce_all(x, nnrt::axes<1, -2>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
