// expect: graph_rejected<.*sequence_rnn::rule::extents_must_be_those_of_the_other_operands.*actual<3L?>.*expected<4L?>
// Weights for states are as many as states. The operator has no function for users: readers of files make its nodes.
#include <nnrt/ops/sequence_rnn.hpp>

#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int columns = 4;
#else
inline constexpr int columns = 3;
#endif

constexpr auto network = [](nnrt::builder& g) {
  using nnrt::f32, nnrt::shape;
  auto x = g.input<f32, shape<1, 5, 3>>("x");
  auto w = g.weight<f32, shape<4, 3>>("w");
  auto u = g.weight<f32, shape<4, columns>>("u");
  auto b = g.weight<f32, shape<4>>("b");
  auto h = g.state<f32, shape<1, 4>>("h");
  auto y = nnrt::dsl::apply<nnrt::ops::sequence_rnn>(x, w, u, b, h);  // here
  g.output("y", get<0>(y));
  g.next(h, get<1>(y));
};

int main() {
  nnrt::builder g;
  network(g);
}
