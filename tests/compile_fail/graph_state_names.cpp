// expect: graph_rejected<.*graph_rule::state_names_must_differ.*named<'h'>
// errors: 1
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
  auto h = g.state<nnrt::f32, nnrt::shape<1, 4>>("h");
#ifdef NNRT_FIXED
  auto c = g.state<nnrt::f32, nnrt::shape<1, 4>>("c");
#else
  auto c = g.state<nnrt::f32, nnrt::shape<1, 4>>("h");
#endif
  g.next(h, x), g.next(c, h);
  g.output("y", c);
};

int main() { return nnrt::graph<network>::states.size() == 2 ? 0 : 1; }
