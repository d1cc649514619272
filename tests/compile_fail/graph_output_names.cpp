// expect: graph_rejected<.*graph_rule::output_names_must_differ.*named<'y'>
// errors: 1
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/relu.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
  g.output("y", x + x);
#ifdef NNRT_FIXED
  g.output("z", nnrt::relu(x));
#else
  g.output("y", nnrt::relu(x));
#endif
};

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
