// expect: graph_rejected<.*graph_rule::next_must_be_given_to_a_state.*named<'x'>
// errors: 1
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/add.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
  auto h = g.state<nnrt::f32, nnrt::shape<1, 4>>("h");
  g.next(h, h + x);
#ifndef NNRT_FIXED
  g.next(x, h);
#endif
  g.output("y", h);
};

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
