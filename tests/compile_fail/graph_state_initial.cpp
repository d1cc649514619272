// expect: graph_rejected<.*graph_rule::initial_value_must_be_a_constant_or_a_weight.*named<'h'>
// errors: 1
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
#ifdef NNRT_FIXED
  auto h = g.state<nnrt::f32, nnrt::shape<1, 4>>("h");
#else
  auto h = g.state<nnrt::f32, nnrt::shape<1, 4>>("h", x);
#endif
  g.next(h, x);
  g.output("y", h);
};

int main() { return nnrt::graph<network>::inputs.size() == 1 ? 0 : 1; }
