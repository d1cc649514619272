// expect: graph_rejected<.*graph_rule::next_must_have_the_desc_of_its_state.*actual<3>.*expected<4>
// errors: 1
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>

constexpr auto network = [](nnrt::builder& g) {
#ifdef NNRT_FIXED
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
#else
  auto x = g.input<nnrt::f32, nnrt::shape<1, 3>>("x");
#endif
  auto h = g.state<nnrt::f32, nnrt::shape<1, 4>>("h");
  g.next(h, x);  // here
  g.output("y", h);
};

int main() { return nnrt::graph<network>::inputs.size() == 1 ? 0 : 1; }
