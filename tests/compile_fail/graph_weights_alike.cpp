// expect: graph_rejected<.*graph_rule::weights_of_one_name_must_be_alike.*named<'f', 'c'>
// errors: 1
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/full_connection.hpp>

#ifdef NNRT_FIXED
constexpr std::int64_t outputs = 2;
#else
constexpr std::int64_t outputs = 3;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 4>>("x");
  g.output("y", full_connection(x, g.weight<nnrt::f32, nnrt::shape<2, 4>>("fc")));
  g.output("z", full_connection(x, g.weight<nnrt::f32, nnrt::shape<outputs, 4>>("fc")));
};

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
