// constant_of_another_size: a constant from a std::array that has not as many elements as its shape.
// expect: a constant takes as many numbers as its shape has elements
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/add.hpp>

#include <array>

#ifdef NNRT_FIXED
constexpr std::array<float, 4> numbers{1, 2, 3, 4};
#else
constexpr std::array<float, 3> numbers{1, 2, 3};
#endif
constexpr auto network = [](nnrt::builder& g) {
  g.output("y", nnrt::add(g.input<nnrt::f32, nnrt::shape<4>>("x"), g.constant<nnrt::f32, nnrt::shape<4>>(numbers)));
};

static_assert(nnrt::graph<network>::nodes <= 1);
