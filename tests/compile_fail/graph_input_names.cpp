// expect: graph_rejected<.*graph_rule::input_names_must_differ.*named<'x'>
// errors: 1
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/add.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
#ifdef NNRT_FIXED
  auto z = g.input<nnrt::f32, nnrt::shape<1, 4>>("z");
#else
  auto z = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
#endif
  g.output("y", x + z);
};

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
