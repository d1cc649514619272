// expect: graph_rejected<.*svdf::rule::extents_must_be_those_of_the_other_operands.*actual<20L?>.*expected<16L?>
// Four filters that remember five results each have a state of twenty. The operator has no function for users: readers
// of files make its nodes.
#include <nnrt/ops/svdf.hpp>

#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int memory = 20;
#else
inline constexpr int memory = 16;
#endif

constexpr auto network = [](nnrt::builder& g) {
  using nnrt::f32, nnrt::shape;
  auto x = g.input<f32, shape<1, 3>>("x");
  auto features = g.weight<f32, shape<4, 3>>("features");
  auto times = g.weight<f32, shape<4, 5>>("times");
  auto bias = g.weight<f32, shape<4>>("bias");
  auto state = g.state<f32, shape<1, memory>>("state");
  auto y = nnrt::dsl::apply<nnrt::ops::svdf>(x, features, times, bias, state);  // here
  g.output("y", get<0>(y));
  g.next(state, get<1>(y));
};

int main() {
  nnrt::builder g;
  network(g);
}
