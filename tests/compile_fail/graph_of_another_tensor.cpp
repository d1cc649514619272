// expect: graph_rejected<.*graph_rule::tensors_must_belong_to_this_graph
// errors: 1
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/add.hpp>

constexpr auto network = [](nnrt::builder& g) {
  nnrt::builder other;
  auto unrelated = other.input<nnrt::f32, nnrt::shape<1, 4>>("unrelated");
  auto stranger = other.input<nnrt::f32, nnrt::shape<1, 4>>("stranger");
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
#ifdef NNRT_FIXED
  g.output("y", x + x);
#else
  g.output("y", x + stranger);
#endif
};

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
