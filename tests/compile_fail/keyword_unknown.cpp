// expect: graph_rejected<.*keyword_must_be_known_to_the_operator.*keyword_named<.*stride_slot, 2, 2>.*in_operator<.*ops::softmax>
// errors: 1
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/softmax.hpp>

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
#ifdef NNRT_FIXED
  auto h = nnrt::softmax(x, nnrt::axis<1>);
#else
  auto h = nnrt::softmax(x, nnrt::axis<1>, nnrt::stride<2, 2>);  // here
#endif
  g.output("y", nnrt::relu(h) + h);
};

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
