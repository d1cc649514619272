// network_by_value: a network's function that takes a copy of the builder.
// expect: a network is a function of builder&
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/relu.hpp>

#ifdef NNRT_FIXED
using builder = nnrt::builder&;
#else
using builder = nnrt::builder;
#endif
constexpr auto network = [](builder g) { g.output("y", nnrt::relu(g.input<nnrt::f32, nnrt::shape<2, 3>>("x"))); };

static_assert(nnrt::graph<network>::nodes <= 1);
