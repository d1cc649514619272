// expect: graph_rejected<.*graph_rule::every_input_must_be_used.*named<'z', 'o', 'o', 'm'>
// errors: 1
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/add.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
  auto zoom = g.input<nnrt::f32, nnrt::shape<1, 4>>("zoom");
#ifdef NNRT_FIXED
  g.output("y", x + zoom);
#else
  g.output("y", x + x);
#endif
};

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
