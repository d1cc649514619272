// expect: graph_rejected<.*sequence_lstm::rule::extents_must_be_those_of_the_other_operands.*actual<3L?>.*expected<4L?>
// Weights have a row for each cell. The operator has no function for users: readers of files make its nodes.
#include <nnrt/ops/sequence_lstm.hpp>

#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int rows = 4;
#else
inline constexpr int rows = 3;
#endif

constexpr auto network = [](nnrt::builder& g) {
  using nnrt::f32, nnrt::shape, nnrt::dsl::apply;
  auto x = g.input<f32, shape<1, 5, 3>>("x");
  auto w = g.weight<f32, shape<4, 3>>("w");
  auto v = g.weight<f32, shape<rows, 3>>("v");
  auto u = g.weight<f32, shape<4, 4>>("u");
  auto b = g.weight<f32, shape<4>>("b"), p = g.weight<f32, shape<4>>("p");
  auto m = g.weight<f32, shape<4, 4>>("m");
  auto h = g.state<f32, shape<1, 4>>("h"), c = g.state<f32, shape<1, 4>>("c");
  auto y = apply<nnrt::ops::sequence_lstm>(x, w, v, w, w, u, u, u, u, p, p, p, b, b, b, b, m, b, h, c);  // here
  g.output("y", get<0>(y));
  g.next(h, get<1>(y)), g.next(c, get<2>(y));
};

int main() {
  nnrt::builder g;
  network(g);
}
