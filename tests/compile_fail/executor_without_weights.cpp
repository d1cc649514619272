// executor_without_weights: an executor of a network that names a weight, made of nothing.
// expect: deleted
#include <nnrt/exec/executor.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/add.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<4>>("x");
#ifdef NNRT_FIXED
  g.output("y", nnrt::add(x, g.constant<nnrt::f32, nnrt::shape<4>>({1, 2, 3, 4})));
#else
  g.output("y", nnrt::add(x, g.weight<nnrt::f32, nnrt::shape<4>>("w")));
#endif
};

nnrt::executor<nnrt::graph<network>> run;
