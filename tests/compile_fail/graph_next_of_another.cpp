// expect: graph_rejected<.*graph_rule::tensors_must_belong_to_this_graph
// errors: 1
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/add.hpp>

constexpr auto network = [](nnrt::builder& g) {
  nnrt::builder other;
  auto stranger = other.state<nnrt::f32, nnrt::shape<1, 4>>("stranger");
  auto h = g.state<nnrt::f32, nnrt::shape<1, 4>>("h");
  auto sum = h + g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
  g.next(h, sum);
#ifdef NNRT_FIXED
  other.next(stranger, stranger);
#else
  g.next(stranger, sum);
#endif
  g.output("y", sum);
};

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
