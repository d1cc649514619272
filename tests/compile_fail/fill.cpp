// expect: graph_rejected<.*fill::rule::extent_must_not_be_negative.*actual<-1L?>.*expected<0L?>
// Nothing tells the extent that is left open.
#include <nnrt/ops/fill.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<>>("x");
#ifdef NNRT_FIXED
  g.output("y", fill(x, nnrt::shape<4, 1>));
#else
  g.output("y", fill(x, nnrt::shape<4, -1>));  // here
#endif
};

int main() {
  nnrt::builder g;
  network(g);
}
