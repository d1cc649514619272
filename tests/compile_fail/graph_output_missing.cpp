// expect: graph_rejected<.*graph_rule::graph_must_have_an_output.*named<>
// errors: 1
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
  auto y = nnrt::relu(x);
#ifdef NNRT_FIXED
  g.output("y", y);
#endif
};

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
