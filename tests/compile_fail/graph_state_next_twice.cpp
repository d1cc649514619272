// expect: graph_rejected<.*graph_rule::a_state_must_have_one_next.*named<'h'>
// errors: 1
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/add.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto h = g.state<nnrt::f32, nnrt::shape<1, 4>>("h");
  auto sum = h + g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
  g.next(h, sum);
#ifndef NNRT_FIXED
  g.next(h, h);
#endif
  g.output("y", sum);
};

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
